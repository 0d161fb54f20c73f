//! Bricard's mechanism (IFToMM A04): one degree of freedom although the count gives none; energy is conserved. The flyball
//! governor (A05): stiff springs in rotation; no digits are published, so the adaptive run must converge and other methods
//! must converge to it at their order.

mod support;

use support::{full_size, observed_order, shipped};
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::{NoEfforts, SmoothSimulation, System, energy};
use veracity_model::World;

#[test]
fn bricard_keeps_its_energy_for_ten_seconds() {
    let system = System::new(&shipped("bricard/bricard.sdf").world.unwrap()).unwrap();
    let mut simulation = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    let start = simulation.energy().total();
    let (mut peak, mut change) = (0.0f64, 0.0f64);
    simulation
        .advance_sampled(10.0, 0.01, &mut NoEfforts, |system, ws, state| {
            let e = energy::energy(system, ws, &state.q, &state.v);
            peak = peak.max(e.kinetic);
            change = change.max((e.total() - start).abs());
        })
        .unwrap();
    let open = simulation.constraint_violation();
    println!("ACCEPT bricard: energy {:.1e} of peak {peak:.2} J over 10 s, loop open by {open:.1e} m", change / peak);
    assert!(change <= 1e-8 * peak, "{:e}", change / peak);
    // All five rows, the redundant one included: the motion stays on the mechanism.
    assert!(open < 1e-10, "{open:e}");
    // It moves: if the count of freedoms were used it would stay at rest.
    assert!(peak > 1.0, "{peak} J");
}

/// The slider's height and all else at `time` from the file's start state.
fn governor(world: &World, integrator: &str, settings: IntegratorSettings, time: f64) -> (f64, Vec<f64>) {
    let model = &world.placements[0].model;
    let start = model.keyframes().iter().find(|k| k.name == "start").expect("the start state");
    let slide = model.position_offset(model.joint_named("slide").unwrap());
    let mut simulation = SmoothSimulation::new(System::new(world).unwrap(), integrator, settings).unwrap();
    simulation.set_state(0.0, &start.q, &start.v).unwrap();
    simulation.advance_to(time, &mut NoEfforts).unwrap();
    (simulation.state().q[slide], simulation.state().q.clone())
}

fn adaptive(relative_tolerance: f64) -> IntegratorSettings {
    IntegratorSettings { relative_tolerance, absolute_tolerance: 0.1 * relative_tolerance, ..Default::default() }
}

#[test]
fn the_governor_converges() {
    let world = shipped("governor/governor.urdf").world.unwrap();
    let duration = if full_size() { 10.0 } else { 2.0 };
    let (s, _) = governor(&world, "dop853", adaptive(1e-12), duration);
    let (coarse, _) = governor(&world, "dop853", adaptive(1e-10), duration);
    println!("ACCEPT governor: s({duration}) = {s:.12} m, tolerance 1e-10 differs by {:.1e} m", (coarse - s).abs());
    // Two orders of tolerance apart and damped: the difference is the coarse run's error.
    assert!((coarse - s).abs() < 1e-8, "{coarse} {s}");
    assert!((0.05..0.95).contains(&s), "the slider is on its shaft: {s}");
}

#[test]
fn implicit_methods_converge_to_the_same_governor() {
    let world = shipped("governor/governor.urdf").world.unwrap();
    let time = 0.25;
    let (exact, _) = governor(&world, "dop853", adaptive(1e-12), time);
    for (name, order, first) in [("midpoint", 2.0, 4e-3), ("implicit", 1.0, 1e-3)] {
        let steps: Vec<f64> = (0..4).map(|k| first / f64::from(1 << k)).collect();
        let errors: Vec<f64> = steps
            .iter()
            .map(|&step_s| {
                (governor(&world, name, IntegratorSettings { step_s, ..Default::default() }, time).0 - exact).abs()
            })
            .collect();
        let observed = observed_order(&steps, &errors);
        println!("ACCEPT governor-{name}: order {observed:.2}, errors {:.1e} … {:.1e} m", errors[0], errors[3]);
        // The damper's own rate is 1e4/s: steps of 1e-3 s are far outside what an explicit method survives.
        assert!((observed - order).abs() < 0.35, "{name}: {observed} from {errors:?}");
    }
}

#[test]
fn an_explicit_method_fails_at_that_step() {
    let world = shipped("governor/governor.urdf").world.unwrap();
    let model = &world.placements[0].model;
    let start = model.keyframes().iter().find(|k| k.name == "start").unwrap();
    let settings = IntegratorSettings { step_s: 1e-3, ..Default::default() };
    let mut simulation = SmoothSimulation::new(System::new(&world).unwrap(), "rk4", settings).unwrap();
    simulation.set_state(0.0, &start.q, &start.v).unwrap();
    let outcome = simulation.advance_to(0.25, &mut NoEfforts);
    let far = simulation.energy().total().abs() > 1e6;
    assert!(outcome.is_err() || far, "the springs are stiff: RK4 at 1 ms cannot hold them");
}
