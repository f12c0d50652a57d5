//! Checks a call's arguments against the tool's schema, before anything runs.
//!
//! What is refused here is refused by name: which argument, what was expected, what came. Values
//! (a session's spelling, an index out of range) are the library's business. The one argument
//! whose absence says something is the text itself: a call that arrives without it was almost
//! certainly cut at the model's output limit, and sending it again would fail the same way.

use resilient_core::near::nearest;
use serde_json::{Map, Value};

use crate::aims;
use crate::meant::{in_place_of_content, meant, meant_value};
use crate::seam::{Envelope, ErrorKind, ReasonHint, SuggestedAction};

/// Arguments that carry text of any length, and what to do when one is missing.
pub(crate) type Texts = &'static [(&'static str, &'static str)];

/// Those of the tools of the Python server.
pub(crate) const TEXTS: Texts = &[
    (
        "content",
        "do not resend the call, which was probably cut at the output token limit: send the text in \
         smaller parts with `rw_chunk_append`, then publish it with `rw_chunk_compose`",
    ),
    (
        "new_string",
        "do not resend the call, which was probably cut at the output token limit: make the edit in \
         several `rw_safe_replace` calls with shorter strings",
    ),
];

/// Returns the arguments in the form in which they can be deserialized.
///
/// # Errors
/// The envelope of the first argument that is unknown, missing or of another type. It names the others, too.
pub(crate) fn check(
    tool: &str,
    schema: &Map<String, Value>,
    instead_of_content: &[&str],
    texts: Texts,
    mut arguments: Map<String, Value>,
) -> Result<Map<String, Value>, Box<Envelope>> {
    let empty = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();

    // A tool that requires nothing says itself what it can be given.
    let requires = required.clone().next().is_some();
    let one_of = Some("content").filter(|_| !instead_of_content.is_empty() && requires);
    let mut missing: Vec<&str> = required
        .clone()
        .filter_map(Value::as_str)
        .chain(one_of)
        .filter(|name| !arguments.contains_key(*name))
        .filter(|name| {
            *name != "content" || !instead_of_content.iter().any(|it| arguments.contains_key(*it))
        })
        .collect();
    let is_instead = |name: &str| instead_of_content.contains(&name);
    let mut refused = Vec::new();
    for (name, value) in arguments.iter().filter(|(name, _)| !known.contains_key(*name)) {
        let stands_in = instead_of_content.iter().chain(&["content"]);
        let lacks_content = known.contains_key("content")
            && !stands_in.into_iter().any(|it| arguments.contains_key(*it));
        let unknown = unknown_argument(tool, name, name, value, known.keys(), &|it| {
            arguments.contains_key(it)
        });
        // Without it there is no content at all: this is the one.
        let unknown = match (value, part_of(known, name)) {
            (_, Some(outer)) if is_instead(outer) && arguments.contains_key("content") => {
                if let Some(aim) = aims::of(tool, name, value) {
                    refused.push(unknown.with("hint", aim));
                    continue;
                }
                unknown.with("hint", format!("put {name} into `{outer}`, and leave out `content`"))
            }
            (_, Some(outer)) => unknown.with("hint", format!("put {name} into `{outer}`")),
            (Value::String(text), None)
                if lacks_content && !unknown.context.contains_key("nearest_names") =>
            {
                let near = in_place_of_content(known, text);
                let hint = match near {
                    Some("content_from") => {
                        format!(
                            "pass `content_from` {{\"draft_sha256\": {name}'s value}} in place of {name}"
                        )
                    }
                    Some(near) => format!("write `{near}` in place of {name}"),
                    None => format!("leave out {name}, and pass the text itself as `content`"),
                };
                let unknown = unknown.with("hint", hint);
                near.map_or(unknown.clone(), |near| unknown.with("nearest_names", vec![near]))
            }
            _ => unknown,
        };
        // What is only misspelt, or stands beside its object, is not missing, too.
        let near = unknown.context.get("nearest_names").and_then(Value::as_array);
        let is_meant = |name: &str| near.into_iter().flatten().any(|near| near == name);
        let outer = part_of(known, name);
        let brings_content = outer.is_some_and(is_instead);
        missing.retain(|it| {
            let is_held = held_by(name).contains(it) || brings_content && *it == "content";
            !is_meant(it) && outer != Some(it) && !is_held
        });
        refused.push(unknown);
    }
    let absent = |name: &str| {
        refusal(name, format!("missing_argument: {name}"), format!("pass {name} too"))
            .with("expected", expected(known.get(name)))
    };
    // Where an argument has another name, that may be the text.
    if refused.is_empty()
        && let Some((text, hint)) = texts.iter().find(|(text, _)| missing.contains(text))
    {
        missing.retain(|name| name != text);
        refused.push(cut(absent(text), hint));
    }
    refused.extend(missing.iter().map(|name| absent(name)));
    let has_other = instead_of_content.iter().any(|it| arguments.contains_key(*it));
    for (name, value) in &mut arguments {
        if let Some(schema) = known.get(name.as_str()) {
            let is_required = required.clone().any(|known| known == name)
                || one_of.is_some_and(|content| content == name && !has_other);
            let refusal = check_value(name, schema, value, is_required).err();
            refused
                .extend(refusal.map(|refused| beside(refused, name, |it| known.contains_key(it))));
        }
    }
    match all_as_one(refused) {
        Some(refused) => Err(refused),
        None => Ok(arguments),
    }
}

