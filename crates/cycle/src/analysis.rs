//! A cycle with everything that is said about it, and how sure each number is.

use crate::differences::{Stencil, stride_jacobian};
use crate::manifold::size;
use crate::map::{Arcs, NoReturn, StrideEvent, StrideMap};
use crate::newton::{FixedPoint, NoCycle, Search, find};
use crate::saltation::monodromy;
use crate::spectrum::{Multiplier, distance, eigenvalues, multipliers};
use nalgebra::{Complex, DMatrix};

/// Steps of the differences of order six, in the units of a displacement. From one to the next truncation falls 4096-fold
/// and the noise of a stride grows fourfold: of walkers of unit size with strides good to 1e-13 one of them is good to
/// 1e-9, near a scuff the smaller ones.
pub const STEPS: [f64; 3] = [4e-4, 1e-4, 2.5e-5];

/// A number and how far it may be off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// How far it may be off.
    pub error: f64,
}

/// A limit cycle.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// On the section, just after the strike.
    pub state: Vec<f64>,
    /// What the numbers of a displacement are called.
    pub names: Vec<String>,
    /// How far the state may be off, for each number of a displacement.
    pub state_error: Vec<f64>,
    /// From strike to strike [s].
    pub period_s: Estimate,
    /// |P(x) - x|
    pub residual: f64,
    /// Newton steps.
    pub iterations: u32,
    /// What happens in a stride.
    pub events: Vec<StrideEvent>,
    /// Floquet multipliers of one stride, the largest modulus first.
    pub multipliers: Vec<Multiplier>,
    /// The largest modulus.
    pub radius: Estimate,
    /// By saltation matrices: the largest distance from those by differences, and the defect of the multiplier along the
    /// motion.
    pub saltation: Option<Saltation>,
}

/// The second way to the multipliers.
#[derive(Clone, Debug, PartialEq)]
pub struct Saltation {
    /// Without the one along the motion.
    pub multipliers: Vec<Complex<f64>>,
    /// Largest distance of one of them from that by differences.
    pub distance: f64,
    /// How far the multiplier along the motion is from 1.
    pub flow_defect: f64,
}

/// What can be said about a walker.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It has a cycle here.
    Cycle(Box<Cycle>),
    /// None was found, and why. Where the motion could not be computed this says nothing about the walker:
    /// [`Outcome::stability`] is then "cannot tell".
    NoCycle(NoCycle),
}

/// The word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// Every multiplier lies inside the unit circle by more than its error.
    Stable,
    /// One lies outside by more than its error.
    Unstable,
    /// The largest is on the circle within its error, or the motion could not be computed.
    CannotTell,
    /// There is no cycle.
    NoCycle,
}

impl Stability {
    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Stability::Stable => "stable",
            Stability::Unstable => "unstable",
            Stability::CannotTell => "cannot tell",
            Stability::NoCycle => "no cycle",
        }
    }
}

impl Outcome {
    /// The verdict.
    pub fn stability(&self) -> Stability {
        match self {
            Outcome::NoCycle(why) if why.is_trouble() => Stability::CannotTell,
            Outcome::NoCycle(_) => Stability::NoCycle,
            Outcome::Cycle(cycle) => {
                let Estimate { value, error } = cycle.radius;
                if value + error < 1.0 {
                    Stability::Stable
                } else if value - error > 1.0 {
                    Stability::Unstable
                } else {
                    Stability::CannotTell
                }
            }
        }
    }

    /// The cycle, if there is one.
    pub fn cycle(&self) -> Option<&Cycle> {
        match self {
            Outcome::Cycle(cycle) => Some(cycle),
            Outcome::NoCycle(_) => None,
        }
    }
}

/// Fixed point and multipliers by differences of strides.
pub fn analyse<M: StrideMap + ?Sized>(map: &mut M, guess: &[f64], search: &Search) -> Result<Outcome, NoReturn> {
    match find(map, guess, search) {
        Ok(found) => Ok(Outcome::Cycle(Box::new(describe(map, found, None)?))),
        Err(why) => Ok(Outcome::NoCycle(why)),
    }
}

/// The same, and the multipliers a second time by saltation matrices.
pub fn analyse_twice<M: Arcs + ?Sized>(map: &mut M, guess: &[f64], search: &Search) -> Result<Outcome, NoReturn> {
    match find(map, guess, search) {
        Ok(found) => {
            let second = monodromy(map, &found.state, found.stride.time_s)?;
            Ok(Outcome::Cycle(Box::new(describe(map, found, Some((second.matrix, second.flow_defect)))?)))
        }
        Err(why) => Ok(Outcome::NoCycle(why)),
    }
}

