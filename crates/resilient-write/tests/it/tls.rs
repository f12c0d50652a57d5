//! The server over HTTPS.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject as _};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;

use crate::sandbox::Sandbox;
use crate::web::{Web, call};

const HTTPS: &[&str] =
    &["--transport", "http", "--tls-certificate", "cert.pem", "--tls-key", "key.pem", "-w", "work"];

/// A sandbox with the workspace `work`: the key may not lie in one.
fn with_workspace() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("work")).unwrap();
    sandbox
}

/// Puts a new certificate of its own and its key into the sandbox; gives the certificate.
fn renew(sandbox: &Sandbox) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    sandbox.put("cert.pem", made.cert.pem());
    sandbox.put("key.pem", made.signing_key.serialize_pem());
    CertificateDer::from_pem_slice(made.cert.pem().as_bytes()).unwrap()
}

/// What the server answers to a request of a client that trusts one certificate.
fn ask(web: &Web, trusted: &CertificateDer<'static>, body: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls_graviola::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(&web.address)?);
    let head = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
                Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: rw_safe_write\r\n\
                Connection: close\r\n";
    let (host, len) = (&web.address, body.len());
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{head}Content-Length: {len}\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn writing(path: &str) -> String {
    let mut message = call(1, "rw_safe_write", &json!({"path": path, "content": "x"}));
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    message.to_string()
}

#[test]
fn a_client_comes_by_https_and_a_renewed_certificate_counts_for_the_next_one() {
    let sandbox = with_workspace();
    let first = renew(&sandbox);
    let mut web = sandbox.listen(HTTPS);
    let written = ask(&web, &first, &writing("a")).unwrap();
    assert!(written.starts_with("HTTP/1.1 200") && written.contains("journal_id"), "{written}");
    assert_eq!(sandbox.text("work/a"), "x");

    let second = renew(&sandbox);
    ask(&web, &second, &writing("b")).unwrap();
    ask(&web, &first, &writing("c")).unwrap_err();
    assert!(!sandbox.path("work/c").exists());

    // One that is no use changes nothing.
    sandbox.put("cert.pem", "no certificate");
    ask(&web, &second, &writing("d")).unwrap();
    let told = web.said_until("the certificate that was read before holds");
    assert!(told.contains("cert.pem"), "{told}");

    // A client without TLS reaches nothing, and the others are served.
    let mut plain = web.say_half("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    ask(&web, &second, &writing("e")).unwrap();
}

#[test]
fn a_certificate_that_cannot_be_used_is_refused_at_the_start() {
    let sandbox = with_workspace();
    renew(&sandbox);
    let key = sandbox.text("key.pem");
    renew(&sandbox);
    for (file, text, told) in [
        ("key.pem", key.as_str(), "cannot be used together"),
        ("key.pem", "", "key.pem is no private key in PEM"),
        ("cert.pem", "", "cert.pem"),
    ] {
        let before = sandbox.text(file);
        sandbox.put(file, text);
        let ran = sandbox.run(&[HTTPS, &["--port", "0"]].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains(told), "{ran:?}");
        sandbox.put(file, before);
    }
    let alone = ["--transport", "http", "--tls-key", "key.pem"];
    assert_eq!(sandbox.run(&alone).code, 2);
}
