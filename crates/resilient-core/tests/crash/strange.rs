//! What somebody has put into the state directory in the place of our files: nothing outside is written through it,
//! and a refusal names it.

use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Fault, FaultKind, SimDisk};
use resilient_core::{Error, Workspace};

use crate::campaign::{Rig, recover};
use crate::workload::{Answer, Order, create, done, keep, open, scenario};

const STATE: &str = "w/.resilient_write";
const OUTSIDE: &str = "o/outside";

/// A state directory that has been written, and is nobody's at the moment.
fn used() -> SimDisk {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "warm.txt", "warm\n"));
    done(keep(&ws, "aside", "one"));
    drop(ws);
    disk.kill()
}

fn is_foreign(answer: &Answer, name: &str) -> bool {
    matches!(answer, Answer::Refused(Error::ForeignState { path, .. }) if *path == format!(".resilient_write/{name}"))
}

type Call = fn(&Workspace) -> Answer;

#[test]
fn a_hard_link_in_the_place_of_a_file_of_the_state_reaches_no_file_outside() {
    let write: Call = |ws| create(ws, "a.txt", "a\n");
    let put: Call = |ws| keep(ws, "more aside", "two");
    let files: [(&str, &[u8], Call, bool); 7] = [
        ("lock", b"outside\n", write, true),
        ("journal.jsonl", b"outside", write, true),
        ("format", b"outside\n", write, true),
        ("format", b"", write, true),
        // A program that saves room gives equal files one content.
        ("format", b"2\n", write, false),
        (".gitignore", b"", write, false),
        ("scratch/index.jsonl", b"outside", put, true),
    ];
    for (name, content, call, is_refused) in files {
        let disk = used();
        let file = format!("{STATE}/{name}");
        disk.unlink(&file);
        disk.write_file(OUTSIDE, content);
        disk.hard_link(OUTSIDE, &file);
        let ws = open(&disk, 2, Order::Forwards);
        let answer = call(&ws);
        assert_eq!(is_foreign(&answer, name), is_refused, "{name}: {answer:?}");
        assert!(is_refused || answer.is_done(), "{name}: {answer:?}");
        assert!(!format!("{answer:?}").contains("outside"), "{name}: {answer:?}");
        let _ = recover(&disk, 3);
        assert_eq!(disk.read(OUTSIDE).as_deref(), Some(content), "{name}");
        if is_refused && name != "format" {
            // A copy in its place is ours.
            disk.unlink(&file);
            disk.write_file(&file, content);
            let answer = call(&ws);
            assert!(answer.is_done(), "{name}: {answer:?}");
        }
    }
}

#[test]
fn recovery_reaches_no_file_outside_through_a_hard_link() {
    // The line of the last put is gone, and the index is a file outside.
    let disk = used();
    let index = format!("{STATE}/scratch/index.jsonl");
    disk.unlink(&format!("{STATE}/lock"));
    disk.unlink(&index);
    disk.write_file(OUTSIDE, b"");
    disk.hard_link(OUTSIDE, &index);
    let report = open(&disk, 2, Order::Forwards).recover().expect("recovery");
    assert!(report.pending[0].reason.contains("another name"), "{report:?}");
    assert_eq!(disk.read(OUTSIDE).as_deref(), Some(&b""[..]));
    // The file in which a row is kept until it has its name.
    let rig = Rig::new(scenario("overwrite through hard links"), Order::Forwards);
    let publishes = rig.ops(|line| line.starts_with("write w/b.txt "));
    let fault = Fault { at: publishes[0], kind: FaultKind::PowerCut };
    let (disk, _) = rig.run(&[fault], |_| {});
    let disk = disk.kill();
    disk.chmod("w/a.txt", 0o000);
    disk.mkdir(&format!("{STATE}/pending"));
    disk.write_file(OUTSIDE, b"outside\n");
    disk.hard_link(OUTSIDE, &format!("{STATE}/pending/keeping"));
    let report = open(&disk, 2, Order::Forwards).recover().expect("recovery");
    assert_eq!(report.pending.len(), 1, "{report:?}");
    assert_eq!(disk.read(OUTSIDE).as_deref(), Some(&b"outside\n"[..]));
}

