//! The calls under test: every tool that changes something, alone and in batches.
//!
//! A scenario prepares a disk, makes the calls that are answered before it begins, and then makes
//! the calls under test, which touch disjoint files. All of it is deterministic to the byte: the
//! same scenario on the same disk makes the same operations in the same order.

use std::sync::Arc;

use resilient_core::checkpoint::{Format, SaveRequest};
use resilient_core::chunk::{ComposeRequest, PartRequest};
use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Attributes, SimDisk};
use resilient_core::disk::{DirRef, Disk, FixedClock, Stat, SyncItem};
use resilient_core::form::Asked;
use resilient_core::handoff::HandoffRequest;
use resilient_core::risk::Verdict;
use resilient_core::scratch::PutRequest;
use resilient_core::write::{APPEND_IN_PLACE_FROM, ReplaceRequest, WriteMode, WriteRequest};
use resilient_core::{Error, Workspace};

/// Where the workspace is on the disk.
pub const ROOT: &str = "w";
/// When everything happens, in seconds since 1970.
const NOW: u64 = 1_790_000_000;

/// What a call was answered.
#[derive(Debug)]
pub enum Answer {
    /// It is done, with the journal row of that identity if it has one.
    Done(Option<String>),
    /// Nothing has changed.
    Refused(Error),
    /// It may or may not have happened.
    Unknown(Error),
}

impl Answer {
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// The row of a call that is done.
    pub fn row(&self) -> Option<&String> {
        match self {
            Self::Done(row) => row.as_ref(),
            _ => None,
        }
    }

    /// Why it is not done.
    pub fn error(&self) -> Option<&Error> {
        match self {
            Self::Done(_) => None,
            Self::Refused(error) | Self::Unknown(error) => Some(error),
        }
    }

    pub fn of<T>(result: Result<T, Error>, row: impl FnOnce(T) -> Option<String>) -> Self {
        match result {
            Ok(receipt) => Self::Done(row(receipt)),
            Err(error @ Error::OutcomeUnknown { .. }) => Self::Unknown(error),
            Err(error) => Self::Refused(error),
        }
    }
}

/// One of the things that can be interrupted.
#[derive(Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    /// Prepares the disk; what it does is durable.
    prepare: fn(&SimDisk),
    /// Is done and answered before the scenario begins. What this does to the disk by hand is not
    /// durable.
    before: fn(&SimDisk, &Workspace),
    /// The calls under test.
    act: fn(&Workspace) -> Vec<Answer>,
    /// Whether the calls are the first of their process.
    pub cold: bool,
}

impl Scenario {
    /// A disk on which the scenario can begin, and the process that will act.
    pub fn begin(&self, order: Order) -> (SimDisk, Workspace) {
        let disk = SimDisk::new();
        let torn = std::env::var_os("CRASH_MIDDLES").is_some();
        let disk = if torn { disk.with_torn_middles() } else { disk };
        disk.mkdir(ROOT);
        (self.prepare)(&disk);
        let mut ws = open(&disk, 1, order);
        (self.before)(&disk, &ws);
        if self.cold {
            drop(ws);
            ws = open(&disk, 2, order);
        }
        (disk, ws)
    }

    /// Whether it adds bytes where the file is. Nothing but the file tells then whether that is
    /// done, so that somebody who changes the file has the last word (`docs/design/0001`).
    pub fn appends_in_place(&self) -> bool {
        self.name.starts_with("append in place") || self.name == "append through hard links"
    }

    pub fn act(&self, ws: &Workspace) -> Vec<Answer> {
        (self.act)(ws)
    }

    /// The same with a new process for the calls under test.
    pub fn cold(self) -> Self {
        Self { cold: true, ..self }
    }
}

/// The scenario of a name.
pub fn scenario(name: &str) -> Scenario {
    all().find(|one| one.name == name).unwrap_or_else(|| panic!("no scenario {name:?}"))
}

/// In which order parallel syncs end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Forwards,
    Backwards,
}

/// Syncs in the opposite order whatever may be synced in any.
#[derive(Debug)]
struct Reversed(SimDisk);

impl Disk for Reversed {
    fn open_root(&self, path: &std::path::Path) -> std::io::Result<DirRef> {
        self.0.open_root(path)
    }

