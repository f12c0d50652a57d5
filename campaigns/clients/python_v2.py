"""Drives the server with the Python SDK, version 2. See `drivers` in README.md."""

import asyncio
import json
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client


def place(server, workspace):
    if server.endswith("/sse"):
        return sse_client(server)
    if server.startswith("http:"):
        return server
    return StdioServerParameters(command=server, cwd=workspace)


async def main(server, workspace, calls, era):
    mode = "2026-07-28" if era == "modern" else era
    async with Client(place(server, workspace), mode=mode) as client:
        tools = (await client.list_tools()).tools
        results = []
        for call in json.loads(Path(calls).read_text()):
            result = await client.call_tool(call["tool"], call["arguments"])
            results.append({
                "isError": result.is_error,
                "structured": result.structured_content,
                "content": [part.model_dump() for part in result.content],
            })
        protocol = client.protocol_version
        server_info = client.server_info
    print(json.dumps({
        "protocol": protocol,
        "server": server_info.model_dump() if server_info else None,
        "tools": [tool.model_dump(by_alias=True) for tool in tools],
        "results": results,
    }))


asyncio.run(main(*sys.argv[1:5]))
