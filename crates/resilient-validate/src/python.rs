//! Python: a full parse with Ruff's parser, at most one error.
//!
//! The parser descends recursively, and so does dropping the tree it builds, so depth is bounded
//! before it runs: [`too_complex`] counts, over the token stream, how deep any tree can get. The
//! limits are CPython's own where it has them. What passes is parsed on a thread whose stack is
//! large enough for the deepest tree that passes, whatever the caller's stack is.
//!
//! What CPython only finds when compiling (`return` outside a function, a repeated parameter) is
//! not found here.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseErrorType, ParseOptions, lexer, parse_unchecked};
use ruff_text_size::Ranged;

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

/// Finds the first error, if there is one.
pub(super) fn check(text: &str) -> Option<Item> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("python-parser".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || check_here(text));
        let unchecked = || Some(Item::warning(1, None, "not checked: the parser could not run"));
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_panic| unchecked()),
            Err(_no_thread) => unchecked(),
        }
    })
}

fn check_here(text: &str) -> Option<Item> {
    let lines = Lines::new(text);
    if let Some(message) = too_complex(text) {
        return Some(Item::error(line_of_refusal(&lines), None, message));
    }
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let error = parsed.errors().first()?;
    let at = error.location.start().to_usize();
    let tokens =
        parsed.tokens().iter().map(|token| (token.kind(), token.range().start().to_usize()));
    Some(match bracket_fault(tokens) {
        Some(fault) if fault.explains(at, &lines) => lines.error(fault.at, fault.message),
        _ => lines.error(at, wording(&error.error)),
    })
}

/// The parser's message, but for one that is a Rust value printed for debugging.
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

    #[test]
    fn well_formed_modules_have_no_error() {
        for text in [
            "",
            "\n",
            "\u{feff}x = 1\n",
            "def foo(a, *b, c=1, **d):\n    return a\n",
            "async def f():\n    await x\n",
            "match x:\n    case [1, *_]: pass\n",
            "type X[T] = list[T]\n",
            "print(f\"{x!r:>{w}} {d['a']}\")\r\n",
            "try:\n    pass\nexcept* E:\n    pass\n",
            "return 1\n",
            "x = (1,\n     2)\n",
        ] {
            assert_eq!(check(text), None, "{text:?}");
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
            let found = check(text).map(|item| (item.line, item.col));
            assert_eq!(found, Some((line, Some(col))), "{text:?}");
        }
    }

    #[test]
    fn indentation_errors_are_found() {
        assert_eq!(
            check("if x:\npass\n"),
            error(2, 1, "Expected an indented block after `if` statement")
        );
        assert_eq!(check("x = 1\n    y = 2\n"), error(2, 1, "Unexpected indentation"));
        assert_eq!(
            check("if x:\n    a\n  b\n"),
            error(3, 1, "unindent does not match any outer indentation level")
        );
    }

    #[test]
    fn the_bracket_is_blamed_for_what_it_swallows() {
        assert_eq!(check("def foo("), error(1, 8, "'(' was never closed"));
        assert_eq!(check("x = [1,\ny = 2\n"), error(1, 5, "'[' was never closed"));
        assert_eq!(check("a = ]\n"), error(1, 5, "unmatched ']'"));
        assert_eq!(
            check("f(a]\n"),
            error(1, 4, "closing parenthesis ']' does not match opening parenthesis '('")
        );
        assert_eq!(
            check("def foo(:\n    pass\n)\n"),
            error(1, 9, "Expected a parameter or the end of the parameter list")
        );
    }

    #[test]
    fn numbers_are_named_in_the_message() {
        assert_eq!(check("0x\n"), error(1, 1, "Invalid number literal"));
    }

    #[test]
    fn limits_are_those_of_cpython() {
        let nested = |depth: usize| "(".repeat(depth) + "1" + &")".repeat(depth);
        assert_eq!(check(&nested(200)), None);
        let refused = Some(Item::error(3, None, "too many nested parentheses"));
        assert_eq!(check(&format!("a\nb\n{}\nc\n", nested(201))), refused);

        let indented = |depth: usize| -> String {
            (0..depth).map(|level| " ".repeat(level) + "if x:\n").collect::<String>()
                + &" ".repeat(depth)
                + "x\n"
        };
        assert_eq!(check(&indented(100)), None);
        assert_eq!(
            check(&indented(101)),
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
            assert_eq!(check(&text), None, "{}", &text[..20]);
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
        for pattern in ["-", "a|", "A(", "a."] {
            let case = "match x:\n case ".to_owned();
            check(&(case.clone() + &pattern.repeat(100_000)));
            check(&(case + &pattern.repeat(OPERATORS_MAX - 10)));
        }
    }
}
