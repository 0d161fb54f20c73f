//! Shapes: solids and surfaces.

use crate::geometry::Vec3;
use crate::inertia::Inertia;
use crate::mesh::TriangleMesh;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::sync::Arc;

/// A solid or surface in its own frame, centred at the origin unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A sphere.
    Sphere {
        /// [m]
        radius: f64,
    },
    /// A box with full side lengths.
    Box {
        /// Full side lengths [m].
        size: Vec3,
    },
    /// A cylinder about z with hemispherical ends.
    Capsule {
        /// [m]
        radius: f64,
        /// Length of the cylindrical part [m].
        length: f64,
    },
    /// A cylinder about z.
    Cylinder {
        /// [m]
        radius: f64,
        /// [m]
        length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes [m].
        radii: Vec3,
    },
    /// A circle of zero thickness in the plane z = 0: the sharp rim of a wheel.
    Disc {
        /// [m]
        radius: f64,
    },
    /// The half space z <= 0.
    Plane,
    /// Heights over a grid in x and y; solid below.
    HeightField(Arc<HeightField>),
    /// The convex hull of points.
    Convex(Arc<TriangleMesh>),
    /// Triangles as given.
    Mesh(Arc<TriangleMesh>),
}

/// Heights over a regular grid centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeightField {
    /// Extent along x and y [m].
    pub size: [f64; 2],
    /// Columns (along x) and rows (along y).
    pub counts: [usize; 2],
    /// Heights [m], row by row from the lowest y, in each row from the lowest x.
    pub heights: Vec<f64>,
}

impl Shape {
    /// Name used in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Box { .. } => "box",
            Shape::Capsule { .. } => "capsule",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::Disc { .. } => "disc",
            Shape::Plane => "plane",
            Shape::HeightField(_) => "height field",
            Shape::Convex(_) => "convex mesh",
            Shape::Mesh(_) => "mesh",
        }
    }

    /// Whether every length is positive (a capsule's length may be zero) and a mesh is valid.
    pub fn size_is_positive(&self) -> bool {
        let good = |x: f64| x.is_finite() && x > 0.0;
        match self {
            Shape::Sphere { radius } | Shape::Disc { radius } => good(*radius),
            Shape::Box { size } => size.iter().all(|x| good(*x)),
            Shape::Ellipsoid { radii } => radii.iter().all(|x| good(*x)),
            Shape::Capsule { radius, length } => good(*radius) && length.is_finite() && *length >= 0.0,
            Shape::Cylinder { radius, length } => good(*radius) && good(*length),
            Shape::Plane => true,
            Shape::HeightField(field) => {
                field.size.iter().all(|x| good(*x))
                    && field.counts[0] >= 2
                    && field.counts[1] >= 2
                    && field.heights.len() == field.counts[0] * field.counts[1]
                    && field.heights.iter().all(|x| x.is_finite())
            }
            Shape::Convex(mesh) | Shape::Mesh(mesh) => mesh.is_valid(),
        }
    }

    /// The enclosed volume [m³]; `None` if there is none (plane, height field, open mesh).
    pub fn volume(&self) -> Option<f64> {
        match self {
            Shape::Sphere { radius } => Some(4.0 / 3.0 * PI * radius.powi(3)),
            Shape::Box { size } => Some(size.x * size.y * size.z),
            Shape::Capsule { radius, length } => Some(PI * radius * radius * (length + 4.0 / 3.0 * radius)),
            Shape::Cylinder { radius, length } => Some(PI * radius * radius * length),
            Shape::Ellipsoid { radii } => Some(4.0 / 3.0 * PI * radii.x * radii.y * radii.z),
            Shape::Disc { .. } => Some(0.0),
            Shape::Plane | Shape::HeightField(_) => None,
            Shape::Convex(mesh) => mesh.convex_hull_inertia(1.0).map(|i| i.mass),
            Shape::Mesh(mesh) => mesh.solid_inertia(1.0).map(|i| i.mass),
        }
    }

    /// Inertia of the solid filled with material of this density [kg/m³], in the shape's frame.
    pub fn solid_inertia(&self, density: f64) -> Option<Inertia> {
        let mass = |volume: f64| density * volume;
        Some(match self {
            Shape::Sphere { radius } => Inertia::solid_sphere(mass(self.volume()?), *radius),
            Shape::Box { size } => Inertia::solid_box(mass(self.volume()?), *size),
            Shape::Cylinder { radius, length } => Inertia::solid_cylinder(mass(self.volume()?), *radius, *length),
            Shape::Ellipsoid { radii } => {
                let m = mass(self.volume()?);
                let s = radii.component_mul(radii) * (m / 5.0);
                Inertia::new(m, Vec3::zeros(), [s.y + s.z, s.x + s.z, s.x + s.y, 0.0, 0.0, 0.0])
            }
            Shape::Capsule { radius, length } => capsule_inertia(density, *radius, *length),
            Shape::Disc { .. } => Inertia::zero(),
            Shape::Plane | Shape::HeightField(_) => return None,
            Shape::Convex(mesh) => mesh.convex_hull_inertia(density)?,
            Shape::Mesh(mesh) => mesh.solid_inertia(density)?,
        })
    }
}

/// A cylinder and two hemispheres, each hemisphere with its centroid 3r/8 beyond the cylinder's end.
fn capsule_inertia(density: f64, radius: f64, length: f64) -> Inertia {
    let r2 = radius * radius;
    let cylinder = density * PI * r2 * length;
    let ball = density * 4.0 / 3.0 * PI * r2 * radius;
    let along = 0.5 * cylinder * r2 + 0.4 * ball * r2;
    let across = cylinder * (3.0 * r2 + length * length) / 12.0
        + ball * (0.4 * r2 + 0.25 * length * length + 0.375 * length * radius);
    Inertia::new(cylinder + ball, Vec3::zeros(), [across, across, along, 0.0, 0.0, 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capsule_between_sphere_and_rod() {
        let sphere = Shape::Sphere { radius: 0.3 }.solid_inertia(1000.0).unwrap();
        let short = Shape::Capsule { radius: 0.3, length: 0.0 }.solid_inertia(1000.0).unwrap();
        assert!((sphere.tensor - short.tensor).norm() < 1e-12 * sphere.tensor.norm());
        let long = Shape::Capsule { radius: 1e-4, length: 2.0 }.solid_inertia(1000.0).unwrap();
        // A thin rod, to the order of radius over length.
        assert!((long.tensor[(0, 0)] / (long.mass * 4.0 / 12.0) - 1.0).abs() < 1e-3);
    }
}
