//! Cylinders, discs and ellipsoids against solids with flat faces and against each other.
//!
//! For a unit vector `n` out of a solid with flat faces, the separation of a round solid `K` from it is at least
//!
//! ```text
//! (1)  p(n) = min { n·x : x in K } - max { n·v : v a corner },
//! ```
//!
//! never more than their distance. Where the best `n` is that of a face and the lowest points of `K` over it are in its
//! prism, (1) is the distance, exact and in closed form. The points are then those of a plane (see `against_plane`), clipped
//! to the prism: a cylinder's end rests on eight points of its rim, its side on both ends of a line. All other cases, corners
//! and edges against round sides, give the nearest point only, by the search of `convex_pair`; solids end on end, or side by
//! side, also have the points of their outline.

use super::feature::{Feature, Kind, Spot};
use super::form::{Form, Ready};
use super::polytope::{EIGHTHS, Polytope};
use super::polytope_pair::{Cut, Name, Scratch, Side, cut_to_prism};
use super::round::{ball_ball, common_length, end_beside};
use super::segment_polytope::{feature_of_segment, over_face};
use crate::convex::{Convex, PlacedCore};
use crate::convex_pair::{gap_along, shallow_gap};
use crate::gap::{Gap, collider_gap_within};
use std::ops::Range;
use veracity_model::{Pose, Vec3};

/// Sine of the angle below which an end counts as flat on a face, or a side as parallel to it.
const NEAR: f64 = 1e-2;
/// Depth, relative to the size, up to which the face with the smallest depth is used without trying others.
const SHALLOW: f64 = 1e-2;

/// The number of the lowest point of a round solid over a face, after those of the points fixed on its rims.
pub(super) const LOWEST: usize = 31;

/// A round solid and one with flat faces, in the frame of the latter, round one first. Returns whether the answer is complete;
/// if not, the nearest point must be added.
pub(crate) fn round_over_faces(
    round: &Ready,
    solid: &Polytope,
    faces: Range<usize>,
    solid_from_round: &Pose,
    limit: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Spot>,
) -> bool {
    let Some(convex) = round.collider.convex() else { return false };
    let core = PlacedCore { core: &convex.core, pose: solid_from_round };
    let lowest = |n: &Vec3| core.support(&-n) - n * convex.radius;
    let mut best = (f64::NEG_INFINITY, 0);
    for f in faces {
        let face = &solid.faces[f];
        let parted = face.normal.dot(&lowest(&face.normal)) - face.offset;
        if parted > limit {
            return true;
        }
        if parted > best.0 + 1e-9 * solid.scale {
            best = (parted, f);
        }
    }
    let (parted, face) = best;
    let from = out.len();
    let outline = outline_over(&round.form, solid, face, solid_from_round);
    match outline {
        Outline::Point => {}
        Outline::Segment(ends) => over_face(&ends, 0.0, solid, face, limit, out),
        Outline::End(end) => end_over(&round.form, solid, face, solid_from_round, end, limit, scratch, out),
    }
    let least = out[from..].iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
    if least > parted + 1e-9 * solid.scale {
        let point = lowest(&solid.faces[face].normal);
        if in_prism(solid, face, &point) && parted <= limit {
            out.push(over(solid, face, &point, Feature::pack(Kind::FaceRound, [face, LOWEST, 0])));
        } else {
            return false;
        }
    }
    parted > -SHALLOW * solid.scale
}

