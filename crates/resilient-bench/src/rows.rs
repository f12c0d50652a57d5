//! Journals of ordinary rows, laid down as the library leaves them.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use resilient_core::digest::Digest;
use resilient_core::journal::{Mode, Row};

use crate::measure::Random;

/// The length at which a journal is closed.
const CLOSED: usize = 8 << 20;

/// Lays down a state directory whose journals have so many rows: closed ones and a current one.
pub(crate) fn lay_down(home: &Path, rows: u64, random: &mut Random) -> Result<()> {
    let state = home.join(".resilient_write");
    fs::create_dir_all(state.join("journal"))?;
    let mut text = Vec::new();
    let mut closed = 0;
    for seq in 1..=rows {
        line(&mut text, seq, random)?;
        if text.len() >= CLOSED {
            closed += 1;
            fs::write(state.join(format!("journal/{closed:06}.jsonl")), &text)?;
            text.clear();
        }
    }
    Ok(fs::write(state.join("journal.jsonl"), text)?)
}

/// Lays down the same rows as one journal, for a program that knows no closed ones.
pub(crate) fn lay_down_whole(home: &Path, rows: u64, random: &mut Random) -> Result<()> {
    let state = home.join(".resilient_write");
    fs::create_dir_all(&state)?;
    let mut text = Vec::new();
    for seq in 1..=rows {
        line(&mut text, seq, random)?;
    }
    Ok(fs::write(state.join("journal.jsonl"), text)?)
}

/// The path of a row that no other row has.
pub(crate) const RARE: &str = "src/rare.rs";

/// Adds a row of ordinary length: a thousand files, all modes, a row every seven seconds.
fn line(text: &mut Vec<u8>, seq: u64, random: &mut Random) -> Result<()> {
    const MODES: [Mode; 4] = [Mode::Create, Mode::Overwrite, Mode::Append, Mode::Replace];
    let path = match seq {
        7 => RARE.to_owned(),
        _ => format!("src/part-{:02}/file-{:03}.rs", random.below(20), random.below(50)),
    };
    let at = seq * 7;
    let (day, hour, minute, second) = (at / 86_400, at / 3_600 % 24, at / 60 % 60, at % 60);
    let (month, day) = (1 + day / 28 % 12, 1 + day % 28);
    let digest = Digest::of(&random.next().to_le_bytes());
    let row = Row {
        place: None,
        abs_path: Some(format!("/home/user/project/{path}")),
        also: Vec::new(),
        at: None,
        batch: Some(seq),
        by: None,
        bytes: random.below(20_000) as u64,
        caller: "resilient-write".to_owned(),
        // Nobody who only reads follows the chain.
        chain: Some(digest.to_string()),
        composed: None,
        epoch: None,
        exchange: None,
        file: None,
        from: None,
        gone: Vec::new(),
        journal_id: format!("wj_{:012x}{:08x}", seq, random.next() >> 32),
        line: None,
        mode: MODES.get(random.below(MODES.len())).copied().unwrap_or(Mode::Create),
        path,
        prev_sha256: Some(digest),
        sectors: None,
        seq: Some(seq),
        sha256: digest.into(),
        staged: Some(format!("s-{:016x}-{seq}", random.next())),
        undo: None,
        home: None,
        undoes: None,
        unit: None,
        ts: format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
    };
    text.write_all(&serde_json::to_vec(&row)?)?;
    text.push(b'\n');
    Ok(())
}
