//! Where a value without quotes ends: that depends on what it stands in.

use std::ops::Range;

use memchr::{memchr_iter, memchr2, memchr2_iter, memchr3, memmem, memrchr, memrchr2};

use super::super::bits::others;
use super::super::token::TokenStats;
use super::place::begins_setting;
use super::shape::{LENS, is_dense, is_grouped, is_memorable, is_words_with_number};
use super::{line_around, near, near_before, quote};

/// Blanks and signs outside of ASCII: a no-break space, a closing quote, a dash, a full stop of Chinese.
const SIGNS: [&[u8]; 3] = [&[0xC2, 0xA0], &[0xE2, 0x80], &[0xE3, 0x80]];

/// Names of other values in a list of settings: `Server=…;User Id=…;Password=…`.
const SETTINGS: [&str; 12] = [
    "server", "source", "host", "id", "uid", "database", "dbname", "catalog", "user", "username",
    "driver", "address",
];

/// The length of the value that a text begins with, if that may be code, a command or a sentence: up to what no value
/// has in these. Of one that is longer than passwords are, it only tells that.
pub(super) fn len(text: &[u8]) -> usize {
    let near = near(text, 0, *LENS.end() + 1);
    let len = word_len(near, &|byte| is_none(byte, b"&'\";<>|\\]),}`\x7F\xC2\xE2\xE3"));
    // A full stop before the next sentence is none of the value.
    let last = len.saturating_sub(1);
    if matches!(text.get(last..), Some([b'.', b' ', b'A'..=b'Z', ..])) { last } else { len }
}

/// The length of the word of a shell that a text begins with: up to a blank or one of some signs, unless a backslash
/// stands before it.
pub(super) fn word_len(text: &[u8], is_plain: &impl Fn(u8) -> bool) -> usize {
    len_until(text, is_plain, |before, rest| match rest {
        _ if before.ends_with(b"\\") || quote::is_escape(rest) || quote::is_tail(rest) => false,
        // These three begin other signs, too.
        [0xC2 | 0xE2 | 0xE3, ..] => SIGNS.iter().any(|sign| rest.starts_with(sign)),
        _ => true,
    })
}

/// The length of the value that a text begins with. Some signs, blanks and control characters may end it, by what stands
/// before and from there on.
fn len_until(
    text: &[u8],
    is_plain: &impl Fn(u8) -> bool,
    is_end: impl Fn(&[u8], &[u8]) -> bool,
) -> usize {
    let ends = |at: &usize| text.split_at_checked(*at).is_some_and(|(one, rest)| is_end(one, rest));
    others(text, is_plain).find(ends).unwrap_or(text.len())
}

/// Tells whether a byte is no blank, control character or one of some signs.
#[inline(always)]
pub(super) fn is_none(byte: u8, signs: &[u8]) -> bool {
    signs.iter().fold(byte > b' ', |is, sign| is & (byte != *sign))
}

/// The field that a value stands in.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) span: Range<usize>,
    /// The text shows where it ends: an element, a query, a list of settings, a setting in quotes, or a login.
    pub(super) is_closed: bool,
}

