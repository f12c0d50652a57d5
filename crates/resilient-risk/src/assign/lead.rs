//! What leads from a word to its value: the rest of its name, signs, and what may stand between them.

use std::ops::Range;

use memchr::memchr_iter;

use super::super::keywords::{Keyword, KeywordHit};
use super::super::token::TokenStats;
use super::bare::Field;
use super::between::{
    accessors_len, as_type_len, begins_header, begins_look_up, call_len, default_len, for_user_len,
    tag_len, type_len, word_of_choice,
};
use super::judge::{Stand, is_password};
use super::literal::{FirstLine, Opening};
use super::name::{PASSWORDS, is_password_name, is_password_of_words, names_secret};
use super::place::begins_setting;
use super::shape::{LENS, is_passphrase};
use super::spot::Spot;
use super::{bare, line_around, near, near_before, quote, row};

/// Spring writes it before a password that is not hashed.
pub(super) const NOTATION: &[u8] = b"{noop}";

/// What stands between a word and its value.
pub(super) struct Lead<'a> {
    pub(super) word: Keyword,
    /// What the word's name goes on with.
    pub(super) name: &'a [u8],
    /// So many blanks stand before the sign, or in its place.
    white: usize,
    /// A sign assigns the value, or a word of SQL does.
    is_assigned: bool,
    /// The value is an argument: `option(PASSWORD, "…")`, `setPassword("…")`.
    pub(super) is_listed: bool,
    /// A shell may have the value of a variable there, and another one behind it: `$PASSWORD:$HOST`.
    is_variable: bool,
    /// Only a literal counts behind it.
    is_choice: bool,
    /// The value stands in a sentence: ``the password is `…` ``.
    pub(super) is_sentence: bool,
    /// Blanks stand before the value.
    pub(super) is_spaced: bool,
    /// Where the value begins.
    pub(super) end: usize,
}

