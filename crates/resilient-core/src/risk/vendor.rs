//! Tokens that say whose they are: the table of formats, matched inside runs.
//!
//! A row is tried only where its first bytes stand at the start of a word. A match whose body is
//! no token but a word, a repetition or a mark such as `{REDACTED}` is a placeholder: the prefix
//! alone may trip a filter, but nothing is lost.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed;

use super::format::Format;
use super::formats::{Check, FORMATS, Row};
use super::placeholder;
use super::token::{Kind, Shape};

/// A token of a known format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) row: &'static Row,
    pub(super) span: Range<usize>,
    pub(super) placeholder: bool,
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
    rows: Vec<(&'static Row, Format)>,
    /// For every pair of ASCII characters, where in `order` its rows begin and end.
    index: Vec<(u16, u16)>,
    order: Vec<u16>,
    /// Rows that begin with a class.
    bare: Vec<u16>,
    /// Rows by prefixes that do not lie in runs, and prefixes that dummies follow.
    outside: Option<packed::Searcher>,
    outside_rows: Vec<Outside>,
}

#[derive(Clone, Copy)]
enum Outside {
    Row(u16),
    Prefix(&'static str, &'static str),
}

/// Prefixes so well known that nothing but a token or its dummy follows them: text, family and the
/// pattern's name.
const KNOWN: [(&str, &str, &str); 27] = [
    ("sk-ant-", "api_key", "anthropic_prefix"),
    ("sk-proj-", "api_key", "openai_prefix"),
    ("sk-or-v1-", "api_key", "openrouter_prefix"),
    ("ghp_", "github_pat", "ghp_prefix"),
    ("gho_", "github_pat", "gho_prefix"),
    ("ghs_", "github_pat", "ghs_prefix"),
    ("github_pat_", "github_pat", "github_fine_grained_prefix"),
    ("glpat-", "api_key", "gitlab_prefix"),
    ("AKIA", "api_key", "aws_prefix"),
    ("AIza", "api_key", "google_prefix"),
    ("xoxb-", "api_key", "slack_bot_prefix"),
    ("xoxp-", "api_key", "slack_user_prefix"),
    ("xapp-", "api_key", "slack_app_prefix"),
    ("sk_live_", "api_key", "stripe_live_prefix"),
    ("sk_test_", "api_key", "stripe_test_prefix"),
    ("rk_live_", "api_key", "stripe_restricted_prefix"),
    ("npm_", "api_key", "npm_prefix"),
    ("pypi-", "api_key", "pypi_prefix"),
    ("dop_v1_", "api_key", "digitalocean_prefix"),
    ("dckr_pat_", "api_key", "docker_prefix"),
    ("shpat_", "api_key", "shopify_prefix"),
    ("lin_api_", "api_key", "linear_prefix"),
    ("whsec_", "api_key", "webhook_prefix"),
    ("GOCSPX-", "api_key", "google_oauth_prefix"),
    ("nvapi-", "api_key", "nvidia_prefix"),
    ("gsk_", "api_key", "groq_prefix"),
    ("hvs.", "api_key", "vault_prefix"),
];

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows: Vec<(&'static Row, Format)> =
        FORMATS.iter().filter_map(|row| Some((row, Format::parse(row.format)?))).collect();
    let mut order: Vec<u16> = Vec::new();
    let mut bare = Vec::new();
    let mut outside_rows = Vec::new();
    let mut literals: Vec<&[u8]> = Vec::new();
    for (nth, (_, format)) in rows.iter().enumerate() {
        let nth = u16::try_from(nth).unwrap_or(u16::MAX);
        let prefix = format.prefix();
        if prefix.len() < 2 {
            bare.push(nth);
        } else if !prefix.iter().take(2).all(|byte| super::runs::is_token(*byte)) {
            outside_rows.push(Outside::Row(nth));
            literals.push(prefix);
        } else {
            order.push(nth);
        }
    }
    for (prefix, family, name) in KNOWN {
        outside_rows.push(Outside::Prefix(family, name));
        literals.push(prefix.as_bytes());
    }
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
    let outside = packed::Config::new().builder().extend(literals).build();
    Table { rows, index, order, bare, outside, outside_rows }
});

fn pair(bytes: &[u8]) -> usize {
    match bytes {
        [first, second, ..] => usize::from(first & 127) << 7 | usize::from(second & 127),
        _ => 0,
    }
}

