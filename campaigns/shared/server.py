"""One server process, spoken to line by line; knows nothing of which server it is."""

import json
import subprocess


class Server:
    """A server on standard input and output, in the working directory it is started in."""

    def __init__(self, command, workspace, environment):
        self.process = subprocess.Popen(
            [str(part) for part in command], cwd=workspace, env=environment, text=True,
            encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.last = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {},
                 "clientInfo": {"name": "campaign", "version": "1"}}
        self.request("initialize", hello)
        self._send({"method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def call(self, tool, arguments):
        """The answer of a tool: its JSON, or `{"text": ...}` when it is not JSON."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = result["content"][0]["text"]
        try:
            return json.loads(text)
        except ValueError:
            return {"text": text}

    def request(self, method, parameters):
        """The result of a request."""
        self.last += 1
        self._send({"id": self.last, "method": method, "params": parameters})
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply.get("id") == self.last:
                return reply["result"]
        raise EOFError(f"the server ended at {method} {parameters}")

    def _send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()
