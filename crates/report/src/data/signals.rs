//! Recorded numbers over time: joint positions and velocities, efforts, gaps, contact forces, energy, sensors.

use super::numbers::{Rounded, Times};
use super::plots::Curve;
use serde::{Deserialize, Serialize};

/// One recorded number of every trial that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// Kind and name: `q/arm/shoulder`, `effort/arm/shoulder`, `contact force/block`; the kind is the text before the first `/`.
    pub name: String,
    /// Its unit; empty for a pure number.
    pub unit: String,
    /// Of the trials.
    pub curves: Vec<Curve>,
    /// Of the reference, where it has this number: a closed form, a converged run, a recording.
    pub reference: Option<ReferenceCurve>,
}

/// A curve that is not a trial's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceCurve {
    /// Times, increasing [s].
    pub time_s: Times,
    /// As many values.
    pub value: Rounded,
}
