//! What the variable is called that a secret moves into.
//!
//! The name comes from what the secret is assigned to, `api_key = "…"` giving `API_KEY`; where nothing
//! is assigned, from the pattern that found it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::form::Form;
use super::language::Language;
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

/// A word that may be the name of a variable. Names in capitals are given, and no others.
static WORD: Form = Form::of(r"(?-u:\b)[A-Z_][A-Z0-9_]*(?-u:\b)");

/// A property whose accessor has the value: `Token { get; set; } = `, `Token { get => `, `token: String get() = `.
static ACCESSOR: Form = Form::of(concat!(
    r"(\w+)\s*(?:\{\s*(?:(?:private|protected|internal)\s+)*(?:(?:get|set|init)\b[\s;]*",
    r"(?:(?:private|protected|internal)\s+)*)+(?:\}\s*=|=>)|(?::\s*[\w.<>?]+\s*)?\bget\(\)\s*=)\s*[^\w\s]*\z",
));

/// A pair of a name and its value: `name: DB_PASSWORD`, and `value: ` on the next line; `key="token" value="`.
static PAIR: Form = Form::of(concat!(
    r"(?-u:\b)(?i:name|key)[\x22']?\s*[:=]\s*[\x22']?([A-Za-z_][A-Za-z0-9_.-]+)[\x22']?[\s,;]+",
    r"[\x22']?(?i:value)[\x22']?\s*[:=]\s*[\x22'`]?\z",
));

/// What gives variables of a shell other values, or none, up to the name of one.
static SETS: Form = Form::of(concat!(
    r"(?:^|[\s;&|(])(?:unset|read|for|select|getopts|mapfile|readarray|local|declare|typeset)",
    r"[ \t](?:[^;&|\n]*[^;&|\n${])?\z",
));

/// A secret that wants a name.
pub(super) struct Wanted<'a> {
    pub(super) secret: Cow<'a, str>,
    /// What stands before it, as far as another secret.
    pub(super) before: Range<usize>,
    pub(super) pattern: &'a str,
}

/// How often a text has a word, and how often it does not mean the variable of this name that the text itself sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    all: usize,
    others: usize,
}

impl Count {
    fn add(&mut self, is_other: bool) {
        self.all += 1;
        self.others += usize::from(is_other);
    }
}

