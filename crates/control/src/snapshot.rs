//! Saves and restores a loop: readings and commands in transit, memory of controllers, inputs in force, every counter.
//!
//! Random streams have no state to save.

use crate::control_loop::{ControlLoop, Runner};
use crate::delay::Delay;
use crate::error::ControlError;
use crate::sensing::Sampler;
use serde::{Deserialize, Serialize};
use veracity_engine::Inputs;
use veracity_model::Digest;

/// Incremented whenever the bytes change their meaning.
const SCHEMA: u32 = 2;

#[derive(Serialize, Deserialize)]
struct SavedLoop {
    schema: u32,
    /// Names of everything in order: a snapshot of another loop is rejected.
    shape: Digest,
    now_ns: i64,
    ticked: bool,
    in_force: Inputs,
    observation: Vec<f64>,
    stamps_ns: Vec<i64>,
    samplers: Vec<SavedSampler>,
    runners: Vec<SavedRunner>,
}

#[derive(Serialize, Deserialize)]
struct SavedSampler {
    next_ns: i64,
    delay: Delay,
    memory: Vec<f64>,
    drift: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct SavedRunner {
    next_ns: i64,
    command: Vec<f64>,
    acting: Vec<f64>,
    has_acted: bool,
    pending: Delay,
    memory: Vec<u8>,
    drift: Vec<f64>,
    last_arrival_ns: i64,
}

impl ControlLoop {
    /// Appends everything needed to continue: versioned, readable by another process that built the same loop.
    pub fn snapshot(&self, out: &mut Vec<u8>) {
        let saved = SavedLoop {
            schema: SCHEMA,
            shape: self.shape(),
            now_ns: self.now_ns,
            ticked: self.ticked,
            in_force: self.in_force.clone(),
            observation: self.sensing.observation.values.clone(),
            stamps_ns: self.sensing.observation.stamps_ns.clone(),
            samplers: self.sensing.samplers.iter().map(save_sampler).collect(),
            runners: self.runners.iter().map(save_runner).collect(),
        };
        let bytes = postcard::to_stdvec(&saved).expect("numbers can be written to memory");
        out.extend_from_slice(&bytes);
    }

    /// Restores a snapshot; the whole slice belongs to it. Damaged, foreign or truncated bytes are an error and change
    /// nothing.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), ControlError> {
        let refuse = |what: &str| ControlError::new("control", format!("snapshot rejected: {what}"));
        let Ok((saved, rest)) = postcard::take_from_bytes::<SavedLoop>(bytes) else {
            return Err(refuse("its bytes are damaged"));
        };
        if saved.schema != SCHEMA {
            return Err(refuse(&format!("it has schema {}, this is {SCHEMA}", saved.schema)));
        }
        if saved.shape != self.shape() {
            return Err(refuse("it belongs to a loop with other controllers or sensors"));
        }
        if !rest.is_empty() || !self.fits(&saved) {
            return Err(refuse("its bytes are damaged"));
        }
        self.restore_controllers(&saved)?;
        (self.now_ns, self.ticked) = (saved.now_ns, saved.ticked);
        self.in_force.clone_from(&saved.in_force);
        self.sensing.observation.values.copy_from_slice(&saved.observation);
        self.sensing.observation.stamps_ns.copy_from_slice(&saved.stamps_ns);
        for (s, saved) in self.sensing.samplers.iter_mut().zip(&saved.samplers) {
            s.next_ns = saved.next_ns;
            s.delay.copy_from(&saved.delay);
            s.measure.memory_mut().copy_from_slice(&saved.memory);
            s.drift.copy_from_slice(&saved.drift);
        }
        for (r, saved) in self.runners.iter_mut().zip(&saved.runners) {
            r.next_ns = saved.next_ns;
            r.command.values.copy_from_slice(&saved.command);
            r.acting.copy_from_slice(&saved.acting);
            r.has_acted = saved.has_acted;
            r.pending.copy_from(&saved.pending);
            r.errors.drift.copy_from_slice(&saved.drift);
            r.errors.last_arrival_ns = saved.last_arrival_ns;
        }
        Ok(())
    }

    /// Restores all controllers or none.
    fn restore_controllers(&mut self, saved: &SavedLoop) -> Result<(), ControlError> {
        let before: Vec<SavedRunner> = self.runners.iter().map(save_runner).collect();
        for i in 0..self.runners.len() {
            let Err(error) = self.runners[i].controller.restore(&saved.runners[i].memory) else { continue };
            for (r, old) in self.runners.iter_mut().zip(&before).take(i) {
                // These bytes are its own, saved just above.
                r.controller.restore(&old.memory)?;
            }
            return Err(error.into());
        }
        Ok(())
    }

    fn fits(&self, saved: &SavedLoop) -> bool {
        let channels = self.sensing.observation.values.len();
        let samplers = &self.sensing.samplers;
        let sampler = |(s, saved): (&Sampler, &SavedSampler)| {
            s.delay.fits(&saved.delay)
                && s.measure.memory().len() == saved.memory.len()
                && s.drift.len() == saved.drift.len()
        };
        let runner = |(r, saved): (&Runner, &SavedRunner)| {
            let width = r.acting.len();
            r.pending.fits(&saved.pending)
                && [saved.command.len(), saved.acting.len(), saved.drift.len()] == [width; 3]
        };
        saved.in_force.efforts.len() == self.in_force.efforts.len()
            && (saved.observation.len(), saved.stamps_ns.len()) == (channels, channels)
            && samplers.len() == saved.samplers.len()
            && samplers.iter().zip(&saved.samplers).all(sampler)
            && self.runners.len() == saved.runners.len()
            && self.runners.iter().zip(&saved.runners).all(runner)
    }

    /// Names of all channels, sensors and controllers with their timing.
    fn shape(&self) -> Digest {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        parts.extend(self.sensing.layout().channels.iter().map(|(name, _)| name.clone().into_bytes()));
        let named = self.sensing.samplers.iter().map(|s| (&s.name, s.timing));
        for (name, timing) in named.chain(self.runners.iter().map(|r| (&r.name, r.timing))) {
            parts.push(name.clone().into_bytes());
            parts.push([timing.period_ns, timing.phase_ns, timing.latency_ns].map(i64::to_le_bytes).concat());
        }
        parts.extend(self.signals().iter().map(|(name, _)| name.clone().into_bytes()));
        Digest::of_parts(parts.iter().map(Vec::as_slice))
    }
}

fn save_sampler(s: &Sampler) -> SavedSampler {
    let (memory, drift) = (s.measure.memory().to_vec(), s.drift.clone());
    SavedSampler { next_ns: s.next_ns, delay: s.delay.clone(), memory, drift }
}

fn save_runner(r: &Runner) -> SavedRunner {
    let mut memory = Vec::new();
    r.controller.snapshot(&mut memory);
    SavedRunner {
        next_ns: r.next_ns,
        command: r.command.values.clone(),
        acting: r.acting.clone(),
        has_acted: r.has_acted,
        pending: r.pending.clone(),
        memory,
        drift: r.errors.drift.clone(),
        last_arrival_ns: r.errors.last_arrival_ns,
    }
}
