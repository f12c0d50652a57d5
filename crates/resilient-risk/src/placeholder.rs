//! Telling a dummy from a secret.

use std::sync::LazyLock;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, mask8x64};

use super::lanes::{Class, GROUP, Lanes};
use super::search::{Needle, Searcher};
use super::tables::{DUMMIES_BEHIND, DUMMIES_INSIDE, DUMMIES_NAMED, DUMMIES_SPELLED};

/// So much of a body is looked at.
const LOOK: usize = 160;

/// Tells whether the body of a token is a dummy: a word, hardly any variety, or the alphabet.
pub(super) fn is_dummy(body: &[u8]) -> bool {
    is_void(body) || is_counted(body)
}

/// Tells whether the body of a token is mostly the alphabet, or digits in order.
pub(super) fn is_counted(body: &[u8]) -> bool {
    let steps = dispatch!(Level::new(), simd => steps(simd, body));
    steps * 4 >= body.len() * 3
}

/// How many neighbours repeat or count up or down by one, cases folded.
#[inline(always)]
fn steps<S: Simd>(simd: S, body: &[u8]) -> usize {
    let body = body.get(..LOOK).unwrap_or(body);
    let (mut at, mut steps) = (0, 0);
    while at + 1 < body.len() {
        let two = [at, at + 1].map(|at| Lanes::at(simd, body, at).lowered());
        let [group, next] = two;
        let followed = (body.len() - 1 - at).min(GROUP);
        let is_step = group.steps_to(next).to_bitmask() << (GROUP - followed);
        steps += is_step.count_ones() as usize;
        at += GROUP;
    }
    steps
}

/// Tells whether the body of a token says that it is a dummy, or has hardly any variety. An alphabet is
/// a dummy to people; where everything else fits a format, it is as good as a token to a filter.
pub(super) fn is_void(body: &[u8]) -> bool {
    let mut lower = [0; LOOK];
    let lower = lowered(body, &mut lower);
    static SEARCHER: LazyLock<Searcher> =
        LazyLock::new(|| Searcher::new(DUMMIES_INSIDE.map(Needle::exact)));
    body.len() >= 8 && !has_variety(lower) || SEARCHER.is_in(lower)
}

/// Tells whether a text has more than four characters, which the first few of most texts show.
fn has_variety(text: &[u8]) -> bool {
    let mut seen = 0_u128;
    text.iter().any(|byte| {
        seen |= 1 << (byte & 127);
        seen.count_ones() > 4
    })
}

/// A token without the word for a dummy that it ends in.
pub(super) fn without_word(token: &[u8]) -> Option<&[u8]> {
    DUMMIES_BEHIND.iter().find_map(|word| {
        let (rest, end) = token.split_at_checked(token.len().checked_sub(word.len())?)?;
        end.eq_ignore_ascii_case(word).then_some(rest)
    })
}

/// Tells whether a token names itself a dummy. Repeated letters are not enough: the paper's patterns
/// ask for no variety.
pub(super) fn is_named(token: &[u8]) -> bool {
    static SEARCHER: LazyLock<Searcher> =
        LazyLock::new(|| Searcher::new(DUMMIES_NAMED.map(Needle::exact)));
    let mut lower = [0; LOOK];
    let lower = lowered(token, &mut lower);
    SEARCHER.is_in(lower)
}

/// The beginning of a text in small letters.
fn lowered<'a>(text: &[u8], room: &'a mut [u8; LOOK]) -> &'a [u8] {
    let len = text.len().min(room.len());
    room.iter_mut().zip(text).for_each(|(to, from)| *to = from.to_ascii_lowercase());
    room.get(..len).unwrap_or_default()
}

/// Tells whether a match of the paper's patterns is a prefix with one filler behind it, ever again.
/// Other letters that are repeated count as they did there.
pub(super) fn is_filled(pattern: &str, token: &[u8]) -> bool {
    let long = token.len().saturating_sub(30);
    let tail = token.get(long..).unwrap_or_default();
    let same = tail.iter().all(|byte| Some(byte) == tail.first());
    matches!(pattern, "aws_secret_access_key" | "openai_key" | "bearer_token")
        && same
        && tail.first().is_some_and(|first| b"xX0*".contains(first))
}

