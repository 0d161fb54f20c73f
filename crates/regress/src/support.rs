//! Distance of recorded rows from the training rows.
//!
//! ```text
//! (1)  s(x) = max over training rows of exp(-γ |x - xₜ|²)
//! ```
//!
//! Where `s` is nearly zero an RBF map returns its bias: a number that looks like a prediction and carries no
//! information. Such a row is reported as out of reach and not used in the estimate. The column responsible is found
//! from how many training deviations the recorded values lie from the training range.

use crate::models::Fitted;
use crate::rows::Rows;
use serde::{Deserialize, Serialize};
use veracity_measure::statistics::{median, quantile};

/// Below this largest kernel value a row is out of reach: exp(-2), two widths `1/√(2γ)` of the kernel from every
/// training row, where the map's contribution to its bias has dropped to a seventh.
pub const LEAST_SUPPORT: f64 = 0.135_335_283_236_612_7;
/// With more than this share of rows out of reach there is no estimate for the recording.
pub const MOST_OUT_OF_REACH: f64 = 0.1;

/// The support of a set of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// γ of (1).
    pub gamma: f64,
    /// (1) of every row, in order.
    #[serde(skip)]
    pub of_row: Vec<f64>,
    /// Squared distance of every row from the nearest training row, in deviations.
    #[serde(skip)]
    pub squared: Vec<f64>,
    /// Median of (1).
    pub median: f64,
    /// Their tenth percentile.
    pub tenth: f64,
    /// The median squared distance from the nearest training row, in deviations.
    pub median_squared_distance: f64,
    /// Threshold below which a row is out of reach.
    pub threshold: f64,
    /// Share of rows out of reach.
    pub out_of_reach: f64,
    /// Columns whose values leave the training range, the worst first.
    pub strangers: Vec<OutlyingColumn>,
}

/// A column whose recorded values differ from the training values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutlyingColumn {
    /// The feature.
    pub column: String,
    /// Share of recorded values outside the training range.
    pub outside: f64,
    /// Median distance of recorded values from the training mean, in training deviations.
    pub median_deviations: f64,
    /// Recorded standard deviation over that of training: 1 for the same units and the same motion, a power of ten for
    /// another unit.
    pub spread_ratio: f64,
    /// Likely cause.
    pub hint: String,
}

/// Support (1) of the given rows relative to the training rows.
pub fn support(fitted: &Fitted, gamma: f64, trained_on: (&Rows, &[u32]), rows: &Rows, which: &[u32]) -> Support {
    let nearest = fitted.points.nearest(&fitted.scaled(rows, which), |_, _| false);
    let squared: Vec<f64> = nearest.iter().map(|(d, _)| f64::from(*d)).collect();
    let of_row: Vec<f64> = squared.iter().map(|d| libm::exp(-gamma * d)).collect();
    let out = of_row.iter().filter(|s| **s < LEAST_SUPPORT).count();
    Support {
        gamma,
        median: median(&of_row),
        tenth: quantile(&of_row, 0.1),
        median_squared_distance: median(&squared),
        threshold: LEAST_SUPPORT,
        out_of_reach: out as f64 / of_row.len() as f64,
        strangers: strangers(fitted, trained_on, rows, which),
        squared,
        of_row,
    }
}

/// Columns that look like another unit, another frame or another position.
fn strangers(fitted: &Fitted, trained_on: (&Rows, &[u32]), rows: &Rows, which: &[u32]) -> Vec<OutlyingColumn> {
    let mut found = Vec::new();
    for column in 0..rows.width() {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &k in trained_on.1 {
            let value = trained_on.0.row(k as usize)[column];
            (low, high) = (low.min(value), high.max(value));
        }
        let values: Vec<f64> = which.iter().map(|k| rows.row(*k as usize)[column]).collect();
        let (mean, deviation) = (fitted.scaling.mean[column], fitted.scaling.deviation[column]);
        let outside = values.iter().filter(|v| !(low..=high).contains(*v)).count() as f64 / values.len() as f64;
        let far: Vec<f64> = values.iter().map(|v| ((v - mean) / deviation).abs()).collect();
        let centre = values.iter().sum::<f64>() / values.len() as f64;
        let spread = (values.iter().map(|v| (v - centre) * (v - centre)).sum::<f64>() / values.len() as f64).sqrt();
        let spread_ratio = spread / deviation;
        let median_deviations = median(&far);
        let hint = if spread_ratio < 0.05 && high > low {
            "varies far less than in training: another unit, or another quantity"
        } else if spread_ratio > 20.0 {
            "varies far more than in training: another unit"
        } else if outside > 0.05 {
            "leaves the training range: another position, frame or bias"
        } else {
            continue;
        };
        found.push(OutlyingColumn {
            column: rows.names[column].clone(),
            outside,
            median_deviations,
            spread_ratio,
            hint: hint.to_owned(),
        });
    }
    found.sort_by(|a, b| b.median_deviations.total_cmp(&a.median_deviations));
    found
}
