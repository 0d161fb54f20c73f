//! A report with malformed names and values, to test the page.

use veracity_report::ReportData;
use veracity_report::data::numbers::{Real, Rounded, Times};
use veracity_report::data::plots::*;
use veracity_report::data::replay::{Body, Geometry, Replay};
use veracity_report::data::scenario::*;
use veracity_report::data::{Engine, Outcome};

use crate::systems::shape;

/// Names that would have an effect if they were parsed as markup.
const EVIL: &str = "</script><img src=x onerror=\"document.title='owned'\"><!-- & \u{2028} '\"";
const SPECS: [&str; 5] =
    ["native:iters=50", "rapier:joints=multibody,iters=4", "ode:quick", "<b>bold</b>:x=</td>", "slow"];
const SCENARIOS: usize = 20;

pub fn report() -> ReportData {
    let mut data = ReportData::new(format!("Hostile {EVIL}"));
    data.outcome = Outcome {
        as_expected: false,
        headline: "not all verdicts as expected".into(),
        summary: format!("Some verdicts are unexpected. {EVIL}"),
    };
    data.engines = vec![Engine {
        name: EVIL.into(),
        version: "1".into(),
        about: EVIL.into(),
        present: true,
        specs: SPECS.iter().map(|spec| (*spec).to_owned()).collect(),
        capabilities: vec![],
        missing: vec![],
        how_to_get: None,
    }];
    data.scenarios = (0..SCENARIOS).map(scenario).collect();
    data
}

const VERDICTS: [TrialVerdict; 6] = [
    TrialVerdict::Accepted,
    TrialVerdict::Rejected,
    TrialVerdict::CannotTell,
    TrialVerdict::NotExpressible,
    TrialVerdict::TooSlow,
    TrialVerdict::Failed,
];
const VALUES: [f64; 6] = [1e-5, 3.0, f64::NAN, f64::INFINITY, 0.0, -1.0];

fn scenario(index: usize) -> Scenario {
    let mut scenario = Scenario::new(format!("{EVIL} {index}"), format!("Scenario {index} {EVIL}"), EVIL);
    scenario.source = Some(Source { file: EVIL.into(), text: EVIL.into() });
    let severities = [Severity::Error, Severity::Warning, Severity::Note];
    let finding =
        |severity| AuditFinding { severity, code: EVIL.into(), text: EVIL.into(), place: Some(EVIL.into()) };
    scenario.audit = severities.into_iter().take(index % 4).map(finding).collect();
    scenario.trials = (0..2 * SPECS.len()).map(|trial| self::trial(index, trial)).collect();
    // Equal ranks, missing ranks, and non-finite numbers.
    let place = |(trial, of): (usize, &Trial)| {
        let check = (!of.checks.is_empty()).then_some(0);
        Place { rank: (trial % 4 != 3).then_some(1 + trial / 2), trial, check }
    };
    let places = scenario.trials.iter().enumerate().map(place).collect();
    scenario.leaderboard = Some(Leaderboard { metric: "position_error".into(), places });
    scenario.errors = vec![errors(&scenario)];
    scenario.speed = vec![SpeedAgainstAccuracy {
        metric: EVIL.into(),
        unit: "m".into(),
        bound: None,
        points: (0..6)
            .map(|trial| SpeedPoint {
                trial,
                cpu_per_simulated: 0.01 * (trial + 1) as f64,
                error: VALUES[trial].into(),
                uncertainty: Some(Real(1.0)),
            })
            .collect(),
    }];
    scenario.replay = Some(blown_up());
    scenario
}

fn trial(scenario: usize, index: usize) -> Trial {
    let kind = (scenario + index) % 6;
    let verdict = VERDICTS[kind];
    let bound = Bound { value: 1e-3.into(), side: Side::AtMost, reason: EVIL.into() };
    let ran = !matches!(verdict, TrialVerdict::NotExpressible | TrialVerdict::Failed);
    let check = Check {
        metric: "position_error".into(),
        value: VALUES[kind].into(),
        uncertainty: Some(Real(0.5)),
        bound: Some(bound),
        unit: "m".into(),
        outcome: CheckOutcome::Undecided,
        reason: EVIL.into(),
    };
    Trial {
        spec: SPECS[index % SPECS.len()].into(),
        step_s: if index.is_multiple_of(7) { None } else { Some(0.01 / (index + 1) as f64) },
        verdict,
        reason: EVIL.into(),
        expected: if index.is_multiple_of(3) { vec![TrialVerdict::Accepted] } else { vec![] },
        expected_reason: Some(EVIL.into()),
        standing: None,
        checks: if ran { vec![check] } else { vec![] },
        cost: ran.then_some(Cost { cpu_s: 0.3, steps: 1_000_000, real_time_factor: 33.0 }),
        digest: Some("b3:0123456789abcdef".into()),
    }
}

/// Curves of different lengths and times, with gaps, zeros and one that is empty.
fn errors(scenario: &Scenario) -> ErrorOverTime {
    let curve = |trial: usize| {
        let samples = 40 * trial;
        let value = (0..samples).map(|i| match i % 17 {
            3 => f64::NAN,
            5 => f64::INFINITY,
            7 => 0.0,
            _ => 1e-6 * (i * (trial + 1)) as f64,
        });
        let time = (0..samples).map(|i| i as f64 / (7 + trial) as f64);
        Curve { trial, time_s: Times::from_s(time), value: Rounded::from_f64(value) }
    };
    let curves = (0..scenario.trials.len().min(4)).map(curve).collect();
    ErrorOverTime { metric: EVIL.into(), unit: "m".into(), bound: None, log: true, curves }
}

/// One engine stays, one diverges, one ends early with non-finite numbers, one never began.
fn blown_up() -> Replay {
    let ball = shape([0.0; 3], [1.0, 0.0, 0.0, 0.0], Geometry::Ellipsoid { radii_m: [0.2, 0.3, 0.1] });
    let bodies = vec![
        Body { name: EVIL.into(), fixed: false, shapes: vec![ball] },
        Body { name: "bare".into(), fixed: false, shapes: vec![] },
    ];
    let mut replay = Replay::new(3.0, 1.0, bodies);
    let mut track = |trial: usize, frames: usize, height: fn(f64) -> f64| {
        let times = (0..frames).map(|i| i as f64 * 0.1);
        let pose = |time: f64, x: f64| [x, 0.0, height(time), 1.0, 0.0, 0.0, 0.0];
        let poses = times.clone().flat_map(|time| [pose(time, 0.0), pose(time, 1.0)]).flatten();
        replay.push(Some(trial), times.clone(), poses);
    };
    track(0, 31, |time| 1.0 - 0.1 * time);
    track(1, 31, |time| (time * time * time * 5.0).exp());
    track(2, 12, |time| if time > 0.8 { f64::NAN } else { 1.0 });
    track(3, 0, |_| 0.0);
    // One point below the ball at every moment, pressing harder with time, and one without a force.
    replay.force_step_n = 0.01;
    replay.contact_points = 2;
    let below = |moment: usize| {
        [(moment, [0.0, 0.0, 0.9], [0.0, 0.0, 1.0 + moment as f64]), (moment, [0.1, 0.0, 0.9], [0.0; 3])]
    };
    replay.push_contacts(0, (0..31).flat_map(below));
    replay
}
