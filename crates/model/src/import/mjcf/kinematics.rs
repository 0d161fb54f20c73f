//! Poses of the bodies in one configuration, and the mass matrix there.
//!
//! The file defines some numbers through its initial configuration: loop anchors, spring lengths, servo damping from a
//! damping ratio. These are computed once, on import, by the simplest formulas:
//!
//! ```text
//! (1)  world_from_child = world_from_parent · parent_from_joint · motion(q) · child_from_joint⁻¹
//! (2)  M_ij = s_iᵀ C_j s_j     for i an ancestor of j, C_j the inertia of all that j carries,
//! ```
//!
//! with motion axes `s` and inertias `C` about the world's origin, angular part first.

use crate::geometry::{Mat3, Pose, Quat, Vec3, quat_about, skew};
use crate::joint::{Joint, JointKind};
use crate::model::{BodyId, Model};
use nalgebra as na;

type Vec6 = na::Vector6<f64>;
type Mat6 = na::Matrix6<f64>;

/// `world_from_body` of every body at positions `q`, by (1).
pub(super) fn poses(model: &Model, q: &[f64]) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::with_capacity(model.bodies().len());
    let mut offset = 0;
    for joint in model.joints() {
        let count = joint.kind.position_count();
        let own = q.get(offset..offset + count).unwrap_or(joint.kind.neutral());
        offset += count;
        let parent = joint.parent.map_or_else(Pose::identity, |BodyId(p)| poses[p]);
        poses.push(parent * joint.parent_from_joint * motion(&joint.kind, own) * joint.child_from_joint.inverse());
    }
    poses
}

fn motion(kind: &JointKind, q: &[f64]) -> Pose {
    let turn = |w: f64, x: f64, y: f64, z: f64| Quat::new_normalize(na::Quaternion::new(w, x, y, z));
    match (kind, q) {
        (JointKind::Revolute { axis } | JointKind::Continuous { axis }, [angle]) => {
            Pose::from_parts(Vec3::zeros().into(), quat_about(axis, *angle))
        }
        (JointKind::Prismatic { axis }, [distance]) => Pose::from_parts((axis * *distance).into(), Quat::identity()),
        (JointKind::Ball, [w, x, y, z]) => Pose::from_parts(Vec3::zeros().into(), turn(*w, *x, *y, *z)),
        (JointKind::Free, [a, b, c, w, x, y, z]) => {
            Pose::from_parts(Vec3::new(*a, *b, *c).into(), turn(*w, *x, *y, *z))
        }
        // MJCF has no other kinds.
        _ => Pose::identity(),
    }
}

/// The joint-space inertia at the configuration of `poses`, armature included, by (2).
pub(super) fn mass_matrix(model: &Model, poses: &[Pose]) -> na::DMatrix<f64> {
    let joints = model.joints();
    let mut carried: Vec<Mat6> =
        model.bodies().iter().zip(poses).map(|(b, p)| spatial(&b.inertia.transformed(p))).collect();
    for i in (0..joints.len()).rev() {
        if let Some(BodyId(parent)) = joints[i].parent {
            let own = carried[i];
            carried[parent] += own;
        }
    }
    let axes: Vec<Vec<Vec6>> = joints.iter().zip(poses).map(|(joint, pose)| motion_axes(joint, pose)).collect();
    let mut matrix = na::DMatrix::zeros(model.dof_count(), model.dof_count());
    let offsets = dof_offsets(model);
    for j in 0..joints.len() {
        for (b, axis) in axes[j].iter().enumerate() {
            let column = offsets[j] + b;
            let momentum = carried[j] * axis;
            let mut next = Some(j);
            while let Some(i) = next {
                for (a, other) in axes[i].iter().enumerate() {
                    let row = offsets[i] + a;
                    matrix[(row, column)] = other.dot(&momentum);
                    matrix[(column, row)] = matrix[(row, column)];
                }
                next = joints[i].parent.map(|BodyId(p)| p);
            }
            matrix[(column, column)] += joints[j].dofs[b].armature;
        }
    }
    matrix
}

/// Offset of each joint's velocities in `v`.
pub(super) fn dof_offsets(model: &Model) -> Vec<usize> {
    let counts = model.joints().iter().map(|joint| joint.kind.dof_count());
    counts
        .scan(0, |next, count| {
            let start = *next;
            *next += count;
            Some(start)
        })
        .collect()
}

/// Unit motions of a joint about the world's origin: angular velocity, then the velocity of the point at the origin.
fn motion_axes(joint: &Joint, world_from_child: &Pose) -> Vec<Vec6> {
    let frame = world_from_child * joint.child_from_joint;
    let (at, rotation) = (frame.translation.vector, frame.rotation);
    let stack = |w: Vec3, v: Vec3| Vec6::new(w.x, w.y, w.z, v.x, v.y, v.z);
    let turn = |axis: Vec3| stack(axis, at.cross(&axis));
    let units = [Vec3::x(), Vec3::y(), Vec3::z()];
    match &joint.kind {
        // A joint's axis is the same in both links, so the child's frame is used.
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => vec![turn(rotation * axis)],
        JointKind::Prismatic { axis } => vec![stack(Vec3::zeros(), rotation * axis)],
        JointKind::Ball => units.iter().map(|unit| turn(rotation * unit)).collect(),
        JointKind::Free => {
            let turns = units.iter().map(|unit| turn(rotation * unit));
            turns.chain(units.iter().map(|unit| stack(Vec3::zeros(), *unit))).collect()
        }
        _ => Vec::new(),
    }
}

/// Spatial inertia about the origin of the frame the inertia is given in.
fn spatial(inertia: &crate::inertia::Inertia) -> Mat6 {
    let moment = skew(&inertia.com) * inertia.mass;
    let mut matrix = Mat6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&inertia.about(&Vec3::zeros()));
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&moment);
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment.transpose());
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Mat3::identity() * inertia.mass));
    matrix
}
