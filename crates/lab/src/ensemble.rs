//! Many trials that are planned one at a time and reduced at once: memory does not grow with the size of their records.

use crate::lab::{Lab, LabError};
use crate::plan::Planned;
use crate::watchdog::Watchdog;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use veracity_record::Record;

/// What became of one trial of an ensemble.
pub enum Ran<'a> {
    /// It has a record, from the store or from a run.
    Record {
        /// The trial.
        planned: &'a Planned,
        /// Its record.
        record: &'a Record,
    },
    /// It could not be planned, or its engine panicked.
    Not(&'a str),
}

impl Lab<'_> {
    /// Runs `count` trials and reduces each record to what is kept of it. `None` for trials that an interruption left out.
    /// The order of the results is that of the trials, whatever the number of threads.
    pub fn each<T: Send>(
        &self,
        count: usize,
        plan: &(dyn Fn(usize) -> Result<Planned, String> + Sync),
        reduce: &(dyn Fn(usize, Ran<'_>) -> T + Sync),
    ) -> Result<Vec<Option<T>>, LabError> {
        let watchdog = Watchdog::new(Arc::clone(&self.stop));
        let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
        let trouble: Mutex<Option<LabError>> = Mutex::new(None);
        let keep = |number: usize, value: T| {
            results.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(value);
        };
        let job = |number: usize| {
            let planned = match plan(number) {
                Ok(planned) => planned,
                Err(why) => return keep(number, reduce(number, Ran::Not(&why))),
            };
            match self.record(&planned, &watchdog) {
                Ok(Some((record, _))) => {
                    keep(number, reduce(number, Ran::Record { planned: &planned, record: &record }));
                }
                Ok(None) => {}
                Err(error) => {
                    // Nothing more can be stored (a full disk): finish the trials in progress and report it.
                    trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error.into());
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let lost = |number: usize, why: String| {
            keep(number, reduce(number, Ran::Not(&format!("the engine panicked: {why}"))));
        };
        self.executor.run(count, &job, &lost, &self.stop);
        match trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}
