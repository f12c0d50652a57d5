//! The commands of the documents: each runs, in the order of its page, and prints what the page shows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::sandbox::{BINARY, Sandbox};

/// What the examples of the pages find in their workspace.
const FILES: [(&str, &str); 8] = [
    ("new.md", "The port is 443.\n"),
    ("part1.txt", "Chapter 1\n"),
    ("part2.txt", "Chapter 2\n"),
    ("server.log", "started\n"),
    ("config.json", "{\"port\": 80}\n"),
    ("new.py", "PORT = 80\n"),
    ("config.py", "PORT = 443\n"),
    (
        "handoff.json",
        r#"{"task_id": "t", "status": "partial", "summary": "s", "next_steps": [], "agent": "a", "last_good_state": []}"#,
    ),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages that a user reads, with their text.
fn pages() -> Vec<(String, String)> {
    let root = repository();
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    let mut paths: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "md"));
    paths.sort();
    paths.insert(0, root.join("README.md"));
    let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The blocks of a page in one language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect()
}

/// A command of a block, and the lines that are shown below it.
#[derive(Debug, Default)]
struct Step {
    command: String,
    shown: Vec<String>,
}

/// A command goes on behind a backslash and within quotes.
fn steps(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), ..Step::default() });
            continue;
        }
        let step = steps.last_mut().unwrap();
        let is_open = step.command.ends_with('\\') || step.command.matches('\'').count() % 2 == 1;
        if is_open {
            step.command = format!("{}\n{line}", step.command);
        } else {
            step.shown.push(line.to_owned());
        }
    }
    steps
}

/// Whether a command shows nothing by itself: help, and a server, which has no end.
fn is_no_example(command: &str) -> bool {
    command.contains("--help") || command.contains("--transport")
}

/// Whether a line is as it is shown: `…` stands for any text.
fn is_as_shown(line: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let mut at = first.len();
    line.starts_with(first)
        && parts[1..].iter().all(|part| {
            let found = line.get(at..).and_then(|rest| rest.find(part));
            found.inspect(|found| at += found + part.len()).is_some()
        })
        && line.ends_with(last)
}

/// Whether what is shown stands in the output in this order; a line of `…` alone stands for any lines.
fn assert_shown(page: &str, step: &Step, output: &str) {
    let mut lines = output.lines();
    for shown in step.shown.iter().filter(|shown| shown.trim() != "…") {
        let found = lines.any(|line| is_as_shown(line, shown));
        assert!(found, "{page}: `{}` does not print `{shown}` there, but:\n{output}", step.command);
    }
}

#[test]
fn the_commands_of_the_documents_run_and_print_what_is_shown() {
    let mut ran = BTreeMap::new();
    for (page, text) in pages() {
        let sandbox = Sandbox::new();
        for (path, content) in FILES {
            sandbox.put(path, content);
        }
        for step in blocks(&text, "console").into_iter().flat_map(steps) {
            if !step.command.starts_with("resilient-write ") || is_no_example(&step.command) {
                continue;
            }
            let root = sandbox.root().display().to_string();
            let command = step.command.replace("/path/to/project", &root).replace("\\\n", " ");
            let command = command.replace("SHA256", "\"$(sha256sum notes.md | cut -c1-64)\"");
            let directory = Path::new(BINARY).parent().unwrap().display().to_string();
            let path = format!("{directory}:{}", std::env::var("PATH").unwrap());
            let mut shell = sandbox.command("sh", &sandbox.root());
            shell.args(["-c", &command]).env("PATH", path).stdin(std::process::Stdio::null());
            let output = shell.output().unwrap();
            let all = [output.stdout, output.stderr].concat();
            let all = String::from_utf8(all).unwrap();
            let fails = step.shown.iter().any(|line| line.starts_with("resilient-write: "));
            assert_eq!(output.status.success(), !fails, "{page}: `{}`: {all}", step.command);
            assert_shown(&page, &step, &all);
            *ran.entry(page.clone()).or_insert(0) += 1;
        }
    }
    assert!(ran.contains_key("README.md") && ran.contains_key("docs/cli.md"), "{ran:?}");
}

#[test]
fn what_the_documents_tell_to_build_and_run_is_there() {
    let root = repository();
    let mut seen = 0;
    for (page, text) in pages() {
        for step in blocks(&text, "console").into_iter().flat_map(steps) {
            let words: Vec<&str> = step.command.split_whitespace().collect();
            let what = format!("{page}: `{}`", step.command);
            let program = words[0].trim_start_matches("target/release/");
            match program {
                "resilient-write" | "cd" | "mkdir" | "export" | "git" | "claude" => {}
                "cargo" => {
                    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == "-p") {
                        assert!(root.join("crates").join(words[at + 1]).is_dir(), "{what}");
                    }
                }
                "resilient-bench" | "rab" => {}
                script => assert!(root.join(script).is_file(), "{what}"),
            }
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn the_examples_of_data_in_the_documents_are_valid() {
    let mut seen = 0;
    for (page, text) in pages() {
        for language in ["json", "toml", "yaml"] {
            for block in blocks(&text, language) {
                let ran = Sandbox::new().run_with(&["validate", "-", "--format", language], block);
                assert_eq!(ran.code, 0, "{page}: {ran:?} of\n{block}");
                seen += 1;
            }
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_link_of_a_document_leads_to_a_file_that_is_there() {
    let root = repository();
    let mut seen = 0;
    for (page, text) in pages() {
        let dir = root.join(&page).parent().unwrap().to_path_buf();
        for target in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            assert!(dir.join(file).exists(), "{page}: {target}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}
