//! What a server tells an agent when it connects. It names only tools that are listed.

use crate::tools::Offer;

const PROMISE: &str = "\
Durable file writes: when a call answers ok, the file is on disk, verified by hash and journaled; \
after a crash it is old or new, never half.";

const CORE: &str = "\
- rw_read_file first: its sha256 is the expected_prev_sha256 with which rw_write_file replaces that file. \
Small edit: rw_edit_file.
- Long file (over ~8 KB or 200 lines): rw_write_part, part by part. A call that is cut at your output limit \
loses only its own part; rw_list_parts says where to go on.
- Find: rw_list_files, rw_search_files. What was written: rw_history.
A failure has ok false and context.hint: one sentence that says what to do; follow it first.";

const WRITE: &str = "\
- Short file: rw_safe_write. It creates by default; to replace, pass mode overwrite and as \
expected_prev_sha256 the sha256 of your last write or of a refusal (context.existing_sha256).
- Small edit: rw_safe_replace.
- Long file (over ~8 KB or 200 lines): rw_chunk_append part by part, then rw_chunk_compose. A \
call that is cut at your output limit loses only its own part; rw_chunk_status says where to go \
on.";

const SECRETS: &str = "\
- Secrets: pass classify, or ask rw_risk_score first. A blocked draft is kept: write it redacted with \
content_from. Keep raw material with rw_scratch_put.";

const SECRETS_AND_REDACT: &str = "\
- Secrets: pass classify, or ask rw_risk_score first. A blocked draft is kept: write it redacted with \
content_from, or see rw_redact. Keep raw material with rw_scratch_put.";

const TASK: &str = "\
- Long task: rw_checkpoint as you go, rw_checkpoint_list after a restart; rw_handoff_write for \
whoever comes next.
A failure has ok false and context.hint: one sentence that says what to do; follow it first. \
suggested_action sums it up: redact, split and escape mean change the content; ask_user means a person \
may have to decide what the hint does not; retry_later means call again as the hint says; abort means \
do not repeat the call as it is.";

const READING: &str = "Reading files that are too large for a context window:";

const FIND: &str = "\
- What is in a file: rr_stat, rr_read_tail, rr_search_then_page (literal or regex; count for totals; glob for \
many files).";

const LIST_AND_FIND: &str = "\
- What is there: rr_list_files. What is in it: rr_stat, rr_read_tail, rr_search_then_page (literal or \
regex; count for totals; glob for many files).";

const READ: &str = "\
- One place: rr_read_lines by line, rr_read_bytes by offset. max_tokens bounds any answer.
- All of it: rr_make_cursor, then rr_read_next with the cursor of each answer until eof.
A file that changed under a cursor is stale_precondition: go on with context.cursor where there is \
one; otherwise what was read has changed, so begin anew.";

/// The instructions of a server, with underscores in names.
pub(crate) fn of(offer: Offer) -> String {
    match offer {
        Offer::Core => [PROMISE, CORE].join("\n"),
        Offer::Paper { with_read: false } => [PROMISE, WRITE, SECRETS, TASK].join("\n"),
        Offer::Paper { with_read: true } => {
            [PROMISE, WRITE, SECRETS, TASK, READING, FIND, READ].join("\n")
        }
        Offer::Full => {
            [PROMISE, WRITE, SECRETS_AND_REDACT, TASK, READING, LIST_AND_FIND, READ].join("\n")
        }
        Offer::Read => [READING, LIST_AND_FIND, READ].join("\n"),
    }
}
