//! Spans of the calls, as a collector of OpenTelemetry gets them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Takes posts of spans until something else comes; gives their paths and bodies.
fn collect(listener: &TcpListener) -> Vec<(String, String)> {
    let mut taken = Vec::new();
    loop {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = BufReader::new(stream);
        loop {
            let (mut head, mut line) = (String::new(), String::new());
            while stream.read_line(&mut line).unwrap() > 2 {
                head.push_str(&std::mem::take(&mut line));
            }
            if head.starts_with("END") {
                return taken;
            }
            let Some(path) = head.split(' ').nth(1) else { break };
            let len = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("content-length").then(|| value.parse().unwrap())
            });
            let mut body = vec![0; len.unwrap()];
            stream.read_exact(&mut body).unwrap();
            taken.push((path.to_owned(), String::from_utf8(body).unwrap()));
            let answer =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    }
}

#[test]
fn a_collector_gets_a_span_of_each_call_and_nothing_of_its_content() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let taken = std::thread::spawn(move || collect(&listener));
    let sandbox = Sandbox::new().with("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}"));
    let mut client = sandbox.serve(&[]);
    let arguments = json!({"path": "a-path.txt", "content": "a content"});
    client.request("tools/call", json!({"name": "rw_safe_write", "arguments": arguments}));
    client.request("tools/call", json!({"name": "rw_safe_write", "arguments": arguments}));
    let (_, status) = client.hang_up();
    assert_eq!(status, 0);
    std::net::TcpStream::connect(address).unwrap().write_all(b"END\r\n\r\n").unwrap();

    let taken = taken.join().unwrap();
    let mut spans = Vec::new();
    for (path, body) in &taken {
        assert_eq!(path, "/v1/traces");
        assert!(!body.contains("a-path") && !body.contains("a content"), "{body}");
        let body: Value = serde_json::from_str(body).unwrap();
        let of = &body["resourceSpans"][0];
        assert!(of["resource"].to_string().contains(r#""resilient-write""#), "{of}");
        spans.extend(of["scopeSpans"][0]["spans"].as_array().unwrap().clone());
    }
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tools/call rw.safe_write"; 2], "{taken:?}");
    assert!(spans[1].to_string().contains(r#""stale_precondition""#), "{taken:?}");
}

#[test]
fn a_collector_that_is_not_there_hinders_nothing() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let sandbox = Sandbox::new().with("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{free}"));
    let mut client = sandbox.serve(&[]);
    client.gives("rw_safe_write", json!({"path": "a", "content": "x"}), &[]);
    let (_, status) = client.hang_up();
    assert_eq!((status, sandbox.text("a")), (0, "x".to_owned()));
}
