//! The two reads that answer with numbered lines: from a line on, and the tail.

use std::collections::VecDeque;

use serde::Serialize;

use super::budget::{Budget, tokens};
use super::encoding::{Decoded, Encoding, OnInvalid};
use super::walk::{Line, Walk};
use super::{DIGESTED_MAX, Opened, Reader, text_encoding};
use crate::digest::Digest;
use crate::disk::Stat;
use crate::error::{Error, Result};
use crate::form::Eol;
use crate::omit::is_zero;

/// How much of one line is shown.
const LINE_SHOWN_MAX: usize = 64 << 10;

/// How much of one line a tail shows where no number of tokens is given: its end.
const TAIL_LINE_SHOWN_MAX: usize = 4 << 10;

/// How many lines an answer may have.
const LINES_MAX: i64 = 5000;

/// How often a file is read that somebody writes meanwhile.
const READS: usize = 4;

/// Asks for lines from one on.
#[derive(Clone, Debug)]
pub struct LinesRequest {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub start_line: i64,
    /// How many.
    pub max_lines: i64,
    /// How many tokens, about.
    pub max_tokens: Option<i64>,
    /// What to read it as; guessed when absent.
    pub encoding: Option<String>,
    /// Whether to tell the digest of the file although only a part of it is shown, up to [`DIGESTED_MAX`].
    pub digest: bool,
}

impl LinesRequest {
    /// The first lines of a file.
    #[must_use]
    pub fn of(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            start_line: 1,
            max_lines: 400,
            max_tokens: None,
            encoding: None,
            digest: false,
        }
    }
}

/// Asks for the last lines.
#[derive(Clone, Debug)]
pub struct TailRequest {
    /// The file.
    pub path: String,
    /// How many.
    pub max_lines: i64,
    /// How many tokens, about.
    pub max_tokens: Option<i64>,
    /// What to read it as; guessed when absent.
    pub encoding: Option<String>,
    /// Whether to tell the digest of the file although only a part of it is shown, up to [`DIGESTED_MAX`].
    pub digest: bool,
}

impl TailRequest {
    /// The last lines of a file.
    #[must_use]
    pub fn of(path: impl Into<String>) -> Self {
        Self { path: path.into(), max_lines: 200, max_tokens: None, encoding: None, digest: false }
    }
}

/// Lines with their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinesAnswer {
    /// The path as it was given.
    pub path: String,
    /// The number of the first line.
    pub start_line: u64,
    /// The number of the last line; one less than the first where there are none.
    pub end_line: u64,
    /// How many there are.
    pub lines_returned: u64,
    /// Whether the file ends here.
    pub eof: bool,
    /// When the file was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// How long the file is.
    pub size: u64,
    /// What the file was read as.
    pub encoding: String,
    /// `low` where that is only the best of several guesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_confidence: Option<&'static str>,
    /// `N|text` for each line.
    pub content: String,
    /// About how many tokens the content has.
    pub tokens: u64,
    /// How many lines the file has, where that was asked, or there are none from the first one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// Whether there was no room for all lines that were asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Lines that are shown only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_lines: Vec<CutLine>,
    /// How many bytes were no character, and show as U+FFFD.
    #[serde(skip_serializing_if = "is_zero")]
    pub invalid_bytes: u64,
    /// Whether the last line lacks a terminator.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_final_newline: bool,
    /// The digest of the file, where all of its lines are shown whole or it was asked for: what the next write
    /// wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    /// How most lines of the file end, as far as its head tells. The content has `\n` in any case.
    #[serde(skip)]
    pub eol: Option<Eol>,
    /// The file as it was when it was opened.
    #[serde(skip)]
    pub stat: Stat,
}

/// A line that is too long to be shown whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CutLine {
    /// Its number.
    pub line: u64,
    /// Its length.
    pub bytes: u64,
    /// How much of it is shown.
    pub shown_bytes: u64,
    /// Where in the file the shown part begins, if that is not where the line does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_offset: Option<u64>,
    /// Where in the file the part begins that is not shown: `read_bytes` goes on from there.
    pub next_offset: u64,
}

/// A line as it is shown.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) cut: Option<CutLine>,
    pub(super) invalid_bytes: u64,
}

/// Writes a line as `N|text`.
pub(super) fn show(line: &Line, encoding: Encoding, shown_max: usize) -> Shown {
    let whole = line.text.len() as u64 == line.len && line.text.len() <= shown_max;
    let mut bytes = line.text.as_slice();
    if !whole {
        bytes = bytes.get(..encoding.end_of(bytes, shown_max)).unwrap_or(bytes);
    }
    let cut = (!whole).then(|| CutLine {
        line: line.number,
        bytes: line.len,
        shown_bytes: bytes.len() as u64,
        shown_offset: None,
        next_offset: line.offset + bytes.len() as u64,
    });
    let decoded = text_of(bytes, encoding);
    let text = if line.number == 1 {
        decoded.text.strip_prefix('\u{FEFF}').unwrap_or(&decoded.text)
    } else {
        &decoded.text
    };
    let text = format!("{}|{text}", line.number);
    Shown { text, cut, invalid_bytes: decoded.invalid_bytes as u64 }
}

