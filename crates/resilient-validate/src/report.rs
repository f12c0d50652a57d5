//! What a validation answers: the findings and their summary.

use serde::{Deserialize, Serialize};

use crate::format::Format;

/// What validation found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether no item is an error; warnings leave a text valid.
    pub valid: bool,
    /// The format the text was read as.
    pub format: Format,
    /// The findings, in the order of the checks that made them.
    pub errors: Vec<Item>,
    /// One line for people: `json: ok`, `latex: 1 error(s), 2 warning(s)`.
    pub summary: String,
}

impl Report {
    pub(crate) fn new(format: Format, items: Vec<Item>) -> Self {
        let errors = items.iter().filter(|item| item.severity == Severity::Error).count();
        let warnings = items.len() - errors;
        let summary = match (errors, warnings) {
            (0, 0) => format!("{format}: ok"),
            (0, _) => format!("{format}: {warnings} warning(s)"),
            (_, 0) => format!("{format}: {errors} error(s)"),
            _ => format!("{format}: {errors} error(s), {warnings} warning(s)"),
        };
        Self { valid: errors == 0, format, errors: items, summary }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1, where it is known.
    pub col: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// Whether it makes the text invalid.
    pub severity: Severity,
}

impl Item {
    pub(crate) fn error(line: usize, col: Option<usize>, message: impl Into<String>) -> Self {
        Self { line, col, message: message.into(), severity: Severity::Error }
    }

    pub(crate) fn warning(line: usize, col: Option<usize>, message: impl Into<String>) -> Self {
        Self { line, col, message: message.into(), severity: Severity::Warning }
    }
}

/// Whether a finding makes the text invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The text is not well formed.
    Error,
    /// Probably not what was meant.
    Warning,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_counts_errors_and_warnings() {
        let error = || Item::error(1, None, "e");
        let warning = || Item::warning(1, None, "w");
        let summary = |items| Report::new(Format::Latex, items).summary;
        assert_eq!(summary(vec![]), "latex: ok");
        assert_eq!(summary(vec![warning(), warning()]), "latex: 2 warning(s)");
        assert_eq!(summary(vec![error()]), "latex: 1 error(s)");
        assert_eq!(summary(vec![error(), warning()]), "latex: 1 error(s), 1 warning(s)");
    }
}
