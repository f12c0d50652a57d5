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

use memchr::memmem::{self, Finder};
use memchr::{memchr_iter, memchr3, memrchr3};
use regex::Regex;

use super::bits::{GROUP, ones};
use super::literals::{Literal, Place};
use super::marks::Marks;
use super::runs::{LONG_MIN, Run};
use super::words::{Said, Word};
use super::work;

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

const AWS_ID: usize = 6;
const BEARER: usize = 7;
const JWT: usize = 13;
const PEM: usize = 14;
const AWS_SECRET: usize = 15;
const EMAIL: usize = 16;
const SSN: usize = 17;
const BLOB: usize = 18;

/// A pattern that is a prefix and so many characters of one class that it lies in a long run.
struct Prefixed {
    pattern: usize,
    prefix: &'static str,
    /// Whether a number and a dash stand behind the prefix.
    numbered: bool,
    class: fn(u8) -> bool,
    least: usize,
    /// Whether it goes on to the end of the stretch.
    goes_on: bool,
}

const PREFIXED: [Prefixed; 11] = [
    Prefixed { numbered: true, ..open(0, "sk-ant-oat", word, 40) },
    Prefixed { numbered: true, ..open(1, "sk-ant-api", word, 40) },
    open(2, "sk-proj-", word, 40),
    open(3, "sk-", alnum, 30),
    Prefixed { goes_on: false, ..open(4, "pub", hex_lower, 32) },
    open(5, "client-", alnum, 30),
    github(8, "gho_"),
    github(9, "ghp_"),
    github(10, "ghu_"),
    github(11, "ghs_"),
    github(12, "ghr_"),
];

const fn open(
    pattern: usize,
    prefix: &'static str,
    class: fn(u8) -> bool,
    least: usize,
) -> Prefixed {
    Prefixed { pattern, prefix, numbered: false, class, least, goes_on: true }
}

const fn github(pattern: usize, prefix: &'static str) -> Prefixed {
    Prefixed { goes_on: false, ..open(pattern, prefix, alnum, 36) }
}

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

