//! Redacting what is in files and in the scratchpad, and keeping marks off the values they stand for.

use resilient_core::form::Asked;
use resilient_core::redact::{Choice, Language};
use resilient_core::risk::Verdict;
use resilient_core::scratch::{Encoding, PutRequest};
use resilient_core::workspace::{RedactRequest, Redacted, Source, WriteTo};
use resilient_core::write::{WriteMode, WriteRequest};
use resilient_core::{Result, Workspace};
use serde_json::{Value, json};

use crate::home::{Home, composing, create, envelope, hinted, json_of, overwrite, replace, sha};

/// A line with a token in it.
fn line(name: &str, fill: &str) -> String {
    format!("{name} = \"{}\"\n", token(fill))
}

fn token(fill: &str) -> String {
    ["gh", "p_", &fill.repeat(6)].concat()
}

fn request(source: Source) -> RedactRequest {
    RedactRequest { source, chosen: vec![], language: None, env: false, keep: false, write: None }
}

fn file(path: &str) -> Source {
    Source::File(path.to_owned())
}

fn to(path: &str) -> Option<WriteTo> {
    let (mode, path) = (WriteMode::Create, path.to_owned());
    Some(WriteTo {
        path,
        mode,
        expected_prev_sha256: None,
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    })
}

fn kept(ws: &Workspace, content: &str) -> String {
    let content = content.to_owned();
    ws.scratch().put(PutRequest { content, ..PutRequest::default() }).unwrap().sha256.to_string()
}

#[test]
fn a_text_is_answered_with_what_was_replaced() {
    let home = Home::new();
    let text = line("a", "k3Jd9f");
    let redacted = home.open().redact(request(Source::Content(text))).unwrap();
    assert_eq!(
        json_of(&redacted),
        json!({
            "text": "a = \"<REDACTED:github_pat:1>\"\n", "bytes": 30, "score": 0.0, "verdict": "safe",
            "replaced": [{
                "put": "<REDACTED:github_pat:1>", "kind": "github_pat", "pattern": "ghp",
                "findings": [1],
                "from": {"line": 1, "col": 6, "start": 5, "end": 45},
                "to": {"line": 1, "col": 6, "start": 5, "end": 28},
                "sha256": sha(token("k3Jd9f")),
            }],
        })
    );
    assert!(!home.state("").exists(), "nothing is made for it");
}

#[test]
fn a_draft_is_written_clean_and_its_secrets_are_kept() {
    let home = Home::new();
    let ws = home.open();
    let draft = kept(&ws, &(line("a", "k3Jd9f") + &line("b", "Zq8vN2") + &line("c", "k3Jd9f")));
    let redact = RedactRequest { write: to("a.txt"), keep: true, ..request(Source::Draft(draft)) };
    let Redacted { text, redaction, written } = ws.redact(redact).unwrap();
    assert_eq!(text, None);
    let clean = "a = \"<REDACTED:github_pat:1>\"\nb = \"<REDACTED:github_pat:2>\"\n\
                 c = \"<REDACTED:github_pat:1>\"\n";
    assert_eq!(home.text("a.txt"), clean);
    assert_eq!(written.unwrap().sha256.to_string(), sha(clean));
    let kept: Vec<String> =
        redaction.replaced.iter().map(|r| r.kept_sha256.clone().unwrap()).collect();
    let [one, two] = ["k3Jd9f", "Zq8vN2"].map(|fill| sha(token(fill)));
    assert_eq!(kept, [one.clone(), two, one.clone()]);
    let found = ws.scratch().get(&one, Encoding::Utf8).unwrap();
    assert_eq!(found.content, token("k3Jd9f"));
    assert_eq!(found.label.as_deref(), Some("redacted:draft:<REDACTED:github_pat:1>"));
    home.assert_tidy();
}

