//! Two clients that write parts of one file with the tools `core`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::sandbox::{Client, Sandbox};

/// A client, or another session of it; the part; its text; and the answer.
type Step = (&'static str, u32, &'static str, Comes);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comes {
    /// The part is kept.
    Kept,
    /// The part is kept, and so many of an earlier attempt are gone.
    Anew(u64),
    /// It is the last one, and the file is written.
    Written,
    /// It is refused, since this client has changed the parts.
    Of(&'static str),
    /// The same of the last one.
    LastOf(&'static str),
    /// It is refused, since the caller has not listed the parts.
    Unlisted,
    /// The same of the last one.
    LastUnlisted,
    /// The parts are listed instead.
    Listed,
}

#[test]
fn core_makes_no_mixture_of_the_parts_of_two_clients() {
    use Comes::{Anew, Kept, LastOf, LastUnlisted, Listed, Of, Unlisted, Written};
    let cases: &[(&str, &[Step], &str)] = &[
        (
            "another client begins anew",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("beta", 1, "B1 ", Anew(1)),
                ("alpha", 2, "A2 ", Of("beta")),
                ("alpha", 3, "A3 ", LastOf("beta")),
                ("beta", 2, "B2 ", Kept),
                ("alpha", 2, "A2 ", Of("beta")),
                ("beta", 3, "B3 ", Written),
            ],
            "B1 B2 B3 ",
        ),
        (
            "so does the first one then",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("beta", 1, "B1 ", Anew(1)),
                ("alpha", 1, "A1 ", Anew(1)),
                ("beta", 2, "B2 ", LastOf("alpha")),
                ("alpha", 2, "A2 ", Written),
            ],
            "A1 A2 ",
        ),
        (
            "two sessions of clients of one name",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha 2", 1, "B1 ", Anew(1)),
                ("alpha", 2, "A2 ", Of("alpha")),
                ("alpha 2", 2, "B2 ", Written),
            ],
            "B1 B2 ",
        ),
        (
            "another client takes the number of a part",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A2 ", Kept),
                ("beta", 2, "B2 ", LastUnlisted),
                ("beta", 2, "B2 ", Unlisted),
                ("beta", 3, "B3 ", LastUnlisted),
                ("beta", 0, "", Listed),
                // The same text takes nothing away.
                ("beta", 2, "A2 ", Kept),
                ("alpha", 3, "A3 ", Written),
            ],
            "A1 A2 A3 ",
        ),
        (
            "the first one goes on where the file is finished, and another one has begun it again",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A2 ", Written),
                ("beta", 1, "B1 ", Kept),
                ("alpha", 2, "A2 ", LastOf("beta")),
            ],
            "A1 A2 ",
        ),
        (
            "the client comes back in another session",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A", Kept),
                ("alpha 2", 2, "A2 ", Unlisted),
                ("alpha 2", 0, "", Listed),
                ("alpha 2", 2, "A2 ", Kept),
                ("alpha 2", 3, "A3 ", Written),
            ],
            "A1 A2 A3 ",
        ),
        (
            "another client takes over, and gives back",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A2 ", Kept),
                ("beta", 3, "B3 ", Unlisted),
                ("beta", 0, "", Listed),
                ("beta", 3, "B3 ", Kept),
                ("alpha", 4, "A4 ", LastOf("beta")),
                ("alpha", 0, "", Listed),
                ("alpha", 4, "A4 ", Written),
            ],
            "A1 A2 B3 A4 ",
        ),
        (
            "another client that has listed nothing ends no file",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A2 ", Kept),
                ("beta", 3, "B3 ", LastUnlisted),
                ("beta", 3, "B3 ", LastUnlisted),
                ("alpha", 3, "A3 ", Written),
            ],
            "A1 A2 A3 ",
        ),
        (
            "a client comes back, and another one has begun anew meanwhile",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("beta", 1, "B1 ", Anew(1)),
                ("alpha 2", 2, "A2 ", Unlisted),
                ("beta", 2, "B2 ", Kept),
                ("alpha 2", 3, "A3 ", LastUnlisted),
                ("beta", 3, "B3 ", Written),
            ],
            "B1 B2 B3 ",
        ),
        (
            "both come back, and look at the parts first",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("beta", 1, "B1 ", Anew(1)),
                ("alpha 2", 2, "A2 ", Unlisted),
                ("beta 2", 2, "B2 ", Unlisted),
                ("beta 2", 0, "", Listed),
                ("beta 2", 2, "B2 ", Kept),
                ("alpha 2", 3, "A3 ", Unlisted),
                ("beta 2", 3, "B3 ", Written),
            ],
            "B1 B2 B3 ",
        ),
        (
            "two sessions of clients of one name, of which one replaces a part of the other",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A2 ", Kept),
                ("alpha 2", 0, "", Listed),
                ("alpha 2", 2, "B2 ", Kept),
                ("alpha", 3, "A3 ", LastOf("alpha")),
                ("alpha 2", 3, "B3 ", Written),
            ],
            "A1 B2 B3 ",
        ),
        (
            "a part that somebody else has added is replaced by who has seen it",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("beta", 0, "", Listed),
                ("beta", 2, "B2 ", Kept),
                ("alpha", 2, "A2 ", Of("beta")),
                ("alpha", 3, "A3 ", LastOf("beta")),
                ("alpha", 0, "", Listed),
                ("alpha", 2, "A2 ", Kept),
                ("beta", 3, "B3 ", Of("alpha")),
                ("alpha", 3, "A3 ", Written),
            ],
            "A1 A2 A3 ",
        ),
        (
            "what was listed is of the attempt before",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("beta", 0, "", Listed),
                ("alpha 2", 1, "B1 ", Anew(1)),
                ("beta", 2, "B2 ", Of("alpha")),
                ("alpha", 0, "", Listed),
                ("alpha", 2, "A2 ", Kept),
                ("alpha 2", 3, "B3 ", LastOf("alpha")),
                ("alpha 2", 0, "", Listed),
                ("alpha 2", 3, "B3 ", Written),
            ],
            "B1 A2 B3 ",
        ),
        (
            "a client comes back after its file was finished, and another one has begun it again",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A2 ", Written),
                ("beta", 1, "B1 ", Kept),
                ("alpha 2", 2, "A2 ", LastUnlisted),
            ],
            "A1 A2 ",
        ),
        (
            "a client comes back, and nobody else was there",
            &[
                ("alpha", 1, "A1 ", Kept),
                ("alpha", 2, "A2 ", Written),
                ("alpha", 1, "N1 ", Kept),
                ("alpha 2", 2, "N2 ", Unlisted),
                ("alpha 2", 0, "", Listed),
                ("alpha 2", 2, "N2 ", Kept),
                ("alpha 3", 3, "N3 ", LastUnlisted),
            ],
            "A1 A2 ",
        ),
    ];
    for (what, steps, text) in cases {
        let sandbox = Sandbox::new();
        let mut clients: BTreeMap<&str, Client> = BTreeMap::new();
        for step in *steps {
            let (who, part, content, comes) = *step;
            let client = clients.entry(who).or_insert_with(|| {
                sandbox.serve_as(who.split(' ').next().unwrap_or(who), &["--tools", "core"])
            });
            if comes == Comes::Listed {
                client.gives("rw_list_parts", json!({"path": "a.md"}), &["parts"]);
                continue;
            }
            let last = matches!(comes, Written | LastOf(_) | LastUnlisted);
            let call = json!({"path": "a.md", "part": part, "content": content, "last": last});
            let answer = client.call("rw_write_part", call);
            let context = &answer["context"];
            let found = match comes {
                Unlisted | LastUnlisted => format!("{}", context["reason"]),
                _ if answer["ok"] != true => format!("{}", context["last_write"]["client"]),
                Written => format!("{}", answer["written"]),
                _ => format!("{}", answer["discarded_parts"]),
            };
            let expected = match comes {
                Kept => "null".to_owned(),
                Anew(count) => count.to_string(),
                Written => "true".to_owned(),
                Of(client) | LastOf(client) => format!("\"{client}/0\""),
                Unlisted | LastUnlisted => "\"parts_not_listed\"".to_owned(),
                Listed => unreachable!("no part"),
            };
            assert_eq!(found, expected, "{what}: {step:?}: {answer}");
            if let Of(_) | LastOf(_) = comes {
                assert_eq!(
                    (&context["reason"], &context["part"]),
                    (&json!("part_of_another_client"), &json!(part)),
                    "{what}: {step:?}: {answer}"
                );
                let hint = context["hint"].as_str().unwrap();
                assert!(hint.contains("`part` 1") && hint.contains("path"), "{answer}");
            }
            if let Unlisted | LastUnlisted = comes {
                let hint = context["hint"].as_str().unwrap();
                assert!(hint.contains("`part` 1") && hint.contains("`rw_list_parts`"), "{answer}");
                assert!(context["last_write"]["client"].is_string(), "{answer}");
            }
        }
        assert_eq!(sandbox.text("a.md"), *text, "{what}");
    }
}