/// A journal and slots that came with a stranger's repository, and a file of it that has a name outside, as those of a
/// store of packages have. The rows say that a write of it was interrupted.
#[test]
fn a_row_of_a_stranger_changes_no_file_outside_through_a_hard_link() {
    const TEXT: &[u8] = b"a file of a store of packages\n";
    // Each byte of the file is one of the two slots'.
    let (new, old) = (b"a file of a store of packagez\n", b"a FILE OF A STORE OF PACKAGEs\n");
    let sector = &Digest::of(&TEXT[4..]).to_string()[..8];
    let row = |fields: String| {
        format!(
            "{{\"abs_path\":\"/w/a.txt\",\"batch\":1,\"caller\":\"x\",\"journal_id\":\"wj_1\",\
             \"path\":\"a.txt\",\"seq\":1,\"ts\":\"2026-11-21T10:00:00Z\",{fields}}}\n"
        )
    };
    let through_names = row(format!(
        "\"bytes\":30,\"mode\":\"overwrite\",\"prev_sha256\":\"{}\",\"sha256\":\"{}\",\
         \"staged\":\"s-1\",\"undo\":\"s-2\"",
        Digest::of(old),
        Digest::of(new),
    ));
    let append = row(format!(
        "\"at\":4,\"bytes\":30,\"mode\":\"append\",\"prev_sha256\":\"{}\",\"sectors\":\"{sector}\",\
         \"sha256\":\"{}\"",
        Digest::of(&TEXT[..4]),
        Digest::of(new),
    ));
    for journal in [through_names, append] {
        // What recovery does depends on the operator's policy, not on one that came along.
        for (is_permitted, policy) in
            [(false, "w/.resilient_write/policy.yaml"), (true, "etc/policy.yaml")]
        {
            let disk = SimDisk::new();
            disk.write_file(OUTSIDE, TEXT);
            disk.write_file("w/.resilient_write/journal.jsonl", journal.as_bytes());
            disk.write_file("w/.resilient_write/tmp/s-1", new);
            disk.write_file("w/.resilient_write/tmp/s-2", old);
            disk.write_file(policy, b"hard_links: in_place\n");
            disk.hard_link(OUTSIDE, "w/a.txt");
            let ws = Workspace::builder("/w")
                .disk(std::sync::Arc::new(disk.clone()))
                .policy_file(format!("/{policy}"))
                .open();
            let report = ws.recover().expect("recovery");
            assert_eq!(report.pending.is_empty(), is_permitted, "{report:?}");
            assert_eq!(disk.read(OUTSIDE).as_deref() == Some(TEXT), !is_permitted, "{report:?}");
            if !is_permitted {
                assert!(report.pending[0].reason.contains("several names"), "{report:?}");
                ws.abandon_pending().expect("recovery");
                assert_eq!(disk.read(OUTSIDE).as_deref(), Some(TEXT));
            }
        }
    }
}

#[test]
fn something_of_another_kind_in_the_state_directory_is_named() {
    type Make = fn(&SimDisk, &str);
    let kinds: [(&str, Make); 2] = [
        ("directory", |disk, path| disk.mkdir(path)),
        ("link", |disk, path| disk.symlink(path, "elsewhere")),
    ];
    let names = ["lock", "waiting", "journal.jsonl", "format"];
    for ((kind, make), name) in kinds.into_iter().flat_map(|kind| names.map(|name| (kind, name))) {
        let disk = used();
        let path = format!("{STATE}/{name}");
        disk.unlink(&path);
        make(&disk, &path);
        let answer = create(&open(&disk, 2, Order::Forwards), "a.txt", "a\n");
        assert!(is_foreign(&answer, name), "{kind} {name}: {answer:?}");
    }
    let disk = SimDisk::new();
    disk.write_file(&format!("{STATE}/tmp"), b"");
    let answer = create(&open(&disk, 2, Order::Forwards), "a.txt", "a\n");
    assert!(is_foreign(&answer, "tmp"), "{answer:?}");
}

#[test]
fn a_session_that_cannot_be_read_is_listed() {
    let disk = used();
    let ws = open(&disk, 2, Order::Forwards);
    for session in ["s", "t"] {
        ws.chunks().append(session, "one".to_owned(), Some(1)).expect("a part");
    }
    disk.chmod(&format!("{STATE}/chunks/s"), 0o000);
    disk.write_file(&format!("{STATE}/chunks/file"), b"no session");
    let found = ws.chunks().sessions().expect("a list");
    let mut found: Vec<_> =
        found.sessions.into_iter().map(|one| (one.session, one.damaged)).collect();
    found.sort();
    assert_eq!(found, [("s".to_owned(), true), ("t".to_owned(), false)]);
}
