//! A body that a controller drives across the gap in front of it within the first step.
//!
//! Under the efforts `F` of the first activation a joint moves by `h² (M⁻¹ F)` in the first step of a semi-implicit
//! engine. Where that is more than the gap to another body, engines that look for contact at the beginning of a step find
//! the body inside the other one, or behind it: the result is their way of separating solids. A light finger under a
//! constant closing force is the usual case.

use super::{ExperimentCheck, ExperimentContext};
use crate::context::{Context, Notes};
use crate::show::{length, number};
use nalgebra as na;
use veracity_collide::gap;
use veracity_control::Port;
use veracity_control::controllers::{actuator_at, first_command};
use veracity_model::{BodyId, Findings, JointKind, Severity};

pub(super) const CHECK: ExperimentCheck = ExperimentCheck {
    code: "gap-crossed-at-start",
    text: "no driven body crosses the gap in front of it within the first step",
    run,
};

/// Worlds with more bodies are left out: every driven slider is compared with every body.
const MOST_BODIES: usize = 200;

fn run(scene: &ExperimentContext<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let Ok(start) = &scene.context.start else { return notes.done() };
    let world = scene.experiment.world;
    if !world.contact || scene.layout.bodies.len() > MOST_BODIES {
        return notes.done();
    }
    let efforts = first_efforts(scene);
    let step_s = scene.experiment.step_ns as f64 * 1e-9;
    for block in start.mass_matrix.blocks() {
        let size = block.matrix.nrows();
        let own = na::DVector::from_fn(size, |i, _| efforts[block.first + i]);
        if own.iter().all(|f| *f == 0.0) {
            continue;
        }
        let Some(factor) = na::Cholesky::new(block.matrix.clone()) else { continue };
        let moves = factor.solve(&own) * (step_s * step_s);
        for i in (0..size).filter(|&i| own[i] != 0.0) {
            if let Some((text, subject)) = crossed(scene, block.first + i, own[i], moves[i]) {
                notes.add(Severity::Warning, &None, subject, text);
            }
        }
    }
    notes.done()
}

/// Efforts of the first activation of all controllers, by degree of freedom; drives are left out, because engines limit
/// their motion themselves.
fn first_efforts(scene: &ExperimentContext<'_>) -> Vec<f64> {
    let experiment = scene.experiment;
    let mut out = vec![0.0; scene.layout.dof_count()];
    for config in experiment.controllers {
        let Ok(commands) = first_command(config, &scene.setup(), experiment.q, experiment.v) else { continue };
        for (port, value) in commands {
            match port {
                Port::Effort { dof } => out[dof] += value,
                Port::Actuator { slot } => {
                    let (first, actuator) = actuator_at(experiment.world, &scene.layout, slot);
                    let terms = actuator.terms(|joint| {
                        let joint = &scene.layout.joints[first + joint.0];
                        (joint.q, joint.v)
                    });
                    let position = terms.iter().map(|(q, _, c)| c * experiment.q[*q]).sum();
                    let speed = terms.iter().map(|(_, v, c)| c * experiment.v[*v]).sum();
                    let wanted = actuator.wanted_effort(value, position, speed);
                    let effort = wanted.max(actuator.effort_range[0]).min(actuator.effort_range[1]);
                    terms.iter().for_each(|(_, v, c)| out[*v] += c * effort);
                }
                Port::Drive { .. } | Port::Force { .. } | Port::Torque { .. } => {}
            }
        }
    }
    out
}

/// The sentence and its subject, if the body of a slider crosses the gap to another one.
fn crossed(scene: &ExperimentContext<'_>, dof: usize, effort: f64, moved: f64) -> Option<(String, String)> {
    let world = scene.experiment.world;
    let joint = scene.layout.joints.iter().find(|j| j.v == dof && j.kind.dof_count() == 1)?;
    if !matches!(joint.kind, JointKind::Prismatic { .. }) || !moved.is_finite() {
        return None;
    }
    let (placement, id) = (joint.placement, scene.layout.bodies[joint.body].body);
    let here = least_gap(&scene.context, placement, id)?;
    if here.0 <= 0.0 || moved.abs() <= here.0 {
        return None;
    }
    // Towards the other body: a tenth of the gap along its motion makes the gap smaller.
    let position = scene.layout.dof_position[dof]?;
    let mut q = scene.experiment.q.to_vec();
    q[position] += 0.1 * here.0 * moved.signum();
    let nearer = least_gap(&Context::at(world, &q), placement, id)?;
    if nearer.0 >= 0.95 * here.0 {
        return None;
    }
    let text = format!(
        "{} on joint '{}' moves its body by {} in the first step of {} s, and '{}' is {} away: an engine finds it inside that \
         body or behind it; take smaller steps, damp the joint, or give it the mass of a real finger",
        number(effort),
        joint.name,
        length(moved.abs()),
        number(scene.experiment.step_ns as f64 * 1e-9),
        here.1,
        length(here.0)
    );
    Some((text, format!("joints/{}", joint.name)))
}

/// The least gap of a body to one of another tree [m], and that body's name.
fn least_gap(context: &Context<'_>, placement: usize, id: BodyId) -> Option<(f64, String)> {
    let start = context.start.as_ref().ok()?;
    let pose = |p: usize, body: BodyId| start.configuration.world_from_body[p][body.0];
    let model = &context.world.placements[placement].model;
    let root = |p: usize, mut body: BodyId| {
        while let Some(parent) = context.world.placements[p].model.parent(body) {
            body = parent;
        }
        (p, body)
    };
    let mut least: Option<(f64, String)> = None;
    for other in context.bodies().filter(|other| root(other.placement, other.id) != root(placement, id)) {
        for mine in model.body(id).shapes.iter().filter(|s| s.collides) {
            for theirs in other.body.shapes.iter().filter(|s| s.collides && mine.may_touch(s)) {
                let a = pose(placement, id) * mine.body_from_shape;
                let b = pose(other.placement, other.id) * theirs.body_from_shape;
                let Ok(found) = gap(&mine.shape, &a, &theirs.shape, &b) else { continue };
                if least.as_ref().is_none_or(|(before, _)| found.distance < *before) {
                    least = Some((found.distance, other.body.name.clone()));
                }
            }
        }
    }
    least
}
