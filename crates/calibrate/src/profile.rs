//! Intervals from the profile of the likelihood.
//!
//! ```text
//! (1)  g(x) = min over the other parameters of χ² with parameter i held at x
//! (2)  ends of the interval:   g(x) - χ²_best = t² f
//! ```
//!
//! For each x the others are improved by Gauss-Newton steps with the Jacobian of the best point, from where the
//! covariance predicts them; the end is found by the secant on √(g - χ²_best), which is a straight line where the model is
//! linear. An end beyond a bound is the bound.

use crate::CalibrateError;
use crate::search::PointSearch;
use nalgebra::{DMatrix, DVector};

/// Gauss-Newton steps of the others at each x.
const STEPS: usize = 4;

/// Secant steps to an end.
const SECANTS: usize = 8;

/// Ends of the intervals of every parameter, in coordinates of the search.
pub fn profile(
    search: &PointSearch<'_>,
    columns: &[Vec<f64>],
    u: &[f64],
    chi2: f64,
    threshold: f64,
    half_widths: &[f64],
) -> Result<Vec<[f64; 2]>, CalibrateError> {
    let mut out = Vec::new();
    for i in 0..u.len() {
        let mut ends = [0.0, 1.0];
        for (end, side) in ends.iter_mut().zip([-1.0, 1.0]) {
            *end = one_end(search, columns, u, chi2, threshold, half_widths[i], i, side)?;
        }
        out.push(ends);
    }
    Ok(out)
}

#[expect(clippy::too_many_arguments, reason = "one end of one interval needs all of the fit")]
fn one_end(
    search: &PointSearch<'_>,
    columns: &[Vec<f64>],
    u: &[f64],
    chi2: f64,
    threshold: f64,
    half_width: f64,
    i: usize,
    side: f64,
) -> Result<f64, CalibrateError> {
    let wanted = threshold.sqrt();
    let bound = if side < 0.0 { u[i] } else { 1.0 - u[i] };
    // Distance and √(g - best) of the last two tries; the first is the best point itself.
    let (mut near, mut at_near) = (0.0, 0.0);
    let mut far = half_width.min(bound).min(0.5);
    let mut others = u.to_vec();
    for _ in 0..SECANTS {
        if far <= 0.0 {
            return Ok(u[i]);
        }
        let mut point = others.clone();
        point[i] = u[i] + side * far;
        let (found, value) = descend(search, columns, point, i)?;
        others = found;
        let at_far = (value - chi2).max(0.0).sqrt();
        if (at_far / wanted - 1.0).abs() < 0.02 {
            return Ok(u[i] + side * far);
        }
        if at_far < wanted && far >= bound * (1.0 - 1e-9) {
            return Ok(u[i] + side * bound);
        }
        let slope = (at_far - at_near) / (far - near);
        let mut next = if slope > 0.0 { far + (wanted - at_far) / slope } else { 2.0 * far };
        next = next.clamp(0.3 * far, 3.0 * far).min(bound);
        (near, at_near, far) = (far, at_far, next);
    }
    Ok(u[i] + side * far)
}

/// The others at their best with parameter `held` as it is in `point`.
fn descend(
    search: &PointSearch<'_>,
    columns: &[Vec<f64>],
    mut point: Vec<f64>,
    held: usize,
) -> Result<(Vec<f64>, f64), CalibrateError> {
    let free: Vec<usize> = (0..point.len()).filter(|k| *k != held).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let evaluate = |p: &Vec<f64>| -> Result<(Vec<f64>, f64), CalibrateError> {
        let r = search.beyond_budget(std::slice::from_ref(p))?.remove(0);
        let chi2 = dot(&r, &r);
        Ok((r, chi2))
    };
    let (mut r, mut best) = evaluate(&point)?;
    let h = DMatrix::from_fn(free.len(), free.len(), |a, b| dot(&columns[free[a]], &columns[free[b]]));
    let Some(h) = h.cholesky().filter(|_| !free.is_empty()) else { return Ok((point, best)) };
    for _ in 0..STEPS {
        let g = DVector::from_fn(free.len(), |a, _| dot(&columns[free[a]], &r));
        let step = h.solve(&g);
        let mut next = point.clone();
        free.iter().zip(step.iter()).for_each(|(k, s)| next[*k] = (next[*k] - s).clamp(0.0, 1.0));
        let (new_r, new) = evaluate(&next)?;
        if new >= best {
            break;
        }
        let little = best - new < 1e-4 * best.max(1.0);
        (point, r, best) = (next, new_r, new);
        if little {
            break;
        }
    }
    Ok((point, best))
}
