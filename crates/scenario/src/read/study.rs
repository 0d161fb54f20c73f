//! Study files.

use super::{LoadOptions, Scenario, apply, evidence, is_name, read_file, vary};
use crate::catalogue;
use crate::file;
use crate::file::document::{Document, Step, at};
use crate::file::names::hint;
use crate::file::study_file::{ChangedScenario, EngineEntry, EngineTable, ExpectTable, ScenarioEntry, StudyFile};
use crate::study::{Expectation, Study, StudyEngine};
use crate::time::nanoseconds;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veracity_engine::EngineSpec;
use veracity_model::{Findings, Overrides, Severity};

/// Keys that users look for in a study, and where they belong.
const ELSEWHERE: &[(&str, &str)] = &[
    ("world", "a world belongs in a scenario; name the scenario's file in 'scenarios'"),
    ("checks", "[[checks]] belong in a scenario; name the scenario's file in 'scenarios'"),
    ("engine", "write engines = [\"native\", …]"),
    ("scenario", "write scenarios = [\"my.toml\", …]"),
];

impl Study {
    /// Reads a study file with the scenarios it names. `Err` holds every problem.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Study, Findings> {
        let bytes = read_file(path, &mut Findings::new())?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        load(&path.display().to_string(), &bytes, &Place { folder, options, built_in: false })
    }

    /// A built-in suite: `quick` or `full`.
    pub fn built_in(name: &str) -> Result<Study, Findings> {
        let Some(entry) = catalogue::SUITES.iter().find(|entry| entry.name == name) else {
            let mut findings = Findings::new();
            let text = format!(
                "there is no built-in suite '{name}'; {}",
                hint(name, catalogue::SUITES.iter().map(|e| e.name))
            );
            findings.add(Severity::Error, "study-name", None, name, text);
            return Err(findings);
        };
        let options = LoadOptions::default();
        let place = Place { folder: PathBuf::new(), options: &options, built_in: true };
        load(entry.file, entry.text.as_bytes(), &place)
    }
}

/// Where the scenarios of a study or trace are looked up.
pub(super) struct Place<'a> {
    pub(super) folder: PathBuf,
    pub(super) options: &'a LoadOptions,
    pub(super) built_in: bool,
}

fn load(shown: &str, bytes: &[u8], place: &Place<'_>) -> Result<Study, Findings> {
    let mut findings = Findings::new();
    let Some(document) = Document::parse(shown, bytes, &mut findings) else { return Err(findings) };
    let Some(content) = file::read::<StudyFile>(&document, ELSEWHERE, &mut findings) else { return Err(findings) };
    let study = build(&document, content, place, &mut findings);
    if findings.has_errors() { Err(findings) } else { Ok(Study { findings, ..study }) }
}

fn build(document: &Document, content: StudyFile, place: &Place<'_>, findings: &mut Findings) -> Study {
    if !is_name(&content.name) {
        let text = format!("'{}' is not a valid name; use lower case letters, digits and underscores", content.name);
        document.error(at!["name"], text, findings);
    }
    let seeds = if content.seeds.is_empty() { vec![0] } else { content.seeds.clone() };
    let (variations, axes) = vary::read(document, &content, seeds[0], findings);
    let scenarios = scenarios(document, &content, place, findings);
    let converged = content.converged.as_deref().map(|text| spec(document, at!["converged"], text, findings));
    let mut study = Study {
        title: content.title.clone().unwrap_or_else(|| content.name.replace('_', " ")),
        name: content.name.clone(),
        text: content.text.trim().to_string(),
        engines: engines(document, &content, &scenarios, findings),
        scenarios,
        steps_ns: steps(document, at!["steps_s"], &content.steps_s, findings),
        seeds,
        variations,
        axes,
        converged,
        control: None,
        expectations: Vec::new(),
        evidence: Default::default(),
        findings: Findings::new(),
    };
    study.control = content.control.as_deref().map(|text| {
        let control = spec(document, at!["control"], text, findings);
        if !study.engines.iter().any(|e| e.spec == control) {
            let text = format!("'{text}' is not one of the engines; the control must be one of them");
            document.error(at!["control"], text, findings);
        }
        control
    });
    study.expectations = expectations(document, &content, &study, findings);
    study.evidence = evidence::read(document, &content, &study, findings);
    steps_fit(document, &study, findings);
    if let Some(first) = study.variations.first().filter(|first| !first.is_empty()) {
        for scenario in &study.scenarios {
            apply(document, at!["vary"], scenario, first, findings);
        }
    }
    study
}

