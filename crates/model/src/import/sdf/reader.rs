//! State shared by all parts of the importer: findings, typed access to child elements, and the ledger of ignored
//! content.
//!
//! A world file may contain a thousand `<material>` elements that do not affect the physics. The ledger reports each
//! kind once, at its first occurrence, with a count, so that everything is reported without flooding.

use super::super::resources::Resources;
use super::super::xml::Element;
use super::include::IncludeBudget;
use super::mesh::Meshes;
use super::version::Version;
use crate::finding::{Finding, Findings, Severity, Source};
use crate::geometry::Vec3;
use std::collections::BTreeMap;

/// State of one import, over all included documents.
#[derive(Default)]
pub(super) struct Reader {
    pub findings: Findings,
    pub includes: IncludeBudget,
    pub meshes: Meshes,
    /// Nesting depth of the model being read.
    pub model_depth: usize,
    /// Number of top-level models started: the ledger is kept for each.
    models_begun: usize,
    ledger: Vec<LeftOut>,
    ledger_index: BTreeMap<(usize, String), usize>,
}

/// The document being read: its version and the location of its files.
#[derive(Clone, Copy)]
pub(super) struct Document<'r> {
    pub version: Version,
    pub resources: &'r Resources,
}

struct LeftOut {
    severity: Severity,
    what: String,
    hint: &'static str,
    source: Source,
    count: usize,
}

/// State of the findings when a model was started.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    findings: usize,
    ledger: usize,
}

impl LeftOut {
    fn finding(&self) -> Finding {
        let times = if self.count == 1 { String::new() } else { format!(" ({} times)", self.count) };
        let text = format!("{}{times} is not supported and was left out; {}", self.what, self.hint);
        let source = Some(self.source.clone());
        Finding { source, severity: self.severity, code: "unsupported", text, subject: String::new() }
    }
}

impl Reader {
    /// Records ignored content that does not affect the motion.
    pub fn left_out(&mut self, element: Element<'_>, what: impl Into<String>, hint: &'static str) {
        self.record(Severity::Note, element, what.into(), hint);
    }

    /// Records ignored content that may affect a result.
    pub fn unsupported(&mut self, element: Element<'_>, what: impl Into<String>, hint: &'static str) {
        self.record(Severity::Warning, element, what.into(), hint);
    }

    /// Records an element that no version of SDF, or no part of this importer, supports in this place.
    pub fn unknown(&mut self, element: Element<'_>, within: &str) {
        let what = format!("<{}> in <{within}>", element.name());
        self.unsupported(element, what, "check its spelling, or remove it if the simulation does not need it");
    }

    /// Reports attributes other than the known ones.
    pub fn known_attributes(&mut self, element: Element<'_>, known: &[&str]) {
        for (name, _) in element.attributes() {
            if !known.contains(&name) {
                let what = format!("attribute '{name}' of <{}>", element.name());
                self.unsupported(element, what, "check its spelling, or remove it");
            }
        }
    }

    fn record(&mut self, severity: Severity, element: Element<'_>, what: String, hint: &'static str) {
        let key = (if self.model_depth == 0 { 0 } else { self.models_begun }, what.clone());
        if let Some(&i) = self.ledger_index.get(&key) {
            self.ledger[i].count += 1;
            return;
        }
        self.ledger_index.insert(key, self.ledger.len());
        self.ledger.push(LeftOut { severity, what, hint, source: element.source(), count: 1 });
    }

    /// Starts a top-level model; pass the result to [`Reader::warnings_since`].
    pub fn begin_model(&mut self) -> Begun {
        self.models_begun += 1;
        Begun { findings: self.findings.len(), ledger: self.ledger.len() }
    }

    /// Warnings recorded since then, to read before trusting the model.
    pub fn warnings_since(&self, begun: Begun) -> Vec<Finding> {
        let left_out: Vec<_> = self.ledger[begun.ledger..].iter().map(LeftOut::finding).collect();
        let all = self.findings.iter().skip(begun.findings).cloned().chain(left_out);
        all.filter(|f| f.severity == Severity::Warning).collect()
    }

