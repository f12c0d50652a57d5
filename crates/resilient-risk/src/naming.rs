//! What a name says about the value behind it: that it is a secret, and whose.
//!
//! `HEROKU_API_KEY = 4f1c…` needs no model: a service, a word for secrets, and a value that looks
//! random. The rules here are strict about all three, because plain hexadecimal digits are also
//! checksums, identifiers and test vectors.

use super::candidate::Candidate;
use super::features::{PrecedingWords, may_end_secret};
use super::placeholder;
use super::services;
use super::tables::{
    CHECKS, IDENTIFIERS, OPEN, PLAIN, QUALIFIERS, STRONG_SECRET_WORDS as SECRETS, TECHNICAL,
    THINGS, VERBS,
};
use super::token::{Kind, TokenStats};

/// A candidate whose name tells what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) family: &'static str,
    pub(super) pattern: &'static str,
}

/// The words in front of a value.
struct Name<'a> {
    words: &'a PrecedingWords,
    /// The value is assigned, rather than just standing there.
    service: bool,
    compound: bool,
}

/// How many words stand between a value and the nearest word for secrets.
fn secret_at(words: &PrecedingWords) -> Option<usize> {
    words.iter().take(DECIDING).position(|word| {
        if !may_end_secret(word) {
            return false;
        }
        let ends = |known: &&[u8]| {
            word == *known || known.len() >= 3 && word.ends_with(known) && word.len() <= 20
        };
        SECRETS.iter().any(ends)
    })
}

/// Tells whether the two nearest words name a service, or a password.
pub(super) fn is_owned(words: &PrecedingWords) -> bool {
    words.iter().take(2).any(|word| services::is_service(word) || is_password(word))
        || words.any_service_in_two(2)
}

/// Tells whether the nearest words name a value that everybody may see, or one that only looks like chance:
/// `public_key`, `sitekey`, `etag`, `trace_id`, `password_hash`.
pub(super) fn is_open(words: &PrecedingWords) -> bool {
    let is_id = words.get(0).is_some_and(|word| IDENTIFIERS.contains(&word));
    let nth = usize::from(is_id || words.get(0).is_some_and(|word| word == b"string"));
    let Some(word) = words.get(nth) else { return false };
    // Other words may stand between: `password_reset_uuid`.
    let of_password = || words.iter().skip(1).take(2).any(is_password);
    // `AUTH0_CLIENT_ID`, `hashed_secret`, `checksum/secrets`
    let is_client = || is_id && word == b"client";
    let is_checked =
        || words.get(1).is_some_and(|before| before == b"hashed" || before == b"checksum");
    if CHECKS.contains(&word) || is_id && of_password() || is_client() || is_checked() {
        return true;
    }
    // `PUBLIC_VAPID_KEY`, but not `PUBLIC_API_KEY`.
    let is_public = words.get(2).is_some_and(|word| word == b"public")
        && words.get(1).is_some_and(|word| !QUALIFIERS.contains(&word));
    if is_public && word == b"key" {
        return true;
    }
    [&b"keys"[..], b"key", b"token"].iter().any(|kind| match word.strip_suffix(*kind) {
        Some(b"") => words.get(nth + 1).is_some_and(|before| OPEN.contains(&before)),
        Some(before) => OPEN.contains(&before),
        None => false,
    })
}

/// Tells whether the words before a UUID or a digest say that it identifies a thing: `commit: "…"`, `getToken("…")`.
pub(super) fn names_thing(text: &[u8], candidate: &Candidate, words: &PrecedingWords) -> bool {
    let stats = &candidate.stats;
    let is_digest = is_digest(stats);
    let is_argument = || {
        let before = text.get(..candidate.whole().start).unwrap_or_default();
        matches!(before, [.., b'(', b'"' | b'\''])
            && words.get(1).is_some_and(|word| VERBS.contains(&word))
    };
    // `uses: actions/create-github-app-token@…`
    let is_pinned = || {
        let before = text.get(..candidate.body.start).unwrap_or_default();
        is_digest && matches!(before, [.., name, b'@'] if name.is_ascii_alphanumeric())
    };
    // `AUTH_TENANT` names no secret.
    let has_secret = |words: &PrecedingWords| {
        secret_at(words).is_some_and(|at| words.get(at).is_some_and(|word| word != b"auth"))
    };
    let ends_name = || {
        let of_name = own_name(text, candidate.body.start);
        words.get(0).is_some_and(|word| THINGS.contains(&word))
            && !has_secret(&PrecedingWords::of(of_name))
    };
    (stats.kind == Kind::Uuid || is_digest) && (ends_name() || is_argument() || is_pinned())
}

