//! What an overwrite keeps of a file besides its name: permissions, attributes and other names.
#![cfg(unix)]

use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::thread;

use rustix::fs::{XattrFlags, getxattr, setxattr};
use serde_json::json;

use crate::home::{FORBIDDEN, Home, append, composing, create, envelope, overwrite, replace, sha};

fn mode(home: &Home, name: &str) -> u32 {
    metadata(home.path(name)).unwrap().mode() & 0o7777
}

fn inode(home: &Home, name: &str) -> u64 {
    metadata(home.path(name)).unwrap().ino()
}

#[test]
fn permissions_survive_every_change() {
    let home = Home::new();
    let ws = home.open();
    for (name, bits) in [("run.sh", 0o755), ("secret", 0o600), ("shared", 0o664), ("odd", 0o717)] {
        home.put(name, "one");
        set_permissions(home.path(name), Permissions::from_mode(bits)).unwrap();
        ws.write(overwrite(name, "two")).unwrap();
        assert_eq!(mode(&home, name), bits, "overwrite of {name}");
        ws.replace(replace(name, "two", "three")).unwrap();
        assert_eq!(mode(&home, name), bits, "replace in {name}");
        ws.write(append(name, "four")).unwrap();
        assert_eq!(mode(&home, name), bits, "append to {name}");
        assert_eq!(home.text(name), "threefour");
    }
}

#[test]
fn a_file_that_nobody_may_write_is_refused_unless_the_policy_says_otherwise() {
    let home = Home::new();
    home.put("a.txt", "one");
    set_permissions(home.path("a.txt"), Permissions::from_mode(0o444)).unwrap();
    let ws = home.open();
    let expected = envelope(FORBIDDEN, json!({"path": "a.txt", "reason": "read_only"}));
    assert_eq!(home.refused(|| ws.write(overwrite("a.txt", "two"))), expected);
    assert_eq!(home.refused(|| ws.write(append("a.txt", "two"))), expected);
    assert_eq!(home.refused(|| ws.replace(replace("a.txt", "one", "two"))), expected);
    assert!(ws.write(overwrite("a.txt", "one")).unwrap().unchanged);
    ws.chunks().append("s", "two".to_owned(), None).unwrap();
    assert_eq!(home.refused(|| ws.compose(composing("a.txt", false))), expected);

    home.policy("read_only: overwrite\n");
    ws.write(overwrite("a.txt", "two")).unwrap();
    assert_eq!((home.text("a.txt").as_str(), mode(&home, "a.txt")), ("two", 0o444));
    assert!(ws.write(overwrite("a.txt", "two")).unwrap().unchanged);
}

#[test]
fn a_change_of_owner_that_cannot_be_kept_is_said() {
    let home = Home::new();
    home.put("a.txt", "one");
    let ws = home.open();
    let kept = ws.write(overwrite("a.txt", "two")).unwrap();
    assert_eq!(kept.owner_changed, None);
    // Only a privileged user can give a file away, who can also keep that: so nothing changes here either.
    if chown(home.path("a.txt"), Some(12_345), Some(12_345)).is_ok() {
        let kept = ws.write(overwrite("a.txt", "three")).unwrap();
        assert_eq!(kept.owner_changed, None);
        assert_eq!(metadata(home.path("a.txt")).unwrap().uid(), 12_345);
    }
}

#[test]
fn a_new_file_has_the_group_that_its_directory_hands_down() {
    let home = Home::new();
    home.put("shared/file", "");
    let shared = home.path("shared");
    if let Err(error) = chown(&shared, None, Some(12_345)) {
        println!("skipped: this user cannot give a directory to another group: {error}");
        return;
    }
    set_permissions(&shared, Permissions::from_mode(0o2775)).unwrap();
    let ws = home.open();
    ws.write(create("shared/new", "text")).unwrap();
    ws.write(create("shared/below/new", "text")).unwrap();
    ws.write(create("other", "text")).unwrap();
    let group = |name: &str| metadata(home.path(name)).unwrap().gid();
    let groups = ["shared/new", "shared/below", "shared/below/new"].map(group);
    assert_eq!(groups, [12_345; 3]);
    assert_eq!(group("other"), group("shared/file"));
    assert_eq!(mode(&home, "shared/new"), mode(&home, "shared/file"));
}

