//! What a study reports while it runs.

use crate::results::Row;

/// Receives progress. Calls come from several threads.
pub trait Progress: Sync {
    /// The study is planned: number of trials, number of those already stored, and the CPU time of the rest, estimated
    /// from a few steps of each kind [s].
    fn planned(&self, trials: usize, stored: usize, estimate_cpu_s: f64) {
        let _ = (trials, stored, estimate_cpu_s);
    }

    /// A converged reference is being made.
    fn reference(&self, scenario: &str) {
        let _ = scenario;
    }

    /// A trial was run (`ran`) or found in the store.
    fn finished(&self, row: &Row, ran: bool) {
        let _ = (row, ran);
    }
}

/// Ignores all progress.
pub struct Silent;

impl Progress for Silent {}
