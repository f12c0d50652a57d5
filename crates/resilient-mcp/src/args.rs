//! Checks a call's arguments against the tool's schema, before anything runs.
//!
//! What is refused here is refused by name: which argument, what was expected, what came. Values
//! (a session's spelling, an index out of range) are the library's business. The one argument
//! whose absence says something is the text itself: a call that arrives without it was almost
//! certainly cut at the model's output limit, and sending it again would fail the same way.

use resilient_core::near::nearest;
use serde_json::{Map, Value};

use crate::aims;
use crate::seam::{Envelope, ErrorKind, ReasonHint, SuggestedAction};
use resilient_core::risk::Verdict;

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

/// The argument in which a value belongs that came under another name where the text itself is missing: a digest names a draft,
/// and one word may name a file. A digest is never the text.
fn in_place_of_content(known: &Map<String, Value>, value: &str) -> Option<&'static str> {
    const PATH_MAX: usize = 200;
    let has = |name: &&&'static str| known.contains_key(**name);
    let is_digest = value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest {
        return ["draft_sha256", "content_from"].iter().find(has).copied();
    }
    let is_word = value.len() <= PATH_MAX && !value.contains(char::is_whitespace);
    let is_path = is_word && value.contains(['.', '/', '\\']);
    // A tool that requires a path has it, or misses it for itself.
    let takes_path = is_path && known.contains_key("session");
    Some(if takes_path && known.contains_key("path") { "path" } else { "content" })
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

/// Names that tools of other programs have for the arguments here, in small letters without `_`.
const MEANT: [(&str, &[&str]); 20] = [
    (
        "draft_sha256",
        &[
            "digest",
            "draft",
            "draftdigest",
            "draftfrom",
            "drafthash",
            "draftid",
            "draftsha",
            "fromdraft",
            "redacted",
            "sha",
            "sha256",
        ],
    ),
    (
        "write_to",
        &[
            "dest",
            "destination",
            "out",
            "outfile",
            "output",
            "outputfile",
            "outputpath",
            "saveto",
            "target",
            "targetfile",
            "to",
        ],
    ),
    ("env", &["environment", "envvars", "useenv", "uselookups"]),
    (
        "old_string",
        &["old", "oldstr", "oldtext", "oldcontent", "search", "find", "before", "from", "original"],
    ),
    (
        "new_string",
        &[
            "new",
            "newstr",
            "newtext",
            "newcontent",
            "replace",
            "replacement",
            "replacewith",
            "after",
            "to",
        ],
    ),
    (
        "path",
        &[
            "file",
            "filename",
            "filepath",
            "target",
            "targetfile",
            "targetpath",
            "absolutepath",
            "notebookpath",
        ],
    ),
    (
        "output_path",
        &[
            "path",
            "file",
            "filename",
            "filepath",
            "output",
            "outputfile",
            "target",
            "targetfile",
            "targetpath",
            "dest",
            "destination",
        ],
    ),
    ("content", &["text", "contents", "filetext", "filecontent", "code", "newcontent"]),
    ("glob", &["includepattern", "filepattern", "include", "fileglob"]),
    ("pattern", &["query", "regex", "search", "text", "searchterm"]),
    ("query", &["pattern", "search", "text", "searchterm"]),
    ("offset", &["startline", "linestart", "fromline", "line", "start"]),
    ("start_line", &["offset", "linestart", "fromline", "line", "start"]),
    ("limit", &["maxlines", "numlines", "linecount", "lines", "count", "n", "maxresults"]),
    ("max_lines", &["limit", "numlines", "linecount", "lines", "count", "n"]),
    ("n", &["limit", "count", "max", "maxresults"]),
    ("last", &["isfinal", "final", "islast", "done"]),
    ("index", &["part", "partnumber", "partindex", "number", "chunk", "chunkindex"]),
    ("part", &["index", "partnumber", "partindex", "number", "chunk", "chunkindex"]),
    ("replace_all", &["all", "global"]),
];

/// Whether a name is one that other programs have for an argument.
pub(crate) fn means(name: &str, argument: &str) -> bool {
    meant(name, |ours| ours == argument).is_some()
}

