//! The words of the command line for what hints call by the names of MCP: tools and their arguments.

/// Tools and arguments, with the command, the option or the value that does the same here.
const WORDS: &[(&str, &str)] = &[
    ("allow_shrink", "--allow-shrink"),
    ("classify", "--classify"),
    ("content", "--content"),
    ("count", "--count"),
    ("data", "--data"),
    ("encoding", "--encoding"),
    ("envelope", "--envelope"),
    ("expected_prev_sha256", "--expected-prev-sha256"),
    ("format", "--format"),
    ("glob", "--glob"),
    ("index", "INDEX"),
    ("keep", "--keep"),
    ("label", "--label"),
    ("language", "--language"),
    ("mode", "--mode"),
    ("name", "NAME"),
    ("new_string", "--new-string"),
    ("old_string", "--old-string"),
    ("output_path", "PATH"),
    ("path", "PATH"),
    ("redact", "--redact"),
    ("rw_checkpoint", "resilient-write checkpoint save"),
    ("rw_checkpoint_list", "resilient-write checkpoint list"),
    ("rw_checkpoint_read", "resilient-write checkpoint read"),
    ("rw_chunk_append", "resilient-write chunk append"),
    ("rw_chunk_compose", "resilient-write chunk compose"),
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
    ("sha256", "--sha256"),
    ("since", "--since"),
    ("total_expected", "--total-expected"),
    ("ttl", "--ttl"),
    ("validate", "--validate"),
    ("write_to", "--write-to"),
];

/// Options that are set by being there.
const FLAGS: [&str; 3] = ["--allow-shrink", "--keep", "--validate"];

/// A hint in the words of the command line. What is in backticks is a tool, an argument or a command.
pub(crate) fn in_our_words(hint: &str) -> String {
    let mut pieces: Vec<&str> = Vec::new();
    for (at, piece) in hint.split('`').enumerate() {
        let ours = WORDS.iter().find(|(theirs, _)| at % 2 == 1 && *theirs == piece);
        let of_flag = pieces.last().is_some_and(|last| FLAGS.contains(last));
        let piece = piece.strip_prefix(" true").filter(|_| of_flag).unwrap_or(piece);
        pieces.push(ours.map_or(piece, |(_, ours)| ours));
    }
    pieces.join("`")
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
        assert_eq!(in_our_words("`resilient-write recover`"), "`resilient-write recover`");
    }
}
