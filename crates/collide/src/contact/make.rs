//! The construction of a contact point from features that are fixed to the two bodies.
//!
//! The name of a point ([`super::feature`]) says which features touch. For most of them the point and its velocity follow in
//! closed form from a few numbers that do not change as the bodies move (`event_driven::frame` of the contact crate). Points
//! without a closed form, nearest points by a search and crossings of outlines, have no [`Make`].

use super::boundary::Boundary;
use super::curved::{LOWEST, rim_point};
use super::feature::{Feature, Kind};
use super::form::{Form, Ready};
use super::meet::rank;
use super::polytope::Polytope;
use super::scene::{ContactScene, SceneShape};
use veracity_model::{Pose, Vec3};

/// Features of the two bodies of a pair, each in the frame of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Make {
    /// A ball fixed to one body over a plane fixed to the other; without a radius, a corner.
    OverPlane {
        /// Which of the two carries the ball.
        ball: usize,
        /// Middle of the ball.
        centre: Vec3,
        /// Its radius [m].
        radius: f64,
        /// Out of the plane's solid.
        normal: Vec3,
        /// Points of the plane have `normal · x = offset`.
        offset: f64,
    },
    /// Two balls; without a radius, points.
    Balls {
        /// Their middles.
        centres: [Vec3; 2],
        /// Their radii [m].
        radii: [f64; 2],
    },
    /// Two straight edges that cross.
    Edges {
        /// A point of each.
        from: [Vec3; 2],
        /// From there to the other end.
        along: [Vec3; 2],
        /// Which of the two `outward` belongs to.
        of: usize,
        /// A direction out of that solid at its edge.
        outward: Vec3,
    },
    /// The lowest point of a circle over a plane, or one that is quarter turns from it.
    Rim {
        /// Which of the two carries the circle.
        circle: usize,
        /// Middle of the circle, or of the two ends of which the circle is the lower.
        centre: Vec3,
        /// Two axes of the circle, and the third out of it.
        axes: [Vec3; 3],
        /// How far the ends are from their middle along the third axis [m].
        half: f64,
        /// Its radius [m].
        radius: f64,
        /// Quarter turns about the third axis from the lowest point.
        quarters: usize,
        /// Out of the plane's solid.
        normal: Vec3,
        /// Points of the plane have `normal · x = offset`.
        offset: f64,
    },
}

const AXES: [Vec3; 3] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

impl ContactScene {
    /// The construction of a point of a pair, if it follows from features fixed to the bodies.
    pub fn make_of(&self, pair: u32, feature: u64) -> Option<Make> {
        let [a, b] = self.shapes_of(pair);
        let [a, b] = [self.shapes().get(a)?, self.shapes().get(b)?];
        let name = Feature::unpack(feature)?;
        let made = if b.ready.is_plane() {
            over_half_space(&a.ready.form, 0, &name)
        } else if a.ready.is_plane() {
            over_half_space(&b.ready.form, 1, &name)
        } else if let (Some(first), Some(second)) = (a.ready.polytope(), b.ready.polytope()) {
            of_polytopes(first, second, &name)
        } else {
            of_round(&a.ready, &b.ready, &name)
        };
        Some(made?.in_bodies([a, b]))
    }
}

impl Make {
    /// From the frames of the shapes to those of their bodies.
    fn in_bodies(self, shapes: [&SceneShape; 2]) -> Self {
        let pose = |k: usize| &shapes[k].body_from_shape;
        let point = |k: usize, x: Vec3| place(pose(k), &x);
        let turned = |k: usize, x: Vec3| pose(k).rotation * x;
        let plane = |k: usize, normal: Vec3, offset: f64| {
            let normal = turned(k, normal);
            (normal, offset + normal.dot(&pose(k).translation.vector))
        };
        match self {
            Make::OverPlane { ball, centre, radius, normal, offset } => {
                let (normal, offset) = plane(1 - ball, normal, offset);
                Make::OverPlane { ball, centre: point(ball, centre), radius, normal, offset }
            }
            Make::Balls { centres: [x, y], radii } => Make::Balls { centres: [point(0, x), point(1, y)], radii },
            Make::Edges { from: [p, x], along: [e, g], of, outward } => Make::Edges {
                from: [point(0, p), point(1, x)],
                along: [turned(0, e), turned(1, g)],
                of,
                outward: turned(of, outward),
            },
            Make::Rim { circle, centre, axes, half, radius, quarters, normal, offset } => {
                let (normal, offset) = plane(1 - circle, normal, offset);
                let axes = axes.map(|x| turned(circle, x));
                Make::Rim { circle, centre: point(circle, centre), axes, half, radius, quarters, normal, offset }
            }
        }
    }
}

