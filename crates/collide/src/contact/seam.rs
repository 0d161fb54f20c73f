//! Internal edges: no contact where two shapes have a common continuous surface.
//!
//! Contact is found pair by pair, but a body that slides from one tile to the next touches the union of both. Four kinds
//! of contact exist for a single pair and not for the union. With `S` the support, `M` the mover, `C` another shape that `M`
//! may touch, a contact at `p` on `S` with normal `n` out of `S`, and `F` the face, edge or corner of `S` that is farthest
//! along `n`:
//!
//! ```text
//! (1)  continued   a face (m, d) of S lies in the plane of a face of C on which M rests, and M is above it:
//!                      min { m·x : x in M } - d >= -(tol + 2 depth of M in C).
//!                  All of S is below that plane, so the only contact with S is along m.
//! (2)  buried      C and S belong to one rigid piece, and every point of F near p is blocked, where p' is blocked if it is in
//!                  C, or on it, and C has a point x with n·(x - p') > tol + RISES |x - p'|:
//!                  a body that reaches p' along -n would be in C before.
//! (3)  shared      M has flat faces, p is also a point of C, within tol, with the same normal, within NEAR, and C comes
//!                  before S.
//! (4)  on a mesh   p is on the plane of C on which M rests, n is not its normal, and S does not rise above that plane
//!                  behind p.
//! ```
//!
//! (1) replaces the points of the pair by those along `m`, (2) by those along the best face normal that is not buried; (3)
//! and (4) drop the point. Without (3) a body that tips over a ridge would be held by two slightly different normals at one
//! place, and could not slide across them. Near `p` means within `4 (tol + depth of p in C)`, so that a face that rises above `C`
//! by more than the tolerance is not buried, however soft the contact with `C`. Real edges keep their contacts: a step higher
//! than `tol` is neither continued nor buried, and where tiles meet at an angle only the internal faces are buried.
//!
//! Supports may be shapes of one body or of several fixed ones; in (1), (3) and (4) also of independently moving bodies that are
//! flush now. For bodies that overlap by accident (2) would remove all contacts. Pairs without a third shape near them are
//! not examined.

use super::boundary_pair::in_solid;
use super::curved::round_over_faces;
use super::feature::{Feature, Kind, Spot};
use super::form::{Form, Ready};
use super::meet::meet;
use super::polytope::Polytope;
use super::polytope_pair::{Scratch, polytopes_along};
use super::segment_polytope::over_face;
use crate::convex::PlacedCore;
use veracity_model::{Pose, Vec3};

/// Faces count as one plane within this fraction of the larger shape: coordinates in files have seven digits.
const FLUSH: f64 = 1e-6;
/// And never farther apart than this [m].
const FLUSH_MOST: f64 = 1e-5;
/// Angle below which two normals count as one [rad], for the same reason.
const TILT: f64 = 1e-6;
/// Slope at which a shape must rise above a point to bury it. Teeth of a screw made of boxes differ by 0.03 rad from their
/// neighbours: each carries load up to its corners, and none buries another.
const RISES: f64 = 0.05;
/// Angle within which the normal of a round solid over a face is that of the face [rad]: some roundings. A ball that meets an
/// edge at an angle `a` is stopped by `a` of its speed.
const EXACT: f64 = 1e-11;
/// Angle within which solids with faces lie flat on each other [rad], as in `polytope_pair`.
const NEAR: f64 = 1e-2;
/// Deepest overlap of a mover in its support that counts as soft contact, over the mover's size.
const SOFT: f64 = 1e-2;
/// A mover rests on a support that is nearer than this fraction of the mover's size.
const RESTS: f64 = 0.1;

/// How near another shape must be to a mover to count [m].
pub(super) fn reach(mover: &Ready, limit: f64) -> f64 {
    limit.min(RESTS * size(mover))
}

/// A shape with its pose.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    /// Its number in the scene.
    pub number: usize,
    /// The rigid piece it belongs to; `None` for shapes fixed to the world.
    pub piece: Option<(usize, usize)>,
    pub ready: &'a Ready,
    pub pose: Pose,
}

/// A plane with the solid below it, in the world.
#[derive(Clone, Copy)]
struct Plane {
    normal: Vec3,
    offset: f64,
}

/// Whether a shape has flat faces, so that another may continue it.
pub(super) fn is_flat(ready: &Ready) -> bool {
    ready.is_mesh() || face_count(ready) > 0
}

