//! `veracity-audit/1`.

use serde::Serialize;
use veracity_audit::{Audit, Finding};

const SCHEMA: &str = "veracity-audit/1";

#[derive(Serialize)]
pub struct AuditDocument<'a> {
    schema: &'static str,
    version: &'static str,
    exit_code: u8,
    engines: Vec<Engine<'a>>,
}

#[derive(Serialize)]
struct Engine<'a> {
    engine: &'a str,
    full_spec: &'a str,
    engine_version: &'a str,
    steps_s: [f64; 3],
    accepted: bool,
    repeatable: bool,
    repeat_difference: Option<f64>,
    repeatability: String,
    parameters: Vec<Parameter<'a>>,
}

#[derive(Serialize)]
struct Parameter<'a> {
    name: &'a str,
    group: &'a str,
    unit: &'a str,
    given: f64,
    measured: Option<f64>,
    relative_error: Option<f64>,
    truncation: Option<f64>,
    verdict: &'a str,
    reason: &'a str,
    formula: &'a str,
}

pub fn document(audits: &[(String, Audit)], exit_code: u8) -> AuditDocument<'_> {
    let engines = audits.iter().map(|(spec, audit)| engine(spec, audit)).collect();
    AuditDocument { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), exit_code, engines }
}

fn engine<'a>(spec: &'a str, audit: &'a Audit) -> Engine<'a> {
    let step = veracity_audit::STEP_S;
    let repeat = &audit.repeatability;
    Engine {
        engine: spec,
        full_spec: &audit.full_spec,
        engine_version: &audit.version,
        steps_s: [step, 0.5 * step, 0.25 * step],
        accepted: audit.accepted(),
        repeatable: repeat.difference == 0.0,
        repeat_difference: finite(repeat.difference),
        repeatability: repeat.sentence(),
        parameters: audit.findings.iter().map(parameter).collect(),
    }
}

fn parameter(finding: &Finding) -> Parameter<'_> {
    let e = finding.experiment;
    Parameter {
        name: e.name,
        group: e.group,
        unit: e.unit,
        given: e.given,
        measured: finding.measured.and_then(finite),
        relative_error: finding.relative_error.and_then(finite),
        truncation: finding.truncation.and_then(finite),
        verdict: finding.verdict.word(),
        reason: &finding.reason,
        formula: e.formula,
    }
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
