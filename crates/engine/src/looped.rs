//! A control loop that runs in the engine's process, so that many steps with a controller at each are one call.
//!
//! The loop itself belongs to a higher layer: here it is text and bytes. The host of an engine in another process hands
//! the loop's tables over once ([`Simulation::take_loop`](crate::Simulation::take_loop)); every run then sends and
//! returns the loop's memory, so that the two sides never differ.

use crate::error::StepError;
use crate::samples::Samples;

/// One run of a loop that was handed over.
pub struct LoopRun<'a> {
    /// Start time; after the run the last tick that was reached [ns].
    pub time_ns: &'a mut i64,
    /// End time [ns].
    pub until_ns: i64,
    /// The loop's memory, before and after the run.
    pub memory: &'a mut Vec<u8>,
    /// Rows requested and rows recorded.
    pub samples: &'a mut Samples,
    /// Commands and readings of each recorded row, row after row, appended.
    pub signals: &'a mut Vec<f64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopEnd {
    /// At its end time.
    Reached,
    /// Stopped on request.
    Stopped,
    /// The engine could not continue.
    Trouble(StepError),
    /// A controller could not continue; why.
    Failed(String),
}
