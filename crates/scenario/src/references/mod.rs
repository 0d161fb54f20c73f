//! Evaluation of references: closed forms, published values, recordings.
//!
//! A closed form inspects the world and start it is given and first verifies that it applies: a damped pendulum is not
//! described by elliptic functions, and the form says so instead of returning a wrong truth. The result includes its
//! own error.
//!
//! Converged runs are made by the lab: nothing here simulates.

mod bouncing_ball;
mod coulomb;
pub mod elliptic;
mod fall;
pub mod form;
mod moving_body;
mod oscillator;
mod pendulum;
pub mod quadrature;
mod recorded;
mod rolling_plate;
mod torque_free;
mod touching;

pub use form::{Form, FormInput, FormParameter};
pub use recorded::{recorded_channels, recorded_column};

use crate::reference::{ReferenceConfig, ReferenceKind};
use crate::scenario::Scenario;
use veracity_measure::{CannotTell, Truth, TruthChannel};
use veracity_model::Layout;

/// Every closed form: one file and one line each.
pub const FORMS: &[Form] = &[
    fall::FORM,
    pendulum::FORM,
    oscillator::FORM,
    torque_free::FORM,
    coulomb::FORM,
    bouncing_ball::FORM,
    rolling_plate::FORM,
];

/// Evaluates a reference for a scenario at given times [s], increasing. Published values and recordings keep their own
/// times.
pub fn work_out(reference: &ReferenceConfig, scenario: &Scenario, times: &[f64]) -> Result<Truth, CannotTell> {
    let (source, channels) = match &reference.kind {
        ReferenceKind::ClosedForm { form, parameters } => {
            let Some(entry) = FORMS.iter().find(|f| f.name == form) else {
                return Err(CannotTell(format!("there is no closed form '{form}'")));
            };
            let layout = Layout::new(&scenario.world);
            let input = FormInput {
                world: &scenario.world,
                layout: &layout,
                q: &scenario.q,
                v: &scenario.v,
                parameters,
                commanded: !scenario.controllers.is_empty(),
                times,
            };
            (format!("closed form: {}", entry.text), (entry.work_out)(&input)?)
        }
        ReferenceKind::Published { source, channels } => {
            let channels = channels
                .iter()
                .map(|c| TruthChannel {
                    quantity: c.quantity.clone(),
                    times: c.times.clone(),
                    values: c.values.clone(),
                    uncertainty: c.uncertainty.clone(),
                    parts_at_s: None,
                })
                .collect();
            (format!("published: {source}"), channels)
        }
        ReferenceKind::Recorded { file, mapping } => {
            (format!("recorded: {}", file.display()), recorded_channels(file, mapping)?)
        }
        ReferenceKind::Converged => {
            return Err(CannotTell(format!(
                "reference '{}' is a converged run; run the scenario in the lab, which makes it",
                reference.name
            )));
        }
    };
    Ok(Truth { name: reference.name.clone(), source, channels })
}
