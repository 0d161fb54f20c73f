//! Who may touch whom, in Rapier's collision groups.
//!
//! The model's rules (filters, neighbours, groups, masks) give a symmetric table of colliders. Colliders with the same
//! row are one class. Each class gets a bit of its own: member of that bit, filter of the bits of the classes it may
//! touch. A table of more than 32 classes does not fit into the bits and is asked for through a hook instead; Rapier
//! then does not recycle the contact points of those pairs.

use rapier3d_f64::geometry::{
    ColliderHandle, ColliderSet, Group, InteractionGroups, InteractionTestMode, SolverFlags,
};
use rapier3d_f64::pipeline::{PairFilterContext, PhysicsHooks};
use veracity_collide::TouchRules;
use veracity_model::{BodyId, BodyShape, Layout, World};

/// A shape that collides.
#[derive(Clone, Copy, Debug)]
pub struct Touching<'a> {
    /// Slot of its body.
    pub body: usize,
    /// The shape.
    pub shape: &'a BodyShape,
}

/// The table, in the order of the colliders.
#[derive(Clone, Debug, Default)]
pub struct TouchTable {
    count: usize,
    allowed: Vec<bool>,
    /// For each collider its class, if there are at most 32.
    classes: Option<Vec<u32>>,
}

impl TouchTable {
    /// Applies the rules of every model.
    pub fn new(world: &World, layout: &Layout, shapes: &[Touching]) -> Self {
        let models = world.placements.iter().map(|p| &p.model);
        let rules: Vec<TouchRules> = models.map(|m| TouchRules::new(m, &m.neutral_positions())).collect();
        let count = shapes.len();
        let mut allowed = vec![false; count * count];
        let id = |s: &Touching| (layout.bodies[s.body].placement, layout.bodies[s.body].body);
        for (i, a) in shapes.iter().enumerate() {
            for (k, b) in shapes.iter().enumerate().skip(i + 1) {
                let ((placement_a, body_a), (placement_b, body_b)) = (id(a), id(b));
                let fixed = |placement: usize, body: BodyId| rules[placement].is_fixed(body);
                let yes = if placement_a == placement_b {
                    rules[placement_a].within((body_a, a.shape), (body_b, b.shape))
                } else {
                    !(fixed(placement_a, body_a) && fixed(placement_b, body_b)) && a.shape.may_touch(b.shape)
                };
                (allowed[i * count + k], allowed[k * count + i]) = (yes, yes);
            }
        }
        let classes = classes(count, &allowed);
        Self { count, allowed, classes }
    }

    /// Whether two colliders may touch.
    pub fn allows(&self, a: usize, b: usize) -> bool {
        self.allowed[a * self.count + b]
    }

    /// Whether the hook is needed.
    pub fn needs_hook(&self) -> bool {
        self.classes.is_none()
    }

    /// The groups of a collider.
    pub fn groups(&self, collider: usize) -> InteractionGroups {
        let Some(classes) = &self.classes else { return InteractionGroups::all() };
        let filter = (0..self.count).filter(|k| self.allows(collider, *k)).fold(0, |bits, k| bits | 1 << classes[k]);
        let member = Group::from_bits_truncate(1 << classes[collider]);
        InteractionGroups::new(member, Group::from_bits_truncate(filter), InteractionTestMode::And)
    }
}

/// Two colliders are of one class if they may touch the same others, and each other only if a class of one is enough to
/// say so: two members of a class that touches itself must touch.
fn classes(count: usize, allowed: &[bool]) -> Option<Vec<u32>> {
    let same = |a: usize, b: usize| {
        let others = (0..count).filter(|k| *k != a && *k != b);
        others.into_iter().all(|k| allowed[a * count + k] == allowed[b * count + k])
    };
    let mut class_of: Vec<u32> = Vec::with_capacity(count);
    let mut members: Vec<Vec<usize>> = Vec::new();
    for i in 0..count {
        // Membership is the same for all pairs of a class: all of them touch each other, or none.
        let fits = |m: &Vec<usize>| {
            let touch = allowed[m[0] * count + i];
            let within = m.iter().enumerate().flat_map(|(n, a)| m[..n].iter().map(move |b| allowed[a * count + b]));
            m.iter().all(|k| same(*k, i) && allowed[k * count + i] == touch) && within.into_iter().all(|t| t == touch)
        };
        let class = members.iter().position(fits).unwrap_or_else(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[class].push(i);
        class_of.push(class as u32);
    }
    (members.len() <= 32).then_some(class_of)
}

/// Asks the table about each pair; the colliders carry their place in it.
pub struct TouchHook<'a>(pub &'a TouchTable);

impl PhysicsHooks for TouchHook<'_> {
    fn filter_contact_pair(&self, context: &PairFilterContext) -> Option<SolverFlags> {
        let index = |colliders: &ColliderSet, handle: ColliderHandle| colliders[handle].user_data as usize;
        let a = index(context.colliders, context.collider1);
        let b = index(context.colliders, context.collider2);
        self.0.allows(a, b).then_some(SolverFlags::COMPUTE_RIGID_IMPULSES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(count: usize, pairs: &[(usize, usize)]) -> TouchTable {
        let mut allowed = vec![false; count * count];
        for (a, b) in pairs {
            (allowed[a * count + b], allowed[b * count + a]) = (true, true);
        }
        let classes = classes(count, &allowed);
        TouchTable { count, allowed, classes }
    }

    #[test]
    fn groups_say_what_the_table_says() {
        let mut every = Vec::new();
        for a in 0..6 {
            every.extend((a + 1..6).map(|b| (a, b)));
        }
        // All subsets of the pairs of six colliders.
        for subset in 0u32..1 << every.len() {
            let pairs: Vec<_> =
                every.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, p)| *p).collect();
            let table = table(6, &pairs);
            for (a, b) in &every {
                assert_eq!(table.groups(*a).test(table.groups(*b)), table.allows(*a, *b), "{pairs:?} {a} {b}");
            }
        }
    }

    #[test]
    fn a_pile_of_equals_is_one_class_and_a_long_chain_needs_the_hook() {
        let mut pile = Vec::new();
        for a in 0..100 {
            pile.extend((a + 1..100).map(|b| (a, b)));
        }
        let pile = table(100, &pile);
        assert_eq!(pile.classes.as_ref().unwrap().iter().max(), Some(&0));
        let chain: Vec<_> = (0..40).flat_map(|a| (a + 2..40).map(move |b| (a, b))).collect();
        assert!(table(40, &chain).needs_hook());
    }
}
