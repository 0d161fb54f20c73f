//! A start that an engine changed before it took it: onto its constraints, inside limits, to rest. It then runs another
//! experiment than the others.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use crate::show::number;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck =
    ExperimentCheck { code: "start-changed", text: "every engine starts from the given state", run };

/// Rounding of quaternions and of conversions to an engine's own coordinates [rad, m, rad/s or m/s].
const ROUNDING: f64 = 1e-9;

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for taken in scene.experiment.taken {
        // A NaN is reported too: it fails this comparison.
        if taken.change <= ROUNDING {
            continue;
        }
        let text = format!(
            "{} changed the start by up to {}, so its run begins in another state than the others'; give a start \
             on the constraints and inside the limits",
            taken.engine,
            number(taken.change)
        );
        notes.add(Severity::Warning, &None, "start".into(), text);
    }
    notes.done()
}
