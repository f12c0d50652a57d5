//! The commit path: the one routine by which every byte reaches a file.
//!
//! 1. **stage**: new content goes into a slot (see [`crate::store`]);
//! 2. **intend**: the journal rows, which name the slots, are appended; slots and journal are
//!    synced side by side, the *first wait*, and the slots read back and compared. From here on
//!    recovery finishes what was begun;
//! 3. **publish**: each slot is renamed to its target;
//! 4. the touched directories are synced side by side, the *second wait*; then, and not before,
//!    the callers are answered.
//!
//! A row whose slot is gone is finished: nothing needs to be retired.
//!
//! **Group commit.** Calls in flight queue here. Whoever finds nobody at work takes the lock and
//! the whole queue; all that it holds shares the two waits. A call that fails drops out alone; a
//! call for a file that the batch already writes waits for the next one.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::digest::{Digest, Hasher};
use crate::disk::{Access, DirRef, File, FileId, Replace, Stat, SyncItem};
use crate::error::{Error, Result};
use crate::journal::{Also, Line, Mode, Row};
use crate::recovery;
use crate::roots::Target;
use crate::store::{End, SLOTS, State, Store, digest_now, digest_of, digest_range};

/// The calls that wait to be committed, and the state that one of them at a time holds.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    turn: Condvar,
    state: Mutex<Option<State>>,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    leading: bool,
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
        lock(&self.queue.waiting).leading = false;
        self.queue.turn.notify_all();
    }
}

