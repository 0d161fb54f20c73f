//! Arguments of every command that runs trials.

use anyhow::bail;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use veracity_lab::Gate;

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
