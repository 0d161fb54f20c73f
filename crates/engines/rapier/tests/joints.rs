//! Constraints, limits, friction and drives of joints.

mod scenes;
use scenes::*;
use veracity_engine::{Inputs, JointDrive, Simulation};
use veracity_model::coupling::{Coupling, LoopJoint, LoopKind};
use veracity_model::geometry::at;
use veracity_model::{Body, Dof, Inertia, Joint, JointKind, ModelBuilder, Pose, Spring, Vec3, World};

const BOTH: [&str; 2] = ["rapier:iters=20", "rapier:multibody"];

fn weightless(builder: ModelBuilder) -> World {
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = Vec3::zeros();
    world
}

/// A 2 kg slider along x with a changed degree of freedom, no gravity.
fn slider(change: impl Fn(&mut Dof)) -> World {
    let mut builder = ModelBuilder::new("slider");
    let body = Body::new("cart", Inertia::solid_box(2.0, Vec3::repeat(0.1)));
    builder.add_body(body, Joint::new("rail", JointKind::prismatic(Vec3::x())).each_dof(change), None);
    weightless(builder)
}

/// The pendulum's bob on a hinge with a changed degree of freedom, no gravity.
fn swing(change: impl Fn(&mut Dof)) -> World {
    weightless(pendulum_model(hinge().each_dof(change)))
}

fn run(spec: &str, world: &World, q: f64, v: f64, until: f64) -> (f64, f64) {
    let mut simulation = load(spec, world, 1e-3).unwrap();
    simulation.set_state(0.0, &[q], &[v]).unwrap();
    coast(simulation.as_mut(), until);
    (simulation.q()[0], simulation.v()[0])
}

#[test]
fn limits_hold_sliders_and_hinges() {
    for spec in BOTH {
        for world in [slider(|d| (d.lower, d.upper) = (-0.5, 0.3)), swing(|d| (d.lower, d.upper) = (-0.5, 0.3))] {
            let (q, v) = run(spec, &world, 0.0, 1.0, 2.0);
            // Rapier's limits stop the joint without rebound; 1 ms at 1/s lies beyond.
            assert!((q - 0.3).abs() < 2e-3 && v.abs() < 1e-2, "{spec}: {q} {v}");
        }
        let (free, _) = run(spec, &slider(|_| ()), 0.0, 1.0, 2.0);
        assert!((free - 2.0).abs() < 1e-9);
    }
}

#[test]
fn a_multibody_limits_beyond_a_turn() {
    let world = swing(|d| (d.lower, d.upper) = (-1.0, 8.0));
    let (q, v) = run("rapier:multibody", &world, 0.0, 5.0, 3.0);
    assert!((q - 8.0).abs() < 1e-2 && v.abs() < 1e-2, "{q} {v}");
}

#[test]
fn a_start_that_an_impulse_joint_would_miscount_is_refused() {
    let world = swing(|d| (d.lower, d.upper) = (-0.5, 0.5));
    let mut simulation = load("rapier", &world, 1e-3).unwrap();
    let error = simulation.set_state(0.0, &[6.4], &[0.0]).unwrap_err().to_string();
    assert!(error.contains("lose count"), "{error}");
}

#[test]
fn dry_friction_and_rotor_inertia_act_in_a_multibody() {
    // 3 N on 2 kg from 1 m/s: stops after 2/3 s at 1/3 m and stays.
    let (q, v) = run("rapier:multibody", &slider(|d| d.friction = 3.0), 0.0, 1.0, 2.0);
    assert!((q - 1.0 / 3.0).abs() < 1e-3 && v.abs() < 1e-6, "{q} {v}");
    let world = slider(|d| d.armature = 3.0);
    let mut simulation = load("rapier:multibody", &world, 1e-3).unwrap();
    let mut inputs = Inputs::none(1);
    inputs.efforts[0] = 10.0;
    advance(simulation.as_mut(), 1.0, &inputs);
    // 10 N on 2 + 3 kg; sums of equal increments.
    assert!((simulation.v()[0] - 2.0).abs() < 1e-9, "{}", simulation.v()[0]);
}

