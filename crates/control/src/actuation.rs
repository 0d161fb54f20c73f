//! From commands in force to inputs of the engine, in the same way for every engine.

use crate::controllers::actuator_at;
use crate::error::ControlError;
use crate::port::{DriveField, Port};
use crate::setup::Setup;
use veracity_engine::{Inputs, JointDrive, Wrench};
use veracity_model::Actuator;

/// Actuators, limits, and which bodies and joints are commanded.
pub(crate) struct Actuation {
    actuators: Vec<Motor>,
    /// Limit of the direct effort of each degree of freedom [N m or N].
    effort_limits: Vec<f64>,
    drives: Vec<JointDrive>,
    drive_is_on: Vec<bool>,
    /// Bodies on which forces and torques act.
    bodies: Vec<usize>,
}

/// An actuator of the model with its state. Until it is commanded it is unpowered and gives no effort.
struct Motor {
    law: Actuator,
    /// Index in `q`, in `v`, coefficient.
    terms: Vec<(usize, usize, f64)>,
    commanded: bool,
    powered: bool,
    command: f64,
}

/// A port with its index in the lists above.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outlet {
    Effort(usize),
    Actuator(usize),
    Force(usize, usize),
    Torque(usize, usize),
    Drive(usize, DriveField),
}

impl Actuation {
    pub fn new(setup: &Setup<'_>) -> Self {
        let layout = setup.layout;
        let motor = |slot: usize| {
            let (first, law) = actuator_at(setup.world, layout, slot);
            let terms = law.terms(|joint| {
                let joint = &layout.joints[first + joint.0];
                (joint.q, joint.v)
            });
            Motor { law: law.clone(), terms, commanded: false, powered: false, command: 0.0 }
        };
        Self {
            actuators: (0..layout.actuators.len()).map(motor).collect(),
            effort_limits: layout.dofs.iter().map(|d| d.effort_limit).collect(),
            drives: Vec::new(),
            drive_is_on: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// Connects a controller's ports. An actuator or drive that another controller commands is an error.
    pub fn connect(&mut self, ports: &[Port], place: &str, setup: &Setup<'_>) -> Result<Vec<Outlet>, ControlError> {
        let drives_before = self.drives.len();
        let mut outlets = Vec::with_capacity(ports.len());
        for port in ports {
            outlets.push(match *port {
                Port::Effort { dof } => Outlet::Effort(dof),
                Port::Actuator { slot } => {
                    if std::mem::replace(&mut self.actuators[slot].commanded, true) {
                        let name = &setup.layout.actuators[slot];
                        return Err(taken(place, &format!("actuator '{name}'")));
                    }
                    Outlet::Actuator(slot)
                }
                Port::Force { body, axis } => Outlet::Force(self.body(body), axis),
                Port::Torque { body, axis } => Outlet::Torque(self.body(body), axis),
                Port::Drive { dof, field } => match self.drives.iter().position(|d| d.dof == dof) {
                    Some(i) if i < drives_before => {
                        let name = crate::address::dof_name(setup.layout, dof);
                        return Err(taken(place, &format!("the drive of joint '{name}'")));
                    }
                    Some(i) => Outlet::Drive(i, field),
                    None => {
                        self.drives.push(JointDrive {
                            dof,
                            kp: 0.0,
                            kd: 0.0,
                            target: 0.0,
                            target_speed: 0.0,
                            feed_forward: 0.0,
                            max_effort: self.effort_limits[dof],
                        });
                        self.drive_is_on.push(false);
                        Outlet::Drive(self.drives.len() - 1, field)
                    }
                },
            });
        }
        Ok(outlets)
    }

    fn body(&mut self, slot: usize) -> usize {
        self.bodies.iter().position(|b| *b == slot).unwrap_or_else(|| {
            self.bodies.push(slot);
            self.bodies.len() - 1
        })
    }

    /// Zero inputs, with capacity for everything that is connected.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::none(self.effort_limits.len());
        inputs.wrenches.reserve(self.bodies.len());
        inputs.drives.reserve(self.drives.len());
        inputs
    }

    /// Whether any commanded actuator must be evaluated at every step.
    pub fn needs_every_step(&self) -> bool {
        self.actuators.iter().any(|m| m.commanded && m.law.depends_on_state())
    }

    /// Clears all commands.
    pub fn begin(&mut self, inputs: &mut Inputs) {
        inputs.clear();
        inputs.wrenches.extend(self.bodies.iter().map(|body| Wrench { body: *body, ..Wrench::default() }));
        self.actuators.iter_mut().for_each(|m| m.powered = false);
        self.drive_is_on.fill(false);
    }

    /// Applies one number in force.
    pub fn take(&mut self, outlet: Outlet, value: f64, inputs: &mut Inputs) {
        match outlet {
            Outlet::Effort(dof) => inputs.efforts[dof] += value,
            Outlet::Force(i, axis) => inputs.wrenches[i].force[axis] += value,
            Outlet::Torque(i, axis) => inputs.wrenches[i].torque[axis] += value,
            Outlet::Actuator(slot) => (self.actuators[slot].command, self.actuators[slot].powered) = (value, true),
            Outlet::Drive(i, field) => {
                let drive = &mut self.drives[i];
                self.drive_is_on[i] = true;
                match field {
                    DriveField::Target => drive.target = value,
                    DriveField::TargetSpeed => drive.target_speed = value,
                    DriveField::FeedForward => drive.feed_forward = value,
                    DriveField::Kp => drive.kp = value,
                    DriveField::Kd => drive.kd = value,
                }
            }
        }
    }

    /// After all numbers were applied: clamps direct efforts, adds the actuators' efforts at this state, and lists the
    /// drives.
    pub fn finish(&mut self, q: &[f64], v: &[f64], inputs: &mut Inputs) {
        for (effort, limit) in inputs.efforts.iter_mut().zip(&self.effort_limits) {
            *effort = effort.max(-limit).min(*limit);
        }
        for motor in self.actuators.iter().filter(|m| m.powered) {
            let (mut position, mut speed) = (0.0, 0.0);
            for &(qi, vi, c) in &motor.terms {
                position += c * q[qi];
                speed += c * v[vi];
            }
            let effort = motor.law.effort_at(motor.command, position, speed);
            for &(_, vi, c) in &motor.terms {
                inputs.efforts[vi] += c * effort;
            }
        }
        let on = self.drives.iter().zip(&self.drive_is_on).filter(|(_, on)| **on);
        inputs.drives.extend(on.map(|(drive, _)| *drive));
    }
}

fn taken(place: &str, what: &str) -> ControlError {
    ControlError::new(place, format!("another controller already commands {what}; remove it from one of them"))
}
