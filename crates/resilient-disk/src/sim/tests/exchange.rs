//! Exchanges and second names.

use super::*;

/// `tmp/s` with `new` and `t` with `old`, exchanged.
fn exchanged(disk: SimDisk) -> (SimDisk, DirRef, DirRef) {
    disk.write_file("tmp/s", b"new");
    disk.write_file("t", b"old");
    let (tmp, root) = (dir(&disk, "/tmp"), dir(&disk, "/"));
    tmp.exchange(name("s"), &*root, name("t")).unwrap();
    (disk, tmp, root)
}

const BEFORE: &str = "t=old tmp/s=new";
const AFTER: &str = "t=new tmp/s=old";

#[test]
fn an_exchange_is_whole_or_absent_until_one_of_the_directories_is_synced() {
    for first in [false, true] {
        let (disk, tmp, root) = exchanged(SimDisk::new());
        assert_eq!(line(&disk), AFTER);
        assert_eq!(disk.trace().last().unwrap(), "exchange tmp/s <-> t");
        assert_eq!(states(&disk, Model::Strict), set([BEFORE, AFTER]));
        if first { &tmp } else { &root }.sync().unwrap();
        assert!(disk.is_durable());
        assert_eq!(states(&disk, Model::Strict), set([AFTER]));
    }
}

#[test]
fn an_exchange_within_a_directory_is_durable_with_it() {
    let disk = SimDisk::new();
    disk.write_file("a", b"1");
    disk.write_file("b", b"2");
    let root = dir(&disk, "/");
    root.exchange(name("a"), &*root, name("b")).unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["a=1 b=2", "a=2 b=1"]));
    root.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["a=2 b=1"]));
}

#[test]
fn without_a_journal_an_exchange_and_a_rename_come_by_halves() {
    let (disk, tmp, root) = exchanged(SimDisk::new().with_names_by_halves());
    let halves = set([BEFORE, AFTER, "t=new tmp/s=new", "t=old tmp/s=old"]);
    assert_eq!(states(&disk, Model::Strict), halves);
    assert_eq!(states(&disk, Model::Ordered), set([BEFORE, AFTER]));
    tmp.sync().unwrap();
    root.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set([AFTER]));
    rename(&tmp, "s", &root, "u");
    let halves = set([AFTER, "t=new", "t=new tmp/s=old u=old", "t=new u=old"]);
    assert_eq!(states(&disk, Model::Strict), halves);
}

#[test]
fn what_comes_after_an_exchange_needs_it() {
    let (disk, tmp, root) = exchanged(SimDisk::new());
    tmp.remove_file(name("s")).unwrap();
    assert_eq!(states(&disk, Model::Strict), set([BEFORE, AFTER, "t=new"]));
    tmp.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["t=new"]));
    root.sync().unwrap();
    assert!(disk.is_durable());
    assert_eq!(states(&disk, Model::Strict), set(["t=new"]));
}

#[test]
fn an_exchange_that_is_undone_leaves_things_as_they_were() {
    let (disk, tmp, root) = exchanged(SimDisk::new());
    root.exchange(name("t"), &*tmp, name("s")).unwrap();
    assert_eq!(states(&disk, Model::Strict), set([BEFORE, AFTER]));
    let links = |dir: &DirRef, file| dir.stat(name(file)).unwrap().links;
    assert_eq!((links(&root, "t"), links(&tmp, "s")), (1, 1));
}

#[test]
fn an_exchange_needs_both_names_one_device_and_the_right_to_both() {
    let (disk, tmp, root) = exchanged(SimDisk::new());
    let refused = |from: &DirRef, old, to: &DirRef, new| {
        from.exchange(name(old), &**to, name(new)).unwrap_err().kind()
    };
    assert_eq!(refused(&tmp, "s", &root, "absent"), ErrorKind::NotFound);
    assert_eq!(refused(&tmp, "absent", &root, "t"), ErrorKind::NotFound);
    assert_eq!(refused(&root, "tmp", &tmp, "s"), ErrorKind::InvalidInput);
    disk.mount("other", 7);
    disk.write_file("other/f", b"");
    assert_eq!(refused(&root, "t", &dir(&disk, "/other"), "f"), ErrorKind::CrossesDevices);
    disk.chmod("tmp", 0o555);
    assert_eq!(refused(&tmp, "s", &root, "t"), ErrorKind::PermissionDenied);
    assert_eq!(line(&disk), "other/f= t=new tmp/s=old");
    // A name and a second name of the same file stay as they are.
    disk.hard_link("t", "u");
    let syncs = disk.is_durable();
    root.exchange(name("t"), &*root, name("u")).unwrap();
    assert_eq!(disk.is_durable(), syncs);
}

#[test]
fn a_directory_and_a_file_may_be_exchanged() {
    let disk = SimDisk::new();
    disk.write_file("d/f", b"x");
    disk.write_file("t", b"y");
    let root = dir(&disk, "/");
    root.exchange(name("d"), &*root, name("t")).unwrap();
    assert_eq!(line(&disk), "d=y t/f=x");
    assert_eq!(states(&disk, Model::Strict), set(["d/f=x t=y", "d=y t/f=x"]));
}

#[test]
fn a_second_name_survives_with_its_directory() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    disk.mkdir("d");
    let (root, into) = (dir(&disk, "/"), dir(&disk, "/d"));
    root.hard_link(name("a"), &*into, name("b")).unwrap();
    assert_eq!(root.stat(name("a")).unwrap().id, into.stat(name("b")).unwrap().id);
    assert_eq!(root.stat(name("a")).unwrap().links, 2);
    assert_eq!(states(&disk, Model::Strict), set(["a=x", "a=x d/b=x"]));
    // The new name may survive the removal of the old one, and the other way round.
    root.remove_file(name("a")).unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["", "a=x", "a=x d/b=x", "d/b=x"]));
    into.sync().unwrap();
    assert_eq!(states(&disk, Model::Strict), set(["a=x d/b=x", "d/b=x"]));
}

#[test]
fn a_second_name_takes_no_place_and_is_for_files_of_the_user() {
    let disk = SimDisk::new();
    disk.write_file("a", b"x");
    disk.write_file("b", b"y");
    disk.mkdir("d");
    disk.symlink("link", "a");
    let root = dir(&disk, "/");
    let refused = |old, new| root.hard_link(name(old), &*root, name(new)).unwrap_err().kind();
    assert_eq!(refused("a", "b"), ErrorKind::AlreadyExists);
    assert_eq!(refused("absent", "c"), ErrorKind::NotFound);
    assert_eq!(refused("d", "c"), ErrorKind::PermissionDenied);
    let theirs = Attributes { mode: 0o644, uid: 0, gid: 0, xattrs: BTreeMap::new() };
    disk.set_attributes("a", theirs.clone());
    assert_eq!(refused("a", "c"), ErrorKind::PermissionDenied);
    disk.set_attributes("a", Attributes { mode: 0o666, ..theirs });
    root.hard_link(name("a"), &*root, name("c")).unwrap();
    // Of a link the name itself.
    root.hard_link(name("link"), &*root, name("other")).unwrap();
    assert_eq!(root.stat(name("other")).unwrap().kind, Kind::Link);
}
