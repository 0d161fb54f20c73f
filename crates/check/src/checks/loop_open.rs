//! Loops and couplings that are not closed where the robot starts.
//!
//! A simulation closes them before the first step, so the robot starts elsewhere than the file says. Rounding of printed
//! positions leaves a tenth of a millimetre; more is a wrong number. If the constraints cannot be met from there to a tenth
//! of a millimetre, the mechanism cannot be put together. Loops that constrain one motion twice (a planar linkage of
//! hinges) agree only as far as their numbers were printed, so that nanometres stay open: that is a note.

use crate::Check;
use crate::context::{Context, Notes, Start};
use nalgebra as na;
use veracity_dynamics::{Workspace, constraint};
use veracity_model::{BodyId, Findings, JointId, LoopJoint, LoopKind, Pose, Severity, Vec3};

pub(super) const CHECK: Check =
    Check { code: "loop-open", text: "loops and couplings are closed at the start, or can be closed", run };

/// Closed up to the arithmetic of the projection [m or rad].
const CLOSED: f64 = 1e-9;
/// Rounding of printed positions and angles [m or rad]: a gap up to this is not a fault, before or after the start has
/// been moved onto the constraints.
const PRINTED: f64 = 1e-4;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let Ok(start) = &context.start else { return notes.done() };
    if !start.system.is_constrained() {
        return notes.done();
    }
    let left = after_projection(start);
    for (p, placement) in context.world.placements.iter().enumerate() {
        let model = &placement.model;
        let pose = |body: Option<BodyId>| match body {
            Some(b) => start.configuration.world_from_body[p][b.0],
            None => placement.world_from_model,
        };
        for l in model.loops() {
            let open = openness(l, &pose(l.body_a), &pose(l.body_b));
            judge(&mut notes, open, left, &format!("loop joint '{}'", l.name), &l.source, || {
                context.path(p, &format!("loops/{}", l.name))
            });
        }
        let q = &start.configuration.q[p];
        let position = |joint: JointId| q[model.position_offset(joint)];
        for c in model.couplings() {
            let leader = c.leader.map_or(0.0, position);
            let wanted = c.coefficients.iter().rev().fold(0.0, |sum, k| sum * leader + k);
            let open = (position(c.follower) - wanted).abs();
            judge(&mut notes, open, left, &format!("coupling '{}'", c.name), &c.source, || {
                context.path(p, &format!("couplings/{}", c.name))
            });
        }
    }
    notes.done()
}

fn judge(
    notes: &mut Notes,
    open: f64,
    left: f64,
    name: &str,
    source: &Option<veracity_model::Source>,
    subject: impl Fn() -> String,
) {
    if open <= CLOSED {
        return;
    }
    let (severity, advice) = if left > PRINTED {
        let text = format!("and cannot be closed from there ({left:.1e} is left): check the lengths and the start");
        (Severity::Error, text)
    } else if open <= PRINTED {
        let text = format!("as rounding of printed numbers leaves; a run closes it first, to {left:.1e}");
        (Severity::Note, text)
    } else {
        (Severity::Warning, "so a run does not start where the file says: give a start that closes it".into())
    };
    notes.add(severity, source, subject(), format!("{name} is open by {open:.2e} (m or rad) at the start, {advice}"));
}

/// Largest residual after the start has been moved onto the constraints [m or rad].
fn after_projection(start: &Start) -> f64 {
    let mut ws = Workspace::new(&start.system);
    let mut q = start.q.clone();
    // Constraint rows that are dependent at the start may be independent where the first projection ends: reselect,
    // twice.
    for _ in 0..3 {
        let projected = constraint::choose_basis(&start.system, &mut ws, &q)
            .and_then(|()| constraint::project_positions(&start.system, &mut ws, &mut q));
        if projected.is_err() {
            // Without inertia there is no projection; `mass-matrix` reports why.
            return 0.0;
        }
    }
    let left = constraint::violation(&start.system, &mut ws, &q);
    if left.is_nan() { f64::INFINITY } else { left }
}

/// Gap of a loop [m or rad], the larger of distance and angle.
fn openness(l: &LoopJoint, world_from_a: &Pose, world_from_b: &Pose) -> f64 {
    let [a, b] = [world_from_a * l.a_from_frame, world_from_b * l.b_from_frame];
    let apart = b.translation.vector - a.translation.vector;
    let angle_between = |x: Vec3, y: Vec3| na::Unit::new_normalize(x).angle(&na::Unit::new_normalize(y));
    match l.kind {
        LoopKind::Weld => apart.norm().max(a.rotation.angle_to(&b.rotation)),
        LoopKind::Ball => apart.norm(),
        LoopKind::Revolute { axis } => apart.norm().max(angle_between(a.rotation * axis, b.rotation * axis)),
        LoopKind::Prismatic { axis } => {
            let along = a.rotation * axis;
            let across = apart - along * apart.dot(&along);
            across.norm().max(a.rotation.angle_to(&b.rotation))
        }
        LoopKind::Universal { axis_a, axis_b } => {
            let slant = (a.rotation * axis_a).dot(&(b.rotation * axis_b)).abs();
            apart.norm().max(slant)
        }
        LoopKind::Distance { length } => (apart.norm() - length).abs(),
    }
}
