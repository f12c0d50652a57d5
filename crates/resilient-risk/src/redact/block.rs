//! How far the block of a private key goes, from the line that was found on: that of its `BEGIN`, its first line of
//! base64, the line of a file of PuTTY that counts the lines, or the line of its `END`, where the others are gone.
//!
//! A block ends with the `END` line of its own label. Between the two stand headers, base64 and what ends
//! lines, in any notation: `\n` inside of a literal, literals that are added up line by line, the sign of a
//! comment. A block that was cut has no `END` line: then the lines of base64 behind the line that was found are
//! the key.

mod above;

use std::ops::Range;

use memchr::memmem;

use super::form::Form;
use super::window_after;
use crate::material::{self, is_base64, is_key, is_material, is_wordlike};

/// What a block is made of, each in a group of its own: what ends a line in any notation, a blank, a backslash that
/// continues a line, a joint of literals that are one or that are items of a list, a header, and a row of base64.
macro_rules! token {
    () => {
        concat!(
            r"(\\+[rn]|%0[AaDd]|&#1[03];|&#x[AaDd];|[\r\n])|([ \t])|(\\\r?\n[ \t]*)",
            r#"|(["'`][\s+.,\\&()~]{0,48}["'`])"#,
            r#"|((?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset|MessageID):(?: "[^\n\r\\"]*"|[^\n\r\\"'`]*))"#,
            r"|([A-Za-z0-9+/=]+)",
        )
    };
}
use token;

static TOKEN: Form = Form::of(concat!("^(?:", token!(), ")"));

/// What ends a line of a block, or the text or literal that it stands in.
static LINE_END: Form = Form::of(r#"^(?:\z|["'`\\<\r\n]|%0[AaDd]|&#1[03];|&#x[AaDd];)"#);

/// How a block of any private key ends.
static ANY_END: Form = Form::of(r"^-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----");

/// How the body of a key begins: a sequence of DER, or OpenSSH's own form.
const BODIES: [&str; 2] = ["M", "b3BlbnNz"];

/// No key is longer.
pub(super) const KEY_MAX: usize = 64 << 10;

/// A line of a key that ends within a literal, before other ones, is hardly written in more of them.
const LITERALS_MAX: usize = 32;

/// So many lines behind the first one are looked at for rows.
const LINES_BELOW: usize = 5;

/// What ends a block.
enum End {
    /// This text.
    Text(String),
    /// The end of any private key.
    Any,
    /// Nothing but that its lines end.
    None,
}

impl End {
    /// What ends the block that a head begins.
    fn of(head: &str) -> Self {
        let label = |before: &str, after: &str| {
            Some(head.strip_prefix(before)?.strip_suffix(after)?.to_owned())
        };
        if let Some(label) = label("-----BEGIN ", "-----") {
            return Self::Text(format!("-----END {label}-----"));
        }
        if let Some(label) = label("---- BEGIN ", " ----") {
            return Self::Text(format!("---- END {label} ----"));
        }
        let begins = BODIES.iter().any(|begin| head.starts_with(begin));
        if begins && head.bytes().all(is_base64) { Self::Any } else { Self::None }
    }

    /// How long the end is that a text begins with.
    fn len(&self, text: &str) -> Option<usize> {
        match self {
            Self::Text(end) => text.starts_with(end).then_some(end.len()),
            Self::Any if text.starts_with("-----") => Some(ANY_END.find(text)?.len()),
            _ => None,
        }
    }

    /// The text before the end, if there is one.
    fn before<'a>(&self, text: &'a str) -> Option<&'a str> {
        let Self::Text(end) = self else { return None };
        memmem::find(text.as_bytes(), end.as_bytes()).and_then(|end| text.get(..end))
    }
}

