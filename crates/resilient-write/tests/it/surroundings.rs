//! The environment and `-w`: where one may write, and where the state is.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

#[cfg(target_os = "linux")]
use crate::sandbox::{BINARY, READER};
use crate::sandbox::{Sandbox, bound};

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
                assert!(ran.complaint().starts_with(&refusal), "{ran:?}");
                assert!(ran.stderr.contains("next: "), "{ran:?}");
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
    // What was never set is not "the variable".
    let root = sandbox.root().to_str().unwrap().to_owned();
    let sandbox = sandbox.with("RW_WORKSPACE", root);
    let ran = sandbox.run_in::<&str>(Path::new("/"), &[], "");
    assert_eq!(ran.code, 1);
    assert!(ran.complaint().contains("set RW_STATE_DIR to your project directory, or pass -w DIR"));
}

#[test]
fn a_variable_that_names_no_directory_is_warned_of_in_one_line() {
    let sandbox = Sandbox::new();
    let root = sandbox.root().to_str().unwrap().to_owned();
    for (name, value, part) in [
        ("RW_WORKSPACE", format!("{root}:/missing/dir"), "'/missing/dir', which is no directory"),
        ("RW_WORKSPACE", format!("[\"{root}\""), "is no JSON array of paths"),
        ("RW_STATE_DIR", "/missing/dir".to_owned(), "'/missing/dir', which is no directory"),
    ] {
        let ran = Sandbox::new().with(name, value).run::<&str>(&[]);
        assert_eq!((ran.code, ran.stderr.lines().count()), (0, 1), "{ran:?}");
        assert!(ran.stderr.contains("WARNING") && ran.stderr.contains(name), "{ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_state_directory_that_may_not_be_used_is_named_once_with_what_to_do() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path(".resilient_write")).unwrap();
    let set = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(sandbox.path(".resilient_write"), mode).unwrap();
    };
    set(0);
    let ran = bound(|| sandbox.run(&["write", "a.txt", "--content", "x"]));
    set(0o700);
    let complaint = ran.complaint();
    assert_eq!(complaint.matches("ermission denied").count(), 2, "headline and fact: {complaint}");
    assert!(!complaint.contains("policy.yaml"), "{complaint}");
    assert!(
        complaint.contains("\nnext: abort - ask the user for the permission to use"),
        "{complaint}"
    );
}

#[test]
fn a_path_that_ends_like_a_directory_makes_no_file() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run(&["write", "new/", "--content", "x", "--json"]).envelope();
    assert_eq!(refused["context"]["reason"], "is_a_directory");
    let mut client = sandbox.serve(&[]);
    let facts = json!({"reason": "is_a_directory"});
    let arguments = json!({"path": "new/", "content": "x"});
    client.fails("rw_safe_write", arguments, "policy_violation/unknown/abort", facts);
    assert!(!sandbox.path("new").exists());
}

#[test]
fn options_are_named_as_the_arguments_of_the_tools() {
    let sandbox = Sandbox::new();
    for args in [
        &["chunk", "write"][..],
        &["chunk", "append"],
        &["chunk", "compose"],
        &["handoff", "write"],
        &["checkpoint", "save"],
        &["write"],
        &["replace"],
        &["redact"],
    ] {
        let help = sandbox.run(&[args, &["--help"]].concat()).ok().stdout;
        assert!(help.contains("--expected-prev-sha256 <SHA256>"), "{args:?}: {help}");
    }
    for command in ["validate", "risk", "redact"] {
        let help = sandbox.run(&[command, "--help"]).ok().stdout;
        assert!(help.contains("--draft-sha256 <SHA256>"), "{command}: {help}");
    }
    sandbox.run(&["checkpoint", "save", "c", "--data", "1", "--expect", ""]).ok();
}

