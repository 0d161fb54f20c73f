//! A study of many trials: to measure how long a page of that size takes to open. Only the numbers' sizes matter; they
//! follow a formula.

use veracity_report::ReportData;
use veracity_report::data::numbers::Real;
use veracity_report::data::plots::{SpeedAgainstAccuracy, SpeedPoint};
use veracity_report::data::scenario::*;
use veracity_report::data::{Outcome, Provenance};

const SPECS: [&str; 4] = ["native", "native:integrator=euler", "rapier", "rapier:joints=multibody,iters=4"];
const SCENARIOS: usize = 4;
const STEPS: [f64; 2] = [2e-3, 1e-3];

/// About this many trials, the same number in each scenario.
pub fn report(trials: usize) -> ReportData {
    let mut data = ReportData::new("Study with many variations");
    data.scenarios = (0..SCENARIOS).map(|index| scenario(index, trials / SCENARIOS)).collect();
    let count = data.scenarios.iter().map(|scenario| scenario.trials.len()).sum::<usize>();
    data.outcome = Outcome {
        as_expected: false,
        headline: "not all verdicts as expected".into(),
        summary: format!("{count} trials of made-up numbers."),
    };
    data.provenance = Provenance { when: "2026-01-01 12:00 UTC".into(), ..Provenance::default() };
    data
}

fn scenario(index: usize, trials: usize) -> Scenario {
    let mut scenario = Scenario::new(
        format!("variation_{index}"),
        format!("Variation {index}"),
        "Friction, mass and delay are drawn from distributions; every draw runs on every engine spec at two steps.",
    );
    scenario.trials = (0..trials).map(trial).collect();
    let error = |trial: &Trial| trial.checks[0].value.0;
    let mut order: Vec<usize> = (0..trials).collect();
    order.sort_by(|a, b| error(&scenario.trials[*a]).total_cmp(&error(&scenario.trials[*b])));
    let place = |(at, trial): (usize, usize)| Place { rank: Some(at + 1), trial, check: Some(0) };
    let places = order.into_iter().enumerate().map(place).collect();
    scenario.leaderboard = Some(Leaderboard { metric: "slip".into(), places });
    let point = |(trial, of): (usize, &Trial)| SpeedPoint {
        trial,
        cpu_per_simulated: of.cost.as_ref().map_or(1.0, |cost| 1.0 / cost.real_time_factor),
        error: Real(error(of)),
        uncertainty: None,
    };
    let points = scenario.trials.iter().enumerate().map(point).collect();
    scenario.speed = vec![SpeedAgainstAccuracy { metric: "slip".into(), unit: "m".into(), bound: None, points }];
    scenario
}

fn trial(index: usize) -> Trial {
    // Low-discrepancy numbers between 0 and 1.
    let part = |by: f64| (index as f64 * by).fract();
    let slip = 1e-5 * 1e4_f64.powf(part(0.618_033_988_75));
    let held = slip <= 1e-3;
    let reason = format!("slip: {slip:.3e} ± 1.0e-9 m at {:.2} s is {} 1.000e-3 m", 3.0 * part(0.41), side(held));
    let check = |metric: &str, value: f64, held: bool| Check {
        metric: metric.into(),
        value: Real(value),
        uncertainty: Some(Real(1e-9)),
        bound: Some(Bound {
            value: Real(1e-3),
            side: Side::AtMost,
            reason: "A millimetre is what the task allows between gripper and object.".into(),
        }),
        unit: "m".into(),
        outcome: if held { CheckOutcome::Held } else { CheckOutcome::Broken },
        reason: format!("{value:.3e} ± 1.0e-9 m is {} 1.000e-3 m", side(held)),
    };
    let verdict = if held { TrialVerdict::Accepted } else { TrialVerdict::Rejected };
    let mut trial = Trial::new(SPECS[index % SPECS.len()], Some(STEPS[index / SPECS.len() % STEPS.len()]), verdict);
    trial.reason = reason;
    trial.checks = vec![check("slip", slip, held), check("penetration", 0.1 * slip, true)];
    trial.cost =
        Some(Cost { cpu_s: 0.01 + 0.02 * part(0.73), steps: 3000, real_time_factor: 3.0 / (0.01 + part(0.73)) });
    trial.digest = Some(format!("{:064x}", (index as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)));
    trial
}

fn side(held: bool) -> &'static str {
    if held { "within" } else { "beyond" }
}
