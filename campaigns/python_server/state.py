"""Calls that make every kind of state, calls that read it, and calls that go on from there."""

import hashlib


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


DATED = "2026-01-02T03:04:05Z"
ENVELOPE = {
    "task_id": "move-42", "status": "partial", "agent": "first",
    "summary": "half — ünïcode: #1",
    "next_steps": ["read a.txt", "it's \"quoted\": yes", "- not a list", "", "00", "1e3", "null",
                   "multi\nline\n", " leading", "trailing ", "{x}", "@at", "é漢\U0001F600", "~",
                   "123e456", "08"],
    "last_good_state": [
        {"path": "a.txt", "sha256": sha256("alpha\nbeta\n")},
        {"path": "gone.txt", "sha256": "0" * 64},
        {"path": "../outside.txt", "sha256": "0" * 64},
    ],
    "notes": {"deep": [1, 2.5, None, True, {"k": "v"}], "when": DATED, "empty": {}, "none": []},
}

POLICY = """\
version: 1
thresholds: {low: 0.05, high: 0.9}
retry_budget: {default: 5}
disable_families: [pii]
extend_patterns:
  api_key:
    - {name: house_key, regex: 'HOUSE-[0-9]{6}'}
  project:
    - {name: codename, regex: '(?i)bluebird'}
"""

# Files that are there before any server: path and content.
FILES = {".resilient_write/policy.yaml": POLICY, ".gitignore": "/.resilient_write/\n"}

WRITE = [
    ("safe_write", {"path": "a.txt", "content": "alpha\n"}),
    ("safe_write", {"path": "a.txt", "content": "beta\n", "mode": "append"}),
    ("safe_write", {"path": "dir/sub/ü 漢.txt", "content": "ä\U0001F600\r\n"}),
    ("safe_write", {"path": "b.txt", "content": "one\n"}),
    ("safe_write", {"path": "b.txt", "content": "two\n", "mode": "overwrite"}),
    ("safe_replace", {"path": "b.txt", "old_string": "two", "new_string": "three"}),
    ("chunk_write", {"session": "whole", "index": 1, "content": "part 1\n", "total_expected": 3}),
    ("chunk_append", {"session": "whole", "content": "part 2\n"}),
    ("chunk_append", {"session": "whole", "content": "pärt 3\n"}),
    ("chunk_write", {"session": "gap", "index": 1, "content": "x"}),
    ("chunk_write", {"session": "gap", "index": 4, "content": "y"}),
    ("chunk_append", {"session": "partial", "content": "first\n", "total_expected": 3}),
    ("chunk_append", {"session": "partial", "content": "second\n"}),
    ("chunk_append", {"session": "done", "content": "only"}),
    ("chunk_compose", {"session": "done", "output_path": "done.txt", "cleanup": True}),
    ("chunk_append", {"session": "kept", "content": "only"}),
    ("chunk_compose", {"session": "kept", "output_path": "kept.txt", "separator": "-"}),
    ("scratch_put", {"content": "secret", "label": "one", "notes": "n", "content_type": "text/x"}),
    ("scratch_put", {"content": "secret", "label": "two"}),
    ("scratch_put", {"content": "AP+ACg==", "encoding": "base64", "label": "one"}),
    ("scratch_put", {"content": "", "label": "ü"}),
    ("checkpoint", {"name": "plan", "data": {"z": 1, "a": [1.5, None, "ü"]}, "ttl": "permanent"}),
    ("checkpoint", {"name": "plan", "data": {"z": 2, "a": [1.5, None, "ü"]}, "ttl": "permanent"}),
    ("checkpoint", {"name": "text", "data": "# t\n", "format": "markdown", "ttl": "P7D"}),
    ("checkpoint", {"name": "null", "data": None, "format": "yaml"}),
    ("checkpoint", {"name": "large", "data": "x" * 1_200_000}),
    ("handoff_write", {"envelope": {**ENVELOPE, "summary": "first"}, "body": "old\n"}),
    ("handoff_write", {"envelope": ENVELOPE, "body": "# Next\n\n---\n\ntext\n\n", "archive": True}),
    ("handoff_write", {"envelope": {**ENVELOPE, "updated_at": DATED}, "path": "notes/H.md"}),
]

