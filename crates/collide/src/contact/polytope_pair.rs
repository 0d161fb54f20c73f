//! Contact points of two convex solids with flat faces.
//!
//! The axis of least overlap is a face normal of one or the cross product of an edge of each (separating axes):
//!
//! ```text
//! (1)  s(f)    = min { n_f·x - d_f : x a corner of the other }        face f
//! (2)  s(e, g) = n·(x_g - x_e),  n = ± e×g / |e×g|                    edges whose arcs cross on the sphere of normals
//! ```
//!
//! Along a face, the most opposite face of the other is clipped to the prism over the first: the corners of the remaining
//! polygon are the contact points, each with its gap along the face's normal. Along an edge pair there is one point. For
//! separated solids where neither is the nearest, the nearest points of the edges are used.
//!
//! A flush pair must give the same points at every step, whatever the rounding:
//! * edges within [`NEAR`] of a face normal count as the face: the corners of the clipped polygon include the crossing of the
//!   edges, and its gap along the face's normal is accurate to the square of the angle;
//! * for two faces within [`NEAR`] of opposite, the first solid's is the reference;
//! * a corner outside the prism by less than [`INSIDE`] times the size is inside.
//!
//! Two faces that lie on each other are the most frequent case, and their points attain (1): edges are not compared then.

use super::feature::{Feature, Kind, Spot};
use super::polytope::{Face, Polytope};
use veracity_model::{Pose, Vec3};

/// Angle below which two normals count as one [rad].
const NEAR: f64 = 1e-2;
/// Largest distance of a corner outside a prism, relative to the size, that counts as inside.
const INSIDE: f64 = 1e-6;
/// Number of edge pairs above which not all are compared.
const LARGE: usize = 4096;
/// A later face is preferred if it is better by more than this, relative to the size.
const BETTER: f64 = 1e-9;

/// Scratch of a pair; reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Corners and faces of the second solid in the first one's frame.
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    /// For each face of the first solid, its normal's component along the edge of the second that is being compared.
    components: Vec<f64>,
    pub(super) polygon: Vec<Cut>,
    pub(super) cut: Vec<Cut>,
    /// Flat parts, edges and corners of a surface that were already visited.
    pub(super) visited: Vec<u64>,
    /// Candidate points of a search.
    pub(super) spots: Vec<Spot>,
}

/// A corner of the polygon being cut, and what the side that leaves it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub point: Vec3,
    pub corner: Name,
    pub side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Name {
    /// A corner of the face that is cut.
    Own(u32),
    /// A corner of the face that it is cut to.
    Reference(u32),
    /// An edge of the reference and an edge of the face that is cut.
    Cross(u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    /// An edge of the face that is cut.
    Own(u32),
    /// A side of the prism.
    Reference(u32),
}

/// A solid with the corners and faces it has in the common frame.
#[derive(Clone, Copy)]
struct Placed<'a> {
    polytope: &'a Polytope,
    vertices: &'a [Vec3],
    faces: &'a [Face],
}

impl Placed<'_> {
    fn ends(&self, edge: usize) -> [Vec3; 2] {
        self.polytope.edges[edge].ends.map(|v| self.vertices[v as usize])
    }
}

