//! Distance between two records of one world.
//!
//! The distance between two poses of a body is the root mean square displacement of its mass:
//!
//! ```text
//! (1)  d² = |c₁ - c₂|² + tr( (R₁ - R₂) C (R₁ - R₂)ᵀ ) / m,     C = tr(I)/2 · 1 - I
//! ```
//!
//! with `c` the centre of mass and `C` the second moments of the mass about it. It is a length, whatever combination of
//! rotation and translation separates the two, and does not depend on the choice of the body's frame: the frame of a
//! pendulum's bob may be at its hinge, where nothing moves. The distance between two records is that of the worst body.

use crate::against_truth::record_curve;
use crate::curve::{Curve, SAME_INSTANT_S};
use crate::machine::Machine;
use crate::metric::{CannotTell, Options, Subject};
use crate::rows::{need_poses, window};
use crate::truth::Quantity;
use nalgebra as na;
use veracity_model::{Mat3, Quat};

/// The bodies of a record over time.
pub struct RecordMotion<'a> {
    bodies: Vec<BodyMotion<'a>>,
    times: &'a [f64],
}

struct BodyMotion<'a> {
    slot: usize,
    centre: Curve<'a>,
    turn: Curve<'a>,
    /// `C / m` [m²].
    spread: Mat3,
}

/// A distance at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// [m]
    pub distance: f64,
    /// Interpolation error [m].
    pub error: f64,
    /// Slot of the body that is farthest apart.
    pub body: usize,
}

impl<'a> RecordMotion<'a> {
    /// Motion of every body that moves and has mass, or of the one that `of` names.
    pub fn new(subject: &Subject<'a>, options: &Options) -> Result<Self, CannotTell> {
        need_poses(subject)?;
        let wanted = match &options.of {
            None => None,
            Some(name) => match subject.layout.body(name) {
                Some(slot) => Some(slot),
                None => return CannotTell::new(format!("the world has no body '{name}'; correct `of`")),
            },
        };
        let machine = Machine::new(subject);
        let mut bodies = Vec::new();
        for (slot, inertia) in machine.moving().filter(|(slot, _)| wanted.is_none_or(|w| w == *slot)) {
            let tensor = inertia.tensor;
            bodies.push(BodyMotion {
                slot,
                centre: record_curve(subject, &Quantity::Point { body: slot, point: inertia.com.into() })?,
                turn: record_curve(subject, &Quantity::Orientation(slot))?,
                spread: (Mat3::identity() * (0.5 * tensor.trace()) - tensor) / inertia.mass,
            });
        }
        if bodies.is_empty() {
            return CannotTell::new("no selected body moves and has mass");
        }
        Ok(Self { bodies, times: &subject.record.track.times })
    }

    /// (1) of the worst body at an instant; `None` where one of the records has no data.
    pub fn apart(&self, other: &RecordMotion<'_>, time: f64) -> Option<Apart> {
        let mut worst: Option<Apart> = None;
        for (a, b) in self.bodies.iter().zip(&other.bodies) {
            let (ca, cb) = (a.centre.at(time)?, b.centre.at(time)?);
            let (ra, rb) = (a.turn.at(time)?, b.turn.at(time)?);
            let turned = matrix(&ra.value) - matrix(&rb.value);
            let way = (0..3).map(|k| (ca.value[k] - cb.value[k]).powi(2)).sum::<f64>();
            let distance = (way + (turned * a.spread * turned.transpose()).trace().max(0.0)).sqrt();
            let error = ca.error + cb.error + (ra.error + rb.error) * a.spread.trace().max(0.0).sqrt();
            if worst.is_none_or(|w| distance > w.distance || distance.is_nan()) {
                worst = Some(Apart { distance, error, body: a.slot });
            }
        }
        worst
    }

    /// Instants at which both can be compared: those asked for, else the rows of the sparser one where both are known.
    pub fn common_instants(&self, other: &RecordMotion<'_>, options: &Options) -> Vec<f64> {
        if !options.at_s.is_empty() {
            return options.at_s.iter().map(|t| t + options.time_offset_s).collect();
        }
        let rows = |m: &RecordMotion<'a>| window(m.times, options);
        let (mine, theirs) = (rows(self), window(other.times, options));
        let sparser = if theirs.len() < mine.len() { &other.times[theirs] } else { &self.times[mine] };
        let ends = |m: &[f64]| m.first().copied().zip(m.last().copied());
        let (Some((a0, a1)), Some((b0, b1))) = (ends(self.times), ends(other.times)) else { return Vec::new() };
        let (from, until) = (a0.max(b0) - SAME_INSTANT_S, a1.min(b1) + SAME_INSTANT_S);
        sparser.iter().copied().filter(|t| (from..=until).contains(t)).collect()
    }
}

/// Fails unless the records are of worlds with the same bodies.
pub fn same_bodies(subjects: &[Subject<'_>]) -> Result<(), CannotTell> {
    let names = |s: &Subject<'_>| s.layout.bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
    let Some(first) = subjects.first().map(names) else {
        return CannotTell::new("there are no records to compare");
    };
    if subjects.iter().any(|s| names(s) != first) {
        return CannotTell::new("the records are of different worlds: their bodies have different names");
    }
    Ok(())
}

fn matrix(q: &[f64; 4]) -> Mat3 {
    let turn = Quat::new_normalize(na::Quaternion::new(q[0], q[1], q[2], q[3]));
    turn.to_rotation_matrix().into_inner()
}
