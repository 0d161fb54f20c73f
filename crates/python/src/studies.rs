//! Running studies, and judging motions computed elsewhere.

use crate::arrays::{nanoseconds, overrides, rows, vector};
use crate::errors::error;
use crate::records::RecordPy;
use crate::scenarios::{ScenarioPy, StudyPy, same_process};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use veracity::engines;
use veracity::lab::{
    CheckResult, Conclusion, GivenMotion, Lab, Progress, Row, Store, StoreReader, StudyResult, Threads, TrialKey,
    record_of_motion,
};
use veracity::scenario::Study;

/// How often Ctrl-C is looked for while trials run.
const SIGNALS_EVERY: Duration = Duration::from_millis(50);

/// One check of a trial.
#[pyclass(frozen, get_all, name = "Check", module = "veracity")]
pub struct CheckPy {
    name: String,
    metric: String,
    unit: String,
    verdict: &'static str,
    /// `None` where there is no number.
    value: Option<f64>,
    error: Option<f64>,
    bound: f64,
    reason: String,
    against: String,
}

#[pymethods]
impl CheckPy {
    fn __repr__(&self) -> String {
        format!("<Check {}: {}, {}>", self.name, self.verdict, self.reason)
    }
}

impl CheckPy {
    fn new(check: &CheckResult) -> Self {
        let measured = check.judgement.measured.as_ref();
        Self {
            name: check.name.clone(),
            metric: check.metric.clone(),
            unit: check.unit.clone(),
            verdict: check.judgement.verdict.text(),
            value: measured.map(|m| m.value),
            error: measured.map(|m| m.uncertainty),
            bound: check.judgement.bound,
            reason: check.judgement.reason.clone(),
            against: check.against.clone(),
        }
    }
}

/// One trial of a result, or a judged motion.
#[pyclass(frozen, get_all, name = "Row", module = "veracity")]
pub struct RowPy {
    scenario: String,
    engine: String,
    step_s: f64,
    seed: u64,
    overrides: Vec<(String, f64)>,
    verdict: &'static str,
    reason: String,
    checks: Vec<Py<CheckPy>>,
    /// `None` when nothing was run.
    digest: Option<String>,
    cpu_s: f64,
    simulated_s: f64,
    warnings: Vec<String>,
}

#[pymethods]
impl RowPy {
    fn __getitem__(&self, py: Python<'_>, check: &str) -> PyResult<Py<CheckPy>> {
        let found = self.checks.iter().find(|c| c.get().name == check);
        found.map(|c| c.clone_ref(py)).ok_or_else(|| {
            let known: Vec<&str> = self.checks.iter().map(|c| c.get().name.as_str()).collect();
            pyo3::exceptions::PyKeyError::new_err(format!(
                "there is no check '{check}'; there are: {}",
                known.join(", ")
            ))
        })
    }

    fn __repr__(&self) -> String {
        format!("<Row {} on {} at {} s: {}, {}>", self.scenario, self.engine, self.step_s, self.verdict, self.reason)
    }
}

fn checks(py: Python<'_>, checks: &[CheckResult]) -> PyResult<Vec<Py<CheckPy>>> {
    checks.iter().map(|c| Py::new(py, CheckPy::new(c))).collect()
}

impl RowPy {
    fn new(py: Python<'_>, row: &Row) -> PyResult<Self> {
        Ok(Self {
            scenario: row.scenario.clone(),
            engine: row.engine.clone(),
            step_s: row.step_s,
            seed: row.seed,
            overrides: row.overrides.clone(),
            verdict: row.verdict.text(),
            reason: row.reason.clone(),
            checks: checks(py, &row.checks)?,
            digest: row.digest.map(|d| d.to_string()),
            cpu_s: row.cpu_s,
            simulated_s: row.simulated_s,
            warnings: row.warnings.clone(),
        })
    }
}

/// The result of a study.
#[pyclass(frozen, name = "Result", module = "veracity")]
pub struct ResultPy {
    result: StudyResult,
    rows: Vec<Py<RowPy>>,
    folder: PathBuf,
    /// A temporary folder that lives as long as this.
    _keep: Option<Py<PyAny>>,
}

#[pymethods]
impl ResultPy {
    #[getter]
    fn rows(&self, py: Python<'_>) -> Vec<Py<RowPy>> {
        self.rows.iter().map(|row| row.clone_ref(py)).collect()
    }

