//! Every command: one file and one entry each.

mod audit;
mod calibrate;
mod check;
mod compare;
mod cycle;
mod engines;
mod init;
mod inspect;
mod list;
mod mocap;
mod paths;
mod regress;
mod report;
mod run;
mod run_scenario;
mod runs;
mod study;
mod tempo;
mod trace;
mod validate;

use crate::output::Output;

/// One command of the command line.
pub trait Command: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn about(&self) -> &'static str;

    /// Adds its arguments.
    fn arguments(&self, command: clap::Command) -> clap::Command;

    /// Runs it and returns the exit code; an error is printed as a sentence and means exit code 2.
    fn run(&self, matches: &clap::ArgMatches, out: &mut Output) -> anyhow::Result<u8>;
}

/// Every command, in the order of the help.
pub const COMMANDS: &[&dyn Command] = &[
    &validate::Validate,
    &check::CheckCommand,
    &audit::AuditCommand,
    &inspect::Inspect,
    &paths::Paths,
    &init::Init,
    &run::Run,
    &compare::Compare,
    &study::StudyCommand,
    &trace::Trace,
    &cycle::Cycle,
    &tempo::Tempo,
    &mocap::Mocap,
    &regress::Regress,
    &calibrate::Calibrate,
    &list::List,
    &engines::EnginesCommand,
    &runs::Runs,
    &report::ReportCommand,
];
