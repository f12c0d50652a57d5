//! The commands, one file for each: its arguments, whose doc comments are its help, and `run`.

pub(crate) mod analytics;
pub(crate) mod call;
pub(crate) mod checkpoint;
pub(crate) mod chunk;
pub(crate) mod demo;
mod door;
pub(crate) mod handoff;
mod input;
pub(crate) mod journal;
pub(crate) mod manual;
pub(crate) mod policy;
pub(crate) mod read;
pub(crate) mod recover;
pub(crate) mod redact;
pub(crate) mod replace;
pub(crate) mod risk;
pub(crate) mod scratch;
pub(crate) mod serve;
pub(crate) mod validate;
pub(crate) mod write;
