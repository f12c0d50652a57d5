//! The promises of the disk seam, on the file system that holds the temporary directory.
#![expect(clippy::disallowed_methods, reason = "what the disk did is checked from outside it")]

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::sync::Barrier;

use super::{RealDisk, move_by_link};
use crate::{Access, DirRef, Disk, FileSystem, Kind, Replace, read_all};

#[cfg(target_os = "linux")]
mod adopt;
mod two_names;

/// A temporary directory and a handle on it.
fn root() -> (tempfile::TempDir, DirRef) {
    let outside = tempfile::tempdir().unwrap();
    let root = RealDisk.open_root(outside.path()).unwrap();
    (outside, root)
}

fn name(name: &str) -> &OsStr {
    OsStr::new(name)
}

fn names(path: &str) -> Vec<OsString> {
    path.split('/').map(OsString::from).collect()
}

fn put(dir: &DirRef, file: &str, bytes: &[u8]) {
    let file = dir.create_new(name(file), Access::Default).unwrap();
    file.write_all_at(bytes, 0).unwrap();
    file.sync().unwrap();
}

fn content(dir: &DirRef, file: &str) -> Vec<u8> {
    read_all(&*dir.open(name(file)).unwrap(), 1 << 20).unwrap()
}

#[track_caller]
fn refused<T>(result: std::io::Result<T>, kind: ErrorKind) {
    assert_eq!(result.err().map(|error| error.kind()), Some(kind));
}

#[test]
#[cfg(target_os = "linux")]
fn an_append_goes_behind_what_another_program_has_added() {
    let (place, root) = root();
    let file = root.create_new(name("a"), Access::Default).unwrap();
    file.write_all_at(b"old", 0).unwrap();
    assert_eq!(file.append(b" ours", 3).unwrap(), 3);
    let mut other = std::fs::OpenOptions::new().append(true).open(place.path().join("a")).unwrap();
    std::io::Write::write_all(&mut other, b" theirs").unwrap();
    assert_eq!(file.append(b" more", 8).unwrap(), 15);
    assert_eq!(std::fs::read(place.path().join("a")).unwrap(), b"old ours theirs more");
}

#[test]
fn a_file_is_written_and_read_by_offset() {
    let (_outside, root) = root();
    let file = root.create_new(name("a"), Access::Default).unwrap();
    file.write_all_at(b"world", 6).unwrap();
    file.write_all_at(b"hello", 0).unwrap();
    file.sync().unwrap();
    assert_eq!(content(&root, "a"), b"hello\0world");

    let mut buf = [0; 8];
    assert_eq!(file.read_at(&mut buf, 8).unwrap(), 3);
    assert_eq!(&buf[..3], b"rld");
    assert_eq!(file.read_at(&mut buf, 11).unwrap(), 0);
    assert_eq!(file.read_at(&mut buf, 1 << 40).unwrap(), 0);

    file.set_len(2).unwrap();
    file.set_len(4).unwrap();
    assert_eq!(content(&root, "a"), b"he\0\0");
    root.open_write(name("a")).unwrap().write_all_at(b"y", 1).unwrap();
    assert_eq!(content(&root, "a"), b"hy\0\0");
}

#[test]
fn facts_of_a_name_and_of_a_handle_agree() {
    let (_outside, root) = root();
    put(&root, "a", b"12345");
    root.create_dir(name("d"), Access::Default).unwrap();

    let by_name = root.stat(name("a")).unwrap();
    assert_eq!((by_name.kind, by_name.len, by_name.links), (Kind::File, 5, 1));
    assert_eq!(root.open(name("a")).unwrap().stat().unwrap(), by_name);
    assert!(by_name.mtime_ns > 1_700_000_000_000_000_000, "in nanoseconds");

    let dir = root.open_dir(name("d")).unwrap();
    assert_eq!(dir.stat_self().unwrap(), root.stat(name("d")).unwrap());
    assert_eq!(dir.stat_self().unwrap().kind, Kind::Dir);
    assert_ne!(dir.stat_self().unwrap().id, by_name.id);
}

#[test]
fn absent_names_are_not_found() {
    let (_outside, root) = root();
    refused(root.open(name("a")), ErrorKind::NotFound);
    refused(root.open_write(name("a")), ErrorKind::NotFound);
    refused(root.open_dir(name("a")), ErrorKind::NotFound);
    refused(root.open_beneath(&names("a/b")), ErrorKind::NotFound);
    refused(root.stat(name("a")), ErrorKind::NotFound);
    refused(root.remove_file(name("a")), ErrorKind::NotFound);
    refused(root.remove_dir(name("a")), ErrorKind::NotFound);
}

