//! The moment at which files change: a rename, bytes copied through a file's names, bytes at its end.

use std::io;

use super::change::{Append, Change, How, Precondition, Publish, Staged};
use super::outcome::{Outcome, repeat, unknown};
use crate::contents::{copy_all, digest_now, digest_of, holds};
use crate::disk::{File, Replace, Stat, Strayed, append_by_pages};
use crate::error::Error;
use crate::journal::Mode;
use crate::log::write_line;
use crate::recovery;
use crate::roots::Target;
use crate::state::State;

/// Brings the files of a change to their places; with an error before the first, nothing of it happened.
pub(super) fn publish(state: &mut State, change: &Change) -> Outcome {
    // All of them before the first changes: from then on only forward is safe.
    let looked = match change.check() {
        Ok(looked) => looked,
        Err(error) => return Outcome::Failed(error),
    };
    for (step, (publish, before)) in change.publishes.iter().zip(looked).enumerate() {
        match publish_one(state, publish, before.as_ref(), change) {
            Outcome::Going => {}
            // Once a file of the change is out, only forward is safe.
            Outcome::Failed(Error::Os { source, .. }) if step > 0 => {
                return unknown(change, &source);
            }
            Outcome::Failed(Error::AlreadyExists { .. } | Error::Stale { .. }) if step > 0 => {
                return unknown(change, &io::ErrorKind::AlreadyExists.into());
            }
            outcome => return outcome,
        }
    }
    if let Some(bytes) = &change.append {
        let outcome = append(state, bytes, change);
        if !outcome.is_going() {
            return outcome;
        }
    }
    if let Some((file, line, _)) = &change.line
        && let Err(source) = write_line(&**file, line)
    {
        let bytes = format!("{}\n", line.text).into_bytes();
        if change.publishes.is_empty()
            && cut_back(&**file, line.at, &bytes, None).is_ok_and(|is_cut| is_cut)
        {
            return Outcome::Failed(Error::os(line.abs_path.clone(), "append", source));
        }
        return unknown(change, &source);
    }
    Outcome::Going
}

/// Adds bytes at a file's end and reads them back.
fn append(state: &mut State, append: &Append, change: &Change) -> Outcome {
    let Append { file, target, at, bytes, after, .. } = append;
    // The facts before it is read back and before the wait: what others write meanwhile must be noticed, here and by
    // the next append.
    let written = match append_by_pages(&**file, bytes, *at) {
        Ok(Some(strayed)) => return behind_others(append, &strayed, change),
        Ok(None) => file.stat(),
        Err(error) => Err(error),
    };
    let failed = match &written {
        Ok(left) => match holds(&**file, *at, bytes) {
            Ok(true) => {
                if left.len == at + bytes.len() as u64 {
                    state.digests.put_appended(*left, after.clone());
                }
                return Outcome::Going;
            }
            Ok(false) => match digest_of(&**file) {
                Ok((actual, bytes)) => {
                    let path = target.shown.clone();
                    Error::ReadBack { path, expected: after.finish(), actual, bytes }
                }
                Err(source) => Error::os(target.shown.clone(), "read back", source),
            },
            Err(source) => Error::os(target.shown.clone(), "read back", source),
        },
        Err(source) => Error::os(target.shown.clone(), "append", repeat(source)),
    };
    match (cut_durably(&**file, *at, bytes, written.ok().as_ref()), failed) {
        (Ok(true), failed) => Outcome::Failed(failed),
        (Ok(false), Error::Os { source, .. }) | (Err(source), _) => {
            Outcome::Unknown(change.unknown_from(*at, source))
        }
        (Ok(false), _) => {
            Outcome::Unknown(change.unknown_from(*at, io::ErrorKind::InvalidData.into()))
        }
    }
}

/// Cuts off a piece of an append that stands behind what another program has added since the last look. The call may
/// go behind that.
fn behind_others(append: &Append, strayed: &Strayed, change: &Change) -> Outcome {
    let Append { file, target, at, bytes, before, .. } = append;
    let piece = bytes.get(strayed.piece.clone()).unwrap_or_default();
    match cut_durably(&**file, strayed.at, piece, None) {
        Ok(true) if strayed.piece.start == 0 => {
            if let Err(changed) = before.check(target) {
                return Outcome::Failed(changed);
            }
        }
        Ok(_) => {}
        Err(source) => return Outcome::Unknown(change.unknown_from(*at, source)),
    }
    Outcome::Unknown(change.unknown_from(*at, io::ErrorKind::InvalidData.into()))
}

/// Cuts off what an append has left, as [`cut_back`] does.
///
/// IMPORTANT: durably, before the row goes.
fn cut_durably(file: &dyn File, at: u64, bytes: &[u8], left: Option<&Stat>) -> io::Result<bool> {
    cut_back(file, at, bytes, left).and_then(|is_cut| file.sync().map(|()| is_cut))
}

/// Cuts off what an append that failed has left. `false`, and the file stays, where somebody has written into it
/// meanwhile. `left` are its facts once all of the append was written.
fn cut_back(file: &dyn File, at: u64, bytes: &[u8], left: Option<&Stat>) -> io::Result<bool> {
    let now = file.stat()?;
    let Some(added) = now.len.checked_sub(at).filter(|added| *added > 0) else { return Ok(true) };
    let added = usize::try_from(added).ok().and_then(|added| bytes.get(..added));
    let is_ours = left == Some(&now) || added.map_or(Ok(false), |added| holds(file, at, added))?;
    // The last look.
    if !is_ours || file.stat()? != now {
        return Ok(false);
    }
    file.set_len(at).map(|()| true)
}

