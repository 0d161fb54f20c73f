//! An encoder that samples less often than the controller that reads it. The controller then answers to the same reading
//! several times: its damping is that of the slower rate, whatever its own.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use crate::show::number;
use veracity_control::config::PdForm;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck = ExperimentCheck {
    code: "sensor-slower-than-controller",
    text: "encoders sample at least as often as controllers read them",
    run,
};

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let mut said: Vec<&str> = Vec::new();
    for (config, feedback) in &scene.feedbacks {
        let Some(sensor) = feedback.sensor else { continue };
        let period = feedback.gain.timing.period_ns;
        let reads = feedback.gain.form == PdForm::Sampled || feedback.gain.ki != 0.0;
        if !reads || sensor.period_ns <= period || said.contains(&config.name.as_str()) {
            continue;
        }
        said.push(&config.name);
        let text = format!(
            "controller '{}' runs at {} Hz with an encoder of {} Hz and uses each reading {} times; give both the same rate",
            config.name,
            number(1e9 / period as f64),
            number(1e9 / sensor.period_ns as f64),
            number(sensor.period_ns as f64 / period as f64)
        );
        notes.add(Severity::Warning, &None, format!("controllers/{}/rate_hz", config.name), text);
    }
    notes.done()
}
