//! What training and evaluation need and nobody else: candidates with their features, what texts are drawn from, and
//! reports by another model than the built-in one.

use std::ops::Range;

pub use super::features::BUCKETS;
use super::format::Format;
pub use super::model::Model;
use super::policy::Policy;
use super::report::Report;
use super::rows::ROWS;
use super::score::score_through;
use super::tables::{SECRET_WORDS, SERVICES};
use super::text_index::TextIndex;
use super::{candidate, features};

/// A candidate of a text as the model sees it.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where it is.
    pub span: Range<usize>,
    /// Its hashed features.
    pub features: Vec<u16>,
}

/// A form of tokens: a row of the built-in table.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The row's name.
    pub name: &'static str,
    /// Its family.
    pub family: &'static str,
    format: &'static Format<'static>,
}

impl Form {
    /// A text of this form. Its characters are those that a number below a given one chooses.
    #[must_use]
    pub fn draw(&self, choose: impl FnMut(usize) -> usize) -> String {
        self.format.draw(choose)
    }
}

/// The forms of the built-in table, in its order.
pub fn forms() -> impl Iterator<Item = Form> {
    ROWS.iter().map(|(row, format)| Form { name: row.name, family: row.family, format })
}

/// The words by which people call secrets.
pub fn secret_words() -> impl Iterator<Item = &'static str> {
    SECRET_WORDS.iter().filter_map(|word| std::str::from_utf8(word).ok())
}

/// The names of services that hand out keys.
pub fn services() -> impl Iterator<Item = &'static str> {
    SERVICES.iter().filter_map(|name| std::str::from_utf8(name).ok())
}

/// Every candidate of a text. Training takes those in, too, that the model is not asked about: what
/// it learns of digests keeps it from secrets that look like them.
#[must_use]
pub fn examples(text: &str) -> Vec<Example> {
    let bytes = text.as_bytes();
    let mut examples = Vec::new();
    for run in &TextIndex::of(bytes).runs {
        candidate::of_run(bytes, run, candidate::Wanted::All, |candidate| {
            let words = features::PrecedingWords::before(bytes, &candidate);
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
