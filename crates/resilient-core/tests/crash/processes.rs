//! Two processes on one workspace, of which one is killed while the other lives on.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use resilient_core::Workspace;
use resilient_core::disk::sim::{Calls, Fault, FaultKind, Model, Schedule, SimDisk};
use resilient_core::disk::{
    Access, Dir, DirRef, Disk, File, FileBox, FileSystem, FixedClock, LockFile, Replace, Rights,
    Stat,
};

use crate::campaign::{Budget, Rig, Tally, is_publish, recover};
use crate::oracle::Expected;
use crate::workload::{
    Answer, Order, all, append, create, done, open, open_on, overwrite, together,
};

/// How many more operations that change something a process lives.
type Life = Arc<AtomicI64>;

fn spend(life: &Life) -> io::Result<()> {
    if life.fetch_sub(1, Ordering::Relaxed) > 0 { Ok(()) } else { Err(io::Error::other("killed")) }
}

fn alive(life: &Life) -> io::Result<()> {
    if life.load(Ordering::Relaxed) > 0 { Ok(()) } else { Err(io::Error::other("killed")) }
}

/// The disk as one process uses it until it is killed.
#[derive(Debug)]
struct Mortal<T>(T, Life);

impl Disk for Mortal<SimDisk> {
    fn open_root(&self, path: &Path) -> io::Result<DirRef> {
        alive(&self.1)?;
        Ok(Arc::new(Mortal(self.0.open_root(path)?, self.1.clone())))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        alive(&self.1)?;
        self.0.stat(path)
    }
}

impl Mortal<DirRef> {
    fn file(&self, file: io::Result<FileBox>) -> io::Result<FileBox> {
        Ok(Box::new(Mortal(file?, self.1.clone())))
    }
}

impl Dir for Mortal<DirRef> {
    fn open_dir(&self, name: &OsStr) -> io::Result<DirRef> {
        alive(&self.1)?;
        Ok(Arc::new(Self(self.0.open_dir(name)?, self.1.clone())))
    }

    fn open_beneath(&self, names: &[OsString]) -> io::Result<DirRef> {
        alive(&self.1)?;
        Ok(Arc::new(Self(self.0.open_beneath(names)?, self.1.clone())))
    }

    fn open(&self, name: &OsStr) -> io::Result<FileBox> {
        alive(&self.1)?;
        self.file(self.0.open(name))
    }

    fn open_write(&self, name: &OsStr) -> io::Result<FileBox> {
        alive(&self.1)?;
        self.file(self.0.open_write(name))
    }

    fn create_new(&self, name: &OsStr, access: Access) -> io::Result<FileBox> {
        spend(&self.1)?;
        self.file(self.0.create_new(name, access))
    }

    fn create_dir(&self, name: &OsStr, access: Access) -> io::Result<()> {
        spend(&self.1)?;
        self.0.create_dir(name, access)
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        alive(&self.1)?;
        self.0.stat(name)
    }

    fn stat_self(&self) -> io::Result<Stat> {
        alive(&self.1)?;
        self.0.stat_self()
    }

    fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        self.0.read_link(name)
    }

    fn rename(
        &self,
        name: &OsStr,
        to: &dyn Dir,
        to_name: &OsStr,
        replace: Replace,
    ) -> io::Result<()> {
        spend(&self.1)?;
        let to = to.as_any().downcast_ref::<Self>().expect("a directory of this process");
        self.0.rename(name, &*to.0, to_name, replace)
    }

    fn exchange(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        spend(&self.1)?;
        let to = to.as_any().downcast_ref::<Self>().expect("a directory of this process");
        self.0.exchange(name, &*to.0, to_name)
    }

    fn exchanges_whole(&self) -> bool {
        self.0.exchanges_whole()
    }

    fn hard_link(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        spend(&self.1)?;
        let to = to.as_any().downcast_ref::<Self>().expect("a directory of this process");
        self.0.hard_link(name, &*to.0, to_name)
    }

    fn reaches(&self, to: &dyn Dir) -> io::Result<bool> {
        alive(&self.1)?;
        let to = to.as_any().downcast_ref::<Self>().expect("a directory of this process");
        self.0.reaches(&*to.0)
    }

    fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        spend(&self.1)?;
        self.0.remove_file(name)
    }

    fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        spend(&self.1)?;
        self.0.remove_dir(name)
    }

    fn entries(&self) -> io::Result<Vec<OsString>> {
        alive(&self.1)?;
        self.0.entries()
    }

    fn sync(&self) -> io::Result<()> {
        spend(&self.1)?;
        self.0.sync()
    }

    fn file_system(&self) -> io::Result<FileSystem> {
        alive(&self.1)?;
        self.0.file_system()
    }

    fn open_lock(&self, name: &OsStr) -> io::Result<Box<dyn LockFile>> {
        spend(&self.1)?;
        let file = self
            .file(self.0.open_write(name).or_else(|_| self.0.create_new(name, Access::Private)))?;
        Ok(Box::new(MortalLock { lock: self.0.open_lock(name)?, file }))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl File for Mortal<FileBox> {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        alive(&self.1)?;
        self.0.read_at(buf, offset)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        spend(&self.1)?;
        self.0.write_all_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        spend(&self.1)?;
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        spend(&self.1)?;
        self.0.sync()
    }

    fn stat(&self) -> io::Result<Stat> {
        alive(&self.1)?;
        self.0.stat()
    }

    fn rights(&self) -> io::Result<Rights> {
        alive(&self.1)?;
        self.0.rights()
    }

    fn make_private(&self) -> io::Result<()> {
        spend(&self.1)?;
        self.0.make_private()
    }

    fn copy_attributes(&self, from: &dyn File) -> io::Result<()> {
        spend(&self.1)?;
        let from = from.as_any().downcast_ref::<Self>().expect("a file of this process");
        self.0.copy_attributes(&*from.0)
    }

    fn adopt_directory(&self, dir: &dyn Dir) -> io::Result<()> {
        spend(&self.1)?;
        let dir = dir.as_any().downcast_ref::<Mortal<DirRef>>().expect("one of this process");
        self.0.adopt_directory(&*dir.0)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.0.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.unlock()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The lock goes when its process does; its content is written like any other file.
#[derive(Debug)]
struct MortalLock {
    lock: Box<dyn LockFile>,
    file: FileBox,
}

impl LockFile for MortalLock {
    fn try_lock(&self) -> io::Result<bool> {
        self.lock.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.lock.unlock()
    }

    fn file(&self) -> &dyn File {
        &*self.file
    }
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn a_process_goes_on_after_another_one_was_killed() {
    let begun = Instant::now();
    let budget = Budget::of_environment();
    let mut tally = Tally::default();
    for scenario in all().filter(|scenario| !scenario.cold) {
        let rig = Rig::new(scenario, Order::Forwards);
        let every = if budget.is_full() { 1 } else { 2 };
        tally.add(outlive(&rig, None, every, budget));
    }
    tally.finish("processes", begun);
}

/// While a row is taken out of the journal, the journal is as long as the clean marker says.
#[test]
fn a_process_goes_on_after_another_one_was_killed_in_a_withdrawal() {
    let begun = Instant::now();
    let mut tally = Tally::default();
    if let Some(scenario) = all().find(|one| one.name == "a batch of writes") {
        let rig = Rig::new(scenario, Order::Forwards);
        let (disk, _survivor) = rig.begin();
        rig.scenario.act(&open(&disk, 2, Order::Forwards));
        let goes_out = |line: &String| is_publish(line) && !line.contains("-> w/.");
        let publishes = (0..).zip(disk.trace()).skip(rig.base as usize);
        let mut publishes = publishes.filter(|(_, line)| goes_out(line));
        let (at, _) = publishes.nth(1).expect("a second file");
        let trouble = Fault { at, kind: FaultKind::Io { errno: 5, sticky: false } };
        tally.add(outlive(&rig, Some(trouble), 1, Budget::of_environment()));
    }
    tally.finish("processes and withdrawals", begun);
}

/// Kills a process after so many operations, and has another one go on that was at work before.
fn outlive(rig: &Rig, trouble: Option<Fault>, every: usize, budget: Budget) -> Tally {
    let mut tally = Tally::default();
    for life in (0..).step_by(every) {
        // The one that lives knows how things were then.
        let (disk, survivor) = rig.begin();
        trouble.iter().for_each(|fault| disk.plan(*fault));
        let left: Life = Arc::new(AtomicI64::new(life));
        let mortal = open_on(Arc::new(Mortal(disk.clone(), left.clone())), 2);
        let answers = rig.scenario.act(&mortal);
        let died = left.load(Ordering::Relaxed) <= 0;
        drop(mortal);
        // It died before its trouble, which the other one would meet.
        if trouble.is_some_and(|fault| disk.ops() <= fault.at) {
            continue;
        }
        tally.points += 1;
        let told = || {
            let place = rig.place(rig.end);
            format!("the other lived {life} with {trouble:?} in {place}\n{answers:?}")
        };
        let later = create(&survivor, "later.txt", "later\n");
        let verdict = if later.is_done() { Ok(()) } else { Err(format!("no later: {later:?}")) };
        tally.judge(verdict, told);
        judge(&rig.expected, &disk, &answers, budget, &mut tally, &told);
        if !died {
            break;
        }
    }
    tally
}

fn judge(
    expected: &Expected,
    disk: &SimDisk,
    answers: &[Answer],
    budget: Budget,
    tally: &mut Tally,
    told: &dyn Fn() -> String,
) {
    let killed = disk.kill();
    let verdict =
        recover(&killed, 81).and_then(|()| expected.check(&killed, answers, Some("later\n")));
    tally.judge(verdict, || format!("all killed after {}", told()));
    let states = disk.crash_states(Model::Strict, budget.states / 2);
    for index in 0..states.len() {
        let lost = states.get(index).expect("a state");
        if !tally.is_new(&lost, answers) {
            continue;
        }
        let verdict =
            recover(&lost, 82).and_then(|()| expected.check(&lost, answers, Some("later\n")));
        tally.judge(verdict, || format!("{}\n{}", told(), states.describe(index)));
    }
}

#[test]
fn a_lock_that_is_held_is_waited_for() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "before.txt", "before"));
    let root = disk.open_root(Path::new("/w/.resilient_write")).expect("the state directory");
    let other = root.open_lock(OsStr::new("lock")).expect("the lock");
    assert!(other.try_lock().expect("locks"), "the lock is free between calls");
    let syncs = disk.syncs();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| create(&ws, "after.txt", "after"));
        // It asks again and again, and syncs nothing as long as it has to.
        while disk.lock_refusals() < 3 {
            assert!(!call.is_finished(), "a call went on without the lock");
            std::thread::yield_now();
        }
        assert_eq!(disk.syncs(), syncs);
        other.unlock().expect("locks");
        done(call.join().expect("an answer"));
    });
}

