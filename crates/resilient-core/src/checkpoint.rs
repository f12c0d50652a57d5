//! Named checkpoints: data that an agent wants to find again, with a time to live.

use std::ffi::OsString;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::commit::Committer;
use crate::contents::{Content, WHOLE_MAX, check_whole};
use crate::digest::Digest;
use crate::disk::Kind;
use crate::error::{Error, Result};
use crate::journal::Mode;
use crate::name::is_name;
use crate::near::nearest;
use crate::number;
use crate::risk::{Findings, Verdict};
use crate::screen::Screen;
use crate::stamp;
use crate::store::Store;
use crate::write::check;

const CHECKPOINTS: &str = "checkpoints";
/// Beyond this length of its file a checkpoint is reported as `chunked`.
const LARGE: usize = 1_048_576;

/// The checkpoints of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoints<'a> {
    pub(crate) store: &'a Committer,
}

/// What is to be kept.
#[derive(Clone, Debug)]
pub struct SaveRequest {
    /// `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// Any JSON.
    pub data: Value,
    /// A label for what the data is.
    pub format: Format,
    /// `session`, `permanent` or an ISO 8601 duration.
    pub ttl: String,
    /// The digest that the checkpoint's file must have before, in hex; `""` where there must be none.
    pub expected_prev_sha256: Option<String>,
    /// Refuses data of this verdict or a higher one; a policy may demand as much without being asked.
    pub reject_at: Option<Verdict>,
}

/// What a checkpoint says of its data; the data is kept as it is given whatever that says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Any value.
    #[default]
    Json,
    /// A value that was or will be YAML.
    Yaml,
    /// A text.
    Markdown,
}

impl Format {
    /// Reads a format's name.
    ///
    /// # Errors
    /// It is none of the three.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "json" => Ok(Self::Json),
            "yaml" => Ok(Self::Yaml),
            "markdown" => Ok(Self::Markdown),
            _ => Err(Error::CheckpointFormat { format: name.to_owned() }),
        }
    }
}

/// A checkpoint that is durably kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SaveReceipt {
    /// Its name.
    pub name: String,
    /// Its label.
    pub format: Format,
    /// Its time to live.
    pub ttl: String,
    /// Its time to live before, where it was another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_ttl: Option<String>,
    /// Where it is kept.
    pub checkpoint_path: String,
    /// Digest of its file.
    pub sha256: Digest,
    /// Length of its file.
    pub bytes: u64,
    /// The journal row.
    pub journal_id: String,
    /// When it was first saved.
    pub created_at: String,
    /// When it was last saved.
    pub updated_at: String,
    /// Whether its file is longer than 1 MiB.
    pub chunked: bool,
    /// What was found in data that was judged and passed; lines are those of the data as indented JSON.
    #[serde(flatten)]
    pub findings: Findings,
    /// Length of its file before; absent for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_bytes: Option<u64>,
    /// Digest of its file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
}

/// A checkpoint as it was saved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checkpoint {
    /// Its name.
    pub name: String,
    /// Its label.
    pub format: Value,
    /// Its time to live.
    pub ttl: Value,
    /// When it was first saved.
    pub created_at: Value,
    /// When it was last saved.
    pub updated_at: Value,
    /// What was saved.
    pub data: Value,
    /// Digest of its file.
    pub sha256: Digest,
    /// Length of its file.
    pub bytes: u64,
    /// Whether its time to live is over: the next cleanup takes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "a list is short, and nearly all of it is the large one"
)]
pub enum Listed {
    /// A checkpoint that can be read.
    Sound {
        /// Its name.
        name: String,
        /// Length of its file.
        bytes: u64,
        /// Where it is kept.
        checkpoint_path: String,
        /// Its label.
        format: Value,
        /// Its time to live.
        ttl: Value,
        /// When it was first saved.
        created_at: Value,
        /// When it was last saved.
        updated_at: Value,
        /// Digest of its file.
        sha256: Digest,
        /// Whether its time to live is over: the next cleanup takes it.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        expired: bool,
    },
    /// A file that cannot be read as one.
    Corrupt {
        /// Its name.
        name: String,
        /// Length of the file.
        bytes: u64,
        /// Where it is.
        checkpoint_path: String,
        /// Always true.
        corrupt: bool,
    },
}

