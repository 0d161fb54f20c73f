//! Scenes shared by the tests and the example, and their measurement.
#![allow(dead_code)]

use std::sync::Arc;
use veracity_contact::stepping::SteppingSettings;
use veracity_contact::{Paradigm, Stepping};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{ActuatorCommands, BodyMotion, Efforts, energy, kinematics, observe};
use veracity_model::geometry::at;
use veracity_model::numbers::Overrides;
use veracity_model::{
    Body, Inertia, Joint, JointKind, Material, MaterialId, ModelBuilder, Placement, Pose, Shape, Vec3, World,
};

/// Whether claims run at full size: `cargo xtask acceptance`.
pub fn full_size() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

/// A reproducible stream of numbers (splitmix64).
pub struct Stream(pub u64);

impl Stream {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in (low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

/// A scene in motion.
pub struct Run {
    pub stepping: Stepping,
    pub state: State,
    pub efforts: Box<dyn Efforts>,
    pub last: StepReport,
    pub iterations: u64,
    pub unsolved: u64,
    pub worst_residual: f64,
}

impl Run {
    pub fn new(world: &World, settings: SteppingSettings) -> Self {
        let stepping = Stepping::new(world, settings).unwrap_or_else(|e| panic!("{e:?}"));
        let mut q: Vec<f64> = Vec::new();
        let mut command = Vec::new();
        for placement in &world.placements {
            let model = &placement.model;
            match model.keyframes().first() {
                Some(frame) => {
                    q.extend(&frame.q);
                    command.extend(&frame.command);
                }
                None => {
                    q.extend(model.neutral_positions());
                    command.extend(vec![0.0; model.actuators().len()]);
                }
            }
        }
        let v = vec![0.0; stepping.world().system.dof_count()];
        let state = State { time: 0.0, q, v };
        let efforts = Box::new(ActuatorCommands(command));
        Self {
            stepping,
            state,
            efforts,
            last: StepReport::default(),
            iterations: 0,
            unsolved: 0,
            worst_residual: 0.0,
        }
    }

    pub fn step(&mut self, h: f64) {
        let report = self.stepping.step(self.efforts.as_mut(), &mut self.state, h);
        self.last = report.unwrap_or_else(|e| panic!("{e}"));
        self.iterations += u64::from(self.last.iterations);
        self.unsolved += u64::from(self.last.unsolved);
        self.worst_residual = self.worst_residual.max(self.last.contact_residual);
    }

    pub fn run(&mut self, h: f64, steps: usize) {
        (0..steps).for_each(|_| self.step(h));
    }

    /// Kinetic, gravity and elastic energy [J].
    pub fn energy(&mut self) -> f64 {
        let (world, ws) = self.stepping.workspace();
        energy::energy(&world.system, ws, &self.state.q, &self.state.v).total()
    }

    /// Motions of all bodies, by slots.
    pub fn motions(&mut self) -> Vec<BodyMotion> {
        let (world, ws) = self.stepping.workspace();
        kinematics::velocities(&world.system, ws, &self.state.q, &self.state.v);
        world.places.iter().map(|p| observe::body_motion(ws, *p)).collect()
    }

    /// Depth of the deepest overlap [m].
    pub fn deepest(&mut self) -> f64 {
        let poses: Vec<Pose> = self.motions().iter().map(|m| m.world_from_body).collect();
        let mut scene = self.stepping.world().scene.clone();
        let mut points = Vec::new();
        scene.find(&poses, &vec![0.0; poses.len()], 0.0, &mut points).unwrap();
        points.iter().fold(0.0, |worst: f64, p| worst.max(-p.gap))
    }
}

/// A builder of worlds with loose bodies on a ground.
pub struct Scene {
    builder: ModelBuilder,
    material: MaterialId,
    count: usize,
    pub gravity: Vec3,
}

impl Scene {
    pub fn new(material: Material) -> Self {
        let mut builder = ModelBuilder::new("scene");
        builder.self_collide(true);
        let material = builder.add_material(Material { name: "m".into(), ..material });
        Self { builder, material, count: 0, gravity: Vec3::new(0.0, 0.0, -9.81) }
    }

    pub fn rubbing(mu: f64) -> Self {
        Self::new(Material { friction: [mu, mu], ..Material::default() })
    }

    fn body(&mut self, inertia: Inertia, shape: Shape, offset: Pose) -> Body {
        self.count += 1;
        let mut body = Body::new(format!("b{}", self.count), inertia).with_shape(shape, offset);
        body.shapes[0].material = Some(self.material);
        body
    }

    /// A half space, rotated from level.
    pub fn ground(&mut self, pose: Pose) {
        self.fixed(Shape::Plane, pose);
    }

    pub fn fixed(&mut self, shape: Shape, pose: Pose) {
        let body = self.body(Inertia::zero(), shape, Pose::identity());
        let joint = Joint::new(format!("j{}", self.count), JointKind::Fixed).at(pose);
        self.builder.add_body(body, joint, None);
    }

    pub fn loose(&mut self, inertia: Inertia, shape: Shape, pose: Pose) -> usize {
        self.jointed(inertia, shape, Joint::new("", JointKind::Free).at(pose))
    }

    /// A body whose frame is offset from its shape's.
    pub fn loose_offset(&mut self, inertia: Inertia, shape: Shape, body_from_shape: Pose, pose: Pose) -> usize {
        let body = self.body(inertia, shape, body_from_shape);
        let joint = Joint::new(format!("j{}", self.count), JointKind::Free).at(pose);
        self.builder.add_body(body, joint, None);
        self.count - 1
    }

    pub fn jointed(&mut self, inertia: Inertia, shape: Shape, mut joint: Joint) -> usize {
        let body = self.body(inertia, shape, Pose::identity());
        joint.name = format!("j{}", self.count);
        self.builder.add_body(body, joint, None);
        self.count - 1
    }

    pub fn world(self) -> World {
        let mut world = World::with_model(self.builder.build().unwrap());
        world.gravity = self.gravity;
        world
    }
}

/// A model of `scenarios/`.
pub fn shipped(name: &str) -> World {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let imported = veracity_model::import::load(&path, &Default::default());
    imported.world.unwrap_or_else(|| panic!("{}", imported.findings))
}

/// The row of n blocks with another friction.
pub fn block_row(n: usize, mu: f64) -> World {
    let mut world = shipped(&format!("block_row/block_row_{n}.sdf"));
    for Placement { model, .. } in &mut world.placements {
        let set: Overrides = model
            .materials()
            .iter()
            .flat_map(|m| [0, 1].map(|k| (format!("materials/{}/friction/{k}", m.name.replace('/', "~1")), mu)))
            .collect();
        *model = Arc::new(model.with(&set).unwrap_or_else(|e| panic!("{e}")));
    }
    world
}

/// A 0.1 m cube between two boxes on sliders pushed with 100 N each: engines.md 3a.
pub fn pinch() -> (World, Vec<f64>) {
    let mut scene = Scene::rubbing(1.0);
    let side = |scene: &mut Scene, x: f64| {
        let size = Vec3::new(0.04, 0.1, 0.1);
        let joint = Joint::new("", JointKind::prismatic(Vec3::x())).at(at(x, 0.0, 1.0));
        scene.jointed(Inertia::solid_box(1.0, size), Shape::Box { size }, joint)
    };
    side(&mut scene, -0.07);
    side(&mut scene, 0.07);
    let size = Vec3::repeat(0.1);
    scene.loose(Inertia::solid_box(1.0, size), Shape::Box { size }, at(0.0, 0.0, 1.0));
    let mut tau = vec![0.0; 8];
    (tau[0], tau[1]) = (100.0, -100.0);
    (scene.world(), tau)
}

/// n x n x n balls over a plane, `spacing` apart with jitter: engines.md 3a, benchmarks.md 666.
pub fn balls(n: usize, radius: f64, mass: f64, mu: f64, spacing: f64, lowest: f64, jitter: f64) -> World {
    let mut scene = Scene::rubbing(mu);
    scene.ground(Pose::identity());
    let mut s = Stream(7);
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                let x = |c: usize, s: &mut Stream| {
                    (c as f64 - 0.5 * (n - 1) as f64) * spacing + s.uniform(-jitter, jitter)
                };
                let place = at(x(i, &mut s), x(j, &mut s), lowest + k as f64 * spacing);
                scene.loose(Inertia::solid_sphere(mass, radius), Shape::Sphere { radius }, place);
            }
        }
    }
    scene.world()
}
