//! Triangle meshes and height fields: gaps to and between surfaces that need not be convex.
//!
//! For separated solids the distance is the least over all triangles. For overlapping solids that are not convex the exact
//! depth is not computed but bounded:
//!
//! ```text
//! (1)  depth >= the depth of any single triangle in the other solid: separating the solids separates their parts
//! (2)  depth >= the distance from any point of one, inside the other, to the other's surface
//! (3)  depth <= the depth of the convex hulls
//! ```
//!
//! and reported as the largest of (1) and (2), so that a depth is never overstated. A point is inside when the winding
//! number of the triangles, the sum of the solid angles they subtend over 4 pi, has magnitude above one half. The test
//! needs no watertight mesh and works for a mesh turned inside out.

use crate::convex::{Convex, Core, PlacedCore, from_parry, to_parry};
use crate::convex_pair::{convex_gap, gap_along, shallow_gap};
use crate::gap::{Gap, triangle};
use nalgebra as na;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, TraversalAction};
use std::f64::consts::PI;
use std::sync::{Arc, OnceLock};
use veracity_model::shape::HeightField;
use veracity_model::{Pose, TriangleMesh, Vec3};

/// Number of points of one surface that are tested inside the other for (2).
const SAMPLES: usize = 64;

/// Triangles, and a tree of their bounding boxes that is built on first use: most meshes are never near another.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    mesh: Arc<TriangleMesh>,
    tree: OnceLock<Bvh>,
    /// One point of each connected piece.
    pieces: OnceLock<Vec<Vec3>>,
    ground: bool,
}

impl Surface {
    /// `None` for a mesh without triangles, or with triangles over points that do not exist.
    pub fn from_mesh(mesh: &Arc<TriangleMesh>) -> Option<Self> {
        (!mesh.triangles.is_empty() && mesh.is_valid()).then(|| Self::new(mesh.clone(), false))
    }

    /// The surface with walls and a floor, so that it encloses a solid. Each cell is cut along the diagonal from its
    /// lowest x and y to its highest.
    pub fn from_height_field(field: &HeightField) -> Self {
        let [columns, rows] = field.counts;
        let place = |i: usize, n: usize, size: f64| size * (i as f64 / (n - 1) as f64 - 0.5);
        let mut points = Vec::with_capacity(2 * columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let (x, y) = (place(column, columns, field.size[0]), place(row, rows, field.size[1]));
                points.push(Vec3::new(x, y, field.heights[row * columns + column]));
            }
        }
        // The field extends infinitely downwards. With a floor as far down as the field is wide, bodies near the surface
        // are closer to it than to the floor.
        let lowest = field.heights.iter().copied().fold(f64::INFINITY, f64::min);
        let floor = lowest - field.size[0].max(field.size[1]);
        let top = |column: usize, row: usize| (row * columns + column) as u32;
        let mut triangles = Vec::new();
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let [a, b] = [top(column, row), top(column + 1, row)];
                let [c, d] = [top(column + 1, row + 1), top(column, row + 1)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        // Around the rim, counter-clockwise seen from above.
        let rim: Vec<u32> = (0..columns - 1)
            .map(|c| top(c, 0))
            .chain((0..rows - 1).map(|r| top(columns - 1, r)))
            .chain((1..columns).rev().map(|c| top(c, rows - 1)))
            .chain((1..rows).rev().map(|r| top(0, r)))
            .collect();
        let base = points.len() as u32;
        for i in &rim {
            let above = points[*i as usize];
            points.push(Vec3::new(above.x, above.y, floor));
        }
        let middle = points.len() as u32;
        points.push(Vec3::new(0.0, 0.0, floor));
        let count = rim.len();
        for i in 0..count {
            let next = (i + 1) % count;
            let [a, b] = [rim[i], rim[next]];
            let [c, d] = [base + next as u32, base + i as u32];
            triangles.extend([[a, d, c], [a, c, b], [middle, c, d]]);
        }
        Self::new(Arc::new(TriangleMesh::new(points, triangles)), true)
    }

    fn new(mesh: Arc<TriangleMesh>, ground: bool) -> Self {
        Self { mesh, tree: OnceLock::new(), pieces: OnceLock::new(), ground }
    }

