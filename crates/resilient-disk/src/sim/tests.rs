//! The rules of the simulated disk, each with its outcomes worked out by hand, and random workloads
//! for what must hold in every outcome.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind;

use super::tree::ROOT;
use super::*;
use crate::{
    Access, Clock, Dir, FileBox, FileSystem, FixedClock, Kind, Replace, Strayed, append_by_pages,
    read_all,
};

mod exchange;
mod rights;
mod schedule;
mod torn;

const EIO: FaultKind = FaultKind::Io { errno: 5, sticky: false };

fn dir(disk: &SimDisk, path: &str) -> DirRef {
    disk.open_root(Path::new(path)).unwrap()
}

fn name(name: &str) -> &OsStr {
    OsStr::new(name)
}

fn create(dir: &DirRef, file: &str, bytes: &[u8]) -> FileBox {
    let file = dir.create_new(name(file), Access::Default).unwrap();
    file.write_all_at(bytes, 0).unwrap();
    file
}

fn rename(from: &DirRef, old: &str, to: &DirRef, new: &str) {
    from.rename(name(old), to.as_ref(), name(new), Replace::Yes).unwrap();
}

/// What every crash state holds, as `path=content` in one line, each state once.
fn states(disk: &SimDisk, model: Model) -> BTreeSet<String> {
    let states = disk.crash_states(model, 1000);
    assert!(states.is_exact());
    let lines: BTreeSet<String> = states.iter().map(|disk| line(&disk)).collect();
    assert_eq!(lines.len(), states.len(), "a state was listed twice");
    lines
}

fn line(disk: &SimDisk) -> String {
    let file = |(path, bytes): (String, Vec<u8>)| {
        format!("{path}={}", String::from_utf8_lossy(&bytes).replace('\0', "0"))
    };
    disk.tree().into_iter().map(file).collect::<Vec<_>>().join(" ")
}

fn set<const N: usize>(lines: [&str; N]) -> BTreeSet<String> {
    lines.into_iter().map(str::to_owned).collect()
}

#[test]
fn nothing_pending_leaves_one_state() {
    let disk = SimDisk::new();
    disk.write_file("a/b", b"x");
    assert!(disk.is_durable());
    assert_eq!(states(&disk, Model::Strict), set(["a/b=x"]));
    assert_eq!(states(&disk, Model::Ordered), set(["a/b=x"]));
}

#[test]
fn synced_data_without_a_synced_name_may_be_lost() {
    let disk = SimDisk::new();
    create(&dir(&disk, "/"), "a", b"abcd").sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["", "a=abcd"]));
    assert_eq!(states(&disk, Model::Ordered), set(["", "a=abcd"]));
}

#[test]
fn a_synced_name_without_synced_data_may_be_torn() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    create(&root, "a", b"abcd");
    root.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["a=", "a=ab", "a=0000", "a=abcd"]));
    assert_eq!(states(&disk, Model::Ordered), set(["a=", "a=ab", "a=abcd"]));
}

#[test]
fn both_synced_survive() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    create(&root, "a", b"abcd").sync().unwrap();
    root.sync().unwrap();
    assert!(disk.is_durable());
    assert_eq!(states(&disk, Model::Strict), set(["a=abcd"]));
}

#[test]
fn names_of_one_directory_survive_in_any_part_or_in_order() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    for file in ["a", "b", "c"] {
        create(&root, file, b"");
    }
    // 2 * 2 * 2 parts, and 4 places to cut the order.
    assert_eq!(states(&disk, Model::Strict).len(), 8);
    assert_eq!(states(&disk, Model::Ordered), set(["", "a=", "a= b=", "a= b= c="]));
}

#[test]
fn appended_writes_survive_in_any_part_or_in_order() {
    let disk = SimDisk::new();
    disk.write_file("a", b"");
    let file = dir(&disk, "/").open_write(name("a")).unwrap();
    file.write_all_at(b"ab", 0).unwrap();
    file.write_all_at(b"cd", 2).unwrap();
    // Of the first write: "", "a", "00", "ab". The second: lost 4; half 3, hole 3 and kept 3, since
    // a lost first write is then zeros like a hole.
    assert_eq!(
        states(&disk, Model::Strict),
        set([
            "a=", "a=a", "a=00", "a=ab", "a=00c", "a=a0c", "a=abc", "a=0000", "a=a000", "a=ab00",
            "a=00cd", "a=a0cd", "a=abcd"
        ])
    );
    assert_eq!(states(&disk, Model::Ordered), set(["a=", "a=a", "a=ab", "a=abc", "a=abcd"]));
}

