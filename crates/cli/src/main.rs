//! The `veracity` command: arguments, printing, exit codes.
//!
//! Every command is one file in `commands` and one line in [`commands::COMMANDS`]; parser, help and dispatch follow from
//! that list. Exit codes: 0 accepted, 1 not accepted, 2 could not run.

mod audit;
mod commands;
mod cycle;
mod engine_libraries;
mod engines;
mod findings;
mod init;
mod inspect;
mod mocap;
mod model_arguments;
mod output;
mod paint;
mod regress;
mod run;
mod scenario_files;
mod study;
mod tempo;
mod trace;

/// Lets tests count allocations while printing.
#[cfg(test)]
#[global_allocator]
static MEMORY: veracity_counting::Counting = veracity_counting::Counting;

use commands::COMMANDS;
use output::Output;
use std::process::ExitCode;

/// A command that ran and whose verdict is not "accepted".
const NOT_ACCEPTED: u8 = 1;
/// A command that could not run.
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    veracity_lab::signals::let_large_files_be_errors();
    // A file name can forge an output line just like a name in a file; no legitimate argument has a control character.
    for argument in std::env::args_os().map(|a| a.to_string_lossy().into_owned()) {
        if argument.chars().any(char::is_control) {
            let shown = veracity_model::text::one_line(&argument).into_owned();
            output::complain(format!("veracity: the argument '{shown}' has control characters; rename the file"));
            return ExitCode::from(COULD_NOT_RUN);
        }
    }
    let matches = parser().get_matches();
    let mut out = Output::stdout();
    let Some((name, matches)) = matches.subcommand() else { unreachable!("the parser asks for a command") };
    let command = COMMANDS.iter().find(|c| c.name() == name);
    let Some(command) = command else { unreachable!("the parser knows only listed commands") };
    let code = command.run(matches, &mut out).and_then(|code| out.finish().map(|()| code).map_err(Into::into));
    match code {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // One sentence, followed by its causes after colons.
            let how = engines::how_to_get(&error).unwrap_or_default();
            output::complain(format!("{} {error:#}{how}", paint::stderr().bad("veracity:")));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

fn parser() -> clap::Command {
    clap::Command::new("veracity")
        .version(env!("CARGO_PKG_VERSION"))
        .about("How far can you trust a robot simulation?")
        .after_help("Exit codes: 0 accepted, 1 not accepted, 2 could not run.")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands(COMMANDS.iter().map(|c| c.arguments(clap::Command::new(c.name()).about(c.about()))))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_parser_is_consistent() {
        super::parser().debug_assert();
    }
}
