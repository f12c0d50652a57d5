//! What looks like chance and is no secret: digests, identifiers, blocks of data, dummies.
//!
//! The model's word does not count for these. It sees a token and the words before it, but neither what a
//! notation says for certain nor the lines around.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr_iter};

use super::byte_classes::is_token;
use super::candidate::Candidate;
use super::features::PrecedingWords;
use super::keywords::has_secret_word;
use super::tables::DIGESTS;
use super::token::{Kind, is_name_with_digest, is_word_with_few_digits};
use super::{naming, placeholder};

/// Lines of a block of data are at least so long.
const DATA_LINE: usize = 48;

/// Tells whether a candidate is a dummy or explained by its notation.
pub(super) fn is_benign(text: &[u8], candidate: &Candidate) -> bool {
    let body = text.get(candidate.body.clone()).unwrap_or_default();
    let whole = text.get(candidate.whole()).unwrap_or_default();
    let start = candidate.head.start;
    let near = text.get(start.saturating_sub(8)..start + 8).unwrap_or_default();
    let near = near.to_ascii_lowercase();
    let after = text.get(candidate.body.end..).unwrap_or_default();
    let is_cut = after.starts_with(b"...\"");
    let is_call = after.starts_with(b"(");
    is_cut
        || is_call
        || is_time(body) && after.starts_with(b":")
        || whole.contains(&b'/') && is_file(text, candidate)
        || placeholder::is_sequential(body)
        || placeholder::is_row(body)
        || placeholder::is_clear_dummy(body)
        || DIGESTS.iter().any(|known| memmem::find(&near, known).is_some())
}

/// Tells whether a text is a date and an hour, as a time begins: `2025-09-21T19`.
fn is_time(text: &[u8]) -> bool {
    const FORM: &[u8] = b"0000-00-00T00";
    let fits =
        |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    text.len() == FORM.len() && text.iter().zip(FORM).all(fits)
}