fn scenarios(
    document: &Document,
    content: &StudyFile,
    place: &Place<'_>,
    findings: &mut Findings,
) -> Vec<Arc<Scenario>> {
    let mut out: Vec<Arc<Scenario>> = Vec::new();
    for (i, entry) in content.scenarios.iter().enumerate() {
        let (wanted, changes) = match entry {
            ScenarioEntry::Plain(wanted) => (wanted, None),
            ScenarioEntry::Changed(changed) => (&changed.scenario, Some(changed)),
        };
        let way = at!["scenarios", i];
        let Some(scenario) = scenario_named(document, way, wanted, place, findings) else { continue };
        let scenario = match changes {
            None => Some(scenario),
            Some(changes) => changed(document, i, &scenario, changes, findings),
        };
        let Some(mut scenario) = scenario else { continue };
        if let Some(cap_s) = content.cpu_cap_s {
            scenario.cpu_cap_s = cap_s;
        }
        if out.iter().any(|s| s.name == scenario.name) {
            let text =
                format!("two scenarios are called '{0}'; write {{ scenario = \"{0}\", name = … }}", scenario.name);
            document.error(way, text, findings);
        }
        findings.extend(scenario.findings.clone());
        out.push(Arc::new(scenario));
    }
    out
}

/// A scenario with the name and the numbers that the study gives it.
fn changed(
    document: &Document,
    i: usize,
    scenario: &Scenario,
    changes: &ChangedScenario,
    findings: &mut Findings,
) -> Option<Scenario> {
    let mut set = Overrides::new();
    for (path, value) in &changes.set {
        let fitting = fitting(scenario, path);
        if fitting.is_empty() {
            let text =
                format!("no number of scenario '{}' fits '{path}'; `veracity paths` lists them", scenario.name);
            document.error(at!["scenarios", i, "set", path], text, findings);
            return None;
        }
        fitting.into_iter().for_each(|path| set.insert(path, *value));
    }
    let mut made = apply(document, at!["scenarios", i, "set"], scenario, &set, findings)?.within_its_duration();
    if let Some(name) = &changes.name {
        if !is_name(name) {
            let text = format!("'{name}' is not a valid name; use lower case letters, digits and underscores");
            document.error(at!["scenarios", i, "name"], text, findings);
        }
        made.title = format!("{} ({})", made.title, name.replace('_', " "));
        made.name.clone_from(name);
    }
    Some(made)
}

/// The path itself, or with `*` for a part, every number that fits.
fn fitting(scenario: &Scenario, pattern: &str) -> Vec<String> {
    if !pattern.split('/').any(|part| part == "*") {
        return vec![pattern.to_string()];
    }
    let wanted: Vec<&str> = pattern.split('/').collect();
    let fits = |path: &String| {
        let parts: Vec<&str> = path.split('/').collect();
        parts.len() == wanted.len()
            && parts.iter().zip(&wanted).all(|(part, wanted)| *wanted == "*" || part == wanted)
    };
    scenario.free_numbers().into_iter().map(|(path, _)| path).filter(fits).collect()
}

