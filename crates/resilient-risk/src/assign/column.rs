//! Passwords in a column of a table whose head says so: `| user | password |` in Markdown, and `user,password` at the
//! beginning of a file or of a paragraph.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::super::features::PrecedingWords;
use super::super::keywords::{Keyword, KeywordHit, names_key};
use super::super::token::TokenStats;
use super::super::{naming, placeholder, work};
use super::judge::{Stand, is_password};
use super::place::is_place;
use super::row::{LINE_MAX, bare, cells, is_rule, rows, trimmed};
use super::shape::{LENS, is_memorable, is_name, is_scrambled, is_slug};
use super::{Claimed, ValueHit, line_around};

/// A shorter cell may be anything.
const CELL_MIN: usize = 12;

/// So many lines of a table in succession have no sign: clients of databases write the line end of a cell.
const BROKEN_MAX: usize = 3;

/// A row may have so many cells more than the head.
const MORE_MAX: usize = 2;

/// A longer cell is no name.
const NAME_MAX: usize = 40;

const BOM: &[u8] = "\u{feff}".as_bytes();

/// Names of columns that say who logs in.
const USERS: &str = "user username login email mail account";

/// Names of columns that say where a password is for.
const OWNERS: &str = "id name host hostname server service site url database db system app machine environment env owner client \
                      customer tenant project team role label";

/// Reads the password in the cell of Markdown behind the one that names it: `| DB_PASSWORD | … |`.
pub(super) fn beside(text: &[u8], KeywordHit { word, start, end }: KeywordHit) -> Option<ValueHit> {
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(*byte);
    let rest = text.get(end..).filter(|_| word == Keyword::Password)?;
    let name = rest.get(..NAME_MAX.min(rest.len()))?.iter().take_while(is_of_name).count();
    let next = rest.get(name..)?.iter().find(|byte| !b" *`\t".contains(byte));
    next.filter(|byte| **byte == b'|')?;
    let row = line_around(text, start);
    let is_row = text.get(row.clone())?.trim_ascii_start().starts_with(b"|");
    let end = text.get(row.end);
    let mut cells = if is_row { cells(text, row, b'|') } else { Vec::new() }.into_iter();
    let (named, cell) = (cells.find(|cell| cell.end > start)?, cells.next()?);
    // Of a cell that goes on behind what is looked at, the end is not known.
    let is_whole = text.get(cell.end) == Some(&b'|') || matches!(end, None | Some(b'\n'));
    if !is_whole || !text.get(bare(text, named))?.iter().all(|byte| is_of_name(&byte)) {
        return None;
    }
    let span = bare(text, cell);
    let value = text.get(span.clone())?;
    let is_number = value.starts_with(b"0x");
    let fits =
        !is_number && !is_name(value) && is_password(value, Stand::Literal, Keyword::Password);
    fits.then_some(ValueHit { family: "generic_secret", name: "assigned_password", span })
}

/// Takes the passwords and the tokens of a table, if a word stands in its head. A word before `done` was looked at already,
/// or is in a table that was read; `done` moves on to the end of this one.
pub(super) fn find(text: &[u8], word: usize, done: &mut usize, claims: &mut impl Claimed) {
    if word < *done || !is_in_head(text, word) {
        return;
    }
    let Some(head) = line(text, word) else {
        // No other word of a line that is too long is in a head, either.
        let rest = text.get(word..).unwrap_or_default();
        *done = word + memchr(b'\n', rest).unwrap_or(rest.len());
        return;
    };
    *done = head.end;
    let written = text.get(head.clone()).unwrap_or_default();
    if written.starts_with(b"from ") || written.starts_with(b"import ") {
        return;
    }
    let sign = b"|\t;,".iter().copied().find(|sign| written.contains(sign)).unwrap_or(b'|');
    let names = cells(text, head.clone(), sign);
    let Some(mut columns) = Columns::of(text, &names, true) else { return };
    let mut rows = rows(text, head.end + 1, sign).peekable();
    let is_ruled = sign == b'|'
        && rows.next_if(|row| is_rule(text.get(row.clone()).unwrap_or_default())).is_some();
    let above = text.get(..head.start).unwrap_or_default();
    let is_bare = !written.trim_ascii_start().starts_with(b"|")
        && names.len() > 1
        && is_first(above, written);
    if !is_ruled && !is_bare {
        return;
    }
    let may_be_code = !is_ruled;
    let mut broken = 0;
    for row in rows {
        let mut cells = cells(text, row.clone(), sign);
        // A row may lack its last cells, or have a sign without quotes in one.
        if cells.len() > 1 {
            broken = 0;
        } else if is_ruled && broken < BROKEN_MAX && !trimmed(text, row.clone()).is_empty() {
            broken += 1;
        } else {
            break;
        }
        *done = row.end;
        if is_ruled && cells.len() < names.len() {
            // A client writes the line end of a cell: what stands behind it are the last cells.
            let missing = names.len() - cells.len();
            cells.splice(0..0, std::iter::repeat_n(row.start..row.start, missing));
        }
        columns.read(text, &cells, MORE_MAX, may_be_code);
    }
    columns.claim(text, claims);
}

