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
use veracity_calibrate::file::Goal;
use veracity_calibrate::fit::Horizon;
use veracity_calibrate::{Calibration, CalibrationFit, CheapestSettings, FittedFile, cheapest, fit};
use veracity_lab::{Lab, Store, Threads};
use veracity_measure::Verdict;
use veracity_record::file::write_bytes;

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
            .arg(
                Arg::new("data")
                    .long("data")
                    .value_name("FOLDER")
                    .value_parser(value_parser!(PathBuf))
                    .help("Where recorded data is [default: the variable VERACITY_DATA]"),
            )
            .arg(
                Arg::new("fitted")
                    .long("fitted")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("Fit nothing: compare the recordings with these parameters, which --write wrote"),
            )
            .arg(
                Arg::new("write")
                    .long("write")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .conflicts_with("fitted")
                    .help("Write the fitted parameters to this file"),
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
        let given = match matches.get_one::<PathBuf>("fitted") {
            None => None,
            Some(path) => {
                let fitted = FittedFile::load(path)?;
                if matches.get_one::<String>("engine").is_none() {
                    fitted.engine.clone_into(&mut file.engine);
                }
                Some(fitted.values(&file)?)
            }
        };
        let store = Store::open(&folder(matches))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = matches.get_one::<u16>("threads").map_or(cores, |n| usize::from(*n));
        let executor = Threads::new(threads).context("cannot start threads")?;
        let build = engines::build()?;
        let lab = Lab {
            engines: engines::engines(&build),
            store: &store,
            executor: &executor,
            stop: stop_on_interrupt()?,
            fresh: matches.get_flag("fresh"),
        };
        if file.search.goal == Goal::Cheapest {
            let found = cheapest(&file, path.parent().unwrap_or(Path::new(".")), &lab);
            drop(lab);
            store.close()?;
            return print_cheapest(&file, &found?, matches.get_flag("json"), out);
        }
        let data = matches.get_one::<PathBuf>("data").cloned();
        let data = data.or_else(|| std::env::var_os("VERACITY_DATA").map(PathBuf::from));
        let found = fit(&file, path.parent().unwrap_or(Path::new(".")), data.as_deref(), given.as_deref(), &lab);
        drop(lab);
        store.close()?;
        let found = found?;
        if let Some(path) = matches.get_one::<PathBuf>("write") {
            write_bytes(path, FittedFile::new(&file, &found).text())?;
        }
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

#[derive(Serialize)]
struct CheapestDocument<'a> {
    schema: &'static str,
    version: &'static str,
    calibration: &'a str,
    exit_code: u8,
    cheapest: &'a CheapestSettings,
}

fn print_cheapest(file: &Calibration, found: &CheapestSettings, json: bool, out: &mut Output) -> anyhow::Result<u8> {
    let code = if found.best.is_some() { 0 } else { NOT_ACCEPTED };
    if json {
        let document = CheapestDocument {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            calibration: &file.name,
            exit_code: code,
            cheapest: found,
        };
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
        return Ok(code);
    }
    let accepted = found.tried.iter().filter(|t| t.verdict == "accepted").count();
    match &found.best {
        Some(best) => writeln!(
            out,
            "cheapest: {} at steps of {} s, {:.4} s of CPU time for a simulated second (median of repeated runs)",
            best.engine, best.step_s, best.cpu_per_simulated_s
        )?,
        None => writeln!(out, "none of the {} settings tried is accepted", found.tried.len())?,
    }
    writeln!(out, "{}: {}", file.name, file.title)?;
    writeln!(
        out,
        "  start: {} at steps of {} s, {:.4} s, {}: {}",
        found.start.engine,
        found.start.step_s,
        found.start.cpu_per_simulated_s,
        found.start.verdict,
        found.start.reason
    )?;
    let ended = if found.converged { "by itself" } else { "at its budget" };
    writeln!(out, "  {} settings tried, {accepted} accepted; the search ended {ended}", found.tried.len())?;
    Ok(code)
}

/// Recordings shown on the terminal.
const MOST_SHOWN: usize = 40;

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
    let several = found.scores.len() > MOST_SHOWN;
    for score in found.scores.iter().take(MOST_SHOWN) {
        let held = if score.held_out { ", held out" } else { "" };
        writeln!(
            out,
            "    {}: {:.3} ({:.3}), {} numbers{held}",
            score.recording, score.rms, score.rms_at_start, score.count
        )?;
        let shown =
            |h: &Horizon| format!("{} {:.2} s{}", h.component, h.horizon_s, if h.whole { " (all)" } else { "" });
        if score.held_out && !score.horizons.is_empty() {
            let all: Vec<String> = score.horizons.iter().map(shown).collect();
            writeln!(out, "      within three deviations for: {}", all.join(", "))?;
        }
    }
    if several {
        writeln!(out, "    … {} more; --json has all of them", found.scores.len() - MOST_SHOWN)?;
    }
    if let Some([gain, low, high]) = found.gain {
        writeln!(
            out,
            "  held out, mean error smaller than with the start values by {gain:.4} ({low:.4} to {high:.4}) deviations"
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
