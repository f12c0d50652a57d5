//! A search for lines, in one file or in all that a glob names, page by page.
//!
//! The ripgrep engine looks for the query in blocks of whole lines, on several threads; what it finds
//! is taken in the order of the file, and only as much of it as was asked for. A query is a literal
//! or a regular expression without back-references: its time is linear in the text, its memory
//! bounded.

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
use serde::Serialize;

use super::budget::{tokens, tokens_max};
use super::encoding::{CHARACTER_MAX, Encoding, OnInvalid};
use super::files::{Reached, Selection};
use super::index::Index;
use super::lines::{CutLine, Shown, show};
use super::scan::{Block, Span, scan};
use super::terminator::{self, Unit};
use super::walk::{Line, Mark};
use super::{Opened, Reader, at_least, count_in, text_encoding};
use crate::error::{Error, NotAFile, QUERY_OF_ONE_LINE, Result};
use crate::omit::is_zero;
use crate::progress::Progress;

/// A longer query is none.
const QUERY_MAX: usize = 10_000;

/// How many matches an answer may have.
const MATCHES_MAX: i64 = 100;

/// How many lines of context each may have, on either side.
const CONTEXT_MAX: i64 = 1000;

/// How much of one line is shown.
const LINE_SHOWN_MAX: usize = 2000;

/// How much excerpts have together.
const EXCERPTS_MAX: usize = 256 << 10;

/// What a compiled query may take.
const REGEX_SIZE_MAX: usize = 8 << 20;

/// How many files that were passed over an answer names.
const SKIPPED_MAX: usize = 20;

/// Asks for lines that match.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The file; with `glob`, the directory below which to search.
    pub path: String,
    /// What to look for.
    pub query: String,
    /// Whether `query` is a regular expression.
    pub regex: bool,
    /// Whether case matters.
    pub case_sensitive: bool,
    /// Where to begin, from 1.
    pub from_line: i64,
    /// The file to begin with, when there are several.
    pub from_path: Option<String>,
    /// How many lines to show in front of each match.
    pub context_before: i64,
    /// How many lines to show behind each match.
    pub context_after: i64,
    /// How many matches to show.
    pub max_matches: i64,
    /// How many tokens, about.
    pub max_tokens: Option<i64>,
    /// Whether to count all matches.
    pub count: bool,
    /// Which files to search.
    pub glob: Option<String>,
    /// Whether to heed `.gitignore`.
    pub gitignore: bool,
    /// What to read the files as; guessed for each when absent.
    pub encoding: Option<String>,
}

impl SearchRequest {
    /// The first matches of a literal in a file, whatever their case.
    #[must_use]
    pub fn of(path: impl Into<String>, query: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            query: query.into(),
            regex: false,
            case_sensitive: false,
            from_line: 1,
            from_path: None,
            context_before: 2,
            context_after: 6,
            max_matches: 5,
            max_tokens: None,
            count: false,
            glob: None,
            gitignore: false,
            encoding: None,
        }
    }
}

/// A page of matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The path as it was given.
    pub path: String,
    /// The query as it was given.
    pub query: String,
    /// Where the search began.
    pub from_line: u64,
    /// Where the next page begins.
    pub next_from_line: u64,
    /// The file in which the next page begins, when there are several; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_from_path: Option<String>,
    /// How many matches there are on this page.
    pub matches_returned: u64,
    /// Whether there are more.
    pub has_more: bool,
    /// How many lines match from `from_line` on, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_matches: Option<u64>,
    /// When the file was last changed, in nanoseconds since 1970; of one file only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtime_ns: Option<i64>,
    /// What the file was read as, where that is not UTF-8; of one file only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// `low` where that is only the best of several guesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_confidence: Option<&'static str>,
    /// The matches.
    pub matches: Vec<Match>,
    /// How many files were searched, when there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_searched: Option<u64>,
    /// Files that were not searched; at most 20 are named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// Whether some of what was asked for had no room: excerpts, or files.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// That nothing is at `from_path`, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
}

/// A line that matches, with its context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The file, when there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line's number.
    pub match_line: u64,
    /// The number of the first line of the excerpt.
    pub start_line: u64,
    /// The number of the last line of the excerpt.
    pub end_line: u64,
    /// `N|text` for each line.
    pub excerpt: String,
    /// Where in the file the match is, when its line is shown only in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_offset: Option<u64>,
    /// Lines that are shown only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_lines: Vec<CutLine>,
    /// How many bytes of the excerpt were no character, and show as U+FFFD.
    #[serde(skip_serializing_if = "is_zero")]
    pub invalid_bytes: u64,
    /// `low` where the encoding of its file, one of several, is only the best of several guesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_confidence: Option<&'static str>,
}

