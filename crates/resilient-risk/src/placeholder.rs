//! Telling a dummy from a secret.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

use super::bits::run_of;
use super::tables::{DUMMIES_BEHIND, DUMMIES_INSIDE, DUMMIES_NAMED, DUMMIES_SPELLED};

/// So much of a body is looked at.
const LOOK: usize = 160;

/// Tells whether the body of a token is a dummy: a word, hardly any variety, the alphabet, or the selector of an element.
pub(super) fn is_dummy(body: &[u8]) -> bool {
    is_clear_dummy(body) || is_sequential(body) || is_selector(body)
}

/// Tells whether a text selects an element of a form: `#login-form > input.pw2`, `input[name="pw2"]`, `[data-test=Pw2]`.
fn is_selector(text: &[u8]) -> bool {
    static SELECTOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"(?x-u)\A (?: (?: input|button|form|div|span|label|textarea|select ) [.\#:\[]
                | \[ [a-z-]+ [~|^$*]? = | [.\#] [A-Za-z][\w-]* [\ .\#:>\[-] )
                [\w\ .\#:>\[\]=()"'\\-]* \z"#,
        )
        .ok()
    });
    static WORD: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let words = ["input", "field", "btn", "button", "form", "pass", "login", "[data", "css-"];
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
    });
    let is_one = matches!(text.first(), Some(b'#' | b'.' | b'[' | b'a'..=b'z'));
    is_one
        && SELECTOR.as_ref().is_some_and(|form| form.is_match(text.get(..LOOK).unwrap_or(text)))
        && is_in(&WORD, text)
}

/// Tells whether the body of a token is mostly the alphabet, or digits in order.
pub(super) fn is_sequential(body: &[u8]) -> bool {
    steps(body) * 4 >= body.len() * 3
}

/// Tells whether a text is bytes in hexadecimal digits that count up.
pub(super) fn is_row(body: &[u8]) -> bool {
    let value = |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok();
    let mut bytes = body.chunks(2).map(value);
    let first = bytes.next().flatten();
    body.len() >= 16
        && first.is_some_and(|first| {
            (1..).zip(bytes).all(|(nth, byte)| byte == Some(first.wrapping_add(nth)))
        })
}

/// How many neighbours repeat or count up or down by one, cases folded.
fn steps(body: &[u8]) -> usize {
    let body = body.get(..LOOK).unwrap_or(body);
    let is_step = |two: &&[u8]| match two {
        [one, next] => one.to_ascii_lowercase().abs_diff(next.to_ascii_lowercase()) <= 1,
        _ => false,
    };
    body.windows(2).filter(is_step).count()
}

/// Finds one of some words in small letters, in capitals, or with a capital first. Chance writes a word in mixed case.
fn search(words: &[&[u8]]) -> Option<AhoCorasick> {
    let forms = words.iter().flat_map(|word| {
        let mut first = word.to_vec();
        first.iter_mut().take(1).for_each(u8::make_ascii_uppercase);
        [word.to_vec(), word.to_ascii_uppercase(), first]
    });
    AhoCorasick::new(forms).ok()
}

/// Tells whether a word is found at the beginning of a text.
fn is_in(search: &Option<AhoCorasick>, text: &[u8]) -> bool {
    search.as_ref().is_some_and(|search| search.is_match(text.get(..LOOK).unwrap_or(text)))
}

/// Tells whether the body of a token says that it is a dummy, or has hardly any variety. An alphabet is
/// a dummy to people; where everything else fits a format, it is as good as a token to a filter.
pub(super) fn is_clear_dummy(body: &[u8]) -> bool {
    static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| search(&DUMMIES_INSIDE));
    body.len() >= 8 && !has_variety(body.get(..LOOK).unwrap_or(body))
        || is_in(&SEARCH, body)
        || is_masked(body)
}

/// Tells whether a text is mostly covered: `Su****4!`.
fn is_masked(body: &[u8]) -> bool {
    const SHOWN_MAX: usize = 6;
    let covered = body.iter().filter(|byte| **byte == b'*').count();
    covered >= 3 && body.len() - covered <= SHOWN_MAX && body.windows(3).any(|row| row == b"***")
}

/// Tells whether a text has more than four characters, which the first few of most texts show.
fn has_variety(text: &[u8]) -> bool {
    let mut seen = 0_u128;
    text.iter().any(|byte| {
        seen |= 1 << (byte.to_ascii_lowercase() & 127);
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

/// How long the word for a dummy is that a text begins with, where it may also stand behind a token.
pub(super) fn word_len(text: &[u8]) -> Option<usize> {
    let begins = |word: &&&[u8]| {
        text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word))
    };
    DUMMIES_BEHIND.iter().find(begins).map(|word| word.len())
}

/// Tells whether a token names itself a dummy. Repeated letters are not enough: the paper's patterns
/// ask for no variety.
pub(super) fn is_named(token: &[u8]) -> bool {
    static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| search(&DUMMIES_NAMED));
    is_in(&SEARCH, token)
}

