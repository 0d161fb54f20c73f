//! The derivative of a stride in parts: the variational equation along the arc, the saltation matrix at the strike.
//!
//! ```text
//! (1)  Φ = Φ_N … Φ_1            derivatives of short flows, in bases of the arc's tangent space at the nodes
//! (2)  Ξ = D R + (f₊ - D R f₋) n / (n f₋),      n = D g           (Leine and Nijmeijer; Kong et al. 2023)
//! (3)  M = Ξ Φ
//! ```
//!
//! M has one multiplier 1, along the motion (M f₊ = f₊); the others are those of the stride map. `D R` is needed only
//! on the guard's surface: with w = w_t + a f₋, a = n w / n f₋, (2) is Ξ w = D R w_t + a f₊. So an impact is never
//! computed with the foot off the ground. Derivatives of short flows and of the strike are differences of order six;
//! `f₊` and `f₋` are one-sided differences of the flow of order eight. No strike time is differentiated by differences:
//! this method shares with differences of whole strides nothing but the flow itself.

use crate::differences::Stencil;
use crate::manifold::{constraint_jacobian, settle, tangent};
use crate::map::{Arcs, NoReturn, Place};
use nalgebra::DMatrix;

/// Number of pieces of the arc (1).
const PIECES: usize = 8;
/// Step of the differences, in the units of a displacement.
const STEP: f64 = 1e-3;
/// Step of the differences in time, as a fraction of the stride.
const TIME_STEP: f64 = 1.0 / 128.0;
/// One-sided first derivative of order eight from values at 0, 1, … 8 steps.
const ONE_SIDED: [f64; 9] =
    [-761.0 / 280.0, 8.0, -14.0, 56.0 / 3.0, -35.0 / 2.0, 56.0 / 5.0, -14.0 / 3.0, 8.0 / 7.0, -1.0 / 8.0];

/// The derivative of a cycle.
#[derive(Clone, Debug)]
pub struct Monodromy {
    /// M (3), in a basis of the arc's tangent space at the start.
    pub matrix: DMatrix<f64>,
    /// |M f₊ - f₊| / |f₊|: deviation of the multiplier along the motion from 1.
    pub flow_defect: f64,
    /// State where the arc reaches the guard.
    pub before_strike: Vec<f64>,
}

/// The monodromy of the cycle that starts at `start` (on the section) and takes `period_s`.
pub fn monodromy<M: Arcs + ?Sized>(map: &mut M, start: &[f64], period_s: f64) -> Result<Monodromy, NoReturn> {
    let n = map.size();
    let first = tangent(map, start, Place::Arc)?;
    let piece_s = period_s / PIECES as f64;

    // (1)
    let (mut node, mut basis) = (start.to_vec(), first.clone());
    let mut through = first.clone();
    for _ in 0..PIECES {
        let mut next = Vec::new();
        map.flow(&node, piece_s, &mut next)?;
        let next_basis = tangent(map, &next, Place::Arc)?;
        let image = |map: &mut M, from: &[f64], to: &mut Vec<f64>| map.flow(from, piece_s, to);
        let derivative = derivative(map, &node, &basis, Place::Arc, &next, image)?;
        through = &next_basis * (next_basis.tr_mul(&derivative) * basis.tr_mul(&through));
        (node, basis) = (next, next_basis);
    }

    // (2)
    let after_field = field(map, start, TIME_STEP * period_s)?;
    let before_field = field_at_end(map, start, period_s)?;
    let guard_row = {
        let rows = constraint_jacobian(map, &node, Place::Strike)?;
        rows.rows(rows.nrows() - 1, 1).into_owned()
    };
    let closing = (&guard_row * &before_field)[0];
    if closing == 0.0 || !closing.is_finite() {
        return Err(NoReturn::Trouble(
            "has a grazing strike: its guard does not change along the motion".to_string(),
        ));
    }
    let surface = tangent(map, &node, Place::Strike)?;
    let image = |map: &mut M, from: &[f64], to: &mut Vec<f64>| map.strike(from, to);
    let reset = derivative(map, &node, &surface, Place::Strike, start, image)?;

    // (3), column by column.
    let mut columns = DMatrix::zeros(n, first.ncols());
    for c in 0..first.ncols() {
        let w = through.columns(c, 1).into_owned();
        let a = (&guard_row * &w)[0] / closing;
        let on_surface = &w - &before_field * a;
        columns.columns_mut(c, 1).copy_from(&(&reset * surface.tr_mul(&on_surface) + &after_field * a));
    }
    let matrix = first.tr_mul(&columns);
    let along = first.tr_mul(&after_field);
    let flow_defect = (&matrix * &along - &along).norm() / along.norm();
    Ok(Monodromy { matrix, flow_defect, before_strike: node })
}

/// D image in the columns of `basis`: displacements of the image from `to`, by differences of order six.
fn derivative<M: Arcs + ?Sized>(
    map: &mut M,
    from: &[f64],
    basis: &DMatrix<f64>,
    place: Place,
    to: &[f64],
    mut image: impl FnMut(&mut M, &[f64], &mut Vec<f64>) -> Result<(), NoReturn>,
) -> Result<DMatrix<f64>, NoReturn> {
    let n = map.size();
    let (mut moved, mut end, mut apart) = (Vec::new(), Vec::new(), vec![0.0; n]);
    let mut out = DMatrix::zeros(n, basis.ncols());
    for column in 0..basis.ncols() {
        for (offset, weight) in Stencil::Sixth.weights() {
            let by: Vec<f64> = basis.column(column).iter().map(|x| x * offset * STEP).collect();
            map.displace(from, &by, &mut moved);
            settle(map, &mut moved, place)?;
            image(map, &moved, &mut end)?;
            map.difference(to, &end, &mut apart);
            for row in 0..n {
                out[(row, column)] += weight / STEP * apart[row];
            }
        }
        // The walker's position is ignored.
        for c in map.cyclic() {
            out[(*c, column)] = 0.0;
        }
    }
    Ok(out)
}

/// The velocity of the state at the beginning of the arc.
fn field<M: Arcs + ?Sized>(map: &mut M, at: &[f64], step_s: f64) -> Result<DMatrix<f64>, NoReturn> {
    one_sided(map, at, step_s, |map, i, to| map.flow(at, i as f64 * step_s, to))
}

/// The velocity of the state at the end of an arc from `start`.
fn field_at_end<M: Arcs + ?Sized>(map: &mut M, start: &[f64], duration_s: f64) -> Result<DMatrix<f64>, NoReturn> {
    let step_s = TIME_STEP * duration_s;
    let mut end = Vec::new();
    map.flow(start, duration_s, &mut end)?;
    one_sided(map, &end, -step_s, |map, i, to| map.flow(start, duration_s - i as f64 * step_s, to))
}

fn one_sided<M: Arcs + ?Sized>(
    map: &mut M,
    at: &[f64],
    step_s: f64,
    mut value: impl FnMut(&mut M, usize, &mut Vec<f64>) -> Result<(), NoReturn>,
) -> Result<DMatrix<f64>, NoReturn> {
    let n = map.size();
    let (mut there, mut apart) = (Vec::new(), vec![0.0; n]);
    let mut out = DMatrix::zeros(n, 1);
    // The first weight belongs to zero displacement.
    for (i, weight) in ONE_SIDED.iter().enumerate().skip(1) {
        value(map, i, &mut there)?;
        map.difference(at, &there, &mut apart);
        for row in 0..n {
            out[row] += weight / step_s * apart[row];
        }
    }
    for c in map.cyclic() {
        out[*c] = 0.0;
    }
    Ok(out)
}