/// The columns of a table that hold passwords or tokens, with their cells.
pub(super) struct Columns {
    /// How many columns the table has.
    count: usize,
    known: Vec<Column>,
}

struct Column {
    nth: usize,
    word: Keyword,
    cells: Vec<Cell>,
}

struct Cell {
    span: Range<usize>,
    /// The table may be code instead, whose literals have commas between them.
    may_be_code: bool,
}

impl Columns {
    /// Those that the cells of a head name, if all are names. Where a table is only a list of words it has to have an *owner*:
    /// a test may pass, and a table may be about passwords, but another column says whose they are.
    pub(super) fn of(text: &[u8], head: &[Range<usize>], with_owner: bool) -> Option<Self> {
        let is_name = |name: &[u8]| {
            name.len() <= NAME_MAX
                && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b" _-./()".contains(byte))
        };
        let names: Vec<&[u8]> =
            head.iter().filter_map(|cell| text.get(bare(text, cell.clone()))).collect();
        let has = |known: &str| {
            let is = |last: &[u8], known: &str| last.eq_ignore_ascii_case(known.as_bytes());
            let is_known = |last: &[u8]| known.split(' ').any(|known| is(last, known));
            names.iter().any(|name| is_known(last_word(name)))
        };
        let has_user = has(USERS);
        let has_owner = has_user || !with_owner || has(OWNERS);
        if !has_owner || !names.iter().all(|name| is_name(name)) {
            return None;
        }
        let announced = |name: &[u8]| {
            let last = last_word(name).to_ascii_lowercase();
            const ENDS: [&[u8]; 7] = [
                b"password",
                b"passwd",
                b"passphrase",
                b"passwort",
                b"kennwort",
                b"senha",
                b"wachtwoord",
            ];
            let is_password = ENDS.iter().any(|end| last.ends_with(end))
                || (has_user || !with_owner) && matches!(last.as_slice(), b"pass" | b"pwd" | b"pw");
            let is_open = || naming::is_open(&PrecedingWords::of(name));
            let is_key =
                (matches!(last.as_slice(), b"token" | b"secret") || names_key(name)) && !is_open();
            is_password.then_some(Keyword::Password).or(is_key.then_some(Keyword::Key))
        };
        let column = |(nth, name): (usize, &&[u8])| {
            Some(Column { nth, word: announced(name)?, cells: Vec::new() })
        };
        let known: Vec<Column> = names.iter().enumerate().filter_map(column).collect();
        (!known.is_empty()).then_some(Self { count: names.len(), known })
    }

    /// Adds the cells of a row, which may have so many *more* than the head: nobody knows which one is divided. A table without
    /// a rule *may be code*.
    pub(super) fn read(
        &mut self,
        text: &[u8],
        row: &[Range<usize>],
        more: usize,
        may_be_code: bool,
    ) {
        let said = |cell: &Range<usize>| text.get(bare(text, cell.clone())).unwrap_or_default();
        let last = row.iter().rposition(|cell| !said(cell).is_empty()).map_or(0, |last| last + 1);
        let more = last.saturating_sub(self.count).min(more);
        for Column { nth, word, cells } in &mut self.known {
            let Some(own) = row.get(*nth) else { continue };
            let is_own = is_secret(said(own), *word) || placeholder::mark_len(said(own)).is_some();
            let next = if is_own { *nth } else { *nth + more };
            // As many cells as names, and none of the others with a sign of code, are a row of a table.
            let others = || row.iter().enumerate().filter(|(at, _)| *at != *nth);
            let may_be_code = may_be_code
                && (row.len() != self.count
                    || is_call(said(own))
                    || others().any(|(_, cell)| is_code(said(cell))));
            for cell in row.get(*nth..=next).unwrap_or_default() {
                let trimmed_cell = trimmed(text, cell.clone());
                let cell = bare(text, cell.clone());
                let may_be_code = may_be_code && cell == trimmed_cell;
                let mut start = cell.start;
                // A cell in quotes may have several lines.
                for line in text.get(cell).unwrap_or_default().split(|byte| *byte == b'\n') {
                    let span = value(text, trimmed(text, start..start + line.len()), *word);
                    cells.push(Cell { span, may_be_code });
                    start += line.len() + 1;
                }
            }
        }
    }

    /// Adds one more part of a cell to its column, if it is no name, such as that of a character set.
    pub(super) fn add(&mut self, text: &[u8], nth: usize, span: Range<usize>) {
        let column = self.known.iter_mut().find(|column| column.nth == nth);
        let value = text.get(span.clone()).unwrap_or_default();
        let is_drawn = || TokenStats::of(value).is_drawn() && !is_slug(value);
        if let Some(column) = column.filter(|_| is_memorable(value) || is_drawn()) {
            column.cells.push(Cell { span, may_be_code: false });
        }
    }

    /// Takes the secrets of the columns. Where one cell is a secret, the others of its column are, too, unless they are words.
    pub(super) fn claim(self, text: &[u8], claims: &mut impl Claimed) {
        for Column { word, cells, .. } in self.known {
            let value = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
            let name = if word == Keyword::Key { "assigned_key" } else { "assigned_password" };
            let has_some = cells.iter().any(|cell| is_secret(value(&cell.span), word));
            let may_be = |Cell { span, may_be_code }: &Cell| {
                let value = value(span);
                has_some && may_be_secret(value, word) && !(*may_be_code && is_code(value))
            };
            for Cell { span, .. } in cells.into_iter().filter(may_be) {
                if claims.is_free(&span) {
                    claims.claim(ValueHit { family: "generic_secret", name, span });
                }
            }
        }
    }
}

