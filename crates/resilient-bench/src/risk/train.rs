//! Fitting the model: logistic regression by stochastic gradient descent, then bytes.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use resilient_core::digest::{Digest, Hasher};
use resilient_core::risk::lab::{self, BUCKETS, Example, Model};

use super::rows::{self, Embedding, Row};

/// Trains the model of the risk score.
#[derive(Debug, Args)]
pub(crate) struct Train {
    /// The labelled rows, JSON lines, compressed or not
    #[arg(long)]
    data: PathBuf,
    /// Directories of benign code: what is found there is no secret
    #[arg(long, num_args = 1.., required = true)]
    code: Vec<PathBuf>,
    /// Where to write the weights; what they were trained on goes beside them, with the ending `toml`
    #[arg(long)]
    out: PathBuf,
    /// Wanted false findings per MB of the code that is held back
    #[arg(long, default_value_t = 0.05)]
    false_per_mb: f64,
}

impl Train {
    pub(crate) fn run(self) -> Result<()> {
        let rows = rows::read(&self.data)?;
        let code = rows::code(&self.code, FILE_MAX)?;
        let negatives = Negatives::of(&code);
        let positives = positives(&rows, |_| true)?;
        let model = fit(&positives, &negatives, self.false_per_mb).to_bytes();
        let manifest = Manifest {
            model: &model,
            rows: positives.len(),
            rows_file: Digest::of(&std::fs::read(&self.data)?),
            candidates: negatives.train.len(),
            code: &code,
            false_per_mb: self.false_per_mb,
        };
        let write = |path: &Path, bytes: &[u8]| {
            std::fs::write(path, bytes).with_context(|| path.display().to_string())
        };
        write(&self.out, &model)?;
        write(&self.out.with_extension("toml"), manifest.to_string().as_bytes())?;
        crate::say(&format!(
            "{} rows with candidates, {} candidates in {:.1} MB of code; {:?}\n",
            positives.len(),
            negatives.train.len(),
            negatives.bytes as f64 / 1e6,
            Model::from_bytes(&model),
        ))
    }
}

/// No file of code is longer.
const FILE_MAX: u64 = 1 << 20;

/// What is noted of a training, with the keys of `crates/resilient-risk/data/model.toml`.
struct Manifest<'a> {
    model: &'a [u8],
    /// The rows with candidates.
    rows: usize,
    rows_file: Digest,
    candidates: usize,
    code: &'a [(PathBuf, String)],
    false_per_mb: f64,
}

impl fmt::Display for Manifest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Sixteen bytes before what is trained: eight of magic, eight of the features' definition.
        let (header, trained) = self.model.split_at_checked(16).unwrap_or_default();
        let definition =
            header.iter().skip(8).map(|byte| format!("{byte:02x}")).collect::<String>();
        writeln!(f, "sha256 = \"{}\"", Digest::of(self.model))?;
        writeln!(f, "trained_sha256 = \"{}\"", Digest::of(trained))?;
        writeln!(f, "definition = \"{definition}\"\n\n[training]")?;
        writeln!(f, "rows = {}\nrows_sha256 = \"{}\"", self.rows, self.rows_file)?;
        writeln!(f, "candidates = {}\nfiles = {}", self.candidates, self.code.len())?;
        writeln!(f, "files_sha256 = \"{}\"", digest_of_all(self.code))?;
        writeln!(f, "false_per_mb = {:?}", self.false_per_mb)
    }
}

/// The digest of the sorted digests of all texts: the same wherever the files are.
fn digest_of_all(code: &[(PathBuf, String)]) -> Digest {
    let mut all: Vec<Digest> = code.iter().map(|(_, text)| Digest::of(text.as_bytes())).collect();
    all.sort_unstable();
    let mut hasher = Hasher::default();
    all.iter().for_each(|digest| hasher.update(digest.as_bytes()));
    hasher.finish()
}

/// Candidates of benign code; a part is held back to set the threshold by.
#[derive(Debug)]
pub(super) struct Negatives {
    pub(super) train: Vec<Vec<u16>>,
    pub(super) held: Vec<Vec<u16>>,
    pub(super) held_bytes: usize,
    pub(super) bytes: usize,
}

impl Negatives {
    /// Takes the candidates of the code below some paths; a file in four is held back.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self> {
        Ok(Self::of(&rows::code(paths, FILE_MAX)?))
    }

    /// Takes the candidates of some files.
    fn of(files: &[(PathBuf, String)]) -> Self {
        let mut all = Self { train: Vec::new(), held: Vec::new(), held_bytes: 0, bytes: 0 };
        for (path, text) in files {
            let package = package_of(path);
            let found = lab::examples(text).into_iter().map(|example| example.features);
            all.bytes += text.len();
            if rows::digest(package.as_bytes()).is_multiple_of(4) {
                all.held_bytes += text.len();
                all.held.extend(found);
            } else {
                // No file may say more than a thousand times that it is benign.
                all.train.extend(found.take(1000));
            }
        }
        all
    }
}

/// The package that a file belongs to, more or less: its directory four levels down.
fn package_of(path: &std::path::Path) -> String {
    let text = path.to_string_lossy();
    for mark in ["registry/src/", "node_modules/", "site-packages/"] {
        if let Some((_, rest)) = text.split_once(mark) {
            return rest.split('/').take(2).collect::<Vec<_>>().join("/");
        }
    }
    text.into_owned()
}

