//! On which lines matches begin.

use super::endings::Match;

/// How many line numbers are listed.
pub(super) const LINES_LISTED_MAX: usize = 50;

/// The lines on which the first of the matches begin, counted from 1.
pub(super) fn first_lines(text: &[u8], matches: &[Match], lines_max: usize) -> Vec<u64> {
    let mut line = 1;
    let mut counted_to = 0;
    let mut lines = Vec::new();
    for found in matches.iter().take(lines_max) {
        let between = text.get(counted_to..found.range.start).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count() as u64;
        counted_to = found.range.start;
        lines.push(line);
    }
    lines
}
