//! The bodies of a record as described by the recorded world: their mass, and how their joints hold them.

use crate::metric::Subject;
use crate::rows;
use veracity_model::{Body, Inertia, Joint, JointKind, Pose, Quat, Vec3};
use veracity_record::Track;

/// The world of a record, body by body in the order of its layout.
pub struct Machine<'a> {
    /// The bodies.
    pub bodies: Vec<MachineBody<'a>>,
    /// Gravitational acceleration [m/s²].
    pub gravity: Vec3,
}

/// One body and the joint that carries it.
pub struct MachineBody<'a> {
    /// The body in the model.
    pub body: &'a Body,
    /// The joint that carries it.
    pub joint: &'a Joint,
    /// The slot of its parent body; `None` for its model's frame.
    pub parent: Option<usize>,
    /// The frame of its model in the world.
    pub world_from_model: Pose,
    /// Whether any joint between it and the ground can move.
    pub moves: bool,
    /// Where the joint's positions begin in `q`.
    pub q: usize,
    /// Where its velocities begin in `v`.
    pub v: usize,
}

/// Pose of a joint's child frame in its parent frame.
#[derive(Clone, Copy, Debug)]
pub struct JointPose {
    /// From the parent frame to the child frame, in the parent's axes [m].
    pub offset: Vec3,
    /// Orientation of the child's axes in the parent's.
    pub turn: Quat,
}

/// Whether a joint's position is a length.
pub fn slides(kind: &JointKind) -> bool {
    matches!(kind, JointKind::Prismatic { .. })
}

impl<'a> Machine<'a> {
    /// Of the subject's world.
    pub fn new(subject: &Subject<'a>) -> Self {
        let world = &subject.record.world;
        let mut bodies: Vec<MachineBody<'a>> = Vec::with_capacity(subject.layout.bodies.len());
        for (slot, joint_slot) in subject.layout.bodies.iter().zip(&subject.layout.joints) {
            let placement = &world.placements[slot.placement];
            let joint = &placement.model.joints()[slot.body.0];
            let carried = slot.parent.is_some_and(|p| bodies[p].moves);
            bodies.push(MachineBody {
                body: &placement.model.bodies()[slot.body.0],
                joint,
                parent: slot.parent,
                world_from_model: placement.world_from_model,
                moves: carried || joint.kind != JointKind::Fixed,
                q: joint_slot.q,
                v: joint_slot.v,
            });
        }
        Self { bodies, gravity: world.gravity }
    }

    /// Bodies that move and have mass, with their slots.
    pub fn moving(&self) -> impl Iterator<Item = (usize, &Inertia)> {
        let heavy = |b: &&MachineBody<'_>| b.moves && b.body.inertia.mass != 0.0;
        self.bodies.iter().enumerate().filter(move |(_, b)| heavy(b)).map(|(i, b)| (i, &b.body.inertia))
    }

    /// Frame of a body or, for `None`, the given frame of its model.
    pub fn frame(&self, track: &Track, row: usize, slot: Option<usize>, world_from_model: &Pose) -> Pose {
        slot.map_or(*world_from_model, |slot| rows::pose(track, row, slot))
    }

    /// Pose of the joint that carries a body, from the poses of the two bodies.
    pub fn joint_pose(&self, track: &Track, row: usize, slot: usize) -> JointPose {
        let b = &self.bodies[slot];
        let parent = self.frame(track, row, b.parent, &b.world_from_model) * b.joint.parent_from_joint;
        let child = rows::pose(track, row, slot) * b.joint.child_from_joint;
        JointPose::between(&parent, &child)
    }

    /// Position of a joint with one degree of freedom, from the poses of its two bodies. Poses do not count turns: the
    /// number of turns is that of the recorded `q`.
    pub fn joint_position(&self, track: &Track, row: usize, slot: usize) -> Option<f64> {
        let b = &self.bodies[slot];
        let pose = self.joint_pose(track, row, slot);
        Some(match &b.joint.kind {
            JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Screw { axis, .. } => {
                // A recording of bodies alone has no joint positions: use the turn nearest to zero.
                let near = track.q.get(row * track.nq + b.q).copied().unwrap_or(0.0);
                pose.angle_about(axis, near)
            }
            JointKind::Prismatic { axis } => pose.offset.dot(axis),
            _ => return None,
        })
    }
}

impl JointPose {
    /// From two frames in the world.
    pub fn between(parent: &Pose, child: &Pose) -> Self {
        // Subtract first: far from the world's origin, products of poses would lose the digits that make up a gap.
        let offset = parent.rotation.inverse() * (child.translation.vector - parent.translation.vector);
        Self { offset, turn: parent.rotation.inverse() * child.rotation }
    }

    /// The rotation angle about an axis, on the turn nearest to `near` [rad].
    pub fn angle_about(&self, axis: &Vec3, near: f64) -> f64 {
        let q = self.turn.quaternion();
        let angle = 2.0 * libm::atan2(q.imag().dot(axis), q.scalar());
        let turns = ((near - angle) / std::f64::consts::TAU).round();
        // A NaN in `near` loses the number of turns, not the angle.
        if turns.is_finite() { angle + std::f64::consts::TAU * turns } else { angle }
    }
}
