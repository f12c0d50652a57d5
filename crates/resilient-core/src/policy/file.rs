//! The YAML file of a policy.
//!
//! A key that is not known, and a value that means nothing, is an error, because a policy that silently does
//! not apply protects nobody. The file comes from a workspace and is not trusted: its size, its nesting and its
//! aliases are bounded.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::place::{self, Place};
use super::{Demand, HardLinks, Policy, ReadOnly, Retention};
use crate::digest::Digest;
use crate::form::{FormPolicy, FormSource};
use crate::near::nearest_one;
use crate::risk::{Allow, Paths, Pattern, Placeholders, Verdict};

/// A policy file may not be longer than this.
const FILE_BYTES_MAX: usize = 1 << 20;

/// A policy may not add more patterns than this: each is one more pass over every text.
const EXTRA_PATTERNS_MAX: usize = 256;

/// A message about YAML can quote the file; it is cut to this length.
const MESSAGE_CHARS_MAX: usize = 200;

/// Why a policy file does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A pattern's regex does not compile.
    #[error("regex of pattern `{name}` in family `{family}`: {message}")]
    BadRegex {
        /// The pattern's family.
        family: String,
        /// The pattern's name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// A rule's form is none.
    #[error("form of rule `{name}` {message}")]
    BadForm {
        /// The rule's name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// The text is not one YAML document, or a larger one than any policy needs.
    #[error("policy is not valid YAML: {message}")]
    Yaml {
        /// What is wrong with it, and where.
        message: String,
        /// The line of it.
        line: Option<u64>,
        /// The column of it.
        column: Option<u64>,
    },
    /// A policy does not have this key.
    #[error("policy key `{}` is not known", key.join("."))]
    UnknownKey {
        /// The keys that lead to it, itself at the end.
        key: Vec<String>,
        /// The key that may be meant.
        nearest: Option<&'static str>,
    },
    /// The document is something else than a mapping.
    #[error("policy is not a YAML mapping")]
    NotMapping,
    /// A key has a value that it cannot have.
    #[error("policy key `{key}` {message}")]
    BadValue {
        /// The key, dotted when it is an inner one.
        key: String,
        /// What the value must be.
        message: String,
    },
}

impl PolicyError {
    /// Returns the error in the form clients know as `context.reason`.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::BadRegex { message, .. } => format!("bad_regex: {message}"),
            Self::BadForm { name, message } => format!("bad_form: the form of `{name}` {message}"),
            Self::Yaml { message, .. } => format!("yaml_error: {message}"),
            Self::NotMapping => "policy_yaml_not_mapping".to_owned(),
            Self::UnknownKey { key, nearest: Some(nearest) } => {
                format!("unknown_key: {} (is `{nearest}` meant?)", key.join("."))
            }
            Self::UnknownKey { key, nearest: None } => format!("unknown_key: {}", key.join(".")),
            Self::BadValue { key, message } => format!("bad_value: {key} {message}"),
        }
    }

    /// Returns the place to correct in the text that was refused.
    #[must_use]
    pub fn place(&self, text: &str) -> Option<Place> {
        match self {
            Self::BadRegex { family, name, .. } => place::of_regex(text, family, name),
            Self::BadForm { name, .. } => place::of_form(text, name),
            Self::Yaml { line, column, .. } => {
                line.map(|line| Place { line, column: column.unwrap_or(1) })
            }
            Self::NotMapping => Some(Place { line: 1, column: 1 }),
            Self::UnknownKey { key, .. } => place::of_key(text, key),
            Self::BadValue { key, .. } => {
                let key: Vec<String> = key.split('.').map(str::to_owned).collect();
                place::of_key(text, &key)
            }
        }
    }
}

/// The keys of a pattern that a policy adds. The Python server takes `weight` and ignores it.
const PATTERN_KEYS: [&str; 3] = ["name", "regex", "weight"];

/// The keys of a rule that a policy adds: those of a row of the built-in table which a rule of one's own needs.
const RULE_KEYS: [&str; 4] = ["name", "form", "family", "words"];

