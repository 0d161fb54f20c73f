//! A controller whose commands act a period or more after what they answer to. Stable or not, its gains act on a past the
//! robot has left; whether it is unstable by that is said by `sampled-controller-unstable`, which counts the delay.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use veracity_control::config::PdForm;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck = ExperimentCheck {
    code: "controller-late",
    text: "feedback acts less than a period after the measurement it uses",
    run,
};

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let mut said: Vec<&str> = Vec::new();
    for (config, feedback) in &scene.feedbacks {
        let timing = feedback.gain.timing;
        let seen_ns = feedback.sensor.map_or(0, |s| s.latency_ns);
        let delay_ns = timing.latency_ns + seen_ns;
        if feedback.gain.form != PdForm::Sampled
            || delay_ns < timing.period_ns
            || said.contains(&config.name.as_str())
        {
            continue;
        }
        said.push(&config.name);
        let text = format!(
            "controller '{}' acts {} ms late (its encoder {} ms, its command {} ms) at a period of {} ms; with high gains that causes oscillation: lower the latency or expect the delay in the result",
            config.name,
            delay_ns as f64 / 1e6,
            seen_ns as f64 / 1e6,
            timing.latency_ns as f64 / 1e6,
            timing.period_ns as f64 / 1e6
        );
        notes.add(Severity::Warning, &None, format!("controllers/{}/latency_s", config.name), text);
    }
    notes.done()
}
