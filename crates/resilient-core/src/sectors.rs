//! Checksums of appended bytes, one for each sector that they touch.
//!
//! A disk writes a sector whole or not at all, a file's length changes in one step, and a kill ends a
//! write only between pages ([`append_by_pages`](crate::disk::append_by_pages)). So what a crash leaves
//! of an append is, sector by sector, what was appended or zeros; anything else was written by
//! somebody else. Unlike a copy of the bytes, checksums cost no wait of their own, and the journal
//! keeps nothing of the text.
//!
//! The row has them, or, for a long append, a slot: a row does not grow with what is appended.

use std::io;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::disk::{File, read_all, read_up_to};

/// The smallest sector in use; larger ones are multiples of it.
const SECTOR: u64 = 512;
/// Hex digits kept of a sector's SHA-256. One in four billion foreign sectors passes for ours, and
/// only as the end of a file that was otherwise left as it was before the crash.
const DIGITS: usize = 8;
/// The row has the checksums of so many sectors (32 KiB), and no more.
const IN_ROW: usize = 64;
/// No slot has more of them, in bytes: they are those of an append of 4 GiB.
const MOST_IN_SLOT: u64 = 64 << 20;

/// Where the checksums of what was appended are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Sectors {
    /// In the row.
    InRow(Sums),
    /// In a slot, which exists until the append is durable.
    InSlot {
        /// Digest of what the slot holds.
        sha256: Digest,
        /// The slot's name.
        slot: String,
    },
}

impl Sectors {
    pub(crate) fn slot(&self) -> Option<&str> {
        match self {
            Self::InRow(_) => None,
            Self::InSlot { slot, .. } => Some(slot),
        }
    }
}

/// The checksums of what was appended, in the order of the sectors: 8 hex digits for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sums(String);

impl Sums {
    /// Reads what a slot holds; `None` where that has another digest.
    pub(crate) fn read(slot: &dyn File, sha256: Digest) -> io::Result<Option<Self>> {
        let bytes = match read_all(slot, MOST_IN_SLOT) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(None),
            other => other?,
        };
        let is_whole = Digest::of(&bytes) == sha256;
        Ok(String::from_utf8(bytes).ok().filter(|_| is_whole).map(Self))
    }

    /// Whether they are so many that they belong into a slot.
    pub(crate) fn are_many(&self) -> bool {
        self.0.len() > IN_ROW * DIGITS
    }

    /// What a slot holds of them.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Sums up `bytes` that are appended at offset `at`.
    pub(crate) fn of(bytes: &[u8], at: u64) -> Self {
        let mut sums = String::new();
        let mut rest = bytes;
        let mut offset = at;
        while !rest.is_empty() {
            let to_boundary = (SECTOR - offset % SECTOR) as usize;
            let (piece, after) = rest.split_at(to_boundary.min(rest.len()));
            sums.push_str(&sum(piece));
            offset += piece.len() as u64;
            rest = after;
        }
        Self(sums)
    }

    /// Whether all that a file holds from `at` on may be what a crash left of the append of
    /// `added` bytes.
    pub(crate) fn explain(&self, file: &dyn File, at: u64, added: u64) -> io::Result<bool> {
        let len = file.stat()?.len;
        Ok(len <= at.saturating_add(added) && self.compare(file, at, len, false)?)
    }

    /// Whether a file holds all of the `added` bytes from `at` on. More may follow.
    pub(crate) fn are_whole(&self, file: &dyn File, at: u64, added: u64) -> io::Result<bool> {
        let end = at.saturating_add(added);
        Ok(file.stat()?.len >= end && self.compare(file, at, end, true)?)
    }

    /// Whether each sector of a file between two places is what was appended, or, unless it has to be whole,
    /// zeros.
    fn compare(&self, file: &dyn File, at: u64, end: u64, whole: bool) -> io::Result<bool> {
        let mut sums = self.0.as_bytes().chunks(DIGITS);
        let mut offset = at;
        let mut buffer = [0; SECTOR as usize];
        while offset < end {
            let to = (offset + SECTOR - offset % SECTOR).min(end);
            let want = (to - offset) as usize;
            let expected = sums.next();
            let piece = buffer.get_mut(..want).unwrap_or_default();
            let read = read_up_to(file, piece, offset)?;
            let piece = piece.get(..read).unwrap_or_default();
            let ours = read == want && expected == Some(sum(piece).as_bytes());
            if !ours && (whole || piece.iter().any(|byte| *byte != 0)) {
                return Ok(false);
            }
            offset = to;
        }
        Ok(true)
    }
}

