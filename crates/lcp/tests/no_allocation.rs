//! No solver allocates in its second solve of a size: a counting allocator checks every solver.

use veracity_counting::Counting;
use veracity_lcp::fixtures::FIXTURES;
use veracity_lcp::{Cone, Options, SOLVERS};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_second_solve_of_a_size_allocates_nothing() {
    for entry in SOLVERS {
        for line in FIXTURES {
            let fixture = (line.build)();
            let cones = [Cone::Exact, Cone::Pyramid { sides: 4 }, Cone::Box];
            let takes = |cone: &Cone| fixture.laws.iter().all(|law| (entry.refuses)(law, *cone).is_none());
            let Some(cone) = cones.into_iter().find(takes) else { continue };
            if fixture.b.len() > 200 {
                continue;
            }
            let options = Options { iterations: 40, ..Options::default() };
            let problem = fixture.problem(cone);
            let mut solver = (entry.make)();
            let mut lambda = vec![0.0; fixture.b.len()];
            solver.solve(&problem, &options, &mut lambda);
            lambda.fill(0.0);
            let before = veracity_counting::allocations();
            solver.solve(&problem, &options, &mut lambda);
            let made = veracity_counting::allocations() - before;
            assert_eq!(made, 0, "{} on {}", entry.name, line.name);
        }
    }
}

#[test]
fn the_counter_counts() {
    let before = veracity_counting::allocations();
    let kept = std::hint::black_box(vec![1u8; 100]);
    assert!(veracity_counting::allocations() > before, "{}", kept.len());
}
