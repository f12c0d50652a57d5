//! What training and evaluation need and nobody else: candidates with their features, and reports
//! by another model than the built-in one.

use std::ops::Range;

pub use super::features::BUCKETS;
pub use super::model::Model;
use super::policy::Policy;
use super::report::Report;
use super::score::score_through;
use super::survey::Survey;
use super::{candidate, features};

/// A candidate of a text as the model sees it.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where it is.
    pub span: Range<usize>,
    /// Its hashed features.
    pub features: Vec<u16>,
}

/// Every candidate of a text. Training takes those in, too, that the model is not asked about: what
/// it learns of digests keeps it from secrets that look like them.
#[must_use]
pub fn examples(text: &str) -> Vec<Example> {
    let bytes = text.as_bytes();
    let mut examples = Vec::new();
    for run in &Survey::of(bytes).runs {
        candidate::of_run(bytes, run, candidate::Wanted::All, |candidate| {
            let words = features::Words::before(bytes, &candidate);
            let mut seen = Vec::new();
            features::of(bytes, &candidate, &words, |feature| seen.push(feature));
            examples.push(Example { span: candidate.whole(), features: seen });
        });
    }
    examples
}

/// Takes how many bytes were looked at on this thread since it was asked last.
#[cfg(fuzzing)]
#[must_use]
pub fn work_taken() -> u64 {
    super::work::taken()
}

/// Scores a text with the given model, or with none.
#[must_use]
pub fn score_with(content: &str, policy: &Policy, model: Option<&Model>) -> Report {
    score_through(content, policy, model, usize::MAX)
}
