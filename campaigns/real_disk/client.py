"""An MCP client over pipes that believes nothing: it notes every answer and how it is typed."""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tracer import Fault, Traced

ENVELOPE = {"ok", "schema_version", "error", "reason_hint", "detected_patterns",
            "suggested_action", "retry_budget", "context"}
ERRORS = {"blocked", "stale_precondition", "write_corruption", "quota_exceeded",
          "policy_violation"}
HINTS = {"content_filter", "size_limit", "encoding", "permission", "network", "unknown"}
ACTIONS = {"redact", "split", "escape", "ask_user", "retry_later", "abort"}


class Died(Exception):
    """The server closed its output before it answered."""


class Hung(Exception):
    """The server neither answered nor ended."""


def envelope_fault(value: Any) -> str | None:
    """Tells what makes a failure's payload no error envelope."""
    if not isinstance(value, dict):
        return "not an object"
    if set(value) != ENVELOPE:
        return f"fields {sorted(set(value) ^ ENVELOPE)}"
    checks = {
        "ok": value["ok"] is False,
        "schema_version": value["schema_version"] == "1",
        "error": value["error"] in ERRORS,
        "reason_hint": value["reason_hint"] in HINTS,
        "suggested_action": value["suggested_action"] in ACTIONS,
        "detected_patterns": isinstance(value["detected_patterns"], list)
        and all(isinstance(kind, str) for kind in value["detected_patterns"]),
        "retry_budget": type(value["retry_budget"]) is int and value["retry_budget"] >= 0,
        "context": isinstance(value["context"], dict)
        and isinstance(value["context"].get("tool"), str),
    }
    wrong = [name for name, right in checks.items() if not right]
    return f"wrong {wrong}: {value}" if wrong else None


class Answer:
    """What a tool answered."""

    def __init__(self, reply: dict[str, Any]):
        self.reply = reply
        self.untyped = self._payload()

    def _payload(self) -> str | None:
        self.data: dict[str, Any] = {}
        result = self.reply.get("result")
        if not isinstance(result, dict):
            return f"no result: {self.reply}"
        content = result.get("content")
        if not (isinstance(content, list) and len(content) == 1
                and content[0].get("type") == "text"):
            return f"not one text: {self.reply}"
        try:
            self.data = json.loads(content[0]["text"])
        except ValueError:
            return f"text is no JSON: {content[0]['text'][:200]}"
        if not isinstance(self.data, dict):
            return f"text is no object: {content[0]['text'][:200]}"
        if self.data.get("ok") is True:
            return "success marked as an error" if result.get("isError") else None
        if not result.get("isError"):
            return "failure not marked as an error"
        return envelope_fault(self.data)

    @property
    def ok(self) -> bool:
        return self.untyped is None and self.data.get("ok") is True

    @property
    def error(self) -> str:
        return str(self.data.get("error", ""))

    @property
    def reason(self) -> str:
        return str(self.data.get("context", {}).get("reason", ""))

    @property
    def unknown(self) -> bool:
        """Whether the server says that it does not know what became of the call."""
        return self.reason == "outcome_unknown"

    @property
    def waits(self) -> bool:
        """Whether the answer tells that an interrupted write waits."""
        return any(notice["about"] == "pending" for notice in self.data.get("notices", ()))

    @property
    def done(self) -> bool:
        """Whether the call did what it is for: a draft that is held back is kept."""
        held_back = self.error == "blocked" and "draft_sha256" in self.data["context"]
        return self.ok or (self.untyped is None and held_back)

    def __str__(self) -> str:
        return json.dumps(self.data)[:400]


def plain_env() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("RW_")}


