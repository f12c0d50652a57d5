//! The keys of a policy. One that is not known is refused.

use serde_json::{Map, Value};

use super::PolicyError;
use crate::near::nearest_one;

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

/// Refuses a key that a policy does not have.
pub(super) fn known_keys(file: &Map<String, Value>) -> Result<(), PolicyError> {
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
    // A key of a group may stand outside of it: `reject` for `classify.reject`.
    let in_group = || {
        KEYS.iter()
            .copied()
            .find(|known| known.rsplit_once('.').is_some_and(|(_, last)| last == key.as_str()))
    };
    let nearest = nearest_one(key, known()).or_else(in_group);
    // Of the whole policy these are too many to list.
    let known = if prefix.is_empty() { Vec::new() } else { known().collect() };
    Err(PolicyError::UnknownKey { key: key_path, nearest, known })
}

/// Refuses a key that is not one of an entry's own, by the keys that lead to it.
pub(super) fn own_key(path: &[&str], own: &[&'static str]) -> Result<(), PolicyError> {
    let key = path.last().copied().unwrap_or_default();
    if own.contains(&key) {
        return Ok(());
    }
    let nearest = nearest_one(key, own.iter().copied());
    Err(PolicyError::UnknownKey {
        key: path.iter().map(|key| (*key).to_owned()).collect(),
        nearest,
        known: own.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::super::tests::error;

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
            ("reject: secrets", "unknown_key: reject (is `classify.reject` meant?)", (1, 1)),
            (
                "classify: {enabled: true}",
                "unknown_key: classify.enabled (known are `default`, `reject_at`, `reject`)",
                (1, 12),
            ),
            (
                "extend_patterns:\n  a:\n  - {name: n, regex: x}\n  - {name: m, regx: y}\n",
                "unknown_key: extend_patterns.a.regx (is `regex` meant?)",
                (4, 15),
            ),
            (
                "extend_patterns: {a: [{name: n, regex: x, flags: i}]}",
                "unknown_key: extend_patterns.a.flags (known are `name`, `regex`, `weight`)",
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
}
