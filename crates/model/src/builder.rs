//! Builds a [`Model`] and reports all its structural faults.
//!
//! Structural faults (a duplicate name, a NaN, an axis of zero length, a coupling of a joint with several degrees of
//! freedom) are errors: no model is built. Physical faults (an inertia no solid can have, inverted limits) are recorded
//! as warnings on the model: three published robots here have them, and refusing to load would only hide them.
//! `veracity check` judges them.

use crate::actuator::{Actuator, Transmission};
use crate::body::Body;
use crate::contact::{CollisionFilter, ContactPair, StateCondition};
use crate::coupling::{Coupling, LoopJoint, LoopKind};
use crate::finding::{Findings, Severity, Source};
use crate::geometry::{Pose, Vec3};
use crate::joint::{Joint, JointKind};
use crate::material::Material;
use crate::model::{BodyId, Frame, JointId, Keyframe, MaterialId, Model};
use crate::numbers::{Derived, Parameter};
use crate::sensor::Sensor;
use crate::spring::Spring;
use std::collections::BTreeMap;

/// Collects the parts of a model.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    model: Model,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            model: Model {
                name: name.into(),
                bodies: Vec::new(),
                joints: Vec::new(),
                loops: Vec::new(),
                couplings: Vec::new(),
                springs: Vec::new(),
                materials: Vec::new(),
                actuators: Vec::new(),
                sensors: Vec::new(),
                frames: Vec::new(),
                collision_filters: Vec::new(),
                contact_pairs: Vec::new(),
                keyframes: Vec::new(),
                initial: None,
                adjacent_bodies_collide: false,
                self_collide: true,
                parameters: Vec::new(),
                derived: Vec::new(),
                warnings: Findings::new(),
            },
        }
    }

    /// Starts from an existing model, for [`Model::with`].
    pub(crate) fn from_model(model: &Model) -> Self {
        Self { model: model.clone() }
    }

    /// Adds a body and the joint that carries it. The parent must have been added before.
    pub fn add_body(&mut self, body: Body, mut joint: Joint, parent: Option<BodyId>) -> BodyId {
        let id = BodyId(self.model.bodies.len());
        joint.parent = parent;
        joint.child = id;
        self.model.bodies.push(body);
        self.model.joints.push(joint);
        id
    }

    /// Adds a joint that closes a loop.
    pub fn add_loop(&mut self, joint: LoopJoint) {
        self.model.loops.push(joint);
    }

    /// Makes a joint follow another joint.
    pub fn add_coupling(&mut self, coupling: Coupling) {
        self.model.couplings.push(coupling);
    }

    /// Adds a spring.
    pub fn add_spring(&mut self, spring: Spring) {
        self.model.springs.push(spring);
    }

    /// Adds a surface material.
    pub fn add_material(&mut self, material: Material) -> MaterialId {
        self.model.materials.push(material);
        MaterialId(self.model.materials.len() - 1)
    }

    /// Adds an actuator.
    pub fn add_actuator(&mut self, actuator: Actuator) {
        self.model.actuators.push(actuator);
    }

    /// Adds a sensor.
    pub fn add_sensor(&mut self, sensor: Sensor) {
        self.model.sensors.push(sensor);
    }

    /// Adds a named frame.
    pub fn add_frame(&mut self, frame: Frame) {
        self.model.frames.push(frame);
    }

    /// Excludes contact between two bodies.
    pub fn exclude_contact(&mut self, a: BodyId, b: BodyId) {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.model.collision_filters.push(CollisionFilter { a, b });
    }

    /// Adds a named contact pair.
    pub fn add_contact_pair(&mut self, pair: ContactPair) {
        self.model.contact_pairs.push(pair);
    }

    /// Adds a named state.
    pub fn add_keyframe(&mut self, keyframe: Keyframe) {
        self.model.keyframes.push(keyframe);
    }

    /// Sets the positions a run starts from: see [`Model::initial_positions`].
    pub fn start_at(&mut self, q: Vec<f64>) {
        self.model.initial = Some(q);
    }

    /// Sets whether bodies may touch the body they are attached to.
    pub fn adjacent_bodies_collide(&mut self, yes: bool) {
        self.model.adjacent_bodies_collide = yes;
    }

    /// Sets whether bodies of this model may touch each other at all.
    pub fn self_collide(&mut self, yes: bool) {
        self.model.self_collide = yes;
    }

    /// Adds a named parameter.
    pub fn add_parameter(&mut self, parameter: Parameter) {
        self.model.parameters.push(parameter);
    }

    /// Makes a number depend on parameters.
    pub fn add_derived(&mut self, derived: Derived) {
        self.model.derived.push(derived);
    }

    /// Records a finding that must be read before a result is trusted.
    pub fn warn(&mut self, finding: crate::finding::Finding) {
        self.model.warnings.push(finding);
    }

    /// A body added earlier, for changes before the model is built.
    pub fn body_mut(&mut self, id: BodyId) -> &mut Body {
        &mut self.model.bodies[id.0]
    }

    /// A joint added earlier, for changes before the model is built.
    pub fn joint_mut(&mut self, id: JointId) -> &mut Joint {
        &mut self.model.joints[id.0]
    }

    /// The model as assembled so far.
    pub fn so_far(&self) -> &Model {
        &self.model
    }

    /// The model as assembled so far, mutable, for importers and for [`Model::with`].
    pub(crate) fn so_far_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Validates and builds the model. On failure, returns all problems together.
    pub fn build(mut self) -> Result<Model, Findings> {
        let mut problems = Findings::new();
        names_are_unique(&self.model, &mut problems);
        tree_is_ordered(&self.model, &mut problems);
        if problems.has_errors() {
            return Err(problems);
        }
        // Before the checks below, so that they see the values computed from parameters.
        crate::numbers::apply_derived(&mut self.model, &mut problems);
        normalise_axes(&mut self.model, &mut problems);
        numbers_are_finite(&self.model, &mut problems);
        references_hold(&self.model, &mut problems);
        if problems.has_errors() {
            return Err(problems);
        }
        record_impossible_inertias(&mut self.model);
        Ok(self.model)
    }
}

