//! Results of earlier schemas, so that an older store can still be a baseline. The store's encoding has no field names,
//! so stored results must be read with a type of the same shape.

use crate::results::{CheckResult, Comparison, Expected, Row, RowVerdict, StudyResult};
use serde::Deserialize;
#[cfg(test)]
use serde::Serialize;
use veracity_measure::{Better, Judgement, Measured, Verdict};
use veracity_model::Digest;

/// Results of schema 3.
#[derive(Deserialize)]
struct Study3 {
    schema: u32,
    study: String,
    veracity_version: String,
    rows: Vec<Row3>,
    audit: Vec<(String, String)>,
    comparisons: Vec<Comparison>,
    complete: bool,
    guests: Vec<String>,
    absent: Vec<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(Serialize))]
struct Row3 {
    scenario: String,
    engine: String,
    full_spec: String,
    step_s: f64,
    seed: u64,
    overrides: Vec<(String, f64)>,
    verdict: RowVerdict,
    reason: String,
    expected: Option<Expected>,
    expected_checks: Vec<(String, Expected)>,
    checks: Vec<CheckResult>,
    digest: Option<Digest>,
    key: Digest,
    cpu_s: f64,
    simulated_s: f64,
    steps: u64,
    warnings: Vec<String>,
}

impl From<Study3> for StudyResult {
    fn from(old: Study3) -> Self {
        Self {
            schema: old.schema,
            study: old.study,
            veracity_version: old.veracity_version,
            rows: old.rows.into_iter().map(Row::from).collect(),
            audit: old.audit,
            comparisons: old.comparisons,
            complete: old.complete,
            guests: old.guests,
            absent: old.absent,
        }
    }
}

impl From<Row3> for Row {
    fn from(old: Row3) -> Self {
        Self {
            scenario: old.scenario,
            engine: old.engine,
            full_spec: old.full_spec,
            step_s: old.step_s,
            seed: old.seed,
            overrides: old.overrides,
            verdict: old.verdict,
            reason: old.reason,
            expected: old.expected,
            expected_checks: old.expected_checks,
            checks: old.checks,
            digest: old.digest,
            key: old.key,
            cpu_s: old.cpu_s,
            simulated_s: old.simulated_s,
            steps: old.steps,
            warnings: old.warnings,
            stopped: None,
        }
    }
}

/// Results of schema 2; results of schema 1 have this shape once two empty lists are appended.
#[derive(Deserialize)]
pub(crate) struct Study2 {
    schema: u32,
    study: String,
    veracity_version: String,
    rows: Vec<Row2>,
    audit: Vec<(String, String)>,
    comparisons: Vec<Comparison>,
    complete: bool,
    guests: Vec<String>,
    absent: Vec<String>,
}

#[derive(Deserialize)]
struct Row2 {
    scenario: String,
    engine: String,
    full_spec: String,
    step_s: f64,
    seed: u64,
    overrides: Vec<(String, f64)>,
    verdict: RowVerdict,
    reason: String,
    expected: Option<Expected>,
    checks: Vec<Check2>,
    digest: Option<Digest>,
    key: Digest,
    cpu_s: f64,
    simulated_s: f64,
    steps: u64,
    warnings: Vec<String>,
}

#[derive(Deserialize)]
struct Check2 {
    name: String,
    metric: String,
    unit: String,
    judgement: Judgement2,
    against: String,
    bound_reason: String,
}

#[derive(Deserialize)]
struct Judgement2 {
    verdict: Verdict,
    measured: Option<Measured2>,
    bound: f64,
    better: Better,
    reason: String,
}

#[derive(Deserialize)]
struct Measured2 {
    value: f64,
    uncertainty: f64,
    at_s: Option<f64>,
    series: Vec<(f64, f64)>,
    said_by_engine: Option<f64>,
    note: String,
}

impl From<Study2> for StudyResult {
    fn from(old: Study2) -> Self {
        Self {
            schema: old.schema,
            study: old.study,
            veracity_version: old.veracity_version,
            rows: old.rows.into_iter().map(Row::from).collect(),
            audit: old.audit,
            comparisons: old.comparisons,
            complete: old.complete,
            guests: old.guests,
            absent: old.absent,
        }
    }
}

impl From<Row2> for Row {
    fn from(old: Row2) -> Self {
        Self {
            scenario: old.scenario,
            engine: old.engine,
            full_spec: old.full_spec,
            step_s: old.step_s,
            seed: old.seed,
            overrides: old.overrides,
            verdict: old.verdict,
            reason: old.reason,
            expected: old.expected,
            expected_checks: Vec::new(),
            checks: old.checks.into_iter().map(CheckResult::from).collect(),
            digest: old.digest,
            key: old.key,
            cpu_s: old.cpu_s,
            simulated_s: old.simulated_s,
            steps: old.steps,
            warnings: old.warnings,
            stopped: None,
        }
    }
}

