//! Inputs of a simulation: constant during a call.

use serde::{Deserialize, Serialize};

/// A force and a torque on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// Slot of the body in the layout.
    pub body: usize,
    /// On the centre of mass, world axes [N].
    pub force: [f64; 3],
    /// World axes [N m].
    pub torque: [f64; 3],
}

/// A spring and damper to a moving target, inside the engine:
/// `effort = clamp(kp (target - q) + kd (target_speed - v) + feed_forward, ±max_effort)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointDrive {
    /// Index in `v`; its position must be one entry of `q` (not the rotation of a ball or free joint).
    pub dof: usize,
    /// [N m/rad or N/m]
    pub kp: f64,
    /// [N m s/rad or N s/m]
    pub kd: f64,
    /// [rad or m]
    pub target: f64,
    /// [rad/s or m/s]
    pub target_speed: f64,
    /// [N m or N]
    pub feed_forward: f64,
    /// Bound of the whole effort [N m or N]; infinite for none.
    pub max_effort: f64,
}

impl JointDrive {
    /// Effort at a position and speed [N m or N].
    pub fn effort(&self, q: f64, v: f64) -> f64 {
        let wanted = self.kp * (self.target - q) + self.kd * (self.target_speed - v) + self.feed_forward;
        wanted.max(-self.max_effort).min(self.max_effort)
    }
}

/// Everything that acts from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    /// Efforts along each degree of freedom [N m or N], in the order of `v`.
    pub efforts: Vec<f64>,
    /// Wrenches on bodies.
    pub wrenches: Vec<Wrench>,
    /// Drives, at most one for each degree of freedom.
    pub drives: Vec<JointDrive>,
}

impl Inputs {
    /// Zero inputs for `dofs` degrees of freedom.
    pub fn none(dofs: usize) -> Self {
        Self { efforts: vec![0.0; dofs], wrenches: Vec::new(), drives: Vec::new() }
    }

    /// Resets all inputs to zero; keeps the allocated memory.
    pub fn clear(&mut self) {
        self.efforts.fill(0.0);
        self.wrenches.clear();
        self.drives.clear();
    }
}
