//! How far the block of a private key goes behind its `BEGIN` line.
//!
//! A block ends with the `END` line of its own label. Between the two stand headers, base64 and what ends
//! lines, in any notation: `\n` inside of a literal, literals that are added up line by line, the sign of a
//! comment. A block that was cut has no `END` line: then the lines of base64 behind the `BEGIN` line are
//! the key.

use std::ops::Range;

use memchr::memmem;

use super::window_after;

/// The headers of a block.
const HEADERS: [&str; 7] =
    ["Proc-Type", "DEK-Info", "Version", "Comment", "Hash", "Charset", "MessageID"];

/// How a line ends where it is written in one line, and blanks.
const BREAKS: [&str; 15] = [
    "\\r", "\\n", "%0A", "%0a", "%0D", "%0d", "&#10;", "&#13;", "&#xA;", "&#xa;", "&#xD;", "\n",
    "\r", " ", "\t",
];

/// Between two literals of a block stands no more.
const JOINT_MAX: usize = 48;

/// No key is longer.
const KEY_MAX: usize = 64 << 10;

/// A longer row of base64 with a digit is key material.
const MATERIAL_MIN: usize = 24;

/// The stretches of the block that begins with a head: one, or one for each literal or line of a comment
/// that it is written in. There are none where a key goes on in a form that is not known.
pub(super) fn pieces(text: &str, head: Range<usize>) -> Option<Vec<Range<usize>>> {
    let begun = text.get(head.clone()).unwrap_or_default();
    let label = begun.strip_prefix("-----BEGIN ").and_then(|label| label.strip_suffix("-----"));
    let end = format!("-----END {}-----", label.unwrap_or_default());
    let line = text.get(..head.start).unwrap_or_default();
    let sign = line.rsplit('\n').next().unwrap_or_default();
    let sign = sign.trim_start_matches(is_quote).trim();
    let is_sign = sign.len() <= 4 && !sign.contains(|c: char| c.is_alphanumeric() || is_quote(c));
    let sign = if is_sign { sign } else { "" };
    let mut walk = Walk { text, at: head.end, sign, lines: 0, words: 0, item: 0 };
    let mut rows: Vec<Row> = Vec::new();
    loop {
        walk.skip();
        if walk.rest().starts_with(&end) {
            // Two labels in one sentence have nothing but words between them.
            let is_word =
                |row: &Row| is_wordlike(text.as_bytes().get(row.1.clone()).unwrap_or_default());
            if !rows.is_empty() && rows.iter().all(is_word) {
                break;
            }
            rows.push((walk.place(), walk.at..walk.at + end.len()));
            return Some(walk.joined(head, rows));
        }
        let Some(row) = walk.row() else { break };
        rows.push((walk.place(), row));
    }
    // As far as the lines of base64 behind the head go, they are the key.
    let mut lines = Lines::default();
    let mut known = 0;
    for line in rows.chunk_by(|one, other| one.0 == other.0) {
        // What goes on in another literal may be another text.
        let mut some = (1..=line.len()).rev().filter_map(|len| line.get(..len));
        let taken = some.find(|some| lines.takes(text, some)).map_or(0, <[_]>::len);
        known += taken;
        if taken != line.len() {
            break;
        }
    }
    rows.truncate(known);
    let done = rows.last().map_or(head.end, |(_, last)| last.end);
    let rest = window_after(text, done, KEY_MAX);
    // The key goes on if there is material before the end of it, and no other block begins there, or if lines of
    // it begin soon: in another variable, or in the next item of a list.
    let own = memmem::find(rest.as_bytes(), end.as_bytes()).and_then(|end| rest.get(..end));
    let goes_on = own.is_some_and(|own| !own.contains("-----BEGIN ") && has_material(own))
        || known > 0 && goes_on_soon(rest);
    (!goes_on).then(|| walk.joined(head, rows))
}

const fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Tells whether a text has a row of base64 that is no word.
fn has_material(text: &str) -> bool {
    text.as_bytes().split(|byte| !is_base64(*byte)).any(is_material)
}

/// Tells whether two consecutive lines of key material begin soon.
fn goes_on_soon(rest: &str) -> bool {
    const SOON: usize = 8;
    const WINDOW: usize = 512;
    let near = rest.as_bytes().get(..WINDOW).unwrap_or(rest.as_bytes());
    let near = near.get(..memmem::find(near, b"-----").unwrap_or(near.len())).unwrap_or_default();
    let words = near.split(|byte| !is_base64(*byte)).filter(|word| !word.is_empty());
    let mut rows = words.take(SOON).skip_while(|word| !is_material(word));
    rows.nth(1).is_some_and(is_material)
}