    /// Of the deterministic part of all records.
    #[getter]
    fn digest(&self) -> String {
        self.result.digest().to_string()
    }

    #[getter]
    fn complete(&self) -> bool {
        self.result.complete
    }

    /// Engines of the study that are not installed.
    #[getter]
    fn absent(&self) -> Vec<String> {
        self.result.absent.clone()
    }

    /// The conclusion in one line, as the command prints it.
    #[getter]
    fn conclusion(&self) -> String {
        let concluded = Conclusion::new(&self.result, None);
        format!("{}: {}", concluded.headline, concluded.summary)
    }

    /// What was found about the experiment itself.
    #[getter]
    fn findings(&self) -> Vec<crate::models::FindingPy> {
        self.result.audit.iter().map(|f| crate::models::FindingPy::new(&f.finding, None)).collect()
    }

    /// The record of a row.
    fn record(&self, py: Python<'_>, row: usize) -> PyResult<RecordPy> {
        let Some(found) = self.result.rows.get(row) else {
            return Err(error(format!("there is no row {row}; there are {}", self.result.rows.len())));
        };
        let (key, folder) = (TrialKey(found.key), &self.folder);
        let record = py.detach(|| StoreReader::open(folder).and_then(|store| store.record(key))).map_err(error)?;
        record.map(RecordPy::new).ok_or_else(|| error(format!("the trial has no stored record: {}", found.reason)))
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __repr__(&self) -> String {
        format!("<Result {}: {}>", self.result.study, self.conclusion())
    }
}

/// Sends the number of finished trials to the thread that may call Python.
struct Reported(SyncSender<Option<usize>>);

impl Progress for Reported {
    fn planned(&self, trials: usize, _stored: usize, _estimate_cpu_s: f64) {
        self.send(Some(trials));
    }

