//! One contact whose friction set is a polygon, exactly: every corner and every side is tried.
//!
//! ```text
//! (1)  sticking    wₙ = 0, s = 0, t in μ λₙ S
//! (2)  corner c    t = μ λₙ c,                        -s between the outward normals of the two sides at c
//! (3)  side a-b    t = μ λₙ a + ξ (b - a),  s·(b - a) = 0,  0 <= ξ <= μ λₙ,  -s outward
//! ```
//!
//! Each is a linear system of one to three unknowns. With rounding no case may be free of violation: the one with the
//! smallest violation is used.

use super::Friction;
use crate::cone::{corner, corners};
use crate::{Cone, Real};

/// `(λₙ, t)` for `wₙ` and `s` without the block's own impulses.
pub(super) fn solve<T: Real>(f: &Friction<T>, cone: Cone, qn: T, q: [T; 2]) -> [T; 3] {
    let (n, m, d) = (f.normal, f.coupling, f.tangent);
    let mu = f.scale.mu;
    let count = corners(cone);
    let mut best = ([T::ZERO; 3], T::ONE / T::ZERO);
    // Violation of a candidate: of the set by its impulses, of the law by its velocities, both as velocities.
    let mut consider = |x: [T; 3], violation: T| {
        if violation < best.1 {
            best = (x, violation);
        }
    };

    // (1): 3x3 by elimination of the normal.
    let inverse = T::ONE / n;
    let s = [d[0] - m[0] * m[0] * inverse, d[1] - m[0] * m[1] * inverse, d[2] - m[1] * m[1] * inverse];
    let g = [q[0] - m[0] * qn * inverse, q[1] - m[1] * qn * inverse];
    let det = (s[0] * s[2] - s[1] * s[1]).max(f.least * f.least);
    let t = [(s[1] * g[1] - s[2] * g[0]) / det, (s[1] * g[0] - s[0] * g[1]) / det];
    let x = [-(qn + m[0] * t[0] + m[1] * t[1]) * inverse, t[0], t[1]];
    let most = d[0].max(d[2]);
    let mut outside = T::ZERO.max(-x[0] * n);
    for k in 0..count {
        let (a, b): ([T; 2], [T; 2]) = (corner(cone, k), corner(cone, k + 1));
        let edge = [b[0] - a[0], b[1] - a[1]];
        let rel = [t[0] - mu * x[0] * a[0], t[1] - mu * x[0] * a[1]];
        outside = outside.max((edge[1] * rel[0] - edge[0] * rel[1]) * most);
    }
    consider(x, outside);
    if outside <= T::ZERO {
        return x;
    }

    for k in 0..count {
        let a: [T; 2] = corner(cone, k);
        let b: [T; 2] = corner(cone, k + 1);
        let before: [T; 2] = corner(cone, k + count - 1);
        let edge = [b[0] - a[0], b[1] - a[1]];
        let back = [before[0] - a[0], before[1] - a[1]];
        // N + μ m·a: response of the normal when friction is proportional to it.
        let along = n + mu * (m[0] * a[0] + m[1] * a[1]);

        // (2)
        if along > T::ZERO {
            let ln = -qn / along;
            let t = a.map(|a| mu * ln * a);
            let s = velocity(f, ln, t, q);
            let violation = (-(s[0] * edge[0] + s[1] * edge[1])).max(-(s[0] * back[0] + s[1] * back[1]));
            consider([ln, t[0], t[1]], violation.max(T::ZERO));
        }

        // (3): unknowns λₙ and ξ.
        let m_edge = m[0] * edge[0] + m[1] * edge[1];
        let d_edge = [d[0] * edge[0] + d[1] * edge[1], d[1] * edge[0] + d[2] * edge[1]];
        let d_a = [d[0] * a[0] + d[1] * a[1], d[1] * a[0] + d[2] * a[1]];
        let lower = m_edge + mu * (d_a[0] * edge[0] + d_a[1] * edge[1]);
        let right = d_edge[0] * edge[0] + d_edge[1] * edge[1];
        let q_edge = q[0] * edge[0] + q[1] * edge[1];
        let det = along * right - m_edge * lower;
        if det != T::ZERO {
            let ln = (-qn * right + m_edge * q_edge) / det;
            let xi = (-q_edge * along + lower * qn) / det;
            let t = [0, 1].map(|i| mu * ln * a[i] + xi * edge[i]);
            let s = velocity(f, ln, t, q);
            let mut violation = T::ZERO.max(-ln * n).max(-xi * most).max((xi - mu * ln) * most);
            // The outward normal of a counter-clockwise side.
            violation = violation.max(s[0] * edge[1] - s[1] * edge[0]);
            consider([ln, t[0], t[1]], violation);
        }
    }
    best.0
}

fn velocity<T: Real>(f: &Friction<T>, ln: T, t: [T; 2], q: [T; 2]) -> [T; 2] {
    let (m, d) = (f.coupling, f.tangent);
    [m[0] * ln + d[0] * t[0] + d[1] * t[1] + q[0], m[1] * ln + d[1] * t[0] + d[2] * t[1] + q[1]]
}
