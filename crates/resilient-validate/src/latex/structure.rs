//! Do braces pair up, and environments nest?

use super::definitions::Definitions;
use super::document::Document;
use super::lexer::Kind;
use crate::findings::Findings;
use crate::lines::Lines;

/// Closing braces that close nothing, then opening braces that are never closed.
pub(super) fn braces(document: &Document<'_>, lines: &Lines<'_>) -> Findings {
    let mut findings = Findings::default();
    for index in &document.stray_closers {
        findings.error(|| {
            lines.error(document.offset(*index), "Unexpected closing brace '}'".to_owned())
        });
    }
    for index in &document.unclosed {
        findings.error(|| {
            let at = document.offset(*index);
            lines.error(at, format!("Unclosed brace '{{' opened at line {}", lines.line(at)))
        });
    }
    findings
}

/// Environments that end without or before having begun, or never end.
///
/// Those in the body of a definition are left out: `\be` may begin what `\ee` ends.
pub(super) fn environments(
    document: &Document<'_>,
    definitions: &Definitions,
    lines: &Lines<'_>,
) -> Findings {
    let mut findings = Findings::default();
    let mut open: Vec<(&str, usize)> = Vec::new();
    for (index, token) in document.tokens().iter().enumerate() {
        if definitions.contains(index) {
            continue;
        }
        match token.kind {
            Kind::Begin(name) => open.push((name, token.at)),
            Kind::End(name) => match open.pop() {
                Some((begun, _)) if begun == name => {}
                Some((begun, at)) => findings.error(|| {
                    let line = lines.line(at);
                    let message = format!(
                        "\\end{{{name}}} mismatches \\begin{{{begun}}} opened at line {line}"
                    );
                    lines.error(token.at, message)
                }),
                None => findings.error(|| {
                    lines.error(token.at, format!("\\end{{{name}}} without matching \\begin"))
                }),
            },
            _ => {}
        }
    }
    for (name, at) in open.into_iter().rev() {
        findings.error(|| lines.error(at, format!("\\begin{{{name}}} never closed")));
    }
    findings
}
