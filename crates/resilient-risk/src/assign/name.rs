//! What the name says that a word for secrets is in: whether its value is a secret, or belongs to one.

use super::super::keywords::{Keyword, KeywordHit};
use super::super::tables::{CHECKS, IDENTIFIERS, OTHER_ENDS, OTHER_WORDS, STRONG_SECRET_WORDS};
use super::super::work;
use super::shape::is_words_with_number;
use super::{near, near_before};

/// Tells whether the word at a place only begins or ends as one for passwords does, as `passive` and `compass`, or is a part
/// of the name of a resource of Amazon: `arn:aws:secretsmanager:…:secret:…`.
pub(super) fn is_other_word(text: &[u8], KeywordHit { word, start, end }: KeywordHit) -> bool {
    const NAME_MAX: usize = 100;
    let is_at =
        |from: usize, other: &[u8]| near(text, from, other.len()).eq_ignore_ascii_case(other);
    // Nearly all others show by this byte that they are not there.
    let behind = text.get(end).map(u8::to_ascii_lowercase);
    let begins = |other: &&[u8]| other.get(end - start).copied() == behind && is_at(start, other);
    let ends = |other: &&[u8]| end.checked_sub(other.len()).is_some_and(|from| is_at(from, other));
    let in_name = || {
        let before = text.get(start.saturating_sub(NAME_MAX)..start).unwrap_or_default();
        let is_outside = |byte: &u8| !byte.is_ascii_alphanumeric() && !b":-/_.".contains(byte);
        let name = before.rsplit(is_outside).next().unwrap_or_default();
        name.starts_with(b"arn:")
    };
    word == Keyword::Password && (OTHER_WORDS.iter().any(begins) || OTHER_ENDS.iter().any(ends))
        || is_about(text, word, end)
        || is_checked(text, word, start)
        || is_type_of_block(text, start, end)
        || start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b':') && in_name()
}

/// Tells whether a word is in the type of a block of Terraform, behind which its label stands: `resource "random_password" "name" {`.
fn is_type_of_block(text: &[u8], start: usize, end: usize) -> bool {
    const REST_MAX: usize = 24;
    const HEADS: [&[u8]; 3] = [b"resource \"", b"data \"", b"ephemeral \""];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let rest = near(text, end, REST_MAX);
    let rest = rest.get(rest.iter().take_while(is_name).count()..).unwrap_or_default();
    let line = || near_before(text, start).rsplit(|byte| *byte == b'\n').next();
    rest.starts_with(b"\" \"")
        && line().is_some_and(|line| HEADS.iter().any(|head| line.starts_with(head)))
}

/// Tells whether what stands before a word in its name says that the value is a digest: `hashed_secret`, `checksum/secrets`.
fn is_checked(text: &[u8], word: Keyword, start: usize) -> bool {
    const CHECKED: [&[u8]; 3] = [b"hashed_", b"hashed-", b"checksum/"];
    let before = near(text, start.saturating_sub(9), 9.min(start));
    let is_one = |lead: &&[u8]| {
        let at = before.len().checked_sub(lead.len()).and_then(|at| before.get(at..));
        at.is_some_and(|end| end.eq_ignore_ascii_case(lead))
    };
    matches!(word, Keyword::Password | Keyword::Secret) && CHECKED.iter().any(is_one)
}

/// Tells whether a name whose word for secrets ends at a position says what checks the secret or, for a password, what
/// belongs to it: its last word counts, so `password_hash` is no secret and `password_hash_pepper` is one.
pub(super) fn is_about(text: &[u8], word: Keyword, end: usize) -> bool {
    const NAME_MAX: usize = 48;
    let is_password = matches!(word, Keyword::Password | Keyword::ShortPassword);
    if !is_password && word != Keyword::Secret {
        return false;
    }
    let is_named = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let rest = near(text, end, NAME_MAX);
    let len = rest.iter().take_while(is_named).count();
    // `password_hash("…", PASSWORD_DEFAULT)` makes it of the password.
    if is_password && matches!(rest.get(len..), Some([b'(', b'"' | b'\'', ..])) {
        return false;
    }
    let rest = rest.get(..len).unwrap_or_default();
    work::spend(rest.len());
    let last = rest.rsplit(|byte| matches!(byte, b'_' | b'-')).next().unwrap_or_default();
    // Of `ResetUuid` the word begins at the last capital letter behind a small one or a digit.
    let is_border = |two: &[u8]| matches!(two, [one, next] if !one.is_ascii_uppercase() && next.is_ascii_uppercase());
    let border = last.windows(2).rposition(is_border).map_or(0, |at| at + 1);
    let last = last.get(border..).unwrap_or_default().to_ascii_lowercase();
    let last = last.as_slice();
    CHECKS.contains(&last) || is_password && IDENTIFIERS.contains(&last)
}

/// What words for passwords go on with.
pub(super) const PASSWORDS: [&[u8]; 6] = [b"", b"word", b"wd", b"phrase", b"wort", b"code"];

/// Tells whether a name ends with the word for passwords that it has.
pub(super) fn is_password_name(rest: &[u8]) -> bool {
    PASSWORDS.iter().any(|word| rest.eq_ignore_ascii_case(word))
}

/// Tells whether a value is words with a number behind a name that ends with its word for passwords: there they are a password, and
/// elsewhere they may name a thing. *Rest* is what the name goes on with behind the word.
pub(super) fn is_password_of_words(value: &[u8], word: Keyword, rest: &[u8]) -> bool {
    word == Keyword::Password && is_password_name(rest) && is_words_with_number(value)
}

