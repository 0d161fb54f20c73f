//! A simulation as bytes.
//!
//! Rapier's own sets are written whole, impulses of contacts and joints included, with the step count and the part of
//! our state that is not in them: counted turns, least gaps. [`Seal`] rejects damaged snapshots and those of other
//! worlds.

use crate::build::Sets;
use serde::{Deserialize, Serialize};
use veracity_engine::{LoadError, SavedLog, Seal};

/// The part of a snapshot outside Rapier's sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Time of step zero [s].
    pub start_s: f64,
    /// Steps since.
    pub steps: u64,
    /// Positions with their turns.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Least gap of each named pair [m].
    pub least_gaps: Vec<f64>,
    /// The event log, if there is one.
    pub events: Option<SavedLog>,
}

/// Appends a snapshot.
pub fn write(seal: &Seal, own: &Saved, sets: &Sets, out: &mut Vec<u8>) {
    // Writing these types to memory cannot fail.
    let bytes = postcard::to_stdvec(&(own, sets)).expect("Rapier's sets can be written to memory");
    seal.wrap(out, |out| out.extend_from_slice(&bytes));
}

/// Reads a snapshot of the same world under the same settings.
pub fn read(seal: &Seal, bytes: &[u8]) -> Result<(Saved, Sets), LoadError> {
    let damaged = |e: postcard::Error| LoadError::Snapshot(format!("it is damaged ({e}): use another copy"));
    postcard::from_bytes(seal.open(bytes)?).map_err(damaged)
}
