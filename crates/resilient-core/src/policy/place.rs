//! Where in a policy file a fault is, for the person who corrects it.
//!
//! The values of a policy come without their places, so a file that is refused is read once more,
//! event by event. Only texts that were read as YAML before come here: they are short and shallow.

use granit_parser::{Event, Marker, Parser};

use crate::risk::{Pattern, Rule};

/// A line and a column of a text, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
}

/// The place of a key, which is dotted when it is an inner one. Of a family's entry it is that of the family where
/// the entry has no such key.
pub(super) fn of_key(text: &str, key: &[String]) -> Option<Place> {
    let mut scalars = Scalars::new(text);
    scalars.find_map(|scalar| (scalar.is_key && scalar.path == key).then_some(scalar.place))
}

/// The place of a name in a list, a mapping, or the mappings of a list, that a key leads to.
pub(super) fn of_name(text: &str, key: &[String], name: &str) -> Option<Place> {
    let mut scalars = Scalars::new(text);
    scalars.find_map(|scalar| {
        let is_below = scalar.path.starts_with(key) && scalar.path.len() <= key.len() + 1;
        let is_inner = !scalar.is_key || scalar.path.len() > key.len();
        (is_below && is_inner && scalar.value == name).then_some(scalar.place)
    })
}

/// The place of the first regex of this family and name that does not compile.
pub(super) fn of_regex(text: &str, family: &str, name: &str) -> Option<Place> {
    let is_bad = |regex: &str| Pattern::new(family, name, regex).is_err();
    of_item(text, &["extend_patterns", family], name, "regex", is_bad)
}

/// The place of the first form of a rule of this name that is not valid.
pub(super) fn of_form(text: &str, name: &str) -> Option<Place> {
    // Words make a form of few characters good: only one without them is refused for these.
    let of = |named: bool| {
        let rule = |form: &str| Rule { form: form.to_owned(), named, ..Rule::default() };
        let is_bad = |form: &str| Pattern::of_rule(rule(form)).is_err();
        of_item(text, &["extend_rules"], name, "form", is_bad)
    };
    of(false).or_else(|| of(true))
}

/// The place of the first bad value of a key in an item of this name in a list.
fn of_item(
    text: &str,
    list: &[&str],
    name: &str,
    key: &str,
    is_bad: impl Fn(&str) -> bool,
) -> Option<Place> {
    let field = |scalar: &Scalar, key: &str| {
        let path = scalar.path.split_last();
        !scalar.is_key && path.is_some_and(|(last, before)| last == key && before == list)
    };
    let mut is_named = false;
    let mut line = None;
    for scalar in Scalars::new(text) {
        if scalar.starts_item {
            (is_named, line) = (false, None);
        }
        if field(&scalar, "name") {
            is_named = scalar.value == name;
        } else if field(&scalar, key) && is_bad(&scalar.value) {
            line = Some(scalar.place);
        }
        if is_named && line.is_some() {
            return line;
        }
    }
    None
}

/// A scalar and the keys that lead to it, itself included when it is one.
struct Scalar {
    path: Vec<String>,
    is_key: bool,
    /// Whether it is the first key of a mapping.
    starts_item: bool,
    value: String,
    place: Place,
}

/// The scalars of a document, up to its first error.
struct Scalars<'a> {
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    open: Vec<Collection>,
}

/// A collection that is being read.
enum Collection {
    List,
    /// With the key whose value is due, and whether there was one before.
    Map {
        key: Option<String>,
        is_begun: bool,
    },
}

impl<'a> Scalars<'a> {
    fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { parser: Parser::new_from_str(text), open: Vec::new() }
    }

    /// Takes note of a node that has been read: it was a key, or the value of one.
    fn node(&mut self, value: &str, start: Marker) -> Scalar {
        let mut scalar = Scalar {
            path: Vec::new(),
            is_key: false,
            starts_item: false,
            value: value.to_owned(),
            place: Place { line: start.line() as u64, column: start.col() as u64 + 1 },
        };
        let mut ends_value = false;
        if let Some(Collection::Map { key, is_begun }) = self.open.last_mut() {
            if key.is_none() {
                scalar.is_key = true;
                scalar.starts_item = !*is_begun;
                *key = Some(value.to_owned());
                *is_begun = true;
            } else {
                ends_value = true;
            }
        }
        scalar.path = self.open.iter().filter_map(Collection::key).cloned().collect();
        if ends_value && let Some(Collection::Map { key, .. }) = self.open.last_mut() {
            *key = None;
        }
        scalar
    }
}

impl Iterator for Scalars<'_> {
    type Item = Scalar;

    fn next(&mut self) -> Option<Scalar> {
        loop {
            let (event, span) = self.parser.next()?.ok()?;
            match event {
                Event::Scalar(value, ..) => return Some(self.node(&value, span.start)),
                Event::Alias(..) => return Some(self.node("", span.start)),
                Event::MappingStart(..) => {
                    self.open.push(Collection::Map { key: None, is_begun: false });
                }
                Event::SequenceStart(..) => self.open.push(Collection::List),
                Event::MappingEnd | Event::SequenceEnd => {
                    self.open.pop();
                    self.node("", span.start);
                }
                _ => {}
            }
        }
    }
}

impl Collection {
    fn key(&self) -> Option<&String> {
        match self {
            Self::List => None,
            Self::Map { key, .. } => key.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_by_its_whole_path() {
        let text = "\u{feff}# high\nother: {high: 1, [a, {high: 2}]: 3}\n\
                    low: &x\n- high\n- {high: 4}\nalias: *x\nthresholds:\n  low: 1\n  high: x\n";
        let key = |dotted: &str| {
            let path: Vec<String> = dotted.split('.').map(str::to_owned).collect();
            of_key(text, &path).map(|place| (place.line, place.column))
        };
        assert_eq!(key("thresholds.high"), Some((9, 3)));
        assert_eq!(key("thresholds"), Some((7, 1)));
        assert_eq!(key("alias"), Some((6, 1)));
        assert_eq!(key("high"), None);
    }

    #[test]
    fn a_regex_is_found_by_family_name_and_fault() {
        let text = "extend_patterns:\n  a:\n  - {name: n, regex: '('}\n  b:\n  - name: m\n    \
                    regex: '('\n  - name: n\n    regex: x\n  - regex: >-\n      (\n    name: n\n";
        let line = |text, family, name| of_regex(text, family, name).map(|place| place.line);
        assert_eq!(line(text, "a", "n"), Some(3));
        assert_eq!(line(text, "b", "m"), Some(6));
        // Of a text block it is the line of the text.
        assert_eq!(line(text, "b", "n"), Some(10));
        assert_eq!(line(text, "c", "n"), None);
    }
}
