//! Convex solids as a core and a radius.
//!
//! A convex set `K` is described by its support function: the farthest point of `K` along a direction `d`,
//!
//! ```text
//! (1)  s_K(d) = argmax { x·d : x in K }.
//! ```
//!
//! A ball rolled over a core `C`, `K = C + B(r)`, has `s_K(d) = s_C(d) + r d/|d|`, and the signed distance between
//! two such sets is that of their cores minus both radii, whether they overlap or not. Spheres and capsules are
//! therefore a point and a segment with a radius, without any approximation of curved surfaces. Cylinders, discs and
//! ellipsoids have an exact support function: nothing is tessellated.

use nalgebra as na;
use parry3d_f64::math::Vector;
use parry3d_f64::shape::SupportMap;
use std::sync::Arc;
use veracity_model::{Pose, Vec3};

/// A convex solid without its radius, in the shape's own frame.
#[derive(Clone, Debug)]
pub(crate) enum Core {
    /// The origin.
    Point,
    /// From `-half` to `half` along z [m].
    Segment { half: f64 },
    /// A box with these half side lengths [m].
    Box { half: Vec3 },
    /// A cylinder about z [m].
    Cylinder { radius: f64, half: f64 },
    /// Half axes [m].
    Ellipsoid { radii: Vec3 },
    /// A flat disc in z = 0 [m].
    Disc { radius: f64 },
    /// Three corners [m].
    Triangle([Vec3; 3]),
    /// The hull of points [m].
    Hull(Arc<[Vec3]>),
}

/// A core with a radius around it.
#[derive(Clone, Debug)]
pub(crate) struct Convex {
    pub core: Core,
    /// [m]
    pub radius: f64,
}

/// A core with its pose. Its support function is that of the core alone, without the radius.
#[derive(Clone, Copy)]
pub(crate) struct PlacedCore<'a> {
    pub core: &'a Core,
    pub pose: &'a Pose,
}

impl Convex {
    pub fn sharp(core: Core) -> Self {
        Self { core, radius: 0.0 }
    }

    /// Lowest and highest corner of its bounding box, in the frame that `pose` maps to.
    pub fn bounds(&self, pose: &Pose) -> [Vec3; 2] {
        let placed = PlacedCore { core: &self.core, pose };
        let reach = |d: Vec3| placed.support(&d).dot(&d) + self.radius;
        let highest = Vec3::new(reach(Vec3::x()), reach(Vec3::y()), reach(Vec3::z()));
        let lowest = -Vec3::new(reach(-Vec3::x()), reach(-Vec3::y()), reach(-Vec3::z()));
        [lowest, highest]
    }
}

impl Core {
    /// (1) in the core's own frame. Any point of the core is a valid answer to a zero direction.
    pub fn support(&self, d: &Vec3) -> Vec3 {
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        match self {
            Core::Point => Vec3::zeros(),
            Core::Segment { half } => Vec3::new(0.0, 0.0, sign(d.z) * half),
            Core::Box { half } => Vec3::new(sign(d.x) * half.x, sign(d.y) * half.y, sign(d.z) * half.z),
            Core::Cylinder { radius, half } => rim(d, *radius) + Vec3::new(0.0, 0.0, sign(d.z) * half),
            Core::Disc { radius } => rim(d, *radius),
            Core::Ellipsoid { radii } => {
                let scaled = radii.component_mul(d);
                let norm = scaled.norm();
                if norm > 0.0 { radii.component_mul(&scaled) / norm } else { Vec3::new(radii.x, 0.0, 0.0) }
            }
            Core::Triangle(corners) => farthest(corners, d),
            Core::Hull(points) => farthest(points, d),
        }
    }

    /// Normals of the flat faces, one of each opposite pair.
    ///
    /// For a flat core this includes the in-plane normals of its edges, which are faces of it as a solid
    /// without thickness.
    pub fn face_normals(&self) -> Vec<Vec3> {
        match self {
            Core::Box { .. } => vec![Vec3::x(), Vec3::y(), Vec3::z()],
            Core::Cylinder { .. } | Core::Disc { .. } => vec![Vec3::z()],
            Core::Triangle([a, b, c]) => {
                let normal = (b - a).cross(&(c - a));
                let in_plane = [b - a, c - b, a - c].map(|edge| edge.cross(&normal));
                std::iter::once(normal).chain(in_plane).filter_map(|n| n.try_normalize(0.0)).collect()
            }
            Core::Point | Core::Segment { .. } | Core::Ellipsoid { .. } | Core::Hull(_) => Vec::new(),
        }
    }

    /// Directions of the straight edges, or `None` if the core is not a polytope with a short list of them.
    ///
    /// The depth of two overlapping polytopes is reached along a face normal of one or along the cross product of
    /// an edge of each, so two such lists determine it exactly.
    pub fn edges(&self) -> Option<Vec<Vec3>> {
        match self {
            Core::Point => Some(Vec::new()),
            Core::Segment { .. } => Some(vec![Vec3::z()]),
            Core::Box { .. } => Some(vec![Vec3::x(), Vec3::y(), Vec3::z()]),
            Core::Triangle([a, b, c]) => {
                Some([b - a, c - b, a - c].into_iter().filter_map(|e| e.try_normalize(0.0)).collect())
            }
            Core::Cylinder { .. } | Core::Ellipsoid { .. } | Core::Disc { .. } | Core::Hull(_) => None,
        }
    }

    /// Whether any of its surface is curved.
    pub fn is_curved(&self) -> bool {
        matches!(self, Core::Cylinder { .. } | Core::Ellipsoid { .. } | Core::Disc { .. })
    }

    /// A point of the core near its middle.
    pub fn centre(&self) -> Vec3 {
        match self {
            Core::Triangle(corners) => corners.iter().sum::<Vec3>() / 3.0,
            Core::Hull(points) => points.iter().sum::<Vec3>() / points.len().max(1) as f64,
            _ => Vec3::zeros(),
        }
    }
}

impl PlacedCore<'_> {
    /// (1) in the frame that the pose maps to.
    pub fn support(&self, d: &Vec3) -> Vec3 {
        let local = self.pose.rotation.inverse_transform_vector(d);
        (self.pose * na::Point3::from(self.core.support(&local))).coords
    }
}

impl SupportMap for PlacedCore<'_> {
    fn local_support_point(&self, dir: Vector) -> Vector {
        to_parry(&self.support(&from_parry(dir)))
    }
}

/// The point of a circle about z farthest along `d`.
fn rim(d: &Vec3, radius: f64) -> Vec3 {
    let across = libm::hypot(d.x, d.y);
    if across > 0.0 { Vec3::new(d.x / across * radius, d.y / across * radius, 0.0) } else { Vec3::zeros() }
}

fn farthest(points: &[Vec3], d: &Vec3) -> Vec3 {
    let mut best = Vec3::zeros();
    let mut reach = f64::NEG_INFINITY;
    for p in points {
        let r = p.dot(d);
        if r > reach {
            (best, reach) = (*p, r);
        }
    }
    best
}

pub(crate) fn to_parry(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub(crate) fn from_parry(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}