type Work = Box<dyn FnMut(&mut Op<'_>) -> Result<()> + Send>;
type Outcome = Arc<Mutex<Option<Result<()>>>>;

struct Job {
    work: Work,
    outcome: Outcome,
}

impl Job {
    fn answer(self, result: Result<()>) {
        *lock(&self.outcome) = Some(result);
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
        let outcome = Outcome::default();
        let job = Job {
            work: Box::new({
                let answer = answer.clone();
                move |op| {
                    *lock(&answer) = Some(work(op)?);
                    Ok(())
                }
            }),
            outcome: outcome.clone(),
        };
        let queue = &self.queue;
        let mut waiting = lock(&queue.waiting);
        waiting.jobs.push_back(job);
        loop {
            if let Some(done) = lock(&outcome).take() {
                done?;
                return lock(&answer)
                    .take()
                    .ok_or(Error::Internal { message: "no answer".to_owned() });
            }
            if waiting.leading {
                waiting = queue.turn.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            waiting.leading = true;
            let jobs = std::mem::take(&mut waiting.jobs);
            drop(waiting);
            let deferred = self.lead(jobs);
            waiting = lock(&queue.waiting);
            waiting.leading = false;
            for job in deferred.into_iter().rev() {
                waiting.jobs.push_front(job);
            }
            queue.turn.notify_all();
        }
    }

    /// Has the calls that come now wait, so that they are committed as one batch.
    #[cfg(feature = "sim")]
    pub(crate) fn hold(&self) -> Held<'_> {
        let mut waiting = lock(&self.queue.waiting);
        while waiting.leading {
            waiting = self.queue.turn.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.leading = true;
        Held { queue: &self.queue }
    }

    /// Runs recovery if anything is in need of it, and reports.
    pub(crate) fn recover(&self) -> Result<recovery::Report> {
        let mut held = lock(&self.queue.state);
        let mut report = recovery::Report::default();
        let state = self.enter(&mut held, Some(&mut report))?;
        state.unlock();
        Ok(report)
    }

    /// Takes the lock and brings the state up to date.
    fn enter<'a>(
        &self,
        held: &'a mut Option<State>,
        report: Option<&mut recovery::Report>,
    ) -> Result<&'a mut State> {
        let mut fresh = false;
        if let Some(state) = held.as_ref() {
            state.lock()?;
            if !state.is_current(self) {
                state.unlock();
                *held = None;
            }
        }
        let state = match held {
            Some(state) => state,
            None => {
                fresh = true;
                held.insert(State::open(self)?)
            }
        };
        let os = |source| Error::os(self.shown_state(&["journal.jsonl"]), "read", source);
        let entered = (|| {
            if !state.dirty && report.is_none() && state.refresh().map_err(os)? {
                // What a killed process staged and never promised.
                return if fresh { state.sweep().map_err(os) } else { Ok(()) };
            }
            state.dirty = true;
            let found = recovery::run(self, state)?;
            state.dirty = false;
            if let Some(report) = report {
                *report = found;
            }
            Ok(())
        })();
        if let Err(error) = entered {
            state.unlock();
            return Err(error);
        }
        Ok(state)
    }

    fn lead(&self, jobs: VecDeque<Job>) -> Vec<Job> {
        let mut held = lock(&self.queue.state);
        let state = match self.enter(&mut held, None) {
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
        for mut job in jobs {
            let mut op = Op { store: self, state, claimed: &claimed, change: Change::default() };
            let result = catch_unwind(AssertUnwindSafe(|| (job.work)(&mut op)));
            let change = op.change;
            match result {
                Ok(Ok(())) => {
                    claimed.extend(change.claims.iter().cloned());
                    batch.made.extend(change.made.iter().cloned());
                    batch.changes.push((job, change));
                }
                Ok(Err(error)) => {
                    batch.unmake.extend(change.made.iter().cloned());
                    change.drop_staged(state);
                    match error {
                        Error::Deferred => deferred.push(job),
                        error => job.answer(Err(error)),
                    }
                }
                Err(panic) => {
                    batch.unmake.extend(change.made.iter().cloned());
                    change.drop_staged(state);
                    job.answer(Err(Error::Internal { message: panic_text(&*panic) }));
                }
            }
        }
        batch.commit(self, state);
        state.unlock();
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

/// Content in a slot, not yet verified and not yet durable.
#[derive(Debug)]
#[must_use = "a staged file reaches its target only when it is published"]
pub(crate) struct Staged {
    slot: OsString,
    /// Where the slot is: `tmp/`, or beside a target on another device.
    dir: DirRef,
    /// How a journal row finds the slot again: its name in `tmp/`, or an absolute path.
    place: String,
    file: Arc<dyn File>,
    pub(crate) digest: Digest,
    pub(crate) len: u64,
}

impl Staged {
    /// Takes back content that turned out not to be needed. What cannot be removed is swept.
    pub(crate) fn remove(self) {
        let _ = self.dir.remove_file(&self.slot);
    }
}

/// A file as it is before a change.
#[derive(Debug)]
pub(crate) struct Old {
    pub(crate) file: Arc<dyn File>,
    pub(crate) stat: Stat,
    pub(crate) digest: Digest,
}

#[derive(Debug)]
enum How {
    /// The slot takes the target's name.
    Rename(Replace),
    /// The slot's bytes are copied into the target, which keeps its other names.
    Through(Arc<dyn File>),
}

/// A name that goes: first into `tmp/`, in one step, and is emptied there afterwards.
#[derive(Debug)]
struct Discard {
    dir: DirRef,
    name: OsString,
    grave: OsString,
}

#[derive(Debug)]
struct Publish {
    staged: Staged,
    target: Target,
    how: How,
    /// What it replaces, where that is a file of the workspace.
    before: Option<Before>,
}

/// What a call has based its change on.
#[derive(Clone, Copy, Debug)]
struct Before {
    stat: Stat,
    digest: Digest,
}

impl Before {
    fn of(old: &Old) -> Self {
        Self { stat: old.stat, digest: old.digest }
    }

    /// The last look before a file changes: an editor, which knows no lock, may have come in
    /// between.
    fn still_holds(&self, target: &Target) -> Result<()> {
        let now = target.dir.stat(&target.name);
        if matches!(now, Ok(now) if now == self.stat) {
            return Ok(());
        }
        let actual = digest_now(target).map_err(|e| Error::os(target.shown.clone(), "read", e))?;
        if actual == Some(self.digest) && now.is_ok_and(|now| now.id == self.stat.id) {
            return Ok(());
        }
        let expected = self.digest.to_string();
        Err(Error::Stale { path: target.shown.clone(), expected, actual })
    }
}

/// Bytes that are added at the end of a file where it is.
#[derive(Debug)]
struct InPlace {
    file: Arc<dyn File>,
    at: u64,
    bytes: Arc<Vec<u8>>,
    target: Target,
    before: Before,
    after: Hasher,
}

/// What at most one call of a batch may change: a name, and a file that may have several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Claim {
    Name(PathBuf),
    File(FileId),
}

/// What one call changes. Its files are published in order; the journal row, if it has one, names
/// the last of them.
#[derive(Debug, Default)]
pub(crate) struct Change {
    publishes: Vec<Publish>,
    append: Option<InPlace>,
    line: Option<(Arc<dyn File>, Line)>,
    row: Option<Row>,
    discards: Vec<Discard>,
    /// Slots that only tell where a slot beside a target is.
    notes: Vec<OsString>,
    made: Vec<(DirRef, OsString)>,
    /// Files and directories that have not changed but must be durable before the answer.
    confirm: Vec<SyncItem>,
    /// Targets that were not published but must be reachable.
    ground: Vec<Target>,
    claims: Vec<Claim>,
}

impl Change {
    fn drop_staged(self, state: &State) {
        for publish in self.publishes {
            publish.staged.remove();
        }
        for note in self.notes {
            let _ = state.tmp.remove_file(&note);
        }
    }

    /// The directories above those that this process has never published in: somebody may have
    /// made them a moment ago, and a file is only as durable as the names that lead to it.
    fn new_ground(&self, store: &Store, state: &mut State) -> Vec<DirRef> {
        let mut above = Vec::new();
        let targets = self.publishes.iter().map(|publish| &publish.target);
        for target in targets.chain(&self.ground) {
            let Ok(stat) = target.dir.stat_self() else { continue };
            if state.grounds.insert(stat.id) {
                above.extend(store.directories_above(&target.path));
            }
        }
        above
    }

    fn name(&self) -> String {
        self.row.as_ref().map(|row| row.path.clone()).unwrap_or_default()
    }

    fn unknown(&self, source: io::Error) -> Error {
        Error::OutcomeUnknown {
            path: self.name(),
            journal_id: self.row.as_ref().map(|row| row.journal_id.clone()),
            source,
        }
    }
}

/// A call at work under the lock: what it may look at, and where it puts what it changes.
pub(crate) struct Op<'a> {
    pub(crate) store: &'a Store,
    pub(crate) state: &'a mut State,
    claimed: &'a HashSet<Claim>,
    change: Change,
}

/// What a caller learns of a row that will be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journaled {
    pub(crate) journal_id: String,
    pub(crate) ts: String,
}

