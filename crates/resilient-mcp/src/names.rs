//! How tools are called: `rw_safe_write` in lists, `rw.safe_write` in the contract.
//!
//! Several clients refuse a dot in a tool name, some of them together with the whole server, so
//! lists use underscores unless asked otherwise. A call may use either.

use std::borrow::Cow;

use resilient_core::near::{LENGTH_MAX, nearest_one};

use crate::deeds::{REMOVE, words};

/// How tool names are spelled in lists and in texts for agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// `rw_safe_write`.
    #[default]
    Underscore,
    /// `rw.safe_write`.
    Dotted,
}

impl ToolNames {
    /// The listed form of a canonical name.
    pub(crate) fn listed(self, canonical: &'static str) -> Cow<'static, str> {
        match self {
            Self::Underscore => Cow::Owned(canonical.replace('.', "_")),
            Self::Dotted => Cow::Borrowed(canonical),
        }
    }

    /// A text that names tools as `rw_…` and `rr_…`, with the names as they are listed.
    pub(crate) fn spell(self, text: &str) -> String {
        match self {
            Self::Underscore => text.to_owned(),
            Self::Dotted => text.replace("rw_", "rw.").replace("rr_", "rr."),
        }
    }
}

/// Whether a name that was called means this canonical name.
pub(crate) fn means(called: &str, canonical: &str) -> bool {
    let plain = |byte| if byte == b'.' { b'_' } else { byte };
    called.len() == canonical.len() && called.bytes().map(plain).eq(canonical.bytes().map(plain))
}

/// Words of other programs for what a tool here does.
const SYNONYMS: [(&str, &str); 12] = [
    ("cat", "read"),
    ("create", "write"),
    ("edit", "replace"),
    ("find", "search"),
    ("glob", "list"),
    ("grep", "search"),
    ("ls", "list"),
    ("open", "read"),
    ("patch", "replace"),
    ("save", "write"),
    ("update", "replace"),
    ("view", "read"),
];

/// Names that tools of other programs often have, without a server's prefix, and the tools here that do their
/// work: the first that is listed is meant.
const MEANT: [(&[&str], &[&str]); 5] = [
    (
        &["read", "read_file", "view", "cat", "open", "open_file"],
        &["rw.read_file", "rr.read_lines"],
    ),
    (
        &["glob", "list", "list_files", "list_directory", "list_dir", "ls"],
        &["rw.list_files", "rr.list_files"],
    ),
    (&["grep", "search", "search_files"], &["rw.search_files", "rr.search_then_page"]),
    (
        &["write", "write_file", "create", "create_file", "save"],
        &["rw.write_file", "rw.safe_write"],
    ),
    (
        &[
            "edit",
            "edit_file",
            "multi_edit",
            "replace",
            "replace_in_file",
            "safe_edit",
            "safe_patch",
            "safe_update",
            "search_replace",
            "search_and_replace",
            "str_replace",
            "str_replace_editor",
            "str_replace_based_edit_tool",
            "update",
            "patch",
            "apply_patch",
        ],
        &["rw.edit_file", "rw.safe_replace"],
    ),
];

/// Whether a name leads to a tool by likeness: to one that removes something only if it is all but its name.
pub(crate) fn may_lead_to(called: &str, tool: &str) -> bool {
    let (called, tool) = (words(called), words(tool));
    let removes = tool.last().is_some_and(|verb| REMOVE.contains(&verb.as_str()));
    let is_misspelt = |word: &str, of: &str| {
        word.len().abs_diff(of.len()) <= 1 && nearest_one(word, [of]).is_some()
    };
    let is_said = |of: &String| called.iter().any(|word| word == of || is_misspelt(word, of));
    !removes || tool.iter().all(is_said)
}

/// The tools that are meant by a name of another program, the best first; nothing if it is none.
pub(crate) fn meant(called: &str) -> Option<&'static [&'static str]> {
    let name = words(called.rsplit("__").next().unwrap_or(called)).join("_");
    MEANT.iter().find(|(theirs, _)| theirs.contains(&name.as_str())).map(|(_, ours)| *ours)
}