#[test]
fn only_single_components_are_names() {
    let (outside, root) = root();
    std::fs::create_dir(outside.path().join("d")).unwrap();
    for hostile in ["", ".", "..", "d/a", "/a", "../a", "d/", "a\0b"] {
        let hostile = name(hostile);
        refused(root.open(hostile), ErrorKind::InvalidInput);
        refused(root.open_dir(hostile), ErrorKind::InvalidInput);
        refused(root.open_beneath(&names_with(hostile)), ErrorKind::InvalidInput);
        refused(root.create_new(hostile, Access::Default), ErrorKind::InvalidInput);
        refused(root.create_dir(hostile, Access::Default), ErrorKind::InvalidInput);
        refused(root.stat(hostile), ErrorKind::InvalidInput);
        refused(root.remove_file(hostile), ErrorKind::InvalidInput);
        refused(root.open_lock(hostile), ErrorKind::InvalidInput);
        refused(root.rename(name("d"), &*root, hostile, Replace::Yes), ErrorKind::InvalidInput);
    }
    assert_eq!(root.entries().unwrap(), ["d"]);
}

fn names_with(last: &OsStr) -> Vec<OsString> {
    vec!["d".into(), last.to_owned()]
}

#[test]
fn a_directory_is_no_file_and_a_file_no_directory() {
    let (_outside, root) = root();
    put(&root, "a", b"");
    root.create_dir(name("d"), Access::Default).unwrap();
    refused(root.open(name("d")), ErrorKind::InvalidInput);
    refused(root.open_write(name("d")), ErrorKind::InvalidInput);
    refused(root.open_lock(name("d")), ErrorKind::InvalidInput);
    refused(root.open_dir(name("a")), ErrorKind::NotADirectory);
    refused(root.open_beneath(&names("a/b")), ErrorKind::NotADirectory);
    assert!(root.remove_file(name("d")).is_err());
    assert!(root.remove_dir(name("a")).is_err());
    assert_eq!(root.entries().unwrap(), ["a", "d"]);
}

#[test]
fn entries_are_sorted_and_listed_anew() {
    let (_outside, root) = root();
    assert!(root.entries().unwrap().is_empty());
    for file in ["b", "a", "B", ".c"] {
        put(&root, file, b"");
    }
    assert_eq!(root.entries().unwrap(), [".c", "B", "a", "b"]);
    root.remove_file(name("B")).unwrap();
    assert_eq!(root.entries().unwrap(), [".c", "a", "b"]);
}

#[test]
fn directories_open_several_components_down() {
    let (outside, root) = root();
    std::fs::create_dir_all(outside.path().join("a/b/c")).unwrap();
    let c = root.open_beneath(&names("a/b/c")).unwrap();
    put(&c, "f", b"deep");
    c.sync().unwrap();
    assert_eq!(std::fs::read(outside.path().join("a/b/c/f")).unwrap(), b"deep");
    let own = root.open_beneath(&[]).unwrap();
    assert_eq!(own.stat_self().unwrap(), root.stat_self().unwrap());
}

#[test]
fn a_new_file_is_exclusive() {
    let (_outside, root) = root();
    put(&root, "a", b"first");
    refused(root.create_new(name("a"), Access::Default), ErrorKind::AlreadyExists);
    refused(root.create_dir(name("a"), Access::Default), ErrorKind::AlreadyExists);
    assert_eq!(content(&root, "a"), b"first");
}

#[test]
fn rename_replaces_only_when_told() {
    let (_outside, root) = root();
    root.create_dir(name("d"), Access::Default).unwrap();
    let dir = root.open_dir(name("d")).unwrap();
    put(&root, "new", b"new");
    put(&dir, "old", b"old");

    let refusal = root.rename(name("new"), &*dir, name("old"), Replace::No);
    refused(refusal, ErrorKind::AlreadyExists);
    assert_eq!((content(&root, "new"), content(&dir, "old")), (b"new".into(), b"old".into()));

    root.rename(name("new"), &*dir, name("free"), Replace::No).unwrap();
    dir.rename(name("free"), &*dir, name("old"), Replace::Yes).unwrap();
    dir.sync().unwrap();
    root.sync().unwrap();
    assert_eq!(content(&dir, "old"), b"new");
    assert_eq!((root.entries().unwrap(), dir.entries().unwrap()), (names("d"), names("old")));
}

