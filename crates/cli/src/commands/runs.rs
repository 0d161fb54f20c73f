//! `veracity runs`: contents of a results folder.

use super::Command;
use crate::output::Output;
use crate::study::arguments;
use crate::study::baseline::{self, Baseline};
use crate::study::json::Trial;
use crate::study::provenance::utc;
use anyhow::{Context, bail};
use clap::{Arg, ArgMatches};
use std::collections::BTreeSet;
use std::io::Write;
use veracity_lab::StoreReader;
use veracity_lab::conclusion::counted;

pub struct Runs;

impl Command for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn about(&self) -> &'static str {
        "List the runs a results folder holds"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        command.arg(arguments::out()).arg(
            Arg::new("diff")
                .long("diff")
                .value_names(["OLD", "NEW"])
                .num_args(2)
                .help("Compare two runs by their numbers or labels: what got worse and what got better; exit 1 when something got worse"),
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let folder = arguments::folder(matches);
        if !folder.join("store.sqlite").is_file() {
            bail!("{} holds no results; `veracity validate` creates some", folder.display());
        }
        // Read-only: must not disturb a study that is writing here.
        let store = StoreReader::open(&folder)?;
        if let Some(names) = matches.get_many::<String>("diff") {
            let [old, new] = names.collect::<Vec<_>>()[..] else { bail!("--diff needs two runs") };
            return diff(&store, find(&store, old)?, find(&store, new)?, out);
        }
        let runs = store.runs()?;
        let width = runs.iter().map(|r| r.study.chars().count()).max().unwrap_or(0);
        for run in runs {
            let state = match (run.complete, store.result(Some(run.id))?) {
                (true, Some((_, result))) => crate::study::table::summary(&result),
                _ => {
                    let planned = counted(run.planned, "trial");
                    format!("not complete, {planned} planned: still running, or interrupted (--resume continues it)")
                }
            };
            let when = utc(run.began_unix_s.max(0.0) as u64);
            let label = if run.label.is_empty() { String::new() } else { format!("[{}] ", run.label) };
            writeln!(out, "{:>4}  {when}  {:width$}  {label}{state}", run.id, run.study)?;
        }
        Ok(0)
    }
}

/// The number of a run that is named by it or by its label.
pub fn find(store: &StoreReader, name: &str) -> anyhow::Result<i64> {
    let run = store.find_run(name)?;
    Ok(run.with_context(|| format!("no run has the number or label '{name}'; `veracity runs` lists them"))?.id)
}

/// Prints the differences between two runs. Each serves as the other's baseline.
fn diff(store: &StoreReader, old: i64, new: i64, out: &mut Output) -> anyhow::Result<u8> {
    let trials = |id: i64| -> anyhow::Result<Baseline> {
        let found = store.result(Some(id))?.map(|(_, result)| crate::study::json::trials(&result));
        let trials = found.with_context(|| format!("run {id} is not finished; `veracity runs` lists them"))?;
        Ok(Baseline { trials, tolerances: Vec::new() })
    };
    let (before, after) = (trials(old)?, trials(new)?);
    let worse = baseline::regressions(&before, &after.trials);
    let better = baseline::regressions(&after, &before.trials);
    let paint = out.paint();
    for change in &worse {
        writeln!(out, "{} {}", paint.bad("worse:"), change.text)?;
    }
    for change in &better {
        writeln!(out, "{} with run {old} as the new one, {}", paint.good("better:"), change.text)?;
    }
    let known: BTreeSet<&str> = before.trials.iter().filter_map(|t| t.digest.as_deref()).collect();
    let same = |t: &&Trial| t.digest.as_deref().is_some_and(|d| known.contains(d));
    let same = after.trials.iter().filter(same).count();
    writeln!(
        out,
        "run {old} to run {new}: {} worse, {} better, {same} of {} with the same digest",
        worse.len(),
        better.len(),
        counted(after.trials.len(), "trial"),
    )?;
    Ok(u8::from(!worse.is_empty()))
}
