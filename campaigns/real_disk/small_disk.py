"""Part 4: a small ext4 of our own, filled to the brim, made read-only, and unplugged.

The disk is an image file on a loop device. `unplug` is the ext4 shutdown call: what was not synced
is gone, as with a power failure; what was answered must be there when the disk comes back.
"""

import fcntl
import os
import random
import resource
import subprocess
from collections import Counter
from pathlib import Path

from client import Died, Hung, Server
from oracle import STATE, Snapshot, current_rows_match, journal_faults, litter
from scenarios import Call, checkpoint, chunk, handoff, scratch, write
from tally import Tally

SIZE = 64 << 20
SHUTDOWN, WITHOUT_FLUSH = 0x8004587D, 2


class SmallDisk:
    """An ext4 in a file, mounted."""

    def __init__(self, ground: Path):
        self.image, self.mount = ground / "small.img", ground / "small"
        self.mount.mkdir()
        with self.image.open("wb") as image:
            image.truncate(SIZE)
        quietly("mkfs.ext4", "-q", "-F", "-m", "0", str(self.image))
        self.attach()

    def attach(self, *options: str) -> None:
        quietly("mount", "-o", ",".join(["loop", *options]), str(self.image), str(self.mount))

    def detach(self) -> None:
        quietly("umount", str(self.mount))

    def unplug(self) -> None:
        """Drops what is not on the disk, and refuses everything from now on."""
        top = os.open(self.mount, os.O_RDONLY)
        try:
            fcntl.ioctl(top, SHUTDOWN, WITHOUT_FLUSH.to_bytes(4, "little"))
        finally:
            os.close(top)

    def free(self) -> int:
        facts = os.statvfs(self.mount)
        return facts.f_bavail * facts.f_frsize

    def fill(self, left: int) -> None:
        with (self.mount / "filler").open("ab") as filler:
            while self.free() > left:
                step = min(1 << 20, self.free() - left)
                os.posix_fallocate(filler.fileno(), filler.tell(), step)
                filler.seek(0, os.SEEK_END)

    def drain(self) -> None:
        (self.mount / "filler").unlink(missing_ok=True)


