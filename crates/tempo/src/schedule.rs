//! The events of every client: the record of a run's timing, which a replay follows.
//!
//! One line of JSON for each event, after a head line that names the run. Times are virtual nanoseconds.

use crate::error::TempoError;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::path::Path;

/// Newest schema version.
pub const SCHEMA: u32 = 2;

/// First line of a schedule file: which run it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// Engine spec, in full.
    pub engine: String,
    /// Step of the dynamics [ns].
    pub step_ns: i64,
    /// Duration [ns].
    pub duration_ns: i64,
    /// Seed of the run.
    pub seed: u64,
    /// Names of the clients, in order.
    pub clients: Vec<String>,
    /// Digest of the record's deterministic part; since schema 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Head {
    /// Whether a schedule with this head is of the same run as another: whatever was computed, and in either schema.
    pub fn is_of(&self, other: &Self) -> bool {
        let named = |head: &Self| Self { schema: SCHEMA, digest: None, ..head.clone() };
        named(self) == named(other)
    }
}

/// An event of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Number of the dynamics' step in which it happened.
    pub step: u64,
    /// Index of the client.
    pub client: u16,
    /// Kind of event.
    pub what: EventKind,
}

/// Kinds of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// It computed for `ns` and reached `at_ns`.
    Charge {
        /// CPU time, scaled [ns].
        ns: i64,
        /// Its progress [ns].
        at_ns: i64,
    },
    /// It was stopped while computing.
    Preempt,
    /// It began to wait.
    Wait {
        /// End of the wait [ns].
        until_ns: i64,
    },
    /// It continued.
    Wake {
        /// When it was due [ns].
        due_ns: i64,
        /// Number of the activation.
        activation: u64,
    },
    /// It read the observation.
    Observe,
    /// It read the time.
    Time {
        /// The time it read [ns].
        ns: i64,
    },
    /// It sent a command.
    Command {
        /// Its stamp [ns].
        ns: i64,
        /// Its numbers; since schema 2.
        #[serde(default, with = "numbers")]
        values: Box<[f64]>,
    },
    /// It published a plan.
    Plan {
        /// Its stamp [ns].
        ns: i64,
        /// Number of values.
        count: u32,
        /// Its numbers; since schema 2.
        #[serde(default, with = "numbers")]
        values: Box<[f64]>,
    },
    /// The run began for a program with a link.
    Start {
        /// What its clocks showed that count from start-up [ns].
        monotonic_ns: i64,
        /// What its clocks showed that count from 1970 [ns].
        real_ns: i64,
    },
    /// It was sent an observation over its link.
    Deliver {
        /// Its instant [ns].
        ns: i64,
        /// Its number, from 1.
        sequence: u64,
    },
    /// It used more CPU time than its budget.
    OverBudget,
    /// It completed an activation after its deadline.
    Miss {
        /// Lateness [ns].
        late_ns: i64,
    },
    /// It blocked in a system call of its own.
    Blocked {
        /// Number of the system call; negative if unknown.
        call: i64,
    },
    /// It can run again.
    Unblocked,
    /// It slept uninterruptibly, as for a disk, and was charged the time.
    Device {
        /// Wall time [ns].
        ns: i64,
    },
    /// Its clock continued although its timer should have ended the slice: the host may have preempted the core.
    Stall {
        /// Virtual time beyond the timer, which was charged [ns].
        ns: i64,
    },
    /// It ended.
    End,
}

impl EventKind {
    /// Whether a replay follows it.
    pub fn is_replayed(&self) -> bool {
        use EventKind::*;
        matches!(
            self,
            Wait { .. } | Wake { .. } | Observe | Time { .. } | Command { .. } | Plan { .. } | Deliver { .. }
        )
    }
}

/// Numbers that may be NaN or infinite, which JSON cannot express: these are null, and read as NaN.
mod numbers {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(values: &[f64], to: S) -> Result<S::Ok, S::Error> {
        let finite: Vec<Option<f64>> = values.iter().map(|v| Some(*v).filter(|v| v.is_finite())).collect();
        finite.serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Box<[f64]>, D::Error> {
        let values = Vec::<Option<f64>>::deserialize(from)?;
        Ok(values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect())
    }
}

/// Index of the first number that differs, by its bits; all that are not finite are the same.
pub fn first_difference(recorded: &[f64], now: &[f64]) -> Option<usize> {
    let same = |a: &f64, b: &f64| a.to_bits() == b.to_bits() || !a.is_finite() && !b.is_finite();
    let common = recorded.iter().zip(now).position(|(a, b)| !same(a, b));
    common.or_else(|| (recorded.len() != now.len()).then(|| recorded.len().min(now.len())))
}

/// Writes a schedule file.
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

/// Reads a schedule file; fails with the line of the first problem.
pub fn read(path: &Path) -> Result<(Head, Vec<Event>), TempoError> {
    let shown = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|e| TempoError::system(&shown, "cannot be read", e))?;
    let mut lines = std::io::BufReader::new(file).lines().enumerate();
    let bad = |number: usize, why: String| TempoError::new(format!("{shown}:{}", number + 1), why);
    let (_, first) =
        lines.next().ok_or_else(|| bad(0, "the file is empty; record a schedule with --schedule".to_string()))?;
    let first = first.map_err(|e| bad(0, e.to_string()))?;
    let head: Head = serde_json::from_str(&first).map_err(|e| bad(0, format!("not a schedule: {e}")))?;
    if head.schema > SCHEMA {
        return Err(bad(0, format!("schema {} is newer than this program, which reads {SCHEMA}", head.schema)));
    }
    let mut events = Vec::new();
    for (number, line) in lines {
        let line = line.map_err(|e| bad(number, e.to_string()))?;
        let event: Event = serde_json::from_str(&line).map_err(|e| bad(number, e.to_string()))?;
        if event.client as usize >= head.clients.len() {
            return Err(bad(number, format!("unknown client number {}", event.client)));
        }
        events.push(event);
    }
    Ok((head, events))
}
