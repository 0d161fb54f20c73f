//! A pendulum, programs to drive it, and a lock: runs share one core and one machine, so they run one after the other.

#![allow(dead_code)] // Each test program uses a part.

pub mod chase;

use std::sync::{Mutex, PoisonError};
use veracity_engine::Engine;
use veracity_scenario::Scenario;
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::outcome::ClientStats;
use veracity_tempo::{Run, RunOptions, TempoConfig, TempoError};

static ALONE: Mutex<()> = Mutex::new(());

pub fn spec(text: &str) -> veracity_engine::Settings {
    veracity_engine_native::ENGINE.resolve(&text.parse().unwrap()).unwrap()
}

pub fn client(name: &str, arguments: &[&str], rate_hz: Option<f64>, commands: &[&str]) -> ClientConfig {
    ClientConfig {
        name: name.to_string(),
        program: env!("CARGO_BIN_EXE_tempo-client").to_string(),
        arguments: arguments.iter().map(ToString::to_string).collect(),
        environment: Default::default(),
        kind: if rate_hz.is_some() { ClientKind::Periodic } else { ClientKind::BestEffort },
        rate_hz,
        phase_s: 0.0,
        latency_s: 0.0,
        deadline_s: None,
        budget_s: None,
        commands: commands.iter().map(ToString::to_string).collect(),
        memory_limit_mib: None,
        output_limit_mib: 256,
        plans_to: Vec::new(),
        link: None,
        group: None,
        priority: 0,
    }
}

pub fn config(clients: Vec<ClientConfig>, duration_s: f64) -> TempoConfig {
    TempoConfig {
        schema: 1,
        scenario: "simple_pendulum".to_string(),
        engine: "native".to_string(),
        step_s: Some(0.001),
        duration_s: Some(duration_s),
        seed: 0,
        policy: "least_progress".to_string(),
        groups: Vec::new(),
        clients,
    }
}

/// Runs one at a time, whatever the number of test threads.
pub fn alone<T>(run: impl FnOnce() -> T) -> T {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    run()
}

pub fn run_with(config: &TempoConfig, options: &RunOptions) -> Result<Run, TempoError> {
    let scenario = Scenario::built_in(&config.scenario).unwrap();
    alone(|| veracity_tempo::run(&veracity_engine_native::ENGINE, &spec(&config.engine), &scenario, config, options))
}

pub fn run(config: &TempoConfig) -> Run {
    run_with(config, &RunOptions::default()).unwrap()
}

pub fn stats_of<'a>(run: &'a Run, name: &str) -> &'a ClientStats {
    run.summary.clients.iter().find(|c| c.name == name).unwrap()
}

/// A Python that is a single process: the command python3 may be a script that starts it.
pub fn python() -> String {
    let asked =
        std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    String::from_utf8(asked.stdout).unwrap().trim().to_string()
}
