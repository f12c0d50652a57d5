//! Whole texts: the incident of the paper, and texts made by chance.

use super::*;
use crate::steady::Chance;

/// The requests that the paper's agent had captured, with what stood for the token.
fn captured(token: &str) -> String {
    let session =
        ["ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiJkZW1vIn0", ".c2lnbmF0dXJl"].concat();
    format!(
        "POST /v1/messages\nAuthorization: Bearer {token}\nX-Api-Key: {token}\n\
         X-Session: {session}\nX-Account: dev@lab.io\n"
    )
}

#[test]
fn the_incident_of_the_paper_is_high_with_the_raw_token() {
    let raw = ["sk-", "ant-", "oat01-", &"A1b2C3d4".repeat(6)].concat();
    let scored = |text: &str| score(text, &Policy::default());
    // The token twice, once in a header that is one more: 0.35 × 1.5; a session: 0.25; an address: 0.15.
    let report = scored(&captured(&raw));
    assert_eq!((report.score, report.verdict), (0.925, Verdict::High));
    assert_eq!(report.kinds(), ["api_key", "jwt", "pii"]);
    // By itself it weighs what its family weighs, and is a leak none the less.
    let alone = scored(&raw);
    assert_eq!((alone.score, alone.verdict), (0.35, Verdict::Low));
    assert_eq!(alone.kinds(), ["api_key"]);
    let level = |found| crate::level(found, &Policy::default());
    assert_eq!(alone.detected_patterns.iter().map(level).max(), Some(Verdict::High));

    let redaction = redacted(&captured(&raw));
    assert_eq!(
        redaction.text,
        "POST /v1/messages\nAuthorization: Bearer <REDACTED:api_key:1>\n\
         X-Api-Key: <REDACTED:api_key:1>\nX-Session: <REDACTED:jwt:1>\n\
         X-Account: <REDACTED:pii:1>\n"
    );
    assert_eq!(redaction.verdict, Verdict::Safe);
}

#[test]
fn the_incident_of_the_paper_is_a_placeholder_with_the_redacted_token() {
    let redacted_token = ["sk-", "ant-", "oat01-", "{REDACTED}"].concat();
    let report = score(&redacted_token, &Policy::default());
    let found: Vec<_> = hits(&report)
        .map(|(_, hit)| (hit.kind.to_string(), hit.pattern.to_string(), hit.placeholder))
        .collect();
    assert_eq!(found, [("api_key".to_owned(), "anthropic_prefix".to_owned(), true)]);
    // 0.35 × 0.35, rounded to four digits.
    assert_eq!((report.score, report.verdict), (0.1225, Verdict::Low));
    let actions = serde_json::to_value(&report.suggested_actions).unwrap();
    let rename = serde_json::json!([{"action": "rename_placeholder", "targets": ["api_key"]}]);
    assert_eq!(actions, rename);

    // Nothing of it is a secret: it stays, and what is left around it goes.
    let text = captured(&redacted_token);
    let redaction = redacted(&text);
    assert_eq!(redaction.text.matches(&redacted_token).count(), 2);
    assert_eq!(redaction.verdict, Verdict::Low);
    let renamed = choosing(&redaction.text, &["placeholder"]).unwrap();
    assert_eq!(renamed.text.matches("<REDACTED:api_key:1>").count(), 2);
    assert_eq!((renamed.score, renamed.verdict), (0.0, Verdict::Safe));
}

#[test]
fn no_text_makes_it_panic_and_what_it_answers_is_clean() {
    let one = token("k3Jd9f");
    let block = ["-----BEGIN ", "PRIVATE KEY-----"].concat();
    let parts = concat!(
        "\"|'|`|\\|\n|# |// |${|}| = |f|b|r#|<REDACTED:pii:1>|é|a@b.io |password: hunter2x9|-----END|",
        "postgres://u:pässw0rd99@h/"
    );
    let parts = [parts, &one, &one[..20], &block].join("|");
    let languages: Vec<_> = Language::names().map(Language::named).chain([None]).collect();
    let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
    for round in 0..300 {
        let text = chance.text(&parts, 24);
        let language = languages[round % languages.len()];
        let wish = Wish { language, env: round % 3 == 0 && language.is_some(), ..Wish::default() };
        match redact(&text, &Policy::default(), &wish) {
            Ok(redaction) => {
                let after = score(&redaction.text, &Policy::default());
                assert!(hits(&after).all(|(_, hit)| !wants(&[], hit)), "{text:?}");
                assert!(!redaction.text.contains(&one), "{text:?}");
            }
            Err(Refusal::Left { .. } | Refusal::Breaks { .. }) => {}
            Err(error) => panic!("{error} for {text:?}"),
        }
    }
}