fn is_material(row: &[u8]) -> bool {
    row.len() >= MATERIAL_MIN && row.iter().any(u8::is_ascii_digit)
}

/// A place behind the head of a block.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    /// What stands before the block on its line, and may stand before each line of it.
    sign: &'a str,
    /// How many lines have ended.
    lines: usize,
    /// How many of them, of blanks and of items there were.
    words: usize,
    /// How many there were before the last item of a list.
    item: usize,
}

/// A row of base64, and how many lines and words have ended before it; an item of a list has no lines. A literal
/// may end within a row, and the next one goes on: then both have one number.
type Row = ((usize, usize), Range<usize>);

impl<'a> Walk<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    const fn place(&self) -> (usize, usize) {
        (if self.item == self.words { 0 } else { self.lines }, self.words)
    }

    /// Puts a head and rows together that have nothing but ends of lines and headers between them.
    fn joined(&self, head: Range<usize>, rows: Vec<Row>) -> Vec<Range<usize>> {
        let mut joined = vec![head];
        for (_, row) in rows {
            let gap = joined.last().and_then(|last| self.text.get(last.end..row.start));
            let is_one = gap.is_some_and(|gap| !gap.contains(is_quote) && self.sign.is_empty());
            match joined.last_mut().filter(|_| is_one) {
                Some(last) => last.end = row.end,
                None => joined.push(row),
            }
        }
        joined
    }

    /// Goes over what ends lines, over joints of literals and over headers.
    fn skip(&mut self) {
        loop {
            let before = self.at;
            self.breaks();
            self.joint();
            self.header();
            if self.at == before {
                return;
            }
        }
    }

    fn breaks(&mut self) {
        loop {
            let rest = self.rest();
            let slashes = rest.bytes().take_while(|byte| *byte == b'\\').count();
            // `\n` is written with two backslashes and more in literals of literals.
            let escape = rest.get(slashes.saturating_sub(1)..).unwrap_or_default();
            let Some(found) = BREAKS.iter().find(|found| escape.starts_with(**found)) else {
                // A backslash before a line feed continues the line.
                let after = rest.get(slashes..).unwrap_or_default();
                let line = after.strip_prefix('\r').unwrap_or(after);
                let Some(line) = line.strip_prefix('\n').filter(|_| slashes == 1) else { return };
                self.at = self.text.len() - line.trim_start_matches([' ', '\t']).len();
                continue;
            };
            let is_white = found.len() == 1;
            if is_white && slashes > 0 {
                return;
            }
            self.at += slashes.saturating_sub(1) + found.len();
            self.lines += usize::from(!matches!(*found, " " | "\t"));
            self.words += 1;
            if *found == "\n" {
                self.sign();
            }
        }
    }

    /// The sign of a comment before a line.
    fn sign(&mut self) {
        let rest = self.rest();
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let line = rest.get(blank..).unwrap_or_default();
        if !self.sign.is_empty() && line.starts_with(self.sign) && !line.starts_with("-----END") {
            self.at += blank + self.sign.len();
        }
    }

    /// What stands between two literals that are one, or that are items of a list.
    fn joint(&mut self) {
        let rest = self.rest();
        if !rest.starts_with(is_quote) {
            return;
        }
        let between = rest.get(1..).unwrap_or_default();
        let Some(len) = between.find(is_quote).filter(|len| *len <= JOINT_MAX) else { return };
        let joins = |c: char| c.is_ascii_whitespace() || "+.,\\&()~".contains(c);
        let between = between.get(..len).unwrap_or_default();
        if between.chars().all(joins) {
            self.at += 1 + len + 1;
            self.words += usize::from(between.contains(','));
            self.item = if between.contains(',') { self.words } else { self.item };
        }
    }

    fn header(&mut self) {
        let rest = self.rest();
        let name = HEADERS.iter().find(|name| rest.starts_with(**name));
        let Some(name) =
            name.filter(|name| rest.get(name.len()..).is_some_and(|r| r.starts_with(':')))
        else {
            return;
        };
        let value = rest.get(name.len()..).unwrap_or_default();
        let ends = |c: char| matches!(c, '\n' | '\r' | '\\') || is_quote(c);
        self.at += name.len() + value.find(ends).unwrap_or(value.len());
    }

    /// The row of base64 that stands here.
    fn row(&mut self) -> Option<Range<usize>> {
        let len = self.rest().bytes().take_while(|byte| is_base64(*byte)).count();
        let row = self.at..self.at + len;
        self.at = row.end;
        (len > 0).then_some(row)
    }
}

