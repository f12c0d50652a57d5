//! `rab run`: trials, one after the other, each kept when it is finished.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use serde_json::json;

use super::{Servers, report};
use crate::agent::Agent;
use crate::agent::endpoint::{Endpoint, Settings};
use crate::agent::format::Format;
use crate::agent::model::{Model, Prices};
use crate::agent::script::{NAMES, Scripted};
use crate::arm::Arm;
use crate::output::progress;
use crate::record::FORMAT;
use crate::runs::{Plan, Runs};
use crate::scenario::Id;
use crate::transcript::Limits;
use crate::trial::Trial;

/// Run trials and write the report.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) what: What,
    /// A scripted agent instead of a model
    #[arg(long, value_name = "NAME", value_parser = NAMES)]
    pub(crate) script: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// Which trials to run, and where to record them.
#[derive(Clone, Debug, Args)]
pub(crate) struct What {
    /// The directory of the run; an interrupted run in it continues
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Which arms to run
    #[arg(long, value_delimiter = ',', default_values_t = Arm::ALL)]
    pub(crate) arms: Vec<Arm>,
    /// Which scenarios to run
    #[arg(long, value_delimiter = ',', default_value = "s0,s1,s2,s3,s4,s5")]
    pub(crate) scenarios: Vec<Id>,
    /// How often to run each scenario in each arm
    #[arg(long, default_value_t = 5)]
    pub(crate) trials: u64,
    /// The seed of the first repetition's files; each further repetition takes the next number
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many turns a conversation may have
    #[arg(long, default_value_t = 25)]
    pub(crate) turns: u64,
    /// How many characters of a tool's answer the model sees
    #[arg(long, default_value_t = 16_000)]
    pub(crate) result_chars: usize,
    /// How many seconds a trial may take [default: no limit]
    #[arg(long)]
    pub(crate) seconds: Option<u64>,
    /// Stop a conversation after so many equal consecutive calls
    #[arg(long)]
    pub(crate) repeats: Option<u64>,
    /// Show only the core tools of Resilient Write and Read, for a model with a small context
    #[arg(long)]
    pub(crate) core: bool,
    #[command(flatten)]
    pub(crate) servers: Servers,
    /// The title of the report
    #[arg(long, default_value = "Resilient Agent Benchmark")]
    pub(crate) title: String,
    /// A remark for the report
    #[arg(long, default_value = "")]
    pub(crate) note: String,
}

/// Which model to ask, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct ModelArgs {
    /// The URL of the endpoint [default: RAB_BASE_URL]
    #[arg(long)]
    pub(crate) base_url: Option<String>,
    /// The name of the model [default: RAB_MODEL]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// How the model calls tools
    #[arg(long, default_value = "native")]
    pub(crate) format: Format,
    /// How many tokens an answer may have
    #[arg(long, default_value_t = 2048)]
    pub(crate) max_tokens: u64,
    /// How many requests a minute the endpoint takes [default: no limit]
    #[arg(long)]
    pub(crate) per_minute: Option<f64>,
    /// How many seconds an answer may take
    #[arg(long, default_value_t = 600)]
    pub(crate) patience: u64,
    /// The price of a million prompt tokens, for an endpoint that does not say what it costs
    #[arg(long)]
    pub(crate) price_in: Option<f64>,
    /// The price of a million answer tokens
    #[arg(long)]
    pub(crate) price_out: Option<f64>,
}

impl Run {
    /// Runs the trials.
    ///
    /// # Errors
    /// A server cannot be started, the model cannot be reached, or the disk refuses; what is
    /// finished is kept.
    pub(crate) fn run(self) -> Result<ExitCode> {
        let Self { what, script, model } = self;
        match script {
            Some(name) => {
                let about = json!({"agent": "script"});
                what.run(&format!("script:{name}"), about, |id, _| {
                    Ok(Box::new(Scripted::new(&name, id)?))
                })?;
            }
            None => model.run(&what)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl ModelArgs {
    /// Runs the trials with a model.
    ///
    /// # Errors
    /// As [`Run::run`].
    #[expect(clippy::disallowed_methods, reason = "keys come from the environment")]
    pub(crate) fn run(&self, what: &What) -> Result<()> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let base_url = self.base_url.clone().or_else(|| variable("RAB_BASE_URL"));
        let base_url = base_url.context("no endpoint: give --base-url or set RAB_BASE_URL")?;
        let name = self.model.clone().or_else(|| variable("RAB_MODEL"));
        let name = name.context("no model: give --model or set RAB_MODEL")?;
        let settings = Settings {
            base_url,
            key: variable("RAB_API_KEY"),
            per_minute: self.per_minute,
            patience: Duration::from_secs(self.patience),
            first_wait: Duration::from_secs(2),
        };
        let prices = Prices { prompt: self.price_in, completion: self.price_out };
        let about = json!({
            "agent": "model",
            "format": self.format.as_str(),
            "max_tokens": self.max_tokens,
            "temperature": 0,
        });
        let agent = format!("{name} ({})", self.format.as_str());
        what.run(&agent, about, |_, _| {
            let endpoint = Endpoint::new(settings.clone())?;
            Ok(Box::new(Model::new(endpoint, name.clone(), self.format, self.max_tokens, prices)))
        })
    }
}

impl What {
    fn run(
        &self,
        agent: &str,
        about: serde_json::Value,
        make: impl Fn(Id, &str) -> Result<Box<dyn Agent>>,
    ) -> Result<()> {
        ensure!(self.trials > 0, "there is nothing to do");
        let programs = self.servers.programs()?;
        let runs = Runs::open(&self.out)?;
        let limits = Limits {
            turns: self.turns,
            result_chars: self.result_chars,
            seconds: self.seconds,
            repeats: self.repeats,
            core: self.core,
        };
        runs.begin(&Plan {
            format: FORMAT,
            agent: agent.to_owned(),
            seed: self.seed,
            limits: limits.clone(),
            about,
        })?;
        // Every scenario and arm is tried once before any is tried again: a run that is stopped
        // early has something of all.
        for number in 1..=self.trials {
            for &scenario in &self.scenarios {
                for &arm in &self.arms {
                    let trial = Trial {
                        agent: agent.to_owned(),
                        arm,
                        scenario,
                        number,
                        seed: self.seed.wrapping_add(number - 1),
                        limits: limits.clone(),
                    };
                    let name = format!("{} {arm} {number}", scenario.as_str());
                    if runs.has(&trial) {
                        continue;
                    }
                    let record = match trial.run(&programs, |root| make(scenario, root)) {
                        Ok(record) => record,
                        Err(error) => bail!(error.context(name)),
                    };
                    let verdict = if record.score.passed { "passed" } else { "failed" };
                    let seconds = record.elapsed_ms / 1000;
                    progress(&format!("{name}: {verdict}, {:.1}, {seconds} s", record.score.total));
                    runs.keep(&trial, &record)?;
                }
            }
        }
        report::write(&runs, &self.title, &self.note)
    }
}
