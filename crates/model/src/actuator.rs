//! Actuators: drive law, transmission and limits.

use crate::finding::Source;
use crate::model::JointId;
use serde::{Deserialize, Serialize};

/// How the joint's speed limit affects an effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VelocityRule {
    /// The limit is not enforced.
    #[default]
    Ignore,
    /// Beyond the limit, effort that would drive the joint faster is zero (Gazebo's `SetForce`).
    CutPushing,
    /// Effort falls linearly from stall to zero at the limit: a DC motor without losses.
    TorqueSpeedLine,
}

/// Meaning of an actuator's command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Drive {
    /// The command is an effort: `gain · u` [N m or N].
    Effort {
        /// Effort per unit command.
        gain: f64,
    },
    /// The command is a position: `kp (u - q) - kd q'`.
    Position {
        /// [N m/rad or N/m]
        kp: f64,
        /// [N m s/rad or N s/m]
        kd: f64,
    },
    /// The command is a speed: `kd (u - q')`.
    Velocity {
        /// [N m s/rad or N s/m]
        kd: f64,
    },
    /// General affine law: `gain · u + bias[0] + bias[1] q + bias[2] q'` (MJCF `general`).
    Affine {
        /// Effort per unit command.
        gain: f64,
        /// Constant, position and speed terms.
        bias: [f64; 3],
    },
}

/// How the effort reaches the joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Transmission {
    /// One degree of freedom of a joint, through a gear ratio.
    Joint {
        /// Driven joint.
        joint: JointId,
        /// Index of the driven degree of freedom within the joint.
        dof: usize,
        /// Joint effort per unit of actuator effort. Joint positions and speeds are multiplied by it to give those of
        /// the actuator.
        gear: f64,
    },
    /// A weighted sum of joint positions (MJCF fixed tendon).
    Tendon {
        /// Joints and their coefficients.
        terms: Vec<(JointId, f64)>,
        /// As for [`Transmission::Joint`].
        gear: f64,
    },
}

/// A motor with its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actuator {
    /// Unique in the model.
    pub name: String,
    /// Meaning of the command.
    pub drive: Drive,
    /// How the effort reaches the joints.
    pub transmission: Transmission,
    /// Range of the command; infinite if unlimited.
    pub command_range: [f64; 2],
    /// Range of the effort after the drive; infinite if unlimited.
    pub effort_range: [f64; 2],
    /// Speed at which `velocity_rule` acts [rad/s or m/s].
    pub velocity_limit: f64,
    /// How the effort is limited at that speed.
    pub velocity_rule: VelocityRule,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}

impl Actuator {
    /// An effort actuator on a joint's first degree of freedom, without limits.
    pub fn effort(name: impl Into<String>, joint: JointId) -> Self {
        Self {
            name: name.into(),
            drive: Drive::Effort { gain: 1.0 },
            transmission: Transmission::Joint { joint, dof: 0, gear: 1.0 },
            command_range: [f64::NEG_INFINITY, f64::INFINITY],
            effort_range: [f64::NEG_INFINITY, f64::INFINITY],
            velocity_limit: f64::INFINITY,
            velocity_rule: VelocityRule::Ignore,
            source: None,
        }
    }

    /// Effort delivered: the drive law, clamped to the effort range, then the rule at the speed limit [N m or N]. This
    /// is the only definition of the law; `position` and `speed` are those of the transmission, gear included.
    pub fn effort_at(&self, command: f64, position: f64, speed: f64) -> f64 {
        let effort = self.wanted_effort(command, position, speed).max(self.effort_range[0]).min(self.effort_range[1]);
        match self.velocity_rule {
            VelocityRule::Ignore => effort,
            VelocityRule::CutPushing if speed.abs() > self.velocity_limit && effort * speed > 0.0 => 0.0,
            VelocityRule::CutPushing => effort,
            VelocityRule::TorqueSpeedLine => {
                let left = (1.0 - speed.abs() / self.velocity_limit).max(0.0);
                let ceiling = if effort * speed > 0.0 { left } else { 1.0 };
                effort.max(self.effort_range[0] * ceiling).min(self.effort_range[1] * ceiling)
            }
        }
    }

    /// Effort of the drive law before any limit on effort or speed [N m or N].
    pub fn wanted_effort(&self, command: f64, position: f64, speed: f64) -> f64 {
        let u = command.max(self.command_range[0]).min(self.command_range[1]);
        match self.drive {
            Drive::Effort { gain } => gain * u,
            Drive::Position { kp, kd } => kp * (u - position) - kd * speed,
            Drive::Velocity { kd } => kd * (u - speed),
            Drive::Affine { gain, bias } => gain * u + bias[0] + bias[1] * position + bias[2] * speed,
        }
    }

    /// Stiffness and damping of the drive while unsaturated: `-∂effort/∂position`, `-∂effort/∂speed`.
    pub fn gains(&self) -> (f64, f64) {
        match self.drive {
            Drive::Effort { .. } => (0.0, 0.0),
            Drive::Position { kp, kd } => (kp, kd),
            Drive::Velocity { kd } => (0.0, kd),
            Drive::Affine { bias, .. } => (-bias[1], -bias[2]),
        }
    }

    /// Whether the effort under a constant command changes with the state.
    pub fn depends_on_state(&self) -> bool {
        let ruled = self.velocity_rule != VelocityRule::Ignore && self.velocity_limit.is_finite();
        ruled || !matches!(self.drive, Drive::Effort { .. })
    }

    /// The transmission as (index in `q`, index in `v`, coefficient); `offsets` returns where a joint's positions and
    /// velocities start.
    pub fn terms(&self, offsets: impl Fn(JointId) -> (usize, usize)) -> Vec<(usize, usize, f64)> {
        match &self.transmission {
            Transmission::Joint { joint, dof, gear } => {
                let (q, v) = offsets(*joint);
                vec![(q + dof, v + dof, *gear)]
            }
            Transmission::Tendon { terms, gear } => {
                let term = |(joint, c): &(JointId, f64)| {
                    let (q, v) = offsets(*joint);
                    (q, v, c * gear)
                };
                terms.iter().map(term).collect()
            }
        }
    }
}
