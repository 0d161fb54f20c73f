//! Names and offsets of a world's parts in the flat arrays shared by engines, controllers and records.
//!
//! Placements come in order, and within each the order of its model: positions `q`, velocities `v`, bodies, actuators,
//! sensors. Names are `placement/name`; in a world with one placement the bare name is accepted too.

use crate::joint::{Dof, JointKind};
use crate::model::BodyId;
use crate::world::World;

/// One body of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySlot {
    /// `placement/body`.
    pub name: String,
    /// Index of its placement.
    pub placement: usize,
    /// Index in its model.
    pub body: BodyId,
    /// The slot of its parent body; `None` for the ground.
    pub parent: Option<usize>,
}

/// One tree joint of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSlot {
    /// `placement/joint`.
    pub name: String,
    /// Index of its placement.
    pub placement: usize,
    /// Kind of motion.
    pub kind: JointKind,
    /// The slot of the body it carries: the same index, since joint `i` carries body `i`.
    pub body: usize,
    /// Offset of its positions in `q`.
    pub q: usize,
    /// Offset of its velocities in `v`.
    pub v: usize,
}

/// Names and offsets of a world's flat arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Bodies, in order.
    pub bodies: Vec<BodySlot>,
    /// Tree joints, in order; joint `i` carries body `i`.
    pub joints: Vec<JointSlot>,
    /// Names `placement/actuator`, in order.
    pub actuators: Vec<String>,
    /// Names `placement/sensor`, in order.
    pub sensors: Vec<String>,
    /// Names `placement/pair` of the named contact pairs, in order.
    pub pairs: Vec<String>,
    /// Properties of the degrees of freedom, in the order of `v`.
    pub dofs: Vec<Dof>,
    /// Index in `q` of each degree of freedom that has its own position (not part of a quaternion).
    pub dof_position: Vec<Option<usize>>,
    /// Length of `q`.
    pub position_count: usize,
    /// Names of the placements.
    pub placements: Vec<String>,
}

impl Layout {
    /// The layout of a world.
    pub fn new(world: &World) -> Self {
        let mut layout = Layout::default();
        for (index, placement) in world.placements.iter().enumerate() {
            layout.add(index, placement);
        }
        layout
    }

    fn add(&mut self, index: usize, placement: &crate::world::Placement) {
        let model = &placement.model;
        let first = self.bodies.len();
        let named = |name: &str| format!("{}/{name}", placement.name);
        for (i, (body, joint)) in model.bodies().iter().zip(model.joints()).enumerate() {
            let parent = joint.parent.map(|p| first + p.0);
            self.bodies.push(BodySlot { name: named(&body.name), placement: index, body: BodyId(i), parent });
            let (q, v) = (self.position_count, self.dofs.len());
            let (name, kind, body) = (named(&joint.name), joint.kind, first + i);
            self.joints.push(JointSlot { name, placement: index, kind, body, q, v });
            self.dofs.extend(joint.dofs.iter().copied());
            let scalar = |dof: usize| match kind {
                JointKind::Ball => None,
                // In `v` the angular part comes first, in `q` the translation.
                JointKind::Free => (dof >= 3).then(|| q + dof - 3),
                _ => Some(q + dof),
            };
            self.dof_position.extend((0..kind.dof_count()).map(scalar));
            self.position_count += kind.position_count();
        }
        self.actuators.extend(model.actuators().iter().map(|a| named(&a.name)));
        self.sensors.extend(model.sensors().iter().map(|s| named(&s.name)));
        self.pairs.extend(model.contact_pairs().iter().map(|p| named(&p.name)));
        self.placements.push(placement.name.clone());
    }

    /// Length of `v`.
    pub fn dof_count(&self) -> usize {
        self.dofs.len()
    }

    /// The slot of the body with this name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.find(self.bodies.iter().map(|b| b.name.as_str()), name)
    }

    /// The slot of the joint with this name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.find(self.joints.iter().map(|j| j.name.as_str()), name)
    }

    /// The slot of the actuator with this name.
    pub fn actuator(&self, name: &str) -> Option<usize> {
        self.find(self.actuators.iter().map(String::as_str), name)
    }

    /// The slot of the sensor with this name.
    pub fn sensor(&self, name: &str) -> Option<usize> {
        self.find(self.sensors.iter().map(String::as_str), name)
    }

    /// The slot of the contact pair with this name.
    pub fn pair(&self, name: &str) -> Option<usize> {
        self.find(self.pairs.iter().map(String::as_str), name)
    }

    /// Finds a full name, or a bare name that only one placement has.
    fn find<'a>(&self, names: impl Iterator<Item = &'a str> + Clone, wanted: &str) -> Option<usize> {
        if let Some(exact) = names.clone().position(|n| n == wanted) {
            return Some(exact);
        }
        let bare = |name: &&str| {
            self.placements.iter().any(|p| name.strip_prefix(p.as_str()) == Some(&format!("/{wanted}")))
        };
        let mut hits = names.enumerate().filter(|(_, n)| bare(n));
        match (hits.next(), hits.next()) {
            (Some((slot, _)), None) => Some(slot),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Inertia, Joint, ModelBuilder, Vec3};
    use std::sync::Arc;

    #[test]
    fn two_placements_stand_one_after_the_other() {
        let mut builder = ModelBuilder::new("block");
        builder.add_body(
            Body::new("b", Inertia::point_mass(1.0, Vec3::zeros())),
            Joint::new("free", JointKind::Free),
            None,
        );
        let mut world = World::with_model(builder.build().unwrap());
        let mut second = world.placements[0].clone();
        second.name = "other".to_string();
        let mut arm = ModelBuilder::new("arm");
        arm.add_body(
            Body::new("l", Inertia::point_mass(1.0, Vec3::x())),
            Joint::new("hinge", JointKind::revolute(Vec3::y())),
            None,
        );
        second.model = Arc::new(arm.build().unwrap());
        world.placements.push(second);
        let layout = Layout::new(&world);
        assert_eq!((layout.position_count, layout.dof_count()), (8, 7));
        assert_eq!(layout.dof_position, [None, None, None, Some(0), Some(1), Some(2), Some(7)]);
        assert_eq!(layout.joint("hinge"), Some(1));
        assert_eq!(layout.joint("other/hinge"), Some(1));
        assert_eq!(layout.body("block/b"), Some(0));
        assert_eq!(layout.joint("block/hinge"), None);
        assert_eq!(layout.joints[1].v, 6);
    }
}
