//! Exact tests of counts, and what many tests at once amount to.
//!
//! ```text
//! (1)  two-sided binomial test:  Σ P(j) over all j with P(j) ≤ P(k)
//! (2)  McNemar, pairs that differ b one way and c the other:  the binomial test of b out of b + c with p = ½
//! (3)  false discovery rate:  q(i) = min over j ≥ i of  m p(j) / j,  p sorted upwards
//! ```
//!
//! (1) is the convention of R and scipy; (2) needs no large numbers; (3) is Benjamini and Hochberg, J. R. Stat. Soc. B 57
//! (1995): among the results reported with `q ≤ 0.05`, at most 5 % are false on average.

/// (1): the probability of a count at most as likely as `hits` out of `trials`, each with probability `p`.
pub fn binomial_test(hits: u64, trials: u64, p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        let certain = if p <= 0.0 { 0 } else { trials };
        return if hits == certain { 1.0 } else { 0.0 };
    }
    let of =
        |k: u64| libm::exp(log_choose(trials, k) + k as f64 * libm::log(p) + (trials - k) as f64 * libm::log1p(-p));
    // Two counts that are equally likely differ by the rounding of their logarithms.
    let most = of(hits) * (1.0 + 1e-7);
    let sum: f64 = (0..=trials).map(of).filter(|chance| *chance <= most).sum();
    sum.min(1.0)
}

/// (2): the probability of a split at least this uneven if both ways were equally likely.
pub fn mcnemar(one_way: u64, other_way: u64) -> f64 {
    binomial_test(one_way, one_way + other_way, 0.5)
}

/// Probability of counts at least as uneven as these if both had the same rate: Fisher's exact test, two-sided.
pub fn fisher(hits: u64, trials: u64, other_hits: u64, other_trials: u64) -> f64 {
    let all = hits + other_hits;
    let chance = |k: u64| {
        libm::exp(log_choose(trials, k) + log_choose(other_trials, all - k) - log_choose(trials + other_trials, all))
    };
    let own = chance(hits);
    let possible = all.saturating_sub(other_trials)..=all.min(trials);
    // Tables as likely as the one seen count; their logarithms are only equal to rounding.
    possible.map(chance).filter(|p| *p <= own * (1.0 + 1e-9)).sum::<f64>().min(1.0)
}

/// (3): the adjusted probability of each test, in the order given.
pub fn false_discovery(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut out = vec![1.0; p.len()];
    let mut least = 1.0f64;
    for (rank, &i) in order.iter().enumerate().rev() {
        least = least.min(p[i] * p.len() as f64 / (rank + 1) as f64);
        out[i] = least;
    }
    out
}

fn log_choose(n: u64, k: u64) -> f64 {
    let gamma = |x: u64| libm::lgamma(x as f64 + 1.0);
    gamma(n) - gamma(k) - gamma(n - k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coin_tosses_are_counted_exactly() {
        // Sums of binomial coefficients over powers of two.
        for (hits, trials, expected) in
            [(0, 4, 2.0 / 16.0), (1, 5, 12.0 / 32.0), (5, 10, 1.0), (1, 10, 22.0 / 1024.0), (9, 10, 22.0 / 1024.0)]
        {
            assert!((binomial_test(hits, trials, 0.5) - expected).abs() < 1e-12, "{hits} of {trials}");
        }
        assert!((mcnemar(9, 1) - 22.0 / 1024.0).abs() < 1e-12);
        assert_eq!(mcnemar(0, 0), 1.0);
    }

    #[test]
    fn a_lopsided_binomial_counts_both_tails_by_likelihood() {
        // n = 3, p = 0.2: chances 0.512, 0.384, 0.096, 0.008.
        for (hits, expected) in [(0, 1.0), (1, 0.488), (2, 0.104), (3, 0.008)] {
            assert!((binomial_test(hits, 3, 0.2) - expected).abs() < 1e-12);
        }
        assert_eq!((binomial_test(0, 5, 0.0), binomial_test(1, 5, 0.0)), (1.0, 0.0));
    }

    #[test]
    fn adjusted_probabilities_keep_their_order_and_never_fall_below_their_own() {
        // The example of the paper's section 3.2, its first five values against fifteen tests.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ];
        let q = false_discovery(&p);
        // The paper rejects the first four at 5 %.
        assert_eq!(q.iter().filter(|q| **q <= 0.05).count(), 4);
        assert!((q[3] - 0.0095 * 15.0 / 4.0).abs() < 1e-15);
        assert!(q.iter().zip(&p).all(|(q, p)| q >= p) && q.windows(2).all(|w| w[0] <= w[1]));
        assert!(false_discovery(&[]).is_empty());
    }

    #[test]
    fn fisher_agrees_with_published_values() {
        // 35 and 25 of 40, as in the published picking task: 0.0188. Tea tasting, 3 of 4 against 1 of 4: 34/70.
        assert!((fisher(35, 40, 25, 40) - 0.0188).abs() < 5e-5);
        assert!((fisher(3, 4, 1, 4) - 34.0 / 70.0).abs() < 1e-12);
        assert!((fisher(5, 9, 5, 9) - 1.0).abs() < 1e-12 && fisher(0, 0, 3, 5) == 1.0);
    }
}
