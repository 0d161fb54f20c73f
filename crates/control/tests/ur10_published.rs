//! The published arm again (grasp study of Taylor, Drumwright and Hsu), now from a controller's table through sensors,
//! commands and the model's actuators: it must follow the published path as closely as the hand-written loop in the
//! tests of `dynamics`, and equal that loop bit for bit.

mod support;

use std::path::Path;
use support::{MS, run, setup};
use veracity_control::{ControlLoop, ControllerConfig, Observation};
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::{ConstantEfforts, System};
use veracity_engine::{
    Advance, BodyState, Guard, GuardHit, Inputs, LoadError, Samples, Simulation, StepError, Totals,
};
use veracity_model::import::{ImportOptions, load};
use veracity_model::{Layout, Vec3, World};

const TABLE: &str = r#"
name = "arm"
kind = "pd"
rate_hz = 1000

# The published desired speed is A cos(w t): it lacks the factor w.
[actuators]
shoulder_pan_joint = { kp = 300, kd = 120, target = { amplitude = 2.5, omega_rad_s = 1, speed_amplitude = 2.5 } }
shoulder_lift_joint = { kp = 300, kd = 120, target = { amplitude = 0.5, omega_rad_s = 2, speed_amplitude = 0.5 } }
elbow_joint = { kp = 60, kd = 24, target = { amplitude = 1.6666666666666667, omega_rad_s = 0.6666666666666666, speed_amplitude = 1.6666666666666667 } }
wrist_1_joint = { kp = 15, kd = 6, target = { amplitude = 0.35714285714285715, omega_rad_s = 0.14285714285714285, speed_amplitude = 0.35714285714285715 } }
wrist_2_joint = { kp = 15, kd = 6, target = { amplitude = 0.45454545454545453, omega_rad_s = 0.18181818181818182, speed_amplitude = 0.45454545454545453 } }
wrist_3_joint = { kp = 15, kd = 6, target = { amplitude = 0.5769230769230769, omega_rad_s = 0.23076923076923078, speed_amplitude = 0.5769230769230769 } }
"#;

/// Our dynamics at semi-implicit steps of 1 ms, with the part of the contract needed here.
struct Arm {
    layout: Layout,
    inner: veracity_dynamics::SmoothSimulation,
    efforts: ConstantEfforts,
    steps: u64,
}

impl Arm {
    fn new(world: &World) -> Self {
        let settings = IntegratorSettings { step_s: 1e-3, ..Default::default() };
        let inner = veracity_dynamics::SmoothSimulation::new(System::new(world).unwrap(), "euler", settings).unwrap();
        let layout = Layout::new(world);
        Self { efforts: ConstantEfforts(vec![0.0; layout.dof_count()]), layout, inner, steps: 0 }
    }
}

impl Simulation for Arm {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn time(&self) -> f64 {
        self.steps as f64 / 1e3
    }
    fn q(&self) -> &[f64] {
        &self.inner.state().q
    }
    fn v(&self) -> &[f64] {
        &self.inner.state().v
    }
    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        self.inner.set_state(time, q, v).map(|()| 0.0).map_err(|e| LoadError::State(e.to_string()))
    }
    fn bodies(&mut self, out: &mut [BodyState]) {
        for (slot, body) in self.layout.bodies.iter().enumerate() {
            let motion = self.inner.body_motion(body.placement, body.body);
            out[slot] = BodyState {
                world_from_body: motion.world_from_body,
                angular_velocity: motion.angular_velocity,
                linear_velocity: motion.linear_velocity,
            };
        }
    }
    fn step(&mut self, inputs: &Inputs, _: f64) -> Result<Advance, StepError> {
        self.efforts.0.copy_from_slice(&inputs.efforts);
        let trouble = |e: veracity_dynamics::Trouble| StepError { time: 0.0, reason: e.to_string() };
        self.inner.step(&mut self.efforts, 1e-3).map_err(trouble)?;
        self.steps += 1;
        Ok(Advance { steps: 1, ..Default::default() })
    }
    fn advance(&mut self, until: f64, inputs: &Inputs, _: &mut Samples) -> Result<Advance, StepError> {
        while self.time() < until - 5e-4 {
            self.step(inputs, 1e-3)?;
        }
        Ok(Advance::default())
    }
    fn advance_until(&mut self, _: f64, _: &[Guard], _: &Inputs) -> Result<Option<GuardHit>, StepError> {
        Err(StepError { time: self.time(), reason: "guards are not supported by this test engine".to_string() })
    }
    fn snapshot(&self, out: &mut Vec<u8>) {
        out.extend(self.inner.snapshot().to_bytes());
    }
    fn restore(&mut self, _: &[u8]) -> Result<(), LoadError> {
        Err(LoadError::Other("restoring is not supported by this test engine".to_string()))
    }
    fn totals(&self) -> Totals {
        Totals { steps: self.steps, ..Default::default() }
    }
}

fn arm() -> World {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/ur10/ur10_1x_welded.urdf");
    load(&file, &ImportOptions::default()).world.unwrap()
}

