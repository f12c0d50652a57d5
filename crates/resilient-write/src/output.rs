//! What the commands say: answers on standard output, failures where their reader looks.
//!
//! With `--json`, success and failure are one line on standard output, the same value that the MCP
//! tool answers. Without it a success is text for people, and a failure goes to standard error:
//! what happened, what to do next, and the facts. Nothing else in this crate prints.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use resilient_core::envelope::ErrorKind;
use resilient_core::error::Draft;
use resilient_core::hint::{hint, is_removable, with_placeholders};
use resilient_core::recovery::Notice;
use resilient_core::risk;
use resilient_core::{Envelope, Error};
use resilient_http::Tell;
use serde::Serialize;
use serde_json::Value;

use crate::log;
use crate::words::in_our_words;

/// Facts that are said elsewhere in a failure, or only repeat the command line.
const UNSAID: [&str; 5] = ["tool", "hint", "old_string", "detected", "suggested_actions"];
/// A longer fact is cut: the reader sits at a terminal.
const FACT_LEN: usize = 200;

/// What of an answer did not get onto standard output.
///
/// An exit status of its own: the statuses of answers would tell something else about the call.
#[derive(Debug)]
pub(crate) struct Unwritten(pub(crate) io::Error);

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "standard output cannot be written: {}", self.0)
    }
}

impl std::error::Error for Unwritten {}

impl Unwritten {
    const STATUS: u8 = 9;

    pub(crate) fn complain(&self, program: &str) -> ExitCode {
        complain(&said_by(program, &self.to_string()));
        ExitCode::from(Self::STATUS)
    }
}

/// Where a command's answer goes.
#[derive(Debug)]
pub(crate) struct Output {
    program: &'static str,
    json: bool,
    /// Whether control and bidirectional characters are escaped, also where no terminal reads.
    escape: bool,
}

impl Output {
    pub(crate) fn new(program: &'static str, json: bool, escape: bool) -> Self {
        Self { program, json, escape }
    }

    /// Tells the user who started the program one line, from any thread.
    pub(crate) fn teller(&self) -> Tell {
        let program = self.program;
        Arc::new(move |line| complain(&format!("{program}: {}\n", one_line(line))))
    }

    /// On a terminal, says what the server waits for: nobody there speaks its language.
    pub(crate) fn waiting(&self) {
        if io::stdin().is_terminal() {
            let program = self.program;
            complain(&format!(
                "{program}: waiting for an MCP client on standard input; \
                 `{program} --help` lists the commands\n"
            ));
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Says what the library answered to the tool of this name; `human` words a success.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn answer<T: Serialize>(
        &self,
        tool: &str,
        result: resilient_core::Result<T>,
        human: impl FnOnce(&T) -> String,
    ) -> Result<ExitCode> {
        match result {
            Ok(success) => {
                let printed = if self.json {
                    self.line(&with_notices(with_ok(serde_json::to_value(&success)?)))
                } else {
                    self.print(human(&success).as_bytes())
                };
                printed.context("the command is done, but its answer is lost")?;
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => self.failure(&error.to_string(), &envelope(&error, tool)?),
        }
    }

    /// Says that something was not done: what happened, and the envelope.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn failure(&self, message: &str, envelope: &Value) -> Result<ExitCode> {
        if self.json {
            let mut envelope = envelope.clone();
            if let Some(context) = envelope.get_mut("context") {
                *context = with_notices(context.take());
            }
            self.line(&envelope)?;
        } else {
            self.complain(&told(self.program, message, envelope));
        }
        Ok(status(envelope))
    }

    /// Prints a value as one line of JSON, its keys sorted.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn line(&self, value: &Value) -> Result<()> {
        let mut value = value.clone();
        value.sort_all_objects();
        let line = format!("{value}\n");
        if self.escapes(&io::stdout()) {
            return print(escaped(&line, json_escape).as_bytes());
        }
        print(line.as_bytes())
    }

    /// Prints bytes as they are; what a terminal would obey is escaped there.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<()> {
        self.print(bytes)
    }

    fn escapes(&self, stream: &impl IsTerminal) -> bool {
        self.escape || stream.is_terminal()
    }