/// The names for the secrets of a text, in their order: the same for the same secret. A name that the text has as a word
/// is given to no secret but to that which is assigned to this word.
pub(super) fn names(
    content: &str,
    language: Option<Language>,
    wanted: &[Option<Wanted<'_>>],
) -> Vec<Option<String>> {
    let mut words: BTreeMap<&str, Count> = BTreeMap::new();
    let count = |at: Range<usize>| is_other_variable(content, language, at);
    for word in WORD.regex().into_iter().flat_map(|form| form.find_iter(content)) {
        words.entry(word.as_str()).or_default().add(count(word.range()));
    }
    // There `NAME` and `VALUE` are two variables.
    let has_pairs =
        !matches!(language, Some(Language::Env | Language::Dockerfile | Language::Shell));
    let key = |of: &Wanted<'_>| Key::before(content.get(of.before.clone())?, has_pairs);
    let keys: Vec<Option<Key<'_>>> = wanted.iter().map(|of| key(of.as_ref()?)).collect();
    // The words that each secret is assigned to itself.
    let mut own: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    for (of, key) in wanted.iter().zip(&keys) {
        if let (Some(of), Some(key)) = (of, key) {
            let start = of.before.start + key.start;
            // What `${NAME:=…}` and `getenv('NAME') ?: …` have is not the value of the variable, but another one for it.
            let before = content.get(..start).unwrap_or_default();
            let behind = content.get(start..of.before.end).unwrap_or_default();
            if !before.ends_with("${") && !behind.contains("?:") {
                let count = count(start..start + key.name.len());
                own.entry((&of.secret, key.name)).or_default().add(count);
            }
        }
    }
    let mut of_secret: BTreeMap<&str, String> = BTreeMap::new();
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    let named = wanted.iter().zip(&keys).map(|(of, key)| {
        let of = of.as_ref()?;
        let secret = of.secret.as_ref();
        let name = of_secret.entry(secret).or_insert_with(|| {
            let mut name = key.as_ref().map_or_else(|| shouted(of.pattern), Key::shouted);
            if TAKEN.contains(&name.as_str()) {
                name += "_SECRET";
            }
            let is_used = |name: &str| {
                let has = words.get(name).copied().unwrap_or_default();
                match own.get(&(secret, name)) {
                    Some(own) => has.others > own.others,
                    None => has.all > 0,
                }
            };
            let times = given.entry(name.clone()).or_default();
            loop {
                *times += 1;
                let numbered = if *times > 1 { format!("{name}_{times}") } else { name.clone() };
                if !is_used(&numbered) {
                    break numbered;
                }
            }
        });
        Some(name.clone())
    });
    named.collect()
}

/// Tells whether a word does not mean the variable that the text sets under this name. A program sets no variable of
/// its environment, so a name in quotes is another one. A shell reads what it sets, but may set it to another value.
fn is_other_variable(content: &str, language: Option<Language>, at: Range<usize>) -> bool {
    let [name, before, behind] = [at.clone(), 0..at.start, at.end..content.len()]
        .map(|at| content.get(at).unwrap_or_default());
    let signs: &[&str] = match language {
        Some(Language::Shell | Language::Dockerfile | Language::Env) => {
            let value = behind.strip_prefix('+').unwrap_or(behind).strip_prefix('=');
            let is_set = || SETS.is_in(window_before(content, at.start, LINE_LEN_MAX));
            // `NAME="${NAME}"`
            let itself = |value: &str| {
                let read = value.trim_start_matches('"').strip_prefix('$');
                read.is_some_and(|read| read.trim_start_matches('{').starts_with(name))
            };
            return value.map_or_else(is_set, |value| !itself(value));
        }
        Some(Language::Json | Language::Toml | Language::Yaml) => &["$", "${"],
        Some(Language::Workflow) => &["secrets."],
        // A template reads a variable of the program.
        Some(Language::JavaScript | Language::TypeScript | Language::Kotlin | Language::Php) => {
            &["\"", "'", "`", "env.", "env?."]
        }
        _ => &["\"", "'", "`", "$", "${"],
    };
    signs.iter().any(|sign| before.ends_with(sign))
}

/// The name of what a secret is assigned to.
struct Key<'a> {
    name: &'a str,
    /// Where it begins.
    start: usize,
    /// The secret is all of the value.
    is_whole: bool,
}

impl<'a> Key<'a> {
    /// The name of what is assigned on the last line of a text. A name and its value may be a *pair* of lines.
    fn before(before: &'a str, has_pairs: bool) -> Option<Self> {
        let near = window_before(before, before.len(), LINE_LEN_MAX);
        let near_start = before.len() - near.len();
        let of = |at: Range<usize>, is_whole| {
            let name = near.get(at.clone()).filter(|name| name.len() > 1)?;
            Some(Self { name, start: near_start + at.start, is_whole })
        };
        let forms: &[&Form] = if has_pairs { &[&ACCESSOR, &PAIR] } else { &[&ACCESSOR] };
        let named = forms.iter().find_map(|form| form.captures(near)?.get(1));
        if let Some(named) = named {
            return of(named.range(), true);
        }
        let line = near.rfind('\n').map_or(0, |feed| feed + 1);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let named = |start: usize| {
            let text = near.get(start..)?;
            // In an address and in a path `:` names nothing.
            let is_name = |(at, sign): &(usize, &str)| {
                let [before, behind] =
                    [text.get(..*at), text.get(at + 1..)].map(Option::unwrap_or_default);
                let in_path = before.ends_with(':') || behind.starts_with([':', '/']);
                // `curl -u name:…`
                let is_login = matches!(before.rsplit(' ').nth(1), Some("-u" | "--user"));
                *sign == "=" || !before.contains("//") && !in_path && !is_login
            };
            let (at, _) = text.match_indices([':', '=']).find(is_name)?;
            let rest = text.get(at + 1..)?;
            let name = text.get(..at)?.trim_end_matches(|c| !is_word(c)).trim_end_matches('-');
            let begin = name.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
            let end = start + name.len();
            let name = name.get(begin..)?.trim_start_matches('-');
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            // What is only a part of the value is not what the value is called.
            let rest = rest.trim_end_matches([' ', '"', '\'', '`']);
            let is_whole =
                (rest.is_empty() || rest.ends_with([':', '=', '>'])) && !rest.contains("//");
            of(end - name.len()..end, is_whole).filter(|_| is_name)
        };
        // The name in the same word as the value: `HOST=db TOKEN=…`, `--set a=b --set db.token=…`.
        let word =
            near.rfind(|c: char| c.is_ascii_whitespace()).map_or(line, |at| line.max(at + 1));
        let sign = near.get(word..)?.rfind('=').map(|at| word + at);
        let beside = sign.and_then(|sign| {
            let name = near.get(word..sign)?;
            let begin = name.rfind(|c| !is_word(c)).map_or(word, |at| word + at + 1);
            // A type stands behind a colon: `password: &str="…"`. Names of an environment are in capitals.
            let (_, of_type) = near.get(line..begin)?.rsplit_once(':').unwrap_or(("", "-"));
            let is_typed =
                of_type.trim_start().is_empty() || of_type.trim_start().starts_with(['&', '*']);
            let is_loud = !near.get(begin..sign)?.contains(|c: char| c.is_ascii_lowercase());
            if is_typed && !is_loud { None } else { named(begin) }
        });
        // The last of several assignments, as in `{"a": 1, "b": "…`.
        let last =
            near.get(line..)?.rfind([',', ';', '(', '{', '[']).map_or(line, |at| line + at + 1);
        // A name of one letter says nothing, and one that stands before it does not name the value.
        let is_short = || {
            let assigned = near.get(last..).filter(|text| text.contains([':', '=']));
            assigned.is_some_and(|text| text.chars().filter(|c| is_word(*c)).count() == 1)
        };
        beside.or_else(|| named(last)).or_else(|| if is_short() { None } else { named(line) })
    }

