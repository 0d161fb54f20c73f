//! The file `veracity tempo run` takes: a scenario, an engine and the programs that drive it.

use crate::error::TempoError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The newest version this program reads.
pub const SCHEMA: u32 = 1;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TempoConfig {
    /// [`SCHEMA`].
    pub schema: u32,
    /// A built-in scenario by name, or a file beside this one.
    pub scenario: String,
    /// Engine spec.
    #[serde(default = "native")]
    pub engine: String,
    /// Step of the dynamics [s]; the scenario's unless said.
    #[serde(default)]
    pub step_s: Option<f64>,
    /// How long [s]; the scenario's unless said.
    #[serde(default)]
    pub duration_s: Option<f64>,
    /// Of sensors' noise, and told to every client.
    #[serde(default)]
    pub seed: u64,
    /// How the root picks; `least_progress` unless said.
    #[serde(default = "least_progress")]
    pub policy: String,
    /// Inner nodes of the scheduler tree.
    #[serde(default)]
    pub groups: Vec<GroupConfig>,
    /// The programs.
    pub clients: Vec<ClientConfig>,
}

/// An inner node: a robot's computer, say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupConfig {
    /// Unique.
    pub name: String,
    /// How it picks: see [`crate::policies::POLICIES`].
    pub policy: String,
    /// The group above; the root unless said.
    #[serde(default)]
    pub group: Option<String>,
    /// Among its siblings; higher goes first.
    #[serde(default)]
    pub priority: i32,
}

/// What kind of program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// A controller: activated at a rate, through the client library.
    Periodic,
    /// A planner: computes as long as it likes, through the client library.
    BestEffort,
    /// An ordinary program that knows nothing of us; the preloaded library keeps its time.
    Unmodified,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientConfig {
    /// Unique.
    pub name: String,
    /// A path beside the file, a program beside `veracity`, or one on the PATH.
    pub program: String,
    /// Given to it.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Added to its environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// See [`ClientKind`].
    pub kind: ClientKind,
    /// Activations in a second [Hz] (periodic).
    #[serde(default)]
    pub rate_hz: Option<f64>,
    /// The first activation [s] (periodic).
    #[serde(default)]
    pub phase_s: f64,
    /// By when an activation must be done [s]; the period unless said (periodic).
    #[serde(default)]
    pub deadline_s: Option<f64>,
    /// CPU time an activation may use [s]; more is an overrun (periodic).
    #[serde(default)]
    pub budget_s: Option<f64>,
    /// From a command to its action [s], on top of waiting for the next step: the actuators' own.
    #[serde(default)]
    pub latency_s: f64,
    /// Command channels, such as `efforts/hinge`.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Clients that receive its plans.
    #[serde(default)]
    pub plans_to: Vec<String>,
    /// The group it belongs to; the root unless said.
    #[serde(default)]
    pub group: Option<String>,
    /// Among its siblings; higher goes first.
    #[serde(default)]
    pub priority: i32,
}

fn native() -> String {
    "native".to_string()
}

fn least_progress() -> String {
    "least_progress".to_string()
}

impl TempoConfig {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, TempoError> {
        let shown = path.display().to_string();
        let text = veracity_model::input::read_text(path, veracity_model::input::MOST_TEXT)
            .map_err(|e| TempoError::system(&shown, "it cannot be read", e))?;
        let config = Self::parse(&shown, &text)?;
        config.check(&shown)?;
        Ok(config)
    }

    /// Reads text; errors carry the line.
    pub fn parse(shown: &str, text: &str) -> Result<Self, TempoError> {
        toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
            TempoError::new(format!("{shown}:{line}"), e.message().to_string())
        })
    }

    /// What no single key shows.
    pub fn check(&self, shown: &str) -> Result<(), TempoError> {
        let wrong = |what: String| Err(TempoError::new(shown, what));
        if self.schema > SCHEMA {
            return wrong(format!("schema {} is newer than this program, which reads {SCHEMA}", self.schema));
        }
        if self.clients.is_empty() {
            return wrong("there is no client; add [[clients]], or run the scenario with `veracity run`".to_string());
        }
        for (i, client) in self.clients.iter().enumerate() {
            let at = |what: String| Err(TempoError::new(format!("{shown}: clients/{}", client.name), what));
            if self.clients[..i].iter().any(|c| c.name == client.name) {
                return at("another client has this name; names must be unique".to_string());
            }
            let positive = |x: Option<f64>| x.is_none_or(|x| x.is_finite() && x > 0.0);
            if !positive(client.rate_hz) || !positive(client.deadline_s) || !positive(client.budget_s) {
                return at("rate_hz, deadline_s and budget_s must be above zero".to_string());
            }
            if !(client.latency_s.is_finite() && client.latency_s >= 0.0) {
                return at("latency_s must not be negative".to_string());
            }
            let periodic = client.kind == ClientKind::Periodic;
            if periodic != client.rate_hz.is_some() {
                return at("a periodic client has a rate_hz, and no other has".to_string());
            }
            if !periodic && (client.deadline_s.is_some() || client.budget_s.is_some()) {
                return at("only a periodic client has deadline_s and budget_s".to_string());
            }
            if client.kind == ClientKind::Unmodified && !(client.commands.is_empty() && client.plans_to.is_empty()) {
                return at("an unmodified program knows nothing of commands or plans".to_string());
            }
            if let Some(to) = client.plans_to.iter().find(|to| !self.clients.iter().any(|c| c.name == **to)) {
                return at(format!("plans_to names '{to}', which is no client"));
            }
            if let Some(group) = client.group.as_ref().filter(|g| !self.groups.iter().any(|c| c.name == **g)) {
                return at(format!("group '{group}' is not among [[groups]]"));
            }
        }
        Ok(())
    }
}

/// Where a program is: beside the file, beside this program, or on the PATH.
pub fn find_program(name: &str, folder: &Path) -> PathBuf {
    let beside_us = std::env::current_exe().ok().and_then(|p| p.parent().map(|f| f.join(name)));
    let candidates = [Some(folder.join(name)), beside_us];
    let found = candidates.into_iter().flatten().find(|p| p.is_file());
    // A bare name would be looked for on the PATH alone, though it was found here.
    found.and_then(|p| std::path::absolute(p).ok()).unwrap_or_else(|| PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_beside_a_file_that_is_named_without_a_folder_is_found() {
        // Tests are run in the crate's own folder, of which "" is the relative name.
        let found = find_program("Cargo.toml", Path::new(""));
        assert!(found.is_absolute() && found.is_file(), "{}", found.display());
        assert_eq!(find_program("no-such-program", Path::new("")), Path::new("no-such-program"));
    }
}
