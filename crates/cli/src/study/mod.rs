//! What every command that runs trials shares: run, show, store, report.

pub mod arguments;
pub mod baseline;
pub mod control;
pub mod json;
pub mod junit;
#[cfg(test)]
mod large;
pub mod leaderboard;
pub mod progress;
pub mod report_data;
mod self_consistency;
mod shown;
pub mod table;
mod warnings;

use crate::engines;
use crate::output::{Output, complain};
use anyhow::{Context, bail};
use clap::ArgMatches;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use veracity_lab::{Conclusion, Lab, Standing, Store, StudyResult, Threads};
use veracity_record::file::write_bytes;
use veracity_scenario::Study;

/// Runs a study, shows what came out, stores and reports it; gives the exit code and the result.
pub fn run(study: &Study, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<(u8, StudyResult)> {
    let title = &study.title;
    let folder = arguments::folder(matches);
    let json = matches.get_flag("json");
    // Before the work: a baseline that cannot be read must not cost an hour.
    let old = matches.get_one::<String>("baseline").map(|p| baseline::load(Path::new(p), &study.name)).transpose()?;
    let store = Store::open(&folder)?;
    if matches.get_flag("resume") {
        interrupted(&store, study)?;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = matches.get_one::<u16>("threads").map_or(cores, |n| usize::from(*n));
    let executor = Threads::new(threads).context("no threads could be made")?;
    let build = engines::build()?;
    let stop = stop_on_interrupt()?;
    let lab = Lab {
        engines: engines::engines(&build),
        store: &store,
        executor: &executor,
        stop: Arc::clone(&stop),
        fresh: matches.get_flag("fresh"),
    };
    let bar = progress::Bar::new(threads, json);
    let result = lab.run(study, &bar);
    bar.clear();
    let result = result?;
    if !result.complete {
        let rest = "finished trials are stored; run the same command with --resume to go on";
        complain(format!("veracity: interrupted after {} trials; {rest}", result.rows.len()));
    }

    let regressions = old.map(|old| baseline::regressions(&old, &json::trials(&result)));
    let conclusion = Conclusion::new(&result, regressions);
    if let Some(path) = matches.get_one::<PathBuf>("junit") {
        write_bytes(path, junit::document(&result, &conclusion))?;
    }
    let page = if matches.get_flag("no-report") || !result.complete {
        None
    } else {
        Some(write_report(&lab, study, title, (&result, &conclusion), &folder)?)
    };
    if json {
        let document = json::Document::new(&result, &conclusion);
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)?;
    } else {
        let shown =
            Shown { conclusion: &conclusion, page: page.as_deref(), every_place: matches.get_flag("leaderboard") };
        show(out, study, &result, &shown)?;
    }
    drop(lab);
    store.close()?;
    Ok((conclusion.exit_code(), result))
}

/// What is shown beside the result.
struct Shown<'a> {
    conclusion: &'a Conclusion,
    page: Option<&'a Path>,
    every_place: bool,
}

fn show(out: &mut Output, study: &Study, result: &StudyResult, shown: &Shown<'_>) -> anyhow::Result<()> {
    let paint = out.paint();
    writeln!(out, "{}\n", paint.strong(&study.title))?;
    table::print(out, result)?;
    leaderboard::print(out, result, shown.every_place)?;
    control::print(out, study, result)?;
    warnings::print(out, result)?;
    if let Some(regressions) = &shown.conclusion.regressions {
        writeln!(out)?;
        if regressions.is_empty() {
            writeln!(out, "  {} against the baseline", paint.good("nothing got worse"))?;
        }
        for worse in regressions {
            writeln!(out, "  {} {}", paint.bad("worse:"), worse.text)?;
        }
    }
    if !result.absent.is_empty() {
        let absent = result.absent.join(", ");
        writeln!(out, "\n  {} {absent}; `{}` brings them", paint.quiet("not here:"), engines::HOW)?;
    }
    let Conclusion { standing, headline, summary, .. } = shown.conclusion;
    let word = if *standing == Standing::Passed { paint.good(headline) } else { paint.bad(headline) };
    writeln!(out, "\n{word}: {summary}")?;
    writeln!(out, "digest of all deterministic parts: {}", result.digest().short())?;
    if let Some(page) = shown.page {
        writeln!(out, "report: {}", page.display())?;
    }
    Ok(())
}

fn write_report(
    lab: &Lab<'_>,
    study: &Study,
    title: &str,
    (result, conclusion): (&StudyResult, &Conclusion),
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    let data = report_data::make(lab, study, title, result, conclusion)?;
    // Kept beside the page, so that `veracity report` can draw it again with a later version.
    write_bytes(&folder.join("report.json"), serde_json::to_string(&data)?)?;
    let page = folder.join("index.html");
    write_bytes(&page, veracity_report::render(&data)?)?;
    Ok(page)
}

/// An error unless the store holds an unfinished run of this study.
fn interrupted(store: &Store, study: &Study) -> anyhow::Result<()> {
    let runs = store.runs()?;
    match runs.iter().rev().find(|r| r.study == study.name) {
        None => bail!("nothing to resume: {} holds no run of '{}'", store.folder().display(), study.name),
        Some(run) if run.complete => bail!("nothing to resume: the last run of '{}' is complete", study.name),
        Some(_) => Ok(()),
    }
}

/// The first Ctrl-C (or SIGTERM) ends the run in order, the second at once.
pub fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        complain("\nveracity: stopping; once more to stop at once");
    })
    .context("Ctrl-C cannot be handled")?;
    Ok(stop)
}
