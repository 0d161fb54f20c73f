//! A shape prepared for contact: the numbers of its closed forms, its corners, faces and edges, or its triangles.

use super::boundary::{Boundary, convex_mesh};
use super::feature::MOST;
use super::polytope::Polytope;
use crate::collider::{Collider, Solid};
use crate::convex::Core;
use crate::gap::GapError;
use std::sync::OnceLock;
use veracity_model::{Pose, Shape, Vec3};

#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// The half space z <= 0.
    Plane,
    Sphere {
        radius: f64,
    },
    Capsule {
        radius: f64,
        half: f64,
    },
    /// With its corners, faces and edges.
    Box(Polytope),
    /// With a prism inside whose ends are its ends.
    Cylinder {
        radius: f64,
        half: f64,
        prism: Polytope,
    },
    /// With a prism without height.
    Disc {
        radius: f64,
        prism: Polytope,
    },
    Ellipsoid {
        radii: Vec3,
    },
    /// A convex hull with flat faces.
    Polytope(Polytope),
    /// Triangles that enclose no convex solid, with the corners of their hull for planes.
    Mesh {
        corners: Vec<Vec3>,
    },
    /// The hull of points in one plane.
    Flat {
        corners: Vec<Vec3>,
    },
}

/// A shape with everything needed for contact queries.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    pub form: Form,
    pub collider: Collider,
    /// Centre and half extent of its bounding box, in its own frame [m]; meaningless for a plane.
    pub middle: Vec3,
    pub extent: Vec3,
    boundary: OnceLock<Option<Box<Boundary>>>,
}

impl Ready {
    pub fn new(shape: &Shape) -> Result<Self, GapError> {
        let collider = Collider::new(shape)?;
        let form = match shape {
            Shape::Plane => Form::Plane,
            Shape::Sphere { radius } => Form::Sphere { radius: *radius },
            Shape::Capsule { radius, length } => Form::Capsule { radius: *radius, half: 0.5 * length },
            Shape::Box { size } => Form::Box(Polytope::cuboid(&(size * 0.5))),
            Shape::Cylinder { radius, length } => Form::Cylinder {
                radius: *radius,
                half: 0.5 * length,
                prism: Polytope::in_cylinder(*radius, 0.5 * length),
            },
            Shape::Disc { radius } => Form::Disc { radius: *radius, prism: Polytope::in_cylinder(*radius, 0.0) },
            Shape::Ellipsoid { radii } => Form::Ellipsoid { radii: *radii },
            Shape::Convex(mesh) => match Polytope::hull(mesh) {
                Some(polytope) => Form::Polytope(polytope),
                None => Form::Flat { corners: mesh.vertices.clone() },
            },
            Shape::Mesh(mesh) => match convex_mesh(mesh) {
                Some(polytope) => Form::Polytope(polytope),
                None => Form::Mesh { corners: hull_corners(&collider) },
            },
            Shape::HeightField(_) => Form::Mesh { corners: hull_corners(&collider) },
        };
        let parts = match (&form, &collider.solid) {
            (Form::Polytope(p), _) => p.edges.len(),
            // Parts, edges and corners are numbered consecutively: triangles, 1.5 times as many edges, corners.
            (Form::Mesh { .. }, Solid::Surface(surface)) => 3 * surface.triangle_count() + surface.points().len(),
            _ => 0,
        };
        if parts >= MOST {
            return Err(GapError::TooManyParts { shape: shape.name(), limit: MOST });
        }
        let [low, high] = collider.bounds(&Pose::identity()).unwrap_or_default();
        let boundary = OnceLock::new();
        Ok(Self { form, collider, middle: (low + high) * 0.5, extent: (high - low) * 0.5, boundary })
    }

    /// Its surface as flat parts, edges and corners, if it consists only of these.
    pub fn boundary(&self) -> Option<&Boundary> {
        let make = || match (&self.form, &self.collider.solid) {
            (Form::Box(polytope) | Form::Polytope(polytope), _) => Boundary::of_polytope(polytope),
            (Form::Mesh { .. }, Solid::Surface(surface)) => Boundary::of_mesh(surface.mesh()),
            _ => None,
        };
        self.boundary.get_or_init(|| make().map(Box::new)).as_deref()
    }

    pub fn is_mesh(&self) -> bool {
        matches!(self.form, Form::Mesh { .. })
    }

    /// Its corners, faces and edges, if it is convex and consists only of these.
    pub fn polytope(&self) -> Option<&Polytope> {
        match &self.form {
            Form::Box(polytope) | Form::Polytope(polytope) => Some(polytope),
            _ => None,
        }
    }

    /// The ends of the core segment of balls and capsules, in the frame that the pose maps to.
    pub fn segment(&self, pose: &Pose) -> Option<([Vec3; 2], f64)> {
        let at = pose.translation.vector;
        match self.form {
            Form::Sphere { radius } => Some(([at, at], radius)),
            Form::Capsule { radius, half } => {
                let along = pose.rotation * Vec3::new(0.0, 0.0, half);
                Some(([at - along, at + along], radius))
            }
            _ => None,
        }
    }

    pub fn is_plane(&self) -> bool {
        matches!(self.form, Form::Plane)
    }
}

/// The corners of the hull: only they can be lowest over a plane.
fn hull_corners(collider: &Collider) -> Vec<Vec3> {
    let points: &[Vec3] = match &collider.solid {
        Solid::Surface(surface) => surface.points(),
        Solid::Convex(convex) => match &convex.core {
            Core::Hull(points) => points,
            _ => &[],
        },
        Solid::Plane => &[],
    };
    let mesh = veracity_model::TriangleMesh::new(points.to_vec(), Vec::new());
    match Polytope::hull(&mesh) {
        Some(polytope) => polytope.vertices,
        None => mesh.vertices,
    }
}