/// The keys of a policy, those of mappings with a dot. Below `extend_patterns` and `weights` keys are names of families.
pub const KEYS: [&str; 30] = [
    "version",
    "thresholds",
    "thresholds.high",
    "thresholds.medium",
    "thresholds.low",
    "retry_budget",
    "retry_budget.default",
    "disable_families",
    "extend_patterns",
    "extend_rules",
    "weights",
    "allow",
    "allow.paths",
    "allow.patterns",
    "allow.values",
    "placeholders",
    "model",
    "hard_links",
    "read_only",
    "allow_git_writes",
    "form",
    "form_from",
    "classify",
    "classify.default",
    "classify.reject_at",
    "classify.reject",
    "scratch",
    "scratch.keep_days",
    "scratch.drafts_keep_days",
    "scratch.max_bytes",
];

impl Policy {
    /// Reads the text of a policy file; an empty one means the built-in values.
    ///
    /// | Key | Form |
    /// |---|---|
    /// | `version` | anything: it is not read |
    /// | `thresholds` | mapping with any of `high`, `medium`, `low` to numbers |
    /// | `retry_budget` | mapping with `default` to an integer |
    /// | `disable_families` | list of families |
    /// | `extend_patterns` | mapping from family to a list of `{name, regex}` |
    /// | `extend_rules` | list of `{name, form, family, words}`, the last two optional |
    /// | `weights` | mapping from family to a number from 0 to 1 |
    /// | `allow` | mapping with any of `paths`, `patterns`, `values` to lists |
    /// | `placeholders` | `ignore`, `low` or `full` |
    /// | `model` | boolean |
    /// | `hard_links` | `refuse` or `in_place` |
    /// | `read_only` | `refuse` or `overwrite` |
    /// | `allow_git_writes` | boolean |
    /// | `form` | `raw` or `keep` |
    /// | `form_from` | list of `editorconfig` and `gitattributes` |
    /// | `classify` | mapping with any of `default` (`on`, `off`), `reject_at` (`low`, `medium`, `high`), `reject` (`secrets`) |
    /// | `scratch` | mapping with any of `keep_days`, `drafts_keep_days`, `max_bytes` to an integer from 1, or `unlimited` |
    ///
    /// ```
    /// use resilient_core::policy::Policy;
    ///
    /// let policy = Policy::parse("thresholds: {high: 0.9}\ndisable_families: [pii]\n")?;
    /// assert_eq!(policy.risk.thresholds.high, 0.9);
    /// assert!(policy.risk.disabled_families.contains("pii"));
    /// assert_eq!(policy.retry_budget, 3);
    /// # Ok::<(), resilient_core::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`PolicyError::Yaml`] if the text is not one YAML document, repeats a key, or exceeds the
    ///   limits on size, nesting and aliases;
    /// - [`PolicyError::NotMapping`] if the document is a list or a scalar;
    /// - [`PolicyError::UnknownKey`] if it has another key;
    /// - [`PolicyError::BadValue`] if one of the keys above has another form;
    /// - [`PolicyError::BadRegex`] if an added pattern does not compile;
    /// - [`PolicyError::BadForm`] if the form of an added rule is none.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let mut policy = Self::default();
        let file = match parse_yaml(text)? {
            Value::Null => return Ok(policy),
            Value::Object(file) => file,
            _ => return Err(PolicyError::NotMapping),
        };
        known_keys(&file)?;

