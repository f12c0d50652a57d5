//! One scan of a text: every detector, in one order, with what overlaps decided.
//!
//! The paper's patterns count each for itself, overlaps included; that is the contract. All other
//! detectors come after them in a fixed order of trust, and a place that one has claimed is
//! not claimed again.

use std::collections::BTreeSet;
use std::ops::Range;

use super::classic::{self, CLASSICS};
use super::decode::{self, Trust};
use super::family::BINARY_HINT;
use super::model::Model;
use super::runs::{self, Runs};
use super::token::Shape;
use super::{assign, candidate, features, naming, pii, placeholder, vendor};

/// One thing found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) family: &'static str,
    pub(super) pattern: &'static str,
    /// Where in the text it is, in bytes.
    pub(super) span: Range<usize>,
    /// A vendor's prefix with a dummy behind it.
    pub(super) placeholder: bool,
    /// The decodings through which it was seen, outermost first.
    pub(super) via: Vec<&'static str>,
    /// The number of the paper's pattern; later ones come by position.
    pub(super) order: usize,
}

/// What a scan looks with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lens<'a> {
    /// For candidates that no rule knows.
    pub(super) model: Option<&'a Model>,
}

/// Places that are taken.
#[derive(Debug, Default)]
struct Claims {
    spans: Vec<Range<usize>>,
}

impl Claims {
    fn is_free(&self, span: &Range<usize>) -> bool {
        // The spans are ordered and apart.
        let after = self.spans.partition_point(|taken| taken.end <= span.start);
        self.spans.get(after).is_none_or(|taken| taken.start >= span.end)
    }

    fn take(&mut self, span: Range<usize>) {
        let at = self.spans.partition_point(|taken| taken.end <= span.start);
        self.spans.insert(at, span);
    }
}

#[derive(Default)]
struct Scan {
    claims: Claims,
    findings: Vec<Finding>,
}

impl Scan {
    fn add(
        &mut self,
        family: &'static str,
        pattern: &'static str,
        span: Range<usize>,
        dummy: bool,
    ) {
        if span.is_empty() || !self.claims.is_free(&span) {
            return;
        }
        self.claims.take(span.clone());
        self.findings.push(Finding { placeholder: dummy, ..Finding::new(family, pattern, span) });
    }
}

/// Finds everything in a text.
pub(super) fn scan(text: &str, lens: Lens<'_>) -> Vec<Finding> {
    let mut budget = decode::budget(text.len());
    let mut findings = collect(text, lens, Trust::Full, 0, &mut budget);
    // What stands before the `@` of an address with credentials is a password, not a mailbox.
    let urls: Vec<Range<usize>> = findings
        .iter()
        .filter(|found| found.pattern == "url_credentials")
        .map(|found| found.span.clone())
        .collect();
    if !urls.is_empty() {
        let inside = |span: &Range<usize>| {
            let nth = urls.partition_point(|url| url.end < span.end);
            urls.get(nth).is_some_and(|url| url.start <= span.start)
        };
        findings.retain(|found| found.pattern != "email" || !inside(&found.span));
    }
    findings.sort_by_key(|found| (found.order, found.span.start));
    findings
}