/// Writes a line as `N|text`; of a long one its end.
fn show_end(opened: &Opened, line: &Line, shown_max: usize) -> Result<Shown> {
    let end = line.offset + line.len;
    if line.len <= shown_max as u64 {
        return Ok(show(line, opened.encoding, shown_max));
    }
    let from = opened.character_at(end.saturating_sub(shown_max as u64), opened.encoding)?;
    let bytes = opened.bytes(from, super::count_in(end - from))?;
    let decoded = text_of(&bytes, opened.encoding);
    Ok(Shown {
        text: format!("{}|…{}", line.number, decoded.text),
        cut: Some(CutLine {
            line: line.number,
            bytes: line.len,
            shown_bytes: bytes.len() as u64,
            shown_offset: Some(from),
            next_offset: line.offset,
        }),
        invalid_bytes: decoded.invalid_bytes as u64,
    })
}

/// The text of a line, in the encoding that the answer names: a byte that is no character of it is no letter of
/// another, whatever line the read begins with.
fn text_of(bytes: &[u8], encoding: Encoding) -> Decoded {
    let encoding = if encoding == Encoding::Binary { Encoding::Utf8 } else { encoding };
    encoding.decode(bytes, OnInvalid::Replace)
}

/// Reads again while the answer has all of a file and no digest: somebody has written the file in between.
fn until_digested(read: impl Fn() -> Result<LinesAnswer>) -> Result<LinesAnswer> {
    for _ in 1..READS {
        let answer = read()?;
        let is_whole = answer.start_line == 1 && answer.eof && !answer.truncated;
        if !is_whole || answer.sha256.is_some() {
            return Ok(answer);
        }
    }
    read()
}

impl Reader<'_> {
    /// Reads lines with their numbers, white space and all.
    ///
    /// # Errors
    /// As [`Reader::stat`]; the file is no text ([`Error::Binary`]); a number is out of range.
    pub fn lines(&self, request: &LinesRequest) -> Result<LinesAnswer> {
        until_digested(|| self.lines_now(request))
    }

    fn lines_now(&self, request: &LinesRequest) -> Result<LinesAnswer> {
        let max_lines = lines_max(request.max_lines)?;
        let start_line = u64::try_from(request.start_line).ok().filter(|line| *line > 0);
        let start_line = start_line.ok_or_else(|| Error::range("start_line must be at least 1"))?;
        let budget = Budget::of(request.max_tokens)?;
        let encoding = text_encoding(request.encoding.as_ref())?;
        let opened = self.open_as(&request.path, encoding)?;
        let index = self.index(&opened);
        let mut lines = index
            .lines_from(&*opened.file, start_line)
            .map_err(|source| opened.failed("read", source))?;
        let mut page = Page::new(budget, Shows::First);
        let from = lines.mark();
        if from.lines + 1 == start_line {
            page.fill(&opened, &mut lines, max_lines)?;
        }
        let eof = page.is_open && lines.mark().offset >= opened.stat.len;
        // Where the file ends in front of the first line that was asked for, that is told.
        let is_behind = start_line > 1 && eof && page.lines.is_empty();
        let total = is_behind.then(|| index.total(&*opened.file)).transpose();
        let total = total.map_err(|source| opened.failed("read", source))?;
        page.answer(opened, start_line, eof, total, request.digest)
    }

    /// Reads the last lines with their numbers.
    ///
    /// # Errors
    /// As [`Reader::lines`].
    pub fn tail(&self, request: &TailRequest) -> Result<LinesAnswer> {
        until_digested(|| self.tail_now(request))
    }

    fn tail_now(&self, request: &TailRequest) -> Result<LinesAnswer> {
        let max_lines = lines_max(request.max_lines)?;
        let budget = Budget::of(request.max_tokens)?;
        let encoding = text_encoding(request.encoding.as_ref())?;
        let opened = self.open_as(&request.path, encoding)?;
        let index = self.index(&opened);
        let failed = |source| opened.failed("read", source);
        let total = index.total(&*opened.file).map_err(failed)?;
        let mut lines = index.last_lines(&*opened.file, max_lines, total).map_err(failed)?;
        let shown_max =
            if request.max_tokens.is_some() { LINE_SHOWN_MAX } else { TAIL_LINE_SHOWN_MAX };
        let mut page = Page::new(budget, Shows::Last { shown_max });
        page.fill(&opened, &mut lines, max_lines)?;
        let start_line = page.lines.front().map_or(1, |(number, _)| *number);
        page.answer(opened, start_line, true, Some(total), request.digest)
    }
}

