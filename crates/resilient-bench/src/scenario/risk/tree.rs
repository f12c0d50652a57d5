//! A tree of source, scanned on one core: ours in this process and as the command, and a peer.
//!
//! The scanners are processes that are held to one core. What they compute for an empty tree is
//! taken off: a rate is the tree's bytes by the processor time that the tree alone cost.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use resilient_core::risk::{self, Policy};

use crate::measure::{Cost, Subject, interleave, timed};
use crate::report::{Bound, Table};
use crate::setting::Setting;

/// So much source at most.
const BYTES: usize = 100_000_000;

/// So many files in each directory.
const FILES: usize = 500;

/// What a scanner is told to scan.
const TREE: &str = "tree";
const EMPTY: &str = "empty";

pub(super) fn run(setting: &mut Setting, files: &[(PathBuf, String)]) -> Result<Table> {
    let home = setting.fresh()?;
    let most = if setting.quick { BYTES / 10 } else { BYTES };
    let texts = lay_out(home.path(), files, most)?;
    let bytes: usize = texts.iter().map(|text| text.len()).sum();

    let mut scanners = vec![Scanner::ours(&setting.ours.command, home.path())];
    match &setting.kingfisher {
        Some(path) => scanners.push(Scanner::kingfisher(path, home.path())),
        None => crate::say("left out: kingfisher; --kingfisher names none\n")?,
    }
    let policy = Policy::default();
    let mut subjects = vec![Subject::new("library", |_| {
        let (cost, findings) = timed(|| {
            let found = texts.iter().map(|text| risk::score(text, &policy).detected_patterns.len());
            Ok(found.sum::<usize>())
        })?;
        std::hint::black_box(findings);
        Ok(cost)
    })];
    for scanner in &scanners {
        subjects.push(Subject::new(scanner.name, |_| scanner.scan(TREE)));
        subjects.push(Subject::new(scanner.nothing(), |_| scanner.scan(EMPTY)));
    }
    let rounds = if setting.quick { 1 } else { 7 };
    let samples = interleave(&mut setting.random, rounds, &mut subjects)?;
    drop(subjects);

    let title = format!("{} MB of source in {} files, on one core", bytes / 1_000_000, texts.len());
    let mut table = Table::new(title, "library", samples);
    let cpu = |name: &str| table.line(name).and_then(|line| line.cpu_ms);
    let rate = |ms: f64| bytes as f64 / 1_000.0 / ms.max(0.001);
    let library = cpu("library").map(rate);
    let rates: Vec<(&str, f64)> = scanners
        .iter()
        .filter_map(|scanner| {
            let ms = cpu(scanner.name)? - cpu(&scanner.nothing())?;
            Some((scanner.name, rate(ms)))
        })
        .collect();
    for (name, rate) in &rates {
        table.figure(format!("{name}, without its start"), *rate, "MB/s");
    }
    if let [(ours, rate), (peer, theirs)] = rates.as_slice() {
        table.figure(format!("{ours} : {peer}"), rate / theirs, "x");
    }
    if let Some(rate) = library {
        let bounds = (Bound::AtLeast(1_000.0), Bound::AtLeast(500.0));
        table.goal_and_floor("library", rate, bounds, "MB/s");
    }
    Ok(table)
}

/// Copies code into a tree of its own, and makes an empty one beside it.
fn lay_out<'a>(home: &Path, files: &'a [(PathBuf, String)], most: usize) -> Result<Vec<&'a str>> {
    std::fs::create_dir(home.join(EMPTY))?;
    let mut texts: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for (nth, (path, text)) in files.iter().enumerate() {
        if bytes + text.len() > most {
            break;
        }
        bytes += text.len();
        let dir = home.join(TREE).join((nth / FILES).to_string());
        std::fs::create_dir_all(&dir)?;
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("txt");
        std::fs::write(dir.join(format!("{nth}.{ending}")), text)?;
        texts.push(text);
    }
    ensure!(!texts.is_empty(), "no file of code is short enough");
    Ok(texts)
}

/// A program that scans a tree.
struct Scanner<'a> {
    name: &'static str,
    home: &'a Path,
    command: Vec<String>,
    /// What comes after the tree.
    options: &'static [&'static str],
}

impl<'a> Scanner<'a> {
    fn ours(server: &[String], home: &'a Path) -> Self {
        let mut command = server.to_vec();
        command.push("risk".to_owned());
        let options = &["--format", "json", "--fail-on", "never", "--no-ignore"];
        Self { name: "resilient-write risk", home, command, options }
    }

    /// Its rules are compiled once and kept in the directory of the run; it uses no network.
    fn kingfisher(path: &Path, home: &'a Path) -> Self {
        let command = vec![path.display().to_string(), "scan".to_owned()];
        let options = &[
            "--jobs=1",
            "--no-validate",
            "--no-update-check",
            "--git-history=none",
            "--rule-cache-dir=rules",
            "--format=json",
        ];
        Self { name: "kingfisher", home, command, options }
    }

    fn nothing(&self) -> String {
        format!("{}, empty tree", self.name)
    }

    /// Scans a tree on the last core that we may use, and tells what that cost.
    fn scan(&self, tree: &str) -> Result<Cost> {
        let core = last_core().unwrap_or(0).to_string();
        let before = cpu_of_children();
        let begun = Instant::now();
        let ended = Command::new("taskset")
            .args(["-c", &core])
            .args(&self.command)
            .arg(tree)
            .args(self.options)
            .current_dir(self.home)
            .env("HOME", self.home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("starting {} by taskset", self.name))?;
        let time = begun.elapsed();
        // Kingfisher ends with 200 when it has found something.
        let is_done = matches!(ended.code(), Some(0 | 200));
        ensure!(is_done, "{} ended with {ended}", self.name);
        Ok(Cost { time, cpu: cpu_of_children().saturating_sub(before) })
    }
}

/// The last core that this process may use.
fn last_core() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    list.trim().rsplit([',', '-']).next()?.parse().ok()
}

/// What all children that have ended have computed, in hundredths of a second; zero where the
/// system does not tell.
fn cpu_of_children() -> Duration {
    const TICK: Duration = Duration::from_millis(10);
    let ticks = || {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // Behind the name, which may hold anything: the state is field 3, these are 16 and 17.
        let (_, fields) = stat.rsplit_once(')')?;
        let theirs = fields.split_ascii_whitespace().skip(13).take(2);
        theirs.map(|field| field.parse::<u32>().ok()).sum::<Option<u32>>()
    };
    ticks().map_or(Duration::ZERO, |ticks| TICK * ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_the_code_up_to_a_bound() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| (PathBuf::from(name), text.to_owned());
        let files = [file("x/a.rs", "one"), file("b", "two"), file("c.py", "three")];
        assert_eq!(lay_out(home.path(), &files, 7).unwrap(), ["one", "two"]);
        let read = |name: &str| std::fs::read_to_string(home.path().join(name)).ok();
        assert_eq!(read("tree/0/0.rs").as_deref(), Some("one"));
        assert_eq!(read("tree/0/1.txt").as_deref(), Some("two"));
        assert_eq!(read("tree/0/2.py"), None);
        assert!(home.path().join("empty").is_dir());
    }
}