fn sum(piece: &[u8]) -> String {
    let mut hex = Digest::of(piece).to_string();
    hex.truncate(DIGITS);
    hex
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::disk::{Access, Disk, RealDisk};

    /// Where the append begins: in the middle of a sector.
    const AT: u64 = 700;

    fn appended() -> Vec<u8> {
        (0..2000_u32).map(|n| b'a' + (n % 23) as u8).collect()
    }

    /// Whether a file that ends in `tail` may be what is left of the append.
    fn is_explained(tail: &[u8]) -> bool {
        let dir = tempfile::tempdir().unwrap();
        let root = RealDisk.open_root(dir.path()).unwrap();
        let file = root.create_new(OsStr::new("log"), Access::Default).unwrap();
        file.write_all_at(&vec![b'-'; AT as usize], 0).unwrap();
        file.write_all_at(tail, AT).unwrap();
        Sums::of(&appended(), AT).explain(&*file, AT, 2000).unwrap()
    }

    #[test]
    fn there_is_a_sum_for_each_sector_that_is_touched() {
        // 700..1024, 1024..1536, 1536..2048, 2048..2560, 2560..2700
        assert_eq!(Sums::of(&appended(), AT).0.len(), 5 * DIGITS);
        assert_eq!(Sums::of(&[b'x'; 512], 512).0.len(), DIGITS);
        assert_eq!(Sums::of(b"", 512).0, "");
    }

    #[test]
    fn a_row_has_the_sums_of_32_kib_and_no_more() {
        assert!(!Sums::of(&[b'x'; 32 * 1024], 512).are_many());
        assert!(Sums::of(&[b'x'; 32 * 1024 + 1], 512).are_many());
        assert!(Sums::of(&[b'x'; 32 * 1024], 511).are_many(), "one sector more");
    }

    #[test]
    fn a_row_tells_sums_from_a_slot() {
        for sectors in [
            Sectors::InRow(Sums::of(b"abc", 0)),
            Sectors::InSlot { sha256: Digest::of(b""), slot: "s".to_owned() },
        ] {
            let text = serde_json::to_string(&sectors).unwrap();
            assert_eq!(serde_json::from_str::<Sectors>(&text).unwrap(), sectors, "{text}");
        }
    }

    #[test]
    fn what_a_crash_leaves_is_explained() {
        let whole = appended();
        assert!(is_explained(&[]));
        assert!(is_explained(&whole));
        assert!(is_explained(&whole[..1024 - 700]), "cut at the end of a sector");
        assert!(is_explained(&whole[..2048 - 700]));
        assert!(is_explained(&[0; 2000]), "only the length came");
        let mut hole = whole.clone();
        hole[324..836].fill(0);
        assert!(is_explained(&hole), "one sector did not come");
        hole[1860..].fill(0);
        assert!(is_explained(&hole[..1900]), "zeros explain any length");
    }

    #[test]
    fn what_somebody_else_wrote_is_not() {
        let whole = appended();
        assert!(!is_explained(b"another line\n"));
        assert!(!is_explained(&whole[..300]), "no crash cuts a sector");
        assert!(!is_explained(&[&whole[..], b"x"].concat()), "more than was appended");
        let mut changed = whole.clone();
        changed[1000] = b'!';
        assert!(!is_explained(&changed));
        assert!(!is_explained(&[&whole[..324], b"somebody else's"].concat()));
    }
}
