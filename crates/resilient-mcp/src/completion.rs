//! What an argument of a prompt or a resource may be, as somebody types it.

use resilient_core::read::ListRequest;
use rmcp::model::CompletionInfo;

use crate::seam::Workspace;

/// So many names of a directory are looked at.
const LOOKED_AT: i64 = 5000;

/// What is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A file; directories lead to it.
    Path,
    /// A chunk session.
    Session,
    /// Anything.
    Free,
}

/// What may follow. A directory that is not there, or may not be read, has nothing in it.
pub(crate) fn complete(workspace: &Workspace, what: Argument, typed: &str) -> CompletionInfo {
    let mut values = match what {
        Argument::Path => paths(workspace, typed),
        Argument::Session => {
            let sessions = workspace.chunks().sessions().unwrap_or_default().sessions;
            sessions.into_iter().map(|it| it.session).collect()
        }
        Argument::Free => Vec::new(),
    };
    values.retain(|value| value.starts_with(typed));
    values.sort_unstable();
    let total = u32::try_from(values.len()).ok();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(values, total, has_more).unwrap_or_default()
}

fn paths(workspace: &Workspace, typed: &str) -> Vec<String> {
    let (dir, name) = match typed.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((dir, name)) => (dir, name),
        None => (".", typed),
    };
    let request = ListRequest {
        gitignore: false,
        hidden: name.starts_with('.'),
        depth: Some(1),
        max_files: LOOKED_AT,
        ..ListRequest::of(dir)
    };
    let Ok(listing) = workspace.reader().list(&request) else { return Vec::new() };
    // As it was typed: a listing writes `./a` as `a`.
    let head = typed.strip_suffix(name).unwrap_or_default();
    let found = listing.files.into_iter().filter(|file| !file.not_utf8);
    let shown = found.filter_map(|file| {
        let last = file.path.rsplit('/').next()?;
        Some(format!("{head}{last}{}", if file.is == Some("dir") { "/" } else { "" }))
    });
    shown.collect()
}