/// Appends every point within `limit`, in the first solid's frame.
pub(crate) fn polytope_pair(
    a: &Polytope,
    b: &Polytope,
    a_from_b: &Pose,
    limit: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Spot>,
) {
    scratch.place(b, a_from_b);
    let first = Placed { polytope: a, vertices: &a.vertices, faces: &a.faces };
    let second = Placed { polytope: b, vertices: &scratch.vertices, faces: &scratch.faces };
    let scale = a.scale.max(b.scale);
    let [Some((parted_a, face_a)), Some((parted_b, face_b))] =
        [(&first, &second), (&second, &first)].map(|(of, other)| best_face(of, other, limit, BETTER * scale))
    else {
        return;
    };
    let facing = -a.faces[face_a].normal.dot(&scratch.faces[face_b].normal) > 1.0 - 0.5 * NEAR * NEAR;
    let mut by_second = !facing && parted_b > parted_a + BETTER * scale;
    let mut reference = if by_second { face_b } else { face_a };
    let parted = parted_a.max(parted_b);
    let from = out.len();
    if facing {
        face_points(first, second, face_a, false, limit, &mut scratch.polygon, &mut scratch.cut, out);
        // No axis separates two solids by more than their distance, and these points are within it: no pair of edges
        // can be a better axis than the face.
        let least = out[from..].iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
        if least.max(0.0) <= parted + 0.5 * BETTER * scale {
            return;
        }
        out.truncate(from);
    }
    let mut edges = None;
    if let Some(best) = best_edges(&first, &second, parted + BETTER * scale, &mut scratch.components) {
        if best.parted > limit {
            return;
        }
        // An edge pair near a face's normal is that face.
        let near = |solid: &Placed, edge: usize, sign: f64| {
            let faces = solid.polytope.edges[edge].faces;
            faces
                .into_iter()
                .find(|f| sign * solid.faces[*f as usize].normal.dot(&best.normal) > 1.0 - 0.5 * NEAR * NEAR)
        };
        match (near(&first, best.edges[0], 1.0), near(&second, best.edges[1], -1.0)) {
            (Some(face), _) => (by_second, reference) = (false, face as usize),
            (None, Some(face)) => (by_second, reference) = (true, face as usize),
            (None, None) => edges = Some(best),
        }
    }
    if let Some(best) = edges {
        if let Some(spot) = edge_edge(&first, &second, best.edges, true) {
            out.push(spot);
            return;
        }
    } else {
        let (of, other) = if by_second { (second, first) } else { (first, second) };
        face_points(of, other, reference, by_second, limit, &mut scratch.polygon, &mut scratch.cut, out);
    }
    let parted = parted.max(edges.map_or(parted, |e| e.parted));
    let least = out[from..].iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
    // The lower bound is attained: nothing else is nearer.
    if parted <= 0.0 && least < f64::INFINITY || least <= parted + 1e-9 * scale {
        return;
    }
    nearest_edges(&first, &second, limit.min(least - 1e-9 * scale), out);
}

/// Whether so many edges would have to be compared with so many that a search along the surface is faster.
pub(crate) fn is_large(a: &Polytope, b: &Polytope) -> bool {
    a.edges.len() * b.edges.len() > LARGE
}

/// The points of two solids whose best normal, from the second to the first, is known already: those of a face if one
/// looks that way. In the first solid's frame.
pub(crate) fn polytopes_along(
    a: &Polytope,
    b: &Polytope,
    a_from_b: &Pose,
    normal: &Vec3,
    limit: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Spot>,
) {
    scratch.place(b, a_from_b);
    let first = Placed { polytope: a, vertices: &a.vertices, faces: &a.faces };
    let second = Placed { polytope: b, vertices: &scratch.vertices, faces: &scratch.faces };
    let flat =
        |faces: &[Face], out_of: &Vec3| faces.iter().position(|f| f.normal.dot(out_of) > 1.0 - 0.5 * NEAR * NEAR);
    let (of, other, face, by_second) = match (flat(first.faces, &-normal), flat(second.faces, normal)) {
        (Some(face), _) => (first, second, face, false),
        (None, Some(face)) => (second, first, face, true),
        (None, None) => return,
    };
    face_points(of, other, face, by_second, limit, &mut scratch.polygon, &mut scratch.cut, out);
}

