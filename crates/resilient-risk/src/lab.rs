//! What training and evaluation need and nobody else: candidates with their features, and reports
//! by another model than the built-in one.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

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
    dispatch!(Level::new(), simd => examples_in(simd, text.as_bytes()))
}

#[inline(always)]
fn examples_in<S: Simd>(simd: S, bytes: &[u8]) -> Vec<Example> {
    let mut examples = Vec::new();
    let survey = Survey::of(bytes);
    let marks = &survey.marks;
    for run in &survey.runs.all {
        candidate::of_run(simd, bytes, marks, run, candidate::Wanted::All, |candidate| {
            let words = features::Words::before(simd, bytes, &candidate);
            let mut seen = Vec::new();
            features::of(simd, bytes, &marks.token, &candidate, &words, |feature| {
                seen.push(feature);
            });
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
