//! Rows that wait and cannot be read: another user's, damaged ones, a disk that fails there.

use std::io;

use super::obstacle::Obstacle;
use super::pending::{self, Counted, Unread, Waiting};
use super::{conflict, sweep};
use crate::disk::Kind;
use crate::pending::Pending;
use crate::report::{Conflict, Report, What};
use crate::state::{State, is_slot};
use crate::store::Store;

/// Tells that rows wait which cannot be read.
pub(super) fn tell(store: &Store, waiting: &Waiting, report: &mut Report) {
    for unread in &waiting.unread {
        let path = unread.shown(store);
        if report.pending.iter().all(|known| known.path != path) {
            let reason = format!("its row cannot be read: {}", unread.reason);
            report.pending.push(Pending { path, journal_id: String::new(), reason });
        }
    }
}

/// Gives up the rows that cannot be read. As nobody knows which slots are theirs, all contents are kept that no other row
/// counts on. Where one cannot be kept, nothing is given up.
pub(super) fn give_up(store: &Store, state: &State, report: &mut Report) {
    let waiting = pending::list(state);
    tell(store, &waiting, report);
    let Some(first) = waiting.unread.first() else { return };
    if waiting.unread.iter().any(|unread| unread.name.is_none()) {
        // Nobody knows what there is to be given up.
        return;
    }
    let kept = keep_contents(store, state, &waiting, first)
        .and_then(|kept| Ok(pending::move_to_conflicts(state, &waiting.unread).map(|()| kept)?));
    match kept {
        Ok(kept) => {
            let paths: Vec<String> =
                waiting.unread.iter().map(|unread| unread.shown(store)).collect();
            report.pending.retain(|known| !paths.contains(&known.path));
            report.conflicts.extend(kept);
            report.abandoned.extend(paths);
        }
        Err(obstacle) => {
            for known in report.pending.iter_mut().filter(|known| known.journal_id.is_empty()) {
                known.reason = format!("its content cannot be kept: {}", obstacle.reason);
            }
        }
    }
}

/// Copies to `conflicts/` what the slots hold that may be of these rows.
fn keep_contents(
    store: &Store,
    state: &State,
    waiting: &Waiting,
    first: &Unread,
) -> Result<Vec<Conflict>, Obstacle> {
    let counted = Counted::on(waiting);
    let in_use = state.slots.in_use()?;
    let mut kept = Vec::new();
    for name in state.tmp.entries()? {
        if !is_slot(&name) || counted.is_known(&name) || in_use.contains(&name) {
            continue;
        }
        let stat = state.tmp.stat(&name)?;
        if stat.kind != Kind::File || stat.len == 0 {
            continue;
        }
        let opened = match sweep::beside(store, state, &name, &stat)? {
            Some(slot) => slot.dir.open(&slot.name),
            None => state.tmp.open(&name),
        };
        let file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        let kept_sha256 = conflict::keep_copy(state, &*file)?;
        kept.push(Conflict { path: first.shown(store), kept_sha256, what: What::New });
    }
    Ok(kept)
}
