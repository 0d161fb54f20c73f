//! Rows of the RBF kernel, many points at a time.
//!
//! ```text
//! (1)  K(x, y) = exp(-γ |x - y|²)
//! ```
//!
//! Points are stored in blocks of [`LANES`], feature by feature, so that one block is a handful of vector registers and
//! the compiler needs no reduction. Distances are sums of squared differences in single precision. The shorter form
//! `|x|² + |y|² - 2 x·y` with precomputed norms has two operations where this has three, but loses the digits of small
//! distances: rows of one trajectory are a few tenths apart at squared norms of 30 and more, where single precision is
//! accurate to 1e-5 of a squared distance of a tenth. A tolerance of 1e-6 is worth the third operation.

use super::exponential::exp_of_negative;
use rayon::prelude::*;

/// Points in a block.
pub const LANES: usize = 32;

/// Points in the layout above.
#[derive(Clone, Debug)]
pub struct Points {
    blocks: Vec<f32>,
    count: usize,
    features: usize,
}

impl Points {
    /// `count` points, the `k`-th given by `at(k)`.
    pub fn new<'a>(count: usize, features: usize, at: impl Fn(usize) -> &'a [f64]) -> Self {
        let mut blocks = vec![0.0; count.div_ceil(LANES) * LANES * features];
        for k in 0..count {
            let (block, lane) = (k / LANES, k % LANES);
            for (f, value) in at(k).iter().enumerate() {
                blocks[(block * features + f) * LANES + lane] = *value as f32;
            }
        }
        Self { blocks, count, features }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Features of a point.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Copies one point into `out`, which is as long as there are features.
    pub fn point(&self, k: usize, out: &mut [f32]) {
        for (f, value) in out.iter_mut().enumerate() {
            *value = self.blocks[(k / LANES * self.features + f) * LANES + k % LANES];
        }
    }

    /// The given points, in that order.
    pub fn gather(&self, which: &[u32]) -> Self {
        let mut out = Self {
            blocks: vec![0.0; which.len().div_ceil(LANES) * LANES * self.features],
            count: which.len(),
            features: self.features,
        };
        for (to, &from) in which.iter().enumerate() {
            let from = from as usize;
            for f in 0..self.features {
                out.blocks[(to / LANES * self.features + f) * LANES + to % LANES] =
                    self.blocks[(from / LANES * self.features + f) * LANES + from % LANES];
            }
        }
        out
    }

    /// (1) between a point and those from `first` on (a multiple of [`LANES`]), as many as `out` holds.
    pub fn kernel(&self, gamma: f32, x: &[f32], first: usize, out: &mut [f32]) {
        pulp::Arch::new().dispatch(|| self.kernel_here(gamma, x, first, out));
    }

    /// Squared distances, likewise.
    pub fn distances(&self, x: &[f32], first: usize, out: &mut [f32]) {
        pulp::Arch::new().dispatch(|| self.distances_here(x, first, out));
    }

    /// [`Self::kernel`], inlined into the caller and compiled for its instruction set.
    #[inline(always)]
    pub(super) fn kernel_here(&self, gamma: f32, x: &[f32], first: usize, out: &mut [f32]) {
        self.distances_here(x, first, out);
        for value in out.iter_mut() {
            *value = exp_of_negative(-gamma * *value);
        }
    }

    #[inline(always)]
    fn distances_here(&self, x: &[f32], first: usize, out: &mut [f32]) {
        debug_assert_eq!(first % LANES, 0);
        let size = LANES * self.features;
        let blocks = self.blocks[first / LANES * size..].chunks_exact(size);
        for (block, out) in blocks.zip(out.chunks_mut(LANES)) {
            let mut sums = [0.0f32; LANES];
            for (lanes, &x) in block.chunks_exact(LANES).zip(x) {
                for (sum, y) in sums.iter_mut().zip(lanes) {
                    let apart = y - x;
                    *sum += apart * apart;
                }
            }
            out.copy_from_slice(&sums[..out.len()]);
        }
    }

    /// `Σ w_k K(x, x_k)` for every point of `others`; `weights` belong to the points of `self`.
    pub fn weighted_sums(&self, gamma: f32, weights: &[f64], others: &Points) -> Vec<f64> {
        let of = |k: usize| {
            let mut x = vec![0.0; self.features];
            others.point(k, &mut x);
            let mut values = [0.0; PIECE];
            let mut sum = 0.0;
            for (piece, weights) in weights.chunks(PIECE).enumerate() {
                let values = &mut values[..weights.len()];
                self.kernel(gamma, &x, piece * PIECE, values);
                sum += values.iter().zip(weights).map(|(k, w)| f64::from(*k) * w).sum::<f64>();
            }
            sum
        };
        (0..others.len()).into_par_iter().map(of).collect()
    }

    /// The squared distance of every point of `others` from the nearest point of `self`, with its index; `skip(k, j)`
    /// excludes point `j` for the other point `k`.
    pub fn nearest(&self, others: &Points, skip: impl Fn(usize, usize) -> bool + Sync) -> Vec<(f32, usize)> {
        let of = |k: usize| {
            let mut x = vec![0.0; self.features];
            others.point(k, &mut x);
            let mut values = [0.0; PIECE];
            let mut best = (f32::INFINITY, 0);
            let mut first = 0;
            while first < self.count {
                let values = &mut values[..PIECE.min(self.count - first)];
                self.distances(&x, first, values);
                for (j, value) in values.iter().enumerate() {
                    if *value < best.0 && !skip(k, first + j) {
                        best = (*value, first + j);
                    }
                }
                first += PIECE;
            }
            best
        };
        (0..others.len()).into_par_iter().map(of).collect()
    }
}

/// Points processed together: their kernel values stay in the L1 cache.
pub const PIECE: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize) -> Vec<[f64; 3]> {
        (0..count).map(|k| [k as f64 * 0.1, (k as f64).cos(), 1.0 / (1.0 + k as f64)]).collect()
    }

    #[test]
    fn rows_are_the_kernel_whatever_the_piece() {
        let rows = rows(53);
        let points = Points::new(53, 3, |k| &rows[k]);
        let mut x = [0.0; 3];
        points.point(7, &mut x);
        let mut whole = vec![0.0; 53];
        points.kernel(0.5, &x, 0, &mut whole);
        for (k, row) in rows.iter().enumerate() {
            let d2: f64 = row.iter().zip(&rows[7]).map(|(a, b)| (a - b) * (a - b)).sum();
            // Single precision: seven digits of the distance, squared and exponentiated.
            assert!((f64::from(whole[k]) - (-0.5 * d2).exp()).abs() < 1e-6);
        }
        assert_eq!(whole[7], 1.0);
        let mut part = vec![0.0; 20];
        points.kernel(0.5, &x, 32, &mut part);
        assert_eq!(part, whole[32..52]);
        let some = points.gather(&[7, 50]);
        let mut two = [0.0; 2];
        some.kernel(0.5, &x, 0, &mut two);
        assert_eq!(two, [1.0, whole[50]]);
    }

    #[test]
    fn the_nearest_point_is_the_nearest() {
        let rows = rows(53);
        let points = Points::new(53, 3, |k| &rows[k]);
        let found = points.nearest(&points, |_, _| false);
        assert!(found.iter().enumerate().all(|(k, (d, j))| *d == 0.0 && *j == k));
        let others = points.nearest(&points, |k, j| k == j);
        assert!(others.iter().enumerate().all(|(k, (d, j))| *d > 0.0 && *j != k));
    }
}
