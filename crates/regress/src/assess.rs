//! From training runs and a recording to a verdict.
//!
//! 1. **Held-out error**: runs held out in turn (or blocks of time, where each value has one run), predictions of the
//!    held-out rows, the mean absolute error with its interval over the pieces.
//! 2. **Chance**: the same with the values permuted among the runs; how often a permutation does as well.
//! 3. **Calibration**: the mean prediction over a held-out piece against its true value is a line with scatter,
//!
//!    ```text
//!    (1)  y = a + b p̄ + noise,      s² = Σ residual² / (n - 2)
//!    (2)  ŷ ± t_{n-2} s √(1 + 1/n + (p̄ - mean p̄)² / Σ (p̄ᵢ - mean p̄)²)
//!    ```
//!
//!    and (2) at the recording's mean prediction is the estimate for reality: an interval for one more piece of the same
//!    kind as the training pieces. Its width is the accuracy of the method on motions it has not seen.
//! 4. **Reach and explanation**: rows out of reach are left out and reported; a recording that no training value
//!    explains has no estimate.

use crate::data::Rows;
use crate::error::Error;
use crate::explain::{Explainer, Explanation, Piece};
use crate::models::{Fitted, ModelKind};
use crate::split::{Fold, Split, shuffle};
use crate::support::{LEAST_SUPPORT, MOST_OUT_OF_REACH, Support, support};
use serde::Serialize;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::Verdict;
use veracity_measure::statistics::special::student_quantile;
use veracity_measure::statistics::{Interval, mean, student_mean};

/// Options of an assessment.
#[derive(Clone, Debug, PartialEq)]
pub struct AssessOptions {
    /// The map.
    pub model: ModelKind,
    /// γ for the support if the map has none of its own.
    pub gamma: f64,
    /// Number of blocks of time, where a value has only one run.
    pub blocks: usize,
    /// Rows left out on each side of a block.
    pub gap: usize,
    /// Number of permutations of the values.
    pub permutations: u32,
    /// Rows used for each of these fits: full fits would take a day.
    pub permutation_rows: usize,
    /// Confidence of intervals.
    pub confidence: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The value reality is expected to have, if known.
    pub expected: Option<f64>,
}

/// One held-out piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Its run.
    pub run: String,
    /// Its value.
    pub truth: f64,
    /// The mean prediction.
    pub predicted: f64,
    /// The mean absolute error of its rows.
    pub error: f64,
    /// How many rows.
    pub rows: usize,
}

/// Result for one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assessment {
    /// How pieces were held out.
    pub split: String,
    /// Held-out pieces.
    pub points: Vec<Point>,
    /// Mean absolute error of held-out rows, over pieces.
    pub error: Interval,
    /// Error of always predicting the mean value.
    pub constant_error: f64,
    /// Correlation of mean predictions with the truth.
    pub correlation: f64,
    /// The probability of doing as well by chance; absent if it was not requested.
    pub chance: Option<f64>,
    /// Residual scatter of the calibration (1).
    pub scatter: f64,
    /// Support of the recording.
    pub support: Support,
    /// Share of held-out training rows that are out of reach, for comparison.
    pub own_out_of_reach: f64,
    /// Whether some training value explains it.
    pub explanation: Explanation,
    /// Truth and prediction of held-out rows, for drawing.
    #[serde(skip)]
    pub held_rows: Vec<(f64, f64)>,
    /// Predictions of all recorded rows, whether or not they are within reach.
    #[serde(skip)]
    pub answers: Vec<f64>,
    /// Predictions of recorded rows; NaN for those out of reach.
    #[serde(skip)]
    pub predictions: Vec<f64>,
    /// Mean prediction over each recorded run.
    pub recorded: Vec<Point>,
    /// (2), whether or not it can be trusted.
    pub estimate: Interval,
    /// The verdict.
    #[serde(serialize_with = "as_text")]
    pub verdict: Verdict,
    /// The reasons, in sentences.
    pub reasons: Vec<String>,
}

/// Serialises a verdict as its text.
fn as_text<S: serde::Serializer>(verdict: &Verdict, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(verdict)
}

/// Above this probability, chance is not excluded.
const MOST_CHANCE: f64 = 0.05;

/// The result of training alone: trained once, evaluated for many recordings.
pub struct Learned<'a> {
    training: &'a Rows,
    target: usize,
    options: AssessOptions,
    split: Split,
    values: Vec<f64>,
    points: Vec<Point>,
    held_rows: Vec<(f64, f64)>,
    explainer: Explainer,
    own_out_of_reach: f64,
    chance: Option<f64>,
    fitted: Fitted,
}

