//! A workspace, or the directory that holds the state, that is moved away under a running process, with another
//! one in its place: each call works in the directory that the path leads to now.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use resilient_core::disk::sim::{Calls, Model, Schedule, SimDisk};
use resilient_core::disk::{Access, DirRef, Disk as _, FixedClock, Replace};
use resilient_core::journal::Filter;
use resilient_core::read::{LinesRequest, SearchRequest, StatRequest, TailRequest, WindowRequest};
use resilient_core::{Envelope, Workspace};

use crate::workload::{Answer, Order, append, create, done, open, overwrite};

fn top(disk: &SimDisk) -> DirRef {
    disk.open_root(Path::new("/")).expect("the top")
}

/// Gives a directory another name, from outside of every process.
pub(crate) fn move_dir(disk: &SimDisk, from: &str, to: &str) {
    let (from, to) = (Path::new("/").join(from), Path::new("/").join(to));
    let parent =
        |path: &Path| disk.open_root(path.parent().expect("a parent")).expect("it is there");
    let name = |path: &Path| path.file_name().expect("a name").to_owned();
    parent(&from).rename(&name(&from), &*parent(&to), &name(&to), Replace::No).expect("a rename");
}

/// What a user does, or a program such as `git worktree`: the old one goes, another one comes.
fn replace_dir(disk: &SimDisk, name: &str) {
    move_dir(disk, name, &format!("{name}.bak"));
    disk.mkdir(name);
}

fn ids(disk: &SimDisk, dir: &str) -> Vec<String> {
    let journal = disk.read(&format!("{dir}/.resilient_write/journal.jsonl")).unwrap_or_default();
    let text = String::from_utf8(journal).expect("text");
    let rows =
        text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a row"));
    rows.map(|row| row["journal_id"].as_str().expect("an id").to_owned()).collect()
}

#[track_caller]
fn id(answer: Answer) -> String {
    match answer {
        Answer::Done(Some(id)) => id,
        other => panic!("{other:?}"),
    }
}

/// The files of the user's below a directory.
fn files(disk: &SimDisk, dir: &str) -> Vec<String> {
    let inside = format!("{dir}/");
    disk.tree()
        .into_keys()
        .filter_map(|path| path.strip_prefix(&inside).map(str::to_owned))
        .filter(|path| !path.starts_with(".resilient_write"))
        .collect()
}

#[track_caller]
fn reason<T: std::fmt::Debug>(result: resilient_core::Result<T>) -> String {
    let envelope = Envelope::from(&result.expect_err("a refusal"));
    envelope.context["reason"].as_str().expect("a reason").to_owned()
}

fn stat(path: &str) -> StatRequest {
    StatRequest { path: path.to_owned(), digest: Some(true) }
}

/// A disk with a workspace in which something was written by a process that goes on.
fn at_work() -> (SimDisk, Workspace) {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "d/a.txt", "old\n"));
    (disk, ws)
}

/// A process with these roots, the first of them for relative paths, and its state in another directory.
fn with_state(disk: &SimDisk, roots: &[&str], state: &str, seed: u64) -> Workspace {
    Workspace::builder(roots[0])
        .roots(roots.iter().map(PathBuf::from).collect())
        .state(format!("/{state}"))
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1, seed)))
        .open()
}

#[test]
fn a_write_goes_into_the_workspace_that_the_path_leads_to_now() {
    type Way = fn(&SimDisk);
    let moved: Way = |disk| replace_dir(disk, "w");
    let copied: Way = |disk| {
        replace_dir(disk, "w");
        disk.write_file("w/d/a.txt", b"other\n");
    };
    for way in [moved, copied] {
        for path in ["b.txt", "/w/b.txt", "d/b.txt", "e/f/b.txt", "d/../b.txt"] {
            let (disk, ws) = at_work();
            way(&disk);
            let id = id(create(&ws, path, "new\n"));
            assert_eq!(files(&disk, "w.bak"), ["d/a.txt"], "{path}");
            assert_eq!(ids(&disk, "w"), [id], "{path}");
            assert!(files(&disk, "w").iter().any(|file| file.ends_with("b.txt")), "{path}");
            assert_eq!(ids(&disk, "w.bak").len(), 1);
            assert!(disk.dirs().contains("w.bak/.resilient_write/tmp"));
        }
    }
}