#[test]
fn calls_for_one_file_in_one_batch_see_each_other() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "a.txt", "one "));
    let calls: [fn(&_) -> Answer; 2] =
        [|ws| append(ws, "a.txt", "two "), |ws| append(ws, "a.txt", "three")];
    together(&ws, &calls).into_iter().for_each(done);
    assert_eq!(disk.read("w/a.txt"), Some(b"one two three".to_vec()));
}

#[test]
fn processes_take_turns() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let first = open(&disk, 1, Order::Forwards);
    let second = open(&disk, 2, Order::Forwards);
    for turn in 0..20 {
        done(create(&first, &format!("first-{turn}.txt"), "1"));
        done(create(&second, &format!("second-{turn}.txt"), "2"));
    }
    let lost = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
    recover(&lost, 3).expect("recovery");
    let world = crate::oracle::World::of(&lost).expect("a sound journal");
    assert_eq!(world.rows(), 40);
}

/// Who makes the next call while two processes write.
#[derive(Clone, Copy, Debug)]
enum Turns {
    /// The first one makes so many calls; from then on they take turns.
    InTurn(usize),
    /// The first one makes so many calls; then the second one writes, and then the first one goes on.
    Between(usize),
}

impl Turns {
    fn order(self) -> Vec<usize> {
        match self {
            Self::InTurn(lead) => [vec![0; lead], vec![1]].concat(),
            Self::Between(lead) => [vec![0; lead], vec![1; 10_000]].concat(),
        }
    }
}

