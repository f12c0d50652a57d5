//! The environment and `-w`: where one may write, and where the state is.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::sandbox::Sandbox;

#[test]
fn system_directories_are_refused() {
    for root in ["/", "/bin", "/sbin", "/usr", "/etc", "/var", "/tmp"] {
        for variable in ["RW_WORKSPACE", "RW_STATE_DIR"] {
            // What is shown is the resolved form of, say, a /bin that is a link.
            let shown = Path::new(root).canonicalize().unwrap();
            if !shown.to_string_lossy().matches('/').count().eq(&1) {
                continue;
            }
            let sandbox = Sandbox::new().with(variable, root);
            let refusal = format!(
                "resilient-write: refusing to use '{}' as {variable}. \
                 Set the variable to your project directory.\n",
                shown.display()
            );
            for args in [&[][..], &["chunk", "status", "s"]] {
                let ran = sandbox.run(args);
                assert_eq!(ran.complaint(), refusal);
            }
            let envelope = sandbox.run(&["journal", "tail", "--json"]).envelope();
            assert_eq!(envelope["context"]["reason"], "unsafe_root");
        }
    }
}

#[test]
fn the_working_directory_is_refused_as_state_when_it_is_the_systems() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_in(Path::new("/"), &["chunk", "status", "s"], "");
    assert!(ran.complaint().starts_with("resilient-write: refusing to use '/' as "));
}

#[test]
fn the_refusal_can_be_turned_into_a_warning() {
    for (value, allowed) in [("1", true), (" Yes ", true), ("on", true), ("0", false), ("", false)]
    {
        let sandbox = Sandbox::new().with("RW_WORKSPACE", "/").with("RW_ALLOW_UNSAFE_ROOTS", value);
        let ran = sandbox.run(&["chunk", "status", "s"]);
        assert_eq!(ran.code == 0, allowed, "{value:?}: {ran:?}");
        if allowed {
            for part in ["WARNING", "RW_ALLOW_UNSAFE_ROOTS", "'/'"] {
                assert!(ran.stderr.contains(part), "{ran:?}");
            }
        }
    }
}

#[test]
fn the_state_may_be_elsewhere() {
    let elsewhere = TempDir::new().unwrap();
    let sandbox = Sandbox::new().with("RW_STATE_DIR", elsewhere.path().to_str().unwrap());
    sandbox.run(&["write", "a.txt", "--content", "x"]).ok();
    assert_eq!(sandbox.names(), ["a.txt"]);
    assert!(elsewhere.path().join(".resilient_write/journal.jsonl").exists());
}

#[test]
fn roots_come_from_the_variable_and_from_options() {
    let (named, listed, other) =
        (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let in_dir = |dir: &TempDir| {
        dir.path().canonicalize().unwrap().join("a.txt").to_str().unwrap().to_owned()
    };
    let sandbox =
        Sandbox::new().with("RW_WORKSPACE", json!([listed.path().to_str().unwrap()]).to_string());
    let write = |more: &[&str], path: &str| {
        sandbox.run(&[more, &["write", path, "--content", "x", "--json"]].concat())
    };
    write(&[], &in_dir(&listed)).ok();
    let escapes = write(&[], &in_dir(&named)).envelope();
    assert_eq!(escapes["context"]["reason"], "escapes_workspace");
    assert_eq!(escapes["context"]["workspaces"].as_array().unwrap().len(), 2);

    let (named_dir, other_dir) = (named.path().to_str().unwrap(), other.path().to_str().unwrap());
    let more = ["-w", named_dir, "--workspace", other_dir];
    write(&more, &in_dir(&named)).ok();
    write(&more, &in_dir(&other)).ok();
    assert_eq!(sandbox.names(), [".resilient_write"]);
    assert_eq!(
        sandbox.run(&["-w", "/etc", "chunk", "status", "s"]).complaint(),
        "resilient-write: refusing to use '/etc' as RW_WORKSPACE. \
         Set the variable to your project directory.\n"
    );
}
