//! Solutions compared with theory.

use std::f64::consts::PI;
use veracity_lcp::fixtures::bodies::Stepped;
use veracity_lcp::fixtures::scenes;
use veracity_lcp::{Cone, Dense, Law, Operator, Options, Problem, SOLVERS, SolverEntry};

/// Velocities after the step, by rows.
fn solve(entry: &SolverEntry, stepped: &Stepped, cone: Cone) -> (Vec<f64>, Vec<f64>) {
    let problem = Problem { operator: &stepped.operator, b: &stepped.b, laws: &stepped.laws, cone };
    let options = Options { tolerance: 1e-13, iterations: 20_000, ..Options::default() };
    let mut lambda = vec![0.0; stepped.b.len()];
    (entry.make)().solve(&problem, &options, &mut lambda);
    let mut u = vec![0.0; stepped.operator.running_len()];
    let mut w = vec![0.0; lambda.len()];
    stepped.operator.multiply(&lambda, &mut u, &mut w);
    w.iter_mut().zip(&stepped.b).for_each(|(w, b)| *w += b);
    (lambda, w)
}

/// Solvers of Coulomb's law itself: all that support the exact cone, except the relaxation.
fn exact() -> impl Iterator<Item = &'static SolverEntry> {
    let law = Law::Friction { mu: [0.5, 0.5] };
    SOLVERS.iter().filter(move |entry| entry.name != "apgd" && (entry.refuses)(&law, Cone::Exact).is_none())
}

#[test]
fn a_block_sticks_below_the_slip_angle_and_slides_above_in_every_direction() {
    let (mu, g, h) = (0.5, 9.81, 1e-3);
    for entry in exact() {
        for k in 0..24 {
            let heading = f64::from(k) * PI / 12.0;
            // A ten-thousandth of the slope each side: 0.005 degree at this angle.
            let (_, w) = solve(entry, &scenes::slope(mu * 0.9999, heading, 0.3, [mu; 2], 0.0), Cone::Exact);
            assert!(w[1].hypot(w[2]) < 1e-12, "{}, heading {k}: slides", entry.name);
            let tangent = mu * 1.0001;
            let (lambda, w) = solve(entry, &scenes::slope(tangent, heading, 0.3, [mu; 2], 0.0), Cone::Exact);
            // Its acceleration is g (tan - mu): one part in a thousand of 1e-4 g h is far above rounding.
            let expected = g * (tangent - mu) * h;
            assert!((w[1].hypot(w[2]) - expected).abs() < 1e-3 * expected, "{}, heading {k}", entry.name);
            assert!((lambda[0] - g * h).abs() < 1e-12, "{}: the normal carries the weight", entry.name);
        }
    }
}

#[test]
fn pyramids_hold_what_their_polygon_says() {
    let g = 9.81;
    for entry in SOLVERS {
        for sides in [4, 8] {
            let cone = Cone::Pyramid { sides };
            if (entry.refuses)(&Law::Friction { mu: [0.5, 0.5] }, cone).is_some() {
                continue;
            }
            for k in 0..16 {
                let heading = f64::from(k) * PI / 16.0;
                let (lambda, w) = solve(entry, &scenes::slope(0.8, heading, 0.0, [0.5; 2], 1.0), cone);
                // The most power against the sliding: at the corner farthest along -w. The tangents of a contact whose
                // normal is z are fixed axes; measure the impulse against the velocity itself.
                let speed = w[1].hypot(w[2]);
                let power = -(lambda[1] * w[1] + lambda[2] * w[2]) / speed / (0.5 * g * 1e-3);
                let angle = w[2].atan2(w[1]).rem_euclid(2.0 * PI / f64::from(sides));
                let off = (angle - PI / f64::from(sides)).abs();
                let expected = (PI / f64::from(sides) - off).cos();
                assert!((power - expected).abs() < 1e-6, "{} {sides} heading {k}: {power} {expected}", entry.name);
            }
        }
    }
}

#[test]
fn an_elliptic_cone_dissipates_the_most_power() {
    // Against a search over the ellipse's border.
    let mu = [0.5, 0.2];
    for entry in exact() {
        for k in 0..12 {
            let (lambda, w) = solve(entry, &scenes::slope(0.9, f64::from(k) * PI / 6.0, 0.0, mu, 0.5), Cone::Exact);
            let found = -(lambda[1] * w[1] + lambda[2] * w[2]);
            let border = (lambda[1] / mu[0]).hypot(lambda[2] / mu[1]) / lambda[0];
            assert!((border - 1.0).abs() < 1e-9, "{}: on the ellipse, {border}", entry.name);
            for i in 0..3600 {
                let angle = f64::from(i) * PI / 1800.0;
                let other = -lambda[0] * (mu[0] * angle.cos() * w[1] + mu[1] * angle.sin() * w[2]);
                // Samples are on the border themselves; none can dissipate more than the best.
                assert!(other <= found * (1.0 + 1e-9), "{}: {other} > {found}", entry.name);
            }
        }
    }
}

