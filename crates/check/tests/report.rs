//! Merging, known findings, and the verdict.

use veracity_check::{InspectionReport, Verdict, inspect};
use veracity_model::import::Imported;
use veracity_model::import::sidecar::KnownFinding;
use veracity_model::{
    Body, Finding, Findings, Inertia, Joint, JointKind, ModelBuilder, Severity, Source, Vec3, World,
};

fn at_line(line: u32) -> Option<Source> {
    Some(Source { file: "a.urdf".into(), line })
}

/// A pendulum whose bob violates the triangle inequality: one error, and a general finding of the builder on the same
/// fault.
fn broken() -> World {
    let mut builder = ModelBuilder::new("pendulum");
    let mut bob = Body::new("bob", Inertia::new(1.0, Vec3::x(), [1.0, 1.0, 3.0, 0.0, 0.0, 0.0]));
    bob.source = at_line(7);
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    World::with_model(builder.build().unwrap())
}

fn judge(world: Option<World>, findings: Vec<Finding>, known: &[KnownFinding]) -> InspectionReport {
    let mut list = Findings::new();
    findings.into_iter().for_each(|f| list.push(f));
    inspect(&Imported { world, findings: list, known: known.to_vec() })
}

fn finding(severity: Severity, code: &'static str, line: u32) -> Finding {
    Finding { source: at_line(line), severity, code, text: "text".into(), subject: String::new() }
}

fn known(code: &str, subject: &str) -> KnownFinding {
    let source = Source { file: "a.urdf.toml".into(), line: 3 };
    KnownFinding { code: code.into(), subject: subject.into(), why: "as published".into(), source }
}

fn codes(report: &InspectionReport) -> Vec<&str> {
    report.entries.iter().map(|e| e.finding.code).collect()
}

#[test]
fn the_builders_general_word_gives_way_to_the_check() {
    let world = broken();
    assert_eq!(world.placements[0].model.warnings().count("inertia-raw"), 1);
    assert_eq!(codes(&judge(Some(world), vec![], &[])), ["inertia-triangle"]);
}

#[test]
fn findings_come_once_and_in_the_order_of_the_file() {
    let twice = || finding(Severity::Warning, "b", 9);
    let report = judge(Some(broken()), vec![twice(), finding(Severity::Note, "a", 3), twice()], &[]);
    assert_eq!(codes(&report), ["a", "inertia-triangle", "b"]);
}

#[test]
fn a_known_finding_does_not_count() {
    let report = judge(Some(broken()), vec![], &[known("inertia-triangle", "bodies/bob")]);
    assert_eq!(report.verdict, Some(Verdict::Accepted));
    assert_eq!(report.entries[0].known.as_deref(), Some("as published"));
    // A known finding of another body does not apply.
    let report = judge(Some(broken()), vec![], &[known("inertia-triangle", "bodies/arm")]);
    assert_eq!(report.verdict, Some(Verdict::Rejected));
}

#[test]
fn a_known_finding_that_went_away_is_a_finding() {
    let report = judge(Some(broken()), vec![], &[known("overlap", "bodies/bob")]);
    let stale = report.entries.iter().find(|e| e.finding.code == "known-stale").unwrap();
    assert_eq!(stale.finding.source.as_ref().unwrap().to_string(), "a.urdf.toml:3");
}

#[test]
fn what_was_left_out_makes_it_impossible_to_tell() {
    let fine = {
        let mut builder = ModelBuilder::new("fine");
        let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
        builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
        World::with_model(builder.build().unwrap())
    };
    let left_out = |severity| vec![finding(severity, "mesh-missing", 4)];
    let verdict = |world: &World, findings| judge(Some(world.clone()), findings, &[]).verdict;
    assert_eq!(verdict(&fine, left_out(Severity::Warning)), Some(Verdict::CannotTell));
    assert_eq!(verdict(&fine, left_out(Severity::Note)), Some(Verdict::Accepted));
    // A definite error still leads to rejection.
    assert_eq!(verdict(&broken(), left_out(Severity::Warning)), Some(Verdict::Rejected));
}

#[test]
fn a_file_that_gives_no_model_has_no_verdict() {
    assert_eq!(judge(None, vec![finding(Severity::Error, "xml", 1)], &[]).verdict, None);
    // A file that is read but gives no model has no verdict: there is no model to reject.
    let report = judge(None, vec![finding(Severity::Error, "joint-axis", 1)], &[]);
    assert_eq!(report.verdict, None);
    assert_eq!(report.reasons, ["1 x joint-axis"]);
}

/// A file of sensors alone gave "accepted: no findings".
#[test]
fn a_file_without_a_body_is_not_accepted() {
    let report = judge(Some(World::with_model(ModelBuilder::new("nothing").build().unwrap())), Vec::new(), &[]);
    assert_eq!((report.verdict, codes(&report)), (Some(Verdict::CannotTell), vec!["empty"]));
    assert_eq!(report.summary.map(|s| s.mass_kg.is_sign_negative()), Some(false));
}