/// Before, a hint led to the loss of the other client's parts, for a file that was written already.
#[test]
fn core_tells_a_refused_client_whose_the_parts_are_and_which_file_its_own_have_become() {
    let sandbox = Sandbox::new();
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let mut beta = sandbox.serve_as("beta", &["--tools", "core"]);
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.md", "part": part, "content": content, "last": last});
    let kind = "stale_precondition/unknown/ask_user";
    alpha.gives("rw_write_part", part(1, "A1 ", false), &[]);
    let written = alpha.gives("rw_write_part", part(2, "A2 ", true), &["sha256"]);
    beta.gives("rw_write_part", part(1, "B1 ", false), &[]);
    let anew = json!({"reason": "part_of_another_client", "begun_anew": true});
    let refused = alpha.fails("rw_write_part", part(2, "A2 ", true), kind, anew.clone());
    let context = &refused["context"];
    assert_eq!(context["composed"]["sha256"], written["sha256"], "{refused}");
    let parts = context["parts"].as_array().unwrap();
    let facts =
        |part: &Value| (part["index"].clone(), part["bytes"].clone(), part["client"].clone());
    let told: Vec<_> = parts.iter().map(facts).collect();
    assert_eq!(told, [(json!(1), json!(3), json!("beta/0"))], "{refused}");
    assert!(parts[0]["sha256"].is_string() && parts[0]["session"].is_string(), "{refused}");
    let hint = context["hint"].as_str().unwrap();
    assert!(hint.starts_with("do nothing if") && hint.contains("context.composed"), "{hint}");
    assert!(hint.contains("`rw_list_parts`"), "{hint}");

    // The answer says that somebody has begun anew, also where the part of that number is there.
    beta.gives("rw_write_part", part(2, "B2 ", false), &[]);
    let refused = alpha.fails("rw_write_part", part(2, "A2 ", false), kind, anew.clone());
    assert_eq!(refused["context"]["parts"].as_array().unwrap().len(), 2, "{refused}");
    alpha.gives("rw_write_part", part(1, "N1 ", false), &["discarded_parts"]);
    alpha.gives("rw_write_part", part(2, "N2 ", false), &[]);
    let refused = beta.fails("rw_write_part", part(2, "B2 ", false), kind, anew);
    assert_eq!(refused["context"].get("composed"), None, "{refused}");
}