    pub(crate) fn tree(&self) -> &Bvh {
        self.tree.get_or_init(|| {
            let around = |t: usize| {
                let [a, b, c] = self.corners(t).map(|p| to_parry(&p));
                Aabb { mins: a.min(b).min(c), maxs: a.max(b).max(c) }
            };
            let boxes: Vec<Aabb> = (0..self.mesh.triangles.len()).map(around).collect();
            Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes)
        })
    }

    fn pieces(&self) -> &[Vec3] {
        self.pieces.get_or_init(|| {
            let pieces = connected_pieces(self.mesh.vertices.len(), &self.mesh.triangles);
            pieces.into_iter().map(|i| self.mesh.vertices[i as usize]).collect()
        })
    }

    /// Vertices [m].
    pub fn points(&self) -> &[Vec3] {
        &self.mesh.vertices
    }

    pub(crate) fn mesh(&self) -> &Arc<TriangleMesh> {
        &self.mesh
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.mesh.triangles.len()
    }

    /// A height field: extends infinitely downwards.
    pub fn is_ground(&self) -> bool {
        self.ground
    }

    pub(crate) fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.mesh.triangles[triangle].map(|i| self.mesh.vertices[i as usize])
    }

    /// Winding number of the surface around a point.
    fn winding(&self, point: &Vec3) -> f64 {
        // Solid angle of a triangle seen from the origin: Van Oosterom and Strackee, IEEE TBME 1983.
        let solid_angle = |t: usize| {
            let [a, b, c] = self.corners(t).map(|x| x - point);
            let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
            let numerator = a.dot(&b.cross(&c));
            let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
            2.0 * libm::atan2(numerator, denominator)
        };
        (0..self.mesh.triangles.len()).map(solid_angle).sum::<f64>() / (4.0 * PI)
    }

    pub(crate) fn contains(&self, point: &Vec3) -> bool {
        let root = self.tree().root_aabb();
        let p = to_parry(point);
        p.cmpge(root.mins).all() && p.cmple(root.maxs).all() && self.winding(point).abs() > 0.5
    }

    /// The least gap between a triangle of this surface (first) and a convex solid, if it is below `best`.
    fn nearest_triangle(&self, convex: &Convex, surface_from_convex: &Pose, best: f64) -> Option<Gap> {
        self.nearest_by(convex_gap, convex, surface_from_convex, best)
    }

    /// The same where the two overlap by little, if at all: faster, and without allocation.
    pub(crate) fn nearest_shallow(&self, convex: &Convex, surface_from_convex: &Pose, best: f64) -> Option<Gap> {
        self.nearest_by(shallow_gap, convex, surface_from_convex, best)
    }

    fn nearest_by(
        &self,
        measure: fn(&Convex, &Convex, &Pose) -> Gap,
        convex: &Convex,
        surface_from_convex: &Pose,
        best: f64,
    ) -> Option<Gap> {
        let [low, high] = convex.bounds(surface_from_convex);
        let mut found: Option<Gap> = None;
        let mut best = best;
        self.tree().traverse(|node| {
            let node_box = node.aabb();
            let (mins, maxs) = (from_parry(node_box.mins), from_parry(node_box.maxs));
            let between = (mins - high).sup(&(low - maxs)).sup(&Vec3::zeros()).norm();
            // Overlapping boxes may contain any depth; separated boxes contain nothing nearer than their distance.
            if between > best.max(0.0) {
                return TraversalAction::Prune;
            }
            if let Some(leaf) = node.leaf_data() {
                let corners = self.corners(leaf as usize);
                let flat = triangle(corners);
                // Most triangles are farther along their own normal than the best so far; only the others are measured.
                let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
                let farther = |way: Vec3| gap_along(&flat, convex, surface_from_convex, &way) > best;
                if farther(normal) || farther(-normal) || found.as_ref().is_some_and(|f| farther(f.normal)) {
                    return TraversalAction::Continue;
                }
                let gap = measure(&flat, convex, surface_from_convex);
                if gap.distance < best || (found.is_none() && gap.distance <= best) {
                    best = gap.distance;
                    found = Some(gap);
                }
            }
            TraversalAction::Continue
        });
        found
    }

    /// (2): if the point is inside, minus its distance to the surface, as a gap of the surface (first) to the point.
    fn depth_of(&self, point: &Vec3) -> Option<Gap> {
        if !self.contains(point) {
            return None;
        }
        let nearest = self.nearest_triangle(
            &Convex::sharp(Core::Point),
            &Pose::translation(point.x, point.y, point.z),
            f64::INFINITY,
        )?;
        let distance = -nearest.distance.max(0.0);
        // The surface must be moved in the direction opposite to its nearest point.
        Some(Gap { distance, bounds: [distance, distance], normal: -nearest.normal, ..nearest })
    }
}