/// The part of a cell that is a value: without a comment behind it, and without a quote that nothing closes.
fn value(text: &[u8], cell: Range<usize>, word: Keyword) -> Range<usize> {
    let said = text.get(cell.clone()).unwrap_or_default();
    let blank = memchr(b' ', said).unwrap_or(said.len());
    let (first, behind) = said.split_at_checked(blank).unwrap_or((said, b""));
    let is_comment = matches!(behind.trim_ascii_start(), [b'#' | b'(', ..]);
    let cell =
        if is_comment && is_secret(first, word) { cell.start..cell.start + blank } else { cell };
    let is_open =
        said.starts_with(b"\"") && memchr(b'"', said.get(1..).unwrap_or_default()).is_none();
    if is_open { cell.start + 1..cell.end } else { cell }
}

/// Tells whether the cell of a column is a secret. A token may be hexadecimal digits.
fn is_secret(value: &[u8], word: Keyword) -> bool {
    const HEX_MIN: usize = 32;
    let stats = TokenStats::of(value);
    let is_key = word == Keyword::Key;
    let is_other = is_key && (is_path(value) || stats.is_name());
    let is_short = || is_mixed(value) && is_password(value, Stand::Literal, Keyword::Password);
    (is_password(value, Stand::Literal, word) || is_key && is_short()) && !is_other
        || is_key && value.len() >= HEX_MIN && stats.is_hexadecimal()
}

/// Tells whether the cell of a column may be a secret beside one that is: no number, date, place or reference.
fn may_be_secret(value: &[u8], word: Keyword) -> bool {
    let stats = TokenStats::of(value);
    let is_small = || value.len() >= CELL_MIN && value.iter().all(u8::is_ascii_lowercase);
    // Beside passwords stand those that people choose: `Summer2024`, `summer2024!`, and short ones of chance.
    let is_password = || {
        let is_own = |byte: &u8| byte.is_ascii_graphic() && !b"/:[](){},".contains(byte);
        let signs = value.iter().filter(|byte| b"!@#$%^&*?~".contains(byte)).count();
        let is_word = value.first().is_some_and(u8::is_ascii_uppercase)
            && stats.upper == 1
            && stats.changes == 2
            && stats.digits >= 2;
        LENS.contains(&value.len())
            && value.iter().all(is_own)
            && value.first().is_some_and(u8::is_ascii_alphanumeric)
            && stats.digits > 0
            && stats.lower + stats.upper > 0
            && (signs > 0 || is_word || stats.is_drawn())
            && !is_place(value)
            && !(value.iter().any(|byte| b"-_.".contains(byte)) && is_slug(value))
            && !placeholder::is_dummy(value)
    };
    is_secret(value, word)
        || word == Keyword::Password && is_password()
        || is_mixed(value) && !stats.is_name()
        || is_scrambled(value)
        || is_small() && stats.has_rare_bigrams()
}

