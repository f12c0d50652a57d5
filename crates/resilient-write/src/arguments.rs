//! The command line as its parser reads it, and what the parser says of one that is wrong.
//!
//! The parser repeats arguments in what it says. An argument may hold what a terminal would obey, so it is escaped
//! there, as everywhere on a terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, Parser};

use crate::output::{Unwritten, one_line};

/// Reads the command line of this process; where it is wrong, or asks for help, says so and gives the exit status.
pub(crate) fn parsed<C: Parser>(program: &'static str) -> Result<C, ExitCode> {
    let given: Vec<OsString> = std::env::args_os().collect();
    C::try_parse_from(&given).map_err(|fault| {
        let is_escaped = io::stderr().is_terminal() || given.iter().any(|it| it == "--escape");
        // The parser colours what it says: only its input can be separated from that.
        let shown =
            if is_escaped { C::try_parse_from(given.iter().map(harmless)).err() } else { None };
        let mut shown = shown.unwrap_or(fault);
        tell_command(&mut shown, &C::command(), &given);
        tell_more(&mut shown, &called(C::command(), &given));
        said(program, &shown)
    })
}

/// The command that the arguments name.
fn called(mut command: Command, given: &[OsString]) -> Command {
    for word in given.iter().skip(1) {
        if let Some(found) = command.find_subcommand(word) {
            command = found.clone();
        }
    }
    command
}

/// Words for commands that have another name here, or that there is no command for, and what to do.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["edit", "sed", "patch", "apply", "str_replace", "str-replace"], "use 'replace'"),
    (&["grep", "rg", "query"], "use 'search'"),
    (&["find"], "use 'list --glob' for files by their names, or 'search' for lines in files"),
    (&["cat", "head", "less", "more", "open", "show", "view", "print"], "use 'read'"),
    (&["ls", "dir", "tree", "glob", "files"], "use 'list'"),
    (&["append", "add"], "use 'write --mode append'"),
    (&["create", "save", "put", "new", "touch"], "use 'write'"),
    (&["log", "history", "status"], "use 'journal tail'"),
    (&["lint", "check"], "use 'validate'"),
    (&["scan"], "use 'risk'"),
    (&["version"], "use '--version'"),
    (
        &["doctor", "fix", "repair", "fsck"],
        "use 'recover' to finish what a crash interrupted, and 'policy check' to check the policy",
    ),
    (
        &["undo", "revert", "restore", "rollback"],
        "take the older text from git: no command takes a write back, and no old text is kept",
    ),
    (
        &["delete", "remove", "rm", "rename", "move", "mv", "copy", "cp", "diff", "chmod"],
        "use the shell: no command here does it",
    ),
    (&["mkdir"], "use 'write': it makes the directories that a path needs"),
];

/// The same for commands that stand behind another one.
const BEHIND: &[(&str, &[&str], &str)] = &[
    (
        "checkpoint",
        &["delete", "remove", "rm"],
        "no command removes one checkpoint: 'checkpoint cleanup' removes all that have expired, and all with the \
         ttl session unless '--keep-session' is given",
    ),
    ("checkpoint", &["get", "load", "restore", "show"], "use 'checkpoint read'"),
    ("checkpoint", &["create", "put", "write"], "use 'checkpoint save'"),
    ("chunk", &["clear"], "use 'chunk reset'"),
    (
        "chunk",
        &["delete", "remove", "rm"],
        "no command removes one part: 'chunk write' with an empty text empties it, and 'chunk reset' removes all parts \
         of a session",
    ),
    ("chunk", &["list", "ls", "show"], "use 'chunk status'"),
    ("chunk", &["add", "put"], "use 'chunk append'"),
    ("scratch", &["cat", "read", "show"], "use 'scratch get'"),
    ("scratch", &["add", "save", "write"], "use 'scratch put'"),
    ("scratch", &["ls"], "use 'scratch list'"),
    ("journal", &["list", "log", "show"], "use 'journal tail'"),
];

/// For a command that there is not, names what does its work, before the parser guesses by likeness.
fn tell_command(fault: &mut Error, top: &Command, given: &[OsString]) {
    let Some(ContextValue::String(word)) = fault.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let before = given.iter().position(|it| it == word.as_str()).unwrap_or_default();
    let outer = called(top.clone(), given.get(..before).unwrap_or_default());
    let says = |words: &[&str]| words.contains(&word.as_str());
    let tip = match outer.get_name() == top.get_name() {
        true => COMMANDS.iter().find(|(words, _)| says(words)).map(|(_, tip)| *tip),
        false => {
            let mut behind = BEHIND.iter().filter(|(command, ..)| *command == outer.get_name());
            behind.find(|(_, words, _)| says(words)).map(|(.., tip)| *tip)
        }
    };
    let names = |tip: &str| {
        let quoted = tip.split('\'').nth(1).and_then(|named| named.split(' ').next());
        quoted.is_none_or(|named| named.starts_with('-') || top.find_subcommand(named).is_some())
    };
    if let Some(tip) = tip.filter(|tip| names(tip)) {
        fault.remove(ContextKind::SuggestedSubcommand);
        tell(fault, tip);
    }
}

