"""Part 6: ten thousand malformed calls, mutated from the server's own schemas, on one connection.

Every id must be answered once and typed: a call with a success or an envelope, anything else with a
JSON-RPC error. What has no readable id is answered with `null`. Nothing may stop the server.
"""

import copy
import json
import random
import time
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import Any

from client import Answer, Died, Hung, Server
from tally import Tally

WINDOW = 64
WAIT = 60

GOOD: dict[str, Any] = {
    "path": "f.txt", "content": "text\n", "mode": "overwrite", "old_string": "t", "new_string": "u",
    "session": "s", "index": 1, "output_path": "o.txt", "separator": "", "cleanup": False,
    "label": "l", "name": "c", "data": {"n": 1}, "format": "json", "ttl": "session", "n": 5,
    "count": 1, "encoding": "utf-8", "classify": True, "sha256": "0" * 64, "archive": True,
    "envelope": {"task_id": "t", "status": "partial", "agent": "a", "summary": "s",
                 "next_steps": [], "last_good_state": []},
    "total_expected": 3, "body": "text", "language_hint": "python", "target_path": "f.py",
    "format_hint": "python", "since": "2026-01-01T00:00:00Z", "filter_path": "f.txt",
}

# Stands for what is nested deeper than Python's own encoder goes.
DEEP = "@deep@"

STRANGE: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -2**63, 10**30, 0.5, 1.0, -0.0, 1e308, "", " ",
    "0", "null", "\0", "\x7f", "\u2028", "\U0001F600", "\ufffe", "a" * 5000, "../x", "/etc/passwd",
    [], [[]], {}, {"": None}, ["f.txt"], {"path": "f.txt"}, "create", "-1", "NaN", "%s%n", "'", '"',
    "\\", "]]>", "<script>", "${x}", "{{x}}", "sk-", "9" * 400,
]