/// Recomputes one point, in the frame of the solid with flat faces, round one first.
pub(crate) fn feature_of_round(
    round: &Ready,
    solid: &Polytope,
    solid_from_round: &Pose,
    feature: u64,
) -> Option<Spot> {
    let (round, convex) = (&round.form, round.collider.convex()?);
    let Feature { kind, numbers: [i, j, k] } = Feature::unpack(feature)?;
    let point = |p: &Vec3| solid_from_round.rotation * p + solid_from_round.translation.vector;
    let rim = |j: usize| Some(point(&rim_point(round, j)));
    match kind {
        Kind::FaceEnd | Kind::FaceSide => {
            let ends = generatrix(round, solid, i.min(solid.faces.len() - 1), solid_from_round)?;
            feature_of_segment(&ends, 0.0, solid, feature)
        }
        Kind::FaceRound if j == LOWEST => {
            let normal = solid.faces.get(i)?.normal;
            let core = PlacedCore { core: &convex.core, pose: solid_from_round };
            Some(over(solid, i, &(core.support(&-normal) - normal * convex.radius), feature))
        }
        Kind::FaceRound => Some(over(solid, in_range(i, solid)?, &rim(j)?, feature)),
        Kind::FaceUnder => {
            let normal = solid.faces.get(i)?.normal;
            let axis = solid_from_round.rotation * Vec3::z();
            let corner = solid.vertices.get(j)?;
            let slope = axis.dot(&normal);
            let above = axis.dot(&(rim(8 * k)? - corner)) / slope;
            (slope != 0.0).then(|| over(solid, i, &(corner + normal * above), feature))
        }
        Kind::FaceOutline => {
            let side = solid.edges.get(i)?.ends.map(|v| solid.vertices[v as usize]);
            let outward = (side[1] - side[0]).cross(&solid.faces.get(k)?.normal);
            let (x, y) = (rim(j)?, rim(j / 8 * 8 + (j + 1) % 8)?);
            let [u, v] = [x, y].map(|x| outward.dot(&(x - side[0])));
            (u != v).then(|| over(solid, k, &(x + (y - x) * (u / (u - v))), feature))
        }
        _ => None,
    }
}

/// Two round solids of which both have straight sides, side along side, in the world. Appended.
pub(crate) fn side_by_side(a: &Form, b: &Form, poses: &[Pose; 2], normal: &Vec3, limit: f64, out: &mut Vec<Spot>) {
    let (Some((half_a, radius_a)), Some((half_b, radius_b))) = (straight(a), straight(b)) else { return };
    let along = [0, 1].map(|i| poses[i].rotation * Vec3::z());
    if along.iter().any(|u| u.dot(normal).abs() > NEAR) {
        return;
    }
    let ends = [half_a, half_b];
    let [first, second] = [0, 1].map(|i| [-1.0, 1.0].map(|s| poses[i].translation.vector + along[i] * (s * ends[i])));
    for which in common_length(&first, &second).into_iter().flatten() {
        let (p, q) = end_beside(&first, &second, which);
        let feature = Feature::pack(Kind::Alongside, [0, which, 0]);
        out.extend(ball_ball(p, radius_a, q, radius_b, limit).map(|s| Spot { feature, ..s }));
    }
}

/// The nearest points of two shapes by the search for a gap, in the world.
pub(crate) fn nearest(a: &Ready, b: &Ready, poses: &[Pose; 2], limit: f64) -> Option<Spot> {
    let found = match (a.collider.convex(), b.collider.convex()) {
        (Some(first), Some(second)) => {
            let between = poses[0].inv_mul(&poses[1]);
            if limit < f64::INFINITY && gap_along(first, second, &between, &-between.translation.vector) > limit {
                return None;
            }
            let gap = shallow_gap(first, second, &between);
            Some(gap).filter(|g| g.distance <= limit)?.transformed(&poses[0])
        }
        (Some(first), None) => {
            let surface = b.boundary().map(|s| &s.surface)?;
            let b_from_a = poses[1].inv_mul(&poses[0]);
            // With its centre inside, triangles alone do not determine the separating direction.
            let middle = b_from_a * nalgebra::Point3::from(a.middle);
            if surface.contains(&middle.coords) {
                return deep(a, b, poses);
            }
            surface.nearest_shallow(first, &b_from_a, limit)?.transformed(&poses[1]).swapped()
        }
        _ => collider_gap_within(&a.collider, &poses[0], &b.collider, &poses[1], limit).ok()??,
    };
    Some(spot_of(&found))
}

/// Two overlapping shapes of any depth, by the full search for a gap, in the world.
pub(crate) fn deep(a: &Ready, b: &Ready, poses: &[Pose; 2]) -> Option<Spot> {
    let found = collider_gap_within(&a.collider, &poses[0], &b.collider, &poses[1], 0.0).ok()??;
    Some(spot_of(&found))
}

fn spot_of(found: &Gap) -> Spot {
    Spot {
        feature: Feature::NEAREST,
        point_a: found.point_a,
        point_b: found.point_b,
        normal: found.normal,
        gap: found.distance,
    }
}

/// The part of a round solid that is flat over a face.
enum Outline {
    Point,
    Segment([Vec3; 2]),
    /// The lower (0) or upper (1) end.
    End(usize),
}

