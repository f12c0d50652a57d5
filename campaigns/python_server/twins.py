"""The calls that both servers are sent, in the same order, in workspaces of the same content."""

import json

from state import DATED, ENVELOPE, POLICY, sha256

LATEX = r"""\documentclass{article}
\begin{document}
Some_text at https://example.org/a%20b
\being{x} $a_1$ \texttt{b_c}
% a_comment
\begin{itemize} \item \end{enumerate}
}{
\end{document}
"""


def put(path, content):
    """Not a call: a file that somebody else writes."""
    return ("put", {"path": path, "content": content})


def secrets():
    """Texts in which the risk score finds something; built, so that no scanner finds them here."""
    tail = "Ab1" * 20
    jwt = "eyJ" + "a" * 10
    yield from (
        f"sk-ant-oat01-{tail}", f"sk-ant-api03-{tail}", f"sk-proj-{tail}", f"sk-{tail}",
        "pub" + "0af" * 10 + "01", f"client-{tail}", "AKIA" + "A1" * 8,
        f"Authorization: Bearer {tail}", *[f"gh{kind}_" + "Z9" * 18 for kind in "opusr"],
        f"{jwt}.{jwt}.sig", "-----BEGIN RSA " + "PRIVATE KEY-----",
        "-----BEGIN " + "PRIVATE KEY-----",
        f'aws_secret_access_key = "{"k" * 40}"', "a@example.org b@example.org", "078-05-1120",
        "QUJD" * 60, "x" * 2001, "y\n" * 5001, "z" * 100_001, "w\n" * 250_001,
        f"two families: ghp_{'Z9' * 18} sk-{tail}", "", "\n", "plain ünïcode\r\n\u2028end",
        "٠٧٨-٠٥-١١٢٠", "sk-short",
    )


def writes():
    for arguments in (
        {"path": "w.txt", "content": "one\n"},
        {"path": "w.txt", "content": "two\n"},
        {"path": "w.txt", "content": "two\n", "mode": "create", "expected_prev_sha256": "x"},
        {"path": "w.txt", "content": "two\n", "mode": "overwrite"},
        {"path": "w.txt", "content": "two\n", "mode": "overwrite"},
        {"path": "w.txt", "content": "3\n", "mode": "overwrite", "expected_prev_sha256": "0" * 64},
        {"path": "w.txt", "content": "3\n", "mode": "overwrite", "expected_prev_sha256": ""},
        {"path": "w.txt", "content": "3\n", "mode": "append",
         "expected_prev_sha256": sha256("two\n")},
        {"path": "w.txt", "content": "", "mode": "append"},
        {"path": "new.txt", "content": "n", "mode": "append"},
        {"path": "new2.txt", "content": "", "mode": "overwrite", "expected_prev_sha256": ""},
        {"path": "new3.txt", "content": "x", "expected_prev_sha256": "0" * 64},
        {"path": "deep/er/file", "content": "x"},
        {"path": "./deep/../deep/er/./file2", "content": "x"},
        {"path": "deep//er///file3", "content": "x"},
        {"path": "deep/er/file/below", "content": "x"},
        {"path": "deep/er", "content": "x"},
        {"path": "deep/er", "content": "x", "mode": "overwrite"},
        {"path": "deep/er/", "content": "x", "mode": "append"},
        {"path": "", "content": "x"},
        {"path": ".", "content": "x", "mode": "overwrite"},
        {"path": "../out.txt", "content": "x"},
        {"path": "/etc/passwd", "content": "x"},
        {"path": "/nowhere/at/all", "content": "x", "mode": "append"},
        {"path": "deep/../../out.txt", "content": "x"},
        {"path": "~/home.txt", "content": "x"},
        {"path": " spaces .txt", "content": "x"},
        {"path": "漢/é\U0001F600.txt", "content": "漢"},
        {"path": "back\\slash.txt", "content": "x"},
        {"path": "n" * 255, "content": "x"},
        {"path": "n" * 300, "content": "x"},
        {"path": "{workspace}/absolute.txt", "content": "x"},
        {"path": "link.txt", "content": "through\n", "mode": "overwrite"},
        {"path": "outside_link.txt", "content": "x", "mode": "overwrite"},
        {"path": "w.txt"}, {"content": "x"}, {},
        {"path": "w.txt", "content": None}, {"path": 1, "content": "x"},
        {"path": "w.txt", "content": "x", "mode": "Append"},
        {"path": "w.txt", "content": "x", "mode": None},
        {"path": "w.txt", "content": "x", "more": 1},
        {"path": "w.txt", "content": "x", "classify": "yes"},
        {"path": "w.txt", "content": "x", "classify_reject_at": "safe"},
        {"path": "w.txt", "content": "x", "expected_prev_sha256": None},
        {"path": ".resilient_write/x", "content": "x"},
        {"path": ".git/config", "content": "x"},
    ):
        yield ("safe_write", arguments)
    for level in ("low", "medium", "high"):
        for number, text in enumerate(("a@example.org", "ghp_" + "Z9" * 18, "clean",
                                       "sk-" + "Ab1" * 20 + " ghp_" + "Z9" * 18)):
            yield ("safe_write", {"path": f"c-{level}-{number}", "content": text,
                                  "classify": True, "classify_reject_at": level})


