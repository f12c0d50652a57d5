//! Paths in `.git` under a policy that the operator keeps outside of the state directory, and under one in it.

use std::sync::Arc;

use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::{Fault, FaultKind, SimDisk};
use resilient_core::{Error, Workspace};

use crate::campaign::is_publish;
use crate::workload::{Answer, append, composing, create, done, large, overwrite};

const OPERATORS: &str = "etc/policy.yaml";
const STATES: &str = "w/.resilient_write/policy.yaml";
const OPEN: &[u8] = b"allow_git_writes: true\n";
const CLOSED: &[u8] = b"allow_git_writes: false\n";

/// A repository.
fn begin() -> SimDisk {
    let disk = SimDisk::new();
    disk.set_sector(512);
    disk.write_file("w/.git/config", b"[core]\n");
    disk.write_file("w/.git/log", large().as_bytes());
    disk.write_file(OPERATORS, b"version: 1\n");
    disk
}

/// A workspace with that policy file, if one is named.
fn open(disk: &SimDisk, policy: Option<&str>, seed: u64) -> Workspace {
    let builder = Workspace::builder("/w")
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1_790_000_000, seed << 32)));
    match policy {
        Some(policy) => builder.policy_file(policy).open(),
        None => builder.open(),
    }
}

fn operators(disk: &SimDisk, seed: u64) -> Workspace {
    open(disk, Some("/etc/policy.yaml"), seed)
}

/// Every way of writing into `.git`.
fn writes(ws: &Workspace) -> Vec<Answer> {
    ws.chunks().append("s", "composed\n".to_owned(), None).expect("a part");
    vec![
        create(ws, ".git/info/exclude", "*.o\n"),
        overwrite(ws, ".git/config", "[user]\n"),
        append(ws, ".git/config", "[alias]\n"),
        append(ws, ".git/log", "more\n"),
        Answer::of(ws.compose(composing(".git/composed", false)), |receipt| {
            Some(receipt.journal_id)
        }),
    ]
}

fn of_git(disk: &SimDisk) -> Vec<(String, Vec<u8>)> {
    disk.tree().into_iter().filter(|(path, _)| path.starts_with("w/.git/")).collect()
}

#[test]
fn the_policy_in_force_opens_and_closes_git_for_every_write() {
    for (operators_policy, states_policy, is_open) in [
        (Some(OPEN), None, true),
        (Some(OPEN), Some(CLOSED), true),
        (Some(CLOSED), Some(OPEN), false),
        (Some(&b"version: 1\n"[..]), Some(OPEN), false),
        (None, Some(OPEN), true),
        (None, Some(CLOSED), false),
        (None, None, false),
    ] {
        let disk = begin();
        if let Some(policy) = states_policy {
            disk.write_file(STATES, policy);
        }
        if let Some(policy) = operators_policy {
            disk.write_file(OPERATORS, policy);
        }
        let before = of_git(&disk);
        let ws = open(&disk, operators_policy.map(|_| "/etc/policy.yaml"), 1);
        for answer in writes(&ws) {
            if is_open {
                done(answer);
            } else {
                let is_refused = matches!(answer, Answer::Refused(Error::ProtectedPath { .. }));
                assert!(is_refused, "{answer:?}");
            }
        }
        assert_eq!(of_git(&disk) != before, is_open);
    }
}

/// What else the policy says of files holds in `.git`, too.
#[test]
fn links_and_files_that_nobody_may_write_obey_the_policy_in_git() {
    let begin = |more: &str| {
        let disk = begin();
        disk.hard_link("w/.git/config", "w/.git/second");
        disk.write_file("w/.git/fixed", b"fixed\n");
        disk.chmod("w/.git/fixed", 0o444);
        disk.write_file(OPERATORS, format!("allow_git_writes: true\n{more}").as_bytes());
        disk
    };
    let disk = begin("");
    let ws = operators(&disk, 1);
    let before = of_git(&disk);
    for path in [".git/config", ".git/fixed"] {
        let refused = overwrite(&ws, path, "new\n");
        assert!(matches!(refused, Answer::Refused(_)), "{refused:?}");
    }
    assert_eq!(of_git(&disk), before);
    let disk = begin("hard_links: in_place\nread_only: overwrite\n");
    let ws = operators(&disk, 1);
    done(overwrite(&ws, ".git/config", "new\n"));
    done(overwrite(&ws, ".git/fixed", "new\n"));
    assert_eq!(disk.read("w/.git/second"), Some(b"new\n".to_vec()));
    assert_eq!(disk.read("w/.git/fixed"), Some(b"new\n".to_vec()));
}