    fn stat(&self, path: &std::path::Path) -> std::io::Result<Stat> {
        self.0.stat(path)
    }

    fn sync_all(&self, items: &[SyncItem]) -> Vec<std::io::Result<()>> {
        let mut results: Vec<_> = items.iter().rev().map(SyncItem::sync).collect();
        results.reverse();
        results
    }
}

/// A new process on that disk. Processes differ by their seed.
pub fn open(disk: &SimDisk, seed: u64, order: Order) -> Workspace {
    match order {
        Order::Forwards => open_on(Arc::new(disk.clone()), seed),
        Order::Backwards => open_on(Arc::new(Reversed(disk.clone())), seed),
    }
}

pub fn open_on(disk: Arc<dyn Disk>, seed: u64) -> Workspace {
    Workspace::builder(format!("/{ROOT}"))
        .disk(disk)
        .clock(Arc::new(FixedClock::new(NOW, seed.wrapping_mul(0x0123_4567_89AB_CDEF))))
        .open()
}

pub fn put(ws: &Workspace, path: &str, mode: WriteMode, content: &str) -> Answer {
    let request = WriteRequest {
        path: path.to_owned(),
        content: content.to_owned(),
        mode,
        expected_prev_sha256: None,
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    };
    Answer::of(ws.write(request), |receipt| Some(receipt.journal_id))
}

pub fn create(ws: &Workspace, path: &str, content: &str) -> Answer {
    put(ws, path, WriteMode::Create, content)
}

pub fn overwrite(ws: &Workspace, path: &str, content: &str) -> Answer {
    put(ws, path, WriteMode::Overwrite, content)
}

pub fn append(ws: &Workspace, path: &str, content: &str) -> Answer {
    put(ws, path, WriteMode::Append, content)
}

fn replace(ws: &Workspace, path: &str, old: &str, new: &str) -> Answer {
    let request = ReplaceRequest {
        path: path.to_owned(),
        old_string: old.to_owned(),
        new_string: new.to_owned(),
        count: 1,
        expected_prev_sha256: None,
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    };
    Answer::of(ws.replace(request), |receipt| Some(receipt.journal_id))
}

fn chunk(ws: &Workspace, session: &str, index: Option<i64>, content: &str) -> Answer {
    let chunks = ws.chunks();
    let result = match index {
        Some(index) => chunks.write(session, index, content.to_owned(), None),
        None => chunks.append(session, content.to_owned(), None),
    };
    Answer::of(result, |receipt| Some(receipt.journal_id))
}

/// Begins session `s` anew.
fn begin(ws: &Workspace, content: &str) -> Answer {
    let (session, content) = ("s".to_owned(), content.to_owned());
    let request = PartRequest { session, content, ..PartRequest::default() };
    Answer::of(ws.begin_parts(request), |(receipt, _)| Some(receipt.journal_id))
}

/// Joins the parts of session `s`.
pub fn composing(path: &str, cleanup: bool) -> ComposeRequest {
    let (session, output_path) = ("s".to_owned(), path.to_owned());
    ComposeRequest { session, output_path, cleanup, ..ComposeRequest::default() }
}

fn compose(ws: &Workspace, path: &str, cleanup: bool) -> Answer {
    let request = ComposeRequest { separator: "\n".to_owned(), ..composing(path, cleanup) };
    Answer::of(ws.compose(request), |receipt| Some(receipt.journal_id))
}

pub fn keep(ws: &Workspace, content: &str, label: &str) -> Answer {
    let request = PutRequest {
        content: content.to_owned(),
        label: Some(label.to_owned()),
        ..PutRequest::default()
    };
    Answer::of(ws.scratch().put(request), |receipt| receipt.journal_id)
}

pub fn remove(ws: &Workspace, content: &str) -> Answer {
    let sha256 = Digest::of(content.as_bytes()).to_string();
    let removed = ws.scratch().remove(Some(&sha256), None);
    Answer::of(removed, |removal| removal.removed.first().map(|gone| gone.journal_id.clone()))
}

/// Takes a label off content that others hold, too.
pub fn unlabel(ws: &Workspace, content: &str, label: &str) -> Answer {
    let sha256 = Digest::of(content.as_bytes()).to_string();
    Answer::of(ws.scratch().remove(Some(&sha256), Some(label)), |_| None)
}

