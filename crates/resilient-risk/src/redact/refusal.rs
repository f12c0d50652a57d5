//! Why a text is not redacted.

/// Why there is no redaction of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no such family.
    #[error("no family {name:?}; there are {}, placeholder, and findings by number", known.join(", "))]
    NoSuchFamily {
        /// What was chosen.
        name: String,
        /// The families that there are.
        known: Vec<String>,
        /// Those of which the text has findings.
        found: Vec<String>,
    },
    /// There is no such finding.
    #[error("no finding {number}; there are {found}")]
    NoSuchFinding {
        /// The number that was chosen.
        number: usize,
        /// How many there are.
        found: usize,
    },
    /// What was chosen is no text.
    #[error("finding {0} is a size, not a text")]
    IsASize(usize),
    /// More is to be taken out than one redaction does.
    #[error("{count} places are to be redacted, and one call takes {most}")]
    TooMany {
        /// How many.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// Something that was chosen would still be found in the result.
    #[error("{count} findings would be left, the first in line {line}")]
    Left {
        /// How many.
        count: usize,
        /// The first line that has one.
        line: usize,
        /// Their families.
        kinds: Vec<String>,
    },
    /// A parser takes the text and would not take the result.
    #[error("the result is not valid {format}: line {line}: {message}")]
    Breaks {
        /// The format.
        format: &'static str,
        /// The first line that is wrong.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
}