/// One point again, in the first solid's frame.
pub(crate) fn feature_of_polytopes(
    a: &Polytope,
    b: &Polytope,
    a_from_b: &Pose,
    feature: u64,
    scratch: &mut Scratch,
) -> Option<Spot> {
    scratch.place(b, a_from_b);
    let first = Placed { polytope: a, vertices: &a.vertices, faces: &a.faces };
    let second = Placed { polytope: b, vertices: &scratch.vertices, faces: &scratch.faces };
    let Feature { kind, numbers: [i, j, k] } = Feature::unpack(feature)?;
    let by_second = matches!(kind, Kind::CornerFace | Kind::OwnCornerSecond | Kind::CrossSecond);
    let (of, other) = if by_second { (second, first) } else { (first, second) };
    let point = match kind {
        Kind::FaceCorner | Kind::CornerFace => *other.vertices.get(j)?,
        Kind::OwnCornerFirst | Kind::OwnCornerSecond => {
            let (plane, corner) = (other.faces.get(k)?, of.vertices.get(j)?);
            along(corner, &of.faces.get(i)?.normal, plane)?
        }
        Kind::CrossFirst | Kind::CrossSecond => {
            if j >= of.polytope.edges.len() || k >= other.polytope.edges.len() {
                return None;
            }
            let ([p, q], [x, y]) = (of.ends(j), other.ends(k));
            let out_of = of.faces.get(i)?.normal.cross(&(q - p));
            let [u, v] = [out_of.dot(&(x - p)), out_of.dot(&(y - p))];
            if u == v {
                return None;
            }
            x + (y - x) * (u / (u - v))
        }
        Kind::EdgeEdge | Kind::NearEdges => {
            if i >= a.edges.len() || j >= b.edges.len() {
                return None;
            }
            return if kind == Kind::EdgeEdge {
                edge_edge(&first, &second, [i, j], false)
            } else {
                Some(near_edges(&first, &second, [i, j]))
            };
        }
        _ => return None,
    };
    Some(over_face(of.faces.get(i)?, point, feature, by_second))
}

impl Scratch {
    fn place(&mut self, b: &Polytope, a_from_b: &Pose) {
        let (turn, shift) = (a_from_b.rotation.to_rotation_matrix(), a_from_b.translation.vector);
        self.vertices.clear();
        self.vertices.extend(b.vertices.iter().map(|v| turn * v + shift));
        self.faces.clear();
        self.faces.extend(b.faces.iter().map(|f| {
            let normal = turn * f.normal;
            Face { normal, offset: f.offset + normal.dot(&shift), ..*f }
        }));
    }
}

/// The largest (1), or `None` if a face separates the two by more than `limit`.
fn best_face(of: &Placed, other: &Placed, limit: f64, better: f64) -> Option<(f64, usize)> {
    let mut best = (f64::NEG_INFINITY, 0);
    for (i, face) in of.faces.iter().enumerate() {
        let lowest = other.vertices.iter().fold(f64::INFINITY, |low, v| low.min(face.normal.dot(v)));
        let parted = lowest - face.offset;
        if parted > limit {
            return None;
        }
        if parted > best.0 + better || i == 0 {
            best = (parted, i);
        }
    }
    Some(best)
}

#[derive(Clone, Copy)]
struct EdgeAxis {
    parted: f64,
    edges: [usize; 2],
    /// Out of the first solid.
    normal: Vec3,
}

/// The largest (2) above `least`.
fn best_edges(a: &Placed, b: &Placed, least: f64, components: &mut Vec<f64>) -> Option<EdgeAxis> {
    let mut best: Option<EdgeAxis> = None;
    let mut least = least;
    for (j, edge_b) in b.polytope.edges.iter().enumerate() {
        let [x, y] = b.ends(j);
        let along_b = y - x;
        let [m, n] = edge_b.faces.map(|f| b.faces[f as usize].normal);
        // Every face belongs to several edges, and most edges are ruled out by this product of two components.
        components.clear();
        components.extend(a.faces.iter().map(|f| f.normal.dot(&along_b)));
        for (i, edge_a) in a.polytope.edges.iter().enumerate() {
            // Faces of A on both sides of a plane through B's edge, faces of B on both sides of one through A's, and the
            // arcs on the same side of the sphere (Gregorius, Game Developers Conference 2013).
            let [pb, qb] = edge_a.faces.map(|f| components[f as usize]);
            if pb * qb >= 0.0 {
                continue;
            }
            let [from, to] = a.ends(i);
            let along_a = to - from;
            let [ma, na] = [m.dot(&along_a), n.dot(&along_a)];
            if ma * na >= 0.0 || -ma * qb <= 0.0 {
                continue;
            }
            let cross = along_a.cross(&along_b);
            let squared = cross.norm_squared();
            // Parallel within a few roundings of the normals: the faces give the same axis more accurately.
            if squared <= 1e-16 * along_a.norm_squared() * along_b.norm_squared() {
                continue;
            }
            let [p, q] = edge_a.faces.map(|f| a.faces[f as usize].normal);
            let sign = if cross.dot(&(p + q)) < 0.0 { -1.0 } else { 1.0 };
            let normal = cross * (sign / squared.sqrt());
            let parted = normal.dot(&(x - from));
            if parted > least {
                least = parted;
                best = Some(EdgeAxis { parted, edges: [i, j], normal });
            }
        }
    }
    best
}

