//! Eigenvalues of a small nonsymmetric matrix, and their sensitivity to an error of the matrix.
//!
//! ```text
//! (1)  |δλ| <= κ |δA| + O(|δA|²),   κ = 1 / |yᴴ x|,   A x = λ x,  yᴴ A = λ yᴴ,  |x| = |y| = 1
//! (2)  and always  |δλ| <= (k |A|)^(1 - 1/k) k |δA|^(1/k)                   (Bhatia, Elsner and Krause)
//! ```

use nalgebra::{Complex, DMatrix, linalg::Schur};

/// An eigenvalue with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplier {
    /// The value.
    pub value: Complex<f64>,
    /// Error bound.
    pub error: f64,
}

impl Multiplier {
    /// |λ|.
    pub fn modulus(&self) -> f64 {
        self.value.re.hypot(self.value.im)
    }
}

/// All eigenvalues, the largest modulus first; of a conjugate pair, the one with positive imaginary part first. `None`
/// for a matrix that is not finite or whose iteration does not converge.
pub fn eigenvalues(matrix: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    if matrix.is_empty() {
        return Some(Vec::new());
    }
    if !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let schur = Schur::try_new(matrix.clone(), f64::EPSILON, 10_000)?;
    let mut values: Vec<Complex<f64>> = schur.complex_eigenvalues().iter().copied().collect();
    values.sort_by(|a, b| {
        let (size_a, size_b) = (a.norm(), b.norm());
        // The moduli of a pair differ by rounding; compared exactly, their order would be arbitrary.
        if (size_a - size_b).abs() <= 1e-12 * size_a.max(size_b) {
            b.im.total_cmp(&a.im)
        } else {
            size_b.total_cmp(&size_a)
        }
    });
    Some(values)
}

/// Eigenvalues of `matrix`, with the errors caused by an error matrix of norm `error`.
pub fn multipliers(matrix: &DMatrix<f64>, error: f64) -> Option<Vec<Multiplier>> {
    let k = matrix.nrows() as f64;
    let worst = libm::pow(k * matrix.norm().max(error), 1.0 - 1.0 / k) * k * libm::pow(error, 1.0 / k);
    let values = eigenvalues(matrix)?;
    Some(
        values
            .into_iter()
            .map(|value| Multiplier { value, error: (condition(matrix, value) * error).min(worst) })
            .collect(),
    )
}

/// Condition κ of an eigenvalue (1).
pub fn condition(matrix: &DMatrix<f64>, value: Complex<f64>) -> f64 {
    let n = matrix.nrows();
    let shifted = DMatrix::from_fn(n, n, |i, j| {
        Complex::new(matrix[(i, j)], 0.0) - if i == j { value } else { Complex::new(0.0, 0.0) }
    });
    // The last singular pair spans the kernels: (A - λ) x = 0, yᴴ (A - λ) = 0.
    let svd = shifted.svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { return f64::INFINITY };
    let least = svd.singular_values.imin();
    let product: Complex<f64> = (0..n).map(|i| u[(i, least)].conj() * v_t[(least, i)].conj()).sum();
    1.0 / product.norm()
}

/// The largest distance between two spectra, each eigenvalue with its nearest partner.
pub fn distance(a: &[Complex<f64>], b: &[Complex<f64>]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let mut left: Vec<Complex<f64>> = b.to_vec();
    let mut most = 0.0f64;
    for x in a {
        let Some((at, d)) = left.iter().map(|y| (x - y).norm()).enumerate().min_by(|(_, d), (_, e)| d.total_cmp(e))
        else {
            return f64::INFINITY;
        };
        left.swap_remove(at);
        most = most.max(d);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_and_a_real_one() {
        let m = DMatrix::from_row_slice(3, 3, &[0.6, -0.8, 5.0, 0.8, 0.6, 7.0, 0.0, 0.0, 0.5]);
        let values = eigenvalues(&m).unwrap();
        let expected = [Complex::new(0.6, 0.8), Complex::new(0.6, -0.8), Complex::new(0.5, 0.0)];
        for (value, right) in values.iter().zip(expected) {
            // A few operations of rounding.
            assert!((value - right).norm() < 1e-14, "{value} {right}");
        }
        assert!(distance(&values, &[expected[2], expected[1], expected[0]]) < 1e-14);
        assert_eq!(distance(&values, &expected[..2]), f64::INFINITY);
    }

    #[test]
    fn condition_predicts_the_shift_of_an_eigenvalue() {
        // Nearly a Jordan block: both eigenvalues have condition about 1e3.
        let m = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 0.0, 0.999]);
        let kappa = condition(&m, Complex::new(1.0, 0.0));
        assert!((kappa / 1000.0 - 1.0).abs() < 1e-3, "{kappa}");
        let moved = eigenvalues(&DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1e-9, 0.999])).unwrap();
        let shift = (moved[0] - Complex::new(1.0, 0.0)).norm();
        // First order in a change of 1e-9: 1e-6, to a thousandth.
        assert!((shift / (kappa * 1e-9) - 1.0).abs() < 2e-3, "{shift}");
    }

    #[test]
    fn a_nonfinite_matrix_has_no_eigenvalues() {
        assert_eq!(eigenvalues(&DMatrix::from_element(2, 2, f64::NAN)), None);
    }
}
