//! Contact points of two solids of which at least one is not convex.
//!
//! A surface of flat parts touches another in corners on parts and in sharp edges that cross. Each of these is a separate
//! contact point:
//!
//! ```text
//! (1)  corner x of one, part (n, d) of the other below or above it:    gap = n·x - d
//! (2)  sharp edges e, g that cross:                                     gap = n·(x_g - x_e),  n = ± e×g / |e×g|
//! (3)  ball (c, r) over a part, an edge or a corner with nearest q:     gap = |c - q| - r, below a part -|c - q| - r
//! ```
//!
//! (1) holds where no edge from the corner goes below the part, (2) where `n` is between the normals on both sides of each
//! edge, (3) where `q` is locally the nearest point. Edges between triangles of one part and concave edges give no contact. A
//! corner inside a solid belongs to the part with the smallest depth; points more than half a thickness deep are not found.
//! Edges that cross deep inside count only if each goes about as deep into the other solid near the crossing: a corner that
//! is slightly inside an adjacent wall has edges that cross far above.

use super::boundary::Boundary;
use super::feature::{Feature, Kind, Spot};
use super::round::nearest_of_segments;
use crate::convex::{from_parry, to_parry};
use crate::point_core::nearest_of_triangle;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::TraversalAction;
use veracity_model::{Pose, Vec3};

/// Sine of the angle below which two faces count as flat on each other.
const NEAR: f64 = 1e-2;
/// Edges that cross deeper than this fraction of the largest detected depth must separate the solids, and each must be this
/// fraction as deep in the other solid.
const DEEP: f64 = 1e-2;
const AS_DEEP: f64 = 0.1;
/// Largest number of points; more are thinned out.
const MOST_POINTS: usize = 24;

/// Appends every point within `limit`, in the first solid's frame.
pub(crate) fn boundary_pair(a: &Boundary, b: &Boundary, a_from_b: &Pose, limit: f64, out: &mut Vec<Spot>) {
    let b_from_a = a_from_b.inverse();
    let depth = a.depth.min(b.depth);
    let from = out.len();
    corners_on(a, b, a_from_b, limit, depth, |part, corner, point| {
        out.push(on_part(a, part, point, Feature::pack(Kind::PatchCorner, [part, corner, 0])));
    });
    let second = out.len();
    corners_on(b, a, &b_from_a, limit, depth, |part, corner, point| {
        out.push(on_part(b, part, point, Feature::pack(Kind::CornerPatch, [part, corner, 0])));
    });
    out[second..].iter_mut().for_each(|s| *s = s.swapped().transformed(a_from_b));
    for j in 0..b.edges.len() {
        let ends = b.ends(j).map(|p| place(a_from_b, &p));
        visit(a, &ends, limit.max(depth), |t| {
            for &i in &a.edges_of[t] {
                if let Some(spot) = sharp_edges(a, b, a_from_b, [i as usize, j], true)
                    && (-depth..=limit).contains(&spot.gap)
                    && (spot.gap >= -DEEP * depth
                        || goes_deep(a, &ends, &spot.point_b, -spot.gap, depth)
                            && goes_deep(
                                b,
                                &a.ends(i as usize).map(|p| place(&b_from_a, &p)),
                                &place(&b_from_a, &spot.point_a),
                                -spot.gap,
                                depth,
                            ))
                {
                    out.push(spot);
                }
            }
        });
    }
    thin_out(out, from);
}

/// Recomputes one point, in the first solid's frame.
pub(crate) fn feature_of_boundaries(a: &Boundary, b: &Boundary, a_from_b: &Pose, feature: u64) -> Option<Spot> {
    let Feature { kind, numbers: [i, j, _] } = Feature::unpack(feature)?;
    match kind {
        Kind::PatchCorner => {
            Some(on_part(a, in_range(i, a.parts.len())?, place(a_from_b, b.vertices.get(j)?), feature))
        }
        Kind::CornerPatch => {
            let point = place(&a_from_b.inverse(), a.vertices.get(j)?);
            Some(on_part(b, in_range(i, b.parts.len())?, point, feature).swapped().transformed(a_from_b))
        }
        Kind::SharpEdges if i < a.edges.len() && j < b.edges.len() => sharp_edges(a, b, a_from_b, [i, j], false),
        _ => None,
    }
}

