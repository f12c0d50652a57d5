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

use fearless_simd::prelude::*;
use fearless_simd::{mask8x64, u8x64};
use memchr::{memchr3, memmem, memrchr3};
use regex::Regex;

use super::bits::ones;
use super::lanes::{self, GROUP, Lanes, padded};
use super::literals::{Literal, Place};
use super::marks::Marks;
use super::runs::{LONG_MIN, Run, Runs};
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

/// Finds the patterns of a text whose runs, literals and words are known.
#[inline(always)]
pub(super) fn find(
    text: &str,
    marks: &Marks,
    runs: &Runs,
    places: &[Place],
    words: &[Said],
) -> Found {
    let mut found = Found::default();
    if !places.is_empty() {
        at_literals(text, places, &mut found);
    }
    if runs.has_long {
        blobs(text.as_bytes(), &runs.all, &mut found);
    }
    for word in words.iter().filter(|word| word.word == Word::AwsSecret) {
        aws_secret(text, word.start, word.end, &mut found);
    }
    if !marks.at.is_empty() {
        email(text.as_bytes(), &marks.at, &mut found);
    }
    found
}

/// Measures stretches of one class, each once, however many literals stand in it: no text makes
/// this quadratic. Positions must not decrease.
struct Stretch<C> {
    class: C,
    end: usize,
}

impl<C: Fn(u8) -> bool> Stretch<C> {
    const fn of(class: C) -> Self {
        Self { class, end: 0 }
    }

    /// Where the stretch that holds a position ends.
    fn end(&mut self, text: &[u8], from: usize) -> usize {
        if self.end < from {
            let rest = text.get(from..).unwrap_or_default();
            let end = rest.iter().position(|byte| !(self.class)(*byte));
            let len = end.unwrap_or(rest.len());
            work::spend(len);
            self.end = from + len;
        }
        self.end
    }
}

