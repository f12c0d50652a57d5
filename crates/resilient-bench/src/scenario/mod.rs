//! The scenarios, and what they share: where they work, whom they compare, how long they go on.

use std::path::PathBuf;

use anyhow::{Context, Result};
use resilient_core::Workspace;
use resilient_core::write::{WriteMode, WriteRequest};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{self, Client, Program};
use crate::measure::{Cost, Random, Samples, Subject, interleave, timed};
use crate::report::Table;
use crate::text;

mod append;
mod chunk;
mod edit;
mod journal;
mod outstanding;
mod read;
mod risk;
mod start;
mod waits;
mod write;

/// One scenario: its name on the command line, and what it does.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Setting) -> Result<Vec<Table>>,
}

impl Scenario {
    /// Whether it takes so much time and room that it is not part of a run of all.
    pub(crate) fn only_when_named(&self) -> bool {
        self.name == "read-large"
    }
}

/// All scenarios, in the order in which they are run.
pub(crate) const ALL: [Scenario; 14] = [
    Scenario { name: "start", run: start::start },
    Scenario { name: "tools", run: start::tools },
    Scenario { name: "write", run: write::small },
    Scenario { name: "write-large", run: write::large },
    Scenario { name: "append", run: append::run },
    Scenario { name: "edit", run: edit::run },
    Scenario { name: "outstanding", run: outstanding::run },
    Scenario { name: "chunk", run: chunk::run },
    Scenario { name: "journal", run: journal::run },
    Scenario { name: "risk", run: risk::run },
    Scenario { name: "waits", run: waits::run },
    Scenario { name: "read", run: read::run },
    Scenario { name: "read-all", run: read::all },
    Scenario { name: "read-large", run: read::large },
];

/// What a run was asked for.
pub(crate) struct Setting {
    /// Where everything is written: floors and servers on one file system.
    pub(crate) dir: PathBuf,
    pub(crate) ours: Program,
    /// The Python server, when there is one.
    pub(crate) python: Option<Program>,
    /// The Python reader, when there is one.
    pub(crate) python_reader: Option<Program>,
    /// The scanner of trees, when there is one.
    pub(crate) kingfisher: Option<PathBuf>,
    /// Where real code is, when there is any.
    pub(crate) code: Vec<PathBuf>,
    pub(crate) random: Random,
    /// Takes a tenth of the rounds.
    pub(crate) quick: bool,
}

impl Setting {
    /// The programs that are compared, ours first.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Program> {
        std::iter::once(&self.ours).chain(&self.python)
    }

    /// The programs that read, ours first.
    pub(crate) fn readers(&self) -> impl Iterator<Item = Program> + use<> {
        std::iter::once(self.ours.reader()).chain(self.python_reader.clone())
    }

    /// A fresh directory.
    pub(crate) fn fresh(&self) -> Result<TempDir> {
        tempfile::Builder::new()
            .prefix("rw-bench-")
            .tempdir_in(&self.dir)
            .with_context(|| format!("making a directory in {}", self.dir.display()))
    }

    /// Measures subjects by turns.
    pub(crate) fn interleave(
        &mut self,
        rounds: usize,
        subjects: &mut [Subject<'_>],
    ) -> Result<Vec<Samples>> {
        let rounds = if self.quick { (rounds / 10).max(10) } else { rounds };
        interleave(&mut self.random, rounds, subjects)
    }

    pub(crate) fn text(&mut self, len: usize) -> String {
        text::code(&mut self.random, len)
    }
}

/// Variants of one text, each of which differs in its first bytes.
pub(crate) struct Contents {
    text: String,
}

impl Contents {
    pub(crate) fn new(setting: &mut Setting, len: usize) -> Self {
        Self { text: setting.text(len) }
    }

    /// The text with a number in front, of the same length.
    pub(crate) fn number(&self, number: usize) -> String {
        let mut text = format!("// {number:012}\n");
        text.push_str(self.text.get(text.len()..).unwrap_or_default());
        text
    }
}

/// A server at work in a directory of its own.
pub(crate) struct Running {
    pub(crate) name: String,
    pub(crate) client: Client,
    pub(crate) home: TempDir,
}

impl Running {
    pub(crate) fn start(program: &Program, setting: &Setting) -> Result<Self> {
        let home = setting.fresh()?;
        Self::start_in(program, home)
    }

    pub(crate) fn start_in(program: &Program, home: TempDir) -> Result<Self> {
        let client = program.connect(home.path())?;
        Ok(Self { name: program.name.clone(), client, home })
    }

    /// Makes a subject of one tool call a round, with the arguments that `arguments` gives.
    pub(crate) fn calling<'a>(
        self,
        tool: &'a str,
        mut arguments: impl FnMut(usize) -> Value + 'a,
    ) -> Subject<'a> {
        let Self { name, mut client, home } = self;
        Subject::of_process(name, client.pid(), move |round| {
            let _ = &home;
            time_call(&mut client, tool, arguments(round))
        })
    }
}

/// Times one call; the request is made before and the reply checked after.
pub(crate) fn time_call(client: &mut Client, tool: &str, arguments: Value) -> Result<Cost> {
    let line = client::call(1, tool, arguments);
    let (time, reply) = timed(|| client.exchange(&line))?;
    client::check(&reply)?;
    Ok(time)
}

/// The arguments of a write.
pub(crate) fn writing(path: &str, content: &str, mode: &str) -> Value {
    json!({"path": path, "content": content, "mode": mode})
}

/// The library in this process, in a directory of its own.
pub(crate) struct Library {
    pub(crate) workspace: Workspace,
    _home: TempDir,
}

impl Library {
    pub(crate) fn open(home: TempDir) -> Result<Self> {
        let root = home.path().canonicalize()?;
        Ok(Self { workspace: Workspace::builder(root).open(), _home: home })
    }

    /// Times one write.
    pub(crate) fn time_write(
        &self,
        path: String,
        content: String,
        mode: WriteMode,
    ) -> Result<Cost> {
        let request =
            WriteRequest { path, content, mode, expected_prev_sha256: None, reject_at: None };
        Ok(timed(|| Ok(self.workspace.write(request)?))?.0)
    }
}
