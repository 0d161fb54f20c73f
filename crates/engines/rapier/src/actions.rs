//! Loads of a step: efforts, wrenches, springs and dampers of joints, drives.
//!
//! An effort along a degree of freedom is a pair of equal and opposite wrenches on the two bodies of the joint, along
//! the axes they have at the step's beginning; through a multibody's Jacobian that is exactly the generalised effort.
//! Springs and dampers of impulse joints are efforts of the state at the step's beginning.
//!
//! A drive is Rapier's motor, whose force is, with `t` the length of a substep and `u` its target speed,
//!
//! ```text
//! (1)  kp (target - q) + (kd + t kp) (u - v)        q at the substep's beginning, v at its end
//! (2)  u = (kd target_speed + rest) / (kd + t kp)   makes (1) the contract's law at the substep's end
//! ```
//!
//! with `rest` the part of the feed-forward that is not put into the target.

use crate::build::Sets;
use crate::convert::to_vector;
use crate::joints::axis_of_dof;
use crate::motion::RapierMotion;
use crate::plan::{Plan, Source};
use rapier3d_f64::dynamics::{GenericJoint, JointMotor, MotorModel, RigidBodyHandle};
use std::f64::consts::{FRAC_PI_2, TAU};
use veracity_engine::{Inputs, JointDrive};
use veracity_foreign::coordinates::unwrap;
use veracity_model::{JointKind, Vec3};

/// Scratch of a step, allocated once.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// Efforts of this step, in the order of `v`.
    efforts: Vec<f64>,
    /// Force on each piece's centre of mass and torque, world axes.
    wrenches: Vec<(Vec3, Vec3)>,
    /// The drive of each degree of freedom, as an index into the inputs.
    drives: Vec<Option<usize>>,
    /// Whether Rapier's bodies still carry forces of the last step.
    loaded: bool,
}

impl Actions {
    /// Scratch for a plan.
    pub fn new(plan: &Plan) -> Self {
        Self {
            efforts: vec![0.0; plan.layout.dof_count()],
            wrenches: vec![(Vec3::zeros(), Vec3::zeros()); plan.pieces.pieces.len()],
            drives: vec![None; plan.layout.dof_count()],
            loaded: true,
        }
    }

    /// Rapier's sets were replaced: they may carry forces that were not set here.
    pub fn forget(&mut self) {
        self.loaded = true;
    }

    /// Rejects invalid inputs, with a message.
    pub fn check(&self, plan: &Plan, inputs: &Inputs) -> Result<(), String> {
        let (given, wanted) = (inputs.efforts.len(), self.efforts.len());
        if given != wanted {
            return Err(format!("{given} efforts were given for {wanted} degrees of freedom; give one for each"));
        }
        if let Some(dof) = inputs.efforts.iter().position(|e| !e.is_finite()) {
            return Err(format!("the effort along degree of freedom {dof} is not finite"));
        }
        for w in &inputs.wrenches {
            if w.body >= plan.layout.bodies.len() {
                return Err(format!("a wrench acts on body {}, which does not exist", w.body));
            }
            if !w.force.iter().chain(&w.torque).all(|x| x.is_finite()) {
                return Err(format!("the wrench on '{}' is not finite", plan.layout.bodies[w.body].name));
            }
        }
        for (index, drive) in inputs.drives.iter().enumerate() {
            if plan.layout.dof_position.get(drive.dof).copied().flatten().is_none() {
                return Err(format!("a drive acts on degree of freedom {}, which has no single position", drive.dof));
            }
            let numbers = [drive.kp, drive.kd, drive.target, drive.target_speed, drive.feed_forward];
            let bound = drive.max_effort >= 0.0;
            if !(numbers.iter().all(|x| x.is_finite()) && drive.kp >= 0.0 && drive.kd >= 0.0 && bound) {
                return Err(format!(
                    "the drive of degree of freedom {} is not finite or has a gain below zero",
                    drive.dof
                ));
            }
            if inputs.drives[..index].iter().any(|d| d.dof == drive.dof) {
                return Err(format!("two drives act on degree of freedom {}; give it one", drive.dof));
            }
            let (kind, own) = joint_of(plan, drive.dof);
            if is_motor(plan, drive) && axis_of_dof(&kind, own).is_none() {
                return Err(format!(
                    "Rapier has no motor along degree of freedom {} of a {} joint; use drives=explicit",
                    drive.dof,
                    kind.name()
                ));
            }
            if is_motor(plan, drive) && pushes_limits(plan, drive) && drive.max_effort.is_finite() {
                return Err(format!(
                    "Rapier cuts the feed-forward of a bounded drive without stiffness at the joint's limits (degree of \
                     freedom {}); use drives=explicit, or give it the feed-forward as an effort",
                    drive.dof
                ));
            }
        }
        Ok(())
    }

