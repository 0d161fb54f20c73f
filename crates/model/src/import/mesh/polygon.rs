//! Splits a polygon of an OBJ file into triangles: simply, or as MuJoCo does.
//!
//! A polygon that is flat has one area however it is split; a bent one has as many surfaces as there are ways to split
//! it, so a mass equal to MuJoCo's needs MuJoCo's way, in its single precision:
//!
//! - a quadrilateral is split along its shorter diagonal;
//! - a polygon of five or more corners is projected along the axis nearest to the normal of its first corner that bends,
//!   and its ears are cut off one after another. Whether a corner is convex is decided by the sign of `c a`, with
//!   `c = (p1 - p0) x (p2 - p1)` the turn at the corner and `a = p0 x p1 / 2` the area its first edge spans with the
//!   *origin*, which depends on where the polygon is. If no ear is left, or the first one is at the last corner tried, the
//!   rest of the polygon is left out.

use crate::geometry::Vec3;

/// A fan from the first corner: exact for volume and inertia if the polygon is flat, convex or not.
pub(super) fn fan(polygon: &[u32]) -> Vec<[u32; 3]> {
    polygon[1..].windows(2).map(|pair| [polygon[0], pair[0], pair[1]]).collect()
}

/// The triangles MuJoCo makes of a polygon. Fewer than `corners - 2` if part of it is left out.
pub(super) fn as_mujoco(polygon: &[u32], vertices: &[Vec3]) -> Vec<[u32; 3]> {
    let point = |i: u32| vertices[i as usize].map(|x| x as f32);
    match *polygon {
        [a, b, c, d] => {
            let square = |p: u32, q: u32| (point(q) - point(p)).norm_squared();
            if square(a, c) < square(b, d) { vec![[a, b, c], [a, c, d]] } else { vec![[a, b, d], [b, c, d]] }
        }
        [_, _, _, _, _, ..] => cut_ears(polygon, |i| point(i).into()),
        _ => fan(polygon),
    }
}

fn cut_ears(polygon: &[u32], point: impl Fn(u32) -> [f32; 3]) -> Vec<[u32; 3]> {
    let [u, v] = projection(polygon, &point);
    let flat = |i: u32| [point(i)[u], point(i)[v]];
    let mut rest = polygon.to_vec();
    let mut triangles = Vec::new();
    // The corner before the candidate, and how many candidates in a row were no ears.
    let (mut at, mut failed) = (0, 0);
    while rest.len() > 3 && failed < rest.len() {
        let n = rest.len();
        at %= n;
        let corner = [0, 1, 2].map(|k| rest[(at + k) % n]);
        let ear = corner.map(flat);
        let blocked = || (3..n).any(|k| contains(&ear, flat(rest[(at + k) % n])));
        if is_reflex(&ear) || blocked() {
            at += 1;
            failed += 1;
        } else {
            triangles.push(corner);
            rest.remove((at + 1) % n);
            if n == polygon.len() && failed + 1 == n {
                break;
            }
            failed = 0;
        }
    }
    if let [a, b, c] = rest[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// The two coordinates that remain when the polygon is projected.
fn projection(polygon: &[u32], point: &impl Fn(u32) -> [f32; 3]) -> [usize; 2] {
    let n = polygon.len();
    for k in 0..n {
        let [a, b, c] = [0, 1, 2].map(|i| point(polygon[(k + i) % n]));
        let along = |p: [f32; 3], q: [f32; 3]| [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
        let (e, f) = (along(a, b), along(b, c));
        let x = (e[1] * f[2] - e[2] * f[1]).abs();
        let y = (e[2] * f[0] - e[0] * f[2]).abs();
        let z = (e[0] * f[1] - e[1] * f[0]).abs();
        if x.max(y).max(z) > f32::EPSILON {
            return match () {
                () if x > y && x > z => [1, 2],
                () if z > x && z > y => [0, 1],
                () => [0, 2],
            };
        }
    }
    [1, 2]
}

fn is_reflex([p, q, r]: &[[f32; 2]; 3]) -> bool {
    let turn = (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]);
    let area = (p[0] * q[1] - p[1] * q[0]) * 0.5;
    turn * area < 0.0
}

/// Whether a ray from the point crosses the triangle's edges an odd number of times.
fn contains(triangle: &[[f32; 2]; 3], [x, y]: [f32; 2]) -> bool {
    let crossed = |i: usize| {
        let (p, q) = (triangle[i], triangle[(i + 2) % 3]);
        (p[1] > y) != (q[1] > y) && x < (q[0] - p[0]) * (y - p[1]) / (q[1] - p[1]) + p[0]
    };
    (0..3).filter(|i| crossed(*i)).count() % 2 == 1
}