/// A file that was not searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The file.
    pub path: String,
    /// Why not.
    pub reason: String,
}

/// A request that was checked.
struct Query {
    matcher: RegexMatcher,
    from_line: u64,
    before: u64,
    after: u64,
    matches: usize,
    tokens: u64,
    count: bool,
}

impl Query {
    fn of(request: &SearchRequest) -> Result<Self> {
        if request.query.is_empty() {
            return Err(Error::range("query must not be empty"));
        }
        if request.query.len() > QUERY_MAX {
            return Err(Error::range(format!("query must have at most {QUERY_MAX} bytes")));
        }
        if !request.regex && request.query.contains(['\n', '\r']) {
            return Err(Error::range(QUERY_OF_ONE_LINE));
        }
        let within = |name: &str, number: i64, least: u64, most: i64| {
            let number = at_least(name, number, least)?;
            if number > most as u64 {
                return Err(Error::range(format!("{name} must be between {least} and {most}")));
            }
            Ok(number)
        };
        let matches = within("max_matches", request.max_matches, 1, MATCHES_MAX)?;
        Ok(Self {
            matcher: matcher(request)?,
            from_line: at_least("from_line", request.from_line, 1)?,
            before: within("context_before", request.context_before, 0, CONTEXT_MAX)?,
            after: within("context_after", request.context_after, 0, CONTEXT_MAX)?,
            matches: count_in(matches),
            tokens: tokens_max(request.max_tokens)?,
            count: request.count,
        })
    }
}

fn matcher(request: &SearchRequest) -> Result<RegexMatcher> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .fixed_strings(!request.regex)
        .case_insensitive(!request.case_sensitive)
        .size_limit(REGEX_SIZE_MAX)
        .dfa_size_limit(REGEX_SIZE_MAX)
        .multi_line(true)
        .crlf(true);
    builder.build(&request.query).map_err(|error| Error::range(format!("bad_regex: {error}")))
}

/// A match, before it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hit {
    line: u64,
    /// Where in the file it begins.
    offset: u64,
}

/// What a search of one file found.
#[derive(Debug, Default)]
struct Hits {
    /// As many as were asked for, and one more where there is one.
    first: Vec<Hit>,
    total: u64,
}

/// What was found in one block.
struct InBlock {
    end: u64,
    is_cut: bool,
    /// How many lines end in it.
    lines: u64,
    /// By the number of lines that end before them in the block.
    hits: Vec<Hit>,
    total: u64,
    /// The lines of the first and the last of all hits, in the same way.
    first_last: Option<(u64, u64)>,
}

/// The progress of one file behind others. Nobody knows how many bytes the files ahead have.
#[derive(Debug)]
struct Behind<'a> {
    before: u64,
    progress: &'a dyn Progress,
}

impl Progress for Behind<'_> {
    fn step(&self, done: u64, _total: Option<u64>) -> bool {
        self.progress.step(self.before + done, None)
    }
}

