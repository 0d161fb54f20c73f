//! The surface of a solid that need not be convex: its flat parts, its sharp edges and its corners.
//!
//! Triangles that are in one plane and share edges form one flat part, so that internal edges have no effect. An edge
//! between two flat parts is sharp if the solid is convex there; a concave edge can be touched only together with both
//! adjacent parts.

use super::polytope::Polytope;
use crate::surface::Surface;
use std::collections::BTreeMap;
use std::sync::Arc;
use veracity_model::{TriangleMesh, Vec3};

/// Sine of the angle between two triangles below which they are one flat part.
const FLAT: f64 = 1e-6;

#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    pub surface: Surface,
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The flat part of each triangle.
    pub part_of: Vec<u32>,
    pub parts: Vec<Part>,
    pub edges: Vec<SharpEdge>,
    /// Sharp edges whose first triangle this is, for each triangle.
    pub edges_of: Vec<Vec<u32>>,
    /// Vertices at which a sharp edge ends.
    pub corners: Vec<u32>,
    /// For each vertex the vertices joined to it by an edge.
    pub neighbours: Vec<Vec<u32>>,
    /// Half the least extent [m]: deeper points cannot be distinguished from points that come through from the other side.
    pub depth: f64,
    pub scale: f64,
}

/// The points with `normal · x = offset`; the solid is below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub normal: Vec3,
    pub offset: f64,
}

/// A convex edge, in the direction of its first triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharpEdge {
    pub ends: [u32; 2],
    /// Of the two triangles.
    pub normals: [Vec3; 2],
    /// The third corners of the two triangles.
    pub apexes: [u32; 2],
}