/// How long the rest of a name is that a word for passwords or secrets is in, if the name is of several: `words`, `s`, `_LIST`.
pub(super) fn plural_len(text: &[u8], end: usize) -> Option<usize> {
    const NAME_MAX: usize = 24;
    const ENDS: [&[u8]; 3] = [b"s", b"_list", b"list"];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let rest = near(text, end, NAME_MAX);
    let name = rest.get(..rest.iter().take_while(is_name).count())?.to_ascii_lowercase();
    let is_one = |end: &&[u8]| name.strip_suffix(*end).is_some_and(is_password_name);
    ENDS.iter().any(is_one).then_some(name.len())
}

/// Tells whether a text ends as the name of a call does that is given the name of a secret: `get_password(…)`.
fn is_getter(before: &[u8]) -> bool {
    let before = before.strip_suffix(b"_").unwrap_or(before);
    let is_word = |lead: &[u8]| !lead.last().is_some_and(u8::is_ascii_alphabetic);
    before.ends_with(b"Get") || before.strip_suffix(b"get").is_some_and(is_word)
}

/// Tells whether a text ends as the name of a call does that is given whose password it is about: `resetPassword(…)`.
pub(super) fn is_about_user(before: &[u8]) -> bool {
    const VERBS: [&[u8]; 7] =
        [b"reset", b"forgot", b"send", b"generate", b"request", b"recover", b"expire"];
    let before = before.strip_suffix(b"_").unwrap_or(before).to_ascii_lowercase();
    // `user.resetPassword("…")` is given the new one.
    VERBS.iter().any(|verb| before.ends_with(verb)) && !before.ends_with(b".reset")
}

/// Tells whether a text ends as the name of a call does that keeps or shows a password for somebody: `set_password(…)`,
/// `userauth_password(…)`.
pub(super) fn is_kept(before: &[u8]) -> bool {
    const VERBS: [&[u8]; 5] = [b"set", b"auth", b"add", b"store", b"delete"];
    let before = before.strip_suffix(b"_").unwrap_or(before).to_ascii_lowercase();
    VERBS.iter().any(|verb| before.ends_with(verb))
}

/// Tells whether the name that a word is in is that of another thing than a secret.
pub(super) fn is_of_other(text: &[u8], KeywordHit { word, start, end }: KeywordHit) -> bool {
    const NAME_MAX: usize = 24;
    // In a file of properties names have dots: `app.secret.name=`.
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte);
    let rest = near(text, end, NAME_MAX);
    let name = rest.get(..rest.iter().take_while(is_name).count()).unwrap_or_default();
    let before = near_before(text, start);
    // In YAML it is that of a key of Kubernetes: `secretKey: Db-Main-2024`.
    let is_key = || {
        name == b"Key"
            && matches!(rest.get(name.len()..), Some([b':', b' ', first, ..]) if !b"\"'".contains(first))
    };
    names_other(name)
        || is_key()
        || word == Keyword::Secret && begins_reference(before)
        || word == Keyword::Password && is_getter(before) && rest.get(name.len()) == Some(&b'(')
}

/// Tells whether a text ends as the name of a secret of Kubernetes does before its last word: `existingSecret`,
/// `imagePullSecret`.
fn begins_reference(before: &[u8]) -> bool {
    before.ends_with(b"existing") || before.ends_with(b"Pull") || before.ends_with(b"pull")
}

/// Tells whether a name goes on as that of a part of a form, or of what a secret is kept in or made with: `PASSWORD_FIELD`,
/// `secretName`, `password_hasher`. The value is a name, too.
pub(super) fn names_other(name: &[u8]) -> bool {
    const PARTS: [&[u8]; 34] = [
        b"field",
        b"input",
        b"name",
        b"id",
        b"selector",
        b"ref",
        b"algorithm",
        b"hasher",
        b"encoder",
        b"version",
        b"class",
        b"store",
        b"policy",
        b"type",
        b"user",
        b"host",
        b"owner",
        b"region",
        b"url",
        b"icon",
        b"regex",
        b"encoding",
        b"color",
        b"length",
        b"lengths",
        b"file",
        b"path",
        b"column",
        b"table",
        b"queue",
        b"topic",
        b"realm",
        b"header",
        b"issuer",
    ];
    names_text(name) || ends_with_one(name, &PARTS)
}

/// Tells whether a name goes on behind a word as that of what a value is put into, a part of a form or an encoder:
/// `password_input`.
pub(super) fn names_field(text: &[u8], end: usize) -> bool {
    const NAME_MAX: usize = 24;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let rest = near(text, end, NAME_MAX);
    let len = rest.iter().take_while(is_name).count();
    ends_with_one(rest.get(..len).unwrap_or_default(), &[b"field", b"input", b"box", b"encoder"])
}

/// Tells whether a name goes on as that of a text that people read: `passwordHint`.
pub(super) fn names_text(name: &[u8]) -> bool {
    ends_with_one(name, &[b"label", b"hint", b"help", b"title", b"message"])
}

fn ends_with_one(name: &[u8], parts: &[&[u8]]) -> bool {
    let name = name.to_ascii_lowercase();
    parts.iter().any(|part| name.ends_with(part))
}

/// Tells whether what a name goes on with behind a word for secrets ends in another one, if it goes on: `_KEY`.
pub(super) fn names_secret(rest: &[u8]) -> bool {
    let last = rest.rsplit(|byte| *byte == b'_').next().unwrap_or_default();
    rest.is_empty() || STRONG_SECRET_WORDS.iter().any(|word| last.eq_ignore_ascii_case(word))
}
