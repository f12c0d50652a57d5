"""Runs a driver: a small program that makes the calls with one client library.

A driver is started with the server, a workspace, the table of calls and an era, and prints one
JSON object: the `protocol` spoken (where the library tells), the `tools` listed, and for each
call what the library returned: `isError`, `structured`, `content`.
"""

import json
import os
import subprocess
from pathlib import Path

import checks

HERE = Path(__file__).resolve().parent
SECONDS = 120


def python(environment, script):
    """The check of a driver in Python, in a virtual environment."""
    return lambda server, workspace, era: _drive(
        [environment / "python", HERE / script], os.environ, server, workspace, era)


def node(binaries, modules, script):
    """The check of a driver for Node, with the packages in `modules`."""
    environment = {**os.environ, "MODULES": str(modules)}
    return lambda server, workspace, era: _drive(
        [binaries / "node", HERE / script], environment, server, workspace, era)


def over(transport, check, *options):
    """The same check of a server over HTTP: what it checks is the URL that the server prints."""
    def checked(server, workspace, era):
        command = [server, "--transport", transport, "--port", "0", *options]
        listening = subprocess.Popen(command, cwd=workspace, stderr=subprocess.PIPE, text=True)
        try:
            line = next((line for line in listening.stderr if "listening on" in line), None)
            if line is None:
                raise ChildProcessError(f"exit {listening.wait(SECONDS)} before it listened")
            return check(line.split()[-1], workspace, era)
        finally:
            listening.terminate()
            try:
                listening.wait(SECONDS)
            finally:
                listening.kill()
                listening.stderr.close()
    return checked


def walk(environment):
    """The walks through a whole file, with the Python SDK in a virtual environment."""
    def check(server, workspace, era):
        command = [environment / "python", HERE / "walk.py", server, workspace, era]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return [("walk", f"no end after {SECONDS} s")]
        if ran.returncode:
            return [("walk", ran.stderr[-2000:])]
        return json.loads(ran.stdout)
    return check


def _drive(program, environment, server, workspace, era):
    command = [*program, server, workspace, checks.CALLS, era]
    try:
        ran = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return [("driver", f"no end after {SECONDS} s")]
    if ran.returncode:
        return [("driver", ran.stderr[-2000:])]
    return list(checks.check_session(json.loads(ran.stdout), era))
