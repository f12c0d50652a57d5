//! A set of texts that anybody can draw again: tokens from the rows of the table of formats, and what looks like chance
//! and is no secret. A model is trained on it from nothing, and measured on rows that it has not seen.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use resilient_core::risk::lab::{self, Example, Model};

use super::rows;
use super::train::{Bag, Negatives, fit};
use crate::measure::Random;

/// Trains a model on texts that are drawn, and measures it.
#[derive(Debug, Args)]
pub(crate) struct Drawn {
    /// Draws the texts: the same seed gives the same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the weights
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Drawn {
    pub(crate) fn run(self) -> Result<()> {
        let set = Set::draw(self.seed);
        let model = set.train();
        if let Some(out) = &self.out {
            std::fs::write(out, model.to_bytes()).with_context(|| out.display().to_string())?;
        }
        let found = set.measure(&model);
        crate::say(&format!(
            "trained on {} tokens against {} other candidates; {model:?}\n\
             rows not seen: {} of {} tokens found ({:.1} %)\n\
             other candidates not seen: {} of {} found ({:.2} %)\n",
            set.tokens.len(),
            set.others.train.len(),
            found.tokens,
            set.new_tokens.len(),
            100.0 * found.recall(&set),
            found.others,
            set.new_others.len(),
            100.0 * found.wrong(&set),
        ))
    }
}

/// So many tokens are drawn of each row.
const OF_ROW: usize = 3;

/// So many texts without a secret are drawn for training, for the threshold, and for measuring.
const OTHERS: [usize; 3] = [3_000, 1_000, 1_500];

/// A line counts for so many bytes.
const LINE: usize = 64;

/// The threshold lets through so many candidates per MB of lines, each of which has some.
const FALSE_PER_MB: f64 = 50.0;

/// The candidates of texts that were drawn.
struct Set {
    tokens: Vec<Bag>,
    others: Negatives,
    /// Those of other rows and of further texts, to measure with.
    new_tokens: Vec<Bag>,
    new_others: Vec<Vec<u16>>,
}

/// How many candidates of each kind a model finds that it has not seen.
struct Found {
    tokens: usize,
    others: usize,
}

impl Found {
    fn recall(&self, set: &Set) -> f64 {
        self.tokens as f64 / set.new_tokens.len().max(1) as f64
    }

    fn wrong(&self, set: &Set) -> f64 {
        self.others as f64 / set.new_others.len().max(1) as f64
    }
}

impl Set {
    fn draw(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let (mut tokens, mut new_tokens) = (Vec::new(), Vec::new());
        for form in lab::forms().filter(|form| form.family != "pem_block") {
            // A row in four is not trained with.
            let is_new = rows::digest(form.name.as_bytes()).is_multiple_of(4);
            let bags = if is_new { &mut new_tokens } else { &mut tokens };
            for _ in 0..OF_ROW {
                let token = form.draw(|below| draw.random.below(below));
                let bag = draw.candidates(Some(token));
                bags.extend((!bag.is_empty()).then_some(bag));
            }
        }
        let others = OTHERS.map(|count| -> Vec<Vec<u16>> {
            let texts = (0..count).flat_map(|_| draw.candidates(None));
            texts.map(|example| example.features).collect()
        });
        let [train, held, new_others] = others;
        let others =
            Negatives { train, held, held_bytes: OTHERS[1] * LINE, bytes: OTHERS[0] * LINE };
        Self { tokens, others, new_tokens, new_others }
    }

    fn train(&self) -> Model {
        fit(&self.tokens, &self.others, FALSE_PER_MB)
    }

    fn measure(&self, model: &Model) -> Found {
        let is_found = |features: &[u16]| model.margin(features) >= 0;
        let tokens = self.new_tokens.iter();
        let tokens = tokens.filter(|bag| bag.iter().any(|example| is_found(&example.features)));
        let others = self.new_others.iter().filter(|features| is_found(features));
        Found { tokens: tokens.count(), others: others.count() }
    }
}

/// What texts are drawn with.
struct Draw {
    random: Random,
    services: Vec<&'static str>,
    secrets: Vec<&'static str>,
}

const LOWER_HEX: &str = "0123456789abcdef";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Words that programs put names together of.
const WORDS: &str = "account add archive array async audio backup batch binding block buffer build bundle byte cache \
    callback canvas chart client close cluster column command commit compile config connect context copy counter create \
    cursor custom decode default delete device dialog digit directory document download driver editor element encode \
    engine entry error event export feature fetch field filter folder format frame gallery graph group handler header \
    height image import index input insert instance invoice item iterator label language layer layout length library \
    limit link listener loader local logger manager margin member memory merge message method metric model module mouse \
    name network notify number object offset option order output packet page panel parser payment pixel player plugin \
    point policy pool position preview price printer process product profile project proxy query queue random range \
    reader record region release render report request resize resource response result route row sample schema screen \
    scroll search section select sender sequence server session setting shadow signal socket source sprite stack state \
    status stream string style submit summary switch symbol system table target task template text thread timeout title \
    toggle toolbar track transform tree update upload user vector version video view widget width window worker writer";

/// Names of what looks like chance and is no secret.
const DIGESTS: &str = "sha1 sha256 checksum digest commit revision etag md5 hash fingerprint blob tree parent object_id";
const IDS: &str = "id uuid guid request_id trace_id product_id order_id correlation_id event_id user_id parent_id";

fn one<'a>(random: &mut Random, all: &[&'a str]) -> &'a str {
    all.get(random.below(all.len())).copied().unwrap_or_default()
}

impl Draw {
    fn new(seed: u64) -> Self {
        let services = lab::services().collect();
        Self { random: Random::new(seed), services, secrets: lab::secret_words().collect() }
    }

