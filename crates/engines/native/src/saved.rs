//! What a snapshot holds beside the state of the dynamics.

use crate::grid::Grid;
use crate::limits::Left;
use serde::{Deserialize, Serialize};
use veracity_dynamics::Snapshot;
use veracity_engine::LoadError;

/// Everything needed to go on.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    /// State, integrator memory and counts, in the bytes of the dynamics.
    dynamics: Vec<u8>,
    pub grid: Grid,
    pub least_gaps: Vec<f64>,
    pub limits: Vec<Left>,
}

impl Saved {
    pub(crate) fn new(snapshot: &Snapshot, grid: Grid, least_gaps: &[f64], limits: &[Left]) -> Self {
        Self { dynamics: snapshot.to_bytes(), grid, least_gaps: least_gaps.to_vec(), limits: limits.to_vec() }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        // Writing to memory fails for no type this is made of.
        let bytes = postcard::to_stdvec(self).expect("a snapshot can be written to memory");
        out.extend_from_slice(&bytes);
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Snapshot), LoadError> {
        let saved: Self = postcard::from_bytes(bytes)
            .map_err(|e| LoadError::Snapshot(format!("its bytes are damaged ({e}): take another copy of it")))?;
        let snapshot = Snapshot::from_bytes(&saved.dynamics).map_err(|e| LoadError::Snapshot(e.to_string()))?;
        Ok((saved, snapshot))
    }
}
