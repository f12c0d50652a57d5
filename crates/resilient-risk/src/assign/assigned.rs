//! The value that is assigned to a word: `password = "…"`, `PASSWORD=…`, `setPassword("…")`.

use std::ops::{Range, RangeInclusive};

use memchr::memchr_iter;

use super::super::features::PrecedingWords;
use super::super::keywords::{Keyword, KeywordHit, VALUE_REACH};
use super::super::tables::STRONG_SECRET_WORDS;
use super::super::token::TokenStats;
use super::super::{naming, work};
use super::bare::Field;
use super::filled::{self, Style};
use super::judge::{LENS, Stand, is_memorable, is_passphrase, is_password, is_slug};
use super::literal::{FirstLine, Opening};
use super::{Claimed, ValueHit, bare, line_around, near, near_before, quote, row};

/// What words for passwords go on with.
const PASSWORDS: [&[u8]; 4] = [b"", b"word", b"wd", b"phrase"];

/// Tells whether a name ends with the word for passwords that it has.
fn is_password_name(rest: &[u8]) -> bool {
    PASSWORDS.iter().any(|word| rest.eq_ignore_ascii_case(word))
}

/// How long the rest of a name is that a word for passwords or secrets is in, if the name is of several: `words`, `s`, `_LIST`.
pub(super) fn plural_len(text: &[u8], end: usize) -> Option<usize> {
    const NAME_MAX: usize = 24;
    const ENDS: [&[u8]; 3] = [b"s", b"_list", b"list"];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let rest = near(text, end, NAME_MAX);
    let name = rest.get(..rest.iter().take_while(is_name).count())?.to_ascii_lowercase();
    let is_one = |end: &&[u8]| name.strip_suffix(*end).is_some_and(is_password_name);
    ENDS.iter().any(is_one).then_some(name.len())
}

