//! Whose turn it is: calls of one connection that name the same file, session or checkpoint are made in the order in
//! which they came.
//!
//! A client sends the calls of one step of its model at once: add a part, add another one, compose. In parallel, each of
//! them would be right and the file wrong. Calls that name different things still run in parallel, and so do
//! calls that only read; these wait for what was to be written when they came.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use resilient_core::roots::Roots;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// The arguments that name what a call works on, and the kind of that.
const NAMES: [(&str, &str); 5] = [
    ("path", "path"),
    ("output_path", "path"),
    ("write_to", "path"),
    ("session", "session"),
    ("name", "name"),
];

/// So many ended calls are kept before they are looked for.
const KEPT: usize = 256;

/// For each thing that a call has named, by its hash, the last call that changes it. Its end closes the channel. A name can be
/// as long as a call.
type Last = HashMap<u64, watch::Receiver<()>>;

/// The calls of one client.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    hasher: RandomState,
    last: Mutex<Last>,
}

/// The turn of one call. The calls behind it go on when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    before: Vec<watch::Receiver<()>>,
    _ended: Option<watch::Sender<()>>,
}

impl Turns {
    /// Queues a call. One that names nothing waits for nobody. `path` is what it works on if it
    /// names no path. Those behind wait for it if it changes something, or is remembered.
    pub(crate) fn enter(
        &self,
        arguments: &Map<String, Value>,
        path: Option<&str>,
        roots: &Roots,
        is_waited_for: bool,
    ) -> Turn {
        let argument = |key: &str| arguments.get(key).and_then(Value::as_str);
        let path = path.filter(|_| argument("path").is_none()).map(|path| ("path", path));
        let named = NAMES.iter().filter_map(|(key, kind)| Some((*kind, argument(key)?)));
        let names: Vec<u64> =
            named.chain(path).map(|(kind, text)| self.hash(roots, kind, text)).collect();
        let mut last = self.lock();
        if last.len() > KEPT {
            retain_running(&mut last);
        }
        let before = names.iter().filter_map(|name| last.get(name).cloned()).collect();
        if !is_waited_for {
            return Turn { before, _ended: None };
        }
        let (ended, call) = watch::channel(());
        last.extend(names.into_iter().map(|name| (name, call.clone())));
        Turn { before, _ended: Some(ended) }
    }

    /// Forgets the calls that have ended.
    pub(crate) fn forget(&self) {
        let mut last = self.lock();
        retain_running(&mut last);
        last.shrink_to_fit();
    }

    /// A file has one name, whichever argument says it, and however it is spelled.
    fn hash(&self, roots: &Roots, kind: &str, text: &str) -> u64 {
        let path = (kind == "path").then(|| roots.spelled_out(text).ok()).flatten();
        match path {
            Some(path) => self.hasher.hash_one((kind, path)),
            None => self.hasher.hash_one((kind, text)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn retain_running(last: &mut Last) {
    last.retain(|_, call| call.has_changed().is_ok());
}

impl Turn {
    /// Keeps the place of a call that is not made: those behind it still wait for those in front, and for what is done
    /// in its place.
    pub(crate) fn give_up(mut self, instead: Option<impl FnOnce() + Send + 'static>) {
        if self.before.is_empty() && instead.is_none() {
            return;
        }
        tokio::spawn(async move {
            self.wait().await;
            if let Some(instead) = instead {
                // What panics has been told on standard error.
                let _ = spawn_blocking(instead).await;
            }
        });
    }

    /// Waits for the calls in front.
    pub(crate) async fn wait(&mut self) {
        while let Some(call) = self.before.last_mut() {
            // Nothing is ever sent.
            while call.changed().await.is_ok() {}
            self.before.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use resilient_core::Workspace;
    use serde_json::json;

    use super::*;

    fn enter(turns: &Turns, arguments: &Value, writes: bool) -> Turn {
        let workspace = Workspace::builder("/w").open();
        turns.enter(arguments.as_object().unwrap(), None, workspace.roots(), writes)
    }

    #[test]
    fn calls_wait_for_those_that_change_what_they_name() {
        let turns = Turns::default();
        let part = enter(&turns, &json!({"session": "s", "content": "a"}), true);
        let file = enter(&turns, &json!({"path": "./a"}), true);
        assert!(part.before.is_empty() && file.before.is_empty());
        let compose = enter(&turns, &json!({"session": "s", "output_path": "a"}), true);
        assert_eq!(compose.before.len(), 2);
        // Reads wait, and nobody waits for them.
        assert_eq!(enter(&turns, &json!({"path": "a"}), false).before.len(), 1);
        assert_eq!(enter(&turns, &json!({"path": "b"}), false).before.len(), 0);
        assert_eq!(enter(&turns, &json!({"path": "b"}), true).before.len(), 0);
        // A session is no file.
        assert_eq!(enter(&turns, &json!({"path": "s"}), true).before.len(), 0);
    }

    /// Before, a last part that came with another spelling did not wait for the first one.
    #[test]
    fn a_file_has_one_turn_for_all_its_spellings() {
        let turns = Turns::default();
        let _first = enter(&turns, &json!({"path": "d/a"}), true);
        for spelled in ["/w/d/a", "./d//a", "d/../d/./a", "file:///w/d/a"] {
            assert_eq!(
                enter(&turns, &json!({"path": spelled}), false).before.len(),
                1,
                "{spelled}"
            );
        }
        assert_eq!(enter(&turns, &json!({"path": "a"}), false).before.len(), 0);
    }

    /// Before, a handoff that names no path overtook the one before it.
    #[test]
    fn a_file_has_one_turn_for_all_arguments_that_name_it() {
        let turns = Turns::default();
        let workspace = Workspace::builder("/w").open();
        let waits_for = |arguments: Value, path: Option<&str>| {
            let turn = turns.enter(arguments.as_object().unwrap(), path, workspace.roots(), false);
            turn.before.len()
        };
        let _write = enter(&turns, &json!({"path": "d/note"}), true);
        assert_eq!(waits_for(json!({}), Some("d/note")), 1);
        assert_eq!(waits_for(json!({"path": "other"}), Some("d/note")), 0);
        assert_eq!(waits_for(json!({"write_to": "d/note"}), None), 1);
    }

    #[test]
    fn calls_that_have_ended_are_forgotten() {
        let turns = Turns::default();
        let running = enter(&turns, &json!({"path": "a"}), true);
        drop(enter(&turns, &json!({"path": "b"}), true));
        turns.forget();
        assert_eq!(turns.lock().len(), 1);
        assert_eq!(enter(&turns, &json!({"path": "a"}), true).before.len(), 1);
        drop(running);
    }

    /// Puts of a scratchpad share their waits for the disk.
    #[test]
    fn calls_that_name_nothing_wait_for_nobody() {
        let turns = Turns::default();
        let puts = [(); 3].map(|()| enter(&turns, &json!({"content": "a"}), true));
        assert!(puts.iter().all(|put| put.before.is_empty()));
    }
}
