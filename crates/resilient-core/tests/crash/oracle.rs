//! The judge: what a disk may look like, before recovery and after it.
//!
//! A run without faults tells what a scenario changes. From it come *groups*: the files that one
//! journal row stands for, and the files that a call without a row takes away. After recovery each
//! group is as it was before or as it is after, as a whole; the row is there exactly when its
//! group is; a call that was answered has happened, and one that was refused has not.

use std::collections::{BTreeMap, BTreeSet};

use resilient_core::disk::sim::SimDisk;
use resilient_core::journal::{Chain, Row, Tie};

use crate::workload::Answer;

const STATE: &str = "w/.resilient_write/";
const INDEX: &str = "w/.resilient_write/scratch/index.jsonl";
/// A file that tests write after recovery; it is judged by them.
pub const LATER: &str = "w/later.txt";

/// All that is judged of a disk.
#[derive(Clone, Debug, Default)]
pub struct World {
    files: BTreeMap<String, Vec<u8>>,
    rows: Vec<Row>,
}

impl World {
    /// Reads a disk on which nothing is left to be recovered.
    pub fn of(disk: &SimDisk) -> Result<Self, String> {
        let rows = journal(disk)?;
        Ok(Self { files: files(disk), rows })
    }

    /// How many rows the journal has.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    fn at(&self, path: &str) -> Option<Vec<u8>> {
        normal(path, self.files.get(path).map(Vec::as_slice))
    }
}

/// The files that are judged: not those that only tell how far the work is.
fn files(disk: &SimDisk) -> BTreeMap<String, Vec<u8>> {
    let mut files = disk.tree();
    files.retain(|path, _| !is_volatile(path));
    files
}

fn is_volatile(path: &str) -> bool {
    path.strip_prefix(STATE).is_some_and(|inside| {
        inside.starts_with("conflicts/")
            || inside.starts_with("pending/")
            || inside.starts_with("journal/")
            || matches!(
                inside,
                ".gitignore" | "lock" | "waiting" | "format" | "journal.jsonl" | "withdrawal"
            )
            || inside.starts_with("tmp/")
    })
}

/// Of a log of lines only whole lines count: readers skip a torn end, and the next writer cuts it.
fn normal(path: &str, bytes: Option<&[u8]>) -> Option<Vec<u8>> {
    let bytes = bytes?;
    if path != INDEX {
        return Some(bytes.to_vec());
    }
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let is_torn = |line: &&[u8]| !line.ends_with(b"\n") || line.contains(&0);
    while lines.pop_if(|line| is_torn(&&**line)).is_some() {}
    (!lines.is_empty()).then(|| lines.concat())
}

