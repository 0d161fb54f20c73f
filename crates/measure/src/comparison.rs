//! The interface of every metric of several records.

use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::truth::Truth;
use serde::{Deserialize, Serialize};

/// Direction in which a number improves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Errors and costs. The bound is an upper bound.
    #[default]
    Smaller,
    /// Orders and times until something goes wrong. The bound is a lower bound.
    Larger,
    /// A number bounded from both sides. The bound is the upper bound.
    Between {
        /// The lower bound.
        least: f64,
    },
}

/// One entry of the list of comparisons.
pub struct ComparisonEntry {
    /// As in study files: lower case with underscores.
    pub name: &'static str,
    /// SI unit; empty for a dimensionless number.
    pub unit: &'static str,
    /// What it is, in one line.
    pub text: &'static str,
    /// Whether it needs a reference.
    pub needs_truth: bool,
    /// Direction in which it improves.
    pub better: Better,
    /// Computes it. The page of its file says what the order of the records means.
    pub compare: Compare,
}

/// Function that computes a comparison.
pub type Compare = fn(&[Subject<'_>], Option<&Truth>, &Options) -> Result<Measured, CannotTell>;