#[test]
fn a_move_by_a_second_name_that_fails_leaves_one_name() {
    for (link, remove, end) in
        [(true, true, "link remove"), (true, false, "link remove back"), (false, true, "link")]
    {
        let steps = std::cell::RefCell::new(Vec::new());
        let step = |name, works| {
            steps.borrow_mut().push(name);
            if works { Ok(()) } else { Err(ErrorKind::ResourceBusy.into()) }
        };
        let moved =
            move_by_link(|| step("link", link), || step("remove", remove), || step("back", true));
        assert_eq!(moved.is_ok(), link && remove);
        assert_eq!(steps.into_inner().join(" "), end);
    }
}

#[test]
fn of_eight_contenders_for_a_name_one_wins() {
    let (_outside, root) = root();
    for round in 0..50 {
        let target = format!("target-{round}");
        let start = Barrier::new(8);
        let contend = |number: usize| {
            let own = format!("own-{round}-{number}");
            put(&root, &own, own.as_bytes());
            start.wait();
            let won = root.rename(name(&own), &*root, name(&target), Replace::No);
            won.map(|()| own).map_err(|error| error.kind())
        };
        let contend = &contend;
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|number| scope.spawn(move || contend(number))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!(lost, vec![Err(ErrorKind::AlreadyExists); 7]);
        assert_eq!(won, [Ok(String::from_utf8(content(&root, &target)).unwrap())]);
    }
}

#[test]
fn a_lock_excludes_other_handles_and_dies_with_its_own() {
    let (_outside, root) = root();
    let first = root.open_lock(name("lock")).unwrap();
    let second = root.open_lock(name("lock")).unwrap();
    assert!(first.try_lock().unwrap());
    assert!(!second.try_lock().unwrap());
    first.file().write_all_at(b"note", 0).unwrap();
    first.unlock().unwrap();
    assert!(second.try_lock().unwrap());
    assert_eq!(read_all(second.file(), 100).unwrap(), b"note");
    assert!(!first.try_lock().unwrap());
    drop(second);
    assert!(first.try_lock().unwrap());
}

