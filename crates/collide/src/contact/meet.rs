//! Selects the closed form or the search that finds the contact points of two shapes. All results are in the world.

use super::against_plane::{feature_over_plane, over_plane};
use super::boundary_pair::{
    balls_on, boundary_pair, feature_of_balls, feature_of_boundaries, on_part, points_on, thin_out,
};
use super::curved::{deep, feature_of_round, nearest, rim_point, round_over_faces, side_by_side};
use super::feature::{Feature, Kind, Spot};
use super::form::{Form, Ready};
use super::polytope::Polytope;
use super::polytope_pair::{Scratch, feature_of_polytopes, is_large, polytope_pair, polytopes_along};
use super::round::{ball_ball, ball_core, capsules, feature_of_capsules};
use super::segment_polytope::{feature_of_segment, segment_polytope};
use veracity_model::Pose;

/// The nearest point is added to those of a face if it is lower by more than this, relative to the size.
const LOWER: f64 = 1e-9;

/// Every point of two shapes within `limit`; `out` must be empty.
pub(crate) fn meet(a: &Ready, b: &Ready, poses: &[Pose; 2], limit: f64, scratch: &mut Scratch, out: &mut Vec<Spot>) {
    let [pa, pb] = poses;
    if let (Form::Sphere { radius }, Form::Sphere { radius: second }) = (&a.form, &b.form) {
        out.extend(ball_ball(pa.translation.vector, *radius, pb.translation.vector, *second, limit));
    } else if b.is_plane() {
        over_plane(&a.form, &pb.inv_mul(pa), limit, out);
        out.iter_mut().for_each(|s| *s = s.transformed(pb));
        thin_out(out, 0);
    } else if a.is_plane() {
        over_plane(&b.form, &pa.inv_mul(pb), limit, out);
        out.iter_mut().for_each(|s| *s = s.swapped().transformed(pa));
        thin_out(out, 0);
    } else if let (Some(first), Some(second)) = (a.polytope(), b.polytope()) {
        if is_large(first, second) {
            let Some(found) = nearest(a, b, poses, limit) else { return };
            let normal = pa.rotation.inverse_transform_vector(&found.normal);
            polytopes_along(first, second, &pa.inv_mul(pb), &normal, limit, scratch, out);
            out.iter_mut().for_each(|s| *s = s.transformed(pa));
            with_nearest(Some(found), first.scale.max(second.scale), out);
        } else {
            polytope_pair(first, second, &pa.inv_mul(pb), limit, scratch, out);
            out.iter_mut().for_each(|s| *s = s.transformed(pa));
        }
        thin_out(out, 0);
    } else if let (Some((first, radius)), Some((second, other))) = (a.segment(pa), b.segment(pb)) {
        capsules(&first, radius, &second, other, limit, out);
    } else if rank(&a.form) <= rank(&b.form) {
        round_first(a, b, poses, limit, scratch, out);
    } else {
        round_first(b, a, &[*pb, *pa], limit, scratch, out);
        out.iter_mut().for_each(|s| *s = s.swapped());
    }
}

/// The point of this name.
pub(crate) fn again(a: &Ready, b: &Ready, poses: &[Pose; 2], feature: u64, scratch: &mut Scratch) -> Option<Spot> {
    let [pa, pb] = poses;
    if b.is_plane() {
        Some(feature_over_plane(&a.form, &pb.inv_mul(pa), feature)?.transformed(pb))
    } else if a.is_plane() {
        Some(feature_over_plane(&b.form, &pa.inv_mul(pb), feature)?.swapped().transformed(pa))
    } else if let (Some(first), Some(second)) = (a.polytope(), b.polytope()) {
        if feature == Feature::NEAREST {
            return nearest(a, b, poses, f64::INFINITY);
        }
        Some(feature_of_polytopes(first, second, &pa.inv_mul(pb), feature, scratch)?.transformed(pa))
    } else if let (Some((first, radius)), Some((second, other))) = (a.segment(pa), b.segment(pb)) {
        if feature == Feature::NEAREST {
            return ball_ball(pa.translation.vector, radius, pb.translation.vector, other, f64::INFINITY);
        }
        feature_of_capsules(&first, radius, &second, other, feature)
    } else if rank(&a.form) <= rank(&b.form) {
        round_again(a, b, poses, feature, scratch)
    } else {
        round_again(b, a, &[*pb, *pa], feature, scratch).map(Spot::swapped)
    }
}

/// Balls and capsules first, other round solids next, then those with faces, meshes last.
pub(super) fn rank(form: &Form) -> u8 {
    match form {
        Form::Sphere { .. } => 0,
        Form::Capsule { .. } => 1,
        Form::Cylinder { .. } | Form::Disc { .. } | Form::Ellipsoid { .. } | Form::Flat { .. } => 2,
        Form::Box(_) | Form::Polytope(_) => 3,
        Form::Mesh { .. } => 4,
        Form::Plane => 5,
    }
}