/// The value that begins at a place behind a word, if it stands in a field with an end of its own: an element of XML, a
/// query, a list of settings, or an entry that owns its line. A *direct* one has its sign right before it. Before an
/// entry's word some signs may stand.
pub(super) fn field(
    text: &[u8],
    word: usize,
    from: usize,
    direct: bool,
    signs: &[u8],
) -> Option<Field> {
    const DATA: &[u8] = b"<![CDATA[";
    let line = line_around(text, word);
    let (before, rest) = (text.get(line.start..word)?, text.get(from..line.end)?);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    let len = before.iter().rev().take_while(|byte| is_name(byte)).count();
    let opener = before.get(..before.len() - len)?;
    let [.., sign] = text.get(..from)? else { return None };
    let closed = |len| Some(Field { span: from..from + len, is_closed: true });
    if let ([.., b'<'], b'>') = (opener, sign) {
        if let Some(data) = rest.strip_prefix(DATA) {
            let (from, len) = (from + DATA.len(), memmem::find(data, b"]]>")?);
            let is_prose = data.iter().take(len).filter(|byte| **byte == b' ').count() > 1;
            return (!is_prose).then_some(Field { span: from..from + len, is_closed: true });
        }
        let len = len_until(rest, &|byte| is_none(byte, b"<"), |_, _| true);
        return closed(len).filter(|_| is_tag_end(rest.get(len..).unwrap_or_default()));
    }
    let is_query = matches!(opener, [.., b'?' | b'&']) || opener.ends_with(b"&amp;");
    let lead = text.get(line.start..from)?;
    if *sign == b'=' && is_query {
        return closed(query_len(lead, rest));
    }
    let setting = (*sign == b'=').then(|| setting_len(before, lead, rest)).flatten();
    let is_named = || *sign == b'=' && opener.last().is_some_and(|last| b"\"'`;".contains(last));
    let named = || is_named().then(|| quote::named_len(opener, lead, rest)).flatten();
    if let Some(len) = setting.or_else(named) {
        return closed(len);
    }
    // The text of an element ends with it, or with another one in it, if that is no sign within a word.
    let is_end = |at: &usize| rest.get(*at..).is_some_and(|rest| is_tag_end(rest) || is_last(rest));
    let end = memchr_iter(b'<', rest).find(is_end);
    let rest = rest.get(..end.unwrap_or(rest.len()))?.trim_ascii_end();
    // Up to a blank at least it is the value. A comment is none of it, nor what else a login says.
    let blank = memchr2(b' ', b'\t', near(rest, 0, *LENS.end() + 1)).unwrap_or(rest.len());
    let behind = rest.get(blank..).filter(|_| blank <= *LENS.end())?;
    // The name of a user may stand on a line of its own.
    let follows = !direct && logs_in(text, word);
    let is_next = follows && is_login_next(behind);
    let is_begun = |at: &usize| behind.get(at - 1).is_some_and(u8::is_ascii_whitespace);
    let comment = memchr2_iter(b'#', b';', behind).find(is_begun).unwrap_or(behind.len());
    let rest = rest.get(..blank + if is_next { 0 } else { comment })?.trim_ascii_end();
    // Files of programs that log in have no sign at the end of a line. Others end a statement with it.
    let rest = rest.strip_suffix(b";").filter(|_| follows).unwrap_or(rest);
    let len = entry_len(before, rest, direct, follows, signs)?;
    Some(Field { span: from..from + len, is_closed: follows && len <= blank })
}

/// Tells whether a text begins with the end of an element: `</a>`.
fn is_tag_end(text: &[u8]) -> bool {
    text.starts_with(b"</") && text.get(2).is_some_and(u8::is_ascii_alphabetic)
}

/// Tells whether a text begins with the beginning or the end of an element: `<a href="…">`, `<br/>`, `</a>`.
fn is_tag(text: &[u8]) -> bool {
    let name = text.iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
    is_tag_end(text) || name > 0 && matches!(text.get(1 + name), Some(b'>' | b' ' | b'/'))
}

/// Tells whether a text begins with an element that nothing stands right behind.
fn is_last(text: &[u8]) -> bool {
    let is_behind = |at| matches!(text.get(at + 1), None | Some(b' ' | b'\t' | b'<'));
    is_tag(text)
        && memchr2(b'>', b' ', text).is_some_and(|at| text.get(at) == Some(&b' ') || is_behind(at))
}

