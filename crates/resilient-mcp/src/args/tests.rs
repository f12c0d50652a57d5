use super::*;
use serde_json::json;

fn try_with(arguments: Value) -> Result<Value, (Value, ReasonHint, SuggestedAction)> {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "mode": {"type": "string", "enum": ["create", "append"]},
            "index": {"type": "integer"},
            "data": {"description": "anything"},
        },
        "required": ["path", "content"],
    });
    check("", schema.as_object().unwrap(), &[], TEXTS, arguments.as_object().unwrap().clone())
        .map(Value::Object)
        .map_err(|refused| {
            (Value::Object(refused.context), refused.reason_hint, refused.suggested_action)
        })
}

fn context(arguments: Value) -> Value {
    try_with(arguments).unwrap_err().0
}

#[test]
fn good_arguments_pass_and_integral_floats_become_integers() {
    let good = json!({"path": "a", "content": "", "index": 3, "data": null});
    assert_eq!(try_with(good.clone()), Ok(good.clone()));
    let float = json!({"path": "a", "content": "", "index": 3.0, "data": null});
    assert_eq!(try_with(float), Ok(good));
}

#[test]
fn a_refusal_names_the_argument() {
    assert_eq!(
        context(json!({"content": ""})),
        json!({
            "reason": "missing_argument: path", "argument": "path", "expected": "string",
            "hint": "pass path too"
        })
    );
    assert_eq!(
        context(json!({"path": "a", "content": "", "file": 1})),
        json!({
            "reason": "unknown_argument: file", "argument": "file",
            "expected": ["path", "content", "mode", "index", "data"],
            "hint": "leave out file, since `path` is passed"
        })
    );
    assert_eq!(
        context(json!({"path": null, "content": ""})),
        json!({
            "reason": "wrong_type: path", "argument": "path",
            "expected": "string", "got": "null",
            "hint": "pass path as a string"
        })
    );
    assert_eq!(
        context(json!({"path": "a", "content": "", "mode": "Create"})),
        json!({
            "reason": "invalid_value: mode", "argument": "mode",
            "mode": "Create", "valid_modes": ["create", "append"],
            "hint": "pass one of create, append as mode"
        })
    );
}

#[test]
fn the_page_of_errors_has_the_kinds_of_a_wrong_mode() {
    let wrong = json!({"path": "a", "content": "", "mode": "Create"});
    let (_, hint, action) = try_with(wrong).unwrap_err();
    assert_eq!((hint, action), (ReasonHint::Unknown, SuggestedAction::Abort));
    let page = include_str!("../../../../docs/errors.md");
    assert!(page.contains("| `invalid_value: mode` | policy_violation / unknown / abort |"));
}

#[test]
fn all_wrong_arguments_are_named_at_once() {
    let told = context(json!({"elsewhere": "a", "content": 1, "index": "x", "wrong": null}));
    assert_eq!(told["reason"], "unknown_argument: elsewhere");
    assert_eq!(
        told["also"],
        json!([
            "unknown_argument: wrong",
            "missing_argument: path",
            "wrong_type: content",
            "index_must_be_int_in_1..999",
        ])
    );
    let hint = told["hint"].as_str().unwrap();
    assert!(hint.ends_with("pass index as an integer from 1 to 999, or leave it out"), "{hint}");
    assert_eq!(hint.matches("; ").count(), 4, "{hint}");
    // What is only misspelt is told once.
    assert_eq!(context(json!({"path": "a", "contnet": ""})).get("also"), None);
}

#[test]
fn what_another_program_calls_an_argument_keeps_its_meaning() {
    let hint = |known: &[&str], name: &str| {
        let known: Vec<String> = known.iter().map(|&it| it.to_owned()).collect();
        let refused = unknown_argument("", name, name, &Value::Null, known.iter(), &|_| false);
        refused.context["hint"].as_str().unwrap().to_owned()
    };
    let core = ["path", "content", "append", "expected_prev_sha256"];
    assert_eq!(hint(&core, "fileName"), "write `path` in place of fileName");
    let compose = ["session", "output_path", "separator"];
    for name in ["target", "path", "destination"] {
        assert_eq!(hint(&compose, name), format!("write `output_path` in place of {name}"));
    }
    assert_eq!(hint(&["path", "max_lines"], "n"), "write `max_lines` in place of n");
    assert_eq!(hint(&["path", "n"], "limit"), "write `n` in place of limit");
    let read = ["path", "offset", "limit"];
    assert_eq!(hint(&read, "start_line"), "write `offset` in place of start_line");
    assert_eq!(
        hint(&["pattern", "path", "glob"], "include_pattern"),
        "write `glob` in place of include_pattern"
    );
}

#[test]
fn a_part_of_an_object_is_sent_into_it() {
    let schema = json!({
        "properties": {
            "envelope": {"type": "object", "properties": {"task_id": {}}},
            "sha256": {"type": "string"},
        },
        "required": ["envelope"],
    });
    let refused = |arguments: Value| {
        let arguments = arguments.as_object().unwrap().clone();
        let refused = check("", schema.as_object().unwrap(), &[], TEXTS, arguments).unwrap_err();
        Value::Object(refused.context)
    };
    let told = refused(json!({"task_id": "t"}));
    assert_eq!((&told["hint"], told.get("also")), (&json!("put task_id into `envelope`"), None));
    let told = refused(json!({"envelope": {}, "label": "draft"}));
    assert!(told["hint"].as_str().unwrap().contains("`rw_scratch_ref`"), "{told}");
}

