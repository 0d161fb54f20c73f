//! Small dense linear algebra for the equations of lasting contacts: selection of independent rows, and solution of
//! equations that are not symmetric where something slides. Matrices are row-major.

/// Scratch, grown as needed and kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Dense {
    work: Vec<f64>,
    half: Vec<f64>,
    alive: Vec<bool>,
    pivots: Vec<usize>,
}

impl Dense {
    /// Writes to `kept` the rows of a positive semidefinite matrix that the rows before them do not already imply:
    /// Cholesky's method, each pivot the row with the largest remainder relative to its diagonal; among rows equal in
    /// this to a thousandth, the first, so that symmetric contacts are chosen by their order and not by rounding.
    ///
    /// A row is independent when more than `tolerance` of its diagonal is left. Four corners of a box on a floor leave
    /// 1e-16 of the fourth normal.
    pub(super) fn independent(&mut self, a: &[f64], n: usize, tolerance: f64, kept: &mut Vec<usize>) {
        kept.clear();
        self.work.clear();
        self.work.extend_from_slice(&a[..n * n]);
        self.alive.clear();
        self.alive.resize(n, true);
        let w = &mut self.work;
        loop {
            let mut best: Option<(usize, f64)> = None;
            for i in 0..n {
                let whole = a[i * n + i];
                if !self.alive[i] || whole <= 0.0 {
                    continue;
                }
                let left = w[i * n + i] / whole;
                if left > tolerance && best.is_none_or(|(_, most)| left > 1.001 * most) {
                    best = Some((i, left));
                }
            }
            let Some((p, _)) = best else { return };
            self.alive[p] = false;
            kept.push(p);
            let (pivot, row) = (w[p * n + p], p * n);
            for i in (0..n).filter(|i| self.alive[*i]) {
                let factor = w[i * n + p] / pivot;
                if factor != 0.0 {
                    for k in 0..n {
                        w[i * n + k] -= factor * w[row + k];
                    }
                }
            }
        }
    }

    /// Solves `A x = b` for the `n` numbers in `x`, which contains `b` on entry; Gaussian elimination with row pivots.
    /// Returns `false` for a singular matrix.
    pub(super) fn solve(&mut self, a: &[f64], n: usize, x: &mut [f64]) -> bool {
        self.work.clear();
        self.work.extend_from_slice(&a[..n * n]);
        self.pivots.clear();
        self.pivots.extend(0..n);
        let w = &mut self.work;
        for k in 0..n {
            let size = |r: usize| w[self.pivots[r] * n + k].abs();
            let mut p = k;
            for r in k + 1..n {
                if size(r) > size(p) {
                    p = r;
                }
            }
            self.pivots.swap(k, p);
            let row = self.pivots[k] * n;
            let pivot = w[row + k];
            if pivot == 0.0 || !pivot.is_finite() {
                return false;
            }
            for r in k + 1..n {
                let at = self.pivots[r] * n;
                let factor = w[at + k] / pivot;
                w[at + k] = factor;
                if factor != 0.0 {
                    for c in k + 1..n {
                        w[at + c] -= factor * w[row + c];
                    }
                }
            }
        }
        // The rows of the factors were not moved: substitute forward and back in pivot order.
        self.half.clear();
        self.half.resize(n, 0.0);
        let y = &mut self.half;
        for k in 0..n {
            let row = self.pivots[k] * n;
            let sum: f64 = (0..k).map(|c| self.work[row + c] * y[c]).sum();
            y[k] = x[self.pivots[k]] - sum;
        }
        for k in (0..n).rev() {
            let row = self.pivots[k] * n;
            let sum: f64 = (k + 1..n).map(|c| self.work[row + c] * x[c]).sum();
            x[k] = (y[k] - sum) / self.work[row + k];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_with_pivots() {
        // The first pivot is zero: solving requires an exchange of rows.
        let a = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, -1.0, 2.0];
        let mut x = [7.0, 3.0, 7.0];
        assert!(Dense::default().solve(&a, 3, &mut x));
        // Rounding of a few operations on numbers of order one.
        for (got, wanted) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - wanted).abs() < 1e-14, "{x:?}");
        }
        assert!(!Dense::default().solve(&[1.0, 2.0, 2.0, 4.0], 2, &mut [1.0, 1.0]));
    }

    #[test]
    fn the_fourth_corner_is_implied_by_three() {
        // Heights of four corners of a square plate: A = 1 + x x' + y y'.
        let corners: [(f64, f64); 4] = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        let a: Vec<f64> =
            corners.iter().flat_map(|p| corners.iter().map(move |q| 1.0 + p.0 * q.0 + p.1 * q.1)).collect();
        let mut kept = Vec::new();
        Dense::default().independent(&a, 4, 1e-9, &mut kept);
        assert_eq!(kept.len(), 3);
    }
}