fn draft(ws: &Workspace) -> Answer {
    // Put together here: a scanner that reads this file must not take it for a secret.
    let secret = ["sk-", "ant-", "oat01-", &"A".repeat(48)].concat();
    let request = WriteRequest {
        path: "secret.txt".to_owned(),
        content: secret,
        mode: WriteMode::Create,
        expected_prev_sha256: None,
        reject_at: Some(Verdict::Low),
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    };
    match ws.write(request) {
        Err(Error::Blocked { draft: Some(_), .. }) => Answer::Done(None),
        // The refusal stands; whether the draft is kept is then not said.
        Err(error @ Error::Blocked { .. }) => Answer::Unknown(error),
        other => Answer::of(other, |receipt| Some(receipt.journal_id)),
    }
}

fn handoff(ws: &Workspace, summary: &str, archive: bool) -> Answer {
    let envelope = serde_json::json!({
        "task_id": "t-1", "status": "partial", "agent": "a", "summary": summary,
        "next_steps": ["go on"], "last_good_state": [],
    });
    let serde_json::Value::Object(envelope) = envelope else { unreachable!("an object") };
    let request = HandoffRequest {
        envelope,
        body: "More.\n".to_owned(),
        path: "HANDOFF.md".to_owned(),
        archive,
        expected_prev_sha256: None,
        reject_at: None,
        allow_shrink: false,
    };
    Answer::of(ws.write_handoff(request), |receipt| Some(receipt.journal_id))
}

fn checkpoint(ws: &Workspace, name: &str, data: &str, ttl: &str) -> Answer {
    let request = SaveRequest {
        name: name.to_owned(),
        data: data.into(),
        format: Format::Json,
        ttl: ttl.to_owned(),
        expected_prev_sha256: None,
        reject_at: None,
    };
    Answer::of(ws.checkpoints().save(request), |receipt| Some(receipt.journal_id))
}

/// Makes calls that are committed as one batch, in that order.
pub fn together(ws: &Workspace, calls: &[fn(&Workspace) -> Answer]) -> Vec<Answer> {
    let held = ws.hold();
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        for call in calls {
            let before = held.waiting();
            let call = scope.spawn(move || call(ws));
            // One after the other; some are answered at once.
            while held.waiting() == before && !call.is_finished() {
                std::thread::yield_now();
            }
            running.push(call);
        }
        drop(held);
        running.into_iter().map(|call| call.join().expect("an answer")).collect()
    })
}

/// What a disk writes as a whole; an append in place counts on it.
const SECTOR: usize = 512;

/// The content of a file that is long enough to be appended to in place.
pub fn large() -> String {
    let line = "a line of a log that is appended to where it is\n";
    line.repeat(usize::try_from(APPEND_IN_PLACE_FROM).expect("small") / line.len() + 1)
}

fn warm(_: &SimDisk, ws: &Workspace) {
    done(create(ws, "warm.txt", "warm\n"));
}

pub fn done(answer: Answer) {
    assert!(answer.is_done(), "{answer:?}");
}

fn old_a(disk: &SimDisk) {
    disk.write_file("w/a.txt", b"the old content\n");
}

/// Takes the permission to write from a file that the policy lets writes replace.
fn read_only(disk: &SimDisk, path: &str) {
    disk.write_file("w/.resilient_write/policy.yaml", b"read_only: overwrite\n");
    let attributes = disk.attributes(path).expect("the file");
    disk.set_attributes(path, Attributes { mode: 0o444, ..attributes });
}

fn large_a(disk: &SimDisk) {
    disk.set_sector(SECTOR);
    disk.write_file("w/a.txt", large().as_bytes());
}

fn linked(disk: &SimDisk) {
    disk.write_file("w/.resilient_write/policy.yaml", b"hard_links: in_place\n");
    disk.write_file("w/a.txt", b"the old content\n");
    disk.hard_link("w/a.txt", "w/b.txt");
}

fn session(disk: &SimDisk, ws: &Workspace) {
    warm(disk, ws);
    done(chunk(ws, "s", Some(1), "one"));
    done(chunk(ws, "s", Some(2), "two"));
}

fn other_device(disk: &SimDisk) {
    disk.write_file("w/mnt/old.txt", b"the old content\n");
    disk.mount("w/mnt", 7);
}

