//! The words of the command line for what hints call by the names of MCP: tools and their arguments.
//!
//! An argument is the option of the same name. Here are only the tools, and what has another name or no option.

/// Tools and arguments, with the command or the value that does the same here.
const WORDS: &[(&str, &str)] = &[
    ("arguments", "JSON"),
    ("index", "INDEX"),
    ("name", "NAME"),
    ("output_path", "PATH"),
    ("path", "PATH"),
    ("query", "QUERY"),
    ("rr_read_lines", "resilient-write read"),
    ("rw_checkpoint", "resilient-write checkpoint save"),
    ("rw_checkpoint_list", "resilient-write checkpoint list"),
    ("rw_checkpoint_read", "resilient-write checkpoint read"),
    ("rw_chunk_append", "resilient-write chunk append"),
    ("rw_chunk_compose", "resilient-write chunk compose"),
    ("rw_chunk_preview", "resilient-write chunk preview"),
    ("rw_chunk_reset", "resilient-write chunk reset"),
    ("rw_chunk_status", "resilient-write chunk status"),
    ("rw_chunk_write", "resilient-write chunk write"),
    ("rw_handoff_read", "resilient-write handoff read"),
    ("rw_handoff_write", "resilient-write handoff write"),
    ("rw_journal_tail", "resilient-write journal tail"),
    ("rw_redact", "resilient-write redact"),
    ("rw_safe_replace", "resilient-write replace"),
    ("rw_safe_write", "resilient-write write"),
    ("rw_scratch_put", "resilient-write scratch put"),
    ("session", "SESSION"),
];

/// Options that are set by being there.
const FLAGS: [&str; 4] = ["--allow-shrink", "--keep", "--regex", "--validate"];

/// A hint in the words of the command line. What is in backticks is a tool, an argument or a command.
pub(crate) fn in_our_words(hint: &str) -> String {
    let mut pieces: Vec<String> = Vec::new();
    for (at, piece) in hint.split('`').enumerate() {
        if at % 2 == 1 {
            pieces.push(word(piece));
            continue;
        }
        let mut rest = piece;
        if let [.., before, flag] = pieces.as_mut_slice()
            && FLAGS.contains(&flag.as_str())
        {
            if let Some(after) = piece.strip_prefix(" false") {
                rest = after;
                if let Some(kept) = before.strip_suffix("pass ") {
                    *before = format!("{kept}leave out ");
                }
            } else {
                rest = piece.strip_prefix(" true").unwrap_or(piece);
            }
        }
        pieces.push(rest.to_owned());
    }
    pieces.join("`")
}

fn word(theirs: &str) -> String {
    if let Some((_, ours)) = WORDS.iter().find(|(word, _)| *word == theirs) {
        return (*ours).to_owned();
    }
    let is_of_name = |it: char| it == '_' || it.is_ascii_lowercase() || it.is_ascii_digit();
    let is_tool = theirs.starts_with("rw_") || theirs.starts_with("rr_");
    if is_tool || theirs.is_empty() || !theirs.chars().all(is_of_name) {
        return theirs.to_owned();
    }
    format!("--{}", theirs.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use super::in_our_words;

    #[test]
    fn what_is_in_backticks_becomes_a_command_or_an_option() {
        assert_eq!(
            in_our_words("pass `mode` overwrite to `rw_safe_write`, not a mode"),
            "pass `--mode` overwrite to `resilient-write write`, not a mode"
        );
        assert_eq!(
            in_our_words("clean it with `keep` true; pass `allow_shrink` true only if"),
            "clean it with `--keep`; pass `--allow-shrink` only if"
        );
        assert_eq!(in_our_words("or pass `regex` false"), "or leave out `--regex`");
        assert_eq!(in_our_words("correct `start_line`: 1"), "correct `--start-line`: 1");
        for same in ["`resilient-write recover`", "`RW_TOOLS`", "`rr_stat`", "an empty ``"] {
            assert_eq!(in_our_words(same), same);
        }
    }
}
