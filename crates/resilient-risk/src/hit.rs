//! What was found and counts: the policy's own patterns with it, what it lets pass without.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr_iter, memmem};

use super::family;
use super::pattern::{Pattern, Reads};
use super::placeholder;
use super::policy::{Placeholders, Policy};
use super::report::{PatternHit, SizeHit};
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
    for found in found {
        let matched = || content.get(found.span.clone()).unwrap_or_default();
        if disabled(found.family)
            || found.placeholder && policy.placeholders == Placeholders::Ignore
            || policy.allow.finding(found.pattern, matched())
        {
            continue;
        }
        each(PatternHit {
            kind: Cow::Borrowed(found.family),
            pattern: Cow::Borrowed(found.pattern),
            placeholder: found.placeholder,
            via: found.via,
            span: found.span,
            pieces: found.pieces,
            ..PatternHit::default()
        });
    }
    let mut reads = Reads::of(content.len());
    for pattern in policy.extra_patterns.iter().filter(|pattern| !disabled(pattern.family())) {
        let matches = pattern.matches(content, &mut reads);
        // What a mark says is no match of what it stands for.
        for span in matches.filter(|span| span.is_empty() || !is_in_mark(content, span)) {
            let matched = content.get(span.clone()).unwrap_or_default();
            let placeholder = pattern.body(matched).is_some_and(placeholder::is_dummy);
            if placeholder && policy.placeholders == Placeholders::Ignore {
                continue;
            }
            let (kind, pattern) = pattern.names();
            each(PatternHit { kind, pattern, placeholder, span, ..PatternHit::default() });
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
