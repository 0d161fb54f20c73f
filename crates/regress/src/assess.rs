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
//!    explains, by its features, its reach or its distributions ([`mod@crate::explain`]), has no estimate.
//! 5. **Doubts**: a world that the study names and that would be mistaken for training gives no verdict
//!    ([`mod@crate::doubts`]).
//! 6. **Information**: an interval wider than half of the training range, or held-out pieces that are no nearer to the
//!    truth than the mean of all values is, gives no verdict.

use crate::behaviour::windows;
use crate::doubts::{Doubt, DoubtResult, DoubtRows};
use crate::error::Error;
use crate::explain::{Explainer, Explanation, Piece, RunWindows, Windows};
use crate::models::{Fitted, ModelKind};
use crate::motion::Motion;
use crate::rows::Rows;
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
    /// Mean absolute error of the mean predictions of held-out pieces.
    pub piece_error: Interval,
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
    /// What it says about each doubt of the study.
    pub doubts: Vec<DoubtResult>,
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

/// Widest interval for a verdict, as a share of the range of training values: a wider one excludes less than half of
/// what was possible before.
const MOST_WIDTH: f64 = 0.5;

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
    doubts: Vec<Doubt>,
}

/// Rows of one side, and the whole motions they were computed from, one for each run; without motions their
/// distributions are not compared.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The rows.
    pub rows: &'a Rows,
    /// The motions, in the order of the rows' runs; or none.
    pub motions: &'a [Motion],
}

impl<'a> Side<'a> {
    /// Rows without motions.
    pub fn rows(rows: &'a Rows) -> Self {
        Self { rows, motions: &[] }
    }

    fn windows(&self) -> Result<Vec<Windows>, Error> {
        if !self.motions.is_empty() && self.motions.len() != self.rows.runs.len() {
            let (motions, runs) = (self.motions.len(), self.rows.runs.len());
            return Err(Error::Unfit(format!("{motions} motions for {runs} runs of rows")));
        }
        Ok(self.motions.iter().map(windows).collect())
    }
}

