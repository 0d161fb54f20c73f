//! `veracity runs`: what a results folder holds.

use super::Command;
use crate::output::Output;
use crate::study::arguments;
use crate::study::report_data::utc;
use anyhow::bail;
use clap::ArgMatches;
use std::io::Write;
use veracity_lab::StoreReader;

pub struct Runs;

impl Command for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn about(&self) -> &'static str {
        "List the runs a results folder holds"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        command.arg(arguments::out())
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let folder = arguments::folder(matches);
        if !folder.join("store.sqlite").is_file() {
            bail!("{} holds no results; `veracity validate` makes some", folder.display());
        }
        // Read-only: a study that is writing here must not notice.
        let store = StoreReader::open(&folder)?;
        let runs = store.runs()?;
        let width = runs.iter().map(|r| r.study.chars().count()).max().unwrap_or(0);
        for run in runs {
            let state = match (run.complete, store.result(Some(run.id))?) {
                (true, Some((_, result))) => crate::study::table::summary(&result),
                _ => format!(
                    "not complete, {} trials planned: still running, or interrupted (--resume goes on)",
                    run.planned
                ),
            };
            let when = utc(run.began_unix_s.max(0.0) as u64);
            writeln!(out, "{:>4}  {when}  {:width$}  {state}", run.id, run.study)?;
        }
        Ok(0)
    }
}
