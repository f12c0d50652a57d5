//! From an answer to the result that goes over the wire, for success and failure alike.
//!
//! Some clients show the model the structured content, some the text; so both hold the same
//! JSON. The text is compact, its keys are sorted and it is plain ASCII.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use crate::args::unfit;
use crate::json::{self, Beyond};
use crate::seam::{Answer, Envelope, Notice};

/// The result of a call of the tool with this canonical name.
pub(crate) fn result_of(tool: &str, answer: Answer) -> CallToolResult {
    result_with(tool, answer, &[])
}

/// The same with what recovery has to tell: in `notices` of a success, in the context of a failure.
pub(crate) fn result_with(tool: &str, mut answer: Answer, notices: &[Notice]) -> CallToolResult {
    if !notices.is_empty() {
        let told = serde_json::to_value(notices).unwrap_or_default();
        match &mut answer {
            Ok(Value::Object(success)) => drop(success.insert("notices".to_owned(), told)),
            Ok(_) => {}
            Err(envelope) => drop(envelope.context.insert("notices".to_owned(), told)),
        }
    }
    let (is_error, mut value) = match answer {
        Ok(Value::Object(mut success)) => {
            success.insert("ok".to_owned(), Value::Bool(true));
            (false, Value::Object(success))
        }
        Ok(_) => (true, failure(tool, unfit("success_is_not_an_object", "report this fault"))),
        Err(envelope) => (true, failure(tool, envelope)),
    };
    value.sort_all_objects();
    let text = vec![ContentBlock::text(ascii_json(&value))];
    let mut result =
        if is_error { CallToolResult::error(text) } else { CallToolResult::success(text) };
    result.structured_content = Some(value);
    result
}

fn failure(tool: &str, mut envelope: Box<Envelope>) -> Value {
    envelope.context.entry("tool").or_insert_with(|| tool.into());
    // The reading tools also answer in words, and so does a call of one that the server refused.
    if envelope.message.is_none() && tool.starts_with("rr") {
        let reason = envelope.context.get("reason").and_then(Value::as_str);
        envelope.message = Some(reason.unwrap_or("there is no such tool").to_owned());
    }
    serde_json::to_value(envelope).unwrap_or_else(|_| Value::Object(Map::new()))
}

fn ascii_json(value: &Value) -> String {
    let mut text = Vec::with_capacity(512);
    json::write(value, Beyond::Escaped, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use resilient_core::recovery::About;
    use serde_json::json;

    fn text_of(result: &CallToolResult) -> &str {
        result.content[0].as_text().map(|text| text.text.as_str()).unwrap()
    }

    #[test]
    fn text_and_structure_of_a_success_are_the_same_sorted_ascii_json() {
        let result =
            result_of("rw.x", Ok(json!({"z": [1.5, null], "a": {"ü": "é\u{1F600}\n", "b": 1}})));
        assert_eq!(
            text_of(&result),
            r#"{"a":{"b":1,"\u00fc":"\u00e9\ud83d\ude00\n"},"ok":true,"z":[1.5,null]}"#
        );
        assert_eq!(
            result.structured_content,
            Some(json!({"ok": true, "a": {"b": 1, "ü": "é\u{1F600}\n"}, "z": [1.5, null]}))
        );
        assert_eq!(result.is_error, Some(false));
    }

    #[test]
    fn what_recovery_did_is_told_in_a_success_and_in_the_context_of_a_failure() {
        let notice = Notice { about: About::Cut, path: None, text: "cut".to_owned() };
        let told = json!([{"about": "cut", "text": "cut"}]);
        let of = |answer| {
            result_with("rw.x", answer, std::slice::from_ref(&notice)).structured_content.unwrap()
        };
        assert_eq!(of(Ok(json!({"a": 1}))), json!({"ok": true, "a": 1, "notices": told}));
        assert_eq!(of(Err(unfit("because", "do so")))["context"]["notices"], told);
    }

    #[test]
    fn a_failure_is_the_envelope_of_eight_keys_and_names_its_tool() {
        let result = result_of("rw.x", Err(unfit("because", "do so")));
        assert_eq!(
            text_of(&result),
            concat!(
                r#"{"context":{"hint":"do so","reason":"because","tool":"rw.x"},"detected_patterns":[],"#,
                r#""error":"policy_violation","ok":false,"reason_hint":"encoding","#,
                r#""retry_budget":0,"schema_version":"1","suggested_action":"retry_later"}"#
            )
        );
        assert_eq!(result.is_error, Some(true));
        let kept = result_of("rw.x", Err(unfit("because", "do so").with("tool", "rw.y")));
        assert_eq!(kept.structured_content.unwrap()["context"]["tool"], "rw.y");
    }
}
