//! How a call changes the disk: calls queue here, look, decide and stage under the lock.
//!
//! Calls in flight are committed together. The first call that finds no leader becomes the leader,
//! and takes the lock and the whole queue; all that it holds shares the waits for the disk (see
//! `batch.rs`). A call that fails drops out alone; a call for a file that the batch already writes
//! waits for the next one.
//!
//! `queue` has the calls that wait. `context` is a call at work, `change` what it leaves behind. `batch`
//! carries changes out, with `publish` for the moment and `wait` for the disk. `visible` is what a
//! tool may see that only reads.

mod batch;
mod cancelled;
mod change;
mod context;
mod outcome;
mod publish;
mod queue;
mod room;
mod visible;
mod wait;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::journal::By;
use crate::progress::Progress;
use crate::recovery::{self, Undecided};
use crate::state::{State, Waited};
use crate::store::Store;

use batch::Batch;
use change::Change;
use context::Log;
use outcome::repeat;
use queue::{Job, Queue, Waiter, Wakeup, lock, take_cancelled};
use room::Room;

pub use cancelled::Cancelled;
pub use change::APPEND_IN_PLACE_FROM;
pub(crate) use change::{Old, Staged};
pub(crate) use context::{Journaled, WriteContext, is_written_in_place};
#[cfg(feature = "sim")]
pub(crate) use queue::Held;

/// The commit path: what all operations share, and the queue of those that wait. A clone has both in
/// common with the first one, and may be another caller's.
#[derive(Clone, Debug)]
pub(crate) struct Committer {
    store: Arc<Store>,
    queue: Arc<Queue>,
    by: Option<Arc<By>>,
    cancelled: Option<Cancelled>,
    /// Who watches the call.
    pub(crate) progress: Arc<dyn Progress>,
}

