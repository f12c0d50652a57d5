//! A list of passwords or keys: `passwords = ["…", "…"]`, `API_KEYS = {"dev": "…"}`, and in YAML `passwords:` with an item on each
//! line below.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::super::features::PrecedingWords;
use super::super::keywords::{Keyword, KeywordHit};
use super::super::tables::DIGESTS;
use super::super::token::{Kind, TokenStats};
use super::super::{naming, placeholder, work};
use super::entries::{ITEM_MAX, VALUES_MAX, head_end, items, line_end, section};
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::name::{names_other, plural_len};
use super::shape::{is_name, is_slug, is_words_with_number, may_name};
use super::{Claimed, Reading, ValueHit, line_around, near, near_before, row};

/// Names of entries whose value is no key, in a map of keys: those of users and projects are.
const COMMITS: [&[u8]; 5] = [b"commit", b"rev", b"ref", b"revision", b"kid"];

/// Takes the passwords of the list whose name a word is in. Lists that stand in one another are read a few
/// times.
pub(super) fn find(
    text: &[u8],
    KeywordHit { word, start, end }: KeywordHit,
    reading: &mut Reading,
    claims: &mut impl Claimed,
) {
    let is_read = reading.is_done(end);
    if !matches!(word, Keyword::Password | Keyword::Secret | Keyword::Key) || is_read {
        return;
    }
    let Some(name) = plural_len(text, end) else { return };
    let family = if word == Keyword::Key {
        let line = text.get(line_around(text, start).start..end).unwrap_or_default();
        let words = PrecedingWords::of(line);
        if naming::is_open(&words) || !naming::says_more_than_key(&words) {
            return;
        }
        naming::family_after(line)
    } else {
        "generic_secret"
    };
    let from = end + name + row(text, end + name, 3, b"\"'`])");
    let maps = if word == Keyword::Key { Maps::Read } else { Maps::Passed };
    let Some(sign) = sign_end(text, from).or_else(|| head_end(text, start, from)) else { return };
    let spans = match opener_len(text, sign) {
        _ if text.get(..sign).is_some_and(|lead| lead.ends_with(b"]")) => section(text, sign),
        Some(len) => {
            let (spans, at) = literals(text, sign + len, maps);
            reading.goes(end, at);
            spans
        }
        None if text.get(..sign).is_some_and(|lead| lead.ends_with(b":")) => {
            items(text, start, sign)
        }
        None => return,
    };
    for span in spans {
        let value = text.get(span.clone()).unwrap_or_default();
        // A list of secrets has their names, as in a file of compose.
        let is_other = || match word {
            Keyword::Secret => is_slug(value) || TokenStats::of(value).is_name(),
            Keyword::Key => TokenStats::of(value).is_name(),
            _ => is_name(value) && !is_words_with_number(value),
        };
        // Of a package of this name the place is an address, and its content has a digest.
        let is_address = || memmem::find(value, b"://").is_some();
        let is_digest = || DIGESTS.iter().any(|notation| value.starts_with(notation));
        // `tokens: {"commit": "…"}`
        let is_thing = || {
            let words = PrecedingWords::of(near_before(text, span.start));
            let is_commit = |word: &[u8]| COMMITS.contains(&word);
            let is_open = naming::is_open(&words) || words.get(0).is_some_and(is_commit);
            // `api_keys = [{ id: "…", key: "…" }]`
            let is_id = words.get(0).is_some_and(|word| matches!(word, b"id" | b"hash"));
            is_id || is_open && TokenStats::of(value).is_hexadecimal()
        };
        // `passwords: {policy: "Fleet2024"}`
        let is_label = || {
            let before = near_before(text, span.start).trim_ascii_end();
            let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
            let before = before.trim_ascii_end().strip_suffix(b":").unwrap_or_default();
            let name =
                before.rsplit(|byte| !byte.is_ascii_alphanumeric()).find(|it| !it.is_empty());
            word == Keyword::Password && may_name(value) && name.is_some_and(names_other)
        };
        if (word == Keyword::Key && is_key(value)
            || is_password(value, Stand::Literal, word) && !is_other())
            && !is_address()
            && !is_digest()
            && !is_thing()
            && !is_label()
            && claims.is_free(&span)
        {
            let name = if word == Keyword::Key { "assigned_key" } else { "assigned_password" };
            claims.claim(ValueHit { family, name, span });
        }
    }
}

