//! Training the learned part of the risk score, and measuring the whole of it.
//!
//! The labelled rows and the code come by path and never enter the project. A row stands between
//! twenty lines of code on each side, for training as for measuring: a snippet alone is a hint to
//! a learned classifier, a file is not.

mod drawn;
mod eval;
mod rows;
mod speed;
mod train;

pub(crate) use drawn::Drawn;
pub(crate) use eval::Eval;
pub(crate) use rows::{code, texts};
pub(crate) use speed::{SIZE, Speed};
pub(crate) use train::Train;