/// Before, it was told to do nothing, and its text was lost.
#[test]
fn core_names_no_file_to_a_refused_client_whose_parts_are_not_in_it() {
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.md", "part": part, "content": content, "last": last});
    let kind = "stale_precondition/unknown/ask_user";
    let another = json!({"reason": "part_of_another_client"});
    // Another client begins anew; it replaces a part that was listed.
    for begins in [true, false] {
        let sandbox = Sandbox::new();
        let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
        let mut beta = sandbox.serve_as("beta", &["--tools", "core"]);
        alpha.gives("rw_write_part", part(1, "A1 ", false), &[]);
        alpha.gives("rw_write_part", part(2, "A2 ", false), &[]);
        if begins {
            beta.gives("rw_write_part", part(1, "B1 ", false), &["discarded_parts"]);
            beta.gives("rw_write_part", part(2, "B2 ", true), &["sha256"]);
        } else {
            beta.gives("rw_list_parts", json!({"path": "a.md"}), &["parts"]);
            beta.gives("rw_write_part", part(2, "B2 ", false), &[]);
            beta.gives("rw_write_part", part(3, "B3 ", true), &["sha256"]);
        }
        let refused = alpha.fails("rw_write_part", part(2, "A2 ", true), kind, another.clone());
        let context = &refused["context"];
        assert_eq!(context.get("composed"), None, "{refused}");
        assert_eq!(context["parts"], json!([]), "{refused}");
        let hint = context["hint"].as_str().unwrap();
        assert!(!hint.contains("do nothing") && !hint.contains("rw_list_parts"), "{hint}");
        assert!(hint.starts_with("send all parts again from `part` 1 on"), "{hint}");
    }
}

