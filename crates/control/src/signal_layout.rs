//! Observation and Command: flat numbers with names.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Names and units of a flat array, fixed at load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelLayout {
    /// Name of each number, e.g. `arm/elbow/position`, and its SI unit.
    pub channels: Vec<(String, String)>,
}

impl ChannelLayout {
    /// Index of a channel.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|(n, _)| n == name)
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.channels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }
}

/// What a controller sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Names and units.
    pub layout: Arc<ChannelLayout>,
    /// One for each channel; NaN until its sensor has delivered.
    pub values: Vec<f64>,
    /// When each number was measured [ns].
    pub stamps_ns: Vec<i64>,
}

/// What a controller commands.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Names and units.
    pub layout: Arc<ChannelLayout>,
    /// One for each channel.
    pub values: Vec<f64>,
}

impl Observation {
    /// Nothing measured yet.
    pub fn new(layout: Arc<ChannelLayout>) -> Self {
        let count = layout.len();
        Self { layout, values: vec![f64::NAN; count], stamps_ns: vec![i64::MIN; count] }
    }
}

impl Command {
    /// All zero.
    pub fn new(layout: Arc<ChannelLayout>) -> Self {
        let count = layout.len();
        Self { layout, values: vec![0.0; count] }
    }
}
