//! Bodies with prescribed motion, for sensors whose readings follow from the motion alone.

use veracity_engine::{
    Advance, BodyState, Guard, GuardHit, Inputs, LoadError, Samples, Simulation, StepError, Totals,
};
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Pose, Shape, Vec3, World};
use veracity_record::ContactSample;

/// Prescribed motion of the body at an instant.
#[derive(Clone, Copy)]
pub struct Prescribed {
    pub state: BodyState,
    pub angular_acceleration: Vec3,
    pub linear_acceleration: Vec3,
    /// Through its joint: force, torque.
    pub reaction: ([f64; 3], [f64; 3]),
}

impl Prescribed {
    pub fn at_rest(world_from_body: Pose) -> Self {
        let (angular_velocity, linear_velocity) = (Vec3::zeros(), Vec3::zeros());
        Self {
            state: BodyState { world_from_body, angular_velocity, linear_velocity },
            angular_acceleration: Vec3::zeros(),
            linear_acceleration: Vec3::zeros(),
            reaction: ([0.0; 3], [0.0; 3]),
        }
    }
}

/// A free body `b` of unit mass over the ground, which is body `ground`.
pub fn one_body() -> World {
    let mut builder = ModelBuilder::new("one");
    builder.add_body(
        Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity()),
        Joint::new("weld", JointKind::Fixed),
        None,
    );
    builder.add_body(
        Body::new("b", Inertia::solid_sphere(1.0, 0.1)).with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity()),
        Joint::new("free", JointKind::Free),
        None,
    );
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = Vec3::new(0.0, 0.0, -9.8);
    world
}

pub struct Puppet {
    layout: Layout,
    time: f64,
    prescribed: Box<dyn Fn(f64) -> Prescribed + Send>,
    pub contacts: Vec<ContactSample>,
    q: [f64; 7],
    v: [f64; 6],
}

impl Puppet {
    pub fn new(world: &World, prescribed: impl Fn(f64) -> Prescribed + Send + 'static) -> Self {
        let q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        Self {
            layout: Layout::new(world),
            time: 0.0,
            prescribed: Box::new(prescribed),
            contacts: Vec::new(),
            q,
            v: [0.0; 6],
        }
    }
}

impl Simulation for Puppet {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn time(&self) -> f64 {
        self.time
    }
    fn q(&self) -> &[f64] {
        &self.q
    }
    fn v(&self) -> &[f64] {
        &self.v
    }
    fn set_state(&mut self, time: f64, _: &[f64], _: &[f64]) -> Result<f64, LoadError> {
        self.time = time;
        Ok(0.0)
    }
    fn bodies(&mut self, out: &mut [BodyState]) {
        out[0] = Prescribed::at_rest(Pose::identity()).state;
        out[1] = (self.prescribed)(self.time).state;
    }
    fn step(&mut self, _: &Inputs, _: f64) -> Result<Advance, StepError> {
        Ok(Advance::default())
    }
    fn advance(&mut self, until: f64, _: &Inputs, _: &mut Samples) -> Result<Advance, StepError> {
        self.time = until;
        Ok(Advance::default())
    }
    fn advance_until(&mut self, _: f64, _: &[Guard], _: &Inputs) -> Result<Option<GuardHit>, StepError> {
        Ok(None)
    }
    fn snapshot(&self, _: &mut Vec<u8>) {}
    fn restore(&mut self, _: &[u8]) -> Result<(), LoadError> {
        Ok(())
    }
    fn contacts(&self, out: &mut Vec<ContactSample>) {
        out.clear();
        out.extend(&self.contacts);
    }
    fn reactions(&mut self, _: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        out[1] = (self.prescribed)(self.time).reaction;
        true
    }
    fn accelerations(&mut self, _: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        let prescribed = (self.prescribed)(self.time);
        out[1] = (prescribed.angular_acceleration.into(), prescribed.linear_acceleration.into());
        true
    }
    fn totals(&self) -> Totals {
        Totals::default()
    }
}