fn lines_max(max_lines: i64) -> Result<u64> {
    match u64::try_from(max_lines) {
        Ok(lines) if (1..=LINES_MAX).contains(&max_lines) => Ok(lines),
        _ => Err(Error::range("max_lines must be between 1 and 5000")),
    }
}

/// What is kept when there is no room for all: of the lines, and of one line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    First,
    /// Of one line so many bytes.
    Last {
        shown_max: usize,
    },
}

/// Lines as they are collected, within a budget.
struct Page {
    budget: Budget,
    shows: Shows,
    lines: VecDeque<(u64, Shown)>,
    bytes: usize,
    tokens: u64,
    /// Whether everything so far has found room.
    is_open: bool,
    no_final_newline: bool,
}

impl Page {
    fn new(budget: Budget, shows: Shows) -> Self {
        Self {
            budget,
            shows,
            lines: VecDeque::new(),
            bytes: 0,
            tokens: 0,
            is_open: true,
            no_final_newline: false,
        }
    }

    fn fill(&mut self, opened: &Opened, lines: &mut Walk<'_>, max_lines: u64) -> Result<()> {
        for _ in 0..max_lines {
            let next = lines.next(LINE_SHOWN_MAX);
            let Some(line) = next.map_err(|source| opened.failed("read", source))? else { break };
            self.take(opened, &line)?;
            if !self.is_open && self.shows == Shows::First {
                break;
            }
        }
        Ok(())
    }

    /// As much of a line as `limit` permits.
    fn part(&self, opened: &Opened, line: &Line, limit: usize) -> Result<Shown> {
        match self.shows {
            Shows::First => Ok(show(line, opened.encoding, limit)),
            Shows::Last { .. } => show_end(opened, line, limit),
        }
    }

    fn take(&mut self, opened: &Opened, line: &Line) -> Result<()> {
        let mut limit = match self.shows {
            Shows::First => LINE_SHOWN_MAX,
            Shows::Last { shown_max } => shown_max,
        };
        let mut shown = self.part(opened, line, limit)?;
        let mut cost = tokens(&shown.text);
        // A line that has no room even alone is cut until it has.
        while cost > self.budget.tokens && limit > 1 {
            limit = shown.text.len().min(limit) / 2;
            shown = self.part(opened, line, limit.max(1))?;
            cost = tokens(&shown.text);
        }
        let fits = |bytes: usize, tokens: u64| {
            bytes + shown.text.len() < self.budget.bytes && tokens + cost <= self.budget.tokens
        };
        if !fits(self.bytes, self.tokens) && !self.lines.is_empty() {
            self.is_open = false;
            if self.shows == Shows::First {
                return Ok(());
            }
            while !fits(self.bytes, self.tokens)
                && let Some((_, dropped)) = self.lines.pop_front()
            {
                self.bytes -= dropped.text.len() + 1;
                self.tokens -= tokens(&dropped.text);
            }
        }
        self.bytes += shown.text.len() + 1;
        self.tokens += cost;
        self.no_final_newline = !line.is_terminated;
        self.lines.push_back((line.number, shown));
        Ok(())
    }

    fn answer(
        self,
        opened: Opened,
        start_line: u64,
        eof: bool,
        total_lines: Option<u64>,
        digest: bool,
    ) -> Result<LinesAnswer> {
        let count = self.lines.len() as u64;
        let mut content = String::with_capacity(self.bytes);
        let mut cut_lines = Vec::new();
        let mut invalid_bytes = 0;
        for (number, (_, shown)) in self.lines.into_iter().enumerate() {
            if number > 0 {
                content.push('\n');
            }
            content.push_str(&shown.text);
            cut_lines.extend(shown.cut);
            invalid_bytes += shown.invalid_bytes;
        }
        let truncated = !self.is_open || !cut_lines.is_empty();
        let is_whole = start_line == 1 && eof && !truncated;
        let is_digested = is_whole || digest && opened.stat.len <= DIGESTED_MAX;
        Ok(LinesAnswer {
            start_line,
            end_line: (start_line + count).saturating_sub(1),
            lines_returned: count,
            eof,
            mtime_ns: opened.mtime_ns(),
            size: opened.stat.len,
            encoding: opened.encoding.name(),
            encoding_confidence: opened.confidence(),
            content,
            tokens: self.tokens,
            total_lines,
            truncated,
            cut_lines,
            invalid_bytes,
            no_final_newline: self.no_final_newline && eof,
            eol: opened.form.eol,
            stat: opened.stat,
            sha256: if is_digested { opened.digest_unchanged()? } else { None },
            path: opened.path,
        })
    }
}
