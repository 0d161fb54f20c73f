//! TOML files held to a schema, with all problems collected and each at its line.
//!
//! The types in [`scenario_file`], [`study_file`] and [`trace_file`] are the one description of what a file may hold. Their JSON Schema
//! is what editors use *and* what `shape` holds a file to, so that the two cannot disagree; after that the types are
//! read by serde, which has nothing left to complain about.

pub mod cycle_table;
pub(crate) mod document;
pub(crate) mod names;
pub mod scenario_file;
pub(crate) mod shape;
pub mod study_file;
pub mod trace_file;

use crate::file::document::Document;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use veracity_model::Findings;

/// The newest schema that is read.
pub const SCHEMA: i64 = 1;

/// The JSON Schema of a file type, as editors want it.
pub fn json_schema<T: JsonSchema>() -> serde_json::Value {
    schemars::schema_for!(T).to_value()
}

/// Reads a document as a type; `None` when it cannot be, which has then been said.
pub(crate) fn read<T: JsonSchema + DeserializeOwned>(
    document: &Document,
    elsewhere: &[(&str, &str)],
    findings: &mut Findings,
) -> Option<T> {
    let schema = json_schema::<T>();
    if !document.is_of_schema(SCHEMA, findings) || !shape::holds(document, &schema, elsewhere, findings) {
        return None;
    }
    match toml::from_str(document.text()) {
        Ok(content) => Some(content),
        Err(e) => {
            let at = e.span().map(|span| span.start);
            document.error_at(at, format!("{}; correct it", e.message()), findings);
            None
        }
    }
}
