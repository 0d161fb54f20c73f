//! Convex solids with flat faces: corners, faces as polygons, edges with their two adjacent faces.
//!
//! Triangles of a hull that are in one plane become one face, and points inside a face or along an edge are not corners:
//! a box and its tessellation have the same eight corners, six faces and twelve edges.

use std::collections::BTreeMap;
use veracity_model::{TriangleMesh, Vec3};

/// Two triangles are in one plane if each one's far corner is within this of the other's plane, relative to the size of
/// the solid: coordinates in files have seven digits, so flat faces are flat only to that.
const FLAT: f64 = 1e-7;

/// Cosine and sine of eighths of a turn, symmetric to the bit.
pub(crate) const EIGHTHS: [[f64; 2]; 8] = {
    let h = std::f64::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [h, h], [0.0, 1.0], [-h, h], [-1.0, 0.0], [-h, -h], [0.0, -1.0], [h, -h]]
};

#[derive(Clone, Debug, Default)]
pub(crate) struct Polytope {
    /// [m]
    pub vertices: Vec<Vec3>,
    pub faces: Vec<Face>,
    /// Corners of all faces, each face counter-clockwise seen from outside.
    pub corners: Vec<u32>,
    /// The edge from each of those corners to the next.
    pub sides: Vec<u32>,
    pub edges: Vec<Edge>,
    /// Its size [m].
    pub scale: f64,
}

/// A flat face: the points with `normal · x = offset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub normal: Vec3,
    /// [m]
    pub offset: f64,
    /// Start of its corners in [`Polytope::corners`], and their number.
    pub first: u32,
    pub count: u32,
}

/// An edge, in the direction of its first face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub ends: [u32; 2],
    pub faces: [u32; 2],
}

