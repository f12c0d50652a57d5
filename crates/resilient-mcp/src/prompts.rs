//! The prompts: two beginnings of a conversation that a person picks. Each has what the server knows already in it, so
//! that the model needs no calls to find its place.

use resilient_core::handoff::DEFAULT_PATH;
use resilient_core::journal::Filter;
use resilient_core::{Error, Result as Outcome};
use rmcp::model::{Prompt, PromptArgument};
use serde::Serialize;
use serde_json::{Value, json};

use crate::seam::{Envelope, Notice, Workspace};

/// Take over from the last agent.
pub(crate) const HANDOFF: &str = "handoff";

/// Find out what happened after a crash.
pub(crate) const RECOVERY: &str = "recovery";

/// So many rows of the journal are shown.
const ROWS: usize = 20;

/// No more characters of a note's prose are shown.
const BODY_MAX: usize = 32 << 10;

/// All of them.
pub(crate) fn listed() -> Vec<Prompt> {
    let path = PromptArgument::new("path")
        .with_title("Path")
        .with_description("The handoff, HANDOFF.md unless you say otherwise.");
    let session = PromptArgument::new("session")
        .with_title("Chunk session")
        .with_description("Only the parts of this unfinished file.");
    vec![
        Prompt::new(
            HANDOFF,
            Some("Take over from the last agent: its note, and what has changed since."),
            Some(vec![path.with_required(false)]),
        )
        .with_title("Take over"),
        Prompt::new(
            RECOVERY,
            Some(
                "Find out what a crash has left: what recovery did, unfinished files, checkpoints.",
            ),
            Some(vec![session.with_required(false)]),
        )
        .with_title("After a crash"),
    ]
}

/// The text with which an agent takes over.
///
/// # Errors
/// The note cannot be read; that there is none is no error.
pub(crate) fn take_over(
    workspace: &Workspace,
    path: Option<&str>,
) -> Result<String, Box<Envelope>> {
    let rows = rows(workspace)?;
    let path = path.unwrap_or(DEFAULT_PATH);
    let note = match workspace.read_handoff(path) {
        Ok(note) => note,
        Err(Error::FileNotFound { .. } | Error::NotFound { .. }) => {
            return Ok(format!(
                "Another agent has worked here and has left no handoff at {path}. Find out from the last writes what it \
                 was about, read the files that they name, and ask me what the task is before you change anything.\n\n\
                 {rows}"
            ));
        }
        Err(error) => return Err(Box::new(Envelope::from(&error))),
    };
    let mut note = serde_json::to_value(note).unwrap_or_default();
    let mut rest = "";
    if let Some(Value::String(body)) = note.get_mut("body")
        && let Some((at, _)) = body.char_indices().nth(BODY_MAX)
    {
        body.truncate(at);
        rest = " Its body is cut here; read the file for the rest.";
    }
    Ok(format!(
        "Take over the work that another agent has handed off in {path}.{rest}\n\
         1. Read the files of envelope.last_good_state first. A file in drift_warnings is not as the note says: find out \
         who changed it and why, and trust the file.\n\
         2. If checkpoint_refs has a checkpoint of the task, read it.\n\
         3. Go on with envelope.next_steps, in their order. Ask me where the note is not clear.\n\n\
         The handoff:\n{note:#}\n\n{rows}"
    ))
}

/// The text with which an agent finds out what a crash has left, and what recovery did until now. `taken` has what
/// recovery did and nobody was told yet.
///
/// # Errors
/// The state cannot be read, or there is no such session.
pub(crate) fn after_a_crash(
    workspace: &Workspace,
    session: Option<&str>,
    taken: impl FnOnce() -> Vec<Notice>,
) -> Result<String, Box<Envelope>> {
    // IMPORTANT: first, since it is what has recovery run.
    let rows = rows(workspace)?;
    let notices = taken();
    let happened = if notices.is_empty() {
        "Recovery has nothing to tell: no write was interrupted, or an answer has told it before."
            .to_owned()
    } else {
        let told: Vec<String> = notices.iter().map(|notice| format!("- {}", notice.text)).collect();
        format!("What recovery did:\n{}", told.join("\n"))
    };
    let parts = match session {
        Some(session) => value(workspace.session_status(session))?,
        None => value(workspace.chunks().sessions())?,
    };
    let checkpoints = value(workspace.checkpoints().list())?;
    let left = json!({"unfinished_files": parts, "checkpoints": checkpoints});
    Ok(format!(
        "The last session may have ended in the middle of its work. Each write that was answered is on disk; one that was \
         not is there whole or not at all.\n{happened}\n\n\
         1. For a write that was taken back: make it again if it is still wanted. For content that is kept in conflicts: \
         show me both versions.\n\
         2. An unfinished file has parts that were sent and not yet composed: send the parts that are missing, then \
         compose it, or tell me that it can go.\n\
         3. Read the latest checkpoint of the task, and compare it with the last writes.\n\
         4. Tell me in a few sentences what was lost and what was not, before you go on.\n\n\
         What is unfinished:\n{left:#}\n\n{rows}"
    ))
}

/// The last writes, in words for a model.
fn rows(workspace: &Workspace) -> Result<String, Box<Envelope>> {
    let tail = value(workspace.journal_tail(ROWS, &Filter::default()))?;
    Ok(format!("The last writes, the newest at the end:\n{tail:#}"))
}

fn value<T: Serialize>(answer: Outcome<T>) -> Result<Value, Box<Envelope>> {
    match answer {
        Ok(answer) => Ok(serde_json::to_value(answer).unwrap_or_default()),
        Err(error) => Err(Box::new(Envelope::from(&error))),
    }
}
