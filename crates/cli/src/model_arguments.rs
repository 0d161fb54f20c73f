//! Arguments of every command that reads model files.

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::path::PathBuf;
use veracity_model::import::{Base, ImportOptions};

/// Adds `--base` and `--package-path`.
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
}

/// What the arguments say.
pub fn options(matches: &ArgMatches) -> ImportOptions {
    ImportOptions {
        base: matches.get_one::<String>("base").map(|b| if b == "free" { Base::Free } else { Base::Fixed }),
        resource_roots: matches.get_many::<PathBuf>("package-path").unwrap_or_default().cloned().collect(),
    }
}