/// The stretches of the block that a head belongs to: one, or one for each literal or line of a comment
/// that it is written in. There are none where a key goes on in a form that is not known.
pub(super) fn pieces(text: &str, head: Range<usize>) -> Option<Vec<Range<usize>>> {
    let begun = text.get(head.clone()).unwrap_or_default();
    let sign = sign_before(text, head.start);
    if begun.starts_with("-----END ") || begun.starts_with("---- END ") {
        return above::pieces(text, head, sign);
    }
    let end = End::of(begun);
    let (mut rows, last) = rows(text, head.end, sign, &end);
    if let Some(last) = last {
        // Two labels in one sentence have nothing but words between them.
        let is_word =
            |row: &Row| is_wordlike(text.as_bytes().get(row.1.clone()).unwrap_or_default());
        if rows.is_empty() || !rows.iter().all(is_word) {
            rows.push(last);
            return Some(joined(text, sign, head, rows));
        }
    }
    // As far as the lines of base64 behind the head go, they are the key.
    let is_body = matches!(end, End::Any);
    let mut key = Lines { width: is_body.then(|| head.len()), ended: false };
    let mut known = 0;
    for line in rows.chunk_by(|one, other| one.0 == other.0) {
        // What goes on in another literal may be another text: then the rows of one length are the key, or a few more.
        let width = |nth: usize| line.get(nth).map(|(_, row)| row.len());
        let equal = (1..line.len()).take_while(|nth| width(*nth) == width(0)).count() + 1;
        let some = [line.len(), equal + 1, equal].into_iter();
        let mut some = some.chain((1..=line.len().min(LITERALS_MAX)).rev());
        let taken =
            some.find(|len| line.get(..*len).is_some_and(|some| key.takes_down(text, some)));
        let taken = taken.unwrap_or_default();
        known += taken;
        if taken != line.len() {
            break;
        }
    }
    rows.truncate(known);
    let done = rows.last().map_or(head.end, |(_, last)| last.end);
    let rest = window_after(text, done, KEY_MAX);
    // The key goes on if there is material before the end of it, and no other block begins there, or if lines of
    // it begin soon: in another variable, or in the next item of a list. Behind the last line of a body is another one.
    let has_material = |own: &str| material::rows(own.as_bytes()).any(is_material);
    let own = end.before(rest);
    let goes_on = own.is_some_and(|own| !own.contains("-----BEGIN ") && has_material(own))
        || known > 0 && !(is_body && key.ended) && goes_on_soon(rest)
        || known == 0 && if is_body { has_next(begun, rest) } else { is_below(begun, rest) };
    if goes_on { up_to_end(text, &head, sign) } else { Some(joined(text, sign, head, rows)) }
}

/// The sign of the comment that a position is in.
fn sign_before(text: &str, at: usize) -> &str {
    let line = text.get(..at).unwrap_or_default();
    let sign = line.rsplit('\n').next().unwrap_or_default();
    let sign = sign.trim_start_matches(is_quote).trim();
    let is_sign = sign.len() <= 4 && !sign.contains(|c: char| c.is_alphanumeric() || is_quote(c));
    if is_sign { sign } else { "" }
}

/// The rows of base64 from a position on, and the end of the block if it is there.
fn rows(text: &str, from: usize, sign: &str, end: &End) -> (Vec<Row>, Option<Row>) {
    let (mut rows, mut at): (Vec<Row>, _) = (Vec::new(), from);
    // How many lines have ended, how many lines, blanks and items, and how many of these before the last item.
    let (mut lines, mut words, mut item) = (0, 0, 0);
    while let Some(rest) = text.get(at..).filter(|_| at <= from + KEY_MAX) {
        if let Some(len) = end.len(rest) {
            return (rows, Some(((lines, words), at..at + len)));
        }
        let Some(found) = TOKEN.captures(rest) else { break };
        let token = found.get_match().as_str();
        match (1..found.len()).find(|nth| found.get(*nth).is_some()) {
            Some(1) => (lines, words) = (lines + 1, words + 1),
            Some(2) => words += 1,
            Some(4) if token.contains(',') => (words, item) = (words + 1, words + 1),
            Some(6) => {
                // The rows of an item have no lines.
                let line = if item == words { 0 } else { lines };
                rows.push(((line, words), at..at + token.len()));
            }
            _ => {}
        }
        crate::work::spend(token.len());
        at += token.len();
        if token == "\n" {
            at += sign_len(rest.get(1..).unwrap_or_default(), sign);
        }
    }
    (rows, None)
}

const fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// Tells whether key material begins soon: two consecutive rows of it, or two drawn ones on lines that hold nothing else, as
/// where an editor has broken each line.
fn goes_on_soon(rest: &str) -> bool {
    const SOON: usize = 8;
    const WINDOW: usize = 512;
    let near = rest.as_bytes().get(..WINDOW).unwrap_or(rest.as_bytes());
    let near = near.get(..memmem::find(near, b"-----").unwrap_or(near.len())).unwrap_or_default();
    let rows: Vec<_> = material::rows(near).filter(|row| !row.is_empty()).take(SOON).collect();
    let mut material = rows.iter().skip_while(|row| !is_material(row));
    let lines = near.split(|byte| *byte == b'\n').take(SOON).map(<[u8]>::trim_ascii);
    let alone = lines.take_while(|line| material::is_plain(line));
    let mut drawn = alone.filter(|row| material::is_drawn(row));
    material.nth(1).is_some_and(|row| is_material(row)) || drawn.nth(1).is_some()
}

/// Tells whether one of the next lines has a row of a key, beside other text: `13: MIIE…`. Where the first row is gone,
/// [`has_body`] asks the others. Below headers, and in PGP's and SSH2's form, the first row may begin with anything: there,
/// two consecutive lines have rows of one length.
fn is_below(begun: &str, rest: &str) -> bool {
    let below = || below(rest);
    let rows: Vec<Vec<&[u8]>> = below().map(drawn).collect();
    if rows.iter().flatten().any(|row| material::is_begin_near(row)) || has_body(below()) {
        return true;
    }
    let has_headers = || rest.lines().take(LINES_BELOW).any(|line| line.contains("DEK-Info:"));
    let is_other = begun.contains("PGP") || begun.contains("SSH2") || has_headers();
    let width = |line: &[&[u8]]| line.iter().map(|row| row.len()).max();
    let is_equal =
        |two: &[Vec<&[u8]>]| matches!(two, [a, b] if !a.is_empty() && width(a) == width(b));
    is_other && rows.windows(2).any(is_equal)
}

/// The lines behind the first one of a block, up to what begins or ends one. Headers and lines without a letter are none.
fn below(rest: &str) -> impl Iterator<Item = &str> {
    // In one line with the rows they are none.
    let is_header = |line: &&str| {
        line.len() < 128 && ["Proc-Type:", "DEK-Info:"].iter().any(|it| line.contains(it))
    };
    let lines = lines_inside(rest, 2 * LINES_BELOW);
    let is_text = |line: &&str| line.contains(|sign: char| sign.is_ascii_alphabetic());
    lines.filter(move |line| !is_header(line)).filter(is_text).take(LINES_BELOW)
}

/// So many of the next lines, up to what begins or ends a block.
fn lines_inside(rest: &str, count: usize) -> impl Iterator<Item = &str> {
    rest.lines().take(count).take_while(|line| !line.contains("-----"))
}

/// A row of base64 beside other text.
struct Beside {
    /// What stands before it, without numbers.
    before: String,
    len: usize,
    /// How much of it is the last part of what ends a line.
    notation: usize,
    /// It is drawn, or begins a key.
    is_body: bool,
    /// A name and a sign stand before it: it may be a value.
    is_named: bool,
    /// It has padding: no row of a key follows.
    is_last: bool,
}