fn place(pose: &Pose, x: &Vec3) -> Vec3 {
    pose.rotation * x + pose.translation.vector
}

/// A shape, which is number `ball` of the pair, over the half space `z <= 0`.
fn over_half_space(form: &Form, ball: usize, name: &Feature) -> Option<Make> {
    let [i, k, _] = name.numbers;
    let over = |centre: Vec3, radius: f64| Make::OverPlane { ball, centre, radius, normal: Vec3::z(), offset: 0.0 };
    match (form, name.kind) {
        (Form::Sphere { radius }, Kind::Nearest) => Some(over(Vec3::zeros(), *radius)),
        (Form::Capsule { radius, half }, Kind::Corner) => Some(over(end_of_capsule(*half, i), *radius)),
        (Form::Box(polytope) | Form::Polytope(polytope), Kind::Corner) => Some(over(*polytope.vertices.get(i)?, 0.0)),
        (Form::Mesh { corners } | Form::Flat { corners }, Kind::Corner) => Some(over(*corners.get(i)?, 0.0)),
        (Form::Cylinder { .. } | Form::Disc { .. }, Kind::LowRim | Kind::FixedRim) => {
            let (radius, height) = match form {
                Form::Cylinder { radius, half, .. } => (*radius, if i == 0 { -half } else { *half }),
                Form::Disc { radius, .. } => (*radius, 0.0),
                _ => return None,
            };
            let centre = Vec3::new(0.0, 0.0, height);
            if name.kind == Kind::FixedRim {
                let way = [Vec3::x(), Vec3::y(), -Vec3::x(), -Vec3::y()][k % 4];
                return Some(over(centre + way * radius, 0.0));
            }
            let (normal, offset) = (Vec3::z(), 0.0);
            Some(Make::Rim { circle: ball, centre, axes: AXES, half: 0.0, radius, quarters: k % 4, normal, offset })
        }
        _ => None,
    }
}

fn end_of_capsule(half: f64, end: usize) -> Vec3 {
    Vec3::new(0.0, 0.0, if end == 0 { -half } else { half })
}

/// Two solids with flat faces.
fn of_polytopes(a: &Polytope, b: &Polytope, name: &Feature) -> Option<Make> {
    let [i, j, _] = name.numbers;
    match name.kind {
        Kind::FaceCorner | Kind::CornerFace => {
            let ball = usize::from(name.kind == Kind::FaceCorner);
            let (under, over) = if ball == 1 { (a, b) } else { (b, a) };
            let face = under.faces.get(i)?;
            let (normal, offset) = (face.normal, face.offset);
            Some(Make::OverPlane { ball, centre: *over.vertices.get(j)?, radius: 0.0, normal, offset })
        }
        Kind::EdgeEdge => {
            let ends =
                |solid: &Polytope, edge: usize| Some(solid.edges.get(edge)?.ends.map(|v| solid.vertices[v as usize]));
            let ([p, q], [x, y]) = (ends(a, i)?, ends(b, j)?);
            let [m, n] = a.edges[i].faces.map(|f| a.faces[f as usize].normal);
            Some(Make::Edges { from: [p, x], along: [q - p, y - x], of: 0, outward: m + n })
        }
        _ => None,
    }
}