#[test]
fn a_cut_and_a_rewrite_in_place_may_come_apart() {
    let disk = SimDisk::new();
    disk.write_file("a", b"old!");
    disk.edit("a", b"new");
    assert_eq!(
        states(&disk, Model::Strict),
        // Half of three bytes is one.
        set(["a=old!", "a=nld!", "a=new!", "a=", "a=n", "a=000", "a=new"])
    );
    assert_eq!(states(&disk, Model::Ordered), set(["a=old!", "a=", "a=n", "a=new"]));
    disk.write_file("a", b"sure");
    assert_eq!(states(&disk, Model::Strict), set(["a=sure"]));
}

#[test]
fn a_rename_is_whole_or_absent() {
    let disk = SimDisk::new();
    disk.write_file("tmp/s", b"new");
    disk.write_file("t", b"old");
    rename(&dir(&disk, "/tmp"), "s", &dir(&disk, "/"), "t");
    assert_eq!(disk.read("t"), Some(b"new".to_vec()));
    for model in [Model::Strict, Model::Ordered] {
        assert_eq!(states(&disk, model), set(["t=new", "t=old tmp/s=new"]));
    }
}

#[test]
fn staging_without_any_sync_leaves_nine_states() {
    let disk = SimDisk::new();
    disk.write_file("t", b"old");
    let root = dir(&disk, "/");
    create(&root, "s", b"new!");
    rename(&root, "s", &root, "t");
    assert_eq!(
        states(&disk, Model::Strict),
        set([
            "t=old",
            "s= t=old",
            "s=ne t=old",
            "s=0000 t=old",
            "s=new! t=old",
            "t=",
            "t=ne",
            "t=0000",
            "t=new!"
        ])
    );
    assert_eq!(states(&disk, Model::Ordered).len(), 7);
}

#[test]
fn the_receiving_directory_makes_a_rename_durable_as_a_whole() {
    for (synced, left) in [("/a", set(["a/s=x", "b/t=x"])), ("/b", set(["b/t=x"]))] {
        let disk = SimDisk::new();
        disk.mkdir("a");
        disk.mkdir("b");
        let (a, b) = (dir(&disk, "/a"), dir(&disk, "/b"));
        create(&a, "s", b"x").sync().unwrap();
        rename(&a, "s", &b, "t");
        dir(&disk, synced).sync().unwrap();
        assert_eq!(states(&disk, Model::Strict), left);
    }
}

#[test]
fn a_chain_of_renames_never_leaves_two_names() {
    let disk = SimDisk::new();
    disk.write_file("x", b"1");
    let root = dir(&disk, "/");
    rename(&root, "x", &root, "y");
    rename(&root, "y", &root, "z");
    assert_eq!(states(&disk, Model::Strict), set(["x=1", "y=1", "z=1"]));
}

#[test]
fn a_name_given_anew_does_not_cost_the_file_that_moved_away() {
    let disk = SimDisk::new();
    disk.write_file("a/x", b"1");
    disk.mkdir("c");
    let a = dir(&disk, "/a");
    rename(&a, "x", &dir(&disk, "/c"), "z");
    create(&a, "x", b"");
    assert_eq!(states(&disk, Model::Strict), set(["a/x=1", "c/z=1", "a/x= c/z=1"]));
}

#[test]
fn creation_and_removal_leave_two_states() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    drop(create(&root, "a", b""));
    root.remove_file(name("a")).unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["", "a="]));
    root.sync().unwrap();
    assert!(disk.is_durable());
}

#[test]
fn an_unsynced_removal_may_come_back_with_its_data() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    let root = dir(&disk, "/");
    root.remove_file(name("a")).unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["", "a=x"]));
    root.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set([""]));
}

#[test]
fn a_later_sync_makes_good_what_a_failed_one_left_of_a_length_but_not_of_bytes() {
    let lost = |act: fn(&dyn crate::File)| {
        let disk = SimDisk::new();
        disk.write_file("a", b"abcd");
        let file = dir(&disk, "/").open_write(name("a")).unwrap();
        act(&*file);
        disk.plan(Fault { at: disk.ops(), kind: EIO });
        file.sync().unwrap_err();
        file.sync().unwrap();
        states(&disk, Model::Strict)
    };
    assert_eq!(lost(|file| file.set_len(2).unwrap()), set(["a=ab"]));
    let torn = lost(|file| file.write_all_at(b"xy", 0).unwrap());
    assert!(torn.contains("a=abcd") && torn.contains("a=xycd"), "{torn:?}");
}

#[test]
fn a_new_directory_is_lost_with_all_in_it_unless_its_parent_is_synced() {
    let disk = SimDisk::new();
    disk.write_file("s", b"x");
    let root = dir(&disk, "/");
    root.create_dir(name("d"), Access::Default).unwrap();
    let d = root.open_dir(name("d")).unwrap();
    rename(&root, "s", &d, "t");
    d.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["", "d/t=x"]));
    root.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["d/t=x"]));
}

