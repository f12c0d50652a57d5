//! Several processes that want the lock of one workspace, and what happens while one of them waits.
//!
//! Nobody sleeps here: a process that waits asks its clock to pause, and the test then does what
//! the others do.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::disk::{Clock, DirRef, Disk, FixedClock, LockFile, Replace};
use resilient_core::{Cancelled, Error, Workspace};

use crate::campaign::recover;
use crate::oracle::World;
use crate::workload::{Answer, Order, create, done, open};

/// What happens at one pause.
pub type Deed = Box<dyn FnOnce() + Send>;

/// The clock of a process that waits: at each pause, the next deed is done.
pub struct Busy {
    clock: FixedClock,
    deeds: Mutex<VecDeque<Deed>>,
}

impl std::fmt::Debug for Busy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Busy")
    }
}

impl Clock for Busy {
    fn now_ns(&self) -> u128 {
        self.clock.now_ns()
    }

    fn random(&self) -> u64 {
        self.clock.random()
    }

    fn pause(&self, _: Duration) {
        let deed = self.deeds.lock().expect("no panic").pop_front();
        deed.expect("another pause than the test knows of")();
    }
}

impl Busy {
    /// A clock with these deeds, one for each pause.
    pub fn with<const N: usize>(seed: u64, deeds: [Deed; N]) -> Arc<Self> {
        let clock = FixedClock::new(1_790_000_000, seed);
        Arc::new(Self { clock, deeds: Mutex::new(deeds.into_iter().collect()) })
    }
}

/// A process that meets these deeds, one at each of its pauses.
fn waiter<const N: usize>(disk: &SimDisk, seed: u64, deeds: [Deed; N]) -> (Workspace, Arc<Busy>) {
    let clock = Busy::with(seed, deeds);
    let ws = Workspace::builder("/w").disk(Arc::new(disk.clone())).clock(clock.clone()).open();
    (ws, clock)
}

pub fn deeds_left(clock: &Busy) -> usize {
    clock.deeds.lock().expect("no panic").len()
}

fn add(clock: &Busy, deed: impl FnOnce() + Send + 'static) {
    clock.deeds.lock().expect("no panic").push_back(Box::new(deed));
}

fn workspace() -> SimDisk {
    let disk = SimDisk::new();
    disk.mkdir("w");
    done(create(&open(&disk, 1, Order::Forwards), "before.txt", "before\n"));
    disk
}

fn state_dir(disk: &SimDisk) -> DirRef {
    disk.open_root(Path::new("/w/.resilient_write")).expect("the state directory")
}

/// Takes one of the two locks, as another process does.
fn take(disk: &SimDisk, name: &str) -> Arc<dyn LockFile> {
    let lock = state_dir(disk).open_lock(OsStr::new(name)).expect("a lock");
    assert!(lock.try_lock().expect("locks"), "{name} is free");
    lock.into()
}

/// The state directory has all rows, and a power loss takes none of them.
fn assert_rows(disk: &SimDisk, rows: usize) {
    let lost = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
    for disk in [disk.kill(), lost] {
        recover(&disk, 90).expect("recovery");
        assert_eq!(World::of(&disk).expect("a sound journal").rows(), rows);
    }
}

/// A process that has the state directory open already, or one that opens it while it waits.
fn each_kind_of_waiter(
    disk: impl Fn() -> SimDisk,
    test: impl Fn(&SimDisk, Workspace, &Arc<Busy>, usize),
) {
    for is_warm in [false, true] {
        let disk = disk();
        let (ws, clock) = waiter(&disk, 2, []);
        if is_warm {
            done(create(&ws, "warm.txt", "warm\n"));
        }
        test(&disk, ws, &clock, usize::from(is_warm));
    }
}

#[test]
fn a_lock_file_that_is_removed_during_the_wait_is_not_trusted() {
    each_kind_of_waiter(workspace, |disk, ws, clock, warm| {
        let old = take(disk, "lock");
        let new: Arc<Mutex<Option<Arc<dyn LockFile>>>> = Arc::default();
        // Somebody removes the file, a third process locks the new one, and the first one is done.
        add(clock, {
            let (disk, new) = (disk.clone(), new.clone());
            move || {
                disk.unlink("w/.resilient_write/lock");
                *new.lock().expect("no panic") = Some(take(&disk, "lock"));
                old.unlock().expect("locks");
            }
        });
        // A process that has the old file's lock now still has to wait.
        add(clock, {
            let disk = disk.clone();
            move || {
                assert_eq!(disk.read("w/after.txt"), None, "two processes hold the lock");
                let new = new.lock().expect("no panic").take().expect("the new lock");
                new.unlock().expect("locks");
            }
        });
        let answer = create(&ws, "after.txt", "after\n");
        assert_eq!(deeds_left(clock), 0, "{answer:?}");
        done(answer);
        assert_rows(disk, 2 + warm);
    });
}

