//! What a directory hands down to new files, compared with files that are created there.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use rustix::fs::XattrFlags;
use rustix::io::Errno;

use super::*;

/// A list as Linux stores it: version 2; then tag, permissions and number of each entry.
fn list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

const NONE: u32 = u32::MAX;

/// Owner, user 12345, group, mask and others; one entry more than a mode can say.
fn with_user() -> Vec<u8> {
    list(&[(0x01, 7, NONE), (0x02, 7, 12_345), (0x04, 5, NONE), (0x10, 7, NONE), (0x20, 1, NONE)])
}

/// Owner, group and others, as a mode says: but no umask takes anything of it.
fn without_mask() -> Vec<u8> {
    list(&[(0x01, 7, NONE), (0x04, 7, NONE), (0x20, 7, NONE)])
}

fn set_default_list(path: &Path, list: &[u8]) -> rustix::io::Result<()> {
    rustix::fs::setxattr(path, "system.posix_acl_default", list, XattrFlags::empty())
}

/// Directories of all kinds, each with its name.
fn directories(outside: &Path) -> Vec<&'static str> {
    let mut made = Vec::new();
    let lists = [("plain", None), ("user", Some(with_user())), ("mode", Some(without_mask()))];
    for (dir, list) in &lists {
        std::fs::create_dir(outside.join(dir)).unwrap();
        if let Some(list) = list {
            match set_default_list(&outside.join(dir), list) {
                Ok(()) => made.push(*dir),
                Err(Errno::OPNOTSUPP) => println!("no access control lists here: {dir} is skipped"),
                Err(error) => panic!("{error}"),
            }
        } else {
            made.push(*dir);
        }
    }
    for (dir, list) in [("group", None), ("both", Some(with_user()))] {
        let path = outside.join(dir);
        std::fs::create_dir(&path).unwrap();
        if let Err(error) = chown(&path, None, Some(12_345)) {
            println!(
                "this user cannot give a directory to another group: {error}: {dir} is skipped"
            );
            continue;
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o2775)).unwrap();
        if list.is_none_or(|list| set_default_list(&path, &list).is_ok()) {
            made.push(dir);
        }
    }
    made
}

/// Group, permission bits and access control list.
fn facts(path: &Path) -> (u32, u32, Option<Vec<u8>>) {
    let metadata = std::fs::metadata(path).unwrap();
    let mut list = vec![0; 1024];
    let read = rustix::fs::getxattr(path, "system.posix_acl_access", list.as_mut_slice());
    let list = read.ok().map(|len| list[..len].to_vec());
    (metadata.gid(), metadata.mode() & 0o7777, list)
}

#[test]
fn a_file_from_elsewhere_is_as_one_that_was_created_in_its_directory() {
    let (outside, root) = root();
    let dirs = directories(outside.path());
    assert!(dirs.contains(&"plain"));
    for (from, to) in dirs.iter().flat_map(|from| dirs.iter().map(move |to| (from, to))) {
        let there = root.open_dir(name(to)).unwrap();
        put(&there, "created", b"");
        let staged = root.open_dir(name(from)).unwrap();
        let file = staged.create_new(name("staged"), Access::Default).unwrap();
        file.adopt_directory(&*there).unwrap();
        staged.rename(name("staged"), &*there, name("adopted"), Replace::Yes).unwrap();
        let [created, adopted] =
            ["created", "adopted"].map(|file| facts(&outside.path().join(to).join(file)));
        assert_eq!(adopted, created, "from {from} to {to}");
        // Again it changes nothing.
        file.adopt_directory(&*there).unwrap();
        assert_eq!(facts(&outside.path().join(to).join("adopted")), created);
        there.remove_file(name("created")).unwrap();
    }
}

#[test]
fn the_directories_of_the_test_hand_something_down() {
    let (outside, root) = root();
    let dirs = directories(outside.path());
    let mut seen: Vec<_> = dirs
        .iter()
        .map(|dir| {
            put(&root.open_dir(name(dir)).unwrap(), "file", b"");
            facts(&outside.path().join(dir).join("file"))
        })
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), dirs.len(), "{dirs:?}");
}
