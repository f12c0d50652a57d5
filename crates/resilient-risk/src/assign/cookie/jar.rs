//! A file of cookies as `curl -c` and browsers' tools write it: seven cells with tabs between them on each line.

use super::super::near;
use super::{Cookie, Read};

/// So much of a file is read.
const FILE_MAX: usize = 1_000_000;

/// Reads the file whose first line has a word: `# Netscape HTTP Cookie File`.
pub(super) fn read(text: &[u8], end: usize) -> Option<Read> {
    const CELLS: usize = 7;
    let mut at = end;
    let mut cookies = Vec::new();
    let file = near(text, end, FILE_MAX);
    if !file.starts_with(b" File") {
        return None;
    }
    for line in file.split_inclusive(|byte| *byte == b'\n') {
        let cells: Vec<_> = line.trim_ascii_end().split(|byte| *byte == b'\t').collect();
        if let [lead @ .., name, value] = cells.as_slice()
            && cells.len() == CELLS
        {
            let start = at + lead.iter().map(|cell| cell.len() + 1).sum::<usize>();
            let behind = start + name.len() + 1;
            cookies.push(Cookie {
                name: start..start + name.len(),
                value: behind..behind + value.len(),
            });
        } else if !line.starts_with(b"#") && !line.trim_ascii().is_empty() && at > end {
            break;
        }
        at += line.len();
    }
    Some((cookies, at))
}
