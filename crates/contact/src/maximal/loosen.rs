//! A world in maximal coordinates: every movable body is free, and its joint is enforced by constraints.
//!
//! Bodies keep their order, names, shapes and materials, so that slots of the layout mean the same in both worlds. A
//! joint becomes a loop joint of the same kind between the same frames; a fixed joint is unchanged, and a free joint
//! constrains nothing. What acts on joints (motors, springs, limits, friction) is left out: [`super::rows`] adds it
//! again between the bodies.

use crate::world::ContactError;
use std::sync::Arc;
use veracity_model::{BodyId, Joint, JointKind, LoopJoint, LoopKind, Model, ModelBuilder, Placement, Pose, World};

/// Tolerance for `a` and `b` being at right angles: what the digits of a file allow.
const RIGHT_ANGLE: f64 = 1e-9;

/// Returns the loosened world, or a list of everything that is not supported.
pub fn loosen(world: &World) -> Result<World, Vec<ContactError>> {
    let mut trouble = Vec::new();
    let mut placements = Vec::new();
    for placement in &world.placements {
        if let Some(model) = loosen_model(placement, &mut trouble) {
            placements.push(Placement { model: Arc::new(model), ..placement.clone() });
        }
    }
    if !trouble.is_empty() {
        return Err(trouble);
    }
    Ok(World { placements, ..world.clone() })
}

fn loosen_model(placement: &Placement, trouble: &mut Vec<ContactError>) -> Option<Model> {
    let model = &placement.model;
    let before = trouble.len();
    let mut refuse = |subject: &str, what: &str, hint: &str| {
        trouble.push(ContactError::Unsupported {
            subject: format!("{}/{subject}", placement.name),
            what: format!("{what} in maximal coordinates"),
            hint: hint.into(),
        });
    };
    let reduced = "use coordinates=reduced";
    for coupling in model.couplings() {
        refuse(&coupling.name, "a coupling of joints", reduced);
    }
    for pair in model.contact_pairs().iter().filter(|p| !p.conditions.is_empty()) {
        refuse(&pair.name, "a contact pair that depends on joint positions", reduced);
    }
    let mut builder = ModelBuilder::new(model.name());
    for material in model.materials() {
        builder.add_material(material.clone());
    }
    for (body, joint) in model.bodies().iter().zip(model.joints()) {
        if joint.dofs.iter().any(|d| d.armature != 0.0) {
            refuse(&joint.name, "rotor inertia (armature)", "set the armature to zero, or use coordinates=reduced");
        }
        let kind = if joint.kind == JointKind::Fixed { JointKind::Fixed } else { JointKind::Free };
        // A free body is attached to the model frame and placed by its `q`.
        let mut loose = Joint::new(joint.name.clone(), kind);
        let mut parent = None;
        if kind == JointKind::Fixed {
            (loose.parent_from_joint, loose.child_from_joint) = (joint.parent_from_joint, joint.child_from_joint);
            parent = joint.parent;
        }
        let id = builder.add_body(body.clone(), loose, parent);
        match loop_kind(&joint.kind) {
            Ok(None) => {}
            Ok(Some(kind)) => builder.add_loop(loop_of(joint, id, kind)),
            Err(what) => refuse(&joint.name, what, reduced),
        }
    }
    for l in model.loops() {
        builder.add_loop(l.clone());
    }
    for spring in model.springs() {
        builder.add_spring(spring.clone());
    }
    for filter in model.collision_filters() {
        builder.exclude_contact(filter.a, filter.b);
    }
    for pair in model.contact_pairs() {
        builder.add_contact_pair(pair.clone());
    }
    builder.adjacent_bodies_collide(model.adjacent_bodies_collide());
    builder.self_collide(model.self_collide());
    if trouble.len() > before {
        return None;
    }
    match builder.build() {
        Ok(model) => Some(model),
        Err(findings) => {
            trouble.push(ContactError::Unsupported {
                subject: placement.name.clone(),
                what: format!("the loosened model: {findings:?}"),
                hint: reduced.into(),
            });
            None
        }
    }
}

/// The loop joint that replaces a joint; `None` for a joint that constrains nothing or everything.
fn loop_kind(kind: &JointKind) -> Result<Option<LoopKind>, &'static str> {
    match *kind {
        JointKind::Fixed | JointKind::Free => Ok(None),
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => Ok(Some(LoopKind::Revolute { axis })),
        JointKind::Prismatic { axis } => Ok(Some(LoopKind::Prismatic { axis })),
        JointKind::Ball => Ok(Some(LoopKind::Ball)),
        JointKind::Universal { axis1, axis2 } if axis1.dot(&axis2).abs() < RIGHT_ANGLE => {
            Ok(Some(LoopKind::Universal { axis_a: axis1, axis_b: axis2 }))
        }
        JointKind::Universal { .. } => Err("a universal joint whose axes are not at right angles"),
        JointKind::Screw { .. } => Err("a screw joint"),
        JointKind::Planar { .. } => Err("a planar joint"),
    }
}

fn loop_of(joint: &Joint, child: BodyId, kind: LoopKind) -> LoopJoint {
    let frames: [Pose; 2] = [joint.parent_from_joint, joint.child_from_joint];
    LoopJoint {
        name: joint.name.clone(),
        kind,
        body_a: joint.parent,
        body_b: Some(child),
        a_from_frame: frames[0],
        b_from_frame: frames[1],
        source: joint.source.clone(),
    }
}
