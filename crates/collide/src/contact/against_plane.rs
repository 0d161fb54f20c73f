//! Shapes over the half space `z <= 0`: closed forms.
//!
//! A point `x` of a shape is `x·z` above the plane, so the contact points are the lowest ones and the next lowest:
//!
//! ```text
//! (1)  ball            c - r z
//! (2)  capsule         c ± h u - r z                               both ends
//! (3)  box, hull       every corner
//! (4)  rim (c, u, r)   c + r (d cos φ + (u×d) sin φ),  d = (z·u u - z) / |z·u u - z|,  φ = 0, 90, 180, 270 degrees
//! (5)  ellipsoid       c - R D² Rᵀ z / |D Rᵀ z|
//! ```
//!
//! with `d` in (4) pointing to the lowest point of a circle with axis `u`. A circle flat on the plane has no lowest point:
//! below a slope of [`FLAT`] the four points are fixed to the shape instead, and the lowest is added if it is lower than
//! these by more than rounding.

use super::feature::{Feature, Kind, Spot};
use super::form::Form;
use veracity_model::{Pose, Vec3};

/// Slope below which a rim rests on points fixed to it. On steeper slopes points that rotate with the shape would sink and rise
/// as it rolls; on flatter ones the lowest point would jump with the noise of the slope.
const FLAT: f64 = 5e-4;
/// A lowest point lower than the fixed ones by less than this times the radius is ignored.
const LOWER: f64 = 1e-9;

/// Appends every point of the shape within `limit` of the plane, in the plane's frame, shape first.
pub(crate) fn over_plane(form: &Form, plane_from_shape: &Pose, limit: f64, out: &mut Vec<Spot>) {
    let centre = plane_from_shape.translation.vector;
    let mut push = |feature: u64, point: Vec3| {
        if point.z <= limit {
            out.push(above(feature, point));
        }
    };
    match form {
        Form::Plane => {}
        Form::Sphere { radius } => push(Feature::NEAREST, centre - Vec3::z() * *radius),
        Form::Ellipsoid { .. } => push(Feature::NEAREST, lowest_of_ellipsoid(form, plane_from_shape)),
        Form::Capsule { .. } => (0..2).for_each(|end| {
            push(Feature::pack(Kind::Corner, [end, 0, 0]), end_of_capsule(form, plane_from_shape, end));
        }),
        Form::Box(polytope) | Form::Polytope(polytope) => corners(&polytope.vertices, plane_from_shape, push),
        Form::Mesh { corners: points } | Form::Flat { corners: points } => corners(points, plane_from_shape, push),
        Form::Cylinder { radius, .. } | Form::Disc { radius, .. } => {
            let ends = if matches!(form, Form::Disc { .. }) { 1 } else { 2 };
            for end in 0..ends {
                let rim = Rim::new(form, plane_from_shape, end);
                let lowest = rim.at(Kind::LowRim, 0);
                if rim.slope > FLAT {
                    (0..4).for_each(|k| push(Feature::pack(Kind::LowRim, [end, k, 0]), rim.at(Kind::LowRim, k)));
                    continue;
                }
                let fixed = [0, 1, 2, 3].map(|k| rim.at(Kind::FixedRim, k));
                let lowest_fixed = fixed.iter().fold(f64::INFINITY, |z, p| z.min(p.z));
                for (k, point) in fixed.into_iter().enumerate() {
                    push(Feature::pack(Kind::FixedRim, [end, k, 0]), point);
                }
                if lowest.z < lowest_fixed - LOWER * radius {
                    push(Feature::pack(Kind::LowRim, [end, 0, 0]), lowest);
                }
            }
        }
    }
}

/// The point of a ball within `limit` of the plane, in the plane's frame, ball first: [`over_plane`] without the rotation, which
/// does not matter for a ball.
#[inline]
pub(crate) fn ball_over_plane(radius: f64, centre: &Vec3, world_from_plane: &Pose, limit: f64) -> Option<Spot> {
    let from_plane = centre - world_from_plane.translation.vector;
    let point = world_from_plane.rotation.inverse() * from_plane - Vec3::z() * radius;
    (point.z <= limit).then(|| above(Feature::NEAREST, point))
}

