//! Looking at many files: which there are, and what each of them holds.
//!
//! The files are listed first, so that the progress is known, and then scanned on all cores. The result
//! is in the order of the paths, whatever was scanned first.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ignore::WalkBuilder;
use indicatif::{ProgressBar, ProgressStyle};
use memchr::memchr_iter;
use resilient_core::form::Decoded;
use resilient_core::risk::{self, Detection, Explanation, Policy, Report, Verdict};
use resilient_core::{Error, Workspace};

use super::super::input;
use super::named::{named, shown};

/// The beginning of a file shows whether it is text.
const HEAD_CHARS: usize = 8 * 1024;

/// Longer files are data, whatever they look like.
const FILE_LEN_MAX: u64 = 64 << 20;

/// What was looked at.
#[derive(Debug)]
pub(super) struct Scan {
    /// Files with findings, and those that could not be looked at, by path.
    pub(super) files: Vec<File>,
    /// How many files were scanned.
    pub(super) scanned: usize,
    /// How long they were together.
    pub(super) bytes: usize,
}

/// One file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) outcome: Outcome,
}

/// What came of looking at a file.
#[derive(Debug)]
pub(super) enum Outcome {
    Found {
        report: Report,
        findings: Vec<Finding>,
    },
    /// It was left out.
    Skipped(Skipped),
    Failed(Error),
}

/// Why a file was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skipped {
    Allowed,
    TooLong,
    Utf32,
    Binary,
}

impl Skipped {
    /// Whether nobody has looked at the file: it is low then.
    pub(super) fn is_unknown(self) -> bool {
        self != Self::Allowed
    }

    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Allowed => "allowed by the policy",
            Self::TooLong => "longer than 64 MiB",
            Self::Utf32 => "UTF-32",
            Self::Binary => "binary",
        }
    }
}

/// One finding and where it is.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) found: Detection,
    pub(super) level: Verdict,
    /// Line and column of its first character and of the one after its last, from 1.
    pub(super) from: (usize, usize),
    pub(super) to: (usize, usize),
    pub(super) why: Option<Explanation>,
}

impl Scan {
    /// Scans files and what is below directories.
    pub(super) fn of(
        paths: &[String],
        workspace: &Workspace,
        policy: &Policy,
        ignoring: bool,
        explaining: bool,
    ) -> Self {
        let is_allowed =
            |path: &str| named(workspace, policy, path).is_some_and(|it| policy.allow.path(&it));
        let (listed, mut files) = list(paths, ignoring);
        let bar = progress(listed.len());
        let next = AtomicUsize::new(0);
        let done: Mutex<(Vec<File>, usize, usize)> = Mutex::default();
        let work = || {
            while let Some(path) = listed.get(next.fetch_add(1, Ordering::Relaxed)) {
                let (len, outcome) = match is_allowed(path) {
                    true => (None, Some(Outcome::Skipped(Skipped::Allowed))),
                    false => look(path, policy, explaining),
                };
                bar.inc(1);
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                let (files, scanned, bytes) = &mut *done;
                if len.is_some() {
                    *scanned += 1;
                    *bytes += len.unwrap_or_default();
                }
                files.extend(outcome.map(|outcome| File { path: shown(path), outcome }));
            }
        };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 1..cores.min(listed.len()) {
                scope.spawn(work);
            }
            work();
        });
        bar.finish_and_clear();
        let (found, scanned, bytes) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.extend(found);
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Self { files, scanned, bytes }
    }

    /// The findings, with the paths of their files.
    pub(super) fn findings(&self) -> impl Iterator<Item = (&str, &Finding)> {
        self.files.iter().flat_map(|file| {
            let findings = match &file.outcome {
                Outcome::Found { findings, .. } => findings.as_slice(),
                Outcome::Skipped(_) | Outcome::Failed(_) => &[],
            };
            findings.iter().map(|finding| (file.path.as_str(), finding))
        })
    }

    /// The level of the worst finding. A file that nobody could look at is low: nothing is known of it.
    pub(super) fn worst(&self) -> Option<Verdict> {
        let unknown = (self.unknown() > 0).then_some(Verdict::Low);
        self.findings().map(|(_, finding)| finding.level).max().max(unknown)
    }

    /// How many files nobody could look at.
    pub(super) fn unknown(&self) -> usize {
        let skipped = self.files.iter().filter_map(|file| match file.outcome {
            Outcome::Skipped(why) => Some(why),
            Outcome::Found { .. } | Outcome::Failed(_) => None,
        });
        skipped.filter(|why| why.is_unknown()).count()
    }
}

/// The files to be scanned, each once, and the places that cannot be walked.
fn list(paths: &[String], ignoring: bool) -> (Vec<String>, Vec<File>) {
    let (mut listed, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        if path == "-" {
            listed.push(path.clone());
            continue;
        }
        let walk = WalkBuilder::new(path)
            // What begins with a dot is where secrets are.
            .hidden(false)
            .ignore(ignoring)
            .git_ignore(ignoring)
            .git_global(ignoring)
            .git_exclude(ignoring)
            .parents(ignoring)
            .require_git(false)
            .filter_entry(|entry| {
                let own =
                    [".git", ".resilient_write"].iter().any(|name| entry.file_name() == *name);
                entry.depth() == 0 || !own
            })
            .build();
        for entry in walk {
            match entry {
                Ok(entry) => {
                    if entry.file_type().is_some_and(|kind| kind.is_file())
                        || entry.depth() == 0 && !entry.path().is_dir()
                    {
                        // However it was reached, a file is one.
                        listed.push(shown(&entry.path().to_string_lossy()));
                    }
                }
                Err(error) => {
                    failed.push(File { path: shown(path), outcome: unwalked(path, error) });
                }
            }
        }
    }
    listed.sort();
    listed.dedup();
    (listed, failed)
}

