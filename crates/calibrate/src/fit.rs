//! The fit: search, uncertainty, recordings held out, verdict.

use crate::CalibrateError;
use crate::evaluate::{Problem, Residuals, mean_error};
use crate::file::{Calibration, FitLoss, Method};
use crate::profile::profile;
use crate::recording::{Measured, residual_width};
use crate::resample::{best_seen, contradictions, one_step, paired_gain};
use crate::search::{Objective, PointSearch, Seen};
use crate::uncertainty::{LEAST_P, Sloppy, chi2_tail, neighbours, redundancy, spread};
use serde::Serialize;
use std::path::Path;
use veracity_lab::Lab;
use veracity_measure::Verdict;
use veracity_measure::statistics::special::student_quantile;

/// Nearer to a bound than this share of the range, the bound holds the parameter.
const AT_BOUND: f64 = 0.01;

/// Two ends of the search are different optima if a parameter differs by more than this share of its range.
const APART: f64 = 0.05;

/// χ² that two optima may differ by and still be equally good: the 95 % quantile with one degree of freedom.
const EQUALLY_GOOD: f64 = 3.84;

/// A fitted parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedParameter {
    /// Its path, or `engine/SETTING`.
    pub name: String,
    /// The best value.
    pub estimate: f64,
    /// Lower end of the 95 % interval, at least the bound.
    pub low: f64,
    /// Upper end, at most the bound.
    pub high: f64,
    /// The bound that holds it: `"low"`, `"high"` or nothing.
    pub at_bound: Option<&'static str>,
    /// Whether the interval is shorter than the range between the bounds.
    pub determined: bool,
    /// Half the length of the interval from the curvature at the best point, as a share of the range; `null` if infinite.
    pub from_curvature: f64,
    /// The same from resampled recordings; absent with fewer than five.
    pub from_recordings: Option<f64>,
}

/// How a recording is reproduced.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// Its file.
    pub recording: String,
    /// Whether it was held out.
    pub held_out: bool,
    /// Numbers compared.
    pub count: usize,
    /// Root mean square residual with the fitted parameters, in standard deviations of the measurement: 1 is perfect.
    pub rms: f64,
    /// The same with the start values.
    pub rms_at_start: f64,
    /// Mean over channels of the mean length of the residual, in standard deviations of the measurement.
    pub mean_error: f64,
    /// The same with the start values.
    pub mean_error_at_start: f64,
    /// For each component, how long from first motion until simulation and recording are more than three standard
    /// deviations of the measurement apart, or the time compared if they never are [s].
    pub horizons: Vec<Horizon>,
    /// Why it could not be simulated.
    pub failure: Option<String>,
}

/// How long one measured component is followed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Horizon {
    /// Columns, and the number of the component if there are several.
    pub component: String,
    /// [s]
    pub horizon_s: f64,
    /// Whether the recording ended first.
    pub whole: bool,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationFit {
    /// In the order of the file.
    pub parameters: Vec<FittedParameter>,
    /// Correlations of the estimates, row by row; `null` where one is not determined.
    pub correlation: Vec<Vec<f64>>,
    /// What the recordings do not determine.
    pub sloppy: Vec<Sloppy>,
    /// Sum of squared residuals of the training recordings.
    pub chi2: f64,
    /// Numbers less parameters.
    pub freedom: usize,
    /// Chance of residuals as large with the right model and the stated errors.
    pub p: f64,
    /// Correlation of neighbouring residuals; zero where chance explains it.
    pub residual_correlation: f64,
    /// Factor on the covariance for residuals that are too large or follow each other.
    pub inflation: f64,
    /// Every recording.
    pub scores: Vec<Score>,
    /// Points evaluated.
    pub evaluations: usize,
    /// Trials run by this call, and trials found in the store.
    pub trials: (usize, usize),
    /// Whether the search ended by itself, not by its budget.
    pub converged: bool,
    /// Other points that fit as well.
    pub other_optima: Vec<Vec<f64>>,
    /// Recordings that ask for other parameters than the rest, in sentences.
    pub contradictions: Vec<String>,
    /// Mean error of the recordings held out with the start values less that with the fitted ones, with its 95 %
    /// interval; absent with fewer than two.
    pub gain: Option<[f64; 3]>,
    /// The verdict: `accepted` if the simulation with these parameters reproduces all recordings within their stated
    /// errors and every parameter is determined.
    #[serde(serialize_with = "as_text")]
    pub verdict: Verdict,
    /// Its reasons, in sentences.
    pub reasons: Vec<String>,
}