#[test]
fn a_write_that_is_answered_survives_in_the_workspace_that_was_put_there() {
    type Write = fn(&Workspace) -> Answer;
    // The directory is the one that was written before. Its name in the new workspace is not durable.
    let moved_in = |disk: &SimDisk| {
        move_dir(disk, "w", "w.bak");
        disk.mkdir("w");
        move_dir(disk, "w.bak/d", "w/d");
    };
    // So is the state directory.
    let state_moved_in = |disk: &SimDisk| {
        moved_in(disk);
        move_dir(disk, "w.bak/.resilient_write", "w/.resilient_write");
    };
    let writes: [Write; 4] = [
        |ws| create(ws, "d/b.txt", "new\n"),
        |ws| overwrite(ws, "d/a.txt", "new\n"),
        |ws| append(ws, "d/a.txt", "new\n"),
        |ws| create(ws, "/w/d/e/b.txt", "new\n"),
    ];
    for (way, state) in
        [(&moved_in as &dyn Fn(&SimDisk), "w"), (&state_moved_in, "w"), (&moved_in, "s")]
    {
        for write in writes {
            let disk = SimDisk::new();
            disk.mkdir("w");
            disk.mkdir("s");
            let open = |disk: &SimDisk, seed| with_state(disk, &["/w"], state, seed);
            let ws = open(&disk, 1);
            done(create(&ws, "d/a.txt", "old\n"));
            way(&disk);
            let id = id(write(&ws));
            let contents = |disk: &SimDisk| -> Vec<_> {
                files(disk, "w").iter().map(|file| disk.read(&format!("w/{file}"))).collect()
            };
            for model in [Model::Strict, Model::Ordered] {
                let states = disk.crash_states(model, 200);
                for index in 0..states.len() {
                    let lost = states.get(index).expect("a state");
                    let told = states.describe(index);
                    open(&lost, 2).recover().expect("recovery");
                    assert!(ids(&lost, state).contains(&id), "{told}");
                    assert_eq!(contents(&lost), contents(&disk), "{told}");
                }
            }
        }
    }
}

#[test]
fn reads_are_of_the_workspace_that_the_path_leads_to_now() {
    let (disk, ws) = at_work();
    let reader = ws.reader();
    assert!(reader.stat(&stat("d/a.txt")).is_ok());
    replace_dir(&disk, "w");
    assert_eq!(reason(reader.stat(&stat("d/a.txt"))), "not_found");
    assert_eq!(reason(reader.stat(&stat("/w/d/a.txt"))), "not_found");
    assert!(ws.journal_tail(9, &Filter::default()).expect("the tail").entries.is_empty());
    disk.write_file("w/d/a.txt", b"other\n");
    for path in ["d/a.txt", "/w/d/a.txt", "d/../d/a.txt"] {
        assert_eq!(reader.window(&WindowRequest::of(path)).expect("a window").content, "other\n");
        assert_eq!(reader.lines(&LinesRequest::of(path)).expect("lines").content, "1|other");
        assert_eq!(reader.tail(&TailRequest::of(path)).expect("the tail").content, "1|other");
        assert_eq!(reader.stat(&stat(path)).expect("facts").size, 6);
    }
    let request = SearchRequest { glob: Some("**".to_owned()), ..SearchRequest::of("d", "other") };
    let found = reader.search(&request).expect("a search");
    assert_eq!(found.matches.len(), 1, "{found:?}");
}

#[test]
fn of_several_workspaces_only_the_one_that_was_replaced_is_entered_anew() {
    let disk = SimDisk::new();
    for dir in ["w", "v", "s"] {
        disk.mkdir(dir);
    }
    let ws = with_state(&disk, &["/w", "/v"], "s", 1);
    let path = |n: usize| (format!("/w/{n}.txt"), format!("/v/{n}.txt"));
    let write = |n: usize| {
        let (w, v) = path(n);
        done(create(&ws, &w, "x"));
        done(create(&ws, &v, "x"));
    };
    write(0);
    replace_dir(&disk, "v");
    write(1);
    // The directory that holds the state.
    replace_dir(&disk, "s");
    write(2);
    assert_eq!(files(&disk, "w"), ["0.txt", "1.txt", "2.txt"]);
    assert_eq!(files(&disk, "v.bak"), ["0.txt"]);
    assert_eq!(files(&disk, "v"), ["1.txt", "2.txt"]);
    assert_eq!((ids(&disk, "s.bak").len(), ids(&disk, "s").len()), (4, 2));
    // One that is gone stops no other one.
    move_dir(&disk, "v", "v.2");
    done(create(&ws, "/w/3.txt", "x"));
    let gone = ws.reader().stat(&stat("/v/2.txt"));
    assert_eq!(reason(gone), "workspace_gone");
    let Answer::Refused(refused) = create(&ws, "/v/3.txt", "x") else { panic!("a refusal") };
    assert!(refused.to_string().contains("not there"), "{refused}");
    move_dir(&disk, "v.2", "v");
    done(create(&ws, "/v/3.txt", "x"));
    assert_eq!(ids(&disk, "s").len(), 4);
}

