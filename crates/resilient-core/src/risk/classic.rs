//! The paper's patterns, matched by hand.
//!
//! Their names, texts and order are the contract; the regexes that define them stand beside them
//! as documentation and in a test that compares the two. By hand they cost what
//! the text costs and nothing more: every one of them lies in a run of token characters, begins
//! with a literal, or is found from a byte that is rare.
//!
//! Two of them are narrower than their regex: `email` leaves out file names (`logo@2x.png`), Git
//! remotes (`git@host:path`) and authors (`Name <name@host>`), `ssn` numbers that were never issued (`000-12-3456`).

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr_iter, memmem};
use regex::Regex;

/// A pattern of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classic {
    pub(super) family: &'static str,
    pub(super) name: &'static str,
}

/// In the order of a report.
pub(super) const CLASSICS: [Classic; 19] = [
    of("api_key", "anthropic_oat"), // sk-ant-oat\d+-[A-Za-z0-9_\-]{40,}
    of("api_key", "anthropic_api"), // sk-ant-api\d+-[A-Za-z0-9_\-]{40,}
    of("api_key", "openai_project_key"), // sk-proj-[A-Za-z0-9_\-]{40,}
    of("api_key", "openai_key"),    // sk-[A-Za-z0-9]{30,}
    of("api_key", "datadog_client_key"), // pub[a-f0-9]{32}
    of("api_key", "statsig_client_key"), // client-[A-Za-z0-9]{30,}
    of("api_key", "aws_access_key_id"), // AKIA[0-9A-Z]{16}
    of("api_key", "bearer_token"),  // (?i)bearer\s+[A-Za-z0-9\-_\.=]{20,}
    of("github_pat", "gho"),        // gho_[A-Za-z0-9]{36}, and so the next four
    of("github_pat", "ghp"),
    of("github_pat", "ghu"),
    of("github_pat", "ghs"),
    of("github_pat", "ghr"),
    of("jwt", "jwt_triplet"), // eyJ[A-Za-z0-9_\-]+\.eyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+
    of("pem_block", "pem_private_key"), // -----BEGIN [A-Z ]+ PRIVATE KEY-----
    of("aws_secret", "aws_secret_access_key"), // (?i)aws_secret_access_key["'\s:=]+[A-Za-z0-9/+=]{40}
    of("pii", "email"),                        // [A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}
    of("pii", "ssn"),                          // \b\d{3}-\d{2}-\d{4}\b
    of("binary_hint", "long_base64_blob"),     // [A-Za-z0-9+/=]{200,}
];

const fn of(family: &'static str, name: &'static str) -> Classic {
    Classic { family, name }
}

const OAT: usize = 0;
const API: usize = 1;
const PROJECT: usize = 2;
const OPENAI: usize = 3;
const DATADOG: usize = 4;
const STATSIG: usize = 5;
const AWS_ID: usize = 6;
const BEARER: usize = 7;
const GHO: usize = 8;
const JWT: usize = 13;
const PEM: usize = 14;
const AWS_SECRET: usize = 15;
const EMAIL: usize = 16;
const SSN: usize = 17;
const BLOB: usize = 18;

