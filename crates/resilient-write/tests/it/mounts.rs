//! Directories that a mount shows under a second name. Where this system lets its user make no mounts, nothing is
//! shown here.

use crate::sandbox::Sandbox;

fn workspace() -> Sandbox {
    let sandbox = Sandbox::new();
    for dir in ["w/.git", "w/other", "alias"] {
        std::fs::create_dir_all(sandbox.path(dir)).unwrap();
    }
    sandbox.put("w/.git/config", "old");
    sandbox.run_in(&sandbox.path("w"), &["write", "first.txt", "--content", "x"], "").ok();
    sandbox
}

#[test]
fn a_workspace_is_known_by_its_second_name() {
    let sandbox = workspace();
    let there = sandbox.path("alias/sub/a.txt").to_string_lossy().into_owned();
    let write = ["write", &there, "--content", "x", "--json"];
    let Some(written) = sandbox.run_with_mounts("w", "mount --bind . ../alias", &write) else {
        return;
    };
    let written = written.ok().json();
    let here = sandbox.path("w/sub/a.txt");
    assert_eq!(written["path"], "sub/a.txt");
    assert_eq!(written["abs_path"], here.to_string_lossy().as_ref());
    assert_eq!(sandbox.text("w/sub/a.txt"), "x");
    let read = ["read", &there];
    let read = sandbox.run_with_mounts("w", "mount --bind . ../alias", &read).unwrap().ok();
    assert_eq!(read.stdout, "1|x\n");
    // What is beside it is as far outside as it was.
    let beside = sandbox.path("alias/../b.txt").to_string_lossy().into_owned();
    let write = ["write", &beside, "--content", "x", "--json"];
    let refused = sandbox.run_with_mounts("w", "mount --bind . ../alias", &write).unwrap();
    assert_eq!(refused.envelope()["context"]["reason"], "escapes_workspace");
}

/// Before, a client could add a token.
#[test]
fn a_token_file_in_a_workspace_is_refused_under_a_second_name_of_the_workspace() {
    let sandbox = workspace();
    let serve = ["--transport", "http", "--port", "0", "--token-file", "../alias/tokens"];
    let Some(ran) = sandbox.run_with_mounts("w", "mount --bind . ../alias", &serve) else {
        return;
    };
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("name a file outside of the workspaces"), "{ran:?}");
}

/// Before, only the directories of the workspace itself were looked for above the file.
#[test]
fn a_token_file_that_a_mount_shows_in_a_workspace_is_refused() {
    let sandbox = workspace();
    std::fs::create_dir_all(sandbox.path("out/sub")).unwrap();
    for name in ["out/sub/tokens", "w/shown here"] {
        sandbox.put(name, "");
    }
    let serve = ["--transport", "http", "--port", "0", "--token-file", "../out/sub/tokens"];
    for mount in [
        "mount --bind ../out other",
        "mount --bind ../out/sub other",
        "mount --bind ../out/sub/tokens 'shown here'",
    ] {
        let Some(ran) = sandbox.run_with_mounts("w", mount, &serve) else { return };
        assert_eq!(ran.code, 2, "{mount}: {ran:?}");
        assert!(ran.stderr.contains("name a file outside of the workspaces"), "{ran:?}");
    }
}

#[test]
fn a_repository_and_the_state_are_protected_under_a_second_name() {
    let sandbox = workspace();
    for (kept, path) in [(".git", "other/config"), (".resilient_write", "other/sub/b.txt")] {
        let mount = format!("mount --bind {kept} other");
        let write = ["write", path, "--content", "x", "--mode", "overwrite", "--json"];
        let Some(refused) = sandbox.run_with_mounts("w", &mount, &write) else { return };
        assert_eq!(refused.envelope()["context"]["reason"], "protected_path", "{kept}");
    }
    assert_eq!(sandbox.text("w/.git/config"), "old");
}

#[test]
fn a_file_that_is_a_mount_point_stays_and_the_refusal_says_what_it_is() {
    let sandbox = workspace();
    std::fs::write(sandbox.path("alias/a.txt"), "theirs").unwrap();
    std::fs::write(sandbox.path("w/other/a.txt"), "below").unwrap();
    let mount = "mount --bind ../alias/a.txt other/a.txt";
    let write = ["write", "other/a.txt", "--content", "x", "--mode", "overwrite", "--json"];
    let Some(refused) = sandbox.run_with_mounts("w", mount, &write) else { return };
    let context = &refused.envelope()["context"];
    assert_eq!((&context["errno"], &context["path"]), (&16.into(), &"other/a.txt".into()));
    let hint = context["hint"].as_str().unwrap();
    assert!(hint.contains("mount point") && hint.contains("ask the user"), "{hint}");
    assert_eq!(
        (sandbox.text("alias/a.txt"), sandbox.text("w/other/a.txt")),
        ("theirs".into(), "below".into())
    );
}

#[test]
fn a_mount_that_is_nothing_else_is_written_and_read_as_ever() {
    let sandbox = workspace();
    let mount = "mount --bind ../alias other";
    let write = ["write", "other/new/a.txt", "--content", "x", "--json"];
    let Some(written) = sandbox.run_with_mounts("w", mount, &write) else { return };
    assert_eq!(written.ok().json()["path"], "other/new/a.txt");
    assert_eq!(sandbox.text("alias/new/a.txt"), "x");
    let read = sandbox.run_with_mounts("w", mount, &["read", "other/new/a.txt"]).unwrap().ok();
    assert_eq!(read.stdout, "1|x\n");
}
