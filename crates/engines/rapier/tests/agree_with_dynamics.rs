//! Rapier's first steps compared with our own dynamics, from one state under one set of efforts: every joint kind it
//! can express, on a moving base, welded parts included. The two formulations share only the model.

mod scenes;
use scenes::*;
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::{ConstantEfforts, System};
use veracity_engine::{Inputs, Wrench};
use veracity_model::geometry::{at, pose};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};

fn part(name: &str, mass: f64) -> Body {
    let inertia = Inertia::new(mass, Vec3::new(0.05, -0.03, 0.08), [0.02, 0.03, 0.025, 0.001, -0.002, 0.003]);
    Body::new(name, inertia)
}

/// A free base with a welded part; on it an arm of every kind, and one that hangs on the world.
fn creature() -> World {
    let axis = Vec3::new(1.0, 2.0, -0.5).normalize();
    let across = Vec3::new(2.0, -1.0, 0.0).normalize();
    let mut builder = ModelBuilder::new("creature");
    let base = builder.add_body(part("base", 3.0), Joint::new("free", JointKind::Free), None);
    let weld = Joint::new("weld", JointKind::Fixed).at(pose(Vec3::new(0.2, 0.1, 0.0), [0.3, 0.0, 1.0]));
    let welded = builder.add_body(part("welded", 1.0), weld, Some(base));
    let kinds = [
        ("hinge", JointKind::Revolute { axis }),
        ("slide", JointKind::Prismatic { axis: across }),
        ("ball", JointKind::Ball),
        ("plane", JointKind::Planar { x_axis: across, y_axis: axis.cross(&across).normalize() }),
        ("wheel", JointKind::Continuous { axis: across }),
    ];
    let mut parent = welded;
    for (name, kind) in kinds {
        let mut joint = Joint::new(name, kind).at(pose(Vec3::new(0.1, 0.2, -0.1), [0.5, -0.3, 0.2]));
        joint.child_from_joint = pose(Vec3::new(-0.05, 0.0, 0.1), [0.1, 0.2, -0.4]);
        parent = builder.add_body(part(&format!("on_{name}"), 1.0), joint, Some(parent));
    }
    let hung = Joint::new("hung", JointKind::Revolute { axis }).at(at(2.0, 0.0, 1.0));
    builder.add_body(part("pendulum", 2.0), hung, None);
    let mut world = World::with_model(builder.build().unwrap());
    world.placements[0].world_from_model = pose(Vec3::new(0.3, -0.2, 0.5), [0.2, 0.1, -0.3]);
    world.contact = false;
    world
}

fn state(world: &World) -> (Vec<f64>, Vec<f64>) {
    let q0 = world.placements[0].model.neutral_positions();
    let mut q: Vec<f64> = q0.iter().enumerate().map(|(i, x)| x + 0.3 * libm::sin(1.0 + i as f64)).collect();
    // Quaternions: those of the free and the ball joint.
    for at in [3, 9] {
        let norm = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[at..at + 4].iter_mut().for_each(|x| *x /= norm);
    }
    let nv = world.placements[0].model.dof_count();
    (q, (0..nv).map(|i| libm::cos(2.0 * i as f64)).collect())
}

/// An impulse joint constrains the velocities at a step's end at the poses of its beginning: velocities lag by a step.
/// Over this many steps the lag is half a percent of their change.
const STEPS: u64 = 200;

