//! The conformance suite over MuJoCo's specs, through its worker.

#[path = "../../../worker/tests/conforming/mod.rs"]
mod conforming;

use conforming::{conforms, crosscheck, engine, repeats};

const SOFT: &[(&str, &str)] = &[
    ("contact-bounce", "there is no coefficient of restitution, and the ball sinks in"),
    ("contact-friction", "bodies held by soft friction creep"),
    ("limit-held", "limits are soft: the sled exceeds its limit by millimetres"),
];

#[test]
fn as_it_comes() {
    conforms("mujoco", SOFT);
}

#[test]
fn implicit_with_elliptic_cones() {
    conforms("mujoco:implicitfast,elliptic", SOFT);
}

#[test]
fn runge_kutta() {
    conforms("mujoco:rk4", SOFT);
}

/// Constraints as stiff as the step allows, friction a hundred times stiffer: only the bounce is unsupported.
#[test]
fn stiff() {
    conforms("mujoco:elliptic,impratio=100,solref_time_s=0.002,solimp_min=0.99,solimp_max=0.999", &SOFT[..1]);
}

#[test]
fn euler_is_the_map_that_all_know() {
    let summary = crosscheck::is_semi_implicit_euler(&engine(), "mujoco");
    println!("ACCEPT agree-euler-mujoco: {summary}");
}

#[test]
fn runge_kutta_is_of_order_four() {
    let (angle, energy) = crosscheck::pendulum_errors(&engine(), "mujoco:rk4");
    // Order 4 at a millisecond: other integrators reach 1e-11; a first-order map is 2e-3 off.
    assert!(angle.abs() < 1e-9 && energy.abs() < 1e-10, "{angle} rad, {energy} m g l");
}

#[test]
fn two_runs_are_one() {
    for spec in ["mujoco", "mujoco:implicitfast"] {
        println!("ACCEPT repeat-mujoco: {}", repeats(spec));
    }
}
