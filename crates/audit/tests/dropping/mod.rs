//! An engine wrapper that drops or alters one number on the way in and passes everything else on.

pub mod holding;
pub mod mutations;

use veracity_engine::{
    Advance, BodyState, Capabilities, Engine, EngineSpec, Guard, GuardHit, Inputs, LoadError, LoadOptions, Samples,
    Setting, Settings, Simulation, SpecError, StepError, Totals,
};
use veracity_model::{
    Body, CollisionFilter, Combination, ContactPair, Coupling, Joint, Layout, LoopJoint, Material, ModelBuilder,
    Spring, Vec3, World,
};

/// The parts of a world, open to change.
pub struct Parts {
    pub gravity: Vec3,
    pub contact: bool,
    pub combination: Combination,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub materials: Vec<Material>,
    pub filters: Vec<CollisionFilter>,
    pub pairs: Vec<ContactPair>,
    pub springs: Vec<Spring>,
    pub couplings: Vec<Coupling>,
    pub loops: Vec<LoopJoint>,
    pub adjacent: bool,
    pub self_collide: bool,
}

/// What is dropped: at most one of these has an effect.
#[derive(Clone, Copy)]
pub struct Mutation {
    pub world: fn(&mut Parts),
    pub inputs: fn(&mut Inputs),
    pub state: fn(&mut [f64], &mut [f64]),
    /// Factor on the requested step.
    pub step: f64,
    /// Factor on the requested time.
    pub clock: f64,
}

/// No mutation.
pub const NOTHING: Mutation = Mutation { world: |_| {}, inputs: |_| {}, state: |_, _| {}, step: 1.0, clock: 1.0 };

/// An engine with a mutation.
pub struct Dropping<'a> {
    pub engine: &'a dyn Engine,
    pub mutation: Mutation,
}

impl Mutation {
    pub const fn world(world: fn(&mut Parts)) -> Self {
        Self { world, ..NOTHING }
    }

    pub const fn inputs(inputs: fn(&mut Inputs)) -> Self {
        Self { inputs, ..NOTHING }
    }

    pub const fn state(state: fn(&mut [f64], &mut [f64])) -> Self {
        Self { state, ..NOTHING }
    }
}

/// A world with its parts changed.
fn changed(world: &World, change: fn(&mut Parts)) -> World {
    let model = &world.placements[0].model;
    let mut parts = Parts {
        gravity: world.gravity,
        contact: world.contact,
        combination: world.combination,
        bodies: model.bodies().to_vec(),
        joints: model.joints().to_vec(),
        materials: model.materials().to_vec(),
        filters: model.collision_filters().to_vec(),
        pairs: model.contact_pairs().to_vec(),
        springs: model.springs().to_vec(),
        couplings: model.couplings().to_vec(),
        loops: model.loops().to_vec(),
        adjacent: model.adjacent_bodies_collide(),
        self_collide: model.self_collide(),
    };
    change(&mut parts);
    let mut builder = ModelBuilder::new(model.name());
    for material in parts.materials {
        builder.add_material(material);
    }
    for (body, joint) in parts.bodies.into_iter().zip(parts.joints) {
        let parent = joint.parent;
        builder.add_body(body, joint, parent);
    }
    parts.filters.into_iter().for_each(|f| builder.exclude_contact(f.a, f.b));
    parts.pairs.into_iter().for_each(|p| builder.add_contact_pair(p));
    parts.springs.into_iter().for_each(|s| builder.add_spring(s));
    parts.couplings.into_iter().for_each(|c| builder.add_coupling(c));
    parts.loops.into_iter().for_each(|l| builder.add_loop(l));
    builder.adjacent_bodies_collide(parts.adjacent);
    builder.self_collide(parts.self_collide);
    let mut made = World::with_model(builder.build().expect("a mutation leaves a valid model"));
    made.gravity = parts.gravity;
    made.contact = parts.contact;
    made.combination = parts.combination;
    made
}

impl Engine for Dropping<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn version(&self) -> String {
        self.engine.version()
    }

    fn about(&self) -> &'static str {
        self.engine.about()
    }

    fn settings(&self) -> &'static [Setting] {
        self.engine.settings()
    }

    fn capabilities(&self, settings: &Settings) -> Capabilities {
        self.engine.capabilities(settings)
    }

    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        let world = changed(world, self.mutation.world);
        let options = LoadOptions { step_s: self.mutation.step * options.step_s };
        let inner = self.engine.load(&world, settings, &options)?;
        Ok(Box::new(Moving { inner, mutation: self.mutation }))
    }

    fn resolve(&self, spec: &EngineSpec) -> Result<Settings, SpecError> {
        self.engine.resolve(spec)
    }
}

struct Moving {
    inner: Box<dyn Simulation>,
    mutation: Mutation,
}

impl Moving {
    fn inputs(&self, inputs: &Inputs) -> Inputs {
        let mut changed = inputs.clone();
        (self.mutation.inputs)(&mut changed);
        changed
    }
}

impl Simulation for Moving {
    fn layout(&self) -> &Layout {
        self.inner.layout()
    }

    fn time(&self) -> f64 {
        self.inner.time() / self.mutation.clock
    }

    fn q(&self) -> &[f64] {
        self.inner.q()
    }

    fn v(&self) -> &[f64] {
        self.inner.v()
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        (self.mutation.state)(&mut q, &mut v);
        self.inner.set_state(time, &q, &v)
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        self.inner.bodies(out);
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        self.inner.step(&self.inputs(inputs), limit_s)
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        self.inner.advance(until * self.mutation.clock, &self.inputs(inputs), samples)
    }

    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        self.inner.advance_until(until, guards, &self.inputs(inputs))
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        self.inner.snapshot(out);
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        self.inner.restore(bytes)
    }

    fn totals(&self) -> Totals {
        self.inner.totals()
    }
}