/// How long the value of a part of a query is. In plain text its last signs may end a sentence or a call, and brackets
/// stand around an address or are of XML.
fn query_len(lead: &[u8], rest: &[u8]) -> usize {
    let in_brackets = memrchr2(b'<', b'>', lead).and_then(|at| lead.get(at)) == Some(&b'<');
    let len = quote::len(lead, rest, |rest| match rest {
        [b'#', ..] | [b'\\', b'u' | b'x', ..] => true,
        [b'&', ..] => rest.starts_with(b"&amp;") || quote::entity_len(rest).is_none(),
        [b'<', ..] => is_tag(rest),
        [b'>', ..] => in_brackets,
        _ => false,
    });
    let value = rest.get(..len).unwrap_or_default();
    // The brackets of a place are a part of it: `?password=[page]`.
    let is_end = |at: &usize| match value.get(*at) {
        Some(b']') => !value.contains(&b'['),
        Some(b')') => !value.contains(&b'('),
        Some(b'}') => !value.contains(&b'{'),
        // The quote of a literal in a literal has a backslash before it.
        byte => byte.is_some_and(|byte| b".,;:\"'`\\".contains(byte)),
    };
    (0..len).rev().find(|at| !is_end(at)).map_or(0, |last| last + 1)
}

/// How long the value of a setting is, if others of a list stand beside it.
fn setting_len(before: &[u8], lead: &[u8], rest: &[u8]) -> Option<usize> {
    // A value is too long if nothing may end it.
    let may_end =
        len_until(near(rest, 0, *LENS.end() + 1), &|byte| is_none(byte, b";\"'`\\&<"), |_, _| true);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b";\"'".contains(byte);
    let has_setting = |part: &[u8]| {
        memchr_iter(b'=', part).any(|at| {
            // All names are shorter than ten characters.
            let name = part.get(at.saturating_sub(10)..at).and_then(|it| it.rsplit(is_end).next());
            let is_name =
                |known: &&str| name.is_some_and(|it| it.eq_ignore_ascii_case(known.as_bytes()));
            let value = || part.get(at + 1..).and_then(|it| it.split(is_end).next());
            SETTINGS.iter().any(is_name) && value().is_some_and(|it| !matches!(it, [] | [.., b',']))
        })
    };
    let others = || rest.iter().position(is_end).and_then(|end| rest.get(end..));
    let is_one =
        || may_end <= *LENS.end() && (has_setting(before) || others().is_some_and(has_setting));
    // Blanks may stand between the settings, too.
    let is_list = || before.contains(&b';') || !has_setting(before);
    let is_end = |rest: &[u8]| rest.starts_with(b";") && is_list() || is_tag_end(rest);
    let len = || quote::len(lead, rest, is_end);
    // Signs may stand between the settings: `Config(user=bob, password=…, host=x)`.
    let is_comma = |len: &usize| {
        before.contains(&b',') && rest.get(..*len).is_some_and(|it| it.ends_with(b","))
    };
    let len = is_one().then(len).map(|len| len - usize::from(is_comma(&len)));
    len.filter(|len| LENS.contains(len))
}

/// How long the value of an entry is that owns its line, as in a file of properties.
fn entry_len(
    before: &[u8],
    rest: &[u8],
    direct: bool,
    follows: bool,
    signs: &[u8],
) -> Option<usize> {
    let rest = Some(rest).filter(|rest| LENS.contains(&rest.len()))?;
    let is_name = |byte: &u8| {
        // `Environment=NAME=value`
        let is_chain = direct && *byte == b'=';
        byte.is_ascii_alphanumeric() || b" \t_-*".contains(byte) || signs.contains(byte) || is_chain
    };
    let is_named = before.iter().rev().all(is_name);
    let is_word = |word: &&[u8]| word.iter().any(u8::is_ascii_alphanumeric);
    let is_alone = || before.split(u8::is_ascii_whitespace).filter(is_word).nth(1).is_none();
    // A name of a type may be all of a line, too.
    // The values of keys are names, too: those have no signs before their words.
    let is_chosen = || !signs.is_empty() && (is_memorable(rest) || is_words_with_number(rest));
    let is_type = || TokenStats::of(rest).is_name() && !is_chosen();
    let is_value = || {
        follows && rest.iter().any(u8::is_ascii_digit)
            || (follows || is_named && is_alone()) && !is_type()
    };
    let is_own = is_named && direct || is_value();
    let is_line = || follows && !rest.contains(&b' ') || is_grouped(rest);
    let more = || rest.get(len(rest)..).unwrap_or_default();
    (is_own && (is_line() || goes_on(more()) || is_dense(rest))).then_some(rest.len())
}

