//! What names and values mean that a caller knows from other programs.
//!
//! The table has names of arguments; `aims` says what to do where no argument here does the same.

use resilient_core::risk::Verdict;
use serde_json::{Map, Value};

use crate::aims::plain;

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
pub(crate) fn meant(name: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let plain = plain(name);
    let is_meant =
        |(ours, theirs): &&(&str, &[&str])| theirs.contains(&plain.as_str()) && has(ours);
    MEANT.iter().find(is_meant).map(|(ours, _)| *ours)
}

/// The argument in which a value belongs that came under another name where the text itself is missing: a digest names a draft,
/// and one word may name a file. A digest is never the text.
pub(crate) fn in_place_of_content(known: &Map<String, Value>, value: &str) -> Option<&'static str> {
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

/// Whether a word stands for all secrets.
fn is_all(word: &str) -> bool {
    ["*", "all", "secrets", "true", "yes"].contains(&word.trim().to_lowercase().as_str())
}

/// What to pass in place of a value whose type is wrong, where the value shows what is meant.
pub(crate) fn meant_value(name: &str, schema: &Value, value: &Value) -> Option<String> {
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
