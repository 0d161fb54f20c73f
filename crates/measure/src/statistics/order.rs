//! The order of convergence of errors at several steps.
//!
//! `e ≈ c hᵖ` holds between steps too coarse to resolve the motion and steps so fine that rounding, or the error of the
//! reference, is all that is left. That range is chosen as follows and reported:
//!
//! 1. errors not larger than twice their own uncertainty are at the floor and left out;
//! 2. of the rest, the longest run of neighbouring steps is used whose slopes from step to step all lie within a fifth
//!    (and at least 0.2) of their median; of runs of equal length the one with finer steps.
//!
//! The order is the slope of the least-squares line through `(log h, log e)` of that run.

use super::line::{Line, fit};
use super::summary::median;
use serde::{Deserialize, Serialize};

/// Half-width of the band in which the slopes of an asymptotic range lie, relative to their median.
const BAND: f64 = 0.2;

/// Smallest half-width: orders near zero have slopes that vary.
const LEAST_BAND: f64 = 0.2;

/// An order with the range in which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// `p` of `e ≈ c hᵖ`.
    pub order: f64,
    /// Half-width of its 95 % interval. For two steps, the effect of the errors' own uncertainties.
    pub uncertainty: f64,
    /// Finest step of the range.
    pub finest: f64,
    /// Coarsest step of the range.
    pub coarsest: f64,
    /// Number of steps in the range.
    pub steps: usize,
    /// Number of steps left out at the floor.
    pub at_the_floor: usize,
}

/// From (step, error, uncertainty of the error), in any order; `None` if fewer than two steps are above the floor or no
/// two neighbours show an error that falls with the step.
pub fn order_of_convergence(errors: &[(f64, f64, f64)]) -> Option<Order> {
    let mut known: Vec<(f64, f64, f64)> =
        errors.iter().copied().filter(|(h, e, _)| *h > 0.0 && e.is_finite() && *e > 0.0).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let before = errors.iter().filter(|(_, e, _)| e.is_finite()).count();
    known.retain(|(_, e, doubt)| *e > 2.0 * doubt);
    let at_the_floor = before - known.len();
    let logs: Vec<(f64, f64)> = known.iter().map(|(h, e, _)| (libm::log(*h), libm::log(*e))).collect();
    let slopes: Vec<f64> = logs.windows(2).map(|w| (w[1].1 - w[0].1) / (w[1].0 - w[0].0)).collect();
    let run = longest_run(&slopes)?;
    let (first, last) = (run.start, run.end);
    let chosen = &logs[first..=last];
    let line: Line = fit(chosen)?;
    let uncertainty = if chosen.len() > 2 {
        line.slope_reach(0.95)
    } else {
        let relative = |i: usize| known[i].2 / known[i].1;
        (relative(first) + relative(last)) / (chosen[1].0 - chosen[0].0)
    };
    Some(Order {
        order: line.slope,
        uncertainty,
        finest: known[first].0,
        coarsest: known[last].0,
        steps: chosen.len(),
        at_the_floor,
    })
}

/// The longest range of slopes that agree and rise; the earliest (finest) of equals.
fn longest_run(slopes: &[f64]) -> Option<std::ops::Range<usize>> {
    let agree = |run: &[f64]| {
        let middle = median(run);
        let band = (BAND * middle.abs()).max(LEAST_BAND);
        middle > 0.0 && run.iter().all(|s| (s - middle).abs() <= band)
    };
    (1..=slopes.len()).rev().find_map(|length| {
        (0..=slopes.len() - length).find(|&i| agree(&slopes[i..i + length])).map(|i| i..i + length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_between_too_coarse_and_the_floor_is_found() {
        // Second order with a fourth-order term, a floor of 1e-10, and two steps that resolve nothing.
        let steps: Vec<f64> = (0..20).map(|k| 0.5 * 0.5f64.powi(k)).collect();
        let error = |h: f64| if h > 0.2 { 1.0 } else { h * h + h.powi(4) + 1e-10 };
        let data: Vec<_> = steps.iter().map(|&h| (h, error(h), 1e-10)).collect();
        let found = order_of_convergence(&data).unwrap();
        assert!((found.order - 2.0).abs() < 0.05 && found.uncertainty < 0.05, "{found:?}");
        assert!(found.coarsest <= 0.2 && found.finest >= 1e-5, "{found:?}");
        assert!(found.at_the_floor >= 1);
    }

    #[test]
    fn errors_that_do_not_fall_have_no_order() {
        assert_eq!(order_of_convergence(&[(0.1, 1.0, 0.0), (0.05, 1.1, 0.0), (0.025, 1.2, 0.0)]), None);
        assert_eq!(order_of_convergence(&[(0.1, 1e-16, 1e-15), (0.05, 1e-16, 1e-15)]), None);
        assert_eq!(order_of_convergence(&[(0.1, f64::NAN, 0.0), (0.05, 0.1, 0.0)]), None);
    }

    #[test]
    fn two_steps_give_an_order_as_good_as_their_errors() {
        let found = order_of_convergence(&[(0.1, 1e-2, 1e-4), (0.05, 2.5e-3, 2.5e-5)]).unwrap();
        assert!((found.order - 2.0).abs() < 1e-12);
        // One percent each, over a factor of two: 0.02 / ln 2.
        assert!((found.uncertainty - 0.02 / 2.0f64.ln()).abs() < 1e-12);
    }
}