/// Reads the value after a word.
pub(super) fn value(text: &[u8], said: KeywordHit, claims: &mut impl Claimed) -> Option<ValueHit> {
    work::spend(VALUE_REACH / 4);
    let lead = Lead::of(text, said)?;
    let Lead { word, name, end, .. } = lead;
    let start = said.start;
    // A quote without another one on its line is a sign of a value without quotes.
    let opening = Opening::of(text.get(end..)?);
    let literal = opening.and_then(|of| Some((of, of.value(text, end + of.len)?)));
    if !lead.leads_to(literal.as_ref().map(|(opening, _)| opening.quote)) {
        return None;
    }
    // Without quotes it may be a subtraction, and behind a name that goes on the name of a policy.
    let is_phrase =
        |value: &[u8]| word == Keyword::Password && is_password_name(name) && is_passphrase(value);
    let (mut spans, is_code) = if let Some((opening, value)) = &literal {
        let said = value.said(text);
        // A shell writes no blank behind the sign, and no place in braces alone: `PASSWORD=$"…{…}…"`.
        let is_shell = near_before(text, end).ends_with(b"=") && near(text, end, 2) == b"$\"";
        let style = match word {
            Keyword::Key => Style::Key,
            _ if opening.is_filled && !is_shell => Style::Template,
            _ => Style::Plain,
        };
        let parts = filled::parts(text, &value.span, style);
        let is_filled = parts.as_slice() != [value.span.clone()];
        let said_in = |part: &Range<usize>| {
            if is_filled { text.get(part.clone()).unwrap_or_default() } else { said }
        };
        // The values of other words for passwords are spelled. That of a key may be an address, or a list; most are
        // one token.
        let is_own = |byte: &u8| byte.is_ascii_graphic() && !b"/:.,;=\"'`\\".contains(byte);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let fits =
            |part: &Range<usize>| is_password(said_in(part), Stand::Literal, Keyword::Password);
        let is_whole = |part: &&Range<usize>| match word {
            Keyword::Password => {
                said_in(part).iter().all(u8::is_ascii_graphic) && (!is_filled || fits(part))
            }
            Keyword::Key => {
                let said = said_in(part);
                let has_signs = is_filled || !said.iter().all(is_name);
                has_signs && said.iter().all(is_own) && fits(part)
            }
            _ => false,
        };
        let held: Vec<_> = parts.iter().filter(is_whole).cloned().collect();
        if !held.is_empty() {
            claims.hold(held);
        }
        // The quotes of two literals, and what is put between them: `"password=" + value + "&…"`.
        let is_between = matches!(said, [first @ (b'+' | b'.'), .., last] if first == last);
        // A raw literal may be a regular expression: `r"[A-Z]{8}[0-9]+"`.
        let is_regex = opening.is_raw && said.contains(&b'[') && said.contains(&b']');
        // With its places the whole may look like code.
        let has_password = || {
            is_filled && word != Keyword::Key && parts.iter().any(|part| has_drawn(said_in(part)))
        };
        let is_one = is_password(said, Stand::Literal, word) || has_password() || is_phrase(said);
        let is_named = || {
            let is_value = || TokenStats::of(said).is_drawn() && !is_slug(said);
            lead.is_sentence && !is_value() && !is_memorable(said)
        };
        if is_between || is_regex || !is_one || is_named() {
            return None;
        }
        // A value of a list of settings may begin with letters and quotes: `Password=E'a'b;`.
        let goes_on = || text.get(value.span.end + 1).is_some_and(u8::is_ascii_alphanumeric);
        let whole = (!is_filled && goes_on()).then(|| lead.field(text, start)).flatten();
        let spans = if let Some(field) = whole.filter(|field| field.is_closed) {
            vec![field.span]
        } else if is_filled && parts.iter().any(fits) {
            parts.into_iter().filter(fits).collect()
        } else {
            // What is no password by itself is a part of one.
            parts
        };
        (spans, false)
    } else {
        // A program writes blanks around its sign, and names behind it: `pw = left2-right1`.
        if said.word == Keyword::ShortPassword && near(text, said.end, 1) == b" " {
            return None;
        }
        // What begins a call is no password: `f("…`.
        let in_call = lead.is_spaced && opening.is_none() && lead.open_line(text).is_some();
        let bare = if in_call { None } else { lead.bare(text, start) };
        let (field, is_code) = bare.or_else(|| Some((lead.first_line(text)?, false)))?;
        if word == Keyword::Password && field.is_closed {
            claims.hold(vec![field.span.clone()]);
        }
        (vec![field.span], is_code)
    };
    // `force_pass=ForceLengthPass2016,` is an argument, and a field of a form has the name of an element.
    let is_other = is_of_other(text, said);
    let is_code = is_code || lead.is_listed || is_other || said.word == Keyword::Credential;
    spans.retain(|span| {
        let value = text.get(span.clone()).unwrap_or_default();
        // A line ends there, a flow mapping, or a cell in quotes.
        let is_last = || match near(text, span.end, 2) {
            [b'"', next] => b",;\t\r\n".contains(next),
            [next, ..] => b"\r\n}".contains(next),
            [] => true,
        };
        let is_ended = || literal.is_some() || is_last();
        let is_chosen =
            || literal.is_some() && is_phrase(value) || is_ended() && is_memorable(value);
        let is_text = || names_text(name) && TokenStats::of(value).is_name();
        let is_name = || {
            TokenStats::of(value).is_name() && !is_chosen()
                || is_other && (is_slug(value) || is_text())
        };
        !(is_code && is_name()) && claims.is_free(span)
    });
    let last = spans.pop()?;
    let name = text.get(start.saturating_sub(40)..said.end + name.len()).unwrap_or_default();
    let name = name.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let (family, pattern) = match word {
        Keyword::Key if naming::is_open(&PrecedingWords::of(name)) => return None,
        Keyword::Key => (naming::family_after(name), "assigned_key"),
        _ => ("generic_secret", "assigned_password"),
    };
    for span in spans {
        claims.claim(ValueHit { family, name: pattern, span });
    }
    Some(ValueHit { family, name: pattern, span: last })
}

