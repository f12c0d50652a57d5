"""The workload: every tool that changes something, each in a small scene of its own."""

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from client import Server
from oracle import (STATE, Snapshot, current_rows_match, journal_faults, litter, user_files)
from tracer import Fault

Call = tuple[str, dict[str, Any]]
PROBE = "probe.txt"


def write(path: str, content: str, mode: str = "create", **more: Any) -> Call:
    return "rw_safe_write", {"path": path, "content": content, "mode": mode, **more}


def replace(path: str, old: str, new: str) -> Call:
    return "rw_safe_replace", {"path": path, "old_string": old, "new_string": new}


def chunk(content: str, index: int | None = None) -> Call:
    if index is None:
        return "rw_chunk_append", {"session": "s", "content": content}
    return "rw_chunk_write", {"session": "s", "index": index, "content": content}


def compose(path: str, cleanup: bool = False) -> Call:
    return "rw_chunk_compose", {"session": "s", "output_path": path, "cleanup": cleanup}


def scratch(content: str, label: str) -> Call:
    return "rw_scratch_put", {"content": content, "label": label}


def handoff(task: str, archive: bool = False) -> Call:
    envelope = {"task_id": task, "status": "partial", "agent": "a", "summary": "s",
                "next_steps": ["n"], "last_good_state": [], "updated_at": "earlier"}
    return "rw_handoff_write", {"envelope": envelope, "body": "text", "archive": archive}


def checkpoint(name: str, data: Any, ttl: str = "session") -> Call:
    return "rw_checkpoint", {"name": name, "data": data, "ttl": ttl}


@dataclass(frozen=True)
class Scenario:
    """Calls under fault, after calls that are not."""

    name: str
    calls: tuple[Call, ...]
    setup: tuple[Call, ...] = ()
    prepare: Callable[[Path], None] | None = None
    # The calls are sent at once, so that they may share a batch; they are independent.
    together: bool = False
    # Files to which is appended where they are: a reader may see the beginning of the addition.
    grows: frozenset[str] = frozenset()
    # Files that are written through their links: a reader may see anything in between.
    through: frozenset[str] = frozenset()
    # A call that removes several files, none of which needs the others, removes them one by one.
    one_by_one: bool = False
    # The state directory is on another device than the workspace.
    apart: bool = False


def with_attributes(workspace: Path) -> None:
    script = workspace / "run.sh"
    script.write_text("#!/bin/sh\necho old\n")
    os.setxattr(script, "user.note", b"kept")
    os.chown(script, 1234, 1234) if os.geteuid() == 0 else None
    script.chmod(0o754)


def hard_linked(workspace: Path) -> None:
    (workspace / "one.txt").write_text("old\n" * 3000)
    os.link(workspace / "one.txt", workspace / "two.txt")
    (workspace / STATE).mkdir()
    (workspace / STATE / "policy.yaml").write_text("hard_links: in_place\n")


def linked(workspace: Path) -> None:
    (workspace / "docs").mkdir()
    (workspace / "docs/real.md").write_text("old\n")
    (workspace / "AGENTS.md").symlink_to("docs/real.md")


def old_and_log(workspace: Path) -> None:
    (workspace / "a.txt").write_text("old a\n")
    (workspace / "log.txt").write_text("line\n" * 20_000)


