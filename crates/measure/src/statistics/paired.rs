//! Whether pairs differ: Wilcoxon's signed-rank test.
//!
//! Differences are ranked by size, zeros left out, ties sharing their mean rank; `W` is the sum of the ranks of the
//! positive ones. If nothing changed, each sign is a coin toss, and
//!
//! ```text
//! (1)  P(W = w) = number of subsets of {1 … n} with sum w / 2ⁿ                    n ≤ 50 and no ties
//! (2)  W ~ Normal( n(n+1)/4, n(n+1)(2n+1)/24 - Σ (t³ - t)/48 )                    else, with half a unit of continuity
//! ```
//!
//! with `t` the sizes of groups of ties. The differences need not be normal; without a change they only have to be
//! equally likely up or down by any amount. This suits costs of runs, which have long tails.

use super::special::normal;
use serde::{Deserialize, Serialize};

/// Largest number of pairs whose distribution is enumerated: sums of 2⁵⁰ subsets are exact in a double.
const COUNTED_OUT: usize = 50;

/// Result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignedRank {
    /// Sum of the ranks of positive differences.
    pub positive: f64,
    /// Pairs that differ.
    pub pairs: usize,
    /// The probability of ranks at least this far on the positive side if nothing had changed.
    pub chance_of_increase: f64,
    /// The probability of ranks at least this far on either side.
    pub chance_of_change: f64,
}

/// Tests differences (after minus before).
pub fn signed_rank(differences: &[f64]) -> SignedRank {
    let mut sizes: Vec<(f64, bool)> =
        differences.iter().filter(|d| **d != 0.0 && !d.is_nan()).map(|d| (d.abs(), *d > 0.0)).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = sizes.len();
    let (mut positive, mut ties, mut i) = (0.0, 0.0, 0);
    while i < n {
        let end = i + sizes[i..].iter().take_while(|s| s.0 == sizes[i].0).count();
        // Ranks i+1 … end share their mean.
        let rank = 0.5 * (i + 1 + end) as f64;
        let up = sizes[i..end].iter().filter(|s| s.1).count() as f64;
        positive += rank * up;
        let t = (end - i) as f64;
        ties += t * t * t - t;
        i = end;
    }
    let total = 0.5 * (n * (n + 1)) as f64;
    let tail = |at_least: f64| {
        if n == 0 {
            1.0
        } else if n <= COUNTED_OUT && ties == 0.0 {
            exact_tail(n, at_least)
        } else {
            let count = n as f64;
            let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - ties / 48.0;
            1.0 - normal((at_least - 0.5 * total - 0.5) / variance.sqrt())
        }
    };
    let (up, down) = (tail(positive), tail(total - positive));
    let chance_of_change = (2.0 * up.min(down)).min(1.0);
    SignedRank { positive, pairs: n, chance_of_increase: up, chance_of_change }
}

/// (1): the probability of a sum of at least `w`.
fn exact_tail(n: usize, w: f64) -> f64 {
    let most = n * (n + 1) / 2;
    let mut subsets = vec![0.0f64; most + 1];
    subsets[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=most).rev() {
            subsets[sum] += subsets[sum - rank];
        }
    }
    let from = w.ceil() as usize;
    subsets[from.min(most + 1)..].iter().sum::<f64>() / (n as f64).exp2()
}

#[cfg(test)]
mod tests {
    //! Golden values: scipy 1.17.1, `stats.wilcoxon` with `method='exact'` and `'asymptotic', correction=True`.
    use super::*;

    #[test]
    fn few_pairs_are_counted_out() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.13, 1.29];
        let differences: Vec<f64> = before.iter().zip(after).map(|(b, a)| b - a).collect();
        let found = signed_rank(&differences);
        assert_eq!((found.positive, found.pairs), (40.0, 9));
        assert_eq!((found.chance_of_change, found.chance_of_increase), (0.0390625, 0.01953125));
    }

    #[test]
    fn ties_and_zeros_go_by_the_normal_law() {
        let round: Vec<f64> =
            (1..=40).map(|i| ((libm::sin(f64::from(i) * 1.7) + 0.2) * 5.0).round_ties_even() / 5.0).collect();
        let found = signed_rank(&round);
        assert_eq!(found.pairs, 36);
        assert!((found.chance_of_change - 0.07860724530951102).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn no_difference_is_no_change() {
        assert_eq!(signed_rank(&[0.0; 5]).chance_of_change, 1.0);
        assert_eq!(signed_rank(&[]).chance_of_increase, 1.0);
        // All up: one of 2⁶ possibilities.
        assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).chance_of_increase, 1.0 / 64.0);
    }
}