/// Before, its other parts were added to those of the client that began in between.
#[test]
fn core_adds_nothing_to_parts_that_come_after_a_part_1_that_was_refused() {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let secret =
        format!("key = \"{}{}\"\n", concat!("gh", "p_"), "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    // Another session of the program, which knows its parts otherwise.
    let mut beta = sandbox.serve_as("alpha", &["--tools", "core"]);
    let kind = "stale_precondition/unknown/ask_user";
    let refused = || json!({"reason": "earlier_part_refused"});
    let blocked = "blocked/content_filter/redact";
    beta.fails("rw_write_part", part(1, &secret, false), blocked, json!({}));
    let early = beta.fails("rw_write_part", part(2, "B2\n", false), kind, refused());
    let hint = early["context"]["hint"].as_str().unwrap();
    assert!(!hint.contains("rw_list_parts"), "{hint}");
    alpha.gives("rw_write_part", part(1, "A1\n", false), &[]);
    for (number, last) in [(2, false), (3, true)] {
        beta.fails("rw_write_part", part(number, "B\n", last), kind, refused());
    }
    alpha.gives("rw_write_part", part(2, "A2\n", true), &["sha256"]);
    assert_eq!(sandbox.text("a.py"), "A1\nA2\n");
}

/// Before, the parts were discarded for a part that was not kept.
#[test]
fn core_discards_nothing_for_a_part_1_that_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let secret =
        format!("key = \"{}{}\"\n", concat!("gh", "p_"), "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let mut beta = sandbox.serve_as("beta", &["--tools", "core"]);
    alpha.gives("rw_write_part", part(1, "A1\n", false), &[]);
    alpha.gives("rw_write_part", part(2, "A2\n", false), &[]);
    for client in [&mut alpha, &mut beta] {
        client.fails(
            "rw_write_part",
            part(1, &secret, false),
            "blocked/content_filter/redact",
            json!({}),
        );
        // What is sent in the same step of a model makes no mixture with the parts that stay.
        let refused = json!({"reason": "earlier_part_refused"});
        let kind = "stale_precondition/unknown/ask_user";
        client.fails("rw_write_part", part(3, "B3\n", true), kind, refused);
        let listed = client.gives("rw_list_parts", json!({"path": "a.py"}), &[]);
        assert_eq!(listed["parts"], json!([1, 2]));
    }
    alpha.gives("rw_write_part", part(3, "A3\n", true), &["sha256"]);
    assert_eq!(sandbox.text("a.py"), "A1\nA2\nA3\n");
}

#[test]
fn core_corrects_part_1_of_its_own_attempt_only() {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let mut beta = sandbox.serve_as("beta", &["--tools", "core"]);
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let (front, back) = (["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n");
    alpha.gives("rw_write_part", part(1, &front, false), &[]);
    alpha.fails("rw_write_part", part(2, back, true), "blocked/content_filter/redact", json!({}));
    let begun = beta.gives("rw_write_part", part(1, "y = 1\n", false), &[]);
    assert_eq!((&begun["discarded_parts"], &begun["next_part"]), (&json!(2), &json!(2)));
    beta.gives("rw_write_part", part(2, "y = 2\n", true), &["sha256"]);
    assert_eq!(sandbox.text("a.py"), "y = 1\ny = 2\n");
}

/// Before, old parts stayed in a text that was written anew behind a last part that was blocked.
#[test]
fn core_begins_anew_after_a_blocked_last_part_unless_its_own_session_corrects_it() {
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let (front, back) = (["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n");
    for (who, lists) in [("alpha", false), ("alpha", true), ("beta", true)] {
        let sandbox = Sandbox::new();
        sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
        let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
        alpha.gives("rw_write_part", part(1, &front, false), &[]);
        alpha.gives("rw_write_part", part(2, back, false), &[]);
        alpha.fails(
            "rw_write_part",
            part(3, "z\n", true),
            "blocked/content_filter/redact",
            json!({}),
        );
        let mut later = sandbox.serve_as(who, &["--tools", "core"]);
        if lists {
            later.gives("rw_list_parts", json!({"path": "a.py"}), &[]);
        }
        let mut next = json!(1);
        for text in ["new 1\n", "new 2\n", "new 3\n"] {
            let number = u32::try_from(next.as_u64().unwrap()).unwrap();
            let kept = later.gives("rw_write_part", part(number, text, false), &[]);
            let discarded = (number == 1).then(|| json!(3));
            assert_eq!(kept.get("discarded_parts"), discarded.as_ref(), "{kept}");
            next = kept["next_part"].clone();
        }
        assert_eq!(next, json!(4));
        later.gives("rw_write_part", part(4, "new 4\n", true), &["sha256"]);
        assert_eq!(sandbox.text("a.py"), "new 1\nnew 2\nnew 3\nnew 4\n");
    }
}

/// Before, the second of two beginnings kept the parts of the first.
#[test]
fn core_corrects_nothing_if_another_client_has_written_the_file() {
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let (front, back) = (["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n");
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let mut beta = sandbox.serve_as("beta", &["--tools", "core"]);
    alpha.gives("rw_write_part", part(1, &front, false), &[]);
    alpha.fails("rw_write_part", part(2, back, true), "blocked/content_filter/redact", json!({}));
    beta.gives("rw_list_parts", json!({"path": "a.py"}), &[]);
    let written = beta.gives("rw_write_part", part(2, "\"\n", true), &["sha256"]);
    alpha.gives("rw_write_part", part(1, "A1\n", false), &[]);
    alpha.gives("rw_write_part", part(2, "A2\n", false), &[]);
    let begun = alpha.gives("rw_write_part", part(1, "new 1\n", false), &["discarded_parts"]);
    assert_eq!(begun["discarded_parts"], json!(2));
    let mut last = part(2, "new 2\n", true);
    last["expected_prev_sha256"] = written["sha256"].clone();
    alpha.gives("rw_write_part", last, &["sha256"]);
    assert_eq!(sandbox.text("a.py"), "new 1\nnew 2\n");
}

/// Before, they were added to the old part 1.
#[test]
fn core_adds_nothing_behind_a_part_1_whose_arguments_were_refused() {
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.md", "part": part, "content": content, "last": last});
    let refused = || json!({"reason": "earlier_part_refused"});
    let (unfit, cut) =
        ("policy_violation/encoding/retry_later", "policy_violation/size_limit/split");
    for (wrong, refusal) in [
        (json!({"path": "a.md", "part": 1}), cut),
        (json!({"path": "a.md", "part": "one", "content": "new 1\n"}), unfit),
        (json!({"path": "a.md", "content": "new 1\n"}), unfit),
    ] {
        let sandbox = Sandbox::new();
        let mut client = sandbox.serve_as("alpha", &["--tools", "core"]);
        client.gives("rw_write_part", part(1, "old 1\n", false), &[]);
        client.gives("rw_write_part", part(2, "old 2\n", false), &[]);
        client.fails("rw_write_part", wrong, refusal, json!({}));
        let kind = "stale_precondition/unknown/ask_user";
        client.fails("rw_write_part", part(2, "new 2\n", true), kind, refused());
        // A wrong part that is not the first one stops no other.
        client.gives("rw_write_part", part(1, "new 1\n", false), &["discarded_parts"]);
        client.fails("rw_write_part", json!({"path": "a.md", "part": 2}), cut, json!({}));
        client.gives("rw_write_part", part(2, "new 2\n", true), &["sha256"]);
        assert_eq!(sandbox.text("a.md"), "new 1\nnew 2\n");
    }
}

/// What was blocked is corrected until the file is written, or another part 1 is refused.
#[test]
fn core_corrects_nothing_once_the_attempt_is_over() {
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let (front, back) = (["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n");
    let blocked = "blocked/content_filter/redact";
    for is_written in [true, false] {
        let sandbox = Sandbox::new();
        sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
        let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
        let mut beta = sandbox.serve_as("beta", &["--tools", "core"]);
        alpha.gives("rw_write_part", part(1, &front, false), &[]);
        alpha.gives("rw_write_part", part(2, back, false), &[]);
        alpha.fails("rw_write_part", part(3, "z\n", true), blocked, json!({}));
        let mut last = part(2, "A2\n", true);
        if is_written {
            alpha.gives("rw_write_part", part(2, "\"\n", false), &[]);
            let written = alpha.gives("rw_write_part", part(3, "z\n", true), &["sha256"]);
            last["expected_prev_sha256"] = written["sha256"].clone();
            beta.gives("rw_write_part", part(1, "B1\n", false), &[]);
        } else {
            alpha.fails(
                "rw_write_part",
                part(1, &[&front, back].concat(), false),
                blocked,
                json!({}),
            );
            let refused = json!({"reason": "earlier_part_refused"});
            let kind = "stale_precondition/unknown/ask_user";
            alpha.fails("rw_write_part", part(2, "A2\n", false), kind, refused);
        }
        let begun = alpha.gives("rw_write_part", part(1, "A1\n", false), &["discarded_parts"]);
        assert_eq!(begun["next_part"], json!(2));
        alpha.gives("rw_write_part", last, &["sha256"]);
        assert_eq!(sandbox.text("a.py"), "A1\nA2\n");
    }
}

/// Before, parts that were sent by `next_part` were lost, and an old part stayed.
#[test]
fn core_goes_through_all_parts_if_the_session_of_a_blocked_last_part_writes_them_anew() {
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let (front, back) = (["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n");
    for count in [2, 3, 4] {
        let sandbox = Sandbox::new();
        sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
        let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
        alpha.gives("rw_write_part", part(1, &front, false), &[]);
        alpha.gives("rw_write_part", part(2, back, false), &[]);
        alpha.fails(
            "rw_write_part",
            part(3, "z\n", true),
            "blocked/content_filter/redact",
            json!({}),
        );
        let text = |number: u32| format!("new {number}\n");
        let mut all = || {
            for number in 1..count {
                let kept = alpha.gives("rw_write_part", part(number, &text(number), false), &[]);
                assert_eq!(kept["next_part"], json!(number + 1));
            }
        };
        all();
        if count == 2 {
            let reason = json!({"reason": "chunk_count_mismatch"});
            let kind = "stale_precondition/unknown/abort";
            alpha.fails("rw_write_part", part(count, &text(count), true), kind, reason);
            let begun = alpha.gives("rw_write_part", part(1, &text(1), false), &[]);
            assert_eq!(begun["discarded_parts"], json!(3));
        }
        alpha.gives("rw_write_part", part(count, &text(count), true), &["sha256"]);
        let whole: String = (1..=count).map(text).collect();
        assert_eq!(sandbox.text("a.py"), whole);
    }
}

/// Before, the hint about the missing parts led to a second refusal, and that one to all parts again.
#[test]
fn core_ends_a_file_in_front_of_stray_parts_as_the_hint_says() {
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.md", "part": part, "content": content, "last": last});
    for (old, last) in [(&[1, 2, 5][..], 3), (&[1, 3, 5], 2), (&[1, 2, 3, 7], 2), (&[1, 4], 2)] {
        let sandbox = Sandbox::new();
        let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
        let mut whole = String::new();
        for number in old {
            alpha.gives("rw_write_part", part(*number, &format!("old {number}\n"), false), &[]);
            if *number < last {
                whole += &format!("old {number}\n");
            }
        }
        let kind = "stale_precondition/unknown/abort";
        let reason = json!({"reason": "non_contiguous_chunks"});
        let refused = alpha.fails("rw_write_part", part(last, "new\n", true), kind, reason);
        let context = &refused["context"];
        let numbers =
            |name: &str| -> Vec<u32> { serde_json::from_value(context[name].clone()).unwrap() };
        let mut others = [numbers("missing"), numbers("unexpected")].concat();
        others.sort_unstable();
        let end = others.pop().unwrap();
        let hint = context["hint"].as_str().unwrap();
        let wanted = format!(
            "that context.missing and context.unexpected list, with an empty `content` where the file has no such \
             part, and at the end `part` {end} with `last` true"
        );
        assert!(hint.contains(&wanted), "{hint}");
        for number in others {
            alpha.gives("rw_write_part", part(number, "", false), &[]);
        }
        alpha.gives("rw_write_part", part(end, "", true), &["sha256"]);
        assert_eq!(sandbox.text("a.md"), whole + "new\n", "{old:?}");
    }
}

/// Before, the hints about part 2 and about part 3 led to each other.
#[test]
fn core_takes_a_part_that_was_missing_when_the_last_one_was_refused() {
    let sandbox = Sandbox::new();
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let part = |part: u32, last: bool| json!({"path": "a.md", "part": part, "content": format!("{part}\n"), "last": last});
    alpha.gives("rw_write_part", part(1, false), &[]);
    alpha.gives("rw_write_part", part(3, false), &[]);
    let kind = "stale_precondition/unknown/abort";
    alpha.fails("rw_write_part", part(3, true), kind, json!({"missing": [2]}));
    alpha.gives("rw_write_part", part(2, false), &[]);
    alpha.gives("rw_write_part", part(3, true), &["sha256"]);
    assert_eq!(sandbox.text("a.md"), "1\n2\n3\n");
}

/// Before, each of two last parts that were refused was to be sent before the other.
#[test]
fn core_ends_a_file_after_two_last_parts_were_refused() {
    let sandbox = Sandbox::new();
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let part = |part: u32, last: bool| json!({"path": "a.md", "part": part, "content": format!("{part}\n"), "last": last});
    for number in 1..=3 {
        alpha.gives("rw_write_part", part(number, false), &[]);
    }
    let mut wrong = part(3, true);
    wrong["content"] = json!(3);
    alpha.fails("rw_write_part", wrong, "policy_violation/encoding/retry_later", json!({}));
    let kind = "stale_precondition/unknown/ask_user";
    let refused = alpha.fails("rw_write_part", part(2, true), kind, json!({"refused_part": 3}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("send `part` 3 again, which was refused, without `last`"), "{hint}");
    alpha.gives("rw_write_part", part(3, false), &[]);
    alpha.gives("rw_write_part", part(2, false), &[]);
    alpha.gives("rw_write_part", part(3, true), &["sha256"]);
    assert_eq!(sandbox.text("a.md"), "1\n2\n3\n");
}

/// Before, the call that was corrected was refused, and the parts of all other files with it.
#[test]
fn core_takes_a_part_after_its_number_had_another_name() {
    let sandbox = Sandbox::new();
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let part = |name: &str, number: u32| json!({"path": "a.md", name: number, "content": "x\n"});
    alpha.gives("rw_write_part", part("part", 1), &[]);
    for name in ["index", "number"] {
        let kind = "policy_violation/encoding/retry_later";
        alpha.fails("rw_write_part", part(name, 2), kind, json!({}));
    }
    alpha.gives("rw_write_part", part("part", 2), &[]);
    // Another number of a call, or what is no number, says nothing: it may be part 1.
    let kind = "stale_precondition/unknown/ask_user";
    for other in [
        json!({"total": 2}),
        json!({"chunk": {"number": 2}}),
        json!({"index": 2.5}),
        json!({"part_number": "2/5", "timeout": 2}),
        json!({"index": 2, "chunk": 2}),
    ] {
        let mut call = json!({"path": "a.md", "content": "new 1\n"});
        call.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        alpha.fails("rw_write_part", call, "policy_violation/encoding/retry_later", json!({}));
        let reason = json!({"reason": "earlier_part_refused"});
        alpha.fails("rw_write_part", part("part", 3), kind, reason);
        alpha.gives("rw_list_parts", json!({"path": "a.md"}), &[]);
    }
    // It may have the number that it says.
    alpha.fails(
        "rw_write_part",
        part("index", 1),
        "policy_violation/encoding/retry_later",
        json!({}),
    );
    let reason = json!({"reason": "earlier_part_refused"});
    alpha.fails("rw_write_part", part("part", 3), kind, reason);
}

#[test]
fn core_tells_of_a_last_part_that_is_sent_again_which_file_it_has_made() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve_as("alpha", &["--tools", "core"]);
    let part = |part: u32, last: bool| json!({"path": "d/a.md", "part": part, "content": format!("{part}\n"), "last": last});
    client.gives("rw_write_part", part(1, false), &[]);
    let written = client.gives("rw_write_part", part(2, true), &["sha256"]);
    let again = client.fails(
        "rw_write_part",
        part(2, true),
        "stale_precondition/unknown/abort",
        json!({"reason": "no_chunks_found"}),
    );
    let composed = &again["context"]["composed"];
    assert_eq!((&composed["path"], &composed["sha256"]), (&json!("d/a.md"), &written["sha256"]));
    let hint = again["context"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("do nothing if") && hint.contains("`append` true"), "{hint}");
    assert_eq!(client.gives("rw_list_parts", json!({"path": "d/a.md"}), &[])["parts"], json!([]));

    // Of a file that was not made of parts nothing is known.
    let mut none = part(2, true);
    none["path"] = "b.md".into();
    let reason = json!({"reason": "non_contiguous_chunks", "missing": [1]});
    let refused = client.fails("rw_write_part", none, "stale_precondition/unknown/abort", reason);
    assert_eq!(refused["context"].get("composed"), None::<&Value>);
}

/// Before, the next part of the new text was added to the old part 1.
#[test]
fn core_adds_nothing_behind_a_part_whose_path_leads_nowhere() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve_as("alpha", &["--tools", "core"]);
    let part = |path: &str, part: u32, last: bool| json!({"path": path, "part": part, "content": "x\n", "last": last});
    client.gives("rw_write_part", part("a.md", 1, false), &[]);
    // The hint says to correct the path: that is enough for a later part.
    client.call("rw_write_part", part("a.md/", 2, false));
    client.gives("rw_write_part", part("a.md", 2, false), &[]);
    client.call("rw_write_part", part("a.md/", 1, false));
    let refused = json!({"reason": "earlier_part_refused"});
    let kind = "stale_precondition/unknown/ask_user";
    client.fails("rw_write_part", part("a.md", 3, true), kind, refused);
}

/// Before, the refusal itself counted as a listing if another client began in between.
#[test]
fn core_tells_what_the_parts_have_become_without_a_listing() {
    let sandbox = Sandbox::new();
    let mut alpha = sandbox.serve_as("alpha", &["--tools", "core"]);
    let mut beta = sandbox.serve_as("beta", &["--tools", "core"]);
    let part = |part: u32, last: bool| json!({"path": "a.md", "part": part, "content": "x\n", "last": last});
    // Something is composed, so that the refusal says so. Then a part that nobody has listed is there.
    alpha.gives("rw_write_part", part(1, true), &["sha256"]);
    let kind = "stale_precondition/unknown/abort";
    beta.fails("rw_write_part", part(2, false), kind, json!({"reason": "no_chunks_found"}));
    alpha.gives("rw_write_part", part(1, false), &[]);
    let unlisted = json!({"reason": "parts_not_listed"});
    let kind = "stale_precondition/unknown/ask_user";
    beta.fails("rw_write_part", part(2, true), kind, unlisted);
}

/// Before, it was the end of the highest part, also if the next one is to fill a gap in front of it.
#[test]
fn core_lists_the_end_that_the_next_part_follows() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve_as("alpha", &["--tools", "core"]);
    for (part, ends_with) in [(1, Some("1\n")), (2, Some("2\n")), (4, None)] {
        let sent = json!({"path": "a.md", "part": part, "content": format!("{part}\n")});
        client.gives("rw_write_part", sent, &[]);
        let listed = client.gives("rw_list_parts", json!({"path": "a.md"}), &[]);
        assert_eq!(listed.get("ends_with").and_then(Value::as_str), ends_with, "{listed}");
    }
}
