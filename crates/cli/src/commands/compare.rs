//! `veracity compare SCENARIO --engines a,b`: one scenario, several engines, side by side.

use super::Command;
use crate::output::Output;
use crate::study::{self, arguments};
use crate::{engines, model_arguments, scenario_files};
use anyhow::{Context, anyhow, ensure};
use clap::{Arg, ArgMatches, value_parser};
use std::path::PathBuf;
use veracity_engine::EngineSpec;
use veracity_scenario::Study;

pub struct Compare;

impl Command for Compare {
    fn name(&self) -> &'static str {
        "compare"
    }

    fn about(&self) -> &'static str {
        "Run one scenario on several engines side by side, or against older results"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let file = Arg::new("SCENARIO").required(true).value_parser(value_parser!(PathBuf));
        let command = command
            .arg(file.help("A scenario file, or a built-in one by name (`veracity list scenarios`)"))
            .arg(
                Arg::new("engines")
                    .long("engines")
                    .value_name("A,B")
                    .help("Engine specs; separate those with settings by spaces or repeat the option [default: all]")
                    .num_args(1..)
                    .action(clap::ArgAction::Append),
            )
            .arg(
                Arg::new("step-s")
                    .long("step-s")
                    .value_name("S")
                    .num_args(1..)
                    .value_parser(value_parser!(f64))
                    .help("Steps [default: the scenario's own]"),
            )
            .arg(
                Arg::new("set")
                    .long("set")
                    .value_name("PATH=X")
                    .allow_hyphen_values(true)
                    .action(clap::ArgAction::Append)
                    .help(
                        "Change a number first (`veracity paths SCENARIO` lists them); may be given more than once",
                    ),
            );
        model_arguments::add(arguments::add(command))
            .after_help("Exit codes: 0 accepted and nothing worse than the baseline, 1 not, 2 could not run.")
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("SCENARIO").context("no scenario")?;
        let scenario = scenario_files::inspected_scenario(file, matches)?;
        let steps = matches.get_many::<f64>("step-s").unwrap_or_default().map(|s| nanoseconds(*s));
        let set = scenario_files::changes(&scenario, matches)?;
        let steps = steps.collect::<anyhow::Result<_>>()?;
        let mut study = Study::of_scenario(scenario, &specs(matches)?, steps).map_err(|e| anyhow!(e))?;
        study.variations = vec![set];
        Ok(study::run(&study, matches, out)?.0)
    }
}

/// Specs of `--engines`, or every engine with its default settings.
fn specs(matches: &ArgMatches) -> anyhow::Result<Vec<EngineSpec>> {
    match matches.get_many::<String>("engines") {
        Some(given) => Ok(engines::read_all(given)?.into_iter().map(|resolved| resolved.spec).collect()),
        None => Ok(engines::default_specs()?),
    }
}

/// Seconds on the command line as whole nanoseconds.
pub fn nanoseconds(seconds: f64) -> anyhow::Result<i64> {
    let ns = (seconds * 1e9).round();
    ensure!((1.0..9e18).contains(&ns), "--step-s is {seconds}; it must be a positive number of seconds");
    Ok(ns as i64)
}
