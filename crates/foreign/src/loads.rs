//! Loads of a step in the form an engine needs: generalised efforts, or wrenches on rigid pieces.
//!
//! What a shim does not implement is an effort computed from the state at the step's beginning:
//!
//! ```text
//! (1)  damping and spring of a joint    e = -d v - k (q - q₀)
//! (2)  a drive                          e = clamp(kp (target - q) + kd (target_speed - v) + feed_forward)
//! (3)  drag of a piece                  f = -m c v,   τ = -c' I ω
//! (4)  a spring between points          f = k (length - rest) + d (length)', along the line between them
//! ```
//!
//! For a maximal engine, an effort along a degree of freedom is a pair of equal and opposite wrenches on the two bodies
//! of the joint, along the axes they have at the step's beginning.

use crate::ffi::{self, Abilities, flags};
use crate::motion::{ForeignMotion, pose_of};
use crate::pieces::GROUND;
use crate::scene::{Place, Scene};
use nalgebra as na;
use veracity_engine::Inputs;
use veracity_model::{JointKind, Vec3};

/// Scratch of a step, allocated once.
#[derive(Clone, Debug)]
pub struct Loads {
    abilities: Abilities,
    /// Efforts of this step, in the order of `v`.
    pub efforts: Vec<f64>,
    /// Force on each piece's centre of mass and torque, world axes.
    pub wrenches: Vec<[f64; 6]>,
    /// Drives that the engine implements.
    pub drives: Vec<ffi::ShimDrive>,
    /// Whether there are efforts, and wrenches.
    pub any: [bool; 2],
    /// Efforts in the last step of drives computed here, in the order of `v`.
    pub driven: Vec<f64>,
    /// Degrees of freedom with a damper or spring computed here.
    passives: Vec<usize>,
    /// Pieces with drag computed here.
    dragged: Vec<usize>,
    springs: bool,
}

impl Loads {
    /// For a scene.
    pub fn new(scene: &Scene, abilities: Abilities) -> Self {
        let passive = |d: &veracity_model::Dof| {
            (d.damping != 0.0 && !abilities.has(flags::JOINT_DAMPING))
                || (d.stiffness != 0.0 && !abilities.has(flags::JOINT_SPRINGS))
        };
        let drags = |p: &crate::scene::ScenePiece| p.linear_damping != 0.0 || p.angular_damping != 0.0;
        let pieces = 1..scene.pieces.len();
        Self {
            abilities,
            efforts: vec![0.0; scene.nv],
            wrenches: vec![[0.0; 6]; scene.pieces.len()],
            drives: Vec::with_capacity(scene.nv),
            any: [false; 2],
            driven: vec![0.0; scene.nv],
            passives: (0..scene.nv).filter(|i| passive(&scene.dofs[*i])).collect(),
            dragged: pieces.filter(|i| !abilities.has(flags::DRAG) && drags(&scene.pieces[*i])).collect(),
            springs: !abilities.has(flags::SPRINGS) && !scene.springs.is_empty(),
        }
    }

    /// Whether the loads of the next step depend on joints or bodies that the engine does not report.
    pub fn look_at_motion(&self, inputs: &Inputs) -> bool {
        let wrenches = !inputs.wrenches.is_empty();
        if self.abilities.has(flags::REDUCED) {
            return wrenches || !self.dragged.is_empty() || self.springs;
        }
        let efforts = inputs.efforts.iter().any(|e| *e != 0.0);
        wrenches || efforts || !self.passives.is_empty() || !inputs.drives.is_empty()
    }

