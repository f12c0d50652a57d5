//! The log on standard error: what the server says, and, if asked, each call and each request.
//!
//! No content and no argument of a call is logged. Of the libraries below nothing is logged: what they see has both.

use std::fmt::{self, Write as _};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::prelude::*;

#[cfg(feature = "otel")]
use crate::spans;

/// Whether everything that is said is a line of JSON.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// What is logged, and how.
#[derive(Debug, Args)]
pub(crate) struct Log {
    /// How the server writes to standard error [default: text]
    #[arg(long, value_enum, value_name = "FORM")]
    log_format: Option<Form>,
    /// What is logged besides: warn (requests that were not let in), info (each call, too) or debug (each request, too)
    #[arg(long, value_enum, value_name = "LEVEL")]
    log_level: Option<Level>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// As people read it
    Text,
    /// A JSON object a line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    Warn,
    Info,
    Debug,
}

impl Log {
    /// Whether an option of the log was given.
    pub(crate) fn is_given(&self) -> bool {
        self.log_format.is_some() || self.log_level.is_some()
    }

    /// Begins to log, and to send spans of the calls.
    ///
    /// # Errors
    /// A variable that says where spans go cannot be used.
    pub(crate) fn start(&self) -> anyhow::Result<Started> {
        let level = match self.log_level {
            None => LevelFilter::OFF,
            Some(Level::Warn) => LevelFilter::WARN,
            Some(Level::Info) => LevelFilter::INFO,
            Some(Level::Debug) => LevelFilter::DEBUG,
        };
        let ours = Targets::new()
            .with_target("resilient_mcp", level)
            .with_target("resilient_http", level)
            .with_target(SAID, LevelFilter::INFO);
        let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false);
        let is_json = self.log_format == Some(Form::Json);
        IS_JSON.store(is_json, Ordering::Relaxed);
        let lines = if is_json {
            lines.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed()
        } else {
            lines.fmt_fields(Text).boxed()
        };
        let lines = self.is_given().then(|| lines.with_filter(ours));
        #[cfg(feature = "otel")]
        let (started, spans) = match spans::begin()? {
            Some((spans, layer)) => {
                let calls = Targets::new().with_target("resilient_mcp", LevelFilter::INFO);
                (Started { _spans: Some(spans) }, Some(layer.with_filter(calls)))
            }
            None => (Started { _spans: None }, None),
        };
        #[cfg(not(feature = "otel"))]
        let (started, spans) = (Started {}, None::<tracing_subscriber::layer::Identity>);
        if lines.is_some() || spans.is_some() {
            // It is the only one.
            let _ = tracing_subscriber::registry().with(lines).with(spans).try_init();
        }
        Ok(started)
    }
}

/// How the facts of a line stand in it as text: one value a word. A text is in quotes, and so is any value with blanks or
/// quotes. One that is empty is left out, and a time in milliseconds has three decimals.
struct Text;

impl<'w> FormatFields<'w> for Text {
    fn format_fields<R: RecordFields>(&self, mut line: Writer<'w>, fields: R) -> fmt::Result {
        let mut facts = Facts(String::new());
        fields.record(&mut facts);
        line.write_str(&facts.0)
    }
}

/// The facts so far.
struct Facts(String);

impl Facts {
    fn add(&mut self, field: &Field, value: &str, is_text: bool) {
        if value.is_empty() {
            return;
        }
        let blank = if self.0.is_empty() { "" } else { " " };
        let is_word =
            !value.contains(|it: char| it.is_whitespace() || it.is_control() || it == '"');
        // Neither `write!` fails.
        let _ = match field.name() {
            "message" => write!(self.0, "{blank}{value}"),
            name if is_word && !is_text => write!(self.0, "{blank}{name}={value}"),
            name => write!(self.0, "{blank}{name}={value:?}"),
        };
    }
}

impl Visit for Facts {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, &format!("{value:?}"), false);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value, true);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, &format!("{value:.3}"), false);
    }
}

/// What has begun. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Started {
    #[cfg(feature = "otel")]
    _spans: Option<spans::Spans>,
}

const SAID: &str = "resilient_write";

/// Says something as a line of JSON, if that is the form; otherwise somebody else has to say it.
pub(crate) fn say(text: &str) -> bool {
    let is_json = IS_JSON.load(Ordering::Relaxed);
    if is_json {
        tracing::info!(target: SAID, "{}", text.trim_end());
    }
    is_json
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_value_is_one_word_of_its_line() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .without_time()
            .fmt_fields(Text)
            .finish();
        tracing::subscriber::with_default(log, || {
            let (none, why) = ("", "no room\nleft");
            tracing::warn!(target: "t", workspace = %none, what = %"two words", %why, "not ready");
            tracing::info!(target: "t", tool = "rw.x", ms = 31.226_539_000_000_002, n = 3, "call");
            // Before, a text that begins with a quote was written as it is, with its blanks.
            let (why, empty) = ("\"a b\": write", "");
            tracing::warn!(target: "t", why, empty, other = %why, "not ready");
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(
            text,
            " WARN t: not ready what=\"two words\" why=\"no room\\nleft\"\n \
             INFO t: call tool=\"rw.x\" ms=31.227 n=3\n \
             WARN t: not ready why=\"\\\"a b\\\": write\" other=\"\\\"a b\\\": write\"\n"
        );
    }
}
