//! `veracity trace TRACE.toml`: many perturbed runs of one scenario.

use super::Command;
use crate::output::Output;
use crate::study::arguments;
use crate::{model_arguments, scenario_files, trace};
use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::path::PathBuf;

pub struct Trace;

impl Command for Trace {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn about(&self) -> &'static str {
        "Run many perturbed worlds: what can happen, how likely, where it splits, which number decides"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let file = Arg::new("TRACE").required(true).value_parser(value_parser!(PathBuf));
        let command =
            command
                .arg(file.help("A trace file (see docs/traces.md)"))
                .arg(arguments::out())
                .arg(
                    Arg::new("threads")
                        .long("threads")
                        .value_name("N")
                        .value_parser(value_parser!(u16).range(1..))
                        .help("How many particles at once [default: one for each core]"),
                )
                .arg(
                    Arg::new("no-confirm")
                        .long("no-confirm")
                        .action(ArgAction::SetTrue)
                        .help("Do not run again with single numbers swapped to confirm what decides"),
                )
                .arg(
                    Arg::new("particle")
                        .long("particle")
                        .value_name("K")
                        .value_parser(value_parser!(u64))
                        .help("Only make the whole record of particle K, on the first engine, again"),
                )
                .arg(
                    Arg::new("mcap")
                        .long("mcap")
                        .value_name("FILE")
                        .requires("particle")
                        .value_parser(value_parser!(PathBuf))
                        .help("Write the record of that particle as MCAP"),
                )
                .arg(Arg::new("table").long("table").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
                    "Write one line for each particle as CSV: outcome, margin, gaps, values (of the last engine)",
                ))
                .arg(
                    Arg::new("sobol").long("sobol").value_name("N").value_parser(value_parser!(u32).range(8..)).help(
                        "Run N (numbers + 2) more particles for the share of each number in the margin's variance",
                    ),
                )
                .arg(
                    Arg::new("page")
                        .long("page")
                        .value_name("FILE")
                        .value_parser(value_parser!(PathBuf))
                        .help("Write the result as an HTML page: tree, motion, margins, what decides, events"),
                )
                .arg(
                    Arg::new("set")
                        .long("set")
                        .value_name("PATH=X")
                        .action(ArgAction::Append)
                        .help("Change a number of the scenario first; may be given more than once"),
                )
                .arg(
                    Arg::new("particles")
                        .long("particles")
                        .value_name("N")
                        .value_parser(value_parser!(u32).range(2..))
                        .help("Number of particles, the nominal one included, instead of the file's"),
                )
                .arg(
                    Arg::new("seed")
                        .long("seed")
                        .value_name("S")
                        .value_parser(value_parser!(u64))
                        .help("Seed instead of the file's"),
                )
                .arg(
                    Arg::new("engine")
                        .long("engine")
                        .value_name("SPEC")
                        .action(ArgAction::Append)
                        .help("Engine instead of the file's; may be given more than once"),
                )
                .arg(
                    Arg::new("against")
                        .long("against")
                        .value_name("TRACE")
                        .value_parser(value_parser!(PathBuf))
                        .requires("success")
                        .help("Compare with another trace on the same particles: exact McNemar test"),
                )
                .arg(
                    Arg::new("success")
                        .long("success")
                        .value_name("OUTCOME")
                        .help("The outcome that counts as success in that comparison"),
                )
                .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the result as JSON"));
        model_arguments::add(command).after_help(
            "Exit codes: 0 every [[gate]] is accepted (or there is none), 1 not, 2 could not run. An interrupted trace is\ncontinued by the same command: stored particles are not run again.",
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("TRACE").context("no trace")?;
        let setup = scenario_files::trace(file, matches)?;
        let other =
            matches.get_one::<PathBuf>("against").map(|file| scenario_files::trace(file, matches)).transpose()?;
        trace::run(&setup, other.as_ref(), matches, out)
    }
}
