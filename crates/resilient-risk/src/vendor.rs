//! Tokens that say whose they are: the table of formats, matched inside runs.
//!
//! A row is tried only where its first bytes stand at the start of a word. A match whose body is
//! no token but a word, a repetition or a mark such as `{REDACTED}` is a placeholder: the prefix
//! alone may trip a filter, but nothing is lost.

use std::ops::Range;
use std::sync::LazyLock;

use super::bits::{Bits, GROUP, ones, padded};
use super::format::{Format, is_near};
use super::literals::{self, Literal, Place};
use super::marks::is_token;
use super::placeholder;
use super::rows::{PART_MIN, ROWS, outside_text};
use super::runs::Run;
use super::tables::{COMMON_PREFIXES, Check, DUMMY_PREFIXES, Row};
use super::token::{Kind, Shape};

/// A token of a known format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) row: &'static Row,
    pub(super) span: Range<usize>,
    pub(super) placeholder: bool,
    /// The form leaves no doubt, even where a decoding may have made it by chance.
    pub(super) distinct: bool,
}

// The fields of a row are static, so two rows are one if their names are.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Row {}

/// Rows by the first two bytes of their prefix, longer prefixes first.
struct Table {
    rows: &'static [(&'static Row, Format<'static>)],
    /// For every pair of ASCII characters, where in `order` its rows begin and end.
    index: Vec<(u16, u16)>,
    order: Vec<Begin>,
    /// What the paper's patterns begin with.
    own: Vec<Begin>,
    /// Rows that begin with a class, or with a prefix that says too little.
    bare: Vec<Bare>,
    /// Which lengths of a stretch some bare row can begin with, by what ends it.
    stretches: Box<[u64; 256]>,
    /// The same by what begins it.
    firsts: Box<[u64; 256]>,
    /// Rows that do not lie in runs, by their texts, and prefixes that dummies follow, longest first, by the
    /// number of their literal.
    outside: Vec<Vec<Known>>,
}

/// A row with the first four bytes of its prefix, in the order of a text: these distinguish most
/// rows of a pair.
#[derive(Clone, Copy)]
struct Begin {
    row: u16,
    bytes: u32,
    /// All ones where the prefix has a byte.
    mask: u32,
}

impl Begin {
    fn of(row: u16, prefix: &[u8]) -> Self {
        let (mut bytes, mut mask) = ([0; 4], [0; 4]);
        for ((bytes, mask), byte) in bytes.iter_mut().zip(&mut mask).zip(prefix) {
            (*bytes, *mask) = (*byte, 0xFF);
        }
        Self { row, bytes: u32::from_le_bytes(bytes), mask: u32::from_le_bytes(mask) }
    }

    /// Tells whether a text with these first four bytes may begin with the prefix.
    const fn fits(&self, four: u32) -> bool {
        (self.bytes ^ four) & self.mask == 0
    }
}