#[test]
fn new_files_are_as_any_program_makes_them_and_state_is_private() {
    let home = Home::new();
    home.put("plain/file", "");
    let ws = home.open();
    ws.write(create("made/file", "")).unwrap();
    assert_eq!(mode(&home, "made/file"), mode(&home, "plain/file"));
    assert_eq!(mode(&home, "made"), mode(&home, "plain"));
    let names = [("", 0o700), ("tmp", 0o700), ("journal.jsonl", 0o600), ("lock", 0o600)];
    for (name, bits) in names {
        assert_eq!(mode(&home, &format!(".resilient_write/{name}")), bits, "{name}");
    }
}

#[test]
fn extended_attributes_survive() {
    let home = Home::new();
    home.put("a.txt", "one");
    if setxattr(home.path("a.txt"), "user.origin", b"here", XattrFlags::empty()).is_err() {
        eprintln!("no extended attributes on this file system");
        return;
    }
    let ws = home.open();
    ws.write(overwrite("a.txt", "two")).unwrap();
    ws.replace(replace("a.txt", "two", "three")).unwrap();
    let mut value = [0; 16];
    let len = getxattr(home.path("a.txt"), "user.origin", &mut value).unwrap();
    assert_eq!(&value[..len], b"here");
}

#[test]
fn a_file_with_two_names_is_not_parted() {
    let home = Home::new();
    home.put("a", "abc");
    std::fs::hard_link(home.path("a"), home.path("b")).unwrap();
    let ws = home.open();
    let expected = envelope(
        FORBIDDEN,
        json!({
            "path": "a", "reason": "hard_linked", "links": 2,
        }),
    );
    assert_eq!(home.refused(|| ws.write(overwrite("a", "new"))), expected);
    assert_eq!(home.refused(|| ws.replace(replace("a", "b", "x"))), expected);
    // This would not part it.
    assert!(ws.write(overwrite("a", "abc")).unwrap().unchanged);
    // An append obeys the policy like every other write.
    assert_eq!(home.refused(|| ws.write(append("a", "d"))), expected);
    home.policy("hard_links: in_place\n");
    let receipt = ws.write(append("a", "d")).unwrap();
    assert_eq!(receipt.sha256.to_string(), sha("abcd"));
    assert_eq!((home.text("a").as_str(), home.text("b").as_str()), ("abcd", "abcd"));
    assert_eq!(inode(&home, "a"), inode(&home, "b"));
}

#[test]
fn a_policy_writes_through_to_all_names() {
    let home = Home::new();
    home.policy("hard_links: in_place\n");
    home.put("a", "a long content");
    std::fs::hard_link(home.path("a"), home.path("b")).unwrap();
    let before = inode(&home, "a");
    let ws = home.open();
    for content in ["short", "a much longer content than before", ""] {
        let receipt = ws.write(overwrite("a", content)).unwrap();
        assert_eq!(receipt.sha256.to_string(), sha(content));
        assert_eq!(home.text("b"), content);
    }
    ws.write(append("b", "one two")).unwrap();
    ws.replace(replace("b", "two", "2")).unwrap();
    assert_eq!(home.text("a"), "one 2");
    assert_eq!((inode(&home, "a"), inode(&home, "b")), (before, before));
    home.assert_tidy();
    assert_eq!(home.rows().len(), 5);
}

#[test]
fn appends_by_two_names_do_not_overwrite_each_other() {
    let home = Home::new();
    home.policy("hard_links: in_place\n");
    home.put("a", "");
    std::fs::hard_link(home.path("a"), home.path("b")).unwrap();
    let ws = home.open();
    thread::scope(|scope| {
        for n in 0..8 {
            let ws = &ws;
            scope.spawn(move || {
                for turn in 0..5 {
                    ws.write(append(["a", "b"][n % 2], &format!("{n}:{turn}\n"))).unwrap();
                }
            });
        }
    });
    let text = home.text("a");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let all: Vec<String> = (0..8).flat_map(|n| (0..5).map(move |t| format!("{n}:{t}"))).collect();
    assert_eq!(lines, all);
    assert_eq!(home.rows().last().unwrap().sha256.to_string(), sha(&text));
}

/// A program that runs cannot be written to, which is found when everything is staged.
#[cfg(target_os = "linux")]
#[test]
fn a_write_through_that_fails_leaves_nothing() {
    let home = Home::new();
    home.policy("hard_links: in_place\n");
    std::fs::copy("/bin/sleep", home.path("a")).unwrap();
    std::fs::hard_link(home.path("a"), home.path("b")).unwrap();
    let mut running = std::process::Command::new(home.path("a")).arg("60").spawn().unwrap();
    let ws = home.open();
    let found = home.refused(|| ws.write(overwrite("a", "x")));
    // ETXTBSY
    assert_eq!(found["context"]["errno"], 26);
    running.kill().unwrap();
    running.wait().unwrap();
}
