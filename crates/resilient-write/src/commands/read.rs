//! `read`, `tail`, `search`, `stat` and `list`: the tools that read, on the command line.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use resilient_core::disk;
use resilient_core::read::{
    FileFacts, Found, LinesAnswer, LinesRequest, ListRequest, Listing, SearchRequest, StatRequest,
    TailRequest,
};
use resilient_core::{Progress, Workspace};
use serde_json::json;

use crate::output::{Output, card, count, one_line};

/// Prints a file, or some of its lines, as N|text.
///
/// The whole file is printed, unless an option asks for a part. --json prints a part, as the tool answers it.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The file, in the workspace
    path: String,
    /// The first line, from 1: prints a part of the file
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    start_line: Option<i64>,
    /// How many lines, up to 5000 [default for a part: 400]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_lines: Option<i64>,
    /// How many tokens at most, roughly
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_tokens: Option<i64>,
    /// The encoding; guessed when it is not given
    #[arg(long)]
    encoding: Option<String>,
}

/// Prints the last lines of a file as N|text.
#[derive(Debug, Args)]
pub(crate) struct Tail {
    /// The file, in the workspace
    path: String,
    /// How many lines, up to 5000
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 200,
        allow_negative_numbers = true
    )]
    max_lines: i64,
    /// How many tokens at most, roughly
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_tokens: Option<i64>,
    /// The encoding; guessed when it is not given
    #[arg(long)]
    encoding: Option<String>,
}

/// Finds lines in a file, or in the files below a directory, and prints them in context.
///
/// Exit status 1 when nothing is found.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What to look for
    query: String,
    /// A file, or a directory
    #[arg(default_value = ".", value_name = "PATH")]
    path: String,
    /// Which files of the directory, as **/*.log
    #[arg(long)]
    glob: Option<String>,
    /// Include what .gitignore names
    #[arg(long)]
    no_gitignore: bool,
    /// The query is a regular expression
    #[arg(long)]
    regex: bool,
    /// Case matters
    #[arg(long)]
    case_sensitive: bool,
    /// Count all matches
    #[arg(long)]
    count: bool,
    /// Where to begin, from 1
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    from_line: i64,
    /// The file to begin with
    #[arg(long, value_name = "FILE")]
    from_path: Option<String>,
    /// Lines in front of each match
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true)]
    context_before: i64,
    /// Lines behind each match
    #[arg(long, value_name = "N", default_value_t = 6, allow_negative_numbers = true)]
    context_after: i64,
    /// How many matches, up to 100
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true)]
    max_matches: i64,
    /// How many tokens at most, roughly
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_tokens: Option<i64>,
    /// The encoding; guessed when it is not given
    #[arg(long)]
    encoding: Option<String>,
}

/// Tells a file's length, time, encoding and SHA-256.
#[derive(Debug, Args)]
pub(crate) struct Stat {
    /// The file, in the workspace
    path: String,
    /// Whether to read all of it for its SHA-256; unasked up to 16 MiB
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true")]
    digest: Option<bool>,
}

/// Lists the files below a directory with length and time.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// The directory
    #[arg(default_value = ".", value_name = "DIR")]
    path: String,
    /// Which files: *.log matches names in every directory, src/*.log those in src
    #[arg(long)]
    glob: Option<String>,
    /// Include what .gitignore names
    #[arg(long)]
    no_gitignore: bool,
    /// Take in names that begin with a dot
    #[arg(long)]
    hidden: bool,
    /// How many directories deep; 1: no subdirectories
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    depth: Option<i64>,
    /// How many files, up to 5000
    #[arg(long, value_name = "N", default_value_t = 200, allow_negative_numbers = true)]
    max_files: i64,
    /// How many tokens at most, roughly
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_tokens: Option<i64>,
    /// Where to begin
    #[arg(long, value_name = "FILE")]
    from_path: Option<String>,
}

impl Read {
    /// Reads.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        const TOOL: &str = "rr.read_lines";
        let Self { path, start_line, max_lines, max_tokens, encoding } = self;
        let is_part = start_line.is_some() || max_lines.is_some() || max_tokens.is_some();
        let (start_line, max_lines) = (start_line.unwrap_or(1), max_lines.unwrap_or(400));
        let request =
            LinesRequest { path, start_line, max_lines, max_tokens, encoding, digest: false };
        if is_part || output.is_json() {
            let result = workspace.reader().lines(&request);
            told_lines(result.as_ref().ok(), output);
            return output.answer(TOOL, result, content);
        }
        whole(workspace, LinesRequest { max_lines: PAGE, ..request }, output)
    }
}

