//! The fit: search, uncertainty, recordings held out, verdict.

use crate::CalibrateError;
use crate::evaluate::{Problem, Residuals};
use crate::file::{Calibration, Method};
use crate::search::{PointSearch, Seen};
use crate::uncertainty::{LEAST_P, Sloppy, chi2_tail, neighbours, redundancy, spread};
use serde::Serialize;
use std::path::Path;
use veracity_lab::Lab;
use veracity_measure::Verdict;

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
    /// Why it could not be simulated.
    pub failure: Option<String>,
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

/// Fits. `folder` is the file's folder.
pub fn fit(file: &Calibration, folder: &Path, lab: &Lab<'_>) -> Result<CalibrationFit, CalibrateError> {
    let problem = Problem::new(file, folder, lab)?;
    let search = PointSearch::new(&problem);
    let (converged, ends) = search.run()?;
    let all = search.best();
    let best: &Seen =
        all.first().ok_or_else(|| CalibrateError::Unfit("nothing was evaluated; raise `budget`".to_owned()))?;
    let (u, n) = (best.u.clone(), file.parameters.len());
    let start: Vec<f64> = file.parameters.iter().map(|p| p.start.map_or(0.5, |x| p.range().place(x))).collect();
    let points = [u.clone(), start];
    let trained = problem.residuals(&points, false)?;
    let held = problem.residuals(&points, true)?;
    if let Some(Err(why)) = trained[0].iter().find(|r| r.is_err()) {
        return Err(CalibrateError::Unfit(format!("no point of the search could be simulated: {why}")));
    }
    let columns = search.columns(&u, false).map_err(|_| CalibrateError::Interrupted)?;
    let channels: Vec<Vec<f64>> = trained[0].iter().flatten().flatten().cloned().collect();
    let count: usize = channels.iter().map(Vec::len).sum();
    let priors = file.parameters.iter().filter(|p| p.prior.is_some()).count();
    let freedom = (count + priors).saturating_sub(n).max(1);
    let rho = neighbours(&channels);
    let inflation = (best.chi2 / freedom as f64).max(1.0) * redundancy(rho);
    let found = spread(&columns, inflation, freedom as f64 / redundancy(rho), &file.parameters);
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
            FittedParameter {
                name: parameter.name(),
                estimate: parameter.value(u[i]),
                low: end((u[i] - half).max(0.0)),
                high: end((u[i] + half).min(1.0)),
                at_bound,
                determined: half < 0.5,
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
            failure: fitted.as_ref().err().cloned(),
        });
    }
    let other_optima: Vec<Vec<f64>> = ends
        .iter()
        .filter(|end| end.chi2 - best.chi2 < EQUALLY_GOOD * inflation)
        .filter(|end| end.u.iter().zip(&u).any(|(a, b)| (a - b).abs() > APART))
        .map(|end| file.parameters.iter().zip(&end.u).map(|(p, u)| p.value(*u)).collect())
        .collect();
    let effective = freedom as f64 / redundancy(rho);
    let mut out = CalibrationFit {
        parameters,
        correlation: found.correlation,
        sloppy: found.sloppy,
        chi2: best.chi2,
        freedom,
        p: chi2_tail(best.chi2 / redundancy(rho), effective.max(1.0)),
        residual_correlation: rho,
        inflation,
        scores,
        evaluations: search.evaluations(),
        trials: problem.counts(),
        converged,
        other_optima,
        verdict: Verdict::CannotTell,
        reasons: Vec::new(),
    };
    judge(&mut out, file, search.failure());
    Ok(out)
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
