//! Names and values that stand under keys of their own, as in Kubernetes and CI: `name: DB_PASSWORD`, `value: "…"`. Or in
//! elements of their own: `<key>Password</key><string>…</string>`.

use std::ops::Range;

use memchr::memmem;

use super::super::byte_classes::ByteClasses;
use super::super::keywords::has_secret_word;
use super::{Map, Trust, Views};

/// A name is not longer, and between it and the key of its value stands no more.
const NEAR: usize = 64;
/// A value is no longer.
const VALUE_MAX: usize = 4096;

/// Makes a view of each value behind its name: `DB_PASSWORD: "…"`.
pub(super) fn views(bytes: &[u8], byte_classes: &ByteClasses, views: &mut Views<'_>) {
    let keys = memmem::find_iter(bytes, b"alue").filter_map(|at| at.checked_sub(1));
    for key in keys.filter(|at| matches!(bytes.get(*at), Some(b'v' | b'V'))) {
        if let Some(name) = name_before(bytes, byte_classes, key)
            && let Some((whole, value)) = value_behind(bytes, key + "value".len())
            && let Some(name) = bytes.get(name).filter(|name| has_secret_word(name))
            && let Some(said) = bytes.get(whole.clone())
            && let Ok(text) = String::from_utf8([name, said].concat())
        {
            // The name, the sign and the quotes stay whatever is found.
            let mut map = Map::parts();
            let stays = value.start..value.start;
            map.push(name.len() + value.start - whole.start, stays.clone(), false);
            map.push(value.len(), value.clone(), false);
            map.push(whole.end - value.end, stays, false);
            views.add("name and value", map, text, Trust::Full);
        }
    }
    // The third is of KeePass.
    const ELEMENTS: [(&[u8], &[u8]); 6] = [
        (b"</key>", b"<string"),
        (b"</name>", b"<value"),
        (b"</Key>", b"<Value"),
        (b"</td>", b"<td"),
        (b"</th>", b"<td"),
        (b"</dt>", b"<dd"),
    ];
    for (close, open) in ELEMENTS {
        for at in memmem::find_iter(bytes, close) {
            element(bytes, at, close, open, views);
        }
    }
}

/// Makes a view of the element behind the one whose end stands at a position, if that holds a name: `Password: "…"`.
fn element(bytes: &[u8], at: usize, close: &[u8], open: &[u8], views: &mut Views<'_>) {
    let Some(before) = bytes.get(at.saturating_sub(NEAR)..at) else { return };
    let name = before.rsplit(|byte| *byte == b'>').next().unwrap_or_default().trim_ascii();
    let is_name = name.len() < before.len() && has_secret_word(name);
    let Some(behind) = bytes.get(at + close.len()..).filter(|_| is_name) else { return };
    let white = behind.iter().take(NEAR).take_while(|byte| byte.is_ascii_whitespace()).count();
    let Some(tag) = behind.get(white..).and_then(|it| it.strip_prefix(open)) else { return };
    let attributes = tag.iter().take(NEAR).position(|byte| b"<>".contains(byte)).unwrap_or(NEAR);
    let is_tag = attributes == 0 || tag.starts_with(b" ");
    let start = at + close.len() + white + open.len() + attributes + 1;
    let is_open = is_tag && bytes.get(start - 1) == Some(&b'>');
    let Some(rest) = bytes.get(start..).filter(|_| is_open) else { return };
    let Some(len) = rest.iter().take(VALUE_MAX).position(|byte| *byte == b'<') else { return };
    let Some(value) = rest.get(..len).filter(|value| !value.contains(&b'"')) else { return };
    let Ok(text) = String::from_utf8([name, b": \"", value, b"\""].concat()) else { return };
    let mut map = Map::parts();
    let stays = start..start;
    map.push(name.len() + 3, stays.clone(), false);
    map.push(len, start..start + len, false);
    map.push(1, stays, false);
    views.add("name and value", map, text, Trust::Full);
}