/// A row's candidates, one of which is the secret.
pub(super) type Bag = Vec<Example>;

/// The candidates of the rows that hold a secret, set in code.
pub(super) fn positives(rows: &[Row], take: impl Fn(&Row) -> bool) -> Result<Vec<Bag>> {
    let embedding = Embedding::of(rows)?;
    let wanted = rows.iter().enumerate().filter(|(_, row)| {
        row.label == "secret"
            && !row.is_obfuscated()
            && !matches!(row.family.as_str(), "pii" | "pem_block")
            && take(row)
    });
    Ok(wanted
        .map(|(nth, row)| {
            let placed = embedding.place(nth, &row.text);
            let own = |example: &Example| {
                example.span.start >= placed.own.start && example.span.end <= placed.own.end
            };
            lab::examples(&placed.text).into_iter().filter(own).collect::<Bag>()
        })
        .filter(|bag| !bag.is_empty())
        .collect())
}

struct Weights {
    of: Vec<f32>,
    squares: Vec<f32>,
    bias: f32,
    bias_square: f32,
}

impl Weights {
    fn sum(&self, features: &[u16]) -> f32 {
        self.bias + features.iter().map(|f| self.get(*f)).sum::<f32>()
    }

    fn get(&self, feature: u16) -> f32 {
        self.of.get(usize::from(feature)).copied().unwrap_or(0.0)
    }

    fn learn(&mut self, features: &[u16], label: f32, weight: f32, rate: f32, decay: f32) {
        let guess = 1.0 / (1.0 + (-self.sum(features)).exp());
        let slope = (guess - label) * weight;
        for feature in features {
            let at = usize::from(*feature);
            if let (Some(of), Some(square)) = (self.of.get_mut(at), self.squares.get_mut(at)) {
                let step = slope + decay * *of;
                *square += step * step;
                *of -= rate * step / (square.sqrt() + 1e-3);
            }
        }
        self.bias_square += slope * slope;
        self.bias -= rate * slope / (self.bias_square.sqrt() + 1e-3);
    }
}

const EPOCHS: usize = 12;
const RATE: f32 = 0.08;
const DECAY: f32 = 2e-5;

/// Fits a model whose threshold lets through so many held-back candidates per MB.
pub(super) fn fit(positives: &[Bag], negatives: &Negatives, false_per_mb: f64) -> Model {
    let mut weights = Weights {
        of: vec![0.0; BUCKETS],
        squares: vec![0.0; BUCKETS],
        bias: -2.0,
        bias_square: 0.0,
    };
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below.max(1)
    };
    let mut order: Vec<usize> = (0..negatives.train.len()).collect();
    // Together the positives weigh a tenth of the negatives.
    let ratio = (negatives.train.len() as f32 / positives.len().max(1) as f32 / 10.0).max(1.0);
    let repeat = ratio.sqrt().ceil() as usize;
    let weight = ratio / repeat as f32;
    for _ in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            order.swap(at, random(at + 1));
        }
        let gap = (order.len() / (positives.len() * repeat).max(1)).max(1);
        let mut next = 0;
        for (nth, negative) in order.iter().enumerate() {
            if let Some(features) = negatives.train.get(*negative) {
                weights.learn(features, 0.0, 1.0, RATE, DECAY);
            }
            if nth % gap == 0 && !positives.is_empty() {
                // Of a row's candidates, the likeliest counts as the secret.
                let bag = positives.get(next % positives.len());
                next += 1 + random(2);
                let best = bag
                    .into_iter()
                    .flatten()
                    .max_by(|a, b| weights.sum(&a.features).total_cmp(&weights.sum(&b.features)));
                if let Some(best) = best {
                    weights.learn(&best.features, 1.0, weight, RATE, DECAY);
                }
            }
        }
    }
    let most = weights.of.iter().fold(0.0_f32, |most, of| most.max(of.abs()));
    let scale = 127.0 / most.max(1e-6);
    let bytes: Vec<i8> = weights.of.iter().map(|of| (of * scale).round() as i8).collect();
    let bias = (weights.bias * scale).round() as i32;
    let raw = Model::new(&bytes, bias, 0);
    let mut sums: Vec<i32> = negatives.held.iter().map(|features| raw.margin(features)).collect();
    sums.sort_unstable_by(|a, b| b.cmp(a));
    let allowed = (negatives.held_bytes as f64 / 1e6 * false_per_mb) as usize;
    let threshold = sums.get(allowed).copied().unwrap_or(0) + 1;
    Model::new(&bytes, bias, threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_depends_on_texts_and_not_on_where_they_are() {
        let model = Model::new(&[1, -2], 3, 4).to_bytes();
        let manifest = |code: &[(PathBuf, String)]| {
            Manifest {
                model: &model,
                rows: 7,
                rows_file: Digest::of(b"rows"),
                candidates: 9,
                code,
                false_per_mb: 1.0,
            }
            .to_string()
        };
        let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
        let first = manifest(&[file("a/x.rs", "one"), file("a/y.rs", "two")]);
        assert_eq!(first, manifest(&[file("b/p.rs", "two"), file("b/q.rs", "one")]));
        assert_ne!(first, manifest(&[file("a/x.rs", "one"), file("a/y.rs", "three")]));
        assert!(first.starts_with(&format!("sha256 = \"{}\"\n", Digest::of(&model))), "{first}");
    }
}
