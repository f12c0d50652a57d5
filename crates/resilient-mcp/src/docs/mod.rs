//! The page `docs/tools.md`, made from the tools as they are listed.

mod arguments;

use std::fmt::Write as _;

use rmcp::model::Tool;
use serde_json::Value;

/// The page for these tools, each with the sets that list it.
pub fn page(tools: &[(Tool, String)]) -> String {
    let mut page = String::from(
        "# Tools\n\n\
         This page lists every tool with its arguments. [tool-sets.md](tool-sets.md) says which tools a server\n\
         lists. A tool may also be called with a dot: `rw.safe_write` is `rw_safe_write`.\n\n\
         A test makes this page from the schemas: `UPDATE_SNAPSHOTS=1 cargo test -p resilient-mcp --test schemas`.\n",
    );
    for (tool, sets) in tools {
        section(&mut page, tool, sets);
    }
    page
}

fn section(page: &mut String, tool: &Tool, sets: &str) {
    let title = tool.title.as_deref().unwrap_or_default();
    let description = tool.description.as_deref().unwrap_or_default();
    // Writing to a `String` cannot fail.
    let _ = writeln!(page, "\n## {}\n\n{title}. {description}\n", tool.name);
    let effect = effect(tool).unwrap_or_default();
    let _ = writeln!(page, "{effect} Listed by: {sets}.\n");
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|all| !all.is_empty()) else {
        page.push_str("No arguments.\n");
        return;
    };
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    page.push_str("| argument | type | default | |\n|---|---|---|---|\n");
    for (name, property) in properties {
        let is_required = required.is_some_and(|all| all.iter().any(|it| it == name.as_str()));
        let default = match property.get("default") {
            Some(value) => format!("`{value}`"),
            None if is_required => "required".to_owned(),
            None => String::new(),
        };
        let text = property.get("description").and_then(Value::as_str);
        let text = text.or_else(|| arguments::meaning(&tool.name, name)).unwrap_or_default();
        let text = text.replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {} | {default} | {text} |", type_of(property));
    }
}

fn effect(tool: &Tool) -> Option<&'static str> {
    let hints = tool.annotations.as_ref()?;
    Some(match (hints.read_only_hint?, hints.destructive_hint?, hints.idempotent_hint?) {
        (true, _, _) => "Changes nothing.",
        (false, false, _) => "Only adds; repeating the call adds again.",
        (false, true, true) => "May replace or remove; repeating the call changes nothing more.",
        (false, true, false) => "May replace; repeating the call may change more.",
    })
}

fn type_of(property: &Value) -> String {
    if let Some(words) = property.get("enum").and_then(Value::as_array) {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
        return format!("`{}`", words.join("`, `"));
    }
    let name = property.get("type").and_then(Value::as_str).unwrap_or("any JSON value");
    match (property.get("minimum"), property.get("maximum")) {
        (Some(least), Some(most)) => format!("{name} {least}…{most}"),
        (Some(least), None) => format!("{name} ≥ {least}"),
        _ => name.to_owned(),
    }
}
