//! The report for people: Markdown, and one page of HTML that needs nothing beside itself.

use anyhow::Result;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, context};

use super::{Report, plot};

const MARKDOWN: &str = include_str!("../../assets/report.md.jinja");
const PAGE: &str = include_str!("../../assets/report.html.jinja");

/// The report as Markdown.
///
/// # Errors
/// The template is wrong.
pub(crate) fn markdown(report: &Report, title: &str, note: &str) -> Result<String> {
    render("report.md", MARKDOWN, report, title, note)
}

/// The report as a page.
///
/// # Errors
/// The template is wrong.
pub(crate) fn html(report: &Report, title: &str, note: &str) -> Result<String> {
    // The name ends in html, so that what is put in is escaped.
    render("report.html", PAGE, report, title, note)
}

fn render(name: &str, template: &str, report: &Report, title: &str, note: &str) -> Result<String> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build()?);
    environment.add_filter("percent", |share: f64| format!("{:.0} %", share * 100.0));
    environment.add_filter("fixed", |value: f64| format!("{value:.1}"));
    environment.add_filter("whole", |value: f64| format!("{value:.0}"));
    // A bar would end a cell.
    environment.add_filter("cell", |text: String| text.replace('|', "\\|"));
    environment.add_template(name, template)?;
    // Numbers of any precision are no numbers to templates.
    let abouts: Vec<String> = report.plans.iter().map(|plan| plan.about.to_string()).collect();
    let passes = plot::passes(report);
    let scores = plot::scores(report);
    Ok(environment.get_template(name)?.render(context! {
        title, note, passes, scores, abouts,
        report => Serde(report),
        version => env!("CARGO_PKG_VERSION"),
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_report_can_be_written_and_titles_are_escaped() {
        let report = Report::new(&[], Vec::new());
        assert!(markdown(&report, "A", "").unwrap().starts_with("# A\n"));
        let page = html(&report, "a < b", "").unwrap();
        assert!(page.contains("<title>a &lt; b</title>"), "{page}");
        assert!(page.contains("<svg"), "{page}");
    }
}
