//! The interface common to the three paradigms.

use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{BodyMotion, Efforts, Trouble};

/// A method to move a world with contact. It owns its world (system, shapes, surfaces) and its scratch; a step does not
/// allocate once as many contacts have occurred before.
pub trait Paradigm: Send {
    /// One step of at most `limit_s`; fixed-step paradigms take exactly `limit_s`.
    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, limit_s: f64) -> Result<StepReport, Trouble>;

    /// Every point that touched, or might have, in the last step, ordered by instant, then pair, then feature.
    fn touches(&self) -> &[Touch];

    /// Appends everything an exact continuation needs: warm starts, anchors, bristles, modes.
    fn memory(&self, out: &mut Vec<f64>);

    /// Restores what [`Paradigm::memory`] wrote. Returns `false` if it does not fit.
    fn set_memory(&mut self, memory: &[f64]) -> bool;

    /// Motion of every body after the last step, if joint coordinates do not determine it because joints may come
    /// apart.
    fn motions(&self) -> Option<&[BodyMotion]> {
        None
    }

    /// Energy in contacts and limits [J].
    fn stored_energy(&self) -> f64 {
        0.0
    }

    /// Appends warnings to read before trusting the motion. They name the settings of the native engine.
    fn warnings(&self, _out: &mut Vec<String>) {}
}

/// One point of one pair in one step, or at one instant inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Time [s]: the end of the step, or the located instant inside it.
    pub time: f64,
    /// Slots of the bodies in the layout.
    pub bodies: [u32; 2],
    /// Identifies the point within the pair: the same number in the next step is the same place on the same features.
    pub feature: u64,
    /// Position in the world [m].
    pub point: [f64; 3],
    /// Unit normal from the second body to the first, world axes.
    pub normal: [f64; 3],
    /// Signed gap at `time` [m].
    pub gap: f64,
    /// Relative velocity along the normal before the step or impact [m/s]; negative when closing.
    pub approach: f64,
    /// Relative velocity of the first body's point after the step or impact, world axes [m/s].
    pub velocity: [f64; 3],
    /// Impulse on the first body over the step (or at the impact), world axes [N s].
    pub impulse: [f64; 3],
    /// Whether friction holds the point.
    pub sticks: bool,
    /// Whether `time` is located inside a step, so that this is an impact without duration.
    pub located: bool,
}
