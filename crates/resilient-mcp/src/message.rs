//! One line of input: what it asks for, or the answer that refuses it.
//!
//! The SDK drops what it cannot parse, and a client that asked then waits for ever. Here every
//! line that may have been a request is answered. Two faults that models make, a lone surrogate
//! and arguments sent as a string, do not cost the call its answer as a tool result: the first is
//! patched so that the call can be refused by the tool's own envelope, the second is simply read.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode,
    JsonRpcMessage, RequestId, RequestMetaObject,
};
use serde_json::{Map, Value, json};

use crate::keys::{Repeated, repeated, repeated_in_arguments, repeated_in_each};
use crate::skim::Skim;

/// What a line turned out to be.
pub(crate) enum Incoming {
    /// A request, a notification, or a reply to what the server asked.
    Message(Box<ClientJsonRpcMessage>),
    /// Several messages on one line.
    Batch(Vec<InBatch>),
    /// A line that is refused with this reply.
    Refused(Value),
    /// A line that asks for nothing and that the protocol does not know.
    Ignored,
}

/// One message of a batch.
pub(crate) struct InBatch {
    message: Value,
    /// The first key that it has twice.
    repeated: Option<Repeated>,
}

/// What is wrong with a call that names its tool but cannot run. It travels with the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// An escape such as `\ud800` without its other half: no text can hold it.
    LoneSurrogate,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// The arguments are a string that is not the text of an object; one that was cut, mostly.
    BrokenText,
    /// The arguments are something else that is no object.
    NotAnObject,
    /// An object of the arguments has a key twice: two readers may each take another value.
    Repeated {
        /// The argument that is or has the key.
        argument: String,
        /// The key.
        key: String,
    },
    /// The caller may only read, and the tool writes.
    MayNotWrite,
}

impl Flaw {
    /// What the text of the arguments shows and the parsed object does not.
    pub(crate) fn of_arguments(text: &[u8]) -> Option<Self> {
        match repeated_in_arguments(text) {
            Some(Repeated::InArguments { argument, key }) => Some(Self::Repeated { argument, key }),
            _ => None,
        }
    }
}

/// A call whose arguments came as the text of an object; travels with the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FromText;

/// Reads one line, without its newline.
pub(crate) fn read(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.iter().all(|byte| b" \t\r\n".contains(byte)) {
        return Incoming::Ignored;
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(message)) => unless_repeated(classify(message, None), repeated(line)),
        Ok(Value::Array(messages)) => {
            let mut repeated = repeated_in_each(line).into_iter();
            let of = |message| InBatch { message, repeated: repeated.next().flatten() };
            Incoming::Batch(messages.into_iter().map(of).collect())
        }
        Ok(_) => not_an_object(),
        Err(error) => {
            let (patched, flaw) = patch(line);
            match serde_json::from_slice(&patched) {
                Ok(Value::Object(message)) if is_tool_call(&message) => {
                    unless_repeated(classify(message, Some(flaw)), repeated(&patched))
                }
                _ => {
                    let message = format!("parse error: {error}");
                    refused(Skim::id_of(line), ErrorCode::PARSE_ERROR, &message)
                }
            }
        }
    }
}

/// Reads one message of a batch. The first of a connection is none: nobody knows yet whether the client
/// may send batches.
pub(crate) fn read_in_batch(InBatch { message, repeated }: InBatch) -> Incoming {
    match message {
        Value::Object(message) if message.get("method").is_some_and(|it| it == "initialize") => {
            let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            refused(id, ErrorCode::INVALID_REQUEST, "initialize may not be part of a batch")
        }
        Value::Object(message) => unless_repeated(classify(message, None), repeated),
        _ => not_an_object(),
    }
}

/// The reply to a batch of no messages.
pub(crate) fn empty_batch() -> Value {
    error_reply(None, ErrorCode::INVALID_REQUEST, "a batch has at least one message")
}

/// The reply to what asks for nothing, where something has to be answered.
pub(crate) fn no_message() -> Value {
    error_reply(None, ErrorCode::INVALID_REQUEST, "a message has a method, a result or an error")
}