/// Change of velocity over the steps, divided by their time: ours (converged) and Rapier's.
fn accelerations(spec: &str, efforts: &[f64], wrenches: Vec<Wrench>) -> (Vec<f64>, Vec<f64>) {
    let step_s = 1e-5;
    let world = creature();
    let (q, v) = state(&world);
    let system = System::new(&world).unwrap();
    let mut ours = veracity_dynamics::SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    ours.set_state(0.0, &q, &v).unwrap();
    let until = STEPS as f64 * step_s;
    ours.advance_to(until, &mut ConstantEfforts(efforts.to_vec())).unwrap();
    let mut rapier = load(spec, &world, step_s).unwrap();
    let change = rapier.set_state(0.0, &q, &v).unwrap();
    // Poses there and back again: a few roundings of numbers of order one.
    assert!(change < 1e-14, "{spec}: taking the state changed it by {change:e}");
    let mut inputs = Inputs::none(v.len());
    inputs.efforts.copy_from_slice(efforts);
    inputs.wrenches = wrenches;
    advance(rapier.as_mut(), until, &inputs);
    let rate = |end: &[f64]| end.iter().zip(&v).map(|(a, b)| (a - b) / until).collect::<Vec<_>>();
    (rate(&ours.state().v), rate(rapier.v()))
}

fn differ(spec: &str, efforts: &[f64], wrenches: Vec<Wrench>) -> f64 {
    let (ours, rapiers) = accelerations(spec, efforts, wrenches);
    let scale = ours.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    ours.iter().zip(&rapiers).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale
}

/// Enough sweeps for Gauss-Seidel to converge, so that the remaining difference is not the solver's.
const SPECS: [&str; 2] = ["rapier:iters=1,pgs_iters=50,relax_iters=50", "rapier:multibody,iters=1"];

/// The lag of half a percent, of velocities that themselves change by some tens per second: a percent.
const ALLOWED: f64 = 1e-2;

#[test]
fn gravity_and_velocity_products_agree() {
    for spec in SPECS {
        let nv = creature().placements[0].model.dof_count();
        let off = differ(spec, &vec![0.0; nv], Vec::new());
        assert!(off < ALLOWED, "{spec}: {off:e}");
    }
}

#[test]
fn an_effort_along_each_degree_of_freedom_agrees() {
    let nv = creature().placements[0].model.dof_count();
    for spec in SPECS {
        for dof in 0..nv {
            let mut efforts = vec![0.0; nv];
            efforts[dof] = 5.0;
            let off = differ(spec, &efforts, Vec::new());
            assert!(off < ALLOWED, "{spec}: dof {dof}: {off:e}");
        }
    }
}

#[test]
fn a_force_on_a_free_body_is_its_own_effort() {
    // A force through the welded part's centre of mass against the same as efforts of the free joint alone.
    let world = creature();
    let (q, v) = state(&world);
    let mut simulation = load(SPECS[1], &world, 1e-5).unwrap();
    simulation.set_state(0.0, &q, &v).unwrap();
    let nv = v.len();
    let wrench = Wrench { body: 1, force: [1.0, 2.0, 3.0], torque: [0.3, 0.2, 0.1] };
    let (_, with) = accelerations(SPECS[1], &vec![0.0; nv], vec![wrench]);
    // Power is the same whichever way it is written: force · velocity = effort · v, for every v of the base.
    let layout = simulation.layout().clone();
    let still = scenes::nowhere();
    let mut efforts = vec![0.0; nv];
    for dof in 0..6 {
        let mut unit = vec![0.0; nv];
        unit[dof] = 1.0;
        simulation.set_state(0.0, &q, &unit).unwrap();
        let mut states = vec![still; layout.bodies.len()];
        simulation.bodies(&mut states);
        let state = &states[1];
        let com = state.world_from_body.rotation * part("welded", 1.0).inertia.com;
        let velocity = state.linear_velocity + state.angular_velocity.cross(&com);
        efforts[dof] =
            velocity.dot(&Vec3::from(wrench.force)) + state.angular_velocity.dot(&Vec3::from(wrench.torque));
    }
    let (ours, as_effort) = accelerations(SPECS[1], &efforts, Vec::new());
    for ((a, b), c) in with.iter().zip(&as_effort).zip(&ours) {
        assert!((a - b).abs() < ALLOWED * (1.0 + b.abs()), "{a} {b}");
        assert!((a - c).abs() < ALLOWED * ours.iter().fold(1.0, |m: f64, x| m.max(x.abs())), "{a} {c}");
    }
}