/// The most lines that one read gives.
const PAGE: i64 = 5000;

/// Prints a file to its end, page by page. The status is not 0 if a page cannot be read, a line is cut, or the file
/// changes: then the lines that are printed do not belong together.
fn whole(workspace: &Workspace, mut request: LinesRequest, output: &Output) -> Result<ExitCode> {
    const TOOL: &str = "rr.read_lines";
    let reader = workspace.reader();
    let (mut first, mut is_cut) = (None, false);
    loop {
        let page = match reader.lines(&request) {
            Ok(page) => page,
            Err(error) => return output.answer(TOOL, Err::<LinesAnswer, _>(error), content),
        };
        if !is_same(first.get_or_insert(page.stat), &page.stat) {
            anyhow::bail!("the file changed while it was read: read it again");
        }
        told_cut(&page, output);
        is_cut |= !page.cut_lines.is_empty();
        output.raw(content(&page).as_bytes())?;
        if page.eof || page.lines_returned == 0 {
            told_end(&page, output);
            return Ok(if is_cut { ExitCode::FAILURE } else { ExitCode::SUCCESS });
        }
        request.start_line = i64::try_from(page.end_line).unwrap_or(i64::MAX).saturating_add(1);
    }
}

/// Whether a file is the one that it was, and was not changed since.
fn is_same(was: &disk::Stat, now: &disk::Stat) -> bool {
    let of = |stat: &disk::Stat| (stat.id, stat.len, stat.mtime_ns, stat.ctime_ns);
    of(was) == of(now)
}

impl Tail {
    /// Reads.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let Self { path, max_lines, max_tokens, encoding } = self;
        let request = TailRequest { path, max_lines, max_tokens, encoding, digest: false };
        let result = workspace.reader().tail(&request);
        told_lines(result.as_ref().ok(), output);
        output.answer("rr.read_tail", result, content)
    }
}

impl Search {
    /// Searches.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        // The library tells a directory by the glob.
        let is_dir = self.path == "." || is_dir(workspace, &self.path);
        let glob = self.glob.or_else(|| is_dir.then(|| "*".to_owned()));
        let request = SearchRequest {
            path: self.path,
            query: self.query,
            regex: self.regex,
            case_sensitive: self.case_sensitive,
            from_line: self.from_line,
            from_path: self.from_path,
            context_before: self.context_before,
            context_after: self.context_after,
            max_matches: self.max_matches,
            max_tokens: self.max_tokens,
            encoding: self.encoding,
            count: self.count,
            glob,
            gitignore: !self.no_gitignore,
        };
        let bar = Arc::new(Bar::new(request.glob.is_some()));
        let watched = workspace.watched_by(Arc::clone(&bar) as Arc<dyn Progress>);
        let result = watched.reader().search(&request);
        bar.0.finish_and_clear();
        if let Ok(found) = &result {
            output.note(&beside_found(found));
        }
        let nothing = result.as_ref().is_ok_and(|found| found.matches.is_empty());
        if nothing {
            output.note("no match\n");
        }
        let code = output.answer("rr.search_then_page", result, told_found)?;
        Ok(if nothing { ExitCode::FAILURE } else { code })
    }
}

impl Stat {
    /// Looks.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let Self { path, digest } = self;
        let result = workspace.reader().stat(&StatRequest { path, digest });
        output.answer("rr.stat", result, told_facts)
    }
}

impl List {
    /// Lists.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let result = workspace.reader().list(&ListRequest {
            path: self.path,
            glob: self.glob,
            gitignore: !self.no_gitignore,
            hidden: self.hidden,
            depth: self.depth,
            max_files: self.max_files,
            max_tokens: self.max_tokens,
            from_path: self.from_path,
        });
        if let Ok(Listing { next_from_path, warning, .. }) = &result {
            output.note(&told_warning(*warning));
            if let Some(path) = next_from_path {
                output.note(&format!("more: --from-path {}\n", one_line(path)));
            }
        }
        output.answer("rr.list_files", result, told_list)
    }
}

/// Whether a path leads to a directory, from where paths of the workspace begin.
fn is_dir(workspace: &Workspace, path: &str) -> bool {
    workspace.roots().cwd().join(path).is_dir()
}

/// How far a search is; drawn on a terminal only.
#[derive(Debug)]
struct Bar(ProgressBar);