impl Reader<'_> {
    /// Searches for lines.
    ///
    /// # Errors
    /// As [`Reader::stat`]; the file is no text ([`Error::Binary`]); a number is out of range, or the
    /// query is none.
    pub fn search(&self, request: &SearchRequest) -> Result<Found> {
        let query = Query::of(request)?;
        let encoding = text_encoding(request.encoding.as_ref())?;
        let mut found = Found {
            path: request.path.clone(),
            query: request.query.clone(),
            from_line: query.from_line,
            next_from_line: query.from_line,
            next_from_path: None,
            matches_returned: 0,
            has_more: false,
            total_matches: query.count.then_some(0),
            mtime_ns: None,
            encoding: None,
            encoding_confidence: None,
            matches: Vec::new(),
            files_searched: None,
            skipped: Vec::new(),
            truncated: false,
            warning: None,
        };
        match &request.glob {
            None => {
                let opened =
                    self.open_as(&request.path, encoding).map_err(|error| match error {
                        Error::NotARegularFile { path, what: NotAFile::Directory } => {
                            Error::NotARegularFile { path, what: NotAFile::Unsearched }
                        }
                        other => other,
                    })?;
                found.mtime_ns = Some(opened.mtime_ns());
                found.encoding =
                    Some(opened.encoding.name()).filter(|_| opened.encoding != Encoding::Utf8);
                found.encoding_confidence = opened.confidence();
                self.search_in(&opened, &query, query.from_line, None, self.progress, &mut found)?;
            }
            Some(glob) => {
                self.search_files(request, glob, &query, encoding, &mut found)?;
            }
        }
        found.matches_returned = found.matches.len() as u64;
        // The line of the last match is there on the last page, too, as the Python server has it.
        found.next_from_path.take_if(|_| !found.has_more);
        Ok(found)
    }

    fn search_files(
        &self,
        request: &SearchRequest,
        glob: &str,
        query: &Query,
        encoding: Option<Encoding>,
        found: &mut Found,
    ) -> Result<()> {
        let selection = Selection::new(glob, request.gitignore)?;
        if request.from_path.is_none() && query.from_line > 1 {
            return Err(Error::range("from_line needs from_path where there are several files"));
        }
        let (mut searched, mut before) = (0, 0);
        let from = request.from_path.as_deref();
        let visited = self.visit(&request.path, &selection, from, |reached| {
            let Reached { dir, name, path, is_from, .. } = reached;
            let shown = self.roots.show(path);
            let mut skip = |reason: String| {
                if found.skipped.len() < SKIPPED_MAX {
                    found.skipped.push(Skipped { path: shown.clone(), reason });
                }
                Ok(ControlFlow::Continue(()))
            };
            let opened = match self.open_in(&**dir, name, &shown) {
                Ok(opened) if opened.encoding == Encoding::Binary => {
                    return skip("binary".to_owned());
                }
                Ok(opened) => opened.named(encoding),
                Err(error) => return skip(error.to_string()),
            };
            searched += 1;
            let from_line = if is_from { query.from_line } else { 1 };
            let here = Behind { before, progress: self.progress };
            self.search_in(&opened, query, from_line, Some(&shown), &here, found)?;
            before += opened.stat.len;
            let is_full = found.has_more && !query.count;
            if !self.progress.step(before, None) {
                return Err(Error::Cancelled);
            }
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        let visited = visited.map_err(|error| {
            self.no_directory(error, "path must be a directory where there is a glob or from_path")
        })?;
        found.files_searched = Some(searched);
        found.truncated |= visited.too_many;
        found.warning = visited.warning();
        Ok(())
    }

    /// Searches one file and adds what fits on the page.
    fn search_in(
        &self,
        opened: &Opened,
        query: &Query,
        from_line: u64,
        shown: Option<&str>,
        progress: &dyn Progress,
        found: &mut Found,
    ) -> Result<()> {
        let index = self.index(opened);
        let room = query.matches.saturating_sub(found.matches.len());
        let hits = hits_in(opened, &index, query, from_line, room, progress)?;
        if let Some(total) = &mut found.total_matches {
            *total += hits.total;
        }
        found.has_more |= hits.first.len() > room;
        let excerpts = found.matches.iter().map(|it| it.excerpt.as_str());
        let (mut bytes, mut spent) =
            excerpts.fold((0, 0), |(bytes, spent), it| (bytes + it.len(), spent + tokens(it)));
        for hit in hits.first.into_iter().take(room) {
            if found.truncated {
                found.has_more = true;
                break;
            }
            let mut frame = Frame::of(query);
            let mut excerpt = excerpt(opened, &index, frame, hit)?;
            // What has no room even alone is shown with less around it, until it has.
            while found.matches.is_empty()
                && tokens(&excerpt.excerpt) > query.tokens
                && let Some(smaller) = frame.smaller()
            {
                frame = smaller;
                excerpt = self::excerpt(opened, &index, frame, hit)?;
                found.truncated = true;
            }
            bytes += excerpt.excerpt.len();
            spent += tokens(&excerpt.excerpt);
            let has_room = bytes <= EXCERPTS_MAX && spent <= query.tokens;
            if !has_room && !found.matches.is_empty() {
                found.truncated = true;
                found.has_more = true;
                break;
            }
            found.next_from_line = hit.line + 1;
            found.next_from_path = shown.map(str::to_owned);
            found.matches.push(Match {
                path: shown.map(str::to_owned),
                encoding_confidence: shown.and_then(|_| opened.confidence()),
                ..excerpt
            });
        }
        Ok(())
    }
}

/// Finds the first matches of a file from a line on, and one more than there is room for; all of
/// them when they are counted.
fn hits_in(
    opened: &Opened,
    index: &Index,
    query: &Query,
    from_line: u64,
    room: usize,
    progress: &dyn Progress,
) -> Result<Hits> {
    let failed = |source| opened.failed("read", source);
    let begin = index.lines_from(&*opened.file, from_line).map_err(failed)?.mark();
    let mut hits = Hits::default();
    if begin.lines + 1 < from_line {
        return Ok(hits);
    }
    let size = opened.stat.len;
    let span = Span { file: &*opened.file, unit: opened.unit(), start: begin.offset, end: size };
    let mut at = begin;
    // A line that is cut between blocks may match in both.
    let mut last_of_all = 0;
    let mut fault = None;
    scan(
        span,
        |block| search_block(&block, opened.encoding, query, room + 1),
        |in_block| {
            let in_block = match in_block {
                Ok(in_block) => in_block,
                Err(error) => {
                    fault = Some(failed(error));
                    return ControlFlow::Break(());
                }
            };
            let line_of = |before: u64| at.lines + 1 + before;
            for hit in in_block.hits {
                let line = line_of(hit.line);
                if line != last_of_all && hits.first.len() <= room {
                    hits.first.push(Hit { line, ..hit });
                }
            }
            hits.total += in_block.total;
            if let Some((first, last)) = in_block.first_last {
                hits.total -= u64::from(line_of(first) == last_of_all);
                last_of_all = line_of(last);
            }
            let to = Mark { offset: in_block.end, lines: at.lines + in_block.lines };
            index.note(at, to, in_block.is_cut);
            at = to;
            let is_done = hits.first.len() > room && !query.count;
            if !progress.step(at.offset - begin.offset, Some(size - begin.offset)) {
                fault = Some(Error::Cancelled);
                return ControlFlow::Break(());
            }
            if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )
    .map_err(failed)?;
    fault.map_or(Ok(hits), Err)
}

/// Looks for the first matches in a block, or for all when they are counted.
fn search_block(
    block: &Block<'_>,
    encoding: Encoding,
    query: &Query,
    limit: usize,
) -> io::Result<InBlock> {
    let (bytes, beyond) = block.with_beyond.split_at_checked(block.len).unwrap_or_default();
    let is_raw = match encoding {
        Encoding::Utf8 | Encoding::Utf32 | Encoding::Binary => true,
        Encoding::SingleByte(_) | Encoding::MultiByte(_) | Encoding::Ascii => {
            block.with_beyond.is_ascii()
        }
        Encoding::Utf16Le | Encoding::Utf16Be => false,
    };
    let (text, own) = if is_raw {
        (Cow::Borrowed(block.with_beyond), bytes.len())
    } else {
        let mut text = encoding.decode(bytes, OnInvalid::Replace).text;
        let own = text.len();
        text.push_str(&encoding.decode(beyond, OnInvalid::Replace).text);
        (Cow::Owned(text.into_bytes()), own)
    };
    let mut collect = Collect {
        query,
        text: &text,
        own,
        counted: Mark::default(),
        place: |at: &[u8]| block.start + if is_raw { at.len() as u64 } else { encoding.len_of(at) },
        limit,
        hits: Vec::new(),
        total: 0,
        first_last: None,
    };
    searcher().search_slice(&query.matcher, &text, &mut collect)?;
    Ok(InBlock {
        end: block.end(),
        is_cut: block.is_cut,
        lines: terminator::count(bytes, encoding.steps()),
        hits: collect.hits,
        total: collect.total,
        first_last: collect.first_last,
    })
}

fn searcher() -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .line_number(false)
        .bom_sniffing(false)
        .build()
}

/// Takes the lines that the engine finds in a block.
struct Collect<'a, P> {
    query: &'a Query,
    text: &'a [u8],
    /// How much of the text is the block's own; the next block finds what begins behind it.
    own: usize,
    /// How far lines were counted.
    counted: Mark,
    /// Where in the file some text ends that the block begins with.
    place: P,
    limit: usize,
    hits: Vec<Hit>,
    total: u64,
    first_last: Option<(u64, u64)>,
}