/// The scenario of a file or of the catalogue.
pub(super) fn scenario_named(
    document: &Document,
    way: &[Step],
    wanted: &str,
    place: &Place<'_>,
    findings: &mut Findings,
) -> Option<Scenario> {
    let loaded = if wanted.ends_with(".toml") && !place.built_in {
        let path = place.folder.join(wanted);
        if !path.is_file() {
            let text =
                format!("the scenario file '{wanted}' does not exist; paths are relative to this file's folder");
            document.error(way, text, findings);
            return None;
        }
        Scenario::load(&path, place.options)
    } else if catalogue::CATALOGUE.iter().any(|e| e.name == wanted) {
        Scenario::built_in(wanted)
    } else {
        let hint = hint(wanted, catalogue::CATALOGUE.iter().map(|e| e.name));
        let text = format!("there is no built-in scenario '{wanted}'; {hint}; a file ends in .toml");
        document.error(way, text, findings);
        return None;
    };
    match loaded {
        Ok(scenario) => Some(scenario),
        Err(problems) => {
            findings.extend(problems);
            None
        }
    }
}

pub(super) fn spec(document: &Document, way: &[Step], text: &str, findings: &mut Findings) -> EngineSpec {
    text.parse().unwrap_or_else(|e: veracity_engine::SpecError| {
        document.error(way, e.to_string(), findings);
        EngineSpec { engine: "native".to_string(), version: None, settings: Vec::new() }
    })
}

fn steps(document: &Document, way: &[Step], seconds: &[f64], findings: &mut Findings) -> Vec<i64> {
    let mut out = Vec::new();
    for step_s in seconds {
        match nanoseconds(*step_s) {
            Some(ns) => out.push(ns),
            None => {
                let text =
                    format!("a step of {step_s} s is not possible; give a positive number of whole nanoseconds");
                document.error(way, text, findings);
            }
        }
    }
    out
}

fn engines(
    document: &Document,
    content: &StudyFile,
    scenarios: &[Arc<Scenario>],
    findings: &mut Findings,
) -> Vec<StudyEngine> {
    let mut out: Vec<StudyEngine> = Vec::new();
    for (i, entry) in content.engines.iter().enumerate() {
        let way = at!["engines", i];
        let engine = match entry {
            EngineEntry::Plain(text) => {
                let spec = spec(document, way, text, findings);
                StudyEngine {
                    spec,
                    steps_ns: Vec::new(),
                    scenarios: Vec::new(),
                    label: String::new(),
                    if_present: false,
                }
            }
            EngineEntry::Detailed(table) => {
                for name in &table.scenarios {
                    known_scenario(document, way, name, scenarios, findings);
                }
                StudyEngine {
                    spec: spec(document, way, &table.spec, findings),
                    steps_ns: steps(document, way, &table.steps_s, findings),
                    scenarios: chosen(document, way, table, scenarios, findings),
                    label: table.label.clone(),
                    if_present: table.if_present,
                }
            }
        };
        if out.contains(&engine) {
            document.error(way, format!("'{}' is listed twice; keep one", engine.spec), findings);
        }
        out.push(engine);
    }
    out
}

/// The scenarios an engine runs; empty for all.
fn chosen(
    document: &Document,
    way: &[Step],
    table: &EngineTable,
    scenarios: &[Arc<Scenario>],
    findings: &mut Findings,
) -> Vec<String> {
    let Some(contact) = table.contact else { return table.scenarios.clone() };
    let named = |s: &Scenario| table.scenarios.is_empty() || table.scenarios.contains(&s.name);
    let fits = |s: &&Arc<Scenario>| s.world.contact == contact && named(s);
    let found: Vec<String> = scenarios.iter().filter(fits).map(|s| s.name.clone()).collect();
    // An empty list would mean all.
    if found.is_empty() {
        let which = if contact { "whose bodies may touch" } else { "whose bodies may not touch" };
        document.error(
            way,
            format!("'{}' has nothing to run: the study has no scenario {which}", table.spec),
            findings,
        );
    }
    found
}

pub(super) fn known_scenario(
    document: &Document,
    way: &[Step],
    name: &str,
    scenarios: &[Arc<Scenario>],
    findings: &mut Findings,
) {
    if !scenarios.iter().any(|s| s.name == name) {
        let hint = hint(name, scenarios.iter().map(|s| s.name.as_str()));
        document.error(way, format!("the study has no scenario '{name}'; {hint}"), findings);
    }
}

