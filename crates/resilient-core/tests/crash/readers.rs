//! Tools that only read, as the first call after a crash: none shows what did not happen.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use resilient_core::Workspace;
use resilient_core::chunk::PreviewRequest;
use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Calls, Fault, FaultKind, Model, Schedule, SimDisk};
use resilient_core::disk::{Disk, FixedClock};
use resilient_core::journal::Filter;
use resilient_core::read::{LinesRequest, TailRequest};
use resilient_core::scratch::{Encoding, ListRequest};

use crate::campaign::{Budget, Rig, recover};
use crate::workload::{Order, UPGRADES, all, chosen, create, done, open, scenario};

type Look = fn(&Workspace) -> String;

/// Each reading tool, and its answer as text.
const LOOKS: &[(&str, Look)] = &[
    ("journal_tail", |ws| format!("{:?}", ws.journal_tail(100, &Filter::default()))),
    ("journal verify", |ws| format!("{:?}", ws.verify_journal())),
    ("analytics", |ws| format!("{:?}", ws.analytics(None, None))),
    ("chunk_status", |ws| format!("{:?}", ws.chunks().status("s"))),
    ("chunk_sessions", |ws| format!("{:?}", ws.chunks().sessions())),
    ("chunk_preview", |ws| {
        let request = PreviewRequest { separator: "\n".to_owned(), ..PreviewRequest::of("s") };
        format!("{:?}", ws.chunks().preview(&request))
    }),
    ("scratch_ref", |ws| {
        ["one", "two"]
            .map(|label| format!("{:?}", ws.scratch().reference(None, Some(label))))
            .concat()
    }),
    ("scratch_get", |ws| {
        let digest = resilient_core::digest::Digest::of(b"aside").to_string();
        format!("{:?}", ws.scratch().get(&digest, Encoding::Utf8))
    }),
    ("scratch_list", |ws| {
        let request = ListRequest { label_prefix: None, limit: 100 };
        format!("{:?}", ws.scratch().list(&request))
    }),
    ("checkpoint_list", |ws| format!("{:?}", ws.checkpoints().list())),
    ("checkpoint_read", |ws| format!("{:?}", ws.checkpoints().read("c"))),
    ("handoff_read", |ws| format!("{:?}", ws.read_handoff("HANDOFF.md"))),
];

#[test]
fn the_first_call_after_a_crash_shows_what_recovery_leaves() {
    let budget = Budget::of_environment();
    let mut looked = 0;
    for scenario in all().chain(chosen(UPGRADES)) {
        let rig = Rig::new(scenario, Order::Forwards);
        for at in rig.base..rig.end {
            let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
            let states = disk.crash_states(Model::Strict, budget.states.min(3));
            for lost in states.iter().chain([disk.kill()]) {
                let recovered = lost.kill();
                recover(&recovered, 91).expect("recovery");
                let recovered = open(&recovered, 92, Order::Forwards);
                for (name, look) in LOOKS {
                    let first = look(&open(&lost.kill(), 92, Order::Forwards));
                    assert_eq!(first, look(&recovered), "{name}: {}", rig.place(at));
                    looked += 1;
                }
            }
        }
    }
    assert!(looked > 1000, "{looked}");
}

#[test]
fn a_reader_beside_a_writer_shows_no_row_that_recovery_takes_out_and_does_not_wait() {
    for scenario in all().chain(chosen(UPGRADES)) {
        let rig = Rig::new(scenario, Order::Forwards);
        for at in rig.base..rig.end {
            let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
            let disk = disk.kill();
            let recovered = disk.kill();
            recover(&recovered, 93).expect("recovery");
            let stay = rows(&open(&recovered, 94, Order::Forwards));
            let Ok(state) = disk.open_root(Path::new("/w/.resilient_write")) else { continue };
            let lock = state.open_lock(OsStr::new("lock")).expect("the lock");
            assert!(lock.try_lock().expect("the lock"), "it is free");
            let shown = rows(&open(&disk, 94, Order::Forwards));
            let wrong: Vec<_> = shown.iter().filter(|id| !stay.contains(id)).collect();
            assert!(wrong.is_empty(), "{wrong:?}: {}", rig.place(at));
            assert!(disk.lock_refusals() <= 1, "it waited: {}", rig.place(at));
        }
    }
}

#[test]
fn a_reader_sees_every_answered_row_while_the_journal_is_closed() {
    let builder = |disk: &SimDisk, seed: u64| {
        Workspace::builder("/w")
            .disk(Arc::new(disk.clone()))
            .clock(Arc::new(FixedClock::new(1_790_000_000, seed << 32)))
            .longest_journal(1)
    };
    let (mut calls, mut at) = (1, 0);
    // The writer closes the journal and writes, as a whole, between any two calls of the reader; then in part.
    while at < calls {
        for part in [3, 10, 20, 30, 40, 60, 1000] {
            let disk = SimDisk::new();
            disk.mkdir("w");
            done(create(&builder(&disk, 1).open(), "answered.txt", "1\n"));
            let reads = std::iter::repeat_n(0, at as usize);
            let turns =
                reads.chain(std::iter::repeat_n(1, part)).chain(std::iter::repeat_n(0, 1000));
            let schedule = Schedule::new(turns);
            let reader = builder(&schedule.process(&disk), 2).open();
            let writer = builder(&schedule.process(&disk), 3).open();
            let seen = Mutex::new(Vec::new());
            let read = Box::new(|| *seen.lock().expect("rows") = rows(&reader)) as Calls<'_, ()>;
            let write = Box::new(|| done(create(&writer, "later.txt", "2\n"))) as Calls<'_, ()>;
            schedule.run(vec![read, write]);
            calls = calls.max(schedule.calls().min(60));
            let seen = seen.lock().expect("rows").len();
            assert!(seen >= 1, "at {at}, {part}: {seen} rows");
        }
        at += 1;
    }
}