impl From<Check2> for CheckResult {
    fn from(old: Check2) -> Self {
        let Judgement2 { verdict, measured, bound, better, reason } = old.judgement;
        let measured = measured.map(|m| Measured {
            at_s: m.at_s,
            series: m.series,
            said_by_engine: m.said_by_engine,
            note: m.note,
            ..Measured::new(m.value, m.uncertainty)
        });
        Self {
            name: old.name,
            metric: old.metric,
            unit: old.unit,
            judgement: Judgement { verdict, measured, bound, better, reason },
            against: old.against,
            bound_reason: old.bound_reason,
        }
    }
}

/// Reads results of any schema up to the current one.
pub(crate) fn read(mut bytes: Vec<u8>, schema: u32) -> Result<StudyResult, postcard::Error> {
    if schema >= 4 {
        return postcard::from_bytes(&bytes);
    }
    if schema == 3 {
        return postcard::from_bytes::<Study3>(&bytes).map(StudyResult::from);
    }
    if schema < 2 {
        // Schema 1 ends before the guests and the absent engines: append two empty lists, one byte each.
        bytes.extend([0, 0]);
    }
    postcard::from_bytes::<Study2>(&bytes).map(StudyResult::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The types of schema 2 again, for writing what a store of that version holds.
    #[derive(Serialize)]
    struct WrittenMeasured(f64, f64, Option<f64>, Vec<(f64, f64)>, Option<f64>, String);
    #[derive(Serialize)]
    struct WrittenCheck(
        String,
        String,
        String,
        (Verdict, Option<WrittenMeasured>, f64, Better, String),
        String,
        String,
    );

    #[test]
    fn results_of_schema_3_are_read() {
        let row = |n: u64| Row3 {
            scenario: format!("s{n}"),
            engine: "native".into(),
            full_spec: "native:full".into(),
            step_s: 1e-3,
            seed: 0,
            overrides: Vec::new(),
            verdict: RowVerdict::Accepted,
            reason: "fine".into(),
            expected: None,
            expected_checks: Vec::new(),
            checks: Vec::new(),
            digest: None,
            key: Digest::of(b"k"),
            cpu_s: 1.5,
            simulated_s: 2.0,
            steps: n,
            warnings: vec!["careful".into()],
        };
        let lists = (Vec::<(String, String)>::new(), Vec::<Comparison>::new(), true, vec!["g".to_string()]);
        let whole = (3u32, "t".to_string(), "0.1".to_string(), vec![row(1), row(2)], lists, Vec::<String>::new());
        let read = read(postcard::to_stdvec(&whole).unwrap(), 3).unwrap();
        assert_eq!((read.rows.len(), read.rows[1].steps, read.guests.len()), (2, 2, 1));
        assert_eq!((read.rows[1].warnings[0].as_str(), &read.rows[1].stopped), ("careful", &None));
    }

    #[test]
    fn results_of_schema_2_are_read() {
        let measured = WrittenMeasured(0.5, 0.1, Some(2.0), Vec::new(), None, "note".into());
        let judgement = (Verdict::Accepted, Some(measured), 1.0, Better::Smaller, "within".to_string());
        let check = WrittenCheck("c".into(), "m".into(), "m".into(), judgement, "x".into(), "because".into());
        let head = ("s".to_string(), "native".to_string(), "native:full".to_string(), 1e-3, 0u64);
        let overrides: Vec<(String, f64)> = Vec::new();
        let middle = (overrides, RowVerdict::Accepted, "fine".to_string(), Option::<Expected>::None, vec![check]);
        let tail = (Option::<Digest>::None, Digest::of(b"k"), 1.5, 2.0, 2000u64, vec!["careful".to_string()]);
        let rows = vec![(head, middle, tail)];
        let lists = (Vec::<(String, String)>::new(), Vec::<Comparison>::new(), true, vec!["g".to_string()]);
        let whole = (2u32, "t".to_string(), "0.1".to_string(), rows, lists, Vec::<String>::new());
        let read = read(postcard::to_stdvec(&whole).unwrap(), 2).unwrap();
        assert_eq!((read.study.as_str(), read.complete, read.guests.len()), ("t", true, 1));
        let row = &read.rows[0];
        assert_eq!((row.steps, row.warnings[0].as_str()), (2000, "careful"));
        let judgement = &row.checks[0].judgement;
        assert_eq!(judgement.measured.as_ref().map(|m| (m.value, m.known_until_s)), Some((0.5, None)));
    }
}
