//! The stride map, and the interface needed to differentiate along a stride.

use thiserror::Error;

/// A motion that returns to its section once per stride.
///
/// A state is an array of numbers that only the map interprets (positions with quaternions, velocities). Small changes
/// of it are *displacements*, with as many numbers as there are independent directions. A state on the section
/// satisfies [`StrideMap::constraints`]: feet stand on the ground and do not slide.
pub trait StrideMap {
    /// Number of components of a displacement.
    fn size(&self) -> usize;

    /// Names of the components of a displacement.
    fn names(&self) -> Vec<String>;

    /// The state that is a displacement away.
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

    /// Displacements along which nothing changes: the walker's position on its slope. A cycle may move along them.
    fn cyclic(&self) -> &[usize] {
        &[]
    }

    /// Appends to `out` the quantities that are zero at this place of the stride. Their number depends on the place
    /// only.
    fn constraints(&mut self, state: &[f64], place: Place, out: &mut Vec<f64>) -> Result<(), NoReturn>;

    /// From the section to the section, symmetry applied: the map whose fixed point is a cycle.
    fn stride(&mut self, start: &[f64], end: &mut Vec<f64>) -> Result<Stride, NoReturn>;

    /// The same with ten times the error allowed, to estimate the map's own error. `None` where there is no such
    /// choice.
    fn stride_loosely(&mut self, _start: &[f64], _end: &mut Vec<f64>) -> Option<Result<Stride, NoReturn>> {
        None
    }
}

/// A stride that can be split at its strike: smooth motion up to it, a jump of the state at it.
pub trait Arcs: StrideMap {
    /// Smooth motion from a state on the arc for a duration [s]; strikes are ignored.
    fn flow(&mut self, from: &[f64], duration_s: f64, to: &mut Vec<f64>) -> Result<(), NoReturn>;

    /// From just before the strike to just after it, symmetry applied.
    fn strike(&mut self, before: &[f64], after: &mut Vec<f64>) -> Result<(), NoReturn>;
}

/// A place in the stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the section: just after the strike, legs renamed.
    Start,
    /// Between start and strike.
    Arc,
    /// Just before the strike. Its constraints are those of the arc, followed by the guard.
    Strike,
}

/// Duration and events of a stride.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stride {
    /// Duration [s].
    pub time_s: f64,
    /// Events of the stride, the strike last.
    pub events: Vec<StrideEvent>,
}

/// An event of a stride.
#[derive(Clone, Debug, PartialEq)]
pub struct StrideEvent {
    /// Time since the section [s].
    pub time_s: f64,
    /// Kind and body, such as `impact left_foot`.
    pub what: String,
}

/// Why a stride did not return to its section. The messages continue "the walker …".
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NoReturn {
    /// It stopped or turned back.
    #[error("does not pass midstance: {0}")]
    TurnedBack(String),
    /// It fell.
    #[error("falls: {0}")]
    Fell(String),
    /// No strike in time.
    #[error("did not return to the section within {0} s")]
    TooLong(f64),
    /// The motion could not be computed.
    #[error("{0}")]
    Trouble(String),
}
