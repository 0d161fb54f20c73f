//! Records.

use crate::arrays::matrix;
use crate::errors::error;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use veracity::record::{Outcome, Record, csv, mcap, table_of_track};

/// The data of a trial or of a motion.
#[pyclass(frozen, name = "Record", module = "veracity")]
pub struct RecordPy {
    pub record: Record,
    /// Whether contacts were recorded: those of a motion computed elsewhere are not known.
    pub contacts_known: bool,
}

impl RecordPy {
    pub fn new(record: Record) -> Self {
        Self { record, contacts_known: true }
    }
}

#[pymethods]
impl RecordPy {
    #[staticmethod]
    fn read_mcap(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| mcap::read_mcap(&path)).map(Self::new).map_err(error)
    }

    #[getter]
    fn scenario(&self) -> &str {
        &self.record.head.scenario
    }

    #[getter]
    fn engine(&self) -> &str {
        &self.record.head.engine
    }

    #[getter]
    fn engine_version(&self) -> &str {
        &self.record.head.engine_version
    }

    #[getter]
    fn step_s(&self) -> f64 {
        self.record.head.step_s
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.record.head.seed
    }

    #[getter]
    fn overrides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::models::dict(py, self.record.head.overrides.clone())
    }

    /// Of the deterministic part.
    #[getter]
    fn digest(&self) -> String {
        self.record.digest().to_string()
    }

    /// `finished`, `stopped`, `broke down`, `not expressible`, `too slow` or `failed`.
    #[getter]
    fn outcome(&self) -> &'static str {
        match self.record.outcome {
            Outcome::Finished => "finished",
            Outcome::Stopped { .. } => "stopped",
            Outcome::BrokeDown { .. } => "broke down",
            Outcome::NotExpressible { .. } => "not expressible",
            Outcome::TooSlow { .. } => "too slow",
            Outcome::Failed { .. } => "failed",
        }
    }

    /// The outcome as a sentence; of a controller that raised, with its traceback.
    #[getter]
    fn reason(&self) -> String {
        self.record.outcome.to_string()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.record.log.iter().filter(|entry| entry.warning).map(|entry| entry.text.clone()).collect()
    }

    #[getter]
    fn cpu_s(&self) -> f64 {
        self.record.host.cpu_s
    }

    /// Times of the rows [s].
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.record.track.times)
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.record.track.q.clone(), self.record.track.nq)
    }

    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.record.track.v.clone(), self.record.track.nv)
    }

    /// Rows x bodies x 7.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let track = &self.record.track;
        PyArray1::from_slice(py, &track.poses).reshape([track.rows(), track.bodies, 7])
    }

    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.record.layout().bodies.into_iter().map(|b| b.name).collect()
    }

    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::sessions::contacts(py, &self.record.contacts, &self.record.layout())
    }

    /// Every column by name, `time_s` first: what to_parquet and to_csv write.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for column in table_of_track::table(&self.record).map_err(error)? {
            out.set_item(column.name, PyArray1::from_vec(py, column.values))?;
        }
        Ok(out)
    }

    /// SI unit of every column.
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for column in table_of_track::table(&self.record).map_err(error)? {
            out.set_item(column.name, column.unit)?;
        }
        Ok(out)
    }

    fn to_parquet(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| table_of_track::write_track(&self.record, &path)).map_err(error)
    }

    fn to_mcap(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| mcap::write_mcap(&self.record, &path)).map_err(error)
    }

    fn to_csv(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| csv::write_csv(&self.record, &path)).map_err(error)
    }

    /// A pandas.DataFrame of the columns.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("pandas")?.call_method1("DataFrame", (self.columns(py)?,))
    }

    fn __len__(&self) -> usize {
        self.record.track.rows()
    }

    fn __repr__(&self) -> String {
        let Record { head, track, .. } = &self.record;
        format!("<Record {} on {}: {} rows, {}>", head.scenario, head.engine, track.rows(), self.outcome())
    }
}
