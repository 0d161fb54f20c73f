//! Every solver on every fixture: status, iterations and natural residual. `cargo run --release -p veracity-lcp
//! --example solvers_on_fixtures [SOLVER …] [FIXTURE …]`

use veracity_lcp::fixtures::FIXTURES;
use veracity_lcp::{Cone, Options, SOLVERS, Status};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let solvers: Vec<&str> = SOLVERS.iter().map(|entry| entry.name).collect();
    let fixtures: Vec<&str> = FIXTURES.iter().map(|line| line.name).collect();
    // Given names of one kind select among that kind.
    let asked = |name: &str, kind: &[&str]| {
        !kind.iter().any(|of_kind| wanted.iter().any(|w| w == of_kind)) || wanted.iter().any(|w| w == name)
    };
    for entry in SOLVERS {
        if !asked(entry.name, &solvers) {
            continue;
        }
        println!(
            "\n{}\n{:22} {:>5} {:>16} {:>8} {:>10} {:>10}",
            entry.name, "fixture", "rows", "status", "iters", "residual", "compl."
        );
        for line in FIXTURES {
            if !asked(line.name, &fixtures) {
                continue;
            }
            let fixture = (line.build)();
            let takes = |cone: &Cone| fixture.laws.iter().all(|law| (entry.refuses)(law, *cone).is_none());
            let cones = [Cone::Exact, Cone::Pyramid { sides: 4 }, Cone::Box];
            let Some(cone) = cones.into_iter().find(takes) else { continue };
            let options = Options {
                iterations: 2000,
                relaxation: if entry.name == "sor" { 1.3 } else { 1.0 },
                ..Options::default()
            };
            let mut lambda = vec![0.0; fixture.b.len()];
            let outcome = (entry.make)().solve(&fixture.problem(cone), &options, &mut lambda);
            let status = match outcome.status {
                Status::NotFinite { row } => format!("not finite {row}"),
                other => format!("{other:?}"),
            };
            println!(
                "{:22} {:5} {status:>16} {:8} {:10.1e} {:10.1e}",
                line.name,
                fixture.b.len(),
                outcome.iterations,
                outcome.residual,
                outcome.complementarity
            );
        }
    }
}
