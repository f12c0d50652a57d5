"""Walks through a whole file by cursor with the Python SDK, either version, and prints what it found.

Usage: walk.py SERVER WORKSPACE ERA. SERVER is `resilient-write`; `resilient-read` lies beside it. Both
that and `resilient-write --with-read` are walked with. Prints a JSON list of checks, as in checks.py.

At every step of one walk something is done to the file: an append must be told as one and the walk go
on with the cursor that the refusal brings; an edit of what was read must end it.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path

from mcp import StdioServerParameters

LINES = 60_000
STEPS = 12


async def main(server, workspace, era):
    reader = str(Path(server).with_name("resilient-read"))
    checks = []
    for name, command, args in [("alone", reader, []), ("with writer", server, ["--with-read"])]:
        parameters = StdioServerParameters(command=command, args=args, cwd=workspace)
        async with connected(parameters, era) as call:
            checks.append((f"{name}: the whole file", await whole(call, Path(workspace))))
            for how in ("append", "edit", "shrink"):
                checks.append((f"{name}: {how} at every step", await drifting(call, Path(workspace), how)))
    print(json.dumps(checks))


@contextlib.asynccontextmanager
async def connected(parameters, era):
    """A function that calls a tool and gives its structured content."""
    try:
        from mcp import Client
    except ImportError:
        from mcp import ClientSession
        from mcp.client.stdio import stdio_client

        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()

            async def call(tool, **arguments):
                return (await session.call_tool(tool, arguments)).structuredContent

            yield call
        return
    async with Client(parameters, mode="2026-07-28" if era == "modern" else era) as client:

        async def call(tool, **arguments):
            return (await client.call_tool(tool, arguments)).structured_content

        yield call


async def whole(call, workspace):
    """Walks through a log of 4 MB with characters of every length; the problem, or None."""
    lines = (f"{number:06} häuser 漢字 😀 and a trailing blank \r\n" for number in range(LINES))
    content = "".join(lines).encode()
    (workspace / "log").write_bytes(content)
    answer = await call("rr_make_cursor", path="log", max_bytes=100_003)
    seen = hashlib.sha256()
    while not answer.get("eof"):
        answer = await call("rr_read_next", cursor=answer["cursor"])
        if not answer["ok"]:
            return f"refused: {answer}"
        seen.update(answer["content"].encode())
    facts = await call("rr_stat", path="log", include_sha256=True)
    if seen.hexdigest() != hashlib.sha256(content).hexdigest():
        return "the windows are not the file"
    return None if facts["sha256"] == seen.hexdigest() else "stat has another hash"


async def drifting(call, workspace, how):
    """Changes the file before each step of a walk in turn; the problem, or None."""
    path = workspace / "drifting"
    for at in range(STEPS):
        path.write_bytes(bytes(range(32, 120)) * 100)
        answer = await call("rr_make_cursor", path="drifting", max_bytes=700, encoding="base64")
        for _ in range(at):
            answer = await call("rr_read_next", cursor=answer["cursor"])
        read = answer.get("next_offset", 0)
        change(path, how)
        told = await call("rr_read_next", cursor=answer["cursor"])
        if told["ok"] or told["reason_hint"] != "file_changed":
            return f"step {at}: not told: {told}"
        stands = how == "append" or read == 0
        fresh = told["context"].get("cursor")
        if bool(fresh) != stands or told["context"]["appended"] != (how == "append"):
            return f"step {at}: told wrong: {told}"
        if fresh:
            step = await call("rr_read_next", cursor=fresh)
            if not step["ok"] or step["offset"] != read:
                return f"step {at}: does not go on: {step}"
    return None


def change(path, how):
    if how == "append":
        with path.open("ab") as file:
            file.write(b"more")
    elif how == "edit":
        before = path.stat().st_mtime_ns
        with path.open("r+b") as file:
            file.write(b"X")
        os.utime(path, ns=(before, before + 1))
    else:
        path.write_bytes(b"another file")


asyncio.run(main(*sys.argv[1:4]))
