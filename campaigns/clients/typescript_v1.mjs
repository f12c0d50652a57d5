// Drives the server with @modelcontextprotocol/sdk. See `drivers` in README.md.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [server, workspace, calls] = process.argv.slice(2);
const require = createRequire(`${process.env.MODULES}/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { SSEClientTransport } = require("@modelcontextprotocol/sdk/client/sse.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

function place() {
  if (server.endsWith("/sse")) return new SSEClientTransport(new URL(server));
  if (server.startsWith("http:")) return new StreamableHTTPClientTransport(new URL(server));
  return new StdioClientTransport({ command: server, cwd: workspace });
}

const client = new Client({ name: "campaign", version: "1" });
await client.connect(place());

const { tools } = await client.listTools();
const results = [];
for (const call of JSON.parse(readFileSync(calls, "utf8"))) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  const { isError, structuredContent: structured, content } = result;
  results.push({ isError: isError ?? false, structured, content });
}
await client.close();
console.log(JSON.stringify({ server: client.getServerVersion(), tools, results }));
