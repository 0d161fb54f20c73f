//! One number of a world and how it is read back.

use crate::bench::{Bench, Stopped};

/// A number that is given to the engine and computed back from the motion it causes.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Stable and unique, e.g. `inertia-xy`.
    pub name: &'static str,
    /// Its family, for tables.
    pub group: &'static str,
    /// Of the number; empty for pure ones.
    pub unit: &'static str,
    /// The number in the world.
    pub given: f64,
    /// How the motion gives it back, in a formula.
    pub formula: &'static str,
    /// How far an engine may approximate the number for a known reason without being wrong.
    pub tolerated: Option<Tolerated>,
    /// Builds the world, moves it and computes the number.
    pub read: fn(&Bench<'_>) -> Result<Reading, Stopped>,
}

/// An approximation that is a property of a class of engines and not an error of the adapter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerated {
    /// Largest error, as a fraction of the number.
    pub within: f64,
    /// What such an engine does, with the law if there is one.
    pub why: &'static str,
}

/// The number, as read from the motion at one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// In the unit of the number.
    pub value: f64,
    /// Resolution of the reading at this step, in the same unit; zero where it is limited by rounding only.
    pub resolution: f64,
}

impl From<f64> for Reading {
    fn from(value: f64) -> Self {
        Self { value, resolution: 0.0 }
    }
}

/// A joint that is solved by a few sweeps over all constraints.
pub const ITERATED: Option<Tolerated> = Some(Tolerated {
    within: 0.02,
    why: "joints are solved by sweeps, which leave a fraction of each step unsolved",
});

/// A body that rests in the ground instead of on it.
pub const SINKS: Option<Tolerated> = Some(Tolerated {
    within: 0.02,
    why: "contact is soft or has a margin: the body rests where the contact carries it",
});

/// Friction that grows with speed, or is found by sweeps.
pub const SMOOTHED: Option<Tolerated> = Some(Tolerated {
    within: 0.05,
    why: "friction is smoothed near zero speed or found by sweeps: a part of it is missing",
});
