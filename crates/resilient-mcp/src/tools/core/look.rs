//! What there is: files, lines that match, and the last writes.

use resilient_core::journal;
use resilient_core::read::{self, ListRequest, SearchRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TOKENS_MAX, answer, at_least_one, told};
use crate::seam::{Answer, Workspace};
use crate::tools::{Effect, Tool};

/// List files below a directory with their size, without ignored ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFiles {
    /// Directory, default .
    #[serde(default = "here")]
    pub path: String,
    /// Like *.rs or src/**/*.rs
    pub glob: Option<String>,
    /// Last next_from_path.
    pub from_path: Option<String>,
}

impl Tool for ListFiles {
    const NAME: &'static str = "rw.list_files";
    const TITLE: &'static str = "List files";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let listing = workspace.reader().list(&ListRequest {
            glob: self.glob,
            from_path: self.from_path,
            max_tokens: Some(TOKENS_MAX),
            // What a search finds is listed, too.
            hidden: true,
            ..ListRequest::of(self.path)
        });
        answer(listing.map(|listing| {
            let files: Vec<Value> = listing
                .files
                .into_iter()
                .map(|file| {
                    told([
                        ("path", Some(json!(file.path))),
                        ("size", file.size.map(Value::from)),
                        ("is", file.is.map(Value::from)),
                        ("not_utf8", file.not_utf8.then_some(Value::Bool(true))),
                    ])
                })
                .collect();
            told([
                ("path", Some(json!(listing.path))),
                ("files", Some(json!(files))),
                ("has_more", Some(json!(listing.has_more))),
                ("next_from_path", listing.next_from_path.map(Value::from)),
                ("truncated", listing.truncated.then_some(Value::Bool(true))),
                ("warning", listing.warning.map(Value::from)),
            ])
        }))
    }
}

/// Search files for a regular expression, like grep. Returns path, line number and text of matches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchFiles {
    /// Regular expression.
    pub pattern: String,
    /// File or directory, default .
    #[serde(default = "here")]
    pub path: String,
    /// Only names like *.rs
    pub glob: Option<String>,
    /// Last next_from_path.
    pub from_path: Option<String>,
    /// Last next_from_line.
    pub from_line: Option<i64>,
}

impl SearchFiles {
    fn search(self, workspace: &Workspace) -> resilient_core::Result<read::Found> {
        const MATCHES: i64 = 50;
        let in_file = self.glob.is_none();
        let below = SearchRequest {
            regex: true,
            case_sensitive: true,
            from_line: self.from_line.unwrap_or(1),
            from_path: self.from_path,
            context_before: 0,
            context_after: 0,
            max_matches: MATCHES,
            max_tokens: Some(TOKENS_MAX),
            glob: Some(self.glob.unwrap_or_else(|| "*".to_owned())),
            gitignore: true,
            ..SearchRequest::of(self.path, self.pattern)
        };
        // What is no directory is a file.
        let is_file = in_file
            && below.from_path.is_none()
            && workspace
                .reader()
                .stat(&read::StatRequest { path: below.path.clone(), digest: Some(false) })
                .is_ok();
        let request = if is_file { SearchRequest { glob: None, ..below } } else { below };
        workspace.reader().search(&request)
    }
}

impl Tool for SearchFiles {
    const NAME: &'static str = "rw.search_files";
    const TITLE: &'static str = "Search files";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let path = self.path.clone();
        answer(self.search(workspace).map(|found| {
            let is_one = found.files_searched.is_none();
            let matches: Vec<Value> = found
                .matches
                .into_iter()
                .map(|hit| {
                    let text = hit.excerpt.split_once('|').map_or("", |(_, text)| text);
                    json!({
                        "path": hit.path.as_ref().unwrap_or(&path), "line": hit.match_line, "text": text,
                    })
                })
                .collect();
            told([
                ("matches", Some(json!(matches))),
                ("has_more", Some(json!(found.has_more))),
                ("next_from_path", found.next_from_path.map(Value::from)),
                ("next_from_line", found.has_more.then(|| json!(found.next_from_line))),
                ("files_searched", (!is_one).then(|| json!(found.files_searched))),
                (
                    "skipped",
                    Some(json!(found.skipped)).filter(|skipped| skipped != &json!([])),
                ),
                ("truncated", found.truncated.then_some(Value::Bool(true))),
                ("warning", found.warning.map(Value::from)),
            ])
        }))
    }
}

/// List the last writes: path, sha256, size, time, client.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// Only this file.
    pub path: Option<String>,
    /// How many, default 20.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1))]
    pub limit: i64,
}

impl Tool for History {
    const NAME: &'static str = "rw.history";
    const TITLE: &'static str = "List the last writes";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let n = usize::try_from(at_least_one(self.limit)?).unwrap_or(usize::MAX);
        let without_parts = self.path.is_none();
        let filter =
            journal::Filter { path: self.path, without_parts, ..journal::Filter::default() };
        answer(workspace.journal_tail(n, &filter))
    }
}

fn twenty() -> i64 {
    20
}

fn here() -> String {
    ".".to_owned()
}