class Server:
    """A server process on a workspace, greeted and ready; traced where a fault is wanted."""

    def __init__(self, binary: Path, workspace: Path, *, env: dict[str, str] | None = None,
                 trace: bool = False, below: list[Path] | None = None, fault: Fault | None = None,
                 opens: bool = False, before_exec: Callable[[], None] | None = None,
                 greet: bool = True):
        env = plain_env() | (env or {})
        self.traced: Traced | None = None
        self.process: subprocess.Popen[bytes] | None = None
        if trace:
            watched = [str(top) for top in below or [workspace]]
            self.traced = Traced([str(binary)], str(workspace), watched, fault, env, opens)
            self._stdin, self._stdout = self.traced.stdin, self.traced.stdout
        else:
            self.process = subprocess.Popen(
                [str(binary)], cwd=workspace, env=env, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                preexec_fn=before_exec)
            assert self.process.stdin and self.process.stdout
            self._stdin, self._stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        self._held = bytearray()
        self._replies: dict[Any, dict[str, Any]] = {}
        self._id = 0
        if greet:
            hello = {"protocolVersion": "2025-06-18", "capabilities": {},
                     "clientInfo": {"name": "campaign", "version": "1"}}
            self.request("initialize", hello)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, message: dict[str, Any]) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, line: bytes, timeout: float = 60) -> None:
        """Writes, and reads meanwhile, so that neither side waits for the other."""
        end = time.monotonic() + timeout
        rest = memoryview(line)
        while rest:
            left = end - time.monotonic()
            if left <= 0:
                raise Hung("takes no input")
            readable, writable, _ = select.select([self._stdout], [self._stdin], [], left)
            if readable:
                self._fill()
            if writable:
                try:
                    rest = rest[os.write(self._stdin, rest[:1 << 16]):]
                except BrokenPipeError as error:
                    raise Died("input closed") from error

    def _fill(self) -> None:
        block = os.read(self._stdout, 1 << 16)
        if not block:
            raise Died("output closed")
        self._held += block

    def lines(self, timeout: float) -> list[bytes]:
        """Waits for output; gives the whole lines that have come."""
        if b"\n" not in self._held:
            if not select.select([self._stdout], [], [], max(timeout, 0))[0]:
                return []
            self._fill()
        whole, newline, rest = bytes(self._held).rpartition(b"\n")
        self._held = bytearray(rest)
        return whole.split(b"\n") if newline else []

    def start(self, tool: str, arguments: dict[str, Any]) -> int:
        """Sends a call without waiting for its answer."""
        self._id += 1
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": self._id, "method": "tools/call", "params": params})
        return self._id

    def reply(self, wanted: int, timeout: float = 60) -> dict[str, Any]:
        end = time.monotonic() + timeout
        while wanted not in self._replies:
            if time.monotonic() > end:
                raise Hung(f"no answer within {timeout} s")
            for line in self.lines(min(1, end - time.monotonic())):
                message = json.loads(line)
                self._replies[message.get("id")] = message
        return self._replies.pop(wanted)

    def request(self, method: str, params: dict[str, Any], timeout: float = 60) -> dict[str, Any]:
        self._id += 1
        wanted = self._id
        self.send({"jsonrpc": "2.0", "id": wanted, "method": method, "params": params})
        return self.reply(wanted, timeout)

    def call(self, tool: str, arguments: dict[str, Any], timeout: float = 60) -> Answer:
        return Answer(self.reply(self.start(tool, arguments), timeout))

    def pid(self) -> int:
        if self.traced:
            return self.traced.pid
        assert self.process
        return self.process.pid

    def alive(self) -> bool:
        return self.traced.status is None if self.traced else self.process.poll() is None

    def kill(self) -> None:
        if self.traced:
            self.traced.kill()
            self.traced.join(30)
        elif self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def close(self) -> None:
        """Ends the server as a client does: its input ends, and its output is read to the end."""
        end = time.monotonic() + 30
        if self.traced:
            self.traced.close_input()
        else:
            assert self.process and self.process.stdin and self.process.stdout
            self.process.stdin.close()
        try:
            while time.monotonic() < end:
                if select.select([self._stdout], [], [], 1)[0]:
                    self._fill()
            raise Hung("does not end with its input")
        except Died:
            pass
        finally:
            if self.traced:
                self.traced.close()
            else:
                self._reap(max(1, end - time.monotonic()))

    def _reap(self, timeout: float) -> None:
        assert self.process and self.process.stdout
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process.stdout.close()
