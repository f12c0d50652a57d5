//! Is this text well formed? Validation of LaTeX, JSON, Python, YAML and TOML before it is written.
//!
//! [`validate`] is pure: text in, [`Report`] out. It never fails, never panics on any input, uses
//! stack that does not grow with the input, and takes time linear in its length. Each format has
//! its own file; this one decides the format, turns byte offsets into lines and columns, and words
//! the summary.
//!
//! A report says whether a parser would accept the text, not whether the text is right: Python is
//! parsed but not run, LaTeX is read but not typeset, schemas are nobody's business here.

mod json;
mod latex;
mod python;
mod toml;
mod yaml;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Validates `content` as the format that the hint, the path or the text itself suggests.
///
/// The hint wins over the extension of `target_path`, and that over the first characters of the
/// text. Text of no known format is valid and has no findings.
///
/// ```
/// use resilient_core::validate::{Format, validate};
///
/// let report = validate("{\"key\":}", None, Some("settings.json"));
/// assert_eq!(report.format, Format::Json);
/// assert_eq!(report.summary, "json: 1 error(s)");
/// assert_eq!(report.errors[0].message, "Expecting value");
/// ```
pub fn validate(content: &str, format_hint: Option<Format>, target_path: Option<&str>) -> Report {
    let format = format_hint
        .or_else(|| target_path.and_then(Format::from_extension))
        .unwrap_or_else(|| Format::from_content(content));
    let errors = match format {
        Format::Latex => latex::check(content),
        Format::Json => json::check(content).into_iter().collect(),
        Format::Python => python::check(content).into_iter().collect(),
        Format::Yaml => yaml::check(content).into_iter().collect(),
        Format::Toml => toml::check(content).into_iter().collect(),
        Format::Unknown => Vec::new(),
    };
    Report::new(format, errors)
}

/// The formats that can be validated, and the answer for all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A LaTeX document, or a piece of one.
    Latex,
    /// JSON as Python's decoder reads it: `NaN`, `Infinity` and repeated keys are accepted.
    Json,
    /// A Python module.
    Python,
    /// A single YAML document.
    Yaml,
    /// A TOML document.
    Toml,
    /// None of the above; always valid. It cannot be asked for.
    Unknown,
}

