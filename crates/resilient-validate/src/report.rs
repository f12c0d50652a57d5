//! What a validation answers: the findings and their summary.

use serde::{Deserialize, Serialize};

use crate::format::Format;

/// How many findings a report lists.
const LISTED_MAX: usize = 100;

/// What validation found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether no finding is an error; warnings leave a text valid. `None` where nobody checked the
    /// text.
    pub valid: Option<bool>,
    /// The format the text was read as.
    pub format: Format,
    /// The errors, in the order of the checks that made them; of LaTeX, the warnings too.
    pub errors: Vec<Item>,
    /// The warnings of all other formats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Item>,
    /// How many findings are in neither list.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// One line for people: `json: ok`, `latex: 1 error(s), 2 warning(s)`.
    pub summary: String,
    /// Why nobody checked the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Report {
    /// The report of a text that was checked. `errors` and `warnings` count all findings, those too
    /// that are not among the `items`.
    pub(crate) fn new(
        format: Format,
        mut items: Vec<Item>,
        errors: usize,
        warnings: usize,
    ) -> Self {
        let summary = match (errors, warnings) {
            (0, 0) => format!("{format}: ok"),
            (0, _) => format!("{format}: {warnings} warning(s)"),
            (_, 0) => format!("{format}: {errors} error(s)"),
            _ => format!("{format}: {errors} error(s), {warnings} warning(s)"),
        };
        items.truncate(LISTED_MAX);
        let omitted = (errors + warnings).saturating_sub(items.len());
        // LaTeX has its warnings among the errors, where the Python server's users look for them.
        let (errors_listed, warnings_listed) = items
            .into_iter()
            .partition(|item| format == Format::Latex || item.severity == Severity::Error);
        Self {
            valid: Some(errors == 0),
            format,
            errors: errors_listed,
            warnings: warnings_listed,
            omitted,
            summary,
            note: None,
        }
    }

    /// The report of a text that nobody could check.
    pub(crate) fn unchecked(format: Format, note: &'static str) -> Self {
        Self {
            valid: None,
            format,
            errors: Vec::new(),
            warnings: Vec::new(),
            omitted: 0,
            summary: format!("{format}: not checked"),
            note: Some(note),
        }
    }

    /// Whether the text was checked and has an error.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.valid == Some(false)
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
        let summary =
            |errors, warnings| Report::new(Format::Latex, vec![], errors, warnings).summary;
        assert_eq!(summary(0, 0), "latex: ok");
        assert_eq!(summary(0, 2), "latex: 2 warning(s)");
        assert_eq!(summary(1, 0), "latex: 1 error(s)");
        assert_eq!(summary(1, 1), "latex: 1 error(s), 1 warning(s)");
    }

    #[test]
    fn a_report_lists_a_hundred_findings_and_counts_the_others() {
        let items = vec![Item::error(1, None, "e"); 150];
        let report = Report::new(Format::Json, items, 170, 3);
        assert_eq!((report.errors.len(), report.omitted), (100, 73));
        assert_eq!(report.summary, "json: 170 error(s), 3 warning(s)");
    }

    #[test]
    fn warnings_have_a_list_of_their_own_but_in_latex() {
        let items = || vec![Item::error(1, None, "e"), Item::warning(1, None, "w")];
        let json = Report::new(Format::Json, items(), 1, 1);
        assert_eq!((json.errors.len(), json.warnings.len()), (1, 1));
        let latex = Report::new(Format::Latex, items(), 1, 1);
        assert_eq!((latex.errors.len(), latex.warnings.len()), (2, 0));
    }
}