/// The nearest points of two lines along edges; `None` if parallel, or with `inside` if they are not on the edges.
fn edge_edge(a: &Placed, b: &Placed, edges: [usize; 2], inside: bool) -> Option<Spot> {
    let ([p, q], [x, y]) = (a.ends(edges[0]), b.ends(edges[1]));
    let (e, g, between) = (q - p, y - x, x - p);
    let cross = e.cross(&g);
    let squared = cross.norm_squared();
    if squared == 0.0 {
        return None;
    }
    let s = between.cross(&g).dot(&cross) / squared;
    let t = between.cross(&e).dot(&cross) / squared;
    let on_edges = (-INSIDE..=1.0 + INSIDE).contains(&s) && (-INSIDE..=1.0 + INSIDE).contains(&t);
    if inside && !on_edges {
        return None;
    }
    let [m, n] = a.polytope.edges[edges[0]].faces.map(|f| a.faces[f as usize].normal);
    let sign = if cross.dot(&(m + n)) < 0.0 { -1.0 } else { 1.0 };
    let out_of_a = cross * (sign / squared.sqrt());
    Some(Spot {
        feature: Feature::pack(Kind::EdgeEdge, [edges[0], edges[1], 0]),
        point_a: p + e * s,
        point_b: x + g * t,
        normal: -out_of_a,
        gap: out_of_a.dot(&between),
    })
}

/// The nearest points of two edges.
fn near_edges(a: &Placed, b: &Placed, edges: [usize; 2]) -> Spot {
    let (ends_a, ends_b) = (a.ends(edges[0]), b.ends(edges[1]));
    let (point_a, point_b) = super::round::nearest_of_segments(&ends_a, &ends_b);
    let between = point_a - point_b;
    let gap = between.norm();
    let [m, n] = a.polytope.edges[edges[0]].faces.map(|f| a.faces[f as usize].normal);
    let normal = if gap > 0.0 { between / gap } else { -(m + n).normalize() };
    let feature = Feature::pack(Kind::NearEdges, [edges[0], edges[1], 0]);
    Spot { feature, point_a, point_b, normal, gap }
}

/// The nearest of all edge pairs, if it is below `limit`.
fn nearest_edges(a: &Placed, b: &Placed, limit: f64, out: &mut Vec<Spot>) {
    let mut best: Option<Spot> = None;
    for i in 0..a.polytope.edges.len() {
        for j in 0..b.polytope.edges.len() {
            let spot = near_edges(a, b, [i, j]);
            // Edges that share the nearest corner are equally near; the first one determines the name.
            if spot.gap < best.map_or(limit, |s| s.gap - 1e-12 * a.polytope.scale) {
                best = Some(spot);
            }
        }
    }
    out.extend(best);
}