#[test]
fn a_directory_goes_only_after_what_was_in_it_went() {
    let disk = SimDisk::new();
    disk.write_file("d/x", b"1");
    let root = dir(&disk, "/");
    disk.mkdir("e");
    rename(&dir(&disk, "/d"), "x", &dir(&disk, "/e"), "x");
    root.remove_dir(name("d")).unwrap();
    let states: Vec<_> = disk.crash_states(Model::Strict, 100).iter().collect();
    let seen: Vec<_> = states.iter().map(|disk| (line(disk), disk.dirs().len())).collect();
    let whole = |line: &str, dirs| (line.to_owned(), dirs);
    assert_eq!(seen, [whole("d/x=1", 2), whole("e/x=1", 2), whole("e/x=1", 1)]);
}

#[test]
fn an_ordered_disk_syncs_earlier_names_of_other_directories_too() {
    let disk = SimDisk::new();
    disk.mkdir("a");
    disk.mkdir("b");
    create(&dir(&disk, "/a"), "x", b"");
    create(&dir(&disk, "/b"), "y", b"");
    dir(&disk, "/b").sync().unwrap();
    assert_eq!(states(&disk, Model::Ordered), set(["a/x= b/y="]));
    assert_eq!(states(&disk, Model::Strict), set(["b/y=", "a/x= b/y="]));
}

#[test]
fn attributes_are_pending_until_the_file_is_synced() {
    let disk = SimDisk::new();
    disk.write_file("a", b"");
    let xattrs = BTreeMap::from([("user.x".to_owned(), b"1".to_vec())]);
    disk.write_file("b", b"");
    disk.set_attributes(
        "b",
        Attributes { mode: 0o755, uid: 1000, gid: 1000, xattrs: xattrs.clone() },
    );
    let root = dir(&disk, "/");
    let (a, b) = (root.open_write(name("a")).unwrap(), root.open(name("b")).unwrap());
    a.copy_attributes(b.as_ref()).unwrap();
    a.make_private().unwrap();
    let mode = |disk: &SimDisk| disk.attributes("a").unwrap().mode;
    let crashed = disk.crash_states(Model::Strict, 10);
    assert_eq!(crashed.iter().map(|disk| mode(&disk)).collect::<Vec<_>>(), [0o644, 0o600, 0o755]);
    a.sync().unwrap();
    let crashed = disk.crash_states(Model::Strict, 10).get(0).unwrap();
    assert_eq!(
        crashed.attributes("a"),
        Some(Attributes { mode: 0o600, uid: 1000, gid: 1000, xattrs })
    );
}

#[test]
fn a_failed_file_sync_is_never_made_good() {
    let disk = SimDisk::new();
    disk.write_file("a", b"old!");
    let file = dir(&disk, "/").open_write(name("a")).unwrap();
    file.write_all_at(b"new!", 0).unwrap();
    disk.plan(Fault { at: 1, kind: EIO });
    assert_eq!(file.sync().unwrap_err().raw_os_error(), Some(5));
    file.sync().unwrap();
    assert_eq!(disk.read("a"), Some(b"new!".to_vec()));
    assert_eq!(states(&disk, Model::Strict), set(["a=old!", "a=ned!", "a=new!"]));
    file.write_all_at(b" more", 4).unwrap();
    file.sync().unwrap();
    let kept = set(["a=old! more", "a=ned! more", "a=new! more"]);
    assert_eq!(states(&disk, Model::Strict), kept);
    assert_eq!(states(&disk, Model::Ordered), kept);
    file.write_all_at(b"sure", 0).unwrap();
    file.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["a=sure more"]));
}

#[test]
fn a_failed_directory_sync_settles_nothing_and_a_later_one_does() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    create(&root, "a", b"");
    disk.plan(Fault { at: disk.ops(), kind: EIO });
    root.sync().unwrap_err();
    create(&root, "b", b"");
    assert_eq!(states(&disk, Model::Strict), set(["", "a=", "b=", "a= b="]));
    root.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["a= b="]));
}

#[test]
fn a_power_cut_stops_everything() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    let file = create(&root, "a", b"");
    disk.plan(Fault { at: 2, kind: FaultKind::PowerCut });
    assert!(is_power_loss(&file.write_all_at(b"x", 0).unwrap_err()));
    assert!(is_power_loss(&root.sync().unwrap_err()));
    assert!(is_power_loss(&root.open(name("a")).unwrap_err()));
    assert!(is_power_loss(&disk.open_root(Path::new("/")).unwrap_err()));
    assert!(!is_power_loss(&std::io::Error::other("the power is cut")));
    assert_eq!(disk.trace(), ["create a", "write a 0 bytes", "write a 1 bytes ! the power is cut"]);
    let again = disk.crash_states(Model::Strict, 10).get(1).unwrap();
    assert_eq!((line(&again), again.ops()), ("a=".to_owned(), 0));
    dir(&again, "/").sync().unwrap();
}