#[cfg(unix)]
#[test]
fn the_lock_of_a_file_hinders_no_write_and_dies_with_its_handle() {
    let (_outside, root) = root();
    root.create_new(name("a"), Access::Default).unwrap();
    let (mine, yours) = (root.open(name("a")).unwrap(), root.open_write(name("a")).unwrap());
    assert!(mine.try_lock().unwrap() && mine.try_lock().unwrap());
    assert!(!yours.try_lock().unwrap());
    yours.write_all_at(b"cd", 0).unwrap();
    assert_eq!(read_all(&*mine, 10).unwrap(), b"cd");
    drop(mine);
    assert!(yours.try_lock().unwrap());
    yours.unlock().unwrap();
    assert!(root.open(name("a")).unwrap().try_lock().unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_without_a_sync_for_directories_has_nothing_to_wait_for() {
    // This one answers EINVAL.
    let proc = RealDisk.open_root("/proc".as_ref()).unwrap();
    let file = std::fs::File::open("/proc").unwrap();
    assert_eq!(file.sync_all().unwrap_err().raw_os_error(), Some(22));
    proc.sync().unwrap();
    assert_eq!(proc.file_system().unwrap(), FileSystem::Unknown);
}

#[cfg(unix)]
#[test]
fn a_directory_tells_its_file_system() {
    let (_outside, root) = root();
    root.create_dir(name("d"), Access::Default).unwrap();
    let below = root.open_dir(name("d")).unwrap().file_system().unwrap();
    assert_eq!(below, root.file_system().unwrap());
    println!("temporary files are on: {below:?}");
}

#[cfg(unix)]
mod on_unix {
    use std::os::fd::AsFd;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::XattrFlags;

    use super::super::unix::{RealDir, link_new, permissions, walk};
    use super::*;

    fn mode(outside: &tempfile::TempDir, path: &str) -> u32 {
        std::fs::symlink_metadata(outside.path().join(path)).unwrap().permissions().mode() & 0o7777
    }

    fn set_mode(outside: &tempfile::TempDir, path: &str, mode: u32) {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(outside.path().join(path), mode).unwrap();
    }

    #[test]
    fn links_are_refused_everywhere() {
        let (outside, root) = root();
        std::fs::create_dir_all(outside.path().join("d/e")).unwrap();
        put(&root, "file", b"kept");
        symlink("file", outside.path().join("to-file")).unwrap();
        symlink("d", outside.path().join("to-dir")).unwrap();
        symlink("absent", outside.path().join("dangling")).unwrap();

        for link in ["to-file", "to-dir", "dangling"] {
            let link = name(link);
            refused(root.open(link), ErrorKind::InvalidInput);
            refused(root.open_write(link), ErrorKind::InvalidInput);
            refused(root.open_lock(link), ErrorKind::InvalidInput);
            refused(root.open_dir(link), ErrorKind::NotADirectory);
            refused(root.create_new(link, Access::Default), ErrorKind::AlreadyExists);
            refused(root.create_dir(link, Access::Default), ErrorKind::AlreadyExists);
            assert_eq!(root.stat(link).unwrap().kind, Kind::Link);
        }
        refused(root.open_beneath(&names("to-dir/e")), ErrorKind::NotADirectory);
        refused(root.open_beneath(&names("d/../d/e")), ErrorKind::InvalidInput);
        assert_eq!(root.read_link(name("to-file")).unwrap().as_os_str(), "file");
        refused(root.read_link(name("file")), ErrorKind::InvalidInput);

        // A link is renamed and removed as itself.
        put(&root, "new", b"new");
        root.rename(name("new"), &*root, name("to-file"), Replace::Yes).unwrap();
        root.remove_file(name("to-dir")).unwrap();
        assert_eq!(
            (content(&root, "file"), content(&root, "to-file")),
            (b"kept".into(), b"new".into())
        );
        assert_eq!(root.stat(name("d")).unwrap().kind, Kind::Dir);
        assert!(!outside.path().join("absent").exists());
    }

    #[test]
    fn a_link_in_the_middle_is_refused_in_one_call_and_step_by_step() {
        let (outside, root) = root();
        std::fs::create_dir_all(outside.path().join("a/b/c")).unwrap();
        symlink("b", outside.path().join("a/link")).unwrap();
        refused(root.open_beneath(&names("a/link/c")), ErrorKind::NotADirectory);
        refused(root.open_beneath(&names("a/b/../b/c")), ErrorKind::InvalidInput);

        let fd = std::fs::File::open(outside.path()).unwrap();
        let walk = |path| walk(fd.as_fd(), &names(path));
        assert_eq!(walk("a/link/c").err(), Some(rustix::io::Errno::NOTDIR));
        assert_eq!(walk("a/b/d").err(), Some(rustix::io::Errno::NOENT));
        assert!(walk("a/b/c").is_ok());
    }

    #[test]
    fn a_path_too_long_for_one_call_is_walked() {
        let (_outside, root) = root();
        let long = "d".repeat(200);
        let mut path = Vec::new();
        let mut dir = root.open_beneath(&[]).unwrap();
        for _ in 0..25 {
            dir.create_dir(name(&long), Access::Default).unwrap();
            dir = dir.open_dir(name(&long)).unwrap();
            path.push(OsString::from(&long));
        }
        let found = root.open_beneath(&path).unwrap();
        assert_eq!(found.stat_self().unwrap().id, dir.stat_self().unwrap().id);
    }

    #[test]
    fn fifos_sockets_and_devices_are_refused_at_once() {
        let (outside, root) = root();
        let _socket =
            std::os::unix::net::UnixListener::bind(outside.path().join("socket")).unwrap();
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FileType, Mode};
            let fd = std::fs::File::open(outside.path()).unwrap();
            rustix::fs::mknodat(&fd, "fifo", FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        }
        let dev = RealDisk.open_root("/dev".as_ref()).unwrap();

        let specials = [
            (&root, "socket"),
            (&dev, "null"),
            #[cfg(target_os = "linux")]
            (&root, "fifo"),
        ];
        for (dir, special) in specials {
            let special = name(special);
            assert_eq!(dir.stat(special).unwrap().kind, Kind::Other);
            refused(dir.open(special), ErrorKind::InvalidInput);
            refused(dir.open_write(special), ErrorKind::InvalidInput);
            refused(dir.open_dir(special), ErrorKind::NotADirectory);
            refused(dir.create_new(special, Access::Default), ErrorKind::AlreadyExists);
            if special != "null" {
                refused(dir.open_lock(special), ErrorKind::InvalidInput);
            }
        }
    }

    #[test]
    fn where_renames_always_replace_a_link_does_not() {
        let (outside, root) = root();
        put(&root, "new", b"new");
        put(&root, "old", b"old");
        let fd = std::fs::File::open(outside.path()).unwrap().into();
        let link = |to| link_new(&fd, name("new"), &fd, name(to));
        refused(link("old"), ErrorKind::AlreadyExists);
        assert_eq!(root.entries().unwrap(), ["new", "old"]);
        link("free").unwrap();
        assert_eq!(root.entries().unwrap(), ["free", "old"]);
        assert_eq!((content(&root, "free"), content(&root, "old")), (b"new".into(), b"old".into()));
    }

    #[test]
    fn private_is_for_the_user_alone() {
        let (outside, root) = root();
        root.create_new(name("file"), Access::Private).unwrap();
        root.create_dir(name("dir"), Access::Private).unwrap();
        root.open_lock(name("lock")).unwrap();
        let file = root.create_new(name("made"), Access::Default).unwrap();
        set_mode(&outside, "made", 0o644);
        file.make_private().unwrap();
        let modes = ["file", "dir", "lock", "made"].map(|path| mode(&outside, path));
        assert_eq!(modes, [0o600, 0o700, 0o600, 0o600]);
    }

    #[test]
    fn default_access_is_what_the_umask_leaves() {
        let (outside, root) = root();
        std::fs::write(outside.path().join("plain"), "").unwrap();
        std::fs::create_dir(outside.path().join("plain-dir")).unwrap();
        root.create_new(name("file"), Access::Default).unwrap();
        root.create_dir(name("dir"), Access::Default).unwrap();
        assert_eq!(mode(&outside, "file"), mode(&outside, "plain"));
        assert_eq!(mode(&outside, "dir"), mode(&outside, "plain-dir"));
    }

    #[test]
    fn attributes_pass_to_the_new_version() {
        let (outside, root) = root();
        let old = root.create_new(name("old"), Access::Default).unwrap();
        let new = root.create_new(name("new"), Access::Private).unwrap();
        let old_path = outside.path().join("old");
        // A value longer than the first buffer, and an empty one.
        let long = [b'x'; 3000];
        let kept = rustix::fs::setxattr(&old_path, "user.long", &long, XattrFlags::empty())
            .and_then(|()| rustix::fs::setxattr(&old_path, "user.empty", b"", XattrFlags::empty()));
        set_mode(&outside, "old", 0o4751);

        new.copy_attributes(&*old).unwrap();

        assert_eq!(mode(&outside, "new"), 0o4751);
        if kept.is_ok() {
            let new_path = outside.path().join("new");
            let mut buf = vec![0; 4096];
            let len = rustix::fs::getxattr(&new_path, "user.long", buf.as_mut_slice()).unwrap();
            assert_eq!(buf[..len], long);
            let len = rustix::fs::getxattr(&new_path, "user.empty", buf.as_mut_slice()).unwrap();
            assert_eq!(len, 0);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_inherited_access_list_does_not_outlive_the_copy() {
        let (outside, root) = root();
        root.create_dir(name("d"), Access::Default).unwrap();
        let dir = root.open_dir(name("d")).unwrap();
        // Version 2; then tag, permissions and number of: owner, user 12345, group, mask, others.
        let entry = |tag: u16, bits: u16, id: u32| {
            [&tag.to_le_bytes()[..], &bits.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let none = u32::MAX;
        let list = [
            2_u32.to_le_bytes().to_vec(),
            entry(0x01, 7, none),
            entry(0x02, 7, 12_345),
            entry(0x04, 7, none),
            entry(0x10, 7, none),
            entry(0x20, 0, none),
        ]
        .concat();
        let path = outside.path().join("d");
        let set = |list: &str, value: &[u8]| {
            rustix::fs::setxattr(&path, list, value, XattrFlags::empty())
        };
        if set("system.posix_acl_default", &list).is_err() {
            return; // This file system has no access lists.
        }
        let old = root.create_new(name("old"), Access::Default).unwrap();
        set_mode(&outside, "old", 0o640);
        let new = dir.create_new(name("new"), Access::Default).unwrap();
        let has_list = || {
            let new = outside.path().join("d/new");
            rustix::fs::getxattr(new, "system.posix_acl_access", [0_u8; 64].as_mut_slice()).is_ok()
        };
        assert!(has_list());

        new.copy_attributes(&*old).unwrap();

        assert!(!has_list());
        assert_eq!(mode(&outside, "d/new"), 0o640);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_may_only_be_searched_is_entered() {
        let (outside, root) = root();
        std::fs::create_dir_all(outside.path().join("d/e")).unwrap();
        set_mode(&outside, "d/e", 0o311);
        set_mode(&outside, "d", 0o311);
        for dir in [root.open_beneath(&names("d/e")), root.open_beneath(&names("d"))] {
            let dir = dir.unwrap();
            put(&dir, "a", b"in");
            assert_eq!(content(&dir, "a"), b"in");
        }
        let dir = root.open_dir(name("d")).unwrap();
        set_mode(&outside, "d", 0o700);
        set_mode(&outside, "d/e", 0o700);
        assert_eq!(dir.entries().unwrap(), ["a", "e"]);
        dir.sync().unwrap();
    }

    #[test]
    fn without_the_old_owner_nobody_gains_access() {
        assert_eq!(permissions(0o100_755, true, true), 0o755);
        assert_eq!(permissions(0o106_755, true, true), 0o6755);
        assert_eq!(permissions(0o106_755, false, true), 0o2755);
        // A foreign group gets what others have.
        assert_eq!(permissions(0o106_770, true, false), 0o4700);
        assert_eq!(permissions(0o100_664, true, false), 0o644);
        assert_eq!(permissions(0o100_604, true, false), 0o644);
    }

    /// While a directory and a link to the outside trade places, nothing gets outside.
    #[test]
    fn a_swapped_directory_leads_nobody_outside() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicBool, Ordering};

        let (inside, root) = root();
        let outside = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(inside.path().join("a/b")).unwrap();
        std::fs::create_dir_all(outside.path().join("b")).unwrap();
        symlink(outside.path(), inside.path().join("link")).unwrap();
        let fd = std::fs::File::open(inside.path()).unwrap();
        let over = AtomicBool::new(false);

        let home = root.open_beneath(&names("a/b")).unwrap().stat_self().unwrap().id;

        let (opened, refusals) = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(&fd, "a", &fd, "link", exchange).unwrap();
                }
            });
            let path = names("a/b");
            let attempt = |number: usize| {
                let dir: DirRef = match number % 2 {
                    0 => root.open_beneath(&path)?,
                    _ => Arc::new(RealDir::new(walk(fd.as_fd(), &path)?)),
                };
                if number % 100 < 2 {
                    dir.create_new(name(&format!("file-{number}")), Access::Default)?;
                }
                match dir.stat_self()?.id == home {
                    true => Ok(()),
                    false => Err(std::io::Error::other("elsewhere")),
                }
            };
            let (mut opened, mut refusals) = (0, Vec::new());
            // A refusal costs little, so bounded by opened directories and not by attempts.
            for number in 0..10_000_000 {
                match attempt(number) {
                    Ok(()) if opened == 10_000 => break,
                    Ok(()) => opened += 1,
                    Err(error) => {
                        refusals.push(error.kind());
                        std::thread::yield_now();
                    }
                }
            }
            over.store(true, Ordering::Relaxed);
            (opened, refusals)
        });

        assert_eq!(std::fs::read_dir(outside.path().join("b")).unwrap().count(), 0);
        assert_eq!(opened, 10_000);
        assert_eq!(refusals.iter().find(|kind| **kind != ErrorKind::NotADirectory), None);
    }
}

#[test]
fn a_rename_reaches_a_directory_of_the_same_mount_and_the_question_changes_nothing() {
    let top = tempfile::tempdir().unwrap();
    std::fs::create_dir(top.path().join("d")).unwrap();
    let root = RealDisk.open_root(top.path()).unwrap();
    let below = root.open_dir(std::ffi::OsStr::new("d")).unwrap();
    assert!(root.reaches(&*below).unwrap());
    assert!(below.reaches(&*root).unwrap());
    assert!(below.entries().unwrap().is_empty());
    #[cfg(target_os = "linux")]
    assert!(!root.reaches(&*RealDisk.open_root(std::path::Path::new("/proc")).unwrap()).unwrap());
}