    fn print(&self, bytes: &[u8]) -> Result<()> {
        if !self.escapes(&io::stdout()) {
            return print(bytes);
        }
        let mut text = String::new();
        for chunk in bytes.utf8_chunks() {
            text += &escaped(chunk.valid(), text_escape);
            for byte in chunk.invalid() {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        print(text.as_bytes())
    }

    /// Says what went wrong; on a terminal the program's name is in colour.
    fn complain(&self, text: &str) {
        let is_terminal = io::stderr().is_terminal();
        let text =
            if self.escapes(&io::stderr()) { escaped(text, text_escape) } else { text.into() };
        let has_colours = is_terminal && wants_colours();
        match text.strip_prefix(self.program).filter(|_| has_colours) {
            Some(rest) => complain(&format!("\x1b[1;31m{}\x1b[0m{rest}", self.program)),
            None => complain(&text),
        }
    }

    /// Tells how far a long command is: on standard output, which `--json` keeps for the result.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn progress(&self, line: &str) -> Result<()> {
        if self.json {
            self.complain(&format!("{line}\n"));
            return Ok(());
        }
        self.print(format!("{line}\n").as_bytes())
    }

    /// Tells people something beside the result, which has standard output for itself.
    pub(crate) fn note(&self, text: &str) {
        if !self.json && !text.is_empty() {
            self.complain(text);
        }
    }

    /// Says what is wrong with the command line, where its parser could not know.
    pub(crate) fn misuse(&self, message: &str) -> ExitCode {
        self.complain(&format!("{}: {message}\n", self.program));
        ExitCode::from(2)
    }

    /// Tells on standard error of a fault that does not end the process.
    pub(crate) fn warn(&self, fault: &Error) {
        let mut envelope = envelope(fault, self.program).unwrap_or_default();
        // A server writes all the same what a command refuses to.
        if matches!(fault, Error::Policy { .. } | Error::PolicyNotFound { .. })
            && let Some(told) = envelope.pointer_mut("/context/hint")
        {
            *told = hint(fault).into();
        }
        self.complain(&told(self.program, &fault.to_string(), &envelope));
    }

    /// Says what kept a command from being run at all.
    pub(crate) fn fault(&self, error: &anyhow::Error) -> ExitCode {
        if let Some(fault) = error.downcast_ref::<Error>()
            && let Ok(envelope) = envelope(fault, self.program)
            && let Ok(code) = self.failure(&in_context(error, fault), &envelope)
        {
            return code;
        }
        let text = format!("{error:#}");
        self.complain(&said_by(self.program, &text));
        match error.downcast_ref::<Unwritten>() {
            Some(_) => ExitCode::from(Unwritten::STATUS),
            None => ExitCode::FAILURE,
        }
    }

    /// Says what kept the server from starting. Exit status 1 says that to the program that starts
    /// it.
    pub(crate) fn no_server(&self, error: &anyhow::Error) -> ExitCode {
        let _ = self.fault(error);
        ExitCode::FAILURE
    }
}

/// A heading and, below it, names and values in two columns.
pub(crate) fn card(heading: &str, rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    rows.iter().fold(format!("{heading}\n"), |mut text, (name, value)| {
        let _ = writeln!(text, "  {name:width$}  {value}");
        text
    })
}

/// The success object as MCP gives it.
fn with_ok(mut success: Value) -> Value {
    if let Value::Object(fields) = &mut success {
        fields.insert("ok".to_owned(), Value::Bool(true));
    }
    success
}

/// An object with what recovery did before the call, as MCP gives it.
fn with_notices(mut object: Value) -> Value {
    let told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Value::Object(fields) = &mut object
        && !told.is_empty()
        && let Ok(notices) = serde_json::to_value(&*told)
    {
        fields.entry("notices").or_insert(notices);
    }
    object
}

/// What was to be done, where that is known, and what kept it from being done; each cause once.
fn in_context(error: &anyhow::Error, fault: &Error) -> String {
    let (around, fault) = (error.to_string(), fault.to_string());
    if around == fault { fault } else { format!("{around}: {fault}") }
}

/// The exit status of an error that is told in another way.
///
/// # Errors
/// The envelope is no JSON.
pub(crate) fn status_of(error: &Error, tool: &str) -> Result<ExitCode> {
    Ok(status(&envelope(error, tool)?))
}

/// The exit status of a failure: a table that `--help` and `docs/cli.md` have, too.
///
/// One situation has one status, whatever the command. So the status does not depend on the words that the tools
/// that read have for what the others call `policy_violation`.
fn status(envelope: &Value) -> ExitCode {
    let reason = envelope.pointer("/context/reason").and_then(Value::as_str);
    if reason.is_some_and(|reason| REASONS_OF_NONE.contains(&reason)) {
        return none();
    }
    let code = match envelope.get("error").and_then(Value::as_str).unwrap_or_default() {
        "stale_precondition" => 3,
        "blocked" => 4,
        "quota_exceeded" => 5,
        "policy_violation" | "permission_denied" | "invalid_input" => 6,
        "write_corruption" => 7,
        "not_found" => return none(),
        _ => 1,
    };
    ExitCode::from(code)
}

/// The reasons of tools that write or keep state, if what a call names is not there.
const REASONS_OF_NONE: [&str; 6] = [
    "checkpoint_not_found",
    "file_not_found",
    "no_chunks_found",
    "not_found",
    "removed",
    "session_not_found",
];

/// The exit status of a command that names what is not there.
pub(crate) fn none() -> ExitCode {
    ExitCode::from(8)
}

/// The text with the characters that a terminal would obey, or that turn a line around, written by number.
fn escaped(text: &str, escape: fn(&mut String, char)) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        let is_meant = matches!(character, '\n' | '\t');
        if !is_meant && is_unsafe(character) {
            escape(&mut safe, character);
        } else {
            safe.push(character);
        }
    }
    safe
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        )
}