    /// Collects all loads of the next step.
    pub fn gather(&mut self, place: &Place, scene: &Scene, motion: &ForeignMotion, inputs: &Inputs) {
        self.gather_efforts(place, scene, motion, inputs);
        let acts = self.efforts.iter().any(|e| *e != 0.0);
        let reduced = self.abilities.has(flags::REDUCED);
        let wrenches = !inputs.wrenches.is_empty() || !self.dragged.is_empty() || self.springs || (acts && !reduced);
        if wrenches || self.any[1] {
            self.wrenches.fill([0.0; 6]);
        }
        self.any = [acts, wrenches];
        if !wrenches {
            return;
        }
        if acts && !reduced {
            (0..place.frames.len()).for_each(|joint| self.add_joint_efforts(place, motion, joint));
        }
        for w in &inputs.wrenches {
            // On the body's own centre of mass, which need not be the piece's.
            let com = (motion.bodies[w.body].world_from_body * na::Point3::from(place.body_coms[w.body])).coords;
            let piece = place.pieces.of_body[w.body];
            self.add(motion, piece, &com, &Vec3::from(w.force), &Vec3::from(w.torque));
        }
        for index in 0..self.dragged.len() {
            self.add_drag(scene, motion, self.dragged[index]);
        }
        if self.springs {
            scene.springs.iter().for_each(|spring| self.add_spring(motion, spring));
        }
    }

    fn gather_efforts(&mut self, place: &Place, scene: &Scene, motion: &ForeignMotion, inputs: &Inputs) {
        self.efforts.copy_from_slice(&inputs.efforts);
        let position = &place.layout.dof_position;
        for dof in &self.passives {
            let d = &scene.dofs[*dof];
            if !self.abilities.has(flags::JOINT_DAMPING) {
                self.efforts[*dof] -= d.damping * motion.v[*dof];
            }
            if let Some(at) = position[*dof].filter(|_| !self.abilities.has(flags::JOINT_SPRINGS)) {
                self.efforts[*dof] -= d.stiffness * (motion.q[at] - d.spring_reference);
            }
        }
        self.drives.clear();
        if !inputs.drives.is_empty() {
            self.driven.fill(0.0);
        }
        for drive in &inputs.drives {
            let Some(at) = position[drive.dof] else { continue };
            if self.abilities.has(flags::DRIVES) {
                let bound = drive.max_effort;
                let numbers = [drive.kp, drive.kd, drive.target, drive.target_speed, drive.feed_forward, bound];
                self.drives.push(ffi::ShimDrive { dof: drive.dof as i32, position: at as i32, numbers });
            } else {
                self.driven[drive.dof] = drive.effort(motion.q[at], motion.v[drive.dof]);
                self.efforts[drive.dof] += self.driven[drive.dof];
            }
        }
    }

    /// The wrench pair of a joint's efforts.
    fn add_joint_efforts(&mut self, place: &Place, motion: &ForeignMotion, joint: usize) {
        let frames = &place.frames[joint];
        let e: [f64; 6] =
            std::array::from_fn(|i| if i < frames.kind.dof_count() { self.efforts[frames.v + i] } else { 0.0 });
        if e == [0.0; 6] {
            return;
        }
        let none = Vec3::zeros();
        let world_from_p = frames.world_from_parent_joint(&motion.bodies);
        let world_from_c = motion.bodies[joint].world_from_body * frames.child_from_joint;
        let (p, c) = (world_from_p.rotation, world_from_c.rotation);
        let (force, torque) = match &frames.kind {
            JointKind::Fixed => return,
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => (none, p * (axis * e[0])),
            // The work of a torque about the axis over a radian is the effort's own.
            JointKind::Screw { axis, .. } => (none, p * (axis * e[0])),
            JointKind::Prismatic { axis } => (p * (axis * e[0]), none),
            JointKind::Universal { axis1, axis2 } => (none, p * (axis1 * e[0]) + c * (axis2 * e[1])),
            JointKind::Ball => (none, c * Vec3::new(e[0], e[1], e[2])),
            JointKind::Planar { x_axis, y_axis } => {
                (p * (x_axis * e[0] + y_axis * e[1]), p * (x_axis.cross(y_axis) * e[2]))
            }
            JointKind::Free => (p * Vec3::new(e[3], e[4], e[5]), c * Vec3::new(e[0], e[1], e[2])),
        };
        let point = world_from_c.translation.vector;
        self.add(motion, place.pieces.of_body[joint], &point, &force, &torque);
        if let Some(parent) = frames.parent {
            self.add(motion, place.pieces.of_body[parent], &point, &-force, &-torque);
        }
    }

