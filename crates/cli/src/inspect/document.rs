//! The document `--json` prints; every field is described in docs/json.md.

use crate::run::columns;
use crate::run::plan::Start;
use serde::Serialize;
use veracity_check::MassMatrix;
use veracity_collide::{ContactPoint, ContactScene};
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{System, Workspace, constraint, energy, forces, kinematics, rnea};
use veracity_model::{Layout, Pose, Vec3, World};

/// A model in a given state.
#[derive(Serialize)]
pub struct InspectDocument {
    schema: &'static str,
    version: &'static str,
    file: String,
    pub name: String,
    /// Description of the state.
    pub at: String,
    pub gravity_m_s2: [f64; 3],
    pub positions: Vec<String>,
    pub q: Vec<f64>,
    pub velocities: Vec<String>,
    pub v: Vec<f64>,
    /// The joint-space inertia, block by block along the diagonal.
    pub mass_matrix: Vec<MassMatrixBlock>,
    /// Efforts that would keep all joint accelerations at zero, without `passive`.
    pub bias: Vec<f64>,
    /// Efforts of joint springs, damping and dry friction.
    pub passive: Vec<f64>,
    pub kinetic_energy_j: f64,
    pub gravity_energy_j: f64,
    pub elastic_energy_j: f64,
    /// Largest residual of loops and couplings [m or rad].
    pub constraint_residual: f64,
    pub bodies: Vec<Body>,
    /// Points with a gap of at most this are listed [m].
    pub contact_margin_m: f64,
    pub contacts: Vec<Contact>,
    /// Shapes and pairs whose contact cannot be computed, and why.
    pub contacts_not_measured: Vec<String>,
}

/// One tree's part of the mass matrix.
#[derive(Serialize)]
pub struct MassMatrixBlock {
    /// Index in `v` of its first row and column.
    pub first: usize,
    pub rows: Vec<Vec<f64>>,
}

/// One body.
#[derive(Serialize)]
pub struct Body {
    pub name: String,
    pub parent: Option<String>,
    pub mass_kg: f64,
    pub position_m: [f64; 3],
    pub rotation_wxyz: [f64; 4],
    pub centre_of_mass_m: [f64; 3],
    pub angular_velocity_rad_s: [f64; 3],
    /// Velocity of the body's origin.
    pub linear_velocity_m_s: [f64; 3],
}

/// One point where two shapes touch, overlap or nearly touch.
#[derive(Serialize)]
pub struct Contact {
    pub body_a: String,
    pub shape_a: String,
    pub body_b: String,
    pub shape_b: String,
    pub gap_m: f64,
    pub point_a_m: [f64; 3],
    pub point_b_m: [f64; 3],
    /// From b to a.
    pub normal: [f64; 3],
}

impl InspectDocument {
    /// Computes everything at a start.
    pub fn new(file: String, world: &World, start: &Start, margin: f64) -> anyhow::Result<Self> {
        let system = System::new(world)?;
        let mut ws = Workspace::new(&system);
        let (mut q, v) = (start.q.clone(), start.v.clone());
        kinematics::normalise(&system, &mut q);
        let energy = energy::energy(&system, &mut ws, &q, &v);
        kinematics::velocities(&system, &mut ws, &q, &v);
        forces::set_applied_wrenches(&system, &mut ws, &[]);
        let mut bias = vec![0.0; system.dof_count()];
        rnea::bias_efforts(&system, &mut ws, &mut bias);
        let mut passive = vec![0.0; system.dof_count()];
        forces::add_joint_forces(&system, &q, &v, &mut passive);
        let layout = Layout::new(world);
        let bodies = bodies(world, &layout, &system, &ws);
        let poses: Vec<Pose> = layout
            .bodies
            .iter()
            .map(|b| body_motion(&ws, system.place(b.placement, b.body)).world_from_body)
            .collect();
        let (contacts, contacts_not_measured) = match contacts(world, &layout, &poses, [&q, &v], margin) {
            Ok(found) => (found, Vec::new()),
            Err(why) => (Vec::new(), why),
        };
        kinematics::positions(&system, &mut ws, &q);
        let mass = MassMatrix::new(&system, &mut ws);
        let block = |b: &veracity_check::MassBlock| MassMatrixBlock {
            first: b.first,
            rows: b.matrix.row_iter().map(|row| row.iter().copied().collect()).collect(),
        };
        Ok(Self {
            schema: "veracity-inspect/1",
            version: env!("CARGO_PKG_VERSION"),
            file,
            name: world.name.clone(),
            at: start.text.clone(),
            gravity_m_s2: world.gravity.into(),
            positions: columns::positions(world),
            velocities: columns::velocities(world),
            mass_matrix: mass.blocks().iter().map(block).collect(),
            bias,
            passive,
            kinetic_energy_j: energy.kinetic,
            gravity_energy_j: energy.gravity,
            elastic_energy_j: energy.elastic,
            constraint_residual: constraint::violation(&system, &mut ws, &q),
            bodies,
            contact_margin_m: margin,
            contacts,
            contacts_not_measured,
            q,
            v,
        })
    }
}

