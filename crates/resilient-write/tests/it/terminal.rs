//! The real binary on a terminal, and what it does otherwise where none is.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::sandbox::{BINARY, READER, Sandbox};

/// A program whose standard input, output and error are a terminal.
struct Terminal {
    keyboard_and_screen: File,
    child: Child,
}

impl Terminal {
    fn start(sandbox: &Sandbox, program: &str, args: &[&str]) -> Self {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&own).unwrap();
        unlockpt(&own).unwrap();
        let name = ptsname(&own, Vec::new()).unwrap().into_string().unwrap();
        let flags = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
        let end = || {
            let opened = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&name);
            Stdio::from(opened.unwrap())
        };
        let mut command = sandbox.command(program, &sandbox.root());
        command.env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(end());
        let child = command.args(args).spawn().unwrap();
        Self { keyboard_and_screen: own.into(), child }
    }

    /// Types something.
    fn types(&mut self, keys: &str) {
        self.keyboard_and_screen.write_all(keys.as_bytes()).unwrap();
    }

    /// All that the program has shown when it has ended, and its exit status.
    fn ends(mut self) -> (String, i32) {
        let (mut shown, mut block) = (Vec::new(), [0; 4096]);
        // When nobody has the terminal open, a read fails.
        while let Ok(count @ 1..) = self.keyboard_and_screen.read(&mut block) {
            shown.extend_from_slice(&block[..count]);
        }
        let status = self.child.wait().unwrap();
        (String::from_utf8(shown).unwrap(), status.code().unwrap())
    }
}

fn on_terminal(sandbox: &Sandbox, args: &[&str]) -> String {
    Terminal::start(sandbox, BINARY, args).ends().0
}

const HOSTILE: &str = "a\u{1b}[31mred\u{202e}\u{9b}2J\n";

#[test]
fn what_a_terminal_would_obey_is_escaped_there_and_nowhere_else() {
    let sandbox = Sandbox::new().with("NO_COLOR", "1");
    let path = "n\u{1b}]0;x\u{7}.txt";
    sandbox.run(&["write", path, "--content", HOSTILE]).ok();
    let missing = "no\u{1b}[2Jne\u{202e}.txt";
    for args in [
        &["read", path][..],
        &["tail", path],
        &["search", "red", path],
        &["search", "red", path, "--json"],
        &["list"],
        &["stat", path],
        &["journal", "tail"],
        &["journal", "tail", "--json"],
        &["read", missing],
        &["write", missing, "--mode", "overwrite", "--content", "x"],
        &["validate", path],
    ] {
        // A search clears the line that told how far it is.
        let shown = on_terminal(&sandbox, args).replace("\u{1b}[2K", "");
        let is_obeyed =
            |c: char| c.is_control() && !"\r\n\t".contains(c) || "\u{202e}\u{9b}".contains(c);
        assert!(!shown.contains(is_obeyed), "{args:?}: {shown:?}");
        assert!(!shown.trim().is_empty(), "{args:?}");
    }
    assert!(on_terminal(&sandbox, &["read", path]).contains("a\\u{1b}[31mred\\u{202e}\\u{9b}2J"));
    assert_eq!(sandbox.run(&["read", path]).ok().stdout, format!("1|{HOSTILE}"));
    let escaped = sandbox.run(&["read", path, "--escape"]).ok().stdout;
    assert!(escaped.starts_with("1|a\\u{1b}[31m"), "{escaped}");
}

#[test]
fn what_the_parser_repeats_of_the_command_line_is_escaped_on_a_terminal() {
    let hostile = "w\u{1b}[2Jr\u{7}\u{9b}31m\u{202e}";
    for (sandbox, clears) in [(Sandbox::new(), true), (Sandbox::new().with("NO_COLOR", "1"), false)]
    {
        for (program, args) in [
            (BINARY, vec![hostile]),
            (BINARY, vec!["write", "a", "--mode", hostile]),
            (BINARY, vec!["read", "a", hostile]),
            (BINARY, vec!["read", "a", "--max-lines", hostile]),
            (READER, vec![hostile]),
        ] {
            let (shown, code) = Terminal::start(&sandbox, program, &args).ends();
            assert_eq!(code, 2, "{shown:?}");
            for obeyed in ["\u{1b}[2J", "\u{7}", "\u{9b}", "\u{202e}"] {
                assert!(!shown.contains(obeyed), "{args:?}: {shown:?}");
            }
            assert!(shown.contains("w\\u{1b}[2Jr\\u{7}\\u{9b}31m\\u{202e}"), "{shown:?}");
            // Its own colours stay.
            assert_eq!(shown.contains('\u{1b}'), clears, "{shown:?}");
        }
    }
    let ran = Sandbox::new().run(&["--escape", "read", "a", "c\u{7}"]);
    assert!(ran.code == 2 && ran.stderr.contains("c\\u{7}"), "{ran:?}");
}

#[test]
fn colours_are_for_terminals_whose_users_want_them() {
    let failing = ["read", "none.txt"];
    let sandbox = Sandbox::new();
    assert!(on_terminal(&sandbox, &failing).starts_with("\u{1b}[1;31mresilient-write\u{1b}[0m: "));
    assert!(on_terminal(&sandbox, &["--help"]).contains('\u{1b}'));
    assert!(!sandbox.run(&failing).complaint().contains('\u{1b}'));
    assert!(!sandbox.run(&["--help"]).ok().stdout.contains('\u{1b}'));
    let plain = Sandbox::new().with("NO_COLOR", "1");
    for args in [&failing[..], &["--help"], &["fly"]] {
        assert!(!on_terminal(&plain, args).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn a_server_on_a_terminal_says_what_it_waits_for() {
    let sandbox = Sandbox::new();
    for (program, args) in
        [(BINARY, &[][..]), (BINARY, &["serve"]), (READER, &[]), (READER, &["serve"])]
    {
        let mut terminal = Terminal::start(&sandbox, program, args);
        // Control-D: there is no more.
        terminal.types("\u{4}");
        let (shown, code) = terminal.ends();
        assert!(shown.contains("waiting for an MCP client on standard input"), "{shown}");
        assert_eq!(code, 0, "{shown}");
    }
    let (rest, code) = sandbox.serve(&[]).hang_up();
    assert_eq!((rest, code), (Vec::new(), 0));
}

#[test]
fn joining_parts_is_told_on_a_terminal_alone() {
    let sandbox = Sandbox::new();
    sandbox.run_with(&["chunk", "append", "s"], "one\n").ok();
    let compose = ["chunk", "compose", "s", "out.txt"];
    assert!(on_terminal(&sandbox, &compose).contains("joining the parts, "));
    let ran = sandbox.run(&compose);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}
