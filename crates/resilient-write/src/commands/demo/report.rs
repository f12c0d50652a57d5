//! The report that the agent writes: its parts, the secrets that slip into it, and how they are
//! taken out by what an envelope says.

use serde_json::Value;

use super::client::at;

/// The report, a section or two in each part, without secrets.
const PARTS: [&str; 6] = [
    include_str!("../../../assets/report/1-opening.tex"),
    include_str!("../../../assets/report/2-method.tex"),
    include_str!("../../../assets/report/3-findings.tex"),
    include_str!("../../../assets/report/4-analysis.tex"),
    include_str!("../../../assets/report/5-recommendations.tex"),
    include_str!("../../../assets/report/6-closing.tex"),
];

/// What the agent forgets at first: the macro that the analysis uses, and an end.
const FORGOTTEN: [&str; 2] = ["\\newcommand{\\layer}[1]{\\textbf{Layer~#1}}\n", "\\end{itemize}\n"];

/// The part with the captured requests.
const FINDINGS: usize = 2;

/// The draft of which the first half is written, with the captured requests as they were.
pub(crate) fn draft() -> String {
    // Put together here, so that no filter takes this program for a leak.
    let token = ["sk-", "ant-", "oat01-", &"Zq8vN2xK".repeat(7), "-AA"].concat();
    let session =
        ["ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiJkZW1vIn0", ".c2lnbmF0dXJl"].concat();
    let written: String = PARTS.iter().take(FINDINGS + 1).copied().collect();
    written.replace("{{TOKEN}}", &token).replace("{{SESSION}}", &session) + "\\end{document}\n"
}

/// All parts, the captured requests as they were redacted in the draft.
pub(crate) fn parts(redacted: &str) -> Vec<String> {
    let findings = redacted
        .split_once("\\section{Findings}")
        .map(|(_, rest)| format!("\\section{{Findings}}{rest}").replace("\\end{document}\n", ""));
    let mut parts: Vec<String> = PARTS.map(str::to_owned).to_vec();
    if let (Some(part), Some(findings)) = (parts.get_mut(FINDINGS), findings) {
        *part = findings;
    }
    parts
}

/// The parts as the agent writes them at first.
pub(crate) fn with_faults(parts: &[String]) -> Vec<String> {
    let [definition, end] = FORGOTTEN;
    parts.iter().map(|part| part.replacen(definition, "", 1).replacen(end, "", 1)).collect()
}

/// Takes out what was detected, by nothing but the lines and beginnings that are told.
///
/// A beginning ends in an ellipsis when the match goes on; a secret ends where its characters do.
pub(crate) fn redact(text: &str, detected: &[Value]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for hit in detected {
        let line = at(hit, "/line").as_u64().and_then(|number| usize::try_from(number).ok());
        let line = line.and_then(|number| lines.get_mut(number.checked_sub(1)?));
        let beginning = at(hit, "/match").as_str().map(|text| text.trim_end_matches('…'));
        let beginning = beginning.filter(|text| !text.is_empty());
        let (Some(line), Some(beginning)) = (line, beginning) else { continue };
        let Some((before, rest)) = line.split_once(beginning) else { continue };
        let rest =
            rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-_.=+/".contains(c));
        *line = format!("{before}[redacted]{rest}");
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use resilient_core::validate::{Format, validate};
    use serde_json::json;

    #[test]
    fn redaction_needs_only_line_and_beginning() {
        let text = "one\nAuthorization: Bearer abcDEF-123_x.y= end\nshort\n";
        let detected = [
            json!({"kind": "api_key", "line": 2, "match": "Bearer abcDEF-1…"}),
            json!({"kind": "api_key", "line": 2, "match": "abcDEF-123…"}),
            json!({"kind": "pii", "line": 3, "match": "short"}),
            json!({"kind": "size", "line": null, "match": null}),
            json!({"kind": "pii", "line": 1, "match": "…"}),
            json!({"kind": "api_key", "line": 9, "match": "beyond"}),
        ];
        assert_eq!(redact(text, &detected), "one\nAuthorization: [redacted] end\n[redacted]\n");
    }

    #[test]
    fn the_report_is_valid_and_its_first_version_is_not() {
        let parts = parts(&draft());
        let good = validate(&parts.concat(), Some(Format::Latex), None);
        assert_eq!((good.valid, good.errors), (Some(true), vec![]));
        let bad = validate(&with_faults(&parts).concat(), Some(Format::Latex), None);
        assert_eq!(bad.valid, Some(false));
        assert!(bad.errors.iter().any(|item| item.message.contains("\\layer")));
    }

    #[test]
    fn the_placeholders_are_gone() {
        assert!(!parts(&draft()).concat().contains("{{"));
        assert_eq!(parts(&draft()).len(), PARTS.len());
    }
}
