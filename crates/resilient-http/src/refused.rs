//! Refusals of messages as JSON-RPC has them. A text of another form reaches no user of some clients, and a status may
//! end all that a client has asked.

use http::response::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::BodyExt as _;
use rmcp::model::{ErrorCode, RequestId};
use serde_json::{Value, json};

use crate::body::{Reply, plain, whole};

/// The code of JSON-RPC for a request that the server does not take now.
const NOT_NOW: i32 = -32000;

/// The request that is refused.
#[derive(Debug, Clone)]
struct Of(RequestId);

/// Where a client gets a refusal that ends one request and nothing else. It is counted by its status all the same.
#[derive(Debug, Clone, Copy)]
enum Only {
    /// In the answer, which has the status of a success.
    Here,
    /// On its stream.
    OnStream,
}

/// Names the request that is refused, if it is known. Within a session nothing else ends then.
pub(crate) fn of(mut reply: Reply, id: Option<RequestId>, in_session: bool) -> Reply {
    if let Some(id) = id {
        reply.extensions_mut().insert(Of(id));
        if in_session {
            reply.extensions_mut().insert(Only::Here);
        }
    }
    reply
}

/// Tells a client on its stream of a refused request, if `tell` can; otherwise it has the answer alone.
pub(crate) async fn on_stream(
    reply: Reply,
    id: Option<RequestId>,
    tell: impl FnOnce(&Value) -> bool,
) -> Reply {
    let Some(id) = id else { return reply };
    let (head, error) = error(of(reply, Some(id), false)).await;
    let mut reply = rejoined(head, &error);
    if tell(&error) {
        reply.extensions_mut().insert(Only::OnStream);
    }
    reply
}

/// The answer to a message as its client is sent it.
pub(crate) async fn sent(mut reply: Reply) -> Reply {
    if !(reply.status().is_client_error() || reply.status().is_server_error()) {
        return reply;
    }
    let only = reply.extensions_mut().remove::<Only>();
    if let Some(Only::OnStream) = only {
        return plain(StatusCode::ACCEPTED, "Accepted");
    }
    if !is_json(reply.headers()) {
        let (head, error) = error(reply).await;
        reply = rejoined(head, &error);
    }
    if let Some(Only::Here) = only {
        *reply.status_mut() = StatusCode::OK;
    }
    reply
}

/// The head of a refusal in words, and its text as an error.
async fn error(reply: Reply) -> (Parts, Value) {
    let (mut head, body) = reply.into_parts();
    let Ok(text) = body.collect().await;
    let text = text.to_bytes();
    let is_for_now = head.status.is_server_error() || head.status == StatusCode::TOO_MANY_REQUESTS;
    let code = if is_for_now { NOT_NOW } else { ErrorCode::INVALID_REQUEST.0 };
    let error = json!({"code": code, "message": String::from_utf8_lossy(&text).trim_end()});
    let id = head.extensions.remove::<Of>().map(|Of(id)| id.into_json_value());
    (head, json!({"jsonrpc": "2.0", "id": id, "error": error}))
}

/// A refusal with the head of another.
fn rejoined(mut head: Parts, error: &Value) -> Reply {
    const KIND: &str = "application/json";
    let body = whole(head.status, KIND, error.to_string()).into_body();
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(KIND));
    Reply::from_parts(head, body)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}
