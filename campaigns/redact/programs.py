"""Programs that hold a text: in a literal, in a comment, in a block, in a command."""

import json


def _double(text):
    """In double quotes, with the escapes that nearly all languages share."""
    return json.dumps(text, ensure_ascii=False)


def _single(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _comment(text, sign):
    return "".join(f"{sign} {line}\n" for line in text.splitlines())


def _indented(text, by="  "):
    return "".join(f"{by}{line}\n" for line in text.splitlines())


def _shell_single(text):
    return "'" + text.replace("'", "'\\''") + "'"


def _shell_double(text):
    for sign in "\\\"$`":
        text = text.replace(sign, "\\" + sign)
    return f'"{text}"'


def _in_backquotes(text):
    """A backquote would end the command also where it is quoted."""
    for sign in "\\`$":
        text = text.replace(sign, "\\" + sign)
    return text


def _template(text):
    return "`" + text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${") + "`"


def _xml(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _dollars(text):
    """Kotlin's and PHP's double quotes expand variables."""
    return _double(text).replace("$", "\\$")


def _two(text, write):
    """A text in two pieces that only their use puts together. One line of a key that was cut is not known
    to belong to the line in another place."""
    half, rest = text[:len(text) // 2], text[len(text) // 2:]
    return "" if "-----BEGIN" in text and rest.count("\n") < 2 else write(half, rest)


# For each language ways to write a program that holds a text. A program that the language's parser
# does not take as it is counts for nothing.
PROGRAMS = {
    "python": {
        "the text itself": lambda t: t,
        "a literal": lambda t: f"import os\nvalue = {t!r}\nother = 1\n",
        "an argument": lambda t: f"connect('db', user='bob', password={t!r}, port=1)\n",
        "an entry": lambda t: f"conf = {{'host': 'h', 'api_key': {_double(t)}, 'n': 1}}\n",
        "lines": lambda t: f'text = r"""\n{t}\n"""\nprint(text)\n',
        "an f-string": lambda t: "value = f'{a} " + repr(t)[1:-1].replace("{", "{{").replace(
            "}", "}}") + " {b}'\n",
        "bytes": lambda t: f"value = {t.encode()!r}\n",
        "a comment": lambda t: f"a = 1\n{_comment(t, '#')}b = 2\n",
        "halves": lambda t: f"key = {t[:len(t) // 2]!r} + {t[len(t) // 2:]!r}\nb = 2\n",
        "side by side": lambda t: f"key = ({t[:len(t) // 2]!r}\n       {t[len(t) // 2:]!r})\nb = 2\n",
    },
    "json": {
        "the text itself": lambda t: t,
        "a value": lambda t: json.dumps({"host": "h", "api_key": t, "port": 1}, indent=1),
        "a list": lambda t: json.dumps(["a", t, 2, t], ensure_ascii=False),
        "a literal in a literal": lambda t: json.dumps({"body": json.dumps({"token": t})}),
    },
    "toml": {
        "the text itself": lambda t: t,
        "a literal": lambda t: f"[a]\nhost = 'h'\napi_key = {_double(t)}\nport = 1\n",
        "a raw literal": lambda t: f"[a]\napi_key = '{t}'\nport = 1\n",
        "lines": lambda t: f"a = '''\n{t}\n'''\nb = 1\n",
        "a list": lambda t: f"a = [{_double(t)}, 'x']\n",
        "a comment": lambda t: f"a = 1\n{_comment(t, '#')}b = 2\n",
    },
    "yaml": {
        "the text itself": lambda t: t,
        "double quotes": lambda t: f"host: h\napi_key: {_double(t)}\nport: 1\n",
        "single quotes": lambda t: "api_key: '" + t.replace("'", "''") + "'\nport: 1\n",
        "plain": lambda t: f"host: h\napi_key: {t}\nport: 1\n",
        "an item": lambda t: f"env:\n- {t}\n- name: A\n  value: {t}\n",
        "flow": lambda t: f"env: {{a: {t}, b: [{t}, 1]}}\n",
        "a block": lambda t: f"a: |\n{_indented(t)}b: 1\n",
        "a folded block": lambda t: f"a: >-\n{_indented(t)}b: 1\n",
        "a comment": lambda t: f"a: 1 # {t}\n{_comment(t, '#')}b: 2\n",
        "halves": lambda t: f'a: "{t[:len(t) // 2]}\\\n  {t[len(t) // 2:]}"\nb: 1\n',
        "items": lambda t: _two(t, lambda a, b: f"a:\n- {a}\n- {b}\nb: 1\n"),
    },
    "xml": {
        "the text itself": lambda t: t,
        "an element": lambda t: f"<a><password>{_xml(t)}</password><b/></a>\n",
        "an attribute": lambda t: '<a><b key="' + _xml(t).replace('"', "&quot;") + '" c="1"/></a>\n',
        "a comment": lambda t: f"<a><!-- {t} --><b/></a>\n",
    },
    "env": {
        "the text itself": lambda t: t,
        "bare": lambda t: f"HOST=h\nAPI_KEY={t}\nPORT=1\n",
        "double quotes": lambda t: f"API_KEY={_shell_double(t)}\nPORT=1\n",
        "single quotes": lambda t: f"API_KEY='{t}'\nPORT=1\n",
    },
    "shell": {
        "the text itself": lambda t: t,
        "bare": lambda t: f"export API_KEY={t}\necho done\n",
        "single quotes": lambda t: f"export API_KEY={_shell_single(t)}\necho done\n",
        "double quotes": lambda t: f"curl -H {_shell_double('X-Key: ' + t)} https://h/ | sort\n",
        "a command in a literal": lambda t: f'x="$(curl -H {_shell_double(t)} https://h/ | sort)"\n',
        "a bare command in a literal": lambda t: f'x="$(curl -u {t} https://h/ | sort)"\n',
        "backquotes": lambda t: f"x=`run --token {_in_backquotes(_shell_single(t))}`\n",
        "here": lambda t: f"cat <<'EOF' > x\n{t}\nEOF\necho done\n",
        "here, expanded": lambda t: f"cat <<EOF > x\n{t}\nEOF\necho done\n",
        "a comment": lambda t: f"a=1\n{_comment(t, '#')}b=2\n",
        "halves": lambda t: "KEY=" + _shell_double(t[:len(t) // 2]) + _shell_single(t[len(t) // 2:])
                            + "\necho done\n",
        "two variables": lambda t: _two(t, lambda a, b: (
            f'A={_shell_single(a)}\nB={_shell_single(b)}\nKEY="$A$B"\n')),
        "a continued line": lambda t: f"export KEY={t[:len(t) // 2]}\\\n{t[len(t) // 2:]}\necho done\n",
    },
    "javascript": {
        "the text itself": lambda t: t,
        "a literal": lambda t: f"const value = {_double(t)};\nlet b = 1;\n",
        "single quotes": lambda t: f"f('a', {_single(t)}, 1);\n" if "\n" not in t else "",
        "a template": lambda t: f"const value = {_template(t)};\nlet b = `${{a}} {_template(t)[1:]};\n",
        "an entry": lambda t: f"const c = {{ host: 'h', apiKey: {_double(t)}, [k]: 1 }};\n",
        "a key": lambda t: f"const c = {{ {_double(t)}: 1 }};\n",
        "an element": lambda t: f"const e = <a key={{1}}><p>{_xml(t)}</p></a>;\n",
        "a comment": lambda t: f"a = 1;\n{_comment(t, '//')}b = 2;\n",
        "halves": lambda t: f"k = {_double(t[:len(t) // 2])} + {_double(t[len(t) // 2:])};\nb = 2;\n",
    },
    "typescript": {
        "a literal": lambda t: f"const value: string = {_double(t)};\nlet b = 1;\n",
        "a type": lambda t: f"type A = {{ a: {_double(t)} }};\nconst x: {_double(t)} = f();\n",
        "a decorator": lambda t: f"@A({_double(t)})\nclass B {{ c = {_double(t)}; }}\n",
    },
    "rust": {
        "a literal": lambda t: f"const K: &str = {_double(t)};\nfn f() {{ let b = {_double(t)}; }}\n",
        "a raw literal": lambda t: f'fn f() {{ g(r#"{t}"#, 1); }}\n',
        "a pattern": lambda t: f"fn f() {{ match a {{ {_double(t)} => 1, _ => 2 }} }}\n",
        "a comment": lambda t: f"{_comment(t, '//')}fn f() {{}}\n",
    },
    "go": {
        "a literal": lambda t: f"package a\n\nconst K = {_double(t)}\n\nvar b = f({_double(t)})\n",
        "a raw literal": lambda t: f"package a\n\nvar b = f(`{t}`, 1)\n",
        "a tag": lambda t: f"package a\n\ntype T struct {{\n\tA string `k:{_double(t)}`\n}}\n",
        "a case": lambda t: "package a\n\nfunc f() {\n\tswitch a {\n\tcase "
                            f"{_double(t)}:\n\t\tg()\n\t}}\n}}\n",
    },
    "ruby": {
        "single quotes": lambda t: f"value = {_single(t)}\nb = 1\n",
        "a literal": lambda t: f"f(a, {_double(t).replace('#', chr(92) + '#')}, 1)\n",
        "here": lambda t: f"x = <<~'EOF'\n{_indented(t)}EOF\nb = 1\n",
        "a case": lambda t: f"case a\nwhen {_single(t)} then 1\nend\n",
    },
    "java": {
        "a literal": lambda t: f"class A {{ String b = {_double(t)}; int c = 1; }}\n",
        "an annotation": lambda t: f"class A {{ @V({_double(t)}) String b; }}\n",
        "a case": lambda t: f"class A {{ void f() {{ switch (a) {{ case {_double(t)}: g(); }} }} }}\n",
    },
    "kotlin": {
        "a literal": lambda t: f"val b = f({_dollars(t)}, 1)\n",
        "a constant": lambda t: f"const val B = {_dollars(t)}\n",
    },
    "csharp": {
        "a literal": lambda t: f"class A {{ string b = {_double(t)}; int c = 1; }}\n",
        "a verbatim literal": lambda t: 'class A { string b = @"' + t.replace('"', '""') + '"; }\n',
        "an attribute": lambda t: f"class A {{ [V({_double(t)})] string b; }}\n",
    },
    "php": {
        "single quotes": lambda t: f"<?php\n$a = f({_single(t)}, 1);\n",
        "a literal": lambda t: f"<?php\n$a = [{_dollars(t)} => {_dollars(t)}];\n",
    },
}
