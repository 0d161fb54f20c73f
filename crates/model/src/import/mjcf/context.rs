//! State shared by all parts of the importer: settings, defaults, and findings.

use super::compiler::Compiler;
use super::defaults::Defaults;
use super::node::Node;
use super::schema;
use crate::finding::{Finding, Findings, Severity, Source};
use crate::import::resources::Resources;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// State shared by the parts of the importer.
pub(super) struct Context<'r> {
    /// Collected problems.
    pub findings: &'r mut Findings,
    /// Where files are looked up.
    pub resources: &'r Resources,
    /// Settings of `<compiler>`: of the model, then of the models attached to it.
    pub compilers: Vec<Compiler>,
    /// The main file of the model, then of the models attached to it.
    files: Vec<PathBuf>,
    /// The default classes.
    pub defaults: Defaults,
    /// Settings for MuJoCo only: (key, value), verbatim.
    pub engine_settings: Vec<(String, String)>,
    /// Assets that could not be read, by kind and name. The severity depends on what uses them.
    unread_assets: BTreeMap<String, Finding>,
    reported: BTreeSet<String>,
    without_effect: BTreeSet<String>,
}

impl<'r> Context<'r> {
    /// An empty context.
    pub fn new(findings: &'r mut Findings, resources: &'r Resources, files: Vec<PathBuf>) -> Self {
        Self {
            findings,
            resources,
            compilers: vec![Compiler::default(); files.len()],
            files,
            defaults: Defaults::default(),
            engine_settings: Vec::new(),
            unread_assets: BTreeMap::new(),
            reported: BTreeSet::new(),
            without_effect: BTreeSet::new(),
        }
    }

    /// The settings that apply to an element.
    pub fn compiler(&self, node: &Node) -> &Compiler {
        &self.compilers[node.scope]
    }

    /// Where the files that an element names are looked up.
    pub fn resources_of(&self, node: &Node) -> Cow<'r, Resources> {
        match node.scope {
            0 => Cow::Borrowed(self.resources),
            scope => Cow::Owned(self.resources.beside(&self.files[scope])),
        }
    }

    /// Reports an error at an element.
    pub fn error(&mut self, node: &Node, code: &'static str, text: impl Into<String>) {
        node.error(self.findings, code, text);
    }

    /// Reports a warning at an element.
    pub fn warning(&mut self, node: &Node, code: &'static str, text: impl Into<String>) {
        node.warning(self.findings, code, text);
    }

    /// Reports a warning once.
    pub fn warn_once(&mut self, node: &Node, code: &'static str, text: &str) {
        if self.reported.insert(format!("{code} {text}")) {
            node.warning(self.findings, code, text);
        }
    }

    /// Reports something that is not supported, once.
    pub fn unsupported(&mut self, node: &Node, what: &str, hint: &str) {
        if self.reported.insert(what.to_string()) {
            let text = format!("{what} is not supported and was left out; {hint}");
            self.findings.add(Severity::Warning, "unsupported", Some(node.source.clone()), node.name.clone(), text);
        }
    }

    /// Records a note, once.
    pub fn note(&mut self, node: &Node, code: &'static str, text: &str) {
        if self.reported.insert(format!("{code} {text}")) {
            self.findings.add(Severity::Note, code, Some(node.source.clone()), node.name.clone(), text);
        }
    }

    /// Records an asset that could not be read: a note until a part that affects results uses it.
    pub fn unread_asset(&mut self, node: &Node, name: &str, code: &'static str, text: String) {
        let source = Some(node.source.clone());
        let finding =
            Finding { source, severity: Severity::Note, code, text, subject: format!("{}/{name}", node.name) };
        self.unread_assets.insert(name.to_string(), finding);
    }

    /// Raises the severity of an asset that could not be read to at least this.
    pub fn needs_asset(&mut self, name: &str, severity: Severity) {
        if let Some(finding) = self.unread_assets.get_mut(name) {
            finding.severity = finding.severity.max(severity);
        }
    }

    /// Reports the assets that could not be read, after everything that uses them has been read.
    pub fn report_unread_assets(&mut self) {
        for (_, finding) in std::mem::take(&mut self.unread_assets) {
            self.findings.push(finding);
        }
    }

    /// Records content that does not affect the motion; one note at the end lists it all.
    pub fn has_no_effect(&mut self, what: &str) {
        self.without_effect.insert(what.to_string());
    }

    /// Adds the note on all content that does not affect the motion.
    pub fn finish(&mut self, source: Source) {
        if !self.without_effect.is_empty() {
            let list: Vec<&str> = self.without_effect.iter().map(String::as_str).collect();
            let text = format!("left out, because it changes no motion: {}", list.join(", "));
            self.findings.add(Severity::Note, "no-effect", Some(source), "", text);
        }
    }

    /// Reports every attribute that `kind` is not known to have.
    pub fn check_attributes(&mut self, node: &Node, kind: &str) {
        let Some(known) = schema::attributes(kind) else { return };
        for (name, _) in &node.attributes {
            if !known.iter().any(|words| words.split_whitespace().any(|word| word == name)) {
                let what = format!("attribute '{name}' of <{}>", node.name);
                self.unsupported(node, &what, "check its spelling, or see what the model does without it");
            }
        }
    }

    /// Reports every child element except those in `known`.
    pub fn check_children(&mut self, node: &Node, known: &[&str]) {
        for child in &node.children {
            if !known.contains(&child.name.as_str()) {
                let what = format!("<{}> in <{}>", child.name, node.name);
                self.unsupported(child, &what, "check its spelling, or see what the model does without it");
            }
        }
    }

    /// Keeps attributes that only MuJoCo's solver uses, verbatim, under `KIND/NAME/ATTRIBUTE`.
    pub fn keep_for_mujoco(&mut self, node: &Node, kind: &str, name: &str, attributes: &[&str]) {
        for attribute in attributes {
            if let Some(value) = node.attribute(attribute) {
                self.engine_settings.push((format!("{kind}/{name}/{attribute}"), value.to_string()));
            }
        }
    }

    /// Whether a limit is enabled: by the attribute `limited`, or with `auto` by whether the range is given.
    pub fn is_limited(&mut self, node: &Node, limited: &str, range: &str) -> bool {
        // In MuJoCo a range of zeros means no range.
        let given = node.list(range, self.findings).is_some_and(|list| list.iter().any(|x| *x != 0.0));
        match node.keyword(limited, &["false", "true", "auto"], self.findings) {
            Some("true") => true,
            Some("false") => false,
            _ if given && !self.compiler(node).autolimits => {
                let text = format!(
                    "<{}> has '{range}' but not '{limited}', and <compiler autolimits=\"false\"> forbids guessing; \
                     say {limited}=\"true\" or \"false\"",
                    node.name
                );
                self.error(node, "limits", text);
                false
            }
            _ => given,
        }
    }
}
