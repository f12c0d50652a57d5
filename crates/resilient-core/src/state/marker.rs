//! What the last writer leaves in the lock file: that it was done, and where the journal ended then.
//!
//! It is written without a sync, after everything that it speaks of was made durable. So a marker
//! that survives a power loss is true. Its sum covers the identities of the files and directories
//! that it speaks of: in a copy of the state directory, or beside another journal, it says nothing.

use super::End;
use crate::digest::Digest;
use crate::disk::FileId;

/// The marker's content.
pub(super) struct CleanMarker {
    pub(super) end: End,
}

const MAGIC: &[u8; 8] = b"rwclean2";
const CHAIN: usize = 32;
const SUM: usize = 16;

impl CleanMarker {
    pub(super) const LEN: usize = MAGIC.len() + 8 + 8 + CHAIN + SUM;

    /// Writes it for these files and directories.
    pub(super) fn encode(&self, of: &[FileId]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.end.len.to_le_bytes());
        bytes.extend(self.end.seq.to_le_bytes());
        let mut chain = self.end.chain.clone().unwrap_or_default().into_bytes();
        chain.resize(CHAIN, b' ');
        bytes.extend(chain);
        let sum = sum(&bytes, of);
        bytes.extend(sum.as_bytes().iter().take(SUM));
        bytes
    }

    /// Reads it; `None` where it is damaged, or speaks of other files.
    pub(super) fn decode(bytes: &[u8], of: &[FileId]) -> Option<Self> {
        let (body, found) = bytes.split_at_checked(Self::LEN - SUM)?;
        let is_sum = found.len() == SUM && sum(body, of).as_bytes().starts_with(found);
        if !is_sum || !body.starts_with(MAGIC) {
            return None;
        }
        let number = |at: usize| body.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        let chain = str::from_utf8(body.get(24..)?).ok()?.trim_end();
        Some(Self {
            end: End {
                len: number(8)?,
                seq: number(16)?,
                chain: (!chain.is_empty()).then(|| chain.to_owned()),
            },
        })
    }
}

fn sum(body: &[u8], of: &[FileId]) -> Digest {
    let mut bytes = body.to_vec();
    for id in of {
        bytes.extend(id.device.to_le_bytes());
        bytes.extend(id.inode.to_le_bytes());
    }
    Digest::of(&bytes)
}
