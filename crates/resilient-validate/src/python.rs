//! Python: a full parse with Ruff's parser, then what CPython refuses when it compiles.
//!
//! The parser descends recursively, and so does dropping the tree it builds, so depth is bounded
//! before it runs: [`too_complex`] counts, over the token stream, how deep any tree can get. The
//! limits are CPython's own where it has them. What passes is parsed on a thread whose stack is
//! large enough for the deepest tree that passes, whatever the caller's stack is.
//!
//! The parser goes on after an error; of a line, the first error is told. What the compiler refuses is
//! looked for in a text that parses, since a tree with a hole has errors that the text does not have.

mod compile;
mod scope;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Mod, PythonVersion};
use ruff_python_parser::{Mode, ParseErrorType, ParseOptions, lexer, parse_unchecked};
use ruff_text_size::Ranged;

use crate::findings::Findings;
use crate::lines::Lines;
use crate::report::Item;

/// Open brackets, as in CPython's tokenizer.
const BRACKETS_MAX: usize = 200;
/// Open blocks, as in CPython's tokenizer.
const INDENTS_MAX: usize = 100;
/// Operators that may nest in one expression. CPython gives up a little below 3000.
const OPERATORS_MAX: usize = 4000;
/// Enough for [`OPERATORS_MAX`] levels of the parser's largest frames in an unoptimised build.
const STACK_BYTES: usize = 64 << 20;
/// What needs a later Python is a warning.
const VERSION: PythonVersion = PythonVersion::PY311;

/// Finds what is wrong; nothing can be said where the parser cannot run.
pub(super) fn check(text: &str) -> Option<Findings> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("python-parser".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || check_here(text));
        thread.ok()?.join().ok()
    })
}

fn check_here(text: &str) -> Findings {
    let lines = Lines::new(text);
    if let Some(message) = too_complex(text) {
        return [Item::error(line_of_refusal(&lines), None, message)].into_iter().collect();
    }
    let options = ParseOptions::from(Mode::Module).with_target_version(VERSION);
    let parsed = parse_unchecked(text, options);
    let mut errors = Findings::default();
    let mut parse_errors: Vec<_> = parsed.errors().iter().collect();
    parse_errors.sort_by_key(|error| error.location.start());
    let tokens =
        parsed.tokens().iter().map(|token| (token.kind(), token.range().start().to_usize()));
    let mut bracket = parse_errors.first().and_then(|_| bracket_fault(tokens));
    let mut last_line = 0;
    for error in parse_errors {
        let at = error.location.start().to_usize();
        let line = lines.line(at);
        if line == last_line {
            continue;
        }
        last_line = line;
        match bracket.take() {
            Some(fault) if fault.explains(at, &lines) => {
                errors.error(|| lines.error(fault.at, fault.message));
            }
            _ => errors.error(|| lines.error(at, wording(&error.error))),
        }
    }
    if errors.is_empty()
        && let Mod::Module(module) = parsed.syntax()
    {
        for (at, message) in compile::errors(text, &module.body, VERSION) {
            errors.error(|| lines.error(at, message));
        }
    }
    let mut warnings = Findings::default();
    for newer in parsed.unsupported_syntax_errors() {
        warnings.warning(|| lines.warning(newer.range.start().to_usize(), newer.to_string()));
    }
    errors.and(warnings)
}

/// The parser's message, except for one that is a Rust value printed for debugging.
fn wording(error: &ParseErrorType) -> String {
    let message = error.to_string();
    if message.starts_with("ParseIntError") { "Invalid number literal".to_owned() } else { message }
}

