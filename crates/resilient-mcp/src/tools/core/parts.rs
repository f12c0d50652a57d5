//! A long file in parts.

use resilient_core::digest::Digest;
use resilient_core::near::nearest;
use resilient_core::roots::Git;
use resilient_core::{Error, chunk};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{AS_BEFORE, TEXTS, answer, told};
use crate::args::Texts;
use crate::meant::means;
use crate::seam::{Answer, Workspace};
use crate::tools::{Effect, IfUnmade, Tool};

/// Write a long file in several calls: parts 1, 2, 3 of a path; the last one publishes it whole. Parts
/// survive a crash. Part 1 starts over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WritePart {
    /// Same in all calls.
    pub path: String,
    /// Number of the part.
    #[schemars(range(min = 1, max = 999))]
    pub part: i64,
    /// Text of the part.
    pub content: String,
    /// Publish now; default false.
    #[serde(default)]
    pub last: bool,
    /// With last: sha256 of the file to replace.
    pub expected_prev_sha256: Option<String>,
}

impl Tool for WritePart {
    const NAME: &'static str = "rw.write_part";
    const TITLE: &'static str = "Write a long file in parts";
    const EFFECT: Effect = Effect::Changes;
    const TEXTS: Texts = TEXTS;

    /// A part whose arguments are refused counts as a refused part: one without a number as part 1, and a part 1
    /// without a path as one of each file. The number may have the name that another program has for it.
    fn if_unmade(arguments: &Map<String, Value>) -> Option<IfUnmade> {
        let path = arguments.get("path").and_then(Value::as_str).map(str::to_owned);
        let number = |value: &Value| value.as_i64().or_else(|| value.as_str()?.parse().ok());
        let mut named = arguments.iter().filter(|(name, _)| *name == "part" || means(name, "part"));
        let part = named.next().filter(|_| named.next().is_none());
        let number = part.and_then(|(_, part)| number(part)).unwrap_or(1);
        Some(Box::new(move |workspace| {
            let parts = path.and_then(|path| Parts::of(workspace, &path).ok());
            match parts {
                Some(parts) => workspace.chunks().refuse(&parts.session, number),
                None => refuse_unread(workspace, number),
            }
        }))
    }

    fn run(self, workspace: &Workspace) -> Answer {
        answer(self.write(workspace))
    }
}

/// A part that is kept, and the file, once it is written. What chunk tools say beyond that is said here, too.
#[derive(Serialize)]
struct Written {
    path: String,
    part: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_part: Option<u32>,
    written: bool,
    /// How many parts of an earlier attempt are gone, since a second part 1 starts over.
    #[serde(skip_serializing_if = "Option::is_none")]
    discarded_parts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    #[serde(flatten)]
    receipt: Map<String, Value>,
}

/// The fields of a receipt, except those that this set has under other names.
fn fields(receipt: &impl Serialize) -> Map<String, Value> {
    const OTHER: [&str; 8] = [
        "session",
        // Of a total, which the caller has not announced.
        "warning",
        "index",
        "chunk_path",
        "output_path",
        "chunk_count",
        "chunk_hashes",
        "cleaned_up",
    ];
    match serde_json::to_value(receipt) {
        Ok(Value::Object(mut fields)) => {
            fields.retain(|name, _| !OTHER.contains(&name.as_str()));
            fields
        }
        _ => Map::new(),
    }
}

impl WritePart {
    fn write(self, workspace: &Workspace) -> resilient_core::Result<Written> {
        let Self { path, part, content, last, expected_prev_sha256 } = self;
        let parts = Parts::of(workspace, &path);
        let Parts { target, shown, session } =
            parts.inspect_err(|_| refuse_unread(workspace, part))?;
        let request = chunk::PartRequest {
            session: session.clone(),
            index: Some(part),
            content,
            total_expected: last.then_some(part),
            output_path: Some(target),
            one_attempt: true,
            ..chunk::PartRequest::default()
        };
        let kept = match part {
            1 => workspace.begin_parts(request),
            _ => workspace.keep_part(request).map(|kept| (kept, 0)),
        };
        let (kept, discarded) = kept.map_err(|error| of_file(error, workspace, &shown))?;
        let discarded_parts = Some(discarded).filter(|parts| *parts > 0);
        if !last {
            let now = Kept::of(workspace, &session)?;
            return Ok(Written {
                path: shown,
                part: kept.index,
                next_part: Some(now.next_part(kept.index)),
                written: false,
                discarded_parts,
                parts: None,
                receipt: fields(&kept),
            });
        }
        let composed = workspace.compose(chunk::ComposeRequest {
            session,
            output_path: path,
            cleanup: true,
            // A file that is there is replaced only by who has seen it.
            expected_prev_sha256: Some(expected_prev_sha256.unwrap_or_default()),
            form: AS_BEFORE,
            one_attempt: true,
            ..chunk::ComposeRequest::default()
        })?;
        Ok(Written {
            path: composed.output_path.clone(),
            part: kept.index,
            next_part: None,
            written: true,
            discarded_parts,
            parts: Some(composed.chunk_count),
            receipt: fields(&composed),
        })
    }
}

/// Remembers a refused part of which nobody can say to which file it belongs. A part 1 begins a text that may belong to any;
/// of a later one, the parts that are there are still those that the caller means.
fn refuse_unread(workspace: &Workspace, number: i64) {
    if number <= 1 {
        workspace.chunks().refuse_unread();
    }
}