fn text_escape(text: &mut String, character: char) {
    let _ = write!(text, "{}", character.escape_unicode());
}

/// All of them are in the basic plane.
fn json_escape(text: &mut String, character: char) {
    let _ = write!(text, "\\u{:04x}", u32::from(character));
}

/// How many there are of something: `1 line`, `2 lines`.
pub(crate) fn count(number: impl std::fmt::Display, one: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {one}{plural}")
}

/// A text as part of one line, whatever is in it: a path may have anything.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, character| {
        if is_unsafe(character) {
            text_escape(&mut line, character);
        } else {
            line.push(character);
        }
        line
    })
}

/// The envelope as MCP gives it: it names the tool. Its hint names commands and options.
fn envelope(error: &Error, tool: &str) -> Result<Value> {
    let is_read = tool.starts_with("rr");
    let mut envelope = if is_read { Envelope::of_read(error) } else { Envelope::from(error) };
    envelope.context.entry("tool").or_insert_with(|| tool.into());
    let fact = |name| envelope.context.get(name).and_then(Value::as_str);
    // What is refused for its size or shape alone has nothing to take out.
    let is_too_large = matches!(
        error, Error::Blocked { report, .. } if !is_removable(report) && !report.begins_before()
    );
    let of_draft = match (envelope.error, fact("draft_sha256"), fact("session")) {
        _ if is_too_large => None,
        (ErrorKind::Blocked, Some(sha256), _) if begins_before(error) => Some(format!(
            "append it with `resilient-write redact --draft-sha256 {sha256} --write-to PATH --mode append`, which takes out \
             what goes on with the end of the file, too"
        )),
        // The draft is no file: it would replace the rest of one.
        (ErrorKind::Blocked, Some(sha256), _) if is_part(error) => Some(format!(
            "make this call again without the detected strings; `resilient-write redact --draft-sha256 {sha256}` prints \
             the refused text without them, which is no whole file"
        )),
        (ErrorKind::Blocked, Some(sha256), _) => {
            let chosen: String = with_placeholders(error)
                .iter()
                .flatten()
                .map(|it| format!(" --redact {it}"))
                .collect();
            let redact = format!("resilient-write redact --draft-sha256 {sha256}{chosen}");
            Some(if let Some(command) = adding(tool) {
                format!(
                    "add the refused part without the detected strings: `{redact} | resilient-write {command}`"
                )
            } else {
                format!(
                    "write the refused text without the detected strings with `{redact} --write-to PATH` and the same \
                     `--mode`"
                )
            })
        }
        (ErrorKind::Blocked, None, Some(session)) => Some(format!(
            "take the detected strings out of the joined parts with `resilient-write redact \
             --session {session} --write-to PATH`"
        )),
        _ => None,
    };
    let ours = of_draft.or_else(|| ours(error));
    if let Some(Value::String(hint)) = envelope.context.get_mut("hint") {
        *hint = ours.unwrap_or_else(|| in_our_words(hint));
    }
    if let Some(Value::Array(valid)) = envelope.context.get_mut("valid") {
        // Only a tool gives bytes.
        valid.retain(|name| name != "base64 for bytes");
    }
    Ok(serde_json::to_value(envelope)?)
}

/// The command that adds a part, if a tool does.
fn adding(tool: &str) -> Option<&'static str> {
    match tool {
        "rw.chunk_append" => Some("chunk append SESSION"),
        "rw.chunk_write" => Some("chunk write SESSION INDEX"),
        _ => None,
    }
}

/// Whether something of a refused text is a secret only together with the end of the file.
fn begins_before(error: &Error) -> bool {
    matches!(error, Error::Blocked { report, .. } if report.begins_before())
}

/// Whether a refused text is a part of a file, or data of another kind.
fn is_part(error: &Error) -> bool {
    let Error::Blocked { draft: Some(draft), .. } = error else { return false };
    matches!(**draft, Draft::Edit(_) | Draft::Record(_))
}

