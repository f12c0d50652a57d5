//! The ways in which models call tools, and how both sides are written down.
//!
//! Endpoints with native calls take the tools as schemas. For all others the tools are told in the
//! system prompt as signatures, which is a third of the tokens, and the calls are read from the
//! text. The reader is lenient in form and strict in content: a call is a JSON object with a name
//! and arguments, wherever the model has put it.

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::host::Tool;

/// What every agent is told.
const SYSTEM: &str = "You are an agent that works on the files of a project with tools. Paths are \
                      relative to the project. Do the task by calling tools, one step at a time; \
                      look at each answer before you go on. Nobody answers questions. Only when \
                      the task is done, say so in one short sentence without calling a tool.";

/// How a model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the endpoint's own tool calls
    Native,
    /// With `<tool_call>` tags around JSON
    Xml,
    /// With JSON in a fenced block
    Fence,
    /// With an answer that the endpoint forces into a JSON schema
    Schema,
}

impl Format {
    /// The name on the command line and in reports.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Xml => "xml",
            Self::Fence => "fence",
            Self::Schema => "schema",
        }
    }

    /// The system prompt.
    pub(crate) fn system(self, tools: &[Tool]) -> String {
        let how = match self {
            Self::Native => return SYSTEM.to_owned(),
            Self::Xml => {
                "To call a tool, answer with\n<tool_call>\n{\"name\": \"TOOL\", \"arguments\": \
                 {...}}\n</tool_call>\nand nothing after it."
            }
            Self::Fence => {
                "To call a tool, answer with\n```json\n{\"name\": \"TOOL\", \"arguments\": \
                 {...}}\n```\nand nothing after it."
            }
            Self::Schema => {
                "Answer with one JSON object. To call a tool: {\"name\": \"TOOL\", \"arguments\": \
                 {...}}. When the task is done: {\"final\": \"SENTENCE\"}."
            }
        };
        let signatures: Vec<String> = tools.iter().map(signature).collect();
        format!("{SYSTEM}\n\nTools:\n{}\n\n{how}", signatures.join("\n"))
    }

    /// The fields of a request that describe the tools.
    pub(crate) fn request(self, tools: &[Tool]) -> Map<String, Value> {
        let fields = match self {
            Self::Native => {
                let functions = tools.iter().map(|tool| {
                    json!({"type": "function", "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.schema,
                    }})
                });
                json!({"tools": functions.collect::<Vec<_>>()})
            }
            Self::Schema => {
                let mut ways: Vec<Value> = tools.iter().map(way).collect();
                ways.push(object(&[("final", json!({"type": "string"}))]));
                let schema = json!({"anyOf": ways});
                json!({"response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "step", "schema": schema},
                }})
            }
            Self::Xml | Self::Fence => json!({}),
        };
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// What a text calls: names and arguments. Empty for a final answer.
    pub(crate) fn calls(self, text: &str) -> Vec<(String, Value)> {
        let marked: Vec<&str> = text.split("<tool_call>").skip(1).collect();
        if !marked.is_empty() {
            return marked
                .into_iter()
                .map(|part| call(part).unwrap_or_else(|| broken(part)))
                .collect();
        }
        let fenced: Vec<&str> = text.split("```").skip(1).step_by(2).collect();
        let calls: Vec<_> = fenced.iter().filter_map(|part| call(part)).collect();
        if !calls.is_empty() {
            return calls;
        }
        if let Some(call) = call(text) {
            return vec![call];
        }
        // Begun like a call and cut off, or not JSON: the model should see that.
        let begun = |part: &str| part.trim_start().starts_with('{') && part.contains("\"name\"");
        let unfenced =
            fenced.iter().map(|part| part.trim_start_matches("json")).find(|part| begun(part));
        match unfenced.or(begun(text).then_some(text)) {
            Some(part) => vec![broken(part)],
            None => Vec::new(),
        }
    }
}

/// Reads the first JSON object of a text as a call.
fn call(text: &str) -> Option<(String, Value)> {
    let start = text.find('{')?;
    let object = text.get(start..)?;
    let mut values = serde_json::Deserializer::from_str(object).into_iter::<Value>();
    let Value::Object(mut object) = values.next()?.ok()? else { return None };
    let name = object.get("name").or_else(|| object.get("tool"))?.as_str()?.to_owned();
    let arguments = object.remove("arguments").or_else(|| object.remove("parameters"))?;
    Some((name, plain(arguments)))
}

