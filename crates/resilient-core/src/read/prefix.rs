//! A digest of what a walk through a file has read.

use super::{Opened, count_in};
use crate::digest::Hasher;
use crate::error::Result;

/// A prefix is digested in pieces that end at multiples of this.
const LEAF: u64 = 64 << 10;

/// How many bytes of a chain value and of the digest are kept.
pub(super) const CHAIN_LEN: usize = 8;
pub(super) const TIP_LEN: usize = 6;

/// A digest of the bytes from `from` to a cursor's offset. It grows with every window, without
/// reading the earlier ones again.
///
/// `chain` is of all pieces that are complete: each digest is of the one before and the piece's
/// bytes. `tip` is the same with the last piece, as far as it goes. Of both no more is kept than what no
/// accident repeats; the long form of a token has all of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    pub(super) from: u64,
    pub(super) chain: Vec<u8>,
    pub(super) tip: Vec<u8>,
}

/// A prefix while it grows.
struct Growing {
    at: u64,
    chain: Vec<u8>,
    piece: Hasher,
}

impl Growing {
    fn new(at: u64, chain: Vec<u8>) -> Self {
        let mut piece = Hasher::default();
        piece.update(&chain);
        Self { at, chain, piece }
    }

    fn absorb(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = count_in(LEAF - self.at % LEAF);
            let (piece, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            self.piece.update(piece);
            self.at += piece.len() as u64;
            bytes = rest;
            if self.at.is_multiple_of(LEAF) {
                let digest = self.piece.finish();
                let chain = digest.as_bytes().iter().copied().take(self.chain.len());
                *self = Self::new(self.at, chain.collect());
            }
        }
    }

    /// The prefix, with so many bytes of its digest.
    fn prefix(&self, from: u64, tip: usize) -> Prefix {
        let digest = self.piece.finish();
        let tip = digest.as_bytes().iter().copied().take(tip).collect();
        Prefix { from, chain: self.chain.clone(), tip }
    }
}

impl Prefix {
    pub(super) fn empty(at: u64) -> Self {
        Growing::new(at, vec![0; CHAIN_LEN]).prefix(at, TIP_LEN)
    }

    /// Whether it has the lengths that tokens have now.
    pub(super) fn is_short(&self) -> bool {
        (self.chain.len(), self.tip.len()) == (CHAIN_LEN, TIP_LEN)
    }

    /// The prefix of a file from `from` to `upto`, all of which is read; nothing where the file is shorter.
    fn of(opened: &Opened, from: u64, upto: u64, chain: usize, tip: usize) -> Result<Option<Self>> {
        const PIECE: u64 = 1 << 20;
        let mut growing = Growing::new(from, vec![0; chain]);
        while growing.at < upto {
            let bytes = opened.bytes(growing.at, count_in((upto - growing.at).min(PIECE)))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            growing.absorb(&bytes);
        }
        Ok(Some(growing.prefix(from, tip)))
    }

    /// Where its last piece begins.
    fn last_piece(&self, upto: u64) -> u64 {
        self.from.max(upto - upto % LEAF)
    }

    /// The prefix with the bytes that follow it; nothing when its last piece has changed meanwhile.
    pub(super) fn extended(
        &self,
        opened: &Opened,
        upto: u64,
        bytes: &[u8],
    ) -> Result<Option<Self>> {
        if !self.is_short() {
            let Some(short) = self.in_short(opened, upto)? else { return Ok(None) };
            return short.extended(opened, upto, bytes);
        }
        let begin = self.last_piece(upto);
        let mut growing = Growing::new(begin, self.chain.clone());
        growing.absorb(&opened.bytes(begin, count_in(upto - begin))?);
        if growing.prefix(self.from, self.tip.len()).tip != self.tip {
            return Ok(None);
        }
        growing.absorb(bytes);
        Ok(Some(growing.prefix(self.from, TIP_LEN)))
    }

    /// The same prefix as tokens have it now; nothing when the file does not begin so.
    pub(super) fn in_short(&self, opened: &Opened, upto: u64) -> Result<Option<Self>> {
        if !self.holds(opened, upto)? {
            return Ok(None);
        }
        Self::of(opened, self.from, upto, CHAIN_LEN, TIP_LEN)
    }

    /// Whether the file still begins so: reads all of it again.
    pub(super) fn holds(&self, opened: &Opened, upto: u64) -> Result<bool> {
        let now = Self::of(opened, self.from, upto, self.chain.len(), self.tip.len())?;
        Ok(now.as_ref() == Some(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_does_not_depend_on_the_windows_it_grew_by() {
        let bytes: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
        let mut whole = Growing::new(1000, vec![0; 8]);
        whole.absorb(&bytes);
        for size in [1000, 4096, 65_535, 65_536, 299_999] {
            let mut growing = Growing::new(1000, vec![0; 8]);
            bytes.chunks(size).for_each(|window| growing.absorb(window));
            assert_eq!(growing.prefix(1000, 6), whole.prefix(1000, 6), "{size}");
        }
        let mut other = Growing::new(1000, vec![0; 8]);
        let mut changed = bytes.clone();
        changed[0] ^= 1;
        other.absorb(&changed);
        assert_ne!(other.prefix(1000, 6), whole.prefix(1000, 6));
    }
}