# Put together here, so that no scanner takes this file for a leak.
SECRETS = " ".join(["AKIA" + "A" * 16, "ghp_" + "a" * 36])
LONG = "x" * 78 + "\n"
SCENARIOS = (
    Scenario("first", (write("a.txt", "first\n"), write("b.txt", "second\n"))),
    Scenario("create", (write("new.txt", LONG * 2000), write("empty.txt", "")),
             setup=(write("a.txt", "old\n"),)),
    Scenario("directories", (write("p/q/r/a.txt", "deep\n"), write("p/q/s/b.txt", "deep too\n")),
             setup=(write("a.txt", "old\n"),)),
    Scenario("overwrite", (write("run.sh", "#!/bin/sh\necho new\n", "overwrite"),
                           write("run.sh", "#!/bin/sh\necho newest\n", "overwrite")),
             prepare=with_attributes),
    Scenario("unchanged", (write("a.txt", "old a\n", "overwrite"),), prepare=old_and_log),
    Scenario("link", (write("AGENTS.md", "new\n", "overwrite"),), prepare=linked),
    Scenario("hard_link", (write("one.txt", "new\n" * 2000, "overwrite"),
                           write("two.txt", "newest\n" * 4000, "overwrite")),
             prepare=hard_linked, through=frozenset({"one.txt", "two.txt"})),
    Scenario("append", (write("a.txt", "more\n", "append"), write("none.txt", "new\n", "append"),
                        write("a.txt", "still more\n", "append")), prepare=old_and_log),
    Scenario("append_in_place", (write("log.txt", LONG * 200, "append"),
                                 write("log.txt", "last\n", "append")),
             prepare=old_and_log, grows=frozenset({"log.txt"})),
    Scenario("replace", (replace("a.txt", "old", "new"), replace("a.txt", "new a", "newest")),
             prepare=old_and_log),
    Scenario("chunks", (chunk("one\n", 1), chunk("two\n"), chunk("one again\n", 1))),
    Scenario("compose", (compose("out/joined.txt"), chunk("three\n"), compose("out/joined.txt")),
             setup=(chunk("one\n", 1), chunk("two\n"))),
    Scenario("compose_cleanup", (compose("joined.txt", cleanup=True), chunk("anew\n")),
             setup=(chunk("one\n", 1), chunk("two\n"))),
    Scenario("compose_unchanged", (compose("joined.txt", cleanup=True),),
             setup=(chunk("one\n", 1), chunk("two\n"), compose("joined.txt"))),
    Scenario("reset", (("rw_chunk_reset", {"session": "s"}), chunk("anew\n")),
             setup=(chunk("one\n", 1), chunk("two\n"))),
    Scenario("scratch", (scratch("kept\n", "k"), scratch("kept\n", "again"),
                         scratch("more\n", "m"))),
    Scenario("draft", (write("a.txt", SECRETS, classify=True),
                       write("a.txt", SECRETS + "\n", classify=True))),
    Scenario("handoff", (handoff("t1"), handoff("t2", archive=True), handoff("t3", archive=True))),
    Scenario("checkpoint", (checkpoint("c", {"n": 1}), checkpoint("c", {"n": 2}),
                            checkpoint("d", "x" * 1_100_000, "permanent"))),
    Scenario("checkpoint_cleanup", (("rw_checkpoint_cleanup", {}), checkpoint("c", {"n": 3})),
             setup=(checkpoint("a", 1), checkpoint("b", 2), checkpoint("p", 3, "permanent")),
             one_by_one=True),
    Scenario("together", (write("t/1.txt", "one\n"), write("t/2.txt", "two\n"),
                          write("a.txt", "new a\n", "overwrite"), scratch("kept\n", "k")),
             prepare=old_and_log, together=True),
    Scenario("apart", (write("a.txt", "new a\n", "overwrite"), write("p/q/new.txt", "new\n"),
                       chunk("one\n", 1)), prepare=old_and_log, apart=True),
    Scenario("apart_compose", (compose("p/joined.txt", cleanup=True),),
             setup=(chunk("one\n", 1), chunk("two\n")), apart=True),
)


