//! Reading files of any size: lists, windows, lines, search, cursors.
#![allow(clippy::disallowed_methods, reason = "tests look at the disk from outside")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that panics fails, in its helpers too"
)]

mod boundary;
mod cursors;
mod encodings;
mod lines;
mod list;
mod search;
mod walks;
mod windows;

#[path = "../it/home.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod home;

use std::fmt::Debug;

use resilient_core::{Envelope, Error};
use serde_json::Value;

/// `error/reason_hint/suggested_action` and context of a read that must fail.
#[track_caller]
fn refused<T: Debug>(result: Result<T, Error>) -> (String, Value) {
    let envelope = Envelope::of_read(&result.expect_err("a refusal"));
    let value = serde_json::to_value(envelope).unwrap();
    let word = |name: &str| value[name].as_str().unwrap().to_owned();
    assert_ne!(word("message"), "");
    let kind = [word("error"), word("reason_hint"), word("suggested_action")].join("/");
    (kind, value["context"].clone())
}
