//! The largest absolute eigenvalue of a matrix, from the growth of its powers (Gelfand):
//!
//! ```text
//! (1)  ρ(A) = lim |A^k|^(1/k),   k = 1, 2, 4, 8 …
//! ```
//!
//! Works for defective eigenvalues, such as those of a free body: there `|A^k|` grows like `k`, and `k^(1/k)` is one up
//! to rounding long before the last squaring.

use nalgebra as na;

/// Spectral radius by (1).
pub fn spectral_radius(matrix: &na::DMatrix<f64>) -> f64 {
    const SQUARINGS: i32 = 44;
    let mut power = matrix.clone();
    // The logarithm of |A^k| divided by k, and 1/k.
    let (mut logarithm, mut share) = (0.0, 1.0);
    for _ in 0..=SQUARINGS {
        let size = power.amax();
        if size == 0.0 {
            return 0.0;
        }
        // `max` skips NaN.
        if !power.iter().all(|x| x.is_finite()) {
            return f64::INFINITY;
        }
        logarithm += libm::log(size) * share;
        power /= size;
        power = &power * &power;
        share *= 0.5;
    }
    libm::exp(logarithm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radius_of_known_matrices() {
        let radius = |rows: [f64; 4]| spectral_radius(&na::DMatrix::from_row_slice(2, 2, &rows));
        assert!((radius([0.6, -0.8, 0.8, 0.6]) - 1.0).abs() < 1e-12, "a turn");
        assert!((radius([1.0, 1.0, 0.0, 1.0]) - 1.0).abs() < 1e-11, "a body coasting");
        assert_eq!(radius([0.0, 1.0, 0.0, 0.0]), 0.0);
        assert!((radius([3.0, 100.0, 0.0, -4.0]) - 4.0).abs() < 1e-11);
        assert_eq!(radius([f64::NAN, 0.0, 0.0, 1.0]), f64::INFINITY);
    }
}
