//! What a generated scenario must know about a robot: its start, the inertia of its joints, its size.

use crate::run::plan::{self, Start};
use anyhow::{Context, ensure};
use std::sync::Arc;
use veracity_check::MassMatrix;
use veracity_collide::Collider;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{System, Workspace, kinematics};
use veracity_model::layout::JointSlot;
use veracity_model::{JointKind, Layout, Pose, Vec3, World};

/// Names of stored poses in which a robot stands or is ready, best first.
const READY: [&str; 6] = ["home", "ready", "standing", "half_sitting", "default", "stand"];

/// A robot at its start.
#[derive(Clone)]
pub struct Robot {
    /// The model's name, as in paths.
    pub name: String,
    /// The model as loaded.
    pub world: World,
    /// Its layout.
    pub layout: Layout,
    /// Positions at the start.
    pub q: Vec<f64>,
    /// How the start was chosen, for the file's comment.
    pub start_text: String,
    /// Pose of every body in the world.
    pub poses: Vec<Pose>,
    /// Inertia seen by a motor at a joint while all others are free: one over the diagonal of M⁻¹ [kg m² or kg].
    pub inertias: Vec<f64>,
    /// Total mass [kg].
    pub mass: f64,
    /// Corners of the box around its collision shapes, in the world [m].
    pub room: [Vec3; 2],
    /// Its collision shapes, prepared for measuring.
    pub colliders: Arc<Vec<PlacedCollider>>,
}

/// A collision shape of a body.
pub struct PlacedCollider {
    /// Slot of the body.
    pub body: usize,
    /// The prepared shape.
    pub collider: Collider,
    /// Its place on the body.
    pub body_from_shape: Pose,
}

impl Robot {
    /// Examines the first model of a world.
    pub fn new(world: World) -> anyhow::Result<Self> {
        ensure!(world.placements.len() == 1, "the file holds several models; write the scenario by hand");
        let layout = Layout::new(&world);
        ensure!(layout.dof_count() > 0, "the model has no joint that moves; nothing can be tried with it");
        let (start, start_text) = chosen_start(&world, &layout)?;
        let system = System::new(&world)?;
        let mut ws = Workspace::new(&system);
        let mut q = start.q;
        kinematics::normalise(&system, &mut q);
        kinematics::velocities(&system, &mut ws, &q, &vec![0.0; layout.dof_count()]);
        let place = |b: &veracity_model::layout::BodySlot| {
            body_motion(&ws, system.place(b.placement, b.body)).world_from_body
        };
        let poses: Vec<Pose> = layout.bodies.iter().map(place).collect();
        kinematics::positions(&system, &mut ws, &q);
        let mut inertias = vec![0.0; layout.dof_count()];
        for block in MassMatrix::new(&system, &mut ws).blocks() {
            if block.matrix.clone().cholesky().is_none() {
                let dofs = block.first..block.first + block.matrix.nrows();
                let joint = layout
                    .joints
                    .iter()
                    .find(|j| dofs.contains(&j.v) && block.matrix[(j.v - block.first, j.v - block.first)] <= 0.0);
                let joint = joint.or_else(|| layout.joints.iter().find(|j| dofs.contains(&j.v)));
                anyhow::bail!(
                    "no engine can move this model: the joint-space inertia matrix is not positive definite at joint '{}'; \
                     `veracity check` says which bodies lack mass",
                    joint.map_or("", |j| j.name.as_str())
                );
            }
            let inverse = block.matrix.clone().try_inverse();
            for i in 0..block.matrix.nrows() {
                let felt = inverse.as_ref().map(|inverse| 1.0 / inverse[(i, i)]);
                let felt = felt.filter(|x| x.is_finite() && *x > 0.0);
                inertias[block.first + i] = felt.unwrap_or(block.matrix[(i, i)]);
            }
        }
        let mass = world.placements[0].model.bodies().iter().map(|b| b.inertia.mass).sum();
        let name = world.placements[0].name.clone();
        let colliders = Arc::new(colliders(&world, &layout));
        let room = [Vec3::zeros(); 2];
        let mut robot = Self { name, world, layout, q, start_text, poses, inertias, mass, room, colliders };
        let all: Vec<usize> = (0..robot.layout.bodies.len()).collect();
        robot.room = robot.bounds(&all).context("the model has no collision shapes; a simulation cannot touch it")?;
        Ok(robot)
    }

    /// Corners of the box around the collision shapes of bodies, in the world [m].
    pub fn bounds(&self, bodies: &[usize]) -> Option<[Vec3; 2]> {
        self.bounds_in(&Pose::identity(), bodies)
    }

    /// The same along the axes of a frame given in the world.
    pub fn bounds_in(&self, world_from_frame: &Pose, bodies: &[usize]) -> Option<[Vec3; 2]> {
        let frame_from_world = world_from_frame.inverse();
        let mut found: Option<[Vec3; 2]> = None;
        for part in self.colliders.iter().filter(|part| bodies.contains(&part.body)) {
            let place = frame_from_world * self.poses[part.body] * part.body_from_shape;
            let Some([low, high]) = part.collider.bounds(&place) else { continue };
            let [a, b] = found.get_or_insert([low, high]);
            (*a, *b) = (a.inf(&low), b.sup(&high));
        }
        found
    }

    /// Joints with one degree of freedom that no coupling drives.
    pub fn driven(&self) -> Vec<&JointSlot> {
        let model = &self.world.placements[0].model;
        let follows = |slot: &JointSlot| model.couplings().iter().any(|c| c.follower.0 == slot.body);
        self.layout.joints.iter().filter(|j| j.kind.dof_count() == 1 && !follows(j)).collect()
    }