/// A file, and the state directory of version 0.4.0 that has written it.
fn format_1(disk: &SimDisk) {
    old_a(disk);
    let sha256 = Digest::of(&disk.read("w/a.txt").expect("a file"));
    let front = "{\"abs_path\":\"/w/a.txt\",\"batch\":1,\"bytes\":16,\"caller\":\"x\",";
    let behind = format!(
        "\"journal_id\":\"wj_1\",\"mode\":\"create\",\"path\":\"a.txt\",\"seq\":1,\
         \"sha256\":\"{sha256}\",\"staged\":\"s-1-1\",\"ts\":\"2026-11-21T10:00:00Z\"}}"
    );
    let chain = Digest::of(format!("{front}{behind}").as_bytes()).short();
    let row = format!("{front}\"chain\":\"{chain}\",{behind}\n");
    disk.write_file("w/.resilient_write/journal.jsonl", row.as_bytes());
    disk.write_file("w/.resilient_write/format", b"1\n");
    disk.mkdir("w/.resilient_write/tmp");
}

fn nothing(_: &SimDisk) {}

const PLAIN: Scenario =
    Scenario { name: "", prepare: nothing, before: warm, act: |_| Vec::new(), cold: false };

/// Every tool, alone.
pub const SINGLES: &[Scenario] = &[
    Scenario {
        name: "create, the first call ever",
        before: |_, _| {},
        act: |ws| vec![create(ws, "a.txt", "hello\n")],
        ..PLAIN
    },
    Scenario { name: "create", act: |ws| vec![create(ws, "a.txt", "hello\n")], ..PLAIN },
    Scenario { name: "create an empty file", act: |ws| vec![create(ws, "a.txt", "")], ..PLAIN },
    Scenario {
        name: "create in new directories",
        act: |ws| vec![create(ws, "x/y/z.txt", "hello\n")],
        ..PLAIN
    },
    Scenario {
        name: "create in directories that are not durable",
        before: |disk, ws| {
            warm(disk, ws);
            disk.edit("w/x/y/other.txt", b"theirs\n");
        },
        act: |ws| vec![create(ws, "x/y/z.txt", "hello\n")],
        ..PLAIN
    },
    Scenario {
        name: "create until slots run out",
        before: |disk, ws| {
            warm(disk, ws);
            // Of sixteen slots four are left, and the next call makes more.
            (2..13).for_each(|number| done(create(ws, &format!("{number}.txt"), "")));
        },
        act: |ws| vec![create(ws, "a.txt", "hello\n"), create(ws, "b.txt", "hello\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite",
        prepare: old_a,
        act: |ws| vec![overwrite(ws, "a.txt", "the new content\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite what is not durable",
        prepare: old_a,
        before: |disk, ws| {
            warm(disk, ws);
            disk.edit("w/a.txt", b"an editor's content\n");
        },
        act: |ws| vec![overwrite(ws, "a.txt", "the new content\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite with the same content",
        prepare: old_a,
        act: |ws| vec![overwrite(ws, "a.txt", "the old content\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite with the same content that is not durable",
        before: |disk, ws| {
            warm(disk, ws);
            disk.edit("w/x/a.txt", b"an editor's content\n");
        },
        act: |ws| vec![overwrite(ws, "x/a.txt", "an editor's content\n")],
        ..PLAIN
    },
    Scenario {
        name: "append to a small file",
        prepare: old_a,
        act: |ws| vec![append(ws, "a.txt", "more\n")],
        ..PLAIN
    },
    Scenario {
        name: "append to a file that is not there",
        act: |ws| vec![append(ws, "a.txt", "more\n")],
        ..PLAIN
    },
    Scenario {
        name: "append in place",
        prepare: large_a,
        act: |ws| vec![append(ws, "a.txt", "more and more\n")],
        ..PLAIN
    },
    Scenario {
        name: "append in place again",
        prepare: large_a,
        before: |_, ws| done(append(ws, "a.txt", "a first time\n")),
        // Several sectors of it.
        act: |ws| vec![append(ws, "a.txt", &"more and more\n".repeat(100))],
        ..PLAIN
    },
    Scenario {
        name: "append in place with sums in a slot",
        prepare: large_a,
        before: warm,
        act: |ws| vec![append(ws, "a.txt", &"more and more\n".repeat(2500))],
        ..PLAIN
    },
    Scenario {
        name: "append in place to what is not durable",
        before: |disk, ws| {
            warm(disk, ws);
            disk.set_sector(SECTOR);
            disk.edit("w/x/a.txt", large().as_bytes());
        },
        act: |ws| vec![append(ws, "x/a.txt", "more and more\n")],
        ..PLAIN
    },
    Scenario {
        name: "replace",
        prepare: old_a,
        act: |ws| vec![replace(ws, "a.txt", "old", "quite new")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite what nobody may write",
        prepare: |disk| {
            old_a(disk);
            read_only(disk, "w/a.txt");
        },
        act: |ws| vec![overwrite(ws, "a.txt", "the new content\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite through hard links",
        prepare: linked,
        act: |ws| vec![overwrite(ws, "a.txt", "new\n")],
        ..PLAIN
    },
    Scenario {
        name: "lengthen through hard links",
        prepare: linked,
        act: |ws| vec![overwrite(ws, "a.txt", "a new content that is longer than the old\n")],
        ..PLAIN
    },
    Scenario {
        name: "append through hard links",
        prepare: |disk| {
            disk.set_sector(SECTOR);
            linked(disk);
        },
        act: |ws| vec![append(ws, "a.txt", "more\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite through a symbolic link",
        prepare: |disk| {
            disk.write_file("w/real/a.txt", b"the old content\n");
            disk.symlink("w/link.txt", "real/a.txt");
        },
        act: |ws| vec![overwrite(ws, "link.txt", "the new content\n")],
        ..PLAIN
    },
    Scenario {
        name: "create on another device",
        prepare: other_device,
        act: |ws| vec![create(ws, "mnt/a.txt", "hello\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite on another device what nobody may write",
        prepare: |disk| {
            other_device(disk);
            read_only(disk, "w/mnt/old.txt");
        },
        act: |ws| vec![overwrite(ws, "mnt/old.txt", "the new content\n")],
        ..PLAIN
    },
    Scenario {
        name: "create in new directories of another device",
        prepare: other_device,
        act: |ws| vec![create(ws, "mnt/x/y/a.txt", "hello\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite on another device",
        prepare: other_device,
        act: |ws| vec![overwrite(ws, "mnt/old.txt", "the new content\n")],
        ..PLAIN
    },
    Scenario {
        name: "create in a bind mount",
        prepare: |disk| disk.bind("w/mnt", 1),
        act: |ws| vec![create(ws, "mnt/a.txt", "hello\n")],
        ..PLAIN
    },
    Scenario {
        name: "overwrite in new directories of a bind mount",
        prepare: |disk| disk.bind("w/mnt", 1),
        act: |ws| vec![overwrite(ws, "mnt/x/a.txt", "hello\n")],
        ..PLAIN
    },
    Scenario { name: "handoff", act: |ws| vec![handoff(ws, "new", false)], ..PLAIN },
    Scenario {
        name: "handoff over an old one",
        before: |_, ws| done(handoff(ws, "old", false)),
        act: |ws| vec![handoff(ws, "new", false)],
        ..PLAIN
    },
    Scenario {
        name: "handoff with an archive",
        before: |_, ws| done(handoff(ws, "old", false)),
        act: |ws| vec![handoff(ws, "new", true)],
        ..PLAIN
    },
    Scenario {
        name: "handoff as it was, with an archive",
        before: |_, ws| done(handoff(ws, "old", false)),
        act: |ws| vec![handoff(ws, "old", true)],
        ..PLAIN
    },
];

/// The tools whose files are all in the state directory, or made of what is there.
pub const STATE: &[Scenario] = &[
    Scenario { name: "chunk write", act: |ws| vec![chunk(ws, "s", Some(1), "one")], ..PLAIN },
    Scenario {
        name: "chunk write again",
        before: session,
        act: |ws| vec![chunk(ws, "s", Some(2), "another two")],
        ..PLAIN
    },
    Scenario {
        name: "chunk append",
        before: session,
        act: |ws| vec![chunk(ws, "s", None, "three")],
        ..PLAIN
    },
    Scenario {
        name: "compose",
        before: session,
        act: |ws| vec![compose(ws, "out/a.txt", false)],
        ..PLAIN
    },
    Scenario {
        name: "compose over an old file",
        prepare: old_a,
        before: session,
        act: |ws| vec![compose(ws, "a.txt", false)],
        ..PLAIN
    },
    Scenario {
        name: "compose and clean up",
        before: session,
        act: |ws| vec![compose(ws, "out/a.txt", true)],
        ..PLAIN
    },
    Scenario {
        name: "compose and clean up in a lower layer",
        before: |disk, ws| {
            session(disk, ws);
            disk.lower("w/.resilient_write/chunks/s");
        },
        act: |ws| vec![compose(ws, "out/a.txt", true)],
        ..PLAIN
    },
    Scenario {
        name: "compose over an old file and clean up",
        prepare: old_a,
        before: session,
        act: |ws| vec![compose(ws, "a.txt", true)],
        ..PLAIN
    },
    Scenario {
        name: "compose through hard links and clean up",
        prepare: linked,
        before: session,
        act: |ws| vec![compose(ws, "a.txt", true)],
        ..PLAIN
    },
    Scenario {
        name: "compose what is there and clean up",
        before: |disk, ws| {
            session(disk, ws);
            disk.edit("w/a.txt", b"one\ntwo");
        },
        act: |ws| vec![compose(ws, "a.txt", true)],
        ..PLAIN
    },
    Scenario {
        name: "chunk write after a cleanup",
        before: |disk, ws| {
            session(disk, ws);
            done(compose(ws, "a.txt", true));
        },
        act: |ws| vec![chunk(ws, "s", Some(1), "one")],
        ..PLAIN
    },
    Scenario {
        name: "chunk begin anew",
        before: session,
        act: |ws| vec![begin(ws, "another one")],
        ..PLAIN
    },
    Scenario {
        name: "chunk begin anew, part 1 missing",
        before: |disk, ws| {
            warm(disk, ws);
            done(chunk(ws, "s", Some(2), "two"));
            done(chunk(ws, "s", Some(3), "three"));
        },
        act: |ws| vec![begin(ws, "another one")],
        ..PLAIN
    },
    Scenario {
        name: "chunk reset",
        before: session,
        act: |ws| vec![Answer::of(ws.chunks().reset("s"), |_| None)],
        ..PLAIN
    },
    Scenario { name: "scratch put", act: |ws| vec![keep(ws, "aside", "one")], ..PLAIN },
    Scenario {
        name: "scratch put, the second",
        before: |_, ws| done(keep(ws, "earlier", "zero")),
        act: |ws| vec![keep(ws, "aside", "one")],
        ..PLAIN
    },
    Scenario {
        name: "scratch put of the same",
        before: |_, ws| done(keep(ws, "aside", "one")),
        act: |ws| vec![keep(ws, "aside", "two")],
        ..PLAIN
    },
    Scenario {
        name: "scratch put after the index was removed",
        before: |disk, ws| {
            done(keep(ws, "aside", "one"));
            disk.unlink("w/.resilient_write/scratch/index.jsonl");
            // Else the next process would write that line again.
            warm(disk, ws);
        },
        act: |ws| vec![keep(ws, "aside", "two")],
        ..PLAIN
    },
    Scenario {
        name: "scratch removal",
        before: |_, ws| {
            done(keep(ws, "aside", "one"));
            done(keep(ws, "stays", "two"));
        },
        act: |ws| vec![remove(ws, "aside")],
        ..PLAIN
    },
    Scenario {
        name: "scratch put after a removal",
        before: |_, ws| {
            done(keep(ws, "aside", "one"));
            done(remove(ws, "aside"));
        },
        act: |ws| vec![keep(ws, "aside", "one")],
        ..PLAIN
    },
    Scenario { name: "blocked draft", act: |ws| vec![draft(ws)], ..PLAIN },
    Scenario { name: "checkpoint", act: |ws| vec![checkpoint(ws, "c", "one", "session")], ..PLAIN },
    Scenario {
        name: "checkpoint over an old one",
        before: |_, ws| done(checkpoint(ws, "c", "one", "session")),
        act: |ws| vec![checkpoint(ws, "c", "two", "permanent")],
        ..PLAIN
    },
    Scenario {
        name: "checkpoint cleanup",
        before: |_, ws| {
            done(checkpoint(ws, "c", "one", "session"));
            done(checkpoint(ws, "d", "two", "permanent"));
            done(checkpoint(ws, "e", "three", "session"));
        },
        act: |ws| vec![Answer::of(ws.checkpoints().cleanup(true), |_| None)],
        ..PLAIN
    },
];

/// Several calls in one batch.
pub const BATCHES: &[Scenario] = &[
    Scenario {
        name: "a batch of writes",
        prepare: |disk| {
            old_a(disk);
            disk.write_file("w/same.txt", b"same\n");
        },
        act: |ws| {
            together(
                ws,
                &[
                    |ws| create(ws, "x/y/z.txt", "hello\n"),
                    |ws| overwrite(ws, "a.txt", "the new content\n"),
                    |ws| overwrite(ws, "same.txt", "same\n"),
                    |ws| create(ws, "x/second.txt", "hello\n"),
                ],
            )
        },
        ..PLAIN
    },
    Scenario {
        name: "a batch that ends with what was there",
        prepare: |disk| {
            old_a(disk);
            disk.write_file("w/same.txt", b"same\n");
        },
        act: |ws| {
            together(
                ws,
                &[
                    |ws| overwrite(ws, "a.txt", "the new content\n"),
                    |ws| overwrite(ws, "same.txt", "same\n"),
                ],
            )
        },
        ..PLAIN
    },
    Scenario {
        name: "a batch of everything",
        prepare: large_a,
        before: session,
        act: |ws| {
            together(
                ws,
                &[
                    |ws| append(ws, "a.txt", "more and more\n"),
                    |ws| keep(ws, "aside", "one"),
                    |ws| chunk(ws, "s", None, "three"),
                ],
            )
        },
        ..PLAIN
    },
    Scenario {
        name: "a batch in place",
        prepare: |disk| {
            linked(disk);
            disk.set_sector(SECTOR);
            disk.write_file("w/log.txt", large().as_bytes());
        },
        act: |ws| {
            together(
                ws,
                &[
                    |ws| append(ws, "log.txt", "more and more\n"),
                    |ws| overwrite(ws, "a.txt", "new\n"),
                    |ws| create(ws, "c.txt", "hello\n"),
                ],
            )
        },
        ..PLAIN
    },
    Scenario {
        name: "a batch that cleans up",
        prepare: large_a,
        before: session,
        act: |ws| {
            together(
                ws,
                &[
                    |ws| compose(ws, "out.txt", true),
                    |ws| append(ws, "a.txt", "more and more\n"),
                    |ws| chunk(ws, "t", None, "another"),
                ],
            )
        },
        ..PLAIN
    },
    Scenario {
        name: "a batch on two devices",
        prepare: other_device,
        act: |ws| {
            together(
                ws,
                &[
                    |ws| create(ws, "mnt/a.txt", "hello\n"),
                    |ws| create(ws, "a.txt", "hello\n"),
                    |ws| overwrite(ws, "mnt/old.txt", "the new content\n"),
                ],
            )
        },
        ..PLAIN
    },
];

/// The first call in a state directory of an earlier version, whose journal is closed.
pub const UPGRADES: &[Scenario] = &[Scenario {
    name: "overwrite, as the first call in a state directory of format 1",
    prepare: format_1,
    before: |_, _| {},
    act: |ws| vec![overwrite(ws, "a.txt", "the new content\n")],
    ..PLAIN
}];

/// All of them but the upgrades.
pub fn all() -> impl Iterator<Item = Scenario> {
    chosen(SINGLES).chain(chosen(STATE)).chain(chosen(BATCHES))
}

/// The one that `CRASH_ONLY` names, or those whose names have it in them.
pub fn chosen(scenarios: &'static [Scenario]) -> impl Iterator<Item = Scenario> {
    let only = std::env::var("CRASH_ONLY").unwrap_or_default();
    let is_name =
        SINGLES.iter().chain(STATE).chain(BATCHES).chain(UPGRADES).any(|one| one.name == only);
    scenarios.iter().copied().filter(move |scenario| {
        if is_name { scenario.name == only } else { scenario.name.contains(&only) }
    })
}
