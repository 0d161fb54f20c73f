//! The shipped closed mechanisms reproduce the published benchmarks.

use std::path::Path;
use veracity_dynamics::constraint::violation;
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::{ActuatorCommands, NoEfforts, SmoothSimulation, System, Workspace};
use veracity_model::import::{ImportOptions, load};
use veracity_model::{Keyframe, World};

fn shipped(name: &str) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let imported = load(&path, &ImportOptions::default());
    imported.world.unwrap_or_else(|| panic!("{}", imported.findings))
}

fn start(world: &World) -> &Keyframe {
    world.placements[0].model.keyframes().iter().find(|k| k.name == "start").expect("a shipped start")
}

/// A simulation of the world from its start.
fn from_start(world: &World, settings: IntegratorSettings) -> SmoothSimulation {
    let mut simulation = SmoothSimulation::new(System::new(world).unwrap(), "dop853", settings).unwrap();
    let Keyframe { q, v, .. } = start(world);
    simulation.set_state(0.0, q, v).unwrap();
    simulation
}

fn tight() -> IntegratorSettings {
    IntegratorSettings { relative_tolerance: 1e-11, absolute_tolerance: 1e-12, ..IntegratorSettings::default() }
}

#[test]
fn andrews_reaches_the_published_angles() {
    let world = shipped("andrews/andrews.urdf");
    let system = System::new(&world).unwrap();
    // The published start closes all three loops to its printed digits; open loops would be centimetres apart.
    assert!(violation(&system, &mut Workspace::new(&system), &start(&world).q) < 1e-16);
    // Velocities reach 1e4 rad/s: relative tolerance decides.
    let settings =
        IntegratorSettings { relative_tolerance: 1e-12, absolute_tolerance: 1e-12, ..IntegratorSettings::default() };
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

#[test]
fn without_its_drive_andrews_misses_the_published_angles() {
    let world = shipped("andrews/andrews.urdf");
    let mut simulation = from_start(&world, tight());
    simulation.advance_to(0.03, &mut NoEfforts).unwrap();
    let model = &world.placements[0].model;
    let beta = simulation.state().q[model.position_offset(model.joint_named("beta").unwrap())];
    assert!((beta - 15.81077119629904).abs() > 1.0, "{beta}");
}

#[test]
fn governor_starts_at_rest_in_its_turning_frame_and_only_loses_energy() {
    let world = shipped("governor/governor.urdf");
    let settings =
        |tolerance| IntegratorSettings { relative_tolerance: tolerance, absolute_tolerance: tolerance, ..tight() };
    let mut simulation = from_start(&world, settings(1e-10));
    let (energy, spin) = (simulation.energy(), simulation.momentum().angular[2]);
    // Unstretched springs: 0.5 m to rounding, times 8e5 N/m.
    assert!(energy.elastic.abs() < 1e-20, "{energy:?}");
    // Shaft, slider, and two rods with balls, all turning at 2π: Σ I + m d², hinges 0.05 m off the axis, 60 degrees.
    let (reach, out) = (0.05f64, 30f64.to_radians().cos());
    let rod = 0.0250025 * out * out + 5e-6 * 0.25 + 0.3 * (reach + 0.5 * out).powi(2);
    let turning = 5e-6 + 0.005 + 2.0 * (rod + 5.0 * (reach + out).powi(2));
    assert!((spin / (turning * std::f64::consts::TAU) - 1.0).abs() < 1e-13, "{spin}");
    let mut before = energy.total();
    for i in 1..=20 {
        simulation.advance_to(0.05 * f64::from(i), &mut NoEfforts).unwrap();
        let now = simulation.energy().total();
        // Dampers only dissipate; the integrator's own error over 0.05 s stays far below a microjoule.
        assert!(now <= before + 1e-6, "{now} J after {before} J");
        before = now;
    }
    // No external torque acts about z.
    assert!((simulation.momentum().angular[2] / spin - 1.0).abs() < 1e-8);
    // A run with a hundred times the tolerance gives the same height of the slider.
    let mut coarse = from_start(&world, settings(1e-8));
    coarse.advance_to(1.0, &mut NoEfforts).unwrap();
    let model = &world.placements[0].model;
    let s = model.position_offset(model.joint_named("slide").unwrap());
    let (fine, coarse) = (simulation.state().q[s], coarse.state().q[s]);
    assert!((fine - coarse).abs() < 1e-6, "{fine} m and {coarse} m");
    assert!((fine - 0.5).abs() > 1e-3, "it moves: {fine} m");
}