/// A row that is recognised by the length of its first stretch of letters and digits, and by what
/// ends it.
#[derive(Clone, Copy)]
struct Bare {
    row: u16,
    least: usize,
    most: usize,
    mark: Option<u8>,
    /// A text that always stands so far behind the start, if there is one.
    fixed: (usize, &'static [u8]),
}

/// A text, and what stands outside of runs where it does.
#[derive(Clone, Copy)]
struct Known {
    text: &'static [u8],
    begin: Begin,
    what: Outside,
}

impl Known {
    fn of(text: &'static [u8], what: Outside) -> Self {
        Self { text, begin: Begin::of(0, text), what }
    }
}

#[derive(Clone, Copy)]
enum Outside {
    /// A row, and how far before its text it begins.
    Row(u16, usize),
    /// The family and the pattern's name.
    Prefix(&'static str, &'static str),
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows: &'static [(&'static Row, Format<'static>)] = &ROWS;
    let mut order: Vec<u16> = Vec::new();
    let mut bare = Vec::new();
    let mut others = Vec::new();
    let mut stretches = Box::new([0_u64; 256]);
    let mut firsts = Box::new([0_u64; 256]);
    for (nth, (_, format)) in rows.iter().enumerate() {
        let nth = u16::try_from(nth).unwrap_or(u16::MAX);
        let prefix = format.prefix();
        if let Some((back, text)) = outside_text(format) {
            others.push(Known::of(text, Outside::Row(nth, back)));
        } else if prefix.len() < 2 {
            let (least, most, mark) = format.stretch();
            let fixed = format.fixed();
            bare.push(Bare { row: nth, least, most, mark, fixed });
            let lens = (0..64).filter(|len| (least..=most).contains(len));
            let bits = lens.fold(0, |bits, len| bits | 1 << len);
            for (byte, slot) in stretches.iter_mut().enumerate() {
                let ends = mark.is_none_or(|mark| usize::from(mark) == byte);
                *slot |= if ends { bits } else { 0 };
            }
            for (byte, slot) in (0..=u8::MAX).zip(firsts.iter_mut()) {
                *slot |= if format.may_begin_with(byte) { bits } else { 0 };
            }
        } else {
            order.push(nth);
        }
    }
    for (prefix, family, name) in DUMMY_PREFIXES {
        others.push(Known::of(prefix.as_bytes(), Outside::Prefix(family, name)));
    }
    others.sort_by_key(|known| usize::MAX - known.text.len());
    let of_literal = |literal: &[u8]| -> Vec<_> {
        others.iter().filter(|known| known.text.starts_with(literal)).copied().collect()
    };
    let outside = literals::texts().map(of_literal).collect();
    let prefix = |nth: &u16| rows.get(usize::from(*nth)).map_or(&b""[..], |(_, f)| f.prefix());
    order.sort_by_key(|nth| (pair(prefix(nth)), usize::MAX - prefix(nth).len(), *nth));
    let mut index = vec![(0, 0); 1 << 14];
    for (at, nth) in order.iter().enumerate() {
        let at = u16::try_from(at).unwrap_or(u16::MAX);
        if let Some((start, end)) = index.get_mut(pair(prefix(nth))) {
            if *end == 0 {
                *start = at;
            }
            *end = at + 1;
        }
    }
    let order = order.iter().map(|nth| Begin::of(*nth, prefix(nth))).collect();
    let own = literals::IN_RUNS.map(|own| Begin::of(0, own.as_bytes())).to_vec();
    Table { rows, index, order, own, bare, stretches, firsts, outside }
});

impl Table {
    /// Tells whether a bare row can begin with so many letters and digits and what follows them: each
    /// has its first mark after a stretch of a certain length.
    fn has_stretch(&self, text: &[u8], len: usize) -> bool {
        let first = text.first().copied().unwrap_or(b' ');
        self.fits_stretch(first, len, text.get(len).copied().unwrap_or(b' '))
    }

    fn fits_stretch(&self, first: u8, len: usize, mark: u8) -> bool {
        let lens = |of: &[u64; 256], byte: u8| of.get(usize::from(byte)).copied().unwrap_or(0);
        let lens = lens(&self.firsts, first) & lens(&self.stretches, mark);
        (len < 64) & (lens >> (len % 64) & 1 == 1)
    }
}

fn pair(bytes: &[u8]) -> usize {
    match bytes {
        [first, second, ..] => usize::from(first & 127) << 7 | usize::from(second & 127),
        _ => 0,
    }
}

/// So much of a token stands in its run at least.
const TOKEN_MIN: usize = 14;

/// What stands before a run is read so far back.
const BEFORE_MAX: usize = 20;

/// Finds tokens of known formats in the runs of a text that may hold some.
pub(super) fn in_runs(text: &[u8], alnums: &Bits, runs: &[Run], mut each: impl FnMut(Hit)) {
    for run in runs.iter().filter(|run| run.is_rich) {
        in_run(&TABLE, text, alnums, run, &mut each);
    }
}

