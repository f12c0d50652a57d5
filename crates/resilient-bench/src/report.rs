//! What a run found, as aligned text, as Markdown and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::measure::{Ratio, Samples, Spread, in_ms};

/// What one comparison found.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    pub(crate) scenario: String,
    /// What everything is compared with.
    pub(crate) base: String,
    pub(crate) rounds: usize,
    pub(crate) lines: Vec<Line>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) goals: Vec<Goal>,
    #[serde(skip)]
    samples: Vec<Samples>,
}

/// One subject of a comparison.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) subject: String,
    pub(crate) ms: Spread,
    pub(crate) cpu_ms: Option<f64>,
    /// Against the base; the base has none.
    pub(crate) ratio: Option<Ratio>,
    /// The processor time against the base's.
    pub(crate) cpu_ratio: Option<f64>,
}

/// A number that is no time.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) what: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
}

/// A number that we want to be on one side of a bound.
#[derive(Debug, Serialize)]
pub(crate) struct Goal {
    pub(crate) rank: Rank,
    pub(crate) what: String,
    pub(crate) measured: f64,
    pub(crate) unit: &'static str,
    pub(crate) bound: Bound,
    pub(crate) met: bool,
}

/// What it means to miss a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rank {
    /// We would like to be there.
    Goal,
    /// What is below is not good enough.
    Floor,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Table {
    /// Compares samples with those of the subject named `base`.
    pub(crate) fn new(scenario: impl Into<String>, base: &str, samples: Vec<Samples>) -> Self {
        let base_times = times_of(&samples, base).unwrap_or_default().to_vec();
        let base_cpu = samples.iter().find(|s| s.name == base).and_then(|s| s.cpu).map(in_ms);
        let lines = samples.iter().map(|samples| Line {
            subject: samples.name.clone(),
            ms: Spread::of(&samples.times),
            cpu_ms: samples.cpu.map(in_ms),
            ratio: (samples.name != base && !base_times.is_empty())
                .then(|| Ratio::of(&samples.times, &base_times)),
            cpu_ratio: (samples.name != base)
                .then(|| Some(in_ms(samples.cpu?) / base_cpu.filter(|cpu| *cpu > 0.0)?))
                .flatten(),
        });
        Self {
            scenario: scenario.into(),
            base: base.to_owned(),
            rounds: base_times.len(),
            lines: lines.collect(),
            figures: Vec::new(),
            goals: Vec::new(),
            samples,
        }
    }

    /// A table that has figures only.
    pub(crate) fn of_figures(scenario: impl Into<String>) -> Self {
        Self::new(scenario, "", Vec::new())
    }

    /// Adds a number.
    pub(crate) fn figure(&mut self, what: impl Into<String>, value: f64, unit: &'static str) {
        self.figures.push(Figure { what: what.into(), value, unit });
    }

    /// Compares a number with what it should be.
    pub(crate) fn goal(
        &mut self,
        what: impl Into<String>,
        measured: f64,
        bound: Bound,
        unit: &'static str,
    ) {
        self.hold(Rank::Goal, what.into(), measured, bound, unit);
    }

    /// Compares a number with what it should be and with what it has to be.
    pub(crate) fn goal_and_floor(
        &mut self,
        what: &str,
        measured: f64,
        (goal, floor): (Bound, Bound),
        unit: &'static str,
    ) {
        self.hold(Rank::Goal, what.to_owned(), measured, goal, unit);
        self.hold(Rank::Floor, what.to_owned(), measured, floor, unit);
    }

    fn hold(&mut self, rank: Rank, what: String, measured: f64, bound: Bound, unit: &'static str) {
        let met = match bound {
            Bound::AtMost(most) => measured <= most,
            Bound::AtLeast(least) => measured >= least,
        };
        self.goals.push(Goal { rank, what, measured, unit, bound, met });
    }

    /// Wants a subject's median time against another's to be at most `most`.
    pub(crate) fn goal_ratio(&mut self, subject: &str, base: &str, most: f64) {
        if let (Some(ours), Some(theirs)) = (self.times(subject), self.times(base)) {
            let ratio = Ratio::of(ours, theirs);
            let what = format!("{subject} : {base}");
            self.goal(what, ratio.of_pairs, Bound::AtMost(most), "x");
        }
    }

    /// Wants a subject's median time to be at most `most` milliseconds.
    pub(crate) fn goal_ms(&mut self, subject: &str, most: f64) {
        if let Some(line) = self.line(subject) {
            let median = line.ms.p50;
            self.goal(format!("{subject}, median"), median, Bound::AtMost(most), "ms");
        }
    }

    /// Wants the processor time of a call to be at most `most` milliseconds.
    pub(crate) fn goal_cpu(&mut self, subject: &str, most: f64) {
        if let Some(cpu) = self.line(subject).and_then(|line| line.cpu_ms) {
            self.goal(format!("{subject}, CPU a call"), cpu, Bound::AtMost(most), "ms");
        }
    }

    pub(crate) fn line(&self, subject: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.subject == subject)
    }

    fn times(&self, subject: &str) -> Option<&[std::time::Duration]> {
        times_of(&self.samples, subject)
    }

    /// For a terminal.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.scenario);
        if !self.lines.is_empty() {
            let width = self.lines.iter().map(|line| line.subject.chars().count()).max();
            let width = width.unwrap_or_default().max(8);
            let _ = writeln!(
                text,
                "  {:width$} {:>9} {:>9} {:>9} {:>9}   x {} (p10, medians, pairs; CPU)",
                "ms", "p10", "p50", "p90", "CPU", self.base
            );
            for line in &self.lines {
                let _ = writeln!(
                    text,
                    "  {:width$} {:>9} {:>9} {:>9} {:>9}   {}",
                    line.subject,
                    number(line.ms.p10),
                    number(line.ms.p50),
                    number(line.ms.p90),
                    line.cpu_ms.map(number).unwrap_or_default(),
                    line.ratios(),
                );
            }
        }
        for figure in &self.figures {
            let _ = writeln!(text, "  {}: {} {}", figure.what, number(figure.value), figure.unit);
        }
        for goal in &self.goals {
            let _ = writeln!(text, "  {}", goal.to_text());
        }
        text
    }

    /// For a page.
    pub(crate) fn to_markdown(&self) -> String {
        let mut text = format!("### {}\n\n", self.scenario);
        if !self.lines.is_empty() {
            let _ = writeln!(
                text,
                "| {} rounds, ms | p10 | p50 | p90 | CPU | x {} (p10, medians, pairs; CPU) |\n\
                 |---|---|---|---|---|---|",
                self.rounds, self.base
            );
            for line in &self.lines {
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} | {} | {} |",
                    line.subject,
                    number(line.ms.p10),
                    number(line.ms.p50),
                    number(line.ms.p90),
                    line.cpu_ms.map(number).unwrap_or_default(),
                    line.ratios(),
                );
            }
            text.push('\n');
        }
        for figure in &self.figures {
            let _ = writeln!(text, "- {}: {} {}", figure.what, number(figure.value), figure.unit);
        }
        for goal in &self.goals {
            let _ = writeln!(text, "- {}", goal.to_text());
        }
        text
    }
}

