//! The limit cycle of a scenario, with names resolved. The search itself is in `veracity-cycle`.

pub use crate::file::cycle_table::CycleVerdictWord;

/// One collision shape of a body of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FootShape {
    /// Slot of the body in the layout.
    pub body: usize,
    /// Index among the body's shapes.
    pub shape: usize,
}

/// What repeats, and how the state after a strike is relabelled.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleConfig {
    /// The foot that stands at the start.
    pub stance: FootShape,
    /// The foot whose impact ends the stride.
    pub strike: FootShape,
    /// The foot that has just left the ground at the start.
    pub released: FootShape,
    /// Strikes per stride: 1 or 2.
    pub strikes: u32,
    /// Bodies that are swapped, by slots.
    pub swap: Vec<[usize; 2]>,
    /// World axis across which everything is mirrored.
    pub mirror: Option<usize>,
    /// Added to entries of `q` [rad or m].
    pub shift: Vec<(usize, f64)>,
    /// Entries of `v` whose positions do not matter.
    pub cyclic: Vec<usize>,
    /// A stride that takes longer does not count [s].
    pub longest_s: f64,
    /// Known properties of the cycle.
    pub expect: Option<CycleExpect>,
}

/// Known properties of a cycle, with bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleExpect {
    /// Expected verdict.
    pub verdict: CycleVerdictWord,
    /// Source of the numbers.
    pub source: String,
    /// Largest distance of the start from the fixed point.
    pub start_bound: Option<f64>,
    /// Period and bound [s].
    pub period_s: Option<(f64, f64)>,
    /// Multipliers as (real, imaginary), and their bound.
    pub multipliers: Option<(Vec<[f64; 2]>, f64)>,
    /// Largest modulus and its bound.
    pub radius: Option<(f64, f64)>,
    /// Reason for the bounds.
    pub reason: String,
}
