//! One scan of a text: every detector, in one order, with what overlaps decided.
//!
//! The paper's patterns count each for itself, overlaps included; that is the contract. All other
//! detectors come after them in a fixed order of trust, and a place that one has claimed is
//! not claimed again.

mod views;

use std::ops::Range;

use memchr::memchr;

use super::byte_classes::ByteClasses;
use super::candidate::{self, Candidate, Wanted};
use super::decode::{self, Trust};
use super::family::BINARY_HINT;
use super::features::PrecedingWords;
use super::keywords::Keyword;
use super::model::Model;
use super::needles::NeedlePlace;
use super::paper_patterns::{self, PAPER_PATTERNS};
use super::runs::{self, Run};
use super::text_index::TextIndex;
use super::token::is_public;
use super::{assign, benign, catalogue, features, known_formats, naming, pii, placeholder, work};

/// One thing found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) family: &'static str,
    pub(super) pattern: &'static str,
    /// Where in the text it is, in bytes.
    pub(super) span: Range<usize>,
    /// The pieces of the text that the secret is made of, in order and apart; none if it is the span.
    pub(super) pieces: Vec<Range<usize>>,
    /// A vendor's prefix with a dummy behind it.
    pub(super) placeholder: bool,
    /// The decodings through which it was seen, outermost first.
    pub(super) via: Vec<&'static str>,
    /// How far above its threshold the model saw it, if the model has made the finding.
    pub(super) margin: Option<i32>,
    /// The number of the paper's pattern; later ones come by position.
    pub(super) order: usize,
}

/// What a scan looks with.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScanOptions<'a> {
    /// For candidates that no rule knows.
    pub(super) model: Option<&'a Model>,
}

/// Which bytes are taken: a one for each, up to the last of them.
#[derive(Debug, Default)]
struct SpanSet(Vec<u8>);

impl SpanSet {
    fn is_free(&self, span: &Range<usize>) -> bool {
        work::spend(1 + span.len() / 32);
        let known = self.0.get(span.start..span.end.min(self.0.len())).unwrap_or_default();
        memchr(1, known).is_none()
    }

    /// Drops the runs of which nothing is left.
    fn release(&self, runs: &mut Vec<Run>) {
        runs.retain(|run| self.0.get(run.span()).is_none_or(|bytes| memchr(0, bytes).is_some()));
    }

    fn take(&mut self, span: &Range<usize>) {
        self.0.resize(self.0.len().max(span.end), 0);
        self.0.get_mut(span.clone()).unwrap_or_default().fill(1);
    }
}

#[derive(Default)]
struct Scan {
    claims: SpanSet,
    findings: Vec<Finding>,
    /// What the model judges to be secrets. All that is certain goes first, decodings included.
    model_findings: Vec<Finding>,
    /// Literals that are assigned to words for passwords, or the parts of each, in order.
    passwords: Vec<Vec<Range<usize>>>,
    /// The text was decoded: what announced it stands elsewhere.
    is_view: bool,
}

impl Scan {
    /// Adds a finding: most texts have none.
    fn add(
        &mut self,
        family: &'static str,
        pattern: &'static str,
        span: Range<usize>,
        dummy: bool,
    ) {
        self.take(Finding { placeholder: dummy, ..Finding::new(family, pattern, span) });
    }

    fn take(&mut self, found: Finding) {
        if !found.span.is_empty() && self.claims.is_free(&found.span) {
            self.claims.take(&found.span);
            self.findings.push(found);
        }
    }
}

impl assign::Claimed for Scan {
    fn is_free(&self, span: &Range<usize>) -> bool {
        self.claims.is_free(span)
    }

    fn claim(&mut self, hit: assign::ValueHit) {
        self.add(hit.family, hit.name, hit.span, false);
    }

    fn hold(&mut self, parts: Vec<Range<usize>>) {
        // One within another is a part of it.
        let end = |parts: &Vec<Range<usize>>| parts.last().map(|part| part.end);
        if end(&parts) > self.passwords.last().and_then(end) {
            self.passwords.push(parts);
        }
    }
}

/// Finds everything in a text.
pub(super) fn scan(text: &str, text_index: TextIndex, options: ScanOptions<'_>) -> Vec<Finding> {
    let mut budget = decode::budget(text.len());
    collect(text, text_index, options, Trust::Full, 0, &mut budget)
}

