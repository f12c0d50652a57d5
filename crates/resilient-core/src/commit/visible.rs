//! What a tool that only reads may see of the state.
//!
//! A journal row is durable before its change. So a crash leaves rows, parts and entries whose
//! change did not happen, until recovery decides. A reader does not wait for a writer to do that:
//! * the last writer was done: everything counts, and no lock is taken;
//! * it was not, and nobody holds the lock: the reader runs recovery;
//! * it was not, and somebody works or recovery cannot run: the last batch of the journal is left
//!   out.

use std::ffi::OsStr;
use std::io;
use std::sync::{Arc, TryLockError};

use super::Committer;
use crate::closed::{self, Journals};
use crate::disk::File;
use crate::error::{Error, Result};
use crate::recovery;
use crate::state;

const JOURNAL: &str = "journal.jsonl";

/// How often a reader begins again because the journal was closed or cut meanwhile.
const LOOKS: usize = 100;

impl Committer {
    /// Brings the state up to date for a tool that reads it; `None` where nothing was ever written.
    ///
    /// # Errors
    /// The state cannot be read.
    pub(crate) fn visible(&self) -> Result<Option<Journals>> {
        let os = |source| Error::os(self.shown_state(&[JOURNAL]), "read", source);
        let mut has_recovered = false;
        for _ in 0..LOOKS {
            let Some(journal) = self.state_file(&[], JOURNAL)? else { return Ok(None) };
            let Some(clean_len) = unless_cut(self.clean_len(&*journal)).map_err(os)? else {
                continue;
            };
            if let Some(len) = clean_len {
                return self.behind(journal, len);
            }
            if !has_recovered && self.recover_if_free() {
                // Recovery may have found another journal in the place of this one.
                has_recovered = true;
                continue;
            }
            let Some(len) = unless_cut(self.before_last_batch(&*journal)).map_err(os)? else {
                continue;
            };
            // A journal is closed only when all of it is decided; then the marker is of the next one.
            if self.is_current(&*journal) {
                return self.behind(journal, len);
            }
        }
        Err(os(io::ErrorKind::ResourceBusy.into()))
    }

    /// By how many bytes the journal is shorter than its last writer left it, and all journals as they lie there;
    /// nothing where no rows are missing. Recovery would go on from the shorter journal and forget them.
    ///
    /// # Errors
    /// The state cannot be read.
    pub(crate) fn cut_short(&self) -> Result<Option<(Option<Journals>, u64)>> {
        let os = |source| Error::os(self.shown_state(&[JOURNAL]), "read", source);
        let Some(dir) = self.state_dir(&[])? else { return Ok(None) };
        let journal = self.state_file(&[], JOURNAL)?;
        let missing = match state::missing_len(&*dir, journal.as_deref()) {
            // No writer of this kind was ever here.
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            missing => missing.map_err(os)?,
        };
        if missing == 0 {
            return Ok(None);
        }
        let journals = match journal {
            Some(journal) => {
                let len = journal.stat().map_err(os)?.len;
                self.behind(journal, len)?
            }
            None => None,
        };
        Ok(Some((journals, missing)))
    }

    /// Whether a journal still has its name.
    fn is_current(&self, journal: &dyn File) -> bool {
        let now =
            self.state_dir(&[]).ok().flatten().and_then(|dir| dir.stat(OsStr::new(JOURNAL)).ok());
        now.map(|now| now.id) == journal.id().ok()
    }

    /// All journals, with the current one as far as what is decided goes.
    fn behind(&self, current: Arc<dyn File>, len: u64) -> Result<Option<Journals>> {
        let os = |source| Error::os(self.shown_state(&[closed::DIR]), "read", source);
        let dir = self.state_dir(&[])?;
        Journals::behind(dir.as_deref(), current, len).map(Some).map_err(os)
    }

    /// The journal's length, if the last writer was done with all of it.
    fn clean_len(&self, journal: &dyn File) -> io::Result<Option<u64>> {
        let dir = self.state_dir(&[]).ok().flatten();
        match dir.map(|dir| state::clean_len(&*dir, journal)) {
            // No writer of this kind was ever here. Without a batch nothing can be unfinished.
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                let len = journal.stat()?.len;
                Ok((recovery::before_last_batch(journal, 0)? == len).then_some(len))
            }
            Some(known) => known,
            None => Ok(None),
        }
    }

    /// Where the batch begins that may be unfinished.
    fn before_last_batch(&self, journal: &dyn File) -> io::Result<u64> {
        let dir = self.state_dir(&[]).ok().flatten();
        let decided = dir.map_or(Ok(0), |dir| state::decided_len_of(&*dir, journal))?;
        recovery::before_last_batch(journal, decided)
    }

    /// Runs recovery unless somebody works; tells whether it ran.
    fn recover_if_free(&self) -> bool {
        let mut held = match self.queue.state.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let is_free = match held.as_ref() {
            Some(state) => state.is_free(),
            None => self.lock_is_free(),
        };
        is_free && self.enter_to_read(&mut held, None).map(|state| state.unlock()).is_ok()
    }

    /// Whether no process holds the lock of a state directory that this one has not opened.
    fn lock_is_free(&self) -> bool {
        let taken = self.state_dir(&[]).ok().flatten().and_then(|dir| {
            let lock = dir.open_lock(OsStr::new("lock")).ok()?;
            let taken = lock.try_lock().ok()?;
            taken.then(|| lock.unlock())
        });
        taken.is_some()
    }
}

/// What was read of a journal; nothing where it became shorter meanwhile: a process that recovers cuts what a torn
/// batch has left.
fn unless_cut<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        read => read.map(Some),
    }
}