#[test]
fn a_torn_write_is_half_done() {
    let disk = SimDisk::new();
    disk.plan(Fault { at: 1, kind: FaultKind::TornWrite });
    let root = dir(&disk, "/");
    let file = root.create_new(name("a"), Access::Default).unwrap();
    assert!(is_power_loss(&file.write_all_at(b"abcd", 0).unwrap_err()));
    assert_eq!(disk.read("a"), Some(b"ab".to_vec()));
    assert_eq!(states(&disk, Model::Strict), set(["", "a=", "a=a", "a=00", "a=ab"]));
}

#[test]
fn a_torn_write_ends_where_a_sector_does() {
    let disk = SimDisk::new();
    disk.set_sector(4);
    disk.write_file("a", b"ab");
    dir(&disk, "/").open_write(name("a")).unwrap().write_all_at(b"cdefgh", 2).unwrap();
    assert_eq!(states(&disk, Model::Ordered), set(["a=ab", "a=abcd", "a=abcdefgh"]));
    // Within a sector nothing is torn.
    let disk = SimDisk::new();
    disk.set_sector(4);
    disk.write_file("a", b"a");
    dir(&disk, "/").open_write(name("a")).unwrap().write_all_at(b"bc", 1).unwrap();
    assert_eq!(states(&disk, Model::Ordered), set(["a=a", "a=abc"]));
}

#[test]
fn what_is_appended_by_pages_ends_where_a_page_does_after_any_kill() {
    let bytes: Vec<u8> = (0..10_000_u32).map(|n| b'a' + (n % 23) as u8).collect();
    let lens: Vec<usize> = (0..4)
        .map(|at| {
            let disk = SimDisk::new();
            disk.write_file("a", &[b'-'; 100]);
            disk.plan(Fault { at, kind: FaultKind::PowerCut });
            let file = dir(&disk, "/").open_write(name("a")).unwrap();
            assert_eq!(append_by_pages(&*file, &bytes, 100).is_err(), at < 3);
            let left = disk.kill().read("a").unwrap();
            assert_eq!(left[100..], bytes[..left.len() - 100]);
            left.len()
        })
        .collect();
    assert_eq!(lens, [100, 4096, 8192, 10_100]);
}

#[test]
fn an_append_goes_behind_what_another_program_has_added() {
    let disk = SimDisk::new();
    disk.write_file("a", b"old");
    let file = dir(&disk, "/").open_write(name("a")).unwrap();
    assert_eq!(append_by_pages(&*file, b" ours", 3).unwrap(), None);
    disk.append("a", b" theirs");
    let strayed = Strayed { piece: 0..5, at: 15 };
    assert_eq!(append_by_pages(&*file, b" more", 8).unwrap(), Some(strayed));
    assert_eq!(disk.read("a").unwrap(), b"old ours theirs more");
}