fn hex_lower(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

impl Prefixed {
    /// The shortest match.
    fn len(&self) -> usize {
        self.prefix.len() + self.least
    }

    /// How long the match is that a text begins with, of which the prefix is known.
    fn matched(&self, text: &[u8]) -> Option<usize> {
        let mut body = text.get(self.prefix.len()..)?;
        if self.numbered {
            let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
            body = body.get(digits..)?.strip_prefix(b"-").filter(|_| digits > 0)?;
        }
        let most = if self.goes_on { usize::MAX } else { self.least };
        let len = body.iter().take(most).take_while(|byte| (self.class)(**byte)).count();
        work::spend(len);
        (len >= self.least).then_some(text.len() - body.len() + len)
    }
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

/// Finds the patterns of a text whose runs, literals and words are known, except for social security numbers.
pub(super) fn find(text: &str, runs: &[Run], places: &[Place], words: &[Said]) -> Found {
    let mut found = Found::default();
    at_literals(text, places, &mut found);
    for run in runs {
        in_run(text.as_bytes(), run, &mut found);
    }
    for word in words.iter().filter(|word| word.word == Word::AwsSecret) {
        aws_secret(text, word.start, word.end, &mut found);
    }
    email(text.as_bytes(), &mut found);
    found
}

/// The patterns that begin with a literal.
fn at_literals(text: &str, places: &[Place], found: &mut Found) {
    let bytes = text.as_bytes();
    for Place { at, literal, .. } in places.iter().copied() {
        match literal {
            Literal::Aws => {
                let id = bytes.get(at + 4..at + 20).unwrap_or_default();
                if id.len() == 16 && id.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
                {
                    found.add(AWS_ID, at..at + 20);
                }
            }
            Literal::Jwt => jwt(bytes, at, found),
            Literal::Bearer => bearer_token(text, at, found),
            Literal::Begin => pem(bytes, at, found),
            Literal::ReverseLines | Literal::Hash | Literal::Vendor => {}
            Literal::Word(_) | Literal::AnyCase(..) => {}
        }
    }
}

/// `bearer`, white space of any script and a token.
fn bearer_token(text: &str, at: usize, found: &mut Found) {
    let rest = text.get(at + 6..).unwrap_or_default();
    // It is skipped only as far as it is short: a bound on the work.
    let white = rest.chars().take(64).take_while(|char| char.is_whitespace());
    let white: usize = white.map(char::len_utf8).sum();
    let token = rest.as_bytes().iter().skip(white).take_while(|byte| bearer(**byte)).count();
    work::spend(white + token);
    if white > 0 && token >= 20 {
        found.add(BEARER, at..at + 6 + white + token);
    }
}

/// The patterns that only long runs hold.
fn in_run(text: &[u8], run: &Run, found: &mut Found) {
    static FINDERS: LazyLock<[Finder<'_>; PREFIXED.len()]> =
        LazyLock::new(|| PREFIXED.map(|of| Finder::new(of.prefix)));
    /// All of them are longer.
    const LEN_MIN: usize = 32;
    let body = text.get(run.span()).unwrap_or_default();
    if body.len() <= LEN_MIN {
        return;
    }
    for (of, finder) in PREFIXED.iter().zip(&*FINDERS).filter(|(of, _)| of.len() <= body.len()) {
        for at in finder.find_iter(body) {
            let start = run.start + at;
            if found.is_open(of.pattern, start)
                && let Some(len) = body.get(at..).and_then(|rest| of.matched(rest))
            {
                found.add(of.pattern, start..start + len);
            }
        }
    }
    if body.len() >= LONG_MIN {
        blobs_of(body, |blob| found.add(BLOB, run.start + blob.start..run.start + blob.end));
    }
}

/// The stretches of base64 in a run that are long enough. Of a run, only these signs are none: where one is among
/// so many bytes, the next stretch begins behind the last of them.
fn blobs_of(run: &[u8], mut each: impl FnMut(Range<usize>)) {
    let mut at = 0;
    while let Some((least, rest)) = run.get(at..).and_then(|rest| rest.split_at_checked(LONG_MIN)) {
        if let Some(sign) = memrchr3(b'_', b'-', b'.', least) {
            at += sign + 1;
        } else {
            let len = LONG_MIN + memchr3(b'_', b'-', b'.', rest).unwrap_or(rest.len());
            each(at..at + len);
            at += len;
        }
    }
}

/// `eyJ….eyJ….…`: three neighbouring words of which the second begins so and the first holds it.
fn jwt(bytes: &[u8], dot: usize, found: &mut Found) {
    let after = bytes.get(dot + 1..).unwrap_or_default();
    let second = after.iter().take_while(|byte| word(**byte)).count();
    let rest = after.get(second..).unwrap_or_default();
    work::spend(second);
    if second <= 3 || rest.first() != Some(&b'.') {
        return;
    }
    let third = rest.iter().skip(1).take_while(|byte| word(**byte)).count();
    let floor = found.ends.get(JWT).copied().unwrap_or(0).min(dot);
    let before = bytes.get(floor..dot).unwrap_or_default();
    let len = before.iter().rev().take_while(|byte| word(**byte)).count();
    work::spend(len + third);
    let first = bytes.get(dot - len..dot).unwrap_or_default();
    // Mostly the word begins with it.
    let head = if first.starts_with(b"eyJ") { Some(0) } else { memmem::find(first, b"eyJ") };
    if let Some(head) = head.filter(|at| at + 3 < first.len())
        && third > 0
    {
        found.add(JWT, dot - len + head..dot + 2 + second + third);
    }
}

/// Two parts of a JSON web token without the third: the header says what it is.
pub(super) fn unsigned_jwt(bytes: &[u8], places: &[Place], mut each: impl FnMut(Range<usize>)) {
    for place in places.iter().filter(|place| place.literal == Literal::Jwt) {
        let dot = place.at;
        let after = bytes.get(dot + 1..).unwrap_or_default();
        let second = after.iter().take(4096).take_while(|byte| word(**byte)).count();
        work::spend(second);
        if second <= 16 {
            continue;
        }
        let before = bytes.get(dot.saturating_sub(1024)..dot).unwrap_or_default();
        let len = before.iter().rev().take_while(|byte| word(**byte)).count();
        work::spend(len);
        let head = bytes.get(dot - len..dot).and_then(|head| std::str::from_utf8(head).ok());
        let header =
            head.filter(|head| head.starts_with("eyJ")).and_then(super::decode::base64_text);
        if header.is_some_and(|header| header.contains("\"alg\"")) {
            each(dot - len..dot + 1 + second);
        }
    }
}

/// The head of a private key's block, from its `BEGIN `.
fn pem(bytes: &[u8], begin: usize, found: &mut Found) {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const END: &[u8] = b" PRIVATE KEY-----";
    let Some(at) = begin.checked_sub(5) else { return };
    let whole = bytes.get(at..).is_some_and(|text| text.starts_with(BEGIN));
    if !whole || !found.is_open(PEM, at) {
        return;
    }
    let rest = bytes.get(at + BEGIN.len()..).unwrap_or_default();
    let label = rest.iter().take(256).take_while(|b| b.is_ascii_uppercase() || **b == b' ').count();
    let end = rest.get(..label + 5).filter(|text| text.ends_with(END));
    // At least one letter or space stands before ` PRIVATE KEY`.
    if let Some(end) = end
        && end.len() > END.len()
    {
        found.add(PEM, at..at + BEGIN.len() + end.len());
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
        work::spend(at - start);
        if start == at {
            continue;
        }
        let after = bytes.get(at + 1..).unwrap_or_default();
        let end = after.iter().take_while(|byte| domain(**byte)).count();
        work::spend(end);
        let host = after.get(..end).unwrap_or_default();
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

/// The value after the name `aws_secret_access_key`, in any case.
fn aws_secret(text: &str, start: usize, end: usize, found: &mut Found) {
    if !found.is_open(AWS_SECRET, start) {
        return;
    }
    let after = text.get(end..).unwrap_or_default();
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
        found.add(AWS_SECRET, start..end + gap + len.min(40));
    }
}

/// Where, in a group, digits lie as in `ddd-dd-dddd`, and something else between them.
fn ssn_starts(digits: u64, next: u64) -> u64 {
    let at = |nth: u32| digits >> nth | next << (GROUP as u32 - nth);
    let two = !at(3) & at(4) & at(5) & !at(6);
    two & digits & at(1) & at(2) & at(7) & at(8) & at(9) & at(10)
}

/// American social security numbers.
pub(super) fn ssn(text: &str, marks: &Marks, found: &mut Found) {
    let digits = &marks.digit;
    let groups = (0..digits.words.len()).filter(|group| digits.word(*group) != 0);
    let starts = groups.flat_map(|group| {
        let starts = ssn_starts(digits.word(group), digits.word(group + 1));
        ones(starts).map(move |bit| group * GROUP + bit)
    });
    for start in starts {
        let span = start..start + 11;
        if is_ssn(text.as_bytes().get(span.clone()).unwrap_or_default()) && is_alone(text, &span) {
            found.add(SSN, span);
        }
    }
    foreign_ssn(text, marks, found);
}

/// Tells whether a number is none within a word: letters and digits of any script stand at no edge.
fn is_alone(text: &str, span: &Range<usize>) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let (before, after) = (text.get(..span.start), text.get(span.end..));
    !before.is_some_and(|before| before.ends_with(is_word))
        && !after.is_some_and(|after| after.starts_with(is_word))
}

/// The same of other scripts, which have digits of their own, of which marks know nothing.
fn foreign_ssn(text: &str, marks: &Marks, found: &mut Found) {
    static REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d{3}-\d{2}-\d{4}").ok());
    let bytes = text.as_bytes();
    // The bytes that characters begin with, except for those of parts of Unicode without digits.
    let leads = |at: &usize| matches!(bytes.get(*at), Some(0xD9..=0xE1 | 0xEA | 0xEE..));
    let groups = marks.foreign.iter().flat_map(|group| group * GROUP..(group + 1) * GROUP);
    for foreign in groups.filter(leads) {
        let Some(char) = text.get(foreign..).and_then(|rest| rest.chars().next()) else { break };
        // In these parts of Unicode, where nearly all text is from, there are no decimal digits.
        let plain = matches!(char, ..'\u{660}' | '\u{2000}'..'\u{A620}' | '\u{AC00}'..'\u{E000}');
        // A dash stands within ten characters of each digit, and is a token's but no letter.
        let is_dashed = || {
            let signs = |at| marks.token.from(at) & !marks.alnum.from(at);
            let from = foreign.saturating_sub(40);
            (signs(from) | signs(foreign)) != 0
        };
        if plain || !is_dashed() || !char.is_numeric() {
            continue;
        }
        // The number may have begun up to ten characters before.
        let before = text.get(..foreign).unwrap_or_default();
        let from = before.char_indices().rev().take(10).last().map_or(foreign, |(from, _)| from);
        let to = text.get(foreign..).and_then(|rest| rest.char_indices().nth(11));
        let to = to.map_or(text.len(), |(len, _)| foreign + len);
        let near = text.get(from..to).unwrap_or_default();
        let Some(hit) = REGEX.as_ref().and_then(|regex| regex.find(near)) else { continue };
        let span = from + hit.start()..from + hit.end();
        if is_alone(text, &span) && !hit.as_str().is_ascii() {
            found.add(SSN, span);
        }
    }
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
    use super::super::survey::Survey;
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
        let survey = Survey::of(text.as_bytes());
        let Survey { marks, runs, places, words, .. } = &survey;
        let mut found = find(text, runs, places, words);
        ssn(text, marks, &mut found);
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
    fn blobs_are_what_the_regex_says_wherever_signs_stand() {
        let regex = Regex::new(REGEXES[BLOB]).unwrap();
        let mut hits = 0;
        for len in [199, 200, 201, 400, 401, 999] {
            for step in [1, 7, 199, 200, 201, 202, 300] {
                let sign = |at: usize| if at % step == step - 1 { '-' } else { 'a' };
                let text: String = (0..len).map(sign).collect();
                let mut found = Vec::new();
                blobs_of(text.as_bytes(), |blob| found.push(blob));
                let expected: Vec<_> = regex.find_iter(&text).map(|hit| hit.range()).collect();
                assert_eq!(found, expected, "{len} {step}");
                hits += found.len();
            }
        }
        assert!(hits > 10, "{hits}");
    }

    #[test]
    fn the_prefixes_of_the_patterns_are_known() {
        for Prefixed { prefix, .. } in PREFIXED.iter().filter(|of| of.prefix != "pub") {
            let known = super::super::literals::IN_RUNS;
            assert!(known.iter().any(|known| prefix.starts_with(known)), "{prefix}");
        }
    }

    #[test]
    fn file_names_and_remotes_are_no_addresses() {
        assert_eq!(all("logo@2x.png git@github.com:a/b.git"), vec![]);
        assert_eq!(all("a@b.io").len(), 1);
        assert_eq!(all("000-12-3456 666-12-3456 123-00-3456 123-45-0000"), vec![]);
    }
}
