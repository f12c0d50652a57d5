//! Keeping marks from being written over the values that they stand for.
//!
//! An agent that has read a file through a redaction, and writes it back, would put a mark where the
//! file has the value, and the value would be gone. Lines move, so that they are compared by what
//! surrounds the mark and not by their numbers; and a secret that is found in the old text, is not in
//! the new one, and has a new mark of its family there, counts as the one that the mark stands for.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;

use super::form::Form;
use super::{hits, mark, taken};
use crate::features::PrecedingWords;
use crate::tables::STRONG_SECRET_WORDS as SECRETS;
use crate::{Policy, naming};

/// So many lines are compared with so many others before the answer is no.
const COMPARISONS_MAX: usize = 4_000_000;

/// What stands for a value: a look-up in the environment, ours or another one, and words that say that there is none.
static STANDS_FOR: Form = Form::of(concat!(
    r"^(?:\$|#\{ENV|ENV[\[.]|process\.env|os\.(?:environ|[gG]etenv)|env!|(?:std::)?env::var",
    r"|System\.getenv|Environment\.GetEnvironmentVariable|getenv\()",
    r"|^(?i:null|none|nil|true|false|todo|tbd)$",
));

/// A value that a mark would overwrite. It does not say what the value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overwritten {
    /// The mark.
    pub mark: String,
    /// Its line in the new text, from 1.
    pub line: usize,
    /// The line of the value in the old text, from 1.
    pub old_line: usize,
}

/// A line with marks, as what surrounds them.
struct Marked<'a> {
    line: usize,
    marks: Vec<&'a str>,
    /// The text before, between and after the marks, as [`plain`] writes it.
    frame: Vec<String>,
    /// The text before the first mark.
    text_before: &'a str,
}

/// Finds a value of the old text that a mark of the new one would take the place of.
#[must_use]
pub fn guard(old: &str, new: &str, policy: &Policy) -> Option<Overwritten> {
    memmem::find(new.as_bytes(), b"REDACTED")?;
    if old.is_empty() {
        return None;
    }
    let old_lines: Vec<&str> = old.lines().map(str::trim).collect();
    let new_lines: Vec<&str> = new.lines().map(str::trim).collect();
    let mut missing: BTreeMap<&str, isize> = BTreeMap::new();
    old_lines.iter().for_each(|line| *missing.entry(line).or_default() += 1);
    let mut marked = Vec::new();
    for (nth, line) in new_lines.iter().enumerate() {
        // A line that the file has too has had its mark before.
        let left = missing.entry(line).or_default();
        *left -= 1;
        if *left < 0
            && let Some(of) = Marked::of(nth + 1, line)
        {
            marked.push(of);
        }
    }
    if marked.is_empty() {
        return None;
    }
    // Lines that go: what they hold is nowhere else in the new text.
    let gone: Vec<(usize, &str)> = old_lines
        .iter()
        .enumerate()
        .filter(|(_, line)| missing.get(*line).is_some_and(|count| *count > 0))
        .map(|(nth, line)| (nth + 1, *line))
        .collect();
    by_frame(&marked, &gone)
        .or_else(|| by_place(&marked, &gone, &old_lines, &new_lines))
        .or_else(|| by_secret(&marked, old, new, policy))
}

impl<'a> Marked<'a> {
    fn of(line: usize, text: &'a str) -> Option<Self> {
        let (mut marks, mut frame, mut from) = (Vec::new(), Vec::new(), 0);
        let found = mark::find(text);
        let text_before = found.first().and_then(|mark| text.get(..mark.start)).unwrap_or_default();
        for mark in found {
            frame.push(plain(text.get(from..mark.start).unwrap_or_default()));
            from = mark.end;
            marks.extend(text.get(mark));
        }
        frame.push(plain(text.get(from..).unwrap_or_default()));
        (!marks.is_empty()).then_some(Self { line, marks, frame, text_before })
    }

