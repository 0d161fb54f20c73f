//! Overhead of the lab over the bare engine step: one side of `cargo xtask bench lab`.
//!
//! ```text
//! lab_overhead SCENARIO ROUNDS
//! ```
//!
//! For a built-in scenario without controllers, the engine (native, its default spec, 1 ms) is stepped directly through
//! the contract, and then by a session that records at 100 Hz; the two alternate, and the best round of each counts.
//! Both must end with identical bits. Prints one line of JSON.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use veracity_engine::{Engine, Inputs, LoadOptions};
use veracity_lab::{Session, SessionSetup};
use veracity_scenario::Scenario;

const STEP_NS: i64 = 1_000_000;
const RECORD_EVERY_NS: i64 = 10_000_000;
const SIMULATED_NS: i64 = 10_000_000_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lab_overhead: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [name, rounds] = arguments else { return Err("usage: lab_overhead SCENARIO ROUNDS".into()) };
    let mut scenario = Scenario::built_in(name)?;
    (scenario.duration_ns, scenario.record_every_ns) = (SIMULATED_NS, RECORD_EVERY_NS);
    let scenario = Arc::new(scenario);
    let engine = &veracity_engine_native::ENGINE;
    let settings = engine.resolve(&"native".parse()?)?;

    let (mut bare_best, mut lab_best) = (f64::INFINITY, f64::INFINITY);
    let mut rows = 0;
    for _ in 0..rounds.parse::<usize>()?.max(1) {
        let options = LoadOptions { step_s: STEP_NS as f64 * 1e-9 };
        let mut simulation = engine.load(&scenario.world, &settings, &options)?;
        simulation.set_state(0.0, &scenario.q, &scenario.v)?;
        let inputs = Inputs::none(simulation.v().len());
        let begun = cpu_s();
        for _ in 0..SIMULATED_NS / STEP_NS {
            simulation.step(&inputs, options.step_s)?;
        }
        bare_best = bare_best.min(cpu_s() - begun);

        let setup = SessionSetup {
            scenario: Arc::clone(&scenario),
            overrides: Vec::new(),
            step_ns: STEP_NS,
            seed: 0,
            index: 0,
        };
        let mut session = Session::open(engine, &settings, setup).map_err(|refusal| format!("{:?}", refusal.0))?;
        let begun = cpu_s();
        session.advance_to(SIMULATED_NS);
        lab_best = lab_best.min(cpu_s() - begun);
        let record = session.finish();
        rows = record.track.rows();
        if record.track.q(rows - 1) != simulation.q() {
            return Err("the two sides did not end in the same state".into());
        }
    }
    let overhead = lab_best / bare_best - 1.0;
    println!(
        "{{\"bare_cpu_s\": {bare_best:e}, \"lab_cpu_s\": {lab_best:e}, \"overhead\": {overhead:e}, \"rows\": {rows}}}"
    );
    Ok(())
}

fn cpu_s() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}
