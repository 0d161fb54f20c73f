//! Forces through joints and accelerations of bodies against closed forms and difference quotients.

mod support;

use support::{G, advance_under, bodies, load, pendulum, smooth};
use veracity_engine::{Inputs, Wrench};
use veracity_model::geometry::{at, pose};
use veracity_model::{Body, Inertia, Joint, JointKind, LoopJoint, LoopKind, ModelBuilder, Spring, Vec3, World};

/// Rounding error of sums of a handful of terms of at most 100 N.
const ROUNDING: f64 = 1e-12;

fn reactions(world: &World, q: &[f64], v: &[f64], inputs: &Inputs) -> Vec<(Vec3, Vec3)> {
    let mut simulation = load(world, "native", 1e-3);
    simulation.set_state(0.0, q, v).unwrap();
    let mut out = vec![([0.0; 3], [0.0; 3]); simulation.layout().joints.len()];
    assert!(simulation.reactions(inputs, &mut out));
    out.into_iter().map(|(force, torque)| (force.into(), torque.into())).collect()
}

#[test]
fn the_rod_of_a_pendulum_carries_weight_and_swing() {
    let (m, l) = (2.0, 1.5);
    for (q, v) in [(0.0, 0.0), (0.4, 1.2), (2.0, -3.0)] {
        let found = reactions(&pendulum(m, l), &[q], &[v], &Inputs::none(1))[0];
        // q is measured from level: the angle from hanging is q - π/2.
        let (sin, cos) = libm::sincos(q);
        let along = Vec3::new(cos, 0.0, -sin);
        let tension = m * (G * sin + l * v * v);
        assert!((found.0 - along * -tension).norm() < 10.0 * ROUNDING, "{found:?}, {tension}");
        assert!(found.1.norm() < 10.0 * ROUNDING, "a hinge passes no torque to a point mass");
    }
}

#[test]
fn a_motor_held_still_passes_its_torque_through_the_hinge() {
    let (m, l) = (2.0, 1.5);
    let mut inputs = Inputs::none(1);
    // q grows downwards, so the holding effort is negative.
    inputs.efforts[0] = -m * G * l;
    let found = reactions(&pendulum(m, l), &[0.0], &[0.0], &inputs)[0];
    assert!((found.0 - Vec3::new(0.0, 0.0, m * G)).norm() < 10.0 * ROUNDING, "{found:?}");
    assert!((found.1 - Vec3::new(0.0, -m * G * l, 0.0)).norm() < 10.0 * ROUNDING, "{found:?}");
}

#[test]
fn a_fixed_joint_carries_what_is_welded_on_by_it() {
    let mut builder = ModelBuilder::new("mast");
    let mast = builder.add_body(
        Body::new("mast", Inertia::solid_box(3.0, Vec3::new(0.1, 0.1, 1.0))),
        Joint::new("foot", JointKind::Fixed),
        None,
    );
    let arm = Joint::new("arm", JointKind::Fixed).at(at(0.0, 0.0, 0.5));
    builder.add_body(Body::new("lamp", Inertia::point_mass(2.0, Vec3::x() * 0.4)), arm, Some(mast));
    let mut inputs = Inputs::none(0);
    inputs.wrenches.push(Wrench { body: 1, force: [0.0, 5.0, 0.0], torque: [0.0; 3] });
    let found = reactions(&smooth(builder), &[], &[], &inputs);
    assert!((found[1].0 - Vec3::new(0.0, -5.0, 2.0 * G)).norm() < ROUNDING, "{found:?}");
    // The weight at 0.4 m along x turns about y; the push there turns about z.
    assert!((found[1].1 - Vec3::new(0.0, -0.8 * G, -2.0)).norm() < ROUNDING, "{found:?}");
    assert!((found[0].0 - Vec3::new(0.0, -5.0, 5.0 * G)).norm() < ROUNDING, "{found:?}");
    assert!((found[0].1 - Vec3::new(2.5, -0.8 * G, -2.0)).norm() < ROUNDING, "{found:?}");
}

