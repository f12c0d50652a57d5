//! The facade: open a workspace, then ask it for what it holds.

mod made;
mod redaction;
mod source;
mod stale;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::analytics;
use crate::checkpoint::{Checkpoints, SaveReceipt, SaveRequest};
use crate::chunk::{
    ChunkReceipt, Chunks, ComposeReceipt, ComposeRequest, Looked, PartRequest, Preview,
    PreviewRequest, Status,
};
use crate::closed;
use crate::commit::{Cancelled, Committer};
use crate::disk::{Clock, Disk, RealDisk, SystemClock};
use crate::error::{Changed, Draft, Error, Result, Unkept};
use crate::figures::{self, Figures};
use crate::handoff::{Found, Handoff, HandoffReceipt, HandoffRequest};
use crate::journal::{self, By, Filter, Tail};
use crate::policy::Policy;
use crate::policy_file::PolicyFile;
use crate::progress::Progress;
use crate::read::{self, Reader};
use crate::recovery::{self, Notice, Undecided};
use crate::risk::{self, Verdict};
use crate::roots::{Root, Roots, STATE_DIR};
use crate::scratch::{DRAFT_LABEL, DRAFT_NOTES, PutRequest, Scratch};
use crate::screen::{self, Screen};
use crate::stamp;
use crate::store::Store;
use crate::write::{self, ReplaceRequest, WriteReceipt, WriteRequest};

use self::made::Made;
use self::stale::{Edit, Wanted};

pub use self::redaction::{RedactRequest, Redacted, WriteTo};
pub use self::source::{Purpose, Source, decoded};

/// What the library is told about its surroundings; it asks the environment for nothing.
#[derive(Debug)]
pub struct Builder {
    cwd: PathBuf,
    roots: Vec<PathBuf>,
    state: PathBuf,
    user_home: Option<PathBuf>,
    policy_file: Option<PathBuf>,
    sealed_scratch: bool,
    caller: String,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    longest_journal: u64,
    on_notice: fn(&Notice),
}

/// The journal is closed when it is longer: some 16,000 rows. A program that knows the current one only,
/// as the Python server does, reads no more than this.
const LONGEST_JOURNAL: u64 = 8 << 20;

/// A workspace: the files that an agent may write, and the state beside them.
///
/// Opening one touches nothing; the first change does. Any number of processes may have the same
/// workspace open.
#[derive(Debug)]
pub struct Workspace {
    store: Committer,
    sealed_scratch: bool,
    indexes: Arc<read::Indexes>,
    /// See [`Scratch::retained`].
    retained: Arc<AtomicU64>,
    made: Arc<Made>,
    looked: Arc<Looked>,
}

impl Builder {
    /// Sets the boundary to one directory, which also holds the state. It must be absolute, with
    /// all links resolved.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            cwd: root.clone(),
            roots: vec![root.clone()],
            state: root,
            user_home: None,
            policy_file: None,
            sealed_scratch: false,
            caller: "resilient-write".to_owned(),
            disk: Arc::new(RealDisk),
            clock: Arc::new(SystemClock),
            longest_journal: LONGEST_JOURNAL,
            on_notice: |_| {},
        }
    }

    /// Sets the directory at which relative paths begin.
    #[must_use]
    pub fn cwd(self, cwd: impl Into<PathBuf>) -> Self {
        Self { cwd: cwd.into(), ..self }
    }

    /// Sets the directories under which files may be written.
    #[must_use]
    pub fn roots(self, roots: Vec<PathBuf>) -> Self {
        Self { roots, ..self }
    }

    /// Sets the directory that holds the state directory.
    #[must_use]
    pub fn state(self, state: impl Into<PathBuf>) -> Self {
        Self { state: state.into(), ..self }
    }

    /// Sets the user's home directory, in which a path is that begins with `~` or `$HOME`.
    #[must_use]
    pub fn user_home(self, home: Option<PathBuf>) -> Self {
        Self { user_home: home, ..self }
    }

    /// Sets the policy file; a relative path begins where the state directory is.
    #[must_use]
    pub fn policy_file(self, file: impl Into<PathBuf>) -> Self {
        Self { policy_file: Some(file.into()), ..self }
    }

    /// Switches reading the scratchpad off, and with it every read of the files that hold it.
    #[must_use]
    pub fn seal_scratch(self, sealed: bool) -> Self {
        Self { sealed_scratch: sealed, ..self }
    }

    /// Sets the name that journal rows bear.
    #[must_use]
    pub fn caller(self, caller: impl Into<String>) -> Self {
        Self { caller: caller.into(), ..self }
    }

    /// Sets another disk than the operating system's.
    #[must_use]
    pub fn disk(self, disk: Arc<dyn Disk>) -> Self {
        Self { disk, ..self }
    }

    /// Sets another clock than the operating system's.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Sets the length in bytes from which on the journal is closed and a new one begins.
    #[must_use]
    pub fn longest_journal(self, bytes: u64) -> Self {
        Self { longest_journal: bytes, ..self }
    }

    /// Sets what is called once for each thing that recovery did or kept: for a log.
    /// [`Workspace::take_notices`] is for answers.
    #[must_use]
    pub fn on_notice(self, on_notice: fn(&Notice)) -> Self {
        Self { on_notice, ..self }
    }

    /// Makes the workspace. Nothing is touched.
    #[must_use]
    pub fn open(self) -> Workspace {
        let Self { cwd, roots, state, policy_file, sealed_scratch, caller, disk, clock, .. } = self;
        let default = Path::new(crate::roots::STATE_DIR).join("policy.yaml");
        Workspace {
            sealed_scratch,
            indexes: Arc::default(),
            retained: Arc::default(),
            made: Arc::default(),
            looked: Arc::default(),
            store: Committer::new(Store {
                digests: Arc::default(),
                policy: PolicyFile::new(
                    disk.clone(),
                    state.join(policy_file.as_deref().unwrap_or(&default)),
                    policy_file.is_some(),
                ),
                roots: Roots::new(disk.clone(), cwd, roots, &state)
                    .user_home(self.user_home)
                    .policy(policy_file.map(|path| state.join(path))),
                home: Root::new(state),
                disk,
                clock,
                caller,
                longest_journal: self.longest_journal,
                figures: Figures::default(),
                on_notice: self.on_notice,
            }),
        }
    }
}