fn bodies(world: &World, layout: &Layout, system: &System, ws: &Workspace) -> Vec<Body> {
    let several = world.placements.len() > 1;
    let name = |slot: usize| match (&layout.bodies[slot], several) {
        (slot, true) => slot.name.clone(),
        (slot, false) => world.placements[slot.placement].model.body(slot.body).name.clone(),
    };
    let one = |(index, slot): (usize, &veracity_model::layout::BodySlot)| {
        let inertia = &world.placements[slot.placement].model.body(slot.body).inertia;
        let motion = body_motion(ws, system.place(slot.placement, slot.body));
        let pose = motion.world_from_body;
        let r = pose.rotation;
        let com = pose.translation.vector + pose.rotation * inertia.com;
        Body {
            name: name(index),
            parent: slot.parent.map(name),
            mass_kg: inertia.mass,
            position_m: pose.translation.vector.into(),
            rotation_wxyz: [r.w, r.i, r.j, r.k],
            centre_of_mass_m: com.into(),
            angular_velocity_rad_s: motion.angular_velocity.into(),
            linear_velocity_m_s: motion.linear_velocity.into(),
        }
    };
    layout.bodies.iter().enumerate().map(one).collect()
}

/// Every contact point within the margin, or why they cannot be computed.
fn contacts(
    world: &World,
    layout: &Layout,
    poses: &[Pose],
    [q, v]: [&[f64]; 2],
    margin: f64,
) -> Result<Vec<Contact>, Vec<String>> {
    let told = |list: Vec<(String, veracity_collide::GapError)>| {
        list.into_iter().map(|(subject, why)| format!("{subject}: {why}")).collect::<Vec<_>>()
    };
    let mut scene = ContactScene::new(world, layout).map_err(told)?;
    scene.judge_guards(q, v);
    let mut points: Vec<ContactPoint> = Vec::new();
    scene.find(poses, &vec![0.0; poses.len()], margin, &mut points).map_err(|e| vec![e.to_string()])?;
    // For a pair that is near, `find` returns points farther away as well.
    points.retain(|p| p.gap <= margin);
    let part = |shape: u32| {
        let id = scene.shapes()[shape as usize].id;
        let body = world.placements[id.placement].model.body(id.body);
        (body.name.clone(), body.shapes[id.shape].name.clone())
    };
    let numbers = |x: Vec3| -> [f64; 3] { x.into() };
    let one = |p: &ContactPoint| {
        let ((body_a, shape_a), (body_b, shape_b)) = (part(p.shape_a), part(p.shape_b));
        Contact {
            body_a,
            shape_a,
            body_b,
            shape_b,
            gap_m: p.gap,
            point_a_m: numbers(p.point_a),
            point_b_m: numbers(p.point_b),
            normal: numbers(p.normal),
        }
    };
    Ok(points.iter().map(one).collect())
}
