//! The part of a report that the page reads at once: everything but the scenarios' own data.
//!
//! A suite has hundreds of trials with their sentences, curves and motion; a reader opens a few of them. The page holds an
//! index, which is all that its tables of verdicts need, and each scenario deflated, which it inflates when opened.

use crate::data::scenario::{Scenario, Severity, Standing, TrialVerdict};
use crate::data::{Engine, Outcome, Provenance, ReportData};
use crate::{ReportError, base64};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// What the page reads first.
#[derive(Serialize)]
pub struct Index<'a> {
    schema: u32,
    title: &'a str,
    provenance: &'a Provenance,
    outcome: &'a Outcome,
    engines: &'a [Engine],
    /// Every engine spec that occurs, listed engines first; trials name their place in this list.
    specs: Vec<&'a str>,
    headings: Vec<Heading<'a>>,
}

/// A scenario's line.
#[derive(Serialize)]
struct Heading<'a> {
    name: &'a str,
    title: &'a str,
    /// The worst finding of the inspection.
    finding: Option<Severity>,
    /// The first sentence of the answer.
    answer: Option<&'a str>,
    /// Names of the metrics, for the filter.
    metrics: BTreeSet<&'a str>,
    trials: Vec<TrialLine>,
}

/// Spec, step, verdict, expected verdicts as bits, standing: as whole numbers, because a study may have thousands.
type TrialLine = (usize, Option<f64>, usize, u32, usize);

const VERDICTS: [TrialVerdict; 6] = [
    TrialVerdict::Accepted,
    TrialVerdict::Rejected,
    TrialVerdict::CannotTell,
    TrialVerdict::NotExpressible,
    TrialVerdict::TooSlow,
    TrialVerdict::Failed,
];
const STANDINGS: [Standing; 4] = [Standing::Passed, Standing::Failed, Standing::Error, Standing::Skipped];

impl<'a> Index<'a> {
    /// Of a report.
    pub fn new(data: &'a ReportData) -> Self {
        let specs = specs(data);
        let place: BTreeMap<&str, usize> = specs.iter().enumerate().map(|(place, spec)| (*spec, place)).collect();
        let headings = data.scenarios.iter().map(|scenario| Heading::new(scenario, &place)).collect();
        let ReportData { schema, title, provenance, outcome, engines, .. } = data;
        Self { schema: *schema, title, provenance, outcome, engines, specs, headings }
    }
}

impl<'a> Heading<'a> {
    fn new(scenario: &'a Scenario, place: &BTreeMap<&str, usize>) -> Self {
        let worst = |severity: Severity| scenario.audit.iter().any(|finding| finding.severity == severity);
        let trials = scenario.trials.iter().map(|trial| {
            let expected = trial.expected.iter().fold(0, |bits, verdict| bits | 1 << position(&VERDICTS, verdict));
            let spec = place.get(trial.spec.as_str()).copied().unwrap_or_default();
            let verdict = position(&VERDICTS, &trial.verdict);
            (spec, trial.step_s, verdict, expected, position(&STANDINGS, &trial.standing()))
        });
        Self {
            name: &scenario.name,
            title: &scenario.title,
            finding: [Severity::Error, Severity::Warning].into_iter().find(|severity| worst(*severity)),
            answer: scenario.answer.first().map(String::as_str),
            metrics: scenario.trials.iter().flat_map(|t| &t.checks).map(|check| check.metric.as_str()).collect(),
            trials: trials.collect(),
        }
    }
}

/// Base64 of raw deflate of the scenario as JSON.
pub fn packed(scenario: &Scenario) -> Result<String, ReportError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&serde_json::to_vec(scenario)?);
    Ok(base64::encode(&encoder.finish().unwrap_or_default()))
}

/// In the order of the list of engines, then in order of appearance. A spec may appear only in a plot.
fn specs(data: &ReportData) -> Vec<&str> {
    let trials = data.scenarios.iter().flat_map(|s| s.trials.iter().map(|trial| trial.spec.as_str()));
    let lines = data.scenarios.iter().flat_map(|s| &s.convergence).flat_map(|plot| &plot.lines);
    let used: Vec<&str> = trials.chain(lines.map(|line| line.spec.as_str())).collect();
    let known: BTreeSet<&str> = used.iter().copied().collect();
    let listed = data.engines.iter().flat_map(|engine| &engine.specs).map(String::as_str);
    let mut seen = BTreeSet::new();
    listed.filter(|spec| known.contains(spec)).chain(used.iter().copied()).filter(|spec| seen.insert(*spec)).collect()
}

fn position<T: PartialEq>(list: &[T], value: &T) -> usize {
    list.iter().position(|known| known == value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_of_listed_engines_come_first_and_each_once() {
        let mut data = ReportData::new("t");
        let trial = |spec: &str| crate::data::scenario::Trial::new(spec, Some(1e-3), TrialVerdict::Rejected);
        let mut scenario = Scenario::new("s", "S", "");
        scenario.trials = ["b", "a", "b", "c:x=1"].map(trial).into();
        scenario.trials[1].expected = vec![TrialVerdict::Accepted, TrialVerdict::Failed];
        data.scenarios.push(scenario);
        data.engines.push(Engine { specs: vec!["unused".into(), "a".into()], ..Engine::absent("a", "", "") });
        let index = serde_json::to_value(Index::new(&data)).unwrap();
        assert_eq!(index["specs"], serde_json::json!(["a", "b", "c:x=1"]));
        // Rejected without an expectation does not count; of two expected verdicts, the first and the sixth bit are set.
        assert_eq!(
            index["headings"][0]["trials"],
            serde_json::json!([
                [1, 1e-3, 1, 0, 3],
                [0, 1e-3, 1, 0b100001, 1],
                [1, 1e-3, 1, 0, 3],
                [2, 1e-3, 1, 0, 3]
            ])
        );
    }
}