/// Before, the write was carried out as soon as it had the lock, although its client had forgotten it. Then it was not, but
/// the call waited on, and held up those of other clients.
#[test]
fn a_write_that_is_cancelled_during_the_wait_is_not_made() {
    each_kind_of_waiter(workspace, |disk, ws, clock, warm| {
        let held = take(disk, "lock");
        let stop = Arc::new(AtomicBool::new(false));
        add(clock, {
            let stop = stop.clone();
            move || stop.store(true, Ordering::Relaxed)
        });
        // It does not wait until the lock is free.
        add(clock, || {});
        let asked = Cancelled::when(move || stop.load(Ordering::Relaxed));
        let answer = create(&ws.unless(asked), "after.txt", "after\n");
        assert!(matches!(answer, Answer::Refused(Error::Cancelled)), "{answer:?}");
        assert_eq!((deeds_left(clock), disk.read("w/after.txt")), (1, None));
        held.unlock().expect("locks");
        done(create(&ws, "next.txt", "next\n"));
        assert_rows(disk, 2 + warm);
    });
}

#[test]
fn a_state_directory_that_is_moved_away_during_the_wait_gets_no_row() {
    each_kind_of_waiter(workspace, |disk, ws, clock, warm| {
        let held = take(disk, "lock");
        add(clock, {
            let disk = disk.clone();
            move || {
                let home = disk.open_root(Path::new("/w")).expect("the workspace");
                let (name, away) = (OsStr::new(".resilient_write"), OsStr::new("away"));
                home.rename(name, &*home, away, Replace::Yes).expect("a rename");
                held.unlock().expect("locks");
            }
        });
        if warm == 0 {
            // Who opens the state directory tells only after a pause that it has to open it anew.
            add(clock, || {});
        }
        let rows = |disk: &SimDisk, path: &str| {
            let journal = disk.read(path).unwrap_or_default();
            journal.iter().filter(|byte| **byte == b'\n').count()
        };
        done(create(&ws, "after.txt", "after\n"));
        assert_eq!(rows(disk, "w/away/journal.jsonl"), 1 + warm);
        assert_eq!(rows(disk, "w/.resilient_write/journal.jsonl"), 1);
        assert_eq!(deeds_left(clock), 0);
    });
}

#[test]
fn a_journal_that_is_replaced_during_the_wait_is_opened_anew() {
    each_kind_of_waiter(workspace, |disk, ws, clock, warm| {
        let held = take(disk, "lock");
        add(clock, {
            let disk = disk.clone();
            move || {
                let path = "w/.resilient_write/journal.jsonl";
                let rows = disk.read(path).expect("a journal");
                disk.unlink(path);
                disk.write_file(path, &rows);
                held.unlock().expect("locks");
            }
        });
        done(create(&ws, "after.txt", "after\n"));
        assert_rows(disk, 2 + warm);
    });
}

/// The clock of a process that waits in vain.
#[derive(Debug)]
pub struct Patient(pub FixedClock);

impl Clock for Patient {
    fn now_ns(&self) -> u128 {
        self.0.now_ns()
    }

    fn random(&self) -> u64 {
        self.0.random()
    }

    fn pause(&self, _: Duration) {}
}

#[test]
fn a_lock_that_is_never_given_back_is_not_waited_for_without_end() {
    for with_turn in [false, true] {
        let disk = workspace();
        let turn = with_turn.then(|| take(&disk, "waiting"));
        let held = take(&disk, "lock");
        let ws = patient(&disk);
        let answer = create(&ws, "after.txt", "after\n");
        assert!(matches!(answer.error(), Some(Error::Locked { .. })), "{answer:?}");
        assert_eq!(disk.read("w/after.txt"), None);
        assert!(matches!(ws.probe(), Err(Error::Locked { .. })));
        drop((turn, held));
        ws.probe().expect("the lock is free");
        done(create(&ws, "after.txt", "after\n"));
    }
}

