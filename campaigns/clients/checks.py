"""What must hold of every answer, and of a whole session with the table of calls.

A check is a pair: what was looked at, and the problem or None.
"""

import json
from pathlib import Path

CALLS = Path(__file__).resolve().parent / "calls.json"

TOOL_COUNT = 21
ENVELOPE = {
    "ok", "schema_version", "error", "reason_hint", "detected_patterns", "suggested_action",
    "retry_budget", "context",
}


def calls():
    """The table: tool, arguments, and what the answer must at least say."""
    return json.loads(CALLS.read_text())


def check_session(session, era):
    """Checks what a driver printed: the tools it was shown and the result of each call."""
    table = calls()
    yield "tools/list", problem_of_tools(session["tools"])
    if session.get("protocol"):
        modern = session["protocol"] >= "2026-07-28"
        wrong = modern != (era != "legacy")
        yield "protocol", f"{session['protocol']} in era {era}" if wrong else None
    results = session["results"]
    yield "count", None if len(results) == len(table) else f"{len(results)} results"
    for call, result in zip(table, results):
        name = f"{call['tool']} {json.dumps(call['arguments'])[:60]}"
        yield name, problem_of(result, call["answer"])


def problem_of(result, expected):
    """The first thing wrong with the result of one call."""
    content = result["content"]
    if len(content) != 1 or content[0]["type"] != "text":
        return f"the content is not one text: {content}"
    answer = json.loads(content[0]["text"])
    if answer != result["structured"]:
        return f"text and structure differ: {answer} {result['structured']}"
    if result["isError"] == answer["ok"]:
        return f"isError is {result['isError']} and ok is {answer['ok']}"
    return problem_of_answer(answer, expected)


def problem_of_answer(answer, expected):
    """The first thing wrong with what a call answers, however it was wrapped."""
    if not isinstance(answer, dict) or not isinstance(answer.get("ok"), bool):
        return f"the answer does not say whether it is ok: {answer!r}"
    if not answer["ok"] and set(answer) != ENVELOPE:
        return f"the envelope has the keys {sorted(answer)}"
    return mismatch(answer, expected)


def mismatch(answer, expected, place="answer"):
    """Where an answer does not say what is expected; what it says beyond that is its own."""
    if isinstance(expected, dict) and isinstance(answer, dict):
        for key, value in expected.items():
            if key not in answer:
                return f"{place}.{key} is absent from {answer}"
            if found := mismatch(answer[key], value, f"{place}.{key}"):
                return found
        return None
    return None if answer == expected else f"{place} is {answer!r}, not {expected!r}"


def problem_of_tools(tools):
    """What is wrong with a list of tools: each has calls in the table, and there are as many as are served."""
    names = {tool["name"] for tool in tools}
    if len(tools) != TOOL_COUNT or len(names) != TOOL_COUNT:
        return f"{len(tools)} tools are listed"
    for ok in (True, False):
        missing = names - {call["tool"] for call in calls() if call["answer"]["ok"] == ok}
        if missing:
            return f"calls.json has no call with ok {ok} of {sorted(missing)}"
    return None
