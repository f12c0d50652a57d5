"""Judges documents as Python does: a line of `[format, text]` in; out comes `null`, or the message
and the places that it speaks of, each `[line, col]`.

Runs in the interpreter that has PyYAML, apart from the campaign.
"""

import json
import sys
import tomllib
import warnings

import yaml


def judge_json(text):
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return [error.msg, [error.lineno, error.colno]]


def judge_jsonl(text):
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                json.loads(line)
            except json.JSONDecodeError as error:
                return [error.msg, [number, error.colno]]


def judge_yaml(text):
    # Nodes and not values: that a tag is unknown or a date is none is not the syntax's concern.
    try:
        for _ in yaml.compose_all(text, Loader=yaml.SafeLoader):
            pass
    except yaml.MarkedYAMLError as error:
        # Where it gave up, and where that began which it could not end.
        marks = [mark for mark in (error.problem_mark, error.context_mark) if mark]
        places = [[mark.line + 1, mark.column + 1] for mark in marks]
        return [error.problem or error.context, *places]
    except yaml.reader.ReaderError as error:
        return [error.reason]


def judge_python(text):
    try:
        # As a file, which may await only in a function.
        compile(text, "text", "exec", dont_inherit=True)
    except SyntaxError as error:
        return [error.msg, [error.lineno, error.offset]]
    except ValueError as error:
        return [str(error)]


def judge_toml(text):
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        words = place.rstrip(")").replace(",", "").split()
        if words[:1] == ["line"]:
            return [message, [int(words[1]), int(words[3])]]
        return [str(error)]


def main():
    warnings.simplefilter("ignore")
    sys.stdin.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        kind, text = json.loads(line)
        print(json.dumps(globals()[f"judge_{kind}"](text)), flush=True)


if __name__ == "__main__":
    main()
