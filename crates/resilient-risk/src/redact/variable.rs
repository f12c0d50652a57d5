//! What the variable is called that a secret moves into.
//!
//! The name comes from what the secret is assigned to, `api_key = "…"` giving `API_KEY`; where nothing
//! is assigned, from the pattern that found it.

use std::collections::{BTreeMap, BTreeSet};

use super::form::Form;
use super::language::Language;
use super::look_up::LookUp;
use super::window_before;

/// Names that every process has for something else.
const TAKEN: [&str; 16] = [
    "EUID", "HOME", "HOSTNAME", "IFS", "LANG", "OPTIND", "PATH", "PS1", "PWD", "RANDOM", "SECONDS",
    "SHELL", "TERM", "TMPDIR", "UID", "USER",
];

/// No name is longer.
const NAME_LEN_MAX: usize = 48;

/// So much of a line is looked at.
const LINE_LEN_MAX: usize = 256;

/// A variable that a text sets.
static ASSIGNED: Form = Form::of(r"\b([A-Za-z_]\w*)=");

/// A property whose accessor has the value: `Token { get; set; } = `, `Token { get => `, `token: String get() = `.
static ACCESSOR: Form = Form::of(concat!(
    r"(\w+)\s*(?:\{\s*(?:(?:private|protected|internal)\s+)*(?:(?:get|set|init)\b[\s;]*",
    r"(?:(?:private|protected|internal)\s+)*)+(?:\}\s*=|=>)|(?::\s*[\w.<>?]+\s*)?\bget\(\)\s*=)\s*[^\w\s]*\z",
));

/// Gives names, the same to the same secret.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// Those that the text looks up already, for other values.
    used: BTreeSet<&'a str>,
    of_secret: BTreeMap<String, String>,
    /// How often each name was asked for.
    given: BTreeMap<String, usize>,
}

impl<'a> Names<'a> {
    /// The names for a text.
    pub(super) fn of(content: &'a str, language: Option<Language>) -> Self {
        let Some(look_up) = language.and_then(LookUp::of) else { return Self::default() };
        let names = |form: &'static Form| {
            let found = form.regex().into_iter().flat_map(|form| form.captures_iter(content));
            found.filter_map(|found| Some(found.get(1)?.as_str()))
        };
        // What the text assigns itself is no other value.
        let assigned: BTreeSet<&str> = names(&ASSIGNED).filter(|_| look_up.is_expanded()).collect();
        let used = names(&look_up.read).filter(|name| !assigned.contains(name)).collect();
        Self { used, ..Self::default() }
    }

    /// The name for a secret that stands behind a text.
    pub(super) fn name(&mut self, secret: &str, before: &str, pattern: &str) -> String {
        if let Some(name) = self.of_secret.get(secret) {
            return name.clone();
        }
        let mut name = key(before).unwrap_or_else(|| shouted(pattern));
        if TAKEN.contains(&name.as_str()) {
            name += "_SECRET";
        }
        let times = self.given.entry(name.clone()).or_default();
        let mut numbered = name.clone();
        loop {
            *times += 1;
            if *times > 1 {
                numbered = format!("{name}_{times}");
            }
            if !self.used.contains(numbered.as_str()) {
                break;
            }
        }
        self.of_secret.insert(secret.to_owned(), numbered.clone());
        numbered
    }
}

/// The name of what is assigned on the last line of a text.
fn key(before: &str) -> Option<String> {
    let near = window_before(before, before.len(), LINE_LEN_MAX);
    if let Some(property) = ACCESSOR.captures(near).and_then(|found| found.get(1)) {
        return Some(shouted(property.as_str()));
    }
    let line = near.rsplit('\n').next()?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    // The last of several assignments, as in `{"a": 1, "b": "…`.
    let start = line.rfind([',', ';', '(', '{', '[']).map_or(0, |at| at + 1);
    let named = |text: &str| {
        // In an address and in a path `:` names nothing.
        let is_name = |(at, sign): &(usize, &str)| {
            let [before, behind] =
                [text.get(..*at), text.get(at + 1..)].map(Option::unwrap_or_default);
            let in_path = before.ends_with(':') || behind.starts_with([':', '/']);
            *sign == "=" || !before.contains("//") && !in_path
        };
        let (at, _) = text.match_indices([':', '=']).find(is_name)?;
        let (name, rest) = (text.get(..at)?, text.get(at + 1..)?);
        let name = name.trim_end_matches(|c| !is_word(c));
        let begin = name.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
        let name = name.get(begin..)?.trim_matches('-');
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        // What is only a part of the value is not what the value is called.
        let rest = rest.trim_end_matches([' ', '"', '\'', '`']);
        let alone = (rest.is_empty() || rest.ends_with([':', '=', '>'])) && !rest.contains("//");
        (is_name && name.len() > 1).then(|| (shouted(name), alone))
    };
    let (name, alone) = named(line.get(start..)?).or_else(|| named(line))?;
    Some(if alone { name } else { format!("{name}_SECRET") })
}

