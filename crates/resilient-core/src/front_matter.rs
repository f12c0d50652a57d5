//! Markdown with facts in front: YAML between two lines of `---`, then prose.
//!
//! What is written reads back as the same JSON here, and with any reader of YAML 1.1 or 1.2: a text
//! that one of them might read as something else is quoted.

use std::fmt::Write as _;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// How many levels of lists and maps there may be: the reader is recursive, and the stack of a
/// thread is short.
pub const DEPTH: usize = 64;
/// YAML looks no further for the colon after a key (YAML 1.2, section 7.4.2).
const IMPLICIT_KEY: usize = 1000;

/// Writes facts in the order they have, and prose; `None` for facts that nest deeper than
/// [`read`] would follow them.
#[must_use]
pub fn write(facts: &Map<String, Value>, body: &str) -> Option<String> {
    if is_deeper_than(facts, DEPTH) {
        return None;
    }
    let mut text = String::from("---\n");
    if facts.is_empty() {
        text.push_str("{}\n");
    }
    emit_map(&mut text, facts, 0);
    text.push_str("---\n");
    let body = body.trim_end();
    if !body.is_empty() {
        text.push('\n');
        text.push_str(body);
        text.push('\n');
    }
    Some(text)
}

/// Whether there are more than `most` levels, the facts themselves being the first.
fn is_deeper_than(facts: &Map<String, Value>, most: usize) -> bool {
    let mut level: Vec<&Value> = facts.values().collect();
    for _ in 1..most {
        let mut below = Vec::new();
        for value in level {
            match value {
                Value::Array(items) => below.extend(items),
                Value::Object(map) => below.extend(map.values()),
                _ => {}
            }
        }
        level = below;
    }
    level.iter().any(|value| value.is_array() || value.is_object())
}

/// Reads facts and prose.
///
/// # Errors
/// In one word, and where the YAML is at fault in its reader's words: there is no front matter, it
/// does not end, it is no YAML, or it is no mapping.
pub fn read(text: &str) -> Result<(Map<String, Value>, &str), String> {
    let rest = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .strip_prefix("---")
        .ok_or("missing_front_matter_delimiter")?;
    let (yaml, after) = match rest.split_once("\n---") {
        Some(parts) => parts,
        None => return Err("unterminated_front_matter".to_owned()),
    };
    let value = parse(&with_texts_quoted(yaml)).map_err(|error| {
        let message = error.to_string();
        format!("yaml_error: {}", message.lines().next().unwrap_or_default())
    })?;
    let Value::Object(facts) = value else { return Err("front_matter_not_mapping".to_owned()) };
    Ok((facts, after.trim_start_matches(['\r', '\n'])))
}

/// Reads whatever [`write`] may have written, however much that is; only what a text repeats by
/// aliases, and how deep it nests, has a limit of its own.
fn parse(yaml: &str) -> Result<Value, serde_saphyr::Error> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH,
            max_nodes: yaml.len() + 1,
            max_events: 4 * yaml.len() + 16,
            max_total_scalar_bytes: yaml.len(),
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 50_000 },
        with_snippet: false,
        // PyYAML writes the texts `y` and `08` plain, and quotes whatever else these would affect.
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
    };
    serde_saphyr::from_str_with_options(yaml, options)
}

/// Puts quotes around the plain words that are texts in YAML 1.1 and something else in YAML 1.2:
/// the Python server wrote such texts plain, and a short commit hash may well be one (`123e456`).
fn with_texts_quoted(yaml: &str) -> String {
    let mut quoted = String::with_capacity(yaml.len());
    let mut copied = 0;
    for (event, span) in Parser::new_from_str(yaml).map_while(Result::ok) {
        let Event::Scalar(word, ScalarStyle::Plain, _, None) = event else { continue };
        let Some(range) = span.byte_range().filter(|_| is_text_in_yaml_1_1(&word)) else {
            continue;
        };
        if let (Some(before), Some(word)) = (yaml.get(copied..range.start), yaml.get(range.clone()))
        {
            let _ = write!(quoted, "{before}\"{word}\"");
            copied = range.end;
        }
    }
    quoted.push_str(yaml.get(copied..).unwrap_or_default());
    quoted
}

