//! Secrets that are cut in pieces: literals added up, lists of characters, lines and groups.

use std::ops::Range;

use memchr::{memchr2_iter, memmem, memrchr};

use super::super::literals::{Literal, Place};
use super::super::marks::{GROUP, Marks, is_token};
use super::super::work;
use super::{Seen, Trust, Views};

/// Literals may stand so far apart.
const GAP_MAX: usize = 48;

/// A joined literal is not longer than this.
const JOINED_MAX: usize = 4096;

pub(super) fn views(text: &str, seen: Seen<'_>, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    literals(bytes, seen.marks, views);
    continued(bytes, seen.marks, views);
    groups(bytes, seen.dense, views);
    numbers(bytes, seen, views);
    pairs(bytes, seen, views);
    lines(bytes, seen, views);
    armor_backwards(bytes, seen.places, views);
}

/// What may stand between two literals, and what that says.
fn between(gap: &[u8]) -> Option<Trust> {
    if gap.len() > GAP_MAX || gap.is_empty() {
        return None;
    }
    let joins = |byte: &u8| byte.is_ascii_whitespace() || b"+.&|~()\\".contains(byte);
    if gap.iter().all(joins) {
        // Two literals that touch, `""`, are an escaped quote.
        return Some(Trust::Full);
    }
    if gap.iter().all(|byte| joins(byte) || *byte == b',') {
        return Some(Trust::Names);
    }
    // `p0 = "…"` and on the next line `p1 = "…"`: the names differ in a number or a letter.
    let lines = gap.iter().filter(|byte| **byte == b'\n' || **byte == b';').count();
    let assigns = gap.iter().rev().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'=');
    let plain = gap.iter().all(|byte| {
        byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"_$;:=+.".contains(byte)
    });
    let words = gap.split(|b| !b.is_ascii_alphanumeric() && *b != b'_').filter(|w| !w.is_empty());
    (lines >= 1 && assigns && plain && words.count() <= 3).then_some(Trust::Names)
}

/// Quoted literals with nothing but operators between them, where there are digits.
fn literals(bytes: &[u8], marks: &Marks, views: &mut Views<'_>) {
    /// Fewer digits in three groups are not those of a token that was cut.
    const DIGITS_MIN: u32 = 3;
    let words = marks.digit.words();
    let mut before = 0;
    let mut done = 0;
    // Where the part that is to be read begins and ends, as long as it grows.
    let mut part: Option<Range<usize>> = None;
    for (group, word) in words.iter().enumerate() {
        let count = word.count_ones();
        let after = marks.digit.word(group + 1).count_ones();
        if before + count + after >= DIGITS_MIN {
            let base = group * GROUP;
            match &mut part {
                Some(part) => part.end = base + GROUP,
                None => part = Some(base..base + GROUP),
            }
        } else if let Some(part) = part.take() {
            done = literals_of(bytes, part, done, views);
        }
        before = count;
    }
    if let Some(part) = part {
        literals_of(bytes, part, done, views);
    }
}

