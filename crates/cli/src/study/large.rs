//! The output of a large study takes time linear in the number of trials.
//!
//! Work is measured by allocations: every comparison that used to be made between all pairs of trials built a string or
//! a list.

use super::{Shown, baseline, json, junit, show};
use crate::output::Output;
use std::sync::Arc;
use veracity_lab::{CheckResult, Conclusion, ExperimentFinding, Row, StudyResult, TrialVerdict};
use veracity_measure::{Measured, judge};
use veracity_model::{Digest, Finding, Findings, Overrides, Severity};
use veracity_scenario::{Scenario, Study};

/// Many variations of one scenario, a suite of many scenarios and a sweep over many specs, a third each.
fn result(trials: usize) -> StudyResult {
    let row = |i: usize| {
        let third = trials / 3;
        let (scenario, engine, overrides) = match i / third.max(1) {
            0 => ("varied".to_string(), "native".to_string(), vec![("world/gravity/z".to_string(), -9.0 - i as f64)]),
            1 => (format!("scenario_{}", i / 5), format!("engine_{}", i % 5), Vec::new()),
            _ => ("swept".to_string(), format!("native:iters={}", i % 40), vec![("step".to_string(), i as f64)]),
        };
        // Every seventh is rejected, each with its own number.
        let error = if i.is_multiple_of(7) { 1.0 + i as f64 } else { 1e-6 };
        let judgement = judge(Ok(Measured::new(error, 0.0)), 1e-3, "rad");
        let verdict = TrialVerdict::from(judgement.verdict);
        let reason = judgement.reason.clone();
        let check = CheckResult {
            name: "angle".to_string(),
            metric: "joint_error".to_string(),
            unit: "rad".to_string(),
            judgement,
            against: String::new(),
            bound_reason: String::new(),
        };
        Row {
            scenario,
            full_spec: engine.clone(),
            engine,
            step_s: if i.is_multiple_of(11) { 5e-4 } else { 1e-3 },
            seed: 0,
            overrides,
            verdict,
            reason,
            expected: None,
            expected_checks: Vec::new(),
            checks: vec![check],
            digest: None,
            key: Digest::of(&i.to_le_bytes()),
            cpu_s: 0.5,
            simulated_s: 10.0,
            steps: 10_000,
            warnings: Vec::new(),
            stopped: None,
        }
    };
    let finding = |i: usize| ExperimentFinding {
        scenario: format!("scenario_{}", i / 3),
        finding: Finding {
            source: None,
            severity: Severity::Warning,
            code: "overlap",
            text: format!("bodies {i}"),
            subject: String::new(),
        },
    };
    StudyResult {
        schema: veracity_lab::results::SCHEMA,
        study: "large".to_string(),
        veracity_version: String::new(),
        rows: (0..trials).map(row).collect(),
        audit: (0..trials / 10).map(finding).collect(),
        comparisons: Vec::new(),
        complete: true,
        guests: Vec::new(),
        absent: Vec::new(),
        axes: Vec::new(),
        boundaries: Vec::new(),
    }
}

fn study() -> Study {
    Study {
        name: "large".to_string(),
        title: "Large".to_string(),
        text: String::new(),
        scenarios: vec![Arc::new(Scenario::built_in("simple_pendulum").unwrap())],
        engines: Vec::new(),
        steps_ns: Vec::new(),
        seeds: vec![0],
        variations: vec![Overrides::new()],
        axes: Vec::new(),
        converged: None,
        control: None,
        expectations: Vec::new(),
        evidence: Default::default(),
        findings: Findings::new(),
    }
}

/// All output of a study except the report: table, sentences, leaderboards, JSON, JUnit, a baseline.
fn show_all(result: &StudyResult, study: &Study) {
    let trials = json::trials(result);
    let old = baseline::Baseline { trials: json::trials(result), tolerances: Vec::new() };
    let regressions = baseline::regressions(&old, &trials);
    assert!(regressions.is_empty());
    let conclusion = Conclusion::new(result, Some(regressions));
    let shown = Shown { conclusion: &conclusion, page: None, every_place: true };
    show(&mut Output::nowhere(), study, result, &shown).unwrap();
    assert_eq!(json::StudyDocument::new(result, &conclusion).trials.len(), result.rows.len());
    assert!(junit::document(result, &conclusion).len() > result.rows.len());
}

#[test]
fn showing_a_study_costs_what_its_trials_cost() {
    let study = study();
    let work = |trials: usize| {
        let result = result(trials);
        let before = veracity_counting::allocations();
        show_all(&result, &study);
        veracity_counting::allocations() - before
    };
    let (few, many) = (work(300), work(1200));
    println!("300 trials: {few} allocations, 1200 trials: {many}");
    // Four times the trials; the table alone used to take 64 times as many. Sorting and trees add logarithms.
    assert!(many < 5 * few, "{few} to {many}");
}

#[test]
fn twenty_thousand_trials_are_shown_in_under_a_second() {
    let full = std::env::var_os("VERACITY_FULL").is_some_and(|v| v == "1");
    let trials = if full { 20_000 } else { 2_000 };
    let (result, study) = (result(trials), study());
    let before = cpu_s();
    show_all(&result, &study);
    let took = cpu_s() - before;
    println!(
        "ACCEPT large-study-shown: {trials} trials in {took:.2} s of CPU time, JSON, JUnit and baseline included"
    );
    // Zero where the kernel reports no CPU time.
    assert!(!full || took > 0.0 && took < 1.0, "{took} s");
}

/// CPU time of this thread [s].
fn cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
