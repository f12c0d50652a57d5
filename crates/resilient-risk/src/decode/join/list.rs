//! Lists of literals, and from which of their items on a token may go on.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::super::bits::padded;
use super::super::super::known_formats;
use super::super::encoded::{BASE64_HEAD, is_base64_head};
use super::around::{is_format, is_joined};
use super::chain::CHAIN_MAX;
use super::joint::GAP_MAX;
use super::literal::{PART_MAX, Source, is_quote};
use super::may_hold;

/// Formats begin with so many characters.
const PREFIX_MIN: usize = 4;

/// So much is looked at to tell how a list begins.
const HEAD_MAX: usize = 128;

/// A literal, and a sign in it that another literal takes the place of.
static WITHOUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let literal = r#"["'`]([^\s"'`]+)["'`]"#;
    Regex::new(&format!(r"(?-u){literal}\.replace(?:All)?\({literal},[ \t]*$")).ok()
});

impl Source<'_> {
    /// The literal of a list from which on it may be a token: a program says that it joins the list, or a token begins
    /// there. It is the one that a quote opens, or the first one.
    pub(super) fn list(&self, first: Option<usize>, quote: usize) -> Option<usize> {
        let is_call = |open: &usize| is_joined(self.bytes, *open) || is_format(self.bytes, *open);
        // The literals after it may go on with what this one begins with.
        let goes_on = |open: &usize| {
            self.begins(*open) && may_hold(&self.joined(&self.chain(*open, HEAD_MAX).parts))
        };
        let begun = || first.into_iter().chain([quote]).find(goes_on);
        first.filter(is_call).or_else(begun).or_else(|| {
            // What begins a token stands in several literals.
            let open = first.filter(|open| self.is_short(*open, quote))?;
            let parts = self.chain(open, CHAIN_MAX).parts;
            let joined = self.joined(&parts);
            let mut rest = joined.as_slice();
            let part = parts.iter().find(|part| {
                let may_hold = may_hold(rest);
                rest = rest.get(part.len()..).unwrap_or_default();
                may_hold
            });
            part.map(|part| part.start - 1)
        })
    }

    /// What is left of a literal when another one stands for what is taken out of it: `"a#b".replace("#", "")`.
    pub(super) fn without(&self, empty: usize) -> Option<Vec<Range<usize>>> {
        let floor = empty.saturating_sub(PART_MAX + GAP_MAX);
        let call = WITHOUT.as_ref()?.captures(self.bytes.get(floor..empty)?)?;
        let part = |nth| Some(floor + call.get(nth)?.start()..floor + call.get(nth)?.end());
        let (whole, sign) = (part(1)?, self.text.get(part(2)?)?);
        let mut at = whole.start;
        let parts = self.text.get(whole)?.split(sign).map(|part| {
            at += part.len() + sign.len();
            at - sign.len() - part.len()..at - sign.len()
        });
        Some(parts.collect())
    }

    /// What some parts say together.
    pub(super) fn joined(&self, parts: &[Range<usize>]) -> Vec<u8> {
        parts.iter().flat_map(|part| self.said(part)).copied().collect()
    }

    /// Tells whether a literal is shorter than what formats begin with, and not shorter than the next one.
    fn is_short(&self, open: usize, next: usize) -> bool {
        let [first, second] = [open, next].map(|open| self.byte_classes.alnum.run(open + 1));
        first < PREFIX_MIN && first >= second && is_quote(self.byte(open + 1 + first))
    }

    /// Tells by its first characters whether a format, or base64 of text, may begin with a literal.
    pub(super) fn begins(&self, open: usize) -> bool {
        let rest = self.bytes.get(open + 1..).unwrap_or_default();
        let len = self.byte_classes.alnum.run_to(open + 1, open + 2 + BASE64_HEAD);
        let mark = rest.get(len).copied();
        // The next literal may go on with the same word.
        let is_cut = len >= PREFIX_MIN && mark.is_some_and(is_quote);
        let word = if is_cut { BASE64_HEAD + PREFIX_MIN } else { len };
        let has_head =
            || self.byte_classes.token.run_to(open + 1, open + 1 + BASE64_HEAD) == BASE64_HEAD;
        known_formats::may_begin(padded(rest), word, mark) || has_head() && is_base64_head(rest)
    }
}
