//! Tables of names, kept as text in `data/`.
//!
//! A line that begins with `#` is a comment. A line that begins with a letter is the head of a
//! section; the indented lines after it are its body. All parts are slices of the text.

/// The words of a text, without its comments.
pub(super) fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace)
}

/// The head and the body of each section.
pub(super) fn sections(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (line, after) = cut_line(rest)?;
            rest = after;
            if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let body = rest.get(..body_length(rest)).unwrap_or("");
                rest = rest.get(body.len()..).unwrap_or("");
                return Some((line, body));
            }
        }
    })
}

/// The length of the indented lines that a text begins with.
fn body_length(text: &str) -> usize {
    let lines = text.split_inclusive('\n').take_while(|line| line.starts_with(' '));
    lines.map(str::len).sum()
}

/// The first line, and what follows its end. There is none in an empty text.
fn cut_line(text: &'static str) -> Option<(&'static str, &'static str)> {
    (!text.is_empty()).then(|| text.split_once('\n').unwrap_or((text, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_a_head_and_the_indented_lines_after_it() {
        let text = "# comment\n\none: two\n    a b\n    c\nthree:\nfour:\n  d";
        let found: Vec<_> = sections(text).collect();
        assert_eq!(found, [("one: two", "    a b\n    c\n"), ("three:", ""), ("four:", "  d")]);
        assert_eq!(sections("").count(), 0);
        assert_eq!(sections("# only this").count(), 0);
    }

    #[test]
    fn words_are_cut_at_space_and_comments_are_left_out() {
        assert_eq!(words("# no\n a  b\nc").collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
