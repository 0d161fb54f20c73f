//! One contact with friction, exactly.
//!
//! In the coordinates of `cone` (tangential impulses `t`, velocities `s`), with `D` and `q` scaled alike:
//!
//! ```text
//! (1)  wₙ = N λₙ + m·t + qₙ,   s = m λₙ + T t + q
//! (2)  apart      λ = 0                                  if qₙ >= 0
//! (3)  sticking   wₙ = 0, s = 0                          if |t| <= μ λₙ
//! (4)  sliding    wₙ = 0, s = -κ t, |t| = μ λₙ, κ > 0
//! ```
//!
//! Eliminating `λₙ = α - m·t/N`, `α = -qₙ/N`, leaves `S = T - m mᵀ/N`, `g = q - m qₙ/N`:
//!
//! ```text
//! (5)  (S + κ I) t(κ) = -g,    h(κ) = μ λₙ(κ) - |t(κ)| = 0
//! ```
//!
//! `h < 0` at `κ = 0` when (3) is outside the cone, and `h -> μ α > 0` as `κ` grows: between them there is a root, whatever
//! the coefficients and the coupling. `μ λₙ/|t| - 1` has the same root and is nearly linear in `κ`: Newton's method on it,
//! kept inside the bracket by bisection, needs two to five steps. (`h` may have several roots when friction couples
//! strongly to the normal; the contact problem then has several solutions too.)

use super::{polygon, proximal};
use crate::cone::Scaled;
use crate::{Cone, Real};

/// A prepared contact.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Friction<T> {
    pub(super) scale: Scaled<T>,
    /// `N` (with the proximal term), and its inverse; both zero for a contact that nothing moves.
    pub(super) normal: T,
    pub(super) inverse: T,
    /// `m`.
    pub(super) coupling: [T; 2],
    /// `T`: 11, 12, 22, with the proximal term.
    pub(super) tangent: [T; 3],
    /// `S`.
    schur: [T; 3],
    /// `S` factored for (3).
    sticking: Pair<T>,
    /// The inverse of the block (nn, n1, n2, 11, 12, 22), for those that are far from singular.
    whole: Option<[T; 6]>,
    /// Whether `S` is a number and nothing couples to the normal, as for spheres: (5) is then `κ + S = |g|/(μ α)`.
    round: bool,
    /// Lower bound of the pivots of the tangents: their proximal term.
    pub(super) least: T,
}

impl<T: Real> Friction<T> {
    /// From a diagonal block of `A`.
    pub fn new(mu: [f64; 2], matrix: [[T; 3]; 3]) -> Friction<T> {
        let scale = Scaled::<T>::new(mu);
        let a = [T::ONE, scale.share[0], scale.share[1]];
        let entry = |i: usize, j: usize| a[i] * a[j] * matrix[i][j];
        let most = entry(0, 0).max(entry(1, 1)).max(entry(2, 2));
        let half = T::of(0.5);
        let coupling = [(entry(0, 1) + entry(1, 0)) * half, (entry(0, 2) + entry(2, 0)) * half];
        let between = (entry(1, 2) + entry(2, 1)) * half;
        let made = |relative: T| {
            let soft = |i: usize| relative * (entry(i, i) + T::EPSILON * most);
            let normal = entry(0, 0) + soft(0);
            // A response of the normal below rounding counts as zero.
            let inverse = if entry(0, 0) > T::EPSILON * most { T::ONE / normal } else { T::ZERO };
            let tangent = [entry(1, 1) + soft(1), between, entry(2, 2) + soft(2)];
            let least = soft(1).min(soft(2));
            let schur = [
                (tangent[0] - coupling[0] * coupling[0] * inverse).max(soft(1)),
                tangent[1] - coupling[0] * coupling[1] * inverse,
                (tangent[2] - coupling[1] * coupling[1] * inverse).max(soft(2)),
            ];
            let sticking = Pair::new(schur, least);
            let size = T::of(8.0) * T::EPSILON * schur[0].min(schur[2]);
            let round = [schur[0] - schur[2], schur[1], coupling[0], coupling[1]].iter().all(|x| x.abs() <= size);
            Friction { scale, normal, inverse, coupling, tangent, schur, sticking, whole: None, round, least }
        };
        let made_firm = made(proximal());
        // Nearly singular relative to each row's size: a softer block, otherwise its rounding would decide the result.
        let soft = T::EPSILON.sqrt() * T::of(0.0625);
        let size = |i: usize| soft * made_firm.tangent[i];
        let s = made_firm.schur;
        if s[0] < size(0) || s[2] < size(2) || made_firm.sticking.inverse_rest * size(0).min(size(2)) > T::ONE {
            return made(soft);
        }
        // From the inverse of S: [N m; m T]⁻¹ has S⁻¹ at the tangents.
        let det = s[0] * s[2] - s[1] * s[1];
        let (i11, i12, i22) = (s[2] / det, -s[1] / det, s[0] / det);
        let m = [coupling[0] * made_firm.inverse, coupling[1] * made_firm.inverse];
        let (n1, n2) = (-(i11 * m[0] + i12 * m[1]), -(i12 * m[0] + i22 * m[1]));
        let nn = made_firm.inverse - m[0] * n1 - m[1] * n2;
        let whole = [nn, n1, n2, i11, i12, i22];
        let good = made_firm.inverse > T::ZERO && whole.iter().all(|x| x.is_finite());
        Friction { whole: good.then_some(whole), ..made_firm }
    }

