//! Findings: what is wrong with a model, and where. Printed as `file:line: severity[code]: text`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; changes no result.
    Note,
    /// Read this before you trust a result.
    Warning,
    /// The model cannot be used as written.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// A position in a file. Lines count from 1; line 0 means the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Source {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 { write!(f, "{}", self.file) } else { write!(f, "{}:{}", self.file, self.line) }
    }
}

/// One problem or remark about a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Where in the file, if it came from a file.
    pub source: Option<Source>,
    /// How serious it is.
    pub severity: Severity,
    /// A stable, lower-case, hyphenated name for this kind of finding, e.g. `inertia-triangle`.
    pub code: &'static str,
    /// What is wrong, with the numbers, and what to do.
    pub text: String,
    /// The stable path of the part concerned, e.g. `bodies/LHip`; empty for the whole file.
    pub subject: String,
}

/// A code read from a file, as the codes of this program are. Each distinct one is kept for the life of the program:
/// there are as many as there are kinds of findings.
pub fn interned_code(code: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = known.get(code) {
        return code;
    }
    let kept: &'static str = Box::leak(code.to_string().into_boxed_str());
    known.insert(kept);
    kept
}

/// A finding as it is read back: its code is not yet that of this program.
#[derive(Deserialize)]
struct StoredFinding {
    source: Option<Source>,
    severity: Severity,
    code: String,
    text: String,
    subject: String,
}

impl<'de> Deserialize<'de> for Finding {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let StoredFinding { source, severity, code, text, subject } = StoredFinding::deserialize(from)?;
        Ok(Self { source, severity, code: interned_code(&code), text, subject })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(source) = &self.source {
            write!(f, "{source}: ")?;
        }
        // Always one line, even if names in it contain line breaks.
        write!(f, "{}[{}]: {}", self.severity, self.code, crate::text::one_line(&self.text))
    }
}

/// Findings in the order they were recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a finding.
    pub fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    /// Records a finding from its parts.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        source: Option<Source>,
        subject: impl Into<String>,
        text: impl Into<String>,
    ) {
        self.0.push(Finding { source, severity, code, text: text.into(), subject: subject.into() });
    }

    /// Appends all of another list.
    pub fn extend(&mut self, other: Findings) {
        self.0.extend(other.0);
    }

    /// The worst severity present.
    pub fn worst(&self) -> Option<Severity> {
        self.0.iter().map(|f| f.severity).max()
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.worst() == Some(Severity::Error)
    }

    /// Iterates in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of findings with this code.
    pub fn count(&self, code: &str) -> usize {
        self.0.iter().filter(|f| f.code == code).count()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.0 {
            writeln!(f, "{finding}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}