#[test]
fn an_argument_inside_of_another_is_told_to_stand_beside_it() {
    let schema = json!({
        "properties": {
            "path": {"type": "string"},
            "content_from": {
                "type": "object", "additionalProperties": false,
                "properties": {"draft_sha256": {"type": "string"}}, "required": ["draft_sha256"],
            },
        },
        "required": ["path"],
    });
    let refused = |arguments: Value| {
        let arguments = arguments.as_object().unwrap().clone();
        let refused = check("", schema.as_object().unwrap(), &[], TEXTS, arguments).unwrap_err();
        Value::Object(refused.context)
    };
    let told = refused(json!({"path": "a", "content_from": {"path": "a"}}));
    assert_eq!(told["hint"], "pass `path` beside `content_from`, not inside it");
    assert_eq!(told["reason"], "unknown_argument: content_from.path");
    let told = refused(json!({"path": "a", "content_from": {"zzz": "a"}}));
    assert_eq!(told["hint"], "leave zzz out of content_from, which has no such part");
}

#[test]
fn a_list_of_edits_is_told_to_be_one_call_for_each() {
    let schema = json!({
        "properties": {
            "path": {"type": "string"}, "old_string": {"type": "string"},
            "new_string": {"type": "string"},
        },
        "required": ["path", "old_string", "new_string"],
    });
    for name in ["edits", "Edits", "changes"] {
        let arguments = json!({"path": "a", name: [{"old_string": "a"}]});
        let arguments = arguments.as_object().unwrap().clone();
        let told = check("rw.edit_file", schema.as_object().unwrap(), &[], TEXTS, arguments)
            .unwrap_err()
            .context;
        let hint = told["hint"].as_str().unwrap();
        assert!(hint.starts_with("make one call for each edit, with its `old_string`"), "{hint}");
        assert_eq!(told.get("also"), None, "{told:?}");
    }
}

#[test]
fn a_misspelt_argument_is_told_the_nearest() {
    let context = context(json!({"path": "a", "contnet": ""}));
    assert_eq!(context["hint"], "leave out contnet, or write `content` if that is meant");
    assert_eq!(context["nearest_names"], json!(["content"]));
}

#[test]
fn an_edit_in_the_words_of_another_program_is_told_the_names_here() {
    let schema = json!({
        "properties": {
            "path": {"type": "string"},
            "old_string": {"type": "string"},
            "new_string": {"type": "string"},
            "count": {"type": "integer"},
        },
        "required": ["path", "old_string", "new_string"],
    });
    let refused = |arguments: Value| {
        let arguments = arguments.as_object().unwrap().clone();
        check("", schema.as_object().unwrap(), &[], TEXTS, arguments).unwrap_err()
    };
    for (old, new) in [
        ("old", "new"),
        ("old_str", "new_str"),
        ("old_text", "new_text"),
        ("search", "replace"),
        ("find", "replacement"),
        ("find", "replace_with"),
        ("before", "after"),
        ("from", "to"),
    ] {
        let told = refused(json!({"path": "a", old: "x", new: "y"}));
        let hint =
            format!("write `old_string` in place of {old}; write `new_string` in place of {new}");
        assert_eq!(told.context["hint"], hint);
        assert_eq!(told.context["also"], json!([format!("unknown_argument: {new}")]));
        assert_eq!(told.suggested_action, SuggestedAction::RetryLater);
    }
    // What no other argument stands for is named, too.
    let told = refused(json!({"path": "a", "old": "x", "unheard": "y"})).context;
    let hint = told["hint"].as_str().unwrap();
    assert!(hint.ends_with("pass new_string too"), "{hint}");
    let content = refused(json!({"path": "a", "old_string": "x", "unheard": "y"})).context;
    assert_eq!(content["also"], json!(["missing_argument: new_string"]));
}

#[test]
fn a_call_without_arguments_is_told_all_that_it_must_have() {
    let (told, ..) = try_with(json!({})).unwrap_err();
    assert_eq!(told["reason"], "missing_argument: content");
    assert_eq!(told["also"], json!(["missing_argument: path"]));
    assert!(told["hint"].as_str().unwrap().ends_with("; pass path too"), "{told}");
    let (told, ..) = try_with(json!({"path": "a", "index": "x"})).unwrap_err();
    assert_eq!(told["also"], json!(["index_must_be_int_in_1..999"]));
}

