//! Every built-in kind of controller: one file and one line each.

mod constant;
mod gains;
mod gait;
mod gravity;
mod open_loop;
mod path;
mod pd;
mod reach;
pub mod recorded;
mod schedule;
mod sinusoid;

use crate::config::ControllerConfig;
use crate::control_loop::ControllerPart;
use crate::controller::{Controller, Timing};
use crate::error::{ControlError, list};
use crate::port::Port;
use crate::sensing::Sensing;
use crate::setup::Setup;
use crate::signal_layout::{ChannelLayout, Command};
use std::sync::Arc;

pub use gains::{LoopGain, loop_gains};
pub use reach::actuator_at;

/// One built-in kind.
pub struct ControllerKind {
    /// As in `kind = "…"`.
    pub name: &'static str,
    /// What it does, in a line.
    pub text: &'static str,
    /// Keys it accepts besides name, kind and timing.
    pub keys: &'static [&'static str],
    /// Builds one.
    pub build: fn(&ControllerConfig, &ControllerSite<'_>) -> Result<Built, ControlError>,
}

/// Every built-in kind.
pub const CONTROLLERS: &[ControllerKind] =
    &[constant::KIND, schedule::KIND, sinusoid::KIND, pd::PD, pd::PID, gait::KIND, path::KIND, recorded::KIND];

/// Context for building a controller.
pub struct ControllerSite<'a> {
    /// Path of its table: `controllers/NAME`.
    pub place: String,
    /// The trial.
    pub setup: Setup<'a>,
    /// Its sensors.
    pub sensing: &'a Sensing,
    /// Its timing.
    pub timing: Timing,
}

/// A built controller.
pub struct Built {
    /// The controller.
    pub controller: Box<dyn Controller>,
    /// What each number of its command does.
    pub ports: Vec<Port>,
}

/// Builds one from its table.
pub fn build(
    config: &ControllerConfig,
    setup: &Setup<'_>,
    sensing: &Sensing,
) -> Result<ControllerPart, ControlError> {
    let place = format!("controllers/{}", config.name);
    let kind = find(config)?;
    let timing = Timing::of_controller(config, setup.step_ns)?;
    let Built { controller, ports } =
        (kind.build)(config, &ControllerSite { place, setup: *setup, sensing, timing })?;
    let channels = ports.iter().map(|p| p.channel(setup.layout)).collect();
    Ok(ControllerPart {
        name: config.name.clone(),
        timing,
        controller,
        command: Arc::new(ChannelLayout { channels }),
        noise: config.noise.unwrap_or_default(),
    })
}

/// What a table commands at its first activation, in this state, seen by ideal encoders.
pub fn first_command(
    config: &ControllerConfig,
    setup: &Setup<'_>,
    q: &[f64],
    v: &[f64],
) -> Result<Vec<(Port, f64)>, ControlError> {
    let mut sensing = Sensing::new(setup, &[])?;
    let mut part = build(config, setup, &sensing)?;
    sensing.show(part.timing.phase_ns, q, v);
    let mut command = Command::new(part.command.clone());
    part.controller.activate(part.timing.phase_ns, sensing.observation(), &mut command)?;
    let parse = |channel: &str| Port::parse(setup.layout, channel).map_err(|e| ControlError::new(&part.name, e));
    let channels = part.command.channels.iter().zip(&command.values);
    channels.map(|((channel, _), value)| Ok((parse(channel)?, *value))).collect()
}

/// The kind of a table; an error if a key is set that the kind does not accept.
pub(crate) fn find(config: &ControllerConfig) -> Result<&'static ControllerKind, ControlError> {
    let place = format!("controllers/{}", config.name);
    let Some(kind) = CONTROLLERS.iter().find(|k| k.name == config.kind) else {
        let what = format!(
            "unknown kind of controller '{}'; available: {}",
            config.kind,
            list(CONTROLLERS.iter().map(|k| k.name))
        );
        return Err(ControlError::new(format!("{place}/kind"), what));
    };
    if let Some(key) = config.keys_given().into_iter().find(|k| !kind.keys.contains(k)) {
        let what =
            format!("a controller of kind '{}' has no key '{key}'; it has {}", kind.name, kind.keys.join(", "));
        return Err(ControlError::new(format!("{place}/{key}"), what));
    }
    Ok(kind)
}