/// Pairs that are neither of planes, nor of two solids with faces, nor of two balls or capsules; `a` is not after `b` in rank.
fn round_first(a: &Ready, b: &Ready, poses: &[Pose; 2], limit: f64, scratch: &mut Scratch, out: &mut Vec<Spot>) {
    let b_from_a = poses[1].inv_mul(&poses[0]);
    if b.is_mesh() {
        on_mesh(a, b, poses, limit, scratch, out);
    } else if let Some((ends, radius)) = a.segment(&b_from_a) {
        let ball = matches!(a.form, Form::Sphere { .. });
        if let Some(solid) =
            b.polytope().filter(|_| !matches!((&a.form, &b.form), (Form::Sphere { .. }, Form::Box(_))))
        {
            segment_polytope(&ends, radius, solid, limit, out);
            if ball {
                keep_deepest(out);
            }
            out.iter_mut().for_each(|s| *s = s.transformed(&poses[1]));
        } else if let (true, Some(convex)) = (ball, b.collider.convex()) {
            out.extend(ball_core(ends[0], radius, &convex.core, limit).map(|s| s.transformed(&poses[1])));
            if out.is_empty() && matches!(b.form, Form::Flat { .. }) {
                out.extend(nearest(a, b, poses, limit));
            }
        } else {
            round_pair(a, b, poses, limit, scratch, out);
        }
    } else if let Some(solid) = b.polytope() {
        if matches!(a.form, Form::Flat { .. }) {
            out.extend(nearest(a, b, poses, limit));
            return;
        }
        let complete = round_over_faces(a, solid, 0..solid.faces.len(), &b_from_a, limit, scratch, out);
        out.iter_mut().for_each(|s| *s = s.transformed(&poses[1]));
        if !complete {
            with_nearest(nearest(a, b, poses, limit), solid.scale, out);
        }
    } else {
        round_pair(a, b, poses, limit, scratch, out);
    }
}

/// Two round solids of which at most one is a ball or capsule: end on end, side along side, or the nearest points.
fn round_pair(a: &Ready, b: &Ready, poses: &[Pose; 2], limit: f64, scratch: &mut Scratch, out: &mut Vec<Spot>) {
    for (turned, [over, under], [p, q]) in [(false, [a, b], [0, 1]), (true, [b, a], [1, 0])] {
        let Some(prism) = prism(&under.form) else { continue };
        let under_from_over = poses[q].inv_mul(&poses[p]);
        if round_over_faces(over, prism, 0..2, &under_from_over, limit, scratch, out) {
            let place = |s: &Spot| if turned { s.swapped() } else { *s }.transformed(&poses[q]);
            out.iter_mut().for_each(|s| *s = place(s));
            return;
        }
        out.clear();
    }
    let Some(found) = nearest(a, b, poses, limit) else { return };
    side_by_side(&a.form, &b.form, poses, &found.normal, limit, out);
    with_nearest(Some(found), a.extent.amax().max(b.extent.amax()), out);
}

/// A solid on a surface that is not convex.
fn on_mesh(a: &Ready, b: &Ready, poses: &[Pose; 2], limit: f64, scratch: &mut Scratch, out: &mut Vec<Spot>) {
    let Some(surface) = b.boundary() else { return };
    let b_from_a = poses[1].inv_mul(&poses[0]);
    if let Some((ends, radius)) = a.segment(&b_from_a) {
        let count = if matches!(a.form, Form::Sphere { .. }) { 1 } else { 2 };
        balls_on(&ends[..count], radius, surface, limit, &mut scratch.visited, out);
    } else if let Some(first) = a.boundary() {
        boundary_pair(first, surface, &b_from_a.inverse(), limit, out);
        out.iter_mut().for_each(|s| *s = s.transformed(&b_from_a));
    } else {
        for number in 0..rim_count(&a.form) {
            let point = b_from_a * nalgebra::Point3::from(rim_point(&a.form, number));
            let first = out.len();
            points_on(&[point.coords], a.extent.min(), surface, limit, out);
            if let Some(spot) = out.get_mut(first) {
                let [part, _, _] = Feature::unpack(spot.feature).map_or([0; 3], |f| f.numbers);
                spot.feature = Feature::pack(Kind::CornerPatch, [part, number, 0]);
            }
        }
        out.iter_mut().for_each(|s| *s = s.transformed(&poses[1]));
        let least = out.iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
        out.extend(nearest(a, b, poses, limit).filter(|s| s.gap < least - LOWER * surface.scale));
        return;
    }
    out.iter_mut().for_each(|s| *s = s.transformed(&poses[1]));
    // Deep inside, no corner and no edge determines the separating direction.
    if out.is_empty() {
        out.extend(deep(a, b, poses));
    }
}

