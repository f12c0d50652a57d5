//! Secrets that are cut in pieces: literals added up, lists of characters, lines and groups.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;

use super::super::literals::{Literal, Place};
use super::super::marks::{GROUP, Marks, is_token, quotes};
use super::super::work;
use super::{Seen, Trust, Views};

/// Literals may stand so far apart.
const GAP_MAX: usize = 48;

/// A joined literal is not longer than this.
const JOINED_MAX: usize = 4096;

pub(super) fn views(text: &str, seen: Seen<'_>, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    literals(text, seen.marks, views);
    continued(bytes, seen.marks, views);
    groups(bytes, seen, views);
    numbers(bytes, seen, views);
    pairs(bytes, seen, views);
    lines(bytes, seen, views);
    armor_backwards(bytes, seen.places, views);
}

/// What may stand between two literals, and what that says.
fn between(gap: &[u8]) -> Option<Trust> {
    /// Operators and white space.
    const JOINS: u8 = 1;
    /// These, or a comma.
    const LISTS: u8 = 2;
    /// Names, numbers and what assigns to them.
    const ASSIGNS: u8 = 4;
    #[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
    const CLASSES: [u8; 256] = {
        let mut classes = [0; 256];
        let mut byte = 0;
        while byte < 128 {
            let white = (byte as u8).is_ascii_whitespace();
            classes[byte] = match byte as u8 {
                b'+' | b'.' => JOINS | LISTS | ASSIGNS,
                b'&' | b'|' | b'~' | b'(' | b')' | b'\\' => JOINS | LISTS,
                b',' => LISTS,
                b'_' | b'$' | b';' | b':' | b'=' => ASSIGNS,
                letter if letter.is_ascii_alphanumeric() => ASSIGNS,
                _ if white => JOINS | LISTS | ASSIGNS,
                _ => 0,
            };
            byte += 1;
        }
        classes
    };
    if gap.len() > GAP_MAX || gap.is_empty() {
        return None;
    }
    let mut all = JOINS | LISTS | ASSIGNS;
    for byte in gap {
        all &= CLASSES.get(usize::from(*byte)).copied().unwrap_or(0);
        if all == 0 {
            return None;
        }
    }
    if all & JOINS != 0 {
        // Two literals that touch, `""`, are an escaped quote.
        return Some(Trust::Full);
    }
    if all & LISTS != 0 {
        return Some(Trust::Names);
    }
    // `p0 = "…"` and on the next line `p1 = "…"`: the names differ in a number or a letter.
    let lines = gap.iter().filter(|byte| **byte == b'\n' || **byte == b';').count();
    let assigns = gap.iter().rev().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'=');
    let words = gap.split(|b| !b.is_ascii_alphanumeric() && *b != b'_').filter(|w| !w.is_empty());
    (lines >= 1 && assigns && words.count() <= 3).then_some(Trust::Names)
}

/// Quoted literals with nothing but operators between them, where there are digits.
fn literals(text: &str, marks: &Marks, views: &mut Views<'_>) {
    /// Fewer digits in three groups are not those of a token that was cut.
    const DIGITS_MIN: u8 = 3;
    let mut after = marks.digits.iter().copied().skip(1).chain([0]);
    let (mut before, mut here) = (0, marks.digits.first().copied().unwrap_or(0));
    let mut done = 0;
    // Where the part that is to be read begins and ends, as long as it grows.
    let mut part: Option<Range<usize>> = None;
    let mut chain = Chain::default();
    for group in 0..marks.digits.len() {
        let after = after.next().unwrap_or(0);
        if before + here + after >= DIGITS_MIN {
            let base = group * GROUP;
            match &mut part {
                Some(part) => part.end = base + GROUP,
                None => part = Some(base..base + GROUP),
            }
        } else if let Some(part) = part.take() {
            done = literals_of(text, marks, part, done, &mut chain, views);
        }
        (before, here) = (here, after);
    }
    if let Some(part) = part {
        literals_of(text, marks, part, done, &mut chain, views);
    }
}