SESSIONS = ("whole", "gap", "partial", "done", "kept", "never")
HASHES = [sha256("secret"), sha256(""), hashlib.sha256(b"\x00\xff\x80\n").hexdigest(), "1" * 64]

READ = [
    ("journal_tail", {"n": 1000}),
    ("journal_tail", {"n": 3}),
    ("journal_tail", {"filter_path": "b.txt"}),
    ("journal_tail", {"filter_path": "dir/sub/ü 漢.txt", "n": 5}),
    *[("journal_tail", {"filter_mode": mode, "n": 2})
      for mode in ("create", "overwrite", "append", "replace")],
    ("analytics", {}),
    ("analytics", {"session_filter": "whole"}),
    ("analytics", {"since": "2001-01-01T00:00:00+02:00"}),
    ("analytics", {"since": "2999-01-01T00:00:00Z"}),
    *[("chunk_status", {"session": session}) for session in SESSIONS],
    *[("chunk_preview", {"session": session}) for session in SESSIONS],
    ("chunk_preview", {"session": "whole", "separator": "\n--\n"}),
    *[("scratch_ref", {"sha256": digest}) for digest in HASHES],
    *[("scratch_ref", {"label": label}) for label in ("one", "two", "ü", "never")],
    ("scratch_ref", {"sha256": HASHES[0], "label": "two"}),
    *[("scratch_get", {"sha256": digest, "encoding": encoding})
      for digest in HASHES for encoding in ("utf-8", "base64")],
    *[("checkpoint_read", {"name": name}) for name in ("plan", "text", "null", "large", "never")],
    ("checkpoint_list", {}),
    ("handoff_read", {}),
    ("handoff_read", {"path": "notes/H.md"}),
    ("risk_score", {"content": "HOUSE-123456 and Bluebird for a@example.org"}),
]

# What a server says when it goes on with the state of another: tool, arguments, fields.
GO_ON = [
    ("chunk_append", {"session": "partial", "content": "third\n"}, {"ok": True, "index": 3}),
    ("chunk_append", {"session": "gap", "content": "z"}, {"ok": True, "index": 5}),
    ("chunk_compose", {"session": "partial", "output_path": "partial.txt", "cleanup": True},
     {"ok": True, "sha256": sha256("first\nsecond\nthird\n"), "chunk_count": 3}),
    ("chunk_compose", {"session": "whole", "output_path": "a.txt"},
     {"ok": True, "sha256": sha256("part 1\npart 2\npärt 3\n")}),
    ("chunk_reset", {"session": "gap"}, {"ok": True, "existed": True, "removed": 4}),
    ("safe_write", {"path": "b.txt", "content": "four\n", "mode": "overwrite",
                    "expected_prev_sha256": sha256("three\n")}, {"ok": True, "bytes": 5}),
    ("safe_write", {"path": "b.txt", "content": "x"}, {"ok": False, "error": "stale_precondition"}),
    ("scratch_put", {"content": "secret", "label": "three"}, {"ok": True, "deduped": True}),
    ("scratch_ref", {"sha256": HASHES[0]}, {"ok": True, "alias_count": 3}),
    ("checkpoint", {"name": "large", "data": "small"}, {"ok": True, "chunked": False}),
    ("checkpoint", {"name": "new", "data": [1], "ttl": "PT1H"}, {"ok": True}),
    ("checkpoint_cleanup", {"include_session": False}, {"ok": True, "removed": [], "kept": 5}),
    ("checkpoint_cleanup", {}, {"ok": True, "kept": 3}),
    ("handoff_write", {"envelope": ENVELOPE, "archive": True}, {"ok": True}),
]
