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
    /// It is refused, since this client has written what the caller would add to or replace.
    Of(&'static str),
    /// The same of the last one.
    LastOf(&'static str),
}

#[test]
fn core_makes_no_mixture_of_the_parts_of_two_clients() {
    use Comes::{Anew, Kept, LastOf, Of, Written};
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
                ("beta", 2, "B2 ", LastOf("alpha")),
                ("beta", 2, "B2 ", Of("alpha")),
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
                ("beta", 3, "B3 ", Kept),
                ("alpha", 4, "A4 ", Written),
            ],
            "A1 A2 B3 A4 ",
        ),
    ];
    for (what, steps, text) in cases {
        let sandbox = Sandbox::new();
        let mut clients: BTreeMap<&str, Client> = BTreeMap::new();
        for step in *steps {
            let (who, part, content, comes) = *step;
            let client = clients.entry(who).or_insert_with(|| {
                sandbox.serve_as(who.trim_end_matches(" 2"), &["--tools", "core"])
            });
            let last = matches!(comes, Written | LastOf(_));
            let call = json!({"path": "a.md", "part": part, "content": content, "last": last});
            let answer = client.call("rw_write_part", call);
            let context = &answer["context"];
            let found = match comes {
                _ if answer["ok"] != true => format!("{}", context["last_write"]["client"]),
                Written => format!("{}", answer["written"]),
                _ => format!("{}", answer["discarded_parts"]),
            };
            let expected = match comes {
                Kept => "null".to_owned(),
                Anew(count) => count.to_string(),
                Written => "true".to_owned(),
                Of(client) | LastOf(client) => format!("\"{client}/0\""),
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
        }
        assert_eq!(sandbox.text("a.md"), *text, "{what}");
    }
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
