//! Shared by the closed forms of bodies that touch: a free body at the start, and the surfaces of two bodies.

use super::form::FormInput;
use crate::reference::ParameterValue;
use nalgebra as na;
use veracity_measure::CannotTell;
use veracity_model::{Inertia, JointId, JointKind, Material, Quat, Vec3};

/// A free body at time zero.
pub(super) struct FreeStart<'a> {
    /// Its slot.
    pub slot: usize,
    /// Its inertia.
    pub inertia: &'a Inertia,
    /// Its centre of mass in the world [m].
    pub place: Vec3,
    /// Gravity that acts on it [m/s²].
    pub gravity: Vec3,
    /// Velocity of its centre of mass, world axes [m/s].
    pub velocity: Vec3,
}

impl<'a> FreeStart<'a> {
    /// The body, if it is free, undamped and at rest.
    pub fn at_rest(input: &FormInput<'a>, name: &str) -> Result<Self, CannotTell> {
        let start = Self::without_spin(input, name)?;
        if start.velocity != Vec3::zeros() {
            return Err(CannotTell(format!(
                "the closed form does not hold: '{name}' does not start at rest; use another reference"
            )));
        }
        Ok(start)
    }

    /// The body, if it is free, undamped and does not rotate.
    pub fn without_spin(input: &FormInput<'a>, name: &str) -> Result<Self, CannotTell> {
        let slot = input.layout.body(name).ok_or_else(|| CannotTell(format!("there is no body '{name}'")))?;
        let body_slot = &input.layout.bodies[slot];
        let placement = &input.world.placements[body_slot.placement];
        let (body, joint) = (placement.model.body(body_slot.body), placement.model.joint(JointId(body_slot.body.0)));
        let refuse = |why: &str| {
            Err(CannotTell(format!("the closed form does not hold: '{name}' {why}; use another reference")))
        };
        if joint.kind != JointKind::Free || joint.parent.is_some() {
            return refuse("is not free");
        }
        let lossy = |d: &veracity_model::Dof| d.damping != 0.0 || d.stiffness != 0.0 || d.friction != 0.0;
        if joint.dofs.iter().any(lossy) || body.linear_damping != 0.0 || body.angular_damping != 0.0 {
            return refuse("is damped or sprung");
        }
        let joint_slot = &input.layout.joints[slot];
        let v = &input.v[joint_slot.v..joint_slot.v + 6];
        if v[..3].iter().any(|v| *v != 0.0) {
            return refuse("turns at the start");
        }
        let turned = placement.world_from_model.rotation * joint.parent_from_joint.rotation;
        let q = &input.q[joint_slot.q..joint_slot.q + 7];
        let turn = Quat::new_normalize(na::Quaternion::new(q[3], q[4], q[5], q[6]));
        let arm = joint.child_from_joint.inverse() * na::Point3::from(body.inertia.com);
        let in_parent = na::Point3::from(Vec3::new(q[0], q[1], q[2]) + turn * arm.coords);
        let place = placement.world_from_model * (joint.parent_from_joint * in_parent);
        Ok(Self {
            slot,
            inertia: &body.inertia,
            place: place.coords,
            gravity: input.world.gravity * body.gravity_scale,
            velocity: turned * Vec3::new(v[3], v[4], v[5]),
        })
    }
}

/// The one surface material of a body's collision shapes.
pub(super) fn surface(input: &FormInput<'_>, name: &str) -> Result<Material, CannotTell> {
    let slot = input.layout.body(name).ok_or_else(|| CannotTell(format!("there is no body '{name}'")))?;
    let body_slot = &input.layout.bodies[slot];
    let model = &input.world.placements[body_slot.placement].model;
    let shapes = model.body(body_slot.body).shapes.iter().filter(|s| s.collides);
    let of = |shape: &veracity_model::BodyShape| {
        shape.material.map_or_else(Material::default, |m| model.materials()[m.0].clone())
    };
    let surfaces: Vec<Material> = shapes.map(of).collect();
    let Some(first) = surfaces.first() else {
        return Err(CannotTell(format!("the closed form does not hold: '{name}' has no collision shape")));
    };
    let same = |m: &Material| m.friction == first.friction && m.restitution == first.restitution;
    if first.friction[0] != first.friction[1] || !surfaces.iter().all(same) {
        return Err(CannotTell(format!(
            "the closed form does not hold: the surface of '{name}' is not one and even"
        )));
    }
    Ok(first.clone())
}

/// The combined surface of two bodies in contact, by the world's combination rules.
pub(super) fn common_surface(input: &FormInput<'_>, a: &str, b: &str) -> Result<Material, CannotTell> {
    let (first, second) = (surface(input, a)?, surface(input, b)?);
    let rules = input.world.combination;
    let friction = rules.friction.of(first.friction[0], second.friction[0]);
    let restitution = rules.restitution.of(first.restitution, second.restitution);
    Ok(Material { friction: [friction; 2], restitution, ..first })
}

/// A vector given in the scenario; `None` if it is not given.
pub(super) fn vector(input: &FormInput<'_>, parameter: &str) -> Result<Option<Vec3>, CannotTell> {
    match input.parameters.get(parameter) {
        None => Ok(None),
        Some(ParameterValue::Numbers(list)) if list.len() == 3 => Ok(Some(Vec3::new(list[0], list[1], list[2]))),
        Some(_) => Err(CannotTell(format!("'{parameter}' must be three numbers [x, y, z]"))),
    }
}

/// The force that the scenario says its controllers apply. It is an error to state a force without controllers, or to
/// have controllers without a stated force.
pub(super) fn push(input: &FormInput<'_>) -> Result<Vec3, CannotTell> {
    match (vector(input, "force_n")?, input.commanded) {
        (Some(force), true) => Ok(force),
        (None, false) => Ok(Vec3::zeros()),
        (Some(_), false) => Err(CannotTell("'force_n' is given but no controller pushes".to_string())),
        (None, true) => Err(CannotTell("controllers act; give their force with 'force_n'".to_string())),
    }
}
