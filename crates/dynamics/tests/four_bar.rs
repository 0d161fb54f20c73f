//! N four-bar windows (IFToMM A02) through their singular positions: while the rods stay parallel the motion is that of
//! one pendulum, `((N+1)/3 + N) θ'' = ((N+1)/2 + N) (g/L) sin θ`, θ from upright. Whenever the rods are flat the number of
//! degrees of freedom jumps from 1 to N + 1, and a wrong treatment lets the windows fold differently.

mod support;

use support::{full_size, shipped};
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::{NoEfforts, SmoothSimulation, System, constraint, energy};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

/// Results of a run of the mechanism.
struct Outcome {
    energy_change: f64,
    not_parallel: f64,
    off_pendulum: f64,
    flat_passages: usize,
}

/// The equivalent pendulum: its moment of inertia and first moment about the hinge are the two brackets.
fn equivalent_pendulum(windows: f64) -> SmoothSimulation {
    let (inertia, moment) = ((windows + 1.0) / 3.0 + windows, (windows + 1.0) / 2.0 + windows);
    let rod = Inertia::new(1.0, Vec3::new(0.0, 0.0, moment), [0.0, inertia - moment * moment, 0.0, 0.0, 0.0, 0.0]);
    let mut builder = ModelBuilder::new("equivalent");
    builder.add_body(Body::new("rod", rod), Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    let system = System::from_model(&builder.build().unwrap(), Vec3::new(0.0, 0.0, -9.81)).unwrap();
    let mut simulation = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    simulation.set_state(0.0, &[0.0], &[1.0]).unwrap();
    simulation
}

fn run(windows: usize, duration: f64) -> Outcome {
    let imported = shipped(&format!("four_bar/four_bar_{windows}.sdf"));
    let world = imported.world.unwrap();
    let model = world.placements[0].model.clone();
    let upright: Vec<usize> =
        (0..model.joints().len()).filter(|i| model.joints()[*i].name.starts_with("base")).collect();
    assert_eq!(upright.len(), windows + 1);
    // Uprights turn at +1 rad/s, so that the first top point moves at +1 m/s; couplers keep their direction.
    let v: Vec<f64> = (0..model.joints().len()).map(|i| if upright.contains(&i) { 1.0 } else { -1.0 }).collect();
    let mut simulation =
        SmoothSimulation::new(System::new(&world).unwrap(), "dop853", IntegratorSettings::default()).unwrap();
    simulation.set_state(0.0, &vec![0.0; v.len()], &v).unwrap();
    let start = simulation.energy().total();
    let (mut peak, mut change, mut not_parallel, mut flat) = (0.0f64, 0.0f64, 0.0f64, 0);
    let mut angles: Vec<f64> = Vec::new();
    simulation
        .advance_sampled(duration, 0.01, &mut NoEfforts, |system, ws, state| {
            let e = energy::energy(system, ws, &state.q, &state.v);
            peak = peak.max(e.kinetic);
            change = change.max((e.total() - start).abs());
            let first = state.q[upright[0]];
            not_parallel = upright.iter().fold(not_parallel, |worst, &i| worst.max((state.q[i] - first).abs()));
            if angles.last().is_some_and(|last| last.cos() * first.cos() < 0.0) {
                flat += 1;
            }
            angles.push(first);
        })
        .unwrap();
    let mut pendulum = equivalent_pendulum(windows as f64);
    let mut off = 0.0f64;
    for (k, angle) in angles.iter().enumerate() {
        pendulum.advance_to(0.01 * k as f64, &mut NoEfforts).unwrap();
        off = off.max((angle - pendulum.state().q[0]).abs());
    }
    Outcome { energy_change: change / peak, not_parallel, off_pendulum: off, flat_passages: flat }
}

fn check(windows: usize, duration: f64, passages: usize) {
    let o = run(windows, duration);
    println!(
        "ACCEPT four-bar-{windows}: {duration} s, {} flat passages, energy {:.1e} of peak, parallel to {:.1e} rad, \
         motion to {:.1e} rad",
        o.flat_passages, o.energy_change, o.not_parallel, o.off_pendulum
    );
    assert!(o.energy_change <= 1e-8, "energy {:e}", o.energy_change);
    assert!(o.not_parallel <= 1e-8, "parallel {:e}", o.not_parallel);
    assert!(o.off_pendulum <= 1e-7, "motion {:e}", o.off_pendulum);
    assert!(o.flat_passages >= passages, "{} passages", o.flat_passages);
}

#[test]
fn two_windows_move_as_one_pendulum_for_ten_seconds() {
    check(2, 10.0, 9);
}

#[test]
fn forty_windows_move_as_one_pendulum() {
    let (duration, passages) = if full_size() { (10.0, 9) } else { (1.5, 2) };
    check(40, duration, passages);
}

#[test]
fn rows_vanish_at_the_flat_position_and_redundant_ones_are_left_out() {
    let imported = shipped("four_bar/four_bar_2.sdf");
    let system = System::new(&imported.world.unwrap()).unwrap();
    let mut ws = veracity_dynamics::Workspace::new(&system);
    // Five rows for each spatial hinge that closes a window, two of them in the plane.
    constraint::choose_basis(&system, &mut ws, &[0.0; 5]).unwrap();
    assert_eq!(constraint::constraint_count(&ws), (10, 4));
    // Flat: the couplers' hinges constrain nothing along the rods, and three degrees of freedom are left.
    let model_order_flat: Vec<f64> = {
        let world = shipped("four_bar/four_bar_2.sdf").world.unwrap();
        let quarter = std::f64::consts::FRAC_PI_2;
        let joints = world.placements[0].model.joints().to_vec();
        joints.iter().map(|j| if j.name.starts_with("base") { quarter } else { -quarter }).collect()
    };
    constraint::choose_basis(&system, &mut ws, &model_order_flat).unwrap();
    assert_eq!(constraint::constraint_count(&ws), (10, 2));
}

#[test]
fn without_the_loops_the_rods_do_not_stay_parallel() {
    // The mutation: the same uprights with nothing between them but the couplers' weight.
    let imported = shipped("four_bar/four_bar_2.sdf");
    let world = imported.world.unwrap();
    let model = &world.placements[0].model;
    let mut builder = ModelBuilder::new("open");
    for (body, joint) in model.bodies().iter().zip(model.joints()) {
        builder.add_body(body.clone(), joint.clone(), joint.parent);
    }
    let system = System::from_model(&builder.build().unwrap(), world.gravity).unwrap();
    let mut simulation = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    let v: Vec<f64> = model.joints().iter().map(|j| if j.name.starts_with("base") { 1.0 } else { -1.0 }).collect();
    simulation.set_state(0.0, &[0.0; 5], &v).unwrap();
    simulation.advance_to(0.5, &mut NoEfforts).unwrap();
    let bases: Vec<f64> =
        (0..5).filter(|i| model.joints()[*i].name.starts_with("base")).map(|i| simulation.state().q[i]).collect();
    assert!(bases.iter().any(|x| (x - bases[0]).abs() > 1e-3), "{bases:?}");
}