fn as_text<S: serde::Serializer>(verdict: &Verdict, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(verdict)
}

/// Fits. `folder` is the file's folder, `data` that of recorded data. With `given`, values in the order of the file's
/// parameters, nothing is searched: recordings are compared with the simulation at these values.
pub fn fit(
    file: &Calibration,
    folder: &Path,
    data: Option<&Path>,
    given: Option<&[f64]>,
    lab: &Lab<'_>,
) -> Result<CalibrationFit, CalibrateError> {
    let problem = Problem::new(file, folder, data, lab)?;
    let start: Vec<f64> = file.parameters.iter().map(|p| p.start.map_or(0.5, |x| p.range().place(x))).collect();
    let search = PointSearch::new(&problem, &file.search, start.clone());
    let (converged, ends) = match given {
        None => search.run()?,
        Some(values) => {
            let u: Vec<f64> = file.parameters.iter().zip(values).map(|(p, x)| p.range().place(*x)).collect();
            search.beyond_budget(&[u])?;
            (true, Vec::new())
        }
    };
    let all = search.best();
    let best: &Seen =
        all.first().ok_or_else(|| CalibrateError::Unfit("nothing was evaluated; raise `budget`".to_owned()))?;
    let (u, n) = (best.u.clone(), file.parameters.len());
    let points = [u.clone(), start];
    let trained = problem.residuals(&points, false)?;
    let held = problem.residuals(&points, true)?;
    if let Some(Err(why)) = trained[0].iter().find(|r| r.is_err()) {
        return Err(CalibrateError::Unfit(format!("no point of the search could be simulated: {why}")));
    }
    let columns = match given {
        None => search.columns(&u, false).map_err(|_| CalibrateError::Interrupted)?,
        // Nothing was fitted: nothing has an interval.
        Some(_) => vec![vec![0.0; best.groups.len().max(1)]; n],
    };
    let squares = file.search.loss == FitLoss::Squares;
    let channels: Vec<Vec<f64>> = trained[0].iter().flatten().flatten().cloned().collect();
    let count: usize = channels.iter().map(Vec::len).sum();
    let priors = file.parameters.iter().filter(|p| p.prior.is_some()).count();
    let freedom = (count + priors).saturating_sub(n).max(1);
    let rho = if squares { neighbours(&channels) } else { 0.0 };
    let inflation = (best.chi2 / freedom as f64).max(1.0) * redundancy(rho);
    let effective = (freedom as f64 / redundancy(rho)).max(1.0);
    let mut found = spread(&columns, inflation, effective, &file.parameters);
    let from_curvature = found.half_widths.clone();
    let mut from_recordings = None;
    let mut ends_of: Vec<[f64; 2]> = Vec::new();
    let mut against_each_other = Vec::new();
    if given.is_none() {
        let r = problem.evaluate(std::slice::from_ref(&u))?.remove(0);
        if squares {
            from_recordings = one_step(&columns, &r.residuals, &r.groups, file.search.seed);
            let files = problem.trained_files();
            for found in contradictions(&columns, &r.residuals, &r.groups, &u).iter().take(3) {
                let ask = |(p, u): (&crate::file::Parameter, &f64)| format!("'{}' = {:.6}", p.name(), p.value(*u));
                let alone: Vec<String> = file.parameters.iter().zip(&found.alone).map(ask).collect();
                against_each_other.push(format!(
                    "{} contradicts the other recordings: alone it asks for {} (p = {:.1e})",
                    files[found.recording],
                    alone.join(", "),
                    found.p
                ));
            }
        } else {
            from_recordings = best_seen(&all, file.search.seed);
            // A mean error has no likelihood: only resampling gives intervals.
            found.sloppy.clear();
            found.half_widths = vec![f64::INFINITY; n];
        }
        if let Some(wider) = &from_recordings {
            found.half_widths.iter_mut().zip(wider).for_each(|(half, other)| {
                *half = if squares { half.max(*other) } else { *other };
            });
        }
        if file.search.profile && squares {
            let t = student_quantile(0.975, effective);
            ends_of = profile(&search, &columns, &u, best.chi2, t * t * inflation, &found.half_widths)?;
        }
    }
    let parameters: Vec<FittedParameter> = file
        .parameters
        .iter()
        .enumerate()
        .map(|(i, parameter)| {
            let half = found.half_widths[i];
            let end = |u: f64| parameter.range().value(u);
            let at_bound = match u[i] {
                u if u < AT_BOUND => Some("low"),
                u if u > 1.0 - AT_BOUND => Some("high"),
                _ => None,
            };
            let ends = ends_of.get(i).copied().unwrap_or([u[i] - half, u[i] + half]);
            FittedParameter {
                name: parameter.name(),
                estimate: parameter.value(u[i]),
                low: end(ends[0].max(0.0)),
                high: end(ends[1].min(1.0)),
                at_bound,
                determined: 0.5 * (ends[1] - ends[0]) < 0.5,
                from_curvature: from_curvature[i],
                from_recordings: from_recordings.as_ref().map(|all| all[i]),
            }
        })
        .collect();
    let mut scores = Vec::new();
    let mut measured =
        problem.measured.iter().filter(|m| !m.hold_out).zip(&trained[0]).zip(&trained[1]).collect::<Vec<_>>();
    measured.extend(problem.measured.iter().filter(|m| m.hold_out).zip(&held[0]).zip(&held[1]));
    for ((measured, fitted), start) in measured {
        scores.push(Score {
            recording: measured.name.clone(),
            held_out: measured.hold_out,
            count: measured.count(),
            rms: rms(fitted),
            rms_at_start: rms(start),
            mean_error: fitted.as_ref().map_or(f64::INFINITY, |r| mean_error(r, &measured.channels)),
            mean_error_at_start: start.as_ref().map_or(f64::INFINITY, |r| mean_error(r, &measured.channels)),
            horizons: fitted.as_ref().map_or(Vec::new(), |r| horizons(r, measured)),
            failure: fitted.as_ref().err().cloned(),
        });
    }
    let other_optima: Vec<Vec<f64>> = ends
        .iter()
        .filter(|end| end.chi2 - best.chi2 < EQUALLY_GOOD * inflation)
        .filter(|end| end.u.iter().zip(&u).any(|(a, b)| (a - b).abs() > APART))
        .map(|end| file.parameters.iter().zip(&end.u).map(|(p, u)| p.value(*u)).collect())
        .collect();
    let held_scores: Vec<&Score> = scores.iter().filter(|s: &&Score| s.held_out).collect();
    let errors = |of: fn(&Score) -> f64| held_scores.iter().map(|s| of(s)).collect::<Vec<f64>>();
    let gain = paired_gain(&errors(|s| s.mean_error_at_start), &errors(|s| s.mean_error));
    let mut out = CalibrationFit {
        parameters,
        correlation: found.correlation,
        sloppy: found.sloppy,
        chi2: best.chi2,
        freedom,
        p: if squares { chi2_tail(best.chi2 / redundancy(rho), effective) } else { f64::NAN },
        residual_correlation: rho,
        inflation,
        scores,
        evaluations: search.evaluations(),
        trials: problem.counts(),
        converged,
        other_optima,
        contradictions: against_each_other,
        gain,
        verdict: Verdict::CannotTell,
        reasons: Vec::new(),
    };
    judge(&mut out, file, search.failure());
    Ok(out)
}

