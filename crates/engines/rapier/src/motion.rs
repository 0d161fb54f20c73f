//! Writes states into Rapier and reads them back.
//!
//! Bodies outside multibodies are read as poses and velocities, from which joints are computed. A link of a multibody
//! has its own coordinates, which count turns; its velocity in Rapier's body is that of the substep before, so body
//! velocities are computed from the joint velocities instead.

use crate::build::Sets;
use crate::convert::{from_pose, from_rotation, from_vector, to_pose, to_vector};
use crate::joints::{axis_of_dof, joint_from_rapier};
use crate::plan::{Plan, Source};
use rapier3d_f64::dynamics::{Multibody, MultibodyLink, RigidBodyVelocity};
use veracity_engine::BodyState;
use veracity_foreign::coordinates::{point_velocity, put_quaternion, still};
use veracity_foreign::pieces::GROUND;
use veracity_model::{JointKind, Quat, Vec3};

/// Positions, velocities and bodies as last read.
#[derive(Clone, Debug)]
pub struct RapierMotion {
    /// In the order of the layout; angles count turns.
    pub q: Vec<f64>,
    /// In the order of the layout.
    pub v: Vec<f64>,
    /// In the order of the layout.
    pub bodies: Vec<BodyState>,
}

impl RapierMotion {
    /// The state of a plan at rest at the neutral position.
    pub fn new(plan: &Plan) -> Self {
        let q = plan.layout.joints.iter().flat_map(|j| j.kind.neutral().iter().copied()).collect();
        let mut motion = Self {
            q,
            v: vec![0.0; plan.layout.dof_count()],
            bodies: vec![still(nalgebra::Isometry3::identity()); plan.layout.bodies.len()],
        };
        motion.place(plan);
        motion
    }

    /// Computes all bodies from `q` and `v`.
    pub fn place(&mut self, plan: &Plan) {
        for (i, frames) in plan.frames.iter().enumerate() {
            self.bodies[i] = frames.child(&self.bodies, &self.q, &self.v);
        }
    }

    /// Writes this state into sets whose joints are all at their neutral positions.
    pub fn write(&self, plan: &Plan, sets: &mut Sets) {
        for (i, source) in plan.sources.iter().enumerate() {
            let frames = &plan.frames[i];
            match source {
                Source::Welded => {}
                Source::Body | Source::Root { .. } => {
                    let piece = plan.pieces.of_body[i];
                    let state = &self.bodies[i];
                    let pose = state.world_from_body * plan.pieces.piece_from_body[i].inverse();
                    let velocity = point_velocity(state, &pose.translation.vector);
                    let body = &mut sets.bodies[plan.handles[piece]];
                    body.set_position(to_pose(&pose), true);
                    let (linvel, angvel) = (to_vector(&velocity), to_vector(&state.angular_velocity));
                    body.set_vels(RigidBodyVelocity { linvel, angvel }, true);
                    if let Source::Root { multibody } = source
                        && let Some(multibody) = sets.multibody_joints.get_multibody_mut(*multibody)
                    {
                        let mut velocities = multibody.generalized_velocity_mut();
                        velocities.rows_mut(0, 3).copy_from(&velocity);
                        velocities.rows_mut(3, 3).copy_from(&state.angular_velocity);
                    }
                }
                Source::Link { multibody, link, dof } => {
                    let Some(multibody) = sets.multibody_joints.get_multibody_mut(*multibody) else { continue };
                    let mut displacement = [0.0; 6];
                    let mut velocity = [0.0; 6];
                    let count = frames.kind.dof_count();
                    self.link_coordinates(&frames.kind, frames.q, frames.v, &mut displacement, &mut velocity);
                    if let Some(link) = multibody.link_mut(*link) {
                        link.joint.apply_displacement(&displacement[..count]);
                    }
                    multibody.generalized_velocity_mut().rows_mut(*dof, count).copy_from_slice(&velocity[..count]);
                }
            }
        }
        for source in &plan.sources {
            if let Source::Link { multibody, .. } = source
                && let Some(multibody) = sets.multibody_joints.get_multibody_mut(*multibody)
            {
                multibody.forward_kinematics(&sets.bodies, true);
                multibody.update_rigid_bodies(&mut sets.bodies, true);
            }
        }
    }