#[test]
fn springs_and_dampers_of_joints_follow_the_model_to_first_order() {
    let world = swing(|d| (d.stiffness, d.damping, d.spring_reference) = (50.0, 2.0, 0.5));
    let (q, v) = true_motion(PENDULUM_MOMENT, 0.0, 0.0, 1.0, |q, v| -50.0 * (q - 0.5) - 2.0 * v);
    for spec in BOTH {
        let (a, b) = run(spec, &world, 0.0, 0.0, 1.0);
        // Of first order: h k/I = 0.05 1/s of damping too much or too little over 1 s, on half a radian and 3.5 rad/s.
        assert!((a - q).abs() < 0.02 && (b - v).abs() < 0.15, "{spec}: {a} {q} {b} {v}");
    }
}

#[test]
fn drives_bring_a_multibody_to_their_target_and_are_bounded() {
    let drive =
        JointDrive { dof: 0, kp: 1e4, kd: 2e2, target: 7.0, target_speed: 0.0, feed_forward: 0.0, max_effort: 20.0 };
    let mut simulation = load("rapier:multibody", &swing(|_| ()), 1e-3).unwrap();
    let mut inputs = Inputs::none(1);
    inputs.drives.push(drive);
    advance(simulation.as_mut(), 0.1, &inputs);
    // At the bound: 20 N m on I; a hundredth for the bound of each substep.
    let speed = 20.0 / PENDULUM_MOMENT * 0.1;
    assert!((simulation.v()[0] / speed - 1.0).abs() < 1e-2, "{}", simulation.v()[0]);
    inputs.drives[0].max_effort = f64::INFINITY;
    advance(simulation.as_mut(), 3.0, &inputs);
    // More than a turn away, and reached: kd/kp = 20 ms, so no distance is left.
    assert!((simulation.q()[0] - 7.0).abs() < 1e-6, "{}", simulation.q()[0]);
    // A removed drive no longer acts.
    inputs.drives.clear();
    inputs.efforts[0] = 1.0;
    advance(simulation.as_mut(), 4.0, &inputs);
    assert!((simulation.v()[0] - 1.0 / PENDULUM_MOMENT).abs() < 1e-3, "{}", simulation.v()[0]);
}

#[test]
fn a_drive_of_an_impulse_joint_counts_turns() {
    for spec in ["rapier:pgs_iters=50", "rapier:drives=explicit"] {
        let mut simulation = load(spec, &swing(|_| ()), 1e-3).unwrap();
        let mut inputs = Inputs::none(1);
        let (kp, kd, max_effort) = (10.0, 7.0, f64::INFINITY);
        inputs.drives.push(JointDrive {
            dof: 0,
            kp,
            kd,
            target: 10.0,
            target_speed: 0.0,
            feed_forward: 2.0,
            max_effort,
        });
        advance(simulation.as_mut(), 20.0, &inputs);
        // At rest where 10 (10 - q) + 2 = 0, a turn and a half away; the nearest angle of that direction is 3.9.
        assert!((simulation.q()[0] - 10.2).abs() < 1e-3, "{spec}: {}", simulation.q()[0]);
    }
}

#[test]
fn a_loop_stays_closed() {
    // Two hinged links of 1 m whose tips are held together by a ball joint: a frame in the shape of an A.
    let mut builder = ModelBuilder::new("frame");
    let link = |name: &str| {
        let mut inertia = Inertia::solid_box(1.0, Vec3::new(0.1, 0.1, 1.0));
        inertia.com = Vec3::new(0.0, 0.0, 0.5);
        Body::new(name, inertia)
    };
    let hinge = |name: &str, x: f64| Joint::new(name, JointKind::revolute(Vec3::y())).at(at(x, 0.0, 0.0));
    let a = builder.add_body(link("a"), hinge("left", -0.5), None);
    let b = builder.add_body(link("b"), hinge("right", 0.5), None);
    let tip = at(0.0, 0.0, 1.0);
    let kind = LoopKind::Ball;
    let (body_a, body_b, source) = (Some(a), Some(b), None);
    builder.add_loop(LoopJoint {
        name: "tip".into(),
        kind,
        body_a,
        body_b,
        a_from_frame: tip,
        b_from_frame: tip,
        source,
    });
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = false;
    let lean = std::f64::consts::FRAC_PI_6;
    for spec in BOTH {
        let mut simulation = load(spec, &world, 1e-3).unwrap();
        simulation.set_state(0.0, &[lean, -lean], &[0.0, 0.0]).unwrap();
        coast(simulation.as_mut(), 2.0);
        let apart = tips_apart(simulation.as_mut(), &tip);
        // A frame of three hinges is rigid: it stands. Without the loop both links would have fallen.
        assert!(apart < 1e-4 && (simulation.q()[0] - lean).abs() < 1e-4, "{spec}: {apart:e} {:?}", simulation.q());
    }
}

