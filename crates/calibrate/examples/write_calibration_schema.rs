//! Writes docs/schema/calibration.json. A test compares the file with this program's output.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(&veracity_calibrate::file::schema()).map_err(std::io::Error::other)?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/calibration.json");
    std::fs::write(path, text + "\n")
}
