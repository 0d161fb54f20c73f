//! The residual can fail: laws are broken one at a time, and the residual detects each.

use veracity_lcp::fixtures::scenes;
use veracity_lcp::{Cone, Law, Operator, Options, Problem, measure, solver};

const TOLERANCE: f64 = 1e-10;

/// Solves under `laws` and measures under Coulomb's with 0.5.
fn residual(solved_with: &str, laws: &[Law], bend: impl Fn(&mut [f64])) -> f64 {
    let slope = scenes::slope(0.6, 0.7, 0.2, [0.5; 2], 0.3);
    let problem = Problem { operator: &slope.operator, b: &slope.b, laws, cone: Cone::Exact };
    let mut lambda = vec![0.0; 3];
    (solver(solved_with).expect("in the list").make)().solve(&problem, &Options::default(), &mut lambda);
    bend(&mut lambda);
    let mut u = vec![0.0; slope.operator.running_len()];
    slope.operator.running(&lambda, &mut u);
    let mut block = [0.0; 9];
    slope.operator.diagonal(0, 3, &mut block);
    measure(&Problem { laws: &slope.laws, ..problem }, &[block[0], block[4], block[8]], &u, &lambda).residual
}

const COULOMB: [Law; 1] = [Law::Friction { mu: [0.5, 0.5] }];

#[test]
fn coulombs_law_passes() {
    assert!(residual("nsgs", &COULOMB, |_| {}) < TOLERANCE);
}

#[test]
fn one_per_cent_of_friction_is_detected() {
    for mu in [0.505, 0.495] {
        assert!(residual("nsgs", &[Law::Friction { mu: [mu, mu] }], |_| {}) > 1e3 * TOLERANCE);
    }
}

#[test]
fn friction_along_the_sliding_is_detected() {
    assert!(residual("nsgs", &COULOMB, |x| x[1] = -x[1]) > 1e3 * TOLERANCE);
}

#[test]
fn friction_rotated_by_a_degree_is_detected() {
    let (s, c) = 1f64.to_radians().sin_cos();
    let turn = |x: &mut [f64]| (x[1], x[2]) = (c * x[1] - s * x[2], s * x[1] + c * x[2]);
    assert!(residual("nsgs", &COULOMB, turn) > 1e3 * TOLERANCE);
}

#[test]
fn the_law_without_de_saxces_term_is_detected() {
    // Without it, the flow is associated: what the relaxation solves.
    assert!(residual("apgd", &COULOMB, |_| {}) > 1e3 * TOLERANCE);
}

#[test]
fn a_normal_impulse_that_pulls_or_pushes_too_much_is_detected() {
    assert!(residual("nsgs", &COULOMB, |x| x[0] = -x[0]) > 1e3 * TOLERANCE);
    assert!(residual("nsgs", &COULOMB, |x| x[0] *= 1.0001) > 1e3 * TOLERANCE);
}
