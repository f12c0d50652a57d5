//! The envelope of what cannot be brought about on a healthy disk, and its shape.

use std::io;

use resilient_core::Error;
use resilient_core::digest::Digest;
use resilient_core::redact::Refusal;
use serde_json::{Value, json};

use crate::home::{FORBIDDEN, REFUSED, answer, envelope, sha};

const CORRUPT: [&str; 3] = ["write_corruption", "unknown", "abort"];
const FULL: [&str; 3] = ["quota_exceeded", "size_limit", "abort"];

#[cfg(target_os = "linux")]
#[test]
fn the_system_refuses() {
    for (errno, strerror, kind) in [
        (1, "Operation not permitted", FORBIDDEN),
        (13, "Permission denied", FORBIDDEN),
        (18, "Invalid cross-device link", FORBIDDEN),
        (30, "Read-only file system", FORBIDDEN),
        (27, "File too large", FULL),
        (28, "No space left on device", FULL),
        (122, "Disk quota exceeded", FULL),
        (5, "Input/output error", CORRUPT),
        (21, "Is a directory", REFUSED),
        (36, "File name too long", REFUSED),
    ] {
        let source = io::Error::from_raw_os_error(errno);
        let error = Error::Os { path: "a.txt".to_owned(), operation: "write", source };
        let mut context = json!({
            "path": "a.txt", "operation": "write", "errno": errno, "strerror": strerror,
        });
        match errno {
            27 => context["reason"] = "file_too_large".into(),
            28 | 122 => context["reason"] = "disk_full".into(),
            _ => {}
        }
        assert_eq!(answer(&error), envelope(kind, context));
    }
}

#[test]
fn an_error_without_a_number_has_words() {
    let source = io::Error::other("odd");
    let error = Error::Os { path: "a.txt".to_owned(), operation: "read", source };
    let context = json!({"path": "a.txt", "operation": "read", "errno": null, "strerror": "odd"});
    assert_eq!(answer(&error), envelope(REFUSED, context));
}

#[cfg(target_os = "linux")]
#[test]
fn directories_that_cannot_be_made() {
    for (errno, strerror, kind) in [
        (13, "Permission denied", FORBIDDEN),
        (20, "Not a directory", FORBIDDEN),
        (28, "No space left on device", FULL),
        (5, "Input/output error", CORRUPT),
    ] {
        let source = io::Error::from_raw_os_error(errno);
        let error = Error::MakeDirectory { path: "d/a.txt".to_owned(), source };
        let reason =
            if errno == 28 { "disk_full".to_owned() } else { format!("mkdir_failed: {strerror}") };
        let context = json!({
            "path": "d/a.txt", "reason": reason, "errno": errno,
        });
        assert_eq!(answer(&error), envelope(kind, context));
    }
}

#[test]
fn content_that_reads_back_differently() {
    let error = Error::ReadBack {
        path: "a.txt".to_owned(),
        expected: Digest::of(b"abc"),
        actual: Digest::of(b"abd"),
        bytes: 3,
    };
    let context = json!({
        "path": "a.txt", "reason": "read_back_differs", "expected_sha256": sha("abc"),
        "actual_sha256": sha("abd"), "bytes": 3,
    });
    assert_eq!(answer(&error), envelope(CORRUPT, context));
}

#[cfg(target_os = "linux")]
#[test]
fn an_outcome_that_nobody_knows() {
    let error = Error::OutcomeUnknown {
        path: "a.txt".to_owned(),
        journal_id: Some("wj_1".to_owned()),
        part_from: None,
        source: io::Error::from_raw_os_error(5),
    };
    let context = json!({
        "path": "a.txt", "reason": "outcome_unknown", "outcome": "unknown", "journal_id": "wj_1",
        "errno": 5, "strerror": "Input/output error",
    });
    assert_eq!(answer(&error), envelope(["write_corruption", "unknown", "retry_later"], context));
}

#[test]
fn a_workspace_that_stays_locked() {
    let context = json!({
        "reason": "workspace_locked", "waited_ms": 30_000,
    });
    assert_eq!(
        answer(&Error::Locked { path: None, waited_ms: 30_000 }),
        envelope(["stale_precondition", "unknown", "retry_later"], context)
    );
}

#[test]
fn a_file_that_stays_locked() {
    let context = json!({
        "reason": "file_locked", "waited_ms": 30_000, "path": "a.log",
    });
    assert_eq!(
        answer(&Error::Locked { path: Some("a.log".to_owned()), waited_ms: 30_000 }),
        envelope(["stale_precondition", "unknown", "retry_later"], context)
    );
}

#[test]
fn a_root_that_holds_the_system() {
    let error = Error::UnsafeRoot {
        root: "/etc".to_owned(),
        variable: "RW_WORKSPACE".to_owned(),
        is_set: true,
        program: "resilient-write",
    };
    let context = json!({
        "root": "/etc", "variable": "RW_WORKSPACE", "reason": "unsafe_root",
    });
    assert_eq!(answer(&error), envelope(FORBIDDEN, context));
}

#[test]
fn what_keeps_a_redaction_from_being_done() {
    let kinds = vec!["jwt".to_owned()];
    let error = Error::Unredactable { count: 2, line: 7, kinds };
    let context = json!({
        "reason": "not_redactable", "remaining": 2, "line": 7, "kinds": ["jwt"],
    });
    let kind = ["policy_violation", "content_filter", "ask_user"];
    assert_eq!(answer(&error), envelope(kind, context));

    let error = Error::from(Refusal::TooMany { count: 50_001, most: 50_000 });
    let context = json!({
        "reason": "too_many_redactions", "places": 50_001, "most": 50_000,
    });
    let kind = ["policy_violation", "size_limit", "split"];
    assert_eq!(answer(&error), envelope(kind, context));

    let error = Error::RedactionBreaks { format: "json", line: 3, message: "why".to_owned() };
    let context = json!({
        "reason": "redaction_breaks_syntax", "format": "json", "line": 3, "message": "why",
    });
    let kind = ["policy_violation", "encoding", "ask_user"];
    assert_eq!(answer(&error), envelope(kind, context));
}

#[test]
fn a_fault_of_our_own() {
    let error = Error::Internal { message: "what".to_owned() };
    assert_eq!(answer(&error), envelope(CORRUPT, json!({"reason": "internal: what"})));
}

#[test]
fn an_envelope_has_eight_fields() {
    let Value::Object(fields) = answer(&Error::EmptyPath) else { panic!("no object") };
    let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "context",
            "detected_patterns",
            "error",
            "ok",
            "reason_hint",
            "retry_budget",
            "schema_version",
            "suggested_action",
        ]
    );
}
