//! Appends in place, of which a part may be there: they stay when all of it is, and are cut off
//! otherwise, which needs no space.

use std::io;

use super::{Verdict, make_reachable};
use crate::contents::{digest_range, write_again};
use crate::digest::Hasher;
use crate::disk::File;
use crate::error::{Error, Result};
use crate::journal::{Row, Sectors};
use crate::roots::Git;
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
) -> Result<Verdict> {
    let os = |source| Error::os(row.path.clone(), "recover", source);
    let path = row.abs_path.as_deref().unwrap_or_default();
    let Ok(target) = store.row_target(state, path, Git::Protected) else {
        return Ok(Verdict::Published);
    };
    let file = match target.dir.open_write(&target.name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Verdict::Published),
        other => other.map_err(os)?,
    };
    match look(row, &*file, at, sectors).map_err(os)? {
        Found::All => {
            write_again(&*file, at, row.bytes).and_then(|()| file.sync()).map_err(os)?;
            make_reachable(store, state, row)?;
            Ok(Verdict::Published)
        }
        Found::Part => {
            file.set_len(at).and_then(|()| file.sync()).map_err(os)?;
            Ok(Verdict::Withdrawn)
        }
        Found::Foreign => Ok(Verdict::Published),
    }
}

/// What there is of an append.
enum Found {
    All,
    /// A part, or nothing.
    Part,
    /// Something else.
    Foreign,
}

fn look(row: &Row, file: &dyn File, at: u64, sectors: &Sectors) -> io::Result<Found> {
    let len = file.stat()?.len;
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
