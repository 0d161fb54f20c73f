//! Every solver on every fixture: its reported residual is correct, and its promises hold.

use veracity_lcp::fixtures::{FIXTURES, Fixture};
use veracity_lcp::solvers::PROMISED_ITERATIONS;
use veracity_lcp::{Cone, Law, Options, SOLVERS, SolverEntry, Status};

const CONES: [Cone; 3] = [Cone::Exact, Cone::Pyramid { sides: 6 }, Cone::Box];

/// The first cone under which a solver supports all blocks of a fixture.
fn cone_for(entry: &SolverEntry, fixture: &Fixture) -> Option<Cone> {
    CONES.into_iter().find(|cone| fixture.laws.iter().all(|law| (entry.refuses)(law, *cone).is_none()))
}

/// An independent implementation of the natural residual, from the matrix and the definitions, by rows.
fn residual_again(fixture: &Fixture, cone: Cone, lambda: &[f64]) -> (f64, f64) {
    let operator = fixture.operator.operator();
    let n = lambda.len();
    let mut a = vec![0.0; n * n];
    operator.dense(&mut a);
    let w: Vec<f64> = (0..n).map(|i| fixture.b[i] + (0..n).map(|j| a[n * i + j] * lambda[j]).sum::<f64>()).collect();
    // Rounding error of a velocity that is a sum of these.
    let size = (0..n)
        .map(|i| fixture.b[i].abs() + (0..n).map(|j| (a[n * i + j] * lambda[j]).abs()).sum::<f64>())
        .fold(0.0, f64::max);
    let mut worst: f64 = 0.0;
    let mut i = 0;
    let clamp = |x: f64, low: f64, high: f64| {
        if x < low {
            low
        } else if x > high {
            high
        } else {
            x
        }
    };
    for law in &fixture.laws {
        let d = |k: usize| a[(i + k) * n + i + k].abs();
        let row = |k: usize, low: f64, high: f64| {
            // d (λ - clamp(λ - w/d)); a row that nothing moves only has its bounds.
            if d(k) == 0.0 {
                w[i + k].min(0.0)
            } else {
                d(k) * (lambda[i + k] - clamp(lambda[i + k] - w[i + k] / d(k), low, high))
            }
        };
        let disc = |k: usize, radius: f64| {
            let d = d(k).max(d(k + 1));
            let y = [0, 1].map(|j| lambda[i + k + j] - w[i + k + j] / d);
            let length = y[0].hypot(y[1]);
            let shrink = if length > radius { radius / length } else { 1.0 };
            [0, 1].map(|j| d * (lambda[i + k + j] - y[j] * shrink))
        };
        let rows = match law {
            Law::Equal => vec![w[i]],
            Law::Unilateral => vec![row(0, 0.0, f64::INFINITY)],
            Law::Between { lowest, highest } => vec![row(0, *lowest, *highest)],
            Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
                let load = lambda[i].max(0.0);
                let mut r = vec![row(0, 0.0, f64::INFINITY)];
                let d = d(1).max(d(2));
                if cone == Cone::Exact && mu[0] == mu[1] && d > 0.0 {
                    r.extend(disc(1, mu[0] * load));
                } else if d > 0.0 {
                    // In the coordinates where both coefficients are the larger one.
                    let most = mu[0].max(mu[1]);
                    let share = mu.map(|m| m / most);
                    let t = [0, 1].map(|j| lambda[i + 1 + j] / share[j]);
                    let y = [0, 1].map(|j| t[j] - share[j] * w[i + 1 + j] / d);
                    let p = veracity_lcp::cone::project(cone, most * load, y);
                    r.extend([0, 1].map(|j| d * (t[j] - p[j]) / share[j]));
                }
                if let Law::Torsion { torsion, .. } | Law::Rolling { torsion, .. } = law {
                    r.push(row(3, -torsion * load, torsion * load));
                }
                if let Law::Rolling { rolling, .. } = law {
                    r.extend(disc(4, rolling * load));
                }
                r
            }
        };
        worst = rows.iter().fold(worst, |worst, r| worst.max(r.abs()));
        i += law.rows();
    }
    (worst, size)
}

