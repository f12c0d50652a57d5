//! One row: recovery looks at it, has it judged, and acts.

use super::act::Act;
use super::obstacle::Obstacle;
use super::verdict::Verdict;
use super::{discard, look};
use crate::journal::Row;
use crate::state::State;
use crate::store::Store;
use crate::unit::{Decision, judge};

/// How often a row is looked at while somebody changes its file.
const LOOKS: usize = 4;

/// Judges one row of a batch and acts on it.
///
/// # Errors
/// The row cannot be decided or finished now; it becomes pending.
pub(super) fn resolve(
    store: &Store,
    state: &State,
    row: &Row,
    batch: &[Row],
) -> Result<Verdict, Obstacle> {
    let mut looks = 1;
    let verdict = loop {
        match resolve_once(store, state, row, batch) {
            Ok(Some(verdict)) => break verdict,
            Err(obstacle) if !obstacle.is_passing || looks >= LOOKS => return Err(obstacle),
            _ => looks += 1,
        }
    };
    if !verdict.takes_row_out() && discard::finish(state, row)? {
        return Ok(verdict.finished());
    }
    Ok(verdict)
}

/// One look, one decision, one act; `None` when the row has to be judged again after the act.
fn resolve_once(
    store: &Store,
    state: &State,
    row: &Row,
    batch: &[Row],
) -> Result<Option<Verdict>, Obstacle> {
    let mut seen = look::look(store, state, row);
    let obstacle = seen.obstacle.take();
    let decision = judge(&seen.unit);
    let mut act = Act { store, state, row, batch, seen };
    match decision {
        Decision::Pending => Err(obstacle.unwrap_or_else(Obstacle::unknown)),
        Decision::Keep { touched } => act.keep(&touched).map(Some),
        Decision::Forward { publish, finish, touched } => {
            act.forward(&publish, &finish, &touched).map(Some)
        }
        Decision::Withdraw { take_back, keep } => {
            act.take_back(&take_back)?;
            act.sync_exchanges()?;
            // All files of a row belong together: one that cannot be published keeps them all.
            if keep.is_empty() { Ok(Some(Verdict::Withdrawn)) } else { act.set_aside().map(Some) }
        }
        // Rows of this format have no `void`: what was taken back is judged again, and withdrawn.
        Decision::Back { take_back } | Decision::ResumeBack { take_back } => {
            act.take_back(&take_back)?;
            Ok(None)
        }
        Decision::Conflict { write_back, .. } | Decision::FinishConflict { write_back } => {
            act.take_back(&write_back)?;
            act.set_aside().map(Some)
        }
    }
}
