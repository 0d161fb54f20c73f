//! Each force separately against its closed form: joint damping, spring, dry friction, rotor inertia, drag on bodies,
//! gravity scale, a spring between points, drives and their limits, and joints that follow others.

mod support;

use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::{ActuatorCommands, NoEfforts, SmoothSimulation, System};
use veracity_model::{
    Actuator, Body, Coupling, Dof, Drive, Inertia, Joint, JointId, JointKind, ModelBuilder, Pose, Spring, Vec3,
    VelocityRule,
};

/// The adaptive integrator accumulates its tolerance of 1e-12 over some hundred steps.
const EXACT: f64 = 1e-10;

/// A wheel of inertia 0.5 kg m² about z, with a joint changed as wanted, from q = 1 rad and v = 2 rad/s.
fn wheel(change: impl Fn(&mut Dof), integrator: &str, step_s: f64) -> SmoothSimulation {
    let mut builder = ModelBuilder::new("wheel");
    let body = Body::new("wheel", Inertia::new(1.0, Vec3::zeros(), [0.5, 0.5, 0.5, 0.0, 0.0, 0.0]));
    builder.add_body(body, Joint::new("axle", JointKind::revolute(Vec3::z())).each_dof(change), None);
    let system = System::from_model(&builder.build().unwrap(), Vec3::zeros()).unwrap();
    let mut s =
        SmoothSimulation::new(system, integrator, IntegratorSettings { step_s, ..Default::default() }).unwrap();
    s.set_state(0.0, &[1.0], &[2.0]).unwrap();
    s
}

#[test]
fn damping_decays_exponentially() {
    let mut s = wheel(|d| d.damping = 0.3, "dop853", 1e-3);
    s.advance_to(2.0, &mut NoEfforts).unwrap();
    assert!((s.state().v[0] - 2.0 * (-0.3 / 0.5 * 2.0f64).exp()).abs() < EXACT);
}

#[test]
fn a_joint_spring_with_a_rotor_swings_at_its_frequency() {
    let change = |d: &mut Dof| {
        d.stiffness = 8.0;
        d.spring_reference = 0.25;
        d.armature = 1.5;
    };
    let mut s = wheel(change, "dop853", 1e-3);
    let e0 = s.energy().total();
    s.advance_to(3.0, &mut NoEfforts).unwrap();
    // 8 N m/rad on 0.5 + 1.5 kg m²: 2 rad/s about the spring's rest.
    let w: f64 = 2.0;
    let expected = 0.25 + 0.75 * (w * 3.0).cos() + 2.0 / w * (w * 3.0).sin();
    assert!((s.state().q[0] - expected).abs() < EXACT, "{} {expected}", s.state().q[0]);
    assert!((s.energy().total() - e0).abs() < EXACT);
}

#[test]
fn dry_friction_stops_a_wheel_when_its_energy_is_spent() {
    let mut s = wheel(|d| d.friction = 0.4, "dop853", 1e-3);
    s.advance_to(1.0, &mut NoEfforts).unwrap();
    // Constant deceleration 0.8 rad/s²; smoothing at 1e-4 rad/s takes (1e-4 / 2)² off at most.
    assert!((s.state().v[0] - 1.2).abs() < 1e-8, "{}", s.state().v[0]);
    s.advance_to(5.0, &mut NoEfforts).unwrap();
    // It stood still after 2.5 s and 2.5 rad, and creeps below the smoothing speed.
    assert!(s.state().v[0].abs() < 1e-6 && (s.state().q[0] - 3.5).abs() < 1e-4, "{:?}", s.state());
}

