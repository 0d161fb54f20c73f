//! Content that was found but not read: one finding for each kind, with a count, so that everything is reported without
//! flooding.

use super::super::xml::Element;
use crate::finding::{Findings, Severity, Source};
use std::collections::BTreeMap;

/// Kinds of ignored content, in order of first occurrence.
#[derive(Default)]
pub(super) struct Unread {
    kinds: Vec<Kind>,
    by_what: BTreeMap<String, usize>,
}

struct Kind {
    severity: Severity,
    code: &'static str,
    first: Source,
    count: usize,
    what: String,
    hint: String,
}

impl Unread {
    /// Records content that may affect a result.
    pub fn warn(&mut self, element: Element<'_>, what: String, hint: &str) {
        self.add(Severity::Warning, "unsupported", element, what, hint);
    }

    /// Records content that affects no result.
    pub fn note(&mut self, element: Element<'_>, what: String, hint: &str) {
        self.add(Severity::Note, "unsupported", element, what, hint);
    }

    /// Records colours and textures.
    pub fn appearance(&mut self, element: Element<'_>) {
        self.note(element, "appearance (colours and textures)".into(), "it changes no motion");
    }

    /// Records attributes and children other than the known ones.
    pub fn check(&mut self, element: Element<'_>, attributes: &[&str], children: &[&str]) {
        for (name, _) in element.attributes().filter(|(name, _)| !attributes.contains(name)) {
            let what = format!("attribute '{name}' of <{}>", element.name());
            self.warn(element, what, "remove it, or check that the result does not depend on it");
        }
        for child in element.children().filter(|c| !children.contains(&c.name())) {
            let what = format!("<{}> in <{}>", child.name(), element.name());
            if child.name().starts_with("xacro:") {
                // The contents of the macro are unknown.
                self.warn(child, what, "it calls a macro of xacro that was not expanded: expand the file again");
            } else if child.name().contains(':') {
                // Not part of URDF: only the program named by the prefix may use it.
                let hint = "it is an extension for one program: check that the result does not depend on it";
                self.add(Severity::Warning, "extension", child, what, hint);
            } else {
                self.warn(child, what, hint(child.name()));
            }
        }
    }

    /// Converts all records to findings.
    pub fn report(self, findings: &mut Findings) {
        for kind in self.kinds {
            let times = if kind.count > 1 { format!(" ({} times, first here)", kind.count) } else { String::new() };
            let text = format!("{} is not supported and was left out{times}; {}", kind.what, kind.hint);
            findings.add(kind.severity, kind.code, Some(kind.first), "", text);
        }
    }

    fn add(&mut self, severity: Severity, code: &'static str, element: Element<'_>, what: String, hint: &str) {
        match self.by_what.get(&what) {
            Some(kind) => self.kinds[*kind].count += 1,
            None => {
                self.by_what.insert(what.clone(), self.kinds.len());
                self.kinds.push(Kind { severity, code, first: element.source(), count: 1, what, hint: hint.into() });
            }
        }
    }
}

/// Advice on elements that occur in real files.
fn hint(name: &str) -> &'static str {
    match name {
        "joint_properties" => "write <dynamics damping=\"…\" friction=\"…\"/> instead",
        "sensor" | "plugin" => "describe sensors in the scenario",
        "deformable" => "bodies are rigid here",
        _ => "remove it, or check that the result does not depend on it",
    }
}
