//! What a policy demands of every write: that its content is judged, and how strictly.

use crate::risk::Verdict;

/// How a policy has writes judged: the key `classify` of its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Whether every write is judged, and not only those that ask for it.
    pub by_default: bool,
    /// Refuses content of this verdict or a higher one. A call may ask for a lower one, not for a higher one.
    pub reject_at: Option<Verdict>,
    /// Refuses content with any finding whose own level is high, whatever the score of the whole.
    pub reject_secrets: bool,
}

impl Demand {
    /// The strictest demand: what is judged under it would be refused by no other.
    pub const STRICTEST: Self =
        Self { by_default: true, reject_at: Some(Verdict::Low), reject_secrets: true };

    /// The verdict from which on content is refused, for a call that asks for `asked`. `None` when nobody
    /// has the content judged.
    #[must_use]
    pub fn reject_at(&self, asked: Option<Verdict>) -> Option<Verdict> {
        if asked.is_none() && !self.by_default {
            return None;
        }
        Some(asked.into_iter().chain(self.reject_at).min().unwrap_or(Verdict::High))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_of_call_and_policy_decides() {
        let (low, medium, high) = (Some(Verdict::Low), Some(Verdict::Medium), Some(Verdict::High));
        for (by_default, of_policy, asked, reject_at) in [
            (false, None, None, None),
            (false, None, high, high),
            (false, None, low, low),
            (true, None, None, high),
            (true, low, None, low),
            (true, medium, high, medium),
            (true, medium, low, low),
            (false, medium, None, None),
            (false, medium, high, medium),
        ] {
            let demand = Demand { by_default, reject_at: of_policy, reject_secrets: false };
            assert_eq!(demand.reject_at(asked), reject_at, "{demand:?} {asked:?}");
        }
        assert_eq!(Demand::STRICTEST.reject_at(medium), low);
    }
}
