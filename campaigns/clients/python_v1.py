"""Drives the server with the Python SDK, version 1. See `drivers` in README.md."""

import asyncio
import contextlib
import json
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


@contextlib.asynccontextmanager
async def connect(server, workspace):
    if server.endswith("/sse"):
        connection = sse_client(server)
    elif server.startswith("http:"):
        connection = streamablehttp_client(server)
    else:
        connection = stdio_client(StdioServerParameters(command=server, cwd=workspace))
    async with connection as streams, ClientSession(*streams[:2]) as session:
        yield session


async def main(server, workspace, calls):
    async with connect(server, workspace) as session:
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        results = []
        for call in json.loads(Path(calls).read_text()):
            result = await session.call_tool(call["tool"], call["arguments"])
            results.append({
                "isError": result.isError,
                "structured": result.structuredContent,
                "content": [part.model_dump() for part in result.content],
            })
    print(json.dumps({
        "protocol": hello.protocolVersion,
        "server": hello.serverInfo.model_dump(),
        "tools": [tool.model_dump() for tool in tools],
        "results": results,
    }))


asyncio.run(main(*sys.argv[1:4]))