fn tips_apart(simulation: &mut dyn Simulation, tip: &Pose) -> f64 {
    let mut states = [nowhere(), nowhere()];
    simulation.bodies(&mut states);
    let [a, b] = states.map(|s| (s.world_from_body * tip).translation.vector);
    (a - b).norm()
}

#[test]
fn a_multibody_couples_two_joints_of_one_tree_along_a_line() {
    let mut builder = ModelBuilder::new("gear");
    let cart = |name: &str| Body::new(name, Inertia::solid_box(1.0, Vec3::repeat(0.1)));
    let slide = |name: &str, axis: Vec3| Joint::new(name, JointKind::prismatic(axis));
    let a = builder.add_body(cart("a"), slide("first", Vec3::x()), None);
    builder.add_body(cart("b"), slide("second", Vec3::y()), Some(a));
    let joint = |name: &str| builder.so_far().joint_named(name).unwrap();
    let (leader, follower) = (Some(joint("first")), joint("second"));
    let coefficients = vec![0.1, -2.0];
    builder.add_coupling(Coupling {
        name: "gear".into(),
        follower,
        leader,
        coefficients,
        shared_motor: false,
        source: None,
    });
    let world = weightless(builder);
    let mut simulation = load("rapier:multibody", &world, 1e-3).unwrap();
    simulation.set_state(0.0, &[0.0, 0.1], &[0.0, 0.0]).unwrap();
    let mut inputs = Inputs::none(2);
    inputs.efforts[0] = 6.0;
    advance(simulation.as_mut(), 1.0, &inputs);
    // 2 kg along x and 1 kg at twice the speed along y: 6 N on 2 + 4 kg.
    let [v0, v1] = [simulation.v()[0], simulation.v()[1]];
    assert!((v0 - 1.0).abs() < 1e-2 && (v1 + 2.0 * v0).abs() < 1e-3, "{v0} {v1}");
    assert!((simulation.q()[1] - 0.1 + 2.0 * simulation.q()[0]).abs() < 1e-3);
}

#[test]
fn a_spring_between_points_swings_at_its_frequency() {
    let mut builder = ModelBuilder::new("spring");
    let bob = builder.add_body(
        Body::new("bob", Inertia::solid_sphere(1.0, 0.1)),
        Joint::new("free", JointKind::Free),
        None,
    );
    let (stiffness, rest_length) = (100.0, 0.5);
    let (body_a, body_b, source) = (None, Some(bob), None);
    let (point_a, point_b) = (Vec3::zeros(), Vec3::zeros());
    builder.add_spring(Spring {
        name: "s".into(),
        body_a,
        body_b,
        point_a,
        point_b,
        stiffness,
        damping: 0.0,
        rest_length,
        source,
    });
    let world = weightless(builder);
    let mut simulation = load("rapier:iters=20", &world, 1e-3).unwrap();
    simulation.set_state(0.0, &[0.6, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0; 6]).unwrap();
    coast(simulation.as_mut(), 1.0);
    // x = 0.5 + 0.1 cos(10 t); Rapier's substep of 50 µs damps by ω² t h / 2 = 0.25 % over this second.
    let expected = 0.5 + 0.1 * libm::cos(10.0);
    assert!((simulation.q()[0] - expected).abs() < 1e-3, "{} {expected}", simulation.q()[0]);
}