/// The argument that is an object with a part of this name.
fn part_of<'a>(known: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let has = |schema: &Value| schema.get("properties").is_some_and(|all| all.get(name).is_some());
    known.iter().find(|(_, schema)| has(schema)).map(|(outer, _)| outer.as_str())
}

/// The first refusal, which also says what is wrong with the other arguments.
fn all_as_one(refused: impl IntoIterator<Item = Box<Envelope>>) -> Option<Box<Envelope>> {
    let text = |refused: &Envelope, key: &str| {
        refused.context.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut refused = refused.into_iter();
    let first = refused.next()?;
    let mut hints = vec![text(&first, "hint")];
    let mut reasons = Vec::new();
    for other in refused {
        hints.push(text(&other, "hint"));
        reasons.push(text(&other, "reason"));
    }
    Some(match reasons.is_empty() {
        true => first,
        false => first.with("hint", hints.join("; ")).with("also", reasons),
    })
}

/// The refusal of arguments that came as the text of an object and do not parse as one.
pub(crate) fn broken_text(schema: &Map<String, Value>, texts: Texts) -> Box<Envelope> {
    let takes = |name: &str| schema.get("properties").is_some_and(|all| all.get(name).is_some());
    let refused = not_an_object().with("expected", "object");
    match texts.iter().find(|(text, _)| takes(text)) {
        Some((_, hint)) => cut(refused, hint),
        None => refused,
    }
}

/// The refusal of arguments that are no object at all.
pub(crate) fn not_an_object() -> Box<Envelope> {
    unfit("arguments_not_an_object", "pass the arguments as one JSON object")
}

/// The refusal of arguments for a reason that belongs to none of them, and what to do: the call is to be made
/// again.
pub(crate) fn unfit(reason: &str, hint: &str) -> Box<Envelope> {
    Envelope::new(ErrorKind::PolicyViolation, ReasonHint::Encoding, SuggestedAction::RetryLater)
        .with("reason", reason)
        .with("hint", hint)
}

/// The refusal of arguments of which an object has a key twice.
pub(crate) fn repeated(argument: &str, key: &str) -> Box<Envelope> {
    let hint = match argument == key {
        true => format!("send {key} once"),
        false => format!("send {key} once in each object of {argument}"),
    };
    refusal(argument, format!("repeated_key: {key}"), hint)
}

fn refusal(argument: &str, reason: String, hint: String) -> Box<Envelope> {
    unfit(&reason, &hint).with("argument", argument)
}

/// The arguments that are not missing beside one that the tool does not have, since it holds them.
fn held_by(name: &str) -> &'static [&'static str] {
    if aims::EDITS.contains(&aims::plain(name).as_str()) {
        &["old_string", "new_string"]
    } else {
        &[]
    }
}

