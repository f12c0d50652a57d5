//! Streamable HTTP: `POST`, `GET` and `DELETE` of one address, in both eras of the protocol.
//!
//! The SDK does the protocol. In front of it stand the guards, so that a call is understood as it is over standard
//! streams; behind it stands [`Handler`], which tells the server who calls.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use resilient_mcp::guard::{Flaw, Guarded, Kind, guard, id_in_use, unreadable};
use resilient_mcp::{Caller, Work, program};
#[expect(deprecated, reason = "clients of the versions with a handshake set a level")]
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientJsonRpcMessage, CompleteRequestParams,
    CompleteResult, DiscoverResult, GetExtensions as _, GetMeta as _, GetPromptRequestParams,
    GetPromptResponse, JsonRpcMessage, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::body::{
    Begun, Held, Reply, Taken, Unsent, ending, handshake_too_long, json, later, plain,
};
use crate::door::Door;
use crate::encoded::Encoded;
use crate::events::Name;
use crate::hosted::Hosted;
use crate::in_flight::InFlight;
use crate::keeper::Keeper;
use crate::limits::{BODY_MAX, COMES_BACK, HANDSHAKE_MAX, HEARTBEAT, SESSIONS_MAX, SWEEP};
use crate::refused;
use crate::sessions::{AtWork, Head, NotYours, Sessions};
use crate::talk::Writer;

/// So many clients that have no session are remembered.
const CLIENTS_MAX: usize = 256;

const SESSION: &str = "mcp-session-id";

/// One workspace over Streamable HTTP.
pub(crate) struct Streamable<S: Hosted> {
    service: StreamableHttpService<Handler<S>, Keeper<S>>,
    pub(crate) keeper: Arc<Keeper<S>>,
    /// The ids of the requests that a session has at work.
    at_work: InFlight,
    door: Arc<Door>,
}

impl<S: Hosted> Streamable<S> {
    pub(crate) fn new(server: &S, door: Arc<Door>, ending: CancellationToken) -> Self {
        let keeper = Arc::new(Keeper::new());
        let sessions = Arc::clone(&keeper.sessions);
        tokio::spawn(sweep(Arc::clone(&keeper), ending.clone()));
        // Host and Origin are the door's business.
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_sse_keep_alive(Some(HEARTBEAT))
            .with_sse_retry(Some(COMES_BACK))
            // What was mended may be longer than what came.
            .with_max_request_body_bytes(4 * BODY_MAX)
            .with_cancellation_token(ending);
        config.session_store = Some(Arc::<Sessions<S>>::clone(&sessions));
        let clients = Arc::<Clients<S>>::default();
        let server = server.clone();
        let handler = move || {
            let server = server.for_caller(Caller::default());
            let (clients, sessions) = (Arc::clone(&clients), Arc::clone(&sessions));
            Ok(Handler { server, clients, sessions })
        };
        let service = StreamableHttpService::new(handler, Arc::clone(&keeper), config);
        Self { service, keeper, at_work: InFlight::default(), door }
    }

    /// How many sessions live.
    pub(crate) fn count(&self) -> usize {
        self.keeper.sessions.count()
    }

