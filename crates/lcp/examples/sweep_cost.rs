//! Cost of a sweep, of preparation and of a measurement per block on piles of balls, best of several runs.
//! `cargo run --release -p veracity-lcp --example sweep_cost`
#![allow(clippy::disallowed_methods)] // It measures speed.

use std::time::Instant;
use veracity_lcp::fixtures::scenes;
use veracity_lcp::{Cone, Options, Problem, solver};

fn main() {
    for balls in [30, 125, 200] {
        let pile = scenes::pile(balls, std::env::args().nth(1).map_or(0.5, |m| m.parse().expect("a coefficient")), 1);
        let problem = Problem { operator: &pile.operator, b: &pile.b, laws: &pile.laws, cone: Cone::Exact };
        let blocks = pile.laws.len() as f64;
        let mut nsgs = (solver("nsgs").expect("in the list").make)();
        let mut seconds = |iterations: u32| {
            let options = Options { iterations, tolerance: 0.0, ..Options::default() };
            let mut lambda = vec![0.0; pile.b.len()];
            let mut least = f64::INFINITY;
            for _ in 0..200 {
                lambda.fill(0.0);
                let start = Instant::now();
                nsgs.solve(&problem, &options, &mut lambda);
                least = least.min(start.elapsed().as_secs_f64());
            }
            (least, lambda)
        };
        let (short, _) = seconds(1);
        let (long, lambda) = seconds(101);
        let sweep = (long - short) / 100.0;
        let options = Options { tolerance: 1.0, ..Options::default() };
        let mut measured = f64::INFINITY;
        for _ in 0..200 {
            let mut start_from = lambda.clone();
            let start = Instant::now();
            nsgs.solve(&problem, &options, &mut start_from);
            measured = measured.min(start.elapsed().as_secs_f64());
        }
        println!(
            "{balls:4} balls {blocks:5} blocks: sweep {:6.1} us = {:5.1} ns/block; one measurement {:6.1} us; preparing {:6.1} us",
            sweep * 1e6,
            sweep / blocks * 1e9,
            measured * 1e6,
            (short - sweep - 2.0 * measured) * 1e6
        );
    }
}
