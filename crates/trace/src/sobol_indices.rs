//! Shares of a margin's variance that each number causes, alone and with all others: Sobol indices from runs made for them.
//!
//! Two independent sets of points `A` and `B`; `AB_i` is `A` with number `i` from `B`:
//!
//! ```text
//! (1)  alone     S_i = mean( f(B) (f(AB_i) - f(A)) ) / V                 (Saltelli et al. 2010)
//! (2)  in all    T_i = ½ mean( (f(A) - f(AB_i))² ) / V                   (Jansen 1999)
//! (3)  V = variance of f over A and B together; f has its mean over A, B and all AB removed and is scaled by its spread
//! ```
//!
//! `n` points of `d` numbers cost `n (d + 2)` runs. Intervals by resampling the points.

use serde::Serialize;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::Interval;
use veracity_measure::statistics::summary::quantile_of_sorted;

/// Resamples behind an interval.
const RESAMPLES: u64 = 1000;

/// The indices of one number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Indices {
    /// (1)
    pub alone: Interval,
    /// (2)
    pub total: Interval,
}

/// `f(A)`, `f(B)` and for each number `f(AB_i)`, point by point.
#[derive(Clone, Debug, PartialEq)]
pub struct SaltelliValues {
    /// `f(A)`
    pub a: Vec<f64>,
    /// `f(B)`
    pub b: Vec<f64>,
    /// `f(AB_i)`
    pub ab: Vec<Vec<f64>>,
}

/// The points of the unit cube to evaluate: all of `A`, all of `B`, then `AB_0`, `AB_1` …. Scrambled Sobol points.
pub fn points(numbers: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let point = |first: usize, k: usize| -> Vec<f64> {
        (0..numbers).map(|i| crate::sobol_points::sobol_point(seed, 0, k as u64, first + i)).collect()
    };
    let a: Vec<Vec<f64>> = (0..count).map(|k| point(0, k)).collect();
    let b: Vec<Vec<f64>> = (0..count).map(|k| point(numbers, k)).collect();
    let mut out: Vec<Vec<f64>> = a.iter().chain(&b).cloned().collect();
    for i in 0..numbers {
        out.extend(a.iter().zip(&b).map(|(a, b)| {
            let mut x = a.clone();
            x[i] = b[i];
            x
        }));
    }
    out
}

impl SaltelliValues {
    /// From the values at [`points`], in their order.
    pub fn of(numbers: usize, count: usize, values: &[f64]) -> Self {
        let part = |k: usize| values[k * count..(k + 1) * count].to_vec();
        Self { a: part(0), b: part(1), ab: (0..numbers).map(|i| part(i + 2)).collect() }
    }

    /// (1) to (3) for every number; `None` if `f` does not vary or is not finite.
    pub fn indices(&self) -> Option<Vec<Indices>> {
        let all: Vec<f64> = self.a.iter().chain(&self.b).chain(self.ab.iter().flatten()).copied().collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let spread = (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt();
        if !(spread > 0.0 && spread.is_finite()) {
            return None;
        }
        let scaled = |x: &[f64]| x.iter().map(|x| (x - mean) / spread).collect::<Vec<_>>();
        let scaled = Self { a: scaled(&self.a), b: scaled(&self.b), ab: self.ab.iter().map(|x| scaled(x)).collect() };
        let n = self.a.len();
        let whole: Vec<usize> = (0..n).collect();
        let stream = Stream::new(0, 0, 0, Purpose::Statistics);
        let resampled: Vec<Vec<usize>> = (0..RESAMPLES)
            .map(|r| (0..n).map(|k| (stream.uniform(r, k as u32) * n as f64) as usize % n).collect())
            .collect();
        let interval = |of: &dyn Fn(&[usize]) -> f64| {
            let mut draws: Vec<f64> = resampled.iter().map(|rows| of(rows)).collect();
            draws.sort_by(f64::total_cmp);
            Interval {
                estimate: of(&whole),
                low: quantile_of_sorted(&draws, 0.025),
                high: quantile_of_sorted(&draws, 0.975),
                confidence: 0.95,
            }
        };
        Some(
            (0..self.ab.len())
                .map(|i| Indices {
                    alone: interval(&|rows| scaled.alone(i, rows)),
                    total: interval(&|rows| scaled.total(i, rows)),
                })
                .collect(),
        )
    }

    fn variance(&self, rows: &[usize]) -> f64 {
        let x = || rows.iter().flat_map(|&k| [self.a[k], self.b[k]]);
        let mean = x().sum::<f64>() / (2 * rows.len()) as f64;
        x().map(|x| (x - mean).powi(2)).sum::<f64>() / (2 * rows.len()) as f64
    }

    /// (1)
    fn alone(&self, i: usize, rows: &[usize]) -> f64 {
        let sum: f64 = rows.iter().map(|&k| self.b[k] * (self.ab[i][k] - self.a[k])).sum();
        sum / rows.len() as f64 / self.variance(rows)
    }

    /// (2)
    fn total(&self, i: usize, rows: &[usize]) -> f64 {
        let sum: f64 = rows.iter().map(|&k| (self.a[k] - self.ab[i][k]).powi(2)).sum();
        0.5 * sum / rows.len() as f64 / self.variance(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ishigami_function_has_its_closed_form_indices() {
        // sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁ over (-π, π)³: S = 0.3139, 0.4424, 0; T = 0.5576, 0.4424, 0.2437.
        let pi = std::f64::consts::PI;
        let f = |u: &Vec<f64>| {
            let x: Vec<f64> = u.iter().map(|u| pi * (2.0 * u - 1.0)).collect();
            libm::sin(x[0]) + 7.0 * libm::sin(x[1]).powi(2) + 0.1 * x[2].powi(4) * libm::sin(x[0])
        };
        let values: Vec<f64> = points(3, 4096, 1).iter().map(f).collect();
        let found = SaltelliValues::of(3, 4096, &values).indices().unwrap();
        let right = [(0.3139, 0.5576), (0.4424, 0.4424), (0.0, 0.2437)];
        for (found, (alone, total)) in found.iter().zip(right) {
            // 4096 points: about three standard errors of plain sampling; Sobol points do better.
            assert!(
                (found.alone.estimate - alone).abs() < 0.03 && (found.total.estimate - total).abs() < 0.03,
                "{found:?}"
            );
            assert!(found.alone.low <= found.alone.high);
        }
        assert_eq!(SaltelliValues::of(1, 2, &[1.0; 6]).indices(), None);
    }
}
