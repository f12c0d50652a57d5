//! Files that do not fit into memory: a call that needs all of one is refused, and the process goes on.

use std::fs::OpenOptions;

use resilient_core::checkpoint::{Format, SaveRequest};
use resilient_core::chunk::ComposeRequest;
use resilient_core::handoff::HandoffRequest;
use resilient_core::risk::Verdict;
use resilient_core::scratch::Encoding;
use resilient_core::workspace::{RedactRequest, Source};
use serde_json::{Value, json};

use crate::home::{Home, composing, digest, envelope, refusal, replace};

/// No memory holds so many bytes, and a file of holes costs none.
const LEN: u64 = 1 << 40;
const LIMIT: u64 = 256 << 20;

fn lengthen(home: &Home, name: &str) {
    home.put(name, "");
    let file = OpenOptions::new().write(true).open(home.path(name)).unwrap();
    file.set_len(LEN).unwrap();
}

fn too_large(path: &str) -> Value {
    envelope(
        ["quota_exceeded", "size_limit", "abort"],
        json!({
            "path": path, "reason": "file_too_large", "bytes": LEN, "limit": LIMIT,
        }),
    )
}

#[test]
fn a_file_that_fits_no_memory_is_neither_edited_nor_redacted() {
    let home = Home::new();
    lengthen(&home, "big");
    let ws = home.open();
    assert_eq!(refusal(ws.replace(replace("big", "old", "new"))), too_large("big"));
    let request = RedactRequest {
        source: Source::File("big".to_owned()),
        chosen: vec![],
        language: None,
        env: false,
        keep: false,
        write: None,
    };
    assert_eq!(refusal(ws.redact(request)), too_large("big"));
}

#[test]
fn a_handoff_that_fits_no_memory_is_neither_read_nor_copied() {
    let home = Home::new();
    lengthen(&home, "HANDOFF.md");
    let ws = home.open();
    assert_eq!(refusal(ws.read_handoff("HANDOFF.md")), too_large("HANDOFF.md"));
    let facts = json!({
        "task_id": "T-1", "status": "partial", "agent": "tester", "summary": "half",
        "next_steps": [], "last_good_state": [],
    });
    let request = HandoffRequest {
        expected_prev_sha256: None,
        reject_at: None,
        allow_shrink: false,
        envelope: facts.as_object().unwrap().clone(),
        body: String::new(),
        path: "HANDOFF.md".to_owned(),
        archive: true,
    };
    assert_eq!(refusal(ws.write_handoff(request)), too_large("HANDOFF.md"));
}

#[test]
fn state_files_that_fit_no_memory_are_refused() {
    let home = Home::new();
    let at = |name: &str| format!(".resilient_write/{name}");
    let bin = at(&format!("scratch/{}.bin", digest("x")));
    let [index, checkpoint, manifest] =
        ["scratch/index.jsonl", "checkpoints/x.json", "chunks/s/manifest.json"].map(at);
    for name in [&index, &checkpoint, &manifest, &bin] {
        lengthen(&home, name);
    }
    let ws = home.open();
    let sha256 = digest("x").to_string();
    assert_eq!(refusal(ws.scratch().reference(None, Some("x"))), too_large(&index));
    assert_eq!(refusal(ws.scratch().get(&sha256, Encoding::Utf8)), too_large(&bin));
    assert_eq!(refusal(ws.chunks().status("s")), too_large(&manifest));
    let part = || ws.chunks().append("s", "part".to_owned(), None);
    assert_eq!(refusal(part()), too_large(&manifest));
    assert_eq!(refusal(ws.checkpoints().read("x")), too_large(&checkpoint));
    let save = || {
        ws.checkpoints().save(SaveRequest {
            expected_prev_sha256: None,
            reject_at: None,
            name: "x".to_owned(),
            data: json!(1),
            format: Format::Json,
            ttl: "session".to_owned(),
        })
    };
    assert_eq!(refusal(save()), too_large(&checkpoint));
    assert_eq!(ws.checkpoints().list().unwrap().count, 0, "it keeps nobody from the list");
}

#[test]
fn a_session_that_fits_no_memory_is_neither_judged_nor_checked() {
    let home = Home::new();
    let ws = home.open();
    ws.chunks().append("s", "part".to_owned(), None).unwrap();
    lengthen(&home, ".resilient_write/chunks/s/part-001.txt");
    let refused = too_large(".resilient_write/chunks/s");
    let checked = ComposeRequest { validate: true, ..composing("a.json", false) };
    assert_eq!(refusal(ws.compose(checked)), refused);
    let judged = ComposeRequest { reject_at: Some(Verdict::High), ..composing("a.json", false) };
    assert_eq!(refusal(ws.compose(judged)), refused);
    let session = Source::Session { session: "s".to_owned(), separator: String::new() };
    assert_eq!(refusal(ws.risk_score_of(session, None)), refused);
}
