//! Text that is checked before it is written: whether a parser takes it, and what the writer is told.
//!
//! The format follows from the name of the file alone. What a text looks like says little about a file that is
//! not called so.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::omit::is_zero;
use crate::validate::{Format, Item, Report, validate};

/// What the check of a written text said. A text with an error is not written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// True, or `None` where nobody could check the text.
    pub valid: Option<bool>,
    /// The format that the file's name told.
    pub format: Format,
    /// What is probably not meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Item>,
    /// How many more warnings there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Why nobody checked the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}

impl Checked {
    /// Checks what a file is to hold.
    ///
    /// # Errors
    /// The text has a syntax error.
    pub(crate) fn of(path: &str, bytes: &[u8]) -> Result<Self> {
        let Some(format) = Format::of_path(path) else {
            return Ok(Self::not(
                Format::Unknown,
                "Not checked: the file's name tells none of the formats that can be checked.",
            ));
        };
        let Ok(text) = str::from_utf8(bytes) else {
            return Ok(Self::not(format, "Not checked: the file is not UTF-8."));
        };
        let report = validate(text, Some(format), None);
        if report.is_refused() {
            let (path, report, parts) = (path.to_owned(), Box::new(report), Vec::new());
            return Err(Error::Invalid { path, report, parts });
        }
        let Report { valid, format, errors, mut warnings, omitted, note, .. } = report;
        // Of a valid text, the findings among the errors are warnings.
        warnings.extend(errors);
        Ok(Self { valid, format, warnings, omitted, note })
    }

    fn not(format: Format, note: &'static str) -> Self {
        Self { valid: None, format, warnings: Vec::new(), omitted: 0, note: Some(note) }
    }
}
