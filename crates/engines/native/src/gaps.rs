//! Gaps of the named pairs, measured on the shapes themselves.

use veracity_collide::{Collider, TouchRules, collider_gap};
use veracity_engine::{BodyState, Unsupported};
use veracity_model::{BodyId, BodyShape, Layout, Pose, World};

/// Measures the named pairs of a world.
pub(crate) struct GapWatch {
    pairs: Vec<Vec<[Part; 2]>>,
    /// Smallest gap of each pair so far [m].
    pub(crate) least: Vec<f64>,
    /// The last measured gaps [m].
    pub(crate) now: Vec<f64>,
}

/// A shape on a body.
#[derive(Clone)]
struct Part {
    slot: usize,
    body_from_shape: Pose,
    collider: Collider,
}

impl GapWatch {
    /// Prepares every pair; those that cannot be measured are added to `unsupported`.
    pub(crate) fn new(world: &World, layout: &Layout, unsupported: &mut Vec<Unsupported>) -> Self {
        let rules: Vec<TouchRules> = world.placements.iter().map(|p| TouchRules::over_all_states(&p.model)).collect();
        let mut pairs = Vec::new();
        let mut first = 0;
        for placement in &world.placements {
            let model = &placement.model;
            for pair in model.contact_pairs() {
                let b: Vec<usize> = match pair.b {
                    Some(b) => vec![first + b.0],
                    // The environment: whatever cannot move.
                    None => (0..layout.bodies.len()).filter(|s| is_fixed(&rules, layout, *s)).collect(),
                };
                let name = format!("{}/{}", placement.name, pair.name);
                pairs.push(parts(world, layout, first + pair.a.0, &b, &name, unsupported));
            }
            first += model.bodies().len();
        }
        let count = pairs.len();
        Self { pairs, least: vec![f64::INFINITY; count], now: vec![f64::NAN; count] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether a pair has shapes to measure between.
    pub(crate) fn has_shapes(&self, pair: usize) -> bool {
        !self.pairs[pair].is_empty()
    }

    /// The gap of one pair [m], with the bodies where `place` says; NaN without shapes.
    pub(crate) fn measure(&self, pair: usize, place: impl Fn(usize) -> Pose) -> f64 {
        let mut least = f64::NAN;
        for [a, b] in &self.pairs[pair] {
            let (pose_a, pose_b) = (place(a.slot) * a.body_from_shape, place(b.slot) * b.body_from_shape);
            // Shapes that can be measured at all were chosen at load; too far apart to square is no gap of interest.
            let gap = collider_gap(&a.collider, &pose_a, &b.collider, &pose_b).map_or(f64::INFINITY, |g| g.distance);
            least = least.min(gap);
        }
        least
    }

    /// Measures all pairs and keeps the least.
    pub(crate) fn look(&mut self, bodies: &[BodyState]) {
        self.measure_all(bodies);
        for (least, now) in self.least.iter_mut().zip(&self.now) {
            *least = least.min(*now);
        }
    }

    /// Measures all pairs into `now`.
    pub(crate) fn measure_all(&mut self, bodies: &[BodyState]) {
        for pair in 0..self.pairs.len() {
            self.now[pair] = self.measure(pair, |slot| bodies[slot].world_from_body);
        }
    }
}

fn is_fixed(rules: &[TouchRules], layout: &Layout, slot: usize) -> bool {
    let body = &layout.bodies[slot];
    rules[body.placement].is_fixed(body.body)
}

/// Every shape of `a` against every shape of the others that is willing to touch it.
fn parts(
    world: &World,
    layout: &Layout,
    a: usize,
    others: &[usize],
    pair: &str,
    unsupported: &mut Vec<Unsupported>,
) -> Vec<[Part; 2]> {
    let shapes = |slot: usize| -> &[BodyShape] {
        let body = &layout.bodies[slot];
        let BodyId(index) = body.body;
        &world.placements[body.placement].model.bodies()[index].shapes
    };
    let mut refuse = |why: String| {
        unsupported.push(Unsupported {
            feature: format!("the gap of the pair '{pair}' ({why})"),
            hint: "give the pair other shapes or take it out".to_string(),
        });
    };
    let mut out = Vec::new();
    for &b in others.iter().filter(|b| **b != a) {
        for (x, y) in shapes(a).iter().flat_map(|x| shapes(b).iter().map(move |y| (x, y))) {
            if !x.may_touch(y) {
                continue;
            }
            let made = Collider::new(&x.shape).and_then(|x| Ok((x, Collider::new(&y.shape)?)));
            // Whether two kinds of shape can be measured does not depend on where they are.
            let tried =
                made.and_then(|(x, y)| collider_gap(&x, &Pose::identity(), &y, &Pose::identity()).map(|_| (x, y)));
            match tried {
                Ok((ca, cb)) => out.push([
                    Part { slot: a, body_from_shape: x.body_from_shape, collider: ca },
                    Part { slot: b, body_from_shape: y.body_from_shape, collider: cb },
                ]),
                Err(why) => refuse(why.to_string()),
            }
        }
    }
    out
}