/// Finds everything in a text that is so many decodings deep.
fn collect(
    text: &str,
    mut text_index: TextIndex,
    options: ScanOptions<'_>,
    trust: Trust,
    depth: usize,
    budget: &mut usize,
) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let TextIndex { byte_classes, runs, digit_regions, places, keywords, .. } = &mut text_index;
    let mut scan = Scan { is_view: depth > 0, ..Scan::default() };
    let mut found = paper_patterns::find(text, runs, places, keywords);
    if depth == 0 {
        paper_patterns::ssn(text, byte_classes, digit_regions, &mut found);
    }
    scan.paper_patterns(text, found, depth);
    scan.claims.release(runs);
    assign::key_blocks(bytes, places, |hit| scan.add(hit.family, hit.name, hit.span, false));
    assign::jwk(bytes, places, |hit| scan.add(hit.family, hit.name, hit.span, false));
    if depth == 0 {
        let dummies = keywords.iter().filter(|said| said.word == Keyword::Dummy);
        dummies.for_each(|said| runs::enrich(runs, said.start));
    }
    known_formats::in_runs(bytes, runs, |hit| {
        // Names of programs, read backwards or joined, begin like some tokens.
        if trust == Trust::Prefixed && !hit.distinct {
            return;
        }
        let span = without_sign(bytes, hit.span);
        scan.add(hit.row.family, hit.row.name, span, hit.placeholder && depth == 0);
    });
    scan.claims.release(runs);
    scan.outside_runs(text, places, depth);
    if trust == Trust::Full {
        scan.candidates(bytes, byte_classes, runs, options.model);
        assign::find(bytes, keywords, &mut scan);
        scan.widen();
    }
    if depth == 0 {
        pii::find(text, byte_classes, digit_regions, |hit| {
            scan.add("pii", hit.name, hit.span, false);
        });
    }
    if depth < decode::DEPTH_MAX {
        scan.claims.release(runs);
        let views = decode::views(text, &text_index, budget);
        drop(text_index);
        if !views.is_empty() {
            scan.views(text, views, options, depth, budget);
        }
    }
    // What the model judges to be secrets, where nothing else has claimed it.
    for guess in std::mem::take(&mut scan.model_findings) {
        let whole = scan.whole(guess.span.clone());
        let is_free = whole.iter().all(|part| scan.claims.is_free(part));
        for span in if is_free { whole } else { vec![guess.span.clone()] } {
            scan.take(Finding { span, ..guess.clone() });
        }
    }
    // Those of a flood mostly are in order, and to sort them takes as much memory again.
    let key = |found: &Finding| (found.order, found.span.start);
    if depth == 0 && !scan.findings.is_sorted_by_key(key) {
        scan.findings.sort_by_key(key);
    }
    scan.findings
}

/// A token of GitHub has no more than so many characters behind the first forty.
const GITHUB_MORE: usize = 255 - 36;

/// So many rows of one length are a block of data.
const ROWS_MIN: usize = 4;

/// What fits a format, without the full stop of its sentence, or the slash that ends a pattern.
fn without_sign(bytes: &[u8], span: Range<usize>) -> Range<usize> {
    let sign = span.end.checked_sub(1).and_then(|last| bytes.get(last)).copied();
    let opened = || span.start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'/');
    let has_sign = sign == Some(b'.') || sign == Some(b'/') && opened();
    span.start..span.end - usize::from(has_sign)
}

impl Finding {
    fn new(family: &'static str, pattern: &'static str, span: Range<usize>) -> Self {
        debug_assert!(catalogue::has_pattern(pattern), "the catalogue lacks {pattern}");
        let (pieces, via, order) = (Vec::new(), Vec::new(), PAPER_PATTERNS.len());
        Self { family, pattern, span, pieces, placeholder: false, via, margin: None, order }
    }
}

impl Scan {
    /// What does not lie in runs, or not in one.
    fn outside_runs(&mut self, text: &str, places: &[NeedlePlace], depth: usize) {
        paper_patterns::unsigned_jwt(text, places, |span| {
            self.add("jwt", "jwt_unsigned", span, false);
        });
        known_formats::outside_runs(text.as_bytes(), places, |family, name, span, dummy| {
            if !dummy || depth == 0 {
                self.add(family, name, span, dummy);
            }
        });
    }

    /// The paper's patterns, which count each for itself.
    fn paper_patterns(&mut self, text: &str, found: paper_patterns::Found, depth: usize) {
        for (order, span) in found.hits {
            let Some(of) = PAPER_PATTERNS.get(order) else { continue };
            let secret = !matches!(of.family, "pii" | BINARY_HINT);
            if depth > 0 && !secret {
                continue;
            }
            let token = text.as_bytes().get(span.clone()).unwrap_or_default();
            // An option of a command is no part of an address behind it: `-pq7Rk@…`.
            let is_option =
                of.family == "pii" && matches!(token, [b'-', b'p', own, ..] if *own != b'@');
            let span = span.start + if is_option { "-p".len() } else { 0 }..span.end;
            let after = text.as_bytes().get(span.end..).unwrap_or_default();
            let goes_on = after.iter().take(GITHUB_MORE).take_while(|b| b.is_ascii_alphanumeric());
            // These patterns take forty characters, however long the token is.
            let is_github = of.family == "github_pat" && token.get(3) == Some(&b'_');
            let end = span.end + if is_github { goes_on.count() } else { 0 };
            // A token that is glued to this one begins no further back.
            const PREFIX_MAX: usize = 16;
            let glued = end.saturating_sub(PREFIX_MAX).max(span.start + PREFIX_MAX)..end;
            let glued = known_formats::next_token(text.as_bytes(), glued).filter(|_| secret);
            let span = span.start..glued.unwrap_or(end);
            let placeholder = secret
                && (placeholder::is_named(token)
                    || token.ends_with(b"...")
                    || placeholder::is_filler(token)
                    || of.family == "pem_block" && after.starts_with(b"-----END"));
            if secret {
                self.claims.take(&span);
            }
            self.findings.push(Finding {
                placeholder,
                order,
                ..Finding::new(of.family, of.name, span)
            });
        }
    }

