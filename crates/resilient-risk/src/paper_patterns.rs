//! The paper's patterns.
//!
//! Their names, texts and order are the contract. A regex is tried only where it can match: in a run of token
//! characters that is long enough, or where a needle stands that it begins with.
//!
//! Two of them are narrower than their regex: `email` leaves out file names (`logo@2x.png`), Git
//! remotes (`git@host:path`), users of addresses (`ftp://name@host`) and authors (`Name <name@host>`), `ssn` numbers that
//! were never issued (`000-12-3456`).

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use memchr::{memchr_iter, memrchr, memrchr_iter};
use regex::Regex;

use super::byte_classes::ByteClasses;
use super::keywords::{AUTHORITY_REACH, Keyword, KeywordHit};
use super::needles::{NeedleKind, NeedlePlace};
use super::runs::{LONG_MIN, Run};
use super::work;

/// A pattern of the paper.
#[derive(Debug)]
pub(super) struct PaperPattern {
    pub(super) family: &'static str,
    pub(super) name: &'static str,
    regex: &'static str,
    /// How a match is found.
    by: By,
    compiled: OnceLock<Option<Regex>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// All of it lies in a run.
    Run,
    /// A needle stands where it begins.
    Place,
    /// The text is searched.
    Text,
}

/// In the order of a report.
pub(super) static PAPER_PATTERNS: [PaperPattern; 19] = [
    of("api_key", "anthropic_oat", By::Run, r"sk-ant-oat[0-9]+-[A-Za-z0-9_\-]{40,}"),
    of("api_key", "anthropic_api", By::Run, r"sk-ant-api[0-9]+-[A-Za-z0-9_\-]{40,}"),
    of("api_key", "openai_project_key", By::Run, r"sk-proj-[A-Za-z0-9_\-]{40,}"),
    of("api_key", "openai_key", By::Run, r"sk-[A-Za-z0-9]{30,}"),
    of("api_key", "datadog_client_key", By::Run, r"pub[a-f0-9]{32}"),
    of("api_key", "statsig_client_key", By::Run, r"client-[A-Za-z0-9]{30,}"),
    of("api_key", "aws_access_key_id", By::Place, r"AKIA[0-9A-Z]{16}"),
    of("api_key", "bearer_token", By::Place, r"(?i)bearer\s+[A-Za-z0-9\-_\.=]{20,}"),
    of("github_pat", "gho", By::Run, r"gho_[A-Za-z0-9]{36}"),
    of("github_pat", "ghp", By::Run, r"ghp_[A-Za-z0-9]{36}"),
    of("github_pat", "ghu", By::Run, r"ghu_[A-Za-z0-9]{36}"),
    of("github_pat", "ghs", By::Run, r"ghs_[A-Za-z0-9]{36}"),
    of("github_pat", "ghr", By::Run, r"ghr_[A-Za-z0-9]{36}"),
    of("jwt", "jwt_triplet", By::Text, r"eyJ[A-Za-z0-9_\-]+\.eyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+"),
    of("pem_block", "pem_private_key", By::Place, r"-----BEGIN [A-Z ]+ PRIVATE KEY-----"),
    of(
        "aws_secret",
        "aws_secret_access_key",
        By::Place,
        r#"(?i)aws_secret_access_key["'\s:=]+[A-Za-z0-9/+=]{40}"#,
    ),
    of("pii", "email", By::Text, r"[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}"),
    of("pii", "ssn", By::Place, r"\b\d{3}-\d{2}-\d{4}\b"),
    of("binary_hint", "long_base64_blob", By::Text, r"[A-Za-z0-9+/=]{200,}"),
];

const fn of(family: &'static str, name: &'static str, by: By, regex: &'static str) -> PaperPattern {
    PaperPattern { family, name, regex, by, compiled: OnceLock::new() }
}

const AWS_ID: usize = 6;
const BEARER: usize = 7;
const JWT: usize = 13;
const PEM: usize = 14;
const AWS_SECRET: usize = 15;
const EMAIL: usize = 16;
const SSN: usize = 17;
const BLOB: usize = 18;

