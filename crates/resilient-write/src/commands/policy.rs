//! `policy`: whether a policy file can be used, and what is in force.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use resilient_core::digest::Digest;
use resilient_core::form::FormSource;
use resilient_core::policy::{Doubt, HardLinks, Policy as Rules, ReadOnly};
use resilient_core::risk::Placeholders;
use resilient_core::{Error, Workspace};
use serde::Serialize;
use serde_json::{Value, json};

use super::input;
use crate::output::Output;

/// What to do with it.
#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Say whether a policy file can be used, and where it cannot: exit status 6 then
    Check {
        /// The file; the one in force by default
        file: Option<PathBuf>,
    },
    /// Print all keys with the values in force
    Show,
}

impl Policy {
    /// The file to look at in place of the one in force.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Check { file } => file.as_ref(),
            Self::Show => None,
        }
    }

    /// Checks or shows the policy of a workspace.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let path = workspace.policy_path().to_string_lossy().into_owned();
        match self {
            Self::Check { file } => {
                let found = workspace.policy().map_err(|error| match (error, file) {
                    // Here the command line names the file, and not the variable.
                    (Error::PolicyNotFound { .. }, Some(file)) => Error::NotFound {
                        path: file.to_string_lossy().into_owned(),
                        near: Vec::new(),
                    },
                    (error, _) => error,
                });
                let found = found.map(|rules| Checked {
                    exists: workspace.policy_path().is_file(),
                    warnings: warnings(&rules.doubts(), workspace.policy_path()),
                    path,
                });
                output.answer("policy_check", found, told_check)
            }
            Self::Show => {
                let found = workspace.policy();
                let found = found.map(|rules| json!({"path": path, "policy": values(&rules)}));
                output.answer("policy_show", found, |found| told(found.get("policy")))
            }
        }
    }
}

/// A policy that can be used.
#[derive(Serialize)]
struct Checked {
    path: String,
    /// Whether there is a file; the built-in policy holds otherwise.
    exists: bool,
    /// What can be used and is hardly meant.
    warnings: Vec<Warning>,
}

/// What a policy hardly means, and where it says so.
#[derive(Serialize)]
struct Warning {
    message: String,
    line: Option<u64>,
    column: Option<u64>,
}

fn warnings(doubts: &[Doubt], path: &Path) -> Vec<Warning> {
    let text = input::bytes(&path.to_string_lossy()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let warning = |doubt: &Doubt| {
        let place = doubt.place(&text);
        let (line, column) = (place.map(|place| place.line), place.map(|place| place.column));
        Warning { message: doubt.message.clone(), line, column }
    };
    doubts.iter().map(warning).collect()
}

fn told_check(found: &Checked) -> String {
    let Checked { path, exists, warnings } = found;
    if !exists {
        return format!("{path} is not there: the built-in policy holds\n");
    }
    let told = |warning: &Warning| {
        let place = warning.line.zip(warning.column);
        let place = place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        format!("{path}{place}: warning: {}\n", warning.message)
    };
    let mut text: String = warnings.iter().map(told).collect();
    if warnings.is_empty() {
        text = format!("{path}: no fault found\n");
    }
    text
}

/// All keys with their values, as a policy file has them. JSON is YAML.
fn values(rules: &Rules) -> Value {
    let risk = &rules.risk;
    let mut patterns = serde_json::Map::new();
    let mut added = Vec::new();
    for pattern in &risk.extra_patterns {
        if let Some(rule) = pattern.rule() {
            added.push(json!(**rule));
            continue;
        }
        let entry = json!({"name": pattern.name(), "regex": pattern.regex()});
        let family = patterns.entry(pattern.family()).or_insert_with(|| json!([]));
        family.as_array_mut().into_iter().for_each(|list| list.push(entry.clone()));
    }
    json!({
        "thresholds": {
            "high": risk.thresholds.high,
            "medium": risk.thresholds.medium,
            "low": risk.thresholds.low,
        },
        "retry_budget": {"default": rules.retry_budget},
        "disable_families": risk.disabled_families,
        "extend_patterns": patterns,
        "extend_rules": added,
        "weights": risk.weights,
        "allow": {
            "paths": risk.allow.paths.globs(),
            "patterns": risk.allow.patterns,
            "values": risk.allow.values.iter().map(|value| Digest::from(*value)).collect::<Vec<_>>(),
        },
        "placeholders": match risk.placeholders {
            Placeholders::Ignore => "ignore",
            Placeholders::Low => "low",
            Placeholders::Full => "full",
        },
        "model": risk.model,
        "read_only": match rules.read_only {
            ReadOnly::Refuse => "refuse",
            ReadOnly::Overwrite => "overwrite",
        },
        "hard_links": match rules.hard_links {
            HardLinks::Refuse => "refuse",
            HardLinks::InPlace => "in_place",
        },
        "allow_git_writes": rules.allow_git,
        "form": if rules.form.keep { "keep" } else { "raw" },
        "form_from": rules.form.from.iter().map(|source| match source {
            FormSource::EditorConfig => "editorconfig",
            FormSource::GitAttributes => "gitattributes",
        }).collect::<Vec<_>>(),
        "classify": {
            "default": if rules.classify.by_default { "on" } else { "off" },
            "reject_at": rules.classify.reject_at,
            "reject": rules.classify.reject_secrets.then_some("secrets"),
        },
        "scratch": {
            "keep_days": limit(rules.scratch.keep_days.map(u64::from)),
            "drafts_keep_days": limit(rules.scratch.drafts_keep_days.map(u64::from)),
            "max_bytes": limit(rules.scratch.max_bytes),
        },
    })
}

fn limit(limit: Option<u64>) -> Value {
    limit.map_or_else(|| "unlimited".into(), Value::from)
}

/// One key a line, as a policy file may have them.
fn told(policy: Option<&Value>) -> String {
    let keys = policy.and_then(Value::as_object).into_iter().flatten();
    keys.map(|(key, value)| format!("{key}: {value}\n")).collect()
}