fn error(problems: &mut Findings, code: &'static str, source: &Option<Source>, subject: String, text: String) {
    problems.add(Severity::Error, code, source.clone(), subject, text);
}

fn names_are_unique(model: &Model, problems: &mut Findings) {
    fn check<'a>(kind: &str, names: impl Iterator<Item = (&'a str, &'a Option<Source>)>, problems: &mut Findings) {
        let mut seen = BTreeMap::new();
        for (name, source) in names {
            if name.is_empty() {
                error(problems, "name-empty", source, kind.to_string(), format!("a {kind} has no name; give it one"));
            } else if !name.chars().all(crate::text::is_plain) {
                let text = format!("the name of {kind} '{name}' has control characters; rename it");
                error(problems, "name-control", source, format!("{kind}/{name}"), text);
            } else if seen.insert(name, ()).is_some() {
                let text = format!("two {kind}s are called '{name}'; rename one");
                error(problems, "name-clash", source, format!("{kind}/{name}"), text);
            }
        }
    }
    check("body", model.bodies.iter().map(|b| (b.name.as_str(), &b.source)), problems);
    check("joint", model.joints.iter().map(|j| (j.name.as_str(), &j.source)), problems);
    check("loop joint", model.loops.iter().map(|j| (j.name.as_str(), &j.source)), problems);
    check("coupling", model.couplings.iter().map(|j| (j.name.as_str(), &j.source)), problems);
    check("actuator", model.actuators.iter().map(|j| (j.name.as_str(), &j.source)), problems);
    check("spring", model.springs.iter().map(|j| (j.name.as_str(), &j.source)), problems);
    check("sensor", model.sensors.iter().map(|j| (j.name.as_str(), &j.source)), problems);
    check("frame", model.frames.iter().map(|f| (f.name.as_str(), &None)), problems);
    check("material", model.materials.iter().map(|m| (m.name.as_str(), &None)), problems);
    check("contact pair", model.contact_pairs.iter().map(|p| (p.name.as_str(), &None)), problems);
    check("keyframe", model.keyframes.iter().map(|k| (k.name.as_str(), &None)), problems);
    check("parameter", model.parameters.iter().map(|p| (p.name.as_str(), &None)), problems);
    for body in &model.bodies {
        check("shape", body.shapes.iter().map(|s| (s.name.as_str(), &s.source)), problems);
    }
}

fn tree_is_ordered(model: &Model, problems: &mut Findings) {
    for (i, joint) in model.joints.iter().enumerate() {
        if joint.parent.is_some_and(|p| p.0 >= i) {
            let text = format!("joint '{}' hangs on a body that comes after it; add parents first", joint.name);
            error(problems, "tree-order", &joint.source, format!("joints/{}", joint.name), text);
        }
        if joint.dofs.len() != joint.kind.dof_count() {
            let text = format!(
                "joint '{}' is {} and has {} degrees of freedom, but {} are described",
                joint.name,
                joint.kind.name(),
                joint.kind.dof_count(),
                joint.dofs.len()
            );
            error(problems, "dof-count", &joint.source, format!("joints/{}", joint.name), text);
        }
    }
}

