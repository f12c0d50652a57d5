// Drives the server with @modelcontextprotocol/sdk. See `drivers` in README.md.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [server, workspace, calls] = process.argv.slice(2);
const require = createRequire(`${process.env.MODULES}/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const client = new Client({ name: "campaign", version: "1" });
const transport = new StdioClientTransport({ command: server, cwd: workspace });
await client.connect(transport);

const { tools } = await client.listTools();
const results = [];
for (const call of JSON.parse(readFileSync(calls, "utf8"))) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  const { isError, structuredContent: structured, content } = result;
  results.push({ isError: isError ?? false, structured, content });
}
await client.close();
console.log(JSON.stringify({ server: client.getServerVersion(), tools, results }));
