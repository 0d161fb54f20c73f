//! The loop around real engines: sensors read the physics, drives act as declared, and engine and loop saved together
//! continue bit for bit.

mod support;

use support::{MS, run};
use veracity_control::config::{ControllerConfig, JointLaw, PdForm, PerGroup, Profile, Sinusoid};
use veracity_control::{ControlLoop, SensorConfig, Setup};
use veracity_engine::{Capabilities, Engine, LoadOptions, Simulation};
use veracity_engine_native::ENGINE as NATIVE;
use veracity_engine_rapier::ENGINE as RAPIER;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Vec3, World};

const SPECS: [&str; 4] = ["native", "native:euler", "rapier:impulse", "rapier:multibody"];

const G: f64 = 9.81;

fn load(spec: &str, world: &World) -> (Box<dyn Simulation>, Capabilities) {
    let spec = spec.parse().unwrap();
    let engines: [&dyn Engine; 2] = [&NATIVE, &RAPIER];
    let engine = engines.into_iter().find(|e| e.resolve(&spec).is_ok()).expect("an engine of this spec");
    let settings = engine.resolve(&spec).unwrap();
    let simulation = engine.load(world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
    (simulation, engine.capabilities(&settings))
}

/// One body on one joint, with a given centre of mass.
fn one(kind: JointKind, com: Vec3, gravity: f64) -> World {
    let mut builder = ModelBuilder::new("one");
    let inertia = Inertia::solid_box(2.0, Vec3::new(0.3, 0.2, 0.1)).transformed(&at(com.x, com.y, com.z));
    builder.add_body(Body::new("b", inertia), Joint::new("j", kind), None);
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = Vec3::new(0.0, 0.0, -gravity);
    world.contact = false;
    world
}

/// Readings of one sensor after 50 ms from a state.
fn read(spec: &str, world: &World, sensor: SensorConfig, q: &[f64], v: &[f64]) -> Vec<f64> {
    let (mut simulation, capabilities) = load(spec, world);
    let layout = Layout::new(world);
    let setup = Setup { world, layout: &layout, capabilities, step_ns: MS, seed: 1, trial: 0 };
    let mut control = ControlLoop::new(&setup, &[], &[sensor]).unwrap();
    simulation.set_state(0.0, q, v).unwrap();
    let mut inputs = control.inputs();
    run(&mut control, &mut *simulation, &mut inputs, 50 * MS, |_, _, _, _| ()).unwrap();
    let mut out = vec![f64::NAN; control.signals().len()];
    control.write_signals(50 * MS, &mut out);
    out
}

fn near(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let worst = found.iter().zip(expected).fold(0.0f64, |w, (a, b)| w.max((a - b).abs()));
    assert!(found.len() == expected.len() && worst <= tolerance, "{what}: {found:?} is not {expected:?}");
}

fn imu(xyz_m: [f64; 3]) -> SensorConfig {
    let (name, kind) = ("imu".to_string(), "imu".to_string());
    SensorConfig { name, kind, body: Some("b".into()), xyz_m: Some(xyz_m), ..Default::default() }
}

#[test]
fn an_imu_hanging_falling_and_spinning() {
    for spec in SPECS {
        let hanging = one(JointKind::revolute(Vec3::y()), Vec3::new(0.0, 0.0, -0.5), G);
        // At rest in its equilibrium: a solver's joint error is far below this.
        near(spec, &read(spec, &hanging, imu([0.0; 3]), &[0.0], &[0.0]), &[0.0, 0.0, G, 0.0, 0.0, 0.0], 1e-6);
        let free = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let falling = one(JointKind::Free, Vec3::zeros(), G);
        near(spec, &read(spec, &falling, imu([0.0; 3]), &free, &[0.0; 6]), &[0.0; 6], 1e-9);
        // 4 rad/s about z, 0.25 m out: ω² r = 4 m/s² inwards. Differences lag by half a step, ω h / 2 = 2 mrad of it.
        let spinning = one(JointKind::Free, Vec3::zeros(), 0.0);
        let found = read(spec, &spinning, imu([0.25, 0.0, 0.0]), &free, &[0.0, 0.0, 4.0, 0.0, 0.0, 0.0]);
        near(spec, &found, &[-4.0, 0.0, 0.0, 0.0, 0.0, 4.0], 4.0 * 2.1e-3);
    }
}

#[test]
fn a_force_torque_sensor_weighs_the_body_it_carries() {
    // On a rail along x, which carries weight and its moment: 2 kg, 0.5 m out.
    let rail = one(JointKind::prismatic(Vec3::x()), Vec3::new(0.5, 0.0, 0.0), G);
    let sensor = SensorConfig {
        name: "ft".into(),
        kind: "force_torque".into(),
        joint: Some("j".into()),
        ..Default::default()
    };
    let able = |spec: &&&str| load(spec, &rail).1.reactions;
    let specs: Vec<_> = SPECS.iter().filter(able).collect();
    assert!(!specs.is_empty());
    for spec in specs {
        let found = read(spec, &rail, sensor.clone(), &[0.0], &[0.0]);
        // r × f of the force 2 g upwards at the centre of mass: -0.5 · 2 g about y.
        near(spec, &found, &[0.0, 0.0, 2.0 * G, 0.0, -G, 0.0], 1e-6);
        // Moved under the centre of mass, no moment is left.
        let under = SensorConfig { xyz_m: Some([0.5, 0.0, 0.0]), ..sensor.clone() };
        near(spec, &read(spec, &rail, under, &[0.0], &[0.0]), &[0.0, 0.0, 2.0 * G, 0.0, 0.0, 0.0], 1e-6);
    }
}

fn pd(kp: f64, kd: f64, form: PdForm) -> ControllerConfig {
    let swing = Profile::Sinusoid(Sinusoid { amplitude: 0.3, omega_rad_s: 5.0, ..Default::default() });
    ControllerConfig {
        name: "arm".into(),
        kind: "pd".into(),
        joints: [("j".to_string(), JointLaw { kp, kd, target: swing, ..Default::default() })].into(),
        form: Some(form),
        ..Default::default()
    }
}

#[test]
fn an_implicit_drive_is_stable_where_the_sampled_law_diverges() {
    // T kd / I is 4: twice the bound of the sampled law.
    let world = one(JointKind::revolute(Vec3::y()), Vec3::zeros(), G);
    let inertia = 2.0 / 12.0 * (0.3f64.powi(2) + 0.1f64.powi(2));
    let speed_after = |form: PdForm| {
        let (mut simulation, capabilities) = load("native:implicit", &world);
        let layout = Layout::new(&world);
        let setup = Setup { world: &world, layout: &layout, capabilities, step_ns: MS, seed: 1, trial: 0 };
        let config = pd(10.0, 4.0 * inertia / 1e-3, form);
        let mut control = ControlLoop::new(&setup, &[config], &[]).unwrap();
        simulation.set_state(0.0, &[0.1], &[0.0]).unwrap();
        let mut inputs = control.inputs();
        run(&mut control, &mut *simulation, &mut inputs, 50 * MS, |_, _, _, _| ()).unwrap();
        simulation.v()[0].abs()
    };
    assert!(speed_after(PdForm::Drive) < 2.0, "{}", speed_after(PdForm::Drive));
    assert!(speed_after(PdForm::Sampled) > 1e6, "{}", speed_after(PdForm::Sampled));
}

#[test]
fn engine_and_loop_saved_together_continue_bit_for_bit() {
    let world = one(JointKind::revolute(Vec3::y()), Vec3::new(0.0, 0.0, -0.3), G);
    let layout = Layout::new(&world);
    let sensors = [
        SensorConfig {
            name: "encoder".into(),
            kind: "encoder".into(),
            latency_s: 3e-3,
            noise_std: PerGroup::Same(1e-3),
            ..Default::default()
        },
        imu([0.1, 0.0, 0.0]),
    ];
    let controller = ControllerConfig { rate_hz: Some(500.0), latency_s: 4e-3, ..pd(30.0, 1.0, PdForm::Sampled) };
    for spec in SPECS {
        let begin = || {
            let (simulation, capabilities) = load(spec, &world);
            let setup = Setup { world: &world, layout: &layout, capabilities, step_ns: MS, seed: 1, trial: 0 };
            let control = ControlLoop::new(&setup, std::slice::from_ref(&controller), &sensors).unwrap();
            (simulation, control)
        };
        let bits = |simulation: &dyn Simulation, control: &mut ControlLoop| {
            let mut signals = vec![0.0; control.signals().len()];
            control.write_signals(400 * MS, &mut signals);
            let all = simulation.q().iter().chain(simulation.v()).chain(&signals);
            all.map(|x| x.to_bits()).collect::<Vec<u64>>()
        };
        let (mut simulation, mut control) = begin();
        simulation.set_state(0.0, &[0.2], &[0.0]).unwrap();
        let mut inputs = control.inputs();
        run(&mut control, &mut *simulation, &mut inputs, 153 * MS, |_, _, _, _| ()).unwrap();
        let (mut engine_blob, mut loop_blob) = (Vec::new(), Vec::new());
        simulation.snapshot(&mut engine_blob);
        control.snapshot(&mut loop_blob);
        run(&mut control, &mut *simulation, &mut inputs, 400 * MS, |_, _, _, _| ()).unwrap();
        let uninterrupted = bits(&*simulation, &mut control);

        let (mut fresh, mut again) = begin();
        fresh.restore(&engine_blob).unwrap();
        again.restore(&loop_blob).unwrap();
        let mut held = again.in_force().clone();
        run(&mut again, &mut *fresh, &mut held, 400 * MS, |_, _, _, _| ()).unwrap();
        assert_eq!(bits(&*fresh, &mut again), uninterrupted, "{spec}");
    }
}
