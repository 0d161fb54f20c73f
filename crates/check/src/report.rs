//! From findings to a verdict.

use crate::checks::CHECKS;
use crate::context::Context;
use crate::start_pose::StartPose;
use crate::summary::Summary;
use serde::Serialize;
use std::collections::BTreeSet;
use veracity_measure::Verdict;
use veracity_model::import::Imported;
use veracity_model::import::sidecar::KnownFinding;
use veracity_model::{Finding, Findings, Severity, Source, World};

/// A finding, with the reason to keep it if it is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Why the authors keep it; such an entry does not count.
    pub known: Option<String>,
}

/// All results for a file.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectionReport {
    /// Key figures of the model; `None` if the file gave no model.
    pub summary: Option<Summary>,
    /// The pose at which the model was inspected, e.g. `keyframe 'home'`; `None` if the file gave no model.
    pub pose: Option<String>,
    /// Sorted by file and line, worst first on the same line.
    pub entries: Vec<Entry>,
    /// Accepted: no unknown errors, warnings allowed. Rejected: something no real robot can have, or that cannot be used as
    /// written. Cannot tell: part of the file was not understood, so the inspected model is not the one described. `None` if
    /// the file gave no model.
    pub verdict: Option<Verdict>,
    /// Counts of the findings that decide the verdict: empty if accepted.
    pub reasons: Vec<String>,
}

/// Codes of warnings that mean part of the file was left out, so the inspected model is not the one described.
const LEFT_OUT: [&str; 6] = ["unsupported", "mesh-missing", "mesh-read", "shape-missing", "geom-left-out", "empty"];

/// Mass in the file that is missing from the model, because its mesh is missing or the element is not supported.
const LOST_MASS: &str = "mass-lost";
/// Consequences of lost mass that are not faults of the file: a joint that seems to carry nothing.
const BY_LOST_MASS: [&str; 3] = [LOST_MASS, "massless-leaf", "mass-matrix"];

/// Inspects an imported file.
pub fn inspect(imported: &Imported) -> InspectionReport {
    let known = &imported.known;
    let mut findings = imported.findings.clone();
    let Some(world) = &imported.world else {
        // Nothing was inspected: without a model there is no verdict.
        let entries = sorted(findings, known);
        let reasons = reasons(&entries, is_error);
        return InspectionReport { summary: None, pose: None, entries, verdict: None, reasons };
    };
    let pose = StartPose::of(world);
    let mut context = Context::at(world, &pose.q);
    // Regardless of severity: a missing mesh that is only drawn is a note, but it would have shown the size of the
    // body.
    let lost = findings.iter().filter(|f| LEFT_OUT.contains(&f.code) && f.code != "unsupported");
    context.lost_shapes = lost.map(|f| f.subject.clone()).collect();
    for placement in &world.placements {
        findings.extend(placement.model.warnings().clone());
    }
    if world.placements.iter().all(|p| p.model.bodies().is_empty()) {
        let text = "there is no body, so there is nothing to judge; name the file that describes the robot";
        findings.add(Severity::Warning, "empty", None, "", text);
    }
    if let Err(why) = &context.start {
        findings.add(Severity::Warning, "unsupported", None, "", why.to_string());
    }
    for check in CHECKS {
        findings.extend((check.run)(&context));
    }
    let elsewhere = pose.only_at_initial(world, &findings);
    findings.extend(elsewhere);
    let entries = sorted(findings, known);
    let counts = |e: &Entry| e.known.is_none();
    let errors = || entries.iter().filter(|e| counts(e) && is_error(&e.finding)).map(|e| e.finding.code);
    let lost_mass = errors().any(|code| code == LOST_MASS);
    let (verdict, reasons) = if errors().any(|code| !(lost_mass && BY_LOST_MASS.contains(&code))) {
        (Verdict::Rejected, reasons(&entries, is_error))
    } else if lost_mass {
        (Verdict::CannotTell, reasons(&entries, |f| is_error(f) || is_gap_in_understanding(f)))
    } else if entries.iter().any(|e| counts(e) && is_gap_in_understanding(&e.finding)) {
        (Verdict::CannotTell, reasons(&entries, is_gap_in_understanding))
    } else {
        (Verdict::Accepted, Vec::new())
    };
    InspectionReport {
        summary: Some(Summary::new(&context)),
        pose: Some(pose.name),
        entries,
        verdict: Some(verdict),
        reasons,
    }
}

/// Inspects a world built in code.
pub fn inspect_world(world: &World) -> InspectionReport {
    inspect(&Imported { world: Some(world.clone()), findings: Findings::new(), known: Vec::new() })
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

/// Whether the finding is about a part left out of the model that affects results: a note does not.
fn is_gap_in_understanding(finding: &Finding) -> bool {
    LEFT_OUT.contains(&finding.code) && finding.severity >= Severity::Warning
}

/// Number of unknown findings of this kind for each code, in order of first occurrence.
fn reasons(entries: &[Entry], of_kind: fn(&Finding) -> bool) -> Vec<String> {
    let mut codes: Vec<(&str, usize)> = Vec::new();
    for e in entries.iter().filter(|e| e.known.is_none() && of_kind(&e.finding)) {
        match codes.iter_mut().find(|(code, _)| *code == e.finding.code) {
            Some((_, count)) => *count += 1,
            None => codes.push((e.finding.code, 1)),
        }
    }
    codes.into_iter().map(|(code, count)| format!("{count} x {code}")).collect()
}

/// Removes duplicates and the builder's general finding on an inertia if an inspection has a specific one, marks known
/// findings, and sorts by file and line.
pub(crate) fn sorted(findings: Findings, known: &[KnownFinding]) -> Vec<Entry> {
    let inertia_checks = ["mass-not-positive", "inertia-negative", "inertia-triangle"];
    let judged: BTreeSet<(Option<Source>, String)> = findings
        .iter()
        .filter(|f| inertia_checks.contains(&f.code))
        .map(|f| (f.source.clone(), last_segment(&f.subject).to_string()))
        .collect();
    let mut used = vec![false; known.len()];
    let mut seen = BTreeSet::new();
    let mut entries: Vec<Entry> = Vec::new();
    for finding in findings {
        let general = finding.code == "inertia-raw"
            && judged.contains(&(finding.source.clone(), last_segment(&finding.subject).to_string()));
        if general || !seen.insert((finding.source.clone(), finding.code, finding.text.clone())) {
            continue;
        }
        // Every entry that covers the finding counts as used; the first one gives the reason.
        let mut reason = None;
        for (k, used) in known.iter().zip(&mut used).filter(|(k, _)| k.covers(&finding)) {
            *used = true;
            reason.get_or_insert_with(|| k.why.clone());
        }
        entries.push(Entry { finding, known: reason });
    }
    for (k, _) in known.iter().zip(used).filter(|(_, used)| !used) {
        let of = if k.subject.is_empty() { String::new() } else { format!(" of '{}'", k.subject) };
        let finding = Finding {
            source: Some(k.source.clone()),
            severity: Severity::Warning,
            code: "known-stale",
            text: format!("the known finding {}{of} no longer occurs; remove it from the list", k.code),
            subject: k.subject.clone(),
        };
        entries.push(Entry { finding, known: None });
    }
    entries.sort_by(|a, b| {
        let place = |e: &Entry| e.finding.source.clone();
        place(a)
            .cmp(&place(b))
            .then(b.finding.severity.cmp(&a.finding.severity))
            .then(a.finding.code.cmp(b.finding.code))
    });
    entries
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
