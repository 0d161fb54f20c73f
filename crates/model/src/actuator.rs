//! What moves a joint on command.

use crate::finding::Source;
use crate::model::JointId;
use serde::{Deserialize, Serialize};

/// What happens to an effort at the joint's speed limit.
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

/// What the command of an actuator means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Drive {
    /// The command is an effort: `gain · u` [N m or N].
    Effort {
        /// Effort for a command of one.
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
    /// Anything affine: `gain · u + bias[0] + bias[1] q + bias[2] q'` (MJCF `general`).
    Affine {
        /// Effort for a command of one.
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
        /// Which joint.
        joint: JointId,
        /// Which of its degrees of freedom.
        dof: usize,
        /// Effort at the joint for each unit of actuator effort; positions and speeds are multiplied by it on the
        /// way back.
        gear: f64,
    },
    /// A weighted sum of joint positions (MJCF fixed tendon).
    Tendon {
        /// Joint and coefficient.
        terms: Vec<(JointId, f64)>,
        /// As above.
        gear: f64,
    },
}

/// A motor with its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actuator {
    /// Unique in the model.
    pub name: String,
    /// What the command means.
    pub drive: Drive,
    /// Where the effort goes.
    pub transmission: Transmission,
    /// Range of the command; infinite for none.
    pub command_range: [f64; 2],
    /// Range of the effort after the drive; infinite for none.
    pub effort_range: [f64; 2],
    /// Speed at which `velocity_rule` acts [rad/s or m/s].
    pub velocity_limit: f64,
    /// What happens there.
    pub velocity_rule: VelocityRule,
    /// Where the file describes it.
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

    /// What it gives: the drive, then the range of effort, then the rule at the speed limit [N m or N]. This is the one
    /// definition of the law; `position` and `speed` are those of the transmission, gear included.
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

    /// What the drive asks for, before any limit on effort or speed [N m or N].
    pub fn wanted_effort(&self, command: f64, position: f64, speed: f64) -> f64 {
        let u = command.max(self.command_range[0]).min(self.command_range[1]);
        match self.drive {
            Drive::Effort { gain } => gain * u,
            Drive::Position { kp, kd } => kp * (u - position) - kd * speed,
            Drive::Velocity { kd } => kd * (u - speed),
            Drive::Affine { gain, bias } => gain * u + bias[0] + bias[1] * position + bias[2] * speed,
        }
    }

    /// Stiffness and damping of the drive while nothing saturates: `-∂effort/∂position`, `-∂effort/∂speed`.
    pub fn gains(&self) -> (f64, f64) {
        match self.drive {
            Drive::Effort { .. } => (0.0, 0.0),
            Drive::Position { kp, kd } => (kp, kd),
            Drive::Velocity { kd } => (0.0, kd),
            Drive::Affine { bias, .. } => (-bias[1], -bias[2]),
        }
    }

    /// Whether its effort under a held command changes with the state.
    pub fn depends_on_state(&self) -> bool {
        let ruled = self.velocity_rule != VelocityRule::Ignore && self.velocity_limit.is_finite();
        ruled || !matches!(self.drive, Drive::Effort { .. })
    }

    /// The transmission as (index in `q`, index in `v`, coefficient), for joints whose positions and velocities begin
    /// where `offsets` says.
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