/// A class of bytes.
type Class = fn(u8) -> bool;

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn bearer(byte: u8) -> bool {
    word(byte) || byte == b'.' || byte == b'='
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn upper_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn hex_lower(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Collects matches; each pattern's are ordered and apart.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number of the pattern and where it matched.
    pub(super) hits: Vec<(usize, Range<usize>)>,
    /// Where each pattern's last match ended.
    ends: [usize; CLASSICS.len()],
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

    fn is_open(&self, pattern: usize, at: usize) -> bool {
        self.ends.get(pattern).is_some_and(|end| at >= *end)
    }
}

/// Finds the patterns of a text whose runs are known.
pub(super) fn find(text: &str, runs: &[Range<usize>]) -> Found {
    let mut found = Found::default();
    let bytes = text.as_bytes();
    // No match of a pattern that lies in a run is shorter than this.
    for run in runs.iter().filter(|run| run.len() >= 20) {
        in_run(text, run, &mut found);
    }
    jwt(bytes, &mut found);
    pem(bytes, &mut found);
    email(bytes, &mut found);
    found
}

/// The patterns whose whole match lies in one run, and `bearer_token`, whose token does.
fn in_run(text: &str, run: &Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let body = bytes.get(run.clone()).unwrap_or_default();
    // Each of these classes is a part of the runs' class. A stretch is measured once, from its
    // start, so that no text makes this quadratic.
    let mut alnum_end = 0;
    let mut word_end = 0;
    let until = |from: usize, class: Class| {
        let rest = body.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| class(**byte)).count()
    };
    let mut hex_end = 0;
    let mut upper_end = 0;
    for (at, &byte) in body.iter().enumerate() {
        let literal = |text: &[u8]| body.get(at..).is_some_and(|rest| rest.starts_with(text));
        match byte {
            b's' if literal(b"sk-") => {
                if literal(b"sk-ant-oat") || literal(b"sk-ant-api") {
                    let kind = if literal(b"sk-ant-oat") { OAT } else { API };
                    let digits = until(at + 10, |byte| byte.is_ascii_digit());
                    if digits > at + 10 && body.get(digits) == Some(&b'-') {
                        if word_end <= digits {
                            word_end = until(digits + 1, word);
                        }
                        if word_end > digits + 40 {
                            found.add(kind, run.start + at..run.start + word_end);
                        }
                    }
                } else if literal(b"sk-proj-") {
                    if word_end < at + 8 {
                        word_end = until(at + 8, word);
                    }
                    if word_end >= at + 48 {
                        found.add(PROJECT, run.start + at..run.start + word_end);
                    }
                }
                if alnum_end < at + 3 {
                    alnum_end = until(at + 3, alnum);
                }
                if alnum_end >= at + 33 {
                    found.add(OPENAI, run.start + at..run.start + alnum_end);
                }
            }
            b'p' if literal(b"pub") => {
                if hex_end < at + 3 {
                    hex_end = until(at + 3, hex_lower);
                }
                if hex_end >= at + 35 {
                    found.add(DATADOG, run.start + at..run.start + at + 35);
                }
            }
            b'c' if literal(b"client-") => {
                if alnum_end < at + 7 {
                    alnum_end = until(at + 7, alnum);
                }
                if alnum_end >= at + 37 {
                    found.add(STATSIG, run.start + at..run.start + alnum_end);
                }
            }
            b'A' if literal(b"AKIA") => {
                if upper_end < at + 4 {
                    upper_end = until(at + 4, upper_digit);
                }
                if upper_end >= at + 20 {
                    found.add(AWS_ID, run.start + at..run.start + at + 20);
                }
            }
            b'g' if body.get(at + 3) == Some(&b'_') && body.get(at + 1) == Some(&b'h') => {
                let kind = body.get(at + 2).and_then(|b| b"opusr".iter().position(|k| k == b));
                if let Some(kind) = kind {
                    if alnum_end < at + 4 {
                        alnum_end = until(at + 4, alnum);
                    }
                    if alnum_end >= at + 40 {
                        found.add(GHO + kind, run.start + at..run.start + at + 40);
                    }
                }
            }
            _ => {}
        }
    }
    aws_secret(text, run, found);
    let blobs = stretches(body, base64).filter(|stretch| stretch.len() >= 200);
    blobs.for_each(|blob| found.add(BLOB, run.start + blob.start..run.start + blob.end));

    let token = until(0, bearer);
    if token >= 20 {
        let before = text.get(..run.start).unwrap_or_default();
        // White space is skipped only as far as it is short: a bound on the work.
        let white: usize = before
            .chars()
            .rev()
            .take(64)
            .take_while(|c| c.is_whitespace())
            .map(char::len_utf8)
            .sum();
        let word_end = run.start - white;
        let start = word_end.saturating_sub(6);
        let literal = bytes.get(start..word_end).unwrap_or_default();
        if white > 0 && literal.eq_ignore_ascii_case(b"bearer") {
            found.add(BEARER, start..run.start + token);
        }
    }
}

