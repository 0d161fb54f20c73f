//! The signed distance between two shapes with poses.

use crate::collider::{Collider, Solid};
use crate::convex::{Convex, Core};
use crate::convex_pair::convex_gap;
use crate::plane::{plane_convex_gap, plane_points_gap};
use crate::surface::{surface_convex_gap, surface_surface_gap};
use thiserror::Error;
use veracity_model::{Pose, Shape, Vec3};

/// Largest distance of two origins that is measured [m].
const FARTHEST: f64 = 1e12;

/// The signed distance of two shapes, with its points and normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Signed distance [m]: the shortest distance between them, or, when they overlap, minus the length of the shortest
    /// translation that separates them.
    pub distance: f64,
    /// The true signed distance is between these two [m].
    ///
    /// Between convex shapes `distance` is the lower one. The upper one equals it, to rounding or to the tolerance of
    /// an iteration, when the shapes are separated or are balls, capsules, boxes and triangles; for other convex shapes
    /// that overlap it is only zero, because a shorter separating translation cannot be ruled out.
    /// For overlap with a mesh no exact depth is computed: `distance` is then the upper one, so that a depth is never
    /// overstated.
    pub bounds: [f64; 2],
    /// Unit normal in the world, from the second shape to the first.
    pub normal: Vec3,
    /// The point of the first shape, in the world [m].
    pub point_a: Vec3,
    /// The point of the second shape, in the world [m].
    pub point_b: Vec3,
}

/// Why there is no distance.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GapError {
    /// Two shapes that are infinite in the same direction always overlap, or the depth is infinite.
    #[error("the gap between a {a} and a {b} is not defined: both are infinite")]
    BothUnbounded {
        /// First shape.
        a: &'static str,
        /// Second shape.
        b: &'static str,
    },
    /// A mesh without triangles or points, or with triangles over points that do not exist.
    #[error("a {shape} without points has no surface")]
    Empty {
        /// The shape.
        shape: &'static str,
    },
    /// A hull or mesh with more parts than contact points can name.
    #[error("a {shape} with {limit} or more edges or corners is not supported in contact; simplify it")]
    TooManyParts {
        /// The shape.
        shape: &'static str,
        /// The first number that is not supported.
        limit: usize,
    },
    /// Shapes so far apart that squares of lengths lose all precision.
    #[error("shapes {distance:e} m apart cannot be measured")]
    TooFar {
        /// [m]
        distance: f64,
    },
    /// Shapes so large that squares of lengths lose all precision.
    #[error("a {shape} larger than {limit:e} m cannot be measured")]
    TooLarge {
        /// The shape.
        shape: &'static str,
        /// [m]
        limit: f64,
    },
}

impl Gap {
    /// The same gap with the shapes in the other order.
    pub fn swapped(self) -> Self {
        Self { normal: -self.normal, point_a: self.point_b, point_b: self.point_a, ..self }
    }

    /// Depth of the overlap [m]; zero when they do not overlap.
    pub fn depth(&self) -> f64 {
        (-self.distance).max(0.0)
    }

    /// The same gap in an outer frame.
    pub(crate) fn transformed(self, outer_from_inner: &Pose) -> Self {
        Self {
            normal: outer_from_inner.rotation * self.normal,
            point_a: (outer_from_inner * nalgebra::Point3::from(self.point_a)).coords,
            point_b: (outer_from_inner * nalgebra::Point3::from(self.point_b)).coords,
            ..self
        }
    }
}

/// The gap between two shapes. For repeated queries create the [`Collider`]s once and call [`collider_gap`].
pub fn gap(a: &Shape, world_from_a: &Pose, b: &Shape, world_from_b: &Pose) -> Result<Gap, GapError> {
    collider_gap(&Collider::new(a)?, world_from_a, &Collider::new(b)?, world_from_b)
}

/// The gap between two prepared shapes.
pub fn collider_gap(a: &Collider, world_from_a: &Pose, b: &Collider, world_from_b: &Pose) -> Result<Gap, GapError> {
    let gap = collider_gap_within(a, world_from_a, b, world_from_b, f64::INFINITY)?;
    // Without a limit there is always an answer, unless it is NaN.
    gap.ok_or(GapError::TooFar { distance: f64::NAN })
}

/// The gap between two prepared shapes, or `None` if it is larger than `limit` [m]: cheaper for meshes.
pub fn collider_gap_within(
    a: &Collider,
    world_from_a: &Pose,
    b: &Collider,
    world_from_b: &Pose,
    limit: f64,
) -> Result<Option<Gap>, GapError> {
    // Everything is computed in the first shape's frame: far from the world's origin, differences of world
    // coordinates would lose the digits of a small gap.
    let a_from_b = world_from_a.inv_mul(world_from_b);
    let distance = a_from_b.translation.vector.norm();
    if distance.is_nan() || distance > FARTHEST {
        return Err(GapError::TooFar { distance });
    }
    let found = match (&a.solid, &b.solid) {
        (Solid::Plane, Solid::Plane) => return Err(GapError::BothUnbounded { a: a.name, b: b.name }),
        (Solid::Plane, Solid::Convex(convex)) => Some(plane_convex_gap(convex, &a_from_b).swapped()),
        (Solid::Convex(convex), Solid::Plane) => {
            Some(plane_convex_gap(convex, &a_from_b.inverse()).transformed(&a_from_b))
        }
        (Solid::Plane, Solid::Surface(surface)) | (Solid::Surface(surface), Solid::Plane) => {
            if surface.is_ground() {
                return Err(GapError::BothUnbounded { a: a.name, b: b.name });
            }
            if matches!(a.solid, Solid::Plane) {
                Some(plane_points_gap(surface.points(), &a_from_b).swapped())
            } else {
                Some(plane_points_gap(surface.points(), &a_from_b.inverse()).transformed(&a_from_b))
            }
        }
        (Solid::Convex(first), Solid::Convex(second)) => Some(convex_gap(first, second, &a_from_b)),
        (Solid::Surface(surface), Solid::Convex(convex)) => surface_convex_gap(surface, convex, &a_from_b, limit),
        (Solid::Convex(convex), Solid::Surface(surface)) => {
            let b_from_a = a_from_b.inverse();
            surface_convex_gap(surface, convex, &b_from_a, limit).map(|g| g.transformed(&a_from_b).swapped())
        }
        (Solid::Surface(first), Solid::Surface(second)) => {
            if first.is_ground() && second.is_ground() {
                return Err(GapError::BothUnbounded { a: a.name, b: b.name });
            }
            surface_surface_gap(first, second, &a_from_b, limit)
        }
    };
    Ok(found.filter(|g| g.distance <= limit).map(|g| g.transformed(world_from_a)))
}

/// A triangle as a convex solid without thickness.
pub(crate) fn triangle(corners: [Vec3; 3]) -> Convex {
    Convex::sharp(Core::Triangle(corners))
}
