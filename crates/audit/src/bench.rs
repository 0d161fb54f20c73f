//! The test bench of an engine: loads a scene at a step, moves it, reads poses and velocities.

use veracity_engine::{
    BodyState, Capabilities, Engine, Inputs, LoadError, LoadOptions, Samples, Settings, Simulation,
};
use veracity_model::geometry::{Pose, Vec3};
use veracity_model::{Layout, ModelBuilder, World};

/// An engine under settings, at one step.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    /// The audited engine.
    pub engine: &'a dyn Engine,
    /// Its resolved settings.
    pub settings: &'a Settings,
    /// [s]
    pub step_s: f64,
}

/// A world, its start state and its inputs.
#[derive(Clone, Debug)]
pub struct BenchScene {
    /// The world.
    pub world: World,
    /// Start positions.
    pub q: Vec<f64>,
    /// Start velocities.
    pub v: Vec<f64>,
    /// Initial inputs.
    pub inputs: Inputs,
}

/// Why an experiment has no reading.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// The engine declares that it does not support this.
    NotExpressible(String),
    /// It claims to support this, but failed.
    Failed(String),
}

/// A scene in motion.
pub struct Run {
    simulation: Box<dyn Simulation>,
    samples: Samples,
    bodies: Vec<BodyState>,
    step_s: f64,
    /// The inputs.
    pub inputs: Inputs,
}

impl BenchScene {
    /// A model in its neutral position at rest, without gravity and contact.
    pub fn new(builder: ModelBuilder) -> Self {
        // The models are written here: a builder that rejects one is a bug in the audit.
        let model = builder.build().unwrap_or_else(|e| panic!("an experiment's own model: {e}"));
        let mut world = World::with_model(model);
        world.gravity = Vec3::zeros();
        world.contact = false;
        let layout = Layout::new(&world);
        let q = layout.joints.iter().flat_map(|j| j.kind.neutral().iter().copied()).collect();
        let dofs = layout.dof_count();
        Self { world, q, v: vec![0.0; dofs], inputs: Inputs::none(dofs) }
    }

    /// With gravity [m/s²].
    pub fn falling(mut self, gravity: Vec3) -> Self {
        self.world.gravity = gravity;
        self
    }

    /// With contact.
    pub fn touching(mut self) -> Self {
        self.world.contact = true;
        self
    }
}

impl<'a> Bench<'a> {
    /// The engine's declared capabilities.
    pub fn capabilities(&self) -> Capabilities {
        self.engine.capabilities(self.settings)
    }

    /// Fails for engines that do not declare a capability.
    pub fn need(&self, can: fn(&Capabilities) -> bool, what: &str) -> Result<(), Stopped> {
        if can(&self.capabilities()) {
            Ok(())
        } else {
            Err(Stopped::NotExpressible(format!("the engine has no {what}")))
        }
    }

    /// Loads a scene and sets its start.
    pub fn load(&self, scene: &BenchScene) -> Result<Run, Stopped> {
        let options = LoadOptions { step_s: self.step_s };
        let loaded = self.engine.load(&scene.world, self.settings, &options);
        let mut simulation = loaded.map_err(|error| match error {
            LoadError::Unsupported(list) => {
                let features: Vec<_> = list.into_iter().map(|u| u.feature).collect();
                Stopped::NotExpressible(format!("refused: {}", features.join("; ")))
            }
            other => Stopped::Failed(format!("cannot load the world: {other}")),
        })?;
        simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| Stopped::Failed(e.to_string()))?;
        let rest = BodyState {
            world_from_body: Pose::identity(),
            angular_velocity: Vec3::zeros(),
            linear_velocity: Vec3::zeros(),
        };
        let bodies = vec![rest; simulation.layout().bodies.len()];
        let samples = Samples::none(simulation.layout());
        Ok(Run { simulation, samples, bodies, step_s: self.step_s, inputs: scene.inputs.clone() })
    }

    /// Loads a scene and moves it to a time.
    pub fn run(&self, scene: &BenchScene, until_s: f64) -> Result<Run, Stopped> {
        let mut run = self.load(scene)?;
        run.until(until_s)?;
        Ok(run)
    }
}

impl Run {
    /// Moves to a time, rounded to the nearest whole step.
    pub fn until(&mut self, time_s: f64) -> Result<(), Stopped> {
        let time = (time_s / self.step_s).round() * self.step_s;
        let done = self.simulation.advance(time, &self.inputs, &mut self.samples);
        done.map(|_| ()).map_err(|trouble| Stopped::Failed(trouble.to_string()))
    }

    /// One step of the engine.
    pub fn step(&mut self) -> Result<(), Stopped> {
        let done = self.simulation.step(&self.inputs, f64::INFINITY);
        done.map(|_| ()).map_err(|trouble| Stopped::Failed(trouble.to_string()))
    }

    /// Pose and velocity of a body.
    pub fn body(&mut self, slot: usize) -> BodyState {
        self.simulation.bodies(&mut self.bodies);
        self.bodies[slot]
    }

    /// Of a body's origin, world axes [m].
    pub fn place(&mut self, slot: usize) -> Vec3 {
        self.body(slot).world_from_body.translation.vector
    }

    /// Of a body's origin, world axes [m/s].
    pub fn velocity(&mut self, slot: usize) -> Vec3 {
        self.body(slot).linear_velocity
    }

    /// Of a body, world axes [rad/s].
    pub fn spin(&mut self, slot: usize) -> Vec3 {
        self.body(slot).angular_velocity
    }

    /// Time as the engine reports it [s].
    pub fn time(&self) -> f64 {
        self.simulation.time()
    }

    /// Every number of every body, for comparisons to the bit.
    pub fn numbers(&mut self) -> Vec<f64> {
        self.simulation.bodies(&mut self.bodies);
        let of = |b: &BodyState| {
            let (place, turn) = (b.world_from_body.translation.vector, b.world_from_body.rotation.coords);
            let parts =
                [place.as_slice(), turn.as_slice(), b.angular_velocity.as_slice(), b.linear_velocity.as_slice()];
            parts.concat()
        };
        self.bodies.iter().flat_map(of).collect()
    }
}
