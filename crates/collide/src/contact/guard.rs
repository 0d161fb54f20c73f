//! Properties of the named contact pairs of a world: their material, and the conditions under which they are active.

use veracity_model::{BodyId, Layout, MaterialId, StateCondition, World};

/// A named contact pair with conditions: the shapes of its bodies touch only while it is live.
#[derive(Clone, Debug, PartialEq)]
pub struct PairGuard {
    /// Its slot in [`Layout::pairs`].
    pub named: usize,
    /// The conditions: quantities with their intervals, ends included.
    pub numbers: Vec<GuardedNumber>,
    /// Whether it is live now.
    pub live: bool,
}

/// One condition of a guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuardedNumber {
    /// `q[index]` of the world.
    Position {
        /// In `q`.
        index: usize,
        /// Lower end [rad or m].
        above: f64,
        /// Upper end [rad or m].
        below: f64,
    },
    /// `v[index]` of the world.
    Velocity {
        /// In `v`.
        index: usize,
        /// Lower end [rad/s or m/s].
        above: f64,
        /// Upper end [rad/s or m/s].
        below: f64,
    },
}

/// Properties of a named contact pair that apply to pairs of shapes.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub a: usize,
    /// `None` for the environment.
    pub b: Option<usize>,
    pub material: Option<(usize, MaterialId)>,
    pub guard: Option<usize>,
}

impl GuardedNumber {
    /// Whether the quantity is in its interval.
    pub fn holds(&self, q: &[f64], v: &[f64]) -> bool {
        let (number, above, below) = match *self {
            Self::Position { index, above, below } => (q.get(index), above, below),
            Self::Velocity { index, above, below } => (v.get(index), above, below),
        };
        number.is_some_and(|x| (above..=below).contains(x))
    }
}

/// The named pairs of a world, and those with conditions.
pub(super) fn named_pairs(world: &World, layout: &Layout) -> (Vec<Named>, Vec<PairGuard>) {
    let (mut named, mut guards) = (Vec::new(), Vec::new());
    let (mut first, mut slot) = (0, 0);
    for (p, placement) in world.placements.iter().enumerate() {
        let model = &placement.model;
        for pair in model.contact_pairs() {
            let body = |b: BodyId| first + b.0;
            let numbers = pair.conditions.iter().map(|condition| match *condition {
                StateCondition::JointPosition { joint, above, below } => {
                    GuardedNumber::Position { index: layout.joints[first + joint.0].q, above, below }
                }
                StateCondition::JointVelocity { joint, above, below } => {
                    GuardedNumber::Velocity { index: layout.joints[first + joint.0].v, above, below }
                }
            });
            let numbers: Vec<GuardedNumber> = numbers.collect();
            let guard = (!numbers.is_empty()).then_some(guards.len());
            named.push(Named {
                a: body(pair.a),
                b: pair.b.map(body),
                material: pair.material.map(|m| (p, m)),
                guard,
            });
            if guard.is_some() {
                guards.push(PairGuard { named: slot, numbers, live: true });
            }
            slot += 1;
        }
        first += model.bodies().len();
    }
    (named, guards)
}