#[test]
fn reported_residuals_are_correct() {
    for entry in SOLVERS {
        for line in FIXTURES {
            let fixture = (line.build)();
            let Some(cone) = cone_for(entry, &fixture) else { continue };
            // Large problems are expensive: few iterations are enough for this test.
            let iterations = if fixture.b.len() > 300 { 20 } else { 300 };
            if fixture.b.len() > 300 && ["newton", "lemke"].contains(&entry.name) {
                continue;
            }
            for warm in [false, true] {
                if warm && fixture.b.len() > 300 {
                    continue;
                }
                let options = Options { iterations, ..Options::default() };
                let mut lambda: Vec<f64> =
                    (0..fixture.b.len()).map(|i| if warm { 1e-3 * (i % 7) as f64 } else { 0.0 }).collect();
                let outcome = (entry.make)().solve(&fixture.problem(cone), &options, &mut lambda);
                let what = format!("{} on {} (warm {warm}): {outcome:?}", entry.name, line.name);
                assert!(lambda.iter().all(|x| x.is_finite()), "{what}");
                if matches!(outcome.status, Status::NotFinite { .. }) {
                    assert!(outcome.residual.is_infinite() && !line.solvable, "{what}");
                    continue;
                }
                let (again, size) = residual_again(&fixture, cone, &lambda);
                // Sums of up to 3000 terms, and a projection with coefficients up to 1e8 that only sees the load: rounding of
                // the sums, no more.
                let allowed = 1e-12 * size + 1e-9 * again;
                assert!((outcome.residual - again).abs() <= allowed, "{what}; again {again:e}, allowed {allowed:e}");
                assert_eq!(outcome.converged(), outcome.residual <= options.tolerance, "{what}");
                assert!(line.solvable || !outcome.converged(), "solved a problem without a solution: {what}");
                assert!(outcome.iterations <= 2 * iterations + 300, "{what}");
            }
        }
    }
}

#[test]
fn promises_are_kept() {
    for entry in SOLVERS {
        let mut kept = 0;
        for line in FIXTURES {
            let fixture = (line.build)();
            let Some(promise) = (entry.promises)(&line.traits(&fixture)) else { continue };
            let Some(cone) = cone_for(entry, &fixture) else { continue };
            let largest = fixture.b.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
            let options =
                Options { iterations: PROMISED_ITERATIONS, tolerance: promise * largest, ..Options::default() };
            let mut lambda = vec![0.0; fixture.b.len()];
            let outcome = (entry.make)().solve(&fixture.problem(cone), &options, &mut lambda);
            assert!(
                outcome.converged(),
                "{} on {}: {outcome:?}, promised {:e}",
                entry.name,
                line.name,
                options.tolerance
            );
            kept += 1;
        }
        assert!(kept >= 2, "{} promises too little: {kept}", entry.name);
    }
}

#[test]
fn a_solution_as_start_costs_no_iteration() {
    for entry in SOLVERS {
        for line in FIXTURES.iter().filter(|line| line.solvable) {
            let fixture = (line.build)();
            if fixture.b.len() > 300 {
                continue;
            }
            let Some(cone) = cone_for(entry, &fixture) else { continue };
            let options = Options { iterations: 300, ..Options::default() };
            let mut lambda = vec![0.0; fixture.b.len()];
            let mut solver = (entry.make)();
            let first = solver.solve(&fixture.problem(cone), &options, &mut lambda);
            if !first.converged() {
                continue;
            }
            let before = lambda.clone();
            let again = solver.solve(&fixture.problem(cone), &options, &mut lambda);
            assert_eq!((again.iterations, again.status), (0, Status::Converged), "{} on {}", entry.name, line.name);
            assert_eq!(before, lambda);
            assert_eq!(first.residual.to_bits(), again.residual.to_bits());
        }
    }
}

