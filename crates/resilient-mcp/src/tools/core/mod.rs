//! The set `core`: eight tools for daily work, in the shape in which models know such tools.
//!
//! Each of them asks the library for what a tool of the other sets asks for, too; here are only the fewer
//! arguments, the shorter answers, and hints in the words of this set.

mod files;
mod hints;
mod look;
mod parts;

use resilient_core::Error;
use resilient_core::form::{Asked, AskedEncoding, AskedEol};
use serde::Serialize;
use serde_json::{Map, Value};

pub use self::files::{EditFile, ReadFile, WriteFile};
pub use self::hints::hint_of;
pub use self::look::{History, ListFiles, SearchFiles};
pub use self::parts::{ListParts, WritePart};
use super::ToolSpec;
use crate::args::{Texts, unfit};
use crate::seam::{Answer, Envelope, ErrorKind, ReasonHint, SuggestedAction};

/// The tools of this file, all of the set.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<ReadFile>(),
    ToolSpec::of::<WriteFile>(),
    ToolSpec::of::<EditFile>(),
    ToolSpec::of::<WritePart>(),
    ToolSpec::of::<ListParts>(),
    ToolSpec::of::<ListFiles>(),
    ToolSpec::of::<SearchFiles>(),
    ToolSpec::of::<History>(),
];

/// For a tool of other sets the one that does its work here.
#[doc(hidden)]
pub const INSTEAD: &[(&str, &str)] = &[
    ("rw_safe_write", "rw_write_file"),
    ("rw_safe_replace", "rw_edit_file"),
    ("rw_chunk_write", "rw_write_part"),
    ("rw_chunk_append", "rw_write_part"),
    ("rw_chunk_compose", "rw_write_part"),
    ("rw_chunk_status", "rw_list_parts"),
    ("rw_chunk_preview", "rw_list_parts"),
    ("rw_journal_tail", "rw_history"),
    ("rr_list_files", "rw_list_files"),
    ("rr_read_lines", "rw_read_file"),
    ("rr_read_bytes", "rw_read_file"),
    ("rr_stat", "rw_read_file"),
    ("rr_read_tail", "rw_read_file"),
    ("rr_search_then_page", "rw_search_files"),
    ("rr_make_cursor", "rw_read_file"),
    ("rr_read_next", "rw_read_file"),
];

/// What to do when the text of a call is missing.
const TEXTS: Texts = &[
    (
        "content",
        "do not resend the call, which was probably cut at the output token limit: send the text in \
         smaller parts with `rw_write_part`",
    ),
    (
        "new_string",
        "do not resend the call, which was probably cut at the output token limit: make the edit in \
         several `rw_edit_file` calls with shorter strings",
    ),
];

/// A read gives every line with `\n`, and what is written after it has the line ends of the file.
const AS_BEFORE: Asked = Asked { encoding: AskedEncoding::Unsaid, eol: AskedEol::Keep };

/// About how many tokens an answer may have. The clients that cut answers do so at 25,000.
const TOKENS_MAX: i64 = 20_000;

/// An object of the fields that have a value.
pub(super) fn told<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let told = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(told.collect::<Map<_, _>>())
}

pub(super) fn at_least_one(limit: i64) -> Result<i64, Box<Envelope>> {
    if limit < 1 {
        return Err(unfit("limit_must_be_at_least_1", "pass a `limit` of 1 or more")
            .with("argument", "limit")
            .with("limit", limit));
    }
    Ok(limit)
}

pub(super) fn answer<T: Serialize>(result: resilient_core::Result<T>) -> Answer {
    match result {
        Ok(success) => Ok(serde_json::to_value(success).unwrap_or_default()),
        Err(error) => Err(refusal(&error)),
    }
}

/// The envelope of an error, in the closed sets of the tools that write and in the words of this set.
fn refusal(error: &Error) -> Box<Envelope> {
    let mut refused = Box::new(Envelope::from(error));
    if refused.error == ErrorKind::InvalidInput {
        refused.error = ErrorKind::PolicyViolation;
        refused.reason_hint = ReasonHint::Encoding;
        // No other call of this set gives the bytes.
        if !matches!(error, Error::Binary { .. }) {
            refused.suggested_action = SuggestedAction::RetryLater;
        }
    }
    // The argument of this set has another name than that of the library.
    if let Some(Value::String(reason)) = refused.context.get_mut("reason")
        && let Some(rest) = reason.strip_prefix("query_")
    {
        *reason = format!("pattern_{rest}");
    }
    refused.with("hint", hint_of(error))
}
