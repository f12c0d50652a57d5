//! What a caller wants with an argument that a tool does not have: by its name, its value and the tool.
//!
//! A hint that only says "leave it out" is taken literally. Where that would lose what was asked for, a row of this
//! table says what does it here, or what the call would do without the argument.

use serde_json::Value;

use crate::deeds::{ONE_CHECKPOINT, ONE_PART, ONE_PART_OF_FILE, REMOVE};

/// For which values of an argument a row holds.
#[derive(Debug, Clone, Copy)]
enum Values {
    Any,
    /// Those that ask for it: true, and what stands for that.
    Yes,
    /// Those that ask for its contrary.
    No,
    /// These words.
    Words(&'static [&'static str]),
}

/// A row: names without `_` in small letters, their values, the tools (none: all), and what to do. There, `{}` stands
/// for the name as it came.
type Aim = (&'static [&'static str], Values, &'static [&'static str], &'static str);

/// Names for a list of edits. A tool here makes one.
pub(crate) const EDITS: &[&str] = &["changes", "edits", "operations", "replacements"];

const ALL: &[&str] = &["replaceall", "all", "global"];
const BACKUP: &[&str] = &["backup", "bak", "createbackup", "keepbackup", "makebackup"];
const COUNTS: &[&str] = &["count", "expectedcount", "expectedreplacements"];
const IGNORES_CASE: &[&str] = &["caseinsensitive", "icase", "ignorecase"];
const MINDS_CASE: &[&str] = &["casesensitive", "matchcase"];
const IS_LITERAL: &[&str] = &["fixedstring", "fixedstrings", "isliteral", "literal"];
const IS_REGEX: &[&str] = &["isregex", "regex", "regexp", "useregex"];
const CHECKS: &[&str] = &[
    "check",
    "checksecrets",
    "detectsecrets",
    "reject",
    "rejectsecrets",
    "safe",
    "risk",
    "scan",
    "scansecrets",
    "secrets",
    "secretscan",
];
const CHOSEN: &[&str] =
    &["families", "family", "findings", "include", "kinds", "numbers", "only", "patterns", "types"];
const CHOSEN_NOT: &[&str] =
    &["allow", "except", "exclude", "ignore", "keepfamilies", "keeponly", "skip"];
const IN_PLACE: &str =
    "pass the file's path as `path` and as `write_to`, and `keep` true, in place of {}";
const IN_PLACE_WORDS: &[&str] = &["in_place", "inplace", "in-place"];
const NO_CHOICE: &str = "if all secrets of the draft are to go, leave out {}; otherwise send the text again as \
                         `content`, without what is to go";
const MARKS: &[&str] = &["mark", "marker", "mask", "placeholder", "replacement", "replacewith"];
const OVERWRITE: &[&str] = &["force", "overwrite"];

const APPEND_WORDS: &[&str] = &["a", "a+", "ab", "append"];
const CREATE_WORDS: &[&str] = &["create", "new", "wx", "x"];
const REPLACE_WORDS: &[&str] = &["overwrite", "replace", "truncate", "w", "w+", "wb", "write"];

const COMPOSE: &[&str] = &["rw.chunk_compose"];
const CORE_EDIT: &[&str] = &["rw.edit_file"];
const CORE_SEARCH: &[&str] = &["rw.search_files"];
const CORE_WRITE: &[&str] = &["rw.write_file"];
const CORE_WRITES: &[&str] = &["rw.edit_file", "rw.write_file", "rw.write_part"];
const FULL_SEARCH: &[&str] = &["rr.search_then_page"];
const EDIT: &[&str] = &["rw.edit_file", "rw.safe_replace"];
const FILE_WRITES: &[&str] = &[
    "rw.chunk_compose",
    "rw.edit_file",
    "rw.handoff_write",
    "rw.safe_replace",
    "rw.safe_write",
    "rw.write_file",
    "rw.write_part",
];
const CHECKED: &[&str] =
    &["rw.chunk_append", "rw.chunk_compose", "rw.chunk_write", "rw.safe_replace", "rw.safe_write"];
const ONE_PART_WRITES: &[&str] = &["rw.chunk_append", "rw.chunk_write"];
const REDACT: &[&str] = &["rw.redact"];
const PARTS: &[&str] = &["rw.list_parts", "rw.write_part"];

const LEAVE_OUT: &str = "leave out {}";
const APPENDS_NOT: &str = "leave out {} only with a path of its own as `output_path`: a compose replaces the file that \
                           is there, and adds to none";
const CREATES: &str = "pass an empty `expected_prev_sha256` in place of {}: without it, a compose replaces the file that \
                       is there";