/// Whether YAML 1.1 has a text where YAML 1.2, as read here, has a number or a truth value: its
/// floats have a point, their exponents a sign, and octals no letter.
fn is_text_in_yaml_1_1(word: &str) -> bool {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    if unsigned.starts_with("0o") || matches!(word, "y" | "Y" | "n" | "N") {
        return true;
    }
    let float = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => mantissa.contains('.') && exponent.starts_with(['+', '-']),
        None => true,
    };
    let signed_point = unsigned.len() < word.len() && unsigned.starts_with('.');
    (!float || signed_point) && word.parse::<f64>().is_ok()
}

// The depth of what is emitted is at most `DEPTH`.
fn emit_map(text: &mut String, map: &Map<String, Value>, indent: usize) {
    for (key, value) in map {
        let key = scalar(key);
        if key.len() < IMPLICIT_KEY {
            let _ = write!(text, "{:indent$}{key}:", "");
        } else {
            let _ = write!(text, "{:indent$}? {key}\n{:indent$}:", "", "");
        }
        emit(text, value, indent);
    }
}

fn emit(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('\n');
            emit_map(text, map, indent + 2);
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            for item in items {
                let _ = write!(text, "{:indent$}-", "");
                match item {
                    Value::Object(map) if !map.is_empty() => {
                        let mut inner = String::new();
                        emit_map(&mut inner, map, indent + 2);
                        text.push(' ');
                        text.push_str(inner.trim_start_matches(' '));
                    }
                    item => emit(text, item, indent + 2),
                }
            }
        }
        Value::String(string) => {
            let _ = writeln!(text, " {}", scalar(string));
        }
        // Numbers, words and empty collections are the same in YAML as in JSON, except for a float
        // without a point, which YAML 1.1 reads as a text.
        Value::Number(number) => {
            let number = number.to_string();
            let number = match number.split_once('e') {
                Some((mantissa, exponent)) => {
                    let point = if mantissa.contains('.') { "" } else { ".0" };
                    let sign = if exponent.starts_with('-') { "" } else { "+" };
                    format!("{mantissa}{point}e{sign}{}", exponent.trim_start_matches('+'))
                }
                None => number,
            };
            let _ = writeln!(text, " {number}");
        }
        other => {
            let _ = writeln!(text, " {other}");
        }
    }
}

