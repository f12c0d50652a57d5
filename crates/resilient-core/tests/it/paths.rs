//! Where paths lead: the boundary, links, what is protected, and how a path is reported.

use resilient_core::journal::Filter;
use resilient_core::read::{ListRequest, StatRequest};
use resilient_core::roots::Git;
use resilient_core::{Error, Workspace};
use serde_json::{Value, json};

use crate::home::{
    FORBIDDEN, Home, answer, append, create, envelope, hinted, overwrite, refusal, replace,
};

/// A workspace with a neighbour that it must not touch.
fn fenced() -> (Home, Workspace) {
    let home = Home::new();
    home.put("../outside.txt", "abc");
    let ws = home.open();
    (home, ws)
}

fn escape(home: &Home, path: &str, resolved: &str) -> Value {
    envelope(
        FORBIDDEN,
        json!({
            "path": path, "reason": "escapes_workspace",
            "resolved": resolved, "workspaces": [home.beside("w")],
        }),
    )
}

/// Tries every way of changing a file; all give the same refusal.
#[track_caller]
fn refused(home: &Home, ws: &Workspace, path: &str) -> Value {
    let found = home.refused(|| ws.write(create(path, "new")));
    assert_eq!(home.refused(|| ws.write(overwrite(path, "new"))), found);
    assert_eq!(home.refused(|| ws.write(append(path, "new"))), found);
    assert_eq!(home.refused(|| ws.replace(replace(path, "abc", "new"))), found);
    found
}

#[test]
fn an_empty_path_is_none() {
    let (home, ws) = fenced();
    let expected = envelope(FORBIDDEN, json!({"path": "", "reason": "empty_path"}));
    assert_eq!(refused(&home, &ws, ""), expected);
}

#[test]
fn a_nul_is_in_no_path() {
    let (home, ws) = fenced();
    let expected = envelope(FORBIDDEN, json!({"path": "a\0b", "reason": "invalid_path"}));
    assert_eq!(refused(&home, &ws, "a\0b"), expected);
}

#[test]
fn paths_that_lead_outside_are_refused() {
    let (home, ws) = fenced();
    std::fs::create_dir(home.path("d")).unwrap();
    for (path, resolved) in [
        ("../outside.txt", home.beside("outside.txt")),
        ("../escape.txt", home.beside("escape.txt")),
        ("d/../../escape.txt", home.beside("escape.txt")),
        ("missing/../../escape.txt", home.beside("escape.txt")),
        ("../missing/escape.txt", home.beside("missing/escape.txt")),
        ("..", home.beside("").trim_end_matches('/').to_owned()),
        ("/etc/passwd", "/etc/passwd".to_owned()),
        ("/", "/".to_owned()),
        ("/../../etc/passwd", "/etc/passwd".to_owned()),
        (&home.beside("outside.txt"), home.beside("outside.txt")),
        // A name that only begins like the workspace's.
        (&home.beside("w2/a.txt"), home.beside("w2/a.txt")),
        ("../w2/a.txt", home.beside("w2/a.txt")),
    ] {
        assert_eq!(refused(&home, &ws, path), escape(&home, path, &resolved));
    }
}

#[test]
fn a_file_outside_is_no_oracle() {
    // What lies behind a file outside is refused as what does not exist.
    let (home, ws) = fenced();
    let path = "../outside.txt/a";
    assert_eq!(refused(&home, &ws, path), escape(&home, path, &home.beside("outside.txt/a")));
}

#[test]
fn dots_inside_are_followed() {
    let (home, ws) = fenced();
    ws.write(create("d/e/../a.txt", "one")).unwrap();
    assert_eq!(home.text("d/a.txt"), "one");
    assert!(!home.path("d/e").exists());
    let receipt = ws.write(create("./d/./b.txt", "two")).unwrap();
    assert_eq!(receipt.path, "d/b.txt");
    let receipt = ws.write(overwrite("../w/d/b.txt", "three")).unwrap();
    assert_eq!(receipt.path, "d/b.txt");
    let receipt = ws.write(create(&home.abs("c.txt"), "four")).unwrap();
    assert_eq!((receipt.path.as_str(), receipt.abs_path), ("c.txt", home.abs("c.txt")));
    // What ends like a directory is no file.
    assert!(matches!(ws.write(create("e.txt/", "five")), Err(Error::NotARegularFile { .. })));
    assert!(!home.path("e.txt").exists());
}

