//! A workspace in a directory of its own, looked at from outside.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use resilient_core::chunk::ComposeRequest;
use resilient_core::digest::Digest;
use resilient_core::disk::FixedClock;
use resilient_core::form::Asked;
use resilient_core::journal::{Chain, Entry, Filter, Row, Tie};
use resilient_core::workspace::Builder;
use resilient_core::write::{ReplaceRequest, WriteMode, WriteRequest};
use resilient_core::{Envelope, Error, Progress, Workspace};
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The time that every clock of these tests begins with.
pub(crate) const NOW: &str = "2023-11-14T22:13:20Z";

/// A directory for a workspace, in another one that goes with the test.
pub(crate) struct Home {
    // Held for its end.
    _dir: TempDir,
    around: PathBuf,
    path: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let around = dir.path().canonicalize().unwrap();
        let path = around.join("w");
        std::fs::create_dir(&path).unwrap();
        Self { _dir: dir, around, path }
    }

    /// A workspace of the whole directory, as another process would open it.
    pub(crate) fn open(&self) -> Workspace {
        self.builder().open()
    }

    /// The same, `seconds` later.
    pub(crate) fn open_after(&self, seconds: u64) -> Workspace {
        self.builder().clock(clock(seconds)).open()
    }

    pub(crate) fn builder(&self) -> Builder {
        Workspace::builder(&self.path).clock(clock(0))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn abs(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The absolute path of what lies beside the workspace, as text.
    pub(crate) fn beside(&self, name: &str) -> String {
        self.around.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.path.join(".resilient_write").join(name)
    }

    /// Puts a file there by other means than the library's.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn policy(&self, yaml: &str) {
        self.put(".resilient_write/policy.yaml", yaml);
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The names in a directory, sorted; none where there is no directory.
    pub(crate) fn names(&self, dir: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(dir)) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Permission bits.
    #[cfg(unix)]
    pub(crate) fn mode(&self, name: &str) -> u32 {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::symlink_metadata(self.path(name)).unwrap().permissions().mode() & 0o7777
    }

    pub(crate) fn journal(&self) -> Vec<u8> {
        std::fs::read(self.state("journal.jsonl")).unwrap_or_default()
    }

    /// All rows of the journal; every one of them readable, and each following the one before.
    #[track_caller]
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut chain = Chain::default();
        let journal = self.journal();
        let lines = journal.strip_suffix(b"\n").unwrap_or(&journal);
        lines
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| {
                let row = Row::parse(line).expect("a readable row");
                assert_ne!(chain.see(line), Tie::Broken, "{row:?}");
                row
            })
            .collect()
    }

    /// Makes a call that must be refused, and sees to it that it has changed nothing and left
    /// nothing. Gives the envelope.
    #[track_caller]
    pub(crate) fn refused<T: Debug>(&self, call: impl FnOnce() -> Result<T, Error>) -> Value {
        let before = (self.tree(), self.journal());
        let error = call().expect_err("a refusal");
        assert_eq!((self.tree(), self.journal()), before, "after {error:?}");
        self.assert_tidy();
        answer(&error)
    }

    /// Nothing is staged, and nothing waits for recovery.
    #[track_caller]
    pub(crate) fn assert_tidy(&self) {
        let Ok(entries) = std::fs::read_dir(self.state("tmp")) else { return };
        for entry in entries {
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().len(), 0, "litter: {:?}", entry.path());
        }
        assert!(!self.state("withdrawal").exists());
        assert!(!self.state("conflicts").exists());
    }

    /// Everything in and around the workspace, and what its state keeps besides its machinery.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Seen> {
        let machinery = ["lock", "waiting", "format", ".gitignore", "journal.jsonl", "tmp", ""]
            .map(|name| self.state(name));
        let mut tree = BTreeMap::new();
        let mut ahead = vec![self.around.clone()];
        while let Some(dir) = ahead.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let seen = Seen::at(&path);
                if matches!(seen, Seen::Directory { .. }) && path != self.state("tmp") {
                    ahead.push(path.clone());
                }
                if !machinery.contains(&path) {
                    tree.insert(path, seen);
                }
            }
        }
        tree
    }
}

/// A clock that begins `seconds` after [`NOW`]. No two of them give the same numbers.
fn clock(seconds: u64) -> Arc<FixedClock> {
    static SEED: AtomicU64 = AtomicU64::new(0);
    let seed = SEED.fetch_add(1, Ordering::Relaxed);
    Arc::new(FixedClock::new(1_700_000_000 + seconds, seed))
}

/// What a name leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    Directory { mode: u32 },
    File { bytes: Vec<u8>, modified: SystemTime, mode: u32, inode: u64 },
    Link(PathBuf),
    Other,
}

impl Seen {
    fn at(path: &Path) -> Self {
        let facts = std::fs::symlink_metadata(path).unwrap();
        #[cfg(unix)]
        let (mode, inode) = {
            use std::os::unix::fs::MetadataExt as _;
            (facts.mode(), facts.ino())
        };
        #[cfg(not(unix))]
        let (mode, inode) = (0, 0);
        if facts.is_dir() {
            Self::Directory { mode }
        } else if facts.is_symlink() {
            Self::Link(std::fs::read_link(path).unwrap())
        } else if facts.is_file() {
            let (bytes, modified) = (std::fs::read(path).unwrap(), facts.modified().unwrap());
            Self::File { bytes, modified, mode, inode }
        } else {
            Self::Other
        }
    }
}

