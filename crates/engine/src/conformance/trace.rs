//! The observable state of a simulation, in a form in which two runs can be compared.

use crate::contract::{BodyState, Simulation};
use crate::inputs::Inputs;
use crate::samples::Samples;
use veracity_model::{Pose, Vec3};

/// Everything the contract reports at some instants: bits for exact comparison, positions for distances.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Trace {
    pub bits: Vec<u64>,
    pub positions: Vec<f64>,
}

/// A body at rest at the origin, to be overwritten.
pub(super) const NOWHERE: fn() -> BodyState = || BodyState {
    world_from_body: Pose::identity(),
    angular_velocity: Vec3::zeros(),
    linear_velocity: Vec3::zeros(),
};

/// Motion of every body.
pub(super) fn bodies(simulation: &mut dyn Simulation) -> Vec<BodyState> {
    let mut out = vec![NOWHERE(); simulation.layout().bodies.len()];
    simulation.bodies(&mut out);
    out
}

impl Trace {
    /// Adds the present instant.
    pub(super) fn look(&mut self, simulation: &mut dyn Simulation) {
        let mut put = |x: f64| self.bits.push(x.to_bits());
        put(simulation.time());
        simulation.q().iter().chain(simulation.v()).for_each(|x| put(*x));
        for body in bodies(simulation) {
            let (p, r) = (body.world_from_body.translation, body.world_from_body.rotation);
            let (w, v) = (body.angular_velocity, body.linear_velocity);
            [p.x, p.y, p.z, r.w, r.i, r.j, r.k, w.x, w.y, w.z, v.x, v.y, v.z].into_iter().for_each(&mut put);
        }
        let mut gaps = vec![0.0; simulation.layout().pairs.len()];
        simulation.least_gaps(&mut gaps);
        gaps.iter().for_each(|x| put(*x));
        let totals = simulation.totals();
        self.bits.extend([totals.steps, totals.evaluations, totals.rejected]);
        self.positions.extend_from_slice(simulation.q());
    }

    /// Largest difference of a position [rad or m].
    pub(super) fn distance(&self, other: &Trace) -> f64 {
        if self.positions.len() != other.positions.len() {
            return f64::INFINITY;
        }
        let pairs = self.positions.iter().zip(&other.positions);
        pairs.fold(0.0, |worst, (a, b)| if (a - b).is_nan() { f64::INFINITY } else { worst.max((a - b).abs()) })
    }

    /// As bytes, for another process.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = (self.bits.len() as u64).to_le_bytes().to_vec();
        self.bits.iter().for_each(|x| out.extend(x.to_le_bytes()));
        self.positions.iter().for_each(|x| out.extend(x.to_bits().to_le_bytes()));
        out
    }

    /// From bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let words: Vec<u64> =
            bytes.chunks_exact(8).map(|c| u64::from_le_bytes(std::array::from_fn(|k| c[k]))).collect();
        let (&count, rest) = words.split_first()?;
        let (bits, positions) = rest.split_at_checked(usize::try_from(count).ok()?)?;
        Some(Self { bits: bits.to_vec(), positions: positions.iter().map(|x| f64::from_bits(*x)).collect() })
    }
}

/// Advances piece by piece from the simulation's present grid (`start + n · step`), recording the state after each
/// piece.
pub(super) fn follow(
    simulation: &mut dyn Simulation,
    inputs: &Inputs,
    step_s: f64,
    pieces: std::ops::Range<u64>,
    start: f64,
) -> Result<Trace, String> {
    let mut trace = Trace::default();
    let mut none = Samples::none(simulation.layout());
    for piece in pieces {
        let until = start + ((piece + 1) * STEPS_A_PIECE) as f64 * step_s;
        simulation.advance(until, inputs, &mut none).map_err(|e| e.to_string())?;
        trace.look(simulation);
    }
    Ok(trace)
}

/// Steps between two records of [`follow`].
pub(super) const STEPS_A_PIECE: u64 = 5;
