//! The data of the page. `web/src/data/schema.ts` of the front end mirrors these types; the browser tests use data
//! written from here.

pub mod numbers;
pub mod plots;
pub mod replay;
pub mod scenario;
pub mod signals;
pub mod variations;

use crate::ReportError;
use serde::{Deserialize, Serialize};

/// The schema of these types. Raised when an older page could not show newer data. Since 2, arrays are packed
/// (`pack.rs`) and poses are whole multiples of a step.
pub const SCHEMA: u32 = 2;

/// A whole report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportData {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The page's heading.
    pub title: String,
    /// Version, time and machine.
    pub provenance: Provenance,
    /// Summary over all scenarios.
    pub outcome: Outcome,
    /// Every engine that was requested or is known.
    pub engines: Vec<Engine>,
    /// In the order of the catalogue.
    pub scenarios: Vec<scenario::Scenario>,
}

impl ReportData {
    /// A report without results.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            schema: SCHEMA,
            title: title.into(),
            provenance: Provenance::default(),
            outcome: Outcome::default(),
            engines: Vec::new(),
            scenarios: Vec::new(),
        }
    }

    /// Parses serialised report data. Data of another schema are an error.
    pub fn from_json(text: &str) -> Result<Self, ReportError> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.schema > SCHEMA {
            return Err(ReportError::Newer { found: head.schema, known: SCHEMA });
        }
        if head.schema < SCHEMA {
            return Err(ReportError::Older { found: head.schema, known: SCHEMA });
        }
        Ok(serde_json::from_str(text)?)
    }
}

/// Origin of the numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// When it was made, as text, e.g. `2026-11-15 22:04 UTC`. Not parsed.
    pub when: String,
    /// The version of veracity, e.g. `0.1.0`.
    pub version: String,
    /// The commit of the sources, if known.
    pub commit: Option<String>,
    /// The command that made it, as typed.
    pub command: Option<String>,
    /// Facts about the machine, shown in this order: `("processor", "…")`, `("operating system", "…")`.
    pub machine: Vec<Fact>,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// E.g. `processor`.
    pub name: String,
    /// E.g. `2 cores of …`.
    pub value: String,
}

/// The summary line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Every verdict is the one expected, planned rejections included.
    pub as_expected: bool,
    /// In a few words, e.g. `all verdicts as expected`; empty in reports of earlier versions.
    #[serde(default)]
    pub headline: String,
    /// A sentence, e.g. `All 42 verdicts are the ones the catalogue expects; 5 of them are planned rejections.`
    pub summary: String,
}

/// An engine and whether it is installed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    /// E.g. `rapier`.
    pub name: String,
    /// E.g. `rapier3d-f64 0.32.0`.
    pub version: String,
    /// Description, in a sentence.
    pub about: String,
    /// Whether it ran.
    pub present: bool,
    /// The specs it ran with, each a column of the table.
    pub specs: Vec<String>,
    /// Capabilities, e.g. `("snapshot", "exact")`.
    pub capabilities: Vec<Fact>,
    /// Missing features.
    pub missing: Vec<Missing>,
    /// The command that installs it, if it is not present.
    pub how_to_get: Option<String>,
}

impl Engine {
    /// An engine that could be installed.
    pub fn absent(name: impl Into<String>, about: impl Into<String>, how_to_get: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: String::new(),
            about: about.into(),
            present: false,
            specs: Vec::new(),
            capabilities: Vec::new(),
            missing: Vec::new(),
            how_to_get: Some(how_to_get.into()),
        }
    }
}

/// A feature an engine lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// E.g. `closed loops`.
    pub feature: String,
    /// What to do about it.
    pub hint: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_read_back_from_json() {
        let data = ReportData::new("a title");
        assert_eq!(ReportData::from_json(&serde_json::to_string(&data).unwrap()).unwrap(), data);
    }

    #[test]
    fn other_schemas_are_rejected() {
        let refused = |schema: u32| {
            let mut data = ReportData::new("a title");
            data.schema = schema;
            ReportData::from_json(&serde_json::to_string(&data).unwrap()).unwrap_err().to_string()
        };
        assert_eq!(refused(3), "the report data have schema 3 and this program reads up to 2; update veracity");
        assert_eq!(refused(1), "the report data have schema 1 and this program reads 2; make the report again");
    }
}