impl Op<'_> {
    /// Reserves a target for this call, under all names that it has.
    ///
    /// # Errors
    /// A call in front of this one in the batch has it: [`Error::Deferred`].
    pub(crate) fn claim(&mut self, target: &Target) -> Result<()> {
        let file = target.stat.map(|stat| Claim::File(stat.id));
        let claims: Vec<Claim> =
            std::iter::once(Claim::Name(target.path.clone())).chain(file).collect();
        if claims.iter().any(|claim| self.claimed.contains(claim)) {
            return Err(Error::Deferred);
        }
        self.change.claims.extend(claims);
        Ok(())
    }

    /// Opens and digests what a target holds now.
    pub(crate) fn old(&self, target: &Target) -> Result<Option<Old>> {
        let Some((file, stat)) = self.open_old(target)? else { return Ok(None) };
        let (digest, _) =
            digest_of(&*file).map_err(|e| Error::os(target.shown.clone(), "read", e))?;
        Ok(Some(Old { file, stat, digest }))
    }

    fn open_old(&self, target: &Target) -> Result<Option<(Arc<dyn File>, Stat)>> {
        if target.stat.is_none() {
            return Ok(None);
        }
        let os = |source| Error::os(target.shown.clone(), "open", source);
        let file: Arc<dyn File> = match target.dir.open(&target.name) {
            Ok(file) => file.into(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(os(error)),
        };
        let stat = file.stat().map_err(os)?;
        Ok(Some((file, stat)))
    }

    /// Opens what is to be appended to, and gives the hasher after its last byte. Costs nothing of
    /// its length when this process appended to it last and nobody has touched it since.
    pub(crate) fn old_for_append(&self, target: &Target) -> Result<Option<(Old, Hasher)>> {
        let Some((file, stat)) = self.open_old(target)? else { return Ok(None) };
        let hasher = match self.state.digests.get(&stat) {
            Some(hasher) => hasher,
            None => {
                let mut hasher = Hasher::default();
                digest_range(&*file, 0, stat.len, &mut hasher)
                    .map_err(|e| Error::os(target.shown.clone(), "read", e))?;
                hasher
            }
        };
        Ok(Some((Old { file, stat, digest: hasher.finish() }, hasher)))
    }

    /// Makes the directories that lead to a target.
    fn make_parents(&mut self, target: &mut Target, access: Access) -> Result<()> {
        for name in std::mem::take(&mut target.missing) {
            let failed = |source| Error::MakeDirectory { path: target.shown.clone(), source };
            match target.dir.create_dir(&name, access) {
                Ok(()) => self.change.made.push((target.dir.clone(), name.clone())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
            target.dir = target.dir.open_dir(&name).map_err(failed)?;
        }
        Ok(())
    }

    /// Stages bytes that are at hand.
    pub(crate) fn stage(
        &mut self,
        target: &Target,
        bytes: &[u8],
        digest: Digest,
    ) -> Result<Staged> {
        let mut staged = self.open_slot(target)?;
        staged.file.write_all_at(bytes, 0).map_err(|source| {
            let _ = staged.dir.remove_file(&staged.slot);
            Error::os(target.shown.clone(), "write", source)
        })?;
        staged.digest = digest;
        staged.len = bytes.len() as u64;
        Ok(staged)
    }

    /// Stages what `parts` yields, a part at a time.
    pub(crate) fn stage_parts(
        &mut self,
        target: &Target,
        mut parts: impl FnMut() -> Result<Option<Vec<u8>>>,
    ) -> Result<Staged> {
        let mut staged = self.open_slot(target)?;
        let mut hasher = Hasher::default();
        let written = (|| {
            while let Some(part) = parts()? {
                hasher.update(&part);
                staged
                    .file
                    .write_all_at(&part, staged.len)
                    .map_err(|source| Error::os(target.shown.clone(), "write", source))?;
                staged.len += part.len() as u64;
            }
            Ok(())
        })();
        if let Err(error) = written {
            let _ = staged.dir.remove_file(&staged.slot);
            return Err(error);
        }
        staged.digest = hasher.finish();
        Ok(staged)
    }

    fn open_slot(&mut self, target: &Target) -> Result<Staged> {
        let os = |source| Error::os(target.shown.clone(), "stage", source);
        let device = |dir: &DirRef| dir.stat_self().map(|stat| stat.id.device);
        let (slot, file) = self.state.take_slot().map_err(os)?;
        let staged = Staged {
            place: slot.to_string_lossy().into_owned(),
            slot,
            dir: self.state.tmp.clone(),
            file,
            digest: Digest::of(b""),
            len: 0,
        };
        let same_device = device(&target.dir)
            .and_then(|there| Ok(there == device(&self.state.tmp)?))
            .map_err(os)?;
        if same_device { Ok(staged) } else { self.stage_beside(staged, target).map_err(os) }
    }

    /// Gives a target on another device a slot beside it, where a rename can reach it. The slot in
    /// `tmp/` becomes a note of it, so that recovery finds it without a search.
    fn stage_beside(&mut self, note: Staged, target: &Target) -> io::Result<Staged> {
        let mut path = target.path.clone();
        path.pop();
        // The directories on the way may not exist yet; the slot then lies in the deepest one.
        for _ in &target.missing {
            path.pop();
        }
        let slot = OsString::from(format!("{BESIDE}{}", note.place));
        path.push(&slot);
        let place = path.to_string_lossy().into_owned();
        let pointer = serde_json::to_vec(&Beside { beside: place.clone() })?;
        self.change.notes.push(note.slot);
        note.file.write_all_at(&pointer, 0)?;
        note.file.sync()?;
        let file = target.dir.create_new(&slot, Access::Default)?.into();
        target.dir.sync().inspect_err(|_| {
            let _ = target.dir.remove_file(&slot);
        })?;
        Ok(Staged { slot, dir: target.dir.clone(), place, file, digest: note.digest, len: 0 })
    }

    /// Publishes staged content at a target, with a row in the journal.
    pub(crate) fn publish(
        &mut self,
        staged: Staged,
        mut target: Target,
        old: Option<&Old>,
        mode: Mode,
    ) -> Result<Journaled> {
        let row = self.new_row(&target, staged.digest, staged.len, old.map(|old| old.digest), mode);
        let staged_name = staged.place.clone();
        self.push(staged, &mut target, old, Access::Default)?;
        let through =
            matches!(self.change.publishes.last(), Some(Publish { how: How::Through(_), .. }));
        Ok(self.journal(Row { staged: Some(staged_name), at: through.then_some(0), ..row }))
    }

    /// Publishes a state file, private to the user, with a row in the journal.
    pub(crate) fn publish_state(
        &mut self,
        staged: Staged,
        mut target: Target,
        old: Option<&Old>,
        mode: Mode,
    ) -> Result<Journaled> {
        let row = self.new_row(&target, staged.digest, staged.len, old.map(|old| old.digest), mode);
        let staged_name = staged.place.clone();
        self.push(staged, &mut target, None, Access::Private)?;
        self.set_replace(old.is_some());
        Ok(self.journal(Row { staged: Some(staged_name), ..row }))
    }

    /// Publishes a state file that has no row of its own, before the file of the row.
    pub(crate) fn publish_also(
        &mut self,
        staged: Staged,
        mut target: Target,
        old: Option<Digest>,
    ) -> Result<Also> {
        let also = Also {
            abs_path: target.path.to_string_lossy().into_owned(),
            prev_sha256: old,
            sha256: staged.digest,
            staged: staged.place.clone(),
        };
        self.push(staged, &mut target, None, Access::Private)?;
        self.set_replace(old.is_some());
        Ok(also)
    }

    fn set_replace(&mut self, replace: bool) {
        if let Some(publish) = self.change.publishes.last_mut() {
            publish.how = How::Rename(if replace { Replace::Yes } else { Replace::No });
        }
    }

    fn push(
        &mut self,
        staged: Staged,
        target: &mut Target,
        old: Option<&Old>,
        access: Access,
    ) -> Result<()> {
        let shown = target.shown.clone();
        let prepared = (|| {
            self.make_parents(target, access)?;
            match (access, old) {
                (Access::Private, _) => staged.file.make_private(),
                (Access::Default, Some(old)) => staged.file.copy_attributes(&*old.file),
                (Access::Default, None) => Ok(()),
            }
            .map_err(|source| Error::os(shown, "set attributes", source))
        })();
        let how = match old {
            None => Ok(How::Rename(Replace::No)),
            Some(old) if old.stat.links > 1 => target
                .dir
                .open_write(&target.name)
                .map(|file| How::Through(file.into()))
                .map_err(|source| Error::os(target.shown.clone(), "open", source)),
            Some(_) => Ok(How::Rename(Replace::Yes)),
        };
        match prepared.and(how) {
            Ok(how) => {
                let before = old.map(Before::of);
                self.change.publishes.push(Publish { staged, target: target.clone(), how, before });
                Ok(())
            }
            Err(error) => {
                staged.remove();
                Err(error)
            }
        }
    }

    /// Appends to a file where it is, with a row in the journal.
    pub(crate) fn append(
        &mut self,
        target: &Target,
        old: &Old,
        before: &Hasher,
        bytes: Arc<Vec<u8>>,
    ) -> Result<(Journaled, Digest)> {
        let file = target
            .dir
            .open_write(&target.name)
            .map_err(|source| Error::os(target.shown.clone(), "open", source))?;
        let mut after = before.clone();
        after.update(&bytes);
        let digest = after.finish();
        let at = old.stat.len;
        let row =
            self.new_row(target, digest, at + bytes.len() as u64, Some(old.digest), Mode::Append);
        self.change.append = Some(InPlace {
            file: file.into(),
            at,
            bytes,
            target: target.clone(),
            before: Before::of(old),
            after,
        });
        Ok((self.journal(Row { at: Some(at), ..row }), digest))
    }

    /// Journals a write that found its content in place, and makes sure that it is durable.
    pub(crate) fn confirm(&mut self, target: &Target, old: &Old, mode: Mode) -> Journaled {
        // Some systems sync only what is open for writing; a file that may not be written is synced
        // as it was opened.
        let file = target.dir.open_write(&target.name).map_or_else(|_| old.file.clone(), Arc::from);
        self.change.confirm.push(SyncItem::File(file));
        self.change.confirm.push(SyncItem::Dir(target.dir.clone()));
        self.change.ground.push(target.clone());
        let row = self.new_row(target, old.digest, old.stat.len, Some(old.digest), mode);
        self.journal(row)
    }

    /// Appends a line to a log of the state. It belongs to this call's row, if it has one.
    pub(crate) fn append_line(&mut self, mut target: Target, text: String) -> Result<()> {
        self.claim(&target)?;
        self.make_parents(&mut target, Access::Private)?;
        let os = |source| Error::os(target.shown.clone(), "open", source);
        let file: Arc<dyn File> = match target.dir.open_write(&target.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let file = target.dir.create_new(&target.name, Access::Private).map_err(os)?;
                self.change.confirm.push(SyncItem::Dir(target.dir.clone()));
                file
            }
            other => other.map_err(os)?,
        }
        .into();
        let at = recovery::cut_torn_tail(&*file).map_err(os)?;
        let line = Line { abs_path: target.path.to_string_lossy().into_owned(), at, text };
        if let Some(row) = &mut self.change.row {
            row.line = Some(line.clone());
        }
        self.change.line = Some((file, line));
        Ok(())
    }

    /// Takes a file or a whole directory away in one step.
    pub(crate) fn discard(&mut self, dir: DirRef, name: OsString) {
        let grave = format!("gone-{:016x}", self.store.clock.random()).into();
        self.change.discards.push(Discard { dir, name, grave });
    }

    /// Names the files that belong to this call's row.
    pub(crate) fn together_with(&mut self, also: Vec<Also>) {
        if let Some(row) = &mut self.change.row {
            row.also = also;
        }
    }

    fn new_row(
        &self,
        target: &Target,
        sha256: Digest,
        bytes: u64,
        prev_sha256: Option<Digest>,
        mode: Mode,
    ) -> Row {
        Row {
            abs_path: Some(target.path.to_string_lossy().into_owned()),
            also: Vec::new(),
            at: None,
            batch: None,
            bytes,
            caller: self.store.caller.clone(),
            chain: None,
            journal_id: self.store.journal_id(),
            line: None,
            mode,
            path: target.shown.clone(),
            prev_sha256,
            seq: None,
            sha256,
            staged: None,
            ts: self.store.now(),
        }
    }

    fn journal(&mut self, row: Row) -> Journaled {
        let journaled = Journaled { journal_id: row.journal_id.clone(), ts: row.ts.clone() };
        self.change.row = Some(row);
        journaled
    }
}

/// How the name of a slot begins that lies beside its target.
pub(crate) const BESIDE: &str = ".rw-";

/// What a slot in `tmp/` holds when the content is beside its target.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Beside {
    pub(crate) beside: String,
}

