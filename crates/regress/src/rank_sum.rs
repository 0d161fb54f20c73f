//! One-sided rank-sum test (Wilcoxon 1945): are some numbers larger than others of the same kind would be?
//!
//! ```text
//! (1)  W = sum of the ranks of the P asked numbers among all N + P, equal numbers sharing their mean rank
//! (2)  p = P(W' >= W)  over all C(N+P, P) ways to choose which P of the ranks are asked
//! ```
//!
//! (2) is exact for any distribution if all N + P numbers are of one kind, and counted by recursion: with `r_i` the
//! doubled ranks (whole numbers also when shared), `c[k][s]` ways to choose `k` of the first `i` with sum `s`. Above
//! [`MOST_EXACT`] numbers the normal approximation with continuity correction is used.

use veracity_measure::statistics::special::normal;

/// Numbers up to which (2) is counted.
pub const MOST_EXACT: usize = 200;

/// (2): small if the asked numbers are larger than the others.
pub fn larger(asked: &[f64], others: &[f64]) -> f64 {
    let ranks = doubled_ranks(asked, others);
    let sum: usize = ranks[..asked.len()].iter().sum();
    tail(&ranks, asked.len(), sum)
}

/// The smallest (2) there can be: all asked numbers above all others.
pub fn least(asked: usize, others: usize) -> f64 {
    1.0 / (0..asked).map(|i| (others + asked - i) as f64 / (i + 1) as f64).product::<f64>()
}

/// Twice the rank of every number, the asked ones first.
fn doubled_ranks(asked: &[f64], others: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = asked.iter().chain(others).copied().collect();
    let rank = |x: &f64| {
        let below = all.iter().filter(|y| y.total_cmp(x).is_lt()).count();
        let equal = all.iter().filter(|y| y.total_cmp(x).is_eq()).count();
        2 * below + equal + 1
    };
    all.iter().map(rank).collect()
}

/// The chance that `count` of the ranks, chosen at random, sum to at least `sum`.
fn tail(ranks: &[usize], count: usize, sum: usize) -> f64 {
    let n = ranks.len() as f64;
    if ranks.len() > MOST_EXACT {
        let mean = ranks.iter().sum::<usize>() as f64 / n;
        let variance = ranks.iter().map(|r| (*r as f64 - mean).powi(2)).sum::<f64>() / n;
        let k = count as f64;
        let deviation = (k * variance * (n - k) / (n - 1.0)).sqrt();
        return if deviation > 0.0 { 1.0 - normal((sum as f64 - 1.0 - k * mean) / deviation) } else { 1.0 };
    }
    let most: usize = {
        let mut sorted = ranks.to_vec();
        sorted.sort_unstable();
        sorted.iter().rev().take(count).sum()
    };
    // Shares rather than counts: C(200, 100) is beyond what a double holds exactly.
    let mut ways = vec![vec![0.0f64; most + 1]; count + 1];
    ways[0][0] = 1.0;
    for (i, rank) in ranks.iter().enumerate() {
        // Chosen with the chance that a random choice of `count` of all has after `k` of the first `i`.
        for k in (0..count.min(i + 1)).rev() {
            for s in (*rank..=most).rev() {
                let from = ways[k][s - rank];
                if from > 0.0 {
                    ways[k + 1][s] += from;
                }
            }
        }
    }
    let total: f64 = ways[count].iter().sum();
    ways[count][sum.min(most)..].iter().sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_all_choices() {
        // One asked number: its rank among all.
        let others: Vec<f64> = (0..27).map(f64::from).collect();
        assert!((larger(&[30.0], &others) - 1.0 / 28.0).abs() < 1e-12);
        assert!((larger(&[25.5], &others) - 2.0 / 28.0).abs() < 1e-12);
        assert!((least(1, 27) - 1.0 / 28.0).abs() < 1e-12 && (least(2, 27) - 2.0 / (29.0 * 28.0)).abs() < 1e-12);
        // Two of four, counted by hand: sums of ranks of {a, b} from 1 … 4 are 3 4 5 5 6 7.
        assert!((larger(&[2.0, 4.0], &[1.0, 3.0]) - 2.0 / 6.0).abs() < 1e-12);
        // All equal: no evidence.
        assert!((larger(&[1.0, 1.0], &[1.0, 1.0, 1.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn counted_and_approximate_chances_agree() {
        // 190 numbers are counted; the normal approximation of the same is within 2e-3 in the tails used here.
        let (asked, others): (Vec<f64>, Vec<f64>) =
            ((0..20).map(|k| f64::from(k) * 9.0 + 30.0).collect(), (0..170).map(f64::from).collect());
        let exact = larger(&asked, &others);
        let ranks = doubled_ranks(&asked, &others);
        let sum: usize = ranks[..20].iter().sum();
        let padded: Vec<usize> = ranks.clone();
        let n = padded.len() as f64;
        let mean = padded.iter().sum::<usize>() as f64 / n;
        let variance = padded.iter().map(|r| (*r as f64 - mean).powi(2)).sum::<f64>() / n;
        let deviation = (20.0 * variance * (n - 20.0) / (n - 1.0)).sqrt();
        let near = 1.0 - normal((sum as f64 - 1.0 - 20.0 * mean) / deviation);
        assert!((exact - near).abs() < 2e-3, "{exact} {near}");
    }
}
