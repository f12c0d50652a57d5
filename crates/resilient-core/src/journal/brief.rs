//! A row as a report needs it, read without a copy.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::surrogates::replaced;
use super::{Also, By, Exchange, InPlace, Line, Mode, OfUnit, RemovedDir, RowAt, Sectors};
use crate::digest::Digest;

/// The fields of a [`Row`](super::Row) that a report needs, borrowed from its line.
///
/// The other fields are read too and dropped, so that a line is a row here if and only if it is one
/// everywhere else. For that, the fields and their order are those of [`Row`](super::Row).
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "the fields that are not needed are only checked")]
pub(crate) struct Brief<'a> {
    #[serde(default)]
    abs_path: Option<Text>,
    #[serde(default)]
    also: Vec<Also>,
    #[serde(default)]
    at: Option<u64>,
    #[serde(default)]
    batch: Option<u64>,
    pub(crate) bytes: u64,
    #[serde(borrow)]
    pub(crate) caller: Cow<'a, str>,
    #[serde(default)]
    pub(crate) by: Option<By>,
    #[serde(default, borrow)]
    pub(crate) composed: Option<Cow<'a, str>>,
    #[serde(default)]
    epoch: Option<Text>,
    #[serde(default)]
    exchange: Option<Exchange>,
    #[serde(default)]
    file: Option<InPlace>,
    #[serde(default)]
    from: Option<Text>,
    #[serde(default)]
    gone: Vec<RemovedDir>,
    journal_id: Text,
    #[serde(default)]
    line: Option<Line>,
    pub(crate) mode: Mode,
    #[serde(borrow)]
    pub(crate) path: Cow<'a, str>,
    #[serde(default)]
    prev_sha256: Option<Digest>,
    #[serde(default)]
    sectors: Option<Sectors>,
    #[serde(default)]
    seq: Option<u64>,
    sha256: Text,
    #[serde(default)]
    staged: Option<Text>,
    #[serde(borrow)]
    pub(crate) ts: Cow<'a, str>,
    #[serde(default)]
    undo: Option<Text>,
    #[serde(default)]
    undoes: Option<RowAt>,
    #[serde(default)]
    unit: Option<OfUnit>,
    #[serde(default)]
    chain: Option<Text>,
}

impl<'a> Brief<'a> {
    /// Reads one line, its end not included. Where that needs another text, `mended` holds it.
    pub(crate) fn parse(line: &'a [u8], mended: &'a mut Vec<u8>) -> Option<Self> {
        if let Ok(row) = serde_json::from_slice(line) {
            return Some(row);
        }
        *mended = replaced(line)?;
        serde_json::from_slice(mended).ok()
    }
}

/// Any text: it is checked and dropped.
#[derive(Debug)]
struct Text;

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Text, E> {
                Ok(Text)
            }
        }
        deserializer.deserialize_str(Any)
    }
}
