//! What recovery reports about its work.

use serde::Serialize;

use crate::digest::Digest;
use crate::omit::is_zero;
use crate::pending::Pending;
use crate::roots::STATE_DIR;

/// What recovery found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Paths whose publishing was finished.
    pub finished: Vec<String>,
    /// Paths whose unfinished write was withdrawn; they are as they were before it.
    pub withdrawn: Vec<String>,
    /// Paths that somebody else changed in between, with the digest of the content that is kept in
    /// `conflicts/` instead of being published.
    pub conflicts: Vec<Conflict>,
    /// Unfinished writes that could be neither finished nor withdrawn. They are kept and tried
    /// again; until then their paths cannot be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Pending>,
    /// Paths whose unfinished write was given up. They are as they are; what was to be written is
    /// among the conflicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abandoned: Vec<String>,
    /// Paths of which nobody can tell whether their unfinished write was finished: somebody has removed its content from
    /// beside the file. Their rows stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsure: Vec<String>,
    /// Appends in place that were given up, or that a copy of the state directory has in its journal: a part of such
    /// a one may be in its file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// Bytes that a torn end of the journal had. They are cut off.
    pub cut: u64,
    /// How many of these bytes are in `conflicts/`: not those that are all zeros, and none where there is no room.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut_kept: u64,
    /// By how many bytes the journal was shorter than its last writer had left it.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing: u64,
    /// What is not ours in the state directory, or could not be removed from it, and why. They are in nobody's way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// The protocol of the network file system that holds the state directory, if it is on one.
    /// Told once by each process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<&'static str>,
}

impl Report {
    /// Adds bytes that were cut off the journal.
    pub(crate) fn cut(&mut self, cut: Cut) {
        self.cut += cut.bytes;
        self.cut_kept += cut.kept;
    }

    /// Adds contents that were kept, each with the path that it was for.
    pub(crate) fn keep(&mut self, kept: impl IntoIterator<Item = Conflict>) {
        self.conflicts.extend(kept);
    }
}

/// An answer lists no more notices than this.
const NOTICES_MAX: usize = 20;

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// An interrupted write was finished.
    Finished,
    /// An interrupted write was taken back.
    Withdrawn,
    /// Content that could not be published is kept.
    Conflict,
    /// An interrupted write waits.
    Pending,
    /// An interrupted write was given up, as somebody asked.
    Abandoned,
    /// Nobody can tell whether an interrupted write was finished.
    Unsure,
    /// A torn end was cut off the journal.
    Cut,
    /// The journal has lost rows.
    Missing,
    /// A leftover could not be removed.
    Left,
    /// The state directory is on a network file system.
    Network,
    /// There is more than an answer lists.
    More,
}

/// One thing that recovery did or kept, in words for a person or an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// What it is about.
    pub about: About,
    /// The file that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What happened, and what to do where something is to be done.
    pub text: String,
}

