//! Systems that have no rename without replacing: they link, and remove the old name then. Between
//! the two the file has both names.

use std::time::Instant;

use resilient_core::disk::sim::{Fault, FaultKind};

use crate::campaign::{Budget, Rig, Tally, crash_everywhere, is_publish, recover};
use crate::oracle::World;
use crate::workload::{Answer, Order, Scenario, all, create, open};

const EIO: i32 = 5;

fn scenario() -> Scenario {
    all().find(|scenario| scenario.name == "create").expect("a scenario")
}

/// The operation that publishes the file.
fn publishing(rig: &Rig) -> u64 {
    rig.ops(|line| is_publish(line) && line.contains("-> w/a.txt"))[0]
}

#[test]
fn a_link_whose_old_name_stays_survives_every_crash() {
    let begun = Instant::now();
    let plain = Rig::new(scenario(), Order::Forwards);
    let trouble = Fault { at: publishing(&plain), kind: FaultKind::LinkOnly { errno: EIO } };
    let rig = Rig::new(scenario(), Order::Forwards).with_trouble(trouble);
    let (disk, answers) = rig.run(&[], |_| {});
    assert!(answers[0].is_done(), "a file that is published goes forward only: {answers:?}");
    assert!(disk.tree().keys().all(|path| !disk.read(path).is_some_and(|bytes| {
        path.starts_with("w/.resilient_write/tmp/") && !bytes.is_empty()
    })));
    let mut tally = Tally::default();
    tally.add(crash_everywhere(&rig, Budget::of_environment()));
    tally.finish("links", begun);
}

#[test]
fn a_link_whose_old_name_cannot_be_removed_is_no_refusal() {
    let plain = Rig::new(scenario(), Order::Forwards);
    let at = publishing(&plain);
    let (disk, ws) = plain.begin();
    disk.plan(Fault { at, kind: FaultKind::LinkOnly { errno: EIO } });
    // Neither the sync before the removal nor the removal works.
    disk.plan(Fault { at: at + 2, kind: FaultKind::Io { errno: EIO, sticky: false } });
    let answers = plain.scenario.act(&ws);
    assert!(matches!(answers[0], Answer::Unknown(_)), "{answers:?}");
    // An editor changes the file in place, and with it what the slot's name leads to.
    let killed = disk.kill();
    killed.edit("w/a.txt", b"an editor's\n");
    recover(&killed, 71).expect("recovery");
    assert_eq!(killed.read("w/a.txt"), Some(b"an editor's\n".to_vec()));
    assert_eq!(World::of(&killed).expect("a sound journal").rows(), 2, "its row stays");
    // The same process goes on.
    assert!(create(&ws, "later.txt", "later\n").is_done());
    assert_eq!(World::of(&disk).expect("a sound journal").rows(), 3);
    let later = open(&disk, 72, Order::Forwards);
    assert!(create(&later, "latest.txt", "latest\n").is_done());
}
