//! Gaps of the named contact pairs of a world.
//!
//! The gap of a pair is the smallest distance between a collision shape of its first body and one of its second, over
//! shapes that groups and masks allow to touch. Where the second is the environment, it is every body of any placement that
//! cannot move. Filters, neighbours and conditions are ignored: a pair is named because its gap is requested.

use crate::collider::Collider;
use crate::gap::collider_gap_within;
use crate::pairs::TouchRules;
use veracity_model::{BodyId, BodyShape, Pose, World};

/// The named pairs of a world, in the order of the layout, with their prepared shapes.
#[derive(Clone, Debug, Default)]
pub struct NamedPairs {
    shapes: Vec<Placed>,
    /// For each pair the candidates, as indices into `shapes`.
    pairs: Vec<Vec<(usize, usize)>>,
}

/// A collision shape on a body of the layout. `None` where no distance to it can be measured.
#[derive(Clone, Debug)]
struct Placed {
    body: usize,
    body_from_shape: Pose,
    collider: Option<Collider>,
}

impl NamedPairs {
    /// Collects the shapes of all named pairs.
    pub fn new(world: &World) -> Self {
        let mut wanted = Vec::new();
        let mut first = 0;
        for placement in &world.placements {
            let pairs = placement.model.contact_pairs().iter();
            wanted.extend(pairs.map(|pair| (first + pair.a.0, pair.b.map(|b| first + b.0))));
            first += placement.model.bodies().len();
        }
        Self::gather(world, &wanted)
    }

    /// Pairs of bodies by their slots in the layout, whichever models they belong to.
    pub fn of_bodies(world: &World, pairs: &[(usize, usize)]) -> Self {
        let pairs: Vec<_> = pairs.iter().map(|&(a, b)| (a, Some(b))).collect();
        Self::gather(world, &pairs)
    }

    /// Pairs of slots; without a second one every body that cannot move is meant.
    fn gather(world: &World, wanted: &[(usize, Option<usize>)]) -> Self {
        let mut named = Self::default();
        let mut candidates: Vec<(usize, &BodyShape)> = Vec::new();
        let mut fixed = Vec::new();
        let mut first = 0;
        for placement in &world.placements {
            let model = &placement.model;
            let rules = TouchRules::new(model, &model.neutral_positions());
            for (i, body) in model.bodies().iter().enumerate() {
                fixed.push(rules.is_fixed(BodyId(i)));
                candidates.extend(body.shapes.iter().filter(|s| s.collides).map(|s| (first + i, s)));
            }
            first += model.bodies().len();
        }
        for &(a, b) in wanted {
            let second = |body: usize| match b {
                Some(b) => body == b,
                None => fixed[body] && body != a,
            };
            let mut list = Vec::new();
            for (i, (_, shape_a)) in candidates.iter().enumerate().filter(|(_, (body, _))| *body == a) {
                for (k, (_, shape_b)) in candidates.iter().enumerate().filter(|(_, (body, _))| second(*body)) {
                    if shape_a.may_touch(shape_b) {
                        list.push((i, k));
                    }
                }
            }
            named.pairs.push(list);
        }
        // Trees over meshes are built only for shapes that a pair needs.
        let mut needed = vec![false; candidates.len()];
        named.pairs.iter().flatten().for_each(|(a, b)| (needed[*a], needed[*b]) = (true, true));
        named.shapes = candidates
            .iter()
            .zip(needed)
            .map(|((body, shape), needed)| Placed {
                body: *body,
                body_from_shape: shape.body_from_shape,
                collider: if needed { Collider::new(&shape.shape).ok() } else { None },
            })
            .collect();
        named
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Measures all pairs, with the body poses given by `place` [m].
    pub fn measure(&self, out: &mut [f64], place: impl Fn(usize) -> Pose) {
        for (pair, gap) in out.iter_mut().enumerate() {
            *gap = self.gap(pair, &place);
        }
    }

    /// The gap of a pair [m], given the pose of each body of the layout. NaN where the pair has no shapes or one of their
    /// distances cannot be computed: a gap that ignores a shape would be too large.
    pub fn gap(&self, pair: usize, world_from_body: impl Fn(usize) -> Pose) -> f64 {
        let mut least = f64::INFINITY;
        for (a, b) in &self.pairs[pair] {
            let (a, b) = (&self.shapes[*a], &self.shapes[*b]);
            let (Some(collider_a), Some(collider_b)) = (&a.collider, &b.collider) else { return f64::NAN };
            let world_from_a = world_from_body(a.body) * a.body_from_shape;
            let world_from_b = world_from_body(b.body) * b.body_from_shape;
            match collider_gap_within(collider_a, &world_from_a, collider_b, &world_from_b, least) {
                Ok(Some(gap)) => least = least.min(gap.distance),
                Ok(None) => {}
                Err(_) => return f64::NAN,
            }
        }
        if least.is_finite() { least } else { f64::NAN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::geometry::at;
    use veracity_model::{Body, ContactPair, Inertia, Joint, JointKind, ModelBuilder, Shape};

    fn world() -> World {
        let mut builder = ModelBuilder::new("w");
        let table = Body::new("table", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
        builder.add_body(table, Joint::new("ground", JointKind::Fixed), None);
        let ball = || Inertia::solid_sphere(1.0, 0.1);
        let sphere = || Shape::Sphere { radius: 0.1 };
        let two =
            Body::new("two", ball()).with_shape(sphere(), at(0.0, 0.0, 0.0)).with_shape(sphere(), at(0.0, 0.0, -0.3));
        let a = builder.add_body(two, Joint::new("f1", JointKind::Free), None);
        let one = Body::new("one", ball()).with_shape(sphere(), Pose::identity());
        let b = builder.add_body(one, Joint::new("f2", JointKind::Free), None);
        let bare = builder.add_body(Body::new("bare", ball()), Joint::new("f3", JointKind::Free), None);
        for (name, a, b) in [("floor", a, None), ("balls", a, Some(b)), ("nothing", bare, None)] {
            let pair = ContactPair { name: name.into(), a, b, material: None, conditions: Vec::new() };
            builder.add_contact_pair(pair);
        }
        World::with_model(builder.build().unwrap())
    }

    #[test]
    fn bodies_of_two_models_have_a_gap() {
        let mut two = world();
        two.placements.push(two.placements[0].clone());
        two.placements[1].name = "other".to_string();
        // `one` of both models, centres 0.5 m apart: slots 2 and 6. Roundings of sums of order one.
        let between = NamedPairs::of_bodies(&two, &[(2, 6)]);
        let poses = |body: usize| if body == 6 { at(0.3, 0.4, 0.0) } else { at(0.0, 0.0, 0.0) };
        assert!((between.gap(0, poses) - 0.3).abs() < 1e-15, "{}", between.gap(0, poses));
    }

    #[test]
    fn the_nearest_shapes_count_and_no_shape_is_no_gap() {
        let named = NamedPairs::new(&world());
        let poses = [at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.0), at(1.0, 0.0, 1.0), at(0.0, 0.0, 0.0)];
        let gap = |pair| named.gap(pair, |body| poses[body]);
        // Lower ball's centre at 0.7; ball to ball 1 - 0.2. Roundings of sums of order one.
        assert!((gap(0) - 0.6).abs() < 1e-15, "{}", gap(0));
        assert!((gap(1) - 0.8).abs() < 1e-15, "{}", gap(1));
        assert!(gap(2).is_nan());
        assert_eq!(named.len(), 3);
    }
}
