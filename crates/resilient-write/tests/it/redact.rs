//! `redact`.

use serde_json::json;

use crate::sandbox::Sandbox;

/// A line with a token in it.
fn line() -> String {
    format!("key = \"{}\"\n", ["gh", "p_", &"k3Jd9f".repeat(6)].concat())
}

#[test]
fn the_text_goes_to_standard_output_and_what_was_replaced_beside_it() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["redact", "-"], line());
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stdout, "key = \"<REDACTED:github_pat:1>\"\n");
    assert_eq!(ran.stderr, "1:8: github_pat (ghp) is now <REDACTED:github_pat:1>\n");
    let json = sandbox.run_with(&["redact", "-", "--json"], line()).ok().json();
    assert_eq!((&json["ok"], &json["text"]), (&json!(true), &json!(ran.stdout)));
    assert!(sandbox.names().is_empty());
}

/// Before, standard input was read as UTF-8, and a token in UTF-16 went on.
#[test]
fn standard_input_is_read_in_the_encoding_that_a_file_is_read_in() {
    let sandbox = Sandbox::new();
    let clean = "key = \"<REDACTED:github_pat:1>\"\n";
    let wide =
        |order: fn(u16) -> [u8; 2]| -> Vec<u8> { line().encode_utf16().flat_map(order).collect() };
    let (little, big) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
    for bytes in [little.clone(), big.clone(), [b"\xff\xfe".to_vec(), little].concat()] {
        sandbox.put("a.txt", &bytes);
        assert_eq!(sandbox.run(&["redact", "a.txt"]).stdout, clean);
        assert_eq!(sandbox.run_with(&["redact", "-"], &bytes).stdout, clean);
    }
    let four: Vec<u8> = line().bytes().flat_map(|byte| [byte, 0, 0, 0]).collect();
    let big: Vec<u8> = line().bytes().flat_map(|byte| [0, 0, 0, byte]).collect();
    for bytes in [[&b"\xff\xfe\0\0"[..], &four].concat(), four, big] {
        let ran = sandbox.run_with(&["redact", "-"], &bytes);
        assert_eq!((ran.code, ran.stdout.as_str()), (6, ""), "{ran:?}");
    }
}

#[test]
fn a_file_is_cleaned_in_place_when_its_secrets_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.put("a.py", line());
    let clean = ["redact", "a.py", "--env", "--write-to", "a.py"];
    let refused = sandbox.run(&clean);
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains(
        "next: ask_user - call `resilient-write redact` again with `--keep`: the scratchpad"
    ));
    let ran = sandbox.run(&[&clean[..], &["--keep"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("overwrote a.py\n"), "{ran:?}");
    assert!(ran.stderr.contains(", kept as "), "{ran:?}");
    assert!(ran.stderr.ends_with("the text now needs import os\n"), "{ran:?}");
    assert_eq!(sandbox.text("a.py"), "key = os.environ[\"KEY\"]\n");
}

#[test]
fn choices_and_languages_that_mean_nothing_are_refused() {
    let sandbox = Sandbox::new();
    for (args, word) in [
        (&["redact", "-", "--only", "9"][..], "no finding 9; there are 1"),
        (&["redact", "-", "--only", "keys"], "no family \"keys\""),
        (&["redact", "-", "--env"], "needed for env"),
        (&["redact", "--draft", "x"], "is not a lower-case sha256"),
    ] {
        let ran = sandbox.run_with(args, line());
        assert_eq!((ran.code, ran.stdout.as_str()), (6, ""), "{args:?}");
        assert_eq!(ran.stderr.matches(word).count(), 1, "{args:?}: {ran:?}");
    }
    let ran = sandbox.run_with(&["redact", "-", "--language", "cobol"], line());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("it is one of python, javascript, "), "{ran:?}");
    let kept = sandbox.run_with(&["redact", "-", "--only", "pii"], line());
    assert_eq!((kept.stdout, kept.stderr.as_str()), (line(), ""));
    assert_eq!(sandbox.run(&["redact"]).code, 2);
    // As other commands do, it says a path as it is given.
    let missing = sandbox.run(&["redact", "none.py"]);
    assert!(
        missing.stderr.starts_with("resilient-write: \"none.py\" does not exist"),
        "{missing:?}"
    );
}

#[test]
fn a_secret_on_the_command_line_is_repeated_by_its_beginning_alone() {
    let secret = ["gh", "p_", &"k3Jd9f".repeat(6)].concat();
    let sandbox = Sandbox::new();
    for more in [&[][..], &["--json"]] {
        let ran = sandbox.run_with(&[&["redact", "-", "--redact", &secret], more].concat(), "x");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(ran.code != 0 && said.contains("ghp_k3Jd"), "{ran:?}");
        assert!(!said.contains(&secret), "{ran:?}");
    }
    sandbox.put(&format!("{secret}.txt"), "x");
    let mut client = sandbox.serve(&["--tools", "full"]);
    let near = format!("{}x.txt", &secret[..secret.len() - 1]);
    for (tool, arguments) in [
        ("rw_redact", json!({"content": "x", "redact": [secret]})),
        ("rw_redact", json!({"content": "x", secret.as_str(): 1})),
        ("rw_safe_replace", json!({"path": near, "old_string": "a", "new_string": "b"})),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.to_string().contains("ghp_k3Jd"), "{answer}");
        assert!(!answer.to_string().contains(&secret), "{answer}");
    }
}
