//! Mass on the surface of a primitive (`shellinertia="true"`), where density is mass per area [kg/m²].

use crate::geometry::Vec3;
use crate::inertia::Inertia;
use crate::shape::Shape;
use std::f64::consts::PI;

/// Inertia of the shape's surface at this mass per area; `None` for shapes without a bounded surface.
pub(super) fn of_shape(shape: &Shape, area_density: f64) -> Option<Inertia> {
    let diagonal = |mass: f64, moments: Vec3| {
        Inertia::new(mass, Vec3::zeros(), [moments.x, moments.y, moments.z, 0.0, 0.0, 0.0])
    };
    Some(match shape {
        Shape::Sphere { radius } => {
            let mass = area_density * 4.0 * PI * radius * radius;
            diagonal(mass, Vec3::repeat(mass * radius * radius * 2.0 / 3.0))
        }
        Shape::Box { size } => {
            let faces = Vec3::new(size.y * size.z, size.x * size.z, size.x * size.y) * (2.0 * area_density);
            // Second moment of the surface along each axis: two faces at ± half, four that extend along it.
            let along = |i: usize| {
                let across = faces.sum() - faces[i];
                size[i] * size[i] * (faces[i] / 4.0 + across / 12.0)
            };
            let second = Vec3::new(along(0), along(1), along(2));
            diagonal(faces.sum(), Vec3::repeat(second.sum()) - second)
        }
        Shape::Cylinder { radius, length } => {
            let (side, caps) = cylinder_masses(*radius, *length, area_density);
            let r2 = radius * radius;
            let across = side * (r2 / 2.0 + length * length / 12.0) + caps * (r2 / 4.0 + length * length / 4.0);
            diagonal(side + caps, Vec3::new(across, across, side * r2 + caps * r2 / 2.0))
        }
        Shape::Capsule { radius, length } => {
            let (side, _) = cylinder_masses(*radius, *length, area_density);
            let ball = area_density * 4.0 * PI * radius * radius;
            let r2 = radius * radius;
            // Hemispherical shells have their centroid half a radius beyond the cylinder's end.
            let across = side * (r2 / 2.0 + length * length / 12.0)
                + ball * (r2 * 2.0 / 3.0 + length * length / 4.0 + length * radius / 2.0);
            diagonal(side + ball, Vec3::new(across, across, side * r2 + ball * r2 * 2.0 / 3.0))
        }
        Shape::Ellipsoid { radii } => ellipsoid(radii, area_density),
        _ => return None,
    })
}

fn cylinder_masses(radius: f64, length: f64, area_density: f64) -> (f64, f64) {
    (area_density * 2.0 * PI * radius * length, area_density * 2.0 * PI * radius * radius)
}

/// There is no closed form. As in MuJoCo, the area is Thomsen's approximation (within 1.1 %), and the moments are those
/// of the layer between the ellipsoid and one with all radii longer by the same small length.
fn ellipsoid(radii: &Vec3, area_density: f64) -> Inertia {
    const EXPONENT: f64 = 1.6075;
    let [a, b, c] = [radii.x, radii.y, radii.z];
    let power = |x: f64| libm::pow(x, EXPONENT);
    let mean = (power(a * b) + power(a * c) + power(b * c)) / 3.0;
    let mass = area_density * 4.0 * PI * libm::pow(mean, 1.0 / EXPONENT);
    let growth = a * b + a * c + b * c;
    let moment = |p: f64, q: f64| mass * (p * p + q * q + 2.0 * a * b * c * (p + q) / growth) / 5.0;
    Inertia::new(mass, Vec3::zeros(), [moment(b, c), moment(a, c), moment(a, b), 0.0, 0.0, 0.0])
}
