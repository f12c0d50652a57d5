//! What was found and counts: the policy's own patterns with it, what it lets pass without.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memchr_iter, memmem};

use super::family;
use super::known_formats;
use super::pattern::{Pattern, Reads};
use super::placeholder;
use super::policy::{Placeholders, Policy};
use super::report::{PatternHit, SizeHit};
use super::rule::Dummy;
use super::scan::Finding;

/// The families that can be found under a policy: the built-in ones, then those it adds.
pub(super) fn families<'a>(policy: &'a Policy) -> impl Iterator<Item = &'a str> {
    let built_in = family::names().map(|name| -> &'a str { name });
    built_in.chain(policy.extra_patterns.iter().map(Pattern::family))
}

/// Tells whether a family's matches are to be taken out, not to be split off.
pub(super) fn is_secret(family: &str) -> bool {
    family != family::BINARY_HINT && family != SizeHit::KIND
}

/// Tells what counts of what was found: the built-in patterns in the order of their table, then what the
/// policy adds. Snippets and lines are left to those who show them.
pub(super) fn each_hit(
    content: &str,
    found: Vec<Finding>,
    policy: &Policy,
    mut each: impl FnMut(PatternHit),
) {
    let disabled = |family: &str| policy.disabled_families.contains(family);
    let is_let_pass = |hit: &PatternHit| {
        let matched = content.get(hit.span.clone()).unwrap_or_default();
        let is_known = |text: &str| policy.allow.finding(&hit.pattern, text);
        // Behind its name stands the value.
        let is_value_known = || {
            let name = known_formats::name_len(hit, matched);
            name > 0 && matched.get(name..).is_some_and(is_known)
        };
        hit.placeholder && policy.placeholders == Placeholders::Ignore
            || is_known(matched)
            || !policy.allow.values.is_empty() && is_value_known()
    };
    let mut tell = |hit: PatternHit| {
        if !is_let_pass(&hit) {
            each(hit);
        }
    };
    for found in found {
        if disabled(found.family) {
            continue;
        }
        tell(PatternHit {
            kind: Cow::Borrowed(found.family),
            pattern: Cow::Borrowed(found.pattern),
            placeholder: found.placeholder,
            via: found.via,
            span: found.span,
            pieces: found.pieces,
            margin: found.margin,
            ..PatternHit::default()
        });
    }
    let mut reads = Reads::of(content.len());
    // The prefixes of dummies, and where tokens begin that may have one.
    let (mut dummies, mut tokens) = (Vec::new(), BTreeSet::new());
    for pattern in policy.extra_patterns.iter().filter(|pattern| !disabled(pattern.family())) {
        let (kind, name) = pattern.names();
        let hit = |name, span, placeholder| PatternHit {
            kind: kind.clone(),
            pattern: name,
            placeholder,
            span,
            rule: pattern.rule().cloned(),
            ..PatternHit::default()
        };
        let own = pattern.rule().map(|rule| rule.dummy.as_slice()).unwrap_or_default();
        let named =
            |dummy: &Dummy| (dummy.prefix.clone(), hit(Cow::Owned(dummy.name.clone()), 0..0, true));
        dummies.extend(own.iter().map(named));
        let matches = pattern.matches(content, &mut reads);
        // What a mark says is no match of what it stands for.
        for span in matches.filter(|span| span.is_empty() || !is_in_mark(content, span)) {
            let matched = content.get(span.clone()).unwrap_or_default();
            let placeholder = pattern.body(matched).is_some_and(placeholder::is_dummy);
            tokens.extend((!own.is_empty()).then_some(span.start));
            tell(hit(name.clone(), span, placeholder));
        }
    }
    each_dummy(content, &dummies, |hit| {
        if !tokens.contains(&hit.span.start) && !is_in_mark(content, &hit.span) {
            tell(hit);
        }
    });
}

/// Finds the prefixes of a policy where a word begins and what stands for a token is behind them.
fn each_dummy(content: &str, dummies: &[(String, PatternHit)], mut each: impl FnMut(PatternHit)) {
    if dummies.is_empty() {
        return;
    }
    let prefixes = dummies.iter().map(|(prefix, _)| prefix);
    let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(prefixes);
    let bytes = content.as_bytes();
    for found in search.iter().flat_map(|search| search.find_iter(content)) {
        let before = found.start().checked_sub(1).and_then(|before| bytes.get(before));
        let behind = bytes.get(found.end()..).unwrap_or_default();
        if !before.is_some_and(u8::is_ascii_alphanumeric)
            && let Some((_, hit)) = dummies.get(found.pattern().as_usize())
            && let Some(len) = placeholder::mark_len(behind)
        {
            each(PatternHit { span: found.start()..found.end() + len, ..hit.clone() });
        }
    }
}

/// Tells whether a stretch of a text lies in the mark of a redaction.
fn is_in_mark(content: &str, span: &Range<usize>) -> bool {
    const MARK_MAX: usize = 160;
    let bytes = content.as_bytes();
    let before = bytes.get(span.start.saturating_sub(MARK_MAX)..span.end).unwrap_or_default();
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b":_-".contains(byte);
    let is_mark = |open: &[u8], close: &[u8]| {
        let inside = memmem::rfind(before, open).and_then(|at| before.get(at + open.len()..));
        inside.is_some_and(|inside| {
            inside.strip_suffix(close).unwrap_or(inside).iter().all(is_inside)
        })
    };
    is_mark(b"<REDACTED:", b">") || is_mark(b"[REDACTED:", b"]")
}

/// Fills in the lines, in one walk over the text.
pub(super) fn number_lines(bytes: &[u8], hits: &mut [PatternHit]) {
    let mut order: Vec<&mut PatternHit> = hits.iter_mut().collect();
    order.sort_by_key(|hit| hit.span.start);
    let (mut line, mut counted) = (1, 0);
    for hit in order {
        let gap = bytes.get(counted..hit.span.start).unwrap_or_default();
        line += memchr_iter(b'\n', gap).count();
        counted = hit.span.start;
        hit.line = line;
    }
}
