//! The default solver on random scenes: stacks of any masses, colliding stacks, small piles.

use veracity_lcp::fixtures::bodies::{Scene, Stepped};
use veracity_lcp::fixtures::random::Random;
use veracity_lcp::fixtures::scenes;
use veracity_lcp::{Cone, Law, Options, Problem, solver};

fn count() -> usize {
    if std::env::var_os("VERACITY_FULL").is_some() { 2000 } else { 150 }
}

/// Iterations after which a problem that has a solution must be solved; a step gives up after a thousand.
const PATIENT: u32 = 20_000;

/// How many of the scenes are not solved, and the worst residual of those. The tolerance is `1e-10 m/s`, and `relative` of the
/// fastest velocity without impulses.
fn unsolved(iterations: u32, relative: f64, mut scene: impl FnMut(&mut Random) -> Stepped) -> (usize, f64) {
    let mut random = Random::new(7);
    let (mut failed, mut worst) = (0, 0.0f64);
    let mut hybrid = (solver("hybrid").expect("in the list").make)();
    for _ in 0..count() {
        let made = scene(&mut random);
        let problem = Problem { operator: &made.operator, b: &made.b, laws: &made.laws, cone: Cone::Exact };
        let mut lambda = vec![0.0; made.b.len()];
        let fastest = made.b.iter().fold(0.0f64, |most, b| most.max(b.abs()));
        let options = Options { tolerance: 1e-10 + relative * fastest, iterations, ..Options::default() };
        let outcome = hybrid.solve(&problem, &options, &mut lambda);
        if !outcome.converged() {
            failed += 1;
            worst = worst.max(outcome.residual);
        }
    }
    (failed, worst)
}

#[test]
fn stacks_of_masses_from_1_to_1e6_kg_in_any_order() {
    let (failed, worst) = unsolved(1000, 0.0, |random| {
        let masses: Vec<f64> =
            (0..2 + (random.unit() * 4.0) as usize).map(|_| 10f64.powf(6.0 * random.unit())).collect();
        scenes::stack(&masses, 10f64.powf(2.0 * random.unit() - 1.0))
    });
    println!("measured lcp-stacks: {failed} of {} unsolved, worst {worst:.1e} m/s", count());
    assert_eq!(failed, 0, "worst {worst:e}");
}

fn thrown(random: &mut Random) -> Stepped {
    let mut scene = Scene::new(1e-3);
    let mu = 10f64.powf(2.0 * random.unit() - 1.0);
    let mut below = None;
    for i in 0..2 + (random.unit() * 3.0) as usize {
        let cube = scene.cube([0.0, 0.0, 0.05 + 0.1 * i as f64], 0.1, 10f64.powf(2.0 * random.unit()), 9.81);
        scene.bodies[cube].velocity = [random.symmetric(), random.symmetric(), 0.3 * random.symmetric()];
        scene.touch_face(cube, below, [0.0, 0.0, 0.1 * i as f64], 2, 0.1, Law::Friction { mu: [mu, mu] });
        below = Some(cube);
    }
    scene.problem()
}

/// Balls packed as densely as they can be: the most contacts for their number.
fn pile(random: &mut Random) -> Stepped {
    let mu = 10f64.powf(random.unit() - 1.0);
    scenes::pile(4 + (random.unit() * 12.0) as usize, mu, (random.unit() * 1e9) as u64)
}

#[test]
fn stacks_thrown_together() {
    // Impacts at up to 1 m/s with coefficients up to 10. The cubes can all separate at once: then Coulomb's problem has a
    // solution, whatever the coefficients (Acary, Cadoux, Lemaréchal and Malick 2011). So every one must be solved.
    let (early, worst) = unsolved(1000, 0.0, thrown);
    println!("measured lcp-thrown: {early} of {} unsolved after 1000 iterations, worst {worst:.1e} m/s", count());
    let (failed, worst) = unsolved(PATIENT, 0.0, thrown);
    assert_eq!(failed, 0, "worst {worst:e}");
}

#[test]
fn small_piles() {
    // Packed from wall to wall they cannot all separate, and the theorem above does not apply; but at rest they fit, and each
    // must be solved to what time stepping needs during motion, a hundred-thousandth of the fastest velocity.
    let (early, worst) = unsolved(1000, 0.0, pile);
    println!("measured lcp-piles: {early} of {} not to 1e-10 after 1000 iterations, worst {worst:.1e} m/s", count());
    let (failed, worst) = unsolved(PATIENT, 1e-5, pile);
    assert_eq!(failed, 0, "worst {worst:e}");
}
