//! Constraint violations of joints, loops and couplings, from the poses of the bodies alone.
//!
//! With `d` the vector from a joint's frame on its parent to that on its child and `R` the rotation between them:
//!
//! ```text
//! fixed, weld          |d|                        angle of R
//! revolute             |d|                        angle between a and R a
//! prismatic            |d - a (a·d)|              angle of R
//! screw                |d - a pitch q|            angle between a and R a
//! universal            |d|                        |angle(a₁, R a₂) - angle(a₁, a₂)|
//! ball                 |d|                        nothing
//! planar               |n·d|                      angle between n and R n
//! distance             ||d| - length|             nothing
//! ```

use crate::machine::{JointPose, Machine, slides};
use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::{self, Rows, largest, rows_that_count};
use veracity_model::{JointKind, LoopKind, Vec3};

/// Violation of one joint, loop or coupling at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Distance between points that should coincide [m].
    pub gap: f64,
    /// Angle between directions that should coincide [rad].
    pub angle: f64,
}

/// `placement/name` of everything that [`violations`] returns, in the same order: tree joints, then loops and couplings
/// of each placement.
pub fn names_of_held(subject: &Subject<'_>) -> Vec<String> {
    let mut names: Vec<String> = subject.layout.joints.iter().map(|j| j.name.clone()).collect();
    for placement in &subject.record.world.placements {
        let loops = placement.model.loops().iter().map(|l| &l.name);
        let couplings = placement.model.couplings().iter().map(|c| &c.name);
        names.extend(loops.chain(couplings).map(|name| format!("{}/{name}", placement.name)));
    }
    names
}

/// Violations of every joint, loop and coupling in a row.
pub fn violations(subject: &Subject<'_>, machine: &Machine<'_>, row: usize) -> Vec<Violation> {
    let track = &subject.record.track;
    let mut found = Vec::new();
    for (slot, joint) in subject.layout.joints.iter().enumerate() {
        let pose = machine.joint_pose(track, row, slot);
        let (gap, angle) = joint_violation(&joint.kind, &pose, machine.joint_position(track, row, slot));
        found.push(Violation { gap, angle });
    }
    let mut first = 0;
    for placement in &subject.record.world.placements {
        let model = &placement.model;
        for l in model.loops() {
            let frame = |body: Option<veracity_model::BodyId>| match body {
                Some(b) => rows::pose(track, row, first + b.0),
                None => placement.world_from_model,
            };
            let (a, b) = (frame(l.body_a) * l.a_from_frame, frame(l.body_b) * l.b_from_frame);
            let (gap, angle) = loop_violation(&l.kind, &JointPose::between(&a, &b));
            found.push(Violation { gap, angle });
        }
        for c in model.couplings() {
            let position = |j: usize| machine.joint_position(track, row, first + j).unwrap_or(f64::NAN);
            let leader = c.leader.map_or(0.0, |l| position(l.0));
            let wanted = c.coefficients.iter().rev().fold(0.0, |sum, k| sum * leader + k);
            let off = (position(c.follower.0) - wanted).abs();
            let (gap, angle) = if slides(&model.joint(c.follower).kind) { (off, 0.0) } else { (0.0, off) };
            found.push(Violation { gap, angle });
        }
        first += model.bodies().len();
    }
    found
}

fn joint_violation(kind: &JointKind, pose: &JointPose, position: Option<f64>) -> (f64, f64) {
    let d = &pose.offset;
    match kind {
        JointKind::Fixed => (d.norm(), turned_by(pose)),
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => (d.norm(), tilt(pose, axis)),
        JointKind::Prismatic { axis } => (across(d, axis), turned_by(pose)),
        JointKind::Screw { axis, pitch } => {
            ((d - axis * (pitch * position.unwrap_or(f64::NAN))).norm(), tilt(pose, axis))
        }
        JointKind::Universal { axis1, axis2 } => (d.norm(), opening(pose, axis1, axis2)),
        JointKind::Ball => (d.norm(), 0.0),
        JointKind::Planar { x_axis, y_axis } => {
            let normal = x_axis.cross(y_axis);
            (d.dot(&normal).abs(), tilt(pose, &normal))
        }
        JointKind::Free => (0.0, 0.0),
    }
}

fn loop_violation(kind: &LoopKind, pose: &JointPose) -> (f64, f64) {
    let d = &pose.offset;
    match kind {
        LoopKind::Weld => (d.norm(), turned_by(pose)),
        LoopKind::Ball => (d.norm(), 0.0),
        LoopKind::Revolute { axis } => (d.norm(), tilt(pose, axis)),
        LoopKind::Prismatic { axis } => (across(d, axis), turned_by(pose)),
        // The two axes keep a right angle, whatever angle they have in the model.
        LoopKind::Universal { axis_a, axis_b } => {
            (d.norm(), (between(axis_a, &(pose.turn * axis_b)) - std::f64::consts::FRAC_PI_2).abs())
        }
        LoopKind::Distance { length } => ((d.norm() - length).abs(), 0.0),
    }
}

fn across(d: &Vec3, axis: &Vec3) -> f64 {
    (d - axis * axis.dot(d)).norm()
}

fn turned_by(pose: &JointPose) -> f64 {
    let q = pose.turn.quaternion();
    2.0 * libm::atan2(q.imag().norm(), q.scalar().abs())
}

fn tilt(pose: &JointPose, axis: &Vec3) -> f64 {
    between(axis, &(pose.turn * axis))
}

fn opening(pose: &JointPose, a: &Vec3, b: &Vec3) -> f64 {
    (between(a, &(pose.turn * b)) - between(a, b)).abs()
}

/// Angle between two vectors, accurate for small angles too.
fn between(a: &Vec3, b: &Vec3) -> f64 {
    libm::atan2(a.cross(b).norm(), a.dot(b))
}

/// The worst violation over the rows that count, in metres or in radians.
pub(crate) fn worst_violation(
    subject: &Subject<'_>,
    options: &Options,
    part: fn(&Violation) -> f64,
) -> Result<Measured, CannotTell> {
    rows::need_poses(subject)?;
    let chosen = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let machine = Machine::new(subject);
    let names = names_of_held(subject);
    let meant = |name: &String| match &options.of {
        None => true,
        Some(of) => name == of || name.split_once('/').is_some_and(|(_, bare)| bare == of),
    };
    let wanted: Vec<usize> = (0..names.len()).filter(|&i| meant(&names[i])).collect();
    if wanted.is_empty() {
        let what = options.of.as_ref().map_or("nothing".to_string(), |of| format!("nothing called '{of}'"));
        return CannotTell::new(format!("the world has {what} that is held together; correct `of`"));
    }
    let (mut series, mut worst) = (Vec::with_capacity(chosen.len()), (f64::NEG_INFINITY, 0));
    for row in chosen {
        let all = violations(subject, &machine, row);
        let mut of_row = f64::NEG_INFINITY;
        for &i in &wanted {
            let x = part(&all[i]);
            of_row = if x > of_row || x.is_nan() { x } else { of_row };
            if x > worst.0 || (x.is_nan() && !worst.0.is_nan()) {
                worst = (x, i);
            }
        }
        series.push((subject.record.track.times[row], of_row));
    }
    let count = series.len();
    let mut measured = largest(series, &vec![0.0; count]);
    measured.note = format!("worst is {}", names[worst.1]);
    Ok(measured)
}
