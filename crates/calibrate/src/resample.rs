//! Recordings resampled: intervals that hold when recordings differ from each other by more than their stated errors, and
//! recordings that contradict each other.
//!
//! With residuals r, Jacobian J and H = JᵀJ at the best point, split by recording k,
//!
//! ```text
//! (1)  u* = u - (Σ w_k H_k)⁻¹ Σ w_k J_kᵀ r_k          w: how often recording k is drawn, Σ w = G
//! (2)  interval  u ± t_{G-1} √(G / (G-1)) · deviation of u* over the draws
//! (3)  T_k = (J_kᵀ r_k)ᵀ H_k⁺ (J_kᵀ r_k) / f           χ² with n degrees if recording k agrees with the common parameters
//! (4)  r̃_k = r_k - J_k H_k⁺ J_kᵀ r_k,   f = max(1, Σ |r̃|² / Σ (m_k - n)) · max(1, (1 + ρ̃) / (1 - ρ̃))
//! ```
//!
//! f in (3) is that of the residuals which are left when each recording has its own parameters: those of the common fit are
//! large just because recordings contradict each other.
//!
//! (1) is one Gauss-Newton step: nothing is simulated again. Where the loss is not a sum of squares of measurements, the
//! best of all evaluated points is taken for each draw instead.

use crate::search::Seen;
use crate::uncertainty::{chi2_tail, neighbours, redundancy};
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use std::ops::Range;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::special::student_quantile;
use veracity_measure::statistics::{mean, standard_deviation};

/// Draws.
const DRAWS: u64 = 1000;

/// Fewer recordings are not resampled: with five, one draw in 600 is five times the same.
pub const LEAST_RECORDINGS: usize = 5;

/// How rarely recordings that agree are said to contradict each other.
pub const CONTRADICTION: f64 = 1e-3;

fn weights(stream: &Stream, draw: u64, count: usize) -> Vec<f64> {
    let mut w = vec![0.0; count];
    for k in 0..count {
        let pick = (stream.uniform(draw, k as u32) * count as f64) as usize;
        w[pick.min(count - 1)] += 1.0;
    }
    w
}

fn half_widths(draws: &[Vec<f64>], recordings: usize) -> Vec<f64> {
    let g = recordings as f64;
    let t = student_quantile(0.975, g - 1.0) * (g / (g - 1.0)).sqrt();
    let n = draws.first().map_or(0, Vec::len);
    (0..n).map(|i| t * standard_deviation(&draws.iter().map(|d| d[i]).collect::<Vec<f64>>())).collect()
}

/// Per recording: H and Jᵀr.
fn parts(columns: &[Vec<f64>], r: &[f64], groups: &[Range<usize>]) -> Vec<(DMatrix<f64>, DVector<f64>)> {
    let n = columns.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let of = |range: &Range<usize>| {
        let column = |i: usize| &columns[i][range.clone()];
        let h = DMatrix::from_fn(n, n, |i, j| dot(column(i), column(j)));
        (h, DVector::from_fn(n, |i, _| dot(column(i), &r[range.clone()])))
    };
    groups.iter().map(of).collect()
}

/// (2) in coordinates of the search; `None` with too few recordings or directions that are not determined.
pub fn one_step(columns: &[Vec<f64>], r: &[f64], groups: &[Range<usize>], seed: u64) -> Option<Vec<f64>> {
    if groups.len() < LEAST_RECORDINGS {
        return None;
    }
    let (n, parts) = (columns.len(), parts(columns, r, groups));
    // Priors are behind the last recording, in every draw.
    let rest = groups.last().map_or(0, |g| g.end)..r.len();
    let prior = self::parts(columns, r, std::slice::from_ref(&rest)).remove(0);
    let stream = Stream::new(seed, 1, 0, Purpose::Statistics);
    let mut draws = Vec::new();
    for draw in 0..DRAWS {
        let (mut h, mut g) = prior.clone();
        for ((hk, gk), w) in parts.iter().zip(weights(&stream, draw, parts.len())) {
            h += hk * w;
            g += gk * w;
        }
        let step = h.cholesky().map(|c| c.solve(&g))?;
        draws.push((0..n).map(|i| -step[i]).collect());
    }
    Some(half_widths(&draws, groups.len()))
}

/// (2) from the best of the evaluated points in each draw.
pub fn best_seen(seen: &[Seen], seed: u64) -> Option<Vec<f64>> {
    let count = seen.first().map_or(0, |s| s.groups.len());
    if count < LEAST_RECORDINGS || seen.iter().any(|s| s.groups.len() != count) {
        return None;
    }
    let stream = Stream::new(seed, 2, 0, Purpose::Statistics);
    let mut draws = Vec::new();
    for draw in 0..DRAWS {
        let w = weights(&stream, draw, count);
        let loss = |s: &Seen| s.groups.iter().zip(&w).map(|(g, w)| g * w).sum::<f64>();
        let best = seen.iter().map(|s| (loss(s), s)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        draws.push(best.1.u.clone());
    }
    Some(half_widths(&draws, count))
}

/// A recording that asks for other parameters than the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// Its number among the recordings.
    pub recording: usize,
    /// Chance of (3) if it agrees.
    pub p: f64,
    /// What it asks for alone, one Gauss-Newton step away, in coordinates of the search.
    pub alone: Vec<f64>,
}

