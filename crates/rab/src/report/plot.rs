//! The plots: inline SVG, drawn from the figures of the tables.

use std::fmt::Write as _;

use super::{Report, Row};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 230.0;
const ROW: f64 = 22.0;
const TOP: f64 = 26.0;

/// The share of trials that passed, with its interval: one bar for each agent and arm.
pub(super) fn passes(report: &Report) -> String {
    let mut plot = Plot::new(report.agents.len(), "Pass@1 with 95 % interval", "%");
    for row in &report.agents {
        let whisker = Some((row.low * 100.0, row.high * 100.0));
        plot.bar(&format!("{} · {}", row.agent, row.arm), row, row.pass_at_1 * 100.0, whisker);
    }
    plot.end()
}

/// The mean score: one bar for each scenario and arm.
pub(super) fn scores(report: &Report) -> String {
    let mut plot = Plot::new(report.cells.len(), "Mean score; a trial passes at 70", "");
    for row in &report.cells {
        plot.bar(&format!("{} · {} · {}", row.scenario, row.arm, row.agent), row, row.score, None);
    }
    plot.line_at(70.0);
    plot.end()
}

struct Plot {
    svg: String,
    height: f64,
    y: f64,
}

impl Plot {
    fn new(rows: usize, title: &str, unit: &str) -> Self {
        let height = TOP + ROW * rows as f64 + 24.0;
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">\
             <text x=\"0\" y=\"14\" class=\"t\">{title}</text>"
        );
        for mark in [0.0, 25.0, 50.0, 75.0, 100.0] {
            let x = x_of(mark);
            let (bottom, label) = (height - 20.0, height - 6.0);
            let _ = write!(
                svg,
                "<line x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{bottom}\" class=\"g\"/>\
                 <text x=\"{x}\" y=\"{label}\" class=\"m\">{mark}{unit}</text>"
            );
        }
        Self { svg, height, y: TOP }
    }

    fn bar(&mut self, label: &str, row: &Row, value: f64, whisker: Option<(f64, f64)>) {
        let (label, arm) = (escaped(label), row.arm);
        let (text, top, middle) = (self.y + 15.0, self.y + 4.0, self.y + 11.0);
        let width = x_of(value) - LEFT;
        let _ = write!(
            self.svg,
            "<text x=\"{}\" y=\"{text}\" class=\"l\">{label}</text>\
             <rect x=\"{LEFT}\" y=\"{top}\" width=\"{width:.1}\" height=\"14\" class=\"{arm}\">\
             <title>{label}: {value:.1}</title></rect>",
            LEFT - 8.0
        );
        if let Some((low, high)) = whisker {
            let (low, high) = (x_of(low), x_of(high));
            let _ = write!(
                self.svg,
                "<path d=\"M{low:.1} {middle}H{high:.1}M{low:.1} {top}v14M{high:.1} {top}v14\" \
                 class=\"w\"/>"
            );
        }
        self.y += ROW;
    }

    fn line_at(&mut self, value: f64) {
        let (x, bottom) = (x_of(value), self.height - 20.0);
        let _ = write!(
            self.svg,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{bottom}\" class=\"w\"/>"
        );
    }

    fn end(self) -> String {
        self.svg + "</svg>"
    }
}

fn x_of(percent: f64) -> f64 {
    LEFT + (WIDTH - LEFT - 30.0) * percent / 100.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
