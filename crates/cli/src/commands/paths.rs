//! `veracity paths FILE`: every number of a model or scenario by its path, with unit and value.

use super::{Command, run_scenario};
use crate::output::Output;
use crate::{NOT_ACCEPTED, model_arguments, scenario_files};
use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use veracity_model::World;
use veracity_scenario::units;

pub struct Paths;

/// What `--json` prints; described in docs/json.md.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    version: &'static str,
    file: String,
    numbers: Vec<Number>,
}

#[derive(Serialize)]
struct Number {
    path: String,
    /// `null` where it is not finite.
    value: Option<f64>,
    /// SI; empty for a dimensionless number, `null` where the path does not decide it.
    unit: Option<&'static str>,
    /// Whether `--set` can change it; otherwise it follows from parameters of the model.
    settable: bool,
    #[serde(skip)]
    shown: f64,
}

impl Command for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }

    fn about(&self) -> &'static str {
        "List every number of a model or scenario by its path, with unit and value"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let command = command
            .arg(
                Arg::new("FILE")
                    .required(true)
                    .value_parser(value_parser!(PathBuf))
                    .help("A scenario (.toml, or a built-in one by name), or a URDF, SDF or MJCF file"),
            )
            .arg(
                Arg::new("grep")
                    .long("grep")
                    .value_name("WORD")
                    .action(ArgAction::Append)
                    .help("Only paths that contain this word; of several, all of them"),
            )
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the list as JSON"));
        model_arguments::add_srdf(model_arguments::add(command)).after_help(
            "`run` and `compare` change a number with --set PATH=X, studies with [[vary]], mutations and [world] with `set`.\n\
             Exit codes: 0 listed, 1 no path contains the words, 2 could not read the file.",
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("FILE").context("no file")?;
        let (all, free, world) = if run_scenario::is_scenario(file) {
            let scenario = scenario_files::scenario(file, matches)?;
            (scenario.numbers(), scenario.free_numbers(), World::clone(&scenario.world))
        } else {
            let world = model_arguments::load(file, matches)?;
            (world.numbers(), world.free_numbers(), world)
        };
        let words: Vec<String> =
            matches.get_many::<String>("grep").unwrap_or_default().map(|w| w.to_lowercase()).collect();
        let free: BTreeSet<String> = free.into_iter().map(|(path, _)| path).collect();
        let wanted = |path: &str| {
            let path = path.to_lowercase();
            words.iter().all(|word| path.contains(word))
        };
        let number = |(path, shown): (String, f64)| Number {
            value: shown.is_finite().then_some(shown),
            unit: units::unit(&world, &path),
            settable: free.contains(&path),
            path,
            shown,
        };
        let numbers: Vec<Number> = all.into_iter().filter(|(path, _)| wanted(path)).map(number).collect();
        let found = !numbers.is_empty();
        if matches.get_flag("json") {
            let (schema, version) = ("veracity-paths/1", env!("CARGO_PKG_VERSION"));
            let document = Document { schema, version, file: file.display().to_string(), numbers };
            serde_json::to_writer_pretty(&mut *out, &document)?;
            writeln!(out)?;
        } else {
            let width = numbers.iter().map(|n| n.path.chars().count()).max().unwrap_or(0);
            for n in &numbers {
                let unit = n.unit.unwrap_or("?");
                let fixed = if n.settable { "" } else { "  (follows from parameters)" };
                let line = format!("{:width$}  {:>12}  {unit}{fixed}", n.path, n.shown);
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        if !found {
            crate::output::complain(format!(
                "veracity: no path of {} contains {}",
                file.display(),
                words.join(" and ")
            ));
        }
        Ok(if found { 0 } else { NOT_ACCEPTED })
    }
}