/// Joins the literals on the lines of a part of the text, and tells how far it was read.
fn literals_of(bytes: &[u8], part: Range<usize>, done: usize, views: &mut Views<'_>) -> usize {
    // A line is not read further than this to either side.
    const LINE_MAX: usize = 1024;
    let from = part.start.saturating_sub(LINE_MAX).max(done);
    let before = bytes.get(from..part.start.max(from)).unwrap_or_default();
    let start = memrchr(b'\n', before).map_or(from, |at| from + at + 1);
    let to = (part.end + LINE_MAX).min(bytes.len());
    let after = bytes.get(part.end.min(to)..to).unwrap_or_default();
    let end = memchr::memchr(b'\n', after).map_or(to, |at| part.end + at + 1);
    // Pairs of quotes on one line, as `(open, close)`; a quote after a backslash does not count.
    let mut open: Option<usize> = None;
    // How far an open literal was read.
    let mut read = 0;
    let mut chain: Option<Chain> = None;
    work::spend(end - start);
    let text = bytes.get(start..end).unwrap_or_default();
    for at in memchr2_iter(b'"', b'\'', text) {
        let at = start + at;
        if at > 0 && bytes.get(at - 1) == Some(&b'\\') {
            continue;
        }
        let quote = bytes.get(at);
        match open {
            Some(start) if bytes.get(start) == quote => {
                let inner = bytes.get(start + 1..at).unwrap_or_default();
                work::spend(inner.len());
                if inner.contains(&b'\n') {
                    // The quote before was an apostrophe; this one may open a literal.
                    open = Some(at);
                    continue;
                }
                let fits = inner.len() <= 512
                    && !inner.is_empty()
                    && !inner.iter().any(u8::is_ascii_whitespace);
                open = None;
                if !fits {
                    if let Some(chain) = chain.take() {
                        chain.end(views);
                    }
                    continue;
                }
                let trust = chain.as_ref().and_then(|chain| {
                    between(bytes.get(chain.source.end..start).unwrap_or_default())
                });
                match (&mut chain, trust) {
                    (Some(chain), Some(trust)) if chain.text.len() + inner.len() <= JOINED_MAX => {
                        if chain.text.is_empty() {
                            let first = chain.source.start + 1..chain.source.end - 1;
                            chain.text.extend(bytes.get(first).unwrap_or_default());
                        }
                        chain.text.extend(inner);
                        chain.source.end = at + 1;
                        chain.parts += 1;
                        if trust == Trust::Names {
                            chain.trust = trust;
                        }
                    }
                    _ => {
                        if let Some(chain) = chain.take() {
                            chain.end(views);
                        }
                        chain = Some(Chain {
                            source: start..at + 1,
                            text: Vec::new(),
                            parts: 1,
                            trust: Trust::Full,
                        });
                    }
                }
            }
            Some(start) => {
                // Another quote inside; a literal that does not end on its line is none.
                let from = start.max(read);
                let inner = bytes.get(from..at).unwrap_or_default();
                work::spend(inner.len());
                read = at;
                if at - start > 512 || inner.contains(&b'\n') {
                    open = Some(at);
                }
            }
            None => open = Some(at),
        }
    }
    if let Some(chain) = chain {
        chain.end(views);
    }
    end
}

struct Chain {
    source: Range<usize>,
    text: Vec<u8>,
    parts: usize,
    trust: Trust,
}

impl Chain {
    fn end(self, views: &mut Views<'_>) {
        let digits = self.text.iter().filter(|byte| byte.is_ascii_digit()).count();
        if self.parts < 2 || self.text.len() < 16 || digits < 2 || !views.has_room(self.text.len())
        {
            return;
        }
        if let Ok(text) = String::from_utf8(self.text) {
            views.add("joined literals", self.source, text, self.trust);
        }
    }
}

