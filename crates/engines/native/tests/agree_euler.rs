//! Our semi-implicit Euler is the same map as that of foreign engines with this integrator: same expected numbers as in
//! their tests.

#[path = "../../../worker/tests/crosscheck/mod.rs"]
mod crosscheck;

use veracity_engine_native::ENGINE;

#[test]
fn a_step_is_the_map_that_all_know() {
    let told = crosscheck::is_semi_implicit_euler(&ENGINE, "native:integrator=euler");
    println!("ACCEPT agree-euler-native: {told}");
}

/// The check can fail: another integrator with the same step has other errors.
#[test]
fn another_map_is_told_apart() {
    let (angle, energy) = crosscheck::pendulum_errors(&ENGINE, "native:integrator=midpoint");
    assert!((angle - -2.170e-3).abs() > 1e-3 && (energy - -6.005e-4).abs() > 1e-4, "{angle} rad, {energy} m g l");
}
