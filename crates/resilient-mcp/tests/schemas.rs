//! What clients are shown of the tools: snapshots of the list, its rules, its price and its page.
//!
//! `UPDATE_SNAPSHOTS=1` rewrites the snapshots and `docs/tools.md`.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "snapshots live in files beside this one, and a test fails by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use resilient_core::hint::hint;
use resilient_core::hint::samples::{samples, variant};
use resilient_mcp::hints::in_listed_words;
use resilient_mcp::seam::Workspace;
use resilient_mcp::tools::core;
use resilient_mcp::{Offer, Server, ToolNames, docs};
use rmcp::ServerHandler as _;
use serde_json::{Value, json};

const PAPER: [&str; 21] = [
    "rw_safe_write",
    "rw_safe_replace",
    "rw_chunk_write",
    "rw_chunk_append",
    "rw_chunk_compose",
    "rw_chunk_preview",
    "rw_chunk_status",
    "rw_chunk_reset",
    "rw_scratch_put",
    "rw_scratch_ref",
    "rw_scratch_get",
    "rw_checkpoint",
    "rw_checkpoint_read",
    "rw_checkpoint_list",
    "rw_checkpoint_cleanup",
    "rw_handoff_write",
    "rw_handoff_read",
    "rw_risk_score",
    "rw_validate",
    "rw_journal_tail",
    "rw_analytics",
];

const READ: [&str; 7] = [
    "rr_stat",
    "rr_read_bytes",
    "rr_read_lines",
    "rr_read_tail",
    "rr_search_then_page",
    "rr_make_cursor",
    "rr_read_next",
];

/// What the Python servers have no tool for.
const ADDED: [&str; 4] = ["rw_scratch_list", "rw_scratch_remove", "rw_redact", "rr_list_files"];

const CORE: [&str; 8] = [
    "rw_read_file",
    "rw_write_file",
    "rw_edit_file",
    "rw_write_part",
    "rw_list_parts",
    "rw_list_files",
    "rw_search_files",
    "rw_history",
];

const OFFERS: [Offer; 5] = [
    Offer::Core,
    Offer::Paper { with_read: false },
    Offer::Paper { with_read: true },
    Offer::Full,
    Offer::Read,
];

/// The tools that a server lists, as a client gets them and in the order in which it gets them.
fn offered(offer: Offer, names: ToolNames) -> Vec<Value> {
    let tools = server(offer, names).listed_tools();
    tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
}

/// All tools that there are.
fn listed(names: ToolNames) -> Vec<Value> {
    [offered(Offer::Core, names), offered(Offer::Full, names)].concat()
}

fn server(offer: Offer, names: ToolNames) -> Server {
    Server::offering(Workspace::builder("/nowhere").open(), names, offer)
}

fn names_of(tools: &[Value]) -> BTreeSet<&str> {
    tools.iter().map(name).collect()
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap()
}

fn assert_file(path: &Path, expected: &str) {
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, expected).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(found, expected, "{} is stale; set UPDATE_SNAPSHOTS=1", path.display());
}

fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

#[test]
fn each_tool_looks_as_it_was_reviewed() {
    for tool in listed(ToolNames::Underscore) {
        let path = snapshots().join(format!("{}.json", name(&tool)));
        assert_file(&path, &format!("{tool:#}\n"));
    }
}

#[test]
fn no_snapshot_is_left_of_a_tool_that_is_gone() {
    let tools = listed(ToolNames::Underscore);
    for entry in fs::read_dir(snapshots()).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(tools.iter().any(|tool| name(tool) == stem), "{}", path.display());
    }
}

