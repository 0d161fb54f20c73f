//! Options and outcome of a solve.

/// Stopping criteria and relaxation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Largest natural residual of a solution [m/s], see [`crate::residual`].
    pub tolerance: f64,
    /// Largest number of sweeps, pivots or Newton steps.
    pub iterations: u32,
    /// Over- or under-relaxation of the solvers that have it, in (0, 2).
    pub relaxation: f64,
    /// A start whose natural residual is within this [m/s] is returned unchanged, even where the tolerance is smaller: once a
    /// solve is needed, it continues to the tolerance.
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
    /// It no longer changes, or cycles; more iterations would not help.
    Stalled,
    /// An unbounded ray was found: the problem has no solution, or this method cannot reach one.
    Ray,
    /// The convex relaxation is solved to the tolerance, the law is not; the residual is the distance from the law.
    Relaxed,
    /// The answer was rejected, and the impulses are those of the default solver: see [`crate::checked`].
    FellBack,
    /// More rows than the method keeps a matrix for; nothing was done.
    TooLarge {
        /// Rows of that matrix.
        rows: usize,
    },
    /// A row with NaN or infinity in the input or during the solve. The returned impulses are zeros.
    NotFinite {
        /// The first such row.
        row: usize,
    },
    /// The solver does not support this law or cone; nothing was done.
    Unsupported {
        /// The first such block.
        block: usize,
    },
}

/// The result of a solve in addition to the impulses. Residuals are those of the returned impulses, infinite where the status is
/// [`Status::NotFinite`] or [`Status::Unsupported`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// How it ended.
    pub status: Status,
    /// Sweeps, pivots or Newton steps done.
    pub iterations: u32,
    /// Natural residual [m/s]: the largest of all rows.
    pub residual: f64,
    /// Largest `|λ · (w + De Saxcé's term)|` of a block [J].
    pub complementarity: f64,
}

impl SolveReport {
    /// Whether the tolerance was reached.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}
