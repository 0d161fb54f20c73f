//! An effort that is at its limit from the first activation. The experiment then begins with the limits and not with the
//! controller: often a target that jumps, or gains for another robot.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::Notes;
use crate::show::number;
use std::collections::BTreeMap;
use veracity_control::controllers::{actuator_at, first_command};
use veracity_control::{DriveField, Port};
use veracity_engine::JointDrive;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: ExperimentCheck = ExperimentCheck {
    code: "actuator-saturated-at-start",
    text: "no effort is at its limit from the first activation",
    run,
};

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let experiment = scene.experiment;
    for config in experiment.controllers {
        let setup = scene.setup();
        let Ok(commands) = first_command(config, &setup, experiment.q, experiment.v) else { continue };
        let mut wanted: Vec<(String, f64, f64)> = Vec::new();
        let mut drives: BTreeMap<usize, JointDrive> = BTreeMap::new();
        for (port, value) in commands {
            match port {
                Port::Effort { dof } => {
                    let name = format!("joint '{}'", scene.joint_of(dof));
                    wanted.push((name, value, scene.layout.dofs[dof].effort_limit));
                }
                Port::Actuator { slot } => wanted.push(through_actuator(scene, slot, value)),
                Port::Drive { dof, field } => set(drives.entry(dof).or_insert(idle(dof)), field, value),
                Port::Force { .. } | Port::Torque { .. } => {}
            }
        }
        for (dof, drive) in &drives {
            let Some(position) = scene.layout.dof_position[*dof] else { continue };
            let effort = drive.effort(experiment.q[position], experiment.v[*dof]);
            wanted.push((format!("joint '{}'", scene.joint_of(*dof)), effort, scene.layout.dofs[*dof].effort_limit));
        }
        for (name, effort, limit) in wanted.into_iter().filter(|(_, effort, limit)| effort.abs() > *limit) {
            let text = format!(
                "controller '{}' asks {name} for {} at its first activation and the limit is {}; start nearer to the target \
                 or lower the gains",
                config.name,
                number(effort),
                number(limit)
            );
            notes.add(Severity::Warning, &None, format!("controllers/{}", config.name), text);
        }
    }
    notes.done()
}

/// The actuator's name, the effort its drive requests and the effort limit on that side.
fn through_actuator(scene: &ExperimentContext<'_>, slot: usize, command: f64) -> (String, f64, f64) {
    let experiment = scene.experiment;
    let (first, actuator) = actuator_at(experiment.world, &scene.layout, slot);
    let terms = actuator.terms(|joint| {
        let joint = &scene.layout.joints[first + joint.0];
        (joint.q, joint.v)
    });
    let position = terms.iter().map(|(q, _, c)| c * experiment.q[*q]).sum();
    let speed = terms.iter().map(|(_, v, c)| c * experiment.v[*v]).sum();
    let effort = actuator.wanted_effort(command, position, speed);
    let limit = if effort < 0.0 { -actuator.effort_range[0] } else { actuator.effort_range[1] };
    (format!("actuator '{}'", scene.layout.actuators[slot]), effort, limit)
}

fn idle(dof: usize) -> JointDrive {
    JointDrive { dof, kp: 0.0, kd: 0.0, target: 0.0, target_speed: 0.0, feed_forward: 0.0, max_effort: f64::INFINITY }
}

fn set(drive: &mut JointDrive, field: DriveField, value: f64) {
    match field {
        DriveField::Target => drive.target = value,
        DriveField::TargetSpeed => drive.target_speed = value,
        DriveField::FeedForward => drive.feed_forward = value,
        DriveField::Kp => drive.kp = value,
        DriveField::Kd => drive.kd = value,
    }
}
