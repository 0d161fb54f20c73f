//! The single traversal over every number of a model.
//!
//! A closure receives each number with its path and may change it. Values whose stored form differs from the form shown
//! (rotations, unit axes, the two halves of a tensor, optional numbers) are copied, shown, and written back only if
//! changed: a traversal that changes nothing keeps every bit.

use super::path::escape;
use crate::actuator::{Actuator, Drive, Transmission};
use crate::body::{Body, BodyShape};
use crate::contact::{ContactPair, StateCondition};
use crate::coupling::{LoopJoint, LoopKind};
use crate::geometry::{Pose, Vec3, quat_from_rpy, rpy_from_quat};
use crate::inertia::{Inertia, LOG_CHOLESKY_NAMES};
use crate::joint::{Dof, Joint, JointKind};
use crate::material::Material;
use crate::model::{Keyframe, Model};
use crate::sensor::{Sensor, SensorKind};
use crate::shape::Shape;
use crate::spring::Spring;
use std::sync::Arc;

/// Whether the traversal also shows numbers that are another representation of numbers already shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Views {
    /// Each number once.
    Without,
    /// Also the log-Cholesky parameters of every body inside the physical set.
    With,
}

/// Passes every number of the model to `visit`.
pub(super) fn walk(model: &mut Model, views: Views, visit: &mut dyn FnMut(&str, &mut f64)) {
    // Destructured without `..`: for every field added to the model, this function must state whether it holds numbers.
    let Model {
        name: _,
        bodies,
        joints,
        loops,
        couplings,
        springs,
        materials,
        actuators,
        sensors,
        frames,
        collision_filters: _,
        contact_pairs,
        keyframes,
        initial,
        adjacent_bodies_collide: _,
        self_collide: _,
        parameters,
        derived: _,
        warnings: _,
    } = model;
    let mut w = Walker::new(visit);
    w.within("parameters", |w| parameters.iter_mut().for_each(|p| w.number(&p.name, &mut p.value)));
    w.each("bodies", bodies, |b| &b.name, |w, b| body(w, views, b));
    w.each("joints", joints, |j| &j.name, joint);
    w.each("loops", loops, |l| &l.name, loop_joint);
    w.each("couplings", couplings, |c| &c.name, |w, c| w.list("coefficients", &mut c.coefficients));
    w.each("springs", springs, |s| &s.name, spring);
    w.each("materials", materials, |m| &m.name, material);
    w.each("actuators", actuators, |a| &a.name, actuator);
    w.each("sensors", sensors, |s| &s.name, sensor);
    w.each("frames", frames, |f| &f.name, |w, f| w.pose("origin", &mut f.body_from_frame));
    w.each("contact_pairs", contact_pairs, |p| &p.name, contact_pair);
    w.each("keyframes", keyframes, |k| &k.name, keyframe);
    w.list("initial", initial.as_deref_mut().unwrap_or_default());
}

fn body(w: &mut Walker, views: Views, b: &mut Body) {
    w.number("mass", &mut b.inertia.mass);
    w.vector("com", &mut b.inertia.com);
    w.within("inertia", |w| tensor(w, views, &mut b.inertia));
    w.number("linear_damping", &mut b.linear_damping);
    w.number("angular_damping", &mut b.angular_damping);
    w.number("gravity_scale", &mut b.gravity_scale);
    w.each("shapes", &mut b.shapes, |s| &s.name, shape);
}

