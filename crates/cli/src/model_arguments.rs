//! Arguments of every command that reads model files.

use crate::findings::{by_kind, line, shown_from_here};
use anyhow::anyhow;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::path::{Path, PathBuf};
use veracity_model::import::{Base, ImportOptions};
use veracity_model::{Severity, World, import};

/// Adds `--base`, `--package-path` and `--confine`.
pub fn add(command: clap::Command) -> clap::Command {
    command
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("HOW")
                .value_parser(["fixed", "free"])
                .help("How the root of a URDF is held [default: as given by the .toml next to the file, else fixed]"),
        )
        .arg(
            Arg::new("package-path")
                .long("package-path")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .action(ArgAction::Append)
                .help("Where package://NAME/… and model://NAME/… are looked up; may be given more than once"),
        )
        .arg(
            Arg::new("confine")
                .long("confine")
                .action(ArgAction::SetTrue)
                .help("Read files only from the model's folder and the package paths: for untrusted files"),
        )
}

/// Adds `--srdf`, for commands that read one model.
pub fn add_srdf(command: clap::Command) -> clap::Command {
    command.arg(Arg::new("srdf").long("srdf").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
        "Named poses and excluded pairs of a URDF [default: the .srdf of the same name next to it or in ../srdf]",
    ))
}

/// The import options of the arguments.
pub fn options(matches: &ArgMatches) -> ImportOptions {
    ImportOptions {
        base: matches.get_one::<String>("base").map(|b| if b == "free" { Base::Free } else { Base::Fixed }),
        resource_roots: matches.get_many::<PathBuf>("package-path").unwrap_or_default().cloned().collect(),
        confine: matches.get_flag("confine"),
        srdf: matches.try_get_one::<PathBuf>("srdf").ok().flatten().cloned(),
        sidecar: None,
    }
}

/// The world of a file; warnings go to standard error, and if there is no world they are the error.
pub fn load(file: &Path, matches: &ArgMatches) -> anyhow::Result<World> {
    load_with(file, matches, |_| {})
}

/// The same with options changed after the arguments were read.
pub fn load_with(
    file: &Path,
    matches: &ArgMatches,
    change: impl FnOnce(&mut ImportOptions),
) -> anyhow::Result<World> {
    let mut options = options(matches);
    change(&mut options);
    let imported = import::load(file, &options);
    let errors = imported.findings.iter().filter(|f| f.severity == Severity::Error);
    let errors: Vec<String> = by_kind(errors, |f| f.code).iter().map(|(f, more)| line(f, *more)).collect();
    let shown = shown_from_here(file);
    let Some(world) = imported.world else {
        return Err(anyhow!("{}", errors.join("\n")).context(format!("no model could be read from {shown}")));
    };
    if !errors.is_empty() {
        // Part of the robot is missing or wrong: `check` judges the rest, but its motion would be misleading.
        return Err(anyhow!("{}", errors.join("\n")).context(format!("{shown} is not usable as written")));
    }
    let doubtful = imported.findings.iter().filter(|f| f.severity >= Severity::Warning).count()
        + world.placements.iter().map(|p| p.model.warnings().len()).sum::<usize>();
    if doubtful > 0 {
        let times = if doubtful == 1 { "one warning".to_string() } else { format!("{doubtful} warnings") };
        crate::output::complain(format!("veracity: {times} about this model; `veracity check {shown}` shows them"));
    }
    Ok(world)
}
