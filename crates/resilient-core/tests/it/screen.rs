//! The screen: secrets are refused on every way in, when a call asks for it or the policy demands it.

use resilient_core::checkpoint::{Format, SaveRequest};
use resilient_core::chunk::{ComposeRequest, PartRequest};
use resilient_core::form::Asked;
use resilient_core::handoff::HandoffRequest;
use resilient_core::risk::Verdict;
use resilient_core::scratch::{Encoding, PutRequest};
use resilient_core::workspace::{RedactRequest, Source, WriteTo};
use resilient_core::write::{ReplaceRequest, WriteMode, WriteRequest};
use resilient_core::{Error, Result, Workspace};
use serde_json::{Value, json};

use crate::home::{Home, Steps, composing, create, hinted, json_of, refusal, sha};

const STRICT: &str = "classify: {default: on, reject: secrets}\n";

/// One real-shaped key: its level is high, and its score is not.
fn key() -> String {
    ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

fn part(content: &str) -> PartRequest {
    PartRequest { session: "s".to_owned(), content: content.to_owned(), ..PartRequest::default() }
}

fn handoff(summary: &str) -> HandoffRequest {
    let facts = json!({
        "task_id": "t", "status": "partial", "agent": "a", "summary": summary,
        "next_steps": [], "last_good_state": [],
    });
    let Value::Object(envelope) = facts else { unreachable!("an object") };
    HandoffRequest {
        envelope,
        body: String::new(),
        path: "HANDOFF.md".to_owned(),
        archive: false,
        expected_prev_sha256: None,
        reject_at: None,
        allow_shrink: false,
    }
}

fn checkpoint(data: Value) -> SaveRequest {
    SaveRequest {
        name: "c".to_owned(),
        data,
        format: Format::Json,
        ttl: "session".to_owned(),
        expected_prev_sha256: None,
        reject_at: None,
    }
}

fn edit(old: &str, new: &str) -> ReplaceRequest {
    ReplaceRequest {
        path: "a.txt".to_owned(),
        old_string: old.to_owned(),
        new_string: new.to_owned(),
        count: 1,
        expected_prev_sha256: None,
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    }
}

fn append(content: &str) -> WriteRequest {
    WriteRequest { mode: WriteMode::Append, ..create("a.txt", content) }
}

/// A tool that takes a text, and whether it is to be judged.
type Way = (&'static str, fn(&Workspace, &str, Option<Verdict>) -> Result<Value>);

/// Every way by which a text comes to the disk but the scratchpad, which is made for secrets. Each keeps
/// it in another place; `a.txt` is there.
const WAYS: [Way; 7] = [
    ("create", |ws, text, reject_at| {
        ws.write(WriteRequest { reject_at, ..create("new.txt", text) }).map(json_of_any)
    }),
    ("append", |ws, text, reject_at| {
        ws.write(WriteRequest { reject_at, ..append(text) }).map(json_of_any)
    }),
    ("replace", |ws, text, reject_at| {
        ws.replace(ReplaceRequest { reject_at, ..edit("old", text) }).map(json_of_any)
    }),
    ("part", |ws, text, reject_at| {
        ws.keep_part(PartRequest { index: Some(7), reject_at, ..part(text) }).map(json_of_any)
    }),
    ("next part", |ws, text, reject_at| {
        ws.keep_part(PartRequest { reject_at, ..part(text) }).map(json_of_any)
    }),
    ("handoff", |ws, text, reject_at| {
        ws.write_handoff(HandoffRequest { reject_at, ..handoff(text) }).map(json_of_any)
    }),
    ("checkpoint", |ws, text, reject_at| {
        ws.save_checkpoint(SaveRequest { reject_at, ..checkpoint(json!({"text": text})) })
            .map(json_of_any)
    }),
];

fn json_of_any<T: serde::Serialize>(receipt: T) -> Value {
    json_of(&receipt)
}

#[test]
fn a_secret_is_refused_on_every_way_in_when_the_call_asks() {
    for (name, way) in WAYS {
        let home = Home::new();
        home.put("a.txt", "old\n");
        let ws = home.open();
        let refused = refusal(way(&ws, &key(), Some(Verdict::Low)));
        assert_eq!(refused["error"], "blocked", "{name}");
        assert_eq!(refused["detected_patterns"], json!(["github_pat"]), "{name}");
        // The draft is kept, and nothing else.
        let draft = refused["context"]["draft_sha256"].as_str().expect(name);
        let kept = ws.scratch().get(draft, Encoding::Utf8).expect(name).content;
        assert!(kept.contains(&key()), "{name}");
        let rows: Vec<String> = home.rows().into_iter().map(|row| row.path).collect();
        assert_eq!(rows, [format!(".resilient_write/scratch/{draft}.bin")], "{name}");
        assert_eq!(home.text("a.txt"), "old\n", "{name}");
    }
}

#[test]
fn a_check_that_is_stopped_changes_nothing_on_every_way_in() {
    let text = "let name = other.of(&value, 17);\n".repeat(30_000) + &key();
    for (name, way) in WAYS {
        let home = Home::new();
        home.put("a.txt", "old\n");
        let (ws, steps) = Steps::watching(&home.open(), 1);
        let stopped = way(&ws, &text, Some(Verdict::Low));
        assert!(matches!(stopped, Err(Error::Cancelled)), "{name}: {stopped:?}");
        assert_eq!(steps.seen().len(), 1, "{name}");
        assert_eq!(home.names(""), ["a.txt"], "{name}");
        assert_eq!(home.text("a.txt"), "old\n", "{name}");
    }
}

#[test]
fn refused_data_is_corrected_in_the_same_call() {
    let home = Home::new();
    let ws = home.open();
    let reject_at = Some(Verdict::Low);
    let data = json!({"text": key()});
    let refused = ws.save_checkpoint(SaveRequest { reject_at, ..checkpoint(data) }).unwrap_err();
    let (hint, _) = hinted(&refused);
    assert!(hint.starts_with("make the call again with data that leaves out"), "{hint}");
}

#[test]
fn a_single_secret_is_refused_on_every_way_in_when_the_policy_demands_it() {
    for (name, way) in WAYS {
        let home = Home::new();
        home.policy(STRICT);
        home.put("a.txt", "old\n");
        let ws = home.open();
        for asked in [None, Some(Verdict::High)] {
            let refused = refusal(way(&ws, &key(), asked));
            assert_eq!(refused["error"], "blocked", "{name}");
            assert_eq!(refused["context"]["reason"], "secret_found", "{name}");
            assert_eq!(refused["context"]["verdict"], "low", "{name}");
        }
        // Personal data is no secret, and is told.
        let passed = way(&ws, "jane@mail.net", None).expect(name);
        assert_eq!(passed["findings"][0]["level"], "medium", "{name}");
    }
}

#[test]
fn what_passes_with_findings_is_told_without_the_secret() {
    for (name, way) in WAYS {
        let home = Home::new();
        home.put("a.txt", "old\n");
        let ws = home.open();
        let unasked = way(&ws, "nothing", None).expect(name);
        assert!(unasked.get("findings").is_none(), "{name}: {unasked}");
        home.put("a.txt", "old\n");
        let ws = Home::new();
        ws.put("a.txt", "old\n");
        let passed = way(&ws.open(), &key(), Some(Verdict::High)).expect(name);
        let found = &passed["findings"][0];
        assert_eq!(found["family"], "github_pat", "{name}");
        assert_eq!((&found["level"], &found["placeholder"]), (&json!("high"), &json!(false)));
        assert!(found["line"].as_u64().is_some_and(|line| line >= 1), "{name}: {found}");
        assert!(passed.get("findings_omitted").is_none(), "{name}");
        assert!(!passed.to_string().contains(&key()[8..]), "{name}: {passed}");
    }
}

#[test]
fn a_secret_over_two_parts_is_found_when_they_are_composed_and_taken_out_in_one_more_call() {
    let home = Home::new();
    home.policy(STRICT);
    let ws = home.open();
    let (front, back) = (["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n");
    ws.keep_part(part(&front)).unwrap();
    ws.keep_part(part(back)).unwrap();
    for existing in [false, true] {
        if existing {
            home.put("out.py", "before\n");
        }
        let refused = refusal(ws.compose(composing("out.py", true)));
        assert_eq!(refused["context"]["reason"], "secret_found");
        assert_eq!(refused["context"]["session"], "s");
        assert_eq!(refused["context"]["parts"], json!([1, 2]));
        let action = &refused["context"]["suggested_actions"][0];
        let mut arguments = json!({"session": "s", "write_to": "out.py"});
        if existing {
            arguments["expected_prev_sha256"] = json!(sha("before\n"));
        }
        assert_eq!((&action["tool"], &action["arguments"]), (&json!("rw_redact"), &arguments));
        assert!(!home.state("scratch").exists(), "the parts are the draft");
    }
    ws.redact(RedactRequest {
        source: Source::Session { session: "s".to_owned(), separator: String::new() },
        chosen: Vec::new(),
        language: None,
        env: false,
        keep: false,
        write: Some(WriteTo {
            path: "out.py".to_owned(),
            mode: WriteMode::Overwrite,
            expected_prev_sha256: Some(sha("before\n")),
            reject_at: None,
            validate: false,
            form: Asked::default(),
            allow_shrink: false,
        }),
    })
    .unwrap();
    assert_eq!(home.text("out.py"), "x = \"<REDACTED:jwt:1>\"\n");
    assert_eq!(ws.chunks().status("s").unwrap().parts.unwrap().present_indices, [1, 2]);
}

#[test]
fn a_text_that_holds_only_what_the_policy_knows_is_written_in_one_more_call() {
    let home = Home::new();
    home.policy(&format!(
        "{STRICT}extend_patterns: {{internal: [{{name: ticket, regex: 'ACME-[0-9]{{6}}'}}]}}\n\
         weights: {{internal: 0.4}}\n"
    ));
    let ws = home.open();
    let targets = |content: &str| {
        let (hint, refused) = hinted(&ws.write(create("a.txt", content)).unwrap_err());
        assert!(hint.contains("`content_from` {draft_sha256}"), "{hint}");
        let [action] = refused["context"]["suggested_actions"].as_array().unwrap().as_slice()
        else {
            panic!("{refused}");
        };
        assert_eq!((&action["action"], &action["tool"]), (&json!("redact"), &json!("rw_redact")));
        assert_eq!(action["arguments"]["draft_sha256"], refused["context"]["draft_sha256"]);
        action["targets"].clone()
    };
    assert_eq!(targets("ACME-493821\n"), json!(["internal"]));
    assert_eq!(targets(&format!("{} ACME-493821\n", key())), json!(["github_pat", "internal"]));
    let source = Source::Draft(sha("ACME-493821\n"));
    let redacted = ws
        .redact(RedactRequest {
            source,
            chosen: Vec::new(),
            language: None,
            env: false,
            keep: false,
            write: None,
        })
        .unwrap();
    assert!(!json_of(&redacted).to_string().contains("ACME-"));
}

#[test]
fn a_sealed_scratchpad_is_no_way_out_of_a_refusal() {
    let home = Home::new();
    home.policy(STRICT);
    let ws = home.builder().seal_scratch(true).open();
    let (hint, told) = hinted(&ws.write(create("a.txt", &key())).unwrap_err());
    assert_eq!(hint, "send the text again without what context.detected lists");
    assert_eq!(told["context"]["suggested_actions"][0].get("tool"), None, "{told}");
    assert_eq!(told["context"].get("draft_sha256"), None, "{told}");
}

#[test]
fn a_secret_over_two_appends_is_found() {
    let home = Home::new();
    home.put("a.txt", format!("first\n{}", &key()[..20]));
    let ws = home.open();
    let low = |text: &str| WriteRequest { reject_at: Some(Verdict::Low), ..append(text) };
    let refused = refusal(ws.write(low(&format!("{}\nmore\n", &key()[20..]))));
    assert_eq!(refused["context"]["detected"][0]["line"], 1);
    // What is in the file already is not the append's.
    home.put("a.txt", format!("{}\n", key()));
    ws.write(low("more\n")).unwrap();
    let two = ["gh", "p_", &"Zx9".repeat(12)].concat();
    let refused = refusal(ws.write(low(&format!("more\n{two}\n"))));
    assert_eq!(refused["context"]["detected"][0]["line"], 2);
    assert_eq!(refused["context"]["detected"].as_array().unwrap().len(), 1);
}

#[test]
fn a_draft_is_appended_under_the_same_eyes_as_a_text() {
    let home = Home::new();
    home.policy(STRICT);
    home.put("a.txt", format!("first\n{}", &key()[..20]));
    let ws = home.open();
    let draft = |content: &str| {
        let kept = PutRequest { content: content.to_owned(), ..PutRequest::default() };
        Source::Draft(ws.scratch().put(kept).unwrap().sha256.to_string())
    };
    let appended = |path: &str, source: Source, validate: bool| {
        let to = append("");
        let write = Some(WriteTo {
            path: path.to_owned(),
            mode: WriteMode::Append,
            expected_prev_sha256: None,
            reject_at: None,
            validate,
            form: to.form,
            allow_shrink: false,
        });
        ws.redact(RedactRequest {
            source,
            chosen: vec![],
            language: None,
            env: false,
            keep: false,
            write,
        })
    };
    // Of a secret whose first half is in the file, the second one goes.
    appended("a.txt", draft(&key()[20..]), false).unwrap();
    let clean = format!("first\n{}<REDACTED:github_pat:1>", &key()[..20]);
    assert_eq!(home.text("a.txt"), clean);
    // And the syntax is that of the whole file.
    home.put("b.json", "[1,\n");
    appended("b.json", draft("2]\n"), true).unwrap();
    home.put("c.json", "[1,\n");
    let refused = refusal(appended("c.json", draft("[2]\n"), true));
    assert_eq!(refused["context"]["reason"], "invalid_syntax");
    assert_eq!(home.text("c.json"), "[1,\n");
}

#[test]
fn an_edit_is_not_blocked_for_what_it_did_not_add() {
    let home = Home::new();
    home.policy(STRICT);
    home.put("a.txt", format!("one\ntoken {}\n", key()));
    let ws = home.open();
    ws.replace(edit("one", "two")).unwrap();
    // Around the secret, too, which is in both strings.
    ws.replace(edit(&format!("token {}", key()), &format!("the token {}", key()))).unwrap();
    assert_eq!(home.text("a.txt"), format!("two\nthe token {}\n", key()));
    let refused = refusal(ws.replace(edit("two", &key())));
    assert_eq!(refused["context"]["reason"], "secret_found");
    assert_eq!(refused["context"]["detected"].as_array().unwrap().len(), 1, "the second copy");
}

#[test]
fn an_edit_that_completes_a_secret_is_blocked() {
    let home = Home::new();
    home.policy(STRICT);
    home.put("a.txt", format!("token {}!\n", &key()[..20]));
    let ws = home.open();
    let refused = refusal(ws.replace(edit("!", &key()[20..])));
    assert_eq!(refused["context"]["reason"], "secret_found");
    assert_eq!(home.text("a.txt"), format!("token {}!\n", &key()[..20]));
}

#[test]
fn a_call_can_be_stricter_than_the_policy_and_not_laxer() {
    let home = Home::new();
    home.policy("classify: {default: on, reject_at: low}\n");
    let ws = home.open();
    let high = WriteRequest { reject_at: Some(Verdict::High), ..create("a.txt", "jane@mail.net") };
    assert_eq!(refusal(ws.write(high))["context"]["classify_reject_at"], "low");
    home.policy("classify: {default: on}\nallow: {paths: [a.txt]}\n");
    ws.write(WriteRequest { reject_at: Some(Verdict::Low), ..create("a.txt", &key()) }).unwrap();
}

#[test]
fn under_a_policy_that_cannot_be_used_no_secret_passes_unasked() {
    let home = Home::new();
    home.policy("classify: {default: perhaps}\n");
    let ws = home.open();
    for (name, way) in WAYS {
        home.put("a.txt", "old\n");
        let refused = refusal(way(&ws, &key(), None));
        let reason = refused["context"]["reason"].as_str().expect(name);
        assert!(reason.starts_with("bad_value: classify.default"), "{name}: {refused}");
        way(&ws, "nothing", None).expect(name);
    }
    assert!(!home.state("scratch").exists(), "no draft of a call that was not judged by a policy");
}

#[test]
fn parts_handoffs_and_checkpoints_are_written_only_over_what_was_expected() {
    let home = Home::new();
    let ws = home.open();
    let expecting = |sha256: &str| Some(sha256.to_owned());
    // A part with a number: that part.
    let numbered = |expected: &str, content: &str| {
        let expected_prev_sha256 = expecting(expected);
        ws.keep_part(PartRequest { index: Some(1), expected_prev_sha256, ..part(content) })
    };
    numbered("", "one").unwrap();
    assert_eq!(refusal(numbered("", "two"))["error"], "stale_precondition");
    numbered(&sha("one"), "two").unwrap();
    // Without one: the last part, so that a call that is made again is noticed.
    let next = |expected: &str, content: &str| {
        ws.keep_part(PartRequest { expected_prev_sha256: expecting(expected), ..part(content) })
    };
    assert_eq!(refusal(next("", "three"))["context"]["actual_prev_sha256"], sha("two"));
    assert_eq!(next(&sha("two"), "three").unwrap().index, 2);
    assert_eq!(refusal(next(&sha("two"), "three"))["error"], "stale_precondition");
    let other = PartRequest { session: "t".to_owned(), ..part("first") };
    ws.keep_part(PartRequest { expected_prev_sha256: expecting(""), ..other }).unwrap();

    let compose = |expected: &str| {
        let expected_prev_sha256 = expecting(expected);
        ws.compose(ComposeRequest { expected_prev_sha256, ..composing("out.txt", false) })
    };
    compose("").unwrap();
    assert_eq!(refusal(compose(""))["context"]["actual_prev_sha256"], sha("twothree"));
    assert_eq!(compose(&sha("twothree")).unwrap().bytes, 8);

    let write = |expected: &str, summary: &str| {
        let expected_prev_sha256 = expecting(expected);
        ws.write_handoff(HandoffRequest { expected_prev_sha256, ..handoff(summary) })
    };
    let first = write("", "one").unwrap().sha256.to_string();
    assert_eq!(refusal(write("", "two"))["context"]["actual_prev_sha256"], first);
    write(&first, "two").unwrap();

    let save = |expected: &str, data: Value| {
        let expected_prev_sha256 = expecting(expected);
        ws.save_checkpoint(SaveRequest { expected_prev_sha256, ..checkpoint(data) })
    };
    let first = save("", json!(1)).unwrap().sha256.to_string();
    assert_eq!(refusal(save("", json!(2)))["context"]["actual_prev_sha256"], first);
    save(&first, json!(2)).unwrap();
    assert_eq!(ws.checkpoints().read("c").unwrap().data, json!(2));
}
