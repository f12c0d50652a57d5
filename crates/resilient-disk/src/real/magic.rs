//! Which file systems Linux knows by which number (`linux/magic.h`, and the file systems' own).

use crate::FileSystem;

/// The kind of a file system, by the number that it answers to `statfs`.
#[allow(clippy::unnecessary_cast, reason = "the widths differ from system to system")]
pub(in super::super) fn kind_of(facts: &rustix::fs::StatFs) -> FileSystem {
    // Some systems give the number with a sign: only its 32 bits count.
    by_number(facts.f_type as u32)
}

/// Whether a file system makes an exchange of two names as a whole, and keeps the number of a file: ext4, XFS,
/// btrfs and tmpfs. Each of the first three logs both names in one transaction; nothing of the last one outlives a
/// loss of power.
///
/// Others may; but overlayfs gives a file another number when it copies it up, and FAT has no log.
#[allow(clippy::unnecessary_cast, reason = "the widths differ from system to system")]
pub(in super::super) fn exchanges_whole(facts: &rustix::fs::StatFs) -> bool {
    matches!(facts.f_type as u32, 0xEF53 | 0x5846_5342 | 0x9123_683E | 0x0102_1994)
}

fn by_number(number: u32) -> FileSystem {
    match number {
        0x6969 => FileSystem::Network("NFS"),
        0x517B | 0xFF53_4D42 | 0xFE53_4D42 => FileSystem::Network("SMB"),
        0x0102_1997 => FileSystem::Network("9p"),
        0x5346_414F | 0x6B41_4653 => FileSystem::Network("AFS"),
        0x7375_7245 => FileSystem::Network("Coda"),
        0x564C => FileSystem::Network("NCP"),
        0x00C3_6400 => FileSystem::Network("Ceph"),
        0x4750_4653 => FileSystem::Network("GPFS"),
        0x0BD0_0BD0 => FileSystem::Network("Lustre"),
        0x1983_0326 => FileSystem::Network("BeeGFS"),
        0x2003_0528 => FileSystem::Network("OrangeFS"),
        0xAAD7_AAEA => FileSystem::Network("PanFS"),
        0x0116_1970 => FileSystem::Network("GFS2"),
        0x7461_636F => FileSystem::Network("OCFS2"),
        // A folder of the host of this virtual machine.
        0x786F_4256 => FileSystem::Network("vboxsf"),
        0xBACB_ACBC => FileSystem::Network("vmhgfs"),
        0x7C7C_6673 => FileSystem::Network("prl_fs"),
        // FUSE, and virtiofs, which uses its number.
        0x6573_5546 => FileSystem::Program,
        // ext2 to ext4, XFS, btrfs, F2FS, ZFS, bcachefs, JFS, ReiserFS, NILFS, UBIFS.
        0xEF53 | 0x5846_5342 | 0x9123_683E | 0xF2F5_2010 | 0x2FC1_2FC1 | 0xCA45_1A4E
        | 0x3153_464A | 0x5265_4973 | 0x3434 | 0x2405_1905
        // FAT, exFAT, NTFS (both drivers), HFS, HFS+, ISO 9660, UDF.
        | 0x4D44 | 0x2011_BAB0 | 0x5346_544E | 0x7366_746E | 0x4244 | 0x482B | 0x9660 | 0x1501_3346
        // tmpfs, ramfs, overlayfs, eCryptfs, SquashFS, EROFS.
        | 0x0102_1994 | 0x8584_58F6 | 0x794C_7630 | 0xF15F | 0x7371_7368 | 0xE0F5_E1E2 => {
            FileSystem::Local
        }
        _ => FileSystem::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_network_from_local() {
        for (number, kind) in [
            (0x6969, FileSystem::Network("NFS")),
            (0xFF53_4D42, FileSystem::Network("SMB")),
            (0x6573_5546, FileSystem::Program),
            (0xEF53, FileSystem::Local),
            (0x794C_7630, FileSystem::Local),
            // That of `/proc`.
            (0x9FA0, FileSystem::Unknown),
        ] {
            assert_eq!(by_number(number), kind, "{number:#x}");
        }
    }
}