        if let Some(thresholds) = mapping(&file, "thresholds")? {
            let own = &mut policy.risk.thresholds;
            for (key, slot) in
                [("high", &mut own.high), ("medium", &mut own.medium), ("low", &mut own.low)]
            {
                if let Some(value) = present(thresholds, key) {
                    *slot = value
                        .as_f64()
                        .ok_or_else(|| bad(&format!("thresholds.{key}"), "must be a number"))?;
                }
            }
        }
        if let Some(value) =
            mapping(&file, "retry_budget")?.and_then(|budget| present(budget, "default"))
        {
            policy.retry_budget = value
                .as_u64()
                .and_then(|count| u32::try_from(count).ok())
                .ok_or_else(|| bad("retry_budget.default", "must be an integer from 0"))?;
        }
        if let Some(value) = present(&file, "disable_families") {
            let families = value.as_array().and_then(|list| {
                list.iter().map(|family| family.as_str().map(str::to_owned)).collect()
            });
            policy.risk.disabled_families =
                families.ok_or_else(|| bad("disable_families", "must be a list of names"))?;
        }
        policy.risk.extra_patterns = extra_patterns(&file)?;
        extra_rules(&file, &mut policy.risk.extra_patterns)?;
        for (family, weight) in mapping(&file, "weights")?.into_iter().flatten() {
            let weight = weight
                .as_f64()
                .filter(|weight| (0.0..=1.0).contains(weight))
                .ok_or_else(|| bad(&format!("weights.{family}"), "must be a number from 0 to 1"))?;
            policy.risk.weights.insert(family.clone(), weight);
        }
        policy.risk.allow = allow(&file)?;
        if let Some(value) = present(&file, "placeholders") {
            policy.risk.placeholders = match value.as_str() {
                Some("ignore") => Placeholders::Ignore,
                Some("low") => Placeholders::Low,
                Some("full") => Placeholders::Full,
                _ => return Err(bad("placeholders", "must be `ignore`, `low` or `full`")),
            };
        }
        if let Some(value) = present(&file, "model") {
            policy.risk.model =
                value.as_bool().ok_or_else(|| bad("model", "must be true or false"))?;
        }
        if let Some(value) = present(&file, "hard_links") {
            policy.hard_links = match value.as_str() {
                Some("refuse") => HardLinks::Refuse,
                Some("in_place") => HardLinks::InPlace,
                _ => return Err(bad("hard_links", "must be `refuse` or `in_place`")),
            };
        }
        if let Some(value) = present(&file, "read_only") {
            policy.read_only = match value.as_str() {
                Some("refuse") => ReadOnly::Refuse,
                Some("overwrite") => ReadOnly::Overwrite,
                _ => return Err(bad("read_only", "must be `refuse` or `overwrite`")),
            };
        }
        if let Some(value) = present(&file, "allow_git_writes") {
            policy.allow_git =
                value.as_bool().ok_or_else(|| bad("allow_git_writes", "must be true or false"))?;
        }
        policy.form = form(&file)?;
        policy.classify = demand(&file)?;
        policy.scratch = retention(&file)?;
        Ok(policy)
    }
}

/// Reads one YAML document within limits that no honest policy reaches.
fn parse_yaml(text: &str) -> Result<Value, PolicyError> {
    if text.len() > FILE_BYTES_MAX {
        let message = format!("longer than {FILE_BYTES_MAX} bytes");
        return Err(PolicyError::Yaml { message, line: None, column: None });
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 16,
            flow_nesting_limit: 16,
            max_nodes: 20_000,
            max_events: 60_000,
            max_anchors: 100,
            max_aliases: 100,
            max_recorded_anchor_events: 20_000,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 20_000,
            max_replay_stack_depth: 16,
        },
        with_snippet: false,
        // Otherwise a pattern could not be named `on` or `n`.
        strict_booleans: true,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let message = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
        let (line, column) = match error.location() {
            Some(location) => (Some(location.line()), Some(location.column())),
            None => (None, None),
        };
        PolicyError::Yaml {
            message: message.chars().take(MESSAGE_CHARS_MAX).collect(),
            line,
            column,
        }
    })
}

/// Refuses a key that a policy does not have.
fn known_keys(file: &Map<String, Value>) -> Result<(), PolicyError> {
    for (key, value) in file {
        known_key(&[key], "")?;
        let prefix = format!("{key}.");
        let Value::Object(inner) = value else { continue };
        if KEYS.iter().any(|known| known.starts_with(&prefix)) {
            inner.keys().try_for_each(|inner| known_key(&[key, inner], &prefix))?;
        }
    }
    Ok(())
}

/// Refuses a key that is not one of those with a prefix.
fn known_key(path: &[&String], prefix: &str) -> Result<(), PolicyError> {
    let known = || {
        let inside = KEYS.iter().filter_map(|known| known.strip_prefix(prefix));
        inside.filter(|known| !known.contains('.'))
    };
    let Some(key) = path.last() else { return Ok(()) };
    if known().any(|known| known == key.as_str()) {
        return Ok(());
    }
    let key_path = path.iter().map(|key| (*key).clone()).collect();
    Err(PolicyError::UnknownKey { key: key_path, nearest: nearest_one(key, known()) })
}

