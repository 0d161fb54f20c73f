//! One-sided rank test with exponential scores (Savage 1956): are some numbers larger than others of the same kind would
//! be?
//!
//! ```text
//! (1)  score of rank i among n = N + P:   a_i = Σ_{j=1…i} 1 / (n - j + 1),   equal numbers share their mean score
//! (2)  W = sum of the scores of the P asked numbers
//! (3)  p = P(W' >= W)  over all C(n, P) ways to choose which P of the scores are asked
//! ```
//!
//! The scores are those of exponential numbers in order: the test is the sharpest one for numbers that are larger by a
//! factor, and a few far ones count as much as many that are somewhat far. (3) is exact for any distribution if all n
//! numbers are of one kind, and counted by recursion over scores in hundredths. Above [`MOST_EXACT`] numbers the normal
//! approximation with continuity correction is used.

use veracity_measure::statistics::special::normal;

/// Numbers up to which (2) is counted.
pub const MOST_EXACT: usize = 200;

/// (3): small if the asked numbers are larger than the others.
pub fn larger(asked: &[f64], others: &[f64]) -> f64 {
    let scores = scores(asked, others);
    let sum: usize = scores[..asked.len()].iter().sum();
    tail(&scores, asked.len(), sum)
}

/// (2) in hundredths.
pub fn sum(asked: &[f64], others: &[f64]) -> usize {
    scores(asked, others)[..asked.len()].iter().sum()
}

/// The smallest (2) whose chance (3) is at most `allowed`, for numbers that are all different; `None` if there is none.
pub fn critical(asked: usize, others: usize, allowed: f64) -> Option<usize> {
    let numbers: Vec<f64> = (0..asked + others).map(|k| k as f64).collect();
    let scores = scores(&numbers, &[]);
    let (mut low, mut high) = (0, scores.iter().rev().take(asked).sum::<usize>());
    if tail(&scores, asked, high) > allowed {
        return None;
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        if tail(&scores, asked, middle) <= allowed {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// The smallest (3) there can be: all asked numbers above all others.
pub fn least(asked: usize, others: usize) -> f64 {
    1.0 / (0..asked).map(|i| (others + asked - i) as f64 / (i + 1) as f64).product::<f64>()
}

/// (1) of every number in hundredths, the asked ones first.
fn scores(asked: &[f64], others: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = asked.iter().chain(others).copied().collect();
    let n = all.len();
    let mut of_rank = Vec::with_capacity(n);
    let mut sum = 0.0;
    for j in 1..=n {
        sum += 1.0 / (n - j + 1) as f64;
        of_rank.push(sum);
    }
    let score = |x: &f64| {
        let below = all.iter().filter(|y| y.total_cmp(x).is_lt()).count();
        let equal = all.iter().filter(|y| y.total_cmp(x).is_eq()).count();
        let mean = of_rank[below..below + equal].iter().sum::<f64>() / equal as f64;
        (100.0 * mean).round() as usize
    };
    all.iter().map(score).collect()
}

/// The chance that `count` of the scores, chosen at random, sum to at least `sum`.
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
    // C(200, 100) is beyond what a double holds exactly; shares of it are right to rounding.
    let mut ways = vec![vec![0.0f64; most + 1]; count + 1];
    ways[0][0] = 1.0;
    for (i, rank) in ranks.iter().enumerate() {
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
        // Two of four, counted by hand: only {2, 4} and {3, 4} of the six pairs of ranks have so large a sum.
        assert!((larger(&[2.0, 4.0], &[1.0, 3.0]) - 2.0 / 6.0).abs() < 1e-12);
        // All equal: no evidence.
        assert!((larger(&[1.0, 1.0], &[1.0, 1.0, 1.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn counted_and_approximate_chances_agree() {
        // 190 numbers are counted; scores are skewed, and the normal approximation of 20 of them is within 0.02.
        let (asked, others): (Vec<f64>, Vec<f64>) =
            ((0..20).map(|k| f64::from(k) * 9.0 + 30.0).collect(), (0..170).map(f64::from).collect());
        let exact = larger(&asked, &others);
        let ranks = scores(&asked, &others);
        let sum: usize = ranks[..20].iter().sum();
        let n = ranks.len() as f64;
        let mean = ranks.iter().sum::<usize>() as f64 / n;
        let variance = ranks.iter().map(|r| (*r as f64 - mean).powi(2)).sum::<f64>() / n;
        let deviation = (20.0 * variance * (n - 20.0) / (n - 1.0)).sqrt();
        let near = 1.0 - normal((sum as f64 - 1.0 - 20.0 * mean) / deviation);
        assert!((exact - near).abs() < 0.02, "{exact} {near}");
    }
}
