//! Shared by the tests of the lab: engines, temporary folders, a small study.
#![allow(dead_code)] // Each test binary uses some of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use veracity_engine::Engine;
use veracity_lab::{Engines, Lab, Silent, Store, StudyResult, Threads};
use veracity_model::Overrides;
use veracity_scenario::{Scenario, Study, StudyEngine};

/// Every engine in this process.
pub const ENGINES: &[&'static dyn Engine] = &[&veracity_engine_native::ENGINE, &veracity_engine_rapier::ENGINE];

/// The engines, with an arbitrary build name.
pub fn engines() -> Engines<'static> {
    Engines { list: ENGINES, build: "test" }
}

/// A temporary folder of this test, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("veracity-lab-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Built-in scenarios on engine specs.
pub fn study(scenarios: &[&str], specs: &[&str]) -> Study {
    let engine = |spec: &&str| StudyEngine {
        spec: spec.parse().unwrap(),
        steps_ns: Vec::new(),
        scenarios: Vec::new(),
        label: String::new(),
        if_present: false,
    };
    Study {
        name: "a_test".to_string(),
        title: "A test".to_string(),
        text: String::new(),
        scenarios: scenarios.iter().map(|name| Arc::new(Scenario::built_in(name).unwrap())).collect(),
        engines: specs.iter().map(engine).collect(),
        steps_ns: Vec::new(),
        seeds: vec![0],
        variations: vec![Overrides::new()],
        axes: Vec::new(),
        converged: None,
        control: None,
        expectations: Vec::new(),
        evidence: Default::default(),
        findings: veracity_model::Findings::new(),
    }
}

/// Runs a study in a folder.
pub fn run_in(folder: &Path, study: &Study, threads: usize) -> StudyResult {
    let store = Store::open(folder).unwrap();
    let executor = Threads::new(threads).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let lab = Lab { engines: engines(), store: &store, executor: &executor, stop, fresh: false };
    let result = lab.run(study, &Silent).unwrap();
    store.close().unwrap();
    result
}

/// Whether claims are tested at full size.
pub fn full_size() -> bool {
    std::env::var_os("VERACITY_FULL").is_some_and(|v| v == "1")
}