    fn finished(&self, _row: &Row, _ran: bool) {
        self.send(None);
    }
}

impl Reported {
    /// A full queue drops a report: trials never wait for Python.
    fn send(&self, report: Option<usize>) {
        let _ = self.0.try_send(report);
    }
}

/// A scenario on engines as a study.
#[pyfunction]
#[pyo3(signature = (scenario, engines, steps_s, variations))]
pub fn study_of(
    scenario: &Bound<'_, ScenarioPy>,
    engines: Option<Vec<String>>,
    steps_s: Vec<f64>,
    variations: Option<Vec<Bound<'_, PyDict>>>,
) -> PyResult<StudyPy> {
    same_process()?;
    let given = engines.unwrap_or_default();
    let specs: Vec<_> = engines::read_all(given.iter()).map_err(error)?.into_iter().map(|r| r.spec).collect();
    let steps = steps_s.into_iter().map(|s| nanoseconds("steps_s", s)).collect::<PyResult<Vec<_>>>()?;
    let scenario = &scenario.get().scenario;
    let mut study =
        Study::of_scenario(veracity::scenario::Scenario::clone(scenario), &specs, steps).map_err(error)?;
    if let Some(variations) = variations {
        let each = variations.iter().map(|numbers| overrides(numbers, |path| scenario.full_path(path)));
        study.variations = each.collect::<PyResult<_>>()?;
    }
    Ok(StudyPy { study })
}

/// Runs a study.
#[pyfunction]
#[pyo3(signature = (study, folder, build, threads, fresh, keep, progress))]
#[allow(clippy::too_many_arguments)]
pub fn run_study(
    py: Python<'_>,
    study: &Bound<'_, StudyPy>,
    folder: PathBuf,
    build: &str,
    threads: Option<usize>,
    fresh: bool,
    keep: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<ResultPy> {
    same_process()?;
    let study = &study.get().study;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let executor = Threads::new(threads.unwrap_or(cores).max(1)).map_err(error)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (send, receive) = sync_channel(4096);
    let (stopping, into) = (Arc::clone(&stop), folder.clone());
    let ran = py.detach(move || {
        std::thread::scope(|scope| {
            let job = scope.spawn(move || -> Result<StudyResult, String> {
                let store = Store::open(&into).map_err(|e| e.to_string())?;
                let engines = engines::engines(build);
                let lab = Lab { engines, store: &store, executor: &executor, stop, fresh };
                let result = lab.run(study, &Reported(send)).map_err(|e| e.to_string());
                drop(lab);
                store.close().map_err(|e| e.to_string())?;
                result
            });
            let (mut total, mut done, mut trouble) = (0, 0, None);
            // The sender lives in the job: when it is gone, the job is over.
            loop {
                let report = receive.recv_timeout(SIGNALS_EVERY);
                match report {
                    Ok(Some(trials)) => total = trials,
                    Ok(None) => done += 1,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if trouble.is_some() {
                    continue;
                }
                let called = Python::attach(|py| {
                    py.check_signals()?;
                    match &progress {
                        Some(call) if matches!(report, Ok(None)) => call.call1(py, (done, total)).map(drop),
                        _ => Ok(()),
                    }
                });
                if let Err(raised) = called {
                    stopping.store(true, Ordering::Relaxed);
                    trouble = Some(raised);
                }
            }
            let ran = job.join().unwrap_or_else(|_| Err("the run panicked; this is a bug of veracity".to_string()));
            (ran, trouble)
        })
    });
    let result = match ran {
        (_, Some(raised)) => return Err(raised),
        (ran, None) => ran.map_err(error)?,
    };
    let rows = result.rows.iter().map(|row| Py::new(py, RowPy::new(py, row)?)).collect::<PyResult<_>>()?;
    Ok(ResultPy { result, rows, folder, _keep: keep })
}

/// A motion computed elsewhere as a record.
#[pyfunction]
#[pyo3(signature = (scenario, times, q, v, name))]
pub fn record_of(
    py: Python<'_>,
    scenario: &Bound<'_, ScenarioPy>,
    times: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    v: Option<&Bound<'_, PyAny>>,
    name: &str,
) -> PyResult<RecordPy> {
    let scenario = &scenario.get().scenario;
    let layout = veracity::model::Layout::new(&scenario.world);
    let times = vector("times", times, None)?;
    let q = rows("q", q, times.len(), layout.position_count)?;
    let v = v.map(|v| rows("v", v, times.len(), layout.dof_count())).transpose()?;
    let motion = GivenMotion { name, times_s: &times, q: &q, v: v.as_deref() };
    let record = py.detach(|| record_of_motion(scenario, &motion)).map_err(error)?;
    Ok(RecordPy { record, contacts_known: false })
}

/// Judges a record by the checks of a scenario.
#[pyfunction]
pub fn judge_record(
    py: Python<'_>,
    scenario: &Bound<'_, ScenarioPy>,
    record: &Bound<'_, RecordPy>,
    folder: PathBuf,
    build: &str,
) -> PyResult<RowPy> {
    let (scenario, RecordPy { record, contacts_known }) = (&scenario.get().scenario, record.get());
    if record.head.world != scenario.world.digest() {
        return Err(error(format!("the record is of another world than scenario '{}'", scenario.name)));
    }
    let judged = py.detach(|| {
        let store = Store::open(&folder).map_err(|e| e.to_string())?;
        let executor = Threads::new(1).map_err(|e| e.to_string())?;
        // A converged reference is made by the native engine: no worker is needed.
        let engines = veracity::lab::Engines { list: veracity::ENGINES, build };
        let stop = Arc::new(AtomicBool::new(false));
        let lab = Lab { engines, store: &store, executor: &executor, stop, fresh: false };
        let judged = lab.judge(scenario, record, *contacts_known).map_err(|e| e.to_string());
        drop(lab);
        store.close().map_err(|e| e.to_string())?;
        judged
    });
    let judged = judged.map_err(error)?;
    Ok(RowPy {
        scenario: scenario.name.clone(),
        engine: record.head.engine.clone(),
        step_s: record.head.step_s,
        seed: record.head.seed,
        overrides: record.head.overrides.clone(),
        verdict: judged.verdict.text(),
        reason: judged.reason,
        checks: checks(py, &judged.checks)?,
        digest: Some(record.digest().to_string()),
        cpu_s: record.host.cpu_s,
        simulated_s: record.track.times.last().copied().unwrap_or(0.0),
        warnings: record.log.iter().filter(|l| l.warning).map(|l| l.text.clone()).collect(),
    })
}

/// Identifies this build of the package.
#[pyfunction]
pub fn build_of(py: Python<'_>, library: PathBuf) -> PyResult<String> {
    py.detach(|| engines::build_of(&library)).map_err(|e| error(format!("{} cannot be read: {e}", library.display())))
}
