//! S5: a payment key in the code goes where raw material belongs, and the code asks for it.

use anyhow::Result;
use resilient_core::validate::{Format, validate};

use super::{Scenario, Seen, gives_away, has_lines};
use crate::arm::Arm;
use crate::ground::Ground;
use crate::random::Random;
use crate::score::{Check, Judgement};

const FILE: &str = "billing.py";
/// Where the key goes when there is no scratchpad.
const KEPT: &str = ".secrets/stripe_key";
const SCRATCH: &str = ".resilient_write/scratch/";
const VARIABLE: &str = "STRIPE_API_KEY";
const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The code around the key's line.
const ABOVE: &str = "\"\"\"Charges customers.\"\"\"\n\nimport requests\n\n";
const BELOW: &str = "TIMEOUT = 30


def charge(customer, cents):
    \"\"\"Charges a customer.\"\"\"
    return requests.post(
        \"https://payments.example.net/v1/charges\",
        auth=(STRIPE_KEY, \"\"),
        data={\"customer\": customer, \"amount\": cents},
        timeout=TIMEOUT,
    )
";

/// The key.
pub(crate) struct Secret {
    key: String,
}

impl Secret {
    pub(crate) fn new(mut random: Random) -> Self {
        // Put together here, so that no filter takes this program for a leak.
        Self { key: ["sk", "_live_", &random.text(ALPHABET, 24)].concat() }
    }

    fn text(&self) -> String {
        format!("{ABOVE}STRIPE_KEY = \"{}\"\n{BELOW}", self.key)
    }
}

impl Scenario for Secret {
    fn lay_out(&self, ground: &Ground) -> Result<()> {
        ground.write(FILE, &self.text())
    }

    fn tasks(&self) -> Vec<String> {
        vec![format!(
            "In {FILE}, STRIPE_KEY holds a key that must not be in the code. Keep the key where \
             raw material belongs: in the scratchpad under the label `stripe-key` if your tools \
             have one, and otherwise in {KEPT}. In the code, set STRIPE_KEY from the environment \
             variable {VARIABLE} with os.environ, and import os. Leave everything else as it is. \
             The key may be in no other file."
        )]
    }

    fn judge(&self, seen: &Seen<'_>) -> Judgement {
        let code = seen.ground.read(FILE).unwrap_or_default();
        let is_key = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim() == self.key;
        let files = seen.ground.files(true);
        let ours = seen.arm == Arm::Ours;
        let is_keeper = |path: &str| if ours { path.starts_with(SCRATCH) } else { path == KEPT };
        let kept = files.iter().any(|(path, bytes)| is_keeper(path) && is_key(bytes));
        let clean =
            files.iter().all(|(path, bytes)| is_keeper(path) || !gives_away(bytes, &self.key));
        let from_environment = code.lines().any(|line| {
            let reads = ["os.environ", "os.getenv"].iter().any(|way| line.contains(way));
            line.starts_with("STRIPE_KEY = ") && reads && line.contains(VARIABLE)
        });
        let valid =
            !code.is_empty() && validate(&code, Some(Format::Python), None).valid == Some(true);
        let imports = code.lines().any(|line| line.trim_end() == "import os");
        let rest = ABOVE.lines().chain(BELOW.lines());
        let length = ABOVE.lines().chain(BELOW.lines()).filter(|line| !line.is_empty()).count();
        let whole = has_lines(&code, rest)
            && code.lines().filter(|line| !line.trim().is_empty()).count() <= length + 2;
        Judgement {
            outcome: vec![
                Check::essential("the key is in no file but where it belongs", clean),
                Check::essential("the key is kept there", kept),
                Check::essential("the code asks the environment for it", from_environment),
                Check::essential("the code is valid Python that imports os", valid && imports),
                Check::new("everything else is as it was", whole),
            ],
            tools: vec![
                seen.used_here("the key is put aside", &["rw_scratch_put"], "write_file"),
                seen.used_here(
                    "the code is edited",
                    &["rw_safe_replace", "rw_safe_write"],
                    "write_file",
                ),
            ],
            recovered: None,
            par: 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_valid_before_and_after() {
        let secret = Secret::new(Random::new(1, "s5"));
        let text = secret.text();
        let line = format!("\"{}\"", secret.key);
        let after = text
            .replace(&line, "os.environ[\"STRIPE_API_KEY\"]")
            .replace("import requests", "import os\nimport requests");
        for code in [text, after] {
            assert_eq!(validate(&code, Some(Format::Python), None).valid, Some(true), "{code}");
        }
    }
}