#[test]
fn strange_names_are_names() {
    let (home, ws) = fenced();
    for name in [" ", "-rf", "a b", "~x", "$x", "*", "a\nb", "é", "\u{1F980}", "...", ".gitignore"]
    {
        let receipt = ws.write(create(name, name)).unwrap();
        assert_eq!(receipt.path, name);
        assert_eq!(home.text(name), name);
    }
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[track_caller]
    fn is_link_to(home: &Home, link: &str, target: &str) {
        assert_eq!(std::fs::read_link(home.path(link)).unwrap().to_str(), Some(target));
    }

    #[test]
    fn the_target_is_replaced_and_the_link_kept() {
        let (home, ws) = fenced();
        home.put("real/a.txt", "abc");
        symlink("real/a.txt", home.path("link")).unwrap();
        let receipt = ws.write(overwrite("link", "new")).unwrap();
        assert_eq!(
            (receipt.path.as_str(), receipt.abs_path),
            ("real/a.txt", home.abs("real/a.txt"))
        );
        assert_eq!(home.text("real/a.txt"), "new");
        ws.replace(replace("link", "new", "newer")).unwrap();
        ws.write(append("link", " still")).unwrap();
        assert_eq!(home.text("real/a.txt"), "newer still");
        is_link_to(&home, "link", "real/a.txt");
        let exists = home.refused(|| ws.write(create("link", "x")));
        assert_eq!(exists["context"]["path"], "real/a.txt");
        let paths = ws.journal_tail(9, &Filter::default()).unwrap().entries;
        assert!(paths.iter().all(|entry| entry.path == "real/a.txt"));
    }

    #[test]
    fn links_of_every_kind_are_followed_inside() {
        let (home, ws) = fenced();
        home.put("real/a.txt", "abc");
        symlink(home.path("real/a.txt"), home.path("absolute")).unwrap();
        symlink("absolute", home.path("chain")).unwrap();
        symlink("real", home.path("dir")).unwrap();
        symlink("../w/real/a.txt", home.path("out-and-in")).unwrap();
        symlink("../dir/./a.txt", home.path("real/self")).unwrap();
        for (n, path) in
            ["absolute", "chain", "dir/a.txt", "out-and-in", "dir/self", "dir/../chain"]
                .into_iter()
                .enumerate()
        {
            let receipt = ws.write(overwrite(path, &n.to_string())).unwrap();
            assert_eq!(receipt.path, "real/a.txt", "{path}");
            assert_eq!(home.text("real/a.txt"), n.to_string());
        }
        assert_eq!(ws.write(create("dir/new/b.txt", "x")).unwrap().path, "real/new/b.txt");
    }

    #[test]
    fn a_workspace_is_entered_through_links_from_outside() {
        let (home, ws) = fenced();
        symlink("w", home.beside("alias")).unwrap();
        let receipt = ws.write(create(&home.beside("alias/a.txt"), "x")).unwrap();
        assert_eq!(receipt.abs_path, home.abs("a.txt"));
    }

    #[test]
    fn a_dangling_link_makes_its_target() {
        let (home, ws) = fenced();
        symlink("d/a.txt", home.path("link")).unwrap();
        let missing = home.refused(|| ws.replace(replace("link", "a", "b")));
        assert_eq!(missing["context"], json!({"path": "d/a.txt", "reason": "file_not_found"}));
        assert_eq!(ws.write(create("link", "new")).unwrap().path, "d/a.txt");
        assert_eq!(home.text("d/a.txt"), "new");
        is_link_to(&home, "link", "d/a.txt");
    }

    #[test]
    fn links_that_lead_outside_are_refused() {
        let (home, ws) = fenced();
        std::fs::create_dir(home.path("d")).unwrap();
        symlink("../outside.txt", home.path("file")).unwrap();
        symlink(home.beside("outside.txt"), home.path("absolute")).unwrap();
        symlink("..", home.path("up")).unwrap();
        symlink("../none.txt", home.path("dangling")).unwrap();
        symlink("../up/outside.txt", home.path("d/chain")).unwrap();
        symlink("/", home.path("top")).unwrap();
        symlink("/proc/self/cwd", home.path("magic")).unwrap();
        let outside = home.beside("outside.txt");
        for (path, resolved) in [
            ("file", &outside),
            ("absolute", &outside),
            ("up/outside.txt", &outside),
            ("up/new.txt", &home.beside("new.txt")),
            ("up/new/new.txt", &home.beside("new/new.txt")),
            ("dangling", &home.beside("none.txt")),
            ("d/chain", &outside),
            ("top/etc/passwd", &"/etc/passwd".to_owned()),
            ("top", &"/".to_owned()),
        ] {
            assert_eq!(refused(&home, &ws, path), escape(&home, path, resolved));
        }
        let found = refused(&home, &ws, "magic/a.txt");
        assert_eq!(found["error"], "policy_violation");
        // By `..` of the text it would be inside, by that of the file system it is not.
        symlink("../outside.txt", home.path("d/out")).unwrap();
        symlink("/etc", home.path("etc")).unwrap();
        let found = refused(&home, &ws, "etc/../a.txt");
        assert_eq!(found, escape(&home, "etc/../a.txt", "/a.txt"));
    }

    #[test]
    fn links_in_a_circle_are_refused() {
        let (home, ws) = fenced();
        symlink("b", home.path("a")).unwrap();
        symlink("a", home.path("b")).unwrap();
        symlink(".", home.path("dot")).unwrap();
        let expected =
            |path: &str| envelope(FORBIDDEN, json!({"path": path, "reason": "link_loop"}));
        assert_eq!(refused(&home, &ws, "a"), expected("a"));
        assert_eq!(refused(&home, &ws, "a/x"), expected("a/x"));
        // Forty links are followed, and no more.
        ws.write(create(&format!("{}x", "dot/".repeat(40)), "")).unwrap();
        let far = format!("{}y", "dot/".repeat(41));
        assert_eq!(refused(&home, &ws, &far), expected(&far));
    }

    #[test]
    fn links_into_what_is_protected_are_refused() {
        let (home, ws) = fenced();
        home.put(".git/config", "abc");
        symlink(".git", home.path("vcs")).unwrap();
        symlink(".git/config", home.path("config")).unwrap();
        symlink(".resilient_write", home.path("state")).unwrap();
        for path in
            ["vcs/config", "config", "vcs/hooks/post-commit", "state/journal.jsonl", "state/x"]
        {
            assert_eq!(refused(&home, &ws, path), protected(path));
        }
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        use std::os::unix::net::UnixListener;
        let (home, ws) = fenced();
        let _socket = UnixListener::bind(home.path("socket")).unwrap();
        let made = rustix::fs::mknodat(
            rustix::fs::CWD,
            home.path("fifo"),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        );
        made.unwrap();
        symlink("fifo", home.path("link")).unwrap();
        for path in ["socket", "fifo", "link"] {
            assert_eq!(
                refused(&home, &ws, path),
                envelope(
                    FORBIDDEN,
                    json!({
                        "path": path, "reason": "not_a_regular_file",
                        "is": "a FIFO, socket or device",
                    })
                )
            );
        }
    }

    #[test]
    fn a_device_is_refused() {
        // A whole workspace of devices; nothing is written, so that the state may lie there too.
        let home = Home::new();
        let ws = Workspace::builder("/dev").state(home.path("")).open();
        for path in ["null", "zero"] {
            let found = home.refused(|| ws.write(overwrite(path, "x")));
            assert_eq!(found["context"]["reason"], "not_a_regular_file");
        }
    }

    #[test]
    fn reading_stays_inside_too() {
        let (home, ws) = fenced();
        home.put("a.md", "abc");
        symlink("../outside.txt", home.path("link")).unwrap();
        symlink("a.md", home.path("good")).unwrap();
        let read = |path: &str| {
            home.refused(|| ws.roots().readable(path).map(|_| ()))["context"]["reason"].clone()
        };
        assert_eq!(read("link"), "escapes_workspace");
        assert_eq!(read("../outside.txt"), "escapes_workspace");
        assert_eq!(read(&home.beside("outside.txt")), "escapes_workspace");
        assert_eq!(read("none.md"), "not_found");
        assert_eq!(read("a.md/none.md"), "not_found");
        assert_eq!(read("d/none.md"), "not_found");
        assert_eq!(read("."), "is_a_directory");
        assert_eq!(read(""), "empty_path");
        for path in ["a.md", "good", &home.abs("a.md")] {
            ws.roots().readable(path).unwrap();
        }
        let handoff = home.refused(|| ws.read_handoff("../outside.txt"));
        assert_eq!(handoff["context"]["reason"], "escapes_workspace");
    }
}

