//! `veracity engines`: which engines are installed, and how to install the others.

use super::Command;
use crate::NOT_ACCEPTED;
use crate::engine_libraries::{LIBRARIES, State, install, state};
use crate::engines::{self, WORKERS, how};
use crate::output::Output;
use clap::{Arg, ArgMatches};
use std::io::Write;

pub struct EnginesCommand;

impl Command for EnginesCommand {
    fn name(&self) -> &'static str {
        "engines"
    }

    fn about(&self) -> &'static str {
        "List the engines with version and origin, or install the library of one"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let names = WORKERS.iter().map(|(name, _)| *name);
        let name = Arg::new("NAME").required(true).value_parser(clap::builder::PossibleValuesParser::new(names));
        command.subcommand(
            clap::Command::new("install")
                .about("Install the library that the worker of an engine needs, and start the worker")
                .arg(name.help("The engine"))
                .after_help(
                    "MuJoCo's library comes from its wheel (needs Python 3 with pip) and is put into engines/ next to this \
                     program; those of the others are Debian packages (needs root). Nothing else is changed.",
                ),
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        if let Some(("install", matches)) = matches.subcommand() {
            let name = matches.get_one::<String>("NAME").map_or("", String::as_str);
            writeln!(out, "{}", install(name)?)?;
            return Ok(0);
        }
        for engine in engines::ENGINES {
            writeln!(out, "{:10}  installed       {} (built in)", engine.name(), engine.version())?;
        }
        let mut broken = 0;
        for (name, library) in LIBRARIES {
            let (word, text) = match state(name) {
                State::Ready { path, version } => {
                    ("installed", format!("{version} (worker {}; library: {})", path.display(), library.text()))
                }
                State::Broken { why, .. } => {
                    broken += 1;
                    ("does not start", format!("{why}; run `veracity engines install {name}`"))
                }
                State::Absent => ("not built", format!("in the source tree `{}` builds it", how(name))),
            };
            writeln!(out, "{name:10}  {word:14}  {text}")?;
        }
        Ok(if broken > 0 { NOT_ACCEPTED } else { 0 })
    }
}
