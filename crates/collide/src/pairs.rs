//! Which bodies of a model may touch.
//!
//! Bodies joined by fixed joints are one rigid piece. Two bodies may touch unless
//!
//! 1. they are one piece, or neither can move;
//! 2. a collision filter names their pair;
//! 3. the model does not collide with itself;
//! 4. a joint connects their two pieces and the model does not let neighbours collide. A free joint does not
//!    count;
//! 5. a contact pair names them and one of its conditions on the state does not hold.
//!
//! Two shapes of bodies that may touch must also match in their groups and masks: [`BodyShape::may_touch`].

use std::collections::BTreeSet;
use veracity_model::{BodyId, BodyShape, ContactPair, JointKind, Model, StateCondition, World};

/// The rules of one model at one configuration.
#[derive(Clone, Debug)]
pub struct TouchRules {
    piece: Vec<usize>,
    fixed_to_world: Vec<bool>,
    filtered: BTreeSet<(BodyId, BodyId)>,
    joined: BTreeSet<(usize, usize)>,
    off: BTreeSet<(BodyId, Option<BodyId>)>,
    self_collide: bool,
}

impl TouchRules {
    /// The rules at positions `q`, at rest.
    pub fn new(model: &Model, q: &[f64]) -> Self {
        let count = model.bodies().len();
        let mut piece: Vec<usize> = (0..count).collect();
        let mut fixed_to_world = vec![false; count];
        // Parents come before children, so one pass is enough.
        for (i, joint) in model.joints().iter().enumerate() {
            if joint.kind == JointKind::Fixed {
                piece[i] = joint.parent.map_or(i, |p| piece[p.0]);
                fixed_to_world[i] = joint.parent.is_none_or(|p| fixed_to_world[p.0]);
            }
        }
        let mut joined = BTreeSet::new();
        if !model.adjacent_bodies_collide() {
            for (i, joint) in model.joints().iter().enumerate() {
                if let (Some(parent), false) =
                    (joint.parent, matches!(joint.kind, JointKind::Fixed | JointKind::Free))
                {
                    joined.insert(ordered(piece[parent.0], piece[i]));
                }
            }
            for l in model.loops() {
                if let (Some(a), Some(b)) = (l.body_a, l.body_b) {
                    joined.insert(ordered(piece[a.0], piece[b.0]));
                }
            }
        }
        Self {
            filtered: model.collision_filters().iter().map(|f| ordered(f.a, f.b)).collect(),
            off: model.contact_pairs().iter().filter(|p| !conditions_hold(model, p, q)).map(|p| (p.a, p.b)).collect(),
            self_collide: model.self_collide(),
            piece,
            fixed_to_world,
            joined,
        }
    }

    /// The rules over all states: conditions of contact pairs are assumed to hold.
    pub fn over_all_states(model: &Model) -> Self {
        Self { off: BTreeSet::new(), ..Self::new(model, &[]) }
    }

    /// Whether a body cannot move at all.
    pub fn is_fixed(&self, body: BodyId) -> bool {
        self.fixed_to_world[body.0]
    }

    /// An index shared by bodies joined by fixed joints; `None` if they are fixed to the world.
    pub(crate) fn piece_of(&self, body: BodyId) -> Option<usize> {
        (!self.is_fixed(body)).then(|| self.piece[body.0])
    }

    /// Whether these shapes of two bodies of the model may touch.
    pub fn within(&self, a: (BodyId, &BodyShape), b: (BodyId, &BodyShape)) -> bool {
        let (body_a, body_b) = (a.0, b.0);
        let [piece_a, piece_b] = [body_a, body_b].map(|x| self.piece[x.0]);
        let held_apart = piece_a == piece_b
            || (self.is_fixed(body_a) && self.is_fixed(body_b))
            || self.filtered.contains(&ordered(body_a, body_b))
            || !self.self_collide
            || self.joined.contains(&ordered(piece_a, piece_b))
            || self.off.contains(&(body_a, Some(body_b)))
            || self.off.contains(&(body_b, Some(body_a)))
            || (self.is_fixed(body_b) && self.environment_is_off(body_a))
            || (self.is_fixed(body_a) && self.environment_is_off(body_b));
        !held_apart && a.1.may_touch(b.1)
    }

    /// Whether a body's contact with the environment is switched off by the conditions of a contact pair.
    pub fn environment_is_off(&self, body: BodyId) -> bool {
        self.off.contains(&(body, None))
    }
}

/// Whether shapes of two bodies of a world may touch; `rules` has one entry for each placement.
pub(crate) fn may_touch(
    rules: &[TouchRules],
    a: (usize, BodyId, &BodyShape),
    b: (usize, BodyId, &BodyShape),
) -> bool {
    let [rules_a, rules_b] = [a.0, b.0].map(|placement| &rules[placement]);
    if a.0 == b.0 {
        return rules_a.within((a.1, a.2), (b.1, b.2));
    }
    let [fixed_a, fixed_b] = [rules_a.is_fixed(a.1), rules_b.is_fixed(b.1)];
    let off_a = fixed_b && rules_a.environment_is_off(a.1);
    let off_b = fixed_a && rules_b.environment_is_off(b.1);
    let held_apart = (fixed_a && fixed_b) || off_a || off_b;
    !held_apart && a.2.may_touch(b.2)
}

/// Whether any two bodies of a world have shapes that may touch in some state. Stops at the first pair.
pub fn some_may_touch(world: &World) -> bool {
    let rules: Vec<TouchRules> = world.placements.iter().map(|p| TouchRules::over_all_states(&p.model)).collect();
    let colliding: Vec<(usize, BodyId, &BodyShape)> = world
        .placements
        .iter()
        .enumerate()
        .flat_map(|(p, placement)| placement.model.bodies().iter().enumerate().map(move |(b, body)| (p, b, body)))
        .flat_map(|(p, b, body)| body.shapes.iter().filter(|s| s.collides).map(move |s| (p, BodyId(b), s)))
        .collect();
    colliding.iter().enumerate().any(|(i, &a)| colliding[i + 1..].iter().any(|&b| may_touch(&rules, a, b)))
}

fn conditions_hold(model: &Model, pair: &ContactPair, q: &[f64]) -> bool {
    pair.conditions.iter().all(|condition| match condition {
        StateCondition::JointPosition { joint, above, below } => {
            q.get(model.position_offset(*joint)).is_some_and(|x| (*above..=*below).contains(x))
        }
        // At rest.
        StateCondition::JointVelocity { above, below, .. } => (*above..=*below).contains(&0.0),
    })
}

fn ordered<T: Ord>(a: T, b: T) -> (T, T) {
    if a <= b { (a, b) } else { (b, a) }
}
