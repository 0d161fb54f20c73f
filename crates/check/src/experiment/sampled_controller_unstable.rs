//! A sampled controller that is unstable at its own rate.
//!
//! The closed loop is linearised at the start and stepped over one common period of its clocks, latencies and holds
//! included; a spectral radius above one means that any disturbance grows until something saturates, in every engine.
//! What is then compared between engines is how each one's limit cycle happens to look. For a damper alone the bound is
//! that the largest eigenvalue of `T M⁻¹ Kd` stays below 2.

use super::coupled_groups::{self, Analysis};
use super::step_map::{Feedback, Growth};
use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use crate::mass_matrix::MassMatrix;
use crate::show::number;
use veracity_control::Timing;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck = ExperimentCheck {
    code: "sampled-controller-unstable",
    text: "sampled controllers are stable at their own rate",
    run,
};

/// Growth above one that exceeds rounding.
const GROWS: f64 = 1e-6;

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let feedbacks: Vec<Feedback> = scene.feedbacks.iter().map(|(_, f)| f.clone()).collect();
    let Ok(start) = &scene.context.start else { return notes.done() };
    let passive = |f: fn(&veracity_model::Dof) -> f64| scene.layout.dofs.iter().map(f).collect::<Vec<f64>>();
    let (damping, stiffness) = (passive(|d| d.damping), passive(|d| d.stiffness));
    let analyse = |feedbacks: &[Feedback]| {
        coupled_groups::analyse(&start.mass_matrix, &damping, &stiffness, feedbacks, scene.experiment.step_ns)
    };
    let Analysis { fastest, not_analysed } = analyse(&feedbacks);
    if let Some(why) = not_analysed {
        let text = format!("cannot tell whether the controllers are stable: {why}");
        notes.add(Severity::Note, &None, "controllers".into(), text);
    }
    let Some(found) = fastest.filter(|found| found.radius > 1.0 + GROWS) else { return notes.done() };
    let at_once = |f: &Feedback| {
        let undelayed = |t: Timing| Timing { latency_ns: 0, ..t };
        let mut f = f.clone();
        f.gain.timing = undelayed(f.gain.timing);
        f.sensor = f.sensor.map(undelayed);
        f
    };
    let undelayed: Vec<Feedback> = feedbacks.iter().map(at_once).collect();
    let without_latency = if undelayed == feedbacks { None } else { analyse(&undelayed).fastest };
    // Loops and couplings can only add inertia to the bodies they connect.
    let constrained = start.system.is_constrained();
    let severity = if constrained { Severity::Warning } else { Severity::Error };
    let mut text = sentence(scene, &found, without_latency, &start.mass_matrix);
    if constrained {
        text += "; loops and couplings are left out of this, and may hold it";
    }
    let name = leading(scene, &found).map_or("", |(config, _)| config.name.as_str());
    notes.add(severity, &None, format!("controllers/{name}"), text);
    notes.done()
}

/// The feedback that moves the leading degree of freedom most.
fn leading<'s, 'a>(
    scene: &'s ExperimentContext<'a>,
    found: &Growth,
) -> Option<&'s (&'a veracity_control::ControllerConfig, Feedback)> {
    let strength = |f: &Feedback| {
        let period = f.gain.timing.period_ns as f64 / 1e9;
        let at_joint =
            f.gain.terms.iter().filter(|(dof, _)| *dof == found.leading_dof).map(|(_, c)| c * c).sum::<f64>();
        at_joint * (f.gain.kd * period + f.gain.kp * period * period)
    };
    scene.feedbacks.iter().max_by(|a, b| strength(&a.1).total_cmp(&strength(&b.1)))
}

fn sentence(
    scene: &ExperimentContext<'_>,
    found: &Growth,
    without_latency: Option<Growth>,
    mass: &MassMatrix,
) -> String {
    let dof = found.leading_dof;
    let Some((config, feedback)) = leading(scene, found) else { return String::new() };
    let period_ms = feedback.gain.timing.period_ns as f64 / 1e6;
    let mut text = format!(
        "controller '{}' is unstable at its own rate: the linearised loop grows by a factor of {} every {} ms (spectral \
         radius of the step map, stable up to 1); the largest eigenvalue of T M⁻¹ Kd is {}, led by joint '{}' with kd {} on an \
         inertia of {}",
        config.name,
        number(found.radius),
        found.per_ns as f64 / 1e6,
        number(found.damping_eigenvalue),
        scene.joint_of(dof),
        number(feedback.gain.kd),
        number(mass.entry(dof, dof))
    );
    match without_latency {
        Some(g) if g.radius <= 1.0 + GROWS => {
            text +=
                &format!("; without its latency the radius is {}: shorten it or lower the gains", number(g.radius));
        }
        _ if found.damping_eigenvalue > 2.0 => {
            let rate = 1e3 / period_ms * found.damping_eigenvalue / 2.0;
            text += &format!(
                "; activate it at more than {} Hz, lower kd, or compute it inside the engine with form = \"drive\"",
                number(rate)
            );
        }
        _ => text += "; lower kp or ki, raise kd, or compute it inside the engine with form = \"drive\"",
    }
    text
}
