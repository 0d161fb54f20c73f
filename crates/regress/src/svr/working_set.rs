//! Selection of the pair of coefficients to change in a step of the solver.
//!
//! With the error `eₜ = yₜ - Σ βₛ Kₛₜ`, a coefficient that may grow has `uₜ = eₜ ∓ ε`, one that may shrink `dₜ = eₜ ±
//! ε`, depending on its sign (see [`super::solver`]). The pair is chosen by second-order information (Fan, Chen and
//! Lin, J. Mach. Learn. Res. 6, 2005), in the form of LIBSVM:
//!
//! ```text
//! (1)  i = argmax uₜ,   m = uᵢ                over coefficients that may grow
//! (2)  M = min dₜ                              over those that may shrink; the gap is m - M
//! (3)  j = argmax (m - dₜ)² / (2 - 2 Kᵢₜ)      over those that may shrink and have dₜ < m
//! ```
//!
//! On ties the last one is chosen, as in LIBSVM: labels are often a few discrete values, and then the first choices are
//! ties. Every loop goes over pieces and combines their results by comparisons alone, so the result does not depend on
//! how the pieces are distributed over threads.

use super::kernel::{PIECE, Points};
use rayon::prelude::*;

/// The curvature of a pair of equal points is zero; this is LIBSVM's floor for it.
pub const LEAST_CURVATURE: f64 = 1e-12;

/// Minimum number of pieces for one thread: with fewer, waking another costs more than the work.
const PIECES_PER_TASK: usize = 2;

/// The largest of some values, at its last index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The value.
    pub value: f64,
    /// Its index.
    pub at: usize,
}

impl Peak {
    const NOTHING: Self = Self { value: f64::NEG_INFINITY, at: usize::MAX };

    /// Combines with a result for later indices.
    fn or_later(self, later: Self) -> Self {
        if later.at != usize::MAX && later.value >= self.value { later } else { self }
    }
}

/// (1) and (2).
#[derive(Clone, Copy, Debug)]
pub struct Extremes {
    /// `m` and `i`.
    pub up: Peak,
    /// `M`.
    pub down: f64,
}

impl Extremes {
    const NOTHING: Self = Self { up: Peak::NOTHING, down: f64::INFINITY };

    /// `m - M`.
    pub fn gap(&self) -> f64 {
        self.up.value - self.down
    }

    fn or_later(self, later: Self) -> Self {
        Self { up: self.up.or_later(later.up), down: self.down.min(later.down) }
    }
}

/// State of every active point.
pub struct Field {
    /// `eₜ`.
    pub error: Vec<f64>,
    /// `uₜ - eₜ`; minus infinity where the coefficient may not grow.
    pub up_shift: Vec<f64>,
    /// `dₜ - eₜ`; infinity where it may not shrink.
    pub down_shift: Vec<f64>,
}

/// A kernel row: filled already, or to be filled piece by piece as it is used.
pub struct Row<'a> {
    /// The points it is a row over.
    pub points: &'a Points,
    /// γ.
    pub gamma: f32,
    /// The point whose row it is.
    pub x: &'a [f32],
    /// One value per point.
    pub values: &'a mut [f32],
    /// Whether the values are filled.
    pub filled: bool,
}

impl Field {
    /// (1) and (2) for the current state.
    pub fn extremes(&self) -> Extremes {
        let pieces = self.error.par_chunks(PIECE).zip(self.up_shift.par_chunks(PIECE));
        pieces
            .zip(self.down_shift.par_chunks(PIECE))
            .enumerate()
            .map(|(piece, ((error, up), down))| extremes_of(piece * PIECE, error, up, down))
            .reduce(|| Extremes::NOTHING, Extremes::or_later)
    }

    /// (3), filling the row of `i` in the same pass.
    pub fn partner(&self, row: Row<'_>, m: f64) -> Option<usize> {
        let Row { points, gamma, x, values, filled } = row;
        let found = values
            .par_chunks_mut(PIECE)
            .zip(self.error.par_chunks(PIECE))
            .zip(self.down_shift.par_chunks(PIECE))
            .enumerate()
            .with_min_len(PIECES_PER_TASK)
            .map(|(piece, ((values, error), down))| {
                pulp::Arch::new().dispatch(|| {
                    if !filled {
                        points.kernel_here(gamma, x, piece * PIECE, values);
                    }
                    partner_of(piece * PIECE, m, values, error, down)
                })
            })
            .reduce(|| Peak::NOTHING, Peak::or_later);
        (found.at != usize::MAX).then_some(found.at)
    }

