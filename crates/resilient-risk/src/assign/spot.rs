//! The spot of a value without quotes on its line, which alone may say that words are a password: an option of a command, a
//! map of YAML, a variable of a shell, pairs, a sentence.

use std::ops::Range;

use memchr::memmem;

use super::{line_around, near};

/// A value, its name, and the rest of its line.
pub(super) struct Spot<'a> {
    text: &'a [u8],
    /// Where the value ends.
    end: usize,
    /// What the name goes on with behind its word.
    name: &'a [u8],
    /// The line before the word.
    before: &'a [u8],
    /// The line behind the value.
    behind: &'a [u8],
}

impl<'a> Spot<'a> {
    pub(super) fn of(text: &'a [u8], word: usize, name: &'a [u8], value: &Range<usize>) -> Self {
        let line = line_around(text, word);
        let before = text.get(line.start..word).unwrap_or_default();
        let behind = text.get(value.end..line.end.max(value.end)).unwrap_or_default();
        Self { text, end: value.end, name, before, behind }
    }

    /// The part of the name before its word, and what is glued to it.
    fn lead(&self) -> &'a [u8] {
        self.before.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default()
    }

    /// Tells whether an option of a command has the value: `--password=…`, `-Dnexus.password=…`.
    pub(super) fn is_option(&self) -> bool {
        [&b"--"[..], b"-D", b"-P"].iter().any(|option| self.lead().starts_with(option))
    }

    /// Tells whether the value is one of a map in one line: `{user: bob, password: Castle-banana42}`.
    pub(super) fn is_in_map(&self) -> bool {
        self.before.contains(&b'{') && matches!(self.text.get(self.end), Some(b',' | b'}'))
    }

    /// Tells whether a variable of a shell has the value: `PGPASSWORD=Summer2024 psql`.
    pub(super) fn is_variable(&self) -> bool {
        ![self.lead(), self.name].iter().any(|name| name.iter().any(u8::is_ascii_lowercase))
    }

    /// Tells whether other pairs stand beside: `db1 ansible_user=bob ansible_ssh_pass=Summer2024`.
    pub(super) fn is_pair(&self) -> bool {
        let is_end = |byte: &u8| b"\"'`()[]{};".contains(byte);
        let begin = self.before.iter().rposition(is_end).map_or(0, |at| at + 1);
        let (outside, before) = self.before.split_at(begin);
        let behind = self.behind.split(is_end).next().unwrap_or_default();
        // A call has arguments, with or without blanks between them: `f(user=bob, password=x)`.
        let before = memmem::rfind(before, b", ").map_or(before, |at| before.split_at(at).1);
        let behind = memmem::find(behind, b", ").map_or(behind, |at| behind.split_at(at).0);
        let is_call =
            outside.ends_with(b"(") && [before, behind].iter().any(|it| it.contains(&b','));
        !is_call && (before.contains(&b'=') || behind.contains(&b'='))
    }

    /// The whole value, which begins at a place, if a Dockerfile sets it: `ENV DB_PASSWORD Summer2024`.
    pub(super) fn of_env(&self, start: usize) -> Option<Range<usize>> {
        let name = self.before.strip_prefix(b"ENV ")?;
        let rest = self.text.get(start..self.end + self.behind.len())?.trim_ascii_end();
        let is_one =
            !name.contains(&b' ') && !rest.contains(&b' ') && !self.text.get(start - 1)?.eq(&b'=');
        is_one.then_some(start..start + rest.len())
    }

    /// Tells whether words stand before the name, and no part of a program: `Your temporary password: Summer2024`.
    pub(super) fn is_said(&self) -> bool {
        // `lateinit var password: Type`
        const KEYWORDS: [&[u8]; 7] =
            [b"var ", b"val ", b"let ", b"def ", b"const ", b"final ", b"override "];
        let is_word = |byte: &u8| byte.is_ascii_alphabetic() || b" -*".contains(byte);
        let is_program = || KEYWORDS.iter().any(|word| self.before.ends_with(word));
        // `- user: admin / password: Summer2024`
        let are_words = self.before.ends_with(b" / ")
            || self.before.iter().all(is_word) && self.before.contains(&b' ') && !is_program();
        self.name == b"word" && are_words && self.is_last()
    }

    /// Tells whether the value does not belong to the next word of its sentence: `The password is Fleet2024 specific`.
    pub(super) fn is_alone(&self) -> bool {
        const NEXT: [&[u8]; 4] = [b"'s", b" specific", b" compatible", b" compliant"];
        let rest = near(self.text, self.end, 12);
        !NEXT.iter().any(|next| rest.starts_with(next))
    }

    fn is_last(&self) -> bool {
        self.behind.trim_ascii().is_empty()
    }
}