/// Tells whether a part of a literal has a password between its dashes and dots, and not only names.
fn has_drawn(part: &[u8]) -> bool {
    let is_one = |word: &[u8]| {
        TokenStats::of(word).is_drawn() && is_password(word, Stand::Literal, Keyword::Password)
    };
    part.split(|byte| b"-_. ".contains(byte)).any(is_one)
}

/// Tells whether a text ends as the name of a call does that is given the name of a secret: `get_password(…)`.
fn is_getter(before: &[u8]) -> bool {
    let before = before.strip_suffix(b"_").unwrap_or(before);
    let is_word = |lead: &[u8]| !lead.last().is_some_and(u8::is_ascii_alphabetic);
    before.ends_with(b"Get") || before.strip_suffix(b"get").is_some_and(is_word)
}

/// Tells whether the name that a word is in is that of another thing than a secret.
pub(super) fn is_of_other(text: &[u8], KeywordHit { word, start, end }: KeywordHit) -> bool {
    const NAME_MAX: usize = 24;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let rest = near(text, end, NAME_MAX);
    let name = rest.get(..rest.iter().take_while(is_name).count()).unwrap_or_default();
    let before = near_before(text, start);
    names_other(name)
        || word == Keyword::Secret && begins_reference(before)
        || word == Keyword::Password && is_getter(before) && rest.get(name.len()) == Some(&b'(')
}

/// Tells whether a text ends as the name of a secret of Kubernetes does before its last word: `existingSecret`,
/// `imagePullSecret`.
fn begins_reference(before: &[u8]) -> bool {
    before.ends_with(b"existing") || before.ends_with(b"Pull") || before.ends_with(b"pull")
}

/// Tells whether a name goes on as that of a part of a form, or of what a secret is kept in or made with: `PASSWORD_FIELD`,
/// `secretName`, `password_hasher`. The value is a name, too.
fn names_other(name: &[u8]) -> bool {
    const PARTS: [&[u8]; 23] = [
        b"field",
        b"input",
        b"name",
        b"id",
        b"selector",
        b"ref",
        b"algorithm",
        b"hasher",
        b"encoder",
        b"version",
        b"class",
        b"store",
        b"policy",
        b"type",
        b"user",
        b"host",
        b"owner",
        b"region",
        b"url",
        b"icon",
        b"regex",
        b"encoding",
        b"color",
    ];
    names_text(name) || ends_with_one(name, &PARTS)
}

/// Tells whether a name goes on as that of a text that people read: `passwordHint`.
fn names_text(name: &[u8]) -> bool {
    ends_with_one(name, &[b"label", b"hint", b"help", b"title", b"message"])
}

fn ends_with_one(name: &[u8], parts: &[&[u8]]) -> bool {
    let name = name.to_ascii_lowercase();
    parts.iter().any(|part| name.ends_with(part))
}

/// How much of a text begins a call that a literal is wrapped in: `Field(default=`, `SecretStr(`, `String::from(`.
fn call_len(text: &[u8]) -> usize {
    const NAME_MAX: usize = 30;
    const CALLS: [&[u8]; 5] = [b"SecretStr", b"Secret", b"SecretString", b"Field", b"from"];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:".contains(byte);
    let name = text.iter().take(NAME_MAX).take_while(is_name).count();
    let is_call = name > 0 && text.get(name) == Some(&b'(');
    let Some(inside) = text.get(name + 1..).filter(|_| is_call) else { return 0 };
    let default = default_len(inside);
    let is_known =
        || text.get(..name).is_some_and(|name| CALLS.iter().any(|call| name.ends_with(call)));
    let len = if default > 0 || is_known() { name + 1 + default } else { 0 };
    if Opening::of(text.get(len..).unwrap_or_default()).is_some() { len } else { 0 }
}

/// How much of a text names the argument that a default is: `default=`.
fn default_len(text: &[u8]) -> usize {
    const DEFAULT: &[u8] = b"default";
    const BLANKS_MAX: usize = 30;
    let blanks = |at: usize| row(text, at, BLANKS_MAX, b" ");
    let signs = DEFAULT.len() + blanks(DEFAULT.len());
    let is_default = text.starts_with(DEFAULT) && text.get(signs) == Some(&b'=');
    if is_default { signs + 1 + blanks(signs + 1) } else { 0 }
}