    /// Answers a request with a body. Its session is in use from the head of the request on. If the server `ends`, only what is
    /// not answered is taken, as a cancellation is.
    pub(crate) async fn post(
        &self,
        mut parts: Parts,
        mut taken: Taken,
        caller: Caller,
        used: Option<AtWork<S>>,
        work: Work,
        ends: bool,
    ) -> Reply {
        used.iter().for_each(AtWork::go_on);
        name_types(&mut parts.headers);
        let body = std::mem::take(&mut taken.bytes);
        let guarded = guard(&body);
        let is_call = matches!(guarded, Guarded::Mended(..) | Guarded::Whole(_, Some(_)));
        let (body, kind, call, flaw) = match guarded {
            Guarded::Whole(kind, call) => (body, kind, call, None),
            Guarded::Mended(mended, kind, flaw) => (Bytes::from(mended), kind, None, flaw),
            Guarded::Refused(reply) => return json(StatusCode::BAD_REQUEST, &reply),
        };
        let in_session = used.is_some();
        let refuse = |reply| refused::of(reply, kind.id().cloned(), in_session);
        // A refusal of another kind keeps its status.
        let named = |reply| refused::of(reply, kind.id().cloned(), false);
        if ends && kind != Kind::Unanswered {
            return refuse(ending());
        }
        let is_handshake = matches!(kind, Kind::Handshake(_));
        if is_handshake && body.len() > HANDSHAKE_MAX {
            return refuse(handshake_too_long());
        }
        if is_handshake && self.count() >= SESSIONS_MAX {
            return refuse(later("too many sessions live; try again\n"));
        }
        let session = session_of(Some(&parts));
        let entered = match (session, &kind) {
            (Some(session), Kind::Request(id)) => match self.at_work.enter(session, id) {
                None => return json(StatusCode::BAD_REQUEST, &id_in_use(id)),
                entered => entered,
            },
            _ => None,
        };
        if let Some(flaw) = flaw {
            parts.extensions.insert(flaw);
        }
        parts.extensions.insert(caller.clone());
        // A call goes on when its client is gone, and so do its session and the room of its body. What another request keeps
        // of its body is short, and a subscription has no end of its own.
        let (used, body_room) = (used.map(Arc::new), taken.room.map(Arc::new));
        parts.extensions.insert((used.clone(), body_room.clone().filter(|_| is_call)));
        let call = call.filter(|call| names_no_version(call));
        let session = used.as_deref().filter(|_| call.is_some());
        let talk = session
            .filter(|session| session.has_taken(&parts.headers))
            .and_then(|session| self.keeper.talk(session.id()));
        if let (Some(talk), Some(mut call)) = (talk, call) {
            if let JsonRpcMessage::Request(request) = &mut *call {
                request.request.extensions_mut().insert(parts);
            }
            let Ok(reader) = talk.ask(*call, Writer::Ours) else { return named(no_session()) };
            drop(body_room);
            let held = (work, entered, used);
            return self.sent(Encoded::reply(reader), &taken.unsent, held, caller).await;
        }
        let head = session.and_then(|_| Head::of(&parts.headers));
        let is_json = is_of(&parts.headers, b"application/json");
        let names_session = parts.headers.contains_key(SESSION);
        let request = Request::from_parts(parts, Full::new(body));
        // What the SDK waits with is large.
        let reply = Box::pin(self.service.handle(request)).await;
        drop(body_room);
        if self.has_ended(reply.status(), used.as_deref(), names_session) {
            return named(no_session());
        }
        if is_json && reply.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return json(StatusCode::BAD_REQUEST, &unreadable(&kind));
        }
        if let Some(session) =
            session.filter(|_| head.is_some() && reply.status() == StatusCode::OK)
        {
            session.take_like(head);
        }
        if let Some(id) = reply.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.keeper.sessions.own(id, caller.clone());
        }
        named(self.sent(reply, &taken.unsent, (work, entered, used), caller).await)
    }

    /// Sends an answer, and holds something until that is done.
    async fn sent<B>(
        &self,
        reply: Response<B>,
        unsent: &Unsent,
        held: impl Send + 'static,
        caller: Caller,
    ) -> Reply
    where
        B: Body<Data = Bytes, Error = Infallible> + Send + Unpin + 'static,
    {
        let (head, body) = reply.into_parts();
        let body = Begun::of(body).await;
        let waits = unsent.waits(body.len());
        let body = Held::until_sent(body, (held, waits));
        if !is_of(&head.headers, b"text/event-stream") {
            return Response::from_parts(head, body.boxed_unsync());
        }
        let door = Arc::clone(&self.door);
        let body = Held::as_long_as(body, move || door.still_has(&caller));
        Response::from_parts(head, body.boxed_unsync())
    }

    /// Answers a request for a stream. One that comes back for an answer is at work until that is sent.
    pub(crate) async fn stream(&self, mut parts: Parts, caller: Caller, work: Work) -> Reply {
        name_types(&mut parts.headers);
        let Ok(used) = self.enter(&parts, &caller).await else { return no_session() };
        let door = Arc::clone(&self.door);
        let is_let_in = move || door.still_has(&caller);
        if let (Some(session), Some(event)) = (&used, last_event(&parts)) {
            let reader = match event.to_str().ok().and_then(Name::read) {
                Some(Name { of: Some(request), event }) => {
                    let reader = self.keeper.behind(session.id(), request, event);
                    let Some(reader) = reader else { return nothing_follows() };
                    Some(reader)
                }
                // The SDK gives the first event of the answer to a handshake the name of the first one of this stream.
                Some(Name { of: None, event: 0 }) => self.keeper.greeting(session.id()),
                Some(Name { of: None, .. }) => None,
                None => return nothing_follows(),
            };
            if let Some(reader) = reader {
                // The request may be at work, so its session stays awake.
                let (head, body) = Encoded::reply(reader).into_parts();
                let body = Held::as_long_as(Held::until_sent(body, (used, work)), is_let_in);
                return Response::from_parts(head, body.boxed_unsync());
            }
        }
        used.iter().for_each(AtWork::go_on);
        let names_session = parts.headers.contains_key(SESSION);
        let reply = self.service.handle(Request::from_parts(parts, empty())).await;
        if self.has_ended(reply.status(), used.as_ref(), names_session) {
            return no_session();
        }
        reply.map(|body| Held::as_long_as(body, is_let_in).boxed_unsync())
    }

    /// Ends a session.
    pub(crate) async fn end(&self, parts: Parts, caller: &Caller) -> Reply {
        let Ok(used) = self.enter(&parts, caller).await else { return no_session() };
        // The SDK says of any session that it has ended; that one is named, it checks.
        if used.is_none() && parts.headers.contains_key(SESSION) {
            return no_session();
        }
        let mut reply = self.service.handle(Request::from_parts(parts, empty())).await;
        if reply.status() == StatusCode::ACCEPTED {
            // The session has ended by now. The SDK of Python takes 202 for a failure.
            *reply.status_mut() = StatusCode::OK;
        }
        reply.map(http_body_util::BodyExt::boxed_unsync)
    }

    /// Begins a request of the session that it names. What was never begun is the SDK's to refuse.
    ///
    /// # Errors
    /// The session is another client's.
    pub(crate) async fn enter(
        &self,
        parts: &Parts,
        caller: &Caller,
    ) -> Result<Option<AtWork<S>>, NotYours> {
        let Some(id) = parts.headers.get(SESSION) else { return Ok(None) };
        self.keeper.sessions.enter(id.to_str().map_err(|_| NotYours)?, caller).await
    }

    /// Whether a request failed because its session has ended. If that was meanwhile, the SDK calls it a fault of the server.
    /// Without a session, a status of 404 is about the method.
    fn has_ended(&self, status: StatusCode, used: Option<&AtWork<S>>, names_session: bool) -> bool {
        match used {
            // It has a request at work, so it does not sleep.
            Some(used) if status == StatusCode::INTERNAL_SERVER_ERROR => {
                !self.keeper.is_awake(used.id())
            }
            _ => names_session && status == StatusCode::NOT_FOUND,
        }
    }
}

