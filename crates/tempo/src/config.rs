//! The configuration file of `veracity tempo run`: a scenario, an engine and the programs that drive it.

use crate::error::TempoError;
use crate::link::LinkConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Newest schema version this program reads.
pub const SCHEMA: u32 = 1;

/// Configuration of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TempoConfig {
    /// Version of this format: 1.
    pub schema: u32,
    /// A built-in scenario by name, or the path of a scenario file relative to this file.
    pub scenario: String,
    /// Engine spec; default: `native`.
    #[serde(default = "native")]
    pub engine: String,
    /// Step of the dynamics [s]; default: the scenario's.
    #[serde(default)]
    pub step_s: Option<f64>,
    /// Duration [s]; default: the scenario's.
    #[serde(default)]
    pub duration_s: Option<f64>,
    /// Seed of the sensor noise, also passed to every client.
    #[serde(default)]
    pub seed: u64,
    /// Policy of the root: `least_progress` (a processor for each; the default), `fixed_priority` or `round_robin` (one
    /// processor for all).
    #[serde(default = "least_progress")]
    pub policy: String,
    /// Inner nodes of the scheduler tree.
    #[serde(default)]
    pub groups: Vec<GroupConfig>,
    /// The programs.
    pub clients: Vec<ClientConfig>,
}

/// An inner node of the scheduler tree, such as a robot's computer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupConfig {
    /// Name, unique.
    pub name: String,
    /// Its policy: `least_progress`, `fixed_priority` or `round_robin`.
    pub policy: String,
    /// The parent group; default: the root.
    #[serde(default)]
    pub group: Option<String>,
    /// Priority among its siblings; the higher goes first.
    #[serde(default)]
    pub priority: i32,
}

/// Kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// A controller: activated at a rate, through the client library.
    Periodic,
    /// A planner: computes without a rate, through the client library.
    BestEffort,
    /// An ordinary program without the client library; the preloaded library keeps its time.
    Unmodified,
}

/// Configuration of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientConfig {
    /// Name, unique.
    pub name: String,
    /// A path relative to the file, a program next to `veracity`, or one on the PATH.
    pub program: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Added to its environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// What it is, and so how its time is kept.
    pub kind: ClientKind,
    /// Activations per second [Hz] (periodic, or with a link).
    #[serde(default)]
    pub rate_hz: Option<f64>,
    /// Time of the first activation [s] (with `rate_hz`).
    #[serde(default)]
    pub phase_s: f64,
    /// Deadline of an activation [s]; default: the period (with `rate_hz`).
    #[serde(default)]
    pub deadline_s: Option<f64>,
    /// CPU time an activation may use [s]; more is an overrun (with `rate_hz`).
    #[serde(default)]
    pub budget_s: Option<f64>,
    /// Latency of the actuators [s]: from a command to its action, in addition to waiting for the next step.
    #[serde(default)]
    pub latency_s: f64,
    /// Command channels, such as `efforts/hinge`; `veracity tempo channels FILE` lists them.
    #[serde(default)]
    pub commands: Vec<String>,
    /// What its processes may occupy of this machine's memory, in MiB; default: three quarters of it.
    #[serde(default)]
    pub memory_limit_mib: Option<u64>,
    /// What it may print, in MiB, where its output is saved.
    #[serde(default = "output_limit")]
    pub output_limit_mib: u64,
    /// Clients that receive its plans.
    #[serde(default)]
    pub plans_to: Vec<String>,
    /// How an unmodified program exchanges messages with the robot.
    #[serde(default)]
    pub link: Option<LinkConfig>,
    /// The group it belongs to; default: the root.
    #[serde(default)]
    pub group: Option<String>,
    /// Priority among its siblings; the higher goes first.
    #[serde(default)]
    pub priority: i32,
}

fn output_limit() -> u64 {
    256
}

fn native() -> String {
    "native".to_string()
}

fn least_progress() -> String {
    "least_progress".to_string()
}

/// The JSON Schema of the file: docs/schema/tempo_input.json.
pub fn json_schema() -> String {
    let text = serde_json::to_string_pretty(&schemars::schema_for!(TempoConfig)).unwrap_or_default();
    text + "\n"
}