/// Gap between a surface (first) and a convex solid, in the surface's frame; `None` beyond `limit`.
pub(crate) fn surface_convex_gap(
    surface: &Surface,
    convex: &Convex,
    surface_from_convex: &Pose,
    limit: f64,
) -> Option<Gap> {
    let nearest = surface.nearest_triangle(convex, surface_from_convex, limit);
    let centre = (surface_from_convex * na::Point3::from(convex.core.centre())).coords;
    let mut deepest = nearest.filter(|g| g.distance < 0.0);
    let mut probes = vec![centre];
    if let Some(gap) = nearest {
        let core = PlacedCore { core: &convex.core, pose: surface_from_convex };
        probes.extend([gap.normal, -gap.normal].map(|n| core.support(&n) + n * convex.radius));
    }
    for probe in probes {
        deepest = deeper(deepest, surface.depth_of(&probe));
    }
    let Some(deepest) = deepest else { return nearest };
    let hull = Convex::sharp(Core::Hull(surface.points().into()));
    let hulls = convex_gap(&hull, convex, surface_from_convex).distance;
    Some(Gap { bounds: [hulls.min(deepest.distance), deepest.distance], ..deepest })
}

/// Gap between two surfaces in the first one's frame; `None` beyond `limit`.
pub(crate) fn surface_surface_gap(a: &Surface, b: &Surface, a_from_b: &Pose, limit: f64) -> Option<Gap> {
    if b.mesh.triangles.len() > a.mesh.triangles.len() {
        // The loop runs over the second, the tree is the first's: fewer iterations with the smaller one second.
        let b_from_a = a_from_b.inverse();
        return surface_surface_gap(b, a, &b_from_a, limit).map(|g| g.transformed(a_from_b).swapped());
    }
    let mut nearest: Option<Gap> = None;
    for t in 0..b.mesh.triangles.len() {
        let best = nearest.map_or(limit, |g| g.distance);
        if let Some(gap) = a.nearest_triangle(&triangle(b.corners(t)), a_from_b, best) {
            nearest = Some(gap);
        }
    }
    let mut deepest = nearest.filter(|g| g.distance < 0.0);
    let place = |pose: &Pose, p: &Vec3| (pose * na::Point3::from(*p)).coords;
    for p in b.pieces().iter().chain(sample(b.points())) {
        deepest = deeper(deepest, a.depth_of(&place(a_from_b, p)));
    }
    let b_from_a = a_from_b.inverse();
    for p in a.pieces().iter().chain(sample(a.points())) {
        let found = b.depth_of(&place(&b_from_a, p)).map(|g| g.transformed(a_from_b).swapped());
        deepest = deeper(deepest, found);
    }
    let Some(deepest) = deepest else { return nearest };
    let [hull_a, hull_b] = [a, b].map(|s| Convex::sharp(Core::Hull(s.points().into())));
    let hulls = convex_gap(&hull_a, &hull_b, a_from_b).distance;
    Some(Gap { bounds: [hulls.min(deepest.distance), deepest.distance], ..deepest })
}

fn deeper(a: Option<Gap>, b: Option<Gap>) -> Option<Gap> {
    match (a, b) {
        (Some(x), Some(y)) => Some(if y.distance < x.distance { y } else { x }),
        (x, y) => x.or(y),
    }
}

/// At most [`SAMPLES`] points, evenly spaced in the list.
fn sample(points: &[Vec3]) -> impl Iterator<Item = &Vec3> {
    points.iter().step_by(points.len().div_ceil(SAMPLES).max(1))
}

/// The lowest vertex of each connected piece that has triangles.
fn connected_pieces(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut leader: Vec<u32> = (0..vertices as u32).collect();
    fn find(leader: &mut [u32], mut i: u32) -> u32 {
        while leader[i as usize] != i {
            leader[i as usize] = leader[leader[i as usize] as usize];
            i = leader[i as usize];
        }
        i
    }
    for t in triangles {
        for pair in [[t[0], t[1]], [t[1], t[2]]] {
            let [x, y] = pair.map(|i| find(&mut leader, i));
            leader[x.max(y) as usize] = x.min(y);
        }
    }
    let mut pieces: Vec<u32> = triangles.iter().map(|t| find(&mut leader, t[0])).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}
