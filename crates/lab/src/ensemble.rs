//! Many trials that are planned one at a time and reduced at once: memory and storage do not grow with the size of their records.

use crate::lab::{Lab, LabError, run_checked};
use crate::plan::Planned;
use crate::store::StoreError;
use crate::trial::TrialKey;
use crate::watchdog::Watchdog;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use veracity_model::Digest;
use veracity_record::{Outcome, Record};

/// What is kept of a trial, and how it is written.
pub struct Reduction<'a> {
    /// Everything besides the trial that decides the summary: its rules and its format. Part of the key it is stored under.
    pub rules: &'a [u8],
    /// The summary of a record, as bytes.
    pub of: &'a (dyn Fn(&Record) -> Vec<u8> + Sync),
}

/// The result of one trial of an ensemble.
pub enum Reduced<'a> {
    /// Its summary, from the store or from a run.
    Summary {
        /// As [`Reduction::of`] wrote it.
        bytes: &'a [u8],
        /// Whether it was run now.
        ran: bool,
    },
    /// It could not be planned, or its engine panicked.
    Not(&'a str),
}

impl Lab<'_> {
    /// Runs `count` trials. Of each, a summary is stored instead of its record, and `keep` is called with it, from several threads and in
    /// any order; nothing else is held. Returns how many trials an interruption left out.
    pub fn each(
        &self,
        count: usize,
        plan: &(dyn Fn(usize) -> Result<Planned, String> + Sync),
        reduction: &Reduction<'_>,
        keep: &(dyn Fn(usize, Reduced<'_>) + Sync),
    ) -> Result<usize, LabError> {
        let watchdog = Watchdog::new(Arc::clone(&self.stop));
        let done = std::sync::atomic::AtomicUsize::new(0);
        let trouble: Mutex<Option<LabError>> = Mutex::new(None);
        let finished = |number: usize, reduced: Reduced<'_>| {
            keep(number, reduced);
            done.fetch_add(1, Ordering::Relaxed);
        };
        let job = |number: usize| {
            let planned = match plan(number) {
                Ok(planned) => planned,
                Err(why) => return finished(number, Reduced::Not(&why)),
            };
            match self.summary(&planned, reduction, &watchdog) {
                Ok(Some((bytes, ran))) => finished(number, Reduced::Summary { bytes: &bytes, ran }),
                Ok(None) => {}
                Err(error) => {
                    // Nothing more can be stored (a full disk): finish the trials in progress and report it.
                    trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error.into());
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let lost =
            |number: usize, why: String| finished(number, Reduced::Not(&format!("the engine panicked: {why}")));
        self.executor.run(count, &job, &lost, &self.stop);
        match trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(count - done.into_inner().min(count)),
        }
    }

    /// The summary of a trial, from the store or by running it; `None` when it was interrupted.
    fn summary(
        &self,
        planned: &Planned,
        reduction: &Reduction<'_>,
        watchdog: &Watchdog,
    ) -> Result<Option<(Vec<u8>, bool)>, StoreError> {
        let key = TrialKey(Digest::of_parts([&b"summary"[..], reduction.rules, &planned.key.0.0]));
        if !self.fresh
            && let Some(bytes) = self.store.summary(key)?
        {
            return Ok(Some((bytes, false)));
        }
        let watch = watchdog.watch(planned.setup.scenario.cpu_cap_s);
        let record = run_checked(planned, watch.flag());
        if self.stop.load(Ordering::Relaxed) && matches!(record.outcome, Outcome::TooSlow { .. }) {
            return Ok(None);
        }
        let bytes = (reduction.of)(&record);
        // A result that depends on the machine's load, or on a process that died, is not stored.
        if !matches!(record.outcome, Outcome::TooSlow { .. } | Outcome::Failed { .. }) {
            self.store.keep_summary(key, &bytes)?;
        }
        Ok(Some((bytes, true)))
    }

    /// The whole record of one trial: stored if it was stored before, else run, and stored now. `None` when it was interrupted.
    pub fn full_record(&self, planned: &Planned) -> Result<Option<Record>, LabError> {
        let watchdog = Watchdog::new(Arc::clone(&self.stop));
        Ok(self.record(planned, &watchdog)?.map(|(record, _)| record))
    }
}