/// Maximal stretches of a class.
fn stretches(body: &[u8], class: Class) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += body.get(at..)?.iter().position(|byte| class(*byte))?;
        let start = at;
        at += body.get(at..)?.iter().take_while(|byte| class(**byte)).count();
        Some(start..at)
    })
}

/// `eyJ….eyJ….…`: three neighbouring words of which the second begins so and the first holds it.
fn jwt(bytes: &[u8], found: &mut Found) {
    static FINDER: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(b".eyJ"));
    for dot in FINDER.find_iter(bytes) {
        let floor = found.ends.get(JWT).copied().unwrap_or(0).min(dot);
        let before = bytes.get(floor..dot).unwrap_or_default();
        let len = before.iter().rev().take_while(|byte| word(**byte)).count();
        let first = bytes.get(dot - len..dot).unwrap_or_default();
        let head = memmem::find(first, b"eyJ").filter(|at| at + 3 < first.len());
        let after = bytes.get(dot + 1..).unwrap_or_default();
        let second = after.iter().take_while(|byte| word(**byte)).count();
        let rest = after.get(second..).unwrap_or_default();
        let third = rest.iter().skip(1).take_while(|byte| word(**byte)).count();
        if let Some(head) = head
            && second > 3
            && rest.first() == Some(&b'.')
            && third > 0
        {
            found.add(JWT, dot - len + head..dot + 2 + second + third);
        }
    }
}

/// Two parts of a JSON web token without the third: the header says what it is.
pub(super) fn unsigned_jwt(bytes: &[u8], mut each: impl FnMut(Range<usize>)) {
    for dot in memmem::find_iter(bytes, b".eyJ") {
        let before = bytes.get(dot.saturating_sub(1024)..dot).unwrap_or_default();
        let len = before.iter().rev().take_while(|byte| word(**byte)).count();
        let after = bytes.get(dot + 1..).unwrap_or_default();
        let second = after.iter().take(4096).take_while(|byte| word(**byte)).count();
        let head = bytes.get(dot - len..dot).and_then(|head| std::str::from_utf8(head).ok());
        let header =
            head.filter(|head| head.starts_with("eyJ")).and_then(super::decode::base64_text);
        if header.is_some_and(|header| header.contains("\"alg\"")) && second > 16 {
            each(dot - len..dot + 1 + second);
        }
    }
}

fn pem(bytes: &[u8], found: &mut Found) {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const END: &[u8] = b" PRIVATE KEY-----";
    static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(BEGIN));
    for at in FINDER.find_iter(bytes) {
        if !found.is_open(PEM, at) {
            continue;
        }
        let rest = bytes.get(at + BEGIN.len()..).unwrap_or_default();
        let label =
            rest.iter().take(256).take_while(|b| b.is_ascii_uppercase() || **b == b' ').count();
        let end = rest.get(..label + 5).filter(|text| text.ends_with(END));
        // At least one letter or space stands before ` PRIVATE KEY`.
        if let Some(end) = end
            && end.len() > END.len()
        {
            found.add(PEM, at..at + BEGIN.len() + end.len());
        }
    }
}