impl PaperPattern {
    fn compiled(&self) -> Option<&Regex> {
        let begin = if self.by == By::Place { r"\A" } else { "" };
        let compiled = || Regex::new(&[begin, self.regex].concat()).ok();
        self.compiled.get_or_init(compiled).as_ref()
    }
}

/// Collects matches; each pattern's are ordered and apart.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number of the pattern and where it matched.
    pub(super) hits: Vec<(usize, Range<usize>)>,
    /// Where each pattern's last match ended.
    ends: [usize; PAPER_PATTERNS.len()],
}

impl Found {
    fn add(&mut self, pattern: usize, span: Range<usize>) {
        if let Some(end) = self.ends.get_mut(pattern)
            && span.start >= *end
        {
            *end = span.end;
            self.hits.push((pattern, span));
        }
    }

    fn end(&self, pattern: usize) -> usize {
        self.ends.get(pattern).copied().unwrap_or(0)
    }

    /// Adds the matches of a pattern in a part of a text, or the one that begins the part.
    fn find(&mut self, pattern: usize, text: &str, part: Range<usize>) {
        let regex = PAPER_PATTERNS.get(pattern).and_then(PaperPattern::compiled);
        let Some((regex, inside)) = regex.zip(text.get(part.clone())) else { return };
        if part.start >= self.end(pattern) {
            for hit in regex.find_iter(inside) {
                work::spend(hit.len());
                self.add(pattern, part.start + hit.start()..part.start + hit.end());
            }
        }
    }
}

/// Finds the patterns of a text whose runs, needles and keywords are known, except for social security numbers.
pub(super) fn find(
    text: &str,
    runs: &[Run],
    places: &[NeedlePlace],
    keywords: &[KeywordHit],
) -> Found {
    let mut found = Found::default();
    let secrets = keywords.iter().filter(|word| word.word == Keyword::AwsSecret);
    let mut begins: Vec<_> = secrets.map(|word| (AWS_SECRET, Some(word.start))).collect();
    begins.extend(places.iter().filter_map(|place| match place.kind {
        NeedleKind::Aws => Some((AWS_ID, Some(place.at))),
        NeedleKind::Bearer => Some((BEARER, Some(place.at))),
        NeedleKind::Begin => Some((PEM, place.at.checked_sub("-----".len()))),
        _ => None,
    }));
    for (pattern, start) in begins {
        start.into_iter().for_each(|start| found.find(pattern, text, start..text.len()));
    }
    if places.iter().any(|place| place.kind == NeedleKind::Jwt) {
        found.find(JWT, text, 0..text.len());
    }
    runs.iter().for_each(|run| in_run(text, run, &mut found));
    email(text.as_bytes(), &mut found);
    found
}

/// The patterns that only long runs hold.
fn in_run(text: &str, run: &Run, found: &mut Found) {
    /// All of them are longer.
    const LEN_MIN: usize = 32;
    static PREFIXES: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("client-|gh[oprsu]_|pub[a-f0-9]{2}|sk-").ok());
    let body = text.get(run.span()).filter(|body| body.len() > LEN_MIN).unwrap_or_default();
    if PREFIXES.as_ref().is_some_and(|prefixes| prefixes.is_match(body)) {
        let patterns = PAPER_PATTERNS.iter().enumerate().filter(|(_, of)| of.by == By::Run);
        patterns.for_each(|(nth, _)| found.find(nth, text, run.span()));
    }
    if body.len() >= LONG_MIN {
        found.find(BLOB, text, run.span());
    }
}

/// Two parts of a JSON web token without the third: the header says what it is.
pub(super) fn unsigned_jwt(text: &str, places: &[NeedlePlace], mut each: impl FnMut(Range<usize>)) {
    static REGEX: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"[A-Za-z0-9_\-]+\.eyJ[A-Za-z0-9_\-]{14,}").ok());
    let has_jwt = places.iter().any(|place| place.kind == NeedleKind::Jwt);
    for hit in REGEX.iter().filter(|_| has_jwt).flat_map(|regex| regex.find_iter(text)) {
        work::spend(hit.len());
        let header = hit.as_str().split('.').next().filter(|header| header.starts_with("eyJ"));
        let says = header.and_then(super::decode::base64_text);
        if says.is_some_and(|header| header.contains("\"alg\"")) {
            each(hit.range());
        }
    }
}