fn protected(path: &str) -> Value {
    envelope(
        FORBIDDEN,
        json!({
            "path": path, "reason": "protected_path",
        }),
    )
}

#[test]
fn the_state_directory_and_git_are_protected() {
    let (home, ws) = fenced();
    home.put("sub/.git/config", "abc");
    ws.write(create("a.txt", "")).unwrap();
    for path in [
        ".resilient_write/journal.jsonl",
        ".resilient_write/new/a.txt",
        ".resilient_write",
        "./.resilient_write/policy.yaml",
        "missing/../.resilient_write/policy.yaml",
        ".Resilient_Write/policy.yaml",
        ".RESILIENT_WRITE/policy.yaml",
        "sub/.resilient_write/policy.yaml",
        ".resilient_write./policy.yaml",
        "resili~1/policy.yaml",
        ".git",
        ".git/hooks/post-commit",
        ".GIT/config",
        ".Git/config",
        ".git./config",
        ".git /config",
        ".git::$INDEX_ALLOCATION/config",
        "git~1/config",
        "GIT~1/config",
        ".g\u{200c}it/config",
        ".g\u{ad}it/config",
        ".g\u{200b}it/config",
        ".re\u{17f}ilient_write/a",
        ".\u{feff}git/config",
        "sub/.git/config",
    ] {
        let found = refused(&home, &ws, path);
        if path == ".resilient_write" {
            assert_eq!(found["context"]["reason"], "is_a_directory");
        } else {
            assert_eq!(found, protected(path));
        }
    }
    for path in ["git/a", ".github/a", ".gitmodules", "resilient_write/a", ".git2/a", "a.git"] {
        ws.write(create(path, "")).unwrap();
    }
}