/// Finds those in a run.
fn in_run(table: &Table, text: &[u8], alnums: &Bits, run: &Run, each: &mut impl FnMut(Hit)) {
    super::work::spend(run.len());
    let goes_on = matches!(text.get(run.end), Some(b':' | b'$'));
    let least = if goes_on { PART_MIN } else { TOKEN_MIN };
    // Before this no token begins any more.
    let mut done = run.start;
    let before = text.get(..run.start).unwrap_or_default();
    match before.last() {
        // What stands before a run can be the start of a token: `12345678:AA…`.
        Some(b':' | b'|') => {
            let len = (alnums.before(run.start - 1).leading_ones() as usize).min(BEFORE_MAX);
            if let Some(hit) = bare(table, text, run.start - 1 - len, len) {
                done = behind(alnums, run, hit.span.end);
                each(hit);
            }
        }
        // Behind an escape such as `\n` a token may begin, too.
        Some(b'\\') if matches!(text.get(done), Some(b'n' | b'r' | b't')) => {
            done = match in_word(table, text, run, done, run.plain) {
                Some(hit) => {
                    let end = hit.span.end;
                    each(hit);
                    behind(alnums, run, end)
                }
                None => done + 1,
            };
        }
        _ => {}
    }
    // Whether the two bytes before a group are letters or digits.
    let mut before = 0;
    let mut base = done;
    while base + least <= run.end {
        let here = alnums.from(base);
        let inside = u64::MAX >> (GROUP - 1).saturating_sub(run.end - least - base);
        let starts = here & !(here << 1 | before >> 1) & inside;
        let lone = starts & !(here << 2 | before);
        before = here >> (GROUP - 2);
        for bit in ones(starts) {
            let at = base + bit;
            // A sign may begin a token, but not right behind a word.
            let signed = lone >> bit & 1 == 1 && at > done && text.get(at - 1) == Some(&b'_');
            let len = (here >> bit).trailing_ones() as usize;
            let len = if bit + len == GROUP { alnums.run(at) } else { len };
            let sign = signed.then(|| in_word(table, text, run, at - 1, 0)).flatten();
            let word = || (at >= done).then(|| in_word(table, text, run, at, len)).flatten();
            if let Some(hit) = sign.or_else(word) {
                done = behind(alnums, run, hit.span.end);
                each(hit);
            }
        }
        base += GROUP;
    }
}

/// Where, behind a token, the next word of a run can begin: not within the same one.
fn behind(alnums: &Bits, run: &Run, end: usize) -> usize {
    end + alnums.run_to(end.min(run.end), run.end) + 1
}

/// The format that begins at a position in a run with so many letters and digits.
fn in_word(table: &Table, text: &[u8], run: &Run, at: usize, len: usize) -> Option<Hit> {
    super::work::spend(8);
    let rest = text.get(at..).unwrap_or_default();
    let mut found = rows_of(table, rest).filter_map(|row| matches(table, row, text, at));
    // Without any digit nothing matches but prefixes with a dummy behind them.
    found.next().or_else(|| if run.digits > 0 { bare(table, text, at, len) } else { None })
}

/// The rows whose prefix begins like a text, as far as four bytes show it.
fn rows_of<'a>(table: &'a Table, text: &[u8]) -> impl Iterator<Item = u16> + use<'a> {
    let (from, to) = table.index.get(pair(text)).copied().unwrap_or_default();
    let rows = table.order.get(usize::from(from)..usize::from(to)).unwrap_or_default();
    let four = u32::from_le_bytes(padded(text));
    rows.iter().filter(move |begin| begin.fits(four)).map(|begin| begin.row)
}

/// Tells by four bytes whether a word may begin like one of the formats or of the paper's patterns, so
/// that [`begins`] is worth asking; by how many letters and digits it has, and what follows them.
pub(super) fn may_begin(four: [u8; 4], len: usize, mark: Option<u8>) -> bool {
    let table = &*TABLE;
    let [first, ..] = four;
    if len == 0 && first != b'_' {
        return false;
    }
    table.fits_stretch(first, len, mark.unwrap_or(b' '))
        || rows_of(table, &four).next().is_some()
        || table.own.iter().any(|own| own.fits(u32::from_le_bytes(four)))
}

/// Tells whether the word of so many letters and digits at a position of a token begins like one of the
/// formats or of the paper's patterns: a quick look at what a text says when it is turned around.
pub(super) fn begins(token: &[u8], at: usize, len: usize) -> bool {
    let table = &*TABLE;
    let rest = token.get(at..).unwrap_or_default();
    // Two or three letters stand anywhere; what begins with them must be a token to the end.
    let begins = |row: u16| {
        table.rows.get(usize::from(row)).is_some_and(|(_, format)| {
            rest.starts_with(format.prefix())
                && (format.prefix().len() > 3 || format.matches(rest).is_some())
        })
    };
    super::work::spend(8);
    rows_of(table, rest).any(begins)
        || literals::IN_RUNS.iter().any(|own| rest.starts_with(own.as_bytes()))
        || bare(table, token, at, len).is_some()
}