/// Words that stand before a user, an account or a machine in the files of programs that log in.
const LOGINS: [&[u8]; 5] = [b"login", b"user", b"username", b"account", b"machine"];

/// Tells whether the word for a password at a place is one of files of programs that log in: it begins its line as a name that
/// only they have, or a user stands before it.
pub(super) fn logs_in(text: &[u8], word: usize) -> bool {
    const NAMES: [&[u8]; 2] = [b"bindpw", b"rootpw"];
    let begins = |name: &&[u8]| {
        let is_at = near(text, word, name.len()).eq_ignore_ascii_case(name);
        is_at && matches!(word.checked_sub(1).and_then(|at| text.get(at)), None | Some(b'\n'))
    };
    NAMES.iter().any(begins) || is_login(near_before(text, word))
}

/// Tells whether a text ends with such a word and what it names: `login bob password …`. In a literal of code it is none.
fn is_login(before: &[u8]) -> bool {
    let word = |text: &[u8]| text.rsplit(u8::is_ascii_whitespace).next().map_or(0, <[u8]>::len);
    let mut rest = before.trim_ascii_end();
    rest = rest.get(..rest.len() - word(rest)).unwrap_or_default().trim_ascii_end();
    let (line, name) = rest.split_at(rest.len() - word(rest));
    let line = || before.get(memrchr(b'\n', line).unwrap_or(0)..).unwrap_or_default();
    LOGINS.contains(&name) && memchr3(b'"', b'\'', b'`', line()).is_none()
}

/// Tells whether a text begins with a blank and such a word.
fn is_login_next(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    words.next() == Some(b"") && words.next().is_some_and(|word| LOGINS.contains(&word))
}

/// Tells whether a text is another assignment of a shell: `SECRET=…`, `DB_PASS2=…`.
fn is_assignment(text: &[u8]) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = text.iter().take_while(is_name).count();
    let has_value = || text.get(name + 1).is_some_and(|byte| *byte != b'=');
    let begins = text.first().is_some_and(|byte| !byte.is_ascii_digit());
    begins && text.get(name) == Some(&b'=') && has_value()
}

/// Tells whether the value of an entry goes on to the end of its line, from the first sign on that may end it: a command, a
/// query or other code is no part of it.
fn goes_on(rest: &[u8]) -> bool {
    let Some((sign, behind)) = rest.split_first() else { return true };
    // Signs that end a sentence, a call or a literal.
    let is_closing = rest.iter().all(|byte| b".,;:)]}>\"'`\\".contains(byte));
    if is_closing || matches!(rest, [.., b';' | b',']) || behind.contains(&b' ') {
        return false;
    }
    let stats = TokenStats::of(behind);
    let is_random =
        |part: usize| stats.len >= 3 && stats.digits > 0 && stats.changes * part >= stats.len;
    match sign {
        b' ' if behind.iter().any(|byte| b"-./:".contains(byte)) || is_assignment(behind) => false,
        b' ' => is_random(3) && !stats.is_wordlike(),
        // The end of a cell in quotes, and the next one.
        b'"' if behind.first().is_some_and(|next| b",;\t".contains(next)) => false,
        // These end a word of a shell. Hardly a command has letters of both cases and digits in its name.
        b',' => is_random(3) && !begins_setting(behind),
        b';' | b'&' | b'|' | b'<' | b'>' => {
            let is_drawn = is_random(2) && stats.lower > 0 && stats.upper > 0;
            // `Falcon&tiger123*`
            let is_chosen = || is_memorable(behind) || is_words_with_number(behind);
            (is_drawn || is_chosen()) && !begins_setting(behind)
        }
        b'\\' => {
            quote::is_escape(rest)
                || quote::is_tail(rest)
                || !behind.first().is_some_and(|byte| b"nrt\"'".contains(byte))
        }
        _ => true,
    }
}
