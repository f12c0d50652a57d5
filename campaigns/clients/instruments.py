"""The programs that test a server by themselves: two command lines, a fuzzer, a scanner, a linter of schemas."""

import json
import os
import pathlib
import subprocess
import tempfile

import checks
import drivers

SECONDS = 600


class Inspector:
    """The Inspector's command line; each run starts a server of its own."""

    def __init__(self, node, modules):
        program = modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
        self.command = [node / "node", program, "--cli"]

    def calls(self, server, workspace, era):
        """Makes every call of the table; exit status 5 stands for isError."""
        checked = []
        for call in checks.calls():
            ran = self._call(server, workspace, era, call["tool"], call["arguments"])
            name = f"{call['tool']} {json.dumps(call['arguments'])[:60]}"
            checked.append((name, _problem_of_call(ran, call["answer"])))
        return checked

    def strict(self, server, workspace, era):
        """Lists the tools and has the schemas examined for portability.

        It warns of the argument that may be any JSON value; that one is meant.
        """
        ran = self._run(server, workspace, era, "--method", "tools/list", "--strict")
        if ran.returncode:
            return [("tools/list", f"exit {ran.returncode}: {ran.stdout}{ran.stderr}")]
        return [("tools/list", checks.problem_of_tools(json.loads(ran.stdout)["result"]["tools"]))]

    def load(self, server, workspace, era):
        """Appends 200 parts to one session, eight calls at a time; none may be lost."""
        part = {"session": "load", "content": "x\n"}
        ran = self._call(server, workspace, era, "rw_chunk_append", part,
                         "--load", "--load-requests", "200", "--load-concurrency", "8")
        status = self._call(server, workspace, era, "rw_chunk_status", {"session": "load"})
        present = _structured(status).get("present_indices", [])
        lost = None if present == list(range(1, 201)) else f"{len(present)} parts are there"
        failed = None if ran.returncode == 0 else f"exit {ran.returncode}: {ran.stdout}{ran.stderr}"
        return [("load", failed), ("parts", lost)]

    def _call(self, server, workspace, era, tool, arguments, *more):
        return self._run(
            server, workspace, era, "--method", "tools/call", "--tool-name", tool,
            "--tool-args-json", json.dumps(arguments), *more)

    def _run(self, server, workspace, era, *arguments):
        place = ["--protocol-era", era, "--format", "json", "-q"]
        if str(server).startswith("http:"):
            place += ["--transport", "sse" if str(server).endswith("/sse") else "http"]
        else:
            place += ["--cwd", workspace]
        catalog = {**os.environ, "MCP_CATALOG_PATH": str(workspace / "inspector.json")}
        return subprocess.run([*self.command, server, *place, *arguments], env=catalog,
                              capture_output=True, text=True, timeout=SECONDS)


def mcporter(node, modules):
    """The check of mcporter's command line: the tools that it lists, and every call of the table.

    It prints the structured content alone; exit status 1 stands for isError.
    """
    def run(server, workspace, command, *arguments):
        if str(server).startswith("http:"):
            place = ["--http-url", server, "--allow-http"]
        else:
            place = ["--stdio", server, "--cwd", workspace]
        return subprocess.run(
            [node / "node", modules / "mcporter/dist/cli.js", "--root", workspace, command, *place, *arguments],
            cwd=workspace, env={**os.environ, "HOME": str(workspace)}, capture_output=True, text=True, timeout=SECONDS)

    def check(server, workspace, era):
        ran = run(server, workspace, "list", "--json")
        if ran.returncode:
            return [("list", f"exit {ran.returncode}: {ran.stdout}{ran.stderr}")]
        checked = [("list", checks.problem_of_tools(json.loads(ran.stdout)["tools"]))]
        for call in checks.calls():
            arguments = json.dumps(call["arguments"])
            ran = run(server, workspace, "call", call["tool"], "--args", arguments, "--output", "json")
            is_ok = call["answer"]["ok"]
            if ran.returncode != (not is_ok):
                problem = f"exit {ran.returncode}: {ran.stdout}{ran.stderr}"
            else:
                problem = checks.problem_of_answer(json.loads(ran.stdout), call["answer"])
            checked.append((f"{call['tool']} {arguments[:60]}", problem))
        return checked

    return check


