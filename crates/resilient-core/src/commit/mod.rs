//! The way to a change on disk: calls queue here, look, decide and stage under the lock.
//!
//! Calls in flight are committed together. Whoever finds nobody at work takes the lock and the
//! whole queue; all that it holds shares the waits for the disk (see `batch.rs`). A call
//! that fails drops out alone; a call for a file that the batch already writes waits for the next
//! one.
//!
//! `visible` is what a tool may see that only reads. `op` is a call at work, `change` what it leaves behind, `batch` carries changes
//! out, with `publish` for the moment and `wait` for the disk.

mod batch;
mod change;
mod op;
mod publish;
mod room;
mod visible;
mod wait;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::recovery::{self, Undecided};
use crate::state::State;
use crate::store::Store;

use batch::{Batch, repeat};
use change::Change;
use room::Room;

pub(crate) use batch::write_line;
pub(crate) use change::Old;
use op::Log;
pub(crate) use op::{Journaled, Op};
pub(crate) use visible::Visible;

/// The calls that wait to be committed, and the state that one of them at a time holds.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    state: Mutex<Option<State>>,
    /// What recovery has done since somebody was told of it.
    notices: Mutex<recovery::Report>,
}

impl Queue {
    fn note(&self, report: recovery::Report) {
        lock(&self.notices).add(report);
    }

    /// What recovery has done since this was asked last.
    pub(crate) fn take_notices(&self) -> recovery::Report {
        std::mem::take(&mut *lock(&self.notices))
    }
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// Whether one of the calls commits, or was told to.
    leading: bool,
}

impl Waiting {
    /// Ends a lead: the call that has waited longest has the next one.
    fn pass_on(&mut self) {
        self.leading = match self.jobs.front() {
            Some(job) => {
                job.waiter.wake(Wakeup::Lead);
                true
            }
            None => false,
        };
    }
}

/// Where one call waits. Each has its own, so that nobody is woken up for another's sake.
#[derive(Default)]
struct Waiter {
    wakeup: Mutex<Option<Wakeup>>,
    turn: Condvar,
}

/// What a call that waits is told.
enum Wakeup {
    /// Its change was carried out, or refused.
    Done(Result<()>),
    /// It is to commit all that is in the queue.
    Lead,
}

impl Waiter {
    fn wake(&self, wakeup: Wakeup) {
        *lock(&self.wakeup) = Some(wakeup);
        self.turn.notify_one();
    }

    fn wait(&self) -> Wakeup {
        let mut waiter = lock(&self.wakeup);
        loop {
            match waiter.take() {
                Some(wakeup) => return wakeup,
                None => waiter = self.turn.wait(waiter).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} waiting", self.jobs.len())
    }
}

/// The queue at a standstill, for tests that need a batch of a known content. Calls are committed
/// together when it is dropped.
#[cfg(feature = "sim")]
#[derive(Debug)]
pub struct Held<'a> {
    queue: &'a Queue,
}

#[cfg(feature = "sim")]
impl Held<'_> {
    /// How many calls wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        lock(&self.queue.waiting).jobs.len()
    }
}

#[cfg(feature = "sim")]
impl Drop for Held<'_> {
    fn drop(&mut self) {
        lock(&self.queue.waiting).pass_on();
    }
}

