//! Snapshots of a world with contact: the state, the paradigm's memory, and counters.

use crate::limits::Left;
use crate::touching::Touching;
use serde::{Deserialize, Serialize};
use veracity_engine::fixed_step::StepGrid;
use veracity_engine::{LoadError, SavedLog, Totals};
use veracity_record::ContactSample;

#[derive(Serialize, Deserialize)]
struct Saved {
    time: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    memory: Vec<f64>,
    grid: StepGrid,
    least_gaps: Vec<f64>,
    limits: Vec<Left>,
    totals: [u64; 3],
    unsolved: (u64, f64),
    touched: Vec<ContactSample>,
    events: Option<SavedLog>,
}

impl Touching {
    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        let mut memory = Vec::new();
        self.paradigm.memory(&mut memory);
        let saved = Saved {
            time: self.state.time,
            q: self.state.q.clone(),
            v: self.state.v.clone(),
            memory,
            grid: self.grid,
            least_gaps: self.gaps.least.clone(),
            limits: self.limits.left.clone(),
            totals: [self.totals.steps, self.totals.evaluations, self.totals.rejected],
            unsolved: (self.unsolved, self.first_unsolved),
            touched: self.touched().collect(),
            events: self.events.save(),
        };
        // None of the types involved can fail to serialise to memory.
        let bytes = postcard::to_stdvec(&saved).expect("a snapshot can be written to memory");
        self.seal.wrap(out, |out| out.extend_from_slice(&bytes));
    }

    pub(crate) fn load_saved(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let refuse = |why: String| LoadError::Snapshot(why);
        let saved: Saved = postcard::from_bytes(self.seal.open(bytes)?)
            .map_err(|e| refuse(format!("its bytes are damaged ({e}); use another copy")))?;
        let fits = saved.q.len() == self.state.q.len()
            && saved.v.len() == self.state.v.len()
            && saved.least_gaps.len() == self.gaps.least.len()
            && saved.limits.len() == self.limits.left.len()
            && saved.grid.step == self.grid.step;
        if !fits {
            return Err(refuse("it does not fit this world".to_string()));
        }
        self.events.fits(saved.events.as_ref())?;
        // A paradigm must restore its memory completely: if it rejects it, the previous memory is put back.
        let mut present = Vec::new();
        self.paradigm.memory(&mut present);
        if !self.paradigm.set_memory(&saved.memory) {
            self.paradigm.set_memory(&present);
            return Err(refuse("the contact memory in it does not fit this world".to_string()));
        }
        self.state.time = saved.time;
        self.state.q = saved.q;
        self.state.v = saved.v;
        self.grid = saved.grid;
        self.gaps.least = saved.least_gaps;
        self.limits.left = saved.limits;
        let [steps, evaluations, rejected] = saved.totals;
        self.totals = Totals { steps, evaluations, rejected };
        (self.unsolved, self.first_unsolved) = saved.unsolved;
        self.shown.clear();
        self.restored = saved.touched;
        self.events.restore(saved.events);
        Ok(())
    }
}