#[test]
fn a_policy_opens_git_and_never_the_state() {
    let home = Home::new();
    home.policy("allow_git_writes: true\n");
    home.put(".git/config", "abc");
    let ws = home.open();
    ws.write(overwrite(".git/config", "new")).unwrap();
    ws.write(create(".git/info/exclude", "*.o\n")).unwrap();
    assert_eq!(home.text(".git/config"), "new");
    let path = ".resilient_write/policy.yaml";
    assert_eq!(refused(&home, &ws, path), protected(path));
    assert!(ws.roots().writable(".git/config", Git::Protected).is_err());
}

#[test]
fn state_that_lies_elsewhere_is_protected_too() {
    let home = Home::new();
    for dir in ["w", "s"] {
        std::fs::create_dir(home.path(dir)).unwrap();
    }
    let roots = vec![home.path("w"), home.path("s")];
    let ws = Workspace::builder(home.path("w")).roots(roots).state(home.path("s")).open();
    ws.write(create("../s/a.txt", "")).unwrap();
    let path = home.abs("s/.resilient_write/journal.jsonl");
    let found = ws.write(overwrite(&path, "x")).unwrap_err();
    assert_eq!(answer(&found), protected(&path));
}

#[test]
fn paths_are_reported_from_where_the_agent_stands() {
    let home = Home::new();
    for dir in ["one/sub", "two"] {
        std::fs::create_dir_all(home.path(dir)).unwrap();
    }
    let ws = Workspace::builder(home.path("one"))
        .roots(vec![home.path("one"), home.path("two")])
        .cwd(home.path("one/sub"))
        .open();
    let path = |request| ws.write(request).unwrap().path;
    // Below the working directory; in its root, and in another root, where a relative path would be another file's.
    assert_eq!(path(create("d/a.txt", "")), "d/a.txt");
    assert_eq!(path(create("../b.txt", "")), home.abs("one/b.txt"));
    assert_eq!(path(create("../../two/c.txt", "")), home.abs("two/c.txt"));
    assert_eq!(path(create(&home.abs("one/d.txt"), "")), home.abs("one/d.txt"));
    for file in ["one/sub/d/a.txt", "one/b.txt", "two/c.txt", "one/d.txt"] {
        assert!(home.path(file).exists(), "{file}");
    }
    let roots = ws.roots();
    assert_eq!(roots.show(&home.path("one/sub")), ".");
    assert_eq!(roots.show(&home.path("two")), home.abs("two"));
    assert_eq!(roots.show(&home.path("three/a.txt")), home.abs("three/a.txt"));
}