#[test]
fn an_error_comes_once_or_goes_on() {
    let eacces = |sticky| FaultKind::Io { errno: 13, sticky };
    for (sticky, after) in [(false, true), (true, false)] {
        let disk = SimDisk::new();
        disk.plan(Fault { at: 0, kind: eacces(sticky) });
        let root = dir(&disk, "/");
        let error = root.create_new(name("a"), Access::Default).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(13));
        assert_eq!(root.sync().is_ok(), after);
        assert_eq!(disk.trace()[0], "create a ! errno 13");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_stays_full_but_lets_files_go() {
    let full = FaultKind::Io { errno: 28, sticky: true };
    for (kind, left) in [(full, ""), (FaultKind::ShortWriteThenNoSpace, "ab")] {
        let disk = SimDisk::new();
        disk.plan(Fault { at: 1, kind });
        let root = dir(&disk, "/");
        let file = root.create_new(name("a"), Access::Default).unwrap();
        let error = file.write_all_at(b"abcd", 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        assert_eq!(disk.read("a"), Some(left.as_bytes().to_vec()));
        let error = root.create_dir(name("d"), Access::Default).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        file.set_len(0).unwrap();
        file.sync().unwrap();
        root.remove_file(name("a")).unwrap();
    }
}

#[test]
fn capacity_is_given_back_when_the_last_handle_closes() {
    let disk = SimDisk::new().with_capacity(10);
    disk.write_file("a", b"123456");
    let root = dir(&disk, "/");
    let file = root.create_new(name("b"), Access::Default).unwrap();
    let error = file.write_all_at(b"abcdef", 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(disk.read("b"), Some(b"abcd".to_vec()));
    file.write_all_at(b"ABCD", 0).unwrap();
    let held = root.open(name("a")).unwrap();
    root.remove_file(name("a")).unwrap();
    assert_eq!(read_all(held.as_ref(), 10).unwrap(), b"123456");
    assert_eq!(held.stat().unwrap().links, 0);
    file.set_len(5).unwrap_err();
    drop(held);
    file.set_len(5).unwrap();
    assert_eq!(disk.read("b"), Some(b"ABCD\0".to_vec()));
}

#[test]
fn the_lock_of_a_file_hinders_no_write_and_dies_with_its_handle() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    create(&root, "a", b"ab");
    let (mine, yours) = (root.open(name("a")).unwrap(), root.open_write(name("a")).unwrap());
    assert!(mine.try_lock().unwrap() && mine.try_lock().unwrap());
    assert!(!yours.try_lock().unwrap());
    yours.unlock().unwrap();
    yours.write_all_at(b"cd", 0).unwrap();
    drop(mine);
    assert!(yours.try_lock().unwrap());
    yours.unlock().unwrap();
    assert!(root.open(name("a")).unwrap().try_lock().unwrap());
    assert_eq!(disk.read("a"), Some(b"cd".to_vec()));
}

#[test]
fn a_kill_keeps_what_was_seen_and_frees_the_locks() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    create(&root, "a", b"ab");
    let (mine, yours) = (root.open_lock(name("l")).unwrap(), root.open_lock(name("l")).unwrap());
    assert!(mine.try_lock().unwrap() && mine.try_lock().unwrap());
    assert!(!yours.try_lock().unwrap());
    yours.unlock().unwrap();
    assert!(!yours.try_lock().unwrap());

    let killed = disk.kill();
    assert_eq!(killed.fingerprint(), disk.fingerprint());
    assert!(dir(&killed, "/").open_lock(name("l")).unwrap().try_lock().unwrap());
    // The name and the data of `a` and the name of `l` are still pending: 2 * (1 + 4).
    assert_eq!(states(&killed, Model::Strict).len(), 10);
    dir(&killed, "/").sync().unwrap();
    assert_eq!(states(&disk, Model::Strict).len(), 10);

    drop(mine);
    assert!(yours.try_lock().unwrap());
    yours.file().write_all_at(b"shared", 0).unwrap();
    assert_eq!(disk.read("l"), Some(b"shared".to_vec()));
}

#[test]
fn a_skipped_sync_succeeds_and_does_nothing() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    create(&root, "a", b"").sync().unwrap();
    disk.skip_sync(1);
    root.sync().unwrap();
    assert!(!disk.is_durable());
    root.sync().unwrap();
    assert!(disk.is_durable());
    assert_eq!(disk.syncs(), 3);

    disk.on_sync(|path, kind| path == "a" && kind == SyncKind::File);
    let again = disk.crash_states(Model::Strict, 1).get(0).unwrap();
    let file = dir(&again, "/").open_write(name("a")).unwrap();
    file.write_all_at(b"x", 0).unwrap();
    file.sync().unwrap();
    assert!(!again.is_durable());
}

#[test]
fn operations_are_traced_with_the_paths_of_the_moment() {
    let disk = SimDisk::new();
    disk.mkdir("tmp");
    let (root, tmp) = (dir(&disk, "/"), dir(&disk, "/tmp"));
    let file = create(&tmp, "s", b"ab");
    file.write_all_at(b"cd", 2).unwrap();
    file.sync().unwrap();
    root.create_dir(name("d"), Access::Private).unwrap();
    let d = root.open_dir(name("d")).unwrap();
    tmp.rename(name("s"), d.as_ref(), name("t"), Replace::No).unwrap();
    file.set_len(1).unwrap();
    file.make_private().unwrap();
    d.sync().unwrap();
    root.sync().unwrap();
    d.remove_file(name("t")).unwrap();
    file.sync().unwrap();
    root.remove_dir(name("d")).unwrap();
    let trace = [
        "create tmp/s",
        "write tmp/s 2 bytes",
        "write tmp/s 2 bytes at 2",
        "sync tmp/s",
        "mkdir d",
        "rename tmp/s -> d/t if absent",
        "setlen d/t 1",
        "private d/t",
        "syncdir d",
        "syncdir .",
        "remove d/t",
        "sync d/t (unlinked)",
        "rmdir d",
    ];
    assert_eq!(disk.trace(), trace);
    assert_eq!(disk.ops(), trace.len() as u64);
}

