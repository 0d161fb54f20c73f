//! Balls and capsules against each other: closed forms.
//!
//! ```text
//! (1)  two balls        n = (a - b)/|a - b|,  gap = |a - b| - r_a - r_b
//! (2)  ball and core    gap = d(a) - r,  d: the signed distance of a point, see `point_core`
//! (3)  two capsules     (1) for the nearest points a, b of their segments
//! ```
//!
//! Two capsules side by side touch along a line: within [`PARALLEL`] of parallel, (1) is evaluated at both ends of their
//! common length, and between them only if they are nearer there.

use super::feature::{Feature, Kind, Spot};
use crate::convex::Core;
use crate::point_core::from_point;
use veracity_model::Vec3;

/// Sine of the angle below which two segments count as parallel.
pub(crate) const PARALLEL: f64 = 1e-2;

/// (1) in the world.
pub(crate) fn ball_ball(a: Vec3, radius_a: f64, b: Vec3, radius_b: f64, limit: f64) -> Option<Spot> {
    let between = a - b;
    let reach = radius_a + radius_b + limit;
    let squared = between.norm_squared();
    if reach < 0.0 || squared > reach * reach {
        return None;
    }
    let distance = squared.sqrt();
    let normal = if distance > 0.0 { between / distance } else { Vec3::z() };
    Some(Spot {
        feature: Feature::NEAREST,
        point_a: a - normal * radius_a,
        point_b: b + normal * radius_b,
        normal,
        gap: distance - radius_a - radius_b,
    })
}

/// (2) in the core's frame, ball first; any core that has a closed form.
pub(crate) fn ball_core(centre: Vec3, radius: f64, core: &Core, limit: f64) -> Option<Spot> {
    let found = from_point(core, &centre)?;
    let gap = found.distance - radius;
    (gap <= limit).then(|| Spot {
        feature: Feature::NEAREST,
        point_a: centre - found.normal * radius,
        point_b: found.surface,
        normal: found.normal,
        gap,
    })
}

/// The nearest points of two segments (Ericson, Real-Time Collision Detection 2005, 5.1.9).
pub(crate) fn nearest_of_segments([p, q]: &[Vec3; 2], [x, y]: &[Vec3; 2]) -> (Vec3, Vec3) {
    let (d, e, r) = (q - p, y - x, p - x);
    let (a, c, f) = (d.norm_squared(), e.norm_squared(), e.dot(&r));
    let share = |over: f64, under: f64| if under > 0.0 { (over / under).clamp(0.0, 1.0) } else { 0.0 };
    let (s, t);
    if a == 0.0 || c == 0.0 {
        s = if a == 0.0 { 0.0 } else { share(-d.dot(&r), a) };
        t = share(f + s * d.dot(&e), c);
    } else {
        let (b, g) = (d.dot(&e), d.dot(&r));
        // |d × e|² rather than a c - b²: accurate for nearly parallel segments.
        let first = share(b * f - g * c, d.cross(&e).norm_squared());
        let along = b * first + f;
        if along < 0.0 {
            (s, t) = (share(-g, a), 0.0);
        } else if along > c {
            (s, t) = (share(b - g, a), 1.0);
        } else {
            (s, t) = (first, along / c);
        }
    }
    (p + d * s, x + e * t)
}

/// The point of a segment nearest to a point, as a fraction of its length.
fn share_of(p: &Vec3, [from, to]: &[Vec3; 2]) -> f64 {
    let along = to - from;
    let squared = along.norm_squared();
    if squared > 0.0 { ((p - from).dot(&along) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// One of the four ends (see [`Kind::Alongside`]) and the other segment's nearest point.
pub(crate) fn end_beside(a: &[Vec3; 2], b: &[Vec3; 2], which: usize) -> (Vec3, Vec3) {
    if which < 2 {
        (a[which], b[0] + (b[1] - b[0]) * share_of(&a[which], b))
    } else {
        let end = b[which % 2];
        (a[0] + (a[1] - a[0]) * share_of(&end, a), end)
    }
}

/// Which two ends bound the length that two nearly parallel segments have in common; `None` if they are not nearly
/// parallel or have none. An end of the first is preferred where ends coincide.
pub(crate) fn common_length(a: &[Vec3; 2], b: &[Vec3; 2]) -> Option<[usize; 2]> {
    let (d, e) = (a[1] - a[0], b[1] - b[0]);
    let (length, other) = (d.norm(), e.norm());
    if length == 0.0 || other == 0.0 || d.cross(&e).norm() > PARALLEL * length * other {
        return None;
    }
    let place = |p: &Vec3| (p - a[0]).dot(&d) / length;
    let slack = 1e-6 * length.min(other);
    let [low, high] = if d.dot(&e) > 0.0 { [2, 3] } else { [3, 2] };
    let (from, to) = (place(&b[low - 2]), place(&b[high - 2]));
    let (start, first) = if from > slack { (from, low) } else { (0.0, 0) };
    let (end, last) = if to < length - slack { (to, high) } else { (length, 1) };
    (end - start > slack).then_some([first, last])
}

/// (3), appended.
pub(crate) fn capsules(a: &[Vec3; 2], radius_a: f64, b: &[Vec3; 2], radius_b: f64, limit: f64, out: &mut Vec<Spot>) {
    let first = out.len();
    for which in common_length(a, b).into_iter().flatten() {
        let (p, q) = end_beside(a, b, which);
        let feature = Feature::pack(Kind::Alongside, [0, which, 0]);
        out.extend(ball_ball(p, radius_a, q, radius_b, limit).map(|s| Spot { feature, ..s }));
    }
    let least = out[first..].iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
    let nearest = nearest_of_segments(a, b);
    // Nearer than both ends by more than a billionth.
    let below = least - 1e-9 * (radius_a + radius_b);
    if let Some(spot) = ball_ball(nearest.0, radius_a, nearest.1, radius_b, limit).filter(|s| s.gap < below) {
        out.push(Spot { feature: Feature::pack(Kind::Beside, [0; 3]), ..spot });
    }
}

/// Recomputes one point of two capsules.
pub(crate) fn feature_of_capsules(
    a: &[Vec3; 2],
    radius_a: f64,
    b: &[Vec3; 2],
    radius_b: f64,
    feature: u64,
) -> Option<Spot> {
    let Feature { kind, numbers: [_, which, _] } = Feature::unpack(feature)?;
    let (p, q) = match kind {
        Kind::Alongside => end_beside(a, b, which),
        Kind::Beside => nearest_of_segments(a, b),
        _ => return None,
    };
    Some(Spot { feature, ..ball_ball(p, radius_a, q, radius_b, f64::INFINITY)? })
}