/// The argument that is meant by a name of another program, of those that the tool has.
fn meant(name: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let plain = aims::plain(name);
    let is_meant =
        |(ours, theirs): &&(&str, &[&str])| theirs.contains(&plain.as_str()) && has(ours);
    MEANT.iter().find(is_meant).map(|(ours, _)| *ours)
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

/// Whether a word stands for all secrets.
fn is_all(word: &str) -> bool {
    ["*", "all", "secrets", "true", "yes"].contains(&word.trim().to_lowercase().as_str())
}

/// What to pass in place of a value whose type is wrong, where the value shows what is meant.
fn meant_value(name: &str, schema: &Value, value: &Value) -> Option<String> {
    match (schema.get("type").and_then(Value::as_str)?, value) {
        ("boolean", Value::String(word)) => match word.trim().to_lowercase().as_str() {
            yes @ ("true" | "false") => Some(format!("pass {name} as {yes} without quotes")),
            level if name == "classify" && level.parse::<Verdict>().is_ok() => {
                Some(format!("pass `classify` true and `classify_reject_at` {level}"))
            }
            _ if name == "classify" => Some("pass `classify` as true or false".to_owned()),
            _ => None,
        },
        ("boolean", Value::Number(_) | Value::Object(_)) if name == "classify" => {
            Some("pass `classify` true, and a level as `classify_reject_at`".to_owned())
        }
        ("object", Value::String(_) | Value::Array(_)) if name == "content_from" => {
            Some("pass `content_from` as {\"draft_sha256\": \"…\"}".to_owned())
        }
        ("array", Value::String(word)) if name.ends_with("redact") && is_all(word) => {
            Some(format!("leave out {name}: without it all secrets are taken out"))
        }
        ("array", Value::Bool(true)) if name.ends_with("redact") => {
            Some(format!("leave out {name}: without it all secrets are taken out"))
        }
        ("array", Value::String(word)) => {
            let is_word = |word: &str| {
                let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
                (1..=40).contains(&word.len()) && word.chars().all(is_sign)
            };
            let list = word.trim().trim_matches(['[', ']']);
            let items: Vec<&str> =
                list.split(',').map(|it| it.trim().trim_matches(['"', '\''])).collect();
            let are_words = items.iter().all(|it| is_word(it));
            are_words.then(|| format!("pass {name} as the array {}", Value::from(items)))
        }
        ("array", Value::Number(number)) => Some(format!("pass {name} as the array [{number}]")),
        ("array", Value::Array(_)) => Some(match name.ends_with("redact") {
            true => format!("pass in {name} families, or finding numbers from 1"),
            false => format!("pass {name} as an array of strings"),
        }),
        _ => None,
    }
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
mod tests {
    use super::*;
    use serde_json::json;

    fn try_with(arguments: Value) -> Result<Value, (Value, ReasonHint, SuggestedAction)> {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "content": {"type": "string"},
                "mode": {"type": "string", "enum": ["create", "append"]},
                "index": {"type": "integer"},
                "data": {"description": "anything"},
            },
            "required": ["path", "content"],
        });
        check("", schema.as_object().unwrap(), &[], TEXTS, arguments.as_object().unwrap().clone())
            .map(Value::Object)
            .map_err(|refused| {
                (Value::Object(refused.context), refused.reason_hint, refused.suggested_action)
            })
    }

    fn context(arguments: Value) -> Value {
        try_with(arguments).unwrap_err().0
    }

    #[test]
    fn good_arguments_pass_and_integral_floats_become_integers() {
        let good = json!({"path": "a", "content": "", "index": 3, "data": null});
        assert_eq!(try_with(good.clone()), Ok(good.clone()));
        let float = json!({"path": "a", "content": "", "index": 3.0, "data": null});
        assert_eq!(try_with(float), Ok(good));
    }

    #[test]
    fn a_refusal_names_the_argument() {
        assert_eq!(
            context(json!({"content": ""})),
            json!({
                "reason": "missing_argument: path", "argument": "path", "expected": "string",
                "hint": "pass path too"
            })
        );
        assert_eq!(
            context(json!({"path": "a", "content": "", "file": 1})),
            json!({
                "reason": "unknown_argument: file", "argument": "file",
                "expected": ["path", "content", "mode", "index", "data"],
                "hint": "leave out file, since `path` is passed"
            })
        );
        assert_eq!(
            context(json!({"path": null, "content": ""})),
            json!({
                "reason": "wrong_type: path", "argument": "path",
                "expected": "string", "got": "null",
                "hint": "pass path as a string"
            })
        );
        assert_eq!(
            context(json!({"path": "a", "content": "", "mode": "Create"})),
            json!({
                "reason": "invalid_value: mode", "argument": "mode",
                "mode": "Create", "valid_modes": ["create", "append"],
                "hint": "pass one of create, append as mode"
            })
        );
    }

    #[test]
    fn the_page_of_errors_has_the_kinds_of_a_wrong_mode() {
        let wrong = json!({"path": "a", "content": "", "mode": "Create"});
        let (_, hint, action) = try_with(wrong).unwrap_err();
        assert_eq!((hint, action), (ReasonHint::Unknown, SuggestedAction::Abort));
        let page = include_str!("../../../docs/errors.md");
        assert!(page.contains("| `invalid_value: mode` | policy_violation / unknown / abort |"));
    }

    #[test]
    fn all_wrong_arguments_are_named_at_once() {
        let told = context(json!({"elsewhere": "a", "content": 1, "index": "x", "wrong": null}));
        assert_eq!(told["reason"], "unknown_argument: elsewhere");
        assert_eq!(
            told["also"],
            json!([
                "unknown_argument: wrong",
                "missing_argument: path",
                "wrong_type: content",
                "index_must_be_int_in_1..999",
            ])
        );
        let hint = told["hint"].as_str().unwrap();
        assert!(
            hint.ends_with("pass index as an integer from 1 to 999, or leave it out"),
            "{hint}"
        );
        assert_eq!(hint.matches("; ").count(), 4, "{hint}");
        // What is only misspelt is told once.
        assert_eq!(context(json!({"path": "a", "contnet": ""})).get("also"), None);
    }

    #[test]
    fn what_another_program_calls_an_argument_keeps_its_meaning() {
        let hint = |known: &[&str], name: &str| {
            let known: Vec<String> = known.iter().map(|&it| it.to_owned()).collect();
            let refused = unknown_argument("", name, name, &Value::Null, known.iter(), &|_| false);
            refused.context["hint"].as_str().unwrap().to_owned()
        };
        let core = ["path", "content", "append", "expected_prev_sha256"];
        assert_eq!(hint(&core, "fileName"), "write `path` in place of fileName");
        let compose = ["session", "output_path", "separator"];
        for name in ["target", "path", "destination"] {
            assert_eq!(hint(&compose, name), format!("write `output_path` in place of {name}"));
        }
        assert_eq!(hint(&["path", "max_lines"], "n"), "write `max_lines` in place of n");
        assert_eq!(hint(&["path", "n"], "limit"), "write `n` in place of limit");
        let read = ["path", "offset", "limit"];
        assert_eq!(hint(&read, "start_line"), "write `offset` in place of start_line");
        assert_eq!(
            hint(&["pattern", "path", "glob"], "include_pattern"),
            "write `glob` in place of include_pattern"
        );
    }

    #[test]
    fn a_part_of_an_object_is_sent_into_it() {
        let schema = json!({
            "properties": {
                "envelope": {"type": "object", "properties": {"task_id": {}}},
                "sha256": {"type": "string"},
            },
            "required": ["envelope"],
        });
        let refused = |arguments: Value| {
            let arguments = arguments.as_object().unwrap().clone();
            let refused =
                check("", schema.as_object().unwrap(), &[], TEXTS, arguments).unwrap_err();
            Value::Object(refused.context)
        };
        let told = refused(json!({"task_id": "t"}));
        assert_eq!(
            (&told["hint"], told.get("also")),
            (&json!("put task_id into `envelope`"), None)
        );
        let told = refused(json!({"envelope": {}, "label": "draft"}));
        assert!(told["hint"].as_str().unwrap().contains("`rw_scratch_ref`"), "{told}");
    }

    #[test]
    fn an_argument_inside_of_another_is_told_to_stand_beside_it() {
        let schema = json!({
            "properties": {
                "path": {"type": "string"},
                "content_from": {
                    "type": "object", "additionalProperties": false,
                    "properties": {"draft_sha256": {"type": "string"}}, "required": ["draft_sha256"],
                },
            },
            "required": ["path"],
        });
        let refused = |arguments: Value| {
            let arguments = arguments.as_object().unwrap().clone();
            let refused =
                check("", schema.as_object().unwrap(), &[], TEXTS, arguments).unwrap_err();
            Value::Object(refused.context)
        };
        let told = refused(json!({"path": "a", "content_from": {"path": "a"}}));
        assert_eq!(told["hint"], "pass `path` beside `content_from`, not inside it");
        assert_eq!(told["reason"], "unknown_argument: content_from.path");
        let told = refused(json!({"path": "a", "content_from": {"zzz": "a"}}));
        assert_eq!(told["hint"], "leave zzz out of content_from, which has no such part");
    }

    #[test]
    fn a_list_of_edits_is_told_to_be_one_call_for_each() {
        let schema = json!({
            "properties": {
                "path": {"type": "string"}, "old_string": {"type": "string"},
                "new_string": {"type": "string"},
            },
            "required": ["path", "old_string", "new_string"],
        });
        for name in ["edits", "Edits", "changes"] {
            let arguments = json!({"path": "a", name: [{"old_string": "a"}]});
            let arguments = arguments.as_object().unwrap().clone();
            let told = check("rw.edit_file", schema.as_object().unwrap(), &[], TEXTS, arguments)
                .unwrap_err()
                .context;
            let hint = told["hint"].as_str().unwrap();
            assert!(
                hint.starts_with("make one call for each edit, with its `old_string`"),
                "{hint}"
            );
            assert_eq!(told.get("also"), None, "{told:?}");
        }
    }

    #[test]
    fn a_misspelt_argument_is_told_the_nearest() {
        let context = context(json!({"path": "a", "contnet": ""}));
        assert_eq!(context["hint"], "leave out contnet, or write `content` if that is meant");
        assert_eq!(context["nearest_names"], json!(["content"]));
    }

    #[test]
    fn an_edit_in_the_words_of_another_program_is_told_the_names_here() {
        let schema = json!({
            "properties": {
                "path": {"type": "string"},
                "old_string": {"type": "string"},
                "new_string": {"type": "string"},
                "count": {"type": "integer"},
            },
            "required": ["path", "old_string", "new_string"],
        });
        let refused = |arguments: Value| {
            let arguments = arguments.as_object().unwrap().clone();
            check("", schema.as_object().unwrap(), &[], TEXTS, arguments).unwrap_err()
        };
        for (old, new) in [
            ("old", "new"),
            ("old_str", "new_str"),
            ("old_text", "new_text"),
            ("search", "replace"),
            ("find", "replacement"),
            ("find", "replace_with"),
            ("before", "after"),
            ("from", "to"),
        ] {
            let told = refused(json!({"path": "a", old: "x", new: "y"}));
            let hint = format!(
                "write `old_string` in place of {old}; write `new_string` in place of {new}"
            );
            assert_eq!(told.context["hint"], hint);
            assert_eq!(told.context["also"], json!([format!("unknown_argument: {new}")]));
            assert_eq!(told.suggested_action, SuggestedAction::RetryLater);
        }
        // What no other argument stands for is named, too.
        let told = refused(json!({"path": "a", "old": "x", "unheard": "y"})).context;
        let hint = told["hint"].as_str().unwrap();
        assert!(hint.ends_with("pass new_string too"), "{hint}");
        let content = refused(json!({"path": "a", "old_string": "x", "unheard": "y"})).context;
        assert_eq!(content["also"], json!(["missing_argument: new_string"]));
    }

    #[test]
    fn a_call_without_arguments_is_told_all_that_it_must_have() {
        let (told, ..) = try_with(json!({})).unwrap_err();
        assert_eq!(told["reason"], "missing_argument: content");
        assert_eq!(told["also"], json!(["missing_argument: path"]));
        assert!(told["hint"].as_str().unwrap().ends_with("; pass path too"), "{told}");
        let (told, ..) = try_with(json!({"path": "a", "index": "x"})).unwrap_err();
        assert_eq!(told["also"], json!(["index_must_be_int_in_1..999"]));
    }

    #[test]
    fn what_a_value_shows_says_where_it_belongs() {
        let text = || json!({"type": "string"});
        let chosen = || json!({"type": "array", "items": {"type": "string"}});
        let from = json!({
            "type": "object", "additionalProperties": false, "required": ["draft_sha256"],
            "properties": {"draft_sha256": text(), "redact": chosen()},
        });
        let write = json!({
            "properties": {
                "path": text(), "content": text(), "content_from": from,
                "classify": {"type": "boolean"},
            },
            "required": ["path"],
        });
        let score = json!({"properties": {
            "content": text(), "path": text(), "session": text(), "draft_sha256": text(), "redact": chosen(),
        }});
        let instead = |tool: &str| match tool {
            "rw.safe_write" => &["content_from"][..],
            _ => &["path", "session", "draft_sha256"],
        };
        let digest = "ab".repeat(32);
        for (tool, schema, arguments, hint) in [
            (
                "rw.safe_write",
                &write,
                json!({"path": "a", "blob": digest}),
                "pass `content_from` {",
            ),
            ("rw.risk_score", &score, json!({"blob": digest}), "write `draft_sha256` in place"),
            ("rw.risk_score", &score, json!({"draft_id": digest}), "write `draft_sha256` in place"),
            ("rw.risk_score", &score, json!({"dir": "src/a.py"}), "write `path` in place of dir"),
            (
                "rw.safe_write",
                &write,
                json!({"path": "a", "content": "x", "redact": true}),
                "leave out redact, and pass `classify` true",
            ),
            (
                "rw.safe_write",
                &write,
                json!({"path": "a", "content_from": {"draft_sha256": digest, "only": ["pii"]}}),
                "write `redact`, an array",
            ),
            (
                "rw.safe_write",
                &write,
                json!({"path": "a", "content_from": digest}),
                "pass `content_from` as {",
            ),
            (
                "rw.safe_write",
                &write,
                json!({"path": "a", "content": "x", "classify": "low"}),
                "pass `classify` true and `classify_reject_at` low",
            ),
            (
                "rw.safe_write",
                &write,
                json!({"path": "a", "content": "x", "classify": 1}),
                "pass `classify` true",
            ),
            (
                "rw.redact",
                &score,
                json!({"path": "a", "redact": "github_pat, pii"}),
                "pass redact as the array [\"github_pat\",\"pii\"]",
            ),
            (
                "rw.redact",
                &score,
                json!({"path": "a", "redact": "all"}),
                "leave out redact: without it",
            ),
            (
                "rw.redact",
                &score,
                json!({"path": "a", "redact": [1.5]}),
                "families, or finding numbers",
            ),
        ] {
            let schema = schema.as_object().unwrap();
            let arguments = arguments.as_object().unwrap().clone();
            let told = check(tool, schema, instead(tool), TEXTS, arguments).unwrap_err().context;
            let said = told["hint"].as_str().unwrap();
            assert!(said.starts_with(hint) || said.contains(hint), "{tool}: {said}");
        }
        // In the smallest set nothing takes a digest.
        let core = json!({"properties": {"path": text(), "content": text()}, "required": ["path", "content"]});
        let arguments = json!({"path": "a", "draft_sha256": digest});
        let arguments = arguments.as_object().unwrap().clone();
        let told = check("rw.write_file", core.as_object().unwrap(), &[], TEXTS, arguments);
        let told = told.unwrap_err().context;
        let said = told["hint"].as_str().unwrap();
        assert!(said.starts_with("leave out draft_sha256, and pass the text itself"), "{said}");
    }

    #[test]
    fn a_text_under_another_name_is_told_that_it_is_the_content() {
        let context = context(json!({"path": "a", "text": "b"}));
        assert_eq!(context["hint"], "write `content` in place of text");
        assert_eq!(context["nearest_names"], json!(["content"]));
    }

    #[test]
    fn content_that_is_no_text_is_not_left_out() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "content": {"type": "string"},
                "content_from": {"type": "object"},
                "line": {"type": "integer"},
            },
            "required": ["path"],
        });
        let hint = |arguments: Value| {
            let arguments = arguments.as_object().unwrap().clone();
            let refused =
                check("", schema.as_object().unwrap(), &["content_from"], TEXTS, arguments);
            let context = refused.unwrap_err().context;
            (context["hint"].as_str().unwrap().to_owned(), context["got"].clone())
        };
        for content in [json!(null), json!({"a": 1})] {
            let (hint, _) = hint(json!({"path": "a", "content": content}));
            assert_eq!(hint, "pass content as a string");
        }
        let both = json!({"path": "a", "content": null, "content_from": {}});
        assert_eq!(hint(both).0, "pass content as a string, or leave it out");
        let (_, got) = hint(json!({"path": "a", "content": "", "line": u64::MAX}));
        assert_eq!(got, "an integer beyond 64 bits");
    }

    #[test]
    fn an_index_that_is_no_integer_is_refused_in_the_librarys_words() {
        for index in [json!("1"), json!(1.5), json!(true), json!(1e300), json!(u64::MAX)] {
            let context = context(json!({"path": "a", "content": "", "index": index}));
            assert_eq!(context["reason"], "index_must_be_int_in_1..999");
        }
    }

    #[test]
    fn a_missing_text_means_the_call_was_cut() {
        let (context, hint, action) = try_with(json!({})).unwrap_err();
        assert_eq!(context["reason"], "missing_argument: content");
        assert!(context["hint"].as_str().unwrap().contains("do not resend"));
        assert_eq!((hint, action), (ReasonHint::SizeLimit, SuggestedAction::Split));
    }
}
