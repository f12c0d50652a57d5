//! What happens while a call waits for the disk: an editor comes in between, the disk fails.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use resilient_core::disk::{DirRef, Disk, RealDisk, Stat, SyncItem};
use resilient_core::handoff::HandoffRequest;
use resilient_core::read::StatRequest;
use resilient_core::write::{WriteReceipt, WriteRequest};
use resilient_core::{Result, Workspace};
use serde_json::{Value, json};

use crate::home::{
    FORBIDDEN, Home, STALE, append, composing, create, envelope, overwrite, refusal, replace, sha,
    without_since,
};

/// What happens during one wait; the workspace is at the path.
type Deed = Box<dyn FnOnce(&Path) -> io::Result<()> + Send>;

/// A disk on which something happens at each wait. A deed that fails makes the wait fail, whatever
/// it is for.
struct Meddled {
    deeds: Mutex<VecDeque<Deed>>,
    workspace: PathBuf,
}

impl std::fmt::Debug for Meddled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meddled")
    }
}

impl Disk for Meddled {
    fn open_root(&self, path: &Path) -> io::Result<DirRef> {
        RealDisk.open_root(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        RealDisk.stat(path)
    }

    fn sync_all(&self, items: &[SyncItem]) -> Vec<io::Result<()>> {
        let deed = self.deeds.lock().unwrap().pop_front();
        match deed.map_or(Ok(()), |deed| deed(&self.workspace)) {
            Ok(()) => items.iter().map(SyncItem::sync).collect(),
            Err(error) => items.iter().map(|_| Err(error.kind().into())).collect(),
        }
    }
}

/// A workspace whose next call meets these deeds, one at each of its waits.
fn meddled<const N: usize>(home: &Home, deeds: [Deed; N]) -> Workspace {
    let disk = Arc::new(Meddled { deeds: Mutex::default(), workspace: home.path("") });
    let ws = home.builder().disk(disk.clone()).open();
    ws.write(create("warm", "")).unwrap();
    disk.deeds.lock().unwrap().extend(deeds);
    ws
}

/// The same once more, where `warm` is there already.
fn meddled_again<const N: usize>(home: &Home, deeds: [Deed; N]) -> Workspace {
    std::fs::remove_file(home.path("warm")).unwrap();
    meddled(home, deeds)
}

fn edit(content: &'static str) -> Deed {
    Box::new(move |workspace| std::fs::write(workspace.join("a"), content))
}

fn nothing() -> Deed {
    Box::new(|_| Ok(()))
}

fn refuse(kind: io::ErrorKind) -> Deed {
    Box::new(move |_| Err(kind.into()))
}

type Call = fn(&Workspace) -> Result<WriteReceipt>;

/// Every way of changing a file that holds a `b` by what it holds.
const CALLS: [Call; 3] = [
    |ws| ws.write(overwrite("a", "new")),
    |ws| ws.replace(replace("a", "b", "x")),
    |ws| {
        let now = ws
            .reader()
            .stat(&StatRequest { path: "a".to_owned(), digest: None })?
            .sha256
            .map(|digest| digest.to_string());
        ws.write(WriteRequest { expected_prev_sha256: now, ..append("a", "d") })
    },
];

fn long() -> String {
    format!("b{}", "x".repeat(70_000))
}

#[test]
fn an_edit_before_the_last_look_is_not_lost() {
    for before in ["abc", &long()] {
        for call in CALLS {
            let home = Home::new();
            home.put("a", before);
            let ws = meddled(&home, [edit("edited")]);
            assert_eq!(
                without_since(refusal(call(&ws))),
                envelope(
                    STALE,
                    json!({
                        "path": "a", "expected_prev_sha256": sha(before),
                        "actual_prev_sha256": sha("edited"),
                    })
                )
            );
            assert_eq!(home.text("a"), "edited");
            assert_eq!(home.rows().len(), 1);
            home.assert_tidy();
            ws.write(overwrite("a", "next")).unwrap();
            assert_eq!(home.rows().len(), 2);
        }
    }
}

/// A logger adds lines while the call is under way.
#[test]
fn an_append_that_names_no_digest_goes_behind_what_somebody_adds_meanwhile() {
    for before in ["abc\n".to_owned(), long() + "\n"] {
        let home = Home::new();
        home.put("a", &before);
        let log = || -> Deed {
            Box::new(|workspace| {
                let mut file =
                    std::fs::OpenOptions::new().append(true).open(workspace.join("a"))?;
                file.write_all(b"logged\n")
            })
        };
        let ws = meddled(&home, [log(), log(), log()]);
        let receipt = ws.write(append("a", "d\n")).unwrap();
        let now = home.text("a");
        assert!(now.starts_with(&before) && now.matches("logged\n").count() > 0, "{now:.20}");
        assert_eq!(now.matches("d\n").count() - now.matches("logged\n").count(), 1);
        assert_eq!(home.rows().len(), 2);
        assert!(receipt.bytes as usize <= now.len());
        // Who names a digest is told that it is stale.
        let ws = meddled_again(&home, [log()]);
        let request = WriteRequest { expected_prev_sha256: Some(sha(&now)), ..append("a", "e\n") };
        assert_eq!(refusal(ws.write(request))["context"]["expected_prev_sha256"], sha(&now));
        // However often somebody comes in between, the call ends.
        let ws = meddled_again(&home, std::array::from_fn::<Deed, 600, _>(|_| log()));
        assert_eq!(refusal(ws.write(append("a", "f\n")))["error"], "stale_precondition");
        home.assert_tidy();
    }
}

#[test]
fn an_append_that_names_no_digest_goes_behind_what_its_file_has_become() {
    for before in ["abc", &long()] {
        let home = Home::new();
        home.put("a", before);
        let ws = meddled(&home, [edit("edited\n")]);
        ws.write(append("a", "d\n")).unwrap();
        assert_eq!(home.text("a"), "edited\nd\n");
        let ws = meddled_again(
            &home,
            [Box::new(|workspace: &Path| std::fs::remove_file(workspace.join("a"))) as Deed],
        );
        ws.write(append("a", "e\n")).unwrap();
        assert_eq!(home.text("a"), "e\n");
        home.assert_tidy();
    }
}

#[test]
fn a_removal_before_the_last_look_is_noticed() {
    for before in ["abc", &long()] {
        for call in CALLS {
            let home = Home::new();
            home.put("a", before);
            let ws =
                meddled(&home, [Box::new(|workspace| std::fs::remove_file(workspace.join("a")))]);
            let found = refusal(call(&ws));
            assert_eq!(found["context"]["actual_prev_sha256"], "");
            assert!(!home.path("a").exists());
            assert_eq!(home.rows().len(), 1);
            home.assert_tidy();
        }
    }
}

/// The last of several files of one call is looked at as well.
#[test]
fn an_edit_of_a_handoff_while_its_copy_is_archived_is_not_lost() {
    let handoff = |summary: &str| {
        let envelope = json!({
            "task_id": "t-1", "status": "partial", "agent": "a", "summary": summary,
            "next_steps": ["go on"], "last_good_state": [],
        });
        let Value::Object(envelope) = envelope else { unreachable!("an object") };
        HandoffRequest {
            envelope,
            body: String::new(),
            path: "a".to_owned(),
            archive: true,
            expected_prev_sha256: None,
            reject_at: None,
            allow_shrink: false,
        }
    };
    let home = Home::new();
    home.builder().open().write_handoff(handoff("old")).unwrap();
    let ws = meddled(&home, [edit("edited")]);
    let found = refusal(ws.write_handoff(handoff("new")));
    assert_eq!(found["context"]["actual_prev_sha256"], sha("edited"));
    assert_eq!(home.text("a"), "edited");
    assert_eq!(home.rows().len(), 2);
    assert!(!home.path(".resilient_write/handoffs").exists());
    home.assert_tidy();
}

#[test]
fn an_edit_of_a_session_while_a_part_is_written_is_not_lost() {
    const MANIFEST: &str = ".resilient_write/chunks/s/manifest.json";
    let home = Home::new();
    home.builder().open().chunks().write("s", 1, "one".to_owned(), None).unwrap();
    let ws = meddled(&home, [Box::new(|at| std::fs::write(at.join(MANIFEST), "edited"))]);
    let found = refusal(ws.chunks().write("s", 2, "two".to_owned(), None));
    assert_eq!(found["context"]["actual_prev_sha256"], sha("edited"));
    assert_eq!(home.text(MANIFEST), "edited");
    assert!(!home.path(".resilient_write/chunks/s/part-002.txt").exists());
    assert_eq!(home.rows().len(), 2);
}

/// Every file that a call replaces is looked at, the part as well as the manifest.
#[test]
fn an_edit_of_either_file_of_a_part_that_is_replaced_is_not_lost() {
    const FILES: [&str; 2] =
        [".resilient_write/chunks/s/part-001.txt", ".resilient_write/chunks/s/manifest.json"];
    for (edited, other) in [(FILES[0], FILES[1]), (FILES[1], FILES[0])] {
        let home = Home::new();
        home.builder().open().chunks().write("s", 1, "one".to_owned(), None).unwrap();
        let untouched = home.text(other);
        let ws = meddled(&home, [Box::new(move |at| std::fs::write(at.join(edited), "edited"))]);
        let found = refusal(ws.chunks().write("s", 1, "uno".to_owned(), None));
        assert_eq!(found["context"]["actual_prev_sha256"], sha("edited"), "{edited}");
        assert_eq!(home.text(edited), "edited");
        assert_eq!(home.text(other), untouched);
        assert_eq!(home.rows().len(), 2);
    }
}

#[test]
fn a_file_that_is_only_touched_is_written() {
    for before in ["abc".to_owned(), long()] {
        for call in CALLS {
            let home = Home::new();
            home.put("a", &before);
            let same = before.clone();
            let ws = meddled(
                &home,
                [Box::new(move |workspace| std::fs::write(workspace.join("a"), same))],
            );
            call(&ws).unwrap();
            assert_eq!(home.rows().len(), 2);
        }
    }
}

#[test]
fn a_file_that_appears_before_the_last_look_is_not_lost() {
    for (request, expected) in [
        (
            create("a", "new"),
            json!({
                "path": "a", "reason": "file_already_exists", "existing_sha256": sha("made"),
            }),
        ),
        (
            overwrite("a", "new"),
            json!({"path": "a", "expected_prev_sha256": "", "actual_prev_sha256": sha("made")}),
        ),
    ] {
        let home = Home::new();
        let ws = meddled(&home, [edit("made")]);
        assert_eq!(without_since(refusal(ws.write(request))), envelope(STALE, expected));
        assert_eq!(home.text("a"), "made");
        assert_eq!(home.rows().len(), 1);
        home.assert_tidy();
    }
}

#[test]
fn an_edit_after_an_append_is_in_the_next_digest() {
    let home = Home::new();
    home.put("a", long());
    // The same length as the file has by then, so that only its times tell.
    let other = format!("{}y\n", "y".repeat(70_001));
    let content = other.clone();
    let ws = meddled(
        &home,
        [
            // What others wrote is made durable before a row names it.
            nothing(),
            nothing(),
            Box::new(move |workspace| std::fs::write(workspace.join("a"), content)),
        ],
    );
    ws.write(append("a", "1\n")).unwrap();
    assert_eq!(home.text("a"), other);
    let receipt = ws.write(append("a", "2\n")).unwrap();
    assert_eq!(receipt.sha256.to_string(), sha(other + "2\n"));
}

/// Gives a staged file that holds "new" other bytes.
fn spoil(with: &'static str) -> Deed {
    Box::new(move |workspace| {
        for entry in std::fs::read_dir(workspace.join(".resilient_write/tmp"))? {
            let path = entry?.path();
            if std::fs::read(&path)? == b"new" {
                std::fs::write(path, with)?;
            }
        }
        Ok(())
    })
}

#[test]
fn content_that_reads_back_differently_is_not_published() {
    for with in ["nEw", "ne", "news", ""] {
        let home = Home::new();
        home.put("a", "abc");
        let ws = meddled(&home, [spoil(with)]);
        assert_eq!(
            home.refused(|| ws.write(overwrite("a", "new"))),
            envelope(
                ["write_corruption", "unknown", "abort"],
                json!({
                    "path": "a", "reason": "read_back_differs", "expected_sha256": sha("new"),
                    "actual_sha256": sha(with), "bytes": with.len(),
                })
            )
        );
        ws.write(overwrite("a", "new")).unwrap();
        assert_eq!(home.rows().len(), 2);
    }
}

#[test]
fn composed_content_that_reads_back_differently_is_not_published() {
    let home = Home::new();
    home.put("a", "abc");
    let parts = home.builder().open();
    for part in ["ne", "w"] {
        parts.chunks().append("s", part.to_owned(), None).unwrap();
    }
    let ws = meddled(&home, [spoil("nEw")]);
    let compose = || ws.compose(composing("a", false)).map(|receipt| receipt.sha256);
    assert_eq!(home.refused(compose)["context"]["actual_sha256"], json!(sha("nEw")));
    assert_eq!(compose().unwrap(), sha("new").parse().unwrap());
}

#[test]
fn a_disk_that_fails_before_the_promise_changes_nothing() {
    let full = ["quota_exceeded", "size_limit", "abort"];
    for (kind, expected) in
        [(io::ErrorKind::StorageFull, full), (io::ErrorKind::PermissionDenied, FORBIDDEN)]
    {
        for call in CALLS {
            let home = Home::new();
            home.put("a", "abc");
            let ws = meddled(&home, [refuse(kind)]);
            let found = home.refused(|| call(&ws));
            let seen =
                ["error", "reason_hint", "suggested_action"].map(|field| found[field].clone());
            assert_eq!(seen, expected.map(Value::from));
            call(&ws).unwrap();
            assert_eq!(home.rows().len(), 2);
        }
    }
}

#[test]
fn a_disk_that_fails_after_the_promise_leaves_an_unknown_outcome() {
    for before in ["abc", &long()] {
        for (at, call) in CALLS.iter().enumerate() {
            let home = Home::new();
            home.put("a", before);
            // An append in place first makes durable what others wrote.
            let in_place = before.len() > 3 && at == 2;
            let ws = if in_place {
                meddled(&home, [nothing(), nothing(), refuse(io::ErrorKind::Other)])
            } else {
                meddled(&home, [nothing(), refuse(io::ErrorKind::Other)])
            };
            let found = refusal(call(&ws));
            assert_eq!(
                (&found["error"], &found["suggested_action"], &found["context"]["outcome"]),
                (&json!("write_corruption"), &json!("retry_later"), &json!("unknown"))
            );
            // Whatever it was, file and journal agree once the next call is through.
            ws.write(create("next", "")).unwrap();
            let rows = home.rows();
            let now = rows.iter().rev().find(|row| row.path == "a");
            let digest = now.map_or(sha(before), |row| row.sha256.to_string());
            assert_eq!(sha(home.read("a")), digest);
            assert_eq!(
                now.map(|row| json!(row.journal_id)),
                Some(found["context"]["journal_id"].clone())
            );
            home.assert_tidy();
        }
    }
}
