//! References of a scenario, before they are evaluated for a particular world and set of times.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use veracity_measure::Quantity;

/// A reference as stated in the scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceConfig {
    /// Unique in the scenario; checks refer to it by this name.
    pub name: String,
    /// How the truth is obtained.
    pub kind: ReferenceKind,
}

/// How the truth is obtained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ReferenceKind {
    /// A formula, evaluated for the scenario's own world and start.
    ClosedForm {
        /// Name in `references::FORMS`.
        form: String,
        /// Parameters of the form, e.g. which joint is meant.
        parameters: BTreeMap<String, ParameterValue>,
    },
    /// Printed values.
    Published {
        /// Where they were published.
        source: String,
        /// The values.
        channels: Vec<Channel>,
    },
    /// Runs refined until they agree; their differences show the error. The lab makes them.
    Converged,
    /// A recorded file.
    Recorded {
        /// Resolved path of a CSV, MCAP or Parquet file.
        file: PathBuf,
        /// What its columns mean.
        mapping: Vec<ChannelMap>,
    },
}

/// The kinds as scenario files name them, each in one line.
pub const REFERENCE_KINDS: &[(&str, &str)] = &[
    ("closed_form", "a formula, evaluated for the scenario's own world and start"),
    ("published", "printed values, with their source"),
    ("converged", "runs refined until they agree; their differences show the error"),
    ("recorded", "a file of a recording or of another simulation"),
];

/// A string, a number or a list of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    /// A number, SI.
    Number(f64),
    /// A string.
    Text(String),
    /// Several numbers, SI.
    Numbers(Vec<f64>),
}

/// Printed values of one quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// The quantity.
    pub quantity: Quantity,
    /// Times [s], increasing.
    pub times: Vec<f64>,
    /// Row-major, as many numbers per time as the quantity has.
    pub values: Vec<f64>,
    /// For each time, in the quantity's unit: half of the last printed digit unless the source says more.
    pub uncertainty: Vec<f64>,
}

/// Columns of a recorded file that form one quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelMap {
    /// The quantity.
    pub quantity: Quantity,
    /// Column names in the file, in order.
    pub columns: Vec<String>,
    /// Error of the recording, in the quantity's unit.
    pub uncertainty: f64,
}

#[cfg(test)]
mod tests {
    use super::REFERENCE_KINDS;
    use crate::file::scenario_file::ReferenceWord;
    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    #[test]
    fn every_listed_kind_is_a_word_of_scenario_files() {
        for (name, _) in REFERENCE_KINDS {
            let word: StrDeserializer<'_, Error> = name.into_deserializer();
            assert!(ReferenceWord::deserialize(word).is_ok(), "{name}");
        }
        // The error of an unknown word lists every kind.
        let word: StrDeserializer<'_, Error> = "".into_deserializer();
        let error = ReferenceWord::deserialize(word).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error.matches('`').count(), 2 * (REFERENCE_KINDS.len() + 1), "{error}");
    }
}
