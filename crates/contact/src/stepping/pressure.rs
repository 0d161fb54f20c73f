//! Where the friction of a patch acts.
//!
//! Contact points are corners of a face or points of a rim. They support a body against tipping exactly, but friction
//! against turning on the spot acts there with the longest lever there is. Under uniform pressure over the patch `P` the
//! mean lever is shorter. With [`Pressure::Uniform`] tangential rows act at points moved towards the centre `c`:
//!
//! ```text
//! (1)  y_i = c + s (x_i - c),     s = ⟨|x - c|⟩_P / ⟨|x_i - c|⟩
//! (2)  disc:     s = 2/3
//! (3)  segment:  s = 1/2
//! (4)  polygon:  ∫ |x - c| dA over the triangle c, x_i, x_{i+1}
//!                  = d³/6 [tan α / cos α + asinh(tan α)] from α_i to α_{i+1},   d: distance of c from the edge
//! ```
//!
//! Exact for turning about the centre under a load that the points share evenly, and for sliding without turning. In
//! between it is an approximation, and a load off the centre has its lever from the centre of the points.

use super::{Pressure, Stepping};
use crate::world::middle;
use veracity_collide::ContactPoint;
use veracity_model::Vec3;

impl Stepping {
    /// Fills the points at which friction acts.
    pub(super) fn place_friction(&mut self) {
        let contacts = &mut self.contacts;
        contacts.rubs_at.clear();
        for patch in contacts.points.chunk_by(|p, q| p.pair == q.pair) {
            if self.settings.pressure == Pressure::Points || patch.len() < 2 {
                contacts.rubs_at.extend(patch.iter().map(middle));
                continue;
            }
            let round = [patch[0].shape_a, patch[0].shape_b].iter().any(|s| self.world.round_faces[*s as usize]);
            contacts.corners.clear();
            let (centre, ratio) = lever(patch, round, &mut contacts.corners);
            contacts.rubs_at.extend(patch.iter().map(|p| centre + (middle(p) - centre) * ratio));
        }
    }
}

/// `c` and `s` of (1) for a patch of at least two points.
fn lever(patch: &[ContactPoint], round: bool, corners: &mut Vec<(f64, f64, f64)>) -> (Vec3, f64) {
    let mean = patch.iter().map(middle).sum::<Vec3>() / patch.len() as f64;
    let normal = patch[0].normal;
    // Corners about the mean, in order of their angles; the first axis points to the farthest.
    let flat = |p: &ContactPoint| {
        let r = middle(p) - mean;
        r - normal * normal.dot(&r)
    };
    let far = patch.iter().map(flat).fold(Vec3::zeros(), |far, r| if r.norm() > far.norm() { r } else { far });
    if far == Vec3::zeros() {
        return (mean, 1.0);
    }
    let x = far.normalize();
    let y = normal.cross(&x);
    corners.extend(patch.iter().map(|p| {
        let r = middle(p) - mean;
        (libm::atan2(r.dot(&y), r.dot(&x)), r.dot(&x), r.dot(&y))
    }));
    corners.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let edges = || corners.iter().zip(corners.iter().cycle().skip(1));
    let area: f64 = edges().map(|(a, b)| 0.5 * (a.1 * b.2 - a.2 * b.1)).sum();
    // A sliver, such as the line on which a cylinder lies.
    if area < 1e-6 * far.norm_squared() {
        return (mean, 0.5);
    }
    if round && patch.len() >= 4 {
        return (mean, 2.0 / 3.0);
    }
    let centre = edges().fold((0.0, 0.0), |sum, (a, b)| {
        let part = (a.1 * b.2 - a.2 * b.1) / (6.0 * area);
        (sum.0 + part * (a.1 + b.1), sum.1 + part * (a.2 + b.2))
    });
    let from_centre = |c: &(f64, f64, f64)| (c.1 - centre.0, c.2 - centre.1);
    let integral: f64 = edges().map(|(a, b)| of_triangle(from_centre(a), from_centre(b))).sum();
    let points = corners.iter().map(|c| libm::hypot(from_centre(c).0, from_centre(c).1)).sum::<f64>();
    (mean + x * centre.0 + y * centre.1, (integral / area) / (points / corners.len() as f64))
}

/// (4).
fn of_triangle(a: (f64, f64), b: (f64, f64)) -> f64 {
    let edge = (b.0 - a.0, b.1 - a.1);
    let length = libm::hypot(edge.0, edge.1);
    let twice_area = a.0 * b.1 - a.1 * b.0;
    if length == 0.0 || twice_area == 0.0 {
        return 0.0;
    }
    let d = twice_area / length;
    // tan α at both ends.
    let along = |p: (f64, f64)| (p.0 * edge.0 + p.1 * edge.1) / (length * d);
    let primitive = |t: f64| t * libm::sqrt(1.0 + t * t) + libm::asinh(t);
    d * d * d / 6.0 * (primitive(along(b)) - primitive(along(a)))
}

#[cfg(test)]
mod tests {
    use super::of_triangle;

    /// The mean distance from the centre of a square of side 1 is (√2 + asinh 1) / 6.
    #[test]
    fn mean_lever_of_a_square() {
        let corners = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)];
        let mean: f64 = (0..4).map(|k| of_triangle(corners[k], corners[(k + 1) % 4])).sum();
        // Rounding.
        assert!((mean - (2f64.sqrt() + 1f64.asinh()) / 6.0).abs() < 1e-15, "{mean}");
    }
}