/// Tells whether a match of the paper's patterns is a prefix with one filler behind it, ever again.
/// Other letters that are repeated count as they did there.
pub(super) fn is_filler(token: &[u8]) -> bool {
    /// The shortest of these prefixes that say something, such as `AKIA`.
    const PREFIX: usize = 4;
    const TAIL_MAX: usize = 30;
    let long = token.len().saturating_sub(TAIL_MAX).max(PREFIX);
    let tail = token.get(long..).unwrap_or_default();
    let same = tail.iter().all(|byte| Some(byte) == tail.first());
    same && tail.first().is_some_and(|first| b"xX0*".contains(first))
}

/// The length of a mark that stands for a removed secret, if a text begins with one: `{REDACTED}`,
/// `<token>`, `$TOKEN`, `***`, `...`, `xxxx`, `YOUR_TOKEN`.
///
/// A few words of the token may stand before it: `oat01-{REDACTED}`.
pub(super) fn mark_len(text: &[u8]) -> Option<usize> {
    let text = text.get(..text.len().min(80)).unwrap_or_default();
    let inside = |byte: u8| byte.is_ascii_alphanumeric() | (byte == b'-') | (byte == b'_');
    let lead = run_of(text.get(..64).unwrap_or(text), inside);
    let words = text.get(..lead)?;
    if (4..60).contains(&lead) && (is_dummy(words) || is_spelled(words)) {
        return Some(lead);
    }
    // No more than eight characters stand before a mark, and most have something else behind them.
    if lead > 8 || !text.get(lead).is_some_and(|byte| b"${<[*.\xE2".contains(byte)) {
        return None;
    }
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?x-u)\A [A-Za-z0-9_-]{0,8} (?:
                \$\{ [^}]{0,40} \} | \$\( [^)]{0,40} \)
                | \{\{ [^}]{0,40} \} (?s:.) | \{ (?:[^{}][^}]{0,39})? \}
                | < [^>]{0,40} > | \[ [^\]]{0,40} \] | \*{3,} | \.{3,} | \xE2\x80\xA6
            )",
        )
        .ok()
    });
    Some(MARK.as_ref()?.find(text)?.len())
}

/// What stands before the mark of a redaction, if a text ends with a mark up to its family: `<REDACTED:api_key`. Its words say what
/// it stands for, and nothing of its neighbours.
pub(super) fn before_mark(text: &[u8]) -> Option<&[u8]> {
    /// No name of a family is longer.
    const FAMILY_MAX: usize = 48;
    let is_family = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-');
    let len = text.iter().rev().take(FAMILY_MAX).take_while(is_family).count();
    text.get(..text.len() - len)?.strip_suffix(b"REDACTED:")
}

/// Tells whether words in capitals spell out what belongs there: `YOUR_TOKEN`.
fn is_spelled(words: &[u8]) -> bool {
    words.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_' || *byte == b'-')
        && DUMMIES_SPELLED.iter().any(|word| memchr::memmem::find(words, word).is_some())
}

/// Tells whether a value stands for one and is none: a word for it, a repetition, a mark.
pub(super) fn is_stand_in(value: &str) -> bool {
    let value = value.as_bytes();
    is_dummy(value) || mark_len(value).is_some()
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
    fn selectors_of_forms_are_dummies() {
        for selector in ["form#a1 > input.b2", ".css-1x2Yz34-Input", "div.login:first-child"] {
            assert!(is_dummy(selector.as_bytes()), "{selector}");
        }
        for other in ["#Password1", "input2", ".a1-B2c3", "login#1!"] {
            assert!(!is_dummy(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_word_for_a_dummy_counts_in_one_case_alone() {
        for (word, counts) in [
            ("dummy", true),
            ("DUMMY", true),
            ("Dummy", true),
            ("dUMmY", false),
            ("DUmmy", false),
            ("duMMY", false),
            ("ChangeMe", true),
        ] {
            let token = format!("k3Jd9fQx7LmZ2pVt{word}R8sWb4Yc6Hg1");
            assert_eq!(is_clear_dummy(token.as_bytes()), counts, "{token}");
            assert_eq!(is_named(token.as_bytes()), counts, "{token}");
        }
    }

    #[test]
    fn steps_are_counted_in_any_case_and_over_groups() {
        let (pairs, look) = ("aB".repeat(50), "7".repeat(LOOK + 9));
        for (text, count) in
            [("", 0), ("a", 0), ("AbCx[", 2), (pairs.as_str(), 99), (look.as_str(), LOOK - 1)]
        {
            assert_eq!(steps(text.as_bytes()), count, "{text}");
        }
    }

    #[test]
    fn the_papers_patterns_count_any_repeated_letter_but_fillers() {
        let secret = |letter: &str| format!("aws_secret_access_key = {}", letter.repeat(40));
        assert!(is_filler(secret("x").as_bytes()));
        assert!(is_filler(secret("0").as_bytes()));
        assert!(!is_filler(secret("k").as_bytes()));
        for (prefix, len) in [("gh,p_", 36), ("s,k-", 20), ("s,k-proj-", 48), ("AK,IA", 16)] {
            let token = |filler: &str| prefix.replace(',', "") + &filler.repeat(len);
            assert!(is_filler(token("x").as_bytes()), "{prefix}");
            assert!(!is_filler(token("k").as_bytes()), "{prefix}");
            assert!(!is_filler(token("xy").as_bytes()), "{prefix}");
        }
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
            assert_eq!(mark_len(text.as_bytes()), len, "{text}");
        }
    }
}