fn tensor(w: &mut Walker, views: Views, inertia: &mut Inertia) {
    let entries = [("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2)];
    for (name, row, column) in entries {
        let mut value = inertia.tensor[(row, column)];
        if w.changed(name, &mut value) {
            inertia.tensor[(row, column)] = value;
            inertia.tensor[(column, row)] = value;
        }
    }
    if views == Views::With
        && let Some(mut parameters) = inertia.to_log_cholesky()
    {
        let mut any = false;
        w.within("log_cholesky", |w| {
            for (name, value) in LOG_CHOLESKY_NAMES.iter().zip(&mut parameters.theta) {
                any |= w.changed(name, value);
            }
        });
        if any {
            *inertia = Inertia::from_log_cholesky(&parameters);
        }
    }
}

fn shape(w: &mut Walker, s: &mut BodyShape) {
    w.pose("origin", &mut s.body_from_shape);
    match &mut s.shape {
        Shape::Sphere { radius } | Shape::Disc { radius } => w.number("radius", radius),
        Shape::Box { size } => w.vector("size", size),
        Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
            w.number("radius", radius);
            w.number("length", length);
        }
        Shape::Ellipsoid { radii } => w.vector("radii", radii),
        Shape::HeightField(field) => {
            let [mut x, mut y] = field.size;
            w.within("size", |w| {
                // Shared between models: copied only if changed.
                if w.changed("x", &mut x) | w.changed("y", &mut y) {
                    Arc::make_mut(field).size = [x, y];
                }
            });
        }
        Shape::Plane | Shape::Convex(_) | Shape::Mesh(_) => {}
    }
}

fn joint(w: &mut Walker, j: &mut Joint) {
    w.pose("origin", &mut j.parent_from_joint);
    w.pose("child_origin", &mut j.child_from_joint);
    match &mut j.kind {
        JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Prismatic { axis } => {
            w.axis("axis", axis);
        }
        JointKind::Screw { axis, pitch } => {
            w.axis("axis", axis);
            w.number("pitch", pitch);
        }
        JointKind::Universal { axis1, axis2 } => {
            w.axis("axis1", axis1);
            w.axis("axis2", axis2);
        }
        JointKind::Planar { x_axis, y_axis } => {
            w.axis("x_axis", x_axis);
            w.axis("y_axis", y_axis);
        }
        JointKind::Fixed | JointKind::Ball | JointKind::Free => {}
    }
    match j.dofs.as_mut_slice() {
        [one] => dof(w, one),
        several => w.within("dofs", |w| {
            several.iter_mut().enumerate().for_each(|(i, d)| w.within(&i.to_string(), |w| dof(w, d)));
        }),
    }
}

fn dof(w: &mut Walker, d: &mut Dof) {
    w.number("lower", &mut d.lower);
    w.number("upper", &mut d.upper);
    w.number("velocity_limit", &mut d.velocity_limit);
    w.number("effort_limit", &mut d.effort_limit);
    w.number("damping", &mut d.damping);
    w.number("stiffness", &mut d.stiffness);
    w.number("spring_reference", &mut d.spring_reference);
    w.number("friction", &mut d.friction);
    w.number("armature", &mut d.armature);
}

fn loop_joint(w: &mut Walker, l: &mut LoopJoint) {
    w.pose("frame_a", &mut l.a_from_frame);
    w.pose("frame_b", &mut l.b_from_frame);
    match &mut l.kind {
        LoopKind::Weld | LoopKind::Ball => {}
        LoopKind::Revolute { axis } | LoopKind::Prismatic { axis } => w.axis("axis", axis),
        LoopKind::Universal { axis_a, axis_b } => {
            w.axis("axis_a", axis_a);
            w.axis("axis_b", axis_b);
        }
        LoopKind::Distance { length } => w.number("length", length),
    }
}

fn spring(w: &mut Walker, s: &mut Spring) {
    w.number("stiffness", &mut s.stiffness);
    w.number("damping", &mut s.damping);
    w.number("rest_length", &mut s.rest_length);
    w.vector("point_a", &mut s.point_a);
    w.vector("point_b", &mut s.point_b);
}

fn material(w: &mut Walker, m: &mut Material) {
    w.list("friction", &mut m.friction);
    if let Some(direction) = &mut m.friction_direction {
        w.axis("friction_direction", direction);
    }
    w.number("torsional_friction", &mut m.torsional_friction);
    w.number("rolling_friction", &mut m.rolling_friction);
    w.number("restitution", &mut m.restitution);
    w.infinite_if_absent("stiffness", &mut m.stiffness);
    w.number("dissipation", &mut m.dissipation);
}

fn actuator(w: &mut Walker, a: &mut Actuator) {
    match &mut a.drive {
        Drive::Effort { gain } => w.number("gain", gain),
        Drive::Position { kp, kd } => {
            w.number("kp", kp);
            w.number("kd", kd);
        }
        Drive::Velocity { kd } => w.number("kd", kd),
        Drive::Affine { gain, bias } => {
            w.number("gain", gain);
            w.list("bias", bias);
        }
    }
    match &mut a.transmission {
        Transmission::Joint { gear, .. } => w.number("gear", gear),
        Transmission::Tendon { terms, gear } => {
            w.within("terms", |w| {
                terms.iter_mut().enumerate().for_each(|(i, (_, weight))| w.number(&i.to_string(), weight));
            });
            w.number("gear", gear);
        }
    }
    w.list("command_range", &mut a.command_range);
    w.list("effort_range", &mut a.effort_range);
    w.number("velocity_limit", &mut a.velocity_limit);
}

fn sensor(w: &mut Walker, s: &mut Sensor) {
    w.pose("origin", &mut s.body_from_sensor);
    if let SensorKind::Range { max } = &mut s.kind {
        w.number("max", max);
    }
    w.infinite_if_absent("rate_hz", &mut s.rate_hz);
    w.number("noise_std", &mut s.noise_std);
}

fn contact_pair(w: &mut Walker, pair: &mut ContactPair) {
    w.within("conditions", |w| {
        for (i, condition) in pair.conditions.iter_mut().enumerate() {
            let (StateCondition::JointPosition { above, below, .. }
            | StateCondition::JointVelocity { above, below, .. }) = condition;
            w.within(&i.to_string(), |w| {
                w.number("above", above);
                w.number("below", below);
            });
        }
    });
}

fn keyframe(w: &mut Walker, k: &mut Keyframe) {
    w.list("q", &mut k.q);
    w.list("v", &mut k.v);
    w.list("command", &mut k.command);
}

/// Current position of the traversal.
pub(super) struct Walker<'v> {
    path: String,
    visit: &'v mut dyn FnMut(&str, &mut f64),
}

