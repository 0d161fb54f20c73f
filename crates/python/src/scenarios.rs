//! Scenarios, studies and engines.

use crate::arrays::overrides;
use crate::errors::{error, of_findings};
use crate::models::{FindingPy, ModelPy, dict, names, no_number};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use veracity::engines::{self, Resolved};
use veracity::model::Layout;
use veracity::scenario::{LoadOptions, Scenario, Study, catalogue};

/// A world, a start, controllers, a duration, references and checks.
#[pyclass(frozen, name = "Scenario", module = "veracity")]
pub struct ScenarioPy {
    pub scenario: Arc<Scenario>,
    /// What changed since it was read, for records.
    pub changed: Vec<(String, f64)>,
}

#[pymethods]
impl ScenarioPy {
    #[staticmethod]
    fn built_in(name: &str) -> PyResult<Self> {
        Scenario::built_in(name).map(Self::new).map_err(|findings| of_findings(&findings))
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, package_path=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, package_path: Vec<PathBuf>) -> PyResult<Self> {
        let options = LoadOptions { resource_roots: package_path, confine: false };
        let loaded = py.detach(|| Scenario::load(&path, &options));
        loaded.map(Self::new).map_err(|findings| of_findings(&findings))
    }

    fn with_(&self, numbers: &Bound<'_, PyDict>) -> PyResult<Self> {
        let set = overrides(numbers, |path| self.scenario.full_path(path))?;
        let scenario = self.scenario.with(&set).map_err(|findings| of_findings(&findings))?;
        let mut changed = self.changed.clone();
        for (path, value) in set.iter() {
            changed.retain(|(p, _)| p != path);
            changed.push((path.to_string(), value));
        }
        Ok(Self { scenario: Arc::new(scenario), changed })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.scenario.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.scenario.title
    }

    #[getter]
    fn text(&self) -> &str {
        &self.scenario.text
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.scenario.duration_ns as f64 * 1e-9
    }

    #[getter]
    fn step_s(&self) -> f64 {
        self.scenario.step_ns as f64 * 1e-9
    }

    #[getter]
    fn model(&self) -> ModelPy {
        ModelPy::of_world(Arc::clone(&self.scenario.world))
    }

    #[getter]
    fn findings(&self) -> Vec<FindingPy> {
        FindingPy::all(&self.scenario.findings)
    }

    #[getter]
    fn checks(&self) -> Vec<String> {
        self.scenario.checks.iter().map(|c| c.name.clone()).collect()
    }

    #[getter]
    fn controllers(&self) -> Vec<String> {
        self.scenario.controllers.iter().map(|c| c.name.clone()).collect()
    }

    #[getter]
    fn sensors(&self) -> Vec<String> {
        self.scenario.sensors.iter().map(|s| s.name.clone()).collect()
    }

    #[getter]
    fn position_names(&self) -> Vec<String> {
        names(veracity::record::names::positions(&Layout::new(&self.scenario.world)))
    }

    #[getter]
    fn velocity_names(&self) -> Vec<String> {
        names(veracity::record::names::velocities(&Layout::new(&self.scenario.world)))
    }

    /// Positions at the start.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.scenario.q)
    }

    /// Velocities at the start.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.scenario.v)
    }

    #[getter]
    fn digest(&self) -> String {
        self.scenario.digest().to_string()
    }

    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, self.scenario.numbers())
    }

    fn __getitem__(&self, path: &str) -> PyResult<f64> {
        let full = self.scenario.full_path(path);
        let numbers = self.scenario.numbers();
        let found = numbers.iter().find(|(p, _)| *p == full).map(|(_, value)| *value);
        found.ok_or_else(|| no_number(path, &self.scenario.name, numbers))
    }

    fn __repr__(&self) -> String {
        format!("<Scenario {}: {}>", self.scenario.name, self.scenario.title)
    }
}

impl ScenarioPy {
    fn new(scenario: Scenario) -> Self {
        Self { scenario: Arc::new(scenario), changed: Vec::new() }
    }
}

/// Scenarios x engines x steps x variations x seeds.
#[pyclass(frozen, name = "Study", module = "veracity")]
pub struct StudyPy {
    pub study: Study,
}

#[pymethods]
impl StudyPy {
    #[staticmethod]
    fn built_in(name: &str) -> PyResult<Self> {
        Study::built_in(name).map(|study| Self { study }).map_err(|findings| of_findings(&findings))
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, package_path=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, package_path: Vec<PathBuf>) -> PyResult<Self> {
        let options = LoadOptions { resource_roots: package_path, confine: false };
        let loaded = py.detach(|| Study::load(&path, &options));
        loaded.map(|study| Self { study }).map_err(|findings| of_findings(&findings))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.study.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.study.title
    }

    #[getter]
    fn scenarios(&self) -> Vec<String> {
        self.study.scenarios.iter().map(|s| s.name.clone()).collect()
    }

    #[getter]
    fn engines(&self) -> Vec<String> {
        self.study.engines.iter().map(|e| e.spec.to_string()).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Study {}: {}>", self.study.name, self.study.title)
    }
}

/// Names of the built-in scenarios and studies.
#[pyfunction]
pub fn built_in() -> (Vec<&'static str>, Vec<&'static str>) {
    let names = |entries: &[catalogue::CatalogueEntry]| entries.iter().map(|e| e.name).collect();
    (names(catalogue::CATALOGUE), names(catalogue::SUITES))
}

/// Whether a TOML file is a study: it has `scenarios`, which no scenario has.
#[pyfunction]
pub fn is_study(path: PathBuf) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("scenarios"))
}

/// An engine that can be used.
#[pyclass(frozen, get_all, name = "Engine", module = "veracity")]
pub struct EnginePy {
    name: String,
    version: String,
    about: String,
    settings: Vec<(String, String, String)>,
}

#[pymethods]
impl EnginePy {
    fn __repr__(&self) -> String {
        format!("<Engine {}: {}>", self.name, self.version)
    }
}

/// Every engine: those built in, and the workers found.
#[pyfunction]
pub fn engines_found(py: Python<'_>) -> PyResult<Vec<EnginePy>> {
    same_process()?;
    Ok(py.detach(|| {
        let settings = |engine: &dyn veracity::engine::Engine| {
            let of = |s: &veracity::engine::Setting| (s.key.to_string(), s.default.to_string(), s.text.to_string());
            engine.settings().iter().map(of).collect()
        };
        let engine = |engine: &&'static dyn veracity::engine::Engine| EnginePy {
            name: engine.name().to_string(),
            version: engine.version(),
            about: engine.about().to_string(),
            settings: settings(*engine),
        };
        engines::all().iter().map(engine).collect()
    }))
}

/// The engine that a spec names.
pub fn resolve(spec: &str) -> PyResult<Resolved> {
    if !veracity::ENGINES.iter().any(|engine| spec.split([':', '@']).next() == Some(engine.name())) {
        same_process()?;
    }
    engines::read(spec).map_err(error)
}

/// A worker belongs to the process that started it: a forked child would talk into its parent's conversation.
pub fn same_process() -> PyResult<()> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    if *FIRST.get_or_init(std::process::id) == std::process::id() {
        return Ok(());
    }
    Err(error(
        "engines in processes of their own cannot be used after a fork; use the start method 'spawn' of multiprocessing",
    ))
}
