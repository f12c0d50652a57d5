//! The rules about the sources of this workspace that a machine can check.
//!
//! * **Circles.** The children of a module, each taken with everything below it, do not use each
//!   other in a circle. So there is no circle between files, and none between folders. A module
//!   and its own descendants are one thing seen from outside and from inside: a parent may use its
//!   children, and a child may use its parent; no arrow between the two counts. Neither does what
//!   is compiled for tests only.
//! * **Floors.** The top modules of a crate stand on floors, and a module uses lower floors only.
//!   Modules of one floor do not use each other.
//! * **Crates.** A crate depends on the crates of the workspace that its row names, and on no other.
//! * **Files.** Every source file is declared by a module, so no test is forgotten.
//! * **Names.** A name in a code span of `ARCHITECTURE.md` exists, and its tables of
//!   crates and of floors are those of `house.toml`.
//! * **Plain English.** Documents and comments avoid the phrases of `plain.toml`, and the sentences of
//!   documents are short.
//!
//! The other tables are in `house.toml`: the floors, the dependencies, and the known exceptions, which are
//! arrows from file to file. An exception that is not needed is a fault, so the list can only shrink.
//! `tests/workspace.rs` applies the rules to the workspace.

#![expect(clippy::disallowed_methods, reason = "sources are read from the real disk")]

pub mod circles;
pub mod floors;
pub mod house;
pub mod manifest;
pub mod modules;
pub mod names;
pub mod plain;
pub mod prose;
pub mod source;
pub mod tree;
