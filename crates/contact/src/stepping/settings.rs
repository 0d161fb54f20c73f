//! Settings of time stepping. The default is the one frozen spec of this paradigm: every claim uses it, and no scenario
//! has its own.

use veracity_lcp::Cone;

/// Precision of the solve. Geometry and motion are always double.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Double.
    #[default]
    F64,
    /// Single, as in game engines.
    F32,
}

/// How overlaps, and drift of limits and loops, are corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stabilisation {
    /// Not at all: drift stays.
    None,
    /// A fraction of the error is added to the target velocity in each step; the velocity remains.
    Baumgarte {
        /// The fraction, 0 to 1.
        ratio: f64,
    },
    /// A second solve for displacements, if there is an error to correct; velocities do not change.
    #[default]
    Projection,
}

/// Which contact points of a pair of shapes are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Geometry {
    /// All points from the shapes' features.
    #[default]
    Manifold,
    /// The deepest point of each pair.
    Deepest,
}

/// Compliance of surfaces along the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Regularisation {
    /// None: all surfaces are rigid, whatever stiffness they have.
    #[default]
    None,
    /// The stiffness of the surfaces, implicit; rigid where they have none.
    Surface,
    /// One stiffness for all points [N/m].
    Stiffness(f64),
}

/// Where the friction of a patch acts: several contact points of one pair of shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pressure {
    /// At the points, which are corners or points of a rim: the longest lever there is against turning on the spot.
    #[default]
    Points,
    /// With the lever of uniform pressure over the patch. Normal forces stay at the points.
    Uniform,
}

/// The impact law where surfaces bounce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Impact {
    /// Newton's: the separation speed is the approach speed times the coefficient.
    #[default]
    Newton,
    /// Poisson's: the restitution impulse is the compression impulse times the coefficient.
    Poisson,
}

/// The velocity along which positions move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathRule {
    /// The mean over the step where contact allows it; impacts that bounce are located inside the step. Second order in
    /// flight, in bounces and in sliding on flat surfaces.
    #[default]
    Mean,
    /// The velocity at the end of the step, with impacts at its beginning: first order.
    End,
}

/// All settings of time stepping.
#[derive(Clone, Debug, PartialEq)]
pub struct SteppingSettings {
    /// A name of [`veracity_lcp::SOLVERS`].
    pub solver: String,
    /// Maximum iterations of one solve.
    pub iterations: u32,
    /// Natural residual at which a solve ends [m/s] when nothing moves.
    pub tolerance: f64,
    /// Added to it for each metre per second at which the fastest contact moves before the step.
    pub relative_tolerance: f64,
    /// Precision of the solve.
    pub precision: Precision,
    /// Shape of the friction cone.
    pub cone: Cone,
    /// Rotates the tangents, and with them the corners of a pyramid, about the normal [rad].
    pub cone_direction: f64,
    /// How overlap and drift are corrected.
    pub stabilisation: Stabilisation,
    /// Sticking contacts remember where they began to stick and are moved back there.
    pub anchor: bool,
    /// Solves start from the impulses of the last step.
    pub warm_start: bool,
    /// Which points are used.
    pub geometry: Geometry,
    /// Where the friction of a patch acts.
    pub pressure: Pressure,
    /// Points of a patch whose gaps differ by less than this close together, where one of the bodies is near a third
    /// [m].
    pub flush_gap: f64,
    /// Compliance of surfaces.
    pub regularisation: Regularisation,
    /// The impact law.
    pub impact: Impact,
    /// The velocity along which positions move.
    pub path: PathRule,
    /// Approaches slower than this do not bounce [m/s].
    pub bounce_speed: f64,
    /// Sleeping bodies. Not supported: `on` is rejected.
    pub sleeping: bool,
}

impl Default for SteppingSettings {
    fn default() -> Self {
        Self {
            solver: DEFAULT_SOLVER.into(),
            iterations: 1000,
            // A hundred seconds at this residual are a drift of 1e-8 m at most, a tenth of the strictest bound on a
            // held block; below 1e-13 rounding of velocities of order one takes over.
            tolerance: 1e-10,
            // A fall at 1 m/s is off by a ten-millionth of a metre in ten steps; the next steps correct it.
            relative_tolerance: 1e-5,
            precision: Precision::F64,
            cone: Cone::Exact,
            cone_direction: 0.0,
            stabilisation: Stabilisation::Projection,
            anchor: true,
            warm_start: true,
            geometry: Geometry::Manifold,
            pressure: Pressure::Points,
            // Less than the accuracy to which a body's shape is known, more than the differences of the gaps of faces
            // that close on a block, 0.1 um.
            flush_gap: 5e-7,
            regularisation: Regularisation::None,
            impact: Impact::Newton,
            path: PathRule::Mean,
            // What gravity adds in one step of a millisecond: below it a bounce and rest cannot be distinguished.
            bounce_speed: 0.01,
            sleeping: false,
        }
    }
}

/// The default solver.
pub const DEFAULT_SOLVER: &str = "hybrid";