/// Addresses, from their `@`.
fn email(bytes: &[u8], found: &mut Found) {
    let domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let local = |byte: u8| domain(byte) || matches!(byte, b'_' | b'%' | b'+');
    for at in memchr_iter(b'@', bytes) {
        let Some(before) = bytes.get(found.end(EMAIL)..at) else { continue };
        let start = at - before.iter().rev().take_while(|byte| local(**byte)).count();
        work::spend(at - start);
        let after = bytes.get(at + 1..).unwrap_or_default();
        let end = after.iter().take_while(|byte| domain(**byte)).count();
        work::spend(end);
        let host = after.get(..end).unwrap_or_default();
        // The regex takes the last dot that two letters follow, and all letters after it.
        let dots = memrchr_iter(b'.', host).filter(|dot| *dot > 0);
        let end = dots.take(64).find_map(|dot| {
            let top = host.get(dot + 1..).unwrap_or_default();
            let letters = top.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            (letters >= 2).then_some(dot + 1 + letters)
        });
        if let Some(end) = end.filter(|_| start < at) {
            let span = start..at + 1 + end;
            if is_address(bytes, &span, at) {
                found.add(EMAIL, span);
            }
        }
    }
}

/// Tells addresses from file names with an `@` in them and from the remotes of version control.
fn is_address(bytes: &[u8], span: &Range<usize>, at: usize) -> bool {
    /// The endings of files that are named `name@2x.ending` or `package@version.ending`.
    const FILES: [&[u8]; 24] = [
        b"png", b"jpg", b"jpeg", b"gif", b"svg", b"webp", b"ico", b"js", b"mjs", b"cjs", b"ts",
        b"tsx", b"jsx", b"css", b"scss", b"html", b"json", b"yaml", b"yml", b"md", b"txt", b"zip",
        b"tgz", b"gz",
    ];
    let host = bytes.get(at + 1..span.end).unwrap_or_default();
    let top = memrchr(b'.', host).and_then(|dot| host.get(dot + 1..)).unwrap_or_default();
    let local = bytes.get(span.start..at).unwrap_or_default();
    let after = bytes.get(span.end).copied().unwrap_or(b' ');
    let file = FILES.iter().any(|known| top.eq_ignore_ascii_case(known));
    let remote = local == b"git" && (after == b':' || after == b'/');
    // `Name <name@host>` names an author, as sources and manifests do.
    let author = span.start >= 3
        && bytes.get(span.start - 1) == Some(&b'<')
        && bytes.get(span.start - 2) == Some(&b' ')
        && after == b'>';
    // What stands between `://` and the `@` is a user or a password.
    let before =
        bytes.get(span.start.saturating_sub(AUTHORITY_REACH)..span.start).unwrap_or_default();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'`<>(),;|?#&={}".contains(byte);
    let end = before.iter().rposition(is_end).map_or(0, |end| end + 1);
    let user = before.get(..end).is_some_and(|before| before.ends_with(b"://"));
    !file && !remote && !author && !user
}

/// American social security numbers, with digits of any script: nine of them are dense.
pub(super) fn ssn(
    text: &str,
    byte_classes: &ByteClasses,
    digit_regions: &[Range<usize>],
    found: &mut Found,
) {
    let whole = 0..text.len();
    let parts =
        if byte_classes.foreign.is_empty() { digit_regions } else { std::slice::from_ref(&whole) };
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_digit() || !b.is_ascii());
    for part in parts {
        for dash in memchr_iter(b'-', bytes.get(part.clone()).unwrap_or_default()) {
            let dash = part.start + dash;
            if !is_digit(dash.wrapping_sub(1)) || !is_digit(dash + 1) {
                continue;
            }
            let before = text.get(..dash).unwrap_or_default();
            let Some((start, _)) = before.char_indices().nth_back(2) else { continue };
            let is_word = |char: char| char.is_alphanumeric() || char == '_';
            let number = text.get(start..start + "123-45-6789".len()).unwrap_or_default();
            if is_issued(number) && !before.get(..start).is_some_and(|text| text.ends_with(is_word))
            {
                found.find(SSN, text, start..text.len());
            }
        }
    }
}