/// All checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct List {
    /// By name.
    pub checkpoints: Vec<Listed>,
    /// How many.
    pub count: usize,
}

/// What a cleanup removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cleanup {
    /// By name.
    pub removed: Vec<Removed>,
    /// How many were kept.
    pub kept: usize,
}

/// A removed checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Its name.
    pub name: String,
    /// Its time to live.
    pub ttl: String,
    /// `session_cleanup`, `expired` or `corrupt`.
    pub reason: &'static str,
}

/// A mention of a checkpoint in a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckpointRef {
    /// Its name.
    pub name: String,
    /// Digest of its file.
    pub sha256: Digest,
    /// Length of its file.
    pub bytes: u64,
    /// Where it is kept.
    pub path: String,
}

impl Checkpoints<'_> {
    /// Saves a checkpoint, in place of one of that name.
    ///
    /// # Errors
    /// The name, the format or the time to live is not valid; a number does not fit a double; the data
    /// is blocked; the checkpoint is not the one expected; the disk refuses.
    pub fn save(&self, request: SaveRequest) -> Result<SaveReceipt> {
        let SaveRequest { name, mut data, format, ttl, expected_prev_sha256, reject_at } = request;
        check_name(&name)?;
        number::normalize("data", &mut data)?;
        if Ttl::parse(&ttl).is_none() {
            return Err(Error::CheckpointTtl { ttl });
        }
        let screen = Screen::of(self.store, reject_at)?;
        let findings = if screen.is_on() {
            screen
                .check_state(&self.path(&name), &draft_of(&data)?)
                .map_err(|error| screen.blame(&self.store.policy, error))?
        } else {
            Findings::default()
        };
        self.store.submit(move |op| {
            let file = format!("{name}.json");
            let target = op.store.state_target(op.state, &[CHECKPOINTS], &file)?;
            op.claim(&target)?;
            check_whole(target.stat.map_or(0, |stat| stat.len), &target.shown)?;
            let old = op.old(&target)?;
            check(&target, old.as_ref(), expected_prev_sha256.as_deref())?;
            let updated_at = op.store.now();
            let before = op
                .store
                .state_bytes(&[CHECKPOINTS], &file)?
                .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            let text_before = |key| Some(before.as_ref()?.get(key)?.as_str()?.to_owned());
            let created_at = text_before("created_at").unwrap_or_else(|| updated_at.clone());
            let prev_ttl = text_before("ttl").filter(|prev_ttl| *prev_ttl != ttl);
            let mut value = json!({
                "name": name, "format": format, "ttl": ttl, "data": data,
                "created_at": created_at, "updated_at": updated_at,
            });
            value.sort_all_objects();
            let mut text = serde_json::to_vec_pretty(&value)
                .map_err(|error| Error::Internal { message: error.to_string() })?;
            text.push(b'\n');
            check_whole(text.len() as u64, &target.shown)?;
            let content = Content::of(text);
            let sha256 = content.digest;
            let checkpoint_path = target.shown.clone();
            let mode = if old.is_some() { Mode::Overwrite } else { Mode::Create };
            let staged = op.stage(&target, &content)?;
            let journaled = op.publish_state(staged, target, old.as_ref(), mode)?;
            Ok(SaveReceipt {
                name: name.clone(),
                format,
                ttl: ttl.clone(),
                prev_ttl,
                checkpoint_path,
                sha256,
                bytes: content.bytes.len() as u64,
                journal_id: journaled.journal_id,
                created_at,
                updated_at,
                chunked: content.bytes.len() > LARGE,
                findings: findings.clone(),
                prev_bytes: old.as_ref().map(|old| old.stat.len),
                prev_sha256: old.as_ref().map(|old| old.digest),
            })
        })
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// The name is none; there is no such checkpoint; its file is damaged.
    pub fn read(&self, name: &str) -> Result<Checkpoint> {
        self.store.visible()?;
        check_name(name)?;
        let Some(bytes) = bytes(self.store, name)? else {
            let known = names(self.store).unwrap_or_default();
            let near = nearest(name, known.iter().map(String::as_str));
            return Err(Error::CheckpointNotFound { name: name.to_owned(), near });
        };
        let corrupt = |reason| Error::CheckpointCorrupt { name: name.to_owned(), reason };
        let file: Value = serde_json::from_slice(&bytes)
            .map_err(|error| corrupt(format!("corrupt_checkpoint: {error}")))?;
        let mut fields = labelled(file);
        let data = fields.remove("data").ok_or_else(|| corrupt("missing_data_field".to_owned()))?;
        let mut take = |key| fields.remove(key).unwrap_or_default();
        Ok(Checkpoint {
            name: name.to_owned(),
            format: take("format"),
            ttl: take("ttl"),
            created_at: take("created_at"),
            updated_at: take("updated_at"),
            data,
            sha256: Digest::of(&bytes),
            bytes: bytes.len() as u64,
            expired: self.is_expired(&bytes),
        })
    }

    /// Whether a checkpoint's time to live is over.
    fn is_expired(&self, bytes: &[u8]) -> bool {
        let fate = fate(bytes, self.store.clock.now_ns(), false);
        fate.is_some_and(|(_, reason)| reason == "expired")
    }

    /// Lists all checkpoints by name.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn list(&self) -> Result<List> {
        self.store.visible()?;
        let mut checkpoints = Vec::new();
        for name in names(self.store)? {
            let Some(bytes) = bytes(self.store, &name)? else { continue };
            let checkpoint_path = self.path(&name);
            let len = bytes.len() as u64;
            checkpoints.push(match serde_json::from_slice::<Map<String, Value>>(&bytes) {
                Ok(fields) => {
                    let mut fields = labelled(fields.into());
                    let mut take = |key| fields.remove(key).unwrap_or_default();
                    Listed::Sound {
                        name,
                        bytes: len,
                        checkpoint_path,
                        format: take("format"),
                        ttl: take("ttl"),
                        created_at: take("created_at"),
                        updated_at: take("updated_at"),
                        sha256: Digest::of(&bytes),
                        expired: self.is_expired(&bytes),
                    }
                }
                Err(_) => Listed::Corrupt { name, bytes: len, checkpoint_path, corrupt: true },
            });
        }
        Ok(List { count: checkpoints.len(), checkpoints })
    }

    /// Removes what has expired or is damaged and, if asked, what was for the session.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn cleanup(&self, include_session: bool) -> Result<Cleanup> {
        // Nothing is created to find that there is nothing.
        if names(self.store)?.is_empty() {
            return Ok(Cleanup { removed: Vec::new(), kept: 0 });
        }
        self.store.submit(move |op| {
            let now = op.store.clock.now_ns();
            let mut cleanup = Cleanup { removed: Vec::new(), kept: 0 };
            let Some(dir) = op.store.state_dir(&[CHECKPOINTS])? else { return Ok(cleanup) };
            for name in names(op.store)? {
                let Some(bytes) = bytes(op.store, &name)? else { continue };
                let file = format!("{name}.json");
                let target = op.store.state_target(op.state, &[CHECKPOINTS], &file)?;
                op.claim(&target)?;
                match fate(&bytes, now, include_session) {
                    None => cleanup.kept += 1,
                    Some((ttl, reason)) => {
                        op.discard(dir.clone(), OsString::from(file));
                        cleanup.removed.push(Removed { name, ttl, reason });
                    }
                }
            }
            Ok(cleanup)
        })
    }

    /// Mentions all checkpoints, by file name.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn refs(&self) -> Result<Vec<CheckpointRef>> {
        self.store.visible()?;
        let mut refs = Vec::new();
        for name in names(self.store)? {
            let Some(bytes) = bytes(self.store, &name)? else { continue };
            refs.push(CheckpointRef {
                path: self.path(&name),
                name,
                sha256: Digest::of(&bytes),
                bytes: bytes.len() as u64,
            });
        }
        Ok(refs)
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}.json", self.store.shown_state(&[CHECKPOINTS]))
    }
}

