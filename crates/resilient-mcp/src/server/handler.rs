//! The requests that the SDK hands to a server.
#![expect(deprecated, reason = "subscriptions and log levels of the versions with a handshake")]

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::broadcast::error::RecvError;

use super::{Server, is_since};
use crate::resources;
use crate::uri::Named;
use crate::wishes::{Told, WATCHED_MAX, Wishes};

/// How long a client may keep a list: it only changes with the program.
const LIST_TTL_MS: u64 = 60 * 60 * 1000;

type Context = RequestContext<RoleServer>;

/// What a list has beside its items, for a client of the protocol that has no handshake.
macro_rules! signed {
    ($server:expr, $context:expr, $result:expr) => {{
        let mut result = $result;
        if let Some(meta) = $server.signature(&$context) {
            result.ttl_ms = Some(LIST_TTL_MS);
            result.cache_scope = Some(CacheScope::Public);
            result.meta = Some(meta);
        }
        Ok(result)
    }};
}

impl Server {
    /// Who answers, for a client of the protocol that has no handshake.
    fn signature(&self, context: &Context) -> Option<MetaObject> {
        let is_modern =
            is_since(context.protocol_version().as_ref(), &ProtocolVersion::V_2026_07_28);
        is_modern.then(|| self.inner.signature())
    }
}

/// Methods with what their params need. The SDK takes one without that for a method that it does not know.
const NEEDED: [(&str, &str); 6] = [
    ("completion/complete", "`ref` and `argument`"),
    (
        "logging/setLevel",
        "`level`, one of debug, info, notice, warning, error, critical, alert and emergency,",
    ),
    ("prompts/get", "`name`, and texts as `arguments`,"),
    ("resources/read", "`uri`"),
    ("resources/subscribe", "`uri`"),
    ("resources/unsubscribe", "`uri`"),
];

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let every =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_completions();
        let capabilities = if self.inner.writes() {
            every.enable_resources_subscribe().enable_prompts().enable_logging().build()
        } else {
            every.build()
        };
        let mut config =
            ServerConfig::new(capabilities).with_instructions(self.inner.instructions());
        config.server_info = self.inner.identity();
        config
    }

    async fn discover(&self, _context: Context) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        result.ttl_ms = LIST_TTL_MS;
        result.cache_scope = CacheScope::Public;
        Ok(result)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        // Some of these are no methods since then.
        let is_modern =
            is_since(context.protocol_version().as_ref(), &ProtocolVersion::V_2026_07_28);
        let may_be_here = self.inner.writes() && !is_modern;
        let needed = NEEDED.iter().find(|(known, _)| may_be_here && *known == method);
        Err(match needed {
            None => {
                let message = format!("there is no method {method:?} here");
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
            }
            Some((_, needed)) => {
                ErrorData::invalid_params(format!("send {method} with {needed} in params"), None)
            }
        })
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        signed!(self, context, ListToolsResult::with_all_items(self.listed_tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        self.make_call(request, context).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        signed!(self, context, ListResourcesResult::with_all_items(self.inner.resources()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        signed!(self, context, ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let mut result = ReadResourceResult::new(vec![self.read(request.uri).await?]);
        if let Some(meta) = self.signature(&context) {
            // It may change at any time.
            result.ttl_ms = Some(0);
            result.cache_scope = Some(CacheScope::Private);
            result.meta = Some(meta);
        }
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        signed!(self, context, ListPromptsResult::with_all_items(self.inner.prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut result = self.prompt(request).await?;
        result.meta = self.signature(&context);
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let argument = request.argument;
        let completion =
            self.complete_argument(&request.r#ref, &argument.name, argument.value).await?;
        let mut result = CompleteResult::new(completion);
        result.meta = self.signature(&context);
        Ok(result)
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if !self.inner.writes() {
            return Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>());
        }
        self.session.wishes.log_from(request.level);
        self.session.tell(&context.peer, || self.inner.updates.follow());
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if !self.inner.writes() {
            return Err(ErrorData::method_not_found::<rmcp::model::SubscribeRequestMethod>());
        }
        let subject = self.subject(request.uri.clone()).await?;
        if !self.session.wishes.watch(request.uri, subject) {
            let text =
                format!("{WATCHED_MAX} resources are watched already; unsubscribe from some");
            return Err(ErrorData::invalid_params(text, None));
        }
        self.session.tell(&context.peer, || self.inner.updates.follow());
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: Context,
    ) -> Result<(), ErrorData> {
        self.session.wishes.forget(&request.uri);
        Ok(())
    }

    /// Of the changes that a client wants to be told, those of resources are told; the lists do not change.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        if !self.inner.writes() {
            return None;
        }
        let uris = requested.resource_subscriptions.iter().flatten();
        let known = uris.filter(|uri| Named::of(uri).is_some()).take(WATCHED_MAX).cloned();
        Some(SubscriptionFilter::builder().resource_subscriptions(known).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(mut updates) = self.inner.updates.follow() else { return Ok(()) };
        let wishes = Wishes::default();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            // Of what cannot be read nothing is told; the others are.
            if let Ok(subject) = self.subject(uri.clone()).await {
                wishes.watch(uri.clone(), subject);
            }
        }
        loop {
            let update = tokio::select! {
                update = updates.recv() => update,
                () = context.cancelled() => return Ok(()),
                () = self.session.hung_up() => return Ok(()),
            };
            let told = match update {
                Ok(update) => wishes.told(&update),
                Err(RecvError::Lagged(_)) => wishes.all(),
                Err(RecvError::Closed) => return Ok(()),
            };
            for told in told {
                if let Told::Updated(uri) = told
                    && context.sink().notify_resource_updated(uri).await.is_err()
                {
                    return Ok(());
                }
            }
        }
    }
}