fn outline_over(round: &Form, solid: &Polytope, face: usize, solid_from_round: &Pose) -> Outline {
    let lean = (solid_from_round.rotation * Vec3::z()).dot(&solid.faces[face].normal);
    let flat = 1.0 - 0.5 * NEAR * NEAR;
    match round {
        Form::Cylinder { .. } | Form::Disc { .. } if lean.abs() > flat => Outline::End(usize::from(lean < 0.0)),
        Form::Cylinder { .. } if lean.abs() < NEAR => {
            generatrix(round, solid, face, solid_from_round).map_or(Outline::Point, Outline::Segment)
        }
        _ => Outline::Point,
    }
}

fn straight(form: &Form) -> Option<(f64, f64)> {
    match form {
        Form::Cylinder { radius, half, .. } | Form::Capsule { radius, half } => Some((*half, *radius)),
        _ => None,
    }
}

/// The line of a cylinder's side nearest to a face.
fn generatrix(round: &Form, solid: &Polytope, face: usize, solid_from_round: &Pose) -> Option<[Vec3; 2]> {
    let Form::Cylinder { radius, half, .. } = round else { return None };
    let down = solid_from_round.rotation.inverse_transform_vector(&-solid.faces.get(face)?.normal);
    let across = libm::hypot(down.x, down.y);
    if across == 0.0 {
        return None;
    }
    let ends = [-half, *half].map(|z| Vec3::new(radius * down.x / across, radius * down.y / across, z));
    Some(ends.map(|p| solid_from_round.rotation * p + solid_from_round.translation.vector))
}

/// Point `8 end + k` of the rims, in the round solid's frame.
pub(super) fn rim_point(round: &Form, number: usize) -> Vec3 {
    let [x, y] = EIGHTHS[number % 8];
    match round {
        Form::Cylinder { radius, half, .. } => {
            Vec3::new(radius * x, radius * y, if number < 8 { -half } else { *half })
        }
        Form::Disc { radius, .. } => Vec3::new(radius * x, radius * y, 0.0),
        _ => Vec3::repeat(f64::NAN),
    }
}

/// The outline of an end, clipped to the prism over a face.
#[allow(clippy::too_many_arguments)]
fn end_over(
    round: &Form,
    solid: &Polytope,
    face: usize,
    solid_from_round: &Pose,
    end: usize,
    limit: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Spot>,
) {
    let Scratch { polygon, cut, .. } = scratch;
    polygon.clear();
    for k in 0..8 {
        let number = 8 * end + k;
        let point = solid_from_round.rotation * rim_point(round, number) + solid_from_round.translation.vector;
        let number = number as u32;
        polygon.push(Cut { point, corner: Name::Own(number), side: Side::Own(number) });
    }
    cut_to_prism(solid, &solid.vertices, &solid.faces[face], 1e-6 * solid.scale, polygon, cut);
    for c in polygon.iter() {
        let feature = match c.corner {
            Name::Own(number) => Feature::pack(Kind::FaceRound, [face, number as usize, 0]),
            Name::Reference(corner) => Feature::pack(Kind::FaceUnder, [face, corner as usize, end]),
            Name::Cross(edge, side) => Feature::pack(Kind::FaceOutline, [edge as usize, side as usize, face]),
        };
        let spot = over(solid, face, &c.point, feature);
        if spot.gap <= limit {
            out.push(spot);
        }
    }
}

fn in_range(face: usize, solid: &Polytope) -> Option<usize> {
    (face < solid.faces.len()).then_some(face)
}

/// A point of the round solid over a face.
fn over(solid: &Polytope, face: usize, point: &Vec3, feature: u64) -> Spot {
    let face = &solid.faces[face];
    let gap = face.normal.dot(point) - face.offset;
    Spot { feature, point_a: *point, point_b: point - face.normal * gap, normal: face.normal, gap }
}

fn in_prism(solid: &Polytope, face: usize, point: &Vec3) -> bool {
    let normal = solid.faces[face].normal;
    let count = solid.faces[face].count as usize;
    let first = solid.faces[face].first as usize;
    (0..count).all(|i| {
        let [p, q] = [i, (i + 1) % count].map(|k| solid.vertices[solid.corners[first + k] as usize]);
        (q - p).cross(&normal).dot(&(point - p)) <= 0.0
    })
}

impl crate::collider::Collider {
    pub(super) fn convex(&self) -> Option<&Convex> {
        match &self.solid {
            crate::collider::Solid::Convex(convex) => Some(convex),
            _ => None,
        }
    }
}
