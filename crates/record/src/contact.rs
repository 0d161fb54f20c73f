//! Contacts at recorded instants.

use serde::{Deserialize, Serialize};

/// One point where two bodies touched in the step that ended at a recorded instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactSample {
    /// [s]
    pub time: f64,
    /// Slot of the first body in the layout; `None` is the ground.
    pub body_a: Option<u32>,
    /// Slot of the second body; `None` is the ground.
    pub body_b: Option<u32>,
    /// Position in the world [m].
    pub point: [f64; 3],
    /// Unit normal from the second body to the first.
    pub normal: [f64; 3],
    /// Negative when they overlap [m].
    pub gap: f64,
    /// Impulse on the first body over the step, world axes [N s].
    pub impulse: [f64; 3],
}