/// What becomes of a change on its way through the batch.
enum Fate {
    Going,
    /// Nothing of it happened; its row is to go.
    Failed(Error),
    /// It is in the journal, and recovery will finish or withdraw it.
    Unknown(Error),
}

#[derive(Default)]
struct Batch {
    changes: Vec<(Job, Change)>,
    made: Vec<(DirRef, OsString)>,
    /// Directories made for calls that came to nothing.
    unmake: Vec<(DirRef, OsString)>,
}

impl Batch {
    fn commit(mut self, store: &Store, state: &mut State) {
        let changes = std::mem::take(&mut self.changes);
        if !changes.is_empty() {
            let (jobs, changes): (Vec<Job>, Vec<Change>) = changes.into_iter().unzip();
            let fates = self.run(store, state, &changes);
            for ((job, change), fate) in jobs.into_iter().zip(changes).zip(fates) {
                match fate {
                    Fate::Going => job.answer(Ok(())),
                    Fate::Unknown(error) => job.answer(Err(error)),
                    Fate::Failed(error) => {
                        self.unmake.extend(change.made.iter().cloned());
                        change.drop_staged(state);
                        job.answer(Err(error));
                    }
                }
            }
        }
        for (dir, name) in self.unmake.iter().rev() {
            // Not empty when another call of the batch uses it.
            let _ = dir.remove_dir(name);
        }
    }

