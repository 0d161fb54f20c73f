//! How many behaviours there are, and how likely the next particle shows one that none has shown.
//!
//! ```text
//! (1)  entropy          H = -Σ pᵢ ln pᵢ + (m - 1) / 2n          with Miller and Madow's correction, m behaviours seen
//! (2)  effective count  exp H
//! (3)  unseen mass      U ≈ n₁ / n                              Good and Turing: n₁ behaviours seen exactly once
//! (4)  its upper bound  n₁/n + (2√2 + √3) √(ln(3/α) / n)        McAllester and Schapire (COLT 2000): with probability 1 - α
//! (5)  bound in use     95 % upper limit of Clopper and Pearson for n₁ out of n
//! ```
//!
//! (4) holds for every distribution. (5) treats "seen once" as independent trials, which it nearly is; its tests count how often the mass that was
//! not seen exceeds it. (4) is loose for small `n`, and honest: 400 particles cannot exclude a behaviour of a few per cent by counting alone.

/// What the counts of behaviours say.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Unseen {
    /// Behaviours seen.
    pub behaviours: usize,
    /// (1), in nats.
    pub entropy: f64,
    /// (2)
    pub effective: f64,
    /// (3)
    pub unseen: f64,
    /// (4) at 95 %, at most one.
    pub unseen_at_most: f64,
}

/// From the number of particles of each behaviour.
pub fn unseen(counts: &[usize]) -> Unseen {
    let n: usize = counts.iter().sum();
    let total = n.max(1) as f64;
    let plain: f64 = counts.iter().filter(|c| **c > 0).map(|&c| c as f64 / total).map(|p| -p * libm::log(p)).sum();
    let seen = counts.iter().filter(|c| **c > 0).count();
    let entropy = plain + seen.saturating_sub(1) as f64 / (2.0 * total);
    let once = counts.iter().filter(|c| **c == 1).count() as f64;
    let reach = (2.0 * 2f64.sqrt() + 3f64.sqrt()) * (libm::log(3.0 / 0.05) / total).sqrt();
    Unseen {
        behaviours: seen,
        entropy,
        effective: libm::exp(entropy),
        unseen: once / total,
        unseen_at_most: (once / total + reach).min(1.0),
    }
}

/// (5): the bound that the stopping rule uses.
pub fn unseen_bound(counts: &[usize]) -> f64 {
    let n: usize = counts.iter().sum();
    let once = counts.iter().filter(|c| **c == 1).count();
    veracity_measure::statistics::clopper_pearson(once as u64, n as u64, 0.9).high
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    #[test]
    fn the_bound_of_the_unseen_mass_holds_and_the_estimate_is_unbiased() {
        // Behaviours with probabilities 2⁻¹, 2⁻² …: the mass that 50 particles have not seen, 400 times.
        let mut missed = (0, 0.0, 0.0);
        for run in 0..400u64 {
            let stream = Stream::new(9, run, 0, Purpose::Statistics);
            let mut counts = [0usize; 60];
            for k in 0..50 {
                let u = stream.uniform_open(k, 0);
                counts[((-libm::log2(u)).floor() as usize).min(59)] += 1;
            }
            let truth: f64 = (0..60).filter(|&i| counts[i] == 0).map(|i| 0.5f64.powi(i as i32 + 1)).sum();
            let found = unseen(&counts);
            missed.0 += usize::from(truth > found.unseen_at_most);
            missed.1 += found.unseen / 400.0;
            missed.2 += truth / 400.0;
        }
        // At most 5 % of 400 runs, plus 2.5 standard errors.
        assert!(missed.0 <= 31, "{missed:?}");
        // The mean of 400 estimates with a spread of about 0.02 each: five standard errors.
        assert!((missed.1 - missed.2).abs() < 0.006, "{missed:?}");
    }

    #[test]
    fn what_the_stopping_rule_promises_holds() {
        // Halving, equal and heavy-tailed probabilities; looks every 50 particles until the bound is below 10 %.
        let shapes: [&dyn Fn(usize) -> f64; 3] =
            [&|i| 0.5f64.powi(i as i32 + 1), &|_| 1.0 / 60.0, &|i| 1.0 / ((i + 1) as f64 * 4.68)];
        for (shape, p) in shapes.iter().enumerate() {
            let total: f64 = (0..60).map(p).sum();
            let mut missed = 0;
            for run in 0..200u64 {
                let stream = Stream::new(19, run, shape as u32, Purpose::Statistics);
                let mut counts = [0usize; 60];
                let mut k = 0;
                loop {
                    for _ in 0..50 {
                        let mut u = stream.uniform_open(k, 0) * total;
                        let found = (0..60).find(|&i| {
                            u -= p(i);
                            u < 0.0
                        });
                        counts[found.unwrap_or(59)] += 1;
                        k += 1;
                    }
                    if unseen_bound(&counts) <= 0.1 {
                        break;
                    }
                }
                let truth: f64 = (0..60).filter(|&i| counts[i] == 0).map(|i| p(i) / total).sum();
                missed += usize::from(truth > 0.1);
            }
            // 5 % of 200 with the 97.5 % binomial bound.
            assert!(missed <= 16, "{shape}: {missed}");
        }
    }

    #[test]
    fn equal_behaviours_have_their_number_as_effective_count() {
        let found = unseen(&[1000, 1000, 1000, 1000]);
        assert!((found.effective - 4.0).abs() < 2e-3, "{found:?}");
        assert_eq!(found.unseen, 0.0);
        assert_eq!(unseen(&[1]).unseen, 1.0);
        assert_eq!(unseen(&[]).behaviours, 0);
    }
}
