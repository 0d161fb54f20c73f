//! What a solve is asked for and what it says of itself.

/// When to stop, and how to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Natural residual that is good enough [m/s], see [`crate::residual`].
    pub tolerance: f64,
    /// Sweeps, pivots or Newton steps at most.
    pub iterations: u32,
    /// Over- or under-relaxation of the solvers that have it, in (0, 2).
    pub relaxation: f64,
    /// A start whose natural residual is within this is returned as it is [m/s], though the tolerance may ask for more:
    /// where a solve is worth its while it may as well be a good one.
    pub good_start: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { tolerance: 1e-10, iterations: 1000, relaxation: 1.0, good_start: 0.0 }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The natural residual is within the tolerance.
    Converged,
    /// The iterations are used up.
    IterationLimit,
    /// It moves no more, or goes round in circles; more iterations would not help.
    Stalled,
    /// A direction was found along which nothing ends: the problem has no solution, or this method cannot reach one.
    Ray,
    /// The convex relaxation is solved to the tolerance, the law is not; the residual says how far it is off.
    Relaxed,
    /// The answer was rejected, and the impulses are those of the default solver: see [`crate::checked`].
    FellBack,
    /// More rows than the method keeps a matrix for; nothing was done.
    TooLarge {
        /// Rows of that matrix.
        rows: usize,
    },
    /// A row that is no number, or infinite, in the input or on the way. The impulses returned are zeros.
    NotFinite {
        /// The first such row.
        row: usize,
    },
    /// The solver does not take this law or cone; nothing was done.
    Unsupported {
        /// The first such block.
        block: usize,
    },
}

/// What a solve left beside the impulses. Both numbers are of the impulses it returned, infinite where the status is
/// [`Status::NotFinite`] or [`Status::Unsupported`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Sweeps, pivots or Newton steps done.
    pub iterations: u32,
    /// Natural residual [m/s]: the largest of all rows.
    pub residual: f64,
    /// Largest `|λ · (w + De Saxcé's term)|` of a block [J].
    pub complementarity: f64,
}

impl Outcome {
    /// Whether the tolerance was met.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}