/// The listed tools, at most three, that share a word with a name that no tool has.
pub(crate) fn related<'a>(called: &str, listed: &'a [String]) -> Vec<&'a str> {
    if called.len() > LENGTH_MAX {
        return Vec::new();
    }
    let words = words(called);
    let has = |tool: &str, word: &str| tool.split(['_', '.']).any(|part| part == word);
    let found = |word: &str| -> Vec<&'a str> {
        listed.iter().map(String::as_str).filter(|tool| has(tool, word)).collect()
    };
    let of = |word: &str| {
        let meant = SYNONYMS.iter().find(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours);
        let direct = found(word);
        match meant {
            Some(meant) if direct.is_empty() => found(meant),
            _ => direct,
        }
    };
    let misspelt = |word: &str| {
        let parts = listed.iter().flat_map(|tool| tool.split(['_', '.']));
        nearest_one(word, parts.filter(|part| part.len() > 3)).map_or_else(Vec::new, found)
    };
    let mut related: Vec<&str> = words.iter().flat_map(|word| of(word)).collect();
    if related.is_empty() {
        related = words.iter().flat_map(|word| misspelt(word)).collect();
    }
    let mut seen = std::collections::BTreeSet::new();
    related.retain(|tool| seen.insert(*tool) && may_lead_to(called, tool));
    related.truncate(3);
    related
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_another_program_leads_to_the_tool_that_does_the_same() {
        let listed = [
            "rw_safe_write",
            "rw_safe_replace",
            "rw_chunk_write",
            "rr_read_lines",
            "rr_list_files",
        ]
        .map(str::to_owned);
        for (called, tools) in [
            ("Edit", vec!["rw_safe_replace"]),
            ("rw_write", vec!["rw_safe_write", "rw_chunk_write"]),
            ("mcp__rw__ls", vec!["rr_list_files"]),
            ("ReadFile", vec!["rr_read_lines"]),
            ("rw_chnuk", vec!["rw_chunk_write"]),
            ("frobnicate", vec![]),
        ] {
            assert_eq!(related(called, &listed), tools, "{called}");
        }
    }

    #[test]
    fn a_common_name_means_the_tools_that_do_its_work() {
        for (called, first) in [
            ("Read", "rw.read_file"),
            ("mcp__files__read_file", "rw.read_file"),
            ("Glob", "rw.list_files"),
            ("list_files", "rw.list_files"),
            ("Grep", "rw.search_files"),
            ("rw_safe_edit", "rw.edit_file"),
            ("MultiEdit", "rw.edit_file"),
        ] {
            assert_eq!(meant(called).and_then(|tools| tools.first().copied()), Some(first));
        }
        assert_eq!(meant("frobnicate"), None);
    }

    #[test]
    fn likeness_leads_to_a_tool_that_removes_only_from_a_name_that_says_so() {
        assert!(!may_lead_to("rw_chunk_lst", "rw_chunk_reset"));
        assert!(!may_lead_to("rw_scratch_rename", "rw_scratch_remove"));
        assert!(!may_lead_to("rw_scratch_move", "rw_scratch_remove"));
        assert!(!may_lead_to("rw_cleanup_history", "rw_checkpoint_cleanup"));
        assert!(may_lead_to("rw_chunk_rest", "rw_chunk_reset"));
        assert!(may_lead_to("rw_chunk_stats", "rw_chunk_status"));
    }

    #[test]
    fn both_spellings_mean_the_same_tool() {
        assert_eq!(ToolNames::Underscore.listed("rw.safe_write"), "rw_safe_write");
        assert_eq!(ToolNames::Dotted.listed("rw.safe_write"), "rw.safe_write");
        assert_eq!(ToolNames::Dotted.spell("then rw_chunk_compose"), "then rw.chunk_compose");
        assert!(means("rw_safe_write", "rw.safe_write"));
        assert!(means("rw.safe_write", "rw.safe_write"));
        assert!(!means("rw_safe_write2", "rw.safe_write"));
        assert!(!means("safe_write", "rw.safe_write"));
    }
}