/// What an error is answered with, without the hint, which every answer has.
#[track_caller]
pub(crate) fn answer(error: &Error) -> Value {
    hinted(error).1
}

/// The hint and the facts of what an error is answered with.
#[track_caller]
pub(crate) fn hinted(error: &Error) -> (String, Value) {
    let mut answer = serde_json::to_value(Envelope::from(error)).unwrap();
    let hint = answer["context"].as_object_mut().unwrap().remove("hint").expect("a hint");
    (hint.as_str().expect("a text").to_owned(), answer)
}

/// What a call that must fail is answered with.
#[track_caller]
pub(crate) fn refusal<T: Debug>(result: Result<T, Error>) -> Value {
    answer(&result.expect_err("a refusal"))
}

/// The envelope of a refusal; `kind` is error, reason hint and suggested action.
pub(crate) fn envelope(kind: [&str; 3], context: Value) -> Value {
    json!({
        "ok": false, "schema_version": "1",
        "error": kind[0], "reason_hint": kind[1], "suggested_action": kind[2],
        "detected_patterns": [], "retry_budget": 0, "context": context,
    })
}

pub(crate) const STALE: [&str; 3] = ["stale_precondition", "unknown", "ask_user"];
pub(crate) const FORBIDDEN: [&str; 3] = ["policy_violation", "permission", "abort"];
pub(crate) const MALFORMED: [&str; 3] = ["policy_violation", "encoding", "abort"];
pub(crate) const REFUSED: [&str; 3] = ["policy_violation", "unknown", "abort"];

/// The envelope of a request that is not well formed.
pub(crate) fn malformed(context: Value) -> Value {
    envelope(MALFORMED, context)
}

/// The envelope of a request that is to be made again in another way, as its hint says.
pub(crate) fn correctable(context: Value) -> Value {
    envelope(["policy_violation", "encoding", "retry_later"], context)
}

/// An answer to a stale digest, without what it says of the change.
pub(crate) fn without_since(mut answer: Value) -> Value {
    let context = answer["context"].as_object_mut().unwrap();
    for told in ["changed_by", "last_write", "diff", "match_count", "still_applies", "nearest"] {
        context.remove(told);
    }
    answer
}

/// The envelope of a request that meets another state of things than it expects.
pub(crate) fn stale(context: Value) -> Value {
    envelope(["stale_precondition", "unknown", "abort"], context)
}

/// The envelope of a damaged state file.
pub(crate) fn damaged(context: Value) -> Value {
    envelope(["write_corruption", "encoding", "abort"], context)
}

pub(crate) fn create(path: &str, content: &str) -> WriteRequest {
    WriteRequest {
        path: path.to_owned(),
        content: content.to_owned(),
        mode: WriteMode::Create,
        expected_prev_sha256: None,
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    }
}

pub(crate) fn overwrite(path: &str, content: &str) -> WriteRequest {
    WriteRequest { mode: WriteMode::Overwrite, ..create(path, content) }
}

pub(crate) fn append(path: &str, content: &str) -> WriteRequest {
    WriteRequest { mode: WriteMode::Append, ..create(path, content) }
}

pub(crate) fn replace(path: &str, old: &str, new: &str) -> ReplaceRequest {
    ReplaceRequest {
        path: path.to_owned(),
        old_string: old.to_owned(),
        new_string: new.to_owned(),
        count: 1,
        expected_prev_sha256: None,
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    }
}

pub(crate) fn sha(bytes: impl AsRef<[u8]>) -> String {
    Digest::of(bytes.as_ref()).to_string()
}

pub(crate) fn digest(bytes: impl AsRef<[u8]>) -> Digest {
    Digest::of(bytes.as_ref())
}

pub(crate) fn json_of(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// All that the journal tells an agent, oldest first.
pub(crate) fn entries(ws: &Workspace) -> Vec<Entry> {
    ws.journal_tail(usize::MAX, &Filter::default()).unwrap().entries
}

/// Joins the parts of session `s`.
pub(crate) fn composing(path: &str, cleanup: bool) -> ComposeRequest {
    let (session, output_path) = ("s".to_owned(), path.to_owned());
    ComposeRequest { session, output_path, cleanup, ..ComposeRequest::default() }
}

/// Watches a call, and stops it at one of its steps.
#[derive(Debug)]
pub(crate) struct Steps {
    seen: Mutex<Vec<(u64, Option<u64>)>>,
    stop_at: usize,
}

impl Steps {
    /// The workspace for a call that is watched.
    pub(crate) fn watching(ws: &Workspace, stop_at: usize) -> (Workspace, Arc<Self>) {
        let steps = Arc::new(Self { seen: Mutex::default(), stop_at });
        (ws.watched_by(Arc::clone(&steps) as Arc<dyn Progress>), steps)
    }

    pub(crate) fn seen(&self) -> Vec<(u64, Option<u64>)> {
        self.seen.lock().unwrap().clone()
    }
}

impl Progress for Steps {
    fn step(&self, done: u64, total: Option<u64>) -> bool {
        let mut seen = self.seen.lock().unwrap();
        seen.push((done, total));
        seen.len() < self.stop_at
    }
}
