//! The log on standard error: what the server says, and, if asked, each call and each request.
//!
//! No content and no argument of a call is logged. Of the libraries below nothing is logged: what they see has both.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
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
            lines.boxed()
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