    fn overwrites(&self, old_line: usize) -> Overwritten {
        let mark = self.marks.first().copied().unwrap_or_default().to_owned();
        Overwritten { mark, line: self.line, old_line }
    }

    /// Whether anything but punctuation surrounds the marks.
    fn has_frame(&self) -> bool {
        self.frame.iter().any(|part| part.contains(char::is_alphanumeric))
    }

    /// Whether the first mark stands behind a name and a sign that assigns.
    fn is_assigned(&self) -> bool {
        let first = self.frame.first().map(String::as_str).unwrap_or_default();
        self.text_before.trim_end_matches(['"', '\'', '`', ' ']).ends_with(['=', ':', '>'])
            && first.contains(char::is_alphanumeric)
    }

    /// Whether a line has the same frame, with a value in it.
    fn takes_from(&self, line: &str) -> bool {
        let [first, between @ .., last] = self.frame.as_slice() else { return false };
        let rest =
            line.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()));
        let Some(mut rest) = rest else { return false };
        for part in between {
            let Some((value, after)) = rest.split_once(part.as_str()) else { return false };
            if is_value(value) {
                return true;
            }
            rest = after;
        }
        is_value(rest)
    }
}

/// A text without what programs write in several ways: quotes, blanks, the sign that assigns, `export`.
fn plain(text: &str) -> String {
    let text = text.trim_start().strip_prefix("export ").unwrap_or(text);
    let chars = text.chars().filter(|c| !c.is_whitespace() && !"\"'`".contains(*c));
    chars.map(|c| if c == ':' { '=' } else { c }).collect()
}

/// Whether a text is a value and not something that stands for one.
fn is_value(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'', '`', ',', ';', ' ']);
    let stands_for = !mark::find(text).is_empty()
        || crate::placeholder::is_stand_in(text)
        || STANDS_FOR.is_in(text);
    text.chars().filter(|c| c.is_alphanumeric()).count() >= 4 && !stands_for
}

/// Whether a line assigns to a name that announces a secret what may be one: a literal or one word, with a digit. A call, a
/// path and an address are none.
fn has_secret(line: &str) -> bool {
    let Some((name, value)) = line.split_once(['=', ':']) else { return false };
    let value = value.trim_start_matches([':', '=', '>', ' ']).trim_end_matches([',', ';', ' ']);
    let name = name.trim_end().trim_end_matches(is_quote);
    let is_name = |c: char| c.is_alphanumeric() || " _-.".contains(c) || is_quote(c);
    let words = PrecedingWords::of(name.as_bytes());
    let ends =
        |word: &[u8], known: &[u8]| word == known || known.len() > 4 && word.ends_with(known);
    let announces = words.get(0).is_some_and(|word| SECRETS.iter().any(|known| ends(word, known)))
        && !naming::is_open(&words);
    let literal = value.strip_prefix(is_quote).and_then(|rest| rest.strip_suffix(is_quote));
    let is_one = literal.is_some_and(|text| !text.contains(is_quote))
        || value.chars().all(|c| !c.is_whitespace() && !"()[]{}<>,;\"'`".contains(c))
            && value.contains(char::is_alphabetic);
    let text = literal.unwrap_or(value);
    let is_place = text.contains("://") || text.starts_with(['/', '.', '~', '$']);
    let is_drawn = text.contains(|c: char| c.is_ascii_digit()) && is_value(text);
    name.chars().all(is_name) && announces && is_one && !is_place && is_drawn
}

const fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// Compares each mark's surroundings with the lines that would go.
fn by_frame(marked: &[Marked<'_>], gone: &[(usize, &str)]) -> Option<Overwritten> {
    let mut sorted: Vec<(String, usize)> =
        gone.iter().map(|(nth, line)| (plain(line), *nth)).collect();
    sorted.sort_unstable();
    let mut seen = BTreeSet::new();
    let mut compared = 0;
    for of in marked.iter().filter(|of| of.has_frame()) {
        if !seen.insert(&of.frame) {
            continue;
        }
        let first = of.frame.first().map(String::as_str).unwrap_or_default();
        let from = sorted.partition_point(|(line, _)| line.as_str() < first);
        for (line, nth) in sorted.iter().skip(from).take_while(|(line, _)| line.starts_with(first))
        {
            compared += 1;
            if compared > COMPARISONS_MAX || of.takes_from(line) {
                return Some(of.overwrites(*nth));
            }
        }
    }
    None
}

/// Compares what stands between the same neighbours, of which one may be the beginning or the end of the text: for marks
/// that are alone on their line, and for those behind another name than the value had.
fn by_place(
    marked: &[Marked<'_>],
    gone: &[(usize, &str)],
    old: &[&str],
    new: &[&str],
) -> Option<Overwritten> {
    let mut between: BTreeMap<(&str, &str), (usize, bool)> = BTreeMap::new();
    for (nth, line) in gone {
        let has_value = has_secret(line);
        if has_value || is_value(line) {
            between.entry(beside(old, nth - 1)).or_insert((*nth, has_value));
        }
    }
    marked.iter().find_map(|of| {
        let beside @ (before, after) = beside(new, of.line - 1);
        let is_edge = before.is_empty() || after.is_empty();
        let (line, has_value) = between.get(&beside)?;
        let fits = match of.has_frame() {
            true => *has_value && of.is_assigned() && !(before.is_empty() && after.is_empty()),
            false => !is_edge,
        };
        fits.then(|| of.overwrites(*line))
    })
}

/// The next lines above and below that are not empty; empty ones where there are none near.
fn beside<'a>(lines: &[&'a str], at: usize) -> (&'a str, &'a str) {
    const NEAR: usize = 64;
    let (before, after) = (lines.get(..at), lines.get(at + 1..));
    let is_dark = |line: &&&str| !line.is_empty();
    let before = before.and_then(|all| all.iter().rev().take(NEAR).find(is_dark));
    let after = after.and_then(|all| all.iter().take(NEAR).find(is_dark));
    (before.copied().unwrap_or_default(), after.copied().unwrap_or_default())
}

