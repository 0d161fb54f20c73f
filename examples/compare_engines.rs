//! Runs a scenario on several engines and prints the answer: `cargo run --release -p veracity --example compare_engines -- my.toml`.

use std::error::Error;
use std::path::Path;
use veracity::lab::{Conclusion, answers};
use veracity::scenario::{LoadOptions, Scenario, Study};

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = match std::env::args().nth(1) {
        Some(file) => Scenario::load(Path::new(&file), &LoadOptions::default()),
        None => Scenario::built_in("pendulum_with_ball"),
    };
    let scenario = scenario.map_err(|findings| findings.to_string())?;
    let specs = ["native", "rapier", "rapier:joints=multibody"];
    let specs = specs.iter().map(|spec| spec.parse()).collect::<Result<Vec<_>, _>>()?;
    let study = Study::of_scenario(scenario, &specs, Vec::new())?;
    let result = veracity::run(&study, &std::env::temp_dir().join("veracity-compare"))?;
    for row in &result.rows {
        println!("{:26} {}: {}", row.engine, row.verdict, row.reason);
    }
    for answer in answers(&result) {
        println!("for {}: {}", answer.scenario, answer.lines.join("; "));
    }
    let conclusion = Conclusion::new(&result, None);
    println!("{}", conclusion.summary);
    Ok(())
}
