//! A capsule against a convex solid with flat faces.
//!
//! With `d` the distance along a face's normal, a capsule of radius `r` over a face has its contact points at the ends of
//! the part of its segment that lies in the prism over the face,
//!
//! ```text
//! (1)  gap = d(x) - r,
//! ```
//!
//! which is a capsule lying on a box, or over its edge. Where no face is nearest, it is the nearest points of the segment
//! and an edge, or both ends of the length they have in common if they run side by side. A segment that is inside is
//! separated along the best of all faces and of the common normals of it and an edge.

use super::feature::{Feature, Kind, Spot};
use super::polytope::Polytope;
use super::round::{ball_ball, common_length, end_beside, nearest_of_segments};
use veracity_model::Vec3;

/// Angle below which a normal counts as a face's [rad].
const NEAR: f64 = 1e-2;

/// Appends every point within `limit`, in the solid's frame, capsule first.
pub(crate) fn segment_polytope(ends: &[Vec3; 2], radius: f64, solid: &Polytope, limit: f64, out: &mut Vec<Spot>) {
    let reach = limit + radius;
    let scale = solid.scale;
    let [p, q] = ends;
    let mut best = (f64::NEG_INFINITY, 0);
    for (i, face) in solid.faces.iter().enumerate() {
        let parted = face.normal.dot(p).min(face.normal.dot(q)) - face.offset;
        if parted > reach {
            return;
        }
        if parted > best.0 + 1e-9 * scale || i == 0 {
            best = (parted, i);
        }
    }
    let (parted, face) = best;
    let from = out.len();
    over_face(ends, radius, solid, face, limit, out);
    let least = out[from..].iter().fold(f64::INFINITY, |g, s| g.min(s.gap)) + radius;
    // The bound of the best face is attained: it is the nearest part.
    if parted >= 0.0 && least <= parted + 1e-9 * scale {
        return;
    }
    if parted < 0.0 && inside(ends, radius, solid, parted, least, limit, out, from) {
        return;
    }
    let mut near: Option<(f64, usize)> = None;
    for edge in 0..solid.edges.len() {
        let (x, y) = nearest_of_segments(ends, &edge_ends(solid, edge));
        let distance = (x - y).norm();
        if distance < near.map_or(reach.min(least), |n| n.0 - 1e-12 * scale) {
            near = Some((distance, edge));
        }
    }
    let Some((_, edge)) = near else { return };
    let Some(spot) = nearest_on_edge(ends, radius, solid, edge) else { return };
    let faces = solid.edges[edge].faces.map(|f| f as usize);
    let flat = faces.into_iter().find(|f| solid.faces[*f].normal.dot(&spot.normal) > 1.0 - 0.5 * NEAR * NEAR);
    out.truncate(from);
    if let Some(face) = flat {
        over_face(ends, radius, solid, face, limit, out);
        let least = out[from..].iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
        if least <= spot.gap + 1e-9 * scale {
            return;
        }
    } else {
        for which in common_length(ends, &edge_ends(solid, edge)).into_iter().flatten() {
            out.extend(alongside(ends, radius, solid, edge, which).filter(|s| s.gap <= limit));
        }
    }
    let least = out[from..].iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
    if spot.gap <= limit && spot.gap < least - 1e-9 * scale {
        out.push(spot);
    }
}

/// Recomputes one point, in the solid's frame, capsule first.
pub(crate) fn feature_of_segment(ends: &[Vec3; 2], radius: f64, solid: &Polytope, feature: u64) -> Option<Spot> {
    let Feature { kind, numbers: [i, j, _] } = Feature::unpack(feature)?;
    match kind {
        Kind::FaceEnd => over(solid, i, ends.get(j)?, radius, feature),
        Kind::FaceSide => {
            let side = solid.edges.get(j)?.ends.map(|v| solid.vertices[v as usize]);
            let outward = (side[1] - side[0]).cross(&solid.faces.get(i)?.normal);
            let [u, v] = ends.map(|x| outward.dot(&(x - side[0])));
            if u == v {
                return None;
            }
            over(solid, i, &(ends[0] + (ends[1] - ends[0]) * (u / (u - v))), radius, feature)
        }
        Kind::Beside if i < solid.edges.len() => nearest_on_edge(ends, radius, solid, i),
        Kind::Alongside if i < solid.edges.len() => alongside(ends, radius, solid, i, j),
        Kind::EdgeEdge if j < solid.edges.len() => across(ends, radius, solid, j).map(|s| s.0),
        _ => None,
    }
}

fn edge_ends(solid: &Polytope, edge: usize) -> [Vec3; 2] {
    solid.edges[edge].ends.map(|v| solid.vertices[v as usize])
}

/// (1)
fn over(solid: &Polytope, face: usize, x: &Vec3, radius: f64, feature: u64) -> Option<Spot> {
    let face = solid.faces.get(face)?;
    let distance = face.normal.dot(x) - face.offset;
    Some(Spot {
        feature,
        point_a: x - face.normal * radius,
        point_b: x - face.normal * distance,
        normal: face.normal,
        gap: distance - radius,
    })
}

