//! `scratch`: material that must not be in the tree, kept under its own hash.

use std::process::ExitCode;

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use clap::{Args, Subcommand, ValueEnum};
use resilient_core::Workspace;
use resilient_core::scratch::{
    Encoding, List, ListRequest, PutReceipt, PutRequest, Reference, Removal,
};

use super::input::Content;
use crate::output::{Output, card, count};

/// The commands of the scratchpad.
#[derive(Debug, Subcommand)]
pub(crate) enum Scratch {
    /// Keep text or bytes
    Put(Put),
    /// Find entries by hash, label or both, without printing their content
    Ref(Which),
    /// Print an entry's content, verified against its hash
    Get(Get),
    /// List the entries, newest first
    List(Entries),
    /// Remove entries for good: by hash, by label, or by both
    #[command(aliases = ["remove", "delete"])]
    Rm(Which),
}

/// An entry to keep.
#[derive(Debug, Args)]
pub(crate) struct Put {
    #[command(flatten)]
    content: Content,
    /// A name to find the entry by
    #[arg(long)]
    label: Option<String>,
    /// The content's media type, as text/markdown
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// A remark that is kept with the content
    #[arg(long)]
    notes: Option<String>,
}

/// Which entries are meant.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The hash of the content
    #[arg(required_unless_present_any = ["named", "label"], conflicts_with = "named")]
    sha256: Option<String>,
    /// The hash, as an option
    #[arg(long = "sha256", id = "named", value_name = "SHA256", hide = true)]
    named: Option<String>,
    /// Their label
    #[arg(long)]
    label: Option<String>,
}

impl Which {
    fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref().or(self.named.as_deref())
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }
}

/// An entry to print.
#[derive(Debug, Args)]
pub(crate) struct Get {
    /// By a label alone, the newest entry that has it
    #[command(flatten)]
    which: Which,
    /// How --json writes the content; without --json its bytes are printed as they are
    #[arg(long, value_enum, default_value_t = Form::Utf8)]
    encoding: Form,
}

/// Which entries to list.
#[derive(Debug, Args)]
pub(crate) struct Entries {
    /// Only entries whose label begins with this text; `draft:` lists the drafts of blocked calls
    #[arg(long, value_name = "TEXT")]
    label_prefix: Option<String>,
    /// How many entries at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    #[value(name = "utf-8")]
    Utf8,
    Base64,
}

impl Scratch {
    /// Does it.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        match self {
            Self::Put(put) => {
                let result = put.request().and_then(|request| workspace.scratch().put(request));
                output.answer("rw.scratch_put", result, told_put)
            }
            Self::Ref(which) => {
                let result = workspace.scratch().reference(which.sha256(), which.label());
                output.answer("rw.scratch_ref", result, told_ref)
            }
            Self::Get(get) => get.run(workspace, output),
            Self::List(Entries { label_prefix, limit }) => {
                let result = workspace.scratch().list(&ListRequest { label_prefix, limit });
                output.answer("rw.scratch_list", result, told_list)
            }
            Self::Rm(which) => {
                let result = workspace.scratch().remove(which.sha256(), which.label());
                output.answer("rw.scratch_remove", result, told_removal)
            }
        }
    }
}

impl Put {
    /// Bytes that are no text travel in base64.
    fn request(self) -> resilient_core::Result<PutRequest> {
        let Self { content, label, content_type, notes } = self;
        let (content, encoding) = match String::from_utf8(content.bytes()?) {
            Ok(text) => (text, Encoding::Utf8),
            Err(error) => (BASE64.encode(error.as_bytes()), Encoding::Base64),
        };
        Ok(PutRequest { content, encoding, label, content_type, notes })
    }
}

impl Get {
    fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        const TOOL: &str = "rw.scratch_get";
        let sha256 = match (self.which.sha256(), self.which.label()) {
            (Some(sha256), None) => Ok(sha256.to_owned()),
            (sha256, label) => workspace
                .scratch()
                .reference(sha256, label)
                .map(|found| found.entry.sha256.to_string()),
        };
        let sha256 = match sha256 {
            Ok(sha256) => sha256,
            Err(error) => return output.answer(TOOL, Err::<(), _>(error), |()| String::new()),
        };
        if output.is_json() {
            let encoding = match self.encoding {
                Form::Utf8 => Encoding::Utf8,
                Form::Base64 => Encoding::Base64,
            };
            let result = workspace.scratch().get(&sha256, encoding);
            return output.answer(TOOL, result, |kept| kept.content.clone());
        }
        match workspace.scratch().get(&sha256, Encoding::Base64) {
            Ok(kept) => {
                output.raw(&BASE64.decode(kept.content).map_err(anyhow::Error::msg)?)?;
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => output.answer(TOOL, Err::<(), _>(error), |()| String::new()),
        }
    }
}

fn told_put(receipt: &PutReceipt) -> String {
    let heading = if receipt.deduped { "kept already" } else { "kept" };
    let mut rows = vec![
        ("sha256", receipt.sha256.to_string()),
        ("bytes", receipt.bytes.to_string()),
        ("file", receipt.scratch_path.clone()),
    ];
    rows.extend(receipt.warnings.iter().map(|warning| ("warning", warning.hint.to_owned())));
    card(heading, &rows)
}

fn told_ref(found: &Reference) -> String {
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    card(
        &found.entry.sha256.to_string(),
        &[
            ("bytes", found.entry.bytes.to_string()),
            ("label", or_none(&found.entry.label)),
            ("type", or_none(&found.entry.content_type)),
            ("notes", or_none(&found.entry.notes)),
            ("put at", found.entry.created_at.clone()),
            ("entries", found.alias_count.to_string()),
            ("file", found.scratch_path.clone()),
            (
                "there",
                match (&found.removed_at, found.bin_exists) {
                    (Some(at), _) => format!("no, removed at {at}"),
                    (None, true) => "yes".to_owned(),
                    (None, false) => "no".to_owned(),
                },
            ),
        ],
    )
}

fn told_list(list: &List) -> String {
    let mut text = String::new();
    for entry in &list.entries {
        let row = &entry.row;
        let label = row.label.as_deref().unwrap_or("-");
        text += &format!("{}  {}  {:>8}  {label}\n", row.sha256, row.created_at, row.bytes);
    }
    let omitted = match list.omitted {
        0 => String::new(),
        omitted => format!(", {omitted} of them not listed"),
    };
    let entries = if list.count == 1 { "entry" } else { "entries" };
    text += &format!("{} {entries}, {} bytes{omitted}\n", list.count, list.total_bytes);
    if list.damaged_lines > 0 {
        text += &format!("{} of the index could not be read\n", count(list.damaged_lines, "line"));
    }
    text
}

fn told_removal(removal: &Removal) -> String {
    let told = removal.removed.iter();
    told.map(|gone| format!("removed {}, {} bytes\n", gone.sha256, gone.bytes)).collect()
}
