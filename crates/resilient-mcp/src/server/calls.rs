//! One call of a tool, from its request to its answer.
#![expect(deprecated, reason = "a request of protocol version 2026-07-28 may ask for log messages")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use resilient_core::Cancelled;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ProgressNotificationParam,
    ServerResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{Server, panicked, tool_name};
use crate::call::Call;
use crate::message::Flaw;
use crate::reply::result_of;
use crate::requests::Watch;
use crate::session::{Caller, program};
use crate::tools::{Effect, ToolSpec};
use crate::wishes::messages;

/// So many bytes of text are scanned at once, in some milliseconds. A longer one would hold up the protocol.
const QUICK_MAX: usize = 64 << 10;

impl Server {
    /// Runs the call to its end: a cancellation can keep a call from starting, a change from being begun, and its reply from
    /// being sent, but never stop a write half way.
    ///
    /// Calls run on blocking threads, in parallel where they name different things (`turns`). Each sends its answer itself, so
    /// that a client does not wait for this thread to wake up again. But the quick call of a client that waits for
    /// its answer anyway runs right here. It only reads a window of a file: nothing that may wait for
    /// another process or for a sync holds up the protocol, and a ping with it.
    pub(super) async fn make_call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (inner, session) = (Arc::clone(&self.inner), Arc::clone(&self.session));
        let (under_way, began) = (inner.calls.begin(), Instant::now());
        let name = request.name.clone();
        let arguments = request.arguments.unwrap_or_default();
        let flaw = context.extensions.get::<Flaw>().cloned();
        // IMPORTANT: before anything is waited for, so that the calls queue as they came.
        let tool = inner.find(&name);
        let writes = tool.is_some_and(|tool| tool.spec.effect != Effect::Reads);
        let mut turn = session.turns.enter(
            &arguments,
            tool.and_then(|tool| tool.spec.default_path),
            inner.workspace.roots(),
            writes || tool.is_some_and(|tool| tool.spec.is_remembered),
        );
        let cancelled = context.ct.clone();
        let watch = context.extensions.get::<Arc<Watch>>().cloned();
        // A text that is elsewhere may be of any length.
        let is_elsewhere = |tool: &ToolSpec| {
            tool.instead_of_content.iter().any(|name| arguments.contains_key(*name))
        };
        let text = arguments.get("content").and_then(Value::as_str).unwrap_or_default();
        let is_in_turn = watch.as_ref().is_some_and(|it| it.is_in_turn());
        let is_quick = is_in_turn
            && text.len() <= QUICK_MAX
            && tool.is_some_and(|it| it.spec.quick && !is_elsewhere(&it.spec));
        let caller = context.extensions.get::<Caller>().unwrap_or(&session.caller).clone();
        let entered = async {
            turn.wait().await;
            Arc::clone(&inner.running).acquire_owned().await
        };
        // A call that is cancelled while it waits gives its arguments back at once.
        let running = tokio::select! {
            running = entered => Some(running),
            () = cancelled.cancelled() => None,
        };
        let client = caller.signed(program(&context));
        let Some(running) = running else {
            let taken_back = inner.taken_back(&session, &name, &arguments, client);
            turn.give_up(taken_back);
            let (known, took) = (tool_name(&inner, &name), began.elapsed());
            let outcome = inner.tally.count(known, None, took);
            tracing::info!(tool = known, outcome, ms = millis(took), "call");
            // Nobody reads this: the SDK drops the reply.
            return Ok(CallToolResult::default().into());
        };
        let by = tracing::enabled!(tracing::Level::INFO).then(|| client.clone()).flatten();
        let era = context.protocol_version();
        let token = context.meta.get_progress_token();
        let (told, mut steps) = mpsc::unbounded_channel();
        let told = token.as_ref().map(|_| told);
        let log_from = context.meta.log_level();
        // Behind the last step of a call, or a message, its answer has to be the last word.
        let watch = watch.filter(|_| token.is_none() && log_from.is_none());
        let call = move || {
            // The client may be gone meanwhile: the call still counts.
            let _held = (running, under_way);
            let cancelled = Cancelled::when(move || cancelled.is_cancelled());
            let is_wanted = !cancelled.is_so();
            let watched = Arc::new(Call::new(cancelled, told).from(client));
            let flaw = flaw.or((writes && !caller.may_write).then_some(Flaw::MayNotWrite));
            let taken_back = inner.taken_back(&session, &name, &arguments, watched.client.clone());
            let called = || inner.call(&session, &name, arguments, flaw, &watched);
            // Nobody reads the answer to one that is cancelled: the SDK drops the reply.
            let result = is_wanted.then(|| {
                catch_unwind(AssertUnwindSafe(called))
                    .unwrap_or_else(|_| result_of(inner.canonical(&name), Err(panicked())))
            });
            // Its client does not know that the call was made, if it was.
            let is_cancelled =
                || watched.is_cancelled() || watch.as_ref().is_some_and(|it| !it.is_waited_for());
            if let Some(act) = taken_back.filter(|_| is_cancelled()) {
                act();
            }
            let result = result.unwrap_or_default();
            let (known, answer) = (tool_name(&inner, &name), result.structured_content.as_ref());
            let took = began.elapsed();
            let outcome = inner.tally.count(known, answer, took);
            // Nothing of what it was called with: that may be anything.
            tracing::info!(tool = known, outcome, ms = millis(took), by, "call");
            let told = log_from.zip(answer).map(|(level, answer)| messages(answer, level));
            let result = inner.shaped(result, era);
            let Some(watch) = watch else { return (result, told.unwrap_or_default()) };
            watch.answer(ServerResult::CallToolResult(result));
            Default::default()
        };
        if is_quick && log_from.is_none() {
            return Ok(call().0.into());
        }
        let running = tokio::task::spawn_blocking(call);
        if let Some(token) = token {
            // Until the call is dropped, which is when it is done.
            while let Some((done, total)) = steps.recv().await {
                let mut step = ProgressNotificationParam::new(token.clone(), done as f64);
                step.total = total.map(|total| total as f64);
                let _ = context.peer.notify_progress(step).await;
            }
        }
        let Ok((result, told)) = running.await else {
            return Ok(result_of(self.inner.canonical(&request.name), Err(panicked())).into());
        };
        for message in told {
            let _ = context.peer.notify_logging_message(message).await;
        }
        Ok(result.into())
    }
}

/// Milliseconds, to a thousandth.
fn millis(took: Duration) -> f64 {
    (took.as_secs_f64() * 1e6).round() / 1e3
}
