//! Answers that need more than one round: the questions to the client, the state that it carries, and the end.
//!
//! The state is the number of the round and a digest over it with a secret of this process, so that a client cannot
//! change it.

use std::hash::{BuildHasher as _, RandomState};

use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, InputRequiredResult, InputResponses};
use serde_json::{Map, Value};

/// The secret of this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seal(RandomState);

/// What follows a round.
pub(crate) enum Turn {
    /// The client is asked for more.
    More(InputRequiredResult),
    /// Everything was answered: what the client said, by the name of the question.
    Done(InputResponses),
}

impl Seal {
    fn of(&self, name: &str, round: usize) -> String {
        format!("{round}.{:016x}", self.0.hash_one((name, round)))
    }

    /// The round that a state stands for.
    fn open(&self, name: &str, state: &str) -> Option<usize> {
        let round = state.split('.').next()?.parse().ok()?;
        (self.of(name, round) == state).then_some(round)
    }

    /// One turn. `rounds` lists the questions of each round.
    pub(crate) fn turn(
        &self,
        name: &str,
        rounds: &[Value],
        has_state: bool,
        state: Option<&str>,
        said: Option<InputResponses>,
        client: Option<&ClientCapabilities>,
    ) -> Result<Turn, ErrorData> {
        let changed = || ErrorData::invalid_params("the requestState was changed", None);
        let round = match state {
            Some(state) => self.open(name, state).ok_or_else(changed)?,
            None => 0,
        };
        let questions = rounds.get(round).and_then(Value::as_object).ok_or_else(changed)?;
        let said = said.unwrap_or_default();
        let round = if questions.iter().all(|(key, question)| fits(question, said.get(key))) {
            round + 1
        } else {
            round
        };
        let Some(questions) = rounds.get(round).and_then(Value::as_object) else {
            return Ok(Turn::Done(said));
        };
        let mut more = Map::new();
        more.insert("resultType".to_owned(), "input_required".into());
        let questions = questions.iter().filter(|(_, question)| may_ask(question, client));
        let questions = questions.map(|(key, question)| (key.clone(), question.clone()));
        more.insert("inputRequests".to_owned(), Value::Object(questions.collect()));
        if has_state {
            more.insert("requestState".to_owned(), self.of(name, round).into());
        }
        serde_json::from_value(Value::Object(more))
            .map(Turn::More)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

/// Whether an answer is one to this question.
fn fits(question: &Value, answer: Option<&Value>) -> bool {
    let Some(Value::Object(answer)) = answer else { return false };
    match question["method"].as_str() {
        Some("elicitation/create") => {
            let required = question["params"]["requestedSchema"]["required"].as_array();
            let content = answer.get("content");
            let has = |name: &Value| {
                name.as_str().is_some_and(|name| content.is_some_and(|it| it.get(name).is_some()))
            };
            answer.get("action").is_some_and(|it| it == "accept")
                && required.into_iter().flatten().all(has)
        }
        Some("sampling/createMessage") => answer.contains_key("content"),
        Some("roots/list") => answer.get("roots").is_some_and(Value::is_array),
        _ => false,
    }
}

/// Whether the client has said that it can be asked this.
fn may_ask(question: &Value, client: Option<&ClientCapabilities>) -> bool {
    let Some(client) = client else { return true };
    let client = serde_json::to_value(client).unwrap_or_default();
    let needed = match question["method"].as_str() {
        Some("elicitation/create") => "elicitation",
        Some("sampling/createMessage") => "sampling",
        _ => "roots",
    };
    client.get(needed).is_some()
}