    fn run(&self, store: &Store, state: &mut State, changes: &[Change]) -> Vec<Fate> {
        let mut fates: Vec<Fate> = changes.iter().map(|_| Fate::Going).collect();
        let start = state.end.clone();

        if let Err(source) = self.intend(store, state, changes, &mut fates) {
            return withdraw_all(state, &start, changes, &source);
        }
        if fates.iter().any(|fate| matches!(fate, Fate::Failed(_)))
            && let Err(source) = rewrite_rows(state, &start, changes, &fates)
        {
            return withdraw_all(state, &start, changes, &source);
        }

        let mut published = false;
        for (change, fate) in changes.iter().zip(&mut fates) {
            if matches!(fate, Fate::Going) {
                *fate = publish(state, change);
                published |= matches!(fate, Fate::Going);
            }
            state.dirty |= matches!(fate, Fate::Unknown(_));
        }
        // A row goes only when nothing was published after it was promised; else it goes by way of
        // a record that survives a crash.
        if fates.iter().any(|fate| matches!(fate, Fate::Failed(_))) {
            let withdrawn = if published || state.dirty {
                recovery::withdraw(state, &start, &surviving(changes, &fates))
            } else {
                rewrite_rows(state, &start, changes, &fates)
            };
            if let Err(source) = withdrawn {
                state.dirty = true;
                for (change, fate) in changes.iter().zip(&mut fates) {
                    *fate = Fate::Unknown(change.unknown(repeat(&source)));
                }
            }
        }

        self.make_durable(store, state, changes, &mut fates);
        for (change, fate) in changes.iter().zip(&fates) {
            if matches!(fate, Fate::Going) {
                finish(state, change);
            }
        }
        if !state.dirty {
            state.settle();
        }
        fates
    }

