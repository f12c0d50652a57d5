//! The names of files: as they are shown, and as the globs of `allow.paths` match them.

use std::path::Path;

use resilient_core::Workspace;
use resilient_core::risk::Policy;

/// The path that a write to the file would report, however the file is named here. A file outside of the workspace has
/// its absolute path. Standard input has no name.
pub(super) fn named(workspace: &Workspace, policy: &Policy, path: &str) -> Option<String> {
    if path == "-" {
        return None;
    }
    if policy.allow.paths.is_empty() {
        return Some(shown(path));
    }
    // A command reads a relative path from its own directory, which need not be in the workspace.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_owned());
    let roots = workspace.roots();
    if let Ok(target) = roots.readable(&absolute.to_string_lossy()) {
        return Some(roots.show(target.path()));
    }
    let resolved = absolute.canonicalize().unwrap_or(absolute);
    Some(shown(&resolved.to_string_lossy()))
}

/// A path as it is shown.
pub(super) fn shown(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    path.strip_prefix("./").map_or(path.clone(), str::to_owned)
}