/// Lines that a backslash continues.
fn continued(bytes: &[u8], marks: &Marks, views: &mut Views<'_>) {
    let mut done = 0;
    for (group, _) in marks.escapes.iter().enumerate().filter(|(_, count)| **count > 0) {
        let base = group * GROUP;
        let part = bytes.get(base..(base + GROUP + 1).min(bytes.len())).unwrap_or_default();
        for at in memmem::find_iter(part, b"\\\n").map(|at| base + at) {
            if at < done || at == 0 || !bytes.get(at - 1).is_some_and(|byte| is_token(*byte)) {
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
}

/// Groups of one length with single spaces between them: `glsa_v6n 63ah6dax ym7y6lws`.
fn groups(bytes: &[u8], digits: &[Range<usize>], views: &mut Views<'_>) {
    // A group holds a digit now and then; lines without any are prose.
    let mut done = 0;
    for dense in digits {
        let before = bytes.get(done..dense.start).unwrap_or_default();
        let start = memchr::memrchr(b'\n', before).map_or(done, |at| done + at + 1);
        let start = start.max(dense.start.saturating_sub(1024)).max(done);
        let after = bytes.get(dense.end..).unwrap_or_default();
        let end = memchr::memchr(b'\n', after).map_or(bytes.len(), |at| dense.end + at);
        let end = end.min(dense.end + 1024).max(dense.end);
        if end > done {
            groups_of(bytes, start..end, views);
            done = end;
        }
    }
}

fn groups_of(bytes: &[u8], part: Range<usize>, views: &mut Views<'_>) {
    work::spend(part.len());
    let is_token = |byte: &u8| is_token(*byte);
    let text = bytes.get(part.clone()).unwrap_or_default();
    let mut from = part.start;
    for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
        let end = part.start + end;
        let line = bytes.get(from..end).unwrap_or_default();
        let base = from;
        from = end + 1;
        if line.len() < 20 || line.len() > 2048 {
            continue;
        }
        // From the end of the line, where the odd group is.
        let mut words: Vec<&[u8]> = Vec::new();
        let trimmed = line.iter().rev().take_while(|byte| b" \r\"';,".contains(byte)).count();
        let body = line.get(..line.len() - trimmed).unwrap_or_default();
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
    for dense in seen.dense {
        if dense.len() < DIGITS_MIN || seen.marks.digit.count(dense.clone()) < DIGITS_MIN {
            continue;
        }
        work::spend(dense.len());
        let region = bytes.get(dense.clone()).unwrap_or_default();
        let mut decoded = Vec::new();
        let mut at = 0;
        let mut since = 0;
        let mut start = 0;
        while let Some(found) =
            region.get(at..).unwrap_or_default().iter().position(u8::is_ascii_digit)
        {
            let begin = at + found;
            since += found;
            let rest = region.get(begin..).unwrap_or_default();
            let (value, len) = if rest.starts_with(b"0x") {
                let len = rest.iter().skip(2).take(3).take_while(|b| b.is_ascii_hexdigit()).count();
                let text = std::str::from_utf8(rest.get(2..2 + len).unwrap_or_default());
                (text.ok().and_then(|t| u32::from_str_radix(t, 16).ok()), 2 + len)
            } else {
                let len = rest.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
                let text = std::str::from_utf8(rest.get(..len).unwrap_or_default());
                (text.ok().and_then(|t| t.parse().ok()), len)
            };
            let value = value.and_then(|v| u8::try_from(v).ok()).filter(|v| (32..127).contains(v));
            match value {
                Some(value) if since <= 24 => {
                    if decoded.is_empty() {
                        start = dense.start + begin;
                    }
                    decoded.push(value);
                }
                _ => {
                    flush(&mut decoded, start..dense.start + begin, views);
                }
            }
            since = 0;
            at = begin + len.max(1);
        }
        flush(&mut decoded, start..dense.start + at, views);
    }
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

fn flush(decoded: &mut Vec<u8>, source: Range<usize>, views: &mut Views<'_>) {
    let bytes = std::mem::take(decoded);
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if bytes.len() >= 16
        && letters * 3 >= bytes.len()
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
        let digits = bytes.get(dense.clone()).unwrap_or_default();
        if memchr::memchr_iter(b'\n', digits).take(2).count() < 2 {
            continue;
        }
        let from = dense.start.saturating_sub(AROUND).max(done);
        let before = bytes.get(from..dense.start.max(from)).unwrap_or_default();
        let whole = from == 0 || from == done;
        let line = if whole { None } else { memchr::memchr(b'\n', before) };
        let start = line.map_or(from, |at| from + at + 1);
        let end = (dense.end + AROUND).min(bytes.len());
        if end > start {
            done = lines_of(bytes, start..end, views);
        }
    }
}

/// Joins the lines of a part of the text, and tells how far it was read.
fn lines_of(bytes: &[u8], part: Range<usize>, views: &mut Views<'_>) -> usize {
    const SHORT: Range<usize> = 6..16;
    work::spend(part.len());
    let mut joined: Vec<u8> = Vec::new();
    let (mut start, mut end, mut width, mut count) = (0, 0, 0, 0);
    let mut from = part.start;
    let whole = bytes.get(..part.end).unwrap_or_default();
    let text = bytes.get(part.clone()).unwrap_or_default();
    let ends = memchr::memchr_iter(b'\n', text).map(|at| part.start + at);
    for at in ends.chain((part.end == bytes.len()).then_some(part.end)) {
        let line = whole.get(from..at).unwrap_or_default();
        // Most lines end in a sign that no token has.
        let open = line.trim_ascii_end().last().is_some_and(|byte| is_token(*byte));
        let line = if open && line.len() <= 64 { line.trim_ascii() } else { b"" };
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
