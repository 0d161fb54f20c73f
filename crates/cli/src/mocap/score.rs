//! `veracity mocap score STUDY`: recorded tosses simulated by every engine of a study.

use crate::output::Output;
use crate::study::arguments::folder;
use crate::study::{progress, stop_on_interrupt};
use crate::{COULD_NOT_RUN, NOT_ACCEPTED, engines};
use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_lab::{Lab, Store, Threads};
use veracity_regress::datasets::tosses::{Scored, Scores, TossEngine, TossPart, TossStudy, export, score};

/// Name of the schema; the number grows when a field changes its meaning or is removed.
const SCHEMA: &str = "veracity-tosses/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'static str,
    study: &'a str,
    exit_code: u8,
    scores: &'a Scores,
}

/// Its arguments.
pub fn arguments(command: clap::Command) -> clap::Command {
    let study = Arg::new("STUDY").required(true).value_parser(value_parser!(PathBuf));
    let flag =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    let value = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .arg(study.help("A study of tosses (see docs/tosses.md); studies/cube_toss has one"))
        .arg(
            value("data", "FOLDER", "Where recorded data is [default: the variable VERACITY_DATA]")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            value("engine", "SPEC", "Score this engine instead of the study's; may be given several times")
                .action(ArgAction::Append),
        )
        .arg(
            value("part", "PART", "Score the tosses that parameters were fitted on, or those held out")
                .value_parser(["all", "fitted", "held-out"])
                .default_value("all"),
        )
        .arg(
            value(
                "calibration",
                "TEMPLATE",
                "Score nothing: write the tosses as recordings of this calibration to --out",
            )
            .value_parser(value_parser!(PathBuf)),
        )
        .arg(value("every", "N", "Take every Nth toss only").value_parser(value_parser!(u32).range(1..)))
        .arg(crate::study::arguments::out())
        .arg(
            value("threads", "N", "How many trials at once [default: one for each core]")
                .value_parser(value_parser!(u16).range(1..)),
        )
        .arg(flag("fresh", "Run every trial again, also those that are stored"))
        .arg(flag("json", "Print JSON (see docs/json.md)"))
        .after_help(
            "Exit codes: 0 every engine that is here ran every toss, 1 some toss was not finished, 2 could not run.",
        )
}

/// Runs the command.
pub fn run(matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
    let file = matches.get_one::<PathBuf>("STUDY").context("no study")?;
    let mut study = TossStudy::load(file)?;
    if let Some(specs) = matches.get_many::<String>("engine") {
        let named = |spec: &String| TossEngine {
            spec: spec.clone(),
            fitted: None,
            label: String::new(),
            set: Default::default(),
            base: None,
        };
        study.engines = specs.map(named).collect();
    }
    if let Some(every) = matches.get_one::<u32>("every") {
        study.every = *every as usize;
    }
    let data = matches.get_one::<PathBuf>("data").cloned();
    let data = data.or_else(|| std::env::var_os("VERACITY_DATA").map(PathBuf::from)).with_context(|| {
        format!("{} is recorded data: name its folder with --data or VERACITY_DATA", study.table.display())
    })?;
    if let Some(template) = matches.get_one::<PathBuf>("calibration") {
        let to = folder(matches);
        std::fs::create_dir_all(&to).with_context(|| format!("{} could not be made", to.display()))?;
        let [fitted, held] = export(&study, file.parent().unwrap_or(Path::new(".")), &data, template, &to)?;
        writeln!(out, "{}: {fitted} tosses to fit, {held} held out", to.join("calibration.toml").display())?;
        return Ok(0);
    }
    let part = match matches.get_one::<String>("part").map(String::as_str) {
        Some("fitted") => TossPart::Fitted,
        Some("held-out") => TossPart::HeldOut,
        _ => TossPart::All,
    };
    let json = matches.get_flag("json");
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
    let bar = progress::Bar::new(threads, json);
    let scores = score(&study, file.parent().unwrap_or(Path::new(".")), &data, part, &lab, &bar);
    bar.clear();
    let scores = scores?;
    drop(lab);
    store.close()?;
    let code = if !scores.complete {
        crate::output::complain(
            "veracity: interrupted; finished tosses are stored; run the same command to continue",
        );
        COULD_NOT_RUN
    } else if scores.engines.iter().any(|e| e.finished < scores.tosses) {
        NOT_ACCEPTED
    } else {
        0
    };
    if json {
        let version = env!("CARGO_PKG_VERSION");
        let document = Document { schema: SCHEMA, version, study: &study.name, exit_code: code, scores: &scores };
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else {
        print(&study, &scores, out)?;
    }
    Ok(code)
}

fn print(study: &TossStudy, scores: &Scores, out: &mut Output) -> std::io::Result<()> {
    let paint = out.paint();
    writeln!(out, "{}", paint.strong(&study.title))?;
    writeln!(
        out,
        "  {} tosses, {} left out; flights are at most {:.2} mm (rms) off a parabola",
        scores.tosses,
        scores.left_out.len(),
        1e3 * scores.worst_residual_m
    )?;
    for why in &scores.left_out {
        writeln!(out, "    left out: {why}")?;
    }
    let name = |s: &Scored| if s.label.is_empty() { s.engine.clone() } else { format!("{}, {}", s.engine, s.label) };
    let rows: Vec<&Scored> = scores.engines.iter().chain([&scores.stays]).collect();
    let width = rows.iter().map(|s| name(s).chars().count()).max().unwrap_or(0);
    writeln!(
        out,
        "  {:width$}  tosses   position, % of the width          rotation, degrees                CPU s",
        "engine"
    )?;
    writeln!(out, "  {:width$}           mean ± std (95 % of the mean)     mean ± std (95 % of the mean)", "")?;
    for s in rows {
        let part = |i: &veracity_measure::statistics::Interval, std: f64| {
            format!("{:5.1} ± {std:4.1} ({:.1} to {:.1})", i.estimate, i.low, i.high)
        };
        writeln!(
            out,
            "  {:width$}  {:>6}   {:<32}  {:<32} {:>6.1}",
            name(s),
            s.finished,
            part(&s.position_percent, s.position_std),
            part(&s.rotation_deg, s.rotation_std),
            s.cpu_s
        )?;
        if let Some([p, r]) = &s.gain {
            let part = |g: &[f64; 3]| format!("{:.2} ({:.2} to {:.2})", g[0], g[1], g[2]);
            writeln!(out, "    fitted, better than unfitted by {} % and {} degrees, toss by toss", part(p), part(r))?;
        }
        for (why, count) in &s.failures {
            writeln!(out, "    {} {count} tosses: {why}", paint.doubtful("not finished:"))?;
        }
    }
    for absent in &scores.absent {
        writeln!(out, "  {} {absent}; run `{}` to build them", paint.doubtful("not installed:"), engines::HOW)?;
    }
    if scores.engines.iter().any(|s| s.gain.is_some()) {
        return Ok(());
    }
    writeln!(
        out,
        "  Nothing was fitted: published figures with parameters fitted for each simulator are not like for like."
    )
}
