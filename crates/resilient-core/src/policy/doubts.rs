//! What a policy says and hardly means. It is no fault: the policy can be used.

use super::Policy;
use super::place::{self, Place};
use crate::near::nearest_one;
use crate::risk::{self, Pattern, Thresholds};

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// A sentence that begins with the key.
    pub message: String,
    key: String,
    /// What the key names.
    value: Option<String>,
}

impl Doubt {
    fn of(key: &str, value: Option<&str>, message: String) -> Self {
        let value = value.map(str::to_owned);
        Self { message: format!("{key}{message}"), key: key.to_owned(), value }
    }

    /// Where it is in the text of the policy.
    #[must_use]
    pub fn place(&self, text: &str) -> Option<Place> {
        let key: Vec<String> = self.key.split('.').map(str::to_owned).collect();
        let value = self.value.as_ref().and_then(|value| place::of_name(text, &key, value));
        value.or_else(|| place::of_key(text, &key))
    }
}

impl Policy {
    /// What the policy hardly means: thresholds that leave a verdict out, and names of families and patterns that
    /// are not known, and families without a weight.
    #[must_use]
    pub fn doubts(&self) -> Vec<Doubt> {
        let mut doubts = of_thresholds(self.risk.thresholds);
        let added = &self.risk.extra_patterns;
        let mut families: Vec<&str> = risk::families().collect();
        families.extend(added.iter().map(Pattern::family));
        let mut patterns: Vec<&str> = risk::patterns().collect();
        patterns.extend(added.iter().map(Pattern::name));
        let rules = added.iter().filter_map(Pattern::rule);
        patterns.extend(rules.flat_map(|rule| &rule.dummy).map(|dummy| dummy.name.as_str()));
        let mut look = |key: &str, what: &str, name: &str, known: &[&str]| {
            if known.contains(&name) {
                return;
            }
            let nearest = || nearest_one(name, known.iter().copied());
            // A name of the other kind has a key of its own.
            let meant = match what {
                "pattern" if families.contains(&name) => {
                    "; it is a family, for `disable_families`".to_owned()
                }
                "family" if patterns.contains(&name) => {
                    "; it is a pattern, for `allow.patterns`".to_owned()
                }
                _ => nearest().map(|name| format!("; is `{name}` meant?")).unwrap_or_default(),
            };
            doubts.push(Doubt::of(
                key,
                Some(name),
                format!(": there is no {what} `{name}`{meant}"),
            ));
        };
        for name in &self.risk.disabled_families {
            look("disable_families", "family", name, &families);
        }
        for name in self.risk.weights.keys() {
            look("weights", "family", name, &families);
        }
        for name in &self.risk.allow.patterns {
            look("allow.patterns", "pattern", name, &patterns);
        }
        if self.classify.reject_secrets && !self.classify.by_default {
            let message = " holds for writes with `classify` only; with `default: on` it holds for every write";
            doubts.push(Doubt::of("classify.reject", None, message.to_owned()));
        }
        let mut unweighed: Vec<(&str, &str)> = Vec::new();
        for pattern in added {
            let family = pattern.family();
            let key = if pattern.rule().is_some() { "extend_rules" } else { "extend_patterns" };
            let has_weight = self.risk.weights.contains_key(family)
                || risk::families().any(|known| known == family)
                || self.risk.disabled_families.contains(family);
            if !has_weight && !unweighed.contains(&(key, family)) {
                unweighed.push((key, family));
            }
        }
        doubts.extend(unweighed.into_iter().map(|(key, family)| {
            let message = format!(
                ": the family `{family}` has no weight, so its findings are of the level low, and `reject: secrets` \
                 and `--fail-on` let them pass; `weights: {{{family}: 0.4}}` makes them secrets"
            );
            Doubt::of(key, Some(family), message)
        }));
        doubts
    }
}