#[test]
fn a_file_is_cleaned_in_place_only_when_its_secrets_are_kept() {
    let home = Home::new();
    home.put("a.py", line("key", "k3Jd9f"));
    let ws = home.open();
    for env in [false, true] {
        let put = if env { "os.environ[\"KEY\"]" } else { "<REDACTED:github_pat:1>" };
        let redact = RedactRequest { write: to("a.py"), env, ..request(file("a.py")) };
        let context = over(put, 1, 1);
        assert_eq!(home.refused(|| ws.redact(redact)), context);
    }
    let redact =
        RedactRequest { write: to("./a.py"), keep: true, env: true, ..request(file("a.py")) };
    ws.redact(redact).unwrap();
    assert_eq!(home.text("a.py"), "key = os.environ[\"KEY\"]\n");
    let found = ws.scratch().get(&sha(token("k3Jd9f")), Encoding::Utf8).unwrap();
    assert_eq!(found.content, token("k3Jd9f"));
}

/// Before, such a file was read as one that stands behind itself, and its beginning went.
#[test]
fn a_file_that_is_cleaned_in_place_does_not_go_on_with_its_own_end() {
    let home = Home::new();
    let token = token("k3Jd9f");
    let (front, back) = token.split_at(20);
    let text = format!("{back}\nmore\n{front}");
    home.put("a.txt", &text);
    let write = to("a.txt").map(|to| WriteTo { mode: WriteMode::Append, ..to });
    let redact = RedactRequest { write, keep: true, ..request(file("a.txt")) };
    let redacted = home.open().redact(redact).unwrap();
    assert!(redacted.redaction.replaced.is_empty(), "{redacted:?}");
    assert_eq!(home.text("a.txt"), text);
}

/// The refusal to put a mark over a value.
fn over(mark: &str, line: u64, old_line: u64) -> Value {
    let path = "a.py";
    envelope(
        ["stale_precondition", "unknown", "ask_user"],
        json!({
            "path": path, "reason": "mark_over_value", "mark": mark, "line": line,
            "old_line": old_line,
        }),
    )
}

#[test]
fn a_refused_mark_leads_to_a_redaction_only_if_that_takes_the_value_out() {
    let home = Home::new();
    let value = ["k3JxP0w9", "qLmZ"].concat();
    home.put("passed.py", format!("unlock = \"{value}\"\nx = 1\n"));
    home.put("found.py", line("key", "k3Jd9f"));
    let ws = home.open();
    for (path, new, is_redactable) in [
        ("passed.py", "unlock = \"<REDACTED:generic_secret:1>\"\nx = 2\n", false),
        ("found.py", "key = \"<REDACTED:github_pat:1>\"\nx = 2\n", true),
    ] {
        let (hint, refused) = hinted(&ws.write(overwrite(path, new)).expect_err("a refusal"));
        assert_eq!(refused["context"]["reason"], "mark_over_value", "{refused}");
        assert_eq!(hint.contains("`rw_redact`"), is_redactable, "{hint}");
        let redact = RedactRequest { write: to(path), keep: true, ..request(file(path)) };
        let redacted = ws.redact(redact).expect("a redaction");
        assert_eq!(!redacted.redaction.replaced.is_empty(), is_redactable, "{path}");
    }
}

#[test]
fn no_write_puts_a_mark_over_a_value() {
    const MARK: &str = "<REDACTED:github_pat:1>";
    let home = Home::new();
    home.put("a.py", format!("x = 1\n{}", line("key", "k3Jd9f")));
    let ws = home.open();
    let new = format!("key = \"{MARK}\"\nx = 2\n");
    assert_eq!(home.refused(|| ws.write(overwrite("a.py", &new))), over(MARK, 1, 2));
    let old = line("key", "k3Jd9f");
    let edit = replace("a.py", old.trim_end(), &format!("key = \"{MARK}\""));
    assert_eq!(home.refused(|| ws.replace(edit)), over(MARK, 2, 2));
    let draft = kept(&ws, &line("key", "k3Jd9f"));
    let write = WriteTo { mode: WriteMode::Overwrite, ..to("a.py").unwrap() };
    let redact = RedactRequest { write: Some(write), ..request(Source::Draft(draft)) };
    assert_eq!(home.refused(|| ws.redact(redact)), over(MARK, 1, 2));
    ws.chunks().append("s", new, None).unwrap();
    assert_eq!(home.refused(|| ws.compose(composing("a.py", true))), over(MARK, 1, 2));

    // Where nothing is lost, a mark is a text like any other.
    ws.write(WriteRequest { mode: WriteMode::Append, ..create("a.py", &format!("# {MARK}\n")) })
        .unwrap();
    ws.replace(replace("a.py", "x = 1", &format!("x = 1  # {MARK}"))).unwrap();
    ws.compose(composing("b.py", true)).unwrap();
    ws.write(overwrite("b.py", &format!("x = 3\nkey = \"{MARK}\"\n"))).unwrap();
}

