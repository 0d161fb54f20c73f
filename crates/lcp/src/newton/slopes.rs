//! The natural map of one block and its derivatives.
//!
//! ```text
//! (1)  r(λ, w) of `residual`;   dr = C dλ + E dw
//! (2)  the nearest point P(y) of R·S:   dP = K dy + k dR,   k = (P - K y)/R
//!      inside   K = 1,  k = 0
//!      disc     K = (R/|y|)(1 - e eᵀ),  k = e = y/|y|
//!      side     K = τ τᵀ (τ along the side), k = the side's outward offset;   corner   K = 0, k = the corner
//! ```
//!
//! At a kink, where the slope is not unique, that of the sticking contact is used; and for a normal impulse that is not
//! positive, the slope `k dR` of a growing one, otherwise a closing contact would have no friction.

use crate::cone::{Scaled, corner, corners};
use crate::{Cone, Law, Real};

/// Residual and slopes of a block, the first `n` rows and columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slopes<T> {
    pub r: [T; 6],
    pub c: [[T; 6]; 6],
    pub e: [[T; 6]; 6],
}

/// Residual and slopes of one block; `d` has the diagonal of `A`.
pub(crate) fn slopes<T: Real>(law: &Law, cone: Cone, d: &[T], lambda: &[T], w: &[T]) -> Slopes<T> {
    let zero = [[T::ZERO; 6]; 6];
    let mut s = Slopes { r: [T::ZERO; 6], c: zero, e: zero };
    match law {
        Law::Equal => {
            s.r[0] = w[0];
            s.e[0][0] = T::ONE;
        }
        Law::Unilateral => normal(&mut s, d[0], lambda[0], w[0]),
        Law::Between { lowest, highest } => {
            let (lowest, highest) = (T::of(*lowest), T::of(*highest));
            if d[0] * (lambda[0] - highest) >= w[0] {
                s.r[0] = d[0] * (lambda[0] - highest);
                s.c[0][0] = d[0];
            } else if d[0] * (lambda[0] - lowest) <= w[0] {
                s.r[0] = d[0] * (lambda[0] - lowest);
                s.c[0][0] = d[0];
            } else {
                s.r[0] = w[0];
                s.e[0][0] = T::ONE;
            }
        }
        Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
            normal(&mut s, d[0], lambda[0], w[0]);
            tangents(&mut s, &Scaled::new(*mu), cone, d, lambda, w);
            if let Law::Torsion { torsion, .. } | Law::Rolling { torsion, .. } = law {
                let torsion = T::of(*torsion);
                let bound = torsion * lambda[0].max(T::ZERO);
                let sign = if d[3] * (lambda[3] - bound) >= w[3] {
                    T::ONE
                } else if d[3] * (lambda[3] + bound) <= w[3] {
                    -T::ONE
                } else {
                    T::ZERO
                };
                if sign == T::ZERO {
                    s.r[3] = w[3];
                    s.e[3][3] = T::ONE;
                } else {
                    s.r[3] = d[3] * (lambda[3] - sign * bound);
                    s.c[3][3] = d[3];
                    s.c[3][0] = -sign * torsion * d[3];
                }
            }
            if let Law::Rolling { rolling, .. } = law {
                let rolling = T::of(*rolling);
                let most = d[4].max(d[5]);
                let y = [most * lambda[4] - w[4], most * lambda[5] - w[5]];
                let near = Nearest::of(Cone::Exact, most * rolling * lambda[0].max(T::ZERO), y);
                for i in 0..2 {
                    s.r[4 + i] = most * lambda[4 + i] - near.point[i];
                    s.c[4 + i][4 + i] = most;
                    s.c[4 + i][0] = -near.grow[i] * most * rolling;
                    for j in 0..2 {
                        s.c[4 + i][4 + j] -= near.slope[i][j] * most;
                        s.e[4 + i][4 + j] = near.slope[i][j];
                    }
                }
            }
        }
    }
    s
}

fn normal<T: Real>(s: &mut Slopes<T>, d: T, lambda: T, w: T) {
    if w <= d * lambda {
        s.r[0] = w;
        s.e[0][0] = T::ONE;
    } else {
        s.r[0] = d * lambda;
        s.c[0][0] = d;
    }
}

fn tangents<T: Real>(s: &mut Slopes<T>, scale: &Scaled<T>, cone: Cone, d: &[T], lambda: &[T], w: &[T]) {
    let most = d[1].max(d[2]);
    let share = scale.share;
    let t = scale.scaled([lambda[1], lambda[2]]);
    let y = [most * t[0] - share[0] * w[1], most * t[1] - share[1] * w[2]];
    let near = Nearest::of(cone, most * scale.mu * lambda[0].max(T::ZERO), y);
    let floor = T::of(1e-3);
    for i in 0..2 {
        if scale.mu * share[i] <= T::ZERO {
            s.r[1 + i] = most * lambda[1 + i];
            s.c[1 + i][1 + i] = most;
            continue;
        }
        let by = T::ONE / share[i].max(floor);
        s.r[1 + i] = (most * t[i] - near.point[i]) * by;
        s.c[1 + i][1 + i] = most * by / share[i];
        s.c[1 + i][0] = -near.grow[i] * most * scale.mu * by;
        for j in 0..2 {
            if share[j] > T::ZERO {
                s.c[1 + i][1 + j] -= near.slope[i][j] * most * by / share[j];
            }
            s.e[1 + i][1 + j] = near.slope[i][j] * share[j] * by;
        }
    }
}

