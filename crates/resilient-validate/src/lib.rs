//! Is this text well formed? Syntax checks for LaTeX, JSON, JSON Lines, Python, YAML and TOML.
//!
//! [`validate`] takes a text and answers a [`Report`]: the format, and each fault with its line, its
//! column where that is known, and a message. A check goes on after a fault where it can, so one
//! report tells all faults, up to a hundred, and counts the others. The crate reads no file and keeps no state. It is made
//! for text that a program wrote and nobody has read yet, so hostile input is expected: no text
//! makes it panic or fail, the stack that it uses does not grow with the text, and its time is linear
//! in the length of the text.
//!
//! ```
//! use resilient_validate::{Severity, validate};
//!
//! let report = validate("[server]\nport = \n", None, Some("settings.toml"));
//! assert_eq!(report.valid, Some(false));
//! assert_eq!(report.errors[0].line, 2);
//! assert_eq!(report.errors[0].severity, Severity::Error);
//!
//! assert_eq!(validate("print('hello')", None, Some("hello.py")).valid, Some(true));
//! assert_eq!(validate("hello", None, Some("hello.txt")).valid, None);
//! ```
//!
//! A report says whether a parser would accept the text, or that nobody checked it. It does not say
//! whether the text is right: Python is compiled and not run, LaTeX is read and not typeset, and no
//! schema is checked.

mod findings;
mod format;
mod json;
mod latex;
mod lines;
mod python;
mod report;
mod toml;
mod yaml;

use findings::Findings;
pub use format::{Format, UnknownFormat};
pub use report::{Item, Report, Severity};

/// Validates `content` as the format that the hint, the path or the text itself suggests.
///
/// The hint wins over the extension of `target_path`, and that over the first characters of the
/// text. Text of no known format is not checked.
///
/// ```
/// use resilient_validate::{Format, validate};
///
/// let report = validate("{\"key\":}", None, Some("settings.json"));
/// assert_eq!(report.format, Format::Json);
/// assert_eq!(report.summary, "json: 1 error(s)");
/// assert_eq!(report.errors[0].message, "Expecting value");
/// ```
#[must_use]
pub fn validate(content: &str, format_hint: Option<Format>, target_path: Option<&str>) -> Report {
    let format =
        format_hint.or_else(|| target_path.and_then(Format::of_path)).unwrap_or_else(|| {
            match Format::from_content(content) {
                Format::Json if json::has_texts_on_lines(content) => Format::Jsonl,
                format => format,
            }
        });
    let found = match format {
        Format::Latex => Some(latex::check(content)),
        Format::Json => Some(json::check(content)),
        Format::Jsonl => Some(json::check_lines(content)),
        Format::Python => python::check(content),
        Format::Yaml => Some(yaml::check(content)),
        Format::Toml => Some(toml::check(content)),
        Format::Unknown => return Report::unchecked(format, UNKNOWN),
    };
    match found {
        Some(Findings { items, errors, warnings }) => Report::new(format, items, errors, warnings),
        None => Report::unchecked(format, "Not checked: the parser could not run here."),
    }
}

const UNKNOWN: &str =
    "Not checked: neither the name nor the text tells one of the formats that can be checked.";

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
            ("log.jsonl", Format::Jsonl),
            ("log.NDJSON", Format::Jsonl),
            ("a.pyi", Format::Python),
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
        for lines in ["{\"a\": 1}\n{\"a\": 2}\n", "\n[1]\r\n\r\n[2", "{}\n{\"a\":}"] {
            assert_eq!(format_of(lines, None, None), Format::Jsonl, "{lines:?}");
            assert_eq!(format_of(lines, None, Some("a.json")), Format::Json, "{lines:?}");
        }
        for one in ["{}\n", "[1] [2]", "{}\n}", "[\n[1],\n[2]\n]", "[1,\n[2]]", "{\"a\":\n{}}"] {
            assert_eq!(format_of(one, None, None), Format::Json, "{one:?}");
        }
        assert_eq!(format_of("\\documentclass{article}", None, None), Format::Unknown);
    }

    #[test]
    fn text_of_no_known_format_is_not_said_to_be_valid() {
        let report = validate("}{ whatever", None, Some("notes.txt"));
        assert_eq!(
            serde_json::to_value(&report).unwrap(),
            serde_json::json!({
                "valid": null, "format": "unknown", "errors": [],
                "summary": "unknown: not checked", "note": UNKNOWN,
            })
        );
        assert!(!report.is_refused());
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
}