    /// The first of the bodies that fixed joints attach to this one.
    pub fn rigid_root(&self, mut body: usize) -> usize {
        while let Some(parent) = self.layout.bodies[body].parent
            && self.layout.joints[body].kind.dof_count() == 0
        {
            body = parent;
        }
        body
    }

    /// A body and everything it carries.
    pub fn carried_by(&self, body: usize) -> Vec<usize> {
        let mut all = vec![body];
        // Parents come before children.
        for other in body + 1..self.layout.bodies.len() {
            if self.layout.bodies[other].parent.is_some_and(|parent| all.contains(&parent)) {
                all.push(other);
            }
        }
        all
    }

    /// The joint whose motor moves this one: itself, or the leader of its coupling.
    pub fn driver(&self, joint: usize) -> Option<usize> {
        let couplings = self.world.placements[0].model.couplings();
        match couplings.iter().find(|c| c.follower.0 == joint) {
            Some(coupling) => coupling.leader.and_then(|leader| self.driver(leader.0)),
            None => Some(joint),
        }
    }

    /// Centre of mass of a body in the world [m].
    pub fn com(&self, body: usize) -> Vec3 {
        let com = self.world.placements[0].model.body(self.layout.bodies[body].body).inertia.com;
        self.poses[body].translation.vector + self.poses[body].rotation * com
    }

    /// The body that carries the others: the first that moves and has mass.
    pub fn root(&self) -> usize {
        let model = &self.world.placements[0].model;
        let heavy = |&body: &usize| model.body(self.layout.bodies[body].body).inertia.mass > 0.0;
        (0..self.layout.bodies.len()).find(heavy).unwrap_or(0)
    }

    /// The last body of the longest chain: an arm's tool.
    pub fn tool(&self) -> usize {
        let depth = |mut body: usize| {
            let mut joints = 0;
            while let Some(parent) = self.layout.bodies[body].parent {
                joints += self.layout.joints[body].kind.dof_count();
                body = parent;
            }
            joints
        };
        // The first of equals: a flange before the fingers on it.
        (0..self.layout.bodies.len()).max_by_key(|&body| (depth(body), std::cmp::Reverse(body))).unwrap_or(0)
    }

    /// Whether its first body can float.
    pub fn floats(&self) -> bool {
        self.layout.joints.iter().any(|j| matches!(j.kind, JointKind::Free))
    }
}

fn colliders(world: &World, layout: &Layout) -> Vec<PlacedCollider> {
    let model = &world.placements[0].model;
    let mut out = Vec::new();
    for (body, slot) in layout.bodies.iter().enumerate() {
        for shape in model.body(slot.body).shapes.iter().filter(|s| s.collides) {
            if let Ok(collider) = Collider::new(&shape.shape) {
                out.push(PlacedCollider { body, collider, body_from_shape: shape.body_from_shape });
            }
        }
    }
    out
}

/// A stored pose with a known name, or the file's own pose, with every joint brought within its limits: a stored pose
/// may break them too, and a motor that holds a joint beyond its stop fights the stop.
fn chosen_start(world: &World, layout: &Layout) -> anyhow::Result<(Start, String)> {
    let model = &world.placements[0].model;
    let named = |word: &&str| model.keyframes().iter().find(|k| k.name.to_lowercase().contains(*word));
    let keyframe = READY.iter().find_map(named).map(|keyframe| keyframe.name.as_str());
    let mut start = plan::start(world, ("--start", keyframe))?;
    let mut moved = 0;
    for joint in layout.joints.iter().filter(|j| j.kind.dof_count() == 1) {
        let limits = &layout.dofs[joint.v];
        let at = &mut start.q[joint.q];
        if *at < limits.lower || *at > limits.upper {
            let both = limits.lower.is_finite() && limits.upper.is_finite();
            *at = if both { 0.5 * (limits.lower + limits.upper) } else { at.clamp(limits.lower, limits.upper) };
            moved += 1;
        }
    }
    let mut text = match keyframe {
        Some(name) => format!("the pose '{name}' of the model"),
        None => "where the model's file puts it".to_string(),
    };
    match moved {
        0 => {}
        1 => text += ", 1 joint brought between its limits",
        _ => text += &format!(", {moved} joints brought between their limits"),
    }
    Ok((start, text))
}

impl Robot {
    /// Sets one position and updates the poses of all bodies.
    pub fn place(&mut self, q: usize, value: f64) -> anyhow::Result<()> {
        self.q[q] = value;
        let model = &self.world.placements[0].model;
        // Joints driven by a coupling move along.
        for coupling in model.couplings() {
            if let Some(leader) = coupling.leader
                && self.layout.joints[leader.0].q == q
            {
                let at = |power: usize| value.powi(power as i32);
                let follower = self.layout.joints[coupling.follower.0].q;
                self.q[follower] = coupling.coefficients.iter().enumerate().map(|(i, c)| c * at(i)).sum();
            }
        }
        let system = System::new(&self.world)?;
        let mut ws = Workspace::new(&system);
        kinematics::velocities(&system, &mut ws, &self.q, &vec![0.0; self.layout.dof_count()]);
        for (slot, pose) in self.layout.bodies.iter().zip(&mut self.poses) {
            *pose = body_motion(&ws, system.place(slot.placement, slot.body)).world_from_body;
        }
        Ok(())
    }
}