/// Tells whether a value is what a program draws as a key: digits and letters of both cases, or many hexadecimal digits.
fn is_key(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    let is_random = || {
        matches!(stats.kind, Kind::Alnum | Kind::Base64Url)
            && stats.len >= 20
            && stats.lower > 0
            && stats.upper > 0
            && stats.changes * 4 >= stats.len
            && !stats.is_name()
            && !placeholder::is_dummy(value)
    };
    stats.is_hexadecimal() && stats.len >= 32 || is_random()
}

/// Where the sign that assigns ends behind a name, and the type that may stand before it: `: string[] =`.
fn sign_end(text: &[u8], from: usize) -> Option<usize> {
    const TYPE_MAX: usize = 40;
    let at = from + row(text, from, 8, b" \t");
    let rest = near(text, at, TYPE_MAX);
    work::spend(TYPE_MAX / 4);
    let len = match rest {
        [b':', b'=', ..] | [b'=', b'>', ..] => 2,
        [b'=', next, ..] if *next != b'=' => 1,
        [b':', behind @ ..] => {
            let is_type =
                |byte: &&u8| byte.is_ascii_alphanumeric() || b" _.<>[]&;,?|".contains(byte);
            let len = behind.iter().take_while(is_type).count();
            let said = behind.get(..len).unwrap_or_default();
            let is_list =
                said.iter().any(|byte| b"[<".contains(byte)) || said.trim_ascii() == b"list";
            if behind.get(len) == Some(&b'=') && is_list { len + 2 } else { 1 }
        }
        _ => return None,
    };
    Some(at + len)
}

/// What stands before the bracket that opens a list, in Java, Kotlin, Python, C#, Rust and PHP.
const MAKERS: [&[u8]; 26] = [
    b"",
    b"Arrays.asList",
    b"List.of",
    b"Set.of",
    b"listOf",
    b"setOf",
    b"arrayOf",
    b"mutableListOf",
    b"vec!",
    b"set",
    b"list",
    b"tuple",
    b"frozenset",
    b"array",
    b"new String[]",
    b"new[]",
    b"Map.of",
    b"mapOf",
    b"new Map",
    b"new Set",
    b"new Dictionary",
    b"new List",
    b"dict",
    b"Object.freeze",
    b"HashMap::from",
    b"BTreeMap::from",
];

/// How much of a text opens a list, if it begins with that: a bracket, and a type or a call before it.
fn opener_len(text: &[u8], from: usize) -> Option<usize> {
    const TYPE_MAX: usize = 24;
    let blanks = row(text, from, ITEM_MAX, b" \t\r\n");
    let blanks = blanks + row(text, from + blanks, 1, b"&");
    let rest = text.get(from + blanks..)?;
    // `[]string{` and `map[string]string{` of Go
    let inner = rest
        .strip_prefix(b"map")
        .unwrap_or(rest)
        .strip_prefix(b"[")
        .and_then(|it| it.get(it.iter().position(|byte| *byte == b']')? + 1..));
    let of_type = inner.map_or(0, |it| {
        it.iter().take(TYPE_MAX).take_while(|byte| byte.is_ascii_alphanumeric()).count()
    });
    if let Some(inner) = inner
        && of_type > 0
        && inner.get(of_type) == Some(&b'{')
    {
        return Some(blanks + rest.len() - inner.len() + of_type + 1);
    }
    let bracket = |maker: &&[u8]| {
        let behind = rest.strip_prefix(*maker)?;
        // `new Dictionary<string, string>()` and the braces below it
        let of_type =
            if behind.starts_with(b"<") { memchr(b'>', near(behind, 0, TYPE_MAX))? + 1 } else { 0 };
        let call = if behind.get(of_type..)?.starts_with(b"()") { 2 } else { 0 };
        let at = of_type + call;
        let at = at + if of_type > 0 { row(behind, at, ITEM_MAX, b" \t\r\n") } else { 0 };
        let is_one = behind.get(at).is_some_and(|sign| b"[({".contains(sign));
        is_one.then_some((maker.len() + at, !maker.is_empty()))
    };
    // The bracket of a block of YAML or of a function is none of a list on a line below.
    let (at, is_made) = MAKERS.iter().find_map(bracket)?;
    // `set([…])`
    let is_double = is_made && rest.get(at + 1).is_some_and(|sign| b"[({".contains(sign));
    Some(blanks + at + 1 + usize::from(is_double))
}

/// What stands in a bracket of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    Pair,
    Map,
    /// A call, an index, or a map that is not read.
    Other,
}

