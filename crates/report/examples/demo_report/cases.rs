//! The systems, run at several steps, as scenarios of a report.

use crate::integrate::{Method, State, run};
use crate::systems::{Case, DoublePendulum, FallWithDrag, Pendulum, THandle};
use libm::{exp, log};
use veracity_report::ReportData;
use veracity_report::data::numbers::{Rounded, Times};
use veracity_report::data::plots::*;
use veracity_report::data::replay::Replay;
use veracity_report::data::scenario::*;
use veracity_report::data::signals::{ReferenceCurve, Signal};
use veracity_report::data::{Engine, Fact, Missing, Outcome, Provenance};

/// The largest step [s]; the others are smaller by powers of four, so that all sample times are on one grid.
const LARGEST_STEP_S: f64 = 0.1;
/// Each step is 4 to this power smaller than the largest.
const QUARTERINGS: [u32; 4] = [0, 1, 2, 3];
/// Steps of the reference for one of the largest.
const REFERENCE_FINENESS: usize = 2048;

pub fn report() -> ReportData {
    let cases: [&dyn Case; 4] = [&Pendulum, &DoublePendulum, &THandle, &FallWithDrag];
    let mut scenarios: Vec<Scenario> = cases.iter().map(|case| scenario(*case)).collect();
    scenarios[1].audit.push(AuditFinding {
        severity: Severity::Warning,
        code: "chaotic".into(),
        text: "Two starts 1e-9 rad apart differ by more than the bound before the end; rank engines by the time at which \
               they diverge, or shorten the run below 4 s."
            .into(),
        place: Some("double-pendulum.toml:9".into()),
    });
    let trials: Vec<&Trial> = scenarios.iter().flat_map(|scenario| &scenario.trials).collect();
    let planned = trials.iter().filter(|trial| trial.verdict != TrialVerdict::Accepted).count();
    let summary = format!(
        "All {} verdicts are the ones expected; {planned} of them are planned rejections or limits of an engine.",
        trials.len()
    );
    let mut data = ReportData::new("Demonstration: two textbook methods");
    data.outcome = Outcome {
        as_expected: trials.iter().all(|trial| trial.is_as_expected()),
        headline: "all verdicts as expected".into(),
        summary,
    };
    data.provenance = Provenance {
        when: "2026-01-01 12:00 UTC".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        commit: None,
        command: Some("cargo run -p veracity-report --example demo_report".into()),
        machine: vec![fact("costs", "counted steps times a fictitious price, not measured")],
    };
    data.engines = engines();
    data.scenarios = scenarios;
    data
}

fn fact(name: &str, value: &str) -> Fact {
    Fact { name: name.into(), value: value.into() }
}

fn engines() -> Vec<Engine> {
    let textbook = Engine {
        name: "textbook".into(),
        version: "as in the example's source".into(),
        about: "Two fixed-step methods from a first course in numerical analysis, in place of engines.".into(),
        present: true,
        specs: Method::ALL.iter().map(|method| method.spec().to_owned()).collect(),
        capabilities: vec![fact("contact", "none"), fact("snapshot", "exact"), fact("precision", "double")],
        missing: vec![Missing {
            feature: "contact".into(),
            hint: "Use a real engine for anything that touches.".into(),
        }],
        how_to_get: None,
    };
    let absent = Engine {
        name: "elsewhere".into(),
        version: String::new(),
        about: "An engine that is not installed; its column would be in every table.".into(),
        present: false,
        specs: vec![],
        capabilities: vec![],
        missing: vec![],
        how_to_get: Some("cargo xtask engines elsewhere".into()),
    };
    vec![textbook, absent]
}

/// One trial with its measurements.
struct Measured {
    method: Method,
    step_s: f64,
    states: Vec<State>,
    times: Vec<f64>,
    errors: Vec<f64>,
    energy_drift: Vec<f64>,
    steps: usize,
}

impl Measured {
    fn worst(&self) -> f64 {
        self.errors.iter().copied().fold(0.0, f64::max)
    }
}

