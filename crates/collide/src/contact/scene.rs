//! All shapes of a world that may touch, prepared once, and their contact points.
//!
//! The shapes are numbered through the world. A pair is two of them, the lower number first, and has its own number; whether
//! it may touch follows [`TouchRules`]. The material of a named contact pair and the conditions under which it is active are
//! looked up by pair: see [`ContactScene::material_of`] and [`ContactScene::guards`].

use super::against_plane::ball_over_plane;
use super::broad::{self, Sweep};
use super::feature::Spot;
use super::form::{Form, Ready};
use super::guard::{Named, PairGuard, named_pairs};
use super::meet::{again, meet};
use super::polytope_pair::Scratch;
use super::round::ball_ball;
use super::seam::{self, Placed};
use crate::gap::GapError;
use crate::overlap::ShapeId;
use crate::pairs::{TouchRules, may_touch};
use thiserror::Error;
use veracity_model::{BodyShape, Layout, MaterialId, Pose, Vec3, World};

/// One contact point of one pair of shapes: where they touch, or would touch first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The pair of shapes; the same number throughout a scene's life.
    pub pair: u32,
    /// The features of the two that touch; the same number in the next step is the same place on the same features.
    pub feature: u64,
    /// Slots of the bodies in the layout.
    pub body_a: u32,
    /// Slots of the bodies in the layout.
    pub body_b: u32,
    /// Numbers of the shapes in [`ContactScene::shapes`].
    pub shape_a: u32,
    /// Numbers of the shapes in [`ContactScene::shapes`].
    pub shape_b: u32,
    /// On the first shape, in the world [m].
    pub point_a: Vec3,
    /// On the second shape, in the world [m].
    pub point_b: Vec3,
    /// Unit normal in the world, from the second shape to the first.
    pub normal: Vec3,
    /// Signed distance along the normal [m]: `normal · (point_a - point_b)`.
    pub gap: f64,
}

/// A collision shape of the world.
#[derive(Clone, Debug)]
pub struct SceneShape {
    /// Which it is in the world.
    pub id: ShapeId,
    /// The slot of its body in the layout.
    pub body: usize,
    /// Its place in the body frame.
    pub body_from_shape: Pose,
    /// The material of its surface, in its own model; `None` means [`veracity_model::Material::default`].
    pub material: Option<MaterialId>,
    /// Whether its body cannot move.
    pub fixed: bool,
    /// The rigid piece it belongs to, by placement and number; `None` for shapes fixed to the world.
    piece: Option<(usize, usize)>,
    pub(super) ready: Ready,
}

/// A body whose pose contains NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the pose of body {body} contains NaN or infinity")]
pub struct NotFinite {
    /// Its slot in the layout.
    pub body: usize,
}

/// A world's shapes, prepared for contact search.
#[derive(Clone, Debug)]
pub struct ContactScene {
    shapes: Vec<SceneShape>,
    /// One bit for each two shapes: whether they may touch in some state.
    may: Vec<u64>,
    /// One bit for each two shapes: whether a guard applies to them.
    guarded: Vec<u64>,
    named: Vec<Named>,
    guards: Vec<PairGuard>,
    planes: Vec<u32>,
    /// Shapes that are not planes; the sweep numbers them in this order.
    bounded: Vec<u32>,
    /// Whether any two of those may touch: a robot that does not collide with itself needs no sweep.
    among_bounded: bool,
    sweep: Sweep,
    boxes: Vec<[Vec3; 2]>,
    /// Centre and radius of the bounding ball of each of those, enlarged like its box.
    balls: Vec<(Vec3, f64)>,
    world_from_shape: Vec<Pose>,
    /// Two shapes each, the lower number in the upper half.
    candidates: Vec<u64>,
    spots: Vec<Spot>,
    scratch: Scratch,
    /// Shapes with flat faces, which another may continue; none if no two could.
    flat: Vec<u32>,
    /// For each candidate with a flat shape the other one, in the upper half, and that shape.
    flat_near: Vec<u64>,
    /// Flat shapes that the first and the second shape of a pair may touch besides each other.
    others: [Vec<u32>; 2],
    spare: Vec<Spot>,
}