fn normalise_axes(model: &mut Model, problems: &mut Findings) {
    for joint in &mut model.joints {
        for axis in joint.kind.axes_mut().into_iter().flatten() {
            let norm = axis.norm();
            if norm > 0.0 && norm.is_finite() {
                // An axis within rounding of unit length is kept as written, so that rebuilding a model does not change
                // it.
                if (norm - 1.0).abs() > 4.0 * f64::EPSILON {
                    *axis /= norm;
                }
            } else {
                let text = format!("the axis of joint '{}' has no direction; give it a non-zero vector", joint.name);
                problems.add(
                    Severity::Error,
                    "joint-axis",
                    joint.source.clone(),
                    format!("joints/{}", joint.name),
                    text,
                );
            }
        }
        if let JointKind::Planar { x_axis, y_axis } = &joint.kind
            && x_axis.dot(y_axis).abs() > 1e-9
        {
            let text = format!("the two axes of planar joint '{}' are not at right angles", joint.name);
            problems.add(Severity::Error, "joint-axis", joint.source.clone(), format!("joints/{}", joint.name), text);
        }
    }
}

fn numbers_are_finite(model: &Model, problems: &mut Findings) {
    let pose_ok = |p: &Pose| p.translation.vector.iter().chain(p.rotation.coords.iter()).all(|x| x.is_finite());
    let vec_ok = |v: &Vec3| v.iter().all(|x| x.is_finite());
    let mut bad = |ok: bool, source: &Option<Source>, subject: String, what: &str| {
        if !ok {
            let text = format!("{what} of {subject} is not a finite number; write a number");
            error(problems, "not-finite", source, subject, text);
        }
    };
    for body in &model.bodies {
        let subject = || format!("bodies/{}", body.name);
        bad(body.inertia.is_finite(), &body.source, subject(), "the inertia");
        let scalars = [body.linear_damping, body.angular_damping, body.gravity_scale];
        bad(scalars.iter().all(|x| x.is_finite()), &body.source, subject(), "the damping or gravity scale");
        for shape in &body.shapes {
            let subject = format!("bodies/{}/shapes/{}", body.name, shape.name);
            bad(pose_ok(&shape.body_from_shape), &shape.source, subject.clone(), "the pose");
            bad(shape.shape.size_is_positive(), &shape.source, subject, "a size (or it is not positive: it)");
        }
    }
    for joint in &model.joints {
        let subject = || format!("joints/{}", joint.name);
        bad(pose_ok(&joint.parent_from_joint), &joint.source, subject(), "the pose");
        bad(pose_ok(&joint.child_from_joint), &joint.source, subject(), "the pose in the child");
        if let JointKind::Screw { pitch, .. } = joint.kind {
            bad(pitch.is_finite(), &joint.source, subject(), "the pitch");
        }
        for d in &joint.dofs {
            let finite = [d.damping, d.stiffness, d.spring_reference, d.friction, d.armature];
            bad(finite.iter().all(|x| x.is_finite()), &joint.source, subject(), "a joint property");
            let limits = [d.lower, d.upper, d.velocity_limit, d.effort_limit];
            bad(!limits.iter().any(|x| x.is_nan()), &joint.source, subject(), "a limit");
        }
    }
    for l in &model.loops {
        let ok = pose_ok(&l.a_from_frame) && pose_ok(&l.b_from_frame);
        bad(ok, &l.source, format!("loops/{}", l.name), "a frame");
        if let LoopKind::Distance { length } = l.kind {
            bad(length > 0.0 && length.is_finite(), &l.source, format!("loops/{}", l.name), "the length");
        }
    }
    for s in &model.springs {
        let scalars = [s.stiffness, s.damping, s.rest_length];
        let ok = scalars.iter().all(|x| x.is_finite()) && vec_ok(&s.point_a) && vec_ok(&s.point_b);
        bad(ok, &s.source, format!("springs/{}", s.name), "a number");
    }
    for c in &model.couplings {
        let ok = c.coefficients.iter().all(|x| x.is_finite());
        bad(ok, &c.source, format!("couplings/{}", c.name), "a coefficient");
    }
    if let Some(q) = &model.initial {
        bad(q.iter().all(|x| x.is_finite()), &None, "initial positions".into(), "a number");
    }
    for k in &model.keyframes {
        let ok = k.q.iter().chain(&k.v).chain(&k.command).all(|x| x.is_finite());
        bad(ok, &None, format!("keyframes/{}", k.name), "a number");
    }
}