def scanner(environment):
    """The check of Cisco's scanner, with what works offline: it scans every tool that is listed, no tool's text looks
    like an attack, and a server with a token file shows a stranger nothing.

    The scanner says nothing, too, of what it cannot speak with. So it has to find the tools of a server without tokens.
    That HTTP on loopback is not encrypted (MCPS-001) is meant.
    """
    full = ["--tools", "full"]

    def scan(workspace, *arguments):
        ran = subprocess.run([environment / "mcp-scanner", *arguments], cwd=workspace, capture_output=True, text=True,
                             timeout=SECONDS, env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"})
        if ran.returncode:
            raise ChildProcessError(f"exit {ran.returncode}: {ran.stdout[-1000:]}{ran.stderr[-1000:]}")
        return json.loads(ran.stdout)

    def found(server, workspace, era, *options):
        """What it finds in a server over HTTP, as the ids of its checks."""
        def stranger(url, _workspace, _era):
            findings = scan(workspace, "protocol", "--server-url", url)["findings"]
            return sorted(finding["details"]["check_id"] for finding in findings)
        return drivers.over("http", stranger, *options)(server, workspace, era)

    def texts(server, workspace, *place):
        """The check of every tool's text, in a server that is found at this place."""
        scanned = scan(workspace, "--analyzers", "yara", "--format", "raw", *place)["scan_results"]
        missing = {tool["name"] for tool in _tools(server, workspace, *full)} ^ {tool["tool_name"] for tool in scanned}
        few = len(scanned) <= checks.TOOL_COUNT
        checked = [("tools", f"{len(scanned)} were scanned, without {sorted(missing)}" if few or missing else None)]
        return checked + [(tool["tool_name"], None if tool["is_safe"] else f"{tool['findings']}") for tool in scanned]

    def check(server, workspace, era):
        checked = texts(server, workspace, "stdio", "--stdio-command", server,
                        *(f"--stdio-arg={argument}" for argument in full))
        for transport in ("http", "sse"):
            def remote(url, _workspace, _era):
                return texts(server, workspace, "remote", "--server-url", url)
            checked += drivers.over(transport, remote, *full)(server, workspace, era)
        with tempfile.TemporaryDirectory() as outside:
            for who, options, expected in (
                ("a client without a token", ["--token-file", pathlib.Path(outside) / "tokens"], ["MCPS-001"]),
                ("a server without tokens", [], ["MCPS-001", "MCPS-002"]),
            ):
                ids = found(server, workspace, era, *options)
                checked.append((who, None if ids == expected else f"{ids}, not {expected}"))
        return checked

    return check


def _problem_of_call(ran, expected):
    if "tool_not_found" in ran.stderr:
        # The Inspector does not send a call of a tool that is not listed.
        return None if "unknown_tool" in expected.get("context", {}) else ran.stderr
    status = 0 if expected["ok"] else 5
    if ran.returncode != status:
        return f"exit {ran.returncode}: {ran.stdout}{ran.stderr}"
    result = json.loads(ran.stdout)["result"]
    result["structured"] = result["structuredContent"]
    return checks.problem_of(result, expected)


def _structured(ran):
    return json.loads(ran.stdout)["result"]["structuredContent"]


def fuzzer(environment):
    """The check of mcp-fuzzer: malformed messages and arguments; no call may hang or crash.

    Its other findings are not about us: it takes any answer that is not a JSON-RPC error for
    acceptance, and counts an echo of the argument in a failure's context as a reflection.
    What takes 30 s counts as a hang. The default of the fuzzer is 5 s, which ended some calls over HTTP on a busy machine.
    """
    def check(server, workspace, era):
        out = workspace / "fuzzer"
        protocol = "streamablehttp" if str(server).startswith("http:") else "stdio"
        ran = subprocess.run(
            [environment / "mcp-fuzzer", "--protocol", protocol, "--endpoint", server,
             "--mode", "all", "--phase", "both", "--runs", "20", "--seed", "1", "--no-corpus",
             "--no-network", "--fs-root", workspace, "--tool-timeout", "30", "--output-dir", out],
            cwd=workspace, capture_output=True, text=True, timeout=SECONDS)
        if ran.returncode:
            return [("exit", f"{ran.returncode}: {ran.stdout[-1000:]}{ran.stderr[-1000:]}")]
        summary = json.loads((out / "run_summary.json").read_text())
        findings = json.loads((out / "findings.json").read_text())["findings"]
        bad = [f for f in findings if f["category"] in ("hang", "crash")]
        checked = [("tools", None if summary["tools"] else "no tool was fuzzed")]
        return checked + [(f["target"], f"{f['category']}: {f['detail']}") for f in bad]

    return check


def linter(environment):
    """The check of agent-friend: no set of tools has an error in its schemas.

    Its warnings are opinions that cost tokens in every session, and many are about names of the Python
    server. Of the set `core` only those about names and about a list of required arguments are let pass.
    """
    names = {"param_name_too_generic", "param_name_ends_with_type", "required_missing"}

    def found(server, workspace, *arguments):
        tools = workspace / "tools.json"
        tools.write_text(json.dumps(_tools(server, workspace, *arguments)))
        ran = subprocess.run([environment / "agent-friend", "validate", tools, "--json"],
                             capture_output=True, text=True, timeout=SECONDS)
        return json.loads(ran.stdout)

    def check(server, workspace, era):
        checked = []
        for arguments in (["--tools", "core"], [], ["--with-read"], ["--tools", "full"]):
            report = found(server, workspace, *arguments)
            bad = [issue for issue in report["issues"] if issue["severity"] == "error"
                   or arguments == ["--tools", "core"] and issue["check"] not in names]
            checked.append((" ".join(arguments) or "paper", f"{bad}" if bad else None))
        return checked

    return check


def _tools(server, workspace, *arguments):
    """The tools as the server lists them, without any client in between."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "campaign", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    ran = subprocess.run([server, *arguments], cwd=workspace, input=text, capture_output=True, text=True,
                         timeout=SECONDS)
    return json.loads(ran.stdout.splitlines()[1])["result"]["tools"]