/// Says why the text is refused without being parsed, if it is.
///
/// Every level of the tree costs at least one token that is not a name, a literal or a separator.
/// A comma or a line end starts a sibling, so the count falls back to what it was where the
/// enclosing bracket or `lambda` began: the largest count bounds the depth of the tree.
fn too_complex(text: &str) -> Option<&'static str> {
    let mut lexer = lexer::lex(text, Mode::Module);
    let mut indents = 0_usize;
    let mut brackets = 0_usize;
    let mut frames: Vec<Frame> = Vec::new();
    let mut depth = 0_usize;
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return None,
            TokenKind::Indent => indents += 1,
            TokenKind::Dedent => indents = indents.saturating_sub(1),
            TokenKind::Newline => {
                frames.clear();
                brackets = 0;
                depth = 0;
            }
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => {
                depth += 1;
                brackets += 1;
                frames.push(Frame { is_lambda: false, depth });
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => {
                while let Some(frame) = frames.pop() {
                    depth = frame.depth;
                    if !frame.is_lambda {
                        brackets -= 1;
                        break;
                    }
                }
            }
            TokenKind::Lambda => {
                depth += 1;
                frames.push(Frame { is_lambda: true, depth });
            }
            TokenKind::Colon if frames.last().is_some_and(|frame| frame.is_lambda) => {
                depth = frames.pop().map_or(depth, |lambda| lambda.depth);
            }
            TokenKind::Comma => depth = frames.last().map_or(0, |frame| frame.depth),
            TokenKind::Semi if frames.is_empty() => depth = 0,
            TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::True
            | TokenKind::False
            | TokenKind::None
            | TokenKind::FStringStart
            | TokenKind::FStringMiddle
            | TokenKind::FStringEnd
            | TokenKind::TStringStart
            | TokenKind::TStringMiddle
            | TokenKind::TStringEnd
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline => {}
            _ => depth += 1,
        }
        if brackets > BRACKETS_MAX {
            return Some("too many nested parentheses");
        }
        if indents > INDENTS_MAX {
            return Some("too many levels of indentation");
        }
        if depth > OPERATORS_MAX {
            return Some("expression too complex: too many operators nest in it");
        }
    }
}

/// An open bracket, or a `lambda` whose parameters are being read.
struct Frame {
    is_lambda: bool,
    /// The count at its start.
    depth: usize,
}