def quietly(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def run(binary: Path, ground: Path, quick: bool, seed: int) -> Tally:
    tally = Tally()
    size_limit(binary, ground, tally)
    if os.geteuid() != 0:
        tally.notes.append("skipped: only root can mount a small disk")
        return tally
    try:
        disk = SmallDisk(ground)
    except (OSError, subprocess.CalledProcessError) as error:
        tally.notes.append(f"skipped: no small disk here: {error}")
        return tally
    chance = random.Random(f"{seed}-disk")
    try:
        brim(disk, binary, 3 if quick else 60, chance, tally)
        read_only(disk, binary, tally)
        unplugged(disk, binary, 4 if quick else 60, chance, tally)
    finally:
        subprocess.run(["umount", "-l", str(disk.mount)], capture_output=True)
    return tally


def any_call(chance: random.Random, number: int) -> Call:
    """A change of some kind and some size."""
    text = f"{number}\n" + "y" * chance.choice([1, 3000, 70_000, 900_000]) + "\n"
    name = f"d{chance.randrange(5)}/f{chance.randrange(8)}.txt"
    return chance.choice([
        write(name, text, "overwrite"), write(name, text, "append"),
        write(f"new/n{number}/file.txt", text), chunk(text), scratch(text, "l"),
        checkpoint(f"c{chance.randrange(4)}", text), handoff(f"t{number}", archive=True),
        ("rw_chunk_compose", {"session": "s", "output_path": name, "cleanup": True}),
    ])


def brim(disk: SmallDisk, binary: Path, rounds: int, chance: random.Random, tally: Tally) -> None:
    """A disk that is full in the middle of whatever is written."""
    workspace = disk.mount / "full"
    workspace.mkdir()
    number = 0
    for _ in range(rounds):
        disk.fill(chance.choice([0, 4096, 40_000, 200_000, 1 << 20]))
        with Server(binary, workspace) as server:
            for _ in range(40):
                number += 1
                before = Snapshot.of(workspace)
                call = any_call(chance, number)
                answer = server.call(*call)
                where = f"full disk, {call[0]}"
                if answer.ok:
                    tally.count("calls that found room")
                    continue
                if answer.untyped:
                    tally.violations.append(f"{where}: untyped {answer.untyped}")
                elif answer.error == "quota_exceeded":
                    tally.count("calls without room")
                elif answer.unknown:
                    tally.count("unknown")
                    continue
                elif answer.error != "stale_precondition":
                    tally.violations.append(f"{where}: {answer}")
                after = Snapshot.of(workspace)
                if not after.equals(before):
                    tally.violations.append(f"{where}: refused, but {after.difference(before)}")
            disk.drain()
            if not (answer := server.call(*write("room.txt", "z" * 500_000, "overwrite"))).ok:
                tally.violations.append(f"with room again: {answer}")
            state = workspace / STATE
            for fault in journal_faults(state) + current_rows_match(workspace, state):
                tally.violations.append(f"full disk: {fault}")
        subprocess.run(["sh", "-c", 'rm -rf "$1"/new "$1"/d*', "sh", str(workspace)], check=True)
        with Server(binary, workspace) as server:
            server.call(*write("room.txt", "again", "overwrite"))
        tally.violations += [f"full disk: {fault}" for fault in litter(workspace, state)]
        subprocess.run(["rm", "-rf", str(workspace / STATE / "scratch")], check=True)
        subprocess.run(["rm", "-f", str(workspace / STATE / "journal.jsonl")], check=True)
        subprocess.run(["rm", "-rf", str(workspace / STATE / "handoffs")], check=True)


def read_only(disk: SmallDisk, binary: Path, tally: Tally) -> None:
    """A disk that takes no writes."""
    workspace = disk.mount / "readonly"
    workspace.mkdir()
    with Server(binary, workspace) as server:
        server.call(*write("a.txt", "old\n"))
        server.call(*chunk("one\n"))
    fresh = disk.mount / "untouched"
    fresh.mkdir()
    quietly("mount", "-o", "remount,ro", str(disk.mount))
    try:
        for place in (workspace, fresh):
            with Server(binary, place) as server:
                for call in (write("a.txt", "new\n", "overwrite"), write("b/c.txt", "new\n"),
                             write("a.txt", "more\n", "append"), chunk("two\n"),
                             scratch("kept\n", "l"), checkpoint("c", 1), handoff("t"),
                             ("rw_safe_replace",
                              {"path": "a.txt", "old_string": "old", "new_string": "new"}),
                             ("rw_chunk_reset", {"session": "s"})):
                    answer = server.call(*call)
                    tally.count("calls on a read-only disk")
                    refused = answer.error in ("policy_violation", "stale_precondition")
                    nothing_to_do = call[0] in ("rw_chunk_reset",) and place == fresh
                    if answer.untyped or not (refused or nothing_to_do):
                        tally.violations.append(f"read-only, {call[0]}: {answer.untyped or answer}")
                for reading in (("rw_journal_tail", {}), ("rw_chunk_status", {"session": "s"}),
                                ("rw_analytics", {})):
                    if not (answer := server.call(*reading)).ok:
                        tally.violations.append(f"read-only, {reading[0]}: {answer}")
    finally:
        quietly("mount", "-o", "remount,rw", str(disk.mount))
    with Server(binary, workspace) as server:
        if not (answer := server.call(*write("a.txt", "new\n", "overwrite"))).ok:
            tally.violations.append(f"writable again: {answer}")


def unplugged(disk: SmallDisk, binary: Path, rounds: int, chance: random.Random,
              tally: Tally) -> None:
    """The plug is pulled after some calls, while another one is under way."""
    for turn in range(rounds):
        workspace = disk.mount / f"unplugged-{turn}"
        workspace.mkdir()
        os.sync()
        state = workspace / STATE
        server = Server(binary, workspace)
        done: Counter[str] = Counter()
        parts: dict[int, str] = {}
        contents: dict[str, str] = {}
        calls = chance.randrange(1, 25)
        for number in range(calls):
            token = f"{turn}-{number}"
            line = f"{token}{'.' * chance.choice([0, 3000])}\n"
            match chance.randrange(4):
                case 0:
                    name = f"p{chance.randrange(3)}/q{chance.randrange(3)}/f{chance.randrange(3)}"
                    if server.call(*write(name, line, "overwrite")).ok:
                        contents[name] = line
                case 1:
                    if server.call(*write("log.txt", line, "append")).ok:
                        done[token] += 1
                case 2:
                    if (answer := server.call(*chunk(line))).ok:
                        parts[answer.data["index"]] = line
                case 3:
                    if server.call(*checkpoint("c", {"token": token})).ok:
                        contents[f"{STATE}/checkpoints/c.json"] = token
        tally.count("calls before the plug was pulled", calls)
        if chance.random() < 0.7:
            server.start(*write("log.txt", "under way\n" * 2000, "append"))
            server.start(*write("under/way.txt", "under way\n" * 50_000))
            server.start(*chunk("under way\n"))
        disk.unplug()
        server.kill()
        server.close()
        disk.detach()
        disk.attach()
        tally.count("plugs pulled")
        faults = []
        try:
            with Server(binary, workspace) as server:
                if not (answer := server.call(*write("last.txt", "last\n", "overwrite"))).ok:
                    faults.append(f"the next call: {answer}")
        except (Died, Hung) as error:
            faults.append(repr(error))
        faults += journal_faults(state) + current_rows_match(workspace, state)
        faults += litter(workspace, state)
        for name, content in contents.items():
            file = workspace / name
            if not file.is_file() or content not in file.read_text():
                faults.append(f"{name} is lost")
        for index, content in parts.items():
            file = state / f"chunks/s/part-{index:03d}.txt"
            if not file.is_file() or file.read_text() != content:
                faults.append(f"part {index} is lost")
        log = workspace / "log.txt"
        text = log.read_text() if log.is_file() else ""
        there = Counter(line.rstrip(".") for line in text.splitlines())
        faults += [f"{token} is there {there[token]} times" for token in done if there[token] != 1]
        tally.violations += [f"unplugged {turn}: {fault}" for fault in faults]


def size_limit(binary: Path, ground: Path, tally: Tally) -> None:
    """A process that may make no file longer than 1 MiB: EFBIG, and a signal to be ignored."""
    workspace = ground / "limit"
    workspace.mkdir()

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    try:
        with Server(binary, workspace, before_exec=limited) as server:
            server.call(*write("log.txt", "z" * 1_000_000, "create"))
            before = Snapshot.of(workspace)
            for call in (write("a.txt", "z" * 2_000_000), write("log.txt", "z" * 200_000, "append"),
                         chunk("z" * 2_000_000), scratch("z" * 2_000_000, "l"),
                         checkpoint("c", "z" * 2_000_000)):
                answer = server.call(*call)
                tally.count("calls beyond the size limit")
                if answer.untyped or answer.error != "quota_exceeded":
                    tally.violations.append(f"size limit, {call[0]}: {answer.untyped or answer}")
            after = Snapshot.of(workspace)
            if not after.equals(before):
                tally.violations.append(f"size limit: {after.difference(before)}")
            if not (answer := server.call(*write("b.txt", "small\n"))).ok:
                tally.violations.append(f"size limit, a small file: {answer}")
    except Died:
        tally.violations.append("size limit: the server dies, of SIGXFSZ")
