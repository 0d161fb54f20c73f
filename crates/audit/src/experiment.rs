//! One number of a world and how it is read back.

use crate::bench::{Bench, Stopped};

/// A number that is given to the engine and worked out again from the motion it causes.
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
    /// What an engine may do instead without being wrong: approximate it, for a known reason, by so much.
    pub tolerated: Option<Tolerated>,
    /// Builds the world, moves it and works the number out.
    pub read: fn(&Bench<'_>) -> Result<Reading, Stopped>,
}

/// A way to approximate a number that is a property of engines, and no mistake of a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerated {
    /// Largest error, as a part of the number.
    pub within: f64,
    /// What such an engine does, with the law if there is one.
    pub why: &'static str,
}

/// The number, as the motion at one step tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// In the unit of the number.
    pub value: f64,
    /// What the reading itself cannot tell apart at this step, in the same unit; zero where it is a matter of rounding.
    pub resolution: f64,
}

impl From<f64> for Reading {
    fn from(value: f64) -> Self {
        Self { value, resolution: 0.0 }
    }
}

/// A joint that is held by a few sweeps over all constraints.
pub const ITERATED: Option<Tolerated> =
    Some(Tolerated { within: 0.02, why: "joints are held by sweeps, which leave a part of each step unsolved" });

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
