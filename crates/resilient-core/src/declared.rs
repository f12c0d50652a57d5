//! What the files of a project say about the form of a new file: *.editorconfig* and *.gitattributes*.
//!
//! They are looked for in the directories from the file up to the root of the workspace that holds it,
//! by handle; a link is not followed. What cannot be read or understood says nothing, as both formats
//! want it.

mod attributes;
mod editorconfig;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::disk::{Dir, DirRef, Kind, read_all};
use crate::form::{Declared, FormSource};
use crate::roots::{Roots, Target};

/// A longer file is not looked at.
const LONGEST: u64 = 256 << 10;

/// What the project says about a file that is to be made, by the sources in this order.
pub(crate) fn declared(roots: &Roots, target: &Target, sources: &[FormSource]) -> Declared {
    if sources.is_empty() {
        return Declared::default();
    }
    let mut base = target.path.clone();
    for _ in 0..=target.missing.len() {
        base.pop();
    }
    let way = roots.way_to(&base).unwrap_or_default();
    let said = |source: &FormSource| match source {
        FormSource::EditorConfig => editorconfig::said(&texts(&way, ".editorconfig"), &target.path),
        FormSource::GitAttributes => attributes::said(&texts(&way, ".gitattributes"), &target.path),
    };
    sources.iter().map(said).fold(Declared::default(), Declared::or)
}

/// The files of this name in the parent directories, the root's first, each with its directory.
fn texts<'a>(way: &'a [(PathBuf, DirRef)], name: &str) -> Vec<(&'a Path, String)> {
    let text = |(path, dir): &'a (PathBuf, DirRef)| {
        Some((path.as_path(), text_of(&**dir, OsStr::new(name))?))
    };
    way.iter().filter_map(text).collect()
}

fn text_of(dir: &dyn Dir, name: &OsStr) -> Option<String> {
    let stat = dir.stat(name).ok()?;
    if stat.kind != Kind::File || stat.len > LONGEST {
        return None;
    }
    let bytes = read_all(&*dir.open(name).ok()?, LONGEST).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
