"""Judges texts in many languages: a line of `[language, text, ranges]` in; out comes whether the
text is well formed, and its shape.

The shape is the program without what its literals and comments say, and without the tokens in
the ranges of bytes. Two texts of one shape differ in literals alone.

Python, JSON, TOML, YAML, XML and shells are judged by their own parsers, all others by tree-sitter's
grammars. Runs in an interpreter that has the packages, apart from the campaign.
"""

import ast
import json
import re
import subprocess
import sys
import tomllib
import warnings
from xml.etree import ElementTree

import tree_sitter
import tree_sitter_bash
import tree_sitter_c_sharp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_kotlin
import tree_sitter_php
import tree_sitter_ruby
import tree_sitter_rust
import tree_sitter_typescript
import yaml

GRAMMARS = {
    "javascript": tree_sitter_javascript.language,
    "typescript": tree_sitter_typescript.language_typescript,
    "rust": tree_sitter_rust.language,
    "go": tree_sitter_go.language,
    "ruby": tree_sitter_ruby.language,
    "java": tree_sitter_java.language,
    "kotlin": tree_sitter_kotlin.language,
    "csharp": tree_sitter_c_sharp.language,
    "php": tree_sitter_php.language_php,
    "shell": tree_sitter_bash.language,
}
PARSERS = {name: tree_sitter.Parser(tree_sitter.Language(of())) for name, of in GRAMMARS.items()}

# What a node's type ends in when it is a text: its words may change, and it may become empty.
TEXTS = ("comment", "string_content", "string_fragment", "string_literal_content", "heredoc_content",
         "heredoc_body", "jsx_text", "escape_sequence", "raw_string", "string_value", "nowdoc_string",
         "interpreted_string_literal_content", "raw_string_literal_content", "character",
         "verbatim_string_literal", "raw_string_content", "regex_pattern", "content",
         "html_character_reference")


def python(text, _ranges):
    tree = ast.parse(text)
    shape = []

    def walk(node):
        if isinstance(node, ast.Constant):
            shape.append("constant")
        elif isinstance(node, ast.JoinedStr):
            # Pieces of an f-string that become empty are no nodes any more.
            shape.append("constant")
            for value in node.values:
                if not isinstance(value, ast.Constant):
                    walk(value)
        elif isinstance(node, list):
            shape.append(len(node))
            for item in node:
                walk(item)
        elif isinstance(node, ast.AST):
            shape.append(type(node).__name__)
            for _, value in ast.iter_fields(node):
                walk(value)
        else:
            shape.append(node)

    walk(tree)
    return shape


def of_values(value):
    if isinstance(value, dict):
        return ["{", *(part for key in value.values() for part in of_values(key)), "}"]
    if isinstance(value, list):
        return ["[", *(part for item in value for part in of_values(item)), "]"]
    return ["."]


def json_(text, _ranges):
    return of_values(json.loads(text, object_pairs_hook=lambda pairs: dict(enumerate(
        value for _, value in pairs))))


def toml(text, _ranges):
    return of_values(tomllib.loads(text))


def yaml_(text, _ranges):
    def walk(node):
        if isinstance(node, yaml.MappingNode):
            return ["{", *(part for pair in node.value for one in pair for part in walk(one)), "}"]
        if isinstance(node, yaml.SequenceNode):
            return ["[", *(part for item in node.value for part in walk(item)), "]"]
        return ["."]

    documents = yaml.compose_all(text, Loader=yaml.CSafeLoader)
    return [part for node in documents if node for part in ["---", *walk(node)]]


def xml(text, _ranges):
    return [(node.tag, sorted(node.attrib)) for node in ElementTree.fromstring(text).iter()]


def of_grammar(language, text, ranges):
    tree = PARSERS[language].parse(text.encode())
    if tree.root_node.has_error:
        raise SyntaxError("the grammar does not take it")
    shape = []

    def walk(node):
        if node.type.endswith(TEXTS) or not node.children and not is_outside(node, ranges):
            return
        if not node.children:
            shape.append([node.type, node.text.decode(errors="replace")])
        for child in node.children:
            walk(child)

    walk(tree.root_node)
    return shape


# What a shell calls one word, however it is quoted.
WORDS = ("word", "string", "raw_string", "concatenation", "number", "ansi_c_string",
         "variable_assignment", "variable_name", "test_command")
COMMANDS = ("command_substitution", "process_substitution", "expansion", "simple_expansion")


def is_outside(node, ranges):
    return not any(start < node.end_byte and node.start_byte < end for start, end in ranges)


def is_within(node, ranges):
    """Whether a node is a part of a secret, as `$1` is of a hash."""
    return any(start <= node.start_byte and node.end_byte <= end for start, end in ranges)


def of_words(node, shape, ranges):
    """The shape of a program for a shell: its words are counted, and the commands in them shown."""
    if node.type in WORDS or node.type in TEXTS:
        if node.type in WORDS:
            shape.append("word")
        inside = list(node.children)
        while inside:
            child = inside.pop(0)
            if child.type in COMMANDS and not is_within(child, ranges):
                of_words(child, shape, ranges)
            else:
                inside[:0] = child.children
        return
    if not node.children:
        shape.append([node.type, node.text.decode(errors="replace")])
    for child in node.children:
        of_words(child, shape, ranges)


def shell(text, ranges):
    ran = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True)
    if ran.returncode or ran.stderr:
        raise SyntaxError(ran.stderr.decode(errors="replace"))
    tree = PARSERS["shell"].parse(text.encode())
    # The grammar knows less than bash.
    if tree.root_node.has_error:
        return None
    shape = []
    of_words(tree.root_node, shape, ranges)
    return shape


def env(text, ranges):
    names, at = [], 0
    for line in text.encode().splitlines(keepends=True):
        if line.strip() and not line.lstrip().startswith((b"#", b";", b"[")):
            name, sign, value = line.partition(b"=")
            # A token that ends with two of the sign assigns nothing.
            is_padding = value.strip() and not value.strip(b"= \r\n")
            if not sign or is_padding or not re.fullmatch(rb"\s*(export )?[\w.-]+\s*", name):
                raise SyntaxError(f"no assignment: {line!r}")
            if not any(at <= start < at + len(name) for start, _ in ranges):
                names.append(name.decode())
        at += len(line)
    ran = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True)
    if ran.returncode or ran.stderr:
        raise SyntaxError(ran.stderr.decode(errors="replace"))
    return names


OWN = {"python": python, "json": json_, "toml": toml, "yaml": yaml_, "xml": xml, "shell": shell,
       "env": env}


def judge(language, text, ranges):
    try:
        if language in OWN:
            return {"shape": OWN[language](text, ranges)}
        return {"shape": of_grammar(language, text, ranges)}
    except Exception as error:  # Each parser has its own.
        return {"refused": f"{type(error).__name__}: {error}"[:300]}


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10_000)
    sys.stdin.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        print(json.dumps(judge(*json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