    /// (3) as a change of the current impulses, for a sticking contact: the cheapest case, and the most frequent.
    #[inline(always)]
    pub fn held(&self, cone: Cone, w: [T; 3], lambda: [T; 3]) -> Option<[T; 3]> {
        let (Some(i), Cone::Exact) = (&self.whole, cone) else { return None };
        let t = self.scale.scaled([lambda[1], lambda[2]]);
        let qn = w[0] - self.normal * lambda[0] - self.coupling[0] * t[0] - self.coupling[1] * t[1];
        let [a, b] = self.scale.share;
        let s = [a * w[1], b * w[2]];
        let n = lambda[0] - (i[0] * w[0] + i[1] * s[0] + i[2] * s[1]);
        let t0 = t[0] - (i[1] * w[0] + i[3] * s[0] + i[4] * s[1]);
        let t1 = t[1] - (i[2] * w[0] + i[4] * s[0] + i[5] * s[1]);
        let mu = self.scale.mu;
        let holds = qn < T::ZERO && n >= T::ZERO && t0 * t0 + t1 * t1 <= (mu * n) * (mu * n);
        holds.then_some([n, a * t0, b * t1])
    }

    /// Impulses `far` beyond the solved ones `near`, projected back onto the cone along the surface. Where a contact opens, and
    /// for polygonal cones, the solved ones are returned.
    #[inline(always)]
    pub fn beyond(&self, cone: Cone, far: [T; 3], near: [T; 3]) -> [T; 3] {
        if far[0] <= T::ZERO || near[0] <= T::ZERO || cone != Cone::Exact {
            return near;
        }
        let t = self.scale.scaled([far[1], far[2]]);
        let (square, most) = (t[0] * t[0] + t[1] * t[1], self.scale.mu * far[0]);
        if square <= most * most {
            return far;
        }
        let part = most / square.sqrt();
        [far[0], part * far[1], part * far[2]]
    }

    /// Computes the contact's impulses: `w` are its velocities at `lambda`.
    pub fn solve(&self, cone: Cone, w: [T; 3], lambda: [T; 3]) -> [T; 3] {
        self.held(cone, w, lambda).unwrap_or_else(|| self.solve_open_or_sliding(cone, w, lambda))
    }

    /// The same for a contact that [`Friction::held`] does not handle.
    #[inline(never)]
    pub fn solve_open_or_sliding(&self, cone: Cone, w: [T; 3], lambda: [T; 3]) -> [T; 3] {
        let [a, b] = self.scale.share;
        let t = self.scale.scaled([lambda[1], lambda[2]]);
        // q of (1): the velocities without the block's own impulses. The proximal term's two halves cancel in
        // w - (D + soft) λ + soft λ, so that w = 0 at λ stays a solution.
        let m = self.coupling;
        let d = self.tangent;
        let qn = w[0] - self.normal * lambda[0] - m[0] * t[0] - m[1] * t[1];
        if qn >= T::ZERO || self.inverse == T::ZERO {
            return [T::ZERO; 3];
        }
        let mu = self.scale.mu;
        let s = [a * w[1], b * w[2]];
        let alpha = -qn * self.inverse;
        if mu == T::ZERO {
            return [alpha, T::ZERO, T::ZERO];
        }
        let q = [
            s[0] - m[0] * lambda[0] - d[0] * t[0] - d[1] * t[1],
            s[1] - m[1] * lambda[0] - d[1] * t[0] - d[2] * t[1],
        ];
        let [n, t0, t1] = match cone {
            Cone::Exact => self.exact(alpha, [q[0] + m[0] * alpha, q[1] + m[1] * alpha]),
            _ => polygon::solve(self, cone, qn, q),
        };
        [n, a * t0, b * t1]
    }

