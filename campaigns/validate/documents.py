"""Small documents of each format, and their mutations."""

import random

SEEDS = {
    "json": [
        '{"a": [1, -2.5e+3, true, null], "b": {"c": "d\\u00e9\\n"}, "e": []}\n',
        '[{"id": 1, "tags": ["x", "y"]}, {"id": 2, "tags": []}, NaN, -Infinity]',
        '"text with \\"quotes\\" and a tab\\t"',
        '{\n  "name": "ünï",\n  "nested": {"deep": [[[0]]]},\n  "last": 0.1\n}\r\n',
        "  -0\n",
    ],
    "jsonl": [
        '{"a": 1}\n{"b": [true, null]}\n',
        '[1, 2]\r\n\n"x"\r\n-0.5',
    ],
    "yaml": [
        "name: demo\nversion: 1.2\nitems:\n  - one\n  - two: 2\n    three: [a, b]\n  - {x: y}\n",
        "# comment\na: &anchor\n  b: 'single ''quoted'''\n  c: \"double \\n \\x41\"\nd: *anchor\n",
        "text: |\n  line one\n\n  line two\nfolded: >-\n  some\n  words\nend: true\n",
        "---\n- 1\n- - nested\n  - list\n- ? key\n  : value\n- !!str 5\n...\n",
        "on:\n  push:\n    branches: [main]\njobs:\n  test:\n    steps:\n      - run: |\n"
        "          cargo test\n      - uses: a/b@v1\n",
        "key: some plain text, with: colons\nurl: http://a/b#c\nempty:\nnull: ~\n",
        "a:\n\t- x\nb: 1\t# comment\nc:\td\n",
        "plain scalar\n  over lines\n",
    ],
    "python": [
        "import os\n\n\ndef f(a, *b, c=1, **d):\n    \"\"\"Doc.\"\"\"\n    return a + c\n",
        "class A(B):\n    x: int = 1\n\n    async def g(self):\n        async with y as z:\n"
        "            await z\n        yield\n",
        "for i in range(10):\n    if i % 2 == 0:\n        continue\n    elif i > 5:\n        break\n"
        "    else:\n        print(f\"{i!r:>{3}} {i + 1}\")\n",
        "try:\n    x = [y for y in z if y]\nexcept (A, B) as e:\n    raise C from e\nfinally:\n    pass\n",
        "match p:\n    case {'a': [1, *_], **rest} if rest:\n        q = lambda x, /, y: x @ y\n"
        "    case A(b=2) | None:\n        pass\n",
        "x = {'a': 1, **b, 'c': (1, 2), 'd': {3, 4}}\nx['a'] += 0x1f + 1_000 + 1e3j\ndel x['a'], y\n",
        "@decorator(1)\ndef h[T](x: T) -> T:\n    global g\n    g = x if x else not x\n    "
        "assert x, 'm'\n    return g\n",
        "def f(a):\n    x = 1\n    def g(b):\n        nonlocal x, a\n        global y\n"
        "        x = y = b\n    return g\n\nfrom m import *\n",
        "async def f(x):\n    async for i in x:\n        yield [await j async for j in i]\n"
        "    async with x as y, z:\n        return\n\ndef g():\n    yield from (a for a in b)\n",
        "class A:\n    def f(self):\n        nonlocal __class__\n    while x:\n        try:\n"
        "            continue\n        except* E as e:\n            pass\n        finally:\n"
        "            break\n    else:\n        pass\n",
        "'Doc.'\nfrom __future__ import annotations\nglobal x\nx = 1\n*a, b = c\n"
        "del x, (y, z)\nf(*a, b=1, **c)\nx: int\nlambda a, *b, c=1, **d: (yield)\n",
        "match x:\n    case [a, *b] | {'k': a, **b}:\n        pass\n    case A(c=1, d=e) as f:\n"
        "        pass\n    case _:\n        [(y := z) for z in x if (w := z)]\n",
        "s = 'a' \"b\" '''c\nd''' r'\\e' f\"{g}\" ; t = s[1:2, ::3]\nwhile (n := s): n = -n ** 2\n",
    ],
    "toml": [
        "title = \"demo\"\n[owner]\nname = 'x'\nborn = 1979-05-27T07:32:00-08:00\n",
        "[a.b]\nports = [8000, 8001]\n[a.c]\nip = \"10.0.0.1\"\n[[p]]\nn = 1\n[[p]]\nn = 2\n",
        "s = \"\"\"\nmany \\\n  lines\"\"\"\nl = '''raw\n'''\nf = 6.626e-34\nh = 0xDEAD_beef\n",
        "d = 2020-01-01\nt = 07:32:00.5\nb = true\ni = {x = 1, y = {z = [1, 2]}}\n\"q.r\".s = inf\n",
        "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde = { version = \"1\", "
        "features = [\"derive\"] }\n",
    ],
}

PIECES = {
    "json": list('{}[]:,"\\ 0-.eE+\n\t\r') + ["true", "nul", "\\u12", "\ufeff", "NaN", "é", "\x01"],
    "jsonl": list('{}[]:,"\\ 0-\n\r') + ["\n\n", "true", "NaN", "é", "{}\n"],
    "yaml": list("{}[]:,-?&*!|>'\"%@`# \n\t\r") + ["  ", ": ", "- ", "\n  ", "---\n", "&x ", "*x",
                                                  "!!int ", "\\x4", "é", "\t", "\n\t", "<<: "],
    "python": list("()[]{}:;,.=+-*@'\"\\# \n\t!$?~^") + ["    ", "\n    ", "def ", "if ", "else",
                                                        "f'", "'''", "lambda ", "é", "0", "1e",
                                                        " in ", "->", ":=", "**", "await ",
                                                "return ", "yield ", "break\n", "continue\n",
                                                "nonlocal x\n", "global x\n", "async ", "*a, ",
                                                "import *", "class A:\n    ", "del ", "_"],
    "toml": list("[]{}=.,'\"# \n\t\\-+:_0") + ["[[", "]]", "\"\"\"", "'''", "0x", "1e", "true",
                                              "é", "\r", "\\u00", "a = 1\n", "T", "1979-05-27"],
}


def mutations(kind, count, seed):
    """That many documents, the seeds themselves first; the same ones for the same seed."""
    choose = random.Random(f"{kind} {seed}")
    documents = dict.fromkeys(SEEDS[kind])
    while len(documents) < count:
        text = choose.choice(SEEDS[kind])
        for _ in range(choose.choice([1, 1, 1, 2, 3])):
            text = mutated(text, PIECES[kind], choose)
        documents[text] = None
    return list(documents)


def mutated(text, pieces, choose):
    """The text with one change."""
    start = choose.randint(0, len(text))
    end = min(len(text), start + choose.choice([1, 1, 2, 5, 20]))
    part = text[start:end]
    kind = choose.randrange(5)
    if kind == 0:
        return text[:start] + text[end:]
    if kind == 1:
        return text[:start] + choose.choice(pieces) + text[start:]
    if kind == 2:
        return text[:start] + choose.choice(pieces) + text[end:]
    if kind == 3:
        at = choose.randint(0, len(text))
        return text[:at] + part + text[at:]
    return text[:start]
