//! An OpenAI-compatible endpoint: one request at a time, at a bounded rate, tried again.
//!
//! What will not go away by waiting is told at once; what may, is waited for: as long as the
//! endpoint says, or twice as long each time. Keys are sent and never written down.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use ureq::Agent;

/// How often a request is made before it is given up.
const TRIES: u32 = 7;
/// No wait is longer.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// How to reach a model.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The address up to and without `/chat/completions`.
    pub(crate) base_url: String,
    /// The key, where one is needed.
    pub(crate) key: Option<String>,
    /// Requests a minute, where they are limited.
    pub(crate) per_minute: Option<f64>,
    /// How long an answer may take.
    pub(crate) patience: Duration,
    /// The first wait when a request has to be made again.
    pub(crate) first_wait: Duration,
}

/// An endpoint and when it was last asked.
pub(crate) struct Endpoint {
    settings: Settings,
    agent: Agent,
    last: Option<Instant>,
}

/// What an endpoint answered.
#[derive(Debug)]
pub(crate) enum Answer {
    /// An answer, and how many requests it took.
    Said(Value, u64),
    /// The conversation is longer than the model's context.
    TooLong,
}

impl Endpoint {
    /// Prepares for requests; makes none.
    ///
    /// # Errors
    /// The certificates of this system cannot be read.
    pub(crate) fn new(settings: Settings) -> Result<Self> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(settings.patience));
        let config = secured(config, &settings.base_url)?;
        Ok(Self { settings, agent: config.build().into(), last: None })
    }

    /// Asks.
    ///
    /// # Errors
    /// It cannot be reached, refuses for good, or is too busy for too long.
    pub(crate) fn ask(&mut self, body: &Value) -> Result<Answer> {
        let url = format!("{}/chat/completions", self.settings.base_url.trim_end_matches('/'));
        let mut wait = self.settings.first_wait;
        let mut problem = String::new();
        for attempt in 1..=TRIES {
            self.keep_the_rate();
            let mut request = self.agent.post(&url).header("x-title", "Resilient Agent Benchmark");
            if let Some(key) = &self.settings.key {
                request = request.header("authorization", format!("Bearer {key}"));
            }
            let mut told = None;
            match request.send_json(body) {
                Ok(mut response) => {
                    let status = response.status().as_u16();
                    let after = response.headers().get("retry-after");
                    told = after.and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
                    let text = response.body_mut().read_to_string().unwrap_or_default();
                    match status {
                        200 => {
                            let answer = serde_json::from_str(&text).context("no JSON")?;
                            return Ok(Answer::Said(answer, u64::from(attempt)));
                        }
                        400 | 413 if is_too_long(&text) => return Ok(Answer::TooLong),
                        408 | 409 | 425 | 429 | 500.. => {
                            problem = format!("status {status}: {text}");
                        }
                        _ => bail!("{url} answered status {status}: {text}"),
                    }
                }
                Err(error) if may_pass(&error) => problem = error.to_string(),
                Err(error) => bail!("{url}: {error}"),
            }
            if attempt < TRIES {
                sleep(told.map_or(wait, Duration::from_secs).min(WAIT_MAX));
                wait = wait.saturating_mul(2);
            }
        }
        bail!("{url} did not answer in {TRIES} tries: {problem}")
    }

    fn keep_the_rate(&mut self) {
        if let (Some(per_minute), Some(last)) = (self.settings.per_minute, self.last) {
            let between = Duration::from_secs_f64(60.0 / per_minute.max(0.01));
            sleep(between.saturating_sub(last.elapsed()));
        }
        self.last = Some(Instant::now());
    }
}

/// Whether waiting may help; it does not with an address or a certificate that is wrong.
fn may_pass(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Io(error) => error.kind() != std::io::ErrorKind::InvalidData,
        ureq::Error::Timeout(_)
        | ureq::Error::ConnectionFailed
        | ureq::Error::HostNotFound
        | ureq::Error::Protocol(_) => true,
        _ => false,
    }
}

/// Whether a refusal says that the conversation does not fit.
fn is_too_long(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("context")
        && ["exceed", "length", "size", "too long"].iter().any(|w| text.contains(w))
}

type Config = ureq::config::ConfigBuilder<ureq::typestate::AgentScope>;

#[cfg(all(feature = "tls", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn secured(config: Config, base_url: &str) -> Result<Config> {
    use std::sync::Arc;
    use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

    if !base_url.starts_with("https:") {
        return Ok(config);
    }
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        bail!("no certificates in this system: {:?}", found.errors);
    }
    let roots: Vec<Certificate<'static>> = found
        .certs
        .iter()
        .map(|certificate| Certificate::from_der(certificate).to_owned())
        .collect();
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls_graviola::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots))
        .build();
    Ok(config.tls_config(tls))
}

#[cfg(not(all(feature = "tls", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn secured(config: Config, base_url: &str) -> Result<Config> {
    if base_url.starts_with("https:") {
        bail!("this build speaks no https; build it with the feature `tls`");
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use serde_json::json;

    /// Serves one answer after the other on loopback, and gives the address and the requests.
    fn serve(
        answers: Vec<(u16, &'static str, &'static str)>,
    ) -> (String, thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1/", listener.local_addr().unwrap());
        let serving = thread::spawn(move || {
            let mut requests = Vec::new();
            for (status, header, body) in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = Vec::new();
                let mut part = [0; 4096];
                while !request.ends_with(b"}") {
                    let length = stream.read(&mut part).unwrap();
                    request.extend_from_slice(&part[..length]);
                }
                requests.push(String::from_utf8(request).unwrap());
                let length = body.len();
                write!(stream, "HTTP/1.1 {status} X\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n{body}").unwrap();
            }
            requests
        });
        (address, serving)
    }

    fn endpoint(base_url: String) -> Endpoint {
        Endpoint::new(Settings {
            base_url,
            key: Some("k".to_owned()),
            per_minute: None,
            patience: Duration::from_secs(30),
            first_wait: Duration::ZERO,
        })
        .unwrap()
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        let (address, serving) = serve(vec![
            (429, "retry-after: 0\r\n", "{}"),
            (503, "", "{}"),
            (200, "", "{\"ok\": 1}"),
        ]);
        match endpoint(address).ask(&json!({"model": "m"})).unwrap() {
            Answer::Said(answer, requests) => assert_eq!((answer, requests), (json!({"ok": 1}), 3)),
            Answer::TooLong => panic!("an answer"),
        }
        let requests = serving.join().unwrap();
        let first = requests[0].to_lowercase();
        assert!(first.starts_with("post /v1/chat/completions "), "{first}");
        assert!(first.contains("authorization: bearer k"), "{first}");
    }

    #[test]
    fn what_will_not_pass_is_told_at_once() {
        let (address, serving) = serve(vec![(401, "", "no such key")]);
        let error = endpoint(address).ask(&json!({})).unwrap_err().to_string();
        assert!(error.ends_with("answered status 401: no such key"), "{error}");
        assert_eq!(serving.join().unwrap().len(), 1);
        let (address, serving) =
            serve(vec![(400, "", "request exceeds the available context size")]);
        assert!(matches!(endpoint(address).ask(&json!({})).unwrap(), Answer::TooLong));
        assert_eq!(serving.join().unwrap().len(), 1);
    }
}