def replaces():
    yield put("r.txt", b"one two two three\n")
    yield put("latin1.txt", b"caf\xe9 one\n")
    yield put("binary.bin", b"\x00\xff\xfe")
    for arguments in (
        {"old_string": "one", "new_string": "ONE"},
        {"old_string": "two", "new_string": "2"},
        {"old_string": "two", "new_string": "2", "count": 3},
        {"old_string": "two", "new_string": "2", "count": 2},
        {"old_string": "2", "new_string": "two", "count": -1},
        {"old_string": "2", "new_string": "two", "count": -1},
        {"old_string": "t", "new_string": "T", "count": -2},
        {"old_string": "two", "new_string": "", "count": -1},
        {"old_string": "", "new_string": "x"},
        {"old_string": "x", "new_string": "x", "count": 0},
        {"old_string": "three", "new_string": "three"},
        {"old_string": "three", "new_string": "3", "expected_prev_sha256": "0" * 64},
        {"old_string": "three", "new_string": "3", "path": "nothing.txt"},
        {"old_string": "three", "new_string": "3", "path": "../out.txt"},
        {"old_string": "three", "new_string": "3", "path": ""},
        {"old_string": "three", "new_string": "3", "path": "deep"},
        {"old_string": "one", "new_string": "1", "path": "latin1.txt"},
        {"old_string": "absent", "new_string": "1", "path": "latin1.txt"},
        {"old_string": "a", "new_string": "1", "path": "binary.bin"},
        {"old_string": "three", "new_string": "ghp_" + "Z9" * 18, "classify": True,
         "classify_reject_at": "low"},
        {"old_string": "three", "new_string": "é漢\U0001F600"},
        {"old_string": "three"}, {"new_string": "x"}, {"old_string": 1, "new_string": "x"},
        {"old_string": "é", "new_string": "x", "count": 1.0},
        {"old_string": "ONE", "new_string": "x", "count": 1.5},
        {"old_string": "ONE", "new_string": "x", "count": "1"},
    ):
        yield ("safe_replace", {"path": "r.txt", **arguments})


def chunks():
    names = ("s", "S-_9", "n" * 64, "n" * 65, "", "a b", "a/b", "..", "ü", "a\n")
    for name in names:
        yield ("chunk_write", {"session": name, "index": 1, "content": "x"})
        yield ("chunk_append", {"session": name, "content": "y\n"})
        yield ("chunk_status", {"session": name})
        yield ("chunk_preview", {"session": name})
        yield ("chunk_compose", {"session": name, "output_path": "composed.txt"})
        yield ("chunk_reset", {"session": name})
    for index in (0, -1, 1, 2.0, 999, 1000, 1.5, "1", None, True, 10**20):
        yield ("chunk_write", {"session": "i", "index": index, "content": "x"})
    yield ("chunk_append", {"session": "i", "content": "beyond 999"})
    for total in (0, 1, 2, 999, 1000, "2", None, 1.5):
        yield ("chunk_write", {"session": "t", "index": 1, "content": "x", "total_expected": total})
        yield ("chunk_append", {"session": f"t{total}", "content": "x", "total_expected": total})
    yield ("chunk_write", {"session": "t", "index": 5, "content": "x", "total_expected": 3})
    yield ("chunk_write", {"session": "t", "index": 5, "content": "x"})
    yield ("chunk_status", {"session": "t"})
    yield ("chunk_write", {"session": "m", "index": 1, "content": "x", "total_expected": 2})
    for tool, more in (("chunk_preview", {}), ("chunk_compose", {"output_path": "m.txt"})):
        yield (tool, {"session": "m", **more})
    for index in (3, 2):
        yield ("chunk_write", {"session": "m", "index": index, "content": "ü"})
        for tool, more in (("chunk_preview", {}), ("chunk_compose", {"output_path": "m.txt"})):
            yield (tool, {"session": "m", "separator": "--", **more})
    yield ("chunk_write", {"session": "m", "index": 3, "content": "again", "total_expected": 3})
    for path in ("m.txt", "m.txt", "../m.txt", "", "deep", "m/n/o.txt"):
        yield ("chunk_compose", {"session": "m", "output_path": path, "separator": "\n"})
    yield put(".resilient_write/chunks/m/part-002.txt", b"\xff\xfe")
    yield ("chunk_preview", {"session": "m"})
    yield ("chunk_compose", {"session": "m", "output_path": "m.txt"})
    yield put(".resilient_write/chunks/m/manifest.json", b"{broken")
    yield ("chunk_status", {"session": "m"})
    yield ("chunk_append", {"session": "m", "content": "x"})
    yield put(".resilient_write/chunks/m/manifest.json", b"[]")
    yield ("chunk_status", {"session": "m"})
    yield ("chunk_compose", {"session": "m", "output_path": "m.txt", "cleanup": True})
    yield ("chunk_reset", {"session": "m"})
    yield ("chunk_reset", {"session": "m"})
    yield ("chunk_write", {"session": "o", "index": 3, "content": "x"})
    yield ("chunk_compose", {"session": "o", "output_path": "o.txt"})
    yield ("chunk_preview", {"session": "o"})


