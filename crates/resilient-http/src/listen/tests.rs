//! Connections as they come and end, without a socket.

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};
use tokio::task::yield_now;

use super::*;
use crate::keeper::tests::{Stub, call, greeted, hello};

/// Before, the end of the server waited up to five seconds for each.
#[tokio::test]
async fn who_has_sent_nothing_at_the_end_is_not_waited_for() {
    let until = CancellationToken::new();
    until.cancel();
    let (_silent, ours) = duplex(8);
    assert!(heard(ours, &until).await.is_none());
    let (mut asking, ours) = duplex(8);
    asking.write_all(b"GET ").await.unwrap();
    let mut stream = heard(ours, &until).await.unwrap();
    asking.write_all(b"/").await.unwrap();
    drop(asking);
    let mut read = String::new();
    stream.read_to_string(&mut read).await.unwrap();
    assert_eq!(read, "GET /");
}

/// Sends a request on a connection of its own.
fn ask(
    places: &Arc<Places<Stub>>,
    closing: &Closing,
    method: &str,
    more: &str,
    message: &Value,
) -> DuplexStream {
    let body = if message.is_null() { String::new() } else { message.to_string() };
    let request = format!(
        "{method} /mcp HTTP/1.1\r\nhost: localhost:8000\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n{more}\r\n{body}",
        body.len()
    );
    let (mut client, stream) = duplex(64 << 10);
    client.write_all(request.as_bytes()).now_or_never().unwrap().unwrap();
    let (places, closing) = (Arc::clone(places), closing.clone());
    let here = ([127, 0, 0, 1], 8000).into();
    let ends = Ends { theirs: here, ours: here };
    let tell: Tell = Arc::new(|_| {});
    tokio::spawn(async move { converse(stream, ends, places, &closing, tell).await });
    client
}

/// What comes, up to the end of the line that has a text; and what that line has behind the text.
async fn hear(client: &mut DuplexStream, text: &str) -> (String, String) {
    let mut heard = String::new();
    loop {
        let line = heard.split_once(text).and_then(|(_, behind)| behind.split_once('\n'));
        if let Some((line, _)) = line {
            return (line.trim().to_owned(), heard);
        }
        let mut piece = [0; 4096];
        let count = client.read(&mut piece).await.unwrap();
        assert!(count > 0, "cut behind {heard:?}");
        heard.push_str(std::str::from_utf8(&piece[..count]).unwrap());
    }
}

/// Before, it was cut after five seconds, however long its call waited; and the server ended without it.
#[tokio::test]
async fn who_comes_back_at_the_end_stays_until_its_call_is_answered() {
    let stub = Stub::default();
    let place = Place { name: None, server: stub.clone(), directories: Vec::new() };
    let door = Door::new(Names::default(), None);
    let places = Arc::new(Places::new(Protocol::Http, vec![place], door));
    let stop = CancellationToken::new();
    let closing = Closing { stop: stop.clone(), until: stop.clone(), patience: Duration::ZERO };
    let ask = |method, more: &str, message| ask(&places, &closing, method, more, &message);
    let (session, _) = hear(&mut ask("POST", "", hello()), "mcp-session-id: ").await;
    let session = format!("mcp-session-id: {session}\r\n");
    hear(&mut ask("POST", &session, greeted()), "HTTP/1.1 202").await;
    let mut broken = ask("POST", &session, call("wait", &json!({})));
    let (event, _) = hear(&mut broken, "\nid: ").await;
    drop(broken);
    for _ in 0..100 {
        yield_now().await;
    }
    stop.cancel();
    places.close();
    let mut back = ask("GET", &format!("{session}last-event-id: {event}\r\n"), Value::Null);
    hear(&mut back, "HTTP/1.1 200").await;
    let early = timeout(Duration::from_millis(2), hear(&mut back, "\"result\""));
    assert!(early.await.is_err(), "its call waits");
    // Its patience is over by now.
    for _ in 0..100 {
        yield_now().await;
    }
    let mut end = pin!(places.finish(Duration::MAX));
    assert!(end.as_mut().now_or_never().is_none(), "the server ends without it");
    stub.gate.0.add_permits(1);
    hear(&mut back, "\"result\"").await;
    assert!(end.await);
}

#[test]
fn only_loopback_is_not_exposed() {
    for host in ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"] {
        assert!(!is_exposed(host), "{host}");
    }
    for host in ["0.0.0.0", "::", "10.0.0.1", "example.org", "", "localhost.example.org"] {
        assert!(is_exposed(host), "{host}");
    }
}
