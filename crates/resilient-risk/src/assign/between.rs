//! What may stand between a name and its value: a type, a call, a tag, a word of a sentence.

use std::ops::RangeInclusive;

use memchr::memmem;

use super::literal::Opening;
use super::name::PASSWORDS;
use super::{near, row};

/// How much of a text begins a call that a literal is wrapped in: `Field(default=`, `SecretStr(`, `String::from(`,
/// `Hash::make(`.
pub(super) fn call_len(text: &[u8]) -> usize {
    const NAME_MAX: usize = 30;
    const CALLS: [&[u8]; 11] = [
        b"SecretStr",
        b"Secret",
        b"SecretString",
        b"Field",
        b"from",
        // A password is hashed there.
        b"make",
        b"make_password",
        b"_hash",
        b"bcrypt",
        b"hashSync",
        b"encode",
    ];
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
pub(super) fn default_len(text: &[u8]) -> usize {
    const DEFAULT: &[u8] = b"default";
    const BLANKS_MAX: usize = 30;
    let blanks = |at: usize| row(text, at, BLANKS_MAX, b" ");
    let signs = DEFAULT.len() + blanks(DEFAULT.len());
    let is_default = text.starts_with(DEFAULT) && text.get(signs) == Some(&b'=');
    if is_default { signs + 1 + blanks(signs + 1) } else { 0 }
}

/// The word that stands for a sign between a name and a literal, so many quotes and blanks behind the name: `or` behind a
/// look-up in the environment, `is` in a sentence, `to` behind a name in quotes. `getenv("PASSWORD") or "…"`,
/// ``the password is `…` ``, `"password" to "…"`.
pub(super) fn word_of_choice<'a>(
    before: &[u8],
    rest: &'a [u8],
    name: &[u8],
    quoted: usize,
    white: usize,
) -> &'a [u8] {
    let signs = rest.get(name.len()..quoted).unwrap_or_default();
    let is_looked_up = (signs.ends_with(b")") || signs.ends_with(b"]")) && begins_look_up(before);
    let said = rest.get(quoted + white..).unwrap_or_default();
    // A pair of Kotlin, and in a sentence what is set.
    let is_set = || signs.is_empty() && white == 1 && PASSWORDS.contains(&name);
    let is_to = || said.starts_with(b"to ") && (matches!(signs, b"\"" | b"'" | b"`") || is_set());
    if white == 0 {
        b""
    } else if is_to() {
        b"to"
    } else if said.starts_with(b"or ") && is_looked_up {
        b"or"
    } else if signs.is_empty() && said.starts_with("\u{2013} ".as_bytes()) {
        "\u{2013}".as_bytes()
    } else if said.starts_with(b"BY '") {
        // `IDENTIFIED WITH caching_sha2_password BY '…'`
        b"BY"
    } else if signs.is_empty() && PASSWORDS.contains(&name) {
        said.get(..is_len(said)).unwrap_or_default()
    } else {
        b""
    }
}

/// How much of a sentence stands before what its subject is: `is`, `for the server is`.
fn is_len(text: &[u8]) -> usize {
    const IS: [&[u8]; 2] = [b"is ", b"ist "];
    const REACH: usize = 60;
    const PREPOSITIONS: [&[u8]; 5] = [b"for ", b"of ", b"to ", b"on ", b"at "];
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b" -_./@`".contains(byte);
    let len = near(text, 0, REACH).iter().take_while(is_word).count();
    let words = text.get(..len).unwrap_or_default();
    if let Some(is) = IS.iter().find(|is| words.starts_with(is)) {
        return is.len() - 1;
    }
    let is_more = PREPOSITIONS.iter().any(|word| words.starts_with(word));
    let end = || memmem::find(words, b" is ").map(|lead| lead + b" is".len());
    if is_more { end().unwrap_or(0) } else { 0 }
}

/// Tells whether a text ends with the beginning of a look-up in the environment, and perhaps of the name there:
/// `getenv("DB_`.
pub(super) fn begins_look_up(before: &[u8]) -> bool {
    const LOOK_UPS: [&[u8]; 9] = [
        b"env(",
        b"env[",
        b"environ[",
        b"environ.get(",
        b"environ.setdefault(",
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

/// Tells whether a text ends as the name of a header does that programs have made up, in a call: `Header.Set("X-Api-`.
pub(super) fn begins_header(before: &[u8]) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let name = before.iter().rev().take_while(is_name).count();
    let (call, name) = before.split_at(before.len() - name);
    matches!(name, [b'X' | b'x', b'-', ..]) && matches!(call, [.., b'(', b'"' | b'\''])
}

/// How much of a value of YAML is an anchor, or the tag of a text, before it. Nothing is a value behind another tag, and an
/// alias is none: `!secret name`, `*name`.
pub(super) fn tag_len(text: &[u8]) -> Option<usize> {
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
pub(super) fn type_len(text: &[u8]) -> usize {
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
pub(super) fn as_type_len(text: &[u8]) -> usize {
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

/// How much of a text are the accessors of a property of C#, if a sign follows: ` { get; set; } =`.
pub(super) fn accessors_len(text: &[u8]) -> usize {
    const ACCESSORS_MAX: usize = 40;
    if !text.trim_ascii_start().starts_with(b"{ get;") {
        return 0;
    }
    let is_one = |byte: &&u8| byte.is_ascii_lowercase() || b" {;".contains(byte);
    let len = text.iter().take(ACCESSORS_MAX).take_while(is_one).count();
    let sign = len + 1 + row(text, len + 1, 8, b" ");
    let is_closed = (text.get(len), text.get(sign)) == (Some(&b'}'), Some(&b'='));
    if is_closed { len + 1 } else { 0 }
}

/// How much of a text says in SQL or in a sentence whose password follows, if a sign does: ` FOR 'bob'@'%' =`, ` for bob:`.
pub(super) fn for_user_len(text: &[u8]) -> usize {
    const FOR: &[u8] = b" for ";
    const USER_MAX: usize = 60;
    if !text.get(..FOR.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(FOR)) {
        return 0;
    }
    let is_user = |byte: &&u8| byte.is_ascii_alphanumeric() || b"'`\"@%._-".contains(byte);
    let user = text.iter().skip(FOR.len()).take(USER_MAX).take_while(is_user).count();
    let len = FOR.len() + user;
    let sign = len + row(text, len, 8, b" ");
    if user > 0 && matches!(text.get(sign), Some(b'=' | b':')) { len } else { 0 }
}
