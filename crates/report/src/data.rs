//! What the page shows. The front end's `web/src/data/schema.ts` mirrors these types; the browser tests feed it from here.

pub mod numbers;
pub mod plots;
pub mod replay;
pub mod scenario;

use crate::ReportError;
use serde::{Deserialize, Serialize};

/// The schema these types write. Raised when an older page could not show newer data. Since 2, arrays are packed
/// (`pack.rs`) and poses are whole multiples of a step.
pub const SCHEMA: u32 = 2;

/// A whole report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportData {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The page's heading.
    pub title: String,
    /// Who made it, when and where.
    pub provenance: Provenance,
    /// What came out, over all scenarios.
    pub outcome: Outcome,
    /// Every engine that was asked for or could have been.
    pub engines: Vec<Engine>,
    /// In the order of the catalogue.
    pub scenarios: Vec<scenario::Scenario>,
}

impl ReportData {
    /// A report without a result.
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

    /// Reads what serialising wrote. Data of another schema are refused with a sentence.
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

/// Where the numbers come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// When it was made, as the maker writes it, e.g. `2026-11-15 22:04 UTC`. Not read by anything.
    pub when: String,
    /// Our version, e.g. `0.1.0`.
    pub version: String,
    /// The commit of our sources, if known.
    pub commit: Option<String>,
    /// The command that made it, as typed.
    pub command: Option<String>,
    /// Facts about the machine, shown in this order: `("processor", "…")`, `("operating system", "…")`.
    pub machine: Vec<Fact>,
}

/// A name and what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// E.g. `processor`.
    pub name: String,
    /// E.g. `2 cores of …`.
    pub value: String,
}

/// The one line a reader takes away.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Every verdict is the one expected, planned rejections included.
    pub as_expected: bool,
    /// A sentence, e.g. `All 42 verdicts are the ones the catalogue expects; 5 of them are planned rejections.`
    pub summary: String,
}

/// An engine and whether it could take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    /// E.g. `rapier`.
    pub name: String,
    /// E.g. `rapier3d-f64 0.32.0`.
    pub version: String,
    /// What it is, in a sentence.
    pub about: String,
    /// It ran.
    pub present: bool,
    /// The specs it ran with, each a column of the table.
    pub specs: Vec<String>,
    /// What it can do, e.g. `("snapshot", "exact")`.
    pub capabilities: Vec<Fact>,
    /// What it cannot do.
    pub missing: Vec<Missing>,
    /// When it is not present: the command that gets it.
    pub how_to_get: Option<String>,
}

/// Something an engine lacks.
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
    fn data_come_back_from_json() {
        let data = ReportData::new("a title");
        assert_eq!(ReportData::from_json(&serde_json::to_string(&data).unwrap()).unwrap(), data);
    }

    #[test]
    fn other_schemas_are_refused_with_a_sentence() {
        let refused = |schema: u32| {
            let mut data = ReportData::new("a title");
            data.schema = schema;
            ReportData::from_json(&serde_json::to_string(&data).unwrap()).unwrap_err().to_string()
        };
        assert_eq!(refused(3), "the report data have schema 3 and this program reads up to 2; update veracity");
        assert_eq!(refused(1), "the report data have schema 1 and this program reads 2; make the report anew");
    }
}