impl<'v> Walker<'v> {
    pub(super) fn new(visit: &'v mut dyn FnMut(&str, &mut f64)) -> Self {
        Self { path: String::new(), visit }
    }

    /// Runs `inside` with the path extended by a segment.
    pub(super) fn within(&mut self, segment: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.enter(segment);
        inside(self);
        self.path.truncate(length);
    }

    /// Enters every item of a collection by its name.
    pub(super) fn each<T>(
        &mut self,
        collection: &str,
        items: &mut [T],
        name: impl Fn(&T) -> &String,
        mut inside: impl FnMut(&mut Self, &mut T),
    ) {
        self.within(collection, |w| {
            for item in items {
                let length = w.enter(name(item));
                inside(w, item);
                w.path.truncate(length);
            }
        });
    }

    /// Extends the path by a segment and returns the length to truncate it to afterwards.
    fn enter(&mut self, segment: &str) -> usize {
        let length = self.path.len();
        if length > 0 {
            self.path.push('/');
        }
        self.path.push_str(&escape(segment));
        length
    }

    pub(super) fn number(&mut self, name: &str, value: &mut f64) {
        self.within(name, |w| (w.visit)(&w.path, value));
    }

    /// Shows a copy and returns whether it was changed.
    fn changed(&mut self, name: &str, value: &mut f64) -> bool {
        let before = *value;
        self.number(name, value);
        value.to_bits() != before.to_bits()
    }

    pub(super) fn vector(&mut self, name: &str, v: &mut Vec3) {
        self.within(name, |w| ["x", "y", "z"].iter().zip(v.iter_mut()).for_each(|(axis, x)| w.number(axis, x)));
    }

    fn list(&mut self, name: &str, values: &mut [f64]) {
        self.within(name, |w| values.iter_mut().enumerate().for_each(|(i, x)| w.number(&i.to_string(), x)));
    }

    fn infinite_if_absent(&mut self, name: &str, value: &mut Option<f64>) {
        let mut shown = value.unwrap_or(f64::INFINITY);
        if self.changed(name, &mut shown) {
            *value = Some(shown).filter(|x| *x != f64::INFINITY);
        }
    }

    /// A unit vector: setting it sets a direction. A zero vector is left for the builder to reject.
    fn axis(&mut self, name: &str, axis: &mut Vec3) {
        let before = *axis;
        self.vector(name, axis);
        let norm = axis.norm();
        if *axis != before && norm > 0.0 && norm.is_finite() {
            *axis /= norm;
        }
    }

    pub(super) fn pose(&mut self, name: &str, pose: &mut Pose) {
        self.within(name, |w| {
            ["x", "y", "z"].iter().zip(pose.translation.vector.iter_mut()).for_each(|(axis, x)| w.number(axis, x));
            let before = rpy_from_quat(&pose.rotation);
            let mut rpy = before;
            ["roll", "pitch", "yaw"].iter().zip(&mut rpy).for_each(|(angle, x)| w.number(angle, x));
            // Angles read back from a quaternion carry a rounding error of this size. Writing them back at every
            // traversal would make an unchanged rotation drift.
            if rpy.iter().zip(before).any(|(new, old)| (new - old).abs() > 1e-14 || new.is_nan()) {
                pose.rotation = quat_from_rpy(rpy[0], rpy[1], rpy[2]);
            }
        });
    }
}