    /// Ends the import: the ledger becomes findings, one for each kind regardless of the number of models.
    pub fn finish(mut self) -> Findings {
        let mut merged: Vec<LeftOut> = Vec::new();
        let mut index: BTreeMap<String, usize> = BTreeMap::new();
        for entry in self.ledger {
            match index.get(&entry.what) {
                Some(&i) => {
                    merged[i].count += entry.count;
                    merged[i].severity = merged[i].severity.max(entry.severity);
                }
                None => {
                    index.insert(entry.what.clone(), merged.len());
                    merged.push(entry);
                }
            }
        }
        merged.iter().for_each(|entry| self.findings.push(entry.finding()));
        self.findings
    }

    /// The number in a child element. `None` if missing; an error and `None` if not a number.
    pub fn scalar(&mut self, parent: Element<'_>, name: &str) -> Option<f64> {
        parent.child(name)?.text_number(&mut self.findings)
    }

    /// The three numbers in a child element.
    pub fn vector(&mut self, parent: Element<'_>, name: &str) -> Option<Vec3> {
        parent.child(name)?.text_numbers::<3>(&mut self.findings).map(Vec3::from)
    }

    /// The boolean in a child element.
    pub fn flag(&mut self, parent: Element<'_>, name: &str) -> Option<bool> {
        self.truth(parent.child(name)?)
    }

    /// The boolean in an element: `true`, `false`, `1`, `0`, ignoring case, as libsdformat accepts them.
    pub fn truth(&mut self, element: Element<'_>) -> Option<bool> {
        self.truth_in(element, element.text(), element.name())
    }

    /// The boolean in an attribute; `None` if missing.
    pub fn truth_attribute(&mut self, element: Element<'_>, name: &str) -> Option<bool> {
        self.truth_in(element, element.attribute(name)?, name)
    }

    fn truth_in(&mut self, element: Element<'_>, text: &str, name: &str) -> Option<bool> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            other => {
                let shown: String = other.chars().take(40).collect();
                let text = format!("'{name}' is '{shown}'; write true or false");
                element.error(&mut self.findings, "flag", name, text);
                None
            }
        }
    }

    /// The text of a child element; empty counts as missing.
    pub fn word(&mut self, parent: Element<'_>, name: &str) -> Option<String> {
        parent.child(name).map(|e| e.text()).filter(|t| !t.is_empty()).map(str::to_string)
    }

    /// The required `name` of an element that has a frame or can be referred to.
    pub fn name(&mut self, element: Element<'_>, document: Document<'_>) -> Option<String> {
        let name = element.attribute("name").map(str::trim).unwrap_or("");
        if name.is_empty() {
            element.error(&mut self.findings, "name-empty", "", format!("a <{}> has no name", element.name()));
            return None;
        }
        let reserved = name == "world" || (name.len() >= 4 && name.starts_with("__") && name.ends_with("__"));
        if reserved && document.version.names_frames() {
            let text = format!("'{name}' is a name reserved by SDF; rename the <{}>", element.name());
            element.error(&mut self.findings, "name-reserved", name, text);
            return None;
        }
        if reserved {
            let text = format!(
                "'{name}' is a name reserved by SDF; here it means this <{}>, as in Gazebo classic and \
                 PyBullet. Rename it",
                element.name()
            );
            element.warning(&mut self.findings, "name-reserved", name, text);
        }
        Some(name.to_string())
    }

    /// Leaves below `element` as settings, assigned to an engine if they are below a child that names one.
    pub fn settings(&mut self, element: Element<'_>, prefix: &str) -> Vec<super::description::Setting> {
        let mut out = Vec::new();
        collect_settings(element, "sdf", prefix, &mut out);
        out
    }
}

/// Engines that have a tag in SDF.
const ENGINES: [&str; 4] = ["ode", "bullet", "simbody", "dart"];

fn collect_settings(element: Element<'_>, engine: &str, key: &str, out: &mut Vec<super::description::Setting>) {
    let mut is_leaf = true;
    for child in element.children() {
        is_leaf = false;
        let name = child.name();
        let engine = if engine == "sdf" && ENGINES.contains(&name) { name } else { engine };
        // The engine's tag is not part of the key: ("ode", "solver/iters", "50").
        let key = match (ENGINES.contains(&name), key.is_empty()) {
            (true, _) => key.to_string(),
            (false, true) => name.to_string(),
            (false, false) => format!("{key}/{name}"),
        };
        collect_settings(child, engine, &key, out);
    }
    if is_leaf {
        out.push((engine.to_string(), key.to_string(), element.text().to_string()));
    }
}
