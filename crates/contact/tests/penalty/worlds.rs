//! Worlds of free bodies over a plane.

use veracity_contact::Paradigm;
use veracity_contact::penalty::{Penalty, PenaltySettings};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Efforts, NoEfforts, Workspace, energy, kinematics};
use veracity_model::{
    Body, Inertia, Joint, JointKind, Material, MaterialId, ModelBuilder, Pose, Shape, Vec3, World, geometry::at,
};

/// A world being built: all shapes have the same material.
pub struct Bench {
    pub builder: ModelBuilder,
    pub material: MaterialId,
    q: Vec<f64>,
    v: Vec<f64>,
}

/// A motion with its paradigm.
pub struct Run {
    pub penalty: Penalty,
    pub state: State,
}

impl Bench {
    /// Level ground; gravity is an argument of [`Bench::start`].
    pub fn new(material: Material) -> Self {
        let mut bench = Self::empty(material);
        bench.fixed("ground", Shape::Plane, at(0.0, 0.0, 0.0));
        bench
    }

    pub fn empty(material: Material) -> Self {
        let mut builder = ModelBuilder::new("w");
        let material = builder.add_material(material);
        Self { builder, material, q: Vec::new(), v: Vec::new() }
    }

    pub fn body(&self, name: &str, inertia: Inertia, shape: Shape) -> Body {
        let mut body = Body::new(name, inertia).with_shape(shape, Pose::identity());
        body.shapes[0].material = Some(self.material);
        body
    }

    pub fn fixed(&mut self, name: &str, shape: Shape, pose: Pose) {
        let body = self.body(name, Inertia::solid_sphere(1.0, 1.0), shape);
        self.builder.add_body(body, Joint::new(name, JointKind::Fixed).at(pose), None);
    }

    /// A free body, at rest.
    pub fn free(&mut self, inertia: Inertia, shape: Shape, pose: Pose) {
        self.moving(inertia, shape, pose, [0.0; 6]);
    }

    /// A free body; angular velocity first.
    pub fn moving(&mut self, inertia: Inertia, shape: Shape, pose: Pose, v: [f64; 6]) {
        let name = format!("body{}", self.q.len() / 7);
        let body = self.body(&name, inertia, shape);
        self.builder.add_body(body, Joint::new(name, JointKind::Free), None);
        let (p, r) = (pose.translation.vector, pose.rotation);
        self.q.extend([p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
        self.v.extend(v);
    }

    pub fn start(self, gravity: Vec3, settings: PenaltySettings) -> Run {
        let (q, v) = (self.q, self.v);
        run(self.builder, gravity, settings, q, v)
    }
}

/// A run of any model from any start.
pub fn run(builder: ModelBuilder, gravity: Vec3, settings: PenaltySettings, q: Vec<f64>, v: Vec<f64>) -> Run {
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = gravity;
    Run { penalty: Penalty::new(&world, settings).unwrap(), state: State { time: 0.0, q, v } }
}

impl Run {
    pub fn steps(&mut self, count: usize, step_s: f64) {
        self.steps_with(count, step_s, &mut NoEfforts);
    }

    pub fn steps_with(&mut self, count: usize, step_s: f64, efforts: &mut dyn Efforts) {
        for _ in 0..count {
            self.penalty.step(efforts, &mut self.state, step_s).unwrap();
        }
    }

    /// Kinetic and potential energy, and energy in the contacts [J].
    pub fn energy(&self) -> f64 {
        self.middle_energy(0.0)
    }

    /// The same with positions half a step of size `h` earlier.
    pub fn middle_energy(&self, h: f64) -> f64 {
        let system = &self.penalty.world().system;
        let mut ws = Workspace::new(system);
        let mut q = self.state.q.clone();
        kinematics::advance(system, &mut q, &self.state.v, -0.5 * h);
        energy::energy(system, &mut ws, &q, &self.state.v).total() + self.penalty.stored_energy()
    }
}

/// Gravity of an incline that rises along x.
pub fn tilted(angle: f64) -> Vec3 {
    Vec3::new(-9.81 * angle.sin(), 0.0, -9.81 * angle.cos())
}

pub const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A solid cube.
pub fn cube(mass: f64, side: f64) -> (Inertia, Shape) {
    let size = Vec3::repeat(side);
    (Inertia::solid_box(mass, size), Shape::Box { size })
}

pub fn full() -> bool {
    std::env::var("VERACITY_FULL").is_ok_and(|v| v == "1")
}