fn scenario(case: &dyn Case) -> Scenario {
    let coarse_steps = (case.duration_s() / LARGEST_STEP_S).round() as usize;
    let fine = LARGEST_STEP_S / REFERENCE_FINENESS as f64;
    // The reference keeps a state for each of the smallest steps that is compared with it.
    let per_coarse = 4usize.pow(3);
    let keep = REFERENCE_FINENESS / per_coarse;
    let truth: Vec<State> = match case.exact(0.0) {
        Some(_) => (0..=coarse_steps * per_coarse)
            .filter_map(|index| case.exact(index as f64 * LARGEST_STEP_S / per_coarse as f64))
            .collect(),
        None => run(case, Method::RungeKutta4, &case.start(), fine, coarse_steps * REFERENCE_FINENESS, keep),
    };
    let measured: Vec<Measured> = Method::ALL
        .iter()
        .flat_map(|method| QUARTERINGS.map(|quarterings| (*method, quarterings)))
        .map(|(method, quarterings)| measure(case, method, quarterings, coarse_steps, per_coarse, &truth))
        .collect();

    let mut scenario = Scenario::new(case.name(), case.title(), case.about());
    scenario.source = Some(source(case));
    scenario.reference = Some(reference(case));
    scenario.trials = measured.iter().map(|trial| judged(case, trial)).collect();
    scenario.leaderboard = Some(leaderboard(&measured, &scenario.trials));
    scenario.errors = vec![error_plot(case, &measured)];
    if case.conserves_energy() {
        scenario.errors.push(energy_plot(&measured));
    }
    scenario.speed = vec![speed_plot(case, &measured)];
    scenario.convergence = vec![convergence_plot(case, &measured)];
    scenario.signals = signals(&measured, &truth, per_coarse);
    scenario.replay = Some(replay(case, &measured, &truth, per_coarse));
    scenario
}

fn measure(
    case: &dyn Case,
    method: Method,
    quarterings: u32,
    coarse_steps: usize,
    per_coarse: usize,
    truth: &[State],
) -> Measured {
    let finer = 4usize.pow(quarterings);
    let step_s = LARGEST_STEP_S / finer as f64;
    let steps = coarse_steps * finer;
    let states = run(case, method, &case.start(), step_s, steps, 1);
    let stride = per_coarse / finer;
    let errors =
        states.iter().enumerate().map(|(index, state)| distance(case, state, &truth[index * stride])).collect();
    let first = case.energy(&case.start());
    let energy_drift = states.iter().map(|state| (case.energy(state) - first).abs()).collect();
    let times = (0..=steps).map(|index| index as f64 * step_s).collect();
    Measured { method, step_s, states, times, errors, energy_drift, steps }
}

fn distance(case: &dyn Case, a: &State, b: &State) -> f64 {
    let apart = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt();
    case.points(&a.q).iter().zip(&case.points(&b.q)).map(|(a, b)| apart(a, b)).fold(0.0, f64::max)
}

fn reference(case: &dyn Case) -> Reference {
    match case.exact(0.0) {
        Some(_) => Reference {
            kind: "closed form".into(),
            about: "height = h - (u²/g) ln cosh(g t / u), with u the terminal speed".into(),
            own_error: Some("1e-14 m: rounding alone".into()),
        },
        None => Reference {
            kind: "converged run".into(),
            about: format!(
                "Runge-Kutta of order 4 at a step of {:.1} µs",
                1e6 * LARGEST_STEP_S / REFERENCE_FINENESS as f64
            ),
            own_error: Some("by its order below 1e-11 m before chaos amplifies it".into()),
        },
    }
}

fn source(case: &dyn Case) -> Source {
    let (bound, reason) = case.bound();
    let text = format!(
        "schema = 1\nname = \"{}\"\ntitle = \"{}\"\nduration_s = {}\n\n[[check]]\nmetric = \"position_error\"\n\
         at_most = {bound} # m\nreason = \"{reason}\"\n",
        case.name(),
        case.title(),
        case.duration_s()
    );
    Source { file: format!("{}.toml", case.name()), text }
}

fn position_bound(case: &dyn Case) -> Bound {
    let (value, reason) = case.bound();
    Bound { value: value.into(), side: Side::AtMost, reason: reason.into() }
}