#[test]
fn two_masses_meet_without_friction_as_momentum_says() {
    // Inelastic: one common velocity. (m₁ v₁ + m₂ v₂)/(m₁ + m₂), from 1:1 to 1e6:1.
    for entry in SOLVERS {
        for ratio in [1.0, 10.0, 1e3, 1e6] {
            let (m1, m2, v1, v2) = (ratio, 1.0, 2.0, -1.0);
            let operator = Dense::from_rows(1, &[1.0 / m1 + 1.0 / m2]);
            let problem = Problem { operator: &operator, b: &[v2 - v1], laws: &[Law::Unilateral], cone: Cone::Exact };
            let mut lambda = [0.0];
            let outcome = (entry.make)().solve(&problem, &Options::default(), &mut lambda);
            assert!(outcome.converged(), "{}", entry.name);
            let common = (m1 * v1 + m2 * v2) / (m1 + m2);
            // The tolerance of the solve is 1e-10 m/s.
            assert!((v1 - lambda[0] / m1 - common).abs() < 2e-10, "{} {ratio}", entry.name);
            assert!((v2 + lambda[0] / m2 - common).abs() < 2e-10, "{} {ratio}", entry.name);
        }
    }
}

#[test]
fn a_row_of_blocks_holds_above_the_friction_it_needs_and_slides_below_as_one() {
    // Grasp: mu_min = 0.049 for every n; below, the whole row falls with g - 200 mu while its inner contacts stick.
    let hybrid = veracity_lcp::solver("hybrid").expect("in the list");
    for n in 1..=11 {
        for (mu, falls) in
            [(1e8, 0.0), (100.0, 0.0), (0.06, 0.0), (0.0491, 0.0), (0.0489, 9.8 - 200.0 * 0.0489), (0.04, 1.8)]
        {
            let row = scenes::block_row(n, mu);
            let (lambda, w) = solve(hybrid, &row, Cone::Exact);
            // At rest to 1e-9 m/s; sliding to a thousandth.
            let at_gripper = w[1].hypot(w[2]);
            assert!((at_gripper - falls * 1e-3).abs() < 1e-9 + 1e-6 * falls, "n {n} mu {mu}: {at_gripper:e}");
            let inside = &w[12..w.len() - 12];
            assert!(n == 1 || inside.iter().all(|w| w.abs() < 1e-9), "n {n} mu {mu}: the inside moves");
            // Every face carries the squeezing force.
            for face in lambda.chunks_exact(12) {
                let carried: f64 = face.iter().step_by(3).sum();
                assert!((carried - 0.1 * n as f64).abs() < 1e-9 * n as f64, "n {n} mu {mu}: {carried}");
            }
        }
    }
}

#[test]
fn a_heavy_block_on_a_light_one_is_carried() {
    for masses in [[1.0, 1e6], [1e6, 1.0]] {
        let stack = scenes::stack(&masses, 0.5);
        let (lambda, w) = solve(veracity_lcp::solver("hybrid").expect("in the list"), &stack, Cone::Exact);
        assert!(w.iter().all(|w| w.abs() < 1e-10), "{masses:?}");
        let ground: f64 = lambda[..12].iter().step_by(3).sum();
        let weight = (masses[0] + masses[1]) * 9.81e-3;
        // The solve's 1e-10 m/s of 1e6 kg is 1e-4 N s.
        assert!((ground - weight).abs() < 1e-3, "{masses:?}: {ground} of {weight}");
    }
}

#[test]
fn the_relaxation_lifts_sliding_contacts_by_mu_times_their_speed() {
    // Anitescu's relaxation: wₙ = μ |wₜ|, exactly; and nothing where it sticks.
    let apgd = veracity_lcp::solver("apgd").expect("in the list");
    let (_, w) = solve(apgd, &scenes::slope(0.6, 0.7, 0.2, [0.5; 2], 0.3), Cone::Exact);
    assert!((w[0] - 0.5 * w[1].hypot(w[2])).abs() < 1e-9, "{w:?}");
    let (_, w) = solve(apgd, &scenes::slope(0.4, 0.7, 0.2, [0.5; 2], 0.0), Cone::Exact);
    assert!(w.iter().all(|w| w.abs() < 1e-9));
}