class Stage:
    """A scenario made ready once, to be played many times from the same beginning.

    It is played in the same place each time, since the journal holds absolute paths.
    """

    def __init__(self, scenario: Scenario, binary: Path, ground: Path, elsewhere: Path | None):
        self.scenario, self.binary = scenario, binary
        self._begin = Path(mkdtemp(prefix=f"{scenario.name}-begin-", dir=ground))
        self.workspace = Path(mkdtemp(prefix=f"{scenario.name}-", dir=ground))
        self.home = self.workspace
        if scenario.apart:
            assert elsewhere
            self.home = Path(mkdtemp(prefix=f"{scenario.name}-", dir=elsewhere))
        self.state = self.home / STATE
        if scenario.prepare:
            scenario.prepare(self.workspace)
        if not self._play(scenario.setup):
            raise RuntimeError(f"{scenario.name} cannot be set up")
        copy(self.workspace, self._begin / "workspace")
        copy(self.home, self._begin / "home")
        self._learn_outcomes()

    def _learn_outcomes(self) -> None:
        """What the workspace is after each set of calls: any of them may have been refused."""
        calls = self.scenario.calls
        self.outcomes: dict[frozenset[int], Snapshot] = {}
        self.contents: dict[str, set[bytes]] = {}
        for count in range(len(calls) + 1):
            for done in combinations(range(len(calls)), count):
                self.reset()
                if not self._play([calls[at] for at in done]):
                    # One of them needs what another one does.
                    continue
                self.outcomes[frozenset(done)] = self.snapshot()
                for name, content in user_files(self.workspace).items():
                    self.contents.setdefault(name, set()).add(content)
        if frozenset(range(len(calls))) not in self.outcomes:
            raise RuntimeError(f"{self.scenario.name} cannot be played")

    def _play(self, calls: Sequence[Call]) -> bool:
        if not calls:
            return True
        with self.server() as server:
            return all(server.call(*call).done for call in calls)

    def reset(self) -> None:
        copy(self._begin / "workspace", self.workspace)
        if self.home != self.workspace:
            copy(self._begin / "home", self.home)

    def server(self, fault: Fault | None = None, trace: bool = False,
               opens: bool = False) -> Server:
        env = {"RW_STATE_DIR": str(self.home)} if self.scenario.apart else {}
        return Server(self.binary, self.workspace, env=env, trace=trace, fault=fault, opens=opens,
                      below=[self.workspace, self.home])

    def snapshot(self) -> Snapshot:
        return Snapshot.of(self.workspace, self.state, without=PROBE)

    def torn(self) -> list[str]:
        """User files that are neither whole old nor whole new, before anybody repairs them."""
        faults = []
        for name, content in user_files(self.workspace).items():
            if name == PROBE or name in self.scenario.through or Path(name).name.startswith(".rw-"):
                continue
            whole = self.contents.get(name, set())
            if content in whole:
                continue
            if name in self.scenario.grows and any(
                    new.startswith(content) and any(content.startswith(old) for old in whole)
                    for new in whole):
                continue
            faults.append(f"{name} is torn: {len(content)} bytes")
        for name, whole in self.contents.items():
            always = all(name in outcome.files for outcome in self.outcomes.values())
            if always and not (self.workspace / name).exists():
                faults.append(f"{name} is gone")
        return faults

    def judge(self, answered: set[int], in_flight: set[int], refused: set[int],
              waited: bool = False) -> list[str]:
        """After recovery: all that was answered is there, what was refused is not, the rest is
        whole or not at all; journal and files agree. The row of a write that waited stands behind
        those that were written meanwhile."""
        faults = journal_faults(self.state) + current_rows_match(self.workspace, self.state)
        now = self.snapshot()
        possible = [self.outcomes[done] for done in self.outcomes
                    if answered <= done and not done & refused
                    and done <= answered | in_flight]
        ordered = not self.scenario.together and not waited
        if self.scenario.one_by_one and in_flight:
            # What a call removes may be there or not until it is answered.
            kept = set.intersection(*(set(one.state) for one in possible))
            now, *possible = (one.with_state(kept) for one in (now, *possible))
        if not any(now.equals(one, ordered) for one in possible):
            nearest = min(possible, key=lambda one: len(now.difference(one)), default=None)
            faults.append("no possible outcome" if nearest is None
                          else f"after {sorted(answered)}: {now.difference(nearest)}")
        return faults

    def swept(self) -> list[str]:
        """After the first call of a fresh server: nothing is left over."""
        return litter(self.workspace, self.state)

    def probe(self, server: Server) -> list[str]:
        """One more call, which any state of affairs must let through."""
        answer = server.call(*write(PROBE, "probe\n", "overwrite"))
        return [] if answer.ok else [f"the next call fails: {answer}"]


def copy(source: Path, target: Path) -> None:
    """Makes `target` equal to `source`, with links, owners and attributes."""
    subprocess.run(["rm", "-rf", "--", str(target)], check=True)
    subprocess.run(["cp", "-a", "--", str(source), str(target)], check=True)
