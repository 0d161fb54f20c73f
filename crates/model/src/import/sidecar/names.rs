//! Looks up names of a sidecar in the model; unknown names are reported.

use crate::finding::{Findings, Severity, Source};
use crate::model::{BodyId, JointId, MaterialId, Model};

/// Name lookup for one entry of the sidecar.
pub(super) struct Names<'a> {
    pub model: &'a Model,
    pub source: Source,
    pub findings: &'a mut Findings,
}

impl Names<'_> {
    pub fn body(&mut self, name: &str) -> Option<BodyId> {
        let found = self.model.body_named(name);
        self.known(found, "body", name, |m| m.bodies().iter().map(|b| b.name.as_str()).collect())
    }

    /// A body, or the model frame if none is named. `None` for an unknown name.
    pub fn body_or_frame(&mut self, name: &Option<String>) -> Option<Option<BodyId>> {
        match name {
            Some(name) => self.body(name).map(Some),
            None => Some(None),
        }
    }

    pub fn joint(&mut self, name: &str) -> Option<JointId> {
        let found = self.model.joint_named(name);
        self.known(found, "joint", name, |m| m.joints().iter().map(|j| j.name.as_str()).collect())
    }

    pub fn material(&mut self, name: &str) -> Option<MaterialId> {
        let found = self.model.materials().iter().position(|m| m.name == name).map(MaterialId);
        self.known(found, "material", name, |m| m.materials().iter().map(|m| m.name.as_str()).collect())
    }

    pub fn actuator(&mut self, name: &str) -> Option<usize> {
        let found = self.model.actuators().iter().position(|a| a.name == name);
        self.known(found, "actuator", name, |m| m.actuators().iter().map(|a| a.name.as_str()).collect())
    }

    /// Reports an error in this entry.
    pub fn error(&mut self, text: impl Into<String>) {
        self.findings.add(Severity::Error, "sidecar", Some(self.source.clone()), "", text);
    }

    fn known<T>(
        &mut self,
        found: Option<T>,
        kind: &str,
        name: &str,
        all: impl FnOnce(&Model) -> Vec<&str>,
    ) -> Option<T> {
        if found.is_none() {
            let all = all(self.model);
            let shown: Vec<&str> = all.iter().take(12).copied().collect();
            let more = if all.len() > shown.len() { ", …" } else { "" };
            let list = if all.is_empty() { "none".to_string() } else { shown.join(", ") + more };
            self.error(format!("there is no {kind} '{name}'; available: {list}"));
        }
        found
    }
}
