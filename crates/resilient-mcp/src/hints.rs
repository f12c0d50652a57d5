//! Refusals in the words that the client knows: the names as they are listed, and no tool that is not.

use serde_json::Value;

use crate::names::ToolNames;
use crate::seam::Envelope;

/// What a hint says of a tool, and what it says instead where that is not listed.
const WITHOUT: &[(&str, &str, &str)] = &[
    (
        "rw_redact",
        "do not send the parts again: `rw_redact` joins them, takes the secrets out and writes the file, \
         then `rw_chunk_reset` removes the parts",
        "send the parts that hold what context.detected lists again without it, with `rw_chunk_write`, then \
         compose them",
    ),
    (
        "rw_redact",
        "make this call again with the text that `rw_redact` answers for {",
        "write the file with `rw_safe_write` and `content_from` {",
    ),
    (
        "rw_redact",
        ", or clean the file with `rw_redact`, its path in `path` and in `write_to` and `keep` true, and make this call again",
        "",
    ),
    (
        "rw_redact",
        "call `rw_redact` again with `keep` true: the scratchpad then keeps the value, which the file loses",
        "leave that line as it is, since it holds the real value",
    ),
    ("rw_chunk_reset", ", and remove the parts with `rw_chunk_reset`", ""),
];

/// What a hint says of an argument, and what it says instead where the tool that was called has no such argument.
const WITHOUT_ARGUMENT: &[(&str, &str, &str)] = &[
    // Tools that take a part of a file.
    ("content_from", "with `content_from` {draft_sha256} in place", "with `draft_sha256` in place"),
    (
        "content_from",
        "with, in place of `content`, `content_from` {",
        "with the text that `rw_redact` answers for {",
    ),
    (
        "mode",
        "pass `mode` overwrite with context.existing_sha256 as",
        "pass context.existing_sha256 as",
    ),
    ("mode", ", or `mode` append to add to it", ""),
    ("allow_shrink", "; pass `allow_shrink` true only if the file is to be that short", ""),
    (
        "encoding",
        "pass the name of the file's encoding as `encoding`, which is only guessed, or write ASCII only",
        "write ASCII only, since the file's encoding is only guessed",
    ),
];

/// Has a refusal name only arguments that the tool has.
pub(crate) fn fit_tool(refused: &mut Envelope, has: impl Fn(&str) -> bool) {
    let Some(Value::String(hint)) = refused.context.get_mut("hint") else { return };
    for (argument, with, without) in WITHOUT_ARGUMENT {
        if !has(argument) {
            *hint = hint.replace(with, without);
        }
    }
}

/// A hint, where only some tools are listed: by their names with underscores.
#[doc(hidden)]
pub fn in_listed_words(hint: &str, is_listed: impl Fn(&str) -> bool) -> String {
    WITHOUT
        .iter()
        .filter(|(tool, _, _)| !is_listed(tool))
        .fold(hint.to_owned(), |hint, (_, with, without)| hint.replace(with, without))
}

/// Has a refusal name tools as they are listed, and only those.
pub(crate) fn fit(refused: &mut Envelope, names: ToolNames, is_listed: impl Fn(&str) -> bool) {
    if let Some(Value::String(hint)) = refused.context.get_mut("hint") {
        *hint = names.spell(&in_listed_words(hint, &is_listed));
    }
    let actions = refused.context.get_mut("suggested_actions").and_then(Value::as_array_mut);
    for action in actions.into_iter().flatten().filter_map(Value::as_object_mut) {
        match action.get_mut("tool") {
            Some(Value::String(tool)) if is_listed(tool) => *tool = names.spell(tool),
            Some(_) => {
                action.shift_remove("tool");
                action.shift_remove("arguments");
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use resilient_core::hint::hint;
    use resilient_core::hint::samples::samples;

    use super::*;

    #[test]
    fn what_is_said_instead_is_of_hints_that_there_are() {
        let mut hints: Vec<String> = samples().iter().map(hint).collect();
        for at in 0..hints.len() {
            let fit =
                |hint: String, (_, with, without): &(&str, &str, &str)| hint.replace(with, without);
            hints.push(WITHOUT_ARGUMENT.iter().fold(hints[at].clone(), fit));
        }
        for (name, with, without) in WITHOUT.iter().chain(WITHOUT_ARGUMENT) {
            assert!(hints.iter().any(|hint| hint.contains(with)), "{with}");
            let named = format!("`{name}`");
            assert!(with.contains(&named) && !without.contains(&named), "{with}");
        }
    }
}