fn round_again(a: &Ready, b: &Ready, poses: &[Pose; 2], feature: u64, scratch: &mut Scratch) -> Option<Spot> {
    let b_from_a = poses[1].inv_mul(&poses[0]);
    let Feature { kind, numbers: [i, j, _] } = Feature::unpack(feature)?;
    if kind == Kind::Nearest {
        if matches!(a.form, Form::Sphere { .. }) && !b.is_mesh() {
            let mut out = std::mem::take(&mut scratch.spots);
            out.clear();
            round_first(a, b, poses, f64::INFINITY, scratch, &mut out);
            let found = out.first().copied();
            scratch.spots = out;
            return found;
        }
        return nearest(a, b, poses, f64::INFINITY);
    }
    if let Some(surface) = b.boundary().filter(|_| b.is_mesh()) {
        let spot = if let Some((ends, radius)) = a.segment(&b_from_a) {
            let count = if matches!(a.form, Form::Sphere { .. }) { 1 } else { 2 };
            feature_of_balls(&ends[..count], radius, surface, feature)?
        } else if let Some(first) = a.boundary() {
            feature_of_boundaries(first, surface, &b_from_a.inverse(), feature)?.transformed(&b_from_a)
        } else {
            let point = b_from_a * nalgebra::Point3::from(rim_point(&a.form, j));
            (i < surface.parts.len()).then(|| on_part(surface, i, point.coords, feature).swapped())?
        };
        return Some(spot.transformed(&poses[1]));
    }
    if let (Some((ends, radius)), Some(solid)) = (a.segment(&b_from_a), b.polytope()) {
        return Some(feature_of_segment(&ends, radius, solid, feature)?.transformed(&poses[1]));
    }
    if kind == Kind::Alongside {
        let normal = nearest(a, b, poses, f64::INFINITY)?.normal;
        scratch.spots.clear();
        side_by_side(&a.form, &b.form, poses, &normal, f64::INFINITY, &mut scratch.spots);
        return scratch.spots.iter().copied().find(|s| s.feature == feature);
    }
    if let Some(solid) = b.polytope() {
        return Some(feature_of_round(a, solid, &b_from_a, feature)?.transformed(&poses[1]));
    }
    // End on end: the name does not say whose end is the face. The one that the search finds there is tried first.
    let sides = [(false, [a, b], [0, 1]), (true, [b, a], [1, 0])];
    let tried = sides.map(|(turned, [over, under], [p, q])| {
        let spot = feature_of_round(over, prism(&under.form)?, &poses[q].inv_mul(&poses[p]), feature)?;
        let spot = spot.transformed(&poses[q]);
        Some(if turned { spot.swapped() } else { spot })
    });
    let mut out = std::mem::take(&mut scratch.spots);
    out.clear();
    round_pair(a, b, poses, f64::INFINITY, scratch, &mut out);
    let near = out.iter().find(|s| s.feature == feature).map(|s| s.point_a);
    scratch.spots = out;
    let off = |s: &Spot| near.map_or(0.0, |p| (s.point_a - p).norm());
    tried.into_iter().flatten().reduce(|x, y| if off(&y) < off(&x) { y } else { x })
}

fn prism(form: &Form) -> Option<&Polytope> {
    match form {
        Form::Cylinder { prism, .. } | Form::Disc { prism, .. } => Some(prism),
        _ => None,
    }
}

fn rim_count(form: &Form) -> usize {
    match form {
        Form::Cylinder { .. } => 16,
        Form::Disc { .. } => 8,
        _ => 0,
    }
}

/// Adds the nearest point if it is lower than all others, and drops the others if its normal differs.
fn with_nearest(found: Option<Spot>, scale: f64, out: &mut Vec<Spot>) {
    let Some(found) = found else { return };
    // A hundredth of a radian, the angle below which a face counts as flat everywhere here.
    out.retain(|s| s.normal.dot(&found.normal) > 1.0 - 5e-5);
    let least = out.iter().fold(f64::INFINITY, |g, s| g.min(s.gap));
    if found.gap < least - LOWER * scale {
        out.push(found);
    }
}

/// A ball has one point on a convex solid, and one name for it.
fn keep_deepest(out: &mut Vec<Spot>) {
    let deepest = out.iter().copied().reduce(|x, y| if y.gap < x.gap { y } else { x });
    out.clear();
    out.extend(deepest.map(|s| Spot { feature: Feature::NEAREST, ..s }));
}