/// Recomputes one point, in the plane's frame, shape first.
pub(crate) fn feature_over_plane(form: &Form, plane_from_shape: &Pose, feature: u64) -> Option<Spot> {
    let Feature { kind, numbers: [i, k, _] } = Feature::unpack(feature)?;
    let point = match (form, kind) {
        (Form::Sphere { radius }, Kind::Nearest) => plane_from_shape.translation.vector - Vec3::z() * *radius,
        (Form::Ellipsoid { .. }, Kind::Nearest) => lowest_of_ellipsoid(form, plane_from_shape),
        (Form::Capsule { .. }, Kind::Corner) => end_of_capsule(form, plane_from_shape, i),
        (Form::Box(polytope) | Form::Polytope(polytope), Kind::Corner) => {
            place(plane_from_shape, polytope.vertices.get(i)?)
        }
        (Form::Mesh { corners } | Form::Flat { corners }, Kind::Corner) => place(plane_from_shape, corners.get(i)?),
        (Form::Cylinder { .. } | Form::Disc { .. }, Kind::LowRim | Kind::FixedRim) => {
            Rim::new(form, plane_from_shape, i).at(kind, k)
        }
        _ => return None,
    };
    Some(above(feature, point))
}

fn above(feature: u64, point: Vec3) -> Spot {
    let point_b = Vec3::new(point.x, point.y, 0.0);
    Spot { feature, point_a: point, point_b, normal: Vec3::z(), gap: point.z }
}

fn place(pose: &Pose, point: &Vec3) -> Vec3 {
    pose.rotation * point + pose.translation.vector
}

/// (3)
fn corners(points: &[Vec3], plane_from_shape: &Pose, mut push: impl FnMut(u64, Vec3)) {
    let turn = plane_from_shape.rotation.to_rotation_matrix();
    for (i, point) in points.iter().enumerate() {
        push(Feature::pack(Kind::Corner, [i, 0, 0]), turn * point + plane_from_shape.translation.vector);
    }
}

/// (2)
fn end_of_capsule(form: &Form, plane_from_shape: &Pose, end: usize) -> Vec3 {
    let Form::Capsule { radius, half } = form else { return Vec3::repeat(f64::NAN) };
    let z = if end == 0 { -half } else { *half };
    place(plane_from_shape, &Vec3::new(0.0, 0.0, z)) - Vec3::z() * *radius
}

/// (5)
fn lowest_of_ellipsoid(form: &Form, plane_from_shape: &Pose) -> Vec3 {
    let Form::Ellipsoid { radii } = form else { return Vec3::repeat(f64::NAN) };
    let down = plane_from_shape.rotation.inverse_transform_vector(&-Vec3::z());
    let scaled = radii.component_mul(&down);
    place(plane_from_shape, &(radii.component_mul(&scaled) / scaled.norm()))
}

/// A circle with its pose.
struct Rim {
    centre: Vec3,
    radius: f64,
    /// Sine of the angle between its axis and the vertical.
    slope: f64,
    /// Direction to the lowest point, and the direction a quarter turn further.
    low: [Vec3; 2],
    /// The shape's x and y axes.
    fixed: [Vec3; 2],
}

impl Rim {
    fn new(form: &Form, plane_from_shape: &Pose, end: usize) -> Self {
        let (radius, height) = match form {
            Form::Cylinder { radius, half, .. } => (*radius, if end == 0 { -half } else { *half }),
            Form::Disc { radius, .. } => (*radius, 0.0),
            _ => (f64::NAN, f64::NAN),
        };
        let axis = plane_from_shape.rotation * Vec3::z();
        let fixed = [Vec3::x(), Vec3::y()].map(|v| plane_from_shape.rotation * v);
        // The vertical projected on the plane of the circle: its components along the circle's own axes are exact, whereas
        // subtracting the part along the axis would cancel digits.
        let across = [-fixed[0].z, -fixed[1].z];
        let slope = libm::hypot(across[0], across[1]);
        let down = if slope > 0.0 { (fixed[0] * across[0] + fixed[1] * across[1]) / slope } else { fixed[0] };
        Self {
            centre: place(plane_from_shape, &Vec3::new(0.0, 0.0, height)),
            radius,
            slope,
            low: [down, axis.cross(&down)],
            fixed,
        }
    }

    /// (4) with its angle in quarter turns, from the lowest point or from the shape's x axis.
    fn at(&self, kind: Kind, quarters: usize) -> Vec3 {
        let [x, y] = if kind == Kind::LowRim { self.low } else { self.fixed };
        self.centre + [x, y, -x, -y][quarters % 4] * self.radius
    }
}
