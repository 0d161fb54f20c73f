//! From a file to a validated [`Scenario`] or [`Study`](crate::Study). All problems are collected, each with its line.

mod checks;
mod cycle;
mod equipment;
mod evidence;
mod references;
mod source_files;
mod start;
mod study;
mod times;
mod trace;
mod vary;
mod world;

use crate::catalogue;
use crate::file;
use crate::file::document::{Document, at};
use crate::file::scenario_file::ScenarioFile;
use crate::scenario::{Mutation, Scenario};
use source_files::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veracity_model::{Findings, Layout, Overrides, Severity, Source};

/// Options that are not part of the file.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Folders in which `package://NAME/…` and `model://NAME/…` of model files are looked up.
    pub resource_roots: Vec<PathBuf>,
    /// Whether files may be read only from the scenario's folder and from `resource_roots`: for untrusted files.
    pub confine: bool,
}

/// Keys that users look for in a scenario, and where they belong.
const ELSEWHERE: &[(&str, &str)] = &[
    ("engine", "a scenario names no engine; name it in a study or with --engines"),
    ("engines", "a scenario names no engine; name them in a study or with --engines"),
    ("seeds", "seeds belong in a study"),
    ("vary", "[[vary]] belongs in a study"),
    ("expect", "[[expect]] belongs in a study"),
    ("gravity_m_s2", "gravity belongs in the world; write [world] above 'gravity_m_s2'"),
];

impl Scenario {
    /// Reads a scenario file. `Err` holds every problem; warnings of a usable scenario are in its `findings`.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Scenario, Findings> {
        let mut findings = Findings::new();
        let shown = path.display().to_string();
        let bytes = read_file(path, &mut findings)?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        load(&shown, &bytes, &Files::Disk { folder, roots: options.resource_roots.clone(), confine: options.confine })
    }

    /// A built-in scenario, by name.
    pub fn built_in(name: &str) -> Result<Scenario, Findings> {
        let Some(entry) = catalogue::CATALOGUE.iter().find(|entry| entry.name == name) else {
            let hint = file::names::hint(name, catalogue::CATALOGUE.iter().map(|e| e.name));
            let mut findings = Findings::new();
            let text = format!("there is no built-in scenario '{name}'; {hint}");
            findings.add(Severity::Error, "scenario-name", None, name, text);
            return Err(findings);
        };
        let folder = entry.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        load(entry.file, entry.text.as_bytes(), &Files::Embedded { folder })
    }

    /// Reads a scenario from memory. `path` names the file in messages and locates its models.
    pub fn from_text(text: &str, path: &Path, options: &LoadOptions) -> Result<Scenario, Findings> {
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let files = Files::Disk { folder, roots: options.resource_roots.clone(), confine: options.confine };
        load(&path.display().to_string(), text.as_bytes(), &files)
    }
}

pub(crate) fn read_file(path: &Path, findings: &mut Findings) -> Result<Vec<u8>, Findings> {
    veracity_model::input::read(path, veracity_model::input::MOST_TEXT).map_err(|e| {
        let source = Source { file: path.display().to_string().into(), line: 0 };
        let text = format!("cannot be read: {e}; check the path and permissions");
        findings.add(Severity::Error, "file-read", Some(source), "", text);
        std::mem::take(findings)
    })
}

fn load(shown: &str, bytes: &[u8], files: &Files) -> Result<Scenario, Findings> {
    let mut findings = Findings::new();
    let Some(document) = Document::parse(shown, bytes, &mut findings) else { return Err(findings) };
    let Some(content) = file::read::<ScenarioFile>(&document, ELSEWHERE, &mut findings) else {
        return Err(findings);
    };
    let scenario = build(&document, content, files, &mut findings);
    match scenario {
        Some(mut scenario) if !findings.has_errors() => {
            scenario.findings = findings;
            Ok(scenario)
        }
        _ => Err(findings),
    }
}

/// Reports every problem of the file, even if the world cannot be built.
fn build(document: &Document, content: ScenarioFile, files: &Files, findings: &mut Findings) -> Option<Scenario> {
    if !is_name(&content.name) {
        let text = format!("'{}' is not a valid name; use lower case letters, digits and underscores", content.name);
        document.error(at!["name"], text, findings);
    }
    let times = times::read(document, &content, findings);
    let world = world::read(document, &content.world, files, findings)?;
    let layout = Layout::new(&world);
    let start = start::read(document, &content.start, &world, &layout, findings);
    let (q, v) = start.resolve(&world);
    let (controllers, sensors) = (content.controllers, content.sensors);
    equipment::check(document, &world, &controllers, &sensors, times.as_ref(), findings);
    let references = references::read(document, &content.references, &layout, files, findings);
    // A reference that could not be read has been reported; checks may still name it.
    let named: Vec<&str> = content.references.iter().map(|r| r.name.as_str()).collect();
    let checks = checks::read(document, &content.checks, &named, &world, times.as_ref(), findings);
    let stop = checks::stop(document, content.stop.as_ref(), &checks, findings);
    let duration_s = content.duration_s;
    let cycle = content.cycle.as_ref();
    let cycle = cycle.and_then(|table| cycle::read(document, table, &world, &layout, duration_s, findings));
    let times = times?;
    let mut scenario = Scenario {
        title: content.title.unwrap_or_else(|| content.name.replace('_', " ")),
        name: content.name,
        text: content.text.trim().to_string(),
        source: content.source.trim().to_string(),
        world: Arc::new(world),
        start,
        q,
        v,
        controllers,
        sensors,
        duration_ns: times.duration_ns,
        record_every_ns: times.record_every_ns,
        step_ns: times.step_ns,
        cpu_cap_s: content.cpu_cap_s,
        references,
        checks,
        stop,
        mutation: None,
        cycle,
        findings: Findings::new(),
    };
    if let Some(mutation) = content.mutation {
        let set: Overrides = mutation.set.iter().map(|(path, value)| (path.clone(), *value)).collect();
        apply(document, at!["mutation", "set"], &scenario, &set, findings);
        scenario.mutation = Some(Mutation { set, why: mutation.why });
    }
    Some(scenario)
}

/// Whether the overrides can be applied; problems are reported at their line.
pub(crate) fn apply(
    document: &Document,
    way: &[file::document::Step],
    scenario: &Scenario,
    set: &Overrides,
    findings: &mut Findings,
) -> Option<Scenario> {
    match scenario.with(set) {
        Ok(changed) => Some(changed),
        Err(problems) => {
            for problem in problems {
                let mut entry = way.to_vec();
                entry.push((&problem.subject).into());
                document.error(&entry, problem.text, findings);
            }
            None
        }
    }
}

/// Names become parts of paths, file names and table rows.
pub(crate) fn is_name(name: &str) -> bool {
    let letters = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    letters && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() <= 64
}
