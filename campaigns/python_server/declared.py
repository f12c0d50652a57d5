"""The differences that are meant, each with its reason; any other difference is a failure.

A rule says of one differing field whether the difference is the one it declares. Every rule must
be met in a campaign: one that is not has outlived its reason.
"""

import re
from collections import namedtuple

# One differing field of one call: where in the answer, what each server has there, both answers
# whole, and the call.
Field = namedtuple("Field", "place their_value our_value theirs ours tool arguments")

RULES = {}


def meant(reason):
    """Declares a difference."""
    def declare(rule):
        RULES[rule.__name__] = rule
        rule.met = 0
        rule.reason = reason
        return rule
    return declare


def explanation(field):
    """The name of the rule that declares this difference, or None."""
    for name, rule in RULES.items():
        if rule(field):
            rule.met += 1
            return name
    return None


def unmet():
    """The rules that no difference has met."""
    return [name for name, rule in RULES.items() if not rule.met]


def refused(ours, error, hint):
    """Whether our answer is that envelope."""
    return (ours.get("error"), ours.get("reason_hint")) == (error, hint)


def reason_of(answer):
    context = answer.get("context")
    return str(context.get("reason", "")) if isinstance(context, dict) else ""


@meant("arguments outside the schema get the typed envelope, not the SDK's text")
def schema(field):
    hint = field.ours.get("reason_hint")
    return (str(field.theirs.get("text", "")).startswith("Input validation error")
            and field.ours.get("error") == "policy_violation"
            and (hint in ("encoding", "size_limit")
                 or (hint == "unknown" and "mode" in field.arguments)))


@meant("what escapes the Python server as bare text gets a typed envelope, or is done")
def bare_text(field):
    text = str(field.theirs.get("text", ""))
    expected = (
        "[Errno 21] Is a directory", "[Errno 2] No such file", "[Errno 36] File name too long",
        "'utf-8' codec can't decode", "Invalid isoformat string", "can't compare offset-naive")
    return text.startswith(expected) and (field.ours.get("ok") or "error" in field.ours)