impl<P: Fn(&[u8]) -> u64> Collect<'_, P> {
    /// Takes a match at `at` in the text, in the line that begins at `line`.
    fn take(&mut self, line: usize, at: usize) {
        let before = self.text.get(count_in(self.counted.offset)..line).unwrap_or_default();
        self.counted.lines += terminator::count(before, Unit::Byte);
        self.counted.offset = line as u64;
        let line = self.counted.lines;
        self.total += 1;
        self.first_last = Some((self.first_last.map_or(line, |(first, _)| first), line));
        if self.hits.len() < self.limit {
            let offset = (self.place)(self.text.get(..at).unwrap_or_default());
            self.hits.push(Hit { line, offset });
        }
    }
}

impl<P: Fn(&[u8]) -> u64> Sink for Collect<'_, P> {
    type Error = io::Error;

    /// The engine's lines end with `\n`; ours may be shorter.
    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let mut at = count_in(found.absolute_byte_offset());
        let mut rest = found.bytes();
        while !rest.is_empty() && at < self.own {
            let end = terminator::find(rest, Unit::Byte, true);
            let (text, next) = end.map_or((rest.len(), rest.len()), |end| (end.at, end.end));
            let line = rest.get(..text).unwrap_or_default();
            let place = self.query.matcher.find(line).map_err(io::Error::other)?;
            if let Some(place) = place
                && at + place.start() < self.own.max(at + 1)
            {
                self.take(at, at + place.start());
            }
            at += next;
            rest = rest.get(next..).unwrap_or_default();
        }
        Ok(self.query.count || self.hits.len() < self.limit)
    }
}