    /// Stages become durable and the rows promised: the first wait.
    fn intend(
        &self,
        store: &Store,
        state: &mut State,
        changes: &[Change],
        fates: &mut [Fate],
    ) -> io::Result<()> {
        let bytes = append_rows(state, changes.iter().filter_map(|change| change.row.as_ref()))?;
        let mut items = Vec::new();
        if !bytes.is_empty() {
            state.journal.write_all_at(&bytes, state.end.len)?;
            items.push(SyncItem::File(state.journal.clone()));
        }
        state.end.len += bytes.len() as u64;
        // IMPORTANT: the way to a file is durable before the file goes there; else a crash could
        // take both its names. A call may use a directory that another one has made.
        items.extend(
            self.made.iter().chain(&self.unmake).map(|(dir, _)| SyncItem::Dir(dir.clone())),
        );
        for change in changes {
            items.extend(change.new_ground(store, state).into_iter().map(SyncItem::Dir));
        }
        let common = items.len();
        let mut owners = Vec::new();
        for (who, change) in changes.iter().enumerate() {
            for publish in &change.publishes {
                items.push(SyncItem::File(publish.staged.file.clone()));
                owners.push((who, publish));
            }
        }
        if items.is_empty() {
            return Ok(());
        }
        let mut results = store.disk.sync_all(&items).into_iter();
        for result in results.by_ref().take(common) {
            result?;
        }
        for ((who, publish), result) in owners.into_iter().zip(results) {
            let shown = || publish.target.shown.clone();
            let verified = result
                .and_then(|()| digest_of(&*publish.staged.file))
                .map_err(|source| Error::os(shown(), "sync", source))
                .and_then(|(actual, bytes)| {
                    if actual == publish.staged.digest && bytes == publish.staged.len {
                        return Ok(());
                    }
                    let expected = publish.staged.digest;
                    Err(Error::ReadBack { path: shown(), expected, actual, bytes })
                });
            if let (Err(error), Some(fate)) = (verified, fates.get_mut(who)) {
                *fate = Fate::Failed(error);
            }
        }
        Ok(())
    }

