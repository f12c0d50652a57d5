//! `scratch`.

use serde_json::json;

use crate::sandbox::Sandbox;

/// Of the bytes FF 00.
const BYTES: &str = "ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f";

#[test]
fn bytes_are_kept_found_and_given_back() {
    let sandbox = Sandbox::new();
    sandbox.put(".gitignore", ".resilient_write/\n");
    let put = ["scratch", "put", "--label", "raw", "--content-type", "x/y", "--notes", "n"];
    let ran = sandbox.run_with(&put, b"\xFF\x00").ok();
    assert_eq!(
        ran.stdout,
        format!(
            "kept\n  sha256  {BYTES}\n  bytes   2\n  file    .resilient_write/scratch/{BYTES}.bin\n"
        )
    );
    let again = sandbox.run_with(&["scratch", "put", "--json"], b"\xFF\x00").ok().json();
    assert_eq!((&again["deduped"], &again["journal_id"]), (&json!(true), &json!(null)));

    let found = sandbox.run(&["scratch", "ref", "--label", "raw", "--json"]).ok().json();
    assert_eq!(found["entry"]["content_type"], "x/y");
    assert_eq!((&found["bin_exists"], &found["alias_count"]), (&json!(true), &json!(1)));
    let ran = sandbox.run(&["scratch", "ref", "--sha256", BYTES]).ok();
    assert!(ran.stdout.contains("\n  entries  2\n"), "{ran:?}");

    let kept = sandbox.run(&["scratch", "get", BYTES, "--encoding", "base64", "--json"]).ok();
    assert_eq!(kept.json()["content"], "/wA=");
    let refused = sandbox.run(&["scratch", "get", BYTES, "--json"]).envelope();
    assert_eq!(refused["suggested_action"], "retry_later");
}

#[test]
fn text_comes_back_as_it_is() {
    let sandbox = Sandbox::new();
    let put = sandbox.run_with(&["scratch", "put", "--json"], "grüße\n").ok().json();
    assert_eq!(put["warnings"], json!([]), "the state directory ignores itself");
    let sha256 = put["sha256"].as_str().unwrap();
    assert_eq!(sandbox.run(&["scratch", "get", sha256]).ok().stdout, "grüße\n");
    let missing = sandbox.run(&["scratch", "get", &"0".repeat(64)]);
    assert!(missing.complaint().starts_with("resilient-write: the scratchpad has no such entry\n"));
}

#[test]
fn an_entry_is_named_in_one_way_whatever_is_done_with_it() {
    let sandbox = Sandbox::new();
    let put = sandbox.run_with(&["scratch", "put", "--label", "raw", "--json"], "kept").json();
    let sha256 = put["sha256"].as_str().unwrap();
    for command in ["get", "ref", "rm"] {
        assert_eq!(sandbox.run(&["scratch", command]).code, 2, "{command} of nothing");
        let twice = ["scratch", command, sha256, "--sha256", sha256];
        assert_eq!(sandbox.run(&twice).code, 2, "{command} of two digests");
        let other = ["scratch", command, sha256, "--label", "other"];
        assert_eq!(sandbox.run(&other).code, 8, "{command} of a digest without that label");
    }
    for by in
        [&[sha256][..], &["--sha256", sha256], &["--label", "raw"], &[sha256, "--label", "raw"]]
    {
        let told = sandbox.run(&[&["scratch", "ref"], by].concat()).ok().stdout;
        assert!(told.starts_with(sha256), "{by:?}: {told}");
        assert_eq!(sandbox.run(&[&["scratch", "get"], by].concat()).code, 0, "{by:?}");
    }
    for word in ["rm", "remove", "delete"] {
        sandbox.run_with(&["scratch", "put"], "kept");
        let told = sandbox.run(&["scratch", word, sha256]).ok().stdout;
        assert_eq!(told, format!("removed {sha256}, 4 bytes\n"), "{word}");
    }
}

#[test]
fn a_sealed_scratchpad_gives_nothing_back() {
    let sandbox = Sandbox::new().with("RW_SCRATCH_DISABLE_GET", "0");
    let put = sandbox.run_with(&["scratch", "put", "--json"], "x").ok().json();
    let refused = sandbox.run(&["scratch", "get", put["sha256"].as_str().unwrap(), "--json"]);
    assert_eq!(refused.envelope()["context"]["reason"], "scratch_get_disabled");
}

#[test]
fn an_entry_is_printed_and_removed_by_its_label() {
    let sandbox = Sandbox::new();
    sandbox.put(".gitignore", ".resilient_write/\n");
    sandbox.run_with(&["scratch", "put", "--label", "log"], "kept").ok();
    assert_eq!(sandbox.run(&["scratch", "get", "--label", "log"]).ok().stdout, "kept");
    sandbox.run(&["scratch", "remove", "--label", "log"]).ok();
    let gone = sandbox.run(&["scratch", "get", "--label", "log", "--json"]).envelope();
    assert_eq!(gone["context"]["reason"], "removed", "{gone}");
}
