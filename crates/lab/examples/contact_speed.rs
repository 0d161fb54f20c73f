//! How fast and how accurately an engine steps a scenario whose bodies touch: our side of `cargo xtask bench contact`.
//!
//! ```text
//! contact_speed SCENARIO SPEC BODY SIMULATED_S
//! ```
//!
//! The scenario's controllers must be constant: their commands at the start are held. The timed loop only advances the
//! engine; a second, recorded run gives the penetration depth at the end and how far BODY (or `-`) has moved. Engines
//! in separate processes are those of `VERACITY_WORKERS`; they advance in one batch, and the CPU time of their process
//! counts. Prints one line of JSON: the numbers, or `no` with the reason why there are none.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use veracity_control::{ControlLoop, Setup};
use veracity_engine::{Engine, EngineSpec, LoadError, LoadOptions, Samples};
use veracity_lab::{Session, SessionSetup};
use veracity_measure::{Options, Subject, metrics};
use veracity_record::Outcome;
use veracity_scenario::Scenario;
use veracity_worker::{Limits, WorkerEngine};

/// The engine's reason for not running the scene to its end: a result, not an error of this program.
#[derive(Debug)]
struct No(String);

impl std::fmt::Display for No {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for No {}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<No>() => {
            println!("{{\"no\": {:?}}}", error.to_string());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("contact_speed: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [name, spec, body, simulated] = arguments else {
        return Err("usage: contact_speed SCENARIO SPEC BODY SIMULATED_S".into());
    };
    let mut scenario = Scenario::built_in(name)?;
    let duration_ns = (simulated.parse::<f64>()? * 1e9) as i64;
    // One row at the start and one at the end.
    (scenario.duration_ns, scenario.record_every_ns) = (duration_ns, duration_ns);
    let spec: EngineSpec = spec.parse()?;
    let wanted = spec.version.as_ref().map_or(spec.engine.clone(), |version| format!("{}@{version}", spec.engine));
    let worker = veracity_worker::find().into_iter().find(|(name, _)| *name == wanted);
    let worker = worker.map(|(_, path)| WorkerEngine::new(path, Limits::default()));
    let engine: &dyn Engine = match (spec.engine.as_str(), &worker) {
        ("native", _) => &veracity_engine_native::ENGINE,
        ("rapier", _) => &veracity_engine_rapier::ENGINE,
        (_, Some(worker)) => worker,
        _ => return Err(format!("no engine {wanted} here").into()),
    };
    let settings = engine.resolve(&spec)?;
    let steps_per_s = speed(engine, &settings, &scenario)?;

    let step_ns = scenario.step_ns;
    let setup = SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let mut session = Session::open(engine, &settings, setup).map_err(|refusal| No(said(&refusal.0)))?;
    session.advance_to(duration_ns);
    let record = session.finish();
    if !record.outcome.is_finished() {
        return Err(No(said(&record.outcome)).into());
    }
    let layout = record.layout();
    let end_s = duration_ns as f64 * 1e-9;
    let measure = |metric: &str, of: Option<String>, at_s: Vec<f64>| -> Result<f64, Box<dyn Error>> {
        let entry = metrics::find(metric).ok_or("an unknown metric")?;
        let options = Options { of, at_s, ..Options::default() };
        Ok((entry.measure)(&Subject { record: &record, layout: &layout }, None, &options)?.value)
    };
    let penetration = measure("overlap", None, vec![end_s])?;
    let slip = if body == "-" { 0.0 } else { measure("displacement", Some(body.clone()), vec![0.0, end_s])? };
    let full = settings.full_spec();
    println!(
        "{{\"steps_per_s\": {steps_per_s:e}, \"penetration\": {penetration:e}, \"slip\": {slip:e}, \"spec\": \"{full}\"}}"
    );
    Ok(())
}

/// How a trial ended, as a sentence.
fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NotExpressible { features } => {
            let more = if features.len() > 1 { format!(" (and {} more)", features.len() - 1) } else { String::new() };
            format!("not expressible: {}{more}", features.first().map_or("", String::as_str))
        }
        Outcome::BrokeDown { time, reason } => format!("broke down at {time} s: {reason}"),
        Outcome::Failed { reason } => format!("failed: {reason}"),
        Outcome::TooSlow { .. } | Outcome::Finished | Outcome::Stopped { .. } => format!("{outcome:?}"),
    }
}

/// Steps over CPU time of this thread and of the process that works for it.
fn speed(
    engine: &dyn Engine,
    settings: &veracity_engine::Settings,
    scenario: &Scenario,
) -> Result<f64, Box<dyn Error>> {
    let step_ns = scenario.step_ns;
    let options = LoadOptions { step_s: step_ns as f64 * 1e-9 };
    let refused = |error: LoadError| match error {
        LoadError::Unsupported(features) => {
            No(said(&Outcome::NotExpressible { features: features.iter().map(ToString::to_string).collect() }))
        }
        other => No(format!("failed: {other}")),
    };
    let mut simulation = engine.load(&scenario.world, settings, &options).map_err(refused)?;
    simulation.set_state(0.0, &scenario.q, &scenario.v).map_err(refused)?;
    let layout = simulation.layout().clone();
    let capabilities = engine.capabilities(settings);
    let setup = Setup { world: &scenario.world, layout: &layout, capabilities, step_ns, seed: 0, trial: 0 };
    let mut control = ControlLoop::new(&setup, &scenario.controllers, &scenario.sensors)?;
    let mut inputs = control.inputs();
    control.tick(0, &mut *simulation, &mut inputs)?;
    let mut nothing = Samples::none(&layout);
    let begun = cpu_s();
    let advanced = simulation.advance(scenario.duration_ns as f64 * 1e-9, &inputs, &mut nothing);
    advanced.map_err(|trouble| No(format!("broke down {trouble}")))?;
    let steps = scenario.duration_ns as f64 / step_ns as f64;
    Ok(steps / (cpu_s() - begun))
}

fn cpu_s() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64 + veracity_engine::helpers::cpu_s_here()
}
