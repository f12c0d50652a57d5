//! Permissions: what a user without privileges is refused, and with which error.

use std::io;

use super::*;

fn errno<T: std::fmt::Debug>(result: io::Result<T>) -> Option<i32> {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    error.raw_os_error().filter(|_| cfg!(unix))
}

const EACCES: Option<i32> = if cfg!(unix) { Some(13) } else { None };
const EPERM: Option<i32> = if cfg!(unix) { Some(1) } else { None };

/// `d` with the file `f` and the directory `e`, and a handle on `d` that was opened with that mode.
fn with_mode(mode: u32) -> (SimDisk, DirRef) {
    let disk = SimDisk::new();
    disk.write_file("d/f", b"x");
    disk.mkdir("d/e");
    disk.chmod("d", mode);
    let handle = dir(&disk, "/d");
    (disk, handle)
}

#[test]
fn a_directory_that_is_not_readable_can_be_written_but_neither_listed_nor_synced() {
    let (disk, dir) = with_mode(0o311);
    create(&dir, "new", b"").sync().unwrap();
    assert_eq!(errno(dir.entries()), EACCES);
    assert_eq!(errno(dir.sync()), EACCES);
    assert!(!disk.is_durable(), "a sync that failed made something durable");
    // A sync opens the directory again when it could not be read before.
    disk.chmod("d", 0o755);
    dir.sync().unwrap();
    assert!(disk.is_durable());
    // A handle that could be read when it was opened can be synced ever after.
    let readable = super::dir(&disk, "/d");
    disk.chmod("d", 0o311);
    readable.sync().unwrap();
    assert_eq!(errno(readable.entries()), EACCES);
}

#[test]
fn a_directory_that_is_not_writable_keeps_its_names() {
    let (disk, dir) = with_mode(0o555);
    disk.write_file("outside", b"");
    let root = super::dir(&disk, "/");
    assert_eq!(errno(dir.create_new(name("new"), Access::Default)), EACCES);
    assert_eq!(errno(dir.create_dir(name("new"), Access::Default)), EACCES);
    assert_eq!(errno(dir.remove_file(name("f"))), EACCES);
    assert_eq!(errno(dir.remove_dir(name("e"))), EACCES);
    assert_eq!(errno(dir.rename(name("f"), &*root, name("g"), Replace::Yes)), EACCES);
    for replace in [Replace::Yes, Replace::No] {
        assert_eq!(errno(root.rename(name("outside"), &*dir, name("new"), replace)), EACCES);
    }
    // A name that is there is told before the lack of a right is.
    let taken = dir.create_new(name("f"), Access::Default).unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
    dir.open_write(name("f")).unwrap().write_all_at(b"y", 0).unwrap();
    dir.sync().unwrap();
}

#[test]
fn a_directory_that_may_not_be_searched_finds_no_name() {
    let (_, dir) = with_mode(0o644);
    assert_eq!(errno(dir.open(name("f"))), EACCES);
    assert_eq!(errno(dir.stat(name("f"))), EACCES);
    assert_eq!(errno(dir.stat(name("absent"))), EACCES);
    assert_eq!(errno(dir.open_dir(name("e"))), EACCES);
    assert_eq!(errno(dir.create_new(name("new"), Access::Default)), EACCES);
    // It was readable when it was opened.
    dir.sync().unwrap();
    let (disk, _) = with_mode(0o644);
    assert_eq!(errno(disk.open_root(Path::new("/d/e"))), EACCES);
}

#[test]
fn a_file_is_opened_as_its_bits_permit() {
    let (disk, dir) = with_mode(0o755);
    disk.chmod("d/f", 0o444);
    dir.open(name("f")).unwrap();
    assert_eq!(errno(dir.open_write(name("f"))), EACCES);
    disk.chmod("d/f", 0o200);
    assert_eq!(errno(dir.open(name("f"))), EACCES);
    // Files of others: the bits of the group for its members, else those of all others.
    let theirs = Attributes { mode: 0o640, uid: 0, gid: 50, ..disk.attributes("d/f").unwrap() };
    disk.set_attributes("d/f", theirs);
    assert_eq!(errno(dir.open(name("f"))), EACCES);
    disk.join_group(50);
    let file = dir.open(name("f")).unwrap();
    assert_eq!(errno(dir.open_write(name("f"))), EACCES);
    assert_eq!(errno(file.make_private()), EPERM);
}