/// Reads the journal, which must be whole and chained.
fn journal(disk: &SimDisk) -> Result<Vec<Row>, String> {
    let bytes = rows_of_all_journals(disk);
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        return Err("the journal has a torn end".to_owned());
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut chain = Chain::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let row = Row::parse(line).ok_or_else(|| format!("a damaged journal line: {text}"))?;
        let before = rows.last();
        if chain.see(line.trim_ascii_end()) != Tie::Holds {
            return Err(format!("a broken chain at {text}"));
        }
        if row.seq != Some(before.and_then(|row| row.seq).unwrap_or_default() + 1) {
            return Err(format!("a number out of order at {text}"));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The lines of the closed journals and of the current one. Between the two names of a journal that is being
/// closed it has both.
fn rows_of_all_journals(disk: &SimDisk) -> Vec<u8> {
    let first_line = |text: &[u8]| text.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    let current = disk.read("w/.resilient_write/journal.jsonl").unwrap_or_default();
    let closed = disk.tree().into_iter().filter(|(path, bytes)| {
        let name = path.strip_prefix(STATE).and_then(|inside| inside.strip_prefix("journal/"));
        name.is_some_and(|name| name != "next.jsonl" && name.ends_with(".jsonl"))
            && first_line(bytes) != first_line(&current)
    });
    closed.map(|(_, bytes)| bytes).chain([current.clone()]).collect::<Vec<_>>().concat()
}

/// What identifies a row whatever the clock said.
fn key(row: &Row) -> String {
    format!("{:?} {:?} {}", row.abs_path, row.mode, row.sha256)
}

/// Files that change together.
#[derive(Debug)]
struct Group {
    /// The row that stands for them.
    row: Option<String>,
    paths: BTreeSet<String>,
    /// Whether a reader may see them half done before recovery.
    in_place: bool,
    call: usize,
}

/// What a scenario may leave.
#[derive(Debug)]
pub struct Expected {
    /// As it was before; first as programs see it, then what else a power loss may make of it.
    before: Vec<World>,
    after: World,
    groups: Vec<Group>,
}

impl Expected {
    /// Learns from a run without faults.
    pub fn learn(before: Vec<World>, after: World, answers: &[Answer]) -> Self {
        let first = &before[0];
        let mut changed: BTreeSet<String> = first
            .files
            .keys()
            .chain(after.files.keys())
            .filter(|path| first.at(path) != after.at(path))
            .cloned()
            .collect();
        let mut groups = Vec::new();
        for row in &after.rows[first.rows.len()..] {
            let named =
                row.also.iter().map(|also| also.abs_path.clone()).chain(row.abs_path.clone());
            let named = named.chain(row.line.iter().map(|line| line.abs_path.clone()));
            let goes = |path: &&String| {
                row.gone.iter().any(|gone| {
                    let gone = format!("{STATE}{}", gone.path);
                    **path == gone || path.starts_with(&format!("{gone}/"))
                })
            };
            let named = named.chain(changed.iter().filter(goes).cloned());
            let mut paths: BTreeSet<String> =
                named.map(|path| path.trim_start_matches('/').to_owned()).collect();
            // A file with several names changes under all of them.
            let same: Vec<String> = changed
                .iter()
                .filter(|path| {
                    row.is_in_place()
                        && paths.iter().any(|named| {
                            first.at(named) == first.at(path) && after.at(named) == after.at(path)
                        })
                })
                .cloned()
                .collect();
            paths.extend(same);
            changed.retain(|path| !paths.contains(path));
            let call = answers.iter().position(
                |answer| matches!(answer, Answer::Done(Some(id)) if *id == row.journal_id),
            );
            let call = call
                .or_else(|| answers.iter().position(|answer| matches!(answer, Answer::Done(None))));
            groups.push(Group {
                row: Some(key(row)),
                paths,
                in_place: row.is_in_place(),
                call: call.expect("the call of a row"),
            });
        }
        // A call that has one row stands and falls with it as a whole.
        if let ([_], [group]) = (answers, groups.as_mut_slice()) {
            group.paths.append(&mut changed);
        }
        // What goes without a row: a session as a whole, anything else by itself.
        let mut others: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in changed {
            let together = match path.strip_prefix("w/.resilient_write/chunks/") {
                Some(inside) => inside.split('/').next().unwrap_or_default().to_owned(),
                None => path.clone(),
            };
            others.entry(together).or_default().insert(path);
        }
        for paths in others.into_values() {
            groups.push(Group { row: None, paths, in_place: false, call: 0 });
        }
        Self { before, after, groups }
    }

    fn was(&self, path: &str, content: &Option<Vec<u8>>) -> bool {
        self.before.iter().any(|world| world.at(path) == *content) || self.is_torn(path, content)
    }

    /// Whether a file that others had not made durable is what a power loss may leave of it: as long
    /// as it was, with zeros where nothing has arrived. The disk tears one write in front or leaves
    /// a hole; both come together when the same bytes were written again after a failed sync.
    fn is_torn(&self, path: &str, content: &Option<Vec<u8>>) -> bool {
        let Some(now) = content else { return false };
        let arrived = |was: &Vec<u8>| {
            was.len() == now.len() && was.iter().zip(now).all(|(was, now)| was == now || *now == 0)
        };
        let first = self.before[0].at(path);
        self.before.iter().any(|world| world.at(path) != first)
            && self.before.iter().any(|world| world.at(path).is_some_and(|was| arrived(&was)))
    }

    /// Whether others had written something that was not durable.
    fn is_unsettled(&self) -> bool {
        self.before.iter().any(|world| world.files != self.before[0].files)
    }

    /// How many rows there were before the calls.
    pub fn rows_before(&self) -> usize {
        self.before[0].rows.len()
    }

    /// The one file of the user's that a call with a row changes, if there is no other change.
    pub fn only_target(&self) -> Option<String> {
        let [Group { row: Some(_), paths, .. }] = self.groups.as_slice() else { return None };
        let mut paths = paths.iter().filter(|path| !path.starts_with(STATE));
        let path = paths.next()?;
        (self.before[0].at(path) != self.after.at(path)).then(|| path.clone())
    }

    /// The files that calls with a row replace or take away, as they were before.
    pub fn replaced(&self) -> Vec<(String, Vec<u8>)> {
        let paths = self.groups.iter().filter(|group| group.row.is_some());
        let paths = paths.flat_map(|group| &group.paths);
        let changed = paths.filter(|path| **path != INDEX && self.changes(path));
        changed.filter_map(|path| Some((path.clone(), self.before[0].at(path)?))).collect()
    }

    fn changes(&self, path: &str) -> bool {
        self.before[0].at(path) != self.after.at(path)
    }

    /// Whether some call takes files away together with one that it writes.
    pub fn takes(&self) -> bool {
        self.groups.iter().any(|group| self.taken(group).next().is_some())
    }

    fn taken<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a String> {
        let paths = group.paths.iter().filter(|_| group.row.is_some());
        paths.filter(|path| self.changes(path) && self.after.at(path).is_none())
    }

    /// Judges a disk that somebody has changed before its recovery: what was taken away has its
    /// row.
    pub fn check_taken(&self, disk: &SimDisk) -> Result<(), String> {
        let rows: Vec<Option<String>> = journal(disk)?.iter().map(|row| Some(key(row))).collect();
        let files = files(disk);
        for group in self.groups.iter().filter(|group| !rows.contains(&group.row)) {
            if let Some(path) = self.taken(group).find(|path| !files.contains_key(*path)) {
                return Err(format!("{path} was taken away without a row"));
            }
        }
        Ok(())
    }

    /// What a file was before, and what it is after.
    pub fn contents(&self, path: &str) -> (Option<Vec<u8>>, Vec<u8>) {
        (self.before[0].at(path), self.after.at(path).expect("a file"))
    }

    /// Whether some file has this content once all is done.
    pub fn holds(&self, content: &[u8]) -> bool {
        self.after.files.values().any(|bytes| bytes == content)
    }

    /// Judges a disk on which all calls were refused, before recovery.
    pub fn check_untouched(&self, disk: &SimDisk) -> Result<(), String> {
        let rows = journal(disk)?;
        if rows != self.before[0].rows {
            return Err("a refused call has a row".to_owned());
        }
        let now = files(disk);
        let known = self.before.iter().flat_map(|world| world.files.keys());
        for path in now.keys().chain(known).filter(|path| !path.contains("/.rw-")) {
            let now = normal(path, now.get(path).map(Vec::as_slice));
            if !self.was(path, &now) {
                return Err(format!("a refused call has changed {path} to {}", show(&now)));
            }
        }
        Ok(())
    }

    /// Judges what a reader sees before recovery: whole old or whole new files, and new ones for
    /// what was answered.
    pub fn check_reader(&self, disk: &SimDisk, answers: &[Answer]) -> Result<(), String> {
        let files = files(disk);
        for group in &self.groups {
            let answered = answers.get(group.call).is_some_and(Answer::is_done);
            let now = |path: &String| normal(path, files.get(path).map(Vec::as_slice));
            if answered && let Some(path) = group.paths.iter().find(|p| now(p) != self.after.at(p))
            {
                let now = show(&now(path));
                return Err(format!("a reader does not see what was answered: {path} = {now}"));
            }
        }
        let known = self.before.iter().chain([&self.after]).flat_map(|world| world.files.keys());
        let paths: BTreeSet<&String> = files.keys().chain(known).collect();
        for path in paths {
            if *path == INDEX || path.contains("/.rw-") || *path == LATER {
                continue;
            }
            let now = files.get(path).cloned();
            if self.was(path, &now) || self.after.at(path) == now {
                continue;
            }
            let in_place =
                self.groups.iter().any(|group| group.in_place && group.paths.contains(path));
            if !in_place || now.is_none() {
                return Err(format!("a reader sees neither old nor new: {path} = {}", show(&now)));
            }
        }
        Ok(())
    }

    /// Judges a disk on which another call has put content into the scratchpad, after recovery.
    pub fn check_beside(
        &self,
        disk: &SimDisk,
        answers: &[Answer],
        content: &str,
    ) -> Result<(), String> {
        let disk = disk.kill();
        let bytes = content.as_bytes();
        let kept = disk.tree().into_iter().filter(|(_, kept)| kept == bytes);
        let kept: Vec<String> = kept.map(|(path, _)| path).collect();
        let [path] = kept.as_slice() else { return Err(format!("kept at {kept:?}")) };
        // Its row is the one whose place does not matter: a row that waited comes behind it.
        let rows = journal(&disk)?;
        let (others, mine): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.abs_path.as_deref() != Some(&format!("/{path}")));
        if mine.len() != 1 {
            return Err(format!("{} rows of the other call", mine.len()));
        }
        let found: Vec<String> = others[self.rows_before()..].iter().map(key).collect();
        for group in &self.groups {
            let is_after = group
                .paths
                .iter()
                .all(|path| normal(path, disk.read(path).as_deref()) == self.after.at(path));
            let is_before = group
                .paths
                .iter()
                .all(|path| self.was(path, &normal(path, disk.read(path).as_deref())));
            let row = group.row.as_ref().is_some_and(|key| found.contains(key));
            match (row, is_after, is_before) {
                (true, false, _) => return Err("a row without its change".to_owned()),
                (false, _, false) => return Err("a change without its row".to_owned()),
                _ => {}
            }
            let answered = answers.get(group.call).is_some_and(Answer::is_done);
            if answered && !row {
                return Err("an answered call is lost".to_owned());
            }
        }
        Ok(())
    }

    /// Judges a disk after recovery. `later` tells whether [`LATER`] was written and answered for.
    pub fn check(
        &self,
        disk: &SimDisk,
        answers: &[Answer],
        later: Option<&str>,
    ) -> Result<(), String> {
        let rows = journal(disk)?;
        if !rows.starts_with(&self.before[0].rows) {
            return Err("rows from before the calls are gone or changed".to_owned());
        }
        self.check_changes(disk, &rows, answers, later)
    }

    /// Judges like [`Expected::check`] where a row may have been pending: it came back into the
    /// journal behind the others.
    pub fn check_where_rows_waited(
        &self,
        disk: &SimDisk,
        answers: &[Answer],
        later: Option<&str>,
    ) -> Result<(), String> {
        let rows = journal(disk)?;
        let times =
            |known: &Row| rows.iter().filter(|row| row.journal_id == known.journal_id).count();
        if self.before[0].rows.iter().any(|known| times(known) != 1) {
            return Err("rows from before the calls are gone, or are there twice".to_owned());
        }
        self.check_changes(disk, &rows, answers, later)
    }

    fn check_changes(
        &self,
        disk: &SimDisk,
        rows: &[Row],
        answers: &[Answer],
        later: Option<&str>,
    ) -> Result<(), String> {
        let files = files(disk);
        self.check_litter(disk)?;
        let known = &self.before[0].rows;
        let is_new = |row: &&Row| known.iter().all(|known| known.journal_id != row.journal_id);
        let mut new: Vec<String> = Vec::new();
        let mut later_row = false;
        for row in rows.iter().filter(is_new) {
            if row.path == "later.txt" {
                later_row = true;
                continue;
            }
            let key = key(row);
            if !self.groups.iter().any(|group| group.row.as_ref() == Some(&key)) {
                return Err(format!("a row that nobody promised: {key}"));
            }
            if new.contains(&key) {
                return Err(format!("a row twice: {key}"));
            }
            new.push(key);
        }
        if let Some(content) = later
            && !(later_row && files.get(LATER).is_some_and(|now| now == content.as_bytes()))
        {
            return Err("an answered write after recovery is lost".to_owned());
        }

        for group in &self.groups {
            let now: BTreeMap<&String, Option<Vec<u8>>> = group
                .paths
                .iter()
                .map(|path| (path, normal(path, files.get(path).map(Vec::as_slice))))
                .collect();
            let changed = now.iter().all(|(path, now)| *now == self.after.at(path));
            let unchanged = now.iter().all(|(path, now)| self.was(path, now));
            let shown = || {
                let files: Vec<String> =
                    now.iter().map(|(path, now)| format!("{path} = {}", show(now))).collect();
                files.join(", ")
            };
            let happened = match &group.row {
                Some(key) => {
                    let row = new.contains(key);
                    match (row, changed, unchanged) {
                        (true, false, _) => {
                            return Err(format!("a row without its change: {key}; {}", shown()));
                        }
                        (false, _, false) => {
                            return Err(format!("a change without its row: {key}; {}", shown()));
                        }
                        _ => row,
                    }
                }
                None if changed || unchanged => changed,
                None => return Err(format!("a part of a change: {}", shown())),
            };
            match answers.get(group.call) {
                Some(Answer::Done(_)) if !happened => {
                    return Err(format!("an answered call is lost: {:?}; {}", group.row, shown()));
                }
                Some(Answer::Refused(error)) if happened => {
                    return Err(format!("a refused call has happened: {error}: {}", shown()));
                }
                _ => {}
            }
        }
        let mine: BTreeSet<&String> = self.groups.iter().flat_map(|group| &group.paths).collect();
        let known = self.before.iter().flat_map(|world| world.files.keys());
        for path in files.keys().chain(known).filter(|path| !mine.contains(path)) {
            let now = normal(path, files.get(path).map(Vec::as_slice));
            if path != LATER && !self.was(path, &now) {
                return Err(format!("another file has changed: {path} = {}", show(&now)));
            }
        }
        for answer in answers {
            if let Answer::Done(Some(id)) = answer
                && !rows.iter().any(|row| row.journal_id == *id)
            {
                return Err(format!("an answered row is lost: {id}"));
            }
        }
        Ok(())
    }

    fn check_litter(&self, disk: &SimDisk) -> Result<(), String> {
        for (path, bytes) in disk.tree() {
            let inside = path.strip_prefix(STATE).unwrap_or_default();
            let litter = path.contains("/.rw-")
                || inside == "withdrawal"
                // A power loss that takes what an editor has not synced is a change by others.
                || inside.starts_with("conflicts/") && !is_cut(inside) && !self.is_unsettled()
                || inside.starts_with("pending/")
                || inside.starts_with("tmp/") && !bytes.is_empty();
            if litter {
                return Err(format!("litter: {path}, {} bytes", bytes.len()));
            }
        }
        let mut dirs = disk.dirs().into_iter();
        match dirs.find(|dir| dir.starts_with("w/.resilient_write/tmp/")) {
            Some(dir) => Err(format!("litter: {dir}")),
            None => Ok(()),
        }
    }
}

/// Whether a file holds what was cut off the journal, which is kept.
pub fn is_cut(inside: &str) -> bool {
    inside.starts_with("conflicts/journal-") && inside.ends_with(".cut")
}

fn show(content: &Option<Vec<u8>>) -> String {
    match content {
        None => "nothing".to_owned(),
        Some(bytes) if bytes.len() > 200 => {
            let end = String::from_utf8_lossy(&bytes[bytes.len() - 40..]).into_owned();
            format!("{} bytes, the last {end:?}", bytes.len())
        }
        Some(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}