    /// Puts everything onto Rapier's bodies and joints.
    pub fn apply(&mut self, plan: &Plan, sets: &mut Sets, motion: &RapierMotion, inputs: &Inputs, substep_s: f64) {
        self.efforts.copy_from_slice(&inputs.efforts);
        for p in &plan.passives {
            let stretch = p.position.map_or(0.0, |i| motion.q[i] - p.reference);
            self.efforts[p.dof] -= p.damping * motion.v[p.dof] + p.stiffness * stretch;
        }
        self.drives.fill(None);
        for (index, drive) in inputs.drives.iter().enumerate() {
            if is_motor(plan, drive) {
                self.drives[drive.dof] = Some(index);
                if pushes_limits(plan, drive) {
                    self.efforts[drive.dof] += drive.feed_forward;
                }
            } else if let Some(position) = plan.layout.dof_position[drive.dof] {
                self.efforts[drive.dof] += drive.effort(motion.q[position], motion.v[drive.dof]);
            }
        }
        self.set_motors(plan, sets, motion, inputs, substep_s);
        self.set_forces(plan, sets, motion, inputs);
    }

    /// Sets the motor of every joint that has or had a drive.
    fn set_motors(&self, plan: &Plan, sets: &mut Sets, motion: &RapierMotion, inputs: &Inputs, substep_s: f64) {
        for (joint, slot) in plan.layout.joints.iter().enumerate() {
            for i in 0..slot.kind.dof_count() {
                let Some(axis) = axis_of_dof(&slot.kind, i) else { continue };
                let dof = slot.v + i;
                let drive = self.drives[dof].map(|d| {
                    let drive = inputs.drives[d];
                    if pushes_limits(plan, &drive) { JointDrive { feed_forward: 0.0, ..drive } } else { drive }
                });
                let q = plan.layout.dof_position[dof].map_or(0.0, |p| motion.q[p]);
                match plan.sources[joint] {
                    Source::Body => {
                        let Some(handle) = plan.impulse_joints[joint] else { continue };
                        let turning = !matches!(slot.kind, JointKind::Prismatic { .. }) && axis as usize >= 3;
                        let wanted = drive.map(|d| motor(&d, q, turning, substep_s));
                        let differs =
                            sets.impulse_joints.get(handle).is_some_and(|j| differs(&j.data, axis as usize, &wanted));
                        // Reading is cheap; mutable access makes Rapier reassemble its joints.
                        if differs && let Some(joint) = sets.impulse_joints.get_mut(handle, false) {
                            set_motor(&mut joint.data, axis, &wanted);
                        }
                    }
                    Source::Link { multibody, link, .. } => {
                        let Some(multibody) = sets.multibody_joints.get_multibody_mut(multibody) else { continue };
                        let Some(link) = multibody.link_mut(link) else { continue };
                        let wanted = drive.map(|d| motor(&d, q, false, substep_s));
                        if differs(&link.joint.data, axis as usize, &wanted) {
                            set_motor(&mut link.joint.data, axis, &wanted);
                        }
                    }
                    Source::Welded | Source::Root { .. } => {}
                }
            }
        }
    }

    fn set_forces(&mut self, plan: &Plan, sets: &mut Sets, motion: &RapierMotion, inputs: &Inputs) {
        let acts = self.efforts.iter().any(|e| *e != 0.0) || !inputs.wrenches.is_empty();
        if !acts && !self.loaded {
            return;
        }
        self.wrenches.fill((Vec3::zeros(), Vec3::zeros()));
        for joint in 0..plan.frames.len() {
            self.add_joint_efforts(plan, motion, joint);
        }
        for w in &inputs.wrenches {
            // On the body's own centre of mass, which need not be the piece's.
            let com = (motion.bodies[w.body].world_from_body * nalgebra::Point3::from(plan.body_coms[w.body])).coords;
            let (force, torque) = (Vec3::from(w.force), Vec3::from(w.torque));
            self.add_wrench(plan, motion, Some(w.body), &com, &force, &torque);
        }
        for (piece, (force, torque)) in self.wrenches.iter().enumerate().skip(1) {
            let handle: RigidBodyHandle = plan.handles[piece];
            let Some(body) = sets.bodies.get(handle) else { continue };
            let (force, torque) = (to_vector(force), to_vector(torque));
            if body.user_force() != force || body.user_torque() != torque {
                let body = &mut sets.bodies[handle];
                body.reset_forces(false);
                body.reset_torques(false);
                body.add_force(force, false);
                body.add_torque(torque, false);
            }
        }
        self.loaded = acts;
    }

