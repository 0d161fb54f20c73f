//! Everything about time stepping that can be chosen. The default is the one frozen spec of this paradigm: every claim uses
//! it, and no scenario has its own.

use veracity_lcp::Cone;

/// Precision of the solve. Geometry and motion are always double.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Double.
    #[default]
    F64,
    /// Single, as in engines made for games.
    F32,
}

/// What is done about overlaps, and about limits and loops that have drifted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stabilisation {
    /// Nothing: what has drifted stays.
    None,
    /// A part of the error is asked for as velocity in each step; the velocity stays.
    Baumgarte {
        /// The part, 0 to 1.
        ratio: f64,
    },
    /// A second solve for displacements, when there is something to put right; no velocity changes.
    #[default]
    Projection,
}

/// Which points of a pair of shapes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Geometry {
    /// All that the shapes' features give.
    #[default]
    Manifold,
    /// The deepest of each pair.
    Deepest,
}

/// How surfaces give way along the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Regularisation {
    /// They do not: all surfaces are rigid, whatever stiffness they have.
    #[default]
    None,
    /// By the stiffness of the surfaces, taken implicitly; rigid where they have none.
    Surface,
    /// All points by one stiffness [N/m].
    Stiffness(f64),
}

/// The law of impact where surfaces bounce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Impact {
    /// Newton's: the speed of separation is that of approach times the coefficient.
    #[default]
    Newton,
    /// Poisson's: the impulse of restitution is that of compression times the coefficient.
    Poisson,
}

/// Along which velocity positions move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathRule {
    /// The mean over the step where contact allows it, and impacts that bounce are located inside the step: second order in flight,
    /// in bounces and in sliding on flat surfaces.
    #[default]
    Mean,
    /// The velocity at the end of the step, and impacts at its beginning: first order.
    End,
}

/// All switches of time stepping.
#[derive(Clone, Debug, PartialEq)]
pub struct SteppingSettings {
    /// A name of [`veracity_lcp::SOLVERS`].
    pub solver: String,
    /// Iterations of one solve at most.
    pub iterations: u32,
    /// Natural residual at which a solve ends [m/s], where nothing moves.
    pub tolerance: f64,
    /// What is added to it for each metre per second at which the fastest contact moves before the step.
    pub relative_tolerance: f64,
    /// Precision of the solve.
    pub precision: Precision,
    /// Shape of the friction cone.
    pub cone: Cone,
    /// Turns the tangents, and with them the corners of a pyramid, about the normal [rad].
    pub cone_direction: f64,
    /// What is done about overlap and drift.
    pub stabilisation: Stabilisation,
    /// Sticking contacts remember where they began to stick and are led back there.
    pub anchor: bool,
    /// Solves start from the impulses of the last step.
    pub warm_start: bool,
    /// Which points count.
    pub geometry: Geometry,
    /// How surfaces give way.
    pub regularisation: Regularisation,
    /// The law of impact.
    pub impact: Impact,
    /// Along which velocity positions move.
    pub path: PathRule,
    /// Slower approaches than this do not bounce [m/s].
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
            // A fall at 1 m/s is off by a ten-millionth of a metre in ten steps; the next steps take it back.
            relative_tolerance: 1e-5,
            precision: Precision::F64,
            cone: Cone::Exact,
            cone_direction: 0.0,
            stabilisation: Stabilisation::Projection,
            anchor: true,
            warm_start: true,
            geometry: Geometry::Manifold,
            regularisation: Regularisation::None,
            impact: Impact::Newton,
            path: PathRule::Mean,
            // What gravity adds in one step of a millisecond: below it a bounce and a rest cannot be told apart.
            bounce_speed: 0.01,
            sleeping: false,
        }
    }
}

/// The default solver.
pub const DEFAULT_SOLVER: &str = "hybrid";
