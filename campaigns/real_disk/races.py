"""Part 3: four server processes in one workspace, with kills at random in the second half.

Every addition is a token of its own: an answered one is in its file exactly once, one that was
under way at a kill at most once. So nothing is lost and nothing done twice, whatever the order.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from client import Answer, Died, Hung, Server
from oracle import STATE, current_rows_match, journal_faults, litter, rows, sha256
from scenarios import Call, chunk, write
from tally import Tally

CLIENTS = 4


class Client:
    """One of the contenders, with a server of its own that may be killed at any time."""

    def __init__(self, number: int, binary: Path, workspace: Path):
        self.number, self.binary, self.workspace = number, binary, workspace
        self.server = Server(binary, workspace)
        self.tally = Tally()
        self.rows: list[str] = []

    def call(self, call: Call) -> Answer | None:
        """Makes a call; nothing where the server is killed meanwhile."""
        try:
            answer = self.server.call(*call, timeout=120)
        except Died:
            self.server.close()
            self.server = Server(self.binary, self.workspace)
            return None
        except Hung as hung:
            self.tally.violations.append(f"client {self.number}: {hung}")
            raise
        if answer.untyped:
            self.tally.violations.append(f"client {self.number}: untyped {answer.untyped}")
        if answer.ok and answer.data.get("journal_id"):
            self.rows.append(answer.data["journal_id"])
        if answer.reason == "workspace_locked":
            self.tally.count("waits in vain for the lock")
        return answer


class Race:
    """What the contenders did together."""

    def __init__(self, binary: Path, ground: Path, name: str, kills: bool, seed: int):
        self.workspace = ground / f"race-{name}-{'kills' if kills else 'calm'}"
        self.workspace.mkdir()
        self.kills, self.name = kills, name
        self.chance = random.Random(f"{seed}-{name}-{kills}")
        self.clients = [Client(number, binary, self.workspace) for number in range(CLIENTS)]
        self.sure: Counter[str] = Counter()
        self.unsure: set[str] = set()
        self.lock = threading.Lock()
        self.tally = Tally()

    def note(self, token: str, answer: Answer | None) -> None:
        with self.lock:
            if answer is None or answer.unknown:
                self.unsure.add(token)
            elif answer.ok:
                self.sure[token] += 1

    def run(self, work: Callable[["Race", Client], None]) -> Tally:
        threads = [threading.Thread(target=self._guarded, args=(work, one)) for one in self.clients]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(self.chance.uniform(0.005, 0.06))
            if self.kills:
                self.chance.choice(self.clients).server.kill()
                self.tally.count("kills")
        for thread in threads:
            thread.join()
        for one in self.clients:
            one.server.kill()
            one.server.close()
            self.tally.merge(one.tally)
        return self.tally

    def _guarded(self, work: Callable[["Race", Client], None], client: Client) -> None:
        try:
            work(self, client)
        except Exception as error:
            client.tally.violations.append(f"{self.name}: client {client.number}: {error!r}")

    def judge_tokens(self, found: Counter[str]) -> None:
        for token in self.sure:
            if found[token] != 1:
                self.complain(f"{token} was answered and is there {found[token]} times")
        for token, times in found.items():
            if token not in self.sure and (token not in self.unsure or times != 1):
                self.complain(f"{token} is there {times} times and was not answered")
        self.tally.count(f"{self.name}: done", len(self.sure))

    def judge_journal(self, binary: Path) -> None:
        with Server(binary, self.workspace) as server:
            if not server.call(*write("last.txt", "last\n", "overwrite")).ok:
                self.complain("the next call fails")
        state = self.workspace / STATE
        faults = journal_faults(state) + current_rows_match(self.workspace, state)
        there = Counter(row["journal_id"] for row in rows(state))
        for client in self.clients:
            faults += [f"row {one} is there {there[one]} times" for one in client.rows
                       if there[one] != 1]
        for fault in faults + litter(self.workspace, state):
            self.complain(fault)

    def complain(self, fault: str) -> None:
        self.tally.violations.append(f"{self.name}{' with kills' if self.kills else ''}: {fault}")


def swap(race: Race, client: Client, times: int) -> None:
    """Adds lines by compare-and-swap: reads the file, writes it with the hash it had."""
    file = race.workspace / "swap.txt"
    for number in range(times):
        token = f"{client.number}-{number}"
        while True:
            old = file.read_bytes() if file.exists() else b""
            answer = client.call(write("swap.txt", old.decode() + token + "\n", "overwrite",
                                       expected_prev_sha256=sha256(old) if old else ""))
            race.note(token, answer)
            if answer is None or answer.ok or answer.error != "stale_precondition":
                break


def append(race: Race, client: Client, times: int) -> None:
    """Adds lines to a file that grows from nothing until it is appended to in place."""
    for number in range(times):
        token = f"{client.number}-{number}"
        race.note(token, client.call(write("log.txt", token + "-" * 600 + "\n", "append")))


def create(race: Race, client: Client, times: int) -> None:
    """All create the same files: each has one winner, and the winner's content."""
    for number in range(times):
        token = f"{client.number}-{number}"
        answer = client.call(write(f"d{number % 7}/one-{number}.txt", token + "\n"))
        race.note(token, answer)
        if answer and not answer.ok and answer.reason != "file_already_exists":
            race.complain(f"{token}: {answer}")


def chunks(race: Race, client: Client, times: int) -> None:
    """All add parts to one session: every number is given once."""
    for number in range(times):
        token = f"{client.number}-{number}"
        race.note(token, client.call(chunk(token + "\n")))


def tokens(race: Race) -> Counter[str]:
    """What the workspace holds at the end."""
    parts = race.workspace / STATE / "chunks/s"
    files = {"swap": [race.workspace / "swap.txt"], "append": [race.workspace / "log.txt"],
             "create": race.workspace.glob("d*/one-*.txt"), "chunks": parts.glob("part-*.txt")}
    return Counter(line.rstrip("-") for file in files[race.name]
                   for line in file.read_text().splitlines())


def run(binary: Path, ground: Path, quick: bool, seed: int) -> Tally:
    total = Tally()
    works = {"swap": (swap, 12, 150), "append": (append, 60, 1000), "create": (create, 40, 500),
             "chunks": (chunks, 30, 240)}
    for name, (work, few, many) in works.items():
        for kills in (False, True):
            race = Race(binary, ground, name, kills, seed)
            race.run(lambda race, client: work(race, client, few if quick else many))
            race.judge_journal(binary)
            race.judge_tokens(tokens(race))
            total.merge(race.tally)
    return total