/// Joins the literals on the lines of a part of the text, and tells how far it was read.
fn literals_of(
    text: &str,
    marks: &Marks,
    part: Range<usize>,
    done: usize,
    chain: &mut Chain,
    views: &mut Views<'_>,
) -> usize {
    // A line is not read further than this to either side.
    const LINE_MAX: usize = 1024;
    let bytes = text.as_bytes();
    let from = part.start.saturating_sub(LINE_MAX).max(done);
    let start = marks.feed.last(from, part.start).map_or(from, |at| at + 1);
    let to = (part.end + LINE_MAX).min(bytes.len());
    let end = marks.feed.next(part.end, to).map_or(to, |at| at + 1);
    // Two literals have four quotes.
    let mut quoted = std::mem::take(&mut chain.quotes);
    quoted.mark(bytes, start..end);
    if !quoted.has_four() {
        chain.quotes = quoted;
        return end;
    }
    // Pairs of quotes on one line, as `(open, close)`; a quote after a backslash does not count.
    let mut open: Option<usize> = None;
    // How far an open literal was read.
    let mut read = 0;
    work::spend(end - start);
    for at in quoted.places() {
        if at > 0 && bytes.get(at - 1) == Some(&b'\\') {
            continue;
        }
        let quote = bytes.get(at);
        match open {
            Some(start) if bytes.get(start) == quote => {
                work::spend(at - start);
                if marks.feed.next(start + 1, at).is_some() {
                    // The quote before was an apostrophe; this one may open a literal.
                    open = Some(at);
                    continue;
                }
                let inner = bytes.get(start + 1..at).unwrap_or_default();
                let fits = inner.len() <= 512
                    && !inner.is_empty()
                    && !inner.iter().fold(false, |any, byte| any | byte.is_ascii_whitespace());
                open = None;
                if !fits {
                    chain.end(text, marks, views);
                    continue;
                }
                let trust = chain
                    .last()
                    .and_then(|last| between(bytes.get(last.end + 1..start).unwrap_or_default()));
                match trust {
                    Some(trust) if chain.takes(inner.len()) => chain.add(start + 1..at, trust),
                    _ => {
                        chain.end(text, marks, views);
                        chain.add(start + 1..at, Trust::Full);
                    }
                }
            }
            Some(start) => {
                // Another quote inside; a literal that does not end on its line is none.
                let from = start.max(read);
                work::spend(at.saturating_sub(from));
                read = at;
                if at - start > 512 || marks.feed.next(from, at).is_some() {
                    open = Some(at);
                }
            }
            None => open = Some(at),
        }
    }
    chain.end(text, marks, views);
    chain.quotes = quoted;
    end
}

/// The quotes of a part of the text.
#[derive(Debug, Default)]
struct Quotes {
    start: usize,
    /// Bits for sixty-four bytes each.
    words: Vec<u64>,
}

impl Quotes {
    fn mark(&mut self, bytes: &[u8], part: Range<usize>) {
        self.start = part.start;
        self.words.clear();
        let bytes = bytes.get(..part.end).unwrap_or_default();
        self.words.extend(part.step_by(GROUP).map(|at| quotes(bytes, at)));
    }

    fn has_four(&self) -> bool {
        self.places().nth(3).is_some()
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        self.words.iter().zip((self.start..).step_by(GROUP)).flat_map(|(word, base)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let at = base + left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    at
                })
            })
        })
    }
}

/// Literals that belong together.
#[derive(Debug, Default)]
struct Chain {
    /// Room for the quotes of the part that is read.
    quotes: Quotes,
    /// What stands between the quotes.
    parts: Vec<Range<usize>>,
    len: usize,
    /// Whether something between them leaves a doubt.
    doubted: bool,
}

impl Chain {
    fn last(&self) -> Option<&Range<usize>> {
        self.parts.last()
    }

