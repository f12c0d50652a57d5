//! Plain English: phrases that a reader has to solve like a riddle, and sentences that are too long.
//!
//! `plain.toml` has the phrases, each with what to write in its place, and the exceptions, each with
//! its reason. A page also has to begin with a sentence that says what the reader learns. All rules
//! hold for documents, the phrases alone for comments. An exception that is not needed is a fault.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::prose::{self, Block};

/// `plain.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plain {
    /// How many words a sentence of a document may have.
    pub longest: usize,
    /// How a page begins after its heading.
    pub opening: String,
    /// The files and directories that are not checked, relative to the workspace.
    pub left_out: Vec<String>,
    /// The phrases.
    pub riddle: Vec<Riddle>,
    /// What stays as it is.
    #[serde(default)]
    pub exception: Vec<Exception>,
}

/// A way of saying something that readers have to solve.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Riddle {
    /// The phrases, in lower case.
    pub phrases: Vec<String>,
    /// What to write in their place.
    pub instead: String,
    /// A sentence with similar words that is plain.
    pub harmless: String,
}

/// A text that stays as it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The file, relative to the workspace.
    pub file: String,
    /// A part of the block or of the sentence.
    pub text: String,
    /// Why it stays.
    pub reason: String,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page in Markdown.
    Page,
    /// A Rust source, of which the comments count.
    Source,
}

impl Plain {
    /// Reads the table.
    ///
    /// # Errors
    /// The file cannot be read, or it has another form.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        toml::from_str(&text).with_context(|| format!("{}", file.display()))
    }

    /// Whether a file is checked.
    pub fn checks(&self, file: &str) -> bool {
        !self.left_out.iter().any(|prefix| Path::new(file).starts_with(prefix))
    }

    /// What is wrong with the files, each with its name and its text.
    pub fn faults<'a>(&self, files: impl Iterator<Item = (Kind, &'a str, &'a str)>) -> Vec<String> {
        let mut used = vec![false; self.exception.len()];
        let mut faults = Vec::new();
        for (kind, file, text) in files.filter(|(_, file, _)| self.checks(file)) {
            let found: Vec<Fault> = match kind {
                Kind::Page => {
                    let blocks = prose::of_page(text);
                    let of_block = |block| [self.riddles(block), self.too_long(block)].concat();
                    let mut found: Vec<_> = blocks.iter().flat_map(of_block).collect();
                    found.extend(self.wrong_opening(&blocks));
                    found
                }
                Kind::Source => {
                    prose::of_comments(text).iter().flat_map(|block| self.riddles(block)).collect()
                }
            };
            for fault in found {
                let mut is_excepted = false;
                for (exception, used) in self.exception.iter().zip(&mut used) {
                    if exception.file == file && fault.text.contains(&exception.text) {
                        (is_excepted, *used) = (true, true);
                    }
                }
                if !is_excepted {
                    faults.push(format!("{file}:{}: {}: {}", fault.line, fault.rule, fault.text));
                }
            }
        }
        let unused = self.exception.iter().zip(used).filter(|(_, used)| !used);
        faults.extend(unused.map(|(exception, _)| {
            format!("{}: no longer an exception: {}", exception.file, exception.text)
        }));
        faults
    }

    fn wrong_opening(&self, blocks: &[Block]) -> Option<Fault> {
        let mut blocks = blocks.iter().map(|block| block.0.as_slice());
        let first = blocks.find(|block| !block.iter().any(|word| word.text.starts_with('#')))?;
        let text = prose::shown(first);
        let line = first.first().map_or(0, |word| word.line);
        let rule = format!("a page begins with \"{} says ...\"", self.opening);
        (!text.starts_with(&self.opening)).then_some(Fault { line, rule, text })
    }

    fn riddles(&self, block: &Block) -> Vec<Fault> {
        let mut faults = Vec::new();
        for riddle in &self.riddle {
            for phrase in &riddle.phrases {
                for at in block.find(phrase) {
                    let around = block.0.get(at.saturating_sub(8)..).unwrap_or_default();
                    let around = around.get(..20).unwrap_or(around);
                    faults.push(Fault {
                        line: block.0.get(at).map_or(0, |word| word.line),
                        rule: format!("\"{phrase}\" is a riddle, write {}", riddle.instead),
                        text: prose::shown(around),
                    });
                }
            }
        }
        faults
    }

    fn too_long(&self, block: &Block) -> Vec<Fault> {
        let mut faults = Vec::new();
        for sentence in block.sentences() {
            let length = prose::length(sentence);
            if length > self.longest {
                faults.push(Fault {
                    line: sentence.first().map_or(0, |word| word.line),
                    rule: format!("{length} words, {} at most", self.longest),
                    text: prose::shown(sentence),
                });
            }
        }
        faults
    }
}