#[test]
fn a_state_directory_that_may_not_be_written_is_read() {
    let overwrite = all().find(|one| one.name == "overwrite").expect("the scenario");
    let rig = Rig::new(overwrite, Order::Forwards);
    for at in rig.base..rig.end {
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
        let (disk, recovered) = (disk.kill(), disk.kill());
        recover(&recovered, 95).expect("recovery");
        let stay = rows(&open(&recovered, 96, Order::Forwards));
        for path in ["/lock", "/journal.jsonl", "/tmp", ""] {
            let path = format!("w/.resilient_write{path}");
            disk.chmod(&path, if disk.read(&path).is_some() { 0o444 } else { 0o555 });
        }
        let shown = rows(&open(&disk, 96, Order::Forwards));
        assert!(shown.iter().all(|id| stay.contains(id)), "{shown:?}: {}", rig.place(at));
    }
}

/// The rows that a reader is shown.
fn rows(ws: &Workspace) -> Vec<String> {
    let tail = ws.journal_tail(100, &Filter::default()).expect("the tail");
    tail.entries.into_iter().map(|entry| entry.journal_id).collect()
}

/// An older version may be writing there, which a new format would lock out.
#[test]
fn a_tool_that_reads_leaves_a_directory_of_an_older_version_as_it_is() {
    const FORMAT: &str = "w/.resilient_write/format";
    for scenario in chosen(UPGRADES) {
        let (disk, ws) = scenario.begin(Order::Forwards);
        drop(ws);
        let disk = disk.kill();
        let before = (disk.read(FORMAT), disk.read("w/.resilient_write/journal.jsonl"));
        for (name, look) in LOOKS {
            look(&open(&disk, 91, Order::Forwards));
            let after = (disk.read(FORMAT), disk.read("w/.resilient_write/journal.jsonl"));
            assert_eq!(after, before, "{}: {name}", scenario.name);
        }
        done(create(&open(&disk, 92, Order::Forwards), "later.txt", "later\n"));
        assert_eq!(disk.read(FORMAT).as_deref(), Some(&b"2\n"[..]), "{}", scenario.name);
    }
}

/// A process that recovers cuts the journal while another one reads it.
#[test]
fn a_reader_beside_a_recovery_reads_again_what_is_cut_meanwhile() {
    let mut read = 0;
    for (name, line, kind) in [
        ("overwrite", "write w/.resilient_write/journal.jsonl", FaultKind::TornWrite),
        ("append in place", "write w/a.txt", FaultKind::TornWrite),
    ] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let at = rig.ops(|op| op.starts_with(line))[0];
        let (torn, _) = rig.run(&[Fault { at, kind }], |_| {});
        let (mut calls, mut begun) = (5, 4);
        while begun < calls {
            for looks in 12..40 {
                let disk = torn.kill();
                let order = [(0, begun), (1, looks), (0, 1000)];
                let order = order.into_iter().flat_map(|(who, times)| (0..times).map(move |_| who));
                let schedule = Schedule::new(order);
                let recovering = open(&schedule.process(&disk), 96, Order::Forwards);
                let reading = open(&schedule.process(&disk), 97, Order::Forwards);
                let recover = || {
                    recovering.recover().expect("recovery");
                    calls = schedule.calls();
                };
                let look = || {
                    reading.journal_tail(9, &Filter::default()).expect("rows");
                };
                let both: Vec<Calls<'_, ()>> = vec![Box::new(recover), Box::new(look)];
                schedule.run(both);
                read += 1;
            }
            begun += 1;
        }
    }
    assert!(read > 200, "{read}");
}

#[test]
fn all_lines_of_a_file_come_with_its_digest_whenever_somebody_writes_it() {
    type Read = fn(&Workspace) -> (String, Option<Digest>);
    let read: [Read; 2] = [
        |ws| {
            let lines = ws.reader().lines(&LinesRequest::of("a.txt")).expect("lines");
            (lines.content, lines.sha256)
        },
        |ws| {
            let lines = ws.reader().tail(&TailRequest::of("a.txt")).expect("lines");
            (lines.content, lines.sha256)
        },
    ];
    for read in read {
        let (mut calls, mut at) = (1, 0);
        while at < calls {
            let disk = SimDisk::new();
            disk.write_file("w/a.txt", b"old");
            let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1]));
            let ws = open(&schedule.process(&disk), 90, Order::Forwards);
            let other = schedule.process(&disk);
            let reads = Box::new(|| {
                let (content, digest) = read(&ws);
                let text = content.strip_prefix("1|").expect("a line");
                assert_eq!(digest, Some(Digest::of(text.as_bytes())), "at {at}: {text}");
            }) as Calls<'_, ()>;
            schedule.run(vec![reads, Box::new(|| other.edit("w/a.txt", b"new text"))]);
            calls = schedule.calls();
            at += 1;
        }
        assert!(calls > 3, "{calls}");
    }
}
