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

    /// The boundary of acceptance next to an accepted row is being located along a varied number.
    fn boundary(&self, accepted: &Row, axis: &str) {
        let _ = (accepted, axis);
    }

    /// After each trial: CPU time of the trials that ran, and of those left by what was measured so far [s].
    fn left(&self, done_cpu_s: f64, left_cpu_s: f64) {
        let _ = (done_cpu_s, left_cpu_s);
    }
}

/// Ignores all progress.
pub struct Silent;

impl Progress for Silent {}
