"""Two answers to the same call, field by field.

Every field that the Python server gives must be in ours, with the same value; ours may say more.
What differs by its nature (times, identifiers, where the workspace lies) is compared as a kind.
"""

import re

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
JOURNAL_ID = re.compile(r"^wj_[0-9a-f]{20}$")
# Reasons of the form `word: text`, where the text is the host's.
HOST_TEXT = re.compile(
    r"^(mkdir_failed|bad_base64|not_utf8|composed_not_utf8|bad_manifest|corrupt_checkpoint"
    r"|yaml_error|bad_regex): .+$", re.DOTALL)


def normal(value, workspace, field=""):
    """A value with what differs by its nature replaced by its kind."""
    if isinstance(value, dict):
        return {key: normal(item, workspace, key) for key, item in value.items()}
    if isinstance(value, list):
        return [normal(item, workspace) for item in value]
    if isinstance(value, str):
        if TIME.match(value):
            return "<time>"
        if JOURNAL_ID.match(value):
            return "<journal id>"
        if field == "reason" and (found := HOST_TEXT.match(value)):
            return f"{found[1]}: <text>"
        return value.replace(str(workspace), "<workspace>")
    return value


def differences(theirs, ours, place=""):
    """Where ours does not say what theirs says: place, their value, our value."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key, value in theirs.items():
            if key in ours:
                yield from differences(value, ours[key], f"{place}.{key}".lstrip("."))
            else:
                yield f"{place}.{key}".lstrip("."), value, "<absent>"
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (their_item, our_item) in enumerate(zip(theirs, ours)):
            yield from differences(their_item, our_item, f"{place}[{index}]")
    elif theirs != ours or isinstance(theirs, bool) != isinstance(ours, bool):
        yield place, theirs, ours