/// A text as YAML: plain where every reader takes it for a text, else quoted as in JSON.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 12] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "none"];
    let mut chars = text.chars();
    let plain = chars.next().is_some_and(char::is_alphabetic)
        && text.chars().all(|c| {
            c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | ',' | '(' | ')')
        })
        && !text.ends_with(' ')
        && !WORDS.contains(&text.to_lowercase().as_str());
    if plain {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Not printable in YAML 1.2, section 5.1, or a line break in YAML 1.1.
            '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let facts = map(json!({
            "task_id": "00", "status": "partial", "when": "2026-04-01T00:00:00Z",
            "words": ["yes", "No", "null", "~", "1e3", "0x1f", "12:30:45", "", " lead", "a: b", "#x",
                      "- x", "tab\there", "line\nbreak", "quote\"back\\slash", "ünï", "\u{2028}",
                      "\u{0}", "=", "@a", "%b", "*c", "&d", "!e", "|", ">", "'", "[", "{"],
            "numbers": [0, -1, 1.5, 1e300, 2.5e-9, 18_446_744_073_709_551_615_u64],
            "empty": {"map": {}, "list": [], "null": null, "yes": true, "no": false},
            "nested": [[1, [2, {"a": [{"b": {"c": "d"}}]}]], {"x": "y", "z": [1]}],
            "key: odd": 1, "": 2, "- dash": 3,
        }));
        for body in ["", "# Title\n\ntext\n", "one line"] {
            let text = write(&facts, body).expect("not deep");
            let (read, rest) = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(Value::Object(read), Value::Object(facts.clone()), "{text}");
            assert_eq!(rest.trim_end(), body.trim_end());
        }
    }

    #[test]
    fn no_facts_read_back_as_none() {
        let text = write(&Map::new(), "body").expect("not deep");
        assert_eq!(text, "---\n{}\n---\n\nbody\n");
        assert_eq!(read(&text), Ok((Map::new(), "body\n")));
        assert_eq!(read("---\n<<: ~\n---\n"), Ok((Map::new(), "")));
    }

    #[test]
    fn what_json_can_hold_reads_back() {
        let nested = |open: &str, close: &str, levels| -> Value {
            let text = [&*open.repeat(levels), "1", &*close.repeat(levels)].concat();
            serde_json::from_str(&text).expect("JSON")
        };
        let mut facts = map(json!({"long": "x".repeat(100_000), "long\u{7}".repeat(1000): [{}]}));
        facts.insert("deep list".to_owned(), nested("[", "]", DEPTH - 1));
        facts.insert("deep map".to_owned(), nested("{\"a\":", "}", DEPTH - 1));
        facts.insert("both".to_owned(), nested("[{\"a\":[0,", "],\"b\":{}}]", 21));
        facts.insert("many".to_owned(), (0..3_000).collect());
        facts.insert("<<".to_owned(), json!({"merged": "not"}));
        let text = write(&facts, "").expect("not deep");
        let (read, _) = read(&text).expect("front matter");
        assert!(read == facts);
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let mut facts = Map::new();
            facts.insert("deep".to_owned(), nested(open, close, DEPTH));
            assert_eq!(write(&facts, ""), None);
        }
    }

    #[test]
    fn any_text_reads_back() {
        let pieces = [
            "",
            " ",
            "  ",
            "\t",
            "\n",
            "\r\n",
            "\r",
            ":",
            ": ",
            "#",
            " #",
            "-",
            "- ",
            "---",
            "...",
            "'",
            "\"",
            "\\",
            "{",
            "}",
            "[",
            "]",
            ",",
            "&a",
            "*a",
            "!",
            "!!str",
            "|",
            ">",
            "%",
            "@",
            "`",
            "?",
            "? ",
            "~",
            "null",
            "yes",
            "On",
            "0",
            "00",
            "0x1F",
            "1e3",
            "1_000",
            "1:30",
            ".5",
            ".inf",
            "-.INF",
            ".nan",
            "=",
            "<<",
            "2026-04-01",
            "T00:00:00Z",
            "é",
            "\u{85}",
            "\u{a0}",
            "\u{2028}",
            "\u{2029}",
            "\u{feff}",
            "\u{fffd}",
            "\u{ffff}",
            "\u{1f600}",
            "\0",
            "\u{7f}",
            "\u{200b}",
            "\u{e000}",
            "\u{10ffff}",
            "word",
            "a b",
            "²",
            "Ⅷ",
        ];
        // Two pieces each, in every combination, as value, as key and in a list.
        for first in pieces {
            let mut facts = Map::new();
            for second in pieces {
                let text = format!("{first}{second}");
                facts.insert(text.clone(), json!([text, {text.clone(): text}]));
            }
            let text = write(&facts, "body").expect("not deep");
            let (read, body) = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!((read, body), (facts, "body\n"));
        }
    }

    #[test]
    fn damage_is_named() {
        let reason = |text| read(text).expect_err("damaged");
        assert_eq!(reason("task_id: 1\n"), "missing_front_matter_delimiter");
        assert_eq!(reason("---\ntask_id: 1\n"), "unterminated_front_matter");
        assert_eq!(reason("---\n- a\n---\n"), "front_matter_not_mapping");
        assert!(reason("---\n{a\n---\n").starts_with("yaml_error: "));
    }

    #[test]
    fn hostile_yaml_is_refused_and_not_obeyed() {
        let bomb: String = (1..9)
            .map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", ")))
            .collect();
        let (open, close) = ("[".repeat(50), "]".repeat(50));
        let deep_aliases: String = (1..60)
            .map(|n| format!("a{n}: &a{n} {open}*a{}{close}\n", n - 1))
            .fold("a0: &a0 []\n".to_owned(), |text, line| text + &line);
        for yaml in [
            "[".repeat(10_000),
            format!("a: {}", "[".repeat(100_000)),
            format!("a: {}", "{a: ".repeat(10_000)),
            format!("a:\n {}", "- ".repeat(10_000)),
            (0..2_000).map(|n| format!("{:n$}a:\n", "")).collect(),
            deep_aliases,
            format!("a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]\n{bomb}"),
            "a: &a [*a]".to_owned(),
            "a: *b".to_owned(),
            "a: 1\na: 2".to_owned(),
        ] {
            let error = read(&format!("---\n{yaml}\n---\n")).map(|_| ()).expect_err("refused");
            assert!(error.starts_with("yaml_error: "), "{error}");
            assert!(error.len() < 300, "{error}");
        }
    }

    #[test]
    fn the_yaml_of_others_is_read() {
        let facts = |text: &str| {
            let (facts, body) = read(text).unwrap_or_else(|error| panic!("{error}"));
            (Value::Object(facts), body.to_owned())
        };
        // As PyYAML writes, folded lines and all.
        let python = "---\ntask_id: T-1\nsummary: 'first it''s: one\n\n  second'\nupdated_at: \
                      '2026-04-01T00:00:00Z'\nnext_steps:\n- a long line that is\n  folded\n- \"tab\\t\\\n  \
                      \\ cut\"\nlast_good_state:\n- path: a\n  sha256: b\nshared: &id001\n- 1\nagain: *id001\n\
                      ---\n\n# Body\n---\nrule\n";
        let expected = json!({
            "task_id": "T-1", "summary": "first it's: one\nsecond",
            "updated_at": "2026-04-01T00:00:00Z",
            "next_steps": ["a long line that is folded", "tab\t cut"],
            "last_good_state": [{"path": "a", "sha256": "b"}], "shared": [1], "again": [1],
        });
        assert_eq!(facts(python), (expected.clone(), "# Body\n---\nrule\n".to_owned()));
        let windows = format!("\u{feff}{}", python.replace('\n', "\r\n"));
        assert_eq!(facts(&windows), (expected, "# Body\r\n---\r\nrule\r\n".to_owned()));
        assert_eq!(facts("--- {a: 1}\n--- \nx"), (json!({"a": 1}), " \nx".to_owned()));
        assert_eq!(
            facts("---\na: x # note\nb:\n\n---"),
            (json!({"a": "x", "b": null}), String::new())
        );
        assert_eq!(facts("---\n1: x\ntrue: y\n---").0, json!({"1": "x", "true": "y"}));
        assert_eq!(
            facts("---\na: [y, n, on, 08, 007, true]\n---").0,
            json!({"a": ["y", "n", "on", "08", "007", true]})
        );
    }

    #[test]
    fn plain_words_are_what_the_python_server_meant_by_them() {
        let yaml = "---\nhash: 123e456\nlist: [1e3, 1.5e3, 1.5e+3, -2E5, +.5, 0o17, 08, y, n, no]\n\
                    ü: &a 7e1 # 7e1\nagain: *a\nkey 1e3: \"1e3\"\n1e3: |\n  1e3\n---\n";
        let (facts, _) = read(yaml).expect("front matter");
        let expected = json!({
            "hash": "123e456",
            "list": ["1e3", "1.5e3", 1500.0, "-2E5", "+.5", "0o17", "08", "y", "n", "no"],
            "ü": "7e1", "again": "7e1", "key 1e3": "1e3", "1e3": "1e3\n",
        });
        assert_eq!(Value::Object(facts), expected);
    }

    #[test]
    fn an_unquoted_time_is_a_text() {
        let (facts, _) = read("---\nwhen: 2026-04-01T00:00:00Z\n---\n").expect("front matter");
        assert_eq!(facts.get("when"), Some(&json!("2026-04-01T00:00:00Z")));
    }
}
