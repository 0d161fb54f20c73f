//! Change of a number since a baseline.
//!
//! A deterministic number changes only if the program or its input did. It counts as changed if it moved by more than
//! both its uncertainty and the rounding floor, and as a regression if it got worse by more than a stated factor, or
//! changed its verdict. Cost is not deterministic: a change must be statistically significant (Wilcoxon's signed ranks
//! over pairs of trials) and larger than a factor (bootstrap interval of the median ratio).

use crate::comparison::Better;
use crate::statistics::{Interval, bca, median, signed_rank};
use crate::verdict::Judgement;
use serde::{Deserialize, Serialize};
use veracity_engine::random::{Purpose, Stream};

/// How a number changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It improved.
    Better,
    /// It is the same within its uncertainty.
    Unchanged,
    /// Too little is known.
    CannotTell,
    /// It is worse, but by less than the factor that matters.
    Worse,
    /// It is worse by more than the factor, or the verdict got worse.
    Regression,
}

/// How a number changed, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Since {
    /// How it changed.
    pub change: Change,
    /// One sentence.
    pub reason: String,
}

/// Thresholds of a regression.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allowance {
    /// An error may grow by this factor.
    pub error_factor: f64,
    /// Changes below this, relative to the bound of the number, are rounding.
    pub rounding: f64,
    /// Cost may grow by this factor.
    pub cost_factor: f64,
    /// A cost counts as grown if this much growth would occur by chance less often than this.
    pub chance: f64,
}

impl Default for Allowance {
    /// A tenth for errors, a fifth for cost, a rounding floor of a billionth of the bound, one in a hundred by chance.
    fn default() -> Self {
        Self { error_factor: 1.1, rounding: 1e-9, cost_factor: 1.2, chance: 0.01 }
    }
}

/// Compares a check's judgement with that of the baseline.
pub fn since_baseline(before: &Judgement, after: &Judgement, allowance: &Allowance) -> Since {
    let since = |change, reason| Since { change, reason };
    if after.verdict > before.verdict {
        return since(
            Change::Regression,
            format!("was {} and is {}: {}", before.verdict, after.verdict, after.reason),
        );
    }
    let (Some(old), Some(new)) = (&before.measured, &after.measured) else {
        let reason = format!("{} before, {} now", before.reason, after.reason);
        let same = before.measured.is_none() && after.measured.is_none();
        return since(if same { Change::Unchanged } else { Change::CannotTell }, reason);
    };
    let numbers = format!("{:.6e} before, {:.6e} now", old.value, new.value);
    if !old.value.is_finite() || !new.value.is_finite() {
        // For a time that should be large, infinity is the best value.
        let good = |value: f64| value.is_finite() != (after.better == Better::Larger && !value.is_nan());
        let change = match (good(old.value), good(new.value)) {
            (true, false) => Change::Regression,
            (false, true) => Change::Better,
            _ => Change::Unchanged,
        };
        return since(change, numbers);
    }
    let known_to = (allowance.rounding * after.bound.abs()).max(old.uncertainty).max(new.uncertainty);
    let (worse_by, ratio) = match after.better {
        Better::Smaller => (new.value - old.value, new.value / old.value),
        Better::Larger => (old.value - new.value, old.value / new.value),
        Better::Between { least } => {
            let middle = 0.5 * (least + after.bound);
            let (was, is) = ((old.value - middle).abs(), (new.value - middle).abs());
            // Within the bounds all numbers are equally good.
            if is <= after.bound - middle { (0.0, 1.0) } else { (is - was, is / was) }
        }
    };
    let change = if worse_by.abs() <= known_to {
        Change::Unchanged
    } else if worse_by < 0.0 {
        // The caller reports a verdict that improved; the number improved too.
        Change::Better
    } else if ratio > allowance.error_factor || ratio <= 0.0 || ratio.is_nan() {
        Change::Regression
    } else {
        Change::Worse
    };
    let reason = match change {
        Change::Unchanged => format!("{numbers}: the same to {known_to:.1e}"),
        Change::Regression => format!("{numbers}: worse by more than a factor of {}", allowance.error_factor),
        _ => numbers,
    };
    since(change, reason)
}