/// The first line whose end the text cannot reach without being refused.
///
/// The lexer keeps its positions to itself; halving the lines costs a few more passes, and only
/// for a text that is refused.
fn line_of_refusal(lines: &Lines<'_>) -> usize {
    let (mut first, mut last) = (1, lines.count());
    while first < last {
        let middle = first.midpoint(last);
        if too_complex(lines.through(middle)).is_some() {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    first
}

/// A bracket that has no partner.
struct BracketFault {
    at: usize,
    message: String,
    never_closed: bool,
}

impl BracketFault {
    /// Whether the parser's error at `error_at` comes from this bracket.
    ///
    /// A bracket left open swallows what follows, so the parser stumbles on some later line or at
    /// the end; CPython then blames the bracket, and so do we.
    fn explains(&self, error_at: usize, lines: &Lines<'_>) -> bool {
        if self.never_closed {
            let rest = lines.after(error_at);
            lines.line(error_at) > lines.line(self.at) || rest.trim().is_empty()
        } else {
            self.at <= error_at
        }
    }
}

fn bracket_fault(tokens: impl Iterator<Item = (TokenKind, usize)>) -> Option<BracketFault> {
    let mut open: Vec<(char, usize)> = Vec::new();
    for (kind, at) in tokens {
        let (opener, closer) = match kind {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => {
                let opener = match kind {
                    TokenKind::Lpar => '(',
                    TokenKind::Lsqb => '[',
                    _ => '{',
                };
                open.push((opener, at));
                continue;
            }
            TokenKind::Rpar => ('(', ')'),
            TokenKind::Rsqb => ('[', ']'),
            TokenKind::Rbrace => ('{', '}'),
            _ => continue,
        };
        let message = match open.pop() {
            Some((found, _)) if found == opener => continue,
            Some((found, _)) => format!(
                "closing parenthesis '{closer}' does not match opening parenthesis '{found}'"
            ),
            None => format!("unmatched '{closer}'"),
        };
        return Some(BracketFault { at, message, never_closed: false });
    }
    let (opener, at) = open.pop()?;
    Some(BracketFault { at, message: format!("'{opener}' was never closed"), never_closed: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: usize, col: usize, message: &str) -> Option<Item> {
        Some(Item::error(line, Some(col), message))
    }

    /// What is found first.
    fn first(text: &str) -> Option<Item> {
        check(text).unwrap().items.into_iter().next()
    }

    /// The lines of all errors.
    fn lines_of_errors(text: &str) -> Vec<usize> {
        check(text).unwrap().items.iter().map(|item| item.line).collect()
    }

    #[test]
    fn well_formed_modules_have_no_error() {
        for text in [
            "",
            "\n",
            "\u{feff}x = 1\n",
            "def foo(a, *b, c=1, **d):\n    return a\n",
            "async def f():\n    await x\n",
            "match x:\n    case [1, *_]: pass\n",
            "print(f\"{x!r:>{w}} {d['a']}\")\r\n",
            "try:\n    pass\nexcept* E:\n    pass\n",
            "x = (1,\n     2)\n",
        ] {
            assert_eq!(first(text), None, "{text:?}");
        }
    }

    #[test]
    fn syntax_errors_have_a_place() {
        for (text, line, col) in [
            ("x = 1 +\n", 1, 8),
            ("if x\n    pass\n", 1, 5),
            ("a = 1\nx = 'abc\n", 2, 5),
            ("x = '''abc\n", 1, 5),
            ("1 = x\n", 1, 1),
            ("é = = 1\n", 1, 5),
            ("print 'hi'\n", 1, 7),
            ("class A\n", 1, 8),
            ("x = $\n", 1, 5),
            ("<<<<<<< HEAD\nx = 1\n", 1, 1),
        ] {
            let found = first(text).map(|item| (item.line, item.col));
            assert_eq!(found, Some((line, Some(col))), "{text:?}");
        }
    }

    #[test]
    fn indentation_errors_are_found() {
        assert_eq!(
            first("if x:\npass\n"),
            error(2, 1, "Expected an indented block after `if` statement")
        );
        assert_eq!(first("x = 1\n    y = 2\n"), error(2, 1, "Unexpected indentation"));
        assert_eq!(
            first("if x:\n    a\n  b\n"),
            error(3, 1, "unindent does not match any outer indentation level")
        );
    }

    #[test]
    fn the_bracket_is_blamed_for_what_it_swallows() {
        assert_eq!(first("def foo("), error(1, 8, "'(' was never closed"));
        assert_eq!(first("x = [1,\ny = 2\n"), error(1, 5, "'[' was never closed"));
        assert_eq!(first("a = ]\n"), error(1, 5, "unmatched ']'"));
        assert_eq!(
            first("f(a]\n"),
            error(1, 4, "closing parenthesis ']' does not match opening parenthesis '('")
        );
        assert_eq!(
            first("def foo(:\n    pass\n)\n"),
            error(1, 9, "Expected a parameter or the end of the parameter list")
        );
    }

    #[test]
    fn numbers_are_named_in_the_message() {
        assert_eq!(first("0x\n"), error(1, 1, "Invalid number literal"));
    }

    #[test]
    fn all_errors_of_a_text_are_told() {
        assert_eq!(lines_of_errors("x = = 1\ny = 2\nz = +\n"), [1, 3]);
        assert_eq!(lines_of_errors("def f(:\n    pass\nx = 'a\n"), [1, 3]);
        assert_eq!(lines_of_errors("return 1\nx = 1\nbreak\n"), [1, 3]);
        // Only what parses is looked at as the compiler does.
        assert_eq!(lines_of_errors("return 1\nx = = 1\n"), [2]);
    }

    #[test]
    fn what_needs_a_later_python_is_a_warning() {
        for text in ["type X[T] = list[T]\n", "f'{'a'}'\n", "def f[T](): pass\n"] {
            let found = check(text).unwrap();
            assert_eq!((found.errors, found.warnings > 0), (0, true), "{text}");
        }
    }

    /// A text, where it is refused, and a part of the message.
    #[rustfmt::skip]
    const REFUSED: &[(&str, usize, usize, &str)] = &[
        ("return 1\n", 1, 1, "`return` statement outside"),
        ("class A:\n    return\n", 2, 5, "`return` statement outside"),
        ("await x\n", 1, 1, "`await` statement outside"),
        ("def f():\n    await x\n", 2, 5, "`await` outside of an asynchronous function"),
        ("def f():\n    async with x: pass\n", 2, 5, "`async with` outside"),
        ("def f():\n    async for a in x: pass\n", 2, 5, "`async for` outside"),
        ("def f():\n    return [a async for a in x]\n", 2, 15, "asynchronous comprehension"),
        ("yield 1\n", 1, 1, "`yield` statement outside"),
        ("class A:\n    yield 1\n", 2, 5, "`yield` statement outside"),
        ("def f():\n    [(yield a) for a in b]\n", 2, 7, "`yield` statement outside"),
        ("async def f():\n    yield from x\n", 2, 5, "in async function"),
        ("async def f():\n    yield\n    return 1\n", 3, 5, "in async generator"),
        ("break\n", 1, 1, "`break` outside loop"),
        ("for a in b: pass\nelse: continue\n", 2, 7, "`continue` outside loop"),
        ("while x:\n    def f(): break\n", 2, 14, "`break` outside loop"),
        ("while x:\n    class A: continue\n", 2, 14, "`continue` outside loop"),
        ("nonlocal x\n", 1, 1, "not allowed at module level"),
        ("def f():\n    nonlocal x\n", 2, 14, "no binding for nonlocal"),
        ("x = 1\nclass A:\n    y = 1\n    def f(): nonlocal y\n", 4, 23, "no binding"),
        ("def f(x):\n    nonlocal x\n", 2, 14, "parameter and nonlocal"),
        ("def f():\n  x = 1\n  def g():\n    global x\n    nonlocal x\n", 5, 14, "nonlocal and global"),
        ("def f(x):\n    global x\n", 2, 12, "parameter and a global"),
        ("def f():\n    x = 1\n    global x\n", 2, 5, "prior to global"),
        ("def f():\n    import x\n    global x\n", 2, 12, "prior to global"),
        ("def f():\n    def x(): pass\n    global x\n", 2, 9, "prior to global"),
        ("def f():\n  x = 1\n  def g():\n    print(x)\n    nonlocal x\n", 4, 11, "prior to nonlocal"),
        ("def f():\n    global x\n    x: int = 1\n", 3, 5, "can't be global"),
        ("def f():\n  x = 1\n  def g():\n    nonlocal x\n    x: int = 1\n", 5, 5, "can't be nonlocal"),
        ("def f(a, a): pass\n", 1, 10, "Duplicate parameter"),
        ("lambda a, *a: 0\n", 1, 12, "Duplicate parameter"),
        ("def f():\n    from x import *\n", 2, 5, "only allowed at module level"),
        ("x = 1\nfrom __future__ import division\n", 2, 1, "at the top of the file"),
        ("from __future__ import magic\n", 1, 24, "is not defined"),
        ("*a = 1\n", 1, 1, "must be in a list or tuple"),
        ("*a, *b = 1\n", 1, 1, "Two starred"),
        ("[a := 1 for a in b]\n", 1, 2, "cannot rebind"),
        ("match x:\n    case a: pass\n    case 1: pass\n", 2, 10, "unreachable"),
        ("match x:\n    case [a, a]: pass\n", 2, 14, "multiple assignments"),
        ("__debug__ = 1\n", 1, 1, "cannot assign"),
        ("for a in b:\n    try: pass\n    except* E: break\n", 3, 16, "`except*` block"),
        ("def f():\n    try: pass\n    except* E: return\n", 3, 16, "`except*` block"),
    ];

    #[test]
    fn what_cpython_refuses_when_it_compiles_is_an_error() {
        for (text, line, col, part) in REFUSED {
            let Some(found) = first(text) else { panic!("{text:?} passes") };
            assert_eq!((found.line, found.col), (*line, Some(*col)), "{text:?} {found:?}");
            assert!(found.message.contains(part), "{text:?} {found:?}");
        }
    }

    #[test]
    fn what_cpython_compiles_passes() {
        for text in [
            "async def f():\n    async with a as b, c: await b\n    return [await d async for d in e]\n",
            "def f():\n    (await a for a in b)\n    return (a async for a in b)\n",
            "def f():\n    x = yield\n    return lambda: (yield x)\n",
            "for a in b:\n    if a: break\n    else: continue\n    while a:\n        break\n    else:\n        continue\n",
            "for a in b:\n    try: continue\n    finally: break\n",
            "def f():\n    x = 1\n    def g():\n        nonlocal x\n        def h():\n            nonlocal x\n            x = 2\n",
            "def f():\n    def g():\n        nonlocal x, y, z, w, v\n        x = y = z = 1\n    import x.a, b as y\n    for z in y: pass\n    with z as (w, [v]): pass\n",
            "def f(p, *q, r=1, **s):\n    def g():\n        nonlocal p, q, r, s\n        p = q\n",
            "def f():\n    def g():\n        nonlocal m, n, k\n        m = 1\n    match x:\n        case [m, *n] | {'a': m, **n}: pass\n    [k := 1 for _ in x]\n",
            "def f():\n    def g():\n        nonlocal e\n        e = 1\n    try: pass\n    except E as e: pass\n",
            "class A:\n    def f(self):\n        nonlocal __class__\n        __class__ = 1\n",
            "def f():\n    global x, y\n    x = 1\n    def g():\n        x = 2\n        y: int = 3\n",
            "def f():\n    [x for x in y]\n    global x\n",
            "for a in b:\n    try: pass\n    except* E:\n        for c in d: break\n        def g(): return\n",
            "'Doc.'\nfrom __future__ import annotations\nfrom __future__ import division\n",
            "match x:\n    case a if a: pass\n    case [b, c] | [c, b]: pass\n    case _: pass\n",
            "def f(a, /, b, *, c): pass\nlambda a, b: lambda a: a\n",
            "x: (y := 1) = 2\ndef f(a: (b := 1)) -> (c := 2): pass\n",
            "del x, (y, [z])\n(*a, b), *c = d\n",
        ] {
            assert_eq!(first(text), None, "{text:?}");
        }
    }

    #[test]
    fn limits_are_those_of_cpython() {
        let nested = |depth: usize| "(".repeat(depth) + "1" + &")".repeat(depth);
        assert_eq!(first(&nested(200)), None);
        let refused = Some(Item::error(3, None, "too many nested parentheses"));
        assert_eq!(first(&format!("a\nb\n{}\nc\n", nested(201))), refused);

        let indented = |depth: usize| -> String {
            (0..depth).map(|level| " ".repeat(level) + "if x:\n").collect::<String>()
                + &" ".repeat(depth)
                + "x\n"
        };
        assert_eq!(first(&indented(100)), None);
        assert_eq!(
            first(&indented(101)),
            Some(Item::error(102, None, "too many levels of indentation"))
        );
    }

    #[test]
    fn long_but_flat_modules_are_not_too_complex() {
        for text in [
            format!("x = [{}]\n", "-1, ".repeat(50_000)),
            "\"a\" ".repeat(50_000),
            "x = a + b\n".repeat(5_000),
            "x;".repeat(5_000),
            "if x:\n    pass\n".to_owned() + &"elif x:\n    pass\n".repeat(5_000),
            "a + ".repeat(3_000) + "1",
            format!("x = {{{}}}\n", "'a': lambda x, y: x + y, ".repeat(5_000)),
        ] {
            assert_eq!(first(&text), None, "{}", &text[..20]);
        }
    }

    #[test]
    fn hostile_input_does_not_overflow_the_stack() {
        for (piece, end) in [
            ("(", ""),
            ("[1,\n", ""),
            ("{a: ", ""),
            (")", ""),
            ("-", "1"),
            ("not ", "1"),
            ("lambda:", "1"),
            ("lambda a, b:", "1"),
            ("lambda a, ", "1"),
            ("a if b else ", "1"),
            ("a**", "1"),
            ("a+", "1"),
            ("a<", "1"),
            ("a=", "1"),
            ("a:=", "1"),
            ("await ", "x"),
            ("yield a, ", "x"),
            ("async ", ""),
            ("x.", "y"),
            ("f\"{", ""),
            ("@a\n", ""),
            ("if ", ""),
            ("with (", ""),
            ("\\\n", ""),
            ("'", ""),
            ("\0", ""),
            ("class A:\n ", ""),
        ] {
            check(&(piece.repeat(100_000) + end));
            // As deep as passes the count, with the parser's own guard left to refuse the rest.
            check(&(piece.repeat(OPERATORS_MAX / 4) + end));
        }
        for postfix in ["()", "[0]", ".a", "(x)(y)"] {
            check(&("x".to_owned() + &postfix.repeat(100_000)));
            check(&("x".to_owned() + &postfix.repeat(OPERATORS_MAX / 2 - 1)));
        }
        check(&format!("def f[{}](): pass\n", "T, ".repeat(100_000)));
        check(&format!("def f({}): pass\n", "a, ".repeat(100_000)));
        check(&"lambda: [a for a in b] or ".repeat(OPERATORS_MAX / 4));
        for pattern in ["-", "a|", "A(", "a."] {
            let case = "match x:\n case ".to_owned();
            check(&(case.clone() + &pattern.repeat(100_000)));
            check(&(case + &pattern.repeat(OPERATORS_MAX - 10)));
        }
    }
}
