//! Calls that somebody watches: how far they are, and what a stop leaves behind.

use resilient_core::chunk::ComposeRequest;
use resilient_core::form::Asked;
use resilient_core::risk::Verdict;
use resilient_core::scratch::ListRequest;
use resilient_core::workspace::{RedactRequest, Source, WriteTo};
use resilient_core::write::WriteMode;
use resilient_core::{Error, Result, Workspace};

use crate::home::{Home, Steps, composing};

/// A text whose scan takes several steps.
fn long() -> String {
    "let name = other.of(&value, 17);\n".repeat(30_000)
}

fn redact_to(path: &str) -> RedactRequest {
    let write = Some(WriteTo {
        path: path.to_owned(),
        mode: WriteMode::Create,
        expected_prev_sha256: None,
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    });
    let source = Source::File("long".to_owned());
    RedactRequest { source, chosen: vec![], language: None, env: false, keep: true, write }
}

fn composed(path: &str) -> ComposeRequest {
    ComposeRequest { reject_at: Some(Verdict::High), ..composing(path, true) }
}

/// The calls that scan a text which is there.
const SCANS: [fn(&Workspace) -> Result<()>; 4] = [
    |ws| ws.risk_score_of(Source::File("long".to_owned()), None).map(drop),
    |ws| ws.risk_score(&long()).map(drop),
    |ws| ws.redact(redact_to("new")).map(drop),
    |ws| ws.compose(composed("new")).map(drop),
];

#[test]
fn a_scan_tells_its_steps_and_one_that_is_stopped_changes_nothing() {
    for (nth, scan) in SCANS.iter().enumerate() {
        let home = Home::new();
        home.put("long", long());
        let ws = home.open();
        ws.chunks().append("s", long(), None).unwrap();
        let journal = home.text(".resilient_write/journal.jsonl");

        let (stopped, steps) = Steps::watching(&ws, 1);
        let refused = scan(&stopped);
        assert!(matches!(refused, Err(Error::Cancelled)), "{nth}: {refused:?}");
        assert_eq!(steps.seen().len(), 1, "{nth}");
        assert!(!home.path("new").exists(), "{nth}");
        assert_eq!(home.text(".resilient_write/journal.jsonl"), journal, "{nth}");
        let kept = ws.scratch().list(&ListRequest { label_prefix: None, limit: 1 }).unwrap();
        assert_eq!(kept.count, 0, "{nth}");

        let (watched, steps) = Steps::watching(&ws, usize::MAX);
        scan(&watched).unwrap();
        let seen = steps.seen();
        assert!(seen.len() > 1 && seen.iter().all(|(_, total)| total.is_none()), "{nth}: {seen:?}");
    }
}

/// What has begun is made, whatever its watcher says.
#[test]
fn the_joining_of_parts_tells_its_steps_and_is_not_stopped() {
    let home = Home::new();
    let ws = home.open();
    for _ in 0..3 {
        ws.chunks().append("s", long(), None).unwrap();
    }
    let (watched, steps) = Steps::watching(&ws, 1);
    let len = watched.compose(composing("new", true)).unwrap().bytes;
    assert_eq!(home.text("new"), long().repeat(3));
    let seen = steps.seen();
    assert!(seen.is_sorted() && seen.len() > 3, "{seen:?}");
    assert_eq!(seen.last(), Some(&(len, None)));
}