#[test]
fn a_falling_body_with_drag_reaches_its_terminal_speed() {
    let mut builder = ModelBuilder::new("parachute");
    let mut body = Body::new("body", Inertia::solid_box(3.0, Vec3::new(0.1, 0.2, 0.3)));
    (body.linear_damping, body.angular_damping) = (0.7, 0.2);
    builder.add_body(body, Joint::new("free", JointKind::Free), None);
    let system = System::from_model(&builder.build().unwrap(), Vec3::new(0.0, 0.0, -9.81)).unwrap();
    let mut s = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    let q = s.state().q.clone();
    s.set_state(0.0, &q, &[0.0, 0.0, 4.0, 0.0, 0.0, 0.0]).unwrap();
    s.advance_to(2.0, &mut NoEfforts).unwrap();
    let speed = -9.81 / 0.7 * (1.0 - (-1.4f64).exp());
    assert!((s.state().v[5] - speed).abs() < EXACT);
    assert!((s.state().v[2] - 4.0 * (-0.4f64).exp()).abs() < EXACT);
}

#[test]
fn gravity_scale_lifts_half_the_weight_at_the_body_not_at_the_link() {
    // A fixed second body without weight, off the first one's centre: the pair must turn.
    let mut builder = ModelBuilder::new("pair");
    let heavy = Body::new("heavy", Inertia::solid_sphere(1.0, 0.1));
    let mut floating = Body::new("floating", Inertia::solid_sphere(1.0, 0.1));
    floating.gravity_scale = 0.0;
    let first = builder.add_body(heavy, Joint::new("free", JointKind::Free), None);
    builder.add_body(
        floating,
        Joint::new("weld", JointKind::Fixed).at(Pose::translation(1.0, 0.0, 0.0)),
        Some(first),
    );
    let system = System::from_model(&builder.build().unwrap(), Vec3::new(0.0, 0.0, -9.81)).unwrap();
    let mut s = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    let e0 = s.energy().total();
    s.advance_to(0.5, &mut NoEfforts).unwrap();
    // Half the weight on the whole mass: the common centre falls with g/2, whatever the rotation.
    let p = s.momentum().linear[2];
    assert!((p - -9.81 * 0.5).abs() < EXACT, "{p}");
    // One weight, half a metre from the common centre, rotates the pair.
    assert!(s.state().v[1].abs() > 1.0);
    assert!((s.energy().total() - e0).abs() < EXACT);
}

#[test]
fn a_spring_between_points_is_a_pendulum_that_stretches() {
    // Two masses on one line, tied by a spring: their distance swings with the reduced mass.
    let mut builder = ModelBuilder::new("tied");
    let slide =
        |name: &str, x: f64| Joint::new(name, JointKind::prismatic(Vec3::x())).at(Pose::translation(x, 0.0, 0.0));
    let a = builder.add_body(Body::new("a", Inertia::point_mass(1.0, Vec3::zeros())), slide("sa", 0.0), None);
    let b = builder.add_body(Body::new("b", Inertia::point_mass(3.0, Vec3::zeros())), slide("sb", 2.0), None);
    builder.add_spring(Spring {
        name: "spring".into(),
        body_a: Some(a),
        body_b: Some(b),
        point_a: Vec3::zeros(),
        point_b: Vec3::zeros(),
        stiffness: 12.0,
        damping: 0.0,
        rest_length: 1.5,
        source: None,
    });
    let system = System::from_model(&builder.build().unwrap(), Vec3::zeros()).unwrap();
    let mut s = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
    s.advance_to(1.3, &mut NoEfforts).unwrap();
    // 12 N/m on 3/4 kg: 4 rad/s.
    let length = 2.0 + s.state().q[1] - s.state().q[0];
    assert!((length - (1.5 + 0.5 * (4.0 * 1.3f64).cos())).abs() < EXACT);
    assert!(s.momentum().linear[0].abs() < EXACT);
}

