//! A model behind an endpoint: the conversation as messages, and what it costs.

use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::endpoint::{Answer, Endpoint};
use super::format::{Format, plain};
use super::{Agent, Reply, Said};
use crate::host::Tool;
use crate::transcript::{End, Usage};

/// Money for a million tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prices {
    /// Of the prompt.
    pub(crate) prompt: Option<f64>,
    /// Of the answer.
    pub(crate) completion: Option<f64>,
}

/// A model in conversation.
pub(crate) struct Model {
    endpoint: Endpoint,
    name: String,
    format: Format,
    max_tokens: u64,
    prices: Prices,
    messages: Vec<Value>,
    /// The fields of a request that describe the tools.
    about_tools: Map<String, Value>,
    /// The endpoint's names for the calls of the last turn.
    ids: Vec<String>,
}

impl Model {
    /// A model at an endpoint.
    pub(crate) fn new(
        endpoint: Endpoint,
        name: String,
        format: Format,
        max_tokens: u64,
        prices: Prices,
    ) -> Self {
        Self {
            endpoint,
            name,
            format,
            max_tokens,
            prices,
            messages: Vec::new(),
            about_tools: Map::new(),
            ids: Vec::new(),
        }
    }

    fn hear(&mut self, replies: &[Reply]) {
        if self.format == Format::Native && !self.ids.is_empty() {
            for (id, reply) in self.ids.drain(..).zip(replies) {
                let content = &reply.shown;
                self.messages.push(json!({"role": "tool", "tool_call_id": id, "content": content}));
            }
            return;
        }
        let wrapped = |reply: &Reply| format!("<tool_response>\n{}\n</tool_response>", reply.shown);
        if !replies.is_empty() {
            let content = replies.iter().map(wrapped).collect::<Vec<_>>().join("\n");
            self.messages.push(json!({"role": "user", "content": content}));
        }
    }

    fn usage(&self, answer: &Value, requests: u64, since: Instant) -> Usage {
        let of = |name: &str| answer.pointer(&format!("/usage/{name}"));
        let tokens = |name: &str| of(name).and_then(Value::as_u64).unwrap_or_default();
        let (prompt, completion) = (tokens("prompt_tokens"), tokens("completion_tokens"));
        let priced = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let cost = match (of("cost").and_then(Value::as_f64), self.prices) {
            (Some(told), _) => Some(told),
            (None, Prices { prompt: Some(a), completion: Some(b) }) => {
                Some(priced(prompt, a) + priced(completion, b))
            }
            _ => None,
        };
        Usage {
            prompt_tokens: prompt,
            completion_tokens: completion,
            cost,
            requests,
            elapsed_ms: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The calls of a message: the endpoint's own, or those in the text.
    fn calls(&mut self, message: &Value) -> Vec<(String, Value)> {
        let native = message.get("tool_calls").and_then(Value::as_array);
        let mut calls = Vec::new();
        for call in native.into_iter().flatten() {
            let text = |pointer| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let arguments = call.pointer("/function/arguments").cloned().unwrap_or_default();
            self.ids.push(text("/id").to_owned());
            calls.push((text("/function/name").to_owned(), plain(arguments)));
        }
        if calls.is_empty() {
            // Not every endpoint recognises the calls of every model.
            let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
            calls = self.format.calls(text);
        }
        calls
    }
}

impl Agent for Model {
    fn begin(&mut self, task: &str, tools: &[Tool]) -> Result<()> {
        self.ids.clear();
        self.about_tools = self.format.request(tools);
        self.messages = vec![
            json!({"role": "system", "content": self.format.system(tools)}),
            json!({"role": "user", "content": task}),
        ];
        Ok(())
    }

    fn turn(&mut self, replies: &[Reply]) -> Result<Said> {
        self.hear(replies);
        let mut body = self.about_tools.clone();
        body.insert("model".to_owned(), json!(self.name));
        body.insert("messages".to_owned(), json!(self.messages));
        body.insert("temperature".to_owned(), json!(0));
        body.insert("max_tokens".to_owned(), json!(self.max_tokens));
        let since = Instant::now();
        let (answer, requests) = match self.endpoint.ask(&Value::Object(body))? {
            Answer::Said(answer, requests) => (answer, requests),
            Answer::TooLong => return Ok(Said { end: Some(End::Context), ..Said::default() }),
        };
        let usage = self.usage(&answer, requests, since);
        let message =
            answer.pointer("/choices/0/message").context("an answer without a message")?;
        let text = message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
        let calls = self.calls(message);
        let mut spoken = json!({"role": "assistant", "content": text});
        if let (Some(spoken), Some(native)) = (spoken.as_object_mut(), message.get("tool_calls")) {
            spoken.insert("tool_calls".to_owned(), native.clone());
        }
        self.messages.push(spoken);
        Ok(Said { text, calls, usage, end: None })
    }
}
