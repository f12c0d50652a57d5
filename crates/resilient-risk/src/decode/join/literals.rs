//! Literals that a program puts together: added, listed, one after the other, or by their names.
//!
//! A statement is seen with its parts joined in place, `api_key = "<joined>"`: what stands before them says as much
//! of them as of one literal. Signs alone show where parts may meet: those between two quotes, and
//! a name that a literal is assigned to and that is used again. What the parts hold does not matter.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memchr2, memchr3, memmem, memrchr};
use regex::bytes::{Captures, Regex};

use super::super::super::bits::padded;
use super::super::super::marks::Marks;
use super::super::super::{vendor, work};
use super::super::encoded::{BASE64_HEAD, is_base64_head};
use super::super::{Trust, Views};
use super::around::{is_command, is_format, is_joined};
use super::names::{follows, is_named, is_setting, name_before};
use super::{JOINED_MAX, JOINED_MIN, Joined, may_hold};

/// Between two parts stand no more signs, and no longer comments.
const GAP_MAX: usize = 48;
const COMMENTS_MAX: usize = 512;

/// A literal that is a part of a token is not longer.
const PART_MAX: usize = 512;

/// A name is known for so many more assignments, and looked for in so many bytes behind each of them.
const NAMES_MAX: usize = 8;
const USE_MAX: usize = 512;

/// Formats begin with so many characters.
const PREFIX_MIN: usize = 4;

/// What is put together is not looked at for longer.
const CHAIN_MAX: usize = 2 * JOINED_MAX;
const HEAD_MAX: usize = 128;

/// So many names count on.
const COUNTED_MAX: usize = 64;

/// Joins the literals of a text that belong together.
pub(super) fn views(text: &str, marks: &Marks, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let mut reader = Reader { text, bytes, marks, names: Vec::new(), counted: 0, read: 0, used: 0 };
    // Where the quote before ends, the number of the last one that goes on with a list, and where literals are filled.
    let (mut start, mut last, mut calls) = (0, None, Vec::new());
    for (nth, at) in marks.quote.ones().enumerate() {
        let before = bytes.get(..at).unwrap_or_default();
        let from = std::mem::replace(&mut start, at + 1);
        if let Some((close, (is_listed, next))) = from.checked_sub(1).zip(reader.between(from, at))
        {
            if is_listed {
                let is_second = last.is_none_or(|last| nth != last + 2);
                reader.list(is_second.then_some(close), next, views);
                last = Some(nth);
            } else {
                reader.join(close, views);
            }
        } else if before.ends_with(b"=") || before.ends_with(b"= ") {
            reader.assign(at, views);
        } else {
            reader.begin_word(from, at, views);
        }
        if bytes.get(at + 1..).is_some_and(|rest| rest.starts_with(FILLS)) {
            calls.push(at);
        }
    }
    reader.count(views);
    reader.uses(bytes.len(), views);
    reader.read = 0;
    calls.into_iter().for_each(|call| reader.join(call, views));
}

/// What may stand between two literals that belong together: white space, operators, brackets and commas.
fn is_sign(byte: u8) -> bool {
    // A bit for each of them. A jump for each would often be mistaken.
    const SIGNS: u64 = 1 << b' ' | 0x1F << 9 | 1 << b'%' | 1 << b'&' | 0x7F << b'(';
    byte < 64 && SIGNS >> byte & 1 == 1 || byte == b'\\' || byte == b'|'
}

/// A literal that is assigned to a name.
struct Named {
    name: Range<usize>,
    literal: Range<usize>,
}

/// Parts that belong together, and where they are put together.
#[derive(Default)]
struct Chain {
    parts: Vec<Range<usize>>,
    place: Range<usize>,
    /// Honest code lists, too.
    is_listed: bool,
    /// The first part has places for the others.
    is_filled: bool,
    has_name: bool,
}

/// What puts two parts together.
#[derive(PartialEq, Eq)]
enum Joint {
    Added,
    /// Nothing but white space: a program adds them, a shell does not.
    Beside,
    Listed,
    /// The second one goes into the first.
    Filled,
    /// A call adds its arguments.
    Called,
}

/// What fills the places of a literal with arguments.
const FILLS: &[u8] = b".format(";

/// Calls that add their argument to what they are called on.
const CALLS: [&[u8]; 2] = [b".append(", b".concat("];

/// The places of a literal for arguments, and those for what names stand for.
static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"%s|\{([0-9]?)\}").ok());
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)\$\{([A-Za-z0-9_]+)\}|\{([A-Za-z0-9_]+)\}|\$([A-Za-z0-9_]+)").ok()
});

/// A literal, and a sign in it that another literal takes the place of.
static WITHOUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let literal = r#"["'`]([^\s"'`]+)["'`]"#;
    Regex::new(&format!(r"(?-u){literal}\.replace(?:All)?\({literal},[ \t]*$")).ok()
});

/// The rest of `it.head` or `it["head"]`, with its last word.
static MEMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (name, key) = (r"\.\w+", r#"\[(?:\w+|"\w+"|'\w+'|`\w+`)\]"#);
    let last = r#"\.(\w+)|\[(?:(\w+)|"(\w+)"|'(\w+)'|`(\w+)`)\]"#;
    Regex::new(&format!(r"^(?-u)(?:{name}|{key})*(?:{last})")).ok()
});