/// Tells whether a candidate ends as the name of a file does, or that stands right behind it: `….png"`.
fn is_file(text: &[u8], candidate: &Candidate) -> bool {
    /// No extension is longer, with its sign.
    const EXTENSION_MAX: usize = 6;
    let end = candidate.whole().end;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`)".contains(byte);
    let around = text.get(end.saturating_sub(EXTENSION_MAX)..text.len().min(end + EXTENSION_MAX));
    let around = around.unwrap_or_default();
    memchr_iter(b'.', around).any(|at| {
        let name = around.get(at + 1..).unwrap_or_default();
        let len = name.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        (2..EXTENSION_MAX).contains(&len) && name.get(len).is_none_or(is_end)
    })
}

/// Tells whether a candidate is an identifier or a name by its form, and nothing says that it is a secret; or its own name
/// says that it is none.
pub(super) fn is_identifier(text: &[u8], candidate: &Candidate, words: &PrecedingWords) -> bool {
    /// A shorter row of letters is a word, whatever the model says.
    const LETTERS_MIN: usize = 16;
    let stats = &candidate.stats;
    let is_key = || naming::says_more_than_key(words);
    let is_id = || words.get(0).is_some_and(|word| word == b"id");
    let is_word = stats.lower == stats.len && stats.len < LETTERS_MIN;
    let is_whole_name_with_digest =
        || is_name_with_digest(text.get(candidate.whole()).unwrap_or_default());
    naming::is_open(words)
        || is_of_open_name(text, candidate)
        || naming::names_thing(text, candidate, words)
        || stats.kind == Kind::Uuid && begins_row(text, candidate)
        || (stats.kind == Kind::Uuid || is_word) && !is_key()
        || is_id() && (stats.kind == Kind::Uuid || !naming::is_owned(words))
        || stats.is_name() && !naming::is_owned(words) && !(is_whole(text, candidate) && is_key())
        || is_path_of_names(text, candidate)
        || is_whole_name_with_digest() && !naming::is_owned(words) && !is_key()
}

/// Tells whether a candidate is a path of names from the root on: `/etc/core-db-89`.
fn is_path_of_names(text: &[u8], candidate: &Candidate) -> bool {
    let whole = candidate.whole();
    let before = whole.start.checked_sub(1).and_then(|at| text.get(at));
    let value = text.get(whole).unwrap_or_default();
    before == Some(&b'/')
        && value.contains(&b'/')
        && value.split(|byte| b"/-_.".contains(byte)).all(is_word_with_few_digits)
}

/// Tells whether the name before the first word of a value says that everybody may see it: `primary_key = "order_…"`.
fn is_of_open_name(text: &[u8], candidate: &Candidate) -> bool {
    let context = text.get(candidate.context.clone()).unwrap_or_default();
    !candidate.head.is_empty() && naming::is_open(&PrecedingWords::of(context))
}

/// Tells whether a candidate is the first cell of a row.
fn begins_row(text: &[u8], candidate: &Candidate) -> bool {
    let Range { start, end } = candidate.whole();
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    before == Some(&b'\n') && text.get(end).is_some_and(|byte| b",;\t".contains(byte))
}

/// Tells whether a candidate is all that is assigned: in quotes, or to the end of its line.
fn is_whole(text: &[u8], candidate: &Candidate) -> bool {
    let Range { start, end } = candidate.whole();
    let quotes = |byte: Option<&u8>| byte.copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    match (quotes(before), text.get(end)) {
        (Some(quote), after) => after == Some(&quote),
        (None, after) => {
            before == Some(&b'=') && after.is_none_or(|byte| matches!(byte, b'\r' | b'\n'))
        }
    }
}

/// Tells whether a word for secrets stands on the line of a candidate, or on the one above; or a service's name just
/// before it.
pub(super) fn is_announced(text: &[u8], candidate: &Candidate, words: &PrecedingWords) -> bool {
    /// So far it may stand from the candidate.
    const REACH: usize = 240;
    let whole = candidate.whole();
    let before = text.get(whole.start.saturating_sub(REACH)..whole.start).unwrap_or_default();
    let above = memrchr_iter(b'\n', before).nth(1).map_or(0, |at| at + 1);
    let after = text.get(whole.end..text.len().min(whole.end + REACH)).unwrap_or_default();
    let line = memchr(b'\n', after).unwrap_or(after.len());
    let [above, line] = [before.get(above..), after.get(..line)].map(Option::unwrap_or_default);
    super::work::spend(above.len() + line.len());
    naming::is_owned(words) || has_secret_word(above) || has_secret_word(line)
}

/// Tells whether a candidate is digits and dots: a version, an address, the identifier of an object.
pub(super) fn is_dotted(text: &[u8], candidate: &Candidate) -> bool {
    let body = text.get(candidate.body.clone()).unwrap_or_default();
    candidate.stats.lower + candidate.stats.upper == 0
        && body.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Tells whether a candidate is one of several long lines of token characters.
pub(super) fn is_data(text: &[u8], candidate: &Candidate) -> bool {
    let whole = candidate.whole();
    let (before, after) = (text.get(..whole.start), text.get(whole.end..));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let ends = |byte: Option<&u8>| byte.is_none_or(|byte| b"\r\n\\".contains(byte));
    if !ends(after.first()) {
        return false;
    }
    let indent = before.iter().rev().take_while(|byte| b" \t".contains(byte)).count();
    let before = before.get(..before.len() - indent).unwrap_or_default();
    if !ends(before.last()) && !before.ends_with(b"\\n") {
        return false;
    }
    let is_end = |byte: &&u8| b"\r\n\\ \t".contains(byte);
    let above = before.iter().rev().skip_while(is_end).take_while(|byte| is_token(**byte));
    let below = after.iter().skip_while(is_end).take_while(|byte| is_token(**byte));
    // The last line of a block may be short.
    above.take(DATA_LINE).count() == DATA_LINE
        || whole.len() >= DATA_LINE && below.take(DATA_LINE).count() == DATA_LINE
}

/// Tells whether a candidate is the name of a user of a service for logins: `auth0|…`.
pub(super) fn is_user(text: &[u8], candidate: &Candidate) -> bool {
    text.get(..candidate.head.start).is_some_and(|before| before.ends_with(b"auth0|"))
}

#[cfg(test)]
mod tests {
    use super::super::candidate::{self, Wanted};
    use super::*;

    /// Whether the last candidate of a text is explained.
    fn is_explained(text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut explained = None;
        for candidate in candidate::of_text(bytes, Wanted::All) {
            let words = PrecedingWords::before(bytes, &candidate);
            let benign = is_benign(bytes, &candidate) || is_data(bytes, &candidate);
            explained = Some(benign || is_identifier(bytes, &candidate, &words));
        }
        explained.expect("a candidate")
    }

    const TOKEN: &str = "q85AwcN1TiZ8FYpACXPHg8QhQXkg5UwSzPe0r5ZgRI";
    const UUID: &str = "9e21bd47-27af-40fc-a0ab-b5b85c746cb7";

    #[test]
    fn digests_and_identifiers_are_explained_by_their_notation() {
        for notation in [
            "\"integrity\": \"sha512-",
            "image@sha256:",
            "v1.2.3 h1:",
            "MD5:",
            "a.py,sha256=",
            ".pnpm/css-loader@7.1.2_@rspack+core@1.6.7_patch_hash=",
        ] {
            assert!(is_explained(&format!("{notation}{TOKEN}\"")), "{notation}");
        }
        assert!(is_explained(&format!("id: {UUID}")));
        assert!(!is_explained(&format!("api_token: {UUID}")));
        for name in [
            "ChangeToken",
            "clientRequestToken",
            "NextContinuationToken",
            "csrf_token",
            "public_key",
        ] {
            assert!(is_explained(&format!("{name}: {UUID}")), "{name}");
            assert!(is_explained(&format!("{name}: \"{TOKEN}\"")), "{name}");
        }
        assert!(!is_explained(&format!("value = \"{TOKEN}\"")));
        assert!(is_explained("userPassword = getUserPasswordR3R4(id, key);"));
        assert!(is_explained("key = \"abcdefghijklmnopqrstuvwxyz0123\""));
    }

    #[test]
    fn blocks_of_data_are_explained_down_to_their_last_line() {
        let line = TOKEN.repeat(2);
        assert!(is_explained(&format!("-----\n{line}\n{line}\n")));
        assert!(is_explained(&format!("-----\n  {line}\r\n  {TOKEN}\r\n")));
        assert!(!is_explained(&format!("-----\n{line}\n")), "one line is no block");
        assert!(!is_explained(&format!("{line}\nkey={TOKEN}\n")));
    }

    #[test]
    fn numbers_with_dots_are_told_from_those_with_dashes() {
        let is_dotted = |text: &str| {
            let candidates = candidate::of_text(text.as_bytes(), Wanted::Likely);
            let is_dotted = |candidate| super::is_dotted(text.as_bytes(), candidate);
            candidates.iter().map(is_dotted).collect::<Vec<_>>()
        };
        assert_eq!(is_dotted("1.3.6.1.4.1.311.60"), [true]);
        assert_eq!(is_dotted("3487263-23845798-7"), [false]);
    }

    #[test]
    fn a_word_for_secrets_stands_on_the_line_or_above() {
        let is_announced = |text: String| {
            let candidates = candidate::of_text(text.as_bytes(), Wanted::All);
            let (bytes, last) = (text.as_bytes(), candidates.last().expect("a candidate"));
            let words = PrecedingWords::before(bytes, last);
            super::is_announced(bytes, last, &words)
        };
        for before in [
            "token = ",
            "apiKey: '",
            "AUTH\n",
            "<secret>\n  ",
            "API_KEY1 (x) ",
            "mailchimp ",
            "paswrd=",
        ] {
            assert!(is_announced(format!("{before}{TOKEN}")), "{before}");
        }
        assert!(is_announced(format!("x = {TOKEN} # a token")));
        for before in ["author = ", "keyword: ", "token\n\n", "x = ", ""] {
            assert!(!is_announced(format!("{before}{TOKEN}")), "{before}");
        }
        assert!(!is_announced(format!("x = {TOKEN}\n# a token")));
    }

    #[test]
    fn names_in_programs_are_explained_where_nothing_says_that_they_are_secrets() {
        for name in ["_PL_W16StdioWrite", "KEY_10CHANNELSUP"] {
            assert!(is_explained(&format!("NSPR_API(void) {name}")), "{name}");
        }
        assert!(!is_explained("PSWD:=FlUgeGeHeImEn03"));
    }

    #[test]
    fn dummies_are_explained() {
        assert!(is_explained(&format!("token = \"a1{}\"", "b".repeat(40))));
        assert!(is_explained(&format!("\"signature_delta\": \"{TOKEN}...\"")), "it was cut");
        let bytes: String = (0..32).map(|byte| format!("{byte:02x}")).collect();
        assert!(is_explained(&format!("Key = {bytes}")));
    }
}
