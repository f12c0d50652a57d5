//! Confidence intervals for a share of trials.
//!
//! The score interval of E. B. Wilson, "Probable inference, the law of succession, and statistical
//! inference", Journal of the American Statistical Association 22 (1927), 209-212. It keeps inside
//! 0 and 1 and says something sensible of few trials, where the textbook interval does not.

/// The quantile of the normal distribution for 95 %, two-sided.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % interval for `passed` of `trials`; everything is possible where there are none.
pub(crate) fn wilson(passed: u64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (trials as f64, passed as f64 / trials as f64);
    let z2 = Z * Z;
    let middle = p + z2 / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_intervals() {
        // By hand: 8 of 10 gives (0.992072 -+ 0.317398... ) / 1.384146.
        let near = |(low, high): (f64, f64), expected: (f64, f64)| {
            assert!(
                (low - expected.0).abs() < 5e-4 && (high - expected.1).abs() < 5e-4,
                "{low} {high}"
            );
        };
        near(wilson(8, 10), (0.4902, 0.9433));
        near(wilson(0, 10), (0.0, 0.2775));
        near(wilson(10, 10), (0.7225, 1.0));
        near(wilson(1, 1), (0.2065, 1.0));
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }
}
