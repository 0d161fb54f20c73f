//! The shipped configuration files.

use std::path::Path;
use veracity_tempo::TempoConfig;

#[test]
fn every_shipped_file_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["examples/tempo", "studies/tempo"].map(|folder| root.join(folder));
    let files = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap()).map(|e| e.unwrap().path());
    let files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        TempoConfig::load(&file).unwrap_or_else(|e| panic!("{e}"));
    }
}