type Work = Box<dyn FnMut(&mut Op<'_>) -> Result<()> + Send>;

pub(crate) struct Job {
    work: Work,
    waiter: Arc<Waiter>,
    is_answered: bool,
}

impl Job {
    pub(crate) fn answer(mut self, result: Result<()>) {
        self.is_answered = true;
        self.waiter.wake(Wakeup::Done(result));
    }
}

impl Drop for Job {
    /// Nobody waits for ever, whatever becomes of the call that leads.
    fn drop(&mut self) {
        if !self.is_answered {
            let source = io::Error::other("the commit panicked");
            let unknown = Error::OutcomeUnknown { path: String::new(), journal_id: None, source };
            self.waiter.wake(Wakeup::Done(Err(unknown)));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in a call is answered to that call; what it held is checked before its next use.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    /// Carries out one change under the lock, durably, and returns what `work` returned.
    ///
    /// `work` looks, decides and stages; it is run again when it has to wait for a file that the
    /// batch in front of it writes.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Op<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let answer = Arc::new(Mutex::new(None));
        let waiter = Arc::new(Waiter::default());
        let job = Job {
            work: Box::new({
                let answer = answer.clone();
                move |op| {
                    *lock(&answer) = Some(work(op)?);
                    Ok(())
                }
            }),
            waiter: waiter.clone(),
            is_answered: false,
        };
        let queue = &self.queue;
        let mut waiting = lock(&queue.waiting);
        waiting.jobs.push_back(job);
        if !waiting.leading {
            waiting.pass_on();
        }
        drop(waiting);
        loop {
            match waiter.wait() {
                Wakeup::Done(done) => {
                    done?;
                    return lock(&answer)
                        .take()
                        .ok_or(Error::Internal { message: "no answer".to_owned() });
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

    /// Whether a change could begin at once.
    pub(crate) fn is_free(&self) -> bool {
        self.queue.state.try_lock().is_ok_and(|held| held.as_ref().is_some_and(State::is_free))
    }

    /// Runs recovery if anything is in need of it, and reports.
    pub(crate) fn recover(&self, undecided: Undecided) -> Result<recovery::Report> {
        let mut held = lock(&self.queue.state);
        let state = self.enter(&mut held, Some(undecided))?;
        state.unlock();
        Ok(self.queue.take_notices())
    }

    /// Takes the lock and brings the state up to date. With `ordered`, recovery runs in any case.
    fn enter<'a>(
        &self,
        held: &'a mut Option<State>,
        ordered: Option<Undecided>,
    ) -> Result<&'a mut State> {
        let state = State::enter(self, held)?;
        let os = |source| Error::os(self.shown_state(&["journal.jsonl"]), "read", source);
        let entered = (|| {
            if !state.dirty
                && ordered.is_none()
                && state.refresh().map_err(os)?
                && !state.finds_litter().map_err(os)?
            {
                return recovery::refresh_pending(state).map_err(os);
            }
            state.dirty = true;
            state.sync_home()?;
            let report = recovery::run(self, state, ordered.unwrap_or(Undecided::Stay))?;
            state.dirty = false;
            report.notices().iter().for_each(self.on_notice);
            self.queue.note(report);
            Ok(())
        })();
        if let Err(error) = entered {
            state.unlock();
            return Err(error);
        }
        Ok(state)
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
        let state = match self.enter(held, None) {
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
        state.expect_slots(jobs.len());
        let mut room = Room::of(&*self.disk);
        while let Some(mut job) = jobs.pop_front() {
            let mut op = Op {
                store: self,
                state,
                claimed: &claimed,
                logs: &logs,
                change: Change::default(),
            };
            let result = catch_unwind(AssertUnwindSafe(|| {
                (job.work)(&mut op)?;
                op.open_ancestors(&mut ancestors)
            }));
            let change = op.change;
            match result {
                Ok(Ok(())) => {
                    claimed.extend(change.claims.iter().cloned());
                    logs.extend(Log::behind(&change));
                    let has_room = room.take(&change);
                    batch.changes.push((job, change));
                    if !has_room {
                        break;
                    }
                }
                Ok(Err(error)) => {
                    batch.undo(change, state);
                    match error {
                        Error::Deferred => deferred.push(job),
                        // Not this call has too many files open, but those in front of it.
                        error
                            if error.is_exhausted()
                                && (!batch.changes.is_empty() || state.close_spare()) =>
                        {
                            deferred.push(job);
                            break;
                        }
                        error => job.answer(Err(error)),
                    }
                }
                Err(panic) => {
                    batch.undo(change, state);
                    job.answer(Err(Error::Internal { message: panic_text(&*panic) }));
                }
            }
        }
        drop((ancestors, logs));
        deferred.extend(batch.commit(self, state));
        state.unlock();
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
            Self::Locked { waited_ms } => Self::Locked { waited_ms: *waited_ms },
            Self::NewerFormat { found, known } => {
                Self::NewerFormat { found: found.clone(), known: *known }
            }
            other => Self::Internal { message: other.to_string() },
        }
    }
}