    /// The wrench pair of a joint's efforts.
    fn add_joint_efforts(&mut self, plan: &Plan, motion: &RapierMotion, joint: usize) {
        let frames = &plan.frames[joint];
        let e = &self.efforts[frames.v..frames.v + frames.kind.dof_count()];
        if e.iter().all(|e| *e == 0.0) {
            return;
        }
        let none = Vec3::zeros();
        let world_from_p = frames.world_from_parent_joint(&motion.bodies);
        let world_from_c = motion.bodies[joint].world_from_body * frames.child_from_joint;
        let (p, c) = (world_from_p.rotation, world_from_c.rotation);
        let (force, torque) = match &frames.kind {
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => (none, p * (axis * e[0])),
            JointKind::Prismatic { axis } => (p * (axis * e[0]), none),
            JointKind::Ball => (none, c * Vec3::new(e[0], e[1], e[2])),
            JointKind::Planar { x_axis, y_axis } => {
                (p * (x_axis * e[0] + y_axis * e[1]), p * (x_axis.cross(y_axis) * e[2]))
            }
            JointKind::Free => (p * Vec3::new(e[3], e[4], e[5]), c * Vec3::new(e[0], e[1], e[2])),
            JointKind::Fixed | JointKind::Screw { .. } | JointKind::Universal { .. } => (none, none),
        };
        let point = world_from_c.translation.vector;
        self.add_wrench(plan, motion, Some(joint), &point, &force, &torque);
        self.add_wrench(plan, motion, frames.parent, &point, &-force, &-torque);
    }

    /// Adds a force at a point and a torque to the piece of a body.
    fn add_wrench(
        &mut self,
        plan: &Plan,
        motion: &RapierMotion,
        body: Option<usize>,
        point: &Vec3,
        force: &Vec3,
        torque: &Vec3,
    ) {
        let Some(body) = body else { return };
        let world_from_piece = motion.bodies[body].world_from_body * plan.pieces.piece_from_body[body].inverse();
        let arm = point - world_from_piece.translation.vector;
        let sum = &mut self.wrenches[plan.pieces.of_body[body]];
        sum.0 += force;
        sum.1 += torque + arm.cross(force);
    }
}

/// Whether a drive is one of Rapier's motors; without gains it is an effort.
fn is_motor(plan: &Plan, drive: &JointDrive) -> bool {
    plan.tuning.implicit_drives && (drive.kp > 0.0 || drive.kd > 0.0)
}

/// Whether the feed-forward would have to be a target speed along an axis with limits. Rapier cuts target speeds there
/// to what reaches the limit within a substep.
fn pushes_limits(plan: &Plan, drive: &JointDrive) -> bool {
    let dof = &plan.layout.dofs[drive.dof];
    drive.kp == 0.0 && drive.feed_forward != 0.0 && (dof.lower.is_finite() || dof.upper.is_finite())
}

/// Kind of the joint of a degree of freedom, and its index within the joint.
fn joint_of(plan: &Plan, dof: usize) -> (JointKind, usize) {
    let after = plan.layout.joints.partition_point(|j| j.v <= dof);
    // Joints without degrees of freedom begin where the next one does; the last that begins here is the right one.
    let slot = &plan.layout.joints[after - 1];
    (slot.kind, dof - slot.v)
}

/// Rapier's motor for a drive by (1) and (2). The angle of a rotational motor is the one nearest to its target, so the
/// part of the difference beyond a quarter of a turn is handed over as a constant.
fn motor(drive: &JointDrive, q: f64, turning: bool, substep_s: f64) -> JointMotor {
    let apart = drive.target - q;
    let near = if turning { apart.clamp(-FRAC_PI_2, FRAC_PI_2) } else { apart };
    let mut rest = drive.kp * (apart - near);
    let mut target = q + near;
    if drive.kp > 0.0 && !turning {
        target += drive.feed_forward / drive.kp;
    } else {
        rest += drive.feed_forward;
    }
    if turning {
        // Within half a turn of zero, as Rapier measures it.
        target = unwrap(target, 0.0);
        debug_assert!(target.abs() <= TAU);
    }
    JointMotor {
        target_vel: (drive.kd * drive.target_speed + rest) / (drive.kd + substep_s * drive.kp),
        target_pos: target,
        stiffness: drive.kp,
        damping: drive.kd,
        max_force: drive.max_effort.min(f64::MAX),
        impulse: 0.0,
        model: MotorModel::ForceBased,
    }
}

/// Whether a joint's motor differs from the wanted one, apart from its impulse of the last step.
fn differs(joint: &GenericJoint, axis: usize, wanted: &Option<JointMotor>) -> bool {
    let on = joint.motor_axes.bits() >> axis & 1 == 1;
    match wanted {
        None => on,
        Some(motor) => !on || JointMotor { impulse: motor.impulse, ..joint.motors[axis] } != *motor,
    }
}

fn set_motor(joint: &mut GenericJoint, axis: rapier3d_f64::dynamics::JointAxis, wanted: &Option<JointMotor>) {
    match wanted {
        Some(motor) => {
            let impulse = joint.motors[axis as usize].impulse;
            joint.motors[axis as usize] = JointMotor { impulse, ..*motor };
            joint.motor_axes |= axis.into();
        }
        None => {
            joint.motor_axes -= axis.into();
            joint.motors[axis as usize] = JointMotor::default();
        }
    }
}