#[test]
fn names_lead_only_to_what_the_contract_says() {
    let disk = SimDisk::new();
    disk.write_file("d/f", b"x");
    disk.symlink("to-f", "d/f");
    disk.symlink("d/up", "../d");
    disk.symlink("loop", "/loop");
    disk.fifo("pipe");
    let root = dir(&disk, "/d/up/up");
    assert_eq!(root.entries().unwrap(), ["f", "up"]);
    let root = dir(&disk, "/");
    let kind = |dir: &DirRef, file| dir.open(name(file)).unwrap_err().kind();
    for file in ["to-f", "pipe", "d", "..", "a/b", ""] {
        assert_eq!(kind(&root, file), ErrorKind::InvalidInput, "{file}");
    }
    assert_eq!(kind(&root, "none"), ErrorKind::NotFound);
    assert_eq!(kind(&root, &"n".repeat(256)), ErrorKind::InvalidFilename);
    for file in ["loop", "pipe", "to-f"] {
        assert_eq!(root.open_dir(name(file)).unwrap_err().kind(), ErrorKind::NotADirectory);
    }
    let beneath = |names: [&str; 2]| root.open_beneath(&names.map(Into::into));
    assert_eq!(beneath(["d", "up"]).unwrap_err().kind(), ErrorKind::NotADirectory);
    disk.open_root(Path::new("/loop")).unwrap_err();
    assert_eq!(disk.open_root(Path::new("/d/f")).unwrap_err().kind(), ErrorKind::NotADirectory);
    assert_eq!(disk.open_root(Path::new("d")).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(root.read_link(name("to-f")).unwrap(), Path::new("d/f"));
    assert_eq!(root.stat(name("to-f")).unwrap().kind, Kind::Link);
    assert_eq!(root.stat(name("pipe")).unwrap().kind, Kind::Other);
}

#[test]
fn renames_refuse_what_a_file_system_refuses() {
    let disk = SimDisk::new();
    disk.write_file("a", b"");
    disk.write_file("d/f", b"");
    disk.mkdir("e");
    disk.mount("m/below", 7);
    let (root, d) = (dir(&disk, "/"), dir(&disk, "/d"));
    let to = |old: &str, to: &dyn Dir, new: &str, replace| {
        root.rename(name(old), to, name(new), replace).map_err(|error| error.kind())
    };
    let root_dir = root.as_ref();
    assert_eq!(to("none", root_dir, "b", Replace::Yes), Err(ErrorKind::NotFound));
    assert_eq!(to("a", d.as_ref(), "f", Replace::No), Err(ErrorKind::AlreadyExists));
    assert_eq!(to("a", root_dir, "e", Replace::Yes), Err(ErrorKind::IsADirectory));
    assert_eq!(to("e", root_dir, "a", Replace::Yes), Err(ErrorKind::NotADirectory));
    assert_eq!(to("e", root_dir, "d", Replace::Yes), Err(ErrorKind::DirectoryNotEmpty));
    assert_eq!(to("d", d.as_ref(), "x", Replace::Yes), Err(ErrorKind::InvalidInput));
    let below = dir(&disk, "/m/below");
    assert_eq!(to("a", below.as_ref(), "a", Replace::Yes), Err(ErrorKind::CrossesDevices));
    assert_eq!(below.stat_self().unwrap().id.device, 7);
    let other = dir(&SimDisk::new(), "/");
    assert_eq!(to("a", other.as_ref(), "a", Replace::Yes), Err(ErrorKind::CrossesDevices));
    let mounted = dir(&disk, "/m").remove_dir(name("below")).unwrap_err();
    assert_eq!(mounted.kind(), ErrorKind::ResourceBusy);
    to("d", root_dir, "e", Replace::Yes).unwrap();
    assert_eq!(line(&disk), "a= e/f=");

    let gone = dir(&disk, "/m");
    let m = dir(&disk, "/e");
    m.remove_file(name("f")).unwrap();
    root.remove_dir(name("e")).unwrap();
    assert_eq!(m.create_new(name("x"), Access::Default).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(gone.remove_file(name("below")).unwrap_err().kind(), ErrorKind::IsADirectory);
    assert_eq!(root.remove_dir(name("m")).unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
    assert_eq!(root.remove_dir(name("a")).unwrap_err().kind(), ErrorKind::NotADirectory);
}

#[test]
fn facts_change_with_every_change() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    let file = create(&root, "a", b"ab");
    let first = file.stat().unwrap();
    file.write_all_at(b"AB", 0).unwrap();
    let second = file.stat().unwrap();
    assert_eq!((second.id, second.len, second.links), (first.id, 2, 1));
    assert!(second.mtime_ns > first.mtime_ns);
    file.make_private().unwrap();
    let third = root.stat(name("a")).unwrap();
    assert_eq!(third.mtime_ns, second.mtime_ns);
    assert!(third.ctime_ns > second.ctime_ns);
    disk.hard_link("a", "b");
    assert_eq!(file.stat().unwrap().links, 2);
    let crashed = disk.crash_states(Model::Strict, 100).get(0).unwrap();
    assert_eq!(dir(&crashed, "/").stat(name("b")).unwrap().links, 1);
}

#[test]
fn files_that_may_not_be_written_are_not_opened_for_writing() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    let attributes = disk.attributes("a").unwrap();
    disk.set_attributes("a", Attributes { mode: 0o444, ..attributes });
    let root = dir(&disk, "/");
    let error = root.open_write(name("a")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    let file = root.open(name("a")).unwrap();
    assert_eq!(file.write_all_at(b"y", 0).unwrap_err().kind(), ErrorKind::PermissionDenied);
}

#[test]
fn a_device_says_what_it_was_set_to_say() {
    let disk = SimDisk::new();
    disk.mount("net", 7);
    disk.mkdir("net/below");
    disk.set_file_system("net", FileSystem::Network("NFS"));
    let kind = |disk: &SimDisk, path| dir(disk, path).file_system().unwrap();
    assert_eq!(kind(&disk, "/"), FileSystem::Local);
    assert_eq!(kind(&disk, "/net/below"), FileSystem::Network("NFS"));
    assert_eq!(kind(&disk.kill(), "/net"), FileSystem::Network("NFS"));
}

#[test]
fn a_foreign_removal_is_pending() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    disk.unlink("a");
    assert_eq!(states(&disk, Model::Strict), set(["", "a=x"]));
}

/// What a random workload may do besides creating, writing and syncing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Harm {
    /// It removes and replaces files.
    Some,
    /// It renames only to names that are free.
    None,
}

