//! The index of a text: all that is known of it before anything is judged.

use std::ops::Range;

use super::byte_classes::{ByteClasses, Lines};
use super::keywords::KeywordHit;
use super::needles::{self, NeedlePlace};
use super::runs::{self, Run};

/// What is known of a text.
pub(super) struct TextIndex {
    pub(super) byte_classes: ByteClasses,
    pub(super) lines: Lines,
    /// The runs, in order.
    pub(super) runs: Vec<Run>,
    /// Where digits are dense: stretches in order, not touching.
    pub(super) digit_regions: Vec<Range<usize>>,
    /// Where needles stand, in order.
    pub(super) places: Vec<NeedlePlace>,
    /// The words that announce secrets: first those in any case, then the others, each in order.
    pub(super) keywords: Vec<KeywordHit>,
}

impl TextIndex {
    /// Indexes a text.
    pub(super) fn of(text: &[u8]) -> Self {
        let byte_classes = ByteClasses::of(text);
        let (lines, runs, digit_regions) = (
            byte_classes.lines(text),
            runs::find(text, &byte_classes),
            byte_classes.digit_regions(),
        );
        let (places, keywords) = needles::find(text, &byte_classes);
        Self { byte_classes, lines, runs, digit_regions, places, keywords }
    }
}
