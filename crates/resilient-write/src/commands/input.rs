//! Where a command's text comes from: an option, a file that the user names, or standard input.

use std::io::{self, Read as _};
use std::path::Path;

use clap::{Args, ValueEnum};
use resilient_core::error::NotAFile;
use resilient_core::form::{self, Asked, AskedEol};
use resilient_core::workspace::{self, Purpose, Source};
use resilient_core::{Error, Result, risk, roots, write};
use serde_json::Value;

/// Content: of a file, of standard input, or given on the command line.
#[derive(Debug, Args)]
pub(crate) struct Content {
    /// The file that has the text; - is standard input
    #[arg(default_value = "-", value_name = "FILE", conflicts_with = "content")]
    file: String,
    /// The text itself
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
}

impl Content {
    /// Gives the text.
    ///
    /// # Errors
    /// The file or standard input cannot be read, or is not UTF-8.
    pub(crate) fn text(self) -> Result<String> {
        self.content.map_or_else(|| text(&self.file), Ok)
    }

    /// Gives the bytes.
    ///
    /// # Errors
    /// Standard input cannot be read.
    pub(crate) fn bytes(self) -> Result<Vec<u8>> {
        self.content.map_or_else(|| read(&self.file), |text| Ok(text.into_bytes()))
    }
}

/// Reads the PATH of a file to write. A sign that stands for standard input is none: PATH was left out.
///
/// # Errors
/// It is `-`.
pub(crate) fn path(given: &str) -> std::result::Result<String, String> {
    match given {
        "-" => Err("PATH is missing: - stands for standard input, and ./- is a file of that name"
            .to_owned()),
        path => Ok(path.to_owned()),
    }
}

/// A text that the state directory keeps: joined parts, or a draft.
#[derive(Debug, Args)]
pub(crate) struct Elsewhere {
    /// The parts of this chunk session, joined
    #[arg(long, value_name = "SESSION", conflicts_with = "draft")]
    session: Option<String>,
    /// A text that the scratchpad keeps, such as a blocked draft
    #[arg(long = "draft-sha256", alias = "draft", value_name = "SHA256")]
    draft: Option<String>,
}

impl Elsewhere {
    /// Where the text is, unless a file is meant.
    pub(crate) fn source(&self) -> Option<Source> {
        let session = self.session.clone();
        let session = session.map(|session| Source::Session { session, separator: String::new() });
        session.or_else(|| self.draft.clone().map(Source::Draft))
    }

    /// What to call the text in front of a line's number.
    pub(crate) fn name(&self) -> Option<&str> {
        self.session.as_deref().or(self.draft.as_deref())
    }
}

/// Whether text that looks like secrets is refused.
#[derive(Debug, Args)]
pub(crate) struct Classify {
    /// Refuse content that looks like secrets, from this verdict on
    #[arg(
        long,
        value_enum,
        value_name = "VERDICT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "high"
    )]
    classify: Option<Verdict>,
}

impl Classify {
    /// Says of a text that is not there what was meant, where its file has the name of a verdict.
    pub(crate) fn explained(&self, error: Error) -> Error {
        match error {
            Error::NotFound { path, .. }
                if self.classify.is_some() && Verdict::from_str(&path, false).is_ok() =>
            {
                let message =
                    format!("write --classify={path}, since {path} alone is the name of a file");
                Error::BadArgument { argument: "classify", message }
            }
            other => other,
        }
    }

    /// The verdict from which on content is refused.
    pub(crate) fn reject_at(&self) -> Option<risk::Verdict> {
        self.classify.map(|verdict| match verdict {
            Verdict::Low => risk::Verdict::Low,
            Verdict::Medium => risk::Verdict::Medium,
            Verdict::High => risk::Verdict::High,
        })
    }
}

/// The form that the text gets in the file.
#[derive(Debug, Args)]
pub(crate) struct Form {
    /// The file's encoding: keep (what it has), raw (the bytes as given), or a name as utf-16le,
    /// utf-8-bom, latin-1, shift_jis, gb18030
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// The line ends of what is written
    #[arg(long, value_enum, value_name = "EOL")]
    eol: Option<Eol>,
}

