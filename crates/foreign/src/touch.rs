//! Which shapes may touch, as a table of shapes and as classes that fit into bits.
//!
//! The model's rules (filters, neighbours, groups, masks) give a symmetric table of shapes. Shapes with the same row
//! are one class. Each class gets its own bit: member of that bit, filter of the bits of the classes it may touch. A
//! table of more than 32 classes does not fit into the bits of an engine; the table itself must then be queried.

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

/// The table, in the order of the shapes.
#[derive(Clone, Debug, Default)]
pub struct TouchTable {
    count: usize,
    allowed: Vec<bool>,
    /// For each shape its class, if there are at most 32.
    classes: Option<Vec<u32>>,
}

impl TouchTable {
    /// Applies the rules of every model.
    pub fn new(world: &World, layout: &Layout, shapes: &[Touching]) -> Self {
        let models = world.placements.iter().map(|p| &p.model);
        let rules: Vec<TouchRules> = models.map(|m| TouchRules::new(m, &m.neutral_positions())).collect();
        let id = |s: &Touching| (layout.bodies[s.body].placement, layout.bodies[s.body].body);
        let may_touch = |a: &Touching, b: &Touching| {
            let ((placement_a, body_a), (placement_b, body_b)) = (id(a), id(b));
            let fixed = |placement: usize, body: BodyId| rules[placement].is_fixed(body);
            if placement_a == placement_b {
                rules[placement_a].within((body_a, a.shape), (body_b, b.shape))
            } else {
                !(fixed(placement_a, body_a) && fixed(placement_b, body_b)) && a.shape.may_touch(b.shape)
            }
        };
        Self::of_pairs(shapes.len(), |a, b| may_touch(&shapes[a], &shapes[b]))
    }

    /// From a rule for pairs `a < b`.
    pub fn of_pairs(count: usize, may_touch: impl Fn(usize, usize) -> bool) -> Self {
        let mut allowed = vec![false; count * count];
        for a in 0..count {
            for b in a + 1..count {
                let yes = may_touch(a, b);
                (allowed[a * count + b], allowed[b * count + a]) = (yes, yes);
            }
        }
        let classes = classes(count, &allowed);
        Self { count, allowed, classes }
    }

    /// Number of shapes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether two shapes may touch.
    pub fn allows(&self, a: usize, b: usize) -> bool {
        self.allowed[a * self.count + b]
    }

    /// Whether the table does not fit into bits.
    pub fn needs_hook(&self) -> bool {
        self.classes.is_none()
    }

    /// The bit a shape is a member of and the bits of those it may touch; `None` where the table must be queried.
    pub fn bits(&self, shape: usize) -> Option<(u32, u32)> {
        let classes = self.classes.as_ref()?;
        let filter = (0..self.count).filter(|k| self.allows(shape, *k)).fold(0, |bits, k| bits | 1 << classes[k]);
        Some((1 << classes[shape], filter))
    }
}

/// Two shapes are of one class if they may touch the same others, and if they also touch each other as the class
/// requires: in a class that touches itself all members must touch each other.
///
/// A shape is only compared with the first member of each class. If `i` and `k` both touch the same others as the first
/// member `m`, and `m` touches `i` as it touches `k`, then `i` and `k` touch the same others too, and each other as `m`
/// touches `k`. So the table is read once for each class, and the search ends with the 33rd.
fn classes(count: usize, allowed: &[bool]) -> Option<Vec<u32>> {
    let row = |a: usize| &allowed[a * count..(a + 1) * count];
    let same = |a: usize, b: usize| {
        let (low, high) = (a.min(b), a.max(b));
        let parts = [0..low, low + 1..high, high + 1..count];
        parts.into_iter().all(|part| row(a)[part.clone()] == row(b)[part])
    };
    let mut class_of: Vec<u32> = Vec::with_capacity(count);
    // The first member of each class, and whether its members touch each other once there are two.
    let mut members: Vec<(usize, Option<bool>)> = Vec::new();
    for i in 0..count {
        let fits = |&(first, touch): &(usize, Option<bool>)| {
            touch.is_none_or(|touch| touch == row(first)[i]) && same(first, i)
        };
        let class = match members.iter().position(fits) {
            Some(class) => {
                let (first, touch) = &mut members[class];
                touch.get_or_insert(row(*first)[i]);
                class
            }
            None if members.len() == 32 => return None,
            None => {
                members.push((i, None));
                members.len() - 1
            }
        };
        class_of.push(class as u32);
    }
    Some(class_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(count: usize, pairs: &[(usize, usize)]) -> TouchTable {
        TouchTable::of_pairs(count, |a, b| pairs.contains(&(a, b)))
    }

    #[test]
    fn bits_agree_with_the_table() {
        let mut every = Vec::new();
        for a in 0..6 {
            every.extend((a + 1..6).map(|b| (a, b)));
        }
        // All subsets of the pairs of six shapes.
        for subset in 0u32..1 << every.len() {
            let pairs: Vec<_> =
                every.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, p)| *p).collect();
            let table = table(6, &pairs);
            for (a, b) in &every {
                let ((member_a, filter_a), (member_b, filter_b)) = (table.bits(*a).unwrap(), table.bits(*b).unwrap());
                let both = member_a & filter_b != 0 && member_b & filter_a != 0;
                assert_eq!(both, table.allows(*a, *b), "{pairs:?} {a} {b}");
            }
        }
    }

    #[test]
    fn equal_shapes_are_one_class_and_a_long_chain_does_not_fit() {
        let pile = TouchTable::of_pairs(100, |_, _| true);
        assert_eq!(pile.classes.as_ref().unwrap().iter().max(), Some(&0));
        assert!(TouchTable::of_pairs(40, |a, b| b >= a + 2).needs_hook());
    }
}
