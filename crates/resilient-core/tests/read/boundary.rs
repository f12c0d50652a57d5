//! What may be read: regular files inside the roots, and nothing that waits.

use resilient_core::read::{
    CursorRequest, LinesRequest, ListRequest, NextRequest, SearchRequest, StatRequest, TailRequest,
    WindowRequest,
};
use resilient_core::scratch::PutRequest;
use resilient_core::{Envelope, Error};
use serde_json::json;

use crate::home::{Home, sha};
use crate::refused;

/// Every read of a path that must be refused gives the same answer.
#[track_caller]
fn refused_everywhere(home: &Home, path: &str) -> (String, serde_json::Value) {
    let ws = home.open();
    let reader = ws.reader();
    let found = refused(reader.stat(&StatRequest { path: path.into(), digest: Some(true) }));
    assert_eq!(refused(reader.window(&WindowRequest::of(path))), found);
    assert_eq!(refused(reader.lines(&LinesRequest::of(path))), found);
    assert_eq!(refused(reader.tail(&TailRequest::of(path))), found);
    // Its hint may name another way: a search takes a glob.
    let (kind, context) = refused(reader.search(&SearchRequest::of(path, "x")));
    assert_eq!((&kind, &context["reason"]), (&found.0, &found.1["reason"]));
    assert_eq!(refused(reader.make_cursor(&CursorRequest::of(path))), found);
    found
}

