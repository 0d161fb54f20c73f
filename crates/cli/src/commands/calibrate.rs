//! `veracity calibrate FILE`: the parameters with which a simulation agrees with recordings, and how well the recordings
//! determine them.

use super::Command;
use crate::output::Output;
use crate::study::arguments::{folder, out};
use crate::study::stop_on_interrupt;
use crate::{NOT_ACCEPTED, engines};
use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_calibrate::{Calibration, CalibrationFit, fit};
use veracity_lab::{Lab, Store, Threads};
use veracity_measure::Verdict;

pub struct Calibrate;

/// Name of the schema; the number grows when a field changes its meaning or is removed.
const SCHEMA: &str = "veracity-calibrate/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'static str,
    calibration: &'a str,
    engine: &'a str,
    exit_code: u8,
    fit: &'a CalibrationFit,
}

impl Command for Calibrate {
    fn name(&self) -> &'static str {
        "calibrate"
    }

    fn about(&self) -> &'static str {
        "Fit parameters of a simulation to recordings, with intervals, or say what the recordings do not determine"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let file = Arg::new("FILE").required(true).value_parser(value_parser!(PathBuf));
        let flag =
            |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
        command
            .arg(file.help("A calibration (see docs/calibrate.md)"))
            .arg(
                Arg::new("engine")
                    .long("engine")
                    .value_name("SPEC")
                    .help("Simulate with this engine instead of the file's (see `veracity list engines`)"),
            )
            .arg(out())
            .arg(
                Arg::new("threads")
                    .long("threads")
                    .value_name("N")
                    .value_parser(value_parser!(u16).range(1..))
                    .help("How many trials at once [default: one for each core]"),
            )
            .arg(flag("fresh", "Run every trial again, also those that are stored"))
            .arg(flag("json", "Print JSON (see docs/json.md)"))
            .after_help("Exit codes: 0 accepted, 1 cannot tell, 2 could not run.")
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let path = matches.get_one::<PathBuf>("FILE").context("no file")?;
        let mut file = Calibration::load(path)?;
        if let Some(spec) = matches.get_one::<String>("engine") {
            spec.clone_into(&mut file.engine);
        }
        let store = Store::open(&folder(matches))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = matches.get_one::<u16>("threads").map_or(cores, |n| usize::from(*n));
        let executor = Threads::new(threads).context("no threads could be made")?;
        let build = engines::build()?;
        let lab = Lab {
            engines: engines::engines(&build),
            store: &store,
            executor: &executor,
            stop: stop_on_interrupt()?,
            fresh: matches.get_flag("fresh"),
        };
        let found = fit(&file, path.parent().unwrap_or(Path::new(".")), &lab);
        drop(lab);
        store.close()?;
        let found = found?;
        let code = if found.verdict == Verdict::Accepted { 0 } else { NOT_ACCEPTED };
        if matches.get_flag("json") {
            let document = Document {
                schema: SCHEMA,
                version: env!("CARGO_PKG_VERSION"),
                calibration: &file.name,
                engine: &file.engine,
                exit_code: code,
                fit: &found,
            };
            writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
        } else {
            print(&file, &found, out)?;
        }
        Ok(code)
    }
}

fn print(file: &Calibration, found: &CalibrationFit, out: &mut Output) -> std::io::Result<()> {
    writeln!(out, "{}: {}", found.verdict, found.reasons.join("; "))?;
    writeln!(out, "{}: {} ({})", file.name, file.title, file.engine)?;
    let width = found.parameters.iter().map(|p| p.name.len()).max().unwrap_or(0);
    for p in &found.parameters {
        let end = match (p.at_bound, p.determined) {
            (Some(bound), _) => format!("  held by its {bound} bound"),
            (None, false) => "  not determined".to_owned(),
            (None, true) => String::new(),
        };
        writeln!(out, "  {:width$}  {:.6} ({:.6} to {:.6}){end}", p.name, p.estimate, p.low, p.high)?;
    }
    writeln!(out, "  residuals in standard deviations of the measurement, fitted (with the start values):")?;
    for score in &found.scores {
        let held = if score.held_out { ", held out" } else { "" };
        writeln!(
            out,
            "    {}: {:.3} ({:.3}), {} numbers{held}",
            score.recording, score.rms, score.rms_at_start, score.count
        )?;
    }
    writeln!(
        out,
        "  chance of such residuals with the right model: {:.3}; correlation of neighbours {:.2}; intervals widened by {:.2}",
        found.p,
        found.residual_correlation,
        found.inflation.sqrt()
    )?;
    let (ran, stored) = found.trials;
    writeln!(out, "  {} points; {ran} trials run, {stored} found in the store", found.evaluations)
}
