//! Why a text is not redacted.

/// Why there is no redaction of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no such family or finding.
    #[error("{0}")]
    NoSuchChoice(String),
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