impl<'a> Lead<'a> {
    /// Reads on from the end of a word.
    pub(super) fn of(text: &'a [u8], KeywordHit { word, start, end }: KeywordHit) -> Option<Self> {
        /// Names go on for so long after the word: `password_confirmation`.
        const NAME_MAX: usize = 24;
        /// So many blanks align a sign or a value with those of other lines.
        const BLANKS_MAX: usize = 64;
        let rest = text.get(end..)?;
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let name = rest.get(..rest.iter().take(NAME_MAX).take_while(is_name).count())?;
        let quoted = name.len() + row(rest, name.len(), 3, b"\"'`])\\*");
        let quoted = quoted + as_type_len(rest.get(quoted..)?);
        let quoted = quoted + accessors_len(rest.get(quoted..)?);
        let quoted = quoted + for_user_len(rest.get(quoted..)?);
        let white = row(rest, quoted, BLANKS_MAX, b" \t");
        let signs = rest.get(quoted + white..)?;
        let signs = signs.get(..row(signs, 0, 3, b"!:=>?|"))?;
        // Behind one that assigns, other signs are of the value: `password=!a1…`.
        let sign = match signs.iter().position(|sign| b":=>".contains(sign)) {
            // Behind the name of an element its text begins.
            Some(first) if signs.get(first) == Some(&b'>') => {
                signs.get(..first + 1 + row(signs, first + 1, 2, b"=>"))?
            }
            Some(first) => signs.get(..first + 1 + row(signs, first + 1, 2, b":=>"))?,
            // In R: `password <- "…"`.
            None if rest.get(quoted + white..)?.starts_with(b"<-") => b"<-",
            None if signs.is_empty() => {
                word_of_choice(near_before(text, start), rest, name, quoted, white)
            }
            // In a file of logins such a sign begins the password.
            None if bare::logs_in(text, start) => b"",
            None => signs,
        };
        let before = start.checked_sub(1).and_then(|before| text.get(before));
        // `environ.get("SECRET_KEY", "…")`: what stands for nothing is the next argument.
        let is_looked_up = sign.is_empty()
            && matches!(word, Keyword::Secret | Keyword::Key)
            && rest.get(quoted + white) == Some(&b',')
            && matches!(rest.get(name.len()..quoted), Some(b"\"" | b"'"))
            && names_secret(name)
            && [begins_look_up, begins_header].iter().any(|is| is(near_before(text, start)));
        let (word, is_one) = match word {
            Keyword::ShortPassword => {
                // `db_pw`, `userPw`
                let is_border = text.get(start) == Some(&b'P')
                    && before.is_some_and(u8::is_ascii_lowercase)
                    || !before.is_some_and(u8::is_ascii_alphabetic);
                (Keyword::Password, name.is_empty() && !sign.is_empty() && is_border)
            }
            Keyword::Credential => {
                (Keyword::Secret, !sign.is_empty() && matches!(name, b"" | b"s" | b"S"))
            }
            Keyword::Password | Keyword::Sql => (word, true),
            _ => (word, !sign.is_empty() || is_looked_up),
        };
        // A path in a program, and a choice: `Secrets::Aes128Gcm`, `passed?"a1":"b2"`.
        if !is_one || matches!(sign, b"::" | b"?" | b"|") {
            return None;
        }
        let mut at = quoted + white + sign.len();
        // What stands before the name in a shell, and in other places for values.
        let in_place = || {
            let before = text.get(..start)?;
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let name = before.iter().rev().take(NAME_MAX).take_while(is_name).count();
            before.get(..before.len() - name)
        };
        let place = if sign == b":" { in_place() } else { None }.unwrap_or_default();
        // `${PASSWORD:-…}`: the second sign is none of the value.
        let is_default = place.ends_with(b"${") && row(rest, at, 1, b"-=?+") == 1;
        at += usize::from(is_default);
        // `password: str = "…"`: a type between the two signs.
        at += if sign.starts_with(b":") { type_len(rest.get(at..)?) } else { 0 };
        // `**password:** …`
        let is_bold = !sign.is_empty() && rest.get(at..)?.starts_with(b"**");
        at += if is_bold { 2 } else { 0 };
        // A bracket behind the name of a user begins a password: `login bob password (…`.
        let is_open = rest.get(at) == Some(&b'(');
        let is_login = is_open && sign.is_empty() && bare::logs_in(text, start);
        // `password_hash("…", PASSWORD_DEFAULT)`
        let called = if is_open { name.strip_suffix(b"_hash").unwrap_or(name) } else { name };
        let is_listed = is_looked_up
            || sign.is_empty()
                && word == Keyword::Password
                && if is_open {
                    is_password_name(called) && !is_login
                } else {
                    rest.get(at) == Some(&b',')
                };
        at += usize::from(is_listed);
        let blanks = row(rest, at, BLANKS_MAX, if is_login { b"" } else { b" \t(" });
        at += blanks;
        at += if is_listed { default_len(rest.get(at..)?) } else { 0 };
        let is_called = (!sign.is_empty() || is_listed) && word == Keyword::Password;
        at += if is_called { call_len(rest.get(at..)?) } else { 0 };
        let is_plain = !sign.is_empty() && near(rest, at, NOTATION.len()) == NOTATION;
        at += if is_plain { NOTATION.len() } else { 0 };
        // What stands for nothing is a literal: `process.env.PASSWORD || "…"`, `getenv("PASSWORD") ?: "…"`.
        let is_said = sign.ends_with(b"is") || matches!(sign, b"to" | b"ist" | b"\xE2\x80\x93");
        let is_choice = is_said
            || matches!(sign, b"??" | b"||" | b"?:" | b"or" | b"<-")
            || rest.get(..at)?.contains(&b')');
        let is_spaced = blanks > 0;
        let is_variable = place.ends_with(b"$") && !is_spaced;
        let in_yaml = sign.ends_with(b":") && is_spaced;
        at += if in_yaml { tag_len(rest.get(at..)?)? } else { 0 };
        let is_assigned = !sign.is_empty() || word == Keyword::Sql;
        // ``with the password `…` ``
        let is_quoted_word = !is_assigned
            && white == 1
            && quoted == name.len()
            && PASSWORDS.contains(&name)
            && rest.get(at) == Some(&b'`');
        let end = end + at;
        Some(Self {
            word,
            name: called,
            white,
            is_assigned,
            is_listed,
            is_variable,
            is_choice,
            is_sentence: is_said || is_quoted_word,
            is_spaced,
            end,
        })
    }

    /// Tells whether a value may stand there: one in quotes, or one without.
    pub(super) fn leads_to(&self, quote: Option<u8>) -> bool {
        match quote {
            None if self.is_choice && !self.is_sentence => false,
            _ if self.is_assigned => true,
            None => self.white == 1 && self.name.len() <= 4 && !self.is_listed,
            Some(b'`') => self.is_sentence,
            Some(_) => self.white > 0 || self.is_listed,
        }
    }

    /// The field that a value without quotes stands in.
    pub(super) fn field(&self, text: &[u8], start: usize) -> Option<Field> {
        // Names of keys with such signs have names as values, too.
        let signs: &[u8] = if self.word == Keyword::Key { b"" } else { b".#/:" };
        bare::field(text, start, self.end, !self.is_loose(), signs)
    }

