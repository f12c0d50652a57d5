"""Part 1: a kill at every system call that changes the disk, and in the middle of every write.

After each kill the files are looked at as they lie; then a fresh server makes one call, and all
that was answered must be there, the rest whole or not at all. The kills are repeated during that
recovery: it must do as well the second time.
"""

import random
from pathlib import Path

from client import Answer, Died, Hung, Server
from scenarios import Scenario, Stage
from tally import Tally
from tracer import WRITES, Fault, Seen


class Played:
    """How far the calls of a scenario came."""

    def __init__(self) -> None:
        self.answered: set[int] = set()
        self.in_flight: set[int] = set()
        self.faults: list[str] = []


def play(stage: Stage, server: Server) -> Played:
    """Makes the scenario's calls until the server dies."""
    calls = stage.scenario.calls
    played = Played()
    ids: dict[int, int] = {}
    try:
        if stage.scenario.together:
            for at, call in enumerate(calls):
                played.in_flight.add(at)
                ids[at] = server.start(*call)
        for at, call in enumerate(calls):
            if server.traced:
                server.traced.step = at
            if at not in ids:
                played.in_flight.add(at)
                ids[at] = server.start(*call)
            answer = Answer(server.reply(ids[at]))
            played.in_flight.discard(at)
            if answer.done:
                played.answered.add(at)
            else:
                played.faults.append(f"call {at} answers {answer}")
    except Died:
        pass
    return played


def acts(seen: Seen, thorough: bool, grows: frozenset[str]) -> list[str]:
    """In which ways a process can die at a call. What is added to files in place is written page by
    page, and no kernel ends a write within a page."""
    ways = ["kill"] + (["kill_after"] if thorough else [])
    tears = seen.name in WRITES and seen.size > (4096 if seen.path in grows else 1)
    return ways + (["torn"] if tears else [])


def run_scenario(scenario: Scenario, binary: Path, ground: Path, elsewhere: Path | None,
                 quick: bool, seed: int) -> Tally:
    tally = Tally()
    chance = random.Random(f"{seed}-{scenario.name}")
    stage = Stage(scenario, binary, ground, elsewhere)
    stage.reset()
    with stage.server(trace=True) as server:
        played = play(stage, server)
        calls = list(server.traced.seen)
    tally.count("scenarios")
    tally.violations += [f"{scenario.name}, no fault: {fault}" for fault in
                         played.faults + stage.judge(played.answered, set(), set())]
    points = [(seen, act) for seen in calls
              for act in acts(seen, not quick, scenario.grows)]
    if quick:
        points = chance.sample(points, min(len(points), 7))
    for seen, act in points:
        again = 2 if not quick else int(chance.random() < 0.3)
        kill_at(stage, seen, act, again, chance, tally)
    return tally


def kill_at(stage: Stage, seen: Seen, act: str, again: int, chance: random.Random,
            tally: Tally) -> None:
    stage.reset()
    where = f"{stage.scenario.name}, {act} at {seen}"
    server = stage.server(Fault(seen.number, act), trace=True)
    try:
        played = play(stage, server)
        fired = server.traced.fired
    except Hung as hung:
        tally.violations.append(f"{where}: {hung}")
        return
    finally:
        server.kill()
        server.close()
    tally.count("kills" if fired else "points not reached")
    faults = played.faults + stage.torn()
    # A second and a third process die in the recovery of the first.
    for _ in range(again):
        number = chance.randint(1, 20)
        fault = Fault(number, chance.choice(["kill", "kill_after", "torn"]))
        server = stage.server(fault, trace=True)
        try:
            faults += stage.probe(server)
        except Died:
            pass
        finally:
            if server.traced.fired:
                tally.count("kills of the next process")
                where += f", then {fault.act} at {server.traced.fired}"
            server.kill()
            server.close()
        faults += stage.torn()
    try:
        with stage.server() as server:
            faults += stage.probe(server)
            faults += stage.judge(played.answered, played.in_flight, set()) + stage.swept()
    except (Died, Hung) as error:
        faults.append(f"the next server: {error!r}")
    tally.violations += [f"{where}: {fault}" for fault in faults]
