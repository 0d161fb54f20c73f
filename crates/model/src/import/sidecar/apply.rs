//! Applies a sidecar to an imported world.

use super::convert::{condition, loop_kind, pose};
use super::names::Names;
use super::{Sidecar, schema};
use crate::actuator::{Actuator, Drive, Transmission, VelocityRule};
use crate::builder::ModelBuilder;
use crate::contact::{ContactPair, StateCondition};
use crate::coupling::{Coupling, LoopJoint};
use crate::finding::{Findings, Severity, Source};
use crate::geometry::Vec3;
use crate::material::Material;
use crate::model::{JointId, Keyframe, MaterialId, Model};
use crate::numbers::{Derived, Parameter};
use crate::spring::Spring;
use crate::world::World;
use std::sync::Arc;
use toml::Spanned;

/// The world with the sidecar applied; `None`, with errors, if the sidecar is inconsistent.
pub(in super::super) fn apply(sidecar: &Sidecar, mut world: World, findings: &mut Findings) -> Option<World> {
    let content = &sidecar.content;
    if let Some(gravity) = content.gravity {
        world.gravity = Vec3::from(gravity);
        if !gravity.iter().all(|g| g.is_finite()) {
            let source = Source { file: sidecar.text.file.clone(), line: 0 };
            findings.add(
                Severity::Error,
                "sidecar",
                Some(source),
                "gravity",
                "'gravity' is not three finite numbers",
            );
        }
    }
    set(&mut world.combination.friction, content.friction_rule);
    set(&mut world.combination.restitution, content.restitution_rule);
    let chosen = choose_model(sidecar, &world, findings)?;
    let mut builder = ModelBuilder::from_model(&world.placements[chosen].model);
    let mut entries = Entries { sidecar, builder: &mut builder, findings };
    entries.materials();
    entries.joints();
    entries.loops();
    entries.springs();
    entries.couplings();
    entries.actuators();
    entries.contacts();
    entries.parameters();
    entries.keyframes();
    if super::super::is_fatal(findings) {
        return None;
    }
    match builder.build() {
        Ok(model) => {
            world.placements[chosen].model = Arc::new(model);
            Some(world)
        }
        Err(problems) => {
            // Problems without a source come from the sidecar: the model built without errors before.
            for mut problem in problems {
                problem.source.get_or_insert(Source { file: sidecar.text.file.clone(), line: 0 });
                findings.push(problem);
            }
            None
        }
    }
}

fn choose_model(sidecar: &Sidecar, world: &World, findings: &mut Findings) -> Option<usize> {
    let names = || world.placements.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
    let (found, line, text) = match (&sidecar.content.model, world.placements.len()) {
        (Some(name), _) => {
            let found = world.placements.iter().position(|p| p.name == *name.get_ref());
            let text = format!("there is no model '{}'; available: {}", name.get_ref(), names());
            (found, sidecar.text.source(name.span().start), text)
        }
        (None, count) => {
            let source = Source { file: sidecar.text.file.clone(), line: 0 };
            let text = format!("the file has {count} models; name one with model = \"…\": {}", names());
            ((count == 1).then_some(0), source, text)
        }
    };
    if found.is_none() {
        findings.add(Severity::Error, "sidecar", Some(line), "model", text);
    }
    found
}

struct Entries<'a> {
    sidecar: &'a Sidecar,
    builder: &'a mut ModelBuilder,
    findings: &'a mut Findings,
}