/// The reply to a batch of a client whose protocol version has none.
pub(crate) fn no_batches() -> Value {
    let message = "send one message at a time: only protocol version 2025-03-26 has batches, and only over stdio and SSE";
    error_reply(None, ErrorCode::INVALID_REQUEST, message)
}

/// The reply to a line that was too long to be kept.
pub(crate) fn too_long(id: Option<RequestId>, limit: usize) -> Value {
    let message = format!("a message may have at most {limit} bytes; send the content in parts");
    error_reply(id, ErrorCode::INVALID_REQUEST, &message)
}

/// The reply to a handshake that is too long to be kept.
pub(crate) fn handshake_too_long(id: RequestId, limit: usize) -> Value {
    let message = format!("a handshake has at most {limit} bytes");
    error_reply(Some(id), ErrorCode::INVALID_REQUEST, &message)
}

/// The reply to a request whose id belongs to one that is not done yet.
#[must_use]
pub fn id_in_use(id: &RequestId) -> Value {
    let message = "a request with this id is still being worked on";
    error_reply(Some(id.clone()), ErrorCode::INVALID_REQUEST, message)
}

/// The reply to a message of which a field is of another type than the protocol says.
pub(crate) fn unreadable(id: Option<RequestId>) -> Value {
    let message =
        "a field of the message is not as the protocol has it; compare it with the schema";
    error_reply(id, ErrorCode::INVALID_REQUEST, message)
}

fn not_an_object() -> Incoming {
    refused(None, ErrorCode::INVALID_REQUEST, "a message is a JSON object")
}

fn refused(id: Option<RequestId>, code: ErrorCode, message: &str) -> Incoming {
    Incoming::Refused(error_reply(id, code, message))
}

fn error_reply(id: Option<RequestId>, code: ErrorCode, message: &str) -> Value {
    let id = id.map_or(Value::Null, RequestId::into_json_value);
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}})
}

/// A message, unless it has a key twice. A call of a tool whose arguments have one is refused by the tool.
fn unless_repeated(mut incoming: Incoming, repeated: Option<Repeated>) -> Incoming {
    let (Incoming::Message(message), Some(repeated)) = (&mut incoming, repeated) else {
        return incoming;
    };
    let request = match &mut **message {
        JsonRpcMessage::Request(request) => Some(request),
        _ => None,
    };
    let id = request.as_ref().map(|request| request.id.clone());
    let key = match (repeated, request.map(|request| &mut request.request)) {
        (Repeated::InArguments { argument, key }, Some(ClientRequest::CallToolRequest(call))) => {
            if call.extensions.get::<Flaw>().is_none() {
                call.extensions.insert(Flaw::Repeated { argument, key });
            }
            return incoming;
        }
        (Repeated::Key(key) | Repeated::InArguments { key, .. }, _) => key,
    };
    let text = format!("the message has the key {key:?} twice; send it once");
    refused(id, ErrorCode::INVALID_REQUEST, &text)
}

fn is_tool_call(message: &Map<String, Value>) -> bool {
    message.get("method").is_some_and(|method| method == "tools/call")
}

fn is_reply(message: &Map<String, Value>) -> bool {
    message.contains_key("result") || message.contains_key("error")
}

fn classify(message: Map<String, Value>, flaw: Option<Flaw>) -> Incoming {
    let id = match message.get("id") {
        None => return unanswered(message),
        Some(_) if !message.contains_key("method") && is_reply(&message) => {
            return unanswered(message);
        }
        Some(id) => serde_json::from_value::<RequestId>(id.clone()).ok(),
    };
    let Some(id) = id else {
        return refused(None, ErrorCode::INVALID_REQUEST, "an id is a string or an integer");
    };
    if message.get("jsonrpc").is_none_or(|version| version != "2.0") {
        return refused(Some(id), ErrorCode::INVALID_REQUEST, "\"jsonrpc\" must be \"2.0\"");
    }
    if is_reply(&message) {
        let text = "a request has neither \"result\" nor \"error\"";
        return refused(Some(id), ErrorCode::INVALID_REQUEST, text);
    }
    if is_tool_call(&message) {
        return tool_call(id, message, flaw);
    }
    match serde_json::from_value(Value::Object(message)) {
        Ok(request) => Incoming::Message(Box::new(request)),
        Err(_) => refused(Some(id), ErrorCode::INVALID_REQUEST, "not a valid request"),
    }
}