/// The format of a row.
pub(super) fn row(name: &str) -> Option<&'static Format<'static>> {
    TABLE.rows.iter().find_map(|(row, format)| (row.name == name).then_some(format))
}

/// The format that begins at a position with so many letters and digits.
fn bare(table: &Table, text: &[u8], at: usize, len: usize) -> Option<Hit> {
    let rest = text.get(at..).unwrap_or_default();
    if !table.has_stretch(rest, len) {
        return None;
    }
    let mark = rest.get(len).copied().unwrap_or(b' ');
    let fits = |bare: &&Bare| {
        let (at, fixed) = bare.fixed;
        (bare.least..=bare.most).contains(&len)
            && bare.mark.is_none_or(|known| known == mark)
            && rest.get(at..).is_some_and(|rest| rest.starts_with(fixed))
    };
    table.bare.iter().filter(fits).find_map(|bare| matches(table, bare.row, text, at))
}

fn matches(table: &Table, row: u16, text: &[u8], at: usize) -> Option<Hit> {
    let (row, format) = table.rows.get(usize::from(row))?;
    let rest = text.get(at..)?;
    rest.starts_with(format.prefix()).then_some(())?;
    let prefix = format.prefix();
    let marked = prefix.len() >= 4 && prefix.last().is_some_and(|byte| b"-_.".contains(byte));
    let is_dummy =
        |body: &[u8]| if marked { placeholder::is_void(body) } else { placeholder::is_dummy(body) };
    let rest = whole_without_word(format, rest, is_dummy).unwrap_or(rest);
    let (len, body) = format.matches(rest)?;
    if row.family == "pem_block" && is_near(text, at, "-----begin") {
        // The line above is found already.
        return None;
    }
    let common = COMMON_PREFIXES.contains(&prefix);
    // A longer token is another token, unless the prefix leaves no doubt.
    let next = rest.get(len).copied().unwrap_or(b' ');
    let goes_on = next.is_ascii_alphanumeric() || next == b'+' || next == b'_';
    if goes_on && (common || !marked) {
        return None;
    }
    if !row.words.is_empty() && !is_near(text, at, row.words) {
        return None;
    }
    let body = rest.get(body)?;
    let span = at..at + len;
    if is_dummy(body) {
        // Behind a prefix that is a repetition, more of it is zeros in base64.
        let is_row = prefix.iter().chain(body.first()).all(|byte| prefix.first() == Some(byte));
        return (prefix.len() >= 3 && !is_row).then_some(Hit {
            row,
            span,
            placeholder: true,
            distinct: true,
        });
    }
    let shape = Shape::of(body);
    // No name of a program changes as often as chance does.
    let mixed = shape.digits >= 2 && shape.lower >= 2 && shape.upper >= 2;
    let distinct = format.is_distinct() || mixed && shape.changes * 2 >= shape.len;
    let strong = !common && (marked || prefix.len() >= 6)
        || row.check == Check::Crc32Base62 && super::checksum::crc32_base62(body);
    let random = !shape.is_wordy()
        && (strong || shape.digits >= 2 || shape.odd_pairs * 3 >= shape.pairs)
        && shape.evenness() >= if strong { 55 } else { 70 }
        && (strong || shape.kind == Kind::Digits || shape.changes >= 3);
    random.then_some(Hit { row, span, placeholder: false, distinct })
}

/// What begins a text and fits a format in full, if a word for a dummy is glued to its end: the word makes no
/// dummy of it.
fn whole_without_word<'a>(
    format: &Format<'_>,
    text: &'a [u8],
    is_dummy: impl Fn(&[u8]) -> bool,
) -> Option<&'a [u8]> {
    /// So long a token is looked at.
    const LOOK: usize = 300;
    let len = text.iter().take(LOOK).take_while(|byte| is_token(**byte)).count();
    super::work::spend(len / 4);
    let rest = placeholder::without_word(text.get(..len)?)?;
    let (end, body) = format.matches(rest)?;
    (end == rest.len() && !is_dummy(rest.get(body)?)).then_some(rest)
}

