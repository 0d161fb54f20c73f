//! The one moving body that many closed forms describe: the body carried by a joint, with everything fixed to it.

use super::form::FormInput;
use veracity_measure::CannotTell;
use veracity_model::{Dof, Inertia, Joint, Pose};

/// A joint, the body it carries, and everything fixed to that body.
pub(super) struct MovingBody<'a> {
    /// The joint.
    pub joint: &'a Joint,
    /// The joint's frame on the parent's side, fixed in the world.
    pub world_from_joint: Pose,
    /// Inertia of everything that moves with the body, in the body's frame.
    pub inertia: Inertia,
    /// Decay of linear velocity [1/s].
    pub linear_damping: f64,
    /// Decay of angular velocity [1/s].
    pub angular_damping: f64,
    /// Gravity scale.
    pub gravity_scale: f64,
    /// Where its positions begin in `q`.
    pub q: usize,
    /// Where its velocities begin in `v`.
    pub v: usize,
}

impl<'a> MovingBody<'a> {
    /// The body carried by the joint in this slot, if nothing else of its model moves, holds or pulls it.
    pub fn alone(input: &FormInput<'a>, slot: usize) -> Result<Self, CannotTell> {
        let joint_slot = &input.layout.joints[slot];
        let placement = &input.world.placements[joint_slot.placement];
        let model = &placement.model;
        let own = input.layout.bodies[slot].body;
        let refuse =
            |why: String| Err(CannotTell(format!("the closed form does not hold: {why}; use another reference")));
        if input.commanded {
            return refuse("controllers act".to_string());
        }
        if !model.loops().is_empty() || !model.couplings().is_empty() || !model.springs().is_empty() {
            return refuse(format!("'{}' has loops, couplings or springs", model.name()));
        }
        if let Some(actuator) = model.actuators().first() {
            // A motor without a command may still hold or brake.
            return refuse(format!("'{}' has an actuator '{}'", model.name(), actuator.name));
        }
        let moves = |j: &Joint| j.kind.dof_count() > 0;
        if let Some(other) = model.joints().iter().find(|j| moves(j) && j.child != own) {
            return refuse(format!("joint '{}' of the same model also moves", other.name));
        }
        if input.world.contact && input.world.placements.len() > 1 {
            return refuse("bodies may touch; write contact = false".to_string());
        }
        let joint = model.joint(veracity_model::JointId(own.0));
        // Nothing above moves: the chain from the ground down is fixed.
        let mut world_from_parent = placement.world_from_model;
        let mut chain = Vec::new();
        let mut above = joint.parent;
        while let Some(body) = above {
            chain.push(body);
            above = model.parent(body);
        }
        for body in chain.iter().rev() {
            let j = model.joint(veracity_model::JointId(body.0));
            world_from_parent = world_from_parent * j.parent_from_joint * j.child_from_joint.inverse();
        }
        // Everything below must be fixed, too; parents come before children.
        let mut inertia = model.body(own).inertia;
        let mut body_from: Vec<Option<Pose>> = vec![None; model.bodies().len()];
        body_from[own.0] = Some(Pose::identity());
        let first = model.body(own);
        for j in model.joints().iter().filter(|j| j.child != own) {
            let Some(parent) = j.parent.and_then(|p| body_from[p.0]) else { continue };
            let here = parent * j.parent_from_joint * j.child_from_joint.inverse();
            body_from[j.child.0] = Some(here);
            let body = model.body(j.child);
            let same = |a: f64, b: f64| a == b || body.inertia.mass == 0.0;
            if !same(body.linear_damping, first.linear_damping)
                || !same(body.angular_damping, first.angular_damping)
                || !same(body.gravity_scale, first.gravity_scale)
            {
                return refuse(format!("'{}' and '{}' differ in drag or gravity", first.name, body.name));
            }
            inertia = inertia.combined(&body.inertia.transformed(&here));
        }
        Ok(Self {
            joint,
            world_from_joint: world_from_parent * joint.parent_from_joint,
            inertia,
            linear_damping: first.linear_damping,
            angular_damping: first.angular_damping,
            gravity_scale: first.gravity_scale,
            q: joint_slot.q,
            v: joint_slot.v,
        })
    }

    /// The joint's single degree of freedom.
    pub fn only_dof(&self) -> Result<&Dof, CannotTell> {
        match self.joint.dofs.as_slice() {
            [dof] => Ok(dof),
            _ => Err(CannotTell(format!("joint '{}' does not have exactly one degree of freedom", self.joint.name))),
        }
    }

    /// Fails unless the range of positions is within the joint's limits.
    pub fn inside_stops(&self, lowest: f64, highest: f64) -> Result<(), CannotTell> {
        let dof = self.only_dof()?;
        if dof.lower <= lowest && highest <= dof.upper {
            return Ok(());
        }
        Err(CannotTell(format!(
            "the closed form does not hold: joint '{}' reaches its limits at {} and {}; widen them",
            self.joint.name, dof.lower, dof.upper
        )))
    }
}
