//! `veracity tempo run FILE`: a robot's real programs in step with simulated time; `tempo channels FILE`: what they may
//! observe and command.

use super::Command;
use crate::engines::{self, Resolved};
use crate::output::Output;
use crate::tempo::{checks, json, print};
use crate::{NOT_ACCEPTED, model_arguments, scenario_files};
use anyhow::{Context, bail};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_measure::Verdict;
use veracity_tempo::{Mode, RunOptions, TempoConfig, schedule};

pub struct Tempo;

impl Command for Tempo {
    fn name(&self) -> &'static str {
        "tempo"
    }

    fn about(&self) -> &'static str {
        "Run a robot's real programs in step with simulated time: their CPU time is the world's time"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let path = |name: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
        };
        let flag =
            |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
        let file = Arg::new("FILE").required(true).value_parser(value_parser!(PathBuf));
        let run = clap::Command::new("run")
            .about("Run the scenario and the programs a file names")
            .arg(file.help("Scenario, engine and programs; docs/tempo.md says how"))
            .arg(
                Arg::new("mode")
                    .long("mode")
                    .value_parser(["consistent", "callback"])
                    .default_value("consistent")
                    .help(
                        "consistent: CPU time is metered; callback: the world stands still while a program computes",
                    ),
            )
            .arg(
                Arg::new("cpu-scale")
                    .long("cpu-scale")
                    .value_name("X")
                    .value_parser(value_parser!(f64))
                    .default_value("1")
                    .help("Speed of the robot's computer as a multiple of this one's, e.g. 0.3"),
            )
            .arg(path("schedule", "Write every charge, preemption and wake-up, for --replay-schedule"))
            .arg(path("replay-schedule", "Answer the programs as recorded: the same motion, bit for bit"))
            .arg(path("mcap", "Write the motion as MCAP, with what each program did in each step on /tempo/steps"))
            .arg(path(
                "report",
                "Write an HTML page of which program computed when, what was late and Delta over time",
            ))
            .arg(path("output", "Folder for the programs' output [default: discarded]"))
            .arg(flag("no-real-time", "Do not use real-time classes, even where they are allowed"))
            .arg(flag("json", "Print the result as JSON"));
        let file = Arg::new("FILE").required(true).value_parser(value_parser!(PathBuf));
        let channels = clap::Command::new("channels")
            .about("List the names and units that programs may observe and command")
            .arg(file.help("As for `tempo run`; no program is started"))
            .arg(flag("json", "Print the result as JSON"));
        let command = command.subcommand(model_arguments::add(channels));
        command.subcommand_required(true).subcommand(model_arguments::add(run).after_help(
            "Exit codes: 0 every controller meets its rate and every check of the scenario is accepted, 1 one is not, or cannot \
             tell, 2 could not run.",
        ))
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let (runs, matches) = match matches.subcommand() {
            Some(("run", matches)) => (true, matches),
            Some(("channels", matches)) => (false, matches),
            _ => bail!("write `veracity tempo run FILE`"),
        };
        let file = matches.get_one::<PathBuf>("FILE").context("no file")?;
        let config = TempoConfig::load(file)?;
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let beside = folder.join(&config.scenario);
        let named = if beside.exists() { beside } else { PathBuf::from(&config.scenario) };
        let scenario = scenario_files::scenario(&named, matches)?;
        let Resolved { engine, settings, .. } = engines::read(&config.engine)?;
        if !runs {
            let channels = veracity_tempo::channels(engine, &settings, &scenario, &config)?;
            if matches.get_flag("json") {
                writeln!(out, "{}", serde_json::to_string_pretty(&json::channels(&channels))?)?;
            } else {
                print::channels(&channels, out)?;
            }
            return Ok(0);
        }
        let mode = match matches.get_one::<String>("mode").map(String::as_str) {
            Some("callback") => Mode::Callback,
            _ => Mode::Consistent,
        };
        let replay = matches.get_one::<PathBuf>("replay-schedule").map(|p| schedule::read(p)).transpose()?;
        if replay.is_some() && mode == Mode::Callback {
            bail!("a replay is of a consistent run; leave out --mode callback");
        }
        let output = matches.get_one::<PathBuf>("output").cloned();
        if let Some(folder) = &output {
            std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        }
        let preload = preloaded_library();
        let options = RunOptions {
            mode,
            cpu_scale: *matches.get_one::<f64>("cpu-scale").context("no scale")?,
            real_time: !matches.get_flag("no-real-time"),
            replay,
            folder,
            output,
            preload,
        };
        let run = veracity_tempo::run(engine, &settings, &scenario, &config, &options)?;
        if let Some(path) = matches.get_one::<PathBuf>("schedule") {
            schedule::write(path, &run.head, &run.events)?;
        }
        if let Some(path) = matches.get_one::<PathBuf>("mcap") {
            veracity_record::mcap::write_mcap_beside(&run.record, &[json::channel(&run)?], path)?;
        }
        let good =
            run.summary.clients.iter().all(|c| c.verdict.as_ref().is_none_or(|v| v.verdict == Verdict::Accepted));
        let judged = checks::of(&run, &scenario);
        let code = if good && checks::pass(&judged) && !run.summary.interrupted { 0 } else { NOT_ACCEPTED };
        let mode = match (&options.replay, mode) {
            (Some(_), _) => "replay",
            (None, Mode::Callback) => "callback",
            _ => "consistent",
        };
        if let Some(path) = matches.get_one::<PathBuf>("report") {
            veracity_record::file::write_bytes(path, veracity_tempo::page(&run, mode))?;
        }
        if matches.get_flag("json") {
            writeln!(out, "{}", serde_json::to_string_pretty(&json::document(&run, mode, code, &judged))?)?;
        } else {
            print::print(&run, mode, out)?;
            checks::print(&judged, out)?;
        }
        Ok(code)
    }
}

/// The library for unmodified programs: next to this program, or where an installation has it.
fn preloaded_library() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.to_path_buf();
    let places =
        ["libveracity_preload.so", "../lib/libveracity_preload.so", "../lib/veracity/libveracity_preload.so"];
    places.iter().map(|place| folder.join(place)).find(|path| path.is_file())
}
