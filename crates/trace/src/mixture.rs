//! How many normal distributions of one spread make up some numbers: expectation maximisation, counted by BIC.
//!
//! ```text
//! (1)  density       Σₖ wₖ φ((x - μₖ)/σ)/σ,  one σ for all
//! (2)  E and M       rᵢₖ ∝ wₖ φ(…);   wₖ = Σ rᵢₖ / n,  μₖ = Σ rᵢₖ xᵢ / Σ rᵢₖ,  σ² = ΣΣ rᵢₖ (xᵢ - μₖ)² / n
//! (3)  BIC           -2 log L + 2k ln n                         (Schwarz 1978; k - 1 weights, k means, one spread)
//! ```
//!
//! One spread for all keeps a component from collapsing onto a few numbers, which would make every sample look like a mixture.

/// A fitted mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Means, increasing.
    pub means: Vec<f64>,
    /// Weights in the same order.
    pub weights: Vec<f64>,
    /// Common standard deviation.
    pub spread: f64,
    /// (3)
    pub bic: f64,
    /// Component of each number.
    pub labels: Vec<usize>,
}

/// Most components that are tried.
pub const MOST: usize = 4;

/// The mixture with the least BIC; `None` for fewer than eight numbers or numbers that are all equal.
pub fn mixture(x: &[f64]) -> Option<Mixture> {
    let mut sorted: Vec<f64> = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    if x.len() < 8 || x.iter().any(|x| !x.is_finite()) || sorted[0] == sorted[x.len() - 1] {
        return None;
    }
    let fits = (1..=MOST).filter_map(|k| best_of_starts(x, &sorted, k));
    fits.min_by(|a, b| a.bic.total_cmp(&b.bic))
}

/// From equal parts of the sorted numbers, and from the k - 1 widest gaps between them.
fn best_of_starts(x: &[f64], sorted: &[f64], k: usize) -> Option<Mixture> {
    let n = sorted.len();
    let even: Vec<usize> = (1..k).map(|j| j * n / k).collect();
    let mut gaps: Vec<usize> = (1..n).collect();
    gaps.sort_by(|&a, &b| (sorted[b] - sorted[b - 1]).total_cmp(&(sorted[a] - sorted[a - 1])));
    let mut wide: Vec<usize> = gaps.into_iter().take(k - 1).collect();
    wide.sort_unstable();
    let fits = [even, wide].into_iter().filter_map(|cuts| fit(x, sorted, &cuts));
    fits.min_by(|a, b| a.bic.total_cmp(&b.bic))
}

fn fit(x: &[f64], sorted: &[f64], cuts: &[usize]) -> Option<Mixture> {
    let n = x.len() as f64;
    let ends: Vec<usize> = [0].into_iter().chain(cuts.iter().copied()).chain([sorted.len()]).collect();
    let part = |w: &[usize]| &sorted[w[0]..w[1]];
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len().max(1) as f64;
    let mut means: Vec<f64> = ends.windows(2).map(|w| mean(part(w))).collect();
    let mut weights: Vec<f64> = ends.windows(2).map(|w| part(w).len() as f64 / n).collect();
    let within: f64 =
        ends.windows(2).zip(&means).map(|(w, m)| part(w).iter().map(|x| (x - m).powi(2)).sum::<f64>()).sum();
    let total = (sorted[sorted.len() - 1] - sorted[0]).powi(2);
    // A spread below a millionth of the range is rounding.
    let floor = 1e-12 * total;
    let mut variance = (within / n).max(floor);
    let k = means.len();
    let mut shares = vec![0.0; x.len() * k];
    let mut likelihood = f64::NEG_INFINITY;
    for _ in 0..200 {
        let before = likelihood;
        likelihood = 0.0;
        for (i, x) in x.iter().enumerate() {
            let row = &mut shares[i * k..(i + 1) * k];
            let log = |j: usize| libm::log(weights[j].max(1e-300)) - 0.5 * (x - means[j]).powi(2) / variance;
            let most = (0..k).map(log).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = (0..k).map(|j| libm::exp(log(j) - most)).sum();
            (0..k).for_each(|j| row[j] = libm::exp(log(j) - most) / sum);
            likelihood += most + libm::log(sum) - 0.5 * libm::log(std::f64::consts::TAU * variance);
        }
        let mut squares = 0.0;
        for j in 0..k {
            let weight: f64 = (0..x.len()).map(|i| shares[i * k + j]).sum();
            weights[j] = weight / n;
            if weight > 0.0 {
                means[j] = (0..x.len()).map(|i| shares[i * k + j] * x[i]).sum::<f64>() / weight;
            }
            squares += (0..x.len()).map(|i| shares[i * k + j] * (x[i] - means[j]).powi(2)).sum::<f64>();
        }
        variance = (squares / n).max(floor);
        if (likelihood - before).abs() < 1e-8 * likelihood.abs().max(1.0) {
            break;
        }
    }
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| means[a].total_cmp(&means[b]));
    let label = |i: usize| {
        let best = (0..k).max_by(|&a, &b| shares[i * k + a].total_cmp(&shares[i * k + b])).unwrap_or(0);
        order.iter().position(|&o| o == best).unwrap_or(0)
    };
    likelihood.is_finite().then(|| Mixture {
        labels: (0..x.len()).map(label).collect(),
        means: order.iter().map(|&j| means[j]).collect(),
        weights: order.iter().map(|&j| weights[j]).collect(),
        spread: variance.sqrt(),
        bic: -2.0 * likelihood + 2.0 * k as f64 * libm::log(n),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    fn sample(run: u64, n: u64, means: &[f64]) -> Vec<f64> {
        let stream = Stream::new(12, run, 0, Purpose::Statistics);
        (0..n).map(|i| stream.normal(i, 0) + means[i as usize % means.len()]).collect()
    }

    #[test]
    fn the_number_of_modes_is_recovered() {
        // One mode: at most 16 false alarms in 200 at 5 %. Several: at least nine in ten.
        for (means, runs, least) in [(&[0.0][..], 200, 184), (&[0.0, 5.0], 40, 36), (&[0.0, 6.0, 12.0], 40, 36)] {
            let right = (0..runs)
                .filter(|&run| mixture(&sample(run, 60, means)).is_some_and(|m| m.means.len() == means.len()))
                .count();
            assert!(right >= least, "{means:?}: {right}");
        }
    }

    #[test]
    fn labels_and_means_are_those_of_the_components() {
        let x = sample(1, 200, &[0.0, 20.0]);
        let found = mixture(&x).unwrap();
        assert!((found.means[0] - 0.0).abs() < 0.4 && (found.means[1] - 20.0).abs() < 0.4, "{found:?}");
        assert!(found.labels.iter().enumerate().all(|(i, l)| *l == i % 2));
        assert_eq!(mixture(&[1.0; 20]), None);
    }
}
