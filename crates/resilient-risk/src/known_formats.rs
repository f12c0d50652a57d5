//! Tokens that say whose they are: the table of formats, matched inside runs.
//!
//! A row is tried only where its first bytes stand at the start of a word. A match whose body is
//! no token but a word, a repetition or a mark such as `{REDACTED}` is a placeholder: the prefix
//! alone may trip a filter, but nothing is lost.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use super::bits::{GROUP, bits_at, ones, padded, run_of};
use super::byte_classes::is_token;
use super::format::{Format, is_near};
use super::needles::{self, NeedleKind, NeedlePlace};
use super::placeholder;
use super::report::PatternHit;
use super::rows::{PART_MIN, ROWS, outside_text};
use super::runs::Run;
use super::tables::{COMMON_PREFIXES, Check, DUMMY_PREFIXES, FormatRow};
use super::token::{Kind, TokenStats};

/// A token of a known format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormatHit {
    pub(super) row: &'static FormatRow,
    pub(super) span: Range<usize>,
    pub(super) placeholder: bool,
    /// The form leaves no doubt, even where a decoding may have made it by chance.
    pub(super) distinct: bool,
}

// The fields of a row are static, so two rows are one if their names are.
impl PartialEq for FormatRow {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for FormatRow {}

/// A row and its format.
type ParsedRow = &'static (&'static FormatRow, Format<'static>);

/// What tokens begin with.
#[derive(Clone, Copy)]
struct Prefix {
    text: &'static [u8],
    /// Its row; a prefix of the paper's patterns has none.
    rule: Option<ParsedRow>,
    /// The first four bytes, and which of them it has.
    four: u32,
    mask: u32,
}

impl Prefix {
    fn new(text: &'static [u8], rule: Option<ParsedRow>) -> Self {
        let has = padded(text).map(|byte: u8| if byte == 0 { 0 } else { u8::MAX });
        Self { text, rule, four: four(text), mask: u32::from_le_bytes(has) }
    }
}

/// The first four bytes of a text in one number.
fn four(text: &[u8]) -> u32 {
    u32::from_le_bytes(padded(text))
}

struct FormatTable {
    /// Prefixes by their first two bytes, longer ones first.
    prefixed: Vec<Vec<Prefix>>,
    /// A bit for each two bytes that have some: most have none, and these are near.
    heads: Vec<u64>,
    /// Rows that begin with a class, or with a prefix that says too little, by how many letters and digits they may
    /// begin with; and what ends these, if it is always the same.
    unprefixed: Vec<Vec<(ParsedRow, Option<u8>)>>,
    /// What does not lie in runs, by the number of its needle, longer texts first.
    outside_runs: Vec<Vec<OutsideText>>,
}

/// A text, and what stands outside of runs where it does.
#[derive(Clone, Copy)]
struct OutsideText {
    text: &'static [u8],
    what: Outside,
}

#[derive(Clone, Copy)]
enum Outside {
    /// A row, and how far before its text it begins.
    Row(ParsedRow, usize),
    /// The family and the pattern's name of a prefix that dummies follow.
    Prefix(&'static str, &'static str),
}

static TABLE: LazyLock<FormatTable> = LazyLock::new(|| {
    /// No row has more letters and digits in front.
    const STRETCH_MAX: usize = 64;
    let (mut prefixed, mut unprefixed) = (vec![Vec::new(); 1 << 14], vec![Vec::new(); STRETCH_MAX]);
    let mut others = Vec::new();
    let mut prefixes = needles::IN_RUNS.map(|own| Prefix::new(own.as_bytes(), None)).to_vec();
    for rule in ROWS.iter() {
        let (_, format) = rule;
        if let Some((back, text)) = outside_text(format) {
            others.push(OutsideText { text, what: Outside::Row(rule, back) });
        } else if format.prefix().len() < 2 {
            let (least, most, mark) = format.stretch();
            let lens =
                unprefixed.iter_mut().enumerate().filter(|(len, _)| (least..=most).contains(len));
            lens.for_each(|(_, rules)| rules.push((rule, mark)));
        } else {
            prefixes.push(Prefix::new(format.prefix(), Some(rule)));
        }
    }
    prefixes.sort_by_key(|prefix| Reverse(prefix.text.len()));
    for prefix in prefixes {
        prefixed.get_mut(pair(prefix.text)).into_iter().for_each(|all| all.push(prefix));
    }
    let bits = |sixty_four: &[Vec<_>]| {
        sixty_four.iter().rev().fold(0, |bits, all| bits << 1 | u64::from(!all.is_empty()))
    };
    let heads = prefixed.chunks(64).map(bits).collect();
    others.extend(DUMMY_PREFIXES.map(|(prefix, family, name)| OutsideText {
        text: prefix.as_bytes(),
        what: Outside::Prefix(family, name),
    }));
    others.sort_by_key(|known| Reverse(known.text.len()));
    let of_needle = |needle: &[u8]| -> Vec<_> {
        others.iter().filter(|known| known.text.starts_with(needle)).copied().collect()
    };
    let outside_runs = needles::texts().map(of_needle).collect();
    FormatTable { prefixed, heads, unprefixed, outside_runs }
});

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
pub(super) fn in_runs(text: &[u8], runs: &[Run], mut each: impl FnMut(FormatHit)) {
    for run in runs.iter().filter(|run| run.is_rich) {
        in_run(text, run, &mut each);
    }
}

/// Finds those in a run.
fn in_run(text: &[u8], run: &Run, each: &mut impl FnMut(FormatHit)) {
    super::work::spend(run.len());
    let goes_on = matches!(text.get(run.end), Some(b':' | b'$'));
    let least = if goes_on { PART_MIN } else { TOKEN_MIN };
    // Where, behind a token, the next word of the run can begin: not within the same one.
    let mut take = |hit: FormatHit| {
        let end = hit.span.end;
        each(hit);
        end + word_len(text, end) + 1
    };
    // Before this no token begins any more.
    let mut done = run.start;
    let before = text.get(..run.start).unwrap_or_default();
    match before {
        // What stands before a run can be the start of a token: `12345678:AA…`.
        [before @ .., b':' | b'|'] => {
            let word = before.iter().rev().take(BEFORE_MAX);
            let len = word.take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if let Some(hit) = unprefixed(text, before.len() - len, len) {
                done = take(hit);
            }
        }
        // Behind an escape such as `\n` a token may begin, too.
        [.., b'\\'] if matches!(text.get(done), Some(b'n' | b'r' | b't')) => {
            done = in_word(text, run, done, word_len(text, done)).map_or(done + 1, &mut take);
        }
        _ => {}
    }
    let mut at = done;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
    while let Some(gap) = text.get(at..run.end).and_then(|rest| rest.iter().position(is_word))
        && at + gap + least <= run.end
    {
        at += gap;
        let len = word_len(text, at);
        // A sign may begin a token, but not right behind a word.
        let is_signed = at > done
            && text.get(at - 1) == Some(&b'_')
            && (at == done + 1 || !text.get(at - 2).is_some_and(is_word));
        let signed = is_signed.then(|| in_word(text, run, at - 1, 0)).flatten();
        if let Some(hit) = signed.or_else(|| in_word(text, run, at, len)) {
            done = take(hit);
            at = done;
        } else {
            at += len + 1;
        }
    }
}

/// How many letters and digits stand from a position on.
fn word_len(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// The format that begins at a position in a run with so many letters and digits.
fn in_word(text: &[u8], run: &Run, at: usize, len: usize) -> Option<FormatHit> {
    super::work::spend(8);
    let rest = text.get(at..).unwrap_or_default();
    let mut found = prefixes_of(rest).filter_map(|prefix| matches(prefix.rule?, text, at));
    // Without any digit nothing matches but prefixes with a dummy behind them.
    found
        .next()
        .or_else(|| if run.digits > 0 { unprefixed(text, at, len) } else { None })
        .or_else(|| behind_word(text, at, len))
}

/// The token that a word for a dummy is glued to the front of, if the form leaves no doubt: the word makes no dummy of it.
fn behind_word(text: &[u8], at: usize, len: usize) -> Option<FormatHit> {
    let word = placeholder::word_len(text.get(at..at + len)?)?;
    let start = at + word;
    let is_marked = |prefix: &&Prefix| {
        prefix.text.len() >= 4 && prefix.text.last().is_some_and(|byte| b"-_.".contains(byte))
    };
    let prefixes = prefixes_of(text.get(start..)?).filter(is_marked);
    prefixes.filter_map(|prefix| matches(prefix.rule?, text, start)).find(|hit| !hit.placeholder)
}

/// The prefixes that a text begins with, as far as four bytes show it.
fn prefixes_of(text: &[u8]) -> impl Iterator<Item = &'static Prefix> {
    let (table, pair) = (&*TABLE, pair(text));
    let has_some = table.heads.get(pair / 64).is_some_and(|bits| bits >> (pair % 64) & 1 == 1);
    let known = if has_some { table.prefixed.get(pair) } else { None };
    let begin = if has_some { four(text) } else { 0 };
    known.into_iter().flatten().filter(move |prefix| begin & prefix.mask == prefix.four)
}

/// Tells by four bytes whether a word may begin like one of the formats or of the paper's patterns, so
/// that [`begins`] is worth asking; by how many letters and digits it has, and what follows them.
pub(super) fn may_begin(four: [u8; 4], len: usize, mark: Option<u8>) -> bool {
    if len == 0 && !four.starts_with(b"_") {
        return false;
    }
    unprefixed_rules(len, mark).next().is_some() || prefixes_of(&four).next().is_some()
}

/// Tells whether the word of so many letters and digits at a position of a token begins like one of the
/// formats or of the paper's patterns: a quick look at what a text says when it is turned around.
pub(super) fn begins(token: &[u8], at: usize, len: usize) -> bool {
    let rest = token.get(at..).unwrap_or_default();
    // Two or three letters stand anywhere; what begins with them must be a token to the end.
    let begins = |prefix: &Prefix| {
        let is_token =
            |(_, format): ParsedRow| prefix.text.len() > 3 || format.matches(rest).is_some();
        rest.starts_with(prefix.text) && prefix.rule.is_none_or(is_token)
    };
    super::work::spend(8);
    prefixes_of(rest).any(begins) || unprefixed(token, at, len).is_some()
}

/// The tokens of GitHub that the paper's patterns know have four characters of a prefix, and 36.
pub(super) const GITHUB_LEN: usize = 40;

/// Tells whether a text is a token of a format that has one length: nothing behind it belongs to it.
pub(super) fn is_full(token: &[u8]) -> bool {
    let is_github = matches!(token, [b'g', b'h', _, b'_', ..]) && token.len() == GITHUB_LEN;
    is_github || is_one(token, |format| !format.is_open())
}

/// Tells whether a text is a token of any format. It may be the beginning of one if the format has no length.
pub(super) fn is_whole(token: &[u8]) -> bool {
    is_one(token, |_| true)
}

fn is_one(token: &[u8], is_meant: impl Fn(&Format<'_>) -> bool) -> bool {
    let fits = |(_, format): ParsedRow| {
        is_meant(format) && format.matches(token).is_some_and(|(len, _)| len == token.len())
    };
    prefixes_of(token).filter_map(|prefix| prefix.rule).any(fits)
}

/// The format of a row.
pub(super) fn row(name: &str) -> Option<&'static Format<'static>> {
    ROWS.iter().find_map(|(row, format)| (row.name == name).then_some(format))
}

/// How long the name is that a match begins with: what is behind it is the secret.
pub(super) fn name_len(hit: &PatternHit, matched: &str) -> usize {
    match &hit.rule {
        Some(rule) if rule.named => {
            let name = rule.form.split('{').next().unwrap_or_default();
            if matched.starts_with(name) { name.len() } else { 0 }
        }
        Some(_) => 0,
        None => prefix_len(&hit.pattern, matched),
    }
}

/// The same, of a built-in pattern.
pub(super) fn prefix_len(pattern: &str, matched: &str) -> usize {
    let row = ROWS.iter().find(|(row, _)| row.named && row.name == pattern);
    let prefix = row.map_or(&b""[..], |(_, format)| format.prefix());
    if matched.as_bytes().starts_with(prefix) { prefix.len() } else { 0 }
}

/// The format that begins at a position with so many letters and digits.
fn unprefixed(text: &[u8], at: usize, len: usize) -> Option<FormatHit> {
    unprefixed_rules(len, text.get(at + len).copied()).find_map(|rule| matches(rule, text, at))
}

/// The rows that begin with so many letters and digits and what follows them.
fn unprefixed_rules(len: usize, mark: Option<u8>) -> impl Iterator<Item = ParsedRow> {
    let rules = TABLE.unprefixed.get(len).into_iter().flatten();
    rules.filter(move |(_, ends)| ends.is_none() || *ends == mark).map(|(rule, _)| *rule)
}

fn matches((row, format): ParsedRow, text: &[u8], at: usize) -> Option<FormatHit> {
    let rest = text.get(at..)?;
    let prefix = format.prefix();
    let body = rest.strip_prefix(prefix)?;
    // Where nothing fits, the beginning of it does not fit either.
    let fitted = format.fit(rest)?;
    let marked = prefix.len() >= 4 && prefix.last().is_some_and(|byte| b"-_.".contains(byte));
    let is_dummy = |body: &[u8]| {
        if marked { placeholder::is_clear_dummy(body) } else { placeholder::is_dummy(body) }
    };
    let is_row = prefix.len() >= 3 && is_row(prefix, body);
    let whole = if is_row { None } else { whole_without_word(format, rest, is_dummy) };
    let (rest, found) = match whole {
        Some(whole) => (whole, format.matches(whole)),
        None => (rest, format.whole(rest, fitted)),
    };
    let end = found.as_ref().map(|(len, _)| at + len);
    let is_glued = prefix.len() >= 3
        && end.is_none_or(|end| text.get(end).copied().is_some_and(is_token))
        && !is_row;
    let next = if is_glued {
        next_token(text, at + prefix.len()..end.unwrap_or(usize::MAX))
    } else {
        None
    };
    let cut = next.and_then(|next| text.get(at..next));
    let (rest, found) = cut.map_or((rest, found), |cut| (cut, format.matches(cut)));
    let (len, body) = found?;
    if row.family == "pem_block" && is_near(text, at, ["-----begin"]) {
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
    if !row.words.is_empty() && !is_near(text, at, row.words.split(' '))
        || is_for_a_page(row, text, at)
    {
        return None;
    }
    let body = rest.get(body)?;
    let span = at..at + len;
    if is_dummy(body) {
        // Behind a prefix that is a repetition, more of it is zeros in base64.
        let is_row = prefix.iter().chain(body.first()).all(|byte| prefix.first() == Some(byte));
        return (prefix.len() >= 3 && !is_row).then_some(FormatHit {
            row,
            span,
            placeholder: true,
            distinct: true,
        });
    }
    let stats = TokenStats::of(body);
    // No name of a program changes as often as chance does.
    let mixed = stats.digits >= 2 && stats.lower >= 2 && stats.upper >= 2;
    let distinct = format.is_distinct() || mixed && stats.changes * 2 >= stats.len;
    let strong = !common && (marked || prefix.len() >= 6)
        || row.check == Some(Check::Crc32Base62) && super::checksum::crc32_base62(body);
    let random = !stats.is_wordlike()
        && (strong || stats.len < 24 || !stats.is_name() || stats.changes * 2 >= stats.len)
        && (strong || stats.digits >= 2 || stats.rare_bigrams * 4 >= stats.bigrams)
        && stats.entropy_percent() >= if strong { 55 } else { 70 }
        && (strong || stats.kind == Kind::Digits && stats.len < 20 || stats.changes >= 3);
    random.then_some(FormatHit { row, span, placeholder: false, distinct })
}

/// Tells whether the name before a key of a captcha says that it is the one that stands in a page: `data-sitekey="…"`.
fn is_for_a_page(row: &FormatRow, text: &[u8], at: usize) -> bool {
    const NAMES: [&str; 3] = ["sitekey", "site_key", "site-key"];
    const REACH: usize = 16;
    let is_captcha = row.words == "captcha";
    is_captcha
        && is_near(text.get(at.saturating_sub(REACH)..at).unwrap_or_default(), REACH.min(at), NAMES)
}

/// Tells whether a prefix comes so often behind itself that no token stands between.
fn is_row(prefix: &[u8], behind: &[u8]) -> bool {
    const ROW: usize = 4;
    let near = behind.get(..GROUP).unwrap_or(behind);
    let [firsts] = bits_at(near, 0, |byte| u8::from(prefix.first() == Some(&byte)));
    let mut end = 0;
    let comes = |at: &usize| {
        let is_next = *at >= end && near.get(*at..).is_some_and(|rest| rest.starts_with(prefix));
        end = if is_next { at + prefix.len() } else { end };
        is_next
    };
    ones(firsts).filter(comes).take(ROW).count() == ROW
}

/// Where in a stretch a token of another format begins, if it is glued to the one before.
pub(super) fn next_token(text: &[u8], stretch: Range<usize>) -> Option<usize> {
    /// So far a token is looked at.
    const LOOK: usize = 300;
    /// Where so many prefixes begin no token, there is a row of prefixes.
    const TRIES: usize = 3;
    let mut tries = 0;
    for at in stretch.take(LOOK) {
        let rest = text.get(at..).filter(|rest| rest.first().copied().is_some_and(is_token))?;
        super::work::spend(1);
        for prefix in prefixes_of(rest) {
            let known = prefix.text;
            let is_long =
                known.len() >= 3 && known.last().is_some_and(|byte| b"-_.".contains(byte));
            let Some((_, format)) = prefix.rule.filter(|_| is_long && rest.starts_with(known))
            else {
                continue;
            };
            if format.matches(rest).is_some() {
                return Some(at);
            }
            tries += 1;
            if tries == TRIES {
                return None;
            }
        }
    }
    None
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
    let len = run_of(text.get(..LOOK).unwrap_or(text), is_token);
    super::work::spend(len / 4);
    let rest = placeholder::without_word(text.get(..len)?)?;
    let (end, body) = format.matches(rest)?;
    (end == rest.len() && !is_dummy(rest.get(body)?)).then_some(rest)
}

/// Finds formats that do not lie in runs, and known prefixes with a dummy after them.
pub(super) fn outside_runs(
    text: &[u8],
    places: &[NeedlePlace],
    mut each: impl FnMut(&'static str, &'static str, Range<usize>, bool),
) {
    // Hashes come last.
    for hash in [false, true] {
        let mut done = 0;
        for place in places.iter().filter(|place| hash == (place.kind == NeedleKind::Hash)) {
            let known = TABLE.outside_runs.get(place.nth).map(Vec::as_slice).unwrap_or_default();
            done = outside_at(text, place.at, known, done, &mut each);
        }
    }
}

/// Tries the rows of a place, and tells how far the text is taken.
fn outside_at(
    text: &[u8],
    at: usize,
    known: &[OutsideText],
    done: usize,
    each: &mut impl FnMut(&'static str, &'static str, Range<usize>, bool),
) -> usize {
    let begins = |start: &usize| {
        let before = start.checked_sub(1).and_then(|before| text.get(before));
        *start >= done && !before.is_some_and(u8::is_ascii_alphanumeric)
    };
    let rest = text.get(at..).unwrap_or_default();
    for known in known.iter().filter(|known| rest.starts_with(known.text)) {
        match known.what {
            Outside::Row(rule, back) => {
                let start = at.checked_sub(back).filter(begins);
                if let Some(hit) = start.and_then(|start| matches(rule, text, start)) {
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
                if let Some(len) = placeholder::mark_len(rest) {
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
    use super::super::text_index::TextIndex;
    use super::*;

    fn names(text: &str) -> Vec<(&'static str, String, bool)> {
        let mut found = Vec::new();
        let mut text_index = TextIndex::of(text.as_bytes());
        let TextIndex { runs, .. } = &mut text_index;
        text.match_indices("xxxx").for_each(|(at, _)| runs::enrich(runs, at));
        in_runs(text.as_bytes(), runs, |hit| {
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
        for (prefix, name, len) in [
            ("glpat-", "gitlab_pat", 20),
            ("glrt-", "gitlab_runner", 20),
            ("hvs.", "vault_service", 24),
        ] {
            let letters = [prefix, &"kJdfQxLmZpVtRsWbYcHgNnAq"[..len]].concat();
            assert_eq!(names(&letters), [(name, letters.clone(), false)], "without a digit");
        }
        assert_eq!(names("OBJ_tcg_tr_cat_componentIdentifierV11"), []);
        assert_eq!(names("520260770761060725403904123144384571612073732754774"), []);
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
            // Before, this was no finding.
            assert_eq!(names(&format!("{word}{token}")), expected, "{word}");
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
            // RSA of 512 bits, and with a sign in the length.
            ("private_key_rsa_512", ["MIIB", "OQIBAAJB"]),
            ("private_key_rsa", ["MIIG", "/AIBAAKC"]),
            // PKCS #8: RSA-PSS, DSA, P-384, P-521, brainpool, P-224, X25519, Ed448, Ed25519 with its public key.
            ("private_key_pkcs8", ["MIIE", "vAIBADALBgkqhkiG9w0BAQoEggSo"]),
            ("private_key_pkcs8_parameters", ["MIIB", "XAIBADCCATQGByqGSM44BAEwggEn"]),
            ("private_key_pkcs8_mig", ["MIG2", "AgEAMBAGByqGSM49AgEGBSuBBAAi"]),
            ("private_key_pkcs8_mih", ["MIHu", "AgEAMBAGByqGSM49AgEGBSuBBAAj"]),
            ("private_key_pkcs8_mih", ["MIHs", "AgEAMBQGByqGSM49AgEGCSskAwMC"]),
            ("private_key_pkcs8_mh", ["MHgC", "AQAwEAYHKoZIzj0CAQYFK4EEACEE"]),
            ("private_key_pkcs8_mc", ["MC4C", "AQAwBQYDK2VuBCIEI"]),
            ("private_key_pkcs8_me", ["MEcC", "AQAwBQYDK2VxBDsEO"]),
            ("private_key_pkcs8_with_public", ["MFEC", "AQEwBQYDK2VwBCIEI"]),
            // Encrypted ones.
            ("private_key_encrypted", ["MIIF", "LTBXBgkqhkiG9w0BBQ0wSjApBgkq"]),
            ("private_key_encrypted_pkcs12", ["MIIE", "6jAcBgoqhkiG9w0BDAEDMA4ECOGJ"]),
            ("private_key_encrypted_mig", ["MIGb", "MFcGCSqGSIb3DQEFDTBKMCkGCSqG"]),
            ("private_key_encrypted_mih", ["MIHs", "MFcGCSqGSIb3DQEFDTBKMCkGCSqG"]),
            // SEC 1: P-224, brainpool, a curve that is written out.
            ("private_key_ec_mg", ["MGgC", "AQEEH"]),
            ("private_key_ec_mh", ["MHgC", "AQEEI"]),
            ("private_key_ec_320", ["MIGQ", "AgEBBC"]),
            ("private_key_ec_mig", ["MIGo", "AgEBBD"]),
            ("private_key_ec_mih", ["MIHa", "AgEBBE"]),
            ("private_key_ec_parameters", ["MIIB", "aAIBAQQg"]),
            ("private_key_openssh", ["b3BlbnNz", "aC1rZXktdjEAAAAA"]),
        ] {
            let body = begin.concat() + more;
            let expected = vec![(name, body.clone(), false)];
            assert_eq!(names(&format!("key: {body}\n")), expected);
            assert_eq!(names(&format!("-----{} KEY-----\n{body}\n", "BEGIN PRIVATE")), []);
        }
        // Certificates, requests, public keys of RSA, P-256 and Ed25519, and a message of SNMP.
        for begin in [
            ["MIID", "dzCCAl+gAwIBAgIEAgAAuTANBgkq"],
            ["MIIC", "ijCCAXICAQAwRTELMAkGA1UEBhMC"],
            ["MIGf", "MA0GCSqGSIb3DQEBAQUAA4GNADCB"],
            ["MIIB", "IjANBgkqhkiG9w0BAQEFAAOCAQ8A"],
            ["MIIB", "CgKCAQEA"],
            ["MFkw", "EwYHKoZIzj0CAQYIKoZIzj0DAQcD"],
            ["MCow", "BQYDK2VwAyEA"],
            ["MIGF", "AgEBBAZwdWJsaWOi"],
        ] {
            let body = begin.concat() + more;
            assert_eq!(names(&format!("key: {body}\n")), [], "{body}");
        }
    }

    #[test]
    fn a_name_read_backwards_is_no_sure_token() {
        let is_distinct = |text: &str| {
            let mut found = Vec::new();
            let TextIndex { runs, .. } = &TextIndex::of(text.as_bytes());
            in_runs(text.as_bytes(), runs, |hit| found.push(hit.distinct));
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
        outside_runs(
            text.as_bytes(),
            &TextIndex::of(text.as_bytes()).places,
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
            let places = &TextIndex::of(text.as_bytes()).places;
            outside_runs(text.as_bytes(), places, |_, name, span, _| {
                found.push((name, &text[span]));
            });
            assert_eq!(found, [(name, token.as_str())]);
        }
    }

    #[test]
    fn every_prefix_and_text_is_in_the_table() {
        let known = || TABLE.outside_runs.iter().flatten();
        assert_eq!(known().count(), super::super::rows::outside_texts().count());
        assert!(known().filter(|known| known.text.starts_with(b"$")).count() > 15);
        for rule in ROWS.iter().filter(|(_, format)| outside_text(format).is_none()) {
            let mut inside = TABLE.prefixed.iter().flatten().filter_map(|prefix| prefix.rule);
            let mut unprefixed = TABLE.unprefixed.iter().flatten().map(|(rule, _)| *rule);
            let is_it = |known: ParsedRow| known.0 == rule.0;
            assert!(inside.any(is_it) || unprefixed.any(is_it), "{}", rule.0.name);
        }
    }
}