fn judged(case: &dyn Case, measured: &Measured) -> Trial {
    let bound = position_bound(case);
    let (limit, worst) = (bound.value.0, measured.worst());
    let held = worst <= limit;
    let verdict = if held { TrialVerdict::Accepted } else { TrialVerdict::Rejected };
    let at = measured.errors.iter().position(|error| *error > limit).map(|index| measured.times[index]);
    let reason = match at {
        None => format!(
            "The position stays within {worst:.1e} m of the truth, {:.0} times inside the bound.",
            limit / worst
        ),
        Some(time) => format!("The position leaves the bound at {time:.2} s and is {worst:.2e} m off at worst."),
    };
    let mut checks = vec![Check {
        metric: "position_error".into(),
        value: worst.into(),
        uncertainty: None,
        bound: Some(bound),
        unit: "m".into(),
        outcome: if held { CheckOutcome::Held } else { CheckOutcome::Broken },
        reason: reason.clone(),
    }];
    if case.conserves_energy() {
        checks.push(Check {
            metric: "energy_drift".into(),
            value: measured.energy_drift.iter().copied().fold(0.0, f64::max).into(),
            uncertainty: None,
            bound: None,
            unit: "J".into(),
            outcome: CheckOutcome::Shown,
            reason: "Shown in addition to the error; it has no bound.".into(),
        });
    }
    let cpu_s = measured.steps as f64 * measured.method.cpu_per_step();
    let cost = Cost { cpu_s, steps: measured.steps as u64, real_time_factor: case.duration_s() / cpu_s };
    let expected_reason = (!held)
        .then(|| format!("a method of order {} cannot satisfy this bound at such a step", measured.method.order()));
    Trial {
        spec: measured.method.spec().into(),
        step_s: Some(measured.step_s),
        verdict,
        reason,
        // The demonstration expects the verdicts it gets; the hostile report has unexpected ones.
        expected: vec![verdict],
        expected_reason,
        standing: None,
        checks,
        cost: Some(cost),
        digest: None,
    }
}

/// By verdict, then by the worst error.
fn leaderboard(measured: &[Measured], trials: &[Trial]) -> Leaderboard {
    let mut order: Vec<usize> = (0..trials.len()).collect();
    let rejected = |trial: usize| trials[trial].verdict != TrialVerdict::Accepted;
    order.sort_by(|a, b| rejected(*a).cmp(&rejected(*b)).then(measured[*a].worst().total_cmp(&measured[*b].worst())));
    let places = order.into_iter().enumerate().map(|(at, trial)| Place { rank: Some(at + 1), trial, check: Some(0) });
    Leaderboard { metric: "position_error".into(), places: places.collect() }
}

/// At most this many samples of a curve: more than a screen has columns.
const SAMPLES: usize = 800;

fn thinned(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().copied().step_by(values.len().div_ceil(SAMPLES).max(1))
}

fn error_plot(case: &dyn Case, measured: &[Measured]) -> ErrorOverTime {
    let curves = measured.iter().enumerate().map(|(trial, one)| Curve {
        trial,
        time_s: Times::from_s(thinned(&one.times)),
        value: Rounded::from_f64(thinned(&one.errors)),
    });
    ErrorOverTime {
        metric: "position_error".into(),
        unit: "m".into(),
        bound: Some(position_bound(case)),
        log: true,
        curves: curves.collect(),
    }
}

fn energy_plot(measured: &[Measured]) -> ErrorOverTime {
    let curves = measured.iter().enumerate().map(|(trial, one)| Curve {
        trial,
        time_s: Times::from_s(thinned(&one.times)),
        value: Rounded::from_f64(thinned(&one.energy_drift)),
    });
    ErrorOverTime {
        metric: "energy_drift".into(),
        unit: "J".into(),
        bound: None,
        log: true,
        curves: curves.collect(),
    }
}

fn speed_plot(case: &dyn Case, measured: &[Measured]) -> SpeedAgainstAccuracy {
    let points = measured.iter().enumerate().map(|(trial, one)| SpeedPoint {
        trial,
        cpu_per_simulated: one.steps as f64 * one.method.cpu_per_step() / case.duration_s(),
        error: one.worst().into(),
        uncertainty: None,
    });
    SpeedAgainstAccuracy {
        metric: "position_error".into(),
        unit: "m".into(),
        bound: Some(position_bound(case)),
        points: points.collect(),
    }
}

