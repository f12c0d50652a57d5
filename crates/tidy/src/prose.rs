//! Prose as the rules about language see it: blocks of words, each word with its line.
//!
//! A block is a heading, a paragraph, an item of a list or a cell of a table; of a source file, a run
//! of comment lines. Fenced code is left out. A code span is one word, whatever it holds.

/// One word, with the punctuation around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The line, from 1.
    pub line: usize,
    /// The word.
    pub text: String,
}

impl Word {
    /// Whether it counts in the length of a sentence.
    fn counts(&self) -> bool {
        self.text.contains(char::is_alphanumeric)
    }

    fn ends_a_sentence(&self) -> bool {
        let bare = self.text.trim_end_matches([')', ']', '"', '\'', '*', '_']);
        bare.ends_with(['.', '!', '?'])
    }

    fn is_lower_case(&self) -> bool {
        self.text.starts_with(char::is_lowercase)
    }
}

/// The words of one block, in order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Block(pub Vec<Word>);

impl Block {
    /// The sentences. One ends at a full stop, a question mark or an exclamation mark, unless a word
    /// in lower case follows.
    pub fn sentences(&self) -> Vec<&[Word]> {
        let mut sentences = Vec::new();
        let mut rest = self.0.as_slice();
        while !rest.is_empty() {
            let next = |index: usize| rest.get(index + 1);
            let end = (0..rest.len()).find(|&index| {
                rest.get(index).is_some_and(Word::ends_a_sentence)
                    && next(index).is_none_or(|word| !word.is_lower_case())
            });
            let (sentence, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            sentences.push(sentence);
            rest = after;
        }
        sentences
    }

    /// The places where a phrase begins. Case does not matter. Punctuation may stand before and
    /// behind the phrase, not inside of it.
    pub fn find(&self, phrase: &str) -> Vec<usize> {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let is_mark = |c: char| !c.is_alphanumeric();
        let matches = |words: &[Word]| {
            words.iter().zip(&phrase).enumerate().all(|(index, (word, wanted))| {
                let mut text = word.text.as_str();
                if index == 0 {
                    text = text.trim_start_matches(is_mark);
                }
                if index + 1 == phrase.len() {
                    text = text.trim_end_matches(is_mark);
                }
                // A code span is no prose.
                !word.text.contains('`') && text.to_lowercase() == *wanted
            })
        };
        let windows = self.0.windows(phrase.len()).enumerate();
        windows.filter(|(_, words)| matches(words)).map(|(index, _)| index).collect()
    }

    fn add(&mut self, line: usize, text: &str) {
        // A span may go on from the line before.
        let mut is_code = self.0.last().is_some_and(|word| is_open(&word.text));
        for (index, piece) in text.split_whitespace().enumerate() {
            match self.0.last_mut().filter(|_| is_code) {
                Some(word) => {
                    if index > 0 {
                        word.text.push('\u{a0}');
                    }
                    word.text.push_str(piece);
                }
                None => self.0.push(Word { line, text: piece.to_owned() }),
            }
            is_code = self.0.last().is_some_and(|word| is_open(&word.text));
        }
    }
}

/// Whether a code span begins in the text and does not end.
fn is_open(text: &str) -> bool {
    let mut open = 0;
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        let (_, from) = rest.split_at(start);
        let after = from.trim_start_matches('`');
        let run = from.len() - after.len();
        open = match open {
            0 => run,
            _ if open == run => 0,
            _ => open,
        };
        rest = after;
    }
    open > 0
}

/// Words in one string.
pub fn shown(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ").replace('\u{a0}', " ")
}

/// How many words there are, without lone marks.
pub fn length(words: &[Word]) -> usize {
    words.iter().filter(|word| word.counts()).count()
}