/// Says of a refused part what the caller has named, which is the file, and which file the parts have become if none is
/// there.
fn of_file(mut error: Error, workspace: &Workspace, file: &str) -> Error {
    match &mut error {
        Error::Blocked { path, .. } => *path = Some(file.to_owned()),
        Error::NonContiguous { session, have, .. } if have.is_empty() => {
            if let Some(composed) = workspace.composed_of(session) {
                let (session, composed) = (std::mem::take(session), Some(Box::new(composed)));
                return Error::NoChunks { session, near: Vec::new(), composed };
            }
        }
        _ => {}
    }
    error
}

/// The parts of a file that are kept.
struct Kept {
    /// Their numbers, ascending.
    present: Vec<u32>,
    /// How many there are to be, once the last one has been sent.
    total: Option<u32>,
}

impl Kept {
    fn of(workspace: &Workspace, session: &str) -> resilient_core::Result<Self> {
        let parts = workspace.chunks().status(session)?.parts;
        let (present, total) =
            parts.map(|parts| (parts.present_indices, parts.total_expected)).unwrap_or_default();
        Ok(Self { present, total })
    }

    /// Whether all parts are there, and the last one was refused. Then a part that is sent again takes the place of itself
    /// alone.
    fn wait_for_last(&self) -> bool {
        let all = self.total.filter(|total| *total > 1);
        all.is_some_and(|total| self.present.iter().copied().eq(1..=total))
    }

    /// The number of the part that is to be sent after a part. If no part is missing, it is the next one: nobody knows
    /// which of the others the caller corrects.
    fn next_part(&self, sent: u32) -> u32 {
        match self.wait_for_last() {
            true => sent.saturating_add(1),
            false => next_part(&self.present),
        }
    }
}

/// Where the parts of a file are kept.
struct Parts {
    /// The file's absolute path.
    target: String,
    /// Its path as it is reported.
    shown: String,
    /// The chunk session: the same for every spelling of the path.
    session: String,
}

impl Parts {
    fn of(workspace: &Workspace, path: &str) -> resilient_core::Result<Self> {
        const NAME_MAX: usize = 40;
        const DIGITS: usize = 16;
        let is_open = workspace.policy().is_ok_and(|policy| policy.allow_git);
        let git = if is_open { Git::Open } else { Git::Protected };
        let target = workspace.roots().writable(path, git)?;
        let plain =
            |char: char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
        let shown = workspace.roots().show(target.path());
        let name: String = shown.chars().take(NAME_MAX).map(plain).collect();
        let target = target.path().to_string_lossy().into_owned();
        let mut digits = Digest::of(target.as_bytes()).short();
        digits.truncate(DIGITS);
        Ok(Self { target, shown, session: format!("{name}-{digits}") })
    }
}

/// List the parts stored by rw_write_part, to resume: which there are and how the last one ends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListParts {
    /// Absent: all unfinished files.
    pub path: Option<String>,
}

impl Tool for ListParts {
    const NAME: &'static str = "rw.list_parts";
    const TITLE: &'static str = "List the parts of a long file";
    const EFFECT: Effect = Effect::Reads;
    const IS_REMEMBERED: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        let Some(path) = self.path else {
            return answer(workspace.chunks().sessions().map(|all| unfinished(&all)));
        };
        answer(Parts::of(workspace, &path).and_then(|Parts { shown, session, .. }| {
            let status = workspace.session_status(&session)?;
            let parts = status.parts.as_ref().map(|parts| parts.present_indices.clone());
            let ends_with = status.parts.and_then(|parts| parts.last_part).map(|last| last.tail);
            let parts = parts.unwrap_or_default();
            let next = next_part(&parts);
            // The next part does not follow the end of one behind a gap.
            let ends_with = ends_with.filter(|_| parts.last().is_none_or(|last| *last < next));
            let near =
                if parts.is_empty() { near_unfinished(workspace, &shown)? } else { Vec::new() };
            Ok(told([
                ("path", Some(json!(shown))),
                ("parts", Some(json!(parts))),
                ("next_part", Some(json!(next))),
                ("ends_with", Some(json!(ends_with))),
                ("nearest_names", (!near.is_empty()).then(|| json!(near))),
            ]))
        }))
    }
}

/// The number of the first part that is missing.
fn next_part(present: &[u32]) -> u32 {
    (1..).zip(present).find(|(next, present)| next != *present).map_or_else(
        || u32::try_from(present.len()).unwrap_or(u32::MAX).saturating_add(1),
        |(next, _)| next,
    )
}

/// The paths of unfinished files that come near a path of which no parts are stored.
fn near_unfinished(workspace: &Workspace, path: &str) -> resilient_core::Result<Vec<String>> {
    let all = workspace.chunks().sessions()?.sessions;
    Ok(nearest(path, all.iter().filter_map(|session| session.output_path.as_deref())))
}

/// The files of which parts are stored by this set's tool: other sessions name no file.
fn unfinished(all: &chunk::Sessions) -> Value {
    let files = all.sessions.iter().filter_map(|session| {
        let path = session.output_path.as_ref()?;
        let next = next_part(&session.present_indices);
        Some(told([
            ("path", Some(json!(path))),
            ("parts", Some(json!(session.present_indices))),
            ("next_part", Some(json!(next))),
            ("bytes", Some(json!(session.bytes))),
            ("updated_at", session.updated_at.as_ref().map(|at| json!(at))),
            ("age_seconds", session.age_seconds.map(Value::from)),
        ]))
    });
    let files: Vec<Value> = files.collect();
    json!({"count": files.len(), "files": files})
}
