//! A simulation that forwards every call except those its defect replaces.

use super::{Inner, Wrong};
use veracity_engine::{
    Advance, BodyState, Guard, GuardHit, Inputs, LoadError, Logged, Samples, Simulation, StepError, Totals,
};
use veracity_model::Layout;
use veracity_record::{ContactSample, EventRules};

pub struct Wrapped {
    pub inner: Box<dyn Simulation>,
    pub wrong: Wrong,
}

impl Wrapped {
    /// Forwards inputs, changed if the defect changes them; copies only then.
    fn with_inputs<T>(&mut self, inputs: &Inputs, act: impl FnOnce(&mut Inner, Wrong, &Inputs) -> T) -> T {
        match self.wrong.inputs {
            None => act(self.inner.as_mut(), self.wrong, inputs),
            Some(change) => {
                let mut changed = inputs.clone();
                change(&mut changed);
                act(self.inner.as_mut(), self.wrong, &changed)
            }
        }
    }
}

impl Simulation for Wrapped {
    fn layout(&self) -> &Layout {
        self.inner.layout()
    }

    fn time(&self) -> f64 {
        self.inner.time()
    }

    fn q(&self) -> &[f64] {
        self.inner.q()
    }

    fn v(&self) -> &[f64] {
        self.inner.v()
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        match self.wrong.set_state {
            None => self.inner.set_state(time, q, v),
            Some(set_state) => set_state(self.inner.as_mut(), time, q, v),
        }
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        self.inner.bodies(out);
        if let Some(change) = self.wrong.bodies {
            change(out);
        }
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        self.with_inputs(inputs, |inner, wrong, inputs| match wrong.step {
            None => inner.step(inputs, limit_s),
            Some(step) => step(inner, inputs, limit_s),
        })
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        self.with_inputs(inputs, |inner, wrong, inputs| match wrong.advance {
            None => inner.advance(until, inputs, samples),
            Some(advance) => advance(inner, until, inputs, samples),
        })
    }

    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        self.with_inputs(inputs, |inner, wrong, inputs| match wrong.advance_until {
            None => inner.advance_until(until, guards, inputs),
            Some(advance_until) => advance_until(inner, until, guards, inputs),
        })
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        self.inner.snapshot(out);
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        match self.wrong.restore {
            None => self.inner.restore(bytes),
            Some(restore) => restore(self.inner.as_mut(), bytes),
        }
    }

    fn contacts(&self, out: &mut Vec<ContactSample>) {
        self.inner.contacts(out);
    }

    fn warnings(&self, out: &mut Vec<String>) {
        self.inner.warnings(out);
    }

    fn gaps(&mut self, out: &mut [f64]) {
        self.inner.gaps(out);
        if let Some(change) = self.wrong.gaps {
            change(out);
        }
    }

    fn least_gaps(&self, out: &mut [f64]) {
        self.inner.least_gaps(out);
        if let Some(change) = self.wrong.least_gaps {
            change(out);
        }
    }

    fn reactions(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        let told = self.inner.reactions(inputs, out);
        self.wrong.reactions.map_or(told, |change| change(out))
    }

    fn accelerations(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        let told = self.inner.accelerations(inputs, out);
        self.wrong.accelerations.map_or(told, |change| change(out))
    }

    fn log_events(&mut self, rules: Option<EventRules>) -> bool {
        self.inner.log_events(rules)
    }

    fn take_events(&mut self, end: bool, out: &mut Vec<Logged>) {
        let first = out.len();
        self.inner.take_events(end, out);
        if let Some(change) = self.wrong.events {
            let mut told = out.split_off(first);
            change(&mut told);
            out.append(&mut told);
        }
    }

    fn own_energy(&mut self) -> Option<f64> {
        let energy = self.inner.own_energy();
        self.wrong.energy.map_or(energy, |change| energy.map(change))
    }

    fn totals(&self) -> Totals {
        let totals = self.inner.totals();
        let steps = self.wrong.steps.map_or(totals.steps, |change| change(totals.steps));
        Totals { steps, ..totals }
    }
}