fn expectations(
    document: &Document,
    content: &StudyFile,
    study: &Study,
    findings: &mut Findings,
) -> Vec<Expectation> {
    let mut out: Vec<Expectation> = Vec::new();
    for (i, table) in content.expect.iter().enumerate() {
        let way = at!["expect", i];
        let step_ns = table.step_s.and_then(nanoseconds);
        if table.step_s.is_some() && step_ns.is_none() {
            document.error(at!["expect", i, "step_s"], "invalid step: must be positive", findings);
        }
        let place = place(document, i, table, study, findings);
        for scenario in &table.scenarios {
            known_scenario(document, at!["expect", i, "scenarios"], scenario, &study.scenarios, findings);
            let found = study.scenarios.iter().find(|s| s.name == *scenario);
            if let (Some(check), Some(found)) = (&table.check, found)
                && !found.checks.iter().any(|c| c.name == *check)
            {
                let hint = hint(check, found.checks.iter().map(|c| c.name.as_str()));
                let text = format!("scenario '{scenario}' has no check '{check}'; {hint}");
                document.error(at!["expect", i, "check"], text, findings);
            }
            for engine in &table.engines {
                let spec = spec(document, at!["expect", i, "engines"], engine, findings);
                if !study.engines.iter().any(|e| e.spec == spec) {
                    let all: Vec<String> = study.engines.iter().map(|e| e.spec.to_string()).collect();
                    let hint = hint(engine, all.iter().map(String::as_str));
                    let text = format!("the study has no engine '{engine}'; {hint}");
                    document.error(at!["expect", i, "engines"], text, findings);
                }
                let expectation = Expectation {
                    scenario: scenario.clone(),
                    engine: spec,
                    step_ns,
                    at: place.clone(),
                    check: table.check.clone(),
                    answer: table.answer,
                    why: table.why.clone(),
                };
                let same = |e: &Expectation| {
                    (&e.scenario, &e.engine, e.step_ns, &e.at, &e.check)
                        == (&expectation.scenario, &expectation.engine, step_ns, &place, &expectation.check)
                };
                if out.iter().any(same) {
                    let text = format!("'{scenario}' on '{engine}' is expected twice; keep one");
                    document.error(way, text, findings);
                }
                out.push(expectation);
            }
        }
    }
    out
}

/// The varied numbers that `at` of an expectation names, by path.
fn place(
    document: &Document,
    i: usize,
    table: &ExpectTable,
    study: &Study,
    findings: &mut Findings,
) -> Vec<(String, f64)> {
    let mut out = Vec::new();
    for (key, value) in &table.at {
        let way = at!["expect", i, "at", key];
        let Some(axis) = study.axes.iter().find(|axis| axis.name == *key || axis.path == *key) else {
            let hint = hint(key, study.axes.iter().map(|axis| axis.name.as_str()));
            document.error(way, format!("the study does not vary '{key}'; {hint}"), findings);
            continue;
        };
        let tried = |variation: &Overrides| variation.iter().any(|(path, x)| path == axis.path && x == *value);
        if !study.variations.iter().any(tried) {
            document.error(way, format!("'{key}' does not take the value {value}; give one of its values"), findings);
        }
        out.push((axis.path.clone(), *value));
    }
    out
}

/// Every step must divide the record interval and the duration of the scenario.
fn steps_fit(document: &Document, study: &Study, findings: &mut Findings) {
    for (i, engine) in study.engines.iter().enumerate() {
        for scenario in study.scenarios.iter().filter(|s| study.runs(engine, s)) {
            for step_ns in study.steps_for(engine, scenario) {
                if let Err(why) = scenario.step_fits(step_ns) {
                    let key =
                        if engine.steps_ns.is_empty() && !study.steps_ns.is_empty() { "steps_s" } else { "engines" };
                    let way: &[Step] = if key == "steps_s" { at!["steps_s"] } else { at!["engines", i] };
                    document.error(way, why, findings);
                }
            }
        }
    }
}