/// (1) at both ends of what the prism over a face leaves of the segment.
pub(super) fn over_face(
    ends: &[Vec3; 2],
    radius: f64,
    solid: &Polytope,
    face: usize,
    limit: f64,
    out: &mut Vec<Spot>,
) {
    let slack = 1e-6 * solid.scale;
    let normal = solid.faces[face].normal;
    let along = ends[1] - ends[0];
    // The fraction of the segment inside, and the edge that bounds it.
    let (mut low, mut high) = ((0.0, None), (1.0, None));
    for (corner, edge) in solid.around(face) {
        let [x, y] = edge_ends(solid, edge as usize);
        // An edge has the direction of its first face.
        let sense = if solid.edges[edge as usize].faces[0] as usize == face { 1.0 } else { -1.0 };
        let outward = ((y - x) * sense).cross(&normal).normalize();
        let from = solid.vertices[corner as usize];
        let [u, v] = ends.map(|e| outward.dot(&(e - from)));
        match (u <= slack, v <= slack) {
            (true, true) => {}
            (false, false) => return,
            (true, false) if u / (u - v) < high.0 => high = (u / (u - v), Some(edge)),
            (false, true) if u / (u - v) > low.0 => low = (u / (u - v), Some(edge)),
            _ => {}
        }
    }
    if low.0 > high.0 {
        return;
    }
    for (i, (share, edge)) in [low, high].into_iter().enumerate() {
        let feature = match edge {
            None => Feature::pack(Kind::FaceEnd, [face, i, 0]),
            Some(edge) => Feature::pack(Kind::FaceSide, [face, edge as usize, 0]),
        };
        let x = if edge.is_none() { ends[i] } else { ends[0] + along * share };
        out.extend(over(solid, face, &x, radius, feature).filter(|s| s.gap <= limit));
    }
}

/// The nearest points of the segment and an edge.
fn nearest_on_edge(ends: &[Vec3; 2], radius: f64, solid: &Polytope, edge: usize) -> Option<Spot> {
    let (x, y) = nearest_of_segments(ends, &edge_ends(solid, edge));
    Some(Spot { feature: Feature::pack(Kind::Beside, [edge, 0, 0]), ..ball_ball(x, radius, y, 0.0, f64::INFINITY)? })
}

fn alongside(ends: &[Vec3; 2], radius: f64, solid: &Polytope, edge: usize, which: usize) -> Option<Spot> {
    let (x, y) = end_beside(ends, &edge_ends(solid, edge), which);
    let feature = Feature::pack(Kind::Alongside, [edge, which, 0]);
    Some(Spot { feature, ..ball_ball(x, radius, y, 0.0, f64::INFINITY)? })
}

/// Along the normal common to the segment and an edge: the point, and how far all of the solid is parted along it.
fn across(ends: &[Vec3; 2], radius: f64, solid: &Polytope, edge: usize) -> Option<(Spot, f64)> {
    let [x, y] = edge_ends(solid, edge);
    let (d, e, between) = (ends[1] - ends[0], y - x, ends[0] - x);
    let cross = d.cross(&e);
    let squared = cross.norm_squared();
    if squared <= 1e-16 * d.norm_squared() * e.norm_squared() {
        return None;
    }
    let out_of = solid.edges[edge].faces.iter().map(|f| solid.faces[*f as usize].normal).sum::<Vec3>();
    let normal = cross * (if cross.dot(&out_of) < 0.0 { -1.0 } else { 1.0 } / squared.sqrt());
    let top = solid.vertices.iter().fold(f64::NEG_INFINITY, |t, v| t.max(normal.dot(v)));
    let s = (-between).cross(&e).dot(&cross) / squared;
    let t = (-between).cross(&d).dot(&cross) / squared;
    let gap = normal.dot(&between) - radius;
    let feature = Feature::pack(Kind::EdgeEdge, [0, edge, 0]);
    let (point_a, point_b) = (ends[0] + d * s - normal * radius, x + e * t);
    Some((Spot { feature, point_a, point_b, normal, gap }, normal.dot(&ends[0]) - top))
}

/// The segment may be inside: if an edge parts the two better than the best face, that is the point. Whether the answer
/// is complete.
#[allow(clippy::too_many_arguments)]
fn inside(
    ends: &[Vec3; 2],
    radius: f64,
    solid: &Polytope,
    parted: f64,
    least: f64,
    limit: f64,
    out: &mut Vec<Spot>,
    from: usize,
) -> bool {
    let mut best: Option<(f64, Spot)> = None;
    for edge in 0..solid.edges.len() {
        // Another edge along the same direction has the same normal; the foremost one is used.
        if let Some((spot, apart)) = across(ends, radius, solid, edge)
            && spot.gap + radius <= apart + 1e-9 * solid.scale
            && apart > best.map_or(parted, |b| b.0) + 1e-9 * solid.scale
        {
            best = Some((apart, spot));
        }
    }
    match best {
        // Separated after all: the nearest points are needed.
        Some((apart, _)) if apart > 0.0 => false,
        Some((_, spot)) => {
            out.truncate(from);
            out.extend(Some(spot).filter(|s| s.gap <= limit));
            true
        }
        None => least < f64::INFINITY,
    }
}
