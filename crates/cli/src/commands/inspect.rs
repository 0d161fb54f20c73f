//! `veracity inspect MODEL`: the equations of motion, the poses and the contacts of one state, in numbers.

use super::Command;
use crate::inspect::{document::InspectDocument, print};
use crate::model_arguments;
use crate::output::Output;
use crate::run::plan;
use anyhow::{Context, ensure};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::io::Write;
use std::path::PathBuf;

pub struct Inspect;

impl Command for Inspect {
    fn name(&self) -> &'static str {
        "inspect"
    }

    fn about(&self) -> &'static str {
        "Show mass matrix, bias, poses and contacts of a model at one state"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let text = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name(value).allow_hyphen_values(true).help(help)
        };
        let command = command
            .arg(
                Arg::new("MODEL")
                    .required(true)
                    .value_parser(value_parser!(PathBuf))
                    .help("A URDF, SDF or MJCF file"),
            )
            .arg(text(
                "at",
                "WHERE",
                "A keyframe by name, or all positions separated by commas [default: the file's start]",
            ))
            .arg(text("velocity", "SPEEDS", plan::VELOCITY_HELP))
            .arg(
                text("set", "PATH=X", "Change a number first; may be given more than once").action(ArgAction::Append),
            )
            .arg(
                Arg::new("margin-m")
                    .long("margin-m")
                    .value_name("M")
                    .value_parser(value_parser!(f64))
                    .allow_negative_numbers(true)
                    .default_value("0.001")
                    .help("List contact points with a gap of at most this"),
            )
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON (see docs/json.md)"));
        model_arguments::add_srdf(model_arguments::add(command)).after_help(
            "The state is used as given: loops are not closed first. Exit codes: 0 done, 2 could not run.",
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("MODEL").context("no model")?;
        let world = model_arguments::load(file, matches)?;
        let texts: Vec<&str> = matches.get_many::<String>("set").unwrap_or_default().map(String::as_str).collect();
        let world = if texts.is_empty() { world } else { plan::with_numbers(&world, &texts)? };
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let mut start = plan::start(&world, ("--at", text("at")))?;
        if let Some(speeds) = text("velocity") {
            plan::set_velocity(&world, &mut start, ("--velocity", speeds))?;
        }
        let margin = matches.get_one::<f64>("margin-m").copied().unwrap_or_default();
        ensure!(margin.is_finite(), "--margin-m is {margin}; it must be a number");
        let shown = file.display().to_string();
        let document = InspectDocument::new(shown.clone(), &world, &start, margin)?;
        if matches.get_flag("json") {
            serde_json::to_writer_pretty(&mut *out, &document)?;
            writeln!(out)?;
        } else {
            print::print(out, &shown, &document)?;
        }
        Ok(0)
    }
}
