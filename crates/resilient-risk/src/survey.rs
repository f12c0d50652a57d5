//! A survey of a text: all that is known of it before anything is judged.

use std::ops::Range;

use super::literals::{self, Place};
use super::marks::{Lines, Marks};
use super::runs::{self, Run};
use super::words::Said;

/// What is known of a text.
pub(super) struct Survey {
    pub(super) marks: Marks,
    pub(super) lines: Lines,
    /// The runs, in order.
    pub(super) runs: Vec<Run>,
    /// Where digits are dense: stretches in order, not touching.
    pub(super) dense: Vec<Range<usize>>,
    /// Where literals stand, in order.
    pub(super) places: Vec<Place>,
    /// The words that announce secrets: first those in any case, then the others, each in order.
    pub(super) words: Vec<Said>,
}

impl Survey {
    /// Surveys a text.
    pub(super) fn of(text: &[u8]) -> Self {
        let marks = Marks::of(text);
        let (lines, runs, dense) = (marks.lines(text), runs::find(text, &marks), marks.dense());
        let (places, words) = literals::find(text, &marks);
        Self { marks, lines, runs, dense, places, words }
    }
}
