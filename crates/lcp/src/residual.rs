//! How far impulses are from the laws: the natural residual [m/s], and complementarity [J].
//!
//! The natural map of Alart and Curnier, with the step scaled by the block's own diagonal `d` so that every row is a
//! velocity; it is zero where, and only where, the law holds:
//!
//! ```text
//! (1)  Equal        r = w
//! (2)  Unilateral   r = min(w, d λ)                              = d (λ - max(0, λ - w/d))
//! (3)  Between      r = d (λ - clamp(λ - w/d))
//! (4)  Friction     rₙ as (2);  rᵢ = (d t - P(d t - s))ᵢ / aᵢ      P on d μ λₙ S, d = max(A₁₁, A₂₂); t, s, a, S: `cone`
//! (5)  Torsion      (4) and r₃ = d (λ₃ - clamp(λ₃ - w₃/d)) to ±torsion λₙ
//! (6)  Rolling      (5) and the same with a disc of radius rolling λₙ for the last two rows, d = max(A₄₄, A₅₅)
//! ```
//!
//! λₙ stands for max(0, λₙ). Where the two coefficients differ, the direction with the smaller one is divided by its share `a`
//! so that a sticking contact's residual is its velocity; shares below a thousandth count as a thousandth, otherwise rounding
//! would count as motion. Projecting on the whole cone of `w` with De Saxcé's term would be zero at the same impulses, but
//! that term is `μ |wₜ|`: at `μ = 1e8` it turns a rounding error of 1e-16 m/s into a residual of 1e-8.
//!
//! Rows of torsion and rolling are in rad/s and are not converted.
//!
//! Complementarity of a block is `|λ · (w + term)|`, where the term is De Saxcé's correction of `wₙ` for friction:
//! `μ h(s)` (h: support function of S), `torsion |w₃|`, `rolling |(w₄, w₅)|`. It is the energy by which the work of the
//! block's impulses differs from the law.

use crate::cone::{Scaled, project, project_disc, support};
use crate::{Cone, Law, Operator, Problem, Real};

/// Residual and complementarity of one block; over several blocks, the largest of each.
#[derive(Clone, Copy, Debug)]
pub struct Measure<T> {
    /// Natural residual [m/s].
    pub residual: T,
    /// Complementarity [J].
    pub complementarity: T,
    /// First row that is not finite.
    pub not_finite: Option<usize>,
}

impl<T: Real> Default for Measure<T> {
    fn default() -> Self {
        Measure { residual: T::ZERO, complementarity: T::ZERO, not_finite: None }
    }
}

/// The natural residual of one block by rows; `diagonal` has the block's diagonal entries of `A`.
#[inline]
pub fn block_residual<T: Real>(law: &Law, cone: Cone, diagonal: &[T], lambda: &[T], w: &[T], out: &mut [T]) {
    let d = diagonal;
    match law {
        Law::Equal => out[0] = w[0],
        Law::Unilateral => out[0] = w[0].min(d[0] * lambda[0]),
        Law::Between { lowest, highest } => {
            out[0] = clamped(d[0], lambda[0], w[0], T::of(*lowest), T::of(*highest));
        }
        Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
            out[0] = w[0].min(d[0] * lambda[0]);
            let normal = lambda[0].max(T::ZERO);
            let most = d[1].max(d[2]);
            if mu[0] == mu[1] && cone == Cone::Exact && matches!(law, Law::Friction { .. }) {
                let three = |x: &[T]| [x[0], x[1], x[2]];
                out[..3].copy_from_slice(&round_residual(mu[0], three(d), three(lambda), three(w)));
                return;
            }
            let scale = Scaled::<T>::new(*mu);
            let t = scale.scaled([lambda[1], lambda[2]]);
            let s = [scale.share[0] * w[1], scale.share[1] * w[2]];
            let y = [most * t[0] - s[0], most * t[1] - s[1]];
            let p = project(cone, most * scale.mu * normal, y);
            let floor = T::of(1e-3);
            for i in 0..2 {
                out[1 + i] = if scale.mu * scale.share[i] > T::ZERO {
                    (most * t[i] - p[i]) / scale.share[i].max(floor)
                } else {
                    most * lambda[1 + i]
                };
            }
            if let Law::Torsion { torsion, .. } | Law::Rolling { torsion, .. } = law {
                let bound = T::of(*torsion) * normal;
                out[3] = clamped(d[3], lambda[3], w[3], -bound, bound);
            }
            if let Law::Rolling { rolling, .. } = law {
                let most = d[4].max(d[5]);
                let y = [most * lambda[4] - w[4], most * lambda[5] - w[5]];
                let p = project_disc(most * T::of(*rolling) * normal, y);
                out[4] = most * lambda[4] - p[0];
                out[5] = most * lambda[5] - p[1];
            }
        }
    }
}

/// (4) for a round cone, without the general case: most contacts are of this kind.
#[inline(always)]
pub(crate) fn round_residual<T: Real>(mu: f64, d: [T; 3], lambda: [T; 3], w: [T; 3]) -> [T; 3] {
    let most = d[1].max(d[2]);
    let normal = w[0].min(d[0] * lambda[0]);
    let y = [most * lambda[1] - w[1], most * lambda[2] - w[2]];
    let radius = most * T::of(mu.max(0.0)) * lambda[0].max(T::ZERO);
    let square = y[0] * y[0] + y[1] * y[1];
    if square <= radius * radius {
        return [normal, w[1], w[2]];
    }
    let part = radius / square.sqrt();
    [normal, most * lambda[1] - part * y[0], most * lambda[2] - part * y[1]]
}

