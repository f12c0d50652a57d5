//! A survey of a text: all that is known of it before anything is judged.

use std::cell::Cell;
use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use super::literals::{self, Place};
use super::marks::{Lines, Marks};
use super::runs::Runs;
use super::words::Said;

/// What is known of a text.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) marks: Marks,
    pub(super) lines: Lines,
    pub(super) runs: Runs,
    /// Where digits are dense: stretches in order, not touching.
    pub(super) dense: Vec<Range<usize>>,
    /// Where literals stand, in order.
    pub(super) places: Vec<Place>,
    /// The words that announce secrets: first those in any case, then the others, each in order.
    pub(super) words: Vec<Said>,
}

thread_local! {
    /// A survey of a text before. Most threads look at many texts, and to ask for memory again for each of
    /// them costs nearly as much as to survey it.
    static LAST: Cell<Option<Box<Survey>>> = const { Cell::new(None) };
}

impl Survey {
    /// Surveys a text.
    pub(super) fn of(text: &[u8]) -> Box<Self> {
        let mut survey = LAST.take().unwrap_or_default();
        dispatch!(Level::new(), simd => survey.make(simd, text));
        survey
    }

    /// The same with the vectors of some machine.
    #[inline(always)]
    fn make<S: Simd>(&mut self, simd: S, text: &[u8]) {
        let Self { marks, lines, runs, dense, places, words } = self;
        marks.mark(simd, text, Some(literals::searcher()));
        *lines = marks.lines(simd, text);
        runs.find(simd, text, marks);
        marks.dense(simd, dense);
        literals::find(text, marks, places, words);
    }

    /// Keeps the memory of a survey that nobody needs any more for the next text.
    pub(super) fn recycle(self: Box<Self>) {
        /// That of longer lists is not kept: a group of the text each takes some.
        const LEN_MAX: usize = 1 << 16;
        let Self { marks, runs, dense, places, words, .. } = &*self;
        let lists = [runs.all.capacity(), dense.capacity(), places.capacity(), words.capacity()];
        if lists.into_iter().fold(marks.capacity(), usize::max) <= LEN_MAX {
            LAST.set(Some(self));
        }
    }
}
