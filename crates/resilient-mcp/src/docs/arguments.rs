//! What the page says of arguments that have no text in the schema: every client pays for a schema with tokens, so a
//! field whose name says enough to a model has none.

/// A tool, or nothing for all tools, an argument, and what it means.
const ARGUMENTS: &[(&str, &str, &str)] = &[
    (
        "",
        "allow_shrink",
        "`true`: accept a placeholder such as `... rest unchanged ...` although the file gets much shorter.",
    ),
    ("", "body", "The text of the note, as Markdown."),
    ("", "case_sensitive", "`true`: capital and small letters differ."),
    ("", "classify", "`true`: check the text for secrets first. Default: what the policy says."),
    (
        "",
        "classify_reject_at",
        "The lowest verdict at which a checked text is refused. It does not switch the check on: `classify` or the policy does.",
    ),
    ("", "content", "The text."),
    ("", "content_type", "A media type that is kept with the content; nothing interprets it."),
    ("", "context_after", "How many lines after a match are shown."),
    ("", "context_before", "How many lines before a match are shown."),
    ("", "cursor", "The cursor of the last answer."),
    ("", "data", "Any JSON value; a text stays a text."),
    (
        "",
        "draft_sha256",
        "The digest of a text in the scratchpad, in place of `content`: the draft of a blocked write.",
    ),
    ("", "encoding", "The encoding of the file. Default: the server finds out."),
    ("", "eol", "The line ends. `keep`: those of the file. `raw`: those of the text."),
    ("", "errors", "What becomes of bytes that are no character of the encoding."),
    (
        "",
        "expected_prev_sha256",
        "The digest that the file has to have. If it has another one, the call is refused.",
    ),
    ("", "filter_id", "Only the row with this `journal_id`."),
    ("", "filter_mode", "Only rows with this mode."),
    ("", "filter_path", "Only rows of this file."),
    ("", "filter_sha256", "Only rows whose content has this digest."),
    ("", "from_line", "Where a search goes on: `next_from_line` of the last answer."),
    ("", "from_path", "Where a list or a search goes on: `next_from_path` of the last answer."),
    ("", "gitignore", "`true`: leave out what `.gitignore` names."),
    ("", "hidden", "`true`: files and directories whose name begins with a dot, too."),
    ("", "include_sha256", "The Python server's name of `digest`."),
    ("", "label", "A name by which the content is found."),
    ("", "language", "The language of the text. Default: what the name of the file says."),
    (
        "",
        "language_hint",
        "Comes back in the answer, as from the Python server; it changes nothing.",
    ),
    ("", "max_bytes", "The most bytes that the answer has of the file."),
    ("", "max_files", "The most files that are listed."),
    ("", "max_lines", "The most lines of the answer."),
    ("", "max_matches", "The most matches of the answer."),
    ("", "max_tokens", "The size of the answer, about, in tokens of a model."),
    ("", "n", "How many rows, the newest last."),
    ("", "name", "The name of the checkpoint."),
    ("", "new_string", "The text in place of `old_string`."),
    ("", "notes", "A remark that is kept with the content."),
    ("", "offset", "The first byte, counted from 0."),
    ("", "output_path", "The file to write."),
    ("", "path", "The file: relative, or absolute below a root."),
    ("", "query", "What to look for: a text, or with `regex` a regular expression."),
    ("", "regex", "`true`: `query` is a regular expression."),
    ("", "separator", "A text that is put between the parts. Default: none."),
    ("", "session", "The name of the chunk session."),
    ("", "session_filter", "In the report about chunk sessions, only this one."),
    ("", "sha256", "The digest of the content."),
    ("", "start_line", "The first line, counted from 1."),
    (
        "",
        "strict",
        "`true`: also notice a change that keeps size and time; the whole file is read for this.",
    ),
    (
        "",
        "target_path",
        "The file that the text is meant for: its name decides the format, its content is not read.",
    ),
    (
        "",
        "total_expected",
        "How many parts there are in all; then `rw_chunk_compose` refuses fewer or more.",
    ),
    ("", "validate", "`true`: refuse a text with a syntax error."),
    ("rr_list_files", "path", "The directory."),
    (
        "rw_checkpoint",
        "expected_prev_sha256",
        "The digest that the checkpoint has to have. If it has another one, the call is refused.",
    ),
    (
        "rw_chunk_write",
        "expected_prev_sha256",
        "The digest that the part with this `index` has to have. If it has another one, the call is refused.",
    ),
    ("rw_handoff_read", "path", "The file of the note."),
    ("rw_handoff_write", "path", "The file of the note."),
    ("rw_chunk_compose", "encoding", "The encoding of the file: `keep`, `raw` or a name."),
    ("rw_chunk_status", "session", "The name of the chunk session. Default: all sessions."),
    ("rw_safe_replace", "encoding", "The encoding of the file: `keep`, `raw` or a name."),
    ("rw_scratch_get", "encoding", "How the answer gives the bytes: as text, or as base64."),
    ("rw_scratch_put", "encoding", "What `content` is: text, or base64 of any bytes."),
];

/// What an argument of a tool means, where the schema does not say it.
pub(super) fn meaning(tool: &str, argument: &str) -> Option<&'static str> {
    let of = |wanted: &str| {
        ARGUMENTS.iter().find(|(tool, name, _)| *tool == wanted && *name == argument)
    };
    of(tool).or_else(|| of("")).map(|(_, _, text)| *text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tools::Offer;

    #[test]
    fn every_argument_has_a_meaning_and_every_meaning_an_argument() {
        let mut used = std::collections::BTreeSet::new();
        for tool in [Offer::Core, Offer::Full].iter().flat_map(|offer| offer.lists()) {
            let input = (tool.schema)().input;
            let name = tool.name.replace('.', "_");
            for (argument, property) in input.get("properties").and_then(Value::as_object).unwrap()
            {
                if property.get("description").is_none() {
                    let text = meaning(&name, argument);
                    assert!(text.is_some(), "{name}: {argument}");
                    used.insert(text);
                }
            }
        }
        for (tool, argument, text) in ARGUMENTS {
            assert!(used.contains(&Some(*text)), "{tool} {argument}");
        }
    }
}
