//! The reference agent: it passes every scenario with Resilient Write and Resilient Read.

use serde_json::json;

use super::{
    FILES, Script, Tools, flagged, redacted, section, sections, setting, unnumbered, without_key,
};
use crate::scenario::Id;

pub(super) fn scripts(scenario: Id) -> Vec<Script> {
    match scenario {
        Id::S0 => vec![count_errors],
        Id::S1 => vec![report_capture],
        Id::S2 => vec![write_in_parts],
        Id::S3 => vec![follow_cursor],
        Id::S4 => vec![hand_over, take_over],
        Id::S5 => vec![move_key],
    }
}

const DONE: &str = "Done.";

/// Searches for each type, a hundred hits at a time.
fn count_errors(tools: &mut Tools) -> Option<String> {
    let mut counts = json!({});
    for name in ["TimeoutError", "ConnectionReset", "DiskFull", "AuthFailed"] {
        let mut count = 0;
        let mut from = json!(1);
        loop {
            let found = tools.call(
                "rr_search_then_page",
                json!({
                    "path": "logs/service.log",
                    "query": format!(" ERROR {name} "),
                    "from_line": from,
                    "context_before": 0,
                    "context_after": 0,
                    "max_matches": 100,
                    "case_sensitive": true,
                }),
            )?;
            count += found.at("/matches_returned").as_u64()?;
            if found.at("/has_more") != true {
                break;
            }
            from = found.at("/next_from_line").clone();
        }
        counts.as_object_mut()?.insert(name.to_owned(), json!(count));
    }
    let content = format!("{counts}\n");
    tools.call("rw_safe_write", json!({"path": "counts.json", "content": content}))?;
    Some(DONE.to_owned())
}

/// Writes, is refused, and redacts what the envelope names.
fn report_capture(tools: &mut Tools) -> Option<String> {
    let notes = tools.call("rr_read_lines", json!({"path": "notes/capture.md"}))?;
    let notes = unnumbered(&notes.text("/content"));
    let report = |notes: &str| {
        let content = format!("# Capture report\n\n{notes}");
        json!({"path": "report.md", "content": content})
    };
    let written = tools.call("rw_safe_write", report(&notes))?;
    if written.text("/suggested_action") == "redact" {
        tools.call("rw_safe_write", report(&redacted(&notes)))?;
    }
    Some(DONE.to_owned())
}

/// Sends numbered parts: sending one again does no harm.
fn write_in_parts(tools: &mut Tools) -> Option<String> {
    let sections = sections(&tools.task);
    let total = sections.len();
    for (index, (heading, code)) in (1..).zip(sections) {
        let part = json!({
            "session": "report",
            "index": index,
            "content": section(&heading, &code),
            "total_expected": total,
        });
        if !tools.call("rw_chunk_write", part.clone())?.ok() {
            let status = tools.call("rw_chunk_status", json!({"session": "report"}))?;
            let there = status.at("/present_indices").as_array().cloned().unwrap_or_default();
            if !there.contains(&json!(index)) {
                tools.call("rw_chunk_write", part)?;
            }
        }
    }
    let compose = json!({"session": "report", "output_path": "report.md", "cleanup": true});
    tools.call("rw_chunk_compose", compose)?;
    Some(DONE.to_owned())
}

/// Follows a cursor, and begins again when the file is another.
fn follow_cursor(tools: &mut Tools) -> Option<String> {
    let make = json!({"path": "stock.txt", "max_bytes": 2000});
    let mut cursor = tools.call("rr_make_cursor", make.clone())?.text("/cursor");
    let mut text = String::new();
    loop {
        let window = tools.call("rr_read_next", json!({"cursor": cursor}))?;
        if window.ok() {
            text.push_str(&window.text("/content"));
            if window.at("/eof") == true {
                break;
            }
            cursor = window.text("/cursor");
        } else {
            text.clear();
            cursor = tools.call("rr_make_cursor", make.clone())?.text("/cursor");
        }
    }
    let content = flagged(&text);
    tools.call("rw_safe_write", json!({"path": "recount.json", "content": content}))?;
    Some(DONE.to_owned())
}

/// Edits, and hands over with the digests that the edits were answered with.
fn hand_over(tools: &mut Tools) -> Option<String> {
    let mut state = Vec::new();
    for path in FILES {
        let edit = json!({"path": path, "old_string": "timeout=30", "new_string": "timeout=45"});
        let sha256 = tools.call("rw_safe_replace", edit)?.text("/sha256");
        state.push(json!({"path": path, "sha256": sha256}));
    }
    let envelope = json!({
        "task_id": "timeout-45",
        "status": "handed_off",
        "agent": "reference",
        "summary": "The timeouts are changed.",
        "next_steps": ["write CHANGES.md"],
        "last_good_state": state,
    });
    tools.call("rw_handoff_write", json!({"envelope": envelope}))?;
    Some(DONE.to_owned())
}

/// Reads the handoff, which tells what has drifted.
fn take_over(tools: &mut Tools) -> Option<String> {
    let handoff = tools.call("rw_handoff_read", json!({}))?;
    let state = handoff.at("/envelope/last_good_state").as_array().cloned()?;
    let drifted: Vec<&str> = handoff
        .at("/drift_warnings")
        .as_array()?
        .iter()
        .filter_map(|warning| warning.get("path")?.as_str())
        .collect();
    let mut changes = String::new();
    for entry in &state {
        let path = entry.get("path")?.as_str()?;
        let text = tools.call("rr_read_lines", json!({"path": path}))?.text("/content");
        let text = unnumbered(&text);
        let (timeout, retries) = (setting(&text, "timeout"), setting(&text, "retries"));
        changes.push_str(&format!("{path} timeout={timeout} retries={retries}\n"));
    }
    for path in drifted {
        changes.push_str(&format!("drift: {path}\n"));
    }
    tools.call("rw_safe_write", json!({"path": "CHANGES.md", "content": changes}))?;
    Some(DONE.to_owned())
}

/// Puts the key aside first, and only then takes it out of the code.
fn move_key(tools: &mut Tools) -> Option<String> {
    let code = tools.call("rr_read_lines", json!({"path": "billing.py"}))?;
    let (key, clean) = without_key(&unnumbered(&code.text("/content")))?;
    let kept = tools.call("rw_scratch_put", json!({"content": key, "label": "stripe-key"}))?;
    if kept.ok() {
        let write = json!({"path": "billing.py", "content": clean, "mode": "overwrite"});
        tools.call("rw_safe_write", write)?;
    }
    Some(DONE.to_owned())
}