/// Recordings whose (3) is beyond [`CONTRADICTION`], shared by all of them.
pub fn contradictions(columns: &[Vec<f64>], r: &[f64], groups: &[Range<usize>], u: &[f64]) -> Vec<Contradiction> {
    let mut out = Vec::new();
    if groups.len() < 2 {
        return out;
    }
    let mut asked = Vec::new();
    let (mut left, mut freedom): (Vec<Vec<f64>>, f64) = (Vec::new(), 0.0);
    for (range, (h, g)) in groups.iter().zip(parts(columns, r, groups)) {
        let eigen = SymmetricEigen::new(h);
        let largest = eigen.eigenvalues.max();
        let (mut t, mut degrees, mut step) = (0.0, 0.0, DVector::<f64>::zeros(u.len()));
        for a in (0..u.len()).filter(|a| eigen.eigenvalues[*a] > 1e-8 * largest) {
            let w = eigen.eigenvectors.column(a);
            let along = w.dot(&g);
            t += along * along / eigen.eigenvalues[a];
            degrees += 1.0;
            step -= w * (along / eigen.eigenvalues[a]);
        }
        // (4)
        let own = |k: usize| r[k] + columns.iter().zip(step.iter()).map(|(c, s)| c[k] * s).sum::<f64>();
        left.push(range.clone().map(own).collect());
        freedom += range.len() as f64 - degrees;
        asked.push((t, degrees, step));
    }
    let squares: f64 = left.iter().flatten().map(|x| x * x).sum();
    let factor = (squares / freedom.max(1.0)).max(1.0) * redundancy(neighbours(&left));
    for (recording, (t, degrees, step)) in asked.into_iter().enumerate().filter(|(_, (_, degrees, _))| *degrees > 0.0)
    {
        let p = chi2_tail(t / factor, degrees);
        if p < CONTRADICTION / groups.len() as f64 {
            out.push(Contradiction { recording, p, alone: u.iter().zip(step.iter()).map(|(u, s)| u + s).collect() });
        }
    }
    out.sort_by(|a, b| a.p.total_cmp(&b.p));
    out
}

/// Mean of paired differences with its 95 % interval: before less after.
pub fn paired_gain(before: &[f64], after: &[f64]) -> Option<[f64; 3]> {
    let gain: Vec<f64> = before.iter().zip(after).map(|(b, a)| b - a).filter(|g| g.is_finite()).collect();
    if gain.len() < 2 {
        return None;
    }
    let n = gain.len() as f64;
    let (m, half) = (mean(&gain), student_quantile(0.975, n - 1.0) * standard_deviation(&gain) / n.sqrt());
    Some([m, m - half, m + half])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line through ten recordings of 20 points; recording k is offset by `offset(k)`.
    fn line(offset: impl Fn(usize) -> f64) -> (Vec<Vec<f64>>, Vec<f64>, Vec<Range<usize>>) {
        let stream = Stream::new(7, 0, 0, Purpose::Sampling);
        let (mut column, mut r, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..10 {
            for i in 0..20 {
                column.push(10.0);
                r.push(stream.normal(k as u64, i) + offset(k));
            }
            groups.push(20 * k..20 * k + 20);
        }
        (vec![column], r, groups)
    }

    #[test]
    fn spread_between_recordings_widens_the_interval() {
        let (columns, r, groups) = line(|_| 0.0);
        // 200 numbers with a slope of ten: deviation 1 / (10 √200); t with nine degrees is 2.26. The bootstrap's own
        // scatter with ten recordings is a quarter.
        let half = one_step(&columns, &r, &groups, 0).unwrap()[0];
        let expected = 2.26 / (10.0 * 200f64.sqrt());
        assert!((0.5..1.6).contains(&(half / expected)), "{half} {expected}");
        // Recordings that differ by three deviations: the interval is that of ten numbers.
        let (columns, r, groups) = line(|k| if k % 2 == 0 { 3.0 } else { -3.0 });
        let half = one_step(&columns, &r, &groups, 0).unwrap()[0];
        let expected = 2.26 * 3.0 / (10.0 * 10f64.sqrt());
        assert!((0.7..1.5).contains(&(half / expected)), "{half} {expected}");
        assert!(one_step(&columns, &r, &groups[..4], 0).is_none());
    }

    #[test]
    fn a_recording_that_asks_for_something_else_is_named() {
        let (columns, r, groups) = line(|_| 0.0);
        assert!(contradictions(&columns, &r, &groups, &[0.5]).is_empty());
        let (columns, r, groups) = line(|k| if k == 3 { 4.0 } else { 0.0 });
        let found = contradictions(&columns, &r, &groups, &[0.5]);
        assert_eq!(found[0].recording, 3);
        // A residual of 4 is removed by a step of -0.4; noise is 1 / √20 of one residual.
        assert!((found[0].alone[0] - 0.1).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn a_gain_has_an_interval() {
        let gain = paired_gain(&[3.0, 4.0, 5.0], &[2.0, 3.0, 4.5]).unwrap();
        assert!((gain[0] - 2.5 / 3.0).abs() < 1e-12 && gain[1] < gain[0] && gain[0] < gain[2]);
        assert!(paired_gain(&[1.0], &[0.5]).is_none());
    }
}
