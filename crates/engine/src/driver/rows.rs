//! Rows: at instants of the grid, and where the stepper is adaptive also inside its steps.

use super::SteppedSimulation;
use super::adaptive::Inside;
use super::grid::StepSpan;
use super::stepper::{Present, Stepper, drive_efforts};
use crate::error::StepError;
use crate::inputs::Inputs;
use crate::samples::Samples;

/// Whether a requested instant is the time of a step's end: to 1e-6 of the step, as every time that is requested, and the
/// rounding of [`Samples::due`].
pub fn is_instant(requested: f64, time: f64, step_s: f64) -> bool {
    (requested - time).abs() <= 1e-6 * step_s + (1e-9 * time.abs()).max(1e-12)
}

impl<S: Stepper> SteppedSimulation<S> {
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
            self.write_row(requested, inputs, samples);
        }
        Ok(())
    }

    /// Writes the rows that are due inside the adaptive step just taken, and at its end.
    pub(super) fn write_rows_inside(
        &mut self,
        taken: &StepSpan,
        inputs: &Inputs,
        samples: &mut Samples,
    ) -> Result<(), StepError> {
        if !samples.due(taken.end) {
            return Ok(());
        }
        if let Some(adaptive) = self.stepper.adaptive() {
            adaptive.prepare_to_look()?;
        }
        while samples.due(taken.end) {
            let requested = samples.next_time();
            if is_instant(requested, taken.end, 0.0) {
                self.write_row(requested, inputs, samples);
                continue;
            }
            let Some(adaptive) = self.stepper.adaptive() else { return Ok(()) };
            let fraction = (requested - taken.begin) / taken.size;
            let Inside { present: Present { q, v, bodies }, .. } =
                adaptive.look_inside(fraction, true, &mut self.inside_gaps);
            drive_efforts(&self.dof_position, inputs, q, v, &mut self.efforts);
            samples.push(requested, q, v, bodies, &self.efforts, &self.inside_gaps);
            samples.energies.extend(adaptive.energy_inside());
            samples.taken();
        }
        Ok(())
    }

    /// Writes one row of the present state.
    fn write_row(&mut self, requested: f64, inputs: &Inputs, samples: &mut Samples) {
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
}
