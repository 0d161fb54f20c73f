//! A joint that starts faster than its speed limit. Some engines cut it in the first step, others let it run; rules of
//! actuators at the limit act from the beginning.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use crate::show::number;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck =
    ExperimentCheck { code: "start-too-fast", text: "every joint starts within its speed limit", run };

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for (i, (dof, v)) in scene.layout.dofs.iter().zip(scene.experiment.v).enumerate() {
        if v.abs() > dof.velocity_limit {
            let joint = scene.joint_of(i);
            let text = format!(
                "joint '{joint}' starts at a speed of {}, above its limit of {}; start it slower or raise the limit",
                number(*v),
                number(dof.velocity_limit)
            );
            notes.add(Severity::Warning, &None, format!("start/{joint}"), text);
        }
    }
    notes.done()
}