    /// Tells whether there is room for so many bytes more; two literals always fit.
    fn takes(&self, len: usize) -> bool {
        self.parts.len() < 2 || self.len + len <= JOINED_MAX
    }

    fn add(&mut self, part: Range<usize>, trust: Trust) {
        self.len += part.len();
        self.doubted |= trust == Trust::Names;
        self.parts.push(part);
    }

    /// Makes a view of the literals, if they could hold a token, and begins anew.
    fn end(&mut self, text: &str, marks: &Marks, views: &mut Views<'_>) {
        let Self { parts, len, doubted, .. } = self;
        if parts.is_empty() {
            return;
        }
        if let [first, .., last] = parts.as_slice()
            && *len >= 16
            && parts.iter().map(|part| marks.digit.count(part.clone())).sum::<usize>() >= 2
            && views.has_room(*len)
        {
            let joined = parts.iter().filter_map(|part| text.get(part.clone())).collect();
            let trust = if *doubted { Trust::Names } else { Trust::Full };
            views.add("joined literals", first.start - 1..last.end + 1, joined, trust);
        }
        parts.clear();
        (*len, *doubted) = (0, false);
    }
}

/// Lines that a backslash continues.
fn continued(bytes: &[u8], marks: &Marks, views: &mut Views<'_>) {
    static END: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"\\\n"));
    let mut done = 0;
    for at in END.find_iter(bytes) {
        let follows = at > 0 && bytes.get(at - 1).is_some_and(|byte| is_token(*byte));
        if at < done || !follows {
            continue;
        }
        let start = at - marks.token.run_back(at, done.max(at.saturating_sub(512)));
        let mut text = bytes.get(start..at).unwrap_or_default().to_vec();
        let mut end = at;
        while bytes.get(end..end + 2) == Some(b"\\\n") && text.len() < JOINED_MAX {
            let rest = bytes.get(end + 2..).unwrap_or_default();
            let len = rest.iter().take(512).take_while(|byte| is_token(**byte)).count();
            text.extend(rest.get(..len).unwrap_or_default());
            end += 2 + len;
        }
        done = end;
        if text.len() >= 16
            && text.iter().any(u8::is_ascii_digit)
            && views.has_room(text.len())
            && let Ok(text) = String::from_utf8(text)
        {
            views.add("continued lines", start..end, text, Trust::Full);
        }
    }
}

/// Groups of one length with single spaces between them: `glsa_v6n 63ah6dax ym7y6lws`.
fn groups(bytes: &[u8], seen: Seen<'_>, views: &mut Views<'_>) {
    // A line is not read further than this to either side.
    const LINE_MAX: usize = 1024;
    // A group holds a digit now and then; lines without any are prose.
    let mut done = 0;
    for dense in seen.dense {
        let from = dense.start.saturating_sub(LINE_MAX).max(done);
        let start = seen.marks.feed.last(from, dense.start).map_or(from, |at| at + 1);
        let to = (dense.end + LINE_MAX).min(bytes.len());
        let end = seen.marks.feed.next(dense.end, to).unwrap_or(to);
        if end > done {
            groups_of(bytes, seen.marks, start..end, views);
            done = end;
        }
    }
}