#[test]
fn what_a_value_shows_says_where_it_belongs() {
    let text = || json!({"type": "string"});
    let chosen = || json!({"type": "array", "items": {"type": "string"}});
    let from = json!({
        "type": "object", "additionalProperties": false, "required": ["draft_sha256"],
        "properties": {"draft_sha256": text(), "redact": chosen()},
    });
    let write = json!({
        "properties": {
            "path": text(), "content": text(), "content_from": from,
            "classify": {"type": "boolean"},
        },
        "required": ["path"],
    });
    let score = json!({"properties": {
        "content": text(), "path": text(), "session": text(), "draft_sha256": text(), "redact": chosen(),
    }});
    let instead = |tool: &str| match tool {
        "rw.safe_write" => &["content_from"][..],
        _ => &["path", "session", "draft_sha256"],
    };
    let digest = "ab".repeat(32);
    for (tool, schema, arguments, hint) in [
        ("rw.safe_write", &write, json!({"path": "a", "blob": digest}), "pass `content_from` {"),
        ("rw.risk_score", &score, json!({"blob": digest}), "write `draft_sha256` in place"),
        ("rw.risk_score", &score, json!({"draft_id": digest}), "write `draft_sha256` in place"),
        ("rw.risk_score", &score, json!({"dir": "src/a.py"}), "write `path` in place of dir"),
        (
            "rw.safe_write",
            &write,
            json!({"path": "a", "content": "x", "redact": true}),
            "leave out redact, and pass `classify` true",
        ),
        (
            "rw.safe_write",
            &write,
            json!({"path": "a", "content_from": {"draft_sha256": digest, "only": ["pii"]}}),
            "write `redact`, an array",
        ),
        (
            "rw.safe_write",
            &write,
            json!({"path": "a", "content_from": digest}),
            "pass `content_from` as {",
        ),
        (
            "rw.safe_write",
            &write,
            json!({"path": "a", "content": "x", "classify": "low"}),
            "pass `classify` true and `classify_reject_at` low",
        ),
        (
            "rw.safe_write",
            &write,
            json!({"path": "a", "content": "x", "classify": 1}),
            "pass `classify` true",
        ),
        (
            "rw.redact",
            &score,
            json!({"path": "a", "redact": "github_pat, pii"}),
            "pass redact as the array [\"github_pat\",\"pii\"]",
        ),
        (
            "rw.redact",
            &score,
            json!({"path": "a", "redact": "all"}),
            "leave out redact: without it",
        ),
        (
            "rw.redact",
            &score,
            json!({"path": "a", "redact": [1.5]}),
            "families, or finding numbers",
        ),
    ] {
        let schema = schema.as_object().unwrap();
        let arguments = arguments.as_object().unwrap().clone();
        let told = check(tool, schema, instead(tool), TEXTS, arguments).unwrap_err().context;
        let said = told["hint"].as_str().unwrap();
        assert!(said.starts_with(hint) || said.contains(hint), "{tool}: {said}");
    }
    // In the smallest set nothing takes a digest.
    let core =
        json!({"properties": {"path": text(), "content": text()}, "required": ["path", "content"]});
    let arguments = json!({"path": "a", "draft_sha256": digest});
    let arguments = arguments.as_object().unwrap().clone();
    let told = check("rw.write_file", core.as_object().unwrap(), &[], TEXTS, arguments);
    let told = told.unwrap_err().context;
    let said = told["hint"].as_str().unwrap();
    assert!(said.starts_with("leave out draft_sha256, and pass the text itself"), "{said}");
}

#[test]
fn a_text_under_another_name_is_told_that_it_is_the_content() {
    let context = context(json!({"path": "a", "text": "b"}));
    assert_eq!(context["hint"], "write `content` in place of text");
    assert_eq!(context["nearest_names"], json!(["content"]));
}

#[test]
fn content_that_is_no_text_is_not_left_out() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "content_from": {"type": "object"},
            "line": {"type": "integer"},
        },
        "required": ["path"],
    });
    let hint = |arguments: Value| {
        let arguments = arguments.as_object().unwrap().clone();
        let refused = check("", schema.as_object().unwrap(), &["content_from"], TEXTS, arguments);
        let context = refused.unwrap_err().context;
        (context["hint"].as_str().unwrap().to_owned(), context["got"].clone())
    };
    for content in [json!(null), json!({"a": 1})] {
        let (hint, _) = hint(json!({"path": "a", "content": content}));
        assert_eq!(hint, "pass content as a string");
    }
    let both = json!({"path": "a", "content": null, "content_from": {}});
    assert_eq!(hint(both).0, "pass content as a string, or leave it out");
    let (_, got) = hint(json!({"path": "a", "content": "", "line": u64::MAX}));
    assert_eq!(got, "an integer beyond 64 bits");
}

#[test]
fn an_index_that_is_no_integer_is_refused_in_the_librarys_words() {
    for index in [json!("1"), json!(1.5), json!(true), json!(1e300), json!(u64::MAX)] {
        let context = context(json!({"path": "a", "content": "", "index": index}));
        assert_eq!(context["reason"], "index_must_be_int_in_1..999");
    }
}

#[test]
fn a_missing_text_means_the_call_was_cut() {
    let (context, hint, action) = try_with(json!({})).unwrap_err();
    assert_eq!(context["reason"], "missing_argument: content");
    assert!(context["hint"].as_str().unwrap().contains("do not resend"));
    assert_eq!((hint, action), (ReasonHint::SizeLimit, SuggestedAction::Split));
}