impl Report {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same as sentences, one for each thing that was done or kept.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        let of = |about, path: &str, text| Notice { about, path: Some(path.to_owned()), text };
        let mut notices = Vec::new();
        notices.extend(self.finished.iter().map(|path| {
            of(About::Finished, path, format!("an interrupted write of {path} was finished"))
        }));
        notices.extend(self.withdrawn.iter().map(|path| {
            let text = format!("an interrupted write of {path} was taken back: write it again");
            of(About::Withdrawn, path, text)
        }));
        notices.extend(self.conflicts.iter().map(|Conflict { path, kept_sha256, what }| {
            let place = format!("{STATE_DIR}/conflicts/{kept_sha256}.bin");
            if self.abandoned.contains(path) {
                let text = format!(
                    "an interrupted write of {path} was given up: what it has made of the file stays, and its \
                     content is in {place}"
                );
                return of(About::Abandoned, path, text);
            }
            let text = match what {
                What::New => format!(
                    "somebody changed {path} before an interrupted write of it could be finished: the \
                     file stays, and what was to be written is in {place}"
                ),
                What::Before => format!(
                    "{path}, or another name of the same file, may hold parts of the old and of the new \
                     content: all of the old content is in {place}"
                ),
                What::Saved => format!(
                    "somebody saved {path} while it was replaced: what was saved is in {place}"
                ),
            };
            of(About::Conflict, path, text)
        }));
        notices.extend(self.pending.iter().map(|Pending { path, reason, journal_id }| {
            let what = if journal_id.is_empty() { "of the row in" } else { "of" };
            let text = format!(
                "an interrupted write {what} {path} can be neither finished nor taken back: {reason}; \
                 it is tried again, and `resilient-write recover --abandon` gives it up"
            );
            of(About::Pending, path, text)
        }));
        let whole = |path: &&String| {
            let is_told = self.conflicts.iter().any(|conflict| conflict.path == **path);
            !is_told && !self.parts.iter().any(|part| part.path == **path)
        };
        notices.extend(self.abandoned.iter().filter(whole).map(|path| {
            of(About::Abandoned, path, format!("an interrupted write of {path} was given up"))
        }));
        notices.extend(self.unsure.iter().map(|path| {
            let text = format!(
                "nobody can tell whether an interrupted write of {path} was finished: its new content was removed from \
                 beside the file, as git clean does, and the file does not hold it; the row stays in the journal. Read the file, \
                 and write it again if it lacks the change"
            );
            of(About::Unsure, path, text)
        }));
        notices.extend(self.parts.iter().map(|Part { path, at, prev_sha256, kept_sha256 }| {
            let before = prev_sha256.map_or_else(String::new, |sha256| {
                format!(" (the {at} bytes before it had the SHA-256 {sha256})")
            });
            let kept = kept_sha256.map_or_else(String::new, |sha256| {
                format!("; the row is in {STATE_DIR}/conflicts/{sha256}.row")
            });
            let text = format!(
                "an interrupted append to {path} was neither finished nor taken back: what the file has from \
                 byte {at} on may be a part of it{before}. Look at the end of the file, and cut it there if it is{kept}"
            );
            of(About::Abandoned, path, text)
        }));
        if self.cut > 0 {
            let text = format!(
                "{} bytes of a torn row were cut off the journal; {} of them are in \
                 {STATE_DIR}/conflicts/",
                self.cut, self.cut_kept
            );
            notices.push(Notice { about: About::Cut, path: None, text });
        }
        if self.missing > 0 {
            let text = format!(
                "the journal is {} bytes shorter than its last writer left it: somebody has taken out rows \
                 of answered writes; the files themselves are as they are",
                self.missing
            );
            notices.push(Notice { about: About::Missing, path: None, text });
        }
        notices.extend(self.left.iter().map(|left| {
            let text =
                format!("not ours or not removable, and in nobody's way: {STATE_DIR}/{left}");
            Notice { about: About::Left, path: None, text }
        }));
        if notices.len() > NOTICES_MAX {
            let more = notices.split_off(NOTICES_MAX).len();
            let text =
                format!("and {more} more: `resilient-write recover --json` lists what waits");
            notices.push(Notice { about: About::More, path: None, text });
        }
        notices.extend(self.network.map(|protocol| {
            let text = format!(
                "the workspace's state is on a network file system ({protocol}): its server decides \
                 what a sync and a lock are worth, so that a failure of the server may lose an \
                 answered write; a local disk keeps the promises"
            );
            Notice { about: About::Network, path: None, text }
        }));
        notices
    }

    /// Adds what a later recovery did, once: one that failed comes to the same again. Of pending writes the later
    /// one knows best.
    pub(crate) fn add(&mut self, later: Self) {
        fn add<T: PartialEq>(all: &mut Vec<T>, later: Vec<T>) {
            for one in later {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        add(&mut self.finished, later.finished);
        add(&mut self.withdrawn, later.withdrawn);
        add(&mut self.conflicts, later.conflicts);
        self.pending = later.pending;
        add(&mut self.abandoned, later.abandoned);
        add(&mut self.unsure, later.unsure);
        add(&mut self.parts, later.parts);
        self.cut += later.cut;
        self.cut_kept += later.cut_kept;
        self.missing += later.missing;
        self.left = later.left;
        self.network = self.network.or(later.network);
    }

    /// Leaves out what another report says about writes that do not wait.
    pub(crate) fn leave_out(&mut self, told: &Self) {
        self.finished.retain(|path| !told.finished.contains(path));
        self.withdrawn.retain(|path| !told.withdrawn.contains(path));
        self.conflicts.retain(|kept| !told.conflicts.contains(kept));
        self.abandoned.retain(|path| !told.abandoned.contains(path));
        self.unsure.retain(|path| !told.unsure.contains(path));
        self.parts.retain(|part| !told.parts.contains(part));
    }
}

/// Bytes that were cut off the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) bytes: u64,
    /// How many of them are in `conflicts/`.
    pub(crate) kept: u64,
}

impl std::ops::AddAssign for Cut {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.kept += other.kept;
    }
}

/// An append that was given up, of which a part may be in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The file.
    pub path: String,
    /// Where the append began: the length of the file before it.
    pub at: u64,
    /// Digest of the file before it.
    pub prev_sha256: Option<Digest>,
    /// The row: `conflicts/<sha256>.row` in the state directory; absent if it could not be kept there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_sha256: Option<Digest>,
}

/// Content that was promised but not published, since its target had changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The target.
    pub path: String,
    /// The content: `conflicts/<sha256>.bin` in the state directory.
    pub kept_sha256: Digest,
    /// What it is.
    pub what: What,
}

/// What content is that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// What was to be written.
    New,
    /// What the file held before a write in place, of which parts may be in the file, or in another of its names.
    Before,
    /// What somebody has saved while the file was replaced.
    Saved,
}
