//! Arguments of every command that reads model files.

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::path::PathBuf;
use veracity_model::import::{Base, ImportOptions};

/// Adds `--base`, `--package-path` and `--confine`.
pub fn add(command: clap::Command) -> clap::Command {
    command
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("HOW")
                .value_parser(["fixed", "free"])
                .help("How the root of a URDF is held [default: as the .toml beside the file says, else fixed]"),
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
                .help("Read files only from the model's folder and the package paths: for files from strangers"),
        )
}

/// Adds `--srdf`, for commands that read one model.
pub fn add_srdf(command: clap::Command) -> clap::Command {
    command.arg(Arg::new("srdf").long("srdf").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
        "Named poses and excluded pairs of a URDF [default: the .srdf of the same name beside it or in ../srdf]",
    ))
}

/// What the arguments say.
pub fn options(matches: &ArgMatches) -> ImportOptions {
    ImportOptions {
        base: matches.get_one::<String>("base").map(|b| if b == "free" { Base::Free } else { Base::Fixed }),
        resource_roots: matches.get_many::<PathBuf>("package-path").unwrap_or_default().cloned().collect(),
        confine: matches.get_flag("confine"),
        srdf: matches.try_get_one::<PathBuf>("srdf").ok().flatten().cloned(),
    }
}