/// A notification, or the reply to a request of the server: nobody waits for an answer.
fn unanswered(message: Map<String, Value>) -> Incoming {
    match serde_json::from_value(Value::Object(message)) {
        Ok(JsonRpcMessage::Request(_)) | Err(_) => Incoming::Ignored,
        Ok(message) => Incoming::Message(Box::new(message)),
    }
}

/// Builds a tool call by hand: the SDK's own way copies the content several times and knows
/// neither a flaw nor arguments in a string.
fn tool_call(id: RequestId, mut message: Map<String, Value>, flaw: Option<Flaw>) -> Incoming {
    let Some(Value::Object(mut params)) = message.shift_remove("params") else {
        return refused(Some(id), ErrorCode::INVALID_PARAMS, "params must be an object");
    };
    let Some(Value::String(name)) = params.shift_remove("name") else {
        return refused(Some(id), ErrorCode::INVALID_PARAMS, "name must be a string");
    };
    let arguments = params.shift_remove("arguments");
    let is_text = matches!(arguments, Some(Value::String(_)));
    let (arguments, flaw) = match arguments {
        None | Some(Value::Null) => (Map::new(), flaw),
        Some(Value::Object(arguments)) => (arguments, flaw),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(arguments)) => {
                (arguments, flaw.or_else(|| Flaw::of_arguments(text.as_bytes())))
            }
            _ => (Map::new(), flaw.or(Some(Flaw::BrokenText))),
        },
        Some(_) => (Map::new(), flaw.or(Some(Flaw::NotAnObject))),
    };
    let mut call = CallToolRequestParams::new(name).with_arguments(arguments);
    match params.shift_remove("inputResponses") {
        None | Some(Value::Null) => {}
        Some(Value::Object(responses)) => {
            call.input_responses = Some(responses.into_iter().collect());
        }
        Some(_) => {
            return refused(
                Some(id),
                ErrorCode::INVALID_PARAMS,
                "inputResponses must be an object",
            );
        }
    }
    match params.shift_remove("requestState") {
        None | Some(Value::Null) => {}
        Some(Value::String(state)) => call.request_state = Some(state),
        Some(_) => {
            return refused(Some(id), ErrorCode::INVALID_PARAMS, "requestState must be a string");
        }
    }
    let mut request = CallToolRequest::new(call);
    match params.shift_remove("_meta") {
        None | Some(Value::Null) => {}
        Some(Value::Object(meta)) => {
            request.extensions.insert(RequestMetaObject::from(meta));
        }
        Some(_) => {
            return refused(Some(id), ErrorCode::INVALID_PARAMS, "_meta must be an object");
        }
    }
    if is_text {
        request.extensions.insert(FromText);
    }
    if let Some(flaw) = flaw {
        request.extensions.insert(flaw);
    }
    let request = ClientRequest::CallToolRequest(request);
    Incoming::Message(Box::new(ClientJsonRpcMessage::request(request, id)))
}

/// Makes a line parse that only fails for its characters, and says which.
fn patch(line: &[u8]) -> (Vec<u8>, Flaw) {
    match std::str::from_utf8(line) {
        Ok(_) => (without_lone_surrogates(line), Flaw::LoneSurrogate),
        Err(_) => {
            let text = String::from_utf8_lossy(line);
            (without_lone_surrogates(text.as_bytes()), Flaw::NotUtf8)
        }
    }
}

