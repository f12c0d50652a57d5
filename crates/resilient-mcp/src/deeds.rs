//! What a name of no tool asks for: a verb and what it is done with, and the tools that do it.
//!
//! Where no tool does it, the table says what does.

/// A tool that does what a name of no tool says, and how it is called for that.
pub(crate) struct Way {
    /// Its canonical name; none where no tool does it.
    pub(crate) tool: Option<&'static str>,
    /// What to say, with tools in the spelling with underscores; empty where the name of the tool says enough.
    pub(crate) how: &'static str,
}

const fn by(tool: &'static str) -> Way {
    Way { tool: Some(tool), how: "" }
}

const fn only(tool: &'static str, how: &'static str) -> Way {
    Way { tool: Some(tool), how }
}

const fn none(how: &'static str) -> Way {
    Way { tool: None, how }
}

/// What is said of the removal of one part of a session.
pub(crate) const ONE_PART: &str = "no tool removes one part: `rw_chunk_write` with an empty `content` empties it, and \
                                   `rw_chunk_reset` removes all parts of a session";
/// The same of a file that is sent in parts.
pub(crate) const ONE_PART_OF_FILE: &str = "no tool removes one part: send it again with `rw_write_part` and an empty \
                                           `content`; part 1 discards all others";
/// What is said of the removal of one checkpoint.
pub(crate) const ONE_CHECKPOINT: &str = "no tool removes one checkpoint: `rw_checkpoint_cleanup` removes all that have expired, and all with `ttl` session \
     unless `include_session` is false";

const LIST: &[&str] = &["info", "list", "ls", "show", "status"];
const READ: &[&str] = &["cat", "get", "load", "open", "read", "restore", "view"];
const SAVE: &[&str] = &["add", "create", "put", "save", "write"];
pub(crate) const REMOVE: &[&str] = &[
    "clean", "cleanup", "clear", "delete", "discard", "drop", "purge", "remove", "reset", "rm",
    "unlink",
];
const UNDO: &[&str] = &["restore", "revert", "rollback", "undo"];

/// What a program that runs commands is called.
const SHELL: &[&str] =
    &["bash", "code", "command", "exec", "execute", "run", "sh", "shell", "terminal"];

/// What is made of parts, and the verbs for that.
const MAKES_FILES: &[&str] = &[
    "chunk", "chunks", "compose", "file", "finalize", "finish", "part", "parts", "publish",
    "session",
];

const PARTS: &[&str] = &["chunk", "chunks", "part", "parts", "session", "sessions"];
const SCRATCH: &[&str] = &["draft", "drafts", "scratch", "scratchpad"];
const CHECKPOINTS: &[&str] = &["checkpoint", "checkpoints"];
const HANDOFFS: &[&str] = &["handoff", "handoffs"];
const JOURNAL: &[&str] = &["history", "journal", "writes"];
const DIRECTORIES: &[&str] = &["dir", "dirs", "directories", "directory", "folder", "folders"];
/// What a verb alone is about.
const FILES: &[&str] = &[
    "change",
    "changes",
    "dir",
    "directory",
    "edit",
    "edits",
    "file",
    "files",
    "folder",
    "last",
    "path",
    "write",
];