/// How long each component of a recording is followed.
fn horizons(residuals: &[Vec<f64>], measured: &Measured) -> Vec<Horizon> {
    let times: Vec<&[f64]> = measured
        .channels
        .iter()
        .flat_map(|c| std::iter::repeat_n(c.truth.times.as_slice(), residual_width(&c.truth.quantity)))
        .collect();
    let names = measured.component_names();
    let one = |((r, times), component): ((&Vec<f64>, &[f64]), String)| {
        let out = (0..r.len()).find(|k| r[*k].abs() > 3.0);
        let at = out.map_or_else(|| times.last().copied().unwrap_or(0.0), |k| times[k]);
        Horizon { component, horizon_s: at - measured.first_motion_s, whole: out.is_none() }
    };
    residuals.iter().zip(times).zip(names).map(one).collect()
}

fn rms(residuals: &Residuals) -> f64 {
    match residuals {
        Ok(channels) => {
            let count: usize = channels.iter().map(Vec::len).sum();
            let sum: f64 = channels.iter().flatten().map(|r| r * r).sum();
            (sum / count.max(1) as f64).sqrt()
        }
        Err(_) => f64::INFINITY,
    }
}

fn judge(out: &mut CalibrationFit, file: &Calibration, failure: Option<String>) {
    let mut against = Vec::new();
    // A held-out recording has no fitted parameters; its own correlation is that of the fit.
    let held_p = |score: &Score| {
        let freedom = (score.count as f64 / redundancy(out.residual_correlation)).max(1.0);
        chi2_tail(score.rms * score.rms * freedom, freedom)
    };
    if file.search.loss == FitLoss::MeanError {
        judge_gain(out, file);
        return;
    }
    if out.p < LEAST_P || out.residual_correlation > 0.5 {
        against.push(format!(
            "no parameters within the bounds make this simulation agree with the recordings: residuals are {:.2} times the stated \
             errors (rms) and neighbouring ones are correlated by {:.2}; p = {:.1e}. The world differs from the recorded one in \
             something that is not fitted, or the errors are larger than stated",
            (out.chi2 / out.freedom as f64).sqrt(),
            out.residual_correlation,
            out.p
        ));
    }
    for score in out.scores.iter().filter(|score| score.held_out) {
        match &score.failure {
            Some(why) => against.push(format!("{}: held out, could not be simulated: {why}", score.recording)),
            None if held_p(score) < LEAST_P => against.push(format!(
                "{}: held out, and not reproduced: residuals are {:.2} times the stated errors",
                score.recording, score.rms
            )),
            None => {}
        }
    }
    against.extend(out.contradictions.iter().cloned());
    against.extend(out.sloppy.iter().map(|sloppy| sloppy.sentence.clone()));
    for parameter in &out.parameters {
        if let Some(bound) = parameter.at_bound {
            let value = if bound == "low" { parameter.low } else { parameter.high };
            against.push(format!(
                "'{}' is held by its {bound} bound {value}: widen the bounds, or something else is wrong",
                parameter.name
            ));
        }
    }
    if !out.converged {
        against.push(format!(
            "the search ended at its budget of {} evaluations; raise `budget`, finished trials are stored",
            file.search.budget
        ));
    }
    for other in &out.other_optima {
        let values: Vec<String> = other.iter().map(|x| format!("{x:.6}")).collect();
        against.push(format!("other parameters fit as well: {}", values.join(", ")));
    }
    if let (Some(why), Method::LeastSquares) = (failure, file.search.method)
        && !against.is_empty()
    {
        against.push(format!("some points could not be simulated; the first: {why}"));
    }
    if against.is_empty() {
        let held = out.scores.iter().filter(|score| score.held_out).count();
        let text = match held {
            0 => "all recordings are reproduced within their stated errors; none was held out".to_owned(),
            n => format!("all recordings are reproduced within their stated errors, {n} of them held out"),
        };
        (out.verdict, out.reasons) = (Verdict::Accepted, vec![text]);
    } else {
        out.reasons = against;
    }
}

/// Without a likelihood the question is whether recordings held out are reproduced better than before.
fn judge_gain(out: &mut CalibrationFit, file: &Calibration) {
    let mut against = Vec::new();
    match out.gain {
        Some([gain, low, high]) if low > 0.0 => out.reasons.push(format!(
            "recordings held out are reproduced better than with the start values: mean error smaller by {gain:.4} ({low:.4} to \
             {high:.4}) of the stated errors"
        )),
        Some([gain, low, high]) => against.push(format!(
            "recordings held out are not reproduced better than with the start values: mean error smaller by {gain:.4} ({low:.4} \
             to {high:.4}) of the stated errors"
        )),
        None => against.push("fewer than two recordings are held out: no gain can be shown".to_owned()),
    }
    if !out.converged {
        against.push(format!(
            "the search ended at its budget of {} evaluations; raise `budget`, finished trials are stored",
            file.search.budget
        ));
    }
    if against.is_empty() {
        out.verdict = Verdict::Accepted;
    } else {
        out.reasons = against;
    }
}
