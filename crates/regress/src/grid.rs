//! Grid search over settings by cross-validation.

use crate::models::{Fitted, ModelKind, mean_absolute_error};
use crate::rows::Rows;
use crate::split::Split;
use crate::svr::Settings;
use serde::Serialize;
use veracity_measure::statistics::{Interval, student_mean};

/// One point of the grid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridPoint {
    /// The settings.
    pub settings: Settings,
    /// Mean absolute error of held-out rows over the folds.
    pub error: Interval,
    /// The largest gap at the end of any fit.
    pub gap: f64,
}

/// Tries every combination and returns them best first; `progress(done, of)` is called for each.
pub fn grid(
    rows: &Rows,
    target: usize,
    split: &Split,
    combinations: &[Settings],
    progress: &mut dyn FnMut(usize, usize),
) -> Vec<GridPoint> {
    let folds = split.folds(rows);
    let truth = rows.target(target);
    let total = combinations.len() * folds.len();
    let mut done = 0;
    let mut out: Vec<GridPoint> = combinations
        .iter()
        .map(|settings| {
            let mut gap: f64 = 0.0;
            let errors: Vec<f64> = folds
                .iter()
                .map(|fold| {
                    progress(done, total);
                    done += 1;
                    let fitted = Fitted::new(rows, &fold.train, &ModelKind::Svr(*settings), &mut |_, _, _| ());
                    gap = gap.max(fitted.account(target).map_or(0.0, |a| a.gap));
                    let y: Vec<f64> = fold.test.iter().map(|k| truth[*k as usize]).collect();
                    mean_absolute_error(&fitted.predict(target, rows, &fold.test), &y)
                })
                .collect();
            GridPoint { settings: *settings, error: student_mean(&errors, 0.95), gap }
        })
        .collect();
    // Stable sort: on a tie the one given first is first.
    out.sort_by(|a, b| a.error.estimate.total_cmp(&b.error.estimate));
    out
}

/// All combinations of some values of γ, C and ε around given settings.
pub fn combinations(base: &Settings, gammas: &[f64], cs: &[f64], epsilons: &[f64]) -> Vec<Settings> {
    let mut out = Vec::new();
    for &gamma in gammas {
        for &c in cs {
            out.extend(epsilons.iter().map(|&epsilon| Settings { gamma, c, epsilon, ..*base }));
        }
    }
    out
}