/// Verbs, what they are done with, and the ways to do it: the first whose tool is listed. A row with [`FILES`] is
/// also that of the verb alone.
const DEEDS: &[(&[&str], &[&str], &[Way])] = &[
    (LIST, PARTS, &[by("rw.chunk_status"), by("rw.list_parts")]),
    (READ, PARTS, &[by("rw.chunk_preview"), by("rw.list_parts")]),
    (SAVE, PARTS, &[by("rw.chunk_append"), by("rw.write_part")]),
    (
        REMOVE,
        &["chunk", "part"],
        &[only("rw.chunk_reset", ONE_PART), only("rw.write_part", ONE_PART_OF_FILE)],
    ),
    (
        REMOVE,
        PARTS,
        &[
            by("rw.chunk_reset"),
            only(
                "rw.write_part",
                "send part 1 of the file with `rw_write_part`: it discards the parts that are there",
            ),
        ],
    ),
    (
        &["append"],
        &["append", "file", "files", "line", "lines", "safe", "text", "to", "write"],
        &[
            only("rw.write_file", "call `rw_write_file` with `append` true"),
            only("rw.safe_write", "call `rw_safe_write` with `mode` append"),
        ],
    ),
    (LIST, SCRATCH, &[by("rw.scratch_list"), by("rw.scratch_ref")]),
    (READ, SCRATCH, &[by("rw.scratch_get")]),
    (SAVE, SCRATCH, &[by("rw.scratch_put")]),
    (REMOVE, SCRATCH, &[by("rw.scratch_remove")]),
    (LIST, CHECKPOINTS, &[by("rw.checkpoint_list")]),
    (READ, CHECKPOINTS, &[by("rw.checkpoint_read")]),
    (SAVE, CHECKPOINTS, &[by("rw.checkpoint")]),
    (REMOVE, CHECKPOINTS, &[only("rw.checkpoint_cleanup", ONE_CHECKPOINT)]),
    (
        &["compose", "finalize", "finish", "publish"],
        MAKES_FILES,
        &[
            by("rw.chunk_compose"),
            only(
                "rw.write_part",
                "send the last part with `rw_write_part` and `last` true, which makes the file of all parts",
            ),
        ],
    ),
    (LIST, HANDOFFS, &[by("rw.handoff_read")]),
    (READ, HANDOFFS, &[by("rw.handoff_read")]),
    (SAVE, HANDOFFS, &[by("rw.handoff_write")]),
    (LIST, JOURNAL, &[by("rw.journal_tail"), by("rw.history")]),
    (READ, JOURNAL, &[by("rw.journal_tail"), by("rw.history")]),
    (&["state", "status"], &["state", "status"], &[by("rw.journal_tail"), by("rw.history")]),
    (
        &["help"],
        &["help", "tools"],
        &[none(
            "read the descriptions of the tools that this server lists: no tool here explains them",
        )],
    ),
    (SHELL, SHELL, &[none("do it in the shell of your own program: no tool here runs commands")]),
    (
        UNDO,
        FILES,
        &[none(
            "take the older text from git, or write it again: no tool here takes a write back, and no old text is kept",
        )],
    ),
    (
        &["begin", "transaction"],
        &["begin", "change", "start", "transaction", "write"],
        &[none(
            "make the calls one by one: each write is whole or not made, and no tool joins several",
        )],
    ),
    (&["mkdir", "makedirs"], FILES, MAKES_DIRECTORIES),
    (&["add", "create", "make", "new"], DIRECTORIES, MAKES_DIRECTORIES),
    (
        &["copy", "cp", "delete", "move", "mv", "remove", "rename", "rm", "unlink"],
        FILES,
        &[none("do it in the shell: no tool here deletes, renames or copies files")],
    ),
    (
        &["chmod", "chown", "diff"],
        FILES,
        &[none("do it in the shell: no tool here compares files or changes who may use them")],
    ),
];

const MAKES_DIRECTORIES: &[Way] =
    &[none("write the first file in it: a write makes the directories that its path needs")];

/// The ways to do what a name says by its first or last word; nothing if that is no known verb.
pub(crate) fn ways(called: &str) -> Option<&'static [Way]> {
    let words = words(called.rsplit("__").next().unwrap_or(called));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let splits = [words.split_last(), words.split_first()];
    DEEDS.iter().find_map(|(verbs, things, ways)| {
        let is_it = splits.into_iter().flatten().any(|(verb, rest)| {
            let fits = match rest.is_empty() {
                true => *things == FILES || things.contains(verb),
                false if *things == FILES => rest.iter().all(|word| things.contains(word)),
                false => rest.iter().any(|word| things.contains(word)),
            };
            verbs.contains(verb) && fits
        });
        is_it.then_some(*ways)
    })
}

/// The words of a name in small letters, without the prefix of a server: `mcp__rw_readFile` has `read` and `file`.
pub(crate) fn words(name: &str) -> Vec<String> {
    const PREFIXES: [&str; 3] = ["mcp", "rr", "rw"];
    let mut words = vec![String::new()];
    for char in name.chars() {
        if !char.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        if char.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(char.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty() && !PREFIXES.contains(&word.as_str()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_of_the_table_leads_to_a_tool_that_there_is() {
        let tools = [crate::tools::Offer::Full, crate::tools::Offer::Core];
        let tools: Vec<_> =
            tools.iter().flat_map(|offer| offer.lists()).map(|tool| tool.name).collect();
        for way in DEEDS.iter().flat_map(|(_, _, ways)| *ways) {
            assert!(way.tool.is_none_or(|tool| tools.contains(&tool)), "{:?}", way.tool);
            assert!(way.tool.is_some() || !way.how.is_empty());
        }
        for name in ["frobnicate", "rw_redact", "rw_status_page", "read_file", ""] {
            assert!(ways(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_name_for_the_whole_server_is_told_what_there_is() {
        for (name, tool) in [
            ("rw_status", Some("rw.journal_tail")),
            ("rw_publish", Some("rw.chunk_compose")),
            ("finish_file", Some("rw.chunk_compose")),
            ("rw_help", None),
            ("bash", None),
            ("Run", None),
            ("mcp__rw__run_command", None),
        ] {
            assert_eq!(ways(name).unwrap()[0].tool, tool, "{name}");
        }
        assert_eq!(ways("rw_chunk_status").unwrap()[0].tool, Some("rw.chunk_status"));
    }
}