/// Tells whether lines have rows of a key: two of a length that rows of keys have, behind the same text except for numbers, or
/// three consecutive ones of one length. Digests and arguments are none, nor are values of names: `sha384-…`, `f("…`, `id: …`.
fn has_body<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    const ROWS_MAX: usize = 16;
    const WIDTHS: [usize; 3] = [64, 70, 76];
    let mut rows: Vec<Beside> = Vec::new();
    for line in lines {
        let (mut seen, mut from) = (0, 0);
        for row in material::rows(line.as_bytes()) {
            let at = from;
            from += row.len() + 1;
            let before = line.get(seen..at).unwrap_or_default();
            // A public key of SSH is none.
            if !is_key(row) || row.starts_with(b"AAAA") || rows.len() >= ROWS_MAX {
                continue;
            }
            seen = at + row.len();
            let name = before.trim_end_matches([' ', '"', '\'']);
            let ends = |signs: &[char]| name.strip_suffix(signs).is_some_and(is_name);
            if !ends(&['-']) {
                rows.push(Beside {
                    before: before.chars().filter(|sign| !sign.is_ascii_digit()).collect(),
                    len: row.len(),
                    notation: notation_len(row),
                    is_body: material::is_body(row),
                    is_named: ends(&[':', '=', '(']),
                    is_last: row.ends_with(b"="),
                });
            }
        }
    }
    let lens = |row: &Beside| [row.len, row.len - row.notation];
    let is_two = |two: &[Beside]| {
        let [one, other] = two else { return false };
        let is_first = one.is_body && lens(one).iter().any(|len| WIDTHS.contains(len));
        is_first
            && !one.is_named
            && !one.is_last
            && one.before == other.before
            && other.len <= one.len
    };
    let is_three = |three: &[Beside]| {
        let [one, two, _] = three else { return false };
        let is_row = |row: &Beside| row.is_body && row.len == one.len && !row.is_named;
        let is_last = one.is_last || two.is_last;
        !is_last && three.iter().all(is_row) && lens(one).iter().any(|len| len % 4 == 0)
    };
    rows.windows(2).any(is_two) || rows.windows(3).any(is_three)
}

/// Tells whether a text ends as a name does: with a letter, perhaps with digits behind it, or with a quote.
fn is_name(text: &str) -> bool {
    let name = text.trim_end().trim_end_matches(|sign: char| sign.is_ascii_digit());
    name.ends_with(|sign: char| sign.is_alphabetic() || is_quote(sign))
}

/// How much of a row is the last part of what ends a line in some notation, `\n`, `%0A`, `\u000a`, `#012`, `^J`, or the
/// sign of a change.
fn notation_len(row: &[u8]) -> usize {
    const NOTATIONS: [&[u8]; 13] = [
        b"u0000000a",
        b"u000a",
        b"x0a",
        b"x0d",
        b"250a",
        b"0a",
        b"0d",
        b"012",
        b"015",
        b"12",
        b"j",
        b"n",
        b"+",
    ];
    let begins =
        |it: &&[u8]| row.get(..it.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(it));
    NOTATIONS.iter().copied().find(begins).map_or(0, <[u8]>::len)
}

/// Tells whether the next line has a row as long as the first one of a key, beside other text. What ends a line in some
/// notation may count as a part of it: `%0A`, `\u000a`.
fn has_next(begun: &str, rest: &str) -> bool {
    const LINES: usize = 2;
    let fits = |row: &[u8]| {
        let is_one = row.len() == begun.len() || row.len() == begun.len() + notation_len(row);
        is_one && !material::is_begin(row)
    };
    let mut lines = lines_inside(rest, LINES);
    !material::is_whole(begun.as_bytes()) && lines.any(|line| drawn(line).into_iter().any(fits))
}

/// The drawn rows of a line, without the names before them.
fn drawn(line: &str) -> Vec<&[u8]> {
    let rows = material::rows(line.as_bytes());
    let values = rows.flat_map(|row| row.split(|byte| *byte == b'='));
    values.filter(|row| material::is_body(row)).collect()
}

/// The block of a key with a number or a time before each line, if its `END` line shows where it ends.
fn up_to_end(text: &str, head: &Range<usize>, sign: &str) -> Option<Vec<Range<usize>>> {
    let rest = window_after(text, head.end, KEY_MAX);
    let at = memmem::find(rest.as_bytes(), b"-----END ")?;
    let len = ANY_END.find(rest.get(at..)?)?.len();
    let end = head.end + at..head.end + at + len;
    let mut pieces = above::pieces(text, end, sign)?;
    let has_head = |piece: &Range<usize>| piece.start <= head.start && head.end <= piece.end;
    if let Some(nth) = pieces.iter().position(has_head) {
        // The head begins the key, whatever stands above.
        pieces.drain(..nth);
        pieces.first_mut()?.start = head.start;
        return Some(pieces);
    }
    let first = pieces.first()?.clone();
    // Nothing but the end of the line and what each line begins with stands between.
    let between = text.get(head.end..first.start)?;
    let is_next =
        between.matches('\n').count() == 1 && between.lines().all(|line| drawn(line).is_empty());
    is_next.then(|| {
        pieces.insert(0, head.clone());
        pieces
    })
}

