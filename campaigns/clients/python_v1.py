"""Drives the server with the Python SDK, version 1. See `drivers` in README.md."""

import asyncio
import json
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(server, workspace, calls):
    parameters = StdioServerParameters(command=server, cwd=workspace)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
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