/// Puts a tip in the place of the parser's own.
fn tell(fault: &mut Error, tip: &'static str) {
    let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
    fault.insert(ContextKind::Suggested, tip);
}

/// The one option of a command of whose name a word is a part: `--lines` is `--max-lines`.
fn longer_name(command: &Command, word: &str) -> Option<String> {
    let has = |name: &&str| name.split('-').any(|part| part == word);
    let shown = command.get_arguments().filter(|it| !it.is_hide_set());
    let mut names = shown.filter_map(clap::Arg::get_long).filter(has);
    names.next().filter(|_| names.next().is_none()).map(|name| format!("--{name}"))
}

/// What to use in place of an option of other programs, behind which command.
const OPTIONS: &[(&str, &[&str], &str)] = &[
    ("write", &["force", "overwrite", "replace"], "use '--mode overwrite' to replace a file"),
    ("write", &["append"], "use '--mode append' to add at the end of a file"),
    ("replace", &["all", "global", "replace-all"], "use '--count -1' to replace all places"),
    ("redact", &["in-place", "inplace"], "use '--write-to' with the same path, and '--keep'"),
    ("redact", &["output", "o", "out"], "use '--write-to'"),
    (
        "write",
        &["reject-at", "classify-reject-at"],
        "use '--classify=low', '--classify=medium' or '--classify=high'",
    ),
    ("search", &["ignore-case"], "a search ignores case; use '--case-sensitive' to mind it"),
    ("read", &["offset"], "use '--start-line'"),
];

/// Says of an unknown option what there is in its place. The parser's own advice is left out where it leads nowhere: to
/// pass the option as a value, except of what is searched for, and an option that takes a guard away.
fn tell_of_option(fault: &mut Error, command: &Command) {
    let Some(ContextValue::String(unknown)) = fault.get(ContextKind::InvalidArg) else { return };
    let word = unknown.trim_start_matches('-').to_owned();
    let mut known = OPTIONS.iter().filter(|(of, ..)| *of == command.get_name());
    if let Some((.., tip)) = known.find(|(_, words, _)| words.contains(&word.as_str())) {
        fault.remove(ContextKind::SuggestedArg);
        tell(fault, tip);
        return;
    }
    let takes_guard = matches!(
        fault.get(ContextKind::SuggestedArg),
        Some(ContextValue::String(named)) if named.starts_with("--allow")
    );
    if takes_guard && !word.starts_with("allow") {
        fault.remove(ContextKind::SuggestedArg);
    }
    if command.get_name() != "search" {
        fault.remove(ContextKind::Suggested);
    }
}

/// Names what the help has, where the parser would name an option that it hides, a file alone, or no option.
fn tell_more(fault: &mut Error, command: &Command) {
    if fault.kind() == ErrorKind::UnknownArgument {
        tell_of_option(fault, command);
    }
    let unknown = match (fault.get(ContextKind::InvalidArg), fault.get(ContextKind::SuggestedArg)) {
        (Some(ContextValue::String(unknown)), None) => unknown.strip_prefix("--"),
        _ => None,
    };
    if let Some(longer) = unknown.and_then(|word| longer_name(command, word)) {
        fault.remove(ContextKind::Suggested);
        fault.insert(ContextKind::SuggestedArg, ContextValue::String(longer));
    }
    let named = match fault.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(named)) => named.strip_prefix("--").map(str::to_owned),
        _ => None,
    };
    let shown = command.get_arguments().find_map(|argument| {
        let hidden = argument.get_all_aliases()?;
        hidden.contains(&named.as_deref()?).then(|| argument.get_long()).flatten()
    });
    if let Some(shown) = shown {
        fault.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{shown}")));
    }
    let lacks_file = match fault.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.iter().any(|it| it.starts_with("<FILE>")),
        _ => false,
    };
    let takes_content = command.get_arguments().any(|it| it.get_long() == Some("content"));
    if fault.kind() == ErrorKind::MissingRequiredArgument && lacks_file && takes_content {
        tell(fault, "pass - as FILE for standard input, or the text as '--content'");
    }
}

fn harmless(argument: &OsString) -> OsString {
    one_line(&argument.to_string_lossy()).into()
}

fn said(program: &str, fault: &Error) -> ExitCode {
    match fault.print() {
        // Help has an answer's place.
        Err(source) if !fault.use_stderr() && source.kind() != io::ErrorKind::BrokenPipe => {
            Unwritten(source).complain(program)
        }
        _ => ExitCode::from(u8::try_from(fault.exit_code()).unwrap_or(2)),
    }
}
