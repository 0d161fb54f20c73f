//! What the three ways have in common.

use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Efforts, Trouble};

/// A way to move a world whose bodies touch. It owns its world (system, shapes, surfaces) and its scratch; nothing in a
/// step allocates once the number of contacts has been seen.
pub trait Paradigm: Send {
    /// One step of at most `limit_s`; fixed-step ways take exactly `limit_s`.
    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, limit_s: f64) -> Result<StepReport, Trouble>;

    /// Every point that touched, or might have, in the last step, in order of instants, then pairs, then features.
    fn touches(&self) -> &[Touch];

    /// Appends what must be kept for an exact continuation: warm starts, anchors, bristles, modes.
    fn memory(&self, out: &mut Vec<f64>);

    /// Puts back what [`Paradigm::memory`] gave. `false` if it does not fit.
    fn set_memory(&mut self, memory: &[f64]) -> bool;
}

/// One point of one pair in one step, or at one instant inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// When [s]: the end of the step, or the located instant inside it.
    pub time: f64,
    /// Slots of the bodies in the layout.
    pub bodies: [u32; 2],
    /// Which point of the pair: the same number in the next step is the same place on the same features.
    pub feature: u64,
    /// Where, in the world [m].
    pub point: [f64; 3],
    /// Unit normal from the second body to the first, world axes.
    pub normal: [f64; 3],
    /// Signed gap at `time` [m].
    pub gap: f64,
    /// Relative velocity along the normal before the step or impact [m/s]; negative when closing.
    pub approach: f64,
    /// Relative velocity of the first body's point after it, world axes [m/s].
    pub velocity: [f64; 3],
    /// On the first body over the step (or at the impact), world axes [N s].
    pub impulse: [f64; 3],
    /// Whether friction holds the point.
    pub sticks: bool,
    /// Whether `time` is located inside a step, and this an impact of no duration.
    pub located: bool,
}