const REDACT_APPENDS: &str =
    "leave out {} and `write_to`, and append the text of the answer with `rw_safe_write`";
const REDACT_REPLACES: &str = "pass the path of the file to replace as `write_to`, and the hash of that file as \
                              `expected_prev_sha256`, in place of {}; for the file that is read, pass `keep` true";
const REPLACES: &str = "leave out {}: a compose replaces the file that is there";
const MINDS: &str = "write in `old_string` the text exactly as the file has it in place of {}: an edit minds case and \
                     knows no patterns";

/// The first row that fits holds.
const AIMS: &[Aim] = &[
    (
        EDITS,
        Values::Any,
        EDIT,
        "make one call for each edit, with its `old_string` and `new_string` in place of {}",
    ),
    // An append, a new file and a replacement.
    (
        &["mode"],
        Values::Words(REPLACE_WORDS),
        CORE_WRITE,
        "leave out {}; to replace a file, pass `expected_prev_sha256`",
    ),
    (&["mode"], Values::Words(APPEND_WORDS), CORE_WRITE, "pass `append` true in place of {}"),
    (&["mode"], Values::Any, CORE_WRITE, LEAVE_OUT),
    (
        OVERWRITE,
        Values::Yes,
        CORE_WRITE,
        "leave out {}; to replace a file, pass `expected_prev_sha256`",
    ),
    (
        &["append"],
        Values::Yes,
        &["rw.write_part"],
        "leave out {} only if a whole file is to be made; to add to a file, call `rw_write_file` with `append` true",
    ),
    (
        &["mode"],
        Values::Words(APPEND_WORDS),
        &["rw.write_part"],
        "leave out {} only if a whole file is to be made; to add to a file, call `rw_write_file` with `append` true",
    ),
    (&["append"], Values::Yes, &["rw.safe_write"], "write `mode` append in place of {}"),
    (&["overwrite"], Values::Yes, &["rw.safe_write"], "write `mode` overwrite in place of {}"),
    (&["append", "overwrite"], Values::Any, &["rw.safe_write"], LEAVE_OUT),
    (&["append"], Values::Yes, COMPOSE, APPENDS_NOT),
    (&["mode"], Values::Words(APPEND_WORDS), COMPOSE, APPENDS_NOT),
    (&["mode"], Values::Words(CREATE_WORDS), COMPOSE, CREATES),
    (&["overwrite"], Values::No, COMPOSE, CREATES),
    (&["overwrite", "mode"], Values::Any, COMPOSE, REPLACES),
    // What a redaction takes out, and where its text goes.
    (
        CHOSEN,
        Values::Any,
        REDACT,
        "write `redact`, an array of families or finding numbers, in place of {}",
    ),
    (
        CHOSEN_NOT,
        Values::Any,
        REDACT,
        "if all secrets are to go, leave out {}; otherwise list in `redact` the families or finding numbers that are to go",
    ),
    (
        &["line", "lines"],
        Values::Any,
        REDACT,
        "if all secrets are to go, leave out {}; otherwise list in `redact` the finding numbers that are to go",
    ),
    (&["inplace"], Values::Yes, REDACT, IN_PLACE),
    (&["mode"], Values::Words(IN_PLACE_WORDS), REDACT, IN_PLACE),
    (&["inplace"], Values::Any, REDACT, LEAVE_OUT),
    (&["append"], Values::Yes, REDACT, REDACT_APPENDS),
    (&["mode"], Values::Words(APPEND_WORDS), REDACT, REDACT_APPENDS),
    (OVERWRITE, Values::Yes, REDACT, REDACT_REPLACES),
    (&["mode"], Values::Words(REPLACE_WORDS), REDACT, REDACT_REPLACES),
    (&["append", "force", "mode", "overwrite"], Values::Any, REDACT, LEAVE_OUT),
    (
        MARKS,
        Values::Any,
        REDACT,
        "leave out {}: all marks have one form; `env` true puts look-ups in their place",
    ),
    (
        &["targetpath"],
        Values::Any,
        REDACT,
        "write `language` in place of {}, or `write_to` if the result is to be written there",
    ),
    (
        &["dryrun", "preview"],
        Values::Any,
        REDACT,
        "leave out {}: without `write_to` nothing is written",
    ),
    (&["redact"], Values::Any, ONE_PART_WRITES, NO_CHOICE),
    (CHOSEN, Values::Any, ONE_PART_WRITES, NO_CHOICE),
    (CHOSEN_NOT, Values::Any, ONE_PART_WRITES, NO_CHOICE),
    (
        &["redact"],
        Values::Any,
        &["rw.safe_write"],
        "leave out {}, and pass `classify` true and `classify_reject_at` low: the refusal names a draft for `content_from`, \
         which takes the secrets out",
    ),
    (
        &["contentfrom"],
        Values::Any,
        ONE_PART_WRITES,
        "pass `draft_sha256` with the digest alone in place of {}",
    ),
    (CHECKS, Values::Yes, CHECKED, "pass `classify` true in place of {}"),
    // How many places an edit changes.
    (ALL, Values::Yes, &["rw.safe_replace"], "leave out {}, and pass `count` -1 to replace all"),
    (ALL, Values::Any, &["rw.safe_replace"], LEAVE_OUT),
    (COUNTS, Values::Yes, CORE_EDIT, "leave out {}, and pass `replace_all` true to replace all"),
    (COUNTS, Values::Any, CORE_EDIT, LEAVE_OUT),
    (
        &["index", "part"],
        Values::Any,
        &["rw.chunk_append"],
        "leave out {} to add the next part, or call `rw_chunk_write` to replace the part of that number",
    ),
    (REMOVE, Values::Any, PARTS, ONE_PART_OF_FILE),
    (REMOVE, Values::Any, &["rw.chunk_write", "rw.chunk_append"], ONE_PART),
    // Checks and copies.
    (&["classify"], Values::No, CORE_WRITES, LEAVE_OUT),
    (
        &["classify", "classifyrejectat"],
        Values::Any,
        CORE_WRITES,
        "leave out {} only if the text needs no check for secrets; for one, ask the user to set classify.default to on \
         in policy.yaml, or to start the server with --tools full",
    ),
    (
        &["validate"],
        Values::Yes,
        CORE_WRITES,
        "leave out {} only if the text needs no check of its syntax; for one, ask the user to start the server with \
         --tools full",
    ),
    (
        BACKUP,
        Values::Yes,
        FILE_WRITES,
        "leave out {} only if the old text is in git; otherwise copy the file in the shell first, since no old text is \
         kept",
    ),
    (&["dryrun", "preview"], Values::No, &[], LEAVE_OUT),
    (
        &["dryrun", "preview"],
        Values::Any,
        COMPOSE,
        "leave out {} only if the file is to be written: `rw_chunk_preview` shows what a compose would write",
    ),
    // How a search compares.
    (
        IGNORES_CASE,
        Values::Yes,
        CORE_SEARCH,
        "put (?i) at the beginning of `pattern` in place of {}",
    ),
    (MINDS_CASE, Values::No, CORE_SEARCH, "put (?i) at the beginning of `pattern` in place of {}"),
    (
        IS_LITERAL,
        Values::Yes,
        CORE_SEARCH,
        "put a backslash before each sign of `pattern` that is no letter, digit or blank, in place of {}: it is a \
         regular expression",
    ),
    (
        IS_REGEX,
        Values::No,
        CORE_SEARCH,
        "put a backslash before each sign of `pattern` that is no letter, digit or blank, in place of {}: it is a \
         regular expression",
    ),
    (IS_REGEX, Values::Yes, CORE_SEARCH, "leave out {}: `pattern` is a regular expression"),
    (IGNORES_CASE, Values::Yes, FULL_SEARCH, "pass `case_sensitive` false in place of {}"),
    (IGNORES_CASE, Values::No, FULL_SEARCH, "pass `case_sensitive` true in place of {}"),
    (IS_LITERAL, Values::Yes, FULL_SEARCH, "pass `regex` false in place of {}"),
    (IS_LITERAL, Values::No, FULL_SEARCH, "pass `regex` true in place of {}"),
    (IGNORES_CASE, Values::Yes, EDIT, MINDS),
    (MINDS_CASE, Values::No, EDIT, MINDS),
    (IS_REGEX, Values::Yes, EDIT, MINDS),
    // There `offset` counts bytes.
    (
        &["fromline", "line", "linenumber", "startline"],
        Values::Any,
        &["rr.make_cursor", "rr.read_bytes", "rw.chunk_preview", "rw.scratch_get"],
        "leave out {}: `offset` counts bytes here, not lines",
    ),
    // Where lines end.
    (
        &["endline", "lineend", "toline"],
        Values::Any,
        &["rw.read_file"],
        "pass `limit`, the number of lines, in place of {}",
    ),
    (
        &["endline", "lineend", "toline"],
        Values::Any,
        &["rr.read_lines"],
        "pass `max_lines`, the number of lines, in place of {}",
    ),
];