/// Two processes write, interleaved in that way; in the end each file has one of its contents. Returns how many calls the disk had of them.
fn write_both(
    open: fn(&SimDisk, u64) -> Workspace,
    turns: Turns,
    first: fn(&Workspace) -> Answer,
    second: fn(&Workspace) -> Answer,
    end: &[(&str, &[&str])],
) -> u64 {
    let disk = SimDisk::new();
    disk.mkdir("w");
    done(create(&open(&disk, 1), "log.txt", "begin\n"));
    let schedule = Schedule::new(turns.order());
    let processes = [(2, first), (3, second)].map(|(seed, write)| {
        let ws = open(&schedule.process(&disk), seed);
        Box::new(move || write(&ws)) as Calls<'_, Answer>
    });
    let answers = schedule.run(processes.into_iter().collect());
    assert!(answers.iter().all(Answer::is_done), "{turns:?}: {answers:?}");
    // What was answered survives a loss of power, and so it does without one.
    let lost = [Model::Strict, Model::Ordered].map(|model| disk.crash_states(model, 1).get(0));
    for disk in lost.into_iter().flatten().chain([disk.kill()]) {
        recover(&disk, 4).unwrap_or_else(|error| panic!("{turns:?}: {error}"));
        for (path, contents) in end {
            let found = disk.read(&format!("w/{path}")).map(String::from_utf8);
            let found = found.and_then(Result::ok);
            let is_there = found.as_ref().is_some_and(|found| contents.contains(&found.as_str()));
            assert!(is_there, "{turns:?}: {path}: {found:?}");
        }
        let ws = open(&disk, 5);
        let chain = ws.verify_journal().expect("a journal");
        assert_eq!((chain.chained, chain.breaks), (3, Vec::new()), "{turns:?}");
        let world = crate::oracle::World::of(&disk).expect("a sound journal");
        assert_eq!(world.rows(), 3, "{turns:?}");
    }
    schedule.calls()
}

/// Interleaves two writes at every call that the first one makes.
fn interleave(
    open: fn(&SimDisk, u64) -> Workspace,
    first: fn(&Workspace) -> Answer,
    second: fn(&Workspace) -> Answer,
    end: &[(&str, &[&str])],
) {
    for kind in [Turns::InTurn, Turns::Between] {
        let mut lead = 0;
        // The calls of both are more than those of the first one alone.
        while (lead as u64) < write_both(open, kind(lead), first, second, end) {
            lead += 1;
        }
        assert!(lead > 50, "the calls of two writes");
    }
}

#[test]
fn two_writes_of_two_living_processes_are_interleaved_at_every_call() {
    let open: fn(&SimDisk, u64) -> Workspace = |disk, seed| open(disk, seed, Order::Forwards);
    interleave(
        open,
        |ws| create(ws, "new/a.txt", "one\n"),
        |ws| create(ws, "new/b.txt", "two\n"),
        &[("log.txt", &["begin\n"]), ("new/a.txt", &["one\n"]), ("new/b.txt", &["two\n"])],
    );
    interleave(
        open,
        |ws| append(ws, "log.txt", "one\n"),
        |ws| append(ws, "log.txt", "two\n"),
        &[("log.txt", &["begin\none\ntwo\n", "begin\ntwo\none\n"])],
    );
}

#[test]
fn the_journal_is_closed_between_any_two_calls_of_another_process() {
    // Each of them closes the journal before each batch.
    interleave(
        |disk, seed| {
            Workspace::builder("/w")
                .disk(Arc::new(disk.clone()))
                .clock(Arc::new(FixedClock::new(
                    1_790_000_000,
                    seed.wrapping_mul(0x0123_4567_89AB_CDEF),
                )))
                .longest_journal(1)
                .open()
        },
        |ws| create(ws, "a.txt", "one\n"),
        |ws| overwrite(ws, "log.txt", "two\n"),
        &[("log.txt", &["two\n"]), ("a.txt", &["one\n"])],
    );
}

