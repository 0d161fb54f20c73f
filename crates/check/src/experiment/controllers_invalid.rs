//! Controllers and sensors that cannot be built: names that do not exist, keys a kind does not take, numbers that are
//! none. No engine would run them.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use veracity_control::ControlLoop;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck =
    ExperimentCheck { code: "controllers-invalid", text: "controllers and sensors can be built", run };

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let experiment = scene.experiment;
    if let Err(error) = ControlLoop::new(&scene.setup(), experiment.controllers, experiment.sensors) {
        notes.add(Severity::Error, &None, error.place.clone(), error.to_string());
    }
    notes.done()
}
