//! Torn writes: holes in the middle of one write, and between two.

use super::*;

fn with_pending(old: &[u8], writes: &[(&[u8], u64)]) -> SimDisk {
    let disk = SimDisk::new().with_torn_middles();
    disk.write_file("a", old);
    let file = dir(&disk, "/").open_write(name("a")).unwrap();
    for (bytes, offset) in writes {
        file.write_all_at(bytes, *offset).unwrap();
    }
    disk
}

#[test]
fn a_later_part_of_a_write_may_survive_an_earlier_one() {
    let disk = with_pending(b"", &[(b"abcd", 0)]);
    let expected =
        ["a=", "a=ab", "a=0000", "a=000d", "a=a00d", "a=0bcd", "a=a0cd", "a=ab0d", "a=abcd"];
    assert_eq!(states(&disk, Model::Strict), set(expected));
    // A journaling file system keeps what it promises.
    assert_eq!(states(&disk, Model::Ordered), set(["a=", "a=ab", "a=abcd"]));
    // The setting outlives a crash.
    let lost = disk.crash_states(Model::Strict, 100).get(0).unwrap();
    dir(&lost, "/").open_write(name("a")).unwrap().write_all_at(b"abcd", 0).unwrap();
    assert_eq!(states(&lost, Model::Strict), set(expected));
}

#[test]
fn a_hole_holds_the_old_bytes_where_there_were_some() {
    let disk = with_pending(b"wxyz", &[(b"abcd", 0)]);
    assert_eq!(
        states(&disk, Model::Strict),
        set(["a=wxyz", "a=abyz", "a=wxyd", "a=axyd", "a=wbcd", "a=axcd", "a=abyd", "a=abcd"])
    );
}

#[test]
fn holes_begin_and_end_where_sectors_do() {
    let disk = with_pending(b"0123456789", &[]);
    disk.set_sector(4);
    let file = dir(&disk, "/").open_write(name("a")).unwrap();
    // The sectors of the file end at 4 and at 8, which is 2 and 6 in the write.
    file.write_all_at(b"abcdefgh", 2).unwrap();
    assert_eq!(
        states(&disk, Model::Strict),
        set([
            "a=0123456789",
            "a=01ab456789",
            "a=01234567gh",
            "a=01ab4567gh",
            "a=0123cdefgh",
            "a=01abcdefgh"
        ])
    );
}

#[test]
fn an_earlier_write_may_be_lost_and_a_later_one_kept() {
    // Without any setting.
    let disk = SimDisk::new();
    disk.write_file("a", b"");
    let file = dir(&disk, "/").open_write(name("a")).unwrap();
    for (bytes, offset) in [(b"ab", 0), (b"cd", 2), (b"ef", 4)] {
        file.write_all_at(bytes, offset).unwrap();
    }
    let states = states(&disk, Model::Strict);
    for hole in ["a=ab00ef", "a=0000ef", "a=00cdef"] {
        assert!(states.contains(hole), "{hole}");
    }
}

#[test]
fn samples_have_holes_as_well() {
    let disk = with_pending(b"", &[(b"abcd", 0), (b"efgh", 4), (b"ijkl", 8)]);
    let sample = disk.crash_states(Model::Strict, 40);
    assert!(!sample.is_exact());
    let lines: BTreeSet<String> = sample.iter().map(|disk| line(&disk)).collect();
    assert!(lines.iter().any(|line| line.contains("a0cd") || line.contains("e0gh")), "{lines:?}");
}
