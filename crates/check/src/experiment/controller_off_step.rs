//! A controller whose period, phase or latency is not a whole number of steps. An engine of fixed steps cannot stop
//! there: it would run the controller at other times than asked for, and another engine at others again.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use veracity_control::Timing;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck = ExperimentCheck {
    code: "controller-off-step",
    text: "controllers run and act at whole numbers of the engine's steps",
    run,
};

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let step_ns = scene.experiment.step_ns;
    for config in scene.experiment.controllers {
        let Ok(timing) = Timing::of_controller(config, step_ns) else { continue };
        let parts = [("period", timing.period_ns), ("phase", timing.phase_ns), ("latency", timing.latency_ns)];
        for (word, ns) in parts.into_iter().filter(|(_, ns)| ns % step_ns != 0) {
            let text = format!(
                "the {word} of controller '{}' is {} ms, {} steps of {} ms; fixed-step engines reject it: make it a whole \
                 number of steps",
                config.name,
                ns as f64 / 1e6,
                crate::show::number(ns as f64 / step_ns as f64),
                step_ns as f64 / 1e6
            );
            notes.add(Severity::Warning, &None, format!("controllers/{}/{word}_s", config.name), text);
        }
    }
    notes.done()
}
