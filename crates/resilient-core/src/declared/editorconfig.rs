//! *.editorconfig*: `charset` and `end_of_line`.

use std::path::Path;

use ec4rs::ConfigParser;

use crate::form::{Declared, Encoding, Eol};

/// What the files say, the root's first; the last word counts.
pub(super) fn said(texts: &[(&Path, String)], path: &Path) -> Declared {
    let (mut charset, mut end_of_line) = (None, None);
    // The lowest one that calls itself the root hides those above it.
    let from = texts.iter().rposition(|(_, text)| is_root(text)).unwrap_or_default();
    for (dir, text) in texts.get(from..).unwrap_or_default() {
        let text = understood(text);
        let (Ok(mut parser), Ok(below)) =
            (ConfigParser::new(text.as_bytes()), path.strip_prefix(dir))
        else {
            continue;
        };
        while let Ok(section) = parser.read_section() {
            if !section.applies_to(below) {
                continue;
            }
            for (key, value) in section.props().iter() {
                let value = value.into_str().trim().to_ascii_lowercase();
                match key {
                    "charset" => charset = Some(value),
                    "end_of_line" => end_of_line = Some(value),
                    _ => {}
                }
            }
        }
    }
    Declared {
        encoding: charset.as_deref().and_then(encoding),
        eol: match end_of_line.as_deref() {
            Some("lf") => Some(Eol::Lf),
            Some("crlf") => Some(Eol::CrLf),
            Some("cr") => Some(Eol::Cr),
            _ => None,
        },
    }
}

fn is_root(text: &str) -> bool {
    ConfigParser::new(understood(text).as_bytes()).is_ok_and(|parser| parser.is_root)
}

/// The lines that are comments, sections or pairs; any other is to be passed over.
fn understood(text: &str) -> String {
    let is_one = |line: &&str| {
        let line = line.trim();
        line.starts_with(['#', ';'])
            || line.starts_with('[') == line.ends_with(']') && {
                line.contains('=') || line.starts_with('[')
            }
    };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    text.lines().filter(is_one).fold(String::new(), |all, line| all + line + "\n")
}

fn encoding(charset: &str) -> Option<(Encoding, bool)> {
    match charset {
        "utf-8" => Some((Encoding::Utf8, false)),
        "utf-8-bom" => Some((Encoding::Utf8, true)),
        // Editors write the mark, without which nobody can tell.
        "utf-16le" => Some((Encoding::Utf16Le, true)),
        "utf-16be" => Some((Encoding::Utf16Be, true)),
        other => Encoding::named(other).map(|encoding| (encoding, false)),
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
    fn the_nearest_file_and_the_last_section_count() {
        let top =
            "root = true\n[*]\nend_of_line = crlf\ncharset = latin1\n[*.sh]\nend_of_line = lf\n";
        let texts = [("/w", top), ("/w/a", "[*.{txt,md}]\ncharset=utf-8-bom\n")];
        let latin = Encoding::named("latin1").unwrap();
        let expected =
            |encoding, bom, eol| Declared { encoding: Some((encoding, bom)), eol: Some(eol) };
        assert_eq!(of(&texts, "/w/x.c"), expected(latin, false, Eol::CrLf));
        assert_eq!(of(&texts, "/w/a/x.sh"), expected(latin, false, Eol::Lf));
        assert_eq!(of(&texts, "/w/a/b/x.md"), expected(Encoding::Utf8, true, Eol::CrLf));
        let hidden = [("/w", top), ("/w/a", "root=true\n[*]\ncharset=utf-16le\n")];
        assert_eq!(
            of(&hidden, "/w/a/x"),
            Declared { encoding: Some((Encoding::Utf16Le, true)), eol: None }
        );
    }

    #[test]
    fn what_is_unset_or_makes_no_sense_says_nothing() {
        let text =
            "nonsense\n[*]\r\nend_of_line = crlf\r\nmore nonsense\n[*.a]\nend_of_line=unset\n[";
        assert_eq!(of(&[("/w", text)], "/w/x.b").eol, Some(Eol::CrLf));
        assert_eq!(of(&[("/w", text)], "/w/x.a"), Declared::default());
        assert_eq!(of(&[("/w", "[*]\ncharset = rot13\n")], "/w/x"), Declared::default());
    }
}