    fn word_of<'a>(&mut self, words: &'a str) -> &'a str {
        let count = words.split_ascii_whitespace().count();
        words.split_ascii_whitespace().nth(self.random.below(count)).unwrap_or_default()
    }

    /// So many characters of an alphabet.
    fn chars(&mut self, alphabet: &str, len: usize) -> String {
        let char = |_| alphabet.as_bytes().get(self.random.below(alphabet.len())).copied();
        (0..len).filter_map(char).map(char::from).collect()
    }

    /// Words as one name: `getUserName`, `get_user_name`, `get-user-name`, `GET_USER_NAME`, `GetUserName`.
    fn joined(&mut self, words: &[&str]) -> String {
        let sign = one(&mut self.random, &["", "_", "-", "_", ""]);
        let style = self.random.below(2);
        let cased = |(nth, word): (usize, &&str)| match (sign, style, nth) {
            ("", 0, 0) => (*word).to_owned(),
            ("", ..) => {
                let (first, rest) = word.split_at(word.len().min(1));
                first.to_ascii_uppercase() + rest
            }
            (_, 1, _) => word.to_ascii_uppercase(),
            _ => (*word).to_owned(),
        };
        let name: Vec<String> = words.iter().enumerate().map(cased).collect();
        name.join(sign)
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| self.word_of(WORDS)).collect();
        self.joined(&words)
    }

    /// The name of a secret: mostly whose it is, then a word for secrets.
    fn name_of_secret(&mut self) -> String {
        let owner = match self.random.below(4) {
            0 => self.word_of(WORDS),
            1 => "api",
            _ => one(&mut self.random, &self.services),
        };
        let secret = one(&mut self.random, &self.secrets);
        self.joined(&[owner, secret])
    }

    /// A name and a value that is no secret.
    fn other(&mut self) -> (String, String) {
        let number = |draw: &mut Self, below| draw.random.below(below).to_string();
        match self.random.below(12) {
            0 | 1 => {
                let len = [32, 40, 64, 64, 128].get(self.random.below(5)).copied().unwrap_or(40);
                (self.word_of(DIGESTS).to_owned(), self.chars(LOWER_HEX, len))
            }
            2 => ("integrity".to_owned(), format!("sha512-{}==", self.chars(BASE64, 86))),
            3 | 4 => {
                let parts = [8, 4, 4, 4, 12].map(|len| self.chars(LOWER_HEX, len));
                (self.word_of(IDS).to_owned(), parts.join("-"))
            }
            5 => {
                let [major, minor, patch] = [30, 40, 99].map(|below| number(self, below));
                let tail = self.word_of("alpha beta rc dev nightly").to_owned();
                let version = format!(
                    "{major}.{minor}.{patch}-{tail}.{}+{}",
                    number(self, 9),
                    self.chars(LOWER_HEX, 7)
                );
                (self.word_of("version requires engine release").to_owned(), version)
            }
            6 => {
                let parts: Vec<String> = (0..4).map(|_| self.words(2)).collect();
                (self.words(2), format!("/{}", parts.join("/")))
            }
            7 => (self.words(2), format!("org.{}.{}", self.words(1), self.words(3))),
            8 => {
                let stamp = format!("2024{}T{}Z", self.chars("01", 4), self.chars("012345", 6));
                (self.word_of("created updated build_date timestamp").to_owned(), stamp)
            }
            // A name for secrets, and a value that is not a secret.
            9 | 10 => (self.name_of_secret(), self.words(3)),
            _ => {
                let count = 2 + self.random.below(3);
                (self.words(2), self.words(count) + &number(self, 1_000))
            }
        }
    }

    /// A line that gives a value to a name, and where in it the value is.
    fn line(&mut self, name: &str, value: &str) -> (String, usize) {
        const FORMS: [(&str, &str); 8] = [
            (" = \"", "\""),
            ("=", ""),
            (": ", ""),
            (": \"", "\","),
            (" = '", "';"),
            (" := \"", "\""),
            (" => '", "',"),
            ("(\"", "\");"),
        ];
        let (before, after) =
            FORMS.get(self.random.below(FORMS.len())).copied().unwrap_or_default();
        let leads = ["", "", "    ", "export ", "const ", "self.", "\t"];
        let lead = one(&mut self.random, &leads);
        let begin = [lead, name, before].concat();
        (format!("{begin}{value}{after}\n"), begin.len())
    }

    /// The candidates of a token in a line between others, or of a line without a secret.
    fn candidates(&mut self, token: Option<String>) -> Bag {
        let mut around = || {
            let (name, value) = self.other();
            self.line(&name, &value).0
        };
        let (above, below) = (around(), around());
        let (name, value) = match token {
            // A name in four says nothing.
            Some(token) if self.random.below(4) == 0 => (self.words(2), token),
            Some(token) => (self.name_of_secret(), token),
            None => self.other(),
        };
        let (line, at) = self.line(&name, &value);
        let start = above.len() + at;
        let own = |example: &Example| {
            example.span.start >= start && example.span.end <= start + value.len()
        };
        lab::examples(&[above, line, below].concat()).into_iter().filter(own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_the_drawn_set_is_the_same_each_time_and_reaches_its_floor() {
        let set = Set::draw(1);
        let model = set.train();
        assert!(model.to_bytes() == Set::draw(1).train().to_bytes(), "the same seed");
        let found = set.measure(&model);
        let (recall, wrong) = (found.recall(&set), found.wrong(&set));
        assert!(set.new_tokens.len() > 300 && set.new_others.len() > 500);
        assert!(recall >= 0.95 && wrong <= 0.02, "recall {recall:.3}, false {wrong:.4}");
    }
}
