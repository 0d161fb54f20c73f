//! Snapshots of a simulation: what the driver keeps, and the stepper's own bytes.

use super::SteppedSimulation;
use super::grid::StepGrid;
use super::stepper::Stepper;
use crate::error::LoadError;
use crate::events::SavedLog;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved {
    time: f64,
    grid: StepGrid,
    least_gaps: Vec<f64>,
    events: Option<SavedLog>,
    stepper: Vec<u8>,
}

impl<S: Stepper> SteppedSimulation<S> {
    /// Appends a snapshot; nothing where snapshots are not supported, which is rejected on restore.
    pub(super) fn save(&self, out: &mut Vec<u8>) {
        let mut stepper = Vec::new();
        if !self.stepper.save(&mut stepper) {
            return;
        }
        let (time, grid, least_gaps) = (self.time, self.grid, self.least_gaps.clone());
        let saved = Saved { time, grid, least_gaps, events: self.events.save(), stepper };
        // Writing these types to memory cannot fail.
        let bytes = postcard::to_stdvec(&saved).expect("a snapshot can be written to memory");
        self.seal.wrap(out, |out| out.extend_from_slice(&bytes));
    }

    pub(super) fn load_saved(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let damaged = |e: postcard::Error| LoadError::Snapshot(format!("it is damaged ({e}): use another copy"));
        let saved: Saved = postcard::from_bytes(self.seal.open(bytes)?).map_err(damaged)?;
        if saved.least_gaps.len() != self.least_gaps.len() || saved.grid.step != self.grid.step {
            return Err(LoadError::Snapshot("it does not fit this world".to_string()));
        }
        self.events.fits(saved.events.as_ref())?;
        self.stepper.restore(saved.time, &saved.stepper)?;
        (self.time, self.grid, self.least_gaps) = (saved.time, saved.grid, saved.least_gaps);
        self.events.restore(saved.events);
        if !self.gaps.is_empty() {
            self.stepper.measure_gaps(&mut self.gaps);
        }
        Ok(())
    }
}