fn email(bytes: &[u8], found: &mut Found) {
    let local =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-');
    let domain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    for at in memchr_iter(b'@', bytes) {
        if !found.is_open(EMAIL, at) {
            continue;
        }
        let floor = found.ends.get(EMAIL).copied().unwrap_or(0);
        let before = bytes.get(floor..at).unwrap_or_default();
        let start = at - before.iter().rev().take_while(|byte| local(**byte)).count();
        let after = bytes.get(at + 1..).unwrap_or_default();
        let end = after.iter().take_while(|byte| domain(**byte)).count();
        let host = after.get(..end).unwrap_or_default();
        if start == at {
            continue;
        }
        // The regex takes the last dot that two letters follow, and all letters after it.
        let dots = memchr::memrchr_iter(b'.', host).filter(|dot| *dot > 0);
        let end = dots.take(64).find_map(|dot| {
            let top = host.get(dot + 1..).unwrap_or_default();
            let letters = top.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            (letters >= 2).then_some(dot + 1 + letters)
        });
        if let Some(end) = end {
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
    let top = memchr::memrchr(b'.', host).and_then(|dot| host.get(dot + 1..)).unwrap_or_default();
    let local = bytes.get(span.start..at).unwrap_or_default();
    let after = bytes.get(span.end).copied().unwrap_or(b' ');
    let file = FILES.iter().any(|known| top.eq_ignore_ascii_case(known));
    let remote = local == b"git" && (after == b':' || after == b'/');
    // `Name <name@host>` names an author, as sources and manifests do.
    let author = span.start >= 3
        && bytes.get(span.start - 1) == Some(&b'<')
        && bytes.get(span.start - 2) == Some(&b' ')
        && after == b'>';
    !file && !remote && !author
}

fn aws_secret(text: &str, run: &Range<usize>, found: &mut Found) {
    const NAME: &[u8] = b"aws_secret_access_key";
    let bytes = text.as_bytes();
    for at in memchr_iter(b'_', bytes.get(run.clone()).unwrap_or_default()) {
        // From the first underscore of the name.
        let at = run.start + at;
        let Some(start) = at.checked_sub(3) else { continue };
        let name = bytes.get(start..start + NAME.len()).unwrap_or_default();
        if !name.eq_ignore_ascii_case(NAME) || !found.is_open(AWS_SECRET, start) {
            continue;
        }
        let after = text.get(start + NAME.len()..).unwrap_or_default();
        // The class of the separators and that of the value share `=`; the value may begin in it.
        let is_separator = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ':' | '=');
        let gap: usize =
            after.chars().take(256).take_while(|c| is_separator(*c)).map(char::len_utf8).sum();
        let rest = after.as_bytes();
        let equals = rest.get(..gap).unwrap_or_default();
        let own = equals.iter().rev().take_while(|byte| **byte == b'=').count();
        let own = own.min(gap.saturating_sub(1));
        let value = rest.get(gap..).unwrap_or_default();
        let len = value.iter().take(40).take_while(|byte| base64(**byte)).count();
        if gap > 0 && len + own >= 40 {
            found.add(AWS_SECRET, start..start + NAME.len() + gap + len.min(40));
        }
    }
}

/// American social security numbers.
pub(super) fn ssn(text: &str, digits: &[Range<usize>], found: &mut Found) {
    if text.is_ascii() {
        for dense in digits {
            let from = dense.start.saturating_sub(16);
            let to = (dense.end + 16).min(text.len());
            let bytes = text.as_bytes();
            for dash in memchr_iter(b'-', bytes.get(from..to).unwrap_or_default()) {
                let Some(start) = (from + dash).checked_sub(3) else { continue };
                if is_ssn(bytes.get(start..start + 11).unwrap_or_default())
                    && !edge(bytes.get(start.wrapping_sub(1)))
                    && !edge(bytes.get(start + 11))
                {
                    found.add(SSN, start..start + 11);
                }
            }
        }
        return;
    }
    // Other scripts have digits and letters of their own.
    static REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d{3}-\d{2}-\d{4}").ok());
    let Some(regex) = REGEX.as_ref() else { return };
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut from = 0;
    while let Some(hit) = regex.find_at(text, from) {
        let (before, rest) = text.split_at(hit.start());
        let after = text.get(hit.end()..).unwrap_or_default();
        if !before.ends_with(is_word) && !after.starts_with(is_word) {
            from = hit.end();
            if !hit.as_str().is_ascii() || is_ssn(hit.as_str().as_bytes()) {
                found.add(SSN, hit.range());
            }
        } else {
            from = hit.start() + rest.chars().next().map_or(1, char::len_utf8);
        }
    }
}

fn edge(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// The form, and that the number was or may be issued: no area 000 or 666 or from 900 on, no group
/// 00, no serial 0000. Areas from 900 on are taxpayer numbers of the same form, and as private.
fn is_ssn(text: &[u8]) -> bool {
    let form = text.len() == 11
        && text.iter().enumerate().all(|(at, byte)| match at {
            3 | 6 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    form && part(0..3) != b"000"
        && part(0..3) != b"666"
        && part(4..6) != b"00"
        && part(7..11) != b"0000"
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::*;

    const REGEXES: [&str; 19] = [
        r"sk-ant-oat[0-9]+-[A-Za-z0-9_\-]{40,}",
        r"sk-ant-api[0-9]+-[A-Za-z0-9_\-]{40,}",
        r"sk-proj-[A-Za-z0-9_\-]{40,}",
        r"sk-[A-Za-z0-9]{30,}",
        r"pub[a-f0-9]{32}",
        r"client-[A-Za-z0-9]{30,}",
        r"AKIA[0-9A-Z]{16}",
        r"(?i)bearer\s+[A-Za-z0-9\-_\.=]{20,}",
        r"gho_[A-Za-z0-9]{36}",
        r"ghp_[A-Za-z0-9]{36}",
        r"ghu_[A-Za-z0-9]{36}",
        r"ghs_[A-Za-z0-9]{36}",
        r"ghr_[A-Za-z0-9]{36}",
        r"eyJ[A-Za-z0-9_\-]+\.eyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+",
        r"-----BEGIN [A-Z ]+ PRIVATE KEY-----",
        r#"(?i)aws_secret_access_key["'\s:=]+[A-Za-z0-9/+=]{40}"#,
        r"[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}",
        r"\b\d{3}-\d{2}-\d{4}\b",
        r"[A-Za-z0-9+/=]{200,}",
    ];

    fn all(text: &str) -> Vec<(usize, Range<usize>)> {
        let runs = runs::find(text.as_bytes());
        let mut found = find(text, &runs.tokens);
        ssn(text, &runs.digits, &mut found);
        found.hits.sort_by_key(|(pattern, span)| (*pattern, span.start));
        found.hits
    }

    #[test]
    fn matching_by_hand_is_what_the_regexes_say() {
        let parts = [
            "sk-",
            "ant-",
            "oat",
            "api",
            "01-",
            "proj-",
            "pub",
            "client-",
            "AKIA",
            "bearer",
            " ",
            "\t",
            "gh",
            "p_",
            "o_",
            "eyJ",
            ".",
            "-----BEGIN ",
            "RSA",
            " PRIVATE KEY-----",
            "aws_secret_access_key",
            "=",
            "\"",
            ": ",
            "@",
            "a.io",
            "b-",
            "12",
            "123",
            "-",
            "1234",
            "\n",
            "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0",
            "0123456789abcdef0123456789abcdef",
            "0123456789ABCDEF",
            "+",
            "/",
            "_",
            "é",
            "x",
        ];
        let regexes: Vec<Regex> = REGEXES.iter().map(|regex| Regex::new(regex).unwrap()).collect();
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut hits = 0;
        for round in 0..6_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(parts[(state % parts.len() as u64) as usize]);
                if round % 50 == 0 {
                    text.push_str(&"Ab1".repeat((state >> 40) as usize % 90));
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
    fn file_names_and_remotes_are_no_addresses() {
        assert_eq!(all("logo@2x.png git@github.com:a/b.git"), vec![]);
        assert_eq!(all("a@b.io").len(), 1);
        assert_eq!(all("000-12-3456 666-12-3456 123-00-3456 123-45-0000"), vec![]);
    }
}
