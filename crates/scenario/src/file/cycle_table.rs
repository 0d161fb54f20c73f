//! `[cycle]` of a scenario file: the limit cycle `veracity cycle` looks for.

use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[cycle]`: a walker that repeats itself. The scenario's start is the guess: just after a strike.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CycleTable {
    /// The foot that stands at the start, as body/shape.
    pub stance: String,
    /// The foot whose impact with the ground ends the stride, as body/shape.
    pub strike: String,
    /// The foot that has just left the ground at the start; default: the one that strikes.
    #[serde(default)]
    pub released: Option<String>,
    /// Strikes in a stride: 1, or 2 for a walker that is not its own mirror image, which first lands on the foot that
    /// strikes and then again on the one that stands at the start.
    #[serde(default = "one")]
    pub strikes: u32,
    /// Bodies that change places after a strike, so that one step is a whole stride.
    #[serde(default)]
    pub swap: Vec<[String; 2]>,
    /// The world axis across which everything is mirrored after a strike.
    #[serde(default)]
    pub mirror: Option<MirrorWord>,
    /// Added to positions after a strike [rad or m], by joint, or joint/entry where it has several: the next spoke of a
    /// wheel.
    #[serde(default)]
    pub shift: BTreeMap<String, f64>,
    /// Positions along which nothing changes, by joint/entry: 0, 1, 2 of a planar joint, x, y, z of a free one.
    #[serde(default)]
    pub cyclic: Vec<String>,
    /// A stride that takes longer is rejected [s]; default: the duration.
    #[serde(default)]
    pub longest_s: Option<f64>,
    /// What is known of the cycle.
    #[serde(default)]
    pub expect: Option<CycleExpectTable>,
}

fn one() -> u32 {
    1
}

/// A world axis.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MirrorWord {
    /// Forwards.
    X,
    /// To the left.
    Y,
    /// Up.
    Z,
}

/// `[cycle.expect]`: what is known, with bounds. What is left out is not held to anything.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CycleExpectTable {
    /// What becomes of it.
    pub verdict: CycleVerdictWord,
    /// Where the numbers come from.
    pub source: String,
    /// The start is the fixed point to within this in every number that is not cyclic [rad, m, rad/s, m/s].
    #[serde(default)]
    pub start_bound: Option<f64>,
    /// From strike to strike [s].
    #[serde(default)]
    pub period_s: Option<f64>,
    /// How far it may be off [s].
    #[serde(default)]
    pub period_bound_s: Option<f64>,
    /// Floquet multipliers of one stride as [real, imaginary], all of them; zero ones may be left out.
    #[serde(default)]
    pub multipliers: Vec<[f64; 2]>,
    /// How far each may be off.
    #[serde(default)]
    pub multiplier_bound: Option<f64>,
    /// The largest modulus of a multiplier, where not all are known.
    #[serde(default)]
    pub radius: Option<f64>,
    /// How far it may be off.
    #[serde(default)]
    pub radius_bound: Option<f64>,
    /// Where the bounds come from.
    pub reason: String,
}

/// What becomes of a walker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CycleVerdictWord {
    /// Every multiplier lies inside the unit circle.
    Stable,
    /// One lies outside.
    Unstable,
    /// There is none.
    NoCycle,
}
