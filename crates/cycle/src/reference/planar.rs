//! Common parts of the reduced walkers: a flow of `N` numbers, a guard, a jump.

use super::extrapolation::{flow, until};
use crate::map::{NoReturn, Stride, StrideEvent};

/// A walker in `N` coordinates.
pub(super) trait Reduced<const N: usize> {
    /// Longest step of the integration [s].
    const STEP_S: f64;
    /// Longest stride [s].
    const LATEST_S: f64;

    fn field(&self, y: &[f64; N]) -> [f64; N];

    /// Rises through zero at the strike.
    fn guard(&self, y: &[f64; N]) -> f64;

    /// Whether a zero of the guard at this state is a strike and not a scuff.
    fn counts(&self, y: &[f64; N]) -> bool;

    /// Whether the walker fell or turned back, and why.
    fn lost(&self, y: &[f64; N]) -> Option<NoReturn>;

    /// From just before the strike to just after it, legs renamed.
    fn jump(&self, y: &[f64; N]) -> [f64; N];

    /// A stride with steps no longer than `step_s`.
    fn walk(&self, start: &[f64], end: &mut Vec<f64>, step_s: f64) -> Result<Stride, NoReturn> {
        let start = array::<N>(start)?;
        let lost = |y: &[f64; N]| self.lost(y).is_some();
        let counts = |y: &[f64; N]| self.counts(y);
        let found = until(&|y| self.field(y), &start, step_s, Self::LATEST_S, &|y| self.guard(y), &counts, &lost);
        let Some((time_s, before)) = found else { return Err(self.why(&start, step_s)) };
        end.clear();
        end.extend(self.jump(&before));
        Ok(Stride { time_s, events: vec![StrideEvent { time_s, what: "impact".to_string() }] })
    }

    /// Why a stride had no strike.
    fn why(&self, start: &[f64; N], step_s: f64) -> NoReturn {
        let (mut y, mut time) = (*start, 0.0);
        while time < Self::LATEST_S {
            y = flow(&|y| self.field(y), &y, step_s, step_s);
            time += step_s;
            if let Some(why) = self.lost(&y) {
                return why;
            }
        }
        NoReturn::TooLong(Self::LATEST_S)
    }

    fn drift(&self, from: &[f64], duration_s: f64, to: &mut Vec<f64>) -> Result<(), NoReturn> {
        let end = flow(&|y| self.field(y), &array::<N>(from)?, duration_s, Self::STEP_S);
        to.clear();
        to.extend(end);
        Ok(())
    }
}

/// A state as an array.
pub(super) fn array<const N: usize>(state: &[f64]) -> Result<[f64; N], NoReturn> {
    state.try_into().map_err(|_| NoReturn::Trouble(format!("the state has {} numbers, not {N}", state.len())))
}

/// Implements [`crate::StrideMap`] and [`crate::Arcs`] for a [`Reduced`] walker without constraints other than the
/// guard.
macro_rules! reduced_map {
    ($walker:ty, $count:literal, $names:expr) => {
        impl crate::map::StrideMap for $walker {
            fn size(&self) -> usize {
                $count
            }

            fn names(&self) -> Vec<String> {
                $names.map(str::to_string).to_vec()
            }

            fn constraints(
                &mut self,
                state: &[f64],
                place: crate::map::Place,
                out: &mut Vec<f64>,
            ) -> Result<(), crate::map::NoReturn> {
                let state = crate::reference::planar::array(state)?;
                match place {
                    crate::map::Place::Arc => {}
                    crate::map::Place::Start => out.push(self.section(&state)),
                    crate::map::Place::Strike => out.push(self.guard(&state)),
                }
                Ok(())
            }

            fn stride(
                &mut self,
                start: &[f64],
                end: &mut Vec<f64>,
            ) -> Result<crate::map::Stride, crate::map::NoReturn> {
                self.walk(start, end, Self::STEP_S)
            }

            fn stride_loosely(
                &mut self,
                start: &[f64],
                end: &mut Vec<f64>,
            ) -> Option<Result<crate::map::Stride, crate::map::NoReturn>> {
                // Order 16: a step 1.15 times as long has ten times the error; twice as long is a stronger test.
                Some(self.walk(start, end, 2.0 * Self::STEP_S))
            }
        }

        impl crate::map::Arcs for $walker {
            fn flow(&mut self, from: &[f64], duration_s: f64, to: &mut Vec<f64>) -> Result<(), crate::map::NoReturn> {
                self.drift(from, duration_s, to)
            }

            fn strike(&mut self, before: &[f64], after: &mut Vec<f64>) -> Result<(), crate::map::NoReturn> {
                after.clear();
                after.extend(self.jump(&crate::reference::planar::array(before)?));
                Ok(())
            }
        }
    };
}
pub(super) use reduced_map;