/// Tells whether a number was or may be issued: no area 000 or 666, no group 00, no serial 0000. Areas from 900 on are
/// taxpayer numbers of the same form, and as private.
fn is_issued(number: &str) -> bool {
    let part = |range: Range<usize>| number.get(range).unwrap_or_default();
    !matches!(part(0..3), "000" | "666") && part(4..6) != "00" && part(7..11) != "0000"
}

#[cfg(test)]
mod tests {
    use super::super::text_index::TextIndex;
    use super::*;

    use crate::steady::Chance;
    fn all(text: &str) -> Vec<(usize, Range<usize>)> {
        let text_index = TextIndex::of(text.as_bytes());
        let TextIndex { byte_classes, runs, digit_regions, places, keywords, .. } = &text_index;
        let mut found = find(text, runs, places, keywords);
        ssn(text, byte_classes, digit_regions, &mut found);
        found.hits.sort_by_key(|(pattern, span)| (*pattern, span.start));
        found.hits
    }

    #[test]
    fn matches_are_what_the_regexes_say_of_the_whole_text() {
        let parts = concat!(
            "sk-|ant-|oat|api|01-|proj-|pub|client-|AKIA|bearer| |\t|gh|p_|o_|eyJ|.|-----BEGIN |RSA|",
            " PRIVATE KEY-----|aws_secret_access_key|=|\"|: |@|a.io|b-|12|123|-|1234|\n|",
            "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0|0123456789abcdef0123456789abcdef|0123456789ABCDEF|+|/|",
            "_|é|x",
        );
        let regexes: Vec<Regex> =
            PAPER_PATTERNS.iter().map(|of| Regex::new(of.regex).unwrap()).collect();
        let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
        let mut hits = 0;
        for round in 0..6_000 {
            let mut text = String::new();
            for _ in 0..12 {
                text += &chance.text(parts, 1);
                if round % 50 == 0 {
                    text += &"Ab1".repeat(chance.below(90));
                }
            }
            let mut expected = Vec::new();
            for (nth, regex) in regexes.iter().enumerate() {
                let found = regex.find_iter(&text).map(|found| found.range());
                expected.extend(found.map(|range| (nth, range)));
            }
            hits += expected.len();
            assert_eq!(all(&text), expected, "{text:?}");
        }
        assert!(hits > 500, "{hits}");
    }

    #[test]
    fn blobs_are_what_the_regex_says_wherever_signs_stand() {
        let regex = Regex::new(PAPER_PATTERNS[BLOB].regex).unwrap();
        let mut hits = 0;
        for len in [199, 200, 201, 400, 401, 999] {
            for step in [1, 7, 199, 200, 201, 202, 300] {
                let sign = |at: usize| if at % step == step - 1 { '-' } else { 'a' };
                let text: String = (0..len).map(sign).collect();
                let found = all(&text);
                let expected = regex.find_iter(&text).map(|hit| (BLOB, hit.range()));
                let expected: Vec<_> = expected.collect();
                assert_eq!(found, expected, "{len} {step}");
                hits += found.len();
            }
        }
        assert!(hits > 10, "{hits}");
    }

    #[test]
    fn the_prefixes_of_the_patterns_are_known() {
        for PaperPattern { regex, .. } in PAPER_PATTERNS.iter().filter(|of| of.by == By::Run) {
            let known = super::super::needles::IN_RUNS;
            let is_known = known.iter().any(|known| regex.starts_with(known));
            assert!(is_known || regex.starts_with("pub"), "{regex}");
        }
    }

    #[test]
    fn file_names_and_remotes_are_no_addresses() {
        assert_eq!(all("logo@2x.png git@github.com:a/b.git"), vec![]);
        assert_eq!(all("ftp://me@host.net x://me:pass%2F@host.net/a"), vec![]);
        for sign in [",", "?email=", "#", ";", "|", "&mail="] {
            assert_eq!(all(&format!("https://x.io{sign}john.doe@host.net")).len(), 1, "{sign}");
        }
        assert_eq!(all("a@b.io").len(), 1);
        assert_eq!(all("000-12-3456 666-12-3456 123-00-3456 123-45-0000"), vec![]);
    }
}
