// Drives the server with @modelcontextprotocol/client. See `drivers` in README.md.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [server, workspace, calls, era] = process.argv.slice(2);
const require = createRequire(`${process.env.MODULES}/`);
const { Client, SSEClientTransport, StreamableHTTPClientTransport } =
  require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

function place() {
  if (server.endsWith("/sse")) return new SSEClientTransport(new URL(server));
  if (server.startsWith("http:")) return new StreamableHTTPClientTransport(new URL(server));
  return new StdioClientTransport({ command: server, cwd: workspace });
}

const client = new Client(
  { name: "campaign", version: "1" },
  { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : era } },
);
await client.connect(place());

const { tools } = await client.listTools();
const results = [];
for (const call of JSON.parse(readFileSync(calls, "utf8"))) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  const { isError, structuredContent: structured, content } = result;
  results.push({ isError: isError ?? false, structured, content });
}
const protocol = client.getNegotiatedProtocolVersion?.();
await client.close();
console.log(JSON.stringify({ protocol, server: client.getServerVersion(), tools, results }));