impl ContactScene {
    /// Prepares the shapes of a world. Everything unsupported is listed: the name of the shape or pair and
    /// the reason.
    pub fn new(world: &World, layout: &Layout) -> Result<Self, Vec<(String, GapError)>> {
        let mut trouble = Vec::new();
        let mut shapes = Vec::new();
        let rules: Vec<TouchRules> = world.placements.iter().map(|p| TouchRules::over_all_states(&p.model)).collect();
        let mut models: Vec<&BodyShape> = Vec::new();
        for (slot, body) in layout.bodies.iter().enumerate().filter(|_| world.contact) {
            let placement = &world.placements[body.placement];
            for (s, shape) in placement.model.body(body.body).shapes.iter().enumerate().filter(|(_, s)| s.collides) {
                match Ready::new(&shape.shape) {
                    Ok(ready) => {
                        let id = ShapeId { placement: body.placement, body: body.body, shape: s };
                        shapes.push(SceneShape {
                            id,
                            body: slot,
                            body_from_shape: shape.body_from_shape,
                            material: shape.material,
                            fixed: rules[body.placement].is_fixed(body.body),
                            piece: rules[body.placement].piece_of(body.body).map(|piece| (body.placement, piece)),
                            ready,
                        });
                        models.push(shape);
                    }
                    Err(why) => trouble.push((format!("{}/{}", body.name, shape.name), why)),
                }
            }
        }
        // Solids with flat faces need their surface as triangles only where some other solid is not convex.
        if shapes.iter().any(|s: &SceneShape| s.ready.is_mesh()) {
            for shape in &shapes {
                shape.ready.boundary();
            }
        }
        let count = shapes.len();
        let words = (count * count).div_ceil(64);
        let (named, guards) = named_pairs(world, layout);
        let mut flat: Vec<u32> = (0..count as u32).filter(|i| seam::is_flat(&shapes[*i as usize].ready)).collect();
        if flat.len() < 2 {
            flat.clear();
        }
        let bounded: Vec<u32> = (0..count as u32).filter(|i| !shapes[*i as usize].ready.is_plane()).collect();
        let mut scene = Self {
            may: vec![0; words],
            guarded: vec![0; words],
            planes: (0..count as u32).filter(|i| shapes[*i as usize].ready.is_plane()).collect(),
            sweep: Sweep::new(bounded.len()),
            boxes: vec![[Vec3::zeros(); 2]; bounded.len()],
            balls: vec![(Vec3::zeros(), 0.0); bounded.len()],
            world_from_shape: vec![Pose::identity(); count],
            among_bounded: false,
            bounded,
            shapes,
            named,
            guards,
            candidates: Vec::new(),
            spots: Vec::new(),
            scratch: Scratch::default(),
            flat_near: Vec::new(),
            others: [Vec::with_capacity(flat.len()), Vec::with_capacity(flat.len())],
            spare: Vec::with_capacity(64),
            flat,
        };
        for a in 0..count {
            for b in a + 1..count {
                let part = |i: usize| {
                    let ShapeId { placement, body, .. } = scene.shapes[i].id;
                    (placement, body, models[i])
                };
                if !may_touch(&rules, part(a), part(b)) {
                    continue;
                }
                if let Some(why) = endless(&scene.shapes[a].ready, &scene.shapes[b].ready) {
                    let name = |i: usize| format!("{}/{}", layout.bodies[scene.shapes[i].body].name, models[i].name);
                    trouble.push((format!("{} and {}", name(a), name(b)), why));
                }
                let bit = a * count + b;
                scene.may[bit / 64] |= 1 << (bit % 64);
                scene.among_bounded |= ![a, b].iter().any(|i| scene.shapes[*i].ready.is_plane());
                if scene.named.iter().any(|n| n.guard.is_some() && scene.concerns(n, a, b)) {
                    scene.guarded[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        if trouble.is_empty() { Ok(scene) } else { Err(trouble) }
    }

    /// All collision shapes, in order.
    pub fn shapes(&self) -> &[SceneShape] {
        &self.shapes
    }

    /// The two shapes of a pair.
    pub fn shapes_of(&self, pair: u32) -> [usize; 2] {
        let count = self.shapes.len();
        [pair as usize / count, pair as usize % count]
    }

    /// The number of the pair of two shapes, the lower first; `None` if they may never touch.
    pub fn pair_of(&self, shape_a: usize, shape_b: usize) -> Option<u32> {
        let count = self.shapes.len();
        let bit = shape_a * count + shape_b;
        (shape_a < shape_b && shape_b < count && bit_of(&self.may, bit)).then_some(bit as u32)
    }

    /// Removes a shape from contact. Numbers of shapes and pairs stay the same.
    pub fn ignore(&mut self, shape: usize) {
        let count = self.shapes.len();
        for other in 0..count {
            let bit = shape.min(other) * count + shape.max(other);
            self.may[bit / 64] &= !(1 << (bit % 64));
        }
    }

    /// The material that a named contact pair gives a pair, as a placement and a material of its model.
    pub fn material_of(&self, pair: u32) -> Option<(usize, MaterialId)> {
        let [a, b] = self.shapes_of(pair);
        self.named.iter().filter(|n| self.concerns(n, a, b)).find_map(|n| n.material)
    }

    /// Named pairs with conditions.
    pub fn guards(&self) -> &[PairGuard] {
        &self.guards
    }

    /// The guards of a pair, as indices in [`ContactScene::guards`]: it touches only while all are active.
    pub fn guards_of(&self, pair: u32) -> impl Iterator<Item = usize> + '_ {
        let [a, b] = self.shapes_of(pair);
        self.named.iter().filter(move |n| self.concerns(n, a, b)).filter_map(|n| n.guard)
    }

    /// Whether a pair may touch now.
    pub fn is_live(&self, pair: u32) -> bool {
        !bit_of(&self.guarded, pair as usize) || self.guards_of(pair).all(|g| self.guards[g].live)
    }

    /// Sets whether a guard is active.
    pub fn set_live(&mut self, guard: usize, live: bool) {
        self.guards[guard].live = live;
    }

    /// Sets all guards by their conditions, at a state of the world.
    pub fn judge_guards(&mut self, q: &[f64], v: &[f64]) {
        for guard in &mut self.guards {
            guard.live = guard.numbers.iter().all(|number| number.holds(q, v));
        }
    }

    /// Lists every point with a gap of at most `margin` plus the reach of both bodies, in order of pairs.
    ///
    /// `world_from_body` and `reach`, how far points of a body may move in the step [m], are by slots of the layout.
    /// The list depends on these only, not on earlier calls.
    pub fn find(
        &mut self,
        world_from_body: &[Pose],
        reach: &[f64],
        margin: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), NotFinite> {
        out.clear();
        for (shape, pose) in self.shapes.iter().zip(&mut self.world_from_shape) {
            *pose = world_from_body[shape.body] * shape.body_from_shape;
            let sum = pose.translation.vector.sum() + pose.rotation.coords.sum() + reach[shape.body];
            if !sum.is_finite() {
                return Err(NotFinite { body: shape.body });
            }
        }
        self.search(reach, margin);
        self.list_flat();
        let count = self.shapes.len();
        for c in 0..self.candidates.len() {
            let candidate = self.candidates[c];
            let (a, b) = ((candidate >> 32) as usize, (candidate & 0xffff_ffff) as usize);
            let pair = (a * count + b) as u32;
            if bit_of(&self.guarded, pair as usize) && !self.is_live(pair) {
                continue;
            }
            let (shape_a, shape_b) = (&self.shapes[a], &self.shapes[b]);
            let limit = margin + reach[shape_a.body] + reach[shape_b.body];
            let named = |s: &Spot| point_of(pair, [a, b], [shape_a, shape_b], s);
            // Piles of balls are large: a fast path without dispatch for their few lines of arithmetic.
            let (pose_a, pose_b) = (&self.world_from_shape[a], &self.world_from_shape[b]);
            match (&shape_a.ready.form, &shape_b.ready.form) {
                (Form::Sphere { radius }, Form::Sphere { radius: second }) => {
                    let (p, q) = (pose_a.translation.vector, pose_b.translation.vector);
                    out.extend(ball_ball(p, *radius, q, *second, limit).as_ref().map(named));
                    continue;
                }
                (Form::Sphere { radius }, Form::Plane) => {
                    let spot = ball_over_plane(*radius, &pose_a.translation.vector, pose_b, limit);
                    out.extend(spot.map(|s| named(&s.transformed(pose_b))));
                    continue;
                }
                (Form::Plane, Form::Sphere { radius }) => {
                    let spot = ball_over_plane(*radius, &pose_b.translation.vector, pose_a, limit);
                    out.extend(spot.map(|s| named(&s.swapped().transformed(pose_a))));
                    continue;
                }
                _ => {}
            }
            let poses = [self.world_from_shape[a], self.world_from_shape[b]];
            self.spots.clear();
            meet(&shape_a.ready, &shape_b.ready, &poses, limit, &mut self.scratch, &mut self.spots);
            if !self.flat_near.is_empty() && !self.spots.is_empty() {
                near_of(&self.flat_near, a, b, &mut self.others[0]);
                near_of(&self.flat_near, b, a, &mut self.others[1]);
                let Self { shapes, world_from_shape, others, scratch, spare, spots, .. } = self;
                mend(shapes, world_from_shape, [a, b], others, limit, (scratch, spare, spots));
            }
            let (shape_a, shape_b) = (&self.shapes[a], &self.shapes[b]);
            out.extend(self.spots.iter().map(|s| point_of(pair, [a, b], [shape_a, shape_b], s)));
        }
        Ok(())
    }

    /// Fills the flat shapes near each shape, from the candidates.
    fn list_flat(&mut self) {
        self.flat_near.clear();
        if self.flat.is_empty() {
            return;
        }
        for c in 0..self.candidates.len() {
            let (a, b) = (self.candidates[c] >> 32, self.candidates[c] & 0xffff_ffff);
            let pair = a as usize * self.shapes.len() + b as usize;
            if bit_of(&self.guarded, pair) && !self.is_live(pair as u32) {
                continue;
            }
            for (shape, other) in [(a, b), (b, a)] {
                if seam::is_flat(&self.shapes[other as usize].ready) {
                    self.flat_near.push(shape << 32 | other);
                }
            }
        }
        self.flat_near.sort_unstable();
    }

    /// Fills the flat shapes near the two of a pair, from their poses.
    fn look_around(&mut self, [a, b]: [usize; 2], world_from_body: &[Pose], limit: f64) {
        let mut others = std::mem::take(&mut self.others);
        let count = self.shapes.len();
        for (others, [shape, second]) in others.iter_mut().zip([[a, b], [b, a]]) {
            others.clear();
            for &c in &self.flat {
                let other = c as usize;
                let pair = shape.min(other) * count + shape.max(other);
                if other == shape || other == second || !bit_of(&self.may, pair) || !self.is_live(pair as u32) {
                    continue;
                }
                let reach = seam::reach(&self.shapes[shape].ready, limit);
                if self.least_gap_of(pair as u32, world_from_body) <= reach {
                    others.push(c);
                    let SceneShape { body, body_from_shape, .. } = self.shapes[other];
                    self.world_from_shape[other] = world_from_body[body] * body_from_shape;
                }
            }
        }
        self.others = others;
    }

    /// Lists every point of one pair with a gap of at most `limit`, whether or not the pair is active.
    pub fn points_of(&mut self, pair: u32, world_from_body: &[Pose], limit: f64, out: &mut Vec<ContactPoint>) {
        out.clear();
        let [a, b] = self.shapes_of(pair);
        let (Some(shape_a), Some(shape_b)) = (self.shapes.get(a), self.shapes.get(b)) else { return };
        let poses = [shape_a, shape_b].map(|s| world_from_body[s.body] * s.body_from_shape);
        self.spots.clear();
        meet(&shape_a.ready, &shape_b.ready, &poses, limit, &mut self.scratch, &mut self.spots);
        if !self.flat.is_empty() && !self.spots.is_empty() {
            [self.world_from_shape[a], self.world_from_shape[b]] = poses;
            self.look_around([a, b], world_from_body, limit);
            let Self { shapes, world_from_shape, others, scratch, spare, spots, .. } = self;
            mend(shapes, world_from_shape, [a, b], others, limit, (scratch, spare, spots));
        }
        let shapes = [&self.shapes[a], &self.shapes[b]];
        out.extend(self.spots.iter().map(|s| point_of(pair, [a, b], shapes, s)));
    }

    /// A lower bound of the gap of a pair, by the bounding balls of its shapes: a few operations, for callers that only need to
    /// rule out contact.
    pub fn least_gap_of(&self, pair: u32, world_from_body: &[Pose]) -> f64 {
        let [a, b] = self.shapes_of(pair);
        let (Some(a), Some(b)) = (self.shapes.get(a), self.shapes.get(b)) else { return f64::NEG_INFINITY };
        let ball = |s: &SceneShape| {
            let pose = &world_from_body[s.body];
            let middle = s.body_from_shape.rotation * s.ready.middle + s.body_from_shape.translation.vector;
            (pose.rotation * middle + pose.translation.vector, s.ready.extent.norm())
        };
        let over = |plane: &SceneShape, (middle, radius): (Vec3, f64)| {
            let pose = world_from_body[plane.body] * plane.body_from_shape;
            (pose.rotation * Vec3::z()).dot(&(middle - pose.translation.vector)) - radius
        };
        match (a.ready.is_plane(), b.ready.is_plane()) {
            (true, true) => f64::NEG_INFINITY,
            (true, false) => over(a, ball(b)),
            (false, true) => over(b, ball(a)),
            (false, false) => {
                let ((p, r), (q, s)) = (ball(a), ball(b));
                (p - q).norm() - r - s
            }
        }
    }

    /// Recomputes one point at other poses, whether or not it is still the deepest. `None` if the pair has no such feature, or
    /// if it is undefined at these poses (edges that became parallel).
    pub fn evaluate(&mut self, pair: u32, feature: u64, world_from_body: &[Pose]) -> Option<ContactPoint> {
        let [a, b] = self.shapes_of(pair);
        let [shape_a, shape_b] = [self.shapes.get(a)?, self.shapes.get(b)?];
        let poses = [shape_a, shape_b].map(|s| world_from_body[s.body] * s.body_from_shape);
        let spot = again(&shape_a.ready, &shape_b.ready, &poses, feature, &mut self.scratch)?;
        Some(ContactPoint { feature, ..point_of(pair, [a, b], [shape_a, shape_b], &spot) })
    }

    /// Fills the candidates: pairs that may touch and whose boxes and balls meet, in order.
    fn search(&mut self, reach: &[f64], margin: f64) {
        let Self {
            shapes,
            may,
            planes,
            bounded,
            among_bounded,
            sweep,
            boxes,
            balls,
            world_from_shape,
            candidates,
            ..
        } = self;
        candidates.clear();
        let count = shapes.len();
        let mut consider = |a: u32, b: u32| {
            let (a, b) = (a.min(b), a.max(b));
            if bit_of(may, a as usize * count + b as usize) {
                candidates.push(u64::from(a) << 32 | u64::from(b));
            }
        };
        for ((around, ball), &i) in boxes.iter_mut().zip(balls.iter_mut()).zip(bounded.iter()) {
            let (shape, pose) = (&shapes[i as usize], &world_from_shape[i as usize]);
            let grown = reach[shape.body] + 0.5 * margin;
            (*around, *ball) = around_shape(&shape.ready, pose, grown);
        }
        for &p in planes.iter() {
            let (plane, pose) = (&shapes[p as usize], &world_from_shape[p as usize]);
            let up = pose.rotation * Vec3::z();
            let level = up.dot(&pose.translation.vector) + reach[plane.body] + 0.5 * margin;
            for (around, &i) in boxes.iter().zip(bounded.iter()) {
                let lowest = |k: usize| (up[k] * around[0][k]).min(up[k] * around[1][k]);
                if lowest(0) + lowest(1) + lowest(2) <= level {
                    consider(p, i);
                }
            }
        }
        if *among_bounded {
            for (x, y) in sweep.near(boxes) {
                let (x, y) = (x as usize, y as usize);
                let ((p, r), (q, s)) = (&balls[x], &balls[y]);
                // The balls first: they separate more pairs than the boxes do, and cost less.
                if (p - q).norm_squared() <= (r + s) * (r + s) && broad::meet(&boxes[x], &boxes[y]) {
                    consider(bounded[x], bounded[y]);
                }
            }
        }
        candidates.sort_unstable();
    }

    fn concerns(&self, named: &Named, a: usize, b: usize) -> bool {
        let [a, b] = [&self.shapes[a], &self.shapes[b]];
        match named.b {
            Some(second) => (a.body == named.a && b.body == second) || (b.body == named.a && a.body == second),
            None => (a.body == named.a && b.fixed) || (b.body == named.a && a.fixed),
        }
    }
}

#[inline(always)]
fn point_of(pair: u32, [a, b]: [usize; 2], [shape_a, shape_b]: [&SceneShape; 2], spot: &Spot) -> ContactPoint {
    ContactPoint {
        pair,
        feature: spot.feature,
        body_a: shape_a.body as u32,
        body_b: shape_b.body as u32,
        shape_a: a as u32,
        shape_b: b as u32,
        point_a: spot.point_a,
        point_b: spot.point_b,
        normal: spot.normal,
        gap: spot.gap,
    }
}

/// The flat shapes near one shape, except another one.
fn near_of(flat_near: &[u64], shape: usize, but: usize, out: &mut Vec<u32>) {
    out.clear();
    let first = flat_near.partition_point(|n| ((n >> 32) as usize) < shape);
    let of_shape = flat_near[first..].iter().take_while(|n| (**n >> 32) as usize == shape);
    out.extend(of_shape.map(|n| *n as u32).filter(|c| *c as usize != but));
}

/// Removes contacts with internal edges from the points of a pair; see [`seam`].
fn mend(
    shapes: &[SceneShape],
    world_from_shape: &[Pose],
    [a, b]: [usize; 2],
    others: &[Vec<u32>; 2],
    limit: f64,
    (scratch, spare, spots): (&mut Scratch, &mut Vec<Spot>, &mut Vec<Spot>),
) {
    if others.iter().all(Vec::is_empty) {
        return;
    }
    let placed =
        |i: usize| Placed { number: i, piece: shapes[i].piece, ready: &shapes[i].ready, pose: world_from_shape[i] };
    let others = [0, 1].map(|k: usize| others[k].iter().map(|c| placed(*c as usize)));
    seam::mend(&[placed(a), placed(b)], others, limit, scratch, spare, spots);
}

fn bit_of(bits: &[u64], bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 == 1
}

/// Why the gap of two infinite shapes is not defined.
fn endless(a: &Ready, b: &Ready) -> Option<GapError> {
    let without_end = |r: &Ready| r.is_plane() || r.collider.is_ground();
    (without_end(a) && without_end(b)).then_some(GapError::BothUnbounded { a: a.collider.name, b: b.collider.name })
}

/// The bounding box and the bounding ball of a shape in the world, enlarged on all sides.
fn around_shape(ready: &Ready, pose: &Pose, grown: f64) -> ([Vec3; 2], (Vec3, f64)) {
    let (middle, extent, radius) = match &ready.form {
        Form::Sphere { radius } => (pose.translation.vector, Vec3::repeat(*radius), *radius),
        _ => {
            let turn = pose.rotation.to_rotation_matrix();
            let middle = turn * ready.middle + pose.translation.vector;
            (middle, turn.matrix().abs() * ready.extent, ready.extent.norm())
        }
    };
    // A few roundings wider: shapes that just touch must overlap here.
    let grown = grown + 1e-14 * (middle.amax() + radius);
    let wide = extent.add_scalar(grown);
    ([middle - wide, middle + wide], (middle, radius + grown))
}