impl Form {
    /// What it asks for.
    ///
    /// # Errors
    /// The encoding is not known.
    pub(crate) fn asked(&self) -> Result<Asked> {
        let eol = match self.eol {
            None => AskedEol::Unsaid,
            Some(Eol::Keep) => AskedEol::Keep,
            Some(Eol::Raw) => AskedEol::Raw,
            Some(Eol::Lf) => AskedEol::Named(form::Eol::Lf),
            Some(Eol::Crlf) => AskedEol::Named(form::Eol::CrLf),
            Some(Eol::Cr) => AskedEol::Named(form::Eol::Cr),
        };
        write::asked(self.encoding.as_deref(), eol)
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Eol {
    /// Those that the file mostly has
    Keep,
    /// Those of the text
    Raw,
    Lf,
    Crlf,
    Cr,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Verdict {
    Low,
    Medium,
    High,
}

/// Reads a file as text; `-` is standard input.
///
/// # Errors
/// It is not there, cannot be read, or is not UTF-8.
pub(crate) fn text(file: &str) -> Result<String> {
    utf8(file, read(file)?)
}

/// Reads a file as text in the encoding that it is found to have; `-` is standard input.
///
/// # Errors
/// It is not there, cannot be read, or is no text.
pub(crate) fn decoded(file: &str, purpose: Purpose) -> Result<String> {
    workspace::decoded(file, read(file)?, purpose).map(|decoded| decoded.text)
}

/// Reads a file as JSON; `-` is standard input.
///
/// # Errors
/// As [`text`]; and it is not JSON.
pub(crate) fn json(argument: &'static str, file: &str) -> Result<Value> {
    let text = text(file).map_err(|error| match error {
        Error::NotFound { .. } if serde_json::from_str::<Value>(file).is_ok() => {
            let message =
                format!("pass the value itself as --{argument}, since FILE is the name of a file");
            Error::BadArgument { argument, message }
        }
        other => other,
    })?;
    parse_json(argument, &text)
}

/// Reads JSON from text.
///
/// # Errors
/// It is not JSON.
pub(crate) fn parse_json(argument: &'static str, text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| Error::BadArgument { argument, message: format!("not JSON: {error}") })
}

/// Reads a file; `-` is standard input.
///
/// # Errors
/// It is not there, or cannot be read.
pub(crate) fn bytes(file: &str) -> Result<Vec<u8>> {
    read(file)
}

/// The path of a file that the shell names and that is read in the workspace: a relative one begins in the
/// working directory, whatever `-w` says. Where `begin`, at which the workspace has relative paths begin, is the
/// working directory, the path stays as it is given.
///
/// # Errors
/// The working directory is gone.
#[expect(clippy::disallowed_methods, reason = "a file that the user names on the command line")]
pub(crate) fn from_here(file: String, begin: &Path) -> Result<String> {
    // What has another form is resolved, or refused, where the workspace is known.
    if !roots::plain(&file, None).is_ok_and(|plain| Path::new(&*plain).is_relative()) {
        return Ok(file);
    }
    let here = std::fs::canonicalize(".").map_err(|source| Error::Os {
        path: file.clone(),
        operation: "resolve",
        source,
    })?;
    if here == begin {
        return Ok(file);
    }
    Ok(here.join(&file).to_str().map_or(file, str::to_owned))
}

#[expect(clippy::disallowed_methods, reason = "a file that the user names on the command line")]
fn read(file: &str) -> Result<Vec<u8>> {
    let read = if file == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else if is_pipe(file) {
        return Err(Error::NotARegularFile { path: file.to_owned(), what: NotAFile::Special });
    } else {
        std::fs::read(file)
    };
    read.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound { path: file.to_owned(), near: Vec::new() },
        _ => Error::Os { path: file.to_owned(), operation: "read", source },
    })
}

/// Whether reading a file may wait for ever. What a shell passes as `<(command)` has a writer.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a file that the user names on the command line")]
fn is_pipe(file: &str) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    let is_passed = ["/dev/fd/", "/proc/self/fd/"].iter().any(|dir| file.starts_with(dir));
    !is_passed && std::fs::metadata(file).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_file: &str) -> bool {
    false
}

fn utf8(file: &str, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| Error::NotText {
        path: file.to_owned(),
        message: error.utf8_error().to_string(),
    })
}
