//! A control loop that runs where the engine is, so that many steps with a controller at every one of them are one call.
//!
//! The loop itself is of a higher layer: here it is text and bytes. Who has an engine in another process hands the loop's
//! tables over once ([`Simulation::take_loop`](crate::Simulation::take_loop)); every run then carries what the loop remembers
//! there and back, so that the two sides never hold two opinions of it.

use crate::error::Trouble;
use crate::samples::Samples;

/// One run of a loop that was handed over.
pub struct LoopRun<'a> {
    /// Where it begins, and after it where it ended: the last tick that was reached [ns].
    pub time_ns: &'a mut i64,
    /// Where it is to end [ns].
    pub until_ns: i64,
    /// What the loop remembers, before and after.
    pub memory: &'a mut Vec<u8>,
    /// Rows that are wanted, and those that were left.
    pub samples: &'a mut Samples,
    /// Commands and readings of each row that was left, row after row, appended.
    pub signals: &'a mut Vec<f64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopEnd {
    /// Where it was to.
    Reached,
    /// Somebody wanted a stop.
    Stopped,
    /// The engine could not go on.
    Trouble(Trouble),
    /// A controller could not; why.
    Failed(String),
}