/// Puts quiet sessions to sleep until the end.
async fn sweep<S: Hosted>(keeper: Arc<Keeper<S>>, ending: CancellationToken) {
    while timeout(SWEEP, ending.cancelled()).await.is_err() {
        keeper.sweep(Instant::now());
    }
}

/// The answer to a client that names a session of another client: the same as for one that is not there.
pub(crate) fn no_session() -> Reply {
    plain(
        StatusCode::NOT_FOUND,
        "Session not found: it has ended; send initialize again for a new one\n",
    )
}

/// The answer to a client that comes back for nothing. The SDK would send it an empty stream, so that it came back for ever.
fn nothing_follows() -> Reply {
    let text = "nothing follows this event, or it is not kept any more; ask the file or the journal whether the call was \
                made, before you send it again\n";
    plain(StatusCode::BAD_REQUEST, text)
}

/// Whether a request leaves it to its head to say of which version it is.
fn names_no_version(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Request(asked) => asked.request.get_meta().protocol_version().is_none(),
        _ => false,
    }
}

/// The last event that a client has got, if it comes back for what follows.
pub(crate) fn last_event(parts: &Parts) -> Option<&HeaderValue> {
    parts.headers.get("last-event-id")
}

/// Names the types of the answers for a client that takes any type, as curl does. The SDK reads names alone.
fn name_types(headers: &mut HeaderMap) {
    let takes_any = headers.get_all(header::ACCEPT).iter().any(|accepted| {
        let types = accepted.as_bytes().split(|byte| *byte == b',');
        types.map(<[u8]>::trim_ascii).any(|it| it == b"*/*" || it.starts_with(b"*/*;"))
    });
    if takes_any {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
    }
}

