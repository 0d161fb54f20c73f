//! The signed distance of a point to a core: closed forms, which make the gaps of balls to these cores exact.
//!
//! ```text
//! (1)  segment      p minus its nearest point of the segment
//! (2)  box          p minus p clamped to it; inside, the nearest face
//! (3)  cylinder     (ρ - r, |z| - h) minus its negative part; inside, the larger of the two
//! (4)  disc         (ρ - r, |z|) minus its negative part
//! (5)  ellipsoid    x_i = e_i² p_i / (t + e_i²) with Σ (x_i / e_i)² = 1, the root t above -min e²
//!                   (Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid")
//! (6)  triangle     p minus its nearest point of the triangle (Ericson, Real-Time Collision Detection 2005, 5.1.5)
//! ```

use crate::convex::Core;
use veracity_model::Vec3;

/// Distance of a point from a core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FromPoint {
    /// Signed [m].
    pub distance: f64,
    /// Unit vector out of the core, towards the point or, from inside, towards the nearest surface point.
    pub normal: Vec3,
    /// The nearest point of the core's surface.
    pub surface: Vec3,
}

/// The distance in the core's frame; `None` for the hull of points, which has no closed form.
pub(crate) fn from_point(core: &Core, p: &Vec3) -> Option<FromPoint> {
    Some(match core {
        Core::Point => outside(p, Vec3::zeros(), Vec3::z()),
        Core::Segment { half } => outside(p, Vec3::new(0.0, 0.0, p.z.clamp(-half, *half)), Vec3::x()),
        Core::Box { half } => cuboid(half, p),
        Core::Cylinder { radius, half } => cylinder(*radius, *half, p),
        Core::Disc { radius } => {
            let across = libm::hypot(p.x, p.y);
            let scale = if across > *radius { radius / across } else { 1.0 };
            outside(p, Vec3::new(p.x * scale, p.y * scale, 0.0), Vec3::z())
        }
        Core::Ellipsoid { radii } => ellipsoid(radii, p),
        Core::Triangle(corners) => {
            let [a, b, c] = corners;
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::z);
            outside(p, nearest_of_triangle(corners, p), normal)
        }
        Core::Hull(_) => return None,
    })
}

/// Away from a surface point; `otherwise` if the point is on it.
fn outside(p: &Vec3, surface: Vec3, otherwise: Vec3) -> FromPoint {
    let between = p - surface;
    let distance = between.norm();
    FromPoint { distance, normal: if distance > 0.0 { between / distance } else { otherwise }, surface }
}

/// (2)
pub(crate) fn cuboid(half: &Vec3, p: &Vec3) -> FromPoint {
    let clamped = p.inf(half).sup(&-half);
    if clamped != *p {
        return outside(p, clamped, Vec3::z());
    }
    // A face later in the order x, y, z must be nearer by more than rounding to be chosen.
    let inside = half - p.abs();
    let slack = 1e-12 * half.amax();
    let axis = (1..3).fold(0, |best, k| if inside[k] < inside[best] - slack { k } else { best });
    let normal = Vec3::ith(axis, if p[axis] < 0.0 { -1.0 } else { 1.0 });
    FromPoint { distance: -inside[axis], normal, surface: p + normal * inside[axis] }
}

/// (3)
fn cylinder(radius: f64, half: f64, p: &Vec3) -> FromPoint {
    let across = libm::hypot(p.x, p.y);
    let radial = if across > 0.0 { Vec3::new(p.x / across, p.y / across, 0.0) } else { Vec3::x() };
    let up = if p.z < 0.0 { -Vec3::z() } else { Vec3::z() };
    let (radial_excess, axial_excess) = (across - radius, p.z.abs() - half);
    if radial_excess <= 0.0 && axial_excess <= 0.0 {
        let (distance, normal) =
            if axial_excess >= radial_excess { (axial_excess, up) } else { (radial_excess, radial) };
        return FromPoint { distance, normal, surface: p - normal * distance };
    }
    // The differences themselves, not those of rounded points: a ball that just touches must have a gap of rounding size.
    let (r, z) = (radial_excess.max(0.0), axial_excess.max(0.0));
    let distance = libm::hypot(r, z);
    let normal = (radial * r + up * z) / distance;
    FromPoint { distance, normal, surface: p - normal * distance }
}

