//! The limit cycle a scenario asks for, names resolved. The search itself is in `veracity-cycle`.

pub use crate::file::cycle_table::CycleVerdictWord;

/// One collision shape of a body of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FootShape {
    /// Slot of the body in the layout.
    pub body: usize,
    /// Index among the body's shapes.
    pub shape: usize,
}

/// What repeats, and how the state after a strike is renamed.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleConfig {
    /// Stands at the start.
    pub stance: FootShape,
    /// Its impact ends the stride.
    pub strike: FootShape,
    /// Has just left the ground at the start.
    pub released: FootShape,
    /// Strikes in a stride: 1 or 2.
    pub strikes: u32,
    /// Bodies that change places, by slots.
    pub swap: Vec<[usize; 2]>,
    /// World axis across which all is mirrored.
    pub mirror: Option<usize>,
    /// Added to entries of `q` [rad or m].
    pub shift: Vec<(usize, f64)>,
    /// Entries of `v` whose positions do not matter.
    pub cyclic: Vec<usize>,
    /// A stride that takes longer is none [s].
    pub longest_s: f64,
    /// What is known.
    pub expect: Option<CycleExpect>,
}

/// What is known of a cycle, with bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleExpect {
    /// What becomes of it.
    pub verdict: CycleVerdictWord,
    /// Where the numbers come from.
    pub source: String,
    /// How far the start is from the fixed point at most.
    pub start_bound: Option<f64>,
    /// Period and bound [s].
    pub period_s: Option<(f64, f64)>,
    /// Multipliers as (real, imaginary), and the bound.
    pub multipliers: Option<(Vec<[f64; 2]>, f64)>,
    /// Largest modulus and bound.
    pub radius: Option<(f64, f64)>,
    /// Where the bounds come from.
    pub reason: String,
}
