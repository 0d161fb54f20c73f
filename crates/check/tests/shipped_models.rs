//! Every model in `scenarios/` is accepted: all its findings are listed as known, and every listed finding occurs.

use std::path::{Path, PathBuf};
use veracity_check::{Verdict, inspect};
use veracity_model::Severity;
use veracity_model::import::{ImportOptions, load};

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let list = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let is_model = |p: &PathBuf| p.extension().is_some_and(|e| e == "urdf" || e == "sdf" || e == "xml");
    let found: Vec<_> = list(&root).iter().filter(|f| f.is_dir()).flat_map(|f| list(f)).filter(is_model).collect();
    assert!(found.len() >= 30, "only {} models under {}", found.len(), root.display());
    found
}

#[test]
fn every_shipped_model_is_accepted_and_lists_exactly_its_findings() {
    for path in models() {
        let report = inspect(&load(&path, &ImportOptions::default()));
        let new: Vec<String> = report
            .entries
            .iter()
            .filter(|e| e.known.is_none() && e.finding.severity >= Severity::Warning)
            .map(|e| e.finding.to_string())
            .collect();
        assert!(new.is_empty(), "{}: {}", path.display(), new.join("\n"));
        assert_eq!(report.verdict, Some(Verdict::Accepted), "{}", path.display());
    }
}

#[test]
fn without_their_lists_the_published_faults_are_rejected() {
    for (file, code) in [
        ("nao/nao_h25.urdf", "inertia-triangle"),
        ("links/links.urdf", "inertia-triangle"),
        ("block_row/block_row_3.sdf", "inertia-proportion"),
        ("ur10/ur10_10x.urdf", "inertia-proportion"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
        let mut imported = load(&path, &ImportOptions::default());
        imported.known.clear();
        let report = inspect(&imported);
        assert_eq!(report.verdict, Some(Verdict::Rejected), "{file}");
        let found = report.entries.iter().find(|e| e.finding.code == code && e.finding.severity == Severity::Error);
        assert!(found.is_some_and(|e| e.finding.source.as_ref().is_some_and(|s| s.line > 0)), "{file}");
    }
}
