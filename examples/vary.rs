//! Varies one number of a scenario and prints the verdict at each value: `cargo run --release -p veracity --example vary`.
//!
//! Every number has a path; `veracity paths FILE` lists them.

use std::error::Error;
use veracity::model::Overrides;
use veracity::scenario::{Scenario, Study};

/// The number that is varied [m/s²].
const PATH: &str = "world/gravity/z";

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = Scenario::built_in("pendulum_with_ball").map_err(|findings| findings.to_string())?;
    let mut study = Study::of_scenario(scenario, &["native".parse()?, "rapier".parse()?], Vec::new())?;
    study.variations = [-9.81, -3.7, -1.6].iter().map(|value| Overrides::new().set(PATH, *value)).collect();
    let result = veracity::run(&study, &std::env::temp_dir().join("veracity-vary"))?;
    for row in &result.rows {
        let value = row.overrides.first().map_or(f64::NAN, |(_, value)| *value);
        println!("{PATH} = {value:5.2}  {:8} {}: {}", row.engine, row.verdict, row.reason);
    }
    Ok(())
}
