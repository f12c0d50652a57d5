//! The workspace's lock: one process at a time writes, and each has its turn.
//!
//! A lock of a file knows no order. A process that writes batch after batch would take it again
//! before another one has looked. So there are two: `lock` is held while a batch is written, and
//! `waiting` is a turnstile in front of it. A process that wants `lock` takes `waiting` first and
//! keeps it until it has `lock`. A busy process finds the turnstile taken as soon as somebody
//! waits, and comes after that one.
//!
//! A process that is stopped while it waits keeps the turnstile. So a process that sees that the lock stays free although somebody
//! waits for it takes the lock all the same.
//!
//! Both die with their process. Nobody who holds `lock` waits for `waiting`, so that no two
//! processes wait for each other.

use std::ffi::OsStr;
use std::io;
use std::time::Duration;

use crate::disk::{Clock, Dir, File, FileId, LockFile, Stopwatch};
use crate::error::{Error, Result};
use crate::roots::STATE_DIR;

/// How long a call waits for other processes before it answers `workspace_locked` or `file_locked`.
const PATIENCE: Duration = Duration::from_secs(30);

/// After so long at the turnstile a call looks whether the lock is free.
const LOOKS_AFTER: Duration = Duration::from_millis(100);
/// If nobody takes the lock for so long, the process that waits for it is not at work.
const UNUSED: Duration = Duration::from_millis(100);

/// How long a call has waited so far.
pub(crate) struct Waited<'w> {
    /// It waits no longer than this.
    patience: Duration,
    /// The pauses together.
    paused: Duration,
    /// When the first of them began. The tries between them take time, too.
    since: Option<Stopwatch>,
    /// Whether anybody still wants what it waits for.
    is_wanted: Option<&'w mut (dyn FnMut() -> bool + Send)>,
}

impl Default for Waited<'_> {
    fn default() -> Self {
        Self::at_most(PATIENCE)
    }
}

impl<'w> Waited<'w> {
    /// A wait that has not begun.
    pub(crate) fn at_most(patience: Duration) -> Self {
        Self { patience, paused: Duration::ZERO, since: None, is_wanted: None }
    }

    /// A wait that has not begun. Before each pause it asks whether it is still wanted.
    pub(crate) fn while_wanted(is_wanted: &'w mut (dyn FnMut() -> bool + Send)) -> Self {
        Self { is_wanted: Some(is_wanted), ..Self::default() }
    }

    /// Waits a little, longer when it has waited long.
    ///
    /// # Errors
    /// The call has waited for too long, or nobody wants it any more.
    pub(crate) fn pause(&mut self, clock: &dyn Clock) -> Result<()> {
        clock.pause(self.next(None)?);
        Ok(())
    }

    /// How long it waits next, for a file or for the workspace.
    ///
    /// # Errors
    /// The call has waited for too long, or nobody wants it any more.
    pub(crate) fn next(&mut self, path: Option<&str>) -> Result<Duration> {
        if self.is_wanted.as_mut().is_some_and(|is_wanted| !is_wanted()) {
            return Err(Error::Cancelled);
        }
        let since = *self.since.get_or_insert_with(Stopwatch::start);
        self.next_after(since.elapsed(), path)
    }

    fn next_after(&mut self, elapsed: Duration, path: Option<&str>) -> Result<Duration> {
        let waited = elapsed.max(self.paused);
        if waited >= self.patience {
            let path = path.map(str::to_owned);
            return Err(Error::Locked { path, waited_ms: waited.as_millis() as u64 });
        }
        let pause = (self.paused / 16).clamp(Duration::from_micros(50), Duration::from_millis(2));
        self.paused += pause;
        Ok(pause)
    }
}

/// The two locks of a state directory.
#[derive(Debug)]
pub(super) struct Turn {
    lock: Box<dyn LockFile>,
    waiting: Box<dyn LockFile>,
}