fn groups_of(bytes: &[u8], marks: &Marks, part: Range<usize>, views: &mut Views<'_>) {
    work::spend(part.len());
    let is_token = |byte: &u8| is_token(*byte);
    let mut from = part.start;
    for end in marks.feed.ones(part.clone()).chain([part.end]) {
        let line = bytes.get(from..end).unwrap_or_default();
        let base = from;
        from = end + 1;
        if line.len() < 20 || line.len() > 2048 {
            continue;
        }
        let trimmed = line.iter().rev().take_while(|byte| b" \r\"';,".contains(byte)).count();
        let body = line.get(..line.len() - trimmed).unwrap_or_default();
        // Before the last two groups stand spaces, and nothing else is in them.
        let group = |end: usize| {
            let len = marks.token.run_back(end, base);
            let spaced = end - len > base && bytes.get(end - len - 1) == Some(&b' ');
            (spaced && (3..=40).contains(&len)).then_some(len)
        };
        let Some(last) = group(base + body.len()) else { continue };
        if group(base + body.len() - last - 1).is_none_or(|len| len < last) {
            continue;
        }
        // From the end of the line, where the odd group is.
        let mut words: Vec<&[u8]> = Vec::new();
        let mut start = body.len();
        let mut word_end = body.len();
        for word in body.rsplit(|byte| *byte == b' ') {
            let ends_at = word_end;
            word_end = word_end.saturating_sub(word.len() + 1);
            let quote = word.iter().position(|byte| !is_token(byte));
            let word = match quote {
                // An opening quote ends the walk; anything else is no group.
                Some(at) if word.get(at).is_some_and(|byte| b"\"'`:=".contains(byte)) => {
                    word.get(at + 1..).unwrap_or_default()
                }
                Some(_) => break,
                None => word,
            };
            let same = words.get(1).or(words.first()).map_or(word.len(), |first| first.len());
            let fits = word.len() >= 3
                && word.len() <= 40
                && match words.len() {
                    0 => true,
                    1 => word.len() >= same,
                    _ => word.len() == same,
                };
            if !fits {
                break;
            }
            words.push(word);
            start = ends_at - word.len();
            if quote.is_some() {
                break;
            }
        }
        let equal = words.get(1..).unwrap_or_default();
        let joined: Vec<u8> = words.iter().rev().flat_map(|word| word.iter().copied()).collect();
        let digits = joined.iter().filter(|byte| byte.is_ascii_digit()).count();
        if equal.len() >= 2 && joined.len() >= 16 && digits >= 2 && views.has_room(joined.len()) {
            let source = base + start..base + body.len();
            if let Ok(text) = String::from_utf8(joined) {
                views.add("joined groups", source, text, Trust::Names);
            }
        }
    }
}

/// Lists of character codes: `[103, 108, 115]`, `chr(103) . chr(108)`, `0x67, 0x6c`.
fn numbers(bytes: &[u8], seen: Seen<'_>, views: &mut Views<'_>) {
    /// Sixteen codes of two digits.
    const DIGITS_MIN: usize = 32;
    let digits = &seen.marks.digit;
    for dense in seen.dense {
        if dense.len() < DIGITS_MIN
            || !has_codes(seen.marks, dense)
            || digits.count(dense.clone()) < DIGITS_MIN
        {
            continue;
        }
        work::spend(dense.len());
        let region = bytes.get(..dense.end).unwrap_or_default();
        let mut decoded = Vec::new();
        let mut at = dense.start;
        let mut start = 0;
        while let Some(begin) = digits.next(at, dense.end) {
            let since = begin - at;
            let rest = region.get(begin..).unwrap_or_default();
            let hex = rest.starts_with(b"0x");
            let (lead, (len, value)) =
                if hex { (2, code(rest.get(2..), 16)) } else { (0, code(Some(rest), 10)) };
            let value = u8::try_from(value).ok().filter(|value| (32..127).contains(value));
            match value {
                Some(value) if since <= 24 => {
                    if decoded.is_empty() {
                        start = begin;
                    }
                    decoded.push(value);
                }
                _ if decoded.is_empty() => {}
                _ => flush(&mut decoded, start..begin, views),
            }
            at = begin + lead + len;
        }
        flush(&mut decoded, start..at, views);
    }
}

/// A number at the start of a text: its length and its value. What is too large for a byte is not read
/// to its end.
fn code(text: Option<&[u8]>, base: u32) -> (usize, u32) {
    let most = if base == 16 { 3 } else { 4 };
    let (mut len, mut value) = (0, 0);
    for byte in text.unwrap_or_default().iter().take(most) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' | b'A'..=b'F' if base == 16 => (byte | 0x20) - b'a' + 10,
            _ => break,
        };
        len += 1;
        value = value * base + u32::from(digit);
    }
    (len, value)
}