/// Tells whether what a name goes on with behind a word for secrets ends in another one, if it goes on: `_KEY`.
fn names_secret(rest: &[u8]) -> bool {
    let last = rest.rsplit(|byte| *byte == b'_').next().unwrap_or_default();
    rest.is_empty() || STRONG_SECRET_WORDS.iter().any(|word| last.eq_ignore_ascii_case(word))
}

/// The word that stands for a sign between a name and a literal, so many quotes and blanks behind the name: `or` behind a
/// look-up in the environment, and `is` in a sentence. `getenv("PASSWORD") or "…"`, ``the password is `…` ``.
fn word_of_choice<'a>(
    before: &[u8],
    rest: &'a [u8],
    name: &[u8],
    quoted: usize,
    white: usize,
) -> &'a [u8] {
    let signs = rest.get(name.len()..quoted).unwrap_or_default();
    let is_looked_up = (signs.ends_with(b")") || signs.ends_with(b"]")) && begins_look_up(before);
    let said = rest.get(quoted + white..).unwrap_or_default();
    if white == 0 {
        b""
    } else if said.starts_with(b"or ") && is_looked_up {
        b"or"
    } else if signs.is_empty() && PASSWORDS.contains(&name) {
        said.get(..is_len(said)).unwrap_or_default()
    } else {
        b""
    }
}

/// How much of a sentence stands before what its subject is: `is`, `for the server is`.
fn is_len(text: &[u8]) -> usize {
    const IS: &[u8] = b"is ";
    const REACH: usize = 60;
    const PREPOSITIONS: [&[u8]; 5] = [b"for ", b"of ", b"to ", b"on ", b"at "];
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b" -_./@".contains(byte);
    let len = near(text, 0, REACH).iter().take_while(is_word).count();
    let words = text.get(..len).unwrap_or_default();
    if words.starts_with(IS) {
        return IS.len() - 1;
    }
    let is_more = PREPOSITIONS.iter().any(|word| words.starts_with(word));
    let end = || words.strip_suffix(b" is ").map(|lead| lead.len() + IS.len());
    if is_more { end().unwrap_or(0) } else { 0 }
}

/// Tells whether a text ends with the beginning of a look-up in the environment, and perhaps of the name there:
/// `getenv("DB_`.
fn begins_look_up(before: &[u8]) -> bool {
    const LOOK_UPS: [&[u8]; 8] = [
        b"env(",
        b"env[",
        b"environ[",
        b"environ.get(",
        b"env.get(",
        b"env.fetch(",
        b"env.str(",
        b"getproperty(",
    ];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let name = before.iter().rev().take_while(is_name).count();
    let Some([look_up @ .., b'"' | b'\'']) = before.get(..before.len() - name) else {
        return false;
    };
    let look_up = look_up.trim_ascii_end().to_ascii_lowercase();
    LOOK_UPS.iter().any(|known| look_up.ends_with(known))
}

/// How much of a value of YAML is an anchor, or the tag of a text, before it. Nothing is a value behind another tag, and an
/// alias is none: `!secret name`, `*name`.
fn tag_len(text: &[u8]) -> Option<usize> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.!".contains(byte);
    let [sign @ (b'!' | b'&' | b'*'), rest @ ..] = text else { return Some(0) };
    let name = rest.iter().take_while(is_name).count();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
    if name == 0 || !rest.get(name).is_none_or(is_end) {
        return Some(0);
    }
    let len = 1 + name + row(rest, name, 8, b" ");
    let has_value = || text.get(len).is_some_and(|byte| !is_end(byte) && *byte != b'#');
    match sign {
        b'*' => None,
        _ if !has_value() => Some(0),
        b'!' if !text.starts_with(b"!!str ") => None,
        _ => Some(len),
    }
}

