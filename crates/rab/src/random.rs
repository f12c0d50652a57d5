//! Numbers that look random and are the same for the same seed, on every machine.

/// A SplitMix64 generator (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Begins the sequence of a seed and a name, so that two users of one seed do not share one.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        let name = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(seed ^ name)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// One of several things; the first where there are none to choose from.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let index = usize::try_from(self.below(of.len() as u64)).ok()?;
        of.get(index)
    }

    /// So many characters of an alphabet.
    pub(crate) fn text(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length).filter_map(|_| self.pick(&alphabet)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_and_a_name_another_sequence() {
        // The published first value of SplitMix64 for the state 0.
        assert_eq!(Random(0).next(), 0xe220_a839_7b1d_cdaf);
        let take = |seed, name| Random::new(seed, name).text("abcdefgh", 20);
        assert_eq!(take(1, "log"), take(1, "log"));
        assert_ne!(take(1, "log"), take(2, "log"));
        assert_ne!(take(1, "log"), take(1, "drift"));
        assert!((0..100).all(|seed| Random::new(seed, "x").below(7) < 7));
    }
}