/// Thresholds that leave verdicts out. The Python server takes any numbers.
fn of_thresholds(thresholds: Thresholds) -> Vec<Doubt> {
    let Thresholds { high, medium, low } = thresholds;
    let all = [("high", high), ("medium", medium), ("low", low)];
    let out_of_range = all.iter().filter(|(_, at)| !(0.0..=1.0).contains(at));
    let of = |name: &str, message| Doubt::of(&format!("thresholds.{name}"), None, message);
    let mut doubts: Vec<Doubt> = out_of_range
        .map(|(name, at)| {
            let never = if *at > 1.0 { "no text reaches it" } else { "every text reaches it" };
            of(name, format!(" is {at}: scores are from 0 to 1, so that {never}"))
        })
        .collect();
    for pair in all.windows(2) {
        if let [(upper, above), (lower, below)] = pair
            && above < below
        {
            let message = format!(
                " ({above}) is less than thresholds.{lower} ({below}): no verdict is {lower}"
            );
            doubts.push(of(upper, message));
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubts(text: &str) -> Vec<String> {
        Policy::parse(text).unwrap().doubts().into_iter().map(|doubt| doubt.message).collect()
    }

    #[test]
    fn each_is_told_with_its_place() {
        for (text, line, column) in [
            ("model: true\ndisable_families: [pii, piii]\n", 2, 25),
            ("disable_families:\n- pii\n- piii\n", 3, 3),
            ("weights:\n  api_key: 0.3\n  github: 0.1\n", 3, 3),
            ("allow:\n  patterns: [email, emial]\n", 2, 21),
            ("thresholds: {high: 0.9, low: -1}\n", 1, 25),
            ("thresholds:\n  high: 0.1\n", 2, 3),
            ("classify:\n  reject: secrets\n", 2, 3),
            ("model: true\nextend_patterns: {house: [{name: door, regex: 'd-\\d+'}]}\n", 2, 19),
            ("extend_rules:\n- {name: t, form: 'hse_{n32}', family: house}\n", 2, 40),
        ] {
            let found = Policy::parse(text).unwrap().doubts();
            let [doubt] = found.as_slice() else { panic!("{text}: {found:?}") };
            assert_eq!(doubt.place(text), Some(Place { line, column }), "{text}");
        }
    }

    #[test]
    fn names_that_are_not_known_are_told_with_the_nearest_one() {
        for (text, told) in [
            (
                "disable_families: [piii]",
                "disable_families: there is no family `piii`; is `pii` meant?",
            ),
            (
                "weights: {github: 0.1}",
                "weights: there is no family `github`; is `github_pat` meant?",
            ),
            ("weights: {zz: 0.1}", "weights: there is no family `zz`"),
            (
                "allow: {patterns: [github_pat]}",
                "allow.patterns: there is no pattern `github_pat`; it is a family, for `disable_families`",
            ),
            (
                "disable_families: [email]",
                "disable_families: there is no family `email`; it is a pattern, for `allow.patterns`",
            ),
            (
                "allow: {patterns: [emial]}",
                "allow.patterns: there is no pattern `emial`; is `email` meant?",
            ),
        ] {
            assert_eq!(doubts(text), [told]);
        }
        for text in [
            "",
            "disable_families: [pii, jwt]\nallow: {patterns: [email, phone, iban, stripe_secret_live]}",
            "extend_patterns: {house: [{name: door, regex: 'd-\\d+'}]}\nweights: {house: 0.5}\n\
             disable_families: [house]\nallow: {patterns: [door]}",
        ] {
            assert_eq!(doubts(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn an_own_family_without_a_weight_is_told() {
        let pattern =
            |family| format!("extend_patterns: {{{family}: [{{name: door, regex: 'd-\\d+'}}]}}\n");
        let rule = |family| {
            format!("extend_rules: [{{name: token, form: 'hse_{{n32}}', family: {family}}}]\n")
        };
        for (text, key) in [
            (pattern("house"), "extend_patterns"),
            (rule("house"), "extend_rules"),
            (format!("{}weights: {{pii: 0.1}}\n", pattern("house")), "extend_patterns"),
        ] {
            let told = doubts(&text);
            let [told] = told.as_slice() else { panic!("{text}: {told:?}") };
            assert!(
                told.starts_with(&format!("{key}: the family `house` has no weight")),
                "{told}"
            );
        }
        assert_eq!(doubts(&[pattern("house"), rule("house")].concat()).len(), 2);
        for more in ["weights: {house: 0}", "weights: {house: 0.4}", "disable_families: [house]"] {
            assert_eq!(doubts(&format!("{}{more}\n", pattern("house"))), [""; 0], "{more}");
        }
        for family in ["api_key", "pii"] {
            assert_eq!(doubts(&[pattern(family), rule(family)].concat()), [""; 0], "{family}");
        }
    }
}
