//! Whether events explain states: the share of the final variance that the branch carries, and whether clusters of states are the
//! branches.
//!
//! ```text
//! (1)  R² = 1 - Σ within branches (x - mean of the branch)² / Σ (x - mean)²,   F = (R²/(k-1)) / ((1-R²)/(n-k))
//! (2)  adjusted Rand index of two partitions: (Σ C(n_ij,2) - E) / (½(Σ C(a_i,2) + Σ C(b_j,2)) - E),
//!      E = Σ C(a_i,2) Σ C(b_j,2) / C(n,2):  1 if equal, 0 on average for independent ones        (Hubert and Arabie 1985)
//! ```

use super::{ALPHA, Detection, Ensemble, SplitDetector, principal_component};
use crate::mixture::mixture;
use std::collections::BTreeMap;
use veracity_measure::statistics::special::incomplete_beta;

pub const ENTRY: SplitDetector = SplitDetector {
    name: "agreement",
    text: "share of the final variance that the branch explains; agreement of branches with clusters of final states",
    detect,
};

fn detect(sample: &Ensemble<'_>) -> Detection {
    let (rows, columns) = sample.final_columns();
    let Some(x) = principal_component(&columns) else {
        return Detection::quiet(ENTRY.name, "no final states that vary");
    };
    let branch: Vec<usize> = rows.iter().map(|&k| sample.branch[k]).collect();
    let branches = branch.iter().collect::<std::collections::BTreeSet<_>>().len();
    if branches < 2 || x.len() <= branches {
        return Detection::quiet(ENTRY.name, "one branch: there is nothing to explain");
    }
    let (share, chance) = explained(&x, &branch);
    let states = mixture(&x).map(|m| m.labels);
    let agreement = states.as_deref().map_or(f64::NAN, |labels| adjusted_rand(&branch, labels));
    let finding = format!(
        "the branch explains {:.0} % of the variance of the final states (first principal component; by chance {chance:.1e})",
        100.0 * share
    );
    let numbers = vec![("variance_explained", share), ("chance", chance), ("adjusted_rand", agreement)];
    Detection { detector: ENTRY.name, alarm: chance <= ALPHA, finding, numbers }
}

/// (1) and the probability of a larger F by chance.
pub fn explained(x: &[f64], group: &[usize]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let total: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (x, g) in x.iter().zip(group) {
        let entry = sums.entry(*g).or_default();
        *entry = (entry.0 + x, entry.1 + 1.0);
    }
    let within: f64 = x.iter().zip(group).map(|(x, g)| (x - sums[g].0 / sums[g].1).powi(2)).sum();
    let share = if total > 0.0 { 1.0 - within / total } else { 0.0 };
    let (k, n) = (sums.len() as f64, x.len() as f64);
    // P(F > f) of an F distribution is an incomplete beta function of 1 - R².
    (share, incomplete_beta(0.5 * (n - k), 0.5 * (k - 1.0), (1.0 - share).clamp(0.0, 1.0)))
}

/// (2)
pub fn adjusted_rand(a: &[usize], b: &[usize]) -> f64 {
    let pairs = |n: usize| (n * n.saturating_sub(1)) as f64 / 2.0;
    let count = |keys: Vec<(usize, usize)>| {
        let mut out: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        keys.into_iter().for_each(|k| *out.entry(k).or_default() += 1);
        out.values().map(|&n| pairs(n)).sum::<f64>()
    };
    let both = count(a.iter().copied().zip(b.iter().copied()).collect());
    let (one, other) = (count(a.iter().map(|x| (*x, 0)).collect()), count(b.iter().map(|x| (*x, 0)).collect()));
    let expected = one * other / pairs(a.len()).max(1.0);
    let most = 0.5 * (one + other);
    if most == expected { 1.0 } else { (both - expected) / (most - expected) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    #[test]
    fn the_rand_index_has_its_known_values() {
        assert_eq!(adjusted_rand(&[0, 0, 1, 1], &[5, 5, 3, 3]), 1.0);
        // scikit-learn's example: 0.57…
        assert!((adjusted_rand(&[0, 0, 1, 2], &[0, 0, 1, 1]) - 0.571_428_571_428_571_4).abs() < 1e-15);
        assert!((adjusted_rand(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-15);
    }

    #[test]
    fn variance_between_groups_is_found_and_random_groups_give_few_alarms() {
        let stream = Stream::new(21, 0, 0, Purpose::Statistics);
        let group: Vec<usize> = (0..40).map(|i| i % 2).collect();
        let of = |run: u64, shift: f64| -> (f64, f64) {
            let x: Vec<f64> = (0..40).map(|i| stream.normal(run, i as u32) + shift * group[i] as f64).collect();
            explained(&x, &group)
        };
        let alarms = (0..200).filter(|&run| of(run, 0.0).1 <= 0.05).count();
        assert!(alarms <= 16, "{alarms}");
        assert!((0..20).all(|run| of(run + 500, 6.0).0 > 0.8));
    }
}
