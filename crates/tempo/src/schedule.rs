//! What happened when, for every client: the record of a run's timing, and what a replay goes by.
//!
//! One line of JSON for each event after a line that says whose it is. Times are virtual nanoseconds.

use crate::error::TempoError;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::path::Path;

/// The newest version.
pub const SCHEMA: u32 = 1;

/// First line of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Of the scenario.
    pub scenario: String,
    /// Engine spec, in full.
    pub engine: String,
    /// [ns]
    pub step_ns: i64,
    /// [ns]
    pub duration_ns: i64,
    /// Of the run.
    pub seed: u64,
    /// Names, in order.
    pub clients: Vec<String>,
}

/// Something a client did or that was done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Number of the dynamics' step during which it happened.
    pub step: u64,
    /// Index of the client.
    pub client: u16,
    /// What.
    pub what: What,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It computed so long, and stands at `at_ns`.
    Charge {
        /// CPU time, scaled [ns].
        ns: i64,
        /// Its progress [ns].
        at_ns: i64,
    },
    /// It was stopped while it computed.
    Preempt,
    /// It began to wait.
    Wait {
        /// [ns]
        until_ns: i64,
    },
    /// It went on.
    Wake {
        /// When it was due [ns].
        due_ns: i64,
        /// Number of the activation.
        activation: u64,
    },
    /// It looked at the observation.
    Observe,
    /// It asked the time and was told this.
    Time {
        /// [ns]
        ns: i64,
    },
    /// It commanded.
    Command {
        /// [ns]
        ns: i64,
    },
    /// It published a plan.
    Plan {
        /// [ns]
        ns: i64,
        /// Numbers in it.
        count: u32,
    },
    /// It used more CPU time than its budget.
    OverBudget,
    /// It was done after its deadline.
    Miss {
        /// So much [ns].
        late_ns: i64,
    },
    /// It blocked in a system call of its own.
    Blocked {
        /// Number of the call; negative if unknown.
        call: i64,
    },
    /// It went on by itself.
    Unblocked,
    /// The host did not run it though its clock went on: not charged.
    Stall {
        /// [ns]
        ns: i64,
    },
    /// It ended.
    End,
}

impl What {
    /// Whether a replay goes by it.
    pub fn is_replayed(&self) -> bool {
        use What::*;
        matches!(self, Wait { .. } | Wake { .. } | Observe | Time { .. } | Command { .. } | Plan { .. })
    }
}

/// Writes a file.
pub fn write(path: &Path, head: &Head, events: &[Event]) -> Result<(), TempoError> {
    let written = veracity_record::file::write_atomically(path, |out| {
        writeln!(out, "{}", serde_json::to_string(head)?)?;
        for event in events {
            writeln!(out, "{}", serde_json::to_string(event)?)?;
        }
        Ok(())
    });
    written.map_err(|e| TempoError::new("schedule", e.to_string()))
}

/// Reads a file.
pub fn read(path: &Path) -> Result<(Head, Vec<Event>), TempoError> {
    let shown = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|e| TempoError::system(&shown, "it cannot be read", e))?;
    let mut lines = std::io::BufReader::new(file).lines().enumerate();
    let bad = |number: usize, why: String| TempoError::new(format!("{shown}:{}", number + 1), why);
    let (_, first) =
        lines.next().ok_or_else(|| bad(0, "it is empty; record a schedule with --schedule".to_string()))?;
    let first = first.map_err(|e| bad(0, e.to_string()))?;
    let head: Head =
        serde_json::from_str(&first).map_err(|e| bad(0, format!("no schedule begins like this: {e}")))?;
    if head.schema > SCHEMA {
        return Err(bad(0, format!("schema {} is newer than this program, which reads {SCHEMA}", head.schema)));
    }
    let mut events = Vec::new();
    for (number, line) in lines {
        let line = line.map_err(|e| bad(number, e.to_string()))?;
        let event: Event = serde_json::from_str(&line).map_err(|e| bad(number, e.to_string()))?;
        if event.client as usize >= head.clients.len() {
            return Err(bad(number, format!("there is no client number {}", event.client)));
        }
        events.push(event);
    }
    Ok((head, events))
}