/// How much of a text is a type and the sign behind it, if a literal follows: `&'static str =`.
fn type_len(text: &[u8]) -> usize {
    const LENS: RangeInclusive<usize> = 3..=40;
    let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || b" &[]<>_:;?|.*".contains(byte);
    let white = row(text, 0, 8, b" ");
    let rest = text.get(white..).unwrap_or_default();
    let lead = white + if rest.starts_with(b"&'") { 2 } else { 0 };
    let len = lead + text.iter().skip(lead).take(*LENS.end()).take_while(is_type).count();
    let behind = len + 1 + row(text, len + 1, 8, b" \t(");
    let rest = text.get(behind..).unwrap_or_default();
    let is_literal = || call_len(rest) > 0 || Opening::of(rest).is_some();
    let is_typed = LENS.contains(&len) && text.get(len) == Some(&b'=') && is_literal();
    if is_typed { len + 1 } else { 0 }
}

/// How much of a text is a type of Visual Basic, if a sign follows: ` As String =`.
fn as_type_len(text: &[u8]) -> usize {
    const AS: &[u8] = b" as ";
    const TYPE_MAX: usize = 30;
    if !text.get(..AS.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(AS)) {
        return 0;
    }
    let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'.';
    let len = AS.len() + text.iter().skip(AS.len()).take(TYPE_MAX).take_while(is_type).count();
    let sign = len + row(text, len, 8, b" ");
    if len > AS.len() && text.get(sign) == Some(&b'=') { len } else { 0 }
}

/// How much of a text says in SQL whose password is set, if a sign follows: ` FOR 'bob'@'%' =`.
fn for_user_len(text: &[u8]) -> usize {
    const FOR: &[u8] = b" for ";
    const USER_MAX: usize = 60;
    if !text.get(..FOR.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(FOR)) {
        return 0;
    }
    let is_user = |byte: &&u8| byte.is_ascii_alphanumeric() || b"'`\"@%._-".contains(byte);
    let user = text.iter().skip(FOR.len()).take(USER_MAX).take_while(is_user).count();
    let len = FOR.len() + user;
    let sign = len + row(text, len, 8, b" ");
    if user > 0 && text.get(sign) == Some(&b'=') { len } else { 0 }
}

/// What stands between a word and its value.
struct Lead<'a> {
    word: Keyword,
    /// What the word's name goes on with.
    name: &'a [u8],
    /// So many blanks stand before the sign, or in its place.
    white: usize,
    /// A sign assigns the value, or a word of SQL does.
    is_assigned: bool,
    /// The value is an argument: `option(PASSWORD, "…")`, `setPassword("…")`.
    is_listed: bool,
    /// A shell may have the value of a variable there, and another one behind it: `$PASSWORD:$HOST`.
    is_variable: bool,
    /// Only a literal counts behind it.
    is_choice: bool,
    /// The value stands in a sentence: ``the password is `…` ``.
    is_sentence: bool,
    /// Blanks stand before the value.
    is_spaced: bool,
    /// Where the value begins.
    end: usize,
}