/// Whether the maps in a list are read. An entry of a list of passwords has other values, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Maps {
    Read,
    Passed,
}

/// The literals from a place on up to the bracket that closes the list, and where the reading ended. Comments and other items
/// are passed over, and what stands in a call or an index. Of a pair the last literal is the value.
fn literals(text: &[u8], from: usize, maps: Maps) -> (Vec<Range<usize>>, usize) {
    const LIST_MAX: usize = 8192;
    let mut spans = Vec::new();
    // The inner brackets that are open: what each is, and the literals in it that count.
    let mut inner: Vec<(Inner, Vec<Range<usize>>)> = Vec::new();
    let mut at = from;
    let list = near(text, 0, from + LIST_MAX);
    while let Some(byte) = list.get(at).filter(|_| spans.len() < VALUES_MAX) {
        match byte {
            b'[' | b'(' | b'{' => {
                let before = list.get(..at).and_then(|it| it.last()).copied().unwrap_or(b' ');
                let is_other = before.is_ascii_alphanumeric() || b"_])".contains(&before);
                let kind = match byte {
                    b'{' if maps == Maps::Read => Inner::Map,
                    b'{' => Inner::Other,
                    _ if is_other => Inner::Other,
                    _ => Inner::Pair,
                };
                inner.push((kind, Vec::new()));
            }
            b']' | b')' | b'}' => match inner.pop() {
                None => break,
                Some((Inner::Pair, mut of)) if inner.is_empty() => spans.extend(of.pop()),
                Some((Inner::Map, of)) => match inner.last_mut() {
                    None => spans.extend(of),
                    Some((_, outer)) => outer.extend(of),
                },
                Some(_) => {}
            },
            b';' => break,
            b'#' => at = line_end(list, at),
            b'/' if list.get(at + 1) == Some(&b'/') => at = line_end(list, at),
            b'"' | b'\'' | b'`' => {
                let opening = list.get(at..).and_then(Opening::of);
                let span = opening.and_then(|of| Some(of.value(text, at + of.len)?.span));
                let Some(span) = span else { break };
                at = span.end;
                // A key of a map is no value.
                let behind = near(text, at + 1, 4).trim_ascii_start();
                let is_key = behind.starts_with(b":") || behind.starts_with(b"=>");
                match inner.last_mut() {
                    _ if is_key => {}
                    None => spans.push(span),
                    Some((_, of)) => of.push(span),
                }
            }
            _ => {}
        }
        at += 1;
    }
    work::spend(at - from);
    (spans, at)
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn the_values_of_a_list_are_found() {
        let [first, second] =
            [["q7Rk9", "zPw2mX4b"], ["Summer", "2022$"]].map(|parts| parts.concat());
        for text in [
            format!("passwords = [\"{first}\", \"{second}\"]\n"),
            format!("const PASSWORDS: string[] = [\n  '{first}',\n  '{second}',\n];\n"),
            format!("passwords := []string{{\"{first}\", \"{second}\"}}\n"),
            format!("List<String> dbPasswords = List.of(\"{first}\", \"{second}\");\n"),
            format!("passwords = [\n  \"{first}\",  # bob's\n  None, \"{second}\",\n]\n"),
            format!("passwords = {{'bob': '{first}', 'eve': '{second}'}}\n"),
            format!("PASSWORDS=(\"{first}\" '{second}')\n"),
            format!("passwords = set([\"{first}\", \"{second}\"])\n"),
            format!("passwords = [(\"bob\", \"{first}\"), (\"eve\", \"{second}\")]\n"),
            format!(
                "passwords = [os.environ[\"DB_Pass2x\"], \"{first}\", get(\"Db2-Main\"), '{second}']\n"
            ),
            format!("const PASSWORDS: [&str; 2] = [\"{first}\", \"{second}\"];\n"),
            format!("$passwords = ['DB_Main2' => '{first}', 'Db-Main3' => '{second}'];\n"),
            format!("passwords:\n  - {first}\n  # new\n  - {second}\n"),
            format!("passwords:\n  - {first}  # old\n  - \"{second}\"\nhosts:\n  - {first}\n"),
        ] {
            let hits = [("assigned_password", first.as_str()), ("assigned_password", &second)];
            // What stands behind another word may be one, too.
            let all: std::collections::BTreeSet<_> = found(&text).into_iter().collect();
            assert_eq!(all, hits.into(), "{text}");
        }
    }

    #[test]
    fn the_keys_of_a_map_or_a_list_are_found() {
        let [one, two] = [["q7Rk9zPw2mX4b", "Vt8Ls3Yc6Hg1"], ["bGuzsweYhqMiT", "igRaRIdTncE4"]]
            .map(|it| it.concat());
        for text in [
            format!("API_KEYS = {{\n    \"dev\": \"{one}\",\n    \"prod\": \"{two}\",\n}}\n"),
            format!("var apiKeys = map[string]string{{\"dev\": \"{one}\", \"prod\": \"{two}\"}}\n"),
            format!(
                "Map<String, String> apiKeys = Map.of(\"dev\", \"{one}\", \"prod\", \"{two}\");\n"
            ),
            format!("app:\n  api_keys:\n    dev: {one}\n    # new\n    prod: '{two}'\n  host: b\n"),
            format!("tokens:\n- {one}\n- {two}\n"),
            format!("[tokens]\ndev = \"{one}\"\nprod = '{two}'\n[b]\nc = \"{one}\"\n"),
            format!("# a\n[api_keys]\r\ndev={one}\r\nprod={two}\r\n"),
            format!("API_KEYS = dict(\n    dev=\"{one}\",\n    prod=\"{two}\",\n)\n"),
            format!(
                "API_KEYS = {{\n    \"a\": {{\n        \"live\": \"{one}\",\n        \"test\": \"{two}\",\n    }},\n}}\n"
            ),
            format!("const API_KEYS = Object.freeze({{\n  dev: '{one}',\n  prod: '{two}',\n}});\n"),
            format!(
                "const apiKeys = [\n  {{ name: 'dev', value: '{one}' }},\n  {{ name: 'prod', value: '{two}' }},\n];\n"
            ),
            format!(
                "var apiKeys = new Dictionary<string, string>\n{{\n    [\"dev\"] = \"{one}\",\n    [\"prod\"] = \"{two}\",\n}};\n"
            ),
            format!(
                "var apiKeys = new Dictionary<string, string> {{ {{ \"dev\", \"{one}\" }}, {{ \"prod\", \"{two}\" }} }};\n"
            ),
            format!(
                "let api_keys = HashMap::from([(\"dev\", \"{one}\"), (\"prod\", \"{two}\")]);\n"
            ),
            format!("const API_KEYS: &[&str] = &[\"{one}\", \"{two}\"];\n"),
        ] {
            let hits = [("assigned_key", one.as_str()), ("assigned_key", &two)];
            let all: std::collections::BTreeSet<_> = found(&text).into_iter().collect();
            assert_eq!(all, hits.into(), "{text}");
        }
        let hex = "9e21bd4727af40fc".repeat(2);
        let text = format!("API_KEYS = {{\"user\": \"{hex}\"}}\n");
        assert_eq!(found(&text), [("assigned_key", hex.as_str())]);
        for text in [
            format!("app:\n  api_keys:\n  host: {one}\n"),
            format!("keys = [\"{one}\"]\n"),
            format!("primary_keys = [\"{one}\"]\n"),
            "api_keys:\n  dev: ServiceAccountKey2024Main\n".to_owned(),
            format!("tokens:\n  - rev: {}\n", "9e21bd4727af40fc".repeat(2)),
            format!("const tokens = {{ id: 1, commit: \"{}\" }};\n", "9e21bd4727af40fc".repeat(2)),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }

    #[test]
    fn names_in_a_list_and_other_lists_are_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            "\"x/secrets\": {\"resolved\": \"git+ssh://git@h.io/a/b.git#3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091\"}\n".to_owned(),
            "passwords = [\"db_main\", \"Castle2\"]\n".to_owned(),
            format!("\"js-tokens\": {{\"integrity\": \"sha512-{}\"}}\n", "RdJUflcE3cUzKiMqQgsCu06F".repeat(3)),
            "secrets:\n  - Db-Password-2024\n  - Vault/Eye20\n".to_owned(),
            "secrets:\n  - db-password-2\n  - api_token_v2\n".to_owned(),
            format!("passwords = config[\"{value}\"]\n"),
            format!("for p in passwords: x = [\"{value}\"]\n"),
            format!("passwords = [{{\"name\": \"{value}\", \"url\": \"b\"}}]\n"),
            format!("passwordLengths = [\"{value}\"]\n"),
            format!("passwords[\"{value}\"]\n"),
            format!("passwords.push(x)\nhosts = [\"{value}\"]\n"),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}
