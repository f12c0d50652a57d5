"""Part 2: an errno at every system call that changes the disk, once and for good; short writes.

A plain error must mean that nothing happened; `outcome_unknown` may mean either, but the next call
settles it. Whatever happens, the answer is typed, the server lives, and works once the fault ends.
"""

import errno
import random
from pathlib import Path

from client import Answer, Died, Hung, Server
from oracle import rows
from scenarios import Scenario, Stage
from tally import Tally
from tracer import WRITES, Fault, Seen

SYNCS = {"fsync", "fdatasync", "sync_file_range"}
NAMES = {"mkdirat", "linkat", "symlinkat", "renameat", "renameat2"}
ATTRIBUTES = {"fchmod", "fchmodat", "fchown", "fsetxattr", "fremovexattr"}
OPENS = {"openat", "openat2"}
REMOVES = {"unlinkat", "ftruncate"}
GROWS = WRITES | {"fallocate", "copy_file_range", "sendfile"}

# What the kernel can answer to what. A full disk still lets files be removed.
FITS = {
    errno.EIO: frozenset(GROWS | SYNCS | NAMES | ATTRIBUTES | OPENS | REMOVES),
    errno.ENOSPC: frozenset(GROWS | SYNCS | NAMES | {"fsetxattr", "openat"}),
    errno.EDQUOT: frozenset(GROWS | SYNCS | NAMES | {"fsetxattr", "fchown", "openat"}),
    errno.EACCES: frozenset(OPENS | NAMES | {"unlinkat"}),
    errno.EROFS: frozenset(OPENS | NAMES | ATTRIBUTES | REMOVES),
    errno.EMFILE: frozenset(OPENS),
}


def fits(number: int, seen: Seen) -> bool:
    if seen.name not in FITS[number]:
        return False
    # An open that creates nothing needs no space, and works on what is read-only.
    return seen.name not in OPENS or seen.creates or number not in (errno.ENOSPC, errno.EDQUOT)


def run_scenario(scenario: Scenario, binary: Path, ground: Path, elsewhere: Path | None,
                 quick: bool, seed: int) -> Tally:
    tally = Tally()
    chance = random.Random(f"{seed}-{scenario.name}")
    stage = Stage(scenario, binary, ground, elsewhere)
    stage.reset()
    with stage.server(trace=True, opens=True) as server:
        play(stage, server, Tally(), "no fault")
        calls = list(server.traced.seen)
    tally.count("scenarios")
    points: list[tuple[Seen, int | str, bool]] = []
    for seen in calls:
        points += [(seen, number, sticky) for number in FITS if fits(number, seen)
                   for sticky in (False, True)]
        if seen.name in WRITES and seen.size > 1:
            points.append((seen, "short", False))
    if quick:
        points = chance.sample(points, min(len(points), 12))
    for seen, act, sticky in points:
        fault_at(stage, seen, act, sticky, tally)
    return tally


class Played:
    """What became of the calls of a scenario."""

    def __init__(self) -> None:
        self.answered: set[int] = set()
        self.unknown: set[int] = set()
        self.refused: set[int] = set()
        self.waited = False
        self.faults: list[str] = []


def play(stage: Stage, server: Server, tally: Tally, act: int | str) -> Played:
    """Makes the scenario's calls and sorts the answers."""
    calls = stage.scenario.calls
    played = Played()
    ids: dict[int, int] = {}
    if stage.scenario.together:
        ids = {at: server.start(*call) for at, call in enumerate(calls)}
    for at, call in enumerate(calls):
        server.traced.step = at
        before = None if ids else {row["journal_id"] for row in rows(stage.state)}
        answer = Answer(server.reply(ids[at] if at in ids else server.start(*call)))
        played.waited |= answer.waits
        if answer.untyped:
            played.faults.append(f"call {at} is untyped: {answer.untyped}")
            played.unknown.add(at)
        elif answer.done:
            played.answered.add(at)
        elif answer.unknown or answer.error == "blocked":
            # A draft is kept if it can be; the answer is about the write.
            tally.count("unknown")
            played.unknown.add(at)
        else:
            tally.count("refused")
            played.refused.add(at)
            if act in (errno.ENOSPC, errno.EDQUOT) and answer.error != "quota_exceeded" \
                    and answer.error != "stale_precondition":
                played.faults.append(f"call {at}: no space is {answer}")
            after = {row["journal_id"] for row in rows(stage.state)}
            if before is not None and after - before:
                played.faults.append(f"call {at} is refused and has a row: {answer}")
    return played


def fault_at(stage: Stage, seen: Seen, act: int | str, sticky: bool, tally: Tally) -> None:
    stage.reset()
    name = errno.errorcode[act] if isinstance(act, int) else act
    where = f"{stage.scenario.name}, {name}{' for good' if sticky else ''} at {seen}"
    fault = Fault(seen.number, act, sticky, FITS.get(act, WRITES))
    server = stage.server(fault, trace=True, opens=True)
    try:
        played = play(stage, server, tally, act)
        faults = played.faults
        if act == "short" and (played.refused or played.unknown):
            faults.append("a short write is not gone on with")
        tally.count("faults" if server.traced.fired else "points not reached")
        faults += stage.torn()
        server.traced.lift()
        faults += stage.probe(server)
        faults += stage.judge(played.answered, played.unknown, played.refused, played.waited)
        server.close()
        # What could not be removed under the fault, the next process removes.
        with stage.server() as server:
            faults += stage.probe(server)
            faults += stage.judge(played.answered, played.unknown, played.refused, played.waited)
            faults += stage.swept()
    except (Died, Hung) as error:
        faults = [f"the server: {error!r}"]
        server.kill()
        server.close()
    tally.violations += [f"{where}: {fault}" for fault in dict.fromkeys(faults)]