/// How many of a call's accesses to the disk a line of a program that takes no lock can come in front of, so
/// that it is lost; and how many there are. `fails` chooses an operation that fails.
fn losing_lines(fails: fn(&str) -> bool) -> (u64, u64) {
    let line = "{\"bytes\":3,\"caller\":\"python\",\"journal_id\":\"wj_1\",\"mode\":\"create\",\
                \"path\":\"x\",\"sha256\":\"00\",\"ts\":\"2023-01-01T00:00:00Z\"}\n";
    let journal = "w/.resilient_write/journal.jsonl";
    let warm = SimDisk::new();
    warm.write_file("w/a.txt", b"old\n");
    done(create(&open(&warm, 1, Order::Forwards), "warm.txt", "warm\n"));
    let dry = warm.kill();
    drop(overwrite(&open(&dry, 2, Order::Forwards), "a.txt", "new\n"));
    let fault = dry
        .trace()
        .iter()
        .position(|line| fails(line))
        .map(|at| Fault { at: at as u64, kind: FaultKind::Io { errno: 5, sticky: false } });
    let (mut calls, mut at, mut losing) = (1, 0, 0);
    while at < calls {
        let disk = warm.kill();
        fault.into_iter().for_each(|fault| disk.plan(fault));
        let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1]));
        let ws = open(&schedule.process(&disk), 2, Order::Forwards);
        let other = schedule.process(&disk);
        let writes = Box::new(|| drop(overwrite(&ws, "a.txt", "new\n"))) as Calls<'_, ()>;
        schedule.run(vec![writes, Box::new(|| other.append(journal, line.as_bytes()))]);
        calls = schedule.calls();
        recover(&disk, 3).expect("recovery");
        let rows = String::from_utf8(disk.read(journal).expect("a journal")).expect("text");
        losing += u64::from(!rows.contains(line));
        let answered = disk.read("w/a.txt").as_deref() == Some(b"new\n");
        assert_eq!(answered, rows.contains("overwrite"), "a row and its change, at {at}: {rows}");
        at += 1;
    }
    (losing, calls)
}

/// Another program adds a line to the file at every access to the disk of an append in place. Returns what the
/// append answered in each case.
fn beside_another_program(text: &str) -> Vec<Answer> {
    let old = "old\n".repeat(25_000);
    let warm = SimDisk::new();
    warm.write_file("w/log.txt", old.as_bytes());
    done(create(&open(&warm, 1, Order::Forwards), "warm.txt", "warm\n"));
    let (mut calls, mut answers) = (1, Vec::new());
    while (answers.len() as u64) < calls {
        let disk = warm.kill();
        let schedule = Schedule::new(std::iter::repeat_n(0, answers.len()).chain([1]));
        let ws = open(&schedule.process(&disk), 2, Order::Forwards);
        let other = schedule.process(&disk);
        let writes = Box::new(|| Some(append(&ws, "log.txt", text))) as Calls<'_, _>;
        let adds = Box::new(|| {
            other.append("w/log.txt", b"theirs\n");
            None
        });
        let answer = schedule.run(vec![writes, adds]).into_iter().flatten().next();
        let answer = answer.expect("an answer");
        calls = schedule.calls();

        let found = String::from_utf8(disk.read("w/log.txt").expect("the file")).expect("text");
        assert_eq!(found.matches("theirs\n").count(), 1, "{}: {answer:?}", answers.len());
        let ours = found.strip_prefix(&old).expect("the old text").replace("theirs\n", "");
        match &answer {
            Answer::Done(_) => {
                assert_eq!(ours, text);
                assert!(found.contains(text), "the append is in one piece");
            }
            Answer::Unknown(_) => assert!(text.starts_with(&ours), "{}", answers.len()),
            Answer::Refused(_) => panic!("{}: {answer:?}", answers.len()),
        }
        drop(ws);
        recover(&disk, 3).expect("recovery");
        assert_eq!(disk.read("w/log.txt"), Some(found.into_bytes()), "{}", answers.len());
        answers.push(answer);
    }
    assert!(calls > 20, "{calls}");
    answers
}

#[test]
fn an_append_in_place_overwrites_nothing_that_another_program_adds_meanwhile() {
    let answers = beside_another_program("ours\n");
    assert!(answers.iter().all(Answer::is_done), "{answers:?}");
    // A long one is divided by what comes between two of its pages.
    let answers = beside_another_program(&"a line of ours\n".repeat(1_000));
    let unknown = answers.iter().filter(|answer| !answer.is_done()).count();
    assert!((1..=4).contains(&unknown), "{unknown} of {}", answers.len());
}

#[test]
fn a_line_of_a_program_that_takes_no_lock_is_lost_only_while_the_journal_is_written() {
    // Between the look at the journal's length and the append; and where rows go again, around their cut.
    for (what, fails, moments) in [
        ("a write", (|_| false) as fn(&str) -> bool, 1),
        ("a failed journal", |line| line.starts_with("sync w/.resilient_write/journal"), 3),
        ("a refused publish", |line| line.starts_with("exchange"), 3),
    ] {
        let (losing, calls) = losing_lines(fails);
        assert!(losing <= moments, "{what}: {losing} of {calls}");
        assert!(calls > 20, "{what}: {calls}");
    }
}
