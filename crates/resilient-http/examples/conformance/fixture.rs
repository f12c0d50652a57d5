//! The server: what it lists and answers.
#![expect(deprecated, reason = "the suite covers what older versions of the protocol have")]

use std::io;
use std::sync::Arc;
use std::time::Duration;

use resilient_http::Hosted;
use resilient_mcp::{Busy, Caller, Tallied, Unready};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam, Prompt,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceTemplate, SamplingCapability, ServerCapabilities, ServerConfig, ServerNotification,
    ServerRequest, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::time::sleep;

use crate::rounds::{Seal, Turn};

type Context = RequestContext<RoleServer>;

/// How long a tool waits between two steps, as the suite asks for.
const STEP: Duration = Duration::from_millis(50);

/// The fixture: cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Fixture {
    data: Arc<Value>,
    seal: Seal,
    calls: Busy,
    /// The lists that are said to have changed.
    changes: broadcast::Sender<&'static str>,
}

impl Fixture {
    pub(crate) fn read() -> io::Result<Self> {
        let data = serde_json::from_str(include_str!("fixture.json"))?;
        let changes = broadcast::Sender::new(16);
        Ok(Self { data: Arc::new(data), seal: Seal::default(), calls: Busy::default(), changes })
    }

    /// The entries of a list as the SDK has them.
    fn listed<T: DeserializeOwned>(&self, list: &str) -> Result<Vec<T>, ErrorData> {
        let entries = self.data[list].as_array().into_iter().flatten();
        entries.map(|entry| of_json(entry["is"].clone())).collect()
    }

    fn entry(&self, list: &str, key: &str, name: &str) -> Result<&Value, ErrorData> {
        let mut entries = self.data[list].as_array().into_iter().flatten();
        entries
            .find(|entry| entry["is"][key] == name)
            .ok_or_else(|| ErrorData::invalid_params(format!("the suite has no {name:?}"), None))
    }

    /// One turn of an answer that needs several.
    fn turn(
        &self,
        name: &str,
        entry: &Value,
        state: Option<&str>,
        said: Option<InputResponses>,
        context: &Context,
    ) -> Result<Option<Turn>, ErrorData> {
        let Some(rounds) = entry["rounds"].as_array() else { return Ok(None) };
        let has_state = entry["state"] == true;
        let client = context.client_capabilities();
        self.seal.turn(name, rounds, has_state, state, said, client.as_ref()).map(Some)
    }

    /// What the tools do that do more than to answer.
    async fn act(
        &self,
        name: &str,
        arguments: &Value,
        context: &Context,
    ) -> Result<Option<String>, ErrorData> {
        let peer = &context.peer;
        let told = match name {
            "test_tool_with_progress" => {
                for progress in [0.0, 50.0, 100.0] {
                    if let Some(token) = context.meta.get_progress_token() {
                        let step =
                            ProgressNotificationParam::new(token, progress).with_total(100.0);
                        let _ = peer.notify_progress(step).await;
                    }
                    sleep(STEP).await;
                }
                "done".to_owned()
            }
            "test_tool_with_logging" | "test_logging_tool" => {
                let asked = context.meta.log_level().is_some() || name == "test_tool_with_logging";
                for text in
                    ["Tool execution started", "Tool processing data", "Tool execution completed"]
                {
                    if asked {
                        let message =
                            LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
                        let _ = peer.notify_logging_message(message).await;
                    }
                    sleep(STEP).await;
                }
                "done".to_owned()
            }
            "test_missing_capability" => {
                if context.client_capabilities().is_none_or(|it| it.sampling.is_none()) {
                    let mut needed = ClientCapabilities::default();
                    needed.sampling = Some(SamplingCapability::default());
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
                "done".to_owned()
            }
            "test_trigger_tool_change" => {
                let _ = self.changes.send("tools");
                "done".to_owned()
            }
            "test_trigger_prompt_change" => {
                let _ = self.changes.send("prompts");
                "done".to_owned()
            }
            "test_sampling" => {
                let message = json!({"role": "user", "content": {"type": "text", "text": arguments["prompt"]}});
                let params = json!({"messages": [message], "maxTokens": 100});
                let said = ask(context, "sampling/createMessage", params).await?;
                let content = &said["content"];
                let text = content.as_array().and_then(|it| it.first()).unwrap_or(content);
                format!("LLM response: {}", text["text"].as_str().unwrap_or_default())
            }
            _ => {
                let Ok(entry) = self.entry("tools", "name", name) else { return Ok(None) };
                let Some(asked) = entry.get("asks") else { return Ok(None) };
                let mut asked = asked.clone();
                if let Some(message) = arguments.get("message") {
                    asked["message"] = message.clone();
                }
                let said = ask(context, "elicitation/create", asked).await?;
                format!(
                    "action={}, content={}",
                    said["action"].as_str().unwrap_or_default(),
                    said["content"]
                )
            }
        };
        Ok(Some(told))
    }
}

impl Hosted for Fixture {
    fn for_caller(&self, _: Caller) -> Self {
        self.clone()
    }

