//! A LaTeX source with its braces and brackets paired, and the walk over a macro's arguments.

use super::lexer::{Kind, Token, tokens};

/// How many tokens of an argument are read as a name or a list of names.
const NAME_TOKENS_MAX: usize = 1000;

/// The tokens of a source, and which of them open and close each other.
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    tokens: Vec<Token<'a>>,
    /// For an opening brace or bracket, the index of the token that closes it.
    partners: Vec<Option<usize>>,
    /// Closing braces that close nothing, then opening braces that nothing closes.
    pub(super) stray_closers: Vec<usize>,
    pub(super) unclosed: Vec<usize>,
}

impl<'a> Document<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let tokens = tokens(text);
        let mut partners = vec![None; tokens.len()];
        let mut stray_closers = Vec::new();
        let mut braces: Vec<usize> = Vec::new();
        // Brackets pair within one brace group and one paragraph: `[0, 1)` must not reach far.
        let mut brackets: Vec<Vec<usize>> = vec![Vec::new()];
        for (index, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::OpenBrace => {
                    braces.push(index);
                    brackets.push(Vec::new());
                }
                Kind::CloseBrace => match braces.pop() {
                    Some(open) => {
                        brackets.pop();
                        if let Some(partner) = partners.get_mut(open) {
                            *partner = Some(index);
                        }
                    }
                    None => stray_closers.push(index),
                },
                Kind::OpenBracket => {
                    if let Some(group) = brackets.last_mut() {
                        group.push(index);
                    }
                }
                Kind::CloseBracket => {
                    let open = brackets.last_mut().and_then(Vec::pop);
                    if let Some(partner) = open.and_then(|open| partners.get_mut(open)) {
                        *partner = Some(index);
                    }
                }
                Kind::Paragraph => {
                    if let Some(group) = brackets.last_mut() {
                        group.clear();
                    }
                }
                _ => {}
            }
        }
        Self { text, tokens, partners, stray_closers, unclosed: braces }
    }

    pub(super) fn tokens(&self) -> &[Token<'a>] {
        &self.tokens
    }

    pub(super) fn kind(&self, index: usize) -> Option<Kind<'a>> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The byte offset of a token.
    pub(super) fn offset(&self, index: usize) -> usize {
        self.tokens.get(index).map_or(self.text.len(), |token| token.at)
    }

    /// The first token at or after `index` that is not space.
    pub(super) fn after_space(&self, index: usize) -> usize {
        let spaces = self.tokens.iter().skip(index).take_while(|token| token.kind.is_space());
        index + spaces.count()
    }

    /// The closing token of the braced group that starts at `index`.
    pub(super) fn group_end(&self, index: usize) -> Option<usize> {
        matches!(self.kind(index)?, Kind::OpenBrace).then_some(())?;
        *self.partners.get(index)?
    }

    /// The closing token of the bracket at `index`.
    pub(super) fn bracket_end(&self, index: usize) -> Option<usize> {
        matches!(self.kind(index)?, Kind::OpenBracket).then_some(())?;
        *self.partners.get(index)?
    }

    /// The index behind up to `groups` braced arguments, their options and a star.
    pub(super) fn after_arguments(&self, index: usize, groups: usize) -> usize {
        let mut end = index;
        let mut remaining = groups;
        loop {
            let next = self.after_space(end);
            match self.kind(next) {
                Some(Kind::Text(text)) if end == index && text.trim() == "*" => end = next + 1,
                Some(Kind::OpenBracket | Kind::OpenBrace) => {
                    let is_group = matches!(self.kind(next), Some(Kind::OpenBrace));
                    if is_group && remaining == 0 {
                        return end;
                    }
                    let Some(close) = self.partners.get(next).copied().flatten() else {
                        return end;
                    };
                    remaining -= usize::from(is_group);
                    end = close + 1;
                    if is_group && remaining == 0 {
                        return end;
                    }
                }
                _ => return end,
            }
        }
    }

    /// The words of the braced argument at `index`, behind options: `{a, b}` is `a` and `b`.
    pub(super) fn names(&self, index: usize) -> Vec<String> {
        let start = self.after_space(self.after_arguments(index, 0));
        let Some(end) = self.group_end(start) else { return Vec::new() };
        let mut list = String::new();
        for token in self.tokens.iter().take(end).skip(start + 1).take(NAME_TOKENS_MAX) {
            match token.kind {
                Kind::Text(text) => list.push_str(text),
                Kind::Underscore => list.push('_'),
                _ => {}
            }
        }
        let names = list.split(',').map(|name| name.split_whitespace().collect::<String>());
        names.filter(|name| !name.is_empty()).collect()
    }
}