impl TempoConfig {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, TempoError> {
        let shown = path.display().to_string();
        let text = veracity_model::input::read_text(path, veracity_model::input::MOST_TEXT)
            .map_err(|e| TempoError::system(&shown, "cannot be read", e))?;
        let config = Self::parse(&shown, &text)?;
        config.check(&shown)?;
        Ok(config)
    }

    /// Parses a file's text; errors carry the line.
    pub fn parse(shown: &str, text: &str) -> Result<Self, TempoError> {
        toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
            TempoError::new(format!("{shown}:{line}"), e.message().to_string())
        })
    }

    /// Checks the values and how they fit together; fails at the first problem.
    pub fn check(&self, shown: &str) -> Result<(), TempoError> {
        let wrong = |what: String| Err(TempoError::new(shown, what));
        if self.schema > SCHEMA {
            return wrong(format!("schema {} is newer than this program, which reads {SCHEMA}", self.schema));
        }
        if self.clients.is_empty() {
            return wrong("no client; add [[clients]], or run the scenario with `veracity run`".to_string());
        }
        for (i, client) in self.clients.iter().enumerate() {
            let at = |what: String| Err(TempoError::new(format!("{shown}: clients/{}", client.name), what));
            if self.clients[..i].iter().any(|c| c.name == client.name) {
                return at("another client has this name; names must be unique".to_string());
            }
            let positive = |x: Option<f64>| x.is_none_or(|x| x.is_finite() && x > 0.0);
            if !positive(client.rate_hz) || !positive(client.deadline_s) || !positive(client.budget_s) {
                return at("rate_hz, deadline_s and budget_s must be positive".to_string());
            }
            if !(client.latency_s.is_finite() && client.latency_s >= 0.0) {
                return at("latency_s must not be negative".to_string());
            }
            let unmodified = client.kind == ClientKind::Unmodified;
            if client.link.is_some() && !unmodified {
                return at("[clients.link] is for an unmodified program; others use the client library".to_string());
            }
            let periodic = client.kind == ClientKind::Periodic || client.link.is_some();
            if periodic != client.rate_hz.is_some() {
                let what =
                    "rate_hz is required for a periodic client and for one with a link, and not allowed for others";
                return at(what.to_string());
            }
            if !periodic && (client.deadline_s.is_some() || client.budget_s.is_some()) {
                return at("deadline_s and budget_s are only allowed for a client with a rate".to_string());
            }
            let late =
                client.deadline_s.zip(client.rate_hz).is_some_and(|(deadline, rate)| deadline * rate > 1.0 + 1e-9);
            if late && client.link.is_some() {
                return at(
                    "deadline_s must not be longer than the period: the next message replaces the last".to_string()
                );
            }
            if unmodified && (client.link.is_none() && !client.commands.is_empty() || !client.plans_to.is_empty()) {
                return at(
                    "an unmodified program needs [clients.link] to command, and cannot publish plans".to_string()
                );
            }
            if let Some(link) = &client.link {
                crate::link::adapter(&link.adapter)
                    .map_err(|e| TempoError::new(format!("{shown}: clients/{}/link", client.name), e))?;
            }
            if let Some(to) = client.plans_to.iter().find(|to| !self.clients.iter().any(|c| c.name == **to)) {
                return at(format!("plans_to names '{to}', which is not a client"));
            }
            if let Some(group) = client.group.as_ref().filter(|g| !self.groups.iter().any(|c| c.name == **g)) {
                return at(format!("group '{group}' is not among [[groups]]"));
            }
        }
        Ok(())
    }
}

/// Path of a program: next to the file, next to this program, or on the PATH.
pub fn find_program(name: &str, folder: &Path) -> PathBuf {
    let beside_us = std::env::current_exe().ok().and_then(|p| p.parent().map(|f| f.join(name)));
    let candidates = [Some(folder.join(name)), beside_us];
    let found = candidates.into_iter().flatten().find(|p| p.is_file());
    // A bare name would be searched for on the PATH only, so the path is made absolute.
    found.and_then(|p| std::path::absolute(p).ok()).unwrap_or_else(|| PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_is_found_next_to_a_file_named_without_a_folder() {
        // Tests run in the crate's folder, of which "" is the relative name.
        let found = find_program("Cargo.toml", Path::new(""));
        assert!(found.is_absolute() && found.is_file(), "{}", found.display());
        assert_eq!(find_program("no-such-program", Path::new("")), Path::new("no-such-program"));
    }
}
