//! Measuring the risk score on labelled rows and on code.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use resilient_core::risk::lab::{self, Model};
use resilient_core::risk::{Detection, PatternHit, Policy, Report, Verdict};

use super::rows::{self, Embedding, Row};
use super::train::{Negatives, fit, positives};

/// Measures the risk score.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// The labelled rows, JSON lines, compressed or not
    #[arg(long)]
    data: PathBuf,
    /// Directories of real code, on which every finding is false
    #[arg(long, num_args = 1..)]
    code: Vec<PathBuf>,
    /// Judge each row by a model that has not seen its provider, trained on this code
    #[arg(long, num_args = 1..)]
    train_code: Vec<PathBuf>,
    /// The number of models for that
    #[arg(long, default_value_t = 5)]
    folds: u64,
    #[arg(long, default_value_t = 0.05)]
    false_per_mb: f64,
    /// Without the model
    #[arg(long)]
    no_model: bool,
    /// List what was missed or wrongly found, at most so many of each
    #[arg(long, default_value_t = 0)]
    show: usize,
    /// List every finding in the code by its place and a digest of its value, to be adjudicated
    #[arg(long)]
    places: bool,
    /// Of these only: secret, obfuscated, pii, benign, placeholder, family, code
    #[arg(long)]
    only: Option<String>,
}

#[derive(Debug, Default)]
struct Ratio {
    hit: usize,
    of: usize,
}

impl Ratio {
    fn add(&mut self, hit: bool) {
        self.hit += usize::from(hit);
        self.of += 1;
    }

    fn part(&self) -> f64 {
        self.hit as f64 / self.of.max(1) as f64
    }
}

/// What a row was found to hold.
struct Seen<'a> {
    report: &'a Report,
    own: Vec<&'a PatternHit>,
}

impl<'a> Seen<'a> {
    fn of(report: &'a Report, lines: &std::ops::RangeInclusive<usize>) -> Self {
        let own = report.detected_patterns.iter().filter_map(|found| match found {
            Detection::Pattern(hit) if lines.contains(&hit.line) => Some(hit),
            _ => None,
        });
        Self { report, own: own.collect() }
    }

    fn flagged(&self, pii: bool) -> bool {
        let of_group = |hit: &&PatternHit| {
            !hit.placeholder && hit.kind != "binary_hint" && (hit.kind == "pii") == pii
        };
        self.report.verdict >= Verdict::Low && self.own.iter().any(of_group)
    }
}

