//! The page's types, `web/src/data/schema.ts`, name every field and every enum value of the data. TypeScript cannot see
//! Rust: a field renamed only here would be `undefined` there, and show as an empty cell.

use serde_json::Value;
use std::collections::BTreeSet;
use veracity_report::ReportData;
use veracity_report::data::numbers::{F32Array, Real, Rounded, Times, U32Array};
use veracity_report::data::plots::*;
use veracity_report::data::replay::*;
use veracity_report::data::scenario::*;
use veracity_report::data::signals::{ReferenceCurve, Signal};
use veracity_report::data::{Engine, Fact, Missing};

const SCHEMA: &str = include_str!("../../../web/src/data/schema.ts");

/// Every struct once, every option filled.
fn full() -> ReportData {
    let mut data = ReportData::new("t");
    let fact = || Fact { name: "n".into(), value: "v".into() };
    data.provenance.machine = vec![fact()];
    data.engines = vec![Engine {
        name: "e".into(),
        version: "1".into(),
        about: "a".into(),
        present: true,
        specs: vec!["e".into()],
        capabilities: vec![fact()],
        missing: vec![Missing { feature: "f".into(), hint: "h".into() }],
        how_to_get: None,
    }];
    let bound = || Bound { value: Real(f64::INFINITY), side: Side::AtMost, reason: "r".into() };
    let check = Check {
        metric: "m".into(),
        value: 1.0.into(),
        uncertainty: None,
        bound: Some(bound()),
        unit: "m".into(),
        outcome: CheckOutcome::Held,
        reason: "r".into(),
    };
    let mut scenario = Scenario::new("s", "S", "a");
    scenario.source = Some(Source { file: "f".into(), text: "t".into() });
    scenario.reference = Some(Reference { kind: "k".into(), about: "a".into(), own_error: None });
    scenario.audit =
        vec![AuditFinding { severity: Severity::Error, code: "c".into(), text: "t".into(), place: None }];
    scenario.trials = vec![Trial {
        spec: "e".into(),
        step_s: Some(0.1),
        verdict: TrialVerdict::Accepted,
        reason: "r".into(),
        expected: vec![],
        expected_reason: None,
        standing: Some(Standing::Passed),
        checks: vec![check],
        cost: Some(Cost { cpu_s: 1.0, steps: 1, real_time_factor: 1.0 }),
        digest: None,
    }];
    scenario.leaderboard =
        Some(Leaderboard { metric: "m".into(), places: vec![Place { rank: Some(1), trial: 0, check: Some(0) }] });
    let (metric, unit) = (String::from("m"), String::from("m"));
    let curve = Curve { trial: 0, time_s: Times::default(), value: Rounded::default() };
    scenario.errors = vec![ErrorOverTime {
        metric: metric.clone(),
        unit: unit.clone(),
        bound: Some(bound()),
        log: true,
        curves: vec![curve],
    }];
    let point = SpeedPoint { trial: 0, cpu_per_simulated: 1.0, error: 1.0.into(), uncertainty: None };
    scenario.speed =
        vec![SpeedAgainstAccuracy { metric: metric.clone(), unit: unit.clone(), bound: None, points: vec![point] }];
    let fit = Fit { order: 4.0, uncertainty: None, expected: None, factor: 1.0, from_step_s: 0.1, to_step_s: 0.2 };
    let points = vec![ConvergencePoint { trial: None, step_s: 0.1, error: 1.0.into() }];
    let lines = vec![ConvergenceLine { spec: "e".into(), points, fit: Some(fit) }];
    scenario.convergence = vec![Convergence { metric, unit, bound: None, lines }];
    let empty = || ReferenceCurve { time_s: Times::default(), value: Rounded::default() };
    let curves = vec![Curve { trial: 0, time_s: Times::default(), value: Rounded::default() }];
    scenario.signals = vec![Signal { name: "q/j".into(), unit: "rad".into(), curves, reference: Some(empty()) }];
    scenario.signals_left_out = vec!["v/j".into()];
    let geometries = [
        Geometry::Box { size_m: [1.0; 3] },
        Geometry::Sphere { radius_m: 1.0 },
        Geometry::Ellipsoid { radii_m: [1.0; 3] },
        Geometry::Cylinder { radius_m: 1.0, length_m: 1.0 },
        Geometry::Capsule { radius_m: 1.0, length_m: 1.0 },
        Geometry::Plane,
        Geometry::Mesh { vertices_m: F32Array::default(), triangles: U32Array::default() },
    ];
    let shapes = geometries.map(|geometry| PlacedShape { body_from_shape: Pose::IDENTITY, geometry }).into();
    let mut replay = Replay::new(1.0, 1.0, vec![Body { name: "b".into(), fixed: true, shapes }]);
    replay.push(None, [], []);
    scenario.replay = Some(replay);
    data.scenarios = vec![scenario];
    data.check().unwrap();
    data
}

fn names_in(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            names.insert(name.clone());
            names_in(value, names);
        }),
        Value::Array(values) => values.iter().for_each(|value| names_in(value, names)),
        _ => {}
    }
}

#[test]
fn every_field_is_a_field_of_the_page_s_types() {
    let mut names = BTreeSet::new();
    names_in(&serde_json::to_value(full()).unwrap(), &mut names);
    assert!(names.len() > 60, "only {} names were found", names.len());
    let known = |name: &&String| SCHEMA.contains(&format!("{name}: ")) || SCHEMA.contains(&format!("{name}?: "));
    let unknown: Vec<&String> = names.iter().filter(|name| !known(name)).collect();
    assert!(unknown.is_empty(), "web/src/data/schema.ts does not know {unknown:?}");
}

#[test]
fn every_enum_value_is_known_to_the_page() {
    let word = |value: Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let to = |value: serde_json::Result<Value>| word(value.unwrap());
    use serde_json::to_value;
    let verdicts = [
        TrialVerdict::Accepted,
        TrialVerdict::Rejected,
        TrialVerdict::CannotTell,
        TrialVerdict::NotExpressible,
        TrialVerdict::TooSlow,
        TrialVerdict::Failed,
    ];
    let outcomes = [CheckOutcome::Held, CheckOutcome::Broken, CheckOutcome::Undecided, CheckOutcome::Shown];
    let mut words: Vec<String> = verdicts.iter().map(|one| to(to_value(one))).collect();
    words.extend(outcomes.iter().map(|one| to(to_value(one))));
    let standings = [Standing::Passed, Standing::Failed, Standing::Error, Standing::Skipped];
    words.extend(standings.iter().map(|one| to(to_value(one))));
    words.extend([Side::AtMost, Side::AtLeast].iter().map(|one| to(to_value(one))));
    words.extend([Severity::Error, Severity::Warning, Severity::Note].iter().map(|one| to(to_value(one))));
    words.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|one| to(to_value(Real(one)))));
    for word in words {
        assert!(SCHEMA.contains(&format!("\"{word}\"")), "web/src/data/schema.ts does not know \"{word}\"");
    }
    let shapes = &serde_json::to_value(full()).unwrap()["scenarios"][0]["replay"]["bodies"][0]["shapes"];
    for shape in shapes.as_array().unwrap() {
        let kind = shape["geometry"]["kind"].as_str().unwrap();
        assert!(SCHEMA.contains(&format!("kind: \"{kind}\"")), "web/src/data/schema.ts does not know {kind}");
    }
}