/// The patterns that begin with a literal: most texts have none.
#[cold]
#[inline(never)]
fn at_literals(text: &str, places: &[Place], found: &mut Found) {
    let (whole, text) = (text, text.as_bytes());
    let mut alnums = Stretch::of(alnum);
    let mut uppers = Stretch::of(upper_digit);
    let (mut words, mut hex) = (Stretch::of(word), Stretch::of(hex_lower));
    for Place { at, literal, .. } in places.iter().copied() {
        match literal {
            Literal::Client => {
                let end = alnums.end(text, at + 7);
                if end >= at + 37 {
                    found.add(STATSIG, at..end);
                }
            }
            Literal::Aws => {
                if uppers.end(text, at + 4) >= at + 20 {
                    found.add(AWS_ID, at..at + 20);
                }
            }
            Literal::Github(kind) => {
                if alnums.end(text, at + 4) >= at + 40 {
                    found.add(GHO + usize::from(kind), at..at + 40);
                }
            }
            Literal::Jwt => jwt(text, at, found),
            Literal::Bearer => bearer_token(whole, at, found),
            Literal::Sk => sk(text, at, &mut alnums, &mut words, found),
            Literal::Pub => {
                if hex.end(text, at + 3) >= at + 35 {
                    found.add(DATADOG, at..at + 35);
                }
            }
            Literal::Begin => pem(text, at, found),
            Literal::ReverseLines | Literal::Continued | Literal::Hash => {}
            Literal::Vendor | Literal::Word(_) | Literal::AnyCase(..) => {}
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

/// The stretches of base64 that are long enough.
#[cold]
#[inline(never)]
fn blobs(text: &[u8], runs: &[Run], found: &mut Found) {
    for run in runs.iter().filter(|run| run.len() >= LONG_MIN) {
        let body = text.get(run.span()).unwrap_or_default();
        blobs_of(body, |blob| found.add(BLOB, run.start + blob.start..run.start + blob.end));
    }
}

/// The same of a run. Of a run, only these signs are none: where one is among
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

/// `sk-…`, with what Anthropic and OpenAI put behind it.
fn sk(
    text: &[u8],
    at: usize,
    alnums: &mut Stretch<impl Fn(u8) -> bool>,
    words: &mut Stretch<impl Fn(u8) -> bool>,
    found: &mut Found,
) {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with(b"sk-ant-oat") || rest.starts_with(b"sk-ant-api") {
        let kind = if rest.starts_with(b"sk-ant-oat") { OAT } else { API };
        let digits = rest.iter().skip(10).take_while(|byte| byte.is_ascii_digit()).count();
        let dash = at + 10 + digits;
        if digits > 0 && text.get(dash) == Some(&b'-') {
            let end = words.end(text, dash + 1);
            if end > dash + 40 {
                found.add(kind, at..end);
            }
        }
    } else if rest.starts_with(b"sk-proj-") {
        let end = words.end(text, at + 8);
        if end >= at + 48 {
            found.add(PROJECT, at..end);
        }
    }
    let end = alnums.end(text, at + 3);
    if end >= at + 33 {
        found.add(OPENAI, at..end);
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

#[inline(never)]
fn email(bytes: &[u8], ats: &[usize], found: &mut Found) {
    let local =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-');
    let domain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    for at in ats.iter().copied() {
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
#[inline(always)]
fn ssn_starts(digits: u64, next: u64) -> u64 {
    let at = |nth: u32| digits >> nth | next << (GROUP as u32 - nth);
    // Where digits stand is not to be guessed: there is no branch in it.
    let two = !at(3) & at(4) & at(5) & !at(6);
    two & digits & at(1) & at(2) & at(7) & at(8) & at(9) & at(10)
}

/// The places in which digits lie so, in order. Few groups have enough digits, with the next one's.
#[inline(always)]
fn ssn_places<S: Simd>(simd: S, marks: &Marks) -> Vec<usize> {
    const DIGITS: u8 = 9;
    let mut places = Vec::new();
    let counts =
        |at: usize| u8x64::load_array(simd, padded(marks.digits.get(at..).unwrap_or_default()));
    for base in (0..marks.digits.len()).step_by(GROUP) {
        let enough = (counts(base) + counts(base + 1)).simd_ge(u8x64::splat(simd, DIGITS));
        for group in ones(enough.to_bitmask()).map(|nth| base + nth) {
            let starts = ssn_starts(marks.digit.word(group), marks.digit.word(group + 1));
            places.extend(ones(starts).map(|bit| group * GROUP + bit));
        }
    }
    places
}

/// The bytes that characters of other parts of Unicode begin with, except for those without digits.
struct DigitLead;

impl lanes::Class for DigitLead {
    #[inline(always)]
    fn of<S: Simd>(group: Lanes<S>) -> mask8x64<S> {
        group.lies(0xD9, 9) | group.lies(0xEA, 1) | group.lies(0xEE, 18)
    }
}

/// American social security numbers.
pub(super) fn ssn<S: Simd>(simd: S, text: &str, marks: &Marks, found: &mut Found) {
    let places = simd.vectorize(
        #[inline(always)]
        || ssn_places(simd, marks),
    );
    for start in places {
        let span = start..start + 11;
        if is_ssn(text.as_bytes().get(span.clone()).unwrap_or_default()) && is_alone(text, &span) {
            found.add(SSN, span);
        }
    }
    if !marks.foreign.is_empty() {
        foreign_ssn(text, marks, found);
    }
}

/// Tells whether a number is none within a word: letters and digits of any script stand at no edge.
fn is_alone(text: &str, span: &Range<usize>) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let (before, after) = (text.get(..span.start), text.get(span.end..));
    !before.is_some_and(|before| before.ends_with(is_word))
        && !after.is_some_and(|after| after.starts_with(is_word))
}

/// The same of other scripts, which have digits of their own, of which marks know nothing.
#[cold]
#[inline(never)]
fn foreign_ssn(text: &str, marks: &Marks, found: &mut Found) {
    static REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d{3}-\d{2}-\d{4}").ok());
    for foreign in marks.foreign::<DigitLead>(text.as_bytes()) {
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
    use fearless_simd::{Level, dispatch};

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
        let Survey { marks, runs, places, words, .. } = &*survey;
        let mut found = find(text, marks, runs, places, words);
        dispatch!(Level::new(), simd => ssn(simd, text, marks, &mut found));
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
    fn file_names_and_remotes_are_no_addresses() {
        assert_eq!(all("logo@2x.png git@github.com:a/b.git"), vec![]);
        assert_eq!(all("a@b.io").len(), 1);
        assert_eq!(all("000-12-3456 666-12-3456 123-00-3456 123-45-0000"), vec![]);
    }
}
