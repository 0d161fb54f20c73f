//! What a study tells while it runs.

use crate::results::Row;

/// Somebody who watches. Calls come from several threads.
pub trait Progress: Sync {
    /// Laid out: so many trials, of which so many are already stored, and the CPU time the rest will take, estimated from
    /// a few steps of each kind [s].
    fn planned(&self, trials: usize, stored: usize, estimate_cpu_s: f64) {
        let _ = (trials, stored, estimate_cpu_s);
    }

    /// A converged reference is being made.
    fn reference(&self, scenario: &str) {
        let _ = scenario;
    }

    /// A trial was finished (`ran`) or found in the store.
    fn finished(&self, row: &Row, ran: bool) {
        let _ = (row, ran);
    }
}

/// Nobody watches.
pub struct Silent;

impl Progress for Silent {}
