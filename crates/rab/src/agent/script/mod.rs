//! Scripted agents: deterministic, without a model, and honest about being scripts.
//!
//! They show that every scenario can be passed and that every judge can fail; they say nothing
//! about models. A script is straight-line code on a thread of its own; a call hands the turn to
//! the trial and waits for what it came to.

mod adversary;
mod careful;
mod reference;

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::{Agent, Reply, Said};
use crate::host::Tool;
use crate::scenario::Id;

/// A script: it calls tools until it is done, and gives its final answer. Nothing when the trial
/// was stopped.
type Script = fn(&mut Tools) -> Option<String>;

/// The names of the scripts, for the command line.
pub(crate) const NAMES: [&str; 7] =
    ["reference", "careful", "claims", "raw", "blind", "whole", "stubborn"];

/// A scripted agent.
pub(crate) struct Scripted {
    scripts: Vec<Script>,
    next: usize,
    running: Option<Running>,
}

struct Running {
    replies: SyncSender<Vec<Reply>>,
    said: Receiver<Said>,
}

/// The tools as a script sees them.
struct Tools {
    task: String,
    replies: Receiver<Vec<Reply>>,
    said: SyncSender<Said>,
}

/// What a call came to, as a script sees it.
struct Answer {
    text: String,
    value: Value,
}

impl Scripted {
    /// The script of a name, for a scenario.
    ///
    /// # Errors
    /// There is none of this name.
    pub(crate) fn new(name: &str, scenario: Id) -> Result<Self> {
        let scripts = match name {
            "reference" => reference::scripts(scenario),
            "careful" => careful::scripts(scenario),
            "claims" => adversary::idle(),
            "raw" => adversary::raw(scenario),
            "blind" => adversary::blind(scenario),
            "whole" => adversary::whole(scenario),
            "stubborn" => adversary::stubborn(scenario),
            _ => bail!("there is no script {name}; there are {}", NAMES.join(", ")),
        };
        Ok(Self { scripts, next: 0, running: None })
    }
}

impl Agent for Scripted {
    fn begin(&mut self, task: &str, _tools: &[Tool]) -> Result<()> {
        let script = *self.scripts.get(self.next).context("the script has no more parts")?;
        self.next += 1;
        let (reply_sender, replies) = sync_channel(1);
        let (said, said_receiver) = sync_channel(1);
        let mut tools = Tools { task: task.to_owned(), replies, said: said.clone() };
        thread::spawn(move || {
            // Nobody listens to a script whose trial was stopped.
            if let Some(text) = script(&mut tools) {
                let _ = said.send(Said { text, ..Said::default() });
            }
        });
        self.running = Some(Running { replies: reply_sender, said: said_receiver });
        Ok(())
    }

    fn turn(&mut self, replies: &[Reply]) -> Result<Said> {
        let running = self.running.as_ref().context("a conversation that has not begun")?;
        if !replies.is_empty() {
            running.replies.send(replies.to_vec())?;
        }
        running.said.recv().context("the script has ended without an answer")
    }
}

impl Tools {
    /// Calls a tool; nothing when the trial was stopped.
    fn call(&mut self, tool: &str, arguments: Value) -> Option<Answer> {
        let calls = vec![(tool.to_owned(), arguments)];
        self.said.send(Said { calls, ..Said::default() }).ok()?;
        let text = self.replies.recv().ok()?.into_iter().next()?.whole;
        let value = serde_json::from_str(&text).unwrap_or(Value::Null);
        Some(Answer { text, value })
    }
}

impl Answer {
    fn at(&self, pointer: &str) -> &Value {
        self.value.pointer(pointer).unwrap_or(&Value::Null)
    }

    fn text(&self, pointer: &str) -> String {
        self.at(pointer).as_str().unwrap_or_default().to_owned()
    }

    /// Whether the tool says that it is done: a value that says so, or a word.
    fn ok(&self) -> bool {
        if self.value.is_object() {
            self.at("/ok") == true
        } else {
            !self.text.starts_with("Error")
        }
    }
}

/// The headings of the report in parts and their codes, as the task tells them.
fn sections(task: &str) -> Vec<(String, String)> {
    let list = task.split("`## ").skip(1).filter_map(|part| {
        let (heading, rest) = part.split_once("` with ")?;
        let code: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        Some((format!("## {heading}"), code))
    });
    list.collect()
}

/// A section of the report in parts.
fn section(heading: &str, code: &str) -> String {
    let sentence = "A write that is answered is on disk, whole, and named by its digest. ";
    format!("{heading}\n\nThis section has the code {code}. {}\n\n", sentence.repeat(5).trim_end())
}

/// The lines of a numbered or plain window as they are in the file.
fn unnumbered(content: &str) -> String {
    let lines = content.lines().map(|line| line.split_once('|').map_or(line, |(_, rest)| rest));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Puts a mark in the place of what follows certain labels.
fn redacted(notes: &str) -> String {
    let lines = notes.lines().map(|line| {
        let label = ["Authorization: Bearer ", "X-GitHub-Token: "]
            .into_iter()
            .find(|label| line.starts_with(label));
        label.map_or(format!("{line}\n"), |label| format!("{label}[redacted]\n"))
    });
    lines.collect()
}

/// The items that end in `recount`, as JSON.
fn flagged(text: &str) -> String {
    let items: Vec<&str> = text
        .lines()
        .filter(|line| line.ends_with(" recount"))
        .filter_map(|line| line.split(' ').next())
        .collect();
    Value::from(items).to_string()
}

/// The key in the code, and the code without it.
fn without_key(code: &str) -> Option<(String, String)> {
    let line = code.lines().find(|line| line.starts_with("STRIPE_KEY = "))?;
    let key = line.split('"').nth(1)?;
    let clean = code.replace(line, "STRIPE_KEY = os.environ[\"STRIPE_API_KEY\"]").replacen(
        "import requests",
        "import os\n\nimport requests",
        1,
    );
    Some((key.to_owned(), clean))
}

/// The value of a setting in a file's text.
fn setting(text: &str, name: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_default().to_owned()
}

/// The files of the handoff scenario.
const FILES: [&str; 2] = ["config/limits.ini", "config/settings.ini"];