    fn tallied(&self) -> Tallied {
        Tallied::default()
    }

    fn check(&self) -> Result<(), Unready> {
        Ok(())
    }

    fn calls(&self) -> &Busy {
        &self.calls
    }

    fn end_subscriptions(&self) {}
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_logging()
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = Implementation::new("conformance", env!("CARGO_PKG_VERSION"));
        config
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let entry = self.entry("tools", "name", name).ok()?;
        serde_json::from_value(entry["is"].clone()).ok()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        self.listed("tools").map(ListToolsResult::with_all_items)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.listed::<Prompt>("prompts").map(ListPromptsResult::with_all_items)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.listed::<Resource>("resources").map(ListResourcesResult::with_all_items)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.listed::<ResourceTemplate>("templates")
            .map(ListResourceTemplatesResult::with_all_items)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let entry = self.entry("tools", "name", &request.name)?;
        let state = request.request_state.as_deref();
        match self.turn(&request.name, entry, state, request.input_responses, &context)? {
            Some(Turn::More(more)) => return Ok(more.into()),
            Some(Turn::Done(said)) => {
                let text = format!("state-ok, you said {}", json!(said));
                return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
            }
            None => {}
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if let Some(text) = self.act(&request.name, &arguments, &context).await? {
            return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        }
        complete::<CallToolResult>(entry["result"].clone()).map(Into::into)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let entry = self.entry("prompts", "name", &request.name)?;
        let state = request.request_state.as_deref();
        if let Some(Turn::More(more)) =
            self.turn(&request.name, entry, state, request.input_responses, &context)?
        {
            return Ok(more.into());
        }
        // Arguments stand in the answer as `{name}`.
        let mut text = entry["result"].to_string();
        for (name, value) in request.arguments.iter().flatten() {
            text = text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default());
        }
        let result = serde_json::from_str(&text)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        complete::<GetPromptResult>(result).map(Into::into)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        if let Some(id) =
            uri.strip_prefix("test://template/").and_then(|it| it.strip_suffix("/data"))
        {
            let text =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")})
                    .to_string();
            let content = json!({"uri": uri, "mimeType": "application/json", "text": text});
            return complete::<ReadResourceResult>(json!({"contents": [content]})).map(Into::into);
        }
        let Ok(entry) = self.entry("resources", "uri", &uri) else {
            return Err(ErrorData::resource_not_found(
                "there is no such resource",
                Some(json!({"uri": uri})),
            ));
        };
        complete::<ReadResourceResult>(json!({"contents": [entry["content"]]})).map(Into::into)
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let values = ["paris", "park", "party"].map(str::to_owned).to_vec();
        Ok(CompleteResult::new(CompletionInfo::with_all_values(values).unwrap_or_default()))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let changed = tokio::select! {
                changed = changes.recv() => changed,
                () = context.cancelled() => return Ok(()),
            };
            let Ok(changed) = changed else { return Ok(()) };
            let method = format!("notifications/{changed}/list_changed");
            if let Ok(notification) =
                serde_json::from_value::<ServerNotification>(json!({"method": method}))
            {
                // What the client has not asked for is refused here.
                let _ = context.sink().send(notification).await;
            }
        }
    }
}

/// Asks the client, and gives what it says.
async fn ask(context: &Context, method: &str, params: Value) -> Result<Value, ErrorData> {
    let request: ServerRequest = of_json(json!({"method": method, "params": params}))?;
    let said = context.peer.send_request(request).await;
    let said = said.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    serde_json::to_value(said).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A result of one round.
fn complete<T: DeserializeOwned>(mut result: Value) -> Result<T, ErrorData> {
    if let Some(result) = result.as_object_mut() {
        result.insert("resultType".to_owned(), "complete".into());
    }
    of_json(result)
}

fn of_json<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
