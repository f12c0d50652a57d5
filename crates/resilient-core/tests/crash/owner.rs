//! Whom a file belongs to after a write by a user who cannot give it away.

use resilient_core::disk::sim::{Attributes, SimDisk};
use resilient_core::form::Asked;
use resilient_core::write::{OwnerChange, WriteMode, WriteRequest};

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