#[test]
fn what_is_not_there_or_means_nothing_is_refused() {
    let home = Home::new();
    home.put("raw.bin", b"\x00\xFF\x80\x81");
    home.put("a.txt", "plain");
    let ws = home.open();
    let reason = |request: RedactRequest| {
        home.refused(|| ws.redact(request))["context"]["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason(request(file("b.txt"))), "not_found");
    assert_eq!(reason(request(file("../b.txt"))), "escapes_workspace");
    assert_eq!(reason(request(file(".resilient_write/journal.jsonl"))), "protected_path");
    assert!(reason(request(file("raw.bin"))).starts_with("not_utf8: "));
    assert_eq!(reason(request(Source::Draft("x".into()))), "not_a_lowercase_sha256_hex");
    assert_eq!(reason(request(Source::Draft("0".repeat(64)))), "not_found");
    let chosen = vec![Choice::read("1")];
    let numbered = RedactRequest { chosen, ..request(file("a.txt")) };
    assert_eq!(reason(numbered), "no finding 1; there are 0");
    let env = RedactRequest { env: true, ..request(file("a.txt")) };
    let reason_env = reason(env);
    assert!(reason_env.starts_with("needed for env; one of python, "));
    let taken = RedactRequest { write: to("a.txt"), ..request(Source::Content("x".into())) };
    assert_eq!(reason(taken), "file_already_exists");
    let stale = WriteTo { expected_prev_sha256: Some(sha("old")), ..to("a.txt").unwrap() };
    let stale = RedactRequest { write: Some(stale), ..request(file("a.txt")) };
    let envelope = home.refused(|| ws.redact(stale));
    assert_eq!(envelope["context"]["actual_prev_sha256"], sha("plain"));
}

#[test]
fn a_sealed_scratchpad_gives_no_draft() {
    let home = Home::new();
    let draft = kept(&home.open(), "text");
    let ws = home.builder().seal_scratch(true).open();
    let envelope = home.refused(|| ws.redact(request(Source::Draft(draft))));
    assert_eq!(envelope["context"]["reason"], "scratch_get_disabled");
}

#[test]
fn what_stays_in_the_text_may_still_block_it() {
    let home = Home::new();
    let ws = home.open();
    let draft = kept(&ws, &format!("{}mail jane@example.com\n", line("a", "k3Jd9f")));
    let write = WriteTo { reject_at: Some(Verdict::Low), validate: false, ..to("a.txt").unwrap() };
    let redact = RedactRequest {
        write: Some(write),
        chosen: vec![Choice::read("github_pat")],
        ..request(Source::Draft(draft.clone()))
    };
    let envelope = home.refused(|| ws.redact(redact.clone()));
    assert_eq!(envelope["detected_patterns"], json!(["pii"]));
    assert_eq!(envelope["context"]["draft_sha256"], draft);
    let result: Result<Redacted> = ws.redact(RedactRequest { chosen: vec![], ..redact });
    result.unwrap();
    assert_eq!(home.text("a.txt"), "a = \"<REDACTED:github_pat:1>\"\nmail <REDACTED:pii:1>\n");
}

#[test]
fn the_language_comes_from_the_request_then_from_the_paths() {
    let home = Home::new();
    home.put("a.js", line("const key", "k3Jd9f"));
    let ws = home.open();
    let text = |request: RedactRequest| ws.redact(request).unwrap().text.unwrap();
    let from_path = RedactRequest { env: true, ..request(file("a.js")) };
    assert_eq!(text(from_path.clone()), "const key = process.env.KEY\n");
    let named = RedactRequest { language: Some(Language::Shell), ..from_path };
    assert_eq!(text(named), "const key = \"${KEY}\"\n");
}
