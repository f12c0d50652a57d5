//! Names beside a new file that many people and some file systems treat as the same name.
//!
//! `Makefile` and `makefile` are two files on Linux and one on macOS and Windows. `é` has two spellings in Unicode,
//! one character or two, which look the same. The answer to the call that makes the second file
//! names the first.
//!
//! Only for a new name, and at a cost that does not grow: a directory that is large by its own length is not
//! listed. There only the spellings of the name in NFC, in NFD and in lower case are looked for.

use unicode_normalization::UnicodeNormalization as _;

use super::{Roots, Target};
use crate::disk::DirRef;
use crate::name::without_case as key;

/// No more twins are told.
const TWINS_MAX: usize = 3;
/// A directory of a greater length is not listed. On ext4 it has one block then: about 150 short names.
const LISTED_LEN_MAX: u64 = 4 * 1024;

impl Roots {
    /// The paths, as they are reported, that differ from a new one only by case or by Unicode normalisation. Of
    /// a path whose directories are new the first of these counts.
    pub(crate) fn twins(&self, target: &Target) -> Vec<String> {
        let name = target.missing.first().unwrap_or(&target.name).to_str();
        let (Some(name), Some(above)) =
            (name, target.path.ancestors().nth(target.missing.len() + 1))
        else {
            return Vec::new();
        };
        let shown = |twin: String| self.show(&above.join(twin));
        twins_in(&target.dir, name).into_iter().map(shown).collect()
    }
}

impl Target {
    /// Whether the file has its name in other letters of case, too: its directory takes them for one name.
    pub(crate) fn has_any_case(&self) -> bool {
        let (Some(stat), Some(name)) = (self.stat, self.name.to_str()) else { return false };
        let turned = |it: char| match it {
            'a'..='z' => it.to_ascii_uppercase(),
            _ => it.to_ascii_lowercase(),
        };
        let other: String = name.chars().map(turned).collect();
        other != name && self.dir.stat(other.as_ref()).is_ok_and(|found| found.id == stat.id)
    }
}

fn twins_in(dir: &DirRef, name: &str) -> Vec<String> {
    let is_small = dir.stat_self().is_ok_and(|stat| stat.len <= LISTED_LEN_MAX);
    if is_small && let Ok(entries) = dir.entries() {
        let key = key(name);
        let known = entries.iter().filter_map(|entry| entry.to_str());
        let twins = known.filter(|known| are_twins(known, name, &key));
        return twins.take(TWINS_MAX).map(str::to_owned).collect();
    }
    let mut spellings = vec![name.nfc().collect(), name.nfd().collect(), name.to_lowercase()];
    spellings.sort();
    spellings.dedup();
    spellings.retain(|spelling: &String| spelling != name && dir.stat(spelling.as_ref()).is_ok());
    spellings
}

/// Whether two names differ, and only by case or normalisation; `key` is that of the second.
fn are_twins(known: &str, name: &str, key_of_name: &str) -> bool {
    let is_same = if known.is_ascii() && name.is_ascii() {
        known.eq_ignore_ascii_case(name)
    } else {
        // The key of a name is at most thrice as long, so that most names need none.
        known.len() <= key_of_name.len() * 3 && key(known) == key_of_name
    };
    is_same && known != name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_by_case_or_normalisation_alone_are_twins() {
        let twins = |one: &str, other: &str| are_twins(one, other, &key(other));
        for (one, other) in [
            ("README.md", "readme.md"),
            ("r\u{e9}sum\u{e9}.txt", "re\u{301}sume\u{301}.txt"),
            ("\u{c9}t\u{e9}", "e\u{301}te\u{301}"),
            ("\u{212b}", "\u{e5}"),
            ("\u{212a}.txt", "k.txt"),
            ("\u{416}\u{419}", "\u{436}\u{438}\u{306}"),
        ] {
            assert!(twins(one, other) && twins(other, one), "{one} {other}");
            assert!(!twins(one, one) && !twins(other, other), "{one} {other}");
        }
        for (one, other) in [("a", "b"), ("resume", "r\u{e9}sum\u{e9}"), ("a.txt", "a.TXTx")] {
            assert!(!twins(one, other) && !twins(other, one), "{one} {other}");
        }
    }
}