/// A name in capitals with `_` between its words.
fn shouted(name: &str) -> String {
    let mut shouted = String::new();
    let mut before = ' ';
    for c in name.chars().take(NAME_LEN_MAX) {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            shouted.push('_');
        }
        shouted.push(if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
        before = c;
    }
    if !shouted.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        shouted.insert(0, '_');
    }
    shouted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_what_is_assigned() {
        for (line, name) in [
            ("api_key = \"", "API_KEY"),
            ("    \"apiKey\": \"", "API_KEY"),
            ("const token: &str = \"", "TOKEN"),
            ("client = Client(auth_token='", "AUTH_TOKEN"),
            ("{\"a\": 1, \"b-key\": \"", "B_KEY"),
            ("token := `", "TOKEN"),
            ("export NPM_TOKEN=", "NPM_TOKEN"),
            ("DATABASE_URL=postgres://user:", "DATABASE_URL_SECRET"),
            ("-H 'Authorization: Bearer ", "AUTHORIZATION_SECRET"),
            ("//registry.npmjs.org/:_authToken=", "_AUTH_TOKEN"),
            ("//npm.corp:8080/a/:_password=\"", "_PASSWORD"),
            ("https://a.b/c?token=", "TOKEN"),
            ("https://user:", "GHP"),
            ("string Token { get; private set; } = \"", "TOKEN"),
            ("string Token\n{\n  get => \"", "TOKEN"),
            ("val token: String\n  get() = \"", "TOKEN"),
            ("static::$token = '", "TOKEN"),
            ("f(static::A . '", "GHP"),
            ("{ get: '", "GET"),
            ("path: ", "PATH_SECRET"),
            ("RANDOM=", "RANDOM_SECRET"),
            ("print(\"", "GHP"),
            ("", "GHP"),
        ] {
            let name_of = |line: &str| Names::default().name("s", line, "ghp");
            assert_eq!(name_of(line), name, "{line}");
            assert_eq!(name_of(&format!("x = 1\n{line}")), name, "{line}");
        }
    }

    #[test]
    fn forms_of_names_are_regexes() {
        let forms = [&ASSIGNED, &ACCESSOR];
        assert!(forms.into_iter().all(|form| form.regex().is_some()));
    }

    #[test]
    fn a_name_that_the_text_looks_up_is_not_given_to_another_secret() {
        for (text, language, expected) in [
            ("os.environ[\"KEY\"]", Language::Python, "KEY_2"),
            ("os.getenv('KEY') os.environ.get(\"KEY_2\")", Language::Python, "KEY_3"),
            ("process.env.KEY;", Language::JavaScript, "KEY_2"),
            ("`${KEY}`", Language::JavaScript, "KEY"),
            ("a: ${KEY}", Language::Yaml, "KEY_2"),
            ("${{ secrets.KEY }} $KEY", Language::Workflow, "KEY_2"),
            ("$_ENV['KEY']", Language::Php, "KEY_2"),
            ("f $KEY", Language::Shell, "KEY_2"),
            ("KEY=a\nf $KEY", Language::Shell, "KEY"),
        ] {
            let mut names = Names::of(text, Some(language));
            assert_eq!(names.name("a", "key = ", "p"), expected, "{text}");
        }
    }

    #[test]
    fn equal_secrets_share_a_name_and_others_do_not() {
        let mut names = Names::default();
        let mut name = |secret| names.name(secret, "key = ", "p");
        assert_eq!([name("a"), name("b"), name("a")], ["KEY", "KEY_2", "KEY"]);
    }
}
