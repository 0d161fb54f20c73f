//! Linear regression with a ridge: the baseline for a nonlinear map.
//!
//! ```text
//! (1)  minimise  Σ (yₜ - b - w·xₜ)² + λ n |w|²,      x scaled to mean 0
//! (2)  (XᵀX + λ n 1) w = Xᵀ (y - ȳ),   b = ȳ - w·x̄
//! ```

use nalgebra::{DMatrix, DVector};

/// `b + w·x`.
#[derive(Clone, Debug)]
pub struct Linear {
    weights: DVector<f64>,
    offset: f64,
}

impl Linear {
    /// (2) for scaled rows, concatenated.
    pub fn fit(x: &[f64], width: usize, y: &[f64], ridge: f64) -> Self {
        let n = y.len() as f64;
        let mean_y = y.iter().sum::<f64>() / n;
        let mut mean_x = DVector::<f64>::zeros(width);
        x.chunks_exact(width).for_each(|row| mean_x.iter_mut().zip(row).for_each(|(m, v)| *m += v / n));
        let mut square = DMatrix::<f64>::zeros(width, width);
        let mut right = DVector::<f64>::zeros(width);
        for (row, y) in x.chunks_exact(width).zip(y) {
            let centred: Vec<f64> = row.iter().zip(&mean_x).map(|(v, m)| v - m).collect();
            for a in 0..width {
                right[a] += centred[a] * (y - mean_y);
                for b in 0..=a {
                    square[(a, b)] += centred[a] * centred[b];
                }
            }
        }
        for a in 0..width {
            // The floor keeps constant or repeated columns from making the matrix singular.
            square[(a, a)] += n * ridge.max(1e-10);
            for b in 0..a {
                square[(b, a)] = square[(a, b)];
            }
        }
        let weights = nalgebra::Cholesky::new(square).map_or_else(|| DVector::zeros(width), |c| c.solve(&right));
        let offset = mean_y - weights.dot(&mean_x);
        Self { weights, offset }
    }

    /// Predictions for scaled rows.
    pub fn predict(&self, x: &[f64], width: usize) -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(&self.weights).map(|(v, w)| v * w).sum::<f64>();
        x.chunks_exact(width).map(|row| self.offset + dot(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_found_also_with_a_repeated_column() {
        let x: Vec<f64> = (0..50)
            .flat_map(|k| {
                let a = f64::from(k) * 0.1;
                [a, (a * 3.0).sin(), a]
            })
            .collect();
        let y: Vec<f64> = x.chunks_exact(3).map(|r| 2.0 + 3.0 * r[0] - r[1]).collect();
        let found = Linear::fit(&x, 3, &y, 0.0).predict(&x, 3);
        // The ridge's floor of 1e-10 against squares of order 1 to 10.
        assert!(found.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-7));
    }
}