/// Tells whether a stretch of the text can hold sixteen codes: each has two digits in a row, or a
/// zero, a letter and a digit, `0x6c`, and no more than some two dozen characters before it.
fn has_codes(marks: &Marks, part: &Range<usize>) -> bool {
    const CODES_MIN: u32 = 16;
    let mut codes = 0;
    // Where one, two, four, eight, sixteen and twenty-five bytes in a row that are no digits end.
    let mut before = [0_u64; 6];
    for group in part.start / GROUP..part.end.div_ceil(GROUP) {
        let digits = marks.digit.word(group);
        let mut ends = [!digits; 6];
        let mut last = !digits;
        for ((end, before), more) in ends.iter_mut().skip(1).zip(before).zip([1, 2, 4, 8, 9]) {
            last &= last << more | before >> (GROUP - more);
            *end = last;
        }
        before = ends;
        let (one, two) = (marks.digit.from(group * GROUP + 1), marks.digit.from(group * GROUP + 2));
        let here = (digits & (one | two)).count_ones();
        codes += here;
        if codes >= CODES_MIN {
            return true;
        }
        // Codes on either side of a gap do not belong together.
        if last != 0 {
            codes = here;
        }
    }
    false
}

/// Pairs of hexadecimal digits with one and the same sign between them: `67:6c:73`, `67 6c 73`.
fn pairs(bytes: &[u8], seen: Seen<'_>, views: &mut Views<'_>) {
    const PAIRS_MIN: usize = 16;
    let pair = |at: usize| {
        let two = bytes.get(at..at + 2).filter(|two| two.iter().all(u8::is_ascii_hexdigit))?;
        u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()
    };
    let mut done = 0;
    for dense in seen.dense.iter().filter(|dense| dense.len() >= PAIRS_MIN * 3) {
        if !has_pairs(seen.marks, dense) {
            continue;
        }
        work::spend(dense.len());
        let region = bytes.get(dense.clone()).unwrap_or_default();
        for mark_at in memchr::memchr3_iter(b':', b' ', b'-', region).map(|at| dense.start + at) {
            let mark = bytes.get(mark_at);
            let even = (1..4).all(|nth| bytes.get(mark_at + 3 * nth) == mark);
            let Some(start) = mark_at.checked_sub(2).filter(|start| even && *start >= done) else {
                continue;
            };
            let before = start.checked_sub(1).and_then(|before| bytes.get(before));
            if before.is_some_and(u8::is_ascii_alphanumeric) {
                continue;
            }
            let (mut at, mut decoded) = (start, Vec::new());
            while let Some(byte) = pair(at) {
                decoded.push(byte);
                at += 2;
                if bytes.get(at) != mark {
                    break;
                }
                at += 1;
            }
            done = at;
            if decoded.len() >= PAIRS_MIN
                && views.has_room(decoded.len())
                && decoded.iter().all(u8::is_ascii_graphic)
                && let Ok(text) = String::from_utf8(decoded)
            {
                views.add("hex", start..at, text, Trust::Names);
            }
        }
    }
}

/// Tells whether every third byte is a digit for sixteen times, in or right before a stretch: the
/// first digit of what is printed is from two to seven.
fn has_pairs(marks: &Marks, part: &Range<usize>) -> bool {
    (part.start.saturating_sub(2) / GROUP..part.end.div_ceil(GROUP)).any(|group| {
        let digits = u128::from(marks.digit.word(group));
        let digits = digits | u128::from(marks.digit.word(group + 1)) << GROUP;
        let digits = digits & digits >> 3;
        let digits = digits & digits >> 6;
        let digits = digits & digits >> 12;
        (digits & digits >> 24) as u64 != 0
    })
}

