//! Fixed points of a stride map by Newton's method on `P(x) - x`.
//!
//! ```text
//! (1)  r = Tᵀ (P(x) ⊖ x),   J = D P in the basis T of the section at x
//! (2)  x ← x ⊕ s T (1 - J)⁻¹ r,  settled onto the section;  s = 1, ½, ¼ … until |r| shrinks
//! (3)  error of x:  |(1 - J)⁻¹| (|r| + error of P)
//! ```
//!
//! A stride that does not come back ends no search by itself: the step is halved. When no step is left, there is no cycle
//! here, and the reason is the one the last stride gave.

use crate::differences::{Stencil, stride_jacobian};
use crate::manifold::{settle, tangent};
use crate::map::{NoReturn, Place, Stride, StrideMap};
use nalgebra::DMatrix;

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Newton steps at most.
    pub iterations: u32,
    /// |r| at which nothing more is wanted.
    pub residual: f64,
    /// |r| that counts as a fixed point when it no longer shrinks: the noise of the map. It is part of the errors given.
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

/// A state the stride comes back to.
#[derive(Clone, Debug)]
pub struct FixedPoint {
    /// On the section, just after the strike.
    pub state: Vec<f64>,
    /// Directions of the section at it.
    pub basis: DMatrix<f64>,
    /// What the stride from it was.
    pub stride: Stride,
    /// |r| there.
    pub residual: f64,
    /// Newton steps.
    pub iterations: u32,
    /// The last J.
    pub jacobian: DMatrix<f64>,
}

/// Why no fixed point was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoCycle {
    /// The first guess does not walk.
    #[error("the walker {0} on its first stride from the guess")]
    GuessFails(NoReturn),
    /// The way to the fixed point leaves what walks.
    #[error("the search is led to where the walker {why} (after {iterations} Newton steps, {residual:.1e} left)")]
    LeavesWhatWalks {
        /// The last stride that failed.
        why: NoReturn,
        /// Newton steps made.
        iterations: u32,
        /// |r| at the last state that walked.
        residual: f64,
    },
    /// |r| does not shrink.
    #[error("Newton's method does not converge: after {iterations} steps {residual:.1e} is left of the residual")]
    Diverges {
        /// Newton steps made.
        iterations: u32,
        /// |r| left.
        residual: f64,
    },
    /// A known cycle, followed to changed numbers, was lost.
    #[error(
        "the cycle of the scenario as written was followed to {:.1} % of the change and lost at {:.1} %: {why}",
        100.0 * last, 100.0 * failed
    )]
    LostOnTheWay {
        /// Share of the change at the last cycle.
        last: f64,
        /// Share at the nearest attempt that failed.
        failed: f64,
        /// Why it failed.
        why: Box<NoCycle>,
    },
}

impl NoCycle {
    /// Whether the search ended without an answer: the motion could not be computed, or Newton's method did not
    /// converge. Then nothing is known about a cycle.
    pub fn is_trouble(&self) -> bool {
        match self {
            NoCycle::GuessFails(why) | NoCycle::LeavesWhatWalks { why, .. } => matches!(why, NoReturn::Trouble(_)),
            NoCycle::Diverges { .. } => true,
            NoCycle::LostOnTheWay { why, .. } => why.is_trouble(),
        }
    }
}

/// Looks for a fixed point from a guess; its feet need not stand exactly.
pub fn find<M: StrideMap + ?Sized>(map: &mut M, guess: &[f64], search: &Search) -> Result<FixedPoint, NoCycle> {
    let mut state = guess.to_vec();
    settle(map, &mut state, Place::Start).map_err(NoCycle::GuessFails)?;
    let mut at = look(map, &state).map_err(NoCycle::GuessFails)?;
    let mut iterations = 0;
    let mut last_jacobian = None;
    loop {
        let done = at.residual <= search.residual;
        // Once more at the end, so that J belongs to the state that is given back.
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
            let looked = settle(map, &mut moved, Place::Start).and_then(|()| look(map, &moved));
            match looked {
                Ok(found) if found.residual < at.residual => {
                    next = Some((moved, found));
                    break;
                }
                // Rounding: as good as it gets.
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

/// A state looked at.
struct Look {
    basis: DMatrix<f64>,
    r: DMatrix<f64>,
    residual: f64,
    stride: Stride,
}

impl Look {
    fn found(self, state: Vec<f64>, iterations: u32, jacobian: DMatrix<f64>) -> FixedPoint {
        let Look { basis, residual, stride, .. } = self;
        FixedPoint { state, basis, stride, residual, iterations, jacobian }
    }
}

/// (1) at a state.
fn look<M: StrideMap + ?Sized>(map: &mut M, state: &[f64]) -> Result<Look, NoReturn> {
    let basis = tangent(map, state, Place::Start)?;
    let (mut end, mut apart) = (Vec::new(), vec![0.0; map.size()]);
    let stride = map.stride(state, &mut end)?;
    map.difference(state, &end, &mut apart);
    let r = basis.tr_mul(&DMatrix::from_column_slice(apart.len(), 1, &apart));
    if !r.iter().all(|x| x.is_finite()) {
        return Err(NoReturn::Trouble("moves in a way that is not a number".to_string()));
    }
    Ok(Look { residual: r.norm(), basis, r, stride })
}
