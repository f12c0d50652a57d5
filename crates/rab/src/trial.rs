//! One trial: an agent, a scenario, an arm; from an empty directory to a scored record.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::agent::{Agent, Reply};
use crate::arm::Arm;
use crate::ground::Ground;
use crate::host::{Host, Programs};
use crate::record::{FORMAT, Record};
use crate::scenario::{Id, Scenario, Seen};
use crate::score::score;
use crate::transcript::{Conversation, End, Exchange, IncidentKind, Limits, Turn, count};

/// Characters of an answer that a record keeps: a whole log is not worth it.
const KEPT_CHARS: usize = 64 * 1024;

/// What is to be tried.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// Who, as reports call it.
    pub(crate) agent: String,
    /// With which tools.
    pub(crate) arm: Arm,
    /// At what.
    pub(crate) scenario: Id,
    /// Which repetition, from 1.
    pub(crate) number: u64,
    /// What the files are made from.
    pub(crate) seed: u64,
    /// What ends it.
    pub(crate) limits: Limits,
}

impl Trial {
    /// Runs it. `agent` is made for the directory in which the trial takes place.
    ///
    /// # Errors
    /// A server cannot be started or the agent cannot be reached: there is nothing to score, and
    /// the trial should be run again.
    pub(crate) fn run(
        &self,
        programs: &Programs,
        agent: impl FnOnce(&str) -> Result<Box<dyn Agent>>,
    ) -> Result<Record> {
        let begun = Instant::now();
        let ground = Ground::new()?;
        let root = ground.root().display().to_string();
        let mut agent = agent(&root)?;
        let scenario = self.scenario.make(self.seed);
        scenario.lay_out(&ground)?;
        let faults = scenario.faults();
        let mut host = Host::start(&ground, self.arm, faults, programs, self.limits.core)?;
        let mut course = Course { scenario: &*scenario, ground: &ground, begun, disturbed: false };
        let mut conversations = Vec::new();
        for (number, task) in scenario.tasks().into_iter().enumerate() {
            if number > 0 {
                if scenario.between(&ground)? {
                    host.note(IncidentKind::Drift, false);
                }
                host.restart()?;
            }
            let conversation = self.converse(task, &mut *agent, &mut host, &mut course)?;
            conversations.push(conversation);
        }
        let incidents = std::mem::take(&mut host.incidents);
        // The servers have ended when the judge looks.
        drop(host);
        let judgement = scenario.judge(&Seen {
            ground: &ground,
            arm: self.arm,
            conversations: &conversations,
            incidents: &incidents,
        });
        let score = score(&judgement, &count(&conversations), &self.limits);
        for call in conversations.iter_mut().flat_map(Conversation::calls_mut) {
            call.reply = shown(&call.reply, KEPT_CHARS);
        }
        Ok(Record {
            format: FORMAT,
            agent: self.agent.clone(),
            arm: self.arm,
            scenario: self.scenario.as_str().to_owned(),
            trial: self.number,
            seed: self.seed,
            limits: self.limits.clone(),
            conversations,
            incidents,
            judgement,
            score,
            root,
            elapsed_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    fn converse(
        &self,
        task: String,
        agent: &mut dyn Agent,
        host: &mut Host<'_>,
        course: &mut Course<'_>,
    ) -> Result<Conversation> {
        agent.begin(&task, host.tools())?;
        let mut conversation = Conversation { task, turns: Vec::new(), end: End::Turns };
        let mut replies = Vec::new();
        let mut repeats = Repeats::default();
        for _ in 0..self.limits.turns {
            if self
                .limits
                .seconds
                .is_some_and(|most| course.begun.elapsed() >= Duration::from_secs(most))
            {
                conversation.end = End::Time;
                break;
            }
            let said = agent.turn(&replies)?;
            if let Some(end) = said.end {
                conversation.end = end;
                break;
            }
            let mut turn = Turn { text: said.text, calls: Vec::new(), usage: said.usage };
            replies.clear();
            for (tool, arguments) in said.calls {
                let exchange = host.call(&tool, arguments)?;
                course.follow(&exchange, host)?;
                repeats.count(&exchange);
                replies.push(Reply {
                    shown: shown(&exchange.reply, self.limits.result_chars),
                    whole: exchange.reply.clone(),
                });
                turn.calls.push(exchange);
            }
            let is_final = turn.calls.is_empty();
            conversation.turns.push(turn);
            if is_final {
                conversation.end = End::Answer;
                break;
            }
            if self.limits.repeats.is_some_and(|most| repeats.in_a_row > most) {
                conversation.end = End::Repeats;
                break;
            }
        }
        Ok(conversation)
    }
}

/// How a trial goes on behind the agent's back.
struct Course<'a> {
    scenario: &'a dyn Scenario,
    ground: &'a Ground,
    begun: Instant,
    disturbed: bool,
}

impl Course<'_> {
    fn follow(&mut self, last: &Exchange, host: &mut Host<'_>) -> Result<()> {
        if !self.disturbed && self.scenario.disturb(self.ground, last)? {
            self.disturbed = true;
            host.note(IncidentKind::Drift, false);
        }
        Ok(())
    }
}

/// How often one and the same call was made, one after the other.
#[derive(Default)]
struct Repeats {
    last: String,
    in_a_row: u64,
}

impl Repeats {
    fn count(&mut self, exchange: &Exchange) {
        let call = format!("{} {}", exchange.tool, exchange.arguments);
        self.in_a_row = if call == self.last { self.in_a_row + 1 } else { 0 };
        self.last = call;
    }
}

/// An answer as the model is shown it: the beginning, and how much there would be.
fn shown(reply: &str, most: usize) -> String {
    match reply.char_indices().nth(most) {
        None => reply.to_owned(),
        Some((end, _)) => {
            let (beginning, _) = reply.split_at(end);
            let whole = reply.chars().count();
            format!("{beginning}\n[cut: {most} of {whole} characters are shown]")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_cut_at_a_character() {
        assert_eq!(shown("äöü", 3), "äöü");
        assert_eq!(shown("äöü", 2), "äö\n[cut: 2 of 3 characters are shown]");
    }
}
