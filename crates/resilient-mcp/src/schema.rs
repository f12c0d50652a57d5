//! From an argument type to the JSON Schema that clients of every kind accept.
//!
//! Clients drop a tool, or the whole list, over `$ref`, a nullable type, a numeric `format` or a
//! combinator; and every byte of a schema is paid for by every session. So the schema that
//! `schemars` derives is reduced to types, enums, bounds and descriptions.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// What a tool says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// What the tool does, in one or two sentences.
    pub description: String,
    /// The schema of its arguments.
    pub input: Map<String, Value>,
}

/// Derives the schema of `T` and reduces it.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    reduce(&mut schema);
    let mut input = match schema {
        Value::Object(input) => input,
        _ => Map::new(),
    };
    let description = match input.shift_remove("description") {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    // Some model APIs refuse an object schema without it.
    input.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    Schema { description, input }
}

/// Reduces a schema and those nested in it. The depth is that of our own types.
fn reduce(schema: &mut Value) {
    // Some clients refuse the whole list over a property whose schema is not an object.
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Map::new());
    }
    let Value::Object(schema) = schema else { return };
    for keyword in ["$schema", "title", "format"] {
        schema.shift_remove(keyword);
    }
    drop_null(schema);
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    // What a type's docs say to a reader of the source, a field's name says to an agent.
    if schema.get("description").is_some_and(|text| text == "") {
        schema.shift_remove("description");
    }
    // The default that would hold anyway, unless the description names it.
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    if !text.contains("default") && schema.get("default").is_some_and(is_empty) {
        schema.shift_remove("default");
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        schema.shift_remove("additionalProperties");
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(reduce);
    }
    if let Some(items) = schema.get_mut("items") {
        reduce(items);
    }
}

/// Turns "this or null" into "this": an optional argument is left out, not null.
fn drop_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if types.len() == 1 {
            let only = types.remove(0);
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(mut options)) = schema.shift_remove("anyOf") {
        options.retain(|option| option.get("type").is_none_or(|name| name != "null"));
        if let Some(Value::Object(only)) = options.pop() {
            schema.extend(only);
        }
    }
}

/// Whether a default says nothing that its absence would not.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Does a thing. And
    /// another one.
    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Sample {
        /// Where.
        path: String,
        #[schemars(range(min = 1))]
        count: i64,
        note: Option<String>,
        side: Option<Side>,
        title: Option<bool>,
        data: Value,
    }

    #[derive(JsonSchema)]
    #[schemars(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema matters")]
    enum Side {
        Left,
        Right,
    }

    #[test]
    fn a_schema_is_reduced_to_what_every_client_accepts() {
        let schema = schema_of::<Sample>();
        assert_eq!(schema.description, "Does a thing. And another one.");
        assert_eq!(
            Value::Object(schema.input),
            json!({
                "type": "object",
                "properties": {
                    "path": {"description": "Where.", "type": "string"},
                    "count": {"type": "integer", "minimum": 1},
                    "note": {"type": "string"},
                    "side": {"type": "string", "enum": ["left", "right"]},
                    "title": {"type": "boolean"},
                    "data": {}
                },
                "additionalProperties": false,
                "required": ["path", "count", "data"]
            })
        );
    }
}
