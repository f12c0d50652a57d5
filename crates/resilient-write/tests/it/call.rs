//! `call`; and that what `--json` prints is what the tools answer.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, secrets};

#[test]
fn any_tool_is_called_by_either_name() {
    let sandbox = Sandbox::new();
    let write = r#"{"path": "a.txt", "content": "one\n"}"#;
    let answer = sandbox.run(&["call", "rw_safe_write", write, "--json"]).ok().json();
    assert_eq!((&answer["ok"], &answer["path"]), (&json!(true), &json!("a.txt")));
    let answer = sandbox.run_with(&["call", "rw.chunk_status", "-"], r#"{"session": "s"}"#).ok();
    assert_eq!(
        answer.stdout,
        "{\n  \"exists\": false,\n  \"ok\": true,\n  \"session\": \"s\"\n}\n"
    );
    sandbox.run(&["call", "rw_checkpoint_list"]).ok();
}

#[test]
fn a_refused_call_is_told() {
    let sandbox = Sandbox::new();
    let unknown = sandbox.run(&["call", "rw_fly", "--json"]).envelope();
    assert_eq!(unknown["context"]["unknown_tool"], "rw_fly");
    let tools = unknown["context"]["tools"].as_array().expect("the tools");
    assert!(tools.contains(&json!("rw_safe_write")), "{unknown}");
    assert_eq!(unknown["context"]["hint"], "call one of the tools that context.tools lists");
    let near = sandbox.run(&["call", "rw_jurnal"]);
    assert!(near.complaint().contains("call rw_journal_tail if that is meant"), "{near:?}");
    let complaint = sandbox.run(&["call", "rw_safe_write", r#"{"path": "a"}"#]);
    assert!(complaint.complaint().contains("\nnext: split - do not resend the call"));
    let unfit = sandbox.run(&["call", "rw_safe_write", "[]", "--json"]).envelope();
    assert_eq!(unfit["context"]["reason"], "arguments_not_an_object");
    let unfit = sandbox.run(&["call", "rw_safe_write", "{", "--json"]).envelope();
    assert_eq!(unfit["context"]["argument"], "arguments");
    let twice = r#"{"path": "a", "content": "1", "content": "2"}"#;
    let unfit = sandbox.run(&["call", "rw_safe_write", twice, "--json"]).envelope();
    assert_eq!(unfit["context"]["reason"], "repeated_key: content");
    assert!(!sandbox.path("a").exists());
}

/// Journal identities and times are of the moment, and so is the hash of a file that holds a time.
fn without_the_moment(mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        let mut of_the_moment =
            vec!["journal_id", "wrote_at", "created_at", "updated_at", "age_seconds", "last_write"];
        if fields.contains_key("checkpoint_path") {
            of_the_moment.push("sha256");
        }
        for moment in of_the_moment {
            if let Some(field) = fields.get_mut(moment) {
                *field = Value::from("of the moment");
            }
        }
    }
    answer
}

#[test]
fn json_is_the_value_that_the_tool_answers() {
    let ours = Sandbox::new();
    let theirs = Sandbox::new();
    let secret = secrets();
    ours.put("secret.txt", &secret);
    theirs.put("secret.txt", &secret);
    let note = json!({
        "task_id": "t", "status": "complete", "agent": "a", "summary": "s", "updated_at": "now",
        "next_steps": [], "last_good_state": [{"path": "gone.txt", "sha256": "0"}],
    });
    let note_text = note.to_string();
    let blocked = ["write", "b", "--classify", "--content", secret.as_str()];
    let cases: Vec<(&[&str], &str, Value)> = vec![
        (&["write", "a", "--content", "1"], "rw_safe_write", json!({"path": "a", "content": "1"})),
        (&["write", "a", "--content", "1"], "rw_safe_write", json!({"path": "a", "content": "1"})),
        (
            &["write", "/etc/passwd", "--content", "1"],
            "rw_safe_write",
            json!({"path": "/etc/passwd", "content": "1"}),
        ),
        (&blocked, "rw_safe_write", json!({"path": "b", "content": &secret, "classify": true})),
        (
            &["replace", "a", "--old", "1", "--new", "2"],
            "rw_safe_replace",
            json!({"path": "a", "old_string": "1", "new_string": "2"}),
        ),
        (
            &["replace", "a", "--old", "1", "--new", "2"],
            "rw_safe_replace",
            json!({"path": "a", "old_string": "1", "new_string": "2"}),
        ),
        (
            &["chunk", "write", "s", "1", "--content", "x", "--total", "2"],
            "rw_chunk_write",
            json!({"session": "s", "index": 1, "content": "x", "total_expected": 2}),
        ),
        (
            &["chunk", "append", "s", "--content", "y"],
            "rw_chunk_append",
            json!({"session": "s", "content": "y"}),
        ),
        (&["chunk", "status", "s"], "rw_chunk_status", json!({"session": "s"})),
        (&["chunk", "preview", "s"], "rw_chunk_preview", json!({"session": "s"})),
        (
            &["chunk", "compose", "s", "c"],
            "rw_chunk_compose",
            json!({"session": "s", "output_path": "c"}),
        ),
        (&["chunk", "reset", "s"], "rw_chunk_reset", json!({"session": "s"})),
        (
            &["chunk", "compose", "s", "c"],
            "rw_chunk_compose",
            json!({"session": "s", "output_path": "c"}),
        ),
        (
            &["scratch", "put", "--content", "x", "--label", "l"],
            "rw_scratch_put",
            json!({"content": "x", "label": "l"}),
        ),
        (&["scratch", "ref", "--label", "m"], "rw_scratch_ref", json!({"label": "m"})),
        (&["scratch", "get", "m"], "rw_scratch_get", json!({"sha256": "m"})),
        (
            &["checkpoint", "save", "k", "--data", "[1]"],
            "rw_checkpoint",
            json!({"name": "k", "data": [1]}),
        ),
        (
            &["checkpoint", "save", "../k", "--data", "1"],
            "rw_checkpoint",
            json!({"name": "../k", "data": 1}),
        ),
        (&["checkpoint", "cleanup"], "rw_checkpoint_cleanup", json!({})),
        (&["checkpoint", "list"], "rw_checkpoint_list", json!({})),
        (&["handoff", "write"], "rw_handoff_write", json!({"envelope": note})),
        (&["handoff", "read"], "rw_handoff_read", json!({})),
        (
            &["risk", "secret.txt"],
            "rw_risk_score",
            json!({"content": &secret, "target_path": "secret.txt"}),
        ),
        (&["analytics", "--since", "soon"], "rw_analytics", json!({"since": "soon"})),
    ];
    for (args, tool, arguments) in cases {
        let args = [args, &["--json"]].concat();
        let command = ours.run_with(&args, &note_text);
        let call = theirs.run(&["call", tool, &arguments.to_string(), "--json"]);
        // A finding is no failure, but has an exit status of its own.
        let code = if args.first() == Some(&"risk") { 1 } else { call.code };
        assert_eq!(command.code, code, "{args:?}: {command:?} {call:?}");
        // The two workspaces differ in their paths alone.
        let shown = |text: &str, root: &Sandbox| {
            text.replace(&root.root().to_string_lossy().into_owned(), "ROOT")
        };
        // A hint is in the words of its caller.
        let json = |text: String| {
            let mut answer = without_the_moment(serde_json::from_str(&text).unwrap());
            if let Some(context) = answer.get_mut("context").and_then(Value::as_object_mut) {
                assert!(context.remove("hint").is_some(), "{text}");
                // Each has a session and a name of its own.
                context.remove("last_write");
                let composed = context.get_mut("composed").and_then(Value::as_object_mut);
                composed
                    .into_iter()
                    .for_each(|it| it.retain(|key, _| key != "ts" && key != "journal_id"));
            }
            answer
        };
        assert_eq!(
            json(shown(&command.stdout, &ours)),
            json(shown(&call.stdout, &theirs)),
            "{args:?}"
        );
    }
}