    /// The name in capitals.
    fn shouted(&self) -> String {
        let name = shouted(self.name);
        if self.is_whole { name } else { name + "_SECRET" }
    }
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

    /// The names for the secrets `@` and `§` of a text.
    fn named(text: &str, language: Option<Language>) -> Vec<String> {
        let mut done = 0;
        let wanted = text.match_indices(['@', '§']).map(|(at, secret)| {
            let before = std::mem::replace(&mut done, at + secret.len())..at;
            Some(Wanted { secret: secret.into(), before, pattern: "ghp" })
        });
        let names = names(text, language, &wanted.collect::<Vec<_>>());
        names.into_iter().flatten().collect()
    }

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
            ("HOST=db PGPASSWORD=", "PGPASSWORD"),
            ("export HOST=db PGPASSWORD=\"", "PGPASSWORD"),
            ("docker run -e HOST=db -e 'API_TOKEN=", "API_TOKEN"),
            ("helm --set host=db --set db.password=", "PASSWORD"),
            ("kubectl --from-literal=user=app --from-literal=password=", "PASSWORD"),
            ("psql \"host=db user=app password=", "PASSWORD"),
            ("run: HOST=db PGPASSWORD=", "PGPASSWORD"),
            ("run: PGPASSWORD=", "PGPASSWORD"),
            ("const dbPassword: string='", "DB_PASSWORD"),
            ("password:string='", "PASSWORD"),
            ("db_password: SecretStr=SecretStr('", "DB_PASSWORD_SECRET"),
            ("const DB_PASSWORD: &'static str=\"", "DB_PASSWORD"),
            ("os.system(\"STAGE=prod DB_PASSWORD=", "DB_PASSWORD"),
            ("https://a.b/c?x=1&token=", "TOKEN"),
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
            ("- name: DB_PASSWORD\n  value: \"", "DB_PASSWORD"),
            ("{\"name\": \"dbPassword\", \"value\": \"", "DB_PASSWORD"),
            ("<add key=\"token\" value=\"", "TOKEN"),
            ("{\"keys\": [{\"k\": \"", "GHP"),
            ("module.exports = { k: '", "GHP"),
            ("curl -u admin:", "GHP"),
            ("rename: A\n  value: \"", "VALUE"),
            ("RANDOM=", "RANDOM_SECRET"),
            ("print(\"", "GHP"),
            ("string A { get; set; } = \"", "GHP"),
            ("", "GHP"),
        ] {
            for text in [line.to_owned(), format!("x = 1\n{line}")] {
                assert_eq!(named(&(text + "@"), None), [name], "{line}");
            }
        }
    }

    #[test]
    fn a_name_that_the_text_uses_is_not_given_to_another_secret() {
        let (js, php) = (Language::JavaScript, Language::Php);
        for (language, texts) in [
            (
                Language::Python,
                &[
                    "a = os.environ[\"KEY\"]; ",
                    "a = os.environ.get(\n    \"KEY\",\n)\n",
                    "a = os.getenv(key='KEY'); ",
                    "if \"KEY\" in os.environ: pass\n",
                    "a = os.path.expandvars('$KEY'); ",
                ][..],
            ),
            (js, &["a = process.env.KEY;", "a = process.env?.KEY;", "a = process.env[ 'KEY' ];"]),
            (js, &["a = import.meta.env.KEY;", "a = Deno.env.get(\"KEY\");"]),
            (Language::Go, &["a, _ = os.LookupEnv(\"KEY\");", "a = os.ExpandEnv(\"$KEY\");"]),
            (Language::Go, &["struct { A string `env:\"KEY\"` };", "os.Getenv( \"KEY\" );"]),
            (Language::Rust, &["env::var_os(\"KEY\");", "option_env!(\"KEY\");"]),
            (Language::Ruby, &["a = ENV.fetch 'KEY';", "ENV.values_at(\"A\", \"KEY\");"]),
            (Language::Java, &["System.getenv().get(\"KEY\");", "Value(\"${KEY}\") String a;"]),
            (Language::Kotlin, &["val a = System.getenv()[\"KEY\"];"]),
            (Language::CSharp, &["a = Environment.GetEnvironmentVariables()[\"KEY\"];"]),
            (php, &["$a = $_ENV['KEY'];", "$a = $_SERVER['KEY'];", "$a = env('KEY');"]),
            (Language::Shell, &["KEY=x\n", "KEY+=x\n", "KEY=$1\n"]),
            (Language::Env, &["KEY=x\n"]),
            (Language::Yaml, &["a: ${KEY}\n", "- KEY=${KEY}\n", "a: f --KEY=$KEY\n"]),
            (Language::Workflow, &["a: ${{ secrets.KEY }}\n"]),
            (Language::Json, &["\"a\": \"${KEY}\", "]),
        ] {
            for text in texts {
                // Neither under a word of its own, nor under the same word.
                for (key, name) in [("key = ", "KEY_2"), ("KEY=", "KEY_2")] {
                    assert_eq!(named(&[text, key, "@"].concat(), Some(language)), [name], "{text}");
                }
            }
        }
        for text in
            ["f $KEY", "KEY=$KEY f", "read KEY", "local KEY=$1", "printenv KEY", "u?KEY=${KEY}"]
        {
            let text = [text, "\nkey=@"].concat();
            assert_eq!(named(&text, Some(Language::Shell)), ["KEY_2"], "{text}");
        }
        for (language, text) in [
            (Language::Shell, "f ${KEY:=@}"),
            (Language::Shell, "unset KEY\nKEY=@"),
            (Language::Shell, "read -r A KEY; KEY=@"),
            (Language::Shell, "for KEY in a b; do KEY=@; done"),
            (php, "$a = getenv('KEY') ?: '@';"),
            (Language::Kotlin, "val a = System.getenv(\"KEY\") ?: \"@\""),
        ] {
            assert_eq!(named(text, Some(language)), ["KEY_2"], "{text}");
        }
    }

    #[test]
    fn a_name_that_the_text_gives_to_the_secret_itself_is_free() {
        for (language, text) in [
            (Language::Shell, "KEY=@\nf $KEY \"${KEY:-a}\" --KEY=\"${KEY}\" ?KEY=$KEY"),
            (Language::Shell, "for a in $KEY; do f; done; export KEY; KEY=@"),
            (Language::Env, "KEY=@\nA=${KEY}"),
            (Language::Python, "KEY = '@'\nf(KEY, f'{KEY}', c.KEY)"),
            (Language::Python, "os.environ['KEY'] = '@'"),
            (Language::JavaScript, "const KEY = '@'; f(`${KEY}`, {KEY})"),
            (Language::Php, "$KEY = '@'; f(\"$KEY\")"),
            (Language::Json, "{\"KEY\": \"@\", \"a\": {\"KEY\": \"\"}}"),
            (Language::Yaml, "- KEY=@\n- MONKEY=$MONKEY KEYS=${KEYS}"),
            (Language::Workflow, "env:\n  KEY: @\nrun: f $KEY"),
        ] {
            assert_eq!(named(text, Some(language)), ["KEY"], "{text}");
        }
    }

    #[test]
    fn equal_secrets_share_a_name_and_others_do_not() {
        assert_eq!(named("key = @; key = §; key = @", None), ["KEY", "KEY_2", "KEY"]);
        assert_eq!(named("key=@\nKEY=§", Some(Language::Shell)), ["KEY_2", "KEY_3"]);
    }
}