impl Workspace {
    /// Describes a workspace of one directory; see [`Builder::new`].
    #[must_use]
    pub fn builder(root: impl Into<PathBuf>) -> Builder {
        Builder::new(root)
    }

    /// The same workspace for one caller: the rows of its calls say who that is. All callers share queue, lock
    /// and caches.
    #[must_use]
    pub fn for_caller(&self, by: By) -> Self {
        self.with(self.store.for_caller(by))
    }

    /// The same workspace for one call. If the call is cancelled while its first change waits for the lock, or for other
    /// changes, it fails with [`Error::Cancelled`] and has changed nothing. Once the first change has begun, all are made.
    #[must_use]
    pub fn unless(&self, cancelled: Cancelled) -> Self {
        self.with(self.store.unless(cancelled))
    }

    /// The same workspace for one call that somebody watches: searches, scans for secrets and the joining of parts say how
    /// far they are. A search or a scan that its watcher stops fails with [`Error::Cancelled`], and nothing is changed.
    #[must_use]
    pub fn watched_by(&self, progress: Arc<dyn Progress>) -> Self {
        self.with(self.store.watched_by(progress))
    }

    fn with(&self, store: Committer) -> Self {
        Self {
            store,
            sealed_scratch: self.sealed_scratch,
            indexes: self.indexes.clone(),
            retained: self.retained.clone(),
            made: self.made.clone(),
            looked: self.looked.clone(),
        }
    }

    /// A new identity for [`By::session`]: 16 hex digits of chance.
    #[must_use]
    pub fn new_session(&self) -> String {
        format!("{:016x}", self.store.clock.random())
    }

    /// The access boundary.
    #[must_use]
    pub fn roots(&self) -> &Roots {
        &self.store.roots
    }

    /// The directory that holds the state directory.
    #[must_use]
    pub fn state_root(&self) -> &Path {
        self.store.home.path()
    }

    /// The state directory, whether it is there or not.
    #[must_use]
    pub fn state_dir(&self) -> PathBuf {
        self.state_root().join(STATE_DIR)
    }

    /// The policy in force: read anew when its file has changed.
    ///
    /// # Errors
    /// The file is there and cannot be read or used.
    pub fn policy(&self) -> Result<Arc<Policy>> {
        self.store.policy.get()
    }

    /// The file that the policy is read from; it need not be there.
    #[must_use]
    pub fn policy_path(&self) -> &Path {
        self.store.policy.path()
    }

    /// Whether the policy has every write judged, and not only those that ask for it.
    #[must_use]
    pub fn judges_all(&self) -> bool {
        self.policy().is_ok_and(|policy| policy.classify.by_default)
    }