/// For tools that remove, what an argument narrowed that they do not have: without it, more is removed.
const REMOVALS: &[(&str, &str)] = &[
    ("rw.checkpoint_cleanup", ONE_CHECKPOINT),
    ("rw.chunk_reset", ONE_PART),
    (
        "rw.scratch_remove",
        "`rw_scratch_remove` removes what `sha256` names, or the entry with the `label`",
    ),
];

/// What to do about a dry run where nothing has one.
const DRY_RUN: &str = "leave out {} only if the file is to be changed: no tool only shows a change";

/// A name in small letters without `_`.
pub(crate) fn plain(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

impl Values {
    fn have(self, value: &Value) -> bool {
        let word = value.as_str().map(|word| word.trim().to_lowercase());
        let is_one_of = |words: &[&str]| word.as_deref().is_some_and(|it| words.contains(&it));
        match self {
            Self::Any => true,
            Self::Yes => {
                *value == Value::Bool(true)
                    || value.as_i64() == Some(-1)
                    || is_one_of(&["-1", "all", "always", "on", "true", "yes"])
            }
            Self::No => {
                matches!(value, Value::Bool(false) | Value::Null)
                    || value.as_i64() == Some(0)
                    || is_one_of(&["", "0", "false", "never", "no", "none", "off"])
            }
            Self::Words(words) => is_one_of(words),
        }
    }
}

/// What to do about an argument that a tool does not have, where its name and value say what it is for.
pub(crate) fn of(tool: &str, name: &str, value: &Value) -> Option<String> {
    let plain = plain(name);
    if removal(tool).is_some() {
        return None;
    }
    let fits = |(names, values, tools, _): &&Aim| {
        names.contains(&plain.as_str())
            && values.have(value)
            && (tools.is_empty() || tools.contains(&tool))
    };
    let says = AIMS.iter().find(fits).map(|(.., says)| *says);
    let is_dry_run = ["dryrun", "preview"].contains(&plain.as_str());
    says.or(is_dry_run.then_some(DRY_RUN)).map(|says| says.replace("{}", name))
}

/// What to do about any other argument of a tool that removes.
pub(crate) fn of_any(tool: &str, name: &str) -> Option<String> {
    let all = "leave out {} only if all that goes without it is to go";
    removal(tool).map(|removes| format!("{}; {removes}", all.replace("{}", name)))
}

fn removal(tool: &str) -> Option<&'static str> {
    REMOVALS.iter().find(|(removes, _)| *removes == tool).map(|(_, says)| *says)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::{Offer, ToolSpec};

    fn says(tool: &str, name: &str, value: Value) -> String {
        of(tool, name, &value).unwrap_or_else(|| "nothing".to_owned())
    }

    #[test]
    fn a_value_counts_and_not_the_name_alone() {
        for (tool, name, value, hint) in [
            ("rw.write_file", "mode", json!("overwrite"), "to replace a file, pass `expected_prev"),
            ("rw.write_file", "mode", json!("w"), "to replace a file, pass `expected_prev"),
            ("rw.write_file", "mode", json!("append"), "pass `append` true in place of mode"),
            ("rw.safe_write", "overwrite", json!(true), "`mode` overwrite in place of overwrite"),
            ("rw.safe_write", "append", json!("true"), "`mode` append in place of append"),
            ("rw.safe_replace", "replace_all", json!(true), "`count` -1 to replace all"),
            ("rw.edit_file", "count", json!(-1), "`replace_all` true to replace all"),
            ("rw.edit_file", "expected_replacements", json!("all"), "`replace_all` true"),
            ("rw.chunk_compose", "append", json!(true), "adds to none"),
            ("rw.chunk_compose", "mode", json!("append"), "adds to none"),
            ("rw.chunk_compose", "mode", json!("create"), "an empty `expected_prev_sha256`"),
            ("rw.chunk_compose", "overwrite", json!(false), "an empty `expected_prev_sha256`"),
            ("rw.chunk_compose", "dry_run", json!(true), "`rw_chunk_preview` shows"),
            ("rw.safe_write", "dry_run", json!(true), "no tool only shows a change"),
            ("rw.write_file", "classify", json!(true), "classify.default"),
            ("rw.edit_file", "validate", json!(true), "--tools full"),
            ("rw.safe_write", "backup", json!(true), "no old text is kept"),
            ("rw.search_files", "ignore_case", json!(true), "put (?i) at the beginning"),
            ("rw.search_files", "case_sensitive", json!(false), "put (?i) at the beginning"),
            ("rw.search_files", "literal", json!(true), "put a backslash"),
            ("rw.search_files", "regex", json!(false), "put a backslash"),
            ("rw.search_files", "regex", json!("a.*b"), "nothing"),
            ("rr.search_then_page", "ignore_case", json!(true), "`case_sensitive` false"),
            ("rw.safe_replace", "regex", json!(true), "exactly as the file has it"),
            ("rw.list_parts", "delete", json!(3), "no tool removes one part"),
            ("rr.read_bytes", "start_line", json!(3), "counts bytes"),
            ("rw.redact", "only", json!(["github_pat"]), "write `redact`, an array"),
            ("rw.redact", "exclude", json!(["pii_email"]), "list in `redact` the families"),
            ("rw.redact", "lines", json!([3]), "list in `redact` the finding numbers"),
            ("rw.redact", "in_place", json!(true), "as `path` and as `write_to`, and `keep` true"),
            ("rw.redact", "mode", json!("append"), "append the text of the answer"),
            ("rw.redact", "overwrite", json!(true), "as `expected_prev_sha256`"),
            ("rw.redact", "mask", json!("***"), "all marks have one form"),
            ("rw.chunk_write", "redact", json!([1]), "if all secrets of the draft are to go"),
            ("rw.chunk_append", "only", json!(["pii"]), "if all secrets of the draft are to go"),
            ("rw.safe_write", "redact", json!(true), "`classify_reject_at` low"),
            ("rw.redact", "mode", json!("in_place"), "and `keep` true"),
            ("rw.redact", "target_path", json!("a.py"), "`language`"),
            ("rw.redact", "dry_run", json!(true), "nothing is written"),
            ("rw.chunk_append", "content_from", json!({}), "pass `draft_sha256`"),
            ("rw.safe_write", "scan", json!(true), "pass `classify` true"),
        ] {
            let said = says(tool, name, value.clone());
            assert!(said.contains(hint), "{tool} {name} {value}: {said}");
        }
    }

    #[test]
    fn what_says_no_is_only_left_out() {
        for (tool, name, value) in [
            ("rw.write_file", "mode", json!("create")),
            ("rw.safe_write", "overwrite", json!(false)),
            ("rw.safe_write", "append", json!(false)),
            ("rw.safe_replace", "replace_all", json!(false)),
            ("rw.edit_file", "count", json!(1)),
            ("rw.edit_file", "count", json!(2)),
            ("rw.edit_file", "expected_replacements", json!(1)),
            ("rw.write_file", "dry_run", json!(false)),
        ] {
            assert_eq!(says(tool, name, value), format!("leave out {name}"), "{tool}");
        }
    }

    #[test]
    fn a_narrowed_removal_is_told_what_goes() {
        for (tool, name, hint) in [
            ("rw.checkpoint_cleanup", "name", "no tool removes one checkpoint"),
            ("rw.checkpoint_cleanup", "older_than", "all with `ttl` session"),
            ("rw.chunk_reset", "index", "removes all parts of a session"),
            ("rw.chunk_reset", "part", "no tool removes one part"),
            ("rw.scratch_remove", "older_than", "or the entry with the `label`"),
        ] {
            let said = of_any(tool, name).unwrap();
            assert!(said.starts_with(&format!("leave out {name} only if")), "{said}");
            assert!(said.contains(hint) && of(tool, name, &json!(1)).is_none(), "{said}");
        }
        assert_eq!(of_any("rw.safe_write", "name"), None);
    }

    #[test]
    fn a_hint_names_only_what_each_set_with_the_tool_lists() {
        let offers = [
            Offer::Core,
            Offer::Paper { with_read: false },
            Offer::Paper { with_read: true },
            Offer::Full,
            Offer::Read,
        ];
        let known = |tools: &[ToolSpec]| -> Vec<String> {
            let mut known = Vec::new();
            for tool in tools {
                known.push(tool.name.replace('.', "_"));
                let properties = (tool.schema)().input["properties"].clone();
                known.extend(properties.as_object().unwrap().keys().cloned());
            }
            known
        };
        let removals = REMOVALS.iter().map(|(tool, says)| (vec![*tool], *says));
        let aims = AIMS.iter().map(|(_, _, tools, says)| (tools.to_vec(), *says));
        for (tools, says) in aims.chain(removals) {
            for tool in &tools {
                let lists = |offer: &&Offer| offer.lists().iter().any(|it| it.name == *tool);
                assert!(offers.iter().any(|offer| lists(&offer)), "no {tool}");
                for offer in offers.iter().filter(lists) {
                    let known = known(&offer.lists());
                    for word in says.split('`').skip(1).step_by(2) {
                        assert!(known.iter().any(|it| it == word), "{offer:?}: {word} in {says}");
                    }
                }
            }
            assert!(!tools.is_empty() || !says.contains('`'), "{says}");
        }
    }
}
