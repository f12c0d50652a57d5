//! Living processes that take turns.

use std::io;

use super::*;

/// Two processes that each create files of their own, and the order in which they did.
fn order_of(schedule: &Schedule, counts: [usize; 2]) -> String {
    let disk = SimDisk::new();
    let calls = counts.map(|count| (schedule.process(&disk), count));
    let calls = calls.into_iter().enumerate().map(|(number, (disk, count))| {
        let root = dir(&disk, "/");
        Box::new(move || {
            for file in 0..count {
                root.create_new(name(&format!("{number}-{file}")), Access::Default).unwrap();
            }
        }) as Calls<'_, ()>
    });
    let calls = calls.collect();
    schedule.run(calls);
    let trace = disk.trace();
    trace.iter().filter_map(|line| line.strip_prefix("create ")?.chars().next()).collect()
}

#[test]
fn calls_come_in_the_order_of_the_schedule() {
    for _ in 0..20 {
        assert_eq!(order_of(&Schedule::new([0, 0, 1, 0, 1, 1]), [3, 3]), "001011");
        assert_eq!(order_of(&Schedule::new([1, 1, 1, 0, 0, 0]), [3, 3]), "111000");
        // Where the order has ended, they take turns.
        assert_eq!(order_of(&Schedule::new([1, 1]), [3, 3]), "110100");
        assert_eq!(order_of(&Schedule::new([]), [3, 3]), "010101");
    }
}

#[test]
fn the_turns_of_a_process_that_has_ended_go_to_the_other() {
    let schedule = Schedule::new([0; 100]);
    assert_eq!(order_of(&schedule, [2, 3]), "00111");
    assert_eq!(schedule.calls(), 5);
    // There is no such process.
    assert_eq!(order_of(&Schedule::new([7; 100]), [2, 2]).len(), 4);
}

#[test]
fn calls_that_only_look_take_turns_as_well() {
    let disk = SimDisk::new();
    let schedule = Schedule::new([0, 1, 0]);
    let (first, second) = (schedule.process(&disk), schedule.process(&disk));
    let (first, second) = (dir(&first, "/"), dir(&second, "/"));
    let look = || {
        let before = first.stat(name("a")).is_ok();
        (before, first.stat(name("a")).is_ok())
    };
    let write = || (second.create_new(name("a"), Access::Default).is_ok(), false);
    let seen = schedule.run(vec![Box::new(look), Box::new(write)]);
    assert_eq!(seen, [(false, true), (true, false)]);
}

#[test]
fn whoever_is_refused_a_lock_waits_until_one_is_given_back() {
    let disk = SimDisk::new();
    // The second process has all turns from the fourth on, and can use but a few.
    let schedule = Schedule::new([0, 0, 0].into_iter().chain([1; 1000]));
    let process = |number: usize| {
        let root = dir(&schedule.process(&disk), "/");
        move || -> io::Result<u64> {
            let lock = root.open_lock(name("lock"))?;
            let mut refusals = 0;
            while !lock.try_lock()? {
                refusals += 1;
            }
            root.create_new(name(&format!("{number}-a")), Access::Default)?;
            root.create_new(name(&format!("{number}-b")), Access::Default)?;
            lock.unlock()?;
            Ok(refusals)
        }
    };
    let calls: Vec<Calls<'_, io::Result<u64>>> = vec![Box::new(process(0)), Box::new(process(1))];
    let refusals: Vec<u64> = schedule.run(calls).into_iter().map(Result::unwrap).collect();
    assert_eq!(refusals, [0, 1]);
    assert_eq!(
        disk.trace(),
        ["create lock", "create 0-a", "create 0-b", "create 1-a", "create 1-b"]
    );
}

#[test]
fn a_lock_that_was_refused_keeps_nobody_from_other_calls() {
    let disk = SimDisk::new();
    let schedule = Schedule::new([0, 0].into_iter().chain([1; 1000]));
    let (first, second) = (schedule.process(&disk), schedule.process(&disk));
    let (first, second) = (dir(&first, "/"), dir(&second, "/"));
    let holds = || {
        let lock = first.open_lock(name("lock")).unwrap();
        assert!(lock.try_lock().unwrap());
        create(&first, "first", b"");
    };
    let goes_on = || {
        let lock = second.open_lock(name("lock")).unwrap();
        assert!(!lock.try_lock().unwrap());
        create(&second, "second", b"");
    };
    schedule.run::<()>(vec![Box::new(holds), Box::new(goes_on)]);
    assert_eq!(disk.trace().get(1..3).unwrap(), ["create second", "write second 0 bytes"]);
}

#[test]
fn a_lock_that_somebody_else_holds_is_asked_for_again() {
    let disk = SimDisk::new();
    let outside = dir(&disk, "/").open_lock(name("lock")).unwrap();
    assert!(outside.try_lock().unwrap());
    let schedule = Schedule::new([]);
    let root = dir(&schedule.process(&disk), "/");
    let ask = || {
        let lock = root.open_lock(name("lock")).unwrap();
        (0..10).filter(|_| lock.try_lock().unwrap()).count()
    };
    assert_eq!(schedule.run(vec![Box::new(ask)]), [0]);
    assert_eq!(disk.lock_refusals(), 10);
}

#[test]
fn before_and_after_a_run_nobody_waits() {
    let disk = SimDisk::new();
    let schedule = Schedule::new([1; 100]);
    let (first, second) = (schedule.process(&disk), schedule.process(&disk));
    create(&dir(&first, "/"), "before", b"");
    schedule.run::<()>(vec![Box::new(|| ()), Box::new(|| drop(dir(&second, "/")))]);
    create(&dir(&first, "/"), "after", b"");
    assert_eq!(line(&disk), "after= before=");
}

#[test]
#[should_panic = "on purpose"]
fn a_panic_of_a_process_ends_its_turns_and_is_passed_on() {
    let disk = SimDisk::new();
    let schedule = Schedule::new([0; 100]);
    let (_first, second) = (schedule.process(&disk), schedule.process(&disk));
    let goes_on = || drop(create(&dir(&second, "/"), "a", b""));
    schedule.run::<()>(vec![Box::new(|| panic!("on purpose")), Box::new(goes_on)]);
}