impl Deref for Committer {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Committer {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store: Arc::new(store),
            queue: Arc::default(),
            by: None,
            cancelled: None,
            progress: Arc::new(()),
        }
    }

    /// The same for a caller whose rows say so.
    pub(crate) fn for_caller(&self, by: By) -> Self {
        Self { by: Some(Arc::new(by)), ..self.clone() }
    }

    /// Who the caller is, if that is known.
    pub(crate) fn by(&self) -> Option<&By> {
        self.by.as_deref()
    }

    /// The same for one call, which begins no change once it is cancelled.
    pub(crate) fn unless(&self, cancelled: Cancelled) -> Self {
        Self { cancelled: Some(cancelled), ..self.clone() }
    }

    /// The same for one call that somebody watches.
    pub(crate) fn watched_by(&self, progress: Arc<dyn Progress>) -> Self {
        Self { progress, ..self.clone() }
    }

    /// What recovery has done since this was asked last.
    pub(crate) fn take_notices(&self) -> recovery::Report {
        self.queue.take_notices()
    }

    /// Carries out one change under the lock, durably, and returns what `work` returned.
    ///
    /// `work` looks, decides and stages; it is run again when it has to wait for a file that the
    /// batch in front of it writes.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut WriteContext<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let answer = Arc::new(Mutex::new(None));
        let waiter = Arc::new(Waiter::default());
        let kept = answer.clone();
        let work = Box::new(move |op: &mut WriteContext<'_>| {
            *lock(&kept) = Some(work(op)?);
            Ok(())
        });
        let job = Job::new(work, self.by.clone(), self.cancelled.clone(), waiter.clone());
        let queue = &self.queue;
        lock(&queue.waiting).push(job);
        loop {
            match waiter.wait() {
                Wakeup::Done(done) => {
                    done?;
                    return lock(&answer)
                        .take()
                        .ok_or(Error::Internal { message: "no answer".to_owned() });
                }
                Wakeup::Read(job, unread) => {
                    unread.read(&self.digests);
                    lock(&queue.waiting).push(job);
                }
                Wakeup::Lead => {
                    let jobs = std::mem::take(&mut lock(&queue.waiting).jobs);
                    let deferred = self.lead(jobs);
                    let mut waiting = lock(&queue.waiting);
                    for job in deferred.into_iter().rev() {
                        waiting.jobs.push_front(job);
                    }
                    waiting.pass_on();
                }
            }
        }
    }

    /// Has the calls that come now wait, so that they are committed as one batch.
    #[cfg(feature = "sim")]
    pub(crate) fn hold(&self) -> Held<'_> {
        while std::mem::replace(&mut lock(&self.queue.waiting).leading, true) {
            std::thread::yield_now();
        }
        Held { queue: &self.queue }
    }

    /// Runs recovery if anything is in need of it, and reports.
    pub(crate) fn recover(&self, undecided: Undecided) -> Result<recovery::Report> {
        let mut held = lock(&self.queue.state);
        let state = self.enter(&mut held, Some(undecided), Waited::default())?;
        state.unlock();
        Ok(self.queue.take_notices())
    }

    /// Takes the lock and shows that the disk takes a file. Waits for half a second at most, so that it does not hold up
    /// calls; a batch that is committed meanwhile shows it, too.
    pub(crate) fn probe(&self) -> Result<()> {
        const PATIENCE: Duration = Duration::from_millis(500);
        let mut waited = Waited::at_most(PATIENCE);
        let committed = || self.figures.seen().batches.sum;
        let before = committed();
        let mut held = loop {
            match self.queue.state.try_lock() {
                Ok(held) => break held,
                Err(TryLockError::Poisoned(held)) => break held.into_inner(),
                Err(TryLockError::WouldBlock) if committed() > before => return Ok(()),
                Err(TryLockError::WouldBlock) => waited.pause(&*self.clock)?,
            }
        };
        let state = self.enter_after(&mut held, None, waited)?;
        let probed = state.probe();
        state.unlock();
        probed
    }

    /// Takes the lock and brings the state up to date. With `ordered`, recovery runs in any case.
    fn enter<'a>(
        &self,
        held: &'a mut Option<State>,
        ordered: Option<Undecided>,
        waited: Waited<'_>,
    ) -> Result<&'a mut State> {
        let state = self.enter_after(held, ordered, waited)?;
        if let Err(error) = state.roll_if_due() {
            state.unlock();
            return Err(error);
        }
        Ok(state)
    }

    /// The same for a tool that only reads: the journal stays as it is, and so does the format of the state directory,
    /// which an older version may be writing.
    fn enter_to_read<'a>(
        &self,
        held: &'a mut Option<State>,
        ordered: Option<Undecided>,
    ) -> Result<&'a mut State> {
        self.enter_after(held, ordered, Waited::default())
    }

    fn enter_after<'a>(
        &self,
        held: &'a mut Option<State>,
        ordered: Option<Undecided>,
        waited: Waited<'_>,
    ) -> Result<&'a mut State> {
        let state = State::enter(&self.site(), held, waited)?;
        let os = |source| Error::os(self.shown_state(&["journal.jsonl"]), "read", source);
        let entered = (|| {
            if let Some(network) = state.network() {
                self.tell(recovery::Report { network: Some(network), ..Default::default() });
            }
            let looks_again = std::mem::take(&mut state.looks_again);
            let is_clean = !state.dirty && state.refresh().map_err(os)?;
            if is_clean
                && ordered.is_none()
                && !looks_again
                && !state.finds_litter().map_err(os)?
                && !recovery::finds_pending(self, state).map_err(os)?
            {
                return Ok(());
            }
            state.dirty = true;
            state.sync_home()?;
            if !is_clean {
                state.sync_format()?;
            }
            // No more than a notice: what keeps it from being found out refuses nobody.
            let missing = state.missing().unwrap_or_default();
            let undecided = ordered.unwrap_or(Undecided::Stay);
            let mut report = recovery::Report::default();
            let ran = recovery::run(self, state, undecided, is_clean, &mut report);
            if ran.is_ok() {
                state.dirty = false;
                // What stood in the way of a row may have been one passing error: the next call looks once more.
                state.looks_again = !looks_again && !report.pending.is_empty();
                report.missing = missing;
            }
            if ordered.is_none() {
                self.queue.keep_news(&mut report);
            }
            self.queue.keep_unheard(&mut report, ran.is_err());
            // What it did before it failed is told, too: a later one finds it done.
            self.tell(report);
            ran
        })();
        if let Err(error) = entered {
            state.unlock();
            return Err(error);
        }
        Ok(state)
    }

    /// Logs what there is to tell, and keeps it for the next answer.
    fn tell(&self, report: recovery::Report) {
        report.notices().iter().for_each(self.on_notice);
        self.queue.note(report);
    }

    /// Answers the calls that were cancelled, of a batch and of those behind it. Gives whether any of the batch is left.
    fn release(&self, batch: &mut VecDeque<Job>) -> bool {
        let mut gone = take_cancelled(batch);
        gone.extend(take_cancelled(&mut lock(&self.queue.waiting).jobs));
        gone.into_iter().for_each(|job| job.answer(Err(Error::Cancelled)));
        !batch.is_empty()
    }

    /// Commits a batch; gives back what has to wait for the next one.
    fn lead(&self, jobs: VecDeque<Job>) -> Vec<Job> {
        let mut held = lock(&self.queue.state);
        let led = catch_unwind(AssertUnwindSafe(|| self.commit(&mut held, jobs)));
        led.unwrap_or_else(|_| {
            // The jobs were answered when they were dropped. What was known of the state may be
            // wrong: the next call takes the lock anew and recovers first.
            *held = None;
            Vec::new()
        })
    }

    fn commit(&self, held: &mut Option<State>, mut jobs: VecDeque<Job>) -> Vec<Job> {
        let mut are_wanted = || self.release(&mut jobs);
        let waited = Waited::while_wanted(&mut are_wanted);
        let state = match self.enter(held, None, waited) {
            Ok(state) => state,
            Err(error) => {
                for job in jobs {
                    job.answer(Err(error.repeat()));
                }
                return Vec::new();
            }
        };
        let mut deferred = Vec::new();
        let mut batch = Batch::default();
        let mut claimed = HashSet::new();
        let mut logs = HashMap::new();
        let mut ancestors = HashMap::new();
        state.slots.expect(jobs.len());
        let mut room = Room::of(&*self.disk);
        let mut pause = Duration::ZERO;
        while let Some(mut job) = jobs.pop_front() {
            if job.is_cancelled() {
                job.answer(Err(Error::Cancelled));
                continue;
            }
            let mut op = WriteContext {
                store: self,
                state,
                by: job.by.clone(),
                claimed: &claimed,
                logs: &logs,
                reads_long: job.has_read,
                unread: None,
                busy: None,
                change: Change::default(),
            };
            let result = catch_unwind(AssertUnwindSafe(|| {
                (job.work)(&mut op)?;
                op.open_ancestors(&mut ancestors)
            }));
            let WriteContext { change, unread, busy, .. } = op;
            match result {
                Ok(Ok(())) => {
                    claimed.extend(change.claims.iter().cloned());
                    logs.extend(Log::behind(&change));
                    let has_room = room.take(&change);
                    if change.changes_anything() {
                        job.begin();
                    }
                    batch.changes.push((job, change));
                    if !has_room {
                        break;
                    }
                }
                Ok(Err(error)) => {
                    let tries = change.tries_behind(&error);
                    batch.undo(change, state);
                    match error {
                        Error::Deferred => match (unread, busy) {
                            (Some(unread), _) => job.read(unread),
                            (None, Some(path)) => match job.waited.next(Some(&path)) {
                                Ok(next) => {
                                    pause = pause.max(next);
                                    deferred.push(job);
                                }
                                Err(error) => job.answer(Err(error)),
                            },
                            (None, None) => deferred.push(job),
                        },
                        // Not this call has too many files open, but those in front of it.
                        error
                            if error.is_exhausted()
                                && (!batch.changes.is_empty() || state.durable_dirs.close()) =>
                        {
                            deferred.push(job);
                            break;
                        }
                        error => deferred.extend(job.again(error, tries)),
                    }
                }
                Err(panic) => {
                    batch.undo(change, state);
                    job.answer(Err(Error::Internal { message: panic_text(&*panic) }));
                }
            }
        }
        drop((ancestors, logs));
        let tell = |mut report| {
            self.queue.keep_news(&mut report);
            self.tell(report);
        };
        deferred.extend(batch.commit(self, state, &tell));
        state.unlock();
        if !pause.is_zero() {
            // IMPORTANT: with nothing locked. Who has the file may be waiting for what this process has.
            self.clock.pause(pause);
        }
        // In the order in which they came: those that were deferred came before the rest.
        deferred.extend(jobs);
        deferred
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic".to_owned())
}

impl Error {
    /// The same refusal for another call of the batch.
    fn repeat(&self) -> Self {
        match self {
            Self::Os { path, operation, source } => {
                Self::Os { path: path.clone(), operation, source: repeat(source) }
            }
            Self::RootGone { root, what } => Self::RootGone { root: root.clone(), what },
            Self::Locked { path, waited_ms } => {
                Self::Locked { path: path.clone(), waited_ms: *waited_ms }
            }
            Self::UnknownFormat { found } => Self::UnknownFormat { found: found.clone() },
            Self::ForeignState { path, what } => Self::ForeignState { path: path.clone(), what },
            Self::NewerFormat { found, known } => {
                Self::NewerFormat { found: found.clone(), known: *known }
            }
            other => Self::Internal { message: other.to_string() },
        }
    }
}
