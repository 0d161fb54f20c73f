//! Quaternions, w x y z: the few operations that features need, with the same bits on every machine.

/// `world_from_body`.
pub type Turn = [f64; 4];

/// `a` after `b`.
pub fn product(a: &Turn, b: &Turn) -> Turn {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The inverse rotation.
pub fn inverse(q: &Turn) -> Turn {
    [q[0], -q[1], -q[2], -q[3]]
}

/// A rotated vector.
pub fn rotate(q: &Turn, v: &[f64; 3]) -> [f64; 3] {
    let [_, x, y, z] = product(&product(q, &[0.0, v[0], v[1], v[2]]), &inverse(q));
    [x, y, z]
}

/// Rotation about an axis of length one by an angle.
pub fn about(axis: &[f64; 3], angle: f64) -> Turn {
    let (sin, cos) = libm::sincos(0.5 * angle);
    [cos, sin * axis[0], sin * axis[1], sin * axis[2]]
}

/// The shortest rotation from `a` to `b` as axis times angle, in the frame both are given in.
pub fn between(a: &Turn, b: &Turn) -> [f64; 3] {
    let mut q = product(b, &inverse(a));
    if q[0] < 0.0 {
        q = q.map(|x| -x);
    }
    let sin = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    // The limit for small angles is 2.
    let factor = if sin < 1e-12 { 2.0 } else { 2.0 * libm::atan2(sin, q[0]) / sin };
    [q[1] * factor, q[2] * factor, q[3] * factor]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_is_recovered_whatever_the_sign_of_its_quaternion() {
        let a = about(&[0.6, 0.0, 0.8], 0.7);
        let b = product(&about(&[0.0, 1.0, 0.0], -0.3), &a);
        for b in [b, b.map(|x| -x)] {
            let found = between(&a, &b);
            // Tolerance: rounding of a handful of operations.
            assert!((found[1] + 0.3).abs() < 1e-14 && found[0].abs() < 1e-14 && found[2].abs() < 1e-14, "{found:?}");
        }
        let x = rotate(&about(&[0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2), &[1.0, 0.0, 0.0]);
        assert!((x[1] - 1.0).abs() < 1e-15);
    }
}
