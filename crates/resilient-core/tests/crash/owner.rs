//! Whom a file belongs to after a write by a user who cannot give it away.

use resilient_core::chunk::ComposeRequest;
use resilient_core::disk::sim::{Attributes, SimDisk};
use resilient_core::form::Asked;
use resilient_core::handoff::HandoffRequest;
use resilient_core::write::{OwnerChange, WriteMode, WriteRequest};

use serde_json::{Value, json};

use crate::workload::{Order, open};

#[test]
fn a_change_of_owner_that_cannot_be_kept_is_said() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    disk.write_file("w/a.txt", b"old");
    let ours = disk.attributes("w/a.txt").expect("the file");
    let ws = open(&disk, 1, Order::Forwards);
    let write = |content: &str| {
        ws.write(WriteRequest {
            path: "a.txt".to_owned(),
            content: content.to_owned(),
            mode: WriteMode::Overwrite,
            expected_prev_sha256: None,
            reject_at: None,
            validate: false,
            form: Asked::default(),
            allow_shrink: false,
        })
        .expect("a receipt")
    };
    assert_eq!(write("ours").owner_changed, None);
    disk.set_attributes("w/a.txt", Attributes { uid: 7, gid: 8, ..ours.clone() });
    let told = OwnerChange { old_user: 7, old_group: 8, new_user: ours.uid, new_group: ours.gid };
    assert_eq!(write("theirs").owner_changed, Some(told));
    assert_eq!(write("ours again").owner_changed, None);
}

#[test]
fn a_change_of_owner_by_a_composed_file_or_a_handoff_is_said_too() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    disk.write_file("w/a.txt", b"old");
    let ours = disk.attributes("w/a.txt").expect("the file");
    let ws = open(&disk, 1, Order::Forwards);
    let give_away =
        || disk.set_attributes("w/a.txt", Attributes { uid: 7, gid: 8, ..ours.clone() });
    let told = OwnerChange { old_user: 7, old_group: 8, new_user: ours.uid, new_group: ours.gid };
    let compose = |content: &str| {
        ws.chunks().write("s", 1, content.to_owned(), None).expect("a receipt");
        let request = ComposeRequest {
            session: "s".to_owned(),
            output_path: "a.txt".to_owned(),
            ..ComposeRequest::default()
        };
        ws.compose(request).expect("a receipt").owner_changed
    };
    assert_eq!(compose("ours"), None);
    give_away();
    assert_eq!(compose("theirs"), Some(told));
    let hand_off = |summary: &str| {
        let envelope = json!({
            "task_id": "t", "status": "partial", "agent": "a", "summary": summary,
            "next_steps": [], "last_good_state": [],
        });
        let Value::Object(envelope) = envelope else { unreachable!("an object") };
        let request = HandoffRequest {
            envelope,
            body: String::new(),
            path: "a.txt".to_owned(),
            // The copy is published beside the handoff, whose owner counts.
            archive: true,
            expected_prev_sha256: None,
            reject_at: None,
            allow_shrink: false,
        };
        ws.write_handoff(request).expect("a receipt").owner_changed
    };
    assert_eq!(hand_off("ours"), None);
    give_away();
    assert_eq!(hand_off("theirs"), Some(told));
}
