//! Severity of impossible mass properties.

use crate::context::BodyRef;
use veracity_model::Severity;

/// Severity of mass properties that no body can have: an error, unless the file itself fixes the body to the world,
/// where they do not affect the motion.
///
/// URDF cannot say how its root is attached. If the base is fixed only by default, the next user may free it (a
/// quadruped always is free), so that base is judged as a moving one.
pub fn impossible(body: &BodyRef<'_>) -> Severity {
    if body.is_fixed() && !base_is_assumed(body) { Severity::Warning } else { Severity::Error }
}

/// Whether the base of the body's tree is fixed only by default: the joint that holds it is not in the file, and the
/// root is not the link `world`, by which URDF files attach a robot to the world.
fn base_is_assumed(body: &BodyRef<'_>) -> bool {
    let model = body.model;
    let mut root = body.id;
    while let Some(parent) = model.joints()[root.0].parent {
        root = parent;
    }
    let (root_body, root_joint) = (model.body(root), &model.joints()[root.0]);
    root_body.source.is_some() && root_joint.source.is_none() && root_body.name != "world"
}