/// How long the comment is that a text begins with.
fn comment_len(text: &[u8]) -> usize {
    let text = text.get(..COMMENTS_MAX).unwrap_or(text);
    match text {
        [b'/', b'*', rest @ ..] => memmem::find(rest, b"*/").map_or(0, |len| len + 4),
        [b'#', ..] | [b'/', b'/', ..] | [b'-', b'-', b' ', ..] => memchr(b'\n', text).unwrap_or(0),
        // Visual Basic continues a line with it.
        [b'_', b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    marks: &'a Marks,
    /// The last literals with a name.
    names: Vec<Named>,
    /// How many of these have names that count on, one after the other.
    counted: usize,
    /// As far as literals were joined, and as far as names were looked for.
    read: usize,
    used: usize,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The quote that opens the literal that another one closes.
    fn opened(&self, close: usize) -> Option<usize> {
        let first = close - if self.is_long(close) { 2 } else { 0 };
        let from = first.saturating_sub(PART_MAX + 1).max(self.read);
        let open = from + memrchr(self.byte(close), self.bytes.get(from..first)?)?;
        (self.literal(open)?.1 == close + 1).then_some(open)
    }

    /// Tells whether a quote is the last of three, as Python has them.
    fn is_long(&self, quote: usize) -> bool {
        let byte = self.byte(quote);
        self.bytes.get(..=quote).is_some_and(|text| text.ends_with(&[byte; 3]))
    }

    /// The quote that opens the literal at a position. Before it may stand what says of which kind the literal is, and it
    /// may be the last of three.
    fn quote(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let prefix = rest.iter().take(2).take_while(|byte| is_prefix(**byte)).count();
        let quote = at + if is_quote(self.byte(at + prefix)) { prefix } else { 0 };
        quote + if is_quote(self.byte(quote)) && self.is_long(quote + 2) { 2 } else { 0 }
    }

    /// Tells whether signs, and comments among them, lead from one literal to another: whether they list them, and
    /// where the other begins.
    fn between(&self, from: usize, at: usize) -> Option<(bool, usize)> {
        let gap = self.bytes.get(from..at)?;
        let len = gap.iter().position(|byte| !is_sign(*byte)).unwrap_or(gap.len());
        let (signs, rest) = gap.split_at_checked(len)?;
        if !signs.is_empty() {
            let next = self.quote(from + len);
            if is_quote(self.byte(next)) {
                return Some((signs.contains(&b','), next));
            }
        }
        let is_comment = matches!(rest.first()?, b'/' | b'#' | b'_') || signs.ends_with(b"-- ");
        let may_join = is_comment || matches!(rest.first()?, b'a' | b'c') && signs.ends_with(b".");
        let (joint, next) = may_join.then(|| self.joint(from)).flatten()?;
        is_quote(self.byte(next)).then_some((joint == Joint::Listed, next))
    }

    /// Joins the literal that a quote closes with the next ones.
    fn join(&mut self, close: usize, views: &mut Views<'_>) {
        if close >= self.read
            && let Some(open) = self.opened(close)
        {
            self.join_from(open, views);
        }
    }

    /// Joins a list from one of its literals on, if a program says that it joins it, or if a token begins there: the one
    /// that a quote opens, or the first one, which another quote closes.
    fn list(&mut self, first: Option<usize>, quote: usize, views: &mut Views<'_>) {
        if quote < self.read {
            return;
        }
        if self.byte(quote + 1) == self.byte(quote) {
            self.without(quote, views);
        }
        let first = first.and_then(|close| self.opened(close));
        if let Some(open) = first.filter(|open| self.is_call(*open)) {
            return self.join_from(open, views);
        }
        for open in first.into_iter().chain([quote]) {
            // The literals after it may go on with what this one begins with.
            if self.begins(open) && may_hold(&self.joined(&self.chain(open, HEAD_MAX).parts)) {
                return self.join_from(open, views);
            }
        }
        if let Some(open) = first.filter(|open| self.is_short(*open, quote)) {
            // What begins a token stands in several literals.
            let chain = self.chain(open, CHAIN_MAX);
            let joined = self.joined(&chain.parts);
            let mut at = 0;
            for part in chain.parts {
                if may_hold(joined.get(at..).unwrap_or_default()) {
                    return self.join_from(part.start - 1, views);
                }
                at += part.len();
            }
        }
    }

    /// Joins what is left of a literal when another one stands for what is taken out of it: `"a#b".replace("#", "")`.
    fn without(&self, empty: usize, views: &mut Views<'_>) {
        let floor = empty.saturating_sub(PART_MAX + GAP_MAX);
        let before = self.bytes.get(floor..empty).unwrap_or_default();
        let call = WITHOUT.as_ref().and_then(|form| form.captures(before));
        let part =
            |nth| call.as_ref()?.get(nth).map(|part| floor + part.start()..floor + part.end());
        let Some((whole, sign)) = part(1).zip(part(2)) else { return };
        let sign = self.text.get(sign).unwrap_or_default();
        let mut at = whole.start;
        let begin = at - 1;
        let parts = self.text.get(whole).unwrap_or_default().split(sign).map(|part| {
            at += part.len() + sign.len();
            at - sign.len() - part.len()..at - sign.len()
        });
        self.view(begin, &parts.collect::<Vec<_>>(), Trust::Full, views);
    }

    /// What some parts say together.
    fn joined(&self, parts: &[Range<usize>]) -> Vec<u8> {
        let mut joined = Vec::with_capacity(HEAD_MAX);
        for part in parts {
            joined.extend_from_slice(self.bytes.get(part.clone()).unwrap_or_default());
        }
        joined
    }

    /// Tells whether a literal is shorter than what formats begin with, and not shorter than the next one.
    fn is_short(&self, open: usize, next: usize) -> bool {
        let [first, second] = [open, next].map(|open| self.marks.alnum.run(open + 1));
        first < PREFIX_MIN && first >= second && is_quote(self.byte(open + 1 + first))
    }

    /// Tells by its first characters whether a format, or base64 of text, may begin with a literal.
    fn begins(&self, open: usize) -> bool {
        let rest = self.bytes.get(open + 1..).unwrap_or_default();
        let len = self.marks.alnum.run_to(open + 1, open + 2 + BASE64_HEAD);
        let mark = rest.get(len).copied();
        // The next literal may go on with the same word.
        let is_cut = len >= PREFIX_MIN && mark.is_some_and(is_quote);
        let word = if is_cut { BASE64_HEAD + PREFIX_MIN } else { len };
        let has_head = || self.marks.token.run_to(open + 1, open + 1 + BASE64_HEAD) == BASE64_HEAD;
        vendor::may_begin(padded(rest), word, mark) || has_head() && is_base64_head(rest)
    }

    /// Joins what belongs together from a literal on.
    fn join_from(&mut self, open: usize, views: &mut Views<'_>) {
        let chain = self.chain(open, CHAIN_MAX);
        self.read = chain.place.end;
        self.add(&chain, views);
    }

    /// Takes note of a literal that is assigned to a name, or joins those that are named in it.
    fn assign(&mut self, quote: usize, views: &mut Views<'_>) {
        let Some((literal, end)) = self.literal(quote) else { return };
        let rest = self.bytes.get(end..).unwrap_or_default();
        let blanks = rest.iter().take(GAP_MAX).take_while(|byte| b" \t)".contains(byte)).count();
        let behind = rest.get(blanks..).unwrap_or_default();
        let is_end = behind.first().is_none_or(|byte| b"\n\r;,\\".contains(byte));
        if !is_end && (blanks == 0 || comment_len(behind) == 0) {
            return self.glue(literal, end, views);
        }
        let before = self.bytes.get(..quote).unwrap_or_default();
        let Some(name) = name_before(before) else { return };
        self.uses(name.start, views);
        self.used = end;
        let goes_on = self.names.last().is_some_and(|last| {
            let name_of = |name: &Range<usize>| self.bytes.get(name.clone()).unwrap_or_default();
            let is_same = name_of(&last.name) == name_of(&name);
            self.is_near(last.literal.end, name.start)
                && follows(name_of(&last.name), name_of(&name))
                && (!is_same || self.is_added(&name, &literal))
        });
        if !goes_on || self.counted == COUNTED_MAX {
            self.count(views);
        }
        if self.is_template(&literal) {
            let chain = self.chain(quote, CHAIN_MAX);
            self.add(&chain, views);
        }
        if self.names.len() > NAMES_MAX.max(self.counted) {
            self.names.remove(0);
        }
        self.counted += 1;
        self.names.push(Named { name, literal });
    }

    /// Tells whether few signs lead from a literal to the name of the next one. Comments do not count.
    fn is_near(&self, from: usize, to: usize) -> bool {
        let gap = self.bytes.get(from..to.min(from + COMMENTS_MAX)).unwrap_or_default();
        let (mut at, mut comments) = (0, 0);
        while let Some(next) = gap.get(at..).and_then(|rest| memchr3(b'#', b'/', b'-', rest)) {
            at += next;
            let len = comment_len(gap.get(at..).unwrap_or_default());
            comments += len;
            at += len.max(1);
        }
        work::spend(gap.len());
        to.saturating_sub(from) - comments <= GAP_MAX
    }

    /// Joins a word that a token begins with what is glued to it by a quote, which opens a literal or closes one.
    fn begin_word(&mut self, from: usize, quote: usize, views: &mut Views<'_>) {
        let goes_on = |at: Option<usize>| at.is_some_and(|at| is_named(self.byte(at)));
        if !goes_on(quote.checked_sub(1))
            || !(goes_on(Some(quote + 1)) || is_quote(self.byte(quote + 1)))
        {
            return;
        }
        let floor = from.max(quote.saturating_sub(PART_MAX));
        let start = quote - self.marks.token.run_back(quote, floor);
        let word = self.bytes.get(start..quote).unwrap_or_default();
        let start = memrchr(b'=', word).map_or(start, |sign| start + sign + 1);
        if start > 0 && self.begins(start - 1) {
            let is_open = self.literal(quote).is_some();
            self.glue(start..quote, quote + usize::from(!is_open), views);
        }
    }

    /// Joins a part with what stands right behind it, as a shell does: `"a"b`, `a"b"'c'`.
    fn glue(&mut self, first: Range<usize>, end: usize, views: &mut Views<'_>) {
        if end < self.read {
            return;
        }
        let begin = first.start.saturating_sub(1);
        let (mut parts, mut at) = (vec![first], end);
        while at < end + JOINED_MAX {
            let (next, end) = match self.literal(at) {
                Some(literal) if is_quote(self.byte(at)) => literal,
                _ => {
                    let end = at + self.marks.token.run_to(at, at + PART_MAX);
                    (at..end, end)
                }
            };
            // A call is no part.
            if next.is_empty() || self.byte(end) == b'(' {
                break;
            }
            parts.push(next);
            at = end;
        }
        if parts.len() > 1 {
            self.read = at;
            self.view(begin, &parts, Trust::Names, views);
        }
    }

    /// Tells whether a literal is added to what a name stands for.
    fn is_added(&self, name: &Range<usize>, literal: &Range<usize>) -> bool {
        let sign = self.bytes.get(name.end..literal.start).unwrap_or_default();
        memchr2(b'+', b'.', sign).is_some()
    }

    /// Joins the literals whose names count on.
    fn count(&mut self, views: &mut Views<'_>) {
        let counted = std::mem::take(&mut self.counted);
        let named = self.names.get(self.names.len() - counted..).unwrap_or_default();
        if let [first, second, ..] = named {
            let is_added = self.is_added(&second.name, &second.literal);
            let trust = if is_added { Trust::Full } else { Trust::Listed };
            let begin = first.literal.start - 1;
            let parts: Vec<_> = named.iter().map(|of| of.literal.clone()).collect();
            self.view(begin, &parts, trust, views);
        }
    }

    /// Joins what is named between the last assignment and a position.
    fn uses(&mut self, end: usize, views: &mut Views<'_>) {
        let end = end.min(self.used + USE_MAX);
        let from = self.used;
        let Some(part) = self.bytes.get(from..end) else { return };
        work::spend(part.len());
        let mut done = 0;
        for nth in (0..self.names.len()).rev().take(4) {
            let Some(name) = self.names.get(nth).and_then(|of| self.bytes.get(of.name.clone()))
            else {
                return;
            };
            let Some(at) = memmem::find(part, name).map(|at| from + at) else { continue };
            let start = self.marks.feed.last(from, at).map_or(from, |feed| feed + 1);
            if start >= done {
                done = self.line(start, views);
            }
        }
    }

    /// Joins what a line puts together by names, and tells where it ends.
    fn line(&self, start: usize, views: &mut Views<'_>) -> usize {
        let end = self.marks.feed.next(start, start + USE_MAX).unwrap_or(start + USE_MAX);
        work::spend(end - start);
        let mut at = start;
        while at < end.min(self.bytes.len()) {
            let chain = self.chain(at, CHAIN_MAX);
            if chain.has_name {
                self.add(&chain, views);
            }
            let word = self.word(at);
            at = chain.place.end.max(at + word.len().max(1));
        }
        at
    }

    /// Makes the views of what belongs together.
    fn add(&self, chain: &Chain, views: &mut Views<'_>) {
        let Chain { parts, place, is_listed, is_filled, .. } = chain;
        let len = parts.iter().map(Range::len).sum::<usize>();
        if parts.len() < 2 || len < JOINED_MIN {
            return;
        }
        let is_sure = !is_listed || *is_filled || is_joined(self.bytes, place.start);
        let trust = if is_sure { Trust::Full } else { Trust::Listed };
        self.view(place.start, parts, trust, views);
    }

    /// Makes a view of parts that are put together at a position.
    fn view(&self, begin: usize, parts: &[Range<usize>], trust: Trust, views: &mut Views<'_>) {
        let parts =
            parts.iter().filter_map(|part| Some((self.text.get(part.clone())?, part.clone())));
        let joined = Joined { via: "joined literals", parts: parts.collect(), is_list: false };
        joined.add(self.text, self.marks, begin, trust, views);
    }

    /// Tells whether a list that begins at a position is joined, or goes into its first item.
    fn is_call(&self, start: usize) -> bool {
        is_joined(self.bytes, start) || is_format(self.bytes, start)
    }

    /// The parts that are put together from a position on, within so many bytes.
    fn chain(&self, start: usize, most: usize) -> Chain {
        let mut chain = Chain { place: start..start, ..Chain::default() };
        let (mut at, mut last, mut is_called) = (start, None, false);
        while let Some(end) = self.part(at, &mut chain) {
            chain.is_listed |= match last {
                Some(Joint::Listed) => true,
                Some(Joint::Beside) => {
                    !chain.is_listed && (self.are_settings(&chain) || is_command(self.bytes, start))
                }
                Some(Joint::Added | Joint::Filled | Joint::Called) | None => false,
            };
            chain.place.end = end;
            let rest = self.bytes.get(end..).unwrap_or_default();
            let joint = if rest.starts_with(FILLS) {
                let call = end + FILLS.len();
                Some((Joint::Filled, self.joint(call).map_or(call, |(_, next)| next)))
            } else {
                self.joint(end)
            };
            let Some((joint, next)) = joint else { break };
            let has_end = || memchr(b')', rest.get(..next - end).unwrap_or_default()).is_some();
            is_called = joint == Joint::Called || is_called && !has_end();
            let joint = if is_called { Joint::Called } else { joint };
            // The next argument is no part of what is added up before it.
            if joint == Joint::Listed
                && last.is_some_and(|last| last != Joint::Filled)
                && !chain.is_listed
            {
                break;
            }
            at = next;
            chain.is_filled |= joint == Joint::Filled && chain.parts.len() == 1;
            last = Some(joint);
            if at - start > most {
                break;
            }
        }
        self.fill(&mut chain);
        work::spend(chain.place.len());
        chain
    }

    /// Tells whether the last two parts are settings, which no program adds without a sign between them.
    fn are_settings(&self, chain: &Chain) -> bool {
        let is_setting = |part: &Range<usize>| self.bytes.get(part.clone()).is_some_and(is_setting);
        matches!(chain.parts.as_slice(), [.., one, next] if is_setting(one) && is_setting(next))
    }

    /// What puts together the part that ends at a position and the next one, by the signs between them, and where that
    /// one begins. Nothing but white space does not name any.
    fn joint(&self, from: usize) -> Option<(Joint, usize)> {
        let (mut at, mut comments, mut has_feed, mut signs) = (from, 0, false, Vec::new());
        let mut brackets = Vec::new();
        while at - from - comments < GAP_MAX {
            let rest = self.bytes.get(at..)?;
            let len = comment_len(rest);
            comments += len;
            match rest.first().filter(|byte| is_sign(**byte)) {
                _ if comments > COMMENTS_MAX => return None,
                _ if len > 0 => at += len - 1,
                Some(b'.')
                    if let Some(call) = CALLS.iter().find(|call| rest.starts_with(call))
                        && self.is_last(at + call.len()) =>
                {
                    signs.push(b'(');
                    at += call.len() - 1;
                }
                Some(b'\n') => has_feed = true,
                Some(bracket @ (b'(' | b')')) if signs.is_empty() => brackets.push(*bracket),
                Some(byte) if byte.is_ascii_whitespace() || b"()\\".contains(byte) => {}
                Some(byte) => signs.push(*byte),
                None => break,
            }
            at += 1;
        }
        work::spend(comments);
        let next = self.quote(at);
        let is_name = !is_quote(self.byte(next));
        let is_key = !is_name && self.is_key(next);
        let joint = match signs.as_slice() {
            [] if at == from || is_name || is_key => return None,
            // The literal behind a bracket is the argument of another call, or the next one of a call around.
            b"" | b"," if !brackets.is_empty() => return None,
            b"" => Joint::Beside,
            b"+" | b"." | b".." | b"&" | b"||" => Joint::Added,
            b"%" => Joint::Filled,
            b"(" => Joint::Called,
            b"," if !is_key => Joint::Listed,
            // An item of a list stands on a line of its own.
            b"-" if has_feed && !is_key => Joint::Listed,
            _ => return None,
        };
        Some((joint, next))
    }

    /// Tells whether the literal at a position is the last argument of its call.
    fn is_last(&self, at: usize) -> bool {
        let end = self.literal(self.quote(at)).map(|(_, end)| end);
        let rest = end.and_then(|end| self.bytes.get(end..)).unwrap_or_default();
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b')')
    }

    /// Puts the other parts of a chain where its first one has places for them: `%s`, `{}`, `{0}`.
    fn fill(&self, chain: &mut Chain) {
        if !(chain.is_filled || chain.is_listed && is_format(self.bytes, chain.place.start)) {
            return;
        }
        let Some((template, parts)) = chain.parts.split_first() else { return };
        let mut nth = 0;
        let filled = self.with_parts(template, &PLACES, |place| {
            let number = place.get(1).and_then(|digit| digit.as_bytes().first());
            let part = parts.get(number.map_or(nth, |digit| usize::from(digit - b'0')))?;
            nth += 1;
            Some(part.clone())
        });
        chain.is_filled = filled.is_some();
        chain.parts = filled.unwrap_or_else(|| std::mem::take(&mut chain.parts));
    }

    /// A literal with other parts in its places; nothing if it has none.
    fn with_parts(
        &self,
        literal: &Range<usize>,
        places: &LazyLock<Option<Regex>>,
        mut part: impl FnMut(&Captures<'_>) -> Option<Range<usize>>,
    ) -> Option<Vec<Range<usize>>> {
        let (mut parts, mut done) = (Vec::new(), literal.start);
        let inner = self.bytes.get(literal.clone())?;
        for place in places.as_ref()?.captures_iter(inner) {
            if let Some(part) = part(&place) {
                let at = place.get_match().range();
                parts.extend([done..literal.start + at.start, part]);
                done = literal.start + at.end;
            }
        }
        if parts.is_empty() {
            return None;
        }
        parts.push(done..literal.end);
        parts.retain(|part| !part.is_empty());
        Some(parts)
    }

    /// Tells whether the literal that a quote opens is a key, and no item of a list.
    fn is_key(&self, quote: usize) -> bool {
        let end = self.literal(quote).map_or(quote, |(_, end)| end);
        let rest = self.bytes.get(end..).unwrap_or_default();
        end > quote && rest.iter().find(|byte| **byte != b' ') == Some(&b':')
    }

    /// Adds the part that begins at a position, and tells where it ends.
    fn part(&self, at: usize, chain: &mut Chain) -> Option<usize> {
        let quote = self.quote(at);
        if is_quote(self.byte(quote)) {
            let (literal, end) = self.literal(quote)?;
            match self.is_template(&literal).then(|| self.template(&literal)).flatten() {
                Some(parts) => {
                    chain.has_name = true;
                    chain.parts.extend(parts);
                }
                None if self.has_code(quote, &literal) => return None,
                None => chain.parts.push(literal),
            }
            return Some(end);
        }
        let word = self.word(at);
        // Of `it.head` and `it["head"]` the last word counts.
        let (last, end) = self.member(&word);
        let named = self.named(&last).map(|part| (part, end));
        let (part, end) = named.or_else(|| Some((self.named(&word)?, word.end)))?;
        chain.parts.push(part);
        chain.has_name = true;
        Some(end)
    }

    /// Tells whether a literal has code in it, as `f"{x}"` and `$"{x}"` have: what it gives is not known.
    fn has_code(&self, quote: usize, literal: &Range<usize>) -> bool {
        let first = quote - if self.is_long(quote) { 2 } else { 0 };
        let before = self.bytes.get(..first).unwrap_or_default().iter().rev();
        let mut prefix = before.take(2).take_while(|byte| is_prefix(**byte));
        let inner = self.bytes.get(literal.clone()).unwrap_or_default();
        prefix.any(|byte| b"fF$".contains(byte)) && memchr(b'{', inner).is_some()
    }

    /// The last word of `it.head` or `it["head"]`, and where it ends with what closes it.
    fn member(&self, word: &Range<usize>) -> (Range<usize>, usize) {
        let rest = self.bytes.get(word.end..).unwrap_or_default();
        let rest = rest.get(..USE_MAX).unwrap_or(rest);
        let found =
            MEMBER.as_ref().and_then(|form| form.captures(rest)).filter(|_| !word.is_empty());
        let Some(found) = found else { return (word.clone(), word.end) };
        let last = found.iter().skip(1).flatten().next().map_or(0..0, |last| last.range());
        (word.end + last.start..word.end + last.end, word.end + found.get_match().len())
    }

    /// The name at a position, with the sign before it.
    fn word(&self, at: usize) -> Range<usize> {
        let begins = !at.checked_sub(1).is_some_and(|before| is_named(self.byte(before)));
        let rest = self.bytes.get(at..).unwrap_or_default();
        let len = rest.iter().skip(1).take(64).take_while(|byte| is_named(**byte)).count();
        let first = self.byte(at);
        if begins && (is_named(first) || first == b'$') { at..at + 1 + len } else { at..at }
    }

    /// The literal that a name stands for: the last one.
    fn named(&self, word: &Range<usize>) -> Option<Range<usize>> {
        let word = self.bytes.get(word.clone())?;
        let word = word.strip_prefix(b"$").unwrap_or(word);
        let mut names = self.names.iter().rev();
        let named = names.find(|of| self.bytes.get(of.name.clone()) == Some(word))?;
        Some(named.literal.clone())
    }

    fn is_template(&self, literal: &Range<usize>) -> bool {
        let inner = self.bytes.get(literal.clone()).unwrap_or_default();
        !self.names.is_empty() && memchr2(b'{', b'$', inner).is_some()
    }

    /// The parts of a literal with names in it: `{head}{tail}`, `${head}`, `$head`; nothing if no name is known.
    fn template(&self, literal: &Range<usize>) -> Option<Vec<Range<usize>>> {
        let mut is_known = false;
        let parts = self.with_parts(literal, &NAMED, |place| {
            let name = place.iter().skip(1).flatten().next()?;
            let known = self.named(&(literal.start + name.start()..literal.start + name.end()));
            is_known |= known.is_some();
            // What an unknown name stands for ends a text, as a quote does.
            let is_name = place.get_match().as_bytes().starts_with(b"$");
            known.or_else(|| is_name.then_some(literal.start - 1..literal.start))
        });
        parts.filter(|_| is_known)
    }

    /// The literal that a quote opens, if it has no white space in it, and where it ends.
    fn literal(&self, open: usize) -> Option<(Range<usize>, usize)> {
        let rest = self.bytes.get(open + 1..)?;
        let len = memchr(self.byte(open), rest.get(..=PART_MAX).unwrap_or(rest))?;
        let inner = rest.get(..len)?;
        let quotes = if self.is_long(open) { 3 } else { 1 };
        let is_escaped = open > 0 && self.byte(open - 1) == b'\\';
        // In a literal of another language both quotes have a backslash.
        let inner = if is_escaped { inner.strip_suffix(b"\\")? } else { inner };
        let is_token = inner.iter().fold(true, |all, byte| all & (*byte > b' '));
        let is_closed = inner.last().is_some_and(|last| *last != b'\\');
        let end = open + 1 + len + quotes;
        let is_whole = quotes == 1 || self.is_long(end - 1);
        (is_token && is_closed && is_whole).then(|| (open + 1..open + 1 + inner.len(), end))
    }
}

/// What may stand before a quote and say of which kind its literal is.
fn is_prefix(byte: u8) -> bool {
    b"bBfFrRuULN8@$".contains(&byte)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

#[cfg(test)]
mod tests {
    use crate::{Detection, Policy, score};

    /// The pieces of what is found in more than one.
    fn joined(text: &str) -> Vec<Vec<&str>> {
        let report = score(text, &Policy::default());
        let hits = report.detected_patterns.iter().filter_map(|found| match found {
            Detection::Pattern(hit) if hit.pieces.len() > 1 => Some(hit),
            _ => None,
        });
        hits.map(|hit| hit.pieces.iter().map(|piece| &text[piece.clone()]).collect()).collect()
    }

    #[test]
    fn places_and_names_in_a_literal_are_regexes() {
        let all = [&super::PLACES, &super::NAMED, &super::WITHOUT, &super::MEMBER];
        assert!(all.into_iter().all(|form| form.is_some()));
    }

    #[test]
    fn literals_are_joined_by_what_puts_them_together() {
        let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
        let (a, b) = token.split_at(25);
        for text in [
            format!("const z = \"{a}\" + \"{b}\";\nconst y = \"bye\";\n"),
            format!("part_a = '{a}'\npart_b = '{b}'\nrest = 'x1'\n"),
            format!("x = '{a}'\nx += '{b}'\n"),
            format!("x = '{a}'  # the first of two pieces, and a comment behind it\nx += '{b}'\n"),
            format!(
                "x = '{a}'; // the first of two pieces, and a comment behind it\nx += '{b}';\n"
            ),
            format!("K='{a}' # first\nK+='{b}' # second\n"),
            format!("one = '{a}'  # first\ntwo = '{b}'  # second\nz = one + two\n"),
            format!("head = '{a}'\nmode = 'w'\ntail = '{b}'\nsend(mode)\nz = head + tail\n"),
            format!("one = '{a}'\nz = one + '{b}'\n"),
            format!("one = '{a}'\ntwo = '{b}'\nz = f'{{one}}{{two}}'\n"),
            format!("let one = '{a}';\nlet two = '{b}';\nlet z = `${{one}}${{two}}`;\n"),
            format!("one = '{a}'\ntwo = '{b}'\nz = ''.join([one, two])\n"),
            format!("$one = '{a}';\n$two = '{b}';\n$z = $one . $two;\n"),
            format!("f('user', '{a}', '{b}')\n"),
            format!("f('{a}' + '{b}', 'c')\n"),
            format!("x = '{a}#{b}'.replace('#', '')\n"),
            format!("x = f('{a}-{b}'.replaceAll('-',''))\n"),
            format!("x = '{a}%s' % '{b}'\n"),
            format!("x = '%s%s' % ('{a}', '{b}')\n"),
            format!("x = '{a}{{}}'.format('{b}')\n"),
            format!("x = '{{}}{{}}'.format('{a}', '{b}')\n"),
            format!("printf('{a}%s', '{b}')\n"),
            format!("one = '{a}'\nf('%s{b}' % one)\n"),
            format!("one = '{a}'\nf('{{}}{b}'.format(one))\n"),
            format!("d['a'] = '{a}'; d['b'] = '{b}'; x = d['a'] + d['b']\n"),
            format!("d.a = '{a}';\nd.x = '{b}';\nf(d.a + d.x);\n"),
            format!("d[0] = '{a}'\nd[7] = '{b}'\nx = d[0] + d[7]\n"),
            format!("K=\"{a}\"{b}\n"),
            format!("K='{a}'\"{b}\"\n"),
            format!("K={a}\"{b}\"\n"),
            format!("f -H \"K: {a}\"'{b}'\n"),
            format!("x = (\"{a}\"  # it's\n     # c\n     \"{b}\")\n"),
            format!("x = (f\"{a}\" f\"{b}\")\n"),
            format!("x = (\"{a}\" f\"{b}\")\n"),
            format!("x = (\n    b'{a}'  # c\n    rb'{b}')\n"),
            format!("x = \"\"\"{a}\"\"\" \"\"\"{b}\"\"\"\n"),
            format!("x = f\"\"\"{a}\"\"\" + '{b}'\n"),
            format!("var x = @\"{a}\" + $\"{b}\";\n"),
            format!("var x = @\"{a}\" + // c\n  $@\"{b}\";\n"),
            format!("x = \"{a}\" & _\r\n  \"{b}\"\r\n"),
            format!("new StringBuilder().append(\"{a}\").append(\"{b}\").toString();\n"),
            format!("new StringBuilder()\n .append(\"{a}\") // c\n .append(\"{b}\") // d\n"),
            format!("x = \"{a}\".concat(\"{b}\");\n"),
            format!("f(\"{a}\".concat(\"{b}\"), \"c\");\n"),
            format!("x = \"{a}\" + // c\n  \"{b}\";\n"),
            format!("x = \"{a}\" /* \"c\" */ + \"{b}\";\n"),
            format!("x = concat!(\"{a}\", /* c */ \"{b}\");\n"),
            format!("SELECT '{a}' || -- c\n '{b}';\n"),
            format!("A='{a}'\nB='{b}'\nK=$A$B\n"),
            format!("A='{a}'\nB='{b}'\nK=\"$A$B\"\n"),
            format!("var e=\"{a}\",n=\"{b}\";f(e+n)\n"),
        ] {
            assert_eq!(joined(&text), [[a, b]], "{text}");
        }
        for text in [
            format!("x = '%s{b}' % '{a}'\n"),
            format!("x = '%s{b}' % ('{a}',)\n"),
            format!("x = '{{}}{b}'.format('{a}')\n"),
            format!("x = '{{1}}{{0}}'.format('{b}', '{a}')\n"),
            format!("fmt.Sprintf(\"%s{b}\", \"{a}\")\n"),
        ] {
            assert_eq!(joined(&text), [[b, a]], "{text}");
        }
    }

    #[test]
    fn a_list_that_is_joined_is_one_text() {
        let parts = [
            ["xo", "xb-929060517176-1xsftTNWL"].concat(),
            "KTw".to_owned(),
            "KIPC4zs3uGei".to_owned(),
        ];
        for [call, end] in [
            ["SELECT CONCAT('", "');"],
            ["concat('", "')"],
            ["concat!('", "')"],
            ["''.join(['", "'])"],
            ["''.concat('", "')"],
            ["implode('', ['", "'])"],
            ["String.join(\"\", '", "')"],
            ["['", "'].join('')"],
            ["['", "'].join"],
            ["strings.Join([]string{'", "'}, \"\")"],
            ["listOf('", "').joinToString(\"\")"],
        ] {
            let text = format!("{call}{}{end}\n", parts.join("', '"));
            assert_eq!(joined(&text), [&parts], "{text}");
        }
    }

    #[test]
    fn a_name_before_the_parts_says_what_they_are() {
        let (a, b) = ("k3Jd9fQx7LmZ2pVtR8", "sWb4Yc6Hg1Nn5AqT0e");
        for text in [
            format!("api_key = \"{a}\" + \"{b}\"\n"),
            format!("head = '{a}'\ntail = '{b}'\napi_key = head + tail\n"),
            format!("api_key = (\n    '{a}'\n    '{b}'\n)\n"),
            format!("f(api_key='{a}' + '{b}', x=1)\n"),
        ] {
            assert_eq!(joined(&text), [[a, b]], "{text}");
        }
    }

    #[test]
    fn what_nothing_puts_together_stays_apart() {
        let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
        let (a, b) = token.split_at(25);
        let open = ["tr", "_iqp_", "WQzJVYWNjKOmZDYHziCHrxXC"].concat();
        let long = ["hf", "_", "kBuREHDLDhdfFFlhVDKYhxOKCnBosaFkWt"].concat();
        for text in [
            format!("one = '{a}'\ntwo = '{b}'\n"),
            format!("type Cipher = '{a}' | '{b}';"),
            format!("f('{a}'); g('{b}')\n"),
            format!("d = {{\"x\": \"{a}\", \"{b}\": 1}}\n"),
            format!("\"token\": \"{a}\"\n\"{b}\": 1\n"),
            format!("x = '{a}' // '{b}'\n"),
            format!("x = (f'{{y}}{a}' f'{b}')\n"),
            format!("x = (f'{a}' rf'{{y}}{b}')\n"),
            format!("x = f(\"{a}\"x\"{b}\")\n"),
            format!("form.append(\"token\", \"{a}\").append(\"user\", \"{b}\");\n"),
            format!("new Headers().append(\"{a}\").append(\"{b}\", \"main\");\n"),
            format!("x = '\"{a}\"\\n\"{b}\"'\n"),
            format!("x = y == '{a}' or z == '{b}'\n"),
            format!("x = f('{a}')('{b}')\n"),
            format!("f(g('{a}'), '{b}')\n"),
            // A token that may be longer is whole without the next item.
            format!("f(\"{open}\",\"b\",{{c:'d'}})\n"),
            format!("{{\"token\":\"{open}\",\"b\":1}}\n"),
            format!("[\"{long}\",\"b\",1]\n"),
            // A name that nothing is known of is no piece of a secret.
            format!("A='client_secret=bP88Q~rcBcYjz'\nB='{b}\n'\nKEY=\"$A$B\"\n"),
            "A='x = 7'\nB='osfG7Tk3BlbkFJBYX7TPs4HaYE6r3ljpC'\nKEY=\"$A$B\"\n".to_owned(),
        ] {
            assert_eq!(joined(&text), Vec::<Vec<&str>>::new(), "{text}");
        }
    }
}
