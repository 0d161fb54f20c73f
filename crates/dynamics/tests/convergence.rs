//! Orders of convergence, measured on a chain and on a free body tumbling about its middle axis. (The pendulum has its
//! own file.) The reference is the adaptive integrator at its tightest.

mod support;

use support::{observed_order, shipped};
use veracity_dynamics::integrate::{INTEGRATORS, IntegratorSettings};
use veracity_dynamics::{NoEfforts, SmoothSimulation, System, kinematics};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

fn settings(step_s: f64) -> IntegratorSettings {
    IntegratorSettings { step_s, relative_tolerance: 1e-13, absolute_tolerance: 1e-14 }
}

/// Largest error of the positions, along the manifold, and of the velocities at `time`.
fn error_at(system: &System, start: &(Vec<f64>, Vec<f64>), integrator: &str, step_s: f64, time: f64) -> f64 {
    let run = |name: &str, step: f64| {
        let mut s = SmoothSimulation::new(system.clone(), name, settings(step)).unwrap();
        s.set_state(0.0, &start.0, &start.1).unwrap();
        s.advance_to(time, &mut NoEfforts).unwrap();
        s.state().clone()
    };
    let (exact, got) = (run("dop853", 1e-3), run(integrator, step_s));
    let mut difference = vec![0.0; system.dof_count()];
    kinematics::difference(system, &exact.q, &got.q, &mut difference);
    let speeds = exact.v.iter().zip(&got.v).map(|(a, b)| (a - b).abs());
    difference.iter().map(|x| x.abs()).chain(speeds).fold(0.0, f64::max)
}

fn check(name: &str, system: &System, start: &(Vec<f64>, Vec<f64>), largest_step: f64, time: f64) {
    for entry in INTEGRATORS.iter().filter(|e| !e.adaptive) {
        // First-order methods reach their asymptote at smaller steps than fourth-order ones.
        let first = if entry.order == 1 { 0.1 * largest_step } else { largest_step };
        let steps: Vec<f64> = (0..4).map(|k| first / f64::from(1 << k)).collect();
        let errors: Vec<f64> = steps.iter().map(|&h| error_at(system, start, entry.name, h, time)).collect();
        let order = observed_order(&steps, &errors);
        println!("ACCEPT order-{name}-{}: {order:.2} (errors {:.1e} … {:.1e})", entry.name, errors[0], errors[3]);
        // Three halvings show the leading term to about a tenth of an order.
        assert!((order - f64::from(entry.order)).abs() < 0.25, "{}: {order} from {errors:?}", entry.name);
    }
}

#[test]
fn a_chain_converges_at_the_order_of_the_method() {
    let system = System::new(&shipped("chain/chain10.urdf").world.unwrap()).unwrap();
    let start = (system.neutral_positions().to_vec(), vec![0.0; system.dof_count()]);
    check("chain", &system, &start, 4e-3, 0.4);
}

/// A free solid box of unequal sides, spinning about its middle axis with a small disturbance: it turns over.
fn tumbling_body() -> (System, (Vec<f64>, Vec<f64>)) {
    let mut builder = ModelBuilder::new("book");
    let inertia = Inertia::solid_box(2.0, Vec3::new(0.1, 0.2, 0.3));
    builder.add_body(Body::new("book", inertia), Joint::new("free", JointKind::Free), None);
    let system = System::from_model(&builder.build().unwrap(), Vec3::zeros()).unwrap();
    let q = system.neutral_positions().to_vec();
    (system, (q, vec![0.01, 5.0, 0.02, 0.3, -0.2, 0.1]))
}

#[test]
fn a_tumbling_body_converges_at_the_order_of_the_method() {
    let (system, start) = tumbling_body();
    check("tumbling", &system, &start, 0.02, 2.0);
}

#[test]
fn a_tumbling_body_turns_over_and_keeps_energy_and_momentum() {
    let (system, start) = tumbling_body();
    let mut s = SmoothSimulation::new(system, "dop853", settings(1e-3)).unwrap();
    s.set_state(0.0, &start.0, &start.1).unwrap();
    let (e0, p0) = (s.energy().total(), s.momentum());
    let mut turned = false;
    for k in 1..=200 {
        s.advance_to(0.05 * f64::from(k), &mut NoEfforts).unwrap();
        turned |= s.state().v[1] < -4.0;
    }
    let (e, p) = (s.energy().total(), s.momentum());
    // A few hundred steps at 1e-13 each.
    assert!((e - e0).abs() < 1e-11 * e0);
    for i in 0..3 {
        assert!((p.angular[i] - p0.angular[i]).abs() < 1e-11 && (p.linear[i] - p0.linear[i]).abs() < 1e-13);
    }
    assert!(turned, "the middle axis is unstable");
}
