//! The scenarios: each compares some subjects at one kind of work, and answers tables.

use anyhow::Result;

use crate::report::Table;
use crate::setting::Setting;

mod append;
mod busy;
mod chunk;
mod clients;
mod edit;
mod history;
mod journal;
mod outstanding;
mod read;
mod risk;
mod scratch;
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
pub(crate) const ALL: [Scenario; 18] = [
    Scenario { name: "start", run: start::start },
    Scenario { name: "tools", run: start::tools },
    Scenario { name: "write", run: write::small },
    Scenario { name: "write-large", run: write::large },
    Scenario { name: "append", run: append::run },
    Scenario { name: "edit", run: edit::run },
    Scenario { name: "outstanding", run: outstanding::run },
    Scenario { name: "clients", run: clients::run },
    Scenario { name: "busy", run: busy::run },
    Scenario { name: "chunk", run: chunk::run },
    Scenario { name: "journal", run: journal::run },
    Scenario { name: "history", run: history::run },
    Scenario { name: "scratch", run: scratch::run },
    Scenario { name: "risk", run: risk::run },
    Scenario { name: "waits", run: waits::run },
    Scenario { name: "read", run: read::run },
    Scenario { name: "read-all", run: read::all },
    Scenario { name: "read-large", run: read::large },
];