impl Bar {
    /// Of one file, or of files, whose bytes nobody has counted.
    fn new(is_of_files: bool) -> Self {
        let bar = match is_of_files {
            true => ProgressBar::no_length(),
            false => ProgressBar::new(0),
        };
        let form = match is_of_files {
            true => "{spinner} {bytes} searched, {elapsed}",
            false => "{bar:30} {bytes}/{total_bytes}, {eta} left",
        };
        match ProgressStyle::with_template(form) {
            Ok(style) => Self(bar.with_style(style)),
            Err(_) => Self(bar),
        }
    }
}

impl Progress for Bar {
    fn step(&self, done: u64, total: Option<u64>) -> bool {
        if let Some(total) = total {
            self.0.set_length(total);
        }
        self.0.set_position(done);
        true
    }
}

fn content(answer: &LinesAnswer) -> String {
    if answer.content.is_empty() { String::new() } else { format!("{}\n", answer.content) }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", one_line(text).replace('\'', r"'\''"))
}

/// What was left out, beside the lines.
fn told_lines(answer: Option<&LinesAnswer>, output: &Output) {
    let Some(answer) = answer else { return };
    told_cut(answer, output);
    told_end(answer, output);
}

/// Which lines are shown only in part.
fn told_cut(answer: &LinesAnswer, output: &Output) {
    for cut in &answer.cut_lines {
        output.note(&format!(
            "line {}: {} of {} bytes shown; the rest: call rr_read_bytes {}\n",
            cut.line,
            cut.shown_bytes,
            cut.bytes,
            quoted(&json!({"path": answer.path, "offset": cut.next_offset}).to_string())
        ));
    }
}

/// What is behind the lines.
fn told_end(answer: &LinesAnswer, output: &Output) {
    if let (0, Some(total)) = (answer.lines_returned, answer.total_lines) {
        output.note(&format!("the file has only {}\n", count(total, "line")));
    }
    if !answer.eof {
        output.note(&format!("more: --start-line {}\n", answer.end_line + 1));
    }
}

fn told_found(found: &Found) -> String {
    let mut text = String::new();
    for (number, hit) in found.matches.iter().enumerate() {
        if number > 0 {
            text.push_str("--\n");
        }
        let path = hit.path.as_ref().unwrap_or(&found.path);
        let _ = writeln!(text, "{}:{}", one_line(path), hit.match_line);
        let of_match = format!("{}|", hit.match_line);
        for line in hit.excerpt.lines() {
            let mark = if line.starts_with(&of_match) { '>' } else { ' ' };
            let _ = writeln!(text, "{mark} {line}");
        }
    }
    text
}

fn told_warning(warning: Option<&str>) -> String {
    warning
        .map(|text| format!("{}\n", text.replace("from_path", "--from-path")))
        .unwrap_or_default()
}

fn beside_found(found: &Found) -> String {
    let mut text = told_warning(found.warning);
    for skipped in &found.skipped {
        let _ = writeln!(text, "{}: skipped: {}", one_line(&skipped.path), skipped.reason);
    }
    if let Some(total) = found.total_matches {
        let _ = writeln!(text, "{total} match{}", if total == 1 { "" } else { "es" });
    }
    if found.has_more {
        let from = found.next_from_path.as_ref();
        let path = from.map(|path| format!(" --from-path {}", one_line(path))).unwrap_or_default();
        let _ = writeln!(text, "more: --from-line {}{path}", found.next_from_line);
    }
    text
}

fn told_facts(facts: &FileFacts) -> String {
    let mut rows = vec![
        ("bytes", facts.size.to_string()),
        ("changed", time(facts.mtime_ns)),
        ("encoding", facts.encoding.clone()),
    ];
    rows.extend(facts.sha256.map(|sha256| ("sha256", sha256.to_string())));
    if facts.hint.is_some() {
        rows.push(("sha256", "of files up to 16 MiB, or with --digest".to_owned()));
    }
    card(&one_line(&facts.path), &rows)
}

fn told_list(listing: &Listing) -> String {
    let mut text = String::new();
    for file in &listing.files {
        let size = file.size.map_or_else(|| file.is.unwrap_or("-").to_owned(), |n| n.to_string());
        let mark = if file.not_utf8 { "  (the name is not UTF-8)" } else { "" };
        let path = one_line(&file.path);
        let _ = writeln!(text, "{size:>12}  {}  {path}{mark}", time(file.mtime_ns));
    }
    text
}

fn time(ns: i64) -> String {
    u128::try_from(ns).map_or_else(|_| "before 1970".to_owned(), resilient_core::stamp::utc)
}