impl Eval {
    pub(crate) fn run(self) -> Result<()> {
        let rows = rows::read(&self.data)?;
        let embedding = Embedding::of(&rows)?;
        let policy = Policy::default();
        let models = self.models(&rows)?;
        let of_row = |row: &Row| match models.as_slice() {
            [] => (!self.no_model).then(Model::built_in),
            models => models.get(rows::fold(&row.provider, self.folds) as usize),
        };

        let mut ratios: BTreeMap<String, Ratio> = BTreeMap::new();
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        let mut show = |what: &'static str, row: &Row, own: &[&PatternHit]| -> Result<()> {
            let count = shown.entry(what).or_default();
            *count += 1;
            if *count <= self.show && self.only.as_deref().is_none_or(|only| only == what) {
                let text: String = row.text.chars().take(260).collect();
                let own: Vec<String> = own
                    .iter()
                    .map(|hit| format!("{}/{}:{}", hit.kind, hit.pattern, hit.snippet))
                    .collect();
                crate::say(&format!(
                    "{what}: {} {} {} {} {text:?} {own:?}\n",
                    row.id, row.source, row.family, row.kind
                ))?;
            }
            Ok(())
        };
        for (nth, row) in rows.iter().enumerate() {
            let placed = embedding.place(nth, &row.text);
            let report = lab::score_with(&placed.text, &policy, of_row(row));
            let seen = Seen::of(&report, &placed.lines);
            let flagged = seen.flagged(row.is_pii());
            let mut add = |name: &str, hit| ratios.entry(name.to_owned()).or_default().add(hit);
            match (row.label.as_str(), row.is_obfuscated(), row.is_pii()) {
                ("secret", true, _) => {
                    add("2 obfuscated recall", flagged);
                    add(&format!("2 obfuscated recall {}", row.kind), flagged);
                    if !flagged {
                        show("obfuscated", row, &seen.own)?;
                    }
                }
                ("secret", false, true) => {
                    add("3 pii recall", flagged);
                    add(&format!("3 pii recall {}", row.kind), flagged);
                    if !flagged {
                        show("pii", row, &seen.own)?;
                    }
                }
                ("secret", false, false) => {
                    add("1 recall", flagged);
                    add(&format!("1 recall {}", row.family), flagged);
                    add(&format!("1 recall from {}", row.source), flagged);
                    if flagged {
                        let first = seen.own.iter().filter(|hit| !hit.placeholder);
                        let exact = first.clone().any(|hit| hit.kind == row.family);
                        add("5 family exact", exact);
                        add(&format!("5 family exact {}", row.family), exact);
                        if !exact {
                            show("family", row, &seen.own)?;
                        }
                    } else {
                        show("secret", row, &seen.own)?;
                    }
                }
                ("placeholder", ..) => {
                    let loud = report.verdict > Verdict::Low;
                    add("4 placeholder above low", loud);
                    add("4 placeholder flagged", flagged);
                    if loud {
                        show("placeholder", row, &seen.own)?;
                    }
                }
                ("benign", obfuscated, _) => {
                    let group = if obfuscated {
                        "encoded"
                    } else if row.source == "code" {
                        "code"
                    } else {
                        "other"
                    };
                    add(&format!("6 benign {group} flagged"), seen.flagged(false));
                    add(&format!("6 benign {group} flagged as pii"), seen.flagged(true));
                    if seen.flagged(false) || seen.flagged(true) && group == "code" {
                        show(if obfuscated { "encoded" } else { "benign" }, row, &seen.own)?;
                    }
                }
                ("benign_weak", _, pii) => {
                    add(if pii { "7 weak pii flagged" } else { "7 weak flagged" }, flagged);
                }
                _ => {}
            }
        }
        for (name, ratio) in &ratios {
            crate::say(&format!(
                "{:7.2} %  {:>5}/{:<5} {name}\n",
                ratio.part() * 100.0,
                ratio.hit,
                ratio.of
            ))?;
        }
        if !self.code.is_empty() {
            let model = models.first().or_else(|| (!self.no_model).then(Model::built_in));
            self.on_code(&policy, model)?;
        }
        Ok(())
    }

    /// The models of the folds, each without its rows; none when the built-in one is asked.
    fn models(&self, rows: &[Row]) -> Result<Vec<Model>> {
        if self.train_code.is_empty() || self.no_model {
            return Ok(Vec::new());
        }
        let negatives = Negatives::read(&self.train_code)?;
        (0..self.folds)
            .map(|fold| {
                let bags = positives(rows, |row| rows::fold(&row.provider, self.folds) != fold)?;
                Ok(fit(&bags, &negatives, self.false_per_mb))
            })
            .collect()
    }

    fn on_code(&self, policy: &Policy, model: Option<&Model>) -> Result<()> {
        let files = rows::code(&self.code, 1 << 20)?;
        let mut bytes = 0;
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let (mut files_with_pii, mut chunks) = (0, 0);
        let mut spent = 0;
        for (path, text) in &files {
            bytes += text.len();
            let began = cpu_ns();
            let report = lab::score_with(text, policy, model);
            spent += cpu_ns() - began;
            chunks += 1;
            let mut pii = false;
            for hit in &report.detected_patterns {
                let Detection::Pattern(hit) = hit else { continue };
                if hit.placeholder || hit.kind == "binary_hint" {
                    continue;
                }
                pii |= hit.kind == "pii";
                let group = if hit.kind == "pii" { "pii" } else { "secret" };
                *found.entry(group.to_owned()).or_default() += 1;
                let name = format!("{group} {}/{}{}", hit.kind, hit.pattern, via(hit));
                *found.entry(name).or_default() += 1;
                if self.places && hit.kind != "pii" {
                    let value = text.as_bytes().get(hit.span.clone()).unwrap_or_default();
                    crate::say(&format!(
                        "place: {}:{} {}/{}{} {:08x}\n",
                        path.display(),
                        hit.line,
                        hit.kind,
                        hit.pattern,
                        via(hit),
                        rows::digest(value) >> 32
                    ))?;
                }
                let wanted =
                    self.only.as_deref().is_none_or(|only| only == "code" || only == group);
                if wanted && self.show > 0 {
                    let line = text.lines().nth(hit.line - 1).unwrap_or_default();
                    let line: String = if line.len() > 200 {
                        let from = hit.span.start.saturating_sub(80);
                        String::from_utf8_lossy(
                            text.as_bytes().get(from..hit.span.end + 40).unwrap_or_default(),
                        )
                        .into_owned()
                    } else {
                        line.to_owned()
                    };
                    crate::say(&format!(
                        "code: {}:{} {}/{}{} {:?}\n",
                        path.display(),
                        hit.line,
                        hit.kind,
                        hit.pattern,
                        via(hit),
                        line.chars().take(240).collect::<String>()
                    ))?;
                }
            }
            files_with_pii += usize::from(pii);
        }
        let mb = bytes as f64 / 1e6;
        crate::say(&format!(
            "{} files, {mb:.2} MB, {:.0} MB/s of processor time; {:.2} % of files with pii\n",
            files.len(),
            mb * 1e9 / spent as f64,
            100.0 * files_with_pii as f64 / f64::from(chunks.max(1))
        ))?;
        for (name, count) in found {
            crate::say(&format!("{:9.3} per MB {count:>6} {name}\n", count as f64 / mb))?;
        }
        Ok(())
    }
}

/// The processor time of this thread: on a busy machine the only clock that tells the work.
pub(super) fn cpu_ns() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

fn via(hit: &PatternHit) -> String {
    hit.via.iter().map(|via| format!(" via {via}")).collect()
}