/// Overwrites `.git/config`, and appends to `.git/log` where it is; killed right before, or within.
fn interrupted(policy: &[u8]) -> Vec<(SimDisk, &'static str)> {
    type Call = fn(&Workspace) -> Answer;
    let calls: [(&str, Call); 2] = [
        (".git/config", |ws| overwrite(ws, ".git/config", "[user]\n")),
        (".git/log", |ws| append(ws, ".git/log", &"more and more\n".repeat(100))),
    ];
    let run = |fault: Option<Fault>, call: Call| {
        let disk = begin();
        disk.write_file(OPERATORS, policy);
        let ws = operators(&disk, 1);
        done(create(&ws, "warm.txt", "warm\n"));
        fault.into_iter().for_each(|fault| disk.plan(fault));
        let _ = call(&ws);
        disk
    };
    let killed = |(path, call): (&'static str, Call)| {
        let is_change = |line: &&String| {
            is_publish(line) && line.contains(path) || line.starts_with(&format!("write w/{path}"))
        };
        let trace = run(None, call).trace();
        let at = trace.iter().position(|line| is_change(&line)).expect("a change") as u64;
        (run(Some(Fault { at, kind: FaultKind::TornWrite }), call).kill(), path)
    };
    calls.map(killed).into()
}

#[test]
fn recovery_finishes_in_git_what_the_policy_of_the_operator_permits_at_that_time() {
    type Open = fn(&SimDisk) -> Workspace;
    for (disk, path) in interrupted(OPEN) {
        let before = of_git(&disk);
        let policies: [(&str, Open); 8] = [
            ("closed", |disk| {
                disk.write_file(OPERATORS, CLOSED);
                operators(disk, 2)
            }),
            ("without a word", |disk| {
                disk.write_file(OPERATORS, b"version: 1\n");
                operators(disk, 2)
            }),
            ("not to be used", |disk| {
                disk.write_file(OPERATORS, b"allow_git_writes: [\n");
                operators(disk, 2)
            }),
            ("not there", |disk| open(disk, Some("/etc/none.yaml"), 2)),
            ("in the state directory", |disk| {
                disk.write_file(STATES, OPEN);
                open(disk, None, 2)
            }),
            ("in the state directory, and named by a link to it", |disk| {
                disk.write_file(STATES, OPEN);
                disk.symlink("etc/linked.yaml", "/w/.resilient_write/policy.yaml");
                open(disk, Some("/etc/linked.yaml"), 2)
            }),
            ("in the state directory, and named through a link", |disk| {
                disk.write_file(STATES, OPEN);
                disk.symlink("etc/linked", "/w/.resilient_write");
                open(disk, Some("/etc/linked/policy.yaml"), 2)
            }),
            ("in the state directory, and named", |disk| {
                disk.write_file(STATES, OPEN);
                open(disk, Some(".git/../.resilient_write/policy.yaml"), 2)
            }),
        ];
        for (what, ws) in policies {
            let disk = disk.kill();
            let report = ws(&disk).recover().expect("recovery");
            assert_eq!(report.pending.len(), 1, "{path}, {what}: {report:?}");
            assert_eq!(of_git(&disk), before, "{path}, {what}");
            // It waits for the operator.
            disk.write_file(OPERATORS, OPEN);
            let ws = operators(&disk, 3);
            let report = ws.recover().expect("recovery");
            assert_eq!(report.pending.len(), 0, "{path}, {what}: {report:?}");
            let config = disk.read("w/.git/config").expect("the file");
            let log = disk.read("w/.git/log").expect("the file");
            let is_log = path == ".git/log";
            assert_eq!(config == b"[user]\n", !is_log, "{what}");
            assert!(log == large().into_bytes(), "{path}, {what}: a part of the append is there");
            done(overwrite(&ws, path, "newer\n"));
        }
    }
}