/// Does a few things at random, among few names, so that they meet.
fn random_work(seed: u64, steps: usize, harm: Harm) -> SimDisk {
    let disk = SimDisk::new();
    disk.write_file("a/x", b"one");
    disk.write_file("b/y", b"two");
    let numbers = FixedClock::new(0, seed);
    let pick = |below: usize| (numbers.random() % below as u64) as usize;
    let dirs = [dir(&disk, "/a"), dir(&disk, "/b")];
    let files = ["x", "y", "z"];
    let replace = if harm == Harm::Some { Replace::Yes } else { Replace::No };
    for step in 0..steps {
        let (from, to) = (&dirs[pick(2)], &dirs[pick(2)]);
        let (old, new) = (name(files[pick(3)]), name(files[pick(3)]));
        // What is refused is no step, but does no harm.
        let _ = match pick(9) {
            0 | 1 => from.create_new(old, Access::Default).map(drop),
            2 | 3 => from.rename(old, to.as_ref(), new, replace),
            4 if harm == Harm::Some => from.remove_file(old),
            5 => from.open_write(old).and_then(|file| file.write_all_at(&[b'0' + step as u8], 0)),
            6 => from.open(old).and_then(|file| file.sync()),
            7 => from.exchange(old, to.as_ref(), new),
            _ => from.sync(),
        };
    }
    disk
}

#[test]
fn samples_and_ordered_states_are_among_the_strict_ones() {
    for seed in 0..300 {
        let disk = random_work(seed, 9, Harm::Some);
        let exact = disk.crash_states(Model::Strict, 1 << 16);
        assert!(exact.is_exact(), "seed {seed}");
        let all: BTreeSet<u64> = exact.iter().map(|disk| disk.fingerprint()).collect();
        assert!(all.contains(&disk.fingerprint()), "seed {seed}: nothing lost");
        for (model, limit) in [(Model::Ordered, 1000), (Model::Strict, exact.len() - 1)] {
            let states = disk.crash_states(model, limit);
            for (index, state) in states.iter().enumerate() {
                let told = states.describe(index);
                assert!(all.contains(&state.fingerprint()), "seed {seed}\n{told}");
            }
        }
    }
}

#[test]
fn no_file_gets_a_second_name_and_none_vanishes_by_renames() {
    for (seed, harm) in (0..300).flat_map(|seed| [(seed, Harm::Some), (seed, Harm::None)]) {
        let disk = random_work(seed, 9, harm);
        for (index, state) in disk.crash_states(Model::Strict, 1 << 16).iter().enumerate() {
            let live = state.state().live.clone();
            let mut inos: Vec<Ino> = live.walk().into_values().collect();
            inos.sort_unstable();
            let all = inos.len();
            inos.dedup();
            assert_eq!(inos.len(), all, "seed {seed} state {index}: two names");
            // The root, two directories and two files were there before.
            let first = [ROOT + 1, ROOT + 2, ROOT + 3, ROOT + 4];
            let there = first.iter().all(|ino| inos.contains(ino));
            assert!(harm == Harm::Some || there, "seed {seed} state {index}: lost");
        }
    }
}

