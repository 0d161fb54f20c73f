//! No failed answer passes the check: over all solvers and fixtures, over rows of blocks, and for broken solvers.

use veracity_lcp::fixtures::{FIXTURES, Fixture, scenes};
use veracity_lcp::{
    Checked, Cone, Options, Problem, SOLVERS, SolveReport, Solver, SolverEntry, Status, measure, solver,
};

const CONES: [Cone; 3] = [Cone::Exact, Cone::Pyramid { sides: 4 }, Cone::Box];

fn full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

fn cone_for(entry: &SolverEntry, fixture: &Fixture) -> Option<Cone> {
    CONES.into_iter().find(|cone| fixture.laws.iter().all(|law| (entry.refuses)(law, *cone).is_none()))
}

fn residual(problem: &Problem<f64>, lambda: &[f64]) -> f64 {
    let mut diagonal = vec![0.0; lambda.len()];
    problem.operator.diagonal_entries(&mut diagonal);
    diagonal.iter_mut().for_each(|d: &mut f64| *d = d.abs());
    let mut u = vec![0.0; problem.operator.running_len()];
    problem.operator.running(lambda, &mut u);
    measure(problem, &diagonal, &u, lambda).residual
}

#[test]
fn what_is_used_is_never_worse_than_doing_nothing() {
    let mut fallen = 0;
    for entry in SOLVERS {
        for line in FIXTURES {
            let fixture = (line.build)();
            let Some(cone) = cone_for(entry, &fixture) else { continue };
            if fixture.b.len() > if full() { 300 } else { 150 } {
                continue;
            }
            let problem = fixture.problem(cone);
            let mut lambda = vec![0.0; fixture.b.len()];
            let nothing = residual(&problem, &lambda);
            let options = Options { iterations: 60, ..Options::default() };
            let outcome = Checked::new(entry).solve(&problem, &options, 1e-9, &mut lambda);
            let what = format!("{} on {}: {outcome:?}", entry.name, line.name);
            assert!(lambda.iter().all(|x| x.is_finite()), "{what}");
            let again = residual(&problem, &lambda);
            // Sweeps that are stopped early are not monotone: their residual may be larger, but never diverges.
            let most = if entry.pivots { 1.0 + 1e-12 } else { 100.0 };
            assert!(again <= nothing.max(1e-9) * most, "{what}, doing nothing {nothing:e}");
            // The reported residual is that of the returned impulses.
            assert!((again - outcome.residual).abs() <= 1e-9 * (again + 1e-6), "{what}, again {again:e}");
            fallen += u32::from(outcome.status == Status::FellBack);
        }
    }
    assert!(fallen > 0, "sixty pivots are not enough for a row of eleven blocks");
}

/// Rows of blocks at every friction, with the solvers that pivot. The lexicographic rule failed at friction 0.06 (n = 10), 1 and
/// 1e8, and intermediate bases moved blocks with 1e33 J.
#[test]
fn rows_of_blocks_are_solved_by_pivoting() {
    let mut worst = 0.0f64;
    for mu in [0.06, 1.0, 100.0] {
        for n in if full() { 1..=11 } else { 7..=9 } {
            let row = scenes::block_row(n, mu);
            for cone in [Cone::Pyramid { sides: 4 }, Cone::Pyramid { sides: 8 }, Cone::Box] {
                let problem = Problem { operator: &row.operator, b: &row.b, laws: &row.laws, cone };
                let mut lambda = vec![0.0; row.b.len()];
                let mut lemke = (solver("lemke").unwrap().make)();
                let outcome = lemke.solve(&problem, &Options { iterations: 2000, ..Options::default() }, &mut lambda);
                assert!(outcome.converged(), "n {n}, mu {mu}, {cone:?}: {outcome:?}");
                worst = worst.max(outcome.residual);
            }
        }
    }
    let lengths = if full() { "1 to 11" } else { "7 to 9" };
    println!(
        "ACCEPT lemke-block-rows: residual at most {worst:.1e} m/s, n = {lengths}, friction 0.06, 1 and 100, three cones"
    );
    assert!(worst <= 1e-10, "{worst:e}");
}

/// At friction 1e8 pivoting ends within 1e-6 m/s and mostly no closer; the check finishes the solve.
#[test]
fn rows_of_blocks_at_every_friction_leave_the_check_solved() {
    for entry in SOLVERS {
        for mu in [0.06, 1.0, 100.0, 1e8] {
            for n in if full() { 1..=11 } else { 8..=8 } {
                let row = scenes::block_row(n, mu);
                let fixture_cone = if entry.name == "dantzig" { Cone::Box } else { Cone::Pyramid { sides: 4 } };
                let cone = if entry.name == "apgd" { Cone::Exact } else { fixture_cone };
                let problem = Problem { operator: &row.operator, b: &row.b, laws: &row.laws, cone };
                let mut lambda = vec![0.0; row.b.len()];
                let nothing = residual(&problem, &lambda);
                // The accuracy of sweeps is not tested here; their cost would matter.
                let iterations = if entry.pivots { 1000 } else { 100 };
                let options = Options { iterations, ..Options::default() };
                let outcome = Checked::new(entry).solve(&problem, &options, 1e-9, &mut lambda);
                let what = format!("{}, n {n}, mu {mu}: {outcome:?}", entry.name);
                assert!(lambda.iter().all(|x| x.is_finite()) && outcome.residual <= nothing, "{what}");
                if entry.pivots {
                    assert!(outcome.residual <= 1e-9, "{what}");
                }
            }
        }
    }
}

/// Returns the given number in every row.
struct Broken(f64);

impl Solver<f64> for Broken {
    fn solve(&mut self, _: &Problem<f64>, _: &Options, lambda: &mut [f64]) -> SolveReport {
        lambda.fill(self.0);
        SolveReport { status: Status::Stalled, iterations: 1, residual: self.0.abs(), complementarity: self.0.abs() }
    }
}

#[test]
fn answers_that_explode_are_not_used() {
    let huge = SolverEntry { make: || Box::new(Broken(1e30)), pivots: false, ..*solver("nsgs").unwrap() };
    let none = SolverEntry { make: || Box::new(Broken(f64::NAN)), pivots: false, ..*solver("nsgs").unwrap() };
    for entry in [huge, none] {
        for line in FIXTURES.iter().filter(|line| line.solvable && line.name.starts_with("block-row")) {
            let fixture = (line.build)();
            let problem = fixture.problem(Cone::Exact);
            let mut lambda = vec![0.0; fixture.b.len()];
            let outcome = Checked::new(&entry).solve(&problem, &Options::default(), 1e-9, &mut lambda);
            assert_eq!(outcome.status, Status::FellBack, "{}", line.name);
            assert!(!outcome.converged() && residual(&problem, &lambda) <= 1e-9, "{}: {outcome:?}", line.name);
        }
    }
}
