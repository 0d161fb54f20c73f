//! Detectors: each looks at the particles of a trace in its own way and reports whether behaviour divides.
//!
//! Each has an ensemble of known truth in its file; `tests/null_ensembles.rs` counts the false alarms of all of them.

mod agreement;
mod branches;
mod entropy;
mod event_clusters;
mod graze;
mod modes;
mod normal_parts;

pub use event_clusters::{EventClusters, event_clusters};
pub use graze::{Graze, graze_slope};

use crate::bundle::Bundle;
use crate::tree::BehaviourTree;
use serde::Serialize;

/// Significance of every alarm.
pub const ALPHA: f64 = 0.05;

/// One way to look at an ensemble.
pub struct SplitDetector {
    /// Its name in tables and JSON.
    pub name: &'static str,
    /// What it looks for, in a line.
    pub text: &'static str,
    /// Its function.
    pub detect: fn(&Ensemble<'_>) -> Detection,
}

/// Every detector.
pub const DETECTORS: &[SplitDetector] = &[
    branches::ENTRY,
    event_clusters::ENTRY,
    entropy::ENTRY,
    modes::ENTRY,
    normal_parts::ENTRY,
    agreement::ENTRY,
    graze::ENTRY,
];

/// The drawn particles with an outcome, and what was made of them.
pub struct Ensemble<'a> {
    /// All particles.
    pub bundle: &'a Bundle,
    /// Indices of the drawn ones with an outcome.
    pub drawn: &'a [usize],
    /// Behaviour trees at the three tolerances, of the drawn particles.
    pub trees: &'a [BehaviourTree],
    /// For each drawn particle: which side of the lasting splits it is on.
    pub branch: &'a [usize],
    /// Lasting splits that are the same at all tolerances: time of the last common event [s], and of each branch its drawn particles.
    pub lasting: &'a [(f64, Vec<Vec<u32>>)],
}

/// What a detector found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detection {
    /// The detector.
    pub detector: &'static str,
    /// Whether behaviour divides, at 5 %.
    pub alarm: bool,
    /// What was found, in one sentence.
    pub finding: String,
    /// Its numbers, by name.
    pub numbers: Vec<(&'static str, f64)>,
}

impl Detection {
    fn quiet(detector: &'static str, finding: impl Into<String>) -> Self {
        Self { detector, alarm: false, finding: finding.into(), numbers: Vec::new() }
    }
}

/// Particles that a detector of quadratic cost looks at.
pub(crate) const QUADRATIC: usize = 600;

impl Ensemble<'_> {
    /// Final positions that vary, one column each, of the drawn particles that have them.
    pub(crate) fn final_columns(&self) -> (Vec<usize>, Vec<Vec<f64>>) {
        let width = self.drawn.iter().map(|&i| self.bundle.last_q(i).len()).max().unwrap_or(0);
        let rows: Vec<usize> = (0..self.drawn.len())
            .filter(|&k| {
                let q = self.bundle.last_q(self.drawn[k]);
                q.len() == width && q.iter().all(|x| x.is_finite())
            })
            .collect();
        let column = |c: usize| -> Vec<f64> {
            rows.iter().map(|&k| f64::from(self.bundle.last_q(self.drawn[k])[c])).collect()
        };
        // Single precision: less than a millionth of the size is rounding.
        let varies = |x: &Vec<f64>| {
            let size = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            veracity_measure::statistics::standard_deviation(x) > 1e-6 * size.max(1e-9)
        };
        let columns = (0..width).map(column).filter(varies).collect();
        (rows, columns)
    }
}

/// The column scaled to mean zero and spread one.
pub(crate) fn standardised(x: &[f64]) -> Vec<f64> {
    let mean = veracity_measure::statistics::mean(x);
    let spread = veracity_measure::statistics::standard_deviation(x);
    x.iter().map(|x| (x - mean) / if spread > 0.0 { spread } else { 1.0 }).collect()
}

/// First principal component of standardised columns: the score of each row.
pub(crate) fn principal_component(columns: &[Vec<f64>]) -> Option<Vec<f64>> {
    let n = columns.first()?.len();
    let z: Vec<Vec<f64>> = columns.iter().map(|c| standardised(c)).collect();
    let matrix = nalgebra::DMatrix::from_fn(columns.len(), columns.len(), |i, j| {
        z[i].iter().zip(&z[j]).map(|(a, b)| a * b).sum::<f64>() / n as f64
    });
    let eigen = nalgebra::SymmetricEigen::new(matrix);
    let at = eigen.eigenvalues.imax();
    let direction = eigen.eigenvectors.column(at);
    Some((0..n).map(|r| (0..z.len()).map(|c| direction[c] * z[c][r]).sum()).collect())
}