/// A row of base64, and how many lines and words have ended before it; an item of a list has no lines. A literal
/// may end within a row, and the next one goes on: then both have one number.
type Row = ((usize, usize), Range<usize>);

/// How much of a line is the sign of a comment, as it stands before the block.
fn sign_len(line: &str, sign: &str) -> usize {
    let text = line.trim_start_matches([' ', '\t']);
    let has_sign = !sign.is_empty() && text.starts_with(sign) && !text.starts_with("-----END");
    if has_sign { line.len() - text.len() + sign.len() } else { 0 }
}

/// Puts a head and rows together that have nothing but ends of lines and headers between them.
fn joined(text: &str, sign: &str, head: Range<usize>, rows: Vec<Row>) -> Vec<Range<usize>> {
    let mut joined = vec![head];
    for (_, row) in rows {
        let gap = joined.last().and_then(|last| text.get(last.end..row.start));
        let is_one = gap.is_some_and(|gap| !gap.contains(is_quote) && sign.is_empty());
        match joined.last_mut().filter(|_| is_one) {
            Some(last) => last.end = row.end,
            None => joined.push(row),
        }
    }
    joined
}

/// The lines of a key without one of its ends, as far as they were read, down or up.
#[derive(Default)]
struct Lines {
    /// How long the last one was.
    width: Option<usize>,
    /// Whether it was shorter than the one before: it is the last.
    ended: bool,
}

impl Lines {
    /// Tells whether a line of this length is the next one.
    fn takes(&mut self, len: usize) -> bool {
        if self.ended || self.width.is_some_and(|width| len > width) {
            return false;
        }
        self.ended = self.width.is_some_and(|width| len < width);
        self.width = Some(len);
        true
    }

    /// Tells whether the next line down belongs to the key.
    fn takes_down(&mut self, text: &str, line: &[Row]) -> bool {
        let Some((((lines, _), _), (_, last))) = line.first().zip(line.last()) else {
            return false;
        };
        let bytes = bytes(text, line);
        // What fills its line may be the rest of a key; on a line with other text, only what is no word.
        let ends = LINE_END.is_in(text.get(last.end..).unwrap_or_default());
        let row = text.as_bytes().get(last.clone()).unwrap_or_default();
        let begins = *lines > 0;
        (ends || is_key(row))
            && (is_key(&bytes) || begins && !is_wordlike(&bytes))
            && self.takes(bytes.len())
    }
}