/// Tells whether a value is as many hexadecimal digits of one case as a digest has.
fn is_digest(stats: &TokenStats) -> bool {
    matches!(stats.kind, Kind::HexLower | Kind::HexUpper) && stats.len >= 32
}

/// The name whose value begins at a place: over quotes, blanks and a sign.
fn own_name(text: &[u8], at: usize) -> &[u8] {
    const NAME_MAX: usize = 80;
    let before = text.get(at.saturating_sub(NAME_MAX)..at).unwrap_or_default();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let signs = before.iter().rev().take_while(|byte| !is_name(byte)).count();
    let before = before.get(..before.len() - signs).unwrap_or_default();
    let len = before.iter().rev().take_while(is_name).count();
    before.get(before.len() - len..).unwrap_or_default()
}

/// Tells whether a name says more of its value than that it is a key: a row of a table has one, too.
pub(super) fn says_more_than_key(words: &PrecedingWords) -> bool {
    let name = Name::of(words);
    name.service
        || name.compound
        || secret_at(words).is_some_and(|at| words.get(at).is_some_and(|word| word != b"key"))
}

impl<'a> Name<'a> {
    fn of(words: &'a PrecedingWords) -> Self {
        let secret = secret_at(words);
        // A service's own name, its name in two words, or with a word for secrets glued on.
        let glued = |word: &[u8]| {
            let is_service = |rest: &[u8]| rest.len() >= 3 && services::is_service(rest);
            may_end_secret(word)
                && SECRETS.iter().any(|known| word.strip_suffix(*known).is_some_and(is_service))
        };
        let service = words.iter().take(5).any(|word| services::is_service(word) || glued(word))
            || words.any_service_in_two(4);
        let compound = secret.is_some_and(|at| {
            words.get(at).is_some_and(|word| word == b"apikey")
                || words.get(at + 1).is_some_and(|before| QUALIFIERS.contains(&before))
                    && words.get(at).is_some_and(|word| word != b"access")
        });
        Self { words, service, compound }
    }
}

/// How many of the nearest words decide whether a name says anything.
const DECIDING: usize = 3;

/// Judges a candidate that [may be named](may_be_named) by its name.
pub(super) fn named(text: &[u8], candidate: &Candidate, words: &PrecedingWords) -> Option<Named> {
    let stats = &candidate.stats;
    if is_open(words) || names_thing(text, candidate, words) {
        return None;
    }
    let body = text.get(candidate.body.clone())?;
    let secret = secret_at(words);
    // A block of a private key in base64 is better named by what is in it.
    if body.starts_with(b"LS0tLS1CRUdJTi") {
        return None;
    }
    let Some(secret) = secret else {
        return owned(text, candidate, words).filter(|_| !placeholder::is_dummy(body));
    };
    let is_random = is_random(stats);
    if !is_amazon(stats) && !is_random || placeholder::is_clear_dummy(body) {
        return None;
    }
    let name = Name::of(words);
    if !name.service && placeholder::is_sequential(body) {
        return None;
    }
    let has = |word: &[u8]| words.iter().take(4).any(|known| known == word);
    if is_amazon(stats) && has(b"aws") && (has(b"secret") || has(b"secretkey")) {
        return Some(Named { family: "aws_secret", pattern: "aws_secret_key" });
    }
    if !is_random {
        return None;
    }
    let context = text.get(candidate.context.clone()).unwrap_or_default();
    let assigned = is_assigned(context);
    // A digest in a list of digests has many neighbours of its kind.
    let exact = match stats.kind {
        Kind::Uuid => true,
        Kind::HexLower | Kind::HexUpper | Kind::HexMixed => stats.len >= 32,
        _ => false,
    };
    // A name that no list knows, with a word that only secrets have, and an exact form.
    let owner = words.get(secret + 1).is_some_and(|word| {
        word.len() >= 3 && word.iter().all(u8::is_ascii_alphabetic) && !TECHNICAL.contains(&word)
    });
    let plain = words
        .get(secret)
        .is_some_and(|word| [&b"secret"[..], b"token", b"access", b"apikey"].contains(&word));
    if exact && owner && plain && secret == 0 {
        return Some(Named { family: of_name(&name), pattern: "named_key" });
    }
    let said = name.compound && secret == 0;
    let joined = exact && stats.kind != Kind::Uuid && words.in_head() > 1;
    let credible = (name.service && secret <= 1) || (said && (assigned || joined));
    credible.then(|| Named { family: of_name(&name), pattern: "named_key" })
}

/// Tells whether a value of this shape is named by any words.
pub(super) fn may_be_named(stats: &TokenStats) -> bool {
    stats.len >= 16
        && !stats.is_wordlike()
        && (is_amazon(stats) || is_random(stats) || is_ownable(stats))
}

