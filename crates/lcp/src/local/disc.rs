//! Two rows whose impulses stay in a disc and dissipate the most power: rolling, and friction under a given load.
//!
//! ```text
//! (1)  (D + κ I) x + q = 0,   |x| <= R,   κ >= 0,   κ (R - |x|) = 0
//! ```
//!
//! `κ = 0` if that is inside. Otherwise `|x(κ)| = R`: `1/|x(κ)|` is nearly linear in `κ` and concave, so that Newton's
//! method from the left reaches the root from one side, in a few steps.

use super::proximal;
use crate::Real;

/// Computes the impulses `x` from `w = D x + q` at the impulses `at`; `D = [d₁₁, d₁₂, d₂₂]`.
pub fn solve_disc<T: Real>(d: [T; 3], w: [T; 2], at: [T; 2], radius: T) -> [T; 2] {
    let most = d[0].max(d[2]);
    if radius <= T::ZERO || most <= T::ZERO {
        return [T::ZERO; 2];
    }
    let soft = proximal::<T>() * most;
    let d = [d[0] + soft, d[1], d[2] + soft];
    let q = [w[0] - d[0] * at[0] - d[1] * at[1], w[1] - d[1] * at[0] - d[2] * at[1]];
    let solve = |kappa: T, g: [T; 2]| {
        let (a, c) = (d[0] + kappa, d[2] + kappa);
        let det = a * c - d[1] * d[1];
        [(d[1] * g[1] - c * g[0]) / det, (d[1] * g[0] - a * g[1]) / det]
    };
    let mut x = solve(T::ZERO, q);
    let mut length = (x[0] * x[0] + x[1] * x[1]).sqrt();
    if length <= radius {
        return x;
    }
    let mut kappa = T::ZERO;
    for _ in 0..40 {
        // d|x|/dκ = x·x'/|x|, x' = -(D + κ)⁻¹ x.
        let slope = solve(kappa, x);
        let along = (x[0] * slope[0] + x[1] * slope[1]) / length;
        let step = (length / radius - T::ONE) * length / -along;
        let next = kappa + step;
        if next <= kappa || !next.is_finite() {
            break;
        }
        kappa = next;
        x = solve(kappa, q);
        length = (x[0] * x[0] + x[1] * x[1]).sqrt();
    }
    // Exactly onto the circle.
    let factor = radius / length;
    if factor.is_finite() { x.map(|x| x * factor) } else { [T::ZERO; 2] }
}
