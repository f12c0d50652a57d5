//! What a policy says and hardly means. It is no fault: the policy can be used.

use super::Policy;
use crate::near::nearest_one;
use crate::risk::{self, Pattern, Thresholds};

impl Policy {
    /// What the policy hardly means: thresholds that leave a verdict out, and names of families and patterns that
    /// are not known, and families without a weight. Each is a sentence that begins with the key.
    #[must_use]
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = of_thresholds(self.risk.thresholds);
        let added = &self.risk.extra_patterns;
        let mut families: Vec<&str> = risk::families().collect();
        families.extend(added.iter().map(Pattern::family));
        let mut patterns: Vec<&str> = risk::patterns().collect();
        patterns.extend(added.iter().map(Pattern::name));
        let mut look = |key: &str, what: &str, name: &str, known: &[&str]| {
            if known.contains(&name) {
                return;
            }
            let nearest = nearest_one(name, known.iter().copied());
            let meant = nearest.map(|name| format!("; is `{name}` meant?")).unwrap_or_default();
            doubts.push(format!("{key}: there is no {what} `{name}`{meant}"));
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
        let mut unweighed: Vec<(&str, &str)> = Vec::new();
        for pattern in added {
            let family = pattern.family();
            let key = if pattern.form().is_some() { "extend_rules" } else { "extend_patterns" };
            let has_weight = self.risk.weights.contains_key(family)
                || risk::families().any(|known| known == family)
                || self.risk.disabled_families.contains(family);
            if !has_weight && !unweighed.contains(&(key, family)) {
                unweighed.push((key, family));
            }
        }
        doubts.extend(unweighed.into_iter().map(|(key, family)| {
            format!(
                "{key}: the family `{family}` has no weight, so its findings are of the level low, and `reject: secrets` \
                 and `--fail-on` let them pass; `weights: {{{family}: 0.4}}` makes them secrets"
            )
        }));
        doubts
    }
}

/// Thresholds that leave verdicts out. The Python server takes any numbers.
fn of_thresholds(thresholds: Thresholds) -> Vec<String> {
    let Thresholds { high, medium, low } = thresholds;
    let all = [("high", high), ("medium", medium), ("low", low)];
    let out_of_range = all.iter().filter(|(_, at)| !(0.0..=1.0).contains(at));
    let mut doubts: Vec<String> = out_of_range
        .map(|(name, at)| {
            let never = if *at > 1.0 { "no text reaches it" } else { "every text reaches it" };
            format!("thresholds.{name} is {at}: scores are from 0 to 1, so that {never}")
        })
        .collect();
    for pair in all.windows(2) {
        if let [(upper, above), (lower, below)] = pair
            && above < below
        {
            doubts.push(format!(
                "thresholds.{upper} ({above}) is less than thresholds.{lower} ({below}): no verdict is {lower}"
            ));
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubts(text: &str) -> Vec<String> {
        Policy::parse(text).unwrap().doubts()
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
