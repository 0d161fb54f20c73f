//! Shared by every command that runs trials: run, print, store, report.

mod answer;
pub mod arguments;
pub mod baseline;
pub mod control;
pub mod evidence;
pub mod json;
mod json_variations;
pub mod junit;
#[cfg(test)]
mod large;
pub mod leaderboard;
mod markdown;
pub mod progress;
pub mod provenance;
mod self_consistency;
pub mod table;
mod variations;
mod warnings;
pub mod write_expect;

use crate::engines;
use crate::output::{Output, complain};
use anyhow::{Context, bail};
use clap::ArgMatches;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use veracity_lab::conclusion::counted;
use veracity_lab::{Conclusion, Lab, Standing, Store, StudyResult, Threads};
use veracity_record::file::write_bytes;
use veracity_scenario::Study;

/// Runs a study, prints, stores and reports its results; returns the exit code and the result.
pub fn run(study: &Study, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<(u8, StudyResult)> {
    let mut study = study.clone();
    arguments::boundaries(&mut study, matches)?;
    let study = &study;
    let folder = arguments::folder(matches);
    let json = matches.get_flag("json");
    // Read before the run: an unreadable baseline must not waste an hour.
    let gate = arguments::gate(matches)?;
    let old = matches.get_one::<String>("baseline").map(|p| baseline::load(Path::new(p), &study.name)).transpose()?;
    let store = Store::open(&folder)?;
    if matches.get_flag("resume") {
        interrupted(&store, study)?;
    }
    store.set_label(matches.get_one::<String>("label").map_or("", String::as_str));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = matches.get_one::<u16>("threads").map_or(cores, |n| usize::from(*n));
    let executor = Threads::new(threads).context("cannot start threads")?;
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
        let rest = "finished trials are stored; run the same command with --resume to continue";
        let done = counted(result.rows.len(), "trial");
        complain(format!("veracity: interrupted after {done}; {rest}"));
    }

    let regressions = old.as_ref().map(|old| baseline::regressions(old, &json::trials(&result)));
    let conclusion = Conclusion::gated(&result, regressions, gate);
    if let Some(path) = matches.get_one::<PathBuf>("junit") {
        write_bytes(path, junit::document(&result, &conclusion))?;
    }
    if let Some(path) = matches.get_one::<PathBuf>("markdown") {
        write_bytes(path, markdown::document(study, &result, &conclusion))?;
    }
    if let Some(path) = matches.get_one::<PathBuf>("write-expect") {
        let written = write_expect::write(path, arguments::scenario_file(matches), study, &result)?;
        complain(format!("veracity: {written}"));
    }
    let page = if matches.get_flag("no-report") || !result.complete {
        None
    } else {
        Some(write_report(&lab, study, (&result, &conclusion), &folder)?)
    };
    if json {
        let mut document = json::StudyDocument::new(&result, &conclusion);
        document.hypotheses = json::hypotheses(study, &result);
        document.tolerances = old.map_or(Vec::new(), |old| old.tolerances);
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

/// What is printed in addition to the result.
struct Shown<'a> {
    conclusion: &'a Conclusion,
    page: Option<&'a Path>,
    every_place: bool,
}

fn show(out: &mut Output, study: &Study, result: &StudyResult, shown: &Shown<'_>) -> anyhow::Result<()> {
    let paint = out.paint();
    conclude(out, shown.conclusion)?;
    answer::print(out, result)?;
    writeln!(out, "\n{}\n", paint.strong(&study.title))?;
    variations::print_axes(out, result)?;
    table::print(out, result)?;
    variations::print(out, result)?;
    leaderboard::print(out, result, shown.every_place)?;
    control::print(out, study, result)?;
    evidence::print(out, study, result)?;
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
        writeln!(out, "\n  {} {absent}; `veracity engines` lists how to get them", paint.quiet("not installed:"))?;
    }
    writeln!(out)?;
    // The first lines have scrolled off the screen by now.
    if result.rows.iter().any(|row| row.scenario != result.rows[0].scenario) {
        conclude(out, shown.conclusion)?;
    }
    writeln!(out, "digest of all deterministic parts: {}", result.digest().short())?;
    if let Some(page) = shown.page {
        writeln!(out, "report: {}", page.display())?;
    }
    Ok(())
}

/// The verdict of the whole study in one line.
fn conclude(out: &mut Output, conclusion: &Conclusion) -> std::io::Result<()> {
    let Conclusion { standing, headline, summary, .. } = conclusion;
    let paint = out.paint();
    let word = if *standing == Standing::Passed { paint.good(headline) } else { paint.bad(headline) };
    writeln!(out, "{word}: {summary}")
}

/// The data of the report of a run.
pub fn report_of(folder: &Path, run: i64) -> PathBuf {
    folder.join("reports").join(format!("{run}.json"))
}

fn write_report(
    lab: &Lab<'_>,
    study: &Study,
    (result, conclusion): (&StudyResult, &Conclusion),
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    let data = veracity_report::study::make(lab, study, result, conclusion, provenance::program())?;
    // Stored next to the page, so that `veracity report` can write it again with a later version, and once for each run,
    // for `veracity report --run`. The two are one file on the disk where it can link them.
    let latest = folder.join("report.json");
    write_bytes(&latest, serde_json::to_string(&data)?)?;
    if let Some(run) = lab.store.runs()?.last() {
        let own = report_of(folder, run.id);
        std::fs::create_dir_all(folder.join("reports"))?;
        if std::fs::hard_link(&latest, &own).is_err() {
            std::fs::copy(&latest, &own).with_context(|| format!("{} cannot be written", own.display()))?;
        }
    }
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

/// The first Ctrl-C (or SIGTERM) stops the run after the trials in progress, the second at once.
pub fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        complain("\nveracity: stopping; press Ctrl-C again to stop at once");
    })
    .context("cannot install the Ctrl-C handler")?;
    Ok(stop)
}