#[test]
fn the_page_of_tools_is_fresh() {
    let sets = |name: &str| {
        let lists = |offer| {
            let tools = offered(offer, ToolNames::Underscore);
            names_of(&tools).contains(name)
        };
        let sets = [
            (lists(Offer::Core), "`core`"),
            (lists(Offer::default()), "`paper`"),
            (
                lists(Offer::Paper { with_read: true }) && !lists(Offer::default()),
                "`paper` with `--with-read`",
            ),
            (lists(Offer::Full), "`full`"),
            (lists(Offer::Read), "`resilient-read`"),
        ];
        sets.iter().filter(|set| set.0).map(|set| set.1).collect::<Vec<_>>().join(", ")
    };
    let of = |offer| server(offer, ToolNames::Underscore).listed_tools();
    let tools = [of(Offer::Core), of(Offer::Full)].concat();
    let tools: Vec<_> = tools.into_iter().map(|tool| (tool.clone(), sets(&tool.name))).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    assert_file(&path, &docs::page(&tools));
}

#[test]
fn each_set_lists_what_it_is_to_list() {
    let lists = |offer, expected: &[&[&str]]| {
        let tools = offered(offer, ToolNames::Underscore);
        assert_eq!(names_of(&tools), expected.concat().into_iter().collect(), "{offer:?}");
        assert_eq!(tools.len(), expected.concat().len(), "{offer:?}");
    };
    lists(Offer::Core, &[&CORE]);
    lists(Offer::default(), &[&PAPER]);
    lists(Offer::Paper { with_read: true }, &[&PAPER, &READ]);
    lists(Offer::Full, &[&PAPER, &READ, &ADDED]);
    lists(Offer::Read, &[&READ, &["rr_list_files"]]);
}

/// About how many tokens a tool costs a client that lists it: a quarter of the bytes of its name, description
/// and schema as compact JSON. Models' tokenizers come near that, from both sides.
fn bytes_of(tool: &Value) -> usize {
    let counted = json!({
        "name": tool["name"],
        "description": tool["description"],
        "inputSchema": tool["inputSchema"],
    });
    counted.to_string().len()
}

#[test]
fn the_list_is_cheap() {
    let cost = |offer| {
        let tools = offered(offer, ToolNames::Underscore);
        for tool in &tools {
            println!("{offer:?}: {} {} tokens", name(tool), bytes_of(tool) / 4);
        }
        let bytes: usize = tools.iter().map(bytes_of).sum();
        println!("{offer:?}: {} tools, {bytes} bytes, {} tokens", tools.len(), bytes / 4);
        bytes / 4
    };
    assert!(cost(Offer::Core) <= 1000);
    // The Python servers' cost 2461, 3183 together, and 722.
    assert!(cost(Offer::default()) <= 2500);
    assert!(cost(Offer::Paper { with_read: true }) <= 3300);
    assert!(cost(Offer::Full) <= 4000);
    assert!(cost(Offer::Read) <= 1100);
}

