//! An agent that has only plain tools and thinks of everything: it reads back, compares, and trusts
//! no answer. It shows what the other arms can be made to do; the large log is beyond them.

use serde_json::json;

use super::{FILES, Script, Tools, flagged, redacted, section, sections, setting, without_key};
use crate::scenario::Id;

pub(super) fn scripts(scenario: Id) -> Vec<Script> {
    match scenario {
        Id::S0 => vec![give_up],
        Id::S1 => vec![report_capture],
        Id::S2 => vec![write_in_parts],
        Id::S3 => vec![read_until_still],
        Id::S4 => vec![hand_over, take_over],
        Id::S5 => vec![move_key],
    }
}

const DONE: &str = "Done.";

fn read(tools: &mut Tools, path: &str) -> Option<String> {
    Some(tools.call("read_file", json!({"path": path}))?.text)
}

fn write(tools: &mut Tools, path: &str, content: &str, append: bool) -> Option<bool> {
    let arguments = json!({"path": path, "content": content, "append": append});
    Some(tools.call("write_file", arguments)?.ok())
}

/// No window of the log is to be had.
fn give_up(tools: &mut Tools) -> Option<String> {
    write(tools, "notes.md", "the log cannot be read in windows\n", false)?;
    Some("The log is too long for these tools.".to_owned())
}

/// Takes a refusal without a reason for what it most likely is.
fn report_capture(tools: &mut Tools) -> Option<String> {
    let notes = read(tools, "notes/capture.md")?;
    let heading = "# Capture report\n\n";
    if !write(tools, "report.md", &format!("{heading}{notes}"), false)? {
        write(tools, "report.md", &format!("{heading}{}", redacted(&notes)), false)?;
    }
    Some(DONE.to_owned())
}

/// Appends, and after a failure looks how far it came; what is torn is written anew.
fn write_in_parts(tools: &mut Tools) -> Option<String> {
    let mut whole = String::new();
    for (heading, code) in sections(&tools.task) {
        let part = section(&heading, &code);
        if !write(tools, "report.md", &part, true)? {
            let found = read(tools, "report.md")?;
            let wanted = format!("{whole}{part}");
            if found != wanted {
                write(tools, "report.md", &whole, false)?;
                write(tools, "report.md", &part, true)?;
            }
        }
        whole.push_str(&part);
    }
    Some(DONE.to_owned())
}

/// Reads until two reads are the same.
fn read_until_still(tools: &mut Tools) -> Option<String> {
    let mut text = read(tools, "stock.txt")?;
    loop {
        let again = read(tools, "stock.txt")?;
        if again == text {
            break;
        }
        text = again;
    }
    write(tools, "recount.json", &flagged(&text), false)?;
    Some(DONE.to_owned())
}

/// Hands over with the whole text of the files, for want of digests.
fn hand_over(tools: &mut Tools) -> Option<String> {
    let mut note = "task_id: timeout-45\nstatus: handed_off\nnext: write CHANGES.md\n".to_owned();
    for path in FILES {
        let text = read(tools, path)?.replace("timeout=30", "timeout=45");
        write(tools, path, &text, false)?;
        note.push_str(&format!("=== {path}\n{text}"));
    }
    write(tools, "HANDOFF.md", &note, false)?;
    Some(DONE.to_owned())
}

fn take_over(tools: &mut Tools) -> Option<String> {
    let note = read(tools, "HANDOFF.md")?;
    let (mut values, mut drifts) = (String::new(), String::new());
    for part in note.split("=== ").skip(1) {
        let (path, then) = part.split_once('\n')?;
        let now = read(tools, path)?;
        let (timeout, retries) = (setting(&now, "timeout"), setting(&now, "retries"));
        values.push_str(&format!("{path} timeout={timeout} retries={retries}\n"));
        if now != then {
            drifts.push_str(&format!("drift: {path}\n"));
        }
    }
    write(tools, "CHANGES.md", &(values + &drifts), false)?;
    Some(DONE.to_owned())
}

fn move_key(tools: &mut Tools) -> Option<String> {
    let (key, clean) = without_key(&read(tools, "billing.py")?)?;
    if write(tools, ".secrets/stripe_key", &key, false)? {
        write(tools, "billing.py", &clean, false)?;
    }
    Some(DONE.to_owned())
}