/// (5)
fn ellipsoid(radii: &Vec3, p: &Vec3) -> FromPoint {
    let y = p.abs();
    let squares = radii.component_mul(radii);
    let least = radii.imin();
    // The unknown is the height u = t + min e² above the pole: t itself loses digits for points near the centre.
    let above = squares.add_scalar(-squares[least]);
    let part = |i: usize, u: f64| if y[i] == 0.0 { 0.0 } else { radii[i] * y[i] / (u + above[i]) };
    let sum = |u: f64| (0..3).map(|i| part(i, u) * part(i, u)).sum::<f64>();
    let inside = y.component_div(radii).norm_squared() < 1.0;
    // The sum is decreasing and convex to the right of the pole, so Newton's method from a point where it is above one
    // approaches the root without passing it. It is above one where a single term is one.
    let low = (0..3).map(|i| radii[i] * y[i] - above[i]).fold(0.0, f64::max);
    let mut x;
    if sum(low) >= 1.0 {
        let mut u = low;
        for _ in 0..200 {
            let steep = |i: usize| if y[i] == 0.0 { 0.0 } else { part(i, u) * part(i, u) / (u + above[i]) };
            let slope = -2.0 * (steep(0) + steep(1) + steep(2));
            let next = u - (sum(u) - 1.0) / slope;
            if next.is_nan() || next <= u {
                break;
            }
            u = next;
        }
        x = Vec3::from_fn(|i, _| radii[i] * part(i, u));
    } else {
        // Deep inside, in the middle plane of the shortest axis: the root is at the pole, and that axis takes the remainder.
        x = Vec3::from_fn(|i, _| radii[i] * part(i, 0.0));
        let rest = 1.0 - x.component_div(radii).norm_squared();
        x[least] = radii[least] * rest.max(0.0).sqrt();
    }
    let surface = Vec3::from_fn(|i, _| if p[i] < 0.0 { -x[i] } else { x[i] });
    // The surface normal there: exact also where the point is on the surface.
    let normal = surface.component_div(&squares).try_normalize(0.0).unwrap_or_else(Vec3::z);
    let distance = (p - surface).norm();
    FromPoint { distance: if inside { -distance } else { distance }, normal, surface }
}

/// (6)
pub(crate) fn nearest_of_triangle([a, b, c]: &[Vec3; 3], p: &Vec3) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_of_an_ellipsoid_is_on_it_and_the_way_there_is_normal() {
        let radii = Vec3::new(0.4, 0.1, 0.25);
        let core = Core::Ellipsoid { radii };
        for i in 0..4000 {
            let number = |k: usize| ((i * 7919 + k * 104729) % 1009) as f64 / 1009.0 - 0.5;
            let p = Vec3::new(number(1), number(2), if i % 5 == 0 { 0.0 } else { number(3) });
            let found = from_point(&core, &p).unwrap();
            let on = found.surface.component_div(&radii).norm_squared();
            // The root is found to rounding; near the pole of (5) its terms cancel a few digits.
            assert!((on - 1.0).abs() < 1e-12, "{p} {found:?}");
            assert!((p - found.surface - found.normal * found.distance).norm() < 1e-11, "{p} {found:?}");
            // No other point is nearer.
            for k in 0..50 {
                let angle = 0.37 * k as f64;
                let u = (k as f64 - 24.5) / 25.0;
                let other = radii.component_mul(&Vec3::new(
                    (1.0 - u * u).sqrt() * libm::cos(angle),
                    (1.0 - u * u).sqrt() * libm::sin(angle),
                    u,
                ));
                assert!((p - other).norm() >= found.distance.abs() - 1e-14);
            }
        }
        let centre = from_point(&core, &Vec3::zeros()).unwrap();
        assert!((centre.distance + 0.1).abs() < 1e-16, "{centre:?}");
    }
}