/// Gives a file back what it held, after a write in place that failed. `false`, and the file stays, where somebody
/// has written into it meanwhile.
fn write_back(file: &dyn File, staged: &Staged, undo: &Staged) -> io::Result<bool> {
    let now = file.stat()?;
    let is_ours = (undo.len..=undo.len.max(staged.len)).contains(&now.len)
        && recovery::is_torn(file, &[&*staged.file, &*undo.file])?;
    // The last look.
    if !is_ours || file.stat()? != now {
        return Ok(false);
    }
    copy_all(&*undo.file, file)?;
    // IMPORTANT: durably, since the row is about to go.
    file.sync().map(|()| true)
}

/// Whether a target's name leads to staged content.
fn is_published(staged: &Staged, target: &Target) -> io::Result<bool> {
    match target.dir.stat(&target.name) {
        Ok(now) => Ok(now.id == staged.file.id()?),
        // A name that the system does not take leads to nothing.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Takes the slot's name from content that has its target's name already. The target's is durable
/// before, and the removal before the answer: a slot that comes back would call the file unpublished.
fn finish_link(staged: &Staged, target: &Target) -> io::Result<()> {
    target.dir.sync()?;
    staged.dir.remove_file(&staged.slot)?;
    staged.dir.sync()
}

/// What has become of an exchange that the system has made.
enum Exchanged {
    Done,
    /// What came out is not what was looked at: it is at its place again.
    TakenBack,
    Unknown(io::Error),
}

/// Exchanges slot and target, and looks at what came out: an editor, which knows no lock, may have saved
/// after the last look. Its file goes back at once.
///
/// # Errors
/// The system has not made the exchange.
fn exchange(
    staged: &Staged,
    target: &Target,
    before: Option<&Precondition>,
) -> io::Result<Exchanged> {
    let exchange = || staged.dir.exchange(&staged.slot, &*target.dir, &target.name);
    match exchange() {
        // The target was removed after the last look.
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_slot(staged) => {
            return Ok(Exchanged::TakenBack);
        }
        other => other?,
    }
    let checked = before.map_or(Ok(true), |before| before.is_at(&*staged.dir, &staged.slot));
    let taken_back = match checked {
        Ok(true) => return Ok(Exchanged::Done),
        // IMPORTANT: durably, since the row is about to go.
        Ok(false) => exchange().and_then(|()| target.dir.sync()).and_then(|()| staged.dir.sync()),
        Err(error) => Err(error),
    };
    Ok(match taken_back {
        // What came out now has to be what went in, or somebody has saved once more.
        Ok(()) if is_slot(staged) => Exchanged::TakenBack,
        Ok(()) => Exchanged::Unknown(io::ErrorKind::AlreadyExists.into()),
        Err(error) => Exchanged::Unknown(error),
    })
}

/// Whether a slot's name leads to what was staged there.
fn is_slot(staged: &Staged) -> bool {
    let named = staged.dir.stat(&staged.slot);
    matches!((named, staged.file.id()), (Ok(named), Ok(id)) if named.id == id)
}

fn publish_one(
    state: &mut State,
    publish: &Publish,
    before: Option<&Precondition>,
    change: &Change,
) -> Outcome {
    let Publish { staged, target, how, .. } = publish;
    let shown = || target.shown.clone();
    let (result, undone, deed) = match how {
        How::Rename(replace) => {
            let renamed = staged.dir.rename(&staged.slot, &*target.dir, &target.name, *replace);
            match renamed {
                Ok(()) => (Ok(()), false, "rename"),
                // The names tell whether the system has done what it says it has not.
                Err(source) => match is_published(staged, target) {
                    Ok(true) => (finish_link(staged, target), false, "rename"),
                    Ok(false) => {
                        let undone = staged.dir.stat(&staged.slot).is_ok();
                        (Err(source), undone, "rename")
                    }
                    Err(_) => (Err(source), false, "rename"),
                },
            }
        }
        How::Exchange => match exchange(staged, target, before) {
            Ok(Exchanged::Unknown(source)) => (Err(source), false, "exchange"),
            Ok(Exchanged::Done) => (Ok(()), false, "exchange"),
            Ok(Exchanged::TakenBack) => {
                (Err(io::ErrorKind::AlreadyExists.into()), true, "exchange")
            }
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                // The file system said before that it can.
                state.can_exchange = false;
                let renamed =
                    staged.dir.rename(&staged.slot, &*target.dir, &target.name, Replace::Yes);
                let undone = renamed.is_err() && staged.dir.stat(&staged.slot).is_ok();
                (renamed, undone, "rename")
            }
            Err(source) => (Err(source), is_slot(staged), "exchange"),
        },
        How::InPlace { file, undo } => match copy_all(&*staged.file, &**file) {
            Ok(()) => (Ok(()), false, "write"),
            Err(source) => match write_back(&**file, staged, undo) {
                Ok(true) => (Err(source), true, "write"),
                _ => return Outcome::Unknown(change.unknown_from(0, source)),
            },
        },
    };
    match result {
        Ok(()) => Outcome::Going,
        Err(source) if !undone => unknown(change, &source),
        Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
            let (path, now) = (shown(), digest_now(target).ok().flatten());
            Outcome::Failed(match change.row.as_ref().map(|row| row.mode) {
                Some(Mode::Create) => Error::AlreadyExists { path, sha256: now, since: None },
                _ => Error::Stale { path, expected: String::new(), actual: now, since: None },
            })
        }
        Err(source) => Outcome::Failed(Error::os(shown(), deed, source)),
    }
}