def scratch():
    for arguments in (
        {"content": "s"}, {"content": "s", "label": "l", "content_type": "c", "notes": "n"},
        {"content": "cw==", "encoding": "base64"}, {"content": "cw", "encoding": "base64"},
        {"content": "c w==", "encoding": "base64"}, {"content": "cw==\n", "encoding": "base64"},
        {"content": "-_==", "encoding": "base64"}, {"content": "", "encoding": "base64"},
        {"content": "s", "encoding": "utf8"}, {"content": "s", "label": None}, {},
        {"content": "/+8=", "encoding": "base64", "label": "binary"},
    ):
        yield ("scratch_put", arguments)
    digests = [sha256("s"), sha256(""), "0" * 64, "0" * 63, "A" * 64, "", "../x"]
    for digest in digests:
        yield ("scratch_ref", {"sha256": digest})
        yield ("scratch_ref", {"sha256": digest, "label": "l"})
        yield ("scratch_get", {"sha256": digest})
    for arguments in ({}, {"label": ""}, {"label": "none"}, {"label": "l"}, {"label": 1}):
        yield ("scratch_ref", arguments)
    binary = "3a72fb1f9a5aa0ebbd4eb51df0e7a3ddcbb15fcbb8ad1ea1e3f9cb3a9a32a9e5"
    yield ("scratch_ref", {"label": "binary"})
    yield ("scratch_get", {"sha256": binary, "encoding": "utf-8"})
    yield ("scratch_get", {"sha256": sha256("s"), "encoding": "hex"})
    yield put(f".resilient_write/scratch/{sha256('s')}.bin", b"changed")
    yield ("scratch_get", {"sha256": sha256("s")})
    yield ("scratch_ref", {"sha256": sha256("s")})


def checkpoints():
    for name in ("c", "n" * 64, "n" * 65, "", "a b", "../c", "ü"):
        yield ("checkpoint", {"name": name, "data": 1})
        yield ("checkpoint_read", {"name": name})
    for data in (None, True, 0, -1, 1.5, 31.245270191439438, 1e300, 2**53, 2**63, 10**25, "",
                 "ü\u2028\U0001F600", [], {},
                 [[[1]]], {"b": 1, "a": {"d": 1, "c": [None]}}, {"": ""}):
        yield ("checkpoint", {"name": "data", "data": data})
        yield ("checkpoint_read", {"name": "data"})
    for ttl in ("P1D\n", "session", "permanent", "P", "PT", "P1D", "P1Y2M3DT4H5M6S", "PT1S", "P1W",
                "P1.5D", "1D", "", "p1d", None, 1, "P2D"):
        yield ("checkpoint", {"name": "ttl", "data": 1, "ttl": ttl})
    for form in ("json", "yaml", "markdown", "text", None):
        yield ("checkpoint", {"name": "form", "data": {"k": [1]}, "format": form})
    yield ("checkpoint", {"name": "nothing"})
    yield ("checkpoint", {"data": 1})
    for name, content in (
        ("broken", b"{"), ("list", b"[1]"), ("bare", b"{}"), ("bytes", b"\xff"),
        ("expired", b'{"data":1,"ttl":"P1D","updated_at":"2001-01-01T00:00:00Z"}'),
        ("zero", b'{"data":1,"ttl":"P","updated_at":"2001-01-01T00:00:00Z"}'),
        ("undated", b'{"data":1,"ttl":"P1D","updated_at":"then"}'),
        ("dataonly", b'{"data":[1.50, 1e5]}'),
    ):
        yield put(f".resilient_write/checkpoints/{name}.json", content)
        if name != "bytes":
            yield ("checkpoint_read", {"name": name})
    yield put(".resilient_write/checkpoints/bytes.json", b"{")
    yield ("checkpoint_list", {})
    yield ("checkpoint", {"name": "broken", "data": "mended"})
    yield ("checkpoint_cleanup", {"include_session": False})
    yield ("checkpoint_cleanup", {"include_session": 1})
    yield ("checkpoint_cleanup", {})
    yield ("checkpoint_cleanup", {})
    yield ("checkpoint_list", {})


