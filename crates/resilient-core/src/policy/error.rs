//! Why a policy file does not count.

use super::place::{self, Place};

/// Why a policy file does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A pattern's regex does not compile.
    #[error("regex of pattern `{name}` in family `{family}`: {message}")]
    BadRegex {
        /// The pattern's family.
        family: String,
        /// The pattern's name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// A rule's form is none.
    #[error("form of rule `{name}` {message}")]
    BadForm {
        /// The rule's name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// The text is not one YAML document, or a larger one than any policy needs.
    #[error("policy is not valid YAML: {message}")]
    Yaml {
        /// What is wrong with it, and where.
        message: String,
        /// The line of it.
        line: Option<u64>,
        /// The column of it.
        column: Option<u64>,
    },
    /// A policy does not have this key.
    #[error("policy key `{}` is not known", key.join("."))]
    UnknownKey {
        /// The keys that lead to it, itself at the end.
        key: Vec<String>,
        /// The key that may be meant.
        nearest: Option<&'static str>,
        /// The keys that may stand there, if they are few.
        known: Vec<&'static str>,
    },
    /// The document is something else than a mapping.
    #[error("policy is not a YAML mapping")]
    NotMapping,
    /// A key has a value that it cannot have.
    #[error("policy key `{key}` {message}")]
    BadValue {
        /// The key, dotted when it is an inner one.
        key: String,
        /// What the value must be.
        message: String,
    },
}

impl PolicyError {
    /// Returns the error in the form clients know as `context.reason`.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::BadRegex { message, .. } => format!("bad_regex: {message}"),
            Self::BadForm { name, message } => format!("bad_form: the form of `{name}` {message}"),
            Self::Yaml { message, .. } => format!("yaml_error: {message}"),
            Self::NotMapping => "policy_yaml_not_mapping".to_owned(),
            Self::UnknownKey { key, nearest, known } => {
                let known = || known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>();
                let more = match nearest {
                    Some(nearest) => format!(" (is `{nearest}` meant?)"),
                    None if known().is_empty() => String::new(),
                    None => format!(" (known are {})", known().join(", ")),
                };
                format!("unknown_key: {}{more}", key.join("."))
            }
            Self::BadValue { key, message } => format!("bad_value: {key} {message}"),
        }
    }

    /// Returns the place to correct in the text that was refused.
    #[must_use]
    pub fn place(&self, text: &str) -> Option<Place> {
        match self {
            Self::BadRegex { family, name, .. } => place::of_regex(text, family, name),
            Self::BadForm { name, .. } => place::of_form(text, name),
            Self::Yaml { line, column, .. } => {
                line.map(|line| Place { line, column: column.unwrap_or(1) })
            }
            Self::NotMapping => Some(Place { line: 1, column: 1 }),
            Self::UnknownKey { key, .. } => place::of_key(text, key),
            Self::BadValue { key, .. } => {
                let key: Vec<String> = key.split('.').map(str::to_owned).collect();
                place::of_key(text, &key)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::error;

    #[test]
    fn the_line_to_correct_is_named() {
        for (text, line) in [
            ("- a\n", 1),
            ("version: 1\nthresholds: {high: [\n", 2),
            ("a: 1\nb: 2\na: 3\n", 3),
            ("\n\nallow_git_writes: maybe\n", 3),
            ("thresholds:\n  high: 1\n  low: x\n", 3),
            ("extend_patterns:\n  a:\n  - name: n\n    regex: (\n", 4),
        ] {
            assert_eq!(error(text).place(text).map(|place| place.line), Some(line), "{text}");
        }
    }
}