impl Boundary {
    /// From a mesh; triangles without area are left out. `None` if no triangle is left. A closed mesh that is inside out is
    /// reversed; for an open one the outside is where its triangles are counter-clockwise.
    pub fn of_mesh(mesh: &TriangleMesh) -> Option<Self> {
        let mut mesh = mesh.welded();
        if mesh.closure().is_inside_out() {
            mesh = mesh.turned_inside_out();
        }
        let [low, high] = mesh.bounding_box()?;
        let size = (high - low).norm();
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
            (b - a).cross(&(c - a))
        };
        let triangles: Vec<[u32; 3]> =
            mesh.triangles.iter().filter(|t| area(t).norm() > 1e-14 * size * size).copied().collect();
        let normals: Vec<Vec3> = triangles.iter().map(|t| area(t).normalize()).collect();
        let mut owner: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for (t, [a, b, c]) in triangles.iter().enumerate() {
            for edge in [[*a, *b], [*b, *c], [*c, *a]] {
                owner.insert(edge, t as u32);
            }
        }
        let mut part_of = vec![u32::MAX; triangles.len()];
        let mut parts = Vec::new();
        for start in 0..triangles.len() {
            if part_of[start] != u32::MAX {
                continue;
            }
            let normal = normals[start];
            let offset = normal.dot(&mesh.vertices[triangles[start][0] as usize]);
            let part = parts.len() as u32;
            parts.push(Part { normal, offset });
            part_of[start] = part;
            let mut waiting = vec![start];
            while let Some(t) = waiting.pop() {
                let [a, b, c] = triangles[t];
                for back in [[b, a], [c, b], [a, c]] {
                    let Some(&other) = owner.get(&back) else { continue };
                    let other = other as usize;
                    let level = |v: &u32| (normal.dot(&mesh.vertices[*v as usize]) - offset).abs() <= FLAT * size;
                    let flat = normals[other].cross(&normal).norm() <= FLAT && normals[other].dot(&normal) > 0.0;
                    if part_of[other] == u32::MAX && flat && triangles[other].iter().all(level) {
                        part_of[other] = part;
                        waiting.push(other);
                    }
                }
            }
        }
        let mut edges = Vec::new();
        let mut edges_of = vec![Vec::new(); triangles.len()];
        for (t, [a, b, c]) in triangles.iter().enumerate() {
            for ([from, to], apex) in [([*a, *b], *c), ([*b, *c], *a), ([*c, *a], *b)] {
                let Some(&other) = owner.get(&[to, from]) else { continue };
                let other = other as usize;
                let beyond = *triangles[other].iter().find(|v| **v != from && **v != to).unwrap_or(&apex);
                let below = normals[t].dot(&(mesh.vertices[beyond as usize] - mesh.vertices[from as usize]));
                if t < other && part_of[t] != part_of[other] && below < 0.0 {
                    edges_of[t].push(edges.len() as u32);
                    edges.push(SharpEdge {
                        ends: [from, to],
                        normals: [normals[t], normals[other]],
                        apexes: [apex, beyond],
                    });
                }
            }
        }
        Self::finish(mesh.vertices, triangles, part_of, parts, edges, edges_of)
    }

    /// From a convex solid with flat faces: parts, edges and corners have the same numbers as its faces, edges and corners.
    pub fn of_polytope(solid: &Polytope) -> Option<Self> {
        let parts = solid.faces.iter().map(|f| Part { normal: f.normal, offset: f.offset }).collect();
        let (mut triangles, mut part_of) = (Vec::new(), Vec::new());
        for f in 0..solid.faces.len() {
            let around: Vec<u32> = solid.around(f).map(|(v, _)| v).collect();
            for i in 1..around.len() - 1 {
                triangles.push([around[0], around[i], around[i + 1]]);
                part_of.push(f as u32);
            }
        }
        let mut edges_of = vec![Vec::new(); triangles.len()];
        let mut edges = Vec::new();
        for (i, edge) in solid.edges.iter().enumerate() {
            let [from, to] = edge.ends;
            let apexes = |face: u32| {
                let t = (0..triangles.len())
                    .find(|t| part_of[*t] == face && edge.ends.iter().all(|v| triangles[*t].contains(v)));
                let apex = t.and_then(|t| triangles[t].into_iter().find(|v| *v != from && *v != to));
                (t.unwrap_or(0), apex.unwrap_or(from))
            };
            let [(t, first), (_, second)] = edge.faces.map(apexes);
            edges_of[t].push(i as u32);
            let normals = edge.faces.map(|f| solid.faces[f as usize].normal);
            edges.push(SharpEdge { ends: edge.ends, normals, apexes: [first, second] });
        }
        Self::finish(solid.vertices.clone(), triangles, part_of, parts, edges, edges_of)
    }

    fn finish(
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        part_of: Vec<u32>,
        parts: Vec<Part>,
        edges: Vec<SharpEdge>,
        edges_of: Vec<Vec<u32>>,
    ) -> Option<Self> {
        let mesh = Arc::new(TriangleMesh::new(vertices, triangles));
        let surface = Surface::from_mesh(&mesh)?;
        let (vertices, triangles) = (mesh.vertices.clone(), mesh.triangles.clone());
        let [low, high] = mesh.bounding_box()?;
        let mut neighbours = vec![Vec::new(); vertices.len()];
        for [a, b, c] in &triangles {
            for [from, to] in [[*a, *b], [*b, *c], [*c, *a]] {
                neighbours[from as usize].push(to);
                neighbours[to as usize].push(from);
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let mut corners: Vec<u32> = edges.iter().flat_map(|e| e.ends).collect();
        corners.sort_unstable();
        corners.dedup();
        // The tree is built now, not in the first step.
        surface.tree();
        let (depth, scale) = (0.5 * (high - low).min(), (high - low).norm());
        Some(Self {
            surface,
            vertices,
            triangles,
            part_of,
            parts,
            edges,
            edges_of,
            corners,
            neighbours,
            depth,
            scale,
        })
    }

    pub fn vertex(&self, v: u32) -> Vec3 {
        self.vertices[v as usize]
    }

    pub fn ends(&self, edge: usize) -> [Vec3; 2] {
        self.edges[edge].ends.map(|v| self.vertex(v))
    }

    /// Whether no edge from a vertex goes against `direction` by more than `slack`: the vertex is, locally, the first point of
    /// the solid that a plane moving along `direction` touches.
    pub fn is_foremost(&self, v: u32, direction: &Vec3, slack: f64) -> bool {
        let at = self.vertex(v);
        self.neighbours[v as usize].iter().all(|w| {
            let along = self.vertex(*w) - at;
            direction.dot(&along) >= -slack * along.norm()
        })
    }
}

/// The hull of a closed mesh that equals its own hull: the convex case is simpler.
pub(crate) fn convex_mesh(mesh: &TriangleMesh) -> Option<Polytope> {
    let mesh = mesh.welded();
    if !mesh.closure().is_closed() {
        return None;
    }
    let hull = Polytope::hull(&mesh)?;
    let level = 1e-7 * hull.scale;
    let in_face = |t: &[u32; 3]| {
        let corners = t.map(|v| mesh.vertices[v as usize]);
        hull.faces.iter().any(|f| corners.iter().all(|c| f.normal.dot(c) - f.offset >= -level))
    };
    mesh.triangles.iter().all(in_face).then_some(hull)
}