fn convergence_plot(case: &dyn Case, measured: &[Measured]) -> Convergence {
    let lines = Method::ALL.iter().map(|method| {
        let mine = || measured.iter().enumerate().filter(move |(_, one)| one.method == *method);
        let points = mine().map(|(trial, one)| ConvergencePoint {
            trial: Some(trial),
            step_s: one.step_s,
            error: one.worst().into(),
        });
        let fitted: Vec<(f64, f64)> = mine().map(|(_, one)| (one.step_s, one.worst())).collect();
        ConvergenceLine { spec: method.spec().into(), points: points.collect(), fit: fit(&fitted, method.order()) }
    });
    Convergence {
        metric: "position_error".into(),
        unit: "m".into(),
        bound: Some(position_bound(case)),
        lines: lines.collect(),
    }
}

/// A straight line through the logarithms of the three smallest steps whose error is above rounding.
fn fit(points: &[(f64, f64)], expected: f64) -> Option<Fit> {
    let mut usable: Vec<(f64, f64)> =
        points.iter().copied().filter(|(_, error)| *error > 1e-12 && *error < 0.3).collect();
    usable.sort_by(|a, b| a.0.total_cmp(&b.0));
    usable.truncate(3);
    let [(from_step_s, _), .., (to_step_s, _)] = usable[..] else { return None };
    let count = usable.len() as f64;
    let logs: Vec<(f64, f64)> = usable.iter().map(|(step, error)| (log(*step), log(*error))).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let order = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>()
        / logs.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum::<f64>();
    let factor = exp(mean_y - order * mean_x);
    Some(Fit { order, uncertainty: None, expected: Some(expected), factor, from_step_s, to_step_s })
}

/// Position and velocity of the first coordinate, thinned to what a screen shows.
fn signals(measured: &[Measured], truth: &[State], per_coarse: usize) -> Vec<Signal> {
    type Part = (&'static str, &'static str, fn(&State) -> f64);
    let parts: [Part; 2] = [("q/first", "", |state| state.q[0]), ("v/first", "1/s", |state| state.v[0])];
    let thin = |count: usize| count.div_ceil(200).max(1);
    let signal = |(name, unit, of): Part| {
        let curve = |(trial, one): (usize, &Measured)| Curve {
            trial,
            time_s: Times::from_s(one.times.iter().copied().step_by(thin(one.times.len()))),
            value: Rounded::from_f64(one.states.iter().step_by(thin(one.times.len())).map(of)),
        };
        let every = thin(truth.len());
        let time = |i: usize| i as f64 * LARGEST_STEP_S / per_coarse as f64;
        let reference = ReferenceCurve {
            time_s: Times::from_s((0..truth.len()).step_by(every).map(time)),
            value: Rounded::from_f64(truth.iter().step_by(every).map(of)),
        };
        let curves = measured.iter().enumerate().map(curve).collect();
        Signal { name: name.into(), unit: unit.into(), curves, reference: Some(reference) }
    };
    parts.map(signal).into()
}

/// Approximate size of all four scenes.
const SCENE_M: f64 = 2.0;

fn replay(case: &dyn Case, measured: &[Measured], truth: &[State], per_coarse: usize) -> Replay {
    let mut replay = Replay::new(case.duration_s(), SCENE_M, case.bodies());
    let mut track = |trial, times: &[f64], states: &[State]| {
        // Sixty frames per second are enough for display; a larger step keeps the frames it has.
        let spacing = times.get(1).copied().unwrap_or(1.0);
        let stride = ((1.0 / 60.0 / spacing) as usize).max(1);
        let poses = states.iter().step_by(stride).flat_map(|state| case.poses(&state.q)).flatten();
        replay.push(trial, times.iter().copied().step_by(stride), poses);
    };
    let truth_times: Vec<f64> = (0..truth.len()).map(|i| i as f64 * LARGEST_STEP_S / per_coarse as f64).collect();
    track(None, &truth_times, truth);
    for (trial, one) in measured.iter().enumerate() {
        track(Some(trial), &one.times, &one.states);
    }
    replay
}
