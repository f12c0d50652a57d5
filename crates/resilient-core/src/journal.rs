//! The journal: one JSON line for every file that was published, in the order of publishing.
//!
//! The first seven fields of a [`Row`] are those of the Python server, whose rows are read here
//! and which reads ours. The others let recovery tell an unfinished write from a finished one
//! (`docs/format.md`), tell who wrote, and chain each row to all that stands before it (`chain`), so
//! that what was changed or taken out afterwards is noticed.
//!
//! A last line that is torn was never answered for, and is cut by the next writer. A damaged line
//! elsewhere is counted and skipped; it blocks nothing.

mod brief;
mod chain;
mod end;
mod entry;
mod forwards;
mod mode;
mod reverse;
mod row;
mod row_digest;
mod surrogates;
mod verify;
mod writer;

pub use crate::sectors::{Sectors, Sums};

pub(crate) use self::brief::Brief;
pub use self::chain::{Chain, Tie};
pub(crate) use self::end::{End, find_end};
pub use self::entry::{Entry, Filter, Tail};
#[cfg(test)]
pub(crate) use self::forwards::tests::with_file;
pub(crate) use self::forwards::{LineOf, each_line};
pub use self::mode::{Mode, Word};
pub(crate) use self::reverse::{LineAt, ReverseLines};
pub use self::row::{Also, By, Exchange, InPlace, Line, OfUnit, RemovedDir, Row, RowAt, born};
pub(crate) use self::row::{chunk_session, in_state};
pub use self::row_digest::RowDigest;
pub(crate) use self::verify::ChainWalk;
pub use self::verify::{Break, Verification};
pub(crate) use self::writer::RowWriter;
