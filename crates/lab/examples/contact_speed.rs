//! How fast an engine steps a scenario whose bodies touch, and how well: our side of `cargo xtask bench contact`.
//!
//! ```text
//! contact_speed SCENARIO SPEC BODY SIMULATED_S
//! ```
//!
//! The scenario's controllers must be constant: what they command at the start is held. The loop that is timed does nothing
//! but advance the engine; a second run, recorded, tells how deep bodies are in each other at the end and how far BODY (or
//! `-`) has moved. Prints one line of JSON.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use veracity_control::{ControlLoop, Setup};
use veracity_engine::{Engine, EngineSpec, LoadOptions, Samples};
use veracity_lab::{Session, SessionSetup};
use veracity_measure::{Options, Subject, metrics};
use veracity_scenario::Scenario;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
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
    // A row at the start and one at the end.
    (scenario.duration_ns, scenario.record_every_ns) = (duration_ns, duration_ns);
    let spec: EngineSpec = spec.parse()?;
    let engine: &dyn Engine = match spec.engine.as_str() {
        "native" => &veracity_engine_native::ENGINE,
        "rapier" => &veracity_engine_rapier::ENGINE,
        other => return Err(format!("no engine {other} here").into()),
    };
    let settings = engine.resolve(&spec)?;
    let steps_per_s = speed(engine, &settings, &scenario)?;

    let step_ns = scenario.step_ns;
    let setup = SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let mut session = Session::open(engine, &settings, setup).map_err(|refusal| format!("{:?}", refusal.0))?;
    session.advance_to(duration_ns);
    let record = session.finish();
    if !record.outcome.is_finished() {
        return Err(format!("{:?}", record.outcome).into());
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

/// Steps over CPU time of this thread.
fn speed(
    engine: &dyn Engine,
    settings: &veracity_engine::Settings,
    scenario: &Scenario,
) -> Result<f64, Box<dyn Error>> {
    let step_ns = scenario.step_ns;
    let options = LoadOptions { step_s: step_ns as f64 * 1e-9 };
    let mut simulation = engine.load(&scenario.world, settings, &options)?;
    simulation.set_state(0.0, &scenario.q, &scenario.v)?;
    let layout = simulation.layout().clone();
    let capabilities = engine.capabilities(settings);
    let setup = Setup { world: &scenario.world, layout: &layout, capabilities, step_ns, seed: 0, trial: 0 };
    let mut control = ControlLoop::new(&setup, &scenario.controllers, &scenario.sensors)?;
    let mut inputs = control.inputs();
    control.tick(0, &mut *simulation, &mut inputs)?;
    let mut nothing = Samples::none(&layout);
    let begun = cpu_s();
    simulation.advance(scenario.duration_ns as f64 * 1e-9, &inputs, &mut nothing)?;
    let steps = scenario.duration_ns as f64 / step_ns as f64;
    Ok(steps / (cpu_s() - begun))
}

fn cpu_s() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}