fn describe<M: StrideMap + ?Sized>(
    map: &mut M,
    found: FixedPoint,
    second: Option<(DMatrix<f64>, f64)>,
) -> Result<Cycle, NoReturn> {
    let FixedPoint { state, basis, stride, residual, iterations, .. } = found;
    let own = map_error(map, &state)?;
    let (jacobian, jacobian_error) = best_jacobian(map, &state, &basis, own.state)?;
    let none = || NoReturn::Trouble("the multipliers cannot be computed: the derivative is not finite".to_string());
    let values = multipliers(&jacobian, jacobian_error).ok_or_else(none)?;

    // (3) of Newton, along each number of the displacement.
    let k = basis.ncols();
    let inverse = (DMatrix::identity(k, k) - &jacobian).try_inverse();
    let spread = inverse.as_ref().map_or(f64::INFINITY, |m| m.norm()) * (residual + own.state);
    // What the constraints dictate is known to rounding.
    let rounding = 64.0 * f64::EPSILON;
    let state_error = (0..basis.nrows()).map(|i| (basis.row(i).norm() * spread).max(rounding)).collect();
    let period_error = own.time + spread * time_slope(map, &state, &basis)?;

    let saltation = match second {
        None => None,
        Some((matrix, flow_defect)) => {
            let mut all = eigenvalues(&matrix).ok_or_else(none)?;
            // The one along the motion.
            let along = all.iter().map(|x| (x - Complex::new(1.0, 0.0)).norm()).enumerate();
            if let Some((at, _)) = along.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
                all.remove(at);
            }
            let by_differences: Vec<Complex<f64>> = values.iter().map(|m| m.value).collect();
            Some(Saltation { distance: distance(&by_differences, &all), multipliers: all, flow_defect })
        }
    };
    let radius = values.first().map_or(Estimate::default(), |m| Estimate { value: m.modulus(), error: m.error });
    Ok(Cycle {
        names: map.names(),
        state,
        state_error,
        period_s: Estimate { value: stride.time_s, error: period_error },
        residual,
        iterations,
        events: stride.events,
        multipliers: values,
        radius,
        saltation,
    })
}

/// The derivative at that of [`STEPS`] which changes least towards the next, and the norm of its error.
fn best_jacobian<M: StrideMap + ?Sized>(
    map: &mut M,
    state: &[f64],
    basis: &DMatrix<f64>,
    noise: f64,
) -> Result<(DMatrix<f64>, f64), NoReturn> {
    let mut best: Option<(DMatrix<f64>, f64)> = None;
    let mut coarser: Option<DMatrix<f64>> = None;
    let mut failed = None;
    for step in STEPS {
        // So near to the end of what walks that the larger steps fall over it, the smaller ones may not.
        let finer = match stride_jacobian(map, state, basis, Stencil::Sixth, step) {
            Ok(finer) => finer,
            Err(why) => {
                failed = Some(why);
                continue;
            }
        };
        if let Some(coarser) = &coarser {
            // The two differ by the truncation of the coarser and the noise of both.
            let error = (&finer - coarser).norm() + noise / step;
            if best.as_ref().is_none_or(|(_, least)| error < *least) {
                best = Some((finer.clone(), error));
            }
        }
        coarser = Some(finer);
    }
    let none = || NoReturn::Trouble("has no derivative here".to_string());
    best.ok_or_else(|| failed.unwrap_or_else(none))
}

/// How good a stride is.
struct MapError {
    state: f64,
    time: f64,
}

/// The error of a stride from how much it changes when ten times the error is allowed; rounding at least.
fn map_error<M: StrideMap + ?Sized>(map: &mut M, state: &[f64]) -> Result<MapError, NoReturn> {
    let rounding = 64.0 * f64::EPSILON * size(state).max(1.0);
    let (mut end, mut other, mut apart) = (Vec::new(), Vec::new(), vec![0.0; map.size()]);
    let stride = map.stride(state, &mut end)?;
    let Some(loose) = map.stride_loosely(state, &mut other) else {
        return Ok(MapError { state: rounding, time: rounding });
    };
    let loose = loose?;
    map.difference(&end, &other, &mut apart);
    for c in map.cyclic() {
        apart[*c] = 0.0;
    }
    // The loose one is off by at least nine tenths of what the two differ by; all of it is taken for the tight one.
    let time = (loose.time_s - stride.time_s).abs();
    Ok(MapError { state: size(&apart).max(rounding), time: time.max(rounding) })
}

/// |dT/dx| over the section.
fn time_slope<M: StrideMap + ?Sized>(map: &mut M, state: &[f64], basis: &DMatrix<f64>) -> Result<f64, NoReturn> {
    let (mut moved, mut end) = (Vec::new(), Vec::new());
    let mut sum = 0.0;
    for column in basis.column_iter() {
        let mut slope = 0.0;
        for sign in [1.0, -1.0] {
            let by: Vec<f64> = column.iter().map(|x| sign * STEPS[1] * x).collect();
            map.displace(state, &by, &mut moved);
            crate::manifold::settle(map, &mut moved, crate::map::Place::Start)?;
            slope += sign * map.stride(&moved, &mut end)?.time_s / (2.0 * STEPS[1]);
        }
        sum += slope * slope;
    }
    Ok(sum.sqrt())
}