#[test]
fn nothing_outside_the_roots_is_read() {
    let home = Home::new();
    home.put("../outside.txt", "secret");
    home.put("../w2/outside.txt", "a neighbour whose name begins alike");
    home.put("d/inside.txt", "x");
    for path in
        ["../outside.txt", "d/../../outside.txt", &home.beside("outside.txt"), "../w2/outside.txt"]
    {
        let (kind, context) = refused_everywhere(&home, path);
        assert_eq!(kind, "permission_denied/outside_workspace/abort", "{path}");
        assert_eq!(context["path"], path);
        assert!(context["resolved"].as_str().unwrap().ends_with("outside.txt"));
        assert_eq!(context["workspaces"], json!([home.beside("w")]));
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_inside_and_refused_outside() {
    let home = Home::new();
    home.put("../outside.txt", "secret");
    home.put("inside.txt", "text");
    std::os::unix::fs::symlink("inside.txt", home.path("good")).unwrap();
    std::os::unix::fs::symlink("../outside.txt", home.path("bad")).unwrap();
    std::os::unix::fs::symlink("..", home.path("up")).unwrap();
    let ws = home.open();
    assert_eq!(ws.reader().window(&WindowRequest::of("good")).unwrap().content, "text");
    for path in ["bad", "up/outside.txt"] {
        let (kind, _) = refused_everywhere(&home, path);
        assert_eq!(kind, "permission_denied/outside_workspace/abort");
    }
}

#[test]
fn what_is_not_there_or_no_file_is_said_to_be_so() {
    let home = Home::new();
    home.put("d/a.txt", "x");
    for path in ["missing.txt", "d/missing.txt", "missing/a.txt", "d/a.txt/b"] {
        let (kind, context) = refused_everywhere(&home, path);
        assert_eq!((kind.as_str(), &context["path"]), ("not_found/missing/abort", &json!(path)));
    }
    for path in ["", "d", ".", "a\0b"] {
        let (kind, _) = refused_everywhere(&home, path);
        assert_eq!(kind, "invalid_input/not_file/abort", "{path:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn fifos_and_devices_are_refused_without_waiting() {
    let home = Home::new();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.path("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(home.path("socket")).unwrap();
    for path in ["fifo", "socket"] {
        let (kind, context) = refused_everywhere(&home, path);
        assert_eq!(kind, "invalid_input/not_file/abort");
        assert_eq!(context["is"], "a FIFO, socket or device");
    }
    // A device inside a root: the only one that every machine has is outside of any sane root.
    let ws = home.builder().roots(vec!["/dev".into()]).cwd("/dev").open();
    let (kind, _) = refused(ws.reader().window(&WindowRequest::of("zero")));
    assert_eq!(kind, "invalid_input/not_file/abort");
}

#[test]
fn a_relative_path_is_of_the_first_root_for_reads_as_for_writes() {
    let home = Home::new();
    home.put("../other/only_there.txt", "there");
    home.put("../other/both.txt", "there");
    home.put("both.txt", "here");
    let roots = vec![home.path("."), home.path("../other").canonicalize().unwrap()];
    let ws = home.builder().roots(roots).open();
    let text = |path: &str| ws.reader().window(&WindowRequest::of(path)).unwrap().content;
    assert_eq!(text("both.txt"), "here");
    let (kind, context) = refused(ws.reader().window(&WindowRequest::of("only_there.txt")));
    assert_eq!(kind, "not_found/missing/abort");
    assert_eq!(text(context["nearest_names"][0].as_str().unwrap()), "there");
    // What a list and a search answer leads to the file that they mean.
    let there = home.path("../other").canonicalize().unwrap().to_str().unwrap().to_owned();
    let listed = ws.reader().list(&ListRequest::of(&there)).unwrap();
    let texts: Vec<String> = listed.files.iter().map(|file| text(&file.path)).collect();
    assert_eq!(texts, ["there", "there"]);
    let below = SearchRequest { glob: Some("both*".into()), ..SearchRequest::of(&there, "there") };
    let found = ws.reader().search(&below).unwrap();
    assert_eq!(text(found.matches[0].path.as_ref().unwrap()), "there");
    let page = ListRequest { max_files: 1, ..ListRequest::of(&there) };
    let from_path = ws.reader().list(&page).unwrap().next_from_path;
    let rest = ws.reader().list(&ListRequest { from_path, ..ListRequest::of(&there) }).unwrap();
    assert_eq!(rest.files, listed.files[1..]);
}

#[test]
fn reading_changes_nothing() {
    let home = Home::new();
    home.put("a.txt", "x\n");
    let before = home.tree();
    let ws = home.open();
    let reader = ws.reader();
    reader.stat(&StatRequest { path: "a.txt".into(), digest: Some(true) }).unwrap();
    reader.tail(&TailRequest::of("a.txt")).unwrap();
    reader.search(&SearchRequest::of("a.txt", "x")).unwrap();
    assert_eq!(home.tree(), before);
    assert_eq!(home.names("."), ["a.txt"], "no state directory either");
}

#[test]
fn nothing_of_a_sealed_scratchpad_is_read_by_any_way() {
    let home = Home::new();
    let secret = "a secret in the scratchpad\n";
    home.open()
        .scratch()
        .put(PutRequest { content: secret.to_owned(), ..PutRequest::default() })
        .unwrap();
    let name = format!("{}.bin", sha(secret));
    let inside = format!(".resilient_write/scratch/{name}");
    home.put(".resilient_write/conflicts/kept.bin", secret);
    home.put(".resilient_write/tmp/s-1-1", secret);
    home.put(".Resilient_Write/SCRATCH/of-a-lenient-disk.bin", secret);
    home.put("sub/.resilient_write/scratch/of-another.bin", secret);
    let mut ways = vec![
        inside.clone(),
        home.abs(&inside),
        format!("sub/../{inside}"),
        ".resilient_write/scratch/index.jsonl".to_owned(),
        ".resilient_write/conflicts/kept.bin".to_owned(),
        ".resilient_write/tmp/s-1-1".to_owned(),
        ".Resilient_Write/SCRATCH/of-a-lenient-disk.bin".to_owned(),
        "sub/.resilient_write/scratch/of-another.bin".to_owned(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(home.path(&inside), home.path("link.txt")).unwrap();
        std::os::unix::fs::symlink(".resilient_write/scratch", home.path("dir")).unwrap();
        ways.extend(["link.txt".to_owned(), format!("dir/{name}")]);
    }
    let beside = home.builder().roots(vec![home.path(".resilient_write/scratch")]);
    ways.push(home.abs(&inside));
    for builder in [home.builder(), beside] {
        let ws = builder.seal_scratch(true).open();
        let reader = ws.reader();
        for path in &ways {
            let found = [
                reader.stat(&StatRequest { path: path.clone(), digest: Some(true) }).err(),
                reader.window(&WindowRequest::of(path)).err(),
                reader.lines(&LinesRequest::of(path)).err(),
                reader.tail(&TailRequest::of(path)).err(),
                reader.search(&SearchRequest::of(path, "x")).err(),
                reader.make_cursor(&CursorRequest::of(path)).err(),
                ws.read_handoff(path).err(),
            ];
            for refused in found {
                let refused = refused.unwrap_or_else(|| panic!("{path} was read"));
                let envelope = serde_json::to_value(Envelope::of_read(&refused)).unwrap();
                let reason = &envelope["context"]["reason"];
                // The other roots hold none of the other paths.
                let is_outside = reason == "escapes_workspace" || reason == "not_found";
                assert!(reason == "scratch_get_disabled" || is_outside, "{path}: {envelope}");
            }
        }
        for base in
            [".", "sub", ".resilient_write", ".resilient_write/scratch", "sub/.resilient_write"]
        {
            let request =
                SearchRequest { glob: Some("**".to_owned()), ..SearchRequest::of(base, "secret") };
            if let Ok(found) = reader.search(&request) {
                assert_eq!(serde_json::to_value(found).unwrap()["matches"], json!([]), "{base}");
            }
        }
    }
    // Unsealed, it is read; and so is the rest of a sealed state directory.
    assert_eq!(home.open().reader().window(&WindowRequest::of(&inside)).unwrap().content, secret);
    let sealed = home.builder().seal_scratch(true).open();
    sealed.reader().window(&WindowRequest::of(".resilient_write/journal.jsonl")).unwrap();
    // A cursor made before is refused, too.
    let cursor = home.open().reader().make_cursor(&CursorRequest::of(&inside)).unwrap();
    let token = serde_json::to_value(cursor).unwrap()["cursor"].as_str().unwrap().to_owned();
    let refused = sealed.reader().next(&NextRequest::of(&token));
    assert!(matches!(refused, Err(Error::ScratchGetDisabled)), "{refused:?}");
}