    /// The displacement from the neutral position and the velocity of a link, in Rapier's coordinates: those of a ball
    /// joint are along the axes of the parent's joint frame.
    fn link_coordinates(&self, kind: &JointKind, q: usize, v: usize, displacement: &mut [f64], velocity: &mut [f64]) {
        let (q, v) = (&self.q[q..], &self.v[v..]);
        if *kind == JointKind::Ball {
            let turn = Quat::new_unchecked(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]));
            displacement[..3].copy_from_slice(turn.scaled_axis().as_slice());
            velocity[..3].copy_from_slice((turn * Vec3::new(v[0], v[1], v[2])).as_slice());
        } else {
            let count = kind.dof_count();
            displacement[..count].copy_from_slice(&q[..count]);
            velocity[..count].copy_from_slice(&v[..count]);
        }
    }

    /// Reads everything from Rapier.
    pub fn read(&mut self, plan: &Plan, sets: &Sets) {
        for (i, source) in plan.sources.iter().enumerate() {
            let frames = &plan.frames[i];
            let piece = plan.pieces.of_body[i];
            let body = &sets.bodies[plan.handles[piece]];
            let world_from_piece = from_pose(body.position());
            let world_from_body = world_from_piece * plan.pieces.piece_from_body[i];
            let origin = world_from_body.translation.vector;
            // State of a piece that turns about its centre of mass.
            let moving = |linear: Vec3, angular_velocity: Vec3| BodyState {
                world_from_body,
                angular_velocity,
                linear_velocity: linear + angular_velocity.cross(&(origin - world_from_piece.translation.vector)),
            };
            let state = match source {
                Source::Welded if piece == GROUND => still(world_from_body),
                Source::Welded => {
                    // Welded bodies have a parent body; only those of the ground have none.
                    let parent = frames.parent.map_or(still(world_from_body), |p| self.bodies[p]);
                    let linear_velocity = point_velocity(&parent, &origin);
                    BodyState { world_from_body, angular_velocity: parent.angular_velocity, linear_velocity }
                }
                Source::Body => {
                    let state = moving(from_vector(body.linvel()), from_vector(body.angvel()));
                    frames.read(&self.bodies, &state, &mut self.q, &mut self.v);
                    state
                }
                Source::Root { multibody } => {
                    let state = match sets.multibody_joints.get_multibody(*multibody) {
                        Some(multibody) => {
                            let v = multibody.generalized_velocity();
                            moving(Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]))
                        }
                        None => still(world_from_body),
                    };
                    frames.read(&self.bodies, &state, &mut self.q, &mut self.v);
                    state
                }
                Source::Link { multibody, link, .. } => {
                    if let Some(multibody) = sets.multibody_joints.get_multibody(*multibody)
                        && let Some(link) = multibody.link(*link)
                    {
                        self.read_link(&frames.kind, (frames.q, frames.v), multibody, link);
                    }
                    let motion = frames.motion(&self.q);
                    frames.child_velocity(&self.bodies, &world_from_body, &motion, &self.v)
                }
            };
            self.bodies[i] = state;
        }
    }

    fn read_link(&mut self, kind: &JointKind, (q, v): (usize, usize), multibody: &Multibody, link: &MultibodyLink) {
        let rates = multibody.joint_velocity(link);
        if *kind == JointKind::Ball {
            // Rapier's frame of a ball joint is ours.
            debug_assert_eq!(joint_from_rapier(kind), Some(Quat::identity()));
            let turn = from_rotation(link.joint().joint_rot());
            put_quaternion(&mut self.q[q..q + 4], &turn);
            let rate = turn.inverse() * Vec3::new(rates[0], rates[1], rates[2]);
            self.v[v..v + 3].copy_from_slice(rate.as_slice());
            return;
        }
        for dof in 0..kind.dof_count() {
            if let Some(axis) = axis_of_dof(kind, dof) {
                self.q[q + dof] = link.joint().coords()[axis as usize];
                self.v[v + dof] = rates[dof];
            }
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.v).all(|x| x.is_finite())
    }
}