/// Finds tokens of known formats in a run.
pub(super) fn in_run(text: &[u8], run: &Range<usize>, mut each: impl FnMut(Hit)) {
    let table = &*TABLE;
    let mut at = run.start;
    let mut inside = false;
    // What stands before a run can be the start of a token: `12345678:AA…`.
    let before = text.get(..run.start).unwrap_or_default();
    if before.last().is_some_and(|byte| b":|".contains(byte)) {
        let back = before.iter().rev().skip(1).take(20);
        let len = back.take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let start = run.start - 1 - len;
        if let Some(hit) = bare(table, text, start) {
            at = hit.span.end;
            each(hit);
        }
    }
    while at + 8 <= run.end {
        let Some(&byte) = text.get(at) else { break };
        let starts = !inside;
        inside = byte.is_ascii_alphanumeric();
        if !(starts && (inside || byte == b'_')) && !escaped(text, at) {
            at += 1;
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let (from, to) = table.index.get(pair(rest)).copied().unwrap_or_default();
        let rows = table.order.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        let found = rows.iter().find_map(|row| matches(table, *row, text, at));
        let found = found.or_else(|| bare(table, text, at));
        if let Some(hit) = found {
            at = hit.span.end.max(at + 1);
            inside = true;
            each(hit);
        } else {
            at += 1;
        }
    }
}

/// Tells whether the character before a position belongs to an escape such as `\n`.
fn escaped(text: &[u8], at: usize) -> bool {
    at >= 2
        && text.get(at - 2) == Some(&b'\\')
        && text.get(at - 1).is_some_and(|byte| b"nrt".contains(byte))
}

fn bare(table: &Table, text: &[u8], at: usize) -> Option<Hit> {
    // Every one of these formats has its first mark after a stretch of a certain length.
    let rest = text.get(at..)?;
    let len = rest.iter().take(48).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let mark = rest.get(len).copied().unwrap_or(b' ');
    let fits = match mark {
        b'.' => matches!(len, 8 | 14 | 24..=28 | 32),
        b'-' => matches!(len, 16 | 32),
        b'~' => len == 5,
        b':' | b'|' => (8..=16).contains(&len),
        b'/' => len == 1,
        _ => len == 40,
    };
    if !fits {
        return None;
    }
    table.bare.iter().find_map(|row| matches(table, *row, text, at))
}

/// Prefixes that are words of any program: what follows them must look random by itself.
const COMMON: [&[u8]; 16] = [
    b"key-",
    b"key_",
    b"live_",
    b"test_",
    b"api-",
    b"API-",
    b"rel-",
    b"mob-",
    b"sdk-",
    b"web_",
    b"access_",
    b"sandbox_",
    b"secret-",
    b"server_",
    b"mobile_",
    b"console-",
];

fn matches(table: &Table, row: u16, text: &[u8], at: usize) -> Option<Hit> {
    let (row, format) = table.rows.get(usize::from(row))?;
    let rest = text.get(at..)?;
    rest.starts_with(format.prefix()).then_some(())?;
    let (len, body) = format.matches(rest)?;
    let next = rest.get(len).copied().unwrap_or(b' ');
    if next.is_ascii_alphanumeric() || next == b'+' || next == b'_' {
        return None;
    }
    if !row.words.is_empty() && !is_near(text, at, row.words) {
        return None;
    }
    let body = rest.get(body)?;
    let span = at..at + len;
    if placeholder::is_dummy(body) {
        return (format.prefix().len() >= 3).then_some(Hit { row, span, placeholder: true });
    }
    let shape = Shape::of(body);
    let prefix = format.prefix();
    let marked = prefix.len() >= 4 && prefix.last().is_some_and(|byte| b"-_.".contains(byte));
    let common = COMMON.contains(&prefix);
    let strong = !common && (marked || prefix.len() >= 6)
        || row.check == Check::Crc32Base62 && super::checksum::crc32_base62(body);
    let random = !shape.is_wordy()
        && (strong || shape.digits >= 2 || shape.odd_pairs * 3 >= shape.pairs)
        && shape.evenness() >= if strong { 55 } else { 70 }
        && (strong || shape.kind == Kind::Digits || shape.changes >= 3);
    random.then_some(Hit { row, span, placeholder: false })
}

/// Looks for one of the words on the line before a position and on the line above.
pub(super) fn is_near(text: &[u8], at: usize, words: &str) -> bool {
    const BACK: usize = 120;
    let before = text.get(at.saturating_sub(BACK)..at).unwrap_or_default().to_ascii_lowercase();
    words.split(' ').any(|word| memchr::memmem::find(&before, word.as_bytes()).is_some())
}

/// Finds formats whose prefix does not lie in runs, and known prefixes with a dummy after them.
pub(super) fn outside(
    text: &[u8],
    mut each: impl FnMut(&'static str, &'static str, Range<usize>, bool),
) {
    let table = &*TABLE;
    let Some(searcher) = &table.outside else { return };
    let mut done = 0;
    for found in searcher.find_iter(text) {
        let at = found.start();
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        if at < done || before.is_some_and(u8::is_ascii_alphanumeric) {
            continue;
        }
        match table.outside_rows.get(found.pattern().as_usize()) {
            Some(Outside::Row(row)) => {
                if let Some(hit) = matches(table, *row, text, at) {
                    done = hit.span.end;
                    each(hit.row.family, hit.row.name, hit.span, hit.placeholder);
                }
            }
            Some(Outside::Prefix(family, name)) => {
                let rest = text.get(found.end()..).unwrap_or_default();
                if let Some(len) = placeholder::mark(rest) {
                    done = found.end() + len;
                    each(family, name, at..done, true);
                }
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(&'static str, String, bool)> {
        let mut found = Vec::new();
        for run in super::super::runs::find(text.as_bytes()).tokens {
            in_run(text.as_bytes(), &run, |hit| {
                found.push((hit.row.name, text[hit.span].to_owned(), hit.placeholder));
            });
        }
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
        assert_eq!(names(&format!("{token}f")), []);
    }

    #[test]
    fn a_dummy_is_a_placeholder() {
        let token = ["gl", "sa_", &"x".repeat(32), "_", "00000000"].concat();
        assert_eq!(names(&token), [("grafana_service_account", token.clone(), true)]);
        let mut found = Vec::new();
        let text = ["sk-", "ant-", "oat01-{REDACTED}"].concat();
        outside(text.as_bytes(), |family, name, span, dummy| {
            found.push((family, name, span, dummy));
        });
        assert_eq!(found, [("api_key", "anthropic_prefix", 0..text.len(), true)]);
    }

    #[test]
    fn every_prefix_is_found_by_its_index() {
        let table = &*TABLE;
        for nth in &table.order {
            let (_, format) = &table.rows[usize::from(*nth)];
            let (from, to) = table.index[pair(format.prefix())];
            assert!(table.order[usize::from(from)..usize::from(to)].contains(nth));
        }
        assert!(table.outside.is_some());
    }
}
