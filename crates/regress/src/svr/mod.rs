//! Epsilon support vector regression with the RBF kernel.

pub mod cache;
pub mod exponential;
pub mod kernel;
pub mod solver;
pub mod working_set;

pub use kernel::Points;
pub use solver::{Settings, Solution, SolverOutcome, solve};

/// The result of [`Svr::fit`]: points with weights.
#[derive(Clone, Debug)]
pub struct Svr {
    supports: Points,
    weights: Vec<f64>,
    gamma: f32,
    /// The value far from every training row, where a prediction carries no information.
    pub bias: f64,
    /// Statistics of the solver.
    pub account: SolverStats,
}

/// Statistics of the solver.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SolverStats {
    /// How it ended.
    pub ending: SolverOutcome,
    /// The gap at the end, in units of the target.
    pub gap: f64,
    /// Steps taken.
    pub steps: u64,
    /// The dual objective.
    pub objective: f64,
    /// Rows with a nonzero coefficient.
    pub supports: usize,
    /// Those at the bound C.
    pub at_bound: usize,
    /// Kernel rows found in the cache.
    pub rows_found: u64,
    /// Kernel rows computed.
    pub rows_made: u64,
    /// The fewest active rows after shrinking.
    pub fewest_active: usize,
}

impl Svr {
    /// Fits scaled rows to a target.
    pub fn fit(points: &Points, y: &[f64], settings: &Settings, progress: &mut dyn FnMut(u64, f64)) -> Self {
        let found = solve(points, y, settings, progress);
        let which: Vec<u32> = (0..points.len() as u32).filter(|t| found.coefficients[*t as usize] != 0.0).collect();
        let weights: Vec<f64> = which.iter().map(|t| found.coefficients[*t as usize]).collect();
        let account = SolverStats {
            ending: found.ending,
            gap: found.gap,
            steps: found.steps,
            objective: found.objective,
            supports: which.len(),
            at_bound: weights.iter().filter(|w| w.abs() >= settings.c).count(),
            rows_found: found.rows_found,
            rows_made: found.rows_made,
            fewest_active: found.fewest_active,
        };
        Self { supports: points.gather(&which), weights, gamma: settings.gamma as f32, bias: found.bias, account }
    }

    /// Predictions for rows scaled the same way.
    pub fn predict(&self, rows: &Points) -> Vec<f64> {
        let mut sums = self.supports.weighted_sums(self.gamma, &self.weights, rows);
        sums.iter_mut().for_each(|sum| *sum += self.bias);
        sums
    }
}
