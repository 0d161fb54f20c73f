//! A world laid out for Rapier: the correspondence of its objects and ours. Immutable once loaded.

use crate::settings::{Joints, Tuning};
use rapier3d_f64::dynamics::{ImpulseJointHandle, MultibodyIndex, RigidBodyHandle};
use veracity_foreign::Refusals;
use veracity_foreign::coordinates::{JointFrames, joint_frames};
use veracity_foreign::pieces::{GROUND, Pieces};
use veracity_model::{JointKind, Layout, Vec3, World};

/// Where a joint's state is read from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Nowhere: it is fixed.
    Welded,
    /// From the body it carries.
    Body,
    /// From the free root of a multibody.
    Root {
        /// The multibody.
        multibody: MultibodyIndex,
    },
    /// From a link of a multibody.
    Link {
        /// The multibody.
        multibody: MultibodyIndex,
        /// Index of the link.
        link: usize,
        /// Offset of its velocities in the multibody's.
        dof: usize,
    },
}

/// A spring and damper along one degree of freedom whose effort is computed at the step's beginning.
#[derive(Clone, Copy, Debug)]
pub struct Passive {
    /// Index in `v`.
    pub dof: usize,
    /// Index in `q`, where there is stiffness.
    pub position: Option<usize>,
    /// [N m s/rad or N s/m]
    pub damping: f64,
    /// [N m/rad or N/m]
    pub stiffness: f64,
    /// [rad or m]
    pub reference: f64,
}

/// The plan. Handles are filled in when Rapier's sets are built.
#[derive(Debug)]
pub struct Plan {
    /// Names and offsets.
    pub layout: Layout,
    /// Frames of the joints.
    pub frames: Vec<JointFrames>,
    /// Rigid pieces.
    pub pieces: Pieces,
    /// Centre of mass of each body in its own frame [m].
    pub body_coms: Vec<Vec3>,
    /// Rapier's body of each piece.
    pub handles: Vec<RigidBodyHandle>,
    /// Where each joint is read from.
    pub sources: Vec<Source>,
    /// The impulse joint of each joint of the model.
    pub impulse_joints: Vec<Option<ImpulseJointHandle>>,
    /// Springs and dampers of joints that Rapier does not implement.
    pub passives: Vec<Passive>,
    /// For each collider the slot of its body.
    pub collider_bodies: Vec<usize>,
    /// The settings.
    pub tuning: Tuning,
}

/// Role of a piece in Rapier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A single body.
    Single,
    /// The free root of a multibody.
    Root,
    /// A link of a multibody.
    Link,
}

impl Plan {
    /// Lays out a world; refuses what Rapier cannot express.
    pub fn new(world: &World, tuning: Tuning, refusals: &mut Refusals) -> Self {
        let layout = Layout::new(world);
        let frames = joint_frames(world, &layout);
        let pieces = Pieces::new(world, &layout, refusals);
        let count = layout.joints.len();
        let sources = frames.iter().map(|f| if f.kind == JointKind::Fixed { Source::Welded } else { Source::Body });
        let bodies = world.placements.iter().flat_map(|p| p.model.bodies());
        let mut plan = Self {
            body_coms: bodies.map(|b| b.inertia.com).collect(),
            sources: sources.collect(),
            impulse_joints: vec![None; count],
            passives: Vec::new(),
            handles: vec![RigidBodyHandle::invalid(); pieces.pieces.len()],
            collider_bodies: Vec::new(),
            layout,
            frames,
            pieces,
            tuning,
        };
        plan.add_passives();
        plan.check_pieces(refusals);
        plan
    }

    /// The piece a joint hangs on.
    pub fn parent_piece(&self, joint: usize) -> usize {
        self.frames[joint].parent.map_or(GROUND, |p| self.pieces.of_body[p])
    }

    /// Joints that Rapier has to enforce.
    pub fn held_joints(&self) -> impl Iterator<Item = usize> {
        let held = |f: &JointFrames| !matches!(f.kind, JointKind::Fixed | JointKind::Free);
        self.frames.iter().enumerate().filter(move |(_, f)| held(f)).map(|(i, _)| i)
    }

    /// Role of each piece in Rapier.
    pub fn roles(&self) -> Vec<Role> {
        let mut roles = vec![Role::Single; self.pieces.pieces.len()];
        if self.tuning.joints == Joints::Multibody {
            for joint in self.held_joints() {
                roles[self.pieces.of_body[joint]] = Role::Link;
                let parent = &mut roles[self.parent_piece(joint)];
                if *parent == Role::Single {
                    *parent = Role::Root;
                }
            }
            roles[GROUND] = Role::Single;
        }
        roles
    }

    /// Impulse joints have no springs or dampers; the axes of a free root differ from ours.
    fn add_passives(&mut self) {
        for (slot, frames) in self.layout.joints.iter().zip(&self.frames) {
            if self.tuning.joints == Joints::Multibody && frames.kind != JointKind::Free {
                continue;
            }
            for dof in slot.v..slot.v + slot.kind.dof_count() {
                let d = &self.layout.dofs[dof];
                if d.damping != 0.0 || d.stiffness != 0.0 {
                    self.passives.push(Passive {
                        dof,
                        position: self.layout.dof_position[dof],
                        damping: d.damping,
                        stiffness: d.stiffness,
                        reference: d.spring_reference,
                    });
                }
            }
        }
    }

    /// Refuses masses and drags that Rapier would misinterpret.
    fn check_pieces(&self, refusals: &mut Refusals) {
        let carries: Vec<usize> = self.held_joints().map(|j| self.parent_piece(j)).collect();
        for (index, (piece, role)) in self.pieces.pieces.iter().zip(self.roles()).enumerate().skip(1) {
            let name = &piece.name;
            let zero = piece.moments.iter().filter(|m| **m == 0.0).count();
            if piece.inertia.mass == 0.0 && !(role == Role::Link && carries.contains(&index)) {
                refusals.add(
                    format!("'{name}', which has no mass: Rapier treats that as infinite"),
                    "give it a mass; with joints=multibody a massless body that carries others is allowed",
                );
            } else if zero == 3 && role == Role::Single && piece.inertia.mass != 0.0 {
                refusals.add(
                    format!("'{name}', which has no moment of inertia: Rapier treats that as infinite"),
                    "give it a tensor, or use joints=multibody",
                );
            } else if (1..3).contains(&zero) && self.tuning.moment_floor == 0.0 {
                refusals.add(
                    format!(
                        "'{name}', which has no moment of inertia about one axis: Rapier treats that as infinite"
                    ),
                    "give it one, or set moment_floor to the fraction of its largest moment to use instead (1e-6)",
                );
            }
            if role != Role::Single && (piece.linear_damping != 0.0 || piece.angular_damping != 0.0) {
                refusals.add(format!("the drag of '{name}' in a multibody"), "use joints=impulse, or damp its joint");
            }
        }
    }
}