fn patient(disk: &SimDisk) -> Workspace {
    let clock = Arc::new(Patient(FixedClock::new(1_790_000_000, 2)));
    Workspace::builder("/w").disk(Arc::new(disk.clone())).clock(clock).open()
}

#[test]
fn a_process_that_is_stopped_while_it_waits_holds_up_others_for_a_moment_only() {
    let disk = workspace();
    // It has its turn, and does not take the lock.
    let _turn = take(&disk, "waiting");
    let ws = patient(&disk);
    for name in ["one.txt", "two.txt"] {
        done(create(&ws, name, "after\n"));
    }
    // The lock was given back each time.
    drop(take(&disk, "lock"));
    assert_rows(&disk, 3);
}

#[test]
fn who_waits_holds_the_turnstile_until_it_has_the_lock() {
    each_kind_of_waiter(workspace, |disk, ws, clock, _| {
        let held = take(disk, "lock");
        add(clock, {
            let disk = disk.clone();
            move || {
                let waiting = state_dir(&disk).open_lock(OsStr::new("waiting")).expect("a lock");
                assert!(!waiting.try_lock().expect("locks"), "nobody can pass the one who waits");
                held.unlock().expect("locks");
            }
        });
        done(create(&ws, "after.txt", "after\n"));
        assert_eq!(deeds_left(clock), 0);
        drop((take(disk, "waiting"), take(disk, "lock")));
    });
}

#[test]
fn a_busy_process_lets_the_one_that_waits_go_first() {
    each_kind_of_waiter(workspace, |disk, ws, clock, warm| {
        // Somebody waits, and the lock is free.
        let waiting = take(disk, "waiting");
        add(clock, {
            let disk = disk.clone();
            move || {
                assert_eq!(disk.read("w/after.txt"), None, "it overtook the one that waits");
                let lock = take(&disk, "lock");
                waiting.unlock().expect("locks");
                lock.unlock().expect("locks");
            }
        });
        done(create(&ws, "after.txt", "after\n"));
        assert_eq!(deeds_left(clock), 0);
        assert_rows(disk, 2 + warm);
    });
}

#[test]
fn a_process_that_dies_while_it_waits_holds_up_nobody() {
    let disk = workspace();
    drop(take(&disk, "waiting"));
    let answer: Answer = create(&waiter(&disk, 2, []).0, "after.txt", "after\n");
    done(answer);
}

/// The names in `tmp/`.
fn staging(disk: &SimDisk) -> Vec<String> {
    let inside = |path: String| path.strip_prefix("w/.resilient_write/tmp/").map(str::to_owned);
    disk.tree().into_keys().filter_map(inside).collect()
}

#[test]
fn a_process_that_starts_takes_no_slot_from_one_that_lives() {
    let disk = workspace();
    let server = open(&disk, 2, Order::Forwards);
    done(create(&server, "one.txt", "1\n"));
    let kept = staging(&disk);
    assert!(kept.len() > 8, "{kept:?}");
    // Something that nobody needs makes the next one look around; it is asked to recover as well.
    disk.write_file("w/.resilient_write/tmp/s-1", b"litter");
    let other = open(&disk, 3, Order::Forwards);
    other.recover().expect("recovery");
    let now = staging(&disk);
    assert!(kept.iter().all(|name| now.contains(name)), "{kept:?}\n{now:?}");
    assert!(!now.contains(&"s-1".to_owned()));
    drop(other);
    assert_eq!(staging(&disk), kept, "who ends leaves no slot behind");
    // The server makes no new ones.
    done(create(&server, "two.txt", "2\n"));
    assert_eq!(staging(&disk).len(), kept.len() - 1);
    drop(server);
    assert_eq!(staging(&disk), [""; 0]);
}

#[test]
fn the_slots_of_a_process_that_died_are_swept_by_recovery() {
    let disk = workspace();
    let server = open(&disk, 2, Order::Forwards);
    done(create(&server, "one.txt", "1\n"));
    let killed = disk.kill();
    assert!(!staging(&killed).is_empty());
    let other = open(&killed, 3, Order::Forwards);
    other.recover().expect("recovery");
    drop(other);
    assert_eq!(staging(&killed), [""; 0]);
}

