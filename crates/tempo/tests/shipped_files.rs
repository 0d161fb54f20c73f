//! The shipped configuration files.

use std::path::{Path, PathBuf};
use veracity_tempo::TempoConfig;

#[test]
fn every_shipped_file_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    let mut files: Vec<_> = ["examples/tempo", "studies/tempo"].iter().flat_map(|f| list(&root.join(f))).collect();
    let folders: Vec<_> = files.iter().filter(|p| p.is_dir()).flat_map(|p| list(p)).collect();
    files.extend(folders);
    // Scenarios are next to some of them.
    let has_clients = |p: &PathBuf| std::fs::read_to_string(p).is_ok_and(|text| text.contains("[[clients]]"));
    files.retain(|p| p.extension().is_some_and(|e| e == "toml") && has_clients(p));
    assert!(files.len() >= 7, "{files:?}");
    for file in files {
        TempoConfig::load(&file).unwrap_or_else(|e| panic!("{e}"));
    }
}