impl<'a> Entries<'a> {
    /// Name lookup for one entry.
    fn names<T>(&mut self, entry: &Spanned<T>) -> Names<'_> {
        let source = self.source(entry);
        Names { model: self.builder.so_far(), source, findings: self.findings }
    }

    fn source<T>(&self, entry: &Spanned<T>) -> Source {
        self.sidecar.text.source(entry.span().start)
    }

    fn model(&mut self) -> &mut Model {
        self.builder.so_far_mut()
    }

    fn materials(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.material {
            let given = entry.get_ref();
            let known = self.builder.so_far().materials().iter().position(|m| m.name == given.name).map(MaterialId);
            let id = known.unwrap_or_else(|| {
                self.builder.add_material(Material { name: given.name.clone(), ..Material::default() })
            });
            let material = &mut self.model().materials[id.0];
            set(&mut material.friction, given.friction);
            set(&mut material.torsional_friction, given.torsional_friction_m);
            set(&mut material.rolling_friction, given.rolling_friction_m);
            set(&mut material.restitution, given.restitution);
            set(&mut material.dissipation, given.dissipation_s_per_m);
            // An infinite stiffness is the rigid contact that `None` stands for.
            set(&mut material.stiffness, given.stiffness_n_per_m.map(|k| Some(k).filter(|k| *k != f64::INFINITY)));
            for name in &given.bodies {
                if let Some(body) = self.names(entry).body(name) {
                    let shapes = &mut self.builder.body_mut(body).shapes;
                    shapes.iter_mut().filter(|s| s.collides).for_each(|s| s.material = Some(id));
                }
            }
        }
    }

    fn joints(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.joint {
            let given = entry.get_ref();
            let Some(id) = self.names(entry).joint(&given.joint) else { continue };
            for dof in &mut self.builder.joint_mut(id).dofs {
                set(&mut dof.armature, given.armature);
                set(&mut dof.damping, given.damping);
                set(&mut dof.friction, given.friction);
                set(&mut dof.stiffness, given.stiffness);
                set(&mut dof.spring_reference, given.spring_reference);
            }
        }
    }

    fn loops(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.loops {
            let given = entry.get_ref();
            let source = self.source(entry);
            let mut names = self.names(entry);
            let bodies = (names.body_or_frame(&given.body_a), names.body_or_frame(&given.body_b));
            let frames = (pose(&given.frame_a, &mut names), pose(&given.frame_b, &mut names));
            let kind = loop_kind(given, &mut names);
            if let ((Some(body_a), Some(body_b)), (Some(a), Some(b)), Some(kind)) = (bodies, frames, kind) {
                let name = given.name.clone();
                let (a_from_frame, b_from_frame) = (a, b);
                let source = Some(source);
                self.builder.add_loop(LoopJoint { name, kind, body_a, body_b, a_from_frame, b_from_frame, source });
            }
        }
    }

    fn springs(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.spring {
            let given = entry.get_ref();
            let source = Some(self.source(entry));
            let mut names = self.names(entry);
            let bodies = (names.body_or_frame(&given.body_a), names.body_or_frame(&given.body_b));
            if let (Some(body_a), Some(body_b)) = bodies {
                self.builder.add_spring(Spring {
                    name: given.name.clone(),
                    body_a,
                    body_b,
                    point_a: given.point_a_m.into(),
                    point_b: given.point_b_m.into(),
                    stiffness: given.stiffness_n_per_m,
                    damping: given.damping_n_s_per_m,
                    rest_length: given.rest_length_m,
                    source,
                });
            }
        }
    }

    fn couplings(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.coupling {
            let given = entry.get_ref();
            let source = Some(self.source(entry));
            let mut names = self.names(entry);
            let Some(follower) = names.joint(&given.follower) else { continue };
            let leader = match &given.leader {
                Some(name) => match names.joint(name) {
                    Some(leader) => Some(leader),
                    None => continue,
                },
                None => None,
            };
            let known = names.model.couplings().iter().position(|c| c.follower == follower);
            if known.is_none() && given.coefficients.is_none() {
                names.error(format!(
                    "'{}' follows nothing yet; give 'leader' and 'coefficients' = [offset, factor]",
                    given.follower
                ));
                continue;
            }
            let index = known.unwrap_or_else(|| {
                self.builder.add_coupling(Coupling {
                    name: format!("{}_coupling", given.follower),
                    follower,
                    leader,
                    coefficients: Vec::new(),
                    shared_motor: false,
                    source,
                });
                self.builder.so_far().couplings().len() - 1
            });
            let coupling = &mut self.model().couplings[index];
            set(&mut coupling.name, given.name.clone());
            set(&mut coupling.leader, leader.map(Some));
            set(&mut coupling.coefficients, given.coefficients.clone());
            set(&mut coupling.shared_motor, given.shared_motor);
        }
    }

    fn actuators(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.actuator {
            let given = entry.get_ref();
            let source = self.source(entry);
            let mut names = self.names(entry);
            let Some(name) = given.name.clone().or_else(|| given.joint.clone()) else {
                names.error("an [[actuator]] needs a 'joint' to drive, or the 'name' of one to change");
                continue;
            };
            let known = names.model.actuators().iter().position(|a| a.name == name);
            let joint = match (&given.joint, known) {
                (Some(joint), _) => match names.joint(joint) {
                    Some(joint) => Some(joint),
                    None => continue,
                },
                (None, Some(_)) => None,
                (None, None) => {
                    names.actuator(&name);
                    continue;
                }
            };
            if given.effort.is_some() && given.effort_range.is_some() {
                names.error("both 'effort' and 'effort_range' are given; keep one of them");
            }
            if given.velocity_limit_rad_s.is_some() && given.velocity_limit_m_s.is_some() {
                names.error("both 'velocity_limit_rad_s' and 'velocity_limit_m_s' are given; keep one of them");
            }
            let index = match (known, joint) {
                (Some(index), _) => index,
                (None, Some(joint)) => self.new_actuator(name, joint, given.dof.unwrap_or(0), source),
                (None, None) => continue,
            };
            self.change_actuator(index, joint, given);
        }
    }

    /// Adds an actuator with the limits of its joint.
    fn new_actuator(&mut self, name: String, joint: JointId, dof: usize, source: Source) -> usize {
        let mut actuator = Actuator::effort(name, joint);
        if let Some(limits) = self.builder.so_far().joint(joint).dofs.get(dof) {
            actuator.effort_range = [-limits.effort_limit, limits.effort_limit];
            actuator.velocity_limit = limits.velocity_limit;
        }
        actuator.source = Some(source);
        self.builder.add_actuator(actuator);
        self.builder.so_far().actuators().len() - 1
    }

    fn change_actuator(&mut self, index: usize, to: Option<JointId>, given: &schema::Actuator) {
        let actuator = &mut self.model().actuators[index];
        if let Transmission::Joint { joint, dof, gear } = &mut actuator.transmission {
            set(joint, to);
            set(dof, given.dof);
            set(gear, given.gear);
        }
        let drive = given.drive.map(|drive| match drive {
            schema::Drive::Effort { gain } => Drive::Effort { gain },
            schema::Drive::Position { kp, kd } => Drive::Position { kp, kd },
            schema::Drive::Velocity { kd } => Drive::Velocity { kd },
        });
        let rule = given.velocity_rule.map(|rule| match rule {
            schema::VelocityRule::Ignore => VelocityRule::Ignore,
            schema::VelocityRule::CutPushing => VelocityRule::CutPushing,
            schema::VelocityRule::TorqueSpeedLine => VelocityRule::TorqueSpeedLine,
        });
        set(&mut actuator.drive, drive);
        set(&mut actuator.velocity_rule, rule);
        set(&mut actuator.effort_range, given.effort.map(|e| [-e, e]).or(given.effort_range));
        set(&mut actuator.command_range, given.command_range);
        set(&mut actuator.velocity_limit, given.velocity_limit_rad_s.or(given.velocity_limit_m_s));
    }

    fn contacts(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.contact_pair {
            let given = entry.get_ref();
            let mut names = self.names(entry);
            let (Some(a), Some(b)) = (names.body(&given.a), names.body_or_frame(&given.b)) else { continue };
            let material = match &given.material {
                Some(name) => match names.material(name) {
                    Some(material) => Some(material),
                    None => continue,
                },
                None => None,
            };
            let conditions: Option<Vec<StateCondition>> =
                given.conditions.iter().map(|c| condition(c, &mut names)).collect();
            if let Some(conditions) = conditions {
                self.builder.add_contact_pair(ContactPair { name: given.name.clone(), a, b, material, conditions });
            }
        }
        for entry in &sidecar.content.exclude {
            let given = entry.get_ref();
            let mut names = self.names(entry);
            let pair = (names.body(&given.a), names.body(&given.b));
            match pair {
                (Some(a), Some(b)) if a == b => {
                    names.error(format!("'{}' cannot be excluded from contact with itself", given.a))
                }
                (Some(a), Some(b)) => self.builder.exclude_contact(a, b),
                _ => {}
            }
        }
        if let Some(yes) = sidecar.content.self_collide {
            self.builder.self_collide(yes);
        }
        if let Some(yes) = sidecar.content.adjacent_bodies_collide {
            self.builder.adjacent_bodies_collide(yes);
        }
    }

    fn parameters(&mut self) {
        for (name, given) in &self.sidecar.content.parameters {
            let (value, text) = match given {
                schema::ParameterValue::Bare(value) => (*value, String::new()),
                schema::ParameterValue::Described(given) => (given.value, given.text.clone()),
            };
            self.builder.add_parameter(Parameter { name: name.clone(), value, text });
        }
        for (path, expression) in &self.sidecar.content.derive {
            self.builder.add_derived(Derived { path: path.clone(), expression: expression.clone() });
        }
    }

    /// Runs last: keyframes need all joints and actuators.
    fn keyframes(&mut self) {
        let sidecar = self.sidecar;
        for entry in &sidecar.content.keyframe {
            let given = entry.get_ref();
            let model = self.builder.so_far();
            let (mut q, mut v) = (model.initial_positions(), vec![0.0; model.dof_count()]);
            let mut command = vec![0.0; if given.command.is_empty() { 0 } else { model.actuators().len() }];
            let mut names = self.names(entry);
            for (joint, values) in &given.q {
                let Some(id) = names.joint(joint) else { continue };
                let (at, count) = (names.model.position_offset(id), names.model.joint(id).kind.position_count());
                fill(&mut q, at, count, joint, "position", values, &mut names);
            }
            for (joint, values) in &given.v {
                let Some(id) = names.joint(joint) else { continue };
                let (at, count) = (names.model.dof_offset(id), names.model.joint(id).kind.dof_count());
                fill(&mut v, at, count, joint, "velocity", values, &mut names);
            }
            for (actuator, value) in &given.command {
                if let Some(at) = names.actuator(actuator) {
                    command[at] = *value;
                }
            }
            self.builder.add_keyframe(Keyframe { name: given.name.clone(), q, v, command });
        }
        if let Some(start) = &sidecar.content.start {
            let found = self.builder.so_far().keyframes().iter().find(|k| k.name == *start.get_ref());
            match found.map(|k| k.q.clone()) {
                Some(q) => self.builder.start_at(q),
                None => self.names(start).error(format!("there is no keyframe '{}' to start from", start.get_ref())),
            }
        }
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn fill(
    into: &mut [f64],
    at: usize,
    count: usize,
    joint: &str,
    what: &str,
    values: &schema::Values,
    names: &mut Names<'_>,
) {
    let values = values.as_slice();
    if values.len() == count {
        into[at..at + count].copy_from_slice(values);
    } else {
        names.error(format!("joint '{joint}' has {count} {what} numbers, and {} are given", values.len()));
    }
}