#[test]
fn limits_act_in_their_order() {
    let mut motor = Actuator::effort("motor", JointId(0));
    motor.effort_range = [-3.0, 3.0];
    motor.velocity_limit = 2.0;
    motor.velocity_rule = VelocityRule::CutPushing;
    assert_eq!(motor.effort_at(10.0, 0.0, 1.9), 3.0);
    assert_eq!(motor.effort_at(10.0, 0.0, 2.1), 0.0);
    // Braking is always allowed.
    assert_eq!(motor.effort_at(-10.0, 0.0, 2.1), -3.0);
    motor.velocity_rule = VelocityRule::TorqueSpeedLine;
    assert_eq!(motor.effort_at(10.0, 0.0, 1.0), 1.5);
    assert_eq!(motor.effort_at(-10.0, 0.0, 1.0), -3.0);
    assert_eq!(motor.effort_at(10.0, 0.0, 5.0), 0.0);
    motor.velocity_rule = VelocityRule::Ignore;
    motor.drive = Drive::Position { kp: 2.0, kd: 0.5 };
    assert_eq!(motor.effort_at(1.0, 0.25, 1.0), 1.0);
}

#[test]
fn gains_that_break_an_explicit_step_are_stable_in_the_implicit_one() {
    // kd h / I = 40: semi-implicit Euler needs less than 2.
    let system = || {
        let mut builder = ModelBuilder::new("servo");
        let body = Body::new("arm", Inertia::new(1.0, Vec3::zeros(), [0.5, 0.5, 0.5, 0.0, 0.0, 0.0]));
        builder.add_body(body, Joint::new("axle", JointKind::revolute(Vec3::z())), None);
        let mut servo = Actuator::effort("servo", JointId(0));
        servo.drive = Drive::Position { kp: 1e6, kd: 2e4 };
        builder.add_actuator(servo);
        System::from_model(&builder.build().unwrap(), Vec3::zeros()).unwrap()
    };
    let run = |integrator: &str| {
        let mut s = SmoothSimulation::new(system(), integrator, IntegratorSettings::default()).unwrap();
        let outcome = s.advance_to(0.2, &mut ActuatorCommands(vec![0.3]));
        outcome.map(|()| s.state().q[0])
    };
    let implicit = run("implicit").unwrap();
    // kp/kd = 50/s: exp(-10) is left of the way, and order 1 at h·50 = 0.05 changes that by a few tenths.
    assert!((implicit - 0.3).abs() < 1e-4, "{implicit}");
    assert!(run("euler").map_or(true, |q| (q - 0.3).abs() > 1.0 || q.is_nan()));
}

#[test]
fn a_follower_moves_with_its_leader_and_adds_its_inertia() {
    // q2 = 0.1 + 2 q1: the effective inertia of the leader is I1 + 4 I2.
    let mut builder = ModelBuilder::new("gears");
    let disc = |name: &str, i: f64| Body::new(name, Inertia::new(1.0, Vec3::zeros(), [i, i, i, 0.0, 0.0, 0.0]));
    let axle = |name: &str| Joint::new(name, JointKind::revolute(Vec3::z()));
    builder.add_body(disc("one", 0.5), axle("j1"), None);
    builder.add_body(disc("two", 0.25), axle("j2"), None);
    builder.add_coupling(Coupling {
        name: "gear".into(),
        follower: JointId(1),
        leader: Some(JointId(0)),
        coefficients: vec![0.1, 2.0],
        shared_motor: false,
        source: None,
    });
    let system = System::from_model(&builder.build().unwrap(), Vec3::zeros()).unwrap();
    for entry in veracity_dynamics::integrate::INTEGRATORS {
        let mut s = SmoothSimulation::new(system.clone(), entry.name, IntegratorSettings::default()).unwrap();
        s.set_state(0.0, &[0.0, 0.1], &[0.0, 0.0]).unwrap();
        let mut push = |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| tau[0] += 3.0;
        s.advance_to(1.0, &mut push).unwrap();
        let state = s.state();
        // 3 N m on 0.5 + 4·0.25 kg m²: 2 rad/s². Constant acceleration: every method has the speed exact.
        assert!((state.v[0] - 2.0).abs() < EXACT && (state.v[1] - 4.0).abs() < EXACT, "{}: {state:?}", entry.name);
        assert!((state.q[1] - 0.1 - 2.0 * state.q[0]).abs() < 1e-14, "{}", entry.name);
    }
}