/// Balls around points, as the ends of a capsule or a ball itself, and the straight part between two, in the surface's
/// frame, round solid first.
pub(crate) fn balls_on(
    balls: &[Vec3],
    radius: f64,
    surface: &Boundary,
    limit: f64,
    visited: &mut Vec<u64>,
    out: &mut Vec<Spot>,
) {
    let from = out.len();
    visited.clear();
    for (end, centre) in balls.iter().enumerate() {
        let first = out.len();
        visit(surface, &[*centre, *centre], radius + limit, |t| {
            if let Some(spot) = ball_on_triangle(centre, radius, end, surface, t)
                && spot.gap <= limit
                && !visited.contains(&spot.feature)
            {
                visited.push(spot.feature);
                out.push(spot);
            }
        });
        // A centre inside belongs to the part with the smallest depth.
        let deepest = out[first..].iter().filter(|s| s.gap < -radius).fold(f64::NEG_INFINITY, |g, s| g.max(s.gap));
        let mut k = first;
        while k < out.len() {
            if out[k].gap < -radius && out[k].gap < deepest {
                out.remove(k);
            } else {
                k += 1;
            }
        }
    }
    if let [p, q] = balls {
        visit(surface, &[*p, *q], radius + limit, |t| {
            for &edge in &surface.edges_of[t] {
                let feature = Feature::pack(Kind::Beside, [edge as usize, 0, 0]);
                out.extend(between(&[*p, *q], radius, surface, feature, true).filter(|s| s.gap <= limit));
            }
            for v in surface.triangles[t] {
                let feature = Feature::pack(Kind::SurfaceBall, [corner_number(surface, v as usize), 2, 0]);
                if !visited.contains(&feature)
                    && let Some(spot) = between(&[*p, *q], radius, surface, feature, true).filter(|s| s.gap <= limit)
                {
                    visited.push(feature);
                    out.push(spot);
                }
            }
        });
    }
    thin_out(out, from);
}

/// Recomputes one of these points.
pub(crate) fn feature_of_balls(balls: &[Vec3], radius: f64, surface: &Boundary, feature: u64) -> Option<Spot> {
    let Feature { kind, numbers: [i, end, _] } = Feature::unpack(feature)?;
    if let ([p, q], true) = (balls, kind == Kind::Beside || end == 2) {
        return between(&[*p, *q], radius, surface, feature, false);
    }
    if kind != Kind::SurfaceBall {
        return None;
    }
    let centre = balls.get(end)?;
    let parts = surface.parts.len();
    if let Some(part) = surface.parts.get(i) {
        let height = part.normal.dot(centre) - part.offset;
        let (point_a, point_b) = (centre - part.normal * radius, centre - part.normal * height);
        return Some(Spot { feature, point_a, point_b, normal: part.normal, gap: height - radius });
    }
    let nearest = if let Some(edge) = surface.edges.get(i - parts) {
        nearest_of_segments(&[*centre, *centre], &edge.ends.map(|v| surface.vertex(v))).1
    } else {
        *surface.vertices.get(i - parts - surface.edges.len())?
    };
    away_from(centre, radius, nearest, feature)
}

/// Points of the surface of a round solid, treated as corners, in the surface's frame, round solid first.
pub(crate) fn points_on(points: &[Vec3], depth: f64, surface: &Boundary, limit: f64, out: &mut Vec<Spot>) {
    for (i, point) in points.iter().enumerate() {
        if let Some((part, _)) = least_below(surface, point, limit, depth) {
            out.push(on_part(surface, part, *point, Feature::pack(Kind::CornerPatch, [part, i, 0])).swapped());
        }
    }
}

/// Whether a point is behind the flat part of a surface that is nearest to it.
pub(crate) fn in_solid(surface: &Boundary, point: &Vec3) -> bool {
    least_below(surface, point, surface.depth, surface.depth).is_some_and(|(_, height)| height < 0.0)
}

fn in_range(i: usize, count: usize) -> Option<usize> {
    (i < count).then_some(i)
}

fn place(pose: &Pose, p: &Vec3) -> Vec3 {
    pose.rotation * p + pose.translation.vector
}

/// Every triangle whose bounding box is within `reach` of the bounding box of two points.
fn visit(surface: &Boundary, around: &[Vec3; 2], reach: f64, mut see: impl FnMut(usize)) {
    let [low, high] = [around[0].inf(&around[1]).add_scalar(-reach), around[0].sup(&around[1]).add_scalar(reach)];
    let query = Aabb { mins: to_parry(&low), maxs: to_parry(&high) };
    surface.surface.tree().traverse(|node| {
        let at = node.aabb();
        let apart = from_parry(at.mins).iter().zip(high.iter()).any(|(x, y)| x > y)
            || from_parry(at.maxs).iter().zip(from_parry(query.mins).iter()).any(|(x, y)| x < y);
        if apart {
            return TraversalAction::Prune;
        }
        if let Some(leaf) = node.leaf_data() {
            see(leaf as usize);
        }
        TraversalAction::Continue
    });
}

