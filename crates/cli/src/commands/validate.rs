//! `veracity validate`: the built-in suite on every installed engine. The main command.

use super::Command;
use crate::output::Output;
use crate::study::{self, arguments};
use anyhow::anyhow;
use clap::{Arg, ArgMatches};
use veracity_scenario::{Study, catalogue};

pub struct Validate;

impl Command for Validate {
    fn name(&self) -> &'static str {
        "validate"
    }

    fn about(&self) -> &'static str {
        "Run the built-in suite on every installed engine and report which to trust for what"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let suites = catalogue::SUITES.iter().map(|s| s.name);
        let command = command.arg(
            Arg::new("suite")
                .long("suite")
                .value_parser(clap::builder::PossibleValuesParser::new(suites))
                .default_value("quick")
                .help("Which suite"),
        );
        arguments::add(command).after_help(
            "A planned rejection is a success: an engine is shown failing where theory says it must.\n\
             Exit codes: 0 every verdict is the one the catalogue expects, 1 some are not, 2 could not run.",
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let name = matches.get_one::<String>("suite").map_or("quick", String::as_str);
        let suite = Study::built_in(name).map_err(|f| anyhow!("{}", f.to_string().trim_end()))?;
        Ok(study::run(&suite, matches, out)?.0)
    }
}