/// The data as it is judged and, when it is blocked, kept.
pub(crate) fn draft_of(data: &Value) -> Result<String> {
    serde_json::to_string_pretty(data)
        .map_err(|error| Error::Internal { message: error.to_string() })
}

/// The names of all checkpoint files, sorted. Whatever else somebody has put there is passed over, also
/// a file that is too long to be read: it must not keep anyone from the list, or from a handoff.
fn names(store: &Store) -> Result<Vec<String>> {
    let Some(dir) = store.state_dir(&[CHECKPOINTS])? else { return Ok(Vec::new()) };
    let os = |source| Error::os(store.shown_state(&[CHECKPOINTS]), "list", source);
    let mut names = Vec::new();
    for entry in dir.entries().map_err(os)? {
        if let Some(name) = entry.to_str().and_then(|entry| entry.strip_suffix(".json"))
            && dir.stat(&entry).is_ok_and(|stat| stat.kind == Kind::File && stat.len <= WHOLE_MAX)
        {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// A checkpoint's file; `None` when there is none, or none any more.
fn bytes(store: &Store, name: &str) -> Result<Option<Vec<u8>>> {
    store.state_bytes(&[CHECKPOINTS], &format!("{name}.json"))
}

fn check_name(name: &str) -> Result<()> {
    if is_name(name) {
        return Ok(());
    }
    Err(Error::CheckpointName { name: name.to_owned() })
}

/// The fields of a checkpoint's file, with the labels that one made elsewhere may lack.
fn labelled(file: Value) -> Map<String, Value> {
    let mut fields = match file {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for (key, label) in [("format", "json"), ("ttl", "session")] {
        fields.entry(key).or_insert_with(|| label.into());
    }
    fields
}

/// The time to live and the reason for which a checkpoint goes.
fn fate(bytes: &[u8], now_ns: u128, include_session: bool) -> Option<(String, &'static str)> {
    let Ok(file) = serde_json::from_slice::<Value>(bytes) else {
        return Some(("unknown".to_owned(), "corrupt"));
    };
    let fields = labelled(file);
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let ttl = text("ttl")?;
    match Ttl::parse(ttl)? {
        Ttl::Permanent => None,
        Ttl::Session => include_session.then(|| (ttl.to_owned(), "session_cleanup")),
        Ttl::Seconds(0) => None,
        Ttl::Seconds(seconds) => {
            let updated = stamp::parse(text("updated_at")?)?;
            let age = i128::try_from(now_ns).ok()?.checked_sub(updated)?;
            let lives = i128::from(seconds) * 1_000_000_000;
            (age > lives).then(|| (ttl.to_owned(), "expired"))
        }
    }
}

/// How long a checkpoint lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ttl {
    Session,
    Permanent,
    Seconds(u64),
}

impl Ttl {
    /// `session`, `permanent`, or `P[nY][nM][nD][T[nH][nM][nS]]` with a year of 365 and a month of
    /// 30 days.
    fn parse(text: &str) -> Option<Self> {
        match text {
            "session" => return Some(Self::Session),
            "permanent" => return Some(Self::Permanent),
            _ => {}
        }
        const DAY: u64 = 86_400;
        let rest = text.strip_prefix('P')?;
        let (date, time) = match rest.split_once('T') {
            Some((date, time)) => (date, time),
            None => (rest, ""),
        };
        let date = sum(date, &[('Y', 365 * DAY), ('M', 30 * DAY), ('D', DAY)])?;
        let time = sum(time, &[('H', 3_600), ('M', 60), ('S', 1)])?;
        Some(Self::Seconds(date.saturating_add(time)))
    }
}

/// Sums `<digits><unit>` groups whose units come in the given order, each at most once.
fn sum(mut text: &str, units: &[(char, u64)]) -> Option<u64> {
    let mut total = 0_u64;
    for (unit, seconds) in units {
        let Some((digits, rest)) = text.split_once(*unit) else { continue };
        if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let count = digits.parse().unwrap_or(u64::MAX);
        total = total.saturating_add(seconds.saturating_mul(count));
        text = rest;
    }
    text.is_empty().then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_the_contract() {
        let seconds = |n| Some(Ttl::Seconds(n));
        for (text, expected) in [
            ("session", Some(Ttl::Session)),
            ("permanent", Some(Ttl::Permanent)),
            ("P", seconds(0)),
            ("PT", seconds(0)),
            ("P1D", seconds(86_400)),
            ("P1Y2M3DT4H5M6S", seconds(365 * 86_400 + 60 * 86_400 + 3 * 86_400 + 14_706)),
            ("PT90M", seconds(5_400)),
            ("P1W", None),
            ("P1.5D", None),
            ("PT1M1H", None),
            ("1D", None),
            ("", None),
            ("P1DT", seconds(86_400)),
        ] {
            assert_eq!(Ttl::parse(text), expected, "{text}");
        }
    }
}
