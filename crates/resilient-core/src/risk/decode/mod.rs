//! Undoing what hides a secret: encodings, cuts and look-alike letters.
//!
//! A *view* is a piece of the text after one decoding, with the place it came from. Views are
//! scanned like texts, and views of views down to [`DEPTH_MAX`]. All decodings together may
//! produce no more than [`budget`] allows; a text that asks for more is seen only so far. Nothing
//! is guessed twice and nothing is searched: each decoding is one pass.

mod blob;
mod escape;
mod fold;
mod join;

use std::ops::Range;

/// Views of views are made so deep: the third view is made of the second one.
pub(super) const DEPTH_MAX: usize = 3;

/// What views may produce together, in bytes, for a text of a given length.
pub(super) const fn budget(len: usize) -> usize {
    2 * len + (32 << 10)
}

/// A decoded piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The name of the decoding.
    pub(super) via: &'static str,
    /// What it was decoded from.
    pub(super) source: Range<usize>,
    pub(super) text: String,
    /// How far to trust what is found in it.
    pub(super) trust: Trust,
}

/// How far a decoding can be trusted to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The text says that it is encoded: everything is looked for.
    Full,
    /// Chance or honest code can look like it: only formats that name their vendor count.
    Names,
}

/// Makes the views of a text whose runs are known, as far as the budget goes.
pub(super) fn views(
    text: &str,
    runs: &[Range<usize>],
    digits: &[Range<usize>],
    budget: &mut usize,
) -> Vec<View> {
    let mut views = Views { views: Vec::new(), budget };
    blob::views(text, runs, &mut views);
    escape::views(text, &mut views);
    join::views(text, runs, digits, &mut views);
    if !text.is_ascii() {
        fold::views(text, &mut views);
    }
    views.views
}

/// Views so far, and what is left of the budget.
struct Views<'a> {
    views: Vec<View>,
    budget: &'a mut usize,
}

impl Views<'_> {
    fn add(&mut self, via: &'static str, source: Range<usize>, text: String, trust: Trust) {
        if let Some(left) = self.budget.checked_sub(text.len()) {
            *self.budget = left;
            self.views.push(View { via, source, text, trust });
        }
    }

    fn has_room(&self, len: usize) -> bool {
        *self.budget >= len
    }
}

/// Tells whether a token is base64 of plain text.
pub(super) fn is_base64_text(token: &str) -> bool {
    base64_text(token).is_some()
}

/// The plain text that a token is base64 of.
pub(super) fn base64_text(token: &str) -> Option<String> {
    blob::base64(token.as_bytes())
}

/// Tells whether bytes are text: printable, but for a control character now and then.
fn is_text(bytes: &[u8]) -> bool {
    let control = bytes.iter().filter(|byte| **byte < 32 && !b"\n\r\t".contains(byte)).count();
    control * 50 <= bytes.len() && !bytes.contains(&0)
}