/// Pairs with a round or a nonconvex solid.
fn of_round(a: &Ready, b: &Ready, name: &Feature) -> Option<Make> {
    if let (Form::Sphere { radius }, Form::Sphere { radius: second }) = (&a.form, &b.form) {
        let centres = [Vec3::zeros(); 2];
        return (name.kind == Kind::Nearest).then_some(Make::Balls { centres, radii: [*radius, *second] });
    }
    // Names are by the order of ranks, not of the pair.
    let turned = rank(&a.form) > rank(&b.form);
    let (round, solid, ball) = if turned { (b, a, 1) } else { (a, b, 0) };
    if solid.is_mesh() {
        return on_surface(round, solid.boundary()?, ball, name);
    }
    let [i, j, _] = name.numbers;
    let face = solid.polytope()?.faces.get(i)?;
    let (normal, offset) = (face.normal, face.offset);
    match (&round.form, name.kind) {
        (Form::Capsule { radius, half }, Kind::FaceEnd) => {
            let centre = end_of_capsule(*half, j);
            Some(Make::OverPlane { ball, centre, radius: *radius, normal, offset })
        }
        (Form::Cylinder { radius, half, .. }, Kind::FaceRound) if j == LOWEST => {
            let (centre, half, radius) = (Vec3::zeros(), *half, *radius);
            Some(Make::Rim { circle: ball, centre, axes: AXES, half, radius, quarters: 0, normal, offset })
        }
        (Form::Cylinder { .. } | Form::Disc { .. }, Kind::FaceRound) if j != LOWEST => {
            Some(Make::OverPlane { ball, centre: rim_point(&round.form, j), radius: 0.0, normal, offset })
        }
        _ => None,
    }
}

/// A shape, number `ball` of the pair, on a surface that is not convex.
fn on_surface(round: &Ready, surface: &Boundary, ball: usize, name: &Feature) -> Option<Make> {
    let [i, j, _] = name.numbers;
    let over = |part: usize, centre: Vec3, radius: f64| {
        let part = surface.parts.get(part)?;
        Some(Make::OverPlane { ball, centre, radius, normal: part.normal, offset: part.offset })
    };
    if let (Form::Sphere { radius } | Form::Capsule { radius, .. }, Kind::SurfaceBall) = (&round.form, name.kind) {
        let centre = match (&round.form, j) {
            (Form::Sphere { .. }, 0) => Vec3::zeros(),
            (Form::Capsule { half, .. }, 0 | 1) => end_of_capsule(*half, j),
            _ => return None,
        };
        if i < surface.parts.len() {
            return over(i, centre, *radius);
        }
        let corner = *surface.vertices.get((i - surface.parts.len()).checked_sub(surface.edges.len())?)?;
        let (centres, radii) =
            if ball == 0 { ([centre, corner], [*radius, 0.0]) } else { ([corner, centre], [0.0, *radius]) };
        return Some(Make::Balls { centres, radii });
    }
    let Some(first) = round.boundary() else {
        let on_rim =
            matches!(round.form, Form::Cylinder { .. } | Form::Disc { .. }) && name.kind == Kind::CornerPatch;
        return if on_rim { over(i, rim_point(&round.form, j), 0.0) } else { None };
    };
    match name.kind {
        Kind::CornerPatch => over(i, *first.vertices.get(j)?, 0.0),
        Kind::PatchCorner => {
            let part = first.parts.get(i)?;
            let centre = *surface.vertices.get(j)?;
            Some(Make::OverPlane { ball: 1 - ball, centre, radius: 0.0, normal: part.normal, offset: part.offset })
        }
        Kind::SharpEdges => {
            let edge = first.edges.get(i)?;
            let ([p, q], [x, y]) = (first.ends(i), surface.edges.get(j).map(|_| surface.ends(j))?);
            let (mut from, mut along) = ([p, x], [q - p, y - x]);
            if ball == 1 {
                (from, along) = ([x, p], [y - x, q - p]);
            }
            Some(Make::Edges { from, along, of: ball, outward: edge.normals[0] + edge.normals[1] })
        }
        _ => None,
    }
}
