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
pub mod core;
pub mod handoff;
pub mod inspect;
pub mod read;
pub mod redact;
pub mod scratch;
pub mod write;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::args::{TEXTS, Texts, unfit};
use crate::schema::{Schema, schema_of};
use crate::seam::{Answer, Workspace};

/// What is done about a call that is refused, or taken back by its client, before the tool runs.
pub(crate) type IfUnmade = Box<dyn FnOnce(&Workspace) + Send>;

/// A tool: its arguments as a type, and what to do with them.
pub trait Tool: DeserializeOwned + JsonSchema {
    /// The canonical name, with a dot: `rw.safe_write`.
    const NAME: &'static str;
    /// The name people see.
    const TITLE: &'static str;
    /// What a call does to the world.
    const EFFECT: Effect;
    /// Whether a call only looks at a text or at a window of a file: it waits for no lock and for no sync.
    const QUICK: bool = false;
    /// Arguments that may come in place of `content`.
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &[];
    /// Whether the Python servers have no such tool.
    const ADDED: bool = false;
    /// Arguments that carry text of any length, and what to do when one is missing.
    const TEXTS: Texts = TEXTS;

    /// Whether the calls behind wait for this one, though it only reads: the server remembers what it has told.
    const IS_REMEMBERED: bool = false;
    /// The file that a call works on if it names none.
    const DEFAULT_PATH: Option<&'static str> = None;

    /// What is to be done if a call with these arguments is not made: for a tool whose next call depends on this one.
    fn if_unmade(arguments: &Map<String, Value>) -> Option<IfUnmade> {
        let _ = arguments;
        None
    }

    /// Does the work; may be called from many threads at once.
    ///
    /// # Errors
    /// The envelope of whatever the library refused.
    fn run(self, workspace: &Workspace) -> Answer;
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
    /// Whether a call only looks at a text or at a window of a file: it waits for no lock and for no sync.
    pub quick: bool,
    /// Arguments that may come in place of `content`.
    pub instead_of_content: &'static [&'static str],
    /// Whether the Python servers have no such tool.
    pub added: bool,
    /// Arguments that carry text of any length, and what to do when one is missing.
    pub(crate) texts: Texts,
    /// As [`Tool::IS_REMEMBERED`].
    pub(crate) is_remembered: bool,
    /// As [`Tool::DEFAULT_PATH`].
    pub(crate) default_path: Option<&'static str>,
    /// As [`Tool::if_unmade`].
    pub(crate) if_unmade: fn(&Map<String, Value>) -> Option<IfUnmade>,
    /// Makes the description and the schema of the arguments.
    pub schema: fn() -> Schema,
    /// Runs one call whose arguments fit the schema.
    pub run: fn(&Workspace, Map<String, Value>) -> Answer,
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
            added: T::ADDED,
            texts: T::TEXTS,
            is_remembered: T::IS_REMEMBERED,
            default_path: T::DEFAULT_PATH,
            if_unmade: T::if_unmade,
            schema: schema_of::<T>,
            run: |workspace, arguments| match T::deserialize(Value::Object(arguments)) {
                Ok(tool) => tool.run(workspace),
                Err(error) => {
                    Err(unfit(&error.to_string(), "correct the arguments as context.reason says"))
                }
            },
        }
    }
}

/// Which tools a server lists, and which others it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Eight for daily work, shaped as models know such tools.
    Core,
    /// Those of the Python server.
    Paper {
        /// Whether those of the Python reader, too.
        with_read: bool,
    },
    /// All of what the Python servers have and more, for writing and for reading.
    Full,
    /// Those that read.
    Read,
}

impl Default for Offer {
    fn default() -> Self {
        Self::Paper { with_read: false }
    }
}

/// The tools that write, and look at what was written, in the order in which they are listed.
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
    /// The tools that are listed, in their order.
    pub fn lists(self) -> Vec<ToolSpec> {
        let mut tools = self.answers();
        match self {
            Self::Core | Self::Read => {}
            Self::Paper { .. } => tools.retain(|tool| !tool.added),
            // What those of `core` do, others do, too.
            Self::Full => tools.retain(|tool| !core::TOOLS.iter().any(|it| it.name == tool.name)),
        }
        tools
    }

    /// The tools of which calls are answered, listed or not.
    pub fn answers(self) -> Vec<ToolSpec> {
        let (write, read) = (WRITE.concat(), read::TOOLS);
        match self {
            Self::Core => core::TOOLS.to_vec(),
            Self::Paper { with_read: false } => write,
            Self::Paper { with_read: true } => [&write, read].concat(),
            Self::Full => [&write, read, core::TOOLS].concat(),
            Self::Read => read.to_vec(),
        }
    }
}
