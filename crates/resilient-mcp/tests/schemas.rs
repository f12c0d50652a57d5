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
use resilient_mcp::seam::Workspace;
use resilient_mcp::{Offer, Server, ToolNames, docs};
use serde_json::{Value, json};

/// The tools as a client gets them, in the order in which it gets them.
fn listed(names: ToolNames) -> Vec<Value> {
    let tools = server(names).listed_tools();
    tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
}

fn server(names: ToolNames) -> Server {
    Server::offering(Workspace::builder("/nowhere").open(), names, Offer::Both)
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
    let server = server(ToolNames::Underscore);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    assert_file(&path, &docs::page(&server.listed_tools()));
}

#[test]
fn the_list_is_cheap() {
    let cost = |offer| {
        let workspace = Workspace::builder("/nowhere").open();
        let tools = Server::offering(workspace, ToolNames::Underscore, offer).listed_tools();
        let bytes: usize = tools
            .iter()
            .map(|tool| {
                let tool = serde_json::to_value(tool).unwrap();
                let counted = json!({
                    "name": tool["name"],
                    "description": tool["description"],
                    "inputSchema": tool["inputSchema"],
                });
                counted.to_string().len()
            })
            .sum();
        println!("{offer:?}: {bytes} bytes, {} tokens", bytes / 4);
        bytes / 4
    };
    // The Python servers' cost 2461, 722 and 3183.
    assert!(cost(Offer::Write) <= 2800);
    assert!(cost(Offer::Read) <= 1100);
    assert!(cost(Offer::Both) <= 3850);
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
    assert_eq!(names.len(), 32);
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

#[test]
fn a_hint_names_only_tools_and_arguments_that_exist() {
    let tools = listed(ToolNames::Underscore);
    let mut known: BTreeSet<&str> = tools.iter().map(name).collect();
    for tool in &tools {
        let properties = tool["inputSchema"]["properties"].as_object();
        known.extend(properties.into_iter().flatten().map(|(name, _)| name.as_str()));
    }
    for error in samples() {
        let hint = hint(&error);
        for word in named(&hint).filter(|word| !word.starts_with("resilient-write ")) {
            assert!(known.contains(word), "{}: no {word} in {hint}", variant(&error));
        }
    }
}