/// Whether a body is of this type. A stream of events may have no end of its own.
fn is_of(headers: &HeaderMap, kind: &[u8]) -> bool {
    let given = headers.get(header::CONTENT_TYPE);
    given.is_some_and(|given| given.as_bytes().starts_with(kind))
}

/// The id of the session that a request names.
fn session_of(parts: Option<&Parts>) -> Option<&str> {
    parts?.headers.get(SESSION)?.to_str().ok()
}

fn empty() -> Full<Bytes> {
    Full::default()
}

/// The clients that have no session, each with its retries and the order of its calls.
#[derive(Debug)]
struct Clients<S> {
    /// By caller and program; the longest unused first.
    known: Mutex<VecDeque<(Client, S)>>,
}

/// Who calls, and by which program.
type Client = (Caller, Option<String>);

impl<S> Default for Clients<S> {
    fn default() -> Self {
        Self { known: Mutex::default() }
    }
}

impl<S: Hosted> Clients<S> {
    fn of(&self, server: &S, caller: &Caller, program: Option<String>) -> S {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (caller.clone(), program);
        let place = known.iter().position(|(known, _)| *known == key);
        let client = place.and_then(|place| known.remove(place));
        let server = client.map_or_else(|| server.for_caller(caller.clone()), |(_, server)| server);
        if known.len() >= CLIENTS_MAX {
            known.pop_front();
        }
        known.push_back((key, server.clone()));
        server
    }
}

/// The server behind the SDK: it is told what the door and the guards have found out.
#[derive(Debug, Clone)]
pub(crate) struct Handler<S> {
    /// The server for what belongs to nobody.
    server: S,
    clients: Arc<Clients<S>>,
    sessions: Arc<Sessions<S>>,
}

impl<S: Hosted> Handler<S> {
    /// The server as a session has it; `None` if there is no such session.
    fn of_session(&self, id: Option<&str>) -> Option<S> {
        self.sessions.server(id?, || self.server.for_caller(Caller::default()))
    }
}

/// Hands requests on to the server as they are. What follows `then` is done with the session of one that succeeds.
macro_rules! handed_on {
    ($($(#[$attribute:meta])* $name:ident($request:ty) -> $result:ty $(, then $then:ident)?;)*) => {$(
        $(#[$attribute])*
        async fn $name(
            &self,
            request: $request,
            context: RequestContext<RoleServer>,
        ) -> Result<$result, ErrorData> {
            let id = session_of(context.extensions.get()).map(str::to_owned);
            let server = self.of_session(id.as_deref());
            let result = server.as_ref().unwrap_or(&self.server).$name(request, context).await;
            $(if result.is_ok() && let Some(id) = &id {
                self.sessions.$then(id);
            })?
            result
        }
    )*};
}

#[expect(deprecated, reason = "subscriptions and log levels of the versions with a handshake")]
impl<S: Hosted> ServerHandler for Handler<S> {
    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.get_tool(name)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.server.discover(context).await
    }

    handed_on! {
        list_tools(Option<PaginatedRequestParams>) -> ListToolsResult;
        list_resources(Option<PaginatedRequestParams>) -> ListResourcesResult;
        list_resource_templates(Option<PaginatedRequestParams>) -> ListResourceTemplatesResult;
        read_resource(ReadResourceRequestParams) -> ReadResourceResponse;
        list_prompts(Option<PaginatedRequestParams>) -> ListPromptsResult;
        get_prompt(GetPromptRequestParams) -> GetPromptResponse;
        complete(CompleteRequestParams) -> CompleteResult;
        set_level(SetLevelRequestParams) -> (), then tell;
        subscribe(SubscribeRequestParams) -> (), then tell;
        unsubscribe(UnsubscribeRequestParams) -> ();
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.server.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.server.listen(context).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get_mut::<Parts>();
        let (flaw, caller) = parts.map_or_else(Default::default, |parts| {
            (parts.extensions.remove::<Flaw>(), parts.extensions.remove::<Caller>())
        });
        // Without the door nobody may write.
        let caller = caller.unwrap_or(Caller { name: None, may_write: false, secret: 0 });
        if let Some(flaw) = flaw {
            context.extensions.insert(flaw);
        }
        context.extensions.insert(caller.clone());
        if let Some(server) = self.of_session(session_of(context.extensions.get())) {
            return server.call_tool(request, context).await;
        }
        let program = program(&context);
        let server = self.clients.of(&self.server, &caller, program);
        server.call_tool(request, context).await
    }
}
