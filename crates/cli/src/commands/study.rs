//! `veracity study STUDY.toml`: scenarios x engines x steps x variations x seeds.

use super::Command;
use crate::output::Output;
use crate::study::{self, arguments};
use crate::{model_arguments, scenario_files};
use anyhow::Context;
use clap::{Arg, ArgMatches, value_parser};
use std::path::PathBuf;
use veracity_scenario::catalogue::SUITES;

pub struct StudyCommand;

impl Command for StudyCommand {
    fn name(&self) -> &'static str {
        "study"
    }

    fn about(&self) -> &'static str {
        "Run a study: scenarios on engines at steps, with variations and seeds"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let file = Arg::new("STUDY").required(true).value_parser(value_parser!(PathBuf));
        let built_in: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
        let help = format!("A study file (see docs/scenarios.md), or a built-in study: {}", built_in.join(", "));
        let command = command.arg(file.help(help));
        model_arguments::add(arguments::add(command))
            .after_help("Exit codes: 0 accepted or as expected, 1 not, 2 could not run.")
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("STUDY").context("no study")?;
        let study = scenario_files::study(file, matches)?;
        Ok(study::run(&study, matches, out)?.0)
    }
}
