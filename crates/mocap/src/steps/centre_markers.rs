//! The centre of a ball from the markers on its surface.
//!
//! With markers `p_j`, distances `d_j = |p_j - c|` and residuals `e_j = d_j - r`,
//!
//! ```text
//! (1)  L1         c = argmin sum |e_j|           IRLS: weights 1/max(|e|, eps), eps falling; then exactly
//! (2)  L2         c = argmin sum e_j²            Gauss-Newton
//! (3)  algebraic  |p|² = 2 p·c + (r² - |c|²)     one linear least squares (Coope 1993); always with r free
//! ```
//!
//! each of (1) and (2) with the radius given or free. At a minimum of (1) as many residuals are zero as there are
//! unknowns: IRLS finds which, and Newton's method on those alone gives the digits. The uncertainty is a jackknife,
//! leaving out one marker at a time; with a handful of markers it is only a guide.

use super::rigid::MarkerModel;
use crate::report::StepReport;
use crate::turns::{minus, norm};
use nalgebra::{DMatrix, DVector};

/// How residuals are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Sum of absolute values.
    L1,
    /// Sum of squares.
    L2,
    /// Linear in the squares.
    Algebraic,
}

/// Every kind of fit, in the order of the report.
pub const FITS: [(&str, Fit); 3] = [("L1", Fit::L1), ("L2", Fit::L2), ("algebraic", Fit::Algebraic)];

/// A sphere through markers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sphere {
    /// In the model frame [m].
    pub centre: [f64; 3],
    /// Given or found [m].
    pub radius: f64,
    /// Standard deviations by jackknife [m]; NaN with too few markers.
    pub sigma: [f64; 3],
    /// Sum of absolute residuals [m].
    pub sum: f64,
    /// Root mean square of the residuals [m].
    pub rms: f64,
}

/// Fits a sphere; `radius` is given [m] or free. `None` when the markers do not determine it.
pub fn fit(model: &MarkerModel, how: Fit, radius: Option<f64>) -> Option<Sphere> {
    let unknowns = if radius.is_some() && how != Fit::Algebraic { 3 } else { 4 };
    let (centre, found) = solve(&model.points, how, radius)?;
    let n = model.points.len();
    let mut sigma = [f64::NAN; 3];
    if n > unknowns {
        let left_out: Option<Vec<[f64; 3]>> = (0..n)
            .map(|out| {
                let rest: Vec<[f64; 3]> = (0..n).filter(|j| *j != out).map(|j| model.points[j]).collect();
                solve(&rest, how, radius).map(|(c, _)| c)
            })
            .collect();
        if let Some(parts) = left_out {
            for k in 0..3 {
                let mean = parts.iter().map(|c| c[k]).sum::<f64>() / n as f64;
                let spread: f64 = parts.iter().map(|c| (c[k] - mean) * (c[k] - mean)).sum();
                sigma[k] = ((n as f64 - 1.0) / n as f64 * spread).sqrt();
            }
        }
    }
    let residuals = model.points.iter().map(|p| norm(&minus(p, &centre)) - found);
    let sum = residuals.clone().map(f64::abs).sum();
    let rms = (residuals.map(|e| e * e).sum::<f64>() / n as f64).sqrt();
    Some(Sphere { centre, radius: found, sigma, sum, rms })
}

/// All fits in one report.
pub fn report(model: &MarkerModel, radius: Option<f64>) -> StepReport {
    let mut report = StepReport::new("centre from markers");
    for (name, how) in FITS {
        match fit(model, how, radius) {
            Some(sphere) => {
                for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
                    let (value, sigma) = (1e3 * sphere.centre[i], 1e3 * sphere.sigma[i]);
                    report.measured(format!("{name} centre {axis}"), "mm", value, sigma);
                }
                report.number(format!("{name} radius"), "mm", 1e3 * sphere.radius);
                report.number(format!("{name} sum of residuals"), "mm", 1e3 * sphere.sum);
            }
            None => report.warn("no-sphere", format!("{name}: the markers do not determine a sphere")),
        }
    }
    report
}

