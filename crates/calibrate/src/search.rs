//! The search for the best parameters: a global start, then Levenberg-Marquardt or CMA-ES from the crate `basin`.
//!
//! The search runs in coordinates between 0 and 1 ([`crate::transform`]). Derivatives are central differences, all points
//! of a Jacobian evaluated at once. A point whose trial fails counts as residuals of [`FAILED`] each. The number of
//! evaluations is bounded by the budget; the best point seen is the result, whichever way the search ended.

use crate::CalibrateError;
use crate::file::{Method, SearchTable};
use crate::sobol;
use basin::{
    BoundedCmaEs, BoundedLevenbergMarquardt, BoxBounds, ConstraintSet, Constraints, CostFunction, DenseMatrix,
    Executor, Jacobian, PointState, PopulationProgress, Residual,
};
use std::cell::RefCell;
use std::ops::Range;

/// What is minimised: a sum of squares at points between 0 and 1.
pub trait Objective {
    /// How many coordinates a point has.
    fn dimension(&self) -> usize;
    /// All points at once, so that they can be run in parallel.
    fn evaluate(&self, points: &[Vec<f64>]) -> Result<Vec<Evaluated>, CalibrateError>;
}

/// One point of an [`Objective`].
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// Residuals, priors last.
    pub residuals: Vec<f64>,
    /// Residuals of each recording.
    pub groups: Vec<Range<usize>>,
    /// Why a part of it has no value.
    pub failure: Option<String>,
}

/// Residual, in standard deviations, of every number of a trial that failed.
pub const FAILED: f64 = 1e4;

/// A point that was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Between 0 and 1.
    pub u: Vec<f64>,
    /// Sum of squared residuals, priors included.
    pub chi2: f64,
    /// Sum of squared residuals of each recording.
    pub groups: Vec<f64>,
}

/// The course of the search.
pub struct PointSearch<'p> {
    objective: &'p dyn Objective,
    options: &'p SearchTable,
    start: Vec<f64>,
    groups: RefCell<Vec<Range<usize>>>,
    seen: RefCell<Vec<Seen>>,
    failure: RefCell<Option<String>>,
    trouble: RefCell<Option<CalibrateError>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// The budget is used up, or nothing more can be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

impl<'p> PointSearch<'p> {
    /// Nothing evaluated yet. `start` is the first point tried.
    pub fn new(objective: &'p dyn Objective, options: &'p SearchTable, start: Vec<f64>) -> Self {
        let n = objective.dimension();
        let (seen, failure, trouble) = (RefCell::default(), RefCell::default(), RefCell::default());
        let (lower, upper) = (vec![0.0; n], vec![1.0; n]);
        Self { objective, options, start, groups: RefCell::default(), seen, failure, trouble, lower, upper }
    }

    /// Residuals of each recording.
    pub fn groups(&self) -> Vec<Range<usize>> {
        self.groups.borrow().clone()
    }

    /// How many points were evaluated.
    pub fn evaluations(&self) -> usize {
        self.seen.borrow().len()
    }

