//! A simulation as bytes.
//!
//! Rapier's own sets are written whole, impulses of contacts and joints included, with the part of our state that is not in
//! them: counted turns. The driver's envelope rejects damaged snapshots and those of other worlds.

use crate::build::Sets;
use serde::{Deserialize, Serialize};
use veracity_engine::LoadError;

/// The part of a snapshot outside Rapier's sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Positions with their turns.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

/// Appends a snapshot.
pub fn write(own: &Saved, sets: &Sets, out: &mut Vec<u8>) {
    // Writing these types to memory cannot fail.
    let bytes = postcard::to_stdvec(&(own, sets)).expect("Rapier's sets can be written to memory");
    out.extend_from_slice(&bytes);
}

/// Reads a snapshot of the same world under the same settings.
pub fn read(bytes: &[u8]) -> Result<(Saved, Sets), LoadError> {
    let damaged = |e: postcard::Error| LoadError::Snapshot(format!("it is damaged ({e}): use another copy"));
    postcard::from_bytes(bytes).map_err(damaged)
}
