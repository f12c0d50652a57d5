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

/// Before, the first line went, and the others stayed.
#[test]
fn a_password_over_lines_goes_whole() {
    let (one, two) = (["aB3x", "Y9q7"].concat(), ["Zk8m", "N2pW"].concat());
    for (language, before, between, after) in [
        (Language::Yaml, "password: \"", "\n  ", "\"\nport: 1\n"),
        (Language::Yaml, "password: '", "\n  ", "'\nport: 1\n"),
        (Language::Yaml, "password: ", "\n  ", "\nport: 1\n"),
        (Language::Yaml, "db:\n  password: ", "\n    ", "\n  port: 1\n"),
        (Language::Yaml, "- password: ", "\r\n    ", "\r\n  port: 1\r\n"),
        (Language::Python, "password = \"\"\"", "\n", "\"\"\"\nx = 1\n"),
        (Language::Python, "password = '''", "\n", "'''\nx = 1\n"),
        (Language::JavaScript, "const password = `", "\n", "`;\nconst x = 1;\n"),
        (Language::Shell, "PASSWORD=\"", "\n", "\"\nX=1\n"),
        (Language::Go, "password := `", "\n", "`\nx := 1\n"),
        (Language::Toml, "password = \"\"\"", "\n", "\"\"\"\nx = 1\n"),
        (Language::Rust, "let password = \"", "\n", "\";\nlet x = 1;\n"),
        (Language::Rust, "let password = r#\"", "\n", "\"#;\nlet x = 1;\n"),
        (Language::CSharp, "var password = @\"", "\n", "\";\nvar x = 1;\n"),
        (Language::CSharp, "var password = $@\"", "\n", "\";\nvar x = 1;\n"),
    ] {
        let text = format!("{before}{one}{between}{two}{after}");
        let whole = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &whole).unwrap();
        assert_eq!(redaction.text, format!("{before}<REDACTED:generic_secret:1>{after}"), "{text}");
        let redaction = redacted(&text).text;
        assert!(!redaction.contains(&one) && !redaction.contains(&two), "{text}: {redaction}");
        assert!(
            redaction.ends_with(after.trim_start_matches(['"', '\'', '`', '#'])),
            "{redaction}"
        );
    }
    // What follows is another field, or another text.
    for (language, after) in [
        (None, "\n    then click on it\n"),
        (None, "\n  user: ab3\n"),
        (Some(Language::Yaml), "\n  # old\n"),
        (Some(Language::Yaml), "\n- a1\n"),
        (Some(Language::Yaml), "\nb: a1\n"),
    ] {
        let wish = Wish { language, ..Wish::default() };
        let text = format!("password: {one}{after}");
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text, format!("password: <REDACTED:generic_secret:1>{after}"));
    }
    // What stands before it on the line says nothing.
    for (language, before, quote, after) in [
        (Language::Php, "<?php $x = \"a\nb\"; $password = ", "\"", ";\n"),
        (Language::Python, "x = \"\"\"a\nb\"\"\"; password = ", "\"\"\"", "\n"),
        (Language::JavaScript, "const x = `a\nb`, password = ", "`", ";\n"),
        (Language::Shell, "echo \"it's\"; PASSWORD=", "'", "\n"),
        (Language::Ruby, "x = \"a\nb\"; password = ", "\"", "\n"),
        (Language::Yaml, "a: it's\npassword: ", "'", "\n"),
    ] {
        let (one, two) = (["hG7kd92", "LmQx81Zp"].concat(), ["qQ7zL9", "mN2"].concat());
        let text = format!("{before}{quote}{one}\n{two}{quote}{after}");
        let wish = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap().text;
        assert!(!redaction.contains(&one) && !redaction.contains(&two), "{text}: {redaction}");
    }
    // A comment in quotes is no end of a literal.
    let text = format!("# password: \"{one}\nsudo reboot\necho \"#\"\n");
    assert!(redacted(&text).text.ends_with("\nsudo reboot\necho \"#\"\n"));
    // A quote that its own line closes begins no literal.
    for (language, line) in [
        (Language::Env, "if x_1 < y {"),
        (Language::Shell, "call_1 x y"),
        (Language::Rust, "if x_2 < y {"),
    ] {
        let rest = format!("\n{line}\n{two}\"\n");
        let text = format!("token = \"g\"hp_{}{rest}", "aB3xY9q7".repeat(4));
        let wish = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert!(redaction.text.contains(line), "{language:?}: {}", redaction.text);
    }
    let open = format!("password: \"{one}\nuser: \"bob\"\n");
    assert!(redacted(&open).text.ends_with("\nuser: \"bob\"\n"), "a quote that nothing closes");
}