    /// Why a trial failed, of the first that did.
    pub fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }

    /// The best points, best first.
    pub fn best(&self) -> Vec<Seen> {
        let mut all = self.seen.borrow().clone();
        all.sort_by(|a, b| a.chi2.total_cmp(&b.chi2));
        all
    }

    /// Runs the whole search; returns whether it ended by itself (`false`: by the budget), and the ends of its branches.
    pub fn run(&self) -> Result<(bool, Vec<Seen>), CalibrateError> {
        let n = self.objective.dimension();
        let mut points = vec![self.start.clone()];
        // Inside the box: derivatives and steps need room on both sides.
        let inside = |p: Vec<f64>| p.into_iter().map(|u| 0.01 + 0.98 * u).collect();
        points.extend(sobol::points(n, self.options.starts).into_iter().map(inside));
        let done = self.vectors(&points).is_ok();
        self.raise()?;
        let begin: Vec<Seen> = self.best().into_iter().take(self.options.refine.max(1)).collect();
        let mut ends = Vec::new();
        let mut converged = done;
        for seen in begin.iter().filter(|_| done) {
            let before = self.evaluations();
            let ended = match self.options.method {
                Method::LeastSquares => self.least_squares(&seen.u),
                Method::CmaEs => self.cma_es(&seen.u),
            };
            self.raise()?;
            converged &= ended;
            // A branch that evaluated nothing (the budget was used up) ends where it began.
            let branch = self.seen.borrow()[before..].to_vec();
            ends.push(
                branch
                    .into_iter()
                    .chain([seen.clone()])
                    .min_by(|a, b| a.chi2.total_cmp(&b.chi2))
                    .unwrap_or_else(|| seen.clone()),
            );
        }
        ends.sort_by(|a, b| a.chi2.total_cmp(&b.chi2));
        Ok((converged, ends))
    }

    fn least_squares(&self, from: &[f64]) -> bool {
        let solver = BoundedLevenbergMarquardt::<Vec<f64>, DenseMatrix<f64>>::new()
            .with_relative_cost_change_tolerance(1e-6)
            .with_relative_step_tolerance(1e-6);
        Executor::new(self, solver, PointState::new(from.to_vec())).max_iter(100).run().is_ok()
    }

    fn cma_es(&self, from: &[f64]) -> bool {
        let solver = BoundedCmaEs::<Vec<f64>, DenseMatrix<f64>>::new(self.options.seed, 0.2)
            .with_absolute_distribution_size_tolerance(1e-4);
        let start = PopulationProgress::<Vec<f64>>::from_point(from.to_vec());
        Executor::new(self, solver, start).max_iter(100_000).run().is_ok()
    }

    fn raise(&self) -> Result<(), CalibrateError> {
        self.trouble.borrow_mut().take().map_or(Ok(()), Err)
    }

    /// Residuals of points with those of the priors at the end, within the budget.
    fn vectors(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Ended> {
        if self.evaluations() + points.len() > self.options.budget {
            return Err(Ended);
        }
        self.beyond_budget(points).map_err(|error| {
            self.trouble.borrow_mut().get_or_insert(error);
            Ended
        })
    }

    /// The same whatever the budget: for the uncertainty of the result.
    pub fn beyond_budget(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, CalibrateError> {
        let found = self.objective.evaluate(points)?;
        let mut out = Vec::new();
        for (u, one) in points.iter().zip(found) {
            let square = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>();
            let groups = one.groups.iter().map(|range| square(&one.residuals[range.clone()])).collect();
            self.seen.borrow_mut().push(Seen { u: u.clone(), chi2: square(&one.residuals), groups });
            if let Some(why) = one.failure {
                self.failure.borrow_mut().get_or_insert(why);
            }
            *self.groups.borrow_mut() = one.groups;
            out.push(one.residuals);
        }
        Ok(out)
    }

    /// Central differences around a point, one-sided at a bound: the Jacobian by columns.
    pub fn columns(&self, u: &[f64], bounded: bool) -> Result<Vec<Vec<f64>>, Ended> {
        let h = self.options.difference;
        let mut points = Vec::new();
        for i in 0..u.len() {
            for side in [-1.0, 1.0] {
                let mut point = u.to_vec();
                point[i] = (point[i] + side * h).clamp(0.0, 1.0);
                points.push(point);
            }
        }
        let values = if bounded {
            self.vectors(&points)?
        } else {
            self.beyond_budget(&points).map_err(|error| {
                self.trouble.borrow_mut().get_or_insert(error);
                Ended
            })?
        };
        let column = |i: usize| {
            let span = points[2 * i + 1][i] - points[2 * i][i];
            values[2 * i].iter().zip(&values[2 * i + 1]).map(|(a, b)| (b - a) / span).collect()
        };
        Ok((0..u.len()).map(column).collect())
    }
}

impl Constraints for &PointSearch<'_> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;
    fn constraints(&self) -> <Self::Set as basin::ConstraintDescription>::Borrowed<'_> {
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&self.lower), Some(&self.upper)))
    }
}

impl CostFunction for &PointSearch<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Ended;
    fn cost(&self, u: &Vec<f64>) -> Result<f64, Ended> {
        let r = self.vectors(std::slice::from_ref(u))?;
        Ok(0.5 * r[0].iter().map(|r| r * r).sum::<f64>())
    }
}

impl Residual for &PointSearch<'_> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Error = Ended;
    fn residual(&self, u: &Vec<f64>) -> Result<Vec<f64>, Ended> {
        self.vectors(std::slice::from_ref(u)).map(|mut r| r.remove(0))
    }
}

impl Jacobian for &PointSearch<'_> {
    type Jacobian = DenseMatrix<f64>;
    fn jacobian(&self, u: &Vec<f64>) -> Result<DenseMatrix<f64>, Ended> {
        let columns = self.columns(u, true)?;
        let (rows, n) = (columns[0].len(), columns.len());
        let flat: Vec<f64> = (0..rows).flat_map(|row| columns.iter().map(move |c| c[row])).collect();
        Ok(DenseMatrix::from_row_slice(rows, n, &flat))
    }
}
