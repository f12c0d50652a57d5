//! The resources: what a person or a client can look at without a call of a tool.
//!
//! A file is read as the reading tools read it, with the same checks, and whole: one that is too long for an answer
//! is refused.

use resilient_core::handoff::DEFAULT_PATH;
use resilient_core::journal::Filter;
use resilient_core::read::{StatRequest, WindowRequest};
use resilient_core::{Error, Result as Outcome};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use serde_json::Value;

use crate::seam::{Envelope, ErrorKind, ReasonHint, SuggestedAction, Workspace};
use crate::uri::{FILE_TEMPLATE, HANDOFF, JOURNAL, Named};

/// So many rows of the journal are shown.
const ROWS: usize = 50;

/// The longest file that is read whole: what a reading tool answers at most.
pub(crate) const WHOLE_MAX: i64 = 2 << 20;

const JSON: &str = "application/json";

/// Those with an address of their own.
pub(crate) fn listed() -> Vec<Resource> {
    vec![
        Resource::new(JOURNAL, "journal")
            .with_title("Last writes")
            .with_description("The last rows of the journal: what was written, when, and by whom.")
            .with_mime_type(JSON),
        Resource::new(HANDOFF, "handoff")
            .with_title("Handoff")
            .with_description(
                "The note of the last agent, and the files that have changed since it was written.",
            )
            .with_mime_type(JSON),
    ]
}

/// Those that need a path.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(FILE_TEMPLATE, "file")
            .with_title("A file of the workspace")
            .with_description("A whole file of at most 2 MiB."),
    ]
}

/// Reads what an address names.
///
/// # Errors
/// The envelope of whatever the library refused; a file is too long.
pub(crate) fn read(
    workspace: &Workspace,
    uri: &str,
    named: &Named,
) -> Result<ResourceContents, Box<Envelope>> {
    match named {
        Named::Journal => of_json(uri, workspace.journal_tail(ROWS, &Filter::default())),
        Named::Handoff => match workspace.read_handoff(DEFAULT_PATH) {
            Err(Error::FileNotFound { .. } | Error::NotFound { .. }) => Err(no_handoff()),
            note => of_json(uri, note),
        },
        Named::File(path) => file(workspace, uri, path),
    }
}

/// Why a path is none of a file that could be read; one of a file that is not there yet could.
pub(crate) fn refusal(workspace: &Workspace, path: &str) -> Option<Box<Envelope>> {
    let request = StatRequest { path: path.to_owned(), digest: Some(false) };
    match workspace.reader().stat(&request) {
        Ok(_) | Err(Error::NotFound { .. }) => None,
        Err(error) => Some(refused(&error)),
    }
}

fn of_json<T: Serialize>(uri: &str, answer: Outcome<T>) -> Result<ResourceContents, Box<Envelope>> {
    let answer = answer.map_err(|error| Box::new(Envelope::from(&error)))?;
    let value: Value = serde_json::to_value(answer).unwrap_or_default();
    Ok(ResourceContents::text(format!("{value:#}"), uri).with_mime_type(JSON))
}

fn file(workspace: &Workspace, uri: &str, path: &str) -> Result<ResourceContents, Box<Envelope>> {
    let window = |encoding: Option<&str>| {
        let request = WindowRequest {
            max_bytes: WHOLE_MAX,
            encoding: encoding.map(str::to_owned),
            ..WindowRequest::of(path)
        };
        workspace.reader().window(&request).map_err(|error| refused(&error))
    };
    let text = window(None)?;
    if !text.eof {
        return Err(too_long(path, text.size));
    }
    if text.encoding != BYTES && text.invalid_bytes == 0 {
        return Ok(ResourceContents::text(text.content, uri));
    }
    // What is no text is given as it is.
    let bytes = if text.encoding == BYTES { text } else { window(Some(BYTES))? };
    if !bytes.eof {
        return Err(too_long(path, bytes.size));
    }
    Ok(ResourceContents::blob(bytes.content, uri).with_mime_type("application/octet-stream"))
}

/// What the reader calls bytes that are no text.
const BYTES: &str = "base64";

fn refused(error: &Error) -> Box<Envelope> {
    Box::new(Envelope::of_read(error))
}

fn no_handoff() -> Box<Envelope> {
    let mut refused =
        Envelope::new(ErrorKind::NotFound, ReasonHint::Missing, SuggestedAction::RetryLater)
            .with("path", DEFAULT_PATH)
            .with("hint", "read it once an agent has written one");
    refused.message = Some(format!("there is no {DEFAULT_PATH} yet"));
    refused
}

fn too_long(path: &str, size: u64) -> Box<Envelope> {
    let mut refused =
        Envelope::new(ErrorKind::InvalidInput, ReasonHint::SizeLimit, SuggestedAction::Split)
            .with("path", path)
            .with("size", size)
            .with("max_bytes", WHOLE_MAX)
            .with("hint", "read it in windows, with a tool that reads files");
    refused.message = Some(format!("{path} has {size} bytes, and a resource {WHOLE_MAX} at most"));
    refused
}
