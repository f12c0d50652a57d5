//! The YAML document of a policy, within limits, and what its mappings hold.

use serde_json::{Map, Value};

use super::PolicyError;

/// A policy file may not be longer than this.
const FILE_BYTES_MAX: usize = 1 << 20;

/// A message about YAML can quote the file; it is cut to this length.
const MESSAGE_CHARS_MAX: usize = 200;

/// Reads one YAML document within limits that no honest policy reaches.
pub(super) fn parse_yaml(text: &str) -> Result<Value, PolicyError> {
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

/// Returns a key's value; a key without one (`thresholds:`) counts as absent.
pub(super) fn present<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    map.get(key).filter(|value| !value.is_null())
}

pub(super) fn mapping<'a>(
    map: &'a Map<String, Value>,
    key: &str,
) -> Result<Option<&'a Map<String, Value>>, PolicyError> {
    present(map, key)
        .map(|value| value.as_object().ok_or_else(|| bad(key, "must be a mapping")))
        .transpose()
}

pub(super) fn bad(key: &str, message: &str) -> PolicyError {
    PolicyError::BadValue { key: key.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::error;
    use super::*;

    #[test]
    fn a_document_that_is_no_mapping_is_refused() {
        for text in ["- a\n", "text", "5", "[]", "false"] {
            assert_eq!(error(text), PolicyError::NotMapping);
        }
        assert_eq!(error("[]").reason(), "policy_yaml_not_mapping");
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
}