/// Removes contacts with internal edges from the points of a pair, in the world. `others` are the flat shapes that the
/// first and the second shape may touch besides each other.
pub(super) fn mend<'a, I: Iterator<Item = Placed<'a>> + Clone>(
    pair: &[Placed<'a>; 2],
    others: [I; 2],
    limit: f64,
    scratch: &mut Scratch,
    spare: &mut Vec<Spot>,
    spots: &mut Vec<Spot>,
) {
    for (support, others) in [(1, others[0].clone()), (0, others[1].clone())] {
        if spots.is_empty() {
            return;
        }
        // Without another shape that the mover may touch, this support continues nothing.
        if others.clone().next().is_none() {
            continue;
        }
        if pair.iter().any(|p| p.ready.is_mesh()) {
            drop_on_meshes(pair, support, others.clone(), limit, scratch, spare, spots);
        } else if let Some(face) = continued(pair, support, others.clone(), limit, scratch, spare, spots) {
            along_face(pair, support, face, limit, scratch, spots);
        } else if spots.iter().all(|s| is_buried(pair, support, others.clone(), s)) {
            along_other(pair, support, others.clone(), limit, scratch, spots);
        }
        drop_shared(pair, support, others, limit, scratch, spare, spots);
    }
    drop_cuts(pair, spots);
}

/// (1): the face of the support, by its number.
fn continued<'a>(
    pair: &[Placed<'a>; 2],
    support: usize,
    others: impl Iterator<Item = Placed<'a>> + Clone,
    limit: f64,
    scratch: &mut Scratch,
    spare: &mut Vec<Spot>,
    spots: &[Spot],
) -> Option<usize> {
    let (mover, solid) = (&pair[1 - support], &pair[support]);
    // A plane is the surface of a half-space: it is never above a face of another shape, as (1) requires.
    if mover.ready.is_plane() {
        return None;
    }
    // Flat on each other within NEAR is what face contact is; a point of a round mover has its own normal, exact to rounding.
    let same = if mover.ready.polytope().is_some() { NEAR } else { EXACT };
    let soft = SOFT * size(mover.ready);
    let on_mover = |s: &Spot| if support == 1 { s.point_a } else { s.point_b };
    for face in 0..face_count(solid.ready) {
        let plane = face_of(solid, face);
        // A point of the mover that is deep below the plane saves the search for the deepest.
        if spots.iter().any(|s| plane.normal.dot(&on_mover(s)) - plane.offset < -soft) {
            continue;
        }
        let along = |s: &Spot| {
            let normal = out_of(s, support);
            normal.dot(&plane.normal) > 0.0 && normal.cross(&plane.normal).norm() <= same
        };
        if spots.iter().all(along) {
            continue;
        }
        let above = lowest(mover, &plane.normal) - plane.offset;
        if above < -soft {
            continue;
        }
        for other in others.clone() {
            let tol = flush(solid.ready, other.ready);
            if let Some(depth) = rests_on(mover, &other, &plane, tol, limit, scratch, spare)
                && above >= -(tol + 2.0 * depth.min(0.5 * soft))
            {
                return Some(face);
            }
        }
    }
    None
}

/// How deep a mover is in a shape that it rests on in a plane; `None` if it does not, or that shape has no face in the plane.
fn rests_on(
    mover: &Placed,
    other: &Placed,
    plane: &Plane,
    tol: f64,
    limit: f64,
    scratch: &mut Scratch,
    spare: &mut Vec<Spot>,
) -> Option<f64> {
    let level = |normal: &Vec3| normal.dot(&plane.normal) > 0.0 && normal.cross(&plane.normal).norm() <= TILT;
    let is_mesh = other.ready.is_mesh();
    if !is_mesh && !(0..face_count(other.ready)).any(|g| level(&face_of(other, g).normal)) {
        return None;
    }
    spare.clear();
    let limit = reach(mover.ready, limit);
    meet(mover.ready, other.ready, &[mover.pose, other.pose], limit, scratch, spare);
    let on_plane = |s: &&Spot| {
        s.normal.dot(&plane.normal) > 1.0 - 0.5 * NEAR * NEAR
            && (plane.normal.dot(&s.point_b) - plane.offset).abs() <= tol
    };
    spare.iter().filter(on_plane).map(|s| -s.gap).reduce(f64::max).map(|depth| depth.max(0.0))
}

/// (2) for one point of the pair.
fn is_buried<'a>(
    pair: &[Placed<'a>; 2],
    support: usize,
    others: impl Iterator<Item = Placed<'a>> + Clone,
    spot: &Spot,
) -> bool {
    let solid = &pair[support];
    // A plane has no edge to move past.
    if solid.ready.is_plane() {
        return false;
    }
    let others = others.filter(|o| o.piece == solid.piece);
    let (point, normal) = (if support == 1 { spot.point_b } else { spot.point_a }, out_of(spot, support));
    // Most points are not blocked, and most of the others are blocked by a single shape.
    let mut near: f64 = 0.0;
    for other in others.clone() {
        let tol = flush(solid.ready, other.ready);
        if let Some(depth) = blocked(&other, &point, &normal, tol) {
            near = near.max(4.0 * (tol + depth));
        }
    }
    if near == 0.0 {
        return false;
    }
    let blocked_by_some =
        |p: &Vec3| others.clone().any(|o| blocked(&o, p, &normal, flush(solid.ready, o.ready)).is_some());
    let Some(polytope) = solid.ready.polytope() else {
        // A cylinder: what there is of it around the point.
        let [first, second] = tangents(&normal);
        let ways = [first, -first, second, -second].map(|way| point + way * near);
        let on_surface = |p: &Vec3| height(solid, p).is_some_and(|h| h.abs() <= 1e-3 * near);
        return face_count(solid.ready) > 0 && ways.iter().filter(|p| on_surface(p)).all(blocked_by_some);
    };
    let inward = solid.pose.rotation.inverse_transform_vector(&normal);
    let flat = polytope.faces.iter().position(|f| f.normal.dot(&inward) > 1.0 - 0.5 * NEAR * NEAR);
    let top = polytope.vertices.iter().fold(f64::NEG_INFINITY, |t, v| t.max(v.dot(&inward)));
    let farthest = |v: usize| match flat {
        Some(face) => polytope.around(face).any(|(corner, _)| corner as usize == v),
        None => polytope.vertices[v].dot(&inward) >= top - FLUSH * polytope.scale,
    };
    let (mut middle, mut count) = (Vec3::zeros(), 0.0);
    for v in (0..polytope.vertices.len()).filter(|v| farthest(*v)) {
        let corner = place(&solid.pose, &polytope.vertices[v]);
        (middle, count) = (middle + corner, count + 1.0);
        if !blocked_by_some(&towards(&point, &corner, near)) {
            return false;
        }
    }
    count == 0.0 || blocked_by_some(&towards(&point, &(middle / count), near))
}

/// (3)
fn drop_shared<'a>(
    pair: &[Placed<'a>; 2],
    support: usize,
    others: impl Iterator<Item = Placed<'a>>,
    limit: f64,
    scratch: &mut Scratch,
    spare: &mut Vec<Spot>,
    spots: &mut Vec<Spot>,
) {
    let (mover, solid) = (&pair[1 - support], &pair[support]);
    // A round mover has exactly one normal at each place: there is no ambiguity.
    if mover.ready.polytope().is_none() {
        return;
    }
    let on_support = |s: &Spot| if support == 1 { s.point_b } else { s.point_a };
    for other in others.filter(|o| o.number < solid.number && !o.ready.is_mesh()) {
        let tol = flush(solid.ready, other.ready);
        if !spots.iter().any(|s| is_on_surface(&other, &on_support(s), tol)) {
            continue;
        }
        spare.clear();
        meet(mover.ready, other.ready, &[mover.pose, other.pose], reach(mover.ready, limit), scratch, spare);
        spots.retain(|s| {
            let (point, normal) = (on_support(s), out_of(s, support));
            let same =
                |t: &Spot| (t.point_b - point).norm() <= tol && t.normal.dot(&normal) > 1.0 - 0.5 * NEAR * NEAR;
            !spare.iter().any(same)
        });
    }
}

/// Where a corner of the mover has just passed an edge, the points where the edge crosses its sides stand for that corner: the
/// corner moves on with the mover, and they stay behind.
fn drop_cuts(pair: &[Placed; 2], spots: &mut Vec<Spot>) {
    let kind = |s: &Spot| Feature::unpack(s.feature).map(|f| f.kind);
    let is_cut = |s: &Spot| matches!(kind(s), Some(Kind::CrossFirst | Kind::CrossSecond));
    let tol = flush(pair[0].ready, pair[1].ready);
    let mut k = 0;
    while k < spots.len() {
        let is_corner = |s: &Spot| {
            matches!(kind(s), Some(Kind::FaceCorner | Kind::CornerFace))
                && (s.point_a - spots[k].point_a).norm() <= tol
        };
        if is_cut(&spots[k]) && spots.iter().any(is_corner) {
            spots.remove(k);
        } else {
            k += 1;
        }
    }
}

/// Height of a point over the surface of a plane, a solid with faces or a cylinder; negative inside.
fn height(solid: &Placed, point: &Vec3) -> Option<f64> {
    let at = solid.pose.inverse_transform_point(&(*point).into()).coords;
    match &solid.ready.form {
        Form::Plane => Some(at.z),
        Form::Box(p) | Form::Polytope(p) => {
            Some(p.faces.iter().fold(f64::NEG_INFINITY, |h, f| h.max(f.normal.dot(&at) - f.offset)))
        }
        Form::Cylinder { radius, half, .. } => Some((at.z.abs() - half).max(libm::hypot(at.x, at.y) - radius)),
        _ => None,
    }
}

/// Whether [`height`] is at most `tol` either way. Most points are outside of some face: the others are not looked at.
fn is_on_surface(solid: &Placed, point: &Vec3, tol: f64) -> bool {
    match &solid.ready.form {
        Form::Box(p) | Form::Polytope(p) => {
            let at = solid.pose.inverse_transform_point(&(*point).into()).coords;
            let mut highest = f64::NEG_INFINITY;
            for face in &p.faces {
                highest = highest.max(face.normal.dot(&at) - face.offset);
                if highest > tol {
                    return false;
                }
            }
            highest >= -tol
        }
        _ => height(solid, point).is_some_and(|h| h.abs() <= tol),
    }
}

/// Whether a point is in a shape that reaches farther along a normal, and how deep.
fn blocked(other: &Placed, point: &Vec3, normal: &Vec3, tol: f64) -> Option<f64> {
    let (at, along) = (other.pose.inverse_transform_point(&(*point).into()).coords, other.pose.rotation);
    let along = along.inverse_transform_vector(normal);
    let height = height(other, point)?;
    if height > tol {
        return None;
    }
    let reaches = |x: &Vec3| along.dot(&(x - at)) > tol + RISES * (x - at).norm();
    let acute = match (&other.ready.form, other.ready.polytope()) {
        (Form::Plane, _) => along.z < 0.0 || libm::hypot(along.x, along.y) > TILT,
        (_, Some(p)) => p.vertices.iter().any(reaches),
        _ => other.ready.collider.convex().is_some_and(|c| reaches(&c.core.support(&along))),
    };
    acute.then_some((-height).max(0.0))
}

/// The points along a face of the support instead.
fn along_face(
    pair: &[Placed; 2],
    support: usize,
    face: usize,
    limit: f64,
    scratch: &mut Scratch,
    spots: &mut Vec<Spot>,
) {
    spots.clear();
    let (mover, solid) = (&pair[1 - support], &pair[support]);
    let Some(polytope) = solid.ready.polytope() else { return };
    let solid_from_mover = solid.pose.inv_mul(&mover.pose);
    match (&mover.ready.form, mover.ready.polytope()) {
        (_, Some(_)) => {
            along_normal(pair, &out_to_first(&face_of(solid, face).normal, support), limit, scratch, spots)
        }
        // For a ball over a face this is already that face's point.
        (Form::Sphere { .. }, _) => {}
        (Form::Capsule { radius, .. }, _) => {
            if let Some((ends, _)) = mover.ready.segment(&solid_from_mover) {
                over_face(&ends, *radius, polytope, face, limit, spots);
            }
        }
        _ => {
            round_over_faces(mover.ready, polytope, face..face + 1, &solid_from_mover, limit, scratch, spots);
        }
    }
    if mover.ready.polytope().is_none() {
        let turned = |s: &Spot| if support == 1 { *s } else { s.swapped() }.transformed(&solid.pose);
        spots.iter_mut().for_each(|s| *s = turned(s));
    }
}

/// The points along the best face normal of either solid that is not buried; none for a mover that is round, whose point on
/// the support is the nearest there is.
fn along_other<'a>(
    pair: &[Placed<'a>; 2],
    support: usize,
    others: impl Iterator<Item = Placed<'a>> + Clone,
    limit: f64,
    scratch: &mut Scratch,
    spots: &mut Vec<Spot>,
) {
    spots.clear();
    let (Some(first), Some(second)) = (pair[0].ready.polytope(), pair[1].ready.polytope()) else { return };
    // From the second solid to the first.
    let normal_of = |k: usize| match k.checked_sub(first.faces.len()) {
        None => -(pair[0].pose.rotation * first.faces[k].normal),
        Some(k) => pair[1].pose.rotation * second.faces[k].normal,
    };
    let parted = |n: &Vec3| lowest(&pair[0], n) + lowest(&pair[1], &-n);
    let count = first.faces.len() + second.faces.len();
    let mut last = (f64::INFINITY, 0);
    for _ in 0..count {
        // The next lower one, the first among equals: avoids allocating a sorted list.
        let mut best: Option<(f64, usize)> = None;
        for k in 0..count {
            let this = (parted(&normal_of(k)), k);
            let after = this.0 < last.0 || (this.0 == last.0 && this.1 > last.1);
            if after && best.is_none_or(|b| this.0 > b.0) {
                best = Some(this);
            }
        }
        let Some(next) = best else { return };
        last = next;
        along_normal(pair, &normal_of(next.1), limit, scratch, spots);
        if spots.is_empty() || !spots.iter().all(|s| is_buried(pair, support, others.clone(), s)) {
            // Having no point is correct over a face that separates the two, and wrong where they overlap.
            if !spots.is_empty() {
                return;
            }
            let of_support = if support == 0 { next.1 < first.faces.len() } else { next.1 >= first.faces.len() };
            if of_support && next.0 >= 0.0 {
                let face = next.1 - if support == 0 { 0 } else { first.faces.len() };
                corners_over(pair, support, face, limit, spots);
                return;
            }
            if next.0 >= -SOFT * size(pair[1 - support].ready) {
                return;
            }
        }
        spots.clear();
    }
}

/// The corners of the mover over the plane of a face of the support, next to that face too: where a floor turns up at a seam,
/// this is the only sign of it before the mover is there.
fn corners_over(pair: &[Placed; 2], support: usize, face: usize, limit: f64, spots: &mut Vec<Spot>) {
    let (mover, plane) = (&pair[1 - support], face_of(&pair[support], face));
    let Some(polytope) = mover.ready.polytope() else { return };
    for (v, corner) in polytope.vertices.iter().enumerate() {
        let point = place(&mover.pose, corner);
        let gap = plane.normal.dot(&point) - plane.offset;
        if gap <= limit {
            let kind = if support == 0 { Kind::FaceCorner } else { Kind::CornerFace };
            let feature = Feature::pack(kind, [face, v, 0]);
            let spot =
                Spot { feature, point_a: point, point_b: point - plane.normal * gap, normal: plane.normal, gap };
            spots.push(if support == 1 { spot } else { spot.swapped() });
        }
    }
}

/// The points of two solids with faces along a normal from the second to the first.
fn along_normal(pair: &[Placed; 2], normal: &Vec3, limit: f64, scratch: &mut Scratch, spots: &mut Vec<Spot>) {
    let (Some(first), Some(second)) = (pair[0].ready.polytope(), pair[1].ready.polytope()) else { return };
    let inward = pair[0].pose.rotation.inverse_transform_vector(normal);
    polytopes_along(first, second, &pair[0].pose.inv_mul(&pair[1].pose), &inward, limit, scratch, spots);
    spots.iter_mut().for_each(|s| *s = s.transformed(&pair[0].pose));
}

/// (4)
fn drop_on_meshes<'a>(
    pair: &[Placed<'a>; 2],
    support: usize,
    others: impl Iterator<Item = Placed<'a>> + Clone,
    limit: f64,
    scratch: &mut Scratch,
    spare: &mut Vec<Spot>,
    spots: &mut Vec<Spot>,
) {
    let (mover, solid) = (&pair[1 - support], &pair[support]);
    for other in others {
        spare.clear();
        let near = reach(mover.ready, limit);
        meet(mover.ready, other.ready, &[mover.pose, other.pose], near, scratch, spare);
        let tol = flush(solid.ready, other.ready);
        for rest in spare.iter() {
            let plane = Plane { normal: rest.normal, offset: rest.normal.dot(&rest.point_b) };
            let deep = tol + 2.0 * (-rest.gap).clamp(0.0, 0.5 * SOFT * size(mover.ready));
            spots.retain(|s| {
                let (point, normal) = (if support == 1 { s.point_b } else { s.point_a }, out_of(s, support));
                let height = plane.normal.dot(&point) - plane.offset;
                let level = normal.cross(&plane.normal).norm() <= TILT && normal.dot(&plane.normal) > 0.0;
                if level || height > tol || height < -deep || normal.dot(&plane.normal) < -TILT {
                    return true;
                }
                // Behind the point and above the plane.
                let step = 4.0 * deep;
                let behind = point + plane.normal * (step - height.min(0.0)) - normal * step;
                contains(solid, &behind)
            });
        }
    }
}

/// Whether a point is in a solid, near its surface.
fn contains(solid: &Placed, point: &Vec3) -> bool {
    let at = solid.pose.inverse_transform_point(&(*point).into()).coords;
    match (&solid.ready.form, solid.ready.polytope(), solid.ready.boundary()) {
        (_, Some(p), _) => p.faces.iter().all(|f| f.normal.dot(&at) <= f.offset),
        (Form::Mesh { .. }, _, Some(surface)) => in_solid(surface, &at),
        _ => true,
    }
}

/// Two directions across a unit vector.
fn tangents(normal: &Vec3) -> [Vec3; 2] {
    let first = normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize();
    [first, normal.cross(&first)]
}

fn towards(from: &Vec3, to: &Vec3, most: f64) -> Vec3 {
    let way = to - from;
    from + way * (most / way.norm().max(most))
}

/// The normal of a point out of a shape of its pair.
fn out_of(spot: &Spot, support: usize) -> Vec3 {
    if support == 1 { spot.normal } else { -spot.normal }
}

/// From a normal out of the support to one from the second shape to the first.
fn out_to_first(normal: &Vec3, support: usize) -> Vec3 {
    if support == 1 { *normal } else { -normal }
}

fn place(pose: &Pose, x: &Vec3) -> Vec3 {
    pose.rotation * x + pose.translation.vector
}

/// The size of a shape [m]; none for a plane.
fn size(ready: &Ready) -> f64 {
    if ready.is_plane() { 0.0 } else { 2.0 * ready.extent.norm() }
}

fn flush(solid: &Ready, other: &Ready) -> f64 {
    (FLUSH * size(solid).max(size(other))).min(FLUSH_MOST)
}

/// Flat faces of shapes that are not meshes.
fn face_count(ready: &Ready) -> usize {
    match &ready.form {
        Form::Plane => 1,
        Form::Cylinder { .. } | Form::Disc { .. } => 2,
        _ => ready.polytope().map_or(0, |p| p.faces.len()),
    }
}

fn face_of(solid: &Placed, face: usize) -> Plane {
    let of = |p: &Polytope| (p.faces[face].normal, p.faces[face].offset);
    let (normal, offset) = match &solid.ready.form {
        Form::Box(p) | Form::Polytope(p) => of(p),
        Form::Cylinder { prism, .. } | Form::Disc { prism, .. } => of(prism),
        _ => (Vec3::z(), 0.0),
    };
    let normal = solid.pose.rotation * normal;
    Plane { normal, offset: offset + normal.dot(&solid.pose.translation.vector) }
}

/// The least `n·x` of a shape's points; a plane has none.
fn lowest(shape: &Placed, n: &Vec3) -> f64 {
    if let Some(convex) = shape.ready.collider.convex() {
        let placed = PlacedCore { core: &convex.core, pose: &shape.pose };
        return n.dot(&placed.support(&-n)) - convex.radius;
    }
    match &shape.ready.form {
        Form::Mesh { corners } | Form::Flat { corners } => {
            corners.iter().fold(f64::INFINITY, |low, c| low.min(n.dot(&place(&shape.pose, c))))
        }
        Form::Polytope(p) => p.vertices.iter().fold(f64::INFINITY, |low, c| low.min(n.dot(&place(&shape.pose, c)))),
        _ => f64::NEG_INFINITY,
    }
}