#[test]
fn the_default_solves_hard_problems() {
    // From zeros and from a start that is off by a tenth: to 1e-10 m/s, a hundred-thousandth of the velocity that gravity
    // gives in a step of 1 ms.
    for name in ["block-row-11", "block-row-11-1e8", "block-row-11-slides", "stack-1e6", "stack-3-1e6", "pinch-1.01"]
    {
        let line = FIXTURES.iter().find(|line| line.name == name).expect("in the list");
        let fixture = (line.build)();
        let mut solver = (veracity_lcp::solver("hybrid").expect("in the list").make)();
        let mut lambda = vec![0.0; fixture.b.len()];
        let cold = solver.solve(&fixture.problem(Cone::Exact), &Options::default(), &mut lambda);
        assert!(cold.converged(), "{name}, from zeros: {cold:?}");
        lambda.iter_mut().enumerate().for_each(|(i, x)| *x *= 1.0 + 0.1 * ((i % 5) as f64 - 2.0));
        let warm = solver.solve(&fixture.problem(Cone::Exact), &Options::default(), &mut lambda);
        assert!(warm.converged(), "{name}, from near: {warm:?}");
    }
}

#[test]
fn non_finite_input_gives_a_status_with_the_row() {
    for entry in SOLVERS {
        let fixture = (FIXTURES[0].build)();
        for bad in [f64::NAN, f64::INFINITY] {
            let mut broken = fixture.clone();
            broken.b[4] = bad;
            let mut lambda = vec![0.0; fixture.b.len()];
            let outcome = (entry.make)().solve(&broken.problem(Cone::Exact), &Options::default(), &mut lambda);
            assert_eq!(outcome.status, Status::NotFinite { row: 4 }, "{}", entry.name);
            assert!(lambda.iter().all(|x| *x == 0.0));
        }
        // A non-finite start is replaced.
        let mut lambda = vec![f64::NAN; fixture.b.len()];
        let outcome = (entry.make)().solve(&fixture.problem(Cone::Exact), &Options::default(), &mut lambda);
        assert!(outcome.converged(), "{}: {outcome:?}", entry.name);
    }
}

#[test]
fn an_unsupported_law_is_reported_with_its_block() {
    for entry in SOLVERS {
        for line in FIXTURES {
            let fixture = (line.build)();
            for cone in CONES {
                let Some(block) = fixture.laws.iter().position(|law| (entry.refuses)(law, cone).is_some()) else {
                    continue;
                };
                let mut lambda = vec![0.0; fixture.b.len()];
                let outcome = (entry.make)().solve(&fixture.problem(cone), &Options::default(), &mut lambda);
                assert_eq!(outcome.status, Status::Unsupported { block }, "{} on {}", entry.name, line.name);
            }
        }
    }
}

#[test]
fn single_precision_solves_to_its_own_rounding() {
    for entry in SOLVERS {
        for line in FIXTURES.iter().filter(|line| line.name == "unilateral-30" || line.name == "redundant-contacts") {
            let fixture = (line.build)();
            let Some(cone) = cone_for(entry, &fixture) else { continue };
            let b: Vec<f32> = fixture.b.iter().map(|x| *x as f32).collect();
            let (mut dense, mut factored) = (veracity_lcp::Dense::new(0), veracity_lcp::Factored::new(0));
            let operator: &dyn veracity_lcp::Operator<f32> = match &fixture.operator {
                veracity_lcp::fixtures::FixtureOperator::Dense(a) => {
                    dense.cast_from(a);
                    &dense
                }
                veracity_lcp::fixtures::FixtureOperator::Factored(a) => {
                    factored.cast_from(a);
                    &factored
                }
            };
            let problem = veracity_lcp::Problem { operator, b: &b, laws: &fixture.laws, cone };
            let largest = fixture.b.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
            // A hundred roundings of 6e-8: sums of thirty terms whose impulses are a few times b.
            let options = Options { tolerance: 1e-5 * largest, ..Options::default() };
            let mut lambda = vec![0.0f32; b.len()];
            let outcome = (entry.make_f32)().solve(&problem, &options, &mut lambda);
            assert!(outcome.converged(), "{} on {}: {outcome:?}", entry.name, line.name);
            // And no better than single precision: it was not solved in double precision.
            let wide: Vec<f64> = lambda.iter().map(|x| f64::from(*x)).collect();
            assert!(residual_again(&fixture, cone, &wide).0 > 1e-12 * largest, "{} on {}", entry.name, line.name);
        }
    }
}