/// The nearest point of a set, `K` and `k` of (2).
struct Nearest<T> {
    point: [T; 2],
    slope: [[T; 2]; 2],
    grow: [T; 2],
}

impl<T: Real> Nearest<T> {
    fn of(cone: Cone, radius: T, y: [T; 2]) -> Nearest<T> {
        let one = [[T::ONE, T::ZERO], [T::ZERO, T::ONE]];
        let inside = Nearest { point: y, slope: one, grow: [T::ZERO; 2] };
        if cone == Cone::Exact {
            let length = (y[0] * y[0] + y[1] * y[1]).sqrt();
            if length <= radius {
                return inside;
            }
            let e = [y[0] / length, y[1] / length];
            let k = radius / length;
            let slope =
                [[k * (T::ONE - e[0] * e[0]), -k * e[0] * e[1]], [-k * e[0] * e[1], k * (T::ONE - e[1] * e[1])]];
            return Nearest { point: [radius * e[0], radius * e[1]], slope, grow: e };
        }
        let count = corners(cone);
        let mut outside = false;
        let mut best: Option<(T, Nearest<T>)> = None;
        for k in 0..count {
            let (a, b): ([T; 2], [T; 2]) = (corner(cone, k), corner(cone, k + 1));
            let edge = [b[0] - a[0], b[1] - a[1]];
            let rel = [y[0] - radius * a[0], y[1] - radius * a[1]];
            outside |= edge[0] * rel[1] - edge[1] * rel[0] < T::ZERO;
            let square = edge[0] * edge[0] + edge[1] * edge[1];
            let along = (edge[0] * rel[0] + edge[1] * rel[1]) / square;
            let near = if along <= T::ZERO {
                Nearest { point: a.map(|x| radius * x), slope: [[T::ZERO; 2]; 2], grow: a }
            } else if along >= radius {
                Nearest { point: b.map(|x| radius * x), slope: [[T::ZERO; 2]; 2], grow: b }
            } else {
                let slope = [0, 1].map(|i| [0, 1].map(|j| edge[i] * edge[j] / square));
                // The point of the side's line nearest to the origin, per radius.
                let back = (edge[0] * a[0] + edge[1] * a[1]) / square;
                let grow = [0, 1].map(|i| a[i] - back * edge[i]);
                Nearest { point: [0, 1].map(|i| radius * a[i] + along * edge[i]), slope, grow }
            };
            let off = [y[0] - near.point[0], y[1] - near.point[1]];
            let distance = off[0] * off[0] + off[1] * off[1];
            if best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, near));
            }
        }
        match best {
            Some((_, near)) if outside => near,
            _ => inside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::random::Random;
    use crate::residual::block_residual;

    #[test]
    fn slopes_are_those_of_the_residual() {
        let mut random = Random::new(5);
        let laws = [
            Law::Unilateral,
            Law::Between { lowest: -0.2, highest: 0.4 },
            Law::Friction { mu: [0.7, 0.4] },
            Law::Torsion { mu: [0.7, 0.7], torsion: 0.3 },
            Law::Rolling { mu: [0.7, 0.5], torsion: 0.3, rolling: 0.2 },
        ];
        for cone in [Cone::Exact, Cone::Box, Cone::Pyramid { sides: 5 }] {
            for law in &laws {
                for _ in 0..300 {
                    let n = law.rows();
                    let d: Vec<f64> = (0..n).map(|_| 0.5 + random.unit()).collect();
                    let mut lambda: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
                    if n > 1 {
                        lambda[0] = lambda[0].abs();
                    }
                    let w: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
                    let change: Vec<f64> = (0..2 * n).map(|_| random.symmetric()).collect();
                    let step = 1e-7;
                    let residual = |sign: f64| {
                        let x: Vec<f64> = (0..n).map(|i| lambda[i] + sign * step * change[i]).collect();
                        let v: Vec<f64> = (0..n).map(|i| w[i] + sign * step * change[n + i]).collect();
                        let mut r = vec![0.0; n];
                        block_residual(law, cone, &d, &x, &v, &mut r);
                        r
                    };
                    let (ahead, behind) = (residual(1.0), residual(-1.0));
                    let s = slopes(law, cone, &d, &lambda, &w);
                    let mut here = vec![0.0; n];
                    block_residual(law, cone, &d, &lambda, &w, &mut here);
                    let straight = (0..n).all(|i| (ahead[i] + behind[i] - 2.0 * here[i]).abs() < 1e-12);
                    for i in 0..n {
                        assert!((s.r[i] - here[i]).abs() < 1e-14, "{law:?} {cone:?} row {i}");
                        let predicted: f64 = (0..n).map(|j| s.c[i][j] * change[j] + s.e[i][j] * change[n + j]).sum();
                        let found = (ahead[i] - behind[i]) / (2.0 * step);
                        // Differences are good to 1e-9; at a kink there is no slope to compare with.
                        assert!(
                            !straight || (found - predicted).abs() < 1e-6,
                            "{law:?} {cone:?} row {i}: {found} {predicted}"
                        );
                    }
                }
            }
        }
    }
}