impl Turn {
    pub(super) fn open(dir: &dyn Dir) -> Result<Self> {
        let open = |name: &str| {
            dir.open_lock(OsStr::new(name))
                .map_err(|source| Error::os(format!("{STATE_DIR}/{name}"), "open", source))
        };
        Ok(Self { lock: open("lock")?, waiting: open("waiting")? })
    }

    /// Waits for the lock, behind those that wait already.
    pub(super) fn take(&self, clock: &dyn Clock, waited: &mut Waited<'_>) -> Result<()> {
        if !self.pass(clock, waited)? {
            return Ok(());
        }
        let taken = poll(&*self.lock, clock, waited);
        // Nothing is lost when that fails: it dies with the process.
        let _ = self.waiting.unlock();
        taken
    }

    /// Waits at the turnstile; `false` where this has taken the lock, which nobody in front of it does.
    fn pass(&self, clock: &dyn Clock, waited: &mut Waited<'_>) -> Result<bool> {
        let begun = waited.paused;
        let mut unused_since = None;
        while !is_taken(&*self.waiting)? {
            if waited.paused - begun >= LOOKS_AFTER {
                // Who waits looks more often than that, and so comes first.
                match is_taken(&*self.lock)? {
                    true if unused_since.is_some_and(|since| waited.paused - since >= UNUSED) => {
                        return Ok(false);
                    }
                    true => {
                        self.give_back();
                        unused_since.get_or_insert(waited.paused);
                    }
                    false => unused_since = None,
                }
            }
            waited.pause(clock)?;
        }
        Ok(true)
    }

    /// Takes the lock if it is free.
    pub(super) fn try_take(&self) -> bool {
        self.lock.try_lock().is_ok_and(|taken| taken)
    }

    /// Gives the lock back. Nothing is lost when that fails: it dies with the process.
    pub(super) fn give_back(&self) {
        let _ = self.lock.unlock();
    }

    /// Whether both are still the files of their names. A lock belongs to a file: where the file
    /// was removed or replaced, other processes lock another one.
    pub(super) fn is_current(&self, dir: &dyn Dir) -> bool {
        is_named(dir, "lock", self.lock.file().id())
            && is_named(dir, "waiting", self.waiting.file().id())
    }

    /// The content of the lock file.
    pub(super) fn file(&self) -> &dyn File {
        self.lock.file()
    }
}

/// Whether a name leads to what a handle was opened on.
pub(super) fn is_named(dir: &dyn Dir, name: &str, held: io::Result<FileId>) -> bool {
    let named = dir.stat(OsStr::new(name));
    matches!((named, held), (Ok(named), Ok(held)) if named.id == held)
}

fn poll(lock: &dyn LockFile, clock: &dyn Clock, waited: &mut Waited<'_>) -> Result<()> {
    while !is_taken(lock)? {
        waited.pause(clock)?;
    }
    Ok(())
}

/// Takes a lock, if it is free.
fn is_taken(lock: &dyn LockFile) -> Result<bool> {
    lock.try_lock().map_err(|source| Error::os(format!("{STATE_DIR}/lock"), "lock", source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tries_between_the_pauses_count_as_a_wait() {
        let mut waited = Waited::default();
        assert!(waited.next_after(PATIENCE - Duration::from_millis(1), None).is_ok());
        let refused = waited.next_after(PATIENCE + Duration::from_millis(1), Some("a.txt"));
        assert!(matches!(
            refused,
            Err(Error::Locked { path: Some(path), waited_ms: 30_001 }) if path == "a.txt"
        ));
    }

    #[test]
    fn the_pauses_alone_come_to_the_same_bound() {
        let mut waited = Waited::default();
        let mut pauses = Duration::ZERO;
        while let Ok(pause) = waited.next_after(Duration::ZERO, None) {
            pauses += pause;
        }
        assert!((PATIENCE..PATIENCE + Duration::from_millis(3)).contains(&pauses));
    }
}
