//! How a trial ended, and its log.

use serde::{Deserialize, Serialize};

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It reached its duration.
    Finished,
    /// The numerical solution failed, or the state became non-finite.
    BrokeDown {
        /// [s]
        time: f64,
        /// The reason, in a sentence.
        reason: String,
    },
    /// The engine cannot express the scenario; nothing was run.
    NotExpressible {
        /// Each missing feature in a sentence.
        features: Vec<String>,
    },
    /// It reached its cap of CPU time. The one outcome that depends on the machine.
    TooSlow {
        /// Simulated time reached [s].
        time: f64,
    },
    /// The engine crashed, hung, or refused for another reason.
    Failed {
        /// The reason, in a sentence.
        reason: String,
    },
    /// A check that the scenario names under `[stop]` came true: its planned end.
    Stopped {
        /// Of the last row [s].
        time: f64,
        /// Name of the check.
        check: String,
        /// What happened, in a phrase.
        reason: String,
    },
}

impl Outcome {
    /// Whether it reached its duration.
    pub fn is_finished(&self) -> bool {
        matches!(self, Outcome::Finished)
    }
}

/// The outcome as a sentence.
impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Finished => f.write_str("it reached its duration"),
            Outcome::BrokeDown { time, reason } => write!(f, "it broke down at {time} s: {reason}"),
            Outcome::NotExpressible { features } => f.write_str(&features.join("; ")),
            Outcome::TooSlow { time } => write!(f, "it used up its CPU time at {time} s"),
            Outcome::Failed { reason } => f.write_str(reason),
            Outcome::Stopped { time, check, reason } => write!(f, "stopped at {time} s by '{check}': {reason}"),
        }
    }
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// [s]
    pub time: f64,
    /// `warning` means: read this before you trust the result. Else `note`.
    pub warning: bool,
    /// The text, in a sentence.
    pub text: String,
}
