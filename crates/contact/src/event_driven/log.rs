//! Events, with their instants.

/// Location of a unilateral constraint: one point of a pair of shapes, or one end of a joint's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// A feature of a pair of the contact scene.
    Point {
        /// Index of the pair in the scene.
        pair: u32,
        /// Number of the feature in the pair.
        feature: u64,
    },
    /// The end of a degree of freedom's range.
    Limit {
        /// Index in `v`.
        dof: u32,
        /// The upper end, not the lower.
        upper: bool,
    },
}

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// Two bodies collided and velocities jumped.
    Impact,
    /// Friction alone made velocities jump: no acceleration solves the problem (Painlevé).
    Jam,
    /// A sequence of bounces ended.
    Rest,
    /// Contact began without a velocity jump.
    Touch,
    /// A lasting contact opened.
    Liftoff,
    /// A sticking contact began to slide.
    Slip,
    /// A sliding contact began to stick.
    Stick,
    /// A condition of a contact pair changed.
    Switch,
}

/// An event at a located instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// Time [s]. For [`EventKind::Rest`] the accumulation time, which may lie after the step.
    pub time: f64,
    /// Width of the last bracket around it [s].
    pub uncertainty_s: f64,
    /// Kind.
    pub kind: EventKind,
    /// Location.
    pub site: Site,
    /// Slots of the two bodies in the layout; for a limit the joint's body, twice.
    pub bodies: [u32; 2],
    /// Velocity along the normal before the event [m/s or rad/s]; negative when closing.
    pub approach: f64,
    /// Tangential speed before the event [m/s].
    pub sliding: f64,
    /// Normal impulse [N s].
    pub normal_impulse: f64,
    /// Tangential impulse [N s].
    pub tangential_impulse: f64,
    /// Gap [m or rad].
    pub gap: f64,
}
