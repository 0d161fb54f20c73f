//! Rotations as plain quaternions w x y z: the few operations that the steps need, without allocation.
//!
//! ```text
//! (1)  angle between a and b      2 acos |a·b|
//! (2)  log q = 2 atan2(|v|, w) v/|v|          exp its inverse
//! (3)  slerp(a, b, s) = (sin((1-s)h) a + sin(s h) b) / sin h,   cos h = a·b >= 0 (the shorter arc)
//! ```

use crate::stream::Quaternion;

/// Inner product.
pub fn dot(a: &Quaternion, b: &Quaternion) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// Half the angle between two orientations [rad], as the published rule computes it.
pub fn half_angle(a: &Quaternion, b: &Quaternion) -> f64 {
    libm::acos(dot(a, b).abs().min(1.0))
}

/// `a b`.
pub fn product(a: &Quaternion, b: &Quaternion) -> Quaternion {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The inverse rotation.
pub fn conjugate(q: &Quaternion) -> Quaternion {
    [q[0], -q[1], -q[2], -q[3]]
}

/// Rotation vector [rad] of the shorter arc, (2).
pub fn log(q: &Quaternion) -> [f64; 3] {
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    let square = q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let factor = if square < SERIES {
        2.0 * asin_over_sine(square)
    } else {
        let s = square.sqrt();
        2.0 * libm::atan2(s, sign * q[0]) / s
    };
    [sign * factor * q[1], sign * factor * q[2], sign * factor * q[3]]
}

/// Up to this squared sine, a rotation of 29 degrees, the series is exact to the last bits; most steps of a recording
/// are below it.
const SERIES: f64 = 1.0 / 16.0;

/// `asin(s) / s` of a unit quaternion's sine squared: 1 + x/6 + 3x²/40 + …
fn asin_over_sine(x: f64) -> f64 {
    // Coefficient n is (2n)! / (4^n (n!)² (2n+1)).
    const C: [f64; 13] = [
        1.0,
        1.0 / 6.0,
        3.0 / 40.0,
        5.0 / 112.0,
        35.0 / 1152.0,
        63.0 / 2816.0,
        231.0 / 13_312.0,
        143.0 / 10_240.0,
        6_435.0 / 557_056.0,
        12_155.0 / 1_245_184.0,
        46_189.0 / 5_505_024.0,
        88_179.0 / 12_058_624.0,
        676_039.0 / 104_857_600.0,
    ];
    C.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The rotation of a rotation vector [rad].
pub fn exp(r: &[f64; 3]) -> Quaternion {
    let angle = norm(r);
    let (s, c) = libm::sincos(0.5 * angle);
    let factor = if angle < 1e-12 { 0.5 } else { s / angle };
    [c, factor * r[0], factor * r[1], factor * r[2]]
}

/// Rotation about an axis of length one by an angle [rad].
pub fn about(axis: &[f64; 3], angle: f64) -> Quaternion {
    let (sin, cos) = libm::sincos(0.5 * angle);
    [cos, sin * axis[0], sin * axis[1], sin * axis[2]]
}

/// The rotation in world axes from `from` to `to`, as a rotation vector [rad].
pub fn between(from: &Quaternion, to: &Quaternion) -> [f64; 3] {
    log(&product(to, &conjugate(from)))
}

/// `q v q*`.
pub fn rotate(q: &Quaternion, v: &[f64; 3]) -> [f64; 3] {
    let u = [q[1], q[2], q[3]];
    let t = cross(&u, v).map(|x| 2.0 * x);
    let c = cross(&u, &t);
    [v[0] + q[0] * t[0] + c[0], v[1] + q[0] * t[1] + c[1], v[2] + q[0] * t[2] + c[2]]
}

/// Point on the shortest arc at fraction `s`, (3).
pub fn slerp(a: &Quaternion, b: &Quaternion, s: f64) -> Quaternion {
    let d = dot(a, b);
    let sign = if d < 0.0 { -1.0 } else { 1.0 };
    let half = libm::acos(d.abs().min(1.0));
    let sine = libm::sin(half);
    // At this distance chord and arc agree to the last bit.
    let (wa, wb) =
        if sine < 1e-9 { (1.0 - s, s) } else { (libm::sin((1.0 - s) * half) / sine, libm::sin(s * half) / sine) };
    let mut out = [0.0; 4];
    for i in 0..4 {
        out[i] = wa * a[i] + wb * sign * b[i];
    }
    let n = dot(&out, &out).sqrt();
    out.map(|x| x / n)
}

/// Length of a vector.
pub fn norm(v: &[f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// Difference of vectors.
pub fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Sum of vectors.
pub fn plus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// A vector times a number.
pub fn times(v: &[f64; 3], s: f64) -> [f64; 3] {
    [v[0] * s, v[1] * s, v[2] * s]
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn turn() -> impl Strategy<Value = Quaternion> {
        prop::array::uniform3(-3.0f64..3.0).prop_map(|r| exp(&r))
    }

    proptest! {
        #[test]
        fn logarithm_undoes_the_exponential(r in prop::array::uniform3(-1.7f64..1.7)) {
            // |r| < 3 < π, so the shorter arc is the one meant. Tolerance: some roundings.
            let back = log(&exp(&r));
            prop_assert!((0..3).all(|i| (back[i] - r[i]).abs() < 1e-13));
        }

        #[test]
        fn the_series_is_the_arc_sine(s in 1e-6f64..0.25) {
            // Some units in the last place.
            prop_assert!((asin_over_sine(s * s) - libm::asin(s) / s).abs() < 1e-15);
        }

        #[test]
        fn rotations_agree_with_nalgebra(a in turn(), b in turn(), v in prop::array::uniform3(-5.0f64..5.0), s in 0.0f64..1.0) {
            use nalgebra::{Quaternion, UnitQuaternion, Vector3};
            let na = |q: &[f64; 4]| UnitQuaternion::new_normalize(Quaternion::new(q[0], q[1], q[2], q[3]));
            let ours = rotate(&product(&a, &b), &v);
            let theirs = na(&a) * na(&b) * Vector3::from(v);
            prop_assert!((0..3).all(|i| (ours[i] - theirs[i]).abs() < 1e-12));
            // Near half a turn apart rounding decides which arc is shorter.
            if dot(&a, &b).abs() > 1e-3 {
                // nalgebra's result is normalised here: its division by a sine of `sqrt(1 - cos²)` leaves a norm that
                // is not exactly one. The arc cosine near one is accurate to some 1e-8.
                let (ours, theirs) = (slerp(&a, &b, s), na(&a).slerp(&na(&b), s).into_inner().normalize());
                let theirs = [theirs.w, theirs.i, theirs.j, theirs.k];
                let sign = dot(&ours, &theirs).signum();
                prop_assert!((0..4).all(|i| (ours[i] - sign * theirs[i]).abs() < 1e-7));
            }
        }
    }
}