    /// Candidates that their names give away, or that the model judges to be secrets.
    fn candidates(
        &mut self,
        bytes: &[u8],
        byte_classes: &ByteClasses,
        runs: &[Run],
        model: Option<&Model>,
    ) {
        let mut rows = 0;
        for (nth, run) in runs.iter().enumerate() {
            // Blocks of data hold no token of their own.
            if nth >= rows && run.len() >= runs::ROW_MIN {
                let count = runs::rows(bytes, byte_classes, runs.get(nth..).unwrap_or_default());
                rows = if count >= ROWS_MIN { nth + count } else { rows };
            }
            if nth >= rows {
                candidate::of_run(bytes, run, Wanted::Likely, |candidate| {
                    self.judge(bytes, &candidate, model);
                });
            }
        }
    }

    /// The parts of the password that a candidate is in, or the candidate.
    fn whole(&self, span: Range<usize>) -> Vec<Range<usize>> {
        let is_before = |part: &Range<usize>| part.end <= span.start;
        let nth = self.passwords.partition_point(|parts| parts.last().is_none_or(is_before));
        let is_in = |part: &Range<usize>| part.start < span.end && !is_before(part);
        let parts = self.passwords.get(nth).filter(|parts| parts.iter().any(is_in));
        parts.cloned().unwrap_or_else(|| vec![span])
    }

    /// Takes passwords whole of which a name has shown a part only.
    fn widen(&mut self) {
        let (mut findings, mut others) = (std::mem::take(&mut self.findings), Vec::new());
        let is_named = |found: &Finding| found.pattern == "named_key";
        for found in findings.iter_mut().filter(|found| is_named(found)) {
            let mut done = others.last().map_or(0, |other: &Finding| other.span.end);
            for (nth, span) in self.whole(found.span.clone()).into_iter().enumerate() {
                self.claims.take(&span);
                if nth == 0 {
                    found.span = span;
                } else if span.start >= done {
                    done = span.end;
                    others.push(Finding { span, ..found.clone() });
                }
            }
        }
        findings
            .dedup_by(|next, found| is_named(found) && is_named(next) && next.span == found.span);
        findings.append(&mut others);
        self.findings = findings;
    }

    /// Takes a candidate if its name gives it away, or if the model does.
    fn judge(&mut self, bytes: &[u8], candidate: &Candidate, model: Option<&Model>) {
        if !self.claims.is_free(&candidate.whole()) {
            return;
        }
        let nameable = naming::may_be_named(&candidate.stats);
        // Nothing that the model says of versions and identifiers of objects counts.
        let is_dotted = benign::is_dotted(bytes, candidate);
        let model = model.filter(|_| !is_dotted);
        if !nameable && model.is_none() {
            return;
        }
        let words = PrecedingWords::before(bytes, candidate);
        if naming::is_open(&words)
            || benign::is_user(bytes, candidate)
            || is_public(bytes.get(candidate.whole()).unwrap_or_default())
                && bytes.get(candidate.whole().end) != Some(&b':')
        {
            return;
        }
        if nameable && let Some(named) = naming::named(bytes, candidate, &words) {
            self.add(named.family, named.pattern, candidate.whole(), false);
            return;
        }
        let Some(model) = model else { return };
        // Nor what it says of these.
        if benign::is_identifier(bytes, candidate, &words) || benign::is_data(bytes, candidate) {
            return;
        }
        let mut sum = 0;
        features::of(bytes, candidate, &words, |feature| sum += model.weight(feature));
        // Text in base64 is judged by what it says.
        let token = bytes.get(candidate.body.clone()).unwrap_or_default();
        let says = |token| std::str::from_utf8(token).is_ok_and(decode::is_base64_text);
        let margin = model.margin_of(sum);
        if margin >= 0
            && !says(token)
            && !benign::is_benign(bytes, candidate)
            && (self.is_view || benign::is_announced(bytes, candidate, &words))
        {
            let family = naming::family(&words);
            let guess = Finding::new(family, "learned_token", candidate.whole());
            self.model_findings.push(Finding { margin: Some(margin), ..guess });
        }
    }
}
