//! The names that a program may observe and command in a scenario.

use crate::config::TempoConfig;
use crate::error::TempoError;
use std::sync::Arc;
use veracity_control::Port;
use veracity_engine::{Engine, Settings};
use veracity_lab::{Session, SessionSetup};
use veracity_scenario::Scenario;

/// Names and units.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Channels {
    /// What every program is shown: with `observe` of a link, or `observation_place` of the client library.
    pub observations: Vec<(String, String)>,
    /// What `commands` of a program may contain. A unit is empty where it depends on the model's actuator.
    pub commands: Vec<(String, String)>,
}

/// Lists the channels of a scenario on an engine; no program is started.
pub fn channels(
    engine: &dyn Engine,
    settings: &Settings,
    scenario: &Scenario,
    config: &TempoConfig,
) -> Result<Channels, TempoError> {
    let mut found = Channels::default();
    let setup = SessionSetup {
        scenario: Arc::new(scenario.clone()),
        overrides: Vec::new(),
        step_ns: scenario.step_ns,
        seed: config.seed,
        index: 0,
    };
    let opened = Session::open_with(engine, settings, setup, |around, sensing| {
        found.observations = sensing.layout().channels.clone();
        found.commands = Port::all(around.layout).iter().map(|port| port.channel(around.layout)).collect();
        Ok(Vec::new())
    });
    match opened {
        Ok(_) => Ok(found),
        Err(refusal) => Err(TempoError::new("scenario", refusal.0.to_string())),
    }
}
