//! `veracity cycle SCENARIO`: whether a walker has a limit cycle, and whether it is stable.

use super::Command;
use crate::cycle::{json, print, spec};
use crate::output::Output;
use crate::{NOT_ACCEPTED, model_arguments, scenario_files};
use anyhow::{Context, anyhow, ensure};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::io::Write;
use std::path::PathBuf;
use veracity_cycle::changed::follow_changes;
use veracity_cycle::judgement::{judge, verdict};
use veracity_cycle::{CycleAnalysis, Search, Walker};
use veracity_measure::Verdict;
use veracity_model::Overrides;

pub struct Cycle;

impl Command for Cycle {
    fn name(&self) -> &'static str {
        "cycle"
    }

    fn about(&self) -> &'static str {
        "Find a walker's limit cycle: fixed point, period, Floquet multipliers, each with its error"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let file = Arg::new("SCENARIO").required(true).value_parser(value_parser!(PathBuf));
        let change = |name: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name("PATH=X").action(ArgAction::Append).help(help)
        };
        let command = command
            .arg(file.help("A scenario file with a [cycle], or a built-in one by name"))
            .arg(
                Arg::new("engine")
                    .long("engine")
                    .value_name("SPEC")
                    .default_value(spec::DEFAULT)
                    .help("What moves the walker; strikes must be located, so the paradigm is 'event'"),
            )
            .arg(change("guess", "Start the search from another value, e.g. start/v/WALKER/hip=0.1; may be given more than once"))
            .arg(change("set", "Change a number of the world, e.g. world/WALKER/parameters/l=1.1; the cycle is followed there from the scenario as written, whose expectation no longer applies"))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the result as JSON"));
        model_arguments::add(command).after_help(
            "Exit codes: 0 as the scenario expects (or, where it expects nothing, stable), 1 not, 2 could not run.",
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("SCENARIO").context("no scenario")?;
        let scenario = scenario_files::scenario(file, matches)?;
        let world =
            overrides(matches, "set", |p| !p.starts_with("start/"), "use --guess for where the search begins")?;
        let guess = overrides(matches, "guess", |p| p.starts_with("start/"), "use --set for numbers of the world")?;
        let apply = |scenario: &veracity_scenario::Scenario, changes: &Overrides| {
            scenario.with(changes).map_err(|findings| {
                let all: Vec<String> =
                    findings.iter().map(|f| veracity_model::text::one_line(&f.text).into_owned()).collect();
                anyhow!("{}", all.join("\n"))
            })
        };
        let as_written = scenario;
        let scenario = apply(&as_written, &world)?;
        let settings = spec::settings(matches.get_one::<String>("engine").context("no engine")?)?;
        let mut walker = Walker::new(&scenario, &settings)?;
        let start = Walker::start(&scenario);
        // Changed numbers move the cycle: it is continued from the known one, unless a guess says where to look.
        let followed = (!world.is_empty() && guess.is_empty())
            .then(|| follow_changes(&as_written, &world, &settings, &Search::default()))
            .flatten();
        let (outcome, steps) = match followed {
            Some(Err(why)) => (CycleAnalysis::NoCycle(why), None),
            followed => {
                let (from, steps) = match followed {
                    Some(Ok(followed)) => (followed.state, Some(followed.steps)),
                    _ => (Walker::start(&apply(&scenario, &guess)?), None),
                };
                let outcome = walker.analyse(&from, &Search::default()).map_err(|why| {
                    anyhow!("{}: near its cycle the walker {why}; multipliers not computed", scenario.name)
                })?;
                (outcome, steps)
            }
        };
        let expect = scenario.cycle.as_ref().and_then(|c| c.expect.as_ref()).filter(|_| world.is_empty());
        let judgement = expect.map(|expect| judge(&walker, &start, &outcome, expect));
        let verdict = verdict(&outcome, judgement.as_ref());
        let code = if verdict == Verdict::Accepted { 0 } else { NOT_ACCEPTED };
        if matches.get_flag("json") {
            let document = json::document(&scenario, &walker, &outcome, steps, judgement.as_ref(), verdict);
            writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
        } else {
            print::print(&scenario, &walker, &outcome, steps, judgement.as_ref(), out)?;
        }
        Ok(code)
    }
}

/// `PATH=X` values of an option.
fn overrides(matches: &ArgMatches, option: &str, fits: fn(&str) -> bool, instead: &str) -> anyhow::Result<Overrides> {
    let mut out = Overrides::new();
    for text in matches.get_many::<String>(option).unwrap_or_default() {
        let parts = text.split_once('=').and_then(|(path, value)| Some((path, value.parse::<f64>().ok()?)));
        let (path, value) =
            parts.with_context(|| format!("--{option} {text}: write PATH=NUMBER, e.g. start/v/walker/hip=0.1"))?;
        ensure!(fits(path), "--{option} {text}: {instead}");
        out.insert(path, value);
    }
    Ok(out)
}