/// One place that breaks a rule.
#[derive(Debug, Clone)]
struct Fault {
    line: usize,
    rule: String,
    text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Plain {
        Plain::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("plain.toml")).unwrap()
    }

    fn faults(plain: &Plain, kind: Kind, text: &str) -> Vec<String> {
        plain.faults([(kind, "a.md", text)].into_iter())
    }

    /// Without the rule of the opening, too, so that a test may give a part of a page.
    fn without_exceptions() -> Plain {
        Plain { exception: Vec::new(), opening: String::new(), ..plain() }
    }

    #[test]
    fn a_page_begins_with_what_the_reader_learns() {
        let plain = Plain { exception: Vec::new(), ..plain() };
        let page = |text: &str| faults(&plain, Kind::Page, &format!("# A page\n\n{text}\n")).len();
        assert_eq!(page("This page says how. More.\n\nOther."), 0);
        assert_eq!(page("It says how.\n\nThis page does."), 1);
        assert_eq!(page("## The question\n\nWhat is it?"), 1);
        assert_eq!(faults(&plain, Kind::Source, "// It says how."), [""; 0]);
    }

    #[test]
    fn every_phrase_is_found_in_pages_and_comments() {
        let plain = without_exceptions();
        for phrase in plain.riddle.iter().flat_map(|riddle| &riddle.phrases) {
            assert_eq!(phrase, &phrase.to_lowercase());
            for (kind, text) in [
                (Kind::Page, format!("Here {phrase} something.")),
                (Kind::Page, format!("| a | {phrase}: `x` |")),
                (Kind::Source, format!("/// Here\n/// {phrase}.\nstruct A;")),
            ] {
                let found = faults(&plain, kind, &text);
                let wanted = format!("\"{phrase}\"");
                assert!(found.iter().any(|fault| fault.contains(&wanted)), "{phrase}: {found:?}");
            }
        }
    }

    #[test]
    fn plain_sentences_are_not_found() {
        let plain = without_exceptions();
        for Riddle { harmless, instead, phrases } in &plain.riddle {
            assert_eq!(faults(&plain, Kind::Page, harmless), [""; 0]);
            assert_eq!(faults(&plain, Kind::Page, &format!("Write {instead}.")), [""; 0]);
            for phrase in phrases {
                let code = format!("`{phrase}`\n\n```text\n{phrase}\n```\n");
                assert_eq!(faults(&plain, Kind::Page, &code), [""; 0]);
                let string = format!("let a = \"{phrase}\";");
                assert_eq!(faults(&plain, Kind::Source, &string), [""; 0]);
            }
        }
    }

    #[test]
    fn a_long_sentence_is_found_in_a_page_and_not_in_a_comment() {
        let plain = without_exceptions();
        let sentence = |words: usize| format!("One.\nA {}a. Two.", "a\n".repeat(words - 2));
        let long = plain.longest + 1;
        assert_eq!(faults(&plain, Kind::Page, &sentence(plain.longest)), [""; 0]);
        let [fault] = faults(&plain, Kind::Page, &sentence(long)).try_into().unwrap();
        assert!(fault.starts_with(&format!("a.md:2: {long} words")), "{fault}");
        let cell = format!("| a | {} |", "a ".repeat(long));
        assert_eq!(faults(&plain, Kind::Page, &cell).len(), 1);
        let comment = format!("// {}", "a ".repeat(long));
        assert_eq!(faults(&plain, Kind::Source, &comment), [""; 0]);
    }

    #[test]
    fn an_exception_holds_as_long_as_it_is_needed() {
        let exception = |file: &str, text: &str| Exception {
            file: file.to_owned(),
            text: text.to_owned(),
            reason: String::new(),
        };
        let page = "It is told by a sign.";
        let mut plain = without_exceptions();
        plain.exception = vec![exception("a.md", "by a sign")];
        assert_eq!(faults(&plain, Kind::Page, page), [""; 0]);
        assert_eq!(
            faults(&plain, Kind::Page, "A sign."),
            ["a.md: no longer an exception: by a sign"]
        );
        plain.exception = vec![exception("b.md", "by a sign")];
        assert_eq!(faults(&plain, Kind::Page, page).len(), 2);
    }

    #[test]
    fn what_is_left_out_is_not_checked() {
        let plain = Plain { left_out: vec!["a".to_owned()], ..without_exceptions() };
        let found = |file| plain.faults([(Kind::Page, file, "told by")].into_iter()).len();
        assert_eq!((found("a/b.md"), found("ab.md")), (0, 1));
    }

    #[test]
    fn every_exception_has_a_reason() {
        for exception in plain().exception {
            assert!(!exception.reason.is_empty(), "{}", exception.text);
        }
    }
}
