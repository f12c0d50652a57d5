//! The lines with marks of a text that comes in blocks.
//!
//! [`guard`](super::guard) looks at a mark only where the new text has its line more often than the
//! old one. Whether there is such a line is told here in bounded memory. Where there is one, the
//! guard needs both texts whole: it compares the line with each line that goes, and the classifier
//! has to score the old text at once, since a secret may span lines and what surrounds a secret
//! counts. So this is never more than a shorter way to the guard's "yes", and refuses nothing.

use std::collections::HashMap;

use memchr::memmem;

use super::mark;

/// What every mark has.
pub const MARK: &[u8] = b"REDACTED";

/// So many bytes of lines are kept, and a line is no longer.
const KEPT_MAX: usize = 1024 * 1024;

/// How often a new text has each line with marks, less how often the old text has it.
#[derive(Debug, Default)]
pub struct MarkedLines {
    counts: HashMap<String, i64>,
    /// The sum of the lengths of the lines.
    kept: usize,
    /// The beginning of a line whose rest has not come yet.
    cut: Vec<u8>,
    /// Whether `cut` is not all of the beginning, which was too long and had no mark.
    is_beheaded: bool,
    /// Whether there was more than may be kept, so that the counts are not known.
    overflows: bool,
}

impl MarkedLines {
    /// Counts the lines of the next block of the new text.
    pub fn add(&mut self, block: &[u8]) {
        self.each_line(block, Self::add_line);
    }

    /// Counts the last line of the new text, where it has no end.
    pub fn finish_new(&mut self) {
        self.each_line(b"\n", Self::add_line);
    }

    /// Counts the lines of the next block of the old text, after the whole of the new one.
    pub fn take(&mut self, block: &[u8]) {
        self.each_line(block, Self::take_line);
    }

    /// Whether there may be a line with marks that the new text has more often than the old one.
    pub fn may_remain(&self) -> bool {
        self.overflows || self.counts.values().any(|count| *count > 0)
    }

    fn add_line(&mut self, line: &str) {
        if mark::find(line).is_empty() {
            return;
        }
        if let Some(count) = self.counts.get_mut(line) {
            *count += 1;
            return;
        }
        self.kept += line.len();
        if self.kept > KEPT_MAX {
            self.overflow();
        } else {
            self.counts.insert(line.to_owned(), 1);
        }
    }

    fn take_line(&mut self, line: &str) {
        if let Some(count) = self.counts.get_mut(line) {
            *count -= 1;
        }
    }

    /// Shows each line that ends in this block and may have a mark, as [`guard`](super::guard)
    /// takes it from the whole text.
    fn each_line(&mut self, block: &[u8], see: fn(&mut Self, &str)) {
        for piece in block.split_inclusive(|byte| *byte == b'\n') {
            if self.overflows {
                return;
            }
            let ends = piece.ends_with(b"\n");
            if ends && self.cut.is_empty() {
                self.look(piece, see);
                continue;
            }
            self.cut.extend_from_slice(piece);
            if self.cut.len() > KEPT_MAX {
                self.behead();
            }
            if ends {
                let line = std::mem::take(&mut self.cut);
                if self.is_beheaded && memmem::find(&line, MARK).is_some() {
                    self.overflow();
                } else {
                    self.look(&line, see);
                }
                self.is_beheaded = false;
            }
        }
    }

    fn look(&mut self, line: &[u8], see: fn(&mut Self, &str)) {
        if memmem::find(line, MARK).is_some() {
            see(self, String::from_utf8_lossy(line).trim());
        }
    }

    /// Drops the beginning of a line that is too long, except for its last bytes: a mark may begin
    /// in them.
    fn behead(&mut self) {
        if memmem::find(&self.cut, MARK).is_some() {
            return self.overflow();
        }
        let dropped = self.cut.len() - (MARK.len() - 1);
        self.cut.drain(..dropped);
        self.is_beheaded = true;
    }

    fn overflow(&mut self) {
        *self = Self { overflows: true, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::guard;
    use super::*;
    use crate::Policy;

    /// Whether a line may remain when the texts come in blocks of this length.
    fn may_remain(old: &[u8], new: &[u8], block: usize) -> bool {
        let mut lines = MarkedLines::default();
        new.chunks(block).for_each(|block| lines.add(block));
        lines.finish_new();
        old.chunks(block).for_each(|block| lines.take(block));
        lines.take(b"\n");
        assert!(lines.cut.capacity() <= 4 * KEPT_MAX && lines.kept <= KEPT_MAX);
        lines.may_remain()
    }

    #[test]
    fn a_line_remains_that_the_new_text_has_more_often() {
        let line = "a = <REDACTED:x:1>";
        for block in [1, 3, 7, 8, 1000] {
            let remains = |old: &str, new: &str| may_remain(old.as_bytes(), new.as_bytes(), block);
            assert!(remains("", line));
            assert!(remains("a = hunter22\n", &format!("{line}\n")));
            assert!(remains(line, &format!("{line}\n{line}")));
            assert!(remains(line, "a = <REDACTED:x:2>"), "another mark");
            assert!(!remains(&format!("x\n\t{line} \r\ny"), &format!("z\n{line}")));
            assert!(!remains(&format!("{line}\n{line}"), &format!("\u{3000}{line}\n")));
            assert!(!remains("", "REDACTED is no mark\n"));
            assert!(!remains("", ""));
        }
        assert!(!may_remain(b"\xff\n<REDACTED>\n\xc3\n", b"<REDACTED>", 2));
        assert!(may_remain(b"\xff<REDACTED>", b"<REDACTED>", 2));
    }

    #[test]
    fn a_line_of_any_length_takes_bounded_memory() {
        let long = vec![b'x'; 5 * KEPT_MAX];
        let with = |mark: &str| [&long, mark.as_bytes(), &long].concat();
        for block in [100_000, 128 * 1024] {
            assert!(!may_remain(b"", &with(""), block), "no mark in it");
            assert!(may_remain(b"", &with("<REDACTED>"), block), "not known to be safe");
            assert!(may_remain(&with("<REDACTED>"), b"<REDACTED>", block));
            assert!(may_remain(&with("<REDACTED>"), &with("<REDACTED>"), block));
        }
        let many: String = (0..100_000).map(|n| format!("line {n} <REDACTED:x:{n}>\n")).collect();
        assert!(may_remain(many.as_bytes(), many.as_bytes(), 1000), "more than may be kept");
    }

    /// A text of few different lines, so that many are in two of them.
    fn text() -> impl Strategy<Value = String> {
        let lines = [
            "",
            "key = hunter22",
            "key = <REDACTED:x:1>",
            "  key = <REDACTED:x:1>\r",
            "key = \"<REDACTED>\"",
            "hunter2222",
            "<REDACTED:x:2>",
            "{REDACTED} [REDACTED",
            "REDACTED",
            "\u{2028}<REDACTED:x:2>\u{a0}",
        ];
        let line = prop::sample::select(lines.to_vec());
        prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn what_the_guard_refuses_remains(old in text(), new in text(), block in 1..20_usize) {
            let refused = guard(&old, &new, &Policy::default()).is_some();
            prop_assert!(!refused || may_remain(old.as_bytes(), new.as_bytes(), block));
        }
    }
}
