//! Rows of a fixed-step simulation: at instants of the grid only.

use super::FixedStepSimulation;
use super::stepper::{Present, Stepper};
use crate::error::StepError;
use crate::inputs::Inputs;
use crate::samples::Samples;

/// Whether a requested instant is the time of a step's end: to 1e-6 of the step, as every time that is requested, and the
/// rounding of [`Samples::due`].
pub fn is_instant(requested: f64, time: f64, step_s: f64) -> bool {
    (requested - time).abs() <= 1e-6 * step_s + (1e-9 * time.abs()).max(1e-12)
}

impl<S: Stepper> FixedStepSimulation<S> {
    /// Writes the rows that are due at the present instant.
    pub(super) fn write_rows(&mut self, inputs: &Inputs, samples: &mut Samples) -> Result<(), StepError> {
        let (time, step) = (self.time, self.grid.step);
        while samples.due(time) {
            // The requested instant, to the last bit.
            let requested = samples.next_time();
            if !is_instant(requested, time, step) {
                let reason =
                    format!("a row at {requested} s lies between steps of {step} s; record at multiples of the step");
                return Err(StepError { time, reason });
            }
            self.stepper.settle();
            self.stepper.efforts(inputs, &mut self.efforts);
            let Present { q, v, bodies } = self.stepper.present();
            samples.push(requested, q, v, bodies, &self.efforts, &self.gaps);
            self.stepper.prepare_contacts();
            let first = samples.contacts.len();
            self.stepper.contacts(requested, &mut samples.contacts);
            samples.contacts[first..].iter_mut().for_each(|contact| contact.time = requested);
            samples.energies.extend(self.stepper.energy());
            samples.taken();
        }
        Ok(())
    }
}