fn flush(decoded: &mut Vec<u8>, source: Range<usize>, views: &mut Views<'_>) {
    const CODES_MIN: usize = 16;
    if decoded.len() < CODES_MIN {
        decoded.clear();
        return;
    }
    let bytes = std::mem::take(decoded);
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if letters * 3 >= bytes.len()
        && views.has_room(bytes.len())
        && let Ok(text) = String::from_utf8(bytes)
    {
        views.add("character codes", source, text, Trust::Names);
    }
}

/// A short list of lines, each one token, the last shorter: `newline`-cut tokens whose lines are
/// shorter than the runs that blobs are looked for in.
fn lines(bytes: &[u8], seen: Seen<'_>, views: &mut Views<'_>) {
    /// A line or two without digits may belong to a token that has some.
    const AROUND: usize = 2 * GROUP;
    let mut done = 0;
    for dense in seen.dense {
        // Lines that are so short are several to a stretch of digits.
        if !seen.marks.feed.has(2, dense.clone()) {
            continue;
        }
        let from = dense.start.saturating_sub(AROUND).max(done);
        let whole = from == 0 || from == done;
        let line = if whole { None } else { seen.marks.feed.next(from, dense.start) };
        let start = line.map_or(from, |at| at + 1);
        let end = (dense.end + AROUND).min(bytes.len());
        if end > start {
            done = lines_of(bytes, seen.marks, start..end, views);
        }
    }
}

/// Joins the lines of a part of the text, and tells how far it was read.
fn lines_of(bytes: &[u8], marks: &Marks, part: Range<usize>, views: &mut Views<'_>) -> usize {
    const SHORT: Range<usize> = 6..16;
    work::spend(part.len());
    let mut joined: Vec<u8> = Vec::new();
    let (mut start, mut end, mut width, mut count) = (0, 0, 0, 0);
    let mut from = part.start;
    let whole = bytes.get(..part.end).unwrap_or_default();
    let ends = marks.feed.ones(part.clone());
    for at in ends.chain((part.end == bytes.len()).then_some(part.end)) {
        let line = whole.get(from..at).unwrap_or_default();
        // Most lines end in a sign that no token has.
        let open = line.last().is_some_and(|byte| is_token(*byte) || byte.is_ascii_whitespace());
        let line = if open && line.len() <= 64 { line.trim_ascii() } else { b"" };
        if count == 0 && !SHORT.contains(&line.len()) {
            from = at + 1;
            continue;
        }
        let filled = !line.is_empty() && line.iter().all(|byte| is_token(*byte));
        if filled && count > 0 && line.len() <= width {
            joined.extend(line);
            count += 1;
            end = at;
            if line.len() == width {
                from = at + 1;
                continue;
            }
        }
        if count >= 2
            && joined.len() >= 16
            && views.has_room(joined.len())
            && let Ok(text) = String::from_utf8(std::mem::take(&mut joined))
        {
            views.add("joined lines", start..end, text, Trust::Names);
        }
        joined.clear();
        count = 0;
        if filled && SHORT.contains(&line.len()) {
            joined.extend(line);
            (start, width, count) = (from, line.len(), 1);
        }
        from = at + 1;
    }
    from
}

/// `-----YEK ETAVIRP …`: a key block backwards.
fn armor_backwards(bytes: &[u8], places: &[Place], views: &mut Views<'_>) {
    let places = places.iter().filter(|place| place.literal == Literal::Backwards);
    for at in places.filter_map(|place| place.at.checked_sub(6)).take(8) {
        if !bytes.get(at..).is_some_and(|text| text.starts_with(b"-----YEK")) {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let end = memmem::find(rest, b" NIGEB-----").map_or(rest.len().min(64), |end| end + 11);
        if views.has_room(end) {
            let text: Vec<u8> = rest.get(..end).unwrap_or_default().iter().rev().copied().collect();
            if let Ok(text) = String::from_utf8(text) {
                views.add("reversed", at..at + end, text, Trust::Full);
            }
        }
    }
}
