//! The YAML file of a policy.
//!
//! A key that is not known, and a value that means nothing, is an error, because a policy that silently does
//! not apply protects nobody. The file comes from a workspace and is not trusted: its size, its nesting and its
//! aliases are bounded.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::added::{extra_patterns, extra_rules};
use super::keys::known_keys;
use super::yaml::{bad, mapping, parse_yaml, present};
use super::{Demand, HardLinks, Policy, PolicyError, ReadOnly, Retention};
use crate::digest::Digest;
use crate::form::{FormPolicy, FormSource};
use crate::risk::{Allow, Paths, Placeholders, Verdict};

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
    /// | `extend_rules` | list of rows as those of the built-in table of formats: `name` and `form`, and any of `family`, `words`, `check`, `named`, `dummy`, `source` |
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
        .map(|text| Some(*text.to_ascii_lowercase().parse::<Digest>().ok()?.as_bytes()))
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

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::*;
    use crate::risk::Thresholds;

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
        let capital = Digest::of(b"known").to_string().to_uppercase();
        let policy = parse(&format!("allow: {{values: [{capital}]}}"));
        assert!(policy.risk.allow.finding("y", "known"), "a digest in capitals");
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