fn solve(points: &[[f64; 3]], how: Fit, radius: Option<f64>) -> Option<([f64; 3], f64)> {
    let (start, free) = algebraic(points)?;
    match how {
        Fit::Algebraic => Some((start, free)),
        Fit::L2 => weighted(points, start, radius.unwrap_or(free), radius.is_none(), |_| 1.0, 100),
        Fit::L1 => least_lengths(points, start, radius.unwrap_or(free), radius.is_none()),
    }
}

/// (3).
fn algebraic(points: &[[f64; 3]]) -> Option<([f64; 3], f64)> {
    if points.len() < 4 {
        return None;
    }
    let a = DMatrix::from_fn(points.len(), 4, |j, k| if k < 3 { 2.0 * points[j][k] } else { 1.0 });
    let b = DVector::from_fn(points.len(), |j, _| points[j].iter().map(|x| x * x).sum());
    let x = least_squares(a, b)?;
    let centre = [x[0], x[1], x[2]];
    let square = x[3] + centre.iter().map(|c| c * c).sum::<f64>();
    (square > 0.0).then(|| (centre, square.sqrt()))
}

fn least_squares(a: DMatrix<f64>, b: DVector<f64>) -> Option<DVector<f64>> {
    let svd = a.svd(true, true);
    let (most, least) = (svd.singular_values.max(), svd.singular_values.min());
    // Markers in one plane leave the direction normal to it undetermined.
    if least.is_nan() || least <= 1e-9 * most {
        return None;
    }
    svd.solve(&b, 0.0).ok()
}

/// Gauss-Newton with weights that may depend on the residuals.
fn weighted(
    points: &[[f64; 3]],
    mut centre: [f64; 3],
    mut radius: f64,
    radius_free: bool,
    weight: impl Fn(f64) -> f64,
    most: usize,
) -> Option<([f64; 3], f64)> {
    let unknowns = if radius_free { 4 } else { 3 };
    for _ in 0..most {
        let mut a = DMatrix::zeros(points.len(), unknowns);
        let mut b = DVector::zeros(points.len());
        for (j, p) in points.iter().enumerate() {
            let away = minus(p, &centre);
            let d = norm(&away);
            let e = d - radius;
            let w = weight(e).sqrt();
            for k in 0..3 {
                a[(j, k)] = -w * away[k] / d;
            }
            if radius_free {
                a[(j, 3)] = -w;
            }
            b[j] = -w * e;
        }
        let step = least_squares(a, b)?;
        for k in 0..3 {
            centre[k] += step[k];
        }
        if radius_free {
            radius += step[3];
        }
        if step.norm() < 1e-15 {
            break;
        }
    }
    Some((centre, radius))
}

/// (1).
fn least_lengths(points: &[[f64; 3]], start: [f64; 3], radius: f64, free: bool) -> Option<([f64; 3], f64)> {
    let (mut centre, mut radius) = (start, radius);
    // From a tenth of a millimetre down to a billionth: each level starts at the result of the previous one.
    for level in 0..12 {
        let eps = 1e-4 * 10f64.powi(-level) * 10.0;
        let weight = |e: f64| 1.0 / (e * e + eps * eps).sqrt();
        (centre, radius) = weighted(points, centre, radius, free, weight, 60)?;
    }
    let sum = |c: &[f64; 3], r: f64| points.iter().map(|p| (norm(&minus(p, c)) - r).abs()).sum::<f64>();
    // The residuals that are zero at the minimum are made exactly zero.
    let unknowns = if free { 4 } else { 3 };
    let mut order: Vec<usize> = (0..points.len()).collect();
    let residual = |j: usize| (norm(&minus(&points[j], &centre)) - radius).abs();
    order.sort_by(|a, b| residual(*a).total_cmp(&residual(*b)));
    let chosen: Vec<[f64; 3]> = order.iter().take(unknowns).map(|j| points[*j]).collect();
    match weighted(&chosen, centre, radius, free, |_| 1.0, 20) {
        Some((c, r)) if sum(&c, r) <= sum(&centre, radius) => Some((c, r)),
        // At a minimum where fewer residuals vanish, the result of IRLS is kept.
        _ => Some((centre, radius)),
    }
}
