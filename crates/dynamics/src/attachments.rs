//! Loops, couplings, springs and actuators, compiled to link frames.

use crate::spatial::{Rot, V3, sub};
use crate::system::{BodyPlace, System, rot};
use nalgebra as na;
use veracity_model::geometry::frame_with_z;
use veracity_model::{Actuator, BodyId, LoopKind, Model, Placement, Pose, Vec3};

/// One scalar or vector constraint, in link frames. State index 0 is the world.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    Loop { a: usize, b: usize, frame_a: (Rot, V3), frame_b: (Rot, V3), origin_gap: V3, kind: CompiledLoop },
    Coupling { follower: (usize, usize), leader: Option<(usize, usize)>, coefficients: Vec<f64> },
}

/// Loop kinds with axes turned into frame columns: the axis is the frames' z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CompiledLoop {
    Weld,
    Ball,
    Revolute,
    Prismatic,
    Universal,
    Distance(f64),
}

#[derive(Clone, Debug)]
pub(crate) struct CompiledSpring {
    pub a: usize,
    pub b: usize,
    pub origin_gap: V3,
    pub point_a: V3,
    pub point_b: V3,
    pub stiffness: f64,
    pub damping: f64,
    pub rest_length: f64,
}

/// An actuator with its transmission as (position index, velocity index, coefficient).
#[derive(Clone, Debug)]
pub(crate) struct CompiledActuator {
    pub actuator: Actuator,
    pub terms: Vec<(usize, usize, f64)>,
}

impl System {
    pub(crate) fn add_constraints(&mut self, placement: &Placement, places: &[BodyPlace], joints: &[(usize, usize)]) {
        let model = &placement.model;
        let frame = |body: Option<BodyId>, local: Pose| -> (usize, Pose) {
            match body {
                None => (0, placement.world_from_model * local),
                Some(b) => (places[b.0].state, places[b.0].pose() * local),
            }
        };
        for l in model.loops() {
            let (a, frame_a) = frame(l.body_a, l.a_from_frame);
            let (b, frame_b) = frame(l.body_b, l.b_from_frame);
            let turned =
                |f: Pose, axis: &Vec3| f * Pose::from_parts(na::Translation3::identity(), frame_with_z(axis));
            let (frame_a, frame_b, kind) = match l.kind {
                LoopKind::Weld => (frame_a, frame_b, CompiledLoop::Weld),
                LoopKind::Ball => (frame_a, frame_b, CompiledLoop::Ball),
                LoopKind::Revolute { axis } => {
                    (turned(frame_a, &axis), turned(frame_b, &axis), CompiledLoop::Revolute)
                }
                LoopKind::Prismatic { axis } => {
                    (turned(frame_a, &axis), turned(frame_b, &axis), CompiledLoop::Prismatic)
                }
                LoopKind::Universal { axis_a, axis_b } => {
                    (turned(frame_a, &axis_a), turned(frame_b, &axis_b), CompiledLoop::Universal)
                }
                LoopKind::Distance { length } => (frame_a, frame_b, CompiledLoop::Distance(length)),
            };
            let parts = |f: &Pose| -> (Rot, V3) { (rot(f), f.translation.vector.into()) };
            let (mut frame_a, mut frame_b) = (parts(&frame_a), parts(&frame_b));
            let origin_gap = self.origin_gap((a, &mut frame_a.1), (b, &mut frame_b.1));
            self.constraints.push(Constraint::Loop { a, b, frame_a, frame_b, origin_gap, kind });
        }
        for c in model.couplings() {
            self.constraints.push(Constraint::Coupling {
                follower: joints[c.follower.0],
                leader: c.leader.map(|l| joints[l.0]),
                coefficients: c.coefficients.clone(),
            });
        }
    }

    /// From the tree origin of state `a` to that of `b`. A point of the world is moved to the other side's origin, so
    /// that it has the same small coordinates.
    fn origin_gap(&self, a: (usize, &mut V3), b: (usize, &mut V3)) -> V3 {
        let origin = |state: usize| if state == 0 { [0.0; 3] } else { self.links[state - 1].tree_origin };
        match (a.0, b.0) {
            (0, _) => *a.1 = sub(*a.1, origin(b.0)),
            (_, 0) => *b.1 = sub(*b.1, origin(a.0)),
            _ => return sub(origin(b.0), origin(a.0)),
        }
        [0.0; 3]
    }

    pub(crate) fn add_springs(&mut self, placement: &Placement, places: &[BodyPlace]) {
        let point = |body: Option<BodyId>, local: Vec3| -> (usize, V3) {
            let (state, pose) = match body {
                None => (0, placement.world_from_model),
                Some(b) => (places[b.0].state, places[b.0].pose()),
            };
            (state, (pose * na::Point3::from(local)).coords.into())
        };
        for s in placement.model.springs() {
            let (a, mut point_a) = point(s.body_a, s.point_a);
            let (b, mut point_b) = point(s.body_b, s.point_b);
            let origin_gap = self.origin_gap((a, &mut point_a), (b, &mut point_b));
            self.springs.push(CompiledSpring {
                a,
                b,
                origin_gap,
                point_a,
                point_b,
                stiffness: s.stiffness,
                damping: s.damping,
                rest_length: s.rest_length,
            });
        }
    }

    pub(crate) fn add_actuators(&mut self, model: &Model, joints: &[(usize, usize)]) {
        for actuator in model.actuators() {
            let terms = actuator.terms(|joint| joints[joint.0]);
            self.actuators.push(CompiledActuator { actuator: actuator.clone(), terms });
        }
    }
}