/// The refusal of an argument that the tool does not have, `full` with the one that holds it.
fn unknown_argument<'a>(
    tool: &str,
    name: &str,
    full: &str,
    value: &Value,
    known: impl Iterator<Item = &'a String> + Clone,
    is_passed: &dyn Fn(&str) -> bool,
) -> Box<Envelope> {
    let has = |wanted: &str| known.clone().any(|known| known == wanted);
    let meant = meant(name, has);
    let aim = aims::of(tool, name, value);
    let near = match meant {
        Some(meant) if is_passed(meant) => Vec::new(),
        Some(meant) => vec![meant.to_owned()],
        None => nearest(name, known.clone().map(String::as_str)),
    };
    let outer = full.split('.').next().unwrap_or(full);
    let hint = match (meant, near.first()) {
        _ if aim.is_some() => aim.unwrap_or_default(),
        (Some(meant), _) if is_passed(meant) => {
            format!("leave out {name}, since `{meant}` is passed")
        }
        (Some(meant), _) => format!("write `{meant}` in place of {name}"),
        _ if name == "label" && has("sha256") => {
            "leave out label, and pass as `sha256` what `rw_scratch_ref` answers for that label"
                .to_owned()
        }
        (None, Some(near)) => match aims::of_any(tool, name) {
            Some(removes) => format!("write `{near}` if that is meant, or {removes}"),
            None => format!("leave out {name}, or write `{near}` if that is meant"),
        },
        (None, None) if name != full => {
            format!("leave {name} out of {outer}, which has no such part")
        }
        (None, None) => aims::of_any(tool, name)
            .unwrap_or_else(|| format!("leave out {name}: the tool has no such argument")),
    };
    let refused = refusal(outer, format!("unknown_argument: {full}"), hint)
        .with("expected", known.cloned().collect::<Vec<_>>());
    if near.is_empty() { refused } else { refused.with("nearest_names", near) }
}

/// Says of a refused call that it was cut, and how to go on.
fn cut(mut refused: Box<Envelope>, hint: &str) -> Box<Envelope> {
    refused.reason_hint = ReasonHint::SizeLimit;
    refused.suggested_action = SuggestedAction::Split;
    refused.with("hint", hint)
}

fn check_value(
    name: &str,
    schema: &Value,
    value: &mut Value,
    is_required: bool,
) -> Result<(), Box<Envelope>> {
    let fits = match schema.get("type").and_then(Value::as_str) {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("object") => match (value.as_object_mut(), schema.as_object()) {
            // An object to which more may be added is checked by the library.
            (Some(inner), Some(schema))
                if schema.get("additionalProperties") == Some(&false.into()) =>
            {
                return check_inner(name, schema, inner);
            }
            (inner, _) => inner.is_some(),
        },
        Some("array") => value.as_array().is_some_and(|items| {
            // A number among texts is one that was left without quotes.
            items.iter().all(|item| item.is_string() || item.is_u64())
                || schema
                    .get("items")
                    .is_none_or(|items| items.get("type").is_none_or(|of| of != "string"))
        }),
        Some("number") => value.is_number(),
        Some("integer") => {
            if let Some(whole) = value.as_f64().and_then(whole_number) {
                *value = Value::from(whole);
            }
            value.is_i64()
        }
        _ => true,
    };
    if !fits {
        return Err(wrong_type(name, schema, value, is_required));
    }
    match schema.get("enum").and_then(Value::as_array) {
        Some(valid) if !valid.contains(value) => Err(not_one_of(name, valid, value)),
        _ => Ok(()),
    }
}

