//! *.gitattributes*: `eol`, `working-tree-encoding`, and what makes a file binary.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use ignore::gitignore::GitignoreBuilder;

use crate::form::{AskedEncoding, Declared, Encoding, Eol};

/// A macro inside a macro inside a macro: that is enough.
const DEPTH: usize = 8;

/// What the files say, the root's first; for each attribute the last word counts.
pub(super) fn said(texts: &[(&Path, String)], path: &Path) -> Declared {
    let mut macros = HashMap::from([("binary", "-diff -merge -text")]);
    let mut state: HashMap<String, Option<String>> = HashMap::new();
    for (dir, text) in texts {
        for line in text.lines().map(str::trim) {
            if let Some((name, attributes)) = line
                .strip_prefix("[attr]")
                .and_then(|rest| rest.trim().split_once(char::is_whitespace))
            {
                macros.insert(name, attributes);
            } else if let Some((pattern, attributes)) = rule(line)
                && matches(dir, &pattern, path)
            {
                attributes.split_whitespace().for_each(|it| set(&mut state, &macros, it, DEPTH));
            }
        }
    }
    let value = |name: &str| state.get(name).and_then(Option::as_deref);
    let is_text = state.get("text").is_none_or(Option::is_some);
    let encoding = value("working-tree-encoding").and_then(encoding);
    let eol = match value("eol") {
        Some("lf") => Some(Eol::Lf),
        Some("crlf") => Some(Eol::CrLf),
        _ => None,
    };
    Declared { encoding, eol: eol.filter(|_| is_text) }
}

/// A line's pattern and its attributes.
fn rule(line: &str) -> Option<(Cow<'_, str>, &str)> {
    if line.is_empty() || line.starts_with(['#', '!']) {
        return None;
    }
    let Some(quoted) = line.strip_prefix('"') else {
        let (pattern, attributes) = line.split_once(char::is_whitespace)?;
        return Some((Cow::Borrowed(pattern), attributes));
    };
    let mut pattern = String::new();
    let mut rest = quoted.chars();
    while let Some(character) = rest.next() {
        match character {
            '"' => return Some((Cow::Owned(pattern), rest.as_str())),
            '\\' => pattern.extend(rest.next()),
            other => pattern.push(other),
        }
    }
    None
}

/// Whether a pattern of a file in `dir` is of a path: as in *.gitignore*, but of the path alone.
fn matches(dir: &Path, pattern: &str, path: &Path) -> bool {
    let mut builder = GitignoreBuilder::new(dir);
    let added = builder.add_line(None, pattern).is_ok();
    added
        && path.starts_with(dir)
        && builder.build().is_ok_and(|rules| rules.matched(path, false).is_ignore())
}

/// Sets one attribute: `name`, `-name`, `!name` or `name=value`.
fn set(
    state: &mut HashMap<String, Option<String>>,
    macros: &HashMap<&str, &str>,
    attribute: &str,
    depth: usize,
) {
    if let Some(name) = attribute.strip_prefix('!') {
        state.remove(name);
    } else if let Some(name) = attribute.strip_prefix('-') {
        state.insert(name.to_owned(), None);
    } else if let Some((name, value)) = attribute.split_once('=') {
        state.insert(name.to_owned(), Some(value.to_owned()));
    } else {
        state.insert(attribute.to_owned(), Some(String::new()));
        if let Some(attributes) = macros.get(attribute).filter(|_| depth > 0) {
            attributes.split_whitespace().for_each(|it| set(state, macros, it, depth - 1));
        }
    }
}

/// Git's names: `UTF-16` has a mark, `UTF-16LE` has none, `UTF-16LE-BOM` has one.
fn encoding(name: &str) -> Option<(Encoding, bool)> {
    let is_utf16 = matches!(name.to_ascii_lowercase().as_str(), "utf-16" | "utf16");
    match name.parse() {
        Ok(AskedEncoding::Named { encoding, bom }) => Some((encoding, bom.unwrap_or(is_utf16))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[(&str, &str)], path: &str) -> Declared {
        let texts: Vec<_> =
            texts.iter().map(|(dir, text)| (Path::new(*dir), (*text).to_owned())).collect();
        said(&texts, Path::new(path))
    }

    #[test]
    fn the_last_word_on_each_attribute_counts() {
        let top = "# all\n* text=auto eol=lf\n*.bat eol=crlf\n/docs/*.txt working-tree-encoding=UTF-16LE-BOM\n";
        let texts = [("/w", top), ("/w/docs", "*.bat -text\n\"a b.txt\" !working-tree-encoding\n")];
        let eol = |path| of(&texts, path).eol;
        assert_eq!(eol("/w/a.rs"), Some(Eol::Lf));
        assert_eq!(eol("/w/sub/a.bat"), Some(Eol::CrLf));
        assert_eq!(eol("/w/docs/a.bat"), None, "it is no text");
        let encoding = |path| of(&texts, path).encoding;
        assert_eq!(encoding("/w/docs/a.txt"), Some((Encoding::Utf16Le, true)));
        assert_eq!(encoding("/w/docs/a b.txt"), None);
        assert_eq!(encoding("/w/docs/deeper/a.txt"), None);
    }

    #[test]
    fn macros_are_known() {
        let top = "[attr]legacy eol=crlf working-tree-encoding=latin-1\n*.old legacy\n*.bin eol=lf binary\n";
        let latin = Encoding::named("latin-1").unwrap();
        let old = of(&[("/w", top)], "/w/a.old");
        assert_eq!(old, Declared { encoding: Some((latin, false)), eol: Some(Eol::CrLf) });
        assert_eq!(of(&[("/w", top)], "/w/a.bin"), Declared::default());
        assert_eq!(of(&[("/w", "[attr]a a\n* a\n")], "/w/x"), Declared::default());
    }
}
