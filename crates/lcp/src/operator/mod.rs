//! `A` in two forms: as a matrix, and in the factored form of contact problems.
//!
//! Solvers that change a few impulses at a time keep a *running vector* `u` from which any row's `w - b` is cheap:
//! for [`Dense`] it is `A λ` itself, for [`Factored`] the change of velocity `Jᵀ λ`.

mod dense;
mod factored;
mod kernels;

pub use dense::Dense;
pub use factored::{Factored, Segment};

use crate::Real;

/// A linear map from impulses to velocities.
pub trait Operator<T: Real>: Send + Sync {
    /// Number of rows and columns.
    fn rows(&self) -> usize;

    /// Length of the running vector.
    fn running_len(&self) -> usize;

    /// `y = A x`; `u` receives the running vector of `x`.
    fn multiply(&self, x: &[T], u: &mut [T], y: &mut [T]) {
        self.running(x, u);
        self.gather(u, x, 0, y);
    }

    /// The diagonal block of `n` rows from `first`, row by row.
    fn diagonal(&self, first: usize, n: usize, out: &mut [T]);

    /// The diagonal entries of all rows.
    fn diagonal_entries(&self, out: &mut [T]) {
        for (row, out) in out.iter_mut().enumerate() {
            self.diagonal(row, 1, std::slice::from_mut(out));
        }
    }

    /// All of `A`, row by row.
    fn dense(&self, out: &mut [T]);

    /// Computes the running vector of `lambda`.
    fn running(&self, lambda: &[T], u: &mut [T]);

    /// `w - b` of the rows from `first`, as many as the length of `out`.
    fn gather(&self, u: &[T], lambda: &[T], first: usize, out: &mut [T]);

    /// The same for three rows.
    #[inline(always)]
    fn gather_three(&self, u: &[T], lambda: &[T], first: usize) -> [T; 3] {
        let mut out = [T::ZERO; 3];
        self.gather(u, lambda, first, &mut out);
        out
    }

    /// `w - b` of one row that has no impulse.
    fn gather_unloaded(&self, u: &[T], row: usize) -> T;

    /// Adds to `u` the effect of changing the impulses from row `first` on by `change`.
    fn scatter(&self, first: usize, change: &[T], u: &mut [T]);

    /// The factored form, if it has one; used to find islands and for fast sweeps.
    fn factored(&self) -> Option<&Factored<T>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts of one free body and of two, and a row of a tree: rows filled in place equal pushed rows, and products over all
    /// rows equal those of single rows.
    #[test]
    fn rows_filled_in_place_equal_pushed_rows() {
        let number = |k: usize| libm::sin(1.0 + 1.7 * k as f64);
        let (mut pushed, mut filled) = (Factored::<f64>::new(30), Factored::<f64>::new(30));
        let blocks: [(usize, &[(usize, usize)]); 5] =
            [(3, &[(0, 6), (12, 6)]), (1, &[(18, 12)]), (3, &[(6, 6)]), (4, &[(12, 6), (6, 6)]), (1, &[])];
        let mut next = 0;
        for (rows, segments) in blocks {
            let width: usize = segments.iter().map(|(_, len)| len).sum();
            let values: Vec<f64> = (next..next + rows * width).map(number).collect();
            next += values.len();
            for row in 0..rows {
                let mut from = row * width;
                let mut segment = |&(start, len): &(usize, usize)| {
                    from += len;
                    Segment { start, jacobian: &values[from - len..from] }
                };
                let segments: Vec<_> = segments.iter().map(&mut segment).collect();
                pushed.push(if row == 0 { 0.5 } else { 0.0 }, &segments);
            }
            filled.push_block(rows, 0.5, segments).copy_from_slice(&values);
        }
        assert_eq!(pushed.heads, filled.heads);
        assert_eq!(pushed.values, filled.values);
        assert_eq!(pushed.compliance, filled.compliance);
        let u: Vec<f64> = (100..130).map(number).collect();
        let (mut all, mut one) = (Vec::new(), [0.0]);
        filled.velocities(&u, &mut all);
        assert_eq!(all.len(), 12);
        let zeros = [0.0; 12];
        for (row, found) in all.iter().enumerate() {
            filled.gather(&u, &zeros, row, &mut one);
            // Sums of a dozen numbers of order one, in another order.
            assert!((found - one[0]).abs() < 1e-14, "row {row}");
        }
    }
}
