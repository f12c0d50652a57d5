//! The patterns and rules that a policy adds.

use serde_json::{Map, Value};

use super::PolicyError;
use super::keys::own_key;
use super::yaml::{bad, mapping, present};
use crate::risk::{Check, Dummy, Pattern, Rule};

/// A policy may not add more patterns than this: each is one more pass over every text.
const EXTRA_PATTERNS_MAX: usize = 256;

/// The keys of a pattern that a policy adds. The Python server takes `weight` and ignores it.
const PATTERN_KEYS: [&str; 3] = ["name", "regex", "weight"];

/// The keys of a rule that a policy adds: those of a row of the built-in table.
const RULE_KEYS: [&str; 9] =
    ["name", "family", "form", "words", "check", "named", "dummy", "service", "source"];

/// The keys of a dummy of a rule.
const DUMMY_KEYS: [&str; 2] = ["prefix", "name"];

/// A prefix of dummies has so many characters at least.
const PREFIX_CHARS_MIN: usize = 3;

/// A name has so many characters at most.
const NAME_CHARS_MAX: usize = 100;

/// What a name must be.
const NAMES: &str = "names of 1 to 100 characters, without control characters";

/// Gathers what `extend_patterns` adds, in the order of the file.
pub(super) fn extra_patterns(file: &Map<String, Value>) -> Result<Vec<Pattern>, PolicyError> {
    let mut patterns = Vec::new();
    for (family, entries) in mapping(file, "extend_patterns")?.into_iter().flatten() {
        if !is_name(family) {
            return Err(bad("extend_patterns", &format!("must have families with {NAMES}")));
        }
        if entries.is_null() {
            continue;
        }
        let of = format!("extend_patterns.{family}");
        let entries = entries.as_array().ok_or_else(|| bad(&of, "must be a list of patterns"))?;
        for entry in entries {
            for key in entry.as_object().into_iter().flat_map(Map::keys) {
                own_key(&["extend_patterns", family, key], &PATTERN_KEYS)?;
            }
            let field = |key| entry.get(key).and_then(Value::as_str);
            let (Some(name), Some(regex)) = (field("name"), field("regex")) else {
                return Err(bad(
                    &of,
                    "must have a `name` and a `regex` in each pattern, both texts",
                ));
            };
            if !is_name(name) {
                return Err(bad(&of, &format!("must have patterns with {NAMES}")));
            }
            if patterns.len() == EXTRA_PATTERNS_MAX {
                let message = format!("must not have more than {EXTRA_PATTERNS_MAX} patterns");
                return Err(bad("extend_patterns", &message));
            }
            let pattern =
                Pattern::new(family, name, regex).map_err(|source| PolicyError::BadRegex {
                    family: family.clone(),
                    name: name.to_owned(),
                    message: source.message,
                })?;
            patterns.push(pattern);
        }
    }
    Ok(patterns)
}

/// Adds what `extend_rules` adds, in the order of the file.
pub(super) fn extra_rules(
    file: &Map<String, Value>,
    patterns: &mut Vec<Pattern>,
) -> Result<(), PolicyError> {
    let Some(rules) = present(file, "extend_rules") else { return Ok(()) };
    let mut dummies = 0;
    let rules = rules.as_array().ok_or_else(|| wrong("must be a list of rules"))?;
    for (nth, rule) in rules.iter().enumerate() {
        let rule = rule.as_object().ok_or_else(|| wrong("must have a mapping for each rule"))?;
        for key in rule.keys() {
            own_key(&["extend_rules", key], &RULE_KEYS)?;
        }
        let rule = row(rule).map_err(|error| of_rule(error, nth + 1, rule))?;
        dummies += rule.dummy.len();
        if patterns.len() + dummies >= EXTRA_PATTERNS_MAX {
            let message = format!(
                "must not have more than {EXTRA_PATTERNS_MAX} rules and dummies, those of `extend_patterns` counted"
            );
            return Err(wrong(&message));
        }
        let name = rule.name.clone();
        let pattern = Pattern::of_rule(rule)
            .map_err(|source| PolicyError::BadForm { name, message: source.to_string() })?;
        patterns.push(pattern);
    }
    Ok(())
}

/// Names the rule that an error is about.
fn of_rule(error: PolicyError, number: usize, rule: &Map<String, Value>) -> PolicyError {
    match error {
        PolicyError::BadValue { key, message } => {
            let name = rule.get("name").and_then(Value::as_str).filter(|name| is_name(name));
            let name = name.map(|name| format!(", `{name}`")).unwrap_or_default();
            PolicyError::BadValue { key, message: format!("{message} (rule {number}{name})") }
        }
        other => other,
    }
}

fn wrong(message: &str) -> PolicyError {
    bad("extend_rules", message)
}

