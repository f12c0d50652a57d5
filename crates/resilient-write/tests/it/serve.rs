//! `serve` and its options; and the command line as a whole.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn the_server_runs_with_or_without_its_name() {
    for args in [&[][..], &["serve"], &["--transport", "stdio"], &["serve", "--transport=stdio"]] {
        let sandbox = Sandbox::new();
        let client = sandbox.serve(args);
        assert_eq!(client.hang_up(), (vec![], 0));
        assert!(sandbox.names().is_empty(), "nothing is made before the first call");
    }
}

#[test]
fn tools_are_listed_as_asked() {
    for (form, name) in [("underscore", "rw_safe_write"), ("dotted", "rw.safe_write")] {
        let sandbox = Sandbox::new();
        let mut client = sandbox.serve(&["serve", "--tool-names", form]);
        let list = client.request("tools/list", json!({}));
        assert_eq!(list["tools"][0]["name"], name);
        assert_eq!(list["tools"].as_array().unwrap().len(), 21);
    }
}

#[test]
fn options_of_http_are_for_http() {
    let sandbox = Sandbox::new();
    for args in [
        &["serve", "--port", "8000"][..],
        &["--host", "::1"],
        &["--transport", "stdio", "--token-file", "tokens"],
    ] {
        let ran = sandbox.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("--transport http"), "{ran:?}");
    }
    assert!(sandbox.names().is_empty());
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    let sandbox = Sandbox::new();
    for args in [
        &["write"][..],
        &["fly"],
        &["write", "a", "--mode", "delete"],
        &["chunk"],
        &["--transport", "stdio", "journal", "tail"],
        &["--transport", "carrier-pigeon"],
    ] {
        let ran = sandbox.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?} {ran:?}");
        assert_ne!(ran.stderr, "");
    }
    assert!(sandbox.names().is_empty());
}

#[test]
fn the_help_tells_exit_codes_and_variables() {
    let help = Sandbox::new().run(&["--help"]).ok().stdout;
    for part in ["Exit status:", "RW_WORKSPACE", "RW_STATE_DIR", "RW_POLICY_FILE", "journal"] {
        assert!(help.contains(part), "{help}");
    }
    let version = Sandbox::new().run(&["--version"]).ok().stdout;
    assert_eq!(version, concat!("resilient-write ", env!("CARGO_PKG_VERSION"), "\n"));
}
