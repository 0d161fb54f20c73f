//! Small fixed-size algebra for the inner loops: plain arrays, no iterators, no fused operations, so that all machines of
//! the same architecture family round alike.
//!
//! A rotation is stored by columns: `Rot([x, y, z])` holds the link's axes seen from the world.

/// A vector of three.
pub type V3 = [f64; 3];

/// A rotation by columns.
pub type Rot = [V3; 3];

/// A symmetric 3x3 matrix: xx, yy, zz, xy, xz, yz.
pub type Sym3 = [f64; 6];

/// A general 3x3 matrix by rows.
pub type Rows3 = [V3; 3];

/// No rotation.
pub const IDENTITY: Rot = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// `a + b`.
#[inline(always)]
pub fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline(always)]
pub fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a * s`.
#[inline(always)]
pub fn scale(a: V3, s: f64) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a + b * s`.
#[inline(always)]
pub fn add_scaled(a: V3, b: V3, s: f64) -> V3 {
    [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s]
}

/// Scalar product.
#[inline(always)]
pub fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
#[inline(always)]
pub fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length.
#[inline(always)]
pub fn norm(a: V3) -> f64 {
    dot(a, a).sqrt()
}

/// World components of a link vector.
#[inline(always)]
pub fn rotate(r: &Rot, v: V3) -> V3 {
    [
        r[0][0] * v[0] + r[1][0] * v[1] + r[2][0] * v[2],
        r[0][1] * v[0] + r[1][1] * v[1] + r[2][1] * v[2],
        r[0][2] * v[0] + r[1][2] * v[1] + r[2][2] * v[2],
    ]
}

/// Link components of a world vector.
#[inline(always)]
pub fn rotate_back(r: &Rot, v: V3) -> V3 {
    [dot(r[0], v), dot(r[1], v), dot(r[2], v)]
}

/// `a b`.
#[inline(always)]
pub fn compose(a: &Rot, b: &Rot) -> Rot {
    [rotate(a, b[0]), rotate(a, b[1]), rotate(a, b[2])]
}

/// `S v`.
#[inline(always)]
pub fn sym_mul(s: &Sym3, v: V3) -> V3 {
    [
        s[0] * v[0] + s[3] * v[1] + s[4] * v[2],
        s[3] * v[0] + s[1] * v[1] + s[5] * v[2],
        s[4] * v[0] + s[5] * v[1] + s[2] * v[2],
    ]
}

/// `Rᵀ`-sandwich of a symmetric matrix: `R S Rᵀ`.
#[inline(always)]
pub fn sym_rotate(r: &Rot, s: &Sym3) -> Sym3 {
    let t0 = rotate(r, [s[0], s[3], s[4]]);
    let t1 = rotate(r, [s[3], s[1], s[5]]);
    let t2 = rotate(r, [s[4], s[5], s[2]]);
    let e = |i: usize, j: usize| t0[i] * r[0][j] + t1[i] * r[1][j] + t2[i] * r[2][j];
    [e(0, 0), e(1, 1), e(2, 2), e(0, 1), e(0, 2), e(1, 2)]
}

/// Inertia about a point at `-c` from the centre of mass: `S + m (c·c 1 - c cᵀ)`.
#[inline(always)]
pub fn sym_shift(s: &Sym3, m: f64, c: V3) -> Sym3 {
    let mc = scale(c, m);
    let (xx, yy, zz) = (mc[0] * c[0], mc[1] * c[1], mc[2] * c[2]);
    [
        s[0] + (yy + zz),
        s[1] + (xx + zz),
        s[2] + (xx + yy),
        s[3] - mc[0] * c[1],
        s[4] - mc[0] * c[2],
        s[5] - mc[1] * c[2],
    ]
}

/// Inverse of a symmetric positive definite 3x3 matrix by cofactors.
#[inline(always)]
pub fn sym_inverse(s: &Sym3) -> Sym3 {
    let [xx, yy, zz, xy, xz, yz] = *s;
    let a = yy * zz - yz * yz;
    let b = xz * yz - xy * zz;
    let c = xy * yz - xz * yy;
    let inv = 1.0 / (xx * a + xy * b + xz * c);
    [a * inv, (xx * zz - xz * xz) * inv, (xx * yy - xy * xy) * inv, b * inv, c * inv, (xy * xz - xx * yz) * inv]
}

/// Product of unit quaternions w x y z.
#[inline(always)]
pub fn quat_mul(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Rotation of a quaternion w x y z of any length but zero.
#[inline(always)]
pub fn quat_rotation(q: [f64; 4]) -> Rot {
    let [w, x, y, z] = q;
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    [
        [1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
        [s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)],
        [s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)],
    ]
}

/// The unit quaternion of a rotation vector (axis times angle).
#[inline]
pub fn quat_exp(phi: V3) -> [f64; 4] {
    let angle2 = dot(phi, phi);
    let (s, c) = if angle2 < 1e-8 {
        // Two terms of the series: the next is below rounding at this angle.
        (0.5 - angle2 / 48.0 + angle2 * angle2 / 3840.0, 1.0 - angle2 / 8.0 + angle2 * angle2 / 384.0)
    } else {
        let angle = angle2.sqrt();
        let (s, c) = libm::sincos(0.5 * angle);
        (s / angle, c)
    };
    [c, phi[0] * s, phi[1] * s, phi[2] * s]
}

/// The shortest rotation vector of a unit quaternion.
#[inline]
pub fn quat_log(q: [f64; 4]) -> V3 {
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    let v = [q[1] * sign, q[2] * sign, q[3] * sign];
    let s = norm(v);
    let w = q[0] * sign;
    let k = if s < 1e-8 { 2.0 / w } else { 2.0 * libm::atan2(s, w) / s };
    scale(v, k)
}

/// The conjugate: the inverse of a unit quaternion.
#[inline(always)]
pub fn quat_conj(q: [f64; 4]) -> [f64; 4] {
    [q[0], -q[1], -q[2], -q[3]]
}