/// Arguments that a model has put into a string once more are taken out of it.
pub(crate) fn plain(arguments: Value) -> Value {
    match &arguments {
        Value::String(text) => {
            serde_json::from_str(text).ok().filter(Value::is_object).unwrap_or(arguments)
        }
        _ => arguments,
    }
}

fn broken(text: &str) -> (String, Value) {
    ("unreadable".to_owned(), Value::String(text.trim().to_owned()))
}

/// A tool as a line: `name(path: string, mode?: create|overwrite) - What it does.`
fn signature(tool: &Tool) -> String {
    let required: Vec<&str> = tool
        .schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let arguments: Vec<String> = properties(tool)
        .map(|(name, schema)| {
            let optional = if required.contains(&name.as_str()) { "" } else { "?" };
            format!("{name}{optional}: {}", kind(schema))
        })
        .collect();
    format!("{}({}) - {}", tool.name, arguments.join(", "), tool.description)
}

fn properties(tool: &Tool) -> impl Iterator<Item = (&String, &Value)> {
    tool.schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn kind(schema: &Value) -> String {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            let names: Vec<&str> = fields.map(|(name, _)| name.as_str()).collect();
            if names.is_empty() { "object".to_owned() } else { format!("{{{}}}", names.join(", ")) }
        }
        Some(kind) => kind.to_owned(),
        None => "any".to_owned(),
    }
}

fn way(tool: &Tool) -> Value {
    object(&[("name", json!({"const": tool.name})), ("arguments", tool.schema.clone())])
}

fn object(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": names,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Vec<(String, Value)> {
        Format::Xml.calls(text)
    }

    #[test]
    fn calls_are_found_in_tags_fences_and_bare() {
        let expected = vec![("read".to_owned(), json!({"path": "a"}))];
        let body = r#"{"name": "read", "arguments": {"path": "a"}}"#;
        for text in [
            format!("I look.\n<tool_call>\n{body}\n</tool_call>"),
            format!("<tool_call>{body}"),
            format!("Now:\n```json\n{body}\n```\nand so on"),
            format!("```\n{body}\n```"),
            body.to_owned(),
            r#"{"name": "read", "arguments": "{\"path\": \"a\"}"}"#.to_owned(),
            r#"{"tool": "read", "parameters": {"path": "a"}}"#.to_owned(),
        ] {
            assert_eq!(one(&text), expected, "{text}");
        }
        assert_eq!(
            one(&format!("<tool_call>{body}</tool_call><tool_call>{body}</tool_call>")).len(),
            2
        );
    }

    #[test]
    fn an_answer_in_words_calls_nothing_and_a_torn_call_is_told() {
        for text in ["Done.", "Wrote ```json\n{\"a\": 1}\n```.", "{\"final\": \"done\"}", ""] {
            assert_eq!(one(text), [], "{text}");
        }
        let torn = r#"{"name": "write", "arguments": {"content": "abc"#;
        for text in [torn.to_owned(), format!("```json\n{torn}"), format!("<tool_call>{torn}")] {
            assert_eq!(one(&text), [("unreadable".to_owned(), json!(torn))], "{text}");
        }
    }

    #[test]
    fn a_signature_tells_what_is_required() {
        let tool = Tool {
            name: "write".to_owned(),
            description: "Writes.".to_owned(),
            schema: json!({"type": "object", "required": ["path"], "properties": {
                "path": {"type": "string"},
                "mode": {"type": "string", "enum": ["create", "append"]},
            }}),
        };
        assert_eq!(signature(&tool), "write(path: string, mode?: create|append) - Writes.");
        let schema = Format::Schema.request(std::slice::from_ref(&tool));
        let name = schema["response_format"]
            .pointer("/json_schema/schema/anyOf/0/properties/name/const")
            .unwrap();
        assert_eq!(name, "write");
        assert_eq!(Format::Native.request(&[tool])["tools"][0]["function"]["name"], "write");
    }
}
