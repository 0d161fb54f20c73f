//! A minimal plant: point masses on sliders, each a double integrator. Included by each test file.

#![allow(dead_code)]

pub mod puppet;

use veracity_control::{ControlError, ControlLoop, Setup};
use veracity_engine::{
    Advance, BodyState, Capabilities, DriveForm, EventTime, Fidelity, Guard, GuardHit, Inputs, LoadError, Samples,
    Simulation, StepError, Totals,
};
use veracity_model::{
    Actuator, Body, Dof, Inertia, Joint, JointId, JointKind, Layout, ModelBuilder, Pose, Vec3, VelocityRule, World,
};

pub const MS: i64 = 1_000_000;

/// Masses [kg] on sliders along x named `x0`, `x1` …, each with an effort actuator `m0` … that cuts pushing beyond its
/// speed limit if it has one.
pub fn sliders(masses: &[f64], effort_limit: f64, velocity_limit: f64) -> World {
    let mut builder = ModelBuilder::new("sliders");
    for (i, mass) in masses.iter().enumerate() {
        let body = Body::new(format!("b{i}"), Inertia::point_mass(*mass, Vec3::zeros()));
        let joint = Joint::new(format!("x{i}"), JointKind::prismatic(Vec3::x()))
            .each_dof(|d: &mut Dof| d.effort_limit = effort_limit);
        builder.add_body(body, joint, None);
        builder.add_actuator(Actuator {
            effort_range: [-effort_limit, effort_limit],
            velocity_limit,
            velocity_rule: if velocity_limit.is_finite() { VelocityRule::CutPushing } else { VelocityRule::Ignore },
            ..Actuator::effort(format!("m{i}"), JointId(i))
        });
    }
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = Vec3::zeros();
    world
}

pub const ABLE: Capabilities = Capabilities {
    snapshot: Fidelity::Exact,
    events: EventTime::Bracketed,
    drives: DriveForm::Explicit,
    contact: false,
    limits: false,
    reactions: false,
    accelerations: true,
    gaps: false,
    adaptive: false,
    deterministic: true,
    single_precision: false,
};

pub fn setup<'a>(world: &'a World, layout: &'a Layout, step_ns: i64) -> Setup<'a> {
    Setup { world, layout, capabilities: ABLE, step_ns, seed: 7, trial: 3 }
}

/// How a step is taken.
#[derive(Clone, Copy, PartialEq)]
pub enum Rule {
    /// Exact under a held force.
    Exact,
    /// Velocity first, then position with the new velocity.
    SemiImplicit,
}

pub struct Sliders {
    layout: Layout,
    masses: Vec<f64>,
    rule: Rule,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    step_s: f64,
    steps: u64,
}

impl Sliders {
    pub fn new(world: &World, step_ns: i64, rule: Rule) -> Self {
        let layout = Layout::new(world);
        let masses: Vec<f64> = world.placements[0].model.bodies().iter().map(|b| b.inertia.mass).collect();
        let n = masses.len();
        Self { layout, masses, rule, q: vec![0.0; n], v: vec![0.0; n], step_s: step_ns as f64 / 1e9, steps: 0 }
    }

    fn acceleration(&self, inputs: &Inputs, i: usize) -> f64 {
        let drives = inputs.drives.iter().filter(|d| d.dof == i).map(|d| d.effort(self.q[i], self.v[i]));
        let wrenches = inputs.wrenches.iter().filter(|w| w.body == i).map(|w| w.force[0]);
        (inputs.efforts[i] + drives.sum::<f64>() + wrenches.sum::<f64>()) / self.masses[i]
    }
}

impl Simulation for Sliders {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn time(&self) -> f64 {
        self.steps as f64 * self.step_s
    }
    fn q(&self) -> &[f64] {
        &self.q
    }
    fn v(&self) -> &[f64] {
        &self.v
    }
    fn set_state(&mut self, _: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
        Ok(0.0)
    }
    fn bodies(&mut self, out: &mut [BodyState]) {
        for (i, body) in out.iter_mut().enumerate() {
            *body = BodyState {
                world_from_body: Pose::translation(self.q[i], 0.0, 0.0),
                angular_velocity: Vec3::zeros(),
                linear_velocity: Vec3::new(self.v[i], 0.0, 0.0),
            };
        }
    }
    fn step(&mut self, inputs: &Inputs, _: f64) -> Result<Advance, StepError> {
        let h = self.step_s;
        for i in 0..self.q.len() {
            let a = self.acceleration(inputs, i);
            match self.rule {
                Rule::Exact => {
                    self.q[i] += self.v[i] * h + 0.5 * a * h * h;
                    self.v[i] += a * h;
                }
                Rule::SemiImplicit => {
                    self.v[i] += a * h;
                    self.q[i] += self.v[i] * h;
                }
            }
        }
        self.steps += 1;
        Ok(Advance { steps: 1, ..Default::default() })
    }
    fn advance(&mut self, until: f64, inputs: &Inputs, _: &mut Samples) -> Result<Advance, StepError> {
        let mut done = Advance::default();
        while self.time() < until - 0.5 * self.step_s {
            done.steps += self.step(inputs, f64::INFINITY)?.steps;
        }
        Ok(done)
    }
    fn advance_until(&mut self, _: f64, _: &[Guard], _: &Inputs) -> Result<Option<GuardHit>, StepError> {
        Err(StepError { time: self.time(), reason: "guards are not supported by this test engine".to_string() })
    }
    fn snapshot(&self, out: &mut Vec<u8>) {
        out.extend(self.steps.to_le_bytes());
        self.q.iter().chain(&self.v).for_each(|x| out.extend(x.to_le_bytes()));
    }
    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let (numbers, _) = bytes.as_chunks::<8>();
        self.steps = u64::from_le_bytes(numbers[0]);
        let n = self.q.len();
        for i in 0..n {
            self.q[i] = f64::from_le_bytes(numbers[1 + i]);
            self.v[i] = f64::from_le_bytes(numbers[1 + n + i]);
        }
        Ok(())
    }
    fn accelerations(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        for (i, a) in out.iter_mut().enumerate() {
            *a = ([0.0; 3], [self.acceleration(inputs, i), 0.0, 0.0]);
        }
        true
    }
    fn totals(&self) -> Totals {
        Totals { steps: self.steps, ..Default::default() }
    }
}

/// Runs a loop around an engine from `from_ns` to `until_ns`; `each` is called after every tick.
pub fn run(
    control: &mut ControlLoop,
    simulation: &mut dyn Simulation,
    inputs: &mut Inputs,
    until_ns: i64,
    mut each: impl FnMut(i64, &dyn Simulation, &Inputs, &mut ControlLoop),
) -> Result<(), ControlError> {
    let mut samples = Samples::none(simulation.layout());
    loop {
        let tick = control.next_tick_ns();
        if tick > until_ns {
            break;
        }
        simulation.advance(tick as f64 / 1e9, inputs, &mut samples).unwrap();
        control.tick(tick, simulation, inputs)?;
        each(tick, simulation, inputs, control);
    }
    simulation.advance(until_ns as f64 / 1e9, inputs, &mut samples).unwrap();
    Ok(())
}
