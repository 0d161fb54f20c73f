//! How long the rest of a study takes.
//!
//! Before the first trial each kind (scenario, engine, step) is estimated from a few steps of one trial. Once trials of a
//! kind have finished, their mean replaces the estimate; a kind without a finished trial is corrected by the ratio
//! measured : estimated of the others:
//!
//! ```text
//! left = Σ n_k c_k,   c_k = m_k / d_k  where d_k > 0,   else  e_k Σ m / Σ d e
//! ```
//!
//! with n trials left, d trials done in m seconds of CPU time, and the first estimate e of each kind k.

use crate::plan::Kind;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Estimates of a study in progress.
#[derive(Default)]
pub(crate) struct Estimates {
    index: BTreeMap<Kind, u32>,
    stored: usize,
    /// Index of the kind of each trial; [`STORED`] for one that does not run.
    kind_of: Vec<u32>,
    kinds: Mutex<Vec<Cost>>,
}

/// A trial that is found in the store.
const STORED: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Cost {
    estimate_s: f64,
    left: usize,
    done: usize,
    measured_s: f64,
}

/// CPU time of finished trials and of those left [s].
pub(crate) struct Left {
    pub done_cpu_s: f64,
    pub left_cpu_s: f64,
}

impl Estimates {
    /// The next trial is stored.
    pub fn add_stored(&mut self) {
        self.stored += 1;
        self.kind_of.push(STORED);
    }

    /// The next trial is of this kind; false if the kind has no estimate yet.
    pub fn add(&mut self, kind: Kind) -> bool {
        let Some(&at) = self.index.get(&kind) else { return false };
        self.kinds.get_mut().unwrap_or_else(PoisonError::into_inner)[at as usize].left += 1;
        self.kind_of.push(at);
        true
    }

    /// The next trial is the first of its kind, estimated to take so long [s].
    pub fn add_kind(&mut self, kind: Kind, estimate_s: f64) {
        let kinds = self.kinds.get_mut().unwrap_or_else(PoisonError::into_inner);
        let at = kinds.len() as u32;
        kinds.push(Cost { estimate_s, left: 1, done: 0, measured_s: 0.0 });
        self.index.insert(kind, at);
        self.kind_of.push(at);
    }

    /// Number of stored trials.
    pub fn stored(&self) -> usize {
        self.stored
    }

    /// CPU time of the trials that have not finished [s].
    pub fn left_s(&self) -> f64 {
        left(&self.kinds.lock().unwrap_or_else(PoisonError::into_inner)).left_cpu_s
    }

    /// Counts a finished trial.
    pub fn finished(&self, trial: usize, cpu_s: f64, ran: bool) -> Left {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = self.kind_of.get(trial).and_then(|at| kinds.get_mut(*at as usize)) {
            kind.left = kind.left.saturating_sub(1);
            if ran {
                kind.done += 1;
                kind.measured_s += cpu_s;
            }
        }
        left(&kinds)
    }
}

fn left(kinds: &[Cost]) -> Left {
    let done_cpu_s: f64 = kinds.iter().map(|k| k.measured_s).sum();
    let estimated: f64 = kinds.iter().map(|k| k.done as f64 * k.estimate_s).sum();
    let ratio = if estimated > 0.0 && done_cpu_s > 0.0 { done_cpu_s / estimated } else { 1.0 };
    let each = |k: &Cost| if k.done > 0 { k.measured_s / k.done as f64 } else { ratio * k.estimate_s };
    Left { done_cpu_s, left_cpu_s: kinds.iter().map(|k| k.left as f64 * each(k)).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_times_replace_the_first_estimate_and_correct_the_other_kinds() {
        let mut estimates = Estimates::default();
        let (a, b) = ((0, 0, 1), (0, 1, 1));
        assert!(!estimates.add(a));
        estimates.add_kind(a, 1.0);
        assert!(estimates.add(a));
        estimates.add_stored();
        estimates.add_kind(b, 10.0);
        assert_eq!((estimates.stored(), estimates.left_s()), (1, 12.0));
        // A trial of the first kind takes three times its estimate: so will its other trial and the second kind.
        let left = estimates.finished(0, 3.0, true);
        assert_eq!((left.done_cpu_s, left.left_cpu_s), (3.0, 33.0));
        assert_eq!(estimates.finished(2, 0.0, false).left_cpu_s, 33.0);
        // Its own measurement replaces the correction.
        assert_eq!(estimates.finished(3, 20.0, true).left_cpu_s, 3.0);
        assert_eq!(estimates.finished(1, 3.0, true).left_cpu_s, 0.0);
    }
}
