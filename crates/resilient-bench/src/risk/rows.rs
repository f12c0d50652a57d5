//! The labelled rows, the code around them, and files of code.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// One labelled text.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Row {
    #[serde(default)]
    pub(super) id: String,
    pub(super) text: String,
    /// `secret`, `benign`, `benign_weak` or `placeholder`.
    pub(super) label: String,
    pub(super) family: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) provider: String,
    pub(super) source: String,
}

impl Row {
    pub(super) fn is_pii(&self) -> bool {
        self.family == "pii"
    }

    pub(super) fn is_obfuscated(&self) -> bool {
        self.source == "obf" || self.source == "obf-control"
    }
}

/// Reads rows from JSON lines, compressed or not.
pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let mut text = String::new();
    if bytes.starts_with(&[0x1F, 0x8B]) {
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text)?;
    } else {
        text = String::from_utf8(bytes)?;
    }
    let rows = text.lines().filter(|line| !line.trim().is_empty());
    rows.map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Twenty lines before and after each row, taken from benign code by the row's number.
#[derive(Debug)]
pub(super) struct Embedding {
    lines: Vec<String>,
}

/// A row in its place.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) text: String,
    /// The row's own bytes.
    pub(super) own: std::ops::Range<usize>,
    /// The row's own lines, from 1.
    pub(super) lines: std::ops::RangeInclusive<usize>,
}

const AROUND: usize = 20;

impl Embedding {
    /// Takes the lines of the benign rows of code.
    pub(super) fn of(rows: &[Row]) -> Result<Self> {
        let code = rows.iter().filter(|row| row.label == "benign" && row.source == "code");
        let lines: Vec<String> = code
            .flat_map(|row| row.text.lines())
            .filter(|line| line.len() < 300 && !line.contains('@'))
            .map(str::to_owned)
            .collect();
        ensure!(lines.len() > 2 * AROUND, "the data has too little benign code");
        Ok(Self { lines })
    }

    /// Sets a text between lines.
    pub(super) fn place(&self, nth: usize, text: &str) -> Placed {
        let at = |offset: usize| {
            let start = (nth * 131 + offset) % (self.lines.len() - AROUND);
            self.lines.get(start..start + AROUND).unwrap_or_default().join("\n")
        };
        let before = at(0) + "\n";
        let own = before.len()..before.len() + text.len();
        let count = text.lines().count().max(1);
        let text = format!("{before}{text}\n{}\n", at(7919));
        Placed { text, own, lines: AROUND + 1..=AROUND + count }
    }
}

/// The text files below some paths, without repetitions.
pub(crate) fn code(paths: &[PathBuf], bytes_max: u64) -> Result<Vec<(PathBuf, String)>> {
    const ENDINGS: [&str; 24] = [
        "rs", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "c", "h", "cc", "cpp", "java",
        "rb", "sh", "toml", "yaml", "yml", "json", "md", "html", "css", "txt",
    ];
    let mut ahead = paths.to_vec();
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    while let Some(path) = ahead.pop() {
        if path.is_dir() {
            let mut inner: Vec<PathBuf> =
                std::fs::read_dir(&path)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
            inner.sort();
            ahead.extend(inner);
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let size = path.symlink_metadata().map_or(0, |of| if of.is_file() { of.len() } else { 0 });
        if !ENDINGS.contains(&ending) || size == 0 || size > bytes_max {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if seen.insert(digest(text.as_bytes())) {
            files.push((path, text));
        }
    }
    Ok(files)
}

/// Texts of a size from everywhere in the code, each of several files.
pub(crate) fn texts(files: &[(PathBuf, String)], count: usize, size: usize) -> Vec<String> {
    let text = |nth: usize| {
        let mut text = String::with_capacity(size + 4);
        for (_, file) in files.iter().cycle().skip(files.len() * nth / count) {
            text.push_str(file);
            if text.len() >= size {
                break;
            }
        }
        let end = (0..=size).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text
    };
    (0..count).map(text).collect()
}

/// Spreads names evenly and the same way on every run.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let mixed = bytes.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mixed = (mixed ^ mixed >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// The fold that a provider's rows belong to.
pub(super) fn fold(provider: &str, folds: u64) -> u64 {
    digest(provider.as_bytes()) % folds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_begin_everywhere_in_the_code_and_have_their_size() {
        let file = |text: &str| (PathBuf::new(), text.to_owned());
        assert_eq!(texts(&[file("aa"), file("bbb")], 2, 4), ["aabb", "bbba"]);
        assert_eq!(texts(&[file("é")], 1, 3), ["é"], "no character is cut");
    }
}