/// A beam hinged at one end and suspended by a rod or a spring at the other.
fn beam(hang: impl Fn(&mut ModelBuilder, veracity_model::BodyId)) -> World {
    let mut builder = ModelBuilder::new("beam");
    let mut inertia = Inertia::solid_box(4.0, Vec3::new(2.0, 0.1, 0.1));
    inertia.com = Vec3::x();
    let body = Body::new("beam", inertia);
    let id = builder.add_body(body, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    hang(&mut builder, id);
    smooth(builder)
}

#[test]
fn a_loop_takes_its_half_of_a_beam() {
    let world = beam(|builder, beam| {
        builder.add_loop(LoopJoint {
            name: "rod".to_string(),
            kind: LoopKind::Distance { length: 1.0 },
            body_a: Some(beam),
            body_b: None,
            a_from_frame: at(2.0, 0.0, 0.0),
            b_from_frame: at(2.0, 0.0, 1.0),
            source: None,
        });
    });
    let found = reactions(&world, &[0.0], &[0.0], &Inputs::none(1))[0];
    assert!((found.0 - Vec3::new(0.0, 0.0, 2.0 * G)).norm() < 10.0 * ROUNDING, "{found:?}");
    assert!(found.1.norm() < 10.0 * ROUNDING, "{found:?}");
}

#[test]
fn a_spring_takes_its_pull_of_a_beam() {
    let world = beam(|builder, beam| {
        builder.add_spring(Spring {
            name: "spring".to_string(),
            body_a: Some(beam),
            body_b: None,
            point_a: Vec3::x() * 2.0,
            point_b: Vec3::new(2.0, 0.0, 1.0),
            stiffness: 2.0 * G / 0.5,
            damping: 0.0,
            rest_length: 0.5,
            source: None,
        });
    });
    // Pulls with half the weight at twice the lever arm: nothing moves.
    let found = reactions(&world, &[0.0], &[0.0], &Inputs::none(1))[0];
    assert!((found.0 - Vec3::new(0.0, 0.0, 2.0 * G)).norm() < 10.0 * ROUNDING, "{found:?}");
    assert!(found.1.norm() < 10.0 * ROUNDING, "{found:?}");
}

#[test]
fn four_bars_at_speed_balance_what_moves_in_them() {
    // Three moving bars closed to the ground by a hinge: what the ground exerts (hinge of the first bar, and the loop,
    // computed as the remainder) must equal mass times acceleration of all, for force and moment alike. The loop's
    // force on the last bar is the reaction that the same motion requires of a tree joint in its place.
    let mut builder = ModelBuilder::new("four-bar");
    let bar = |name: &str| {
        let mut inertia = Inertia::solid_box(1.0, Vec3::new(1.0, 0.05, 0.05));
        inertia.com = Vec3::x() * 0.5;
        Body::new(name, inertia)
    };
    let hinge = |name: &str| Joint::new(name, JointKind::revolute(Vec3::y()));
    let crank = builder.add_body(bar("crank"), hinge("a"), None);
    let coupler = builder.add_body(bar("coupler"), hinge("b").at(at(1.0, 0.0, 0.0)), Some(crank));
    let rocker = builder.add_body(bar("rocker"), hinge("c").at(at(1.0, 0.0, 0.0)), Some(coupler));
    builder.add_loop(LoopJoint {
        name: "d".to_string(),
        kind: LoopKind::Ball,
        body_a: Some(rocker),
        body_b: None,
        a_from_frame: at(1.0, 0.0, 0.0),
        b_from_frame: at(1.2, 0.0, 0.0),
        source: None,
    });
    let world = smooth(builder);
    let mut simulation = load(&world, "native:dop853", 1e-3);
    // With all joints at zero the loop is open: nothing moves before a state is set.
    let refused = simulation.step(&Inputs::none(3), 1e-3).unwrap_err().to_string();
    assert!(refused.contains("no start state was set") && refused.contains("violates the closed loops"), "{refused}");
    // An upright trapezium: up, level, down, with the ground 1.2 m long.
    let lean = libm::acos(-0.1);
    simulation.set_state(0.0, &[-lean, lean, lean], &[1.0, 0.0, 0.0]).unwrap();
    let inputs = Inputs::none(3);
    advance_under(simulation.as_mut(), 0.1, &inputs);
    let mut through = vec![([0.0; 3], [0.0; 3]); 3];
    let mut moved = through.clone();
    assert!(simulation.reactions(&inputs, &mut through) && simulation.accelerations(&inputs, &mut moved));
    let states = bodies(simulation.as_mut());
    // Newton for each bar separately: joint above, joint below, weight; the last bar gives the loop's force.
    let force = |i: usize| Vec3::from(through[i].0);
    let centre_force = |i: usize| {
        let (alpha, a) = (Vec3::from(moved[i].0), Vec3::from(moved[i].1));
        let (w, r) = (states[i].angular_velocity, states[i].world_from_body.rotation * (Vec3::x() * 0.5));
        a + alpha.cross(&r) + w.cross(&w.cross(&r)) + Vec3::z() * G
    };
    for i in 0..2 {
        let left = force(i) - force(i + 1) - centre_force(i);
        assert!(left.norm() < 1e-10, "bar {i}: {left:?}");
    }
    // Euler for the last bar about its own centre: both forces, and no torque in its hinge except out of plane.
    let on_loop = centre_force(2) - force(2);
    let r = states[2].world_from_body.rotation * (Vec3::x() * 0.5);
    let moment = (-r).cross(&force(2)) + r.cross(&on_loop) + Vec3::from(through[2].1);
    let expected = 1.0 / 12.0 * (1.0 + 0.05 * 0.05) * moved[2].0[1];
    assert!((moment.y - expected).abs() < 1e-10, "{} {expected}", moment.y);
    assert!(on_loop.norm() > 1.0 && Vec3::from(through[2].1).y.abs() < 1e-10);
}

#[test]
fn accelerations_are_the_slope_of_velocities() {
    let mut builder = ModelBuilder::new("chain");
    let body = |name: &str| {
        let inertia = Inertia::new(1.0, Vec3::new(0.1, -0.2, 0.3), [0.05, 0.06, 0.04, 0.01, 0.0, -0.01]);
        Body::new(name, inertia)
    };
    let a = builder.add_body(body("a"), Joint::new("ball", JointKind::Ball).at(at(0.0, 0.0, 3.0)), None);
    let bent = pose(Vec3::new(0.2, 0.1, -0.4), [0.3, -0.2, 0.5]);
    let b = builder.add_body(body("b"), Joint::new("hinge", JointKind::revolute(Vec3::y())).at(bent), Some(a));
    let slide = Joint::new("slide", JointKind::prismatic(Vec3::new(1.0, 1.0, 0.0))).at(bent);
    builder.add_body(body("c"), slide, Some(b));
    let world = smooth(builder);
    let mut simulation = load(&world, "native:dop853", 1e-3);
    let (q, v) = ([0.8, 0.0, 0.6, 0.0, 0.3, 0.1], [0.4, -0.7, 0.9, 1.1, 0.5]);
    let mut inputs = Inputs::none(5);
    inputs.efforts[3] = 0.7;
    inputs.wrenches.push(Wrench { body: 2, force: [1.0, -0.5, 0.2], torque: [0.1, 0.0, 0.3] });
    let (t, d) = (0.2, 1e-4);
    let mut at_time = |time: f64| {
        simulation.set_state(0.0, &q, &v).unwrap();
        advance_under(simulation.as_mut(), time, &inputs);
        bodies(simulation.as_mut())
    };
    let (before, after) = (at_time(t - d), at_time(t + d));
    at_time(t);
    let mut found = vec![([0.0; 3], [0.0; 3]); 3];
    assert!(simulation.accelerations(&inputs, &mut found));
    for (i, (angular, linear)) in found.iter().enumerate() {
        let slope = |a: Vec3, b: Vec3| (b - a) / (2.0 * d);
        let spin = slope(before[i].angular_velocity, after[i].angular_velocity) - Vec3::from(*angular);
        let speed = slope(before[i].linear_velocity, after[i].linear_velocity) - Vec3::from(*linear);
        // The quotient is off by d² times the third derivative (about 1e3) over six, and by 1e-13 over d.
        assert!(spin.norm() < 1e-5 && speed.norm() < 1e-5, "body {i}: {spin:?} {speed:?}");
    }
}
