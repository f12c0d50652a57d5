//! Line ends, and which of them a text mostly has.

use memchr::memchr_iter;
use serde::Serialize;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Eol {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// `\r`, where a file has no `\n` at all. Elsewhere it is an ordinary character.
    Cr,
}

impl Eol {
    /// The line end whose `\n` stands at `line_feed`.
    pub(crate) fn at(text: &[u8], line_feed: usize) -> Self {
        let before = line_feed.checked_sub(1).and_then(|at| text.get(at));
        if before == Some(&b'\r') { Self::CrLf } else { Self::Lf }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// The more frequent of two line ends, if one is.
    pub(crate) fn dominant(ends: impl Iterator<Item = Self>) -> Option<Self> {
        let mut found = Ends::default();
        ends.for_each(|end| found.add(end));
        if found.lf == found.crlf { None } else { found.most() }
    }
}

/// How often each line end occurs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    lf: usize,
    crlf: usize,
    cr: usize,
    last: Option<Eol>,
}

impl Ends {
    /// Counts the line ends of bytes in which ASCII stands for itself.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut ends = Self::default();
        memchr_iter(b'\n', bytes).for_each(|at| ends.add(Eol::at(bytes, at)));
        if ends.last.is_none() {
            ends.cr = memchr_iter(b'\r', bytes).count();
        }
        ends
    }

    fn add(&mut self, end: Eol) {
        match end {
            Eol::Lf => self.lf += 1,
            Eol::CrLf => self.crlf += 1,
            Eol::Cr => self.cr += 1,
        }
        self.last = Some(end);
    }

    /// The most frequent; of two that are as frequent, the last.
    pub(super) fn most(self) -> Option<Eol> {
        match self.lf.cmp(&self.crlf) {
            std::cmp::Ordering::Less => Some(Eol::CrLf),
            std::cmp::Ordering::Greater => Some(Eol::Lf),
            std::cmp::Ordering::Equal => self.last.or((self.cr > 0).then_some(Eol::Cr)),
        }
    }

    pub(super) fn are_mixed(self) -> bool {
        self.lf > 0 && self.crlf > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_line_end_counts_and_a_mixture_is_noticed() {
        let of = |bytes: &[u8]| (Ends::of(bytes).most(), Ends::of(bytes).are_mixed());
        assert_eq!(of(b"a"), (None, false));
        assert_eq!(of(b"a\nb\r\nc\n"), (Some(Eol::Lf), true));
        assert_eq!(of(b"a\r\nb\n"), (Some(Eol::Lf), true));
        assert_eq!(of(b"a\nb\r\n"), (Some(Eol::CrLf), true));
        assert_eq!(of(b"a\r\nb\r"), (Some(Eol::CrLf), false));
        assert_eq!(of(b"a\rb\r"), (Some(Eol::Cr), false));
    }
}
