//! Cost of the default solver on rows of blocks and stacks, from zeros and from a start that is off by a millionth.
//! `cargo run --release -p veracity-lcp --example newton_cost`
#![allow(clippy::disallowed_methods)] // It measures speed.

use std::time::Instant;
use veracity_lcp::fixtures::FIXTURES;
use veracity_lcp::{Cone, Options, solver};

fn main() {
    for name in [
        "redundant-contacts",
        "stack-5",
        "stack-1e6",
        "block-row-3",
        "block-row-11",
        "block-row-11-slides",
        "pile-30",
        "pile-200",
    ] {
        let line = FIXTURES.iter().find(|line| line.name == name).expect("in the list");
        let fixture = (line.build)();
        let problem = fixture.problem(Cone::Exact);
        let mut hybrid = (solver("hybrid").expect("in the list").make)();
        let options = Options { iterations: 200, ..Options::default() };
        let mut solved = vec![0.0; fixture.b.len()];
        hybrid.solve(&problem, &options, &mut solved);
        let mut best = |off: f64, from: &[f64]| {
            let (mut least, mut iterations, mut residual) = (f64::INFINITY, 0, 0.0);
            for _ in 0..30 {
                let mut lambda: Vec<f64> =
                    from.iter().enumerate().map(|(i, x)| x * (1.0 + off * ((i % 5) as f64 - 2.0))).collect();
                let start = Instant::now();
                let outcome = hybrid.solve(&problem, &options, &mut lambda);
                least = least.min(start.elapsed().as_secs_f64());
                (iterations, residual) = (outcome.iterations, outcome.residual);
            }
            format!("{:8.1} us ({iterations} iterations, {residual:.0e} m/s)", least * 1e6)
        };
        let zeros = vec![0.0; fixture.b.len()];
        println!(
            "{name:20} {:4} rows: from zeros {}, from near {}, at rest {}",
            fixture.b.len(),
            best(0.0, &zeros),
            best(1e-6, &solved),
            best(0.0, &solved)
        );
    }
}