/// Two roots, of which the first is the working directory.
fn two_roots() -> (Home, Workspace) {
    let home = Home::new();
    for dir in ["one", "two"] {
        std::fs::create_dir(home.path(dir)).unwrap();
    }
    let roots = vec![home.path("one"), home.path("two")];
    let ws = Workspace::builder(home.path("one")).roots(roots).open();
    (home, ws)
}

#[test]
fn equal_names_in_two_roots_are_told_apart() {
    let (home, ws) = two_roots();
    let paths = [home.abs("one/a.txt"), home.abs("two/a.txt")];
    for (path, shown) in paths.iter().zip(["a.txt", &paths[1]]) {
        let receipt = ws.write(create(path, path)).unwrap();
        assert_eq!((receipt.path.as_str(), &receipt.abs_path), (shown, path));
        // What was answered leads to the file.
        assert_eq!(ws.roots().readable(shown).unwrap().path().to_str().unwrap(), path);
        assert_eq!(ws.write(overwrite(shown, "again")).unwrap().abs_path, *path);
        let filter = Filter { path: Some(shown.to_owned()), ..Filter::default() };
        let entries = ws.journal_tail(9, &filter).unwrap().entries;
        let seen: Vec<_> = entries.iter().map(|entry| entry.abs_path.as_ref()).collect();
        assert_eq!(seen, [Some(path), Some(path)], "{shown}");
    }
}

#[test]
fn rows_of_older_versions_are_found_by_the_path_of_their_file() {
    let (home, ws) = two_roots();
    let path = home.abs("two/d/a.txt");
    ws.write(create(&path, "abc")).unwrap();
    ws.write(create("d/a.txt", "abc")).unwrap();
    let journal = home.path("one/.resilient_write/journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let shown = format!("\"path\":{}", json!(path));
    assert!(text.contains(&shown), "{text}");
    std::fs::write(&journal, text.replace(&shown, "\"path\":\"d/a.txt\"")).unwrap();
    let filter = Filter { path: Some(path.clone()), ..Filter::default() };
    let entries = ws.journal_tail(9, &filter).unwrap().entries;
    let seen: Vec<_> = entries.into_iter().filter_map(|entry| entry.abs_path).collect();
    assert_eq!(seen, [path]);
}

#[test]
fn a_path_that_is_longer_than_the_system_takes_is_refused_before_anything_is_entered() {
    let home = Home::new();
    let ws = home.open();
    let room = 4095 - home.abs("").len();
    // Each exists as far as it could be walked.
    for path in ["./".repeat(2048), "d/".repeat(12_000), "d/../".repeat(1000)] {
        let path = format!("{path}a.txt");
        let refused = home.refused(|| ws.write(create(&path, "x")));
        assert_eq!(refused["context"]["strerror"], "File name too long", "{refused}");
        assert_eq!(refused["error"], "policy_violation");
        for refused in [
            home.refused(|| ws.replace(replace(&path, "x", "y"))),
            home.refused(|| ws.roots().readable(&path).map(|_| ())),
            home.refused(|| ws.reader().list(&ListRequest::of(&path)).map(|_| ())),
        ] {
            assert_eq!(refused["context"]["strerror"], "File name too long");
        }
    }
    assert!(!home.path("d").exists() && !home.path("a.txt").exists());
    let longest = format!("{}{}", "d/".repeat((room - 5) / 2), &"aaaaaa"[..5 + (room - 5) % 2]);
    assert_eq!(longest.len(), room);
    ws.write(create(&longest, "x")).unwrap();
    assert_eq!(std::fs::read_to_string(home.path(&longest)).unwrap(), "x");
    home.refused(|| ws.write(create(&format!("{longest}a"), "x")));
}

#[test]
fn a_directory_named_as_a_home_is_reported_as_a_directory() {
    let home = Home::new();
    let ws = home.open();
    let receipt = ws.write(create("./~/a.txt", "one")).unwrap();
    assert_eq!(receipt.path, "./~/a.txt");
    assert_eq!(ws.write(overwrite(&receipt.path, "two")).unwrap().abs_path, home.abs("~/a.txt"));
}