#[test]
fn the_refusal_can_be_turned_into_a_warning() {
    for (value, allowed) in [("1", true), (" Yes ", true), ("on", true), ("0", false), ("", false)]
    {
        let sandbox = Sandbox::new().with("RW_WORKSPACE", "/").with("RW_ALLOW_UNSAFE_ROOTS", value);
        let ran = sandbox.run(&["chunk", "status"]);
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
    let refused = sandbox.run(&["-w", "/etc", "chunk", "status", "s"]);
    let refusal = "resilient-write: refusing to use '/etc' as -w. \
                   Name your project directory.\n";
    assert!(refused.complaint().starts_with(refusal), "{refused:?}");
}

#[test]
fn a_client_that_starts_elsewhere_works_in_the_directory_of_the_command_line() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let top = Path::new("/");
    let sandbox = Sandbox::new();
    let args = |more: &[&str]| {
        [&["-w", dir.to_str().unwrap()], more]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    sandbox.run_in(top, &args(&["write", "d/a.txt", "--content", "x"]), "").ok();
    assert!(dir.join("d/a.txt").exists() && dir.join(".resilient_write/journal.jsonl").exists());
    let tail = sandbox.run_in(top, &args(&["journal", "tail", "--json"]), "").ok().json();
    assert_eq!(tail["entries"][0]["path"], "d/a.txt");
    // Where the working directory is inside, it stays the base.
    sandbox.run_in(&dir.join("d"), &args(&["write", "b.txt", "--content", "x"]), "").ok();
    assert!(dir.join("d/b.txt").exists());
}

#[test]
fn a_working_directory_outside_of_the_command_lines_is_neither_read_nor_written_as_workspace() {
    let sandbox = Sandbox::new();
    sandbox.put("here/f.txt", "here\n");
    sandbox.put("there/other.txt", "x\n");
    sandbox.put("there/d/in.txt", "found\n");
    let here = sandbox.path("here");
    let run =
        |args: &[&str]| sandbox.run_in(&here, &[&["-w", "../there", "--json"], args].concat(), "");
    // One relative name is one file, for all that read and write the workspace.
    for args in [&["read", "f.txt"][..], &["tail", "f.txt"], &["stat", "f.txt"]] {
        assert_eq!(run(args).envelope()["error"], "not_found", "{args:?}");
    }
    assert_eq!(run(&["replace", "f.txt", "--old-string", "here", "--new-string", "x"]).code, 8);
    run(&["write", "f.txt", "--content", "there\n"]).ok();
    assert_eq!(run(&["read", "f.txt"]).ok().json()["content"], "1|there");
    let ran = run(&["call", "rr_read_lines", r#"{"path": "f.txt"}"#]).ok();
    assert_eq!(ran.json()["content"], "1|there");
    let listed = run(&["list"]).ok().json();
    let listed = listed["files"].as_array().unwrap().iter();
    assert_eq!(listed.filter(|file| file["path"] == "f.txt").count(), 1);
    assert_eq!(run(&["search", "found", "d"]).ok().json()["matches"][0]["path"], "d/in.txt");
    assert_eq!(sandbox.text("here/f.txt"), "here\n");
    // It is no root.
    for path in [here.join("f.txt"), here.join("new.txt")] {
        let path = path.to_str().unwrap();
        let refused = run(&["write", path, "--content", "x", "--mode", "overwrite"]).envelope();
        assert_eq!(refused["context"]["reason"], "escapes_workspace");
        assert_eq!(run(&["read", path]).envelope()["error"], "permission_denied");
    }
    let mut client = sandbox.serve(&["-w", sandbox.path("there").to_str().unwrap()]);
    let escape = json!({"path": sandbox.path("new.txt"), "content": "x"});
    let facts = json!({"reason": "escapes_workspace"});
    client.fails("rw_safe_write", escape, "policy_violation/permission/abort", facts);
}

#[test]
fn a_path_of_an_answer_leads_to_the_same_file_when_there_are_several_roots() {
    let sandbox = Sandbox::new();
    sandbox.put("a/f.txt", "in a\n");
    sandbox.put("b/f.txt", "in b\n");
    sandbox.put("b/only.txt", "in b alone\n");
    let at = |path: &str| sandbox.path(path).to_str().unwrap().to_owned();
    let mut client = sandbox.serve(&["--tools", "core", "-w", &at("a"), "-w", &at("b")]);
    let listed = client.gives("rw_list_files", json!({"path": at("b")}), &[]);
    let paths = [&listed["files"][0]["path"], &listed["files"][1]["path"]];
    assert_eq!(paths, [&json!(at("b/f.txt")), &json!(at("b/only.txt"))]);
    let search = json!({"pattern": "in b$", "path": at("b")});
    let found = client.gives("rw_search_files", search, &[]);
    assert_eq!(found["matches"][0]["path"], json!(at("b/f.txt")));
    let read = client.gives("rw_read_file", json!({"path": at("b/f.txt")}), &[]);
    assert_eq!(read["content"], "in b\n");
    let edit =
        |path: &Value, old: &str| json!({"path": path, "old_string": old, "new_string": "new"});
    let edited = client.gives("rw_edit_file", edit(&json!(at("b/f.txt")), "in b"), &[]);
    let edited = client.gives("rw_edit_file", edit(&edited["path"], "new"), &[]);
    assert_eq!(edited["path"], json!(at("b/f.txt")));
    let history = client.gives("rw_history", json!({"path": edited["path"]}), &[]);
    assert_eq!(history["entries"].as_array().unwrap().len(), 2);
    assert_eq!(
        (sandbox.text("a/f.txt"), sandbox.text("b/f.txt")),
        ("in a\n".into(), "new\n".into())
    );

    // A relative path is of the first root, for reads as for writes; the refusal names the file of the other.
    let near = json!({"nearest_names": [at("b/only.txt")]});
    for (tool, arguments, kind) in [
        ("rw_read_file", json!({"path": "only.txt"}), "stale_precondition/unknown/abort"),
        ("rw_edit_file", edit(&json!("only.txt"), "in"), "stale_precondition/unknown/ask_user"),
    ] {
        client.fails(tool, arguments, kind, near.clone());
    }
}

#[test]
fn a_server_that_starts_in_the_system_reads_relative_paths_in_the_first_root_of_the_variable() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    std::fs::write(dir.join("a.txt"), "one\n").unwrap();
    let sandbox = Sandbox::new()
        .with("RW_WORKSPACE", dir.to_str().unwrap())
        .with("RW_STATE_DIR", dir.to_str().unwrap());
    let run = |args: &[&str]| sandbox.run_in(Path::new("/"), args, "");
    assert_eq!(run(&["read", "a.txt", "--json"]).ok().json()["content"], "1|one");
    run(&["write", "b.txt", "--content", "two"]).ok();
    assert!(dir.join("b.txt").exists());
}

#[test]
fn a_file_whose_text_is_taken_begins_in_the_working_directory_for_every_command() {
    let sandbox = Sandbox::new();
    sandbox.put("here/f.json", "{");
    sandbox.put("there/f.json", "{}");
    let (here, there) = (sandbox.path("here"), sandbox.path("there"));
    let run =
        |cwd: &Path, args: &[&str]| sandbox.run_in(cwd, &[&["-w", "../there"], args].concat(), "");
    assert_eq!(run(&here, &["validate", "f.json"]).code, 1);
    run(&here, &["write", "copy.json", "f.json"]).ok();
    assert_eq!(sandbox.text("there/copy.json"), "{");
    run(&here, &["risk", "f.json"]).ok();
    let refused = run(&here, &["redact", "f.json", "--json"]).envelope();
    assert_eq!(refused["context"]["reason"], "escapes_workspace");
    assert_eq!(run(&here, &["redact", "../there/f.json"]).ok().stdout, "{}");
    assert_eq!(run(&there, &["redact", "f.json"]).ok().stdout, "{}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_working_directory_that_was_removed_is_told_as_any_root_that_is_gone() {
    for program in [BINARY, READER] {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.path("gone")).unwrap();
        let args = if program == BINARY { "journal tail --json" } else { "" };
        let script = format!("rmdir ../gone && exec \"$0\" {args}");
        let ran = sandbox
            .command("sh", &sandbox.path("gone"))
            .args(["-c", &script, program])
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        if program == READER {
            let told = String::from_utf8(ran.stderr).unwrap();
            assert!(told.contains("is not there"), "{told}");
            continue;
        }
        let envelope: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(ran.status.code(), Some(3), "{envelope}");
        assert_eq!(envelope["context"]["reason"], "workspace_gone");
        assert_eq!(envelope["context"]["root"], sandbox.path("gone").to_str().unwrap());
    }
}

#[test]
fn a_directory_of_the_command_line_that_is_not_there_ends_the_process() {
    let sandbox = Sandbox::new();
    sandbox.put("file", "x");
    for (dir, what) in [("none", "not there yet"), ("file", "no directory")] {
        let complaint = format!(
            "resilient-write: -w: the directory {:?} is {what}\n",
            sandbox.path(dir).to_str().unwrap()
        );
        for args in [&["-w", dir][..], &["-w", dir, "journal", "tail"]] {
            assert!(sandbox.run(args).complaint().starts_with(&complaint));
        }
        let envelope = sandbox.run(&["-w", dir, "journal", "tail", "--json"]).envelope();
        assert_eq!(envelope["context"]["reason"], "workspace_gone");
        assert_eq!(sandbox.run_reader(&["-w", dir]).code, 1);
    }
    assert_eq!(sandbox.names(), ["file"]);
    // As with the Python server, the environment may name what comes later.
    let sandbox = sandbox.with("RW_WORKSPACE", "none");
    assert_eq!(sandbox.run(&["journal", "tail"]).code, 0);
}

#[test]
fn a_variable_that_the_client_has_not_replaced_makes_no_directory() {
    let sandbox = Sandbox::new();
    for name in ["${workspaceFolder}", "${workspaceRoot}", "$PWD", "%CD%", "${workspaceFolder}/a"] {
        let envelope = sandbox.run(&["-w", name, "journal", "tail", "--json"]).envelope();
        assert_eq!(envelope["context"]["reason"], "unresolved_path", "{name}: {envelope}");
        assert!(sandbox.run_reader(&["-w", name]).stderr.contains("variable"), "{name}");
        let path = format!("{name}/b.txt");
        let envelope = sandbox.run_with(&["--json", "write", &path], "x").envelope();
        assert_eq!(envelope["context"]["reason"], "unresolved_path", "{name}: {envelope}");
    }
    assert!(sandbox.names().iter().all(|name| name == ".resilient_write"), "{:?}", sandbox.names());
    let warned = sandbox.with("RW_WORKSPACE", "${workspaceFolder}").run(&["journal", "tail"]);
    assert!(warned.stderr.contains("a variable that the client has not replaced"), "{warned:?}");
    assert!(!warned.stderr.contains("make it"), "{warned:?}");
}

#[test]
fn a_warning_about_a_directory_is_printed_once() {
    let sandbox = Sandbox::new().with("RW_WORKSPACE", "/tmp").with("RW_ALLOW_UNSAFE_ROOTS", "1");
    let count =
        |sandbox: &Sandbox| sandbox.run(&["journal", "tail"]).stderr.matches("WARNING").count();
    assert_eq!(count(&sandbox), 1);
    assert_eq!(count(&sandbox.with("RW_STATE_DIR", "/tmp")), 1);
}

#[test]
fn paths_as_people_write_them_are_resolved_or_refused_and_make_no_directory_of_that_name() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    let root = root.to_str().unwrap();
    let sandbox = sandbox.with("HOME", root);
    for (at, path) in [
        "~/0.txt".to_owned(),
        "$HOME/1.txt".into(),
        "${HOME}/2.txt".into(),
        format!("file://{root}/3.txt"),
    ]
    .iter()
    .enumerate()
    {
        let receipt = sandbox.run(&["write", path, "--content", "x", "--json"]).ok().json();
        assert_eq!(receipt["path"], json!(format!("{at}.txt")));
        let mut client = sandbox.serve(&["--with-read"]);
        let read = client.gives("rr_read_bytes", json!({"path": path}), &[]);
        assert_eq!(read["content"], "x");
        let filter = json!({"filter_path": path});
        let rows =
            client.gives("rw_journal_tail", filter, &[])["entries"].as_array().unwrap().len();
        assert_eq!(rows, 1);
    }
    let before = sandbox.names();
    for path in ["~other/a", "$PWD/a", "${PWD}/a", "https://example.org/a", "file://host/a"] {
        let envelope = sandbox.run(&["write", path, "--content", "x", "--json"]).envelope();
        assert_eq!(envelope["context"]["reason"], "unresolved_path", "{path}");
        assert!(envelope["context"]["hint"].as_str().unwrap().starts_with("write "), "{envelope}");
    }
    assert_eq!(sandbox.names(), before);
    for path in ["./~other/a", "./$PWD/a", "./~x", "./~/a", "~x2", "./https:/a"] {
        sandbox.run(&["write", path, "--content", "x"]).ok();
        assert!(sandbox.path(path.trim_start_matches("./")).exists(), "{path}");
    }
    // Out of the workspace is out of it, however that is written.
    let sandbox = sandbox.with("HOME", "/home/none");
    let envelope = sandbox.run(&["write", "~/a", "--content", "x", "--json"]).envelope();
    assert_eq!(envelope["context"]["reason"], "escapes_workspace");
    sandbox.run(&["-w", &format!("file://{root}"), "journal", "tail"]).ok();
}

#[test]
fn the_filter_of_the_journal_takes_a_path_as_a_write_does() {
    let other = TempDir::new().unwrap();
    let other = other.path().canonicalize().unwrap();
    let sandbox = Sandbox::new().with("RW_WORKSPACE", json!([other]).to_string());
    let (here, there) = (sandbox.path("d/a.txt"), other.join("d/a.txt"));
    let (here, there) = (here.to_str().unwrap(), there.to_str().unwrap());
    sandbox.run(&["write", here, "--content", "here"]).ok();
    sandbox.run(&["write", there, "--content", "there!"]).ok();
    let mut client = sandbox.serve(&[]);
    let mut bytes = |path: &str| -> Vec<u64> {
        let tail = client.gives("rw_journal_tail", json!({"filter_path": path}), &[]);
        let rows = tail["entries"].as_array().unwrap();
        rows.iter().map(|row| row["bytes"].as_u64().unwrap()).collect()
    };
    for path in ["./d/a.txt", "d//a.txt", "x/../d/a.txt", "d/./a.txt"] {
        assert_eq!(bytes(path), bytes("d/a.txt"), "{path}");
    }
    assert!(bytes("d/a.txt").contains(&4));
    // An absolute path is that of one file.
    assert_eq!((bytes(here), bytes(there)), (vec![4], vec![6]));
    assert!(bytes("d/none.txt").is_empty() && bytes("../out.txt").is_empty());
    let ran = sandbox.run(&["journal", "tail", "--path", "./d/../d/a.txt", "--json"]).ok().json();
    assert!(!ran["entries"].as_array().unwrap().is_empty());
}
