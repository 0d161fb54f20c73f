//! Overlapping pairs of shapes of a world that may touch.
//!
//! Bounding boxes of the shapes are sorted along x and swept; only pairs whose boxes overlap and whose bodies may touch
//! (see [`TouchRules`]) are measured.

use crate::collider::Collider;
use crate::gap::{Gap, GapError, collider_gap_within};
use crate::pairs::{TouchRules, may_touch};
use veracity_model::{BodyId, BodyShape, Pose, Vec3, World};

/// The poses of all bodies of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// For each placement, positions in the order of [`veracity_model::Model::position_offset`].
    pub q: Vec<Vec<f64>>,
    /// For each placement, the pose of each body in the world.
    pub world_from_body: Vec<Vec<Pose>>,
}

/// One shape of one body of one placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShapeId {
    /// Index in [`World::placements`].
    pub placement: usize,
    /// The body in its model.
    pub body: BodyId,
    /// Index in the body's shapes.
    pub shape: usize,
}

/// Two shapes that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The first, lower in order.
    pub a: ShapeId,
    /// The second.
    pub b: ShapeId,
    /// Their gap; its distance is negative.
    pub gap: Gap,
}

/// The overlaps, and the shapes that could not be measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlaps {
    /// In the order of the shapes.
    pub found: Vec<Overlap>,
    /// Shapes that may touch and could not be measured.
    pub unmeasured: Vec<Unmeasured>,
}

/// A shape, or a pair of them, for which there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmeasured {
    /// The shape.
    pub a: ShapeId,
    /// The other shape, where the pair is the reason.
    pub b: Option<ShapeId>,
    /// Why.
    pub why: GapError,
}

struct Placed<'a> {
    id: ShapeId,
    shape: &'a BodyShape,
    world_from_shape: Pose,
    collider: Collider,
    /// Lowest and highest corner; infinite for a plane.
    bounds: [Vec3; 2],
}

impl Placed<'_> {
    fn part(&self) -> (usize, BodyId, &BodyShape) {
        (self.id.placement, self.id.body, self.shape)
    }
}

/// All overlaps of shapes that may touch. Shapes that only touch have a gap of zero and are not listed.
pub fn overlaps(world: &World, configuration: &Configuration) -> Overlaps {
    let mut out = Overlaps::default();
    let mut placed = Vec::new();
    for (p, placement) in world.placements.iter().enumerate() {
        for (b, body) in placement.model.bodies().iter().enumerate() {
            for (s, shape) in body.shapes.iter().enumerate().filter(|(_, s)| s.collides) {
                let id = ShapeId { placement: p, body: BodyId(b), shape: s };
                let world_from_shape = configuration.world_from_body[p][b] * shape.body_from_shape;
                match Collider::new(&shape.shape) {
                    Ok(collider) => {
                        let everywhere = [Vec3::repeat(f64::NEG_INFINITY), Vec3::repeat(f64::INFINITY)];
                        let bounds = collider.bounds(&world_from_shape).unwrap_or(everywhere);
                        placed.push(Placed { id, shape, world_from_shape, collider, bounds });
                    }
                    Err(why) => out.unmeasured.push(Unmeasured { a: id, b: None, why }),
                }
            }
        }
    }
    let rules: Vec<TouchRules> =
        world.placements.iter().zip(&configuration.q).map(|(p, q)| TouchRules::new(&p.model, q)).collect();

    placed.sort_by(|a, b| a.bounds[0].x.total_cmp(&b.bounds[0].x).then(a.id.cmp(&b.id)));
    for (i, a) in placed.iter().enumerate() {
        for b in placed[i + 1..].iter().take_while(|b| b.bounds[0].x <= a.bounds[1].x) {
            let boxes_meet = (1..3).all(|k| a.bounds[0][k] <= b.bounds[1][k] && b.bounds[0][k] <= a.bounds[1][k]);
            if !boxes_meet || !may_touch(&rules, a.part(), b.part()) {
                continue;
            }
            let (a, b) = if a.id <= b.id { (a, b) } else { (b, a) };
            match collider_gap_within(&a.collider, &a.world_from_shape, &b.collider, &b.world_from_shape, 0.0) {
                Ok(Some(gap)) if gap.distance < 0.0 => out.found.push(Overlap { a: a.id, b: b.id, gap }),
                Ok(_) => {}
                Err(why) => out.unmeasured.push(Unmeasured { a: a.id, b: Some(b.id), why }),
            }
        }
    }
    out.found.sort_by_key(|o| (o.a, o.b));
    out
}