def handoffs():
    good = ENVELOPE
    for change in (
        {}, {"status": "complete"}, {"status": "done"}, {"status": None}, {"next_steps": "one"},
        {"next_steps": []}, {"last_good_state": []}, {"last_good_state": {}},
        {"last_good_state": ["a.txt"]}, {"last_good_state": [{"path": "a.txt"}]},
        {"last_good_state": [{"path": "r.txt", "sha256": "0" * 64, "extra": 1}]},
        {"last_good_state": [{"path": "", "sha256": ""}]}, {"updated_at": DATED},
        {"updated_at": "when it was"}, {"task_id": 7}, {"summary": None}, {"summary": "a: b # c"},
        {"summary": "---\nnot the end\n---\n"}, {"extra": {"deep": [{"a": [1, {}]}, []]}},
        {"yes": "no", "on": "off", "0x1f": "0o17", "1_000": "12:30:45", "=": "<<"},
        {"date": "2026-01-01", "float": "1.", "inf": ".inf", "tab": "a\tb", "cr": "a\r\nb"},
        {"numbers": [0, -1, 1.5, 1e100, 2**63, 0.1, 1e-7, -0.0]},
        {"long": "word " * 100}, {"control": "\u0007\u0085\ufeff"}, {"key with: colon": 1, "?": 1},
        {"123e456": ["1.5e3", "-2E5", "+.5", "0o17", "08", "y", "N", "_1", "0x", ".5"]},
    ):
        yield ("handoff_write", {"envelope": {**good, **change}, "body": "text\n"})
        yield ("handoff_read", {})
    for missing in ("task_id", "status", "last_good_state"):
        envelope = {key: value for key, value in good.items() if key != missing}
        yield ("handoff_write", {"envelope": envelope})
    for body in ("", "\n", "  x  \n\n\n", "---\n---\n", "ü\r\nx", "\n\nlead"):
        yield ("handoff_write", {"envelope": good, "body": body})
        yield ("handoff_read", {})
    for path in ("sub/H.md", "../H.md", "", "deep", "{workspace}/H2.md"):
        yield ("handoff_write", {"envelope": good, "path": path})
        yield ("handoff_read", {"path": path})
    yield ("handoff_write", {"envelope": good, "archive": True})
    yield ("handoff_write", {"envelope": {**good, "task_id": "a/b"}, "archive": True})
    yield ("handoff_write", {"envelope": []})
    yield ("handoff_write", {})
    for number, text in enumerate((
        b"", b"---\n", b"no front", b"---\na: 1\n---\n", b"---\na: 1\n",
        b"---\n: : :\n\t-\n---\n", b"---\n- 1\n---\n", b"---\n---\nbody", b"\xff",
        b"---\ntask_id: t\nstatus: partial\nagent: a\nsummary: s\n"
        b"next_steps: [x]\nlast_good_state: []\n---\nbody\n---\nmore\n",
        b"---\r\ntask_id: t\r\nstatus: partial\r\nagent: a\r\nsummary: |\r\n  x\r\n"
        b"next_steps: &a [x]\r\nlast_good_state: []\r\nagain: *a\r\n---\r\nbody\r\n",
    )):
        yield put(f"h{number}.md", text)
        yield ("handoff_read", {"path": f"h{number}.md"})


