//! The form of every metric of several records.

use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::truth::Truth;
use serde::{Deserialize, Serialize};

/// Which way a number improves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Errors and costs. A bound is the most it may be.
    #[default]
    Smaller,
    /// Orders and times until something goes wrong. A bound is the least it may be.
    Larger,
    /// A number that is known from both sides. The bound is the most it may be.
    Between {
        /// The least it may be.
        least: f64,
    },
}

/// One line of the list of comparisons.
pub struct ComparisonEntry {
    /// As in study files: lower case with underscores.
    pub name: &'static str,
    /// SI unit; empty for a pure number.
    pub unit: &'static str,
    /// What it is, in a line.
    pub text: &'static str,
    /// Whether it needs a reference.
    pub needs_truth: bool,
    /// Which way it improves.
    pub better: Better,
    /// Computes it. What the order of the records means is said on the page of its file.
    pub compare: Compare,
}

/// What computes a comparison.
pub type Compare = fn(&[Subject<'_>], Option<&Truth>, &Options) -> Result<Measured, CannotTell>;
