//! Whose turn it is: calls of one connection that name the same file, session or checkpoint are made in the order in
//! which they came.
//!
//! A client sends the calls of one step of its model at once: add a part, add another one, compose. Side by side, each of
//! them would be right and the file wrong. Calls that name different things still run side by side, and so do
//! calls that only read; these wait for what was to be written when they came.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::watch;

/// The arguments that name what a call works on.
const NAMES: [&str; 4] = ["path", "output_path", "session", "name"];

/// So many ended calls are kept before they are looked for.
const KEPT: usize = 256;

/// For each thing that a call has named, the last call that changes it. Its end closes the channel.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    last: Mutex<HashMap<String, watch::Receiver<()>>>,
}

/// The turn of one call. The calls behind it go on when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    before: Vec<watch::Receiver<()>>,
    _ended: Option<watch::Sender<()>>,
}

impl Turns {
    /// Queues a call. `else_named` is what it names where its arguments name nothing.
    pub(crate) fn enter(
        &self,
        arguments: &Map<String, Value>,
        else_named: &str,
        writes: bool,
    ) -> Turn {
        let mut names: Vec<String> = NAMES.iter().filter_map(|key| named(arguments, key)).collect();
        if names.is_empty() {
            names.push(else_named.to_owned());
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() > KEPT {
            last.retain(|_, call| call.has_changed().is_ok());
        }
        let before = names.iter().filter_map(|name| last.get(name).cloned()).collect();
        if !writes {
            return Turn { before, _ended: None };
        }
        let (ended, call) = watch::channel(());
        last.extend(names.into_iter().map(|name| (name, call.clone())));
        Turn { before, _ended: Some(ended) }
    }
}

impl Turn {
    /// Waits for the calls in front.
    pub(crate) async fn wait(&mut self) {
        for mut call in self.before.drain(..) {
            // Nothing is ever sent.
            while call.changed().await.is_ok() {}
        }
    }
}

/// What an argument names. A file has one name, whichever argument says it.
fn named(arguments: &Map<String, Value>, key: &str) -> Option<String> {
    let text = arguments.get(key)?.as_str()?;
    let kind = key.strip_prefix("output_").unwrap_or(key);
    Some(format!("{kind} {}", text.strip_prefix("./").unwrap_or(text)))
}