#[test]
fn a_workspace_that_was_removed_is_refused_until_it_is_made_again() {
    let (disk, ws) = at_work();
    move_dir(&disk, "w", "w.bak");
    let before = (files(&disk, "w.bak"), ids(&disk, "w.bak"));
    for path in ["b.txt", "/w/b.txt", "d/b.txt", "n/b.txt", "x/../b.txt"] {
        assert!(!matches!(create(&ws, path, "x"), Answer::Done(_)), "{path}");
        assert_eq!(reason(ws.reader().stat(&stat(path))), "workspace_gone", "{path}");
    }
    assert_eq!(reason(ws.journal_tail(9, &Filter::default())), "workspace_gone");
    assert_eq!((files(&disk, "w.bak"), ids(&disk, "w.bak")), before);
    assert!(!disk.dirs().contains("w"));
    // `git worktree add` makes it again.
    disk.mkdir("w");
    done(create(&ws, "b.txt", "x"));
    assert_eq!(files(&disk, "w"), ["b.txt"]);
}

#[test]
fn a_link_in_the_place_of_a_workspace_leads_nobody_out_of_it() {
    let (disk, ws) = at_work();
    move_dir(&disk, "w", "w.bak");
    disk.mkdir("elsewhere");
    disk.symlink("w", "/elsewhere");
    for path in ["b.txt", "/w/b.txt", "n/b.txt", "x/../b.txt"] {
        let Answer::Refused(refused) = create(&ws, path, "x") else { panic!("a refusal") };
        assert!(refused.to_string().contains("link"), "{refused}");
        assert_eq!(reason(ws.reader().stat(&stat(path))), "workspace_gone", "{path}");
    }
    assert!(files(&disk, "elsewhere").is_empty());
    // A link to the same directory changes nothing.
    disk.unlink("w");
    disk.symlink("w", "/w.bak");
    for path in ["b.txt", "/w/c.txt", "n/b.txt", "x/../d.txt"] {
        done(create(&ws, path, "x"));
    }
    assert_eq!(files(&disk, "w.bak"), ["b.txt", "c.txt", "d.txt", "d/a.txt", "n/b.txt"]);
}

/// Replaces the workspace at every call on the disk that a write makes.
#[test]
fn a_write_that_meets_the_replacement_is_whole_in_one_of_the_two_workspaces() {
    for path in ["b.txt", "d/b.txt", "n/b.txt"] {
        let (mut in_old, mut in_new) = (0, 0);
        for before in 0.. {
            let (disk, old) = at_work();
            drop(old);
            let schedule = Schedule::new(std::iter::repeat_n(0, before).chain([1; 5]));
            let (writer, user) = (schedule.process(&disk), schedule.process(&disk));
            let ws = open(&writer, 5, Order::Forwards);
            done(create(&ws, "d/warm.txt", "x"));
            let write: Calls<'_, Option<Answer>> = Box::new(|| Some(create(&ws, path, "new\n")));
            let replace: Calls<'_, Option<Answer>> = Box::new(|| {
                let top = top(&user);
                let (w, bak) = (OsStr::new("w"), OsStr::new("w.bak"));
                top.rename(w, &*top, bak, Replace::No).expect("a rename");
                top.create_dir(w, Access::Default).expect("a directory");
                None
            });
            let mut answers = schedule.run(vec![write, replace]);
            let answer = answers.swap_remove(0).expect("an answer");
            let at = ["w.bak", "w"].map(|dir| disk.read(&format!("{dir}/{path}")).is_some());
            match answer {
                Answer::Done(Some(id)) => {
                    let rows = ["w.bak", "w"].map(|dir| ids(&disk, dir).contains(&id));
                    assert_eq!(at, rows, "{path}, after {before} calls: {:?}", disk.trace());
                    assert_eq!(at.iter().filter(|here| **here).count(), 1);
                    in_old += usize::from(at[0]);
                    in_new += usize::from(at[1]);
                }
                // The path led nowhere in between.
                Answer::Refused(refused) => {
                    assert!(refused.to_string().contains("not there"), "{refused}");
                    assert_eq!(at, [false, false], "{path}, after {before} calls");
                }
                other => panic!("{other:?}"),
            }
            if before as u64 > schedule.calls() {
                break;
            }
        }
        assert!(in_old > 0 && in_new > 0, "{path}: {in_old} and {in_new}");
    }
}