/// Looks for secrets of the old text that are gone while a mark of their family has come.
fn by_secret(marked: &[Marked<'_>], old: &str, new: &str, policy: &Policy) -> Option<Overwritten> {
    let report = crate::score(old, policy);
    let mut lost: BTreeMap<&str, usize> = BTreeMap::new();
    let values: Vec<(&str, &str, usize)> = hits(&report)
        .filter(|(_, hit)| !hit.placeholder && crate::hit::is_secret(&hit.kind))
        .filter_map(|(_, hit)| Some((taken::matched(old, hit)?, hit.kind.as_ref(), hit.line)))
        .collect();
    let searcher = taken::searcher(values.iter().map(|(text, ..)| text.as_bytes()))?;
    let kept: BTreeSet<&str> = searcher
        .find_overlapping_iter(new)
        .take(COMPARISONS_MAX)
        .filter_map(|found| new.get(found.range()))
        .collect();
    for (text, kind, line) in &values {
        if !kept.contains(text) {
            lost.entry(kind).or_insert(*line);
        }
    }
    let is_known = |kind: &&str| crate::hit::families(policy).any(|known| known == *kind);
    let line_of = |mark: &str| match mark::kind(mark).filter(is_known) {
        Some(kind) => lost.get(kind).copied(),
        // It may stand for any of them.
        None => lost.values().copied().min(),
    };
    marked.iter().find_map(|of| {
        let (mark, old_line) = of.marks.iter().find_map(|mark| Some((mark, line_of(mark)?)))?;
        Some(Overwritten { mark: (*mark).to_owned(), line: of.line, old_line })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(old: &str, new: &str) -> Option<(usize, usize)> {
        guard(old, new, &Policy::default()).map(|found| (found.line, found.old_line))
    }

    #[test]
    fn a_mark_does_not_take_the_place_of_a_value() {
        let old = "host = a\npassword = \"hunter22\"\nport = 1\n";
        let new = "# moved\n\nport = 1\n  password = \"<REDACTED:generic_secret:1>\"\n";
        assert_eq!(guarded(old, new), Some((4, 2)));
        for bare in ["<REDACTED>", "{REDACTED}", "[REDACTED]"] {
            assert_eq!(guarded(old, &format!("password = \"{bare}\"\n")), Some((1, 2)));
        }
        // Quotes, blanks and the sign that assigns may be others.
        for other in ["password='M'", "export password=M", "password: M", "\"password\" = M"] {
            let new = other.replace('M', "[REDACTED:generic_secret:1]");
            assert_eq!(guarded(old, &new), Some((1, 2)), "{new}");
        }
        let two = "a = hunter22, b = hunter33\n";
        assert_eq!(guarded(two, "a = <REDACTED:x:1>, b = <REDACTED:x:2>\n"), Some((1, 1)));
    }

    #[test]
    fn a_mark_may_stand_where_no_value_is_lost() {
        let new = "password = \"<REDACTED:generic_secret:1>\"\n";
        for old in [
            "",
            "password = \"\"\n",
            "password = \"<REDACTED:generic_secret:7>\"\n",
            "password = \"changeme\"\n",
            "password = \"${DB_PASSWORD}\"\n",
            "user = \"hunter22\"\n",
            "password = None\n",
        ] {
            assert_eq!(guarded(old, new), None, "{old}");
        }
        let old = "password = \"hunter22\"\n";
        assert_eq!(guarded(old, &format!("{old}# e.g. {new}")), None, "the value stays");
        assert_eq!(guarded(new, &format!("x\n{new}")), None, "the mark was there before");
        assert_eq!(guarded(old, "REDACTED\n"), None);
    }

    #[test]
    fn a_mark_may_take_the_place_of_a_look_up() {
        for look_up in [
            "os.environ[\"TOKEN\"]",
            "process.env.TOKEN",
            "env!(\"TOKEN\")",
            "os.Getenv(\"TOKEN\")",
            "ENV.fetch(\"TOKEN\")",
            "System.getenv(\"TOKEN\")",
            "Environment.GetEnvironmentVariable(\"TOKEN\")",
            "getenv('TOKEN')",
            "\"${TOKEN}\"",
            "\"${{ secrets.TOKEN }}\"",
        ] {
            let new = "token = \"<REDACTED:github_pat:1>\"\n";
            // The mark has quotes around it, which the look-up has not.
            assert_eq!(guarded(&format!("token = {look_up}\n"), new), None, "{look_up}");
            let bare = "token = <REDACTED:github_pat:1>\n";
            assert_eq!(guarded(&format!("token = {look_up}\n"), bare), None, "{look_up}");
        }
    }

    #[test]
    fn a_mark_alone_on_its_line_is_known_by_its_neighbours() {
        let old = "keys:\n\n  - |\n    aGVsbG8gd29ybGQ\n  - end\n";
        assert_eq!(guarded(old, "x\nkeys:\n  - |\n    <REDACTED:x:1>\n  - end\n"), Some((4, 4)));
        assert_eq!(guarded(old, "x\n  <REDACTED:x:1>\n  - end\n"), None);
    }

    /// Before, the value was lost: its name was looked for, and no pattern finds it.
    #[test]
    fn a_mark_behind_another_name_is_known_by_its_neighbours() {
        let line = "password = \"correct horse 9\"\n";
        let mark = "pw = \"<REDACTED:password:1>\"\n";
        for (before, after) in [("", "x = 1\n"), ("x = 1\n", ""), ("a\n\n", "b\n")] {
            let (old, new) = (format!("{before}{line}{after}"), format!("{before}{mark}{after}"));
            let at = before.lines().count() + 1;
            assert_eq!(guarded(&old, &new), Some((at, at)), "{old}");
            let other = new.replace("pw = ", "pw: ").replace("password:1", "api_key:4");
            assert_eq!(guarded(&old, &other), Some((at, at)), "{other}");
            for open in [
                old.replace("correct horse 9", "${PASSWORD}"),
                old.replace(" = \"correct horse 9\"", ""),
                old.replace("password = \"correct horse 9\"", "note: see the other file"),
                old.replace("x = 1", "x = 2").replace("a\n", "c\n"),
            ] {
                assert_eq!(guarded(&open, &new), None, "{open}");
            }
            assert_eq!(guarded(&old, &format!("{new}{line}")), None, "the value moved");
            assert_eq!(guarded(&old, &new.replace("pw = ", "see ")), None, "no value is assigned");
        }
        let between = |line: &str| format!("a: 1\n{line}\nb: 2\n");
        for lost in [
            "PASSWORD=hunter22",
            "  \"api_token\": \"x7-abc\",",
            "- secret: hunter22",
            "const secretKey = 'my key 7';",
            "export DB_PASSWORD=hunter22",
        ] {
            assert_eq!(guarded(&between(lost), &between(mark.trim())), Some((2, 2)), "{lost}");
        }
        // Before, a write over most of these was refused.
        for open in [
            "# TODO: the queue needs its settings",
            "# password: hunter22",
            "// the password = hunter22",
            "host = \"queue.internal:5432\"",
            "user = \"queue7\"",
            "x = load_queue(path=\"/etc/x2\")",
            "password = load_queue(\"x2\")",
            "password = getpass.getpass(\"Password 2: \")",
            "password = passwords[12]",
            "HOST_URL=https://x2.internal/x",
            "SECRET=https://x2.internal/x",
            "image: \"x:7.2-alpine\"",
            "passwordRef: vault/x2/db",
            "password_file: secrets/x2.txt",
            "secret: /run/secrets/x2",
            "password: string;",
            "max_tokens: 4096",
            "cache_key = \"users:1\"",
            "monkey = \"users 12\"",
            "token: None",
            "- Note: ask x2 for access",
            "Status: the x2 is down",
            "if a == \"long value 2\":",
            "time=12:00 user=bob did something",
        ] {
            assert_eq!(guarded(&between(open), &between(mark.trim())), None, "{open}");
        }
    }

    #[test]
    fn a_secret_that_goes_when_a_mark_of_its_family_comes_is_the_marks() {
        let token = ["gh", "p_", &"k3Jd9f".repeat(6)].concat();
        let old = format!("const TOKEN = `{token}`;\n");
        assert_eq!(guarded(&old, "let auth = '<REDACTED:github_pat:1>';\n"), Some((1, 1)));
        assert_eq!(guarded(&old, "auth=[REDACTED:github_pat:1]\n"), Some((1, 1)));
        assert_eq!(guarded(&old, "a=[REDACTED:jwt:1] b=[REDACTED:github_pat:1]\n"), Some((1, 1)));
        assert_eq!(guarded(&old, "auth=[REDACTED]\n"), Some((1, 1)));
        assert_eq!(guarded(&old, "let auth = '<REDACTED:jwt:1>';\n"), None);
        let both = format!("{old}let auth = '<REDACTED:github_pat:1>';\n");
        assert_eq!(guarded(&old, &both), None);
    }

    #[test]
    fn many_lines_are_compared_in_bounded_time() {
        let line = |n: usize, value: &str| format!("key = {value} {n}\n");
        let old: String = (0..20_000).map(|n| line(n, "true")).collect();
        let new: String = (20_000..40_000).map(|n| line(n, "<REDACTED:x:1>")).collect();
        // It is not known to be safe, so it is not let pass.
        assert!(guarded(&old, &new).is_some());
    }
}
