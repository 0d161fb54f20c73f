//! Scaling of every feature to mean 0 and standard deviation 1, computed from the training rows alone.

use crate::rows::Rows;
use serde::{Deserialize, Serialize};

/// `(x - mean) / deviation`, column by column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// Of each column.
    pub mean: Vec<f64>,
    /// Of each column, over all rows (divided by n, not n - 1); 1 for a constant column.
    pub deviation: Vec<f64>,
}

impl Scaling {
    /// From the given rows.
    pub fn of(rows: &Rows, which: &[u32]) -> Self {
        let (width, n) = (rows.width(), which.len() as f64);
        let mut mean = vec![0.0; width];
        for &k in which {
            mean.iter_mut().zip(rows.row(k as usize)).for_each(|(m, x)| *m += x / n);
        }
        let mut variance = vec![0.0; width];
        for &k in which {
            let pairs = variance.iter_mut().zip(rows.row(k as usize)).zip(&mean);
            pairs.for_each(|((v, x), m)| *v += (x - m) * (x - m) / n);
        }
        let tiny = |v: f64, m: f64| v.sqrt() <= 1e-12 * m.abs();
        let deviation =
            variance.iter().zip(&mean).map(|(&v, &m)| if v == 0.0 || tiny(v, m) { 1.0 } else { v.sqrt() }).collect();
        Self { mean, deviation }
    }

    /// The given rows, scaled and concatenated.
    pub fn apply(&self, rows: &Rows, which: &[u32]) -> Vec<f64> {
        let mut out = Vec::with_capacity(which.len() * rows.width());
        for &k in which {
            let scaled = rows.row(k as usize).iter().zip(&self.mean).zip(&self.deviation);
            out.extend(scaled.map(|((x, m), d)| (x - m) / d));
        }
        out
    }
}
