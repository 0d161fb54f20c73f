//! Writes docs/schema/scenario.json, study.json and trace.json. A test compares the files with this program's output.

use std::path::Path;
use veracity_scenario::starter;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("scenario.json"), starter::scenario_schema())?;
    std::fs::write(folder.join("study.json"), starter::study_schema())?;
    std::fs::write(folder.join("trace.json"), starter::trace_schema())
}
