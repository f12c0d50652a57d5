//! The formats that can be validated, and how one is found for a text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The formats that can be validated, and the answer for all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A LaTeX document, or a piece of one.
    Latex,
    /// JSON as Python's decoder reads it: `NaN`, `Infinity` and repeated keys are warnings.
    Json,
    /// JSON Lines: a JSON text on each line.
    Jsonl,
    /// A Python module.
    Python,
    /// A YAML document; a second one is a warning.
    Yaml,
    /// A TOML document.
    Toml,
    /// None of the above; nobody checks it. It cannot be asked for.
    Unknown,
}

impl Format {
    /// The names that [`Format::from_str`] takes.
    pub const NAMES: [&str; 6] = ["latex", "json", "jsonl", "python", "yaml", "toml"];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Latex => "latex",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Python => "python",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
            Self::Unknown => "unknown",
        }
    }

    /// The format that the extension of a path names, in any case: `.tex`, `.json`, `.jsonl`,
    /// `.ndjson`, `.py`, `.pyi`, `.yaml`, `.yml` or `.toml`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?;
        let (stem, extension) = name.rsplit_once('.')?;
        // A name that is all extension, such as `.json`, has none.
        if stem.is_empty() {
            return None;
        }
        match extension.to_ascii_lowercase().as_str() {
            "tex" => Some(Self::Latex),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "py" | "pyi" => Some(Self::Python),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    pub(crate) fn from_content(content: &str) -> Self {
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
            "jsonl" => Ok(Self::Jsonl),
            "python" => Ok(Self::Python),
            "yaml" => Ok(Self::Yaml),
            "toml" => Ok(Self::Toml),
            _ => Err(UnknownFormat(name.to_owned())),
        }
    }
}

/// A format name that is not one of [`Format::NAMES`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {0:?}, expected one of latex, json, jsonl, python, yaml, toml")]
pub struct UnknownFormat(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_names_round_trip_and_unknown_cannot_be_asked_for() {
        for name in Format::NAMES {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
            assert_eq!(serde_json::to_value(name.parse::<Format>().unwrap()).unwrap(), name);
        }
        assert_eq!("unknown".parse::<Format>(), Err(UnknownFormat("unknown".into())));
        assert!("JSON".parse::<Format>().is_err());
    }
}
