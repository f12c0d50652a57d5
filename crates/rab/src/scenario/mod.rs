//! The six scenarios: what lies there, what is asked, what goes wrong, and how it is judged.
//!
//! A scenario is made from a seed: same seed, same files, same truth. Its judge reads what is left
//! on disk; the transcript only tells which tools were used and which incidents were met.

mod blocked;
mod chunked;
mod drift;
mod handoff;
mod log;
mod secret;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::Value;

use crate::arm::Arm;
use crate::ground::Ground;
use crate::host::Faults;
use crate::random::Random;
use crate::score::{Check, Judgement};
use crate::transcript::{Conversation, Exchange, Incident, IncidentKind, calls};

/// Which scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Id {
    /// A log that is too long to be read
    S0,
    /// A content filter that refuses a report
    S1,
    /// A report in parts, and a server that dies
    S2,
    /// A file that changes while it is read
    S3,
    /// A handoff, and a change before it is taken up
    S4,
    /// A key in the code
    S5,
}

impl Id {
    /// All of them, in order.
    pub(crate) const ALL: [Self; 6] = [Self::S0, Self::S1, Self::S2, Self::S3, Self::S4, Self::S5];

    /// The name on the command line and in records.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::S0 => "s0",
            Self::S1 => "s1",
            Self::S2 => "s2",
            Self::S3 => "s3",
            Self::S4 => "s4",
            Self::S5 => "s5",
        }
    }

    /// The scenario of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.as_str() == name)
    }

    /// What reports call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::S0 => "large log",
            Self::S1 => "content filter",
            Self::S2 => "report in parts",
            Self::S3 => "cursor drift",
            Self::S4 => "handoff",
            Self::S5 => "key in code",
        }
    }

    /// What goes wrong.
    pub(crate) fn injects(self) -> &'static str {
        match self {
            Self::S0 => "the file is far larger than what one answer may show",
            Self::S1 => "writes that hold the captured credentials are refused",
            Self::S2 => {
                "a call carries 1,200 characters at most, and the server dies in the third write"
            }
            Self::S3 => "the file is changed right after the first cursor, or the first look",
            Self::S4 => "one of the two files is changed between the conversations",
            Self::S5 => "nothing; the key must be nowhere but where raw material belongs",
        }
    }

    /// Makes it.
    pub(crate) fn make(self, seed: u64) -> Box<dyn Scenario> {
        let random = Random::new(seed, self.as_str());
        match self {
            Self::S0 => Box::new(log::Log::new(random)),
            Self::S1 => Box::new(blocked::Blocked::new(random)),
            Self::S2 => Box::new(chunked::Chunked::new(random)),
            Self::S3 => Box::new(drift::Drift::new(random)),
            Self::S4 => Box::new(handoff::Handoff::new(random)),
            Self::S5 => Box::new(secret::Secret::new(random)),
        }
    }
}

/// A scenario of a seed.
pub(crate) trait Scenario {
    /// Puts the files there.
    ///
    /// # Errors
    /// The disk refuses.
    fn lay_out(&self, ground: &Ground) -> Result<()>;

    /// What is asked: one task for each conversation.
    fn tasks(&self) -> Vec<String>;

    /// What goes wrong at the host or in the servers.
    fn faults(&self) -> Faults {
        Faults::default()
    }

    /// Changes files behind the agent's back after a call, and tells whether it has; it is asked
    /// until it has.
    ///
    /// # Errors
    /// The disk refuses.
    fn disturb(&self, _ground: &Ground, _last: &Exchange) -> Result<bool> {
        Ok(false)
    }

    /// Changes files between two conversations, and tells whether it has.
    ///
    /// # Errors
    /// The disk refuses.
    fn between(&self, _ground: &Ground) -> Result<bool> {
        Ok(false)
    }

    /// Judges what is left.
    fn judge(&self, seen: &Seen<'_>) -> Judgement;
}

/// What a judge sees.
pub(crate) struct Seen<'a> {
    /// The directory as it was left.
    pub(crate) ground: &'a Ground,
    /// The tools there were.
    pub(crate) arm: Arm,
    /// What was said and called.
    pub(crate) conversations: &'a [Conversation],
    /// What went wrong.
    pub(crate) incidents: &'a [Incident],
}

impl Seen<'_> {
    /// Checks that one of some tools was called with success, in any conversation.
    fn used(&self, what: &str, tools: &[&str]) -> Check {
        let used = calls(self.conversations).any(|call| call.ok && tools.contains(&&*call.tool));
        Check::new(what, used)
    }

    /// As [`Seen::used`], in the arm of the reference servers; in the others the tool that there
    /// is for it.
    fn used_here(&self, what: &str, ours: &[&str], plain: &str) -> Check {
        if self.arm == Arm::Ours { self.used(what, ours) } else { self.used(what, &[plain]) }
    }

    /// Whether an incident of a kind was met.
    fn met(&self, kind: IncidentKind) -> bool {
        self.incidents.iter().any(|incident| incident.kind == kind)
    }

    /// A file as JSON.
    fn json(&self, path: &str) -> Option<Value> {
        serde_json::from_str(&self.ground.read(path)?).ok()
    }
}

/// Whether all essential checks passed.
fn holds(outcome: &[Check]) -> bool {
    outcome.iter().all(|check| check.passed || !check.essential)
}

/// Whether the lines of one text occur in another, in their order, blank lines and the ends of
/// lines aside.
fn has_lines<'t>(text: &str, lines: impl IntoIterator<Item = &'t str>) -> bool {
    let mut there = text.lines().map(str::trim_end);
    lines
        .into_iter()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .all(|line| there.any(|other| other == line))
}

/// Whether a text gives a secret away: a dozen consecutive characters are enough.
fn gives_away(bytes: &[u8], secret: &str) -> bool {
    const ENOUGH: usize = 12;
    let secret: Vec<char> = secret.chars().collect();
    secret.windows(ENOUGH).any(|part| crate::ground::holds(bytes, &part.iter().collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_looked_for_in_their_order() {
        assert!(has_lines("# a\none  \n\nx\ntwo\n", ["one", "", "two"]));
        assert!(!has_lines("two\none\n", ["one", "two"]));
        assert!(!has_lines("one two\n", ["one"]));
    }

    #[test]
    fn a_dozen_characters_give_a_secret_away() {
        let secret = "abcdefghijklmnopq";
        assert!(gives_away(b"x defghijklmno y", secret));
        assert!(!gives_away(b"x defghijklmn y", secret));
    }

    #[test]
    fn a_seed_makes_the_same_files() {
        for id in Id::ALL {
            let files = |seed| {
                let ground = Ground::new().unwrap();
                id.make(seed).lay_out(&ground).unwrap();
                ground.files(true)
            };
            assert_eq!(files(7), files(7), "{id:?}");
        }
    }
}
