//! What the recorded world says about the bodies of a record: their mass, and how their joints hold them.

use crate::metric::Subject;
use crate::rows;
use veracity_model::{Body, Inertia, Joint, JointKind, Pose, Quat, Vec3};
use veracity_record::Track;

/// The world of a record, body by body in the order of its layout.
pub struct Machine<'a> {
    /// The bodies.
    pub bodies: Vec<MachineBody<'a>>,
    /// Acceleration of free fall [m/s²].
    pub gravity: Vec3,
}

/// One body and the joint that carries it.
pub struct MachineBody<'a> {
    /// What it weighs.
    pub body: &'a Body,
    /// What carries it.
    pub joint: &'a Joint,
    /// The slot of the body it hangs on; `None` for its model's frame.
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

/// How a joint's frame on the child lies in its frame on the parent.
#[derive(Clone, Copy, Debug)]
pub struct JointPose {
    /// From the parent's to the child's, in the parent's axes [m].
    pub offset: Vec3,
    /// Child's axes in the parent's.
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

    /// Frame of a body or, for `None`, of the model that `of` belongs to.
    pub fn frame(&self, track: &Track, row: usize, slot: Option<usize>, world_from_model: &Pose) -> Pose {
        slot.map_or(*world_from_model, |slot| rows::pose(track, row, slot))
    }

    /// How the joint that carries a body stands, by the poses of the two bodies.
    pub fn joint_pose(&self, track: &Track, row: usize, slot: usize) -> JointPose {
        let b = &self.bodies[slot];
        let parent = self.frame(track, row, b.parent, &b.world_from_model) * b.joint.parent_from_joint;
        let child = rows::pose(track, row, slot) * b.joint.child_from_joint;
        JointPose::between(&parent, &child)
    }

    /// Position of a joint with one degree of freedom by the poses of its two bodies. Poses do not count turns: the
    /// number of turns is that of the recorded `q`.
    pub fn joint_position(&self, track: &Track, row: usize, slot: usize) -> Option<f64> {
        let b = &self.bodies[slot];
        let pose = self.joint_pose(track, row, slot);
        Some(match &b.joint.kind {
            JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Screw { axis, .. } => {
                // A recording of bodies alone has no joint positions: then it is the turn nearest to zero.
                let near = track.q.get(row * track.nq + b.q).copied().unwrap_or(0.0);
                pose.angle_about(axis, near)
            }
            JointKind::Prismatic { axis } => pose.offset.dot(axis),
            _ => return None,
        })
    }
}

impl JointPose {
    /// Of two frames in the world.
    pub fn between(parent: &Pose, child: &Pose) -> Self {
        // The difference first: far from the world's origin, products of poses would lose the digits a gap is made of.
        let offset = parent.rotation.inverse() * (child.translation.vector - parent.translation.vector);
        Self { offset, turn: parent.rotation.inverse() * child.rotation }
    }

    /// The angle turned about an axis, on the turn nearest to `near` [rad].
    pub fn angle_about(&self, axis: &Vec3, near: f64) -> f64 {
        let q = self.turn.quaternion();
        let angle = 2.0 * libm::atan2(q.imag().dot(axis), q.scalar());
        let turns = ((near - angle) / std::f64::consts::TAU).round();
        // What is no number has lost its turns, not its angle.
        if turns.is_finite() { angle + std::f64::consts::TAU * turns } else { angle }
    }
}