/// (1) for every corner of `b` over a part of `a`, in a's frame.
fn corners_on(
    a: &Boundary,
    b: &Boundary,
    a_from_b: &Pose,
    limit: f64,
    depth: f64,
    mut found: impl FnMut(usize, usize, Vec3),
) {
    let root = a.surface.tree().root_aabb();
    let reach = limit.max(depth);
    let (low, high) = (from_parry(root.mins).add_scalar(-reach), from_parry(root.maxs).add_scalar(reach));
    for &v in &b.corners {
        let point = place(a_from_b, &b.vertex(v));
        if point.inf(&low) != low || point.sup(&high) != high {
            continue;
        }
        if let Some((part, _)) = least_below(a, &point, limit, depth) {
            let coming = a_from_b.rotation.inverse_transform_vector(&a.parts[part].normal);
            if b.is_foremost(v, &coming, NEAR) {
                found(part, v as usize, point);
            }
        }
    }
}

/// The flat part whose plane is nearest to a point over or under it, with the height, if that is in range.
fn least_below(a: &Boundary, point: &Vec3, limit: f64, depth: f64) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    let slack = 1e-6 * a.scale;
    visit(a, &[*point, *point], limit.max(depth), |t| {
        let part = a.part_of[t] as usize;
        let Over { height, lateral } = over_triangle(a, t, point);
        let nearer = |h: f64| height.abs() < h.abs() || (height.abs() == h.abs() && height > h);
        if lateral <= slack && best.is_none_or(|(p, h)| nearer(h) && p != part) {
            best = Some((part, height));
        }
    });
    best.filter(|(_, h)| (-depth..=limit).contains(h))
}

/// Height of a point over a triangle's part, and its lateral distance from the triangle.
struct Over {
    height: f64,
    lateral: f64,
}

fn over_triangle(a: &Boundary, t: usize, point: &Vec3) -> Over {
    let part = &a.parts[a.part_of[t] as usize];
    let corners = a.triangles[t].map(|v| a.vertex(v));
    let lateral = (0..3)
        .map(|i| {
            let (p, q) = (corners[i], corners[(i + 1) % 3]);
            (q - p).cross(&part.normal).normalize().dot(&(point - p))
        })
        .fold(f64::NEG_INFINITY, f64::max);
    Over { height: part.normal.dot(point) - part.offset, lateral }
}

/// A point of the second solid over a part of the first.
pub(crate) fn on_part(a: &Boundary, part: usize, point: Vec3, feature: u64) -> Spot {
    let part = &a.parts[part];
    let gap = part.normal.dot(&point) - part.offset;
    Spot { feature, point_a: point - part.normal * gap, point_b: point, normal: -part.normal, gap }
}

/// (2), in the first solid's frame.
fn sharp_edges(a: &Boundary, b: &Boundary, a_from_b: &Pose, edges: [usize; 2], checked: bool) -> Option<Spot> {
    let (first, second) = (&a.edges[edges[0]], &b.edges[edges[1]]);
    let [p, q] = a.ends(edges[0]);
    let [x, y] = b.ends(edges[1]).map(|v| place(a_from_b, &v));
    let (e, g, between) = (q - p, y - x, x - p);
    let cross = e.cross(&g);
    let squared = cross.norm_squared();
    let lengths = e.norm_squared() * g.norm_squared();
    if squared <= 1e-8 * lengths && checked || squared == 0.0 {
        return None;
    }
    let sign = if cross.dot(&(first.normals[0] + first.normals[1])) < 0.0 { -1.0 } else { 1.0 };
    let normal = cross * (sign / squared.sqrt());
    let s = between.cross(&g).dot(&cross) / squared;
    let t = between.cross(&e).dot(&cross) / squared;
    if checked {
        let turned = second.normals.map(|n| a_from_b.rotation * n);
        let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
        if !inside || !lies_between(&normal, &first.normals, &e) || !lies_between(&-normal, &turned, &g) {
            return None;
        }
    }
    Some(Spot {
        feature: Feature::pack(Kind::SharpEdges, [edges[0], edges[1], 0]),
        point_a: p + e * s,
        point_b: x + g * t,
        normal: -normal,
        gap: normal.dot(&between),
    })
}

/// Whether an edge is about as deep in a solid as given, at a crossing or at that distance from it.
fn goes_deep(solid: &Boundary, ends: &[Vec3; 2], at: &Vec3, deep: f64, depth: f64) -> bool {
    let (before, after) = (ends[0] - at, ends[1] - at);
    let lateral = |way: Vec3| at + way * (deep / way.norm().max(deep));
    [*at, lateral(before), lateral(after)]
        .iter()
        .any(|point| least_below(solid, point, 0.0, depth).is_some_and(|(_, height)| height <= -AS_DEEP * deep))
}

/// Whether a normal is between those on both sides of an edge, within a tolerance.
fn lies_between(n: &Vec3, [m, k]: &[Vec3; 2], edge: &Vec3) -> bool {
    let slack = -NEAR * edge.norm();
    m.cross(n).dot(edge) >= slack && n.cross(k).dot(edge) >= slack && n.dot(&(m + k)) > 0.0
}

