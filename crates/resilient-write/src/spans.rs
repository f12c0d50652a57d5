//! A span of each call, sent to a collector of OpenTelemetry as OTLP in JSON over HTTP.
//!
//! The standard variables say where it goes: it is sent if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`
//! is set. A span has the name of the tool, how the call ended, its time and its client: what the log says, and no more.

use std::time::{Duration, SystemTime};

use http::{Request, Response};
use opentelemetry::KeyValue;
use opentelemetry::trace::{Span as _, SpanKind, Status, Tracer as _, TracerProvider as _};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// How the server is called if `OTEL_SERVICE_NAME` does not say it.
const SERVICE: &str = "resilient-write";

/// The spans that are still to be sent. They are when it is dropped.
#[derive(Debug)]
pub(crate) struct Spans(SdkTracerProvider);

impl Drop for Spans {
    fn drop(&mut self) {
        // A collector that is not there is no reason not to end.
        let _ = self.0.shutdown_with_timeout(Duration::from_secs(2));
    }
}

/// Makes spans of the events of calls.
pub(crate) struct CallSpans(SdkTracer);

/// Begins to send; nothing if no variable says where to.
///
/// # Errors
/// A variable has a value that cannot be used.
#[expect(clippy::disallowed_methods, reason = "the library reads the others of these variables")]
pub(crate) fn begin() -> anyhow::Result<Option<(Spans, CallSpans)>> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
        .into_iter()
        .any(is_set)
    {
        return Ok(None);
    }
    let agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(10)))
        .build()
        .new_agent();
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Client(agent))
        .with_protocol(Protocol::HttpJson)
        .build()?;
    let mut resource = Resource::builder();
    if !is_set("OTEL_SERVICE_NAME") {
        resource = resource.with_service_name(SERVICE);
    }
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let provider = SdkTracerProvider::builder()
        .with_resource(resource.with_attribute(version).build())
        .with_batch_exporter(exporter)
        .build();
    let tracer = provider.tracer(SERVICE);
    Ok(Some((Spans(provider), CallSpans(tracer))))
}

impl<S: Subscriber> Layer<S> for CallSpans {
    #[expect(clippy::disallowed_methods, reason = "a span has the time of the machine")]
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut call = Call::default();
        event.record(&mut call);
        let Call { tool: Some(tool), outcome, ms, client } = call else { return };
        let ended = SystemTime::now();
        let took = Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default();
        let mut attributes = vec![
            KeyValue::new("mcp.method.name", "tools/call"),
            KeyValue::new("gen_ai.tool.name", tool.clone()),
        ];
        attributes.extend(client.map(|client| KeyValue::new("rw.client", client)));
        let is_ok = outcome == "ok";
        if !is_ok {
            attributes.push(KeyValue::new("error.type", outcome.clone()));
        }
        let mut span = self
            .0
            .span_builder(format!("tools/call {tool}"))
            .with_kind(SpanKind::Server)
            .with_start_time(ended.checked_sub(took).unwrap_or(ended))
            .with_attributes(attributes)
            .start(&self.0);
        if !is_ok {
            span.set_status(Status::error(outcome));
        }
        span.end_with_timestamp(ended);
    }
}

/// What the event of a call says.
#[derive(Default)]
struct Call {
    tool: Option<String>,
    outcome: String,
    ms: f64,
    client: Option<String>,
}

impl Visit for Call {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "tool" => self.tool = Some(value.to_owned()),
            "outcome" => value.clone_into(&mut self.outcome),
            "by" => self.client = Some(value.to_owned()),
            _ => {}
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "ms" {
            self.ms = value;
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

/// Sends from the thread of the exporter, which has nothing else to do.
#[derive(Debug)]
struct Client(ureq::Agent);

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let reply = self.0.run(Request::from_parts(head, body.to_vec()))?;
        let (head, mut body) = reply.into_parts();
        let body = body.read_to_vec()?;
        Ok(Response::from_parts(head, body.into()))
    }
}