/// Position of the block after a number of steps, and the bits of the state.
fn track(world: &World, steps: i64) -> (Vec3, Vec<u64>) {
    let layout = Layout::new(world);
    let config: ControllerConfig = toml::from_str(TABLE).unwrap();
    let mut control = ControlLoop::new(&setup(world, &layout, MS), &[config], &[]).unwrap();
    let mut arm = Arm::new(world);
    let mut inputs = control.inputs();
    run(&mut control, &mut arm, &mut inputs, steps * MS, |_, _, _, _| ()).unwrap();
    let block = world.placements[0].model.body_named("block").unwrap();
    let place = arm.inner.body_motion(0, block).world_from_body.translation.vector;
    (place, arm.q().iter().chain(arm.v()).map(|x| x.to_bits()).collect())
}

#[test]
fn the_block_follows_the_published_path() {
    // Log row t is the state after t / dt - 1 steps. 6 mm: another engine's joint stops and softness (fact sheet).
    for (steps, place) in [(999, [-0.469893, 0.252879, 0.072472]), (9999, [0.505504, -0.640753, 0.174201])] {
        let (found, _) = track(&arm(), steps);
        let off = (found - Vec3::from(place)).norm();
        assert!(off < 6e-3, "{off} m after {steps} steps");
    }
}

#[test]
fn the_table_equals_a_hand_written_loop_bit_for_bit() {
    let world = arm();
    let layout = Layout::new(&world);
    let model = &world.placements[0].model;
    let plan = [
        ("shoulder_pan_joint", 2.5, 1.0, 300.0, 120.0),
        ("shoulder_lift_joint", 0.5, 2.0, 300.0, 120.0),
        ("elbow_joint", 5.0 / 3.0, 2.0 / 3.0, 60.0, 24.0),
        ("wrist_1_joint", 2.5 / 7.0, 1.0 / 7.0, 15.0, 6.0),
        ("wrist_2_joint", 5.0 / 11.0, 2.0 / 11.0, 15.0, 6.0),
        ("wrist_3_joint", 7.5 / 13.0, 3.0 / 13.0, 15.0, 6.0),
    ];
    let mut simulation = Arm::new(&world);
    let mut inputs = Inputs::none(layout.dof_count());
    for step in 0..2000 {
        let time = f64::from(step) / 1e3;
        inputs.clear();
        for (name, amplitude, w, kp, kd) in plan {
            let joint = &layout.joints[layout.joint(name).unwrap()];
            let motor = model.actuators().iter().find(|a| a.name == name).unwrap();
            let (q, v) = (simulation.q()[joint.q], simulation.v()[joint.v]);
            let (sin, cos) = libm::sincos(w * time);
            let command = kp * (amplitude * sin - q) + kd * (amplitude * cos - v);
            inputs.efforts[joint.v] = motor.effort_at(command, q, v);
        }
        simulation.step(&inputs, 1e-3).unwrap();
    }
    let by_hand: Vec<u64> = simulation.q().iter().chain(simulation.v()).map(|x| x.to_bits()).collect();
    assert_eq!(track(&world, 2000).1, by_hand);
}

#[test]
fn a_function_as_controller_gives_the_same_bits() {
    use std::sync::Arc;
    use veracity_control::{ChannelLayout, Command, ControllerPart, Memoryless, Sensing, Timing};
    let world = arm();
    let layout = Layout::new(&world);
    let config: ControllerConfig = toml::from_str(TABLE).unwrap();
    let setup = setup(&world, &layout, MS);
    let sensing = Sensing::new(&setup, &[]).unwrap();
    let laws: Vec<(usize, usize, f64, f64, f64, f64)> = config
        .actuators
        .iter()
        .map(|(name, law)| {
            let veracity_control::config::Profile::Sinusoid(s) = law.target else { panic!("a sinusoid") };
            let place = |what: &str| sensing.layout().place(&format!("ur10_1x_welded/{name}/{what}")).unwrap();
            (place("position"), place("velocity"), law.kp, law.kd, s.amplitude, s.omega_rad_s)
        })
        .collect();
    let channels = config.actuators.keys().map(|name| (format!("actuators/{name}"), String::new())).collect();
    let pd = move |time_ns: i64, seen: &Observation, command: &mut Command| {
        for (u, (q, v, kp, kd, amplitude, w)) in command.values.iter_mut().zip(&laws) {
            let (sin, cos) = libm::sincos(w * (time_ns as f64 / 1e9));
            *u = kp * (amplitude * sin - seen.values[*q]) + kd * (amplitude * cos - seen.values[*v]);
        }
    };
    let part = ControllerPart {
        name: "mine".into(),
        timing: Timing::every(MS),
        controller: Box::new(Memoryless(pd)),
        command: Arc::new(ChannelLayout { channels }),
        noise: Default::default(),
    };
    let mut control = ControlLoop::with_controllers(&setup, sensing, vec![part]).unwrap();
    let mut simulation = Arm::new(&world);
    let mut inputs = control.inputs();
    run(&mut control, &mut simulation, &mut inputs, 500 * MS, |_, _, _, _| ()).unwrap();
    let bits: Vec<u64> = simulation.q().iter().chain(simulation.v()).map(|x| x.to_bits()).collect();
    assert_eq!(track(&world, 500).1, bits);
}