#[test]
fn a_file_of_another_root_is_read_by_its_absolute_path_and_named_by_it() {
    let (home, ws) = two_roots();
    home.put("two/d/a.md", "abc");
    home.put("b.md", "abc");
    let there = home.abs("two/d/a.md");
    ws.roots().readable(&there).unwrap();
    ws.roots().readable("../two/d/a.md").unwrap();
    // A write of the same path would make a file in the first root.
    let stat = |path: &str| {
        let request = StatRequest { path: path.to_owned(), digest: None };
        home.refused(|| ws.reader().stat(&request).map(|_| ()))["context"].clone()
    };
    let missing = stat("d/a.md");
    assert_eq!(
        (&missing["reason"], &missing["nearest_names"]),
        (&json!("not_found"), &json!([there]))
    );
    let (hint, _) = hinted(&ws.read_handoff("d/a.md").unwrap_err());
    assert!(hint.ends_with(&format!("the nearest: {there}")), "{hint}");
    let missing = home.refused(|| ws.replace(replace("d/a.md", "abc", "new")));
    assert_eq!(missing["context"]["nearest_names"], json!([there]));
    let missing = home.refused(|| ws.reader().list(&ListRequest::of("d")).map(|_| ()));
    assert_eq!(missing["context"]["nearest_names"], json!([home.abs("two/d")]));
    let outside = home.refused(|| ws.roots().readable("../b.md").map(|_| ()));
    assert_eq!(outside["context"]["reason"], "escapes_workspace");
    // What one root leads out of, the other must not lead into.
    assert_eq!(stat("b.md")["nearest_names"], Value::Null);
    ws.write(create("d/a.md", "here")).unwrap();
    ws.roots().readable("d/a.md").unwrap();
    assert_eq!(home.text("two/d/a.md"), "abc");
}

#[test]
fn a_root_that_is_not_there_is_told() {
    let home = Home::new();
    let ws = Workspace::builder(home.path("none")).state(home.path("")).open();
    let found = home.refused(|| ws.write(create("a.txt", "x")));
    assert_eq!(
        (&found["error"], &found["suggested_action"]),
        (&json!("stale_precondition"), &json!("ask_user"))
    );
    assert_eq!(found["context"]["reason"], "workspace_gone");
    assert_eq!(found["context"]["root"], json!(home.abs("none")));
    std::fs::create_dir(home.path("none")).unwrap();
    ws.write(create("a.txt", "x")).unwrap();
    // Taken away and made again under the open workspace.
    std::fs::remove_dir_all(home.path("none")).unwrap();
    std::fs::create_dir(home.path("none")).unwrap();
    ws.write(create("a.txt", "x")).unwrap();
    assert_eq!(home.text("none/a.txt"), "x");
}

#[cfg(target_os = "linux")]
mod not_utf8 {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_that_no_row_can_name_is_read_and_not_written() {
        let home = Home::new();
        let dir = home.path("").join(OsStr::from_bytes(b"d\xff"));
        std::fs::create_dir(&dir).unwrap();
        symlink(&dir, home.path("link")).unwrap();
        let file = dir.join("a.txt");
        std::fs::write(&file, "abc").unwrap();
        let ws = home.open();
        let expected = |name: &str| {
            let path = format!("d\u{FFFD}/{name}");
            envelope(FORBIDDEN, json!({"path": path, "reason": "name_not_utf8"}))
        };
        assert_eq!(refused(&home, &ws, "link/a.txt"), expected("a.txt"));
        assert_eq!(refusal(ws.write(create("link/new.txt", "x"))), expected("new.txt"));
        assert_eq!(std::fs::read(&file).unwrap(), b"abc");
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
        assert!(
            ws.reader().stat(&StatRequest { path: "link/a.txt".to_owned(), digest: None }).is_ok()
        );
        // Another link, whose real path is text, is written through as before.
        symlink("real.txt", home.path("other")).unwrap();
        home.put("real.txt", "abc");
        ws.write(overwrite("other", "new")).unwrap();
        assert_eq!(home.text("real.txt"), "new");
    }
}