/// Gathers what `extend_patterns` adds, in the order of the file.
fn extra_patterns(file: &Map<String, Value>) -> Result<Vec<Pattern>, PolicyError> {
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
fn extra_rules(file: &Map<String, Value>, patterns: &mut Vec<Pattern>) -> Result<(), PolicyError> {
    let wrong = |message: &str| bad("extend_rules", message);
    let Some(rules) = present(file, "extend_rules") else { return Ok(()) };
    for rule in rules.as_array().ok_or_else(|| wrong("must be a list of rules"))? {
        let rule = rule.as_object().ok_or_else(|| wrong("must have a mapping for each rule"))?;
        for key in rule.keys() {
            own_key(&["extend_rules", key], &RULE_KEYS)?;
        }
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
            Some(words) => {
                words.as_array().and_then(|words| words.iter().map(word).collect()).ok_or_else(
                    || wrong("must have lists of words, without white space, as `words`"),
                )?
            }
            None => Vec::new(),
        };
        if patterns.len() == EXTRA_PATTERNS_MAX {
            let message = format!(
                "must not have more than {EXTRA_PATTERNS_MAX} rules, those of `extend_patterns` counted"
            );
            return Err(wrong(&message));
        }
        let pattern = Pattern::of_form(family, name, form, &words).map_err(|source| {
            PolicyError::BadForm { name: name.to_owned(), message: source.to_string() }
        })?;
        patterns.push(pattern);
    }
    Ok(())
}

/// Refuses a key that is not one of an entry's own, by the keys that lead to it.
fn own_key(path: &[&str], own: &[&'static str]) -> Result<(), PolicyError> {
    let key = path.last().copied().unwrap_or_default();
    if own.contains(&key) {
        return Ok(());
    }
    let nearest = nearest_one(key, own.iter().copied());
    Err(PolicyError::UnknownKey {
        key: path.iter().map(|key| (*key).to_owned()).collect(),
        nearest,
    })
}

/// A name has so many characters at most.
const NAME_CHARS_MAX: usize = 100;

/// What a name must be.
const NAMES: &str = "names of 1 to 100 characters, without control characters";

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

/// An allow-list may not be longer than this.
const ALLOWED_MAX: usize = 4096;

/// Reads what is let pass.
fn allow(file: &Map<String, Value>) -> Result<Allow, PolicyError> {
    let Some(map) = mapping(file, "allow")? else { return Ok(Allow::default()) };
    let texts = |key: &str| -> Result<Vec<String>, PolicyError> {
        let Some(value) = present(map, key) else { return Ok(Vec::new()) };
        let list = value.as_array().filter(|list| list.len() <= ALLOWED_MAX);
        list.and_then(|list| list.iter().map(|item| item.as_str().map(str::to_owned)).collect())
            .ok_or_else(|| bad(&format!("allow.{key}"), "must be a list of texts"))
    };
    let paths = Paths::new(texts("paths")?);
    let values: Option<BTreeSet<[u8; 32]>> = texts("values")?
        .iter()
        .map(|text| Some(*text.parse::<Digest>().ok()?.as_bytes()))
        .collect();
    Ok(Allow {
        paths: paths.map_err(|why| bad("allow.paths", &format!("must be globs: {why}")))?,
        patterns: texts("patterns")?.into_iter().collect(),
        values: values.ok_or_else(|| bad("allow.values", "must be SHA-256 digests in hex"))?,
    })
}

/// Reads what form files get.
fn form(file: &Map<String, Value>) -> Result<FormPolicy, PolicyError> {
    let keep = match present(file, "form").map(Value::as_str) {
        None | Some(Some("raw")) => false,
        Some(Some("keep")) => true,
        Some(_) => return Err(bad("form", "must be `raw` or `keep`")),
    };
    let source = |value: &Value| match value.as_str() {
        Some("editorconfig") => Some(FormSource::EditorConfig),
        Some("gitattributes") => Some(FormSource::GitAttributes),
        _ => None,
    };
    let from = match present(file, "form_from") {
        None => Some(Vec::new()),
        Some(value) => value.as_array().and_then(|list| list.iter().map(source).collect()),
    };
    let message = "must be a list of `editorconfig` and `gitattributes`";
    Ok(FormPolicy { keep, from: from.ok_or_else(|| bad("form_from", message))? })
}

/// Reads what is demanded of every write.
fn demand(file: &Map<String, Value>) -> Result<Demand, PolicyError> {
    let Some(map) = mapping(file, "classify")? else { return Ok(Demand::default()) };
    let by_default = match present(map, "default") {
        None => false,
        Some(Value::Bool(on)) => *on,
        Some(Value::String(word)) if word == "on" || word == "off" => word == "on",
        Some(_) => return Err(bad("classify.default", "must be `on` or `off`")),
    };
    let reject_at = match present(map, "reject_at").map(Value::as_str) {
        None => None,
        Some(Some("low")) => Some(Verdict::Low),
        Some(Some("medium")) => Some(Verdict::Medium),
        Some(Some("high")) => Some(Verdict::High),
        Some(_) => return Err(bad("classify.reject_at", "must be `low`, `medium` or `high`")),
    };
    let reject_secrets = match present(map, "reject").map(Value::as_str) {
        None => false,
        Some(Some("secrets")) => true,
        Some(_) => return Err(bad("classify.reject", "must be `secrets`")),
    };
    Ok(Demand { by_default, reject_at, reject_secrets })
}

/// Reads how long the scratchpad keeps its content.
fn retention(file: &Map<String, Value>) -> Result<Retention, PolicyError> {
    let mut retention = Retention::default();
    let Some(map) = mapping(file, "scratch")? else { return Ok(retention) };
    let limit = |key: &str, default: Option<u64>, most: u64| match present(map, key) {
        None => Ok(default),
        Some(Value::String(word)) if word == "unlimited" => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) if (1..=most).contains(&count) => Ok(Some(count)),
            _ => Err(bad(&format!("scratch.{key}"), "must be an integer from 1, or `unlimited`")),
        },
    };
    let days = |key, default: Option<u32>| {
        let days = limit(key, default.map(u64::from), u64::from(u32::MAX))?;
        Ok(days.and_then(|days| u32::try_from(days).ok()))
    };
    retention.keep_days = days("keep_days", retention.keep_days)?;
    retention.drafts_keep_days = days("drafts_keep_days", retention.drafts_keep_days)?;
    retention.max_bytes = limit("max_bytes", retention.max_bytes, u64::MAX)?;
    Ok(retention)
}