    /// The second wait.
    fn make_durable(
        &self,
        store: &Store,
        state: &mut State,
        changes: &[Change],
        fates: &mut [Fate],
    ) {
        let mut items = Vec::new();
        let mut seen: HashSet<FileId> = HashSet::new();
        // Which changes stand and fall with an item; no entry for the slots.
        let mut needs: Vec<Vec<usize>> = Vec::new();
        let mut place: std::collections::HashMap<FileId, usize> = std::collections::HashMap::new();
        let mut add = |item: SyncItem, who: Option<usize>| {
            let id = match &item {
                SyncItem::Dir(dir) => dir.stat_self().map(|stat| stat.id).ok(),
                SyncItem::File(file) => file.stat().map(|stat| stat.id).ok(),
            };
            let at = match id {
                Some(id) if !seen.insert(id) => place.get(&id).copied(),
                _ => None,
            };
            let at = at.unwrap_or_else(|| {
                items.push(item);
                needs.push(Vec::new());
                if let Some(id) = id {
                    place.insert(id, items.len() - 1);
                }
                items.len() - 1
            });
            if let (Some(who), Some(needs)) = (who, needs.get_mut(at)) {
                needs.push(who);
            }
        };
        for (who, (change, fate)) in changes.iter().zip(fates.iter()).enumerate() {
            if !matches!(fate, Fate::Going) {
                continue;
            }
            for publish in &change.publishes {
                match &publish.how {
                    How::Rename(_) => add(SyncItem::Dir(publish.target.dir.clone()), Some(who)),
                    How::Through(file) => add(SyncItem::File(file.clone()), Some(who)),
                }
            }
            if let Some(append) = &change.append {
                add(SyncItem::File(append.file.clone()), Some(who));
            }
            if let Some((file, _)) = &change.line {
                add(SyncItem::File(file.clone()), Some(who));
            }
            for item in &change.confirm {
                add(item.clone(), Some(who));
            }
            for discard in &change.discards {
                add(SyncItem::Dir(discard.dir.clone()), Some(who));
                // A rename is durable once the directory that received the name is.
                add(SyncItem::Dir(state.tmp.clone()), Some(who));
            }
        }
        let used = changes.iter().map(|change| change.publishes.len()).sum::<usize>();
        let mut slots = Vec::new();
        if state.pool.len() < (SLOTS / 4).max(used.min(4 * SLOTS)) {
            // A failure here shows at the next call, which needs them.
            slots = state.make_slots(SLOTS.max(used)).unwrap_or_default();
        }
        if !slots.is_empty() {
            add(SyncItem::Dir(state.tmp.clone()), None);
        }
        if items.is_empty() {
            return;
        }
        let synced = store.disk.sync_all(&items);
        for (result, needs) in synced.into_iter().zip(needs) {
            let Err(source) = result else { continue };
            if needs.is_empty() {
                for slot in slots.drain(..) {
                    let _ = state.tmp.remove_file(&slot);
                }
            }
            for who in needs {
                if let (Some(change), Some(fate)) = (changes.get(who), fates.get_mut(who))
                    && matches!(fate, Fate::Going)
                {
                    *fate = Fate::Unknown(change.unknown(repeat(&source)));
                    state.dirty = true;
                }
            }
        }
        state.pool.append(&mut slots);
    }
}

/// Numbers and chains rows onto the journal's end; gives the bytes.
pub(crate) fn append_rows<'a>(
    state: &mut State,
    rows: impl Iterator<Item = &'a Row>,
) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let first = state.end.seq + 1;
    for row in rows {
        state.end.seq += 1;
        let mut row = Row { seq: Some(state.end.seq), batch: Some(first), ..row.clone() };
        bytes.extend(row.chained(state.end.chain.as_deref())?);
        state.end.chain = row.chain;
    }
    Ok(bytes)
}

fn surviving<'a>(changes: &'a [Change], fates: &[Fate]) -> Vec<&'a Row> {
    changes
        .iter()
        .zip(fates)
        .filter(|(_, fate)| !matches!(fate, Fate::Failed(_)))
        .filter_map(|(change, _)| change.row.as_ref())
        .collect()
}

/// Takes the rows of failed changes out again, before anything was published.
fn rewrite_rows(
    state: &mut State,
    start: &End,
    changes: &[Change],
    fates: &[Fate],
) -> io::Result<()> {
    state.journal.set_len(start.len)?;
    state.end = start.clone();
    let bytes = append_rows(state, surviving(changes, fates).into_iter())?;
    state.journal.write_all_at(&bytes, start.len)?;
    state.end.len += bytes.len() as u64;
    state.journal.sync()
}

