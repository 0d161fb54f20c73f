//! Shapes prepared for distance queries.

use crate::convex::{Convex, Core};
use crate::gap::GapError;
use crate::surface::Surface;
use nalgebra as na;
use veracity_model::{Pose, Shape, Vec3};

/// Largest extent measured [m]: its square times the rounding of f64 is still a millimetre squared.
const LARGEST: f64 = 1e9;

/// A prepared shape: points collected, triangles sorted into a tree.
#[derive(Clone, Debug)]
pub struct Collider {
    pub(crate) name: &'static str,
    pub(crate) solid: Solid,
}

#[derive(Clone, Debug)]
pub(crate) enum Solid {
    /// The half space z <= 0.
    Plane,
    Convex(Convex),
    Surface(Box<Surface>),
}

impl Collider {
    /// Prepares a shape.
    pub fn new(shape: &Shape) -> Result<Self, GapError> {
        let name = shape.name();
        let solid = match shape {
            Shape::Plane => Solid::Plane,
            Shape::Sphere { radius } => Solid::Convex(Convex { core: Core::Point, radius: *radius }),
            Shape::Capsule { radius, length } => {
                Solid::Convex(Convex { core: Core::Segment { half: 0.5 * length }, radius: *radius })
            }
            Shape::Box { size } => Solid::Convex(Convex::sharp(Core::Box { half: size * 0.5 })),
            Shape::Cylinder { radius, length } => {
                Solid::Convex(Convex::sharp(Core::Cylinder { radius: *radius, half: 0.5 * length }))
            }
            Shape::Ellipsoid { radii } => Solid::Convex(Convex::sharp(Core::Ellipsoid { radii: *radii })),
            Shape::Disc { radius } => Solid::Convex(Convex::sharp(Core::Disc { radius: *radius })),
            Shape::Convex(mesh) if mesh.vertices.is_empty() => return Err(GapError::Empty { shape: name }),
            Shape::Convex(mesh) => Solid::Convex(Convex::sharp(Core::Hull(mesh.vertices.as_slice().into()))),
            Shape::Mesh(mesh) => {
                Solid::Surface(Box::new(Surface::from_mesh(mesh).ok_or(GapError::Empty { shape: name })?))
            }
            Shape::HeightField(field) => Solid::Surface(Box::new(Surface::from_height_field(field))),
        };
        let collider = Self { name, solid };
        let in_range = match collider.bounds(&Pose::identity()) {
            Some(corners) => corners.iter().flat_map(|c| c.iter()).all(|x| x.abs() <= LARGEST),
            None => true,
        };
        if in_range { Ok(collider) } else { Err(GapError::TooLarge { shape: name, limit: LARGEST }) }
    }

    /// Whether it extends infinitely downwards: a height field.
    pub(crate) fn is_ground(&self) -> bool {
        matches!(&self.solid, Solid::Surface(surface) if surface.is_ground())
    }

    /// Lowest and highest corner of its bounding box in the world [m]; `None` for a plane, which has none.
    pub fn bounds(&self, world_from_shape: &Pose) -> Option<[Vec3; 2]> {
        match &self.solid {
            Solid::Plane => None,
            Solid::Convex(convex) => Some(convex.bounds(world_from_shape)),
            Solid::Surface(surface) => {
                let placed = surface.points().iter().map(|p| (world_from_shape * na::Point3::from(*p)).coords);
                Some(placed.fold([Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)], |[lo, hi], p| {
                    [lo.inf(&p), hi.sup(&p)]
                }))
            }
        }
    }
}