/// The name in the member before a key: `name: NAME`, `"Name": "NAME",`, `key="NAME"`.
fn name_before(bytes: &[u8], byte_classes: &ByteClasses, key: usize) -> Option<Range<usize>> {
    let floor = key.saturating_sub(NEAR);
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"\"',;".contains(byte);
    let between = bytes.get(floor..key)?.iter().rev().take_while(|byte| is_between(byte)).count();
    let end = key - between;
    let start = end - byte_classes.token.run_back(end, end.saturating_sub(NEAR));
    let before = bytes.get(start.saturating_sub(NEAR)..start)?;
    let signs = before.iter().rev().take_while(|byte| b"\"'=: \t".contains(byte)).count();
    let (before, signs) = before.split_at(before.len() - signs);
    let is_key = [&b"name"[..], b"Name", b"key", b"Key"].iter().any(|name| {
        let rest = before.strip_suffix(*name);
        rest.is_some_and(|rest| !rest.last().is_some_and(u8::is_ascii_alphanumeric))
    });
    let assigns = signs.iter().any(|byte| b"=:".contains(byte));
    (between > 0 && start < end && is_key && assigns).then_some(start..end)
}

/// The sign and the value behind a key, and the value alone: to its closing quote, or to the end of the line.
fn value_behind(bytes: &[u8], end: usize) -> Option<(Range<usize>, Range<usize>)> {
    let start = end + usize::from(matches!(bytes.get(end), Some(b'"' | b'\'')));
    let white = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    };
    let sign = white(start);
    let at = matches!(bytes.get(sign), Some(b':' | b'=')).then(|| white(sign + 1))?;
    let quote = bytes.get(at).filter(|byte| matches!(byte, b'"' | b'\''));
    let from = at + usize::from(quote.is_some());
    let mut is_escaped = false;
    let len = bytes.get(from..)?.iter().take(VALUE_MAX).position(|byte| {
        let is_end =
            if quote.is_some() { Some(byte) == quote } else { matches!(byte, b'\n' | b'\r') };
        let ends = is_end && !is_escaped;
        is_escaped = quote.is_some() && *byte == b'\\' && !is_escaped;
        ends
    });
    let rest = bytes.len() - from;
    let len = len.or((quote.is_none() && rest <= VALUE_MAX).then_some(rest))?;
    let to = from + len;
    Some((start..to + usize::from(quote.is_some()), from..to))
}

#[cfg(test)]
mod tests {
    use super::super::super::text_index::TextIndex;
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let text_index = TextIndex::of(text.as_bytes());
        let mut budget = 4096;
        let mut views = Views { views: Vec::new(), budget: &mut budget };
        super::views(text.as_bytes(), &text_index.byte_classes, &mut views);
        views.views.into_iter().map(|view| view.text).collect()
    }

    #[test]
    fn a_value_is_seen_behind_the_name_beside_it() {
        for (text, expected) in [
            ("- name: DB_PASSWORD\n  value: k3J\n- x: 1\n", "DB_PASSWORD: k3J"),
            ("- name: \"API_KEY\"\r\n  value: \"k3J\"", "API_KEY: \"k3J\""),
            ("{\"name\":\"API_TOKEN\",\"value\":\"k3J\"}", "API_TOKEN:\"k3J\""),
            ("{\"Name\" : \"ApiToken\", \"Value\" : \"k3J\"}", "ApiToken : \"k3J\""),
            ("<add key=\"Db.Password\" value='k3J' />", "Db.Password='k3J'"),
            ("{\"key\":\"api_key\",\"value\":\"k\\\"3J\",\"b\":1}", "api_key:\"k\\\"3J\""),
            ("name  = \"client_secret\"\nvalue = \"k3J\"\n", "client_secret = \"k3J\""),
            ("<key>Password</key>\n  <string>k3J</string>", "Password: \"k3J\""),
            ("<name>db.password</name><value>k3J</value>", "db.password: \"k3J\""),
            ("<td>Password</td>\n<td class=\"x\">k3J</td>", "Password: \"k3J\""),
            ("<Key>Password</Key>\n<Value Protect=\"True\">k3J</Value>", "Password: \"k3J\""),
        ] {
            assert_eq!(seen(text), [expected], "{text}");
        }
        for text in [
            "- name: DB_HOST\n  value: k3J\n",
            "- name: DB_PASSWORD\n  valueFrom:\n",
            "- label: DB_PASSWORD\n  value: k3J\n",
            "- filename: secrets\n  value: k3J\n",
            "- name: DB_PASSWORD\n  default: 1\n  value: k3J\n",
            "name(DB_PASSWORD) value: k3J\n",
            "<key>Password</key><integer>1</integer>",
            "<key>Host</key><string>k3J</string>",
            "<key>Password</key><strings>k3J</strings>",
            "<name>db.password</name><host>k3J</host>",
        ] {
            assert!(seen(text).is_empty(), "{text}");
        }
    }
}
