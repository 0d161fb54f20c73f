//! What a scenario holds to be true, before it is worked out for a particular world and set of times.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use veracity_measure::Quantity;

/// A reference as the scenario states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceConfig {
    /// Unique in the scenario; checks call it by this.
    pub name: String,
    /// How it is made.
    pub kind: ReferenceKind,
}

/// How a reference is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ReferenceKind {
    /// A formula, evaluated for the scenario's own world and start.
    ClosedForm {
        /// Name in `references::FORMS`.
        form: String,
        /// What the form wants to know, e.g. which joint is meant.
        parameters: BTreeMap<String, ParameterValue>,
    },
    /// Printed values.
    Published {
        /// Who printed them.
        source: String,
        /// The values.
        channels: Vec<Channel>,
    },
    /// Runs refined until they agree; their differences show the error. The lab makes them.
    Converged,
    /// A recorded file.
    Recorded {
        /// CSV, MCAP or Parquet, found.
        file: PathBuf,
        /// What its columns mean.
        mapping: Vec<ChannelMap>,
    },
}

/// A word, a number or a list of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    /// A number, SI.
    Number(f64),
    /// A name.
    Text(String),
    /// Several numbers, SI.
    Numbers(Vec<f64>),
}

/// Printed values of one quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// What.
    pub quantity: Quantity,
    /// When [s], increasing.
    pub times: Vec<f64>,
    /// Row-major, as many for each time as the quantity has numbers.
    pub values: Vec<f64>,
    /// For each time, in the quantity's unit: half of the last printed digit unless the source says more.
    pub uncertainty: Vec<f64>,
}

/// What columns of a recorded file are one quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelMap {
    /// What.
    pub quantity: Quantity,
    /// The file's names for its numbers, in order.
    pub columns: Vec<String>,
    /// Error of the recording, in the quantity's unit.
    pub uncertainty: f64,
}
