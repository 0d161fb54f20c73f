//! Rows that a caller adds to a step: what acts on joints in maximal coordinates.
//!
//! They constrain or push one body against another, and are solved together with contacts, limits and loops.

use veracity_dynamics::spatial::V3;
use veracity_lcp::Law;

/// One row between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extra {
    /// Slots of the bodies: the wrench acts on the first, its opposite on the second. `None` for the world.
    pub bodies: [Option<usize>; 2],
    /// Point where the wrench acts, in the world [m].
    pub point: V3,
    /// Torque and force of a unit impulse, world axes.
    pub wrench: (V3, V3),
    /// A law of one row.
    pub law: Law,
    /// [m/s per N s, rad/s per N m s]
    pub compliance: f64,
    /// Added to the row's velocity [m/s or rad/s].
    pub target: f64,
    /// Position error that stabilisation corrects [m or rad]; for a one-sided row its gap. `None` for a row without
    /// one.
    pub gap: Option<f64>,
}