/// A bar on standard error, where somebody looks at it.
fn progress(files: usize) -> ProgressBar {
    let bar = if files > 1 { ProgressBar::new(files as u64) } else { ProgressBar::hidden() };
    match ProgressStyle::with_template("{bar:30} {pos}/{len} files, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Looks at one file: how many bytes were scanned, and what is to be told.
fn look(path: &str, policy: &Policy, explaining: bool) -> (Option<usize>, Option<Outcome>) {
    if Path::new(path).metadata().is_ok_and(|file| file.len() > FILE_LEN_MAX) {
        return (None, Some(Outcome::Skipped(Skipped::TooLong)));
    }
    let bytes = match input::bytes(path) {
        Ok(bytes) => bytes,
        Err(error) => return (None, Some(Outcome::Failed(error))),
    };
    let len = bytes.len();
    let content = match text_of(bytes) {
        Ok(content) => content,
        Err(why) => return (None, Some(Outcome::Skipped(why))),
    };
    let report = risk::score(&content, policy);
    if report.detected_patterns.is_empty() {
        return (Some(len), None);
    }
    let mut why = match explaining {
        true => risk::explain(&content, &report, policy).into_iter().map(Some).collect(),
        false => Vec::new(),
    }
    .into_iter();
    let span = |found: &Detection| match found {
        Detection::Pattern(hit) => hit.span.clone(),
        Detection::Size(_) => 0..0,
    };
    let all = report.detected_patterns.iter().map(span);
    let positions = positions(&content, all.flat_map(|span| [span.start, span.end]));
    let position = |at: usize| positions.get(&at).copied().unwrap_or((1, 1));
    let findings = report
        .detected_patterns
        .iter()
        .map(|found| Finding {
            level: risk::level(found, policy),
            from: position(span(found).start),
            to: position(span(found).end),
            found: found.clone(),
            why: why.next().flatten(),
        })
        .collect();
    (Some(len), Some(Outcome::Found { report, findings }))
}

/// The text of a file in its encoding. One that is binary for a read is read as far as it is text, if most of
/// it is: a NUL between two lines hides nothing.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, Skipped> {
    let content = match Decoded::of(bytes) {
        Ok(decoded) => decoded.text,
        Err(bytes) if Decoded::is_utf32(&bytes) => return Err(Skipped::Utf32),
        Err(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    if is_mostly_text(&content) { Ok(content) } else { Err(Skipped::Binary) }
}

/// Tells by its beginning whether no more than a tenth of a text is no character that is shown.
fn is_mostly_text(content: &str) -> bool {
    let is_strange = |char: char| {
        char.is_control() && !char.is_whitespace() && char != '\u{1b}' || char == '\u{fffd}'
    };
    let (mut all, mut strange) = (0, 0);
    for char in content.chars().take(HEAD_CHARS) {
        all += 1;
        strange += usize::from(is_strange(char));
    }
    strange * 10 <= all
}

/// Lines and columns of offsets, in one walk over the text.
fn positions(
    content: &str,
    offsets: impl Iterator<Item = usize>,
) -> BTreeMap<usize, (usize, usize)> {
    let mut positions: BTreeMap<usize, (usize, usize)> = offsets.map(|at| (at, (1, 1))).collect();
    let (mut line, mut col, mut from) = (1, 1, 0);
    for (at, position) in &mut positions {
        let gap = content.get(from..*at).unwrap_or_default();
        line += memchr_iter(b'\n', gap.as_bytes()).count();
        match gap.rsplit_once('\n') {
            Some((_, last)) => col = last.chars().count() + 1,
            None => col += gap.chars().count(),
        }
        from = *at;
        *position = (line, col);
    }
    positions
}

/// What came of a place that cannot be walked.
fn unwalked(path: &str, error: ignore::Error) -> Outcome {
    let message = error.to_string();
    let source = error.into_io_error().unwrap_or_else(|| io::Error::other(message));
    Outcome::Failed(match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound { path: path.to_owned(), near: Vec::new() },
        _ => Error::Os { path: path.to_owned(), operation: "list", source },
    })
}

/// Why a file could not be looked at, in words.
pub(super) fn reason(error: &Error) -> String {
    match error {
        Error::NotFound { .. } => "there is no such file".to_owned(),
        Error::Os { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mostly_text_is_read() {
        let wide = |text: &str| text.bytes().flat_map(|byte| [byte, 0]).collect::<Vec<u8>>();
        let line = "token = 1234567890\n";
        for (bytes, text) in [
            (b"A=1\0B=two words\0C=three".to_vec(), Some("A=1\0B=two words\0C=three")),
            (wide(line), Some(line)),
            ([b"\xff\xfe".to_vec(), wide(line)].concat(), Some(line)),
            (b"caf\xe9 noir\n".to_vec(), Some("caf\u{e9} noir\n")),
            (b"\x7fELF\x02\x01\x01\0\0\0\0".to_vec(), None),
            (Vec::new(), Some("")),
        ] {
            assert_eq!(text_of(bytes).ok().as_deref(), text);
        }
    }

    #[test]
    fn positions_count_characters_from_one() {
        let text = "é a\nbc\n\nd";
        let found = positions(text, [9, 0, 3, 6, 8].into_iter());
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [(0, (1, 1)), (3, (1, 3)), (6, (2, 2)), (8, (3, 1)), (9, (4, 1))]
        );
    }
}