/// The form of Amazon's secret keys.
fn is_amazon(stats: &TokenStats) -> bool {
    stats.len == 40 && matches!(stats.kind, Kind::Alnum | Kind::Base64)
}

/// A value that looks random behind a word for secrets.
fn is_random(stats: &TokenStats) -> bool {
    let random = match stats.kind {
        Kind::Uuid => true,
        Kind::HexLower | Kind::HexUpper | Kind::HexMixed => {
            stats.entropy_percent() >= 70 && stats.digits >= 3 && stats.len - stats.digits >= 2
        }
        Kind::LowerDigits | Kind::UpperDigits | Kind::Alnum => {
            stats.entropy_percent() >= 75 && stats.digits >= 2 && stats.changes * 5 >= stats.len
        }
        Kind::Base64 | Kind::Base64Url | Kind::Other => {
            stats.entropy_percent() >= 75 && stats.digits >= 3 && stats.changes * 4 >= stats.len
        }
        _ => false,
    };
    // Names in programs have digits, too: `Ed25519PrivateKey`, `sha256_to_refresh`.
    let spelled = !matches!(stats.kind, Kind::Uuid | Kind::HexLower | Kind::HexUpper)
        && stats.rare_bigrams * 5 < stats.bigrams
        && (stats.digits * 4 < stats.len || stats.letters_max >= 6);
    random && !spelled
}

/// A value that looks random enough for a service's name alone. Only what no program counts or
/// checks with may be one.
fn is_ownable(stats: &TokenStats) -> bool {
    match stats.kind {
        Kind::Uuid => true,
        Kind::LowerDigits | Kind::UpperDigits | Kind::Alnum => {
            stats.len >= 20
                && stats.digits >= 3
                && stats.entropy_percent() >= 80
                && stats.changes * 3 >= stats.len
                && (stats.rare_bigrams * 4 >= stats.bigrams || stats.letters_max <= 4)
        }
        _ => false,
    }
}

/// A value that is assigned to a service's bare name: `postmark: "…"`, `skrapp-…`.
fn owned(text: &[u8], candidate: &Candidate, words: &PrecedingWords) -> Option<Named> {
    // `deepgram-api: 4f1c…`
    let is_api = words.get(0).is_some_and(|word| word == b"api");
    let stats = &candidate.stats;
    if !(is_ownable(stats) || is_api && is_digest(stats) && is_random(stats)) {
        return None;
    }
    let context = text.get(candidate.context.clone()).unwrap_or_default();
    let direct = candidate.head.is_empty() && is_assigned(context) || words.in_head() == 1;
    let owned = direct
        && (words.get(usize::from(is_api)).is_some_and(services::is_service)
            || words.any_service_in_two(1 + usize::from(is_api)));
    owned.then(|| Named { family: of_name(&Name::of(words)), pattern: "named_key" })
}

/// Tells whether a value directly follows `=`, `:` or `=>`, over quotes.
fn is_assigned(context: &[u8]) -> bool {
    context
        .iter()
        .rev()
        .take(6)
        .take_while(|byte| !byte.is_ascii_alphanumeric())
        .any(|byte| *byte == b'=' || *byte == b':')
}

/// The family of a value that only its name speaks for: a service's key, or just a secret.
pub(super) fn family(words: &PrecedingWords) -> &'static str {
    of_name(&Name::of(words))
}

/// The family of a value that follows a text.
pub(super) fn family_after(line: &[u8]) -> &'static str {
    let words = PrecedingWords::of(line);
    let service = words.iter().take(4).any(services::is_service);
    of_name(&Name { words: &words, service, compound: false })
}

/// Tells whether a word is one for passwords, however it is cut.
fn is_password(word: &[u8]) -> bool {
    // `passwd`, `pswd`, `paswrd`: all of them without vowels, and no letter twice in succession.
    let mut last = None;
    let letters = word.iter().filter(|letter| {
        !matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
            && last.replace(**letter) != Some(**letter)
    });
    let mut first = [0; 5];
    first.iter_mut().zip(letters).for_each(|(to, letter)| *to = *letter);
    let starts = [&b"pass"[..], b"pwd"].iter().any(|start| word.starts_with(start));
    word == b"pw"
        || starts
        || [&b"pswd"[..], b"pswrd"].iter().any(|start| first.starts_with(start))
        || word.ends_with(b"passwd")
}

