//! `veracity trace`: run, analyse, print.

mod print;

use crate::NOT_ACCEPTED;
use crate::engines;
use crate::output::Output;
use crate::study::{arguments, stop_on_interrupt};
use anyhow::Context;
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::Write;
use veracity_lab::{Lab, Store, Threads};
use veracity_measure::Verdict;
use veracity_trace::swap::{Swapped, swap};
use veracity_trace::{Analysis, Particle, TraceSetup, analyse};

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
}

/// Runs a trace and prints its answer; returns the exit code.
pub fn run(setup: &TraceSetup, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
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
    let mut traces = Vec::new();
    for engine in &setup.engines {
        let bar = bar(setup, &engine.to_string(), json);
        let particles = veracity_trace::run(&lab, setup, engine, &|_| bar.inc(1));
        bar.finish_and_clear();
        let particles = particles?;
        let analysis = analyse(setup, &particles);
        let mut confirmed = Vec::new();
        if !matches.get_flag("no-confirm") {
            for feature in analysis.ranking.iter().filter(|r| r.chance <= 0.05).take(CONFIRMED) {
                confirmed.push(swap(&lab, setup, engine, &particles, &analysis.ranked_outcome, feature)?);
            }
        }
        traces.push(EngineTrace {
            engine: engine.to_string(),
            nominal: particles.first().and_then(|p| p.outcome()).map_or(String::new(), ToString::to_string),
            cpu_s: particles.iter().map(|p| p.cpu_s).sum(),
            digest: digest(&particles),
            analysis,
            confirmed,
        });
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
    };
    if json {
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)?;
    } else {
        print::print(out, setup, &traces, &document.answer, &document.differences)?;
    }
    Ok(if verdict.is_none_or(|v| v == Verdict::Accepted) { 0 } else { NOT_ACCEPTED })
}

fn bar(setup: &TraceSetup, engine: &str, hidden: bool) -> ProgressBar {
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(setup.particles), target);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} particles, {eta} left") {
        bar.set_style(style);
    }
    bar.set_prefix(engine.to_string());
    bar
}

fn digest(particles: &[Particle]) -> String {
    let digests: Vec<[u8; 32]> = particles.iter().map(|p| p.digest.map_or([0; 32], |d| d.0)).collect();
    veracity_model::Digest::of_parts(digests.iter().map(|d| &d[..])).short().to_string()
}
