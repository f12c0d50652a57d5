"""Part 5: nothing outside of the workspace is made, changed, read or hashed.

Outside lie files whose content and hash nobody inside knows; the answers are searched for both.
First every trick that holds still, through every tool that takes a path; then a process that
exchanges a directory of the workspace with a link to the outside, thousands of times a second.
"""

import ctypes
import json
import os
import random
import signal
import socket
import time
from pathlib import Path
from typing import Any

from client import Answer, Died, Hung, Server
from oracle import STATE, sha256
from scenarios import Call, chunk, handoff, replace, write
from tally import Tally

AT_FDCWD, RENAME_EXCHANGE, SYS_RENAMEAT2 = -100, 2, 316
TOKEN = "outside-and-unknown"


class Outside:
    """A directory that is none of the server's business, and what it was."""

    def __init__(self, top: Path):
        self.top = top
        (top / "sub").mkdir(parents=True)
        # Names that also exist inside, with content that does not.
        for name in ("secret.txt", "f1.txt", "sub/secret.txt", "HANDOFF.md", "handoff.md"):
            (top / name).write_text(self.content(name))
        (top / "handoff.md").write_text(f"---\ntask_id: {TOKEN}\n---\n")
        self.before = self.look()

    @staticmethod
    def content(name: str) -> str:
        return f"{TOKEN} {name}\n"

    def look(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for base, directories, names in os.walk(self.top):
            for name in directories + names:
                path = Path(base) / name
                facts = path.lstat()
                content = path.read_bytes() if path.is_file() else b""
                found[str(path.relative_to(self.top))] = (
                    facts.st_mode, facts.st_mtime_ns, facts.st_size, content)
        return found

    def changes(self) -> list[str]:
        now = self.look()
        return [f"outside, {name} was made, changed or removed"
                for name in sorted(set(now) | set(self.before))
                if now.get(name) != self.before.get(name)]

    def leaks(self, answer: Answer) -> bool:
        """Whether an answer tells what is in a file outside."""
        text = json.dumps(answer.reply)
        hashes = [sha256(facts[3]) for facts in self.before.values() if facts[3]]
        return TOKEN in text or any(one in text for one in hashes)


def calls_with(path: str) -> list[Call]:
    """Every way in which a tool can be given a path."""
    good = {"path": path, "sha256": "0" * 64}
    envelope = handoff("t")[1]["envelope"]
    return [
        write(path, "inside\n"), write(path, "inside\n", "overwrite"),
        write(path, "inside\n", "append"), replace(path, "outside", "inside"),
        write(path, "inside\n", "overwrite", expected_prev_sha256="0" * 64),
        ("rw_chunk_compose", {"session": "s", "output_path": path}),
        ("rw_handoff_write", {"envelope": envelope, "path": path}),
        ("rw_handoff_write", {"envelope": envelope, "path": path, "archive": True}),
        ("rw_handoff_write", {"envelope": envelope | {"last_good_state": [good]},
                              "path": "drift.md"}),
        ("rw_handoff_read", {"path": path}),
    ]


def tricky_paths(outside: Path, workspace: Path, server_pid: int) -> list[str]:
    up = "../" * 20
    away, here = str(outside), str(workspace)
    return [
        f"{away}/secret.txt", f"{away}/new.txt", f"{away}/new/deep.txt", f"{up}{away[1:]}/new.txt",
        "../new.txt", "../outside/secret.txt", "../outside/new.txt", "d/../../outside/secret.txt",
        "d/../../outside/new.txt", "./../outside/secret.txt", "d/./../..//outside//secret.txt",
        f"{here}/../outside/secret.txt", f"{here}/d/../../outside/new.txt",
        f"/./{away[1:]}/secret.txt", f"//{away[1:]}/secret.txt",
        "to-file", "to-new", "to-dir/secret.txt", "to-dir/new.txt", "to-dir/sub/new.txt",
        "to-dir/new/deep.txt", "to-dir", "to-dir/", "to-dir/.", "to-dir/../outside/secret.txt",
        "to-dir/../new.txt", "relative-link/secret.txt", "relative-link/new.txt", "chain/new.txt",
        "chain/secret.txt", "d/deep-link/secret.txt", "d/deep-link/new.txt", "d/up/new.txt",
        "d/up/outside/secret.txt", "loop/a.txt", "loop", "self-link/../outside/new.txt",
        "root/" + away[1:] + "/secret.txt", "root/" + away[1:] + "/new.txt",
        f"/proc/self/root{away}/secret.txt", f"/proc/self/root{away}/new.txt",
        "/proc/self/cwd/../outside/new.txt", f"/proc/{server_pid}/cwd/../outside/new.txt",
        "/proc/self/fd/0", "/proc/self/environ", "/proc/self/mem", "/dev/shm/new.txt",
        "/dev/null", "/dev/stdin", "/dev/fd/0", "/etc/passwd", "/etc/new.txt", "proc/root/new.txt",
        "proc/root" + away + "/secret.txt", "proc/cwd/../outside/new.txt",
        "fifo", "socket", "device", "d/fifo/x", "to-fifo", "to-null", "a-file/x", "a-file/../x/..",
        "", ".", "..", "/", "//", "./", "d", "d/", "d/.", "d/..", "d/../..", " ", "\t", "\n",
        "\0", "a\0b", "d\0/../../outside/new.txt", "secret.txt\0.md", "n" * 255, "n" * 256,
        "n" * 5000, "n/" * 3000 + "x", "../" * 5000 + "x", "é" * 128, "\ufffd", "\u202e", "a\\b",
        "..\\outside\\new.txt", "~", "~/new.txt", "~root/new.txt", "$HOME/new.txt", "file:///x",
        "C:\\new.txt", "nul", "con", "a:b", "..\u2215outside", "．．/outside/new.txt",
        "bytes-link/new.txt", "bytes-link/secret.txt",
        f"{STATE}/journal.jsonl", f"{STATE}/new.txt", f"{STATE}/chunks/s/part-001.txt",
        f"d/../{STATE}/new.txt", f".RESILIENT_WRITE/new.txt", f"{STATE}./new.txt",
        f"state-link/new.txt", f"state-link/journal.jsonl", f"{STATE}/policy.yaml",
        f"{STATE}/../outside.txt/../{STATE}/lock", f"{here}/{STATE}/format",
        ".git", ".git/config", ".git/hooks/new", ".GIT/config", ".Git/hooks/new", ".git./config",
        ".git /config", "d/../.git/config", "git-link/config", "d/.git/config", ".git::$DATA/x",
        "GIT~1/config", ".g\u200cit/config", "d/.GIT/hooks/post-commit",
    ]


def furnish(workspace: Path, outside: Path) -> None:
    """Files, links of every kind, and what is no file."""
    inside = workspace / "d"
    inside.mkdir(parents=True)
    (workspace / ".git/hooks").mkdir(parents=True)
    (workspace / ".git/config").write_text("[core]\n")
    (workspace / "a-file").write_text("a file\n")
    links = {
        "to-file": outside / "secret.txt", "to-new": outside / "new.txt", "to-dir": outside,
        "relative-link": "../outside", "chain": "chain-1", "chain-1": "d/../chain-2",
        "chain-2": outside, "d/deep-link": outside, "d/up": "../..", "loop": "loop",
        "self-link": ".", "root": "/", "proc": "/proc/self", "to-fifo": "fifo",
        "to-null": "/dev/null", "state-link": STATE, "git-link": ".git",
    }
    for name, to in links.items():
        (workspace / name).symlink_to(to)
    os.symlink(outside, os.fsencode(workspace) + b"/bytes-\xff")
    os.symlink(b"bytes-\xff", os.fsencode(workspace) + b"/bytes-link")
    os.mkfifo(workspace / "fifo")
    os.mkfifo(inside / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(workspace / "socket"))
    if os.geteuid() == 0:
        os.mknod(workspace / "device", 0o600 | 0o020000, os.makedev(1, 3))


def run(binary: Path, ground: Path, quick: bool, seed: int) -> Tally:
    tally = Tally()
    still(binary, ground / "still", tally)
    hard_links(binary, ground / "hard", tally)
    state_elsewhere(binary, ground / "state", tally)
    exchanged(binary, ground / "exchanged", 5 if quick else 180, random.Random(seed), tally)
    return tally


def checked(server: Server, call: Call, outside: Outside, where: str, tally: Tally) -> Answer:
    """Makes a call whose answer must be typed, must come, and must not tell of the outside."""
    answer = server.call(*call, timeout=30)
    tally.count("tries")
    if answer.untyped:
        tally.violations.append(f"{where}: untyped {answer.untyped}"[:600])
    if outside.leaks(answer):
        tally.violations.append(f"{where}: leaks {answer}")
    return answer


def still(binary: Path, ground: Path, tally: Tally) -> None:
    ground.mkdir()
    outside, workspace = Outside(ground / "outside"), ground / "ws"
    furnish(workspace, outside.top)
    above = sorted(os.listdir(ground))
    server = Server(binary, workspace)
    try:
        server.call(*chunk("one\n"))
        kept = {name: (workspace / STATE / name).read_bytes() for name in ("format",)}
        for path in tricky_paths(outside.top, workspace, server.pid()):
            for call in calls_with(path):
                shown = path if len(path) < 60 else path[:50] + "..."
                where = f"{call[0]} {shown!r}"
                answer = checked(server, call, outside, where, tally)
                lands = os.path.normpath(os.path.join(workspace, str(answer.data.get("abs_path",
                                         answer.data.get("path", "")))))
                if answer.ok and "abs_path" in answer.data and \
                        not lands.startswith(f"{workspace}/"):
                    tally.violations.append(f"{where}: writes {lands}")
                for fault in outside.changes():
                    tally.violations.append(f"{where}: {fault}")
                    outside.before = outside.look()
        for name, content in kept.items():
            if (workspace / STATE / name).read_bytes() != content:
                tally.violations.append(f"a tool wrote {STATE}/{name}")
        if (workspace / ".git/config").read_text() != "[core]\n" \
                or os.listdir(workspace / ".git/hooks"):
            tally.violations.append("a tool wrote into .git")
        for special in ("fifo", "socket", "device"):
            if (workspace / special).is_file():
                tally.violations.append(f"the {special} was replaced by a file")
        if sorted(os.listdir(ground)) != above:
            tally.violations.append(f"beside the workspace: {sorted(os.listdir(ground))}")
        # What the schema cannot keep out: halves of characters.
        for half in ("\\ud800", "d/\\udcff/x"):
            line = json.dumps({"jsonrpc": "2.0", "id": 777, "method": "tools/call", "params": {
                "name": "rw_safe_write", "arguments": {"path": "PATH", "content": "x"}}})
            server.send_bytes(line.replace("PATH", half).encode() + b"\n")
            answer = Answer(server.reply(777))
            tally.count("tries")
            if answer.untyped or answer.ok:
                tally.violations.append(f"half a character: {answer.untyped or answer}")
        server.close()
    except (Died, Hung) as error:
        tally.violations.append(f"confinement: the server: {error!r}")
    finally:
        server.kill()


def hard_links(binary: Path, ground: Path, tally: Tally) -> None:
    """A file inside that is also a file outside: its content is not replaced.

    An append is let through: it is the same file, under a name that somebody gave it inside.
    """
    ground.mkdir()
    outside, workspace = Outside(ground / "outside"), ground / "ws"
    workspace.mkdir()
    large = outside.top / "large.txt"
    large.write_text("large\n" * 30_000)
    os.link(outside.top / "secret.txt", workspace / "small.txt")
    os.link(large, workspace / "large.txt")
    outside.before = outside.look()
    with Server(binary, workspace) as server:
        server.call(*chunk("one\n"))
        for name in ("small.txt", "large.txt"):
            for call in calls_with(name):
                if call[1].get("mode") == "append":
                    continue
                answer = server.call(*call, timeout=30)
                tally.count("tries")
                where = f"{call[0]} on a hard link to outside"
                if answer.untyped:
                    tally.violations.append(f"{where}: untyped {answer.untyped}")
                for fault in outside.changes():
                    tally.violations.append(f"{where}: {fault}")
                    outside.before = outside.look()


def state_elsewhere(binary: Path, ground: Path, tally: Tally) -> None:
    """The state directory, or a part of it, is a link."""
    parts = ["", "tmp", "chunks", "chunks/s", "scratch", "checkpoints", "handoffs", "conflicts",
             "journal.jsonl", "lock", "format", "withdrawal", "scratch/index.jsonl",
             "checkpoints/c.json", "chunks/s/manifest.json", "chunks/s/part-001.txt"]
    for at, part in enumerate(parts):
        for to in ("directory", "file", "nothing"):
            place = ground / f"{at}-{to}"
            place.mkdir(parents=True)
            outside, workspace = Outside(place / "outside"), place / "ws"
            link = workspace / STATE / part
            link.parent.mkdir(parents=True)
            (workspace / "HANDOFF.md").write_text("---\na: 1\n---\n")
            link.symlink_to({"directory": outside.top, "file": outside.top / "secret.txt",
                             "nothing": outside.top / "new"}[to])
            where = f"{STATE}/{part} is a link to a {to} outside"
            server = Server(binary, workspace)
            try:
                for call in (write("a.txt", "new\n"), chunk("one\n"), chunk("two\n", 1),
                             ("rw_scratch_put", {"content": "kept\n", "label": "l"}),
                             ("rw_checkpoint", {"name": "c", "data": 1}),
                             handoff("t", archive=True), ("rw_checkpoint_cleanup", {}),
                             ("rw_chunk_preview", {"session": "s"}),
                             ("rw_chunk_status", {"session": "s"}),
                             ("rw_chunk_compose", {"session": "s", "output_path": "o.txt",
                                                   "cleanup": True}),
                             ("rw_chunk_reset", {"session": "s"}),
                             ("rw_checkpoint_list", {}), ("rw_checkpoint_read", {"name": "c"}),
                             ("rw_scratch_ref", {"label": "l"}), ("rw_journal_tail", {}),
                             ("rw_analytics", {}), ("rw_handoff_read", {})):
                    checked(server, call, outside, f"{where}, {call[0]}", tally)
                server.close()
            except (Died, Hung) as error:
                tally.violations.append(f"{where}: the server: {error!r}")
            finally:
                server.kill()
            tally.violations += [f"{where}: {fault}" for fault in outside.changes()]


def exchange_for_ever(one: Path, other: Path) -> None:
    libc = ctypes.CDLL(None)
    first, second = os.fsencode(one), os.fsencode(other)
    while True:
        libc.syscall(SYS_RENAMEAT2, AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE)


def exchanged(binary: Path, ground: Path, seconds: int, chance: random.Random,
              tally: Tally) -> None:
    """A directory that is a link to the outside every other moment."""
    ground.mkdir()
    outside, workspace = Outside(ground / "outside"), ground / "ws"
    for where in ("d", "e/sub"):
        (workspace / where).mkdir(parents=True)
        for name in ("secret.txt", "f1.txt"):
            (workspace / where / name).write_text("inside\n")
    (workspace / "d-link").symlink_to(outside.top)
    (workspace / "e-link").symlink_to(outside.top)
    children = []
    for one, other in (("d", "d-link"), ("e", "e-link")):
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            exchange_for_ever(workspace / one, workspace / other)
        children.append(child)
    server = Server(binary, workspace)
    try:
        server.call(*chunk("one\n"))
        end = time.monotonic() + seconds
        number = 0
        while time.monotonic() < end:
            number += 1
            path = chance.choice(["d/secret.txt", "d/f1.txt", f"d/n{number}.txt", "e/sub/secret.txt",
                                  f"e/sub/n{number % 50}.txt", f"d/new{number % 50}/deep/n.txt",
                                  "d-link/secret.txt", "d-link/f1.txt", "d/HANDOFF.md",
                                  "d/handoff.md", f"d/../d/m{number % 50}.txt",
                                  "e/../d/secret.txt"])
            for call in chance.sample(calls_with(path), 4):
                answer = checked(server, call, outside, f"exchanged, {call[0]} {path}", tally)
                tally.count("exchanged: done" if answer.ok else "exchanged: refused")
            if number % 50 == 0:
                tally.violations += [f"exchanged: {fault}" for fault in outside.changes()]
                outside.before = outside.look()
        server.close()
    except (Died, Hung) as error:
        tally.violations.append(f"exchanged: the server: {error!r}")
    finally:
        server.kill()
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    tally.violations += [f"exchanged: {fault}" for fault in outside.changes()]
