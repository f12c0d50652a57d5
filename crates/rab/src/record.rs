//! The record of a finished trial: what happened in it and what it is worth. It is kept as a file, and
//! it can be replayed.

use serde::{Deserialize, Serialize};

use crate::arm::Arm;
use crate::score::{Judgement, Score};
use crate::transcript::{Conversation, Counts, Exchange, Incident, Limits, Usage, calls, count};

/// The version of the record's form.
pub(crate) const FORMAT: u32 = 1;

/// A finished trial.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// [`FORMAT`].
    pub(crate) format: u32,
    /// Who was tried, as reports call it.
    pub(crate) agent: String,
    /// With which tools.
    pub(crate) arm: Arm,
    /// At what.
    pub(crate) scenario: String,
    /// Which repetition, from 1.
    pub(crate) trial: u64,
    /// What the files of this trial were made from.
    pub(crate) seed: u64,
    /// The limits in force.
    pub(crate) limits: Limits,
    /// One for each task.
    pub(crate) conversations: Vec<Conversation>,
    /// What went wrong by design, in order.
    pub(crate) incidents: Vec<Incident>,
    /// What the judge found.
    pub(crate) judgement: Judgement,
    /// What that is worth.
    pub(crate) score: Score,
    /// Where the trial took place, so that a replay can tell paths.
    pub(crate) root: String,
    /// From beginning to end, in milliseconds.
    pub(crate) elapsed_ms: u64,
}

impl Record {
    /// Every call, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Exchange> {
        calls(&self.conversations)
    }

    /// What the trial cost.
    pub(crate) fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        for turn in self.conversations.iter().flat_map(|conversation| &conversation.turns) {
            sum.add(&turn.usage);
        }
        sum
    }

    /// What its calls come to.
    pub(crate) fn counts(&self) -> Counts {
        count(&self.conversations)
    }
}