    /// (3), or (4) by (5).
    #[inline]
    fn exact(&self, alpha: T, g: [T; 2]) -> [T; 3] {
        let m = [self.coupling[0] * self.inverse, self.coupling[1] * self.inverse];
        let mu = self.scale.mu;
        if self.whole.is_none() {
            let t = self.sticking.solve(g);
            let n = alpha - m[0] * t[0] - m[1] * t[1];
            let square = t[0] * t[0] + t[1] * t[1];
            if n >= T::ZERO && square <= (mu * n) * (mu * n) {
                return [n, t[0], t[1]];
            }
        }
        if self.round {
            let factor = -mu * alpha / (g[0] * g[0] + g[1] * g[1]).sqrt();
            return [alpha, g[0] * factor, g[1] * factor];
        }
        self.slide(alpha, g, m)
    }

    fn slide(&self, alpha: T, g: [T; 2], m: [T; 2]) -> [T; 3] {
        let s = self.schur;
        let mu = self.scale.mu;
        let at = |kappa: T| {
            let pair = Pair::new([s[0] + kappa, s[1], s[2] + kappa], self.least);
            let t = pair.solve(g);
            // t' = -(S + κ)⁻¹ t.
            (t, pair.solve(t))
        };
        // Without coupling and with equal S the first guess is the root.
        let size = (g[0] * g[0] + g[1] * g[1]).sqrt();
        let mean = (s[0] + s[2]) * T::of(0.5);
        let mut low = T::ZERO;
        let mut high = T::ONE / T::ZERO;
        let mut kappa = (size / (mu * alpha) - mean).max(T::EPSILON * mean);
        let mut t = [T::ZERO; 2];
        let mut length = T::ZERO;
        for _ in 0..200 {
            let (found, slope) = at(kappa);
            t = found;
            length = (t[0] * t[0] + t[1] * t[1]).sqrt();
            let n = alpha - m[0] * t[0] - m[1] * t[1];
            let h = mu * n - length;
            if h < T::ZERO {
                low = kappa;
            } else {
                high = kappa;
            }
            // `n` is a difference: its rounding, times μ, limits how close to zero `h` can be resolved.
            let rounding = length + mu * (alpha + (m[0] * t[0]).abs() + (m[1] * t[1]).abs());
            if h.abs() <= T::of(2.0) * T::EPSILON * rounding || length == T::ZERO {
                break;
            }
            // ψ = μ n/|t| - 1 and its slope.
            let n_slope = -m[0] * slope[0] - m[1] * slope[1];
            let length_slope = (t[0] * slope[0] + t[1] * slope[1]) / length;
            let psi_slope = mu * (n_slope - n * length_slope / length) / length;
            let mut next = kappa - h / (length * psi_slope);
            if !(next > low && next < high) {
                next = if high.is_finite() { (low + high) * T::of(0.5) } else { (kappa + mean) * T::of(4.0) };
            }
            if next == kappa || next == low || next == high {
                break;
            }
            kappa = next;
        }
        // Onto the cone by the smaller change: with μ > 1 a rounding error of the normal impulse would be μ times as large
        // in the tangential one.
        if mu > T::ONE {
            return [length / mu, t[0], t[1]];
        }
        let n = (alpha - m[0] * t[0] - m[1] * t[1]).max(T::ZERO);
        let factor = if length > T::ZERO { mu * n / length } else { T::ZERO };
        [n, t[0] * factor, t[1] * factor]
    }
}

/// A factored symmetric positive 2x2 matrix. By elimination from the larger pivot and not by the determinant: for a nearly
/// singular matrix, the determinant's rounding would spoil also the direction that is well determined.
#[derive(Clone, Copy, Debug)]
struct Pair<T> {
    second_first: bool,
    inverse_first: T,
    ratio: T,
    inverse_rest: T,
    between: T,
}

impl<T: Real> Pair<T> {
    #[inline]
    fn new(s: [T; 3], least: T) -> Pair<T> {
        let second_first = s[2] > s[0];
        let (first, second) = if second_first { (s[2], s[0]) } else { (s[0], s[2]) };
        let inverse_first = if first > T::ZERO { T::ONE / first } else { T::ZERO };
        let ratio = s[1] * inverse_first;
        // In exact arithmetic no less than the proximal term; below it is rounding.
        let rest = (second - ratio * s[1]).max(least);
        let inverse_rest = if rest > T::ZERO { T::ONE / rest } else { T::ZERO };
        Pair { second_first, inverse_first, ratio, inverse_rest, between: s[1] }
    }

    /// `-S⁻¹ g`.
    #[inline]
    fn solve(&self, g: [T; 2]) -> [T; 2] {
        let [g0, g1] = if self.second_first { [g[1], g[0]] } else { g };
        let y = (self.ratio * g0 - g1) * self.inverse_rest;
        let x = -(g0 + self.between * y) * self.inverse_first;
        if self.second_first { [y, x] } else { [x, y] }
    }
}