#[test]
fn a_slot_that_goes_during_a_sweep_is_no_error() {
    // A process that ends at the same time removes its slots without the lock.
    let disk = workspace();
    disk.write_file("w/.resilient_write/tmp/s-1", b"litter");
    let ops = disk.ops();
    open(&disk.kill(), 3, Order::Forwards).recover().expect("recovery");
    let killed = disk.kill();
    let ws = open(&killed, 3, Order::Forwards);
    ws.recover().expect("recovery");
    let trace = killed.trace();
    let at = (0..).zip(&trace).find(|(_, line)| line.contains("remove") && line.ends_with("/s-1"));
    let (at, _) = at.expect("a removal");
    let again = disk.kill();
    let kind = FaultKind::Io { errno: 2, sticky: false };
    again.plan(Fault { at, kind });
    open(&again, 3, Order::Forwards).recover().expect("a sweep goes on");
    assert_eq!(disk.ops(), ops);
}

/// What the first writes of a process cost, in syncs, and what they do besides.
fn first_two(disk: &SimDisk, seed: u64) -> (u64, u64, Vec<String>) {
    let ws = open(disk, seed, Order::Forwards);
    let (ops, start) = (disk.ops() as usize, disk.syncs());
    done(create(&ws, &format!("first-{seed}.txt"), "1\n"));
    let trace = disk.trace()[ops..].to_vec();
    let first = disk.syncs();
    done(create(&ws, &format!("second-{seed}.txt"), "2\n"));
    std::mem::forget(ws);
    (first - start, disk.syncs() - first, trace)
}

#[test]
fn the_first_write_of_a_process_costs_two_syncs_more_than_the_second() {
    let disk = workspace();
    // After one that ended, beside one that lives, and after one that was killed.
    let living = open(&disk, 2, Order::Forwards);
    done(create(&living, "living.txt", "1\n"));
    for (disk, seed) in [(disk.clone(), 3), (disk.clone(), 4), (disk.kill(), 5)] {
        let (first, second, trace) = first_two(&disk, seed);
        assert!(first <= second + 2, "{first} and {second} syncs\n{}", trace.join("\n"));
        assert!(!trace.iter().any(|line| line.starts_with("remove")), "{}", trace.join("\n"));
        let rewritten = trace.iter().filter(|line| line.starts_with("write"));
        // The content, its row, the note that all is done.
        assert_eq!(rewritten.count(), 3, "{}", trace.join("\n"));
    }
}

#[test]
fn a_note_in_a_copy_of_the_state_directory_is_not_trusted() {
    let disk = workspace();
    let copy = SimDisk::new();
    copy.mkdir("w");
    for (path, bytes) in disk.tree() {
        copy.edit(&path, &bytes);
    }
    // A missing `tmp/` would be noticed by itself.
    copy.edit("w/.resilient_write/tmp/s-1", b"");
    // Nothing of the copy is durable, until its first write is answered.
    let ws = open(&copy, 3, Order::Forwards);
    done(create(&ws, "after.txt", "after\n"));
    let lost = copy.crash_states(Model::Strict, 1).get(0).expect("a state");
    recover(&lost, 90).expect("recovery");
    assert_eq!(lost.read("w/after.txt"), Some(b"after\n".to_vec()));
    assert_eq!(World::of(&lost).expect("a sound journal").rows(), 2);
}

#[test]
fn a_state_directory_that_was_moved_is_durable_before_an_answer() {
    let disk = workspace();
    let home = disk.open_root(Path::new("/w")).expect("the workspace");
    let (name, away) = (OsStr::new(".resilient_write"), OsStr::new("away"));
    home.rename(name, &*home, away, Replace::Yes).expect("a rename");
    home.sync().expect("a sync");
    home.rename(away, &*home, name, Replace::Yes).expect("a rename");
    // The workspace is elsewhere, so that nothing else asks for a sync of this directory.
    disk.mkdir("v");
    let ws = Workspace::builder("/v").state("/w").disk(Arc::new(disk.clone()));
    let ws = ws.clock(Arc::new(FixedClock::new(1_790_000_000, 3))).open();
    done(create(&ws, "after.txt", "after\n"));
    let lost = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
    let journal = lost.read("w/.resilient_write/journal.jsonl").expect("the journal");
    assert_eq!(journal.iter().filter(|byte| **byte == b'\n').count(), 2);
}