impl Format {
    /// The names that [`Format::from_str`] takes.
    pub const NAMES: [&str; 5] = ["latex", "json", "python", "yaml", "toml"];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Latex => "latex",
            Self::Json => "json",
            Self::Python => "python",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
            Self::Unknown => "unknown",
        }
    }

    fn from_extension(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?;
        let (stem, extension) = name.rsplit_once('.')?;
        // A name that is all extension, such as `.json`, has none.
        if stem.is_empty() {
            return None;
        }
        match extension.to_ascii_lowercase().as_str() {
            "tex" => Some(Self::Latex),
            "json" => Some(Self::Json),
            "py" => Some(Self::Python),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    fn from_content(content: &str) -> Self {
        let start = content.trim_start();
        if start.starts_with(['{', '[']) {
            Self::Json
        } else if start.starts_with("---") {
            Self::Yaml
        } else {
            Self::Unknown
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Reads one of [`Format::NAMES`].
    ///
    /// # Errors
    ///
    /// The name is not one of them; `unknown` is an answer, not a request.
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        match name {
            "latex" => Ok(Self::Latex),
            "json" => Ok(Self::Json),
            "python" => Ok(Self::Python),
            "yaml" => Ok(Self::Yaml),
            "toml" => Ok(Self::Toml),
            _ => Err(UnknownFormat(name.to_owned())),
        }
    }
}

/// A format name that is not one of [`Format::NAMES`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {0:?}, expected one of latex, json, python, yaml, toml")]
pub struct UnknownFormat(pub String);

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
    fn new(format: Format, items: Vec<Item>) -> Self {
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
    fn error(line: usize, col: Option<usize>, message: impl Into<String>) -> Self {
        Self { line, col, message: message.into(), severity: Severity::Error }
    }

    fn warning(line: usize, col: Option<usize>, message: impl Into<String>) -> Self {
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

/// Where the lines of a text start, to turn byte offsets into lines and columns.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let after_breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, starts: std::iter::once(0).chain(after_breaks).collect() }
    }

    /// Line and column, both counted from 1, of the character at or around `offset`.
    fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start..self.text.floor_char_boundary(offset)).unwrap_or("");
        (line, before.chars().count() + 1)
    }

    fn line(&self, offset: usize) -> usize {
        self.position(offset).0
    }

    /// The text up to and including the line with this number.
    fn through(&self, line: usize) -> &'a str {
        self.starts.get(line).and_then(|end| self.text.get(..*end)).unwrap_or(self.text)
    }

    fn count(&self) -> usize {
        self.starts.len()
    }

    fn error(&self, offset: usize, message: impl Into<String>) -> Item {
        let (line, col) = self.position(offset);
        Item::error(line, Some(col), message)
    }

    fn warning(&self, offset: usize, message: impl Into<String>) -> Item {
        let (line, col) = self.position(offset);
        Item::warning(line, Some(col), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_of(content: &str, hint: Option<Format>, path: Option<&str>) -> Format {
        validate(content, hint, path).format
    }

    #[test]
    fn hint_wins_over_extension_and_extension_over_content() {
        assert_eq!(format_of("{}", Some(Format::Yaml), Some("a.py")), Format::Yaml);
        assert_eq!(format_of("{}", None, Some("a.py")), Format::Python);
        assert_eq!(format_of("{}", None, Some("a.txt")), Format::Json);
        assert_eq!(format_of("{}", None, None), Format::Json);
    }

    #[test]
    fn extensions_are_read_from_the_last_name_in_any_case() {
        for (path, format) in [
            ("dir/main.tex", Format::Latex),
            ("A.TEX", Format::Latex),
            ("a.json", Format::Json),
            ("a.Py", Format::Python),
            ("a.yaml", Format::Yaml),
            ("a.yml", Format::Yaml),
            ("Cargo.toml", Format::Toml),
            (".json", Format::Unknown),
            ("a.json/readme", Format::Unknown),
            ("a.tex.bak", Format::Unknown),
            ("", Format::Unknown),
        ] {
            assert_eq!(format_of("", None, Some(path)), format, "{path}");
        }
    }

    #[test]
    fn content_is_sniffed_after_leading_space() {
        assert_eq!(format_of("\n  [1]", None, None), Format::Json);
        assert_eq!(format_of("\n---\na: 1\n", None, None), Format::Yaml);
        assert_eq!(format_of("hello", None, None), Format::Unknown);
        assert_eq!(format_of("\\documentclass{article}", None, None), Format::Unknown);
    }

    #[test]
    fn unknown_text_is_valid_and_has_no_items() {
        let report = validate("}{ whatever", None, Some("notes.txt"));
        assert_eq!(
            report,
            Report {
                valid: true,
                format: Format::Unknown,
                errors: vec![],
                summary: "unknown: ok".into()
            }
        );
    }

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

    #[test]
    fn report_serializes_with_the_fields_of_the_tool() {
        let report = validate("{\"key\":}", Some(Format::Json), None);
        assert_eq!(
            serde_json::to_value(&report).unwrap(),
            serde_json::json!({
                "valid": false,
                "format": "json",
                "errors": [{
                    "line": 1, "col": 8, "message": "Expecting value", "severity": "error"
                }],
                "summary": "json: 1 error(s)",
            })
        );
    }

    #[test]
    fn format_names_round_trip_and_unknown_cannot_be_asked_for() {
        for name in Format::NAMES {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
            assert_eq!(serde_json::to_value(name.parse::<Format>().unwrap()).unwrap(), name);
        }
        assert_eq!("unknown".parse::<Format>(), Err(UnknownFormat("unknown".into())));
        assert!("JSON".parse::<Format>().is_err());
    }

    #[test]
    fn positions_count_characters_from_one() {
        let lines = Lines::new("aé\nb");
        assert_eq!(lines.position(0), (1, 1));
        assert_eq!(lines.position(3), (1, 3));
        assert_eq!(lines.position(4), (2, 1));
        assert_eq!(lines.position(99), (2, 2));
    }
}