def validations():
    texts = {
        "latex": (LATEX, "", "}", "{", "\\end{a}", "plain", "\\begin{a}\n\\begin{b}\n",
                  "ftp://a%b \\% a_b $ c_d $", "\\begin{a}\\end{b}\\being\\beings"),
        "json": ('{"key":}', "", "[1,]", '{"a":1,"a":2}', "NaN", "[1", '"\\x"', "nul", "{} {}",
                 "01",
                 "\ufeff{}", '{"a" 1}', "[1 2]", '"a\nb"', "{'a':1}", '{"a":1,}', "-Infinity"),
        "python": ("def foo(", "", "x = 1\n", "x = = 1\n", "if x:\npass\n", "  x\n", "print 'x'\n",
                   "match x:\n    case 1: pass\n", "'abc\n", "x = 1\n\ty = 2\n", "return 1\n"),
        "yaml": ("a: 1", "", "a: [", "a: 1\n- b", "a: 1\n---\nb: 2\n", "\ta: 1", "a: b: c", "*x",
                 "a: 'x", "{a: 1", "k: 1\nk: 2", "%TAG x\n"),
    }
    for form, all_texts in texts.items():
        for text in all_texts:
            yield ("validate", {"content": text, "format_hint": form})
    for target in ("a.TEX", "a.json", "a.py", "a.yaml", "a.yml", "a.txt", "a", None, ".json"):
        if target is not None:
            yield ("validate", {"content": "{", "target_path": target})
    for text in ("  {}", "[1]", "---\na: 1", "text", "\n\n{", ""):
        yield ("validate", {"content": text})
    yield ("validate", {"content": "x", "format_hint": "html"})
    yield ("validate", {})


def journal():
    """A journal of the same rows for both; the last is torn by a crash."""
    rows = []
    for number in range(130):
        path = (f".resilient_write/chunks/s{number % 3}/part-{number % 7 + 1:03}.txt",
                f".resilient_write/checkpoints/c{number % 4}.json", "a.txt", f"f{number}.txt")
        rows.append({
            "journal_id": f"wj_{number:020x}",
            "ts": f"2026-01-{number % 28 + 1:02}T00:{number % 60:02}:00Z",
            "path": path[number % 4], "sha256": sha256(str(number)), "bytes": number * 10,
            "mode": ("create", "overwrite", "append", "replace")[number % 4],
            "caller": ("one", "two")[number % 2]})
    rows[7]["ts"] = "not a time"
    rows[8]["unknown"] = {"more": [1]}
    return "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows).encode()


def journals():
    yield put(".resilient_write/journal.jsonl", journal())
    for arguments in (
        {}, {"n": 1}, {"n": 0}, {"n": -1}, {"n": 1.0}, {"n": 10**6}, {"n": "1"},
        {"filter_path": "a.txt"}, {"filter_path": "never"}, {"filter_path": ""},
        {"filter_path": "a.txt", "filter_mode": "append"}, {"filter_mode": "delete"},
    ):
        yield ("journal_tail", arguments)
    for arguments in (
        {}, {"since": DATED}, {"since": "2026-01-15T00:00:00+05:30"}, {"since": "yesterday"},
        {"since": "2026-01-01T00:00:00"},
        {"since": "2026-01-01"}, {"since": ""}, {"since": "2999-01-01T00:00:00+00:00"},
        {"session_filter": "s1"}, {"session_filter": "never"}, {"session_filter": ""}, {"since": 1},
        {"more": 1},
    ):
        yield ("analytics", arguments)


def policies():
    texts = (
        POLICY, "", "[]", "a: [", "version: 2", "thresholds: {low: 0.0}",
        "thresholds: {medium: 0.1}",
        "extend_patterns: {api_key: [{name: bad, regex: '('}]}", "extend_patterns: []",
        "extend_patterns: {x: [{name: only}], y: text, z: [1]}", "retry_budget: 7",
        "retry_budget: {default: 0}", "disable_families: github_pat",
        "disable_families: [github_pat, api_key]", "null", "just text",
        "extend_patterns: {api_key: [{name: look, regex: 'a(?=b)'}]}",
    )
    for text in texts:
        yield put(".resilient_write/policy.yaml", text.encode())
        yield ("risk_score", {"content": "ab HOUSE-123456 ghp_" + "Z9" * 18 + " a@example.org"})
        yield ("safe_write", {"path": "p.txt", "content": "ghp_" + "Z9" * 18, "mode": "overwrite",
                              "classify": True, "classify_reject_at": "medium"})
    yield ("safe_write", {"path": "p.txt", "content": "no policy is read", "mode": "overwrite"})


def calls():
    """All of them. The order matters: each finds what the earlier ones left."""
    for text in secrets():
        yield ("risk_score", {"content": text, "language_hint": "x", "target_path": "y"})
    for arguments in ({}, {"content": 1}, {"content": "x", "language_hint": None}):
        yield ("risk_score", arguments)
    yield from writes()
    yield from replaces()
    yield from chunks()
    yield from scratch()
    yield from handoffs()
    yield from checkpoints()
    yield from validations()
    yield from journals()
    yield from policies()
    yield ("rw.unknown", {})
    yield put(".resilient_write/journal.jsonl", b'{"torn')
    yield ("journal_tail", {})
    yield ("analytics", {})
