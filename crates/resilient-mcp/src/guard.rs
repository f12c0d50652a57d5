//! The guards of `message` for a transport that hands the SDK bytes rather than messages, as HTTP does.
//!
//! A body that the SDK would misread is mended before it gets there: arguments that came as a string become an
//! object, and what no text can hold is patched out and noted as a [`Flaw`], as an argument that is there twice is. So the
//! call is refused by the envelope of its tool. What cannot be mended is refused with a JSON-RPC error.

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
};
use serde_json::Value;

use crate::message::{self, FromText, Incoming};
pub use crate::message::{Flaw, id_in_use};

/// The longest cancellation: it has the id of a request, and a reason.
const CANCEL_MAX: usize = 4096;

/// One body after the guards.
#[derive(Debug)]
pub enum Guarded {
    /// It goes on as it is. A call of a tool is there as a message, too.
    Whole(Kind, Option<Box<ClientJsonRpcMessage>>),
    /// It goes on with these bytes in its place.
    Mended(Vec<u8>, Kind, Option<Flaw>),
    /// It is refused with this reply.
    Refused(Value),
}

/// What a body is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The request that begins a session, with its id.
    Handshake(RequestId),
    /// Another request, with its id.
    Request(RequestId),
    /// A notification, or a reply to the server.
    Unanswered,
}

impl Kind {
    /// The id of a request.
    #[must_use]
    pub fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Handshake(id) | Self::Request(id) => Some(id),
            Self::Unanswered => None,
        }
    }
}

/// Looks at one body.
#[must_use]
pub fn guard(body: &[u8]) -> Guarded {
    match message::read(body) {
        Incoming::Message(message) => guarded(body, message),
        Incoming::Batch(_) => Guarded::Refused(message::no_batches()),
        Incoming::Refused(reply) => Guarded::Refused(reply),
        Incoming::Ignored => Guarded::Refused(message::no_message()),
    }
}

/// The request that a body cancels.
#[must_use]
pub fn cancelled(body: &[u8]) -> Option<RequestId> {
    if body.len() > CANCEL_MAX {
        return None;
    }
    let Incoming::Message(message) = message::read(body) else { return None };
    let JsonRpcMessage::Notification(noted) = *message else { return None };
    match noted.notification {
        ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id,
        _ => None,
    }
}

/// The reply to a body that the SDK cannot read, although it is a message.
#[must_use]
pub fn unreadable(kind: &Kind) -> Value {
    message::unreadable(kind.id().cloned())
}

fn guarded(body: &[u8], message: Box<ClientJsonRpcMessage>) -> Guarded {
    let JsonRpcMessage::Request(request) = &*message else {
        return Guarded::Whole(Kind::Unanswered, None);
    };
    let kind = Kind::Request(request.id.clone());
    match &request.request {
        ClientRequest::InitializeRequest(_) => {
            Guarded::Whole(Kind::Handshake(request.id.clone()), None)
        }
        ClientRequest::CallToolRequest(call) => {
            let flaw = call.extensions.get::<Flaw>().cloned();
            let has_bom = body.starts_with(b"\xEF\xBB\xBF");
            if flaw.is_none() && call.extensions.get::<FromText>().is_none() && !has_bom {
                return Guarded::Whole(kind, Some(message));
            }
            match serde_json::to_vec(&message) {
                Ok(mended) => Guarded::Mended(mended, kind, flaw),
                Err(_) => Guarded::Refused(message::no_message()),
            }
        }
        _ => Guarded::Whole(kind, None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(arguments: &str) -> Vec<u8> {
        let head = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","#;
        format!("{head}\"arguments\":{arguments},\"requestState\":\"s\",\"_meta\":{{\"a\":1}}}}}}")
            .into_bytes()
    }

    #[test]
    fn a_body_that_the_sdk_reads_well_is_not_touched() {
        assert!(matches!(guard(&call(r#"{"a":1}"#)), Guarded::Whole(Kind::Request(_), Some(_))));
        let noted = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert!(matches!(guard(noted), Guarded::Whole(Kind::Unanswered, None)));
    }

    #[test]
    fn arguments_in_a_string_become_an_object_and_nothing_else_is_lost() {
        let Guarded::Mended(body, Kind::Request(_), None) = guard(&call(r#""{\"a\":1}""#)) else {
            panic!("not mended");
        };
        let mended: Value = serde_json::from_slice(&body).unwrap();
        let params =
            json!({"name": "x", "arguments": {"a": 1}, "requestState": "s", "_meta": {"a": 1}});
        assert_eq!(mended["params"], params);
        assert_eq!((&mended["id"], &mended["method"]), (&json!(1), &json!("tools/call")));
    }

    #[test]
    fn what_the_tool_is_to_refuse_is_noted() {
        let flaw = |body: &[u8]| match guard(body) {
            Guarded::Mended(body, _, flaw) => {
                serde_json::from_slice::<Value>(&body).unwrap();
                flaw
            }
            _ => None,
        };
        assert_eq!(flaw(&call(r#"{"a":"\ud800"}"#)), Some(Flaw::LoneSurrogate));
        assert_eq!(flaw(&call(r#""{\"a\":""#)), Some(Flaw::BrokenText));
        assert_eq!(flaw(&call("7")), Some(Flaw::NotAnObject));
        let twice = Flaw::Repeated { argument: "a".into(), key: "a".into() };
        assert_eq!(flaw(&call(r#"{"a":1,"a":2}"#)), Some(twice));
        let latin = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\xE9\"}}";
        assert_eq!(flaw(latin), Some(Flaw::NotUtf8));
    }

    /// Before, the SDK answered with a status about the type of the content.
    #[test]
    fn a_key_that_is_there_twice_is_refused_with_the_id_of_the_request() {
        let twice = br#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}"#;
        let Guarded::Refused(reply) = guard(twice) else { panic!("taken") };
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(7), &json!(-32600)));
        assert!(reply["error"]["message"].as_str().unwrap().contains("\"method\""), "{reply}");
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for body in [&b""[..], b"[]", b"7", b"{", b"{\"jsonrpc\":\"2.0\"}"] {
            let Guarded::Refused(reply) = guard(body) else { panic!("{body:?}") };
            assert!(reply["error"]["code"].is_number(), "{reply}");
        }
    }
}
