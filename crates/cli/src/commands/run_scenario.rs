//! `veracity run` with a scenario: one engine, every check, and the record in the requested formats.

use super::compare::nanoseconds;
use crate::output::Output;
use crate::study::{self, arguments};
use crate::{engines, scenario_files};
use anyhow::{Context, anyhow, bail};
use clap::{Arg, ArgMatches, value_parser};
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_lab::{StoreReader, TrialKey};
use veracity_scenario::{Study, catalogue};

/// Whether a file is a scenario, by its name: models have other extensions.
pub fn is_scenario(file: &Path) -> bool {
    let built_in = || file.to_str().is_some_and(|n| catalogue::CATALOGUE.iter().any(|e| e.name == n));
    file.extension().is_some_and(|e| e == "toml") || (!file.exists() && built_in())
}

/// Arguments that only scenarios have.
pub fn add_arguments(command: clap::Command) -> clap::Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    command
        .arg(
            Arg::new("engine")
                .long("engine")
                .value_name("SPEC")
                .default_value("native")
                .help("Which engine; `veracity list engines` shows them and their settings"),
        )
        .arg(path("mcap", "Write the record as MCAP, for Foxglove and rerun"))
        .arg(path("parquet", "Write the record as a Parquet table"))
}

/// Runs the scenario.
pub fn run(file: &Path, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
    for model_only in ["duration-s", "every-s", "integrator", "tolerance", "start", "start-velocity"] {
        if matches.value_source(model_only) == Some(clap::parser::ValueSource::CommandLine) {
            bail!("--{model_only} is for model files; a scenario says it in its own file");
        }
    }
    let scenario = scenario_files::inspected_scenario(file, matches)?;
    let engine = engines::read(matches.get_one::<String>("engine").context("no engine")?)?.spec;
    let given = matches.value_source("step-s") == Some(clap::parser::ValueSource::CommandLine);
    let step = matches.get_one::<f64>("step-s").filter(|_| given).map(|s| nanoseconds(*s)).transpose()?;
    let set = scenario_files::changes(&scenario, matches)?;
    let mut study = Study::of_scenario(scenario, &[engine], step.into_iter().collect()).map_err(|e| anyhow!(e))?;
    study.variations = vec![set];
    let (code, result) = study::run(&study, matches, out)?;
    let wanted = |name: &str| matches.get_one::<PathBuf>(name);
    let (mcap, parquet, csv) = (wanted("mcap"), wanted("parquet"), wanted("csv"));
    if mcap.is_none() && parquet.is_none() && csv.is_none() {
        return Ok(code);
    }
    let row = result.rows.first().context("nothing was run")?;
    let store = StoreReader::open(&arguments::folder(matches))?;
    let Some(record) = store.record(TrialKey(row.key))? else { bail!("no record to write: {}", row.reason) };
    if let Some(path) = mcap {
        veracity_record::mcap::write_mcap(&record, path)?;
    }
    if let Some(path) = parquet {
        veracity_record::table_of_track::write_track(&record, path)?;
    }
    if let Some(path) = csv {
        veracity_record::csv::write_csv(&record, path)?;
    }
    if !matches.get_flag("json") {
        for path in [mcap, parquet, csv].into_iter().flatten() {
            writeln!(out, "record: {}", path.display())?;
        }
    }
    Ok(code)
}