    /// Scores what a file holds or is to hold; the policy may let a file in the roots pass. The report is
    /// [cut](risk::Report::cut).
    ///
    /// # Errors
    /// The policy file cannot be used.
    pub fn risk_score_file(&self, path: &str, content: &str) -> Result<risk::Report> {
        let policy = self.policy()?;
        let scan =
            || screen::score(&self.store.roots, path, content, &policy.risk, risk::score_cut);
        screen::scan(&self.store.progress, scan)
    }

    /// Predicts whether a content filter rejects a text. The report is [cut](risk::Report::cut).
    ///
    /// # Errors
    /// The policy file cannot be used.
    pub fn risk_score(&self, content: &str) -> Result<risk::Report> {
        let policy = self.policy()?;
        screen::scan(&self.store.progress, || risk::score_cut(content, &policy.risk))
    }

    /// Makes a call under the screen that it asks for or that the policy demands. A draft that is blocked is
    /// kept in the scratchpad.
    fn screened<T>(
        &self,
        asked: Option<Verdict>,
        call: impl FnOnce(&Screen) -> Result<T>,
    ) -> Result<T> {
        let policy = &self.store.policy;
        let screen = Screen::of(&self.store, asked)?;
        call(&screen).map_err(|error| self.keep_draft(screen.blame(policy, error)))
    }

    fn keep_draft(&self, error: Error) -> Error {
        let Error::Blocked { path, report, by, reject_at, retry_budget, draft } = error else {
            return error;
        };
        let Unkept { content, is_edit } = match draft.map(|draft| *draft) {
            Some(Draft::Here(unkept)) => unkept,
            kept => {
                let draft = kept.map(Box::new);
                return Error::Blocked { path, report, by, reject_at, retry_budget, draft };
            }
        };
        // Without room for it the refusal stands all the same.
        let kept = self.scratch().put(PutRequest {
            content,
            label: path.as_ref().map(|of| format!("{DRAFT_LABEL}{of}")),
            notes: Some(DRAFT_NOTES.to_owned()),
            ..PutRequest::default()
        });
        let of = match (self.sealed_scratch, is_edit) {
            (true, _) => Draft::Sealed,
            (false, true) => Draft::Edit,
            (false, false) => Draft::Scratch,
        };
        let draft = kept.ok().map(|receipt| Box::new(of(receipt.sha256)));
        Error::Blocked { path, report, by, reject_at, retry_budget, draft }
    }

    /// Writes one file; see [`WriteReceipt`] for what it promises. A draft that is blocked is kept
    /// in the scratchpad.
    ///
    /// # Errors
    /// The content is blocked; the path is refused; the file exists, or is not the one expected;
    /// the disk refuses. Nothing has changed then, but after [`Error::OutcomeUnknown`].
    pub fn write(&self, request: WriteRequest) -> Result<WriteReceipt> {
        let wanted = Wanted::of(&request);
        self.screened(request.reject_at, |screen| {
            let findings = write::judge(&self.store, &request, screen)?;
            let receipt = write::write(&self.store, request, screen.policy())?;
            Ok(WriteReceipt { findings, ..receipt })
        })
        .map_err(|error| self.with_since(error, wanted.as_ref()))
    }

    /// Replaces text in one file, and leaves every other byte of it alone.
    ///
    /// # Errors
    /// As [`Workspace::write`]; and the text does not occur as often as expected.
    pub fn replace(&self, request: ReplaceRequest) -> Result<WriteReceipt> {
        // What an edit that does not match is told is text of the file.
        if self.sealed_scratch
            && let Ok(target) = self.store.roots.locate(&request.path)
        {
            self.unseal(&target)?;
        }
        let key = made::key(&request);
        let edit = Edit {
            old_string: request.old_string.clone(),
            new_string: request.new_string.clone(),
            count: request.count,
            form: request.form,
        };
        let wanted = Wanted::Edit(edit);
        self.screened(request.reject_at, |screen| {
            write::replace(&self.store, request, screen.clone())
        })
        .inspect(|_| self.made.add(key))
        .map_err(|error| self.made.tell(key, self.with_since(error, Some(&wanted))))
    }

