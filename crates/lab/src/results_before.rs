//! Results of earlier schemas, so that an older store can still be a baseline. The store's encoding has no field names,
//! so stored results must be read with a type of the same shape.

use crate::results::{CheckResult, Comparison, Expected, ExperimentFinding, Row, StudyResult};
use serde::Deserialize;
#[cfg(test)]
use serde::Serialize;
use veracity_measure::{Better, Judgement, Measured, TrialVerdict, Verdict};
use veracity_model::finding::interned_code;
use veracity_model::{Digest, Finding, Severity, Source};

/// Results up to schema 4, with rows of type `R`: findings are printed lines.
#[derive(Deserialize)]
struct OldStudy<R> {
    schema: u32,
    study: String,
    veracity_version: String,
    rows: Vec<R>,
    audit: Vec<(String, String)>,
    comparisons: Vec<Comparison>,
    complete: bool,
    guests: Vec<String>,
    absent: Vec<String>,
}

impl<R: Into<Row>> From<OldStudy<R>> for StudyResult {
    fn from(old: OldStudy<R>) -> Self {
        let finding = |(scenario, line): (String, String)| ExperimentFinding { scenario, finding: from_line(&line) };
        Self {
            schema: old.schema,
            study: old.study,
            veracity_version: old.veracity_version,
            rows: old.rows.into_iter().map(Into::into).collect(),
            audit: old.audit.into_iter().map(finding).collect(),
            comparisons: old.comparisons,
            complete: old.complete,
            guests: old.guests,
            absent: old.absent,
            axes: Vec::new(),
            boundaries: Vec::new(),
        }
    }
}

/// `place:line: severity[code]: text`, as results up to schema 4 hold findings. A line of another form is kept as the
/// text of a warning.
fn from_line(line: &str) -> Finding {
    let severities = [Severity::Error, Severity::Warning, Severity::Note];
    let parts = severities.into_iter().find_map(|severity| {
        let (place, rest) = line.split_once(&format!("{severity}["))?;
        let (code, text) = rest.split_once("]: ")?;
        Some((place.strip_suffix(": ").unwrap_or(place), severity, code, text))
    });
    let Some((place, severity, code, text)) = parts else {
        let text = line.to_string();
        return Finding { source: None, severity: Severity::Warning, code: "", text, subject: String::new() };
    };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (file, line.parse().unwrap_or(0)),
        None => (place, 0),
    };
    let source = (!place.is_empty()).then(|| Source { file: file.into(), line });
    Finding { source, severity, code: interned_code(code), text: text.to_string(), subject: String::new() }
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
    verdict: TrialVerdict,
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

/// Rows of schemas 1 and 2.
#[derive(Deserialize)]
struct Row2 {
    scenario: String,
    engine: String,
    full_spec: String,
    step_s: f64,
    seed: u64,
    overrides: Vec<(String, f64)>,
    verdict: TrialVerdict,
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
    match schema {
        5.. => return postcard::from_bytes(&bytes),
        4 => return postcard::from_bytes::<OldStudy<Row>>(&bytes).map(StudyResult::from),
        3 => return postcard::from_bytes::<OldStudy<Row3>>(&bytes).map(StudyResult::from),
        _ => {}
    }
    if schema < 2 {
        // Schema 1 ends before the guests and the absent engines: append two empty lists, one byte each.
        bytes.extend([0, 0]);
    }
    postcard::from_bytes::<OldStudy<Row2>>(&bytes).map(StudyResult::from)
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
            verdict: TrialVerdict::Accepted,
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
    fn findings_of_schema_4_become_values_again() {
        let line = "a/robot.urdf:77: error[inertia-triangle]: body 'x' is [odd]: mend it";
        let audit = vec![("s".to_string(), line.to_string()), ("s".to_string(), "no form at all".to_string())];
        let whole = (4u32, "t", "0.1", Vec::<Row>::new(), audit, Vec::<Comparison>::new());
        let lists = (true, Vec::<String>::new(), Vec::<String>::new());
        let read = read(postcard::to_stdvec(&(whole, lists)).unwrap(), 4).unwrap();
        assert_eq!(read.audit[0].finding.to_string(), line);
        assert_eq!(
            (read.audit[0].finding.code, read.audit[0].finding.severity),
            ("inertia-triangle", Severity::Error)
        );
        assert_eq!(read.audit[1].finding.text, "no form at all");
        // Written and read in today's form.
        let again = super::read(postcard::to_stdvec(&read).unwrap(), 5).unwrap();
        assert_eq!(again.audit, read.audit);
    }

    #[test]
    fn results_of_schema_2_are_read() {
        let measured = WrittenMeasured(0.5, 0.1, Some(2.0), Vec::new(), None, "note".into());
        let judgement = (Verdict::Accepted, Some(measured), 1.0, Better::Smaller, "within".to_string());
        let check = WrittenCheck("c".into(), "m".into(), "m".into(), judgement, "x".into(), "because".into());
        let head = ("s".to_string(), "native".to_string(), "native:full".to_string(), 1e-3, 0u64);
        let overrides: Vec<(String, f64)> = Vec::new();
        let middle = (overrides, TrialVerdict::Accepted, "fine".to_string(), Option::<Expected>::None, vec![check]);
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