/// (3), written so that a row that nothing can move (`d = 0`) gives zero inside its bounds, and infinite bounds are harmless.
fn clamped<T: Real>(d: T, lambda: T, w: T, lowest: T, highest: T) -> T {
    // d(λ - clamp(λ - w/d)) = the middle one of  d(λ - highest), w, d(λ - lowest).
    let up = if highest.is_finite() { d * (lambda - highest) } else { -T::ONE / T::TINY };
    let down = if lowest.is_finite() { d * (lambda - lowest) } else { T::ONE / T::TINY };
    if lowest == highest {
        return up;
    }
    w.max(up).min(down)
}

/// Complementarity of one block [J], see the head of the file.
#[inline]
pub fn block_complementarity<T: Real>(law: &Law, cone: Cone, lambda: &[T], w: &[T]) -> T {
    match law {
        Law::Equal | Law::Unilateral => (lambda[0] * w[0]).abs(),
        Law::Between { lowest, highest } => {
            // At the lowest w may be positive, at the highest negative: what is left over is the miss.
            let to_lowest = if w[0] > T::ZERO && lowest.is_finite() { lambda[0] - T::of(*lowest) } else { T::ZERO };
            let to_highest =
                if w[0] < T::ZERO && highest.is_finite() { T::of(*highest) - lambda[0] } else { T::ZERO };
            ((to_lowest + to_highest) * w[0]).abs()
        }
        Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
            let scale = Scaled::<T>::new(*mu);
            let s = [scale.share[0] * w[1], scale.share[1] * w[2]];
            let mut term = scale.mu * support(cone, s);
            if let Law::Torsion { torsion, .. } | Law::Rolling { torsion, .. } = law {
                term += T::of(*torsion) * w[3].abs();
            }
            if let Law::Rolling { rolling, .. } = law {
                term += T::of(*rolling) * (w[4] * w[4] + w[5] * w[5]).sqrt();
            }
            let mut sum = lambda[0] * (w[0] + term);
            for i in 1..law.rows() {
                sum += lambda[i] * w[i];
            }
            sum.abs()
        }
    }
}

/// Residual and complementarity of all blocks. `diagonal` has the diagonal of `A`, `u` the running vector of `lambda`.
pub fn measure<T: Real>(problem: &Problem<T>, diagonal: &[T], u: &[T], lambda: &[T]) -> Measure<T> {
    measure_each(problem, diagonal, u, lambda, |_| ())
}

/// The same; `each` is called with the largest residual of every block, in order, as long as all are finite.
pub fn measure_each<T: Real>(
    problem: &Problem<T>,
    diagonal: &[T],
    u: &[T],
    lambda: &[T],
    each: impl FnMut(T),
) -> Measure<T> {
    // Compiled for each operator, so that the products of a block are inlined into the loop.
    match problem.operator.factored() {
        Some(operator) => measure_over(operator, problem, diagonal, u, lambda, each),
        None => measure_over(problem.operator, problem, diagonal, u, lambda, each),
    }
}

fn measure_over<T: Real, O: Operator<T> + ?Sized>(
    operator: &O,
    problem: &Problem<T>,
    diagonal: &[T],
    u: &[T],
    lambda: &[T],
    mut each: impl FnMut(T),
) -> Measure<T> {
    let mut measured: Measure<T> = Measure::default();
    let no_number = |row: usize| {
        let all = T::ONE / T::ZERO;
        Measure { residual: all, complementarity: all, not_finite: Some(row) }
    };
    for (first, law) in problem.blocks() {
        if let Law::Friction { mu: [mu, second] } = law
            && mu == second
            && problem.cone == Cone::Exact
        {
            // The most frequent block, with fixed lengths.
            let three = |x: &[T]| -> [T; 3] { [x[first], x[first + 1], x[first + 2]] };
            let (l, d, b) = (three(lambda), three(diagonal), three(problem.b));
            let w = operator.gather_three(u, lambda, first);
            let w = [w[0] + b[0], w[1] + b[1], w[2] + b[2]];
            let finite = |i: usize| w[i].is_finite() && l[i].is_finite() && d[i].is_finite();
            if let Some(i) = (0..3).find(|&i| !finite(i)) {
                return no_number(first + i);
            }
            let r = round_residual(*mu, d, l, w);
            let term = T::of(mu.max(0.0)) * (w[1] * w[1] + w[2] * w[2]).sqrt();
            let miss = (l[0] * (w[0] + term) + l[1] * w[1] + l[2] * w[2]).abs();
            if let Some(i) = (0..3).find(|&i| !(r[i].is_finite() && miss.is_finite())) {
                return no_number(first + i);
            }
            let largest = T::ZERO.max(r[0].abs()).max(r[1].abs()).max(r[2].abs());
            each(largest);
            measured.residual = measured.residual.max(largest);
            measured.complementarity = measured.complementarity.max(miss);
            continue;
        }
        let n = law.rows();
        let rows = first..first + n;
        let mut w = [T::ZERO; 6];
        operator.gather(u, lambda, first, &mut w[..n]);
        for i in 0..n {
            w[i] += problem.b[first + i];
            if !(w[i].is_finite() && lambda[first + i].is_finite() && diagonal[first + i].is_finite()) {
                return no_number(first + i);
            }
        }
        let mut r = [T::ZERO; 6];
        block_residual(law, problem.cone, &diagonal[rows.clone()], &lambda[rows.clone()], &w[..n], &mut r[..n]);
        let miss = block_complementarity(law, problem.cone, &lambda[rows], &w[..n]);
        let mut largest = T::ZERO;
        for (i, r) in r[..n].iter().enumerate() {
            // Finite numbers with non-finite products.
            if !(r.is_finite() && miss.is_finite()) {
                return no_number(first + i);
            }
            largest = largest.max(r.abs());
        }
        each(largest);
        measured.residual = measured.residual.max(largest);
        measured.complementarity = measured.complementarity.max(miss);
    }
    measured
}