/// The length of a mark that stands for a removed secret, if a text begins with one: `{REDACTED}`,
/// `<token>`, `$TOKEN`, `***`, `...`, `xxxx`, `YOUR_TOKEN`.
///
/// A few words of the token may stand before it: `oat01-{REDACTED}`.
pub(super) fn mark(text: &[u8]) -> Option<usize> {
    let text = text.get(..text.len().min(80)).unwrap_or_default();
    let inside =
        dispatch!(Level::new(), simd => InWords::of(Lanes::at(simd, text, 0)).to_bitmask());
    // As far as a group shows it, which is further than it matters.
    let lead = inside.trailing_ones() as usize;
    let words = text.get(..lead)?;
    let rest = text.get(lead..)?;
    if (4..60).contains(&lead) && (is_dummy(words) || is_spelled(words)) {
        return Some(lead);
    }
    if lead > 8 {
        return None;
    }
    let close = |open: usize, close: u8| {
        let inner = rest.get(open..)?;
        let end = inner.iter().position(|byte| *byte == close)?;
        (end <= 40).then_some(lead + open + end + 1)
    };
    match rest {
        [b'$', b'{', ..] => close(2, b'}'),
        [b'$', b'(', ..] => close(2, b')'),
        [b'{', b'{', ..] => close(2, b'}').map(|end| end + 1).filter(|end| *end <= text.len()),
        [b'{', ..] => close(1, b'}'),
        [b'<', ..] => close(1, b'>'),
        [b'[', ..] => close(1, b']'),
        [b'*', b'*', b'*', ..] => Some(lead + rest.iter().take_while(|b| **b == b'*').count()),
        [b'.', b'.', b'.', ..] => Some(lead + rest.iter().take_while(|b| **b == b'.').count()),
        [0xE2, 0x80, 0xA6, ..] => Some(lead + 3),
        _ => None,
    }
}

/// What the words before a mark are made of.
struct InWords;

impl Class for InWords {
    #[inline(always)]
    fn of<S: Simd>(group: Lanes<S>) -> mask8x64<S> {
        let plain = group.small().lies(b'a', 26) | group.lies(b'0', 10);
        plain | group.is(b'-') | group.is(b'_')
    }
}

/// Tells whether words in capitals spell out what belongs there: `YOUR_TOKEN`.
fn is_spelled(words: &[u8]) -> bool {
    words.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_' || *byte == b'-')
        && DUMMIES_SPELLED.iter().any(|word| memchr::memmem::find(words, word).is_some())
}

/// Tells whether a value stands for one and is none: a word for it, a repetition, a mark.
pub(super) fn is_stand_in(value: &str) -> bool {
    let value = value.as_bytes();
    is_dummy(value) || mark(value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dummies_are_told_from_tokens() {
        for dummy in ["xxxxxxxxxxxxxxxx", "IOSFODNN7EXAMPLE", "00000000000000000000", "0123456789"]
        {
            assert!(is_dummy(dummy.as_bytes()), "{dummy}");
        }
        for token in ["k3Jd9fQx7LmZ2pVtR8sW", "8f3a9c1d7e5b2a60"] {
            assert!(!is_dummy(token.as_bytes()), "{token}");
        }
    }

    #[test]
    fn steps_are_counted_in_any_case_and_over_groups() {
        let (pairs, look) = ("aB".repeat(50), "7".repeat(LOOK + 9));
        for (text, count) in
            [("", 0), ("a", 0), ("AbCx[", 2), (pairs.as_str(), 99), (look.as_str(), LOOK - 1)]
        {
            let steps = dispatch!(Level::new(), simd => steps(simd, text.as_bytes()));
            assert_eq!(steps, count, "{text}");
        }
    }

    #[test]
    fn the_papers_patterns_count_any_repeated_letter_but_fillers() {
        let secret = |letter: &str| format!("aws_secret_access_key = {}", letter.repeat(40));
        assert!(is_filled("aws_secret_access_key", secret("x").as_bytes()));
        assert!(is_filled("aws_secret_access_key", secret("0").as_bytes()));
        assert!(!is_filled("aws_secret_access_key", secret("k").as_bytes()));
        assert!(!is_filled("anthropic_oat", "x".repeat(40).as_bytes()));
    }

    #[test]
    fn marks_are_measured() {
        for (text, len) in [
            ("oat01-{REDACTED}\"", Some(16)),
            ("<your token> x", Some(12)),
            ("${TOKEN}", Some(8)),
            ("{{ token }}", Some(11)),
            ("*****", Some(5)),
            ("YOUR_TOKEN ", Some(10)),
            ("k3Jd9fQx7LmZ2pVtR8sW", None),
            ("", None),
            ("abc def", None),
        ] {
            assert_eq!(mark(text.as_bytes()), len, "{text}");
        }
    }
}