/// The journal failed: nothing of the batch happens, if the disk still lets us say so.
fn withdraw_all(
    state: &mut State,
    start: &End,
    changes: &[Change],
    source: &io::Error,
) -> Vec<Fate> {
    state.end = start.clone();
    let withdrawn = state.journal.set_len(start.len).and_then(|()| state.journal.sync());
    // Whatever the journal holds now is read again before it is used.
    state.dirty = true;
    // Their sync may be what failed.
    state.grounds.clear();
    changes
        .iter()
        .map(|change| match &withdrawn {
            Ok(()) => Fate::Failed(Error::os(change.name(), "journal", repeat(source))),
            Err(_) => Fate::Unknown(change.unknown(repeat(source))),
        })
        .collect()
}

fn publish(state: &mut State, change: &Change) -> Fate {
    for (step, publish) in change.publishes.iter().enumerate() {
        let Publish { staged, target, how, before } = publish;
        if step == 0
            && let Some(before) = before
            && let Err(error) = before.still_holds(target)
        {
            return Fate::Failed(error);
        }
        let result = match how {
            How::Rename(replace) => {
                staged.dir.rename(&staged.slot, &*target.dir, &target.name, *replace)
            }
            How::Through(file) => copy_through(&*staged.file, &**file),
        };
        match result {
            Ok(()) => {}
            // Once a file of the change is out, or half of one, only forward is safe.
            Err(source) if step > 0 || matches!(how, How::Through(_)) => {
                return Fate::Unknown(change.unknown(source));
            }
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                let (path, now) = (target.shown.clone(), digest_now(target).ok().flatten());
                return Fate::Failed(match change.row.as_ref().map(|row| row.mode) {
                    Some(Mode::Create) => Error::AlreadyExists { path, sha256: now },
                    _ => Error::Stale { path, expected: String::new(), actual: now },
                });
            }
            Err(source) => {
                return Fate::Failed(Error::os(target.shown.clone(), "rename", source));
            }
        }
    }
    if let Some(InPlace { file, at, bytes, target, before, after }) = &change.append {
        if let Err(error) = before.still_holds(target) {
            return Fate::Failed(error);
        }
        if let Err(source) = file.write_all_at(bytes, *at) {
            return match file.set_len(*at) {
                Ok(()) => Fate::Failed(Error::os(target.shown.clone(), "append", source)),
                Err(_) => Fate::Unknown(change.unknown(source)),
            };
        }
        // Before the wait: what others write during it must be noticed by the next append.
        if let Ok(stat) = file.stat()
            && stat.len == at + bytes.len() as u64
        {
            state.digests.put(stat, after.clone());
        }
    }
    if let Some((file, line)) = &change.line
        && let Err(source) = write_line(&**file, line)
    {
        if change.publishes.is_empty() && file.set_len(line.at).is_ok() {
            return Fate::Failed(Error::os(line.abs_path.clone(), "append", source));
        }
        return Fate::Unknown(change.unknown(source));
    }
    for Discard { dir, name, grave } in &change.discards {
        if let Err(source) = dir.rename(name, &*state.tmp, grave, Replace::Yes)
            && source.kind() != io::ErrorKind::NotFound
        {
            return Fate::Unknown(change.unknown(source));
        }
    }
    Fate::Going
}

/// Writes the line of a change where it belongs.
pub(crate) fn write_line(file: &dyn File, line: &Line) -> io::Result<()> {
    let mut bytes = line.text.clone().into_bytes();
    bytes.push(b'\n');
    file.write_all_at(&bytes, line.at)
}

/// Copies a slot's bytes into a file that keeps its identity.
pub(crate) fn copy_through(from: &dyn File, to: &dyn File) -> io::Result<()> {
    let mut block = vec![0; 128 * 1024];
    let mut at = 0;
    loop {
        let read = crate::disk::read_up_to(from, &mut block, at)?;
        if read == 0 {
            break;
        }
        to.write_all_at(block.get(..read).unwrap_or_default(), at)?;
        at += read as u64;
    }
    to.set_len(at)
}

/// What comes after the second wait and needs no wait of its own, but for a write through links.
fn finish(state: &mut State, change: &Change) {
    for publish in &change.publishes {
        if let How::Through(_) = publish.how {
            let removed = publish.staged.dir.remove_file(&publish.staged.slot);
            if removed.and_then(|()| publish.staged.dir.sync()).is_err() {
                state.dirty = true;
            }
        }
    }
    for note in &change.notes {
        let _ = state.tmp.remove_file(note);
    }
    for Discard { grave, .. } in &change.discards {
        if state.tmp.remove_file(grave).is_err() {
            let _ = crate::store::remove_tree(&*state.tmp, grave);
        }
    }
}

/// The same error again: a system's error cannot be cloned.
pub(crate) fn repeat(source: &io::Error) -> io::Error {
    source.raw_os_error().map_or_else(
        || io::Error::new(source.kind(), source.to_string()),
        io::Error::from_raw_os_error,
    )
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