impl<'a> Lead<'a> {
    /// Reads on from the end of a word.
    fn of(text: &'a [u8], KeywordHit { word, start, end }: KeywordHit) -> Option<Self> {
        /// Names go on for so long after the word: `password_confirmation`.
        const NAME_MAX: usize = 24;
        /// So many blanks align a sign or a value with those of other lines.
        const BLANKS_MAX: usize = 64;
        let rest = text.get(end..)?;
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let name = rest.get(..rest.iter().take(NAME_MAX).take_while(is_name).count())?;
        let quoted = name.len() + row(rest, name.len(), 3, b"\"'`])\\*");
        let quoted = quoted + as_type_len(rest.get(quoted..)?);
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
            None => signs,
        };
        let before = start.checked_sub(1).and_then(|before| text.get(before));
        // `environ.get("SECRET_KEY", "…")`: what stands for nothing is the next argument.
        let is_looked_up = sign.is_empty()
            && matches!(word, Keyword::Secret | Keyword::Key)
            && rest.get(quoted + white) == Some(&b',')
            && matches!(rest.get(name.len()..quoted), Some(b"\"" | b"'"))
            && names_secret(name)
            && begins_look_up(near_before(text, start));
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
        let is_listed = is_looked_up
            || sign.is_empty()
                && word == Keyword::Password
                && if is_open {
                    is_password_name(name) && !is_login
                } else {
                    rest.get(at) == Some(&b',')
                };
        at += usize::from(is_listed);
        let blanks = row(rest, at, BLANKS_MAX, if is_login { b"" } else { b" \t(" });
        at += blanks;
        at += if is_listed { default_len(rest.get(at..)?) } else { 0 };
        let is_called = !sign.is_empty() && word == Keyword::Password;
        at += if is_called { call_len(rest.get(at..)?) } else { 0 };
        // What stands for nothing is a literal: `process.env.PASSWORD || "…"`, `getenv("PASSWORD") ?: "…"`.
        let is_said = sign.ends_with(b"is");
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
            name,
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
    fn leads_to(&self, quote: Option<u8>) -> bool {
        match quote {
            None if self.is_choice => false,
            _ if self.is_assigned => true,
            None => self.white == 1 && self.name.len() <= 4 && !self.is_listed,
            Some(b'`') => self.is_sentence,
            Some(_) => self.white > 0 || self.is_listed,
        }
    }

    /// The field that a value without quotes stands in.
    fn field(&self, text: &[u8], start: usize) -> Option<Field> {
        // Names of keys with such signs have names as values, too.
        let signs: &[u8] = if self.word == Keyword::Key { b"" } else { b".#/:" };
        bare::field(text, start, self.end, !self.is_loose(), signs)
    }

    /// The first line of a literal that goes on in the next one, and begins where the value does or in a call or a list
    /// there. On its line no other literal is open.
    fn open_line(&self, text: &[u8]) -> Option<FirstLine> {
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
    fn first_line(&self, text: &[u8]) -> Option<Field> {
        let FirstLine { span, .. } = self.open_line(text).filter(|line| line.are_words)?;
        let is_one = is_password(text.get(span.clone())?, Stand::Literal, self.word);
        (self.word != Keyword::Key && is_one).then_some(Field { span, is_closed: false })
    }

    /// Of a value after a space, `password: Type`, only what no program can mean counts.
    const fn is_loose(&self) -> bool {
        self.is_spaced || !self.is_assigned || self.is_variable
    }

    /// The place of a value without quotes, if it is a password, and whether it may be code by what stands around.
    fn bare(&self, text: &[u8], start: usize) -> Option<(Field, bool)> {
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
        let plain = self.end..self.end + bare::len(text.get(self.end..)?);
        let is_code = self.is_loose() || matches!(text.get(plain.end), Some(b',' | b')'));
        let stand = if self.is_loose() { Stand::Loose } else { Stand::Bare };
        // What is taken of a field takes all of it.
        let whole = field.filter(|field| field.is_closed && field.span.end >= plain.end);
        let found = || whole.unwrap_or_else(|| Field { span: plain.clone(), is_closed: false });
        // `--password=Castle-banana42`, and `{user: bob, password: Castle-banana42}` in YAML.
        let is_phrase = || {
            let before = near_before(text, start);
            let name = before.rsplit(u8::is_ascii_whitespace).next();
            let is_option = || name.is_some_and(|name| name.starts_with(b"--"));
            let is_flow = || {
                let line = line_around(text, start);
                let is_in = text.get(line.start..start).is_some_and(|line| line.contains(&b'{'));
                is_in && matches!(text.get(plain.end), Some(b',' | b'}'))
            };
            self.word == Keyword::Password
                && text.get(plain.clone()).is_some_and(is_passphrase)
                && if self.is_loose() { self.is_assigned && is_flow() } else { is_option() }
        };
        let is_phrase = is_phrase();
        (is_phrase || fits(&plain, stand)).then(|| (found(), is_code && !is_phrase))
    }
}