#[test]
fn a_sample_holds_both_ends_and_repeats() {
    let disk = SimDisk::new().with_seed(42);
    disk.write_file("a", b"");
    let file = dir(&disk, "/").open_write(name("a")).unwrap();
    for offset in 0..40 {
        file.write_all_at(b"xy", offset * 2).unwrap();
    }
    let states = disk.crash_states(Model::Strict, 50);
    assert_eq!((states.is_exact(), states.len(), states.seed()), (false, 50, 42));
    let prints = |states: &CrashStates| states.iter().map(|d| d.fingerprint()).collect::<Vec<_>>();
    let prints_first = prints(&states);
    assert_eq!(prints_first[1], disk.fingerprint());
    assert_eq!(states.get(0).unwrap().read("a"), Some(Vec::new()));
    assert_eq!(prints_first, prints(&disk.crash_states(Model::Strict, 50)));
    assert!(prints_first.iter().collect::<BTreeSet<_>>().len() > 45);
    let other = disk.clone().with_seed(43);
    assert_ne!(prints_first, prints(&other.crash_states(Model::Strict, 50)));
    assert!(states.get(50).is_none());
}

#[test]
fn a_state_tells_what_survived() {
    let disk = SimDisk::new();
    create(&dir(&disk, "/"), "a", b"abcd");
    let states = disk.crash_states(Model::Strict, 10);
    assert_eq!(states.describe(0), "Strict state 0 of 5\nlost: create a");
    assert_eq!(states.describe(2), "Strict state 2 of 5\nkept: create a\na: 2 bytes");
    assert_eq!(states.describe(5), "no such state");
}

fn errno<T>(result: std::io::Result<T>) -> Option<i32> {
    result.err().and_then(|error| error.raw_os_error())
}

#[test]
fn an_open_beyond_the_limit_of_handles_fails_and_changes_nothing() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    let root = dir(&disk, "/");
    disk.limit_handles(2);
    let held = root.open(name("a")).unwrap();
    assert_eq!(disk.open_handles(), 2);
    let ops = disk.ops();
    assert_eq!(errno(root.open(name("a"))), Some(24));
    assert_eq!(errno(root.open(name("missing"))), Some(24), "a descriptor is taken first");
    assert_eq!(errno(root.create_new(name("b"), Access::Default)), Some(24));
    assert_eq!(errno(root.open_lock(name("lock"))), Some(24));
    assert_eq!(errno(root.entries()), Some(24));
    assert_eq!(errno(disk.open_root(Path::new("/"))), Some(24));
    assert_eq!((disk.ops(), line(&disk)), (ops, "a=x".to_owned()));
    // A directory is made without a descriptor.
    root.create_dir(name("d"), Access::Default).unwrap();
    assert_eq!(errno(root.open_dir(name("d"))), Some(24));
    drop(held);
    root.open_dir(name("d")).unwrap();
}

#[test]
fn a_single_open_can_be_refused() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    let root = dir(&disk, "/");
    disk.refuse_open(disk.opens() + 1);
    root.open(name("a")).unwrap();
    assert_eq!(errno(root.open(name("a"))), Some(24));
    root.open(name("a")).unwrap();
}

#[test]
fn a_rename_does_not_cross_a_bind_mount_of_the_same_device() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    disk.bind("m", 1);
    let (root, mount) = (dir(&disk, "/"), dir(&disk, "/m"));
    assert_eq!(root.id().unwrap().device, mount.id().unwrap().device);
    for (old, replace) in [("a", Replace::Yes), ("a", Replace::No), ("missing", Replace::Yes)] {
        let refused = root.rename(name(old), mount.as_ref(), name("b"), replace).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::CrossesDevices);
    }
    assert_eq!((root.reaches(&*mount).unwrap(), mount.reaches(&*root).unwrap()), (false, false));
    let refused = root.open_in_mount(&["m".into()]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::CrossesDevices);
    root.open_beneath(&["m".into()]).unwrap();
    mount.create_dir(name("below"), Access::Default).unwrap();
    let below = mount.open_dir(name("below")).unwrap();
    assert!(mount.reaches(&*below).unwrap());
    mount.open_in_mount(&["below".into()]).unwrap();
    create(&mount, "c", b"y");
    rename(&mount, "c", &below, "c");
    disk.bind("empty", 2);
    assert_eq!(root.remove_dir(name("empty")).unwrap_err().kind(), ErrorKind::ResourceBusy);
}

#[test]
fn a_lock_belongs_to_the_file_and_not_to_its_name() {
    let disk = SimDisk::new();
    let root = dir(&disk, "/");
    let first = root.open_lock(name("lock")).unwrap();
    assert!(first.try_lock().unwrap());
    assert!(!root.open_lock(name("lock")).unwrap().try_lock().unwrap());
    disk.unlink("lock");
    let second = root.open_lock(name("lock")).unwrap();
    assert!(second.try_lock().unwrap(), "another file has another lock");
    assert_ne!(first.file().id().unwrap(), second.file().id().unwrap());
    root.rename(name("lock"), root.as_ref(), name("moved"), Replace::Yes).unwrap();
    assert!(!root.open_lock(name("moved")).unwrap().try_lock().unwrap());
    drop(second);
    assert!(root.open_lock(name("moved")).unwrap().try_lock().unwrap());
}
