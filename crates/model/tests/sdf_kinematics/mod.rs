//! Forward kinematics written from the definitions in `joint.rs` alone, to compare importers with closed forms.

#![allow(dead_code)] // Each test file uses its own part.

use nalgebra as na;
use std::path::Path;
use veracity_model::geometry::quat_about;
use veracity_model::import::{ImportOptions, Imported, load_bytes};
use veracity_model::{JointKind, Model, Pose, Quat, Vec3, World};

/// A document with this version around `body`.
pub fn sdf(version: &str, body: &str) -> String {
    format!("<sdf version=\"{version}\">{body}</sdf>")
}

/// Imports a document from memory.
pub fn import(text: &str) -> Imported {
    load_bytes(text.as_bytes(), Path::new("test.sdf"), &ImportOptions::default())
}

/// The world of a document that must load.
pub fn world(text: &str) -> World {
    let imported = import(text);
    imported.world.unwrap_or_else(|| panic!("does not load:\n{}", imported.findings))
}

/// The first model of a document that must load.
pub fn model(text: &str) -> Model {
    (*world(text).placements[0].model).clone()
}

/// Asserts that a document is rejected with this code, and returns the message.
pub fn refusal(text: &str, code: &str) -> String {
    let imported = import(text);
    let said = imported.findings.to_string();
    assert!(imported.world.is_none(), "loaded, with:\n{said}");
    assert!(said.contains(&format!("error[{code}]")), "no error[{code}] in:\n{said}");
    said
}

/// The motion of a joint's child frame: the definitions of [`JointKind`].
pub fn motion(kind: &JointKind, q: &[f64]) -> Pose {
    let turn = |axis: &Vec3, angle: f64| Pose::from_parts(Vec3::zeros().into(), quat_about(axis, angle));
    let slide = |v: Vec3| Pose::translation(v.x, v.y, v.z);
    let quat = |w: &[f64]| Quat::new_normalize(na::Quaternion::new(w[0], w[1], w[2], w[3]));
    match kind {
        JointKind::Fixed => Pose::identity(),
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => turn(axis, q[0]),
        JointKind::Prismatic { axis } => slide(axis * q[0]),
        JointKind::Screw { axis, pitch } => turn(axis, q[0]) * slide(axis * (pitch * q[0])),
        JointKind::Universal { axis1, axis2 } => turn(axis1, q[0]) * turn(axis2, q[1]),
        JointKind::Ball => Pose::from_parts(Vec3::zeros().into(), quat(q)),
        JointKind::Planar { x_axis, y_axis } => {
            slide(x_axis * q[0] + y_axis * q[1]) * turn(&x_axis.cross(y_axis), q[2])
        }
        JointKind::Free => Pose::from_parts(Vec3::new(q[0], q[1], q[2]).into(), quat(&q[3..])),
    }
}

/// `model_from_body` of every body.
pub fn body_poses(model: &Model, q: &[f64]) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::new();
    let mut offset = 0;
    for joint in model.joints() {
        let count = joint.kind.position_count();
        let base = joint.parent.map_or_else(Pose::identity, |p| poses[p.0]);
        let moved = motion(&joint.kind, &q[offset..offset + count]);
        poses.push(base * joint.parent_from_joint * moved * joint.child_from_joint.inverse());
        offset += count;
    }
    poses
}

/// `model_from_body` of one body with every joint neutral except the named ones, whose first position is given.
pub fn body_pose(model: &Model, body: &str, at: &[(&str, f64)]) -> Pose {
    let mut q = model.neutral_positions();
    for (joint, value) in at {
        let id = model.joint_named(joint).unwrap_or_else(|| panic!("no joint {joint}"));
        q[model.position_offset(id)] = *value;
    }
    body_poses(model, &q)[model.body_named(body).unwrap_or_else(|| panic!("no body {body}")).0]
}

/// Distance between two poses, metres and radians combined.
pub fn apart(a: &Pose, b: &Pose) -> f64 {
    (a.translation.vector - b.translation.vector).norm() + a.rotation.angle_to(&b.rotation)
}

/// Rounding of a handful of products of poses of size one.
pub const ROUNDING: f64 = 1e-14;

/// Asserts that two poses are equal up to rounding. `angle_to` loses half the digits near zero: it is the arc cosine of
/// a number near one, or its equivalent.
pub fn assert_pose(found: &Pose, expected: &Pose) {
    let by_points = (0..3).map(|i| {
        let p = na::Point3::from(Vec3::ith(i, 1.0));
        (found * p - expected * p).norm()
    });
    let worst = by_points.fold((found.translation.vector - expected.translation.vector).norm(), f64::max);
    assert!(worst < ROUNDING, "{found} is not {expected} (off by {worst:e})");
}
