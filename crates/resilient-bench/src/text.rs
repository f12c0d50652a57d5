//! Text such as agents write: lines of code with quotes, indentation and a few words.

use crate::measure::Random;

/// Words that are no secrets.
const WORDS: [&str; 16] = [
    "let", "value", "=", "read(", "path)", "match", "\"row\"", "if", "&self", "{", "}", "return",
    "journal", "count", "+=", "// why",
];

/// Code-like text of exactly `len` bytes, ASCII, different for every state of the generator.
pub(crate) fn code(random: &mut Random, len: usize) -> String {
    const LINE: usize = 72;
    let mut text = format!("// {:016x}\n", random.next());
    let mut line = 0;
    while text.len() < len {
        if line == 0 {
            let depth = random.below(4);
            text.push_str("    ".repeat(depth).as_str());
            line = depth * 4;
        }
        let word = WORDS.get(random.below(WORDS.len())).copied().unwrap_or_default();
        text.push_str(word);
        line += word.len() + 1;
        if line < LINE {
            text.push(' ');
        } else {
            text.push('\n');
            line = 0;
        }
    }
    text.truncate(len);
    text
}

/// Variants of one text, each of which differs in its first bytes.
pub(crate) struct Contents {
    text: String,
}

impl Contents {
    pub(crate) fn new(text: String) -> Self {
        Self { text }
    }

    /// The two halves of the text.
    pub(crate) fn halves(&self) -> (&str, &str) {
        self.text.split_at(self.text.len() / 2)
    }

    /// The text with a number in front, of the same length.
    pub(crate) fn number(&self, number: usize) -> String {
        let mut text = format!("// {number:012}\n");
        text.push_str(self.text.get(text.len()..).unwrap_or_default());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_its_length_and_is_never_the_same() {
        let mut random = Random::new(7);
        let (first, second) = (code(&mut random, 1024), code(&mut random, 1024));
        assert_eq!((first.len(), second.len()), (1024, 1024));
        assert_ne!(first, second);
        assert!(first.lines().all(|line| line.len() < 100));
        assert_eq!(code(&mut random, 3).len(), 3);
    }
}