/// The lines of a block without an end, as far as they were read.
#[derive(Default)]
struct Lines {
    /// How long the last one was.
    width: Option<usize>,
    /// Whether one was shorter than the first, or is not filled by its rows: it is the last.
    ended: bool,
}

impl Lines {
    /// Tells whether the next line of base64 belongs to the key.
    fn takes(&mut self, text: &str, line: &[Row]) -> bool {
        let Some((((lines, _), _), (_, last))) = line.first().zip(line.last()) else {
            return false;
        };
        let rows = line.iter().filter_map(|(_, row)| text.as_bytes().get(row.clone()));
        let bytes = rows.collect::<Vec<_>>().concat();
        let rest = text.get(last.end..).unwrap_or_default();
        // What fills its line may be the rest of a key; on a line with other text, only what is no word.
        let ends = rest.is_empty()
            || rest.starts_with(|c| is_quote(c) || matches!(c, '\\' | '<'))
            || BREAKS.iter().any(|end| !matches!(*end, " " | "\t") && rest.starts_with(end));
        let begins = *lines > 0;
        let row = text.as_bytes().get(last.clone()).unwrap_or_default();
        let is_line = (ends || is_material(row) || is_mixed(row))
            && (is_material(&bytes) || is_mixed(&bytes) || begins && !is_wordlike(&bytes));
        let fits = self.width.is_none_or(|width| bytes.len() <= width);
        if self.ended || !is_line || !fits {
            return false;
        }
        self.ended = self.width.is_some_and(|width| bytes.len() < width);
        self.width = Some(bytes.len());
        true
    }
}

/// Tells whether a row changes between small letters, capital ones and digits as often as random ones.
fn is_mixed(row: &[u8]) -> bool {
    const MIXED_MIN: usize = 12;
    const CHANGES_MIN: usize = 4;
    let class = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
    let changes = row.windows(2).filter(|two| matches!(two, [a, b] if class(*a) != class(*b)));
    row.len() >= MIXED_MIN && changes.count() >= CHANGES_MIN
}