/// Returns a key's value; a key without one (`thresholds:`) counts as absent.
fn present<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    map.get(key).filter(|value| !value.is_null())
}

fn mapping<'a>(
    map: &'a Map<String, Value>,
    key: &str,
) -> Result<Option<&'a Map<String, Value>>, PolicyError> {
    present(map, key)
        .map(|value| value.as_object().ok_or_else(|| bad(key, "must be a mapping")))
        .transpose()
}

fn bad(key: &str, message: &str) -> PolicyError {
    PolicyError::BadValue { key: key.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::Thresholds;

    fn parse(text: &str) -> Policy {
        Policy::parse(text).unwrap()
    }

    fn error(text: &str) -> PolicyError {
        Policy::parse(text).unwrap_err()
    }

    fn assert_is_default(policy: &Policy) {
        assert_eq!(policy.risk.thresholds, Thresholds { high: 0.7, medium: 0.4, low: 0.1 });
        assert_eq!(policy.retry_budget, 3);
        assert!(policy.risk.disabled_families.is_empty());
        assert!(policy.risk.extra_patterns.is_empty());
        assert_eq!(policy.hard_links, HardLinks::Refuse);
        assert!(!policy.allow_git);
        assert_eq!(policy.form, FormPolicy::default());
    }

    #[test]
    fn the_form_of_files_is_read() {
        let policy = parse("form: keep\nform_from: [gitattributes, editorconfig]\n");
        assert!(policy.form.keep);
        assert_eq!(policy.form.from, [FormSource::GitAttributes, FormSource::EditorConfig]);
        assert_eq!(parse("form: raw\nform_from:\n").form, FormPolicy::default());
        for text in ["form: kept", "form: true", "form_from: editorconfig", "form_from: [vim]"] {
            assert!(matches!(error(text), PolicyError::BadValue { .. }), "{text}");
        }
    }

    #[test]
    fn a_file_without_content_means_the_built_in_values() {
        assert_is_default(&Policy::default());
        for text in ["", "\u{feff}", " \n", "# only a comment\n", "---\n", "{}", "\u{feff}{}\n"] {
            assert_is_default(&parse(text));
        }
    }

    #[test]
    fn keys_without_a_value_change_nothing() {
        assert_is_default(&parse(
            "version: 1\nthresholds:\nretry_budget: {}\n\
             disable_families: ~\nextend_patterns:\nhard_links:\nallow_git_writes: null\n",
        ));
    }

    #[test]
    fn a_key_that_is_not_known_is_refused_with_its_place_and_the_nearest_one() {
        for (text, reason, place) in [
            (
                "version: 1\ntreshold: {high: 1}\n",
                "unknown_key: treshold (is `thresholds` meant?)",
                (2, 1),
            ),
            ("thresholds:\n  hihg: 1\n", "unknown_key: thresholds.hihg (is `high` meant?)", (2, 3)),
            (
                "retry_budget: {defualt: 2}",
                "unknown_key: retry_budget.defualt (is `default` meant?)",
                (1, 16),
            ),
            ("allow: {path: []}", "unknown_key: allow.path (is `paths` meant?)", (1, 9)),
            (
                "extend_patterns:\n  a:\n  - {name: n, regex: x}\n  - {name: m, regx: y}\n",
                "unknown_key: extend_patterns.a.regx (is `regex` meant?)",
                (4, 15),
            ),
            (
                "extend_patterns: {a: [{name: n, regex: x, flags: i}]}",
                "unknown_key: extend_patterns.a.flags",
                (1, 43),
            ),
            ("future: [a]", "unknown_key: future", (1, 1)),
            ("thresholds.high: 1", "unknown_key: thresholds.high", (1, 1)),
        ] {
            let found = error(text);
            assert!(found.reason().starts_with(reason), "{}", found.reason());
            let (line, column) = place;
            if !text.starts_with("thresholds.high") {
                assert_eq!(found.place(text), Some(Place { line, column }), "{text}");
            }
        }
    }

    #[test]
    fn every_key_is_read() {
        let policy = parse(
            "\u{feff}version: 1\n\
             thresholds: {high: 1, medium: 0.5}\n\
             retry_budget:\n  default: 7\n\
             disable_families:\n  - pii\n  - jwt\n\
             extend_patterns:\n  house:\n    - name: on\n      regex: 'H-\\d{4}'\n\
             hard_links: in_place\n\
             read_only: overwrite\n\
             allow_git_writes: true\n",
        );
        assert_eq!(policy.risk.thresholds, Thresholds { high: 1.0, medium: 0.5, low: 0.1 });
        assert_eq!(policy.retry_budget, 7);
        assert_eq!(policy.risk.disabled_families, ["jwt", "pii"].map(str::to_owned).into());
        let [pattern] = policy.risk.extra_patterns.as_slice() else { panic!("{policy:?}") };
        assert_eq!((pattern.family(), pattern.name()), ("house", "on"));
        assert_eq!(policy.hard_links, HardLinks::InPlace);
        assert_eq!(policy.read_only, ReadOnly::Overwrite);
        assert!(policy.allow_git);
    }

    #[test]
    fn what_is_known_is_let_pass() {
        let policy = parse(&format!(
            "weights: {{house: 0.5}}\nplaceholders: ignore\nmodel: false\n\
             allow: {{paths: ['tests/**', '*.lock'], patterns: [email], values: [{}]}}\n",
            Digest::of(b"known")
        ));
        assert_eq!(policy.risk.weights["house"], 0.5);
        assert_eq!((policy.risk.placeholders, policy.risk.model), (Placeholders::Ignore, false));
        for (path, allowed) in [
            ("tests/a/b.rs", true),
            ("Cargo.lock", true),
            ("a/Cargo.lock", false),
            ("src/a.rs", false),
        ] {
            assert_eq!(policy.risk.allow.path(path), allowed, "{path}");
        }
        assert!(policy.risk.allow.finding("email", "x") && policy.risk.allow.finding("y", "known"));
        assert!(!policy.risk.allow.finding("y", "unknown"));
        for (pattern, matched) in
            [("bearer_token", "Bearer  known"), ("url_credentials", "redis://worker:known@host")]
        {
            assert!(policy.risk.allow.finding(pattern, matched), "{pattern}");
            assert!(!policy.risk.allow.finding("y", matched), "{pattern}");
        }
        for (text, reason) in [
            ("weights: {a: 2}", "bad_value: weights.a must be a number from 0 to 1"),
            ("placeholders: 1", "bad_value: placeholders must be `ignore`, `low` or `full`"),
            ("model: 1", "bad_value: model must be true or false"),
            ("allow: {values: [x]}", "bad_value: allow.values must be SHA-256 digests in hex"),
            ("allow: {paths: x}", "bad_value: allow.paths must be a list of texts"),
            (
                "allow: {paths: ['a[']}",
                "bad_value: allow.paths must be globs: `a[`: unclosed character class; missing ']'",
            ),
        ] {
            assert_eq!(error(text).reason(), reason);
        }
    }

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
        let all: Vec<_> = patterns.map(|p| (p.family(), p.name(), p.form().is_some())).collect();
        let expected =
            [("house", "first", false), ("house", "second", true), ("api_key", "third", true)];
        assert_eq!(all, expected);
        let (form, words) = policy.risk.extra_patterns[2].form().unwrap();
        assert_eq!((form, words.collect::<Vec<_>>()), ("k{h32}", vec!["house", "hse"]));
        for text in [
            "extend_rules: {name: n}",
            "extend_rules: [text]",
            "extend_rules: [{name: n}]",
            "extend_rules: [{name: 1, form: 'hse_{n8}'}]",
            "extend_rules: [{name: n, form: 'hse_{n8}', family: 1}]",
            "extend_rules: [{name: n, form: 'hse_{n8}', words: house}]",
            "extend_rules: [{name: n, form: 'hse_{n8}', words: ['a b']}]",
        ] {
            assert!(error(text).reason().starts_with("bad_value: extend_rules"), "{text}");
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
    fn a_document_that_is_no_mapping_is_refused() {
        for text in ["- a\n", "text", "5", "[]", "false"] {
            assert_eq!(error(text), PolicyError::NotMapping);
        }
        assert_eq!(error("[]").reason(), "policy_yaml_not_mapping");
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
    fn a_known_key_with_a_meaningless_value_is_refused() {
        for (text, reason) in [
            ("thresholds: 0.5", "bad_value: thresholds must be a mapping"),
            ("thresholds: {low: '0.5'}", "bad_value: thresholds.low must be a number"),
            ("thresholds: {high: true}", "bad_value: thresholds.high must be a number"),
            ("retry_budget: 3", "bad_value: retry_budget must be a mapping"),
            (
                "retry_budget: {default: -1}",
                "bad_value: retry_budget.default must be an integer from 0",
            ),
            (
                "retry_budget: {default: 4294967296}",
                "bad_value: retry_budget.default must be an integer from 0",
            ),
            ("disable_families: pii", "bad_value: disable_families must be a list of names"),
            ("disable_families: [pii, 1]", "bad_value: disable_families must be a list of names"),
            ("hard_links: follow", "bad_value: hard_links must be `refuse` or `in_place`"),
            ("hard_links: [refuse]", "bad_value: hard_links must be `refuse` or `in_place`"),
            ("read_only: maybe", "bad_value: read_only must be `refuse` or `overwrite`"),
            ("allow_git_writes: yes", "bad_value: allow_git_writes must be true or false"),
        ] {
            assert_eq!(error(text).reason(), reason);
        }
    }

    #[test]
    fn the_line_to_correct_is_named() {
        for (text, line) in [
            ("- a\n", 1),
            ("version: 1\nthresholds: {high: [\n", 2),
            ("a: 1\nb: 2\na: 3\n", 3),
            ("\n\nallow_git_writes: maybe\n", 3),
            ("thresholds:\n  high: 1\n  low: x\n", 3),
            ("extend_patterns:\n  a:\n  - name: n\n    regex: (\n", 4),
        ] {
            assert_eq!(error(text).place(text).map(|place| place.line), Some(line), "{text}");
        }
    }

    #[test]
    fn malformed_yaml_is_refused() {
        for text in [
            "thresholds: {high: 1",
            "a:\n\tb: 1\n",
            "a: 1\na: 2\n",
            "a: 1\n---\nb: 2\n",
            "a: *nowhere\n",
            "thresholds: {high: .nan}",
            "a: \0\n",
        ] {
            let reason = error(text).reason();
            assert!(reason.starts_with("yaml_error: "), "{text:?}: {reason}");
        }
    }

    #[test]
    fn hostile_yaml_ends_in_an_error() {
        let billion_laughs = ('b'..='j')
            .zip('a'..='i')
            .map(|(name, of)| {
                format!("{name}: &{name} [{}]\n", vec![format!("*{of}"); 9].join(","))
            })
            .fold("a: &a [x]\n".to_owned(), |text, line| text + &line);
        for text in [
            "[".repeat(10_000),
            "{".repeat(10_000),
            "{a: ".repeat(10_000),
            "- ".repeat(10_000),
            "? ".repeat(10_000),
            (0..200).map(|depth| " ".repeat(depth) + "a:\n").collect(),
            format!("a: [{}]", "x,".repeat(20_000)),
            format!("a: '{}'", "x".repeat(FILE_BYTES_MAX)),
            "a: &a [*a]".to_owned(),
            billion_laughs,
        ] {
            let PolicyError::Yaml { message, .. } = error(&text) else {
                panic!("{}", error(&text))
            };
            assert!(message.chars().count() <= MESSAGE_CHARS_MAX, "{message}");
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

    #[test]
    fn a_policy_demands_that_writes_are_judged() {
        let read = |yaml: &str| Policy::parse(yaml).unwrap().classify;
        let (low, high) = (Some(Verdict::Low), Some(Verdict::High));
        for (yaml, reject_at, reject_secrets) in [
            ("classify:", None, false),
            ("classify: {default: off, reject_at: low}", None, false),
            ("classify: {default: on}", high, false),
            ("classify: {default: true, reject_at: low, reject: secrets}", low, true),
        ] {
            let demand = read(yaml);
            let found = (demand.reject_at(None), demand.reject_secrets);
            assert_eq!(found, (reject_at, reject_secrets), "{yaml}");
        }
        for (yaml, key) in [
            ("classify: on", "classify"),
            ("classify: {default: maybe}", "classify.default"),
            ("classify: {reject_at: safe}", "classify.reject_at"),
            ("classify: {reject_at: 1}", "classify.reject_at"),
            ("classify: {reject: all}", "classify.reject"),
        ] {
            match Policy::parse(yaml) {
                Err(PolicyError::BadValue { key: found, .. }) => assert_eq!(found, key, "{yaml}"),
                other => panic!("{yaml}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_policy_says_how_long_the_scratchpad_keeps_content() {
        let read = |yaml: &str| Policy::parse(yaml).unwrap().scratch;
        for (yaml, keep_days, drafts_keep_days, max_bytes) in [
            ("", None, Some(30), None),
            ("scratch: {keep_days: 7}", Some(7), Some(30), None),
            ("scratch: {drafts_keep_days: unlimited, max_bytes: 1000}", None, None, Some(1000)),
        ] {
            let expected = Retention { keep_days, drafts_keep_days, max_bytes };
            assert_eq!(read(yaml), expected, "{yaml}");
        }
        for (yaml, key) in [
            ("scratch: 7", "scratch"),
            ("scratch: {keep_days: 0}", "scratch.keep_days"),
            ("scratch: {drafts_keep_days: never}", "scratch.drafts_keep_days"),
            ("scratch: {max_bytes: -1}", "scratch.max_bytes"),
        ] {
            match Policy::parse(yaml) {
                Err(PolicyError::BadValue { key: found, .. }) => assert_eq!(found, key, "{yaml}"),
                other => panic!("{yaml}: {other:?}"),
            }
        }
    }
}
