//! What happened, and when.

/// What is unilateral: one point of a pair of shapes, or one end of a joint's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// A feature of a pair of the contact scene.
    Point {
        /// The pair's number in the scene.
        pair: u32,
        /// The feature's number in the pair.
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

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// Two bodies met and velocities jumped.
    Impact,
    /// Friction alone made velocities jump: no acceleration solves the problem (Painlevé).
    Jam,
    /// A sequence of bounces came to its end.
    Rest,
    /// Met without a jump.
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
    /// When [s]. Of [`EventKind::Rest`] the time of accumulation, which may lie after the step.
    pub time: f64,
    /// Width of the last bracket around it [s].
    pub uncertainty_s: f64,
    /// What.
    pub kind: EventKind,
    /// Where.
    pub site: Site,
    /// Slots of the two bodies in the layout; of a limit the joint's body, twice.
    pub bodies: [u32; 2],
    /// Velocity along the normal before [m/s or rad/s]; negative when closing.
    pub approach: f64,
    /// Tangential speed before [m/s].
    pub sliding: f64,
    /// Normal impulse [N s].
    pub normal_impulse: f64,
    /// Tangential impulse [N s].
    pub tangential_impulse: f64,
    /// [m or rad]
    pub gap: f64,
}