@meant("of a finding of less than 32 characters a quarter is shown, four at the most")
def short_match(field):
    if not re.fullmatch(r"(context\.detected|detected_patterns)\[\d+\]\.match", field.place):
        return False
    theirs, ours = field.their_value, field.our_value
    shown = ours.removesuffix("…")
    whole = None if theirs.endswith("…") else theirs
    longest = 4 if whole is None else min(4, len(whole) // 4)
    return ours.endswith("…") and theirs.startswith(shown) and len(shown) == longest


@meant("the fields that we add to journal rows are not shown")
def journal_fields(field):
    shown = ("journal_id", "ts", "path", "sha256", "bytes", "mode", "caller")
    return (field.tool == "journal_tail" and field.our_value == "<absent>"
            and (found := re.match(r"entries\[\d+\]\.(\w+)", field.place)) is not None
            and found[1] not in shown)


@meant("a damaged line of the journal, or of the scratchpad's index, hides no other line")
def damaged_line(field):
    tools = ("journal_tail", "analytics", "scratch_ref", "scratch_get")
    return (field.tool in tools and field.ours.get("ok")
            and "bad_line" in field.theirs.get("context", {}))


@meant("nothing outside the workspace is looked at, be it there or not")
def outside(field):
    drift = (re.fullmatch(r"drift_warnings\[\d\]\.reason", field.place)
             and (field.their_value, field.our_value) == ("missing", "invalid_path"))
    read = field.tool == "handoff_read" and reason_of(field.ours) == "escapes_workspace"
    return bool(drift or read)


@meant("the missing parts of a session are listed up to the highest one, and not to their number")
def missing_parts(field):
    theirs, ours = field.their_value, field.our_value
    return (field.place == "context.missing" and isinstance(theirs, list)
            and isinstance(ours, list) and set(theirs) < set(ours))


@meant("the state directory and .git are not written by tools")
def protected(field):
    return field.theirs.get("ok") and reason_of(field.ours) == "protected_path"


@meant("a file that is not UTF-8 can be edited where the text occurs")
def other_encodings(field):
    return (field.tool == "safe_replace" and reason_of(field.theirs).startswith("not_utf8")
            and field.ours.get("ok"))


@meant("a name of 255 bytes is one: what is staged has a name of its own")
def long_names(field):
    return field.theirs.get("context", {}).get("errno") == 36 and field.ours.get("ok")


@meant("a name that ends in a line break is no name")
def line_breaks(field):
    given = [field.arguments.get(key, "") for key in ("session", "name", "ttl")]
    return (any(isinstance(text, str) and text.endswith("\n") for text in given)
            and refused(field.ours, "policy_violation", "encoding"))


@meant("state files are named in failures as they are elsewhere: relative")
def state_paths(field):
    return (field.place in ("context.manifest", "context.path")
            and field.their_value == f"<workspace>/{field.our_value}")


@meant("a part is not kept when the manifest cannot be")
def refused_part(field):
    return (field.tool == "chunk_reset" and field.place == "removed"
            and field.arguments == {"session": "m"} and field.their_value == field.our_value + 1)


@meant("a decoder's words are its own")
def decoder(field):
    return field.tool == "scratch_get" and field.place == "context.errno"


@meant("the hint of bytes that are no text is a sentence; the word for programs is in `code`")
def hint_and_code(field):
    return (field.tool == "scratch_get" and field.place in ("context.hint", "context.code")
            and "retry_with_encoding_base64" in (field.their_value, field.our_value))


@meant("a handoff is quoted in another style, and a checkpoint holds the time")
def file_bytes(field):
    handoff = field.tool == "handoff_write" and field.place in ("bytes", "sha256")
    checkpoint = field.tool.startswith("checkpoint") and field.place.endswith("sha256")
    return handoff or checkpoint or bool(re.search(r"checkpoint_refs\[\d+\]\.sha256", field.place))


@meant("the body of a handoff keeps its line endings")
def line_endings(field):
    return (field.tool == "handoff_read" and field.place == "body"
            and field.our_value.replace("\r\n", "\n") == field.their_value)


@meant("front matter that is empty is no mapping, rather than unterminated")
def empty_front_matter(field):
    return (field.tool == "handoff_read" and field.place == "context.reason"
            and (field.their_value, field.our_value)
            == ("unterminated_front_matter", "front_matter_not_mapping"))


@meant("parsers differ in words and columns, not in lines and verdicts")
def parser_words(field):
    return (field.tool == "validate" and field.theirs["format"] in ("json", "python", "yaml")
            and bool(re.fullmatch(r"errors\[0\]\.(message|col)", field.place)))


@meant("an unclosed brace is shown where it opens, and findings have columns")
def latex_places(field):
    if field.tool != "validate" or field.theirs["format"] != "latex":
        return False
    if field.place.endswith(".col"):
        return field.their_value is None
    index = int(re.match(r"errors\[(\d+)\]", field.place)[1])
    return field.theirs["errors"][index]["message"].startswith("Unclosed braces")


@meant("a policy that cannot be used refuses every write that is to be judged, as one that silently "
       "does not apply protects nobody")
def strict_policy(field):
    return (field.tool in ("risk_score", "safe_write")
            and refused(field.ours, "policy_violation", "encoding")
            and reason_of(field.ours).startswith(
                ("bad_value", "policy_yaml_not_mapping", "bad_regex")))


@meant("~/ is the user's directory, which is outside of the workspace, and no directory of that name")
def user_directory(field):
    return (field.arguments.get("path", "").startswith("~/")
            and reason_of(field.ours) == "escapes_workspace")


@meant("the state directory keeps itself out of git, so that there is nothing to warn of")
def ignores_itself(field):
    return (field.tool == "scratch_put" and field.place == "warnings" and field.our_value == []
            and "state_dir_not_gitignored" in str(field.their_value))


@meant("keys that are there twice, NaN and Infinity are warnings")
def json_warnings(field):
    return (field.tool == "validate" and field.place == "summary"
            and field.their_value == "json: ok" and "warning" in field.our_value)


@meant("a second document in YAML is a warning")
def second_document(field):
    return (field.tool == "validate" and "another document" in str(field.theirs.get("errors"))
            and field.ours.get("valid") is True and bool(field.ours.get("warnings")))


@meant("what CPython refuses when it compiles is an error")
def compiles(field):
    return (field.tool == "validate" and field.theirs.get("summary") == "python: ok"
            and field.arguments.get("content") == "return 1\n"
            and field.ours.get("valid") is False)


@meant("a text that nobody can check is not valid, and not invalid either")
def not_checked(field):
    return (field.tool == "validate" and field.theirs.get("summary") == "unknown: ok"
            and field.ours.get("summary") == "unknown: not checked"
            and field.ours.get("valid") is None)


@meant("compositions are counted from their rows, and not guessed from rows with other callers")
def compositions(field):
    return (field.tool == "analytics"
            and re.fullmatch(r"sessions\.\w+\.composes", field.place) is not None)
