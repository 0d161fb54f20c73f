//! `veracity trace`: run, analyse, print.

mod pairs;
mod print;
mod table;

use crate::NOT_ACCEPTED;
use crate::engines;
use crate::output::Output;
use crate::study::{arguments, stop_on_interrupt};
use anyhow::Context;
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use veracity_lab::{Lab, Store, Threads};
use veracity_measure::Verdict;
use veracity_trace::page::Shown;
use veracity_trace::rare::{rare_failure, variance_shares};
use veracity_trace::sobol_indices::Indices;
use veracity_trace::splitting::Splitting;
use veracity_trace::swap::{Swapped, swap};
use veracity_trace::{Analysis, Bundle, Particle, Runner, TraceSetup, analyse};

/// Features that are confirmed by swapping.
const CONFIRMED: usize = 3;

/// The trace on one engine.
#[derive(Serialize)]
pub struct EngineTrace {
    /// The spec as the file writes it.
    pub engine: String,
    /// Outcome of the nominal particle; empty if it has none.
    pub nominal: String,
    /// What the particles show.
    #[serde(flatten)]
    pub analysis: Analysis,
    /// What swapping the most decisive numbers showed.
    pub confirmed: Vec<Swapped>,
    /// Probability that the margin reaches zero, by splitting, if the file asks for it.
    pub splitting: Option<Splitting>,
    /// Shares of the margin's variance by number, if `--sobol` asks for them.
    pub variance_shares: Option<Vec<(String, Indices)>>,
    /// CPU time of all particles [s].
    pub cpu_s: f64,
    /// Digest of the digests of all records, in order.
    pub digest: String,
}

/// The whole document of `--json`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    name: &'a str,
    scenario: &'a str,
    particles: u64,
    seed: u64,
    paths: Vec<&'a str>,
    verdict: Option<Verdict>,
    answer: String,
    engines: &'a [EngineTrace],
    differences: Vec<String>,
    /// The comparison of `--against`, by engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comparisons: Vec<pairs::ComparedTraces>,
}

/// Runs a trace and prints its answer; returns the exit code.
pub fn run(
    setup: &TraceSetup,
    other: Option<&TraceSetup>,
    matches: &ArgMatches,
    out: &mut Output,
) -> anyhow::Result<u8> {
    let json = matches.get_flag("json");
    let store = Store::open(&arguments::folder(matches))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = matches.get_one::<u16>("threads").map_or(cores, |n| usize::from(*n));
    let executor = Threads::new(threads).context("cannot start threads")?;
    let build = engines::build()?;
    let lab = Lab {
        engines: engines::engines(&build),
        store: &store,
        executor: &executor,
        stop: stop_on_interrupt()?,
        fresh: false,
    };
    for engine in &setup.engines {
        lab.engines.resolve(engine)?;
    }
    if let Some(number) = matches.get_one::<u64>("particle") {
        return one_particle(&lab, setup, *number, matches, out);
    }
    let success = matches.get_one::<String>("success").map(String::as_str).unwrap_or_default();
    if let Some(other) = other {
        pairs::comparable(setup, other, success)?;
    }
    let (mut traces, mut comparisons) = (Vec::new(), Vec::new());
    let page = matches.get_one::<std::path::PathBuf>("page");
    // Particles of each engine, kept only for the page.
    let mut kept: Vec<(Bundle, Vec<Particle>)> = Vec::new();
    // With mixed engines the engine is one of the uncertain numbers: one trace.
    let engines = if setup.mix_engines { &setup.engines[..1] } else { &setup.engines[..] };
    for engine in engines {
        let name = if setup.mix_engines { "mixed engines".to_string() } else { engine.to_string() };
        let runner = Runner::new(&lab, setup, engine);
        let bundle = {
            let running = Running::new(setup, &name, json);
            runner.run(&running.finished())?
        };
        if let Some(other) = other {
            let theirs = {
                let running = Running::new(other, &name, json);
                Runner::new(&lab, other, engine).run(&running.finished())?
            };
            comparisons.push(pairs::compared(setup, other, &name, success, &bundle, &theirs));
        }
        let analysis = analyse(setup, &bundle);
        let mut confirmed = Vec::new();
        if !matches.get_flag("no-confirm") {
            for feature in analysis.ranking.iter().filter(|r| r.chance <= 0.05).take(CONFIRMED) {
                confirmed.push(swap(&runner, &bundle, &analysis.ranked_outcome, feature)?);
            }
        }
        let splitting = setup.splitting.map(|size| rare_failure(&runner, setup, &size)).transpose()?;
        let shares = match matches.get_one::<u32>("sobol") {
            Some(count) => variance_shares(&runner, setup, *count as usize)?,
            None => None,
        };
        traces.push(EngineTrace {
            engine: name,
            nominal: bundle.outcome(0).map_or(String::new(), ToString::to_string),
            cpu_s: (0..bundle.len()).map(|i| bundle.cpu_s(i)).sum(),
            digest: digest(&bundle),
            splitting,
            variance_shares: shares.map(|shares| setup.paths().iter().map(ToString::to_string).zip(shares).collect()),
            analysis,
            confirmed,
        });
        if let Some(path) = matches.get_one::<std::path::PathBuf>("table") {
            table::write(setup, &bundle, path)?;
        }
        if page.is_some() {
            let drawn = bundle.drawn().into_iter().take(veracity_trace::page::DRAWN);
            let wanted: Vec<_> = drawn.map(|i| (i as u64, bundle.values(i).to_vec())).collect();
            let motions = runner.batch(&wanted)?;
            kept.push((bundle, motions));
        }
    }
    drop(lab);
    store.close()?;
    let verdict = traces.iter().flat_map(|t| &t.analysis.gates).map(|g| g.verdict).max();
    let document = Document {
        schema: "veracity-trace/1",
        name: &setup.name,
        scenario: &setup.scenario.name,
        particles: setup.particles,
        seed: setup.seed,
        paths: setup.paths(),
        verdict,
        answer: print::answer(setup, &traces),
        engines: &traces,
        differences: print::differences(&traces),
        comparisons,
    };
    if let Some(path) = page {
        let shown: Vec<Shown<'_>> =
            traces.iter().zip(&kept).map(|(t, (bundle, motions))| shown(t, bundle, motions)).collect();
        let text = veracity_trace::page::page(setup, &document.answer, &document.differences, &shown);
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if json {
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)?;
    } else {
        document.comparisons.iter().try_for_each(|c| pairs::print(out, c))?;
        print::print(out, setup, &traces, &document.answer, &document.differences)?;
    }
    Ok(if verdict.is_none_or(|v| v == Verdict::Accepted) { 0 } else { NOT_ACCEPTED })
}