/// How much is shown of a match: lines around it, and bytes of each line.
#[derive(Clone, Copy)]
struct Frame {
    before: u64,
    after: u64,
    shown: usize,
}

impl Frame {
    fn of(query: &Query) -> Self {
        Self { before: query.before, after: query.after, shown: LINE_SHOWN_MAX }
    }

    /// First the lines around go, then the line's ends.
    fn smaller(self) -> Option<Self> {
        if self.before + self.after > 0 {
            Some(Self { before: self.before / 2, after: self.after / 2, ..self })
        } else {
            (self.shown > 8).then_some(Self { shown: self.shown / 2, ..self })
        }
    }
}

/// A match with the lines around it.
fn excerpt(opened: &Opened, index: &Index, frame: Frame, hit: Hit) -> Result<Match> {
    let failed = |source| opened.failed("read", source);
    let start = hit.line.saturating_sub(frame.before).max(1);
    let mut lines = index.lines_from(&*opened.file, start).map_err(failed)?;
    let mut found = Match {
        path: None,
        match_line: hit.line,
        start_line: start,
        end_line: hit.line,
        excerpt: String::new(),
        match_offset: None,
        cut_lines: Vec::new(),
        invalid_bytes: 0,
        encoding_confidence: None,
    };
    for _ in start..=hit.line.saturating_add(frame.after) {
        let Some(line) = lines.next(frame.shown).map_err(failed)? else { break };
        let is_long_match = line.number == hit.line && line.len > frame.shown as u64;
        let Shown { text, cut, invalid_bytes } = if is_long_match {
            found.match_offset = Some(hit.offset);
            around(opened, &line, hit.offset, frame.shown)?
        } else {
            show(&line, opened.encoding, frame.shown)
        };
        if !found.excerpt.is_empty() {
            found.excerpt.push('\n');
        }
        found.excerpt.push_str(&text);
        found.cut_lines.extend(cut);
        found.invalid_bytes += invalid_bytes;
        found.end_line = line.number;
    }
    Ok(found)
}

/// The part of a long line in which a match is.
fn around(opened: &Opened, line: &Line, offset: u64, shown_max: usize) -> Result<Shown> {
    let before = shown_max as u64 / 4;
    let encoding = opened.encoding;
    let from = opened.character_at(offset.saturating_sub(before).max(line.offset), encoding)?;
    let line_end = line.offset + line.len;
    let room = count_in(line_end - from).min(shown_max + CHARACTER_MAX);
    let mut bytes = opened.bytes(from, room)?;
    bytes.truncate(encoding.end_of(&bytes, shown_max));
    let next_offset = from + bytes.len() as u64;
    let part = Line {
        number: line.number,
        offset: from,
        len: bytes.len() as u64,
        text: bytes,
        is_terminated: line.is_terminated,
    };
    let (number, shown) = (line.number, show(&part, encoding, shown_max + CHARACTER_MAX));
    let text = shown.text.strip_prefix(&format!("{number}|")).unwrap_or(&shown.text);
    let (head, tail) =
        (if from > line.offset { "…" } else { "" }, if next_offset < line_end { "…" } else { "" });
    let shown_offset = (from > line.offset).then_some(from);
    let cut =
        CutLine { line: number, bytes: line.len, shown_bytes: part.len, shown_offset, next_offset };
    let text = format!("{number}|{head}{text}{tail}");
    Ok(Shown { text, cut: Some(cut), ..shown })
}