    /// `eₜ -= step (Kᵢₜ - Kⱼₜ)`, filling the row of `j` in the same pass; then (1) and (2). The shifts of `i` and `j`
    /// must be updated before.
    pub fn advance(&mut self, step: f64, row_i: &[f32], row_j: Row<'_>) -> Extremes {
        let Row { points, gamma, x, values, filled } = row_j;
        values
            .par_chunks_mut(PIECE)
            .zip(row_i.par_chunks(PIECE))
            .zip(self.error.par_chunks_mut(PIECE))
            .zip(self.up_shift.par_chunks(PIECE))
            .zip(self.down_shift.par_chunks(PIECE))
            .enumerate()
            .with_min_len(PIECES_PER_TASK)
            .map(|(piece, ((((row_j, row_i), error), up), down))| {
                pulp::Arch::new().dispatch(|| {
                    if !filled {
                        points.kernel_here(gamma, x, piece * PIECE, row_j);
                    }
                    for ((e, i), j) in error.iter_mut().zip(row_i).zip(&*row_j) {
                        *e -= step * (f64::from(*i) - f64::from(*j));
                    }
                    extremes_of(piece * PIECE, error, up, down)
                })
            })
            .reduce(|| Extremes::NOTHING, Extremes::or_later)
    }
}

/// Several running results at once, so that the loop vectorises; combined at the end of a piece.
const WIDE: usize = 8;

#[inline(always)]
fn extremes_of(first: usize, error: &[f64], up: &[f64], down: &[f64]) -> Extremes {
    let (mut most, mut least) = ([f64::NEG_INFINITY; WIDE], [f64::INFINITY; WIDE]);
    let whole = error.len() - error.len() % WIDE;
    for at in (0..whole).step_by(WIDE) {
        let (e, u, d) = (&error[at..at + WIDE], &up[at..at + WIDE], &down[at..at + WIDE]);
        for lane in 0..WIDE {
            let (u, d) = (e[lane] + u[lane], e[lane] + d[lane]);
            most[lane] = if u > most[lane] { u } else { most[lane] };
            least[lane] = if d < least[lane] { d } else { least[lane] };
        }
    }
    for at in whole..error.len() {
        most[0] = most[0].max(error[at] + up[at]);
        least[0] = least[0].min(error[at] + down[at]);
    }
    let value = most.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let down = least.into_iter().fold(f64::INFINITY, f64::min);
    if value == f64::NEG_INFINITY {
        return Extremes { up: Peak::NOTHING, down };
    }
    let at = (0..error.len()).rev().find(|&t| error[t] + up[t] == value);
    Extremes { up: at.map_or(Peak::NOTHING, |at| Peak { value, at: first + at }), down }
}

#[inline(always)]
fn partner_of(first: usize, m: f64, row: &[f32], error: &[f64], down: &[f64]) -> Peak {
    let mut gains = [0.0; PIECE];
    let gains = &mut gains[..row.len()];
    for (((gain, k), e), d) in gains.iter_mut().zip(row).zip(error).zip(down) {
        let below = m - (e + d);
        let curvature = 2.0 - 2.0 * f64::from(*k);
        let curvature = if curvature > LEAST_CURVATURE { curvature } else { LEAST_CURVATURE };
        // Not a candidate: it would gain nothing, and an infinite shift must not look like a large gain.
        *gain = if below > 0.0 { below * below / curvature } else { f64::NEG_INFINITY };
    }
    let mut most = [f64::NEG_INFINITY; WIDE];
    let mut pieces = gains.chunks_exact(WIDE);
    for piece in &mut pieces {
        for (most, gain) in most.iter_mut().zip(piece) {
            *most = if *gain > *most { *gain } else { *most };
        }
    }
    let value = most.into_iter().chain(pieces.remainder().iter().copied()).fold(f64::NEG_INFINITY, f64::max);
    if value == f64::NEG_INFINITY {
        return Peak::NOTHING;
    }
    gains.iter().rposition(|gain| *gain == value).map_or(Peak::NOTHING, |at| Peak { value, at: first + at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_select_the_last_and_fixed_coefficients_are_not_selected() {
        let inf = f64::INFINITY;
        let field = Field {
            error: vec![1.0, 3.0, 3.0, 9.0, -2.0],
            up_shift: vec![0.0, 0.0, 0.0, -inf, 0.0],
            down_shift: vec![0.0, 0.0, 0.0, 0.0, inf],
        };
        let found = field.extremes();
        assert_eq!(found.up, Peak { value: 3.0, at: 2 });
        assert_eq!((found.down, found.gap()), (1.0, 2.0));
    }

    #[test]
    fn the_result_does_not_depend_on_the_pieces() {
        let n = 3 * PIECE + 77;
        let error: Vec<f64> = (0..n).map(|k| ((k * 7919) % 1009) as f64).collect();
        let up: Vec<f64> = (0..n).map(|k| if k % 3 == 0 { f64::NEG_INFINITY } else { 0.5 }).collect();
        let down: Vec<f64> = (0..n).map(|k| if k % 5 == 0 { f64::INFINITY } else { -0.5 }).collect();
        let most = (0..n).map(|t| error[t] + up[t]).fold(f64::NEG_INFINITY, f64::max);
        let at = (0..n).rev().find(|&t| error[t] + up[t] == most).unwrap();
        let found = Field { error, up_shift: up, down_shift: down }.extremes();
        assert_eq!(found.up, Peak { value: most, at });
        assert_eq!(found.down, -0.5);
    }
}