/// What to do about an error that the command line meets in another way than a client of the server.
fn ours(error: &Error) -> Option<String> {
    Some(match error {
        Error::Policy { path, place, .. } => {
            let at = place.map(|place| format!(" at line {}", place.line)).unwrap_or_default();
            format!("ask the user to correct {path}{at}: no command writes while such a policy is in force")
        }
        Error::PolicyNotFound { .. } => {
            "ask the user to correct or to unset RW_POLICY_FILE, since no command writes before that".to_owned()
        }
        Error::Binary { .. } => {
            "look at the file with another program, since it has no lines, or get its bytes with the command \
             `call rr_read_bytes` and `encoding` base64"
                .to_owned()
        }
        _ => return None,
    })
}

/// A failure in words.
fn told(program: &str, message: &str, envelope: &Value) -> String {
    // The envelope has no secret whole. The message may say a word of the command line as it is.
    let mut text = said_by(program, &risk::veil(message, &risk::Policy::default()));
    let empty = serde_json::Map::new();
    let context = envelope.get("context").and_then(Value::as_object).unwrap_or(&empty);
    let action = envelope.get("suggested_action").and_then(Value::as_str).unwrap_or("abort");
    // The facts stand below, and the message says the reason.
    let reason = context.get("reason").and_then(Value::as_str);
    let is_said =
        |reason: &&str| message.ends_with(*reason) || message.replace(' ', "_") == **reason;
    let said = reason.filter(is_said);
    let hint = context.get("hint").and_then(Value::as_str).map(|hint| {
        let tail = said.map(|reason| in_our_words(&format!(": {reason}")));
        tail.and_then(|tail| hint.strip_suffix(&tail)).unwrap_or(hint)
    });
    let next = hint.unwrap_or_else(|| advice(action)).replace("context.", "");
    let _ = writeln!(text, "next: {action} - {next}");
    let detected = context.get("detected").and_then(Value::as_array);
    for hit in detected.into_iter().flatten() {
        let _ = writeln!(text, "  {}", told_hit(hit));
    }
    for (name, fact) in context.iter().filter(|(name, fact)| {
        let is_empty = fact.is_null() || fact.as_str() == Some("");
        !UNSAID.contains(&name.as_str()) && !is_empty && (said.is_none() || *name != "reason")
    }) {
        let _ = writeln!(text, "  {name}: {}", shortened(fact));
    }
    text
}

/// A line that begins with the program's name, once.
fn said_by(program: &str, message: &str) -> String {
    let message =
        message.strip_prefix(program).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
    format!("{program}: {message}\n")
}

/// The beginning of a match, as logs may have it.
pub(crate) fn veiled(snippet: &str) -> String {
    const SHOWN_CHARS: usize = 4;
    let whole = snippet.trim_end_matches('…');
    whole.chars().take(SHOWN_CHARS).chain(['…']).collect()
}

/// One line for something that the classifier detected.
pub(crate) fn told_hit(hit: &Value) -> String {
    let text = |name| hit.get(name).and_then(Value::as_str).unwrap_or_default();
    match hit.get("line").and_then(Value::as_u64) {
        Some(line) => {
            let begins = match hit.get("begins_in_file").and_then(Value::as_bool) {
                Some(true) => ", which begins in the file",
                _ => "",
            };
            let shown = veiled(text("match"));
            format!("line {line}: {} ({}) {shown}{begins}", text("kind"), text("pattern"))
        }
        None => {
            let number = |name| hit.get(name).and_then(Value::as_u64).unwrap_or_default();
            let (value, threshold) = (number("value"), number("threshold"));
            format!("size ({}): {value}, at most {threshold}", text("pattern"))
        }
    }
}

fn advice(action: &str) -> &'static str {
    match action {
        "redact" => "take the detected strings out and write again",
        "split" => "send it in smaller parts",
        "escape" => "write it in another form",
        "ask_user" => "look at the file as it is now, then decide",
        "retry_later" => "try again",
        _ => "this will not work as it is; change it before trying again",
    }
}

fn shortened(fact: &Value) -> String {
    let text = fact.as_str().map_or_else(|| fact.to_string(), str::to_owned);
    match text.char_indices().nth(FACT_LEN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// A reader that has seen enough is no failure.
fn print(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Unwritten(error).into()),
        _ => Ok(()),
    }
}

/// Whether the user has nothing against colours.
#[expect(clippy::disallowed_methods, reason = "the program asks what its user wants")]
fn wants_colours() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// What recovery did or kept in this process, for the answer.
static TOLD: Mutex<Vec<Notice>> = Mutex::new(Vec::new());

/// Logs one thing that recovery did or kept, on standard error, and keeps it for the answer.
pub(crate) fn log_notice(notice: &Notice) {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).push(notice.clone());
    Output::new("resilient-write", false, false)
        .complain(&format!("resilient-write: {}\n", notice.text));
}

/// Where standard error is gone, there is nobody to tell.
fn complain(text: &str) {
    if log::say(text) {
        return;
    }
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