fn corner_number(surface: &Boundary, v: usize) -> usize {
    surface.parts.len() + surface.edges.len() + v
}

/// (3) for one triangle.
fn ball_on_triangle(centre: &Vec3, radius: f64, end: usize, surface: &Boundary, t: usize) -> Option<Spot> {
    let corners = surface.triangles[t];
    let places = corners.map(|v| surface.vertex(v));
    let part = surface.part_of[t] as usize;
    let Over { height, lateral } = over_triangle(surface, t, centre);
    let name = |number: usize| Feature::pack(Kind::SurfaceBall, [number, end, 0]);
    if lateral <= 1e-9 * surface.scale {
        let normal = surface.parts[part].normal;
        let (point_a, point_b) = (centre - normal * radius, centre - normal * height);
        let spot = Spot { feature: name(part), point_a, point_b, normal, gap: height - radius };
        return (height > -radius).then_some(spot);
    }
    let nearest = nearest_of_triangle(&places, centre);
    let away = centre - nearest;
    // Locally nearest: no neighbouring part of the surface is closer to the centre.
    if let Some(i) = (0..3).find(|i| places[*i] == nearest) {
        let v = corners[i];
        return surface
            .is_foremost(v, &-away.try_normalize(0.0)?, 1e-9)
            .then(|| away_from(centre, radius, nearest, name(corner_number(surface, v as usize))))?;
    }
    let edge = surface.edges_of[t].iter().map(|e| *e as usize).find(|e| {
        let [p, q] = surface.ends(*e);
        (q - p).cross(&(nearest - p)).norm() <= 1e-9 * (q - p).norm() * surface.scale
    })?;
    let hollow = surface.edges[edge].apexes.iter().any(|v| {
        let along = surface.vertex(*v) - nearest;
        away.dot(&along) > 1e-9 * away.norm() * along.norm()
    });
    if hollow { None } else { away_from(centre, radius, nearest, name(surface.parts.len() + edge)) }
}

/// The straight part of a capsule at a sharp edge or a corner.
fn between(ends: &[Vec3; 2], radius: f64, surface: &Boundary, feature: u64, checked: bool) -> Option<Spot> {
    let Feature { kind, numbers: [i, ..] } = Feature::unpack(feature)?;
    let along = ends[1] - ends[0];
    let (on_segment, nearest) = if kind == Kind::Beside {
        let edge = surface.edges.get(i)?;
        let places = edge.ends.map(|v| surface.vertex(v));
        let (on, near) = nearest_of_segments(ends, &places);
        let hollow =
            |v: &u32| (on - near).dot(&(surface.vertex(*v) - near)) > 1e-9 * surface.scale * (on - near).norm();
        if checked && (places.contains(&near) || edge.apexes.iter().any(hollow)) {
            return None;
        }
        (on, near)
    } else {
        let v = i.checked_sub(corner_number(surface, 0))?;
        let near = *surface.vertices.get(v)?;
        let (on, _) = nearest_of_segments(ends, &[near, near]);
        if checked && !surface.is_foremost(v as u32, &-(on - near).try_normalize(0.0)?, 1e-9) {
            return None;
        }
        (on, near)
    };
    // At the ends, the end balls already give the point.
    let share = (on_segment - ends[0]).dot(&along);
    if checked && (share <= 0.0 || share >= along.norm_squared()) {
        return None;
    }
    away_from(&on_segment, radius, nearest, feature)
}

fn away_from(centre: &Vec3, radius: f64, nearest: Vec3, feature: u64) -> Option<Spot> {
    let away = centre - nearest;
    let distance = away.norm();
    let normal = away.try_normalize(0.0)?;
    Some(Spot { feature, point_a: centre - normal * radius, point_b: nearest, normal, gap: distance - radius })
}

/// Keeps at most [`MOST_POINTS`]: the deepest, then repeatedly the one farthest from those kept.
pub(crate) fn thin_out(out: &mut Vec<Spot>, from: usize) {
    if out.len() - from <= MOST_POINTS {
        return;
    }
    let spots = &mut out[from..];
    for kept in 0..MOST_POINTS {
        let mut best = (kept, f64::NEG_INFINITY);
        for i in kept..spots.len() {
            let far = if kept == 0 {
                -spots[i].gap
            } else {
                spots[..kept].iter().fold(f64::INFINITY, |d, s| d.min((s.point_b - spots[i].point_b).norm_squared()))
            };
            if far > best.1 {
                best = (i, far);
            }
        }
        spots.swap(kept, best.0);
    }
    out.truncate(from + MOST_POINTS);
    out[from..].sort_unstable_by_key(|s| s.feature);
}
