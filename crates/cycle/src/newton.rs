//! Fixed points of a stride map by Newton's method on `P(x) - x`.
//!
//! ```text
//! (1)  r = Tᵀ (P(x) ⊖ x),   J = D P in the basis T of the section at x
//! (2)  x ← x ⊕ s T (1 - J)⁻¹ r,  settled onto the section;  s = 1, ½, ¼ … until |r| shrinks
//! (3)  error of x:  |(1 - J)⁻¹| (|r| + error of P)
//! ```
//!
//! A stride that does not return does not end the search: the step is halved. When no step is left, there is no cycle
//! here, and the reason is that of the last stride.

use crate::differences::{Stencil, stride_jacobian};
use crate::manifold::{settle, tangent};
use crate::map::{NoReturn, Place, Stride, StrideMap};
use nalgebra::DMatrix;

/// Limits of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Largest number of Newton steps.
    pub iterations: u32,
    /// |r| at which the search ends.
    pub residual: f64,
    /// |r| that counts as a fixed point when it no longer shrinks: the noise of the map. It is included in the reported
    /// errors.
    pub good_enough: f64,
    /// Step of the differences for J, in the units of a displacement.
    pub step: f64,
}

impl Default for Search {
    fn default() -> Self {
        // Differences of order two at 1e-5: J to about 1e-9, with which each Newton step gains eight digits.
        Self { iterations: 40, residual: 1e-13, good_enough: 1e-8, step: 1e-5 }
    }
}

/// A state to which the stride returns.
#[derive(Clone, Debug)]
pub struct FixedPoint {
    /// On the section, just after the strike.
    pub state: Vec<f64>,
    /// Directions of the section at this state.
    pub basis: DMatrix<f64>,
    /// The stride from this state.
    pub stride: Stride,
    /// |r| at this state.
    pub residual: f64,
    /// Number of Newton steps.
    pub iterations: u32,
    /// The last J.
    pub jacobian: DMatrix<f64>,
}

/// Why no fixed point was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoCycle {
    /// The walker falls or stops on the first stride from the guess.
    #[error("the walker {0} on its first stride from the guess")]
    GuessFails(NoReturn),
    /// The search leaves the region where the walker walks.
    #[error("the search ends where the walker {why} (after {iterations} Newton steps, residual {residual:.1e})")]
    LeavesWhatWalks {
        /// Why the last stride failed.
        why: NoReturn,
        /// Newton steps done.
        iterations: u32,
        /// |r| at the last state that walked.
        residual: f64,
    },
    /// |r| does not shrink.
    #[error("Newton's method does not converge: residual {residual:.1e} after {iterations} steps")]
    Diverges {
        /// Newton steps done.
        iterations: u32,
        /// Remaining |r|.
        residual: f64,
    },
    /// A known cycle was lost while it was followed to changed numbers.
    #[error(
        "the cycle of the scenario as written was followed to {:.1} % of the change and lost at {:.1} %: {why}",
        100.0 * last, 100.0 * failed
    )]
    LostOnTheWay {
        /// Share of the change at the last cycle found.
        last: f64,
        /// Share of the change at the nearest attempt that failed.
        failed: f64,
        /// Why it failed.
        why: Box<NoCycle>,
    },
}

impl NoCycle {
    /// Whether the search ended without an answer: the motion could not be computed, or Newton's method did not
    /// converge. Then it is unknown whether there is a cycle.
    pub fn is_trouble(&self) -> bool {
        match self {
            NoCycle::GuessFails(why) | NoCycle::LeavesWhatWalks { why, .. } => matches!(why, NoReturn::Trouble(_)),
            NoCycle::Diverges { .. } => true,
            NoCycle::LostOnTheWay { why, .. } => why.is_trouble(),
        }
    }
}

/// Searches for a fixed point from a guess, in which the feet need not touch the ground exactly.
pub fn find<M: StrideMap + ?Sized>(map: &mut M, guess: &[f64], search: &Search) -> Result<FixedPoint, NoCycle> {
    let mut state = guess.to_vec();
    settle(map, &mut state, Place::Start).map_err(NoCycle::GuessFails)?;
    let mut at = evaluate(map, &state).map_err(NoCycle::GuessFails)?;
    let mut iterations = 0;
    let mut last_jacobian = None;
    loop {
        let done = at.residual <= search.residual;
        // Once more at the end, so that J belongs to the returned state.
        if done && let Some(jacobian) = last_jacobian.take() {
            return Ok(at.found(state, iterations, jacobian));
        }
        let leaves = |why| NoCycle::LeavesWhatWalks { why, iterations, residual: at.residual };
        let jacobian = stride_jacobian(map, &state, &at.basis, Stencil::Second, search.step).map_err(leaves)?;
        if done {
            return Ok(at.found(state, iterations, jacobian));
        }
        let k = at.basis.ncols();
        let step = (DMatrix::identity(k, k) - &jacobian).lu().solve(&at.r);
        let Some(step) = step.filter(|s| iterations < search.iterations && s.iter().all(|x| x.is_finite())) else {
            return Err(NoCycle::Diverges { iterations, residual: at.residual });
        };
        // (2)
        let mut failed = None;
        let mut next = None;
        for halving in 0..12 {
            let by = &at.basis * (&step * libm::ldexp(1.0, -halving));
            let mut moved = Vec::new();
            map.displace(&state, by.as_slice(), &mut moved);
            let evaluated = settle(map, &mut moved, Place::Start).and_then(|()| evaluate(map, &moved));
            match evaluated {
                Ok(found) if found.residual < at.residual => {
                    next = Some((moved, found));
                    break;
                }
                // At the level of rounding.
                Ok(_) if at.residual <= search.good_enough => break,
                Ok(_) => {}
                Err(why) => failed = Some(why),
            }
        }
        iterations += 1;
        match next {
            Some((moved, found)) => {
                (state, at) = (moved, found);
                last_jacobian = (at.residual <= search.residual).then_some(jacobian);
            }
            None if at.residual <= search.good_enough => return Ok(at.found(state, iterations, jacobian)),
            None => {
                return Err(match failed {
                    Some(why) => NoCycle::LeavesWhatWalks { why, iterations, residual: at.residual },
                    None => NoCycle::Diverges { iterations, residual: at.residual },
                });
            }
        }
    }
}

/// A stride from a state and its residual.
struct Evaluation {
    basis: DMatrix<f64>,
    r: DMatrix<f64>,
    residual: f64,
    stride: Stride,
}

impl Evaluation {
    fn found(self, state: Vec<f64>, iterations: u32, jacobian: DMatrix<f64>) -> FixedPoint {
        let Evaluation { basis, residual, stride, .. } = self;
        FixedPoint { state, basis, stride, residual, iterations, jacobian }
    }
}

/// Residual (1) at a state.
fn evaluate<M: StrideMap + ?Sized>(map: &mut M, state: &[f64]) -> Result<Evaluation, NoReturn> {
    let basis = tangent(map, state, Place::Start)?;
    let (mut end, mut apart) = (Vec::new(), vec![0.0; map.size()]);
    let stride = map.stride(state, &mut end)?;
    map.difference(state, &end, &mut apart);
    let r = basis.tr_mul(&DMatrix::from_column_slice(apart.len(), 1, &apart));
    if !r.iter().all(|x| x.is_finite()) {
        return Err(NoReturn::Trouble("has a non-finite state".to_string()));
    }
    Ok(Evaluation { residual: r.norm(), basis, r, stride })
}