impl Polytope {
    /// A box with these half side lengths; corners are numbered by bits x, y, z.
    pub fn cuboid(half: &Vec3) -> Self {
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::new(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z)
        };
        let quads = [[0u32, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let loops: Vec<Vec<u32>> = quads.iter().map(|q| q.to_vec()).collect();
        let normals = [-Vec3::x(), Vec3::x(), -Vec3::y(), Vec3::y(), -Vec3::z(), Vec3::z()];
        Self::new((0..8).map(corner).collect(), &loops, &normals).unwrap_or_default()
    }

    /// A prism with eight sides inside a cylinder about z; its faces 0 and 1 are the lower and the upper end, corners
    /// `8 end + k` are `k` eighths of a turn from x.
    pub fn in_cylinder(radius: f64, half: f64) -> Self {
        let corner = |i: u32| {
            let [x, y] = EIGHTHS[i as usize % 8];
            Vec3::new(radius * x, radius * y, if i < 8 { -half } else { half })
        };
        let mut loops = vec![(0..8).rev().collect::<Vec<u32>>(), (8..16).collect()];
        let mut normals = vec![-Vec3::z(), Vec3::z()];
        for k in 0..8 {
            let next = (k + 1) % 8;
            loops.push(vec![k, next, next + 8, k + 8]);
            normals.push((corner(k) + corner(next) + corner(k + 8) + corner(next + 8)).normalize());
        }
        Self::new((0..16).map(corner).collect(), &loops, &normals).unwrap_or_default()
    }

    /// The hull of a mesh's vertices; `None` if it is flat.
    pub fn hull(mesh: &TriangleMesh) -> Option<Self> {
        let hull = mesh.convex_hull()?;
        let [low, high] = hull.bounding_box()?;
        let size = (high - low).norm();
        let corners = |t: usize| hull.triangles[t].map(|i| hull.vertices[i as usize]);
        // Large triangles first: their planes are the most accurate.
        let area = |t: usize| {
            let [a, b, c] = corners(t);
            (b - a).cross(&(c - a))
        };
        let mut order: Vec<usize> = (0..hull.triangles.len()).collect();
        order.sort_by(|x, y| area(*y).norm().total_cmp(&area(*x).norm()).then(x.cmp(y)));
        let mut owner: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        for (t, [a, b, c]) in hull.triangles.iter().enumerate() {
            for edge in [[*a, *b], [*b, *c], [*c, *a]] {
                owner.insert(edge, t);
            }
        }
        let mut face_of = vec![usize::MAX; hull.triangles.len()];
        let mut normals = Vec::new();
        for start in order {
            if face_of[start] != usize::MAX {
                continue;
            }
            let Some(normal) = area(start).try_normalize(0.0) else { continue };
            let offset = normal.dot(&corners(start)[0]);
            let face = normals.len();
            normals.push(normal);
            face_of[start] = face;
            let mut waiting = vec![start];
            while let Some(t) = waiting.pop() {
                let [a, b, c] = hull.triangles[t];
                for back in [[b, a], [c, b], [a, c]] {
                    let Some(&other) = owner.get(&back) else { continue };
                    let in_plane = corners(other).iter().all(|p| (normal.dot(p) - offset).abs() <= FLAT * size);
                    if face_of[other] == usize::MAX && in_plane {
                        face_of[other] = face;
                        waiting.push(other);
                    }
                }
            }
        }
        // Slivers without area that belong to no face would leave holes.
        if face_of.contains(&usize::MAX) {
            return None;
        }
        // The rim of each face: edges whose other side is another face, followed around.
        let mut next: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); normals.len()];
        for (t, [a, b, c]) in hull.triangles.iter().enumerate() {
            for [from, to] in [[*a, *b], [*b, *c], [*c, *a]] {
                let across = owner.get(&[to, from]).map(|o| face_of[*o]);
                if across != Some(face_of[t]) && next[face_of[t]].insert(from, to).is_some() {
                    return None;
                }
            }
        }
        let mut meeting = vec![0u32; hull.vertices.len()];
        next.iter().flat_map(|n| n.keys()).for_each(|v| meeting[*v as usize] += 1);
        let mut loops = Vec::new();
        for rim in &next {
            let (&start, _) = rim.first_key_value()?;
            let mut around = vec![start];
            let mut at = *rim.get(&start)?;
            while at != start {
                around.push(at);
                at = *rim.get(&at)?;
            }
            if around.len() != rim.len() {
                return None;
            }
            // Where only two faces meet, the edge continues straight.
            around.retain(|v| meeting[*v as usize] > 2);
            loops.push(around);
        }
        Self::new(hull.vertices, &loops, &normals)
    }

    /// From corners and the loops of faces; `None` if an edge does not have two sides. Unused corners are removed.
    fn new(vertices: Vec<Vec3>, loops: &[Vec<u32>], normals: &[Vec3]) -> Option<Self> {
        let mut number = vec![u32::MAX; vertices.len()];
        loops.iter().flatten().for_each(|v| number[*v as usize] = 0);
        let mut out = Self::default();
        for (v, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
            *n = out.vertices.len() as u32;
            out.vertices.push(vertices[v]);
        }
        let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for (f, (around, normal)) in loops.iter().zip(normals).enumerate() {
            let around: Vec<u32> = around.iter().map(|v| number[*v as usize]).collect();
            if around.len() < 3 {
                return None;
            }
            let offset =
                around.iter().map(|v| normal.dot(&out.vertices[*v as usize])).fold(f64::NEG_INFINITY, f64::max);
            let first = out.corners.len() as u32;
            out.faces.push(Face { normal: *normal, offset, first, count: around.len() as u32 });
            for (i, &from) in around.iter().enumerate() {
                let to = around[(i + 1) % around.len()];
                let count = out.edges.len() as u32;
                let edge = *edges.entry([from.min(to), from.max(to)]).or_insert(count);
                if edge == count {
                    out.edges.push(Edge { ends: [from, to], faces: [f as u32, u32::MAX] });
                } else if out.edges[edge as usize].faces[1] == u32::MAX {
                    out.edges[edge as usize].faces[1] = f as u32;
                } else {
                    return None;
                }
                out.corners.push(from);
                out.sides.push(edge);
            }
        }
        if out.edges.iter().any(|e| e.faces[1] == u32::MAX) {
            return None;
        }
        let [low, high] = TriangleMesh::new(out.vertices.clone(), Vec::new()).bounding_box()?;
        out.scale = (high - low).norm();
        Some(out)
    }

    pub fn around(&self, face: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let Face { first, count, .. } = self.faces[face];
        let range = first as usize..(first + count) as usize;
        self.corners[range.clone()].iter().copied().zip(self.sides[range].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_and_its_tessellation_have_the_same_parts() {
        let size = Vec3::new(0.2, 0.1, 0.3);
        let mesh = TriangleMesh::cuboid(size);
        // A point in the middle of a face and one in the middle of an edge are not corners.
        let mut finer = mesh.clone();
        finer.vertices.extend([Vec3::new(0.0, 0.0, 0.15), Vec3::new(0.1, 0.05, 0.0)]);
        for polytope in
            [Polytope::cuboid(&(size * 0.5)), Polytope::hull(&mesh).unwrap(), Polytope::hull(&finer).unwrap()]
        {
            assert_eq!((polytope.vertices.len(), polytope.faces.len(), polytope.edges.len()), (8, 6, 12));
            for (f, face) in polytope.faces.iter().enumerate() {
                assert_eq!(face.count, 4);
                let at: Vec<Vec3> = polytope.around(f).map(|(v, _)| polytope.vertices[v as usize]).collect();
                let turn = (at[1] - at[0]).cross(&(at[2] - at[1]));
                assert!(turn.dot(&face.normal) > 0.0);
                assert!(at.iter().all(|p| (p.dot(&face.normal) - face.offset).abs() < 1e-15));
            }
            for edge in &polytope.edges {
                let along = polytope.vertices[edge.ends[1] as usize] - polytope.vertices[edge.ends[0] as usize];
                let [m, n] = edge.faces.map(|f| polytope.faces[f as usize].normal);
                assert!(m.cross(&n).dot(&along) > 0.0);
            }
        }
    }
}