    fn add_drag(&mut self, scene: &Scene, motion: &ForeignMotion, piece: usize) {
        let (made, moves) = (&scene.pieces[piece], &motion.pieces[piece]);
        let turn = pose_of(moves).rotation;
        let [xx, yy, zz, xy, xz, yz] = made.tensor;
        let tensor = na::Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let spin = turn.inverse() * Vec3::from(moves.angular);
        let force = -made.mass * made.linear_damping * Vec3::from(moves.linear);
        let torque = turn * (tensor * spin) * -made.angular_damping;
        let at = Vec3::new(moves.pose[0], moves.pose[1], moves.pose[2]);
        self.add(motion, piece, &at, &force, &torque);
    }

    fn add_spring(&mut self, motion: &ForeignMotion, spring: &crate::scene::SceneSpring) {
        let end = |piece: usize, point: &[f64; 3]| {
            let moves = &motion.pieces[piece];
            let pose = pose_of(moves);
            let at = (pose * na::Point3::from(*point)).coords;
            let arm = at - pose.translation.vector;
            (at, Vec3::from(moves.linear) + Vec3::from(moves.angular).cross(&arm))
        };
        let ((a, speed_a), (b, speed_b)) = (end(spring.a, &spring.point_a), end(spring.b, &spring.point_b));
        let line = b - a;
        let length = line.norm();
        if length == 0.0 {
            return; // The direction of the force is undefined.
        }
        let along = line / length;
        let pull = spring.stiffness * (length - spring.rest) + spring.damping * (speed_b - speed_a).dot(&along);
        self.add(motion, spring.a, &a, &(along * pull), &Vec3::zeros());
        self.add(motion, spring.b, &b, &(along * -pull), &Vec3::zeros());
    }

    /// Adds a force at a point and a torque to a piece.
    fn add(&mut self, motion: &ForeignMotion, piece: usize, point: &Vec3, force: &Vec3, torque: &Vec3) {
        if piece == GROUND {
            return;
        }
        let [x, y, z, ..] = motion.pieces[piece].pose;
        let turning = torque + (point - Vec3::new(x, y, z)).cross(force);
        let sum = &mut self.wrenches[piece];
        for i in 0..3 {
            sum[i] += force[i];
            sum[3 + i] += turning[i];
        }
    }
}

/// Rejects invalid inputs, with a message.
pub fn check(place: &Place, inputs: &Inputs) -> Result<(), String> {
    let layout = &place.layout;
    let (given, wanted) = (inputs.efforts.len(), layout.dof_count());
    if given != wanted {
        return Err(format!("{given} efforts were given for {wanted} degrees of freedom; give one for each"));
    }
    if let Some(dof) = inputs.efforts.iter().position(|e| !e.is_finite()) {
        return Err(format!("the effort along degree of freedom {dof} is not finite"));
    }
    for w in &inputs.wrenches {
        let Some(body) = layout.bodies.get(w.body) else {
            return Err(format!("a wrench acts on body {}, which does not exist", w.body));
        };
        if !w.force.iter().chain(&w.torque).all(|x| x.is_finite()) {
            return Err(format!("the wrench on '{}' is not finite", body.name));
        }
    }
    for (index, drive) in inputs.drives.iter().enumerate() {
        let dof = drive.dof;
        if layout.dof_position.get(dof).copied().flatten().is_none() {
            return Err(format!("a drive acts on degree of freedom {dof}, which has no single position"));
        }
        let numbers = [drive.kp, drive.kd, drive.target, drive.target_speed, drive.feed_forward];
        let signs = drive.kp >= 0.0 && drive.kd >= 0.0 && drive.max_effort >= 0.0;
        if !(numbers.iter().all(|x| x.is_finite()) && signs) {
            return Err(format!("the drive of degree of freedom {dof} is not finite or has a gain below zero"));
        }
        if inputs.drives[..index].iter().any(|d| d.dof == dof) {
            return Err(format!("two drives act on degree of freedom {dof}; give it one"));
        }
    }
    Ok(())
}
