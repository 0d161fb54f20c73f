//! Snapshots of a world with contact: the state, the paradigm's memory and counts, in addition to what the driver keeps.

use crate::contact::{ContactStepper, Counts};
use crate::limits::Left;
use serde::{Deserialize, Serialize};
use veracity_engine::{LoadError, Totals};
use veracity_record::ContactSample;

#[derive(Serialize, Deserialize)]
struct Saved {
    q: Vec<f64>,
    v: Vec<f64>,
    memory: Vec<f64>,
    limits: Vec<Left>,
    totals: [u64; 3],
    unsolved: (u64, f64),
    touched: Vec<ContactSample>,
}

impl ContactStepper {
    pub(crate) fn write_saved(&self, out: &mut Vec<u8>) {
        let mut memory = Vec::new();
        self.paradigm.memory(&mut memory);
        let Counts { totals, unsolved, first_unsolved } = self.counts;
        let saved = Saved {
            q: self.state.q.clone(),
            v: self.state.v.clone(),
            memory,
            limits: self.limits.left.clone(),
            totals: [totals.steps, totals.evaluations, totals.rejected],
            unsolved: (unsolved, first_unsolved),
            touched: self.touched().collect(),
        };
        // Writing these types to memory cannot fail.
        let bytes = postcard::to_stdvec(&saved).expect("a snapshot can be written to memory");
        out.extend_from_slice(&bytes);
    }

    pub(crate) fn read_saved(&mut self, time: f64, bytes: &[u8]) -> Result<(), LoadError> {
        let refuse = |why: String| LoadError::Snapshot(why);
        let saved: Saved = postcard::from_bytes(bytes)
            .map_err(|e| refuse(format!("its bytes are damaged ({e}); use another copy")))?;
        let fits = saved.q.len() == self.state.q.len()
            && saved.v.len() == self.state.v.len()
            && saved.limits.len() == self.limits.left.len();
        if !fits {
            return Err(refuse("it does not fit this world".to_string()));
        }
        // A paradigm must restore its memory completely: if it rejects it, the previous memory is put back.
        let mut present = Vec::new();
        self.paradigm.memory(&mut present);
        if !self.paradigm.set_memory(&saved.memory) {
            self.paradigm.set_memory(&present);
            return Err(refuse("the contact memory in it does not fit this world".to_string()));
        }
        self.limits.left = saved.limits;
        let [steps, evaluations, rejected] = saved.totals;
        let (unsolved, first_unsolved) = saved.unsolved;
        self.counts = Counts { totals: Totals { steps, evaluations, rejected }, unsolved, first_unsolved };
        self.continue_from(time, saved.q, saved.v, saved.touched);
        Ok(())
    }
}
