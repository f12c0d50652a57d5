//! Appends in place, of which a part may be there: they stay when all of it is, and are cut off
//! otherwise, which needs no space.

use std::io;

use super::look;
use super::names::sync_names;
use super::obstacle::Obstacle;
use super::verdict::Verdict;
use crate::contents::{digest_range, write_again};
use crate::digest::Hasher;
use crate::disk::{File, Stat};
use crate::journal::{Row, Sectors};
use crate::state::State;
use crate::store::Store;

/// Decides what becomes of a row whose bytes were added where the file is, at offset `at`.
///
/// A file that is not what the append left or a crash can have left of it was changed by somebody
/// else since: it is theirs, and the row stays.
pub(super) fn resolve(
    store: &Store,
    state: &State,
    row: &Row,
    at: u64,
    sectors: &Sectors,
) -> Result<Verdict, Obstacle> {
    let path = row.abs_path.as_deref().unwrap_or_default();
    let Some((file, writable)) = look::open(store, state, path)? else {
        return Ok(Verdict::Published);
    };
    let seen = file.stat()?;
    match look_at(row, &*file, &seen, at, sectors)? {
        Found::All => {
            // Fresh bytes, since a sync of the old ones may have failed. Nobody can give a file
            // those that nobody may write.
            if writable {
                last_look(&*file, &seen)?;
                write_again(&*file, at, row.bytes)?;
            }
            file.sync()?;
            sync_names(store, state, row)?;
            Ok(Verdict::Published)
        }
        Found::Part => {
            if seen.len > at {
                if !writable {
                    return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
                }
                last_look(&*file, &seen)?;
                file.set_len(at)?;
            }
            // Also where nothing is there: a recovery before this one may have cut it off.
            file.sync()?;
            Ok(Verdict::Withdrawn)
        }
        Found::Foreign => Ok(Verdict::Published),
    }
}

/// Whether a file is still what was looked at.
pub(super) fn last_look(file: &dyn File, seen: &Stat) -> Result<(), Obstacle> {
    if file.stat()? == *seen { Ok(()) } else { Err(Obstacle::changing()) }
}

/// What there is of an append.
enum Found {
    All,
    /// A part, or nothing.
    Part,
    /// Something else.
    Foreign,
}

fn look_at(
    row: &Row,
    file: &dyn File,
    seen: &Stat,
    at: u64,
    sectors: &Sectors,
) -> io::Result<Found> {
    let len = seen.len;
    let Some(added) = row.bytes.checked_sub(at).filter(|_| len >= at) else {
        return Ok(Found::Foreign);
    };
    let mut digest = Hasher::default();
    digest_range(file, 0, at, &mut digest)?;
    if Some(digest.clone().finish()) != row.prev_sha256 {
        return Ok(Found::Foreign);
    }
    if len >= row.bytes {
        digest_range(file, at, row.bytes, &mut digest)?;
        if digest.finish() == row.sha256 {
            return Ok(Found::All);
        }
    }
    let is_ours = sectors.explain(file, at, added)?;
    Ok(if is_ours { Found::Part } else { Found::Foreign })
}
