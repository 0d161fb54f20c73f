//! Whether a triangle mesh is closed.
//!
//! The divergence theorem turns volume integrals into sums over triangles if the surface has no boundary: along every
//! edge, equally many triangles run in each direction. Two triangles in opposite directions is the ordinary case; four
//! occur where two solids touch along an edge, and the surface is still closed.

use super::{TriangleMesh, integrals};
use std::collections::BTreeMap;

/// Result of the edge inspection. Vertices count as shared only after [`TriangleMesh::welded`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Closure {
    /// Edges where a triangle is missing: an odd number of triangles share the edge.
    pub open_edges: usize,
    /// Edges shared by an even number of triangles, but not equally many in each direction: one is flipped.
    pub flipped_edges: usize,
    /// Edges shared by more than two triangles. The volume is still correct, but some engines reject them.
    pub crowded_edges: usize,
    /// Triangles with two coincident corners. They enclose nothing and are ignored.
    pub collapsed_triangles: usize,
    /// Triangles that refer to a vertex that does not exist.
    pub invalid_triangles: usize,
    /// Volume [m³], negative if the triangles are clockwise seen from outside. Meaningless unless closed.
    pub signed_volume: f64,
}

impl Closure {
    /// Whether the triangles enclose a solid: no open and no flipped edge.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.flipped_edges == 0 && self.invalid_triangles == 0
    }

    /// Closed, but with every triangle clockwise seen from outside.
    pub fn is_inside_out(&self) -> bool {
        self.is_closed() && self.signed_volume < 0.0
    }
}

pub(super) fn closure(mesh: &TriangleMesh) -> Closure {
    let mut found = Closure { signed_volume: integrals::signed_volume(mesh), ..Closure::default() };
    // For each edge from its lower to its higher vertex: the number of triangles that run along it, and against it.
    let mut edges: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
    for triangle in &mesh.triangles {
        if mesh.corners(*triangle).is_none() {
            found.invalid_triangles += 1;
            continue;
        }
        let [a, b, c] = *triangle;
        if a == b || b == c || c == a {
            found.collapsed_triangles += 1;
            continue;
        }
        for (from, to) in [(a, b), (b, c), (c, a)] {
            edges.entry([from.min(to), from.max(to)]).or_default()[usize::from(from > to)] += 1;
        }
    }
    for [along, against] in edges.into_values() {
        let total = along + against;
        if total % 2 == 1 {
            found.open_edges += 1;
        } else if along != against {
            found.flipped_edges += 1;
        }
        if total > 2 {
            found.crowded_edges += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;

    #[test]
    fn a_box_is_closed_and_a_box_without_a_triangle_is_not() {
        let mut mesh = TriangleMesh::cuboid(Vec3::new(1.0, 1.0, 1.0));
        let found = mesh.closure();
        assert!(found.is_closed() && !found.is_inside_out() && found.crowded_edges == 0);
        assert_eq!(found.signed_volume, 1.0);

        mesh.triangles.pop();
        assert_eq!(mesh.closure().open_edges, 3);
        assert_eq!(mesh.solid_inertia(1.0), None);
    }

    #[test]
    fn one_flipped_triangle_is_seen_on_its_three_edges() {
        let mut mesh = TriangleMesh::cuboid(Vec3::new(1.0, 1.0, 1.0));
        mesh.triangles[5].swap(0, 1);
        let found = mesh.closure();
        assert_eq!((found.open_edges, found.flipped_edges), (0, 3));
        assert_eq!(mesh.solid_inertia(1.0), None);
    }

    #[test]
    fn all_triangles_flipped_is_inside_out() {
        let mesh = TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 1.0));
        let upright = mesh.solid_inertia(500.0).unwrap();
        let mesh = mesh.turned_inside_out();
        assert!(mesh.closure().is_inside_out());
        assert_eq!(mesh.solid_inertia(500.0), Some(upright));
    }

    #[test]
    fn two_boxes_that_share_an_edge_are_one_closed_surface() {
        let first = TriangleMesh::cuboid(Vec3::new(1.0, 1.0, 1.0));
        let mut both = first.clone();
        let shift = Vec3::new(1.0, 1.0, 0.0);
        both.vertices.extend(first.vertices.iter().map(|v| v + shift));
        both.triangles.extend(first.triangles.iter().map(|t| t.map(|i| i + 8)));
        let found = both.welded().closure();
        assert!(found.is_closed());
        assert_eq!((found.crowded_edges, found.signed_volume), (1, 2.0));
    }

    #[test]
    fn a_collapsed_triangle_does_not_open_the_mesh() {
        let mut mesh = TriangleMesh::cuboid(Vec3::new(1.0, 1.0, 1.0));
        mesh.triangles.push([0, 0, 1]);
        let found = mesh.closure();
        assert!(found.is_closed() && found.collapsed_triangles == 1);
    }
}
