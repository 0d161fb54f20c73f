//! Triangle meshes and the solids they enclose.
//!
//! A [`TriangleMesh`] holds only triangles. [`TriangleMesh::closure`] reports whether they enclose a solid,
//! [`TriangleMesh::solid_inertia`] integrates over it exactly, [`TriangleMesh::convex_hull`] computes its hull.
//! [`crate::import::mesh`] reads mesh files.

mod closure;
mod hull;
mod integrals;

pub use closure::Closure;

use crate::geometry::{Pose, Vec3};
use crate::inertia::Inertia;
use nalgebra as na;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Triangles over shared vertices, in the shape's frame and already scaled to metres.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriangleMesh {
    /// [m]
    pub vertices: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The file it was read from, if any.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

impl TriangleMesh {
    /// From vertices [m] and triangles over them, counter-clockwise seen from outside.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self { vertices, triangles, file: None }
    }

    /// The surface of a box with full side lengths `size` [m], centred at the origin: eight vertices, twelve triangles.
    pub fn cuboid(size: Vec3) -> Self {
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
            Vec3::new(sign(0) * size.x, sign(1) * size.y, sign(2) * size.z)
        };
        // Bit 0 of a vertex number is x, bit 1 is y, bit 2 is z; each quad runs counter-clockwise from outside.
        let quads = [[0u32, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        Self::new((0..8).map(corner).collect(), triangles)
    }

    /// The corners of a triangle; `None` if it refers to a vertex that does not exist.
    pub fn corners(&self, triangle: [u32; 3]) -> Option<[Vec3; 3]> {
        let at = |i: u32| self.vertices.get(i as usize).copied();
        Some([at(triangle[0])?, at(triangle[1])?, at(triangle[2])?])
    }

    /// Whether every triangle refers to existing vertices and every coordinate is finite.
    pub fn is_valid(&self) -> bool {
        self.vertices.iter().all(|v| v.iter().all(|x| x.is_finite()))
            && self.triangles.iter().flatten().all(|i| (*i as usize) < self.vertices.len())
    }

    /// Lowest and highest corner of the axis-aligned bounding box [m]; `None` without vertices.
    pub fn bounding_box(&self) -> Option<[Vec3; 2]> {
        let first = *self.vertices.first()?;
        Some(self.vertices.iter().fold([first, first], |[low, high], v| [low.inf(v), high.sup(v)]))
    }

    /// Merges vertices with exactly equal coordinates, numbered by first use, and removes unused vertices.
    ///
    /// STL files repeat every vertex in each triangle around it: shared edges are known only after welding. Nothing is
    /// moved, so two vertices that differ in the last bit stay separate and show up as open edges in [`Self::closure`].
    pub fn welded(&self) -> Self {
        // -0.0 and 0.0 are equal coordinates with different bits.
        let key = |v: &Vec3| [v.x, v.y, v.z].map(|x| if x == 0.0 { 0 } else { x.to_bits() });
        let mut numbers: BTreeMap<[u64; 3], u32> = BTreeMap::new();
        let mut vertices = Vec::new();
        let mut weld = |i: u32| match self.vertices.get(i as usize) {
            Some(v) => *numbers.entry(key(v)).or_insert_with(|| {
                vertices.push(*v);
                vertices.len() as u32 - 1
            }),
            // Stays out of range, so that an invalid mesh stays invalid.
            None => u32::MAX,
        };
        let triangles = self.triangles.iter().map(|t| t.map(&mut weld)).collect();
        Self { vertices, triangles, file: self.file.clone() }
    }

    /// Multiplies every vertex by `scale`. An odd number of negative factors mirrors the solid; its triangles are then
    /// reversed, so that their outside stays outside.
    pub fn scaled(mut self, scale: Vec3) -> Self {
        self.vertices.iter_mut().for_each(|v| v.component_mul_assign(&scale));
        let mirrored = scale.iter().filter(|x| **x < 0.0).count() % 2 == 1;
        if mirrored { self.turned_inside_out() } else { self }
    }

    /// The same mesh expressed in a frame in which its own frame has the pose `new_from_old`.
    pub fn transformed(mut self, new_from_old: &Pose) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = (new_from_old * na::Point3::from(*v)).coords);
        self
    }

    /// Reverses the orientation of every triangle.
    pub fn turned_inside_out(mut self) -> Self {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    /// Whether the triangles enclose a solid, and the defects if not.
    pub fn closure(&self) -> Closure {
        closure::closure(self)
    }

    /// Inertia of the enclosed solid at this density [kg/m³]; `None` if the mesh is not closed or encloses nothing
    /// beyond rounding. A mesh that is inside out encloses the same solid as its mirror image in orientation, and gives
    /// the same inertia; [`Closure::is_inside_out`] reports it.
    pub fn solid_inertia(&self, density: f64) -> Option<Inertia> {
        self.closure().is_closed().then(|| integrals::solid_inertia(self, density))?
    }

    /// Inertia of the convex hull at this density [kg/m³]; `None` if the points do not span a volume.
    pub fn convex_hull_inertia(&self, density: f64) -> Option<Inertia> {
        integrals::solid_inertia(&self.convex_hull()?, density)
    }

    /// Inertia of the surface at this mass per area [kg/m²]: a shell of zero thickness. `None` without area.
    pub fn shell_inertia(&self, area_density: f64) -> Option<Inertia> {
        integrals::shell_inertia(self, area_density)
    }

    /// The convex hull of all vertices; `None` if they do not span a volume or are not finite. Its vertices are those
    /// of this mesh, in the same order.
    pub fn convex_hull(&self) -> Option<TriangleMesh> {
        let triangles = hull::convex_hull(&self.vertices)?;
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let number = |i: u32| used.binary_search(&i).unwrap_or(0) as u32;
        let triangles = triangles.iter().map(|t| t.map(number)).collect();
        let vertices = used.iter().map(|i| self.vertices[*i as usize]).collect();
        Some(Self { vertices, triangles, file: self.file.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welding_joins_equal_vertices_and_only_those() {
        let box_mesh = TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 3.0));
        let soup: Vec<Vec3> = box_mesh.triangles.iter().flat_map(|t| box_mesh.corners(*t).unwrap()).collect();
        let loose = TriangleMesh::new(soup, (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect());
        assert_eq!(loose.closure().open_edges, 36);
        let welded = loose.welded();
        assert_eq!(welded.vertices.len(), 8);
        assert!(welded.closure().is_closed());

        let mut cracked = loose;
        cracked.vertices[0].x = cracked.vertices[0].x.next_up();
        assert!(!cracked.welded().closure().is_closed());
    }

    #[test]
    fn negative_zero_is_zero() {
        let mesh = TriangleMesh::new(
            vec![Vec3::new(0.0, 0.0, 1.0), Vec3::new(-0.0, 0.0, 1.0), Vec3::x()],
            vec![[0, 1, 2], [0, 2, 2]],
        );
        assert_eq!(mesh.welded().vertices.len(), 2);
    }

    #[test]
    fn mirroring_keeps_outside_outside() {
        let mesh = TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 3.0));
        let mirrored = mesh.clone().scaled(Vec3::new(1.0, -2.0, 1.0));
        assert_eq!(mirrored.closure().signed_volume, 12.0);
        let turned = mesh.scaled(Vec3::new(-1.0, -2.0, 1.0));
        assert_eq!(turned.closure().signed_volume, 12.0);
    }

    #[test]
    fn a_triangle_that_names_no_vertex_is_no_panic() {
        let mesh = TriangleMesh::new(vec![Vec3::zeros()], vec![[0, 1, 7]]);
        assert!(!mesh.is_valid());
        assert!(!mesh.welded().is_valid());
        assert!(!mesh.closure().is_closed());
        assert_eq!(mesh.solid_inertia(1.0), None);
        assert_eq!(mesh.convex_hull_inertia(1.0), None);
        assert_eq!(mesh.shell_inertia(1.0), None);
    }
}