#[test]
fn a_sticky_directory_keeps_names_for_their_owners() {
    let (disk, root) = with_mode(0o777);
    let dir_of_another = Attributes { mode: 0o1777, uid: 0, gid: 0, xattrs: BTreeMap::new() };
    disk.set_attributes("d", dir_of_another.clone());
    disk.set_attributes("d/f", Attributes { mode: 0o666, ..dir_of_another });
    assert_eq!(errno(root.remove_file(name("f"))), EPERM);
    create(&root, "mine", b"");
    let replaced = root.rename(name("mine"), &*root, name("f"), Replace::Yes);
    assert_eq!(errno(replaced), EPERM);
    root.remove_file(name("mine")).unwrap();
    root.remove_dir(name("e")).unwrap();
}

#[test]
fn a_new_file_gets_what_its_directory_hands_down() {
    let (disk, target) = with_mode(0o755);
    disk.mkdir("tmp");
    let tmp = super::dir(&disk, "/tmp");
    let xattrs = BTreeMap::from([
        ("system.posix_acl_default".to_owned(), b"list".to_vec()),
        ("security.selinux".to_owned(), b"label".to_vec()),
    ]);
    disk.set_attributes("d", Attributes { mode: 0o2755, uid: 1000, gid: 50, xattrs });
    create(&target, "created", b"");
    let staged = create(&tmp, "staged", b"");
    let plain = disk.attributes("tmp/staged").unwrap();
    staged.adopt_directory(&*target).unwrap();
    let created = disk.attributes("d/created").unwrap();
    assert_eq!((created.mode, created.gid, created.xattrs.len()), (0o644, 50, 2));
    assert_eq!(created.xattrs["system.posix_acl_access"], b"list");
    // A user who is not in the group cannot give a file to it.
    let adopted = disk.attributes("tmp/staged").unwrap();
    assert_eq!(adopted, Attributes { gid: 1000, ..created.clone() });
    disk.join_group(50);
    staged.adopt_directory(&*target).unwrap();
    assert_eq!(disk.attributes("tmp/staged").unwrap(), created);
    assert_eq!(disk.trace().last().unwrap(), "adopt tmp/staged by d");
    // It is durable with the file, and what changes nothing is no operation.
    tmp.sync().unwrap();
    let lost = disk.crash_states(Model::Strict, 1000).get(0).unwrap();
    assert_eq!(lost.attributes("tmp/staged").unwrap(), plain);
    staged.sync().unwrap();
    let ops = disk.ops();
    staged.adopt_directory(&*target).unwrap();
    assert_eq!(disk.ops(), ops);
    // Back where it was made it loses the group and the list. No file is without a label again.
    staged.adopt_directory(&*tmp).unwrap();
    let back = disk.attributes("tmp/staged").unwrap();
    assert_eq!((back.gid, back.xattrs.len()), (1000, 1));
    // Directories hand on what they were handed.
    target.create_dir(name("below"), Access::Default).unwrap();
    let below = disk.attributes("d/below").unwrap();
    assert_eq!((below.mode, below.gid, below.xattrs.len()), (0o2755, 50, 3));
}

#[test]
fn a_file_cannot_be_given_away() {
    let (disk, dir) = with_mode(0o755);
    let theirs = Attributes { mode: 0o6775, uid: 0, gid: 50, ..disk.attributes("d/f").unwrap() };
    disk.set_attributes("d/f", theirs);
    let file = create(&dir, "copy", b"");
    file.copy_attributes(&*dir.open(name("f")).unwrap()).unwrap();
    let copied = disk.attributes("d/copy").unwrap();
    assert_eq!((copied.mode, copied.uid, copied.gid), (0o755, 1000, 1000));
    disk.join_group(50);
    file.copy_attributes(&*dir.open(name("f")).unwrap()).unwrap();
    let copied = disk.attributes("d/copy").unwrap();
    assert_eq!((copied.mode, copied.uid, copied.gid), (0o2775, 1000, 50));
}
