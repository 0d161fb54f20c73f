//! The shipped closed mechanisms are the benchmarks they claim to be.

use std::path::Path;
use veracity_dynamics::constraint::violation;
use veracity_dynamics::integrate::Settings;
use veracity_dynamics::{ActuatorCommands, NoEfforts, Simulation, System, Workspace};
use veracity_model::import::{ImportOptions, load};
use veracity_model::{JointId, Keyframe, World};

fn shipped(name: &str) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let imported = load(&path, &ImportOptions::default());
    imported.world.unwrap_or_else(|| panic!("{}", imported.findings))
}

fn start(world: &World) -> &Keyframe {
    world.placements[0].model.keyframes().iter().find(|k| k.name == "start").expect("a shipped start")
}

/// A simulation of the world from its start.
fn from_start(world: &World, settings: Settings) -> Simulation {
    let mut simulation = Simulation::new(System::new(world).unwrap(), "dop853", settings).unwrap();
    let Keyframe { q, v, .. } = start(world);
    simulation.set_state(0.0, q, v).unwrap();
    simulation
}

fn tight() -> Settings {
    Settings { relative_tolerance: 1e-11, absolute_tolerance: 1e-12, ..Settings::default() }
}

/// The exact motion of N windows while the rods stay parallel, by many small Runge-Kutta steps: (θ, θ') at `time`.
fn four_bar_exact(windows: f64, time: f64) -> [f64; 2] {
    let ratio = ((windows + 1.0) / 2.0 + windows) / ((windows + 1.0) / 3.0 + windows) * 9.81;
    let rate = |[x, v]: [f64; 2]| [v, ratio * x.sin()];
    let shift = |[x, v]: [f64; 2], [dx, dv]: [f64; 2], h: f64| [x + h * dx, v + h * dv];
    let (mut y, steps) = ([0.0, 1.0], 100_000);
    let h = time / f64::from(steps);
    for _ in 0..steps {
        let k1 = rate(y);
        let k2 = rate(shift(y, k1, 0.5 * h));
        let k3 = rate(shift(y, k2, 0.5 * h));
        let k4 = rate(shift(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y
}

#[test]
fn two_windows_fall_as_one_pendulum_through_the_flat_position() {
    let world = shipped("four_bar/four_bar_2.sdf");
    let model = &world.placements[0].model;
    let start: Vec<f64> =
        model.joints().iter().map(|j| if j.name.starts_with("base") { 1.0 } else { -1.0 }).collect();
    let q = vec![0.0; 5];
    let mut simulation = Simulation::new(System::new(&world).unwrap(), "dop853", tight()).unwrap();
    simulation.set_state(0.0, &q, &start).unwrap();
    // Flat, where the freedom jumps from 1 to 3, is passed at about 0.7 s and again at 1.2 s.
    simulation.advance_to(2.0, &mut NoEfforts).unwrap();
    let [angle, _] = four_bar_exact(2.0, 2.0);
    for (i, joint) in model.joints().iter().enumerate().filter(|(_, j)| j.name.starts_with("base")) {
        let got = simulation.state().q[model.position_offset(JointId(i))];
        // Tolerances of 1e-11 a step over some hundred steps and two passages of the singular position.
        assert!((got - angle).abs() < 1e-7, "{}: {got} and not {angle}", joint.name);
    }
}

#[test]
fn bricard_moves_with_its_one_freedom_and_keeps_its_energy() {
    let world = shipped("bricard/bricard.sdf");
    let system = System::new(&world).unwrap();
    let mut ws = Workspace::new(&system);
    // Assembled as written: rounding of coordinates of one metre.
    assert!(violation(&system, &mut ws, &[0.0; 5]) < 1e-15);
    let mut simulation = Simulation::new(system, "dop853", tight()).unwrap();
    let start = simulation.energy().total();
    let mut peak = 0.0f64;
    for i in 1..=100 {
        simulation.advance_to(0.02 * f64::from(i), &mut NoEfforts).unwrap();
        let energy = simulation.energy();
        peak = peak.max(energy.kinetic);
        assert!((energy.total() - start).abs() < 1e-8 * peak.max(0.1), "{} J at {i}", energy.total() - start);
    }
    // It moves: a mechanism taken for rigid by counting would stay at 0 J.
    assert!(peak > 1.0, "{peak} J");
}

#[test]
fn andrews_reaches_the_published_angles() {
    let world = shipped("andrews/andrews.urdf");
    let system = System::new(&world).unwrap();
    // The published start closes all three loops to its printed digits; open loops would be centimetres apart.
    assert!(violation(&system, &mut Workspace::new(&system), &start(&world).q) < 1e-16);
    // Velocities reach 1e4 rad/s: relative tolerance decides.
    let settings = Settings { relative_tolerance: 1e-12, absolute_tolerance: 1e-12, ..Settings::default() };
    let mut simulation = from_start(&world, settings);
    let mut drive = ActuatorCommands(start(&world).command.clone());
    simulation.advance_to(0.03, &mut drive).unwrap();
    let model = &world.placements[0].model;
    let mut worst = 0.0f64;
    for (name, expected) in [
        ("beta", 15.81077119629904),
        ("Theta", -15.75637105984298),
        ("gamma", 0.04082224013073101),
        ("Phi", -0.5347301163226948),
        ("delta", 0.5244099658805304),
        ("Omega", 0.5347301163226948),
        ("epsilon", 1.048080741042263),
    ] {
        let got = simulation.state().q[model.position_offset(model.joint_named(name).unwrap())];
        worst = worst.max((got - expected).abs());
        // The accuracy claimed for the published digits by their source.
        assert!((got - expected).abs() < 1e-8, "{name}: {got} and not {expected}");
    }
    println!("ACCEPT andrews: {worst:.1e} rad");
}