/// Replaces every `\uD800`–`\uDFFF` escape that is not part of a pair by `\uFFFD`.
fn without_lone_surrogates(line: &[u8]) -> Vec<u8> {
    let mut patched = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        patched.extend_from_slice(plain);
        let (kept, taken): (&[u8], usize) = match (surrogate(escape), escape.get(6..)) {
            (Some(Half::High), Some(next)) if surrogate(next) == Some(Half::Low) => (escape, 12),
            (Some(_), _) => (br"\ufffd", 6),
            // A backslash and the character it escapes go together: `\\ud800` is plain text.
            (None, _) => (escape, 2),
        };
        patched.extend(kept.iter().take(taken));
        rest = escape.get(taken..).unwrap_or_default();
    }
    patched.extend_from_slice(rest);
    patched
}

#[derive(Debug, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// Which half of a pair the escape at the start of `text` is, if any.
fn surrogate(text: &[u8]) -> Option<Half> {
    let digits = std::str::from_utf8(text.strip_prefix(br"\u")?.get(..4)?).ok()?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(line: &str) -> String {
        String::from_utf8(without_lone_surrogates(line.as_bytes())).unwrap()
    }

    #[test]
    fn only_lone_surrogates_are_patched() {
        assert_eq!(patched(r#""\ud83d\ude00""#), r#""\ud83d\ude00""#);
        assert_eq!(patched(r#""\ud83d""#), r#""\ufffd""#);
        assert_eq!(patched(r#""\ude00\ud83d""#), r#""\ufffd\ufffd""#);
        assert_eq!(patched(r#""\ud83d\ud83d\ude00""#), r#""\ufffd\ud83d\ude00""#);
        assert_eq!(patched(r#""\\ud83d \" \n""#), r#""\\ud83d \" \n""#);
        assert_eq!(patched(r#""\ud8"#), r#""\ud8"#);
        assert_eq!(patched(r"\"), r"\");
    }

    /// The SDK takes one of the values, and another reader the other.
    #[test]
    fn a_key_that_is_there_twice_is_refused_with_the_id_of_the_request() {
        let told = |incoming| match incoming {
            Incoming::Refused(reply) => reply,
            _ => json!("taken"),
        };
        let twice = |key: &str, id: Value| {
            let message = format!("the message has the key {key:?} twice; send it once");
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": message}})
        };
        let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}"#;
        let told_of_ping = twice("method", json!(7));
        assert_eq!(told(read(ping.as_bytes())), told_of_ping);
        let noted = r#"{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}"#;
        assert_eq!(told(read(noted.as_bytes())), twice("a", json!(null)));
        let call = r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"\ud800","name":"a"}}"#;
        assert_eq!(told(read(call.as_bytes())), twice("name", json!(8)));
        // A prompt has arguments, too.
        let prompt = r#"{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"a","arguments":{"a":"1","a":"2"}}}"#;
        assert_eq!(told(read(prompt.as_bytes())), twice("a", json!(9)));
        let Incoming::Batch(batch) = read(format!("[7,{ping},{prompt}]").as_bytes()) else {
            panic!()
        };
        let all: Vec<Value> = batch.into_iter().map(read_in_batch).map(told).collect();
        assert_eq!(all[1..], [told_of_ping, twice("a", json!(9))]);
        assert_eq!(all[0]["error"]["message"], "a message is a JSON object");
    }

    /// The last value counted, and a client that shows the first one shows another call than is made.
    #[test]
    fn a_call_of_which_an_argument_is_there_twice_has_this_flaw() {
        let flaw = |incoming| match incoming {
            Incoming::Message(message) => match *message {
                JsonRpcMessage::Request(request) => match request.request {
                    ClientRequest::CallToolRequest(call) => call.extensions.get::<Flaw>().cloned(),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let twice = |argument: &str, key: &str| {
            Some(Flaw::Repeated { argument: argument.into(), key: key.into() })
        };
        for (arguments, expected) in [
            (r#"{"a":1,"b":1}"#, None),
            (r#"{"a":1,"a":1}"#, twice("a", "a")),
            (r#"{"b":[{"a":1,"a":2}]}"#, twice("b", "a")),
            (r#""{\"a\":1,\"a\":2}""#, twice("a", "a")),
            (r#"{"a":"\ud800","a":2}"#, Some(Flaw::LoneSurrogate)),
        ] {
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}"#
            );
            assert_eq!(flaw(read(call.as_bytes())), expected, "{call}");
            let Incoming::Batch(batch) = read(format!("[{call}]").as_bytes()) else { continue };
            let all: Vec<_> = batch.into_iter().map(read_in_batch).map(flaw).collect();
            assert_eq!(all, [expected], "{call}");
        }
    }

    /// Over HTTP the SDK refuses both, and a call that passes the SDK by was made.
    #[test]
    fn a_call_that_is_a_reply_too_and_one_behind_a_form_feed_are_refused() {
        let call = r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"a"}}"#;
        assert!(matches!(read(format!(" \t\r{call}\n ").as_bytes()), Incoming::Message(_)));
        for reply in ["\"result\":{}", "\"error\":null"] {
            let both = call.replace("\"id\":8", &format!("\"id\":8,{reply}"));
            let Incoming::Refused(told) = read(both.as_bytes()) else { panic!("{both}") };
            assert_eq!((&told["id"], &told["error"]["code"]), (&json!(8), &json!(-32600)));
        }
        for fed in [format!("\x0C{call}"), format!("{call}\x0C")] {
            assert!(matches!(read(fed.as_bytes()), Incoming::Refused(_)), "{fed:?}");
        }
    }

    #[test]
    fn what_asks_for_nothing_and_means_nothing_is_ignored() {
        for line in [r#""#, r#"{"jsonrpc":"2.0"}"#, r#"{"jsonrpc":"1.0","method":"x"}"#] {
            assert!(matches!(read(line.as_bytes()), Incoming::Ignored), "{line}");
        }
    }

    #[test]
    fn notifications_and_replies_of_the_client_are_handed_on() {
        for line in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
            r#"{"jsonrpc":"2.0","method":"textDocument/didOpen"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ] {
            let Incoming::Message(message) = read(line.as_bytes()) else { panic!("{line}") };
            assert!(!matches!(*message, JsonRpcMessage::Request(_)), "{line}");
        }
    }

    #[test]
    fn a_call_keeps_every_field() {
        let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",
            "arguments":{"a":1},"inputResponses":{"q":{"action":"accept"}},"requestState":"s",
            "_meta":{"progressToken":7}}}"#;
        let Incoming::Message(message) = read(line.as_bytes()) else { panic!("refused") };
        let JsonRpcMessage::Request(request) = *message else { panic!("no request") };
        let ClientRequest::CallToolRequest(call) = request.request else { panic!("no call") };
        assert_eq!(call.params.name, "x");
        assert_eq!(call.params.arguments, json!({"a": 1}).as_object().cloned());
        assert_eq!(call.params.input_responses.unwrap()["q"], json!({"action": "accept"}));
        assert_eq!(call.params.request_state.as_deref(), Some("s"));
        let meta = call.extensions.get::<RequestMetaObject>().unwrap();
        assert_eq!(meta.get("progressToken"), Some(&json!(7)));
    }

    #[test]
    fn a_request_that_cannot_be_read_is_answered_with_its_id() {
        for (line, id, code) in [
            (r#"7"#, json!(null), -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(null), -32600),
            (r#"{"id":5,"method":"ping"}"#, json!(5), -32600),
            (r#"{"jsonrpc":"2.0","id":6}"#, json!(6), -32600),
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, json!(7), -32602),
            (r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{}}"#, json!(8), -32602),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"tools/call",
                    "params":{"name":"x","requestState":1}}"#,
                json!(8),
                -32602,
            ),
            (r#"{"jsonrpc":"2.0","id":"x","method":"ping""#, json!("x"), -32700),
            (r#"{"jsonrpc":"2.0","id":9,"method":"\ud800"}"#, json!(9), -32700),
            (r#"hello"#, json!(null), -32700),
        ] {
            let Incoming::Refused(reply) = read(line.as_bytes()) else { panic!("{line}") };
            assert_eq!(reply["id"], id, "{line}");
            assert_eq!(reply["error"]["code"], code, "{line}");
        }
    }
}
