//! `A` in two forms: as a matrix, and as the product that contact problems have.
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
    /// Rows, which are columns too.
    fn rows(&self) -> usize;

    /// Length of the running vector.
    fn running_len(&self) -> usize;

    /// `y = A x`, leaving the running vector of `x` in `u`.
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

    /// The running vector of `lambda`, afresh.
    fn running(&self, lambda: &[T], u: &mut [T]);

    /// `w - b` of the rows from `first`, as many as `out` has.
    fn gather(&self, u: &[T], lambda: &[T], first: usize, out: &mut [T]);

    /// The same of three rows.
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

    /// Itself, where it is a product: what islands are found from and fast sweeps use.
    fn factored(&self) -> Option<&Factored<T>> {
        None
    }
}