/// The corners of the other solid's opposite face, clipped to the prism over a face.
#[allow(clippy::too_many_arguments)]
fn face_points(
    of: Placed,
    other: Placed,
    reference: usize,
    by_second: bool,
    limit: f64,
    polygon: &mut Vec<Cut>,
    cut: &mut Vec<Cut>,
    out: &mut Vec<Spot>,
) {
    let face = of.faces[reference];
    let mut incident = (0, f64::INFINITY);
    for (i, f) in other.faces.iter().enumerate() {
        let against = f.normal.dot(&face.normal);
        // A later face must be more opposite by more than a millionth.
        if against < incident.1 - 1e-6 || i == 0 {
            incident = (i, against);
        }
    }
    polygon.clear();
    for (corner, side) in other.polytope.around(incident.0) {
        let point = other.vertices[corner as usize];
        polygon.push(Cut { point, corner: Name::Own(corner), side: Side::Own(side) });
    }
    let slack = INSIDE * of.polytope.scale.min(other.polytope.scale);
    cut_to_prism(of.polytope, of.vertices, &face, slack, polygon, cut);
    for c in polygon.iter() {
        let (kinds, numbers) = match c.corner {
            Name::Own(v) => ([Kind::FaceCorner, Kind::CornerFace], [reference, v as usize, 0]),
            Name::Reference(v) => {
                ([Kind::OwnCornerFirst, Kind::OwnCornerSecond], [reference, v as usize, incident.0])
            }
            Name::Cross(e, g) => ([Kind::CrossFirst, Kind::CrossSecond], [reference, e as usize, g as usize]),
        };
        let spot = over_face(&face, c.point, Feature::pack(kinds[usize::from(by_second)], numbers), by_second);
        if spot.gap <= limit {
            out.push(spot);
        }
    }
}

/// Clips a polygon to the prism over a face.
pub(super) fn cut_to_prism(
    of: &Polytope,
    vertices: &[Vec3],
    face: &Face,
    slack: f64,
    polygon: &mut Vec<Cut>,
    cut: &mut Vec<Cut>,
) {
    let (count, first) = (face.count as usize, face.first as usize);
    for i in 0..count {
        let corner = of.corners[first + i];
        let next = of.corners[first + (i + 1) % count];
        let [p, q] = [corner, next].map(|v| vertices[v as usize]);
        let outward = (q - p).cross(&face.normal).normalize();
        cut_by(polygon, cut, |x| outward.dot(&(x - p)), slack, of.sides[first + i], &of.edges);
        std::mem::swap(polygon, cut);
        if polygon.is_empty() {
            return;
        }
    }
}

/// Clips a polygon by one side of a prism, given the heights above it (Sutherland and Hodgman, CACM 1974).
fn cut_by(
    polygon: &[Cut],
    out: &mut Vec<Cut>,
    height: impl Fn(&Vec3) -> f64,
    slack: f64,
    edge: u32,
    edges: &[super::polytope::Edge],
) {
    out.clear();
    for (i, here) in polygon.iter().enumerate() {
        let next = &polygon[(i + 1) % polygon.len()];
        let (h, k) = (height(&here.point), height(&next.point));
        let (inside, next_inside) = (h <= slack, k <= slack);
        if inside {
            out.push(*here);
        }
        if inside == next_inside {
            continue;
        }
        let corner = match here.side {
            Side::Own(own) => Name::Cross(edge, own),
            // Two sides of the prism meet in the corner of the reference that both edges share.
            Side::Reference(other) => {
                let [a, b] = edges[edge as usize].ends;
                let shared = edges[other as usize].ends.contains(&a);
                Name::Reference(if shared { a } else { b })
            }
        };
        // When leaving, the next side is the prism's; when entering, it is the rest of the clipped one.
        let side = if inside { Side::Reference(edge) } else { here.side };
        let point = here.point + (next.point - here.point) * (h / (h - k)).clamp(0.0, 1.0);
        out.push(Cut { point, corner, side });
    }
}

/// A point of the other solid over a face.
fn over_face(face: &Face, point: Vec3, feature: u64, by_second: bool) -> Spot {
    let gap = face.normal.dot(&point) - face.offset;
    let spot = Spot { feature, point_a: point - face.normal * gap, point_b: point, normal: -face.normal, gap };
    if by_second { spot.swapped() } else { spot }
}

/// Where the line from a point along a direction meets a plane.
fn along(point: &Vec3, direction: &Vec3, plane: &Face) -> Option<Vec3> {
    let slope = plane.normal.dot(direction);
    (slope != 0.0).then(|| point + direction * ((plane.offset - plane.normal.dot(point)) / slope))
}