fn shown<'a>(trace: &'a EngineTrace, bundle: &'a Bundle, motions: &'a [Particle]) -> Shown<'a> {
    Shown { engine: &trace.engine, bundle, analysis: &trace.analysis, confirmed: &trace.confirmed, motions }
}

/// The whole record of one particle, in the requested formats.
fn one_particle(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    number: u64,
    matches: &ArgMatches,
    out: &mut Output,
) -> anyhow::Result<u8> {
    let runner = Runner::new(lab, setup, &setup.engines[0]);
    let record = match runner.record(number)? {
        Ok(record) => record,
        Err(why) => anyhow::bail!("particle {number} has no record: {why}"),
    };
    writeln!(out, "particle {number}: {} with digest {}", record.outcome, record.digest().short())?;
    if let Some(path) = matches.get_one::<std::path::PathBuf>("mcap") {
        veracity_record::mcap::write_mcap(&record, path)?;
        writeln!(out, "record: {}", path.display())?;
    }
    Ok(0)
}

/// The progress bar, with the running estimate of each outcome.
struct Running {
    bar: ProgressBar,
    counts: Mutex<Vec<(String, u64)>>,
}

impl Running {
    fn new(setup: &TraceSetup, engine: &str, hidden: bool) -> Self {
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(setup.particles), target);
        let template = "{prefix} {bar:24} {pos}/{len} particles, {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(engine.to_string());
        Self { bar, counts: Mutex::new(Vec::new()) }
    }

    fn finished(&self) -> impl Fn(Option<&str>) + Sync + '_ {
        |outcome: Option<&str>| {
            self.bar.inc(1);
            let Some(outcome) = outcome else { return };
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            match counts.iter_mut().find(|(name, _)| name == outcome) {
                Some((_, count)) => *count += 1,
                None => counts.push((outcome.to_string(), 1)),
            }
            let total: u64 = counts.iter().map(|c| c.1).sum();
            // Drawing is what costs: every particle of a few, one of many.
            if total.is_power_of_two() || total.is_multiple_of((self.bar.length().unwrap_or(1) / 200).max(1)) {
                let share = |(name, count): &(String, u64)| {
                    let p = veracity_measure::statistics::wilson(*count, total, 0.95);
                    format!("{name} {:.1} % ± {:.1}", 100.0 * p.estimate, 100.0 * p.half_width())
                };
                self.bar.set_message(counts.iter().take(4).map(share).collect::<Vec<_>>().join(", "));
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn digest(bundle: &Bundle) -> String {
    let digests: Vec<[u8; 8]> = (0..bundle.len()).map(|i| bundle.digest(i).to_le_bytes()).collect();
    veracity_model::Digest::of_parts(digests.iter().map(|d| &d[..])).short().to_string()
}