/// Reads a rule, which has the columns of a row of the built-in table.
fn row(rule: &Map<String, Value>) -> Result<Rule, PolicyError> {
    let field = |key| rule.get(key).and_then(Value::as_str);
    let (Some(name), Some(form)) = (field("name"), field("form")) else {
        return Err(wrong("must have a `name` and a `form` in each rule, both texts"));
    };
    let family = match present(rule, "family") {
        Some(family) => family.as_str().ok_or_else(|| wrong("must have texts as families"))?,
        None => "api_key",
    };
    if !is_name(name) || !is_name(family) {
        return Err(wrong(&format!("must have rules and families with {NAMES}")));
    }
    let words = match present(rule, "words") {
        Some(words) => words
            .as_array()
            .and_then(|words| words.iter().map(word).collect())
            .ok_or_else(|| wrong("must have lists of words, without white space, as `words`"))?,
        None => Vec::new(),
    };
    let check = match present(rule, "check").map(Value::as_str) {
        None => None,
        Some(Some("crc32_base62")) => Some(Check::Crc32Base62),
        Some(_) => return Err(wrong("must have `crc32_base62` as `check`, or none")),
    };
    let named = match present(rule, "named") {
        Some(named) => {
            named.as_bool().ok_or_else(|| wrong("must have true or false as `named`"))?
        }
        None => false,
    };
    let dummy = match present(rule, "dummy") {
        Some(all) => all
            .as_array()
            .ok_or_else(|| wrong("must have lists of `{prefix, name}` as `dummy`"))?
            .iter()
            .map(dummy)
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    // A name there would change what the model sees, and it was trained with the names that are built in.
    if present(rule, "service").is_some() {
        let message = "is for the built-in table alone, since the model has learned with its names; \
                       `words` of a rule say what stands near";
        return Err(bad("extend_rules.service", message));
    }
    let source = match present(rule, "source").map(Value::as_str) {
        None => None,
        Some(Some(source)) if is_name(source) => Some(source.to_owned()),
        Some(_) => return Err(wrong(&format!("must have as `source` one of the {NAMES}"))),
    };
    let (name, family, form) = (name.to_owned(), family.to_owned(), form.to_owned());
    Ok(Rule { name, family, form, words, check, named, dummy, source })
}

/// Reads a prefix of dummies.
fn dummy(value: &Value) -> Result<Dummy, PolicyError> {
    for key in value.as_object().into_iter().flat_map(Map::keys) {
        own_key(&["extend_rules", "dummy", key], &DUMMY_KEYS)?;
    }
    let field = |key| value.get(key).and_then(Value::as_str).filter(|text| is_name(text));
    let prefix = field("prefix").filter(|prefix| prefix.chars().count() >= PREFIX_CHARS_MIN);
    let (Some(prefix), Some(name)) = (prefix, field("name")) else {
        return Err(wrong(&format!(
            "must have a `prefix` of {PREFIX_CHARS_MIN} to {NAME_CHARS_MAX} characters and a `name` in each dummy"
        )));
    };
    Ok(Dummy { prefix: prefix.to_owned(), name: name.to_owned() })
}

/// Tells whether a text is a name of a pattern or of a family.
fn is_name(text: &str) -> bool {
    let len = text.chars().take(NAME_CHARS_MAX + 1).count();
    len <= NAME_CHARS_MAX && !text.trim().is_empty() && !text.contains(char::is_control)
}

/// A word that must stand near a token.
fn word(value: &Value) -> Option<String> {
    let word = value.as_str()?;
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    is_word.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::super::tests::{error, parse};
    use super::*;
    use crate::risk::Detection;

    #[test]
    fn patterns_keep_their_order_and_incomplete_ones_are_refused() {
        let policy = parse(
            "extend_patterns:\n\
             \x20 zeta:\n    - {name: first, regex: a}\n    - {name: second, regex: b}\n\
             \x20 none:\n\x20 alpha: [{name: third, regex: c}]\n",
        );
        let names: Vec<_> =
            policy.risk.extra_patterns.iter().map(|p| (p.family(), p.name())).collect();
        assert_eq!(names, [("zeta", "first"), ("zeta", "second"), ("alpha", "third")]);
        for text in [
            "extend_patterns: [a, b]",
            "extend_patterns: {a: {name: x, regex: y}}",
            "extend_patterns: {a: [text]}",
            "extend_patterns: {a: [{name: x}]}",
            "extend_patterns: {a: [{regex: x}]}",
            "extend_patterns: {a: [{name: 5, regex: x}]}",
            "extend_patterns: {a: [{name: '', regex: x}]}",
            "extend_patterns: {a: [{name: ' ', regex: x}]}",
            "extend_patterns: {a: [{name: \"a\\tb\", regex: x}]}",
            "extend_patterns: {'': [{name: a, regex: x}]}",
            "extend_patterns: {\"a\\0\": [{name: a, regex: x}]}",
            "extend_rules: [{name: '', form: 'hse_{n8}'}]",
            "extend_rules: [{name: a, family: \"\\n\", form: 'hse_{n8}'}]",
        ] {
            assert!(error(text).reason().starts_with("bad_value: extend_"), "{text}");
        }
        let named =
            |len| format!("extend_patterns: {{a: [{{name: {}, regex: x}}]}}", "é".repeat(len));
        assert_eq!(parse(&named(100)).risk.extra_patterns.len(), 1);
        assert!(error(&named(101)).reason().starts_with("bad_value: extend_patterns.a must have"));
        let empty = error("extend_patterns: {a: [{name: n, regex: 'a*'}]}");
        assert_eq!(empty.reason(), "bad_regex: matches an empty text");
    }

    #[test]
    fn rules_are_rows_of_the_table() {
        let policy = parse(
            "extend_patterns: {house: [{name: first, regex: a}]}\nextend_rules:\n\
             - {name: second, form: 'hse_{n8}', family: house}\n\
             - {name: third, form: 'k{h32}', words: [House, hse]}\n",
        );
        let patterns = policy.risk.extra_patterns.iter();
        let all: Vec<_> = patterns.map(|p| (p.family(), p.name(), p.rule().is_some())).collect();
        let expected =
            [("house", "first", false), ("house", "second", true), ("api_key", "third", true)];
        assert_eq!(all, expected);
        let rule = policy.risk.extra_patterns[2].rule().unwrap();
        assert_eq!((rule.form.as_str(), rule.words.join(" ").as_str()), ("k{h32}", "house hse"));
        for text in [
            "extend_rules: {name: n}",
            "extend_rules: [text]",
            "extend_rules: [{name: n}]",
            "extend_rules: [{name: 1, form: 'hse_{n8}'}]",
            "extend_rules: [{name: n, form: 'hse_{n8}', family: 1}]",
            "extend_rules: [{name: n, form: 'hse_{n8}', words: house}]",
            "extend_rules: [{name: n, form: 'hse_{n8}', words: ['a b']}]",
            "extend_rules: [{name: n, form: 'hse_{n8}', check: luhn}]",
        ] {
            assert!(error(text).reason().starts_with("bad_value: extend_rules"), "{text}");
        }
    }

    #[test]
    fn a_rule_may_have_the_check_of_the_table() {
        let rule =
            "extend_rules: [{name: n, form: 'hse_{n12}', family: house, check: crc32_base62}]";
        let policy = parse(&format!("{rule}\nweights: {{house: 0.5}}\n"));
        // The check of the text is the one that Python computes: `zlib.crc32(b"aZ3kQ9")`, in base 62.
        for (token, count) in [("aZ3kQ91egSPN", 1), ("aZ3kQ9000001", 0)] {
            let report = crate::risk::score(&format!("x = hse_{token}\n"), &policy.risk);
            let house = |found: &&Detection| matches!(found, Detection::Pattern(hit) if hit.kind == "house");
            assert_eq!(report.detected_patterns.iter().filter(house).count(), count, "{token}");
        }
    }

    #[test]
    fn a_rule_that_is_none_is_refused_with_its_place() {
        let first = "extend_rules:\n- {name: a, form: 'hse_{n8}'}\n";
        for (rule, reason, column) in [
            (
                "- {name: b, from: 'hse_{n8}'}",
                "unknown_key: extend_rules.from (is `form` meant?)",
                13,
            ),
            ("- {name: b, form: 'hse_{n8'}", "bad_form: the form of `b` has a `{` without", 19),
            ("- {name: b, form: 'hse_{q8}'}", "bad_form: the form of `b` has the class `{q8}`", 19),
            ("- {form: 'h{n8}', name: b}", "bad_form: the form of `b` must have 3 characters", 10),
            ("- {name: b, form: 'hse_{n99999999}'}", "bad_form: the form of `b` ", 19),
        ] {
            let text = format!("{first}{rule}\n");
            let found = error(&text);
            assert!(found.reason().starts_with(reason), "{}", found.reason());
            assert_eq!(found.place(&text), Some(Place { line: 3, column }), "{text}");
        }
    }

    #[test]
    fn a_bad_regex_is_named() {
        let found = error("extend_patterns: {house: [{name: open, regex: 'a(b'}]}");
        let expected = PolicyError::BadRegex {
            family: "house".to_owned(),
            name: "open".to_owned(),
            message: "unclosed group".to_owned(),
        };
        assert_eq!(found, expected);
        assert_eq!(found.reason(), "bad_regex: unclosed group");
    }

    #[test]
    fn a_regex_that_could_exhaust_memory_or_stack_is_refused() {
        for regex in [r"(\w{1000}){1000}", &"(".repeat(10_000), "(?=look)ahead", r"(a)\1"] {
            let text = format!("extend_patterns: {{house: [{{name: big, regex: '{regex}'}}]}}");
            let reason = error(&text).reason();
            assert!(reason.starts_with("bad_regex: "), "{reason}");
            assert_eq!(reason.lines().count(), 1, "{reason}");
        }
    }

    #[test]
    fn patterns_are_limited_in_number() {
        let file = |count| {
            format!("extend_patterns: {{f: [{}]}}", vec!["{name: x, regex: y}"; count].join(","))
        };
        assert_eq!(parse(&file(256)).risk.extra_patterns.len(), 256);
        assert_eq!(
            error(&file(257)).reason(),
            "bad_value: extend_patterns must not have more than 256 patterns"
        );
    }
}
