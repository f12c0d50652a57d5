"""The verdicts that differ from Python's on purpose, each as narrow as it can be said."""

import re

# Format, who refuses, a part of the message with which, and why.
RULES = [
    ("yaml", "theirs", "found character '\\t' that cannot start any token",
     "a tab may separate, YAML 1.2 section 6.2; PyYAML takes none outside of quotes"),
    ("yaml", "theirs", "expected ' ', but found",
     "a tab may follow a tag, and `#` be in one, YAML 1.2 sections 6.2 and 6.8.2"),
    ("yaml", "theirs", "indentation indicators, but found '\\t'",
     "a tab may follow what opens a text block, YAML 1.2 section 6.2"),
    ("yaml", "theirs", "but found '<block sequence start>'",
     "a text block that is all of a document need not be indented, YAML 1.2 section 9.1"),
    ("yaml", "ours", "comments must be separated", "as YAML 1.2 has it, section 6.6"),
    ("yaml", "theirs", "second occurrence", "an anchor may be used again, YAML 1.2 section 3.2.2.2"),
    ("yaml", "theirs", "expected '<document start>'",
     "after `...` a document may begin without `---`, YAML 1.2 section 9.2"),
    ("yaml", "theirs", "but got '?'", "`?` may be in a plain text, YAML 1.2 section 7.3.3"),
    ("yaml", "theirs", "but found ':'", "a key may be empty, YAML 1.2 section 7.4"),
    ("yaml", "theirs", "found unknown escape character '/'", "JSON's escape, YAML 1.2 section 5.7"),
    ("yaml", "ours", "invalid indentation in multiline quoted scalar",
     "the lines of a quoted text are indented, YAML 1.2 section 7.3"),
    ("yaml", "ours", "tab cannot be used as indentation",
     "the lines of a quoted text are indented, YAML 1.2 section 7.3"),
    ("yaml", "ours", "ing a tag",
     "`,`, `[`, `]` and `!` are written `%2C` and so on in a tag, YAML 1.2 section 6.8.2"),
    ("yaml", "ours", "simple key expected ':'",
     "a value on a line of its own is indented, YAML 1.2 section 8.2"),
    ("toml", "theirs", "Expected newline or end of document",
     "a time may lack its seconds, TOML 1.1"),
    ("toml", "theirs", "Expected '=' after a key", "the parser lets lines end at `=` in `{}`"),
    ("toml", "theirs", "Invalid value", "the parser lets lines end at `=` in `{}`"),
    ("toml", "theirs", "Unclosed inline table", "an inline table may go over lines, TOML 1.1"),
    ("toml", "theirs", "Invalid initial character for a key part",
     "an inline table may end in a comma and go over lines, TOML 1.1"),
    ("toml", "theirs", "Unescaped ", "`e` and `x41` are escapes, TOML 1.1"),
    ("python", "ours", "newlines are not allowed in format", "CPython refuses from 3.13 on"),
    ("python", "theirs", "iterable unpacking cannot be used in comprehension", "grammar of 3.15"),
    ("python", "theirs", "unindent does not match",
     "of tabs among spaces the parser makes other columns than CPython, and finds them consistent"),
]

ODD_ANCHOR = re.compile(r"[&*][\w-]*[^\w\s,\[\]{}-]", re.ASCII)


def reason(kind, text, side, message):
    """Why this verdict may differ, or None."""
    if kind == "yaml" and ODD_ANCHOR.search(text):
        return "an anchor may have any character, YAML 1.2 section 6.9.2; PyYAML takes few"
    for rule_kind, rule_side, part, why in RULES:
        if (kind, side) == (rule_kind, rule_side) and part in message:
            return why
    return None