fn references_hold(model: &Model, problems: &mut Findings) {
    let (bodies, joints) = (model.bodies.len(), model.joints.len());
    let body_ok = |id: &Option<BodyId>| id.is_none_or(|b| b.0 < bodies);
    let one_dof = |id: JointId| id.0 < joints && model.joints[id.0].kind.dof_count() == 1;
    for c in &model.couplings {
        if !one_dof(c.follower) || c.leader.is_some_and(|l| !one_dof(l)) || c.coefficients.is_empty() {
            let text = format!("coupling '{}' needs joints with one degree of freedom and a coefficient", c.name);
            error(problems, "coupling-joint", &c.source, format!("couplings/{}", c.name), text);
        } else if c.leader == Some(c.follower) {
            let text = format!("coupling '{}' makes a joint follow itself", c.name);
            error(problems, "coupling-joint", &c.source, format!("couplings/{}", c.name), text);
        }
    }
    for l in &model.loops {
        if !body_ok(&l.body_a) || !body_ok(&l.body_b) || l.body_a == l.body_b {
            let text = format!("loop joint '{}' needs two different bodies of this model", l.name);
            error(problems, "loop-body", &l.source, format!("loops/{}", l.name), text);
        }
    }
    for s in &model.springs {
        if !body_ok(&s.body_a) || !body_ok(&s.body_b) || s.body_a == s.body_b {
            let text = format!("spring '{}' needs two different bodies of this model", s.name);
            error(problems, "spring-body", &s.source, format!("springs/{}", s.name), text);
        }
    }
    for a in &model.actuators {
        let ok = match &a.transmission {
            Transmission::Joint { joint, dof, .. } => {
                joint.0 < joints && *dof < model.joints[joint.0].kind.dof_count()
            }
            Transmission::Tendon { terms, .. } => terms.iter().all(|(j, _)| one_dof(*j)),
        };
        if !ok {
            let text = format!("actuator '{}' acts on a degree of freedom that does not exist", a.name);
            error(problems, "actuator-joint", &a.source, format!("actuators/{}", a.name), text);
        }
    }
    for p in &model.contact_pairs {
        let conditions = p.conditions.iter().all(|c| match c {
            StateCondition::JointPosition { joint, .. } | StateCondition::JointVelocity { joint, .. } => {
                one_dof(*joint)
            }
        });
        if !conditions || p.a.0 >= bodies || !body_ok(&p.b) {
            let text = format!("contact pair '{}' names a body or joint that does not exist", p.name);
            error(problems, "pair-reference", &None, format!("contact_pairs/{}", p.name), text);
        }
    }
    if let Some(q) = &model.initial
        && q.len() != model.position_count()
    {
        let (n, nq) = (q.len(), model.position_count());
        let text = format!("the initial configuration has {n} positions; the model has {nq}");
        error(problems, "initial-size", &None, "initial".into(), text);
    }
    for k in &model.keyframes {
        let (nq, nv) = (model.position_count(), model.dof_count());
        if k.q.len() != nq || k.v.len() != nv {
            let text = format!(
                "keyframe '{}' has {} positions and {} velocities; the model has {nq} and {nv}",
                k.name,
                k.q.len(),
                k.v.len()
            );
            error(problems, "keyframe-size", &None, format!("keyframes/{}", k.name), text);
        }
    }
}

/// Impossible inertias load unchanged but always with a warning: see the module documentation.
fn record_impossible_inertias(model: &mut Model) {
    let mut found = Findings::new();
    for body in &model.bodies {
        let [smallest, ..] = body.inertia.principal_moments();
        let violation = body.inertia.triangle_violation_beyond_rounding();
        // Values printed with six digits are wrong by up to 1e-6; smaller violations are rounding in the file.
        if body.inertia.mass < 0.0 || body.inertia.has_negative_moment() || violation > 1e-6 {
            let text = format!(
                "body '{}' has a mass distribution no solid can have (mass {:e} kg, smallest principal moment \
                 {:e} kg m2, triangle inequality broken by {:.3} of the largest); it is used as written",
                body.name,
                body.inertia.mass,
                smallest,
                violation.max(0.0)
            );
            found.add(Severity::Warning, "inertia-raw", body.source.clone(), format!("bodies/{}", body.name), text);
        }
    }
    // `with` rebuilds the model: the list is regenerated each time so that a repaired body loses its warning.
    let kept: Vec<_> = model.warnings.iter().filter(|f| f.code != "inertia-raw").cloned().collect();
    model.warnings = Findings::new();
    kept.into_iter().for_each(|f| model.warnings.push(f));
    model.warnings.extend(found);
}