/// Tells whether a cell has a quote of a literal, or ends as a statement does: `'…');`.
fn is_code(value: &[u8]) -> bool {
    let is_quote = |byte: &u8| b"\"'`".contains(byte);
    value.first().is_some_and(is_quote)
        || value.iter().filter(|byte| is_quote(byte)).count() > 1
        || matches!(value, [.., b';'])
        || value.contains(&b'(') != value.contains(&b')')
        || is_call(value)
}

/// Tells whether a cell ends with a call: `x = load(2);`.
fn is_call(value: &[u8]) -> bool {
    let value = value.strip_suffix(b";").unwrap_or(value);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let open = value.iter().position(|byte| *byte == b'(').and_then(|at| at.checked_sub(1));
    value.ends_with(b")") && open.and_then(|at| value.get(at)).is_some_and(is_name)
}

/// Tells whether a cell has small and capital letters and digits, and no sign of a reference: `${NAME}`, `vault:kv/app`.
fn is_mixed(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#%&*+-.=?@^_~".contains(byte);
    value.len() >= CELL_MIN
        && stats.lower > 0
        && stats.upper > 0
        && stats.digits > 0
        && value.iter().all(is_sign)
}

/// Tells whether a value says where a secret is kept: `kv/data/api#v2`, `prod/db-1`.
fn is_path(value: &[u8]) -> bool {
    let is_small =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_/".contains(byte);
    let folder = memrchr(b'/', value).and_then(|last| value.get(..last)).unwrap_or_default();
    folder.len() > 1 && folder.iter().all(is_small)
}

/// Tells by what stands behind a word whether the word may be in the head of a table.
fn is_in_head(text: &[u8], word: usize) -> bool {
    let is_inside = |byte: &&u8| byte.is_ascii_alphanumeric() || b" _*\"`".contains(byte);
    let near = text.get(word..).unwrap_or_default();
    let near = near.get(..NAME_MAX).unwrap_or(near);
    work::spend(near.len() / 4);
    match near.iter().find(|byte| !is_inside(byte)) {
        Some(byte) => b"|,;\t\r\n".contains(byte),
        None => near.len() < NAME_MAX,
    }
}

/// The line of a word, if it is no longer than that of a row.
fn line(text: &[u8], word: usize) -> Option<Range<usize>> {
    let from = word.saturating_sub(LINE_MAX);
    let before = text.get(from..word)?;
    work::spend(before.len() / 4);
    let start = match memrchr(b'\n', before) {
        Some(feed) => from + feed + 1,
        // Some programs begin a table with the mark of the order of bytes.
        None if from == 0 && text.starts_with(BOM) => BOM.len(),
        None if from == 0 => 0,
        None => return None,
    };
    rows(text, start, b'|').next().filter(|row| row.end >= word)
}

fn last_word(name: &[u8]) -> &[u8] {
    name.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default()
}

/// Tells whether what stands before a line ends a paragraph, or begins one of code. Comments, a title and what says the sign of the
/// table may stand between.
fn is_first(mut before: &[u8], head: &[u8]) -> bool {
    const LINES_MAX: usize = 8;
    // A list of Markdown and names that are imported have commas, too.
    let is_plain = || {
        let first = head.first();
        first.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"\"'".contains(byte))
            && memmem::find(head, b", ").is_none()
    };
    for nth in 0..LINES_MAX {
        before = before.strip_suffix(b"\n").or_else(|| before.strip_prefix(BOM)).unwrap_or(before);
        let begin = before.get(before.len().saturating_sub(LINE_MAX)..).unwrap_or_default();
        let line = begin.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        if line.trim_ascii().is_empty() || line.starts_with(b"```") {
            return true;
        }
        if nth == 0 && !is_plain() {
            return false;
        }
        before = before.get(..before.len() - line.len()).unwrap_or_default();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" -:.\r".contains(byte);
        let is_title = || before.is_empty() && line.iter().all(is_word);
        if !(line.starts_with(b"#") || line.starts_with(b"sep=") || is_title()) {
            return false;
        }
    }
    false
}
