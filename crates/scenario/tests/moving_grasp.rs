//! A block held by friction in the hand of a moving arm stays where it is: `ur10_grasp` with the default spec.
//!
//! Time stepping used to lose 3.2 mm in the first second at 1 ms (T of 0.65 J): the free block followed the tangent of
//! the finger's arc, and anchors dropped every drift beyond 2 um. Later the block turned by 43 mrad about the line
//! between the fingertips in 100 s (T of 0.82 J): its faces were closed to the last bit on fingers 3 urad askew, with a
//! friction that does not let it turn, and every second or third step was left unsolved. Shortened to two seconds
//! unless `VERACITY_FULL` is set.

mod running;

use running::{judged, lines, run, run_at};
use veracity_engine::Unsolved;
use veracity_measure::{Judgement, Verdict};
use veracity_model::Overrides;
use veracity_scenario::{Scenario, Study};

fn full_size() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

fn grasp(seconds: f64) -> Scenario {
    let scenario = Scenario::built_in("ur10_grasp").unwrap_or_else(|f| panic!("{f}"));
    scenario.with(&Overrides::new().set("duration_s", seconds)).unwrap().within_its_duration()
}

fn judgements(scenario: &Scenario, spec: &str) -> Vec<(String, Judgement)> {
    judgements_and_unsolved(scenario, spec).0
}

/// Judgements, with the share of steps that the engine reports as unsolved.
fn judgements_and_unsolved(scenario: &Scenario, spec: &str) -> (Vec<(String, Judgement)>, f64) {
    let record = run(scenario, spec);
    assert!(record.outcome.is_finished(), "{spec}: {:?}", record.outcome);
    let unsolved = record.log.iter().find_map(|entry| Unsolved::read(&entry.text)).map_or(0.0, |u| u.share());
    (judged(scenario, &record, &[]), unsolved)
}

/// The largest T of a check [J].
fn value(judgement: &Judgement) -> f64 {
    judgement.measured.as_ref().map_or(f64::NAN, |m| m.value)
}

#[test]
fn a_moving_arm_keeps_its_block() {
    let scenario = grasp(if full_size() { 100.0 } else { 2.0 });
    let (found, unsolved) = judgements_and_unsolved(&scenario, "native");
    println!("{}", lines(&found));
    assert!(found.iter().all(|(_, j)| j.verdict == Verdict::Accepted), "{}", lines(&found));
    let shown: Vec<String> = found.iter().map(|(name, j)| format!("{name} at most {:.5} J", value(j))).collect();
    // Above one in a hundred the lab accepts nothing.
    assert!(unsolved <= 0.01, "{:.1} % of the steps unsolved", 100.0 * unsolved);
    println!(
        "ACCEPT moving-grasp: {} s, T {}; {:.2} % of the steps unsolved",
        scenario.duration_ns / 1_000_000_000,
        shown.join(", "),
        100.0 * unsolved
    );
}

/// The same world without anchors: both metrics show the drift.
#[test]
fn without_anchors_the_block_drifts() {
    let found = judgements(&grasp(1.0), "native:anchor=off");
    println!("{}", lines(&found));
    // In a second it has drifted by 3.3 mm: slipped, not lost.
    let drift = ["published", "published_early", "corrected", "slip", "slip_1mm"];
    let rejected = |name: &&str| found.iter().any(|(n, j)| n == name && j.verdict == Verdict::Rejected);
    assert!(drift.iter().all(rejected), "{}", lines(&found));
}

/// Compliant contact lost 3.2 mm along the fingers in a second as well. It still misses the rigid bound because of
/// overlap along the normal: required here is that it no longer follows the tangent, which alone would be 0.6 J.
#[test]
fn compliant_contact_does_not_follow_the_tangent() {
    let found = judgements(&grasp(1.0), "native:paradigm=penalty");
    println!("{}", lines(&found));
    let corrected = found.iter().find(|(name, _)| name == "corrected").map(|(_, j)| value(j)).unwrap();
    assert!(corrected < 0.1, "{}", lines(&found));
}

/// The effect of each factor of the study `factors` on a moving grasp; the table of docs/factors.md at full size.
#[test]
fn of_the_suspects_drift_loses_a_grasp_that_moves() {
    let scenario = grasp(if full_size() { 2.0 } else { 0.3 });
    let study = Study::built_in("factors").unwrap_or_else(|f| panic!("{f}"));
    let mut found = Vec::new();
    for engine in &study.engines {
        let label = engine.label.clone();
        let record = run_at(&scenario, &engine.spec, scenario.step_ns).unwrap_or_else(|e| panic!("{label}: {e}"));
        let judged = judged(&scenario, &record, &[]);
        println!("{label}: {:?}\n{}", record.outcome, lines(&judged));
        found.push((label, judged));
    }
    let corrected = |label: &str| {
        let (_, judged) = found.iter().find(|(l, _)| l.starts_with(label)).unwrap_or_else(|| panic!("{label}"));
        value(&judged.iter().find(|(name, _)| name == "corrected").unwrap().1)
    };
    assert!(corrected("control") < 0.02, "{}", corrected("control"));
    // 0.015 J come from the closing fingers; the rest grows with the square of the time.
    let without = corrected("tangential drift");
    assert!(without > corrected("control") + 1e-3, "{without}");
}
