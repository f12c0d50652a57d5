"""What must be true of a workspace, checked without the server.

`Snapshot` is a workspace as its user means it: files with content and attributes, what the state
directory keeps, and the journal's rows; times and the names of rows are left out, so that two runs of the same calls
give equal snapshots. `journal_faults` and `litter` know no scenario.
"""

import hashlib
import json
import os
import re
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STATE = ".resilient_write"
# Files of the state directory that carry no meaning of their own.
MACHINERY = {"lock", "waiting", "format", ".gitignore", "journal.jsonl"}
TIME = re.compile(rb"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
# A chunk session that is begun again knows the row with which it was composed.
ROW = re.compile(rb"wj_[0-9A-Za-z_-]+")
ARCHIVE_TIME = re.compile(r"\d{8}T\d{6}Z_")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def files_below(top: Path) -> list[Path]:
    """All that is no directory, links not followed."""
    found = []
    for base, _, names in os.walk(top):
        found += [Path(base) / name for name in names]
    return sorted(found)


def user_files(workspace: Path) -> dict[str, bytes]:
    """Contents of the regular files outside the state directory."""
    return {str(path.relative_to(workspace)): path.read_bytes() for path in files_below(workspace)
            if STATE not in path.relative_to(workspace).parts and stat.S_ISREG(path.lstat().st_mode)}


def journal_lines(state: Path) -> list[bytes]:
    try:
        text = (state / "journal.jsonl").read_bytes()
    except FileNotFoundError:
        return []
    return text.split(b"\n")


def rows(state: Path) -> list[dict[str, Any]]:
    """The rows that can be read; a torn end is left out."""
    found = []
    for line in journal_lines(state):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def journal_faults(state: Path) -> list[str]:
    """Lines that do not parse, breaks of the chain and of the numbering, doubled identities."""
    lines = journal_lines(state)
    if not lines:
        return []
    faults = [] if lines[-1] == b"" else ["the journal's last line has no end"]
    chain, number = b"", 0
    identities: Counter[str] = Counter()
    for at, line in enumerate(lines[:-1], 1):
        try:
            row = json.loads(line)
        except ValueError:
            faults.append(f"line {at} does not parse: {line[:80]!r}")
            continue
        identities[row["journal_id"]] += 1
        number += 1
        if row.get("seq") != number:
            faults.append(f"line {at} has number {row.get('seq')}, not {number}")
            number = row.get("seq", number)
        # A chain value is over the value before and the row's own line in front of it.
        front, found, value = line.rpartition(b',"chain":"')
        if not found or hashlib.sha256(chain + front).hexdigest().encode() != value[:-2]:
            faults.append(f"line {at} breaks the chain")
        chain = value[:-2]
    faults += [f"row {name} is there {times} times" for name, times in identities.items()
               if times > 1]
    return faults


def litter(workspace: Path, state: Path) -> list[str]:
    """What a killed process left and nobody swept."""
    found = [f"litter {path}" for path in files_below(workspace) if path.name.startswith(".rw-")]
    found += [f"{path} is not empty" for path in files_below(state / "tmp") if path.stat().st_size]
    if (state / "withdrawal").exists():
        found.append("withdrawal is left in the state directory")
    found += [f"{path} is left" for name in ("conflicts", "pending")
              for path in files_below(state / name) if not is_cut(path)]
    return found


def is_cut(path: Path) -> bool:
    """What recovery has cut off the journal, which it keeps."""
    return path.parent.name == "conflicts" and path.suffix == ".cut"


def whole_lines(log: bytes) -> bytes:
    """A log of JSON lines as its readers take it: a torn end says nothing."""
    before, newline, last = log.rpartition(b"\n")
    try:
        json.loads(last or b"0")
    except ValueError:
        return before + newline
    return log if log.endswith(b"\n") or not log else log + b"\n"


@dataclass(frozen=True)
class Snapshot:
    files: dict[str, Any]
    state: dict[str, Any]
    journal: tuple[Any, ...]

    @classmethod
    def of(cls, workspace: Path, state: Path | None = None, without: str = "") -> "Snapshot":
        """Reads a workspace; `without` names a file that is left out with its rows."""
        state = state or workspace / STATE
        files = {}
        for path in files_below(workspace):
            inside = path.relative_to(workspace)
            # Staged content is no file of the user's; whether it stays is for `litter` to say.
            staged = path.name.startswith(".rw-")
            if STATE not in inside.parts and str(inside) != without and not staged:
                files[str(inside)] = cls._facts(path)
        kept = {}
        for path in files_below(state):
            inside = str(path.relative_to(state))
            if inside in MACHINERY or inside.startswith("tmp/") or is_cut(path):
                continue
            content = ROW.sub(b"ROW", TIME.sub(b"TIME", path.read_bytes()))
            if inside == "scratch/index.jsonl" and not (content := whole_lines(content)):
                # Made for a line that did not come: says as much as none.
                continue
            kept[ARCHIVE_TIME.sub("TIME_", inside)] = sha256(content)
        journal = []
        for row in rows(state):
            if row["path"] == without:
                continue
            # The digest of a file that holds a time differs from run to run.
            timed = "/checkpoints/" in row["path"]
            journal.append((row["path"], row["mode"], row["bytes"],
                            "timed" if timed else row["sha256"]))
        return cls(files, kept, tuple(journal))

    @staticmethod
    def _facts(path: Path) -> Any:
        facts = path.lstat()
        if stat.S_ISLNK(facts.st_mode):
            return ("link", os.readlink(path))
        attributes = {name: os.getxattr(path, name) for name in os.listxattr(path)}
        return (sha256(path.read_bytes()), oct(facts.st_mode), facts.st_uid, facts.st_gid,
                facts.st_nlink, tuple(sorted(attributes.items())))

    def equals(self, other: "Snapshot", ordered: bool = True) -> bool:
        mine, theirs = self.journal, other.journal
        if not ordered:
            mine, theirs = tuple(sorted(mine)), tuple(sorted(theirs))
        return (self.files, self.state, mine) == (other.files, other.state, theirs)

    def with_state(self, names: set[str]) -> "Snapshot":
        """The same with no more of the state directory than these files."""
        state = {name: digest for name, digest in self.state.items() if name in names}
        return Snapshot(self.files, state, self.journal)

    def difference(self, other: "Snapshot") -> str:
        """Tells in a line how this differs from what was expected."""
        parts = []
        for what in ("files", "state"):
            mine, theirs = getattr(self, what), getattr(other, what)
            for name in sorted(set(mine) | set(theirs)):
                if mine.get(name) != theirs.get(name):
                    parts.append(f"{name}: {mine.get(name)} for {theirs.get(name)}")
        if self.journal != other.journal:
            mine, theirs = Counter(self.journal), Counter(other.journal)
            parts.append(f"rows too many {list(mine - theirs)}, too few {list(theirs - mine)}")
        return "; ".join(parts)


def current_rows_match(workspace: Path, state: Path) -> list[str]:
    """Whether the newest row of each file that is there tells its content."""
    newest: dict[Any, tuple[Path, str]] = {}
    faults = []
    for row in rows(state):
        path = Path(row["abs_path"])
        try:
            facts = path.stat()
        except FileNotFoundError:
            if not path.is_relative_to(state):
                faults.append(f"{path} has a row and is not there")
            continue
        # By identity: a file may have several names.
        newest[facts.st_dev, facts.st_ino] = path, row["sha256"]
    faults += [f"{path} is not as its newest row says" for path, digest in newest.values()
               if sha256(path.read_bytes()) != digest]
    return faults
