//! S4: a task is handed from one conversation to another, and a file changes in between.
//!
//! Two files are handed over and one of them changes, so that it does not help to say of all that
//! they drifted. The second agent knows nothing but what the first has left on disk.

use anyhow::Result;
use resilient_core::digest::Digest;

use super::{Scenario, Seen, holds};
use crate::arm::Arm;
use crate::ground::Ground;
use crate::random::Random;
use crate::score::{Check, Judgement};
use crate::transcript::{IncidentKind, calls};

const FILES: [&str; 2] = ["config/limits.ini", "config/settings.ini"];
const NOTE: &str = "HANDOFF.md";
const RESULT: &str = "CHANGES.md";
const OLD: &str = "timeout=30";
const NEW: &str = "timeout=45";
const OLD_RETRIES: &str = "retries=3";
const NEW_RETRIES: &str = "retries=7";

/// Which file changes.
pub(crate) struct Handoff {
    drifted: usize,
    names: [String; 2],
}

impl Handoff {
    pub(crate) fn new(mut random: Random) -> Self {
        let drifted = usize::from(random.below(2) == 1);
        let names = [(); 2].map(|()| random.text("abcdefghijklmnopqrstuvwxyz", 8));
        Self { drifted, names }
    }

    fn text(&self, file: usize) -> String {
        let name = self.names.get(file).map(String::as_str).unwrap_or_default();
        format!("[service]\nname={name}\n{OLD}\n{OLD_RETRIES}\nverbose=no\n")
    }

    /// The file as the first conversation should leave it.
    fn handed_over(&self, file: usize) -> String {
        self.text(file).replace(OLD, NEW)
    }
}

impl Scenario for Handoff {
    fn lay_out(&self, ground: &Ground) -> Result<()> {
        FILES
            .into_iter()
            .enumerate()
            .try_for_each(|(file, path)| ground.write(path, &self.text(file)))
    }

    fn tasks(&self) -> Vec<String> {
        let files = FILES.join(" and ");
        vec![
            format!(
                "In {files}, change the line `{OLD}` to `{NEW}`. Then hand the task over to the \
                 next agent with a handoff in {NOTE}: task_id `timeout-45`, status `handed_off`, \
                 next step `write {RESULT}`, and both files with their state (their sha256, if \
                 your tools tell it) as the last good state, so that the next agent can tell \
                 whether a file was changed after you. Do not write {RESULT} yourself."
            ),
            format!(
                "You take over a task from another agent. Read its handoff in {NOTE} and find out \
                 which of the files that it names were changed after it was written. Then write \
                 {RESULT}: for each of the files a line `PATH timeout=N retries=N` with the values \
                 that are in the file now, and for each file that was changed since the handoff \
                 a line `drift: PATH`. Change nothing else."
            ),
        ]
    }

    fn between(&self, ground: &Ground) -> Result<bool> {
        let path = FILES.get(self.drifted).copied().unwrap_or_default();
        let text = ground.read(path).unwrap_or_default();
        ground.write(path, &text.replace(OLD_RETRIES, NEW_RETRIES))?;
        Ok(true)
    }

    fn judge(&self, seen: &Seen<'_>) -> Judgement {
        let result = seen.ground.read(RESULT).unwrap_or_default();
        let has = |line: &str| result.lines().any(|other| other.trim() == line);
        let each = || FILES.into_iter().enumerate();
        let values = each().all(|(file, path)| {
            let retries = if file == self.drifted { NEW_RETRIES } else { OLD_RETRIES };
            has(&format!("{path} {NEW} {retries}"))
        });
        let told =
            each().all(|(file, path)| has(&format!("drift: {path}")) == (file == self.drifted));
        let kept = each().all(|(file, path)| {
            let text = self.handed_over(file);
            let now = seen.ground.read(path).unwrap_or_default();
            now == if file == self.drifted { text.replace(OLD_RETRIES, NEW_RETRIES) } else { text }
        });
        let note = seen.ground.read(NOTE).unwrap_or_default();
        let named = FILES.iter().all(|path| note.contains(path));
        let mut outcome = vec![
            Check::essential("the drift is told, of the right file", told),
            Check::essential("the values are those in the files", values),
            Check::essential("the files are changed as asked and not otherwise", kept),
            Check::new("the handoff names both files", named),
        ];
        if seen.arm == Arm::Ours {
            let digests = each().all(|(file, _)| {
                note.contains(&Digest::of(self.handed_over(file).as_bytes()).to_string())
            });
            outcome.push(Check::new("the handoff has their digests", digests));
        }
        let first = seen.conversations.get(..1).unwrap_or_default();
        let edits = ["rw_safe_replace", "rw_safe_write"];
        let early = calls(first).any(|call| call.ok && call.argument("path") == RESULT);
        Judgement {
            recovered: seen.met(IncidentKind::Drift).then(|| holds(&outcome)),
            outcome,
            tools: vec![
                seen.used_here("the files are edited", &edits, "write_file"),
                seen.used_here("the handoff is written", &["rw_handoff_write"], "write_file"),
                seen.used_here("the handoff is read", &["rw_handoff_read"], "read_file"),
                Check::new("the second task is left to the second agent", !early),
            ],
            par: 7,
        }
    }
}