/// Trains, and assesses one recording.
pub fn assess(
    training: Side<'_>,
    target: usize,
    recorded: Side<'_>,
    doubts: &[DoubtRows],
    options: &AssessOptions,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Assessment, Error> {
    Learned::new(training, target, options, progress)?.with_doubts(doubts)?.ask(recorded)
}

impl<'a> Learned<'a> {
    /// Steps 1 and 2, and the map of all training rows.
    pub fn new(
        side: Side<'a>,
        target: usize,
        options: &AssessOptions,
        progress: &mut dyn FnMut(&str, usize, usize),
    ) -> Result<Self, Error> {
        let training = side.rows;
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
            // Distance from the nearest row of another value: a recording's own value is not on the grid either.
            let value_of = |row: u32| value_of_run[run_of[row as usize] as usize];
            let same_value = |k: usize, j: usize| value_of(few[k]) == value_of(fold.train[j]);
            let nearest = fitted.points.nearest(&fitted.scaled(training, &few), same_value);
            let reach_of = |run: usize| {
                let own = few.iter().zip(&nearest).filter(|(k, _)| run_of[**k as usize] as usize == run);
                let far: Vec<f64> = own.map(|(_, (squared, _))| f64::from(*squared).sqrt()).collect();
                if far.is_empty() { f64::NAN } else { mean(&far) }
            };
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
                let (value, reach) = (value_of_run[run], reach_of(run));
                held.push(Piece { fold: number, value, run, rows, reach });
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
        let fold_of = |run: usize| held.iter().find(|piece| piece.run == run).map(|piece| piece.fold);
        let run_windows = |(run, windows)| {
            let fold = if several { fold_of(run) } else { None };
            RunWindows { value: value_of_run[run], fold, windows }
        };
        let runs = side.windows()?.into_iter().enumerate().map(run_windows).collect();
        let explainer = Explainer::new(training, &fitted.scaling, held, &left, runs);
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
            doubts: Vec::new(),
        })
    }

    /// Learns worlds that could be mistaken for this one: see [`mod@crate::doubts`].
    pub fn with_doubts(mut self, doubts: &[DoubtRows]) -> Result<Self, Error> {
        let learn = |d: &DoubtRows| Doubt::new(self.training, &self.fitted, self.target, d, &self.options.model);
        self.doubts = doubts.iter().map(learn).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Steps 3 and 4, and the verdict.
    pub fn ask(&self, side: Side<'_>) -> Result<Assessment, Error> {
        let recorded = side.rows;
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

        let reach_of = |run: &crate::rows::RunRows| {
            let far: Vec<f64> = support.squared[run.rows.clone()].iter().map(|d| d.sqrt()).collect();
            if far.is_empty() { f64::NAN } else { mean(&far) }
        };
        let reach: Vec<f64> = recorded.runs.iter().map(reach_of).collect();
        let motions = side.windows()?;
        let explanation = self.explainer.ask(training, &self.fitted.scaling, recorded, &reach, &motions);

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
        let pairs_of: Vec<(f64, f64)> = self.points.iter().map(|p| (p.predicted, p.truth)).collect();
        let line = veracity_measure::statistics::fit(&pairs_of).map_or([0.0, 1.0], |l| [l.intercept, l.slope]);
        let truth = training.target(target);
        let centre = mean(&truth);
        let pairs: Vec<(f64, f64)> = self.points.iter().map(|p| (p.predicted, p.truth)).collect();
        let errors: Vec<f64> = self.points.iter().map(|p| p.error).collect();
        let mut out = Assessment {
            split: self.split.kind().name.to_owned(),
            error: student_mean(&errors, options.confidence),
            piece_error: student_mean(
                &self.points.iter().map(|p| (p.predicted - p.truth).abs()).collect::<Vec<f64>>(),
                options.confidence,
            ),
            points: self.points.clone(),
            constant_error: truth.iter().map(|y| (y - centre).abs()).sum::<f64>() / truth.len() as f64,
            correlation: correlation(&pairs),
            chance: self.chance,
            scatter,
            support,
            own_out_of_reach: self.own_out_of_reach,
            explanation,
            doubts: self.doubts.iter().map(|d| d.ask(recorded, line, self.doubts.len())).collect(),
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
    if a.explanation.tests.is_empty() {
        against.push(format!("{} recorded rows are too few to be compared with training", a.predictions.len()));
    } else if a.explanation.cannot_tell() {
        against.push(format!("{}; record or simulate more runs", a.explanation.sentence()));
    } else if !a.explanation.explained {
        against.push(format!("no training value explains the recording: {}", a.explanation.sentence()));
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
    let (width, range) = (2.0 * a.estimate.half_width(), values[values.len() - 1] - values[0]);
    if width.is_nan() || width > MOST_WIDTH * range {
        against.push(format!(
            "the interval is {:.0} % as wide as the range of training values ({:.0} % are allowed): the features do not \
             determine the parameter",
            100.0 * width / range,
            100.0 * MOST_WIDTH
        ));
    }
    if a.piece_error.high.is_nan() || a.piece_error.high >= a.constant_error {
        against.push(format!(
            "no gain over always answering the mean: held-out pieces are off by {:.3} ({:.3} to {:.3}), the mean by {:.3}",
            a.piece_error.estimate, a.piece_error.low, a.piece_error.high, a.constant_error
        ));
    }
    let half_width = a.estimate.half_width();
    against.extend(a.doubts.iter().filter_map(|doubt| doubt.against(half_width)));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Five values with four runs of 60 rows each; the feature is `signal` times the value plus noise that varies from
    /// run to run.
    fn rows(signal: f64, seed: u64) -> Rows {
        let stream = Stream::new(seed, 0, 0, Purpose::Sampling);
        let mut rows = Rows::new(vec!["x".into(), "y".into()]);
        for run in 0..20u64 {
            let value = (run % 5) as f64;
            let offset = stream.normal(run, 0);
            let row = |k: u64| {
                [signal * value + offset + stream.normal(run, 2 * k as u32 + 1), stream.normal(run, 2 * k as u32 + 2)]
            };
            rows.push(&format!("run {run}"), &[value], &(0..60).flat_map(row).collect::<Vec<f64>>());
        }
        rows
    }

    fn options() -> AssessOptions {
        AssessOptions {
            model: ModelKind::Linear { ridge: 1e-6 },
            gamma: 0.05,
            blocks: 5,
            gap: 2,
            permutations: 0,
            permutation_rows: 100,
            confidence: 0.95,
            seed: 0,
            expected: Some(2.0),
        }
    }

    fn verdict(signal: f64) -> (Verdict, String) {
        let (training, mut recorded) = (rows(signal, 1), Rows::new(vec!["x".into(), "y".into()]));
        let other = rows(signal, 2);
        for run in other.runs.iter().filter(|run| run.targets == [2.0]).take(2) {
            let values: Vec<f64> = run.rows.clone().flat_map(|k| other.row(k).to_vec()).collect();
            recorded.push(&run.name, &[], &values);
        }
        let found =
            assess(Side::rows(&training), 0, Side::rows(&recorded), &[], &options(), &mut |_, _, _| ()).unwrap();
        (found.verdict, found.reasons.join("; "))
    }

    #[test]
    fn an_interval_that_excludes_little_gives_no_verdict() {
        // The expected value is inside each interval; only the first is worth something.
        let (good, why) = verdict(8.0);
        assert_eq!(good, Verdict::Accepted, "{why}");
        let (weak, why) = verdict(1.3);
        assert!(weak == Verdict::CannotTell && why.contains("as wide as the range"), "{why}");
        let (none, why) = verdict(0.0);
        assert!(none == Verdict::CannotTell && why.contains("no gain over always answering the mean"), "{why}");
    }
}