/// Finds everything in a text that is so many decodings deep.
fn collect(
    text: &str,
    lens: Lens<'_>,
    trust: Trust,
    depth: usize,
    budget: &mut usize,
) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let runs = runs::find(bytes);
    let mut scan = Scan::default();
    scan.classics(text, &runs, depth);

    assign::key_blocks(bytes, |hit| scan.add(hit.family, hit.name, hit.span, false));
    for run in &runs.tokens {
        vendor::in_run(bytes, run, |hit| {
            scan.add(hit.row.family, hit.row.name, hit.span, hit.placeholder && depth == 0);
        });
    }
    classic::unsigned_jwt(bytes, |span| {
        scan.add("jwt", "jwt_unsigned", span, false);
    });
    vendor::outside(bytes, |family, name, span, dummy| {
        if !dummy || depth == 0 {
            scan.add(family, name, span, dummy);
        }
    });
    if trust == Trust::Full {
        scan.candidates(bytes, &runs, lens.model);
        assign::find(bytes, |hit| scan.add(hit.family, hit.name, hit.span, false));
    }
    if depth == 0 {
        pii::find(text, &runs.digits, |hit| scan.add("pii", hit.name, hit.span, false));
    }
    if depth < decode::DEPTH_MAX {
        for view in decode::views(text, &runs.tokens, &runs.digits, budget) {
            if !scan.claims.is_free(&view.source) {
                continue;
            }
            let mut inner = collect(&view.text, lens, view.trust, depth + 1, budget);
            inner.retain(|found| !found.placeholder && found.family != "pii");
            let encoded = matches!(view.via, "base64" | "hex" | "escapes");
            if inner.is_empty() && encoded && is_bare_token(&view.text) {
                inner.push(Finding::new("api_key", "encoded_token", 0..view.text.len()));
            }
            if inner.is_empty() {
                continue;
            }
            scan.claims.take(view.source.clone());
            let mut families = BTreeSet::new();
            for mut found in inner {
                if families.insert(found.family) {
                    found.via.insert(0, view.via);
                    found.span = view.source.clone();
                    found.order = CLASSICS.len();
                    scan.findings.push(found);
                }
            }
        }
    }
    scan.findings
}

/// Tells whether an encoded text is one random token and nothing else: encoding it was no accident.
fn is_bare_token(text: &str) -> bool {
    let text = text.trim();
    let token = (20..=200).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    if !token {
        return false;
    }
    let shape = Shape::of(text.as_bytes());
    if decode::is_base64_text(text) {
        return false;
    }
    let even = shape.evenness() >= 85 && shape.changes * 3 >= shape.len;
    even && shape.digits >= 3 && shape.lower >= 3 && shape.upper >= 3 && !shape.is_wordy()
}

impl Finding {
    fn new(family: &'static str, pattern: &'static str, span: Range<usize>) -> Self {
        let (placeholder, via, order) = (false, Vec::new(), CLASSICS.len());
        Self { family, pattern, span, placeholder, via, order }
    }
}

impl Scan {
    /// The paper's patterns, which count each for itself.
    fn classics(&mut self, text: &str, runs: &Runs, depth: usize) {
        let mut found = classic::find(text, &runs.tokens);
        if depth == 0 {
            classic::ssn(text, &runs.digits, &mut found);
        }
        let mut taken: Vec<Range<usize>> = Vec::new();
        for (order, span) in found.hits {
            let Some(of) = CLASSICS.get(order) else { continue };
            let secret = !matches!(of.family, "pii" | BINARY_HINT);
            if depth > 0 && !secret {
                continue;
            }
            let token = text.as_bytes().get(span.clone()).unwrap_or_default();
            let after = text.as_bytes().get(span.end..).unwrap_or_default();
            let placeholder = secret
                && (placeholder::is_named(token)
                    || placeholder::is_filled(of.name, token)
                    || of.family == "pem_block" && after.starts_with(b"-----END"));
            if secret {
                taken.push(span.clone());
            }
            self.findings.push(Finding {
                placeholder,
                order,
                ..Finding::new(of.family, of.name, span)
            });
        }
        taken.sort_by_key(|span| span.start);
        for span in taken {
            match self.claims.spans.last_mut() {
                Some(last) if last.end > span.start => last.end = last.end.max(span.end),
                _ => self.claims.spans.push(span),
            }
        }
    }

    /// Candidates that their names give away, or that the model takes for secrets.
    fn candidates(&mut self, bytes: &[u8], runs: &Runs, model: Option<&Model>) {
        let mut seen = Vec::new();
        for run in &runs.tokens {
            candidate::of_run(bytes, run, |candidate| {
                if let Some(named) = naming::named(bytes, &candidate) {
                    self.add(named.family, named.pattern, candidate.whole(), false);
                    return;
                }
                let Some(model) = model else { return };
                features::of(bytes, &candidate, &mut seen);
                // Text in base64 is judged by what it says.
                let token = bytes.get(candidate.body.clone()).unwrap_or_default();
                let says = |token| std::str::from_utf8(token).is_ok_and(decode::is_base64_text);
                if model.margin(&seen) >= 0 && !says(token) {
                    let family = naming::family(bytes, &candidate);
                    self.add(family, "learned_token", candidate.whole(), false);
                }
            });
        }
    }
}
