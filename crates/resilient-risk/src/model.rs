//! The learned part: is a candidate that no rule knows a secret?
//!
//! A logistic regression over the hashed features of `features.rs`, with one signed byte per
//! weight. Its sum is a whole number, so every machine decides alike. The weights come from
//! `resilient-bench risk-train`; `docs/risk-model.md` is the model's card.

use std::sync::LazyLock;

use super::features::{self, BUCKETS};

/// What a file of weights begins with.
const MAGIC: &[u8; 8] = b"rwrisk2\n";

/// The weights in effect.
const BUILT_IN: &[u8] = include_bytes!("model.bin");

/// Weights for candidates.
#[derive(Clone, PartialEq, Eq)]
pub struct Model {
    weights: Box<[i8; BUCKETS]>,
    /// Added to every sum.
    bias: i32,
    /// Sums from here on are findings.
    threshold: i32,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("bias", &self.bias)
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}

impl Model {
    /// The model that is compiled in.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static MODEL: LazyLock<Model> =
            LazyLock::new(|| Model::from_bytes(BUILT_IN).unwrap_or_else(Model::silent));
        &MODEL
    }

    /// Puts a model together; missing weights are zero, further ones are dropped.
    #[must_use]
    pub fn new(weights: &[i8], bias: i32, threshold: i32) -> Self {
        let mut all = Box::new([0; BUCKETS]);
        all.iter_mut().zip(weights).for_each(|(to, from)| *to = *from);
        Self { weights: all, bias, threshold }
    }

    /// A model that finds nothing.
    fn silent() -> Self {
        Self::new(&[], 0, i32::MAX)
    }

    /// Reads what [`Model::to_bytes`] wrote; nothing if it is anything else.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (_definition, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
        let (bias, rest) = rest.split_first_chunk::<4>()?;
        let (threshold, weights) = rest.split_first_chunk::<4>()?;
        let weights: &[u8; BUCKETS] = weights.try_into().ok()?;
        Some(Self {
            weights: Box::new(weights.map(u8::cast_signed)),
            bias: i32::from_le_bytes(*bias),
            threshold: i32::from_le_bytes(*threshold),
        })
    }

    /// Writes the model: eight bytes of magic, eight of the digest of what its features are, bias and
    /// threshold, one byte per weight.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(features::definition());
        bytes.extend(self.bias.to_le_bytes());
        bytes.extend(self.threshold.to_le_bytes());
        bytes.extend(self.weights.iter().map(|weight| weight.cast_unsigned()));
        bytes
    }

    /// How far above (or below) the threshold a candidate is.
    #[must_use]
    pub fn margin(&self, features: &[u16]) -> i32 {
        self.margin_of(features.iter().map(|feature| self.weight(*feature)).sum())
    }

    /// What one feature adds to the sum.
    pub(super) fn weight(&self, feature: u16) -> i32 {
        self.weights.get(usize::from(feature)).copied().map_or(0, i32::from)
    }

    /// How far above the threshold a sum of weights is.
    pub(super) fn margin_of(&self, sum: i32) -> i32 {
        sum.saturating_add(self.bias).saturating_sub(self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn a_model_is_read_back() {
        let model = Model::new(&[1, -2, 3], -7, 5);
        assert_eq!(Model::from_bytes(&model.to_bytes()), Some(model.clone()));
        assert_eq!(Model::from_bytes(MAGIC), None);
        // 1 + 3 − 7 − 5
        assert_eq!(model.margin(&[0, 2]), -8);
    }

    #[test]
    fn the_built_in_model_is_whole() {
        assert!(Model::from_bytes(BUILT_IN).is_some());
    }

    #[test]
    fn the_built_in_model_has_learned_with_the_features_of_today() {
        let learned_with = BUILT_IN.strip_prefix(MAGIC).unwrap().first_chunk::<8>().unwrap();
        // A change of a word for secrets or of a name of a service changes what the model sees. Where recall stays
        // the same, the new digest goes into the header; else the model has to be trained again.
        assert_eq!(*learned_with, features::definition(), "see docs/risk-model.md");
    }

    #[test]
    fn the_built_in_model_is_the_one_that_its_manifest_describes() {
        let manifest = include_str!("../data/model.toml");
        let (header, trained) = BUILT_IN.split_at(MAGIC.len() + 8);
        for (key, value) in [
            ("sha256", HEXLOWER.encode(&Sha256::digest(BUILT_IN))),
            ("trained_sha256", HEXLOWER.encode(&Sha256::digest(trained))),
            ("definition", HEXLOWER.encode(header.strip_prefix(MAGIC).unwrap())),
        ] {
            let line = format!("{key} = \"{value}\"");
            assert!(manifest.lines().any(|has| has == line), "data/model.toml lacks {line}");
        }
    }
}