/// The blocks of a page in Markdown.
pub fn of_page(text: &str) -> Vec<Block> {
    let mut blocks = vec![Block::default()];
    let mut is_fenced = false;
    for (number, line) in text.lines().enumerate() {
        let (number, line) = (number + 1, line.trim().trim_start_matches("> "));
        if line.starts_with("```") {
            is_fenced = !is_fenced;
            blocks.push(Block::default());
        } else if is_fenced {
            continue;
        } else if line.starts_with('|') {
            for cell in cells(line) {
                let mut block = Block::default();
                block.add(number, &cell);
                blocks.push(block);
            }
            blocks.push(Block::default());
        } else {
            let marker = line.split(' ').next().unwrap_or_default();
            let is_number = marker.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok());
            let is_heading = marker.starts_with('#');
            if line.is_empty() || is_heading || is_number || ["*", "-"].contains(&marker) {
                blocks.push(Block::default());
            }
            if let Some(block) = blocks.last_mut() {
                block.add(number, line);
            }
            if is_heading {
                blocks.push(Block::default());
            }
        }
    }
    blocks.retain(|block| !block.0.is_empty());
    blocks
}

/// The cells of a row of a table. A bar behind a backslash ends none.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "\u{1}");
    row.trim_matches('|').split('|').map(|cell| cell.replace('\u{1}', "|")).collect()
}

/// The comments of a Rust source that have lines of their own.
pub fn of_comments(text: &str) -> Vec<Block> {
    let mut blocks = vec![Block::default()];
    for (number, line) in text.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("//").map(|rest| {
            let rest = rest.trim_start_matches('/');
            rest.strip_prefix('!').unwrap_or(rest).trim()
        });
        match (comment.filter(|comment| !comment.is_empty()), blocks.last_mut()) {
            (Some(comment), Some(block)) => block.add(number + 1, comment),
            _ => blocks.push(Block::default()),
        }
    }
    blocks.retain(|block| !block.0.is_empty());
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(page: &str) -> Vec<String> {
        let blocks = of_page(page);
        blocks.iter().flat_map(Block::sentences).map(shown).collect()
    }

    #[test]
    fn a_page_is_cut_into_sentences() {
        let page =
            "# A page\nOne, e.g. two. `a. B` is\nthree (four.) Five\n\n* six\n* seven\n1. eight";
        assert_eq!(
            sentences(page),
            [
                "# A page",
                "One, e.g. two.",
                "`a. B` is three (four.)",
                "Five",
                "* six",
                "* seven",
                "1. eight"
            ]
        );
    }

    #[test]
    fn cells_are_blocks_and_code_is_left_out() {
        let page = "| a | `b\\|c` d |\n|---|---|\n| e. | f |\n\n```\nnone\n```\n> g";
        assert_eq!(sentences(page), ["a", "`b|c` d", "---", "---", "e.", "f", "g"]);
    }

    #[test]
    fn a_code_span_is_one_word() {
        let [block] = of_page("Run ``a ` b`` and `c d\ne f` now.").try_into().unwrap();
        assert_eq!(length(&block.0), 5);
        assert_eq!(block.0.last().map(|word| word.line), Some(2));
    }

    #[test]
    fn comments_are_taken_and_code_is_not() {
        let text =
            "//! One\n//! two.\n\n/// Three.\n///\n/// Four.\nfn five() {} // six\n  // Seven.";
        let blocks = of_comments(text);
        let shown: Vec<_> = blocks.iter().map(|block| shown(&block.0)).collect();
        assert_eq!(shown, ["One two.", "Three.", "Four.", "Seven."]);
    }

    #[test]
    fn a_phrase_is_found_across_lines_and_not_in_code() {
        let found =
            |page: &str| of_page(page).iter().map(|block| block.find("told by").len()).sum();
        let counts: [usize; 5] =
            ["It is **told\nby** it.", "TOLD BY.", "untold by", "`told` by", "told, by"].map(found);
        assert_eq!(counts, [1, 1, 0, 0, 0]);
    }
}
