//! An event log in a snapshot: its memory, without the events already logged.

use super::{EventLog, Memory};
use crate::error::LoadError;
use serde::{Deserialize, Serialize};
use veracity_record::EventRules;

/// Thresholds and memory of the log, for the snapshot of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedLog {
    pub(super) rules: EventRules,
    pub(super) memory: Memory,
}

impl EventLog {
    /// For a snapshot; `None` if the log is off. Events already logged are not part of it.
    pub fn save(&self) -> Option<SavedLog> {
        self.on.then(|| SavedLog { rules: self.rules, memory: self.memory.clone() })
    }

    /// Checks that a saved log fits the world of this log.
    pub fn fits(&self, saved: Option<&SavedLog>) -> Result<(), LoadError> {
        let Some(saved) = saved else { return Ok(()) };
        let (mine, memory) = (&self.names, &saved.memory);
        let named = mine.named.len();
        let slots_in_place =
            memory.pairs.iter().enumerate().all(|(i, pair)| pair.slot == (i < named).then_some(i as u32));
        let fits = memory.pairs.len() >= named
            && slots_in_place
            && memory.gaps.len() == named
            && memory.limits.len() == self.limits.len()
            && memory.index.iter().all(|(_, pair)| (*pair as usize) < memory.pairs.len())
            && memory.index.is_sorted_by(|(a, _), (b, _)| a < b);
        if fits { Ok(()) } else { Err(LoadError::Snapshot("its event log does not fit this world".to_string())) }
    }

    /// Restores a saved log, which must fit.
    pub fn restore(&mut self, saved: Option<SavedLog>) {
        self.switch(saved.as_ref().map(|saved| saved.rules));
        self.memory = saved.map(|saved| saved.memory).unwrap_or_default();
    }
}