def seeds(tools: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """A good call of each tool with all its arguments."""
    return [(tool["name"], {name: copy.deepcopy(GOOD.get(name, "x"))
                            for name in tool["inputSchema"].get("properties", {})})
            for tool in tools]


def nested(depth: int, chance: random.Random) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if chance.random() < 0.5 else {"a": value}
    return value


def mutated(name: str, arguments: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The parameters of a call with something wrong, or not."""
    arguments = copy.deepcopy(arguments)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 4])):
        keys = list(arguments) or [""]
        key = chance.choice(keys)
        match chance.randrange(7):
            case 0:
                arguments.pop(key, None)
            case 1 | 2:
                arguments[key] = chance.choice(STRANGE)
            case 3:
                arguments[chance.choice(["extra", "", "Path", "__proto__", "\0"])] = 1
            case 4:
                arguments[key] = chance.choice([nested(2, chance), nested(120, chance), DEEP])
            case 5:
                arguments[key] = "".join(chr(chance.choice([chance.randrange(32, 0xD800),
                                                            chance.randrange(1, 127)]))
                                         for _ in range(chance.randrange(200)))
            case 6:
                arguments[key] = chance.choice(list(GOOD.values()))
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    match chance.randrange(40):
        case 0:
            params["arguments"] = chance.choice(STRANGE)
        case 1:
            params["name"] = chance.choice(STRANGE)
        case 2:
            del params["name"]
        case 3:
            del params["arguments"]
        case 4:
            params["_meta"] = chance.choice([*STRANGE, {"progressToken": 1}])
        case 5:
            params["name"] = chance.choice(["rw_none", name.upper(), name + " ", "rw.safe_write"])
    return params


def line_of(wanted: int, params: dict[str, Any], chance: random.Random) -> tuple[bytes, str]:
    """A line, and what it is: a `call`, another `request`, or `broken`."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": wanted, "method": "tools/call",
                               "params": params}
    fit = isinstance(params.get("name"), str) and isinstance(params.get("_meta", {}), dict)
    kind = "call" if fit else "request"
    roll = chance.randrange(30)
    if roll == 0:
        message["method"] = chance.choice(["tools/none", "", "ping", "tools/list", 5, None,
                                           "resources/list", "prompts/get", "completion/complete"])
        kind = "request"
    elif roll == 1:
        message["params"] = chance.choice(STRANGE)
        kind = "request"
    elif roll == 2:
        del message["params"]
        kind = "request"
    elif roll == 3:
        message["jsonrpc"] = chance.choice(["1.0", 2, None, ""])
        kind = "request"
    text = json.dumps(message, ensure_ascii=chance.random() < 0.5).encode(errors="surrogatepass")
    text = text.replace(json.dumps(DEEP).encode(), b"[" * 2000 + b"]" * 2000)
    if depth(text) > 100 and kind == "call":
        # The parser may have had enough.
        kind = "request"
    if roll in (4, 5, 6):
        kind = "broken"
        # The id comes first and stays, so that the answer can be told.
        begin = text.index(b'"method"')
        text = text[:begin] + damaged(text[begin:], chance)
    elif roll == 7:
        text = text.replace(b'"text', b'"\\ud800text', 1)
        kind = "broken"
    return text, kind


def depth(text: bytes) -> int:
    """How deep a line is nested, at most."""
    return max(accumulate((byte in b"[{") - (byte in b"]}") for byte in text), default=0)


def damaged(text: bytes, chance: random.Random) -> bytes:
    data = bytearray(text)
    match chance.randrange(4):
        case 0:
            del data[chance.randrange(len(data)):]
        case 1:
            for _ in range(chance.randrange(1, 6)):
                data[chance.randrange(len(data))] = chance.choice([b for b in range(256)
                                                                   if b not in (10, 13)])
        case 2:
            at = chance.randrange(len(data))
            data[at:at] = bytes(chance.choice([0, 1, 34, 44, 92, 123, 125, 255])
                                for _ in range(chance.randrange(1, 9)))
        case 3:
            data += chance.choice([b"}", b"]", b"{}", b" x", b"\0", b",", text])
    return bytes(data)


class Exchange:
    """What was sent, and what came back for it."""

    def __init__(self, server: Server, tally: Tally):
        self.server, self.tally = server, tally
        self.kinds: dict[int, str] = {}
        self.lines: dict[int, bytes] = {}
        self.waiting: set[int] = set()
        self.answers: Counter[int] = Counter()
        self.nameless = 0

    def send(self, wanted: int, line: bytes, kind: str) -> None:
        self.kinds[wanted], self.lines[wanted] = kind, line
        self.waiting.add(wanted)
        self.server.send_bytes(line + b"\n")

    def drain(self, most: int) -> None:
        """Reads until no more than `most` are unanswered, the nameless answers counted."""
        end = time.monotonic() + WAIT
        while len(self.waiting) - self.nameless > most:
            if time.monotonic() > end:
                raise Hung(f"{len(self.waiting)} unanswered, {self.nameless} answers without id")
            for line in self.server.lines(1):
                self.take(line)

    def take(self, line: bytes) -> None:
        try:
            reply = json.loads(line)
        except ValueError:
            self.complain(f"answers what is no JSON: {line[:200]!r}")
            return
        wanted = reply.get("id")
        if wanted is None and "error" in reply:
            self.nameless += 1
            return
        if wanted not in self.kinds:
            self.complain(f"answers what nobody asked: {line[:200]!r}")
            return
        self.answers[wanted] += 1
        self.waiting.discard(wanted)
        error = reply.get("error")
        if error is not None:
            typed = isinstance(error.get("code"), int) and isinstance(error.get("message"), str)
            if self.kinds[wanted] == "call" or not typed:
                self.complain(f"a call gets {error} for {self.lines[wanted][:300]!r}")
            self.tally.count("refused requests")
        elif self.kinds[wanted] == "call" or "content" in reply.get("result", {}):
            answer = Answer(reply)
            if answer.untyped:
                self.complain(f"untyped: {answer.untyped[:300]} for {self.lines[wanted][:300]!r}")
            self.tally.count("calls that succeed" if answer.ok else "calls that fail")

    def complain(self, fault: str) -> None:
        self.tally.violations.append(fault)


def run(binary: Path, ground: Path, quick: bool, seed: int) -> Tally:
    tally = Tally()
    chance = random.Random(f"{seed}-protocol")
    workspace = ground / "protocol/ws"
    workspace.mkdir(parents=True)
    server = Server(binary, workspace)
    try:
        tools = server.request("tools/list", {})["result"]["tools"]
        calls = seeds(tools)
        exchange = Exchange(server, tally)
        for number in range(1000, 1000 + (2000 if quick else 10_000)):
            line, kind = line_of(number, mutated(*chance.choice(calls), chance), chance)
            exchange.send(number, line, kind)
            exchange.drain(WINDOW)
        exchange.drain(0)
        tally.count("lines", len(exchange.kinds))
        tally.count("answers without id", exchange.nameless)
        twice = [number for number, times in exchange.answers.items() if times > 1]
        tally.violations += [f"answered {exchange.answers[number]} times: "
                             f"{exchange.lines[number][:200]!r}" for number in twice]
        # An answer without an id must be for a line whose id could not be read.
        for number in exchange.waiting:
            if exchange.kinds[number] != "broken":
                tally.violations.append(f"not answered: {exchange.lines[number][:300]!r}")
        odd_lines(server, chance, tally)
        cancelled(server, chance, tally)
        if not server.call("rw_safe_write", {"path": "last.txt", "content": "x"}).ok:
            tally.violations.append("the last call fails")
        server.close()
    except (Died, Hung) as error:
        tally.violations.append(f"the server: {error!r}")
    finally:
        server.kill()
    if sorted(path.name for path in workspace.parent.iterdir()) != ["ws"]:
        tally.violations.append("something was written beside the workspace")
    return tally


def odd_lines(server: Server, chance: random.Random, tally: Tally) -> None:
    """Lines that are no request with a number for an id."""
    ping = {"jsonrpc": "2.0", "method": "ping"}
    answered: list[tuple[bytes, Any]] = [
        (b"{", None), (b"null", None), (b"5", None), (b'"text"', None), (b"\xff\xfe", None),
        (b"[" * 100_000, None), (b'{"a":' * 100_000, None), (b"not json", None),
        (json.dumps(ping | {"id": "text"}).encode(), "text"),
        (json.dumps(ping | {"id": ""}).encode(), ""),
        (json.dumps(ping | {"id": -5}).encode(), -5),
        (json.dumps(ping | {"id": 2**53}).encode(), 2**53),
        (json.dumps(ping | {"id": "x" * 100_000}).encode(), "x" * 100_000),
        (json.dumps(ping | {"id": 900, "pad": "x" * 8_000_000}).encode(), 900),
        (json.dumps(ping | {"id": 901}).encode() + b"\r", 901),
        (b"  \t" + json.dumps(ping | {"id": 902}).encode() + b"  ", 902),
    ]
    for line, wanted in answered:
        server.send_bytes(line + b"\n")
        tally.count("odd lines")
        end, replies = time.monotonic() + 20, []
        while not replies and time.monotonic() < end:
            replies = [json.loads(reply) for reply in server.lines(1)]
        if len(replies) != 1 or replies[0].get("id") != wanted:
            tally.violations.append(f"odd line {line[:60]!r} gets {str(replies)[:200]}")
    # These may not be answered: what has no id, what is an answer itself, and nothing.
    for line in (b"", b"   ", b"{}", json.dumps(ping).encode(),
                 b'{"jsonrpc":"2.0","id":1,"result":{}}',
                 b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
                 b'{"jsonrpc":"2.0","method":"notifications/none"}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}',
                 b'{"jsonrpc":"2.0","method":"notifications/initialized"}'):
        server.send_bytes(line + b"\n")
        tally.count("odd lines")
    sent = json.dumps(ping | {"id": 903}).encode()
    server.send_bytes(sent + b"\n")
    end, replies = time.monotonic() + 20, []
    while not any(reply.get("id") == 903 for reply in replies) and time.monotonic() < end:
        replies += [json.loads(reply) for reply in server.lines(1)]
    if [reply.get("id") for reply in replies] != [903]:
        tally.violations.append(f"lines without an id are answered: {str(replies)[:300]}")


def cancelled(server: Server, chance: random.Random, tally: Tally) -> None:
    """A storm of cancellations: each call is answered at most once, and the server goes on."""
    ids = []
    for number in range(300):
        wanted = server.start("rw_safe_write", {"path": f"c{number % 10}.txt", "mode": "overwrite",
                                                "content": f"{number}\n"})
        ids.append(wanted)
        for one in chance.sample(ids, min(len(ids), 2)):
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                         "params": {"requestId": one, "reason": "storm"}})
    wanted = server.start("rw_journal_tail", {"n": 1})
    seen: Counter[int] = Counter()
    end = time.monotonic() + WAIT
    while not seen[wanted] and time.monotonic() < end:
        seen.update(json.loads(line).get("id") for line in server.lines(1))
    tally.count("calls in a storm of cancellations", len(ids))
    if not seen[wanted]:
        tally.violations.append("no answer after a storm of cancellations")
    tally.violations += [f"cancelled call {one} is answered {times} times"
                         for one, times in seen.items() if times > 1 or one not in [*ids, wanted]]
