//! Scenario and study files on the command line: read, with one sentence for each problem.

use crate::findings::{by_kind, line};
use crate::model_arguments;
use anyhow::anyhow;
use clap::ArgMatches;
use std::path::Path;
use veracity_engine::EngineSpec;
use veracity_model::{Findings, Overrides, Severity};
use veracity_scenario::{LoadOptions, Scenario, Study, TraceSetup, catalogue};

/// A study by its file, or a built-in one by its name.
pub fn study(name: &Path, matches: &ArgMatches) -> anyhow::Result<Study> {
    let built_in = name.to_str().filter(|n| catalogue::SUITES.iter().any(|e| e.name == *n));
    let study = match built_in {
        Some(name) if !Path::new(name).exists() => Study::built_in(name),
        _ => Study::load(name, &options(matches)),
    };
    let study = study.map_err(problems)?;
    warn(&study.findings);
    Ok(study)
}

/// A trace by its file.
pub fn trace(name: &Path, matches: &ArgMatches) -> anyhow::Result<TraceSetup> {
    let mut setup = TraceSetup::load(name, &options(matches)).map_err(problems)?;
    let set = changes(&setup.scenario, matches)?;
    if !set.is_empty() {
        setup = setup.with(&set).map_err(problems)?;
    }
    if let Some(count) = matches.get_one::<u32>("particles") {
        setup.particles = u64::from(*count);
    }
    if let Some(seed) = matches.get_one::<u64>("seed") {
        setup.seed = *seed;
    }
    let engines: Vec<&String> = matches.get_many::<String>("engine").unwrap_or_default().collect();
    if !engines.is_empty() {
        let specs: Result<Vec<EngineSpec>, _> = engines.into_iter().map(|text| text.parse::<EngineSpec>()).collect();
        setup.engines = specs?;
    }
    warn(&setup.findings);
    warn(&setup.scenario.findings);
    Ok(setup)
}

/// A scenario by its file, or a built-in one by its name; prints warnings about it.
pub fn scenario(name: &Path, matches: &ArgMatches) -> anyhow::Result<Scenario> {
    let scenario = inspected_scenario(name, matches)?;
    warn(&scenario.findings);
    Ok(scenario)
}

/// The same for a command whose result contains the inspection of the experiment, and with it these warnings.
pub fn inspected_scenario(name: &Path, matches: &ArgMatches) -> anyhow::Result<Scenario> {
    let built_in = name.to_str().filter(|n| catalogue::CATALOGUE.iter().any(|e| e.name == *n));
    let scenario = match built_in {
        Some(name) if !Path::new(name).exists() => Scenario::built_in(name),
        _ => Scenario::load(name, &options(matches)),
    };
    scenario.map_err(problems)
}

/// The numbers that `--set PATH=X` changes. In a world with one model a path of the model needs no `world/MODEL/`.
pub fn changes(scenario: &Scenario, matches: &ArgMatches) -> anyhow::Result<Overrides> {
    let given: Vec<&str> = matches.get_many::<String>("set").unwrap_or_default().map(String::as_str).collect();
    let parsed = Overrides::parse(given).map_err(problems)?;
    let set: Overrides = parsed.iter().map(|(path, value)| (scenario.full_path(path), value)).collect();
    // Before anything runs: a path that does not exist is reported with similar ones.
    scenario.with(&set).map_err(problems)?;
    Ok(set)
}

fn options(matches: &ArgMatches) -> LoadOptions {
    let options = model_arguments::options(matches);
    LoadOptions { resource_roots: options.resource_roots, confine: options.confine }
}

/// All errors, one per line.
fn problems(findings: Findings) -> anyhow::Error {
    let errors: Vec<String> = findings.iter().filter(|f| f.severity == Severity::Error).map(|f| line(f, 0)).collect();
    anyhow!("{}", errors.join("\n"))
}

/// Prints warnings, to be read before the result is trusted: one line for each kind.
fn warn(findings: &Findings) {
    let warnings = findings.iter().filter(|f| f.severity == Severity::Warning);
    for (finding, more) in by_kind(warnings, |f| f.code) {
        crate::output::complain(format!("veracity: {}", line(finding, more)));
    }
}
