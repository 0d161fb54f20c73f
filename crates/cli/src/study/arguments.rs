//! Arguments of every command that runs trials.

use anyhow::bail;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};
use veracity_lab::Gate;
use veracity_scenario::Study;

/// Default results folder.
pub const DEFAULT_OUT: &str = "veracity-results";

/// Adds the arguments.
pub fn add(command: Command) -> Command {
    let flag =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    command
        .arg(out())
        .arg(
            Arg::new("threads")
                .long("threads")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("How many trials at once [default: one for each core]"),
        )
        .arg(flag("resume", "Continue an interrupted run; fails if no run was interrupted"))
        .arg(flag("fresh", "Run every trial again, also those that are stored").conflicts_with("resume"))
        .arg(flag("no-report", "Do not write index.html"))
        .arg(flag("leaderboard", "Print every place of every scenario, not only the first three"))
        .arg(flag("json", "Print JSON (see docs/json.md)"))
        .arg(
            Arg::new("junit")
                .long("junit")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Also write the verdicts as JUnit XML"),
        )
        .arg(
            Arg::new("baseline")
                .long("baseline")
                .value_name("OLD")
                .help("A folder of older results or a --json file: exit 1 when a verdict or a number got worse"),
        )
        .arg(
            Arg::new("write-expect")
                .long("write-expect")
                .value_name("STUDY.toml")
                .value_parser(value_parser!(PathBuf))
                .help("Append an [[expect]] to a study file for every verdict without an expectation; a new file becomes a study"),
        )
        .arg(
            Arg::new("boundary")
                .long("boundary")
                .value_name("NAME=WIDTH")
                .action(ArgAction::Append)
                .help("Locate where acceptance ends along a varied number, to this width (as 'boundary' in [[vary]])"),
        )
        .arg(Arg::new("label").long("label").value_name("NAME").help("A name for this run in `veracity runs`"))
        .arg(
            Arg::new("gate")
                .long("gate")
                .value_parser(["verdicts", "regressions", "both"])
                .default_value("both")
                .help("What decides the exit code: verdicts, regressions against --baseline, or both"),
        )
        .arg(
            Arg::new("markdown")
                .long("markdown")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Also write a summary as Markdown, for a comment on a pull request"),
        )
}

/// `--out` alone.
pub fn out() -> Arg {
    Arg::new("out")
        .long("out")
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .default_value(DEFAULT_OUT)
        .help("Where results are stored and index.html is written")
}

/// The folder of `--out`.
pub fn folder(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<PathBuf>("out").cloned().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT))
}

/// The scenario file that a command was given, if it takes one.
pub fn scenario_file(matches: &ArgMatches) -> Option<&Path> {
    let of = |id| matches.try_get_one::<PathBuf>(id).ok().flatten();
    of("SCENARIO").or_else(|| of("WHAT")).map(PathBuf::as_path)
}

/// Applies `--boundary NAME=WIDTH`.
pub fn boundaries(study: &mut Study, matches: &ArgMatches) -> anyhow::Result<()> {
    for text in matches.get_many::<String>("boundary").unwrap_or_default() {
        let parts =
            text.rsplit_once('=').and_then(|(name, width)| Some((name.trim(), width.trim().parse::<f64>().ok()?)));
        let Some((name, width)) = parts.filter(|(_, width)| *width > 0.0 && width.is_finite()) else {
            bail!("--boundary {text}: write NAME=WIDTH with a positive width, e.g. friction=0.01");
        };
        let known: Vec<String> = study.axes.iter().map(|axis| axis.name.clone()).collect();
        match study.axes.iter_mut().find(|axis| axis.name == name || axis.path == name) {
            None if known.is_empty() => bail!("--boundary {text}: the study varies nothing; add a [[vary]]"),
            None => bail!("--boundary {text}: the study varies no '{name}'; it varies {}", known.join(", ")),
            Some(axis) if axis.sampled => {
                bail!("--boundary {text}: '{name}' is drawn from a distribution; give it 'values'")
            }
            Some(axis) => axis.boundary = Some(width),
        }
    }
    Ok(())
}

/// The gate of `--gate`.
pub fn gate(matches: &ArgMatches) -> anyhow::Result<Gate> {
    let baseline = matches.get_one::<String>("baseline").is_some();
    Ok(match matches.get_one::<String>("gate").map(String::as_str) {
        Some("verdicts") => Gate::Verdicts,
        Some("regressions") if !baseline => bail!("--gate regressions needs --baseline OLD to compare with"),
        Some("regressions") => Gate::Regressions,
        _ => Gate::Both,
    })
}