/// Tells whether a row of base64 may as well be a word or a number of another text.
fn is_wordlike(row: &[u8]) -> bool {
    let padding = row.iter().rev().take_while(|byte| **byte == b'=').count();
    let plain = row.get(..row.len() - padding).unwrap_or_default();
    let rest = plain.get(1..).unwrap_or_default();
    let is_word = plain.iter().all(u8::is_ascii_alphabetic)
        && (rest.iter().all(u8::is_ascii_lowercase) || plain.iter().all(u8::is_ascii_uppercase));
    plain.contains(&b'=')
        || plain.iter().all(u8::is_ascii_digit)
        || padding == 0 && is_word && row.len() < MATERIAL_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(label: &str) -> String {
        ["-----BEGIN ", label, "-----"].concat()
    }

    fn end(label: &str) -> String {
        ["-----END ", label, "-----"].concat()
    }

    /// A line of base64 with so many characters.
    fn row(len: usize) -> String {
        "MIIEpAIBAAKCAQEA7bq0ZJ8f+/k3".chars().cycle().take(len).collect()
    }

    /// What is left of a text when the block in it is gone; nothing where its end is not known.
    fn left(text: &str) -> Option<String> {
        let at = text.find("-----BEGIN ").unwrap();
        let len = text[at + 5..].find("-----").unwrap() + 10;
        let mut left = text.to_owned();
        for piece in pieces(text, at..at + len)?.into_iter().rev() {
            left.replace_range(piece, "");
        }
        Some(left)
    }

    #[test]
    fn a_block_ends_with_the_end_of_its_own_label() {
        let label = ["RSA PRIV", "ATE KEY"].concat();
        let (begin, end, row, last) = (begin(&label), end(&label), row(64), row(20));
        for (text, expected) in [
            (format!("a\n{begin}\n{row}\n{last}==\n{end}\nb\n"), "a\n\nb\n"),
            (format!("{begin}\r\n{row}\r\n{end}\r\nb"), "\r\nb"),
            (format!("k = \"{begin}\\n{row}\\n{end}\\n\"\n"), "k = \"\\n\"\n"),
            (format!("k = '{{\"k\": \"{begin}\\\\n{row}\\\\n{end}\"}}'"), "k = '{\"k\": \"\"}'"),
            (
                format!("k = \"{begin}\\n\" +\n  \"{row}\\n\" +\n  \"{end}\"\n"),
                "k = \"\\n\" +\n  \"\\n\" +\n  \"\"\n",
            ),
            (format!("# {begin}\n# {row}\n# {end}\nb\n"), "# \n# \n# \nb\n"),
            (format!("{begin} {row} {last} {end} b"), " b"),
            (format!("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,00\n\n{row}\n{end}"), ""),
        ] {
            assert_eq!(left(&text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_block_without_an_end_is_its_lines_of_base64() {
        let label = ["PRIV", "ATE KEY"].concat();
        let (begin, row, last) = (begin(&label), row(64), row(22));
        for (text, expected) in [
            (format!("{begin}\n{row}\n{row}\n{last}\nx1 = 2\n"), "\nx1 = 2\n"),
            (format!("{begin}\n{row}\n{row}"), ""),
            (format!("k = \"{begin}\\n{row}\\n{last}"), "k = \""),
            (format!("k = \"{begin}\\n{row}\\n{last}\"\nend\n"), "k = \"\"\nend\n"),
            (format!("{begin}\n{row}\nend\n"), "\nend\n"),
            (format!("{begin}\nMIIabc\n"), "\n"),
            (
                format!("k = '{begin}\\n{row}\\nAB' + '{}\\n{row}\\n{last}'\n", self::row(62)),
                "k = '' + ''\n",
            ),
            (
                format!("k = ('{begin}'\n  '{row}'\n  '{row}'\n  '{last}')\n"),
                "k = (''\n  ''\n  ''\n  '')\n",
            ),
            (format!("{begin}\n{row}\n{last} and more\n"), " and more\n"),
            (format!("K=\"{begin}\n{row}\nAB\"'{}\n{last}'\n", self::row(62)), "K=\"\"''\n"),
            (format!("k: \"{begin}\n{row}\nAB\\\n  {}\n{last}\"\n", self::row(62)), "k: \"\"\n"),
            (format!("{begin}\n{row}\n{last}\\\ncall_2(x, y)\n"), "\\\ncall_2(x, y)\n"),
            (format!("<p>{begin}\n{row}\nMsGPZXsLuJwPMSng</p>\n"), "<p></p>\n"),
            (
                format!("the line {begin} of a file\nthat is cut\n"),
                "the line  of a file\nthat is cut\n",
            ),
        ] {
            assert_eq!(left(&text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_mention_takes_no_other_block_with_it() {
        let (key, certificate) = (["RSA PRIV", "ATE KEY"].concat(), "CERTIFICATE");
        let other = format!("{}\n{}\n{}\n", begin(certificate), row(64), end(certificate));
        let text = format!("Look for {}: it is a key.\n{other}", begin(&key));
        assert_eq!(left(&text), Some(format!("Look for : it is a key.\n{other}")));
        let text = format!("from {} to {}\n", begin(&key), end(&key));
        assert_eq!(left(&text), Some(format!("from  to {}\n", end(&key))));
    }

    #[test]
    fn a_block_that_cannot_be_read_is_none() {
        let key = ["PRIV", "ATE KEY"].concat();
        let text = format!("{}\n| {} |\n{}\n", begin(&key), row(64), end(&key));
        assert_eq!(left(&text), None);
        for goes_on in ["'\nB='", "\n- "] {
            let text =
                format!("A='{}\n{}{goes_on}{}\n{}'\n", begin(&key), row(64), row(64), row(30));
            assert_eq!(left(&text), None, "{text}");
        }
    }

    #[test]
    fn what_stands_behind_a_block_in_a_list_or_a_table_stays() {
        let label = ["PRIV", "ATE KEY"].concat();
        let (begin, row, last) = (begin(&label), row(64), row(22));
        for after in ["\", \"port\": 1}", "\", 'x']", "\", \"a1\"]"] {
            let text = format!("[\"{begin}\\n{row}\\n{last}{after}\n");
            assert_eq!(left(&text), Some(format!("[\"{after}\n")));
        }
    }
}
