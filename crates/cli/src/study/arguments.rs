//! Arguments of every command that runs trials.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// Where results go when nobody says.
pub const DEFAULT_OUT: &str = "veracity-results";

/// Adds them.
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
        .arg(flag("resume", "Go on with a run that was interrupted; an error if there is none"))
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