/// Checks the arguments inside of one. Ours are no deeper than that.
fn check_inner(
    outer: &str,
    schema: &Map<String, Value>,
    arguments: &mut Map<String, Value>,
) -> Result<(), Box<Envelope>> {
    let known = schema.get("properties").and_then(Value::as_object);
    let property = |name: &str| known.and_then(|known| known.get(name));
    if let Some((name, value)) = arguments.iter().find(|(name, _)| property(name).is_none()) {
        let known = known.into_iter().flat_map(Map::keys);
        let full = format!("{outer}.{name}");
        // What the call is for concerns the arguments of the tool itself.
        let refused = unknown_argument("", name, &full, value, known, &|_| false);
        let chosen = aims::of("rw.redact", name, value).filter(|aim| aim.contains("`redact`"));
        return Err(match chosen.filter(|_| property("redact").is_some()) {
            Some(aim) => refused.with("hint", aim),
            None => refused,
        });
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required = required.filter_map(Value::as_str);
    if let Some(name) = required.clone().find(|name| !arguments.contains_key(*name)) {
        let hint = format!("pass {name} inside {outer}");
        return Err(refusal(outer, format!("missing_argument: {outer}.{name}"), hint)
            .with("expected", expected(property(name))));
    }
    for (name, value) in arguments {
        if let Some(schema) = property(name) {
            let is_required = required.clone().any(|known| known == name);
            check_value(&format!("{outer}.{name}"), schema, value, is_required)?;
        }
    }
    Ok(())
}

/// Says of a refused part of an argument that it is an argument of its own, if the tool has one of that name.
fn beside(refused: Box<Envelope>, outer: &str, has: impl Fn(&str) -> bool) -> Box<Envelope> {
    let reason = refused.context.get("reason").and_then(Value::as_str).unwrap_or_default();
    let inner = reason.strip_prefix("unknown_argument: ").and_then(|it| it.strip_prefix(outer));
    match inner.and_then(|it| it.strip_prefix('.')).filter(|it| has(it)) {
        None => refused,
        Some(inner) => {
            let hint = format!("pass `{inner}` beside `{outer}`, not inside it");
            refused.with("hint", hint)
        }
    }
}

/// Arguments whose faults the Python server answers with `abort`, as the library does.
const AS_THE_LIBRARY: [&str; 5] = ["encoding", "format", "index", "mode", "total_expected"];

fn as_the_library(name: &str, mut refused: Box<Envelope>) -> Box<Envelope> {
    if AS_THE_LIBRARY.contains(&name) {
        refused.suggested_action = SuggestedAction::Abort;
    }
    refused
}

fn wrong_type(name: &str, schema: &Value, value: &Value, is_required: bool) -> Box<Envelope> {
    let reason = match name {
        "index" | "total_expected" => format!("{name}_must_be_int_in_1..999"),
        _ => format!("wrong_type: {name}"),
    };
    let expected = expected(Some(schema));
    let what = match (name, expected.as_str()) {
        ("index" | "total_expected", _) => "an integer from 1 to 999".to_owned(),
        (_, Some(kind @ ("integer" | "array" | "object"))) => format!("an {kind}"),
        (_, Some(kind)) => format!("a {kind}"),
        _ => "one of context.expected".to_owned(),
    };
    let or_not = if is_required { "" } else { ", or leave it out" };
    let hint = meant_value(name, schema, value)
        .unwrap_or_else(|| format!("pass {name} as {what}{or_not}"));
    // An integer is refused for its type only where it is too large for any use.
    let got = match kind(value) {
        "integer" if expected == "integer" => "an integer beyond 64 bits",
        kind => kind,
    };
    let refused = refusal(name, reason, hint).with("expected", expected).with("got", got);
    as_the_library(name, refused)
}

/// The refusal of a word outside its list, with the keys under which the library reports the same.
fn not_one_of(name: &str, valid: &[Value], value: &Value) -> Box<Envelope> {
    let reason = match name {
        "encoding" => "unsupported_encoding".to_owned(),
        _ => format!("invalid_value: {name}"),
    };
    let list = if name == "mode" { "valid_modes" } else { "valid" };
    let words: Vec<&str> = valid.iter().filter_map(Value::as_str).collect();
    let hint = format!("pass one of {} as {name}", words.join(", "));
    let mut refused =
        refusal(name, reason, hint).with(name, value.clone()).with(list, valid.to_vec());
    if name == "mode" {
        refused.reason_hint = ReasonHint::Unknown;
    }
    as_the_library(name, refused)
}

/// What an argument should be, in one word or as the list of its words.
fn expected(schema: Option<&Value>) -> Value {
    let of = |key| schema.and_then(|schema| schema.get(key)).cloned();
    of("enum").or_else(|| of("type")).unwrap_or_else(|| Value::from("any JSON value"))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The integer that a float such as `1.0` stands for, where floats count in steps of one.
fn whole_number(float: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
}

#[cfg(test)]
mod tests;
