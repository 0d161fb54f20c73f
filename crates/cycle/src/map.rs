//! A stride as a black box, and what more is needed to differentiate along it.

use thiserror::Error;

/// A motion that comes back to its section once in every stride.
///
/// A state is a row of numbers that only the map understands (positions with quaternions, velocities). Small changes of
/// it are *displacements*, as many numbers as there are independent directions. A state on the section satisfies
/// [`StrideMap::constraints`]: feet stand on the ground and do not slide.
pub trait StrideMap {
    /// How many numbers a displacement has.
    fn size(&self) -> usize;

    /// What each number of a displacement is called.
    fn names(&self) -> Vec<String>;

    /// The state a displacement away.
    fn displace(&self, from: &[f64], by: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(from.iter().zip(by).map(|(a, b)| a + b));
    }

    /// The displacement from one state to another.
    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        for (o, (a, b)) in out.iter_mut().zip(from.iter().zip(to)) {
            *o = b - a;
        }
    }

    /// Displacements along which nothing changes: where the walker is on its slope. A cycle may move along them.
    fn cyclic(&self) -> &[usize] {
        &[]
    }

    /// What is zero at this place of the stride, appended to `out`. How many there are depends on the place only.
    fn constraints(&mut self, state: &[f64], place: Place, out: &mut Vec<f64>) -> Result<(), NoReturn>;

    /// From the section to the section, symmetry applied: what a fixed point repeats.
    fn stride(&mut self, start: &[f64], end: &mut Vec<f64>) -> Result<Stride, NoReturn>;

    /// The same with ten times the error allowed: what the map's own error is judged from. `None` where there is no such
    /// choice.
    fn stride_loosely(&mut self, _start: &[f64], _end: &mut Vec<f64>) -> Option<Result<Stride, NoReturn>> {
        None
    }
}

/// A stride that can be taken apart at its strike: smooth motion up to it, a jump of the state at it.
pub trait Arcs: StrideMap {
    /// Smooth motion from a state on the arc for a while [s]; strikes on the way do not happen.
    fn flow(&mut self, from: &[f64], duration_s: f64, to: &mut Vec<f64>) -> Result<(), NoReturn>;

    /// From just before the strike to just after it, symmetry applied.
    fn strike(&mut self, before: &[f64], after: &mut Vec<f64>) -> Result<(), NoReturn>;
}

/// Where in the stride a state stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the section: just after the strike, legs renamed.
    Start,
    /// Between.
    Arc,
    /// Just before the strike. Its constraints are those of the arc, and then one more: the guard.
    Strike,
}

/// What a stride was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stride {
    /// How long it took [s].
    pub time_s: f64,
    /// What happened on the way, the strike last.
    pub events: Vec<StrideEvent>,
}

/// Something that happened in a stride.
#[derive(Clone, Debug, PartialEq)]
pub struct StrideEvent {
    /// Since the section [s].
    pub time_s: f64,
    /// `impact left_foot`.
    pub what: String,
}

/// Why a stride did not come back to its section.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NoReturn {
    /// It stopped or turned back.
    #[error("does not pass midstance: {0}")]
    TurnedBack(String),
    /// It fell.
    #[error("falls: {0}")]
    Fell(String),
    /// Nothing came in time.
    #[error("did not come back to the section within {0} s")]
    TooLong(f64),
    /// The motion could not be computed.
    #[error("{0}")]
    Trouble(String),
}