impl Line {
    fn ratios(&self) -> String {
        let Some(Ratio { of_p10, of_medians, of_pairs }) = self.ratio else {
            return String::new();
        };
        let cpu = self.cpu_ratio.map(|cpu| format!("; {cpu:.2}")).unwrap_or_default();
        format!("{of_p10:.2}, {of_medians:.2}, {of_pairs:.2}{cpu}")
    }
}

impl Goal {
    fn to_text(&self) -> String {
        let (side, bound) = match self.bound {
            Bound::AtMost(most) => ("at most", most),
            Bound::AtLeast(least) => ("at least", least),
        };
        let met = if self.met { "met" } else { "MISSED" };
        let rank = match self.rank {
            Rank::Goal => "goal",
            Rank::Floor => "floor",
        };
        let (measured, unit) = (number(self.measured), self.unit);
        format!("{rank} {met}: {} {measured} {unit} ({side} {})", self.what, number(bound))
    }
}

fn times_of<'a>(samples: &'a [Samples], subject: &str) -> Option<&'a [std::time::Duration]> {
    samples.iter().find(|samples| samples.name == subject).map(|samples| samples.times.as_slice())
}

/// Three significant digits, more or less.
fn number(value: f64) -> String {
    match value.abs() {
        big if big >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        small if small >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn table() -> Table {
        let samples = |name: &str, ms: u64, cpu| Samples {
            name: name.to_owned(),
            times: vec![Duration::from_millis(ms); 4],
            cpu,
        };
        let mut table = Table::new(
            "write",
            "floor",
            vec![
                samples("floor", 2, Some(Duration::from_micros(500))),
                samples("ours", 3, Some(Duration::from_micros(250))),
            ],
        );
        table.figure("tokens", 2100.4, "");
        table.goal_ratio("ours", "floor", 1.2);
        table.goal_cpu("ours", 0.25);
        table.goal_ms("ours", 3.5);
        let bounds = (Bound::AtLeast(6.0), Bound::AtLeast(4.0));
        table.goal_and_floor("speed", 5.0, bounds, "a second");
        table
    }

    #[test]
    fn goals_are_held_against_what_was_measured() {
        let met: Vec<_> = table().goals.iter().map(|goal| (goal.measured, goal.met)).collect();
        assert_eq!(met, [(1.5, false), (0.25, true), (3.0, true), (5.0, false), (5.0, true)]);
    }

    #[test]
    fn text_is_aligned_and_markdown_a_table() {
        assert_eq!(
            table().to_text(),
            "\
write
  ms             p10       p50       p90       CPU   x floor (p10, medians, pairs; CPU)
  floor         2.00      2.00      2.00     0.500   
  ours          3.00      3.00      3.00     0.250   1.50, 1.50, 1.50; 0.50
  tokens: 2100 
  goal MISSED: ours : floor 1.50 x (at most 1.20)
  goal met: ours, CPU a call 0.250 ms (at most 0.250)
  goal met: ours, median 3.00 ms (at most 3.50)
  goal MISSED: speed 5.00 a second (at least 6.00)
  floor met: speed 5.00 a second (at least 4.00)
"
        );
        let markdown = table().to_markdown();
        assert!(markdown.starts_with("### write\n\n| 4 rounds, ms | p10 |"), "{markdown}");
        assert!(
            markdown.contains("| ours | 3.00 | 3.00 | 3.00 | 0.250 | 1.50, 1.50, 1.50; 0.50 |")
        );
    }
}
