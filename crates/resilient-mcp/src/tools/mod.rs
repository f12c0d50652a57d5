//! The tools: one struct per tool, whose fields are its arguments and whose doc comment is its
//! description.
//!
//! A tool exists by being listed in its file's `TOOLS`; name, schema, checks, annotations,
//! snapshots and the page in `docs/tools.md` follow from the struct. The field docs are read by
//! agents and paid for in tokens by everybody: they are terse, and a field whose name says it all
//! has none.
#![expect(missing_docs, reason = "a field or variant that needs no explaining has none")]

pub mod checkpoint;
pub mod chunk;
pub mod handoff;
pub mod inspect;
pub mod read;
pub mod redact;
pub mod scratch;
pub mod write;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::args::unfit;
pub use crate::call::Call;
use crate::schema::{Schema, schema_of};
use crate::seam::{Answer, Workspace};

/// A tool: its arguments as a type, and what to do with them.
pub trait Tool: DeserializeOwned + JsonSchema {
    /// The canonical name, with a dot: `rw.safe_write`.
    const NAME: &'static str;
    /// The name people see.
    const TITLE: &'static str;
    /// What a call does to the world.
    const EFFECT: Effect;
    /// Whether a call takes no longer than the disk needs to take a text of its length.
    const QUICK: bool = false;
    /// Arguments that may come in place of `content`.
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &[];

    /// Does the work; may be called from many threads at once.
    ///
    /// # Errors
    /// The envelope of whatever the library refused.
    fn run(self, workspace: &Workspace) -> Answer;

    /// Does the same, and tells the client how far it is.
    ///
    /// # Errors
    /// As [`Tool::run`].
    fn run_watched(self, workspace: &Workspace, call: &Call) -> Answer {
        let _ = call;
        self.run(workspace)
    }
}

/// What a call does to the world; the four MCP annotations follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Adds, and adds again when repeated.
    Adds,
    /// May replace or remove; repeating it changes nothing more.
    Sets,
    /// May replace; repeating it may change more.
    Changes,
}

/// One row of the tool table.
#[derive(Debug, Clone, Copy)]
pub struct ToolSpec {
    /// The canonical name, with a dot.
    pub name: &'static str,
    /// The name people see.
    pub title: &'static str,
    /// What a call does to the world.
    pub effect: Effect,
    /// Whether a call takes no longer than the disk needs to take a text of its length.
    pub quick: bool,
    /// Arguments that may come in place of `content`.
    pub instead_of_content: &'static [&'static str],
    /// Makes the description and the schema of the arguments.
    pub schema: fn() -> Schema,
    /// Runs one call whose arguments fit the schema.
    pub run: fn(&Workspace, Map<String, Value>, &Call) -> Answer,
}

impl ToolSpec {
    /// The row of the tool `T`.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            effect: T::EFFECT,
            quick: T::QUICK,
            instead_of_content: T::INSTEAD_OF_CONTENT,
            schema: schema_of::<T>,
            run: |workspace, arguments, call| match T::deserialize(Value::Object(arguments)) {
                Ok(tool) => tool.run_watched(workspace, call),
                Err(error) => {
                    Err(unfit(&error.to_string(), "correct the arguments as context.reason says"))
                }
            },
        }
    }
}

/// Which tools a server has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Offer {
    /// Those that write, and look at what was written.
    #[default]
    Write,
    /// Those that read.
    Read,
    /// Both.
    Both,
}

/// The tools that write, in the order in which they are listed.
const WRITE: &[&[ToolSpec]] = &[
    write::TOOLS,
    chunk::TOOLS,
    scratch::TOOLS,
    checkpoint::TOOLS,
    handoff::TOOLS,
    inspect::TOOLS,
    redact::TOOLS,
];

impl Offer {
    /// The tools, in the order in which they are listed.
    pub fn tools(self) -> Vec<ToolSpec> {
        match self {
            Self::Write => WRITE.concat(),
            Self::Read => read::TOOLS.to_vec(),
            Self::Both => [WRITE.concat(), read::TOOLS.to_vec()].concat(),
        }
    }
}