/// The rows of a line, put together.
fn bytes(text: &str, line: &[Row]) -> Vec<u8> {
    let rows = line.iter().filter_map(|(_, row)| text.as_bytes().get(row.clone()));
    rows.collect::<Vec<_>>().concat()
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
            // Before, a last line with few changes was a word of the text behind it.
            (format!("f'{begin}\\n{row}\\nabcdefGHIJKLMnopq {{b}}'\n"), "f' {b}'\n"),
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
        for below in [
            "class TestPrivateKeyDetectionWithPkcs1AndOpenSsh2Headers:",
            "See https://github.com/Example/Repo/blob/Main/Docs/Keys2/Readme.md",
            "\"integrity\": \"sha512-xZ7EpAIBAAKCAQEA7bq0ZJ8f+/k3aIBAAKCAQEA7bq0ZJ8f+/k3==\"",
            "A = \"4f0c1b7d9e2a3658c0d1f2a3b4c5d6e7f8091a2b\"",
            "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ7bq0ZJ8fk3xZ7EpAIB bob",
        ] {
            let text = format!("HEADER = \"{}\"\n{below}\n{below}\n", begin(&key));
            assert_eq!(left(&text), Some(format!("HEADER = \"\"\n{below}\n{below}\n")));
        }
        let text = format!("from {} to {}\n", begin(&key), end(&key));
        assert_eq!(left(&text), Some(format!("from  to {}\n", end(&key))));
    }

    #[test]
    fn a_block_that_cannot_be_read_is_none() {
        let key = ["PRIV", "ATE KEY"].concat();
        let text = format!("{}\n| {} |\n{}\n", begin(&key), row(64), end(&key));
        assert_eq!(left(&text), None);
        // It was cut, and each line has other text.
        for (before, after) in [
            ("1|", ""),
            ("    12\t", ""),
            ("13: ", ""),
            ("12:00:01 INFO ", ""),
            ("web_1  | ", ""),
            ("", "<br>"),
            ("<td>", "</td>"),
            ("echo ", " >> k.pem"),
            ("\"", ""),
        ] {
            let lines = [begin(&key), row(64), row(64), row(30)];
            let text = lines.map(|line| format!("{before}{line}{after}\n")).concat();
            assert_eq!(left(&text), None, "{text}");
        }
        let text = [begin(&key), row(64), row(64)].join("\\u000a");
        assert_eq!(left(&text), None);
        // An editor has broken each line.
        let broken = format!("{}\n{}\n", row(60), "Ab3d");
        assert_eq!(left(&format!("{}\n{}", begin(&key), broken.repeat(4))), None);
        // Its first line was cut, too.
        for (before, after) in [
            ("1|", ""),
            ("    12\t", ""),
            ("[INFO] ", ""),
            ("<li>", "</li>"),
            ("| ", " |"),
            ("w.println(\"", "\");"),
            ("l.add(\"", "\")"),
        ] {
            let text = [row(64), row(64).replace("MII", "xZ7"), row(30)]
                .map(|line| format!("{before}{line}{after}\n"))
                .concat();
            let at = before.len();
            assert_eq!(pieces(&text, at..at + 64), None, "{text}");
        }
        for goes_on in ["'\nB='", "\n- "] {
            let text =
                format!("A='{}\n{}{goes_on}{}\n{}'\n", begin(&key), row(64), row(64), row(30));
            assert_eq!(left(&text), None, "{text}");
        }
    }

    /// Before, these were refused, a digest in the next line counted as a row, and so did the name before another key.
    #[test]
    fn a_whole_key_on_one_line_and_one_behind_numbers_and_times_are_read() {
        let plain =
            ["MC4CAQAwBQYDK2VwBCIE", "INTSf3Kq9xZrLp2Vt8WmB4Yc6Hg1Nn5AqT0zU7eD1oPk"].concat();
        for next in ["HEX=4f0c1b7d9e2a3658c0d1f2a3b4c5d6e74f0c1b7d9e2a3658c0d1f2a3b4c5d6e7", &plain]
        {
            let text = format!("KEY={plain}\nB_KEY={next}\n");
            let whole = 4..4 + plain.len();
            assert_eq!(pieces(&text, whole.clone()).as_deref(), Some(&[whole][..]), "{text}");
        }
        let label = ["RSA PRIV", "ATE KEY"].concat();
        let all = [begin(&label), row(64), row(64).replace("MII", "xZ7"), row(20), end(&label)];
        for before in [
            "1|",
            "2026-11-01T10:00:00Z ",
            "web_1  | ",
            "Nov  1 10:00:01 host app[12]: ",
            "key.pem:12:",
        ] {
            let text = |lines: &[String]| -> String {
                lines.iter().map(|line| format!("{before}{line}\n")).collect()
            };
            let expected: String = format!("{before}\n").repeat(5);
            assert_eq!(left(&text(&all)), Some(expected));
            // Without its first line it begins with a row.
            let cut = text(&all[1..]);
            let mut rest = cut.clone();
            let found = pieces(&cut, before.len()..before.len() + 64).unwrap();
            found.into_iter().rev().for_each(|piece| rest.replace_range(piece, ""));
            assert_eq!(rest, format!("{before}\n").repeat(4));
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
