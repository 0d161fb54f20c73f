//! The solver alone: optimality, shrinking, threads, repetition.

use veracity_engine::random::{Purpose, Stream};
use veracity_regress::svr::{Points, Settings, Solution, SolverOutcome, solve};

/// A curved function of four features with noise.
fn problem(n: usize, noise: f64) -> (Points, Vec<f64>) {
    let stream = Stream::new(11, 0, 0, Purpose::Sampling);
    let rows: Vec<[f64; 4]> =
        (0..n).map(|k| std::array::from_fn(|f| 2.0 * stream.normal(k as u64, f as u32))).collect();
    let y = rows
        .iter()
        .enumerate()
        .map(|(k, r)| libm::sin(r[0]) + 0.3 * r[1] * r[2] + noise * stream.normal(k as u64, 9));
    (Points::new(n, 4, |k| &rows[k]), y.collect())
}

fn run(points: &Points, y: &[f64], settings: &Settings) -> Solution {
    solve(points, y, settings, &mut |_, _| ())
}

fn kernel_rows(points: &Points, gamma: f64) -> Vec<Vec<f32>> {
    let mut x = [0.0; 4];
    let row = |k: usize, x: &mut [f32; 4]| {
        points.point(k, x);
        let mut row = vec![0.0; points.len()];
        points.kernel(gamma as f32, x, 0, &mut row);
        row
    };
    (0..points.len()).map(|k| row(k, &mut x)).collect()
}

#[test]
fn the_solution_satisfies_the_optimality_conditions() {
    let (points, y) = problem(300, 0.1);
    let settings = Settings { gamma: 0.3, c: 2.0, epsilon: 0.05, tolerance: 1e-6, ..Settings::default() };
    let found = run(&points, &y, &settings);
    assert_eq!(found.ending, SolverOutcome::Converged);
    assert!(found.gap < 1e-6);
    assert!(found.coefficients.iter().sum::<f64>().abs() < 1e-12, "the sum of coefficients is kept by every step");
    let k = kernel_rows(&points, settings.gamma);
    for t in 0..points.len() {
        let f = found.bias + (0..300).map(|s| found.coefficients[s] * f64::from(k[s][t])).sum::<f64>();
        let (residual, beta) = (y[t] - f, found.coefficients[t]);
        // Tolerance: the gap, and the drift of errors accumulated over thousands of steps.
        let slack = 2e-6;
        match beta {
            0.0 => assert!(residual.abs() <= 0.05 + slack, "{t}: {residual}"),
            b if b.abs() >= 2.0 => assert!(residual * b.signum() >= 0.05 - slack, "{t}: {residual} {b}"),
            b => assert!((residual - 0.05 * b.signum()).abs() <= slack, "{t}: {residual} {b}"),
        }
    }
    // Mutation: with one coefficient changed the same check fails.
    let f0 = found.bias + (0..300).map(|s| found.coefficients[s] * f64::from(k[s][7])).sum::<f64>() + 0.01;
    let free = found.coefficients[7] != 0.0 && found.coefficients[7].abs() < 2.0;
    assert!(!free || ((y[7] - f0) - 0.05 * found.coefficients[7].signum()).abs() > 2e-6);
}

#[test]
fn shrinking_does_not_change_the_solution() {
    let (points, y) = problem(3000, 0.02);
    let settings = Settings { gamma: 0.3, c: 5.0, epsilon: 0.3, tolerance: 1e-5, ..Settings::default() };
    let with = run(&points, &y, &settings);
    let without = run(&points, &y, &Settings { shrinking: false, ..settings });
    assert!(with.fewest_active < 2000, "{} of 3000 took part to the end", with.fewest_active);
    assert_eq!(without.fewest_active, 3000);
    assert!(with.gap < 1e-5 && without.gap < 1e-5);
    // Both are within their gap of the one minimum: the objective differs by gap times the coefficients that could
    // move.
    let sum: f64 = with.coefficients.iter().map(|b| b.abs()).sum();
    assert!((with.objective - without.objective).abs() < 1e-5 * sum, "{} {}", with.objective, without.objective);
}

#[test]
fn threads_and_cache_do_not_change_a_bit() {
    let (points, y) = problem(4000, 0.1);
    let settings = Settings { gamma: 0.3, c: 1.0, epsilon: 0.05, tolerance: 1e-3, ..Settings::default() };
    let with = |threads: usize, cache_bytes: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&points, &y, &Settings { cache_bytes, ..settings }))
    };
    let one = with(1, 200 << 20);
    for other in [with(2, 200 << 20), with(3, 200 << 20), with(2, 40 * 4000)] {
        assert_eq!(one.coefficients, other.coefficients);
        assert_eq!((one.bias, one.gap, one.steps), (other.bias, other.gap, other.steps));
    }
}

#[test]
fn equal_rows_with_unequal_targets_and_single_values_end() {
    let settings = Settings { epsilon: 0.01, tolerance: 1e-6, ..Settings::default() };
    let same = Points::new(4, 1, |_| &[1.0]);
    let found = run(&same, &[0.0, 1.0, 0.0, 1.0], &settings);
    assert_eq!(found.ending, SolverOutcome::Converged);
    let flat = run(&same, &[0.5; 4], &settings);
    assert_eq!((flat.steps, flat.coefficients), (0, vec![0.0; 4]));
    assert!((flat.bias - 0.5).abs() < 1e-12);
    let short = run(&problem(200, 0.1).0, &problem(200, 0.1).1, &Settings { most_steps: 5, ..settings });
    assert_eq!((short.ending, short.steps), (SolverOutcome::OutOfSteps, 5));
    assert!(short.gap > 1e-6);
}