fn of_name(name: &Name<'_>) -> &'static str {
    let near = || name.words.iter().take(3);
    // The two halves of a pair that many services have: nobody's, if nothing else says whose.
    let pair = (name.words.get(0), name.words.get(1));
    let is_half =
        matches!(pair, (Some(b"key"), Some(b"access" | b"secret"))) && name.words.in_head() <= 2;
    let is_api = |word: &[u8]| word == b"api" || word.ends_with(b"apikey");
    let is_strange = |word: &[u8]| {
        word.len() >= 3 && !PLAIN.contains(&word) && !word.iter().all(u8::is_ascii_digit)
    };
    if name.service {
        "api_key"
    } else if near().any(is_password) {
        "generic_secret"
    } else if name.compound && !is_half || near().any(is_api) || near().any(is_strange) {
        "api_key"
    } else {
        "generic_secret"
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Policy, score};

    #[test]
    fn half_of_a_pair_is_nobodys_until_something_says_whose() {
        let kinds = |text: &str| score(text, &Policy::default()).kinds();
        let value = ["8zBhTTWf", "BKWP9hJ8", "wunD7zMa", "EvWOGg"].concat();
        for name in ["access_key", "Secret Key"] {
            assert_eq!(kinds(&format!("{name}: {value}")), ["generic_secret"], "{name}");
        }
        for name in ["linode_access_key", "API secret key"] {
            assert_eq!(kinds(&format!("{name}: {value}")), ["api_key"], "{name}");
        }
    }

    #[test]
    fn what_everybody_may_see_is_no_secret() {
        let kinds = |text: &str| score(text, &Policy::default()).kinds().len();
        let value = ["8zBhTTWf", "BKWP9hJ8", "wunD7zMa", "EvWOGg3x"].concat();
        for name in [
            "public_key",
            "primaryKey",
            "cache-key",
            "data-sitekey",
            "ETag",
            "trace_id",
            "FIPS_KEY_STRING",
            "oauth_signature",
        ] {
            assert_eq!(kinds(&format!("{name} = \"{value}\"")), 0, "{name}");
        }
        assert_eq!(kinds(&format!("signing_key = \"{value}\"")), 1);
        let uuid = "9e21bd47-27af-40fc-a0ab-b5b85c746cb7";
        assert_eq!(kinds(&format!("{{\"key\": \"{uuid}\"}}")), 0);
        assert_eq!(kinds(&format!("{{\"api_key\": \"{uuid}\"}}")), 1);
    }

    #[test]
    fn what_tells_or_checks_a_password_is_none() {
        let kinds = |text: &str| score(text, &Policy::default()).kinds().len();
        let uuid = "9e21bd47-27af-40fc-a0ab-b5b85c746cb7";
        let digest = ["9e21bd4727af40fc", "a0abb5b85c746cb7"].concat();
        for value in [uuid, &digest, &digest.to_uppercase(), &digest.repeat(2)] {
            for name in [
                "password_id",
                "passwordHash",
                "PASSWORD_DIGEST",
                "pwd_md5",
                "passwordSha256",
                "password_sha",
                "secret_hash",
                "password_reset_uuid",
                "PASSWORD_TEMPLATE_ID",
                "PASSWORD_RESET_TEMPLATE",
            ] {
                assert_eq!(kinds(&format!("{name} = \"{value}\"")), 0, "{name} {value}");
                assert_eq!(kinds(&format!("{name}: {value}")), 0, "{name} {value}");
            }
            assert_eq!(kinds(&format!("password = \"{value}\"")), 1, "{value}");
        }
        let password = ["q7Rk!9z", "PwX4m2V?b"].concat();
        for name in [
            "PASSWORD_IDENTITY",
            "passwordIdentityServer",
            "password_idp",
            "PASSWORD_IDRAC",
            "PASSWORD_HASH_PEPPER",
            "PASSWORD_HASHICORP_VAULT",
            "password_md5_key",
        ] {
            assert_eq!(kinds(&format!("{name} = \"{password}\"")), 1, "{name}");
            assert_eq!(kinds(&format!("{name}={password}\n")), 1, "{name}");
        }
        let hash = format!("pbkdf2:sha256:260000$aB3dE9xY${}", digest.repeat(2));
        assert_eq!(kinds(&format!("password_hash = \"{hash}\"")), 1);
        for selector in ["#Pw2-input.x9", "input[name=\"pw2Field\"]", "[data-test=Pw2Field]"] {
            assert_eq!(kinds(&format!("password: '{selector}'")), 0, "{selector}");
        }
        for password in ["#Pw2-input.x9!", ".q7Rk-9zPw", "input2Pw-9"] {
            assert_eq!(kinds(&format!("password: '{password}'")), 1, "{password}");
        }
    }

    #[test]
    fn a_password_is_told_however_its_name_is_cut() {
        let family = |name: &str| super::family_after(format!("{name} = ").as_bytes());
        for name in ["password", "passwd", "PASWD", "PSSWORD", "pswrd", "db_pwd", "pw"] {
            assert_eq!(family(name), "generic_secret", "{name}");
        }
        for name in ["posted", "powered", "pushed"] {
            assert_eq!(family(name), "api_key", "{name}");
        }
    }
}
