//! What a generated scenario must know about a robot: its start, the inertia of its joints, its size.

use crate::run::plan::{self, Start};
use anyhow::{Context, ensure};
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
            let inverse = block.matrix.clone().try_inverse();
            for i in 0..block.matrix.nrows() {
                let felt = inverse.as_ref().map(|inverse| 1.0 / inverse[(i, i)]);
                let felt = felt.filter(|x| x.is_finite() && *x > 0.0);
                inertias[block.first + i] = felt.unwrap_or(block.matrix[(i, i)]);
            }
        }
        let mass = world.placements[0].model.bodies().iter().map(|b| b.inertia.mass).sum();
        let name = world.placements[0].name.clone();
        let mut robot = Self { name, world, layout, q, start_text, poses, inertias, mass, room: [Vec3::zeros(); 2] };
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
        let model = &self.world.placements[0].model;
        let mut found: Option<[Vec3; 2]> = None;
        for &body in bodies {
            let shapes = &model.body(self.layout.bodies[body].body).shapes;
            for shape in shapes.iter().filter(|s| s.collides) {
                let Ok(collider) = Collider::new(&shape.shape) else { continue };
                let Some([low, high]) =
                    collider.bounds(&(frame_from_world * self.poses[body] * shape.body_from_shape))
                else {
                    continue;
                };
                let [a, b] = found.get_or_insert([low, high]);
                (*a, *b) = (a.inf(&low), b.sup(&high));
            }
        }
        found
    }

    /// Joints with one degree of freedom that no coupling drives.
    pub fn driven(&self) -> Vec<&JointSlot> {
        let model = &self.world.placements[0].model;
        let follows = |slot: &JointSlot| model.couplings().iter().any(|c| c.follower.0 == slot.body);
        self.layout.joints.iter().filter(|j| j.kind.dof_count() == 1 && !follows(j)).collect()
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

/// A stored pose with a known name, or the file's own pose with every joint brought within its limits.
fn chosen_start(world: &World, layout: &Layout) -> anyhow::Result<(Start, String)> {
    let model = &world.placements[0].model;
    let named = |word: &&str| model.keyframes().iter().find(|k| k.name.to_lowercase().contains(*word));
    if let Some(keyframe) = READY.iter().find_map(named) {
        let start = plan::start(world, ("--start", Some(&keyframe.name)))?;
        return Ok((start, format!("the pose '{}' of the model", keyframe.name)));
    }
    let mut start = plan::start(world, ("--start", None))?;
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
    let text = match moved {
        0 => "where the model's file puts it".to_string(),
        _ => format!("where the model's file puts it, {moved} joints brought between their limits"),
    };
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
