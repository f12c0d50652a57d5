//! Exchanges and second names.

use super::*;

#[test]
fn an_exchange_swaps_what_two_names_lead_to() {
    let (_outside, root) = root();
    root.create_dir(name("d"), Access::Default).unwrap();
    let dir = root.open_dir(name("d")).unwrap();
    put(&root, "a", b"1");
    put(&dir, "b", b"2");
    let ids = |root: &DirRef, dir: &DirRef| {
        (root.stat(name("a")).unwrap().id, dir.stat(name("b")).unwrap().id)
    };
    let (a, b) = ids(&root, &dir);
    match root.exchange(name("a"), &*dir, name("b")) {
        Ok(()) => {
            assert_eq!((content(&root, "a"), content(&dir, "b")), (b"2".to_vec(), b"1".to_vec()));
            assert_eq!(ids(&root, &dir), (b, a));
        }
        // A file system without the call changes nothing.
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert_eq!(ids(&root, &dir), (a, b));
            return;
        }
    }
    refused(root.exchange(name("absent"), &*dir, name("b")), ErrorKind::NotFound);
    refused(root.exchange(name("a"), &*dir, name("absent")), ErrorKind::NotFound);
    refused(root.exchange(name("a"), &*dir, name("../a")), ErrorKind::InvalidInput);
    assert_eq!(ids(&root, &dir), (b, a));
}

#[test]
fn a_second_name_leads_to_the_same_file() {
    let (_outside, root) = root();
    root.create_dir(name("d"), Access::Default).unwrap();
    let dir = root.open_dir(name("d")).unwrap();
    put(&root, "a", b"1");
    root.hard_link(name("a"), &*dir, name("b")).unwrap();
    let (a, b) = (root.stat(name("a")).unwrap(), dir.stat(name("b")).unwrap());
    assert_eq!((a.id, a.links), (b.id, 2));
    refused(root.hard_link(name("a"), &*dir, name("b")), ErrorKind::AlreadyExists);
    refused(root.hard_link(name("absent"), &*dir, name("c")), ErrorKind::NotFound);
    refused(root.hard_link(name("a"), &*dir, name("../c")), ErrorKind::InvalidInput);
    assert!(root.hard_link(name("d"), &*root, name("e")).is_err());
}