#[test]
fn what_is_told_to_an_agent_names_only_what_is_listed() {
    let words = |text: &str| {
        let is_word = |char: char| char == '_' || char.is_ascii_lowercase();
        let words = text.split(|char| !is_word(char));
        let words = words.filter(|word| word.starts_with("rw_") || word.starts_with("rr_"));
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    for offer in OFFERS {
        let tools = offered(offer, ToolNames::Underscore);
        let listed = names_of(&tools);
        let instructions = server(offer, ToolNames::Underscore).get_info().instructions.unwrap();
        // Some clients cut what is longer.
        assert!(instructions.len() <= 2048, "{offer:?}: {}", instructions.len());
        assert!(!words(&instructions).is_empty(), "{offer:?}");
        for text in tools.iter().map(Value::to_string).chain([instructions]) {
            for word in words(&text) {
                assert!(listed.contains(word.as_str()), "{offer:?}: {word} in {text}");
            }
        }
    }
}

#[test]
fn every_schema_is_one_that_every_client_accepts() {
    for names in [ToolNames::Underscore, ToolNames::Dotted] {
        for tool in listed(names) {
            let schema = &tool["inputSchema"];
            assert_eq!(schema["type"], "object", "{tool}");
            assert_eq!(schema["additionalProperties"], false, "{tool}");
            assert!(schema["properties"].is_object(), "{tool}");
            assert!(tool.get("outputSchema").is_none(), "{tool}");
            assert!(schema.to_string().len() < 5000, "{tool}");
            let text = schema.to_string();
            for keyword in
                ["$schema", "$ref", "$defs", "format", "title", "anyOf", "oneOf", "allOf", "null"]
            {
                let quoted = format!("\"{keyword}\":");
                let is_property = schema["properties"].get(keyword).is_some();
                assert!(is_property || !text.contains(&quoted), "{keyword} in {tool}");
            }
            assert!(!text.contains("\"null\""), "{tool}");
            assert!(!text.contains('\n'), "{tool}");
        }
    }
}

#[test]
fn every_tool_has_a_sound_name_a_title_a_description_and_all_hints() {
    let tools = listed(ToolNames::Underscore);
    for tool in &tools {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        assert!(name(tool).bytes().all(plain) && name(tool).len() <= 24, "{tool}");
        assert!(tool["title"].as_str().unwrap().len() >= 10, "{tool}");
        assert!(tool["description"].as_str().unwrap().len() >= 10, "{tool}");
        let hints = tool["annotations"].as_object().unwrap();
        assert_eq!(hints.len(), 4, "{tool}");
        assert_eq!(hints["openWorldHint"], false, "{tool}");
        let changes = hints["destructiveHint"] == true;
        assert!(!(changes && hints["readOnlyHint"] == true), "{tool}");
    }
    let mut names: Vec<_> = tools.iter().map(name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CORE.len() + PAPER.len() + READ.len() + ADDED.len());
}

#[test]
fn dotted_names_are_used_everywhere_when_asked_for() {
    for tool in listed(ToolNames::Dotted) {
        assert!(name(&tool).starts_with("rw.") || name(&tool).starts_with("rr."), "{tool}");
        assert!(!tool.to_string().contains("rw_") && !tool.to_string().contains("rr_"), "{tool}");
    }
}

/// The words in backticks.
fn named(hint: &str) -> impl Iterator<Item = &str> {
    hint.split('`').skip(1).step_by(2)
}

/// Errors of tools that are not in `core`.
const NOT_IN_CORE: [&str; 33] = [
    "Invalid",
    "CountZero",
    "InsufficientMatches",
    "WriteEncoding",
    "SessionName",
    "TotalExpected",
    "BadBase64",
    "UnsupportedEncoding",
    "NoReference",
    "BadDigest",
    "ScratchNotFound",
    "ScratchRemoved",
    "ScratchDrift",
    "ScratchNotUtf8",
    "HandoffFields",
    "HandoffStatus",
    "HandoffNotAList",
    "HandoffState",
    "FrontMatter",
    "CheckpointName",
    "CheckpointFormat",
    "CheckpointTtl",
    "CheckpointNotFound",
    "CheckpointCorrupt",
    "RedactionBreaks",
    "RedactionTooLarge",
    "Unredactable",
    "ReadEncoding",
    "Undecodable",
    "CursorLost",
    "CursorDecode",
    "CursorStale",
    "BadArgument",
];

/// Errors of tools that read.
const OF_READS: [&str; 7] = [
    "ReadRange",
    "ReadEncoding",
    "Undecodable",
    "Binary",
    "CursorLost",
    "CursorDecode",
    "CursorStale",
];

#[test]
fn a_hint_names_only_tools_and_arguments_that_are_listed() {
    for offer in OFFERS.into_iter().filter(|offer| *offer != Offer::Read) {
        let tools = offered(offer, ToolNames::Underscore);
        let mut known = names_of(&tools);
        for tool in &tools {
            let properties = tool["inputSchema"]["properties"].as_object();
            for (name, property) in properties.into_iter().flatten() {
                let inner = property["properties"].as_object().into_iter().flatten();
                known.extend(inner.map(|(name, _)| name.as_str()).chain([name.as_str()]));
            }
        }
        for error in samples() {
            let skipped: &[&str] = match offer {
                Offer::Core => &NOT_IN_CORE,
                Offer::Paper { with_read: false } => &OF_READS,
                _ => &[],
            };
            if skipped.contains(&variant(&error)) {
                continue;
            }
            let hint = match offer {
                Offer::Core => core::hint_of(&error),
                _ => hint(&error),
            };
            let hint = in_listed_words(&hint, |tool| known.contains(tool));
            assert!(
                !hint.ends_with('.')
                    && !hint.replace("...", "").contains(". ")
                    && hint.matches('`').count() % 2 == 0,
                "{hint}"
            );
            for word in named(&hint).filter(|word| !word.starts_with("resilient-write ")) {
                assert!(
                    known.contains(word),
                    "{offer:?}, {}: no {word} in {hint}",
                    variant(&error)
                );
            }
        }
    }
}

/// Whether a code span of the page names a reason. What varies stands there as `…`.
fn names_reason(span: &str, reason: &str) -> bool {
    match span.split_once('…') {
        Some((front, _)) => reason.starts_with(front),
        None => span == reason,
    }
}

/// Errors whose reason is what another program says.
const IN_OTHER_WORDS: [&str; 3] = ["BadManifest", "FrontMatter", "CheckpointCorrupt"];

#[test]
fn the_page_of_errors_has_every_reason_with_its_kinds() {
    let page = include_str!("../../../docs/errors.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|row| row.split(" | ").collect())
        .collect();
    let mut missing = Vec::new();
    for error in samples() {
        let envelope = serde_json::to_value(resilient_core::Envelope::from(&error)).unwrap();
        let Some(reason) = envelope["context"]["reason"].as_str() else { continue };
        if IN_OTHER_WORDS.contains(&variant(&error)) {
            continue;
        }
        let kinds =
            ["error", "reason_hint", "suggested_action"].map(|key| envelope[key].as_str().unwrap());
        let is_here = |row: &&Vec<&str>| {
            let mut spans = row[0].split('`').skip(1).step_by(2);
            spans.any(|span| names_reason(span, reason))
        };
        // Of a read the kinds tell what it is.
        let is_of_reads = |row: &&Vec<&str>| row[0] == format!("| {}", kinds.join(" / "));
        let has_kinds = |row: &Vec<&str>| kinds.iter().all(|kind| row[1].contains(kind));
        let of_reason: Vec<_> = rows.iter().filter(is_here).collect();
        if !of_reason.iter().any(|row| has_kinds(row)) && !rows.iter().any(|row| is_of_reads(&row))
        {
            missing.push(format!("{}: {reason}: {kinds:?}, and {of_reason:?}", variant(&error)));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// What the sources of this crate give as a reason, beside the errors of the library.
fn reasons_of_the_server(dir: &Path, reasons: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            reasons_of_the_server(&path, reasons);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap();
        for front in ["unfit(", "with(\"reason\","] {
            for rest in code.split(front).skip(1) {
                let reason = rest.trim_start().strip_prefix('"');
                reasons.extend(reason.and_then(|it| it.split('"').next()).map(str::to_owned));
            }
        }
    }
}

#[test]
fn the_page_of_errors_has_every_reason_that_the_server_gives_itself() {
    let page = include_str!("../../../docs/errors.md");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let firsts: Vec<&str> = rows.filter_map(|row| row.split(" | ").next()).collect();
    let mut reasons = Vec::new();
    reasons_of_the_server(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut reasons);
    assert!(reasons.len() > 3, "{reasons:?}");
    reasons.push("limit_must_be_at_least_1".to_owned());
    reasons.retain(|reason| {
        let mut spans = firsts.iter().flat_map(|first| first.split('`').skip(1).step_by(2));
        !spans.any(|span| names_reason(span, reason))
    });
    assert_eq!(reasons, [""; 0]);
}

#[test]
fn for_each_tool_of_other_sets_there_is_one_that_does_its_work() {
    for (theirs, ours) in core::INSTEAD {
        assert!(CORE.contains(ours), "{ours}");
        assert!([&PAPER[..], &READ, &ADDED].concat().contains(theirs), "{theirs}");
    }
}