/// How the cost of the same trials changed: (before, after) of each [s]. The interval is that of the median ratio.
pub fn cost_since_baseline(pairs: &[(f64, f64)], allowance: &Allowance) -> (Since, Option<Interval>) {
    let usable = pairs.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0 && a.is_finite() && b.is_finite());
    let logs: Vec<f64> = usable.map(|(a, b)| libm::log(b / a)).collect();
    // With n pairs the smallest possible probability is 2⁻ⁿ.
    let least = (-libm::log2(allowance.chance)).ceil() as usize;
    if logs.len() < least {
        let reason = format!("{} pairs of costs are too few to tell from noise; {least} are needed", logs.len());
        return (Since { change: Change::CannotTell, reason }, None);
    }
    let stream = Stream::new(0, 0, 0, Purpose::Statistics);
    let of_logs = bca(&logs, median, 0.95, crate::statistics::bootstrap::USUAL_RESAMPLES, &stream);
    let ratio = Interval {
        estimate: libm::exp(of_logs.estimate),
        low: libm::exp(of_logs.low),
        high: libm::exp(of_logs.high),
        confidence: of_logs.confidence,
    };
    let test = signed_rank(&logs);
    let grown = test.chance_of_increase < allowance.chance;
    let shrunk = test.chance_of_change < allowance.chance && !grown;
    let change = match (grown, shrunk) {
        (true, _) if ratio.low > allowance.cost_factor => Change::Regression,
        (true, _) if ratio.high < allowance.cost_factor => Change::Worse,
        (true, _) => Change::CannotTell,
        (false, true) => Change::Better,
        (false, false) => Change::Unchanged,
    };
    let reason = format!(
        "{:.2} times the cost (95 %: {:.2} to {:.2}) over {} trials; by chance alone this happens in {:.1e} of cases",
        ratio.estimate,
        ratio.low,
        ratio.high,
        logs.len(),
        if grown { test.chance_of_increase } else { test.chance_of_change },
    );
    (Since { change, reason }, Some(ratio))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Measured;
    use crate::verdict::{judge, judge_as};

    fn change(before: (f64, f64), after: (f64, f64)) -> Change {
        let judged = |(value, doubt)| judge(Ok(Measured::new(value, doubt)), 1.0, "m");
        since_baseline(&judged(before), &judged(after), &Allowance::default()).change
    }

    #[test]
    fn only_what_is_worse_by_more_than_it_is_known_to_and_the_factor_fails() {
        assert_eq!(change((1e-3, 0.0), (1e-3, 0.0)), Change::Unchanged);
        // The last bits of a number far below its bound.
        assert_eq!(change((1e-13, 0.0), (9e-13, 0.0)), Change::Unchanged);
        assert_eq!(change((1e-3, 0.0), (1.05e-3, 0.0)), Change::Worse);
        assert_eq!(change((1e-3, 0.0), (1.2e-3, 0.0)), Change::Regression);
        assert_eq!(change((1e-3, 0.0), (1.2e-3, 5e-4)), Change::Unchanged);
        assert_eq!(change((1e-3, 0.0), (0.5e-3, 0.0)), Change::Better);
        assert_eq!(change((0.0, 0.0), (1e-3, 0.0)), Change::Regression);
    }

    #[test]
    fn a_lost_verdict_or_number_fails_whatever_the_factor() {
        assert_eq!(change((0.99, 0.0), (1.01, 0.0)), Change::Regression);
        assert_eq!(change((0.99, 0.0), (0.99, 0.1)), Change::Regression);
        assert_eq!(change((5.0, 0.0), (f64::NAN, 0.0)), Change::Regression);
        assert_eq!(change((f64::INFINITY, 0.0), (f64::NAN, 0.0)), Change::Unchanged);
        assert_eq!(change((5.0, 0.0), (0.5, 0.0)), Change::Better);
    }

    #[test]
    fn an_order_that_falls_is_worse() {
        let order = |value| judge_as(Better::Larger, Ok(Measured::new(value, 0.0)), 1.5, "");
        let since = since_baseline(&order(4.0), &order(2.0), &Allowance::default());
        assert_eq!(since.change, Change::Regression);
        assert_eq!(since_baseline(&order(2.0), &order(4.0), &Allowance::default()).change, Change::Better);
    }

    #[test]
    fn cost_is_told_from_its_noise() {
        let stream = Stream::new(3, 0, 0, Purpose::Statistics);
        let pairs = |factor: f64, count: u64| -> Vec<(f64, f64)> {
            let noisy = |k, lane| libm::exp(0.05 * stream.normal(k, lane));
            (0..count).map(|k| (noisy(k, 0), factor * noisy(k, 1))).collect()
        };
        let change = |factor, count| cost_since_baseline(&pairs(factor, count), &Allowance::default()).0.change;
        assert_eq!(change(1.0, 40), Change::Unchanged);
        assert_eq!(change(1.5, 40), Change::Regression);
        assert_eq!(change(1.1, 40), Change::Worse);
        assert_eq!(change(0.8, 40), Change::Better);
        assert_eq!(change(3.0, 3), Change::CannotTell);
    }
}
