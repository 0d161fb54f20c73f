//! From findings to a verdict.

use crate::checks::CHECKS;
use crate::context::Context;
use crate::start_pose::StartPose;
use crate::summary::Summary;
use serde::Serialize;
use std::collections::BTreeSet;
use veracity_model::import::Imported;
use veracity_model::import::sidecar::KnownFinding;
use veracity_model::{Finding, Findings, Severity, Source, World};

/// Whether a model can be trusted as far as looking at it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No error that is not known. There may be warnings.
    Accepted,
    /// Something no real robot can have, or that cannot be used as written.
    Rejected,
    /// Part of the file was not understood, so the model judged is not the one described.
    #[serde(rename = "cannot tell")]
    CannotTell,
}

/// A finding, and the reason why it stays if it is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
    /// Why the authors keep it; such an entry does not count.
    pub known: Option<String>,
}

/// All there is to say about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The model in numbers; `None` if no model came out of the file.
    pub summary: Option<Summary>,
    /// The pose at which the model was judged, e.g. `keyframe 'home'`; `None` if no model came out of the file.
    pub pose: Option<String>,
    /// By file and line, worst first on the same line.
    pub entries: Vec<Entry>,
    /// `None` when no model came out of the file.
    pub verdict: Option<Verdict>,
    /// The findings the verdict rests on, counted: empty when accepted.
    pub reasons: Vec<String>,
}

/// Codes of warnings that say the model judged is not the one the file describes: part of it was left out.
const LEFT_OUT: [&str; 5] = ["unsupported", "mesh-missing", "mesh-read", "shape-missing", "geom-left-out"];

/// Mass of the file that is not in the model, because its mesh is missing or this program does not read the element.
const LOST_MASS: &str = "mass-lost";
/// What is then no fault of the file: a joint that seems to carry nothing.
const BY_LOST_MASS: [&str; 3] = [LOST_MASS, "massless-leaf", "mass-matrix"];

/// Judges what came out of a file.
pub fn audit(imported: &Imported) -> Report {
    let known = &imported.known;
    let mut findings = imported.findings.clone();
    let Some(world) = &imported.world else {
        // Nothing was judged: neither a rejection nor anything else can be said of a model that is not there.
        let entries = sorted(findings, known);
        let reasons = reasons(&entries, is_error);
        return Report { summary: None, pose: None, entries, verdict: None, reasons };
    };
    let pose = StartPose::of(world);
    let mut context = Context::at(world, &pose.q);
    // Whatever their severity: a mesh that is only drawn is lost with a note, and says how large the body is.
    let lost = findings.iter().filter(|f| LEFT_OUT.contains(&f.code) && f.code != "unsupported");
    context.lost_shapes = lost.map(|f| f.subject.clone()).collect();
    for placement in &world.placements {
        findings.extend(placement.model.warnings().clone());
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
    Report { summary: Some(Summary::new(&context)), pose: Some(pose.name), entries, verdict: Some(verdict), reasons }
}

/// Judges a world made in code.
pub fn audit_world(world: &World) -> Report {
    audit(&Imported { world: Some(world.clone()), findings: Findings::new(), known: Vec::new() })
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

/// Left out of the model although it changes results: a note changes none.
fn is_gap_in_understanding(finding: &Finding) -> bool {
    LEFT_OUT.contains(&finding.code) && finding.severity >= Severity::Warning
}

/// How often each code occurs among unknown findings of this kind, in order of first occurrence.
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

/// Merged: no finding twice, the builder's general word on an inertia dropped where a check has a particular one,
/// known ones marked, and by file and line.
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
        // Every entry that covers it is of use, the first says why.
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
            text: format!("the known finding {}{of} no longer occurs; take it off the list", k.code),
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
