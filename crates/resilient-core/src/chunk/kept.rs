//! The parts that a session has, by their numbers.

use std::ffi::OsStr;

use super::PARTS_MAX;
use super::manifest::manifest;
use crate::disk::DirRef;
use crate::error::{Error, Result};
use crate::name::is_name;
use crate::near::nearest;
use crate::store::{CHUNKS, Store};

pub(super) fn check_session(session: &str) -> Result<()> {
    if is_name(session) {
        return Ok(());
    }
    Err(Error::SessionName { session: session.to_owned() })
}

pub(super) fn part_name(index: u32) -> String {
    format!("part-{index:03}.txt")
}

pub(super) fn part_index(name: &OsStr) -> Option<u32> {
    let digits = name.to_str()?.strip_prefix("part-")?.strip_suffix(".txt")?;
    let all_digits = digits.len() == 3 && digits.bytes().all(|c| c.is_ascii_digit());
    digits.parse().ok().filter(|index| all_digits && (1..=PARTS_MAX).contains(index))
}

/// The session's directory and the numbers of its parts, ascending.
pub(super) fn list(store: &Store, session: &str) -> Result<Option<(DirRef, Vec<u32>)>> {
    let below = [CHUNKS, session];
    let Some(dir) = store.state_dir(&below)? else { return Ok(None) };
    let entries =
        dir.entries().map_err(|source| Error::os(store.shown_state(&below), "list", source))?;
    Ok(Some((dir, entries.iter().filter_map(|name| part_index(name)).collect())))
}

/// Checks that the parts make a whole.
pub(super) fn complete(
    store: &Store,
    session: &str,
    composing: bool,
) -> Result<(DirRef, Vec<u32>)> {
    let session = session.to_owned();
    let Some((dir, have)) = list(store, &session)? else {
        let near = near_sessions(store, &session);
        return Err(match composing {
            true => Error::SessionNotFound { session, near, composed: None },
            false => Error::NoChunks { session, near, composed: None },
        });
    };
    if have.is_empty() {
        return Err(Error::NoChunks { session, near: Vec::new(), composed: None });
    }
    let count = u32::try_from(have.len()).unwrap_or(u32::MAX);
    let manifest = manifest(store, &session);
    if have.last().is_some_and(|highest| *highest > count) {
        let total_expected = manifest.ok().flatten().and_then(|found| found.total_expected);
        let missing = missing(&have, total_expected);
        let most = total_expected.map_or(count, |total| total.min(count));
        let unexpected = Some(have.iter().copied().filter(|index| *index > most).collect());
        return Err(Error::NonContiguous { session, have, missing, unexpected, total_expected });
    }
    if let Some(total_expected) = manifest?.and_then(|found| found.total_expected)
        && total_expected != count
    {
        return Err(Error::ChunkCount { session, have: have.len(), total_expected });
    }
    Ok((dir, have))
}

/// The numbers of the parts that are still to come: up to the highest that is there, or to the announced total.
pub(super) fn missing(have: &[u32], total_expected: Option<u32>) -> Vec<u32> {
    let last = have.last().copied().max(total_expected).unwrap_or_default();
    (1..=last).filter(|index| have.binary_search(index).is_err()).collect()
}

/// Checks that all parts in front of a last one are there.
pub(super) fn none_missing(session: &str, have: &[u32], last: u32) -> Result<()> {
    let missing: Vec<u32> = (1..last).filter(|at| have.binary_search(at).is_err()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (session, have) = (session.to_owned(), have.to_vec());
    Err(Error::NonContiguous { session, have, missing, unexpected: None, total_expected: None })
}

/// The sessions whose names come near.
pub(super) fn near_sessions(store: &Store, session: &str) -> Vec<String> {
    let dir = store.state_dir(&[CHUNKS]).ok().flatten();
    let entries = dir.and_then(|dir| dir.entries().ok()).unwrap_or_default();
    nearest(session, entries.iter().filter_map(|entry| entry.to_str()))
}
