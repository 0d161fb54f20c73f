//! Models and findings.

use crate::arrays::overrides;
use crate::errors::{error, of_findings};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use veracity::check::inspect;
use veracity::model::import::{self, Base, ImportOptions};
use veracity::model::{Findings, Layout, Severity, World};
use veracity::scenario::numbers::full_path;

/// One problem or remark.
#[pyclass(frozen, get_all, name = "Finding", module = "veracity")]
pub struct FindingPy {
    severity: String,
    code: String,
    text: String,
    subject: String,
    file: Option<String>,
    line: Option<u32>,
    known: Option<String>,
    shown: String,
}

#[pymethods]
impl FindingPy {
    fn __str__(&self) -> &str {
        &self.shown
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.shown)
    }
}

impl FindingPy {
    pub fn new(finding: &veracity::model::Finding, known: Option<String>) -> Self {
        let source = finding.source.as_ref();
        Self {
            severity: finding.severity.to_string(),
            code: finding.code.to_string(),
            text: finding.text.clone(),
            subject: finding.subject.clone(),
            file: source.map(|s| s.file.to_string()),
            line: source.map(|s| s.line).filter(|line| *line > 0),
            known,
            shown: finding.to_string(),
        }
    }

    pub fn all(findings: &Findings) -> Vec<Self> {
        findings.iter().map(|finding| Self::new(finding, None)).collect()
    }
}

/// A robot as it was read from a file, with gravity and the models of that file.
#[pyclass(frozen, name = "Model", module = "veracity")]
pub struct ModelPy {
    pub world: Arc<World>,
    findings: Findings,
}

impl ModelPy {
    pub fn of_world(world: Arc<World>) -> Self {
        Self { world, findings: Findings::new() }
    }
}

#[pymethods]
impl ModelPy {
    #[getter]
    fn name(&self) -> &str {
        &self.world.name
    }

    /// Total mass [kg].
    #[getter]
    fn mass(&self) -> f64 {
        self.world.placements.iter().map(|p| p.model.mass()).sum()
    }

    #[getter]
    fn findings(&self) -> Vec<FindingPy> {
        FindingPy::all(&self.findings)
    }

    #[getter]
    fn bodies(&self) -> Vec<String> {
        Layout::new(&self.world).bodies.into_iter().map(|b| b.name).collect()
    }

    #[getter]
    fn joints(&self) -> Vec<String> {
        Layout::new(&self.world).joints.into_iter().map(|j| j.name).collect()
    }

    #[getter]
    fn actuators(&self) -> Vec<String> {
        Layout::new(&self.world).actuators
    }

    #[getter]
    fn position_names(&self) -> Vec<String> {
        names(veracity::record::names::positions(&Layout::new(&self.world)))
    }

    #[getter]
    fn velocity_names(&self) -> Vec<String> {
        names(veracity::record::names::velocities(&Layout::new(&self.world)))
    }

    /// Every number by its path.
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict(py, self.world.numbers())
    }

    fn __getitem__(&self, path: &str) -> PyResult<f64> {
        let full = full_path(&self.world, path);
        self.world.number(&full).ok_or_else(|| no_number(path, &self.world.name, self.world.numbers()))
    }

    fn __contains__(&self, path: &str) -> bool {
        self.world.number(&full_path(&self.world, path)).is_some()
    }

    fn with_(&self, numbers: &Bound<'_, PyDict>) -> PyResult<Self> {
        let set = overrides(numbers, |path| full_path(&self.world, path))?;
        let world = self.world.with(&set).map_err(|findings| of_findings(&findings))?;
        Ok(Self { world: Arc::new(world), findings: self.findings.clone() })
    }

    fn __repr__(&self) -> String {
        let bodies: usize = self.world.placements.iter().map(|p| p.model.bodies().len()).sum();
        format!("<Model {}: {bodies} bodies, {} kg>", self.world.name, self.mass())
    }
}

/// What `veracity check` says of a file.
#[pyclass(frozen, name = "Inspection", module = "veracity")]
pub struct InspectionPy {
    report: veracity::check::InspectionReport,
}

#[pymethods]
impl InspectionPy {
    /// `None` if the file gave no model.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        self.report.verdict.map(veracity::measure::Verdict::text)
    }

    #[getter]
    fn reasons(&self) -> Vec<String> {
        self.report.reasons.clone()
    }

    #[getter]
    fn pose(&self) -> Option<String> {
        self.report.pose.clone()
    }

    #[getter]
    fn findings(&self) -> Vec<FindingPy> {
        self.report.entries.iter().map(|e| FindingPy::new(&e.finding, e.known.clone())).collect()
    }

    fn __repr__(&self) -> String {
        let verdict = self.verdict().unwrap_or("no model");
        format!("<Inspection {verdict}: {} findings>", self.report.entries.len())
    }
}

fn options(base: Option<&str>, package_path: Vec<PathBuf>) -> PyResult<ImportOptions> {
    let base = match base {
        None => None,
        Some("fixed") => Some(Base::Fixed),
        Some("free") => Some(Base::Free),
        Some(other) => return Err(error(format!("base is '{other}'; it must be 'fixed' or 'free'"))),
    };
    Ok(ImportOptions { base, resource_roots: package_path, ..ImportOptions::default() })
}

/// Reads a URDF, SDF or MJCF file.
#[pyfunction]
#[pyo3(signature = (path, *, base=None, package_path=Vec::new()))]
pub fn load(py: Python<'_>, path: PathBuf, base: Option<&str>, package_path: Vec<PathBuf>) -> PyResult<ModelPy> {
    let options = options(base, package_path)?;
    let imported = py.detach(|| import::load(&path, &options));
    match imported.world {
        Some(world) if !imported.findings.iter().any(|f| f.severity == Severity::Error) => {
            Ok(ModelPy { world: Arc::new(world), findings: imported.findings })
        }
        _ => Err(of_findings(&imported.findings)),
    }
}

/// Inspects a file as `veracity check` does.
#[pyfunction]
#[pyo3(signature = (path, *, base=None, package_path=Vec::new()))]
pub fn check(
    py: Python<'_>,
    path: PathBuf,
    base: Option<&str>,
    package_path: Vec<PathBuf>,
) -> PyResult<InspectionPy> {
    let options = options(base, package_path)?;
    Ok(InspectionPy { report: py.detach(|| inspect(&import::load(&path, &options))) })
}

pub fn names(named: Vec<veracity::record::names::Named>) -> Vec<String> {
    named.into_iter().map(|named| named.name).collect()
}

pub fn dict(py: Python<'_>, numbers: Vec<(String, f64)>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    for (path, value) in numbers {
        out.set_item(path, value)?;
    }
    Ok(out)
}

/// A `KeyError` that names the nearest paths.
pub fn no_number(path: &str, of: &str, numbers: Vec<(String, f64)>) -> PyErr {
    let near = veracity::model::numbers::nearest(path, numbers.iter().map(|(p, _)| p.as_str()));
    let hint = if near.is_empty() {
        "paths() lists them".to_string()
    } else {
        format!("the nearest are '{}'", near.join("', '"))
    };
    PyKeyError::new_err(format!("there is no number '{path}' in '{of}'; {hint}"))
}