/// Trains, and assesses one recording.
pub fn assess(
    training: &Rows,
    target: usize,
    recorded: &Rows,
    options: &AssessOptions,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Assessment, Error> {
    Learned::new(training, target, options, progress)?.ask(recorded)
}

impl<'a> Learned<'a> {
    /// Steps 1 and 2, and the map of all training rows.
    pub fn new(
        training: &'a Rows,
        target: usize,
        options: &AssessOptions,
        progress: &mut dyn FnMut(&str, usize, usize),
    ) -> Result<Self, Error> {
        let (values, value_of_run) = values(training, target);
        if values.len() < 3 {
            let text =
                format!("{} values of the target are too few to learn from: at least 3 are needed", values.len());
            return Err(Error::Unfit(text));
        }
        if let Some(empty) = training.runs.iter().find(|run| run.rows.is_empty()) {
            return Err(Error::Unfit(format!(
                "{}: no rows are left in this run; see the notes on rows left out",
                empty.name
            )));
        }
        let several = (0..values.len()).all(|v| value_of_run.iter().filter(|w| **w == v).count() > 1);
        let split = if several { Split::Rounds } else { Split::Blocks { blocks: options.blocks, gap: options.gap } };
        let folds = split.folds(training);
        let run_of = training.run_of_row();
        let (mut points, mut own_support, mut held) = (Vec::new(), Vec::new(), Vec::new());
        let mut held_rows = Vec::new();
        for (number, fold) in folds.iter().enumerate() {
            progress("held out", number, folds.len());
            let fitted = Fitted::new(training, &fold.train, &options.model, &mut |_, _, _| ());
            let found = fitted.predict(target, training, &fold.test);
            let few: Vec<u32> = fold.test.iter().copied().step_by(5).collect();
            own_support.extend(support(&fitted, gamma(options), (training, &fold.train), training, &few).of_row);
            for run in 0..training.runs.len() {
                let rows: Vec<usize> =
                    (0..fold.test.len()).filter(|t| run_of[fold.test[*t] as usize] as usize == run).collect();
                if rows.is_empty() {
                    continue;
                }
                let predicted: Vec<f64> = rows.iter().map(|t| found[*t]).collect();
                let value = training.runs[run].targets[target];
                held_rows.extend(predicted.iter().map(|p| (value, *p)));
                points.push(Point {
                    run: training.runs[run].name.clone(),
                    truth: value,
                    predicted: mean(&predicted),
                    error: predicted.iter().map(|p| (p - value).abs()).sum::<f64>() / predicted.len() as f64,
                    rows: rows.len(),
                });
                let rows = rows.iter().map(|t| fold.test[*t]).collect();
                held.push(Piece { fold: number, value: value_of_run[run], rows });
            }
        }
        let out = own_support.iter().filter(|s| **s < LEAST_SUPPORT).count();
        let own_out_of_reach = out as f64 / own_support.len().max(1) as f64;
        let chance = (options.permutations > 0).then(|| chance(training, target, &folds, options, progress));
        progress("all rows", 0, 1);
        let everything: Vec<u32> = (0..training.len() as u32).collect();
        let fitted = Fitted::new(training, &everything, &options.model, &mut |_, _, _| ());
        let by_value = |fold: &Fold| {
            let mut by = vec![Vec::new(); values.len()];
            fold.train.iter().for_each(|k| by[value_of_run[run_of[*k as usize] as usize]].push(*k));
            by
        };
        let left: Vec<Vec<Vec<u32>>> = folds.iter().map(by_value).collect();
        let explainer = Explainer::new(training, &fitted.scaling, held, &left);
        Ok(Self {
            training,
            target,
            options: options.clone(),
            split,
            values,
            points,
            held_rows,
            explainer,
            own_out_of_reach,
            chance,
            fitted,
        })
    }

    /// Steps 3 and 4, and the verdict.
    pub fn ask(&self, recorded: &Rows) -> Result<Assessment, Error> {
        let (training, target, options) = (self.training, self.target, &self.options);
        if training.names != recorded.names {
            let text = "training and recorded rows have different columns; compute both with the same features";
            return Err(Error::Unfit(text.to_owned()));
        }
        if recorded.is_empty() {
            let text = "no rows are left in the recording; see the notes on rows left out";
            return Err(Error::Unfit(text.to_owned()));
        }
        let everything: Vec<u32> = (0..training.len() as u32).collect();
        let all: Vec<u32> = (0..recorded.len() as u32).collect();
        // Only rows within reach are used.
        let support = support(&self.fitted, gamma(options), (training, &everything), recorded, &all);
        let answers = self.fitted.predict(target, recorded, &all);
        let mut predictions = answers.clone();
        let far = predictions.iter_mut().zip(&support.of_row).filter(|(_, s)| **s < LEAST_SUPPORT);
        far.for_each(|(p, _)| *p = f64::NAN);

        let explanation = self.explainer.ask(training, &self.fitted.scaling, recorded);

        let within = |rows: std::ops::Range<usize>| {
            predictions[rows].iter().copied().filter(|p| !p.is_nan()).collect::<Vec<f64>>()
        };
        let mean_or_nan = |x: &[f64]| if x.is_empty() { f64::NAN } else { mean(x) };
        let recorded_points: Vec<Point> = recorded
            .runs
            .iter()
            .map(|run| {
                let found = within(run.rows.clone());
                let truth = run.targets.get(target).copied().unwrap_or(f64::NAN);
                let predicted = mean_or_nan(&found);
                Point { run: run.name.clone(), truth, predicted, error: f64::NAN, rows: found.len() }
            })
            .collect();
        let at = mean_or_nan(&within(0..recorded.len()));
        let (estimate, scatter) = calibrate(&self.points, at, options.confidence);
        let truth = training.target(target);
        let centre = mean(&truth);
        let pairs: Vec<(f64, f64)> = self.points.iter().map(|p| (p.predicted, p.truth)).collect();
        let errors: Vec<f64> = self.points.iter().map(|p| p.error).collect();
        let mut out = Assessment {
            split: self.split.kind().name.to_owned(),
            error: student_mean(&errors, options.confidence),
            points: self.points.clone(),
            constant_error: truth.iter().map(|y| (y - centre).abs()).sum::<f64>() / truth.len() as f64,
            correlation: correlation(&pairs),
            chance: self.chance,
            scatter,
            support,
            own_out_of_reach: self.own_out_of_reach,
            explanation,
            held_rows: self.held_rows.clone(),
            answers,
            predictions,
            recorded: recorded_points,
            estimate,
            verdict: Verdict::CannotTell,
            reasons: Vec::new(),
        };
        judge(&mut out, &self.values, options);
        Ok(out)
    }
}

/// Every reason for "cannot tell"; if there is none, the interval against the expected value.
fn judge(a: &mut Assessment, values: &[f64], options: &AssessOptions) {
    let mut against = Vec::new();
    if a.support.out_of_reach > MOST_OUT_OF_REACH {
        against.push(format!(
            "{:.1} % of the recorded rows are out of reach of the training rows (largest kernel value below {LEAST_SUPPORT:.3}; \
             {:.1} % of held-out training rows are; {:.0} % are allowed)",
            100.0 * a.support.out_of_reach, 100.0 * a.own_out_of_reach, 100.0 * MOST_OUT_OF_REACH
        ));
    }
    if a.explanation.recorded.is_nan() {
        against.push(format!("{} recorded rows are too few to be compared with training", a.predictions.len()));
    } else if a.explanation.cannot_tell() {
        against.push(format!("{}; add more runs", a.explanation.sentence()));
    } else if !a.explanation.explained {
        against.push(format!(
            "no training value explains the recording: {}, most in {}",
            a.explanation.sentence(),
            a.explanation.worst_features
        ));
    }
    if a.chance.is_some_and(|p| p > MOST_CHANCE) {
        against.push(format!("chance does as well with probability {:.2}", a.chance.unwrap_or(1.0)));
    }
    let step = (values[values.len() - 1] - values[0]) / (values.len() - 1) as f64;
    let (low, high) = (values[0] - 0.5 * step, values[values.len() - 1] + 0.5 * step);
    if !(a.estimate.high >= low && a.estimate.low <= high) {
        against.push(format!(
            "the estimate {:.3} lies outside the training values, {low:.3} to {high:.3}",
            a.estimate.estimate
        ));
    }
    if a.estimate.half_width().is_nan() || a.estimate.half_width() > 0.5 * (high - low) {
        against.push("the interval is as wide as the range of training values".to_owned());
    }
    if !against.is_empty() {
        (a.verdict, a.reasons) = (Verdict::CannotTell, against);
        return;
    }
    let shown = format!("{:.3} ({:.3} to {:.3})", a.estimate.estimate, a.estimate.low, a.estimate.high);
    let (verdict, reason) = match options.expected {
        Some(value) if a.estimate.holds(value) => {
            (Verdict::Accepted, format!("the interval of {shown} contains {value}"))
        }
        Some(value) => (Verdict::Rejected, format!("the interval of {shown} does not contain {value}")),
        None => (Verdict::Accepted, format!("the recording moves as with {shown}")),
    };
    (a.verdict, a.reasons) = (verdict, vec![reason]);
}

fn gamma(options: &AssessOptions) -> f64 {
    match options.model {
        ModelKind::Svr(settings) => settings.gamma,
        _ => options.gamma,
    }
}

/// The distinct values of a target, ascending, and the index of each run's value among them.
fn values(rows: &Rows, target: usize) -> (Vec<f64>, Vec<usize>) {
    let of_run: Vec<f64> = rows.runs.iter().map(|run| run.targets[target]).collect();
    let mut values = of_run.clone();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let at = |v: &f64| values.iter().position(|w| w == v).unwrap_or(0);
    let numbers = of_run.iter().map(at).collect();
    (values, numbers)
}

fn correlation(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>();
    let (sxx, syy) = (sum(&|p| (p.0 - mx).powi(2)), sum(&|p| (p.1 - my).powi(2)));
    let sxy = sum(&|p| (p.0 - mx) * (p.1 - my));
    if sxx > 0.0 && syy > 0.0 { sxy / (sxx * syy).sqrt() } else { 0.0 }
}

/// (1) and (2).
fn calibrate(points: &[Point], at: f64, confidence: f64) -> (Interval, f64) {
    let nothing = Interval { estimate: f64::NAN, low: f64::NEG_INFINITY, high: f64::INFINITY, confidence };
    let pairs: Vec<(f64, f64)> = points.iter().map(|p| (p.predicted, p.truth)).collect();
    let Some(line) = veracity_measure::statistics::fit(&pairs).filter(|_| points.len() > 3) else {
        return (nothing, f64::NAN);
    };
    let n = points.len() as f64;
    let rest: f64 = pairs.iter().map(|(p, y)| (y - line.intercept - line.slope * p).powi(2)).sum();
    let scatter = (rest / (n - 2.0)).sqrt();
    if at.is_nan() {
        return (nothing, scatter);
    }
    let centre = pairs.iter().map(|p| p.0).sum::<f64>() / n;
    let spread: f64 = pairs.iter().map(|p| (p.0 - centre).powi(2)).sum();
    let estimate = line.intercept + line.slope * at;
    let t = student_quantile(0.5 + 0.5 * confidence, n - 2.0);
    let reach = t * scatter * (1.0 + 1.0 / n + (at - centre).powi(2) / spread).sqrt();
    (Interval { estimate, low: estimate - reach, high: estimate + reach, confidence }, scatter)
}

/// Permutation test: how often values permuted among the runs are predicted as well.
fn chance(
    training: &Rows,
    target: usize,
    folds: &[Fold],
    options: &AssessOptions,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> f64 {
    let total = options.permutations as usize + 1;
    let mut as_well = 0;
    let mut reached = 0.0;
    for round in 0..total {
        progress("chance", round, total);
        let mut dealt = training.clone();
        if round > 0 {
            let stream = Stream::new(options.seed, round as u64, 0, Purpose::Statistics);
            let mut order: Vec<u32> = (0..training.runs.len() as u32).collect();
            shuffle(&mut order, &stream, 0);
            for (run, from) in dealt.runs.iter_mut().zip(order) {
                run.targets.clone_from(&training.runs[from as usize].targets);
            }
        }
        let found = held_out_correlation(&dealt, target, folds, options);
        match round {
            0 => reached = found,
            _ if found >= reached => as_well += 1,
            _ => {}
        }
    }
    (as_well + 1) as f64 / total as f64
}

fn held_out_correlation(rows: &Rows, target: usize, folds: &[Fold], options: &AssessOptions) -> f64 {
    let run_of = rows.run_of_row();
    let mut points = Vec::new();
    for fold in folds {
        let every = fold.train.len().div_ceil(options.permutation_rows.max(1)).max(1);
        let train: Vec<u32> = fold.train.iter().copied().step_by(every).collect();
        let test: Vec<u32> = fold.test.iter().copied().step_by(every).collect();
        let fitted = Fitted::new(rows, &train, &options.model, &mut |_, _, _| ());
        let found = fitted.predict(target, rows, &test);
        for run in 0..rows.runs.len() {
            let of: Vec<f64> = test
                .iter()
                .zip(&found)
                .filter(|(k, _)| run_of[**k as usize] as usize == run)
                .map(|(_, p)| *p)
                .collect();
            if !of.is_empty() {
                points.push((mean(&of), rows.runs[run].targets[target]));
            }
        }
    }
    correlation(&points)
}