/// Finds formats that do not lie in runs, and known prefixes with a dummy after them.
pub(super) fn outside(
    text: &[u8],
    places: &[Place],
    mut each: impl FnMut(&'static str, &'static str, Range<usize>, bool),
) {
    let table = &*TABLE;
    // Hashes come last.
    for hash in [false, true] {
        let mut done = 0;
        for place in places.iter().filter(|place| hash == (place.literal == Literal::Hash)) {
            let known = table.outside.get(place.nth).map(Vec::as_slice).unwrap_or_default();
            done = outside_at(table, text, place.at, known, done, &mut each);
        }
    }
}

/// Tries the rows of a place, and tells how far the text is taken.
fn outside_at(
    table: &Table,
    text: &[u8],
    at: usize,
    known: &[Known],
    done: usize,
    each: &mut impl FnMut(&'static str, &'static str, Range<usize>, bool),
) -> usize {
    let begins = |start: &usize| {
        let before = start.checked_sub(1).and_then(|before| text.get(before));
        *start >= done && !before.is_some_and(u8::is_ascii_alphanumeric)
    };
    let rest = text.get(at..).unwrap_or_default();
    let four = u32::from_le_bytes(padded(rest));
    for known in known.iter().filter(|known| known.begin.fits(four)) {
        if !rest.starts_with(known.text) {
            continue;
        }
        match &known.what {
            Outside::Row(row, back) => {
                let start = at.checked_sub(*back).filter(begins);
                if let Some(hit) = start.and_then(|start| matches(table, *row, text, start)) {
                    let end = hit.span.end;
                    each(hit.row.family, hit.row.name, hit.span, hit.placeholder);
                    return end;
                }
            }
            Outside::Prefix(family, name) => {
                if !begins(&at) {
                    continue;
                }
                let rest = rest.get(known.text.len()..).unwrap_or_default();
                if let Some(len) = placeholder::mark(rest) {
                    let end = at + known.text.len() + len;
                    each(family, name, at..end, true);
                    return end;
                }
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::super::survey::Survey;
    use super::*;

    fn names(text: &str) -> Vec<(&'static str, String, bool)> {
        let mut found = Vec::new();
        let mut survey = Survey::of(text.as_bytes());
        let Survey { marks, runs, .. } = &mut survey;
        text.match_indices("xxxx").for_each(|(at, _)| runs::enrich(runs, at));
        in_runs(text.as_bytes(), &marks.alnum, runs, |hit| {
            found.push((hit.row.name, text[hit.span].to_owned(), hit.placeholder));
        });
        found
    }

    #[test]
    fn a_token_names_its_vendor() {
        let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A";
        let token = ["gl", "sa_", body, "_", "8f3a9c1d"].concat();
        let expected = vec![("grafana_service_account", token.clone(), false)];
        assert_eq!(names(&token), expected);
        assert_eq!(names(&format!("TOKEN={token}")), expected);
        assert_eq!(names(&format!("\"a\\n{token}\"")), expected);
        assert_eq!(names(&format!("x{token}")), []);
        assert_eq!(names(&format!("{token}f")), [], "a longer last part is another token's");
        assert_eq!(names(&format!("{token}Zz")), expected);
    }

    #[test]
    fn a_token_of_several_parts_is_told_by_the_last_of_them() {
        let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8Dw0zX4u";
        let first = |len: usize| body[..len].to_owned();
        for (name, lead, token) in [
            (
                "firebase_messaging",
                "AAAAk3Jd-fQ:",
                ["APA", "91b", &(first(40) + "-" + &first(44) + "_" + &first(44))].concat(),
            ),
            (
                "paypal_braintree",
                "access_token$production$",
                ["k3jd9fqx7lmz2pvt", "$", "8f3a9c1d7e5b2a608f3a9c1d7e5b2a60"].concat(),
            ),
            (
                "hash_django_pbkdf2",
                "pbkdf2_sha256$260000$",
                [&first(22), "$", &first(43), "="].concat(),
            ),
        ] {
            assert_eq!(names(&format!("x = '{lead}{token}'")), [(name, token.clone(), false)]);
            assert!(names(&format!("x = '{token}'")).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_word_glued_to_a_whole_token_makes_no_dummy_of_it() {
        let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
        for word in ["example", "EXAMPLE", "dummy", "placeholder"] {
            let expected = vec![("grafana_service_account", token.clone(), false)];
            assert_eq!(names(&format!("{token}{word}")), expected, "{word}");
        }
        // Without the word this one is too short.
        let dummy = ["AK", "IA", "IOSFODNN7", "EXAMPLE"].concat();
        assert!(names(&dummy).iter().all(|(.., dummy)| *dummy));
    }

    #[test]
    fn the_body_of_a_private_key_is_told_by_how_it_begins() {
        let more = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8Dw0zX4uYw";
        for (name, begin) in [
            ("private_key_rsa", ["MIIE", "pAIBAAKC"]),
            ("private_key_rsa", ["MIIJ", "KQIBAAKC"]),
            ("private_key_pkcs8", ["MIIE", "vQIBADANBgkqhkiG9w0BAQEFAASC"]),
            ("private_key_ec", ["MHcC", "AQEEI"]),
            ("private_key_openssh", ["b3BlbnNz", "aC1rZXktdjEAAAAA"]),
        ] {
            let body = begin.concat() + more;
            let expected = vec![(name, body.clone(), false)];
            assert_eq!(names(&format!("key: {body}\n")), expected);
            assert_eq!(names(&format!("-----{} KEY-----\n{body}\n", "BEGIN PRIVATE")), []);
        }
    }

    #[test]
    fn a_name_read_backwards_is_no_sure_token() {
        let is_distinct = |text: &str| {
            let mut found = Vec::new();
            let Survey { marks, runs, .. } = &Survey::of(text.as_bytes());
            in_runs(text.as_bytes(), &marks.alnum, runs, |hit| found.push(hit.distinct));
            found
        };
        let name: String = "EVP_aes_256_encrypt_key_then_finish_cbc".chars().rev().collect();
        assert_eq!(is_distinct(&name), [false]);
        let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A";
        assert_eq!(is_distinct(&["cbc", "_", body].concat()), [true]);
        assert_eq!(is_distinct(&["glpat", "-", &body.to_lowercase()].concat()), [true]);
    }

    #[test]
    fn a_dummy_is_a_placeholder() {
        let token = ["gl", "sa_", &"x".repeat(32), "_", "00000000"].concat();
        assert_eq!(names(&token), [("grafana_service_account", token.clone(), true)]);
        assert_eq!(names(&"A".repeat(96)), [], "zeros in base64");
        let mut found = Vec::new();
        let text = ["sk-", "ant-", "oat01-{REDACTED}"].concat();
        outside(
            text.as_bytes(),
            &Survey::of(text.as_bytes()).places,
            |family, name, span, dummy| {
                found.push((family, name, span, dummy));
            },
        );
        assert_eq!(found, [("api_key", "anthropic_prefix", 0..text.len(), true)]);
    }

    #[test]
    fn every_format_has_enough_of_a_token_in_its_run() {
        for (row, format) in ROWS.iter().filter(|(_, format)| outside_text(format).is_none()) {
            let (len, sign) = format.least_before(|byte| !is_token(byte));
            let least = if matches!(sign, Some(b':' | b'$')) { PART_MIN } else { TOKEN_MIN };
            assert!(len >= least, "{}", row.name);
        }
    }

    #[test]
    fn formats_that_no_run_tells_are_found_by_a_text_in_them() {
        let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8Dw0zX4u";
        let first = |len: usize| body[..len].to_owned();
        for (name, token) in [
            ("azure_ad_secret", ["bP8", "8Q~", &first(34)].concat()),
            ("openshift", ["sha", "256~", &first(43)].concat()),
            ("datastax_astra", ["Astra", "CS:", &first(30)].concat()),
            ("snowflake_pat", ["ver:1", "-hint:", &first(44)].concat()),
        ] {
            let text = format!("client_secret=\"{token}\"");
            let mut found = Vec::new();
            let places = &Survey::of(text.as_bytes()).places;
            outside(text.as_bytes(), places, |_, name, span, _| found.push((name, &text[span])));
            assert_eq!(found, [(name, token.as_str())]);
        }
    }

    #[test]
    fn every_prefix_is_found_by_its_index() {
        let table = &*TABLE;
        for Begin { row, .. } in &table.order {
            let (_, format) = &table.rows[usize::from(*row)];
            assert!(rows_of(table, format.prefix()).any(|found| found == *row));
        }
        let known = || table.outside.iter().flatten();
        assert_eq!(known().count(), super::super::rows::outside_texts().count());
        assert!(known().filter(|known| known.text.starts_with(b"$")).count() > 15);
    }
}