    /// The chunk sessions.
    #[must_use]
    pub fn chunks(&self) -> Chunks<'_> {
        Chunks { store: &self.store, looked: &self.looked }
    }

    /// Keeps a part of a chunk session. A part that is blocked is kept in the scratchpad.
    ///
    /// # Errors
    /// As [`Chunks::keep`].
    pub fn keep_part(&self, request: PartRequest) -> Result<ChunkReceipt> {
        let expected = request.expected_prev_sha256.as_deref();
        let of = if request.index.is_some() { Changed::NumberedPart } else { Changed::Part };
        let wanted = Wanted::whole(of, &request.content, expected);
        self.chunks()
            .keep(request)
            .map_err(|error| self.with_since(self.keep_draft(error), wanted.as_ref()))
    }

    /// Begins a chunk session anew with part 1. A part that is blocked is kept in the scratchpad.
    ///
    /// # Errors
    /// As [`Chunks::begin`].
    pub fn begin_parts(&self, request: PartRequest) -> Result<(ChunkReceipt, u64)> {
        self.chunks().begin(request).map_err(|error| self.keep_draft(error))
    }

    /// Joins the parts of a chunk session into one file.
    ///
    /// # Errors
    /// As [`Chunks::compose`].
    pub fn compose(&self, request: ComposeRequest) -> Result<ComposeReceipt> {
        let (session, separator) = (request.session.clone(), request.separator.clone());
        let is_as_joined = request.form.names_none();
        self.chunks().compose(request).map_err(|error| {
            let joined = match &error {
                Error::Stale { actual: Some(_), .. } if is_as_joined => {
                    self.chunks().digest(&session, &separator).ok()
                }
                _ => None,
            };
            let wanted = joined.map(|digest| Wanted::Whole(Changed::File, digest));
            self.with_composed(self.with_since(error, wanted.as_ref()))
        })
    }

    /// Joins the parts of a chunk session without writing anything, and gives a page of the text.
    ///
    /// # Errors
    /// As [`Chunks::preview`].
    pub fn preview(&self, request: &PreviewRequest) -> Result<Preview> {
        self.chunks().preview(request).map_err(|error| self.with_composed(error))
    }

    /// Tells which parts of a chunk session there are, or into which file they were composed. From now on the caller
    /// knows these parts: see [`PartRequest::one_attempt`].
    ///
    /// # Errors
    /// As [`Chunks::status`].
    pub fn session_status(&self, session: &str) -> Result<Status> {
        let status = self.chunks().look(session)?;
        let composed = if status.exists { None } else { self.composed_of(session) };
        Ok(Status { composed, ..status })
    }

    /// The scratchpad.
    #[must_use]
    pub fn scratch(&self) -> Scratch<'_> {
        Scratch { store: &self.store, sealed: self.sealed_scratch, retained: &self.retained }
    }

    /// Saves a checkpoint. Data that is blocked is kept in the scratchpad.
    ///
    /// # Errors
    /// As [`Checkpoints::save`].
    pub fn save_checkpoint(&self, request: SaveRequest) -> Result<SaveReceipt> {
        let wanted = Wanted::State(Changed::Checkpoint);
        self.checkpoints()
            .save(request)
            .map_err(|error| self.with_since(as_record(self.keep_draft(error)), Some(&wanted)))
    }

    /// The checkpoints.
    #[must_use]
    pub fn checkpoints(&self) -> Checkpoints<'_> {
        Checkpoints { store: &self.store }
    }

    /// Writes the handoff. One that is blocked is kept in the scratchpad.
    ///
    /// # Errors
    /// As for any write; and the note lacks a field that every one has.
    pub fn write_handoff(&self, request: HandoffRequest) -> Result<HandoffReceipt> {
        let refs = self.checkpoints().refs()?;
        self.screened(request.reject_at, |screen| {
            Handoff { store: &self.store }.write(request, refs, screen)
        })
        .map_err(|error| self.with_since(as_record(error), Some(&Wanted::State(Changed::Handoff))))
    }

    /// Reads the handoff.
    ///
    /// # Errors
    /// There is no note, or it cannot be read.
    pub fn read_handoff(&self, path: &str) -> Result<Found> {
        let refs = self.checkpoints().refs()?;
        Handoff { store: &self.store }.read(path, refs, self.sealed_scratch)
    }

    /// The reads.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        let store: &Store = &self.store;
        let sealed = self.sealed_scratch.then_some(store);
        let progress = &*self.store.progress;
        Reader {
            clock: &*store.clock,
            roots: &store.roots,
            indexes: &self.indexes,
            sealed,
            progress,
        }
    }

    /// The newest rows of the journal. The filter's path may be written in any way that a write takes. If it has no row
    /// and leads to no file, the nearest files are named.
    ///
    /// # Errors
    /// The disk refuses; the path is of a form that no write takes.
    pub fn journal_tail(&self, n: usize, filter: &Filter) -> Result<Tail> {
        let asked = filter.path.as_deref();
        let filter = match asked {
            Some(path) => self.store.named_by(path, filter.clone())?,
            None => filter.clone(),
        };
        let tail = match self.store.visible()? {
            Some(journals) => closed::tail(&journals, n, &filter),
            None => Ok(Tail::default()),
        };
        let mut tail = tail.map_err(|source| self.os_of_journal(source))?;
        if let Some(path) = asked
            && tail.entries.is_empty()
            && !self.store.roots.locate(path).is_ok_and(|target| target.stat.is_some())
        {
            tail.nearest_names = self.store.roots.nearby(path);
        }
        Ok(tail)
    }

    fn os_of_journal(&self, source: io::Error) -> Error {
        Error::os(self.store.shown_state(&["journal.jsonl"]), "read", source)
    }

    /// What this process has committed so far, in numbers.
    #[must_use]
    pub fn figures(&self) -> figures::Seen {
        self.store.figures.seen()
    }

    /// The length of all journals together.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn journal_bytes(&self) -> Result<u64> {
        let Some(journals) = self.store.visible()? else { return Ok(0) };
        let closed = journals.stats().map_err(|source| self.os_of_journal(source))?;
        Ok(journals.current().len + closed.iter().map(|(_, stat)| stat.len).sum::<u64>())
    }

    /// Walks the journal's chain from its first row to its last, to see whether a row was changed,
    /// moved or taken out. Rows taken off its end leave no trace in it; they are missed until the next write.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn verify_journal(&self) -> Result<journal::Verification> {
        let (journals, missing_bytes) = match self.store.cut_short()? {
            Some(cut_short) => cut_short,
            None => (self.store.visible()?, 0),
        };
        let found = match journals {
            Some(journals) => journals.verify().map_err(|source| self.os_of_journal(source))?,
            None => journal::Verification::default(),
        };
        Ok(journal::Verification { missing_bytes, ..found })
    }

    /// What the journal tells about the work. `since` is an ISO 8601 time with an offset.
    ///
    /// # Errors
    /// `since` is no such time; the disk refuses.
    pub fn analytics(
        &self,
        since: Option<&str>,
        session_filter: Option<String>,
    ) -> Result<analytics::Report> {
        let since = since
            .map(|text| {
                stamp::parse(text).ok_or(Error::BadArgument {
                    argument: "since",
                    message: "not an ISO 8601 time with an offset or Z".to_owned(),
                })
            })
            .transpose()?;
        let Some(journals) = self.store.visible()? else {
            return Ok(analytics::Report::default());
        };
        analytics::report(&journals, &analytics::Query { since, session_filter })
            .map_err(|source| self.os_of_journal(source))
    }

    /// Has the calls that come now wait, so that they are committed as one batch.
    #[cfg(feature = "sim")]
    #[doc(hidden)]
    #[must_use]
    pub fn hold(&self) -> crate::commit::Held<'_> {
        self.store.hold()
    }

    /// Finishes or withdraws what a crash has interrupted, as the next change would do too, and tells
    /// what recovery did since [`Workspace::take_notices`] was asked last.
    ///
    /// # Errors
    /// The state directory itself cannot be used.
    pub fn recover(&self) -> Result<recovery::Report> {
        self.store.recover(Undecided::Stay)
    }

    /// Whether a change could be made now: takes the lock as a change does, writes and syncs a small file in the state
    /// directory, and makes a name there; both go again. Makes the state directory if it is not there.
    ///
    /// # Errors
    /// Others have the lock for half a second, and this process commits nothing meanwhile. The state directory cannot be used. The disk is full or refuses.
    pub fn probe(&self) -> Result<()> {
        self.store.probe()
    }

    /// As [`Workspace::recover`], and gives up unfinished writes that are still pending after it: what they
    /// were to write goes to `conflicts/`, and their paths can be written again. Their files stay as
    /// they are.
    ///
    /// # Errors
    /// As [`Workspace::recover`].
    pub fn abandon_pending(&self) -> Result<recovery::Report> {
        self.store.recover(Undecided::GiveUp)
    }

    /// What recovery has done or kept, since this was asked last. The caller that answers a user
    /// reports it.
    #[must_use]
    pub fn take_notices(&self) -> recovery::Report {
        self.store.take_notices()
    }
}

/// A refused draft that is the data of a checkpoint or a handoff.
fn as_record(mut error: Error) -> Error {
    if let Error::Blocked { draft: Some(draft), .. } = &mut error
        && let Draft::Scratch(sha256) = **draft
    {
        **draft = Draft::Record(sha256);
    }
    error
}
