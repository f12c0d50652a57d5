//! Here-documents: where one is announced, and where its lines end.

use std::ops::Range;

use super::super::form::Form;
use super::super::language::Language;
use super::super::syntax::Kind;
use super::super::{window_after, window_before};
use super::{Lexer, NEAR};

/// What announces a here-document.
static HERE: Form =
    Form::of(r#"^<<([-~]?)[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\[^\n]|[^\s'"\\;&|<>()`])+)"#);
static HERE_RUBY: Form = Form::of(r#"^<<([-~]?)((?:['"`][^'"`\n]+|[A-Za-z_]\w*)['"`]?)"#);
static HERE_PHP: Form = Form::of(r#"^<<(<)[ \t]*(['"]?[A-Za-z_]\w*['"]?)"#);

/// A here-document whose body is to come.
pub(super) struct Here {
    word: String,
    kind: Kind,
    may_indent: bool,
}

impl Lexer<'_> {
    /// Notes `<<WORD`, whose lines come after this one.
    pub(super) fn here_begins(&mut self) -> bool {
        let here = match self.language {
            Language::Shell | Language::Dockerfile => &HERE,
            Language::Ruby => &HERE_RUBY,
            Language::Php => &HERE_PHP,
            _ => return false,
        };
        if self.language.is_shell() && self.rest().starts_with(b"<<<") {
            self.at += 3;
            return true;
        }
        let line = window_before(self.text, self.at, NEAR).rsplit('\n').next().unwrap_or_default();
        // In arithmetic it shifts.
        let is_shift = line.matches("((").count() > line.matches("))").count();
        let near = window_after(self.text, self.at, NEAR);
        let Some(found) = here.captures(near).filter(|_| !is_shift) else { return false };
        let [whole, indents, word] =
            [0, 1, 2].map(|nth| found.get(nth).map_or("", |part| part.as_str()));
        // What is added to a list is no here-document.
        let is_name = word.starts_with(|c: char| c.is_ascii_lowercase()) && indents.is_empty();
        if self.language == Language::Ruby && (is_name || self.is_behind_value()) {
            return false;
        }
        let quoted = word.contains(['\'', '\\']) || word.contains('"') && self.language.is_shell();
        let kind = match quoted {
            // Another shell may read it.
            true if self.language.is_shell() => Kind::Unknown,
            true => Kind::Inert,
            false => Kind::Expanded,
        };
        let end = self.at + whole.len();
        let place = end - word.len()..end;
        let word = word.replace(['\'', '"', '`', '\\'], "");
        self.heres.push(Here { word, kind, may_indent: !indents.is_empty() });
        // The quote behind the word does not open a string.
        self.at = end;
        self.here_word(place);
        true
    }

    /// Passes the word of a here-document, which no quote may change in one of its two places.
    fn here_word(&mut self, place: Range<usize>) {
        if self.language.is_shell() {
            self.push(Kind::Unknown, place.clone(), place);
        }
    }

    /// Takes the here-documents that begin after this line feed.
    pub(super) fn here_documents(&mut self) {
        self.at += 1;
        for here in std::mem::take(&mut self.heres) {
            let start = self.at;
            let mut end = None;
            for line in self.text.get(start..).unwrap_or_default().split_inclusive('\n') {
                let bare = if here.may_indent { line.trim_start() } else { line };
                self.at += line.len();
                let behind = bare.strip_prefix(&here.word).filter(|behind| match self.language {
                    Language::Php => !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
                    _ => behind.trim_end_matches(['\n', '\r']).is_empty(),
                });
                if let Some(behind) = behind {
                    end = Some(self.at - line.len());
                    // Code goes on there.
                    self.at -= behind.len();
                    break;
                }
            }
            let after = self.at;
            self.lost |= end.is_none();
            let end = end.unwrap_or(after);
            self.push(here.kind, start..end, start..end);
            self.at = after;
            self.here_word(after.saturating_sub(here.word.len()).max(end)..after);
        }
    }
}
