//! A cycle with its multipliers, its stability, and the error of each number.

use crate::differences::{Stencil, stride_jacobian};
use crate::manifold::size;
use crate::map::{Arcs, NoReturn, StrideEvent, StrideMap};
use crate::newton::{FixedPoint, NoCycle, Search, find};
use crate::saltation::monodromy;
use crate::spectrum::{Multiplier, distance, eigenvalues, multipliers};
use nalgebra::{Complex, DMatrix};

/// Steps of the differences of order six, in the units of a displacement. From one to the next, truncation falls
/// 4096-fold and the noise of a stride grows fourfold: for walkers of unit size with strides accurate to 1e-13 one of
/// them is accurate to 1e-9, near a scuff the smaller ones.
pub const STEPS: [f64; 3] = [4e-4, 1e-4, 2.5e-5];

/// A number and its error bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Error bound.
    pub error: f64,
}

/// A limit cycle.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// On the section, just after the strike.
    pub state: Vec<f64>,
    /// Names of the components of a displacement.
    pub names: Vec<String>,
    /// Error bound of the state, for each component of a displacement.
    pub state_error: Vec<f64>,
    /// From strike to strike [s].
    pub period_s: Estimate,
    /// Residual |P(x) - x|.
    pub residual: f64,
    /// Number of Newton steps.
    pub iterations: u32,
    /// Events of a stride.
    pub events: Vec<StrideEvent>,
    /// Floquet multipliers of one stride, the largest modulus first.
    pub multipliers: Vec<Multiplier>,
    /// The largest modulus.
    pub radius: Estimate,
    /// Multipliers by saltation matrices, if they were computed.
    pub saltation: Option<Saltation>,
}

/// Multipliers by saltation matrices.
#[derive(Clone, Debug, PartialEq)]
pub struct Saltation {
    /// The multipliers, without the one along the motion.
    pub multipliers: Vec<Complex<f64>>,
    /// Largest distance of one of them from its counterpart by differences.
    pub distance: f64,
    /// How far the multiplier along the motion is from 1.
    pub flow_defect: f64,
}

/// Result of the analysis of a walker.
#[derive(Clone, Debug)]
pub enum CycleAnalysis {
    /// It has a cycle here.
    Cycle(Box<Cycle>),
    /// None was found, and why. Where the motion could not be computed this is not a statement about the walker:
    /// [`CycleAnalysis::stability`] is then "cannot tell".
    NoCycle(NoCycle),
}

/// Stability of a walker's cycle.
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
    /// The printed word.
    pub fn word(self) -> &'static str {
        match self {
            Stability::Stable => "stable",
            Stability::Unstable => "unstable",
            Stability::CannotTell => "cannot tell",
            Stability::NoCycle => "no cycle",
        }
    }
}

impl CycleAnalysis {
    /// The stability, as far as it is known.
    pub fn stability(&self) -> Stability {
        match self {
            CycleAnalysis::NoCycle(why) if why.is_trouble() => Stability::CannotTell,
            CycleAnalysis::NoCycle(_) => Stability::NoCycle,
            CycleAnalysis::Cycle(cycle) => {
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
            CycleAnalysis::Cycle(cycle) => Some(cycle),
            CycleAnalysis::NoCycle(_) => None,
        }
    }
}

/// Computes fixed point and multipliers by differences of strides.
pub fn analyse<M: StrideMap + ?Sized>(
    map: &mut M,
    guess: &[f64],
    search: &Search,
) -> Result<CycleAnalysis, NoReturn> {
    match find(map, guess, search) {
        Ok(found) => Ok(CycleAnalysis::Cycle(Box::new(describe(map, found, None)?))),
        Err(why) => Ok(CycleAnalysis::NoCycle(why)),
    }
}

/// The same, and the multipliers a second time by saltation matrices.
pub fn analyse_twice<M: Arcs + ?Sized>(
    map: &mut M,
    guess: &[f64],
    search: &Search,
) -> Result<CycleAnalysis, NoReturn> {
    match find(map, guess, search) {
        Ok(found) => {
            let second = monodromy(map, &found.state, found.stride.time_s)?;
            Ok(CycleAnalysis::Cycle(Box::new(describe(map, found, Some((second.matrix, second.flow_defect)))?)))
        }
        Err(why) => Ok(CycleAnalysis::NoCycle(why)),
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
    let none =
        || NoReturn::Trouble("has multipliers that cannot be computed: the derivative is not finite".to_string());
    let values = multipliers(&jacobian, jacobian_error).ok_or_else(none)?;

    // (3) of Newton, for each component of the displacement.
    let k = basis.ncols();
    let inverse = (DMatrix::identity(k, k) - &jacobian).try_inverse();
    let spread = inverse.as_ref().map_or(f64::INFINITY, |m| m.norm()) * (residual + own.state);
    // Components fixed by the constraints are known to rounding.
    let rounding = 64.0 * f64::EPSILON;
    let state_error = (0..basis.nrows()).map(|i| (basis.row(i).norm() * spread).max(rounding)).collect();
    let period_error = own.time + spread * time_slope(map, &state, &basis)?;

    let saltation = match second {
        None => None,
        Some((matrix, flow_defect)) => {
            let mut all = eigenvalues(&matrix).ok_or_else(none)?;
            // Find the multiplier along the motion.
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

/// The derivative at the one of [`STEPS`] where it changes least towards the next, and the norm of its error.
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
        // Near the boundary of walking, larger steps may cross it where smaller ones do not.
        let finer = match stride_jacobian(map, state, basis, Stencil::Sixth, step) {
            Ok(finer) => finer,
            Err(why) => {
                failed = Some(why);
                continue;
            }
        };
        if let Some(coarser) = &coarser {
            // The two differ by the truncation of the coarser one and the noise of both.
            let error = (&finer - coarser).norm() + noise / step;
            if best.as_ref().is_none_or(|(_, least)| error < *least) {
                best = Some((finer.clone(), error));
            }
        }
        coarser = Some(finer);
    }
    let none = || NoReturn::Trouble("has no derivative at this state".to_string());
    best.ok_or_else(|| failed.unwrap_or_else(none))
}

/// Error of a stride.
struct MapError {
    state: f64,
    time: f64,
}

/// The error of a stride, estimated from its change when ten times the error is allowed; at least rounding.
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
    // The loose stride is off by at least nine tenths of the difference; the whole difference is used as the error of
    // the tight one.
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
