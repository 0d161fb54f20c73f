//! Writes scenario.json, study.json, sidecar.json and trace.json of docs/schema. Tests compare the files with its output.

use std::path::Path;
use veracity_scenario::starter;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("scenario.json"), starter::scenario_schema())?;
    std::fs::write(folder.join("study.json"), starter::study_schema())?;
    std::fs::write(folder.join("sidecar.json"), veracity_model::import::sidecar::json_schema())?;
    std::fs::write(folder.join("trace.json"), starter::trace_schema())
}