    /// The first line of a literal that goes on in the next one, and begins where the value does or in a call or a list
    /// there. On its line no other literal is open.
    pub(super) fn open_line(&self, text: &[u8]) -> Option<FirstLine> {
        const CALL_MAX: usize = 40;
        let rest = near(text, self.end, CALL_MAX);
        let is_code = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:!<>&([{".contains(byte);
        let len = rest.iter().take_while(is_code).count();
        let (code, rest) = rest.split_at_checked(len)?;
        // What stands behind the bracket may be the prefix of the literal: `f(b"`.
        let call = match code.iter().rposition(|byte| b"([{".contains(byte)) {
            Some(bracket) => bracket + 1,
            None if rest.starts_with(b"`") => len,
            None => 0,
        };
        let at = self.end + call;
        let line = line_around(text, at);
        let before = text.get(line.start..at)?;
        let is_open = |quote: &u8| memchr_iter(*quote, before).count() % 2 == 1;
        (!b"\"'`".iter().any(is_open)).then_some(())?;
        let opening = Opening::of(text.get(at..)?)?;
        opening.first_line(text, at + opening.len)
    }

    /// This line, if it is a password by itself.
    pub(super) fn first_line(&self, text: &[u8]) -> Option<Field> {
        let FirstLine { span, .. } = self.open_line(text).filter(|line| line.are_words)?;
        let is_one = is_password(text.get(span.clone())?, Stand::Literal, self.word);
        (self.word != Keyword::Key && is_one).then_some(Field { span, is_closed: false })
    }

    /// Of a value after a space, `password: Type`, only what no program can mean counts.
    const fn is_loose(&self) -> bool {
        self.is_spaced || !self.is_assigned || self.is_variable
    }

    /// The place of a value without quotes, if it is a password, and whether it may be code by what stands around.
    pub(super) fn bare(&self, text: &[u8], start: usize) -> Option<(Field, bool)> {
        let fits = |span: &Range<usize>, stand| {
            let value = text.get(span.clone()).unwrap_or_default();
            if value.len() > *LENS.end() {
                return false;
            }
            let said = quote::without_escapes(value);
            // Signs with a backslash before them are no code.
            let is_escaped = said.len() < value.len() && stand != Stand::Loose;
            let stand = if is_escaped { Stand::Literal } else { stand };
            is_password(&said, stand, self.word) && !value.windows(2).any(|two| two == b"??")
        };
        let field = self.field(text, start);
        let is_field = self.is_assigned || bare::logs_in(text, start);
        let stand = if is_field { Stand::Field } else { Stand::Bare };
        let stand = if self.is_variable { Stand::Loose } else { stand };
        if let Some(Field { span, .. }) = field.clone().filter(|field| fits(&field.span, stand)) {
            return Some((Field { span, is_closed: true }, false));
        }
        let rest = text.get(self.end..)?;
        let plain = self.end..self.end + bare::len(rest);
        // `redis:6379,password=…,ssl=True`, `--set auth.password=…,auth.user=bob`
        let next = next_setting(rest).map(|len| self.end..self.end + len);
        if let Some(span) = next.clone().filter(|span| !self.is_loose() && fits(span, Stand::Field))
        {
            return Some((Field { span, is_closed: true }, false));
        }
        let plain = next.filter(|next| next.end < plain.end).unwrap_or(plain);
        let is_code = self.is_loose() || matches!(text.get(plain.end), Some(b',' | b')'));
        let stand = if self.is_loose() { Stand::Loose } else { Stand::Bare };
        // What is taken of a field takes all of it.
        let whole = field.filter(|field| field.is_closed && field.span.end >= plain.end);
        let found = || whole.unwrap_or_else(|| Field { span: plain.clone(), is_closed: false });
        let spot = Spot::of(text, start, self.name, &plain);
        if let Some(span) = spot.of_env(self.end).filter(|span| fits(span, Stand::Field)) {
            return Some((Field { span, is_closed: true }, false));
        }
        let is_phrase = || {
            let value = text.get(plain.clone()).unwrap_or_default();
            let value = if self.is_sentence { without_end(value) } else { value };
            let is_drawn = || TokenStats::of(value).is_drawn() && fits(&plain, Stand::Field);
            let is_words = || is_password_of_words(value, self.word, self.name);
            let is_words_or_phrase = || is_passphrase(value) || is_words();
            self.word == Keyword::Password
                && if self.is_loose() {
                    let is_in_map = || self.is_assigned && spot.is_in_map();
                    (is_words_or_phrase() || is_drawn()) && is_in_map()
                        || self.is_sentence && is_words() && spot.is_alone()
                        || is_words() && self.is_assigned && spot.is_said()
                } else {
                    is_words_or_phrase() && spot.is_option()
                        || is_words() && (spot.is_variable() || spot.is_pair())
                }
        };
        let is_phrase = is_phrase();
        (is_phrase || fits(&plain, stand)).then(|| (found(), is_code && !is_phrase))
    }
}

/// Where the next setting of a list begins, on the same word of a line: `…,name=`.
fn next_setting(text: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`".contains(byte);
    let word = near(text, 0, *LENS.end() + 1).split(is_end).next()?;
    let begins = |at: &usize| text.get(at + 1..).is_some_and(begins_setting);
    memchr_iter(b',', word).find(begins)
}

/// A word of a sentence without the sign that ends the sentence, or a part of it.
pub(super) fn without_end(word: &[u8]) -> &[u8] {
    word.strip_suffix(b".").or(word.strip_suffix(b",")).unwrap_or(word)
}
