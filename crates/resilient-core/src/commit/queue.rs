//! The calls that wait to be committed, and how each is woken up.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::cancelled::Cancelled;
use super::context::{Unread, WriteContext};
use crate::error::{Error, Result};
use crate::journal::By;
use crate::pending::Pending;
use crate::report::Report;
use crate::state::{State, Waited};

/// The calls that wait to be committed, and the state that one of them at a time holds.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub(super) waiting: Mutex<Waiting>,
    pub(super) state: Mutex<Option<State>>,
    /// What recovery has done and no answer has reported yet.
    notices: Mutex<Report>,
    /// The rows of which the last recovery has told that they wait.
    told: Mutex<Vec<Pending>>,
    /// What the last recovery has done before it failed: the next one comes to the same again.
    halfway: Mutex<Report>,
}

impl Queue {
    pub(super) fn note(&self, report: Report) {
        lock(&self.notices).add(report);
    }

    /// Takes out of a report the rows that wait for the same reason as the last report has told.
    pub(super) fn keep_news(&self, report: &mut Report) {
        let told = std::mem::replace(&mut *lock(&self.told), report.pending.clone());
        report.pending.retain(|pending| !told.contains(pending));
    }

    /// Takes out of a report what the recovery before has told, if that failed.
    pub(super) fn keep_unheard(&self, report: &mut Report, has_failed: bool) {
        let all = if has_failed { report.clone() } else { Report::default() };
        let told = std::mem::replace(&mut *lock(&self.halfway), all);
        report.leave_out(&told);
    }

    /// What recovery has done since this was asked last.
    pub(crate) fn take_notices(&self) -> Report {
        std::mem::take(&mut *lock(&self.notices))
    }
}

/// The calls in the queue.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) jobs: VecDeque<Job>,
    /// Whether one of the calls commits, or was told to.
    pub(super) leading: bool,
}

impl Waiting {
    /// Adds a call; it leads where nobody does.
    pub(super) fn push(&mut self, job: Job) {
        self.jobs.push_back(job);
        if !self.leading {
            self.pass_on();
        }
    }

    /// Ends a lead: the call that has waited longest has the next one.
    pub(super) fn pass_on(&mut self) {
        self.leading = match self.jobs.front() {
            Some(job) => {
                job.waiter.wake(Wakeup::Lead);
                true
            }
            None => false,
        };
    }
}

/// Takes out the calls that nobody wants any more.
pub(super) fn take_cancelled(jobs: &mut VecDeque<Job>) -> VecDeque<Job> {
    let (gone, kept) = jobs.drain(..).partition(Job::is_cancelled);
    *jobs = kept;
    gone
}

/// Where one call waits. Each has its own, so that nobody is woken up for another's sake.
#[derive(Default)]
pub(super) struct Waiter {
    wakeup: Mutex<Option<Wakeup>>,
    turn: Condvar,
}

/// What a call that waits is told.
pub(super) enum Wakeup {
    /// Its change was carried out, or refused.
    Done(Result<()>),
    /// It is to commit all that is in the queue.
    Lead,
    /// It is to read a long file now, while others have the lock, and to queue again.
    Read(Job, Unread),
}

impl Waiter {
    fn wake(&self, wakeup: Wakeup) {
        *lock(&self.wakeup) = Some(wakeup);
        self.turn.notify_one();
    }

    pub(super) fn wait(&self) -> Wakeup {
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
    pub(super) queue: &'a Queue,
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

pub(super) type Work = Box<dyn FnMut(&mut WriteContext<'_>) -> Result<()> + Send>;

/// One call that waits to be committed.
pub(super) struct Job {
    pub(super) work: Work,
    /// Whose call it is.
    pub(super) by: Option<Arc<By>>,
    /// Whether it was woken up to read a long file. What it has to read now, it reads under the lock.
    pub(super) has_read: bool,
    /// How often it was made again behind what somebody had added.
    pub(super) followed: u32,
    /// How long it has waited for a file that another process writes.
    pub(super) waited: Waited<'static>,
    cancelled: Option<Cancelled>,
    waiter: Arc<Waiter>,
    is_answered: bool,
}

impl Job {
    pub(super) fn new(
        work: Work,
        by: Option<Arc<By>>,
        cancelled: Option<Cancelled>,
        waiter: Arc<Waiter>,
    ) -> Self {
        Self {
            work,
            by,
            cancelled,
            has_read: false,
            followed: 0,
            waited: Waited::default(),
            waiter,
            is_answered: false,
        }
    }

    /// Whether nobody wants it any more.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(Cancelled::is_so)
    }

    /// Its call begins to change something, and is not cancelled any more.
    pub(super) fn begin(&self) {
        self.cancelled.iter().for_each(Cancelled::begin);
    }

    /// Has the caller read a long file and queue again.
    pub(super) fn read(mut self, unread: Unread) {
        self.has_read = true;
        let waiter = self.waiter.clone();
        waiter.wake(Wakeup::Read(self, unread));
    }

    /// Gives the call back to be made again, where it was made again less often than that; else answers it.
    pub(super) fn again(mut self, error: Error, tries: u32) -> Option<Self> {
        if self.followed < tries {
            self.followed += 1;
            return Some(self);
        }
        self.answer(Err(match error {
            Error::Stale { path, .. } if tries > 0 => Error::FileChanges { path },
            error => error,
        }));
        None
    }

    pub(super) fn answer(mut self, result: Result<()>) {
        self.is_answered = true;
        self.waiter.wake(Wakeup::Done(result));
    }
}

impl Drop for Job {
    /// Nobody waits for ever, whatever becomes of the call that leads.
    fn drop(&mut self) {
        if !self.is_answered {
            let source = io::Error::other("the commit panicked");
            let unknown = Error::OutcomeUnknown {
                path: String::new(),
                journal_id: None,
                part_from: None,
                source,
            };
            self.waiter.wake(Wakeup::Done(Err(unknown)));
        }
    }
}

/// Locks what is shared among calls.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in a call is answered to that call; what it held is checked before its next use.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
